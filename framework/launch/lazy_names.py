"""Names of a package whose modules are loaded when a name is first used, so that a model loads what it needs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def offer(package: str, names: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """The functions ``__getattr__`` and ``__dir__`` of a package, and its list ``__all__``.

    Args:
        package: its name.
        names: for modules, named from the package on, the names that they define, with spaces between.
    """
    module_of = {name: module for module, some in names.items() for name in some.split()}
    own = vars(sys.modules[package])

    def load(name: str) -> Any:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = own[name] = getattr(import_module(f"{package}.{module_of[name]}"), name)
        return value

    return load, lambda: sorted([*own, *module_of]), sorted(module_of)
