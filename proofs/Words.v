(** The one lemma of the samplers: reveal a uniform U word by word until a function of it is known.

    After k words of base B the prefix v says that U lies in the cell [v, v+1)/B^k. *)
From Coq Require Import ZArith Reals Lra Lia List Bool FunctionalExtensionality.
From Discreet Require Import Law.
Import ListNotations.
Open Scope R_scope.

(** The share of the cell that lies below r. *)
Definition below (B : nat) (r : R) (k : nat) (v : Z) : R := clamp (r * INR B ^ k - IZR v).

Ltac clamps := unfold clamp, Rmax, Rmin in *; repeat (destruct (Rle_dec _ _); try lra).

Lemma sum_clamp n x : sum (seq 0 n) (fun u => clamp (x - INR u)) = Rmax 0 (Rmin x (INR n)).
Proof.
  induction n as [|n IH]; [simpl; clamps|]. rewrite seq_S, sum_app, IH. cbn [sum plus]. rewrite S_INR.
  pose proof (pos_INR n). clamps.
Qed.

Section Reveal.
  Context {T : Type} (B : nat) (decide : nat -> Z -> option T).
  Hypothesis HB : (1 <= B)%nat.

  (** What Python's loops do: decide, or add a word to the prefix. [None] after all words: not yet. *)
  Fixpoint reveal (words k : nat) (v : Z) : law (option T) :=
    match decide k v, words with
    | Some s, _ => ret (Some s)
    | None, O => ret None
    | None, S words => u <- pick B ;; reveal words (S k) (v * Z.of_nat B + Z.of_nat u)
    end.

  Local Lemma B_pos : 0 < INR B.
  Proof. apply lt_0_INR; lia. Qed.

  (** A cell is the sum of its parts. *)
  Lemma below_average r k v :
    pick B (fun u => below B r (S k) (v * Z.of_nat B + Z.of_nat u)) = below B r k v.
  Proof.
    pose proof B_pos. rewrite pick_is by trivial. unfold below.
    rewrite (sum_ext _ _ (fun u => clamp (INR B * (r * INR B ^ k - IZR v) - INR u))).
    - rewrite sum_clamp. set (x := r * INR B ^ k - IZR v).
      unfold clamp, Rmax, Rmin. clear - H. repeat destruct (Rle_dec _ _); apply Rmult_eq_reg_r with (INR B); try lra; unfold Rdiv; rewrite ?Rmult_assoc, ?Rinv_l; nra.
    - intros u _. f_equal. rewrite plus_IZR, mult_IZR, <- !INR_IZR_INZ. simpl. ring.
  Qed.

  Definition between a b k v := below B b k v - below B a k v.

  Lemma between_average a b k v :
    pick B (fun u => between a b (S k) (v * Z.of_nat B + Z.of_nat u)) = between a b k v.
  Proof.
    unfold between. rewrite <- !below_average.
    replace (pick B _ - pick B _) with (1 * pick B (fun u => below B b (S k)
      (v * Z.of_nat B + Z.of_nat u))
      + -1 * pick B (fun u => below B a (S k) (v * Z.of_nat B + Z.of_nat u))) by ring.
    rewrite <- E_linear; [|apply test_bounded; intro; apply clamp_in ..].
    apply E_ext; [|intro; ring]. exists 1; intro u; unfold below.
    match goal with |- _ <= clamp ?x - clamp ?y <= _ => pose proof (clamp_in x); pose proof (clamp_in y);
      lra end.
  Qed.

  Lemma between_in a b k v : a <= b -> 0 <= between a b k v <= 1.
  Proof.
    intro H. unfold between, below. assert (a * INR B ^ k <= b * INR B ^ k).
    { apply Rmult_le_compat_r; trivial. apply pow_le. left; apply B_pos. }
    clamps.
  Qed.

  Definition says (is : T -> bool) (o : option T) := match o with Some s => is s | None => false end.
  Definition silent (o : option T) := match o with Some _ => false | None => true end.

  Definition prefix k v := (0 <= v < Z.of_nat B ^ Z.of_nat k)%Z.

  Lemma prefix_next k v u : prefix k v -> (u < B)%nat -> prefix (S k) (v * Z.of_nat B + Z.of_nat u).
  Proof. unfold prefix. intros. rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia. nia. Qed.

  (** Outcomes in [is] belong to the U in [a, b): the decision is true of every U in the cell. *)
  Definition sound (is : T -> bool) a b := forall k v s, prefix k v -> decide k v = Some s ->
    if is s then a * INR B ^ k <= IZR v /\ IZR v + 1 <= b * INR B ^ k
            else IZR v + 1 <= a * INR B ^ k \/ b * INR B ^ k <= IZR v.

  Lemma reveal_between is a b : a <= b -> sound is a b -> forall words k v, prefix k v ->
    Pr (reveal words k v) (says is) <= between a b k v <=
    Pr (reveal words k v) (says is) + Pr (reveal words k v) silent.
  Proof.
    intros Hab Hs. assert (forall k v s, prefix k v -> decide k v = Some s ->
      between a b k v = if is s then 1 else 0) as Hd.
    { intros k v s Hv H. specialize (Hs k v s Hv H). unfold between, below.
      assert (a * INR B ^ k <= b * INR B ^ k) by (apply Rmult_le_compat_r; trivial; apply pow_le; left;
        apply B_pos).
      destruct (is s); clamps. }
    induction words as [|words IH]; intros k v Hv; unfold Pr in *; simpl; destruct (decide k v) as [s|] eqn:H;
      try (simpl; unfold event, says, silent; rewrite (Hd _ _ _ Hv H); destruct (is s); lra).
    - pose proof (between_in a b k v Hab). simpl; unfold event; simpl; lra.
    - rewrite <- between_average. cbn [bind E].
      set (yes u := reveal words (S k) (v * Z.of_nat B + Z.of_nat u) (event (says is))).
      set (none u := reveal words (S k) (v * Z.of_nat B + Z.of_nat u) (event silent)).
      assert (test yes /\ test none) as [] by (split; intro u; apply E_test; auto with law).
      assert (test (fun u => between a b (S k) (v * Z.of_nat B + Z.of_nat u))) by (intro;
        apply between_in; trivial).
      split; [apply pick_le; trivial; intros u Hu; apply IH, prefix_next; trivial|].
      replace (pick B yes + pick B none) with (pick B (fun u => 1 * yes u + 1 * none u))
        by (rewrite E_linear by auto with law; ring).
      apply pick_le; trivial. intros u Hu.
      destruct (IH (S k) (v * Z.of_nat B + Z.of_nat u)%Z (prefix_next k v u Hv Hu)) as [_ Hy].
      unfold yes, none. lra.
  Qed.

  (** A procedure that n words leave open in few cells goes on past them with little probability. *)
  Lemma reveal_silent (undecided : list Z) n :
    (forall v, prefix n v -> decide n v = None -> In v undecided) ->
    forall words k v, (k + words = n)%nat -> prefix k v ->
    Pr (reveal words k v) silent <=
      sum undecided (fun u => between (IZR u / INR B ^ n) (IZR (u + 1) / INR B ^ n) k v).
  Proof.
    intro Hn. assert (0 < INR B ^ n) as Hpow by (apply pow_lt, B_pos).
    set (cell u := between (IZR u / INR B ^ n) (IZR (u + 1) / INR B ^ n)).
    assert (forall u k v, 0 <= cell u k v) as H0.
    { intros u k v. apply between_in. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; trivial|].
      apply IZR_le; lia. }
    assert (forall k v, 0 <= sum undecided (fun u => cell u k v)) as Hs by (intros; apply sum_nonneg; auto).
    induction words as [|words IH]; intros k v Hk Hv; unfold Pr in *; simpl;
      destruct (decide k v) as [s|] eqn:H; try (unfold event; simpl; apply Hs).
    - rewrite Nat.add_0_r in Hk; subst k. apply Rle_trans with (cell v n v).
      + unfold event, cell, between, below; simpl. rewrite plus_IZR.
        unfold Rdiv; rewrite !Rmult_assoc, !Rinv_l, !Rmult_1_r by lra. clamps.
      + apply (sum_in undecided (fun u => cell u n v)); auto.
    - cbn [bind E].
      apply Rle_trans with
        (pick B (fun u => sum undecided (fun l => cell l (S k) (v * Z.of_nat B + Z.of_nat u)%Z))).
      + apply pick_le; trivial. intros u Hu. apply IH, prefix_next; trivial. lia.
      + right. clear - HB. induction undecided as [|l us IH]; cbn [sum]; [apply E_const|].
        rewrite <- between_average, <- IH, !pick_is by trivial. fold (cell l).
        rewrite (sum_ext _ _ (fun u => 1 * cell l (S k) (v * Z.of_nat B + Z.of_nat u)%Z
          + 1 * sum us (fun l => cell l (S k) (v * Z.of_nat B + Z.of_nat u)%Z))) by (intros; ring).
        rewrite sum_linear. pose proof B_pos. field. lra.
  Qed.

  (** The lemma. At the root the cell is [0, 1). *)
  Definition run words := reveal words 0 0.

  Lemma between_root a b : 0 <= a <= b -> b <= 1 -> between a b 0 0 = b - a.
  Proof. intros; unfold between, below; simpl; rewrite !clamp_id; lra. Qed.

  Theorem one_lemma is a b words : 0 <= a <= b -> b <= 1 -> sound is a b ->
    Pr (run words) (says is) <= b - a <= Pr (run words) (says is) + Pr (run words) silent.
  Proof. intros. rewrite <- (between_root a b) by trivial. apply reveal_between; trivial; [lra|unfold prefix;
    simpl; lia]. Qed.

  (** A procedure that leaves at most c cells open after n words goes on with probability c B^-n at most. *)
  Theorem run_silent c n (undecided : list Z) : INR (length undecided) <= c ->
    (forall v, prefix n v -> decide n v = None -> In v undecided) ->
    Pr (run n) silent <= c / INR B ^ n.
  Proof.
    intros Hc Hn. assert (0 < / INR B ^ n) by (apply Rinv_0_lt_compat, pow_lt, B_pos).
    eapply Rle_trans; [apply (reveal_silent undecided n Hn n 0 0); [|unfold prefix]; simpl; lia|].
    apply Rle_trans with (INR (length undecided) * / INR B ^ n); [|apply Rmult_le_compat_r; lra].
    rewrite <- sum_const. apply sum_le. intros u _. unfold between, below. rewrite plus_IZR. cbn [pow].
      unfold Rdiv.
    rewrite !Rmult_plus_distr_r. set (x := IZR u * / INR B ^ n). clamps.
  Qed.

  (** With B >= 2 that is as good as never. *)
  Lemma run_stops c m : (2 <= B)%nat -> (forall n, (m <= n)%nat -> Pr (run n) silent <= c / INR B ^ n) ->
    Un_cv (fun n => Pr (run n) silent) 0.
  Proof.
    intros H2 H e He. assert (0 <= c).
    { specialize (H m (le_n m)). pose proof (E_test (run m) _ (test_event silent)). unfold Pr in H.
      assert (0 < INR B ^ m) by (apply pow_lt, B_pos). apply Rmult_le_reg_r with (/ INR B ^ m).
      - apply Rinv_0_lt_compat; trivial.
      - unfold Rdiv in H. lra. }
    destruct (pow_lt_1_zero (/ INR B)) with (y := e / (c + 1)) as [N HN].
    - assert (2 <= INR B) by (apply (le_INR 2); trivial).
      rewrite Rabs_pos_eq by (left; apply Rinv_0_lt_compat; lra). rewrite <- Rinv_1. apply Rinv_lt_contravar;
        lra.
    - apply Rdiv_lt_0_compat; lra.
    - exists (Nat.max m N). intros n Hn. specialize (HN n ltac:(lia)). specialize (H n ltac:(lia)).
      unfold R_dist. rewrite Rminus_0_r, Rabs_pos_eq by apply (E_test _ _ (test_event silent)).
      rewrite pow_inv in HN. pose proof (Rle_abs (/ INR B ^ n)).
      assert (0 < / INR B ^ n) by (apply Rinv_0_lt_compat, pow_lt, B_pos). unfold Rdiv in *.
      assert (/ INR B ^ n * (c + 1) < e); [|nra]. apply Rmult_lt_reg_r with (/ (c + 1)).
      + apply Rinv_0_lt_compat; lra.
      + rewrite Rmult_assoc, Rinv_r, Rmult_1_r; lra.
  Qed.

  (** So if the procedure stops with probability 1 it has exactly the law. *)
  Theorem one_lemma_limit is a b : 0 <= a <= b -> b <= 1 -> sound is a b ->
    Un_cv (fun words => Pr (run words) silent) 0 -> Un_cv (fun words => Pr (run words) (says is)) (b - a).
  Proof.
    intros Ha Hb Hs H e He. destruct (H e He) as [N HN]. exists N; intros n Hn. specialize (HN n Hn).
    pose proof (one_lemma is a b n Ha Hb Hs). pose proof (E_test (run n) _ (test_event silent)). unfold Pr in *.
    unfold R_dist in *. rewrite Rabs_left1, Rabs_pos_eq in * by lra. lra.
  Qed.

  (** Whatever is done with the outcome: the law of the whole procedure, in the limit. *)
  Definition said (f : T -> R) (o : option T) := match o with Some s => f s | None => 0 end.

  Lemma reveal_ext f g : bounded f -> bounded g -> f None = g None ->
    (forall k v s, prefix k v -> decide k v = Some s -> f (Some s) = g (Some s)) ->
    forall words k v, prefix k v -> reveal words k v f = reveal words k v g.
  Proof.
    intros Hf Hg H0 H. induction words as [|words IH]; intros k v Hv; cbn [reveal];
      destruct (decide k v) eqn:Hd; cbn [bind ret E]; eauto.
    rewrite !pick_is by trivial. f_equal. apply sum_ext. intros u Hu. apply in_seq in Hu.
      apply IH, prefix_next; trivial; lia.
  Qed.

  Theorem limit_law (eqb : T -> T -> bool) (outcomes : list T) w :
    (forall s t, eqb s t = true <-> s = t) -> NoDup outcomes ->
    (forall k v s, prefix k v -> decide k v = Some s -> In s outcomes) ->
    (forall s, In s outcomes -> Un_cv (fun n => Pr (run n) (says (eqb s))) (w s)) ->
    forall f, bounded f -> Un_cv (fun n => run n (said f)) (sum outcomes (fun s => w s * f s)).
  Proof.
    intros Heq Hd Hin Hw f [M HM].
    set (g xs o := sum xs (fun s => event (says (eqb s)) o * f s)).
    assert (forall xs, bounded (g xs)) as Hb.
    { unfold g. induction xs as [|x xs [N HN]]; simpl; [apply bounded_const|]. exists (N + Rabs (f x)). intro o.
      specialize (HN o). pose proof (test_event (says (eqb x)) o). pose proof (Rle_abs (f x)).
      pose proof (Rle_abs (- f x)). rewrite Rabs_Ropp in *. split; nra. }
    assert (forall n, run n (said f) = run n (g outcomes)) as ->%functional_extensionality.
    { intro n. apply reveal_ext; trivial; [..|unfold prefix; simpl; lia].
      - exists (Rabs M). pose proof (Rle_abs M); pose proof (Rabs_pos M). intros [s|]; simpl;
        [specialize (HM s)|]; lra.
      - simpl. unfold g. clear. induction outcomes as [|x xs IH]; simpl; trivial. rewrite <- IH. unfold event;
        simpl; ring.
      - intros k v s Hv Hs. apply Hin in Hs; trivial. simpl. unfold g. clear - Heq Hd Hs.
        induction Hd as [|x xs Hx Hd IH]; [destruct Hs|].
        assert (forall ys, ~ In s ys -> sum ys (fun t => event (says (eqb t)) (Some s) * f t) = 0) as Z.
        { induction ys as [|y ys IHy]; simpl; trivial. intro Hn. rewrite IHy by tauto. unfold event; simpl.
          destruct (eqb y s) eqn:E; [apply Heq in E; tauto|ring]. }
        simpl. destruct Hs as [->|Hs].
        + rewrite Z by trivial. unfold event; simpl. assert (eqb s s = true) as -> by (apply Heq;
          trivial). ring.
        + rewrite IH by trivial. unfold event; simpl. destruct (eqb x s) eqn:E; [apply Heq in E;
          congruence|ring]. }
    clear Hd Hin HM. induction outcomes as [|x xs IH]; cbn [sum].
    - apply Un_cv_ext with (fun _ => 0); [intro n; symmetry; exact (E_const (run n) 0)|]. intros e He;
      exists O; intros. unfold R_dist.
      rewrite Rminus_diag_eq, Rabs_R0; trivial.
    - apply Un_cv_ext with (fun n => Pr (run n) (says (eqb x)) * f x + run n (g xs)).
      + intro n. unfold Pr. rewrite Rmult_comm. replace (run n (g xs)) with (1 * run n (g xs)) by ring.
        rewrite <- E_linear by auto with law. apply E_ext; [apply bounded_linear; auto with law|].
        intro o. unfold g. simpl. ring.
      + apply CV_plus; [apply CV_mult; [apply Hw; left; trivial|]|apply IH; intros; apply Hw; right; trivial].
        intros e He; exists O; intros. unfold R_dist. rewrite Rminus_diag_eq, Rabs_R0; trivial.
  Qed.
End Reveal.
