"""Invitations that become tickets: each is spent once and before anything is signed, and a ticket is used once."""

import asyncio
import base64
import itertools
import json
import os
import random
import signal
import sqlite3
import threading
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from postgres_server import shared
from serve_desk import BINARY, TOKEN, collecting, given, played, sent, small_survey
from tiers import cases

from discreet.errors import ParameterError, StoreError
from discreet.serve import Calendar, Period, SigningKey, invite, open_store, ticket_keys
from discreet.serve.invitations import invitation_mark
from discreet.serve.opening import invitations_in
from discreet.serve.store import FORMAT, NEW, Outcome, Submission
from discreet.survey.tickets import TicketKey, TicketRequest, ticket_about

DATA = json.loads((Path(__file__).parents[1] / "data" / "rfc9474.json").read_text())
SPRING = SigningKey(int(DATA["p"], 16), int(DATA["q"], 16))
AUTUMN = SigningKey.made(2048)
KEYS = {"null": SPRING}
NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
UNINVITED = "This needs an invitation that has not been used.\n"
ONCE = "0123456789abcdef0123456789abcdef"
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="it forks")


@pytest.fixture
def survey():
    return small_survey()


@pytest.fixture
def store(survey, memory_path):
    opened = open_store(survey, memory_path)
    yield opened
    opened.close()


def postgres():
    server = shared()
    where = server.where
    return f"postgresql://{where['user']}@{where['host']}:{where['port']}/{server.database()}"


def wanted(survey, key=SPRING, wave=None):
    return TicketRequest(key.public, ticket_about(survey.tag, wave))


async def asked(http, code, request):
    headers = BINARY if code is None else BINARY | {"Discreet-Invitation": code}
    return await http.post("/tickets", content=getattr(request, "blinded", request), headers=headers)


async def answered(http, ticket, body, once=None):
    more = {} if ticket is None else {"Discreet_Ticket": base64.b64encode(ticket).decode()}
    return await sent(http, body, once, **more)


async def ticket_for(http, survey, code):
    request = wanted(survey)
    return request.ticket((await asked(http, code, request)).content)


class TestStore:
    @pytest.fixture(params=["file", pytest.param("postgres", marks=pytest.mark.xdist_group("postgres"))])
    def store(self, request, survey, memory_path):
        opened = open_store(survey, memory_path if request.param == "file" else postgres())
        yield opened
        opened.close()

    def test_an_invitation_is_spent_on_one_request_and_the_same_one_is_granted_again(self, survey, store):
        first, second = (invitation_mark(code, survey.tag, None) for code in invite(survey, store, 2))
        assert store.grant([(first, b"a" * 32), (first, b"b" * 32), (first, b"a" * 32)]) == [True, False, True]
        assert store.grant([(first, b"a" * 32), (b"?" * 32, b"a" * 32)]) == [True, False]
        assert store.invited() == (2, 1)
        spent = Submission(b"\0\1", invitation=first)
        assert store.add("null", [spent, Submission(b"\0\1", invitation=second)]) == [
            Outcome.UNINVITED,
            Outcome.STORED,
        ]
        assert store.grant([(second, bytes(32)), (second, b"a" * 32)])[1] is False

    def test_an_invitation_that_was_used_without_a_ticket_gives_none(self, survey, store):
        (mark,) = (invitation_mark(code, survey.tag, None) for code in invite(survey, store, 1))
        assert store.add("null", [Submission(b"\0\1", invitation=mark)]) == [Outcome.STORED]
        assert store.grant([(mark, b"a" * 32)]) == [False]

    def test_a_ticket_is_used_once_and_a_retry_is_no_second_answer(self, survey, store):
        invite(survey, store, 1)
        first = Submission(b"\0\1", once=bytes(16), ticket=b"t" * 32)
        again = Submission(b"\1\1", once=b"\1" * 16, ticket=b"t" * 32)
        bare = Submission(b"\1\1", ticket=b"t" * 32)
        assert store.add("null", [first, first, again, bare]) == [
            Outcome.STORED,
            Outcome.AGAIN,
            Outcome.UNINVITED,
            Outcome.UNINVITED,
        ]
        assert store.add("null", [first, again]) == [Outcome.AGAIN, Outcome.UNINVITED]
        assert store.payloads("null").tolist() == [[0, 1]]
        assert store.invited() == (1, 0)

    def test_a_key_is_made_once_for_each_wave_and_kept(self, store):
        calendar = Calendar((Period("spring", None, NOON), Period("autumn", NOON)))
        made = ticket_keys(store, calendar)
        again = ticket_keys(store, calendar)
        assert made.keys() == {'"spring"', '"autumn"'}
        assert len({key.public for key in made.values()}) == 2
        assert {wave: key.public for wave, key in made.items()} == {wave: key.public for wave, key in again.items()}
        assert store.key('"spring"', lambda: pytest.fail("it was made before")) == made['"spring"'].to_bytes()

    def test_of_two_who_make_a_key_at_the_same_time_both_have_the_first(self, store):
        def slow():
            store.key("null", lambda: b"first")
            return b"second"

        assert store.key("null", slow) == b"first"


class TestFiles:
    def test_a_store_of_the_first_format_is_brought_to_this_one_with_all_that_it_holds(self, survey, memory_path):
        with closing(open_store(survey, memory_path)) as made:
            codes = invite(survey, made, 3)
            marks = [invitation_mark(code, survey.tag, None) for code in codes]
            made.add("null", [Submission(b"\0\1", once=bytes(16), invitation=marks[0])])
        (file,) = memory_path.glob("*.reports")
        with closing(sqlite3.connect(file)) as raw:
            for table in NEW:
                raw.execute(f"DROP TABLE {table}")
            raw.execute("PRAGMA user_version = 1")
            raw.commit()
        for _ in range(2):
            with closing(open_store(survey, memory_path)) as again:
                assert again.payloads("null").tolist() == [[0, 1]]
                assert again.invited()[0] == 3
                assert again.grant([(marks[0], b"a" * 32), (marks[1], b"a" * 32)]) == [False, True]
        with closing(sqlite3.connect(file)) as raw:
            assert raw.execute("PRAGMA user_version").fetchone() == (FORMAT,)

    def test_two_programs_may_bring_it_there_at_once(self, survey, memory_path, monkeypatch):
        """One has read the format when the other changes it: it must not take what it then finds for damage."""
        open_store(survey, memory_path).close()
        (file,) = memory_path.glob("*.reports")
        with closing(sqlite3.connect(file)) as raw:
            for table in NEW:
                raw.execute(f"DROP TABLE {table}")
            raw.execute("PRAGMA user_version = 1")
            raw.commit()
        other = threading.Thread(target=lambda: open_store(survey, memory_path).close())

        class Slow(sqlite3.Connection):
            def execute(self, sql, *values):
                found = super().execute(sql, *values)
                if sql == "PRAGMA user_version" and other.ident is None:
                    other.start()
                    other.join(0.3)
                return found

        connect = sqlite3.connect
        monkeypatch.setattr(sqlite3, "connect", lambda *args, **more: connect(*args, **{"factory": Slow} | more))
        open_store(survey, memory_path).close()
        other.join()
        open_store(survey, memory_path).close()

    @pytest.mark.xdist_group("postgres")
    def test_so_is_one_in_postgresql(self, survey):
        url = postgres()
        with closing(open_store(survey, url)) as made:
            (mark,) = (invitation_mark(code, survey.tag, None) for code in invite(survey, made, 1))

            def older(connection):
                for table in NEW:
                    connection.execute(f"DROP TABLE {table}")
                connection.execute("COMMENT ON TABLE about IS 'discreet reports, format 1'")

            made.run(older)
        for _ in range(2):
            with closing(open_store(survey, url)) as again:
                assert again.grant([(mark, b"a" * 32)]) == [True]

    def test_a_damaged_key_is_refused(self, survey, store):
        store.key("null", lambda: b"x" * 384)
        with pytest.raises(StoreError, match="damaged"):
            ticket_keys(store, Calendar())

    def test_what_was_spent_is_not_unspent_by_another_program(self, survey, store, memory_path):
        invite(survey, store, 1)
        store.add("null", [Submission(b"\0\1", ticket=b"t" * 32)])
        store.key("null", lambda: b"x" * 384)
        (file,) = memory_path.glob("*.reports")
        with closing(sqlite3.connect(file)) as raw:
            for change in (
                *(f"DELETE FROM {table}" for table in NEW),
                "UPDATE tickets SET mark = x'00'",
                "UPDATE requests SET mark = x'00'",
                "UPDATE keys SET primes = x'00'",
            ):
                with pytest.raises(sqlite3.IntegrityError, match="only grows"):
                    raw.execute(change)

    def test_the_file_does_not_say_in_which_order_invitations_were_spent(self, survey, memory_path):
        """All orders of four give the same bytes but for SQLite's counter of changes: rows are overwritten in place."""
        found = set()
        with closing(open_store(survey, memory_path / "a")) as made:
            marks = sorted(invitation_mark(code, survey.tag, None) for code in invite(survey, made, 4))
        (before,) = (memory_path / "a").glob("*.reports")
        for number, order in enumerate(itertools.permutations(marks)):
            folder = memory_path / str(number)
            folder.mkdir()
            file = folder / before.name
            file.write_bytes(before.read_bytes())
            with closing(open_store(survey, folder)) as opened:
                for mark in order:
                    opened.grant([(mark, mark[::-1])])
            found.add(file.read_bytes())
        assert len(found) == 1


def test_the_file_and_the_command_may_not_want_different_invitations(tmp_path):
    for name, text in (("a.toml", 'invitations = "blind"'), ("a.json", '{"invitations": "blind"}')):
        file = tmp_path / name
        file.write_text(text)
        assert invitations_in(file) == invitations_in(file, "blind") == "blind"
        with pytest.raises(ParameterError, match="blind, as the survey's file says"):
            invitations_in(file, "codes")
    file.write_text("{}")
    assert (invitations_in(file), invitations_in(file, "blind")) == ("codes", "blind")
    file.write_text('{"invitations": "blnd"}')
    with pytest.raises(ParameterError, match="blind"):
        invitations_in(file)


@needs_fork
def test_a_process_that_is_killed_while_it_spends_and_stores_leaves_all_that_it_acknowledged(survey, memory_path):
    """Each invitation that was granted is spent on that request, and each ticket that was taken has its response."""
    with closing(open_store(survey, memory_path)) as store:
        marks = [invitation_mark(code, survey.tag, None) for code in invite(survey, store, 400)]
    told = 0
    for _ in range(cases(3, 20)):
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            with closing(open_store(survey, memory_path)) as store:
                for mark in marks[told:]:
                    good = store.grant([(mark, mark[::-1])]) == [True]
                    good &= store.add("null", [Submission(b"\0\1", ticket=mark[:16])]) != [Outcome.UNINVITED]
                    os.write(writing, b"+" if good else b"-")
            os._exit(1)
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            first = pipe.read(1)
            time.sleep(random.uniform(0, 0.02))
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            seen = first + pipe.read()
        assert b"-" not in seen[1:]  # The first may have been stored before the last kill.
        told += len(seen)
        with closing(open_store(survey, memory_path)) as store:
            assert store.grant([(mark, mark[::-1]) for mark in marks[:told]]) == [True] * told
            assert store.grant([(mark, mark) for mark in marks[:told]]) == [False] * told
            again = [Submission(b"\1\1", ticket=mark[:16]) for mark in marks[:told]]
            assert set(store.add("null", again)) <= {Outcome.UNINVITED}
            assert told <= len(store.payloads("null")) <= told + 1
    assert told


class TestOverHttp:
    def test_a_person_answers_once_and_a_retry_counts_once(self, survey, store, memory_path):
        code, last = invite(survey, store, 2)

        async def play():
            async with collecting(survey, memory_path, store=store, keys=KEYS) as http:
                request, body = wanted(survey), given(survey, 0, 1)
                answers = [await asked(http, code, request) for _ in range(3)]
                assert {(each.status_code, each.content) for each in answers} == {(200, answers[0].content)}
                ticket = request.ticket(answers[0].content)
                codes = [(await answered(http, ticket, body, ONCE)).status_code for _ in range(3)]
                assert codes == [200, 200, 200]
                again = await answered(http, ticket, body)
                other = await answered(http, ticket, body, "f" * 32)
                second = await asked(http, code, wanted(survey))
                assert {(each.status_code, each.text) for each in (again, other, second)} == {(403, UNINVITED)}
                assert (await http.get("/results.json", headers=TOKEN)).json()["reports"] == 1
                assert (await answered(http, await ticket_for(http, survey, last), body)).status_code == 200
                assert (await http.get("/results.json", headers=TOKEN)).json()["reports"] == 2

        played(play())

    def test_whoever_has_no_ticket_is_refused_in_the_same_words_whatever_they_send(self, survey, store, memory_path):
        code, other = invite(survey, store, 2)

        async def play():
            async with collecting(survey, memory_path, store=store, keys=KEYS) as http:
                body = given(survey, 0, 1)
                ticket = await ticket_for(http, survey, code)
                foreign = wanted(survey, AUTUMN)
                elsewhere = TicketRequest(SPRING.public, ticket_about(b"\1" * 16, None))
                bad = [
                    await sent(http, body),
                    await sent(http, body, Discreet_Invitation=other),
                    await answered(http, foreign.ticket(AUTUMN.sign(foreign.blinded)), body),
                    await answered(http, elsewhere.ticket(SPRING.sign(elsewhere.blinded)), body),
                    await answered(http, ticket[:-1], body),
                    await answered(http, ticket[:-1] + bytes([ticket[-1] ^ 1]), body),
                    await answered(http, b"", body),
                ]
                for text in ("x", "é", "=" * 900, "A" * 5000, " " + base64.b64encode(ticket).decode() + "!"):
                    bad.append(await sent(http, body, Discreet_Ticket=text.encode("latin-1")))
                assert {(each.status_code, each.text) for each in bad} == {(403, UNINVITED)}
                assert (await answered(http, ticket, 2 * body)).status_code == 400
                assert (await answered(http, ticket, body[:-1])).status_code == 400
                assert (await answered(http, ticket, body)).status_code == 200

        played(play())

    def test_without_invitations_a_ticket_is_needed_all_the_same(self, survey, memory_path):
        async def play():
            async with collecting(survey, memory_path, keys=KEYS) as http:
                assert (await sent(http, given(survey, 0, 1))).status_code == 403

        played(play())

    def test_junk_is_refused_and_spends_nothing(self, survey, store, memory_path):
        (code,) = invite(survey, store, 1)
        n, width = SPRING.public.modulus, SPRING.public.width

        async def play():
            async with collecting(survey, memory_path, store=store, keys=KEYS) as http:
                for bad in (b"", b"x", bytes(width - 1), n.to_bytes(width), b"\xff" * width):
                    answer = await asked(http, code, bad)
                    assert answer.status_code == 400
                    assert answer.text == "This is no request for a ticket. Load the page again.\n"
                assert (await asked(http, code, bytes(width + 1))).status_code == 413
                for bad in (None, "", "please", "0" * 20, code[:-1], code + "0", "é".encode("latin-1")):
                    answer = await asked(http, bad, wanted(survey))
                    assert (answer.status_code, answer.text) == (403, UNINVITED)
                for kind in ("text/plain", "application/json", ""):
                    headers = {"content-type": kind, "Discreet-Invitation": code}
                    answer = await http.post("/tickets", content=wanted(survey).blinded, headers=headers)
                    assert answer.status_code == 415
                assert (await http.get("/tickets")).status_code == 405
                assert store.invited() == (1, 0)
                assert await ticket_for(http, survey, code)
                assert store.invited() == (1, 1)

        played(play())

    def test_many_at_once_with_one_code_are_signed_once(self, survey, store, memory_path):
        (code,) = invite(survey, store, 1)

        async def play():
            async with collecting(survey, memory_path, store=store, keys=KEYS) as http:
                requests = [wanted(survey) for _ in range(12)]
                answers = await asyncio.gather(*(asked(http, code, each) for each in requests * 2))
                good = {each.content for each in answers if each.status_code == 200}
                assert len(good) == 1
                assert sorted(each.status_code for each in answers) == [200] * 2 + [403] * 22

        played(play())

    def test_nothing_is_signed_unless_the_invitation_is_spent_durably(self, survey, store, memory_path, monkeypatch):
        (code,) = invite(survey, store, 1)
        grant, failing, signed = store.grant, [True], []

        def fail(group):
            done = grant(group)
            if failing[0]:
                raise StoreError("nobody knows whether that was written")
            return done

        store.grant = fail
        monkeypatch.setattr(
            SigningKey, "sign", lambda self, blinded, sign=SigningKey.sign: signed.append(1) or sign(self, blinded)
        )

        async def play():
            async with collecting(survey, memory_path, store=store, keys=KEYS) as http:
                request = wanted(survey)
                answer = await asked(http, code, request)
                assert (answer.status_code, signed) == (503, [])
                assert "nobody knows" not in answer.text
                failing[0] = False
                assert request.ticket((await asked(http, code, request)).content)
                assert (await asked(http, code, wanted(survey))).status_code == 403

        played(play())

    def test_a_key_that_miscalculates_gives_503_and_the_next_try_works(self, survey, store, memory_path, monkeypatch):
        (code,) = invite(survey, store, 1)
        wrong = SigningKey.from_bytes(SPRING.to_bytes())
        right, wrong._coefficient = wrong._coefficient, 1

        async def play():
            async with collecting(survey, memory_path, store=store, keys={"null": wrong}) as http:
                request = wanted(survey)
                assert (await asked(http, code, request)).status_code == 503
                wrong._coefficient = right
                assert request.ticket((await asked(http, code, request)).content)

        played(play())

    def test_too_many_who_wait_are_told_to_come_again(self, survey, store, memory_path, monkeypatch):
        (code,) = invite(survey, store, 1)
        monkeypatch.setattr("discreet.serve.exchange._MOST_WAITING", 0)

        async def play():
            async with collecting(survey, memory_path, store=store, keys=KEYS) as http:
                assert (await asked(http, code, wanted(survey))).status_code == 503

        played(play())

    def test_whoever_has_been_answered_waits_no_more(self, survey, store, memory_path, monkeypatch):
        codes = invite(survey, store, 3)
        monkeypatch.setattr("discreet.serve.exchange._MOST_WAITING", 1)

        async def play():
            async with collecting(survey, memory_path, store=store, keys=KEYS) as http:
                assert [(await asked(http, code, wanted(survey))).status_code for code in codes] == [200] * 3
                assert (await asked(http, codes[0], wanted(survey))).status_code == 403
                assert await ticket_for(http, survey, invite(survey, store, 1)[0])

        played(play())

    def test_all_who_share_a_write_that_fails_are_told(self, survey, store, memory_path):
        codes = invite(survey, store, 6)

        def full(_):
            time.sleep(0.05)  # The others come meanwhile.
            raise StoreError("does not fit on the disk")

        store.grant = full

        async def play():
            async with collecting(survey, memory_path, store=store, keys=KEYS) as http, asyncio.timeout(20):
                answers = await asyncio.gather(*(asked(http, code, wanted(survey)) for code in codes))
                assert [each.status_code for each in answers] == [503] * 6
                assert store.invited() == (6, 0)

        played(play())

    def test_pages_of_another_site_may_send_tickets_and_all_is_counted_by_path(self, survey, store, memory_path):
        site = "https://school.example.org"
        wish = {"origin": site, "access-control-request-method": "POST"}

        async def play():
            async with collecting(survey, memory_path, store=store, keys=KEYS, origins=(site,)) as http:
                for path, header in (("/tickets", "discreet-invitation"), ("/reports", "discreet-ticket")):
                    more = {"access-control-request-headers": f"content-type,{header}"}
                    assert (await http.options(path, headers=wish | more)).status_code == 200
                await http.get("/key")
                await asked(http, None, wanted(survey))
                return (await http.get("/metrics", headers=TOKEN)).text

        told = played(play())
        assert 'path="/key",status="200"} 1\n' in told
        assert 'path="/tickets",status="403"} 1\n' in told
        assert "other" not in told

    def test_tickets_are_counted_among_what_one_address_may_ask(self, survey, store, memory_path):
        async def play():
            async with collecting(survey, memory_path, store=store, keys=KEYS, rate=2) as http:
                codes = [(await asked(http, "0" * 20, wanted(survey))).status_code for _ in range(4)]
                assert codes == [403, 403, 429, 429]

        played(play())

    def test_single_reports_do_not_wait_for_signatures(self, survey, store, memory_path, monkeypatch):
        """While a signature takes its time, others are answered."""
        codes = invite(survey, store, 2)
        free, sign = threading.Event(), SigningKey.sign
        monkeypatch.setattr(SigningKey, "sign", lambda self, blinded: free.wait(30) and sign(self, blinded))

        async def play():
            async with collecting(survey, memory_path, store=store, keys=KEYS) as http:
                made = wanted(survey)
                ticket = made.ticket(sign(SPRING, made.blinded))
                waiting = [asyncio.create_task(asked(http, code, wanted(survey))) for code in codes]
                answer = await answered(http, ticket, given(survey, 0, 1))
                assert (answer.status_code, [each.done() for each in waiting]) == (200, [False, False])
                free.set()
                assert [(await each).status_code for each in waiting] == [200, 200]

        played(play())

    def test_where_invitations_are_codes_there_are_no_tickets(self, survey, store, memory_path):
        (code,) = invite(survey, store, 1)

        async def play():
            async with collecting(survey, memory_path, store=store) as http:
                assert (await asked(http, code, wanted(survey))).status_code == 404
                assert (await http.get("/key")).status_code == 404
                made = wanted(survey)
                ticket = made.ticket(SPRING.sign(made.blinded))
                assert (await answered(http, ticket, given(survey, 0, 1))).status_code == 403

        played(play())

    def test_the_key_is_told(self, survey, memory_path):
        async def play():
            async with collecting(survey, memory_path, keys=KEYS) as http:
                return (await http.get("/key")).json()

        told = played(play())
        assert TicketKey.from_hex(told["key"]) == SPRING.public
        assert told == {"wave": None, "key": told["key"], "fingerprint": SPRING.public.fingerprint}

    def test_nothing_that_is_kept_joins_an_invitation_with_a_ticket(self, survey, store, memory_path):
        """Neither what was sent nor the ticket is in the file, and no table has columns of both."""
        (code,) = invite(survey, store, 1)
        seen = []

        async def play():
            async with collecting(survey, memory_path, store=store, keys=KEYS) as http:
                request = wanted(survey)
                ticket = request.ticket((await asked(http, code, request)).content)
                await answered(http, ticket, given(survey, 0, 1), ONCE)
                seen.extend([code.encode(), request.blinded, ticket, ticket[:32], ticket[32:], bytes.fromhex(ONCE)])

        played(play())
        (file,) = memory_path.glob("*.reports")
        assert not any(each in file.read_bytes() for each in seen)
        with closing(sqlite3.connect(file)) as raw:
            tables = {name for (name,) in raw.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            columns = {name: [row[1] for row in raw.execute(f"PRAGMA table_info({name})")] for name in tables}
        assert columns["tickets"] == ["mark"]
        assert columns["requests"] == ["mark", "digest"]


class TestWaves:
    calendar = Calendar(
        (
            Period("spring", NOON, NOON + timedelta(hours=1)),
            Period("autumn", NOON + timedelta(hours=2), NOON + timedelta(hours=3)),
        )
    )

    def test_a_ticket_is_for_one_wave(self, survey, store, memory_path):
        spring, early = invite(survey, store, 2, wave="spring")
        (autumn,) = invite(survey, store, 1, wave="autumn")
        moment = [NOON]
        keys = {'"spring"': SPRING, '"autumn"': AUTUMN}
        pages = {'"spring"': "<p>spring", '"autumn"': "<p>autumn"}

        async def play():
            more = {"calendar": self.calendar, "now": lambda: moment[0], "keys": keys, "page": pages}
            async with collecting(survey, memory_path, store=store, **more) as http:
                body = given(survey, 0, 1)
                request, cunning = wanted(survey, SPRING, "spring"), wanted(survey, SPRING, "autumn")
                ticket = request.ticket((await asked(http, spring, request)).content)
                kept = cunning.ticket((await asked(http, early, cunning)).content)
                assert (await asked(http, autumn, wanted(survey, SPRING, "spring"))).status_code == 403
                assert (await http.get("/")).text == "<p>spring"
                assert (await http.get("/key")).json()["wave"] == "spring"
                moment[0] = NOON + timedelta(minutes=90)
                assert (await asked(http, autumn, wanted(survey, AUTUMN, "autumn"))).status_code == 403
                moment[0] = NOON + timedelta(minutes=150)
                assert (await http.get("/")).text == "<p>autumn"
                for old in (ticket, kept):
                    assert (await answered(http, old, body)).status_code == 403
                last = wanted(survey, AUTUMN, "autumn")
                assert (await asked(http, spring, last)).status_code == 403
                good = last.ticket((await asked(http, autumn, last)).content)
                assert (await answered(http, good, body)).status_code == 200
                moment[0] = NOON + timedelta(hours=4)
                assert (await asked(http, autumn, last)).status_code == 410

        played(play())

    def test_what_was_stored_in_spring_is_answered_as_stored_when_it_is_sent_again_in_autumn(
        self, survey, store, memory_path
    ):
        (code,) = invite(survey, store, 1, wave="spring")
        moment = [NOON]
        keys = {'"spring"': SPRING, '"autumn"': AUTUMN}

        async def play():
            more = {"calendar": self.calendar, "now": lambda: moment[0], "keys": keys}
            async with collecting(survey, memory_path, store=store, **more) as http:
                request, body = wanted(survey, SPRING, "spring"), given(survey, 0, 1)
                ticket = request.ticket((await asked(http, code, request)).content)
                assert (await answered(http, ticket, body, ONCE)).status_code == 200
                for minutes in (90, 150):
                    moment[0] = NOON + timedelta(minutes=minutes)
                    again = await answered(http, ticket, body, ONCE)
                    assert (again.status_code, again.json()) == (200, {"stored": 1})
                for once in (None, "f" * 32):
                    other = await answered(http, ticket, body, once)
                    assert (other.status_code, other.text) == (403, UNINVITED)
                assert (await answered(http, ticket, b"junk", ONCE)).status_code == 400
                assert store.waves() == ['"spring"']
                assert len(store.payloads('"spring"')) == 1

        played(play())
