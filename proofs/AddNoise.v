(** Laplace noise on numbers between bounds, and brought back between them: the bounds limit how far apart data are.
  *)
From Coq Require Import ZArith Reals Lra Lia List Bool.
From Discreet Require Import Law Laplace KeepAbove Packing LaplaceThreshold.
Import ListNotations.
Open Scope R_scope.

Definition saturate (lo hi y : Z) := Z.max lo (Z.min y hi).
Definition saturated q lo hi (xs : list Z) : law (list Z) := ys <- noisies q xs ;; ret (map (saturate lo hi) ys).

(** Vectors of k numbers between the bounds. *)
Definition bounded_near k lo hi a0 a1 ai (xs xs' : list Z) := (length xs = k /\ length xs' = k) /\
  Forall (fun x => lo <= x <= hi)%Z xs /\ Forall (fun x => lo <= x <= hi)%Z xs' /\ near a0 a1 ai xs xs'.

(** How far apart two of them may be in all, if numbers differ by at most ai. *)
Definition farthest (a0 a1 ai : nat) := Nat.min a1 (a0 * ai).

Lemma differ_by xs : forall xs' ai, Forall2 (fun c c' => Z.abs (c - c') <= Z.of_nat ai)%Z xs xs' -> (l1 xs xs' <=
  l0 xs xs' * ai)%nat.
Proof.
  intros xs' ai H. induction H as [|c c' xs xs' Hc H IH]; simpl; trivial. destruct (Z.eqb_spec c c') as [->|]; simpl;
    lia.
Qed.

Section Bounds.
  Variables (q : R) (lo hi : Z).
  Hypotheses (Hq : 0 < q < 1) (Hb : (lo <= hi)%Z).

  Local Lemma loss_pos : 0 <= - ln q.
  Proof. assert (ln q < ln 1) by (apply ln_increasing; lra). rewrite ln_1 in *. lra. Qed.

  Theorem saturated_dp k a0 a1 ai : dp (bounded_near k lo hi a0 a1 (Z.of_nat ai))
    (INR (farthest (Nat.min a0 k) a1 (Nat.min ai (Z.to_nat (hi - lo)))) * - ln q) 0 (saturated q lo hi).
  Proof.
    intros xs xs' ((Hk & Hk') & Hi & Hi' & (H0 & H1) & H). apply postprocessing.
    eapply close_weaken; [| |apply noisies_close; trivial; lia]; [|lra]. apply Rmult_le_compat_r; [apply loss_pos|].
      apply le_INR.
    assert (l0 xs xs' <= length xs)%nat by (clear; revert xs'; induction xs as [|c xs IH]; intros [|c' xs']; simpl;
      try lia; specialize (IH xs'); destruct (c =? c')%Z; lia).
    assert (l1 xs xs' <= l0 xs xs' * Nat.min ai (Z.to_nat (hi - lo)))%nat as Hl.
    { apply differ_by. clear - Hi Hi' H. induction H as [|c c' xs xs' Hc H IH]; constructor; [|apply IH];
      inversion Hi; inversion Hi'; subst; trivial; lia. }
    unfold farthest. apply Nat.min_glb; trivial. eapply Nat.le_trans; [apply Hl|]. apply Nat.mul_le_mono_r. lia.
  Qed.

  (** All come out at the upper bound. *)
  Local Lemma top_law xs : (lo < hi)%Z -> Forall (fun x => x <= hi)%Z xs ->
    Pr (saturated q lo hi xs) (forallb (Z.eqb hi)) = (/ (1 + q)) ^ length xs * q ^ l1 (map (fun _ => hi) xs) xs.
  Proof.
    intros Hlt H. unfold Pr, saturated. cbn [bind ret E]. induction H as [|x xs Hx H IH]; [simpl; unfold event;
      simpl; ring|].
    cbn [noisies noisy bind ret E]. transitivity (laplace q (fun z => noisies q xs (fun ys => event (forallb (Z.eqb
      hi)) (map (saturate lo hi) ys)) * event (Z.leb (hi - x)) z + 0)).
    - apply E_ext; [apply test_bounded; intro; apply E_test; intro; apply test_event|]. intro z. rewrite Rplus_0_r.
      unfold event at 3.
      assert (Z.eqb hi (saturate lo hi (x + z)) = Z.leb (hi - x) z) as Hs.
      { unfold saturate. destruct (Z.leb_spec (hi - x) z), (Z.eqb_spec hi (Z.max lo (Z.min (x + z) hi))); trivial;
        lia. }
      destruct (Z.leb (hi - x) z) eqn:Ez.
      + rewrite Rmult_1_r. apply E_ext; [apply test_bounded; intro; apply test_event|]. intro ys. unfold event.
        simpl. rewrite Hs. trivial.
      + rewrite Rmult_0_r. rewrite <- (E_const (noisies q xs) 0). apply E_ext; [apply test_bounded; intro;
        apply test_event|].
        intro ys. unfold event. simpl. rewrite Hs. trivial.
    - rewrite E_affine by auto with law. fold (Pr (laplace q) (Z.leb (hi - x))).
      rewrite IH, laplace_at_least by trivial.
      cbn [map length l1 pow]. rewrite pow_add. destruct (Z.ltb_spec 0 (hi - x)).
      + replace (Z.to_nat (hi - x)) with (Z.abs_nat (hi - x)) by lia. field. lra.
      + replace (hi - x)%Z with 0%Z by lia. simpl. field. lra.
  Qed.

  Theorem saturated_tight k a0 a1 ai eps : dp (bounded_near k lo hi a0 a1 (Z.of_nat ai)) eps 0 (saturated q lo hi) ->
    INR (farthest (Nat.min a0 k) a1 (Nat.min ai (Z.to_nat (hi - lo)))) * - ln q <= eps.
  Proof.
    intro H. set (n := Nat.min a0 k). set (w := Nat.min ai (Z.to_nat (hi - lo))). set (a := farthest n a1 w).
    destruct (spread_out n a w) as (es & Hl & Hw & Hd); [unfold a, farthest; lia|].
    set (ds := es ++ repeat 0%nat (k - n)). set (xs' := map (fun d => hi - Z.of_nat d)%Z ds).
      set (xs := map (fun _ => hi) ds).
    assert (length ds = k) as Lk by (unfold ds; rewrite app_length, repeat_length; lia).
    assert (Forall (fun d => d <= w)%nat ds) as Hds.
    { apply Forall_app. split; trivial. apply Forall_forall. intros d Hin. apply repeat_spec in Hin. lia. }
    assert (whole ds = a) as Hwd.
    { unfold ds. rewrite whole_app, whole_repeat. lia. }
    assert (l1 xs xs' = a) as H1.
    { rewrite <- Hwd. unfold xs, xs'. clear. induction ds as [|d ds IH]; simpl; trivial. rewrite IH. unfold whole.
      simpl. lia. }
    assert (l0 xs xs' <= a0)%nat as H0.
    { assert (forall es, l0 (map (fun _ => hi) es) (map (fun d => hi - Z.of_nat d)%Z es) <= length es)%nat as K
        by (induction es0 as [|d l IH]; simpl; trivial; destruct (_ =? _)%Z; lia).
      unfold xs, xs', ds. clear - Hl K. specialize (K es). rewrite !map_app.
      enough (forall u, l0 (map (fun _ => hi) u ++ map (fun _ => hi) (repeat 0%nat (k - n))) (map (fun d => hi -
        Z.of_nat d)%Z u ++ map (fun d => hi - Z.of_nat d)%Z (repeat 0%nat (k - n))) =
        l0 (map (fun _ => hi) u) (map (fun d => hi - Z.of_nat d)%Z u)) as -> by lia.
      induction u as [|d u IH]; simpl; [|rewrite IH; trivial]. induction (k - n)%nat as [|j IH]; simpl; trivial.
      rewrite IH. destruct (Z.eqb_spec hi (hi - 0)); lia. }
    assert (close eps 0 (saturated q lo hi xs) (saturated q lo hi xs')) as Hc.
    { apply H. repeat split; unfold xs, xs'; rewrite ?map_length; trivial.
      - apply Forall_forall. intros x Hx. apply in_map_iff in Hx as (d & <- & _). lia.
      - apply Forall_forall. intros x Hx. apply in_map_iff in Hx as (d & <- & Hin). rewrite Forall_forall in Hds.
        specialize (Hds d Hin). lia.
      - fold xs xs'. rewrite H1. unfold a, farthest. lia.
      - clear - Hds. induction Hds as [|d ds Hd H IH]; simpl; constructor; trivial. unfold w in *. lia. }
    rewrite <- H1. destruct (Z.eq_dec lo hi) as [E|E].
    - assert (a = 0%nat) as Z0 by (unfold a, farthest, w; rewrite E, Z.sub_diag; simpl; lia). rewrite H1, Z0. simpl.
      rewrite Rmult_0_l.
      apply close_events with (A := fun _ => true) in Hc. unfold Pr, event in Hc. rewrite !E_const in Hc.
      apply Rnot_lt_le. intro Hlt. apply exp_increasing in Hlt. rewrite exp_0 in Hlt. lra.
    - apply close_events with (A := forallb (Z.eqb hi)) in Hc. rewrite !top_law in Hc; try lia;
        [|apply Forall_forall; intros x Hx; apply in_map_iff in Hx as (d & <- & _); lia ..].
      unfold xs, xs' in Hc. rewrite !map_map, !map_length in Hc. fold xs xs' in Hc.
      assert (forall xs, l1 xs xs = 0%nat) as Hz by (induction xs0 as [|x l IH]; simpl; lia). rewrite Hz in Hc.
      exact (least_power q _ _ eps Hq (pow_lt _ (length ds) (Rinv_0_lt_compat (1 + q) ltac:(lra))) Hc).
  Qed.
End Bounds.
