"""Torque per length along a beam or a cable with twist, constant or a function of time.

    load: ∫ Jrᵀ m dx,    m = vector, or m = A vector if the vector rotates with the cross section
    derivative: see section_points.py and twist_torques.py. In 2D, where rotations are coordinates, the derivative is 0

Source: principle of virtual work, A. A. Shabana, Dynamics of Multibody Systems, Cambridge University Press.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.loads.line_outputs import line_drawing, line_output
from windlass.connectors.loads.line_points import (
    LEAST_POINTS,
    bind_vectors,
    create_line,
    create_points,
    find_beams,
    group_rows,
    locate,
)
from windlass.connectors.loads.section_points import (
    add_torque_tangents,
    add_torques,
    create_section,
    create_sections,
    fill_vectors,
)
from windlass.connectors.loads.twist_torques import (
    add_twist_torque_tangents,
    add_twist_torques,
    create_twist_points,
    create_twist_sections,
    fill_twist_vectors,
)
from windlass.connectors.user_functions.time_functions import TimeColumn
from windlass.elements.beam.forces2d import WIDTH as PLANE
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.call import Call, call
from windlass.framework.model.law import LocalRows, register
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.schema import function as time_function
from windlass.framework.model.system import Fields, System, Term, evaluate


class LineTorque(Component):
    """A distributed torque along one beam or one cable with twist. In 2D the torque acts about z."""

    cable = ref("beam or twist cable", "the beam, or the 3D cable with twist")
    vector = column(
        "N m/m", "torque per length, in the global frame unless body_fixed is true", shape=(3,),
        default=(0.0, 0.0, 0.0), switchable=True,
    )  # fmt: skip
    function = time_function("f(t) -> torque per length [N m/m], shape (3,); replaces vector", switchable=True)
    body_fixed = column(
        "1",
        "true: the vector rotates with the cross section, and its components are along e_1, e_2, e_3 of a beam or t, "
        "d_1, d_2 of a cable",
        dtype=bool,
        default=False,
    )
    points = column("1", "number of Gauss points on the beam or cable", default=4, dtype=np.int64, minimum=LEAST_POINTS)
    active = column("1", "the load acts only if true", dtype=bool, default=True, switchable=True)


class TorqueRows(NamedTuple):
    """Torques of all rows as functions of time, and the points of the active rows in groups, on beams and on cables
    with twist.
    """

    time: TimeColumn
    beams: list[NDArray[Any]]
    cables: list[NDArray[Any]]


def bind(rows: LocalRows) -> TorqueRows:
    """Create the torques and the points of the rows."""
    active = rows.local("active")
    sections = create_sections(rows, active & find_beams(rows)), create_twist_sections(rows, active)
    return TorqueRows(bind_vectors(rows, "z"), *sections)


def build(rows: LocalRows) -> System:
    """Create the system of `LineTorque`."""
    time, sections, cables = rows.columns
    system = System("LineTorque", rows.dofs)
    torques, tangents = Call(), Call()
    for section in sections:
        torques += call(add_torques, lambda s, c=section: (c, time.values, s.x, s.f))  # type: ignore[misc]
        if section["width"][0] != PLANE:
            tangents += call(
                add_torque_tangents,
                lambda s, c=section: (c, time.values, s.x, s.dq, s.slots, s.values),  # type: ignore[misc]
            )
    for points in cables:
        torques += call(add_twist_torques, lambda s, c=points: (c, time.values, s.x, s.f))  # type: ignore[misc]
        tangents += call(
            add_twist_torque_tangents,
            lambda s, c=points: (c, time.values, s.x, s.dq, s.slots, s.values),  # type: ignore[misc]
        )
    if sections or cables:
        system.load = Term(time.fill + torques, time.fill + tangents if tangents.parts else None)
    return system


class TorqueAnswer(NamedTuple):
    """Positions and torques at k points of each row, in the global frame."""

    r: FloatArray  # position [m], shape (rows, k, 3)
    torque: FloatArray  # torque per length [N m/m], shape (rows, k, 3); 0 for inactive rows


def answer(rows: LocalRows, fields: Fields, s: FloatArray) -> TorqueAnswer:
    """Return positions and torques at the relative positions s = x/L [1], shape (rows, k)."""
    count, k = s.shape
    out = TorqueAnswer(np.zeros((count, k, 3)), np.zeros((count, k, 3)))
    at, time = evaluate(fields), bind_vectors(rows, "z")
    for kind, which in group_rows(rows):
        line, m = create_line(rows, which, kind, s[which], np.zeros(k)), create_points(len(which) * k)
        call(locate)(line, at.x, at.v, at.a, m)
        if kind.order > 0:
            call(fill_vectors)(create_section(rows, which, kind, s[which], np.zeros(k)), time(at.t), at.x, m)
        else:
            call(fill_twist_vectors)(create_twist_points(rows, which, s[which], np.zeros(k)), time(at.t), at.x, m)
        out.r[which], out.torque[which] = m["r"].reshape(-1, k, 3), m["F"].reshape(-1, k, 3)
    out.torque[~rows.local("active")] = 0.0
    return out


DOC = "torque at x per length without the load factor, global, (3,)"
register(
    LineTorque,
    "load",
    dofs="cable",
    bind=bind,
    build=build,
    outputs={"torque_per_length": line_output("N m/m", DOC, answer, "torque")},
    source="[@shabana]",
    draw=line_drawing(answer, {"line_torque_per_length": ("torque", "N m/m")}),
)
