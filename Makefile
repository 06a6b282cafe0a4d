# The two commands: `make demo` and `make test`. Each sets up everything it needs in .venv first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SETUP := $(VENV)/.ready

.PHONY: demo test test-all setup docs clean

demo: $(SETUP)
	$(BIN)/python examples/demo.py

test: $(SETUP)
	$(BIN)/ruff check . && $(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest

test-all: $(SETUP)
	$(BIN)/pytest -m "slow or not slow"

setup: $(SETUP)

# torch comes first and alone: a plain "torch" requirement would pull its CUDA packages.
$(SETUP): pyproject.toml constraints.txt CMakeLists.txt $(wildcard csrc/*.* csrc/policies/*)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -r constraints.txt
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev]"
	touch $@

# The documentation in site/; a broken link is an error.
docs: $(SETUP)
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[docs]"
	$(BIN)/mkdocs build --quiet --strict

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache
