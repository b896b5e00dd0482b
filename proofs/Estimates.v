(** What reports say about how many people chose something: the number that support it, its mean and its variance.

    Everybody's report is drawn independently; nothing is asked of a mechanism but how likely a report supports. *)
From Coq Require Import Reals Lra Lia List FunctionalExtensionality.
From Discreet Require Import Law Rappor OptimizedUnary LongitudinalRappor.
Import ListNotations.
Open Scope R_scope.

Fixpoint everyone {X Y} (M : X -> law Y) (xs : list X) : law (list Y) :=
  match xs with [] => ret [] | x :: xs => y <- M x ;; ys <- everyone M xs ;; ret (y :: ys) end.

Fixpoint tally {T} (A : T -> bool) (ts : list T) : R :=
  match ts with [] => 0 | t :: ts => event A t + tally A ts end.

Section Reports.
  Context {X Y : Type} (M : X -> law Y) (S : Y -> bool).

  Let a x := Pr (M x) S.

  (** How far reports are from their means. *)
  Fixpoint away (xs : list X) (ys : list Y) : R :=
    match xs, ys with x :: xs, y :: ys => event S y - a x + away xs ys | _, _ => 0 end.

  Local Lemma one_report x c k : M x (fun y => c + k * event S y) = c + k * a x.
  Proof.
    transitivity (M x (fun y => k * event S y + c)); [f_equal; apply functional_extensionality; intro; ring|].
    rewrite E_affine by auto with law. unfold a, Pr. ring.
  Qed.

  Local Lemma away_mean xs : forall c k, everyone M xs (fun ys => c + k * away xs ys) = c.
  Proof.
    induction xs as [|x xs IH]; intros c k; cbn [everyone bind ret E away]; [ring|].
    transitivity (M x (fun y => (c - k * a x) + k * event S y)); [|rewrite one_report; ring].
    f_equal. apply functional_extensionality. intro y. rewrite <- (IH (c - k * a x + k * event S y) k).
    f_equal. apply functional_extensionality. intro. ring.
  Qed.

  Local Lemma away_square xs : forall c k, everyone M xs (fun ys => (c + away xs ys) ^ 2 * k) =
    (c ^ 2 + sum xs (fun x => a x * (1 - a x))) * k.
  Proof.
    induction xs as [|x xs IH]; intros c k; cbn [everyone bind ret E away sum]; [simpl; ring|].
    set (V := sum xs (fun x => a x * (1 - a x))) in *.
    transitivity (M x (fun y => ((c - a x) ^ 2 + V) * k + (2 * (c - a x) + 1) * k * event S y));
      [|rewrite one_report; simpl; ring].
    f_equal. apply functional_extensionality. intro y.
    transitivity (((c + event S y - a x) ^ 2 + V) * k); [|unfold event; destruct (S y); simpl; ring].
    rewrite <- IH. f_equal. apply functional_extensionality. intro. f_equal. f_equal. ring.
  Qed.

  (** There are as many reports as people, so only those matter. *)
  Lemma everyone_agree xs : forall f h, (forall ys, length ys = length xs -> f ys = h ys) ->
    everyone M xs f = everyone M xs h.
  Proof.
    induction xs as [|x xs IH]; intros f h H; cbn [everyone bind ret E]; [apply H; trivial|]. f_equal.
    apply functional_extensionality. intro y. apply IH. intros ys Hy. apply H. simpl. lia.
  Qed.

  Local Lemma tally_away xs : forall ys, length ys = length xs -> tally S ys = sum xs a + away xs ys.
  Proof.
    induction xs as [|x xs IH]; intros [|y ys] Hl; simpl in Hl; try discriminate; cbn [tally sum away]; [ring|].
    rewrite IH by lia. ring.
  Qed.

  (** Any mean and variance of the number of reports that support. *)
  Theorem tally_mean xs : everyone M xs (tally S) = sum xs a.
  Proof.
    transitivity (everyone M xs (fun ys => sum xs a + 1 * away xs ys)); [|apply away_mean].
    apply everyone_agree. intros ys Hy. rewrite (tally_away xs ys Hy). ring.
  Qed.

  Theorem tally_variance xs :
    everyone M xs (fun ys => (tally S ys - sum xs a) ^ 2) = sum xs (fun x => a x * (1 - a x)).
  Proof.
    transitivity (everyone M xs (fun ys => (0 + away xs ys) ^ 2 * 1)); [|rewrite away_square; simpl; ring].
    apply everyone_agree. intros ys Hy. rewrite (tally_away xs ys Hy). simpl. ring.
  Qed.

  (** A linear function of it, such as an estimate. *)
  Lemma linear_mean xs k c : everyone M xs (fun ys => (tally S ys - c) * k) = (sum xs a - c) * k.
  Proof.
    transitivity (everyone M xs (fun ys => (sum xs a - c) * k + k * away xs ys)); [|apply away_mean].
    apply everyone_agree. intros ys Hy. rewrite (tally_away xs ys Hy). ring.
  Qed.
  Lemma linear_variance xs k c m : m = (sum xs a - c) * k ->
    everyone M xs (fun ys => ((tally S ys - c) * k - m) ^ 2) = sum xs (fun x => a x * (1 - a x)) * k ^ 2.
  Proof.
    intros ->. transitivity (everyone M xs (fun ys => (0 + away xs ys) ^ 2 * k ^ 2)); [|rewrite away_square; simpl; ring].
    apply everyone_agree. intros ys Hy. rewrite (tally_away xs ys Hy). simpl. ring.
  Qed.

  (** Where a report supports the truth with probability p and else with q. *)
  Lemma supports (truth : X -> bool) p q xs : Forall (fun x => a x = if truth x then p else q) xs ->
    sum xs a = INR (length xs) * q + tally truth xs * (p - q) /\
    sum xs (fun x => a x * (1 - a x)) = tally truth xs * (p * (1 - p)) + (INR (length xs) - tally truth xs) * (q * (1 - q)).
  Proof.
    induction 1 as [|x xs Hx H [I1 I2]]; [simpl; lra|]. cbn [sum tally]. simpl length. rewrite S_INR, I1, I2, Hx.
    unfold event. destruct (truth x); split; ring.
  Qed.
End Reports.

(** ** Bits of reports: how likely one is set *)

Definition bit_is (v : nat) (y : list bool) := nth v y false.

Lemma pair_bit {T} (P : law T) (b : T -> bool) v (Q : law (list bool)) :
  Pr (c <- P ;; y <- Q ;; ret (b c :: y)) (bit_is v) = match v with O => Pr P b | S v => Pr Q (bit_is v) end.
Proof.
  unfold Pr. cbn [bind ret E]. destruct v.
  - apply E_ext; [apply test_bounded; intro; apply E_test; intro; apply test_event|]. intro c. apply (E_const Q (event b c)).
  - transitivity (P (fun _ => Q (event (bit_is v)))); [reflexivity|apply E_const].
Qed.

Theorem rappor_marginal g x : 0 <= g <= 1 -> forall v, (v < length x)%nat ->
  Pr (rappor g x) (bit_is v) = if bit_is v x then 1 - g else g.
Proof.
  intro Hg. induction x as [|b x IH]; intros v Hv; simpl in Hv; [lia|]. cbn [rappor].
  rewrite (pair_bit (flip g) (fun n => xorb b n)). destruct v; [|apply IH; lia].
  unfold Pr. rewrite flip_is by trivial. unfold event, bit_is. destruct b; simpl; ring.
Qed.

Local Lemma bits_marginal q h x : 0 <= q <= 1 -> forall v, (v < length x)%nat ->
  Pr (bits q h x) (bit_is v) = if bit_is v x then (if h then 1 else 0) else q.
Proof.
  intro Hq. induction x as [|b x IH]; intros v Hv; simpl in Hv; [lia|]. cbn [bits].
  rewrite (pair_bit (flip q) (fun c => if b then h else c)). destruct v; [|apply IH; lia].
  unfold Pr. rewrite flip_is by trivial. unfold event, bit_is. destruct b, h; simpl; ring.
Qed.

Theorem unary_marginal p q x : 0 <= p <= 1 -> 0 <= q <= 1 -> forall v, (v < length x)%nat ->
  Pr (unary p q x) (bit_is v) = if bit_is v x then p else q.
Proof.
  intros Hp Hq v Hv. unfold unary, Pr. cbn [bind E]. rewrite flip_is by trivial.
  pose proof (bits_marginal q true x Hq v Hv) as H1. pose proof (bits_marginal q false x Hq v Hv) as H0.
  unfold Pr in *. rewrite H1, H0. destruct (bit_is v x); ring.
Qed.

Local Lemma coins_marginal p q x : 0 <= p <= 1 -> 0 <= q <= 1 -> forall v, (v < length x)%nat ->
  Pr (coins p q x) (bit_is v) = if bit_is v x then p else q.
Proof.
  intros Hp Hq. induction x as [|b x IH]; intros v Hv; simpl in Hv; [lia|]. cbn [coins].
  rewrite (pair_bit (flip (if b then p else q)) (fun c => c)). destruct v; [|apply IH; lia].
  unfold Pr. rewrite flip_is by (destruct b; trivial). unfold event, bit_is. destruct b; simpl; ring.
Qed.

(** One report, from a permanent response of its own. *)
Theorem longitudinal_marginal g p q x : 0 < g <= / 2 -> 0 <= p < q /\ q <= 1 -> forall v, (v < length x)%nat ->
  Pr (memo <- rappor g x ;; report p q memo) (bit_is v) = if bit_is v x then own g p q else other g p q.
Proof.
  intros Hg Hpq v Hv. unfold Pr. rewrite longitudinal_law by (trivial; apply test_bounded, test_event).
  apply coins_marginal; trivial; unfold own, other; split; nra.
Qed.
