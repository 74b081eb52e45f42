# Every target first calls scripts/setup.sh, which ends immediately if nothing is missing.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help setup setup-test belt test test-long lint style types imports words pytest campaigns stubs dist bench peers docs doctor clean

# WINDLASS_VENV=FOLDER selects another environment (scripts/setup.sh).
VENV := $(or $(WINDLASS_VENV),.venv)
export WINDLASS_VENV := $(VENV)
PYTHON_BIN := $(VENV)/bin/python

# Some solver packages are slower by orders of magnitude if OpenMP distributes small systems over all cores.
export OMP_NUM_THREADS ?= 1
# If Python does not store compiled modules, as in many containers, each of the hundreds of test processes compiles all
# modules.
unexport PYTHONDONTWRITEBYTECODE
# Without both variables, mpiexec refuses to run as root, for example in containers.
export OMPI_ALLOW_RUN_AS_ROOT ?= 1
export OMPI_ALLOW_RUN_AS_ROOT_CONFIRM ?= 1

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install PETSc, MPI and the Python packages (into .venv)
	@scripts/setup.sh

setup-test: ## install the packages of setup and of the tests (vtk, pytest, ruff, mypy, codespell, import-linter)
	@scripts/setup.sh --test

belt: setup ## run the two-pulley belt drive: table, picture and files for ParaView
	$(VENV)/bin/windlass run examples/belt_drive.py -elements 60 -segments 4

# The checks types and imports run at the same time as the tests, because some cores are idle at the end of each check.
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

# The number of parallel workers is one more than the number of cores, because tests also wait. Each file runs in one
# worker, so that the fixtures of a file are created once. Tests on several processes run after the other tests, because
# their processes occupy cores while they wait for each other. JOBS=0 runs all tests one after the other.
# PYTEST_ARGS="..." is passed to pytest.
JOBS ?= $(shell cores=$$(OMP_NUM_THREADS= nproc); echo $$((cores < 8 ? cores + 1 : 8)))
define run_tests
$(PYTHON_BIN) -m pytest -m "not mpi$(1)" -n $(JOBS) --dist loadfile $(PYTEST_ARGS); first=$$?; \
$(PYTHON_BIN) -m pytest -m "mpi$(1)" -n $$((($(JOBS) + 1) / 2)) --dist loadfile $(PYTEST_ARGS); second=$$?; \
exit $$((first % 5 + second % 5))  # 5: PYTEST_ARGS selects no test of this group
endef

pytest: setup-test
	$(call run_tests, and not long)

test-long: setup-test ## run all tests, including long tests that rarely find more than shorter tests
	$(call run_tests)

campaigns: setup-test ## run the long campaigns: kills, full disks, damage, edits, impacts; CAMPAIGNS="kill 20" selects
	PYTHONPATH=src:tests $(PYTHON_BIN) -m campaigns $(CAMPAIGNS)

stubs: setup ## write the stubs for type checkers from the schemas of the components
	$(PYTHON_BIN) scripts/make_stubs.py

dist: setup-test ## build the wheel and the source distribution, in dist/
	$(PYTHON_BIN) -m build --no-isolation --outdir dist .

bench: setup ## compare times with Exudyn and Simbody (in .venv-bench); BENCH="chain build --rounds 1" selects
	$(PYTHON_BIN) benchmarks/run.py $(BENCH)

# folder of a checkout of https://github.com/jgerstmayr/EXUDYN, whose models are not part of Windlass
EXUDYN ?= ../EXUDYN
PEERS ?= $(wildcard $(EXUDYN)/main/pythonDev/TestModels $(EXUDYN)/main/pythonDev/Examples $(EXUDYN)/python/TestModels \
	$(EXUDYN)/python/Examples)

# PEERS_ARGS="--steps 200 20 --records FOLDER" is passed to the command. EXUDYN_SITE=FOLDER is the folder of an
# installed exudyn.
peers: setup ## run the models of a checkout of Exudyn in both programs: tables in docs/reference/exudyn_models.md; EXUDYN=FOLDER
	@[ -n "$(PEERS)" ] || { echo "EXUDYN=$(EXUDYN): must be a checkout of Exudyn, with main/pythonDev in it" >&2; exit 2; }
	@[ -n "$$EXUDYN_SITE" ] || scripts/setup_bench.sh --exudyn
	$(PYTHON_BIN) benchmarks/exudyn_models.py $(PEERS) --write $(PEERS_ARGS)

docs: setup ## create the documentation site with its gallery of examples, in build/site/html
	@scripts/setup.sh --docs
	$(PYTHON_BIN) docs/site/build.py

doctor: setup ## print versions, solver packages, MPI, compiler cache and a verdict
	$(VENV)/bin/windlass doctor

clean: ## remove caches, build products and the output of the example, but not the environment
	rm -rf build dist belt_drive_out *.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
	find . \( -path './.venv*' -o -path ./.git \) -prune -o -type d -name __pycache__ -prune -exec rm -rf {} +
