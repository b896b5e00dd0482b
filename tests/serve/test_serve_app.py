"""The collector over HTTP: what it takes, what it refuses and in which words, and what it shows to whom."""

import asyncio
import itertools
import json
import re
from datetime import UTC, datetime, timedelta

import pytest
from serve_desk import TOKEN, collecting, given, played, responses, sent, small_survey

from discreet.errors import ParameterError, StoreError
from discreet.serve import Calendar, Period, invite, open_store
from discreet.serve.limits import Limiter
from discreet.survey import Asking, Response, Survey, Wording

KEY = "0123456789abcdef0123456789abcdef"
NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


@pytest.fixture
def survey():
    return small_survey()


async def count(http):
    found = (await http.get("/results.json", headers=TOKEN)).json()
    return found["reports"] or 0


class TestReports:
    def test_one_many_and_json_are_stored_and_estimated(self, survey, memory_path):
        async def play():
            async with collecting(survey, memory_path) as http:
                bodies = responses(survey, 1002)
                one = await sent(http, bodies[0])
                many = await sent(http, b"".join(bodies[1:1000]))
                said = Response.from_bytes(bodies[1000], [1, 1]).to_json()
                as_json = {"content-type": "application/json; charset=utf-8"}
                single = await http.post("/reports", content=said, headers=as_json)
                listed = await http.post("/reports", content=f"[{said},{said}]", headers=as_json)
                assert [each.json() for each in (one, many, single, listed)] == [{"stored": n} for n in (1, 999, 1, 2)]
                found = (await http.get("/results.json", headers=TOKEN)).json()
                assert found["reports"] == 1003
                assert found["questions"]["age"]["reports"] == 1003
                shares = {(row["question"], row["choice"]): row["share"] for row in found["estimates"]}
                assert shares["smokes", "no"] > 0.8
                page = await http.get("/results", headers=TOKEN)
                assert "<h1>A survey of 2 questions</h1>" in page.text

        played(play())

    @pytest.mark.parametrize(
        "body",
        [
            b"",
            b"x",
            b"{}",
            b"\xd6\x02" + bytes(18),
            given(small_survey(epsilon=1), 0, 0),
            given(small_survey(), 0, 0)[:-1],
            given(small_survey(), 0, 0) + b"\0",
            given(small_survey(), 0, 0) * 2 + b"\0",
            given(small_survey(), 2, 0),
            given(small_survey(), 0, 3),
            b"\xd5" + given(small_survey(), 0, 0)[1:],
            b"\xd6\x01" + given(small_survey(), 0, 0)[2:],
            given(small_survey(), 0, 0) + given(small_survey(), 0, 255) + given(small_survey(), 0, 0),
            given(small_survey(), 0, 0) + given(small_survey(epsilon=1), 0, 0),
        ],
        ids=range(14),
    )
    def test_what_is_for_no_form_of_this_survey_is_refused_in_the_same_words_and_nothing_of_it_kept(
        self, survey, memory_path, body
    ):
        async def play():
            async with collecting(survey, memory_path) as http:
                answer = await sent(http, body, KEY)
                assert answer.status_code == 400
                assert (
                    answer.text == "This is no response to this survey. Load the form again, and send what it gives.\n"
                )
                assert (await sent(http, given(survey, 0, 0), KEY)).status_code == 200  # The key is not used up.
                assert await count(http) == 1

        played(play())

    @pytest.mark.parametrize(
        "text",
        ["", "[]", "null", "1", '"x"', "{}", "[[]]", "[" * 5000, '{"discreet":2,"discreet":2}', "\ufeff{}", "NaN"],
    )
    def test_json_that_is_no_response_is_refused(self, survey, memory_path, text):
        async def play():
            async with collecting(survey, memory_path) as http:
                headers = {"content-type": "application/json"}
                assert (await http.post("/reports", content=text.encode(), headers=headers)).status_code == 400
                assert (await http.post("/reports", content=b"\xff\xfe", headers=headers)).status_code == 400

        played(play())

    def test_what_is_too_large_is_refused_whether_it_says_so_or_not(self, survey, memory_path):
        async def parts(n):
            for _ in range(n):
                yield bytes(1000)

        async def play():
            async with collecting(survey, memory_path, most_bytes=10_000) as http:
                assert (await sent(http, bytes(10_001))).status_code == 413
                assert (await sent(http, parts(11))).status_code == 413
                assert (await sent(http, parts(10))).status_code == 400
                assert (await sent(http, given(survey, 0, 0) * 500)).status_code == 200

        played(play())

    def test_another_kind_of_body_is_refused(self, survey, memory_path):
        async def play():
            async with collecting(survey, memory_path) as http:
                for kind in ("text/plain", "multipart/form-data", "", "application/octet"):
                    headers = {"content-type": kind}
                    answer = await http.post("/reports", content=given(survey, 0, 0), headers=headers)
                    assert answer.status_code == 415
                assert (await http.get("/reports")).status_code == 405
                assert (await http.put("/reports")).status_code == 405

        played(play())

    def test_a_retry_with_the_same_key_counts_once_and_is_told_the_same(self, survey, memory_path):
        async def play():
            async with collecting(survey, memory_path) as http:
                body = given(survey, 0, 0)
                answers = await asyncio.gather(*(sent(http, body, KEY) for _ in range(5)))
                answers.append(await sent(http, body, KEY.upper()))
                assert {each.text for each in answers} == {'{"stored":1}'}
                assert await count(http) == 1
                await asyncio.gather(*(sent(http, body) for _ in range(5)), sent(http, body, "f" * 32))
                assert await count(http) == 7
                for bad in ("", "0", KEY + "0", "g" * 32, KEY[:-1] + "é"):
                    assert (await sent(http, body, bad.encode("latin-1"))).status_code == 400

        played(play())

    def test_a_store_that_fails_stores_and_acknowledges_nothing_and_recovers(self, survey, memory_path):
        store = open_store(survey, memory_path)
        add, failing = store.add, [True]

        def fail(wave, group):
            if failing[0]:
                store.refuse("does not fit on the disk: make room")
            return add(wave, group)

        store.add = fail

        async def play():
            async with collecting(survey, memory_path, store=store) as http:
                answers = await asyncio.gather(*(sent(http, given(survey, 0, 0)) for _ in range(5)))
                assert {each.status_code for each in answers} == {503}
                assert str(memory_path) not in "".join(each.text for each in answers)
                failing[0] = False
                assert (await sent(http, given(survey, 0, 0))).status_code == 200
                assert await count(http) == 1

        played(play())

    def test_a_commit_that_failed_but_is_there_is_counted_once(self, survey, memory_path):
        store = open_store(survey, memory_path)
        add, failing = store.add, [True]

        def fail(wave, group):
            done = add(wave, group)
            if failing[0]:
                raise StoreError("nobody knows")
            return done

        store.add = fail

        async def play():
            async with collecting(survey, memory_path, store=store) as http:
                assert (await sent(http, given(survey, 0, 0), KEY)).status_code == 503
                failing[0] = False
                assert (await sent(http, given(survey, 0, 0), KEY)).status_code == 200
                assert await count(http) == 1

        played(play())

    def test_a_response_that_is_refused_holds_up_none_of_those_who_wait_with_it(self, survey, memory_path):
        async def play():
            async with collecting(survey, memory_path) as http:
                bodies = [given(survey, 0, 0), given(survey, 2, 0), 3 * given(survey, 1, 2), given(survey, 0, 3)] * 10
                codes = [each.status_code for each in await asyncio.gather(*(sent(http, body) for body in bodies))]
                assert codes == [200, 400, 200, 400] * 10
                assert await count(http) == 40

        played(play())

    def test_many_who_wait_share_a_transaction(self, survey, memory_path):
        async def play():
            async with collecting(survey, memory_path) as http:
                await asyncio.gather(*(sent(http, given(survey, 0, 0)) for _ in range(200)))
                metrics = (await http.get("/metrics", headers=TOKEN)).text
                found = dict(line.rsplit(" ", 1) for line in metrics.splitlines() if line[0] != "#")
                assert found["discreet_stored_total"] == "200"
                assert int(found["discreet_commits_total"]) < 50
                assert await count(http) == 200

        played(play())

    def test_all_that_waits_is_stored_when_the_server_stops(self, survey, memory_path):
        async def play():
            async with collecting(survey, memory_path) as http:
                waiting = [asyncio.create_task(sent(http, given(survey, 0, 0))) for _ in range(50)]
                while len([each for each in waiting if each.done()]) == 0:
                    await asyncio.sleep(0)
            return [(await each).status_code for each in waiting if not each.cancelled()]

        codes = played(play())
        store = open_store(survey, memory_path)
        assert len(store.payloads("null")) >= codes.count(200) > 0
        store.close()


class TestInvitations:
    def test_one_answer_a_person(self, survey, memory_path):
        store = open_store(survey, memory_path)
        codes = invite(survey, store, 2)

        async def play():
            async with collecting(survey, memory_path, store=store) as http:
                body = given(survey, 0, 0)

                async def status(body, code, key=None):
                    more = {} if code is None else {"Discreet_Invitation": code}
                    return (await sent(http, body, key, **more)).status_code

                assert await status(body, None) == 403
                assert await status(body, "please") == 403
                assert await status(body, codes[0], KEY) == 200
                assert await status(body, codes[0], KEY) == 200  # Again, after a lost reply.
                assert await status(body, codes[0]) == 403
                assert await status(2 * body, codes[1]) == 400
                assert await status(2 * body, None) == 403
                assert await status(body, codes[1].upper().replace("-", " ")) == 200
                assert await count(http) == 2

        played(play())


class TestWords:
    wording = Wording(
        title="Habits",
        language="de",
        questions={
            "smokes": Asking(
                {"en": "Do you smoke?", "de": "Rauchen Sie?"}, {"en": ["No", "Yes"], "de": ["Nein", "Doch"]}
            )
        },
    )

    def page(self, survey, place, n):
        async def play():
            async with collecting(survey, place, wording=self.wording) as http:
                await sent(http, n * given(survey, 1, 0))
                return (await http.get("/results", headers=TOKEN)).text

        return played(play())

    def test_results_have_the_texts_that_people_read_in_the_first_language(self, survey, memory_path):
        page = self.page(survey, memory_path, 400)
        assert "<h1>Habits</h1>" in page
        for text in ("Rauchen Sie?", "Doch", "smokes: 400 reports", "young"):
            assert text in page
        assert "Do you smoke?" not in page
        assert re.search(r"The largest is (<[^>]*>)?\W?Doch", page)

    def test_so_few_reports_that_all_is_possible_show_no_figures(self, survey, memory_path):
        page = self.page(survey, memory_path, 1)
        assert page.count("With so few reports every share from 0 to 100 % is possible") == 2
        assert "<table" not in page


class TestWaves:
    calendar = Calendar(
        (
            Period("spring", NOON, NOON + timedelta(hours=1)),
            Period("autumn", NOON + timedelta(hours=2), NOON + timedelta(hours=3)),
        ),
        "same",
    )

    def test_responses_are_taken_while_a_wave_is_open_and_results_are_of_each(self, survey, memory_path):
        moment = [NOON]

        async def play():
            more = {"calendar": self.calendar, "now": lambda: moment[0]}
            async with collecting(survey, memory_path, **more) as http:
                seen = []
                for minutes in (-1, 0, 59, 60, 119, 120, 179, 180):
                    moment[0] = NOON + timedelta(minutes=minutes)
                    answer = await sent(http, 10 * given(survey, 0, 0))
                    seen.append(answer.status_code)
                assert seen == [403, 200, 200, 403, 403, 200, 200, 410]
                numbers = {}
                for wave in ("", "?wave=spring", "?wave=autumn", "?wave=all"):
                    numbers[wave] = (await http.get(f"/results.json{wave}", headers=TOKEN)).json()["reports"]
                assert numbers == {"": 20, "?wave=spring": 20, "?wave=autumn": 20, "?wave=all": 40}
                assert (await http.get("/results?wave=all", headers=TOKEN)).status_code == 200
                assert (await http.get("/results?wave=winter", headers=TOKEN)).status_code == 404

        played(play())

    def test_what_was_stored_in_time_is_answered_as_stored_when_it_is_sent_again_after_the_end(
        self, survey, memory_path
    ):
        moment = [NOON]

        async def play():
            more = {"calendar": self.calendar, "now": lambda: moment[0]}
            async with collecting(survey, memory_path, **more) as http:
                body = 2 * given(survey, 0, 0)
                assert (await sent(http, body, KEY)).json() == {"stored": 2}
                for minutes, closed in ((61, 403), (181, 410)):
                    moment[0] = NOON + timedelta(minutes=minutes)
                    again = await sent(http, body, KEY)
                    assert (again.status_code, again.json()) == (200, {"stored": 2})
                    for key in (None, "", "1", KEY[::-1], KEY[:-1] + "0"):
                        assert (await sent(http, body, key)).status_code == closed
                assert (await sent(http, b"\0", KEY)).status_code == 400
                assert (await http.get("/results.json?wave=all", headers=TOKEN)).json()["reports"] == 2

        played(play())

    def test_whoever_tries_keys_after_the_end_is_limited(self, survey, memory_path):
        async def play():
            more = {"calendar": self.calendar, "now": lambda: NOON + timedelta(minutes=181), "rate": 2}
            async with collecting(survey, memory_path, **more) as http:
                body = given(survey, 0, 0)
                return [(await sent(http, body, f"{i:032x}")).status_code for i in range(4)]

        assert played(play()) == [410, 410, 429, 429]

    def test_waves_are_read_from_the_survey(self, tmp_path):
        text = """
            epsilon = 1
            people = "different"
            [[questions]]
            name = "smokes"
            choices = ["no", "yes"]
            [[waves]]
            name = "spring"
            start = 2026-05-01T08:00:00+02:00
            end = 2026-05-14T20:00:00+02:00
            [[waves]]
            name = "autumn"
            start = 2026-10-01T08:00:00+02:00
        """
        path = tmp_path / "survey.toml"
        path.write_text(text)
        found = Calendar.load(path)
        assert [each.wave for each in found.periods] == ["spring", "autumn"]
        assert found.people == "different"
        assert found.open_at(datetime(2026, 5, 1, 6, tzinfo=UTC)).wave == "spring"
        assert found.open_at(datetime(2026, 5, 1, 5, 59, tzinfo=UTC)) is None
        assert not found.is_over(datetime(2036, 5, 1, tzinfo=UTC))
        assert Survey.load(path).names == ["smokes"]

    @pytest.mark.parametrize(
        "waves",
        [
            [],
            [{"name": "a"}, {"name": "b"}],
            [{"name": "a"}, {"name": "a", "start": "2026-05-01T08:00Z"}],
            [{"start": "2026-05-01T08:00Z"}],
            [{"name": "a", "end": "2026-05-01T08:00"}],
            [{"name": "a", "end": "tomorrow"}],
            [{"name": "a", "start": "2026-05-02T08:00Z", "end": "2026-05-01T08:00Z"}],
            [{"name": "a", "end": "2026-05-02T08:00Z"}, {"name": "b", "start": "2026-05-01T08:00Z"}],
            [{"name": "a", "stop": "2026-05-02T08:00Z"}],
            [{"name": "all"}],
            "spring",
        ],
        ids=range(11),
    )
    def test_waves_that_cannot_be_are_refused(self, waves):
        with pytest.raises((ParameterError, TypeError)):
            Calendar.from_dict({"waves": waves})


class TestResults:
    def test_only_who_has_the_token_sees_them(self, survey, memory_path):
        async def play():
            async with collecting(survey, memory_path) as http:
                for path in ("/results", "/results.json", "/metrics"):
                    assert (await http.get(path)).status_code == 401
                    for wrong in ("Bearer", "Bearer x", "Basic", "Basic !", "Basic c2VjcmV0", "Digest secret", "é"):
                        headers = {"authorization": wrong.encode("latin-1")}
                        assert (await http.get(path, headers=headers)).status_code == 401
                    assert (await http.get(path, headers=TOKEN)).status_code == 200
                    assert (await http.get(path, auth=("anybody", "secret"))).status_code == 200

        played(play())

    def test_in_public_they_move_by_steps_and_for_the_owner_by_one(self, survey, memory_path):
        async def play():
            async with collecting(survey, memory_path, public=True, step=10) as http:
                shown, own = [], []
                for _ in range(35):
                    await sent(http, given(survey, 0, 0))
                    shown.append((await http.get("/results.json")).json()["reports"])
                    own.append((await http.get("/results.json?now", headers=TOKEN)).json()["reports"])
                assert shown == [None] * 9 + [10] * 10 + [20] * 10 + [30] * 6
                assert own == list(range(1, 36))
                assert (await http.get("/results.json?now")).status_code == 401
                assert (await http.get("/metrics")).status_code == 401

        played(play())

    def test_in_public_no_two_views_of_a_wave_differ_by_less_than_a_step(self, survey, memory_path):
        """A wave by itself, and the same among all waves, asked for at whichever moments."""
        calendar = Calendar(
            (Period("spring", None, NOON + timedelta(hours=1)), Period("autumn", NOON + timedelta(1))), "same"
        )

        async def play():
            more = {"calendar": calendar, "now": lambda: NOON, "public": True, "step": 10}
            async with collecting(survey, memory_path, **more) as http:
                seen = set()
                for turn in range(60):
                    await sent(http, given(survey, 0, 0))
                    view = ("spring", "all")[turn * 7 % 11 > 5]
                    seen.add((await http.get(f"/results.json?wave={view}")).json()["reports"])
                numbers = sorted(seen - {None})
                assert len(numbers) > 3
                assert all(after - before >= 10 for before, after in itertools.pairwise(numbers))

        played(play())

    def test_they_are_made_once_for_the_same_reports(self, survey, memory_path, monkeypatch):
        from discreet.serve import results

        made, make = [], results.Results._make
        monkeypatch.setattr(
            results.Results, "_make", lambda self, name, boxes: made.append(name) or make(self, name, boxes)
        )

        async def play():
            async with collecting(survey, memory_path) as http:
                for _ in range(2):
                    await sent(http, given(survey, 0, 0))
                    await asyncio.gather(*(http.get("/results", headers=TOKEN) for _ in range(5)))
                assert len(made) == 2

        played(play())

    def test_reports_that_no_answers_explain_are_said_to_be_implausible(self, survey, memory_path):
        async def play():
            async with collecting(survey, memory_path) as http:
                await sent(http, 2000 * given(survey, 1, 1))
                found = (await http.get("/results.json", headers=TOKEN)).json()
                assert found["questions"]["smokes"]["misfit"]["implausible"]
                assert "implausible under this mechanism" in (await http.get("/results", headers=TOKEN)).text

        played(play())


class TestAround:
    def test_the_form_is_the_survey(self, survey, memory_path):
        async def play():
            async with collecting(survey, memory_path) as http:
                return (await http.get("/form")).text

        assert played(play()) == survey.to_json()
        assert json.loads(played(play()))["survey"] == survey.digest.hex()

    def test_no_answer_leads_to_the_host_that_was_named(self, survey, memory_path):
        async def play():
            async with collecting(survey, memory_path) as http:
                for path in ("/reports/", "/results/", "/form/"):
                    answer = await http.get(path, headers={"Host": "evil.example.org"})
                    assert (answer.status_code, answer.text) == (404, "There is nothing here.\n")
                    assert "evil" not in str(answer.headers)

        played(play())

    def test_every_answer_has_the_headers_that_protect_a_reader(self, survey, memory_path):
        async def play():
            page = "<html><style>a{}</style><script>1</script></html>"
            async with collecting(survey, memory_path, page=page) as http:
                for path in ("/", "/form", "/results", "/nothing", "/reports", "/health"):
                    answer = await http.get(path)
                    assert answer.headers["x-content-type-options"] == "nosniff"
                    assert answer.headers["referrer-policy"] == "no-referrer"
                    assert answer.headers["cache-control"] == "no-store"
                    assert "default-src 'none'" in answer.headers["content-security-policy"]
                policy = (await http.get("/")).headers["content-security-policy"]
                assert "script-src 'sha256-a4ayc/80/OGda4BO/1o/V0etpOqiLx1JwB5S3beHW0s='" in policy
                assert "unsafe" not in policy
                assert "connect-src 'self'" in policy

        played(play())

    def test_other_sites_may_send_only_where_they_are_named(self, survey, memory_path):
        async def allowed(http, origin):
            asked = {"origin": origin, "access-control-request-method": "POST"}
            asked["access-control-request-headers"] = "content-type,discreet-once,discreet-invitation"
            answer = await http.options("/reports", headers=asked)
            return answer.headers.get("access-control-allow-origin")

        async def play():
            async with collecting(survey, memory_path / "a") as http:
                assert await allowed(http, "https://school.test") is None
            async with collecting(survey, memory_path / "b", origins=("https://school.test",)) as http:
                assert await allowed(http, "https://school.test") == "https://school.test"
                assert await allowed(http, "https://other.test") is None

        played(play())

    def test_an_address_asks_so_often_and_another_is_not_held_up(self, survey, memory_path):
        async def play():
            async with collecting(survey, memory_path, rate=3) as http:
                codes = [(await sent(http, given(survey, 0, 0))).status_code for _ in range(5)]
                assert codes == [200, 200, 200, 429, 429]
                assert (await http.get("/results", headers=TOKEN)).status_code == 429
                assert (await http.get("/")).status_code == 200

        played(play())

    def test_limits_are_of_a_period_and_of_a_network_and_keep_no_address(self):
        clock = [0.0]
        limiter = Limiter(2, clock=lambda: clock[0])
        assert [limiter.allows("2001:db8:1:2::1"), limiter.allows("2001:db8:1:2::2")] == [True, True]
        assert not limiter.allows("2001:db8:1:2::3")
        assert limiter.allows("2001:db8:1:3::1")
        assert [limiter.allows("192.0.2.1"), limiter.allows("::ffff:192.0.2.1")] == [True, True]
        assert not limiter.allows("192.0.2.1")
        marks, key = set(limiter._seen), limiter._key
        assert not any(b"192" in mark or bytes([192, 0, 2, 1]) in mark for mark in marks)
        clock[0] = 61.0
        assert limiter.allows("192.0.2.1")
        assert limiter._key != key
        assert not marks & set(limiter._seen)

    @pytest.mark.parametrize("log", ["none", "requests", "addresses"])
    def test_logs_have_addresses_only_where_asked(self, survey, memory_path, log, capsys):
        async def play():
            async with collecting(survey, memory_path, log=log) as http:
                await sent(http, given(survey, 0, 0), KEY)
                await http.get("/a-name-in-a-path?token=secret")

        played(play())
        told = capsys.readouterr()
        assert told.out == ""
        expected = {
            "none": "",
            "requests": "POST /reports 200\nGET other 404\n",
            "addresses": "POST /reports 200 192.0.2.7\nGET other 404 192.0.2.7\n",
        }
        assert told.err == expected[log]

    def test_metrics_are_of_this_form_and_of_nobody(self, survey, memory_path):
        async def play():
            async with collecting(survey, memory_path) as http:
                await sent(http, given(survey, 0, 0))
                await sent(http, b"x" * 20)
                await http.get("/someone@example.org")
                return (await http.get("/metrics", headers=TOKEN)).text

        text = played(play())
        assert "example" not in text
        assert "192" not in text
        line = re.compile(r'# TYPE discreet_\w+ (counter|gauge)|discreet_\w+(\{\w+="[^"\n]*"(,\w+="\d+")?\})? [\d.e-]+')
        assert all(line.fullmatch(each) for each in text.splitlines())
        assert 'discreet_refused_total{reason="not a report"} 1' in text
