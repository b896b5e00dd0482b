(** Optimized unary encoding: the set bit is reported by a coin of bias p, every other by one of bias q. *)
From Coq Require Import Reals Lra Lia List Bool.
From Discreet Require Import Law Rappor.
Import ListNotations.
Open Scope R_scope.

(** As the Python draws it: one honest coin, for whichever bit is set, and a coin for each bit besides. *)
Fixpoint bits (q : R) (honest : bool) (x : list bool) : law (list bool) :=
  match x with
  | [] => ret []
  | b :: x => c <- flip q ;; y <- bits q honest x ;; ret ((if b then honest else c) :: y)
  end.
Definition unary (p q : R) (x : list bool) : law (list bool) := honest <- flip p ;; bits q honest x.

(** As one would write it: a coin for each bit. *)
Fixpoint coins (p q : R) (x : list bool) : law (list bool) :=
  match x with [] => ret [] | b :: x => c <- flip (if b then p else q) ;; y <- coins p q x ;; ret (c :: y) end.

(** Bits set in x only. *)
Fixpoint ahead (x x' : list bool) : nat :=
  match x, x' with b :: x, b' :: x' => (if b && negb b' then 1 else 0) + ahead x x' | _, _ => 0 end.

Section Unary.
  Variables p q : R.
  Hypothesis Hpq : 0 < q <= p /\ p < 1.
  Let up := ln (p / q).
  Let down := ln ((1 - q) / (1 - p)).

  Lemma flip_close b b' : close (if b && negb b' then up else if b'
    && negb b then down else 0) 0 (flip (if b then p else q)) (flip (if b' then p else q)).
  Proof.
    assert (0 < p / q /\ 0 < (1 - q) / (1 - p)) as [] by (split; apply Rdiv_lt_0_compat; lra).
    destruct b, b'; simpl; try apply close_refl; intros f Hf; rewrite !flip_is by lra; unfold up, down;
      rewrite exp_ln by trivial;
      pose proof (Hf true); pose proof (Hf false).
    - replace (p / q * (q * f true + (1 - q) * f false) + 0) with (p * f true + p * (1 - q) / q * f false)
      by (field; lra).
      assert (1 - p <= p * (1 - q) / q) by (apply Rmult_le_reg_r with q; [lra|]; unfold Rdiv;
        rewrite Rmult_assoc, Rinv_l by lra; nra). nra.
    - replace ((1 - q) / (1 - p) * (p * f true + (1 - p) * f false) + 0)
      with ((1 - q) * p / (1 - p) * f true + (1 - q) * f false) by (field; lra).
      assert (q <= (1 - q) * p / (1 - p)) by (apply Rmult_le_reg_r with (1 - p); [lra|]; unfold Rdiv;
        rewrite Rmult_assoc, Rinv_l by lra; nra). nra.
  Qed.

  Theorem coins_close x : forall x', length x = length x' ->
    close (INR (ahead x x') * up + INR (ahead x' x) * down) 0 (coins p q x) (coins p q x').
  Proof.
    induction x as [|b x IH]; intros [|b' x'] Hl; simpl in Hl; try discriminate.
    - simpl. rewrite !Rmult_0_l, Rplus_0_l. apply close_refl.
    - simpl ahead. rewrite !plus_INR. replace 0 with (0 + 0) by ring.
      replace ((INR (if b && negb b' then 1 else 0) + INR (ahead x x')) * up + (INR (if b'
        && negb b then 1 else 0) + INR (ahead x' x)) * down)
        with ((if b && negb b' then up else if b'
          && negb b then down else 0) + (INR (ahead x x') * up + INR (ahead x' x) * down)).
      + apply composition with (K := fun c => y <- coins p q x ;; ret (c :: y)); [apply flip_close|].
        intro c. apply postprocessing, IH. lia.
      + destruct b, b'; simpl; ring.
  Qed.

  (** They are the same where at most one bit is set: only then is the honest coin used once at most. *)
  Lemma bits_unset h x : weight x = 0%nat -> forall f, bits q h x f = coins p q x f.
  Proof.
    induction x as [|b x IH]; intros Hw f; simpl in Hw; [trivial|]. destruct b; [discriminate|].
    cbn [bits coins bind ret E]. rewrite !flip_is by lra. rewrite !IH by trivial. trivial.
  Qed.

  Theorem unary_coins x : (weight x <= 1)%nat -> forall f, unary p q x f = coins p q x f.
  Proof.
    unfold unary. induction x as [|b x IH]; intros Hw f.
    - exact (E_const (flip p) (f [])).
    - simpl in Hw. cbn [bits coins bind ret E]. destruct b.
      + rewrite !flip_is by lra. rewrite !bits_unset by lia. ring.
      + assert (forall c, flip p (fun h => bits q h x (fun y => f (c :: y))) = coins p q x (fun y => f
        (c :: y))) as H
          by (intro c; apply IH; lia).
        rewrite (flip_is q) by lra. rewrite <- !H, !flip_is by lra. ring.
  Qed.

  (** What the code reports, for k bits. *)
  Definition unary_loss (k : nat) :=
    ln (if (1 <? k)%nat then p / q * ((1 - q) / (1 - p)) else Rmax (p / q) ((1 - q) / (1 - p))).

  Local Lemma odds : 1 <= p / q /\ 1 <= (1 - q) / (1 - p).
  Proof.
    split; [apply Rmult_le_reg_r with q|apply Rmult_le_reg_r with (1 - p)]; try lra;
      unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra.
  Qed.

  Local Lemma ln_pos r : 1 <= r -> 0 <= ln r.
  Proof. intros [H|<-]; [|rewrite ln_1; lra]. left; rewrite <- ln_1; apply ln_increasing; lra. Qed.

  (** At most one bit is set in each. *)
  Theorem unary_dp k : dp (vectors k 1) (unary_loss k) 0 (unary p q).
  Proof.
    intros x x' (Hx & Hx' & Hw & Hw') f Hf. rewrite !unary_coins by trivial. revert f Hf.
    destruct odds as [Hu Hd]. pose proof (ln_pos _ Hu) as Lu. pose proof (ln_pos _ Hd) as Ld. fold up in Lu.
      fold down in Ld.
    assert (forall x x', ahead x x' <= weight x)%nat as Ha.
    { clear. induction x as [|b x IH]; intros [|b' x']; simpl; try lia. specialize (IH x'). destruct b, b';
      simpl; lia. }
    apply close_weaken with (3 := coins_close x x' ltac:(lia)); [|lra].
    assert (INR (ahead x x') <= 1 /\ INR (ahead x' x) <= 1) as [] by (split; apply (le_INR _ 1);
      eapply Nat.le_trans; eauto).
    pose proof (pos_INR (ahead x x')); pose proof (pos_INR (ahead x' x)).
    unfold unary_loss. destruct (Nat.ltb_spec 1 k).
    - rewrite ln_mult by lra. fold up down. nra.
    - assert (up <= ln (Rmax (p / q) ((1 - q) / (1 - p))) /\ down <= ln (Rmax (p / q) ((1 - q) / (1 - p))))
      as [].
      { assert (0 < Rmax (p / q) ((1 - q) / (1 - p))) by (eapply Rlt_le_trans; [|apply Rmax_l]; lra).
        split; apply ln_le_exp; try lra; rewrite exp_ln by trivial; [apply Rmax_l|apply Rmax_r]. }
      assert (ahead x x' = 0 \/ ahead x' x = 0)%nat as [Z|Z].
      { destruct x as [|b [|]], x' as [|b' [|]]; simpl in *; try lia. destruct b, b'; auto. }
      all: rewrite Z; simpl; nra.
  Qed.

  (** No smaller loss will do. *)
  Theorem unary_tight k eps : (1 <= k)%nat -> dp (vectors k 1) eps 0 (unary p q) -> unary_loss k <= eps.
  Proof.
    intros Hk H. assert (forall x x', vectors k 1 x x' -> close eps 0 (coins p q x) (coins p q x')) as Hc.
    { intros x x' Hv f Hf. pose proof Hv as (_ & _ & Hw & Hw'). rewrite <- !unary_coins by trivial. apply H;
      trivial. }
    assert (forall n, weight (repeat false n) = 0%nat) as Hz by (induction n; simpl; lia).
    unfold unary_loss. destruct (Nat.ltb_spec 1 k).
    - set (rest := repeat false (k - 2)). set (A y := match y with true :: false :: _ => true | _ => false end).
      assert (forall b b', Pr (coins p q (b :: b' :: rest)) A = (if b then p else q) *
        (1 - if b' then p else q)) as HA.
      { intros b b'. unfold Pr. cbn [coins bind ret E]. rewrite !flip_is by (destruct b, b'; lra).
        unfold event, A. rewrite !E_const. ring. }
      replace (p / q * ((1 - q) / (1 - p))) with (Pr (coins p q (true :: false :: rest)) A / Pr (coins p q
        (false :: true :: rest)) A).
      + apply least_loss; rewrite ?HA; try (apply Rmult_lt_0_compat; lra). apply Hc. unfold vectors; simpl.
        unfold rest; rewrite repeat_length, Hz. lia.
      + rewrite !HA. field. lra.
    - assert (k = 1%nat) as -> by lia. set (one b := coins p q [b]).
      assert (forall b (A : list bool -> bool),
        Pr (one b) A = (if b then p else q) * event A [true] + (1 - if b then p else q) * event A [false])
        as HA.
      { intros b A. unfold one, Pr. cbn [coins bind ret E]. rewrite flip_is by (destruct b; lra). trivial. }
      assert (close eps 0 (one true) (one false) /\ close eps 0 (one false) (one true)) as [H1 H2] by (split;
        apply Hc; unfold vectors; simpl; lia).
      apply least_loss with (A := fun y => match y with true :: _ => true | _ => false end) in H1; rewrite ?HA;
        unfold event; try lra.
      apply least_loss with (A := fun y => match y with false :: _ => true | _ => false end) in H2;
        rewrite ?HA; unfold event; try lra.
      rewrite !HA in H1, H2. unfold event in H1, H2.
      replace (_ / _) with (p / q) in H1 by (field;
        lra). replace (_ / _) with ((1 - q) / (1 - p)) in H2 by (field; lra).
      unfold Rmax. destruct (Rle_dec _ _); trivial.
  Qed.
End Unary.

(** With p = 1/2 the least q within a budget. *)
Theorem unary_within q eps k : 0 < q <= / 2 -> 0 <= eps ->
  unary_loss (/ 2) q k <= eps <-> (if (1 <? k)%nat then 1 / (1 + exp eps) else exp (- eps) / 2) <= q.
Proof.
  intros Hq Heps. unfold unary_loss. pose proof (exp_pos eps) as He.
  assert (exp (- eps) = / exp eps) as Hi by apply exp_Ropp.
  destruct (1 <? k)%nat.
  - replace (/ 2 / q * ((1 - q) / (1 - / 2))) with ((1 - q) / q) by (field; lra).
    rewrite ln_le_exp by (apply Rdiv_lt_0_compat; lra). set (x := exp eps) in *. clearbody x. split; intro H.
    + apply Rmult_le_compat_r with (r := q) in H;
      [|lra]. replace ((1 - q) / q * q) with (1 - q) in H by (field; lra).
      apply Rmult_le_reg_r with (1 + x); [lra|]. replace (1 / (1 + x) * (1 + x)) with 1 by (field; lra). lra.
    + apply Rmult_le_compat_r with (r := 1 + x) in H;
      [|lra]. replace (1 / (1 + x) * (1 + x)) with 1 in H by (field; lra).
      apply Rmult_le_reg_r with q; [lra|]. replace ((1 - q) / q * q) with (1 - q) by (field; lra). lra.
  - assert ((1 - q) / (1 - / 2) <= / 2 / q) as Hm.
    { apply Rmult_le_reg_r with (q * / 2); [lra|].
      replace ((1 - q) / (1 - / 2) * (q * / 2)) with (q * (1 - q)) by field.
      replace (/ 2 / q * (q * / 2)) with (/ 4) by (field; lra). nra. }
    rewrite Rmax_left by lra. assert (0 < / 2 / q) by (apply Rdiv_lt_0_compat;
      lra). rewrite ln_le_exp, Hi by trivial.
    set (x := exp eps) in *. clearbody x. split; intro H1.
    + apply Rmult_le_compat_r with (r := q / x) in H1; [|apply Rlt_le, Rdiv_lt_0_compat; lra].
      replace (/ 2 / q * (q / x)) with (/ x / 2) in H1 by (field;
        lra). replace (x * (q / x)) with q in H1 by (field; lra). trivial.
    + apply Rmult_le_compat_r with (r := x / q) in H1; [|apply Rlt_le, Rdiv_lt_0_compat; lra].
      replace (/ x / 2 * (x / q)) with (/ 2 / q) in H1 by (field;
        lra). replace (q * (x / q)) with x in H1 by (field; lra). trivial.
Qed.
