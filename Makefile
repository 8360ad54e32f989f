# Every target sets up what it needs first; `make help` lists them.

SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# One target at a time: cargo parallelises its own work, and two cargos would fight for one lock.
.NOTPARALLEL:

# Parallel build jobs.
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
# Extra arguments for pytest, the bench, the fuzzer and the demo.
ARGS ?=

VENV := .venv
PY := $(VENV)/bin/python
CARGO_FLAGS := --jobs $(JOBS)

# maturin and pip must see this environment, not one that happens to be active.
export VIRTUAL_ENV := $(CURDIR)/$(VENV)
export PATH := $(CURDIR)/$(VENV)/bin:$(PATH):$(HOME)/.cargo/bin
unexport CONDA_PREFIX
unexport PYTHONHOME

# What the extension module is made of.
CRATES := ir frontend analysis costmodel tiering codegen runtime calibration python
SOURCES := Cargo.toml Cargo.lock .cargo/config.toml \
    $(shell find $(CRATES) \( -name '*.rs' -o -name Cargo.toml \) 2>/dev/null)
EXTENSION := python/src/nestwise/_core.abi3.so
INSTALLED := $(VENV)/nestwise.installed

.PHONY: help setup browser build wheel demo test test-rust test-python test-all test-pythons lint format bench bench-against fuzz bench-host-calls bench-endings verify-all robust memcheck properties bench-analysis ulps bench-checks bench-predicted bench-small bench-cold bench-tiers oracle gpu-check loops clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | column -t -s '|'
	@echo "  JOBS=$(JOBS) parallel build jobs; ARGS='...' passed on to pytest, bench, fuzz, demo"

setup: ## install missing Debian packages and .venv
	@tools/setup.sh

build: setup ## set up, release build, installed (editable) into .venv
	@$(MAKE) --no-print-directory --silent $(INSTALLED) $(EXTENSION)

# Editable: the package's .py files are used from python/src, and only Rust needs a build.
# The library is removed first because maturin writes into the file that is there, under the feet
# of any process that has it mapped.
$(INSTALLED): pyproject.toml python/data/scripts/nestwise tools/requirements-dev.txt
	@echo "build: maturin develop --release"
	@rm -f $(EXTENSION)
	$(VENV)/bin/maturin develop --release $(CARGO_FLAGS) --compression-method stored
	@touch $@

# Replaced in one step, for the same reason.
$(EXTENSION): $(SOURCES)
	@echo "build: cargo build --release"
	cargo build --release --package nestwise-python $(CARGO_FLAGS)
	@cp target/release/lib_core.so $@.new && mv -f $@.new $@

wheel: setup ## one abi3 wheel in dist/
	@rm -rf dist target/maturin # maturin mends its copy of the library there, and cannot do so twice
	$(VENV)/bin/maturin build --release $(CARGO_FLAGS) --out dist --interpreter $(PY)
	@ls -l dist

demo: build ## a handful of kernels/ under CPython and under nestwise
	@$(PY) tools/demo.py $(ARGS)

test: build test-rust test-python ## set up, build, every test

# PTX is assembled, and functions of cards are linked, where tests find what that needs.
test-rust: setup
	NESTWISE_PTXAS=$$(echo $(CURDIR)/$(VENV)/lib/python3*/site-packages/nvidia/cu13/bin/ptxas) \
	NESTWISE_LIBDEVICE=$$(echo $(CURDIR)/$(VENV)/lib/python3*/site-packages/nvidia/cu13/nvvm/libdevice/libdevice.10.bc) \
	    cargo test --workspace $(CARGO_FLAGS)

browser: # what tests look at pages with
	@tools/setup.sh --browser

test-python: build browser
	$(PY) -m pytest tests python/tests -q $(ARGS)

test-all: build ## every script of tests/programs on every device and with 1, 2 and 5 threads
	$(PY) -m pytest tests/test_programs.py -q --every-device $(ARGS)

test-pythons: wheel ## the scripts under every CPython found here, with old and new NumPy
	$(PY) tools/test_pythons.py dist/*.whl $(ARGS)

lint: setup ## formatting, clippy, ruff, mypy, circles of imports
	cargo fmt --all --check
	cargo clippy --workspace --all-targets $(CARGO_FLAGS) -- -D warnings
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(PY) tools/import_circles.py

format: setup ## format all Rust and Python
	cargo fmt --all
	$(VENV)/bin/ruff check --fix --quiet . || true
	$(VENV)/bin/ruff format .

bench: build ## the contenders, interleaved; threads on a busy machine; the stages of a first call
	@$(PY) bench/run.py $(ARGS)
	@$(PY) bench/loaded.py
	@$(PY) bench/idle.py
	@cargo bench --quiet --package nestwise-runtime --bench stages $(CARGO_FLAGS)

bench-against: build ## this build and that of another checkout, interleaved: OTHER=../before
	@$(PY) bench/against.py $(OTHER) $(ARGS)

fuzz: build ## random programs against CPython: DOMAIN=arrays and others (all), ARGS="--count 300 --seed 7"
	@$(PY) tests/fuzz --domain $(or $(DOMAIN),all) $(ARGS)

bench-host-calls: build ## what a call of CPython costs a compiled loop, beside CPython's own time
	@$(PY) bench/host_calls.py $(ARGS)

bench-endings: build ## times of scripts whose loops exceptions and signals end, against python
	@$(PY) bench/endings.py $(ARGS)

verify-all: build ## every script of tests/ compared by nestwise verify; every operation made wrong is found
	NESTWISE_LONG_TESTS=1 $(PY) -m pytest tests/test_verify.py -q $(ARGS)

robust: build ## changed sources and programs, guard pages, memcheck, ten million calls: long runs
	$(PY) tests/mutants.py --sources 20000 --programs 500 --seed $${SEED:-0}
	$(PY) tests/guard_pages.py --jobs $(JOBS)
	NESTWISE_DEVICE=auto $(PY) tests/leaks.py --calls $${CALLS:-10000000}
	NESTWISE_DEVICE=serial $(PY) tests/leaks.py --calls $${CALLS:-10000000}
	$(PY) tools/memcheck.py --jobs $(JOBS)

memcheck: build ## the scripts and kernels on small sizes under valgrind
	$(PY) tools/memcheck.py --jobs $(JOBS) $(ARGS)

properties: setup ## random nests against traces of them, a long run: PROPTEST_CASES=100000
	PROPTEST_CASES=$${PROPTEST_CASES:-100000} cargo test --release --package nestwise-analysis $(CARGO_FLAGS) tests::

bench-analysis: setup ## times of dependence tests, verdicts and footprints, and how they grow
	cargo test --release --package nestwise-analysis $(CARGO_FLAGS) -- --ignored --nocapture --test-threads 1

ulps: build ## the worst errors of --fp faithful's functions, into docs/results/function_errors.md
	$(PY) bench/ulps.py --write $(ARGS)

bench-checks: build ## what checks cost, into docs/results/checks.md
	$(PY) bench/checks.py --write $(ARGS)
	$(PY) bench/checks.py --write --device threads $(ARGS)

bench-predicted: build ## what compiled code was predicted to take against what it took, nest by nest
	$(PY) bench/predicted.py $(ARGS)

bench-small: build ## what small loops that are called often lose, against python
	$(PY) bench/small.py $(ARGS)
	$(PY) bench/refused.py

bench-tiers: build ## quick and optimised code: how fast, and how long made
	$(PY) bench/tiers.py $(ARGS)

bench-cold: build ## the first second: scripts run once, with nothing kept and with kernels kept, against python
	@$(PY) -m compileall -q python/src/nestwise
	$(PY) bench/cold.py $(ARGS)

gpu-check: ## on a machine with a card: every program there, and five nests beside hand-written ones (PARTS, OUT)
	$${PYTHON:-python3} bench/gpu_check.py $(if $(PARTS),--parts "$(PARTS)") --out "$${OUT:-build/gpu-check}" $(ARGS)

oracle: build ## decisions against every way to run programs, into docs/results/oracle.md: an hour (ARGS=--random and others: the other parts)
	$(PY) bench/oracle.py $(ARGS)

loops: build ## docs/results/loops.md: every loop of kernels/ as traced and as told, with the times of the stages
	$(PY) tests/trace_kernels.py --out tests/data/loops_traced.json
	$(PY) tests/kernel_verdicts.py

clean: ## remove what building made (.venv too)
	rm -rf target dist $(VENV) .mypy_cache .pytest_cache .ruff_cache
	rm -f python/src/nestwise/*.so python/src/nestwise/*.so.new
	find . -name __pycache__ -not -path './.git/*' -prune -exec rm -rf {} +
