# Every target calls scripts/setup.sh first; it returns at once when nothing is missing.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help setup setup-test belt test test-long lint style types imports words pytest campaigns stubs dist bench peers docs doctor clean

# WINDLASS_VENV=FOLDER chooses another environment, see scripts/setup.sh
VENV := $(or $(WINDLASS_VENV),.venv)
export WINDLASS_VENV := $(VENV)
PYTHON_BIN := $(VENV)/bin/python

# Some solver packages slow down by orders of magnitude when OpenMP spreads tiny systems over all cores.
export OMP_NUM_THREADS ?= 1
# Where modules are not kept compiled, as in many containers, each of the hundreds of processes of the tests compiles all.
unexport PYTHONDONTWRITEBYTECODE
# mpiexec refuses to run as root (containers) without both.
export OMPI_ALLOW_RUN_AS_ROOT ?= 1
export OMPI_ALLOW_RUN_AS_ROOT_CONFIRM ?= 1

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install PETSc, MPI and the Python packages (into .venv)
	@scripts/setup.sh

setup-test: ## the same with the packages of the tests (vtk, pytest, ruff, mypy, codespell, import-linter)
	@scripts/setup.sh --test

belt: setup ## run the two-pulley belt drive: table, picture and files for ParaView
	$(VENV)/bin/windlass run examples/belt_drive.py -elements 60 -segments 4

# What has no tests in it runs beside them, as the second core has little to do at the end of either.
test: style ## check style, types and import directions, then run all tests
	@$(MAKE) --no-print-directory -j 3 types imports pytest

lint: style types imports words ## ruff, mypy --strict, the import directions, codespell and the words of the pages

style: setup-test
	$(PYTHON_BIN) -m ruff check .
	$(PYTHON_BIN) -m ruff format --check .

types: setup-test
	$(PYTHON_BIN) -m mypy

imports: setup-test
	$(VENV)/bin/lint-imports

words: setup-test
	$(VENV)/bin/codespell -D - -D scripts/british.words
	$(PYTHON_BIN) -m pytest -q tests/unit/test_words.py

# A test more than cores side by side, as tests also wait; each file in one process, so that what a file sets up is set up
# once.  Tests of several processes come after the others: beside these, processes that wait for each other hold the
# cores.  JOBS=0 runs all in turn.  PYTEST_ARGS="..." is given to pytest.
JOBS ?= $(shell cores=$$(OMP_NUM_THREADS= nproc); echo $$((cores < 8 ? cores + 1 : 8)))
define run_tests
$(PYTHON_BIN) -m pytest -m "not mpi$(1)" -n $(JOBS) --dist loadfile $(PYTEST_ARGS); first=$$?; \
$(PYTHON_BIN) -m pytest -m "mpi$(1)" -n $$((($(JOBS) + 1) / 2)) --dist loadfile $(PYTEST_ARGS); second=$$?; \
exit $$((first % 5 + second % 5))  # 5: PYTEST_ARGS has chosen none of these
endef

pytest: setup-test
	$(call run_tests, and not long)

test-long: setup-test ## run the tests that are long and rare, too
	$(call run_tests)

campaigns: setup-test ## the long campaigns: kills, full disks, damage, edits, impacts; CAMPAIGNS="kill 20" chooses
	PYTHONPATH=src:tests $(PYTHON_BIN) -m campaigns $(CAMPAIGNS)

stubs: setup ## write the stubs for type checkers anew from the schemas of the components
	$(PYTHON_BIN) scripts/make_stubs.py

dist: setup-test ## build the wheel and the source distribution, in dist/
	$(PYTHON_BIN) -m build --no-isolation --outdir dist .

bench: setup ## time Windlass beside Exudyn and Simbody (into .venv-bench); BENCH="chain build --rounds 1" chooses
	$(PYTHON_BIN) benchmarks/run.py $(BENCH)

# a checkout of https://github.com/jgerstmayr/EXUDYN, whose models are not part of Windlass
EXUDYN ?= ../EXUDYN
PEERS ?= $(wildcard $(EXUDYN)/main/pythonDev/TestModels $(EXUDYN)/main/pythonDev/Examples $(EXUDYN)/python/TestModels \
	$(EXUDYN)/python/Examples)

# PEERS_ARGS="--steps 200 20 --records FOLDER" is given to the command; EXUDYN_SITE=FOLDER is the folder of an installed exudyn
peers: setup ## run the models of a checkout of Exudyn in both programs: table in docs/reference/exudyn_models.md; EXUDYN=FOLDER
	@[ -n "$(PEERS)" ] || { echo "EXUDYN=$(EXUDYN): must be a checkout of Exudyn, with main/pythonDev in it" >&2; exit 2; }
	@[ -n "$$EXUDYN_SITE" ] || scripts/setup_bench.sh --exudyn
	$(PYTHON_BIN) benchmarks/exudyn_models.py $(PEERS) --write $(PEERS_ARGS)

docs: setup ## make the documentation site with its gallery of examples, in build/site/html
	@scripts/setup.sh --docs
	$(PYTHON_BIN) docs/site/build.py

doctor: setup ## print versions, solver packages, MPI, compiler cache and a verdict
	$(VENV)/bin/windlass doctor

clean: ## remove caches, build products and the example's output; the environment stays
	rm -rf build dist belt_drive_out *.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
	find . \( -path './.venv*' -o -path ./.git \) -prune -o -type d -name __pycache__ -prune -exec rm -rf {} +
