(** The zCDP filter: rho adds up for an analyst who chooses each release after the answers before it. *)
From Coq Require Import Reals Lra Lia List.
From Discreet Require Import Law Concentrated.
Open Scope R_scope.

(** Laws that are close in parts of them: what is left is in delta. *)
Lemma close_parts_delta {T} eps d a (C D P Q : law T) : part (1 - a) C P -> part (1 - a) D Q -> 0 <= a <= 1 ->
  close eps d C D -> close eps (d + a) P Q.
Proof.
  intros HP HQ Ha H f Hf. pose proof (close_delta _ _ _ _ H). specialize (H f Hf). specialize (HQ f Hf).
  pose proof (E_test C f Hf). pose proof (E_test D f Hf). pose proof (exp_pos eps).
  assert (test (fun x => -1 * f x + 1)) as Hc by (intro x; specialize (Hf x); lra).
  specialize (HP _ Hc). rewrite !E_affine in HP by auto with law.
  assert (exp eps * ((1 - a) * D f) <= exp eps * Q f) by (apply Rmult_le_compat_l; lra).
  assert ((1 - a) * C f <= (1 - a) * (exp eps * D f + d)) by (apply Rmult_le_compat_l; lra). nra.
Qed.

Section Filter.
  Context {X : Type} (adjacent : X -> X -> Prop).
  Variables most D : R.

  (** An analyst: she stops, or asks for a release that is rho-zCDP but for a probability of delta, and goes on as
      the answer says. Between x and x', [core x x'] is what there is of the release but for that probability. *)
  Inductive inquirer (T : Type) :=
    | Halt (conclusion : T)
    | Query {U} (M : X -> law U) (core : X -> X -> law U) (rho delta : R) (next : U -> inquirer T).
  Arguments Halt {T}. Arguments Query {T U}.

  Fixpoint shown_to {T} (i : inquirer T) (x : X) : law T :=
    match i with
    | Halt conclusion => ret conclusion
    | Query M _ _ _ next => answer <- M x ;; shown_to (next answer) x
    end.
  Fixpoint core_of {T} (i : inquirer T) (x x' : X) : law T :=
    match i with
    | Halt conclusion => ret conclusion
    | Query _ core _ _ next => answer <- core x x' ;; core_of (next answer) x x'
    end.

  Definition nearly_zcdp {U} rho delta (M : X -> law U) (core : X -> X -> law U) := forall x x', adjacent x x' ->
    part (1 - delta) (core x x') (M x) /\ part (1 - delta) (core x' x) (M x') /\ concentrated rho (core x x') (core x' x).

  (** The books: rho and delta so far, and both stay within what there is. *)
  Fixpoint paid {T} (r d : R) (i : inquirer T) : Prop :=
    match i with
    | Halt _ => True
    | Query M core rho delta next => 0 <= rho /\ 0 <= delta <= 1 /\ nearly_zcdp rho delta M core /\
        r + rho <= most /\ d + delta <= D /\ forall answer, paid (r + rho) (d + delta) (next answer)
    end.

  Lemma cores {T} (i : inquirer T) : forall r d x x', r <= most -> d <= D -> D - d <= 1 -> adjacent x x' -> paid r d i ->
    part (1 - (D - d)) (core_of i x x') (shown_to i x) /\ part (1 - (D - d)) (core_of i x' x) (shown_to i x') /\
    concentrated (most - r) (core_of i x x') (core_of i x' x).
  Proof.
    induction i as [conclusion|U M core rho delta next IH]; intros r d x x' Hr Hd Hle Hx H.
    - cbn [core_of shown_to]. repeat split; try (intros f Hf; cbn [ret E]; specialize (Hf conclusion); nra).
      apply (concentrated_weaken 0); [lra|apply concentrated_refl].
    - destruct H as (H0 & H1 & HM & H2 & H3 & Hn). cbn [core_of shown_to]. destruct (HM x x' Hx) as (P1 & P2 & P3).
      assert (forall a (C C' : law T), part a C C' -> part (1 - (D - d)) C C' \/ a < 1 - (D - d)) as Hw.
      { intros a C C' Hp. destruct (Rle_lt_dec (1 - (D - d)) a) as [Hl|Hl]; [left|right; trivial].
        intros f Hf. specialize (Hp f Hf). pose proof (E_test C f Hf). nra. }
      assert (1 - (D - d) <= (1 - delta) * (1 - (D - (d + delta)))) as Hm by nra.
      pose proof (fun answer => IH answer (r + rho) (d + delta) x x' ltac:(lra) ltac:(lra) ltac:(lra) Hx (Hn answer)) as K.
      split; [|split].
      + destruct (Hw _ _ _ (part_bind (1 - delta) (1 - (D - (d + delta))) _ _ _ _ ltac:(lra) ltac:(lra) P1 (fun u => proj1 (K u)))); [trivial|lra].
      + destruct (Hw _ _ _ (part_bind (1 - delta) (1 - (D - (d + delta))) _ _ _ _ ltac:(lra) ltac:(lra) P2 (fun u => proj1 (proj2 (K u))))); [trivial|lra].
      + replace (most - r) with (rho + (most - (r + rho))) by ring. apply concentrated_composition; [trivial|]. intro answer. apply K.
  Qed.

  (** Whatever she asks, if it is paid for. *)
  Theorem concentrated_filter {T} (i : inquirer T) a eps : 1 < a -> 0 <= most -> 0 <= D -> paid 0 0 i ->
    dp adjacent eps (worth a most eps + D) (shown_to i).
  Proof.
    intros Ha HR HD Hi x x' Hx. destruct (Rle_lt_dec D 1) as [H1|H1].
    - destruct (cores i 0 0 x x' HR HD ltac:(lra) Hx Hi) as (P1 & P2 & P3).
      rewrite Rminus_0_r in *. eapply close_parts_delta; [apply P1|apply P2|lra|]. apply concentrated_close; trivial.
    - intros f Hf. pose proof (E_test (shown_to i x) f Hf). pose proof (E_test (shown_to i x') f Hf). pose proof (exp_pos eps).
      assert (0 < worth a most eps) by (apply Rdiv_lt_0_compat; [apply exp_pos|lra]). nra.
  Qed.
End Filter.
