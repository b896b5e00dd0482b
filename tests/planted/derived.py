"""Bugs of derived columns and of public attributes."""

from planted import Mutant, T

D = "test_derived_columns.py::"
A = "test_public_attributes.py::"
SAME = D + "test_a_derived_column_is_what_plain_python_makes_of_the_row_on_every_engine"

CATALOGUE = [
    Mutant(
        "a sum that overflows 64 bits",
        T + "engines/engine.py",
        "        if whole:  # In",
        "        if whole and sign == '+':\n            return x + y\n        if whole:  # In",
        SAME + "[postgres]",
    ),
    Mutant(
        "a float that PostgreSQL cannot multiply",
        T + "engines/engine.py",
        "SIZES: Final = (1e-100, 1e100)",
        "SIZES: Final = (1e-100, 1e200)",
        SAME + "[postgres]",
    ),
    Mutant(
        "a decimal number that is none, in arithmetic",
        T + "engines/engine.py",
        "self.real(self.known(x), ",
        "self.real(x, ",
        D + "test_a_decimal_number_that_is_none_makes_no_arithmetic_fail",
    ),
    Mutant(
        "a decimal number that is too small for a float, in arithmetic",
        T + "engines/engine.py",
        "10**18) if x.type().is_decimal() else",
        "10**18) if x.type().is_decimal() and x.type().scale < 99 else",
        D + "test_a_decimal_number_that_is_none_makes_no_arithmetic_fail",
    ),
    Mutant(
        "decimals of 38 digits in arithmetic, which may be two types",
        T + "total.py",
        "- (kind.scale or 0) <= 18:",
        "- (kind.scale or 0) <= 38:",
        D + "test_decimal_numbers_that_may_be_two_types_are_refused",
    ),
    Mutant(
        "a remainder that is negative below zero",
        T + "engines/engine.py",
        "safe - (safe % width + width) % width",
        "safe - safe % width",
        SAME + "[duckdb]",
    ),
    Mutant(
        "a derived column in the place of the person's",
        T + "derived.py",
        "        if name.casefold() in taken:  # proof: new\n",
        "        if name.casefold() in taken and name != 'user':  # proof: new\n",
        D + "test_no_column_is_replaced_least_of_all_the_persons",
    ),
    Mutant(
        "a column told as the expression that it is called",
        T + "derived.py",
        """return op.name if _PLAIN.fullmatch(op.name) else _quoted(op.name, '"')""",
        "return op.name",
        D + "test_a_column_that_is_called_like_an_expression_is_another_question",
    ),
    Mutant(
        "a time zone that is not read",
        T + "reading.py",
        "if any(set(_given(each)) - _READ for",
        "if any(set(_given(each)) - _READ - {'zone'} for",
        D + "test_what_is_not_on_the_list_is_refused_with_what_to_write",
    ),
    Mutant(
        "kept answers that do not tell derivations apart",
        T + "receipts.py",
        '            said["derived"] = dict(self.derived)\n',
        '            said["derived"] = dict.fromkeys(self.derived, "")\n',
        D + "test_kept_answers_tell_derivations_of_one_name_apart",
    ),
    Mutant(
        "a public key that makes two rows of one",
        T + "attributes.py",
        "    if len(set(travel)) < len(keys):  # proof: once_each\n",
        "    if len(set(travel)) < len(keys) // 2:  # proof: once_each\n",
        A + "test_what_is_no_list_of_attributes_is_refused_before_anything",
    ),
    Mutant(
        "null that is found as the empty text",
        T + "bounding.py",
        "(column.notnull() & digits).fill_null(False)",
        "digits.fill_null(False)",
        A + "test_null_is_not_the_empty_text_among_known_keys_of_sqlite",
    ),
    Mutant(
        "a private column that is read for a public one",
        T + "attributes.py",
        "while any(name.startswith(sign) for name in known):",
        "while False:",
        A + "test_no_private_column_is_read_for_a_public_one",
    ),
    Mutant(
        "a choice among literals that is added up in exact numbers",
        T + "engines/engine.py",
        "return ops.Cast(value, kind).to_expr() if kind.is_floating() else value",
        "return value",
        D + "test_a_choice_among_literals_is_added_up_as_floats_are_on_every_engine",
    ),
    Mutant(
        "a month has 28 days",
        T + "derived.py",
        "day.replace(day=monthrange(day.year, day.month)[1])",
        "day.replace(day=28)",
        D + "test_bins_are_known_keys_in_their_order_and_need_no_delta",
    ),
    Mutant(
        "known months of times with a zone begin where the data or the engine are",
        T + "derived.py",
        "zone = op.dtype.is_timestamp() and op.dtype.timezone",
        "zone = None",
        D + "test_known_months_of_times_with_a_zone_begin_in_utc",
    ),
    Mutant(
        "a bin without width, whose key is known twice",
        T + "total.py",
        "any(a >= b for a, b in pairwise(ordered))",
        "any(a > b for a, b in pairwise(ordered))",
        D + "test_what_is_not_on_the_list_is_refused_with_what_to_write[bin(age, 0, 10, 10, 20)]",
    ),
]
