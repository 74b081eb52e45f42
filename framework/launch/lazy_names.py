"""Lazy imports of a package. A module is loaded at the first use of one of its names, so a model loads only the modules
that the model needs.

A package lists its names only once, as imports in the form ``import name as name`` under ``if TYPE_CHECKING:``. Type
checkers also read these imports.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

from windlass.framework.errors import find_similar

libraries: list[str] = []
"""Packages with laws that a model may use. The package `windlass` fills this list, because the framework must not
import these packages.
"""


def offer(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return the functions ``__getattr__`` and ``__dir__`` and the list ``__all__`` for a package."""
    module = sys.modules[package]
    with open(str(module.__file__), encoding="utf-8") as file:
        found = re.findall(rf"^    from {package}\.(\S+) import [\s(]*(\w+) as \2\b", file.read(), re.MULTILINE)
    module_of, own = {name: place for place, name in found}, vars(module)

    def load(name: str) -> Any:
        if name not in module_of:
            message = f"module {package!r} has no attribute {name!r}{_suggest(name, module_of)}"
            # without ``obj``, Python adds no second suggestion
            raise AttributeError(message, name=name, obj=None)
        value = own[name] = getattr(import_module(f"{package}.{module_of[name]}"), name)
        return value

    return load, lambda: sorted([*own, *module_of]), sorted(module_of)


def _suggest(name: str, known: Iterable[str]) -> str:
    """Return a suggestion of similar names for an unknown name, or an empty text. Python looks for names with leading
    underscores that packages need not have, so such names are never misspelt.
    """
    if name.startswith("_"):
        return ""
    close = find_similar(name, sorted(known))
    return f": did you mean {' or '.join(close)}?" if close else ""
