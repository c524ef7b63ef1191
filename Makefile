PYTHON ?= python3
BIN := .venv/bin

.PHONY: report test check-all lint clean

report: .venv/.installed
	$(BIN)/kasino report

test: .venv/.installed-dev
	$(BIN)/kasino warmup
	$(BIN)/python -m pytest -n 2 --durations=8

lint: .venv/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

check-all: lint test
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest tests/test_jit_off.py --cov=kasino_sim.engine --cov-report=term

.venv/.installed: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --editable .
	touch $@

.venv/.installed-dev: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

clean:
	rm -rf .venv build dist
