(** Reported losses are the least floats that are at least the truth: for the parameters of [Reported], which
    floats.py writes with what the Python says of them, by intervals that Coq computes. *)
From Coq Require Import Reals ZArith Lra Lia List Bool.
From Flocq Require Import Core.
From Interval Require Import Specific_stdz Specific_ops Float_full Xreal Basic Sig Interval.
From Discreet Require Import Code Reported.
Import ListNotations.
Open Scope R_scope.

(** ** The least float *)

Definition dyadic (m e : Z) := IZR m * bpow radix2 e.

(** The least number of 53 bits that is at least x. *)
Definition least_float (m e : Z) (x : R) := x <= dyadic m e /\
  forall n f, (Z.abs n < 2 ^ 53)%Z -> x <= dyadic n f -> dyadic m e <= dyadic n f.

Definition before (m e : Z) : Z * Z := if (m =? 2 ^ 52)%Z then (2 ^ 53 - 1, e - 1)%Z else (m - 1, e)%Z.

Lemma before_least m e x : (2 ^ 52 <= m < 2 ^ 53)%Z -> dyadic (fst (before m e)) (snd (before m e)) < x <= dyadic m e ->
  least_float m e x.
Proof.
  intros Hm [Hl Hu]. split; [trivial|]. intros n f Hn Hx.
  assert (dyadic (fst (before m e)) (snd (before m e)) < dyadic n f) as H by lra. clear Hl Hx Hu. unfold dyadic in *.
  pose proof (bpow_gt_0 radix2 e) as He. pose proof (bpow_gt_0 radix2 (e - 1)) as He'.
  assert (bpow radix2 e = 2 * bpow radix2 (e - 1)) as E2.
  { replace e with (1 + (e - 1))%Z at 1 by ring. rewrite bpow_plus. trivial. }
  destruct (Z.lt_ge_cases f e) as [Hf|Hf].
  - exfalso. assert (IZR n * bpow radix2 f <= IZR (2 ^ 53 - 1) * bpow radix2 (e - 1)) as Hb.
    { apply Rle_trans with (IZR (2 ^ 53 - 1) * bpow radix2 f).
      - apply Rmult_le_compat_r; [apply bpow_ge_0|apply IZR_le; lia].
      - apply Rmult_le_compat_l; [apply IZR_le; lia|apply bpow_le; lia]. }
    unfold before in H. destruct (Z.eqb_spec m (2 ^ 52)); cbn [fst snd] in H; [lra|].
    assert (IZR (2 ^ 52) <= IZR (m - 1)) as Hm' by (apply IZR_le; lia).
    apply Rmult_le_compat_r with (r := bpow radix2 e) in Hm'; [|lra]. rewrite E2 in Hm' at 1.
    assert (IZR (2 ^ 53 - 1) <= 2 * IZR (2 ^ 52)) by (rewrite <- mult_IZR; apply IZR_le; lia). nra.
  - replace f with (f - e + e)%Z in * by ring. rewrite bpow_plus, <- Rmult_assoc in *.
    rewrite <- (IZR_Zpower radix2 (f - e)), <- mult_IZR in * by lia. set (N := (n * radix2 ^ (f - e))%Z) in *.
    apply Rmult_le_compat_r; [lra|]. apply IZR_le. enough (m - 1 < N)%Z by lia. apply lt_IZR.
    apply Rmult_lt_reg_r with (1 := He). apply Rle_lt_trans with (2 := H).
    unfold before. destruct (Z.eqb_spec m (2 ^ 52)) as [-> |]; cbn [fst snd]; [|lra].
    rewrite E2, <- Rmult_assoc. apply Rmult_le_compat_r; [lra|].
    rewrite <- mult_IZR. apply IZR_le. lia.
Qed.

(** ** Numbers and their intervals *)

Module F := SpecificFloat StdZRadix2.
Module I := FloatIntervalFull F.

Inductive number :=
  | Int (n : Z) | Add (x y : number) | Sub (x y : number) | Mul (x y : number) | Div (x y : number)
  | Neg (x : number) | Pow (x : number) (n : positive) | Ln (x : number) | Exp (x : number).

Fixpoint real (x : number) : R :=
  match x with
  | Int n => IZR n
  | Add x y => real x + real y
  | Sub x y => real x - real y
  | Mul x y => real x * real y
  | Div x y => real x / real y
  | Neg x => - real x
  | Pow x n => real x ^ Pos.to_nat n
  | Ln x => ln (real x)
  | Exp x => exp (real x)
  end.

Fixpoint interval (p : Z) (x : number) : I.type :=
  match x with
  | Int n => I.fromZ p n
  | Add x y => I.add p (interval p x) (interval p y)
  | Sub x y => I.sub p (interval p x) (interval p y)
  | Mul x y => I.mul p (interval p x) (interval p y)
  | Div x y => I.div p (interval p x) (interval p y)
  | Neg x => I.neg (interval p x)
  | Pow x n => I.power_int p (interval p x) (Zpos n)
  | Ln x => I.ln p (interval p x)
  | Exp x => I.exp p (interval p x)
  end.

Lemma contains_any i x : contains i Xnan -> contains i x.
Proof. destruct i; simpl; tauto. Qed.

Theorem interval_real p x : contains (I.convert (interval p x)) (Xreal (real x)).
Proof.
  induction x; cbn [interval real].
  - apply I.fromZ_correct.
  - exact (I.add_correct p _ _ _ _ IHx1 IHx2).
  - exact (I.sub_correct p _ _ _ _ IHx1 IHx2).
  - exact (I.mul_correct p _ _ _ _ IHx1 IHx2).
  - pose proof (I.div_correct p _ _ _ _ IHx1 IHx2) as H. cbn [Xbind2] in H. unfold Xdiv' in H.
    destruct (is_zero (real x2)); [apply contains_any|]; trivial.
  - exact (I.neg_correct _ _ IHx).
  - exact (I.power_int_correct p (Zpos n) _ _ IHx).
  - pose proof (I.ln_correct p _ _ IHx) as H. cbn [Xbind] in H. unfold Xln' in H.
    destruct (is_positive (real x)); [|apply contains_any]; trivial.
  - exact (I.exp_correct p _ _ IHx).
Qed.

Definition fraction (m e : Z) := Div (Int m) (Int (2 ^ (- e))).
Lemma fraction_is m e : (e <= 0)%Z -> real (fraction m e) = dyadic m e.
Proof.
  intro He. cbn [real fraction]. change 2%Z with (radix_val radix2). rewrite IZR_Zpower by lia.
  unfold dyadic. rewrite bpow_opp. field. apply Rgt_not_eq, bpow_gt_0.
Qed.

(** Whether one interval is nowhere below another. *)
Definition is_above (p : Z) (i j : I.type) : bool :=
  match I.sign_large (I.sub p i j) with Xgt | Xeq => true | _ => false end.

Lemma above_le p x y : is_above p (interval p x) (interval p y) = true -> real y <= real x.
Proof.
  unfold is_above. intro Hu. pose proof (I.sub_correct p _ _ _ _ (interval_real p x) (interval_real p y)) as Hc.
  pose proof (I.sign_large_correct (I.sub p (interval p x) (interval p y))) as H.
  destruct (I.sign_large _) in H, Hu; try discriminate; specialize (H _ Hc).
  - injection H. lra.
  - destruct H as [_ H]. simpl in H. lra.
Qed.

(** Whether something is shown of the greater of two numbers, whichever that is. *)
Definition of_greater (p : Z) (x y : number) (shown : number -> bool) : bool :=
  let i := interval p x in let j := interval p y in
  if is_above p i j then shown x else if is_above p j i then shown y else false.

Lemma of_greater_is p x y shown : of_greater p x y shown = true ->
  exists z, real z = Rmax (real x) (real y) /\ shown z = true.
Proof.
  unfold of_greater. destruct (is_above p _ _) eqn:H1; [|destruct (is_above p (interval p y) _) eqn:H2; [|discriminate]];
    intro H; [apply above_le in H1; exists x|apply above_le in H2; exists y].
  - rewrite Rmax_left; auto.
  - rewrite Rmax_right; auto.
Qed.

(** The same, by few bits where they are enough. *)
Definition of_either (x y : number) (shown : number -> bool) : bool :=
  if of_greater 40 x y shown then true else of_greater 140 x y shown.

Lemma of_either_is x y shown : of_either x y shown = true ->
  exists z, real z = Rmax (real x) (real y) /\ shown z = true.
Proof. unfold of_either. destruct (of_greater 40 x y shown) eqn:H; [intros _; revert H|]; apply of_greater_is. Qed.

(** Whether intervals of so many bits show that m 2^e is the least float. *)
Definition shows (p : Z) (x : number) (m e : Z) : bool :=
  let i := interval p x in
  ((2 ^ 52 <=? m)%Z && (m <? 2 ^ 53)%Z && (e <=? 0)%Z &&
   match I.sign_strict (I.sub p i (interval p (fraction (fst (before m e)) (snd (before m e))))) with
   | Xgt => true | _ => false
   end &&
   is_above p (interval p (fraction m e)) i)%bool.

Theorem shows_least p x m e : shows p x m e = true -> least_float m e (real x).
Proof.
  unfold shows. rewrite !andb_true_iff, !Z.leb_le, Z.ltb_lt. intros ((((H1 & H2) & He) & Hl) & Hu).
  assert (snd (before m e) <= 0)%Z as He' by (unfold before; destruct (m =? 2 ^ 52)%Z; simpl; lia).
  apply before_least; [lia|]. rewrite <- !fraction_is by trivial. split.
  - set (y := fraction (fst (before m e)) (snd (before m e))) in *. clearbody y.
    pose proof (I.sign_strict_correct (I.sub p (interval p x) (interval p y))) as H.
    destruct (I.sign_strict _) in H, Hl; try discriminate.
    pose proof (I.sub_correct p _ _ _ _ (interval_real p x) (interval_real p y)) as Hc.
    destruct (H _ Hc) as [_ H']. simpl in H'. lra.
  - apply above_le in Hu. trivial.
Qed.

Lemma rows_are {T} (check : T -> bool) (claim : T -> Prop) rows : (forall row, check row = true -> claim row) ->
  forallb check rows = true -> forall row, In row rows -> claim row.
Proof. intros H Hr row Hin. rewrite forallb_forall in Hr. auto. Qed.

Definition frac (n d : Z) := IZR n / IZR d.
Definition Frac n d := Div (Int n) (Int d).

(** Where a loss is a number, and the reported float the least. *)
Definition reported (loss : option R) (m e : Z) := exists x, loss = Some x /\ least_float m e x.

(** ** The mechanisms *)

Lemma frac_below_one n d : (0 < d)%Z -> (n < d)%Z -> frac n d <> 1.
Proof.
  intros H0 H E. unfold frac in E. apply IZR_lt in H0, H. apply Rmult_eq_compat_r with (r := IZR d) in E.
  unfold Rdiv in E. rewrite Rmult_assoc, Rinv_l in E; lra.
Qed.

Definition response_bool_shown '(n, d, m, e) :=
  let p := Frac n d in ((0 <? d)%Z && (n <? d)%Z && shows 70 (Ln (Div p (Sub (Int 1) p))) m e)%bool.
Theorem randomized_response_bool_floats : forall row, In row response_bool_rows ->
  let '(n, d, m, e) := row in reported (randomized_response_bool_map (frac n d)) m e.
Proof.
  apply (rows_are response_bool_shown); [|vm_cast_no_check (eq_refl true)].
  intros (((n & d) & m) & e). unfold response_bool_shown. rewrite !andb_true_iff, !Z.ltb_lt. intros ((H0 & H1) & H).
  apply shows_least in H. unfold reported, randomized_response_bool_map.
  destruct (Req_EM_T _ _) as [E|_]; [destruct (frac_below_one n d); trivial|]. eexists; split; [reflexivity|exact H].
Qed.

Definition response_shown '(n, d, t, m, e) :=
  let p := Frac n d in
  ((0 <? d)%Z && (n <? d)%Z && shows 70 (Ln (Div (Mul p (Sub (Int t) (Int 1))) (Sub (Int 1) p))) m e)%bool.
Theorem randomized_response_floats : forall row, In row response_rows ->
  let '(n, d, t, m, e) := row in reported (randomized_response_map (frac n d) (IZR t)) m e.
Proof.
  apply (rows_are response_shown); [|vm_cast_no_check (eq_refl true)].
  intros ((((n & d) & t) & m) & e). unfold response_shown. rewrite !andb_true_iff, !Z.ltb_lt. intros ((H0 & H1) & H).
  apply shows_least in H. unfold reported, randomized_response_map.
  destruct (Req_EM_T _ _) as [E|_]; [destruct (frac_below_one n d); trivial|]. eexists; split; [reflexivity|exact H].
Qed.

Definition rappor_shown '(n, d, w, k, m, e) :=
  let f := Frac n d in shows 70 (Mul (Ln (Div (Sub (Int 2) f) f)) (Int (Z.min (2 * w) k))) m e.
Theorem rappor_floats : forall row, In row rappor_rows ->
  let '(n, d, w, k, m, e) := row in least_float m e (rappor_map (frac n d) (IZR w) (IZR k)).
Proof.
  apply (rows_are rappor_shown); [|vm_cast_no_check (eq_refl true)].
  intros (((((n & d) & w) & k) & m) & e). unfold rappor_shown. intro H. apply shows_least in H. unfold rappor_map.
  replace (Rmin (2 * IZR w) (IZR k)) with (IZR (Z.min (2 * w) k)); [exact H|]. rewrite <- mult_IZR.
  unfold Rmin. destruct (Rle_dec _ _) as [Hr|Hr]; [apply le_IZR in Hr|apply Rnot_le_lt, lt_IZR in Hr]; f_equal; lia.
Qed.

(** One bit is a case of its own. *)
Definition unary_shown '(n, d, n', d', k, m, e) :=
  let p := Frac n d in let q := Frac n' d' in
  let one := Div p q in let other := Div (Sub (Int 1) q) (Sub (Int 1) p) in
  if (1 <? k)%Z then shows 70 (Ln (Mul one other)) m e else of_greater 70 one other (fun z => shows 70 (Ln z) m e).
Theorem optimized_unary_floats : forall row, In row unary_rows ->
  let '(n, d, n', d', k, m, e) := row in least_float m e (optimized_unary_map (frac n d) (frac n' d') (IZR k)).
Proof.
  apply (rows_are unary_shown); [|vm_cast_no_check (eq_refl true)].
  intros ((((((n & d) & n') & d') & k) & m) & e). unfold unary_shown, optimized_unary_map.
  destruct (Z.ltb_spec 1 k) as [H1|H1]; intro H.
  - apply shows_least in H. apply IZR_lt in H1. destruct (Rlt_dec 1 (IZR k)); [exact H|lra].
  - apply of_greater_is in H as (z & Hz & H). apply shows_least in H. cbn [real] in H. rewrite Hz in H.
    apply IZR_le in H1. destruct (Rlt_dec 1 (IZR k)); [lra|exact H].
Qed.

Definition subset_shown '(n, d, size, k, m, e) :=
  let p := Frac n d in
  ((0 <? d)%Z && (n <? d)%Z &&
   shows 70 (Ln (Div (Mul p (Sub (Int k) (Int size))) (Mul (Sub (Int 1) p) (Int size)))) m e)%bool.
Theorem subset_selection_floats : forall row, In row subset_rows ->
  let '(n, d, size, k, m, e) := row in reported (subset_selection_map (frac n d) (IZR size) (IZR k)) m e.
Proof.
  apply (rows_are subset_shown); [|vm_cast_no_check (eq_refl true)].
  intros (((((n & d) & size) & k) & m) & e). unfold subset_shown. rewrite !andb_true_iff, !Z.ltb_lt.
  intros ((H0 & H1) & H).
  apply shows_least in H. unfold reported, subset_selection_map.
  destruct (Req_EM_T _ _) as [E|_]; [destruct (frac_below_one n d); trivial|]. eexists; split; [reflexivity|exact H].
Qed.

Definition laplace_shown '(l1, n, d, m, e) :=
  ((0 <? n)%Z && (0 <? d)%Z && shows 70 (Div (Int (l1 * d)) (Int n)) m e)%bool.
Theorem laplace_floats : forall row, In row laplace_rows ->
  let '(l1, n, d, m, e) := row in reported (laplace_map (IZR l1) (frac n d)) m e.
Proof.
  apply (rows_are laplace_shown); [|vm_cast_no_check (eq_refl true)].
  intros ((((l1 & n) & d) & m) & e). unfold laplace_shown. rewrite !andb_true_iff, !Z.ltb_lt. intros ((H0 & H1) & H).
  apply shows_least in H. unfold reported, laplace_map. apply IZR_lt in H0, H1.
  assert (0 < frac n d) by (apply Rdiv_lt_0_compat; trivial).
  destruct (Req_EM_T _ _); [lra|]. eexists; split; [reflexivity|]. cbn [real] in H. rewrite mult_IZR in H.
  replace (IZR l1 / frac n d) with (IZR l1 * IZR d / IZR n) by (unfold frac; field; lra). trivial.
Qed.

Definition choose_shown '(c, n, d, m, e) :=
  ((0 <? n)%Z && (0 <? d)%Z && shows 70 (Div (Int (2 * c * d)) (Int n)) m e)%bool.
Theorem choose_floats : forall row, In row choose_rows ->
  let '(c, n, d, m, e) := row in reported (choose_map (IZR c) (frac n d)) m e.
Proof.
  apply (rows_are choose_shown); [|vm_cast_no_check (eq_refl true)].
  intros ((((c & n) & d) & m) & e). unfold choose_shown. rewrite !andb_true_iff, !Z.ltb_lt. intros ((H0 & H1) & H).
  apply shows_least in H. unfold reported, choose_map. apply IZR_lt in H0, H1.
  assert (0 < frac n d) by (apply Rdiv_lt_0_compat; trivial).
  destruct (Req_EM_T _ _); [lra|]. eexists; split; [reflexivity|]. cbn [real] in H. rewrite !mult_IZR in H.
  replace (2 * IZR c / frac n d) with (2 * IZR c * IZR d / IZR n) by (unfold frac; field; lra). trivial.
Qed.

(** Rho, from the square of how far apart vectors are. *)
Definition gaussian_shown '(l2, n, d, m, e) :=
  ((0 <? n)%Z && (0 <? d)%Z && shows 70 (Div (Int (l2 * d)) (Int (2 * n))) m e)%bool.
Theorem gaussian_floats : forall row, In row gaussian_rows ->
  let '(l2, n, d, m, e) := row in reported (gaussian_zcdp (IZR l2) (frac n d)) m e.
Proof.
  apply (rows_are gaussian_shown); [|vm_cast_no_check (eq_refl true)].
  intros ((((l2 & n) & d) & m) & e). unfold gaussian_shown. rewrite !andb_true_iff, !Z.ltb_lt. intros ((H0 & H1) & H).
  apply shows_least in H. unfold reported, gaussian_zcdp. apply IZR_lt in H0, H1.
  assert (0 < frac n d) by (apply Rdiv_lt_0_compat; trivial).
  destruct (Req_EM_T _ _); [lra|]. eexists; split; [reflexivity|]. cbn [real] in H. rewrite !mult_IZR in H.
  replace (IZR l2 / (2 * frac n d)) with (IZR l2 * IZR d / (2 * IZR n)) by (unfold frac; field; lra). trivial.
Qed.

(** Several reports from one permanent response, and any number of them. *)
Definition Ratio (base f : number) (r : Z) :=
  let t := Pow base (Z.to_pos r) in let g := Div f (Int 2) in
  Ln (Div (Add (Mul t g) (Sub (Int 1) g)) (Add (Mul t (Sub (Int 1) g)) g)).
Lemma ratio_real base f r : (0 < r)%Z -> 0 <= real base ->
  real (Ratio base f r) = longitudinal_rappor_ratio (real base) (real f) (IZR r).
Proof.
  intros Hr H. unfold longitudinal_rappor_ratio. cbn [real Ratio]. set (n := Pos.to_nat (Z.to_pos r)).
  assert (IZR r = INR n) as -> by (unfold n; rewrite INR_IZR_INZ, positive_nat_Z, Z2Pos.id; trivial).
  replace (if Req_EM_T (real base) 0 then 0 else exp (ln (real base) * INR n)) with (real base ^ n); trivial.
  destruct (Req_EM_T (real base) 0) as [->|H0]; [apply pow_i; unfold n; lia|].
  rewrite <- Rpower_pow by lra. unfold Rpower. f_equal. ring.
Qed.

Definition longitudinal_shown '(n, d, n', d', n'', d'', r, w, k, m, e, m', e') :=
  let f := Frac n d in let p := Frac n' d' in let q := Frac n'' d'' in
  let ones := Ratio (Div p q) f r in
  let zeros := Ratio (Div (Sub (Int 1) q) (Sub (Int 1) p)) f r in
  let bits := Z.min (2 * w) k in
  ((0 <? r)%Z && (0 <=? n')%Z && (n' <? d')%Z && (0 <? n'')%Z && (n'' <=? d'')%Z &&
   of_either ones zeros (fun most => shows 70
     (Add (Mul (Add ones zeros) (Sub (Int bits) (Int w))) (Mul most (Sub (Int (2 * w)) (Int bits)))) m e) &&
   shows 70 (Mul (Ln (Div (Sub (Int 2) f) f)) (Int bits)) m' e')%bool.
Theorem longitudinal_rappor_floats : forall row, In row longitudinal_rows ->
  let '(n, d, n', d', n'', d'', r, w, k, m, e, m', e') := row in
  let f := frac n d in let p := frac n' d' in let q := frac n'' d'' in
  least_float m e (longitudinal_rappor_map
    (longitudinal_rappor_ratio (longitudinal_rappor_map_ones p q) f (IZR r))
    (longitudinal_rappor_ratio (longitudinal_rappor_map_zeros p q) f (IZR r)) (IZR w) (IZR k)) /\
  least_float m' e' (longitudinal_rappor_ever f (IZR w) (IZR k)).
Proof.
  apply (rows_are longitudinal_shown); [|vm_cast_no_check (eq_refl true)].
  intros ((((((((((((n & d) & n') & d') & n'') & d'') & r) & w) & k) & m) & e) & m') & e').
  unfold longitudinal_shown. rewrite !andb_true_iff, !Z.ltb_lt, !Z.leb_le.
  intros ((((((R0 & P0) & P1) & Q0) & Q1) & H) & H'). apply of_either_is in H as (most & Hm & H).
  apply shows_least in H, H'.
  assert (0 < frac n'' d'' <= 1 /\ 0 <= frac n' d' < 1) as [Hq Hp].
  { unfold frac. assert (0 < IZR d' /\ 0 < IZR d'') as [D1 D2] by (split; apply IZR_lt; lia).
    apply IZR_le in P0, Q1. apply IZR_lt in P1, Q0. repeat split.
    - apply Rdiv_lt_0_compat; lra.
    - apply Rmult_le_reg_r with (1 := D2). unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
    - apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra].
    - apply Rmult_lt_reg_r with (1 := D1). unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  assert (IZR (Z.min (2 * w) k) = Rmin (2 * IZR w) (IZR k)) as Hb.
  { rewrite <- mult_IZR. unfold Rmin. destruct (Rle_dec _ _) as [Hr|Hr]; [apply le_IZR in Hr|apply Rnot_le_lt,
      lt_IZR in Hr]; f_equal; lia. }
  cbn [real] in H. rewrite Hm, Hb, mult_IZR in H.
  assert (0 <= frac n' d' / frac n'' d'') by (apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat]; lra).
  assert (0 <= (1 - frac n'' d'') / (1 - frac n' d')) by (apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat]; lra).
  rewrite !ratio_real in H by trivial. split; [exact H|]. cbn [real] in H'. rewrite Hb in H'. exact H'.
Qed.

(** A person is in so many groups, with one of each; unseen they are k = T + 1 - 1 below what is shown. *)
Definition threshold_shown '(count, k, n, d, m, e) :=
  let w := Exp (Neg (Frac d n)) in
  ((0 <? n)%Z && (0 <? d)%Z &&
   shows 120 (Sub (Int 1) (Pow (Sub (Int 1) (Div (Pow w k) (Add (Int 1) w))) count)) m e)%bool.
Theorem laplace_threshold_floats : forall row, In row threshold_rows -> let '(count, k, n, d, m, e) := row in
  least_float m e (keep_above_delta_of (base_packed (laplace_tail (IZR (Zpos k)) (frac n d)) (IZR (Zpos count)))).
Proof.
  apply (rows_are threshold_shown); [|vm_cast_no_check (eq_refl true)].
  intros (((((c & k) & n) & d) & m) & e). unfold threshold_shown. rewrite !andb_true_iff, !Z.ltb_lt.
  intros ((H0 & H1) & H).
  apply shows_least in H. apply IZR_lt in H0, H1. cbn [real Frac] in H.
  unfold keep_above_delta_of, base_packed, laplace_tail, frac.
  set (w := exp (- (IZR d / IZR n))) in *.
  replace (exp (-1 / (IZR n / IZR d))) with w by (unfold w; f_equal; field; lra).
  assert (forall x j, exp (IZR (Zpos j) * x) = exp x ^ Pos.to_nat j) as exp_pow.
  { intros x j. rewrite <- (positive_nat_Z j), <- INR_IZR_INZ. induction (Pos.to_nat j) as [|i IH].
    - simpl. rewrite Rmult_0_l. apply exp_0.
    - rewrite S_INR, Rmult_plus_distr_r, exp_plus, IH, Rmult_1_l. simpl. ring. }
  replace (- IZR (Z.pos k) / (IZR n / IZR d)) with (IZR (Z.pos k) * (- (IZR d / IZR n))) by (field; lra).
  rewrite exp_pow. fold w. set (tail := w ^ Pos.to_nat k / (1 + w)) in *.
  assert (tail < 1).
  { assert (0 < IZR d / IZR n) by (apply Rdiv_lt_0_compat; lra).
    assert (0 < w < 1) by (split; [apply exp_pos|unfold w; rewrite <- exp_0; apply exp_increasing; lra]).
    assert (w ^ Pos.to_nat k <= 1) by (rewrite <- (pow1 (Pos.to_nat k)); apply pow_incr; lra).
    unfold tail. apply Rmult_lt_reg_r with (1 + w); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  replace (- (- ln (1 + - tail) * IZR (Z.pos c))) with (IZR (Z.pos c) * ln (1 - tail)) by (unfold Rminus; ring).
  rewrite exp_pow, exp_ln by lra.
  replace (- ((1 - tail) ^ Pos.to_nat c - 1)) with (1 - (1 - tail) ^ Pos.to_nat c) by ring.
  exact H.
Qed.
