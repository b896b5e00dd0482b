(** Subset selection over k categories, as the Python draws it: Fisher and Yates, and a coin for the truth. *)
From Coq Require Import Reals Lra Lia List Bool Permutation.
From Discreet Require Import Law RandomizedResponse.
Import ListNotations.
Open Scope R_scope.

(** A list in which entry n has become y; entries i and j of a list, exchanged. *)
Definition put (n y : nat) (xs : list nat) := firstn n xs ++ y :: skipn (S n) xs.
Definition swap (i j : nat) (xs : list nat) := put j (nth i xs 0%nat) (put i (nth j xs 0%nat) xs).

(** Steps i .. i + d - 1 of Fisher and Yates, on the k - 1 places that are not the truth. *)
Fixpoint shuffle (k i d : nat) (xs : list nat) : law (list nat) :=
  match d with
  | O => ret xs
  | S d => c <- pick (k - 1 - i) ;; shuffle k (S i) d (swap i (i + c) xs)
  end.

Definition others (k place : nat) := seq 0 place ++ seq (S place) (k - S place).
Definition sorted (k : nat) (s : list nat) := filter (fun v => existsb (Nat.eqb v) s) (seq 0 k).

(** The truth takes the first place by a coin; an answer that is no category is a uniform one, with probability d/k.
  *)
Definition subset (k d : nat) (p : R) (x : option nat) : law (list nat) :=
  stand_in <- pick k ;;
  let place := match x with None => stand_in | Some i => i end in
  xs <- shuffle k 0 d (others k place) ;;
  honest <- flip (match x with None => INR d / INR k | Some _ => p end) ;;
  ret (sorted k (firstn d (if honest then put 0 place xs else xs))).

(** ** Counting: every set of d of some places, once *)

Fixpoint choose (d : nat) (xs : list nat) {struct xs} : list (list nat) :=
  match d, xs with
  | O, _ => [[]]
  | S _, [] => []
  | S d', x :: xs => map (cons x) (choose d' xs) ++ choose d xs
  end.
Fixpoint comb (n d : nat) {struct n} : nat :=
  match d, n with O, _ => 1 | S _, O => 0 | S d', S n => comb n d' + comb n d end.

(** A function of a set. *)
Definition symmetric (f : list nat -> R) := forall s s', Permutation s s' -> f s = f s'.

Lemma symmetric_cons x f : symmetric f -> symmetric (fun s => f (x :: s)).
Proof. intros H s s' Hs. apply H. constructor; trivial. Qed.

Lemma choose_0 xs : choose 0 xs = [[]].
Proof. destruct xs; trivial. Qed.

Lemma choose_S d x xs f : sum (choose (S d) (x :: xs)) f = sum (choose d xs) (fun s => f (x :: s)) +
  sum (choose (S d) xs) f.
Proof. exact (eq_trans (sum_app _ _ f) (f_equal (fun y => y + _) (sum_map (cons x) _ f))). Qed.

Lemma choose_count xs : forall d, length (choose d xs) = comb (length xs) d.
Proof.
  induction xs as [|x xs IH]; intros [|d]; trivial. simpl. rewrite app_length, map_length, !IH. trivial.
Qed.

Lemma comb_pos n : forall d, (d <= n)%nat -> (1 <= comb n d)%nat.
Proof. induction n as [|n IH]; intros [|d] H; simpl; try lia. specialize (IH d). lia. Qed.

Lemma sum_plus {T} (xs : list T) f g : sum xs (fun x => f x + g x) = sum xs f + sum xs g.
Proof. induction xs as [|x xs IH]; simpl; [|rewrite IH]; ring. Qed.

Lemma sum_seq n f : sum (seq 0 (S n)) f = f 0%nat + sum (seq 0 n) (fun c => f (S c)).
Proof. rewrite <- cons_seq, <- seq_shift. simpl. rewrite sum_map. trivial. Qed.

Lemma choose_permutation xs ys : Permutation xs ys -> forall d f, symmetric f ->
  sum (choose d xs) f = sum (choose d ys) f.
Proof.
  induction 1 as [|x xs ys H IH|x y xs|xs ys zs H IH H' IH']; intros d f Hf; trivial.
  - destruct d as [|d]; trivial. simpl. rewrite !sum_app, !sum_map, (IH d) by (apply symmetric_cons; trivial).
    rewrite (IH (S d)); trivial.
  - destruct d as [|[|d]]; trivial; simpl; rewrite ?choose_0, !sum_app, !sum_map; simpl; [ring|].
    rewrite !sum_app, !sum_map.
    rewrite (sum_ext (choose d xs) (fun s => f (x :: y :: s)) (fun s => f (y :: x :: s))); [ring|].
    intros s _. apply Hf. constructor.
  - rewrite IH, IH'; trivial.
Qed.

(** A list without its c-th entry. *)
Definition cut (c : nat) (xs : list nat) := firstn c xs ++ skipn (S c) xs.

(** A set and one of its places, in both ways; a set and a place outside. *)
Lemma inside xs : forall d f, symmetric f ->
  sum (seq 0 (length xs)) (fun c => sum (choose d (cut c xs)) (fun s => f (nth c xs 0%nat :: s))) =
  INR (S d) * sum (choose (S d) xs) f.
Proof.
  induction xs as [|x xs IH]; intros d f Hf; [simpl; ring|]. cbn [length]. rewrite sum_seq.
  change (cut 0 (x :: xs)) with xs.
  change (fun c => sum (choose d (cut (S c) (x :: xs))) (fun s => f (nth (S c) (x :: xs) 0%nat :: s)))
    with (fun c => sum (choose d (x :: cut c xs)) (fun s => f (nth c xs 0%nat :: s))).
  cbn [nth]. destruct d as [|d].
  - rewrite (sum_ext (seq _ _) _ (fun c => sum (choose 0 (cut c xs)) (fun s => f (nth c xs 0%nat :: s))))
      by (intros c _; rewrite !choose_0; trivial).
    rewrite (IH 0%nat f Hf). cbn [choose]. rewrite sum_app, sum_map. simpl. ring.
  - cbn [choose]. rewrite (sum_ext (seq _ _) _ (fun c => sum (choose d (cut c xs)) (fun s => f (x :: nth c xs 0%nat
    :: s)) +
      sum (choose (S d) (cut c xs)) (fun s => f (nth c xs 0%nat :: s)))).
    + rewrite sum_plus, (IH (S d) f Hf), (IH d (fun s => f (x :: s)) (symmetric_cons x f Hf)).
      rewrite sum_app, sum_map, !S_INR. ring.
    + intros c _. rewrite sum_app, sum_map. f_equal. apply sum_ext. intros s _. apply Hf. constructor.
Qed.

Lemma outside xs : forall d f,
  sum (seq 0 (length xs)) (fun c => sum (choose d (cut c xs)) f) = (INR (length xs) - INR d) * sum (choose d xs) f.
Proof.
  induction xs as [|x xs IH]; intros d f; [destruct d; simpl; ring|]. cbn [length]. rewrite sum_seq.
  change (cut 0 (x :: xs)) with xs.
  change (fun c => sum (choose d (cut (S c) (x :: xs))) f) with (fun c => sum (choose d (x :: cut c xs)) f).
  destruct d as [|d].
  - rewrite choose_0, (sum_ext (seq _ _) _ (fun _ => f [])) by (intros c _; simpl; ring).
    rewrite sum_const, seq_length, S_INR. simpl. ring.
  - cbn [choose]. rewrite (sum_ext (seq _ _) _ (fun c => sum (choose d (cut c xs)) (fun s => f (x :: s)) +
      sum (choose (S d) (cut c xs)) f)) by (intros c _; rewrite sum_app, sum_map; trivial).
    rewrite sum_plus, !IH, sum_app, sum_map, !S_INR. ring.
Qed.

Lemma cut_length c xs : (c < length xs)%nat -> length (cut c xs) = (length xs - 1)%nat.
Proof. intro H. unfold cut. rewrite app_length, firstn_length, skipn_length. lia. Qed.

Local Lemma sum_one {T} (xs : list T) : sum xs (fun _ => 1) = INR (length xs).
Proof. rewrite sum_const. ring. Qed.

Lemma comb_inside n d : INR n * INR (comb (n - 1) d) = INR (S d) * INR (comb n (S d)).
Proof.
  pose proof (inside (seq 0 n) d (fun _ => 1) ltac:(intros ? ? ?; trivial)) as H.
  rewrite sum_one, choose_count, seq_length in H. rewrite <- H. symmetry.
  rewrite (sum_ext _ _ (fun _ => INR (comb (n - 1) d))), sum_const, seq_length; trivial.
  intros c Hc. apply in_seq in Hc. rewrite sum_one, choose_count, cut_length, seq_length; rewrite ?seq_length;
    trivial; lia.
Qed.

Lemma comb_outside n d : INR n * INR (comb (n - 1) d) = (INR n - INR d) * INR (comb n d).
Proof.
  pose proof (outside (seq 0 n) d (fun _ => 1)) as H. rewrite sum_one, choose_count, seq_length in H. rewrite <- H.
  symmetry. rewrite (sum_ext _ _ (fun _ => INR (comb (n - 1) d))), sum_const, seq_length; trivial.
  intros c Hc. apply in_seq in Hc. rewrite sum_one, choose_count, cut_length, seq_length; rewrite ?seq_length;
    trivial; lia.
Qed.

(** ** The shuffle makes each set equally likely *)

Local Lemma put_after pre : forall c y xs, put (length pre + c) y (pre ++ xs) = pre ++ put c y xs.
Proof. induction pre as [|x pre IH]; intros c y xs; trivial. exact (f_equal (cons x) (IH c y xs)). Qed.

Lemma swap_after pre c xs : swap (length pre) (length pre + c) (pre ++ xs) = pre ++ swap 0 c xs.
Proof.
  unfold swap. pose proof (app_nth2_plus pre xs 0%nat 0%nat) as H. pose proof (put_after pre 0) as H'.
  rewrite Nat.add_0_r in *. rewrite app_nth2_plus, H, H', put_after. trivial.
Qed.

Lemma swap_first c xs : (c < length xs)%nat ->
  exists ys, swap 0 c xs = nth c xs 0%nat :: ys /\ Permutation ys (cut c xs).
Proof.
  intro H. destruct xs as [|x xs]; simpl in H; [lia|]. destruct c as [|c]; [exists xs; split; trivial|].
  exists (put c x xs). split; trivial. apply Permutation_sym, (Permutation_middle (firstn c xs) _ x).
Qed.

Lemma shuffle_sets k d : forall pre xs F, (length pre + length xs = k - 1)%nat -> (d <= length xs)%nat ->
  symmetric (fun s => F (pre ++ s)) ->
  shuffle k (length pre) d (pre ++ xs) (fun zs => F (firstn (length pre + d) zs)) =
  sum (choose d xs) (fun s => F (pre ++ s)) / INR (comb (length xs) d).
Proof.
  induction d as [|d IH]; intros pre xs F Hk Hd HF.
  - cbn [shuffle ret E]. rewrite firstn_app, firstn_all2, Nat.add_sub_swap, Nat.sub_diag, choose_0 by lia.
    replace (comb (length xs) 0) with 1%nat by (destruct (length xs); trivial). simpl. field.
  - cbn [shuffle bind E]. replace (k - 1 - length pre)%nat with (length xs) by lia. rewrite pick_is by lia.
    rewrite (sum_ext _ _ (fun c => / INR (comb (length xs - 1) d) *
      sum (choose d (cut c xs)) (fun s => F (pre ++ nth c xs 0%nat :: s)) + 0 * 0)).
    + rewrite sum_linear, (inside xs d (fun s => F (pre ++ s)) HF). pose proof (comb_inside (length xs) d) as H.
      pose proof (lt_0_INR (length xs) ltac:(lia)). pose proof (lt_0_INR _ (comb_pos (length xs) (S d) Hd)).
      pose proof (lt_0_INR _ (comb_pos (length xs - 1) d ltac:(lia))).
      apply Rmult_eq_reg_r with (INR (length xs) * INR (comb (length xs - 1) d));
        [|apply Rmult_integral_contrapositive; split; lra].
      transitivity (INR (S d) * sum (choose (S d) xs) (fun s => F (pre ++ s))); [field; lra|]. rewrite H. field. lra.
    + intros c Hc. apply in_seq in Hc. destruct (swap_first c xs ltac:(lia)) as (ys & Hs & Hp).
      rewrite swap_after, Hs. set (y := nth c xs 0%nat) in *.
      replace (pre ++ y :: ys) with ((pre ++ [y]) ++ ys) by (rewrite <- app_assoc; trivial).
      replace (length pre + S d)%nat with (length (pre ++ [y]) + d)%nat by (rewrite app_length; simpl; lia).
      assert (symmetric (fun s => F ((pre ++ [y]) ++ s))) as HF'.
      { intros s s' Hs'. rewrite <- !app_assoc. apply HF. constructor; trivial. }
      assert (length ys = length xs - 1)%nat as Hl by (rewrite (Permutation_length Hp); apply cut_length; lia).
      replace (S (length pre)) with (length (pre ++ [y])) by (rewrite app_length; simpl; lia).
      rewrite IH, Hl, (choose_permutation _ _ Hp d _ HF') by (trivial; rewrite ?app_length; simpl; lia).
      rewrite (sum_ext _ _ (fun s => F (pre ++ y :: s))) by (intros s _; rewrite <- app_assoc; trivial).
      unfold Rdiv. ring.
Qed.

(** So are the sets of the entries after the first. *)
Lemma shuffle_rest k d xs h : (length xs = k - 1)%nat -> (d < length xs)%nat -> symmetric h ->
  shuffle k 0 (S d) xs (fun zs => h (tl (firstn (S d) zs))) = sum (choose d xs) h / INR (comb (length xs) d).
Proof.
  intros Hk Hd Hh. cbn [shuffle bind E]. replace (k - 1 - 0)%nat with (length xs) by lia. rewrite pick_is by lia.
  rewrite (sum_ext _ _ (fun c => / INR (comb (length xs - 1) d) * sum (choose d (cut c xs)) h + 0 * 0)).
  - rewrite sum_linear, outside. pose proof (comb_outside (length xs) d) as H.
    pose proof (lt_0_INR (length xs) ltac:(lia)). pose proof (lt_0_INR _ (comb_pos (length xs) d ltac:(lia))).
    pose proof (lt_0_INR _ (comb_pos (length xs - 1) d ltac:(lia))).
    apply Rmult_eq_reg_r with (INR (length xs) * INR (comb (length xs - 1) d));
      [|apply Rmult_integral_contrapositive; split; lra].
    transitivity ((INR (length xs) - INR d) * sum (choose d xs) h); [field; lra|]. rewrite H. field. lra.
  - intros c Hc. apply in_seq in Hc. destruct (swap_first c xs ltac:(lia)) as (ys & Hs & Hp).
    rewrite (swap_after [] c xs : swap 0 (0 + c) xs = swap 0 c xs), Hs. set (y := nth c xs 0%nat) in *.
    assert (length ys = length xs - 1)%nat as Hl by (rewrite (Permutation_length Hp); apply cut_length; lia).
    pose proof (shuffle_sets k d [y] ys (fun zs => h (tl zs)) ltac:(simpl; lia) ltac:(lia) Hh) as H.
    change (length [y]) with 1%nat in H. cbn [app tl Nat.add] in H. rewrite H.
    change (fun s => h s) with h. rewrite Hl, (choose_permutation _ _ Hp d h Hh). unfold Rdiv. ring.
Qed.

(** ** The law *)

Lemma sorted_set k s s' : Permutation s s' -> sorted k s = sorted k s'.
Proof.
  intro H. apply filter_ext. intro v. apply eq_true_iff_eq. rewrite !existsb_exists.
  split; intros (w & Hw & E); exists w; split; trivial; [apply (Permutation_in _ H)|apply (Permutation_in
    _ (Permutation_sym H))]; trivial.
Qed.

Lemma sorted_holds k s v : (v < k)%nat -> existsb (Nat.eqb v) (sorted k s) = existsb (Nat.eqb v) s.
Proof.
  intro Hv. apply eq_true_iff_eq. unfold sorted. rewrite existsb_exists. split.
  - intros (w & Hw & E). apply filter_In in Hw as [_ Hw]. apply Nat.eqb_eq in E as ->. trivial.
  - intro H. exists v. split; [|apply Nat.eqb_refl]. apply filter_In. split; trivial. apply in_seq. lia.
Qed.

Lemma others_length k i : (i < k)%nat -> length (others k i) = (k - 1)%nat.
Proof. intro H. unfold others. rewrite app_length, !seq_length. lia. Qed.

Lemma others_all k i : (i < k)%nat -> Permutation (seq 0 k) (i :: others k i).
Proof.
  intro H. unfold others. replace k with (i + (1 + (k - S i)))%nat at 1 by lia.
  rewrite seq_app. cbn [Nat.add seq]. apply Permutation_sym, Permutation_middle.
Qed.

Lemma others_not k i : ~ In i (others k i).
Proof. unfold others. rewrite in_app_iff, !in_seq. lia. Qed.

(** What a function comes to over the sets that hold i, over those that do not, and over all. *)
Definition holding k d i (f : list nat -> R) := sum (choose (d - 1) (others k i)) (fun s => f (sorted k (i :: s))).
Definition lacking k d i (f : list nat -> R) := sum (choose d (others k i)) (fun s => f (sorted k s)).
Definition all_sets k d (f : list nat -> R) := sum (choose d (seq 0 k)) (fun s => f (sorted k s)).

Local Lemma sorted_symmetric k (f : list nat -> R) : symmetric (fun s => f (sorted k s)).
Proof. intros s s' H. rewrite (sorted_set k s s' H). trivial. Qed.

Lemma all_sets_split k d i f : (i < k)%nat -> (1 <= d)%nat -> all_sets k d f = holding k d i f + lacking k d i f.
Proof.
  intros Hi Hd. unfold all_sets. rewrite (choose_permutation _ _ (others_all k i Hi)) by apply sorted_symmetric.
  destruct d as [|d]; [lia|]. rewrite choose_S. unfold holding, lacking.
  replace (S d - 1)%nat with d by lia. trivial.
Qed.

Local Lemma holds_self i s : existsb (Nat.eqb i) (i :: s) = true.
Proof. simpl. rewrite Nat.eqb_refl. trivial. Qed.

Local Lemma choose_sub xs : forall e s, In s (choose e xs) -> incl s xs.
Proof.
  induction xs as [|x xs IH]; intros [|e] s; simpl; try (intros [<-|[]]; intros y []); try tauto.
  rewrite in_app_iff, in_map_iff. intros [(s' & <- & Hs)|Hs] y Hy; simpl; [destruct Hy; [auto|]|]; right; eapply IH;
    eauto.
Qed.

Local Lemma lacks k i e s : In s (choose e (others k i)) -> existsb (Nat.eqb i) s = false.
Proof.
  intro H. apply not_true_iff_false. rewrite existsb_exists. intros (v & Hv & E). apply Nat.eqb_eq in E as <-.
  apply (others_not k i). apply (choose_sub _ _ _ H). trivial.
Qed.

Section Subset.
  Variables (k d : nat) (p : R).
  Hypotheses (Hd : (1 <= d < k)%nat) (Hp : INR d / INR k <= p <= 1).

  Local Lemma combs : 0 < INR d < INR k /\ 0 < INR (comb (k - 1) (d - 1)) /\ 0 < INR (comb (k - 1) d) /\
    INR (comb (k - 1) (d - 1)) = INR d / INR k * INR (comb k d) /\
    INR (comb (k - 1) d) = (INR k - INR d) / INR k * INR (comb k d).
  Proof.
    assert (0 < INR d < INR k) as H by (split; [apply lt_0_INR|apply lt_INR]; lia). split; trivial.
    split; [apply lt_0_INR, comb_pos; lia|]. split; [apply lt_0_INR, comb_pos; lia|].
    pose proof (comb_inside k (d - 1)) as H1. pose proof (comb_outside k d) as H2.
    replace (S (d - 1)) with d in H1 by lia. split; apply Rmult_eq_reg_l with (INR k); try lra.
    - rewrite H1. field. lra.
    - rewrite H2. field. lra.
  Qed.

  Local Lemma shares : 0 < INR d / INR k < 1 /\ 0 < p <= 1.
  Proof.
    pose proof combs as (H & _). assert (0 < INR d / INR k) by (apply Rdiv_lt_0_compat; lra).
    assert (INR d / INR k < 1) by (apply Rmult_lt_reg_r with (INR k); [lra|]; unfold Rdiv;
      rewrite Rmult_assoc, Rinv_l; lra). lra.
  Qed.

  (** One answer, at any probability: the truth is held or not, and given either the set is uniform. *)
  Lemma place_law r i f : 0 <= r <= 1 -> (i < k)%nat -> bounded f ->
    (xs <- shuffle k 0 d (others k i) ;; honest <- flip r ;;
      ret (sorted k (firstn d (if honest then put 0 i xs else xs)))) f =
    r / INR (comb (k - 1) (d - 1)) * holding k d i f + (1 - r) / INR (comb (k - 1) d) * lacking k d i f.
  Proof.
    intros Hr Hi [M HM]. cbn [bind ret E].
    transitivity (shuffle k 0 d (others k i) (fun xs => r * f (sorted k (i :: tl (firstn d xs))) +
      (1 - r) * f (sorted k (firstn d xs)))).
    - apply E_ext; [exists M; intro; apply E_within; intro; apply HM|]. intro xs. rewrite flip_is by trivial.
      destruct d as [|d']; [lia|]. destruct xs; simpl; rewrite ?firstn_nil; trivial.
    - rewrite E_linear by (exists M; intro; apply HM). pose proof (others_length k i Hi) as Hl.
      destruct d as [|d'] eqn:E; [lia|]. replace (S d' - 1)%nat with d' by lia.
      rewrite (shuffle_rest k d' (others k i) (fun s => f (sorted k (i :: s)))); rewrite ?Hl; try lia;
        [|apply (symmetric_cons i (fun s => f (sorted k s))), sorted_symmetric].
      pose proof (shuffle_sets k (S d') [] (others k i) (fun s => f (sorted k s)) ltac:(simpl;
        lia) ltac:(lia) (sorted_symmetric k f)) as H.
      cbn [length app Nat.add] in H. rewrite H, Hl. unfold holding, lacking. replace (S d' - 1)%nat with d' by lia.
      unfold Rdiv. ring.
  Qed.

  Theorem subset_law i f : (i < k)%nat -> bounded f -> subset k d p (Some i) f =
    p / INR (comb (k - 1) (d - 1)) * holding k d i f + (1 - p) / INR (comb (k - 1) d) * lacking k d i f.
  Proof.
    intros Hi Hf. unfold subset. cbn [bind E]. rewrite E_const. apply (place_law p i f); trivial.
    pose proof shares. lra.
  Qed.

  (** The set of any other answer is uniform. *)
  Theorem subset_foreign f : bounded f -> subset k d p None f = all_sets k d f / INR (comb k d).
  Proof.
    intro Hf. pose proof combs as (H1 & H2 & H3 & H4 & H5). pose proof shares as (H6 & _).
    assert (0 < INR (comb k d)) by (apply lt_0_INR, comb_pos; lia).
    unfold subset. cbn [bind E]. rewrite pick_is by lia. rewrite (sum_ext _ _ (fun _ => all_sets k d f / INR (comb k
      d))).
    - rewrite sum_const, seq_length. field. lra.
    - intros i Hi. apply in_seq in Hi. rewrite (all_sets_split k d i) by lia.
      etransitivity; [apply (place_law (INR d / INR k) i f); trivial; lra || lia|]. rewrite H4, H5. field. lra.
  Qed.

  Local Lemma least_most : (1 - p) / INR (comb (k - 1) d) <= / INR (comb k d) <= p / INR (comb (k - 1) (d - 1)).
  Proof.
    pose proof combs as (H1 & H2 & H3 & H4 & H5). pose proof shares as (H6 & H7).
    assert (0 < INR (comb k d)) as H by (apply lt_0_INR, comb_pos; lia). rewrite H4, H5.
    assert ((INR k - INR d) / INR k = 1 - INR d / INR k) as -> by (field; lra).
    set (r := INR d / INR k) in *. clearbody r. set (c := INR (comb k d)) in *. clearbody c.
    split; (apply Rmult_le_reg_r with c; [trivial|]); rewrite Rinv_l by lra.
    - replace ((1 - p) / ((1 - r) * c) * c) with ((1 - p) / (1 - r)) by (field; lra).
      apply Rmult_le_reg_r with (1 - r); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
    - replace (p / (r * c) * c) with (p / r) by (field; lra).
      apply Rmult_le_reg_r with r; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
  Qed.

  Local Lemma between_sets x f : (forall i, x = Some i -> i < k)%nat -> test f ->
    (1 - p) / INR (comb (k - 1) d) * all_sets k d f <= subset k d p x f <=
      p / INR (comb (k - 1) (d - 1)) * all_sets k d f.
  Proof.
    intros Hx Hf. pose proof least_most. assert (forall i, 0 <= holding k d i f /\ 0 <= lacking k d i f) as Hn
      by (intro i; split; apply sum_nonneg; intro; apply Hf).
    destruct x as [i|].
    - specialize (Hx i eq_refl). specialize (Hn i). rewrite subset_law, (all_sets_split k d i) by (auto with
      law || lia). nra.
    - rewrite subset_foreign by auto with law.
      assert (0 <= all_sets k d f) by (apply sum_nonneg; intro; apply Hf). unfold Rdiv at 2. nra.
  Qed.

  Definition subset_loss := ln (p * (INR k - INR d) / ((1 - p) * INR d)).

  Local Lemma ratio : p < 1 -> p * (INR k - INR d) / ((1 - p) * INR d) =
    p / INR (comb (k - 1) (d - 1)) / ((1 - p) / INR (comb (k - 1) d)).
  Proof.
    intro. pose proof combs as (H1 & H2 & H3 & H4 & H5). assert (0 < INR (comb k d)) by (apply lt_0_INR, comb_pos;
      lia).
    rewrite H4, H5. field. lra.
  Qed.

  (** Any two answers, inside the categories or not. *)
  Theorem subset_dp : p < 1 -> dp (answers k) subset_loss 0 (subset k d p).
  Proof.
    intros Hlt x x' Hx. pose proof combs as (_ & H2 & H3 & _). pose proof shares. unfold subset_loss.
      rewrite ratio by trivial.
    apply sandwich with (S := all_sets k d); try (apply Rdiv_lt_0_compat; lra); intros f Hf; apply between_sets;
      trivial;
      intros i ->; apply Hx; auto.
  Qed.

  (** The sets that hold i and not j tell most: each has the greatest probability under i, the least under j. *)
  Definition tells i j (s : list nat) := (existsb (Nat.eqb i) s && negb (existsb (Nat.eqb j) s))%bool.

  Lemma tells_law i j : (i < k)%nat -> (j < k)%nat ->
    Pr (subset k d p (Some i)) (tells i j) = p / INR (comb (k - 1) (d - 1)) * all_sets k d (event (tells i j)) /\
    Pr (subset k d p (Some j)) (tells i j) = (1 - p) / INR (comb (k - 1) d) * all_sets k d (event (tells i j)).
  Proof.
    intros Hi Hj. unfold Pr. rewrite !subset_law by auto with law.
    rewrite (all_sets_split k d i) at 1 by lia. rewrite (all_sets_split k d j) by lia.
    assert (lacking k d i (event (tells i j)) = 0) as ->.
    { transitivity (sum (choose d (others k i)) (fun _ => 0)); [|rewrite sum_const; ring]. apply sum_ext. intros s Hs.
      unfold event, tells. rewrite sorted_holds, (lacks k i d s Hs) by trivial. trivial. }
    assert (holding k d j (event (tells i j)) = 0) as ->; [|split; ring].
    transitivity (sum (choose (d - 1) (others k j)) (fun _ => 0)); [|rewrite sum_const; ring]. apply sum_ext.
      intros s Hs.
    unfold event, tells. rewrite (sorted_holds k _ j), holds_self, andb_false_r by trivial. trivial.
  Qed.

  Lemma tells_occurs i j : (i < k)%nat -> (j < k)%nat -> i <> j -> 0 < all_sets k d (event (tells i j)).
  Proof.
    intros Hi Hj Hij. destruct (in_split j (others k i)) as (a & b & Hab).
    { pose proof (others_all k i Hi) as H. apply Permutation_in with (x := j) in H; [|apply in_seq; lia].
      destruct H; [lia|trivial]. }
    unfold all_sets. rewrite (choose_permutation (seq 0 k) (i :: j :: a ++ b));
      [|rewrite (others_all k i Hi), Hab|apply sorted_symmetric].
    2: { constructor. apply Permutation_sym, Permutation_middle. }
    assert (length (a ++ b) = k - 2)%nat as Hl.
    { pose proof (others_length k i Hi) as H. rewrite Hab in H. rewrite app_length in *. simpl in H. lia. }
    destruct d as [|d'] eqn:E; [lia|]. rewrite choose_S.
    assert (forall e xs, 0 <= sum (choose e xs) (fun s => event (tells i j) (sorted k s))) as Hn by (intros;
      apply sum_nonneg; intro; apply test_event).
    assert (INR (comb (k - 2) d') <= sum (choose d' (j :: a ++ b)) (fun s => event (tells i j) (sorted k (i :: s)))).
    - rewrite <- Hl, <- choose_count, <- sum_one.
      assert (sum (choose d' (a ++ b)) (fun _ => 1) = sum (choose d' (a ++
        b)) (fun s => event (tells i j) (sorted k (i :: s)))) as ->.
      { apply sum_ext. intros s Hs. unfold event, tells. rewrite !sorted_holds, holds_self by trivial. simpl.
        destruct (Nat.eqb_spec j i); [lia|]. simpl. destruct (existsb (Nat.eqb j) s) eqn:Hex; trivial. exfalso.
        apply existsb_exists in Hex as (v & Hv & Ev). apply Nat.eqb_eq in Ev as <-. apply (choose_sub _ _ _ Hs) in Hv.
        assert (NoDup (others k i)) as Hnd.
        { pose proof (Permutation_NoDup (others_all k i Hi) (seq_NoDup k 0)) as H. inversion H; trivial. }
        rewrite Hab in Hnd. apply NoDup_remove_2 in Hnd. contradiction. }
      destruct d' as [|d'']; [rewrite !choose_0; lra|]. rewrite choose_S.
      pose proof (sum_nonneg (choose d'' (a ++ b)) (fun s => event (tells i j) (sorted k (i :: j :: s))) ltac:(intro;
        apply test_event)). lra.
    - pose proof (lt_0_INR _ (comb_pos (k - 2) d' ltac:(lia))). specialize (Hn (S d') (j :: a ++ b)). lra.
  Qed.

  Theorem subset_tight eps i j : p < 1 -> (i < k)%nat -> (j < k)%nat -> i <> j ->
    close eps 0 (subset k d p (Some i)) (subset k d p (Some j)) -> subset_loss <= eps.
  Proof.
    intros Hlt Hi Hj Hij H. pose proof combs as (_ & H2 & H3 & _). pose proof shares.
      pose proof (tells_occurs i j Hi Hj Hij) as Ho.
    destruct (tells_law i j Hi Hj) as [Hl Hr]. assert (0 < p / INR (comb (k - 1) (d - 1)) /\
      0 < (1 - p) / INR (comb (k - 1) d)) as [P1 P2]
      by (split; apply Rdiv_lt_0_compat; lra).
    apply least_loss with (A := tells i j) in H; rewrite ?Hl, ?Hr in *; try (apply Rmult_lt_0_compat; trivial).
    unfold subset_loss. rewrite ratio by trivial. revert H.
    set (a := p / _) in *. set (b := (1 - p) / _) in *. set (c := all_sets _ _ _) in *. clearbody a b c.
    replace (a * c / (b * c)) with (a / b) by (field; lra). trivial.
  Qed.

  (** At p = 1 no finite loss will do. *)
  Theorem subset_infinite eps i j : p = 1 -> (i < k)%nat -> (j < k)%nat -> i <> j ->
    ~ close eps 0 (subset k d p (Some i)) (subset k d p (Some j)).
  Proof.
    intros H1 Hi Hj Hij H. pose proof combs as (_ & H2 & _). pose proof (tells_occurs i j Hi Hj Hij) as Ho.
    destruct (tells_law i j Hi Hj) as [Hl Hr]. apply least_delta with (A := tells i j) in H;
      rewrite ?Hl, ?Hr, H1 in *; [|unfold Rdiv; ring].
    assert (0 < 1 / INR (comb (k - 1) (d - 1))) by (apply Rdiv_lt_0_compat; lra). nra.
  Qed.

  (** How likely a set holds a category: the truth, and any other. *)
  Definition subset_other := (p * (INR d - 1) + (1 - p) * INR d) / (INR k - 1).

  Theorem subset_support i v : (i < k)%nat -> (v < k)%nat ->
    Pr (subset k d p (Some i)) (existsb (Nat.eqb v)) = if Nat.eqb v i then p else subset_other.
  Proof.
    intros Hi Hv. pose proof combs as (H1 & H2 & H3 & _). unfold Pr. rewrite subset_law by auto with law.
    destruct (Nat.eqb_spec v i) as [->|Hvi].
    - assert (holding k d i (event (existsb (Nat.eqb i))) = INR (comb (k - 1) (d - 1))) as ->.
      { rewrite <- (others_length k i Hi), <- choose_count, <- sum_one. apply sum_ext. intros s _. unfold event.
        rewrite sorted_holds, holds_self by trivial. trivial. }
      assert (lacking k d i (event (existsb (Nat.eqb i))) = 0) as ->; [|field; lra].
      transitivity (sum (choose d (others k i)) (fun _ => 0)); [|rewrite sum_const; ring]. apply sum_ext. intros s Hs.
      unfold event. rewrite sorted_holds, (lacks k i d s Hs) by trivial. trivial.
    - destruct (in_split v (others k i)) as (a & b & Hab).
      { pose proof (others_all k i Hi) as H. apply Permutation_in with (x := v) in H; [|apply in_seq; lia].
        destruct H; [lia|trivial]. }
      assert (Permutation (others k i) (v :: a ++ b)) as Hpm by (rewrite Hab;
        apply Permutation_sym, Permutation_middle).
      assert (length (a ++ b) = k - 2)%nat as Hl.
      { pose proof (others_length k i Hi) as H. rewrite (Permutation_length Hpm) in H. simpl in H. lia. }
      assert (NoDup (v :: a ++ b)) as Hnd.
      { apply (Permutation_NoDup Hpm). pose proof (Permutation_NoDup (others_all k i Hi) (seq_NoDup k 0)) as H.
        inversion H; trivial. }
      apply NoDup_cons_iff in Hnd as [Hnd _].
      assert (forall e F, (forall s, F s = if existsb (Nat.eqb v) s then 1 else 0) ->
        (INR k - 1) * sum (choose e (others k i)) F = INR e * INR (comb (k - 1) e)) as K.
      { intros e F HF. rewrite (choose_permutation _ _ Hpm).
        2: { intros s s' Hs. rewrite !HF. replace (existsb (Nat.eqb v) s') with (existsb (Nat.eqb v) s); trivial.
             rewrite <- (sorted_holds k s v Hv), <- (sorted_holds k s' v Hv), (sorted_set k s s' Hs). trivial. }
        destruct e as [|e]; [rewrite choose_0; cbn [sum]; rewrite HF; simpl; ring|]. rewrite choose_S.
        rewrite (sum_ext (choose e _) _ (fun _ => 1)) by (intros; rewrite HF, holds_self; trivial).
        rewrite (sum_ext (choose (S e) _) _ (fun _ => 0)).
        - rewrite sum_one, sum_const, choose_count, Hl. pose proof (comb_inside (k - 1) e) as H.
          replace (k - 1 - 1)%nat with (k - 2)%nat in H by lia. rewrite <- H, minus_INR by lia. simpl. ring.
        - intros s Hs. rewrite HF. destruct (existsb (Nat.eqb v) s) eqn:Hex; trivial. exfalso.
          apply existsb_exists in Hex as (w & Hw & Ew). apply Nat.eqb_eq in Ew as <-.
            apply (choose_sub _ _ _ Hs) in Hw. contradiction. }
      pose proof (K (d - 1)%nat (fun s => event (existsb (Nat.eqb v)) (sorted k (i :: s)))) as Kh.
      pose proof (K d (fun s => event (existsb (Nat.eqb v)) (sorted k s))) as Kl.
      change (sum (choose (d - 1) (others k i)) _) with (holding k d i (event (existsb (Nat.eqb v)))) in Kh.
      change (sum (choose d (others k i)) _) with (lacking k d i (event (existsb (Nat.eqb v)))) in Kl.
      assert (0 < INR k - 1) as Hk1 by (pose proof (lt_INR 1 k ltac:(lia)) as H; simpl in H; lra).
      unfold subset_other. apply Rmult_eq_reg_l with (INR k - 1); [|lra].
      replace ((INR k - 1) * ((p * (INR d - 1) + (1 - p) * INR d) / (INR k - 1))) with (p * (INR d - 1) +
        (1 - p) * INR d) by (field; lra).
      rewrite minus_INR in Kh by lia. simpl (INR 1) in Kh.
      transitivity (p / INR (comb (k - 1) (d - 1)) * ((INR k - 1) * holding k d i (event (existsb (Nat.eqb v)))) +
        (1 - p) / INR (comb (k - 1) d) * ((INR k - 1) * lacking k d i (event (existsb (Nat.eqb v))))); [ring|].
      rewrite Kh, Kl; [field; lra| |]; intro s; unfold event; rewrite sorted_holds by trivial; trivial.
      simpl. destruct (Nat.eqb_spec v i); [lia|trivial].
  Qed.

  (** An estimate from one set is right on average; so is the sum of any number, as E is linear. *)
  Theorem subset_unbiased i v : INR d / INR k < p -> (i < k)%nat -> (v < k)%nat ->
    subset k d p (Some i) (fun s => (event (existsb (Nat.eqb v)) s - subset_other) / (p - subset_other)) =
      event (Nat.eqb v) i.
  Proof.
    intros Hlt Hi Hv. pose proof combs as (H1 & _).
    assert (0 < INR k - 1) as Hk1 by (pose proof (lt_INR 1 k ltac:(lia)) as H; simpl in H; lra).
    assert (0 < p - subset_other) as Hpos.
    { unfold subset_other. apply Rmult_lt_reg_r with (INR k - 1); trivial. rewrite Rmult_0_l.
      replace ((p - (p * (INR d - 1) + (1 - p) * INR d) / (INR k - 1)) * (INR k - 1)) with (p * INR k - INR d) by
        (field; lra).
      apply Rmult_lt_compat_r with (r := INR k) in Hlt; [|lra]. unfold Rdiv in Hlt.
        rewrite Rmult_assoc, Rinv_l in Hlt; lra. }
    set (w := subset_other) in *. assert (w = subset_other) as Hw by reflexivity. clearbody w.
    transitivity (subset k d p (Some i) (fun s => / (p - w) * event (existsb (Nat.eqb v)) s + - (w / (p - w)) * 1)).
    - f_equal. apply FunctionalExtensionality.functional_extensionality. intro s. field. lra.
    - rewrite E_linear, E_one by auto with law. fold (Pr (subset k d p (Some i)) (existsb (Nat.eqb v))).
      rewrite subset_support, <- Hw by trivial. unfold event. destruct (Nat.eqb v i); field; lra.
  Qed.

  (** The greatest p within a budget. *)
  Theorem subset_within eps : p < 1 ->
    subset_loss <= eps <-> p <= 1 / (1 + exp (- eps) * ((INR k - INR d) / INR d)).
  Proof.
    intro Hlt. pose proof combs as (H1 & _). pose proof shares as (_ & H2). unfold subset_loss.
    pose proof (exp_pos eps) as He. rewrite ln_le_exp by (apply Rdiv_lt_0_compat; nra). rewrite exp_Ropp.
    set (x := exp eps) in *. clearbody x. assert (0 < / x) as Hx by (apply Rinv_0_lt_compat; lra).
    set (y := / x * ((INR k - INR d) / INR d)). assert (0 < y) as Hy by (apply Rmult_lt_0_compat;
      [|apply Rdiv_lt_0_compat]; lra).
    assert (1 / (1 + y) * (1 + y) = 1) as H3 by (field; lra).
    assert (p * (1 + y) = p + p * (INR k - INR d) / ((1 - p) * INR d) * (/ x * (1 - p))) as H4 by (unfold y; field;
      lra).
    assert (x * (/ x * (1 - p)) = 1 - p) as H5 by (field; lra). split; intro H.
    - apply Rmult_le_reg_r with (1 + y); [lra|]. rewrite H3, H4.
      apply Rmult_le_compat_r with (r := / x * (1 - p)) in H; [lra|nra].
    - apply Rmult_le_compat_r with (r := 1 + y) in H; [|lra]. rewrite H3, H4 in H.
      apply Rmult_le_reg_r with (/ x * (1 - p)); [nra|lra].
  Qed.
End Subset.

(** Up to a factor, the variance that sets of size d leave, at the greatest p within a budget of ln e. *)
Definition subset_noise (e k d : R) := (d * e + k - d) ^ 2 / (d * (k - d)).

(** A size is as good as the next or better where this holds. *)
Theorem subset_size e k a : 0 < a -> a + 1 < k ->
  subset_noise e k a <= subset_noise e k (a + 1) <-> (k - a) * (k - a - 1) <= a * (a + 1) * e ^ 2.
Proof.
  intros Ha Hk. unfold subset_noise.
  assert (subset_noise e k (a + 1) - subset_noise e k a =
    k * (a * (a + 1) * e ^ 2 - (k - a) * (k - a - 1)) / (a * (k - a) * ((a + 1) * (k - (a + 1))))) as H
    by (unfold subset_noise; field; lra).
  unfold subset_noise in H. assert (0 < a * (k - a) * ((a + 1) * (k - (a + 1)))) as Hpos by
    (repeat apply Rmult_lt_0_compat; lra).
  split; intro H1.
  - apply Rnot_lt_le. intro H2. assert (k * (a * (a + 1) * e ^ 2 - (k - a) * (k - a - 1)) / (a * (k - a) * ((a +
    1) * (k - (a + 1)))) < 0); [|lra].
    apply Rmult_lt_reg_r with (1 := Hpos). unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. nra.
  - enough (0 <= k * (a * (a + 1) * e ^ 2 - (k - a) * (k - a - 1)) / (a * (k - a) * ((a + 1) * (k - (a + 1))))) by
    lra.
    apply Rmult_le_pos; [nra|left; apply Rinv_0_lt_compat; trivial].
Qed.
