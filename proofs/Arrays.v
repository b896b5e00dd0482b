(** Arrays of coins, element by element: bernoulli_many of samplers/many.py. A byte of U settles most of them, a word
    most of the others, and the loop of one coin goes on with the rest. Bits are revealed one at a time; between the
    looks at them nothing is asked. *)
From Coq Require Import ZArith Reals Lra Lia List Bool.
From Discreet Require Import Law Words Samplers.
Open Scope R_scope.

(** What has not been settled later was not settled before. *)
Lemma reveal_later {T} B (decide : nat -> Z -> option T) words : (1 <= B)%nat -> forall k v,
  Pr (reveal B decide (S words) k v) silent <= Pr (reveal B decide words k v) silent.
Proof.
  intro HB. unfold Pr. induction words as [|words IH]; intros k v.
  - pose proof (E_test (reveal B decide 1 k v) _ (test_event silent)) as H. revert H. cbn [reveal].
    destruct (decide k v); [intros _; right; reflexivity|]. intros [_ H]. exact H.
  - cbn [reveal]. destruct (decide k v); [right; reflexivity|]. cbn [bind E].
    apply pick_le; [lia|..]; try (intro u; apply E_test; auto with law). intros u _. apply IH.
Qed.

Lemma run_later {T} B (decide : nat -> Z -> option T) m n : (1 <= B)%nat -> (m <= n)%nat ->
  Pr (run B decide n) silent <= Pr (run B decide m) silent.
Proof.
  intros HB H. induction H as [|n H IH]; [right; trivial|]. eapply Rle_trans; [|exact IH]. apply reveal_later; trivial.
Qed.

(** The looks at one element: a byte, a word, and then word by word. A byte that is in no cell from [first] to [last]
    settles it; of the others it is asked whether p is between [low] and [high] of the word. *)
Definition element (word : nat) (first last low high a d : Z) (k : nat) (v : Z) : option bool :=
  if (k =? 8)%nat then if (first <=? v)%Z && (v <=? last)%Z then None else Some (v <? first)%Z
  else if (k =? word)%nat then
    if (low <=? v)%Z && (v <? high)%Z then below_fraction 2 a d k v else Some (v <? low)%Z
  else if (k mod word =? 0)%nat then below_fraction 2 a d k v
  else None.

Definition element_of (word : nat) (low high : Z) :=
  let rest := Z.of_nat (word - 8) in element word (Z.shiftr low rest) (Z.shiftr (high - 1) rest) low high.

Section Element.
  Variables (word : nat) (low high a d : Z).
  Hypotheses (Hw : (8 < word)%nat) (Hd : (0 < d)%Z) (Ha : (0 <= a <= d)%Z).
  Let p := IZR a / IZR d.
  Hypothesis enclosed : IZR low <= p * 2 ^ word <= IZR high.

  Lemma element_sound : sound 2 (element_of word low high a d) (fun b => b) 0 p.
  Proof.
    intros k v s Hv. unfold element_of, element.
    assert (below_fraction 2 a d k v = Some s -> if s then 0 * INR 2 ^ k <= IZR v /\ IZR v + 1 <= p * INR 2 ^ k
      else IZR v + 1 <= 0 * INR 2 ^ k \/ p * INR 2 ^ k <= IZR v) as Hf
      by (intro H; exact (below_fraction_sound 2 a d ltac:(lia) Hd k v s Hv H)).
    destruct Hv as [Hv _]. apply IZR_le in Hv. rewrite !Z.shiftr_div_pow2 by lia.
    set (rest := (2 ^ Z.of_nat (word - 8))%Z).
    assert (0 < rest)%Z as Hr by (apply Z.pow_pos_nonneg; lia).
    assert (IZR rest = 2 ^ (word - 8)) as Er by (unfold rest; rewrite <- (pow_Z 2); trivial).
    assert (0 < 2 ^ (word - 8)) as Hr' by (apply pow_lt; lra).
    replace (INR 2) with 2 in * by (simpl; lra).
    destruct (Nat.eqb_spec k 8) as [->|H8].
    - assert (2 ^ word = 2 ^ (word - 8) * 2 ^ 8) as E by (rewrite <- pow_add; f_equal; lia).
      set (b := 2 ^ 8) in *. rewrite E in enclosed.
      destruct (Z.leb_spec (low / rest) v) as [H1|H1]; cbn [andb].
      + destruct (Z.leb_spec v ((high - 1) / rest)) as [H2|H2]; [discriminate|]. intro Hs; injection Hs as <-.
        destruct (Z.ltb_spec v (low / rest)) as [|_]; [lia|]. right.
        assert (high <= v * rest)%Z as H3.
        { pose proof (Z.mul_succ_div_gt (high - 1) rest Hr). nia. }
        apply IZR_le in H3. rewrite mult_IZR, Er in H3. apply Rmult_le_reg_r with (1 := Hr'). lra.
      + intro Hs; injection Hs as <-. destruct (Z.ltb_spec v (low / rest)) as [_|]; [|lia]. split; [lra|].
        assert ((v + 1) * rest <= low)%Z as H3.
        { pose proof (Z.mul_div_le low rest Hr). nia. }
        apply IZR_le in H3. rewrite mult_IZR, plus_IZR, Er in H3. apply Rmult_le_reg_r with (1 := Hr'). lra.
    - destruct (Nat.eqb_spec k word) as [->|Hk].
      + destruct (Z.leb_spec low v) as [H1|H1]; cbn [andb].
        * destruct (Z.ltb_spec v high) as [H2|H2]; [exact Hf|]. intro Hs; injection Hs as <-.
          destruct (Z.ltb_spec v low) as [|_]; [lia|]. apply IZR_le in H2. right. lra.
        * intro Hs; injection Hs as <-. destruct (Z.ltb_spec v low) as [_|]; [|lia].
          apply Zlt_le_succ, IZR_le in H1. rewrite succ_IZR in H1. split; lra.
      + destruct (k mod word =? 0)%nat; [exact Hf|discriminate].
  Qed.

  (** After whole words one cell at most is open. *)
  Lemma element_open n : (1 <= n)%nat -> Pr (run 2 (element_of word low high a d) (word * n)) silent <= 1 / 2 ^ (word * n).
  Proof.
    intro Hn. replace 2 with (INR 2) by (simpl; lra).
    apply run_silent with (undecided := cons (a * Z.of_nat 2 ^ Z.of_nat (word * n) / d)%Z nil); [lia|simpl; lra|].
    intros v _ H. left. enough (below_fraction 2 a d (word * n) v = None) as H'.
    - revert H'. unfold below_fraction. set (g := (_ - _)%Z).
      destruct (g >=? d)%Z eqn:H1; [discriminate|]. destruct (g <=? 0)%Z eqn:H2; [discriminate|]. intros _.
      rewrite Z.geb_leb, Z.leb_gt in H1. rewrite Z.leb_gt in H2.
      symmetry. apply Z.div_unique with g; [lia|unfold g; ring].
    - revert H. unfold element_of, element. destruct (Nat.eqb_spec (word * n) 8) as [|_]; [nia|].
      rewrite (Nat.mul_comm word n), Nat.mod_mul by lia. cbn [Nat.eqb].
      destruct (Nat.eqb_spec (n * word) word) as [->|_]; [|trivial].
      destruct (_ && _)%bool; [trivial|discriminate].
  Qed.

  (** Each element has the law of the coin, whatever is done with it. *)
  Theorem element_law f : Un_cv (fun n => run 2 (element_of word low high a d) n (said f)) (flip p f).
  Proof.
    apply coin_law; [lia| |apply element_sound|].
    - apply IZR_lt in Hd as Hd'. destruct Ha as [H0 H1]. apply IZR_le in H0, H1. unfold p. split.
      + apply Rmult_le_pos; trivial. left; apply Rinv_0_lt_compat; trivial.
      + apply Rmult_le_reg_r with (IZR d); trivial. unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra.
    - apply run_stops with (c := 2 ^ word) (m := word); try lia. intros n Hn. replace (INR 2) with 2 by (simpl; lra).
      pose proof (Nat.div_mod n word ltac:(lia)) as E. pose proof (Nat.mod_upper_bound n word ltac:(lia)).
      assert (1 <= n / word)%nat by (apply Nat.div_le_lower_bound; lia). set (m := (n / word)%nat) in *.
      eapply Rle_trans; [apply (run_later 2 _ (word * m)); lia|]. eapply Rle_trans; [apply element_open; trivial|].
      assert (0 < 2 ^ (word * m)) by (apply pow_lt; lra). assert (0 < 2 ^ n) by (apply pow_lt; lra).
      assert (2 ^ n <= 2 ^ word * 2 ^ (word * m)) by (rewrite <- pow_add; apply Rle_pow; [lra|lia]).
      apply Rmult_le_reg_r with (2 ^ (word * m) * 2 ^ n); [apply Rmult_lt_0_compat; trivial|].
      replace (1 / 2 ^ (word * m) * (2 ^ (word * m) * 2 ^ n)) with (2 ^ n) by (field; lra).
      replace (2 ^ word / 2 ^ n * (2 ^ (word * m) * 2 ^ n)) with (2 ^ word * 2 ^ (word * m)) by (field; lra).
      trivial.
  Qed.
End Element.
