.PHONY: run test integration check cover coverage bench docs lock clean
PYTHON ?= python3
# Without bytecode every process that a run or a test starts would compile the project anew.
unexport PYTHONDONTWRITEBYTECODE
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

run: $(READY)            ## set up, make a demo home, run the whole day on it
	$(BIN)/sunrise demo --home .demo

test: $(READY)           ## set up and run the tests of what sunrise does
	$(BIN)/pytest -m "not server and not kill and not slow" --ignore=tests/house -n 2 --dist worksteal

integration: $(READY)    ## a real Prefect server, what is killed, and what takes its time
	$(BIN)/pytest -m "server or kill or slow" -n 2 --dist loadgroup --ignore=tests/serve/test_openapi.py
	$(BIN)/pytest -m slow -p no:xdist tests/serve/test_openapi.py

check: $(READY)          ## lint, types, layers, and the tests of the house: sizes, docs, packaging
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/pytest tests/house -p no:xdist

cover: $(READY)          ## every test once, with the coverage they must have
	$(BIN)/pytest -n 2 --dist loadgroup --cov --cov-report=
	$(MAKE) coverage

coverage: $(READY)       ## whether the tests that ran last have the coverage they must have
	$(BIN)/coverage report --include='src/sunrise/domain/*' --fail-under=100
	$(BIN)/coverage report --fail-under=85

bench: $(READY)          ## the speed table of docs/performance.md
	$(BIN)/python -m benchmarks
	$(BIN)/python -m benchmarks.recall_speed
	$(BIN)/python -m benchmarks.turns_after_writes

docs: $(READY)           ## write the generated reference pages anew
	$(BIN)/python -m docs.generate

lock:                    ## pin every dependency anew, with hashes
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --all-extras pyproject.toml -o requirements.lock

clean:
	rm -rf $(VENV) .demo dist

$(READY): requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "sunrise needs Python 3.11 or later")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	$(BIN)/python -m compileall -q src flows tasks contracts reports deployments
	touch $(READY)
