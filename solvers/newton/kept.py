"""Newton's methods of solvers that no longer exist, which later solvers of the same world use again.

The arrays, matrices and compiled programs of Newton's method depend only on the world, the storage of the tangent and
the settings. In small models, their creation takes a third of the time of a static solve.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Hashable
from typing import Any

from windlass.framework.assembly.assembly import Assembly
from windlass.framework.runtime.petsc import PETSc
from windlass.solvers.newton.newton import Newton
from windlass.solvers.newton.problem import LARGE

KEPT = "kept Newton's methods"
"""Name of the resource of a world with the kept objects: a dictionary with at most one element."""


class Lease:
    """Newton's method for one solver.

    Args:
        owner: the solver. After the solver has been deleted, a later solver may use the object ``newton``.
        assembly: the systems of this process.
        key: settings with which ``create`` creates the object.
        create: function that creates the object if no object with these settings is kept.

    Attributes:
        newton: Newton's method.
    """

    def __init__(self, owner: Any, assembly: Assembly, key: tuple[Hashable, ...], create: Callable[[], Newton]) -> None:
        self._finalizer: Any = None
        if assembly.layout.size > 1 or assembly.layout.unknowns.total > LARGE:
            # objects of large models would take much memory
            self.newton = create()
            return
        kept: dict[tuple[Hashable, ...], Newton] = assembly.world.resource(KEPT, dict)
        given = *key, assembly.revision, *sorted(PETSc.Options().getAll().items())
        found = kept.pop(given, None)
        self.newton = create() if found is None else found
        self._finalizer = weakref.finalize(owner, _keep, kept, given, self.newton)
        self._finalizer.atexit = False

    def end(self) -> None:
        """Do not keep the object, because the user may change it."""
        if self._finalizer is not None:
            self._finalizer.detach()


def _keep(kept: dict[tuple[Hashable, ...], Newton], key: tuple[Hashable, ...], newton: Newton) -> None:
    """Keep Newton's method of a deleted solver, unless its settings have changed."""
    kept.clear()
    if newton.renew():
        kept[key] = newton
