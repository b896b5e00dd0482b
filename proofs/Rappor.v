(** Basic RAPPOR: each bit is flipped with probability f/2 = g. *)
From Coq Require Import Reals Lra Lia List Bool FunctionalExtensionality.
From Discreet Require Import Law.
Import ListNotations.
Open Scope R_scope.

Fixpoint rappor (g : R) (x : list bool) : law (list bool) :=
  match x with
  | [] => ret []
  | b :: x => n <- flip g ;; y <- rappor g x ;; ret (xorb b n :: y)
  end.

Fixpoint weight (x : list bool) : nat := match x with [] => 0 | b :: x => (if b then 1 else 0) + weight x end.
Fixpoint differ (x x' : list bool) : nat :=
  match x, x' with b :: x, b' :: x' => (if Bool.eqb b b' then 0 else 1) + differ x x' | _, _ => 0 end.

(** Vectors of one length with at most m bits set differ in at most min(2m, k) of them. *)
Definition vectors (k m : nat) (x x' : list bool) :=
  (length x = k /\ length x' = k /\ weight x <= m /\ weight x' <= m)%nat.

Lemma differ_most k m x x' : vectors k m x x' -> (differ x x' <= Nat.min (2 * m) k)%nat.
Proof.
  intros (Hx & Hx' & Hw & Hw'). assert (differ x x' <= weight x + weight x' /\ differ x x' <= length x)%nat;
    [|lia].
  clear Hx Hw Hw' Hx'. revert x'; induction x as [|b x IH]; intros [|b' x']; simpl; try lia.
  specialize (IH x'). destruct b, b'; simpl; lia.
Qed.

Section Rappor.
  Variable g : R.
  Hypothesis Hg : 0 < g <= / 2.
  Let one := ln ((1 - g) / g).

  Lemma one_pos : 0 <= one.
  Proof.
    unfold one. assert (1 <= (1 - g) / g) as [H|<-].
    - apply Rmult_le_reg_r with g; [lra|]. unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra.
    - left; rewrite <- ln_1; apply ln_increasing; lra.
    - rewrite ln_1; lra.
  Qed.

  Lemma bit_close b b' : close (if Bool.eqb b b' then 0 else one) 0 (n <- flip g ;;
    ret (xorb b n)) (n <- flip g ;; ret (xorb b' n)).
  Proof.
    destruct (Bool.eqb_spec b b') as [->|Hb]; [apply close_refl|].
    apply sandwich with (S := fun f => f true + f false); try lra; intros f Hf; cbn [bind ret E];
      rewrite flip_is by lra;
      pose proof (Hf true); pose proof (Hf false); destruct b, b'; simpl; nra.
  Qed.

  (** By induction on the bits: composition. *)
  Lemma rappor_close x : forall x', length x = length x' ->
    close (INR (differ x x') * one) 0 (rappor g x) (rappor g x').
  Proof.
    induction x as [|b x IH]; intros [|b' x'] Hl; simpl in Hl; try discriminate.
    - simpl. rewrite Rmult_0_l. apply close_refl.
    - simpl differ. rewrite plus_INR, Rmult_plus_distr_r. replace 0 with (0 + 0) by ring.
      replace (INR (if Bool.eqb b b' then 0 else 1) * one) with (if Bool.eqb b b' then 0 else one)
        by (destruct (Bool.eqb b b'); simpl; ring).
      pose proof (composition _ _ _ _ _ _ (fun c => y <- rappor g x ;;
        ret (c :: y)) (fun c => y <- rappor g x' ;; ret (c :: y))
        (bit_close b b') (fun c => postprocessing _ _ _ _ (fun y => ret (c :: y)) (IH x' ltac:(lia)))) as H.
      exact H.
  Qed.

  Theorem rappor_dp k m : dp (vectors k m) (INR (Nat.min (2 * m) k) * one) 0 (rappor g).
  Proof.
    intros x x' H. pose proof (differ_most k m x x' H). destruct H as (Hx & Hx' & _).
    apply close_weaken with (e := INR (differ x x') * one) (d := 0); [|lra|apply rappor_close; lia].
    apply Rmult_le_compat_r; [apply one_pos|apply le_INR; trivial].
  Qed.

  (** The probability that the report is y. *)
  Definition same (y y' : list bool) := if list_eq_dec Bool.bool_dec y y' then true else false.

  Lemma same_cons b y b' y' : same (b :: y) (b' :: y') = Bool.eqb b b' && same y y'.
  Proof. unfold same. destruct (list_eq_dec _ (b :: y) _), (list_eq_dec _ y y'), (Bool.eqb_spec b b'); simpl;
    congruence. Qed.

  Theorem rappor_law x : forall y, length x = length y ->
    Pr (rappor g x) (same y) = g ^ differ x y * (1 - g) ^ (length x - differ x y).
  Proof.
    assert (forall x y, differ x y <= length x)%nat as Hd.
    { clear. induction x as [|b x IH]; intros [|c y]; simpl;
      try lia. specialize (IH y). destruct (Bool.eqb b c); lia. }
    induction x as [|b x IH]; intros [|c y] Hl; simpl in Hl; try discriminate.
    - unfold Pr, event, same; simpl. ring.
    - specialize (IH y ltac:(lia)). unfold Pr in *. simpl rappor. cbn [bind E]. rewrite flip_is by lra.
      cbn [ret E].
      assert (forall b', rappor g x (fun y' => event (same (c :: y))
        (b' :: y')) = if Bool.eqb c b' then rappor g x (event (same y)) else 0) as H.
      { intro b'. destruct (Bool.eqb c b') eqn:Hb.
        - ext. intro y'; unfold event; rewrite same_cons, Hb; trivial.
        - transitivity (rappor g x (fun _ => 0)); [|apply E_const]. ext.
          intro y'; unfold event; rewrite same_cons, Hb; trivial. }
      rewrite !H, IH. specialize (Hd x y). simpl differ.
      destruct b, c; simpl Bool.eqb; cbn [xorb negb]; simpl length;
        [replace (S (length x) - (0 + differ x y))%nat with (S (length x - differ x y)) by lia
        |replace (S (length x) - (1 + differ x y))%nat with (length x - differ x y)%nat by lia ..|
         replace (S (length x) - (0 + differ x y))%nat with (S (length x - differ x y)) by lia]; simpl; ring.
  Qed.

  Lemma differ_self x : differ x x = 0%nat.
  Proof. induction x as [|b x IH]; simpl; [|rewrite eqb_reflx]; auto. Qed.

  (** Two vectors lose exactly one for each bit in which they differ. *)
  Theorem rappor_tight x x' eps : length x = length x' ->
    close eps 0 (rappor g x) (rappor g x') -> INR (differ x x') * one <= eps.
  Proof.
    intros Hl H. assert (differ x' x = differ x x') as Hs.
    { clear. revert x'; induction x as [|b x IH]; intros [|c x']; simpl; trivial. rewrite IH. destruct b, c;
      trivial. }
    assert (differ x x' <= length x)%nat as Hd.
    { clear. revert x'; induction x as [|b x IH]; intros [|c y]; simpl;
      try lia. specialize (IH y). destruct (Bool.eqb b c); lia. }
    assert (forall n, 0 < g ^ n /\ 0 < (1 - g) ^ n) as Hp by (intro; split; apply pow_lt; lra).
    pose proof (rappor_law x x eq_refl) as H1. pose proof (rappor_law x' x (eq_sym Hl)) as H2.
    rewrite differ_self in H1. rewrite Hs, <- Hl in H2.
    pose proof (Hp (differ x x')) as (A & A'). pose proof (Hp (length x - differ x x')%nat) as (C & C').
    apply least_loss with (A := same x) in H; rewrite ?H1, ?H2 in *.
    - replace (INR (differ x x') * one) with (ln (((1 - g) / g) ^ differ x x')).
      + replace ((((1 - g) / g) ^ differ x x'))
        with (g ^ 0 * (1 - g) ^ (length x - 0) / (g ^ differ x x' * (1 - g) ^ (length x - differ x x')));
        trivial.
        replace (length x - 0)%nat with (differ x x' + (length x - differ x x'))%nat by lia. unfold Rdiv at 2.
        rewrite pow_add, Rpow_mult_distr, pow_inv. simpl. field. split; lra.
      + unfold one. rewrite <- Rpower_pow by (apply Rdiv_lt_0_compat; lra). unfold Rpower. rewrite ln_exp;
        trivial.
    - rewrite pow_O, Rmult_1_l. apply Hp.
    - apply Rmult_lt_0_compat; apply Hp.
  Qed.

  (** And some two vectors of the domain differ in min(2m, k) bits, so the map is exact. *)
  Theorem rappor_dp_tight k m eps : dp (vectors k m) eps 0 (rappor g) -> INR (Nat.min (2 * m) k) * one <= eps.
  Proof.
    intro H. set (a := Nat.min m k). set (b := (Nat.min (2 * m) k - a)%nat). set (c := (k - a - b)%nat).
    set (x := repeat true a ++ repeat false b ++ repeat false c).
      set (x' := repeat false a ++ repeat true b ++ repeat false c).
    assert (forall u v w z, length u = length v ->
      differ (u ++ w) (v ++ z) = differ u v + differ w z)%nat as Happ.
    { clear. induction u as [|p u IH]; intros [|q v] w z Hl; simpl in *; try discriminate;
      trivial. rewrite IH by lia. lia. }
    assert (forall u w, weight (u ++ w) = weight u + weight w)%nat as Hw by (clear; induction u as [|p u IH];
      intro w; simpl; [|rewrite IH]; lia).
    assert (forall n, weight (repeat true n) = n /\ weight (repeat false n) = 0)%nat as Hr.
    { induction n as [|n [I1 I2]]; simpl; lia. }
    assert (forall n, differ (repeat true n) (repeat false n) = n /\ differ (repeat false n)
      (repeat true n) = n)%nat as Hdr.
    { induction n as [|n [I1 I2]]; simpl; lia. }
    assert (differ x x' = Nat.min (2 * m) k) as <-.
    { unfold x, x'. rewrite !Happ by (rewrite !repeat_length;
      trivial). rewrite differ_self, (proj1 (Hdr a)), (proj2 (Hdr b)). lia. }
    apply rappor_tight; [|apply H; unfold vectors]; unfold x, x'; rewrite ?app_length, ?repeat_length, ?Hw;
      trivial.
    pose proof (Hr a); pose proof (Hr b); pose proof (Hr c). lia.
  Qed.
End Rappor.

(** ** Counting: [x] is one bit of each of several people, and [y] what they report. *)

Section Count.
  Variable g : R.
  Hypothesis Hg : 0 <= g <= 1.

  (** The mean of each report, and how far all of them are from their means. *)
  Definition mean_bit (b : bool) := if b then 1 - g else g.
  Fixpoint off (x y : list bool) : R :=
    match x, y with b :: x, c :: y => (if c then 1 else 0) - mean_bit b + off x y | _, _ => 0 end.

  Lemma off_mean x : forall c k, rappor g x (fun y => c + k * off x y) = c.
  Proof.
    induction x as [|b x IH]; intros c k; cbn [rappor bind ret E off]; [ring|]. rewrite flip_is by trivial.
    assert (forall d, rappor g x (fun y => c + k * (d - mean_bit b + off x y)) = c + k * (d - mean_bit b)) as H.
    { intro d. rewrite <- (IH (c + k * (d - mean_bit b)) k). f_equal. apply functional_extensionality. intro;
      ring. }
    rewrite !H. unfold mean_bit. destruct b; simpl; ring.
  Qed.

  Lemma off_square x : forall c k,
    rappor g x (fun y => (c + off x y) ^ 2 * k) = (c ^ 2 + INR (length x) * (g * (1 - g))) * k.
  Proof.
    induction x as [|b x IH]; intros c k; cbn [rappor bind ret E off]; [simpl;
      ring|]. rewrite flip_is by trivial.
    assert (forall d, rappor g x (fun y => (c + (d - mean_bit b + off x y)) ^ 2 * k) =
      ((c + (d - mean_bit b)) ^ 2 + INR (length x) * (g * (1 - g))) * k) as H.
    { intro d. rewrite <- IH. f_equal. apply functional_extensionality. intro; ring. }
    rewrite !H. simpl length. rewrite S_INR. unfold mean_bit. destruct b; simpl; ring.
  Qed.

  (** A report's count is its mean and that. *)
  Lemma weight_off x : forall y, length x = length y ->
    INR (weight y) = g * INR (length x) + (1 - 2 * g) * INR (weight x) + off x y.
  Proof.
    induction x as [|b x IH]; intros [|c y] Hl; simpl in Hl; try discriminate; [simpl; ring|].
    cbn [weight off length]. rewrite !plus_INR, (IH y), S_INR by lia. unfold mean_bit. destruct b, c; simpl;
      ring.
  Qed.

  (** Reports are as long as what they are about, so only those matter. *)
  Lemma rappor_agree x : forall f h, (forall y,
    length y = length x -> f y = h y) -> rappor g x f = rappor g x h.
  Proof.
    induction x as [|b x IH]; intros f h H; cbn [rappor bind ret E]; [apply H;
      trivial|]. rewrite !flip_is by trivial.
    assert (forall c, rappor g x (fun y => f (c :: y)) = rappor g x (fun y => h (c :: y))) as K
      by (intro c; apply IH; intros y Hy; apply H; simpl; lia).
    rewrite !K; trivial.
  Qed.

  Definition estimate (n : nat) (y : list bool) := (INR (weight y) - INR n * g) / (1 - 2 * g).

  Theorem rappor_unbiased x : g < / 2 -> rappor g x (estimate (length x)) = INR (weight x).
  Proof.
    intro H. transitivity (rappor g x (fun y => INR (weight x) + / (1 - 2 * g) * off x y)); [|apply off_mean].
    apply rappor_agree. intros y Hy. unfold estimate. rewrite (weight_off x y) by lia. field. lra.
  Qed.

  Theorem rappor_variance x : g < / 2 ->
    rappor g x (fun y => (estimate (length x) y - INR (weight x)) ^ 2) = INR (length x) * (g * (1 - g)) /
      (1 - 2 * g) ^ 2.
  Proof.
    intro H. transitivity (rappor g x (fun y => (0 + off x y) ^ 2 * / (1 - 2 * g) ^ 2)).
    - apply rappor_agree. intros y Hy. unfold estimate. rewrite (weight_off x y) by lia. field. lra.
    - rewrite off_square. unfold Rdiv. ring.
  Qed.
End Count.

(** The fewest flips within a budget, for b bits that may differ. *)
Theorem rappor_within f b eps : 0 < f <= 1 -> 0 < b ->
  ln ((2 - f) / f) * b <= eps <-> 2 / (1 + exp (eps / b)) <= f.
Proof.
  intros Hf Hb. pose proof (exp_pos (eps / b)) as He. assert (0 < (2 - f) / f) by (apply Rdiv_lt_0_compat; lra).
  transitivity (ln ((2 - f) / f) <= eps / b).
  { split; intro H1.
    - apply Rmult_le_reg_r with b; trivial. replace (eps / b * b) with eps by (field; lra). trivial.
    - apply Rmult_le_compat_r with (r := b) in H1; [|lra]. replace (eps / b * b) with eps in H1 by (field;
      lra). trivial. }
  rewrite ln_le_exp by trivial. set (x := exp (eps / b)) in *. clearbody x. split; intro H1.
  - apply Rmult_le_compat_r with (r := f) in H1;
    [|lra]. replace ((2 - f) / f * f) with (2 - f) in H1 by (field; lra).
    apply Rmult_le_reg_r with (1 + x); [lra|]. replace (2 / (1 + x) * (1 + x)) with 2 by (field; lra). lra.
  - apply Rmult_le_compat_r with (r := 1 + x) in H1;
    [|lra]. replace (2 / (1 + x) * (1 + x)) with 2 in H1 by (field; lra).
    apply Rmult_le_reg_r with f; [lra|]. replace ((2 - f) / f * f) with (2 - f) by (field; lra). lra.
Qed.
