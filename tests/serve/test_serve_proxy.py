"""Behind Caddy: the collector as the Caddyfile of the examples has it, with a certificate of this machine."""

import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest
from serve_desk import BINARY, TOKEN, responses, small_survey
from test_serve_storm import serving

CADDY = shutil.which("caddy")
DEPLOY = Path(__file__).parents[2] / "examples" / "deploy"
CLAIMED = "203.0.113.9"
OPTIONS = "{\n admin off\n auto_https disable_redirects\n skip_install_trust\n}\n"
pytestmark = [pytest.mark.deep, pytest.mark.skipif(CADDY is None, reason="Caddy is not installed")]


@contextmanager
def proxied(folder, upstream):
    """Run Caddy by the example's file, for this machine alone; give its address, and what trusts its certificate."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    shown = (DEPLOY / "Caddyfile").read_text()
    own = shown.replace("survey.example.org {", f"https://localhost:{port} {{\n\ttls internal\n\tbind 127.0.0.1")
    file = folder / "Caddyfile"
    file.write_text(OPTIONS + own.replace("collector:8080", f"127.0.0.1:{upstream}"))
    assert str(upstream) in file.read_text()
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "XDG_DATA_HOME": str(folder),
        "XDG_CONFIG_HOME": str(folder),
    }
    command = [CADDY, "run", "--config", str(file), "--adapter", "caddyfile"]
    with (folder / "caddy.log").open("w") as log, subprocess.Popen(command, env=env, stderr=log, stdout=log) as caddy:
        try:
            yield f"https://localhost:{port}", trusting(folder, port, caddy)
        finally:
            caddy.send_signal(signal.SIGTERM)
            caddy.wait(30)


def trusting(folder, port, caddy):
    """Return a context that trusts what this Caddy has signed, once it listens."""
    root = folder / "caddy" / "pki" / "authorities" / "local" / "root.crt"
    for _ in range(300):
        assert caddy.poll() is None, (folder / "caddy.log").read_text()
        try:
            context = ssl.create_default_context(cafile=root)
            with socket.create_connection(("127.0.0.1", port), 1) as plain:
                context.wrap_socket(plain, server_hostname="localhost").close()
        except OSError:
            time.sleep(0.1)
        else:
            return context
    raise AssertionError((folder / "caddy.log").read_text())


def asked(address, context, *, data=None, **headers):
    """Return the status and the body of an answer; every request claims another address."""
    request = urllib.request.Request(address, data, {"X-Forwarded-For": CLAIMED} | headers)
    try:
        with urllib.request.urlopen(request, context=context, timeout=30) as answer:
            return answer.status, answer.read(), answer.headers
    except urllib.error.HTTPError as error:
        return error.code, error.read(), error.headers


def test_people_answer_through_caddy_and_no_log_has_their_addresses(tmp_path):
    survey = small_survey()
    with serving(survey, tmp_path, words=("--proxy", "127.0.0.1", "--log", "requests")) as (process, port):
        with proxied(tmp_path, port) as (address, context):
            status, page, headers = asked(f"{address}/", context)
            assert (status, b"<legend" in page) == (200, True)
            assert "connect-src 'self'" in headers["content-security-policy"]
            key = {"Discreet-Once": "00" * 16}
            for _ in range(2):  # The second is a retry.
                body = responses(survey, 1)[0]
                assert asked(f"{address}/reports", context, data=body, **BINARY, **key)[:2] == (200, b'{"stored":1}')
            assert asked(f"{address}/results", context)[0] == 401
            assert json.loads(asked(f"{address}/results.json", context, **TOKEN)[1])["reports"] == 1
        process.send_signal(signal.SIGTERM)
        told = process.stderr.read()
    assert "POST /reports 200" in told
    for written in (told, (tmp_path / "caddy.log").read_text()):
        assert CLAIMED not in written
        assert "remote_ip" not in written
    assert "127.0.0.1" not in told


def test_the_address_that_a_client_claims_does_not_pass_the_proxy(tmp_path):
    survey = small_survey()
    with serving(survey, tmp_path, words=("--proxy", "127.0.0.1", "--log", "addresses")) as (process, port):
        with proxied(tmp_path, port) as (address, context):
            assert asked(f"{address}/form", context)[0] == 200
        process.send_signal(signal.SIGTERM)
        told = process.stderr.read()
    assert "GET /form 200 127.0.0.1" in told
    assert CLAIMED not in told
