(** The category with nearly the largest score: each shows heads by a geometric number, and a uniform one of these is
  released. This is the law of permute-and-flip. *)
From Coq Require Import ZArith Reals Lra Lia List Bool.
From Discreet Require Import Law Laplace.
Import ListNotations.
Open Scope R_scope.

Definition top (us : list Z) : Z := match us with [] => 0%Z | u :: us => fold_right Z.max u us end.
Definition gaps (us : list Z) : list nat := map (fun u => Z.to_nat (top us - u)) us.

Fixpoint heads (q : R) (i : nat) (gs : list nat) : law (list nat) :=
  match gs with
  | [] => ret []
  | g :: gs => n <- geometric q ;; hs <- heads q (S i) gs ;; ret (if (g <=? n)%nat then i :: hs else hs)
  end.
Definition choice (q : R) (us : list Z) : law nat :=
  hs <- heads q 0 (gaps us) ;; c <- pick (length hs) ;; ret (nth c hs 0%nat).

(** ** How many of several coins show heads *)

Fixpoint count (ps : list R) (f : nat -> R) : R :=
  match ps with [] => f 0%nat | p :: ps => p * count ps (fun n => f (S n)) + (1 - p) * count ps f end.
Definition shared (c : nat) (ps : list R) := count ps (fun n => / INR (c + n)).
Definition coin (p : R) := 0 <= p <= 1.

Lemma count_ext ps : forall f g, (forall n, f n = g n) -> count ps f = count ps g.
Proof. induction ps as [|p ps IH]; intros f g H; simpl; trivial.
  rewrite (IH f g), (IH (fun n => f (S n)) (fun n => g (S n))); auto. Qed.

Lemma count_linear ps : forall a b f g, count ps (fun n => a * f n + b * g n) = a * count ps f + b * count ps g.
Proof.
  induction ps as [|p ps IH]; intros a b f g; simpl; trivial.
  rewrite (IH a b f g), (IH a b (fun n => f (S n)) (fun n => g (S n))). ring.
Qed.

Lemma count_le ps : Forall coin ps -> forall f g, (forall n, f n <= g n) -> count ps f <= count ps g.
Proof.
  induction 1 as [|p ps [H0 H1] H IH]; intros f g Hf; simpl; trivial.
  pose proof (IH f g Hf). pose proof (IH (fun n => f (S n)) (fun n => g (S n)) (fun n => Hf (S n))). nra.
Qed.

Lemma count_const ps c : count ps (fun _ => c) = c.
Proof. induction ps as [|p ps IH]; simpl; trivial. rewrite IH. ring. Qed.

Lemma shared_cons c p ps : shared c (p :: ps) = p * shared (S c) ps + (1 - p) * shared c ps.
Proof. unfold shared. cbn [count]. do 2 f_equal. apply count_ext. intro n. do 2 f_equal. lia. Qed.

Lemma shared_falls c ps : (1 <= c)%nat -> Forall coin ps -> 0 <= shared (S c) ps <= shared c ps.
Proof.
  intros Hc H. assert (forall n, 0 < INR (c + n)) as Hp by (intro; apply lt_0_INR; lia). split.
  - rewrite <- (count_const ps 0). apply count_le; trivial. intro n. left. apply Rinv_0_lt_compat, lt_0_INR. lia.
  - apply count_le; trivial. intro n. apply Rinv_le_contravar; [apply Hp|apply le_INR; lia].
Qed.

(** The more heads there may be, the less is each one's share. *)
Lemma shared_less ps ps' : Forall2 (fun p p' => 0 <= p <= p' /\ p' <= 1) ps ps' -> forall c, (1 <= c)%nat ->
  shared c ps' <= shared c ps.
Proof.
  induction 1 as [|p p' ps ps' Hp H IH]; intros c Hc; [lra|]. rewrite !shared_cons. pose proof (IH c Hc).
    pose proof (IH (S c) ltac:(lia)).
  assert (Forall coin ps) as Hf by (clear - H; induction H; constructor; trivial; unfold coin; lra).
  pose proof (shared_falls c ps Hc Hf). nra.
Qed.

(** Each head is tossed once more. *)
Lemma thinned l ps : forall f, count (map (Rmult l) ps) f = count ps (fun n => count (repeat l n) f).
Proof.
  induction ps as [|p ps IH]; intro f; trivial. cbn [map count]. rewrite !IH. cbn [repeat count].
    rewrite count_linear. ring.
Qed.

Lemma size_bias l n : forall f, count (repeat l (S n)) (fun m => INR m * f m) =
  INR (S n) * l * count (repeat l n) (fun m => f (S m)).
Proof.
  induction n as [|n IH]; intro f; [simpl; ring|]. change (repeat l (S (S n))) with (l :: repeat l (S n)).
    cbn [count].
  rewrite IH. transitivity (l * (1 * count (repeat l (S n)) (fun m => INR m * f (S m)) +
    1 * count (repeat l (S n)) (fun m => f (S m))) +
    (1 - l) * (INR (S n) * l * count (repeat l n) (fun m => f (S m)))).
  - rewrite <- count_linear. do 2 f_equal. apply count_ext. intro m. rewrite S_INR. ring.
  - rewrite (IH (fun m => f (S m))). cbn [repeat count]. rewrite (S_INR (S n)). ring.
Qed.

Lemma thinned_share l n : 0 < l <= 1 -> l * count (repeat l n) (fun m => / INR (1 + m)) <= / INR (1 + n).
Proof.
  intro Hl. pose proof (size_bias l n (fun m => / INR m)) as H.
  assert (count (repeat l (S n)) (fun m => INR m * / INR m) <= 1) as H1.
  { rewrite <- (count_const (repeat l (S n)) 1). apply count_le.
    - apply Forall_forall. intros x Hx. apply repeat_spec in Hx. subst. unfold coin. lra.
    - intro m. destruct m; [simpl; lra|]. rewrite Rinv_r; [lra|apply not_0_INR; lia]. }
  pose proof (lt_0_INR (S n) ltac:(lia)) as Hn. apply Rmult_le_reg_l with (1 := Hn). change (1 + n)%nat with (S n).
    rewrite Rinv_r by lra.
  change (fun m => / INR (1 + m)) with (fun m => / INR (S m)). lra.
Qed.

Lemma shared_thinned l ps : 0 < l <= 1 -> Forall coin ps -> l * shared 1 (map (Rmult l) ps) <= shared 1 ps.
Proof.
  intros Hl H. unfold shared. rewrite thinned. apply Rle_trans with
    (count ps (fun n => l * count (repeat l n) (fun m => / INR (1 + m)) + 0 * 0)).
  - rewrite count_linear. lra.
  - apply count_le; trivial. intro n. pose proof (thinned_share l n Hl). lra.
Qed.

(** ** The law *)

Definition without {T} (c : nat) (xs : list T) := firstn c xs ++ skipn (S c) xs.

(** Scores of k categories, none of which differs by more than d. *)
Definition scores (k d : nat) (us us' : list Z) := (length us = k /\ length us' = k) /\
  Forall2 (fun u u' => Z.abs (u - u') <= Z.of_nat d)%Z us us'.

Section Law.
  Variable q : R.
  Hypothesis Hq : 0 <= q < 1.

  Local Lemma coins_of gs : Forall coin (map (pow q) gs).
  Proof.
    apply Forall_forall. intros p Hp. apply in_map_iff in Hp as (g & <- & _). split; [apply pow_le; lra|].
    rewrite <- (pow1 g). apply pow_incr. lra.
  Qed.

  Local Lemma toss g A B : geometric q (fun n => if (g <=? n)%nat then A else B) = q ^ g * A + (1 - q ^ g) * B.
  Proof.
    rewrite <- geometric_tail by lra. unfold Pr. transitivity (geometric q (fun n => (A - B) * event (Nat.leb g) n +
      B)).
    - f_equal. apply FunctionalExtensionality.functional_extensionality. intro n. unfold event.
      destruct (g <=? n)%nat; ring.
    - rewrite E_affine by auto with law. ring.
  Qed.

  Lemma heads_toss g gs i f : heads q i (g :: gs) f =
    q ^ g * heads q (S i) gs (fun hs => f (i :: hs)) + (1 - q ^ g) * heads q (S i) gs f.
  Proof.
    rewrite <- toss. cbn [heads bind ret E]. f_equal. apply FunctionalExtensionality.functional_extensionality.
      intro n.
    destruct (g <=? n)%nat; trivial.
  Qed.

  Lemma heads_count gs : forall i c, heads q i gs (fun hs => / INR (c + length hs)) = shared c (map (pow q) gs).
  Proof.
    induction gs as [|g gs IH]; intros i c; [trivial|]. rewrite heads_toss. cbn [map].
      rewrite shared_cons, <- !(IH (S i)).
    do 3 f_equal. apply FunctionalExtensionality.functional_extensionality. intro hs. do 2 f_equal. simpl. lia.
  Qed.

  Local Lemma shares_bounded c (f : nat -> R) : bounded f -> bounded (fun hs => sum hs f / INR (c + length hs)).
  Proof.
    intros [M HM]. assert (0 <= M) as HM0 by (specialize (HM 0%nat); lra). exists M. intro hs.
    assert (- (INR (length hs) * M) <= sum hs f <= INR (length hs) * M) as Hs.
    { induction hs as [|h hs IH]; [simpl; lra|].
      cbn [sum length]. rewrite S_INR. specialize (HM h). lra. }
    destruct hs as [|h hs]; [simpl; unfold Rdiv; rewrite Rmult_0_l; lra|].
    set (n := length (h :: hs)) in *. assert (0 < INR (c + n)) as Hp by (apply lt_0_INR; subst n; simpl; lia).
    assert (INR n <= INR (c + n)) by (apply le_INR; lia). pose proof (pos_INR n).
    split; apply Rmult_le_reg_r with (1 := Hp); unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; nra.
  Qed.

  Lemma heads_shares gs : forall i c f, bounded f -> heads q i gs (fun hs => sum hs f / INR (c + length hs)) =
    sum (seq 0 (length gs)) (fun j => f (i + j)%nat * (q ^ nth j gs 0%nat * shared (S c) (map (pow q) (without j
      gs)))).
  Proof.
    induction gs as [|g gs IH]; intros i c f Hf; [simpl; unfold Rdiv; ring|]. rewrite heads_toss. cbn [length].
    rewrite <- cons_seq, <- seq_shift. cbn [sum]. rewrite sum_map, (IH (S i) c f Hf).
    transitivity (q ^ g * (f i * heads q (S i) gs (fun hs => / INR (S c + length hs)) +
      1 * heads q (S i) gs (fun hs => sum hs f / INR (S c + length hs))) + (1 - q ^ g) *
      sum (seq 0 (length gs)) (fun j => f (S i + j)%nat * (q ^ nth j gs 0%nat * shared (S c) (map (pow q) (without j
        gs))))).
    - f_equal. f_equal. rewrite <- E_linear; [|exists 1; intro hs|apply shares_bounded; trivial].
      + f_equal. apply FunctionalExtensionality.functional_extensionality. intro hs. cbn [sum length].
        replace (c + S (length hs))%nat with (S c + length hs)%nat by lia. unfold Rdiv. ring.
      + pose proof (lt_0_INR (S c + length hs) ltac:(lia)) as Hp.
        pose proof (le_INR 1 (S c + length hs) ltac:(lia)) as H1.
        pose proof (Rinv_0_lt_compat _ Hp). assert (/ INR (S c + length hs) <= / 1) by (apply Rinv_le_contravar;
          [lra|exact H1]).
        rewrite Rinv_1 in *. lra.
    - rewrite heads_count, (IH (S i) (S c) f Hf). rewrite Nat.add_0_r. change (without 0 (g :: gs)) with gs.
      cbn [nth].
      rewrite (sum_ext _ (fun x => f (i + S x)%nat * _) (fun j => q ^ g * (f (S i +
        j)%nat * (q ^ nth j gs 0%nat * shared (S (S c)) (map (pow q) (without j gs)))) +
        (1 - q ^ g) * (f (S i + j)%nat * (q ^ nth j gs 0%nat * shared (S c) (map (pow q) (without j gs)))))).
      + rewrite sum_linear. ring.
      + intros j _. change (without (S j) (g :: gs)) with (g :: without j gs). cbn [map nth]. rewrite shared_cons.
        replace (i + S j)%nat with (S i + j)%nat by lia. ring.
  Qed.

  Lemma heads_some gs : forall i, In 0%nat gs -> Pr (heads q i gs) (fun hs => match hs with
    [] => true | _ => false end) = 0.
  Proof.
    unfold Pr. induction gs as [|g gs IH]; intros i H; [destruct H|]. rewrite heads_toss. unfold event at 1.
      rewrite E_const, Rmult_0_r.
    destruct H as [->|H]; [simpl; ring|]. change (fun hs => event (fun hs => match hs with
      [] => true | _ => false end) hs) with (event (fun hs : list nat => match hs with [] => true | _ => false end)).
    rewrite IH by trivial. ring.
  Qed.

  Lemma top_bound us : Forall (fun u => u <= top us)%Z us /\ (us <> [] -> In (top us) us).
  Proof.
    destruct us as [|v us]; [split; [constructor|congruence]|]. unfold top.
      assert (forall ws, v <= fold_right Z.max v ws /\ Forall (fun u => u <= fold_right Z.max v ws) ws /\
      (fold_right Z.max v ws = v \/ In (fold_right Z.max v ws) ws))%Z as K.
    { induction ws as [|w ws (I1 & I2 & I3)]; simpl; [repeat split; auto; lia|]. repeat split; [lia| |].
      - constructor; [lia|]. eapply Forall_impl; [|exact I2]. simpl. intros; lia.
      - destruct (Z.max_spec w (fold_right Z.max v ws)) as [[_ ->]|[_ ->]]; [destruct I3|]; auto. }
    destruct (K us) as (I1 & I2 & I3). split; [constructor; trivial|]. intros _. destruct I3 as [I3|I3];
      [left|right]; auto.
  Qed.

  (** The probability of each category: its own heads, times its share among the others'. *)
  Definition chance (us : list Z) (j : nat) := q ^ nth j (gaps us) 0%nat * shared 1 (map (pow q) (without j (gaps
    us))).

  Theorem choice_law us f : us <> [] -> bounded f -> choice q us f =
    sum (seq 0 (length us)) (fun j => f j * chance us j).
  Proof.
    intros Hu Hf. unfold choice. cbn [bind ret E].
    transitivity (heads q 0 (gaps us) (fun hs => 1 * (sum hs f / INR (0 + length hs)) +
      f 0%nat * event (fun hs => match hs with [] => true | _ => false end) hs)).
    - destruct Hf as [M HM]. apply E_ext; [exists M; intro; apply E_within; intro; apply HM|]. intro hs.
      destruct hs as [|h hs]; [unfold event; simpl; unfold Rdiv; rewrite Rinv_1, Rmult_0_l; ring|].
        rewrite pick_is by (simpl; lia). unfold event.
      replace (sum (seq 0 (length (h :: hs))) (fun c => f (nth c (h :: hs) 0%nat))) with (sum (h :: hs) f);
        [cbn [Nat.add]; ring|].
      generalize (h :: hs). clear. induction l as [|x l IH]; trivial. cbn [length].
        rewrite <- cons_seq, <- seq_shift. cbn [sum]. rewrite sum_map, IH. trivial.
    - rewrite E_linear; [|apply shares_bounded; trivial|auto with law].
      fold (Pr (heads q 0 (gaps us)) (fun hs => match hs with [] => true | _ => false end)).
      rewrite heads_shares by trivial. rewrite heads_some.
      2: { unfold gaps. apply in_map_iff. exists (top us). split; [lia|apply top_bound; trivial]. }
      replace (length (gaps us)) with (length us) by (unfold gaps; rewrite map_length; trivial).
      rewrite Rmult_0_r, Rplus_0_r, Rmult_1_l. apply sum_ext. intros. trivial.
  Qed.

  Local Lemma choice_second us m : length us = S (S m) -> Pr (choice q us) (Nat.eqb 1) = chance us 1.
  Proof.
    intro L. unfold Pr. rewrite choice_law by (auto with law; destruct us; simpl in *; congruence). rewrite L.
      cbn [seq sum].
    rewrite (sum_ext _ _ (fun _ => 0)), sum_const; [unfold event; simpl; ring|]. intros j Hj. apply in_seq in Hj.
    unfold event. destruct (Nat.eqb_spec 1 j); [lia|ring].
  Qed.

  Local Lemma shared_most c ps : (1 <= c)%nat -> Forall coin ps -> (1 - sum ps (fun p => p)) * / INR c <=
    shared c ps <= / INR c.
  Proof.
    intros Hc H. pose proof (Rinv_0_lt_compat _ (lt_0_INR c ltac:(lia))) as Hp. induction H as [|p ps [P0 P1] H IH].
    - unfold shared. simpl. rewrite Nat.add_0_r. lra.
    - rewrite shared_cons. cbn [sum]. pose proof (shared_falls c ps Hc H) as [F0 F1].
      assert (0 <= sum ps (fun p => p)) by (clear - H; induction H as [|x l [X0 X1] H IH]; simpl; lra). nra.
  Qed.

  Local Lemma far_below k n : sum (map (pow q) (repeat n k)) (fun p => p) = INR k * q ^ n.
  Proof. induction k as [|k IH]; [simpl; ring|]. cbn [repeat map sum]. rewrite IH, S_INR. ring. Qed.

  (** With one category there is nothing to tell; without noise everything is told. *)
  Theorem choice_single d : dp (scores 1 d) 0 0 (choice q).
  Proof.
    intros us us' ((Hl & Hl') & _). destruct us as [|u [|? ?]], us' as [|u' [|? ?]]; try discriminate.
    assert (forall v, gaps [v] = [0%nat]) as G by (intro v; unfold gaps; simpl; rewrite Z.sub_diag; trivial).
    unfold choice. rewrite !G. apply close_refl.
  Qed.

  Theorem choice_infinite k d eps : q = 0 -> (2 <= k)%nat -> (1 <= d)%nat -> ~ dp (scores k d) eps 0 (choice q).
  Proof.
    intros Hq0 Hk Hd H. set (m := (k - 2)%nat). set (us := (0 :: -1 :: repeat (-1) m)%Z).
      set (us' := (-1 :: 0 :: repeat (-1) m)%Z).
    assert (forall v ws, Forall (fun w => w <= v)%Z ws -> fold_right Z.max v ws = v) as Ht
      by (clear; induction 1 as [|w ws Hw H IH]; simpl; trivial; rewrite IH; lia).
    assert (fold_right Z.max (-1) (repeat (-1) m) = -1)%Z as Hr by (apply Ht, Forall_forall; intros w Hw;
      apply repeat_spec in Hw; lia).
    assert (fold_right Z.max 0 (repeat (-1) m) = 0)%Z as Hr' by (apply Ht, Forall_forall; intros w Hw;
      apply repeat_spec in Hw; lia).
    assert (forall j, map (fun u => Z.to_nat (0 - u)) (repeat (-1)%Z j) = repeat 1%nat j) as Hm
      by (induction j as [|j IH]; trivial; cbn [repeat map]; rewrite IH; trivial).
    assert (gaps us = 0 :: 1 :: repeat 1 m)%nat as G by (unfold gaps, us, top; cbn [fold_right map]; rewrite Hr';
      simpl Z.max; rewrite Hm; trivial).
    assert (gaps us' = 1 :: 0 :: repeat 1 m)%nat as G' by (unfold gaps, us', top; cbn [fold_right map]; rewrite Hr;
      simpl Z.max; rewrite Hm; trivial).
    assert (length us = S (S m) /\ length us' = S (S m)) as [L L'] by (unfold us, us'; simpl; rewrite repeat_length;
      auto).
    assert (scores k d us' us) as Hs.
    { split; [unfold m in *; lia|]. unfold us, us'. constructor; [lia|]. constructor; [lia|]. clear - Hd.
      generalize m. intro l.
      induction l as [|l IH]; simpl; constructor; [lia|trivial]. }
    specialize (H us' us Hs). apply close_events with (A := Nat.eqb 1) in H.
      rewrite !(choice_second _ m) in H by trivial. unfold chance in H.
    rewrite G, G' in H. change (without 1 (1 :: 0 :: repeat 1 m))%nat with (repeat 1 (S m))%nat in H. cbn [nth] in H.
    pose proof (shared_most 1 _ ltac:(lia) (coins_of (repeat 1%nat (S m)))) as [S1 _]. rewrite far_below in S1.
    rewrite Hq0 in *. simpl pow in *. simpl (INR 1) in *. rewrite Rinv_1 in S1.
    set (y := shared 1 (map (pow 0) (repeat 1%nat (S m)))) in *. lra.
  Qed.
End Law.

(** ** The loss *)

Section Loss.
  Variable q : R.
  Hypothesis Hq : 0 < q < 1.
  Local Lemma Hq' : 0 <= q < 1.
  Proof. lra. Qed.

  Lemma top_close us us' d : Forall2 (fun u u' => Z.abs (u - u') <= d)%Z us us' -> (0 <= d)%Z ->
    (Z.abs (top us - top us') <= d)%Z.
  Proof.
    intros H Hd. destruct H as [|v v' us us' Hv H]; [simpl; lia|]. unfold top. induction H as [|u u' us us' Hu H IH];
      simpl; lia.
  Qed.

  Lemma chance_close us us' d j : Forall2 (fun u u' => Z.abs (u - u') <= Z.of_nat d)%Z us us' ->
    (j < length us)%nat ->
    q ^ (2 * d) * chance q us j <= chance q us' j.
  Proof.
    intros H Hj. pose proof (top_close us us' _ H ltac:(lia)) as Ht. destruct (top_bound us) as [Hb _].
      destruct (top_bound us') as [Hb' _].
    set (e := Z.to_nat (Z.of_nat d - (top us' - top us))). set (e' := Z.to_nat (Z.of_nat d + (top us' - top us))).
    (* Gaps of us' are at least those of us less e, at most those of us and e'. *)
    assert (Forall2 (fun g g' => g <= g' + e /\ g' <= g + e')%nat (gaps us) (gaps us')) as Hg.
    { unfold gaps, e, e' in *. set (t := top us) in *. set (t' := top us') in *. clearbody t t'. clear - H Hb Hb' Ht.
      induction H as [|u u' us us' Hu H IH]; simpl; constructor; inversion Hb; inversion Hb'; subst; [lia|auto]. }
    assert (e + e' = 2 * d)%nat as He by (unfold e, e'; lia). unfold chance.
    set (gs := gaps us) in *. set (gs' := gaps us') in *. assert (length gs = length us) as Hl by (unfold gs, gaps;
      apply map_length). clearbody gs gs' e e'.
    assert (nth j gs' 0 <= nth j gs 0 + e')%nat as Hj'.
    { clear - Hg Hj Hl. rewrite <- Hl in Hj. clear Hl. revert j Hj. induction Hg as [|g g' l l' Hg' Hg IH];
      intros [|j] Hj; simpl in *; try lia. apply IH. lia. }
    assert (Forall2 (fun g g' => g <= g' + e)%nat (without j gs) (without j gs')) as Hw.
    { assert (Forall2 (fun g g' => g <= g' + e)%nat gs gs') as Hg1 by (clear - Hg;
      induction Hg as [|g g' l l' Hg' Hg IH]; constructor; trivial; lia). clear - Hg1.
      unfold without. revert j. induction Hg1 as [|g g' l l' Hg' Hg IH]; intros [|j]; simpl; trivial; constructor;
        trivial. apply IH. }
    assert (forall n, 0 < q ^ n <= 1) as Hp by (intro n; split; [apply pow_lt; lra|rewrite <- (pow1 n);
      apply pow_incr; lra]).
    assert (q ^ e * shared 1 (map (pow q) (without j gs)) <= shared 1 (map (pow q) (without j gs'))) as Hs.
    { eapply Rle_trans; [|apply (shared_thinned (q ^ e)); [apply Hp|apply (coins_of q Hq')]].
      apply Rmult_le_compat_l; [left; apply Hp|].
      apply shared_less; [|lia]. rewrite map_map. clear - Hw Hp Hq. induction Hw as [|g g' l l' Hg H IH]; simpl;
        constructor; trivial.
      rewrite <- pow_add. replace (e + g')%nat with (g + (e + g' - g))%nat by lia. rewrite pow_add.
        pose proof (Hp g). pose proof (Hp (e + g' - g)%nat). split; [split|]; nra. }
    assert (q ^ e' * q ^ nth j gs 0%nat <= q ^ nth j gs' 0%nat) as Hh.
    { rewrite <- pow_add. replace (e' + nth j gs 0)%nat with (nth j gs' 0 + (e' + nth j gs 0 - nth j gs' 0))%nat by
      lia.
      rewrite pow_add. pose proof (Hp (nth j gs' 0%nat)). pose proof (Hp (e' + nth j gs 0 - nth j gs' 0)%nat). nra. }
    rewrite <- He, pow_add.
    assert (0 <= shared 1 (map (pow q) (without j gs))) as Hpos by (eapply Rle_trans; apply shared_falls;
      lia || apply (coins_of q Hq')).
    pose proof (Hp e). pose proof (Hp e'). pose proof (Hp (nth j gs 0%nat)).
    replace (q ^ e * q ^ e' * (q ^ nth j gs 0%nat * shared 1 (map (pow q) (without j gs))))
      with (q ^ e' * q ^ nth j gs 0%nat * (q ^ e * shared 1 (map (pow q) (without j gs)))) by ring.
    apply Rmult_le_compat; trivial; apply Rmult_le_pos; lra.
  Qed.

  Theorem choice_dp k d : (1 <= k)%nat -> dp (scores k d) (2 * INR d * - ln q) 0 (choice q).
  Proof.
    intros Hk us us' ((Hl & Hl') & H) f Hf. assert (us <> [] /\ us' <> []) as [Hn Hn'] by (split; intros ->;
      simpl in *; lia).
    rewrite !choice_law by (auto with law; lra). rewrite Hl, Hl', Rplus_0_r.
    replace (exp (2 * INR d * - ln q)) with (/ q ^ (2 * d)).
    2: { rewrite <- Rpower_pow by lra. unfold Rpower. rewrite <- exp_Ropp. f_equal. rewrite mult_INR. simpl. ring. }
    assert (0 < q ^ (2 * d)) as Hp by (apply pow_lt; lra). apply Rmult_le_reg_l with (1 := Hp).
      rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra.
    replace (q ^ (2 * d) * sum (seq 0 k) (fun j => f j * chance q us j)) with
      (sum (seq 0 k) (fun j => q ^ (2 * d) * (f j * chance q us j) + 0 * 0))
      by (rewrite sum_linear; ring).
    apply sum_le. intros j Hj. apply in_seq in Hj.
    pose proof (chance_close us us' d j H ltac:(lia)). pose proof (Hf j). rewrite Rmult_0_l, Rplus_0_r.
    replace (q ^ (2 * d) * (f j * chance q us j)) with (f j * (q ^ (2 * d) * chance q us j)) by ring.
      apply Rmult_le_compat_l; lra.
  Qed.

  (** ** No smaller loss will do: a category 2 d below the largest, beside others far below *)

  Theorem choice_tight k d eps : (2 <= k)%nat -> dp (scores k d) eps 0 (choice q) -> 2 * INR d * - ln q <= eps.
  Proof.
    intros Hk H. set (m := (k - 2)%nat).
    (* Others are n + 1 below the second category, or n + d + 1 below both. *)
    assert (forall n, (1 - INR m * q ^ n) <= exp eps * q ^ (2 * d)) as K.
    { intro n. set (us := (0 :: - Z.of_nat (2 * d) :: repeat (- Z.of_nat (2 * d + n)) m)%Z).
      set (us' := (- Z.of_nat d :: - Z.of_nat d :: repeat (- Z.of_nat (2 * d + n)) m)%Z).
      assert (forall v ws, Forall (fun w => w <= v)%Z ws -> fold_right Z.max v ws = v) as Ht
        by (clear; induction 1 as [|w ws Hw H IH]; simpl; trivial; rewrite IH; lia).
      assert (forall v, (- Z.of_nat (2 * d + n) <= v)%Z -> Forall (fun w => w <= v)%Z (repeat (- Z.of_nat (2 * d +
        n))%Z m)) as Hr.
      { intros v Hv. apply Forall_forall. intros w Hw. apply repeat_spec in Hw. lia. }
      assert (forall t w j, map (fun u => Z.to_nat (t - u)) (repeat w j) = repeat (Z.to_nat (t - w)) j) as Hm
        by (induction j as [|j IH]; simpl; congruence).
      assert (gaps us = 0 :: 2 * d :: repeat (2 * d + n) m)%nat as G.
      { unfold gaps, us, top. rewrite (Ht 0%Z) by (constructor; [lia|apply Hr; lia]). cbn [map]. rewrite Hm.
        repeat f_equal; lia. }
      assert (gaps us' = 0 :: 0 :: repeat (d + n) m)%nat as G'.
      { unfold gaps, us', top. rewrite (Ht (- Z.of_nat d)%Z) by (constructor; [lia|apply Hr; lia]). cbn [map].
        rewrite Hm. repeat f_equal; lia. }
      assert (scores k d us' us) as Hs.
      { split; [unfold us, us'; simpl; rewrite repeat_length; lia|]. unfold us, us'. constructor; [lia|].
        constructor; [lia|].
        clear. generalize m. intro l. induction l as [|l IH]; simpl; constructor; [lia|trivial]. }
      specialize (H us' us Hs). apply close_events with (A := Nat.eqb 1) in H.
      assert (length us = S (S m) /\ length us' = S (S m)) as [L L'] by (unfold us, us'; simpl;
        rewrite repeat_length; auto).
      rewrite !(choice_second q Hq' _ m) in H by trivial. unfold chance in H. rewrite G, G' in H.
      change (without 1 (0 :: 0 :: repeat (d + n) m))%nat with (0 :: repeat (d + n) m)%nat in H.
      change (without 1 (0 :: 2 * d :: repeat (2 * d + n) m))%nat with (0 :: repeat (2 * d + n) m)%nat in H.
        cbn [nth map] in H.
      rewrite !shared_cons, !pow_O in H.
      pose proof (shared_most 2 _ ltac:(lia) (coins_of q Hq' (repeat (2 * d + n)%nat m))) as [_ S1].
      pose proof (shared_most 2 _ ltac:(lia) (coins_of q Hq' (repeat (d + n)%nat m))) as [S2 _].
        rewrite far_below in S2.
      assert (q ^ (d + n) <= q ^ n) as Hpow.
      { rewrite pow_add. assert (q ^ d <= 1) by (rewrite <- (pow1 d); apply pow_incr; lra).
        pose proof (pow_lt q n ltac:(lra)). nra. }
      pose proof (pos_INR m). pose proof (exp_pos eps). pose proof (pow_lt q (2 * d) ltac:(lra)) as Hq2.
      set (x := shared 2 (map (pow q) (repeat (2 * d + n)%nat m))) in *.
        set (y := shared 2 (map (pow q) (repeat (d + n)%nat m))) in *.
      set (z := q ^ (2 * d)) in *. replace (/ INR 2) with (/ 2) in * by (simpl; lra).
      assert (y <= exp eps * z * x) by lra. assert (exp eps * z * x <= exp eps * z * / 2) by
        (apply Rmult_le_compat_l; [nra|trivial]). nra. }
    assert (1 <= exp eps * q ^ (2 * d)) as Hfin.
    { apply Rnot_lt_le. intro Hlt. set (e := 1 - exp eps * q ^ (2 * d)) in *. assert (0 < e) by (unfold e; lra).
      pose proof (pos_INR m).
      destruct (pow_lt_1_zero q ltac:(rewrite Rabs_right; lra) (e / (INR m + 1))) as [N HN]; [apply Rdiv_lt_0_compat;
        lra|].
      specialize (HN N ltac:(lia)). specialize (K N). rewrite Rabs_right in HN by (left; apply pow_lt; lra).
      apply Rmult_lt_compat_l with (r := INR m + 1) in HN; [|lra].
        replace ((INR m + 1) * (e / (INR m + 1))) with e in HN by (field; lra).
      pose proof (pow_lt q N ltac:(lra)). unfold e in *. lra. }
    assert (0 < q ^ (2 * d)) as Hp by (apply pow_lt; lra).
    replace (2 * INR d * - ln q) with (ln (/ q ^ (2 * d))).
    - apply ln_le_exp; [apply Rinv_0_lt_compat; trivial|]. apply Rmult_le_reg_r with (1 := Hp).
      rewrite Rinv_l by lra. lra.
    - rewrite ln_Rinv by trivial. rewrite <- Rpower_pow by lra. unfold Rpower. rewrite ln_exp, mult_INR. simpl. ring.
  Qed.
End Loss.
