(** RAPPOR for many reports: a permanent response, and fresh coins on it for each report. *)
From Coq Require Import Reals Lra Lia List Bool.
From Discreet Require Import Law Rappor OptimizedUnary.
Import ListNotations.
Open Scope R_scope.

(** As the Python draws it: two coins for each bit, of which one is looked at. *)
Fixpoint report (p q : R) (memo : list bool) : law (list bool) :=
  match memo with
  | [] => ret []
  | b :: memo => zero <- flip p ;; one <- flip q ;; y <- report p q memo ;; ret ((if b then one else zero) :: y)
  end.
Fixpoint reports (p q : R) (r : nat) (memo : list bool) : law (list (list bool)) :=
  match r with
  | O => ret []
  | S r => y <- report p q memo ;; ys <- reports p q r memo ;; ret (y :: ys)
  end.

(** r reports of one person, from one permanent response. *)
Definition longitudinal (g p q : R) (r : nat) (x : list bool) : law (list (list bool)) :=
  memo <- rappor g x ;; reports p q r memo.

(** What one bit loses, if the likeliest sign of the other permanent bit is t times as likely. *)
Definition gain (g t : R) := ln ((t * g + (1 - g)) / (t * (1 - g) + g)).
Definition ones (g p q : R) (r : nat) := gain g ((p / q) ^ r).
Definition zeros (g p q : R) (r : nat) := gain g (((1 - q) / (1 - p)) ^ r).
Definition longitudinal_loss (g p q : R) (r k m : nat) :=
  let bits := INR (Nat.min (2 * m) k) in
  (ones g p q r + zeros g p q r) * (bits - INR m) + Rmax (ones g p q r) (zeros g p q r) * (2 * INR m - bits).

Section Longitudinal.
  Variables g p q : R.
  Hypotheses (Hg : 0 < g <= / 2) (Hpq : 0 <= p < q /\ q <= 1).

  Lemma report_coins memo : report p q memo = coins q p memo.
  Proof.
    apply law_ext. induction memo as [|b memo IH]; intro f; trivial. cbn [report coins bind ret E].
    rewrite !flip_is by (destruct b; lra). rewrite !IH. destruct b; ring.
  Qed.

  (** ** One bit *)

  Local Lemma gain_exp t : 0 <= t <= 1 -> exp (gain g t) * (t * (1 - g) + g) = t * g + (1 - g) /\ 1 <= exp (gain g t).
  Proof.
    intro Ht. assert (0 < t * (1 - g) + g) by nra. assert (0 < t * g + (1 - g)) by nra. unfold gain.
    rewrite exp_ln by (apply Rdiv_lt_0_compat; trivial). split; [field; lra|].
    apply Rmult_le_reg_r with (1 := H). unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. nra.
  Qed.

  Lemma gain_pos t : 0 <= t <= 1 -> 0 <= gain g t.
  Proof.
    intro Ht. pose proof (gain_exp t Ht) as [_ H]. apply Rnot_lt_le. intro Hn. apply exp_increasing in Hn.
    rewrite exp_0 in Hn. lra.
  Qed.

  (** Q where a permanent bit is what it was, P where it was flipped: then the reverse. *)
  Lemma mixed {T} t (Q P : law T) : 0 <= t <= 1 -> part t Q P ->
    close (gain g t) 0 (n <- flip g ;; if n then P else Q) (n <- flip g ;; if n then Q else P).
  Proof.
    intros Ht H f Hf. specialize (H f Hf). cbn [bind E]. rewrite !flip_is by lra.
    destruct (gain_exp t Ht) as [He H1]. set (a := exp (gain g t)) in *. clearbody a.
    pose proof (E_test Q f Hf). pose proof (E_test P f Hf). set (y := Q f) in *. set (z := P f) in *. clearbody y z.
    assert (0 <= a * (1 - g) - g) by nra. replace (a * (g * y + (1 - g) * z) + 0) with (a * g * y +
      (a * (1 - g) - g) * z + g * z) by ring.
    assert ((a * (1 - g) - g) * (t * y) <= (a * (1 - g) - g) * z) by (apply Rmult_le_compat_l; trivial).
    replace ((a * (1 - g) - g) * (t * y)) with ((1 - g - a * g) * y) in * by (replace (1 - g - a * g) with
      (t * (a * (1 - g) - g)) by lra; ring).
    lra.
  Qed.

  Local Lemma part_up : part (p / q) (flip q) (flip p).
  Proof.
    intros f Hf. rewrite !flip_is by lra. pose proof (Hf true). pose proof (Hf false).
    replace (p / q * (q * f true + (1 - q) * f false)) with (p * f true + (p / q - p) * f false) by (field; lra).
    assert (p / q <= 1) by (apply Rmult_le_reg_r with q; [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra). nra.
  Qed.

  Local Lemma part_down : part ((1 - q) / (1 - p)) (flip p) (flip q).
  Proof.
    intros f Hf. rewrite !flip_is by lra. pose proof (Hf true). pose proof (Hf false). set (s := (1 - q) / (1 - p)).
    assert (s * (1 - p) = 1 - q) as Hs by (unfold s; field; lra).
    assert (0 <= s <= 1).
    { split; [apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]|].
      apply Rmult_le_reg_r with (1 - p); [lra|]. rewrite Hs. lra. }
    replace (s * (p * f true + (1 - p) * f false)) with (s * p * f true + s * (1 - p) * f false) by ring. rewrite Hs.
      nra.
  Qed.

  (** The share of one response's reports in those of another that differs in one bit. *)
  Definition share (b : bool) := if b then p / q else (1 - q) / (1 - p).

  Local Lemma share_in b : 0 <= share b < 1.
  Proof.
    destruct b; simpl; (split; [apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]|]);
      [apply Rmult_lt_reg_r with q|apply Rmult_lt_reg_r with (1 - p)]; try lra; unfold Rdiv;
        rewrite Rmult_assoc, Rinv_l; lra.
  Qed.

  Local Lemma share_pow b r : 0 <= share b ^ r <= 1.
  Proof. pose proof (share_in b). split; [apply pow_le; lra|]. rewrite <- (pow1 r). apply pow_incr. lra. Qed.

  Lemma part_report b a c : part (share b) (report p q (a ++ b :: c)) (report p q (a ++ negb b :: c)).
  Proof.
    rewrite !report_coins. pose proof (share_in b). induction a as [|d a IH]; cbn [app coins].
    - rewrite <- (Rmult_1_r (share b)). apply part_bind; try lra; [|intro; apply part_refl].
      destruct b; simpl; [apply part_up|apply part_down].
    - rewrite <- (Rmult_1_l (share b)). apply part_bind; try lra; [apply part_refl|]. intro u.
      rewrite <- (Rmult_1_r (share b)). apply part_bind; try lra; trivial. intro; apply part_refl.
  Qed.

  Lemma part_reports b a c r : part (share b ^ r) (reports p q r (a ++ b :: c)) (reports p q r (a ++ negb b :: c)).
  Proof.
    pose proof (share_in b). induction r as [|r IH]; [apply part_refl|]. cbn [reports pow].
      pose proof (share_pow b r).
    apply part_bind; try lra; [apply part_report|]. intro u. rewrite <- (Rmult_1_r (share b ^ r)).
    apply part_bind; try lra; trivial. intro; apply part_refl.
  Qed.

  Lemma rappor_app u v f : rappor g (u ++ v) f = rappor g u (fun a => rappor g v (fun c => f (a ++ c))).
  Proof.
    revert f. induction u as [|b u IH]; intro f; trivial. cbn [app rappor bind ret E]. rewrite !flip_is by lra.
      rewrite !IH. trivial.
  Qed.

  Definition bit_loss r (b : bool) := gain g (share b ^ r).

  (** Two vectors that differ in one bit. *)
  Lemma bit_longitudinal r a b c :
    close (bit_loss r b) 0 (longitudinal g p q r (a ++ b :: c)) (longitudinal g p q r (a ++ negb b :: c)).
  Proof.
    set (Q u d := v <- rappor g c ;; reports p q r (u ++ d :: v)).
    assert (forall d, longitudinal g p q r (a ++ d :: c) = (u <- rappor g a ;; n <- flip g ;;
      if n then Q u (negb d) else Q u d)) as K.
    { intro d. apply law_ext. intro f. unfold longitudinal. cbn [bind E]. rewrite rappor_app. f_equal.
      apply FunctionalExtensionality.functional_extensionality. intro u. cbn [rappor bind ret E].
        rewrite !flip_is by lra.
      unfold Q. destruct d; trivial. }
    rewrite !K, negb_involutive. replace (bit_loss r b) with (0 + bit_loss r b) by ring.
      replace 0 with (0 + 0) at 2 by ring.
    apply composition; [apply close_refl|]. intro u.
    apply mixed; [apply share_pow|]. unfold Q. rewrite <- (Rmult_1_l (share b ^ r)). pose proof (share_pow b r).
    apply part_bind; try lra; [apply part_refl|]. intro v. apply part_reports.
  Qed.

  (** ** Vectors: one bit after another *)

  Lemma longitudinal_close r x : forall x' pre, length x = length x' ->
    close (INR (ahead x x') * ones g p q r + INR (ahead x' x) * zeros g p q r) 0
      (longitudinal g p q r (pre ++ x)) (longitudinal g p q r (pre ++ x')).
  Proof.
    induction x as [|b x IH]; intros [|b' x'] pre Hl; simpl in Hl; try discriminate.
    - simpl. rewrite !Rmult_0_l, Rplus_0_l. apply close_refl.
    - assert (forall d, pre ++ d :: x' = (pre ++ [d]) ++ x') as Hs by (intro; rewrite <- app_assoc; trivial).
      assert (forall d, pre ++ d :: x = (pre ++ [d]) ++ x) as Hs' by (intro; rewrite <- app_assoc; trivial).
      specialize (IH x' (pre ++ [b']) ltac:(lia)). rewrite <- Hs, <- Hs' in IH. cbn [ahead]. rewrite !plus_INR.
      destruct (Bool.eqb_spec b b') as [->|Hb].
      + eapply close_weaken; [| |exact IH]; [|lra]. destruct b'; simpl; lra.
      + pose proof (bit_longitudinal r pre b x) as H. replace (negb b) with b' in H by (destruct b, b';
        congruence || trivial).
        eapply close_weaken; [| |exact (close_trans _ _ _ _ _ H IH)]; [|lra].
        unfold bit_loss, ones, zeros. destruct b, b'; simpl; try congruence; lra.
  Qed.

  Lemma ones_zeros_pos r : 0 <= ones g p q r /\ 0 <= zeros g p q r.
  Proof. split; apply gain_pos; [apply (share_pow true)|apply (share_pow false)]. Qed.

  Theorem longitudinal_dp r k m : dp (vectors k m) (longitudinal_loss g p q r k m) 0 (longitudinal g p q r).
  Proof.
    intros x x' H. pose proof (differ_most k m x x' H) as Hd. destruct H as (Hx & Hx' & Hw & Hw').
    eapply close_weaken; [| |apply (longitudinal_close r x x' []); lia]; [|lra].
    assert (ahead x x' <= weight x /\ ahead x' x <= weight x' /\ ahead x x' + ahead x' x = differ x x')%nat as
      (H1 & H2 & H3).
    { assert (length x = length x') as Hl by lia. clear - Hl. revert x' Hl. induction x as [|b x IH];
      intros [|b' x'] Hl; simpl in *; try discriminate; [lia|].
      specialize (IH x' ltac:(lia)). destruct b, b'; simpl; lia. }
    destruct (ones_zeros_pos r) as [Ho Hz]. unfold longitudinal_loss. set (b := Nat.min (2 * m) k) in *.
    assert (INR (ahead x x') <= INR m /\ INR (ahead x' x) <= INR m /\ INR (ahead x x') + INR (ahead x' x) <=
      INR b) as (H4 & H5 & H6)
      by (rewrite <- plus_INR; repeat split; apply le_INR; lia).
    set (o := ones g p q r) in *. set (z := zeros g p q r) in *. clearbody o z. set (u := INR (ahead x x')) in *.
      set (v := INR (ahead x' x)) in *.
    unfold Rmax. destruct (Rle_dec o z); nra.
  Qed.

  (** ** No smaller loss will do: each report has a 1 wherever x alone has one, a 0 wherever x' alone has one *)

  Fixpoint agrees (x x' y : list bool) : bool :=
    match x, x', y with b :: x, b' :: x', c :: y => (Bool.eqb b b' || Bool.eqb c b) && agrees x x' y | _, _, _ =>
      true end.

  Definition likely (b c : bool) := if b then (if c then q else p) else (if c then 1 - q else 1 - p).
  Fixpoint one_agrees (x x' memo : list bool) : R :=
    match x, x', memo with
    | b :: x, b' :: x', c :: memo => (if Bool.eqb b b' then 1 else likely b c) * one_agrees x x' memo
    | _, _, _ => 1
    end.

  Lemma report_agrees x : forall x' memo, Pr (report p q memo) (agrees x x') = one_agrees x x' memo.
  Proof.
    intros x' memo. rewrite report_coins. unfold Pr. revert x' memo.
    assert (forall P : law (list bool), P (fun _ => 1) = 1) as H1 by (intro; apply E_one).
    induction x as [|b x IH]; intros x' memo; [apply H1|]. destruct x' as [|b' x']; [apply H1|].
    destruct memo as [|c memo]; [simpl; trivial|]. cbn [coins bind ret E one_agrees]. rewrite flip_is by (destruct c;
      lra).
    assert (forall d, coins q p memo (fun y => event (agrees (b :: x) (b' :: x')) (d :: y)) =
      if Bool.eqb b b' || Bool.eqb d b then one_agrees x x' memo else 0) as K.
    { intro d. unfold event. cbn [agrees]. destruct (Bool.eqb b b' || Bool.eqb d b);
      [exact (IH x' memo)|exact (E_const (coins q p memo) 0)]. }
    rewrite !K. unfold likely. destruct b, b', c; simpl; ring.
  Qed.

  Lemma agrees_in x x' memo : 0 <= one_agrees x x' memo <= 1.
  Proof. rewrite <- report_agrees. apply E_test, test_event. Qed.

  Lemma reports_agree x x' memo r : Pr (reports p q r memo) (forallb (agrees x x')) = one_agrees x x' memo ^ r.
  Proof.
    induction r as [|r IH]; [unfold Pr, event; simpl; trivial|]. unfold Pr in *. cbn [reports bind ret E pow].
    transitivity (report p q memo (fun y => one_agrees x x' memo ^ r * event (agrees x x') y + 0)).
    - apply E_ext; [apply test_bounded; intro; apply E_test; intro; apply test_event|]. intro y.
      rewrite Rplus_0_r, Rmult_comm, <- IH.
      unfold event at 2. destruct (agrees x x' y) eqn:Hy.
      + rewrite Rmult_1_l. ext. intro ys. unfold event. simpl. rewrite Hy. trivial.
      + rewrite Rmult_0_l. rewrite <- (E_const (reports p q r memo) 0). ext. intro ys. unfold event. simpl.
        rewrite Hy. trivial.
    - rewrite E_affine by auto with law. fold (Pr (report p q memo) (agrees x x')). rewrite report_agrees. ring.
  Qed.

  Fixpoint all_agree (r : nat) (x x' z : list bool) : R :=
    match x, x', z with
    | b :: x, b' :: x', c :: z =>
      (if Bool.eqb b b' then 1 else (1 - g) * likely b c ^ r + g * likely b (negb c) ^ r) * all_agree r x x' z
    | _, _, _ => 1
    end.

  Lemma longitudinal_agree r x : forall x' z, Pr (longitudinal g p q r z) (forallb (agrees x x')) =
    all_agree r x x' z.
  Proof.
    intros x' z. unfold Pr, longitudinal. cbn [bind E]. transitivity (rappor g z (fun memo => one_agrees x x' memo ^
      r)).
    { apply E_ext; [apply test_bounded; intro; apply E_test; intro; apply test_event|]. intro. apply reports_agree. }
    assert (forall x x', test (fun memo => one_agrees x x' memo ^ r)) as Ht.
    { intros u u' memo. pose proof (agrees_in u u' memo). split; [apply pow_le; lra|]. rewrite <- (pow1 r).
      apply pow_incr. lra. }
    revert x' z. induction x as [|b x IH]; intros x' z; [cbn [one_agrees all_agree]; rewrite E_const; apply pow1|].
    destruct x' as [|b' x']; [cbn [one_agrees all_agree]; rewrite E_const; apply pow1|].
    destruct z as [|c z]; [cbn [rappor ret E one_agrees all_agree]; apply pow1|]. cbn [rappor bind ret E all_agree].
      rewrite flip_is by lra.
    assert (forall d, rappor g z (fun memo => one_agrees (b :: x) (b' :: x') (d :: memo) ^ r) =
      (if Bool.eqb b b' then 1 else likely b d) ^ r * all_agree r x x' z) as K.
    { intro d. rewrite <- IH, <- (Rplus_0_r (_ * _)), <- E_affine by auto with law. f_equal.
      apply FunctionalExtensionality.functional_extensionality. intro memo. cbn [one_agrees].
        rewrite Rpow_mult_distr. ring. }
    rewrite !K, xorb_true_r, xorb_false_r. destruct (Bool.eqb b b'); rewrite ?pow1; ring.
  Qed.

  Local Lemma ratio_one r : (1 - g) * q ^ r + g * p ^ r = exp (ones g p q r) * ((1 - g) * p ^ r + g * q ^ r).
  Proof.
    destruct (gain_exp ((p / q) ^ r) (share_pow true r)) as [H _]. fold (ones g p q r) in H.
    assert ((p / q) ^ r * q ^ r = p ^ r) as Hp by (rewrite <- Rpow_mult_distr; f_equal; field; lra). rewrite <- Hp.
    set (t := (p / q) ^ r) in *. set (a := exp _) in *. set (y := q ^ r). clearbody t a y.
    transitivity ((t * g + (1 - g)) * y); [ring|]. rewrite <- H. ring.
  Qed.

  Local Lemma ratio_zero r : (1 - g) * (1 - p) ^ r + g * (1 - q) ^ r = exp (zeros g p q r) * ((1 - g) * (1 - q) ^ r +
    g * (1 - p) ^ r).
  Proof.
    destruct (gain_exp (((1 - q) / (1 - p)) ^ r) (share_pow false r)) as [H _]. fold (zeros g p q r) in H.
    assert (((1 - q) / (1 - p)) ^ r * (1 - p) ^ r = (1 - q) ^ r) as Hp by (rewrite <- Rpow_mult_distr; f_equal;
      field; lra). rewrite <- Hp.
    set (t := ((1 - q) / (1 - p)) ^ r) in *. set (a := exp _) in *. set (y := (1 - p) ^ r). clearbody t a y.
    transitivity ((t * g + (1 - g)) * y); [ring|]. rewrite <- H. ring.
  Qed.

  Lemma all_agree_ratio r x : forall x', length x = length x' -> 0 < all_agree r x x' x' /\
    all_agree r x x' x = exp (INR (ahead x x') * ones g p q r +
      INR (ahead x' x) * zeros g p q r) * all_agree r x x' x'.
  Proof.
    assert (0 < q ^ r /\ 0 <= p ^ r /\ 0 < (1 - p) ^ r /\ 0 <= (1 - q) ^ r) as (P1 & P2 & P3 & P4)
      by (repeat split; (apply pow_lt || apply pow_le); lra).
    induction x as [|b x IH]; intros [|b' x'] Hl; simpl in Hl; try discriminate.
    - simpl. rewrite !Rmult_0_l, Rplus_0_l, exp_0. lra.
    - destruct (IH x' ltac:(lia)) as [Hp Hr]. cbn [all_agree ahead]. rewrite Hr, !plus_INR.
      destruct b, b'; cbn [Bool.eqb negb likely andb];
        [rewrite !Rplus_0_l, !Rmult_1_l; auto | | |rewrite !Rplus_0_l, !Rmult_1_l; auto].
      + rewrite ratio_one. split; [apply Rmult_lt_0_compat; trivial; nra|]. rewrite Rplus_0_l.
        replace ((INR 1 + INR (ahead x x')) * ones g p q r + INR (ahead x' x) * zeros g p q r)
          with (ones g p q r + (INR (ahead x x') * ones g p q r + INR (ahead x' x) * zeros g p q r)) by (simpl; ring).
        rewrite !exp_plus. ring.
      + rewrite ratio_zero. split; [apply Rmult_lt_0_compat; trivial; nra|]. rewrite Rplus_0_l.
        replace (INR (ahead x x') * ones g p q r + (INR 1 + INR (ahead x' x)) * zeros g p q r)
          with (zeros g p q r + (INR (ahead x x') * ones g p q r + INR (ahead x' x) * zeros g p q r)) by (simpl;
            ring).
        rewrite !exp_plus. ring.
  Qed.

  Lemma longitudinal_least r x x' eps : length x = length x' ->
    close eps 0 (longitudinal g p q r x) (longitudinal g p q r x') ->
    INR (ahead x x') * ones g p q r + INR (ahead x' x) * zeros g p q r <= eps.
  Proof.
    intros Hl H. apply close_events with (A := forallb (agrees x x')) in H. rewrite !longitudinal_agree in H.
    destruct (all_agree_ratio r x x' Hl) as [Hp Hr]. rewrite Hr in H. apply Rnot_lt_le. intro Hlt.
    apply exp_increasing in Hlt. nra.
  Qed.

  Theorem longitudinal_tight r k m eps : (m <= k)%nat ->
    dp (vectors k m) eps 0 (longitudinal g p q r) -> longitudinal_loss g p q r k m <= eps.
  Proof.
    intros Hm H. set (b := Nat.min (2 * m) k). set (v := (b - m)%nat). set (c := (k - b)%nat).
    set (x := repeat true m ++ repeat false v ++ repeat false c).
      set (x' := repeat false m ++ repeat true v ++ repeat false c).
    assert (forall s t u w, length s = length t -> ahead (s ++ u) (t ++ w) = ahead s t + ahead u w)%nat as Happ.
    { clear. induction s as [|d s IH]; intros [|e t] u w Hl; simpl in *; try discriminate; trivial.
      rewrite IH by lia. lia. }
    assert (forall n, ahead (repeat true n) (repeat false n) = n /\ ahead (repeat false n) (repeat true n) = 0 /\
      ahead (repeat false n) (repeat false n) = 0)%nat as Hr by (induction n as [|n IH]; simpl; lia).
    assert (forall s t, weight (s ++ t) = weight s + weight t)%nat as Hw by (clear; induction s as [|d s IH];
      intro t; simpl; [|rewrite IH]; lia).
    assert (forall n, weight (repeat true n) = n /\ weight (repeat false n) = 0)%nat as Hn by (induction n as
      [|n IH]; simpl; lia).
    assert (length x = k /\ length x' = k /\ weight x = m /\ weight x' = v) as (L & L' & W & W').
    { unfold x, x'. rewrite !app_length, !Hw, !repeat_length. pose proof (Hn m); pose proof (Hn v);
      pose proof (Hn c). unfold b, v, c in *. lia. }
    assert (ahead x x' = m /\ ahead x' x = v) as [A A'].
    { unfold x, x'. rewrite !Happ by (rewrite !repeat_length; trivial). pose proof (Hr m); pose proof (Hr v);
      pose proof (Hr c). lia. }
    assert (close eps 0 (longitudinal g p q r x) (longitudinal g p q r x')) as H1 by (apply H;
      unfold vectors, b, v in *; lia).
    assert (close eps 0 (longitudinal g p q r x') (longitudinal g p q r x)) as H2 by (apply H;
      unfold vectors, b, v in *; lia).
    apply longitudinal_least in H1, H2; try lia. rewrite A, A' in *. unfold longitudinal_loss. fold b.
    assert (INR v = INR b - INR m) as Hv by (unfold v; apply minus_INR; unfold b; lia). rewrite Hv in *.
    unfold Rmax. destruct (Rle_dec _ _); lra.
  Qed.

  (** ** Any number of reports *)

  Theorem longitudinal_ever_dp r k m :
    dp (vectors k m) (INR (Nat.min (2 * m) k) * ln ((1 - g) / g)) 0 (longitudinal g p q r).
  Proof. intros x x' H. apply postprocessing, (rappor_dp g Hg k m x x' H). Qed.

  Theorem longitudinal_ever_tight k m eps : (m <= k)%nat ->
    (forall r, dp (vectors k m) eps 0 (longitudinal g p q r)) -> INR (Nat.min (2 * m) k) * ln ((1 - g) / g) <= eps.
  Proof.
    intros Hm H. set (b := Nat.min (2 * m) k). assert (0 < (1 - g) / g) by (apply Rdiv_lt_0_compat; lra).
    assert (forall r, INR b * Rmin (ones g p q r) (zeros g p q r) <= eps) as K.
    { intro r. apply Rle_trans with (2 := longitudinal_tight r k m eps Hm (H r)). unfold longitudinal_loss. fold b.
      assert (INR m <= INR b <= 2 * INR m) as [Hb1 Hb2].
      { change (2 * INR m) with (INR 2 * INR m). rewrite <- mult_INR. split; apply le_INR; unfold b; lia. }
      destruct (ones_zeros_pos r). unfold Rmin, Rmax. destruct (Rle_dec _ _); nra. }
    destruct (Rle_lt_dec (INR b) 0) as [Hb|Hb].
    { assert (INR b = 0) as Z by (pose proof (pos_INR b); lra). specialize (K 0%nat). rewrite Z in *. lra. }
    set (s := Rmax (share true) (share false)). assert (0 <= s < 1) as Hs.
    { pose proof (share_in true); pose proof (share_in false). unfold s, Rmax. destruct (Rle_dec _ _); lra. }
    set (e := eps / INR b). assert (forall r, 1 - g - exp e * g <= s ^ r * (exp e * (1 - g) - g)) as K'.
    { intro r. specialize (K r). assert (exists c, (gain g (share c ^ r) <= e) /\ share c ^ r <= s ^ r) as
      (c & Hc & Hle).
      { assert (Rmin (ones g p q r) (zeros g p q r) <= e) as He.
        { apply Rmult_le_reg_l with (INR b); trivial. unfold e. replace (INR b * (eps / INR b)) with eps by (field;
          lra). trivial. }
        assert (forall c, share c ^ r <= s ^ r) as Hpow.
        { intro c. apply pow_incr. pose proof (share_in c). split; [lra|]. unfold s. destruct c;
          [apply Rmax_l|apply Rmax_r]. }
        unfold Rmin in He. destruct (Rle_dec _ _); [exists true|exists false]; auto. }
      destruct (gain_exp _ (share_pow c r)) as [Hx H1]. pose proof (share_pow c r) as Hp.
      assert (exp (gain g (share c ^ r)) <= exp e) as Hm' by (destruct Hc as [Hc| ->]; [left; apply exp_increasing;
        trivial|lra]).
      set (a := exp (gain g (share c ^ r))) in *. set (t := share c ^ r) in *. set (E' := exp e) in *.
        clearbody a t E'.
      assert (t * g + (1 - g) <= E' * (t * (1 - g) + g)) by (rewrite <- Hx; apply Rmult_le_compat_r; nra).
      assert (0 <= E' * (1 - g) - g) by nra. nra. }
    assert (ln ((1 - g) / g) <= e) as Hfin.
    { apply ln_le_exp; trivial. apply Rmult_le_reg_r with g; [lra|].
      replace ((1 - g) / g * g) with (1 - g) by (field; lra).
      apply Rnot_lt_le. intro Hlt. set (d := 1 - g - exp e * g). assert (0 < d) by (unfold d; lra).
      pose proof (exp_pos e). set (M := exp e + 1). destruct (pow_lt_1_zero s ltac:(rewrite Rabs_right;
        lra) (d / M)) as [N HN];
        [apply Rdiv_lt_0_compat; unfold M; lra|].
      specialize (HN N ltac:(lia)). specialize (K' N). fold d in K'. pose proof (pow_le s N ltac:(lra)).
        rewrite Rabs_right in HN by lra.
      assert (s ^ N * (exp e * (1 - g) - g) <= s ^ N * M) by (apply Rmult_le_compat_l; unfold M; nra).
      apply Rmult_lt_compat_r with (r := M) in HN; [|unfold M; lra]. replace (d / M * M) with d in HN by (field;
        unfold M; lra). lra. }
    apply Rmult_le_compat_l with (r := INR b) in Hfin; [|lra]. unfold e in Hfin.
      replace (INR b * (eps / INR b)) with eps in Hfin by (field; lra). trivial.
  Qed.

  (** ** One report: coins of two biases *)

  Definition own := (1 - g) * q + g * p.
  Definition other := g * q + (1 - g) * p.

  Theorem longitudinal_law x : forall f, bounded f -> (memo <- rappor g x ;; report p q memo) f = coins own other x f.
  Proof.
    assert (0 <= own <= 1 /\ 0 <= other <= 1) as [Ho Hn] by (unfold own, other; split; nra).
    induction x as [|b x IH]; intros f [M HM]; [trivial|]. cbn [rappor coins bind ret E].
      rewrite !flip_is by (destruct b; lra).
    assert (forall c, bounded (fun y => f (c :: y))) as Hb by (intro c; exists M; intro; apply HM).
    assert (forall c, rappor g x (fun memo => report p q (c :: memo) f) =
      (if c then q else p) * coins own other x (fun y => f (true :: y)) +
      (1 - if c then q else p) * coins own other x (fun y => f (false :: y))) as K.
    { intro c. rewrite <- !(fun d => IH (fun y => f (d :: y)) (Hb d)). cbn [bind E].
      rewrite <- E_linear by (apply bounded_E; trivial).
      apply E_ext; [apply bounded_E; exists M; trivial|]. intro memo. rewrite !report_coins. cbn [coins bind ret E].
      rewrite flip_is by (destruct c; lra). trivial. }
    rewrite !K. unfold own, other. destruct b; simpl; ring.
  Qed.

  (** An estimate from one bit is right on average. *)
  Theorem longitudinal_unbiased b : g < / 2 ->
    coins own other [b] (fun y => (event (same [true]) y - other) / (own - other)) = if b then 1 else 0.
  Proof.
    intro H. assert (own - other = (1 - 2 * g) * (q - p)) as Hd by (unfold own, other; ring).
    assert (0 < own - other) by (rewrite Hd; apply Rmult_lt_0_compat; lra).
    cbn [coins bind ret E]. rewrite flip_is by (unfold own, other; destruct b; split; nra).
    unfold event, same. simpl. destruct b; field; lra.
  Qed.
End Longitudinal.
