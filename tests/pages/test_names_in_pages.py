"""Names in pages: long ones keep both ends, none turns a sentence, and what has an order keeps it beside other keys."""

import re

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
    axes = answer(names, [3, 2, 1]).plot()
    assert [label.get_text()[-6:] for label in axes.get_yticklabels()] == ["ward 0", "ward 1", "ward 2"]
    plt.close(axes.figure)


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
