"""What makes a run with contact between circles and cables doubtful, said before it begins or found when it has ended.

- Step size.  The mass m = rho A L/n of a segment on the contact stiffness k swings with the period T = 2 pi sqrt(m/k),
  which the step must resolve.
- Angle per segment.  A straight segment of length l touches a circle in its middle; the path of the cable is longer by
  about (l/r)^2/24 of itself [1], which a stiff cable answers with tension.
- Statics: a circle that no cable is near.
- A closed belt winds around its pulleys as often as before, or it has left them.
"""

from __future__ import annotations

import numpy as np

from windlass.connectors.cable_shape import FAMILY, ShapeColumns
from windlass.connectors.circle_contact import CIRCLE_FAMILY, Contact, eval_segments
from windlass.connectors.position_kernels import PositionColumns
from windlass.framework.law import Fields, FloatArray, LocalRows, System
from windlass.framework.table import IntArray
from windlass.framework.world import World

LARGEST_ANGLE = 0.5
"""Angle of a segment on its circle [rad] from which results are doubtful: the path is longer by 1 %."""
FAR = 0.5
"""A circle is not touched if every gap is larger than this times its radius."""


def watch(system: System, rows: LocalRows, contact: Contact) -> None:
    """Have a system say what makes runs doubtful."""
    system.doubts = lambda fields, step: find_doubts(rows, contact, fields, step)
    system.invariants = lambda fields: count_windings(rows, fields)


def find_doubts(rows: LocalRows, contact: Contact, fields: Fields, step: float) -> list[str]:
    """Doubts in words; see `System.doubts`."""
    c = contact.columns
    on = np.flatnonzero(c.active & (c.kc > 0.0))
    if not len(on):
        return []
    found, kind = [], rows.table.kind
    angle = c.L / c.r
    worst = on[np.argmax(angle[on])]
    if angle[worst] > LARGEST_ANGLE:
        needed = int(np.ceil(c.n[worst] * angle[worst] / LARGEST_ANGLE))
        found.append(
            f"a segment of {kind} row {rows.rows[worst]} spans {angle[worst]:.3g} rad of its circle of radius "
            f"{c.r[worst]:g} m: take at least {needed} segments per cable, or more cables"
        )
    if step > 0.0:
        mass = find_mass_per_length(rows) * c.L
        period = 2.0 * np.pi * np.sqrt(mass / np.where(c.kc > 0.0, c.kc, np.inf))
        heavy = on[period[on] > 0.0]
        worst = heavy[np.argmin(period[heavy])] if len(heavy) else on[0]
        if 0.0 < period[worst] < step:
            found.append(
                f"the step of {step:.3g} s is longer than the period of {period[worst]:.3g} s of the cable on the "
                f"contact stiffness of {kind} row {rows.rows[worst]}, take a step below {0.5 * period[worst]:.2g} s"
            )
        return found
    gap = eval_segments(contact, fields)[..., 6].min(axis=1)
    markers, of_row = np.unique(rows.column("circle"), return_inverse=True)
    near = np.zeros(len(markers), dtype=bool)
    near[of_row[gap <= FAR * c.r]] = True
    return [*found, *(f"no cable is near the circle {name}" for name in name_circles(rows.world, markers[~near]))]


def count_windings(rows: LocalRows, fields: Fields) -> dict[str, float]:
    """How often the cables of these rows wind around each circle, counter-clockwise [1]; see `System.invariants`."""
    shape: ShapeColumns = fields.markers[FAMILY]
    circle: PositionColumns = fields.markers[CIRCLE_FAMILY]
    segments = rows.column("segments")
    row = np.repeat(np.arange(len(segments)), segments)
    within = np.arange(len(row)) - np.repeat(np.cumsum(segments) - segments, segments)
    first = shape.start[rows.markers("cable")][row] + within
    center = circle.p[rows.markers("circle")][row, :2]
    (ax, ay), (bx, by) = (shape.p[first] - center).T, (shape.p[first + 1] - center).T
    angle = np.arctan2(ax * by - ay * bx, ax * bx + ay * by)
    markers, of_row = np.unique(rows.column("circle"), return_inverse=True)
    turns = np.bincount(of_row[row], angle, len(markers)) / (2.0 * np.pi)
    names = name_circles(rows.world, markers)
    return {f"windings around {name}": float(turn) for name, turn in zip(names, turns, strict=True)}


def find_mass_per_length(rows: LocalRows) -> FloatArray:
    """Mass per length of the cables of contact rows [kg/m], shape (rows,)."""
    world, mass = rows.world, np.zeros(len(rows.rows))
    for shapes, at, shape_rows in world.split_by_table(rows.column("cable")):
        for cables, inner, cable_rows in world.split_by_table(shapes.values("cable", shape_rows)):
            mass[at[inner]] = cables.values("mass_per_length", cable_rows)
    return mass


def name_circles(world: World, markers: IntArray) -> list[str]:
    """Names of what rigid markers are attached to."""
    names = [""] * len(markers)
    for table, positions, rows in world.split_by_table(markers):
        holder = next(iter(table.component.refs))
        for owner, inner, owner_rows in world.split_by_table(table.values(holder, rows)):
            for place, row in zip(positions[inner], owner_rows, strict=True):
                names[place] = owner.describe(int(row))
    return names
