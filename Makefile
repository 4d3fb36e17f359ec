# `make demo` and `make test` do all the set-up on a fresh machine: a virtual environment in .venv with the kernel
# built and everything installed that they need.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
KERNEL := $(wildcard src/maxsynth/kernel/*.pyx src/maxsynth/kernel/*.pxd)

.PHONY: install demo test slow check-kernel browser lint bench swipl chromium clean

install: $(VENV)/installed

# Editable, so that the sources are what runs; made again when the kernel or the dependencies change.
$(VENV)/installed: pyproject.toml setup.py $(KERNEL)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { echo "Python 3.10 or newer is needed; try: make PYTHON=python3.12"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || { echo "cannot make a virtual environment; on Debian: apt-get install python3-venv python3-dev g++"; exit 1; }
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@$(BIN)/python -m compileall -q src  # a start takes 0.1 s longer where Python may not keep what it compiles
	@touch $@

demo: install
	@$(BIN)/maxsynth demo zendo

# The tests that need SWI-Prolog are skipped where it cannot be had; pytest's summary says so.
test: install swipl
	@$(BIN)/python -m pytest -q -n auto -m 'not browser'

# The same tests with the large counts: thousands of random programs and tasks.
slow: install swipl
	@$(BIN)/python -m pytest -q -n auto -m 'not browser' --slow

# The kernel with bounds checks, assertions and sanitizers, built apart from the normal one; skipped where the compiler
# has no sanitizers.
check-kernel: install
	@$(BIN)/python tools/check-kernel

# The report page of `maxsynth bench` in a real browser; skipped where none can be had.
browser: install chromium
	@$(BIN)/python -m pytest -q tests/browser

swipl:
	@sh tools/install-swipl

chromium:
	@sh tools/install-chromium

lint: install
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy

bench: install
	@$(BIN)/python benchmarks/scale.py --quick
	@$(BIN)/python benchmarks/paper_programs.py
	@$(BIN)/python benchmarks/speed.py
	@$(BIN)/python benchmarks/startup.py

clean:
	rm -rf $(VENV) build src/maxsynth.egg-info src/maxsynth/kernel/*.so src/maxsynth/kernel/*.cpp
