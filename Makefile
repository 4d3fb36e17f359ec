# `make demo` and `make test` do all the set-up on a fresh machine: a virtual environment in .venv with the kernel
# built and everything installed that they need.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
KERNEL := $(shell find src/maxsynth/kernel -name '*.pyx' -o -name '*.px[di]' -o -name '*.hpp')

.PHONY: install dev demo test slow check-kernel wheel browser lint bench swipl postgres chromium axe clean

# The kernel is built while pip gets the packages that it needs to run.
install: $(VENV)/tools
	@$(MAKE) --no-print-directory -s -j2 $(VENV)/packages $(VENV)/kernel

# What the tests and linters need besides, which is much: `make demo` does without.
dev: install
	@$(MAKE) --no-print-directory -s $(VENV)/dev

# These are the requirements of the build in pyproject.toml.
$(VENV)/tools: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { echo "Python 3.10 or newer is needed; try: make PYTHON=python3.12"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || { echo "cannot make a virtual environment; on Debian: apt-get install python3-venv python3-dev g++"; exit 1; }
	@$(PIP) install 'setuptools>=77' 'Cython>=3.1'
	@touch $@

# Editable, so that the sources are what runs.
$(VENV)/packages: $(VENV)/tools
	@MAXSYNTH_KERNEL=built $(PIP) install --no-build-isolation --editable .
	@$(BIN)/python -m compileall -q src  # a start takes 0.1 s longer where Python may not keep what it compiles
	@touch $@

# Made again when the kernel changes: the extensions that did.
$(VENV)/kernel: $(VENV)/tools setup.py $(KERNEL)
	@$(BIN)/python setup.py -q build_ext --inplace
	@touch $@

$(VENV)/dev: $(VENV)/packages
	@MAXSYNTH_KERNEL=built $(PIP) install --no-build-isolation --editable '.[dev]'
	@touch $@

demo: install
	@$(BIN)/maxsynth demo zendo

# The tests that need SWI-Prolog or PostgreSQL are skipped where these cannot be had; pytest's summary says so.
test: dev swipl postgres
	@$(BIN)/python -m pytest -q -n auto -m 'not browser and not wheel'

# The same tests with the large counts: thousands of random programs and tasks.
slow: dev swipl postgres
	@$(BIN)/python -m pytest -q -n auto -m 'not browser and not wheel' --slow

# The kernel with bounds checks, assertions and sanitizers, built apart from the normal one; skipped where the compiler
# has no sanitizers.
check-kernel: dev
	@$(BIN)/python tools/check-kernel

# A wheel, built from an sdist, in a fresh environment without a compiler.
wheel: dev
	@$(BIN)/python -m pytest -q -m wheel tests/test_wheel.py

# The page of the studio, and the report page of `maxsynth bench`, in a real browser; skipped where none can be had.
browser: dev chromium axe
	@$(BIN)/python -m pytest -q tests/browser

swipl:
	@sh tools/install-swipl

postgres:
	@sh tools/install-postgres

chromium:
	@sh tools/install-chromium

axe: $(VENV)/tools
	@sh tools/install-axe

lint: dev
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy

bench: dev
	@$(BIN)/python benchmarks/scale.py --quick
	@$(BIN)/python benchmarks/paper_programs.py
	@$(BIN)/python benchmarks/speed.py
	@$(BIN)/python benchmarks/startup.py

clean:
	rm -rf $(VENV) build dist src/maxsynth.egg-info src/maxsynth/kernel/*.so src/maxsynth/kernel/*.cpp
