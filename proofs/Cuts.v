(** Where a line of bins is cut at a rank. Between bins there are cuts, cut k above bin k, and a number F_k for each:
    how far the people below the cut are beyond the rank. Whoever moves the F_k from some cut on by g, and those before
    it by - d, changes no probability of a bin by more than a factor of exp (2 max (g, d) / s), whatever the F_k are. *)
From Coq Require Import ZArith Reals Lra Lia List.
From Discreet Require Import Law.
Import ListNotations.
Open Scope R_scope.

(** How likely a Laplace variable of scale 1 is at most the logarithm of the odds. *)
Definition at_most (odds : R) : R := if Rle_dec odds 1 then odds / 2 else 1 - 1 / (2 * odds).

Definition cut_odds (s : R) (F : list R) (i : nat) : R :=
  sum (firstn (S i) F) (fun x => exp (x / s)) / sum (skipn i F) (fun x => exp (- x / s)).
(** How likely the bin is before bin j. *)
Definition cut_before (s : R) (F : list R) (j : nat) : R :=
  match j with O => 0 | S i => if lt_dec i (length F) then at_most (cut_odds s F i) else 1 end.
Definition cut_chance (s : R) (F : list R) (j : nat) : R := cut_before s F (S j) - cut_before s F j.

(** What a person in bin p does to the ranks of the cuts. *)
Definition joined (p : nat) (g d : R) (F : list R) : list R :=
  map (fun x => x - d) (firstn p F) ++ map (fun x => x + g) (skipn p F).

(** ** The curve: it grows, it is concave, and it is the same from both sides *)

Ltac curve := unfold at_most; repeat destruct (Rle_dec _ _); try lra.

Lemma at_most_tangent v : 0 < v -> exists m, 0 <= m /\ forall u, 0 <= u -> at_most u <= at_most v + m * (u - v).
Proof.
  intro Hv. destruct (Rle_dec v 1) as [H|H].
  - exists (/ 2). split; [lra|]. intros u Hu. curve. apply Rmult_le_reg_r with (2 * u); [lra|].
    replace ((1 - 1 / (2 * u)) * (2 * u)) with (2 * u - 1) by (field; lra). pose proof (Rle_0_sqr (u - 1)) as K.
    unfold Rsqr in K. nra.
  - assert (0 < / v < 1) as [I0 I1] by (split; [apply Rinv_0_lt_compat|rewrite <- Rinv_1; apply Rinv_lt_contravar]; lra).
    assert (/ v * v = 1) as Iv by (apply Rinv_l; lra). set (i := / v) in *.
    exists (i * i / 2). split; [nra|]. intros u Hu.
    assert (at_most v = 1 - i / 2) as -> by (curve; unfold i; field; lra).
    replace (1 - i / 2 + i * i / 2 * (u - v)) with (1 - i + i * i * u / 2) by nra. curve.
    + pose proof (Rle_0_sqr (1 - i)) as K. unfold Rsqr in K. nra.
    + apply Rmult_le_reg_r with (2 * u); [lra|]. replace ((1 - 1 / (2 * u)) * (2 * u)) with (2 * u - 1) by (field; lra).
      pose proof (Rle_0_sqr (1 - i * u)) as K. unfold Rsqr in K. nra.
Qed.

Lemma at_most_grows w u : 0 <= w <= u -> at_most w <= at_most u.
Proof.
  intros [Hw Hu]. destruct (Req_dec u 0) as [->|H]; [replace w with 0 by lra; lra|].
  destruct (at_most_tangent u) as (m & Hm & T); [lra|]. specialize (T w Hw). nra.
Qed.

Lemma at_most_concave w b t : 0 <= w -> 0 <= b -> 1 <= t ->
  at_most (w + t * b) - at_most w <= t * (at_most (w + b) - at_most w).
Proof.
  intros Hw Hb Ht. destruct (Req_dec (w + b) 0) as [H|H].
  { replace b with 0 by lra. replace w with 0 by lra. rewrite Rmult_0_r, Rplus_0_r. lra. }
  destruct (at_most_tangent (w + b)) as (m & Hm & T); [lra|]. pose proof (T w Hw) as T0.
  assert (0 <= t * b) by nra. specialize (T (w + t * b) ltac:(lra)).
  assert (m * b <= at_most (w + b) - at_most w) by lra. nra.
Qed.

(** Odds that are multiplied by a factor. *)
Lemma at_most_scaled w u t : 0 <= w <= u -> 1 <= t -> at_most (t * u) - at_most (t * w) <= t * (at_most u - at_most w).
Proof.
  intros [Hw Hu] Ht. set (f v := t * at_most v - at_most (t * v)). enough (f w <= f u) by (unfold f in *; lra).
  assert (forall v, 0 <= v -> t * v <= 1 -> f v = 0) as K1 by (intros v Hv H; unfold f; curve; nra).
  assert (forall v, 1 <= t * v -> v <= 1 -> f v = (t * v + / (t * v)) / 2 - 1) as K2.
  { intros v H Hv. unfold f. curve; [replace (t * v) with 1 by lra; rewrite Rinv_1; lra|field; nra]. }
  assert (forall v, 1 <= v -> f v = t - 1 - (t - / t) / 2 * / v) as K3.
  { intros v Hv. unfold f. curve; try nra; try (field; lra); assert (v = 1) as -> by lra; [|field; lra].
    replace t with 1 by lra. lra. }
  assert (forall v v', 1 <= t * v -> v <= v' <= 1 -> f v <= f v') as M2.
  { intros v v' H H'. assert (1 <= t * v') by nra. rewrite !K2 by lra. set (x := t * v) in *. set (y := t * v') in *.
    assert (0 <= y - x) by (unfold x, y; nra).
    replace ((y + / y) / 2 - 1) with ((x + / x) / 2 - 1 + (y - x) * (x * y - 1) / (2 * (x * y))) by (field; lra).
    assert (0 <= (y - x) * (x * y - 1)) by (apply Rmult_le_pos; [lra|nra]). assert (0 < / (2 * (x * y))) by
      (apply Rinv_0_lt_compat; nra). unfold Rdiv. nra. }
  assert (forall v v', 1 <= v <= v' -> f v <= f v') as M3.
  { intros v v' H. rewrite !K3 by lra. assert (/ v' <= / v) by (apply Rinv_le_contravar; lra).
    assert (/ t <= 1) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra). nra. }
  assert (0 < / t <= 1) as Hi by (split; [apply Rinv_0_lt_compat|rewrite <- Rinv_1; apply Rinv_le_contravar]; lra).
  assert (t * / t = 1) as Hti by (apply Rinv_r; lra).
  assert (forall v v', v <= v' -> 1 <= t * v -> f v <= f v') as M.
  { intros v v' H H'. destruct (Rle_dec 1 v); [apply M3; lra|]. destruct (Rle_dec v' 1); [apply M2; lra|].
    apply Rle_trans with (f 1); [apply M2|apply M3]; lra. }
  destruct (Rle_dec 1 (t * w)) as [H|H]; [apply M; trivial|]. rewrite (K1 w) by lra.
  destruct (Rle_dec (t * u) 1) as [H'|H']; [rewrite K1; lra|].
  rewrite <- (K1 (/ t)) by lra. apply M; [|lra]. apply Rmult_le_reg_l with t; lra.
Qed.

Lemma at_most_other u : 0 < u -> at_most u + at_most (/ u) = 1.
Proof.
  intro Hu. assert (u * / u = 1) by (apply Rinv_r; lra). pose proof (Rinv_0_lt_compat u Hu).
  curve; [replace u with 1 by nra; rewrite Rinv_1; lra|field; lra|field; lra|nra].
Qed.

(** ** Odds of x to y, of which one may be 0 *)

Definition odds_at (x y : R) : R := if Req_EM_T y 0 then 1 else at_most (x / y).

Lemma odds_at_other x y : 0 <= x -> 0 <= y -> 0 < x + y -> odds_at x y = 1 - odds_at y x.
Proof.
  intros Hx Hy H. unfold odds_at. destruct (Req_EM_T y 0) as [->|Y], (Req_EM_T x 0) as [->|X]; try lra.
  - unfold Rdiv. rewrite Rmult_0_l. curve.
  - unfold Rdiv. rewrite Rmult_0_l. curve.
  - rewrite <- (at_most_other (x / y)) by (apply Rdiv_lt_0_compat; lra).
    replace (/ (x / y)) with (y / x) by (field; lra). lra.
Qed.

Lemma odds_at_same x y t : 0 < t -> odds_at (t * x) (t * y) = odds_at x y.
Proof.
  intro Ht. unfold odds_at. destruct (Req_EM_T (t * y) 0) as [H|H], (Req_EM_T y 0) as [K|K]; trivial; try nra.
  f_equal. field. lra.
Qed.

(** What b adds to x, in odds of x to y. *)
Definition adds (x b y : R) := odds_at (x + b) y - odds_at x y.

Lemma adds_same x b y t : 0 < t -> adds (t * x) (t * b) (t * y) = adds x b y.
Proof. intro Ht. unfold adds. rewrite <- Rmult_plus_distr_l, !odds_at_same; trivial. Qed.

Section Adds.
  Variables x b y : R.
  Hypotheses (Hx : 0 <= x) (Hb : 0 <= b) (Hy : 0 <= y).

  Lemma adds_is : y <> 0 -> adds x b y = at_most (x / y + b / y) - at_most (x / y) /\ 0 <= x / y /\ 0 <= b / y.
  Proof.
    intro H. unfold adds, odds_at. destruct (Req_EM_T y 0); [lra|]. assert (0 < / y) by (apply Rinv_0_lt_compat; lra).
    repeat split; [do 2 f_equal; field; lra|unfold Rdiv; nra|unfold Rdiv; nra].
  Qed.
  Lemma adds_none : y = 0 -> adds x b y = 0.
  Proof. intros ->. unfold adds, odds_at. destruct (Req_EM_T 0 0); lra. Qed.

  Lemma adds_nonneg : 0 <= adds x b y.
  Proof.
    destruct (Req_dec y 0) as [H|H]; [rewrite adds_none; lra|]. destruct (adds_is H) as (-> & X & B).
    pose proof (at_most_grows (x / y) (x / y + b / y)). lra.
  Qed.
End Adds.

Section More.
  Variables x b y t : R.
  Hypotheses (Hx : 0 <= x) (Hb : 0 <= b) (Hy : 0 <= y) (Ht : 1 <= t).

  Lemma adds_more : adds x b y <= adds x (t * b) y <= t * adds x b y.
  Proof.
    assert (0 <= t * b) by nra.
    destruct (Req_dec y 0) as [H0|H0]; [rewrite !adds_none; lra|].
    destruct (adds_is x b y Hx Hb Hy H0) as (-> & X & B). destruct (adds_is x (t * b) y) as (-> & _ & B'); trivial.
    replace (t * b / y) with (t * (b / y)) in * by (field; lra). split; [|apply at_most_concave; trivial].
    pose proof (at_most_grows (x / y + b / y) (x / y + t * (b / y))). nra.
  Qed.

  Lemma adds_up : adds (t * x) (t * b) y <= t * adds x b y.
  Proof.
    assert (0 <= t * b) by nra. assert (0 <= t * x) by nra.
    destruct (Req_dec y 0) as [H1|H1]; [rewrite !adds_none; lra|].
    destruct (adds_is x b y Hx Hb Hy H1) as (-> & X & B). destruct (adds_is (t * x) (t * b) y) as (-> & _ & _); trivial.
    replace (t * x / y + t * b / y) with (t * (x / y + b / y)) by (field; lra).
    replace (t * x / y) with (t * (x / y)) by (field; lra). apply at_most_scaled; lra.
  Qed.
End More.

Lemma adds_down x b y t : 0 <= x -> 0 <= b -> 0 <= y -> 1 <= t -> adds x b y <= t * adds (t * x) (t * b) y.
Proof.
  intros Hx Hb Hy Ht. assert (0 <= t * x) by nra. assert (0 <= t * b) by nra.
  destruct (Req_dec y 0) as [H1|H1]; [rewrite !adds_none; lra|].
  destruct (adds_is x b y Hx Hb Hy H1) as (-> & X & B). destruct (adds_is (t * x) (t * b) y) as (-> & _ & _); trivial.
  replace (t * x / y + t * b / y) with (t * (x / y + b / y)) by (field; lra).
  replace (t * x / y) with (t * (x / y)) by (field; lra). set (w := x / y) in *. set (c := b / y) in *.
  destruct (Req_dec w 0) as [->|H2].
  - rewrite Rmult_0_r, Rplus_0_l. assert (at_most 0 = 0) as -> by curve. pose proof (at_most_grows c (t * c)).
    pose proof (at_most_grows 0 c). assert (at_most 0 = 0) by curve. nra.
  - assert (forall v, 0 < v -> at_most v = 1 - at_most (/ v)) as K
      by (intros v Hv; rewrite <- (at_most_other v Hv); ring).
    assert (0 < t * w) by (apply Rmult_lt_0_compat; lra). assert (0 < t * (w + c)) by (apply Rmult_lt_0_compat; lra).
    rewrite (K w), (K (w + c)), (K (t * w)), (K (t * (w + c))) by lra.
    assert (/ (t * (w + c)) <= / (t * w)) by (apply Rinv_le_contravar; nra).
    pose proof (Rinv_0_lt_compat (t * w) ltac:(trivial)). pose proof (Rinv_0_lt_compat (t * (w + c)) ltac:(trivial)).
    pose proof (at_most_scaled (/ (t * (w + c))) (/ (t * w)) t ltac:(lra) Ht) as S.
    replace (t * / (t * w)) with (/ w) in S by (field; lra).
    replace (t * / (t * (w + c))) with (/ (w + c)) in S by (field; lra). lra.
Qed.

(** ** A bin: cuts below it of the sum L, the nearest a; cuts above it of the sum R, the nearest b *)

Definition bin_chance (L b R a : R) := adds L b R + adds R a L.

Lemma bin_chance_is L b R a : 0 <= L -> 0 <= R -> 0 <= a -> 0 < L + R ->
  bin_chance L b R a = odds_at (L + b) R - odds_at L (R + a).
Proof.
  intros HL HR Ha H. unfold bin_chance, adds. rewrite (odds_at_other L R), (odds_at_other L (R + a)) by lra. ring.
Qed.

Lemma bin_chance_same L b R a t : 0 < t -> bin_chance (t * L) (t * b) (t * R) (t * a) = bin_chance L b R a.
Proof. intro Ht. unfold bin_chance. rewrite !adds_same; trivial. Qed.

Lemma bin_chance_other L b R a : bin_chance L b R a = bin_chance R a L b.
Proof. apply Rplus_comm. Qed.

(** Within a factor of each other. *)
Definition within_factor (f x y : R) := x <= f * y /\ y <= f * x.

Lemma within_sym f x y : within_factor f x y -> within_factor f y x.
Proof. unfold within_factor. tauto. Qed.
Lemma within_trans f h x y z : 0 <= f -> 0 <= h -> within_factor f x y -> within_factor h y z ->
  within_factor (f * h) x z.
Proof. unfold within_factor. intros Hf Hh [] []. split; nra. Qed.

Section Bin.
  Variables L b R a : R.
  Hypotheses (HL : 0 <= L) (Hb : 0 <= b) (HR : 0 <= R) (Ha : 0 <= a).

  Lemma bin_nonneg : 0 <= bin_chance L b R a.
  Proof. unfold bin_chance. pose proof (adds_nonneg L b R HL Hb HR). pose proof (adds_nonneg R a L HR Ha HL). lra. Qed.

  (** All odds are multiplied by a factor. *)
  Lemma bin_scaled k : 1 <= k -> within_factor k (bin_chance L b R a) (bin_chance (k * L) (k * b) R a).
  Proof.
    intro Hk. assert (0 < / k) by (apply Rinv_0_lt_compat; lra).
    pose proof (adds_up L b R k HL Hb HR Hk). pose proof (adds_down L b R k HL Hb HR Hk).
    set (R' := / k * R). set (a' := / k * a). assert (0 <= R') by (unfold R'; nra). assert (0 <= a') by (unfold a'; nra).
    pose proof (adds_up R' a' L k ltac:(trivial) ltac:(trivial) HL Hk) as U.
    pose proof (adds_down R' a' L k ltac:(trivial) ltac:(trivial) HL Hk) as D.
    assert (k * R' = R) as ER by (unfold R'; field; lra). assert (k * a' = a) as Ea by (unfold a'; field; lra).
    rewrite ER, Ea in U, D. assert (adds R a (k * L) = adds R' a' L) as E
      by (rewrite <- (adds_same R' a' L k), ER, Ea by lra; trivial).
    unfold within_factor, bin_chance. rewrite E. split; lra.
  Qed.
End Bin.

(** A person in the bin, below it or above it, but for a factor on all odds. *)
Section Moves.
  Variables L b R a r : R.
  Hypotheses (HL : 0 <= L) (Hb : 0 <= b) (HR : 0 <= R) (Ha : 0 <= a) (Hr : 1 <= r).

  Lemma bin_inside : within_factor r (bin_chance L b R a) (bin_chance L (r * b) R (r * a)).
  Proof.
    pose proof (adds_more L b R r HL Hb HR Hr). pose proof (adds_more R a L r HR Ha HL Hr).
    pose proof (adds_nonneg L b R HL Hb HR). pose proof (adds_nonneg R a L HR Ha HL).
    unfold within_factor, bin_chance. split; nra.
  Qed.

  Lemma bin_below x : 1 <= x <= r -> within_factor r (bin_chance L b R a) (bin_chance (x * L) (r * b) R a).
  Proof.
    intro Hx. assert (exists t, 1 <= t /\ t * x = r) as (t & Ht & <-).
    { exists (r / x). split; [apply Rmult_le_reg_r with x; [lra|]|]; field_simplify; lra. }
    replace (t * x * b) with (x * (t * b)) by ring.
    apply within_trans with (bin_chance L (t * b) R a); try lra; [|apply bin_scaled; nra].
    pose proof (adds_more L b R t HL Hb HR Ht). pose proof (adds_nonneg L b R HL Hb HR).
    pose proof (adds_nonneg R a L HR Ha HL). unfold within_factor, bin_chance. split; nra.
  Qed.
End Moves.

Lemma bin_above L b R a r y : 0 <= L -> 0 <= b -> 0 <= R -> 0 <= a -> 1 <= y <= r ->
  within_factor r (bin_chance L b R a) (bin_chance L b (y * R) (r * a)).
Proof.
  intros HL Hb HR Ha Hy. rewrite (bin_chance_other L b R a), (bin_chance_other L b (y * R)). apply bin_below; lra.
Qed.

(** The odds are multiplied by c / e, whichever is greater. *)
Lemma bin_turned L b R a c e : 0 <= L -> 0 <= b -> 0 <= R -> 0 <= a -> 0 < c -> 0 < e ->
  within_factor (Rmax (c / e) (e / c)) (bin_chance L b R a) (bin_chance (c / e * L) (c / e * b) R a).
Proof.
  intros HL Hb HR Ha Hc He. assert (0 < c / e) by (apply Rdiv_lt_0_compat; trivial).
  assert (0 < e / c) by (apply Rdiv_lt_0_compat; trivial). assert (e / c * (c / e) = 1) as E by (field; lra).
  destruct (Rle_dec e c) as [H1|H1].
  - assert (1 <= c / e) by (apply Rmult_le_reg_r with e; [trivial|]; field_simplify; lra).
    rewrite Rmax_left by nra. apply bin_scaled; trivial.
  - assert (1 <= e / c) by (apply Rmult_le_reg_r with c; [trivial|]; field_simplify; lra).
    rewrite Rmax_right by nra. apply within_sym.
    pose proof (bin_scaled (c / e * L) (c / e * b) R a ltac:(nra) ltac:(nra) HR Ha (e / c) ltac:(trivial)) as K.
    rewrite <- !Rmult_assoc, E, !Rmult_1_l in K. exact K.
Qed.

(** A sum whose terms are divided by e or multiplied by c. *)
Lemma sum_between c e L L' : 1 <= c -> 1 <= e -> 0 <= L -> / e * L <= L' <= c * L ->
  exists x, 1 <= x <= c * e /\ e * L' = x * L.
Proof.
  intros Hc He HL H. destruct (Req_dec L 0) as [->|H0].
  - exists 1. split; nra.
  - exists (e * L' / L). split; [|field; trivial].
    assert (L <= e * L' <= c * e * L).
    { split; [|nra]. apply Rle_trans with (e * (/ e * L)); [right; field; lra|apply Rmult_le_compat_l; lra]. }
    split; apply Rmult_le_reg_r with L; try lra; unfold Rdiv; rewrite ?Rmult_assoc, Rinv_l; lra.
Qed.

Definition person_moves c e L b R a L' b' R' a' :=
  (L' = / e * L /\ b' = c * b /\ R' = / c * R /\ a' = e * a) \/
  (/ e * L <= L' <= c * L /\ b' = c * b /\ R' = / c * R /\ a' = / c * a) \/
  (L' = / e * L /\ b' = / e * b /\ / c * R <= R' <= e * R /\ a' = e * a).

Lemma bin_person c e L b R a L' b' R' a' : 1 <= c -> 1 <= e -> 0 <= L -> 0 <= b -> 0 <= R -> 0 <= a ->
  person_moves c e L b R a L' b' R' a' ->
  within_factor (Rmax (c * c) (e * e)) (bin_chance L b R a) (bin_chance L' b' R' a').
Proof.
  intros Hc He HL Hb HR Ha H. set (r := c * e). assert (1 <= r) by (unfold r; nra).
  replace (Rmax (c * c) (e * e)) with (r * Rmax (c / e) (e / c))
    by (rewrite <- RmaxRmult by lra; unfold r; f_equal; field; lra).
  assert (0 <= Rmax (c / e) (e / c)) by (apply Rle_trans with (c / e); [left; apply Rdiv_lt_0_compat; lra|apply Rmax_l]).
  rewrite <- (bin_chance_same L' b' R' a' c) by lra. destruct H as [K|[K|K]]; destruct K as (K1 & K2 & K3 & K4); subst.
  - apply within_trans with (bin_chance L (r * b) R (r * a)); try lra; [apply bin_inside; trivial|].
    replace (c * (/ e * L)) with (c / e * L) by (field; lra). replace (c * (c * b)) with (c / e * (r * b))
      by (unfold r; field; lra). replace (c * (/ c * R)) with R by (field; lra).
    replace (c * (e * a)) with (r * a) by (unfold r; ring). apply bin_turned; nra.
  - destruct (sum_between c e L L') as (x & Hx & E); trivial.
    apply within_trans with (bin_chance (x * L) (r * b) R a); try lra; [apply bin_below; trivial|].
    replace (c * L') with (c / e * (x * L)) by (rewrite <- E; field; lra). replace (c * (c * b)) with (c / e * (r * b))
      by (unfold r; field; lra). replace (c * (/ c * R)) with R by (field; lra).
    replace (c * (/ c * a)) with a by (field; lra). apply bin_turned; nra.
  - destruct (sum_between e c R R') as (y & Hy & E); trivial. rewrite (Rmult_comm e c) in Hy.
    apply within_trans with (bin_chance L b (y * R) (r * a)); try lra; [apply bin_above; trivial|].
    replace (c * (/ e * L)) with (c / e * L) by (field; lra). replace (c * (/ e * b)) with (c / e * b) by (field; lra).
    rewrite E. replace (c * (e * a)) with (r * a) by (unfold r; ring). apply bin_turned; nra.
Qed.

(** ** Lists of cuts *)

Section Lists.
  Variable s : R.

  Definition up (A : list R) := sum A (fun x => exp (x / s)).
  Definition down (A : list R) := sum A (fun x => exp (- x / s)).
  Definition first_up (B : list R) := match B with [] => 0 | y :: _ => exp (y / s) end.
  Definition last_down (A : list R) := match rev A with [] => 0 | x :: _ => exp (- x / s) end.

  Lemma up_nonneg A : 0 <= up A.
  Proof. apply sum_nonneg. intro. left. apply exp_pos. Qed.
  Lemma down_nonneg A : 0 <= down A.
  Proof. apply sum_nonneg. intro. left. apply exp_pos. Qed.
  Lemma up_pos y A : 0 < up (y :: A).
  Proof. unfold up. cbn [sum]. pose proof (exp_pos (y / s)). pose proof (up_nonneg A). unfold up in *. lra. Qed.
  Lemma down_pos y A : 0 < down (y :: A).
  Proof. unfold down. cbn [sum]. pose proof (exp_pos (- y / s)). pose proof (down_nonneg A). unfold down in *. lra. Qed.
  Lemma first_up_nonneg B : 0 <= first_up B.
  Proof. destruct B; simpl; [lra|left; apply exp_pos]. Qed.
  Lemma last_down_nonneg A : 0 <= last_down A.
  Proof. unfold last_down. destruct (rev A); [lra|left; apply exp_pos]. Qed.
  Lemma last_down_last A x : last_down (A ++ [x]) = exp (- x / s).
  Proof. unfold last_down. rewrite rev_unit. trivial. Qed.

  Lemma up_moved c A : up (map (fun x => x + c) A) = exp (c / s) * up A.
  Proof.
    unfold up. rewrite sum_map. induction A as [|x A IH]; cbn [sum]; [ring|]. rewrite IH.
    replace ((x + c) / s) with (c / s + x / s) by (unfold Rdiv; ring). rewrite exp_plus. ring.
  Qed.
  Lemma down_moved c A : down (map (fun x => x + c) A) = exp (- c / s) * down A.
  Proof.
    unfold down. rewrite sum_map. induction A as [|x A IH]; cbn [sum]; [ring|]. rewrite IH.
    replace (- (x + c) / s) with (- c / s + - x / s) by (unfold Rdiv; ring). rewrite exp_plus. ring.
  Qed.
  Lemma first_up_moved c B : first_up (map (fun x => x + c) B) = exp (c / s) * first_up B.
  Proof.
    destruct B as [|y B]; simpl; [ring|]. rewrite <- exp_plus. f_equal. unfold Rdiv; ring.
  Qed.
  Lemma last_down_moved c A : last_down (map (fun x => x + c) A) = exp (- c / s) * last_down A.
  Proof.
    unfold last_down. rewrite <- map_rev. destruct (rev A) as [|x A']; simpl; [ring|]. rewrite <- exp_plus. f_equal.
    unfold Rdiv; ring.
  Qed.

  (** Cuts A below the bin, and cuts B above it. *)
  Lemma cut_chance_split A B : A ++ B <> [] ->
    0 < up A + down B /\ cut_chance s (A ++ B) (length A) = bin_chance (up A) (first_up B) (down B) (last_down A).
  Proof.
    intro H. assert (0 < up A + down B) as Hp.
    { destruct A as [|x A]; [destruct B as [|y B]; [contradiction|]|].
      - pose proof (down_pos y B). pose proof (up_nonneg []). lra.
      - pose proof (up_pos x A). pose proof (down_nonneg B). lra. }
    split; trivial. rewrite bin_chance_is by auto using up_nonneg, down_nonneg, last_down_nonneg.
    unfold cut_chance. f_equal; [|f_equal].
    - unfold cut_before. rewrite app_length. destruct B as [|y B].
      + destruct (lt_dec _ _); [simpl in *; lia|]. unfold odds_at, down. simpl. destruct (Req_EM_T 0 0); lra.
      + destruct (lt_dec _ _); [|simpl in *; lia]. unfold cut_odds, odds_at.
        destruct (Req_EM_T _ 0) as [E|_]; [pose proof (down_pos y B); lra|]. f_equal.
        replace (S (length A)) with (length A + 1)%nat by lia. rewrite firstn_app_2, sum_app.
        rewrite skipn_app, skipn_all, Nat.sub_diag. cbn. unfold up, down, Rdiv. cbn. rewrite Rplus_0_r. trivial.
    - destruct A as [|x A _] using rev_ind.
      + destruct B as [|y B]; [contradiction|]. unfold odds_at, last_down. simpl length. cbn [rev cut_before].
        pose proof (down_pos y B). destruct (Req_EM_T _ 0) as [E|_]; [lra|]. unfold up. simpl sum. unfold Rdiv.
        rewrite Rmult_0_l. curve.
      + rewrite last_down_last. rewrite app_length, Nat.add_1_r. cbn [cut_before].
        destruct (lt_dec _ _) as [_|E]; [|rewrite !app_length in E; simpl in E; lia]. unfold cut_odds, odds_at.
        pose proof (down_nonneg B). pose proof (exp_pos (- x / s)). destruct (Req_EM_T _ 0) as [E|_]; [lra|]. f_equal.
        replace (S (length A)) with (length (A ++ [x]) + 0)%nat by (rewrite app_length; simpl; lia).
        rewrite firstn_app_2, app_nil_r, <- app_assoc, skipn_app, skipn_all, Nat.sub_diag. cbn. unfold up, down.
        rewrite Rplus_comm. trivial.
  Qed.

  Variables g d : R.
  Hypotheses (Hs : 0 < s) (Hg : 0 <= g) (Hd : 0 <= d).

  Lemma joined_low p A B : (p <= length A)%nat -> joined p g d (A ++ B) = joined p g d A ++ map (fun x => x + g) B.
  Proof.
    intro H. unfold joined. rewrite firstn_app, skipn_app. replace (p - length A)%nat with 0%nat by lia.
    rewrite firstn_O, app_nil_r, skipn_O, map_app, app_assoc. trivial.
  Qed.
  Lemma joined_high p A B : (length A <= p)%nat ->
    joined p g d (A ++ B) = map (fun x => x + - d) A ++ joined (p - length A) g d B.
  Proof.
    intro H. unfold joined. rewrite firstn_app, skipn_app, (firstn_all2 A), (skipn_all2 A) by lia.
    rewrite map_app, <- app_assoc. trivial.
  Qed.
  Lemma joined_all p A : (length A <= p)%nat -> joined p g d A = map (fun x => x + - d) A.
  Proof. intro H. unfold joined. rewrite firstn_all2, skipn_all2 by trivial. apply app_nil_r. Qed.
  Lemma joined_length p A : length (joined p g d A) = length A.
  Proof. unfold joined. rewrite app_length, !map_length, <- app_length, firstn_skipn. trivial. Qed.

  Let c := exp (g / s).
  Let e := exp (d / s).

  Lemma c_more : 1 <= c.
  Proof.
    unfold c. pose proof (exp_ineq1_le (g / s)). assert (0 <= g / s) by (apply Rmult_le_pos; [|left;
      apply Rinv_0_lt_compat]; trivial). lra.
  Qed.
  Lemma e_more : 1 <= e.
  Proof.
    unfold e. pose proof (exp_ineq1_le (d / s)). assert (0 <= d / s) by (apply Rmult_le_pos; [|left;
      apply Rinv_0_lt_compat]; trivial). lra.
  Qed.
  Lemma c_inv : exp (- g / s) = / c.
  Proof. unfold c. rewrite <- exp_Ropp. f_equal. unfold Rdiv; ring. Qed.
  Lemma e_inv : exp (- d / s) = / e.
  Proof. unfold e. rewrite <- exp_Ropp. f_equal. unfold Rdiv; ring. Qed.
  Lemma e_minus : exp (- - d / s) = e.
  Proof. unfold e. rewrite Ropp_involutive. trivial. Qed.

  Lemma inv_le x : 1 <= x -> 0 < / x <= 1.
  Proof. split; [apply Rinv_0_lt_compat; lra|]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. Qed.

  Lemma up_app A B : up (A ++ B) = up A + up B.
  Proof. apply sum_app. Qed.
  Lemma down_app A B : down (A ++ B) = down A + down B.
  Proof. apply sum_app. Qed.
  Lemma up_joined p A : / e * up A <= up (joined p g d A) <= c * up A.
  Proof.
    pose proof c_more. pose proof e_more. pose proof (inv_le e ltac:(trivial)). unfold joined.
    change (fun x => x - d) with (fun x => x + - d). rewrite up_app, !up_moved, e_inv. fold c.
    assert (up A = up (firstn p A) + up (skipn p A)) as -> by (rewrite <- up_app, firstn_skipn; trivial).
    pose proof (up_nonneg (firstn p A)). pose proof (up_nonneg (skipn p A)). split; nra.
  Qed.
  Lemma down_joined p A : / c * down A <= down (joined p g d A) <= e * down A.
  Proof.
    pose proof c_more. pose proof e_more. pose proof (inv_le c ltac:(trivial)). unfold joined.
    change (fun x => x - d) with (fun x => x + - d). rewrite down_app, !down_moved, e_minus, c_inv.
    assert (down A = down (firstn p A) + down (skipn p A)) as -> by (rewrite <- down_app, firstn_skipn; trivial).
    pose proof (down_nonneg (firstn p A)). pose proof (down_nonneg (skipn p A)). split; nra.
  Qed.
  Lemma first_up_joined p B : (0 < p)%nat -> first_up (joined p g d B) = / e * first_up B.
  Proof.
    intro Hp. destruct p as [|p]; [lia|]. destruct B as [|y B]; simpl; [ring|]. rewrite <- e_inv, <- exp_plus. f_equal.
    unfold Rdiv; ring.
  Qed.
  Lemma last_down_joined p A : (p < length A)%nat -> last_down (joined p g d A) = / c * last_down A.
  Proof.
    destruct A as [|x A _] using rev_ind; [simpl; lia|]. rewrite app_length. simpl. intro Hp. rewrite joined_low by lia.
    simpl. rewrite !last_down_last, <- c_inv, <- exp_plus. f_equal. unfold Rdiv; ring.
  Qed.

  Lemma joined_moves p A B : A ++ B <> [] -> exists L' b' R' a',
    cut_chance s (joined p g d (A ++ B)) (length A) = bin_chance L' b' R' a' /\
    person_moves c e (up A) (first_up B) (down B) (last_down A) L' b' R' a'.
  Proof.
    intro H. assert (forall F F' : list R, length F = length F' -> F <> [] -> F' <> []) as N.
    { intros F F' E K ->. destruct F; [contradiction|discriminate]. }
    assert (joined p g d (A ++ B) <> []) as H' by (apply (N (A ++ B)); [rewrite joined_length|]; trivial).
    destruct (le_lt_dec p (length A)) as [Hp|Hp]; [rewrite joined_low in * by trivial|rewrite joined_high in * by lia].
    - destruct (cut_chance_split _ _ H') as [_ E]. rewrite joined_length in E. rewrite E. do 4 eexists.
      split; [trivial|].
      rewrite first_up_moved, down_moved, c_inv. fold c. destruct (Nat.eq_dec p (length A)) as [->|Hn].
      + left. rewrite joined_all, up_moved, last_down_moved, e_inv, e_minus by trivial. auto.
      + right. left. rewrite last_down_joined by lia. auto using up_joined.
    - destruct (cut_chance_split _ _ H') as [_ E]. rewrite map_length in E. rewrite E. do 4 eexists. split; [trivial|].
      right. right. rewrite up_moved, last_down_moved, e_inv, e_minus, first_up_joined by lia. auto using down_joined.
  Qed.
End Lists.

Lemma parted (F : list R) j : (j <= length F)%nat -> exists A B, F = A ++ B /\ length A = j.
Proof. intro H. exists (firstn j F), (skipn j F). rewrite firstn_skipn, firstn_length_le; auto. Qed.

Lemma cut_chance_beyond s F j : (length F < j)%nat -> cut_chance s F j = 0.
Proof.
  intro H. unfold cut_chance. destruct j as [|j]; [lia|]. cbn [cut_before].
  destruct (lt_dec (S j) _); [lia|]. destruct (lt_dec j _); [lia|]. ring.
Qed.

Lemma cut_chance_nonneg s F j : 0 <= cut_chance s F j.
Proof.
  destruct (le_lt_dec j (length F)) as [Hj|Hj]; [|rewrite cut_chance_beyond; [lra|trivial]].
  destruct (parted F j Hj) as (A & B & -> & <-). destruct (list_eq_dec Req_EM_T (A ++ B) []) as [E|H].
  - apply app_eq_nil in E. destruct E as [-> ->]. unfold cut_chance. simpl. lra.
  - destruct (cut_chance_split s A B H) as [_ ->].
    apply bin_nonneg; auto using up_nonneg, down_nonneg, first_up_nonneg, last_down_nonneg.
Qed.

Theorem cut_loses s g d F p j : 0 < s -> 0 <= g -> 0 <= d ->
  cut_chance s F j <= exp (2 * Rmax g d / s) * cut_chance s (joined p g d F) j /\
  cut_chance s (joined p g d F) j <= exp (2 * Rmax g d / s) * cut_chance s F j.
Proof.
  intros Hs Hg Hd. assert (0 < / s) by (apply Rinv_0_lt_compat; trivial).
  assert (0 <= Rmax g d) by (apply Rle_trans with g; [trivial|apply Rmax_l]).
  assert (exp (2 * Rmax g d / s) = Rmax (exp (g / s) * exp (g / s)) (exp (d / s) * exp (d / s))) as Hf.
  { rewrite <- !exp_plus. replace (g / s + g / s) with (2 * g / s) by (unfold Rdiv; ring).
    replace (d / s + d / s) with (2 * d / s) by (unfold Rdiv; ring).
    assert (forall x y, x <= y -> exp (2 * x / s) <= exp (2 * y / s)) as M.
    { intros x y [Hxy| ->]; [left; apply exp_increasing; unfold Rdiv; nra|lra]. }
    unfold Rmax at 1. destruct (Rle_dec g d); [rewrite Rmax_right|rewrite Rmax_left]; trivial; apply M; lra. }
  assert (1 <= exp (2 * Rmax g d / s)) as H1.
  { pose proof (exp_ineq1_le (2 * Rmax g d / s)). assert (0 <= 2 * Rmax g d / s) by (unfold Rdiv; nra). lra. }
  destruct (list_eq_dec Req_EM_T F []) as [->|HF].
  { unfold joined. rewrite firstn_nil, skipn_nil. cbn [map app]. destruct j as [|[|j]]; unfold cut_chance; cbn; lra. }
  destruct (le_lt_dec j (length F)) as [Hj|Hj].
  - destruct (parted F j Hj) as (A & B & -> & <-). destruct (cut_chance_split s A B HF) as [_ E].
    destruct (joined_moves s g d Hs Hg Hd p A B HF) as (L' & b' & R' & a' & E' & M). rewrite Hf, E, E'.
    apply bin_person with (7 := M); auto using c_more, e_more, up_nonneg, down_nonneg, first_up_nonneg, last_down_nonneg.
  - rewrite !cut_chance_beyond by (rewrite ?joined_length; trivial). lra.
Qed.

(** ** The law of the bin that is released *)

Lemma cut_chance_sum s F n : sum (seq 0 n) (fun j => cut_chance s F j) = cut_before s F n.
Proof.
  induction n as [|n IH]; trivial. rewrite seq_S, sum_app, IH. unfold cut_chance. cbn [sum Nat.add]. ring.
Qed.

Definition cut_bin (s : R) (F : list R) : law nat.
Proof.
  refine (Law (fun f => sum (seq 0 (S (length F))) (fun j => f j * cut_chance s F j)) _ _ _).
  - intros a b f g _ _. rewrite <- sum_linear. apply sum_ext. intros; ring.
  - intros f g _ _ H. apply sum_le. intros j _. apply Rmult_le_compat_r; [apply cut_chance_nonneg|trivial].
  - rewrite (sum_ext _ _ (cut_chance s F)) by (intros; ring). rewrite cut_chance_sum. cbn [cut_before].
    destruct (lt_dec _ _); [lia|trivial].
Defined.

Theorem cut_law s F f : cut_bin s F f = sum (seq 0 (S (length F))) (fun j => f j * cut_chance s F j).
Proof. trivial. Qed.

(** One of two histograms has a person more. *)
Definition one_more (g d : R) (F F' : list R) := exists p, F' = joined p g d F \/ F = joined p g d F'.

Theorem cut_dp s g d : 0 < s -> 0 <= g -> 0 <= d -> dp (one_more g d) (2 * Rmax g d / s) 0 (cut_bin s).
Proof.
  intros Hs Hg Hd F F' (p & H) f Hf. rewrite !cut_law, Rplus_0_r.
  assert (length F = length F') as <- by (destruct H as [-> | ->]; rewrite joined_length; trivial).
  rewrite <- (Rplus_0_r (_ * sum _ _)), <- (Rmult_0_l 0) at 1.
  apply Rle_trans with
    (sum (seq 0 (S (length F))) (fun j => exp (2 * Rmax g d / s) * (f j * cut_chance s F' j) + 0 * 0)).
  - apply sum_le. intros j _. rewrite Rmult_0_l, Rplus_0_r, <- Rmult_assoc, (Rmult_comm _ (f j)), Rmult_assoc.
    apply Rmult_le_compat_l; [apply Hf|]. destruct H as [-> | ->]; apply cut_loses; trivial.
  - rewrite sum_linear. lra.
Qed.

(** ** Histograms: at the rank N / M of all people, moved by v, with all numbers in units of 1 / M *)

Definition ranks (M N v : R) (h : list nat) : list R :=
  map (fun k => M * INR (list_sum (firstn (S k) h)) - (N * INR (list_sum h) + v)) (seq 0 (pred (length h))).
Definition one_person (h h' : list nat) :=
  exists A x B, (h = A ++ x :: B /\ h' = A ++ S x :: B) \/ (h = A ++ S x :: B /\ h' = A ++ x :: B).

Lemma joined_map g d (f : nat -> R) m : forall p a,
  joined p g d (map f (seq a m)) = map (fun k => if lt_dec k (a + p) then f k - d else f k + g) (seq a m).
Proof.
  induction m as [|m IH]; intros p a; [destruct p; trivial|]. cbn [seq map]. destruct p as [|p].
  - change (joined 0 g d (f a :: map f (seq (S a) m))) with ((f a + g) :: joined 0 g d (map f (seq (S a) m))).
    rewrite IH. f_equal; [destruct (lt_dec _ _); [lia|trivial]|]. apply map_ext_in. intros k Hk. apply in_seq in Hk.
    destruct (lt_dec k (S a + 0)), (lt_dec k (a + 0)); trivial; lia.
  - change (joined (S p) g d (f a :: map f (seq (S a) m))) with ((f a - d) :: joined p g d (map f (seq (S a) m))).
    rewrite IH. f_equal; [destruct (lt_dec _ _); [trivial|lia]|]. rewrite Nat.add_succ_r. trivial.
Qed.

Lemma ranks_joined M N v A x B :
  ranks M N v (A ++ S x :: B) = joined (length A) (M - N) N (ranks M N v (A ++ x :: B)).
Proof.
  unfold ranks. rewrite joined_map, !app_length. apply map_ext_in. intros k _.
  assert (list_sum (A ++ S x :: B) = S (list_sum (A ++ x :: B))) as -> by (rewrite !list_sum_app; simpl; lia).
  rewrite S_INR, !firstn_app, !list_sum_app. destruct (lt_dec k (0 + length A)) as [H|H].
  - replace (S k - length A)%nat with 0%nat by lia. cbn [firstn]. lra.
  - replace (S k - length A)%nat with (S (k - length A)) by lia. cbn [firstn list_sum fold_right].
    rewrite ?plus_INR, ?S_INR. lra.
Qed.

Theorem quantile_dp M N v eps : 0 < M -> 0 <= N <= M -> 0 < eps ->
  dp one_person eps 0 (fun h => cut_bin (2 * Rmax (M - N) N / eps) (ranks M N v h)).
Proof.
  intros HM HN He h h' (A & x & B & H). assert (0 < Rmax (M - N) N) by (unfold Rmax; destruct (Rle_dec _ _); lra).
  replace eps with (2 * Rmax (M - N) N / (2 * Rmax (M - N) N / eps)) at 1 by (field; lra).
  apply cut_dp with (g := M - N) (d := N); try lra; [apply Rdiv_lt_0_compat; lra|].
  exists (length A). destruct H as [[-> ->]|[-> ->]]; [left|right]; apply ranks_joined.
Qed.

(** ** No smaller loss will do: two bins, and everybody in one of them *)

Lemma exp_small x : x <= 0 -> exp x <= 1.
Proof. rewrite <- exp_0. intros [H| ->]; [left; apply exp_increasing; trivial|lra]. Qed.

Lemma many_people a b : 0 < a -> exists n, b <= a * INR n.
Proof.
  intro Ha. exists (Z.to_nat (Rdefinitions.up (Rabs b / a))). destruct (archimed (Rabs b / a)) as [Hu _]. pose proof (Rle_abs b).
  assert (0 <= Rabs b / a) by (apply Rmult_le_pos; [apply Rabs_pos|left; apply Rinv_0_lt_compat; trivial]).
  rewrite INR_IZR_INZ, Z2Nat.id by (apply le_IZR; lra).
  apply Rle_trans with (a * (Rabs b / a)); [field_simplify; lra|apply Rmult_le_compat_l; lra].
Qed.

Lemma cut_single s x : cut_before s [x] 1 = at_most (exp (2 * x / s)).
Proof.
  unfold cut_before, cut_odds. cbn. f_equal. rewrite !Rplus_0_r. unfold Rdiv at 1. rewrite <- exp_Ropp, <- exp_plus.
  f_equal. unfold Rdiv. ring.
Qed.

Lemma cut_single_first s x : 0 < s -> x <= 0 -> Pr (cut_bin s [x]) (Nat.eqb 0) = exp (2 * x / s) / 2.
Proof.
  intros Hs Hx. unfold Pr. rewrite cut_law. cbn [length seq sum]. unfold event. cbn [Nat.eqb]. unfold cut_chance.
  rewrite cut_single. cbn [cut_before]. assert (0 < / s) by (apply Rinv_0_lt_compat; trivial).
  assert (exp (2 * x / s) <= 1) by (apply exp_small; unfold Rdiv; nra). curve.
Qed.

Lemma cut_single_last s x : 0 < s -> 0 <= x -> Pr (cut_bin s [x]) (Nat.eqb 1) = exp (- (2 * x) / s) / 2.
Proof.
  intros Hs Hx. unfold Pr. rewrite cut_law. cbn [length seq sum]. unfold event. cbn [Nat.eqb]. unfold cut_chance.
  rewrite cut_single. replace (cut_before s [x] 2) with 1 by reflexivity.
  assert (0 < / s) by (apply Rinv_0_lt_compat; trivial). pose proof (exp_pos (2 * x / s)).
  assert (at_most (exp (2 * x / s)) = 1 - at_most (exp (- (2 * x) / s))) as ->.
  { rewrite <- (at_most_other (exp (2 * x / s))), <- exp_Ropp by trivial. unfold Rdiv.
    replace (- (2 * x * / s)) with (- (2 * x) * / s) by ring. ring. }
  assert (exp (- (2 * x) / s) <= 1) by (apply exp_small; unfold Rdiv; nra). curve.
Qed.

Theorem quantile_tight M N v s eps : 0 < M -> 0 <= N <= M -> 0 < s ->
  dp one_person eps 0 (fun h => cut_bin s (ranks M N v h)) -> 2 * Rmax (M - N) N / s <= eps.
Proof.
  intros HM HN Hs H. assert (0 < / s) by (apply Rinv_0_lt_compat; trivial).
  assert (forall z, exp (2 * z / s) <= exp eps -> 2 * z / s <= eps) as K.
  { intros z [Hz|Hz]; [left; apply exp_lt_inv; trivial|right; apply exp_inv; trivial]. }
  unfold Rmax. destruct (Rle_dec (M - N) N) as [Hm|Hm]; apply K.
  - destruct (many_people N (- v)) as [b Hb]; [lra|].
    specialize (H [0; b]%nat [0; S b]%nat ltac:(exists [0]%nat, b, []; auto)).
    apply close_events with (A := Nat.eqb 0) in H.
    replace (ranks M N v [0; b]%nat) with [- (N * INR b + v)] in H
      by (unfold ranks; cbn [length pred seq map firstn list_sum fold_right Nat.add]; rewrite Nat.add_0_r;
          simpl (INR 0); f_equal; ring).
    replace (ranks M N v [0; S b]%nat) with [- (N * INR b + v) - N] in H
      by (unfold ranks; cbn [length pred seq map firstn list_sum fold_right Nat.add]; rewrite Nat.add_0_r, S_INR;
          simpl (INR 0); f_equal; ring).
    rewrite !cut_single_first in H by lra. set (x := - (N * INR b + v)) in *.
    replace (2 * x / s) with (2 * N / s + 2 * (x - N) / s) in H by (unfold Rdiv; ring). rewrite exp_plus in H.
    pose proof (exp_pos (2 * (x - N) / s)). apply Rmult_le_reg_r with (exp (2 * (x - N) / s)); lra.
  - destruct (many_people (M - N) v) as [a Ha]; [lra|].
    specialize (H [a; 0]%nat [S a; 0]%nat ltac:(exists [], a, [0]%nat; auto)).
    apply close_events with (A := Nat.eqb 1) in H.
    replace (ranks M N v [a; 0]%nat) with [(M - N) * INR a - v] in H
      by (unfold ranks; cbn [length pred seq map firstn list_sum fold_right]; rewrite !Nat.add_0_r; f_equal; ring).
    replace (ranks M N v [S a; 0]%nat) with [(M - N) * INR a - v + (M - N)] in H
      by (unfold ranks; cbn [length pred seq map firstn list_sum fold_right]; rewrite !Nat.add_0_r, S_INR; f_equal; ring).
    rewrite !cut_single_last in H by lra. set (x := (M - N) * INR a - v) in *.
    replace (- (2 * x) / s) with (2 * (M - N) / s + - (2 * (x + (M - N))) / s) in H by (unfold Rdiv; ring).
    rewrite exp_plus in H. pose proof (exp_pos (- (2 * (x + (M - N))) / s)).
    apply Rmult_le_reg_r with (exp (- (2 * (x + (M - N))) / s)); lra.
Qed.

(** ** How far ranks are off: bins before a cut that is far below the rank, and bins after one that is far above it *)

Lemma at_most_half u : 0 <= u -> at_most u <= u / 2.
Proof.
  intro Hu. curve. apply Rmult_le_reg_r with (2 * u); [lra|].
  replace ((1 - 1 / (2 * u)) * (2 * u)) with (2 * u - 1) by (field; lra). pose proof (Rle_0_sqr (u - 1)) as K.
  unfold Rsqr in K. nra.
Qed.

Lemma far_odds (X Y n r s : R) : 0 <= X <= n * exp (- r / s) -> exp (r / s) <= Y ->
  X / Y / 2 <= n / 2 * exp (- (2 * r) / s).
Proof.
  intros [HX H] HY. pose proof (exp_pos (r / s)).
  replace (exp (- (2 * r) / s)) with (exp (- r / s) * / exp (r / s)).
  - assert (/ Y <= / exp (r / s)) by (apply Rinv_le_contravar; trivial).
    assert (0 < / Y) by (apply Rinv_0_lt_compat; lra).
    assert (X * / Y <= n * exp (- r / s) * / exp (r / s)) by (apply Rmult_le_compat; lra). unfold Rdiv in *. lra.
  - rewrite <- exp_Ropp, <- exp_plus. f_equal. unfold Rdiv. ring.
Qed.

Theorem cut_early s r A x B : 0 < s -> Forall (fun y => y <= - r) (A ++ [x]) ->
  cut_before s (A ++ x :: B) (S (length A)) <= INR (S (length A)) / 2 * exp (- (2 * r) / s).
Proof.
  intros Hs H. assert (0 < / s) by (apply Rinv_0_lt_compat; trivial).
  assert (forall y z, y <= z -> exp (y / s) <= exp (z / s)) as M.
  { intros y z [Hyz| ->]; [left; apply exp_increasing; unfold Rdiv; nra|lra]. }
  cbn [cut_before]. destruct (lt_dec _ _) as [_|E]; [|rewrite app_length in E; simpl in E; lia].
  assert (x <= - r) as Hx by (rewrite Forall_forall in H; apply H, in_or_app; simpl; auto).
  pose proof (up_nonneg s (A ++ [x])) as HX. unfold cut_odds.
  replace (S (length A)) with (length A + 1)%nat at 1 by lia. rewrite firstn_app_2, skipn_app, skipn_all, Nat.sub_diag.
  change (firstn 1 (x :: B)) with [x]. change ([] ++ skipn 0 (x :: B)) with (x :: B).
  fold (up s (A ++ [x])) (down s (x :: B)). pose proof (down_pos s x B). eapply Rle_trans.
  - apply at_most_half, Rmult_le_pos; [trivial|]. left. apply Rinv_0_lt_compat. trivial.
  - apply far_odds; [split; trivial|].
    + replace (S (length A)) with (length (A ++ [x])) by (rewrite app_length; simpl; lia). rewrite <- sum_const.
      apply sum_le. intros y Hy. apply M. rewrite Forall_forall in H. auto.
    + unfold down. cbn [sum]. pose proof (down_nonneg s B) as HB. unfold down in HB.
      pose proof (M r (- x) ltac:(lra)). lra.
Qed.

Theorem cut_late s r A x B : 0 < s -> Forall (fun y => r <= y) (x :: B) ->
  1 - cut_before s (A ++ x :: B) (S (length A)) <= INR (length (x :: B)) / 2 * exp (- (2 * r) / s).
Proof.
  intros Hs H. assert (0 < / s) by (apply Rinv_0_lt_compat; trivial).
  assert (forall y z, y <= z -> exp (y / s) <= exp (z / s)) as M.
  { intros y z [Hyz| ->]; [left; apply exp_increasing; unfold Rdiv; nra|lra]. }
  cbn [cut_before]. destruct (lt_dec _ _) as [_|E]; [|rewrite app_length in E; simpl in E; lia].
  assert (r <= x) as Hx by (rewrite Forall_forall in H; apply H; simpl; auto).
  assert (0 < up s (A ++ [x])) as HX.
  { rewrite up_app. pose proof (up_nonneg s A). pose proof (up_pos s x []). lra. }
  unfold cut_odds. replace (S (length A)) with (length A + 1)%nat by lia.
  rewrite firstn_app_2, skipn_app, skipn_all, Nat.sub_diag.
  change (firstn 1 (x :: B)) with [x]. change ([] ++ skipn 0 (x :: B)) with (x :: B).
  fold (up s (A ++ [x])) (down s (x :: B)). pose proof (down_pos s x B).
  rewrite <- (at_most_other (up s (A ++ [x]) / down s (x :: B))) by (apply Rdiv_lt_0_compat; trivial).
  replace (/ (up s (A ++ [x]) / down s (x :: B))) with (down s (x :: B) / up s (A ++ [x])) by (field; lra).
  match goal with |- ?a + ?b - ?a <= _ => replace (a + b - a) with b by ring end. eapply Rle_trans.
  - apply at_most_half, Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. trivial.
  - apply far_odds; [split; [lra|]|].
    + rewrite <- sum_const. apply sum_le. intros y Hy. apply M. rewrite Forall_forall in H. specialize (H y Hy). lra.
    + rewrite up_app. pose proof (up_nonneg s A). unfold up at 2. cbn [sum]. pose proof (M r x Hx). lra.
Qed.
