(** Laws, and what it means for two of them to be close.

    A law is what it says of every bounded function: its expectation. So a program is written in monadic style,
    and a proof never sums over outcomes unless it wants to. *)
From Coq Require Import Reals Lra Lia List FunctionalExtensionality Classical_Prop.
Import ListNotations.
Open Scope R_scope.

Definition bounded {T} (f : T -> R) := exists M, forall x, - M <= f x <= M.
Definition test {T} (f : T -> R) := forall x, 0 <= f x <= 1.

Lemma test_bounded {T} (f : T -> R) : test f -> bounded f.
Proof. intro H; exists 1; intro x; specialize (H x); lra. Qed.

Lemma bounded_const {T} c : bounded (fun _ : T => c).
Proof. exists (Rabs c); intro; unfold Rabs; destruct (Rcase_abs c); lra. Qed.

Lemma bounded_linear {T} a b (f g : T -> R) : bounded f -> bounded g -> bounded (fun x => a * f x + b * g x).
Proof.
  intros [M HM] [N HN]; exists (Rabs a * M + Rabs b * N); intro x; specialize (HM x); specialize (HN x).
  assert (forall c y L, - L <= y <= L -> - (Rabs c * L) <= c * y <= Rabs c * L) as K.
  { intros c y L HL; unfold Rabs; destruct (Rcase_abs c); split; nra. }
  pose proof (K a _ _ HM); pose proof (K b _ _ HN); lra.
Qed.

Record law (T : Type) := Law {
  E :> (T -> R) -> R;
  E_linear : forall a b f g, bounded f -> bounded g -> E (fun x => a * f x + b * g x) = a * E f + b * E g;
  E_le : forall f g, bounded f -> bounded g -> (forall x, f x <= g x) -> E f <= E g;
  E_one : E (fun _ => 1) = 1 }.
Arguments Law {T}. Arguments E {T}. Arguments E_linear {T}. Arguments E_le {T}. Arguments E_one {T}.

#[export] Hint Resolve test_bounded bounded_const bounded_linear : law.

Section Expectation.
  Context {T : Type} (P : law T).

  Lemma E_ext f g : bounded f -> (forall x, f x = g x) -> P f = P g.
  Proof.
    intros [M HM] H. assert (bounded g) by (exists M; intro x; rewrite <- H; apply HM).
    apply Rle_antisym; apply E_le; trivial; try (exists M; trivial); intro; rewrite H; lra.
  Qed.

  Lemma E_affine a c f : bounded f -> P (fun x => a * f x + c) = a * P f + c.
  Proof.
    intro. rewrite (E_ext _ (fun x => a * f x + c * 1)).
    - rewrite E_linear by auto with law. rewrite E_one; ring.
    - destruct (bounded_linear a c f (fun _ => 1)) as [M HM]; auto with law.
      exists M; intro x; specialize (HM x); lra.
    - intro; ring.
  Qed.

  Lemma E_const c : P (fun _ => c) = c.
  Proof. pose proof (E_affine 0 c (fun _ => 0) (bounded_const 0)) as H.
    rewrite <- (E_ext (fun _ => 0 * 0 + c) (fun _ => c)); [|auto with law|intro; ring]. rewrite H; ring. Qed.

  Lemma E_within a b f : (forall x, a <= f x <= b) -> a <= P f <= b.
  Proof.
    intro H. assert (bounded f).
    { exists (Rmax (- a) b). intro x; specialize (H x). pose proof (Rmax_l (-a) b); pose proof (Rmax_r (-a) b);
      lra. }
    split; [rewrite <- (E_const a) | rewrite <- (E_const b)]; apply E_le; auto with law; apply H.
  Qed.

  Lemma E_test f : test f -> 0 <= P f <= 1.
  Proof. exact (E_within 0 1 f). Qed.
End Expectation.

Lemma bounded_E {T U} (K : T -> law U) f : bounded f -> bounded (fun x => K x f).
Proof. intros [M HM]; exists M; intro; apply E_within, HM. Qed.
Lemma test_E {T U} (K : T -> law U) f : test f -> test (fun x => K x f).
Proof. intros H x; apply E_test, H. Qed.
#[export] Hint Resolve bounded_E test_E : law.

(** ** Programs *)

Definition ret {T} (x : T) : law T.
Proof. refine (Law (fun f => f x) _ _ _); auto. Defined.

Definition bind {T U} (P : law T) (K : T -> law U) : law U.
Proof.
  refine (Law (fun f => P (fun x => K x f)) _ _ _).
  - intros a b f g Hf Hg. rewrite <- E_linear by auto with law. apply E_ext; auto with law. intro;
    apply E_linear; trivial.
  - intros; apply E_le; auto with law; intro; apply E_le; trivial.
  - transitivity (P (fun _ => 1)); [apply E_ext; auto with law; intro|]; apply E_one.
Defined.

Notation "x <- P ;; K" := (bind P (fun x => K)) (at level 61, P at next level, right associativity).

(** Two laws of equal expectations are equal. *)
Lemma law_ext {T} (P Q : law T) : (forall f, P f = Q f) -> P = Q.
Proof.
  destruct P as [e1 a1 b1 c1], Q as [e2 a2 b2 c2]. simpl. intro H. apply functional_extensionality in H.
    destruct H.
  f_equal; apply proof_irrelevance.
Qed.
Lemma bind_ret {T} (P : law T) : bind P ret = P.
Proof. apply law_ext. trivial. Qed.

Definition clamp x := Rmax 0 (Rmin x 1).
Lemma clamp_in x : 0 <= clamp x <= 1.
Proof. unfold clamp, Rmax, Rmin; repeat destruct (Rle_dec _ _); lra. Qed.
Lemma clamp_id x : 0 <= x <= 1 -> clamp x = x.
Proof. unfold clamp, Rmax, Rmin; repeat destruct (Rle_dec _ _); lra. Qed.

(** A coin; [flip_is] is all that is ever used of it. *)
Definition flip (p : R) : law bool.
Proof.
  refine (Law (fun f => clamp p * f true + (1 - clamp p) * f false) _ _ _); intros.
  - ring.
  - pose proof (clamp_in p). pose proof (H1 true); pose proof (H1 false). nra.
  - ring.
Defined.
Lemma flip_is p f : 0 <= p <= 1 -> flip p f = p * f true + (1 - p) * f false.
Proof. intro; simpl; rewrite clamp_id; trivial. Qed.

Fixpoint sum {T} (xs : list T) (f : T -> R) : R :=
  match xs with [] => 0 | x :: xs => f x + sum xs f end.

Lemma sum_linear {T} (xs : list T) a b f g : sum xs (fun x => a * f x + b * g x) = a * sum xs f + b * sum xs g.
Proof. induction xs as [|x xs IH]; simpl; [|rewrite IH]; ring. Qed.
Lemma sum_le {T} (xs : list T) f g : (forall x, In x xs -> f x <= g x) -> sum xs f <= sum xs g.
Proof. induction xs as [|x xs IH]; simpl; intro H; [lra|]. apply Rplus_le_compat; auto. Qed.
Lemma sum_ext {T} (xs : list T) f g : (forall x, In x xs -> f x = g x) -> sum xs f = sum xs g.
Proof. induction xs as [|x xs IH]; simpl; intro H; [|f_equal]; auto. Qed.
Lemma sum_const {T} (xs : list T) c : sum xs (fun _ => c) = INR (length xs) * c.
Proof. induction xs as [|x xs IH]; [simpl; ring|]. simpl length; rewrite S_INR; simpl; rewrite IH; ring. Qed.
Lemma sum_map {T U} (h : U -> T) xs f : sum (map h xs) f = sum xs (fun x => f (h x)).
Proof. induction xs as [|x xs IH]; simpl; [|rewrite IH]; trivial. Qed.
Lemma sum_app {T} (xs ys : list T) f : sum (xs ++ ys) f = sum xs f + sum ys f.
Proof. induction xs as [|x xs IH]; simpl; [|rewrite IH]; ring. Qed.
Lemma sum_nonneg {T} (xs : list T) f : (forall x, 0 <= f x) -> 0 <= sum xs f.
Proof. intro H. rewrite <- (Rmult_0_r (INR (length xs))), <- sum_const. apply sum_le; auto. Qed.
Lemma sum_in {T} (xs : list T) f x : (forall x, 0 <= f x) -> In x xs -> f x <= sum xs f.
Proof.
  intro H. induction xs as [|y xs IH]; simpl; [tauto|]. intros [->|Hx];
    [pose proof (sum_nonneg xs f H)|pose proof (H y); specialize (IH Hx)]; lra.
Qed.

(** A uniform one of 0 .. n-1, for n >= 1. *)
Definition pick (n : nat) : law nat.
Proof.
  refine (Law (fun f => sum (seq 0 (S (pred n))) f / INR (S (pred n))) _ _ _); intros;
    assert (0 < INR (S (pred n))) by (apply lt_0_INR; lia).
  - rewrite sum_linear; field; lra.
  - apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; trivial|apply sum_le; auto].
  - rewrite sum_const, seq_length; field; lra.
Defined.
Lemma pick_is n f : (1 <= n)%nat -> pick n f = sum (seq 0 n) f / INR n.
Proof. intro; destruct n; [lia|reflexivity]. Qed.
Lemma pick_le n f g : (1 <= n)%nat -> (forall u, (u < n)%nat -> f u <= g u) -> pick n f <= pick n g.
Proof.
  intros Hn H. rewrite !pick_is by trivial.
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, lt_0_INR; lia|].
  apply sum_le. intros u Hu. apply in_seq in Hu. apply H. lia.
Qed.

(** ** Closeness *)

Definition close {T} (eps delta : R) (P Q : law T) := forall f, test f -> P f <= exp eps * Q f + delta.
Definition dp {X T} (adjacent : X -> X -> Prop) eps delta (M : X -> law T) :=
  forall x x', adjacent x x' -> close eps delta (M x) (M x').

Definition event {T} (A : T -> bool) x := if A x then 1 else 0.
Definition Pr {T} (P : law T) (A : T -> bool) := P (event A).

Lemma test_event {T} (A : T -> bool) : test (event A).
Proof. intro x; unfold event; destruct (A x); lra. Qed.
#[export] Hint Resolve test_event : law.

(** Two tests that agree everywhere have the same expectation. *)
Ltac ext := apply E_ext; [apply test_bounded; intro; apply test_event|].

Lemma Pr_never {T} (P : law T) A : (forall x, A x = false) -> Pr P A = 0.
Proof. intro H. unfold Pr. rewrite <- (E_const P 0). ext. intro x; unfold event; rewrite H; trivial. Qed.

Lemma close_events {T} eps delta (P Q : law T) A : close eps delta P Q -> Pr P A <= exp eps * Pr Q A + delta.
Proof. intro H; apply H; auto with law. Qed.

Lemma close_refl {T} (P : law T) : close 0 0 P P.
Proof. intros f Hf; rewrite exp_0; lra. Qed.

Lemma close_delta {T} eps delta (P Q : law T) : close eps delta P Q -> 0 <= delta.
Proof. intro H. specialize (H (fun _ => 0)). rewrite !E_const in H. enough (0 <= exp eps * 0 + delta) by lra.
  apply H; intro; lra. Qed.

Lemma close_weaken {T} e d e' d' (P Q : law T) : e <= e' -> d <= d' -> close e d P Q -> close e' d' P Q.
Proof.
  intros He Hd H f Hf; specialize (H f Hf). pose proof (E_test Q f Hf).
  assert (exp e <= exp e') by (destruct He as [He|<-]; [left; apply exp_increasing|]; lra). nra.
Qed.

Theorem postprocessing {T U} eps delta (P Q : law T) (K : T -> law U) :
  close eps delta P Q -> close eps delta (bind P K) (bind Q K).
Proof. intros H f Hf; apply H; auto with law. Qed.

Theorem composition {T U} e1 d1 e2 d2 (P Q : law T) (K L : T -> law U) :
  close e1 d1 P Q -> (forall u, close e2 d2 (K u) (L u)) -> close (e1 + e2) (d1 + d2) (bind P K) (bind Q L).
Proof.
  intros H HK f Hf; simpl. set (g u := Rmin 1 (exp e2 * L u f)).
  pose proof (exp_pos e1); pose proof (exp_pos e2).
  assert (test g) as Hg.
  { intro u; unfold g, Rmin. pose proof (E_test (L u) f Hf). destruct (Rle_dec _ _); nra. }
  assert (P (fun u => K u f) <= 1 * P g + d2).
  { rewrite <- E_affine by auto with law. apply E_le; auto with law.
    - exists (1 + Rabs d2); intro u; specialize (Hg u); pose proof (Rle_abs d2); pose proof (Rle_abs (- d2));
      rewrite Rabs_Ropp in *; lra.
    - intro u. specialize (HK u). pose proof (close_delta _ _ _ _ HK). pose proof (HK f Hf).
      pose proof (E_test (K u) f Hf). unfold g, Rmin; destruct (Rle_dec _ _); lra. }
  assert (Q g <= exp e2 * Q (fun u => L u f) + 0).
  { rewrite <- E_affine by auto with law. apply E_le; auto with law.
    - destruct (bounded_linear (exp e2) 0 (fun u => L u f) (fun _ => 1)) as [M HM]; auto with law.
      exists M; intro u; specialize (HM u); lra.
    - intro u; unfold g. pose proof (Rmin_r 1 (exp e2 * L u f)); lra. }
  specialize (H g Hg). rewrite exp_plus. nra.
Qed.

(** Distances add up along a path: group privacy, for pure loss. *)
Lemma close_trans {T} e1 e2 (P Q S : law T) : close e1 0 P Q -> close e2 0 Q S -> close (e1 + e2) 0 P S.
Proof.
  intros H1 H2 f Hf. specialize (H1 f Hf); specialize (H2 f Hf). rewrite exp_plus. pose proof (exp_pos e1); nra.
Qed.

(** Laws between the same two multiples of one sum are close: this is randomized response. *)
Lemma sandwich {T} (S : (T -> R) -> R) a b (P Q : law T) : 0 < a -> 0 < b ->
  (forall f, test f -> P f <= b * S f) -> (forall f, test f -> a * S f <= Q f) -> close (ln (b / a)) 0 P Q.
Proof.
  intros Ha Hb HP HQ f Hf. rewrite exp_ln by (apply Rdiv_lt_0_compat; trivial).
  specialize (HP f Hf); specialize (HQ f Hf). replace (b * S f) with (b / a * (a * S f)) in HP by (field; lra).
  assert (0 < b / a) by (apply Rdiv_lt_0_compat; trivial). nra.
Qed.

Lemma ln_le_exp x y : 0 < x -> ln x <= y <-> x <= exp y.
Proof.
  intro Hx. rewrite <- (ln_exp y) at 1. pose proof (exp_pos y). split; intro H1.
  - apply Rnot_lt_le. intro H2. apply ln_increasing in H2; trivial. lra.
  - destruct H1 as [H1| ->]; [left; apply ln_increasing; trivial|lra].
Qed.

(** No smaller loss will do, if one event has that ratio. *)
Lemma least_loss {T} (P Q : law T) A eps : 0 < Pr P A -> 0 < Pr Q A -> close eps 0 P Q ->
  ln (Pr P A / Pr Q A) <= eps.
Proof.
  intros HP HQ H. apply close_events with (A := A) in H. rewrite <- (ln_exp eps).
  assert (0 < Pr P A / Pr Q A) by (apply Rdiv_lt_0_compat; trivial).
  assert (Pr P A / Pr Q A <= exp eps) as [Hl| ->].
  { apply Rmult_le_reg_r with (Pr Q A); trivial. unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra. }
  - left; apply ln_increasing; trivial.
  - lra.
Qed.

(** What the other law never does is in delta. *)
Lemma least_delta {T} (P Q : law T) A eps delta : Pr Q A = 0 -> close eps delta P Q -> Pr P A <= delta.
Proof. intros HQ H. apply close_events with (A := A) in H. rewrite HQ in H; lra. Qed.

(** ** Parts: P is C with probability a, at least. *)

Definition part {T} a (C P : law T) := forall f, test f -> a * C f <= P f.

Lemma part_refl {T} (P : law T) : part 1 P P.
Proof. intros f _; lra. Qed.

Lemma part_bind {T U} a b (C P : law T) (D K : T -> law U) : 0 <= a -> 0 <= b ->
  part a C P -> (forall u, part b (D u) (K u)) -> part (a * b) (bind C D) (bind P K).
Proof.
  intros Ha Hb H HK f Hf; simpl. apply Rle_trans with (a * C (fun u => K u f)); [|apply H; auto with law].
  rewrite Rmult_assoc. apply Rmult_le_compat_l; trivial.
  rewrite <- (Rplus_0_r (b * _)), <- E_affine by auto with law. apply E_le; auto with law.
  - destruct (bounded_linear b 0 (fun u => D u f) (fun _ => 1)) as [M HM]; auto with law.
    exists M; intro u; specialize (HM u); lra.
  - intro u; specialize (HK u f Hf); lra.
Qed.

Theorem close_parts {T} eps a b (C D P Q : law T) :
  part a C P -> part b D Q -> close eps 0 C D -> a <= 1 -> b <= 1 -> close eps (Rmax (1 - a) (1 - b)) P Q.
Proof.
  intros HP HQ H Ha Hb f Hf. set (d := Rmax _ _). assert (1 - a <= d /\ 1 - b <= d) as [] by (split;
    [apply Rmax_l|apply Rmax_r]).
  pose proof (E_test C f Hf); pose proof (E_test D f Hf); pose proof (exp_pos eps); specialize (H f Hf);
    specialize (HQ f Hf).
  (* The complement of f is a test, too. *)
  assert (P f <= 1 - a * (1 - C f)).
  { assert (test (fun x => -1 * f x + 1)) as Hc by (intro x; specialize (Hf x); lra).
    specialize (HP _ Hc). rewrite !E_affine in HP by auto with law. lra. }
  assert (P f <= d + (1 - d) * C f) by nra.
  destruct (Rle_lt_dec d 1); [|pose proof (E_test P f Hf); pose proof (E_test Q f Hf); nra].
  assert ((1 - d) * C f <= (1 - d) * (exp eps * D f)) by nra.
  assert (exp eps * ((1 - d) * D f) <= exp eps * Q f) by (apply Rmult_le_compat_l; nra). lra.
Qed.
