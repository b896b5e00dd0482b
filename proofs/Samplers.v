(** Coins, whole numbers and categories from uniform words: the loops of samplers/one.py.

    Each is the one lemma with another question about U.
      What a loop returns, in the limit of many words, has the
    law that the mechanisms are written with: [flip], [pick], [categorical]. *)
From Coq Require Import ZArith Reals Lra Lia List Bool FinFun.
From Discreet Require Import Law Words.
Import ListNotations.
Open Scope R_scope.

Ltac bools := repeat match goal with
  | |- context [Nat.ltb ?a ?b] => destruct (Nat.ltb_spec a b)
  | |- context [Nat.leb ?a ?b] => destruct (Nat.leb_spec a b)
  | |- context [Nat.eqb ?a ?b] => destruct (Nat.eqb_spec a b)
  | |- context [Z.eqb ?a ?b] => destruct (Z.eqb_spec a b) end.

(** The first look at U takes [first] words at once, whatever they say. *)
Definition wait {S} (first : nat) (decide : nat -> Z -> option S) (k : nat) (v : Z) : option S :=
  if (k <? first)%nat then None else decide k v.

Lemma wait_sound {S} B first (decide : nat -> Z -> option S) is a b :
  sound B decide is a b -> sound B (wait first decide) is a b.
Proof. intros H k v s Hv. unfold wait. destruct (k <? first)%nat; [discriminate|]. apply H; trivial. Qed.

Lemma wait_some {S} first (decide : nat -> Z -> option S) k v s : wait first decide k v = Some s ->
  decide k v = Some s.
Proof. unfold wait. destruct (k <? first)%nat; [discriminate|trivial]. Qed.

Lemma wait_none {S} first (decide : nat -> Z -> option S) k v :
  (first <= k)%nat -> wait first decide k v = None -> decide k v = None.
Proof. intro. unfold wait. destruct (Nat.ltb_spec k first); [lia|trivial]. Qed.

Lemma pow_Z B k : IZR (Z.of_nat B ^ Z.of_nat k) = INR B ^ k.
Proof. rewrite <- pow_IZR, <- INR_IZR_INZ; trivial. Qed.

(** What decides rightly whether U < p, and ends, has the law of the coin, whatever is done with its answer. *)
Theorem coin_law B (decide : nat -> Z -> option bool) p f : (1 <= B)%nat -> 0 <= p <= 1 ->
  sound B decide (fun b => b) 0 p -> Un_cv (fun n => Pr (run B decide n) silent) 0 ->
  Un_cv (fun n => run B decide n (said f)) (flip p f).
Proof.
  intros HB Hp Hd Hs. rewrite flip_is by trivial.
  replace (p * f true + (1 - p) * f false)
    with (sum [true; false] (fun b => (if b : bool then p else 1 - p) * f b)) by (simpl; ring).
  apply limit_law with (eqb := Bool.eqb); try lia.
  - apply eqb_true_iff.
  - repeat constructor; simpl; intuition discriminate.
  - intros k v [] _ _; simpl; auto.
  - intros b _. destruct b.
    + replace p with (p - 0) by ring. apply one_lemma_limit; try lia; try lra; trivial.
      intros k v s Hv Hk. pose proof (Hd k v s Hv Hk) as H1. destruct s; exact H1.
    + apply one_lemma_limit; try lia; try lra; trivial. intros k v s Hv Hk. pose proof (Hd k v s Hv Hk) as H1.
      destruct s; simpl in *; [left; tauto|]. (* What is not below p is below 1, within the unit interval. *)
      destruct Hv as [H2 H3]. apply IZR_le in H2. apply Zlt_le_succ, IZR_le in H3. rewrite succ_IZR, pow_Z in H3.
      destruct H1 as [H1|H1]; [lra|]. split; lra.
  - exists (Rabs (f true) + Rabs (f false)). intros []; unfold Rabs; repeat destruct (Rcase_abs _); lra.
Qed.

(** ** bernoulli: whether U < a/d *)

(** U < a/d for all U of the cell if gap >= d, for none if gap <= 0. *)
Definition below_fraction (B : nat) (a d : Z) (k : nat) (v : Z) : option bool :=
  let gap := (a * Z.of_nat B ^ Z.of_nat k - v * d)%Z in
  if (gap >=? d)%Z || (gap <=? 0)%Z then Some (gap >? 0)%Z else None.

Definition bernoulli (B first : nat) (a d : Z) : nat -> law (option bool) :=
  run B (wait first (below_fraction B a d)).

Section Bernoulli.
  Variables (B first : nat) (a d : Z).
  Hypotheses (HB : (2 <= B)%nat) (Hd : (0 < d)%Z) (Ha : (0 <= a <= d)%Z).
  Let p := IZR a / IZR d.

  Local Lemma d_pos : 0 < IZR d.
  Proof. apply IZR_lt; trivial. Qed.

  Local Lemma p_in : 0 <= p <= 1.
  Proof.
    pose proof d_pos. destruct Ha as [H0 H1]. apply IZR_le in H0, H1. unfold p. split.
    - apply Rmult_le_pos; trivial. left; apply Rinv_0_lt_compat; trivial.
    - apply Rmult_le_reg_r with (IZR d); trivial. unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra.
  Qed.

  Lemma below_fraction_sound : sound B (below_fraction B a d) (fun b => b) 0 p.
  Proof.
    intros k v s [Hv _]. unfold below_fraction. pose proof d_pos.
    assert (IZR (a * Z.of_nat B ^ Z.of_nat k - v * d) = IZR d * (p * INR B ^ k - IZR v)) as Hg.
    { rewrite minus_IZR, !mult_IZR, pow_Z. unfold p. field; lra. }
    set (g := (_ - _)%Z) in *. apply IZR_le in Hv.
    destruct (g >=? d)%Z eqn:H1; [|destruct (g <=? 0)%Z eqn:H2; [|discriminate]]; cbn [orb]; intro Hs;
      injection Hs as <-.
    - assert ((g >? 0)%Z = true) as -> by lia. assert (IZR d <= IZR g) by (apply IZR_le; lia).
      split; [lra|]. apply Rmult_le_reg_l with (IZR d); lra.
    - assert ((g >? 0)%Z = false) as -> by lia. assert (IZR g <= 0) by (apply IZR_le; lia).
      right. apply Rmult_le_reg_l with (IZR d); lra.
  Qed.

  (** One cell at most holds a/d inside. *)
  Theorem bernoulli_silent n : (first <= n)%nat -> Pr (bernoulli B first a d n) silent <= 1 / INR B ^ n.
  Proof.
    intro Hn. apply run_silent with (undecided := [(a * Z.of_nat B ^ Z.of_nat n / d)%Z]); [lia|simpl; lra|].
    intros v _ H. apply wait_none in H; trivial. revert H. unfold below_fraction. set (g := (_ - _)%Z).
    destruct (g >=? d)%Z eqn:H1; [discriminate|]. destruct (g <=? 0)%Z eqn:H2; [discriminate|]. intros _. left.
    rewrite Z.geb_leb, Z.leb_gt in H1. rewrite Z.leb_gt in H2.
    symmetry. apply Z.div_unique with g; [lia|unfold g; ring].
  Qed.

  Theorem bernoulli_yes n : (first <= n)%nat ->
    p - 1 / INR B ^ n <= Pr (bernoulli B first a d n) (says (fun b => b)) <= p.
  Proof.
    intro Hn. pose proof (bernoulli_silent n Hn). pose proof p_in.
    pose proof (one_lemma B _ ltac:(lia) (fun b => b) 0 p n ltac:(lra) ltac:(lra)
      (wait_sound _ first _ _ _ _ below_fraction_sound)).
    unfold bernoulli in *. lra.
  Qed.

  (** The loop has the law of the coin, whatever is done with its answer. *)
  Theorem bernoulli_law f : Un_cv (fun n => bernoulli B first a d n (said f)) (flip p f).
  Proof.
    apply coin_law; [lia|apply p_in|apply wait_sound, below_fraction_sound|].
    apply run_stops with (c := 1) (m := first); trivial; try lia. apply bernoulli_silent.
  Qed.
End Bernoulli.

(** ** The same for a real p of which each number of words gives an enclosure, in integers. *)

Definition below_enclosed (low high : nat -> Z) (k : nat) (v : Z) : option bool :=
  if (v <? low k)%Z || (v >=? high k)%Z then Some (v <? low k)%Z else None.

Theorem below_enclosed_sound B low high p :
  (forall k, IZR (low k) <= p * INR B ^ k <= IZR (high k)) ->
    sound B (below_enclosed low high) (fun b => b) 0 p.
Proof.
  intros H k v s [Hv _]. specialize (H k). apply IZR_le in Hv. unfold below_enclosed.
  destruct (Z.ltb_spec v (low k)) as [H1|H1]; cbn [orb].
  - intro Hs; injection Hs as <-. apply Zlt_le_succ, IZR_le in H1. rewrite succ_IZR in H1. split; lra.
  - rewrite Z.geb_leb. destruct (Z.leb_spec (high k) v) as [H2|]; [|discriminate]. intro Hs; injection Hs as <-.
    apply IZR_le in H2. right; lra.
Qed.

(** ** below: the floor of n U *)

Definition floor_of (B : nat) (n : Z) (k : nat) (v : Z) : option Z :=
  let whole := (Z.of_nat B ^ Z.of_nat k)%Z in
  let low := (v * n / whole)%Z in let high := ((v * n + n - 1) / whole)%Z in
  if (low =? high)%Z then Some low else None.

Definition uniform (B first : nat) (n : Z) : nat -> law (option Z) := run B (wait first (floor_of B n)).

Section Uniform.
  Variables (B first : nat) (n : Z).
  Hypotheses (HB : (2 <= B)%nat) (Hn : (1 <= n)%Z).

  Local Lemma whole_pos k : (0 < Z.of_nat B ^ Z.of_nat k)%Z.
  Proof. apply Z.pow_pos_nonneg; lia. Qed.

  Lemma floor_of_sound s : (0 <= s)%Z -> sound B (floor_of B n) (Z.eqb s) (IZR s / IZR n) (IZR (s + 1) / IZR n).
  Proof.
    intros Hs k v s' [Hv _]. unfold floor_of. pose proof (whole_pos k) as HW. rewrite <- pow_Z.
    set (W := (Z.of_nat B ^ Z.of_nat k)%Z) in *.
    destruct (Z.eqb_spec (v * n / W) ((v * n + n - 1) / W)) as [H|]; [|discriminate]. intro E;
      injection E as <-.
    pose proof (Z.mul_div_le (v * n) W HW) as H1. pose proof (Z.mul_succ_div_gt (v * n + n - 1) W HW) as H2.
    rewrite <- H in H2. set (l := (v * n / W)%Z) in *. clearbody l W. apply IZR_le in Hn as Hr.
    assert (forall a b, (a * W <= b * n)%Z -> IZR a / IZR n * IZR W <= IZR b) as K.
    { intros a b Hab. apply IZR_le in Hab. rewrite !mult_IZR in Hab. apply Rmult_le_reg_r with (IZR n); [lra|].
      replace (IZR a / IZR n * IZR W * IZR n) with (IZR a * IZR W) by (field; lra). trivial. }
    assert (forall a b, (b * n <= a * W)%Z -> IZR b <= IZR a / IZR n * IZR W) as K'.
    { intros a b Hab. apply IZR_le in Hab. rewrite !mult_IZR in Hab. apply Rmult_le_reg_r with (IZR n); [lra|].
      replace (IZR a / IZR n * IZR W * IZR n) with (IZR a * IZR W) by (field; lra). trivial. }
    replace (IZR v + 1) with (IZR (v + 1)) by (rewrite plus_IZR; trivial).
    destruct (Z.eqb_spec s l) as [->|Hne]; [split; [apply K|apply K']; lia|].
    destruct (Z.lt_ge_cases l s); [left; apply K'; nia|right; apply K; nia].
  Qed.

  (** The cells left open are those with some j/n inside. *)
  Theorem uniform_silent k : (first <= k)%nat -> Pr (uniform B first n k) silent <= IZR n / INR B ^ k.
  Proof.
    intro Hk. pose proof (whole_pos k) as HW. set (W := (Z.of_nat B ^ Z.of_nat k)%Z) in *.
    apply run_silent with (undecided := map (fun j => ((Z.of_nat j * W - 1) / n)%Z) (seq 1 (Z.to_nat
      (n - 1)))); [lia|..].
    - rewrite map_length, seq_length, INR_IZR_INZ. apply IZR_le. lia.
    - intros v [Hv Hv'] H. apply wait_none in H; trivial. revert H. unfold floor_of. fold W.
      destruct (Z.eqb_spec (v * n / W) ((v * n + n - 1) / W)) as [|Hne]; [discriminate|]. intros _.
      pose proof (Z.mul_succ_div_gt (v * n) W HW) as H1. pose proof (Z.mul_div_le (v * n + n - 1) W HW) as H2.
      assert (v * n / W <= (v * n + n - 1) / W)%Z by (apply Z.div_le_mono; lia).
      assert (0 <= v * n / W)%Z by (apply Z.div_pos; nia). set (j := ((v * n + n - 1) / W)%Z) in *.
      assert (j < n)%Z by (apply Z.div_lt_upper_bound; unfold W in *; nia).
      apply in_map_iff. exists (Z.to_nat j). split; [|apply in_seq; lia]. rewrite Z2Nat.id by lia.
      symmetry. apply Z.div_unique with (j * W - 1 - n * v)%Z; [left; nia|ring].
  Qed.

  Theorem uniform_law f : bounded f -> Un_cv (fun k => uniform B first n k (said f)) (pick (Z.to_nat n)
    (fun u => f (Z.of_nat u))).
  Proof.
    intro Hf. apply IZR_le in Hn as Hr. rewrite pick_is by lia. rewrite INR_IZR_INZ, Z2Nat.id by lia.
    replace (sum _ _ / IZR n) with (sum (map Z.of_nat (seq 0 (Z.to_nat n))) (fun s => / IZR n * f s)).
    - apply limit_law with (eqb := Z.eqb); trivial; try lia.
      + apply Injective_map_NoDup; [intros a b; lia|apply seq_NoDup].
      + intros k v s [Hv Hv'] H%wait_some. revert H. unfold floor_of. pose proof (whole_pos k).
        set (W := (Z.of_nat B ^ Z.of_nat k)%Z) in *. destruct (_ =? _)%Z; [|discriminate]. intro Hs;
          injection Hs as <-.
        assert (0 <= v * n / W)%Z by (apply Z.div_pos;
          nia). assert (v * n / W < n)%Z by (apply Z.div_lt_upper_bound; nia).
        apply in_map_iff. exists (Z.to_nat (v * n / W)). rewrite in_seq. lia.
      + intros s Hs. apply in_map_iff in Hs as (u & <- & Hu). apply in_seq in Hu.
        replace (/ IZR n) with (IZR (Z.of_nat u + 1) / IZR n - IZR (Z.of_nat u) / IZR n)
          by (rewrite plus_IZR; field; lra).
        assert (0 < / IZR n) by (apply Rinv_0_lt_compat; lra).
        assert (0 <= IZR (Z.of_nat u) /\ IZR (Z.of_nat u + 1) <= IZR n) as [] by (split; apply IZR_le; lia).
        apply one_lemma_limit; try lia.
        * unfold Rdiv; rewrite plus_IZR in *; split; nra.
        * apply Rmult_le_reg_r with (IZR n); [lra|]. unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra.
        * apply wait_sound, floor_of_sound; lia.
        * apply run_stops with (c := IZR n) (m := first); trivial; try lia. apply uniform_silent.
    - rewrite sum_map. unfold Rdiv. rewrite Rmult_comm, <- (Rplus_0_r (_ * sum _ _)),
      <- (Rmult_0_l (sum (seq 0 (Z.to_nat n)) (fun _ => 0))).
      rewrite <- sum_linear. apply sum_ext. intros; ring.
  Qed.
End Uniform.

(** ** categorical: the number of steps that a uniform number has passed *)

Fixpoint accumulate (from : nat) (weights : list nat) : list nat :=
  match weights with [] => [] | w :: ws => (from + w)%nat :: accumulate (from + w) ws end.
Definition bisect_right (steps : list nat) (u : nat) : nat := length (filter (fun s => s <=? u)%nat steps).
Definition total (weights : list nat) : nat := fold_right Nat.add 0%nat weights.

Definition categorical (weights : list nat) : law nat :=
  u <- pick (total weights) ;; ret (bisect_right (accumulate 0 weights) u).

Fixpoint weighted (i : nat) (weights : list nat) (f : nat -> R) : R :=
  match weights with [] => 0 | w :: ws => INR w * f i + weighted (S i) ws f end.

Theorem categorical_law weights f : (1 <= total weights)%nat ->
  categorical weights f = weighted 0 weights f / INR (total weights).
Proof.
  intro H. unfold categorical. cbn [bind ret E]. rewrite pick_is by trivial. f_equal. clear H.
  assert (forall ws from u, (u < from)%nat -> bisect_right (accumulate from ws) u = 0%nat) as Hlow.
  { unfold bisect_right. induction ws as [|w ws IH]; intros from u Hu; simpl; trivial. bools;
    [lia|]. apply IH. lia. }
  enough (forall ws from i, sum (seq from (total ws)) (fun u => f (i + bisect_right
    (accumulate from ws) u)%nat) = weighted i ws f)
    as Hs by (apply (Hs weights 0%nat 0%nat)).
  induction ws as [|w ws IH]; intros from i; simpl; trivial. rewrite seq_app, sum_app. f_equal.
  - rewrite <- (seq_length w from) at 2. rewrite <- sum_const. apply sum_ext. intros u Hu. apply in_seq in Hu.
    f_equal. unfold bisect_right in *. simpl. bools; [lia|]. rewrite (Hlow ws (from + w)%nat u) by lia. lia.
  - rewrite <- (IH (from + w)%nat (S i)). apply sum_ext. intros u Hu. apply in_seq in Hu. f_equal.
    unfold bisect_right. simpl. bools; simpl; lia.
Qed.
