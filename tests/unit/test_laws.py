"""Every law of the package has units, a source, an export, and a test."""

from __future__ import annotations

import ast
import inspect
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

import windlass.connectors
import windlass.elements
from windlass.elements import generic_node
from windlass.framework.model.law import Law
from windlass.framework.model.schema import Component
from windlass.framework.model.system import System

from support.all_laws import all_laws

ROOT = Path(__file__).parents[2]
PACKAGES = {"elements": windlass.elements, "connectors": windlass.connectors}
TESTS = "\n".join(path.read_text() for path in sorted((ROOT / "tests").rglob("*.py")) if path.name != "test_laws.py")


def laws_of_package() -> list[Law]:
    """Return the laws that the folders of the package register, in the order of their names."""
    own = [law for kind, law in all_laws().items() if kind.__module__.startswith("windlass.")]
    return sorted(own, key=lambda law: law.component.__name__)


def folder_of(component: type[Component]) -> str:
    """Return the name of the folder in which a component is defined."""
    return component.__module__.split(".")[1]


@pytest.fixture(params=laws_of_package(), ids=lambda law: law.component.__name__)
def law(request: pytest.FixtureRequest) -> Law:
    """Return one law of the package; parametrised tests are executed for each law."""
    found: Law = request.param
    return found


def is_made_on_demand(law: Law) -> bool:
    """Return whether a component is a kind of node that `generic_node` or `state_node` creates for a number of
    coordinates.
    """
    return law.component.__module__ == generic_node.__module__


def test_there_are_laws() -> None:
    assert len(laws_of_package()) > 20


def test_columns_have_units_and_meaning(law: Law) -> None:
    assert law.component.__doc__
    for name, column in law.component.columns.items():
        assert column.unit, name
        assert len(column.doc) >= 3, name
    for name, ref in law.component.refs.items():
        assert ref.target and ref.doc, name


def test_outputs_have_units_and_meaning(law: Law) -> None:
    for name, output in law.outputs.items():
        assert output.unit, name
        assert len(output.doc) >= 3, name


def test_law_cites_its_source(law: Law) -> None:
    """All laws name their source, except for nodes, markers and history values."""
    if law.role in ("node", "marker", "data"):
        return
    module = inspect.getmodule(law.component)
    assert law.source or (module is not None and "Source" in (module.__doc__ or ""))


def test_law_is_exported(law: Law) -> None:
    folder = folder_of(law.component)
    if folder in PACKAGES and not is_made_on_demand(law):
        assert law.component.__name__ in PACKAGES[folder].__all__


def test_law_is_tested(law: Law) -> None:
    """Each law is named in a test, except for markers, which tests create by helper functions."""
    if law.role != "marker" and not is_made_on_demand(law):
        assert law.component.__name__ in TESTS


def test_systems_are_small() -> None:
    """A system has few fields, and only fields with known names, because no code reads other fields."""
    assert len(fields(System)) <= 21
    with pytest.raises(AttributeError, match="load_tangent"):
        System("spring", np.zeros((1, 4), int)).load_tangent = None  # type: ignore[attr-defined]


def test_public_functions_have_docstrings() -> None:
    """All functions and classes without a leading underscore have docstrings, except small definitions inside
    functions.
    """
    missing = []
    for folder in ("framework", "elements", "connectors", "solvers"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.parse(path.read_text()).body:
                if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
                    overload = any(getattr(d, "id", "") == "overload" for d in node.decorator_list)
                    if not overload and not ast.get_docstring(node):
                        missing.append(f"{path.relative_to(ROOT)}: {node.name}")
    assert not missing


def test_docstrings_of_results_are_single_blocks() -> None:
    """No line of a section "Returns" has a smaller indentation than the line before. Sphinx could not render such a
    section.
    """
    wrong = []
    for folder in ("framework", "elements", "connectors", "solvers", "src/windlass"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                if not isinstance(node, ast.FunctionDef) or "Returns:\n" not in (text := ast.get_docstring(node) or ""):
                    continue
                block = text.split("Returns:\n")[1].split("\n\n")[0].split("\n")
                indents = [len(line) - len(line.lstrip()) for line in block]
                if indents != sorted(indents):
                    wrong.append(f"{path.relative_to(ROOT)}: {node.name}")
    assert not wrong
