"""Outputs of the contact between cables, and fields for the drawings of the cables.

| line field | unit | meaning | combination of several points on one line |
| --- | --- | --- | --- |
| `contact_normal_force_per_length` | N/m | pressing force per reference length, 0 where open | sum |
| `gap` | m | distance of the surfaces, < 0 where they press | the smallest |
| `stick_slip` | 1 | 0 sticks, 1 slips, -2 open or without friction | the largest |

Forces and torques of a cable are sums over two groups of contacts: contacts of its points with other cables, and
contacts of points of other cables with this cable.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from windlass.connectors.cable_contact.kernels import OPEN, TOUCHING
from windlass.connectors.cable_contact.places import (
    DEPTH,
    FORCE,
    PART,
    PRESS,
    SLIP,
    TORQUE_A,
    TORQUE_B,
    CableSystem,
    ContactPlaces,
    eval_parts,
    eval_places,
)
from windlass.connectors.contact.account import create_power_outputs
from windlass.connectors.contact.power import STATE
from windlass.framework.arrays import FloatArray
from windlass.framework.model.drawing import Paint, Painting
from windlass.framework.model.law import LocalRows, Output
from windlass.framework.model.system import Fields

PlaceOutput = Callable[[ContactPlaces, Fields], FloatArray]
"""Function ``(places, fields)`` that returns values of all cables of a table, shape (rows, ...)."""


def places_of(rows: LocalRows) -> ContactPlaces:
    """Return the contacts of all cables in the table of the given rows."""
    system = rows.layout.systems[rows.table.component]
    assert isinstance(system, CableSystem) and system.places is not None
    return system.places


def sum_cables(places: ContactPlaces, on_a: FloatArray, on_b: FloatArray) -> FloatArray:
    """Sum the values of all contacts for each cable. The result has the shape (rows, ...). For each contact, ``on_a``
    contains the value on cable A, and ``on_b`` contains the value on cable B.
    """
    taken = places.taken
    other = np.repeat(taken.pair[:, 1], np.diff(taken.first))
    total = np.zeros((len(places.c), *on_a.shape[1:]))
    np.add.at(total, taken.cable, on_a)
    np.add.at(total, other, on_b)
    return total


def over_places(places: ContactPlaces, values: FloatArray, empty: float) -> FloatArray:
    """Return an array with one element for each contact slot, shape (slots,). Slots with a contact get the given
    values, and free slots get the value ``empty``.
    """
    whole = np.full(len(places.point), empty)
    whole[places.taken.rank] = values
    return whole


def over_points(places: ContactPlaces, values: FloatArray, combine: Any, empty: float) -> FloatArray:
    """Combine the values of all contact slots of each point by the function ``combine``. Return an array of the shape
    (rows, largest number of points of a row), which contains ``empty`` for points that do not exist.
    """
    c = places.c
    of_point = combine.reduce(values.reshape(-1, TOUCHING), axis=1)
    whole = np.full((len(c), int(c["points"].max(initial=0))), empty)
    whole[places.slots.cable[::TOUCHING], places.point[::TOUCHING]] = of_point
    return whole


def eval_density(places: ContactPlaces, fields: Fields) -> FloatArray:
    """Return the pressing force per reference length [N/m] of each point, shape (rows, points). Each force is divided
    by the share σ of its contact. The reason is that the contact carries only the fraction σ of the force, and the
    points of the other cable carry the remainder.
    """
    out, _ = eval_places(places, fields)
    c, cable = places.c, places.taken.cable
    density = out[:, PRESS] / out[:, PART] * c["points"][cable] / c["length"][cable]
    return over_points(places, over_places(places, density, 0.0), np.add, 0.0)


def eval_gaps(places: ContactPlaces, fields: Fields) -> FloatArray:
    """Return the smallest gap [m] of each point, inf if no cable is near, shape (rows, points)."""
    out, _ = eval_places(places, fields)
    return over_points(places, over_places(places, -out[:, DEPTH], np.inf), np.minimum, np.inf)


def eval_states(places: ContactPlaces, fields: Fields) -> FloatArray:
    """Return the contact state of each point, shape (rows, points). If a point has several contacts, return the largest
    state.
    """
    _, parts = eval_places(places, fields)
    return over_points(places, over_places(places, np.maximum(parts[:, STATE], OPEN), OPEN), np.maximum, OPEN)


def eval_slip(places: ContactPlaces, fields: Fields) -> FloatArray:
    """Return the largest slip velocity [m/s] of each point, shape (rows, points)."""
    out, _ = eval_places(places, fields)
    speed = np.linalg.norm(out[:, SLIP : SLIP + 3], axis=1)
    return over_points(places, over_places(places, speed, 0.0), np.maximum, 0.0)


def eval_torque(places: ContactPlaces, fields: Fields) -> FloatArray:
    """Return the friction torque [N m] about the axis of each cable, shape (rows,). If friction does not turn the
    cable, an external support carries this torque.
    """
    out, _ = eval_places(places, fields)
    return sum_cables(places, out[:, TORQUE_A], out[:, TORQUE_B])


def eval_sum(first: int, last: int, sign: float) -> PlaceOutput:
    """Create the function of an output that sums some columns over the contacts of each cable. The columns are
    ``first`` to ``last - 1`` of ``out`` in `fill_places`. For contacts of points of other cables with this cable, the
    summed values are multiplied by ``sign``.
    """

    def evaluate(places: ContactPlaces, fields: Fields) -> FloatArray:
        out, _ = eval_places(places, fields)
        values = out[:, first] if last == first + 1 else out[:, first:last]
        return sum_cables(places, values, sign * values)

    return evaluate


def eval_count(places: ContactPlaces, fields: Fields) -> FloatArray:
    """Return the number of closed contacts of the points of each cable, shape (rows,)."""
    out, _ = eval_places(places, fields)
    return np.bincount(places.taken.cable[out[:, DEPTH] > 0.0], minlength=len(places.c)).astype(np.float64)


def create_output(unit: str, doc: str, evaluate: PlaceOutput, fill: float = 0.0, summed: bool = False) -> Output:
    """Create an output of cables. The function ``evaluate`` returns its values for all cables of the table. ``summed``:
    whether values are summed over processes, which is necessary if points of one process act on cables of other
    processes.
    """
    return Output(
        unit, doc, lambda rows, fields: evaluate(places_of(rows), fields)[rows.rows], fill, summed=summed
    )  # fmt: skip


OUTPUTS = {
    "contact_force": create_output(
        "N", "force of all contacts on the cable, global, (3,)", eval_sum(FORCE, FORCE + 3, -1.0), summed=True
    ),
    "normal_force": create_output(
        "N", "sum of all pressing forces on the cable, ()", eval_sum(PRESS, PRESS + 1, 1.0), summed=True
    ),
    "axis_torque": create_output(
        "N m",
        "torque of friction about the axis of the cable, ()",
        eval_torque,
        summed=True,
    ),
    "contact_count": create_output("1", "number of contacts of the cable with a pressing force, ()", eval_count),
    "normal_force_per_length": create_output("N/m", "pressing force at each point, (points,)", eval_density),
    "gap": create_output("m", "smallest gap of each point, inf if no cable is near, (points,)", eval_gaps, np.inf),
    "stick_slip": create_output(
        "1", "state of each point: 0 sticks, 1 slips, -2 open or without friction, (points,)", eval_states, OPEN
    ),
    "slip_velocity": create_output("m/s", "largest slip velocity of each point, (points,)", eval_slip),
    **create_power_outputs(True, lambda rows, fields: eval_parts(places_of(rows), fields)[rows.rows, :, :6]),
}


def paint(rows: LocalRows, fields: Fields) -> Painting:
    """Add pressing forces, gaps and states to the lines of the cables."""
    places = places_of(rows)
    c = places.c
    cable, point = places.slots.cable[::TOUCHING], places.point[::TOUCHING]
    length = c["length"][cable] / c["points"][cable]

    def field(evaluate: PlaceOutput) -> FloatArray:
        values: FloatArray = evaluate(places, fields)[cable, point]
        return values

    gap = field(eval_gaps)
    return Painting(
        rows.table.local("cable")[cable],
        point * length,
        (point + 1) * length,
        {
            "contact_normal_force_per_length": Paint(field(eval_density), "sum", 0.0, "N/m"),
            "gap": Paint(np.where(np.isinf(gap), np.nan, gap), "min", np.nan, "m"),
            "stick_slip": Paint(field(eval_states), "max", OPEN, "1"),
        },
    )
