(** The least threshold: a search between bounds that close in on it finds it, and ends. *)
From Coq Require Import ZArith Reals Lra Lia List Bool.
From Discreet Require Import Law Laplace KeepAbove Packing LaplaceThreshold.
Import ListNotations.
Open Scope R_scope.

(** ** The search, whatever is looked for *)

(** From [here] a step leads to [there here]. Nothing up to [low] is enough; [high], once it is known, is. *)
Fixpoint search (there : Z -> Z) (fuel : nat) (low here : Z) (high : option Z) : option Z :=
  match fuel with
  | O => None
  | S fuel =>
    if match high with None => true | Some h => (1 <? h - low)%Z end then
      let t := there here in
      if (here <? t)%Z then
        search there fuel here (match high with None => t | Some h => if (t <? h)%Z then t else ((here + h) / 2)%Z end) high
      else
        let l := Z.max low (t - 1) in search there fuel l (l + 1)%Z (Some here)
    else high
  end.

Section Search.
  Variables (there : Z -> Z) (bottom : Z) (enough : Z -> Prop).
  Hypotheses (stays : forall T T', (bottom <= T <= T')%Z -> enough T -> enough T')
    (up : forall T, (bottom <= T < there T)%Z -> ~ enough T)
    (down : forall T, (bottom <= T)%Z -> (there T <= T)%Z -> enough T)
    (skips : forall T T', (bottom <= T)%Z -> (there T <= T)%Z -> (bottom <= T' < there T)%Z -> ~ enough T').

  Definition closing (low here : Z) (high : option Z) :=
    (bottom - 1 <= low)%Z /\ (forall T, (bottom <= T <= low)%Z -> ~ enough T) /\
    match high with
    | None => (low < here)%Z
    | Some h => (low < h)%Z /\ enough h /\ ((1 < h - low)%Z -> (low < here < h)%Z)
    end.

  Local Lemma closing_up low here high : (bottom - 1 <= low < here)%Z ->
    match high with None => True | Some h => (here < h)%Z /\ enough h end -> (here < there here)%Z ->
    closing here (match high with None => there here | Some h => if (there here <? h)%Z then there here
      else ((here + h) / 2)%Z end) high.
  Proof.
    intros Hl Hh Ht. split; [lia|]. split.
    - intros T HT He. apply (up here); [lia|]. apply (stays T); [lia|trivial].
    - destruct high as [h|]; trivial. destruct Hh as [Hh He]. split; [trivial|]. split; [trivial|]. intro Hd.
      destruct (Z.ltb_spec (there here) h); [lia|]. Z.to_euclidean_division_equations. lia.
  Qed.

  Local Lemma closing_down low here : (bottom - 1 <= low < here)%Z -> (forall T, (bottom <= T <= low)%Z -> ~ enough T) ->
    (there here <= here)%Z -> closing (Z.max low (there here - 1)) (Z.max low (there here - 1) + 1) (Some here).
  Proof.
    intros Hl Hn Ht. split; [lia|]. split.
    - intros T HT. destruct (Z.le_gt_cases T low); [apply Hn; lia|]. apply (skips here); lia.
    - split; [lia|]. split; [apply down; lia|]. lia.
  Qed.

  Theorem search_least fuel : forall low here high T, closing low here high -> search there fuel low here high = Some T ->
    (bottom <= T)%Z /\ enough T /\ forall T', (bottom <= T' < T)%Z -> ~ enough T'.
  Proof.
    induction fuel as [|fuel IH]; intros low here high T (Hb & Hn & Hh) H; [discriminate|]. cbn [search] in H.
    destruct high as [h|].
    - destruct Hh as (H1 & He & Hi). destruct (Z.ltb_spec 1 (h - low)) as [Ha|Ha].
      + specialize (Hi Ha). destruct (Z.ltb_spec here (there here)) as [Ht|Ht].
        * apply IH in H; trivial. apply (closing_up low here (Some h)); [lia|split; [lia|trivial]|trivial].
        * apply IH in H; trivial. apply closing_down; trivial; lia.
      + injection H as <-. split; [lia|]. split; [trivial|]. intros T' HT'. apply Hn. lia.
    - destruct (Z.ltb_spec here (there here)) as [Ht|Ht].
      + apply IH in H; trivial. apply (closing_up low here None); trivial; lia.
      + apply IH in H; trivial. apply closing_down; trivial; lia.
  Qed.

  Local Lemma ends_between n : forall low here h, (h - low <= Z.of_nat n)%Z -> closing low here (Some h) ->
    exists fuel T, search there fuel low here (Some h) = Some T.
  Proof.
    induction n as [|n IH]; intros low here h Hm (Hb & Hn & H1 & He & Hi); [lia|].
    destruct (Z.ltb_spec 1 (h - low)) as [Ha|Ha].
    - specialize (Hi Ha). assert (1 <? h - low = true)%Z as Hc by (apply Z.ltb_lt; trivial).
      destruct (Z.ltb_spec here (there here)) as [Ht|Ht].
      + destruct (IH here (if (there here <? h)%Z then there here else ((here + h) / 2)%Z) h) as (fuel & T & HT); [lia| |].
        * apply (closing_up low here (Some h)); [lia|split; [lia|trivial]|trivial].
        * exists (S fuel), T. cbn [search]. rewrite Hc. apply Z.ltb_lt in Ht. cbv zeta. rewrite Ht. trivial.
      + destruct (IH (Z.max low (there here - 1)) (Z.max low (there here - 1) + 1)%Z here) as (fuel & T & HT); [lia| |].
        * apply closing_down; trivial; lia.
        * exists (S fuel), T. cbn [search]. rewrite Hc. apply Z.ltb_ge in Ht. cbv zeta. rewrite Ht. trivial.
    - exists 1%nat, h. cbn [search]. apply Z.ltb_ge in Ha. rewrite Ha. trivial.
  Qed.

  Theorem search_ends H : (bottom <= H)%Z -> enough H -> forall low here, closing low here None ->
    exists fuel T, search there fuel low here None = Some T.
  Proof.
    intros HH He low here Hc. assert (forall n low here, (H - low <= Z.of_nat n)%Z -> closing low here None ->
      exists fuel T, search there fuel low here None = Some T) as K.
    { clear low here Hc. induction n as [|n IH]; intros low here Hm (Hb & Hn & Hl).
      - exfalso. apply (Hn H); [lia|trivial].
      - destruct (Z.ltb_spec here (there here)) as [Ht|Ht].
        + destruct (IH here (there here)) as (fuel & T & HT); [lia|apply (closing_up low here None); trivial; lia|].
          exists (S fuel), T. cbn [search]. apply Z.ltb_lt in Ht. cbv zeta. rewrite Ht. trivial.
        + destruct (ends_between (Z.to_nat (here - low)) (Z.max low (there here - 1)) (Z.max low (there here - 1) + 1) here)
            as (fuel & T & HT); [lia|apply closing_down; trivial; lia|].
          exists (S fuel), T. cbn [search]. apply Z.ltb_ge in Ht. cbv zeta. rewrite Ht. trivial. }
    apply (K (Z.to_nat (H - low)) low here); trivial. lia.
  Qed.
End Search.

(** ** What is looked for: a threshold at which delta is at most [most] *)

Section Least.
  Variables (q most : R) (a0 a1 ai : nat).
  Hypotheses (Hq : 0 < q < 1) (Hm : 0 < most < 1) (H0 : (1 <= a0)%nat) (Hi : (1 <= ai)%nat)
    (Hl : (1 <= a1 <= a0 * ai)%nat) (Hai : (ai <= a1)%nat).

  Definition tail_at (k : Z) := q ^ Z.to_nat k / (1 + q).
  (** The greatest surprise over all packings; [Packing] says which four need a look. *)
  Definition greatest (worst : Z -> R) := forall T, (Z.of_nat ai <= T)%Z ->
    (exists ks, fits a0 a1 ai ks /\ sum ks (surprise q T) = worst T) /\
    forall ks, fits a0 a1 ai ks -> sum ks (surprise q T) <= worst T.
  (** The least k from 1 on at which the tail is p or less. *)
  Definition reaches (reach : R -> Z) := forall p, 0 < p -> (1 <= reach p)%Z /\
    forall k, (1 <= k)%Z -> tail_at k <= p <-> (reach p <= k)%Z.

  Definition allowed := - ln (1 - most).
  (** A step divides the tail of the greatest value by what the worst is too large by. *)
  Definition steps (worst : Z -> R) (reach : R -> Z) (step : Z -> Z) := forall T, (Z.of_nat ai <= T)%Z ->
    step T = (Z.of_nat ai - 1 + reach (allowed / worst T * tail_at (T + 1 - Z.of_nat ai))%R)%Z.

  Variables (worst : Z -> R) (reach : R -> Z) (step : Z -> Z).
  Hypotheses (Hw : greatest worst) (Hr : reaches reach) (Hstep : steps worst reach step).

  Definition share (full : nat) := 1 - exp (ln (1 - most) / INR full).
  Definition start (full : nat) := (Z.of_nat ai - 2 + reach (share full))%Z.

  Local Lemma allowed_pos : 0 < allowed.
  Proof. unfold allowed. assert (ln (1 - most) < ln 1) by (apply ln_increasing; lra). rewrite ln_1 in *. lra. Qed.

  Local Lemma tail_pos k : 0 < tail_at k.
  Proof. apply Rdiv_lt_0_compat; [apply pow_lt|]; lra. Qed.

  Local Lemma tail_shown T : (Z.of_nat ai <= T)%Z -> tail_at (T + 1 - Z.of_nat ai) = shown q T (Z.of_nat ai).
  Proof. intro H. unfold tail_at, shown. do 2 f_equal. lia. Qed.

  Local Lemma surprise_in T c : (Z.of_nat ai <= T)%Z -> (c <= ai)%nat -> 0 < surprise q T c.
  Proof.
    intros HT Hc. unfold surprise. pose proof (shown_in q T Hq (Z.of_nat c) ltac:(lia)).
    assert (ln (1 - shown q T (Z.of_nat c)) < ln 1) by (apply ln_increasing; lra). rewrite ln_1 in *. lra.
  Qed.

  Local Lemma worst_pos T : (Z.of_nat ai <= T)%Z -> 0 < worst T.
  Proof.
    intro HT. destruct (Hw T HT) as [_ Hg]. apply Rlt_le_trans with (sum [1%nat] (surprise q T)).
    - simpl. pose proof (surprise_in T 1 HT Hi). lra.
    - apply Hg. repeat split; simpl; try lia. repeat constructor; lia.
  Qed.

  (** Raising the threshold by j divides the worst by the j-th power, at least. *)
  Local Lemma worst_falls T j : (Z.of_nat ai <= T)%Z -> worst (T + Z.of_nat j) <= q ^ j * worst T.
  Proof.
    intro HT. destruct (Hw (T + Z.of_nat j)%Z ltac:(lia)) as [(ks & Hf & <-) _]. destruct (Hw T HT) as [_ Hg].
    eapply Rle_trans; [apply threshold_steps; trivial|].
    - destruct Hf as [_ Hf]. apply Forall_impl with (2 := Hf). intros c Hc. cbv beta in Hc. lia.
    - apply Rmult_le_compat_l; [left; apply pow_lt; lra|auto].
  Qed.

  Definition enough (T : Z) := worst T <= allowed.

  Local Lemma enough_stays T T' : (Z.of_nat ai <= T <= T')%Z -> enough T -> enough T'.
  Proof.
    intros HT He. unfold enough in *. pose proof (worst_falls T (Z.to_nat (T' - T)) ltac:(lia)) as H.
    replace (T + Z.of_nat (Z.to_nat (T' - T)))%Z with T' in H by lia.
    assert (q ^ Z.to_nat (T' - T) <= 1) by (rewrite <- (pow1 (Z.to_nat (T' - T))); apply pow_incr; lra).
    pose proof (worst_pos T ltac:(lia)). nra.
  Qed.

  Local Lemma asked_pos T : (Z.of_nat ai <= T)%Z -> 0 < allowed / worst T * tail_at (T + 1 - Z.of_nat ai).
  Proof.
    intro HT. apply Rmult_lt_0_compat; [|apply tail_pos]. apply Rdiv_lt_0_compat; [apply allowed_pos|apply worst_pos, HT].
  Qed.

  (** A step goes up exactly where the threshold is not enough. *)
  Local Lemma step_enough T : (Z.of_nat ai <= T)%Z -> (step T <= T)%Z <-> enough T.
  Proof.
    intro HT. destruct (Hr _ (asked_pos T HT)) as [_ H]. specialize (H (T + 1 - Z.of_nat ai)%Z ltac:(lia)).
    transitivity (reach (allowed / worst T * tail_at (T + 1 - Z.of_nat ai)) <= T + 1 - Z.of_nat ai)%Z; [rewrite (Hstep T HT); lia|].
    rewrite <- H. unfold enough. pose proof (tail_pos (T + 1 - Z.of_nat ai)) as Ht. pose proof (worst_pos T HT) as Hp.
    set (t := tail_at _) in *. clearbody t. replace (allowed / worst T * t) with (t * (allowed / worst T)) by ring. split; intro K.
    - rewrite <- (Rmult_1_r t) in K at 1. apply Rmult_le_reg_l in K; trivial.
      apply Rmult_le_compat_r with (r := worst T) in K; [|lra]. unfold Rdiv in K. rewrite Rmult_assoc, Rinv_l in K; lra.
    - rewrite <- (Rmult_1_r t) at 1. apply Rmult_le_compat_l; [lra|]. apply Rmult_le_reg_r with (1 := Hp).
      unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
  Qed.

  (** And nothing below where it goes down to is enough. *)
  Local Lemma step_skips T T' : (Z.of_nat ai <= T)%Z -> (step T <= T)%Z -> (Z.of_nat ai <= T' < step T)%Z -> ~ enough T'.
  Proof.
    intros HT Hs HT' He. destruct (Hr _ (asked_pos T HT)) as [_ H]. specialize (H (T' + 1 - Z.of_nat ai)%Z ltac:(lia)).
    enough (reach (allowed / worst T * tail_at (T + 1 - Z.of_nat ai)) <= T' + 1 - Z.of_nat ai)%Z as K
      by (rewrite (Hstep T HT) in HT'; lia).
    apply H. set (j := Z.to_nat (T - T')). pose proof (worst_falls T' j ltac:(lia)) as Hf.
    replace (T' + Z.of_nat j)%Z with T in Hf by lia.
    assert (tail_at (T + 1 - Z.of_nat ai) = q ^ j * tail_at (T' + 1 - Z.of_nat ai)) as ->.
    { unfold tail_at. replace (Z.to_nat (T + 1 - Z.of_nat ai)) with (j + Z.to_nat (T' + 1 - Z.of_nat ai))%nat by lia.
      rewrite pow_add. field. lra. }
    pose proof (tail_pos (T' + 1 - Z.of_nat ai)) as Ht. set (t := tail_at _) in *. clearbody t.
    pose proof (worst_pos T HT) as Hp. unfold enough in He. assert (0 < q ^ j) by (apply pow_lt; lra).
    assert (worst T <= q ^ j * allowed) by nra.
    replace (allowed / worst T * (q ^ j * t)) with (q ^ j * allowed / worst T * t) by (field; lra).
    rewrite <- (Rmult_1_l t) at 1. apply Rmult_le_compat_r; [lra|]. apply Rmult_le_reg_r with (1 := Hp).
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
  Qed.

  Local Lemma share_in full : (1 <= full)%nat -> 0 < share full.
  Proof.
    intro Hf. unfold share. pose proof allowed_pos as H. unfold allowed in H.
    assert (0 < INR full) as Hn by (apply lt_0_INR; lia).
    assert (exp (ln (1 - most) / INR full) < exp 0); [|rewrite exp_0 in *; lra]. apply exp_increasing.
    apply Rmult_lt_reg_r with (1 := Hn). unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
  Qed.

  (** So many keys of the greatest value are seen too often below the first. *)
  Local Lemma share_is full T : (1 <= full)%nat -> (Z.of_nat ai <= T)%Z ->
    INR full * surprise q T ai <= allowed <-> (start full < T)%Z.
  Proof.
    intros Hf HT. destruct (Hr _ (share_in full Hf)) as [_ H]. specialize (H (T + 1 - Z.of_nat ai)%Z ltac:(lia)).
    transitivity (reach (share full) <= T + 1 - Z.of_nat ai)%Z; [|unfold start; lia]. rewrite <- H, tail_shown by trivial.
    unfold share, surprise, allowed. pose proof (shown_in q T Hq (Z.of_nat ai) HT) as Hs.
    set (s := shown q T (Z.of_nat ai)) in *. clearbody s. assert (0 < INR full) as Hn by (apply lt_0_INR; lia).
    transitivity (ln (1 - most) / INR full <= ln (1 - s)).
    - split; intro K.
      + apply Rmult_le_reg_r with (1 := Hn). unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
      + apply Rmult_le_compat_r with (r := INR full) in K; [|lra]. unfold Rdiv in K.
        rewrite Rmult_assoc, Rinv_l in K by lra. lra.
    - split; intro K.
      + enough (exp (ln (1 - most) / INR full) <= exp (ln (1 - s))) by (rewrite exp_ln in * by lra; lra).
        destruct K as [K| ->]; [left; apply exp_increasing; trivial|lra].
      + apply Rnot_lt_le. intro K'. apply exp_increasing in K'. rewrite exp_ln in * by lra. lra.
  Qed.

  Let full := (a1 / ai)%nat.

  Local Lemma full_is : (1 <= full <= a0 /\ full * ai <= a1)%nat.
  Proof.
    assert (full * ai <= a1)%nat by (unfold full; rewrite Nat.mul_comm; apply Nat.mul_div_le; lia).
    assert (1 <= full)%nat by (apply Nat.div_le_lower_bound; lia).
    assert (full <= a0)%nat by (unfold full; apply Nat.div_le_upper_bound; lia). lia.
  Qed.

  Local Lemma full_worst T : (Z.of_nat ai <= T)%Z -> INR full * surprise q T ai <= worst T.
  Proof.
    intro HT. destruct (Hw T HT) as [_ Hg]. destruct full_is as [F1 F2]. rewrite <- sum_repeat. apply Hg. repeat split.
    - rewrite repeat_length. lia.
    - rewrite whole_repeat. lia.
    - apply Forall_forall. intros x Hx. apply repeat_spec in Hx. lia.
  Qed.

  (** Where all keys may have the greatest value, the first that they allow is the least. *)
  Theorem least_full T : full = a0 -> (Z.of_nat ai <= T)%Z -> enough T <-> (start full < T)%Z.
  Proof.
    intros Hf HT. destruct full_is as [F1 F2]. rewrite <- share_is by lia. unfold enough. split; intro K.
    - eapply Rle_trans; [apply full_worst; trivial|trivial].
    - eapply Rle_trans; [|exact K]. destruct (Hw T HT) as [(ks & [[Hn _] Hk] & <-) _].
      apply Rle_trans with (INR (length ks) * surprise q T ai).
      + rewrite <- sum_const. apply sum_le. intros c Hc. rewrite Forall_forall in Hk. specialize (Hk c Hc).
        unfold surprise. apply Ropp_le_contravar. pose proof (shown_in q T Hq (Z.of_nat ai) HT).
        pose proof (shown_increases q T (Z.of_nat c) (Z.of_nat ai) Hq ltac:(lia)) as [H'| ->];
          [left; apply ln_increasing|]; lra.
      + apply Rmult_le_compat_r; [left; apply surprise_in; trivial|]. apply le_INR. lia.
  Qed.

  Theorem least_search fuel T : search step fuel (start full) (start full + 1) None = Some T ->
    (Z.of_nat ai <= T)%Z /\ enough T /\ forall T', (Z.of_nat ai <= T' < T)%Z -> ~ enough T'.
  Proof.
    destruct full_is as [F1 F2]. apply search_least.
    - apply enough_stays.
    - intros T' HT' He. apply step_enough in He; lia.
    - intros T' HT' Hs. apply step_enough; trivial.
    - apply step_skips.
    - split; [destruct (Hr _ (share_in full ltac:(lia))); unfold start; lia|]. split; [|lia].
      intros T' HT' He. unfold enough in He. pose proof (full_worst T' ltac:(lia)) as H.
      assert (start full < T')%Z; [|lia]. apply share_is; lia || lra.
  Qed.

  Theorem least_search_ends : exists fuel T, search step fuel (start full) (start full + 1) None = Some T.
  Proof.
    destruct full_is as [F1 F2]. pose proof (worst_pos (Z.of_nat ai) ltac:(lia)) as Hp. pose proof allowed_pos as Ha.
    destruct (pow_lt_1_zero q ltac:(rewrite Rabs_pos_eq; lra) (allowed / worst (Z.of_nat ai))) as (N & HN);
      [apply Rdiv_lt_0_compat; trivial|]. specialize (HN N ltac:(lia)).
    rewrite Rabs_pos_eq in HN by (apply pow_le; lra).
    apply search_ends with (bottom := Z.of_nat ai) (enough := enough) (H := (Z.of_nat ai + Z.of_nat N)%Z).
    - apply enough_stays.
    - intros T' HT' He. apply step_enough in He; lia.
    - intros T' HT' Hs. apply step_enough; trivial.
    - apply step_skips.
    - lia.
    - unfold enough. eapply Rle_trans; [apply worst_falls; lia|].
      apply Rmult_lt_compat_r with (r := worst (Z.of_nat ai)) in HN; [|lra]. unfold Rdiv in HN.
      rewrite Rmult_assoc, Rinv_l in HN; lra.
    - split; [destruct (Hr _ (share_in full ltac:(lia))); unfold start; lia|]. split; [|lia].
      intros T' HT' He. unfold enough in He. pose proof (full_worst T' ltac:(lia)) as H.
      assert (start full < T')%Z; [|lia]. apply share_is; lia || lra.
  Qed.

  (** And it is what it is said to be: the mechanism at that threshold has at most that delta, and at a lower one not. *)
  Theorem enough_is T : (Z.of_nat ai <= T)%Z ->
    (enough T -> dp (near a0 a1 (Z.of_nat ai)) (INR a1 * - ln q) most (release q T)) /\
    forall eps, dp (near a0 a1 (Z.of_nat ai)) eps most (release q T) -> enough T.
  Proof.
    intro HT. destruct (Hw T HT) as [(ks & Hf & Hs) Hg]. split.
    - intro He. unfold enough, allowed in He. apply keep_above_dp; [trivial|lia|]. intros zs Hz.
      replace (Z.abs T) with T by lia. destruct Hz as [[Hn Hz] Hk].
      pose proof (Packing.hide_abs q T ai Hq HT zs Hk) as [_ Ha]. rewrite (Packing.hide_surprise q T ai Hq HT) in Ha.
      + assert (sum (map Z.abs_nat zs) (surprise q T) <= worst T) as Hm'.
        { apply Hg. repeat split.
          - rewrite map_length. trivial.
          - eapply Nat.le_trans; [apply Nat.eq_le_incl|apply Hz]. clear. induction zs as [|c zs IH]; simpl; trivial.
            f_equal. apply IH.
          - clear - Hk. induction Hk; simpl; constructor; trivial. lia. }
        enough (1 - most <= exp (- sum (map Z.abs_nat zs) (surprise q T))) by lra.
        rewrite <- (exp_ln (1 - most)) by lra.
        assert (ln (1 - most) <= - sum (map Z.abs_nat zs) (surprise q T)) as [H|H] by lra;
          [left; apply exp_increasing; trivial|rewrite H; lra].
      + clear - Hk. induction Hk; simpl; constructor; trivial. lia.
    - intros eps Hd. unfold enough, allowed. rewrite <- Hs.
      apply (keep_above_tight q T a0 a1 (Z.of_nat ai) eps most (map Z.of_nat ks)) in Hd; trivial; [|lia|].
      + replace (Z.abs T) with T in Hd by lia. destruct Hf as [_ Hk].
        rewrite (Packing.hide_surprise q T ai Hq HT) in Hd by trivial.
        apply Ropp_le_cancel. rewrite Ropp_involutive. apply ln_le_exp; lra.
      + destruct Hf as [[Hn Hz] Hk]. repeat split.
        * rewrite map_length. trivial.
        * eapply Nat.le_trans; [apply Nat.eq_le_incl|apply Hz]. clear. induction ks as [|c ks IH]; simpl; trivial.
          rewrite Zabs2Nat.id. f_equal. apply IH.
        * clear - Hk. induction Hk; simpl; constructor; trivial. lia.
  Qed.
End Least.

(** Where all keys may have the greatest value at once, that is the worst. *)
Theorem full_greatest q a0 a1 ai : 0 < q < 1 -> (1 <= ai)%nat -> (a0 * ai <= a1)%nat ->
  greatest q a0 a1 ai (fun T => INR a0 * surprise q T ai).
Proof.
  intros Hq Hi Hl T HT. split.
  - exists (repeat ai a0). split; [|apply sum_repeat]. repeat split.
    + rewrite repeat_length. lia.
    + rewrite whole_repeat. lia.
    + apply Forall_forall. intros x Hx. apply repeat_spec in Hx. lia.
  - intros ks [[Hn _] Hk]. pose proof (shown_in q T Hq (Z.of_nat ai) HT) as Hs.
    apply Rle_trans with (INR (length ks) * surprise q T ai).
    + rewrite <- sum_const. apply sum_le. intros c Hc. rewrite Forall_forall in Hk. specialize (Hk c Hc).
      unfold surprise. apply Ropp_le_contravar.
      pose proof (shown_increases q T (Z.of_nat c) (Z.of_nat ai) Hq ltac:(lia)) as [H'| ->];
        [left; apply ln_increasing|]; lra.
    + apply Rmult_le_compat_r; [|apply le_INR; lia]. unfold surprise.
      assert (ln (1 - shown q T (Z.of_nat ai)) < ln 1) by (apply ln_increasing; lra). rewrite ln_1 in *. lra.
Qed.

(** ** The greatest of the four candidates is the greatest over all packings *)

Definition worst_of q a0 a1 ai room (T : Z) := fold_right Rmax 0 (map (packed (surprise q T) a1 room)
  (filter (fun n => (fewest a1 ai <=? n)%nat && (n <=? a0)%nat) (candidates a0 a1 ai room))).

Lemma greatest_in xs : forall x, In x xs -> x <= fold_right Rmax 0 xs.
Proof.
  induction xs as [|y xs IH]; simpl; [tauto|]. intros x [->|H]; [apply Rmax_l|].
  eapply Rle_trans; [apply IH, H|apply Rmax_r].
Qed.
Lemma greatest_is xs : In (fold_right Rmax 0 xs) xs \/ fold_right Rmax 0 xs = 0.
Proof.
  induction xs as [|y xs IH]; simpl; [auto|]. destruct (Rle_dec y (fold_right Rmax 0 xs)) as [H|H].
  - rewrite Rmax_right by trivial. tauto.
  - rewrite Rmax_left by lra. auto.
Qed.

Theorem worst_greatest q a0 a1 ai room : 0 < q < 1 -> ai = S room -> (1 <= room)%nat -> (a0 <= a1)%nat ->
  (1 <= a1 <= a0 * ai)%nat -> greatest q a0 a1 ai (worst_of q a0 a1 ai room).
Proof.
  intros Hq Hai Hroom H01 Hl T HT.
  assert (forall ks, fits a0 a1 ai ks -> exists n, In (packed (surprise q T) a1 room n) (map (packed (surprise q T) a1 room)
    (filter (fun n => (fewest a1 ai <=? n)%nat && (n <=? a0)%nat) (candidates a0 a1 ai room))) /\
    (fewest a1 ai <= n <= a0)%nat /\ sum ks (surprise q T) <= packed (surprise q T) a1 room n) as K.
  { intros ks Hk. destruct (four_candidates (surprise q T) a0 a1 ai room Hai Hroom
      (Packing.surprise_pos q T a0 a1 ai room Hq Hai Hroom HT H01 Hl)
      (Packing.surprise_grows q T a0 a1 ai room Hq Hai Hroom HT H01 Hl)
      (Packing.surprise_faster q T a0 a1 ai room Hq Hai Hroom HT H01 Hl) H01 Hl ks Hk) as (n & Hn & Hr & Hs).
    exists n. split; [|auto]. apply in_map. apply filter_In. split; [trivial|].
    apply andb_true_iff. split; apply Nat.leb_le; lia. }
  assert (forall n, (fewest a1 ai <= n <= a0)%nat -> exists ks, fits a0 a1 ai ks /\
    sum ks (surprise q T) = packed (surprise q T) a1 room n) as O.
  { intros n Hn. apply (packed_fits (surprise q T) a0 a1 ai room Hai Hroom
      (Packing.surprise_grows q T a0 a1 ai room Hq Hai Hroom HT H01 Hl)
      (Packing.surprise_faster q T a0 a1 ai room Hq Hai Hroom HT H01 Hl) H01 Hl n Hn). }
  split.
  - unfold worst_of. match goal with |- exists ks, _ /\ _ = fold_right Rmax 0 ?xs => destruct (greatest_is xs) as [H|H] end.
    + apply in_map_iff in H as (n & <- & H). apply filter_In in H as [_ H]. apply andb_true_iff in H as [H1 H2].
      apply Nat.leb_le in H1, H2. apply O. lia.
    + destruct (K []) as (n & Hn & Hr & Hs); [repeat split; simpl; try lia; constructor|].
      apply greatest_in in Hn. rewrite H in *. simpl in Hs.
      destruct (O n Hr) as (ks & Hk & He). exists ks. split; [trivial|]. lra.
  - intros ks Hk. destruct (K ks Hk) as (n & Hn & _ & Hs). eapply Rle_trans; [exact Hs|]. apply greatest_in, Hn.
Qed.
