(** Sums over all integers, of what decays at least geometrically. *)
From Coq Require Import ZArith Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Discreet Require Import Law.
Open Scope R_scope.

Definition decays (f : Z -> R) := exists C q, 0 < q < 1 /\ forall z, Rabs (f z) <= C * q ^ Z.abs_nat z.
Definition total (f : Z -> R) :=
  Series (fun n => f (Z.of_nat n)) + Series (fun n => f (-1 - Z.of_nat n)%Z).

Lemma pow_falls q m n : 0 < q < 1 -> (m <= n)%nat -> 0 < q ^ n <= q ^ m.
Proof.
  intros Hq H. split; [apply pow_lt; lra|]. induction H as [|n H IH]; [lra|]. simpl.
  pose proof (pow_lt q n). nra.
Qed.

(** Shifts, reflections and every second integer: what is far away stays so. *)
Lemma decays_along (h : Z -> Z) m f : (forall z, Z.abs_nat z <= Z.abs_nat (h z) + m)%nat ->
  decays f -> decays (fun z => f (h z)).
Proof.
  intros Hh (C & q & Hq & Hf). exists (C / q ^ m), q. split; [trivial|]. intro z.
  apply Rle_trans with (1 := Hf (h z)). assert (0 <= C).
  { pose proof (Hf 0%Z) as H0. pose proof (Rabs_pos (f 0%Z)). simpl in H0. lra. }
  pose proof (pow_falls q _ _ Hq (Hh z)) as [_ Hw]. rewrite pow_add in Hw. pose proof (pow_lt q m ltac:(lra)).
  unfold Rdiv. rewrite Rmult_assoc. apply Rmult_le_compat_l; [trivial|].
  apply Rmult_le_reg_l with (q ^ m); [trivial|]. rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l; lra.
Qed.
Lemma decays_shift k f : decays f -> decays (fun z => f (z + k)%Z).
Proof. apply decays_along with (Z.abs_nat k). lia. Qed.
Lemma decays_opp f : decays f -> decays (fun z => f (- z)%Z).
Proof. apply decays_along with O. lia. Qed.
Lemma decays_even f : decays f -> decays (fun z => f (2 * z)%Z).
Proof. apply decays_along with O. lia. Qed.
Lemma decays_odd f : decays f -> decays (fun z => f (2 * z + 1)%Z).
Proof. apply decays_along with O. lia. Qed.

Lemma decays_under M f g : (forall z, Rabs (f z) <= M * Rabs (g z)) -> decays g -> decays f.
Proof.
  intros H (C & q & Hq & Hg). exists (Rabs M * C), q. split; [trivial|]. intro z.
  apply Rle_trans with (1 := H z). rewrite Rmult_assoc. pose proof (Rle_abs M). pose proof (Rabs_pos (g z)).
  specialize (Hg z). apply Rle_trans with (Rabs M * Rabs (g z)); [nra|]. apply Rmult_le_compat_l; [apply Rabs_pos|trivial].
Qed.
Lemma decays_bounded f g : bounded f -> decays g -> decays (fun z => g z * f z).
Proof.
  intros [M HM]. apply decays_under with M. intro z. rewrite Rabs_mult, Rmult_comm.
  apply Rmult_le_compat_r; [apply Rabs_pos|]. apply Rabs_le, HM.
Qed.
Lemma decays_scal a f : decays f -> decays (fun z => a * f z).
Proof. apply decays_under with (Rabs a). intro. rewrite Rabs_mult. lra. Qed.
Lemma decays_ext f g : (forall z, f z = g z) -> decays f -> decays g.
Proof. intro H. apply decays_under with 1. intro. rewrite H. lra. Qed.
Lemma decays_plus f g : decays f -> decays g -> decays (fun z => f z + g z).
Proof.
  intros (C & q & Hq & Hf) (D & r & Hr & Hg). exists (C + D), (Rmax q r). split.
  { unfold Rmax. destruct (Rle_dec q r); lra. }
  assert (0 <= C /\ 0 <= D) as [HC HD].
  { pose proof (Hf 0%Z). pose proof (Hg 0%Z). pose proof (Rabs_pos (f 0%Z)). pose proof (Rabs_pos (g 0%Z)). simpl in *. lra. }
  intro z. apply Rle_trans with (1 := Rabs_triang _ _). specialize (Hf z); specialize (Hg z).
  pose proof (pow_incr q (Rmax q r) (Z.abs_nat z) (conj (Rlt_le _ _ (proj1 Hq)) (Rmax_l q r))).
  pose proof (pow_incr r (Rmax q r) (Z.abs_nat z) (conj (Rlt_le _ _ (proj1 Hr)) (Rmax_r q r))). nra.
Qed.

Lemma decays_side (h : nat -> Z) f : (forall n, n <= Z.abs_nat (h n))%nat -> decays f -> ex_series (fun n => f (h n)).
Proof.
  intros Hh (C & q & Hq & Hf). apply (ex_series_le (V := R_CompleteNormedModule) _ (fun n => C * q ^ n)).
  - intro n. apply Rle_trans with (1 := Hf (h n)). apply Rmult_le_compat_l.
    + pose proof (Hf 0%Z). pose proof (Rabs_pos (f 0%Z)). simpl in *. lra.
    + apply pow_falls; trivial.
  - apply (ex_series_scal_l C (fun n => q ^ n)), ex_series_geom. rewrite Rabs_pos_eq; lra.
Qed.
Lemma decays_up f : decays f -> ex_series (fun n => f (Z.of_nat n)).
Proof. apply decays_side. lia. Qed.
Lemma decays_down f : decays f -> ex_series (fun n => f (-1 - Z.of_nat n)%Z).
Proof. apply decays_side. lia. Qed.
#[export] Hint Resolve decays_shift decays_opp decays_even decays_odd decays_bounded decays_scal decays_plus
  decays_up decays_down : sums.

Lemma total_ext f g : (forall z, f z = g z) -> total f = total g.
Proof. intro H. unfold total. f_equal; apply Series_ext; intro; apply H. Qed.
Lemma total_scal a f : total (fun z => a * f z) = a * total f.
Proof. unfold total. rewrite !Series_scal_l. ring. Qed.
Lemma total_plus f g : decays f -> decays g -> total (fun z => f z + g z) = total f + total g.
Proof. intros. unfold total. rewrite !Series_plus by auto with sums. ring. Qed.

Lemma total_nonneg f : decays f -> (forall z, 0 <= f z) -> 0 <= total f.
Proof.
  intros Hd H. assert (forall a : nat -> R, ex_series a -> (forall n, 0 <= a n) -> 0 <= Series a) as K.
  { intros a Ha H0. rewrite <- (Rmult_0_l (Series a)), <- Series_scal_l. apply Series_le; [|trivial].
    intro n. specialize (H0 n). lra. }
  apply Rplus_le_le_0_compat; apply K; auto with sums.
Qed.
Lemma total_le f g : decays f -> decays g -> (forall z, f z <= g z) -> total f <= total g.
Proof.
  intros Hf Hg H. pose proof (total_nonneg (fun z => g z + -1 * f z)) as K.
  rewrite total_plus, total_scal in K by auto with sums. enough (0 <= total g + -1 * total f) by lra.
  apply K; auto with sums. intro z. specialize (H z). lra.
Qed.

(** One step to the side, and any number of them. *)
Lemma total_step f : decays f -> total (fun z => f (z + 1)%Z) = total f.
Proof.
  intro Hf. unfold total. rewrite (Series_incr_1 (fun n => f (Z.of_nat n))) by auto with sums.
  rewrite (Series_incr_1 (fun n => f (-1 - Z.of_nat n + 1)%Z)) by exact (decays_down _ (decays_shift 1 f Hf)).
  rewrite (Series_ext (fun n => f (Z.of_nat n + 1)%Z) (fun n => f (Z.of_nat (S n)))) by (intro; f_equal; lia).
  rewrite (Series_ext (fun n => f (-1 - Z.of_nat (S n) + 1)%Z) (fun n => f (-1 - Z.of_nat n)%Z)) by (intro; f_equal; lia).
  change (-1 - Z.of_nat 0 + 1)%Z with 0%Z. change (Z.of_nat 0) with 0%Z. ring.
Qed.
Lemma total_shift k f : decays f -> total (fun z => f (z + k)%Z) = total f.
Proof.
  intro Hf. assert (forall n : nat, forall f, decays f -> total (fun z => f (z + Z.of_nat n)%Z) = total f) as H.
  { clear k f Hf. induction n as [|n IH]; intros f Hf.
    - apply total_ext. intro. f_equal. lia.
    - rewrite <- (IH f Hf), <- (total_step (fun z => f (z + Z.of_nat n)%Z)) by auto with sums. apply total_ext. intro. f_equal. lia. }
  destruct (Z.le_ge_cases 0 k) as [Hk|Hk].
  - rewrite <- (H (Z.to_nat k) f Hf). apply total_ext. intro. f_equal. lia.
  - rewrite <- (H (Z.to_nat (- k)) (fun z => f (z + k)%Z)) by auto with sums. apply total_ext. intro. f_equal. lia.
Qed.
Lemma total_opp f : decays f -> total (fun z => f (- z)%Z) = total f.
Proof.
  intro Hf. rewrite <- (total_step f Hf) at 1. unfold total. rewrite Rplus_comm. f_equal; apply Series_ext; intro; f_equal; lia.
Qed.

Lemma total_parity f : decays f -> total f = total (fun z => f (2 * z)%Z) + total (fun z => f (2 * z + 1)%Z).
Proof.
  intro Hf. assert (forall a, ex_series (fun n => a (2 * n)%nat) -> ex_series (fun n => a (2 * n + 1)%nat) ->
    Series a = Series (fun n => a (2 * n)%nat) + Series (fun n => a (2 * n + 1)%nat)) as H.
  { intros a H0 H1. assert (forall a, PSeries a 1 = Series a) as HP
      by (intro; apply Series_ext; intro; rewrite pow1; ring).
    assert (forall a : nat -> R, ex_series a -> ex_pseries a (1 ^ 2)) as HE.
    { intros b Hb. rewrite pow1. apply (ex_series_ext b); trivial. intro n. rewrite pow_n_pow, pow1.
      symmetry. apply (scal_one (V := R_ModuleSpace)). }
    pose proof (PSeries_odd_even a 1 (HE _ H0) (HE _ H1)) as K. rewrite pow1, !HP in K. lra. }
  unfold total.
  rewrite (H (fun n => f (Z.of_nat n))), (H (fun n => f (-1 - Z.of_nat n)%Z)) by (apply (decays_side (fun n => _)); [intro; lia|trivial]).
  rewrite (Series_ext (fun n => f (Z.of_nat (2 * n))) (fun n => f (2 * Z.of_nat n)%Z)) by (intro; f_equal; lia).
  rewrite (Series_ext (fun n => f (Z.of_nat (2 * n + 1))) (fun n => f (2 * Z.of_nat n + 1)%Z)) by (intro; f_equal; lia).
  rewrite (Series_ext (fun n => f (-1 - Z.of_nat (2 * n))%Z) (fun n => f (2 * (-1 - Z.of_nat n) + 1)%Z)) by (intro; f_equal; lia).
  rewrite (Series_ext (fun n => f (-1 - Z.of_nat (2 * n + 1))%Z) (fun n => f (2 * (-1 - Z.of_nat n))%Z)) by (intro; f_equal; lia).
  ring.
Qed.

(** Two sums may be exchanged, if nothing is negative: each is the least upper bound of its finite parts. *)
Definition window N (f : Z -> R) := sum_n (fun n => f (Z.of_nat n) + f (-1 - Z.of_nat n)%Z) N.

Lemma window_limit f : decays f -> is_lim_seq (fun N => window N f) (total f).
Proof.
  intro Hf. unfold total. rewrite <- Series_plus by auto with sums. apply Series_correct.
  apply (ex_series_plus (fun n => f (Z.of_nat n))); auto with sums.
Qed.
Lemma window_le N f : decays f -> (forall z, 0 <= f z) -> window N f <= total f.
Proof.
  intros Hf H. apply (is_lim_seq_incr_compare _ _ (window_limit f Hf)). intro n. unfold window. rewrite sum_Sn.
  change plus with Rplus. specialize (H (Z.of_nat (S n))) as H1. specialize (H (-1 - Z.of_nat (S n))%Z). lra.
Qed.
Lemma total_least f B : decays f -> (forall N, window N f <= B) -> total f <= B.
Proof. intros Hf H. exact (is_lim_seq_le _ _ _ _ H (window_limit f Hf) (is_lim_seq_const B)). Qed.

Lemma window_total N F : (forall a, decays (F a)) ->
  decays (fun b => window N (fun a => F a b)) /\ window N (fun a => total (F a)) = total (fun b => window N (fun a => F a b)).
Proof.
  intro HF. unfold window. induction N as [|N [IH1 IH2]].
  - split; [|rewrite sum_O, <- total_plus by trivial; apply total_ext; intro; rewrite sum_O; trivial].
    apply (decays_ext (fun b => F (Z.of_nat 0) b + F (-1 - Z.of_nat 0)%Z b)); [intro; rewrite sum_O; trivial|].
    apply decays_plus; trivial.
  - assert (forall b, sum_n (fun n => F (Z.of_nat n) b + F (-1 - Z.of_nat n)%Z b) (S N) =
      sum_n (fun n => F (Z.of_nat n) b + F (-1 - Z.of_nat n)%Z b) N + (F (Z.of_nat (S N)) b + F (-1 - Z.of_nat (S N))%Z b)) as E
      by (intro; rewrite sum_Sn; reflexivity).
    split.
    + eapply decays_ext; [intro; symmetry; apply E|]. apply decays_plus; [trivial|]. apply decays_plus; trivial.
    + rewrite sum_Sn, IH2. change plus with Rplus. rewrite <- !total_plus; auto; [|apply decays_plus; auto].
      apply total_ext. intro. rewrite E. trivial.
Qed.

Theorem total_exchange F : (forall a b, 0 <= F a b) -> (forall a, decays (F a)) -> (forall b, decays (fun a => F a b)) ->
  decays (fun a => total (F a)) -> decays (fun b => total (fun a => F a b)) ->
  total (fun a => total (F a)) = total (fun b => total (fun a => F a b)).
Proof.
  assert (forall F, (forall a b, 0 <= F a b) -> (forall a, decays (F a)) -> (forall b, decays (fun a => F a b)) ->
    decays (fun a => total (F a)) -> decays (fun b => total (fun a => F a b)) ->
    total (fun a => total (F a)) <= total (fun b => total (fun a => F a b))) as H.
  { clear F. intros F H0 Ha Hb Hta Htb. apply total_least; [trivial|]. intro N.
    destruct (window_total N F Ha) as [Hd ->]. apply total_le; trivial. intro b. apply window_le; auto. }
  intros. apply Rle_antisym; [apply H|apply (H (fun b a => F a b))]; trivial.
Qed.

Lemma total_at k a : total (fun z => if Z.eqb k z then a else 0) = a.
Proof.
  assert (decays (fun z => if Z.eqb k z then a else 0)) as Hd.
  { exists (Rabs a / (/ 2) ^ Z.abs_nat k), (/ 2). split; [lra|]. pose proof (fun n => pow_lt (/ 2) n ltac:(lra)) as Hp.
    intro z. destruct (Z.eqb_spec k z) as [<-|]; [right; field; specialize (Hp (Z.abs_nat k)); lra|].
    rewrite Rabs_R0. apply Rmult_le_pos; [|left; apply Hp]. apply Rmult_le_pos; [apply Rabs_pos|left; apply Rinv_0_lt_compat, Hp]. }
  rewrite <- (total_shift k _ Hd). unfold total.
  rewrite (Series_incr_1 (fun n => if Z.eqb k (Z.of_nat n + k) then a else 0)) by exact (decays_up _ (decays_shift k _ Hd)).
  rewrite (Series_ext _ (fun n => 0 * 0)), (Series_ext (fun n => if Z.eqb k (-1 - Z.of_nat n + k) then a else 0) (fun n => 0 * 0)).
  - rewrite !Series_scal_l. rewrite Z.add_0_l, Z.eqb_refl. ring.
  - intro n. destruct (Z.eqb_spec k (-1 - Z.of_nat n + k)); [lia|ring].
  - intro n. destruct (Z.eqb_spec k (Z.of_nat (S n) + k)); [lia|ring].
Qed.
