"""Compile the proofs, and hold what they rest on, what they say and what they compute to what is committed.

`make proofs` runs this. `python proofs/check.py --write` writes `statements.txt` and the tests' tables anew;
`--measure` compiles everything once more, a file at a time, and writes lines and seconds into docs/proofs/map.md.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
STATEMENTS = HERE / "statements.txt"
TABLES = ROOT / "tests" / "data" / "proofs"
MAP = ROOT / "docs" / "proofs" / "map.md"
MEASURED = re.compile(r"(?<=\| file \| lines \| seconds \|\n\|---\|---:\|---:\|\n).*?(?=\n\n)", re.DOTALL)
SECONDS = 600
COMPUTED = {"Floats"}
MAKE = ["make", f"-j{os.cpu_count() or 1}", "--no-print-directory"]
COQC = ["coqc", "-q", "-noglob", "-w", "none", "-Q", ".", "Discreet"]
# Coq's memory: new terms in what a processor's cache holds, and few collections of the old, which mostly stay.
ENVIRONMENT = {"OCAMLRUNPARAM": "s=1M,o=1000"} | os.environ

# Coq's own real numbers, and classical logic.
AXIOMS = {
    "ClassicalDedekindReals.sig_forall_dec",
    "ClassicalDedekindReals.sig_not_dec",
    "FunctionalExtensionality.functional_extensionality_dep",
    "Classical_Prop.classic",
}
TAKEN = re.compile(
    r"\b(Admitted|admit|give_up|Abort|Axioms?|Parameters?|Conjecture|Declare Module|bypass_check|Unset \w+ Checking"
    r"|Unset Guard\w*|type-in-type|native_compute)\b"
)


class RefusedError(Exception):
    """Why the proofs do not stand."""


def compiled(build: Path, source: Path = HERE) -> None:
    """Compile the proofs of *source* in the folder *build*; what is up to date is not compiled again."""
    build.mkdir(parents=True, exist_ok=True)
    for file in [*source.glob("*.v"), source / "_CoqProject"]:
        text, there = file.read_text(), build / file.name
        if file.suffix == ".v" and (found := TAKEN.search(re.sub(r"\(\*.*?\*\)", "", text, flags=re.DOTALL))):
            raise RefusedError(f"{file.name}: {found[0]!r} takes something for granted")
        if not there.exists() or there.read_text() != text:
            there.write_text(text)
    run(["coq_makefile", "-f", "_CoqProject", "-o", "Makefile"], build)
    run(MAKE, build)


def run(command: list[str], folder: Path) -> str:
    """Return what a command prints; raise with it where the command fails."""
    # Coq's own tools, by their names; coqchk says all that it says on stderr.
    done = subprocess.run(  # noqa: S603
        command,
        cwd=folder,
        env=ENVIRONMENT,
        text=True,
        timeout=SECONDS,
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    if done.returncode:
        raise RefusedError(done.stdout[-6000:])
    return done.stdout


def rechecked(build: Path) -> None:
    """Have what is compiled checked by coqchk, too, which knows proofs and no tactics.

    Floats.v is left to the compiler: the checker is slow at computing, and was not done with it after 98 seconds.
    """
    names = [line.removesuffix(".v") for line in (build / "_CoqProject").read_text().split() if line.endswith(".v")]
    modules = [part for name in names if name not in COMPUTED for part in ("-norec", f"Discreet.{name}")]
    said = run(["coqchk", "-silent", "-o", "-Q", ".", "Discreet", *modules], build)
    taken = re.findall(r"^ +(Discreet\.\S+)", said, re.MULTILINE)
    if taken or said.count("<none>") != 3:
        raise RefusedError(f"coqchk: {taken or said}")


def theorems(source: Path = HERE) -> list[str]:
    """Return the names of what is claimed."""
    return re.findall(r"^  holds \(@([\w.]+)\)", (source / "Theorems.v").read_text(), re.MULTILINE)


def definitions(source: Path = HERE) -> list[str]:
    """Return the names of what the statements are made of."""
    return re.findall(r"\(\* Printed with them:(.*?)\*\)", (source / "Theorems.v").read_text(), re.DOTALL)[0].split()


def printed(build: Path) -> tuple[str, set[str]]:
    """Return statements and definitions as Coq prints them, and the axioms that all of them together rest on."""
    names = theorems(build)
    lines = [
        "From Coq Require Import ZArith Reals List Bool. Import ListNotations. Open Scope R_scope.",
        (build / "Theorems.v").read_text().split("(** A theorem")[0] + "From Discreet Require Import Theorems.",
        "Set Printing Width 74. Set Printing Depth 1000.",
        *(f"Check @{name}." for name in names),
        *(f"Print {name}." for name in definitions(build)),
    ]
    (build / "Printed.v").write_text("\n".join(lines) + "\n")
    (build / "Rests.v").write_text("From Discreet Require Import Theorems.\nPrint Assumptions theorems.\n")
    with ThreadPoolExecutor() as both:  # A processor each.
        statements, rests = both.map(lambda name: run([*COQC, f"{name}.v"], build), ("Printed", "Rests"))
    found, axioms = rests.split("Axioms:\n")
    if found:
        raise RefusedError(found)
    return statements, set(re.findall(r"^(\S+)", axioms, re.MULTILINE))


def table(build: Path, name: str) -> list[list[int]]:
    """Return the rows that Coq has computed."""
    text = (build / f"{name}.out").read_text()
    rows: list[list[int]] = json.loads(text.split("=", 1)[1].rsplit(":", 1)[0].replace(";", ","))
    return rows


def written(rows: list[list[int]]) -> str:
    """Return a table as it is committed: a row a line."""
    return "[\n" + ",\n".join(map(json.dumps, rows)) + "\n]\n"


def checked(build: Path, *, write: bool = False) -> int:
    """Return how many theorems stand; raise where one does not, or says something else than what is committed."""
    compiled(build)
    statements, axioms = printed(build)
    if not axioms <= AXIOMS:
        raise RefusedError(f"axioms that are not on the list: {', '.join(sorted(axioms - AXIOMS))}")
    names = re.findall(r'^Redirect "(\w+)"', (HERE / "Tables.v").read_text(), re.MULTILINE)
    found = {STATEMENTS: statements} | {TABLES / f"{name}.json": written(table(build, name)) for name in names}
    for file, text in found.items():
        if write:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        elif not file.exists() or file.read_text() != text:
            raise RefusedError(f"{file.relative_to(ROOT)} is not what Coq prints: read what changed, then --write")
    return len(theorems())


def files(source: Path = HERE) -> list[str]:
    """Return the names of the files, in the order in which they can be compiled."""
    return re.findall(r"^(\w+)\.v$", (source / "_CoqProject").read_text(), re.MULTILINE)


def lines_of(name: str) -> int:
    """Return how many lines a file has."""
    return len((HERE / f"{name}.v").read_text().splitlines())


def measured() -> str:
    """Return a row for each file: its lines, and the seconds of processor time that Coq takes for it."""
    rows, whole = [], 0.0
    with tempfile.TemporaryDirectory() as folder:
        build = Path(folder)
        for file in HERE.glob("*.v"):
            shutil.copy(file, build)
        for name in files():
            before = os.times()
            run([*COQC, f"{name}.v"], build)
            after = os.times()
            spent = after.children_user + after.children_system - before.children_user - before.children_system
            rows.append(f"| `{name}.v` | {lines_of(name)} | {spent:.1f} |")
            whole += spent
    return "\n".join([*rows, f"| all | {sum(map(lines_of, files()))} | {whole:.0f} |"])


def main() -> int:
    """Check everything, and say so."""
    if shutil.which("coqc") is None:
        print("proofs: coqc is not installed; skipped")
        return int(os.environ.get("DISCREET_PROOFS") == "1")
    start = time.monotonic()
    try:
        count = checked(ROOT / "build" / "proofs", write="--write" in sys.argv)
    except RefusedError as refused:
        print(f"proofs: refused\n{refused}")
        return 1
    if "--measure" in sys.argv:
        table = measured()
        MAP.write_text(MEASURED.sub(lambda _: table, MAP.read_text()))
    print(f"proofs: {count} theorems stand, on {len(AXIOMS)} axioms of Coq's own ({time.monotonic() - start:.0f} s)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
