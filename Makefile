# Every target does its own set-up: a bare clone needs only python3 with pip and venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PYTHONHASHSEED ?= random
# Without compiled files each process of the tests compiles the sources and the tests again.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help demo poll quick test test-all check proofs js mutants mutation evidence bench docs clean
help:
	@echo "make demo    both jobs at work on invented people, and demo/ to look at"
	@echo "make poll    a survey on this machine: a thousand phones answer it; its page, and its results"
	@echo "make quick   the tests of what you are changing, in seconds (FILES='reals.py survey/waves.py')"
	@echo "make test    the test suite, in minutes"
	@echo "make test-all everything, as CI runs it (DISCREET_SLOW=1: ten times the cases)"
	@echo "make check   lint, types, layers, doctests, digests of proofs"
	@echo "make proofs  the theorems in Coq (Debian: coq libcoq-coquelicot libcoq-interval)"
	@echo "make js      the client for browsers: its types, its tests, and a package in js/dist (npm)"
	@echo "make mutants plant every known bug of this field and see it caught"
	@echo "make mutation change the source in every small way and list what the tests let pass (hours; FILES=reals.py)"
	@echo "make evidence the audit of every mechanism, as a table"
	@echo "make docs    the documentation as a site, in build/site; a broken link fails"
	@echo "make bench   side by side with peers: ratios with the goal beside each (BENCH='tables --only smartnoise')"

$(VENV)/dev.stamp: pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install --quiet --editable ".[dev]"
	@touch $@

demo: $(VENV)/dev.stamp
	@$(BIN)/discreet demo

poll: $(VENV)/dev.stamp
	@$(BIN)/python examples/poll.py --stay --port 8080 --browsers 3

quick: $(VENV)/dev.stamp
	@$(BIN)/python tests/quick.py $(FILES)

test: $(VENV)/dev.stamp
	@$(BIN)/python -m pytest -n auto --dist loadgroup

test-all: $(VENV)/dev.stamp
	@DISCREET_ALL=1 $(BIN)/python -m pytest -n auto --dist loadgroup

check: $(VENV)/dev.stamp
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/python -m pytest --doctest-modules src/discreet tests/audit/test_proofs.py tests/project/test_planted_fit.py

# It needs no more than python3; without Coq it says so (DISCREET_PROOFS=1 makes that an error).
proofs:
	@$(PYTHON) proofs/check.py

# The client for browsers: types, vectors, build and pack. Without npm it says so.
js:
	@if command -v npm >/dev/null; then cd js && npm ci --silent --no-audit --no-fund && npm run --silent check && \
	npm test --silent && npm run --silent build && npm pack --silent --pack-destination dist; \
	else echo "npm is not installed; skipped"; fi

mutants: $(VENV)/dev.stamp
	@$(BIN)/python tests/mutants.py

mutation: $(VENV)/dev.stamp
	@$(BIN)/python tests/mutation.py $(FILES)

evidence: $(VENV)/dev.stamp
	@$(BIN)/python -m benchmarks.evidence

docs: $(VENV)/dev.stamp
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet && echo "build/site/index.html"

# It installs the peers itself: one that does not install is then a row of the table.
bench: $(VENV)/dev.stamp
	@$(BIN)/python -m benchmarks $(BENCH)

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache demo
