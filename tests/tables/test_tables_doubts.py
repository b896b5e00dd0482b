"""Where figures say that nobody has a value, the answer says what to look at; of nothing but released figures."""

import pytest

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


@pytest.mark.parametrize("asked", [[Mean("amount", 0, 9)], [Sum("amount", 0, 9)], [People(), Mean("amount", 0, 9)]])
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


def test_counts_and_quantiles_say_nothing_of_values(written):
    table = written("x")
    assert table.where("city = 'Bath'").count_people(epsilon=1000).doubt is None
    assert table.release(Quantile("amount", "0.5", low=0, high=9), epsilon=1).doubt is None
    assert table.group_by("city").keys(epsilon=1000, delta="1e-6").doubt is None
