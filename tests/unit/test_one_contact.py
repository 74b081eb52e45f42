"""Contact of cables at points is written once: `connectors/contact` has the friction, the update of history values and
the assembly of tangents, and no two functions of the rooms of contact are alike.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import pytest

from support.sources import nodes_of

ROOT = Path(__file__).parents[2]
ROOMS = (
    "contact", "circle_contact", "circle_points", "circle_segments", "surface_contact", "cable_contact",
    "point_contact",
)  # fmt: skip
STATEMENTS, ALIKE = 12, 0.8
"""Number of statements from which a function is compared, and share of equal nodes above which two are alike."""
FRICTION = {
    "bend", "bent_energy", "coulomb", "decide", "friction_force", "friction_slopes", "return_change", "return_share",
    "slip_bend", "trial", "trial_vector",
}  # fmt: skip
"""Functions of `friction/bristle.py` of which return maps consist."""
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
"""Parts of a law that another room than `contact` has, with the reason."""


class Function(NamedTuple):
    """A function of a file: its name, its number of statements, and its nodes without names and values."""

    name: str
    statements: int
    nodes: list[str]


def list_nodes(node: ast.AST) -> Iterator[str]:
    """Return the kinds of all nodes of a tree; names, attributes and constants of any value are equal."""
    if not isinstance(node, ast.expr_context):
        yield type(node).__name__
        for child in ast.iter_child_nodes(node):
            yield from list_nodes(child)


def list_functions(tree: ast.AST, file: str) -> Iterator[Function]:
    """Return the functions of a file with at least `STATEMENTS` statements. A function that only defines and returns an
    inner function is represented by the inner function.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            inner = {
                id(n)
                for f in ast.walk(node)
                if isinstance(f, ast.FunctionDef) and f is not node
                for n in ast.walk(f)
                if isinstance(n, ast.stmt)
            }
            docstring = ast.get_docstring(node) is not None
            body = node.body[1:] if docstring else node.body
            own = [n for part in body for n in ast.walk(part) if isinstance(n, ast.stmt) and id(n) not in inner]
            if len(own) >= STATEMENTS:
                nodes = [kind for part in body for kind in list_nodes(part)]
                yield Function(f"{file}: {node.name}", len(own), nodes)


def find_alike(functions: list[Function]) -> list[str]:
    """Return the pairs of functions that are alike."""
    found = []
    for a, b in combinations(functions, 2):
        # a quick upper bound of the ratio is the ratio of the lengths
        short, long = sorted((len(a.nodes), len(b.nodes)))
        if 2.0 * short / (short + long) < ALIKE:
            continue
        matcher = SequenceMatcher(None, a.nodes, b.nodes, autojunk=False)
        if matcher.quick_ratio() >= ALIKE and matcher.ratio() >= ALIKE:
            found.append(f"{a.name} and {b.name}: {matcher.ratio():.2f}")
    return found


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
    """Return the files of a room."""
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
    """Functions are alike under other names, values and docstrings, and with one more statement; other loops are
    not.
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
