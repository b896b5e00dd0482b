"""A poll: a collector on this machine, a thousand phones that answer it over HTTP, and the page of results.

`make poll` keeps it running until Ctrl-C; `python examples/poll.py` stops by itself.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import httpx

from discreet.survey import Survey

HERE = Path(__file__).parent
TRUTH = {
    "days": {"none": 35, "one or two": 45, "three or more": 20},
    "alone": {"never": 50, "sometimes": 35, "often": 15},
    "leaving": {"no": 70, "yes": 22, None: 8},
}
"""What the people of this example would say, in percent."""


async def phones(address: str, survey: Survey, number: int) -> None:
    """Send the responses of so many people, each randomized before it is sent."""
    people = random.Random(2026)
    client = survey.client()
    gate = asyncio.Semaphore(32)
    async with httpx.AsyncClient(base_url=address, timeout=60) as http:

        async def phone() -> None:
            answers = {name: people.choices(list(odds), list(odds.values()))[0] for name, odds in TRUTH.items()}
            headers = {"Content-Type": "application/octet-stream", "Discreet-Once": random.randbytes(16).hex()}
            async with gate:
                answer = await http.post("/reports", content=client.report(answers).to_bytes(), headers=headers)
            answer.raise_for_status()

        await asyncio.gather(*(phone() for _ in range(number)))


def browsers(address: str, number: int) -> int:
    """Answer on the page itself so many times, each in a browser of its own, as a person does; return how often."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        program = None
    if program is None:
        print("No browser answers: there is no Chromium here, or no playwright.")
        return 0
    people = random.Random(1)
    with sync_playwright() as player:
        browser = player.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        for _ in range(number):
            tab = browser.new_page(viewport={"width": 390, "height": 844})
            tab.goto(address)
            for place, odds in enumerate(TRUTH.values()):
                answer = people.choices(range(len(odds)), list(odds.values()))[0]
                tab.locator(f"[name=q{place}]").nth(answer).check(force=True)
            tab.locator("#ask button").last.click()
            tab.locator("#review button.main").click()
            tab.locator("#done h2").wait_for()
            tab.close()
        browser.close()
    return number


def results(address: str, token: str) -> dict[str, Any]:
    found: dict[str, Any] = httpx.get(f"{address}results.json", auth=("", token), timeout=60).json()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--phones", type=int, default=1000, help="how many people answer")
    parser.add_argument("--browsers", type=int, default=0, help="how many of them in a real browser, on the page")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--stay", action="store_true", help="keep the collector running")
    asked = parser.parse_args()
    file = HERE / "poll.toml"
    with tempfile.TemporaryDirectory(prefix="discreet-poll-") as store:
        words = ["survey", "serve", str(file), "--store", store, "--port", str(asked.port), "--rate", "0"]
        command = [sys.executable, "-m", "discreet.cli", *words]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            said = [server.stdout.readline() for _ in range(4)]
            try:
                address, token = said[1].split()[1], said[3].split()[1]
                opened = browsers(address, asked.browsers) if asked.browsers else 0
                asyncio.run(phones(address, Survey.load(file), asked.phones - opened))
                found = results(address, token)
                print(f"{found['reports']:,} phones have answered. In percent:")
                for row in found["estimates"]:
                    odds = TRUTH[row["question"]]
                    truth = odds.get(row["choice"], odds.get(None, 0))
                    ends = f"{100 * row['low']:5.1f} to {100 * row['high']:5.1f}"
                    print(f"  {row['question']:8} {row['choice']:24} {ends}   (in truth about {truth})")
                if asked.stay:
                    print(f"Answer it yourself:  {address}\nThe results:         {address}results")
                    print(f"  the password is {token}, with any name\nCtrl-C stops it.", flush=True)
                    server.wait()
            except KeyboardInterrupt:
                print()
            finally:
                server.send_signal(signal.SIGTERM)


if __name__ == "__main__":
    main()
