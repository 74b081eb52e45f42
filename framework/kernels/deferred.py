"""Functions that generate machine code for kernels. These functions are registered only when the compiler first needs
them, because the import of numba takes a third of the time of a short run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class DeferredFunction:
    """A function of numba, or a function that generates code. The object of numba is created when the compiler first
    uses it.

    Args:
        name: name of the function.
        definition: the function that generates code, see `numba.extending.intrinsic`; None for functions of numba with
            this name.
    """

    def __init__(self, name: str, definition: Callable[..., Any] | None = None) -> None:
        self._name, self._defn = name, definition
        self.__name__, self.__module__ = name, "numba" if definition is None else definition.__module__
        self._kind: Any = None

    @property
    def _numba_type_(self) -> Any:
        """The compiler's type of the function. Numba reads this attribute of each object to which a kernel refers."""
        if self._kind is None:
            import numba  # imported here, because only the compiler needs numba

            library: Any = numba
            created = getattr(library, self._name) if self._defn is None else library.extending.intrinsic(self._defn)
            context = library.core.registry.cpu_target.typing_context
            context.refresh()
            self._kind = context.resolve_value_type(created)
        return self._kind


def intrinsic(definition: Callable[..., Any]) -> Any:
    """Decorate a function that generates code."""
    return DeferredFunction(definition.__name__, definition)
