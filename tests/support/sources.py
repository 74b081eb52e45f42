"""Code of the package as syntax trees, for tests of the style."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path


@cache
def nodes_of(path: Path) -> list[ast.AST]:
    """Return all nodes of the syntax tree of a file, beginning with the root."""
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
