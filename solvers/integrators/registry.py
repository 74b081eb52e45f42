"""Table of the implicit integrators by name. To add an integrator, write a file that contains its constants and calls
`register_integrator` at its end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from windlass.framework.checks.checks import Check, RefusedError
from windlass.framework.checks.values import show
from windlass.framework.errors import ModelError
from windlass.framework.layout.layout import Layout
from windlass.solvers.own_options import DYNAMIC_OPTIONS, offer_choices
from windlass.solvers.stepping.integrator import Integrator

Create = Callable[[float], Integrator]
_methods: dict[str, Create] = {}


def register_integrator(name: str, create: Create) -> None:
    """Register an integration method for `Dynamic`.

    Args:
        name: name for ``Dynamic(method=...)`` and ``-dynamic_method``.
        create: function ``(spectral_radius) -> Integrator``, which raises ModelError for an invalid radius.

    Raises:
        ModelError: another function is registered under the name, or ``create`` is not a function.
    """
    if not isinstance(name, str) or not name.isidentifier() or not callable(create):
        raise ModelError(f"{show(name)}, {show(create)} in register_integrator: must be a name and a function")
    known = _methods.get(name)
    # if a module is executed again, it registers its function again; this second registration is not an error
    if known is not None and (known.__module__, known.__qualname__) != (create.__module__, create.__qualname__):
        raise ModelError(f"{name} in register_integrator: is already registered: must be another name")
    _methods[name] = create
    offer_choices(DYNAMIC_OPTIONS, "dynamic_", "method", list(_methods))


def method_name() -> Check:
    """Return a check that a value is the name of an integrator. A name is allowed if it is registered at the time of
    the check.
    """

    def read(value: Any) -> str:
        if not isinstance(value, str) or value not in _methods:
            raise RefusedError(f"one of {', '.join(_methods)}")
        return value

    return Check(read)


def create_integrator(
    method: str, spectral_radius: float = 0.9, rotations: str = "steady", layout: Layout | None = None
) -> Integrator:
    """Return the integrator with a given name and spectral radius.

    Args:
        method: a registered name.
        spectral_radius: spectral radius [1] at infinite frequency, from 0 (largest numerical damping) to 1 (no
            damping).
        rotations: ``"steady"``: in each step, Euler parameters are integrated as deviations from a rotation with
            constant angular velocity. ``"parameters"``: Euler parameters are integrated like all other coordinates.
        layout: layout that contains the indices of Euler parameters among the coordinates.

    Raises:
        ModelError: the spectral radius is outside its range.
    """
    found = _methods[method](spectral_radius)
    if layout is None or rotations != "steady":
        return found
    return replace(found, rotations=layout.rotations, reference=layout.reference)
