(** The adaptive filter: what a budget allows an analyst who chooses each release after the answers before it.

    No densities are needed: what is said of every test and every log-odds l is handed down from release to release. *)
From Coq Require Import Reals ZArith Lra Lia List Psatz Permutation.
From Discreet Require Import Law.
Import ListNotations.
Open Scope R_scope.

(** ** One release

    An analyst who could win at most [a] after one answer of randomized response, and at most [b] after the other,
    wins from any release of that loss at most the mean of the two, and its delta. *)

Definition rises e := / (1 + exp (- e)).

Lemma rises_is e : rises e * (1 + exp e) = exp e /\ 0 < rises e < 1.
Proof.
  unfold rises. rewrite exp_Ropp. pose proof (exp_pos e). set (E := exp e) in *.
  replace (/ (1 + / E)) with (E / (1 + E)) by (field; lra). split; [field; lra|].
  split; [apply Rdiv_lt_0_compat; lra|].
  apply Rmult_lt_reg_r with (1 + E); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Lemma close_scaled {T} e d (P Q : law T) M f : close e d P Q -> (forall x, 0 <= f x <= M) -> 0 <= M ->
  P f <= exp e * Q f + M * d.
Proof.
  intros H Hf [HM| <-].
  - assert (test (fun x => / M * f x + 0)) as Ht.
    { intro x. specialize (Hf x). pose proof (Rinv_0_lt_compat _ HM). pose proof (Rinv_r M ltac:(lra)). nra. }
    assert (bounded f) by (exists M; intro x; specialize (Hf x); lra).
    specialize (H _ Ht). rewrite !E_affine in H by trivial.
    apply Rmult_le_compat_l with (r := M) in H; [|lra].
    replace (M * (/ M * P f + 0)) with (P f) in H by (field; lra).
    replace (M * (exp e * (/ M * Q f + 0) + d)) with (exp e * Q f + M * d) in H by (field; lra). trivial.
  - pose proof (E_within P 0 0 f Hf). pose proof (E_within Q 0 0 f Hf). pose proof (exp_pos e). nra.
Qed.

Theorem one_release {T} e d (P Q : law T) a b (g H : T -> R) : 0 <= e -> close e d P Q -> close e d Q P ->
  0 <= b <= a -> test g -> bounded H -> (forall u, 0 <= H u) ->
  (forall u, g u <= a + exp (- e) * H u) -> (forall u, g u <= b + exp e * H u) ->
  P g <= Q H + (rises e * a + (1 - rises e) * b) + d.
Proof.
  intros He HPQ HQP Hab Hg HH H0 Ha Hb. pose proof (close_delta _ _ _ _ HPQ) as Hd.
  destruct (rises_is e) as [Hp Hp']. set (p := rises e) in *. clearbody p.
  assert (0 <= Q H) by (rewrite <- (E_const Q 0); apply E_le; auto with law).
  destruct (Rle_lt_dec 1 b) as [Hb1|Hb1]; [pose proof (E_test P g Hg); nra|].
  set (E := exp e) in *. set (i := exp (- e)) in *.
  assert (E * i = 1) as Hi by (unfold E, i; rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
  assert (1 <= E) as HE by (unfold E; pose proof (exp_ineq1_le e); lra).
  assert (0 < i <= 1) as Hi' by (split; [apply exp_pos|nra]). clearbody i.
  (* Whoever wins 1 at most, and at most b + E H, wins at most a0 + i H. *)
  set (a0 := 1 - i * i * (1 - b)). set (a' := Rmin a a0).
  assert (i * i <= 1) by nra. assert (b <= a0) by (unfold a0; pose proof (Rmult_le_pos (1 - i * i) (1 - b)); lra).
  assert (a' <= a /\ a' <= a0 /\ b <= a') as (Ha1 & Ha2 & Ha3)
    by (unfold a'; split; [apply Rmin_l|split; [apply Rmin_r|apply Rmin_glb; lra]]).
  assert (forall u, g u <= a' + i * H u) as Ha'.
  { intro u. unfold a', Rmin. destruct (Rle_dec a a0); [apply Ha|]. specialize (Hb u). pose proof (Hg u) as [_ Hg1].
    unfold a0. replace (i * H u) with (i * i * (E * H u)) by (rewrite <- (Rmult_1_l (H u)) at 2; rewrite <- Hi; ring).
    nra. }
  clearbody a'. unfold a0 in Ha2.
  (* Where the two lines cross, and where the upper one reaches 1. *)
  assert (exists c, 0 <= c <= (1 - a') * E /\ a' - b = (E - i) * c) as (c & [Hc0 Hc1] & Hc).
  { destruct HE as [HE| <-].
    - assert (0 < E - i) by nra. exists ((a' - b) / (E - i)). split; [split|field; lra].
      + apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; trivial].
      + apply Rmult_le_reg_r with (E - i); trivial. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
        assert (1 - b <= E * E * (1 - a')).
        { assert (i * i * (1 - b) <= 1 - a') by lra.
          replace (1 - b) with (E * E * (i * i * (1 - b))) by (transitivity ((E * i) * (E * i) * (1 - b));
            [ring|rewrite Hi; ring]). apply Rmult_le_compat_l; nra. }
        replace ((1 - a') * E * (E - i)) with (E * E * (1 - a') - (E * i) * (1 - a')) by ring. rewrite Hi. lra.
    - assert (i = 1) by lra. exists 0. subst i. nra. }
  set (t u := Rmin (H u) c). set (s u := Rmin (H u) ((1 - a') * E) - t u).
  assert (forall u, 0 <= t u <= c /\ 0 <= s u <= (1 - a') * E - c /\ t u + s u <= H u /\
    g u <= 1 * (E * t u + i * s u) + b) as Hts.
  { intro u. specialize (Ha' u); specialize (Hb u); specialize (H0 u); pose proof (Hg u) as [_ Hg1].
    unfold s, t, Rmin. destruct (Rle_dec (H u) c), (Rle_dec (H u) ((1 - a') * E)); repeat split; lra || nra. }
  assert (bounded t) as Bt by (exists c; intro u; destruct (Hts u); lra).
  assert (bounded s) as Bs by (exists ((1 - a') * E - c); intro u; destruct (Hts u) as (_ & ? & _); lra).
  assert (P g <= E * P t + i * P s + b).
  { pose proof (E_affine P 1 b _ (bounded_linear E i _ _ Bt Bs)) as Hl. rewrite E_linear, Rmult_1_l in Hl by trivial.
    rewrite <- Hl. apply E_le; auto with law.
    - destruct (bounded_linear 1 1 _ _ (bounded_linear E i _ _ Bt Bs) (bounded_const b)) as [M HM].
      exists M. intro u. specialize (HM u). lra.
    - intro u. apply Hts. }
  assert (1 * Q t + 1 * Q s <= Q H).
  { rewrite <- E_linear by trivial. apply E_le; auto with law. intro u. destruct (Hts u) as (_ & _ & ? & _). lra. }
  assert (P s <= E * Q s + ((1 - a') * E - c) * d) as K3.
  { apply close_scaled; trivial; [intro u; apply Hts|lra]. }
  assert (c - Q t <= E * (c - P t) + c * d).
  { replace (c - Q t) with (Q (fun u => -1 * t u + c)) by (rewrite E_affine by trivial; ring).
    replace (c - P t) with (P (fun u => -1 * t u + c)) by (rewrite E_affine by trivial; ring).
    apply close_scaled; trivial. intro u. destruct (Hts u). lra. }
  apply Rmult_le_compat_l with (r := i) in K3; [|lra].
  replace (i * (E * Q s + ((1 - a') * E - c) * d)) with ((E * i) * (Q s + (1 - a') * d) - i * c * d) in K3 by ring.
  rewrite Hi in K3.
  assert ((E - 1) * c = p * (a' - b)) as K4.
  { apply Rmult_eq_reg_r with (1 + E); [|lra]. replace (p * (a' - b) * (1 + E)) with (p * (1 + E) * (a' - b)) by ring.
    rewrite Hp, Hc. replace (E * ((E - i) * c)) with ((E * E - E * i) * c) by ring. rewrite Hi. ring. }
  assert (c - i * c = i * ((E - 1) * c)) as K5.
  { transitivity (E * i * c - i * c); [rewrite Hi; ring|ring]. }
  rewrite K4 in K5. assert (i * (p * (a' - b)) <= 1 * (a' - b))
    by (rewrite <- Rmult_assoc; apply Rmult_le_compat_r; [|rewrite <- (Rmult_1_l 1); apply Rmult_le_compat]; lra).
  assert ((c - i * c + (1 - a')) * d <= 1 * d) by (apply Rmult_le_compat_r; lra).
  assert (p * a' <= p * a) by (apply Rmult_le_compat_l; lra). lra.
Qed.

(** ** What can be won: V *)

Section Filter.
  Variables (eps step : R) (menu : list nat).
  Hypothesis step_pos : 0 < step.
  Hypothesis menu_pos : forall m, In m menu -> (1 <= m)%nat.

  Definition payoff l := Rmax 0 (1 - exp (eps - l)).
  Definition move e (V : R -> R) l := rises e * V (l + e) + (1 - rises e) * V (l - e).
  Definition best_of (terms : nat -> R) (fits : nat -> bool) (best : R) :=
    fold_left (fun best m => if fits m then Rmax best (terms m) else best) menu best.

  (** The rows V_b, V_(b-1), ..., V_0: each is made from those before it. *)
  Fixpoint rows (b : nat) : list (R -> R) :=
    match b with
    | O => [payoff]
    | S b =>
        let before := rows b in
        (fun l => best_of (fun m => move (INR m * step) (nth (m * m - 1) before payoff) l) (fun m => m * m <=? S b)%nat
          (hd payoff before l)) :: before
    end.
  Definition value b := hd payoff (rows b).

  Lemma rows_are b : forall i, (i <= b)%nat -> nth i (rows b) payoff = value (b - i).
  Proof.
    induction b as [|b IH]; intros [|i] Hi; try lia; try reflexivity. exact (IH i ltac:(lia)).
  Qed.

  Lemma best_of_ext f g fits best : (forall m, In m menu -> fits m = true -> f m = g m) ->
    best_of f fits best = best_of g fits best.
  Proof.
    clear menu_pos. unfold best_of. revert best. induction menu as [|m ms IH]; intros best H; trivial. simpl.
    destruct (fits m) eqn:F; [rewrite (H m (or_introl eq_refl) F)|]; apply IH; intros; apply H; simpl; auto.
  Qed.

  (** The recursion as it is written in adaptive.md. *)
  Theorem value_next b l : value (S b) l =
    best_of (fun m => move (INR m * step) (value (S b - m * m)) l) (fun m => m * m <=? S b)%nat (value b l).
  Proof.
    unfold value at 1. cbn [rows hd]. apply best_of_ext. intros m Hm Hf. apply Nat.leb_le in Hf. apply menu_pos in Hm.
    rewrite rows_are by nia. do 2 f_equal. nia.
  Qed.

  Lemma best_of_least f fits best : best <= best_of f fits best.
  Proof.
    clear menu_pos. unfold best_of. revert best. induction menu as [|m ms IH]; intro best; simpl; [lra|].
    destruct (fits m); [|apply IH]. apply Rle_trans with (2 := IH _), Rmax_l.
  Qed.
  Lemma best_of_each f fits best m : In m menu -> fits m = true -> f m <= best_of f fits best.
  Proof.
    clear menu_pos. unfold best_of. revert best. induction menu as [|n ms IH]; intros best Hm Hf; [destruct Hm|].
    destruct Hm as [-> |Hm]; [|apply IH; trivial]. simpl. rewrite Hf.
    apply Rle_trans with (Rmax best (f m)); [apply Rmax_r|].
    clear. generalize (Rmax best (f m)). induction ms as [|n ms IH]; intro x; simpl; [lra|].
    destruct (fits n); [|apply IH]. apply Rle_trans with (2 := IH _), Rmax_l.
  Qed.

  (** It never falls with the units. *)
  Theorem value_units b b' l : (b <= b')%nat -> value b l <= value b' l.
  Proof.
    induction 1 as [|b' _ IH]; [lra|]. apply Rle_trans with (1 := IH). rewrite value_next. apply best_of_least.
  Qed.

  Lemma value_move b m l : In m menu -> (m * m <= b)%nat -> move (INR m * step) (value (b - m * m)) l <= value b l.
  Proof.
    intros Hm Hb. pose proof (menu_pos m Hm). destruct b as [|b]; [nia|]. rewrite value_next.
    apply (best_of_each (fun m => move (INR m * step) (value (S b - m * m)) l)); trivial. apply Nat.leb_le; trivial.
  Qed.

  (** In y = e^-l values are convex: a value is below each of its chords. *)
  Definition good (V : R -> R) := (forall l, 0 <= V l <= 1) /\ (forall l l', l <= l' -> V l <= V l') /\
    forall t l l1 l2, 0 <= t <= 1 -> exp (- l) = t * exp (- l1) + (1 - t) * exp (- l2) -> V l <= t * V l1 + (1 - t) * V l2.

  Lemma exp_le x y : x <= y -> exp x <= exp y.
  Proof. intros [H| ->]; [left; apply exp_increasing; trivial|lra]. Qed.

  Lemma payoff_good : good payoff.
  Proof.
    unfold payoff. split; [|split].
    - intro l. pose proof (exp_pos (eps - l)). split; [apply Rmax_l|apply Rmax_lub; lra].
    - intros l l' H. apply Rmax_lub; [apply Rmax_l|]. apply Rle_trans with (2 := Rmax_r _ _).
      pose proof (exp_le (eps - l') (eps - l) ltac:(lra)). lra.
    - intros t l l1 l2 Ht H. unfold Rminus. rewrite !exp_plus, H.
      pose proof (Rmax_l 0 (1 + - (exp eps * exp (- l1)))). pose proof (Rmax_r 0 (1 + - (exp eps * exp (- l1)))).
      pose proof (Rmax_l 0 (1 + - (exp eps * exp (- l2)))). pose proof (Rmax_r 0 (1 + - (exp eps * exp (- l2)))).
      apply Rmax_lub; nra.
  Qed.

  Lemma max_good V W : good V -> good W -> good (fun l => Rmax (V l) (W l)).
  Proof.
    intros (V1 & V2 & V3) (W1 & W2 & W3). split; [|split].
    - intro l. specialize (V1 l); specialize (W1 l). split; [apply Rle_trans with (2 := Rmax_l _ _)|apply Rmax_lub]; lra.
    - intros l l' H. apply Rmax_lub; [apply Rle_trans with (2 := Rmax_l _ _)|apply Rle_trans with (2 := Rmax_r _ _)]; auto.
    - intros t l l1 l2 Ht H. specialize (V3 t l l1 l2 Ht H). specialize (W3 t l l1 l2 Ht H).
      pose proof (Rmax_l (V l1) (W l1)). pose proof (Rmax_r (V l1) (W l1)).
      pose proof (Rmax_l (V l2) (W l2)). pose proof (Rmax_r (V l2) (W l2)). apply Rmax_lub; nra.
  Qed.

  Lemma move_good e V : good V -> good (move e V).
  Proof.
    intros (V1 & V2 & V3). destruct (rises_is e) as [_ Hp]. unfold move. split; [|split].
    - intro l. pose proof (V1 (l + e)). pose proof (V1 (l - e)). nra.
    - intros l l' H. pose proof (V2 (l + e) (l' + e) ltac:(lra)). pose proof (V2 (l - e) (l' - e) ltac:(lra)). nra.
    - intros t l l1 l2 Ht H.
      assert (forall c, exp (- (l + c)) = t * exp (- (l1 + c)) + (1 - t) * exp (- (l2 + c))) as Hc
        by (intro c; rewrite !Ropp_plus_distr, !exp_plus, H; ring).
      pose proof (V3 _ _ _ _ Ht (Hc e)). pose proof (V3 _ _ _ _ Ht (Hc (- e))).
      fold (l - e) (l1 - e) (l2 - e) in *. nra.
  Qed.

  Lemma best_of_good (V : nat -> R -> R) fits (W : R -> R) : good W ->
    (forall m, In m menu -> fits m = true -> good (V m)) -> good (fun l => best_of (fun m => V m l) fits (W l)).
  Proof.
    clear menu_pos. unfold best_of. revert W. induction menu as [|m ms IH]; intros W HW HV; [exact HW|]. simpl.
    destruct (fits m) eqn:F.
    - apply (IH (fun l => Rmax (W l) (V m l))); [apply max_good; [|apply HV; simpl; auto]; trivial|].
      intros; apply HV; simpl; auto.
    - apply IH; trivial. intros; apply HV; simpl; auto.
  Qed.

  Lemma good_ext V W : (forall l, V l = W l) -> good V -> good W.
  Proof.
    intros H (V1 & V2 & V3). split; [|split]; intros; rewrite <- ?H; auto.
  Qed.

  Theorem value_good b : good (value b).
  Proof.
    assert (forall n b, (b <= n)%nat -> good (value b)) as H; [|apply (H b); trivial]. clear b.
    induction n as [|n IH]; intros [|b] Hb; try lia; try apply payoff_good.
    apply (good_ext (fun l => best_of (fun m => move (INR m * step) (value (S b - m * m)) l)
      (fun m => m * m <=? S b)%nat (value b l))); [intro; symmetry; apply value_next|].
    apply (best_of_good (fun m => move (INR m * step) (value (S b - m * m)))); [apply IH; lia|].
    intros m Hm _. apply move_good, IH. pose proof (menu_pos m Hm). nia.
  Qed.

  (** A smaller loss wins no more. *)
  Theorem spread V l e e' : good V -> 0 <= e <= e' -> move e V l <= move e' V l.
  Proof.
    intros (V1 & V2 & V3) [H0 [H1| <-]]; [|lra]. unfold move.
    destruct (rises_is e) as [Hp Hp']. destruct (rises_is e') as [Hq Hq'].
    set (p := rises e) in *. set (q := rises e') in *. clearbody p q.
    pose proof (exp_increasing _ _ H1) as HE. pose proof (exp_ineq1_le e) as H2.
    assert (exp e * exp (- e) = 1) as Hi by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
    assert (exp e' * exp (- e') = 1) as Hi' by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
    pose proof (exp_pos (- e)). pose proof (exp_pos (- e')). pose proof (exp_pos (- l)).
    set (E := exp e) in *. set (F := exp e') in *. set (i := exp (- e)) in *. set (j := exp (- e')) in *.
    assert (j < i) by (unfold i, j; apply exp_increasing; lra).
    assert (1 <= E) by lra. assert (i <= 1) by nra. assert (0 < F - j) by lra.
    assert (forall c x, exp (- c) = x -> j <= x <= F ->
      V (l + c) <= (F - x) / (F - j) * V (l + e') + (1 - (F - x) / (F - j)) * V (l - e')) as chord.
    { intros c x Hx Hr. apply V3.
      - split; [apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]|].
        apply Rmult_le_reg_r with (F - j); trivial. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
      - replace (exp (- (l + c))) with (exp (- l) * x) by (rewrite <- Hx, <- exp_plus; f_equal; ring).
        replace (exp (- (l + e'))) with (exp (- l) * j) by (unfold j; rewrite <- exp_plus; f_equal; ring).
        replace (exp (- (l - e'))) with (exp (- l) * F) by (unfold F; rewrite <- exp_plus; f_equal; ring).
        field. lra. }
    pose proof (chord e i eq_refl ltac:(lra)) as Hup.
    assert (V (l - e) <= (F - E) / (F - j) * V (l + e') + (1 - (F - E) / (F - j)) * V (l - e')) as Hdown.
    { apply (chord (- e) E); [unfold E; f_equal; lra|]. lra. }
    clear chord. set (x := V (l + e')) in *. set (y := V (l - e')) in *.
    assert (p * ((F - i) / (F - j)) + (1 - p) * ((F - E) / (F - j)) = q) as Hw.
    { assert (p * i + (1 - p) * E = 1).
      { assert (p * i = 1 - p); [|lra]. apply Rmult_eq_reg_r with E; [|lra].
        rewrite Rmult_assoc, (Rmult_comm i), Hi. lra. }
      apply Rmult_eq_reg_r with (F - j); [|lra].
      transitivity (F - (p * i + (1 - p) * E)); [field; lra|].
      assert (q * j = 1 - q); [|lra]. apply Rmult_eq_reg_r with F; [|lra].
      rewrite Rmult_assoc, (Rmult_comm j), Hi'. lra. }
    apply Rmult_le_compat_l with (r := p) in Hup; [|lra]. apply Rmult_le_compat_l with (r := 1 - p) in Hdown; [|lra].
    rewrite <- Hw. lra.
  Qed.

  (** ** Tables of values

      Numbers on a lattice are bounds, if no step of the recursion is below what it should be, 1 stands above the
      lattice, and below it what is at its lowest point. *)
  Lemma best_of_most f fits best x : best <= x -> (forall m, In m menu -> fits m = true -> f m <= x) ->
    best_of f fits best <= x.
  Proof.
    clear menu_pos. unfold best_of. revert best. induction menu as [|m ms IH]; intros best H Hm; trivial. simpl.
    destruct (fits m) eqn:F; apply IH; simpl in Hm; auto. apply Rmax_lub; auto.
  Qed.

  Theorem lattice_bounds (W : nat -> Z -> R) (low high : Z) (up down : nat -> R) : (low < high)%Z ->
    (forall m, In m menu -> rises (INR m * step) <= up m /\ 1 - rises (INR m * step) <= down m) ->
    (forall j, (low <= j < high)%Z -> payoff (IZR j * step) <= W O j) ->
    (forall b j, (high <= j)%Z -> 1 <= W b j) ->
    (forall b j, (j < low)%Z -> W b low <= W b j) ->
    (forall b j, (low <= j < high)%Z -> best_of (fun m => W (S b - m * m)%nat (j + Z.of_nat m)%Z * up m
      + W (S b - m * m)%nat (j - Z.of_nat m)%Z * down m) (fun m => m * m <=? S b)%nat (W b j) <= W (S b) j) ->
    forall b j, value b (IZR j * step) <= W b j.
  Proof.
    intros Hlow Hp H0 Htop Hbottom Hnext.
    assert (forall b, (forall j, (low <= j < high)%Z -> value b (IZR j * step) <= W b j) ->
      forall j, value b (IZR j * step) <= W b j) as ends.
    { intros b Hin j. destruct (value_good b) as (Hv & Hup & _).
      destruct (Z.lt_ge_cases j low); [|destruct (Z.lt_ge_cases j high); [apply Hin; lia|]].
      - apply Rle_trans with (2 := Hbottom b j ltac:(trivial)), Rle_trans with (2 := Hin low ltac:(lia)).
        apply Hup, Rmult_le_compat_r; [lra|]. apply IZR_le. lia.
      - apply Rle_trans with (2 := Htop b j ltac:(trivial)). apply Hv. }
    assert (forall n b, (b <= n)%nat -> forall j, value b (IZR j * step) <= W b j) as H; [|intro b; apply (H b b); trivial].
    induction n as [|n IH]; intros [|b] Hb; apply ends; trivial; try lia. intros j Hj. rewrite value_next. apply best_of_most.
    - apply Rle_trans with (2 := Hnext b j Hj), Rle_trans with (2 := best_of_least _ _ _). apply IH. lia.
    - intros m Hm Hf. apply Rle_trans with (2 := Hnext b j Hj).
      apply Rle_trans with (2 := best_of_each _ _ (W b j) m Hm Hf). unfold move.
      pose proof (menu_pos m Hm). destruct (Hp m Hm) as [Hup Hdown]. destruct (rises_is (INR m * step)) as [_ Hr].
      pose proof (IH (S b - m * m)%nat ltac:(nia) (j + Z.of_nat m)%Z) as Ha.
      pose proof (IH (S b - m * m)%nat ltac:(nia) (j - Z.of_nat m)%Z) as Hd.
      rewrite plus_IZR, <- INR_IZR_INZ in Ha. rewrite minus_IZR, <- INR_IZR_INZ in Hd.
      replace ((IZR j + INR m) * step) with (IZR j * step + INR m * step) in Ha by ring.
      replace ((IZR j - INR m) * step) with (IZR j * step - INR m * step) in Hd by ring.
      destruct (value_good (S b - m * m)) as [Hv _].
      pose proof (Hv (IZR j * step + INR m * step)). pose proof (Hv (IZR j * step - INR m * step)). nra.
  Qed.

  (** ** The game *)

  Context {X : Type} (adjacent : X -> X -> Prop).
  Hypothesis symmetric : forall x x', adjacent x x' -> adjacent x' x.
  Variables (B : nat) (D : R).

  (** An analyst: he stops, or asks for a release that loses e and delta and is charged some units, and goes on as he
      likes after its answer. Coins of his own are a release that loses nothing. *)
  Inductive analyst (T : Type) : Type :=
    | Stop (answer : T)
    | Ask {U : Type} (M : X -> law U) (e delta : R) (units : nat) (next : U -> analyst T).
  Arguments Stop {T}. Arguments Ask {T U}.

  Fixpoint seen {T} (a : analyst T) (x : X) : law T :=
    match a with
    | Stop answer => ret answer
    | Ask M _ _ _ next => u <- M x ;; seen (next u) x
    end.

  (** Units that pay for a loss: the square of a move that is no smaller, or so many that nobody has them. *)
  Definition pays (e : R) (units : nat) :=
    e = 0 \/ (exists m, In m menu /\ e <= INR m * step /\ (m * m <= units)%nat) \/ (B < units)%nat.

  (** What the books hold after each charge: u units, s of epsilons, d of deltas. *)
  Definition obeys (u : nat) (s d : R) := d <= D /\ ((u <= B)%nat \/ s <= eps).

  Fixpoint charged {T} (u : nat) (s d : R) (a : analyst T) : Prop :=
    match a with
    | Stop _ => True
    | Ask M e delta units next =>
        0 <= e /\ dp adjacent e delta M /\ pays e units /\ obeys (u + units) (s + e) (d + delta) /\
        forall answer, charged (u + units) (s + e) (d + delta) (next answer)
    end.

  (** Where the units are used up, plain addition is left. *)
  Lemma outside {T} (a : analyst T) : forall u s d, (B < u)%nat -> obeys u s d -> charged u s d a ->
    dp adjacent (eps - s) (D - d) (seen a).
  Proof.
    induction a as [answer|U M e delta c next IH]; intros u s d Hu [Hd Hs] H x x' Hx.
    - apply (close_weaken 0 0); [|lra|apply close_refl]. destruct Hs; [lia|lra].
    - destruct H as (He & HM & _ & Ho & Hn). cbn [seen].
      replace (eps - s) with (e + (eps - (s + e))) by ring. replace (D - d) with (delta + (D - (d + delta))) by ring.
      apply composition; [apply HM; trivial|]. intro answer.
      apply (IH answer (u + c)%nat); trivial; lia.
  Qed.

  Lemma inside {T} (a : analyst T) : forall u s d, (u <= B)%nat -> obeys u s d -> charged u s d a ->
    forall x x' l f, adjacent x x' -> l <= s -> test f ->
    seen a x f <= exp (eps - l) * seen a x' f + value (B - u) l + (D - d).
  Proof.
    induction a as [answer|U M e delta c next IH]; intros u s d Hu [Hd Hs] H x x' l f Hx Hl Hf.
    - cbn [seen ret E]. specialize (Hf answer). pose proof (value_units 0 (B - u) l ltac:(lia)) as Hv.
      change (value 0 l) with (payoff l) in Hv. unfold payoff in Hv.
      pose proof (Rmax_l 0 (1 - exp (eps - l))). pose proof (Rmax_r 0 (1 - exp (eps - l))).
      pose proof (exp_pos (eps - l)). nra.
    - pose proof (value_good (B - u)) as (Hr & _ & _). specialize (Hr l).
      destruct (Nat.le_gt_cases (u + c) B) as [Hc|Hc].
      + destruct H as (He & HM & Hp & Ho & Hn). cbn [seen bind E].
        pose proof (value_good (B - (u + c))) as Hg. pose proof Hg as (Hr' & Hup & _).
        assert (move e (value (B - (u + c))) l <= value (B - u) l) as Hv.
        { destruct Hp as [-> |[(m & Hm & Hem & Hmc)|]]; [| |lia].
          - unfold move. rewrite Rplus_0_r, Rminus_0_r. pose proof (value_units (B - (u + c)) (B - u) l ltac:(lia)). lra.
          - apply Rle_trans with (1 := spread _ l _ _ Hg (conj He Hem)).
            replace (B - (u + c))%nat with (B - u - c + m * m - m * m)%nat by lia.
            apply Rle_trans with (1 := value_move (B - u - c + m * m) m l Hm ltac:(lia)). apply value_units. lia. }
        pose proof (HM _ _ Hx) as H1. pose proof (HM _ _ (symmetric _ _ Hx)) as H2.
        pose proof (exp_pos (eps - l)) as Hexp. destruct Ho as [Hd' _].
        assert (forall y, l + y <= s + e -> forall answer, seen (next answer) x f <=
          value (B - (u + c)) (l + y) + (D - (d + delta)) +
          exp (- y) * (exp (eps - l) * seen (next answer) x' f)) as Hnext.
        { intros y Hy answer. rewrite <- Rmult_assoc, <- exp_plus. replace (- y + (eps - l)) with (eps - (l + y)) by ring.
          pose proof (IH answer (u + c)%nat (s + e) (d + delta) Hc (conj Hd' (or_introl Hc)) (Hn answer)
            x x' (l + y) f Hx Hy Hf). lra. }
        assert (bounded (fun answer => exp (eps - l) * seen (next answer) x' f)) as HB.
        { exists (exp (eps - l)). intro answer. pose proof (E_test (seen (next answer) x') f Hf). nra. }
        assert (M x' (fun answer => exp (eps - l) * seen (next answer) x' f) =
          exp (eps - l) * M x' (fun answer => seen (next answer) x' f)) as Hl'.
        { rewrite (E_ext _ _ (fun answer => exp (eps - l) * seen (next answer) x' f + 0)) by (trivial; intro; ring).
          rewrite E_affine by auto with law. ring. }
        rewrite <- Hl'. unfold move in Hv.
        set (a := value (B - (u + c)) (l + e)) in *. set (b := value (B - (u + c)) (l - e)) in *.
        apply Rle_trans with (M x' (fun answer => exp (eps - l) * seen (next answer) x' f) +
          (rises e * (a + (D - (d + delta))) + (1 - rises e) * (b + (D - (d + delta)))) + delta); [|lra].
        apply one_release; trivial.
        * pose proof (Hr' (l - e)). pose proof (Hup (l - e) (l + e) ltac:(lra)). unfold a, b. lra.
        * intro answer. apply E_test, Hf.
        * intro answer. pose proof (E_test (seen (next answer) x') f Hf). nra.
        * apply Hnext. lra.
        * intro answer. rewrite <- (Ropp_involutive e) at 1. apply Hnext. lra.
      + assert (dp adjacent (eps - s) (D - d) (seen (Ask M e delta c next))) as Hdp.
        { destruct H as (He & HM & _ & Ho & Hn). intros z z' Hz. cbn [seen].
          replace (eps - s) with (e + (eps - (s + e))) by ring.
          replace (D - d) with (delta + (D - (d + delta))) by ring.
          apply composition; [apply HM; trivial|]. intro answer. apply (outside _ (u + c)%nat); trivial; lia. }
        pose proof (Hdp x x' Hx f Hf). pose proof (exp_le (eps - s) (eps - l) ltac:(lra)).
        pose proof (E_test (seen (Ask M e delta c next) x') f Hf). nra.
  Qed.

  (** Whoever asks, if what the books allow is all that is asked: together it is (eps, delta)-DP. *)
  Theorem adaptive_filter {T} (a : analyst T) delta : 0 <= D -> value B 0 <= delta - D ->
    charged 0 0 0 a -> dp adjacent eps delta (seen a).
  Proof.
    intros HD HV Ha x x' Hx f Hf.
    pose proof (inside a 0 0 0 ltac:(lia) (conj HD (or_introl (Nat.le_0_l B))) Ha x x' 0 f Hx ltac:(lra) Hf) as H.
    rewrite Rminus_0_r, Nat.sub_0_r in H. lra.
  Qed.

  (** Without units: what plain addition allows needs nothing of V. *)
  Theorem value_zero : 0 <= eps -> value 0 0 = 0.
  Proof.
    intro H. change (value 0 0) with (payoff 0). unfold payoff. rewrite Rminus_0_r.
    pose proof (exp_ineq1_le eps). apply Rmax_left. lra.
  Qed.

  (** The books are looked at after an event; whatever came before its end obeyed them, too. *)
  Lemma obeys_before u u' s s' d d' : (u <= u')%nat -> s <= s' -> d <= d' -> obeys u' s' d' -> obeys u s d.
  Proof. unfold obeys. intros Hu Hs Hd [H1 [H2|H2]]; (split; [lra|]); [left; lia|right; lra]. Qed.

  (** Moves that are made together lose together what they lose one by one: they may be counted as one. *)
  Fixpoint each {U} (Ms : list (X -> law U)) (x : X) : law (list U) :=
    match Ms with
    | [] => ret []
    | M :: Ms => u <- M x ;; us <- each Ms x ;; ret (u :: us)
    end.

  Theorem together {U} e (Ms : list (X -> law U)) : (forall M, In M Ms -> dp adjacent e 0 M) ->
    dp adjacent (INR (length Ms) * e) 0 (each Ms).
  Proof.
    induction Ms as [|M Ms IH]; intros H x x' Hx.
    - simpl length. rewrite Rmult_0_l. apply close_refl.
    - simpl length. rewrite S_INR. replace ((INR (length Ms) + 1) * e) with (e + INR (length Ms) * e) by ring.
      rewrite <- (Rplus_0_r 0). cbn [each]. apply composition; [apply H; simpl; auto|]. intro u.
      apply postprocessing, IH; simpl in H; auto.
  Qed.
End Filter.

(** The order of charges does not matter: books are sums. *)
Definition books (charges : list (nat * R * R)) :=
  (list_sum (map (fun c => fst (fst c)) charges), sum charges (fun c => snd (fst c)), sum charges snd).

Theorem books_order charges charges' : Permutation charges charges' -> books charges = books charges'.
Proof.
  unfold books. intro H. assert (forall f : nat * R * R -> R, sum charges f = sum charges' f) as Hs.
  { intro f. induction H; simpl; lra. }
  rewrite !Hs. do 2 f_equal. clear Hs. induction H; simpl; lia.
Qed.
