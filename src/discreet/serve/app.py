"""The collector over HTTP: an application of Starlette, for any server of ASGI.

    GET  /              the page on which people answer
    GET  /form          the survey, as clients need it
    POST /reports       one response or many; answered when they are durable
    GET  /key           the public key of tickets, where invitations are blind
    POST /tickets       a request that is signed for an invitation, once that is spent
    GET  /results       estimates, as a page; /results.json has the same in JSON
    GET  /health        whether it works
    GET  /metrics       counts of requests and commits, for Prometheus

Refusals are in constant words: they say what is needed, and nothing of what was sent.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import hashlib
import hmac
import json
import re
import sys
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal, final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from discreet.errors import ReportError, StoreError
from discreet.exact import Exact
from discreet.serve.counts import Counts
from discreet.serve.exchange import Exchange
from discreet.serve.intake import Intake
from discreet.serve.invitations import invitation_mark, once_mark
from discreet.serve.limits import Limiter
from discreet.serve.results import Results, Shown
from discreet.serve.signing import SigningKey
from discreet.serve.store import Outcome, Store, Submission
from discreet.serve.writer import Writer
from discreet.survey import Survey, Wording
from discreet.survey.calendar import ALL, Calendar, Period, text_of

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["INVITATION", "ONCE", "TICKET", "Desk", "Settings"]

ONCE: Final = "Discreet-Once"
"""The header with a key of 32 hexadecimal digits that a client draws for one submission and repeats when it retries."""
INVITATION: Final = "Discreet-Invitation"
TICKET: Final = "Discreet-Ticket"
"""The header with a ticket in base 64: 32 random bytes, and their signature."""
_BINARY: Final = "application/octet-stream"
_JSON: Final = "application/json"
_ASIDE: Final = 4096
"""JSON with more bytes is read in another thread, so that nobody waits for it."""
_SECONDS: Final = 30
"""How long a body may take to arrive."""
_WORDS: Final = {
    400: "This is no response to this survey. Load the form again, and send what it gives.",
    401: "The results need a token.",
    403: "The survey is not open yet.",
    404: "There is nothing here.",
    405: "This address is not asked in that way.",
    408: "This took too long to arrive.",
    410: "The survey is over.",
    413: "This is more than may be sent at once.",
    415: f"Send {_BINARY} or {_JSON}.",
    429: "Too many requests. Try again in a minute.",
    500: "Something is wrong here. It is not stored.",
    503: "It cannot be stored now. Try again, with the same key.",
}
_TOO_FEW: Final = "There are too few reports yet.\n"
_NOTHING: Final = '{"reports": null, "questions": {}, "estimates": []}'
_UNINVITED: Final = "This needs an invitation that has not been used."
_NO_REQUEST: Final = "This is no request for a ticket. Load the page again."
_HEADERS: Final = (
    ("cache-control", "no-store"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("referrer-policy", "no-referrer"),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
)
_CLOSED: Final = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
_INLINE: Final = re.compile(r"<(script|style)\b[^>]*>(.*?)</\1>", re.DOTALL | re.IGNORECASE)


@final
@dataclass(frozen=True, slots=True)
class Settings:
    """What the owner of a survey decides. Who has the *token* sees all results; in *public* they move by steps."""

    token: str
    public: bool = False
    step: int = 10
    confidence: Exact = "0.95"
    rate: int | None = 600
    most_bytes: int = 1 << 20
    origins: tuple[str, ...] = ()
    log: Literal["none", "requests", "addresses"] = "none"


@final
class Desk:
    """The collector of one survey: its routes, its writer and its results.

    `app` is the application; whoever runs it without a server's lifespan uses the desk as an asynchronous context.
    With *keys*, one for each wave by its name in the store, invitations are blind: nobody answers without a ticket.
    *page* is one for all waves, or one for each.
    """

    def __init__(
        self,
        survey: Survey,
        store: Store,
        settings: Settings,
        /,
        *,
        calendar: Calendar | None = None,
        page: str | Mapping[str, str] | None = None,
        wording: Wording | None = None,
        keys: Mapping[str, SigningKey] | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._survey, self._store, self._settings, self._now = survey, store, settings, now
        self._calendar = calendar or Calendar()
        self._intake = Intake(survey)
        self._counts = Counts(survey, store)
        self._limiter = Limiter(settings.rate)
        self._writer = Writer(store, self._counts, self._intake.why)
        self._exchange = None if keys is None else Exchange(store, keys, survey.tag, self._writer.aside)
        seen = partial(Results, self._counts, self._calendar, confidence=settings.confidence, wording=wording)
        self._results = seen(step=1)
        self._public = seen(step=settings.step) if settings.public else None
        self._form = survey.to_json()
        self._page = page
        self._answered: Counter[tuple[str, int]] = Counter()
        self.app = _Guard(self._application(), self._answered, settings.log)

    def _application(self) -> Starlette:
        routes = [
            Route("/", self._front, methods=["GET"]),
            Route("/form", self._formed, methods=["GET"]),
            Route("/reports", self._reports, methods=["POST"]),
            Route("/results", self._results_page, methods=["GET"]),
            Route("/results.json", self._results_json, methods=["GET"]),
            Route("/health", self._health, methods=["GET"]),
            Route("/metrics", self._metrics, methods=["GET"]),
        ]
        if self._exchange is not None:
            routes.append(Route("/key", partial(self._key, self._exchange), methods=["GET"]))
            routes.append(Route("/tickets", partial(self._tickets, self._exchange), methods=["POST"]))
        allowed = Middleware(
            CORSMiddleware,
            allow_origins=list(self._settings.origins),
            allow_methods=["GET", "POST"],
            allow_headers=["Content-Type", ONCE, INVITATION, TICKET],
        )
        handlers: Mapping[Any, Callable[[Request, Exception], Response | Awaitable[Response]]] = {
            HTTPException: _refusal,
            ClientDisconnect: lambda *_: _said(400),
            StoreError: lambda *_: _said(503, {"Retry-After": "5"}),
        }
        middleware = [allowed] if self._settings.origins else []
        app = Starlette(
            routes=routes, middleware=middleware, exception_handlers=handlers, lifespan=lambda _: self.lifespan()
        )
        app.router.redirect_slashes = False  # A redirection would repeat the host that whoever asks has named.
        return app

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Collect; in the end store all that waits."""
        try:
            yield
        finally:
            if self._exchange is not None:
                await self._exchange.close()
            await self._writer.close()

    async def _front(self, _: Request) -> Response:
        if self._page is None:
            return PlainTextResponse("A survey. Its form is at /form; responses go to /reports.\n")
        page = self._page if isinstance(self._page, str) else self._page[text_of(self._latest.wave)]
        return _page(page, "connect-src 'self'")

    async def _formed(self, _: Request) -> Response:
        return Response(self._form, media_type=_JSON)

    async def _health(self, _: Request) -> Response:
        return PlainTextResponse("ok\n")

    @property
    def _latest(self) -> Period:
        return self._calendar.latest(self._now())

    def _open(self) -> Period:
        """Return the wave that is open, or refuse."""
        moment = self._now()
        period = self._calendar.open_at(moment)
        if period is None:
            raise HTTPException(self._closed(moment))
        return period

    def _closed(self, moment: datetime) -> int:
        return 410 if self._calendar.is_over(moment) else 403

    async def _key(self, exchange: Exchange, _: Request) -> Response:
        key = exchange.key(text_of(self._latest.wave))
        said = {"wave": self._latest.wave, "key": key.to_bytes().hex(), "fingerprint": key.fingerprint}
        return Response(json.dumps(said), media_type=_JSON)

    async def _tickets(self, exchange: Exchange, request: Request) -> Response:
        period = self._open()
        self._limit(request)
        wave = text_of(period.wave)
        if _kind(request) != _BINARY:
            raise HTTPException(415)
        blinded = await self._body(request, exchange.key(wave).width)
        if not exchange.key(wave).takes(blinded):  # Before the invitation is spent on it.
            return PlainTextResponse(f"{_NO_REQUEST}\n", 400)
        invitation = invitation_mark(request.headers.get(INVITATION, ""), self._survey.tag, period.wave)
        signed = None if invitation is None else await exchange.sign(wave, invitation, blinded)
        if signed is None:
            return PlainTextResponse(f"{_UNINVITED}\n", 403)
        return Response(signed, media_type=_BINARY)

    async def _reports(self, request: Request) -> Response:
        moment = self._now()
        period = self._calendar.open_at(moment)
        if period is None:
            return await self._retried(request, self._closed(moment))
        self._limit(request)
        kind = _kind(request)
        once = invitation = ticket = None
        if (key := request.headers.get(ONCE)) is not None:
            once = once_mark(key, self._survey.tag)
            if once is None:
                raise HTTPException(400)
        if (code := request.headers.get(INVITATION)) is not None:
            invitation = invitation_mark(code, self._survey.tag, period.wave)
        if self._exchange is not None:
            ticket = self._exchange.mark(text_of(period.wave), period.wave, request.headers.get(TICKET, ""))
            if ticket is None:  # Unless it is of the last wave, and was taken then.
                return await self._stored_before(request, once) or PlainTextResponse(f"{_UNINVITED}\n", 403)
        payloads = await self._payloads(await self._body(request, self._settings.most_bytes), kind)
        n = len(payloads) // self._intake.width
        if (code is not None or ticket is not None) and n > 1:  # An invitation is one person's.
            raise HTTPException(400)
        outcome = await self._writer.add(text_of(period.wave), Submission(payloads, once, invitation, ticket))
        if outcome is Outcome.REFUSED:
            raise HTTPException(400)
        if outcome is Outcome.UNINVITED:
            return PlainTextResponse(f"{_UNINVITED}\n", 403)
        return _stored(n)

    async def _retried(self, request: Request, closed: int) -> Response:
        """Refuse what comes while no wave is open, unless it was stored in time."""
        once = once_mark(request.headers.get(ONCE, ""), self._survey.tag)
        if once is None:
            raise HTTPException(closed)
        self._limit(request)
        return await self._stored_before(request, once) or _said(closed)

    async def _stored_before(self, request: Request, once: bytes | None) -> Response | None:
        """Answer what was stored before as it was then, since that answer may have been lost; None for all else."""
        if once is None or not await self._writer.aside(lambda: self._store.has(once)):
            return None
        body = await self._body(request, self._settings.most_bytes)
        return _stored(len(await self._payloads(body, _kind(request))) // self._intake.width)

    async def _body(self, request: Request, most: int) -> bytes:
        """Return the body, or refuse one that is too long or too slow."""
        parts, size = [], 0
        declared = request.headers.get("content-length", "0")
        if not declared.isascii() or not declared.isdigit() or int(declared[:20]) > most:
            raise HTTPException(413)
        try:
            async with asyncio.timeout(_SECONDS):
                async for part in request.stream():
                    size += len(part)
                    if size > most:
                        raise HTTPException(413)
                    parts.append(part)
        except TimeoutError:
            raise HTTPException(408) from None
        return parts[0] if len(parts) == 1 else b"".join(parts)

    async def _payloads(self, body: bytes, kind: str) -> bytes:
        read = self._intake.from_bytes if kind == _BINARY else self._intake.from_json
        try:
            quick = kind == _BINARY or len(body) <= _ASIDE
            return read(body) if quick else await asyncio.to_thread(read, body)
        except ReportError as error:
            self._writer.refused[error.reason] += 1
            raise HTTPException(400) from None

    async def _results_page(self, request: Request) -> Response:
        shown = await self._asked_for(request)
        return PlainTextResponse(_TOO_FEW) if shown is None else _page(shown.html)

    async def _results_json(self, request: Request) -> Response:
        shown = await self._asked_for(request)
        return Response(_NOTHING if shown is None else shown.data, media_type=_JSON)

    async def _asked_for(self, request: Request) -> Shown | None:
        results = self._results if self._public is None or "now" in request.query_params else self._public
        if results is self._results:
            self._authorize(request)
        name = request.query_params.get("wave")
        if name is None:
            name = str(self._latest.wave)
        if (name == ALL and self._calendar.people is None) or (name != ALL and self._calendar.named(name) is None):
            raise HTTPException(404)
        return await results.of(name)

    async def _metrics(self, request: Request) -> Response:
        self._authorize(request)
        return PlainTextResponse(self._metered(), media_type="text/plain; version=0.0.4")

    def _metered(self) -> str:
        writer = self._writer
        lines = ["# TYPE discreet_requests_total counter"]
        for (path, status), n in sorted(self._answered.items()):
            lines.append(f'discreet_requests_total{{path="{path}",status="{status}"}} {n}')
        lines.append("# TYPE discreet_refused_total counter")
        lines += [f'discreet_refused_total{{reason="{why}"}} {n}' for why, n in sorted(writer.refused.items())]
        for name, kind, value in (
            ("stored_total", "counter", writer.stored),
            ("commits_total", "counter", writer.commits),
            ("commit_seconds_total", "counter", writer.seconds),
            ("waiting", "gauge", writer.waiting),
        ):
            lines += [f"# TYPE discreet_{name} {kind}", f"discreet_{name} {value}"]
        return "\n".join(lines) + "\n"

    def _authorize(self, request: Request) -> None:
        """Refuse whoever has not the token, in a time that does not depend on what was sent."""
        self._limit(request)
        wanted, given = (hashlib.sha256(each).digest() for each in (self._settings.token.encode(), _token(request)))
        if not hmac.compare_digest(wanted, given):
            raise HTTPException(401, headers={"WWW-Authenticate": 'Basic realm="results", charset="UTF-8"'})

    def _limit(self, request: Request) -> None:
        if not self._limiter.allows(request.client.host if request.client else ""):
            raise HTTPException(429, headers={"Retry-After": str(int(self._limiter.seconds))})


def _kind(request: Request) -> str:
    """Return what a body is said to be, or refuse it."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in (_BINARY, _JSON):
        raise HTTPException(415)
    return kind


def _stored(n: int) -> Response:
    return Response(f'{{"stored":{n}}}', media_type=_JSON)


def _token(request: Request) -> bytes:
    """Return the token of a request: a bearer's, or the password that a browser has asked for."""
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return given.strip().encode("latin-1", "replace")
    try:
        return base64.b64decode(given, validate=True).partition(b":")[2] if scheme.lower() == "basic" else b""
    except (ValueError, binascii.Error):
        return b""


def _page(html: str, *more: str) -> Response:
    """Return a page that may run only the scripts that are in it."""
    found: dict[str, list[str]] = {"script": [], "style": []}
    for kind, text in _INLINE.findall(html):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        found[kind.lower()].append(f"'sha256-{digest}'")
    rules = [f"{kind}-src {' '.join(digests)}" for kind, digests in found.items() if digests]
    policy = "; ".join([_CLOSED, "img-src data:", *rules, *more])
    return Response(html, media_type="text/html", headers={"Content-Security-Policy": policy})


def _said(status: int, headers: Mapping[str, str] | None = None) -> Response:
    return PlainTextResponse(_WORDS.get(status, _WORDS[400]) + "\n", status, dict(headers or {}))


async def _refusal(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101  The only kind that is handed to this.
    return _said(error.status_code, error.headers)


@final
class _Guard:
    """Adds the headers that protect whoever opens a page, and counts what is answered, by path and status."""

    def __init__(self, app: ASGIApp, answered: Counter[tuple[str, int]], log: str) -> None:
        self._app, self._answered, self._log = app, answered, log
        self._paths = ("/", "/form", "/reports", "/key", "/tickets", "/results", "/results.json", "/health", "/metrics")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        path = scope["path"] if scope["path"] in self._paths else "other"

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._answered[path, message["status"]] += 1
                self._note(f"{scope['method'][:16]} {path} {message['status']}", scope.get("client"))
                headers = list(message.get("headers", ()))
                named = {name for name, _ in headers}
                if b"content-security-policy" not in named:
                    headers.append((b"content-security-policy", _CLOSED.encode()))
                headers += [(name.encode(), value.encode()) for name, value in _HEADERS]
                message["headers"] = headers
            await send(message)

        await self._app(scope, receive, guarded)

    def _note(self, line: str, client: tuple[str, int] | None) -> None:
        if self._log != "none":
            address = f" {client[0]}" if client and self._log == "addresses" else ""
            print(line + address, file=sys.stderr, flush=True)
