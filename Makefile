# Everything here needs python3 (3.11 or newer), git and make, and makes its own virtual environment.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
REPO ?= .
QUERY ?= where is a view published
JOBS ?= 3

.PHONY: try test check unit fix snapshots examples notices picture webpicture site lock bench clean help bundle proof conformance clients inspector fuzz schemathesis load simulate

help: ## show this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(VENV)/run.stamp: requirements.lock pyproject.toml
	@$(PYTHON) packaging/install_checkout.py $(VENV) requirements.lock
	@touch $@

$(VENV)/dev.stamp: $(VENV)/run.stamp requirements-dev.lock
	@$(PYTHON) packaging/install_checkout.py $(VENV) requirements-dev.lock
	@touch $@

try: $(VENV)/run.stamp ## install, index REPO (default: this one) and answer QUERY
	@$(BIN)/codecompass index --project $(REPO)
	@$(BIN)/codecompass search "$(QUERY)" --project $(REPO) --limit 5
	@echo
	@echo 'The program is $(abspath $(BIN))/codecompass. To have it on the PATH of every shell:'
	@echo '    uv tool install .      or   pipx install .'
	@echo 'or in this shell only:'
	@echo '    export PATH="$(abspath $(BIN)):$$PATH"'
	@echo 'Next: codecompass setup    connects your coding agent'

test: check unit ## install and run every check and test

check: $(VENV)/dev.stamp ## linter and type checker
	@$(BIN)/ruff check --no-cache src tests bench
	@$(BIN)/ruff format --no-cache --check src tests bench
	@$(BIN)/mypy

# A file is one worker's: its tests may share a server, and tell a story in their order. What fails beside the others
# runs again with nothing beside it, so that a slow machine alone fails no test; pytest ends with 1 if tests failed.
unit: export PYTHONDONTWRITEBYTECODE = # the children of the tests start faster with compiled modules
unit: $(VENV)/dev.stamp ## the tests
	@$(BIN)/python -m pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder || { test $$? -eq 1 && \
	  echo 'These tests failed; now each runs with nothing beside it.' && \
	  $(BIN)/python -m pytest -n 0 --last-failed --last-failed-no-failures none --maxfail 5; }

fix: $(VENV)/dev.stamp ## let the linter fix what it can
	@$(BIN)/ruff check --no-cache --fix src tests bench
	@$(BIN)/ruff format --no-cache src tests bench

snapshots: $(VENV)/run.stamp ## rewrite the generated documents
	@$(BIN)/codecompass snapshots

examples: $(VENV)/dev.stamp ## run the examples of the pages and write what they print today
	@$(BIN)/python -m tests.install.examples

notices: $(VENV)/dev.stamp ## rewrite THIRD-PARTY.md from what is installed
	@$(BIN)/python packaging/write_notices.py

picture: $(VENV)/dev.stamp ## draw docs/images/terminal.svg; REPO is an indexed clone of flask
	@PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python packaging/draw_terminal.py $(REPO)

webpicture: $(VENV)/dev.stamp ## draw docs/images/web.png with chromium; REPO is an indexed clone of django
	@PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python packaging/draw_web_page.py $(REPO)

site: $(VENV)/dev.stamp ## the documentation as a site, in dist/site
	@$(BIN)/python -m mkdocs --quiet build --strict
	@echo 'open dist/site/index.html'

lock: $(VENV)/dev.stamp ## recompute the lock files from pyproject.toml
	@$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --no-emit-index-url --python-version 3.11 \
	  pyproject.toml --group build -o requirements.lock
	@$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --no-emit-index-url --python-version 3.11 \
	  pyproject.toml --group build --group dev -o requirements-dev.lock

bundle: ## dist/codecompass.mcpb, for apps that install MCP servers with one click
	@$(PYTHON) packaging/build_mcpb.py dist/codecompass.mcpb

proof: conformance clients inspector fuzz schemathesis load ## all proofs by programs of others, and the load

conformance: $(VENV)/dev.stamp ## the official conformance suite on our stack (needs npm)
	@$(BIN)/python -m tests.proof.conformance

clients: $(VENV)/dev.stamp ## the official clients of TypeScript and Python (needs npm)
	@$(BIN)/python -m pytest -n 0 tests/proof/test_clients.py

inspector: $(VENV)/dev.stamp ## the Inspector lists and calls every tool (needs npm)
	@$(BIN)/python -m tests.proof.inspector

fuzz: $(VENV)/dev.stamp ## mcp-fuzzer over stdio and HTTP, in a virtual environment of its own
	@$(BIN)/python -m tests.proof.fuzz

schemathesis: $(VENV)/dev.stamp ## requests made from our OpenAPI document, in a virtual environment of its own
	@$(BIN)/python -m tests.proof.schemathesis

load: $(VENV)/dev.stamp ## calls a second beside a bare SDK server, overload, cancellation
	@$(BIN)/python -m bench.load_bench --strict

simulate: $(VENV)/dev.stamp ## a developer's months, seed after seed: 100,000 steps, or SIMULATE="--hours 8 --full"
	@$(BIN)/python -m tests.simulation $(SIMULATE)

clean: ## remove the virtual environment and caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .hypothesis
