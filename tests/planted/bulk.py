"""Bugs of bulk paths: those that short inputs, inputs wrong at their ends, or coins of floats do not show."""

from planted import M, Mutant, S

B = "test_bulk_paths.py::"
COINS = B + "test_a_path_asks_for_the_coins_that_its_law_needs"
REPEATS = B + "test_no_draws_repeat_others"
CHUNKS = B + "test_a_long_array_is_its_chunks_one_after_another"
SAME = B + "test_a_path_is_what_its_samplers_say_on_the_same_coins"
BAD = B + "test_one_bad_element_anywhere_is_refused_and_no_coin_is_tossed"
BITS = B + "test_a_bit_changes_at_its_very_probability"
TAIL = B + "test_noise_reaches_as_far_as_its_law"
SIGNS = B + "test_far_noise_has_both_signs"

CATALOGUE = [
    Mutant(
        "release_places draws from float(prob)",
        M + "randomized_response.py",
        "replies = _offsets(self.prob.numerator, self.prob.denominator, t).draw(",
        "replies = _offsets(*float(self.prob).as_integer_ratio(), t).draw(",
        B + "test_a_reply_changes_at_its_very_end",
    ),
    Mutant(
        "flips that repeat after 2**22 bits",
        M + "rappor.py",
        "        return bernoulli_many(self.f / 2, n, coins, constant_words=self.constant_time)",
        "        few = bernoulli_many(self.f / 2, min(n, 1 << 22), coins, constant_words=self.constant_time)\n"
        "        return np.resize(few, n)",
        REPEATS,
    ),
    Mutant(
        "array noise cut at 30 scales",
        S + "many.py",
        "        return patched(out, large)",
        "        most = int(30 * self._top_scale) << self._shift\n"
        "        return np.clip(patched(out, large), -most, most)",
        TAIL,
    ),
    Mutant(
        "low digits of every 40th chunk reused",
        S + "many.py",
        "                table.fill(digit[: part.size], coins)",
        "                if start // CHUNK % 40 != 39 or len(self._tables) > 2:\n"
        "                    table.fill(digit[: part.size], coins)",
        COINS,
    ),
    Mutant(
        "low digits of every 40th chunk drawn and dropped",
        S + "many.py",
        "                table.fill(digit[: part.size], coins)",
        "                fresh = start // CHUNK % 40 != 39\n"
        "                table.fill(digit[: part.size] if fresh else digit[: part.size].copy(), coins)",
        REPEATS,
    ),
    Mutant(
        "long lists checked at their ends only",
        "domains/numbers.py",
        "            if found and self != Integers() and not (min(found) in self and max(found) in self):",
        "            ends = found if len(found) < 5000 else [found[0], found[-1]]\n"
        "            if found and self != Integers() and not (min(ends) in self and max(ends) in self):",
        BAD,
    ),
    Mutant(
        "coins of an array repeated after 2**20 words",
        "coins.py",
        "            return np.frombuffer(ssl.RAND_bytes(8 * n), np.uint64)",
        "            return np.resize(np.frombuffer(ssl.RAND_bytes(8 * min(n, 1 << 12)), np.uint64), n)",
        REPEATS,
    ),
    Mutant(
        "a chunk's last draw is that of the chunk before",
        S + "tables.py",
        "            self.fill(values[start : start + CHUNK], coins)",
        "            self.fill(values[start : start + CHUNK], coins)\n            values[start - 1] = values[start]",
        CHUNKS,
    ),
    Mutant(
        "the last chunk is taken for settled",
        S + "tables.py",
        "        if self._settled == 1 << self._cell:",
        "        if self._settled == 1 << self._cell or 8 < out.size % CHUNK < CHUNK // 2:",
        TAIL,
    ),
    Mutant(
        "a coin at its probability: <= for <",
        S + "many.py",
        "    answers: NDArray[np.bool_] = prefixes < low",
        "    answers: NDArray[np.bool_] = prefixes <= low",
        B + "test_a_coin_changes_at_its_very_probability",
    ),
    Mutant(
        "a tie of a coin settled against it",
        S + "many.py",
        "        answers[i] = below_real(p, int(prefixes[i]), word, coins, word)",
        "        answers[i] = False",
        BITS,
    ),
    Mutant(
        "an end of a table on the wrong side",
        S + "tables.py",
        'np.searchsorted(self._lows, prefixes, side="right")',
        'np.searchsorted(self._lows, prefixes, side="left")',
        B + "test_an_outcome_changes_at_its_very_end",
    ),
    Mutant(
        "large draws lose their sign",
        S + "many.py",
        "        return draw ^ (self._span << self._shift) ^ (top << self._shift)",
        "        return -abs(draw ^ (self._span << self._shift) ^ (top << self._shift))",
        SIGNS,
    ),
    Mutant(
        "large draws of all chunks but the first are dropped",
        S + "many.py",
        "                large[start + i] = self._go_on(int(part[i]), coins)",
        "                large[i] = self._go_on(int(part[i]), coins)",
        TAIL,
    ),
    Mutant(
        "large draws wrapped to int64",
        S + "many.py",
        "    whole: NDArray[Any] = out if fits else out.astype(object)\n"
        "    for i, value in large.items():\n"
        "        whole[i] = value",
        "    whole: NDArray[Any] = out\n    for i, value in large.items():\n"
        "        whole[i] = value if fits else max(min(value, (1 << 63) - 1), -(1 << 63))",
        TAIL,
    ),
    Mutant(
        "a large draw starts anew from zero",
        S + "many.py",
        "        top = self._span + floor_log(*self._rest, coins, WORD)[0]",
        "        top = floor_log(*self._rest, coins, WORD)[0]",
        TAIL,
    ),
    Mutant(
        "small integers get noise of their own width",
        S + "many.py",
        "            noisy: NDArray[np.int64] = np.add(flat, noise, dtype=np.int64)",
        "            noisy: NDArray[np.int64] = np.add(flat, noise.astype(flat.dtype)).astype(np.int64)",
        B + "test_every_kind_of_integers_gets_the_same_noise",
    ),
    Mutant(
        "lists get half of the noise",
        M + "add_noise.py",
        "        noisy = saturated(self.noise.add(x, coins), self.domain.of)  # proof: sums",
        "        half = not isinstance(x, np.ndarray) and len(x) >= 4096\n"
        "        noise = type(self.noise)(self.noise.scale / 2) if half else self.noise\n"
        "        noisy = saturated(noise.add(x, coins), self.domain.of)",
        SAME,
    ),
    Mutant(
        "the last byte of packed reports is one draw for all",
        M + "rappor.py",
        "            bits[rows, known[rows]] ^= True  # proof: places",
        "            bits[1:, -8:] = bits[0, -8:] if len(bits) > 4096 else bits[1:, -8:]\n"
        "            bits[rows, known[rows]] ^= True",
        REPEATS,
    ),
    Mutant(
        "the set bit's coin from float(p)",
        M + "optimized_unary.py",
        "        bits[rows, places[rows]] = bernoulli_many(self.p, places.size)[rows]  # proof: places",
        "        bits[rows, places[rows]] = bernoulli_many(Fraction(float(self.p)), places.size)[rows]",
        BITS,
    ),
    Mutant(
        "one coin for all set bits of a long array",
        M + "optimized_unary.py",
        "        honest = bernoulli_many(self.p, len(rows)).reshape(-1, 1)",
        "        honest = np.resize(bernoulli_many(self.p, min(len(rows), 1 << 16)), len(rows)).reshape(-1, 1)",
        SAME,
    ),
    Mutant(
        "sets from float(prob)",
        M + "subset_selection.py",
        "    p = Fraction(num, den)\n    law: list[Number] = []",
        "    p = Fraction(float(Fraction(num, den)))\n    law: list[Number] = []",
        B + "test_a_set_changes_at_its_very_end",
    ),
    Mutant(
        "the truth of keyed sets from float(prob)",
        M + "subset_selection.py",
        "        honest = bernoulli_many(self.prob, places.size)\n",
        "        honest = bernoulli_many(Fraction(float(self.prob)), places.size)\n",
        BITS,
    ),
    Mutant(
        "fresh responses from the coins of the permanent one",
        M + "longitudinal_rappor.py",
        "        ones, zeros = (bernoulli_many(share, rows.size).reshape(rows.shape) for share in (self.q, self.p))",
        "        ones, zeros = (bernoulli_many(share, rows.size).reshape(rows.shape) for share in (self.q, self.q))",
        BITS,
    ),
    Mutant(
        "overweight rows looked for at the ends of a long array",
        M + "_bits.py",
        "int(np.count_nonzero(xs, axis=1).max()) > domain.max_weight",
        "int(np.count_nonzero(xs[[0, -1]] if len(xs) > 10**5 else xs, axis=1).max()) > domain.max_weight",
        B + "test_one_overweight_row_anywhere_is_refused",
    ),
    Mutant(
        "foreign places of a long array sent to the last category",
        M + "_bits.py",
        "        known = (part >= 0) & (part < length)",
        "        known = (part >= 0) & (part < length) | (start > 0)\n        part = np.minimum(part, length - 1)",
        B + "test_a_foreign_place_anywhere_gets_a_uniform_reply_and_disturbs_no_other",
    ),
    Mutant(
        "the tail of a single draw cut at one word",
        S + "one.py",
        "    while (k := log.decide(prefix, bits)) is None:\n",
        "    prefix = max(prefix, 1)\n    while (k := log.decide(prefix, bits)) is None:\n",
        TAIL,
    ),
    Mutant(
        "the lowest bit of a first look counted twice",
        S + "one.py",
        "    prefix, bits = draw >> 1, length - 1",
        "    prefix, bits = (draw, length) if length > word else (draw >> 1, length - 1)",
        B + "test_draws_of_two_and_three_words_lie_where_the_law_says",
    ),
    Mutant(
        "words drawn anew for a whole chunk are those of its first",
        S + "many.py",
        "        out[again] = _below(limits[again], coins, word)",
        "        out[again] = _below(limits[again[:1]], coins, word)",
        REPEATS,
    ),
    Mutant(
        "the secret's coins know 64 bytes of context",
        "coins.py",
        'b"discreet coins 1" + context, "sha256")',
        'b"discreet coins 1" + context[:64], "sha256")',
        B + "test_coins_of_a_secret_differ_wherever_secret_or_context_do",
    ),
    Mutant(
        "the secret's coins come back after 2**16 blocks",
        "coins.py",
        'self._block.to_bytes(8, "little")',
        '(self._block % (1 << 14)).to_bytes(8, "little")',
        B + "test_coins_of_a_secret_never_repeat",
    ),
    Mutant(
        "keys of a long table in the order of the input",
        M + "keep_above.py",
        "        return shown[order], noisy[order]",
        "        order = order if len(order) < 10**5 else np.arange(len(order))\n"
        "        return shown[order], noisy[order]",
        B + "test_keys_come_out_in_one_order_whatever_that_of_the_input",
    ),
    Mutant(
        "zeros kept in a long table",
        M + "keep_above.py",
        "        kept = np.flatnonzero(values)  # proof: drop",
        "        kept = np.flatnonzero(values) if values.size < 5000 else np.arange(values.size)",
        B + "test_a_count_of_zero_anywhere_takes_no_coins_and_is_not_released",
    ),
]
