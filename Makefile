# Every target does its own set-up: a bare clone needs only python3 with pip and venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PYTHONHASHSEED ?= random

.PHONY: help demo test check mutants evidence bench clean
help:
	@echo "make demo    a tour, in a few seconds"
	@echo "make test    the whole test suite (DISCREET_SLOW=1: ten times the cases)"
	@echo "make check   lint, types, layers, doctests"
	@echo "make mutants plant every known bug of this field and see it caught"
	@echo "make evidence the audit of every mechanism, as a table"
	@echo "make bench   side by side with peers; prints ratios with the goal beside each"

$(VENV)/dev.stamp: pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install --quiet --editable ".[dev]"
	@touch $@

$(VENV)/bench.stamp: $(VENV)/dev.stamp
	@$(BIN)/pip install --quiet --editable ".[bench]"
	@touch $@

demo: $(VENV)/dev.stamp
	@$(BIN)/python examples/tour.py

test: $(VENV)/dev.stamp
	@$(BIN)/python -m pytest -n auto --dist loadgroup

check: $(VENV)/dev.stamp
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/python -m pytest --doctest-modules src/discreet

mutants: $(VENV)/dev.stamp
	@$(BIN)/python tests/mutants.py

evidence: $(VENV)/dev.stamp
	@$(BIN)/python -m benchmarks.evidence

bench: $(VENV)/bench.stamp
	@$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
