(** What the marked lines of accounting/adaptive.py and accounting/zcdp.py compute is what the filters' theorems are about. *)
From Coq Require Import ZArith Reals Lra Lia List.
From Discreet Require Import Law AdaptiveFilter Concentrated ConcentratedFilter Code.
Import ListNotations.
Open Scope R_scope.

Theorem adaptive_or_is eps B D total u s d : obeys eps B D u s d <-> ~ adaptive_or (INR u) s d (INR B) eps D total.
Proof.
  unfold obeys, adaptive_or. split.
  - intros [Hd [Hu|Hs]] [H|[H1 H2]]; try lra. apply INR_lt in H1. lia.
  - intro H. split; [lra|]. destruct (Nat.le_gt_cases u B) as [Hu|Hu]; [left; trivial|right].
    apply Rnot_lt_le. intro Hs. apply H. right. split; [apply lt_INR; trivial|lra].
Qed.

(** Equal moves of loss e, so many at a time, are no more than the menu's m; and the groups hold them all. *)
Theorem adaptive_cost_pays step menu B m e count : 0 < e -> In m menu ->
  let n := adaptive_cost_n (INR m) step e (INR count) in
  let groups := adaptive_cost_groups (INR count) n in
  0 < n -> (forall k, INR k <= n -> pays step menu B (INR k * e) (m * m)) /\ INR count <= groups * n /\
  adaptive_cost groups (INR m) = groups * INR (m * m).
Proof.
  intros He Hm n groups Hn. split; [|split].
  - intros k Hk. right. left. exists m. split; [trivial|]. split; [|lia].
    assert (n <= INR m * step / e) as H.
    { unfold n, adaptive_cost_n. apply Rle_trans with (1 := Rmin_r _ _). apply base_Int_part. }
    apply Rle_trans with (INR m * step / e * e); [nra|]. right. field. lra.
  - unfold groups, adaptive_cost_groups. destruct (base_Int_part (- INR count / n)) as [H _].
    apply Rmult_le_compat_r with (r := n) in H; [|lra]. replace (- INR count / n * n) with (- INR count) in H by (field; lra).
    lra.
  - unfold adaptive_cost. rewrite mult_INR. ring.
Qed.

Theorem adaptive_off_pays step menu B e units : adaptive_off (INR B) <= INR units -> pays step menu B e units.
Proof. unfold adaptive_off. intro H. right. right. apply INR_lt. lra. Qed.

Lemma adaptive_payoff_is eps over l : l = over + eps -> payoff eps l <= adaptive_payoff over.
Proof.
  intros ->. unfold payoff, adaptive_payoff. replace (eps - (over + eps)) with (- over) by ring. pose proof (exp_pos (- over)).
  destruct (Rle_dec over 0); [|destruct (Rlt_dec 40 over)].
  - pose proof (exp_ineq1_le (- over)). rewrite Rmax_left; lra.
  - apply Rmax_lub; lra.
  - pose proof (exp_increasing (- over) 0 ltac:(lra)) as H'. rewrite exp_0 in H'. rewrite Rmax_right; lra.
Qed.

Lemma adaptive_chances_are e : rises e <= adaptive_chances_up e /\ 1 - rises e <= adaptive_chances_down e.
Proof.
  destruct (rises_is e) as [Hp Hp']. unfold adaptive_chances_up, adaptive_chances_down. split.
  - destruct (Rlt_dec 40 e); [lra|]. unfold rises, Rdiv. rewrite Rmult_1_l. lra.
  - pose proof (exp_pos e). pose proof (exp_pos (Rmin e 40)). pose proof (exp_le (Rmin e 40) e (Rmin_l _ _)).
    replace (1 - rises e) with (/ (1 + exp e)).
    + unfold Rdiv. rewrite Rmult_1_l. apply Rinv_le_contravar; lra.
    + apply Rmult_eq_reg_r with (1 + exp e); [|lra]. rewrite Rinv_l by lra. lra.
Qed.

(** The numbers of [_values] are bounds, if floats are not below what they stand for. *)
Theorem adaptive_values_bound eps step menu (W : nat -> Z -> R) low high room up down :
  0 < step -> (forall m, In m menu -> (1 <= m)%nat) -> (low < high)%Z ->
  (forall m, In m menu -> adaptive_chances_up (adaptive_loss (INR m) step) <= up m /\
    adaptive_chances_down (adaptive_loss (INR m) step) <= down m) ->
  (forall j, (low <= j < high)%Z -> adaptive_payoff (adaptive_over (IZR j) step eps) <= W O j) ->
  (forall b j, (high <= j)%Z -> 1 <= W b j) -> (forall b j, (j < low)%Z -> W b low <= W b j) ->
  (forall b j, (low <= j < high)%Z -> fold_left (fun best m =>
    if adaptive_fits (Z.of_nat m) (Z.of_nat (S b)) then
      let row := W (Z.to_nat (adaptive_before (Z.of_nat m) (Z.of_nat (S b)))) in
      Rmax best (row (j + (adaptive_above room (Z.of_nat m) - room))%Z * up m +
        row (j + (adaptive_below room (Z.of_nat m) - room))%Z * down m)
    else best) menu (W b j) <= W (S b) j) ->
  forall b j, value eps step menu b (IZR j * step) <= W b j.
Proof.
  intros Hs Hm Hl Hc H0 Ht Hb Hn. apply (lattice_bounds eps step menu Hs Hm W low high up down); trivial.
  - intros m Hin. destruct (Hc m Hin) as [H1 H2]. unfold adaptive_loss in *.
    destruct (adaptive_chances_are (INR m * step)). lra.
  - intros j Hj. apply Rle_trans with (2 := H0 j Hj). apply adaptive_payoff_is. unfold adaptive_over. ring.
  - intros b j Hj. apply Rle_trans with (2 := Hn b j Hj). right. unfold best_of. generalize (W b j). clear.
    induction menu as [|m ms IH]; intro best; [trivial|]. cbn [fold_left]. rewrite <- IH. f_equal.
    unfold adaptive_fits, adaptive_before, adaptive_above, adaptive_below.
    rewrite <- Nat2Z.inj_mul. destruct (Nat.leb_spec (m * m) (S b)), (Z.leb_spec (Z.of_nat (m * m)) (Z.of_nat (S b))); try lia;
      trivial.
    replace (Z.to_nat (Z.of_nat (S b) - Z.of_nat (m * m))) with (S b - m * m)%nat by lia.
    replace (j + (room + Z.of_nat m - room))%Z with (j + Z.of_nat m)%Z by ring.
    replace (j + (room - Z.of_nat m - room))%Z with (j - Z.of_nat m)%Z by ring. trivial.
Qed.

(** Books that are made with more to spare are found sound again. *)
Theorem adaptive_most_again v most total kept : 0 <= v -> adaptive_most v (total - kept) -> adaptive_again v most total kept.
Proof.
  unfold adaptive_most, adaptive_again. intros Hv H. right. generalize dependent (1 / (1 * 2 ^ 999)). intros tiny H.
  replace (2 ^ 35) with (8 * 2 ^ 32) by ring. pose proof (pow_lt 2 32 ltac:(lra)). set (x := 2 ^ 32) in *.
  replace (1 / (1 * (8 * x))) with (1 / (1 * x) / 8) by (field; lra).
  assert (0 < 1 / (1 * x)) by (apply Rdiv_lt_0_compat; lra). nra.
Qed.

(** All together: books that are found sound, and charges that they allow. *)
Theorem adaptive_books_hold {X T} (adjacent : X -> X -> Prop) eps step menu B kept total v (a : analyst T) :
  (forall x x', adjacent x x' -> adjacent x' x) -> (forall m, In m menu -> (1 <= m)%nat) ->
  0 <= eps -> 0 <= kept <= total ->
  value eps step menu B 0 <= v * (1 + 1 / (1 * 2 ^ 35)) + 1 / (1 * 2 ^ 999) ->
  adaptive_again v (INR B) total kept ->
  charged eps step menu adjacent B kept 0 0 0 a -> dp adjacent eps total (seen a).
Proof.
  intros Hsym Hm He Hk HV Hagain Ha.
  apply (adaptive_filter eps step menu Hm adjacent Hsym B kept a total); trivial; [lra|].
  destruct Hagain as [H0|H]; [|lra]. apply (INR_eq B 0) in H0. subst B. rewrite value_zero; lra.
Qed.

(** ** accounting/zcdp.py *)

Theorem zcdp_worth_is a rho eps delta : 1 < a -> 0 < delta ->
  rho <= zcdp_rho eps (zcdp_constant a delta) a <-> worth a rho eps <= delta.
Proof.
  intros Ha Hd. assert (0 < a * delta) by (apply Rmult_lt_0_compat; lra). unfold zcdp_rho, zcdp_constant, worth.
  replace (1 - 1 / a) with (1 - / a) by (field; lra). set (k := ln (1 - / a)).
  transitivity ((a - 1) * (a * rho - eps) + (a - 1) * k <= ln (a * delta)).
  - replace ((eps - ((a - 1) * k - ln (a * delta)) / (a - 1)) / a)
      with ((ln (a * delta) + (a - 1) * eps - (a - 1) * k) / (a * (a - 1))) by (field; lra).
    assert (0 < a * (a - 1)) as Hp by (apply Rmult_lt_0_compat; lra). split; intro H1.
    + apply Rmult_le_compat_r with (r := a * (a - 1)) in H1; [|lra]. unfold Rdiv in H1. rewrite Rmult_assoc, Rinv_l in H1; lra.
    + apply Rmult_le_reg_r with (a * (a - 1)); [trivial|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
  - set (e := (a - 1) * (a * rho - eps) + (a - 1) * k). split; intro H1.
    + apply exp_mono in H1. rewrite exp_ln in H1 by trivial. apply Rmult_le_reg_r with a; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
    + rewrite <- (ln_exp e). apply ln_mono; [apply exp_pos|]. apply Rmult_le_compat_r with (r := a) in H1; [|lra].
      unfold Rdiv in H1. rewrite Rmult_assoc, Rinv_l in H1; lra.
Qed.

(** Books that are found sound, and releases that they allow. *)
Theorem zcdp_books_hold {X T} (adjacent : X -> X -> Prop) eps rho order composed kept total (i : inquirer T) :
  0 <= eps -> 0 <= rho -> 1 < order -> 0 < composed -> 0 <= kept -> composed + kept <= total ->
  zcdp_worth (zcdp_rho eps (zcdp_constant order composed) order) rho ->
  paid adjacent rho kept 0 0 i -> dp adjacent eps total (shown_to i).
Proof.
  intros He Hr Ho Hc Hk Ht Hw Hi.
  assert (exists a, 1 < a /\ worth a rho eps <= composed) as (a & Ha & Hl).
  { destruct Hw as [->|Hw]; [|exists order; split; [trivial|apply zcdp_worth_is; lra]].
    exists (2 + / composed). pose proof (Rinv_0_lt_compat composed Hc). set (a := 2 + / composed). assert (1 < a) by (unfold a; lra).
    split; [trivial|]. unfold worth. apply Rle_trans with (1 / a).
    - apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|].
      apply Rle_trans with (exp 0); [apply exp_mono|rewrite exp_0; lra].
      assert (ln (1 - / a) <= ln 1) as Hn.
      { assert (0 < / a < 1) by (split; [apply Rinv_0_lt_compat; lra|rewrite <- Rinv_1; apply Rinv_lt_contravar; lra]).
        apply ln_mono; lra. }
      rewrite ln_1 in Hn. pose proof (Rmult_le_pos (a - 1) (eps - ln (1 - / a))). lra.
    - apply Rmult_le_reg_r with a; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
      unfold a. rewrite Rmult_plus_distr_l, Rinv_r; lra. }
  intros x x' Hx. apply close_weaken with (e := eps) (d := worth a rho eps + kept); try lra.
  apply (concentrated_filter adjacent rho kept i a eps); trivial.
Qed.
