(** Zero-concentrated differential privacy [Bun and Steinke 2016], said of every bounded function.

    That the Renyi divergence of every order a is at most a rho is this inequality for every bounded g
    [Atar, Chowdhary and Dupuis 2015]; so laws need no densities. *)
From Coq Require Import ZArith Reals Lra Lia List.
From Discreet Require Import Law.
Import ListNotations.
Open Scope R_scope.

Definition concentrated {T} (rho : R) (P Q : law T) := forall a g, 1 < a -> bounded g ->
  ln (P (fun x => exp ((a - 1) * g x))) / (a - 1) <= ln (Q (fun x => exp (a * g x))) / a + rho.
Definition zcdp {X T} (adjacent : X -> X -> Prop) rho (M : X -> law T) :=
  forall x x', adjacent x x' -> concentrated rho (M x) (M x').

Lemma exp_mono x y : x <= y -> exp x <= exp y.
Proof. intros [H| ->]; [left; apply exp_increasing; trivial|lra]. Qed.
Lemma ln_mono x y : 0 < x -> x <= y -> ln x <= ln y.
Proof. intros Hx [H| ->]; [left; apply ln_increasing; trivial|lra]. Qed.
Lemma exp_less x m : 0 < m -> exp (x - ln m) = exp x / m.
Proof. intro. unfold Rminus. rewrite exp_plus, exp_Ropp, exp_ln; trivial. Qed.

(** The exponential function is convex. *)
Lemma exp_convex s t u : 0 <= s <= 1 -> exp (s * t + (1 - s) * u) <= s * exp t + (1 - s) * exp u.
Proof.
  intro Hs. set (m := s * t + (1 - s) * u). pose proof (exp_ineq1_le (t - m)). pose proof (exp_ineq1_le (u - m)).
  replace t with (m + (t - m)) at 1 by ring. replace u with (m + (u - m)) at 1 by ring. rewrite !exp_plus.
  pose proof (exp_pos m). assert (0 <= exp m * (s * (exp (t - m) - 1 - (t - m)) + (1 - s) * (exp (u - m) - 1 - (u - m)))).
  { apply Rmult_le_pos; [lra|]. apply Rplus_le_le_0_compat; apply Rmult_le_pos; lra. }
  assert (s * (t - m) + (1 - s) * (u - m) = 0) as Hm by (unfold m; ring).
  assert (exp m * (s * (t - m) + (1 - s) * (u - m)) = 0) by (rewrite Hm; ring). lra.
Qed.

Lemma bounded_exp {T} k (g : T -> R) : bounded g -> bounded (fun x => exp (k * g x)).
Proof.
  intros [M HM]. exists (exp (Rabs k * M)). intro x. pose proof (exp_pos (k * g x)). pose proof (exp_pos (Rabs k * M)).
  split; [lra|]. apply exp_mono. specialize (HM x). unfold Rabs. destruct (Rcase_abs k); nra.
Qed.
Lemma E_exp {T} (P : law T) k g : bounded g -> 0 < P (fun x => exp (k * g x)).
Proof.
  intros [M HM]. apply Rlt_le_trans with (exp (- (Rabs k * M))); [apply exp_pos|].
  rewrite <- (E_const P (exp _)). apply E_le; [apply bounded_const|apply bounded_exp; exists M; trivial|].
  intro x. apply exp_mono. specialize (HM x). unfold Rabs. destruct (Rcase_abs k); nra.
Qed.
Lemma bounded_affine {T} a c (f : T -> R) : bounded f -> bounded (fun x => a * f x + c).
Proof.
  intro Hf. destruct (bounded_linear a c f (fun _ => 1) Hf (bounded_const 1)) as [M HM].
  exists M. intro x. specialize (HM x). lra.
Qed.
#[export] Hint Resolve bounded_exp bounded_affine : law.

Lemma concentrated_refl {T} (P : law T) : concentrated 0 P P.
Proof.
  intros a g Ha Hg. pose proof (E_exp P a g Hg) as Hm. set (m := P (fun x => exp (a * g x))) in *.
  pose proof (E_exp P (a - 1) g Hg) as Hn. assert (0 <= 1 - / a <= 1) as Hs.
  { pose proof (Rinv_0_lt_compat a ltac:(lra)). pose proof (Rinv_r a ltac:(lra)). split; nra. }
  assert (P (fun x => exp ((a - 1) * g x)) <= exp ((1 - / a) * ln m)) as H.
  { apply Rle_trans with (P (fun x => exp ((1 - / a) * ln m) * (1 - / a) / m * exp (a * g x) + exp ((1 - / a) * ln m) * / a)).
    - apply E_le; auto with law. intro x. replace ((a - 1) * g x) with ((1 - / a) * ln m + ((1 - / a) * (a * g x - ln m) + (1 - (1 - / a)) * 0))
          by (field; lra).
        rewrite exp_plus. pose proof (exp_convex (1 - / a) (a * g x - ln m) 0 Hs) as Hc. rewrite exp_0 in Hc.
        pose proof (exp_pos ((1 - / a) * ln m)).
        apply Rle_trans with (exp ((1 - / a) * ln m) * ((1 - / a) * exp (a * g x - ln m) + (1 - (1 - / a)) * 1));
          [apply Rmult_le_compat_l; lra|]. rewrite exp_less by trivial. right. field. lra.
    - rewrite E_affine by auto with law. fold m. right. field. lra. }
  rewrite Rplus_0_r. apply ln_mono in H; trivial. rewrite ln_exp in H.
  apply Rmult_le_reg_r with (a - 1); [lra|]. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  apply Rle_trans with (1 := H). right. field. lra.
Qed.

(** Adaptive composition: rho adds up. *)
Theorem concentrated_composition {T U} r s (P Q : law T) (K L : T -> law U) :
  concentrated r P Q -> (forall u, concentrated s (K u) (L u)) -> concentrated (r + s) (bind P K) (bind Q L).
Proof.
  intros H HK a g Ha Hg. cbn [bind E]. set (G u := ln (L u (fun x => exp (a * g x))) / a).
  assert (bounded G) as HG.
  { destruct Hg as [M HM]. exists (Rabs M). intro u. unfold G.
    assert (exp (- (a * Rabs M)) <= L u (fun x => exp (a * g x)) <= exp (a * Rabs M)) as [H1 H2].
    { apply E_within. intro x. specialize (HM x). pose proof (Rle_abs M). split; apply exp_mono; nra. }
    apply ln_mono in H1; [|apply exp_pos]. apply ln_mono in H2; [|apply E_exp; exists M; trivial]. rewrite ln_exp in *.
    split; apply Rmult_le_reg_r with a; try lra; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra. }
  specialize (H a G Ha HG).
  assert (Q (fun u => exp (a * G u)) = Q (fun u => L u (fun x => exp (a * g x)))) as E1.
  { apply E_ext; auto with law. intro u. unfold G. replace (a * (ln (L u (fun x => exp (a * g x))) / a))
      with (ln (L u (fun x => exp (a * g x)))) by (field; lra). apply exp_ln, E_exp, Hg. }
  rewrite E1 in H. pose proof (E_exp P (a - 1) G HG) as Hp.
  assert (P (fun u => K u (fun x => exp ((a - 1) * g x))) <= exp ((a - 1) * s) * P (fun u => exp ((a - 1) * G u)) + 0) as H1.
  { rewrite <- E_affine by auto with law. apply E_le; auto with law.
    intro u. specialize (HK u a g Ha Hg). fold (G u) in HK. rewrite Rplus_0_r, <- exp_plus.
      pose proof (E_exp (K u) (a - 1) g Hg) as Hk. rewrite <- (exp_ln (K u _) Hk). apply exp_mono.
      apply Rmult_le_reg_r with (/ (a - 1)); [apply Rinv_0_lt_compat; lra|].
      replace (((a - 1) * s + (a - 1) * G u) * / (a - 1)) with (G u + s) by (field; lra). trivial. }
  rewrite Rplus_0_r in H1. apply ln_mono in H1.
  - rewrite ln_mult, ln_exp in H1 by (trivial || apply exp_pos).
    apply Rmult_le_compat_r with (r := / (a - 1)) in H1; [|left; apply Rinv_0_lt_compat; lra].
    replace (((a - 1) * s + ln (P (fun u => exp ((a - 1) * G u)))) * / (a - 1))
      with (s + ln (P (fun u => exp ((a - 1) * G u))) / (a - 1)) in H1 by (field; lra).
    unfold Rdiv in *. lra.
  - exact (E_exp (bind P K) (a - 1) g Hg).
Qed.

Theorem concentrated_postprocessing {T U} rho (P Q : law T) (K : T -> law U) :
  concentrated rho P Q -> concentrated rho (bind P K) (bind Q K).
Proof. intro H. rewrite <- (Rplus_0_r rho). apply concentrated_composition; [trivial|]. intro. apply concentrated_refl. Qed.

Lemma concentrated_weaken {T} r s (P Q : law T) : r <= s -> concentrated r P Q -> concentrated s P Q.
Proof. intros Hr H a g Ha Hg. specialize (H a g Ha Hg). lra. Qed.

(** Of a probability this is Hoelder's inequality, *)
Lemma concentrated_tests {T} rho (P Q : law T) a f c : 1 < a -> 0 < c -> concentrated rho P Q -> (forall x, c <= f x <= 1) ->
  P f <= exp ((a - 1) * rho) * exp ((1 - / a) * ln (Q f)).
Proof.
  intros Ha Hc H Hf. set (g x := ln (f x) / (a - 1)).
  assert (bounded f) as Bf by (exists 1; intro x; specialize (Hf x); lra).
  assert (bounded g) as Hg.
  { exists (- ln c / (a - 1)). intro x. unfold g. specialize (Hf x). pose proof (ln_mono c (f x) Hc ltac:(lra)).
    pose proof (ln_mono (f x) 1 ltac:(lra) ltac:(lra)) as H1. rewrite ln_1 in H1.
    split; apply Rmult_le_reg_r with (a - 1); try lra; unfold Rdiv; rewrite ?Ropp_mult_distr_l, ?Rmult_assoc, ?Rinv_l; lra. }
  specialize (H a g Ha Hg). rewrite (E_ext P _ f) in H; [|auto with law|].
  2: { intro x. unfold g. replace ((a - 1) * (ln (f x) / (a - 1))) with (ln (f x)) by (field; lra). apply exp_ln. specialize (Hf x). lra. }
  assert (0 < P f) by (apply Rlt_le_trans with c; [lra|apply (E_within P c 1 f); trivial]).
  assert (0 < Q f) by (apply Rlt_le_trans with c; [lra|apply (E_within Q c 1 f); trivial]).
  assert (ln (Q (fun x => exp (a * g x))) <= ln (Q f)).
  { apply ln_mono; [apply E_exp; trivial|]. apply E_le; auto with law. intro x. unfold g. specialize (Hf x).
    rewrite <- (exp_ln (f x)) at 2 by lra. apply exp_mono. pose proof (ln_mono (f x) 1 ltac:(lra) ltac:(lra)) as H2. rewrite ln_1 in H2.
    replace (a * (ln (f x) / (a - 1))) with (ln (f x) + ln (f x) / (a - 1)) by (field; lra).
    enough (ln (f x) / (a - 1) <= 0) by lra. apply Rmult_le_reg_r with (a - 1); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  rewrite <- exp_plus, <- (exp_ln (P f)) by trivial. apply exp_mono.
  apply Rmult_le_reg_r with (/ (a - 1)); [apply Rinv_0_lt_compat; lra|].
  replace (((a - 1) * rho + (1 - / a) * ln (Q f)) * / (a - 1)) with (ln (Q f) / a + rho) by (field; lra).
  apply Rle_trans with (1 := H). apply Rplus_le_compat_r. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|trivial].
Qed.

(** and the line that touches it says which (epsilon, delta) follows [Canonne, Kamath and Steinke 2020]. *)
Definition worth a rho eps := exp ((a - 1) * (a * rho - eps) + (a - 1) * ln (1 - / a)) / a.

Theorem concentrated_close {T} a rho eps (P Q : law T) : 1 < a -> concentrated rho P Q -> close eps (worth a rho eps) P Q.
Proof.
  intros Ha H f Hf. apply Rnot_lt_le. intro Hn. set (gap := P f - (exp eps * Q f + worth a rho eps)).
  assert (0 < gap) by (unfold gap; lra). pose proof (exp_pos eps) as He.
  set (c := Rmin (/ 2) (gap / (2 * exp eps))). assert (0 < c <= / 2 /\ exp eps * c <= gap / 2) as [Hc Hc'].
  { assert (0 < gap / (2 * exp eps)) by (apply Rdiv_lt_0_compat; lra). unfold c. split.
    - unfold Rmin. destruct (Rle_dec (/ 2) (gap / (2 * exp eps))); lra.
    - apply Rle_trans with (exp eps * (gap / (2 * exp eps))); [|right; field; lra]. apply Rmult_le_compat_l; [lra|apply Rmin_r]. }
  set (h x := (1 - c) * f x + c). assert (bounded f) as Bf by auto with law.
  assert (forall x, c <= h x <= 1) as Hh by (intro x; specialize (Hf x); unfold h; nra).
  pose proof (concentrated_tests rho P Q a h c Ha (proj1 Hc) H Hh) as K.
  assert (P h = (1 - c) * P f + c) as EP by (apply E_affine; trivial).
  assert (Q h = (1 - c) * Q f + c) as EQ by (apply E_affine; trivial).
  pose proof (E_test P f Hf). pose proof (E_test Q f Hf). assert (0 < Q h) as Hq by nra.
  assert (0 < / a < 1) as Hi. { split; [apply Rinv_0_lt_compat; lra|]. rewrite <- Rinv_1. apply Rinv_lt_contravar; lra. }
  (* exp ((a - 1) rho) t^(1 - 1/a) <= exp eps t + worth: convexity between the two terms. *)
  pose proof (exp_convex (1 - / a) (ln (Q h) + eps - ln (1 - / a)) ((a - 1) * (a * rho - eps) + (a - 1) * ln (1 - / a)) ltac:(lra)) as C.
  assert ((1 - / a) * (ln (Q h) + eps - ln (1 - / a)) + (1 - (1 - / a)) * ((a - 1) * (a * rho - eps) + (a - 1) * ln (1 - / a)) =
    (a - 1) * rho + (1 - / a) * ln (Q h)) as EC by (field; lra).
  rewrite EC, exp_plus in C.
  assert ((1 - / a) * exp (ln (Q h) + eps - ln (1 - / a)) = exp eps * Q h) as E1.
  { rewrite exp_less, exp_plus, exp_ln by lra. field. lra. }
  assert ((1 - (1 - / a)) * exp ((a - 1) * (a * rho - eps) + (a - 1) * ln (1 - / a)) = worth a rho eps) as E2
    by (unfold worth; field; lra).
  rewrite E1, E2 in C. rewrite EP in K. rewrite EQ in C, K. unfold gap in *. nra.
Qed.

(** No smaller rho will do, if events of which one law is far away are as likely as they are of shifted bells. *)
Lemma above x : exists n, x < INR n.
Proof.
  exists (Z.to_nat (up x)). destruct (archimed x) as [H _]. rewrite INR_IZR_INZ.
  apply Rlt_le_trans with (1 := H), IZR_le. lia.
Qed.

Lemma concentrated_points {T} rho (P Q : law T) r c (A : nat -> T -> bool) :
  (forall n, (2 <= n)%nat -> Pr P (A n) = exp (- ((INR n - 1) ^ 2 * r) - c) /\ Pr Q (A n) = exp (- (INR n ^ 2 * r) - c)) ->
  concentrated rho P Q -> r <= rho.
Proof.
  intros HA H. apply Rnot_lt_le. intro Hn. destruct (above (1 + (Rabs c + ln 2) / (r - rho))) as [n Hn1].
  assert (0 < ln 2) as H2 by (rewrite <- ln_1; apply ln_increasing; lra).
  assert (0 <= (Rabs c + ln 2) / (r - rho)) as H3
    by (apply Rmult_le_pos; [pose proof (Rabs_pos c); lra|left; apply Rinv_0_lt_compat; lra]).
  assert (2 <= n)%nat as Hn2 by (apply (INR_lt 1); simpl; lra).
  destruct (HA n Hn2) as [HP HQ]. set (a := INR n) in *. assert (1 < a) as Ha by lra. set (l := - (a ^ 2 * r) - c) in *.
  set (g z := if A n z then 0 else l / a).
  assert (bounded g) as Hg.
  { exists (Rabs (l / a)). intro z. unfold g. pose proof (Rabs_pos (l / a)). pose proof (Rle_abs (l / a)).
    pose proof (Rle_abs (- (l / a))). rewrite Rabs_Ropp in *. destruct (A n z); lra. }
  specialize (H a g Ha Hg).
  assert (exp (- ((a - 1) ^ 2 * r) - c) <= P (fun z => exp ((a - 1) * g z))) as L1.
  { rewrite <- HP. unfold Pr. apply E_le; auto with law. intro z. unfold event, g. destruct (A n z).
    - rewrite Rmult_0_r, exp_0. lra.
    - left. apply exp_pos. }
  assert (Q (fun z => exp (a * g z)) <= 2 * exp l) as L2.
  { replace (2 * exp l) with (1 * Pr Q (A n) + exp l) by (rewrite HQ; ring). unfold Pr.
    rewrite <- E_affine by auto with law. apply E_le; auto with law. intro z. unfold event, g. pose proof (exp_pos l).
    destruct (A n z).
    - rewrite Rmult_0_r, exp_0. lra.
    - replace (a * (l / a)) with l by (field; lra). lra. }
  apply ln_mono in L1; [|apply exp_pos]. apply ln_mono in L2; [|apply E_exp; trivial].
  rewrite ln_mult, ln_exp in L2 by (lra || apply exp_pos). rewrite ln_exp in L1.
  apply Rmult_le_compat_r with (r := / (a - 1)) in L1; [|left; apply Rinv_0_lt_compat; lra].
  apply Rmult_le_compat_r with (r := / a) in L2; [|left; apply Rinv_0_lt_compat; lra].
  unfold Rdiv in H. assert ((- ((a - 1) ^ 2 * r) - c) * / (a - 1) <= (ln 2 + l) * / a + rho) as L by lra.
  apply Rmult_le_compat_r with (r := a * (a - 1)) in L; [|nra].
  replace ((- ((a - 1) ^ 2 * r) - c) * / (a - 1) * (a * (a - 1))) with (a * (- ((a - 1) ^ 2 * r) - c)) in L by (field; lra).
  replace (((ln 2 + l) * / a + rho) * (a * (a - 1))) with ((a - 1) * (ln 2 - a ^ 2 * r - c) + a * (a - 1) * rho) in L
    by (unfold l; field; lra).
  assert (a * (a - 1) * (r - rho) <= (a - 1) * ln 2 + c) as L' by lra.
  pose proof (Rle_abs c). pose proof (Rabs_pos c). apply Rmult_lt_compat_r with (r := r - rho) in Hn1; [|lra].
  rewrite Rmult_plus_distr_r in Hn1. unfold Rdiv in Hn1. rewrite Rmult_assoc, Rinv_l in Hn1 by lra. nra.
Qed.

(** Without noise no rho will do. *)
Theorem no_noise_concentrated {T} (eqb : T -> bool) rho (x x' : T) : eqb x = true -> eqb x' = false ->
  ~ concentrated rho (ret x) (ret x').
Proof.
  intros Hx Hx' H. specialize (H 2 (fun y => if eqb y then 0 else - rho - 1) ltac:(lra)). cbn [ret E] in H.
  rewrite Hx, Hx', !ln_exp in H. enough (bounded (fun y : T => if eqb y then 0 else - rho - 1)) as K by (specialize (H K); lra).
  exists (Rabs (- rho - 1)). intro y. pose proof (Rle_abs (- rho - 1)). pose proof (Rle_abs (- (- rho - 1))).
  rewrite Rabs_Ropp in *. pose proof (Rabs_pos (- rho - 1)). destruct (eqb y); lra.
Qed.
