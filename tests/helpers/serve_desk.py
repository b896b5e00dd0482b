"""A small survey, its people, and a collector of it without a network."""

import asyncio
from contextlib import asynccontextmanager

import httpx
import numpy as np

from discreet.serve import Desk, Settings, open_store
from discreet.survey import Question, Survey
from discreet.survey.responses import RESPONSE
from discreet.survey.wire import VERSION

BINARY = {"content-type": "application/octet-stream"}
TOKEN = {"authorization": "Bearer secret"}


def small_survey(epsilon=2):
    return Survey([Question("smokes", ["no", "yes"]), Question("age", ["young", "old"], missing="?")], epsilon=epsilon)


def responses(survey, n, place=0):
    """Return the responses of n people who all give the answers of one place, each as bytes."""
    head = bytes((RESPONSE, VERSION)) + survey.tag
    rows = np.concatenate([form.perturb(np.full(n, place)) for form in survey.forms], axis=1)
    return [head + row.tobytes() for row in rows]


def given(survey, *places):
    """Return a response that says exactly this, as bytes."""
    return bytes((RESPONSE, VERSION)) + survey.tag + bytes(places)


@asynccontextmanager
async def collecting(survey, place, *, store=None, client=("192.0.2.7", 1), **more):
    """Give a client of a collector whose store is in a folder."""
    settings = {name: more.pop(name) for name in list(more) if name in Settings.__dataclass_fields__}
    held = store or open_store(survey, place)
    desk = Desk(survey, held, Settings(**{"token": "secret", "rate": None} | settings), **more)
    transport = httpx.ASGITransport(desk.app, raise_app_exceptions=True, client=client)
    async with httpx.AsyncClient(transport=transport, base_url="http://survey.test") as http, desk.lifespan():
        yield http


def played(work):
    """Run a coroutine to its end."""
    return asyncio.run(work)


async def sent(http, body, once=None, **headers):
    """Post bytes, with a key where one is given, and return the answer."""
    key = {} if once is None else {"Discreet-Once": once}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return await http.post("/reports", content=body, headers=BINARY | key | named)
