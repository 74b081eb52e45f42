"""The code of contact of cables at points exists only once. The folder `connectors/contact` contains the friction, the
update of history values and the assembly of tangents. No two functions of the folders of contact laws are alike.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from support.alike import find_alike, list_functions
from support.sources import nodes_of

ROOT = Path(__file__).parents[2]
ROOMS = (
    "contact", "circle_contact", "circle_points", "circle_segments", "surface_contact", "cable_contact",
    "point_contact",
)  # fmt: skip
FRICTION = {
    "bend", "bent_energy", "coulomb", "decide", "friction_force", "friction_slopes", "return_change", "return_share",
    "slip_bend", "trial", "trial_vector",
}  # fmt: skip
"""Functions of `friction/bristle.py` that are the parts of return maps."""
UPDATES = {"judge_rows", "note_outcome", "store_gap", "store_state"}
"""Functions that loops of updates call."""
TANGENTS = {"add_block", "fill_marker", "scatter_row", "values[...] +="}
"""Functions that assemblies of tangents call, and additions to the values of the matrix."""
PARTS = {"friction": FRICTION, "update": UPDATES, "tangent": TANGENTS}
SEGMENTS = "the published law on straight segments, with the states and tangents of the publication"
EXCEPTIONS = {
    ("circle_segments", "friction"): SEGMENTS,
    ("circle_segments", "tangent"): SEGMENTS,
    ("circle_contact", "update"): SEGMENTS,
    ("cable_contact", "tangent"): "both partners are cables, so blocks have no marker: a loop over pairs of cables",
    ("point_contact", "tangent"): "contact between bodies, without cables and without history",
}
"""Parts of a law in folders other than `contact`, with the reason."""


def find_parts(tree: ast.AST) -> set[str]:
    """Return the parts of a law that a file contains."""
    used = set[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            used.add(getattr(node.func, "attr", getattr(node.func, "id", "")))
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Subscript):
            used.add(f"{ast.unparse(node.target.value)}[...] +=")
    return {part for part, words in PARTS.items() if used & words}


def files_of(room: str) -> list[Path]:
    """Return the files of a folder."""
    return sorted((ROOT / "connectors" / room).glob("*.py"))


def test_no_two_functions_are_alike() -> None:
    functions = [
        function
        for room in ROOMS
        for path in files_of(room)
        for function in list_functions(nodes_of(path)[0], f"{room}/{path.name}")
    ]
    assert len(functions) > 100
    assert find_alike(functions) == []


def test_contact_alone_has_friction_updates_and_tangents() -> None:
    found = {(room, part) for room in ROOMS for path in files_of(room) for part in find_parts(nodes_of(path)[0])}
    assert {part for room, part in found if room == "contact"} == set(PARTS)
    assert {(room, part) for room, part in found if room != "contact"} == set(EXCEPTIONS)


LOOP = """
def update(c, data):
    '''Update the rows.'''
    worst, changed = 0.0, False
    for i in range(len(c.rows)):
        row = c.rows[i]
        n, first = row.points, row.data
        for k in range(n):
            gap = eval_gap(row, k)
            if gap > 0.0:
                continue
            old = data[first + k]
            data[first + k] = gap
            changed |= old != gap
            worst = max(worst, abs(gap - old))
    return worst, changed
"""


def test_second_loops_are_found() -> None:
    """Functions with different names, values and docstrings, or with one additional statement, are alike. Functions
    with other loops are not alike.
    """
    other = LOOP.replace("rows", "cables").replace("gap", "g").replace("0.0", "1.0").replace("Update", "Renew")
    other = other.replace("    return", "    count = 1\n    return")
    (a,), (b,) = (list(list_functions(ast.parse(text), "file")) for text in (LOOP, other))
    assert (a.statements, b.statements) == (13, 14)
    assert len(find_alike([a, b])) == 1
    short = LOOP.replace("            old = data[first + k]\n", "").replace("            changed |= old != gap\n", "")
    assert list(list_functions(ast.parse(short), "file")) == []


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("tau = trial(k, u, d, v)", {"friction"}),
        ("f = law.return_share(size, limit)", {"friction"}),
        ("judge_rows(errors, forces, changed, outcome)", {"update"}),
        ("values[slots[i, a, b]] += K[a, b]", {"tangent"}),
        ("add_block(K, slots, i, n, values)", {"tangent"}),
        ("f[dofs[a]] += force", set()),
    ],
)
def test_second_parts_are_found(text: str, parts: set[str]) -> None:
    assert find_parts(ast.parse(text)) == parts


def test_segments_lend_to_nobody() -> None:
    """Only the laws, views and checks of `circle_contact` import the law on straight segments."""
    text = "windlass.connectors.circle_segments"
    users = {
        path.parent.name
        for path in (ROOT / "connectors").rglob("*.py")
        for node in nodes_of(path)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(text)
    }
    assert users == {"circle_segments", "circle_contact"}
