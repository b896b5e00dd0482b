(** The search for the least threshold, as read from keep_above.py, with the tail and the reach of noise/laplace.py. *)
From Coq Require Import ZArith Reals Lra Lia List Bool.
From Discreet Require Import Law Laplace KeepAbove Packing LeastThreshold Code Marks.
Open Scope R_scope.

(** The least k from 1 on at which the tail is p or less. *)
Definition reach_of (s p : R) : Z := laplace_reach_least (Int_part (Code.laplace_reach p s)).

Theorem laplace_reaches s : 0 < s -> reaches (exp (- / s)) (reach_of s).
Proof.
  intros Hs p Hp. unfold reach_of, laplace_reach_least. split; [lia|]. intros k Hk.
  pose proof (laplace_reach_is s p (Z.to_nat k) Hs Hp) as H. rewrite INR_IZR_INZ, Z2Nat.id, tail_is in H by (trivial; lia).
  unfold tail_at. rewrite H. destruct (base_Int_part (Code.laplace_reach p s)) as [H1 H2].
  set (x := Code.laplace_reach p s) in *. clearbody x. split; intro K.
  - assert (- k < Int_part x + 1)%Z; [|lia]. apply lt_IZR. rewrite opp_IZR, plus_IZR. lra.
  - assert (- Int_part x <= k)%Z as L by lia. apply IZR_le in L. rewrite opp_IZR in L. lra.
Qed.

(** The loop: so many rounds of it, at most. *)
Fixpoint rounds (there : Z -> Z) (most : nat) (low here : Z) (high : option Z) : option Z :=
  match most with
  | O => None
  | S most =>
    if match high with None => true | Some h => keep_above_apart low h end then
      let t := there here in
      if keep_above_rises here t then
        rounds there most here
          (match high with None => t | Some h => if keep_above_below t h then t else keep_above_middle here h end) high
      else
        let l := keep_above_skipped low t in rounds there most l (keep_above_next l) (Some here)
    else high
  end.

Theorem rounds_are_read there most low here high : rounds there most low here high = search there most low here high.
Proof. reflexivity. Qed.

Section Threshold.
  Variables (s most : R) (l0 l1 li : nat).

  Definition full_keys := keep_above_full (Z.of_nat l1) (Z.of_nat li).
  Definition low_at_first := (keep_above_bottom (Z.of_nat li) + reach_of s (keep_above_share most (IZR full_keys)))%Z.
  Definition there_from (T : Z) := (keep_above_floor (Z.of_nat li) + reach_of s
    (keep_above_ratio most (worst_of (exp (- / s)) l0 l1 li (li - 1) T) *
     Code.laplace_tail (IZR (keep_above_gap T (Z.of_nat li))) s))%Z.

  Definition least_threshold (enough_rounds : nat) : option Z :=
    if (full_keys =? Z.of_nat l0)%Z then Some (keep_above_first low_at_first)
    else rounds there_from enough_rounds low_at_first (keep_above_first_look low_at_first) None.

  Hypotheses (Hs : 0 < s) (Hm : 0 < most < 1) (Hi : (1 <= li <= l1)%nat) (H01 : (1 <= l0 <= l1)%nat)
    (Hl : (l1 <= l0 * li)%nat).

  Local Lemma full_is_read : full_keys = Z.of_nat (l1 / li).
  Proof. unfold full_keys, keep_above_full. rewrite Nat2Z.inj_div. trivial. Qed.

  Local Lemma low_is : low_at_first = start most li (reach_of s) (l1 / li).
  Proof.
    unfold low_at_first, start, keep_above_bottom. do 2 f_equal. rewrite full_is_read.
    unfold keep_above_share, share. rewrite INR_IZR_INZ. set (n := IZR _). unfold Rminus.
    destruct (Req_EM_T n 1) as [-> |]; [|ring]. unfold Rdiv. rewrite Rinv_1, Rmult_1_r, exp_ln by lra. ring.
  Qed.

  Local Lemma there_is : steps (exp (- / s)) most li (worst_of (exp (- / s)) l0 l1 li (li - 1)) (reach_of s) there_from.
  Proof.
    intros T HT. unfold there_from, keep_above_floor, keep_above_gap, keep_above_ratio, allowed, Rminus.
    rewrite tail_is by (trivial; lia). reflexivity.
  Qed.

  Local Lemma not_full : full_keys <> Z.of_nat l0 -> (2 <= li)%nat.
  Proof.
    rewrite full_is_read. intro H. enough (li <> 1)%nat by lia. intros ->. apply H. rewrite Nat.div_1_r. lia.
  Qed.

  Local Lemma full_all : full_keys = Z.of_nat l0 -> (l0 * li <= l1)%nat.
  Proof.
    rewrite full_is_read. intro H. apply Nat2Z.inj in H. rewrite <- H, Nat.mul_comm. apply Nat.mul_div_le. lia.
  Qed.

  (** It is the least at which the mechanism has at most that delta, whatever epsilon. *)
  Theorem least_threshold_is enough_rounds T : least_threshold enough_rounds = Some T ->
    dp (near l0 l1 (Z.of_nat li)) (INR l1 / s) most (release (exp (- / s)) T) /\
    forall T' eps, (Z.of_nat li <= T' < T)%Z -> ~ dp (near l0 l1 (Z.of_nat li)) eps most (release (exp (- / s)) T').
  Proof.
    destruct (ratio_of_scale s Hs) as [Hq Hln]. pose proof (laplace_reaches s Hs) as Hr.
    assert (1 <= l0 /\ 1 <= li /\ 1 <= l1 <= l0 * li /\ li <= l1)%nat as (A0 & A1 & A2 & A3) by lia.
    replace (INR l1 / s) with (INR l1 * - ln (exp (- / s))) by (rewrite Hln; trivial).
    unfold least_threshold. destruct (Z.eqb_spec full_keys (Z.of_nat l0)) as [Hf|Hf].
    - pose proof (full_greatest _ l0 l1 li Hq ltac:(lia) (full_all Hf)) as Hw. rewrite full_is_read in Hf. apply Nat2Z.inj in Hf.
      intro E. injection E as <-. rewrite low_is. unfold keep_above_first.
      assert (Z.of_nat li <= start most li (reach_of s) (l1 / li) + 1)%Z as HT.
      { unfold start. enough (1 <= reach_of s (share most (l1 / li)))%Z by lia.
        unfold reach_of, laplace_reach_least. lia. }
      split.
      + refine (proj1 (enough_is _ most l0 l1 li Hq Hm A0 A1 A2 A3 _ Hw _ HT) _).
        apply (least_full _ most l0 l1 li Hq Hm A0 A1 A2 A3 _ _ Hw Hr); trivial. lia.
      + intros T' eps [HT1 HT2] Hd. apply (proj2 (enough_is _ most l0 l1 li Hq Hm A0 A1 A2 A3 _ Hw T' HT1)) in Hd.
        apply (least_full _ most l0 l1 li Hq Hm A0 A1 A2 A3 _ _ Hw Hr) in Hd; trivial. lia.
    - pose proof (not_full Hf) as H2. rewrite rounds_are_read, low_is. unfold keep_above_first_look. intro E.
      pose proof (worst_greatest (exp (- / s)) l0 l1 li (li - 1) Hq ltac:(lia) ltac:(lia) ltac:(lia) ltac:(lia)) as Hw.
      destruct (least_search _ most l0 l1 li Hq Hm A0 A1 A2 A3 _ _ _ Hw Hr there_is _ _ E) as (HT & He & Hn). split.
      + exact (proj1 (enough_is _ most l0 l1 li Hq Hm A0 A1 A2 A3 _ Hw _ HT) He).
      + intros T' eps HT' Hd. apply (Hn T' HT'). refine (proj2 (enough_is _ most l0 l1 li Hq Hm A0 A1 A2 A3 _ Hw T' _) eps Hd). lia.
  Qed.

  (** And enough rounds are enough. *)
  Theorem least_threshold_ends : exists enough_rounds T, least_threshold enough_rounds = Some T.
  Proof.
    destruct (ratio_of_scale s Hs) as [Hq Hln]. pose proof (laplace_reaches s Hs) as Hr.
    assert (1 <= l0 /\ 1 <= li /\ 1 <= l1 <= l0 * li /\ li <= l1)%nat as (A0 & A1 & A2 & A3) by lia.
    unfold least_threshold. destruct (Z.eqb_spec full_keys (Z.of_nat l0)) as [Hf|Hf]; [exists 0%nat; eauto|].
    pose proof (not_full Hf) as H2. rewrite low_is. unfold keep_above_first_look.
    pose proof (worst_greatest (exp (- / s)) l0 l1 li (li - 1) Hq ltac:(lia) ltac:(lia) ltac:(lia) ltac:(lia)) as Hw.
    exact (least_search_ends _ most l0 l1 li Hq Hm A0 A1 A2 A3 _ _ _ Hw Hr there_is).
  Qed.
End Threshold.

(** ** Counts between bounds *)

(** The least value is 1 where 0 is allowed, since zeros are dropped; by how much values of common keys may differ; how
  many keys one map may have alone. *)
Theorem bounds_are_read ai lo hi count a1 : (1 <= lo <= hi)%Z ->
  (keep_above_nonzero 0 = 1 /\ keep_above_nonzero lo = lo)%Z /\
  Nat.min ai (Z.to_nat (hi - lo)) = Z.to_nat (keep_above_width (Z.of_nat ai) lo hi) /\
  Nat.min count (a1 / Z.to_nat lo) = Z.to_nat (keep_above_new (Z.of_nat count) (Z.of_nat a1) lo).
Proof.
  intro H. unfold keep_above_nonzero, keep_above_width, keep_above_new. split; [|split].
  - destruct (Z.eqb_spec lo 0); simpl; lia.
  - lia.
  - replace (Z.of_nat a1 / lo)%Z with (Z.of_nat (a1 / Z.to_nat lo)); [lia|]. rewrite Nat2Z.inj_div, Z2Nat.id by lia. trivial.
Qed.
