"""Load proportional to mass: an acceleration field on bodies and cables, constant or a function of time.

    load: ∫ ρ Jᵀ g dV with the acceleration g

The law of each body evaluates this integral by its function ``body_force``. This file only selects the bodies and the
accelerations. In contrast, the gravity of a `World` acts on all bodies.

Source: J. Gerstmayr, H. Irschik, On the correct representation of bending and axial deformation in the absolute nodal
coordinate formulation with an elastic line approach, J. Sound Vib. 318 (2008), for cables.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from windlass.connectors.user_functions.time_functions import TimeColumn, bind_values
from windlass.framework.arrays import IntArray
from windlass.framework.errors import ModelError
from windlass.framework.kernels.call import Call
from windlass.framework.model.law import LocalRows, Output, register
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.schema import function as time_function
from windlass.framework.model.system import Evaluation, Function, System, Term, evaluate

Placing = Callable[[Evaluation], Evaluation]


class MassProportional(Component):
    """An acceleration field that acts on one body. An example is gravity that acts on a belt but not on its pulleys."""

    body = ref("body", "a body or cable with mass")
    acceleration = column(
        "m/s^2", "acceleration in the global frame", shape=(3,), default=(0.0, 0.0, 0.0), switchable=True
    )
    function = time_function("f(t) -> acceleration [m/s^2], shape (3,); replaces acceleration", switchable=True)
    active = column("1", "the load acts only if true", dtype=bool, default=True, switchable=True)


class AccelerationGroup(NamedTuple):
    """Rows on bodies of one type that have the same acceleration: type of the bodies, process-local index of the first
    row, and process-local indices of the bodies, shape (k,).
    """

    component: type[Component]
    first: int
    bodies: IntArray


def group_rows(rows: LocalRows) -> list[AccelerationGroup]:
    """Group the active rows by type of body and by acceleration, because ``body_force`` accepts one acceleration per
    call."""
    ids, active = rows.local("body"), rows.local("active")
    constant, functions = rows.local("acceleration"), rows.local("function")
    local = rows.layout.local_row(ids)
    groups: dict[Any, tuple[type[Component], list[int]]] = {}
    for table, positions, _ in rows.world.split_by_table(ids):
        for i in positions[active[positions]]:
            what = constant[i].tobytes() if functions[i] is None else id(functions[i])
            groups.setdefault((table.component, what), (table.component, []))[1].append(int(i))
    return [AccelerationGroup(component, members[0], local[members]) for component, members in groups.values()]


def bind(rows: LocalRows) -> TimeColumn:
    """Create the accelerations of the rows as functions of time."""
    return bind_values(rows, "acceleration", "function")


def build(rows: LocalRows) -> System:
    """Create the system of `MassProportional`."""
    systems, groups = rows.layout.systems, group_rows(rows)
    accelerations: TimeColumn = rows.columns
    system = System("MassProportional", rows.dofs)

    def place(group: AccelerationGroup, s: Evaluation) -> Evaluation:
        return evaluate(s, g=accelerations.values[group.first], which=group.bodies)

    def place_tangent(group: AccelerationGroup, s: Evaluation) -> Evaluation:
        # the tangent is added to the matrix entries of the bodies of the group
        return evaluate(place(group, s), slots=s.slots_of[group.component].places)

    found: list[tuple[Function, Placing]] = []
    tangents: list[tuple[Function, Placing]] = []
    for group in groups:
        body = systems.get(group.component)
        if body is None or body.body_force is None:
            row = rows.rows[group.first]
            raise ModelError(
                f"body in MassProportional row {row} is a {group.component.__name__}: must be a body with mass"
            )
        found.append((body.body_force.force, partial(place, group)))
        if body.body_force.tangent is not None:
            tangents.append((body.body_force.tangent, partial(place_tangent, group)))
    system.load = Term(join(accelerations, found), join(accelerations, tangents) if tangents else None)
    return system


def join(accelerations: TimeColumn, parts: list[tuple[Function, Placing]]) -> Function:
    """Combine functions of bodies into one function. The combined function first evaluates the accelerations at the
    current time. Then it calls the function of each pair in ``parts`` with the `Evaluation` that the `Placing` of the
    pair returns.
    """
    calls = [function.where(place) for function, place in parts if isinstance(function, Call)]
    if len(calls) == len(parts):
        return sum(calls, accelerations.fill)

    def add(s: Evaluation) -> None:
        accelerations(s.t)
        for function, place in parts:
            function(place(s))

    return add


register(
    MassProportional,
    "load",
    dofs="body",
    bind=bind,
    build=build,
    outputs={
        "acceleration": Output(
            "m/s^2",
            "applied acceleration without the load factor, (3,)",
            lambda rows, s: rows.columns(s.t) * rows.local("active")[:, None],
        )
    },
    source="[@gerstmayr2008]",
)
