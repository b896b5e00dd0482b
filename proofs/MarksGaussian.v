(** What the marked lines of noise/gaussian.py compute is what the theorems are about. *)
From Coq Require Import ZArith Reals Lra Lia List.
From Discreet Require Import Law Laplace KeepAbove Sums Concentrated DiscreteGaussian Code.
Import ListNotations.
Open Scope R_scope.

(** A mechanism is exactly this concentrated: no smaller rho will do. [None] is an infinite rho. *)
Definition concentrates {X T} (adjacent : X -> X -> Prop) (M : X -> law T) (rho : option R) :=
  match rho with
  | Some rho => zcdp adjacent rho M /\ forall least, zcdp adjacent least M -> rho <= least
  | None => forall rho, ~ zcdp adjacent rho M
  end.

Theorem gaussian_concentrates v d : gaussian_variance v -> (1 <= d)%nat ->
  concentrates (fun x x' => Z.abs (x - x') <= Z.of_nat d)%Z (noised v) (gaussian_zcdp (INR d ^ 2) v).
Proof.
  intros Hv Hd. unfold gaussian_variance, gaussian_zcdp in *. destruct (Req_EM_T v 0) as [->|H0]; unfold concentrates.
  - intros rho H. specialize (H 0%Z 1%Z ltac:(cbv beta; lia)).
    assert (forall x, noised 0 x = ret x) as E.
    { intro x. apply law_ext. intro f. cbn [noised bind ret E]. unfold gaussian. destruct (Rlt_dec 0 0); [lra|].
      cbn [ret E]. f_equal. lia. }
    rewrite !E in H. apply (no_noise_concentrated (Z.eqb 0) rho 0%Z 1%Z) in H; trivial.
  - split; [apply noised_concentrated; lra|]. intros least H. specialize (H 0%Z (Z.of_nat d) ltac:(cbv beta; lia)).
    apply noised_concentrated_tight in H; [|lra]. rewrite minus_IZR, <- INR_IZR_INZ in H.
    replace (INR d ^ 2) with ((0 - INR d) ^ 2) by ring. trivial.
Qed.

(** Of vectors that differ by at most ai in a place and a1 in all, those differ by most in squares that differ by ai
    in as many places as there may be. *)
Definition most_squares (a1 ai : nat) := (a1 / ai * ai ^ 2 + (a1 mod ai) ^ 2)%nat.

Lemma most_squares_step ai s d : (1 <= ai)%nat -> (d <= ai)%nat -> (most_squares s ai + d ^ 2 <= most_squares (s + d) ai)%nat.
Proof.
  intros Ha Hd. pose proof (Nat.div_mod s ai ltac:(lia)) as Hs. pose proof (Nat.mod_upper_bound s ai ltac:(lia)) as Hr.
  unfold most_squares. set (q := (s / ai)%nat) in *. set (r := (s mod ai)%nat) in *.
  destruct (Nat.lt_ge_cases (r + d) ai) as [H|H].
  - rewrite <- (Nat.div_unique (s + d) ai q (r + d)), <- (Nat.mod_unique (s + d) ai q (r + d)) by lia. simpl. nia.
  - destruct (Nat.eq_dec (r + d) (2 * ai)) as [|Hn]; [lia|].
    rewrite <- (Nat.div_unique (s + d) ai (q + 1) (r + d - ai)), <- (Nat.mod_unique (s + d) ai (q + 1) (r + d - ai)) by nia.
    assert (exists m n, ai = (r + m)%nat /\ ai = (d + n)%nat) as (m & n & Hm & Hn') by (exists (ai - r)%nat, (ai - d)%nat; lia).
    replace (r + d - ai)%nat with (d - m)%nat by lia. assert (m <= d)%nat by lia. simpl. nia.
Qed.

Lemma squares_most ai xs xs' : (1 <= ai)%nat -> Forall2 (fun c c' => Z.abs (c - c') <= Z.of_nat ai)%Z xs xs' ->
  squares xs xs' <= INR (most_squares (l1 xs xs') ai).
Proof.
  intros Ha H. induction H as [|c c' xs xs' Hc H IH].
  - simpl. apply pos_INR.
  - cbn [squares l1]. pose proof (most_squares_step ai (l1 xs xs') (Z.abs_nat (c - c')) Ha ltac:(lia)) as Hs.
    apply le_INR in Hs. rewrite plus_INR, pow_INR, (Nat.add_comm (l1 xs xs')) in Hs.
    rewrite (INR_IZR_INZ (Z.abs_nat _)), Nat2Z.inj_abs_nat, abs_IZR, pow2_abs in Hs. lra.
Qed.

Lemma most_squares_grows ai a b : (1 <= ai)%nat -> (a <= b)%nat -> (most_squares a ai <= most_squares b ai)%nat.
Proof.
  intros Ha H. induction H as [|b H IH]; [trivial|]. pose proof (most_squares_step ai b 1 Ha Ha) as Hs.
  replace (b + 1)%nat with (S b) in Hs by lia. simpl in Hs. lia.
Qed.


Theorem gaussian_concentrates_vectors v a0 a1 ai : 0 < v -> (1 <= ai)%nat -> (a1 <= a0 * ai)%nat ->
  concentrates (near a0 a1 (Z.of_nat ai)) (noiseds v) (gaussian_zcdp (INR (most_squares a1 ai)) v).
Proof.
  intros Hv Ha H1. unfold gaussian_zcdp. destruct (Req_EM_T v 0) as [|_]; [lra|]. split.
  - intros xs xs' [[_ Hl] H]. eapply concentrated_weaken; [|apply noiseds_concentrated; [trivial|]].
    + unfold Rdiv. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|].
      apply Rle_trans with (1 := squares_most ai xs xs' Ha H), le_INR, most_squares_grows; trivial.
    + clear - H. induction H; simpl; lia.
  - intros least H. set (n := (a1 / ai)%nat). set (r := (a1 mod ai)%nat).
    pose proof (Nat.div_mod a1 ai ltac:(lia)) as Hs. pose proof (Nat.mod_upper_bound a1 ai ltac:(lia)) as Hr. fold n r in Hs, Hr.
    set (xs := repeat (Z.of_nat ai) n ++ [Z.of_nat r]). set (xs' := repeat 0%Z n ++ [0%Z]).
    assert (forall k, l0 (repeat (Z.of_nat ai) k ++ [Z.of_nat r]) (repeat 0%Z k ++ [0%Z]) = k + (if r =? 0 then 0 else 1) /\
      l1 (repeat (Z.of_nat ai) k ++ [Z.of_nat r]) (repeat 0%Z k ++ [0%Z]) = k * ai + r /\
      Forall2 (fun c c' => Z.abs (c - c') <= Z.of_nat ai)%Z (repeat (Z.of_nat ai) k ++ [Z.of_nat r]) (repeat 0%Z k ++ [0%Z]))%nat as Hk.
    { induction k as [|k (I0 & I1 & I2)].
      - cbn [repeat app l0 l1]. rewrite Z.sub_0_r, Zabs2Nat.id.
        split; [|split; [lia|repeat constructor; lia]]. destruct (Z.eqb_spec (Z.of_nat r) 0), (Nat.eqb_spec r 0); lia.
      - cbn [repeat app l0 l1]. rewrite I0, I1, Z.sub_0_r, Zabs2Nat.id. destruct (Z.eqb_spec (Z.of_nat ai) 0); [lia|].
        split; [lia|split; [lia|constructor; [lia|trivial]]]. }
    destruct (Hk n) as (K0 & K1 & K2). fold xs xs' in K0, K1, K2.
    assert (near a0 a1 (Z.of_nat ai) xs xs') as Hnear.
    { split; [|trivial]. rewrite K0, K1. split; [|lia]. destruct (Nat.eqb_spec r 0); nia. }
    specialize (H xs xs' Hnear). apply noiseds_concentrated_tight in H; [|trivial|unfold xs, xs'; rewrite !app_length, !repeat_length; trivial].
    replace (INR (most_squares a1 ai)) with (squares xs xs'); [trivial|].
    assert (forall k, squares (repeat (Z.of_nat ai) k ++ [Z.of_nat r]) (repeat 0%Z k ++ [0%Z]) = INR k * INR ai ^ 2 + INR r ^ 2) as Hq.
    { induction k as [|k IH]; cbn [repeat app squares]; [rewrite Z.sub_0_r, <- INR_IZR_INZ; simpl; ring|].
      rewrite IH, S_INR, Z.sub_0_r, <- INR_IZR_INZ. ring. }
    unfold xs, xs'. rewrite Hq. unfold most_squares. fold n r. rewrite plus_INR, mult_INR, !pow_INR. trivial.
Qed.

(** The least variance for a budget has exactly that rho. *)
Theorem gaussian_affords l2 rho : 0 < l2 -> 0 < rho -> gaussian_zcdp l2 (gaussian_rho l2 rho) = Some rho.
Proof.
  intros Hl Hr. unfold gaussian_zcdp, gaussian_rho. assert (0 < l2 / (2 * rho)) by (apply Rdiv_lt_0_compat; lra).
  destruct (Req_EM_T _ 0); [lra|]. f_equal. field. lra.
Qed.

(** What log_moment says of the noise's exponential moments is no less than they are. *)
Theorem gaussian_moment_most v t : 0 < v ->
  total (fun z => bell v (IZR z) / theta v 0 * exp (t * IZR z)) <= exp (gaussian_moment t v).
Proof.
  intro Hv. apply Rle_trans with (1 := gaussian_subgaussian v Hv t). right. unfold gaussian_moment. f_equal. field.
Qed.
