# The one door for people and CI. Rooms know how to build themselves; this file only calls them.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
export PATH := $(CURDIR)/.venv/bin:$(PATH)
# Quiet sub-makes; V=1 shows every command.
MAKEFLAGS += --no-print-directory
ONLY ?=
RUNS ?= 40

.PHONY: help setup setup-run build build-agent build-frontend run demo test test-c test-python \
	test-typescript test-root test-e2e check fmt gen bench card screenshots clean

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 14

setup: ; @.make/setup.sh
setup-run: ; @.make/setup.sh --run

build: setup-run build-agent build-frontend ## agent, nwagent binary and the dashboard
build-agent: ; @$(MAKE) -C agent
build-frontend: ; @.make/frontend.sh

run: build ## Postgres, backend with dashboard and (as root) the agent of this host; Ctrl-C stops all
	@exec neighborwatch run

demo: build ## the same, plus bounded real workloads in real cgroups
	@exec .make/demo.sh

test: setup ## every test: C, Python, TypeScript, kernel (root), end to end in a browser
	@$(MAKE) build-agent build-frontend
	@$(MAKE) test-c
	@$(MAKE) test-python
	@$(MAKE) test-typescript
	@$(MAKE) test-root
	@$(MAKE) test-e2e

test-c: ; @$(MAKE) -C agent test
test-python: ; @cd backend && pytest -q
test-typescript: ; @cd frontend && npm run --silent test
test-root: ; @$(MAKE) -C agent test-root
test-e2e: ; @pytest -q e2e && cd e2e && npm test

check: setup ## formatters, linters, types, layers, generated files fresh
	@.make/check.sh

fmt: setup ## formats everything
	@$(MAKE) -C agent fmt
	@cd backend && ruff format -q . ../migrations ../e2e ../agent/bench && ruff check -q --fix . ../migrations ../e2e ../agent/bench
	@cd frontend && npm run --silent fmt
	@cd e2e && npm run --silent fmt

gen: setup ## generated files: wire (Python), openapi.json, TypeScript client
	@.make/gen.sh

bench: setup build ## all benchmarks with their ratios; ONLY=prefix runs some. Root.
	@$(MAKE) -C agent bench ONLY='$(ONLY)'

card: setup build ## the accuracy card of the wait ledger against an exact replay; RUNS=40. Root.
	@python3 e2e/truth/card.py --runs '$(RUNS)'

# The browser tests draw them, because what they did before is what the pages show.
screenshots: setup build-agent build-frontend ## every page, light, dark and 390 px, into e2e/output/screenshots. Root.
	@cd e2e && npm test

clean: ## removes what was built, keeps .data
	@$(MAKE) -C agent clean
	@rm -rf frontend/dist frontend/node_modules e2e/node_modules e2e/output .venv
