(** What the marked lines of the Python compute is what the theorems are about: [Code] is read from them. *)
From Coq Require Import ZArith Reals Lra Lia List Bool FunctionalExtensionality.
From Discreet Require Import Law Words Samplers.
From Discreet Require Import RandomizedResponseBool RandomizedResponse Rappor OptimizedUnary SubsetSelection
  LongitudinalRappor Choose.
From Discreet Require Import Laplace TruncatedLaplace KeepAbove Packing LaplaceThreshold AddNoise Code.
Import ListNotations.
Open Scope R_scope.

(** A mechanism loses exactly this: it is that private, and no smaller loss will do.
  [None] is an infinite loss. *)
Definition loses {X T} (adjacent : X -> X -> Prop) (M : X -> law T) (loss : option R) :=
  match loss with
  | Some eps => dp adjacent eps 0 M /\ forall least, dp adjacent least 0 M -> eps <= least
  | None => forall eps, ~ dp adjacent eps 0 M
  end.

(** A loss within a budget is a number. *)
Definition affords (loss : option R) (budget : R) := exists eps, loss = Some eps /\ eps <= budget.

(** ** samplers/one.py: the loops *)

Lemma powers w k : (2 ^ Z.of_nat (w * k) = Z.of_nat (2 ^ w) ^ Z.of_nat k)%Z.
Proof. rewrite Nat2Z.inj_mul, Z.pow_mul_r, Nat2Z.inj_pow by lia. trivial. Qed.

Theorem below_real_is a d w k v : below_real a d v (Z.of_nat (w * k)) = below_fraction (2 ^ w) a d k v.
Proof.
  unfold below_real, below_fraction. rewrite Z.shiftl_mul_pow2, powers by lia. rewrite Z.geb_leb, Z.gtb_ltb.
    trivial.
Qed.

Theorem below_real_enclosed_is low high k v : below_real_enclosed (low k)
  (high k) v = below_enclosed low high k v.
Proof. unfold below_real_enclosed, below_enclosed. rewrite Z.geb_leb. trivial. Qed.

Theorem floor_of_is n w k v : Code.floor_of n v (Z.of_nat (w * k)) = Samplers.floor_of (2 ^ w) n k v.
Proof. unfold Code.floor_of, Samplers.floor_of. rewrite !Z.shiftr_div_pow2, powers by lia. trivial. Qed.

(** A word is laid to the right of the prefix, in each loop. *)
Theorem prefix_is v w u : (0 <= u < 2 ^ Z.of_nat w)%Z ->
  below_real_prefix v (Z.of_nat w) u = (v * Z.of_nat (2 ^ w) + u)%Z /\
  below_real_enclosed_prefix v (Z.of_nat w) u = (v * Z.of_nat (2 ^ w) + u)%Z /\
  floor_of_prefix v (Z.of_nat w) u = (v * Z.of_nat (2 ^ w) + u)%Z.
Proof.
  intro Hu. unfold below_real_prefix, below_real_enclosed_prefix, floor_of_prefix.
  assert (Z.land (Z.shiftl v (Z.of_nat w)) u = 0)%Z as H.
  { apply Z.bits_inj'. intros i Hi. rewrite Z.land_spec, Z.bits_0. destruct (Z.lt_ge_cases i (Z.of_nat w)).
    - rewrite Z.shiftl_spec_low by trivial. trivial.
    - destruct (Z.eq_dec u 0) as [->|]; [rewrite Z.bits_0, andb_false_r; trivial|].
      rewrite (Z.bits_above_log2 u i), andb_false_r; trivial; try lia.
      apply Z.lt_le_trans with (Z.of_nat w); [apply Z.log2_lt_pow2|]; lia. }
  rewrite <- Z.lxor_lor by trivial. rewrite <- Z.add_nocarry_lxor by trivial.
  rewrite Z.shiftl_mul_pow2, Nat2Z.inj_pow by lia. auto.
Qed.

Theorem bits_is w k : below_real_bits (Z.of_nat (w * k)) (Z.of_nat w) = Z.of_nat (w * S k) /\
  below_real_enclosed_bits (Z.of_nat (w * k)) (Z.of_nat w) = Z.of_nat (w * S k) /\
  floor_of_bits (Z.of_nat (w * k)) (Z.of_nat w) = Z.of_nat (w * S k).
Proof. unfold below_real_bits, below_real_enclosed_bits, floor_of_bits. lia. Qed.

(** ** randomized_response_bool.py *)

Theorem randomized_response_bool_loses p : randomized_response_bool_range p ->
  loses (fun _ _ => True) (fun x => honest <- flip p ;; ret (randomized_response_bool_answer x honest))
    (randomized_response_bool_map p).
Proof.
  intros [H0 H1]. match goal with |- loses _ ?M _ => change M with (response_bool p) end.
    unfold randomized_response_bool_map.
  destruct (Req_EM_T p 1) as [->|Hp]; unfold loses.
  - intros eps H. apply (response_bool_infinite eps), H; trivial.
  - split; [apply response_bool_dp; lra|]. intros least H. apply response_bool_tight; [lra|apply H; trivial].
Qed.

Theorem randomized_response_bool_arrays x honest :
  randomized_response_bool_answers x honest = randomized_response_bool_answer x honest.
Proof. reflexivity. Qed.

Theorem randomized_response_bool_support p x y : randomized_response_bool_range p ->
  Pr (response_bool p x) (Bool.eqb y) =
  if Bool.eqb y x then randomized_response_bool_support_own p else randomized_response_bool_support_other p.
Proof.
  intros [H0 H1]. unfold Pr, response_bool, event. cbn [bind ret E]. rewrite flip_is by lra.
  destruct x, y; simpl; unfold randomized_response_bool_support_own, randomized_response_bool_support_other;
    ring.
Qed.

Theorem randomized_response_bool_affords p eps : randomized_response_bool_range p ->
  p <= Code.randomized_response_bool_within eps -> affords (randomized_response_bool_map p) eps.
Proof.
  intros [H0 H1] H. unfold randomized_response_bool_map, affords, Code.randomized_response_bool_within in *.
  pose proof (exp_pos (- Rmin eps 1000)) as He. pose proof (Rmin_l eps 1000).
  set (e := Rmin eps 1000) in *. apply Rmult_le_compat_r with (r := 1 + exp (- e)) in H; [|lra].
  replace (1 / (1 + exp (- e)) * (1 + exp (- e))) with 1 in H by (field; lra).
  destruct (Req_EM_T p 1) as [->|Hp]; [lra|]. eexists; split; [reflexivity|]. apply Rle_trans with e; trivial.
  apply ln_le_exp; [apply Rdiv_lt_0_compat;
    lra|]. rewrite exp_Ropp in *. pose proof (exp_pos e). set (x := exp e) in *.
  apply Rmult_le_reg_r with ((1 - p) / x); [apply Rdiv_lt_0_compat; lra|].
  replace (p / (1 - p) * ((1 - p) / x)) with (p * / x) by (field; lra).
  replace (x * ((1 - p) / x)) with (1 - p) by (field; lra). lra.
Qed.

(** ** randomized_response.py *)

Local Lemma minus_one t : (2 <= t)%nat -> INR t - 1 = INR (t - 1).
Proof. intro. rewrite minus_INR by lia. trivial. Qed.

Theorem randomized_response_program t p x : (2 <= t)%nat -> response t p x =
  (honest <- flip (randomized_response_honest p) ;;
   choice <- pick (Z.to_nat (randomized_response_choice (match x
     with None => -1 | Some i => Z.of_nat i end) (Z.of_nat t))) ;;
   ret (match x with
        | None => randomized_response_foreign choice
        | Some place => randomized_response_answer place choice t honest
        end)).
Proof.
  intro Ht. unfold response, randomized_response_choice. destruct x as [i|].
  - destruct (Z.ltb_spec (Z.of_nat i) 0); [lia|]. replace (Z.to_nat (Z.of_nat t - 1)) with (t - 1)%nat by lia.
    reflexivity.
  - replace (Z.to_nat _) with t by (simpl; lia). unfold randomized_response_foreign, randomized_response_honest.
    f_equal. apply functional_extensionality. intro. symmetry. apply bind_ret.
Qed.

Theorem randomized_response_loses t p : (2 <= t)%nat -> randomized_response_range p (INR t) ->
  loses (answers t) (response t p) (randomized_response_map p (INR t)).
Proof.
  intros Ht [H0 H1]. assert (/ INR t <= p) by (unfold Rdiv in H0; lra).
  assert (answers t (Some 0%nat) (Some 1%nat)) as H01 by (intros i [E|E]; injection E as <-; lia).
  unfold randomized_response_map. destruct (Req_EM_T p 1) as [->|Hp]; unfold loses.
  - intros eps Hd. apply (response_infinite t 1 Ht ltac:(lra) eps 0 1); trivial; try lia. apply Hd; trivial.
  - rewrite minus_one by trivial. split; [apply response_dp; trivial; lra|].
    intros least Hd. apply (response_tight t p Ht ltac:(lra) least 0 1); try lra; try lia. apply Hd; trivial.
Qed.

Theorem randomized_response_support t p i y : (2 <= t)%nat -> randomized_response_range p (INR t) ->
  (i < t)%nat -> (y < t)%nat -> Pr (response t p (Some i)) (Nat.eqb y) =
  if Nat.eqb y i then randomized_response_support_own p (INR t) else randomized_response_support_other p
    (INR t).
Proof.
  intros Ht [H0 H1] Hi Hy. rewrite response_at by (trivial; unfold Rdiv in H0; lra).
  unfold lie, randomized_response_support_own, randomized_response_support_other. rewrite minus_one by trivial.
    trivial.
Qed.

Theorem randomized_response_affords t p eps : (2 <= t)%nat -> 0 <= eps -> randomized_response_range p (INR t) ->
  p <= Code.randomized_response_within eps (INR t) -> affords (randomized_response_map p (INR t)) eps.
Proof.
  intros Ht He [H0 H1] H. pose proof (lt_0_INR (t - 1) ltac:(lia)) as Hs.
    pose proof (lt_0_INR t ltac:(lia)) as Hs'.
  assert (/ INR t <= p) as Hr by (unfold Rdiv in H0; lra).
  unfold randomized_response_map, affords, Code.randomized_response_within in *.
    rewrite minus_one in * by trivial.
  pose proof (exp_pos (- Rmin eps 1000)) as Hx. pose proof (Rmin_l eps 1000). set (e := Rmin eps 1000) in *.
  assert (0 <= e) by (unfold e, Rmin; destruct (Rle_dec _ _); lra).
  assert (exp (- e) <= 1) by (rewrite <- exp_0; destruct (Req_dec e 0) as [->|]; [rewrite Ropp_0; lra|left;
    apply exp_increasing; lra]).
  assert (1 / INR t <= 1 / (1 + exp (- e) * INR (t - 1))) as Hm.
  { unfold Rdiv. rewrite !Rmult_1_l. apply Rinv_le_contravar;
    [nra|]. rewrite <- (minus_one t) in * by trivial. nra. }
  rewrite Rmax_left in H by trivial.
  assert (p < 1).
  { eapply Rle_lt_trans; [apply H|]. unfold Rdiv. rewrite Rmult_1_l, <- Rinv_1. apply Rinv_lt_contravar; nra. }
  destruct (Req_EM_T p 1) as [->|Hp]; [lra|]. eexists; split; [reflexivity|]. apply Rle_trans with e; trivial.
  apply (response_within t p Ht ltac:(lra)); trivial.
Qed.

(** ** rappor.py *)

Local Lemma least_bits m k : Rmin (2 * INR m) (INR k) = INR (Nat.min (2 * m) k).
Proof.
  change (2 * INR m) with (INR 2 * INR m). rewrite <- mult_INR. unfold Rmin. destruct (Rle_dec _ _) as [H|H].
  - apply INR_le in H. f_equal; lia.
  - apply Rnot_le_lt, INR_lt in H. f_equal; lia.
Qed.

Local Lemma flip_odds f : 0 < f -> (2 - f) / f = (1 - f / 2) / (f / 2).
Proof. intro. field. lra. Qed.

Theorem rappor_bit f b x : rappor (rappor_flips f) (b :: x) =
  (n <- flip (rappor_flips f) ;; y <- rappor (rappor_flips f) x ;; ret (rappor_xor b n :: y)).
Proof. reflexivity. Qed.

Theorem rappor_loses f m k : rappor_range f ->
  loses (vectors k m) (rappor (rappor_flips f)) (Some (rappor_map f (INR m) (INR k))).
Proof.
  intros [H0 H1]. unfold rappor_map, loses. rewrite least_bits, flip_odds, Rmult_comm by lra.
  unfold rappor_flips. split; [apply rappor_dp; lra|]. intros least. apply rappor_dp_tight; lra.
Qed.

Theorem rappor_support f b : rappor_range f -> Pr (rappor (rappor_flips f) [b]) (same [true]) =
  if b then rappor_support_own f else rappor_support_other f.
Proof.
  intros [H0 H1]. unfold rappor_flips. rewrite rappor_law by (trivial || lra).
  unfold rappor_support_own, rappor_support_other. destruct b; simpl; ring.
Qed.

Theorem rappor_debias_unbiased f x : 0 < f < 1 ->
  rappor (rappor_flips f) x (fun y => rappor_debias f (INR (weight y)) (INR (length x))) = INR (weight x).
Proof.
  intro Hf. unfold rappor_flips. rewrite <- (rappor_unbiased (f / 2) ltac:(lra) x ltac:(lra)).
  apply rappor_agree; [lra|]. intros y _. unfold rappor_debias, estimate. field. lra.
Qed.

Theorem rappor_debias_variance f x : 0 < f < 1 ->
  rappor (rappor_flips f) x (fun y => (rappor_debias f (INR (weight y)) (INR (length x)) - INR
    (weight x)) ^ 2) =
  Code.rappor_variance f (INR (length x)).
Proof.
  intro Hf. unfold rappor_flips.
  transitivity (INR (length x) * (f / 2 * (1 - f / 2)) / (1 - 2 * (f / 2)) ^ 2); [|unfold Code.rappor_variance;
    field; lra].
  rewrite <- Rappor.rappor_variance by lra. apply rappor_agree;
    [lra|]. intros y _. unfold rappor_debias, estimate. f_equal. field. lra.
Qed.

Theorem rappor_affords f m k eps : rappor_range f -> 0 <= eps -> Code.rappor_within eps (INR m) (INR k) <= f ->
  rappor_map f (INR m) (INR k) <= eps.
Proof.
  intros [H0 H1] He H. unfold Code.rappor_within, rappor_map in *. destruct (Req_EM_T _ 0) as [H2|H2].
  - rewrite H2. lra.
  - apply Rappor.rappor_within; trivial; [lra|]. rewrite least_bits in *.
    pose proof (pos_INR (Nat.min (2 * m) k)). lra.
Qed.

(** ** optimized_unary.py *)

Theorem optimized_unary_bit p q h b x : bits (optimized_unary_bits_coin p q) h (b :: x) =
  (c <- flip (optimized_unary_bits_coin p q) ;; y <- bits (optimized_unary_bits_coin p q) h x ;;
   ret (optimized_unary_bits b h c :: y)).
Proof. reflexivity. Qed.

Local Lemma unary_loss_is p q k : optimized_unary_map p q (INR k) = unary_loss p q k.
Proof.
  unfold optimized_unary_map, unary_loss. f_equal.
    destruct (Rlt_dec 1 (INR k)) as [H|H], (Nat.ltb_spec 1 k) as [K|K]; trivial.
  - apply (INR_lt 1) in H. lia.
  - apply (lt_INR 1) in K. contradiction.
Qed.

Theorem optimized_unary_loses p q k : optimized_unary_bias p -> optimized_unary_range p q -> (1 <= k)%nat ->
  loses (vectors k 1)
    (fun x => honest <- flip (optimized_unary_bits_honest p q) ;; bits (optimized_unary_bits_coin p q) honest x)
    (Some (optimized_unary_map p q (INR k))).
Proof.
  intros [H0 H1] [H2 H3] Hk. unfold loses. rewrite unary_loss_is.
  split; [apply (unary_dp p q); lra|]. intros least. apply (unary_tight p q); trivial; lra.
Qed.

Theorem optimized_unary_affords q k eps : optimized_unary_range (1 / 2) q -> 0 <= eps ->
  optimized_unary_within eps (INR k) <= q -> optimized_unary_map (1 / 2) q (INR k) <= eps.
Proof.
  intros [H0 H1] He H. rewrite unary_loss_is. replace (1 / 2) with (/ 2) in * by lra. apply unary_within;
    try lra.
  revert H. unfold optimized_unary_within. destruct (Rlt_dec 1 (INR k)) as [K|K], (Nat.ltb_spec 1 k) as [L|L];
    trivial.
  - apply (INR_lt 1) in K. lia.
  - apply (lt_INR 1) in L. contradiction.
Qed.

(** ** subset_selection.py *)

(** The loop's step, entry by entry: both are read before one is written. *)
Theorem subset_selection_step k i d xs : shuffle k i (S d) xs =
  (c <- pick (subset_selection_shuffle_among k i) ;;
   let first := nth (subset_selection_shuffle_to_first i c) xs 0%nat in
   let second := nth (subset_selection_shuffle_to_second i c) xs 0%nat in
   shuffle k (S i) d (put (subset_selection_shuffle_second i c) second (put (subset_selection_shuffle_first i c)
     first xs))).
Proof. reflexivity. Qed.

Theorem subset_selection_program k d p x : subset k d p x =
  (stand_in <- pick k ;;
   let '(place, p) := match x with
     | None => (subset_selection_foreign_place stand_in, subset_selection_foreign_share (INR d) (INR k))
     | Some i => (i, p)
     end in
   xs <- shuffle k 0 d (others k place) ;;
   honest <- flip p ;;
   ret (sorted k (firstn d (if honest then put (subset_selection_exchange_where place) (subset_selection_exchange
     place) xs else xs)))).
Proof. destruct x; reflexivity. Qed.

Theorem subset_selection_loses k d p : (1 <= d < k)%nat -> subset_selection_range p (INR d) (INR k) ->
  loses (answers k) (subset k d p) (subset_selection_map p (INR d) (INR k)).
Proof.
  intros Hd Hr. assert (answers k (Some 0%nat) (Some 1%nat)) as H01 by (intros i [E|E]; injection E as <-; lia).
  unfold subset_selection_range, subset_selection_map in *. destruct (Req_EM_T p 1) as [Hp|Hp]; unfold loses.
  - intros eps H. apply (subset_infinite k d p Hd Hr eps 0 1); trivial; try lia. apply H; trivial.
  - split; [apply subset_dp; trivial; lra|].
    intros least H. apply (subset_tight k d p Hd Hr least 0 1); try lra; try lia. apply H; trivial.
Qed.

Theorem subset_selection_support k d p i v : (1 <= d < k)%nat -> subset_selection_range p (INR d) (INR k) ->
  (i < k)%nat -> (v < k)%nat -> Pr (subset k d p (Some i)) (existsb (Nat.eqb v)) =
  if Nat.eqb v i then subset_selection_support_own p (INR d) (INR k) else subset_selection_support_other p (INR d)
    (INR k).
Proof. intros Hd Hr. apply subset_support; trivial. Qed.

Theorem subset_selection_affords k d p eps : (1 <= d < k)%nat -> 0 <= eps ->
  subset_selection_range p (INR d) (INR k) ->
  p <= Code.subset_selection_within eps (INR d) (INR k) -> affords (subset_selection_map p (INR d) (INR k)) eps.
Proof.
  intros Hd He Hr H. assert (0 < INR d < INR k) as Hk by (split; [apply lt_0_INR|apply lt_INR]; lia).
  unfold subset_selection_map, affords, Code.subset_selection_within in *.
  pose proof (exp_pos (- Rmin eps 1000)) as Hx. pose proof (Rmin_l eps 1000). set (e := Rmin eps 1000) in *.
  assert (0 <= e) by (unfold e, Rmin; destruct (Rle_dec _ _); lra).
  assert (exp (- e) <= 1) by (rewrite <- exp_0; destruct (Req_dec e 0) as [->|]; [rewrite Ropp_0; lra|left;
    apply exp_increasing; lra]).
  set (r := (INR k - INR d) / INR d) in *. assert (0 < r) as Hpos by (apply Rdiv_lt_0_compat; lra).
  assert (INR d / INR k <= 1 / (1 + exp (- e) * r)) as Hm.
  { replace (INR d / INR k) with (1 / (1 + r)) by (unfold r; field; lra). unfold Rdiv. rewrite !Rmult_1_l.
    apply Rinv_le_contravar; nra. }
  rewrite Rmax_left in H by trivial. assert (p < 1).
  { eapply Rle_lt_trans; [apply H|]. unfold Rdiv. rewrite Rmult_1_l, <- Rinv_1. apply Rinv_lt_contravar; nra. }
  destruct (Req_EM_T p 1) as [->|Hp]; [lra|]. eexists; split; [reflexivity|]. apply Rle_trans with e; trivial.
  apply (subset_within k d p Hd Hr); trivial.
Qed.

(** The search asks whether sets of the next size leave no less noise. *)
Theorem subset_selection_best eps k a : 0 < a -> a + 1 < k ->
  (if subset_selection_size eps k a then True else False) <-> subset_noise (exp eps) k a <=
    subset_noise (exp eps) k (a + 1).
Proof.
  intros Ha Hk. rewrite subset_size by trivial. unfold subset_selection_size.
  replace (exp (2 * eps)) with (exp eps ^ 2) by (simpl; rewrite Rmult_1_r, <- exp_plus; f_equal; ring).
  destruct (Rle_dec _ _) as [H|H]; split; trivial; try tauto; intro; lra.
Qed.

(** ** longitudinal_rappor.py *)

Local Notation lr_ones f p q r := (longitudinal_rappor_ratio (longitudinal_rappor_map_ones p q) f (INR r)).
Local Notation lr_zeros f p q r := (longitudinal_rappor_ratio (longitudinal_rappor_map_zeros p q) f (INR r)).

Theorem longitudinal_rappor_bits f p q b x : let g := longitudinal_rappor_permanent_flips f in
  rappor g (b :: x) = (n <- flip g ;; y <- rappor g x ;; ret (longitudinal_rappor_permanent b n :: y)) /\
  report p q (b :: x) = (zero <- flip (longitudinal_rappor_report_zero p q) ;;
    one <- flip (longitudinal_rappor_report_one p q) ;;
    y <- report p q x ;; ret (longitudinal_rappor_report b one zero :: y)).
Proof. split; reflexivity. Qed.

Local Lemma ratio_is base f r : 0 <= base -> (1 <= r)%nat -> longitudinal_rappor_ratio base f (INR r) = gain
  (f / 2) (base ^ r).
Proof.
  intros Hb Hr. unfold longitudinal_rappor_ratio, gain. replace (if Req_EM_T base 0 then 0 else exp (ln base * INR
    r)) with (base ^ r); trivial.
  destruct (Req_EM_T base 0) as [->|H]; [apply pow_i; lia|]. rewrite <- Rpower_pow by lra. unfold Rpower. f_equal.
    ring.
Qed.

Local Lemma bases p q : longitudinal_rappor_zero p -> longitudinal_rappor_order p q ->
  0 <= longitudinal_rappor_map_ones p q /\ 0 <= longitudinal_rappor_map_zeros p q.
Proof.
  intros [H0 H1] [H2 H3]. unfold longitudinal_rappor_map_ones, longitudinal_rappor_map_zeros.
  split; (apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]).
Qed.

(** Several reports of one person. *)
Theorem longitudinal_rappor_loses f p q r k m :
  longitudinal_rappor_range f -> longitudinal_rappor_zero p -> longitudinal_rappor_order p q -> (1 <= r)%nat -> (m <=
    k)%nat ->
  loses (vectors k m) (longitudinal (longitudinal_rappor_permanent_flips f) p q r)
    (Some (longitudinal_rappor_map (lr_ones f p q r) (lr_zeros f p q r) (INR m) (INR k))).
Proof.
  intros Hf Hp Ho Hr Hm. destruct (bases p q Hp Ho) as [B1 B2]. rewrite !ratio_is by trivial.
  destruct Hf as [F0 F1], Hp as [P0 P1], Ho as [O0 O1]. unfold longitudinal_rappor_map, loses. rewrite least_bits.
  split; [apply (longitudinal_dp (f / 2) p q); lra|]. intro least. apply (longitudinal_tight (f / 2) p q); trivial;
    lra.
Qed.

(** Without reports, or with fair coins, nothing is lost: then the code asks for no logarithm. *)
Theorem longitudinal_rappor_nothing g p q r : r = 0%nat \/ g = / 2 -> 0 <= p < q /\ q <= 1 -> ones g p q r = 0 /\
  zeros g p q r = 0.
Proof.
  intros [->| ->] H; unfold ones, zeros, gain.
  - replace ((p / q) ^ 0 * g + (1 - g)) with 1 by (simpl; ring).
    replace ((p / q) ^ 0 * (1 - g) + g) with 1 by (simpl; ring).
    replace (((1 - q) / (1 - p)) ^ 0 * g + (1 - g)) with 1 by (simpl; ring).
      replace (((1 - q) / (1 - p)) ^ 0 * (1 - g) + g) with 1 by (simpl; ring).
    unfold Rdiv. rewrite Rinv_1, Rmult_1_l, ln_1. auto.
  - assert (forall t, 0 <= t -> ln ((t * / 2 + (1 - / 2)) / (t * (1 - / 2) + / 2)) = 0) as K.
    { intros t Ht. rewrite <- ln_1. f_equal. field. lra. }
    split; apply K, pow_le, Rmult_le_pos; try (left; apply Rinv_0_lt_compat); lra.
Qed.

(** Any number of reports: each is within it, and nothing smaller is enough for all. *)
Theorem longitudinal_rappor_ever_loses f p q k m :
  longitudinal_rappor_range f -> longitudinal_rappor_zero p -> longitudinal_rappor_order p q -> (m <= k)%nat ->
  let M r := longitudinal (longitudinal_rappor_permanent_flips f) p q r in
  (forall r, dp (vectors k m) (longitudinal_rappor_ever f (INR m) (INR k)) 0 (M r)) /\
  forall least, (forall r, dp (vectors k m) least 0 (M r)) -> longitudinal_rappor_ever f (INR m) (INR k) <= least.
Proof.
  intros [F0 F1] [P0 P1] [O0 O1] Hm M. unfold longitudinal_rappor_ever, M, longitudinal_rappor_permanent_flips.
  rewrite least_bits, flip_odds, Rmult_comm by lra.
  split; [intro r; apply longitudinal_ever_dp; lra|]. intros least H. apply (longitudinal_ever_tight (f / 2) p q);
    trivial; lra.
Qed.

Theorem longitudinal_rappor_support f p q b : longitudinal_rappor_range f -> longitudinal_rappor_zero p ->
  longitudinal_rappor_order p q ->
  Pr (memo <- rappor (longitudinal_rappor_permanent_flips f) [b] ;; report p q memo) (same [true]) =
  if b then longitudinal_rappor_support_own f p q else longitudinal_rappor_support_other f p q.
Proof.
  intros [F0 F1] [P0 P1] [O0 O1]. unfold Pr. rewrite longitudinal_law by (unfold longitudinal_rappor_permanent_flips;
    auto with law; lra).
  assert (0 <= own (f / 2) p q <= 1 /\ 0 <= other (f / 2) p q <= 1) as [H1 H2] by (unfold own, other; split; nra).
  unfold longitudinal_rappor_permanent_flips. cbn [coins bind ret E]. rewrite flip_is by (destruct b; trivial).
  unfold event, same. simpl. unfold own, other, longitudinal_rappor_support_own, longitudinal_rappor_support_other.
    destruct b; ring.
Qed.

Theorem longitudinal_rappor_affords f m k eps : longitudinal_rappor_range f -> 0 <= eps ->
  Code.longitudinal_rappor_within eps (INR m) (INR k) <= f -> longitudinal_rappor_ever f (INR m) (INR k) <= eps.
Proof. exact (rappor_affords f m k eps). Qed.

(** ** choose.py *)

(** Scale 0 is no noise. *)
Definition choice_scale (s : R) := if Req_EM_T s 0 then 0 else exp (- / s).

Theorem choose_program q us i g gs :
  choice q us = (hs <- heads q 0 (gaps us) ;; c <- pick (choose_choice (length hs)) ;; ret (nth c hs 0%nat)) /\
  heads q i (g :: gs) = (n <- geometric q ;; hs <- heads q (S i) gs ;;
    ret (if choose_heads (Z.of_nat n) (Z.of_nat g) then i :: hs else hs)).
Proof.
  split; trivial. cbn [heads]. f_equal. apply functional_extensionality. intro n. unfold choose_heads.
  replace (Z.of_nat g <=? Z.of_nat n)%Z with (g <=? n)%nat; trivial.
  destruct (Nat.leb_spec g n), (Z.leb_spec (Z.of_nat g) (Z.of_nat n)); trivial; lia.
Qed.

Theorem choose_loses s k d : 0 <= s -> (2 <= k)%nat -> (1 <= d)%nat ->
  loses (scores k d) (choice (choice_scale s)) (choose_map (INR d) s).
Proof.
  intros Hs Hk Hd. unfold choose_map, choice_scale. destruct (Req_EM_T s 0) as [->|H0]; unfold loses.
  - intro eps. apply choice_infinite; trivial. lra.
  - destruct (ratio_of_scale s ltac:(lra)) as [Hq Hl].
    replace (2 * INR d / s) with (2 * INR d * - ln (exp (- / s))) by (rewrite Hl; trivial).
    split; [apply choice_dp; trivial; lia|]. intro least. apply choice_tight; trivial.
Qed.

Theorem choose_affords d eps : 0 < d -> 0 < eps -> choose_map d (choose_within d eps) = Some eps.
Proof.
  intros Hd He. unfold choose_map, choose_within. assert (0 < 2 * d / eps) by (apply Rdiv_lt_0_compat; lra).
  destruct (Req_EM_T _ 0); [lra|]. f_equal. field. lra.
Qed.

(** ** noise/laplace.py, noise/base.py *)

(** Scale 0 is no noise. *)
Definition added (s : R) (x : Z) : law Z := if Req_EM_T s 0 then ret x else noisy (exp (- / s)) x.

Theorem laplace_loses s d : laplace_scale s -> (1 <= d)%nat ->
  loses (fun x x' => Z.abs (x - x') <= Z.of_nat d)%Z (added s) (laplace_map (INR d) s).
Proof.
  intros Hs Hd. unfold laplace_scale, laplace_map, added in *. destruct (Req_EM_T s 0) as [H0|H0]; unfold loses.
  - intros eps H. apply (no_noise eps 0 1); [lia|]. apply H. cbv beta; lia.
  - destruct (ratio_of_scale s) as [Hq Hl]; [lra|].
    replace (INR d / s) with (INR d * - ln (exp (- / s))) by (rewrite Hl; trivial). split; [apply noisy_dp;
      trivial|].
    intros least H. specialize (H 0%Z (Z.of_nat d) ltac:(cbv beta; lia)). apply noisy_tight in H; trivial.
    replace (Z.abs_nat (0 - Z.of_nat d)) with d in H by lia. trivial.
Qed.

(** Vectors of any length, that differ by d in all. *)
Theorem laplace_loses_vectors s d : 0 < s ->
  loses (fun xs xs' => length xs = length xs' /\ l1 xs xs'
    <= d)%nat (noisies (exp (- / s))) (laplace_map (INR d) s).
Proof.
  intro Hs. unfold laplace_map. destruct (Req_EM_T s 0); [lra|]. destruct (ratio_of_scale s Hs) as [Hq Hl].
  replace (INR d / s) with (INR d * - ln (exp (- / s))) by (rewrite Hl; trivial).
  assert (0 < / s) by (apply Rinv_0_lt_compat; trivial). split.
  - intros xs xs' [Hn H1]. eapply close_weaken; [| |apply noisies_close; trivial]; [|lra].
    apply Rmult_le_compat_r; [lra|apply le_INR; trivial].
  - intros least H1. specialize (H1 [0%Z] [Z.of_nat d] ltac:(simpl; lia)). apply noisies_tight in H1; trivial.
    replace (l1 [0%Z] [Z.of_nat d]) with d in H1 by (simpl; lia). trivial.
Qed.

Theorem laplace_affords l eps : 0 < l -> 0 < eps -> laplace_map l (Code.laplace_within l eps) = Some eps.
Proof.
  intros Hl He. unfold laplace_map, Code.laplace_within. assert (0 < l / eps) by (apply Rdiv_lt_0_compat;
    trivial).
  destruct (Req_EM_T _ 0); [lra|]. f_equal. field. lra.
Qed.

Lemma exp_pow x n : exp x ^ n = exp (INR n * x).
Proof.
  induction n as [|n IH]; [simpl; rewrite Rmult_0_l, exp_0;
    trivial|]. rewrite S_INR. simpl. rewrite IH, <- exp_plus.
  f_equal; ring.
Qed.

Lemma tail_is s k : 0 < s -> (0 <= k)%Z ->
  Code.laplace_tail (IZR k) s = exp (- / s) ^ Z.to_nat k / (1 + exp (- / s)).
Proof.
  intros Hs Hk. unfold Code.laplace_tail. rewrite exp_pow, INR_IZR_INZ, Z2Nat.id by trivial.
  f_equal; [f_equal|f_equal; f_equal]; field; lra.
Qed.

(** [at_least] is the probability that it says, for any k. *)
Theorem laplace_either s k : 0 < s -> Pr (laplace (exp (- / s))) (Z.leb k) =
  base_either (IZR k) (Code.laplace_tail (IZR k) s) (Code.laplace_tail (IZR (1 - k)) s).
Proof.
  intro Hs. rewrite laplace_at_least by apply ratio_of_scale, Hs. unfold base_either.
  destruct (Rlt_dec 0 (IZR k)) as [H|H], (Z.ltb_spec 0 k) as [K|K]; rewrite ?tail_is by (trivial; lia); trivial.
  - apply (lt_IZR 0) in H. lia.
  - apply IZR_lt in K. contradiction.
Qed.

Theorem laplace_point s z : 0 < s -> Pr (laplace (exp (- / s))) (Z.eqb z) =
  base_point (Pr (laplace (exp (- / s))) (Z.leb (Z.abs z))) (Code.laplace_tail (IZR (Z.abs z + 1)) s).
Proof.
  intro Hs. destruct (ratio_of_scale s Hs) as [Hq _]. unfold base_point.
    rewrite laplace_law, laplace_at_least, tail_is by (trivial; lia).
  replace (Z.to_nat (Z.abs z + 1)) with (S (Z.abs_nat z)) by lia. destruct (Z.ltb_spec 0 (Z.abs z)).
  - replace (Z.to_nat (Z.abs z)) with (Z.abs_nat z) by lia. simpl. field. lra.
  - replace z with 0%Z by lia. simpl. field. lra.
Qed.

(** The least whole number k that is not below minus [laplace_reach] is the least at which the tail is p or
  less. *)
Theorem laplace_reach_is s p k : 0 < s -> 0 < p ->
  Code.laplace_tail (INR k) s <= p <-> - Code.laplace_reach p s <= INR k.
Proof.
  intros Hs Hp. destruct (ratio_of_scale s Hs) as [Hq _].
  replace (Code.laplace_tail (INR k) s) with (exp (- / s) ^ k / (1 + exp (- / s))).
  - rewrite (Laplace.laplace_reach _ Hq) by trivial. unfold Code.laplace_reach. rewrite ln_exp.
    replace (ln (p * (1 + exp (- / s))) / - / s) with (- (s * ln (p * (1 + exp (-1 / s))))); [reflexivity|].
    replace (-1 / s) with (- / s) by (field; lra). field. lra.
  - rewrite INR_IZR_INZ, tail_is, Nat2Z.id by (trivial; lia). trivial.
Qed.

(** ** noise/truncated.py *)

Theorem truncated_tail_is s limit x c : truncated_scale s -> s <> 0 -> (1 <= c <= limit)%nat ->
  1 - meets (exp (- / s)) limit x (x - Z.of_nat c) =
  truncated_tail (INR (limit + 1 - c)) s (INR limit) (truncated_whole s (INR limit)).
Proof.
  intros H0 H1 Hc. assert (0 < s) as Hs by (unfold truncated_scale in H0; destruct (Rtotal_order s 0) as [|[|]]; tauto).
  destruct (ratio_of_scale s Hs) as [Hq _]. rewrite meets_tail, !exp_pow by trivial.
  unfold truncated_tail, truncated_whole. set (k := INR (limit + 1 - c)). set (r := INR limit).
  replace (INR (limit + 1)) with (r + 1) by (unfold r; rewrite plus_INR; trivial).
  assert (exp (- k / s) * (exp ((k - r - 1) / s) - 1) = - (exp (k * - / s) - exp ((r + 1) * - / s))) as ->.
  { rewrite Rmult_minus_distr_l, <- exp_plus, Rmult_1_r. replace (- k / s) with (k * - / s) by (field; lra).
    replace (k * - / s + (k - r - 1) / s) with ((r + 1) * - / s) by (field; lra). ring. }
  assert (- (exp (-1 / s) - 1) - 2 * exp (-1 / s) * (exp (- r / s) - 1) = 1 + exp (- / s) - 2 * exp ((r + 1) * - / s)) as ->.
  { replace ((r + 1) * - / s) with (-1 / s + - r / s) by (field; lra). rewrite exp_plus.
    replace (-1 / s) with (- / s) by (field; lra). ring. }
  unfold Rdiv. rewrite Rinv_opp. ring.
Qed.

(** ** add_noise.py: vectors of k numbers between bounds *)

Theorem add_noise_loses s k lo hi a0 a1 ai : 0 < s -> (lo <= hi)%Z ->
  loses (bounded_near k lo hi a0 a1 (Z.of_nat ai)) (saturated (exp (- / s)) lo hi)
    (laplace_map (INR (farthest (Z.to_nat (add_noise_diameter_l0 (Z.of_nat a0) (Z.of_nat k))) a1
      (Z.to_nat (add_noise_diameter_li (Z.of_nat ai) (hi - lo))))) s).
Proof.
  intros Hs Hb. unfold laplace_map, add_noise_diameter_l0, add_noise_diameter_li. destruct (Req_EM_T s 0); [lra|].
  destruct (ratio_of_scale s Hs) as [Hq Hl]. rewrite <- Nat2Z.inj_min, Nat2Z.id.
  replace (Z.to_nat (Z.min (Z.of_nat ai) (hi - lo))) with (Nat.min ai (Z.to_nat (hi - lo))) by lia.
  match goal with |- loses _ _ (Some (?d / s)) => replace (d / s) with (d * - ln (exp (- / s))) by (rewrite Hl;
    trivial) end.
  split; [apply saturated_dp; trivial|]. intro least. apply saturated_tight; trivial.
Qed.

(** ** keep_above.py, laplace_threshold.py *)

(** Between maps of the same keys: exactly what the noise loses, whatever the threshold. *)
Theorem laplace_threshold_common s T a0 a1 ai : 0 < s -> (a1 <= a0 * ai)%nat ->
  loses (common_near a0 a1 (Z.of_nat ai)) (release (exp (- / s)) T) (laplace_map (INR a1) s).
Proof.
  intros Hs Ha. unfold laplace_map. destruct (Req_EM_T s 0); [lra|]. destruct (ratio_of_scale s Hs) as [Hq Hl].
  replace (INR a1 / s) with (INR a1 * - ln (exp (- / s))) by (rewrite Hl; trivial).
  split; [apply keep_above_common_dp; trivial|]. intro least. apply keep_above_common_tight; trivial.
Qed.

Theorem keep_above_strict_is T y : keep_above_strict y T = is_some (keep T y).
Proof. unfold keep_above_strict, keep. destruct (if (0 <=? T)%Z then _ else _); trivial. Qed.

Theorem shown_is s T c : 0 < s -> (c <= T)%Z -> Code.laplace_tail (IZR (T + 1 - c)) s = shown (exp (- / s)) T c.
Proof.
  intros Hs Hc. rewrite tail_is by (trivial; lia). unfold shown. do 2 f_equal. lia.
Qed.

(** ** The worst packing: noise/base.py, and delta of keep_above.py *)

Lemma ceiling_is x k : (1 <= k)%nat -> (- (- Z.of_nat x / Z.of_nat k) = Z.of_nat ((x + k - 1) / k))%Z.
Proof.
  intro Hk. pose proof (ceiling x k Hk) as [H1 H2]. set (f := ((x + k - 1) / k)%nat) in *. clearbody f.
  rewrite <- (Z.div_unique (- Z.of_nat x) (Z.of_nat k) (- Z.of_nat f) (Z.of_nat (f * k) - Z.of_nat x)); lia.
Qed.

Theorem fewest_is_read l1 li : (1 <= li)%nat -> base_candidates_fewest (Z.of_nat l1) (Z.of_nat li) =
  Z.of_nat (fewest l1 li).
Proof.
  intro H. unfold base_candidates_fewest. destruct (Z.eqb_spec (Z.of_nat li) 0); [lia|]. apply ceiling_is; trivial.
Qed.

(** What is below 0 there is 0 here, and neither is in range. *)
Theorem candidates_are_read l0 l1 li room : (l0 <= l1)%nat -> (1 <= room)%nat ->
  candidates l0 l1 li room = [l0; fewest l1 li;
    Z.to_nat (base_multiples_first (Z.of_nat l1) (Z.of_nat room) (Z.of_nat (l1 - l0)));
    Z.to_nat (base_multiples_last (Z.of_nat l1) (Z.of_nat room) (Z.of_nat (l1 - fewest l1 li)))].
Proof.
  intros H Hr. unfold candidates, base_multiples_first, base_multiples_last. rewrite ceiling_is by trivial.
  rewrite <- Nat2Z.inj_div, <- !Nat2Z.inj_mul, !Z2Nat.inj_sub, !Nat2Z.id by lia. trivial.
Qed.

Theorem surprise_is_read s T c count : 0 < s -> (Z.of_nat c <= T)%Z ->
  base_packed (Code.laplace_tail (IZR (T + 1 - Z.of_nat c)) s) count = surprise (exp (- / s)) T c * count.
Proof. intros Hs Hc. unfold base_packed, surprise. rewrite shown_is by trivial. unfold Rminus. reflexivity. Qed.

Theorem delta_is_read x : keep_above_delta_of x = 1 - exp (- x).
Proof. unfold keep_above_delta_of. ring. Qed.
