(** Randomized response over t categories, as the Python draws it: a coin and one of t - 1 lies. *)
From Coq Require Import ZArith Reals Lra Lia List Permutation.
From Discreet Require Import Law.
Import ListNotations.
Open Scope R_scope.

Lemma sum_permutation {T} (xs ys : list T) f : Permutation xs ys -> sum xs f = sum ys f.
Proof. induction 1; simpl; lra. Qed.

Lemma NoDup_map_in {T U} (h : T -> U) xs :
  (forall a b, In a xs -> In b xs -> h a = h b -> a = b) -> NoDup xs -> NoDup (map h xs).
Proof.
  intros H Hn; induction Hn as [|x xs Hx Hn IH]; simpl; constructor; [|apply IH; intros; apply H; simpl; auto].
  rewrite in_map_iff; intros (y & Hy & Hin). apply Hx. replace x with y; [|apply H; simpl]; auto.
Qed.

(** One subtraction brings a sum below t, as [release_places] does. *)
Lemma wrap a t : (a < 2 * t)%nat -> (a mod t = if a <? t then a else a - t)%nat.
Proof.
  intro H. destruct (Nat.ltb_spec a t); [apply Nat.mod_small; lia|].
  symmetry; apply Nat.mod_unique with 1%nat; lia.
Qed.

(** Answers are places 0 .. t-1, and [None] is an answer that is no category. *)
Definition response (t : nat) (p : R) (x : option nat) : law nat :=
  honest <- flip p ;;
  match x with
  | None => pick t
  | Some place => choice <- pick (t - 1) ;; ret (if honest then place else ((place + 1 + choice) mod t)%nat)
  end.

Definition lie t p := (1 - p) / INR (t - 1).

Section Response.
  Variables (t : nat) (p : R).
  Hypotheses (Ht : (2 <= t)%nat) (Hp : / INR t <= p <= 1).

  Local Lemma t_pos : 0 < INR t /\ 0 < INR (t - 1) /\ INR t = INR (t - 1) + 1.
  Proof. repeat split; try (apply lt_0_INR; lia). rewrite minus_INR by lia; simpl; ring. Qed.

  Local Lemma p_in : 0 < p <= 1.
  Proof. pose proof t_pos as (H & _). apply Rinv_0_lt_compat in H. lra. Qed.

  (** The lies run over every other category once. *)
  Lemma lies i : (i < t)%nat -> Permutation (i :: map (fun c => ((i + 1 + c) mod t)%nat) (seq 0 (t - 1)))
    (seq 0 t).
  Proof.
    intro Hi. apply NoDup_Permutation_bis.
    - constructor.
      + rewrite in_map_iff; intros (c & Hc & Hin). apply in_seq in Hin. rewrite wrap in Hc by lia.
        destruct (Nat.ltb_spec (i + 1 + c) t); lia.
      + apply NoDup_map_in; [|apply seq_NoDup]. intros a b Ha Hb. rewrite in_seq in *.
        rewrite !wrap by lia. repeat match goal with |- context [(?a <? ?b)%nat] => destruct
          (Nat.ltb_spec a b) end; lia.
    - simpl. rewrite map_length, !seq_length. lia.
    - intros y [<-|Hy]; [apply in_seq; lia|]. apply in_map_iff in Hy as (c & <- & _). apply in_seq.
      split; [lia|]. apply Nat.mod_upper_bound; lia.
  Qed.

  (** The law: the truth with probability p, each other category with (1 - p)/(t - 1). *)
  Theorem response_law i f : (i < t)%nat ->
    response t p (Some i) f = lie t p * sum (seq 0 t) f + (p - lie t p) * f i.
  Proof.
    intro Hi. pose proof t_pos as (H0 & H1 & H2); pose proof p_in.
    unfold response. cbn [bind E]. rewrite flip_is by lra. rewrite !pick_is by lia. cbn [ret E].
    rewrite <- (sum_permutation _ _ f (lies i Hi)). simpl sum. rewrite sum_map, sum_const, seq_length.
    unfold lie. field. lra.
  Qed.

  (** The reply to any other answer is uniform. *)
  Theorem response_foreign f : response t p None f = sum (seq 0 t) f / INR t.
  Proof. unfold response. cbn [bind E]. rewrite E_const. apply pick_is. lia. Qed.

  Lemma lie_least : lie t p <= / INR t <= p.
  Proof.
    pose proof t_pos as (H0 & H1 & H2). split; [|lra]. unfold lie. apply Rmult_le_reg_r with (INR (t - 1));
      trivial.
    unfold Rdiv; rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    replace (/ INR t * INR (t - 1)) with (1 - / INR t) by (rewrite H2; field; lra). lra.
  Qed.

  Lemma between x f : (forall i, x = Some i -> i < t)%nat -> test f ->
    lie t p * sum (seq 0 t) f <= response t p x f <= p * sum (seq 0 t) f.
  Proof.
    intros Hx Hf. pose proof lie_least. assert (forall i, 0 <= f i) as Hpos by (intro i; apply Hf).
    pose proof (sum_nonneg (seq 0 t) f Hpos). destruct x as [i|].
    - specialize (Hx i eq_refl). rewrite response_law by trivial. pose proof (Hpos i).
      assert (f i <= sum (seq 0 t) f) by (apply sum_in; trivial; apply in_seq; lia). split; nra.
    - rewrite response_foreign. unfold Rdiv. split; nra.
  Qed.

  (** Any two answers, inside the categories or not. *)
  Definition answers (x x' : option nat) := forall i, x = Some i \/ x' = Some i -> (i < t)%nat.

  Theorem response_dp : p < 1 -> dp answers (ln (p * INR (t - 1) / (1 - p))) 0 (response t p).
  Proof.
    intros Hlt x x' Hx. pose proof t_pos as (H0 & H1 & H2); pose proof p_in.
    replace (p * INR (t - 1) / (1 - p)) with (p / lie t p) by (unfold lie; field; lra).
    assert (0 < lie t p) by (apply Rdiv_lt_0_compat; lra).
    apply sandwich with (S := sum (seq 0 t)); trivial; try lra; intros f Hf; apply between; trivial;
      intros i ->; apply Hx; auto.
  Qed.

  Lemma response_at i y : (i < t)%nat -> (y < t)%nat ->
    Pr (response t p (Some i)) (Nat.eqb y) = if Nat.eqb y i then p else lie t p.
  Proof.
    intros Hi Hy. unfold Pr; rewrite response_law by trivial.
    assert (forall n k, sum (seq k n) (event (Nat.eqb y)) = if (Nat.leb k y
      && Nat.ltb y (k + n))%bool then 1 else 0) as Hs.
    { induction n as [|n IH]; intro k; simpl; [|rewrite IH; unfold event];
        repeat match goal with |- context [Nat.eqb ?a ?b] => destruct (Nat.eqb_spec a b)
                          | |- context [Nat.leb ?a ?b] => destruct (Nat.leb_spec a b)
                          | |- context [Nat.ltb ?a ?b] => destruct (Nat.ltb_spec a b) end; simpl; lra || lia. }
    rewrite Hs. unfold event. simpl. destruct (Nat.ltb_spec y t); [|lia]. destruct (Nat.eqb y i); simpl; lra.
  Qed.

  Theorem response_tight eps i j : p < 1 -> (i < t)%nat -> (j < t)%nat -> i <> j ->
    close eps 0 (response t p (Some i)) (response t p (Some j)) -> ln (p * INR (t - 1) / (1 - p)) <= eps.
  Proof.
    intros Hlt Hi Hj Hij H. pose proof t_pos as (H0 & H1 & H2); pose proof p_in.
    assert (0 < lie t p) by (apply Rdiv_lt_0_compat; lra).
    replace (p * INR (t - 1) / (1 - p)) with (p / lie t p) by (unfold lie; field; lra).
    replace p with (Pr (response t p (Some i)) (Nat.eqb i)) at 1 by (rewrite response_at, Nat.eqb_refl;
      trivial).
    replace (lie t p) with (Pr (response t p (Some j)) (Nat.eqb i)).
    - apply least_loss; trivial; rewrite response_at by trivial;
      [rewrite Nat.eqb_refl|destruct (Nat.eqb_spec i j)]; lra || lia.
    - rewrite response_at by trivial. destruct (Nat.eqb_spec i j); lia || trivial.
  Qed.

  (** At p = 1 no finite loss will do. *)
  Theorem response_infinite eps i j : p = 1 -> (i < t)%nat -> (j < t)%nat -> i <> j ->
    ~ close eps 0 (response t p (Some i)) (response t p (Some j)).
  Proof.
    intros H1 Hi Hj Hij H. apply least_delta with (A := Nat.eqb i) in H.
    - rewrite response_at, Nat.eqb_refl in H by trivial. lra.
    - rewrite response_at by trivial. destruct (Nat.eqb_spec i j); [lia|]. unfold lie; rewrite H1; unfold Rdiv;
      ring.
  Qed.

  (** An estimate from one answer is right on average; so is the sum of any number, as E is linear. *)
  Theorem response_unbiased i v : / INR t < p -> (i < t)%nat -> (v < t)%nat ->
    response t p (Some i) (fun y => (event (Nat.eqb v) y - lie t p) / (p - lie t p)) = event (Nat.eqb v) i.
  Proof.
    intros Hlt Hi Hv. pose proof lie_least.
    transitivity (response t p (Some i) (fun y => / (p - lie t p) * event (Nat.eqb v) y + - (lie t p /
      (p - lie t p)))).
    - apply E_ext; [|intro; field; lra].
      exists (/ (p - lie t p) * (1 + lie t p)). intro y.
      assert (0 < / (p - lie t p)) by (apply Rinv_0_lt_compat; lra).
      assert (0 <= lie t p). { pose proof p_in;
        pose proof t_pos as (_ & K & _). unfold lie. apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat;
        trivial]. }
      pose proof (test_event (Nat.eqb v) y). unfold Rdiv. split; nra.
    - rewrite E_affine by auto with law. fold (Pr (response t p (Some i)) (Nat.eqb v)).
      rewrite response_at by trivial.
      unfold event. destruct (Nat.eqb v i); field; lra.
  Qed.

  (** The greatest p within a budget. *)
  Theorem response_within eps : p < 1 ->
    ln (p * INR (t - 1) / (1 - p)) <= eps <-> p <= 1 / (1 + exp (- eps) * INR (t - 1)).
  Proof.
    intro Hlt. pose proof t_pos as (H0 & H1 & H2); pose proof p_in; pose proof (exp_pos eps);
      pose proof (exp_pos (- eps)).
    assert (exp eps * exp (- eps) = 1) as Hi by (rewrite <- exp_plus, Rplus_opp_r, exp_0; trivial).
    assert (0 < 1 + exp (- eps) * INR (t - 1)) by nra.
      assert (0 < p * INR (t - 1) / (1 - p)) by (apply Rdiv_lt_0_compat; nra).
    transitivity (p * INR (t - 1) / (1 - p) <= exp eps); [apply ln_le_exp; trivial|].
    transitivity (p * INR (t - 1) * exp (- eps) <= 1 - p).
    - split; intro Hb.
      + apply Rmult_le_compat_r with (r := exp (- eps) * (1 - p)) in Hb; [|nra].
        replace (p * INR (t - 1) / (1 - p) * (exp (- eps) * (1 - p))) with (p * INR (t - 1) * exp (- eps))
          in Hb by (field; lra).
        rewrite <- Rmult_assoc, Hi in Hb. lra.
      + apply Rmult_le_reg_r with (exp (- eps) * (1 - p)); [nra|].
        replace (p * INR (t - 1) / (1 - p) * (exp (- eps) * (1 - p))) with (p * INR (t - 1) * exp (- eps))
          by (field; lra).
        rewrite <- Rmult_assoc, Hi. lra.
    - split; intro Hb.
      + apply Rmult_le_reg_r with (1 + exp (- eps) * INR (t - 1));
        trivial. unfold Rdiv. rewrite Rmult_1_l, Rinv_l by lra. lra.
      + apply Rmult_le_compat_r with (r := 1 + exp (- eps) * INR (t - 1)) in Hb; [|lra].
        unfold Rdiv in Hb. rewrite Rmult_1_l, Rinv_l in Hb by lra. lra.
  Qed.
End Response.
