# Everything runs in .venv, made from locked requirements; a fresh machine needs Python 3.11+, git and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo test format lint types unit corpus bench lock clean

demo: $(STAMP)
	$(BIN)/infx-lint demo

test: format lint types unit

format: $(STAMP)
	$(BIN)/ruff format --check .

lint: $(STAMP)
	$(BIN)/ruff check .

types: $(STAMP)
	$(BIN)/mypy

unit: $(STAMP)
	$(BIN)/pytest -n 2 -m "not slow"

# INFX_CLONE: a clone of the linted repository.
corpus: $(STAMP)
	INFX_CLONE="$(INFX_CLONE)" $(BIN)/pytest -m slow -s

bench: $(STAMP)
	$(BIN)/pip install --quiet --require-hashes -r requirements/bench.txt
	$(BIN)/python benchmarks/check_speed.py "$(INFX_CLONE)"

$(STAMP): requirements/dev.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "infx-lint needs Python 3.11 or newer: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)"; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

# Needs uv.
lock:
	uv pip compile --universal --python-version 3.11 --generate-hashes --quiet pyproject.toml -o requirements/runtime.txt
	uv pip compile --universal --python-version 3.11 --generate-hashes --quiet pyproject.toml --group dev -o requirements/dev.txt -c requirements/runtime.txt
	uv pip compile --universal --python-version 3.11 --generate-hashes --quiet pyproject.toml --group dev --group bench -o requirements/bench.txt -c requirements/dev.txt

clean:
	rm -rf $(VENV) dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
