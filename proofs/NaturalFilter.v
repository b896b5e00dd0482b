(** Books that add up the loss distributions of what was chosen so far, and go on while their curve allows it: right
    for a plan that is fixed in advance, and wrong for an analyst who chooses as he goes. Here is one of them. *)
From Coq Require Import Reals Lra List Bool.
From Discreet Require Import Law AdaptiveFilter.
Open Scope R_scope.

Arguments Stop {X T}. Arguments Ask {X T U}.

(** [curve l] is what all that was chosen wins from the log-odds l. *)
Fixpoint added_up {X T} (adjacent : X -> X -> Prop) delta (curve : R -> R) (a : @analyst X T) : Prop :=
  match a with
  | Stop _ => True
  | Ask M e d _ next => 0 <= e /\ d = 0 /\ dp adjacent e 0 M /\ move e curve 0 <= delta /\
      forall answer, added_up adjacent delta (move e curve) (next answer)
  end.

(** Randomized response with odds of c. *)
Definition odds_of c (x : bool) : law bool := honest <- flip (c / (1 + c)) ;; ret (Bool.eqb x honest).

Lemma odds_is c x f : 0 < c -> odds_of c x f = / (1 + c) * (c * f x + f (negb x)).
Proof.
  intro Hc. unfold odds_of. cbn [bind E]. pose proof (Rinv_0_lt_compat (1 + c) ltac:(lra)). pose proof (Rinv_l (1 + c) ltac:(lra)).
  rewrite flip_is by (unfold Rdiv; nra). cbn [ret E]. destruct x; simpl; field; lra.
Qed.
Lemma odds_dp c : 1 <= c -> dp (fun _ _ => True) (ln c) 0 (odds_of c).
Proof.
  intros Hc x x' _ f Hf. rewrite !odds_is, exp_ln by lra. pose proof (Rinv_0_lt_compat (1 + c) ltac:(lra)).
  pose proof (Hf true). pose proof (Hf false). set (i := / (1 + c)) in *. clearbody i.
  assert (c * f x + f (negb x) <= c * (c * f x' + f (negb x'))).
  { assert (forall b, f b <= c * f b /\ c * f b <= c * (c * f b)) as Hg.
    { intro b. specialize (Hf b). assert (f b <= c * f b) by nra. split; nra. }
    destruct (Hg true), (Hg false), x, x'; simpl; lra. }
  replace (c * (i * (c * f x' + f (negb x'))) + 0) with (i * (c * (c * f x' + f (negb x')))) by ring. nra.
Qed.

(** After one answer he asks once more, after the other twice, of smaller loss. *)
Definition choosy : @analyst bool bool :=
  Ask (odds_of 2) (ln 2) 0 0 (fun b => if b
    then Ask (odds_of 5) (ln 5) 0 0 Stop
    else Ask (odds_of (17 / 5)) (ln (17 / 5)) 0 0 (fun b => Ask (odds_of (17 / 5)) (ln (17 / 5)) 0 0
      (fun c => Stop (b && c)))).

Lemma move_odds c V y : 0 < c -> 0 < y -> move (ln c) V (- ln y) = c / (1 + c) * V (- ln (y / c)) + / (1 + c) * V (- ln (y * c)).
Proof.
  intros Hc Hy. unfold move, rises. rewrite exp_Ropp, exp_ln by trivial. unfold Rdiv at 2.
  rewrite !ln_mult, ln_Rinv by (trivial || apply Rinv_0_lt_compat; trivial).
  replace (- ln y + ln c) with (- (ln y + - ln c)) by ring. replace (- ln y - ln c) with (- (ln y + ln c)) by ring.
  f_equal; f_equal; field; lra.
Qed.
Lemma payoff_odds y : 0 < y -> payoff (ln 2) (- ln y) = Rmax 0 (1 - 2 * y).
Proof. intro Hy. unfold payoff. do 2 f_equal. replace (ln 2 - - ln y) with (ln 2 + ln y) by ring. rewrite exp_plus, !exp_ln; lra. Qed.

Ltac curves := rewrite <- (Ropp_involutive 0), Ropp_0, <- ln_1; rewrite ?move_odds by lra; rewrite ?payoff_odds by lra;
  repeat match goal with |- context [Rmax 0 ?x] => first [rewrite (Rmax_left 0 x) by lra|rewrite (Rmax_right 0 x) by lra] end; lra.

Theorem natural_filter : added_up (fun _ _ => True) (/ 2) (payoff (ln 2)) choosy /\
  ~ dp (fun _ _ => True) (ln 2) (/ 2) (seen choosy).
Proof.
  assert (forall c, 1 <= c -> 0 <= ln c) as Hl.
  { intros c Hc. rewrite <- ln_1. destruct Hc as [H| <-]; [left; apply ln_increasing|]; lra. }
  split.
  - simpl. repeat split; try (apply Hl; lra); try (apply odds_dp; lra); [curves|].
    intros [|]; simpl; repeat split; try (apply Hl; lra); try (apply odds_dp; lra); try curves.
  - intro H. specialize (H true false I (event (fun b => b)) (test_event _)). rewrite exp_ln in H by lra.
    unfold choosy in H. cbn [seen bind E] in H. repeat (rewrite !odds_is in H by lra; cbn [negb seen bind ret E] in H).
    unfold event in H. simpl in H. lra.
Qed.
