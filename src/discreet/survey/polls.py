"""Polls: a survey as one page for people's own devices, where answers are randomized before they leave.

The page is one file that loads nothing. Its policy lets a browser run its one script, by digest, and connect to the
collector alone. The script is made from js/ by `make js`, and holds the same client as `discreet-client`. What anyone
could conclude is computed here, rounded to the safe side, for two answers that differ in any way.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from importlib import resources
from math import ceil, floor
from typing import Any, Final, final

from discreet.errors import KindError, ParameterError, one_of
from discreet.exact import Exact, written
from discreet.files import path_of, read_toml
from discreet.frozen import freeze
from discreet.measures import INFINITE, MaxDivergence, amount
from discreet.pages.page import attribute, clean, printable, put
from discreet.reals import float_up
from discreet.survey.calendar import Calendar
from discreet.survey.clients import MOST
from discreet.survey.collectors import Wave, checked_wave
from discreet.survey.files import read_json
from discreet.survey.forms import AnyForm, Form
from discreet.survey.surveys import Survey
from discreet.survey.texts import TextForm
from discreet.survey.tickets import INVITATIONS, TicketKey, ticket_about
from discreet.survey.wording import Wording, check_names, fixed_texts, said_in
from discreet.words import belief, factor

__all__ = ["Poll"]

_ADDRESS: Final = re.compile(
    r"(https?)://([a-z0-9.-]+|\[[0-9a-f:]+\])(:[0-9]{1,5})?((?:/[a-z0-9._~-]+)*)/?", re.IGNORECASE
)
_HERE: Final = ("localhost", "127.0.0.1", "[::1]")
_SELF: Final = "self"
_MOST: Final = 1e308
"""What stands for no limit, in JSON."""
_LONG: Final = 8
"""More choices than this are a list to choose from."""
_PATHS: Final = (
    "M4 12.5 9 17 20 6.5",
    "M5 5h14v14H5zM9 9h.01M15 9h.01M12 12h.01M9 15h.01M15 15h.01",
    "M4 12h14M13 6l6 6-6 6",
)


@final
@dataclass(frozen=True, slots=True, init=False)
class Poll:
    """A survey as a page that people open on a phone; `to_html` writes it.

    *collector* is the address that takes responses, `POST <collector>/reports`; "self" is where the page came from, and
    without one the page gives a code to hand in. *most* is the greatest epsilon that the page's client answers. With
    *memory* the device keeps a secret, so that the same answers give the same response. With a *key*, invitations are
    blind: the page gets a ticket of one *wave* for its invitation, and takes none that another key has signed.

    >>> from discreet.survey import Asking, Question, Wording
    >>> survey = Survey([Question("smokes", ["no", "yes"], missing="?")], epsilon=1)
    >>> poll = Poll(survey, Wording(title="Habits", questions={"smokes": Asking("Do you smoke?", ["No", "Yes"])}))
    >>> "<legend" in poll.to_html(), "Do you smoke?" in poll.to_html()
    (True, True)
    """

    survey: Survey
    wording: Wording
    collector: str | None
    most: Exact
    memory: bool
    key: TicketKey | None
    wave: Wave

    def __init__(
        self,
        survey: Survey,
        wording: Wording | None = None,
        *,
        collector: str | None = None,
        most: Exact = MOST,
        memory: bool = True,
        key: TicketKey | None = None,
        wave: Wave = None,
    ) -> None:
        if not isinstance(survey, Survey):
            raise KindError("survey", type(survey), "a Survey")
        told = Wording() if wording is None else wording
        if not isinstance(told, Wording):
            raise KindError("wording", type(wording), "a Wording")
        if not isinstance(memory, bool):
            raise KindError("memory", memory, "True or False")
        if key is not None and not isinstance(key, TicketKey):
            raise KindError("key", type(key), "the TicketKey of one wave")
        if key is not None and collector is None:
            raise ParameterError("key", "tickets", "a collector, which signs them")
        checked_wave(wave)
        lasting = [form.question.name for form in survey.forms if form.oracle.lasting]
        if lasting and not memory:
            raise ParameterError("memory", memory, f"True: {lasting[0]} keeps a permanent answer by it")
        slow = [form.question.name for form in survey.forms if form.oracle.options]
        if slow:
            raise ParameterError("survey", slow[0], "mechanisms without options, such as constant_time, in a browser")
        survey.client(secret=bytes(32), most=most)  # Raises where the page would refuse to ask.
        if survey.epsilon == INFINITE:
            raise ParameterError("survey", survey.names, "mechanisms that hide something, on a page that says so")
        counts = [len(form.question) if isinstance(form, Form) else 0 for form in survey.forms]
        missing = [isinstance(form, Form) and form.question.missing is not None for form in survey.forms]
        check_names(told, survey.names, counts, missing)
        for form in survey.forms:
            asking = told.questions.get(form.question.name)
            if asking is not None and asking.group and not _is_box(form):
                raise ParameterError("group", form.question.name, "a question with the choices false and true")
        where = _address(collector)
        freeze(self, survey=survey, wording=told, collector=where, most=most, memory=memory, key=key, wave=wave)

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        /,
        *,
        collector: str | None = None,
        key: TicketKey | None = None,
        wave: Wave = None,
    ) -> Poll:
        """Return the poll in a survey's file of TOML or JSON, which may have texts, a collector, most and memory.

        Where the file says ``invitations = "blind"``, a page with a collector needs the *key* of its *wave*. Waves that
        are wrong are refused here too, though the page says nothing of them.
        """
        place = path_of(path)
        toml = place.suffix.lower() == ".toml"
        data = read_toml(place, float) if toml else read_json(path, "survey", checked=False)
        Calendar.from_dict(data)
        given = {key: data[key] for key in ("most", "memory") if key in data}
        where = data.get("collector") if collector is None else collector
        if one_of("invitations", data.get("invitations", "codes"), INVITATIONS) == "blind" and where and key is None:
            raise ParameterError("key", None, "the key of this wave's tickets, from the collector's --store")
        survey, told = Survey.from_dict(data), Wording.from_dict(data)
        return cls(survey, told, collector=where, key=key, wave=wave, **given)

    @property
    def policy(self) -> str:
        """What the page lets a browser do: run its own script, use its own style, and connect to the collector."""
        style, script = (_digest(text) for text in _parts())
        paths = ["reports"] if self.key is None else ["reports", "tickets"]
        elsewhere = " ".join(f"{self.collector}/{path}" for path in paths)
        connect = "'none'" if self.collector is None else "'self'" if self.collector == _SELF else elsewhere
        allowed = f"script-src {script}; style-src {style}; img-src data:; connect-src {connect}"
        return f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the page; with a *path*, also write it there."""
        return put(self._lines(), path)

    def facts(self) -> dict[str, Any]:
        """Return what the page's script reads, as plain values: the survey's file, texts, and computed numbers."""
        loss = MaxDivergence().up(self.survey.loss(1)) if not self.memory else self._lasting_loss
        before = "" if self.collector == _SELF else f"{self.collector}/"
        sent = None if self.collector is None else f"{before}reports"
        about = ticket_about(self.survey.tag, self.wave).hex()
        tickets = self.key and {"key": self.key.to_bytes().hex(), "about": about, "address": f"{before}tickets"}
        return {
            "survey": json.loads(self.survey.to_json()),
            "digest": self.survey.digest.hex(),
            "most": _MOST if self.most == INFINITE else float_up(amount(self.most, "most")),
            "memory": self.memory,
            "collector": sent,
            "tickets": tickets,
            "language": self.wording.language,
            "texts": {code: self._texts(code) for code in self.wording.languages},
            "questions": [self._question(form) for form in self.survey.forms],
            "belief": belief(Fraction(loss)),
            "factor": factor(Fraction(loss)),
            "epsilon": written(Fraction(loss), up=True),
        }

    @property
    def _lasting_loss(self) -> float:
        return self.survey.client(secret=bytes(32), most=INFINITE).privacy_map_of(None)

    def _question(self, form: AnyForm) -> dict[str, Any]:
        """Return what the page says about one question's report: how it is drawn, and what it tells at most."""
        loss = MaxDivergence().up(form.oracle.loss_of(None if self.memory else 1))
        own, other = form.mechanism.support
        law = "text" if isinstance(form, TextForm) else "choice" if form.says == "choice" else "choices"
        return {
            "kind": self._kind(form),
            "law": law,
            "own": _percent(own, up=True),
            "other": _percent(other),
            "belief": belief(Fraction(loss)),
        }

    def _kind(self, form: AnyForm) -> str:
        """Return the control that a question is answered by."""
        if not isinstance(form, Form):
            return "text"
        asking = self.wording.questions.get(form.question.name)
        if asking is not None and asking.group:
            return "check"
        choices = form.question.choices
        if len(choices) <= _LONG:
            return "radio"
        whole = all(type(choice) is int for choice in choices)
        return "number" if whole and list(choices) == list(range(choices[0], choices[-1] + 1)) else "select"

    def _texts(self, language: str) -> dict[str, str]:
        """Return all that is said in a language: the page's own texts, the survey's, and those of its questions."""
        wording, texts = self.wording, dict(fixed_texts()[language])

        def said(told: Mapping[str, Any]) -> Any:
            return said_in(told, language, wording.language)

        for name in ("title", "sponsor", "consent"):
            texts[name] = printable(said(getattr(wording, name)))
        texts["title"] = texts["title"] or ", ".join(self.survey.names)
        for i, form in enumerate(self.survey.forms):
            asking = wording.questions.get(form.question.name)
            texts[f"q{i}"] = printable((said(asking.text) if asking else "") or form.question.name)
            texts[f"g{i}"] = printable(said(asking.group) if asking else "")
            if isinstance(form, Form):
                labels = said(asking.labels) if asking else ()
                own = [_label(choice, texts) for choice in form.question.choices]
                last = [] if form.question.missing is None else [texts["missing"]]
                listed = [*(labels or own), *last][: len(form.question)]
                texts |= {f"q{i}.{place}": printable(label) for place, label in enumerate(listed)}
        return texts

    def _lines(self) -> Iterator[str]:
        style, script = _parts()
        language = self.wording.language
        texts = self._texts(language)
        turned = "rtl" if language == "ar" else "ltr"
        yield f'<!doctype html>\n<html lang="{language}" dir="{turned}">\n<head>\n<meta charset="utf-8">'
        yield f'<meta http-equiv="Content-Security-Policy" content="{self.policy}">'
        yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
        yield '<meta name="color-scheme" content="light dark">\n<meta name="referrer" content="no-referrer">'
        yield '<meta name="robots" content="noindex">\n<link rel="icon" href="data:,">'
        yield f"<title>{attribute(texts['title'])}</title>\n<style>{style}</style>\n</head>\n<body>"
        yield '<header><select id="language" autocomplete="off"></select></header>'
        yield f'<main>\n<h1 data-t="title">{clean(texts["title"])}</h1>\n<noscript><p>JavaScript: ✗</p></noscript>'
        yield '<section id="start">'
        if texts["sponsor"]:
            yield f'<p class="sponsor" data-t="sponsor">{clean(texts["sponsor"])}</p>'
        yield '<ol class="how">'
        for path, key in zip(_PATHS, ("answer", "dice", "leaves"), strict=True):
            yield f'<li>{_icon(path)}<div><b data-t="{key}">{texts[key]}</b>'
            yield f'<span data-t="{key}_more">{texts[f"{key}_more"]}</span></div></li>'
        yield '</ol>\n<form id="ask" autocomplete="off" novalidate>'
        yield from self._controls(texts)
        if texts["consent"]:
            described = 'autocomplete="off" aria-describedby="consent-error"'
            yield f'<label class="agree"><input type="checkbox" id="consent" {described}>'
            yield f'<span data-t="consent">{clean(texts["consent"])}</span></label>'
            yield _error("consent", "please_consent", texts)
        yield f'<div class="buttons"><button class="main" data-t="review">{texts["review"]}</button></div>'
        yield '</form>\n</section>\n<section id="review" hidden></section>'
        yield '<section id="done" hidden></section>\n<p id="live" role="status" aria-live="polite"></p>'
        facts = json.dumps(self.facts(), ensure_ascii=True, separators=(",", ":")).replace("<", "\\u003c")
        yield f'</main>\n<script type="application/json" id="poll">{facts}</script>'
        yield f"<script>{script}</script>\n</body>\n</html>"

    def _controls(self, texts: dict[str, str]) -> Iterator[str]:
        """Give the controls of each question; those of one group stand together."""
        group = ""
        for i, form in enumerate(self.survey.forms):
            last, group = group, texts[f"g{i}"]
            if last and last != group:
                yield "</fieldset>"
            if group and last != group:
                yield f'<fieldset><legend data-t="g{i}">{clean(group)}</legend>'
                yield f'<p class="hint" data-t="several">{texts["several"]}</p>'
            yield from _control(i, self._kind(form), form, texts)
        if group:
            yield "</fieldset>"


def _control(i: int, kind: str, form: AnyForm, texts: dict[str, str]) -> Iterator[str]:
    """Give the control of one question."""
    name, described = f"q{i}", f'autocomplete="off" aria-describedby="q{i}-error"'
    said = f'<span data-t="{name}">{clean(texts[name])}</span>'
    if kind == "check":
        yield f'<label class="choice"><input type="checkbox" name="{name}" {described}>{said}</label>'
        yield _error(name, "please", texts)
        return
    listed = form.question.categories.values if isinstance(form, Form) else ()
    missing = isinstance(form, Form) and form.question.missing is not None
    if kind == "radio":
        yield f'<fieldset><legend data-t="{name}">{clean(texts[name])}</legend>'
        for place in range(len(listed)):
            style = " missing" if missing and place == len(listed) - 1 else ""
            yield f'<label class="choice{style}"><input type="radio" name="{name}" value="{place}" {described}>'
            yield f'<span data-t="{name}.{place}">{clean(texts[f"{name}.{place}"])}</span></label>'
        yield f"{_error(name, 'please', texts)}</fieldset>"
        return
    yield f'<div class="card"><label class="asked" for="{name}">{said}</label>'
    if kind == "select":
        yield f'<select name="{name}" id="{name}" {described}>'
        yield f'<option value="" data-t="choose">{texts["choose"]}</option>'
        for place in range(len(listed)):
            yield f'<option value="{place}" data-t="{name}.{place}">{clean(texts[f"{name}.{place}"])}</option>'
        yield "</select>"
    elif kind == "number":
        low, high = listed[0], listed[-2 if missing else -1]
        hint = texts["range"].replace("{low}", str(low)).replace("{high}", str(high))
        yield f'<p class="hint" data-t="range|{low}|{high}">{hint}</p>'
        ends = f'inputmode="numeric" min="{low}" max="{high}" step="1"'
        yield f'<input type="number" name="{name}" id="{name}" {ends} {described}>'
    else:
        yield f'<p class="hint" data-t="text_hint">{texts["text_hint"]}</p>'
        plain = 'maxlength="200" autocapitalize="off" spellcheck="false"'
        yield f'<input type="text" name="{name}" id="{name}" {plain} {described}>'
    yield f"{_error(name, 'please', texts)}</div>"


def _error(name: str, key: str, texts: dict[str, str]) -> str:
    return f'<p class="error" id="{name}-error" data-t="{key}" hidden>{texts[key]}</p>'


def _icon(path: str) -> str:
    stroke = 'fill="none" stroke="currentColor" stroke-width="2.2" stroke-linecap="round" stroke-linejoin="round"'
    return f'<svg viewBox="0 0 24 24" aria-hidden="true" {stroke}><path d="{path}"/></svg>'


def _label(choice: Any, texts: dict[str, str]) -> str:
    return texts["yes" if choice else "no"] if isinstance(choice, bool) else str(choice)


def _is_box(form: AnyForm) -> bool:
    """Whether a question can be a box to tick: ticked it is true, and else false."""
    return isinstance(form, Form) and [repr(choice) for choice in form.question.categories.values] == ["False", "True"]


def _percent(chance: Fraction, *, up: bool = False) -> str:
    """Return a chance in percent, to a tenth: that of the truth rounded up, and that of anything else down."""
    tenths = ceil(chance * 1000) if up else floor(chance * 1000)
    return f"{tenths // 10}.{tenths % 10}"


def _parts() -> tuple[str, str]:
    """Return the page's style and its script."""
    files = resources.files("discreet.survey")
    style, script = (files.joinpath(name).read_text(encoding="utf-8") for name in ("poll.css", "poll.js"))
    return style, script


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _address(collector: Any) -> str | None:
    """Return the address of a collector, or raise; it goes into the page's policy, which it must not change."""
    if collector is None:
        return None
    if not isinstance(collector, str):
        raise KindError("collector", type(collector), 'an address such as https://poll.example.org, or "self"')
    if collector == _SELF:
        return _SELF
    found = _ADDRESS.fullmatch(collector)
    if found is not None and found[1].lower() == "http" and found[2].lower() not in _HERE:
        raise ParameterError(
            "collector", collector, "https: over http only an address of this machine, such as localhost, can be asked"
        )
    if found is None:
        raise ParameterError("collector", collector, 'an address such as https://poll.example.org, or "self"')
    return str(collector).rstrip("/")
