"""The equations of 2D and 3D cables are written only once. No two functions of `elements/cable` are alike. The kernels
for 2D and 3D have one source code.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from windlass.elements.cable import gauss, lobatto
from windlass.elements.cable.point_forces import IN_PLANE, IN_SPACE

from support.alike import find_alike, list_functions
from support.sources import nodes_of

ROOM = Path(__file__).parents[2] / "elements" / "cable"
EXCEPTIONS = {"winch_motion.py: gravity and winch_motion.py: gravity_tangent": "a load and its derivatives"}
"""Pairs of functions that are alike, with the reason."""


def test_no_two_functions_are_alike() -> None:
    functions = [f for path in sorted(ROOM.glob("*.py")) for f in list_functions(nodes_of(path)[0], path.name)]
    assert len(functions) > 60
    assert {pair.rpartition(":")[0] for pair in find_alike(functions)} == set(EXCEPTIONS)


def test_two_dimensions_are_found() -> None:
    """A function for three components that repeats a function for two components is found."""
    lines = ["def f2(c, x, f):", "    for i in range(len(c)):"]
    lines += [f"        a{k} = x[c.dofs[i, {k}]] - x[c.dofs[i, {k + 2}]]" for k in range(12)]
    plane = "\n".join(lines)
    space = plane.replace("f2", "f3") + "\n        a12 = x[c.dofs[i, 12]] - x[c.dofs[i, 14]]"
    functions = [f for text in (plane, space) for f in list_functions(ast.parse(text), "file")]
    assert len(functions) == 2 and len(find_alike(functions)) == 1


@pytest.mark.parametrize("module", [gauss, lobatto])
@pytest.mark.parametrize("name", ["residual", "tangent"])
def test_kernels_of_both_dimensions_have_one_text(module: object, name: str) -> None:
    kind = str(getattr(module, "__name__", "")).rpartition(".")[2]
    plane, space = (getattr(module, f"{name}_{kind}_{d}d") for d in (2, 3))
    codes = [getattr(function, "py_func", function).__code__ for function in (plane, space)]
    assert codes[0] is codes[1] and plane is not space
    for function, d in ((plane, 2), (space, 3)):
        assert function.__qualname__ == f"{name}_{kind}_{d}d"


def test_the_axial_force_has_one_text_and_bending_has_two() -> None:
    same = {
        name: getattr(plane, "py_func", plane).__code__ is getattr(space, "py_func", space).__code__
        for name, plane, space in zip(IN_PLANE._fields, IN_PLANE, IN_SPACE, strict=True)
    }
    assert same == {"axial_force": True, "axial_block": True, "bending_force": False, "bending_blocks": False}
