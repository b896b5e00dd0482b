(** Several quantiles, each cut between those that were cut before it: what one person moves all of them, together. *)
From Coq Require Import Reals Lra Lia List.
From Discreet Require Import Law Cuts.
Import ListNotations.
Open Scope R_scope.

(** The cuts between bins x and y. *)
Definition between_bins (x y : nat) (F : list R) : list R := firstn (y - x) (skipn x F).

(** The quantile N / M whose turn it is, with its move v, and then those before it and those after it. *)
Inductive turns := Done | Turn (before : turns) (M N v : R) (after : turns).

(** Bins from x to y, in the order of the quantiles. A cut between x and y is never beyond y. *)
Fixpoint nested (s : R) (h : list nat) (x y : nat) (t : turns) : law (list nat) :=
  match t with
  | Done => ret []
  | Turn before M N v after =>
      j <- cut_bin (M * s) (between_bins x y (ranks M N v h)) ;;
      lower <- nested s h x (x + Nat.min j (y - x)) before ;;
      upper <- nested s h (x + Nat.min j (y - x)) y after ;;
      ret (lower ++ (x + Nat.min j (y - x))%nat :: upper)
  end.
Definition all_nested (s : R) (t : turns) (h : list nat) : law (list nat) := nested s h 0 (pred (length h)) t.

Fixpoint proper (t : turns) : Prop :=
  match t with Done => True | Turn before M N v after => proper before /\ 0 < M /\ 0 <= N <= M /\ proper after end.
(** The sum of all q, and of all 1 - q. *)
Fixpoint share_below (t : turns) : R :=
  match t with Done => 0 | Turn before M N v after => share_below before + N / M + share_below after end.
Fixpoint share_above (t : turns) : R :=
  match t with Done => 0 | Turn before M N v after => share_above before + (1 - N / M) + share_above after end.
(** The most ranks by which one person moves all of them. *)
Fixpoint most_moved (t : turns) : R :=
  match t with
  | Done => 0
  | Turn before M N v after =>
      Rmax (2 * (N / M)) (2 - 2 * (N / M)) +
      Rmax (most_moved before + 2 * share_above after) (2 * share_below before + most_moved after)
  end.

(** ** A person and the cuts between two bins *)

Lemma joined_skipn g d x : forall p F, skipn x (joined p g d F) = joined (p - x) g d (skipn x F).
Proof.
  induction x as [|x IH]; intros p F; [rewrite Nat.sub_0_r; trivial|]. destruct F as [|a F].
  - unfold joined. rewrite !skipn_nil, !firstn_nil. trivial.
  - destruct p as [|p].
    + change (joined 0 g d (a :: F)) with ((a + g) :: joined 0 g d F). cbn [skipn]. rewrite IH. trivial.
    + change (joined (S p) g d (a :: F)) with ((a - d) :: joined p g d F). cbn [skipn Nat.sub]. apply IH.
Qed.
Lemma joined_firstn g d n : forall p F, firstn n (joined p g d F) = joined p g d (firstn n F).
Proof.
  induction n as [|n IH]; intros p F; [unfold joined; rewrite !firstn_O, firstn_nil, skipn_nil; trivial|].
  destruct F as [|a F]; [unfold joined; rewrite !firstn_nil, skipn_nil; trivial|]. destruct p as [|p].
  - change (joined 0 g d (a :: F)) with ((a + g) :: joined 0 g d F). cbn [firstn]. rewrite IH. trivial.
  - change (joined (S p) g d (a :: F)) with ((a - d) :: joined p g d F). cbn [firstn]. rewrite IH. trivial.
Qed.
Lemma joined_between g d p x y F : between_bins x y (joined p g d F) = joined (p - x) g d (between_bins x y F).
Proof. unfold between_bins. rewrite joined_skipn, joined_firstn. trivial. Qed.

(** A person in bin p more, in one or the other. *)
Definition person_at (p : nat) (h h' : list nat) :=
  exists A x B, length A = p /\ ((h = A ++ x :: B /\ h' = A ++ S x :: B) \/ (h = A ++ S x :: B /\ h' = A ++ x :: B)).

Section Choice.
  Variables (s M N v : R) (p x y : nat) (h h' : list nat).
  Hypotheses (Hs : 0 < s) (HM : 0 < M) (HN : 0 <= N <= M) (H : person_at p h h').

  Local Definition choice_of h := cut_bin (M * s) (between_bins x y (ranks M N v h)).

  Lemma choice_close g d : 0 <= g -> 0 <= d ->
    (forall F, (length F <= y - x)%nat -> joined (p - x) (M - N) N F = joined (p - x) g d F) ->
    close (2 * Rmax (g / M) (d / M) / s) 0 (choice_of h) (choice_of h').
  Proof.
    intros Hg Hd K. assert (0 < / M) by (apply Rinv_0_lt_compat; trivial).
    replace (2 * Rmax (g / M) (d / M) / s) with (2 * Rmax g d / (M * s)).
    2: { unfold Rdiv. rewrite !(Rmult_comm _ (/ M)), RmaxRmult by lra. field. lra. }
    apply (cut_dp (M * s) g d); trivial; [apply Rmult_lt_0_compat; trivial|]. exists (p - x)%nat.
    assert (forall F : list R, (length (between_bins x y F) <= y - x)%nat) as L by (intro F; apply firstn_le_length).
    destruct H as (A & c & B & <- & E).
    destruct E as [[-> ->]|[-> ->]]; [left|right]; rewrite ranks_joined, joined_between; apply K, L.
  Qed.

  Lemma choice_any : close (Rmax (2 * (N / M)) (2 - 2 * (N / M)) / s) 0 (choice_of h) (choice_of h').
  Proof.
    replace (Rmax (2 * (N / M)) (2 - 2 * (N / M)) / s) with (2 * Rmax ((M - N) / M) (N / M) / s).
    - apply choice_close; trivial; lra.
    - rewrite <- RmaxRmult by lra. rewrite Rmax_comm. unfold Rdiv. do 2 f_equal. field. lra.
  Qed.
  Lemma choice_lower : (p <= x)%nat -> close (2 * (1 - N / M) / s) 0 (choice_of h) (choice_of h').
  Proof.
    intro Hp. replace (2 * (1 - N / M) / s) with (2 * Rmax ((M - N) / M) (0 / M) / s).
    - apply choice_close; try lra. intros F _. replace (p - x)%nat with 0%nat by lia. trivial.
    - rewrite Rmax_left; [field; lra|]. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat|]; lra.
  Qed.
  Lemma choice_upper : (y <= p)%nat -> close (2 * (N / M) / s) 0 (choice_of h) (choice_of h').
  Proof.
    intro Hp. replace (2 * (N / M) / s) with (2 * Rmax (0 / M) (N / M) / s).
    - apply choice_close; try lra. intros F HF. rewrite !joined_all by lia. trivial.
    - rewrite Rmax_right; [field; lra|]. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat|]; lra.
  Qed.
End Choice.

(** ** All of them *)

Section Nested.
  Variables (s : R) (p : nat) (h h' : list nat).
  Hypotheses (Hs : 0 < s) (H : person_at p h h').

  Lemma turn_close e1 e M N v x y before after :
    close e1 0 (choice_of s M N v x y h) (choice_of s M N v x y h') ->
    (forall z, (x <= z <= y)%nat -> exists e2 e3, e1 + e2 + e3 <= e /\
      close e2 0 (nested s h x z before) (nested s h' x z before) /\
      close e3 0 (nested s h z y after) (nested s h' z y after)) -> (x <= y)%nat ->
    close e 0 (nested s h x y (Turn before M N v after)) (nested s h' x y (Turn before M N v after)).
  Proof.
    intros H1 H2 Hxy. cbn [nested]. apply close_weaken with (e1 + (e - e1)) (0 + 0); try lra.
    apply composition; [exact H1|]. intro j. set (z := (x + Nat.min j (y - x))%nat).
    destruct (H2 z ltac:(unfold z; lia)) as (f2 & f3 & Hf & K2 & K3).
    apply close_weaken with (f2 + (f3 + 0)) (0 + (0 + 0)); try lra.
    apply composition; [exact K2|]. intro lower. apply composition; [exact K3|]. intro upper. apply close_refl.
  Qed.

  Theorem nested_close t : proper t -> forall x y, (x <= y)%nat ->
    close (most_moved t / s) 0 (nested s h x y t) (nested s h' x y t) /\
    ((p <= x)%nat -> close (2 * share_above t / s) 0 (nested s h x y t) (nested s h' x y t)) /\
    ((y <= p)%nat -> close (2 * share_below t / s) 0 (nested s h x y t) (nested s h' x y t)).
  Proof.
    assert (0 < / s) as Hi by (apply Rinv_0_lt_compat; trivial).
    induction t as [|before IH M N v after IH']; intros Ht x y Hxy.
    - cbn. repeat split; intros; apply close_weaken with 0 0; try apply close_refl; try lra; unfold Rdiv; lra.
    - destruct Ht as (Hb & HM & HN & Ha). specialize (IH Hb). specialize (IH' Ha). repeat split; [|intro Hp|intro Hp].
      + eapply turn_close; [apply choice_any with (p := p)|..]; trivial. intros z Hz.
        destruct (IH x z ltac:(lia)) as (B1 & _ & B3). destruct (IH' z y ltac:(lia)) as (A1 & A2 & _).
        cbn [most_moved]. set (m := Rmax (2 * (N / M)) _). destruct (le_lt_dec p z) as [Hp|Hp].
        * exists (most_moved before / s), (2 * share_above after / s). repeat split; auto. unfold Rdiv.
          pose proof (Rmax_l (most_moved before + 2 * share_above after) (2 * share_below before + most_moved after)). nra.
        * exists (2 * share_below before / s), (most_moved after / s). repeat split; auto; [|apply B3; lia]. unfold Rdiv.
          pose proof (Rmax_r (most_moved before + 2 * share_above after) (2 * share_below before + most_moved after)). nra.
      + eapply turn_close; [apply choice_lower with (p := p)|..]; trivial. intros z Hz.
        destruct (IH x z ltac:(lia)) as (_ & B2 & _). destruct (IH' z y ltac:(lia)) as (_ & A2 & _).
        exists (2 * share_above before / s), (2 * share_above after / s). repeat split; [|auto|apply A2; lia].
        cbn [share_above]. unfold Rdiv. lra.
      + eapply turn_close; [apply choice_upper with (p := p)|..]; trivial. intros z Hz.
        destruct (IH x z ltac:(lia)) as (_ & _ & B3). destruct (IH' z y ltac:(lia)) as (_ & _ & A3).
        exists (2 * share_below before / s), (2 * share_below after / s). repeat split; [|apply B3; lia|auto].
        cbn [share_below]. unfold Rdiv. lra.
  Qed.
End Nested.

Theorem nested_dp s t : 0 < s -> proper t -> dp one_person (most_moved t / s) 0 (all_nested s t).
Proof.
  intros Hs Ht h h' (A & x & B & H). unfold all_nested.
  assert (length h = length h') as <- by (destruct H as [[-> ->]|[-> ->]]; rewrite !app_length; trivial).
  apply (nested_close s (length A) h h'); trivial; [|lia]. exists A, x, B. auto.
Qed.
