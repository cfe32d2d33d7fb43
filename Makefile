# Everything that is installed or built stays in .venv and node_modules of this checkout.
# Needed: python3 >= 3.11 (or PYTHON=...), node >= 20, make.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check --no-input
CLIENT := vscode-client
SOURCES := server tests $(wildcard benchmarks docs)

export PIP_ROOT_USER_ACTION := ignore

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test test-server test-client bench docs e2e lock clean
.PHONY: check check-lint check-format check-types check-layers check-client

help:
	@echo 'make demo    mutate examples/demo2.lus and print the report'
	@echo 'make test    all tests of the server and of the VS Code extension'
	@echo 'make bench   measure; BENCH=--quick, --full, --write or names of sections'
	@echo 'make check   lint, formatting, types, layers'
	@echo 'make docs    the documentation, as a site in dist/docs'
	@echo 'make e2e     Neovim, Emacs and VS Code against the real server, pages in a browser'
	@echo 'make lock    renew .ci/constraints.txt, the versions that are installed'
	@echo 'make clean   remove everything that was installed or built'

# mutate ends with 2 when mutants survive, which is what the demo is there to show.
demo: $(VENV)/.installed $(VENV)/.compiled
	@$(BIN)/mutproof mutate examples/demo2.lus --level paper || [ $$? -eq 2 ]

test: test-server test-client

test-server: $(VENV)/.installed-dev $(VENV)/.compiled
	$(BIN)/python -m pytest -n auto --dist worksteal $(PYTEST_ARGUMENTS)

# One test asks the server of this checkout.
test-client: $(CLIENT)/node_modules/.installed $(VENV)/.installed $(VENV)/.compiled
	cd $(CLIENT) && npm test

# Models of the corpus are used where it is found, examples and generated models otherwise.
bench: $(VENV)/.installed $(VENV)/.compiled
	$(BIN)/python benchmarks/run.py $(BENCH)

# `make -k check` goes on after a failure.
check: check-lint check-format check-types check-layers check-client

check-lint: $(VENV)/.installed-dev
	$(BIN)/ruff check $(SOURCES)

check-format: $(VENV)/.installed-dev
	$(BIN)/ruff format --check $(SOURCES)

check-types: $(VENV)/.installed-dev
	$(BIN)/mypy --strict

check-layers: $(VENV)/.installed-dev
	$(BIN)/lint-imports

check-client: $(CLIENT)/node_modules/.installed
	cd $(CLIENT) && npm run --silent check

# Strict: a warning is an error.
docs: $(VENV)/.installed-dev
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs dist/docs

e2e: $(VENV)/.installed-dev $(VENV)/.compiled $(CLIENT)/node_modules/.installed
	tests/e2e/run

# --- what the targets stand on ----------------------------------------------------------------

$(BIN)/python:
	@$(PYTHON) -c 'import sys; v = sys.version_info; v >= (3, 11) or sys.exit("mutproof needs Python 3.11 or newer, and $(PYTHON) is %d.%d: make PYTHON=python3.12 ..." % v[:2])'
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

$(VENV)/.installed: pyproject.toml .ci/constraints.txt | $(BIN)/python
	$(PIP) install --quiet -c .ci/constraints.txt -e .
	@touch $@

$(VENV)/.installed-dev: pyproject.toml .ci/constraints.txt | $(BIN)/python
	$(PIP) install --quiet -c .ci/constraints.txt -e '.[dev]'
	@touch $@ $(VENV)/.installed

# pip compiles what it copies, but not this checkout, and some environments forbid Python to do so
# when it runs (PYTHONDONTWRITEBYTECODE): every start would then take half a second longer.
$(VENV)/.compiled: $(shell find server -name '*.py') | $(BIN)/python
	$(BIN)/python -m compileall -q -j 0 server
	@touch $@

$(CLIENT)/node_modules/.installed: $(CLIENT)/package.json $(CLIENT)/package-lock.json
	@node -e 'process.versions.node.split(".")[0] >= 20 || (console.error("mutproof needs Node 20 or newer, and this is", process.version), process.exit(1))'
	cd $(CLIENT) && npm ci --no-audit --no-fund
	@touch $@

# Resolve without the old lock and without installing; the report goes to a file because pip
# may print warnings.
lock: | $(BIN)/python
	$(PIP) install --quiet --dry-run --ignore-installed --report $(VENV)/lock.json '.[dev]'
	$(BIN)/python .ci/lock.py $(VENV)/lock.json > $(VENV)/constraints.txt
	mv $(VENV)/constraints.txt .ci/constraints.txt

clean:
	rm -rf $(VENV) $(CLIENT)/node_modules $(CLIENT)/dist $(CLIENT)/out $(CLIENT)/*.vsix
	rm -rf dist .e2e .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
