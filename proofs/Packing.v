(** The worst packing: which values of keys that one map lacks are seen most likely.
  Of all of them four need a look. *)
From Coq Require Import ZArith Reals Lra Lia List Bool.
From Discreet Require Import Law Laplace KeepAbove.
Import ListNotations.
Open Scope R_scope.

Lemma sum_repeat {T} (x : T) n f : sum (repeat x n) f = INR n * f x.
Proof. rewrite <- (repeat_length x n) at 2. rewrite <- sum_const. apply sum_ext. intros y Hy.
  apply repeat_spec in Hy. subst; trivial. Qed.

Definition whole (ks : list nat) : nat := fold_right Nat.add 0%nat ks.

Lemma whole_app xs ys : whole (xs ++ ys) = (whole xs + whole ys)%nat.
Proof. induction xs; simpl; lia. Qed.
Lemma whole_repeat x n : whole (repeat x n) = (n * x)%nat.
Proof. induction n; simpl; lia. Qed.

Lemma ceiling x k : (1 <= k)%nat -> (x <= (x + k - 1) / k * k <= x + k - 1)%nat.
Proof.
  intro Hk. pose proof (Nat.div_mod (x + k - 1) k ltac:(lia)) as H.
    pose proof (Nat.mod_upper_bound (x + k - 1) k ltac:(lia)).
  rewrite Nat.mul_comm in H. lia.
Qed.

Lemma times x y : (1 <= y)%nat -> (x <= x * y)%nat.
Proof. nia. Qed.

(** ** For any phi that grows, and grows faster and faster, from 1 to li *)

Section Convex.
  (** [room] is what a key can take beyond its first unit, and [psi] what that is worth. *)
  Variables (phi : nat -> R) (l0 l1 li room : nat).
  Hypotheses (Hli : li = S room) (room_pos : (1 <= room)%nat) (H1 : 0 <= phi 1%nat)
    (grows : forall c, (1 <= c)%nat -> (c + 1 <= li)%nat -> phi c <= phi (c + 1)%nat)
    (faster : forall c, (1 <= c)%nat -> (c + 2 <= li)%nat ->
      phi (c + 1)%nat - phi c <= phi (c + 2)%nat - phi (c + 1)%nat).

  Let psi e := phi (1 + e)%nat - phi 1%nat.

  Local Lemma slopes d : forall c, (1 <= c)%nat -> (c + d + 1 <= li)%nat ->
    phi (c + 1)%nat - phi c <= phi (c + d + 1)%nat - phi (c + d)%nat.
  Proof.
    induction d as [|d IH]; intros c Hc Hd.
    - rewrite Nat.add_0_r. lra.
    - specialize (IH c Hc ltac:(lia)). pose proof (faster (c + d)%nat ltac:(lia) ltac:(lia)) as H.
      replace (c + S d + 1)%nat with (c + d + 2)%nat by lia. replace (c + S d)%nat with (c + d + 1)%nat by lia.
        lra.
  Qed.

  (** Moving n units from the lesser of two keys to the greater. *)
  Local Lemma spread n : forall a b, (n < a)%nat -> (a <= b)%nat -> (b + n <= li)%nat ->
    phi a + phi b <= phi (a - n)%nat + phi (b + n)%nat.
  Proof.
    induction n as [|n IH]; intros a b Ha Hab Hb.
    - rewrite Nat.sub_0_r, Nat.add_0_r. lra.
    - specialize (IH a b ltac:(lia) Hab ltac:(lia)).
      pose proof (slopes (b + n - (a - n - 1)) (a - n - 1)%nat ltac:(lia) ltac:(lia)) as H.
      replace (a - n - 1 + 1)%nat with (a - n)%nat in H by lia.
      replace (a - n - 1 + (b + n - (a - n - 1)))%nat with (b + n)%nat in H by lia.
      replace (b + n + 1)%nat with (b + S n)%nat in H by lia.
        replace (a - S n)%nat with (a - n - 1)%nat by lia. lra.
  Qed.

  Local Lemma psi_spread x y n : (n <= x)%nat -> (x <= y)%nat -> (y + n <= room)%nat ->
    psi x + psi y <= psi (x - n)%nat + psi (y + n)%nat.
  Proof.
    intros Hx Hxy Hy. unfold psi. pose proof (spread n (1 + x) (1 + y) ltac:(lia) ltac:(lia) ltac:(lia)) as H.
    replace (1 + x - n)%nat with (1 + (x - n))%nat in H by lia.
      replace (1 + y + n)%nat with (1 + (y + n))%nat in H by lia. lra.
  Qed.

  Local Lemma psi_0 : psi 0 = 0.
  Proof. unfold psi. simpl. ring. Qed.

  Local Lemma psi_pos e : (e <= room)%nat -> 0 <= psi e.
  Proof.
    induction e as [|e IH]; intro He; [rewrite psi_0; lra|]. specialize (IH ltac:(lia)). unfold psi in *.
    pose proof (grows (1 + e) ltac:(lia) ltac:(lia)) as H.
      replace (1 + e + 1)%nat with (1 + S e)%nat in H by lia. lra.
  Qed.

  (** Fixed number of keys: as many as possible are full, and one has what is left. *)
  Definition worth (e : nat) := INR (e / room) * psi room + psi (e mod room).

  Local Lemma worth_at f r : (r < room)%nat -> worth (f * room + r) = INR f * psi room + psi r.
  Proof.
    intro Hr. unfold worth. rewrite Nat.div_add_l, Nat.div_small, Nat.add_0_r by lia.
    rewrite Nat.add_comm, Nat.mod_add, Nat.mod_small by lia. trivial.
  Qed.

  Local Lemma worth_add e E : (e <= room)%nat -> psi e + worth E <= worth (e + E).
  Proof.
    intro He. pose proof (Nat.div_mod E room ltac:(lia)) as HE.
    pose proof (Nat.mod_upper_bound E room ltac:(lia)) as Hr. set (f := (E / room)%nat) in *.
      set (r := (E mod room)%nat) in *.
    rewrite HE. replace (room * f + r)%nat with (f * room + r)%nat by lia. rewrite worth_at by trivial.
    destruct (Nat.lt_ge_cases (e + r) room) as [Hs|Hs].
    - replace (e + (f * room + r))%nat with (f * room + (e + r))%nat by lia. rewrite worth_at by trivial.
      enough (psi e + psi r <= psi 0 + psi (e + r)%nat) by (rewrite psi_0 in *; lra).
      destruct (Nat.le_ge_cases e r) as [Hx|Hx];
        [pose proof (psi_spread e r e) as Hp|pose proof (psi_spread r e r) as Hp].
      + rewrite Nat.sub_diag, (Nat.add_comm r) in *. apply Hp; lia.
      + rewrite Nat.sub_diag in *. specialize (Hp ltac:(lia) ltac:(lia) ltac:(lia)). lra.
    - replace (e + (f * room + r))%nat with (S f * room + (e + r - room))%nat by lia.
      rewrite worth_at, S_INR by lia.
      enough (psi e + psi r <= psi (e + r - room)%nat + psi room) by lra.
      destruct (Nat.le_ge_cases e r) as [Hx|Hx];
        [pose proof (psi_spread e r (room - r)) as Hp|pose proof (psi_spread r e (room - e)) as Hp].
      + replace (e - (room - r))%nat with (e + r - room)%nat in Hp by lia.
        replace (r + (room - r))%nat with room in Hp by lia.
        apply Hp; lia.
      + replace (r - (room - e))%nat with (e + r - room)%nat in Hp by lia.
        replace (e + (room - e))%nat with room in Hp by lia.
        specialize (Hp ltac:(lia) ltac:(lia) ltac:(lia)). lra.
  Qed.

  Local Lemma worth_grows d : forall E, worth E <= worth (d + E).
  Proof.
    induction d as [|d IH]; intro E; [simpl; lra|]. specialize (IH E).
    pose proof (worth_add 1 (d + E) ltac:(lia)). pose proof (psi_pos 1 ltac:(lia)). simpl in *. lra.
  Qed.

  (** n keys of l1 in all. *)
  Definition packed (n : nat) := INR n * phi 1%nat + worth (l1 - n).

  Definition fits (ks : list nat) :=
    (length ks <= l0 /\ whole ks <= l1)%nat /\ Forall (fun c => 1 <= c <= li)%nat ks.

  Local Lemma packed_most ks : fits ks -> sum ks phi <= packed (length ks).
  Proof.
    intros [[_ Hw] Hk].
    assert ((length ks <= whole ks)%nat /\ sum ks phi
      <= INR (length ks) * phi 1%nat + worth (whole ks - length ks)) as [Hn Hs].
    { clear Hw. induction Hk as [|c ks Hc Hk [IHn IH]].
      - simpl. split; [lia|]. rewrite (worth_at 0 0 ltac:(lia) : worth 0 = _), psi_0. simpl. lra.
      - cbn [length whole sum fold_right]. fold (whole ks). split; [lia|]. rewrite S_INR.
        pose proof (worth_add (c - 1) (whole ks - length ks) ltac:(lia)) as H.
        replace (c - 1 + (whole ks - length ks))%nat with (c + whole ks - S (length ks))%nat in H by lia.
        unfold psi in H. replace (1 + (c - 1))%nat with c in H by lia. lra. }
    unfold packed. pose proof (worth_grows (l1 - whole ks) (whole ks - length ks)) as H.
    replace (l1 - whole ks + (whole ks - length ks))%nat with (l1 - length ks)%nat in H by lia. lra.
  Qed.

  Hypotheses (H01 : (l0 <= l1)%nat) (Hl : (1 <= l1 <= l0 * li)%nat).

  Definition fewest := ((l1 + li - 1) / li)%nat.

  Local Lemma fewest_is : (l1 <= fewest * li /\ (fewest - 1) * li + 1 <= l1 /\ 1 <= fewest <= l0)%nat.
  Proof.
    pose proof (ceiling l1 li ltac:(lia)) as [H2 H3]. fold fewest in *. set (f := fewest) in *. clearbody f.
    assert (f <> 0)%nat by (intros ->; simpl in *; lia). assert (f <= l0)%nat.
    { apply Nat.nlt_ge. intro K. apply (Nat.mul_le_mono_r (S l0) f li) in K. simpl in K. lia. }
    rewrite Nat.mul_sub_distr_r. lia.
  Qed.

  (** Fewer keys than that leave some of l1: one more key does not harm. *)
  Local Lemma enough_keys ks : fits ks -> exists n, (fewest <= n <= l0)%nat /\ sum ks phi <= packed n.
  Proof.
    intros Hf. pose proof fewest_is as (F1 & F2 & F3). destruct (Nat.le_gt_cases fewest (length ks)) as [H|H].
    - exists (length ks). pose proof (proj1 (proj1 Hf)). split; [lia|]. apply packed_most; trivial.
    - exists fewest. split; [lia|]. set (more := repeat 1%nat (fewest - length ks)).
      destruct Hf as [[Hn Hw] Hk]. assert (whole ks <= length ks * li)%nat as Hm.
      { clear - Hk. induction Hk as [|c ks Hc Hk IH]; simpl; [lia|]. fold (whole ks). lia. }
      assert (length (ks ++ more) = fewest) as Hlen by (unfold more; rewrite app_length, repeat_length; lia).
      apply Rle_trans with (sum (ks ++ more) phi).
      + rewrite sum_app. unfold more. rewrite sum_repeat. pose proof (pos_INR (fewest - length ks)). nra.
      + rewrite <- Hlen. apply packed_most. split; [split; [lia|]|].
        * rewrite whole_app. unfold more. rewrite whole_repeat.
          pose proof (times (fewest - 1 - length ks) li ltac:(lia)).
          assert ((fewest - 1) * li = length ks * li + (fewest - 1 - length ks) * li)%nat
            by (rewrite <- Nat.mul_add_distr_r; f_equal; lia). lia.
        * apply Forall_app. split; trivial. apply Forall_forall. intros x Hx. apply repeat_spec in Hx. lia.
  Qed.

  (** In terms of e = l1 - n, beyond a constant: linear over the multiples of room, convex between them. *)
  Let chi e := psi e - INR e * phi 1%nat.

  Local Lemma packed_chi n f r : (n <= l1)%nat -> (l1 - n = f * room + r)%nat -> (r <= room)%nat ->
    packed n = INR l1 * phi 1%nat + INR f * chi room + chi r.
  Proof.
    intros Hn He Hr. unfold packed. assert (INR n = INR l1 - (INR f * INR room + INR r)) as ->.
    { rewrite <- mult_INR, <- plus_INR, <- He, minus_INR by lia. ring. }
    rewrite He. destruct (Nat.eq_dec r room) as [->|].
    - replace (f * room + room)%nat with (S f * room + 0)%nat by lia.
      rewrite worth_at, psi_0, S_INR by lia. unfold chi. ring.
    - rewrite worth_at by lia. unfold chi. ring.
  Qed.

  Local Lemma chi_ends a r b : (a <= r <= b)%nat -> (b <= room)%nat -> chi r <= Rmax (chi a) (chi b).
  Proof.
    intros Hr Hb. assert (forall x, (x + 2 <= room)%nat ->
      chi (x + 1)%nat - chi x <= chi (x + 2)%nat - chi (x + 1)%nat) as Hc.
    { intros x Hx. unfold chi, psi. rewrite !plus_INR. pose proof (faster (1 + x) ltac:(lia) ltac:(lia)) as H.
      replace (1 + x + 1)%nat with (1 + (x + 1))%nat in H by lia.
        replace (1 + x + 2)%nat with (1 + (x + 2))%nat in H by lia.
      simpl (INR 1); simpl (INR 2). lra. }
    assert (forall d x, (x + d + 1 <= room)%nat ->
      chi (x + 1)%nat - chi x <= chi (x + d + 1)%nat - chi (x + d)%nat) as Hs.
    { induction d as [|d IH]; intros x Hx; [rewrite Nat.add_0_r;
      lra|]. specialize (IH x ltac:(lia)). specialize (Hc (x + d)%nat ltac:(lia)).
      replace (x + S d + 1)%nat with (x + d + 2)%nat by lia. replace (x + S d)%nat with (x + d + 1)%nat by lia.
        lra. }
    (* Either it falls all the way from a to r, or it grows all the way from r to b. *)
    destruct (Nat.eq_dec r a) as [->|Hra]; [apply Rmax_l|].
      destruct (Rle_lt_dec (chi (r - 1 + 1)%nat) (chi (r - 1)%nat)) as [Hd|Hu].
    - apply Rle_trans with (chi a); [|apply Rmax_l].
      assert (forall d, (d <= r - a)%nat -> chi r <= chi (r - d)%nat) as Hf.
      { induction d as [|d IH]; intro Hd'; [rewrite Nat.sub_0_r;
        lra|]. specialize (IH ltac:(lia)). eapply Rle_trans; [apply IH|].
        specialize (Hs d (r - S d)%nat ltac:(lia)).
          replace (r - S d + d + 1)%nat with (r - 1 + 1)%nat in Hs by lia.
        replace (r - S d + d)%nat with (r - 1)%nat in Hs by lia.
          replace (r - S d + 1)%nat with (r - d)%nat in Hs by lia. lra. }
      specialize (Hf (r - a)%nat ltac:(lia)). replace (r - (r - a))%nat with a in Hf by lia. trivial.
    - apply Rle_trans with (chi b); [|apply Rmax_r].
      assert (forall d, (r + d <= b)%nat -> chi r <= chi (r + d)%nat) as Hf.
      { induction d as [|d IH]; intro Hd'; [rewrite Nat.add_0_r;
        lra|]. specialize (IH ltac:(lia)). eapply Rle_trans; [apply IH|].
        specialize (Hs (d + 1)%nat (r - 1)%nat ltac:(lia)).
          replace (r - 1 + (d + 1) + 1)%nat with (r + S d)%nat in Hs by lia.
        replace (r - 1 + (d + 1))%nat with (r + d)%nat in Hs by lia. lra. }
      specialize (Hf (b - r)%nat ltac:(lia)). replace (r + (b - r))%nat with b in Hf by lia. trivial.
  Qed.

  (** The most and the fewest keys, and the first and the last multiple of room between. *)
  Definition candidates := [l0; fewest;
    (l1 - (l1 - l0 + room - 1) / room * room)%nat; (l1 - (l1 - fewest) / room * room)%nat].

  Local Lemma multiples n f : (fewest <= n <= l0)%nat -> (l1 - n = f * room)%nat ->
    exists m, In m candidates /\ (fewest <= m <= l0)%nat /\ packed n <= packed m.
  Proof.
    intros Hn He. pose proof fewest_is as (F1 & F2 & F3).
    assert (forall m k, (m <= l1)%nat -> (l1 - m = k * room)%nat ->
      packed m = INR l1 * phi 1%nat + INR k * chi room) as P.
    { intros m k Hm Hk. rewrite (packed_chi m k 0) by lia. unfold chi. rewrite psi_0. simpl. ring. }
    set (first := ((l1 - l0 + room - 1) / room)%nat). set (last := ((l1 - fewest) / room)%nat).
    assert (l1 - l0 <= first * room)%nat as G1 by (apply ceiling; trivial).
    assert (first <= f)%nat as G2.
    { apply Nat.lt_succ_r, Nat.div_lt_upper_bound; [lia|]. rewrite Nat.mul_succ_r, (Nat.mul_comm room f). lia. }
    assert (last * room <= l1 - fewest)%nat as G3 by (rewrite Nat.mul_comm; apply Nat.mul_div_le; lia).
    assert (f <= last)%nat as G4 by (apply Nat.div_le_lower_bound; [|rewrite Nat.mul_comm]; lia).
    pose proof (Nat.mul_le_mono_r _ _ room G2) as Hfirst. pose proof (Nat.mul_le_mono_r _ _ room G4) as Hlast.
    rewrite (P n f) by lia. destruct (Rle_lt_dec 0 (chi room)) as [Hc|Hc].
    - exists (l1 - last * room)%nat. split; [right; right; right; left; trivial|]. split; [clear - G3 Hlast He Hn F3 H01; lia|].
      rewrite (P _ last) by (clear - G3; lia). apply le_INR in G4. clear - G4 Hc. nra.
    - exists (l1 - first * room)%nat. split; [right; right; left; trivial|]. split; [clear - G1 Hfirst He Hn F3 H01; lia|].
      rewrite (P _ first) by (clear - He Hfirst; lia). apply le_INR in G2. clear - G2 Hc. nra.
  Qed.

  Theorem four_candidates ks : fits ks -> exists n,
    In n candidates /\ (fewest <= n <= l0)%nat /\ sum ks phi <= packed n.
  Proof.
    intro Hf. destruct (enough_keys ks Hf) as (n & Hn & Hs). pose proof fewest_is as (F1 & F2 & F3).
    enough (exists m, In m candidates /\ (fewest <= m <= l0)%nat /\ packed n <= packed m) as (m & Hm & Hr & Hp)
      by (exists m; repeat split; trivial; lia || lra).
    assert (exists f r, (l1 = n + (f * room + r) /\ r < room)%nat) as (f & r & He & Hb).
    { exists ((l1 - n) / room)%nat, ((l1 - n) mod room)%nat.
      pose proof (Nat.mod_upper_bound (l1 - n) room ltac:(clear - room_pos; lia)).
      pose proof (Nat.div_mod (l1 - n) room ltac:(clear - room_pos; lia)) as E.
      rewrite Nat.mul_comm in E. split; [|trivial]. clear - E Hn H01. lia. }
    pose proof (Nat.mul_succ_l f room) as Hsf.
    assert (exists a, (a <= r /\ (a = 0 /\ l1 <= l0 + f * room \/ 0 < a /\ l1 = l0 + (f * room + a)))%nat)
      as (a & Ha & Ha') by (exists (l1 - l0 - f * room)%nat; clear - He Hn; lia).
    assert (exists b, (r <= b <= room /\ (b = room /\ fewest + S f * room <= l1 \/ l1 = fewest + (f * room + b)))%nat)
      as (b & Hrb & Hb') by (exists (Nat.min room (l1 - fewest - f * room)); clear - He Hn Hb Hsf; lia).
    pose proof (chi_ends a r b ltac:(clear - Ha Hrb; lia) ltac:(clear - Hrb; lia)) as Hends.
    rewrite (packed_chi n f r) by (clear - He Hb; lia). unfold Rmax in Hends. destruct (Rle_dec (chi a) (chi b)).
    - destruct Hb' as [[-> Hb']|Hb'].
      + destruct (multiples (l1 - S f * room) (S f)) as (m & Hm & Hr & Hp); [clear - He Hn Hb Hb' Hsf; lia..|].
        exists m. split; [trivial|]. split; [trivial|].
        rewrite (packed_chi (l1 - S f * room) f room) in Hp by (clear - Hb' Hsf; lia). lra.
      + exists fewest. split; [right; left; trivial|]. split; [clear - F3; lia|].
        rewrite (packed_chi fewest f b) by (clear - Hb' Hrb; lia). lra.
    - destruct Ha' as [[-> Ha']|[_ Ha']].
      + destruct (multiples (l1 - f * room) f) as (m & Hm & Hr & Hp); [clear - He Hn Ha'; lia..|].
        exists m. split; [trivial|]. split; [trivial|].
        rewrite (packed_chi (l1 - f * room) f 0) in Hp by (clear - He; lia). lra.
      + exists l0. split; [left; trivial|]. split; [clear - F3; lia|].
        rewrite (packed_chi l0 f a) by (clear - Ha Ha' Hb; lia). lra.
  Qed.

  (** And each of them is a packing. *)
  Theorem packed_fits n : (fewest <= n <= l0)%nat -> exists ks, fits ks /\ sum ks phi = packed n.
  Proof.
    intro Hn. pose proof fewest_is as (F1 & F2 & F3).
    pose proof (Nat.div_mod (l1 - n) room ltac:(lia)) as He.
      pose proof (Nat.mod_upper_bound (l1 - n) room ltac:(lia)) as Hb.
    assert (l1 - n <= n * room)%nat.
    { pose proof (Nat.mul_le_mono_r fewest n li ltac:(lia)) as H. rewrite Hli, Nat.mul_succ_r in *. lia. }
    unfold packed, worth. rewrite Nat.mul_comm in He. set (f := ((l1 - n) / room)%nat) in *.
      set (r := ((l1 - n) mod room)%nat) in *.
    clearbody f r. assert (f * li = f * room + f)%nat as Hfl by (rewrite Hli;
      lia). destruct (Nat.eq_dec r 0) as [Hr|Hr].
    - assert (f <= n)%nat by (apply (Nat.mul_le_mono_pos_r f n room); lia).
      exists (repeat li f ++ repeat 1%nat (n - f)). split; [split; [split|]|].
      + rewrite app_length, !repeat_length. lia.
      + rewrite whole_app, !whole_repeat. lia.
      + apply Forall_app. split; apply Forall_forall; intros x Hx; apply repeat_spec in Hx; lia.
      + rewrite sum_app, !sum_repeat, minus_INR, Hr, psi_0 by lia. unfold psi.
        replace (1 + room)%nat with li by lia. ring.
    - assert (f < n)%nat by (apply (Nat.mul_lt_mono_pos_r room f n); lia).
      exists (repeat li f ++ (1 + r)%nat :: repeat 1%nat (n - f - 1)). split; [split; [split|]|].
      + rewrite app_length. cbn [length]. rewrite !repeat_length. lia.
      + rewrite whole_app. cbn [whole fold_right]. fold (whole (repeat 1%nat (n - f - 1))).
        rewrite !whole_repeat. lia.
      + apply Forall_app. split; [|constructor; [lia|]]; apply Forall_forall; intros x Hx;
        apply repeat_spec in Hx; lia.
      + rewrite sum_app. cbn [sum]. rewrite !sum_repeat, !minus_INR by lia. unfold psi.
        replace (1 + room)%nat with li by lia.
        simpl (INR 1). ring.
  Qed.
End Convex.

(** ** The surprise of discrete Laplace noise is such a phi *)

(** Moving a unit from the lesser of two keys to the greater hides no more.
  Products cancel, so no logarithm is needed. *)
Theorem exchange q T a b : 0 < q < 1 -> (a <= b < T)%Z ->
  (1 - shown q T (a - 1)) * (1 - shown q T (b + 1)) <= (1 - shown q T a) * (1 - shown q T b).
Proof.
  intros Hq Hab. unfold shown. set (e := Z.to_nat (b - a)). set (n := Z.to_nat (T - b)).
  replace (Z.to_nat (T - (a - 1) + 1)) with (n + e + 2)%nat by lia.
    replace (Z.to_nat (T - (b + 1) + 1)) with n by lia.
  replace (Z.to_nat (T - a + 1)) with (n + e + 1)%nat by lia.
    replace (Z.to_nat (T - b + 1)) with (n + 1)%nat by lia.
  rewrite !pow_add. cbn [pow]. assert (0 < q ^ n) by (apply pow_lt; lra).
  assert (0 < q ^ e <= 1) by (split; [apply pow_lt; lra|rewrite <- (pow1 e); apply pow_incr; lra]).
  set (X := q ^ n / (1 + q)). assert (0 < X) by (apply Rdiv_lt_0_compat; lra).
  replace (q ^ n * q ^ e * (q * (q * 1)) / (1 + q)) with (X * q ^ e * q * q) by (unfold X; field; lra).
  replace (q ^ n * q ^ e * (q * 1) / (1 + q)) with (X * q ^ e * q) by (unfold X; field; lra).
  replace (q ^ n * (q * 1) / (1 + q)) with (X * q) by (unfold X; field; lra).
  set (Y := q ^ e) in *. clearbody X Y. assert (0 < Y * q <= 1) by nra.
  assert (0 <= X * (1 - q) * (1 - Y * q)) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra). lra.
Qed.

Lemma shown_increases q T a b : 0 < q < 1 -> (a <= b <= T)%Z -> shown q T a <= shown q T b.
Proof.
  intros Hq Hab. unfold shown. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|].
  replace (Z.to_nat (T - a + 1)) with (Z.to_nat (T - b + 1) + Z.to_nat (b - a))%nat by lia. rewrite pow_add.
  assert (0 < q ^ Z.to_nat (T - b + 1)) by (apply pow_lt; lra).
  assert (q ^ Z.to_nat (b - a) <= 1) by (rewrite <- (pow1 (Z.to_nat (b - a))); apply pow_incr; lra). nra.
Qed.

Definition surprise q T (c : nat) := - ln (1 - shown q T (Z.of_nat c)).

Section Worst.
  Variables (q : R) (T : Z) (a0 a1 ai room : nat).
  Hypotheses (Hq : 0 < q < 1) (Hai : ai = S room) (Hroom : (1 <= room)%nat) (HT : (Z.of_nat ai <= T)%Z).
  Hypotheses (H01 : (a0 <= a1)%nat) (Hl : (1 <= a1 <= a0 * ai)%nat).

  Local Lemma unseen c : (c <= ai)%nat -> 0 < 1 - shown q T (Z.of_nat c) < 1.
  Proof using Hq HT. intro Hc. pose proof (shown_in q T Hq (Z.of_nat c) ltac:(clear - Hc HT; lia)). lra. Qed.

  Local Lemma ln_le x y : 0 < x -> x <= y -> ln x <= ln y.
  Proof. intros Hx [H| ->]; [left; apply ln_increasing|]; lra. Qed.

  Local Lemma surprise_pos : 0 <= surprise q T 1.
  Proof.
    unfold surprise. pose proof (unseen 1 ltac:(lia)) as H. pose proof (ln_le _ 1 (proj1 H) ltac:(lra)).
      rewrite ln_1 in *. lra.
  Qed.

  Local Lemma surprise_grows c : (1 <= c)%nat -> (c + 1 <= ai)%nat -> surprise q T c <= surprise q T (c + 1).
  Proof.
    intros Hc Hi. unfold surprise. apply Ropp_le_contravar, ln_le; [apply unseen; lia|].
    pose proof (shown_increases q T (Z.of_nat c) (Z.of_nat (c + 1)) Hq ltac:(lia)). lra.
  Qed.

  Local Lemma surprise_faster c : (1 <= c)%nat -> (c + 2 <= ai)%nat ->
    surprise q T (c + 1) - surprise q T c <= surprise q T (c + 2) - surprise q T (c + 1).
  Proof.
    intros Hc Hi. unfold surprise. pose proof (exchange q T (Z.of_nat (c + 1)) (Z.of_nat
      (c + 1)) Hq ltac:(lia)) as H.
    replace (Z.of_nat (c + 1) - 1)%Z with (Z.of_nat c) in H by lia.
    replace (Z.of_nat (c + 1) + 1)%Z with (Z.of_nat (c + 2)) in H by lia.
    pose proof (unseen c ltac:(lia)). pose proof (unseen (c + 1) ltac:(lia)).
      pose proof (unseen (c + 2) ltac:(lia)).
    apply ln_le in H; [|apply Rmult_lt_0_compat; lra]. rewrite !ln_mult in H by lra. lra.
  Qed.

  Local Lemma hide_surprise ks : Forall (fun c => 1 <= c <= ai)%nat ks ->
    hide q T (map Z.of_nat ks) = exp (- sum ks (surprise q T)).
  Proof using Hq HT.
    induction 1 as [|c ks Hc Hk IH]; simpl; [rewrite Ropp_0, exp_0;
      trivial|]. rewrite IH, Ropp_plus_distr, exp_plus. f_equal.
    unfold surprise. rewrite Ropp_involutive, exp_ln; trivial. apply unseen; clear - Hc; lia.
  Qed.

  (** A key below 0 is less likely to be seen than its mirror image. *)
  Local Lemma hide_abs ks : Forall (fun c => 1 <= Z.abs c <= Z.of_nat ai)%Z ks ->
    0 <= hide q T (map Z.of_nat (map Z.abs_nat ks)) <= hide q T ks.
  Proof using Hq HT.
    induction 1 as [|c ks Hc Hk IH]; simpl; [lra|].
    pose proof (shown_increases q T c (Z.of_nat (Z.abs_nat c)) Hq ltac:(clear - Hc HT; lia)).
    pose proof (shown_in q T Hq (Z.of_nat (Z.abs_nat c)) ltac:(clear - Hc HT; lia)). split; nra.
  Qed.

  (** The worst packing is one of four. *)
  Theorem worst_packing ks : packing a0 a1 (Z.of_nat ai) ks ->
    exists n, In n (candidates a0 a1 ai room) /\ (fewest a1 ai <= n <= a0)%nat /\
    1 - hide q T ks <= 1 - exp (- packed (surprise q T) a1 room n).
  Proof.
    intros [[Hn Hs] Hk]. destruct (four_candidates
      (surprise q T) a0 a1 ai room Hai Hroom surprise_pos surprise_grows
      surprise_faster H01 Hl (map Z.abs_nat ks)) as (n & Hin & Hr & Hw).
    - split; [split|].
      + rewrite map_length. trivial.
      + eapply Nat.le_trans; [apply Nat.eq_le_incl|apply Hs]. clear. induction ks as [|c ks IH]; simpl;
        trivial. f_equal. apply IH.
      + clear - Hk. induction Hk; simpl; constructor; trivial. lia.
    - exists n. split; [trivial|]. split; [trivial|]. pose proof (hide_abs ks Hk) as [_ Ha].
      rewrite hide_surprise in Ha.
      + enough (exp (- packed (surprise q T) a1 room n) <= exp (- sum (map Z.abs_nat ks) (surprise q T)))
        by lra.
        destruct Hw as [Hw| ->]; [left; apply exp_increasing|]; lra.
      + clear - Hk. induction Hk; simpl; constructor; trivial. lia.
  Qed.

  (** And each of the four in range is a packing. *)
  Theorem worst_packing_occurs n : (fewest a1 ai <= n <= a0)%nat ->
    exists ks, packing a0 a1 (Z.of_nat ai) ks /\ 1 - hide q T ks = 1 - exp (- packed (surprise q T) a1 room n).
  Proof.
    intro Hn. destruct (packed_fits (surprise q T) a0 a1 ai room Hai Hroom surprise_grows surprise_faster H01
      Hl n Hn) as (ks & [[Hm Hs] Hk] & Hw).
    exists (map Z.of_nat ks). split; [split; [split|]|].
    - rewrite map_length. trivial.
    - eapply Nat.le_trans; [apply Nat.eq_le_incl|apply Hs]. clear. induction ks as [|c ks IH]; simpl;
      trivial. rewrite Zabs2Nat.id. f_equal. apply IH.
    - clear - Hk. induction Hk; simpl; constructor; trivial. lia.
    - rewrite hide_surprise, Hw by trivial. trivial.
  Qed.
End Worst.

(** The delta of the mechanism is exactly the greatest over the four. *)
Theorem keep_above_delta q T a0 a1 ai room delta : 0 < q < 1 -> ai = S room -> (1 <= room)%nat ->
  (Z.of_nat ai <= Z.abs T)%Z -> (a0 <= a1)%nat -> (1 <= a1 <= a0 * ai)%nat ->
  (dp (near a0 a1 (Z.of_nat ai)) (INR a1 * - ln q) delta (release q T) <->
   forall n, In n (candidates a0 a1 ai room) -> (fewest a1 ai <= n <= a0)%nat ->
     1 - exp (- packed (surprise q (Z.abs T)) a1 room n) <= delta).
Proof.
  intros Hq Hai Hroom HT H01 Hl. split; intro H.
  - intros n _ Hn. destruct (worst_packing_occurs q (Z.abs T) a0 a1 ai room Hq Hai Hroom HT H01 Hl n Hn)
    as (ks & Hk & <-).
    apply (keep_above_tight q T a0 a1 (Z.of_nat ai) (INR a1 * - ln q)); trivial; lia.
  - apply keep_above_dp; trivial. intros ks Hk.
    destruct (worst_packing q (Z.abs T) a0 a1 ai room Hq Hai Hroom HT H01 Hl ks Hk) as (n & Hin & Hn & Hd).
    eapply Rle_trans; [apply Hd|auto].
Qed.

(** Where no key has more than 1, the most keys are the worst. *)
Theorem keep_above_delta_ones q T a0 delta : 0 < q < 1 -> (1 <= Z.abs T)%Z ->
  (dp (near a0 a0 1) (INR a0 * - ln q) delta (release q T) <->
   1 - exp (- (INR a0 * surprise q (Z.abs T) 1)) <= delta).
Proof.
  intros Hq HT. assert (forall n, hide q (Z.abs T) (repeat 1%Z n) = exp (- (INR n * surprise q
    (Z.abs T) 1))) as Hh.
  { induction n as [|n IH]; [simpl; rewrite Rmult_0_l, Ropp_0, exp_0;
    trivial|]. cbn [repeat hide]. rewrite IH, S_INR.
    rewrite <- (exp_ln (1 - shown q (Z.abs T) 1)), <- exp_plus by (pose proof (shown_in q (Z.abs T) Hq 1 HT);
      lra).
    f_equal. unfold surprise. simpl Z.of_nat. ring. }
  split; intro H.
  - rewrite <- Hh. apply (keep_above_tight q T a0 a0 1 (INR a0 * - ln q)); trivial; [lia|].
    split; [split; [rewrite repeat_length; lia|]|].
    + clear. unfold size. induction a0 as [|n IH]; simpl in *; lia.
    + apply Forall_forall. intros x Hx. apply repeat_spec in Hx. lia.
  - apply keep_above_dp; trivial. intros ks [[Hn _] Hk]. eapply Rle_trans; [|apply H]. rewrite <- Hh.
    pose proof (shown_in q (Z.abs T) Hq 1 HT) as Hs.
    enough (forall m, (length ks <= m)%nat -> 0 <= hide q (Z.abs T) (repeat 1%Z m) <= hide q (Z.abs T) ks) as K
      by (specialize (K a0 Hn); lra).
    clear Hn. induction Hk as [|c ks Hc Hk IH]; intros m Hm.
    + assert (0 <= hide q (Z.abs T) (repeat 1%Z m) <= 1); [|simpl; lra]. clear Hm. induction m as [|m IH];
      simpl; [lra|nra].
    + destruct m as [|m]; simpl in Hm; [lia|]. specialize (IH m ltac:(lia)). simpl.
      pose proof (shown_increases q (Z.abs T) c 1 Hq ltac:(lia)). split; nra.
Qed.
