(** Randomized response to a yes-or-no question: the truth where a coin says so, else the opposite. *)
From Coq Require Import Reals Lra List Bool.
From Discreet Require Import Law.
Open Scope R_scope.

Definition response_bool (p : R) (x : bool) : law bool := honest <- flip p ;; ret (Bool.eqb x honest).

Theorem response_bool_dp p : / 2 <= p < 1 -> dp (fun _ _ => True) (ln (p / (1 - p))) 0 (response_bool p).
Proof.
  intros Hp x x' _. apply sandwich with (S := fun f => f true + f false); try lra;
    intros f Hf; unfold response_bool; cbn [bind ret E]; rewrite flip_is by lra;
    pose proof (Hf true); pose proof (Hf false); destruct x, x'; simpl; nra.
Qed.

Theorem response_bool_tight p eps : / 2 <= p < 1 ->
  close eps 0 (response_bool p true) (response_bool p false) -> ln (p / (1 - p)) <= eps.
Proof.
  intros Hp H. replace p with (Pr (response_bool p true) (fun b => b)) at 1.
  replace (1 - p) with (Pr (response_bool p false) (fun b => b)).
  - apply least_loss; trivial; unfold Pr, response_bool; cbn [bind ret E]; rewrite flip_is by lra;
    unfold event; simpl; lra.
  - unfold Pr, response_bool; cbn [bind ret E]; rewrite flip_is by lra; unfold event; simpl; lra.
  - unfold Pr, response_bool; cbn [bind ret E]; rewrite flip_is by lra; unfold event; simpl; lra.
Qed.

Theorem response_bool_infinite eps : ~ close eps 0 (response_bool 1 true) (response_bool 1 false).
Proof.
  intro H. apply least_delta with (A := fun b => b) in H; revert H; unfold Pr, response_bool; cbn [bind ret E];
    rewrite flip_is by lra; unfold event; simpl; lra.
Qed.
