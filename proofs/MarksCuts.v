(** What the marked lines of tables/cuts.py, tables/quantiles.py and tables/nested.py compute is what the theorems are
    about. *)
From Coq Require Import Reals Lra Lia List.
From Discreet Require Import Law Cuts Nested Code.
Import ListNotations.
Open Scope R_scope.

Theorem at_most_is_read u : 0 < u -> cuts_most u = at_most u.
Proof.
  intro Hu. unfold cuts_most, at_most. assert (u * / u = 1) by (apply Rinv_r; lra).
  pose proof (Rinv_0_lt_compat u Hu). unfold Rdiv. replace (- (1) * / u) with (- / u) by ring.
  destruct (Rle_dec u 1) as [H1|H1].
  - assert (1 <= / u) by nra. rewrite Rmax_left, Rmax_right by lra. lra.
  - assert (/ u <= 1) by nra. rewrite Rmax_right, Rmax_left by lra. rewrite Rinv_mult. lra.
Qed.

(** The ranks of the cuts of a histogram, as the code computes each. *)
Definition ranks_read (M N v : R) (h : list nat) : list R :=
  map (fun k => quantiles_ranks M N (INR (list_sum (firstn (S k) h))) (INR (list_sum h)) v) (seq 0 (pred (length h))).

(** What the code computes for a tree of turns. *)
Fixpoint moved_read (t : turns) : R :=
  match t with
  | Done => 0
  | Turn before M N v after =>
      nested_moved (N / M) (moved_read before) (moved_read after) (nested_bounded_lower (share_above after))
        (nested_bounded_upper (share_below before))
  end.

Theorem moved_is_read t : moved_read t = most_moved t.
Proof. induction t as [|before IH M N v after IH']; [reflexivity|]. cbn [moved_read]. rewrite IH, IH'. reflexivity. Qed.

Theorem quantile_affords M N v eps : 0 < M -> 0 <= N <= M -> 0 < eps ->
  dp one_person eps 0 (fun h => cut_bin (quantiles_scale M (moved_read (Turn Done M N v Done)) eps) (ranks_read M N v h)).
Proof.
  intros HM HN He.
  assert (quantiles_scale M (moved_read (Turn Done M N v Done)) eps = 2 * Rmax (M - N) N / eps) as ->;
    [|exact (quantile_dp M N v eps HM HN He)].
  unfold quantiles_scale. cbn. unfold nested_moved, nested_bounded_lower, nested_bounded_upper.
  rewrite !Rmult_0_r, Rplus_0_r, (Rmax_left 0 0), Rplus_0_r by lra. rewrite <- !RmaxRmult by lra.
  rewrite (Rmax_comm (2 * (M - N))). unfold Rdiv. do 2 f_equal; field; lra.
Qed.

(** Several: each at the scale that the code computes. *)
Theorem nested_affords t eps : t <> Done -> proper t -> 0 < eps -> dp one_person eps 0 (all_nested (moved_read t / eps) t).
Proof.
  intros Hn Ht He. rewrite moved_is_read. assert (0 < most_moved t) as Hm.
  { assert (forall t, proper t -> 0 <= share_below t /\ 0 <= share_above t /\ 0 <= most_moved t) as K.
    { clear. induction t as [|before IH M N v after IH']; [cbn; lra|]. intros (Hb & HM & HN & Ha).
      destruct (IH Hb) as (? & ? & ?). destruct (IH' Ha) as (? & ? & ?). cbn. assert (0 <= N / M <= 1).
      { split; [apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; trivial]|].
        apply Rmult_le_reg_r with M; [trivial|]. field_simplify; lra. }
      pose proof (Rmax_l (2 * (N / M)) (2 - 2 * (N / M))).
      pose proof (Rmax_l (most_moved before + 2 * share_above after) (2 * share_below before + most_moved after)). lra. }
    destruct t as [|before M N v after]; [contradiction|]. destruct Ht as (Hb & HM & HN & Ha).
    destruct (K before Hb) as (? & ? & ?). destruct (K after Ha) as (? & ? & ?). cbn.
    pose proof (Rmax_l (2 * (N / M)) (2 - 2 * (N / M))). pose proof (Rmax_r (2 * (N / M)) (2 - 2 * (N / M))).
    pose proof (Rmax_l (most_moved before + 2 * share_above after) (2 * share_below before + most_moved after)). lra. }
  replace eps with (most_moved t / (most_moved t / eps)) at 1 by (field; lra).
  apply nested_dp; [apply Rdiv_lt_0_compat|]; trivial.
Qed.

Theorem scale_is_read M t eps : quantiles_scale M (moved_read t) eps = M * (moved_read t / eps).
Proof. unfold quantiles_scale, Rdiv. ring. Qed.

(** Errors of as many ranks as the code says have the probability that it is told. *)
Theorem reach_is scale cuts error : 0 < scale -> 0 < cuts -> 0 < error ->
  cuts / 2 * exp (- (2 * quantiles_reach scale cuts error) / (2 * scale)) = error.
Proof.
  intros Hs Hc He. unfold quantiles_reach.
  replace (- (2 * (scale * ln (cuts / (2 * error)))) / (2 * scale)) with (- ln (cuts / (2 * error))) by (field; lra).
  rewrite exp_Ropp, exp_ln by (apply Rdiv_lt_0_compat; lra). field. lra.
Qed.
