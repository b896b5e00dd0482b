(** What an array of coins does with one element, as read from samplers/many.py, has the law of the coin. *)
From Coq Require Import ZArith Reals Lra Lia List Bool.
From Discreet Require Import Law Words Samplers Arrays Code Marks.
Open Scope R_scope.

(** ** reals.py: integers around a fraction, by a division with a rest *)

Definition enclosed_low (a d bits : Z) : Z := (Z.shiftl a (reals_up bits) / Z.shiftl d (reals_down bits))%Z.
Definition enclosed_high (a d bits : Z) : Z :=
  (enclosed_low a d bits + if Z.shiftl a (reals_up bits) mod Z.shiftl d (reals_down bits) =? 0 then 0 else 1)%Z.

Theorem fraction_enclosed a d bits : (0 < d)%Z ->
  IZR (enclosed_low a d (Z.of_nat bits)) <= IZR a / IZR d * 2 ^ bits <= IZR (enclosed_high a d (Z.of_nat bits)).
Proof.
  intro Hd. unfold enclosed_high, enclosed_low, reals_up, reals_down.
  rewrite (Z.max_l (Z.of_nat bits)), (Z.max_r (- Z.of_nat bits)), Z.shiftl_0_r, Z.shiftl_mul_pow2 by lia.
  set (t := (a * 2 ^ Z.of_nat bits)%Z).
  assert (IZR a / IZR d * 2 ^ bits = IZR t / IZR d) as ->.
  { unfold t. rewrite mult_IZR, <- (pow_IZR 2). unfold Rdiv. ring. }
  apply IZR_lt in Hd as Hd'. pose proof (Z.div_mod t d ltac:(lia)) as E.
  pose proof (Z.mod_pos_bound t d Hd) as B. set (low := (t / d)%Z) in *. set (rest := (t mod d)%Z) in *.
  assert (forall x y, x * IZR d <= y -> x <= y / IZR d) as K.
  { intros x y H. apply Rmult_le_reg_r with (1 := Hd'). unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  assert (forall x y, y <= x * IZR d -> y / IZR d <= x) as K'.
  { intros x y H. apply Rmult_le_reg_r with (1 := Hd'). unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  split; [apply K|apply K']; rewrite <- mult_IZR; apply IZR_le; [nia|]. destruct (Z.eqb_spec rest 0); nia.
Qed.

(** ** samplers/many.py: the looks *)

(** What the first byte says: nothing, if its cell is one of those that are looked at again. *)
Definition byte (low high word cell : Z) : option bool :=
  let first := many_first low word in
  let last := many_last high word in
  let again := if (first =? last)%Z then (cell =? first)%Z else ((first <=? cell)%Z && (cell <=? last)%Z)%bool in
  if ((low =? many_edge first word)%Z && (high =? many_other_edge first word)%Z)%bool then Some (cell <? first)%Z
  else if again then None else Some (cell <? first)%Z.

(** What a word says: where p may be in its cell, the loop of one coin goes on from there. *)
Definition settled (a d low high word prefix : Z) : option bool :=
  if ((low <=? prefix)%Z && (prefix <? high)%Z)%bool then below_real a d prefix word else Some (prefix <? low)%Z.

Theorem bernoulli_many_looks word low high a d k v : (8 < word)%nat ->
  element_of word low high a d k v =
  if (k =? 8)%nat then byte low high (Z.of_nat word) v
  else if (k =? word)%nat then settled a d low high (Z.of_nat k) v
  else if (k mod word =? 0)%nat then below_real a d v (Z.of_nat k)
  else None.
Proof.
  intro Hw. unfold element_of, element. replace (Z.of_nat k) with (Z.of_nat (1 * k)) by (f_equal; lia).
  unfold settled. rewrite !below_real_is. destruct (Nat.eqb_spec k 8) as [_|_]; [|trivial].
  unfold byte, many_first, many_last, many_edge, many_other_edge.
  replace (Z.of_nat (word - 8)) with (Z.of_nat word - 8)%Z by lia. set (rest := (Z.of_nat word - 8)%Z).
  assert (0 < rest)%Z as Hr by (unfold rest; lia). rewrite !Z.shiftr_div_pow2, !Z.shiftl_mul_pow2 by lia.
  assert (0 < 2 ^ rest)%Z as H2 by (apply Z.pow_pos_nonneg; lia).
  set (first := (low / 2 ^ rest)%Z). set (last := ((high - 1) / 2 ^ rest)%Z).
  replace (if (first =? last)%Z then (v =? first)%Z else ((first <=? v)%Z && (v <=? last)%Z)%bool)
    with ((first <=? v)%Z && (v <=? last)%Z)%bool
    by (destruct (Z.eqb_spec first last), (Z.leb_spec first v), (Z.leb_spec v last), (Z.eqb_spec v first); cbn [andb]; trivial; lia).
  destruct (Z.eqb_spec low (first * 2 ^ rest)), (Z.eqb_spec high (first * 2 ^ rest)); cbn [andb]; trivial.
  assert (last < first)%Z by (apply Z.div_lt_upper_bound; [trivial|rewrite Z.mul_comm; lia]).
  destruct (Z.leb_spec first v), (Z.leb_spec v last); cbn [andb]; trivial; lia.
Qed.

(** A byte, and a word less one byte to the right of it, are the first bits of U, a word of them. *)
Theorem settled_prefix word cell u : (8 < word)%nat -> (0 <= cell)%Z -> (0 <= u < 2 ^ Z.of_nat word)%Z ->
  let more := (u / 2 ^ 8)%Z in
  Z.lor (Z.shiftl cell (many_shift (Z.of_nat word))) (Z.shiftr u (many_dropped (Z.of_nat word)))
    = (cell * 2 ^ Z.of_nat (word - 8) + more)%Z /\ (0 <= more < 2 ^ Z.of_nat (word - 8))%Z.
Proof.
  intros Hw Hc Hu more. unfold many_shift, many_dropped. rewrite Z.shiftr_div_pow2 by lia. fold more.
  assert (0 <= more < 2 ^ Z.of_nat (word - 8))%Z as Hm.
  { unfold more. split; [apply Z.div_pos; lia|]. apply Z.div_lt_upper_bound; [lia|]. rewrite <- Z.pow_add_r by lia.
    replace (8 + Z.of_nat (word - 8))%Z with (Z.of_nat word) by lia. lia. }
  split; [|exact Hm]. replace (Z.of_nat word - 8)%Z with (Z.of_nat (word - 8)) by lia.
  pose proof (proj1 (prefix_is cell (word - 8) more Hm)) as H. rewrite Nat2Z.inj_pow in H. exact H.
Qed.

(** So each element of the array, of a probability that is a fraction, has the law of the coin, in the limit. *)
Theorem bernoulli_many_law word a d f : (8 < word)%nat -> (0 < d)%Z -> (0 <= a <= d)%Z ->
  let w := Z.of_nat word in let looks := element_of word (enclosed_low a d w) (enclosed_high a d w) a d in
  Un_cv (fun n => run 2 looks n (said f)) (flip (IZR a / IZR d) f).
Proof. intros Hw Hd Ha. apply element_law; trivial. apply fraction_enclosed; trivial. Qed.
