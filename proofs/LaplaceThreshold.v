(** Laplace noise and a threshold: epsilon is least on keys that both maps have, and delta falls with the threshold.
  *)
From Coq Require Import ZArith Reals Lra Lia List Bool.
From Discreet Require Import Law Laplace KeepAbove Packing.
Import ListNotations.
Open Scope R_scope.

(** An event that is n powers of q likelier tells as much. *)
Lemma least_power q n a eps : 0 < q < 1 -> 0 < a -> a * q ^ 0 <= exp eps * (a * q ^ n) + 0 -> INR n * - ln q <= eps.
Proof.
  intros Hq Ha H. assert (0 < q ^ n) as Hp by (apply pow_lt; lra). replace (INR n * - ln q) with (ln (/ q ^ n))
    by (rewrite ln_Rinv by trivial; rewrite <- Rpower_pow by lra; unfold Rpower; rewrite ln_exp; ring).
  apply ln_le_exp; [apply Rinv_0_lt_compat; trivial|]. apply Rmult_le_reg_r with (1 := Hp). rewrite Rinv_l by lra.
  apply Rmult_le_reg_l with (1 := Ha). simpl pow in H. lra.
Qed.

(** ** Keys that both maps have: exactly what the noise loses *)

Definition same_keys := Forall2 (fun c c' => c = 0 <-> c' = 0)%Z.

Theorem common_close q T cs cs' : 0 < q < 1 -> same_keys cs cs' ->
  close (INR (l1 cs cs') * - ln q) 0 (release q T cs) (release q T cs').
Proof.
  intros Hq H. induction H as [|c c' cs cs' Hc H IH]; cbn [release l1].
  - simpl. rewrite Rmult_0_l. apply close_refl.
  - rewrite plus_INR, Rmult_plus_distr_r. replace 0 with (0 + 0) by ring.
    apply composition with (K := fun y => ys <- release q T cs ;; ret (y :: ys)); [|intro y;
      apply postprocessing, IH].
    unfold entry. destruct (Z.eqb_spec c 0) as [E|E], (Z.eqb_spec c' 0) as [E'|E']; try tauto.
    + subst. simpl. rewrite Rmult_0_l. apply close_refl.
    + apply postprocessing, noisy_dp; trivial. lia.
Qed.

Local Lemma option_dec (a b : option Z) : {a = b} + {a <> b}.
Proof. decide equality. apply Z.eq_dec. Qed.
Definition exactly (ys ys' : list (option Z)) := if list_eq_dec option_dec ys ys' then true else false.

(** How likely it is that all keys are released with given values, each past the threshold. *)
Lemma release_values q T cs : Forall (fun c => c <> 0)%Z cs -> forall vs, Forall (fun v => keep T v = Some v) vs ->
  length cs = length vs ->
  Pr (release q T cs) (exactly (map Some vs)) = Pr (noisies q cs) (these vs).
Proof.
  induction 1 as [|c cs Hc H IH]; intros vs Hv Hl; destruct Hv as [|v vs Hv Hvs]; simpl in Hl; try discriminate.
  - unfold Pr, event, these; simpl. trivial.
  - specialize (IH vs Hvs ltac:(lia)). unfold Pr in *. cbn [release noisies bind ret E]. unfold entry.
    destruct (Z.eqb_spec c 0); [tauto|]. cbn [bind ret E]. apply E_ext; [apply test_bounded; intro; apply E_test;
      intro; apply test_event|]. intro y.
    destruct (Z.eq_dec v y) as [<-|Hy].
    + rewrite Hv. transitivity (release q T cs (event (exactly (map Some vs)))).
      * ext. intro ys. unfold event, exactly. destruct (list_eq_dec _ (map Some (v :: vs)) (Some v :: ys)),
        (list_eq_dec _ (map Some vs) ys); trivial; simpl in *; congruence.
      * rewrite IH. ext. intro ys. unfold event, these. destruct (list_eq_dec _ (v :: vs) (v :: ys)), (list_eq_dec _
        vs ys); trivial; congruence.
    + transitivity 0; [|symmetry].
      * rewrite <- (E_const (release q T cs) 0). ext. intro ys. unfold event, exactly.
        destruct (list_eq_dec _ _ _) as [E|]; trivial. simpl in E.
        injection E as E _. exfalso. apply Hy. unfold keep in E. destruct (if (0 <=? T)%Z then _ else _); congruence.
      * rewrite <- (E_const (noisies q cs) 0). ext. intro ys. unfold event, these. destruct (list_eq_dec _ _ _);
        trivial. congruence.
Qed.

(** A distance a1 over a0 keys, at most ai each. *)
Lemma spread_out a0 : forall a1 ai, (a1 <= a0 * ai)%nat ->
  exists ds, length ds = a0 /\ whole ds = a1 /\ Forall (fun d => d <= ai)%nat ds.
Proof.
  induction a0 as [|a0 IH]; intros a1 ai H; [exists []; simpl in *; repeat split; trivial; unfold whole; simpl; lia|].
  destruct (IH (a1 - Nat.min a1 ai)%nat ai) as (ds & Hl & Hw & Hd); [simpl in H; lia|].
  exists (Nat.min a1 ai :: ds). repeat split; [simpl; lia| |constructor; trivial; lia].
  unfold whole in *. simpl. lia.
Qed.

Definition common_near a0 a1 ai cs cs' := near a0 a1 ai cs cs' /\ same_keys cs cs'.

Theorem keep_above_common_dp q T a0 a1 ai : 0 < q < 1 -> dp (common_near a0 a1 ai) (INR a1 * - ln q) 0 (release q T).
Proof.
  intros Hq cs cs' [[[_ H1] _] H]. eapply close_weaken; [| |apply common_close; eassumption]; [|lra].
  apply Rmult_le_compat_r; [|apply le_INR; trivial]. assert (ln q < ln 1) by (apply ln_increasing; lra).
    rewrite ln_1 in *. lra.
Qed.

Theorem keep_above_common_tight q T a0 a1 ai eps : 0 < q < 1 -> (a1 <= a0 * ai)%nat ->
  dp (common_near a0 a1 (Z.of_nat ai)) eps 0 (release q T) -> INR a1 * - ln q <= eps.
Proof.
  intros Hq Ha H. destruct (spread_out a0 a1 ai Ha) as (ds & Hl & Hw & Hd).
  set (up d := if (0 <=? T)%Z then (T + 1 + Z.of_nat d)%Z else (T - 1 - Z.of_nat d)%Z).
  assert (forall d, up d <> 0%Z /\ keep T (up d) = Some (up d)) as Hup.
  { intro d. unfold up, keep. destruct (Z.leb_spec 0 T); [destruct (Z.ltb_spec T (T + 1 +
    Z.of_nat d))|destruct (Z.ltb_spec (T - 1 - Z.of_nat d) T)]; split; trivial; lia. }
  set (cs := map up ds). set (cs' := map (fun _ => up 0%nat) ds).
  assert (length cs = length ds /\ length cs' = length ds) as [Lc Lc'] by (unfold cs, cs'; rewrite !map_length; auto).
  assert (forall ds (g : nat -> nat), Forall (fun c => c <> 0)%Z (map (fun d => up (g d)) ds)) as Hnz.
  { intros es g. apply Forall_forall. intros c Hc. apply in_map_iff in Hc as (d & <- & _). apply Hup. }
  assert (Forall (fun v => keep T v = Some v) cs) as Hv.
  { apply Forall_forall. intros c Hc. apply in_map_iff in Hc as (d & <- & _). apply Hup. }
  assert (l1 cs cs' = a1) as H1.
  { rewrite <- Hw. unfold cs, cs'. clear. induction ds as [|d ds IH]; simpl; trivial. rewrite IH. unfold up.
    destruct (0 <=? T)%Z; simpl; lia. }
  assert (close eps 0 (release q T cs) (release q T cs')) as Hc.
  { apply H. split; [split; [split|]|].
    - rewrite <- Hl. unfold cs, cs'. clear. induction ds as [|d ds IH]; simpl; trivial. destruct (_ =? _)%Z; lia.
    - lia.
    - unfold cs, cs'. clear - Hd. induction Hd as [|d ds Hd H IH]; simpl; constructor; trivial. unfold up.
      destruct (0 <=? T)%Z; lia.
    - unfold cs, cs'. clear - Hup. induction ds as [|d ds IH]; simpl; constructor; trivial. pose proof (Hup d);
      pose proof (Hup 0%nat). tauto. }
  rewrite <- H1. pose proof (noisies_law q cs Hq cs eq_refl) as P1.
    pose proof (noisies_law q cs' Hq cs ltac:(lia)) as P2.
  assert (forall xs, l1 xs xs = 0%nat) as Hz by (induction xs as [|x xs IH]; simpl; lia). rewrite Hz in P1.
    rewrite Lc in P1. rewrite Lc' in P2.
  rewrite <- (release_values q T) with (vs := cs) in P1 by (trivial; apply (Hnz ds (fun d => d))).
  rewrite <- (release_values q T) with (vs := cs) in P2 by (trivial; apply (Hnz ds (fun _ => 0%nat)) || lia).
  apply close_events with (A := exactly (map Some cs)) in Hc. rewrite P1, P2 in Hc.
  exact (least_power q _ _ eps Hq (pow_lt _ (length ds) (Rdiv_lt_0_compat (1 - q) (1 + q) ltac:(lra) ltac:(lra))) Hc).
Qed.

(** ** The least threshold *)

(** Raising the threshold by j divides every surprise by the j-th power, at least. *)
Lemma exp_convex t x : 0 <= t <= 1 -> exp (t * x) <= 1 - t + t * exp x.
Proof.
  intro Ht. pose proof (exp_pos (t * x)). pose proof (exp_ineq1_le (x - t * x)) as H1.
    pose proof (exp_ineq1_le (- (t * x))) as H2.
  assert (exp x = exp (t * x) * exp (x - t * x)) as -> by (rewrite <- exp_plus; f_equal; ring).
  assert (exp (t * x) * exp (- (t * x)) = 1) as H3 by (rewrite <- exp_plus, Rplus_opp_r, exp_0; trivial).
  set (a := exp (t * x)) in *. set (b := exp (x - t * x)) in *. set (c := exp (- (t * x))) in *. clearbody a b c.
  assert (a * (1 - t * x) <= 1) by nra. assert (a * (1 + (x - t * x)) <= a * b) by nra. nra.
Qed.

Theorem surprise_falls q T j c : 0 < q < 1 -> (Z.of_nat c <= T)%Z ->
  surprise q (T + Z.of_nat j) c <= q ^ j * surprise q T c.
Proof.
  intros Hq Hc. unfold surprise. assert (shown q (T + Z.of_nat j) (Z.of_nat c) = q ^ j * shown q T (Z.of_nat c)) as
    ->.
  { unfold shown. replace (Z.to_nat (T + Z.of_nat j - Z.of_nat c + 1)) with (j + Z.to_nat (T - Z.of_nat c +
    1))%nat by lia.
    rewrite pow_add. field. lra. }
  assert (0 < shown q T (Z.of_nat c) < 1) as Hs.
  { unfold shown. assert (0 < q ^ Z.to_nat (T - Z.of_nat c + 1)) by (apply pow_lt; lra).
    assert (q ^ Z.to_nat (T - Z.of_nat c + 1) <= 1) by (rewrite <- (pow1 (Z.to_nat (T - Z.of_nat c + 1)));
      apply pow_incr; lra).
    split; [apply Rdiv_lt_0_compat; lra|]. apply Rmult_lt_reg_r with (1 + q); [lra|]. unfold Rdiv;
      rewrite Rmult_assoc, Rinv_l; lra. }
  set (s := shown q T (Z.of_nat c)) in *. clearbody s.
  assert (0 < q ^ j <= 1) as Ht by (split; [apply pow_lt; lra|rewrite <- (pow1 j); apply pow_incr; lra]).
    set (t := q ^ j) in *. clearbody t.
  pose proof (exp_convex t (ln (1 - s)) ltac:(lra)) as H. rewrite exp_ln in H by lra.
  assert (t * ln (1 - s) <= ln (1 - t * s)); [|lra]. rewrite <- (ln_exp (t * ln (1 - s))).
  pose proof (exp_pos (t * ln (1 - s))). replace (1 - t + t * (1 - s)) with (1 - t * s) in H by ring.
  destruct H as [H|H]; [left; apply ln_increasing; trivial|rewrite H; lra].
Qed.

(** So a step that divides the tail by what the surprise is too large by is far enough, and one below is not. *)
Theorem threshold_steps q T j ks : 0 < q < 1 -> Forall (fun c => Z.of_nat c <= T)%Z ks ->
  sum ks (surprise q (T + Z.of_nat j)) <= q ^ j * sum ks (surprise q T).
Proof.
  intros Hq H. induction H as [|c ks Hc H IH]; simpl; [lra|]. pose proof (surprise_falls q T j c Hq Hc). lra.
Qed.

(** Delta falls with the threshold: what is enough stays enough. *)
Theorem delta_falls q T T' a0 a1 ai delta : 0 < q < 1 -> (ai <= Z.abs T <= Z.abs T')%Z -> (0 <= ai)%Z ->
  (exists eps, dp (near a0 a1 ai) eps delta (release q T)) ->
    dp (near a0 a1 ai) (INR a1 * - ln q) delta (release q T').
Proof.
  intros Hq Hai Hai0 [eps H]. apply keep_above_dp; trivial; [lia|]. intros ks Hk.
  assert (1 - hide q (Z.abs T) ks <= delta) as Hd by (apply (keep_above_tight q T a0 a1 ai eps); trivial; lia).
  eapply Rle_trans; [|exact Hd]. destruct Hk as [_ Hk]. clear - Hq Hai Hk.
  enough (0 <= hide q (Z.abs T) ks <= hide q (Z.abs T') ks) by lra.
  induction Hk as [|c ks Hc Hk IH]; simpl; [lra|].
  pose proof (shown_in q (Z.abs T) Hq c ltac:(lia)). pose proof (shown_in q (Z.abs T') Hq c ltac:(lia)).
  assert (shown q (Z.abs T') c <= shown q (Z.abs T) c).
  { unfold shown. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|].
    replace (Z.to_nat (Z.abs T' - c + 1)) with (Z.to_nat (Z.abs T - c + 1) + Z.to_nat (Z.abs T' - Z.abs T))%nat by
      lia. rewrite pow_add.
    assert (0 < q ^ Z.to_nat (Z.abs T - c + 1)) by (apply pow_lt; lra).
    assert (q ^ Z.to_nat (Z.abs T' - Z.abs T) <= 1) by (rewrite <- (pow1 (Z.to_nat (Z.abs T' - Z.abs T)));
      apply pow_incr; lra). nra. }
  nra.
Qed.
