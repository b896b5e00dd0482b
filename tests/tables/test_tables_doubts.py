"""Where figures say that nobody has a value, the answer says what to look at; of nothing but released figures."""

import pytest

from discreet import UnsupportedError
from discreet.tables import Mean, People, Quantile, Sum, Table

SURE = {"epsilon": 1000, "max_groups": 1}


@pytest.fixture
def written(tmp_path):
    """A table of text with these amounts, of a hundred people each."""

    def make(*amounts, types=None):
        path = tmp_path / "a.csv"
        path.write_text("user;city;amount\n" + "".join(f"{i};Rome;{amounts[i % len(amounts)]}\n" for i in range(100)))
        return Table(path, person="user", types=types)

    return make


@pytest.mark.parametrize("asked", [[Mean("amount", 0, 9)], [Sum("amount", 0, 9, 1)], [People(), Mean("amount", 0, 9)]])
@pytest.mark.parametrize("private", [True, False])
def test_a_column_without_numbers_is_told(asked, private, written):
    groups = {"delta": "1e-6"} if private else {}
    keys = None if private else ["Rome", "Bath"]
    answer = written("1,5", "n/a").group_by("city", keys=keys).release(*asked, **SURE, **groups)
    assert "Nobody may have a value of amount" in answer.doubt
    assert '--type "amount=decimal comma"' in str(answer)
    assert all(answer.doubt not in text for _, text in answer.statements)


@pytest.mark.parametrize(
    ("amounts", "types"), [(["1.5"], None), (["1,5"], {"amount": "decimal comma"}), (["1,5"], {"amount": "number"})]
)
def test_a_column_with_numbers_or_a_type_is_not_doubted(amounts, types, written):
    table = written(*amounts, types=types).group_by("city", keys=["Rome"])
    assert table.mean("amount", low=0, high=9, **SURE).doubt is None
    assert "Nobody" not in str(table.sum("amount", low=0, high=9, **SURE))


@pytest.mark.parametrize("asked", [[Mean("amount", 0, 9)], [Sum("amount", 0, 9, 1)]])
def test_a_decimal_comma_that_no_number_has_is_told(asked, written):
    groups = written("1.5", types={"amount": "decimal comma"}).group_by("city", keys=["Rome"])
    answer = groups.release(*asked, **SURE)
    assert "Nobody may have a value of amount: only numbers such as 1.234,50 are values" in answer.doubt
    assert 'Of 1234.5, declare types={"amount": "number"}, or --type "amount=number".' in str(answer)
    assert written("1.5", types={"amount": "number"}).sum("amount", low=0, high=9, grid=1, epsilon=1000).doubt is None


def test_of_several_columns_each_kind_that_may_be_wrong_is_told(written):
    table = written("1.5", types={"amount": "decimal comma"})
    said = table.release(Sum("city", 0, 9, 1), Sum("amount", 0, 9, 1), epsilon=1000).doubt
    assert [said.count(f"Nobody may have a value of {name}") for name in ("city", "amount")] == [1, 1]


@pytest.mark.parametrize(
    ("amounts", "types", "said"),
    [
        ("1,5", None, "only numbers such as 1234.5 are"),
        ("1.5", {"amount": "decimal comma"}, "only numbers such as 1.234,50 are"),
        ("n/a", {"amount": "number"}, None),
    ],
)
def test_where_no_bounds_are_learned_the_type_is_doubted(amounts, types, said, written):
    table = written(amounts, types=types)
    with pytest.raises(UnsupportedError, match="nothing could be learned about bounds of amount") as caught:
        table.mean("amount", low=0, high="auto", epsilon=1000)
    texts = str(caught.value), str(table.suggest_bounds("amount", epsilon=1000))
    for text in texts:
        assert "Nobody may have a value of amount" in text if said else "Nobody" not in text
        assert said is None or said in text


def test_where_bounds_are_learned_nothing_is_doubted(written):
    assert "Nobody" not in str(written("1.5").suggest_bounds("amount", epsilon=1000))


def test_counts_and_quantiles_say_nothing_of_values(written):
    table = written("x")
    assert table.where("city = 'Bath'").count_people(epsilon=1000).doubt is None
    assert table.release(Quantile("amount", "0.5", low=0, high=9), epsilon=1).doubt is None
    assert table.group_by("city").keys(epsilon=1000, delta="1e-6").doubt is None
