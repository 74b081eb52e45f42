"""Code that must exist only once: communication of processes, calls of PETSc without petsc4py, shape functions and mass
of cables, friction.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass.elements.cable.mass import mass_matrices
from windlass.elements.cable.points import (
    array_form,
    cubic_terms,
    eval_shape,
    shape,
    shape_bend,
    shape_integrals,
    shape_slope,
)
from windlass.framework.parallel.processes import Processes

from support.sources import nodes_of

ROOT = Path(__file__).parents[2]
FOLDERS = "framework", "elements", "connectors", "solvers"
REDUCTIONS = {"allreduce", "allgather", "alltoall", "reduce", "gather", "bcast", "scatter", "scan", "exscan"}
BUFFERED = {name.capitalize() + end for name in REDUCTIONS for end in ("", "v")}


@cache
def files() -> dict[str, list[ast.AST]]:
    """Return the nodes of the syntax trees of all files, by their names."""
    paths = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
    return {path.relative_to(ROOT).as_posix(): nodes_of(path) for path in paths}


def calls(names: Collection[str]) -> set[tuple[str, str, str]]:
    """Return file, object and function of all calls of functions with one of these names."""
    return {
        (path, ast.unparse(node.func.value), node.func.attr)
        for path, nodes in files().items()
        for node in nodes
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in names
    }


def test_reductions_go_through_processes() -> None:
    found = {
        (path, f"{receiver}.{name}")
        for path, receiver, name in calls(REDUCTIONS | BUFFERED)
        if name in BUFFERED or (name in REDUCTIONS and receiver.lower().endswith(("comm", "comm_world", "tompi4py()")))
    }
    outside = [call for call in found if not call[0].startswith("framework/parallel/")]
    assert ("framework/parallel/processes.py", "self.comm.allgather") in found
    assert not [call for call in outside if call[0] != "framework/launch/launcher.py"]


def test_ghosts_are_exchanged_by_ghosts() -> None:
    assert calls(("ghostUpdate", "localForm")) == set()


def test_the_petsc_library_is_loaded_in_one_file() -> None:
    assert {path for path, _, _ in calls(("CDLL",))} == {"framework/launch/petsc_functions.py"}


class Neighbours:
    """A communicator of two processes; each call causes an error."""

    size, rank = 2, 0

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"{name}: a message of a process that works alone")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("allgather", ("masses", 1.0)),
        ("join", ("names", ["a"])),
        ("exchange", ("rows", [1, 2])),
        ("from_first", ("the clock", 1.0)),
        ("deal", ("parts", None)),
        ("gather_first", ("parts", 1)),
        ("agree", (None,)),
        ("sum", (np.ones(2),)),
        ("maximum", (np.ones(2),)),
        ("largest", ([1.0],)),
        ("largest_of", (1.0,)),
        ("any", (True,)),
        ("all", (True,)),
    ],
)
def test_a_process_that_works_alone_gets_an_error(name: str, arguments: tuple[Any, ...]) -> None:
    processes = Processes(Neighbours())
    with processes.alone("Cable2D"), pytest.raises(wl.ModelError, match="Cable2D runs on this process alone"):
        getattr(processes, name)(*arguments)


def test_one_process_has_all_values() -> None:
    processes = Processes()
    assert processes.join("names", ["a"]) == ["a"] and processes.from_first("the clock", 2.0) == 2.0
    assert processes.largest([1.0, -np.inf]) == [1.0, -np.inf] and processes.largest_of(np.nan) == np.inf
    assert processes.any(True) and not processes.any(False) and processes.all(True) and not processes.all(False)


def read_number(node: ast.expr) -> Any:
    """Return the number in a node of a syntax tree, or None for any other node."""
    return abs(node.value) if isinstance(node, ast.Constant) and isinstance(node.value, int | float) else None


CUBIC = {3, 2}, {1, 3}, {6, 12}, {4, 6}, {2, 6}, {3, 4}
"""Numbers in the linear factors of shape functions and of their derivatives, such as 3 - 2 s."""
MASS = 35, 70, 105, 140, 210, 420
"""Denominators of mass matrices."""


def find_forms(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the forms of the cubic shape functions and of the mass matrix of cables in a file."""
    found = set()
    for node in nodes:
        match node:
            case ast.BinOp(op=ast.Div(), right=right) if read_number(right) in MASS:
                found.add("mass")
            case ast.BinOp(
                ast.BinOp(factor, ast.Mult(), ast.Name() | ast.BinOp(op=ast.Pow())), ast.Sub(), number
            ) | ast.BinOp(number, ast.Sub(), ast.BinOp(factor, ast.Mult(), ast.Name() | ast.BinOp(op=ast.Pow()))) if {
                read_number(factor),
                read_number(number),
            } in CUBIC:
                found.add("shape")
    return found


@pytest.mark.parametrize(
    "text", ["1.0 - s * s * (3.0 - 2.0 * s)", "z * (3 * z - 4)", "(6.0 * s - 2.0) / L", "1 - 3 * s**2 + 2 * s**3"]
)
def test_forms_of_shape_functions_are_found(text: str) -> None:
    assert find_forms(ast.walk(ast.parse(text))) == {"shape"}


def test_cables_have_their_shape_functions_and_their_mass_matrix_from_one_place() -> None:
    homes: dict[str, set[str]] = {"shape": set(), "mass": set()}
    for path, nodes in files().items():
        for form in find_forms(nodes):
            homes[form].add(path)
    # the smooth step from air to water has the form of a shape function
    assert homes["shape"] == {"elements/cable/points.py", "connectors/fluids/flow.py"}
    assert homes["mass"] == {"elements/cable/mass.py"}


def test_shape_functions_follow_every_cubic() -> None:
    r = np.polynomial.Polynomial((0.3, -1.2, 0.7, 0.9))
    L, s = 0.7, np.linspace(-0.5, 1.5, 9)
    x = np.array((r(0.0), r.deriv()(0.0), r(L), r.deriv()(L)))
    places = eval_shape(s, np.array(L))
    for N, derivative in zip(places, (r, r.deriv(), r.deriv(2)), strict=True):
        assert_allclose(N @ x, derivative(s * L), atol=1e-14)
    assert_allclose(array_form(shape_integrals)(L) @ x, r.integ()(L), rtol=1e-14)
    assert_allclose(array_form(cubic_terms)((x[2] - x[0]) / L, x[1], x[3], L), r.coef[2:], rtol=1e-13)
    # for single numbers and for arrays, the results of shape functions are equal in all digits
    for k, N in enumerate((shape, shape_slope, shape_bend)):
        assert [N(place, L) for place in s] == [tuple(row) for row in places[k]]


def test_the_mass_matrix_is_the_integral_of_shape_functions() -> None:
    rho, L = np.array((1.5, 0.2)), np.array((0.7, 3.0))
    x, w = np.polynomial.legendre.leggauss(4)
    S = eval_shape(0.5 + 0.5 * x, L[:, None]).S
    M = np.einsum("p,rpi,rpj->rij", 0.5 * w, S, S) * (rho * L)[:, None, None]
    assert_allclose(mass_matrices(rho, L), M, rtol=1e-13)


def rubs(node: ast.AST) -> bool:
    """Return whether an expression repeats a formula of `connectors/friction`: trial force, excess over the limit,
    return to the limit, or its fraction.
    """
    if not isinstance(node, ast.BinOp):
        return False
    left, right = ast.unparse(node.left), ast.unparse(node.right)
    bristle, damper = (
        re.compile(rf"\b({words})\b.* \* ") for words in ("mu_k|kb|sticking_stiffness", "mu_v|db|sticking_damping")
    )
    if isinstance(node.op, ast.Add):
        return any(bristle.search(a) and damper.search(b) for a, b in ((left, right), (right, left)))
    if isinstance(node.op, ast.Sub):
        return bool(re.search(r"\blimit\b", right) and re.search(r"\b(abs|sqrt|size)\b", left))
    return isinstance(node.op, ast.Div) and (
        bool(re.search(r"\blimit\b", left)) or re.search(r"\b(zone|\w+_zone|vt|vr|v0|root)\b", right) is not None
    )


SPHERES = "connectors/rigid_springs/contact_sphere_sphere.py"
"""Files that may contain a separate difference quotient, with the reason."""


def test_friction_is_decided_and_evaluated_in_one_room() -> None:
    laws = {path: nodes for path, nodes in files().items() if "friction" in (ROOT / path).read_text()}
    names = {path for path, nodes in laws.items() if path.startswith("connectors/") and any(map(rubs, nodes))}
    assert {name for name in names if not name.startswith("connectors/friction/")} == {SPHERES}
    assert names >= {"connectors/friction/bristle.py", "connectors/friction/regularised.py"}
