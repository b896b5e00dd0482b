"""What newcomers slip on: the message says what to do, of the column and the file that are meant."""

import pytest
from command import assert_one_line, run

from discreet.errors import ParameterError
from discreet.tables import Table

HEADER = "user,city,year,month"


@pytest.fixture
def place(tmp_path):
    (tmp_path / "a.csv").write_text(f"{HEADER}\n1,Rome,2026,3\n2,Bath,2025,4\n")
    return tmp_path / "a.csv"


@pytest.mark.parametrize("by", ["city,year", "city, year"])
def test_columns_in_one_option_are_told_to_be_repeated(place, by):
    done = run("count", place, "--person", "user", "--by", by, "--max-groups", 2, "--epsilon", 1, "--delta", "1e-6")
    assert_one_line(done, 2)
    assert "each column by itself: 'city', 'year'; on the command line, repeat the option" in done.stderr
    with pytest.raises(ParameterError, match="need one of user, city"):
        Table(place, person="user").group_by("city,yeer")


@pytest.mark.parametrize(
    ("condition", "types", "name"),
    [
        ("month = 3", {}, "month"),
        ("year = 2026 AND month = 3", {"year": "integer"}, "month"),
        ("city = 'Rome' AND month = 3", {}, "COLUMN"),
    ],
)
def test_a_hint_about_types_names_the_column_that_is_meant(place, condition, types, name):
    with pytest.raises(ParameterError) as refused:
        Table(place, person="user", types=types).where(condition)
    assert str(refused.value).endswith(f'types={{"{name}": "integer"}}, or --type {name}=integer')


@pytest.mark.parametrize(
    ("by", "types", "hint"),
    [
        ("month by month from 2026-01 to 2026-12", {}, "--type month=date"),
        ("month by ten", {}, "--type month=integer"),
        ("month by moth from 2026-01 to 2026-12", {"month": "date"}, None),
    ],
)
def test_a_hint_about_types_is_a_date_for_days_and_none_for_what_is_declared(place, by, types, hint):
    with pytest.raises(ParameterError) as refused:
        Table(place, person="user", types=types).group_by(by)
    assert str(refused.value).endswith(hint) if hint else "--type" not in str(refused.value)


def test_a_column_that_is_not_there_gets_no_hint_about_types(place):
    with pytest.raises(ParameterError, match=r"need one of [^;]*; did you mean 'month'\?$"):
        Table(place, person="user").where("moth = '3'")


def test_a_hint_about_keys_names_their_column(place):
    with pytest.raises(ValueError, match="--type month=integer"):
        Table(place, person="user").group_by("month", keys=[3])


@pytest.mark.parametrize(("suffix", "separator"), [("csv", "\t"), ("csv", "|"), ("tsv", ","), ("tsv", ";")])
def test_another_separator_is_named(tmp_path, suffix, separator):
    place = tmp_path / f"a.{suffix}"
    place.write_text(HEADER.replace(",", separator) + "\n")
    with pytest.raises(ParameterError, match=r"needs .,. or .;. between columns") as refused:
        Table(place, person="user")
    assert repr(separator) in str(refused.value)


def test_one_column_needs_no_separator(tmp_path):
    (tmp_path / "a.csv").write_text("user\n1\n")
    assert Table(tmp_path / "a.csv", person="user").count_people(epsilon=1)
