"""Torque per length along a beam, constant or a function of time.

    load: ∫ Jrᵀ m dx,    m = vector, or m = A vector if the vector rotates with the cross section
    derivative: see section_points.py; 0 in 2D, where rotations are coordinates

Source: principle of virtual work, A. A. Shabana, Dynamics of Multibody Systems, Cambridge University Press.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.connectors.loads.line_drawing import draw_along
from windlass.connectors.loads.line_points import LEAST_POINTS, create_line, find_places, group_rows, locate
from windlass.connectors.loads.line_points import create_points as create_motion
from windlass.connectors.loads.section_points import (
    SectionColumns,
    add_torque_tangents,
    add_torques,
    create_section,
    create_sections,
    fill_vectors,
)
from windlass.connectors.user_functions.time_functions import TimeColumn, bind_values
from windlass.elements.beam.forces2d import WIDTH as PLANE
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.call import Call, call
from windlass.framework.model.drawing import Drawing
from windlass.framework.model.law import LocalRows, Output, register
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.schema import function as time_function
from windlass.framework.model.system import Fields, System, Term, evaluate


class LineTorque(Component):
    """A torque along one beam; only its z component acts in 2D."""

    cable = ref("beam", "the beam")
    vector = column(
        "N m/m", "torque per length, in the global frame unless body_fixed", shape=(3,), default=(0.0, 0.0, 0.0),
        switchable=True,
    )  # fmt: skip
    function = time_function(
        "f(t) -> torque per length [N m/m], shape (3,); takes the place of vector", switchable=True
    )
    body_fixed = column(
        "1", "the vector rotates with the cross section, with the components along e_1, e_2, e_3", dtype=bool,
        default=False,
    )  # fmt: skip
    points = column("1", "Gauss points on the beam", default=4, dtype=np.int64, minimum=LEAST_POINTS)
    active = column("1", "acts only if true", dtype=bool, default=True, switchable=True)


def bind(rows: LocalRows) -> tuple[TimeColumn, list[SectionColumns]]:
    """Bind the active rows and their functions."""
    return bind_values(rows, "vector", "function"), create_sections(rows, rows.local("active"))


def build(rows: LocalRows) -> System:
    """Create the system of `LineTorque`."""
    time, sections = rows.columns
    system = System("LineTorque", rows.dofs)
    torques, tangents = Call(), Call()
    for section in sections:
        torques += call(add_torques, lambda s, c=section: (c, time.values, s.x, s.f))  # type: ignore[misc]
        if section.dofs.shape[1] != PLANE * section.N.shape[2]:
            tangents += call(
                add_torque_tangents,
                lambda s, c=section: (c, time.values, s.x, s.dq, s.slots, s.values),  # type: ignore[misc]
            )
    if sections:
        system.load = Term(time.fill + torques, time.fill + tangents if tangents.parts else None)
    return system


def answer(rows: LocalRows, fields: Fields, s: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return position [m] and torque per length in the global frame [N m/m] at the relative positions s = x/L [1],
    shape (rows, k); both results have the shape (rows, k, 3)."""
    count, k = s.shape
    r, m = np.zeros((count, k, 3)), np.zeros((count, k, 3))
    at, time = evaluate(fields), bind_values(rows, "vector", "function")
    for kind, which in group_rows(rows):
        line, motion = create_line(rows, which, kind, s[which], np.zeros(k)), create_motion(len(which) * k)
        call(locate)(line, at.x, at.v, at.a, motion)
        turned = np.zeros((len(which), k, 3))
        call(fill_vectors)(create_section(rows, which, kind, s[which], np.zeros(k)), time(at.t), at.x, turned)
        r[which], m[which] = motion["r"].reshape(-1, k, 3), turned
    m[~rows.local("active")] = 0.0
    return r, m


def eval_torque(rows: LocalRows, fields: Fields, x: Any = None) -> FloatArray:
    """Return the torque per length without the load factor [N m/m], shape (rows, 3), or (rows, k, 3) for k
    positions."""
    m = answer(rows, fields, find_places(rows, x))[1]
    return m if np.ndim(x) == 2 else m[:, 0]


def draw(rows: LocalRows, fields: Fields, subdivisions: int) -> Drawing:
    """Draw the axes of the beams with the torques as vectors at their points."""
    s = np.broadcast_to(np.linspace(0.0, 1.0, subdivisions + 1), (len(rows.rows), subdivisions + 1))
    r, m = answer(rows, fields, s)
    return draw_along(rows, r, {"line_torque_per_length": m}, {"line_torque_per_length": "N m/m"})


DOC = "torque at x per length without the load factor, global, (3,)"
register(
    LineTorque,
    "load",
    dofs="cable",
    bind=bind,
    build=build,
    outputs={"torque_per_length": Output("N m/m", DOC, eval_torque)},
    source="[@shabana]",
    draw=draw,
)
