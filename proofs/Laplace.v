(** Discrete Laplace noise, made as the samplers make it: a geometric variable and a coin. *)
From Coq Require Import ZArith Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Discreet Require Import Law Words.
Import ListNotations.
Open Scope R_scope.

(** ** The geometric law: the only series in this development *)

Definition ratio q := if Rle_dec 0 q then if Rlt_dec q 1 then q else 0 else 0.
Lemma ratio_in q : 0 <= ratio q < 1.
Proof. unfold ratio; destruct (Rle_dec 0 q), (Rlt_dec q 1); lra. Qed.
Lemma ratio_id q : 0 <= q < 1 -> ratio q = q.
Proof. unfold ratio; destruct (Rle_dec 0 q), (Rlt_dec q 1); lra. Qed.

Lemma geom_sums q f : 0 <= q < 1 -> bounded f -> ex_series (fun k => q ^ k * f k).
Proof.
  intros Hq [M HM]. apply (ex_series_le (V := R_CompleteNormedModule) _ (fun k => q ^ k * Rabs M)).
  - intro k. change (Rabs (q ^ k * f k) <= q ^ k * Rabs M).
    rewrite Rabs_mult, (Rabs_pos_eq (q ^ k)) by (apply pow_le; lra).
    apply Rmult_le_compat_l; [apply pow_le; lra|]. specialize (HM k). apply Rabs_le. pose proof (Rle_abs M).
      lra.
  - apply (ex_series_scal_r (Rabs M) (fun k => q ^ k)), ex_series_geom. rewrite Rabs_pos_eq; lra.
Qed.

Definition geometric (q : R) : law nat.
Proof.
  pose proof (ratio_in q) as Hq.
  refine (Law (fun f => (1 - ratio q) * Series (fun k => ratio q ^ k * f k)) _ _ _).
  - intros a b f g Hf Hg.
    rewrite (Series_ext _ (fun k => a * (ratio q ^ k * f k) + b * (ratio q ^ k * g k))) by (intro; ring).
    rewrite Series_plus, !Series_scal_l; [ring|apply (ex_series_scal_l a (fun k => ratio q ^ k * f k))|apply
      (ex_series_scal_l b (fun k => ratio q ^ k * g k))]; apply geom_sums; trivial.
  - intros f g Hf Hg H. apply Rmult_le_compat_l; [lra|].
    assert (0 <= Series (fun k => ratio q ^ k * g k + -1 * (ratio q ^ k * f k))) as K.
    { rewrite <- (Rmult_0_l (Series (fun k => ratio q ^ k))), <- Series_scal_l. apply Series_le.
      - intro k. rewrite Rmult_0_l. split; [lra|]. pose proof (pow_le (ratio q) k). specialize (H k). nra.
      - apply (ex_series_plus (fun k => ratio q ^ k * g k));
        [|apply (ex_series_scal_l (-1) (fun k => ratio q ^ k * f k))]; apply geom_sums; trivial. }
    rewrite Series_plus, Series_scal_l in K; [lra| |apply (ex_series_scal_l (-1)
      (fun k => ratio q ^ k * f k))]; apply geom_sums; trivial.
  - rewrite (Series_ext _ (fun k => ratio q ^ k)) by (intro;
    ring). rewrite Series_geom by (rewrite Rabs_pos_eq; lra). field; lra.
Defined.

(** It has no memory. This is all that is used of it. *)
Lemma geometric_memory q f : 0 <= q < 1 -> bounded f ->
  geometric q f = (1 - q) * f O + q * geometric q (fun k => f (S k)).
Proof.
  intros Hq Hf. simpl. rewrite ratio_id by trivial. rewrite Series_incr_1 by (apply geom_sums; trivial).
  rewrite (Series_ext _ (fun k => q * (q ^ k * f (S k)))) by (intro; simpl;
    ring). rewrite Series_scal_l. simpl; ring.
Qed.

Lemma geometric_tail q k : 0 <= q < 1 -> Pr (geometric q) (Nat.leb k) = q ^ k.
Proof.
  intro Hq. induction k as [|k IH]; unfold Pr in *.
  - simpl pow. rewrite <- (E_const (geometric q) 1). apply E_ext; auto with law.
  - rewrite geometric_memory by auto with law. simpl pow. rewrite <- IH. unfold event at 1; simpl Nat.leb.
    rewrite Rmult_0_r, Rplus_0_l. f_equal.
Qed.

(** ** The two-sided law *)

Definition laplace (q : R) : law Z :=
  minus <- flip (q / (1 + q)) ;; n <- geometric q ;; ret (if minus then -1 - Z.of_nat n else Z.of_nat n)%Z.

Definition noisy q (x : Z) : law Z := z <- laplace q ;; ret (x + z)%Z.

Section Laplace.
  Variable q : R.
  Hypothesis Hq : 0 < q < 1.

  Local Lemma coin_in : 0 <= q / (1 + q) <= 1.
  Proof.
    split; [apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]|].
    apply Rmult_le_reg_r with (1 + q); [lra|]. unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra.
  Qed.

  (** The law is symmetric. *)
  Theorem laplace_symmetric f : bounded f -> laplace q (fun z => f (- z)%Z) = laplace q f.
  Proof.
    intro Hb. assert (forall h : nat -> Z, bounded (fun n => f (h n))) as Hc by (destruct Hb as [M HM];
      exists M; intro; apply HM).
    pose proof coin_in. unfold laplace. cbn [bind E]. rewrite !flip_is by trivial. cbn [ret E].
    assert (forall h : nat -> Z, geometric q (fun n => f (h n)) = (1 - q) * f (h O) + q * geometric q
      (fun n => f (h (S n)))) as G
      by (intro h; apply (geometric_memory q (fun n => f (h n))); [lra|apply Hc]).
    assert (forall h h' : nat -> Z, (forall n,
      h n = h' n) -> geometric q (fun n => f (h n)) = geometric q (fun n => f (h' n))) as X
      by (intros h h' Hh; apply E_ext; [apply Hc|intro; rewrite Hh; trivial]).
    rewrite (G Z.of_nat), (G (fun n => (- Z.of_nat n)%Z)).
    rewrite (X (fun n => (- (-1 - Z.of_nat n))%Z) (fun n => Z.of_nat (S n))) by (intro; lia).
    rewrite (X (fun n => (- Z.of_nat (S n))%Z) (fun n => (-1 - Z.of_nat n)%Z)) by (intro; lia).
    simpl. field. lra.
  Qed.

  (** One step to the side costs at most 1/q, both ways: by memorylessness, and no sum is moved. *)
  Lemma step f : (forall z, 0 <= f z) -> bounded f ->
    q * laplace q f <= laplace q (fun z => f (1 + z)%Z) /\ q * laplace q (fun z => f (1 + z)%Z) <= laplace q f.
  Proof.
    intros Hf Hb. assert (forall h : nat -> Z, bounded (fun n => f (h n))) as Hc by (destruct Hb as [M HM];
      exists M; intro; apply HM).
    pose proof coin_in. unfold laplace. cbn [bind E]. rewrite !flip_is by trivial. cbn [ret E].
    set (up := geometric q (fun n => f (1 + Z.of_nat n)%Z)).
      set (down := geometric q (fun n => f (-1 - Z.of_nat n)%Z)).
    assert (geometric q (fun n => f (Z.of_nat n)) = (1 - q) * f 0%Z + q * up) as ->.
    { rewrite geometric_memory by (lra || apply (Hc Z.of_nat)). f_equal. f_equal. apply E_ext;
      [apply (Hc (fun n => Z.of_nat (S n)))|]. intro; f_equal; lia. }
    assert (geometric q (fun n => f (1 + (-1 - Z.of_nat n))%Z) = (1 - q) * f 0%Z + q * down) as ->.
    { rewrite geometric_memory by (lra || apply (Hc (fun n => (1 + (-1 - Z.of_nat n))%Z))). f_equal. f_equal.
      apply E_ext; [apply (Hc (fun n => (1 + (-1 - Z.of_nat (S n)))%Z))|]. intro; f_equal; lia. }
    assert (0 <= up) by (rewrite <- (E_const (geometric q) 0); apply E_le; auto with law).
    assert (0 <= down) by (rewrite <- (E_const (geometric q) 0); apply E_le; auto with law).
    specialize (Hf 0%Z). set (f0 := f 0%Z) in *.
    assert (forall A B, q / (1 + q) * A + (1 - q / (1 + q)) * B = (q * A + B) / (1 + q)) as R by (intros;
      field; lra).
    rewrite !R. unfold Rdiv. set (i := / (1 + q)). assert (0 < i) by (apply Rinv_0_lt_compat; lra).
    clearbody i up down f0. assert (0 < q * (1 - q)) by (apply Rmult_lt_0_compat;
      lra). assert (0 <= 1 - q * q) by lra.
    assert (0 <= q * down + (1 - q) * f0) by (apply Rplus_le_le_0_compat; apply Rmult_le_pos; lra).
    assert (0 <= i * ((1 - q * q) * up)) by (apply Rmult_le_pos; [|apply Rmult_le_pos]; lra).
    assert (0 <= i * ((1 - q * q) * (q * down + (1 - q) * f0))) by (apply Rmult_le_pos; [|apply Rmult_le_pos];
      lra).
    split; lra.
  Qed.

  Lemma noisy_step x : close (- ln q) 0 (noisy q x) (noisy q (x + 1)) /\ close (- ln q) 0 (noisy q (x + 1))
    (noisy q x).
  Proof.
    assert (exp (- ln q) = / q) as He by (rewrite exp_Ropp, exp_ln; lra).
    split; intros f Hf; rewrite He; cbn [noisy bind ret E];
      destruct (step (fun z => f (x + z)%Z)) as [H1 H2]; try (intro; apply Hf); try (apply test_bounded; intro;
        apply Hf);
      (assert (laplace q (fun z => f (x + (1 + z))%Z) = laplace q (fun z => f (x + 1 + z)%Z)) as K
        by (apply E_ext; [apply test_bounded; intro; apply Hf|intro; f_equal; lia]); rewrite K in *);
      (apply Rmult_le_reg_l with q; [lra|]); rewrite Rplus_0_r, <- Rmult_assoc, Rinv_r; lra.
  Qed.

  (** So d steps cost d of them. *)
  Theorem noisy_dp d : dp (fun x x' => Z.abs (x - x') <= Z.of_nat d)%Z (INR d * - ln q) 0 (noisy q).
  Proof.
    assert (0 < - ln q) as Hl by (assert (ln q < ln 1) by (apply ln_increasing; lra); rewrite ln_1 in *; lra).
    assert (forall d x, close (INR d * - ln q) 0 (noisy q x) (noisy q (x + Z.of_nat d)) /\ close
      (INR d * - ln q) 0 (noisy q (x + Z.of_nat d)) (noisy q x)) as H.
    { clear d. induction d as [|d IH]; intro x.
      - rewrite Z.add_0_r. simpl. rewrite Rmult_0_l. split; apply close_refl.
      - rewrite S_INR, Rmult_plus_distr_r, Rmult_1_l.
        replace (x + Z.of_nat (S d))%Z with (x + Z.of_nat d + 1)%Z by lia.
        destruct (IH x), (noisy_step (x + Z.of_nat d)). split; [|rewrite Rplus_comm]; eapply close_trans;
          eauto. }
    intros x x' Hx. destruct (H (Z.abs_nat (x - x')) x) as [H1 _], (H (Z.abs_nat (x - x')) x') as [_ H2].
    apply close_weaken with (e := INR (Z.abs_nat (x - x')) * - ln q) (d := 0); try lra.
    - apply Rmult_le_compat_r; [lra|]. apply le_INR. lia.
    - destruct (Z.le_ge_cases x x').
      + replace (x + Z.of_nat (Z.abs_nat (x - x')))%Z with x' in H1 by lia. trivial.
      + replace (x' + Z.of_nat (Z.abs_nat (x - x')))%Z with x in H2 by lia. trivial.
  Qed.

  (** The tail, with its boundary: strictly above t. *)
  Theorem laplace_tail t : (0 <= t)%Z -> Pr (laplace q) (Z.ltb t) = q ^ Z.to_nat (t + 1) / (1 + q).
  Proof.
    intro Ht. unfold Pr, laplace. cbn [bind E]. rewrite flip_is by apply coin_in. cbn [ret E].
    assert (geometric q (fun n => event (Z.ltb t) (-1 - Z.of_nat n)%Z) = 0) as ->.
    { rewrite <- (E_const (geometric q) 0). ext.
      intro n; unfold event. destruct (Z.ltb_spec t (-1 - Z.of_nat n)); lia || trivial. }
    assert (geometric q (fun n => event (Z.ltb t) (Z.of_nat n)) = q ^ Z.to_nat (t + 1)) as ->.
    { rewrite <- (geometric_tail q) by lra. ext.
      intro n; unfold event. destruct (Z.ltb_spec t (Z.of_nat n)), (Nat.leb_spec (Z.to_nat (t + 1)) n);
        lia || trivial. }
    field. lra.
  Qed.

  (** The same for k of either sign: Pr[Z >= k]. *)
  Theorem laplace_at_least k : Pr (laplace q) (Z.leb k) =
    if (0 <? k)%Z then q ^ Z.to_nat k / (1 + q) else 1 - q ^ Z.to_nat (1 - k) / (1 + q).
  Proof.
    destruct (Z.ltb_spec 0 k).
    - replace (Z.to_nat k) with (Z.to_nat (k - 1 + 1)) by (f_equal; lia). rewrite <- laplace_tail by lia.
      unfold Pr. ext. intro z. unfold event. destruct (Z.leb_spec k z), (Z.ltb_spec (k - 1) z); lia || trivial.
    - replace (Z.to_nat (1 - k)) with (Z.to_nat (- k + 1)) by (f_equal; lia). rewrite <- laplace_tail by lia.
      unfold Pr. rewrite <- (laplace_symmetric (event (Z.ltb (- k)))) by auto with law.
      replace (1 - laplace q _) with (-1 * laplace q (fun z => event (Z.ltb (- k)) (- z)%Z) + 1) by ring.
      rewrite <- E_affine by (apply test_bounded; intro; apply test_event). ext. intro z. unfold event.
      destruct (Z.leb_spec k z), (Z.ltb_spec (- k) (- z)); lia || lra.
  Qed.

  (** The least k at which the tail is p or less. *)
  Theorem laplace_reach k p : 0 < p -> q ^ k / (1 + q) <= p <-> ln (p * (1 + q)) / ln q <= INR k.
  Proof.
    intro Hp. assert (ln q < 0) by (rewrite <- ln_1; apply ln_increasing; lra).
    transitivity (INR k * ln q <= ln (p * (1 + q))).
    - transitivity (q ^ k <= p * (1 + q)).
      + split; intro H1.
        * apply Rmult_le_compat_r with (r := 1 + q) in H1;
          [|lra]. unfold Rdiv in H1. rewrite Rmult_assoc, Rinv_l in H1; lra.
        * apply Rmult_le_reg_r with (1 + q); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
      + assert (q ^ k = exp (INR k * ln q)) as -> by (rewrite <- Rpower_pow by lra; trivial).
        assert (0 < p * (1 + q)) by nra. rewrite <- (exp_ln (p * (1 + q))) at 1 by trivial. split;
          intros [H1|H1].
        * left. apply exp_lt_inv; trivial.
        * right. apply exp_inv; trivial.
        * left. apply exp_increasing; trivial.
        * right. rewrite H1; trivial.
    - split; intro H1.
      + apply Rmult_le_reg_r with (- ln q); [lra|].
        replace (ln (p * (1 + q)) / ln q * - ln q) with (- ln (p * (1 + q))) by (field; lra). lra.
      + apply Rmult_le_compat_r with (r := - ln q) in H1; [|lra].
        replace (ln (p * (1 + q)) / ln q * - ln q) with (- ln (p * (1 + q))) in H1 by (field; lra). lra.
  Qed.

  (** The probability of each integer; that they sum to 1 is part of being a law. *)
  Theorem laplace_law z : Pr (laplace q) (Z.eqb z) = (1 - q) / (1 + q) * q ^ Z.abs_nat z.
  Proof.
    assert (forall k, Pr (geometric q) (Nat.eqb k) = (1 - q) * q ^ k) as Hk.
    { induction k as [|k IH]; unfold Pr in *; rewrite geometric_memory by (lra || auto with law).
      - transitivity ((1 - q) * 1 + q * geometric q (fun _ => 0)); [trivial|rewrite E_const; simpl; ring].
      - transitivity ((1 - q) * 0 + q * geometric q (event (Nat.eqb k))); [trivial|rewrite IH; simpl; ring]. }
    unfold Pr, laplace. cbn [bind E]. rewrite flip_is by apply coin_in. cbn [ret E].
    assert (forall h, (forall n, h n <> z) -> geometric q (fun n => event (Z.eqb z) (h n)) = 0) as H0.
    { intros h Hh. rewrite <- (E_const (geometric q) 0). ext.
      intro n; unfold event. destruct (Z.eqb_spec z (h n)); [exfalso; eapply Hh; eauto|trivial]. }
    assert (forall h k, (forall n, h n = z <-> n = k) ->
      geometric q (fun n => event (Z.eqb z) (h n)) = (1 - q) * q ^ k) as H1.
    { intros h k Hh. rewrite <- Hk. ext.
      intro n; unfold event. specialize (Hh n). destruct (Z.eqb_spec z (h n)), (Nat.eqb_spec k n); trivial;
        exfalso; match goal with K : _ <> _ |- _ => apply K; symmetry; apply Hh; symmetry; assumption end. }
    destruct (Z.lt_ge_cases z 0).
    - rewrite (H1 _ (Z.abs_nat z - 1)%nat) by (intro; lia). rewrite H0 by (intro; lia).
      replace (Z.abs_nat z) with (S (Z.abs_nat z - 1)) at 2 by lia. simpl. field. lra.
    - rewrite H0 by (intro; lia). rewrite (H1 _ (Z.abs_nat z)) by (intro; lia). field. lra.
  Qed.

  (** No smaller loss will do. *)
  Theorem noisy_tight eps x x' : close eps 0 (noisy q x) (noisy q x') ->
    INR (Z.abs_nat (x - x')) * - ln q <= eps.
  Proof.
    assert (forall y, Pr (noisy q y) (Z.eqb x) = (1 - q) / (1 + q) * q ^ Z.abs_nat (x - y)) as H.
    { intro y. rewrite <- laplace_law. unfold Pr. cbn [noisy bind ret E]. ext.
      intro z; unfold event. destruct (Z.eqb_spec x (y + z)), (Z.eqb_spec (x - y) z); trivial; lia. }
    assert (0 < (1 - q) / (1 + q)) by (apply Rdiv_lt_0_compat;
      lra). assert (forall n, 0 < q ^ n) as Hp by (intro; apply pow_lt; lra).
    intro Hc. apply least_loss with (A := Z.eqb x) in Hc; rewrite ?H in *; try (apply Rmult_lt_0_compat;
      trivial).
    replace (x - x)%Z with 0%Z in Hc by lia. simpl pow in Hc.
    replace (INR (Z.abs_nat (x - x')) * - ln q) with (ln (/ q ^ Z.abs_nat (x - x'))).
    - replace (/ q ^ Z.abs_nat (x - x')) with ((1 - q) / (1 + q) * 1 / ((1 - q) / (1 + q) * q ^ Z.abs_nat
      (x - x'))); trivial.
      field. specialize (Hp (Z.abs_nat (x - x'))). repeat split; lra.
    - rewrite ln_Rinv by trivial. rewrite <- Rpower_pow by lra. unfold Rpower. rewrite ln_exp. ring.
  Qed.
End Laplace.

(** The scale: q = exp(-1/s), and the loss is d/s. *)
Theorem scale_dp s d : 0 < s -> dp (fun x x' => Z.abs (x - x')
  <= Z.of_nat d)%Z (INR d / s) 0 (noisy (exp (- / s))).
Proof.
  intro Hs. assert (0 < / s) by (apply Rinv_0_lt_compat; trivial).
  assert (0 < exp (- / s) < 1) by (split; [apply exp_pos|rewrite <- exp_0; apply exp_increasing; lra]).
  replace (INR d / s) with (INR d * - ln (exp (- / s))) by (rewrite ln_exp; field; lra). apply noisy_dp;
    trivial.
Qed.

Lemma ratio_of_scale s : 0 < s -> 0 < exp (- / s) < 1 /\ - ln (exp (- / s)) = / s.
Proof.
  intro Hs. assert (0 < / s) by (apply Rinv_0_lt_compat; trivial). rewrite ln_exp, Ropp_involutive.
  repeat split; [apply exp_pos|]. rewrite <- exp_0. apply exp_increasing; lra.
Qed.

(** Without noise no finite loss will do. *)
Theorem no_noise eps x x' : x <> x' -> ~ close eps 0 (ret x) (ret x' : law Z).
Proof.
  intros Hx H. apply least_delta with (A := Z.eqb x) in H; revert H; unfold Pr, event; cbn [ret E].
  - rewrite Z.eqb_refl. lra.
  - destruct (Z.eqb_spec x x'); congruence.
Qed.

(** Vectors: composition. *)
Fixpoint noisies q (xs : list Z) : law (list Z) :=
  match xs with [] => ret [] | x :: xs => y <- noisy q x ;; ys <- noisies q xs ;; ret (y :: ys) end.
Fixpoint l1 (xs xs' : list Z) : nat :=
  match xs, xs' with x :: xs, x' :: xs' => Z.abs_nat (x - x') + l1 xs xs' | _, _ => 0 end.

Theorem noisies_close q : 0 < q < 1 -> forall xs xs', length xs = length xs' ->
  close (INR (l1 xs xs') * - ln q) 0 (noisies q xs) (noisies q xs').
Proof.
  intro Hq. induction xs as [|x xs IH]; intros [|x' xs'] Hl; simpl in Hl; try discriminate.
  - simpl. rewrite Rmult_0_l. apply close_refl.
  - simpl. rewrite plus_INR, Rmult_plus_distr_r. replace 0 with (0 + 0) by ring.
    apply composition with (K := fun y => ys <- noisies q xs ;; ret (y :: ys)).
    + apply noisy_dp; trivial. lia.
    + intro y. apply postprocessing, IH. lia.
Qed.

Definition these (xs ys : list Z) := if list_eq_dec Z.eq_dec xs ys then true else false.

Theorem noisies_law q xs : 0 < q < 1 -> forall ys, length xs = length ys ->
  Pr (noisies q xs) (these ys) = ((1 - q) / (1 + q)) ^ length xs * q ^ l1 ys xs.
Proof.
  intro Hq. induction xs as [|x xs IH]; intros [|y ys] Hl; simpl in Hl; try discriminate.
  - unfold Pr, event, these; simpl. ring.
  - specialize (IH ys ltac:(lia)). unfold Pr in *. simpl noisies. cbn [noisy bind ret E].
    transitivity (laplace q (fun z => noisies q xs (event (these ys)) * event (Z.eqb (y - x)) z + 0)).
    + apply E_ext; [apply test_bounded; intro; apply E_test; intro; apply test_event|]. intro z.
      unfold event at 3. destruct (Z.eqb_spec (y - x) z) as [<-|Hz].
      * transitivity (noisies q xs (event (these ys))); [|ring]. ext. intro ys'. unfold event, these.
        destruct (list_eq_dec Z.eq_dec ys ys'), (list_eq_dec Z.eq_dec (y :: ys) (x + (y - x) :: ys')%Z) as [|H];
          trivial; try congruence. exfalso; apply H. f_equal; [lia|trivial].
      * transitivity (noisies q xs (fun _ => 0)); [|rewrite E_const; ring]. ext. intro ys'. unfold event, these.
        destruct (list_eq_dec Z.eq_dec (y :: ys) (x + z :: ys')%Z) as [H|]; trivial. injection H as H _. lia.
    + rewrite E_affine by auto with law. fold (Pr (laplace q) (Z.eqb (y - x))).
      rewrite laplace_law, IH by trivial.
      cbn [l1 length pow]. rewrite pow_add. ring.
Qed.

(** Vectors lose exactly as much as they differ by in all. *)
Theorem noisies_tight q xs xs' eps : 0 < q < 1 -> length xs = length xs' ->
  close eps 0 (noisies q xs) (noisies q xs') -> INR (l1 xs xs') * - ln q <= eps.
Proof.
  intros Hq Hl H. pose proof (noisies_law q xs Hq xs eq_refl) as H1.
    pose proof (noisies_law q xs' Hq xs (eq_sym Hl)) as H2.
  assert (forall xs, l1 xs xs = 0%nat) as Hz by (induction xs0 as [|x ys IH]; simpl; lia). rewrite Hz in H1.
  assert (forall n, 0 < q ^ n) as Hp by (intro; apply pow_lt; lra).
  assert (0 < ((1 - q) / (1 + q)) ^ length xs) by (apply pow_lt, Rdiv_lt_0_compat; lra). rewrite <- Hl in H2.
  apply least_loss with (A := these xs) in H; rewrite ?H1, ?H2 in *; try (apply Rmult_lt_0_compat; trivial).
  replace (INR (l1 xs xs') * - ln q) with (ln (/ q ^ l1 xs xs')).
  - replace (/ q ^ l1 xs xs') with (((1 - q) / (1 + q)) ^ length xs * q ^ 0 / (((1 - q) /
    (1 + q)) ^ length xs * q ^ l1 xs xs')); trivial.
    simpl pow. specialize (Hp (l1 xs xs')). field. split; lra.
  - rewrite ln_Rinv by trivial. rewrite <- Rpower_pow by lra. unfold Rpower. rewrite ln_exp. ring.
Qed.

(** ** The sampler *)

(** |Z| is the floor of s (c - ln U): any decision that is right for all of the cell is right.
    That Arb's ball holds the logarithm for all of the cell is what [right] asks, and is not proved here. *)
Section Logarithm.
  Variables (B : nat) (q : R) (decide : nat -> Z -> option nat).
  Hypotheses (HB : (1 <= B)%nat) (Hq : 0 < q < 1).

  Definition jump j := match j with O => 1 | _ => 2 * q ^ j / (1 + q) end.
  Hypothesis right : forall k v m, prefix B k v -> decide k v = Some m ->
    IZR v + 1 <= jump m * INR B ^ k /\ jump (S m) * INR B ^ k <= IZR v.

  Lemma jump_le m n : (m <= n)%nat -> 0 < jump n <= jump m /\ jump m <= 1.
  Proof.
    intro H. assert (forall k, 0 < jump (S k) <= jump k /\ jump k <= 1) as Hk.
    { assert (forall k, 0 < q ^ k <= 1) as Hp. { intro k. split; [apply pow_lt; lra|]. rewrite <- (pow1 k);
      apply pow_incr; lra. }
      assert (0 < / (1 + q)) by (apply Rinv_0_lt_compat; lra). assert (q * / (1 + q) * 2 <= 1).
      { apply Rmult_le_reg_r with (1 + q); [lra|].
        replace (q * / (1 + q) * 2 * (1 + q)) with (q * 2) by (field; lra). lra. }
      intros j; destruct j as [|k]; unfold jump, Rdiv; cbn [pow].
      - repeat split; try lra. repeat apply Rmult_lt_0_compat; lra.
      - pose proof (Hp k). assert (0 < q * / (1 + q) * 2) by (repeat apply Rmult_lt_0_compat; lra).
        assert (0 < q ^ k * (q * / (1 + q) * 2) <= 1) by (split; [apply Rmult_lt_0_compat|]; nra).
        replace (2 * (q * q ^ k) * / (1 + q)) with (q ^ k * (q * / (1 + q) * 2)) by ring.
        replace (2 * (q * (q * q ^ k)) * / (1 + q)) with (q * (q ^ k * (q * / (1 + q) * 2))) by ring.
        repeat split; try lra; nra. }
    induction H as [|n H IH]; [pose proof (Hk m); pose proof (Hk (S m))|pose proof (Hk n)]; intuition lra.
  Qed.

  Theorem laplace_sampler m : Un_cv (fun n => Pr (run B decide n) silent) 0 ->
    Un_cv (fun n => Pr (run B decide n) (says (Nat.leb m))) (jump m).
  Proof.
    intro H. replace (jump m) with (jump m - 0) by ring. pose proof (jump_le m m (le_n m)).
    apply one_lemma_limit; trivial; try lra. intros k v m' Hv Hd. destruct (right k v m' Hv Hd) as [H1 H2].
    assert (0 < INR B ^ k) by (apply pow_lt, lt_0_INR; lia). destruct Hv as [Hv _]. apply IZR_le in Hv.
    destruct (Nat.leb_spec m m') as [Hm|Hm].
    - split; [lra|]. destruct (jump_le m m' Hm). nra.
    - apply or_intror. destruct (jump_le (S m') m Hm). nra.
  Qed.

  (** and that is the law of |Z|. *)
  Theorem laplace_size m : Pr (laplace q) (fun z => Nat.leb m (Z.abs_nat z)) = jump m.
  Proof.
    unfold Pr, laplace. cbn [bind E].
    assert (0 < / (1 + q)) by (apply Rinv_0_lt_compat; lra).
    assert (0 <= q / (1 + q) <= 1). { split; [apply Rmult_le_pos; lra|]. apply Rmult_le_reg_r with (1 + q);
      [lra|]. unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra. }
    rewrite flip_is by trivial. cbn [ret E].
    assert (geometric q (fun n => event (fun z => Nat.leb m (Z.abs_nat z)) (Z.of_nat n)) = q ^ m) as ->.
    { rewrite <- (geometric_tail q) by lra. ext. intro; unfold event. rewrite Zabs2Nat.id; trivial. }
    assert (geometric q (fun n => event (fun z => Nat.leb m (Z.abs_nat z)) (-1 - Z.of_nat n)%Z) = q ^
      (m - 1)) as ->.
    { rewrite <- (geometric_tail q) by lra. ext. intro n; unfold event.
      destruct (Nat.leb_spec m (Z.abs_nat (-1 - Z.of_nat n))), (Nat.leb_spec (m - 1) n); trivial; lia. }
    destruct m as [|m]; simpl; [field; lra|]. rewrite Nat.sub_0_r. field; lra.
  Qed.
End Logarithm.

(** The same for a geometric number, which is the floor of - s ln U. *)
Theorem geometric_sampler B q (decide : nat -> Z -> option nat) m : (1 <= B)%nat -> 0 < q < 1 ->
  (forall k v n, prefix B k v -> decide k v = Some n ->
    IZR v + 1 <= q ^ n * INR B ^ k /\ q ^ S n * INR B ^ k <= IZR v) ->
  Un_cv (fun n => Pr (run B decide n) silent) 0 ->
  Un_cv (fun n => Pr (run B decide n) (says (Nat.leb m))) (Pr (geometric q) (Nat.leb m)).
Proof.
  intros HB Hq right H. rewrite geometric_tail by lra.
  assert (forall i j, (i <= j)%nat -> 0 < q ^ j <= q ^ i /\ q ^ i <= 1) as K.
  { intros i j Hij. assert (forall n, 0 < q ^ n <= 1) as Hp
      by (intro n; split; [apply pow_lt; lra|rewrite <- (pow1 n); apply pow_incr; lra]).
    replace j with (i + (j - i))%nat by lia. rewrite pow_add. pose proof (Hp i); pose proof (Hp (j - i)%nat).
    repeat split; try lra; nra. }
  replace (q ^ m) with (q ^ m - 0) by ring. pose proof (K m m (le_n m)).
  apply one_lemma_limit; trivial; try lra. intros k v m' Hv Hd. destruct (right k v m' Hv Hd) as [H1 H2].
  assert (0 < INR B ^ k) by (apply pow_lt, lt_0_INR; lia). destruct Hv as [Hv _]. apply IZR_le in Hv.
  destruct (Nat.leb_spec m m') as [Hm|Hm].
  - split; [lra|]. destruct (K m m' Hm). nra.
  - apply or_intror. destruct (K (S m') m Hm). nra.
Qed.

(** The sign is one more coin, and 0 has none. *)
Theorem laplace_signed q f : 0 < q < 1 -> bounded f ->
  (z <- laplace q ;; negative <- flip (/ 2) ;; ret (if negative then - Z.abs z else Z.abs z)%Z) f = laplace q f.
Proof.
  intros Hq Hf. assert (forall h : Z -> Z, bounded (fun z => f (h z))) as Hb by (destruct Hf as [M HM];
    exists M; intro; apply HM).
  cbn [bind E]. transitivity (laplace q (fun z => / 2 * f (- z)%Z + / 2 * f z)).
  - apply E_ext.
    + destruct Hf as [M HM]. exists M. intro z. rewrite flip_is by lra. cbn [ret E].
      pose proof (HM (- Z.abs z)%Z); pose proof (HM (Z.abs z)). lra.
    + intro z. rewrite flip_is by lra. cbn [ret E]. destruct (Z.abs_spec z) as [[_ ->]|[_ ->]];
      [|rewrite Z.opp_involutive]; lra.
  - rewrite E_linear by (apply (Hb Z.opp) || trivial). rewrite laplace_symmetric by trivial. lra.
Qed.
