(** The worst packing, a first step: moving a unit from the lesser of two keys to the greater hides no more.
    Products cancel, so no logarithm is needed: only that q^-c is convex. *)
From Coq Require Import ZArith Reals Lra Lia List.
From Discreet Require Import Law Laplace KeepAbove.
Open Scope R_scope.

Theorem exchange q T a b : 0 < q < 1 -> (a <= b < T)%Z ->
  (1 - shown q T (a - 1)) * (1 - shown q T (b + 1)) <= (1 - shown q T a) * (1 - shown q T b).
Proof.
  intros Hq Hab. unfold shown. set (e := Z.to_nat (b - a)). set (n := Z.to_nat (T - b)).
  replace (Z.to_nat (T - (a - 1) + 1)) with (n + e + 2)%nat by lia.
    replace (Z.to_nat (T - (b + 1) + 1)) with n by lia.
  replace (Z.to_nat (T - a + 1)) with (n + e + 1)%nat by lia.
    replace (Z.to_nat (T - b + 1)) with (n + 1)%nat by lia.
  rewrite !pow_add. cbn [pow]. assert (0 < q ^ n) by (apply pow_lt; lra).
  assert (0 < q ^ e <= 1) by (split; [apply pow_lt; lra|rewrite <- (pow1 e); apply pow_incr; lra]).
  set (X := q ^ n / (1 + q)). assert (0 < X) by (apply Rdiv_lt_0_compat; lra).
  replace (q ^ n * q ^ e * (q * (q * 1)) / (1 + q)) with (X * q ^ e * q * q) by (unfold X; field; lra).
  replace (q ^ n * q ^ e * (q * 1) / (1 + q)) with (X * q ^ e * q) by (unfold X; field; lra).
  replace (q ^ n * (q * 1) / (1 + q)) with (X * q) by (unfold X; field; lra).
  set (Y := q ^ e) in *. clearbody X Y. assert (0 < Y * q <= 1) by nra.
  assert (0 <= X * (1 - q) * (1 - Y * q)) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra). lra.
Qed.

Theorem shown_increases q T a b : 0 < q < 1 -> (a <= b <= T)%Z -> shown q T a <= shown q T b.
Proof.
  intros Hq Hab. unfold shown. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|].
  replace (Z.to_nat (T - a + 1)) with (Z.to_nat (T - b + 1) + Z.to_nat (b - a))%nat by lia. rewrite pow_add.
  assert (0 < q ^ Z.to_nat (T - b + 1)) by (apply pow_lt; lra).
  assert (q ^ Z.to_nat (b - a) <= 1) by (rewrite <- (pow1 (Z.to_nat (b - a))); apply pow_incr; lra). nra.
Qed.
