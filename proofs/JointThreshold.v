(** Any noise and a threshold, with keys that one map has and the other has not: what the noise on common keys loses at
    another epsilon, and what new keys tell, make one delta. So for discrete Gaussian noise. *)
From Coq Require Import ZArith Reals Lra Lia List Bool.
From Discreet Require Import Law Laplace KeepAbove TruncatedThreshold Sums Concentrated DiscreteGaussian.
Import ListNotations.
Open Scope R_scope.

(** Parts of two laws that are close at another epsilon. *)
Theorem parts_joint {T} a b eps delta (C D P Q : law T) : 0 < a <= 1 -> 0 < b <= 1 -> part a C P -> part b D Q ->
  close (eps + ln b - ln a) delta C D -> close eps (1 - a + a * delta) P Q.
Proof.
  intros Ha Hb HP HQ H f Hf. specialize (H f Hf). specialize (HQ f Hf).
  specialize (HP (fun x => 1 - f x) ltac:(intro x; specialize (Hf x); cbv beta; lra)).
  assert (forall L : law T, L (fun x => 1 - f x) = 1 - L f) as Hn.
  { intro L. replace (1 - L f) with (-1 * L f + 1) by ring. rewrite <- E_affine by auto with law.
    apply E_ext; [|intro; ring]. apply test_bounded. intro x. specialize (Hf x). lra. }
  rewrite !Hn in HP. pose proof (exp_pos eps).
  replace (exp (eps + ln b - ln a)) with (exp eps * b / a) in H
    by (unfold Rminus, Rdiv; rewrite !exp_plus, exp_Ropp, !exp_ln by lra; trivial).
  assert (a * C f <= exp eps * (b * D f) + a * delta).
  { apply Rmult_le_compat_l with (r := a) in H; [|lra].
    replace (a * (exp eps * b / a * D f + delta)) with (exp eps * (b * D f) + a * delta) in H by (field; lra). trivial. }
  assert (exp eps * (b * D f) <= exp eps * Q f) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Section Noise.
  Variables (noise : Z -> law Z) (T : Z).

  Definition any_entry (c : Z) : law (option Z) := if (c =? 0)%Z then ret None else y <- noise c ;; ret (keep T y).
  Fixpoint any_release (cs : list Z) : law (list (option Z)) :=
    match cs with [] => ret [] | c :: cs => y <- any_entry c ;; ys <- any_release cs ;; ret (y :: ys) end.

  (** How likely all keys of the first map only are hidden; the values of the keys that both have, with noise. *)
  Fixpoint hides (cs cs' : list Z) : R :=
    match cs, cs' with
    | c :: cs, c' :: cs' => (if (c' =? 0)%Z then Pr (any_entry c) unseen else 1) * hides cs cs'
    | _, _ => 1
    end.
  Fixpoint commons (cs cs' : list Z) : list Z :=
    match cs, cs' with
    | c :: cs, c' :: cs' => if (c =? 0)%Z || (c' =? 0)%Z then commons cs cs' else c :: commons cs cs'
    | _, _ => []
    end.
  Fixpoint noisy_all (xs : list Z) : law (list Z) :=
    match xs with [] => ret [] | x :: xs => y <- noise x ;; ys <- noisy_all xs ;; ret (y :: ys) end.

  (** What is shown of common values, and nothing of other keys. *)
  Fixpoint placed (cs cs' ys : list Z) : list (option Z) :=
    match cs, cs' with
    | c :: cs, c' :: cs' => if (c =? 0)%Z || (c' =? 0)%Z then None :: placed cs cs' ys
      else match ys with [] => [] | y :: ys => keep T y :: placed cs cs' ys end
    | _, _ => []
    end.

  Lemma hides_in cs : forall cs', 0 <= hides cs cs' <= 1.
  Proof.
    induction cs as [|c cs IH]; intros [|c' cs']; simpl; try lra. specialize (IH cs').
    destruct (c' =? 0)%Z; [|lra]. assert (0 <= Pr (any_entry c) unseen <= 1) by apply E_test, test_event. nra.
  Qed.

  Lemma release_placed cs : forall cs', length cs = length cs' ->
    part (hides cs cs') (ys <- noisy_all (commons cs cs') ;; ret (placed cs cs' ys)) (any_release cs).
  Proof.
    induction cs as [|c cs IH]; intros [|c' cs'] Hl; simpl in Hl; try discriminate; [intros f Hf; simpl; lra|].
    specialize (IH cs' ltac:(lia)). cbn [hides commons any_release]. pose proof (hides_in cs cs') as Hh.
    destruct (Z.eqb_spec c 0) as [->|H0]; cbn [orb].
    - replace (if (c' =? 0)%Z then Pr (any_entry 0) unseen else 1) with 1
        by (destruct (c' =? 0)%Z; [unfold Pr, event; simpl|]; trivial). rewrite Rmult_1_l.
      intros f Hf. exact (IH (fun ys => f (None :: ys)) ltac:(intro; apply Hf)).
    - destruct (Z.eqb_spec c' 0) as [->|H0'].
      + intros f Hf. specialize (IH (fun ys => f (None :: ys)) ltac:(intro; apply Hf)).
        pose proof (part_unseen (any_entry c) (fun y => any_release cs (fun ys => f (y :: ys)))
          ltac:(intro; apply E_test; intro; apply Hf)) as Hp.
        assert (0 <= Pr (any_entry c) unseen) by apply E_test, test_event.
        cbn [bind ret E placed] in *. destruct (Z.eqb_spec c 0); [tauto|]. cbn [orb Z.eqb] in *.
        rewrite Rmult_assoc. eapply Rle_trans; [apply Rmult_le_compat_l; [trivial|exact IH]|]. exact Hp.
      + pose proof (part_bind 1 (hides cs cs') (noise c) (noise c)
          (fun y => ys <- noisy_all (commons cs cs') ;; ret (keep T y :: placed cs cs' ys))
          (fun y => ys <- any_release cs ;; ret (keep T y :: ys)) ltac:(lra) ltac:(lra) (part_refl _)) as Hp.
        intros f Hf. unfold any_entry. cbn [noisy_all placed]. destruct (Z.eqb_spec c 0), (Z.eqb_spec c' 0); try tauto. cbn [orb].
        apply Hp; trivial. intros y g Hg. exact (IH (fun ys => g (keep T y :: ys)) ltac:(intro; apply Hg)).
  Qed.

  (** The releases: what common values lose at another epsilon, and what new keys tell, make one delta. *)
  Theorem any_release_close cs cs' eps delta : length cs = length cs' -> 0 < hides cs cs' -> 0 < hides cs' cs ->
    close (eps + ln (hides cs' cs) - ln (hides cs cs')) delta (noisy_all (commons cs cs')) (noisy_all (commons cs' cs)) ->
    close eps (1 - hides cs cs' + hides cs cs' * delta) (any_release cs) (any_release cs').
  Proof.
    intros Hl Ha Hb H. pose proof (hides_in cs cs'). pose proof (hides_in cs' cs).
    apply (parts_joint (hides cs cs') (hides cs' cs) eps delta
      (ys <- noisy_all (commons cs cs') ;; ret (placed cs cs' ys)) (ys <- noisy_all (commons cs' cs) ;; ret (placed cs cs' ys)));
      try lra; [apply release_placed; trivial| |apply postprocessing; trivial].
    assert (forall ys, placed cs cs' ys = placed cs' cs ys) as Hs.
    { clear. revert cs'; induction cs as [|c cs IH]; intros [|c' cs'] ys; cbn [placed]; trivial.
      rewrite (orb_comm (c' =? 0)%Z). destruct ((c =? 0)%Z || (c' =? 0)%Z); [rewrite IH; trivial|].
      destruct ys; [|rewrite IH]; trivial. }
    intros f Hf. pose proof (release_placed cs' cs (eq_sym Hl) f Hf) as Hp. cbn [bind ret E] in *.
    rewrite (E_ext _ _ (fun ys => f (placed cs' cs ys))); [exact Hp|apply test_bounded; intro; apply Hf|].
    intro ys. rewrite Hs. trivial.
  Qed.
End Noise.

(** So for discrete Gaussian noise, with whatever delta its vectors have. *)
Theorem gaussian_threshold_close v T cs cs' eps delta : length cs = length cs' ->
  0 < hides (noised v) T cs cs' -> 0 < hides (noised v) T cs' cs ->
  close (eps + ln (hides (noised v) T cs' cs) - ln (hides (noised v) T cs cs')) delta
    (noiseds v (commons cs cs')) (noiseds v (commons cs' cs)) ->
  close eps (1 - hides (noised v) T cs cs' + hides (noised v) T cs cs' * delta)
    (any_release (noised v) T cs) (any_release (noised v) T cs').
Proof.
  intros Hl Ha Hb H. apply any_release_close; trivial.
  assert (forall xs, noisy_all (noised v) xs = noiseds v xs) as E
    by (induction xs as [|x xs IH]; simpl; [|rewrite IH]; trivial).
  rewrite !E. trivial.
Qed.
