# Two targets matter to a newcomer: `make review` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: review test lint types unit docs bench truth test-real-clis clean

review: $(STAMP)-runtime ## review the example project's planned phase with every reviewer of this machine
	$(BIN)/msd -C examples/linkshelf review --phase 2 --all --yes

test: $(STAMP)-dev lint types unit ## lint, types and every test

lint: $(STAMP)-dev
	$(BIN)/ruff check src tests bench tools
	$(BIN)/ruff format --check src tests bench tools

types: $(STAMP)-dev
	$(BIN)/mypy src tests

unit: $(STAMP)-dev
	$(BIN)/python -m pytest -n auto -rs

docs: $(STAMP)-dev ## write the generated pages again
	$(BIN)/python tools/generate_reference.py

bench: $(STAMP)-dev ## print every benchmark's table
	for script in bench/bench_*.py; do $(BIN)/python $$script || exit 1; done

truth: $(STAMP)-dev ## print the figures of findings, citations, agreement, divergence and grounding
	for script in bench/truth/findings/measure.py bench/truth/clusters/measure.py bench/truth/clusters/speed.py \
		bench/truth/citations/measure.py bench/truth/divergence/measure.py bench/truth/grounding/run.py; do $(BIN)/python $$script || exit 1; done

test-real-clis: $(STAMP)-dev ## drive real reviewer tools from the npm registry against a local model server
	$(BIN)/python tests/real_clis/run.py

# The lock files name every version and hash; the last step installs msd itself from this folder.
$(STAMP)-runtime: requirements/runtime.txt pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements/runtime.txt
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@

$(STAMP)-dev: requirements/dev.txt pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements/dev.txt
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache
