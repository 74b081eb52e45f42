"""The names that model files may use: names of components, and names of classes of function objects. Objects of these
classes can be stored as values.

Names in a model file are looked up only among the names of this module. A name in a file never causes the import of an
arbitrary module. The packages in `libraries` list their components. Components of a user can be found after the user's
module has registered them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any, Protocol, TypeVar

from windlass.framework.errors import ModelError
from windlass.framework.launch.lazy_names import libraries
from windlass.framework.model.law import list_registered
from windlass.framework.model.schema import Component


class Writable(Protocol):
    """Interface of the classes of function objects that a model file can store as values."""

    __name__: str
    __qualname__: str

    def from_values(self, values: Any) -> Callable[..., Any]:
        """Create a function object from values in a file. Raise ModelError for values that are not allowed."""


F = TypeVar("F", bound=type)
_functions: dict[str, Writable] = {}
_function_places: dict[str, str] = {}
_sized: dict[str, str] = {}


def offer_sized_kinds(prefix: str, maker: str) -> None:
    """Allow model files to name components that a function creates for a given number, such as ``GenericNode3``.

    Args:
        prefix: name of the component without the number.
        maker: name ``"module:function"`` of the function that creates the component for a given number.
    """
    _sized[prefix] = maker


def offer_functions(name: str, module: str) -> None:
    """Register the name of a class of functions, and the module of this class. The module is imported when a model file
    contains the name, and must call `register_functions` for the class.
    """
    _function_places[name] = module


def register_functions(kind: F) -> F:
    """Decorate a class of functions such that model files can store these functions as values.

    The class needs a method ``to_values()``, which returns numbers, words, lists and dictionaries, and a class method
    ``from_values(values)``, which raises ModelError for values that are not allowed.

    Raises:
        ModelError: the class lacks one of these methods, or another class has the same name.
    """
    if not (hasattr(kind, "to_values") and hasattr(kind, "from_values")):
        raise ModelError(f"{kind.__name__} in register_functions: must have to_values and from_values")
    known = _functions.get(kind.__name__)
    # a module that is executed again may register its classes again
    if known is not None and (known.__module__, known.__qualname__) != (kind.__module__, kind.__qualname__):
        raise ModelError(f"{kind.__name__} in register_functions: a class of this name is already registered")
    _functions[kind.__name__] = kind
    return kind


def is_registered(function: Any) -> bool:
    """Return whether a model file can store the values of a function."""
    kind: Any = _functions.get(type(function).__name__)
    return kind is type(function)


def find_functions(name: str) -> Writable | None:
    """Return the class of functions that has the given name in model files, or None."""
    if name not in _functions and name in _function_places:
        import_module(_function_places[name])
    return _functions.get(name)


def load_libraries() -> list[ModuleType]:
    """Load the packages with public components that a file may name. The modules of a package are loaded only when a
    file needs them.
    """
    return [import_module(name) for name in ("windlass.framework", *libraries)]


def list_kinds() -> list[type[Component]]:
    """Return all components that a file may name, except components that are created for a given number, such as
    ``GenericNode3``.
    """
    for package in load_libraries():
        for name in package.__all__:
            getattr(package, name)
    return list_registered()


def find_component(name: str) -> type[Component] | None:
    """Return the component that has the given name in model files, or None.

    Raises:
        ModelError: several registered components have this name.
    """
    sized = re.fullmatch(r"([A-Za-z]+)([1-9]\d{0,8})", name)
    for package in load_libraries():
        if name in package.__all__:
            getattr(package, name)
    if sized is not None and sized[1] in _sized:
        module, _, function = _sized[sized[1]].partition(":")
        getattr(import_module(module), function)(int(sized[2]))
    # if a class is defined twice, for example because a notebook cell is executed again, the newer class is used
    found = list(
        {
            (component.__module__, component.__qualname__): component
            for component in list_registered()
            if component.__name__ == name
        }.values()
    )
    if len(found) > 1:
        modules = ", ".join(sorted(component.__module__ for component in found))
        raise ModelError(
            f"{name} is the name of {len(found)} registered components (of {modules}): must be the name of one "
            "component"
        )
    return found[0] if found else None
