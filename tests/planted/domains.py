"""Bugs of what a release may show or leave behind, and of losses in bounded domains."""

from planted import M, Mutant, S

STATE, BOUNDED = "test_sampler_state.py::", "test_bounded_losses.py::"
D, TYPED = "domains/", "test_typed_domains.py::"
ALIKE, FOREIGN = TYPED + "TestEqualDataAreReleasedAlike", TYPED + "TestHostileObjects"

CATALOGUE = [
    Mutant(
        "tables built from a number of private keys on",
        M + "keep_above.py",
        "coins, private_size=True)",
        "coins)",
        STATE + "test_what_a_release_builds_does_not_depend_on_the_number_of_keys",
    ),
    Mutant(
        "nothing built for no keys",
        S + "many.py",
        "True, n, coins, private_size or n >= _WORTH_TABLES",
        "True, n, coins, (private_size and n > 0) or n >= _WORTH_TABLES",
        STATE + "test_what_a_release_builds_does_not_depend_on_the_number_of_keys",
    ),
    Mutant(
        "the logarithm of a large scale made at the first private key",
        S + "many.py",
        "    scaled_log(*law, word)  # Made now, because whether a draw follows may be private.\n",
        "",
        STATE + "test_what_a_release_builds_does_not_depend_on_the_number_of_keys",
    ),
    Mutant(
        "a draw past the tables leaves a trace",
        S + "many.py",
        "floor_log(*self._rest, coins, WORD)[0]",
        "geometric(self._rest[0].scale + 1, coins)",
        STATE + "test_a_draw_past_the_tables_makes_nothing_new",
    ),
    Mutant(
        "a diameter of one entry for all",
        M + "add_noise.py",
        "l0 if size is None else min(l0, size), l1, min(li, width)",
        "1, l1, min(li, width)",
        BOUNDED + "TestIntegerLaplace",
    ),
    Mutant(
        "a value of 0 taken for one that both maps have",
        M + "keep_above.py",
        "1 if low == 0 else low",
        "low",
        BOUNDED + "TestLaplaceThreshold",
    ),
    Mutant(
        "new keys bounded by the width of the values",
        M + "keep_above.py",
        "li = li if most is None else min(li, most)",
        "li = li if most is None else min(li, most - (least or 0))",
        BOUNDED + "TestLaplaceThreshold",
    ),
    Mutant(
        "-1 and 1 thought to be 1 apart",
        M + "keep_above.py",
        "step = 2 if",
        "step = 1 if",
        BOUNDED + "TestLaplaceThreshold",
    ),
    Mutant(
        "a delta next to 1 taken for 1",
        M + "keep_above.py",
        "if new.l0 else Fraction(0)  # proof: delta",
        "if 0 < new.l0 < 60 else Fraction(int(new.l0 > 0))  # proof: delta",
        BOUNDED + "TestDeltaNearOne",
    ),
    Mutant(
        "a subclass of a text taken for one",
        D + "texts.py",
        "return x if type(x) is str and _encodable(x) else FOREIGN",
        "return x if isinstance(x, str) and _encodable(x) else FOREIGN",
        FOREIGN,
    ),
    Mutant(
        "types told apart by their hash",
        D + "base.py",
        "return set(map(id, map(type, xs))) <= {id(kind)}",
        "return set(map(type, xs)) <= {kind}",
        FOREIGN,
    ),
    Mutant(
        "a masked array taken for its data",
        D + "base.py",
        'return type(x) is np.ndarray and x.dtype.kind != "V"',
        'return isinstance(x, np.ndarray) and x.dtype.kind != "V"',
        TYPED + "TestOnlyPlainArrays",
    ),
    Mutant(
        "an array's type with metadata of the data's own",
        D + "base.py",
        "return x if x.dtype.metadata is None else x.view(x.dtype.str)",
        "return x",
        TYPED + "TestNothingIsInferredFromTheEntries",
    ),
    Mutant(
        "texts as wide as the data's",
        D + "texts.py",
        "return np.array(keys, np.dtypes.StringDType())",
        "return np.array(keys)",
        TYPED + "TestNothingIsInferredFromTheEntries",
    ),
    Mutant(
        "zeros keep their sign",
        D + "numbers.py",
        "number = float(x) + 0.0",
        "number = float(x)",
        ALIKE,
    ),
    Mutant(
        "decimals normalized, and so rounded",
        D + "numbers.py",
        "        sign, digits, exponent = x.as_tuple()\n",
        "        sign, digits, exponent = x.normalize().as_tuple()\n",
        TYPED + "TestNumbers",
    ),
    Mutant(
        "the hour that repeats taken for one",
        D + "times.py",
        "x = x.astimezone(UTC)",
        "x = x.replace(fold=0).astimezone(UTC)",
        TYPED + "TestTimes",
    ),
    Mutant(
        "a dict asked for its entries",
        D + "maps.py",
        "list(dict.items(x))",
        "list(x.items())",
        TYPED + "TestDicts",
    ),
    Mutant(
        "a release of what was given, not of what was checked",
        "core.py",
        "        return self.sample(self.input_domain.take(x), SYSTEM)\n",
        "        self.input_domain.validate(x)\n        return self.sample(x, SYSTEM)\n",
        ALIKE,
    ),
    Mutant(
        "answers looked through to their last entry",
        D + "categories.py",
        "while todo and (most is None or count + len(todo) <= most):",
        "while todo and (most is None or count <= 1 << 22):",
        FOREIGN + "::test_an_answer_may_hold_as_much_as_any_category_and_no_more",
    ),
    Mutant(
        "1 and True one key to the metric",
        "metrics.py",
        "return {identity(key): value for key, value in pairs}",
        "return dict(pairs)",
        ALIKE,
    ),
    Mutant(
        "keys of a table as the engine wrote them",
        "tables/bounding.py",
        "        if self.key_types is None:\n            return Objects()\n",
        "        return Objects()\n",
        TYPED + "TestTables",
    ),
]
