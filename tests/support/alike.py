"""Comparison of functions by their syntax trees, for tests that detect code that exists twice."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import combinations
from typing import NamedTuple

STATEMENTS, ALIKE = 12, 0.8
"""Smallest number of statements of functions that are compared, and share of equal nodes above which two functions are
treated as alike.
"""


class Function(NamedTuple):
    """A function of a file: its name, its number of statements, and its nodes without names and values."""

    name: str
    statements: int
    nodes: list[str]


def list_nodes(node: ast.AST) -> Iterator[str]:
    """Return the kinds of all nodes of a tree. The values of names, attributes and constants are ignored."""
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
