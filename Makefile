# Set-up and daily work; `make help` lists the targets. Needs Python 3.11 or newer, git and make.

SHELL := /bin/bash

# Which Python makes .venv; empty: the first of python3, python3.13, … that is new enough.
PYTHON ?=
# Test workers: a number, or auto for one a core (four at most).
WORKERS ?= auto
PYTEST_ARGS ?=
DEMO_ARGS ?= examples/commit-style --harness builtin --model embedded --runs 1 --workspace demo-workspace
DEMO_SHORT_ARGS ?= examples/commit-style --harness builtin --model embedded --runs 1 --only cache-lock,csv-header,login-limit --workspace demo-workspace/short

VENV := .venv
BIN := $(VENV)/bin
ENVIRONMENT := $(VENV)/.installed
UV := .cache/uv/bin/uv

.PHONY: help env test demo demo-short local agents agents-all check format bench lock clean
.DEFAULT_GOAL := help

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' Makefile

test: env ## Make the environment where needed, then run the tests
	$(BIN)/python -m pytest -n $(WORKERS) --maxprocesses 4 --dist worksteal -rfEs $(PYTEST_ARGS)

demo: env ## Put an example skill on trial with a small local model (downloads 1.1 GB once)
	@tools/demo.sh $(DEMO_ARGS)

demo-short: env ## The same with three of its cases
	@tools/demo.sh $(DEMO_SHORT_ARGS)

env: $(ENVIRONMENT) ## Make .venv with everything but the local model

$(ENVIRONMENT): requirements.lock pyproject.toml tools/environment.sh
	@tools/environment.sh "$(PYTHON)"
	@touch $@

local: env ## Add the local model to .venv (1.1 GB)
	@tools/local_model.sh

agents: ## Install the pinned agent programs into .agents (needs npm)
	@tools/agents.sh

agents-all: agents ## Five more of them (needs npm and Python 3.12)
	@tools/more_agents.sh

check: env ## Format, lint, types and the rules of who may import whom
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	PYRIGHT_PYTHON_IGNORE_WARNINGS=1 $(BIN)/pyright
	$(BIN)/lint-imports

format: env ## Format, and mend what ruff can mend by itself
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: env ## Run the benchmarks
	@for program in benchmarks/*.py; do echo "$$program"; $(BIN)/python "$$program" || exit 1; done

lock: env $(UV) ## Choose the newest versions anew: requirements.lock and requirements-local.lock
	@UV=$(UV) tools/lock.sh

$(UV):
	$(BIN)/python -m venv .cache/uv
	.cache/uv/bin/python -m pip install --quiet --disable-pip-version-check uv==0.13.9

clean: ## Remove everything that was made here
	rm -rf $(VENV) .agents .cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache dist demo-workspace
	find src tests benchmarks tools -name __pycache__ -type d -prune -exec rm -rf {} +
