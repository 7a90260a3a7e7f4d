# Every target does its own set-up. `make help` lists them.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# The environment is complete in itself: nothing of a sourced ROS or of another environment leaks in.
unexport AMENT_PREFIX_PATH CMAKE_PREFIX_PATH COLCON_PREFIX_PATH LD_LIBRARY_PATH
unexport PYTHONHOME PYTHONPATH VIRTUAL_ENV _ROS_WHEELS_BOOTSTRAP_COMPLETE
# One thread for each BLAS call: our arrays are small, and tests run side by side.
export OPENBLAS_NUM_THREADS := 1
export ROS_AUTOMATIC_DISCOVERY_RANGE := LOCALHOST

.DEFAULT_GOAL := help
.PHONY: help setup setup-all test check demo bench stress lock clean

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## */\t/' | expand -t 12

setup:  ## create or update .venv: ROS 2 wheels, dependencies, interface packages, this checkout
	@$(PYTHON) tools/setup_env.py

setup-all:  ## the same with all optional dependencies (open3d, vlm, aria; large)
	@$(PYTHON) tools/setup_env.py --extras open3d,vlm,aria

test: setup  ## run all tests with branch coverage, a process a core (ARGS="-n0 -k name" is passed on)
	@mkdir -p build
	$(BIN)/python -m pytest -n auto --dist loadfile --cov --cov-report=term:skip-covered --junit-xml=build/junit.xml $(ARGS)
	$(BIN)/python -m coverage report --include='st_memory/core/*' --fail-under=95 --format=total

check: setup  ## format, lint, types, import layers, spelling
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codespell

demo: setup  ## replay the fixture recording through the real nodes and ask questions
	$(BIN)/st_memory demo

bench: setup  ## run the benchmarks (ONLY=a,b runs some)
	$(BIN)/python -m benchmarks $(if $(ONLY),--only $(ONLY))

stress: setup  ## 1,000,000 odd messages and a flood (ARGS="--messages 20000 --seconds 60" bounds it)
	OPENCV_LOG_LEVEL=SILENT $(BIN)/python -m benchmarks.stress $(ARGS)

lock: setup  ## resolve the dependencies anew for this Python version
	$(PYTHON) tools/lock.py

clean:  ## remove what was built (the environment stays)
	rm -rf build dist .coverage .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
