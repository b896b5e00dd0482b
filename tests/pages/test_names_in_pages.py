"""Names in pages: long ones keep both ends, none turns a sentence, and what has an order keeps it beside other keys."""

import re
from datetime import date

from matplotlib import pyplot as plt
from test_pages import Seen, answer

HEBREW = "מרכז רפואי"


def labels(page):
    return re.findall(r'<span title="([^"]+)"><bdi><span>(.*?)</span><span>(.*?)</span></bdi></span>', page)


def test_months_beside_another_key_keep_their_order_and_the_greatest_are_shown():
    keys = [(city, f"2026-{month:02}") for city in ("Bath", "Rome", "Ulm") for month in range(1, 13)]
    values = [(7 * i) % 36 for i in range(36)]
    of = answer(keys, values, by=("city", "month"))
    shown = [title for title, _, _ in labels(of.to_html())]
    greatest = [f"{city}, {month}" for (city, month), value in zip(keys, values, strict=True) if value >= 6]
    assert shown == greatest
    assert "the 30 greatest of 36" in of.to_html()
    axes = of.plot(most=9)
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        f"{a}, {b}" for a, b in keys if values[keys.index((a, b))] >= 27
    ]
    plt.close(axes.figure)


def test_names_beside_names_are_ranked():
    of = answer([("a", "x"), ("b", "y")], [5, 60], by=("k", "l"))
    assert [title for title, _, _ in labels(of.to_html())] == ["b, y", "a, x"]


def test_long_names_keep_both_ends():
    names = [f"University Hospital of Northern Utopia, ward {i}" for i in range(3)]
    for (title, start, end), name in zip(labels(answer(names, [3, 2, 1]).to_html()), names, strict=True):
        assert title == start + end == name
        assert end == name[-7:]
    pairs = labels(answer([(name, "2026-01") for name in names], [3, 2, 1], by=("k", "l")).to_html())
    assert [end for _, _, end in pairs] == [f"ard {i}, 2026-01" for i in range(3)]
    short = labels(answer([("Cardiology", f"2026-0{i}-01") for i in range(3)], [3, 2, 1], by=("k", "l")).to_html())
    assert [end for _, _, end in short] == [f"gy, 2026-0{i}-01" for i in range(3)]
    axes = answer(names, [3, 2, 1]).plot()
    assert [label.get_text()[-6:] for label in axes.get_yticklabels()] == ["ward 0", "ward 1", "ward 2"]
    plt.close(axes.figure)


def test_a_month_and_a_year_are_shown_without_a_day_and_saved_with_one():
    days = [date(2026, 1, 1), date(2026, 2, 1), None]
    made = {"month": "day by month from 2026-01 to 2026-02", "year": '"day of birth" by Year', "day": "day"}
    for name, shown in (("month", "2026-01"), ("year", "2026"), ("day", "2026-01-01")):
        of = answer([("a", day) for day in days], [3, 2, 1], by=("k", name), derived=made)
        assert next(title for title, _, _ in labels(of.to_html())) == f"a, {shown}"
        assert [row.split()[1:3] for row in of.to_text().splitlines()[2:5:2]] == [[shown, "3"], ["no", "value"]]
        assert [row[name] for row in of.to_rows()] == days
        axes = of.plot()
        assert axes.get_yticklabels()[0].get_text() == f"a, {shown}"
        plt.close(axes.figure)


def test_a_derived_key_that_is_no_day_is_shown_as_it_is():
    of = answer([("2026-01-01",)], [3], by=("month",), derived={"month": '"by month" by month'})
    assert "2026-01-01" in of.to_text()


def test_no_column_and_no_key_turns_a_sentence():
    page = answer([(HEBREW, "a"), ("b", HEBREW)], [9, 3], by=(HEBREW, "k"), person=(HEBREW,)).to_html()
    assert f"<h1>People by <bdi>{HEBREW}</bdi>, <bdi>k</bdi></h1>" in page
    assert f"<title>People by {HEBREW}, k</title>" in page
    assert f"all rows of one <bdi>{HEBREW}</bdi>." in page
    assert f"The largest is <bdi>{HEBREW}</bdi>, <bdi>a</bdi> with" in page
    assert not any("\ue000" in text or "\ue001" in text for text in Seen(page).text)


def test_titles_in_text_have_no_marks():
    of = answer([(HEBREW, "a")], [9], by=(HEBREW, "k"))
    assert of.title == f"People by {HEBREW}, k"
    assert "\ue000" not in of.to_text() + of._repr_html_()
