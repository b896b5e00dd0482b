(** Discrete Laplace noise and a threshold: the keys whose noisy value is strictly above T,
  or below a negative T. *)
From Coq Require Import ZArith Reals Lra Lia List Bool.
From Discreet Require Import Law Laplace.
Import ListNotations.
Open Scope R_scope.

(** A map is the list of its values over any finite set of keys that has them all; 0 is no entry. *)
Definition keep (T : Z) (y : Z) : option Z :=
  if (if 0 <=? T then T <? y else y <? T)%Z then Some y else None.
Definition entry q T (c : Z) : law (option Z) := if (c =? 0)%Z then ret None else y <- noisy q c ;;
  ret (keep T y).
Fixpoint release q T (cs : list Z) : law (list (option Z)) :=
  match cs with [] => ret [] | c :: cs => y <- entry q T c ;; ys <- release q T cs ;; ret (y :: ys) end.

(** The probability that an entry is released. *)
Definition shown q (T c : Z) := q ^ Z.to_nat (T - c + 1) / (1 + q).
Definition is_some {A} (o : option A) := match o with Some _ => true | None => false end.

(** Keys of x only, and what hides them all; values of the keys that both have. *)
Fixpoint hidden q T (cs cs' : list Z) : R :=
  match cs, cs' with
  | c :: cs, c' :: cs' => (if (c' =? 0)%Z && negb (c =? 0)%Z then 1 - shown q T c else 1) * hidden q T cs cs'
  | _, _ => 1
  end.
Fixpoint common (cs cs' : list Z) : nat :=
  match cs, cs' with
  | c :: cs, c' :: cs' => (if (c =? 0)%Z || (c' =? 0)%Z then 0 else Z.abs_nat (c - c')) + common cs cs'
  | _, _ => 0
  end.

Section Threshold.
  Variables (q : R) (T : Z).
  Hypotheses (Hq : 0 < q < 1) (HT : (0 <= T)%Z).

  Lemma keep_above y : keep T y = if (T <? y)%Z then Some y else None.
  Proof. unfold keep. destruct (Z.leb_spec 0 T); trivial; lia. Qed.

  Lemma shown_in c : (c <= T)%Z -> 0 < shown q T c < 1.
  Proof.
    intro. unfold shown. assert (0 < q ^ Z.to_nat (T - c + 1)) by (apply pow_lt; lra).
    assert (q ^ Z.to_nat (T - c + 1) <= 1) by (rewrite <- (pow1 (Z.to_nat (T - c + 1))); apply pow_incr; lra).
    split; [apply Rdiv_lt_0_compat; lra|]. apply Rmult_lt_reg_r with (1 + q); [lra|]. unfold Rdiv;
      rewrite Rmult_assoc, Rinv_l; lra.
  Qed.

  Theorem entry_shown c : c <> 0%Z -> (c <= T)%Z -> Pr (entry q T c) is_some = shown q T c.
  Proof.
    intros H0 Hc. unfold entry. destruct (Z.eqb_spec c 0);
      [lia|]. unfold shown. rewrite <- laplace_tail by (trivial; lia).
    unfold Pr. cbn [bind noisy ret E]. ext.
    intro z. unfold event. rewrite keep_above.
    destruct (Z.ltb_spec T (c + z)), (Z.ltb_spec (T - c) z); simpl; lia || trivial.
  Qed.

  (** An entry is nothing, with at least that probability. *)
  Lemma entry_part c : c <> 0%Z -> (c <= T)%Z -> part (1 - shown q T c) (ret None) (entry q T c).
  Proof.
    intros H0 Hc f Hf. rewrite <- entry_shown by trivial. unfold Pr. cbn [ret E].
    replace ((1 - entry q T c (event is_some)) * f None)
      with (- f None * entry q T c (event is_some) + f None) by ring.
    rewrite <- E_affine by auto with law. apply E_le; auto with law.
    - exists 2; intro o. pose proof (Hf None). pose proof (test_event is_some o). nra.
    - intros [y|]; unfold event; simpl; [specialize (Hf (Some y))|]; lra.
  Qed.

  (** Keys of x only have at most T; common keys may have any value. *)
  Definition low := Forall2 (fun c c' => c' = 0 -> c <= T)%Z.

  (** The common part of both releases: common keys as they are, other keys hidden. *)
  Fixpoint core (cs cs' : list Z) : law (list (option Z)) :=
    match cs, cs' with
    | c :: cs, c' :: cs' => y <- (if (c =? 0)%Z || (c' =? 0)%Z then ret None else entry q T c) ;;
      ys <- core cs cs' ;; ret (y :: ys)
    | _, _ => ret []
    end.

  Lemma hidden_in cs cs' : low cs cs' -> 0 <= hidden q T cs cs' <= 1.
  Proof.
    induction 1 as [|c c' cs cs' Hc H IH]; simpl; [lra|]. destruct (Z.eqb_spec c' 0) as [H0|]; simpl; [|lra].
    pose proof (shown_in c (Hc H0)). destruct (c =? 0)%Z; simpl; nra.
  Qed.

  Lemma release_core cs cs' : low cs cs' -> part (hidden q T cs cs') (core cs cs') (release q T cs).
  Proof.
    induction 1 as [|c c' cs cs' Hc H IH]; simpl; [apply part_refl|]. apply part_bind.
    - destruct (Z.eqb_spec c' 0) as [H0|]; simpl; [|lra]. pose proof (shown_in c (Hc H0)). destruct (c =? 0)%Z;
      simpl; lra.
    - apply hidden_in; trivial.
    - destruct (Z.eqb_spec c 0) as [->|]; simpl; [rewrite andb_false_r; apply part_refl|].
      destruct (Z.eqb_spec c' 0); simpl; [apply entry_part; auto|apply part_refl].
    - intros u f Hf. apply (IH (fun ys => f (u :: ys))). intro; apply Hf.
  Qed.

  Lemma core_close cs : forall cs', length cs = length cs' ->
    close (INR (common cs cs') * - ln q) 0 (core cs cs') (core cs' cs).
  Proof.
    induction cs as [|c cs IH]; intros [|c' cs'] Hl; simpl in Hl; try discriminate.
    - simpl. rewrite Rmult_0_l. apply close_refl.
    - simpl. rewrite plus_INR, Rmult_plus_distr_r. replace 0 with (0 + 0) by ring.
      apply composition with (K := fun y => ys <- core cs cs' ;; ret (y :: ys)).
      + rewrite (orb_comm (c' =? 0)%Z). destruct ((c =? 0)%Z || (c' =? 0)%Z) eqn:H0; [simpl; rewrite Rmult_0_l;
        apply close_refl|].
        apply orb_false_elim in H0 as [H0 H0']. unfold entry. rewrite H0, H0'. apply postprocessing, noisy_dp;
          trivial. lia.
      + intro y. apply postprocessing, IH. lia.
  Qed.

  (** Both hold: epsilon from the common keys, delta from the keys of one map only, whichever is worse. *)
  Theorem release_close cs cs' : low cs cs' -> low cs' cs ->
    close (INR (common cs cs') * - ln q) (Rmax (1 - hidden q T cs cs') (1 - hidden q T cs' cs))
      (release q T cs) (release q T cs').
  Proof.
    intros H H'. apply close_parts with (C := core cs cs') (D := core cs' cs).
    - apply release_core; trivial.
    - apply release_core; trivial.
    - apply core_close. clear H'. induction H; simpl; auto.
    - apply hidden_in; trivial.
    - apply hidden_in; trivial.
  Qed.

  (** And no smaller delta, at any epsilon: the event that a key is released that the other map has not. *)
  Definition betrays (cs' : list Z) (ys : list (option Z)) := existsb (fun '(c',
    y) => (c' =? 0)%Z && is_some y) (combine cs' ys).

  Lemma release_betrays cs cs' : low cs cs' -> Pr (release q T cs) (betrays cs') = 1 - hidden q T cs cs'.
  Proof.
    intro H.
      induction H as [|c c' cs cs' Hc H IH].
      + unfold Pr, event; simpl. lra.
      + unfold Pr in *. simpl release. cbn [bind ret E].
        transitivity (entry q T c (fun y => hidden q T cs cs' * (if (c' =? 0)%Z then event is_some y else 0) +
          (1 - hidden q T cs cs'))).
        * apply E_ext; [apply test_bounded; intro y; apply E_test; intro; apply test_event|]. intro y.
          destruct ((c' =? 0)%Z && is_some y) eqn:Hy.
          -- apply andb_true_iff in Hy as [Hy1 Hy2]. rewrite Hy1. unfold event at 2. rewrite Hy2.
             transitivity (release q T cs (fun _ => 1)); [|rewrite E_const; ring]. ext.
             intro; unfold event, betrays; simpl; rewrite Hy1, Hy2; trivial.
          -- transitivity (release q T cs (event (betrays cs'))).
             ++ ext. intro; unfold event, betrays; simpl; rewrite Hy; trivial.
             ++ rewrite IH. unfold event. destruct (c' =? 0)%Z; simpl in Hy; rewrite ?Hy; ring.
        * rewrite E_affine; [|destruct (c' =? 0)%Z;
          auto with law]. simpl hidden. destruct (Z.eqb_spec c' 0) as [->|]; simpl.
          -- destruct (Z.eqb_spec c 0) as [->|H0]; simpl.
             ++ unfold event; simpl; ring.
             ++ change (entry q T c (fun y => event is_some y)) with (Pr (entry q T c) is_some).
               rewrite entry_shown by auto. ring.
          -- rewrite E_const. ring.
  Qed.

  Lemma release_never cs' : Pr (release q T cs') (betrays cs') = 0.
  Proof.
    induction cs' as [|c' cs' IH]; [unfold Pr, event; simpl; trivial|].
      unfold Pr in *. simpl release. cbn [bind ret E]. rewrite <- (E_const (entry q T c') 0).
      assert (forall y, (c' =? 0)%Z && is_some y = false ->
        release q T cs' (fun ys => event (betrays (c' :: cs')) (y :: ys)) = 0) as K.
      { intros y Hy. rewrite <- IH. ext. intro; unfold event, betrays; simpl; rewrite Hy; trivial. }
      unfold entry. destruct (Z.eqb_spec c' 0) as [->|H0].
      + cbn [ret E]. apply K; trivial.
      + apply E_ext; [apply test_bounded; intro; apply E_test; intro; apply test_event|]. intro y. apply K;
        trivial.
  Qed.

  Theorem release_tight eps delta cs cs' : low cs cs' ->
    close eps delta (release q T cs) (release q T cs') -> 1 - hidden q T cs cs' <= delta.
  Proof.
    intros H Hc. rewrite <- release_betrays by trivial. apply least_delta with (2 := Hc). apply release_never.
  Qed.

  (** ** In terms of distances *)

  Fixpoint hide (ks : list Z) : R := match ks with [] => 1 | c :: ks => (1 - shown q T c) * hide ks end.
  Fixpoint only (cs cs' : list Z) : list Z :=
    match cs, cs' with
    | c :: cs, c' :: cs' => if (c' =? 0)%Z && negb (c =? 0)%Z then c :: only cs cs' else only cs cs'
    | _, _ => []
    end.
  Fixpoint l0 (cs cs' : list Z) : nat :=
    match cs, cs' with c :: cs, c' :: cs' => (if (c =? c')%Z then 0 else 1) + l0 cs cs' | _, _ => 0 end.
  Definition size (ks : list Z) := fold_right (fun c n => Z.abs_nat c + n)%nat 0%nat ks.

  Definition near a0 a1 ai cs cs' := (l0 cs cs' <= a0 /\ l1 cs cs'
    <= a1)%nat /\ Forall2 (fun c c' => Z.abs (c - c') <= ai)%Z cs cs'.
  (** What one map may have alone: at most a0 keys, of a1 in all, each from 1 to ai. *)
  Definition packing a0 a1 ai ks := (length ks <= a0 /\ size ks <= a1)%nat /\ Forall (fun c => 1 <= Z.abs c
    <= ai)%Z ks.

  Lemma near_packing a0 a1 ai cs cs' : near a0 a1 ai cs cs' ->
    packing a0 a1 ai (only cs cs') /\ hidden q T cs cs' = hide (only cs cs').
  Proof.
    intros [[H0 H1] H].
    assert (length (only cs cs') <= l0 cs cs' /\ size (only cs cs') <= l1 cs cs')%nat as [] by
      (clear; revert cs'; induction cs as [|c cs IH]; intros [|c' cs']; simpl; try lia; specialize (IH cs');
       destruct (Z.eqb_spec c' 0), (Z.eqb_spec c 0), (Z.eqb_spec c c'); simpl; lia).
    repeat split; try lia.
    - clear - H. induction H as [|c c' cs cs' Hc H IH]; simpl; [constructor|].
      destruct (Z.eqb_spec c' 0), (Z.eqb_spec c 0); simpl; trivial. constructor; trivial. lia.
    - clear. revert cs'; induction cs as [|c cs IH]; intros [|c' cs']; simpl; trivial. rewrite IH.
      destruct ((c' =? 0)%Z && negb (c =? 0)%Z); simpl; ring.
  Qed.

  Lemma near_sym a0 a1 ai cs cs' : near a0 a1 ai cs cs' -> near a0 a1 ai cs' cs.
  Proof.
    assert (l0 cs' cs = l0 cs cs' /\ l1 cs' cs = l1 cs cs') as [E0 E1].
    { revert cs'; induction cs as [|c cs IH]; intros [|c' cs']; simpl; trivial;
      try lia. destruct (IH cs') as [-> ->].
      rewrite (Z.eqb_sym c' c). split; [trivial|f_equal; lia]. }
    intros [H01 H]. split; [rewrite E0, E1; trivial|]. clear - H. induction H; constructor; trivial. lia.
  Qed.

  Lemma near_low a0 a1 ai cs cs' : (ai <= T)%Z -> near a0 a1 ai cs cs' -> low cs cs'.
  Proof. intros Hai [_ H]. induction H; constructor; trivial. intros ->. lia. Qed.

  Theorem release_dp a0 a1 ai delta : (ai <= T)%Z -> (forall ks, packing a0 a1 ai ks -> 1 - hide ks <= delta) ->
    dp (near a0 a1 ai) (INR a1 * - ln q) delta (release q T).
  Proof.
    intros Hai Hd cs cs' H. pose proof (near_sym _ _ _ _ _ H) as H'.
    eapply close_weaken; [| |apply release_close; eapply near_low with (ai := ai); eauto].
    - apply Rmult_le_compat_r; [assert (ln q < ln 1) by (apply ln_increasing; lra); rewrite ln_1 in *; lra|].
      apply le_INR. destruct H as [[_ H1] _]. apply Nat.le_trans with (l1 cs cs'); trivial. clear.
      revert cs'; induction cs as [|c cs IH]; intros [|c' cs']; simpl; trivial. specialize (IH cs').
      destruct ((c =? 0)%Z || (c' =? 0)%Z); lia.
    - destruct (near_packing _ _ _ _ _ H) as [K ->], (near_packing _ _ _ _ _ H') as [K' ->]. apply Rmax_lub;
      auto.
  Qed.

  (** Every packing occurs, so delta is exactly the greatest of them. *)
  Theorem release_dp_tight a0 a1 ai eps delta ks : (0 <= ai <= T)%Z -> packing a0 a1 ai ks ->
    dp (near a0 a1 ai) eps delta (release q T) -> 1 - hide ks <= delta.
  Proof.
    intros Hai [[H0 H1] H] Hd. set (zs := map (fun _ => 0%Z) ks).
    assert (near a0 a1 ai ks zs) as Hn.
    { unfold zs; repeat split.
      - apply Nat.le_trans with (length ks); trivial. clear. induction ks as [|c ks IH]; simpl;
        trivial. destruct (c =? 0)%Z; lia.
      - apply Nat.le_trans with (size ks); trivial. clear. induction ks as [|c ks IH]; simpl; trivial. lia.
      - clear - H. induction H; simpl; constructor; trivial. lia. }
    replace (hide ks) with (hidden q T ks zs).
    - apply release_tight with eps; [exact (near_low _ _ _ _ _ (proj2 Hai) Hn)|apply Hd; trivial].
    - clear - H. unfold zs. induction H as [|c ks Hc H IH]; simpl;
      trivial. rewrite IH. destruct (Z.eqb_spec c 0); simpl; [lia|ring].
  Qed.

  (** What the seed counted, Pr[Z > T - c], for what it did, c + Z >= T: too small by 1/q. *)
  Theorem seed_boundary c : (c < T)%Z -> Pr (noisy q c) (Z.leb T) = / q * shown q T c.
  Proof.
    intro Hc. unfold shown. replace (Z.to_nat (T - c + 1)) with (S (Z.to_nat (T - 1 - c + 1))) by lia.
    assert (Pr (noisy q c) (Z.leb T) = Pr (laplace q) (Z.ltb (T - 1 - c))) as ->.
    { unfold Pr. cbn [noisy bind ret E]. ext.
      intro z. unfold event. destruct (Z.leb_spec T (c + z)), (Z.ltb_spec (T - 1 - c) z); lia || trivial. }
    rewrite laplace_tail by (trivial; lia). simpl. field. lra.
  Qed.
End Threshold.

(** ** Either sign: for T < 0 negate all values *)

Section Mirror.
  Variables (q : R) (T : Z).
  Hypotheses (Hq : 0 < q < 1) (HT : (T < 0)%Z).

  Lemma entry_mirror c f : bounded f -> entry q T c f = entry q (- T) (- c) (fun o => f (option_map Z.opp o)).
  Proof.
    intro Hf. unfold entry. destruct (Z.eqb_spec c 0), (Z.eqb_spec (- c) 0); try lia; trivial.
    cbn [bind noisy ret E]. assert (forall h : Z -> option Z, bounded (fun z => f (h z))) as Hb
      by (destruct Hf as [M HM]; exists M; intro; apply HM).
    rewrite <- (laplace_symmetric q Hq (fun z => f (keep T (c + z)))) by apply Hb.
    apply E_ext; [apply Hb|]. intro z. f_equal. unfold keep.
    destruct (Z.leb_spec 0 T), (Z.leb_spec 0 (- T)); try lia.
    destruct (Z.ltb_spec (c + - z) T), (Z.ltb_spec (- T) (- c + z)); try lia; simpl; f_equal; lia.
  Qed.

  Theorem release_mirror cs : forall f, bounded f ->
    release q T cs f = release q (- T) (map Z.opp cs) (fun ys => f (map (option_map Z.opp) ys)).
  Proof.
    induction cs as [|c cs IH]; intros f Hf; simpl; trivial.
    assert (forall h : list (option Z) -> list (option Z), bounded (fun ys => f (h ys))) as Hb
      by (destruct Hf as [M HM]; exists M; intro; apply HM).
    rewrite entry_mirror by (apply bounded_E, Hb || (destruct Hf as [M HM]; exists M; intro; apply E_within;
      intro; apply HM)).
    apply E_ext; [destruct Hf as [M HM]; exists M; intro; apply E_within; intro; apply HM|].
    intro o. rewrite IH by apply Hb. trivial.
  Qed.

  Lemma near_mirror a0 a1 ai cs cs' : near a0 a1 ai cs cs' -> near a0 a1 ai (map Z.opp cs) (map Z.opp cs').
  Proof.
    intros [[H0 H1] H]. assert (l0 (map Z.opp cs) (map Z.opp cs') = l0 cs cs' /\ l1 (map Z.opp cs)
      (map Z.opp cs') = l1 cs cs') as [E0 E1].
    { clear. revert cs'; induction cs as [|c cs IH]; intros [|c' cs']; simpl;
      auto. destruct (IH cs') as [-> ->].
      destruct (Z.eqb_spec (- c) (- c')), (Z.eqb_spec c c'); try lia; split; trivial; lia. }
    split; [lia|]. clear - H. induction H; simpl; constructor; trivial. lia.
  Qed.
End Mirror.

Lemma mirror_twice xs : map Z.opp (map Z.opp xs) = xs.
Proof. rewrite map_map. rewrite <- (map_id xs) at 2. apply map_ext. intro; lia. Qed.

(** The mechanism, at any threshold: epsilon from the common keys, delta the greatest over the packings. *)
Theorem keep_above_dp q T a0 a1 ai delta : 0 < q < 1 -> (ai <= Z.abs T)%Z ->
  (forall ks, packing a0 a1 ai ks -> 1 - hide q (Z.abs T) ks <= delta) ->
  dp (near a0 a1 ai) (INR a1 * - ln q) delta (release q T).
Proof.
  intros Hq Hai Hd. destruct (Z.lt_ge_cases T 0) as [HT|HT].
  - intros cs cs' Hn f Hf. rewrite !(release_mirror q T Hq HT) by (apply test_bounded; trivial).
    apply near_mirror in Hn. apply (release_dp q (- T) Hq ltac:(lia) a0 a1 ai delta); trivial; try lia.
    + intros ks Hk. replace (- T)%Z with (Z.abs T) by lia. auto.
    + intro; apply Hf.
  - replace (Z.abs T) with T in * by lia. apply release_dp; trivial; lia.
Qed.

Theorem keep_above_tight q T a0 a1 ai eps delta ks : 0 < q < 1 -> (0 <= ai <= Z.abs T)%Z ->
  packing a0 a1 ai ks ->
  dp (near a0 a1 ai) eps delta (release q T) -> 1 - hide q (Z.abs T) ks <= delta.
Proof.
  intros Hq Hai Hk Hd. destruct (Z.lt_ge_cases T 0) as [HT|HT].
  - replace (Z.abs T) with (- T)%Z in * by lia. apply (release_dp_tight q (- T) Hq ltac:(lia) a0 a1 ai eps);
    trivial.
    intros cs cs' Hn f Hf. apply near_mirror in Hn.
      specialize (Hd _ _ Hn (fun ys => f (map (option_map Z.opp) ys)) (fun _ => Hf _)).
    rewrite !(release_mirror q T Hq HT), !mirror_twice in Hd by (apply test_bounded; intro; apply Hf).
    assert (forall xs, release q (- T) xs (fun ys => f (map (option_map Z.opp) (map
      (option_map Z.opp) ys))) = release q (- T) xs f) as Hm.
    { intro xs. apply E_ext; [apply test_bounded; intro; apply Hf|]. intro ys. f_equal. rewrite map_map.
      rewrite <- (map_id ys) at 2. apply map_ext. intros [y|]; simpl; trivial. rewrite Z.opp_involutive;
        trivial. }
    rewrite !Hm in Hd. trivial.
  - replace (Z.abs T) with T in * by lia. apply (release_dp_tight q T Hq ltac:(lia) a0 a1 ai eps); trivial.
Qed.
