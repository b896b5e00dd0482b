(** The survey's estimates, as read from survey/estimates.py: unbiased, and of the stated variance, for each mechanism. *)
From Coq Require Import Reals Lra Lia List Bool.
From Discreet Require Import Law RandomizedResponseBool RandomizedResponse Rappor OptimizedUnary SubsetSelection
  LongitudinalRappor Estimates Code Marks.
Import ListNotations.
Open Scope R_scope.

(** Everybody reports; [S] is what supports a choice, and [truth] who has made it. The share that is estimated is right
  on average, and as far from the truth, in mean square, as is said of the respondents. *)
Definition estimated {X Y} (M : X -> law Y) (S : Y -> bool) (truth : X -> bool) (is : X -> Prop) (p q : R) :=
  forall xs, xs <> [] -> Forall is xs -> let n := INR (length xs) in let share := tally truth xs / n in
  everyone M xs (fun ys => estimates_share (tally S ys) n p q) = share /\
  everyone M xs (fun ys => (estimates_share (tally S ys) n p q - share) ^ 2) =
    estimates_respondents share p q n / estimates_respondents_over p q ^ 2.

Local Lemma some_people {X} (xs : list X) : xs <> [] -> 0 < INR (length xs).
Proof. intro H. apply lt_0_INR. destruct xs; [congruence|simpl; lia]. Qed.

Theorem estimate_is {X Y} (M : X -> law Y) (S : Y -> bool) (truth : X -> bool) (is : X -> Prop) p q : q < p ->
  (forall x, is x -> Pr (M x) S = if truth x then p else q) -> estimated M S truth is p q.
Proof.
  intros Hpq H xs Hx Hi n share. assert (0 < n) as Hn by (apply some_people; trivial).
  assert (Forall (fun x => Pr (M x) S = if truth x then p else q) xs) as Hs by (apply Forall_impl with (2 := Hi); trivial).
  destruct (supports M S truth p q xs Hs) as [H1 H2]. fold n in H1, H2.
  assert (forall c, estimates_share c n p q = (c - n * q) * / (n * (p - q))) as K
    by (intro c; unfold estimates_share; field; lra).
  assert (share = (sum xs (fun x => Pr (M x) S) - n * q) * / (n * (p - q))) as Hm
    by (rewrite H1; unfold share; field; lra).
  split.
  - rewrite Hm, <- linear_mean. apply everyone_agree. intros ys _. apply K.
  - transitivity (sum xs (fun x => Pr (M x) S * (1 - Pr (M x) S)) * (/ (n * (p - q))) ^ 2).
    + rewrite <- (linear_variance M S xs _ (n * q) share Hm). apply everyone_agree. intros ys _. rewrite K. trivial.
    + rewrite H2. unfold estimates_respondents, estimates_respondents_over, share. field. lra.
Qed.

(** People who are drawn from a population in which the share is f: then reports are drawn, too, and the variance is
  that of a sample. *)
Theorem estimate_of_sample {X Y} (P : law X) (M : X -> law Y) (S : Y -> bool) (truth : X -> bool) p q m : q < p -> (1 <= m)%nat ->
  (forall x, Pr (M x) S = if truth x then p else q) -> let f := Pr P truth in let n := INR m in
  let drawn := everyone (fun _ : unit => x <- P ;; M x) (repeat tt m) in
  drawn (fun ys => estimates_share (tally S ys) n p q) = f /\
  drawn (fun ys => (estimates_share (tally S ys) n p q - f) ^ 2) =
    estimates_sample (q + f * (p - q)) n / estimates_sample_over p q ^ 2.
Proof.
  intros Hpq Hm H f n drawn. assert (0 < n) as Hn by (apply lt_0_INR; lia).
  assert (Pr (x <- P ;; M x) S = q + f * (p - q)) as Ha.
  { unfold f, Pr. cbn [bind E]. transitivity (P (fun x => (p - q) * event truth x + q)).
    - apply E_ext; [apply test_bounded; intro; apply E_test, test_event|]. intro x. specialize (H x). unfold Pr in H.
      rewrite H. unfold event. destruct (truth x); ring.
    - rewrite E_affine by auto with law. ring. }
  set (l := q + f * (p - q)) in *.
  assert (sum (repeat tt m) (fun _ => Pr (x <- P ;; M x) S) = n * l) as H1
    by (rewrite sum_const, repeat_length, Ha; trivial).
  assert (sum (repeat tt m) (fun _ => Pr (x <- P ;; M x) S * (1 - Pr (x <- P ;; M x) S)) = n * (l * (1 - l))) as H2
    by (rewrite sum_const, repeat_length, Ha; trivial).
  assert (forall c, estimates_share c n p q = (c - n * q) * / (n * (p - q))) as K
    by (intro c; unfold estimates_share; field; lra).
  assert (f = (n * l - n * q) * / (n * (p - q))) as Hf by (unfold l; field; lra). rewrite <- H1 in Hf. split.
  - rewrite Hf, <- linear_mean. apply everyone_agree. intros ys _. apply K.
  - transitivity (n * (l * (1 - l)) * (/ (n * (p - q))) ^ 2).
    + rewrite <- H2, <- (linear_variance _ S (repeat tt m) _ (n * q) f Hf). apply everyone_agree. intros ys _.
      rewrite K. trivial.
    + unfold estimates_sample, estimates_sample_over. field. lra.
Qed.

(** ** The mechanisms *)

Theorem randomized_response_bool_estimated p : randomized_response_bool_range p -> 1 / 2 < p ->
  estimated (response_bool p) (Bool.eqb true) (Bool.eqb true) (fun _ => True)
    (randomized_response_bool_support_own p) (randomized_response_bool_support_other p).
Proof.
  intros Hr Hp. apply estimate_is;
    [unfold randomized_response_bool_support_own, randomized_response_bool_support_other; lra|].
  intros x _. apply (randomized_response_bool_support p x true Hr).
Qed.

(** Who has chosen v, of categories or of bits. *)
Definition chose (v : nat) (x : option nat) := match x with Some i => Nat.eqb v i | None => false end.
Definition one_of (t : nat) (x : option nat) := exists i, x = Some i /\ (i < t)%nat.

Theorem randomized_response_estimated t p v : (2 <= t)%nat -> randomized_response_range p (INR t) -> 1 / INR t < p ->
  (v < t)%nat -> estimated (response t p) (Nat.eqb v) (chose v) (one_of t)
    (randomized_response_support_own p (INR t)) (randomized_response_support_other p (INR t)).
Proof.
  intros Ht Hr Hp Hv. pose proof (lt_INR 1 t ltac:(lia)) as H1. simpl in H1. apply estimate_is.
  - unfold randomized_response_support_own, randomized_response_support_other.
    apply Rmult_lt_reg_r with (INR t - 1); [lra|]. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l by lra.
    apply Rmult_lt_compat_r with (r := INR t) in Hp; [|lra]. unfold Rdiv in Hp. rewrite Rmult_assoc, Rinv_l in Hp; lra.
  - intros x (i & -> & Hi). apply (randomized_response_support t p i v); trivial.
Qed.

Theorem subset_selection_estimated k d p v : (1 <= d < k)%nat -> subset_selection_range p (INR d) (INR k) ->
  INR d / INR k < p -> (v < k)%nat -> estimated (subset k d p) (existsb (Nat.eqb v)) (chose v) (one_of k)
    (subset_selection_support_own p (INR d) (INR k)) (subset_selection_support_other p (INR d) (INR k)).
Proof.
  intros Hd Hr Hp Hv. pose proof (lt_INR 1 k ltac:(lia)) as H1. simpl in H1. apply estimate_is.
  - unfold subset_selection_support_own, subset_selection_support_other.
    apply Rmult_lt_reg_r with (INR k - 1); [lra|]. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l by lra.
    apply Rmult_lt_compat_r with (r := INR k) in Hp; [|lra]. unfold Rdiv in Hp. rewrite Rmult_assoc, Rinv_l in Hp; lra.
  - intros x (i & -> & Hi). apply (subset_selection_support k d p i v); trivial.
Qed.

(** Vectors of k bits: who has set bit v. *)
Theorem rappor_estimated f k v : 0 < f < 1 -> (v < k)%nat ->
  estimated (rappor (rappor_flips f)) (bit_is v) (bit_is v) (fun x => length x = k)
    (rappor_support_own f) (rappor_support_other f).
Proof.
  intros Hf Hv. apply estimate_is; [unfold rappor_support_own, rappor_support_other; lra|]. intros x Hx.
  unfold rappor_flips. rewrite rappor_marginal by (lra || lia). unfold rappor_support_own, rappor_support_other.
  destruct (bit_is v x); ring.
Qed.

Theorem optimized_unary_estimated p q k v : optimized_unary_bias p -> optimized_unary_range p q -> q < p ->
  (v < k)%nat -> estimated (fun x => honest <- flip (optimized_unary_bits_honest p q) ;;
    bits (optimized_unary_bits_coin p q) honest x) (bit_is v) (bit_is v) (fun x => length x = k) p q.
Proof.
  intros [H0 H1] [H2 H3] Hpq Hv. apply estimate_is; trivial. intros x Hx. apply (unary_marginal p q x); lra || lia.
Qed.

Theorem longitudinal_rappor_estimated f p q k v : 0 < f < 1 -> longitudinal_rappor_zero p ->
  longitudinal_rappor_order p q -> (v < k)%nat ->
  estimated (fun x => memo <- rappor (longitudinal_rappor_permanent_flips f) x ;; report p q memo)
    (bit_is v) (bit_is v) (fun x => length x = k)
    (longitudinal_rappor_support_own f p q) (longitudinal_rappor_support_other f p q).
Proof.
  intros Hf [P0 P1] [O0 O1] Hv. unfold longitudinal_rappor_permanent_flips.
  assert (longitudinal_rappor_support_own f p q = own (f / 2) p q /\
    longitudinal_rappor_support_other f p q = other (f / 2) p q) as [-> ->] by (split; reflexivity || (unfold
    longitudinal_rappor_support_own, longitudinal_rappor_support_other, own, other; ring)).
  apply estimate_is; [unfold own, other; nra|]. intros x Hx. apply longitudinal_marginal; lra || lia.
Qed.
