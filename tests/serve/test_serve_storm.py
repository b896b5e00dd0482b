"""Storms: servers that are killed, disks that are full, and requests that nobody should send, over real sockets."""

import asyncio
import os
import random
import resource
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing, contextmanager, suppress

import pytest
from serve_desk import responses, small_survey
from tiers import cases

from discreet import RandomizedResponse
from discreet.serve import open_store
from discreet.serve.store import Submission
from discreet.survey import Question, Survey
from discreet.survey.responses import RESPONSE
from discreet.survey.wire import VERSION

NUMBERS = 60_000
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="it forks")


def numbered_survey():
    """A question with so many choices that each response can have a number of its own."""
    question = Question("number", range(NUMBERS))
    return Survey.of([question.form(RandomizedResponse(categories=question.categories, prob="1/10"))])


def response(survey, number):
    return bytes((RESPONSE, VERSION)) + survey.tag + number.to_bytes(2, "little")


def numbers_in(survey, folder):
    with closing(open_store(survey, folder)) as store:
        return Counter(int.from_bytes(row.tobytes(), "little") for row in store.payloads("null"))


@contextmanager
def serving(survey, folder, *, words=("--rate", "0"), wait=60):
    """Run a collector in a process of its own, and give it with its port."""
    path = folder / "survey.json"
    survey.save(path)
    start = ["survey", "serve", path, "--store", folder / "reports", "--port", "0", "--token", "secret", *words]
    command = [sys.executable, "-m", "discreet.cli", *map(str, start)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        lines = [process.stdout.readline() for _ in range(3)]
        assert lines[1].startswith("answers:"), process.stderr.read()
        try:
            yield process, int(lines[1].rsplit(":", 1)[1].strip(" /\n"))
        finally:
            with suppress(ProcessLookupError):
                process.send_signal(signal.SIGTERM)
            process.wait(wait)


async def post(port, body, key, more=""):
    """Send one request on a connection of its own; return the status, or None where no answer came."""
    try:
        reader, writer = await asyncio.wait_for(asyncio.open_connection("127.0.0.1", port), 5)
        head = (
            "POST /reports HTTP/1.1\r\nHost: here\r\nConnection: close\r\nContent-Type: application/octet-stream\r\n"
            f"{more}Discreet-Once: {key}\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        writer.write(head.encode() + body)
        line = await asyncio.wait_for(reader.readline(), 20)
        writer.close()
        return int(line.split()[1]) if line else None
    except (OSError, TimeoutError, asyncio.IncompleteReadError):
        return None


async def storm(port, survey, waiting, acknowledged, seconds):
    """Send what waits, each until it is acknowledged, from many connections."""
    end = time.monotonic() + seconds

    async def client():
        while waiting and time.monotonic() < end:
            number, key = waiting.pop()
            if await post(port, response(survey, number), key) == 200:
                acknowledged.add(number)
            else:
                waiting.append((number, key))
                await asyncio.sleep(0.01)

    await asyncio.gather(*(client() for _ in range(16)))


@needs_fork
def test_a_process_that_is_killed_while_it_stores_leaves_all_that_it_acknowledged(memory_path):
    survey, told = numbered_survey(), 0
    open_store(survey, memory_path).close()
    for _ in range(cases(4, 40)):
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            with closing(open_store(survey, memory_path)) as store:
                for number in range(told, NUMBERS):
                    store.add("null", [Submission(number.to_bytes(2, "little"), number.to_bytes(16))])
                    os.write(writing, number.to_bytes(2, "little"))
            os._exit(1)
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            first = pipe.read(2)
            time.sleep(random.uniform(0, 0.05))
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            told += len(first + pipe.read()) // 2
        found = numbers_in(survey, memory_path)
        assert set(found.values()) <= {1}
        assert set(range(told)) <= set(found)
        assert set(found) <= set(range(told + 1))  # The one that was being stored.
    assert told


@pytest.mark.deep
def test_servers_that_are_killed_have_each_acknowledged_report_once(tmp_path):
    survey = numbered_survey()
    waiting = [(number, os.urandom(16).hex()) for number in range(cases(2000, 4000))]
    everything, acknowledged = {number for number, _ in waiting}, set()
    for _ in range(cases(3, 8)):
        with serving(survey, tmp_path) as (process, port):

            async def play(process=process, port=port):
                sending = asyncio.create_task(storm(port, survey, waiting, acknowledged, 4))
                await asyncio.sleep(random.uniform(0.2, 1.5))
                process.kill()
                await asyncio.sleep(0.1)
                sending.cancel()
                with suppress(asyncio.CancelledError):
                    await sending

            before = dict(waiting)
            asyncio.run(play())
            sent_but_lost = set(before) - acknowledged - {number for number, _ in waiting}
            waiting.extend((number, before[number]) for number in sent_but_lost)
        found = numbers_in(survey, tmp_path / "reports")
        assert set(found.values()) <= {1}
        assert acknowledged <= set(found)
    with serving(survey, tmp_path) as (process, port):
        asyncio.run(storm(port, survey, waiting, acknowledged, 120))
    assert acknowledged == everything
    assert numbers_in(survey, tmp_path / "reports") == Counter(everything)


@pytest.mark.deep
def test_a_server_that_is_told_to_stop_stores_and_answers_what_has_come(tmp_path):
    survey = numbered_survey()
    for signal_number in (signal.SIGTERM, signal.SIGINT):
        folder = tmp_path / signal_number.name
        folder.mkdir()
        with serving(survey, folder) as (process, port):
            acknowledged = set()

            async def play(process=process, port=port, acknowledged=acknowledged, number=signal_number):
                async def one(n):
                    if await post(port, response(survey, n), os.urandom(16).hex()) == 200:
                        acknowledged.add(n)

                tasks = [asyncio.create_task(one(n)) for n in range(300)]
                await asyncio.sleep(0.3)
                process.send_signal(number)
                await asyncio.gather(*tasks)

            asyncio.run(play())
            assert process.wait(30) is not None
        found = numbers_in(survey, folder / "reports")
        assert acknowledged
        assert acknowledged <= set(found)
        assert set(found.values()) == {1}


@pytest.mark.deep
@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="it limits a running process")
def test_a_full_disk_refuses_loses_nothing_and_recovers(tmp_path):
    survey = numbered_survey()
    with serving(survey, tmp_path) as (process, port):
        (file,) = (tmp_path / "reports").glob("*.reports")
        body = b"".join(response(survey, n) for n in range(9000))
        assert asyncio.run(post(port, body, "0" * 32)) == 200
        _, hard = resource.prlimit(process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (file.stat().st_size + 4096, hard))
        more = b"".join(response(survey, n) for n in range(9000, 40_000))
        for _ in range(3):
            assert asyncio.run(post(port, more, "1" * 32)) == 503
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (hard, hard))
        assert asyncio.run(post(port, more, "1" * 32)) == 200
        assert asyncio.run(post(port, more, "1" * 32)) == 200
    assert numbers_in(survey, tmp_path / "reports") == Counter(range(40_000))


@pytest.mark.deep
@pytest.mark.parametrize("proxy", [None, "127.0.0.1"])
def test_an_address_that_a_client_claims_is_believed_from_the_proxy_only(tmp_path, proxy):
    survey = small_survey()
    words = ("--rate", "2") if proxy is None else ("--rate", "2", "--proxy", proxy)
    with serving(survey, tmp_path, words=words) as (_, port):
        claims = [f"X-Forwarded-For: 192.0.2.{n}\r\n" for n in range(6)]
        codes = [asyncio.run(post(port, responses(survey, 1)[0], os.urandom(16).hex(), claim)) for claim in claims]
    assert codes == ([200] * 6 if proxy else [200, 200, 429, 429, 429, 429])


def hostile(random_, survey):
    """Return the bytes of a request that nobody should send."""
    paths = [
        "/",
        "/form",
        "/reports",
        "/results",
        "/results.json",
        "/health",
        "/metrics",
        "/tickets",
        "/key",
        "/%00",
        "/../etc",
    ]
    paths += ["*", "", "/reports?wave=" + "x" * 5000, "/results?wave=%ff", "/results?wave=all&wave=None", "//reports"]
    methods = ["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "TRACE", "CONNECT", "X" * 50, "get"]
    good = responses(survey, 1)[0]
    bodies = [
        b"",
        good,
        bytes(383),
        bytes(384),
        b"\xff" * 384,
        bytes(385),
        good * 3,
        good[:-1],
        os.urandom(40),
        b"{}",
        b"[" * 9000,
        b"\xff" * 3000,
        b'{"discreet":2}',
    ]
    body = random_.choice(bodies)
    length = random_.choice([str(len(body))] * 6 + ["-1", "x", "9" * 30, "0", str(len(body) + 5)])
    headers = [f"Content-Length: {length}"] if random_.random() < 0.8 else ["Transfer-Encoding: chunked"]
    kinds = ["application/octet-stream", "application/json", "text/plain", "é", "application/json; charset=latin-9"]
    headers.append(f"Content-Type: {random_.choice(kinds)}")
    extra = ["Discreet-Once: x", f"Discreet-Once: {'0' * 32}", "Discreet-Invitation: é", "Authorization: Basic ====="]
    extra += [f"Discreet-Invitation: {'0' * 20}", "Discreet-Ticket: é", f"Discreet-Ticket: {'A' * 555}="]
    extra += [
        "Authorization: Bearer secret",
        "Origin: null",
        "Expect: 100-continue",
        "X-Forwarded-For: ;;;",
        "Range: x",
    ]
    extra += [
        "Upgrade: websocket\r\nConnection: Upgrade",
        "Host: \xff",
        "A" * 9000 + ": b",
        ": empty",
        "Accept: */*;q=é",
    ]
    headers += random_.sample(extra, random_.randrange(4))
    line = f"{random_.choice(methods)} {random_.choice(paths)} HTTP/{random_.choice(['1.1'] * 8 + ['1.0', '2', '9.9'])}"
    return "\r\n".join([line, "Host: here", *headers, "", ""]).encode("latin-1") + body


@pytest.mark.deep
@pytest.mark.parametrize("invitations", ["codes", "blind"])
def test_no_request_makes_it_fail(tmp_path, invitations):
    survey = small_survey()
    random_ = random.Random(7)
    statuses = Counter()
    with serving(survey, tmp_path, words=("--rate", "0", "--invitations", invitations)) as (process, port):
        for _ in range(cases(200, 600)):
            sent = hostile(random_, survey)
            with socket.create_connection(("127.0.0.1", port), timeout=5) as wire:
                wire.settimeout(0.5)
                with suppress(OSError):
                    wire.sendall(sent)
                    if random_.random() < 0.3:
                        wire.shutdown(socket.SHUT_WR)
                    answer = wire.recv(1 << 16)
                    for line in answer.split(b"\r\n"):
                        if line.startswith(b"HTTP/1.1 "):
                            statuses[int(line.split()[1])] += 1
            assert process.poll() is None
        expected = 200 if invitations == "codes" else 403
        assert asyncio.run(post(port, responses(survey, 1)[0], os.urandom(16).hex())) == expected
        assert not [status for status in statuses if status >= 500], statuses
        assert {200, 400, 401, 404, 405} <= set(statuses)
        process.send_signal(signal.SIGTERM)
        process.wait(60)
        assert "Traceback" not in process.stderr.read()
