PYTHON ?= python3
BIN := .venv/bin

STUDIES := claims tips knockouts house-rules-one-by-one house-rules-more-players \
	house-rules-factorial
SURPRISES := no_early_builds count_spades trail_to_deny_sweep
SIZE ?= default
SCALE ?= 1
RUNS ?= runs/$(SIZE)

.PHONY: findings again ship report test check-all lint clean

report: .venv/.installed
	$(BIN)/kasino report

# What tips, skills, house rules and claims come to, and a report of it. A study that was stopped
# goes on where it was. SIZE=full takes an hour or more, SCALE=0.05 minutes.
findings: .venv/.installed
	for plan in $(STUDIES); do \
	  if [ -f $(RUNS)/$$plan/manifest.json ]; then resume=--resume; else resume=; fi; \
	  $(BIN)/kasino study $$plan --size $(SIZE) --scale $(SCALE) --out $(RUNS)/$$plan $$resume \
	    > /dev/null || exit 1; \
	done
	$(BIN)/kasino report $(foreach plan,$(STUDIES),--study $(RUNS)/$(plan))

# What surprised most, tried again on decks that no study has had, and with other players.
again: .venv/.installed
	$(BIN)/kasino again $(RUNS)/tips $(foreach tip,$(SURPRISES),\
	  --finding svensk--careful+$(tip)-careful:naive) --instead careful=tuned

# Puts what reports need of finished studies into data/studies, for reports without a run:
# make findings SIZE=full, then make again SIZE=full and make ship SIZE=full.
ship: .venv/.installed
	$(BIN)/python scripts/ship.py $(foreach plan,$(STUDIES),$(RUNS)/$(plan))

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
