(** Discrete Gaussian noise [Canonne, Kamath and Steinke 2020]: its law, and what it loses as zCDP, exactly. *)
From Coq Require Import ZArith Reals Lra Lia List.
From Discreet Require Import Law Laplace Sums Concentrated.
Import ListNotations.
Open Scope R_scope.

Definition bell v t := exp (- (t ^ 2 / (2 * v))).
Definition theta v x := total (fun z => bell v (IZR z - x)).

Lemma bell_pos v t : 0 < bell v t.
Proof. apply exp_pos. Qed.

Lemma bell_decays v x : 0 < v -> decays (fun z => bell v (IZR z - x)).
Proof.
  intro Hv. pose proof (Rinv_0_lt_compat v Hv) as Hi. exists (exp ((2 * Rabs x + 1) / (2 * v))), (exp (- / v)). split.
  { split; [apply exp_pos|]. rewrite <- exp_0. apply exp_increasing. lra. }
  intro z. unfold bell. rewrite Rabs_pos_eq by (left; apply exp_pos). rewrite <- (Rpower_pow (Z.abs_nat z)) by apply exp_pos.
  unfold Rpower. rewrite ln_exp, <- exp_plus. apply exp_mono.
  rewrite INR_IZR_INZ, Nat2Z.inj_abs_nat, abs_IZR.
  assert (2 * Rabs (IZR z) - (2 * Rabs x + 1) <= (IZR z - x) ^ 2) as H.
  { pose proof (Rabs_triang_inv (IZR z) x). pose proof (pow2_ge_0 (Rabs (IZR z - x) - 1)).
    rewrite <- (pow2_abs (IZR z - x)). nra. }
  unfold Rdiv. rewrite Rinv_mult. apply Rmult_le_compat_r with (r := / 2 * / v) in H; nra.
Qed.
#[export] Hint Resolve bell_decays : sums.

Lemma bell_near v x : 0 < v -> bell v (IZR 0 - x) <= theta v x.
Proof.
  intro Hv. rewrite <- (total_at 0 (bell v (IZR 0 - x))). unfold theta.
  assert (decays (fun z => if Z.eqb 0 z then bell v (IZR 0 - x) else 0)) as Hd.
  { apply decays_under with (1) (fun z => bell v (IZR z - x)); auto with sums. intro z. pose proof (bell_pos v (IZR z - x)).
    rewrite Rmult_1_l, (Rabs_pos_eq (bell _ _)) by lra. destruct (Z.eqb_spec 0 z) as [<-|]; [|rewrite Rabs_R0; lra].
    rewrite Rabs_pos_eq; lra. }
  apply total_le; auto with sums. intro z. pose proof (bell_pos v (IZR z - x)). destruct (Z.eqb_spec 0 z) as [<-|]; lra.
Qed.
Lemma theta_pos v x : 0 < v -> 0 < theta v x.
Proof. intro Hv. pose proof (bell_near v x Hv). pose proof (bell_pos v (IZR 0 - x)). lra. Qed.

(** ** The sum is the greatest without a shift

    Two bells multiplied are two others, of the sum and of the difference; integers have a sum and a difference of one
    parity. So S(x)^4 <= S(2x) S(0)^3; were S(x) above S(0), S(2x), S(4x), ... would grow beyond every bound, and S is
    bounded. *)
Section Greatest.
  Variable v : R.
  Hypothesis Hv : 0 < v.

  Theorem theta_period x k : theta v (x + IZR k) = theta v x.
  Proof.
    unfold theta. rewrite <- (total_shift k (fun z => bell v (IZR z - (x + IZR k)))) by auto with sums.
    apply total_ext. intro z. f_equal. rewrite plus_IZR. ring.
  Qed.

  Definition evens x := total (fun z => bell (2 * v) (IZR (2 * z) - x)).
  Definition odds x := total (fun z => bell (2 * v) (IZR (2 * z + 1) - x)).

  Lemma bells_turn s t : bell v s * bell v t = bell (2 * v) (s + t) * bell (2 * v) (s - t).
  Proof. unfold bell. rewrite <- !exp_plus. f_equal. field. lra. Qed.

  Lemma wide : 0 < 2 * v.
  Proof. lra. Qed.

  Lemma evens_decay x : decays (fun z => bell (2 * v) (IZR (2 * z) - x)).
  Proof. exact (decays_even _ (bell_decays (2 * v) x wide)). Qed.
  Lemma odds_decay x : decays (fun z => bell (2 * v) (IZR (2 * z + 1) - x)).
  Proof. exact (decays_odd _ (bell_decays (2 * v) x wide)). Qed.
  Hint Resolve evens_decay odds_decay wide : sums.

  Lemma theta_parity x : theta (2 * v) x = evens x + odds x.
  Proof. exact (total_parity _ (bell_decays (2 * v) x wide)). Qed.

  Lemma evens_nonneg x : 0 <= evens x.
  Proof. apply total_nonneg; auto with sums. intro. left. apply bell_pos. Qed.
  Lemma odds_nonneg x : 0 <= odds x.
  Proof. apply total_nonneg; auto with sums. intro. left. apply bell_pos. Qed.

  (** For a given sum u of two integers, all integers of its parity are differences. *)
  Lemma differences x y u : total (fun a => bell v (IZR a - x) * bell v (IZR (u - a) - y)) =
    bell (2 * v) (IZR u - (x + y)) * (if Z.even u then evens (x - y) else odds (x - y)).
  Proof.
    rewrite (total_ext _ (fun a => bell (2 * v) (IZR u - (x + y)) * bell (2 * v) (IZR (2 * a - u) - (x - y)))).
    2: { intro a. rewrite bells_turn. f_equal; f_equal; rewrite !minus_IZR; try rewrite mult_IZR; ring. }
    rewrite total_scal. f_equal. pose proof (Zdiv2_odd_eqn u) as Hu. rewrite <- Z.negb_even in Hu.
    destruct (Z.even u); cbn [negb] in Hu.
    - unfold evens. rewrite <- (total_shift (- Z.div2 u) (fun z => bell (2 * v) (IZR (2 * z) - (x - y)))) by auto with sums.
      apply total_ext. intro a. do 3 f_equal. lia.
    - unfold odds. rewrite <- (total_shift (- Z.div2 u - 1) (fun z => bell (2 * v) (IZR (2 * z + 1) - (x - y)))) by auto with sums.
      apply total_ext. intro a. do 3 f_equal. lia.
  Qed.

  Lemma theta_product x y : theta v x * theta v y = evens (x + y) * evens (x - y) + odds (x + y) * odds (x - y).
  Proof.
    assert (forall b : Z -> Z, bounded (fun a => bell v (IZR (b a) - y))) as Hb.
    { intro b. exists 1. intro a. pose proof (bell_pos v (IZR (b a) - y)). split; [lra|]. unfold bell. rewrite <- exp_0. apply exp_mono.
      pose proof (pow2_ge_0 (IZR (b a) - y)). unfold Rdiv. pose proof (Rinv_0_lt_compat (2 * v) wide). nra. }
    set (F a u := bell v (IZR a - x) * bell v (IZR (u - a) - y)).
    assert (forall a, decays (F a)) as Ha.
    { intro a. apply decays_scal. exact (decays_shift (- a) (fun z => bell v (IZR z - y)) (bell_decays v y Hv)). }
    assert (forall a, total (F a) = theta v y * bell v (IZR a - x)) as Ea.
    { intro a. unfold F. rewrite total_scal, Rmult_comm. f_equal.
      exact (total_shift (- a) (fun z => bell v (IZR z - y)) (bell_decays v y Hv)). }
    assert (forall u, decays (fun a => F a u)) as Hu by (intro u; apply decays_bounded; [apply (Hb (fun a => (u - a)%Z))|auto with sums]).
    set (G u := bell (2 * v) (IZR u - (x + y)) * (if Z.even u then evens (x - y) else odds (x - y))).
    assert (forall u, total (fun a => F a u) = G u) as Eu by (intro; apply differences).
    assert (decays G) as HG.
    { apply decays_bounded; [|auto with sums]. pose proof (evens_nonneg (x - y)). pose proof (odds_nonneg (x - y)).
      exists (evens (x - y) + odds (x - y)). intro u. destruct (Z.even u); lra. }
    transitivity (total (fun a => total (F a))).
    { rewrite (total_ext _ _ Ea), total_scal. apply Rmult_comm. }
    rewrite total_exchange; trivial.
    - rewrite (total_ext _ _ Eu), total_parity by trivial. unfold G. f_equal.
      + rewrite (total_ext _ (fun z => evens (x - y) * bell (2 * v) (IZR (2 * z) - (x + y)))), total_scal; [apply Rmult_comm|].
        intro z. rewrite Z.even_mul. simpl orb. cbv iota. apply Rmult_comm.
      + rewrite (total_ext _ (fun z => odds (x - y) * bell (2 * v) (IZR (2 * z + 1) - (x + y)))), total_scal; [apply Rmult_comm|].
        intro z. rewrite Z.add_comm, Z.even_add_mul_2. simpl Z.even. cbv iota. rewrite Z.add_comm. apply Rmult_comm.
    - intros a b. unfold F. pose proof (bell_pos v (IZR a - x)). pose proof (bell_pos v (IZR (b - a) - y)). nra.
    - apply (decays_ext (fun a => theta v y * bell v (IZR a - x))); [intro; rewrite Ea; trivial|auto with sums].
    - apply (decays_ext G); [intro; rewrite Eu; trivial|trivial].
  Qed.

  Lemma theta_doubles x : theta v x ^ 4 <= theta v (2 * x) * theta v 0 ^ 3.
  Proof.
    pose proof (theta_product x x) as H1. pose proof (theta_product (2 * x) 0) as H2. pose proof (theta_product 0 0) as H3.
    replace (x + x) with (2 * x) in H1 by ring. replace (x - x) with 0 in H1 by ring.
    rewrite Rplus_0_r, Rminus_0_r in H2. rewrite Rplus_0_r, Rminus_0_r in H3.
    replace (theta v x ^ 4) with ((theta v x * theta v x) ^ 2) by ring.
    replace (theta v (2 * x) * theta v 0 ^ 3) with ((theta v (2 * x) * theta v 0) * (theta v 0 * theta v 0)) by ring.
    rewrite H1, H2, H3. pose proof (pow2_ge_0 (evens (2 * x) * odds 0 - odds (2 * x) * evens 0)). nra.
  Qed.

  Lemma theta_bounded x : theta v x <= exp (/ v) * theta (2 * v) 0.
  Proof.
    assert (forall x, 0 <= x <= 1 -> theta v x <= exp (/ v) * theta (2 * v) 0) as H.
    { clear x. intros x Hx. unfold theta. rewrite <- total_scal. apply total_le; auto with sums. intro z.
      unfold bell. rewrite <- exp_plus. apply exp_mono. rewrite Rminus_0_r.
      assert (IZR z ^ 2 <= 2 * (IZR z - x) ^ 2 + 2) as Hz by (pose proof (pow2_ge_0 (IZR z - 2 * x)); nra).
      pose proof (Rinv_0_lt_compat v Hv). unfold Rdiv. rewrite !Rinv_mult.
      apply Rmult_le_compat_r with (r := / v) in Hz; lra. }
    destruct (archimed (- x)) as [H1 H2]. rewrite <- (theta_period x (up (- x))). apply H. lra.
  Qed.

  (** A number of which every fourth power of a fourth power ... is bounded is at most 1. *)
  Theorem theta_greatest x : theta v x <= theta v 0.
  Proof.
    pose proof (theta_pos v 0 Hv) as H0. set (r x := theta v x / theta v 0).
    assert (forall x, theta v x = r x * theta v 0) as Er by (intro; unfold r; field; lra).
    assert (forall x, 0 < r x) as Hr by (intro; apply Rdiv_lt_0_compat; [apply theta_pos|]; trivial).
    assert (forall x, r x ^ 4 <= r (2 * x)) as H4.
    { intro y. pose proof (theta_doubles y) as H. rewrite (Er y), (Er (2 * y)) in H. pose proof (pow_lt (theta v 0) 4 H0).
      apply Rmult_le_reg_r with (theta v 0 ^ 4); [trivial|]. lra. }
    assert (forall n x, 1 < r x -> 1 + INR (S n) * (r x - 1) <= r (2 ^ n * x)) as Hn.
    { induction n as [|n IH]; intros y Hy; [simpl; rewrite !Rmult_1_l; lra|].
      replace (2 ^ S n * y) with (2 ^ n * (2 * y)) by (simpl; ring). specialize (H4 y).
      assert (1 + 2 * (r y - 1) <= r (2 * y)).
      { apply Rle_trans with (2 := H4). replace (r y ^ 4) with ((r y * r y) * (r y * r y)) by ring.
        assert (2 * r y - 1 <= r y * r y) by nra. assert (1 <= r y * r y) by nra. nra. }
      apply Rle_trans with (2 := IH (2 * y) ltac:(lra)). rewrite (S_INR (S n)). pose proof (le_INR 1 (S n) ltac:(lia)) as K. simpl (INR 1) in K. nra. }
    rewrite (Er x). apply Rnot_lt_le. intro Hx. assert (1 < r x) as H1 by nra.
    set (M := exp (/ v) * theta (2 * v) 0 / theta v 0).
    assert (forall y, r y <= M).
    { intro y. unfold r, M, Rdiv. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; trivial|apply theta_bounded]. }
    destruct (above (M / (r x - 1))) as [n Hn']. specialize (Hn n x H1). specialize (H (2 ^ n * x)). rewrite S_INR in Hn.
    apply Rmult_lt_compat_r with (r := r x - 1) in Hn'; [|lra]. unfold Rdiv in Hn'. rewrite Rmult_assoc, Rinv_l in Hn'; lra.
  Qed.
End Greatest.

(** ** The law *)

Lemma bell_sums v : 0 < v -> decays (fun z => bell v (IZR z)) /\ 0 < total (fun z => bell v (IZR z)).
Proof.
  intro Hv. split.
  - apply (decays_ext (fun z => bell v (IZR z - 0))); [intro; rewrite Rminus_0_r; trivial|auto with sums].
  - rewrite (total_ext _ (fun z => bell v (IZR z - 0))) by (intro; rewrite Rminus_0_r; trivial).
    change (0 < theta v 0). apply theta_pos; trivial.
Qed.

Definition gaussian (v : R) : law Z.
Proof.
  refine (match Rlt_dec 0 v with
    left Hv => Law (fun f => total (fun z => bell v (IZR z) * f z) / total (fun z => bell v (IZR z))) _ _ _
    | right _ => ret 0%Z end); destruct (bell_sums v Hv) as [Hd H0].
  - intros a b f g Hf Hg. rewrite (total_ext _ (fun z => a * (bell v (IZR z) * f z) + b * (bell v (IZR z) * g z))) by (intro; ring).
    rewrite total_plus, !total_scal by auto with sums. field. lra.
  - intros f g Hf Hg H. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; trivial|].
    apply total_le; auto with sums. intro z. specialize (H z). pose proof (bell_pos v (IZR z)). nra.
  - rewrite (total_ext _ (fun z => bell v (IZR z))) by (intro; ring). field. lra.
Defined.

Definition noised v (x : Z) : law Z := z <- gaussian v ;; ret (x + z)%Z.

Lemma theta_0 v : theta v 0 = total (fun z => bell v (IZR z)).
Proof. apply total_ext. intro. rewrite Rminus_0_r. trivial. Qed.

Section Gaussian.
  Variable v : R.
  Hypothesis Hv : 0 < v.

  Theorem gaussian_is f : gaussian v f = total (fun z => bell v (IZR z) * f z) / theta v 0.
  Proof. rewrite theta_0. unfold gaussian. destruct (Rlt_dec 0 v); [trivial|tauto]. Qed.

  Lemma noised_is x f : bounded f -> noised v x f = total (fun y => bell v (IZR y - IZR x) * f y) / theta v 0.
  Proof.
    intro Hf. cbn [noised bind ret E]. rewrite gaussian_is. f_equal.
    rewrite <- (total_shift x (fun y => bell v (IZR y - IZR x) * f y)) by auto with sums.
    apply total_ext. intro z. rewrite plus_IZR. f_equal; f_equal; [ring|lia].
  Qed.

  Theorem gaussian_law z : Pr (gaussian v) (Z.eqb z) = bell v (IZR z) / theta v 0.
  Proof.
    unfold Pr. rewrite gaussian_is. f_equal. rewrite <- (total_at z (bell v (IZR z))) at 1. apply total_ext.
    intro y. unfold event. destruct (Z.eqb_spec z y) as [<-|]; ring.
  Qed.

  Theorem gaussian_symmetric f : bounded f -> gaussian v (fun z => f (- z)%Z) = gaussian v f.
  Proof.
    intro Hf. rewrite !gaussian_is. f_equal. assert (decays (fun z => bell v (IZR z))) as Hd.
    { apply (decays_ext (fun z => bell v (IZR z - 0))); [intro; rewrite Rminus_0_r; trivial|auto with sums]. }
    rewrite <- (total_opp (fun z => bell v (IZR z) * f z)) by auto with sums.
    apply total_ext. intro z. f_equal. rewrite opp_IZR. unfold bell. do 2 f_equal. f_equal. ring.
  Qed.

  (** E exp(tZ) is at most that of the continuous law: Z is subgaussian. *)
  Theorem gaussian_subgaussian t : total (fun z => bell v (IZR z) / theta v 0 * exp (t * IZR z)) <= exp (v * t ^ 2 / 2).
  Proof.
    pose proof (theta_pos v 0 Hv). rewrite (total_ext _ (fun z => exp (v * t ^ 2 / 2) / theta v 0 * bell v (IZR z - v * t))).
    - rewrite total_scal. fold (theta v (v * t)). pose proof (theta_greatest v Hv (v * t)). pose proof (exp_pos (v * t ^ 2 / 2)).
      apply Rmult_le_reg_r with (theta v 0); [trivial|].
      replace (exp (v * t ^ 2 / 2) / theta v 0 * theta v (v * t) * theta v 0) with (exp (v * t ^ 2 / 2) * theta v (v * t)) by (field; lra).
      nra.
    - intro z. unfold bell, Rdiv. rewrite (Rmult_comm (exp _) (/ theta v 0)), (Rmult_comm (exp (v * t ^ 2 * / 2))), !Rmult_assoc, <- !exp_plus.
      do 2 f_equal. field. lra.
  Qed.

  (** The Renyi divergence of any real order, exactly: at most that of the continuous law, and that at whole a d. *)
  Theorem gaussian_renyi a d :
    total (fun y => Rpower (bell v (IZR y - d) / theta v 0) a * Rpower (bell v (IZR y) / theta v 0) (1 - a)) =
    exp (a * (a - 1) * d ^ 2 / (2 * v)) * (theta v (a * d) / theta v 0).
  Proof.
    pose proof (theta_pos v 0 Hv) as H0. set (S := theta v 0) in *.
    assert (forall t, bell v t / S = exp (- (t ^ 2 / (2 * v)) - ln S)) as Hs
      by (intro; rewrite exp_less; trivial).
    rewrite (total_ext _ (fun y => exp (a * (a - 1) * d ^ 2 / (2 * v)) / S * bell v (IZR y - a * d))).
    - rewrite total_scal. fold (theta v (a * d)). unfold Rdiv. ring.
    - intro y. replace (exp (a * (a - 1) * d ^ 2 / (2 * v)) / S * bell v (IZR y - a * d))
        with (exp (a * (a - 1) * d ^ 2 / (2 * v)) * (bell v (IZR y - a * d) / S)) by (unfold Rdiv; ring).
      rewrite !Hs. unfold Rpower. rewrite !ln_exp, <- !exp_plus. f_equal. field. lra.
  Qed.

  Theorem gaussian_renyi_most a d :
    total (fun y => Rpower (bell v (IZR y - d) / theta v 0) a * Rpower (bell v (IZR y) / theta v 0) (1 - a)) <=
    exp (a * (a - 1) * d ^ 2 / (2 * v)).
  Proof.
    pose proof (theta_pos v 0 Hv). pose proof (theta_greatest v Hv (a * d)). rewrite gaussian_renyi.
    pose proof (exp_pos (a * (a - 1) * d ^ 2 / (2 * v))). assert (theta v (a * d) / theta v 0 <= 1); [|nra].
    apply Rmult_le_reg_r with (theta v 0); [trivial|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
  Qed.

  (** So integer noise is d^2 / 2v-zCDP, *)
  Theorem noised_concentrated d :
    zcdp (fun x x' => Z.abs (x - x') <= Z.of_nat d)%Z (INR d ^ 2 / (2 * v)) (noised v).
  Proof.
    intros x x' Hx a g Ha Hg. set (S := theta v 0). pose proof (theta_pos v 0 Hv) as HS. fold S in HS.
    set (e := IZR x - IZR x'). set (r := e ^ 2 / (2 * v)).
    assert (r <= INR d ^ 2 / (2 * v)) as Hr.
    { unfold r, Rdiv. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|]. rewrite <- (pow2_abs e). apply pow_incr.
      split; [apply Rabs_pos|]. unfold e. rewrite <- minus_IZR, <- abs_IZR, INR_IZR_INZ. apply IZR_le. trivial. }
    pose proof (E_exp (noised v x) (a - 1) g Hg) as HP. pose proof (E_exp (noised v x') a g Hg) as HQ.
    set (m := noised v x' (fun y => exp (a * g y))) in *.
    assert (0 < / a < 1) as Hi. { split; [apply Rinv_0_lt_compat; lra|]. rewrite <- Rinv_1. apply Rinv_lt_contravar; lra. }
    set (A := exp ((a - 1) * r + (1 - / a) * ln m)). pose proof (exp_pos ((a - 1) * r + (1 - / a) * ln m)) as HA. fold A in HA.
    assert (noised v x (fun y => exp ((a - 1) * g y)) <= A) as H.
    { (* Young's inequality, y by y. *)
      assert (forall y, bell v (IZR y - IZR x) * exp ((a - 1) * g y) <=
        A * / a * bell v (IZR y - (IZR x' + a * e)) + A * (1 - / a) / m * (bell v (IZR y - IZR x') * exp (a * g y))) as Hy.
      { intro y. pose proof (exp_convex (/ a) (- ((IZR y - (IZR x' + a * e)) ^ 2 / (2 * v)))
          (- ((IZR y - IZR x') ^ 2 / (2 * v)) + a * g y - ln m) ltac:(lra)) as C.
        replace (/ a * - ((IZR y - (IZR x' + a * e)) ^ 2 / (2 * v)) + (1 - / a) * (- ((IZR y - IZR x') ^ 2 / (2 * v)) + a * g y - ln m))
          with (- ((IZR y - IZR x) ^ 2 / (2 * v)) + (a - 1) * g y - ((a - 1) * r + (1 - / a) * ln m)) in C
          by (unfold r, e; field; lra).
        apply Rmult_le_compat_l with (r := A) in C; [|lra]. unfold A at 1 in C. rewrite <- exp_plus in C.
        replace ((a - 1) * r + (1 - / a) * ln m + (- ((IZR y - IZR x) ^ 2 / (2 * v)) + (a - 1) * g y - ((a - 1) * r + (1 - / a) * ln m)))
          with (- ((IZR y - IZR x) ^ 2 / (2 * v)) + (a - 1) * g y) in C by ring.
        rewrite exp_less, !exp_plus in C by trivial.
        fold (bell v (IZR y - IZR x)) (bell v (IZR y - IZR x')) (bell v (IZR y - (IZR x' + a * e))) in C.
        apply Rle_trans with (1 := C). right. field. lra. }
      rewrite noised_is by auto with law. assert (decays (fun y => bell v (IZR y - IZR x') * exp (a * g y))) by auto with sums law.
      apply Rle_trans with (total (fun y => A * / a * bell v (IZR y - (IZR x' + a * e)) +
        A * (1 - / a) / m * (bell v (IZR y - IZR x') * exp (a * g y))) / S).
      { apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; trivial|]. apply total_le; auto with sums law. }
      rewrite total_plus, !total_scal by auto with sums. fold (theta v (IZR x' + a * e)).
      assert (total (fun y => bell v (IZR y - IZR x') * exp (a * g y)) = m * S) as ->.
      { unfold m. rewrite noised_is by auto with law. unfold S in *. field. lra. }
      pose proof (theta_greatest v Hv (IZR x' + a * e)) as Hg'. fold S in Hg'.
      apply Rmult_le_reg_r with S; [trivial|].
      replace ((A * / a * theta v (IZR x' + a * e) + A * (1 - / a) / m * (m * S)) / S * S)
        with (A * / a * theta v (IZR x' + a * e) + A * (1 - / a) * S) by (field; lra).
      assert (A * / a * theta v (IZR x' + a * e) <= A * / a * S) by (apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|trivial]). lra. }
    apply ln_mono in H; trivial. unfold A in H. rewrite ln_exp in H.
    apply Rmult_le_compat_r with (r := / (a - 1)) in H; [|left; apply Rinv_0_lt_compat; lra].
    replace (((a - 1) * r + (1 - / a) * ln m) * / (a - 1)) with (r + ln m / a) in H by (field; lra). unfold Rdiv in *. lra.
  Qed.

  (** ** The profile: delta at any epsilon, exactly, between numbers

      Where the loss is above epsilon the noise is k or more, and there all of it counts. *)
  Definition first d eps := (Int_part (eps * v / IZR d - IZR d / 2) + 1)%Z.
  Definition profile d eps :=
    Pr (gaussian v) (Z.leb (first d eps)) - exp eps * Pr (gaussian v) (Z.leb (first d eps + d)).

  Lemma bell_decays_0 c : decays (fun z => bell v (IZR (z + c))).
  Proof.
    apply (decays_ext (fun z => bell v (IZR z - IZR (- c)))); [|auto with sums].
    intro z. f_equal. rewrite opp_IZR, plus_IZR. ring.
  Qed.
  Lemma gaussian_shift c h : bounded h ->
    gaussian v (fun z => h (z - c)%Z) = total (fun z => bell v (IZR (z + c)) * h z) / theta v 0.
  Proof.
    intro Hh. rewrite gaussian_is. f_equal. rewrite <- (total_shift (- c) (fun z => bell v (IZR (z + c)) * h z)).
    - apply total_ext. intro z. replace (z + - c + c)%Z with z by lia. trivial.
    - apply decays_bounded; [trivial|apply bell_decays_0].
  Qed.

  Lemma gaussian_first c eps h : (1 <= c)%Z -> test h ->
    gaussian v h <= exp eps * gaussian v (fun z => h (z - c)%Z) + profile c eps.
  Proof.
    intros Hc Hh. set (k := first c eps). pose proof (theta_pos v 0 Hv) as HS. apply IZR_le in Hc as Hc'.
    assert (forall z, (bell v (IZR (z + 0)) - exp eps * bell v (IZR (z + c))) * (event (Z.leb k) z - h z) >= 0) as Hz.
    { intro z. specialize (Hh z). destruct (base_Int_part (eps * v / IZR c - IZR c / 2)) as [H1 H2].
      assert (bell v (IZR (z + 0)) = exp ((2 * IZR z * IZR c + IZR c ^ 2) / (2 * v)) * bell v (IZR (z + c))) as ->.
      { unfold bell. rewrite <- exp_plus. f_equal. rewrite Z.add_0_r, plus_IZR. field. lra. }
      pose proof (bell_pos v (IZR (z + c))).
      assert ((2 * IZR z * IZR c + IZR c ^ 2) / (2 * v) - eps =
        (IZR z - (eps * v / IZR c - IZR c / 2)) * (IZR c / v)) as Hl by (field; lra).
      assert (0 < IZR c / v) by (apply Rdiv_lt_0_compat; lra).
      set (l := (2 * IZR z * IZR c + IZR c ^ 2) / (2 * v)) in *.
      set (t := eps * v / IZR c - IZR c / 2) in *.
      replace (exp l * bell v (IZR (z + c)) - exp eps * bell v (IZR (z + c))) with ((exp l - exp eps) * bell v (IZR (z + c))) by ring.
      unfold event. destruct (Z.leb_spec k z) as [Hk|Hk].
      - assert (t < IZR z). { apply IZR_le in Hk. unfold k, first in Hk. fold t in Hk. rewrite plus_IZR in Hk. lra. }
        assert (exp eps < exp l) by (apply exp_increasing; nra).
        apply Rle_ge, Rmult_le_pos; [apply Rmult_le_pos; lra|lra].
      - assert (IZR z <= t). { unfold k, first in Hk. fold t in Hk. assert (z <= Int_part t)%Z as Hk' by lia. apply IZR_le in Hk'. lra. }
        assert (exp l <= exp eps) by (apply exp_mono; nra).
        replace ((exp l - exp eps) * bell v (IZR (z + c)) * (0 - h z)) with ((exp eps - exp l) * bell v (IZR (z + c)) * h z) by ring.
        apply Rle_ge, Rmult_le_pos; [apply Rmult_le_pos; lra|lra]. }
    assert (forall g, bounded g -> gaussian v g = total (fun z => bell v (IZR (z + 0)) * g z) / theta v 0) as G0.
    { intros g Hg. rewrite <- gaussian_shift by trivial. apply E_ext; [trivial|]. intro. f_equal. lia. }
    assert (Pr (gaussian v) (Z.leb (k + c)) = gaussian v (fun z => event (Z.leb k) (z - c)%Z)) as Ek.
    { unfold Pr. ext. intro z. unfold event. destruct (Z.leb_spec (k + c) z), (Z.leb_spec k (z - c)); trivial; lia. }
    unfold profile. fold k. rewrite Ek. unfold Pr. rewrite !gaussian_shift, !G0 by auto with law.
    assert (forall g b, bounded g -> decays (fun z => bell v (IZR (z + b)) * g z)) as Hd
      by (intros; apply decays_bounded; [trivial|apply bell_decays_0]).
    assert (0 <= total (fun z => (bell v (IZR (z + 0)) * event (Z.leb k) z + exp eps * (bell v (IZR (z + c)) * h z)) +
      -1 * (bell v (IZR (z + 0)) * h z + exp eps * (bell v (IZR (z + c)) * event (Z.leb k) z)))) as K.
    { apply total_nonneg; [auto 10 with sums law|]. intro z. specialize (Hz z). lra. }
    rewrite total_plus, total_scal, !total_plus, !total_scal in K by auto 10 with sums law.
    apply Rmult_le_reg_r with (theta v 0); [trivial|]. unfold Rdiv.
    rewrite Rmult_plus_distr_r, Rmult_minus_distr_r, !Rmult_assoc, Rinv_l, !Rmult_1_r by lra. lra.
  Qed.

  Lemma noised_opp x f : bounded f -> noised v (- x) (fun y => f (- y)%Z) = noised v x f.
  Proof.
    intro Hf. assert (forall h : Z -> Z, bounded (fun z => f (h z))) as Hb by (destruct Hf as [M HM]; exists M; intro; apply HM).
    cbn [noised bind ret E]. rewrite <- (gaussian_symmetric (fun z => f (x + z)%Z)) by apply (Hb (fun z => x + z)%Z).
    apply E_ext; [apply (Hb (fun z => - (- x + z))%Z)|]. intro z. f_equal. lia.
  Qed.

  Theorem noised_profile d eps : (1 <= d)%Z ->
    dp (fun x x' => Z.abs (x - x') <= d)%Z eps (profile d eps) (noised v) /\
    forall delta, dp (fun x x' => Z.abs (x - x') <= d)%Z eps delta (noised v) -> profile d eps <= delta.
  Proof.
    intro Hd. pose proof (exp_pos eps) as He.
    assert (forall c x, (1 <= c <= d)%Z -> close eps (profile d eps) (noised v (x + c)) (noised v x)) as Hup.
    { intros c x Hc f Hf. pose proof (gaussian_first c eps (fun z => f (x + c + z)%Z) ltac:(lia) (fun z => Hf _)) as H1.
      pose proof (gaussian_first d eps (event (Z.leb (first c eps))) Hd (test_event _)) as H2.
      assert (gaussian v (fun z => f (x + c + (z - c))%Z) = noised v x f) as E1
        by (cbn [noised bind ret E]; apply E_ext; [apply test_bounded; intro; apply Hf|intro; f_equal; lia]).
      cbv beta in H1. rewrite E1 in H1. cbn [noised bind ret E] in *.
      enough (profile c eps <= profile d eps) by lra. unfold profile at 1.
      assert (gaussian v (fun z => event (Z.leb (first c eps)) (z - d)%Z) <= Pr (gaussian v) (Z.leb (first c eps + c))) as H3.
      { apply E_le; [apply test_bounded; intro; apply test_event|auto with law|]. intro z. unfold event.
        destruct (Z.leb_spec (first c eps) (z - d)), (Z.leb_spec (first c eps + c) z); lra || lia. }
      unfold Pr at 1. nra. }
    split.
    - intros x x' Hx. destruct (Z.lt_trichotomy x x') as [Hl|[<-|Hl]].
      + intros f Hf. rewrite <- (noised_opp x f), <- (noised_opp x' f) by auto with law.
        pose proof (Hup (x' - x) (- x'))%Z as H. replace (- x' + (x' - x))%Z with (- x)%Z in H by lia.
        apply H; [lia|]. intro; apply Hf.
      + intros f Hf. pose proof (Hup d 0%Z ltac:(lia)) as H. pose proof (close_delta _ _ _ _ H) as H0.
        specialize (H (fun _ => 1) ltac:(intro; lra)). rewrite !E_const in H. pose proof (E_test (noised v x) f Hf).
        destruct (Rle_lt_dec 1 (exp eps)); nra.
      + pose proof (Hup (x - x') x')%Z as H. replace (x' + (x - x'))%Z with x in H by lia. apply H. lia.
    - intros delta H. specialize (H d 0%Z ltac:(cbv beta; lia) (event (Z.leb (first d eps + d))) (test_event _)).
      unfold profile. cbn [noised bind ret E] in H.
      assert (gaussian v (fun z => event (Z.leb (first d eps + d)) (d + z)%Z) = Pr (gaussian v) (Z.leb (first d eps))) as E1.
      { unfold Pr. ext. intro z. unfold event. destruct (Z.leb_spec (first d eps + d) (d + z)), (Z.leb_spec (first d eps) z); trivial; lia. }
      assert (gaussian v (fun z => event (Z.leb (first d eps + d)) (0 + z)%Z) = Pr (gaussian v) (Z.leb (first d eps + d))) as E2 by trivial.
      rewrite E1, E2 in H. lra.
  Qed.
End Gaussian.

(** Vectors: composition. *)
Fixpoint noiseds v (xs : list Z) : law (list Z) :=
  match xs with [] => ret [] | x :: xs => y <- noised v x ;; ys <- noiseds v xs ;; ret (y :: ys) end.
Fixpoint squares (xs xs' : list Z) : R :=
  match xs, xs' with x :: xs, x' :: xs' => IZR (x - x') ^ 2 + squares xs xs' | _, _ => 0 end.

Lemma noiseds_law v xs : 0 < v -> forall ys, length xs = length ys ->
  Pr (noiseds v xs) (these ys) = exp (- (squares ys xs / (2 * v)) - INR (length xs) * ln (theta v 0)).
Proof.
  intro Hv. pose proof (theta_pos v 0 Hv) as HS. induction xs as [|x xs IH]; intros [|y ys] Hl; simpl in Hl; try discriminate.
  - unfold Pr, event, these. simpl. rewrite <- exp_0. f_equal. field. lra.
  - specialize (IH ys ltac:(lia)). unfold Pr in *. cbn [noiseds]. cbn [noised bind ret E].
    transitivity (gaussian v (fun z => noiseds v xs (event (these ys)) * event (Z.eqb (y - x)) z + 0)).
    + apply E_ext; [apply test_bounded; intro; apply E_test; intro; apply test_event|]. intro z.
      unfold event at 3. destruct (Z.eqb_spec (y - x) z) as [<-|Hz].
      * transitivity (noiseds v xs (event (these ys))); [|ring]. ext. intro ys'. unfold event, these.
        destruct (list_eq_dec Z.eq_dec ys ys'), (list_eq_dec Z.eq_dec (y :: ys) (x + (y - x) :: ys')%Z) as [|H];
          trivial; try congruence. exfalso; apply H. f_equal; [lia|trivial].
      * transitivity (noiseds v xs (fun _ => 0)); [|rewrite E_const; ring]. ext. intro ys'. unfold event, these.
        destruct (list_eq_dec Z.eq_dec (y :: ys) (x + z :: ys')%Z) as [H|]; trivial. injection H as H _. lia.
    + rewrite E_affine by auto with law. fold (Pr (gaussian v) (Z.eqb (y - x))).
      rewrite gaussian_law, IH by trivial. unfold bell. rewrite <- exp_less, Rplus_0_r, <- exp_plus by trivial.
      cbn [squares length]. rewrite S_INR. f_equal. field. lra.
Qed.

Theorem noiseds_concentrated v : 0 < v -> forall xs xs', length xs = length xs' ->
  concentrated (squares xs xs' / (2 * v)) (noiseds v xs) (noiseds v xs').
Proof.
  intro Hv. induction xs as [|x xs IH]; intros [|x' xs'] Hl; simpl in Hl; try discriminate.
  - simpl. unfold Rdiv. rewrite Rmult_0_l. apply concentrated_refl.
  - cbn [noiseds squares]. rewrite Rdiv_plus_distr.
    apply concentrated_composition with (K := fun y => ys <- noiseds v xs ;; ret (y :: ys)).
    + replace (IZR (x - x') ^ 2) with (INR (Z.abs_nat (x - x')) ^ 2).
      * apply noised_concentrated; trivial. lia.
      * rewrite INR_IZR_INZ, Nat2Z.inj_abs_nat, abs_IZR. apply pow2_abs.
    + intro y. apply concentrated_postprocessing, IH. lia.
Qed.

(** and no smaller rho will do. *)
Theorem noiseds_concentrated_tight v rho xs xs' : 0 < v -> length xs = length xs' ->
  concentrated rho (noiseds v xs) (noiseds v xs') -> squares xs xs' / (2 * v) <= rho.
Proof.
  intros Hv Hl. set (far n := map (fun p => snd p + Z.of_nat n * (fst p - snd p))%Z (combine xs xs')).
  apply (concentrated_points rho _ _ _ (INR (length xs) * ln (theta v 0)) (fun n => these (far n))). intros n _.
  assert (squares (far n) xs = (INR n - 1) ^ 2 * squares xs xs' /\ squares (far n) xs' = INR n ^ 2 * squares xs xs') as [E1 E2].
  { unfold far. clear far. revert xs' Hl. induction xs as [|x xs IH]; intros [|x' xs'] Hl; simpl in Hl; try discriminate.
    - simpl. split; ring.
    - destruct (IH xs' ltac:(lia)) as [H1 H2]. cbn [combine map squares fst snd]. rewrite H1, H2, !minus_IZR, plus_IZR, mult_IZR, <- INR_IZR_INZ, minus_IZR.
      split; ring. }
  assert (length (far n) = length xs) as Hf by (unfold far; rewrite map_length, combine_length; lia).
  rewrite !noiseds_law by (trivial; lia). rewrite E1, E2, <- Hl. split; f_equal; field; lra.
Qed.

Theorem noised_concentrated_tight v rho x x' : 0 < v -> concentrated rho (noised v x) (noised v x') ->
  IZR (x - x') ^ 2 / (2 * v) <= rho.
Proof.
  intros Hv H. apply (concentrated_postprocessing rho _ _ (fun y => ret [y])) in H.
  replace (IZR (x - x') ^ 2) with (squares [x] [x']) by (simpl; ring).
  apply (noiseds_concentrated_tight v rho [x] [x'] Hv eq_refl). exact H.
Qed.
