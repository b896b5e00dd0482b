(** Truncated discrete Laplace noise and a threshold, with keys that one map has and the other has not: noise that the
    other's cannot give and keys that the other has not tell too much in the same way, and delta is not split. *)
From Coq Require Import ZArith Reals Lra Lia List Bool.
From Discreet Require Import Law Laplace KeepAbove TruncatedLaplace Code Marks.
Import ListNotations.
Open Scope R_scope.

Definition cut_entry q limit T (c : Z) : law (option Z) :=
  if (c =? 0)%Z then ret None else y <- truncated q limit c ;; ret (keep T y).
Fixpoint cut_release q limit T (cs : list Z) : law (list (option Z)) :=
  match cs with [] => ret [] | c :: cs => y <- cut_entry q limit T c ;; ys <- cut_release q limit T cs ;; ret (y :: ys) end.

(** How likely c comes out as something that c' may come out as: what both values reach, or nothing, if c' is no entry. *)
Definition unseen {A} (o : option A) := negb (is_some o).
Definition stays q limit T (c c' : Z) : R :=
  if (c =? 0)%Z then 1 else if (c' =? 0)%Z then Pr (cut_entry q limit T c) unseen else meets q limit c c'.
Fixpoint all_stay q limit T (cs cs' : list Z) : R :=
  match cs, cs' with c :: cs, c' :: cs' => stays q limit T c c' * all_stay q limit T cs cs' | _, _ => 1 end.

Lemma stays_in q limit T c c' : 0 <= stays q limit T c c' <= 1.
Proof. unfold stays. destruct (c =? 0)%Z; [lra|]. destruct (c' =? 0)%Z; [apply E_test, test_event|apply meets_in]. Qed.
Lemma all_stay_in q limit T cs : forall cs', 0 <= all_stay q limit T cs cs' <= 1.
Proof.
  induction cs as [|c cs IH]; intros [|c' cs']; simpl; try lra. pose proof (stays_in q limit T c c'). specialize (IH cs'). nra.
Qed.

Lemma part_unseen {A} (P : law (option A)) : part (Pr P unseen) (ret None) P.
Proof.
  intros f Hf. cbn [ret E]. unfold Pr. replace (P (event unseen) * f None) with (f None * P (event unseen) + 0) by ring.
  rewrite <- E_affine by auto with law. pose proof (Hf None). apply E_le; auto with law.
  - exists 1. intro o. pose proof (test_event unseen o). nra.
  - intros [y|]; unfold event; simpl; [specialize (Hf (Some y))|]; lra.
Qed.

Section Threshold.
  Variables (q : R) (limit : nat) (T : Z).
  Hypothesis Hq : 0 < q < 1.

  Lemma cut_parts c c' : exists C D,
    part (stays q limit T c c') C (cut_entry q limit T c) /\ part (stays q limit T c' c) D (cut_entry q limit T c') /\
    close (INR (if (c =? 0)%Z || (c' =? 0)%Z then 0 else Z.abs_nat (c - c')) * - ln q) 0 C D.
  Proof.
    unfold stays. destruct (c =? 0)%Z eqn:H0, (c' =? 0)%Z eqn:H0'; cbn [orb].
    - exists (ret None), (ret None). unfold cut_entry. rewrite H0, H0', Rmult_0_l.
      split; [apply part_refl|split; [apply part_refl|apply close_refl]].
    - exists (ret None), (ret None). rewrite Rmult_0_l. split; [|split; [apply part_unseen|apply close_refl]].
      unfold cut_entry. rewrite H0. apply part_refl.
    - exists (ret None), (ret None). rewrite Rmult_0_l. split; [apply part_unseen|split; [|apply close_refl]].
      unfold cut_entry. rewrite H0'. apply part_refl.
    - destruct (truncated_parts q limit Hq c c') as (C & D & H1 & H2 & H3). rewrite meets_symmetric in H2 by trivial.
      exists (y <- C ;; ret (keep T y)), (y <- D ;; ret (keep T y)). unfold cut_entry. rewrite H0, H0'.
      split; [|split; [|apply postprocessing; trivial]]; intros f Hf; [apply (H1 (fun y => f (keep T y)))|
        apply (H2 (fun y => f (keep T y)))]; intro; apply Hf.
  Qed.

  (** Both hold: epsilon from the keys that both have, delta from what the other cannot show, whichever is worse. *)
  Theorem cut_release_close cs : forall cs', length cs = length cs' ->
    close (INR (common cs cs') * - ln q) (Rmax (1 - all_stay q limit T cs cs') (1 - all_stay q limit T cs' cs))
      (cut_release q limit T cs) (cut_release q limit T cs').
  Proof.
    assert (forall cs cs', length cs = length cs' -> exists C D,
      part (all_stay q limit T cs cs') C (cut_release q limit T cs) /\
      part (all_stay q limit T cs' cs) D (cut_release q limit T cs') /\
      close (INR (common cs cs') * - ln q) 0 C D) as H.
    { clear cs. induction cs as [|c cs IH]; intros [|c' cs'] Hl; simpl in Hl; try discriminate.
      - exists (ret []), (ret []). simpl. rewrite Rmult_0_l. split; [apply part_refl|split; [apply part_refl|apply close_refl]].
      - destruct (IH cs' ltac:(lia)) as (C2 & D2 & H1 & H2 & H3). destruct (cut_parts c c') as (C1 & D1 & K1 & K2 & K3).
        exists (y <- C1 ;; ys <- C2 ;; ret (y :: ys)), (y <- D1 ;; ys <- D2 ;; ret (y :: ys)).
        assert (forall p (A B : law (list (option Z))) y, part p A B ->
          part p (ys <- A ;; ret (y :: ys)) (ys <- B ;; ret (y :: ys))) as Hp
          by (intros p A B y HAB f Hf; apply (HAB (fun ys => f (y :: ys))); intro; apply Hf).
        cbn [cut_release all_stay common].
        split; [apply part_bind; trivial; [apply stays_in|apply all_stay_in|intro; apply Hp; trivial]|].
        split; [apply part_bind; trivial; [apply stays_in|apply all_stay_in|intro; apply Hp; trivial]|].
        rewrite plus_INR, Rmult_plus_distr_r. replace 0 with (0 + 0) by ring.
        apply composition; [trivial|]. intro. apply postprocessing. trivial. }
    intros cs' Hl. destruct (H cs cs' Hl) as (C & D & H1 & H2 & H3).
    apply (close_parts _ _ _ C D); trivial; apply all_stay_in.
  Qed.

  Hypothesis HT : (0 <= T)%Z.

  (** What c' may come out as. *)
  Definition may (c' : Z) (o : option Z) := match o with None => true | Some y => negb (c' =? 0)%Z && near_to limit c' y end.
  (** Values of a key that both have, far enough up that all that the other cannot give is above the threshold. *)
  Definition telling := Forall2 (fun c c' => c = 0 \/ c' = 0 \/ (c' <= c /\ T <= c' + Z.of_nat limit) \/
    (c <= c' /\ T < c - Z.of_nat limit))%Z.

  Lemma truncated_ext c f g : bounded f -> bounded g -> (forall y, near_to limit c y = true -> f y = g y) ->
    truncated q limit c f = truncated q limit c g.
  Proof.
    intros Hf Hg H. unfold truncated. rewrite !given_is by (apply inside_pos; trivial). f_equal.
    apply E_ext; [apply bounded_event; trivial|]. intro y. unfold event. destruct (near_to limit c y) eqn:E; [rewrite H; trivial|ring].
  Qed.

  Lemma cut_entry_may c c' : (c = 0 \/ c' = 0 \/ (c' <= c /\ T <= c' + Z.of_nat limit) \/
    (c <= c' /\ T < c - Z.of_nat limit))%Z -> Pr (cut_entry q limit T c) (may c') = stays q limit T c c'.
  Proof.
    intro H. unfold stays. destruct (Z.eqb_spec c 0) as [->|H0]; [unfold Pr, event; simpl; trivial|].
    destruct (Z.eqb_spec c' 0) as [->|H0'].
    - unfold Pr. ext. intros [y|]; unfold event; simpl; trivial.
    - unfold cut_entry, meets. destruct (Z.eqb_spec c 0); [tauto|]. unfold Pr. cbn [bind ret E].
      apply truncated_ext; [apply test_bounded; intro; apply test_event|auto with law|]. intros y Hy.
      unfold near_to in Hy. apply Z.leb_le in Hy. unfold event. rewrite keep_above by trivial.
      destruct (Z.ltb_spec T y); cbn [may].
      + destruct (Z.eqb_spec c' 0); [tauto|]. cbn [negb andb]. trivial.
      + unfold near_to. destruct (Z.leb_spec (Z.abs (y - c')) (Z.of_nat limit)); [trivial|lia].
  Qed.

  Fixpoint all_may (cs' : list Z) (ys : list (option Z)) : bool :=
    match cs', ys with c' :: cs', y :: ys => may c' y && all_may cs' ys | [], [] => true | _, _ => false end.

  Lemma cut_release_may cs cs' : Forall2 (fun c c' => Pr (cut_entry q limit T c) (may c') = stays q limit T c c') cs cs' ->
    Pr (cut_release q limit T cs) (all_may cs') = all_stay q limit T cs cs'.
  Proof.
    induction 1 as [|c c' cs cs' Hc H IH]; [unfold Pr, event; simpl; trivial|].
    unfold Pr in *. cbn [cut_release all_stay bind ret E].
    transitivity (cut_entry q limit T c (fun y => all_stay q limit T cs cs' * event (may c') y + 0)).
    - apply E_ext; [apply test_bounded; intro; apply E_test; intro; apply test_event|]. intro y.
      rewrite <- IH, Rplus_0_r. unfold event at 1 3. cbn [all_may]. destruct (may c' y); cbn [andb].
      + rewrite Rmult_1_r. reflexivity.
      + rewrite Rmult_0_r. apply E_const.
    - rewrite E_affine by auto with law. rewrite Hc. ring.
  Qed.

  Lemma cut_entry_own c : Pr (cut_entry q limit T c) (may c) = 1.
  Proof.
    destruct (Z.eq_dec c 0) as [->|H0]; [unfold Pr, event; simpl; trivial|].
    apply Rle_antisym; [apply E_test, test_event|]. rewrite <- (meets_self q limit c Hq). unfold meets, Pr, cut_entry.
    destruct (Z.eqb_spec c 0); [tauto|]. cbn [bind ret E]. apply E_le; [auto with law|apply test_bounded; intro; apply test_event|].
    intro y. unfold event. rewrite keep_above by trivial. destruct (T <? y)%Z; cbn [may].
    - destruct (Z.eqb_spec c 0); [tauto|]. simpl. lra.
    - destruct (near_to limit c y); lra.
  Qed.

  (** No smaller delta will do, at any epsilon, where what the other cannot give is above the threshold. *)
  Theorem cut_release_tight eps delta cs cs' : telling cs cs' ->
    close eps delta (cut_release q limit T cs) (cut_release q limit T cs') -> 1 - all_stay q limit T cs cs' <= delta.
  Proof.
    intros Ht H.
    assert (forall P : law (list (option Z)), Pr P (fun ys => negb (all_may cs' ys)) = 1 - Pr P (all_may cs')) as Hn.
    { intro P. unfold Pr. replace (1 - P (event (all_may cs'))) with (-1 * P (event (all_may cs')) + 1) by ring.
      rewrite <- E_affine by auto with law. ext. intro ys. unfold event. destruct (all_may cs' ys); simpl; lra. }
    assert (Pr (cut_release q limit T cs') (all_may cs') = 1) as H1.
    { clear - Hq HT. induction cs' as [|c ds IH]; [unfold Pr, event; simpl; trivial|]. unfold Pr in *. cbn [cut_release bind ret E].
      rewrite <- (cut_entry_own c). unfold Pr.
      apply E_ext; [apply test_bounded; intro; apply E_test; intro; apply test_event|]. intro y.
      destruct (may c y) eqn:E.
      - replace (event (may c) y) with 1 by (unfold event; rewrite E; trivial).
        rewrite <- IH. ext. intro ys. unfold event. cbn [all_may]. rewrite E. trivial.
      - replace (event (may c) y) with 0 by (unfold event; rewrite E; trivial).
        rewrite <- (E_const (cut_release q limit T ds) 0). ext. intro ys. unfold event. cbn [all_may]. rewrite E. trivial. }
    apply least_delta with (A := fun ys => negb (all_may cs' ys)) in H; rewrite Hn, ?H1 in *; [|ring].
    rewrite cut_release_may in H; trivial. clear - Hq HT Ht. induction Ht; constructor; trivial. apply cut_entry_may; trivial.
  Qed.

  (** How likely a key is shown: the tail of the noise, from T + 1 - c on. *)
  Theorem cut_shown c : c <> 0%Z -> (c <= T < c + Z.of_nat limit)%Z ->
    Pr (cut_entry q limit T c) is_some = 1 - meets q limit c (T - Z.of_nat limit).
  Proof.
    intros H0 Hc. unfold meets, Pr. replace (1 - truncated q limit c (event (near_to limit (T - Z.of_nat limit))))
      with (-1 * truncated q limit c (event (near_to limit (T - Z.of_nat limit))) + 1) by ring.
    rewrite <- E_affine by auto with law. unfold cut_entry. destruct (Z.eqb_spec c 0); [tauto|]. cbn [bind ret E].
    apply truncated_ext; [apply test_bounded; intro; apply test_event|
      exists 1; intro y; pose proof (test_event (near_to limit (T - Z.of_nat limit)) y); lra|].
    intros y Hy. unfold near_to in Hy. apply Z.leb_le in Hy. unfold event. rewrite keep_above by trivial. unfold near_to.
    destruct (Z.ltb_spec T y), (Z.leb_spec (Z.abs (y - (T - Z.of_nat limit))) (Z.of_nat limit)); simpl; lra || lia.
  Qed.
End Threshold.

(** ** In terms of distances *)

(** How likely noise on a value c within a distance of 0 stays at or below an end. *)
Definition below_end q limit (last c : Z) : R := Pr (truncated q limit 0) (fun z => z <=? last - c)%Z.
Fixpoint all_below q limit (last : Z) (ks : list Z) : R :=
  match ks with [] => 1 | c :: ks => below_end q limit last (Z.abs c) * all_below q limit last ks end.
(** The differences that are not 0. *)
Fixpoint apart (cs cs' : list Z) : list Z :=
  match cs, cs' with
  | c :: cs, c' :: cs' => if (c =? c')%Z then apart cs cs' else (c - c')%Z :: apart cs cs'
  | _, _ => []
  end.

Section Distances.
  Variables (q : R) (limit : nat) (T : Z).
  Hypotheses (Hq : 0 < q < 1) (HT : (0 <= T)%Z).
  Let last := Z.min (Z.of_nat limit) T.

  Lemma truncated_shift c f : bounded f -> truncated q limit c f = truncated q limit 0 (fun z => f (c + z)%Z).
  Proof.
    intro Hf. unfold truncated. rewrite !given_is by (apply inside_pos; trivial). rewrite (inside_is q limit Hq c 0). f_equal.
    cbn [noisy bind ret E]. apply E_ext; [destruct Hf as [M HM]; exists M; intro z; specialize (HM (c + z)%Z);
      unfold event; destruct (near_to limit c (c + z)); lra|].
    intro z. unfold event, near_to. replace (c + z - c)%Z with (0 + z - 0)%Z by lia. trivial.
  Qed.

  Lemma truncated_mirror f : bounded f -> truncated q limit 0 f = truncated q limit 0 (fun z => f (- z)%Z).
  Proof.
    intro Hf. unfold truncated. rewrite !given_is by (apply inside_pos; trivial). f_equal.
    rewrite (noisy_mirror q Hq 0 0) by (apply bounded_event; trivial).
    apply E_ext; [destruct Hf as [M HM]; exists M; intro z; specialize (HM (0 + 0 - z)%Z);
      unfold event; destruct (near_to limit 0 (0 + 0 - z)); lra|].
    intro z. unfold event, near_to. replace (0 + 0 - z)%Z with (- z)%Z by lia.
    replace (Z.abs (- z - 0)) with (Z.abs (z - 0)) by lia. trivial.
  Qed.

  Lemma truncated_test_le f g : test f -> test g -> (forall z, near_to limit 0 z = true -> f z <= g z) ->
    truncated q limit 0 f <= truncated q limit 0 g.
  Proof.
    intros Hf Hg H. unfold truncated. rewrite !given_is by (apply inside_pos; trivial).
    apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, inside_pos; trivial|].
    apply E_le; auto with law. intro z. unfold event. destruct (near_to limit 0 z) eqn:E; [specialize (H z E)|]; lra.
  Qed.

  (** Whatever two values differ by, they stay together at least so likely. *)
  Lemma stays_below c c' : c <> c' -> below_end q limit last (Z.abs (c - c')) <= stays q limit T c c'.
  Proof.
    intro Hne. unfold stays, below_end, Pr. destruct (Z.eqb_spec c 0) as [H0|H0]; [apply E_test, test_event|].
    destruct (Z.eqb_spec c' 0) as [->|H0'].
    - unfold cut_entry. destruct (Z.eqb_spec c 0); [tauto|]. cbn [bind ret E].
      rewrite (truncated_shift c) by (apply test_bounded; intro; apply test_event).
      apply truncated_test_le; [apply test_event|intro; apply test_event|]. intros z _. unfold event.
      rewrite keep_above by trivial. unfold last. destruct (Z.leb_spec z (Z.min (Z.of_nat limit) T - Z.abs (c - 0)));
        destruct (Z.ltb_spec T (c + z)); simpl; lra || lia.
    - unfold meets, Pr. rewrite (truncated_shift c) by auto with law. unfold last. destruct (Z.lt_ge_cases c' c).
      + apply truncated_test_le; [apply test_event|intro; apply test_event|]. intros z Hz. unfold near_to in Hz.
        apply Z.leb_le in Hz. unfold event, near_to.
        destruct (Z.leb_spec z (Z.min (Z.of_nat limit) T - Z.abs (c - c'))),
          (Z.leb_spec (Z.abs (c + z - c')) (Z.of_nat limit)); lra || lia.
      + rewrite truncated_mirror by auto with law.
        apply truncated_test_le; [intro; apply test_event|intro; apply test_event|]. intros z Hz. unfold near_to in Hz.
        apply Z.leb_le in Hz. unfold event, near_to.
        destruct (Z.leb_spec (- z) (Z.min (Z.of_nat limit) T - Z.abs (c - c'))),
          (Z.leb_spec (Z.abs (c + z - c')) (Z.of_nat limit)); lra || lia.
  Qed.

  Lemma all_stay_below cs : forall cs', all_below q limit last (apart cs cs') <= all_stay q limit T cs cs'.
  Proof.
    induction cs as [|c cs IH]; intros [|c' cs']; simpl; try lra. specialize (IH cs').
    pose proof (all_stay_in q limit T cs cs'). pose proof (stays_in q limit T c c').
    destruct (Z.eqb_spec c c') as [->|Hne].
    - replace (stays q limit T c' c') with 1; [lra|]. unfold stays. destruct (c' =? 0)%Z; [trivial|symmetry; apply meets_self; trivial].
    - cbn [all_below]. pose proof (stays_below c c' Hne). assert (0 <= below_end q limit last (Z.abs (c - c'))) by apply E_test, test_event.
      assert (forall ks, 0 <= all_below q limit last ks) as Hk.
      { induction ks as [|k ks IHk]; cbn [all_below]; [lra|]. apply Rmult_le_pos; [apply E_test, test_event|trivial]. }
      apply Rmult_le_compat; auto.
  Qed.

  Lemma apart_packing a0 a1 ai cs cs' : near a0 a1 ai cs cs' -> packing a0 a1 ai (apart cs cs').
  Proof.
    intros [[H0 H1] H].
    assert (length (apart cs cs') <= l0 cs cs' /\ size (apart cs cs') <= l1 cs cs')%nat as [] by
      (clear; revert cs'; induction cs as [|c cs IH]; intros [|c' cs']; simpl; try lia; specialize (IH cs');
       destruct (Z.eqb_spec c c'); simpl; lia).
    repeat split; try lia. clear - H. induction H as [|c c' cs cs' Hc H IH]; simpl; [constructor|].
    destruct (Z.eqb_spec c c'); trivial. constructor; trivial. lia.
  Qed.

  (** Private between maps within a distance, whichever keys they have, with the greatest delta over the packings. *)
  Theorem cut_release_dp a0 a1 ai delta :
    (forall ks, packing a0 a1 ai ks -> 1 - all_below q limit last ks <= delta) ->
    dp (near a0 a1 ai) (INR a1 * - ln q) delta (cut_release q limit T).
  Proof.
    intros Hd cs cs' H. pose proof (near_sym _ _ _ _ _ H) as H'.
    assert (length cs = length cs') as Hl by (destruct H as [_ H]; clear - H; induction H; simpl; auto).
    pose proof (Hd _ (apart_packing _ _ _ _ _ H)). pose proof (Hd _ (apart_packing _ _ _ _ _ H')).
    pose proof (all_stay_below cs cs'). pose proof (all_stay_below cs' cs).
    apply (close_weaken (INR (common cs cs') * - ln q) (Rmax (1 - all_stay q limit T cs cs') (1 - all_stay q limit T cs' cs)));
      [|apply Rmax_lub; lra|apply cut_release_close; trivial].
    apply Rmult_le_compat_r; [assert (ln q < ln 1) by (apply ln_increasing; lra); rewrite ln_1 in *; lra|].
    apply le_INR. destruct H as [[_ Hs] _]. apply Nat.le_trans with (2 := Hs).
    clear. revert cs'; induction cs as [|c cs IH]; intros [|c' cs']; simpl; try lia. specialize (IH cs').
    destruct ((c =? 0)%Z || (c' =? 0)%Z); lia.
  Qed.
  Lemma least_by (u v : Z -> Z) a0 a1 ai eps delta ks : (forall k, (1 <= Z.abs k)%Z ->
    telling limit T [u k] [v k] /\ stays q limit T (u k) (v k) = below_end q limit last (Z.abs k) /\
    Z.abs (u k - v k) = Z.abs k) -> packing a0 a1 ai ks ->
    dp (near a0 a1 ai) eps delta (cut_release q limit T) -> 1 - all_below q limit last ks <= delta.
  Proof.
    intros H [[P0 P1] P] Hd.
    assert (telling limit T (map u ks) (map v ks) /\ all_stay q limit T (map u ks) (map v ks) = all_below q limit last ks /\
      (l0 (map u ks) (map v ks) <= length ks)%nat /\ l1 (map u ks) (map v ks) = size ks /\
      Forall2 (fun c c' => Z.abs (c - c') <= ai)%Z (map u ks) (map v ks)) as (K1 & K2 & K3 & K4 & K5).
    { clear - H P. induction P as [|k ks Hk P IH]; simpl; [repeat split; try constructor; trivial|].
      destruct IH as (I1 & I2 & I3 & I4 & I5). destruct (H k ltac:(lia)) as (G1 & G2 & G3).
      inversion_clear G1. repeat split.
      - constructor; trivial.
      - rewrite I2, G2. trivial.
      - destruct (u k =? v k)%Z; lia.
      - rewrite I4. f_equal. lia.
      - constructor; trivial. lia. }
    rewrite <- K2. apply (cut_release_tight q limit T Hq HT eps); trivial. apply Hd. repeat split; trivial; lia.
  Qed.

  (** And no smaller delta, at any epsilon: new keys tell it if the threshold is within the limit, and common ones else. *)
  Theorem cut_release_least a0 a1 ai eps delta : dp (near a0 a1 ai) eps delta (cut_release q limit T) ->
    forall ks, packing a0 a1 ai ks -> 1 - all_below q limit last ks <= delta.
  Proof.
    intros Hd ks Hk. destruct (Z.le_gt_cases T (Z.of_nat limit)) as [HL|HL].
    - apply (least_by Z.abs (fun _ => 0%Z) a0 a1 ai eps delta ks); trivial. intros k H1. repeat split; [|..|lia].
      + constructor; [|constructor]. tauto.
      + unfold stays, cut_entry, below_end, Pr. destruct (Z.eqb_spec (Z.abs k) 0); [lia|]. rewrite Z.eqb_refl. cbn [bind ret E].
        rewrite (truncated_shift (Z.abs k)) by (apply test_bounded; intro; apply test_event).
        apply E_ext; [apply test_bounded; intro; apply test_event|]. intro z. unfold event. rewrite keep_above by trivial.
        unfold last. destruct (Z.ltb_spec T (Z.abs k + z)), (Z.leb_spec z (Z.min (Z.of_nat limit) T - Z.abs k)); simpl; trivial; lia.
    - apply (least_by (fun k => T + 1 + Z.abs k)%Z (fun _ => T + 1)%Z a0 a1 ai eps delta ks); trivial. intros k H1.
      repeat split; [|..|lia].
      + constructor; [|constructor]. lia.
      + unfold stays, meets, below_end, Pr. destruct (Z.eqb_spec (T + 1 + Z.abs k) 0), (Z.eqb_spec (T + 1) 0); try lia.
        rewrite (truncated_shift (T + 1 + Z.abs k)) by auto with law.
        apply (truncated_ext q limit Hq); [apply test_bounded; intro; apply test_event|auto with law|]. intros z Hz.
        unfold near_to in Hz. apply Z.leb_le in Hz. unfold event, near_to, last.
        destruct (Z.leb_spec (Z.abs (T + 1 + Z.abs k + z - (T + 1))) (Z.of_nat limit)),
          (Z.leb_spec z (Z.min (Z.of_nat limit) T - Z.abs k)); trivial; lia.
  Qed.
End Distances.

(** That is the tail that the marked lines compute. *)
Theorem truncated_shown_is s limit T c : truncated_scale s -> s <> 0 -> c <> 0%Z -> (0 <= T)%Z ->
  (c <= T < c + Z.of_nat limit)%Z -> Pr (cut_entry (exp (- / s)) limit T c) is_some =
  truncated_tail (IZR (T + 1 - c)) s (INR limit) (truncated_whole s (INR limit)).
Proof.
  intros Hs H0 Hc HT H. assert (0 < exp (- / s) < 1) as Hq.
  { assert (0 < s) by (unfold truncated_scale in Hs; lra). split; [apply exp_pos|].
    rewrite <- exp_0. apply exp_increasing. pose proof (Rinv_0_lt_compat s). lra. }
  rewrite cut_shown by trivial. set (k := Z.to_nat (c - T + Z.of_nat limit)).
  replace (T - Z.of_nat limit)%Z with (c - Z.of_nat k)%Z by (unfold k; lia).
  rewrite truncated_tail_is by (trivial; unfold k; lia). f_equal. rewrite INR_IZR_INZ. f_equal. unfold k. lia.
Qed.
