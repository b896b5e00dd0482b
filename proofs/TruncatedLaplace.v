(** Truncated discrete Laplace noise: what comes out where the other side's cannot is in delta, and all of delta is. *)
From Coq Require Import ZArith Reals Lra Lia List Bool.
From Discreet Require Import Law Laplace KeepAbove.
Import ListNotations.
Open Scope R_scope.

(** ** Laws given an event *)

Lemma bounded_event {T} (A : T -> bool) f : bounded f -> bounded (fun x => event A x * f x).
Proof. intros [M HM]. exists M. intro x. specialize (HM x). unfold event. destruct (A x); lra. Qed.
#[export] Hint Resolve bounded_event : law.

Definition given {T} (P : law T) (A : T -> bool) : law T.
Proof.
  refine (match Rlt_dec 0 (Pr P A) with
    left H => Law (fun f => P (fun x => event A x * f x) / Pr P A) _ _ _ | right _ => P end).
  - intros a b f g Hf Hg. rewrite (E_ext P _ (fun x => a * (event A x * f x) + b * (event A x * g x))) by (auto with law; intro; ring).
    rewrite E_linear by auto with law. field. lra.
  - intros f g Hf Hg Hfg. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; trivial|].
    apply E_le; auto with law. intro x. specialize (Hfg x). unfold event. destruct (A x); lra.
  - rewrite (E_ext P _ (event A)) by (auto with law; intro; ring). fold (Pr P A). field. lra.
Defined.

(** All that is used of it. *)
Theorem given_is {T} (P : law T) A f : 0 < Pr P A -> given P A f = P (fun x => event A x * f x) / Pr P A.
Proof. intro H. unfold given. destruct (Rlt_dec 0 (Pr P A)); [trivial|tauto]. Qed.

Lemma given_part {T} (P : law T) A : part (Pr P A) (given P A) P.
Proof.
  intros f Hf. pose proof (E_test P _ (test_event A)) as Ha. fold (Pr P A) in Ha. pose proof (E_test P f Hf).
  unfold given. destruct (Rlt_dec 0 (Pr P A)); [|nra]. cbn [E].
  replace (Pr P A * (P (fun x => event A x * f x) / Pr P A)) with (P (fun x => event A x * f x)) by (field; lra).
  apply E_le; auto with law. intro x. specialize (Hf x). unfold event. destruct (A x); lra.
Qed.

(** ** The law *)

Definition near_to (limit : nat) (x y : Z) := (Z.abs (y - x) <=? Z.of_nat limit)%Z.
Definition truncated q limit (x : Z) : law Z := given (noisy q x) (near_to limit x).
(** How likely what comes of x may come of x', too. *)
Definition meets q limit x x' := Pr (truncated q limit x) (near_to limit x').

Section Truncated.
  Variables (q : R) (limit : nat).
  Hypothesis Hq : 0 < q < 1.

  Lemma noisy_mirror x x' f : bounded f -> noisy q x f = noisy q x' (fun y => f (x + x' - y)%Z).
  Proof.
    intro Hf. assert (forall h : Z -> Z, bounded (fun z => f (h z))) as Hb by (destruct Hf as [M HM]; exists M; intro; apply HM).
    cbn [noisy bind ret E]. rewrite <- (laplace_symmetric q Hq (fun z => f (x + z)%Z)) by apply (Hb (fun z => x + z)%Z).
    apply E_ext; [apply (Hb (fun z => x + - z)%Z)|]. intro z. f_equal. lia.
  Qed.

  Lemma inside_pos x : 0 < Pr (noisy q x) (near_to limit x).
  Proof.
    apply Rlt_le_trans with (Pr (laplace q) (Z.eqb 0)).
    - rewrite laplace_law by trivial. simpl. rewrite Rmult_1_r. apply Rdiv_lt_0_compat; lra.
    - unfold Pr. cbn [noisy bind ret E]. apply E_le; [auto with law|apply test_bounded; intro; apply test_event|].
      intro z. unfold event, near_to. destruct (Z.eqb_spec 0 z), (Z.leb_spec (Z.abs (x + z - x)) (Z.of_nat limit)); lra || lia.
  Qed.

  Lemma inside_is x x' : Pr (noisy q x) (near_to limit x) = Pr (noisy q x') (near_to limit x').
  Proof.
    unfold Pr. rewrite (noisy_mirror x x') by auto with law. ext. intro y. unfold event, near_to.
    destruct (Z.leb_spec (Z.abs (x + x' - y - x)) (Z.of_nat limit)), (Z.leb_spec (Z.abs (y - x')) (Z.of_nat limit)); trivial; lia.
  Qed.

  Definition both x x' y := near_to limit x y && near_to limit x' y.

  Lemma event_both x x' y : event (both x x') y = event (near_to limit x) y * event (near_to limit x') y.
  Proof. unfold event, both. destruct (near_to limit x y), (near_to limit x' y); simpl; lra. Qed.

  Lemma both_is x x' : Pr (noisy q x) (both x x') = Pr (noisy q x') (both x x').
  Proof.
    unfold Pr. rewrite (noisy_mirror x x') by auto with law. ext. intro y. unfold event, both, near_to.
    destruct (Z.leb_spec (Z.abs (x + x' - y - x)) (Z.of_nat limit)), (Z.leb_spec (Z.abs (y - x')) (Z.of_nat limit)),
      (Z.leb_spec (Z.abs (x + x' - y - x')) (Z.of_nat limit)), (Z.leb_spec (Z.abs (y - x)) (Z.of_nat limit)); trivial; lia.
  Qed.

  Lemma meets_is x x' : meets q limit x x' = Pr (noisy q x) (both x x') / Pr (noisy q x) (near_to limit x).
  Proof.
    unfold meets, truncated. unfold Pr at 1. rewrite given_is by apply inside_pos. f_equal. unfold Pr.
    apply E_ext; [auto with law|]. intro y. symmetry. apply event_both.
  Qed.

  Lemma meets_symmetric x x' : meets q limit x x' = meets q limit x' x.
  Proof.
    rewrite !meets_is, (inside_is x x'), both_is. f_equal. unfold Pr. ext. intro y. unfold event, both. rewrite andb_comm. trivial.
  Qed.

  Lemma truncated_parts x x' : exists C D,
    part (meets q limit x x') C (truncated q limit x) /\ part (meets q limit x x') D (truncated q limit x') /\
    close (INR (Z.abs_nat (x - x')) * - ln q) 0 C D.
  Proof.
    pose proof (inside_pos x) as Hx. pose proof (inside_pos x') as Hx'.
    assert (0 <= INR (Z.abs_nat (x - x')) * - ln q) as He.
    { apply Rmult_le_pos; [apply pos_INR|]. assert (ln q < ln 1) by (apply ln_increasing; lra). rewrite ln_1 in *. lra. }
    destruct (Rlt_dec 0 (meets q limit x x')) as [Hm|Hm].
    - exists (given (truncated q limit x) (near_to limit x')), (given (truncated q limit x') (near_to limit x)).
      split; [apply given_part|split; [rewrite meets_symmetric; apply given_part|]].
      intros f Hf. pose proof Hm as Hm'. rewrite meets_symmetric in Hm'.
      rewrite (given_is (truncated q limit x) (near_to limit x') f Hm), (given_is (truncated q limit x') (near_to limit x) f Hm').
      fold (meets q limit x x') (meets q limit x' x). rewrite <- (meets_symmetric x x').
      unfold truncated. rewrite (given_is (noisy q x)), (given_is (noisy q x')) by trivial. rewrite (inside_is x x').
      assert (forall y, event (near_to limit x) y * (event (near_to limit x') y * f y) = event (both x x') y * f y) as E1
        by (intro; rewrite event_both; ring).
      assert (forall y, event (near_to limit x') y * (event (near_to limit x) y * f y) = event (both x x') y * f y) as E2
        by (intro; rewrite event_both; ring).
      rewrite (E_ext (noisy q x) _ _ (bounded_event _ _ (bounded_event _ _ (test_bounded f Hf))) E1).
      rewrite (E_ext (noisy q x') _ _ (bounded_event _ _ (bounded_event _ _ (test_bounded f Hf))) E2).
      pose proof (noisy_dp q Hq (Z.abs_nat (x - x')) x x' ltac:(cbv beta; lia) (fun y => event (both x x') y * f y)) as H.
      specialize (H ltac:(intro y; specialize (Hf y); unfold event; destruct (both x x' y); lra)).
      set (n := Pr (noisy q x') (near_to limit x')) in *. set (m := meets q limit x x') in *.
      pose proof (Rinv_0_lt_compat n Hx'). pose proof (Rinv_0_lt_compat m Hm). assert (0 < / n * / m) by (apply Rmult_lt_0_compat; trivial).
      unfold Rdiv. rewrite Rplus_0_r in *. rewrite <- !Rmult_assoc. rewrite !Rmult_assoc. rewrite <- Rmult_assoc with (r3 := / n * / m).
      apply Rmult_le_compat_r; lra.
    - exists (ret 0%Z), (ret 0%Z). assert (meets q limit x x' = 0) as ->.
      { pose proof (E_test (truncated q limit x) _ (test_event (near_to limit x'))) as H. fold (Pr (truncated q limit x) (near_to limit x')) in H.
        fold (meets q limit x x') in H. lra. }
      repeat split; try (intros f Hf; rewrite Rmult_0_l; apply E_test; trivial).
      apply (close_weaken 0 0); [trivial|lra|apply close_refl].
  Qed.

  Lemma noisy_between x lo hi : (lo <= 0 <= hi)%Z -> Pr (noisy q x) (fun y => (lo <=? y - x) && (y - x <=? hi))%Z =
    1 - (q ^ Z.to_nat (1 - lo) + q ^ Z.to_nat (1 + hi)) / (1 + q).
  Proof.
    intro H. transitivity (1 * Pr (laplace q) (Z.leb lo) + -1 * Pr (laplace q) (Z.leb (1 + hi))).
    - unfold Pr. rewrite <- E_linear by auto with law. cbn [noisy bind ret E].
      apply E_ext; [apply test_bounded; intro; apply test_event|]. intro z. unfold event.
      replace (x + z - x)%Z with z by lia. destruct (Z.leb_spec lo z), (Z.leb_spec z hi), (Z.leb_spec (1 + hi) z); simpl; lra || lia.
    - rewrite !laplace_at_least by trivial. destruct (Z.ltb_spec 0 lo), (Z.ltb_spec 0 (1 + hi)); try lia. field. lra.
  Qed.

  (** What cannot come of the other: the tail. *)
  Theorem meets_tail x c : (1 <= c <= limit)%nat -> 1 - meets q limit x (x - Z.of_nat c) =
    (q ^ (limit + 1 - c) - q ^ (limit + 1)) / (1 + q - 2 * q ^ (limit + 1)).
  Proof.
    intro Hc. rewrite meets_is. pose proof (inside_pos x) as Hp.
    assert (Pr (noisy q x) (near_to limit x) = 1 - (q ^ (limit + 1) + q ^ (limit + 1)) / (1 + q)) as E1.
    { transitivity (Pr (noisy q x) (fun y => (- Z.of_nat limit <=? y - x) && (y - x <=? Z.of_nat limit))%Z).
      - unfold Pr. ext. intro y. unfold event, near_to.
        destruct (Z.leb_spec (Z.abs (y - x)) (Z.of_nat limit)), (Z.leb_spec (- Z.of_nat limit) (y - x)), (Z.leb_spec (y - x) (Z.of_nat limit));
          simpl; trivial; lia.
      - rewrite noisy_between by lia. do 3 f_equal; f_equal; lia. }
    assert (Pr (noisy q x) (both x (x - Z.of_nat c)) = 1 - (q ^ (limit + 1) + q ^ (limit + 1 - c)) / (1 + q)) as E2.
    { transitivity (Pr (noisy q x) (fun y => (- Z.of_nat limit <=? y - x) && (y - x <=? Z.of_nat limit - Z.of_nat c))%Z).
      - unfold Pr. ext. intro y. unfold event, both, near_to.
        destruct (Z.leb_spec (Z.abs (y - x)) (Z.of_nat limit)), (Z.leb_spec (Z.abs (y - (x - Z.of_nat c))) (Z.of_nat limit)),
          (Z.leb_spec (- Z.of_nat limit) (y - x)), (Z.leb_spec (y - x) (Z.of_nat limit - Z.of_nat c)); simpl; trivial; lia.
      - rewrite noisy_between by lia. do 3 f_equal; f_equal; lia. }
    rewrite E1 in Hp. rewrite E1, E2.
    assert (0 < 1 + q - 2 * q ^ (limit + 1)) as Hw.
    { apply Rmult_lt_compat_r with (r := 1 + q) in Hp; [|lra].
      replace ((1 - (q ^ (limit + 1) + q ^ (limit + 1)) / (1 + q)) * (1 + q)) with (1 + q - 2 * q ^ (limit + 1)) in Hp by (field; lra). lra. }
    field. split; lra.
  Qed.
End Truncated.

(** ** Vectors *)

Fixpoint truncateds q limit (xs : list Z) : law (list Z) :=
  match xs with [] => ret [] | x :: xs => y <- truncated q limit x ;; ys <- truncateds q limit xs ;; ret (y :: ys) end.
Fixpoint all_meet q limit (xs xs' : list Z) : R :=
  match xs, xs' with x :: xs, x' :: xs' => meets q limit x x' * all_meet q limit xs xs' | _, _ => 1 end.

Lemma meets_in q limit x x' : 0 <= meets q limit x x' <= 1.
Proof. apply E_test, test_event. Qed.
Lemma all_meet_in q limit xs : forall xs', 0 <= all_meet q limit xs xs' <= 1.
Proof.
  induction xs as [|x xs IH]; intros [|x' xs']; simpl; try lra. pose proof (meets_in q limit x x'). specialize (IH xs'). nra.
Qed.

Theorem truncateds_close q limit : 0 < q < 1 -> forall xs xs', length xs = length xs' ->
  close (INR (l1 xs xs') * - ln q) (1 - all_meet q limit xs xs') (truncateds q limit xs) (truncateds q limit xs').
Proof.
  intro Hq. assert (forall xs xs', length xs = length xs' -> exists C D,
    part (all_meet q limit xs xs') C (truncateds q limit xs) /\ part (all_meet q limit xs xs') D (truncateds q limit xs') /\
    close (INR (l1 xs xs') * - ln q) 0 C D) as H.
  { induction xs as [|x xs IH]; intros [|x' xs'] Hl; simpl in Hl; try discriminate.
    - exists (ret []), (ret []). simpl. rewrite Rmult_0_l. split; [apply part_refl|split; [apply part_refl|apply close_refl]].
    - destruct (IH xs' ltac:(lia)) as (C2 & D2 & H1 & H2 & H3). destruct (truncated_parts q limit Hq x x') as (C1 & D1 & K1 & K2 & K3).
      pose proof (meets_in q limit x x'). pose proof (all_meet_in q limit xs xs').
      exists (y <- C1 ;; ys <- C2 ;; ret (y :: ys)), (y <- D1 ;; ys <- D2 ;; ret (y :: ys)). cbn [truncateds all_meet l1].
      assert (forall (A B : law (list Z)) (y : Z), part (all_meet q limit xs xs') A B ->
        part (all_meet q limit xs xs') (ys <- A ;; ret (y :: ys)) (ys <- B ;; ret (y :: ys))) as Hp.
      { intros A B y HAB. rewrite <- (Rmult_1_r (all_meet q limit xs xs')). apply part_bind; try lra; trivial. intro. apply part_refl. }
      split; [apply part_bind; try lra; trivial; intro; apply Hp; trivial|].
      split; [apply part_bind; try lra; trivial; intro; apply Hp; trivial|].
      rewrite plus_INR, Rmult_plus_distr_r. replace 0 with (0 + 0) by ring. apply composition; [trivial|]. intro. apply postprocessing. trivial. }
  intros xs xs' Hl. destruct (H xs xs' Hl) as (C & D & H1 & H2 & H3). pose proof (all_meet_in q limit xs xs').
  replace (1 - all_meet q limit xs xs') with (Rmax (1 - all_meet q limit xs xs') (1 - all_meet q limit xs xs')) by (apply Rmax_left; lra).
  apply (close_parts _ _ _ C D); trivial; lra.
Qed.

(** No smaller delta will do, at any epsilon. *)
Fixpoint possible limit (xs ys : list Z) : bool :=
  match xs, ys with x :: xs, y :: ys => near_to limit x y && possible limit xs ys | [], [] => true | _, _ => false end.

Lemma truncateds_possible q limit : forall xs xs', length xs = length xs' ->
  Pr (truncateds q limit xs) (possible limit xs') = all_meet q limit xs xs'.
Proof.
  induction xs as [|x xs IH]; intros [|x' xs'] Hl; simpl in Hl; try discriminate.
  - unfold Pr, event. simpl. trivial.
  - specialize (IH xs' ltac:(lia)). unfold Pr in *. cbn [truncateds all_meet bind ret E].
    transitivity (truncated q limit x (fun y => all_meet q limit xs xs' * event (near_to limit x') y + 0)).
    + apply E_ext; [apply test_bounded; intro; apply E_test; intro; apply test_event|]. intro y.
      rewrite <- IH, Rplus_0_r. unfold event at 1 3. cbn [possible]. destruct (near_to limit x' y); simpl.
      * rewrite Rmult_1_r. reflexivity.
      * rewrite Rmult_0_r. apply E_const.
    + rewrite E_affine by auto with law. unfold meets, Pr. ring.
Qed.

Lemma meets_self q limit x : 0 < q < 1 -> meets q limit x x = 1.
Proof.
  intro Hq. rewrite meets_is by trivial. pose proof (inside_pos q limit Hq x).
  replace (Pr (noisy q x) (both limit x x)) with (Pr (noisy q x) (near_to limit x)); [field; lra|].
  unfold Pr. ext. intro y. unfold event, both. destruct (near_to limit x y); trivial.
Qed.

Theorem truncateds_tight q limit eps delta xs xs' : 0 < q < 1 -> length xs = length xs' ->
  close eps delta (truncateds q limit xs) (truncateds q limit xs') -> 1 - all_meet q limit xs xs' <= delta.
Proof.
  intros Hq Hl H. assert (forall P : law (list Z), Pr P (fun ys => negb (possible limit xs' ys)) = 1 - Pr P (possible limit xs')) as Hn.
  { intro P. unfold Pr. replace (1 - P (event (possible limit xs'))) with (-1 * P (event (possible limit xs')) + 1) by ring.
    rewrite <- E_affine by auto with law. ext. intro ys. unfold event. destruct (possible limit xs' ys); simpl; lra. }
  apply least_delta with (A := fun ys => negb (possible limit xs' ys)) in H; rewrite Hn, truncateds_possible in *; trivial.
  assert (forall xs, all_meet q limit xs xs = 1) as ->; [|ring].
  induction xs0 as [|x ys IH]; simpl; [trivial|]. rewrite IH, meets_self; lra.
Qed.

(** Between maps of the same keys a threshold only hides. *)
Theorem truncated_threshold q limit T xs xs' : 0 < q < 1 -> length xs = length xs' ->
  close (INR (l1 xs xs') * - ln q) (1 - all_meet q limit xs xs')
    (ys <- truncateds q limit xs ;; ret (map (keep T) ys)) (ys <- truncateds q limit xs' ;; ret (map (keep T) ys)).
Proof. intros Hq Hl. apply postprocessing, truncateds_close; trivial. Qed.
