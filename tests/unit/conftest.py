"""Fixtures that several unit tests use."""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULES = (
    "harness",
    "launch",
    "agreement",
    "report",
    "command_line",
    "belt",
    "chain",
    "build",
    "start",
    "spheres",
    "spheres_scene",
    "beams",
    "beams_scene",
    "split",
    "scaling",
    "run",
)


@pytest.fixture(scope="module")
def modules() -> Iterator[dict[str, ModuleType]]:
    """Return the scripts of benchmarks/. The scripts import each other by names without a package."""
    sys.path.insert(0, str(ROOT / "benchmarks"))
    try:
        yield {name: importlib.import_module(name) for name in MODULES}
    finally:
        sys.path.remove(str(ROOT / "benchmarks"))
        for name in MODULES:
            sys.modules.pop(name, None)


@pytest.fixture
def harness(modules: dict[str, ModuleType]) -> ModuleType:
    return modules["harness"]


@pytest.fixture
def report(modules: dict[str, ModuleType]) -> ModuleType:
    return modules["report"]
