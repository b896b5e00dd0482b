(* Written by marks.py from the marked lines of the Python: do not edit. *)
From Coq Require Import ZArith Reals Bool.
Open Scope R_scope.

(* samplers/one.py: below_real: if prefix < low or prefix >= high: return prefix < low *)
Definition below_real_enclosed (low high prefix : Z) := (if (((prefix <? low)%Z || (high <=? prefix)%Z)%bool) then Some (prefix <? low) else None)%Z.
Definition below_real_enclosed_prefix (prefix word u : Z) := ((Z.lor (Z.shiftl prefix word) u))%Z.
Definition below_real_enclosed_bits (bits word : Z) := ((bits + word))%Z.

(* samplers/one.py: below_real: if gap >= d or gap <= 0: return gap > 0 *)
Definition below_real (a d prefix bits : Z) := (let gap := ((Z.shiftl a bits) - (prefix * d)) in if (((d <=? gap)%Z || (gap <=? 0)%Z)%bool) then Some (0 <? gap) else None)%Z.
Definition below_real_prefix (prefix word u : Z) := ((Z.lor (Z.shiftl prefix word) u))%Z.
Definition below_real_bits (bits word : Z) := ((bits + word))%Z.

(* samplers/one.py: floor_of: if low == high: return low *)
Definition floor_of (n prefix bits : Z) := (let low := (Z.shiftr (prefix * n) bits) in let high := (Z.shiftr (((prefix * n) + n) - 1) bits) in if (low =? high) then Some low else None)%Z.
Definition floor_of_prefix (prefix word u : Z) := ((Z.lor (Z.shiftl prefix word) u))%Z.
Definition floor_of_bits (bits word : Z) := ((bits + word))%Z.

(* reals.py: _enclose *)
Definition reals_up (bits : Z) := (Z.max bits 0)%Z.
Definition reals_down (bits : Z) := (Z.max (- bits) 0)%Z.

(* samplers/many.py: bernoulli_many *)
Definition many_first (low word : Z) := (Z.shiftr low (word - 8))%Z.
Definition many_last (high word : Z) := (Z.shiftr (high - 1) (word - 8))%Z.
Definition many_edge (first word : Z) := (Z.shiftl first (word - 8))%Z.
Definition many_other_edge (first word : Z) := (Z.shiftl first (word - 8))%Z.

(* samplers/many.py: _settle_bits *)
Definition many_shift (word : Z) := (word - 8)%Z.
Definition many_dropped (word : Z) := 8%Z.

(* mechanisms/randomized_response_bool.py: if not Fraction(1, 2) <= p <= 1: *)
Definition randomized_response_bool_range (p : R) : Prop := ((1 / 2) <= p /\ p <= 1)%R.

(* mechanisms/randomized_response_bool.py: return (self.prob, 1 - self.prob) *)
Definition randomized_response_bool_support_own (p : R) := p%R.

(* mechanisms/randomized_response_bool.py: return (self.prob, 1 - self.prob) *)
Definition randomized_response_bool_support_other (p : R) := (1 - p)%R.

(* mechanisms/randomized_response_bool.py: return Pure(INFINITE if self.prob == 1 else ln(self.prob / (1 - self.prob))) *)
Definition randomized_response_bool_map (p : R) := (if Req_EM_T p 1 then None else Some (ln (p / (1 - p))))%R.

(* mechanisms/randomized_response_bool.py: return bool(x) is honest *)
Definition randomized_response_bool_answer (x honest : bool) := (Bool.eqb x honest)%bool.

(* mechanisms/randomized_response_bool.py: answers: NDArray[np.bool_] = truths == honest *)
Definition randomized_response_bool_answers (truths honest : bool) := (Bool.eqb truths honest)%bool.

(* mechanisms/randomized_response_bool.py: return cls(prob=float_down(1 / (1 + q)), constant_time=constant_time) *)
Definition randomized_response_bool_within (epsilon : R) := (1 / (1 + (exp (- (Rmin epsilon 1000)))))%R.

(* mechanisms/randomized_response.py: if not Fraction(1, t) <= p <= 1: *)
Definition randomized_response_range (p t : R) : Prop := ((1 / t) <= p /\ p <= 1)%R.

(* mechanisms/randomized_response.py: return (self.prob, (1 - self.prob) / (len(self.categories) - 1)) *)
Definition randomized_response_support_own (p t : R) := p%R.

(* mechanisms/randomized_response.py: return (self.prob, (1 - self.prob) / (len(self.categories) - 1)) *)
Definition randomized_response_support_other (p t : R) := ((1 - p) / (t - 1))%R.

(* mechanisms/randomized_response.py: return Pure(INFINITE if p == 1 else ln(p * (t - 1) / (1 - p))) *)
Definition randomized_response_map (p t : R) := (if Req_EM_T p 1 then None else Some (ln ((p * (t - 1)) / (1 - p))))%R.

(* mechanisms/randomized_response.py: honest = below_real(self.prob, draw >> WORD, WORD, coins) *)
Definition randomized_response_honest (p : R) := p%R.

(* mechanisms/randomized_response.py: choice = floor_of(t if place < 0 else t - 1, draw & (1 << WORD) - 1, WORD, coins) *)
Definition randomized_response_choice (place t : Z) := (if place <? 0 then t else (t - 1))%Z.

(* mechanisms/randomized_response.py: return values[choice] *)
Definition randomized_response_foreign (choice : nat) := choice%nat.

(* mechanisms/randomized_response.py: return values[place if honest else (place + 1 + choice) % t] *)
Definition randomized_response_answer (place choice t : nat) (honest : bool) := (if honest then place else (((place + 1) + choice) mod t))%nat.

(* mechanisms/randomized_response.py: return cls(categories=cats, prob=max(p, Fraction(1, len(cats)))) *)
Definition randomized_response_within (epsilon t : R) := (Rmax (1 / (1 + ((exp (- (Rmin epsilon 1000))) * (t - 1)))) (1 / t))%R.

(* mechanisms/rappor.py: if not 0 < share <= 1: *)
Definition rappor_range (f : R) : Prop := (0 < f /\ f <= 1)%R.

(* mechanisms/rappor.py: return (1 - self.f / 2, self.f / 2) *)
Definition rappor_support_own (f : R) := (1 - (f / 2))%R.

(* mechanisms/rappor.py: return (1 - self.f / 2, self.f / 2) *)
Definition rappor_support_other (f : R) := (f / 2)%R.

(* mechanisms/rappor.py: return Pure(ln((2 - self.f) / self.f) * min(2 * self.max_weight, self.length)) *)
Definition rappor_map (f m k : R) := ((ln ((2 - f) / f)) * (Rmin (2 * m) k))%R.

(* mechanisms/rappor.py: return bernoulli_many(self.f / 2, n, coins, constant_words=self.constant_time) *)
Definition rappor_flips (f : R) := (f / 2)%R.

(* mechanisms/rappor.py: return np.asarray(x, np.bool_) ^ self._flips(self.length, coins) *)
Definition rappor_xor (x flip : bool) := (xorb x flip)%bool.

(* mechanisms/rappor.py: counts = [(int(y) - n * f / 2) / (1 - f) for y in sums] *)
Definition rappor_debias (f y n : R) := ((y - ((n * f) / 2)) / (1 - f))%R.

(* mechanisms/rappor.py: variance = n * (f / 2) * (1 - f / 2) / (1 - f) ** 2 *)
Definition rappor_variance (f n : R) := (((n * (f / 2)) * (1 - (f / 2))) / ((1 - f) ^ 2))%R.

(* mechanisms/rappor.py: f = float_up(share) *)
Definition rappor_within (epsilon m k : R) := (if Req_EM_T (Rmin (2 * m) k) 0 then 1 else (2 / (1 + (exp (epsilon / (Rmin (2 * m) k))))))%R.

(* mechanisms/optimized_unary.py: if not 0 < yes < 1: *)
Definition optimized_unary_bias (p : R) : Prop := (0 < p /\ p < 1)%R.

(* mechanisms/optimized_unary.py: if not 0 < no <= yes: *)
Definition optimized_unary_range (p q : R) : Prop := (0 < q /\ q <= p)%R.

(* mechanisms/optimized_unary.py: return Pure(ln(one * other if self.length > 1 else max(one, other))) *)
Definition optimized_unary_map (p q k : R) := (ln (if Rlt_dec 1 k then ((p / q) * ((1 - q) / (1 - p))) else (Rmax (p / q) ((1 - q) / (1 - p)))))%R.

(* mechanisms/optimized_unary.py: return np.where(np.asarray(x, np.bool_), honest, bernoulli_many(self.q, self.length, coins)) *)
Definition optimized_unary_bits (x honest coin : bool) := (if x then honest else coin)%bool.

(* mechanisms/optimized_unary.py: return np.where(np.asarray(x, np.bool_), honest, bernoulli_many(self.q, self.length, coins)) *)
Definition optimized_unary_bits_honest (p q : R) := p%R.

(* mechanisms/optimized_unary.py: return np.where(np.asarray(x, np.bool_), honest, bernoulli_many(self.q, self.length, coins)) *)
Definition optimized_unary_bits_coin (p q : R) := q%R.

(* mechanisms/optimized_unary.py: return cls(length=length, p=Fraction(1, 2), q=float_up(least)) *)
Definition optimized_unary_within (epsilon k : R) := (if Rlt_dec 1 k then (1 / (1 + (exp epsilon))) else ((exp (- epsilon)) / 2))%R.

(* mechanisms/subset_selection.py: if not Fraction(d, k) <= p <= 1: *)
Definition subset_selection_range (p d k : R) : Prop := ((d / k) <= p /\ p <= 1)%R.

(* mechanisms/subset_selection.py: return (p, (p * (d - 1) + (1 - p) * d) / (k - 1)) *)
Definition subset_selection_support_own (p d k : R) := p%R.

(* mechanisms/subset_selection.py: return (p, (p * (d - 1) + (1 - p) * d) / (k - 1)) *)
Definition subset_selection_support_other (p d k : R) := (((p * (d - 1)) + ((1 - p) * d)) / (k - 1))%R.

(* mechanisms/subset_selection.py: return Pure(INFINITE if p == 1 else ln(p * (k - d) / ((1 - p) * d))) *)
Definition subset_selection_map (p d k : R) := (if Req_EM_T p 1 then None else Some (ln ((p * (k - d)) / ((1 - p) * d))))%R.

(* mechanisms/subset_selection.py: place, p = (stand_in, Fraction(d, k)) *)
Definition subset_selection_foreign_place (stand_in : nat) := stand_in%nat.

(* mechanisms/subset_selection.py: place, p = (stand_in, Fraction(d, k)) *)
Definition subset_selection_foreign_share (d k : R) := (d / k)%R.

(* mechanisms/subset_selection.py: others[i], others[j] = (others[j], others[i]) *)
Definition subset_selection_shuffle_among (k i : nat) := ((k - 1) - i)%nat.

(* mechanisms/subset_selection.py: others[i], others[j] = (others[j], others[i]) *)
Definition subset_selection_shuffle_first (i c : nat) := i%nat.

(* mechanisms/subset_selection.py: others[i], others[j] = (others[j], others[i]) *)
Definition subset_selection_shuffle_second (i c : nat) := (i + c)%nat.

(* mechanisms/subset_selection.py: others[i], others[j] = (others[j], others[i]) *)
Definition subset_selection_shuffle_to_first (i c : nat) := (i + c)%nat.

(* mechanisms/subset_selection.py: others[i], others[j] = (others[j], others[i]) *)
Definition subset_selection_shuffle_to_second (i c : nat) := i%nat.

(* mechanisms/subset_selection.py: others[0] = place *)
Definition subset_selection_exchange_where (place : nat) := 0%nat.

(* mechanisms/subset_selection.py: others[0] = place *)
Definition subset_selection_exchange (place : nat) := place%nat.

(* mechanisms/subset_selection.py: return sign(grow * (a * (a + 1)) - (k - a) * (k - a - 1)) >= 0 *)
Definition subset_selection_size (epsilon k a : R) := (Rle_dec 0 (((exp (2 * epsilon)) * (a * (a + 1))) - ((k - a) * ((k - a) - 1))))%R.

(* mechanisms/subset_selection.py: return cls(categories=cats, size=d, prob=max(p, Fraction(d, k))) *)
Definition subset_selection_within (epsilon d k : R) := (Rmax (1 / (1 + ((exp (- (Rmin epsilon 1000))) * ((k - d) / d)))) (d / k))%R.

(* mechanisms/longitudinal_rappor.py: if not 0 < share <= 1: *)
Definition longitudinal_rappor_range (f : R) : Prop := (0 < f /\ f <= 1)%R.

(* mechanisms/longitudinal_rappor.py: if not 0 <= no < 1: *)
Definition longitudinal_rappor_zero (p : R) : Prop := (0 <= p /\ p < 1)%R.

(* mechanisms/longitudinal_rappor.py: if not no < yes <= 1: *)
Definition longitudinal_rappor_order (p q : R) : Prop := (p < q /\ q <= 1)%R.

(* mechanisms/longitudinal_rappor.py: return ((1 - g) * self.q + g * self.p, g * self.q + (1 - g) * self.p) *)
Definition longitudinal_rappor_support_own (f p q : R) := (((1 - (f / 2)) * q) + ((f / 2) * p))%R.

(* mechanisms/longitudinal_rappor.py: return ((1 - g) * self.q + g * self.p, g * self.q + (1 - g) * self.p) *)
Definition longitudinal_rappor_support_other (f p q : R) := (((f / 2) * q) + ((1 - (f / 2)) * p))%R.

(* mechanisms/longitudinal_rappor.py: return ln((t * g + (1 - g)) / (t * (1 - g) + g)) *)
Definition longitudinal_rappor_ratio (base f r : R) := (ln ((((if Req_EM_T base 0 then 0 else (exp ((ln base) * r))) * (f / 2)) + (1 - (f / 2))) / (((if Req_EM_T base 0 then 0 else (exp ((ln base) * r))) * (1 - (f / 2))) + (f / 2))))%R.

(* mechanisms/longitudinal_rappor.py: return Pure((ones + zeros) * (bits - m) + maximum(ones, zeros) * (2 * m - bits)) *)
Definition longitudinal_rappor_map_ones (p q : R) := (p / q)%R.

(* mechanisms/longitudinal_rappor.py: return Pure((ones + zeros) * (bits - m) + maximum(ones, zeros) * (2 * m - bits)) *)
Definition longitudinal_rappor_map_zeros (p q : R) := ((1 - q) / (1 - p))%R.

(* mechanisms/longitudinal_rappor.py: return Pure((ones + zeros) * (bits - m) + maximum(ones, zeros) * (2 * m - bits)) *)
Definition longitudinal_rappor_map (ones zeros m k : R) := (((ones + zeros) * ((Rmin (2 * m) k) - m)) + ((Rmax ones zeros) * ((2 * m) - (Rmin (2 * m) k))))%R.

(* mechanisms/longitudinal_rappor.py: return Pure(ln((2 - self.f) / self.f) * min(2 * self.max_weight, self.length)) *)
Definition longitudinal_rappor_ever (f m k : R) := ((ln ((2 - f) / f)) * (Rmin (2 * m) k))%R.

(* mechanisms/longitudinal_rappor.py: return bits ^ bernoulli_many(self.f / 2, self.length, coins) *)
Definition longitudinal_rappor_permanent (bits flip : bool) := (xorb bits flip)%bool.

(* mechanisms/longitudinal_rappor.py: return bits ^ bernoulli_many(self.f / 2, self.length, coins) *)
Definition longitudinal_rappor_permanent_flips (f : R) := (f / 2)%R.

(* mechanisms/longitudinal_rappor.py: return np.where(bits, bernoulli_many(self.q, self.length, coins), zeros) *)
Definition longitudinal_rappor_report (bits one zero : bool) := (if bits then one else zero)%bool.

(* mechanisms/longitudinal_rappor.py: return np.where(bits, bernoulli_many(self.q, self.length, coins), zeros) *)
Definition longitudinal_rappor_report_one (p q : R) := q%R.

(* mechanisms/longitudinal_rappor.py: return np.where(bits, bernoulli_many(self.q, self.length, coins), zeros) *)
Definition longitudinal_rappor_report_zero (p q : R) := p%R.

(* mechanisms/longitudinal_rappor.py: return cls(length=length, max_weight=max_weight, f=float_up(share), p=p, q=q) *)
Definition longitudinal_rappor_within (epsilon m k : R) := (if Req_EM_T (Rmin (2 * m) k) 0 then 1 else (2 / (1 + (exp (epsilon / (Rmin (2 * m) k))))))%R.

(* mechanisms/choose.py: return Pure(2 * d / self.scale if self.scale else INFINITE) *)
Definition choose_map (d s : R) := (if Req_EM_T s 0 then None else Some ((2 * d) / s))%R.

(* mechanisms/choose.py: heads = np.flatnonzero(geometric_many(self.scale, gaps.size, coins) >= gaps) *)
Definition choose_heads (tossed gaps : Z) := (gaps <=? tossed)%Z.

(* mechanisms/choose.py: return self.categories.values[heads[below(heads.size, coins)]] *)
Definition choose_choice (size : nat) := size%nat.

(* mechanisms/choose.py: return cls(categories=categories, scale=2 * cls.input_metric.check(d_in) / budget) *)
Definition choose_within (d epsilon : R) := ((2 * d) / epsilon)%R.

(* tables/cuts.py: return (1 + maximum(Fraction(-1), -1 / odds) - maximum(Fraction(-1), -odds)) / 2 *)
Definition cuts_most (odds : R) := (((1 + (Rmax (- 1) ((- 1) / odds))) - (Rmax (- 1) (- odds))) / 2)%R.

(* tables/quantiles.py: ranks = q.denominator * up_to[:, :-1] - (q.numerator * up_to[:, -1:] + choice.move) *)
Definition quantiles_ranks (M N c n v : R) := ((M * c) - ((N * n) + v))%R.

(* tables/quantiles.py: return q.denominator * ranks / epsilon *)
Definition quantiles_scale (M ranks epsilon : R) := ((M * ranks) / epsilon)%R.

(* tables/quantiles.py: far = float_up(scale * ln(Fraction(cuts) / (2 * error))) *)
Definition quantiles_reach (scale cuts error : R) := (scale * (ln (cuts / (2 * error))))%R.

(* tables/nested.py: upper, lower = (2 * sum(left), 2 * sum((1 - q for q in right))) *)
Definition nested_bounded_upper (at_left : R) := (2 * at_left)%R.

(* tables/nested.py: upper, lower = (2 * sum(left), 2 * sum((1 - q for q in right))) *)
Definition nested_bounded_lower (at_right : R) := (2 * at_right)%R.

(* tables/nested.py: return max(2 * q, 2 - 2 * q) + max(moved(left) + lower, upper + moved(right)) *)
Definition nested_moved (q left right lower upper : R) := ((Rmax (2 * q) (2 - (2 * q))) + (Rmax (left + lower) (upper + right)))%R.

(* noise/laplace.py: if s < 0: *)
Definition laplace_scale (s : R) : Prop := (~ (s < 0))%R.

(* noise/laplace.py: return Pure(INFINITE if self.scale == 0 else sensitivity.l1 / self.scale) *)
Definition laplace_map (l1 s : R) := (if Req_EM_T s 0 then None else Some (l1 / s))%R.

(* noise/laplace.py: return cls(sensitivity.l1 / epsilon) *)
Definition laplace_within (l1 epsilon : R) := (l1 / epsilon)%R.

(* noise/laplace.py: return exp(-k / s) / (1 + exp(-1 / s)) *)
Definition laplace_tail (k s : R) := ((exp ((- k) / s)) / (1 + (exp ((- 1) / s))))%R.

(* noise/laplace.py: return max(-floor_bits(self.scale * ln(p * (1 + exp(-1 / self.scale))), 0), 1) *)
Definition laplace_reach (p s : R) := (s * (ln (p * (1 + (exp ((- 1) / s))))))%R.

(* noise/laplace.py: return max(-floor_bits(self.scale * ln(p * (1 + exp(-1 / self.scale))), 0), 1) *)
Definition laplace_reach_least (floor : Z) := (Z.max (- floor) 1)%Z.

(* mechanisms/add_noise.py: return Sensitivity(l0 if size is None else min(l0, size), l1, min(li, width)).tightest() *)
Definition add_noise_diameter_l0 (l0 size : Z) := (Z.min l0 size)%Z.

(* mechanisms/add_noise.py: return Sensitivity(l0 if size is None else min(l0, size), l1, min(li, width)).tightest() *)
Definition add_noise_diameter_li (li width : Z) := (Z.min li width)%Z.

(* noise/base.py: return self.tail(k) if k > 0 else 1 - self.tail(1 - k) *)
Definition base_either (k tail other : R) := (if Rlt_dec 0 k then tail else (1 - other))%R.

(* noise/base.py: return self.at_least(abs(z)) - self.tail(abs(z) + 1) *)
Definition base_point (here beyond : R) := (here - beyond)%R.

(* noise/base.py: counts = {l0, fewest} *)
Definition base_candidates_fewest (l1 li : Z) := (if li =? 0 then 0 else (- ((- l1) / li)))%Z.

(* noise/base.py: counts |= {l1 - -(-min(spare) // room) * room, l1 - max(spare) // room * room} *)
Definition base_multiples_first (l1 room least : Z) := (l1 - ((- ((- least) / room)) * room))%Z.

(* noise/base.py: counts |= {l1 - -(-min(spare) // room) * room, l1 - max(spare) // room * room} *)
Definition base_multiples_last (l1 room most : Z) := (l1 - ((most / room) * room))%Z.

(* noise/base.py: return total((-log1p(-tail) * count for tail, count in tails)) *)
Definition base_packed (tail count : R) := ((- (ln (1 + (- tail)))) * count)%R.

(* mechanisms/keep_above.py: return -expm1(-self.noise.surprise(abs(self.threshold), new)) if new.l0 else Fraction(0) *)
Definition keep_above_delta_of (surprise : R) := (- (exp (- surprise) - 1))%R.

(* mechanisms/keep_above.py: return cls(1 if low == 0 else low, -1 if high == 0 else high, domain.keys.count) *)
Definition keep_above_nonzero (low : Z) := (if low =? 0 then 1 else low)%Z.

(* mechanisms/keep_above.py: li = min(li, max(self.high - self.low, 0)) *)
Definition keep_above_width (li low high : Z) := (Z.min li (Z.max (high - low) 0))%Z.

(* mechanisms/keep_above.py: return Sensitivity(min(self.count(l0), l1 // m), l1, li).tightest() *)
Definition keep_above_new (count l1 m : Z) := (Z.min count (l1 / m))%Z.

(* mechanisms/keep_above.py: above = noisy > self.threshold if self.threshold >= 0 else noisy < self.threshold *)
Definition keep_above_strict (noisy threshold : Z) := (if 0 <=? threshold then (threshold <? noisy) else (noisy <? threshold))%Z.

(* mechanisms/keep_above.py: _least_threshold *)
Definition keep_above_full (l1 li : Z) := (l1 / li)%Z.
Definition keep_above_bottom (li : Z) := (li - 2)%Z.
Definition keep_above_share (most full : R) := (if Req_EM_T full 1 then most else (- (exp ((ln (1 + (- most))) / full) - 1)))%R.
Definition keep_above_first (low : Z) := (low + 1)%Z.
Definition keep_above_first_look (low : Z) := (low + 1)%Z.
Definition keep_above_apart (low high : Z) := (1 <? (high - low))%Z.
Definition keep_above_ratio (most surprise : R) := ((- (ln (1 + (- most)))) / surprise)%R.
Definition keep_above_gap (here li : Z) := ((here + 1) - li)%Z.
Definition keep_above_floor (li : Z) := (li - 1)%Z.
Definition keep_above_rises (here there : Z) := (here <? there)%Z.
Definition keep_above_below (there high : Z) := (there <? high)%Z.
Definition keep_above_middle (low high : Z) := ((low + high) / 2)%Z.
Definition keep_above_skipped (low there : Z) := (Z.max low (there - 1))%Z.
Definition keep_above_next (low : Z) := (low + 1)%Z.

(* noise/gaussian.py: if v < 0: *)
Definition gaussian_variance (v : R) : Prop := (~ (v < 0))%R.

(* noise/gaussian.py: return apart.l2_squared / (2 * self.variance) if self.variance else INFINITE *)
Definition gaussian_zcdp (l2 v : R) := (if Req_EM_T v 0 then None else Some (l2 / (2 * v)))%R.

(* noise/gaussian.py: return cls(apart.l2_squared / (2 * budget.rho)) *)
Definition gaussian_rho (l2 rho : R) := (l2 / (2 * rho))%R.

(* noise/gaussian.py: return t * t * self.variance / 2 *)
Definition gaussian_moment (t v : R) := (((t * t) * v) / 2)%R.

(* noise/truncated.py: if s < 0: *)
Definition truncated_scale (s : R) : Prop := (~ (s < 0))%R.

(* noise/truncated.py: return exp(-k / s) * expm1((k - r - 1) / s) / -_whole(s, r, exp, expm1) *)
Definition truncated_tail (k s r whole : R) := (((exp ((- k) / s)) * (exp (((k - r) - 1) / s) - 1)) / (- whole))%R.

(* noise/truncated.py: return -expm1(-1 / s) - 2 * exp(-1 / s) * expm1(-r / s) *)
Definition truncated_whole (s r : R) := ((- (exp ((- 1) / s) - 1)) - ((2 * (exp ((- 1) / s))) * (exp ((- r) / s) - 1)))%R.

(* accounting/zcdp.py: return (order - 1) * ln(1 - 1 / order) - ln(order * delta) *)
Definition zcdp_constant (order delta : R) := (((order - 1) * (ln (1 - (1 / order)))) - (ln (order * delta)))%R.

(* accounting/zcdp.py: return (epsilon - _ln_constant(order, delta) / (order - 1)) / order *)
Definition zcdp_rho (epsilon constant order : R) := ((epsilon - (constant / (order - 1))) / order)%R.

(* accounting/zcdp.py: return self.rho == 0 or sign(most - self.rho) >= 0 *)
Definition zcdp_worth (most rho : R) : Prop := (rho = 0 \/ 0 <= (most - rho))%R.

(* survey/estimates.py: exact = [(Fraction(c, self.n) - q) / (p - q) for c in self.supports.tolist()] *)
Definition estimates_share (c n p q : R) := (((c / n) - q) / (p - q))%R.

(* survey/estimates.py: return np.sqrt((f * p * (1 - p) + (1 - f) * q * (1 - q)) / self.n) / (p - q) *)
Definition estimates_respondents (f p q n : R) := ((((f * p) * (1 - p)) + (((1 - f) * q) * (1 - q))) / n)%R.

(* survey/estimates.py: return np.sqrt((f * p * (1 - p) + (1 - f) * q * (1 - q)) / self.n) / (p - q) *)
Definition estimates_respondents_over (p q : R) := (p - q)%R.

(* survey/estimates.py: return np.sqrt(seen * (1 - seen) / self.n) / (p - q) *)
Definition estimates_sample (seen n : R) := ((seen * (1 - seen)) / n)%R.

(* survey/estimates.py: return np.sqrt(seen * (1 - seen) / self.n) / (p - q) *)
Definition estimates_sample_over (p q : R) := (p - q)%R.

(* accounting/adaptive.py: return delta > self.release_delta or (units > self.units and epsilon > budget.epsilon) *)
Definition adaptive_or (units epsilon delta most budget kept total : R) : Prop := (kept < delta \/ (most < units /\ budget < epsilon))%R.

(* accounting/adaptive.py: costs = [(n * m * m, n, m) for n, m in ways] *)
Definition adaptive_cost_n (m step epsilon count : R) := (Rmin count (IZR (Int_part ((m * step) / epsilon))))%R.

(* accounting/adaptive.py: costs = [(n * m * m, n, m) for n, m in ways] *)
Definition adaptive_cost_groups (count n : R) := (- (IZR (Int_part ((- count) / n))))%R.

(* accounting/adaptive.py: costs = [(n * m * m, n, m) for n, m in ways] *)
Definition adaptive_cost (n m : R) := ((n * m) * m)%R.

(* accounting/adaptive.py: return min(costs, default=(self.units + 1, 0, 0)) *)
Definition adaptive_off (most : R) := (most + 1)%R.

(* accounting/adaptive.py: _values *)
Definition adaptive_over (j step epsilon : R) := ((j * step) - epsilon)%R.
Definition adaptive_loss (m step : R) := (m * step)%R.
Definition adaptive_fits (m units : Z) := ((m * m) <=? units)%Z.
Definition adaptive_before (m units : Z) := (units - (m * m))%Z.
Definition adaptive_above (room m : Z) := (room + m)%Z.
Definition adaptive_below (room m : Z) := (room - m)%Z.

(* accounting/adaptive.py: return 0.0 if over <= 0 else 1.0 if over > _FAR else float_up(-expm1(-over)) *)
Definition adaptive_payoff (over : R) := (if Rle_dec over 0 then 0 else (if Rlt_dec 40 over then 1 else (- (exp (- over) - 1))))%R.

(* accounting/adaptive.py: return (1.0 if loss > _FAR else float_up(1 / (1 + exp(-loss))), falls) *)
Definition adaptive_chances_up (loss : R) := (if Rlt_dec 40 loss then 1 else (1 / (1 + (exp (- loss)))))%R.

(* accounting/adaptive.py: return (1.0 if loss > _FAR else float_up(1 / (1 + exp(-loss))), falls) *)
Definition adaptive_chances_down (loss : R) := (1 / (1 + (exp (Rmin loss 40))))%R.

(* accounting/adaptive.py: return sum((1 for _ in takewhile(lambda value: value * _SURELY + _TINY <= delta, values))) *)
Definition adaptive_most (value delta : R) : Prop := (((value * (1 + (1 / (1 * 2 ^ 32)))) + (1 / (1 * 2 ^ 999))) <= delta)%R.

(* accounting/adaptive.py: return self.units == 0 or value * _AGAIN + _TINY <= rest *)
Definition adaptive_again (value most total kept : R) : Prop := (most = 0 \/ ((value * (1 + (1 / (1 * 2 ^ 35)))) + (1 / (1 * 2 ^ 999))) <= (total - kept))%R.
