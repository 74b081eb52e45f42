"""The code of the package as syntax trees, for tests of how it is written."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path


@cache
def nodes_of(path: Path) -> list[ast.AST]:
    """All nodes of the syntax tree of a file, its root first."""
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
