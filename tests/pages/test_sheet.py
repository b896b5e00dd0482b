"""Sheets: what gives its rows once is drawn as text, in a terminal, in a notebook, as a page and as a plot alike."""

import math
from fractions import Fraction

import pytest

from discreet import Ledger
from discreet.pages import Column, Result, Sheet, amounts

pytest.importorskip("click")
pytest.importorskip("matplotlib")
from matplotlib import pyplot as plt

from discreet.cli.show import page

EVIL = "\x1b[2J<b>&amp;"


class Heights(Result):
    """A new kind of result: it gives its sheet, and nothing else."""

    sheet = Sheet(
        "Heights",
        [
            Column("name", ["Ann", None, EVIL], head=True),
            Column("height", [1.72341, 1.6, 1.9], 2, unit="m"),
            Column("95 % interval", [1.70001, 1.5, 1.8], 2, highs=[1.74001, 1.7, math.inf]),
            amounts("error", [Fraction("0.1"), Fraction(1, 3), math.sqrt(152399024)], "±"),
        ],
        note="3 people",
        remarks=["They were measured."],
        chosen=[1],
    )


CELLS = [
    ["1.72", "1.70 to 1.75", "±0.1"],
    ["1.60", "1.50 to 1.70", "±1/3"],
    ["1.90", "1.80 to inf", "±12,400"],
]


def test_all_five_forms_say_the_same(capsys):
    of = Heights()
    page([of.sheet])
    axes = of.plot()
    shown = {
        "text": str(of),
        "repr": repr(of),
        "terminal": capsys.readouterr().out,
        "notebook": of._repr_html_(),
        "page": of.to_html(),
    }
    for form, text in shown.items():
        for said in ("Heights", "3 people", "height, m", "Ann", "no value", "They were measured."):
            assert said in text, form
        for cell in (cell for row in CELLS for cell in row):
            assert cell in text, form
        assert "\x1b" not in text, form
        assert ("<b>" in text) is (form not in ("notebook", "page")), form
    assert axes.get_xlabel() == "height, m, with 95 % intervals"
    assert [bar.get_width() for bar in axes.patches] == [1.9, 1.72341, 1.6]  # The greatest first.
    plt.close(axes.figure)


def test_rows_that_have_an_order_keep_it_and_long_sheets_are_cut():
    places = list(range(150))
    columns = [
        Column("day", places, head=True),
        Column("n", places, 0),
        Column("95 % interval", places, 0, highs=places),
    ]
    sheet = Sheet("Days", columns, ordered=True)
    assert str(sheet).splitlines()[-1] == "  ... and 130 more"
    assert len(sheet.to_text(None).splitlines()) == 152
    assert sheet._repr_html_().count("<tr") == 51
    assert "... and 100 more" in sheet._repr_html_()
    chart = sheet.blocks()[0]
    assert (list(chart.labels), chart.values) == ([str(i) for i in places[50:]], places[50:])
    assert "the 100 last of 150; the table has them all." in chart.caption


def test_a_sheet_without_rows_says_so_on_a_page():
    sheet = Sheet("Cities", [Column("city", [], head=True), Column("people", [], 0)], row="city")
    assert "No city is shown." in "".join(sheet.blocks()[0].lines(iter([1])))
    assert str(sheet) == "Cities\n  city  people"


def test_an_interval_is_never_shorter_than_it_is():
    ends = Column("95 % interval", [0.1234, -0.0001], 2, highs=[0.5671, 0.0001])
    assert [ends.text(i) for i in range(2)] == ["0.12 to 0.57", "-0.01 to 0.01"]


def test_amounts_beyond_floats_are_shown_and_taken_back():
    book = Ledger.in_memory(epsilon="1e400")
    book.charge(epsilon="1e399")
    book.void(1, reason="the disk was full", unseen=True)
    lines = str(book).splitlines()
    assert lines[0].endswith(": 1 charge, 1 taken back")
    assert lines[2].split()[-3:] == ["1e399", "0", "9e399"]
    assert lines[3].split()[-3:] == ["-1e399", "0", "1e400"]
