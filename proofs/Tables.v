(** Tables for the tests: laws as fractions, and samplers on given words.

    They are computed by functions that theorems are about, written to tests/data/proofs,
      and replayed there against
    the Python. *)
From Coq Require Import QArith Qreals ZArith Reals Lra Lia List Bool.
From Discreet Require Import Law Words Samplers RandomizedResponse Rappor OptimizedUnary SubsetSelection
  LongitudinalRappor.
Import ListNotations.
Open Scope R_scope.

(** ** A law as a table of fractions *)

Inductive program (T : Type) :=
  | Ret (x : T)
  | Flip (p : Q) (k : bool -> program T)
  | Pick (n : positive) (k : nat -> program T).
Arguments Ret {T}. Arguments Flip {T}. Arguments Pick {T}.

Fixpoint law_of {T} (m : program T) : law T :=
  match m with
  | Ret x => ret x
  | Flip p k => b <- flip (Q2R p) ;; law_of (k b)
  | Pick n k => i <- pick (Pos.to_nat n) ;; law_of (k i)
  end.

Fixpoint sumQ (xs : list nat) (f : nat -> Q) : Q := match xs
  with [] => 0%Q | x :: xs => Qred (f x + sumQ xs f) end.

Fixpoint mean {T} (m : program T) (f : T -> Q) : Q :=
  match m with
  | Ret x => f x
  | Flip p k => Qred (p * mean (k true) f + (1 - p) * mean (k false) f)
  | Pick n k => Qred (sumQ (seq 0 (Pos.to_nat n)) (fun i => mean (k i) f) / (Z.pos n # 1))
  end.

Inductive fair {T} : program T -> Prop :=
  | fair_ret x : fair (Ret x)
  | fair_flip p k : (0 <= p <= 1)%Q -> (forall b, fair (k b)) -> fair (Flip p k)
  | fair_pick n k : (forall i, fair (k i)) -> fair (Pick n k).

Lemma Q2R_red x : Q2R (Qred x) = Q2R x.
Proof. apply Qeq_eqR, Qred_correct. Qed.

Lemma Q2R_sum xs f : Q2R (sumQ xs f) = sum xs (fun i => Q2R (f i)).
Proof. induction xs as [|x xs IH]; cbn [sumQ sum]; [unfold Q2R; simpl; lra|]. rewrite Q2R_red, Q2R_plus, IH;
  trivial. Qed.

Lemma Q2R_0 : Q2R 0 = 0. Proof. unfold Q2R; simpl; lra. Qed.
Lemma Q2R_1 : Q2R 1 = 1. Proof. unfold Q2R; simpl; lra. Qed.

(** What is computed over the fractions is what the theorems are about. *)
Theorem mean_exact {T} (m : program T) f : fair m -> law_of m (fun x => Q2R (f x)) = Q2R (mean m f).
Proof.
  induction 1 as [x|p k Hp Hk IH|n k Hk IH]; cbn [law_of mean bind ret E]; trivial.
  - destruct Hp as [H0 H1]. apply Qle_Rle in H0, H1. rewrite Q2R_0, Q2R_1 in *. rewrite flip_is by lra.
    rewrite Q2R_red, Q2R_plus, !Q2R_mult, Q2R_minus, Q2R_1, !IH. trivial.
  - rewrite pick_is by lia. rewrite Q2R_red, Q2R_div by (intro H; inversion H). rewrite Q2R_sum.
    f_equal; [apply sum_ext; intros; apply IH|]. unfold Q2R. cbn [Qnum Qden]. rewrite INR_IPR.
      change (IZR (Z.pos n)) with (IPR n). field.
Qed.

(** The mechanisms as such programs. *)
Definition response_program (t : positive) (p : Q) (x : option nat) : program nat :=
  Flip p (fun honest => match x with
    | None => Pick t Ret
    | Some place => Pick (Pos.pred t) (fun choice =>
        Ret (if honest then place else ((place + 1 + choice) mod Pos.to_nat t)%nat))
    end).

Theorem response_program_is t p x f : (1 < t)%positive ->
  law_of (response_program t p x) f = response (Pos.to_nat t) (Q2R p) x f.
Proof.
  intro Ht. unfold response_program, response. destruct x as [i|]; cbn [law_of bind ret E]; trivial.
  replace (Pos.to_nat (Pos.pred t)) with (Pos.to_nat t - 1)%nat by lia. trivial.
Qed.

Fixpoint rappor_program (g : Q) (x : list bool) (k : list bool -> program (list bool)) : program (list bool) :=
  match x with
  | [] => k []
  | b :: x => Flip g (fun n => rappor_program g x (fun y => k (xorb b n :: y)))
  end.

Theorem rappor_program_is g x : forall k (L : list bool -> law (list bool)), (forall y f,
  law_of (k y) f = L y f) ->
  forall f, bounded f -> law_of (rappor_program g x k) f = bind (rappor (Q2R g) x) L f.
Proof.
  induction x as [|b x IH]; intros k L HL f Hf; [apply HL|]. cbn [rappor_program rappor law_of bind E].
  apply E_ext; [apply bounded_E; trivial|]. intro n. apply (IH _ (fun y => L (xorb b n :: y))); trivial.
Qed.

Fixpoint bits_program (q : Q) (honest : bool) (x : list bool) (k : list bool -> program (list bool)) :=
  match x with
  | [] => k []
  | b :: x => Flip q (fun c => bits_program q honest x (fun y => k ((if b then honest else c) :: y)))
  end.
Definition unary_program (p q : Q) (x : list bool) := Flip p (fun honest => bits_program q honest x Ret).

Theorem unary_program_is p q x f : bounded f -> law_of (unary_program p q x) f = unary (Q2R p) (Q2R q) x f.
Proof.
  intro Hf. unfold unary_program, unary. cbn [law_of bind E]. apply E_ext; [apply bounded_E; trivial|]. intro h.
  enough (forall k (L : list bool -> law (list bool)), (forall y f, law_of (k y) f = L y f) ->
    forall f, bounded f -> law_of (bits_program q h x k) f = bind (bits (Q2R q) h x) L f) as H
    by (apply (H Ret ret); trivial).
  clear f Hf. induction x as [|b x IH]; intros k L HL f Hf; [apply HL|]. cbn [bits_program bits law_of bind E].
  apply E_ext; [apply bounded_E; trivial|]. intro c. apply (IH _ (fun y => L ((if b then h else c) :: y)));
    trivial.
Qed.

Fixpoint shuffle_program (k i d : nat) (xs : list nat) (then_ : list nat ->
  program (list nat)) : program (list nat) :=
  match d with
  | O => then_ xs
  | S d => Pick (Pos.of_nat (k - 1 - i)) (fun c => shuffle_program k (S i) d (swap i (i + c) xs) then_)
  end.
Definition subset_program (k d : nat) (p : Q) (x : option nat) : program (list nat) :=
  Pick (Pos.of_nat k) (fun stand_in =>
    let place := match x with None => stand_in | Some i => i end in
    shuffle_program k 0 d (others k place) (fun xs =>
    Flip (match x with None => (Z.of_nat d # Pos.of_nat k)%Q | Some _ => p end) (fun honest =>
    Ret (sorted k (firstn d (if honest then put 0 place xs else xs)))))).

Theorem subset_program_is k d p x f : (1 <= d < k)%nat -> bounded f ->
  law_of (subset_program k d p x) f = subset k d (Q2R p) x f.
Proof.
  intros Hd Hf. unfold subset_program, subset. cbn [law_of bind E]. rewrite Nat2Pos.id by lia.
  apply E_ext; [apply bounded_E; trivial|]. intro u. set (place := match x with None => u | Some i => i end).
  enough (forall d i xs then_ (L : list nat -> law (list nat)), (forall y f, law_of (then_ y) f = L y f) -> (i +
    d < k)%nat ->
    forall f, bounded f -> law_of (shuffle_program k i d xs then_) f = bind (shuffle k i d xs) L f) as H.
  { apply (H d 0%nat (others k place) _ (fun xs => honest <- flip (match x with
    None => INR d / INR k | Some _ => Q2R p end) ;;
      ret (sorted k (firstn d (if honest then put 0 place xs else xs))))); trivial; try lia.
    intros xs h. cbn [law_of bind ret E]. destruct x; trivial.
      replace (Q2R (Z.of_nat d # Pos.of_nat k)) with (INR d / INR k); trivial.
    unfold Q2R. cbn [Qnum Qden]. rewrite !INR_IZR_INZ, <- positive_nat_Z, Nat2Pos.id by lia. trivial. }
  clear. intro d. induction d as [|d IH]; intros i xs then_ L HL Hi f Hf; [apply HL|].
    cbn [shuffle_program shuffle law_of bind E].
  rewrite Nat2Pos.id by lia. apply E_ext; [apply bounded_E; trivial|]. intro c. apply IH; trivial. lia.
Qed.

Fixpoint report_program (p q : Q) (memo : list bool) (k : list bool -> program (list bool)) : program (list bool) :=
  match memo with
  | [] => k []
  | b :: memo => Flip p (fun zero => Flip q (fun one =>
      report_program p q memo (fun y => k ((if b then one else zero) :: y))))
  end.
Definition longitudinal_program (g p q : Q) (x : list bool) :=
  rappor_program g x (fun memo => report_program p q memo Ret).

Theorem longitudinal_program_is g p q x f : bounded f -> law_of (longitudinal_program g p q x) f =
  (memo <- rappor (Q2R g) x ;; report (Q2R p) (Q2R q) memo) f.
Proof.
  intro Hf. assert (forall memo k (L : list bool -> law (list bool)), (forall y f, law_of (k y) f = L y f) ->
    forall f, law_of (report_program p q memo k) f = bind (report (Q2R p) (Q2R q) memo) L f) as H.
  { clear. induction memo as [|b memo IH]; intros k L HL f; [apply HL|].
    cbn [report_program report law_of bind ret E].
    cbn [E flip]. rewrite !(fun h => IH _ (fun y => L (h :: y)) (fun y => HL (h :: y)) f). trivial. }
  apply rappor_program_is; trivial. intros memo h. apply (H memo Ret ret); trivial.
Qed.

(** ** The sampler on given words *)

Fixpoint walk {S} (B : nat) (decide : nat -> Z -> option S) (k : nat) (v : Z) (words : list nat) : option S :=
  match decide k v, words with
  | Some s, _ => Some s
  | None, [] => None
  | None, u :: words => walk B decide (Datatypes.S k) (v * Z.of_nat B + Z.of_nat u) words
  end.

Fixpoint uniform_words (B n : nat) : law (list nat) :=
  match n with O => ret [] | S n => u <- pick B ;; us <- uniform_words B n ;; ret (u :: us) end.

(** The law of [reveal] is that of [walk] on uniform words. *)
Theorem walk_is {S} B (decide : nat -> Z -> option S) f : bounded f -> forall n k v,
  reveal B decide n k v f = bind (uniform_words B n) (fun ws => ret (walk B decide k v ws)) f.
Proof.
  intros Hf. induction n as [|n IH]; intros k v; cbn [reveal uniform_words walk bind ret E];
    destruct (decide k v) as [s|] eqn:H; trivial.
  - symmetry. transitivity (pick B (fun _ => f (Some s))); [|apply E_const].
    apply E_ext; [apply (bounded_E (fun _ => uniform_words B n)); auto with law|intro; apply E_const].
  - cbn [bind E]. apply E_ext; [apply bounded_E; trivial|]. intro u. apply IH.
Qed.

(** ** The tables: rows of integers *)

(** Every sequence of n words of base B. *)
Fixpoint spells (B n : nat) : list (list nat) :=
  match n with O => [[]] | S n => flat_map (fun u => map (cons u) (spells B n)) (seq 0 B) end.
Fixpoint all_bits (k : nat) : list (list bool) :=
  match k with O => [[]] | S k => flat_map (fun b => map (cons b) (all_bits k)) [false; true] end.

Definition indicator {T} (eqb : T -> T -> bool) y x : Q := if eqb y x then 1%Q else 0%Q.
Definition fraction (x : Q) : list Z := [Qnum x; Z.pos (Qden x)].
Definition digits (x : list bool) : list Z := map (fun b : bool => if b then 1%Z else 0%Z) x.
Definition words_row (ws : list nat) : list Z := map Z.of_nat ws.

(** numerator, denominator, words, answer: -1 is "not yet". *)
Definition coin_table (B n : nat) (ps : list (Z * Z)) : list (list Z) :=
  flat_map (fun '(a, d) => map (fun ws => [a; d] ++ words_row ws ++
    [match walk B (wait 1 (below_fraction B a d)) 0 0 ws
      with Some true => 1 | Some false => 0 | None => -1 end]%Z)
    (spells B n)) ps.

(** n, words, answer. *)
Definition uniform_table (B n : nat) (ns : list Z) : list (list Z) :=
  flat_map (fun m => map (fun ws => [m] ++ words_row ws ++
    [match walk B (wait 1 (floor_of B m)) 0 0 ws with Some s => s | None => -1 end]%Z) (spells B n)) ns.

(** t, p, answer (-1 is foreign), reply, probability. *)
Definition response_table (ps : list (positive * Q)) : list (list Z) :=
  flat_map (fun '(t, p) => let n := Pos.to_nat t in
    flat_map (fun x => map (fun y => [Z.pos t] ++ fraction p ++
      [match x with None => -1 | Some i => Z.of_nat i end; Z.of_nat y]%Z ++
      fraction (mean (response_program t p x) (indicator Nat.eqb y))) (seq 0 n)) (None :: map Some
        (seq 0 n))) ps.

(** f, bits, report, probability. *)
Definition rappor_table (fs : list (Q * nat)) : list (list Z) :=
  flat_map (fun '(f, k) => flat_map (fun x => map (fun y => fraction f ++ digits x ++ digits y ++
    fraction (mean (rappor_program (f / 2) x Ret) (indicator same y))) (all_bits k)) (all_bits k)) fs.

(** p, q, bits, report, probability; at most one bit is set. *)
Definition unary_table (ps : list (Q * Q * nat)) : list (list Z) :=
  flat_map (fun '(p, q, k) => flat_map (fun x => map
    (fun y => fraction p ++ fraction q ++ digits x ++ digits y ++
    fraction (mean (unary_program p q x) (indicator same y))) (all_bits k))
    (filter (fun x => weight x <=? 1)%nat (all_bits k))) ps.

(** k, p, answer (-1 is foreign), set, probability. *)
Definition subset_table (ps : list (nat * nat * Q)) : list (list Z) :=
  flat_map (fun '(k, d, p) => flat_map (fun x => map (fun y => [Z.of_nat k] ++ fraction p ++
    [match x with None => -1 | Some i => Z.of_nat i end]%Z ++ words_row y ++
    fraction (mean (subset_program k d p x) (indicator (fun y y' => if list_eq_dec Nat.eq_dec y y' then true else
      false) y)))
    (choose d (seq 0 k))) (None :: map Some (seq 0 k))) ps.

(** f, p, q, bits, report, probability. *)
Definition longitudinal_table (fs : list (Q * Q * Q * nat)) : list (list Z) :=
  flat_map (fun '(f, p, q, k) => flat_map (fun x => map (fun y => fraction f ++ fraction p ++ fraction q ++
    digits x ++ digits y ++
    fraction (mean (longitudinal_program (f / 2) p q x) (indicator same y))) (all_bits k)) (all_bits k)) fs.

(** weights, a uniform number below their sum, the category. *)
Definition categorical_table (wss : list (list nat)) : list (list Z) :=
  flat_map (fun ws => map (fun u => words_row ws ++ [Z.of_nat u; Z.of_nat (bisect_right (accumulate 0 ws) u)])
    (seq 0 (total ws))) wss.

Set Printing Width 1000000.
Set Printing Depth 1000000.
Open Scope Z_scope.
Redirect "coins" Eval vm_compute in
  coin_table 4 3 [(0, 1); (1, 1); (1, 2); (1, 3); (3, 8); (5, 7); (21, 64); (63, 64); (999, 1000)].
Redirect "uniform" Eval vm_compute in uniform_table 4 3 [1; 2; 3; 4; 5; 7; 11; 16; 17; 63; 64; 65].
Redirect "categorical" Eval vm_compute in categorical_table [[1]; [0; 1]; [1; 0]; [2; 0; 0; 3; 1]; [5; 4; 3; 2;
  1]]%nat.
Redirect "randomized_response" Eval vm_compute in
  response_table [(2, 1 # 2); (2, 3 # 4); (3, 1 # 3); (5, 7 # 10); (7, 1 # 1)]%positive.
Redirect "rappor" Eval vm_compute in rappor_table [(1 # 2, 3%nat); (1 # 1, 2%nat); (3 # 7, 4%nat)].
Redirect "optimized_unary" Eval vm_compute in
  unary_table [(1 # 2, 1 # 4, 1%nat); (1 # 2, 1 # 4, 3%nat); (2 # 3, 1 # 7, 4%nat); (1 # 3, 1 # 3, 2%nat)].
Redirect "subset_selection" Eval vm_compute in
  subset_table [(2, 1, 3 # 4); (3, 2, 4 # 5); (4, 2, 1 # 2); (4, 3, 1 # 1); (5, 2, 7 # 10)]%nat.
Redirect "longitudinal_rappor" Eval vm_compute in
  longitudinal_table [(1 # 2, 1 # 2, 3 # 4, 2%nat); (1 # 1, 0 # 1, 1 # 1, 1%nat); (3 # 7, 0 # 1, 2 # 3, 3%nat)].
