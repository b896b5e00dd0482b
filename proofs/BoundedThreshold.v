(** A threshold on counts between bounds: what is released is brought back between them, and less can differ. *)
From Coq Require Import ZArith Reals Lra Lia List Bool.
From Discreet Require Import Law Laplace KeepAbove LaplaceThreshold AddNoise.
Import ListNotations.
Open Scope R_scope.

(** Maps over k keys, whose values are 0 or between the bounds. *)
Definition bounded_maps k lo hi a0 a1 ai (cs cs' : list Z) := (length cs = k /\ length cs' = k) /\
  Forall (fun c => c = 0 \/ lo <= c <= hi)%Z cs /\ Forall (fun c => c = 0 \/ lo <= c <= hi)%Z cs' /\ near a0 a1 ai cs cs'.

Definition brought_back lo hi q T (cs : list Z) : law (list (option Z)) :=
  ys <- release q T cs ;; ret (map (option_map (saturate lo hi)) ys).

(** What one map may have alone: so many keys, of so much in all, each from the least value to the greatest. *)
Definition bounded_packing k lo hi a0 a1 ai ks :=
  packing (Nat.min (Nat.min a0 k) (a1 / Z.to_nat lo)) a1 (Z.min ai hi) ks /\ Forall (fun c => lo <= c)%Z ks.

(** Whether a key is shown does not change. *)
Local Lemma still_betrays g zs : forall ys, betrays zs (map (option_map g) ys) = betrays zs ys.
Proof.
  unfold betrays. induction zs as [|z zs IH]; intros [|[y|] ys]; simpl; trivial; rewrite IH; trivial.
Qed.

Section Bounds.
  Variables (q : R) (T lo hi : Z) (k a0 a1 ai : nat).
  Hypotheses (Hq : 0 < q < 1) (Hlo : (1 <= lo <= hi)%Z) (HT : (Z.min (Z.of_nat ai) hi <= T)%Z).

  Local Lemma common_within cs cs' : bounded_maps k lo hi a0 a1 (Z.of_nat ai) cs cs' ->
    (common cs cs' <= farthest (Nat.min a0 k) a1 (Nat.min ai (Z.to_nat (hi - lo))))%nat.
  Proof.
    intros ((Hk & Hk') & Hv & Hv' & (H0 & H1) & H). set (w := Nat.min ai (Z.to_nat (hi - lo))).
    assert (common cs cs' <= l1 cs cs')%nat.
    { clear. revert cs'. induction cs as [|c cs IH]; intros [|c' cs']; simpl; trivial. specialize (IH cs').
      destruct ((c =? 0)%Z || (c' =? 0)%Z); lia. }
    assert (common cs cs' <= l0 cs cs' * w)%nat.
    { clear - Hv Hv' H. induction H as [|c c' cs cs' Hc H IH]; simpl; [lia|]. inversion Hv as [|? ? V Hvs]; subst.
      inversion Hv' as [|? ? V' Hvs']; subst. specialize (IH Hvs Hvs'). rewrite Nat.mul_add_distr_r.
      destruct (Z.eqb_spec c 0), (Z.eqb_spec c' 0); simpl; try lia.
      destruct (Z.eqb_spec c c') as [->|]; [rewrite Z.sub_diag; simpl; lia|].
      assert (Z.abs_nat (c - c') <= w)%nat by (unfold w; lia). lia. }
    assert (l0 cs cs' <= length cs)%nat.
    { clear. revert cs'. induction cs as [|c cs IH]; intros [|c' cs']; simpl; try lia. specialize (IH cs').
      destruct (c =? c')%Z; lia. }
    unfold farthest. pose proof (Nat.mul_le_mono_r (l0 cs cs') (Nat.min a0 k) w ltac:(lia)). lia.
  Qed.

  Local Lemma alone cs cs' : bounded_maps k lo hi a0 a1 (Z.of_nat ai) cs cs' ->
    bounded_packing k lo hi a0 a1 (Z.of_nat ai) (only cs cs') /\ hidden q T cs cs' = hide q T (only cs cs').
  Proof.
    intros ((Hk & Hk') & Hv & _ & Hn). destruct (near_packing q T _ _ _ _ _ Hn) as [[[P0 P1] P] ->]. split; trivial.
    assert (Forall (fun c => lo <= c <= hi)%Z (only cs cs')) as Hb.
    { clear - Hv. revert cs'. induction Hv as [|c cs V Hv IH]; intros [|c' cs']; simpl; try constructor.
      destruct (Z.eqb_spec c' 0), (Z.eqb_spec c 0); simpl; auto. constructor; [lia|auto]. }
    assert (length (only cs cs') <= length cs)%nat.
    { clear. revert cs'. induction cs as [|c cs IH]; intros [|c' cs']; simpl; try lia. specialize (IH cs').
      destruct ((c' =? 0)%Z && negb (c =? 0)%Z); simpl; lia. }
    assert (length (only cs cs') * Z.to_nat lo <= size (only cs cs'))%nat.
    { clear - Hb Hlo. induction Hb as [|c ks Hc Hb IH]; simpl; [lia|]. fold (size ks). lia. }
    assert (length (only cs cs') <= a1 / Z.to_nat lo)%nat by (apply Nat.div_le_lower_bound; lia).
    split; [split; [lia|]|].
    - clear - P Hb Hlo. induction P as [|c ks Hc P IH]; constructor; inversion Hb; subst; [lia|auto].
    - clear - Hb. induction Hb; constructor; trivial. lia.
  Qed.

  Local Lemma bounded_low cs cs' : bounded_maps k lo hi a0 a1 (Z.of_nat ai) cs cs' -> low T cs cs'.
  Proof.
    intros (_ & Hv & _ & _ & H). clear - Hv H HT Hlo. induction H as [|c c' cs cs' Hc H IH]; constructor.
    - inversion Hv; subst. intros ->. lia.
    - inversion Hv; subst. apply IH. trivial.
  Qed.

  Local Lemma bounded_sym cs cs' : bounded_maps k lo hi a0 a1 (Z.of_nat ai) cs cs' ->
    bounded_maps k lo hi a0 a1 (Z.of_nat ai) cs' cs.
  Proof. intros ((Hk & Hk') & Hv & Hv' & Hn). repeat split; trivial; apply (near_sym _ _ _ _ _ Hn). Qed.

  Theorem bounded_threshold_dp bottom delta :
    (forall ks, bounded_packing k lo hi a0 a1 (Z.of_nat ai) ks -> 1 - hide q T ks <= delta) ->
    dp (bounded_maps k lo hi a0 a1 (Z.of_nat ai))
      (INR (farthest (Nat.min a0 k) a1 (Nat.min ai (Z.to_nat (hi - lo)))) * - ln q) delta (brought_back bottom hi q T).
  Proof.
    intros Hd cs cs' H. apply postprocessing. pose proof (bounded_sym _ _ H) as H'.
    eapply close_weaken; [| |apply (release_close q T Hq ltac:(lia)); apply bounded_low; trivial].
    - apply Rmult_le_compat_r; [assert (ln q < ln 1) by (apply ln_increasing; lra); rewrite ln_1 in *; lra|].
      apply le_INR, common_within, H.
    - destruct (alone _ _ H) as [P ->], (alone _ _ H') as [P' ->]. apply Rmax_lub; auto.
  Qed.

  (** Every such packing occurs, so no smaller delta will do, at any epsilon. *)
  Theorem bounded_threshold_tight bottom eps delta ks : bounded_packing k lo hi a0 a1 (Z.of_nat ai) ks ->
    dp (bounded_maps k lo hi a0 a1 (Z.of_nat ai)) eps delta (brought_back bottom hi q T) -> 1 - hide q T ks <= delta.
  Proof.
    intros [[[P0 P1] P] Pl] Hd. set (cs := ks ++ repeat 0%Z (k - length ks)). set (zs := map (fun _ => 0%Z) cs).
    assert (length cs = k) as Hk by (unfold cs; rewrite app_length, repeat_length; lia).
    assert (forall xs, size (xs ++ repeat 0%Z (k - length ks)) = size xs) as Hz.
    { intro xs. unfold size. rewrite fold_right_app. f_equal. generalize (k - length ks)%nat. clear.
      induction n; simpl; lia. }
    assert (Forall (fun c => c = 0 \/ lo <= c <= hi)%Z cs /\ Forall (fun c => Z.abs c <= Z.of_nat ai)%Z cs) as [Hv Ha].
    { split; apply Forall_app; split; try (apply Forall_forall; intros x Hx; apply repeat_spec in Hx; lia).
      - clear - P Pl Hlo. induction P as [|c ks Hc P IH]; inversion Pl; subst; constructor; auto. right. lia.
      - clear - P. induction P as [|c ks Hc P IH]; constructor; auto. lia. }
    assert (bounded_maps k lo hi a0 a1 (Z.of_nat ai) cs zs) as Hn.
    { repeat split; trivial.
      - unfold zs. rewrite map_length. trivial.
      - apply Forall_forall. intros x Hx. apply in_map_iff in Hx as (? & <- & _). auto.
      - apply Nat.le_trans with (length ks); [|lia]. unfold zs, cs. generalize (k - length ks)%nat.
        clear. intro n. induction ks as [|c ks IH]; simpl; [induction n; simpl; trivial|destruct (c =? 0)%Z; lia].
      - apply Nat.le_trans with (size cs); [|unfold cs; rewrite Hz; trivial]. unfold zs. clear.
        induction cs as [|c cs IH]; simpl; trivial. fold (size cs). rewrite Z.sub_0_r. lia.
      - unfold zs. clear - Ha. induction Ha; simpl; constructor; trivial. lia. }
    specialize (Hd cs zs Hn). apply least_delta with (A := betrays zs) in Hd.
    - assert (Pr (brought_back bottom hi q T cs) (betrays zs) = 1 - hide q T ks) as <-; trivial.
      transitivity (Pr (release q T cs) (betrays zs)).
      + unfold Pr, brought_back. cbn [bind ret E]. ext. intro ys. unfold event. rewrite still_betrays. trivial.
      + rewrite (release_betrays q T Hq ltac:(lia)) by (apply bounded_low; trivial). destruct (alone _ _ Hn) as [_ ->]. do 2 f_equal.
        unfold zs, cs. generalize (k - length ks)%nat. clear - P. intro n. induction P as [|c ks Hc P IH]; simpl.
        * induction n; simpl; trivial.
        * destruct (Z.eqb_spec c 0); [lia|]. simpl. f_equal. apply IH.
    - transitivity (Pr (release q T zs) (betrays zs)); [|apply release_never].
      unfold Pr, brought_back. cbn [bind ret E]. ext. intro ys. unfold event. rewrite still_betrays. trivial.
  Qed.
End Bounds.
