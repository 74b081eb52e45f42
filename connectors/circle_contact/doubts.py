"""Checks of models with contact between circles and cables. Each check finds a reason why results may be wrong, and
reports it before or after a run.

- Step size: the mass m = rho A L/n of a segment vibrates on the contact stiffness k with the period T = 2 pi sqrt(m/k).
  Time steps must resolve this period. If a time step is longer than `LONGEST_STEP` periods, the computed energy losses
  of belts are doubtful.
- Angle per segment: the middle of a straight segment of length l touches the circle. Because of this approximation, the
  path of the cable becomes longer by the fraction (l/r)²/24, which increases the tension of a stiff cable. If a cable
  crosses a circle along a chord shorter than the spacing of the contact points, the contact may not be detected.
- Length of cables: the cubic axes of cables deviate from the circle. The effect of this deviation on results depends on
    the stiffness of contact and bristles, see `mesh.py`.
- Beams of order 1: their axes are polygons on the circle, see `contact/polygons.py`.
- Overlapping circles: circles that touch the same cable must not overlap, because two pulleys in one plane cannot
  overlap.
- Start of a motion: a dynamic solve raises an error if a cable is deep inside a circle at the start, because contact
  would accelerate the cable out of the circle.
- Static solves: the result is doubtful if a circle is far from all cables (not checked in parallel runs). The result is
  also doubtful if a cable is deep inside a circle at the start, because contact pushes the cable out of the circle on
  the nearer side. This side may be the wrong side. For example, if a circle represents a sea bed, a cable may be pushed
  out below the sea bed.
- Windings: if the number of turns of a closed belt around a pulley changes, the belt has come off the pulley.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.circle_contact.mesh import (
    count_touching,
    find_coarse_belts,
    find_mesh_doubts,
    find_touching_belts,
)
from windlass.connectors.circle_contact.view import find_cables, name_circles, view_contact
from windlass.connectors.circle_segments.common import Contact
from windlass.connectors.contact.circles import CIRCLE_FAMILY, segment_places
from windlass.connectors.contact.place_numbers import GAP
from windlass.connectors.contact.polygons import find_coarse_polygons, find_polygons
from windlass.connectors.curves.belt_tooth_contact import BeltToothContact
from windlass.connectors.markers.cable_shape import column_of
from windlass.connectors.markers.position_kernels import PositionMarkers
from windlass.framework.arrays import BoolArray, FloatArray, IntArray
from windlass.framework.model.gaps import Wraps
from windlass.framework.model.law import LocalRows, Tables
from windlass.framework.model.system import Fields, System

LARGEST_ANGLE = 0.5
"""Angle of a segment on its circle [rad]. Above this value, results are doubtful. At this angle, the path of the cable
around the circle is 1 % too long.
"""
LONGEST_STEP = 3.0
"""Ratio of the step size to the period of the vibration of a belt on its contact stiffness [1]. Above this value, the
computed energy losses of the belt are doubtful. In test runs, bristles with the stiffness 60 EA/R² vibrated with steps
of 4 periods, and bristles with the stiffness 8 EA/R² vibrated with steps of 16 periods.
"""
FAR = 0.5
"""Ratio of the smallest gap to the radius of the circle [1]. Above this value, the circle is reported as untouched."""
DEEP = 0.25
"""Depth of a cable inside a circle, divided by the radius [1]. Above this value, the start of a static solve is
doubtful.
"""
DEEPEST = 0.5
"""Depth of a cable inside a circle, divided by the radius [1]. Above this value, a dynamic solve does not start."""
TOUCHING = 1e-9
"""Overlap of two circles, divided by the sum of their radii [1]. Below this value, the circles are not reported as
overlapping.
"""


def watch(system: System, rows: LocalRows) -> None:
    """Add the checks of this module, and the data from which solvers check wrapped contacts (`Wraps`), to a system of
    segments or points.
    """
    view, own = view_contact(rows), rows.columns
    c = own.columns.rows if isinstance(own, Contact) else own.rows
    row, within = segment_places(c["segments"])

    def find(fields: Fields, step: float) -> list[str]:
        long_steps = find_long_steps(rows, c, fields, step) if view.at_point else ()
        return find_doubts(rows, c, fields, step, lambda: view.evaluate(fields), long_steps)

    system.checks.doubts = find
    system.checks.refusals = lambda fields: refuse_deep(rows, c, view.evaluate(fields))
    if view.at_point:
        polygons = find_polygons(rows)
        system.checks.reasons = lambda fields, step: [
            *find_polygons_on_circles(rows, c, fields, polygons), *find_coarse_belts(rows, c, fields),
            *find_long_steps(rows, c, fields, step),
        ]  # fmt: skip
        system.checks.sums = lambda fields: count_touching(rows, c, fields)
    system.checks.invariants = lambda fields: count_windings(rows, c, fields, *view.parts(fields, row, within)[:2])
    if system.gaps is not None:
        markers, pulley = np.unique(rows.local("circle"), return_inverse=True)
        # angle that a segment covers on the circle; 0 on toothed pulleys, where the angle is not checked
        angle = np.where(np.isin(rows.local("circle"), find_grooved(rows.world)), 0.0, c["length"] / c["radius"])
        of, angle, stiffness = (np.repeat(values, c["segments"]) for values in (pulley, angle, c["contact_stiffness"]))
        place = c["data"][row] + within
        system.gaps.wraps = Wraps(of, place, angle, stiffness, lambda: name_circles(rows.world, markers))


def find_polygons_on_circles(rows: LocalRows, c: NDArray[Any], fields: Fields, polygons: BoolArray) -> list[str]:
    """Return the result of `find_coarse_polygons` for rows of a law with points. ``polygons`` is the result of
    `find_polygons`.
    """
    EA = c["axial_stiffness"]
    strain = np.where(EA > 0.0, c["press"] / np.where(EA > 0.0, EA, 1.0), 0.0)
    return find_coarse_polygons(rows, c, c["segments"], polygons, fields, strain)


def find_grooved(world: Tables) -> IntArray:
    """Return the entity indices of the markers of toothed pulleys. A belt whose teeth climb out of the grooves loses
    contact with the face of the pulley, but remains on the pulley.
    """
    table = world.tables.get(BeltToothContact)
    return np.zeros(0, np.int64) if table is None else table.local("marker0")


def find_doubts(
    rows: LocalRows, c: NDArray[Any], fields: Fields, step: float, evaluate: Callable[[], FloatArray],
    long_steps: Sequence[str] = (),
) -> list[str]:  # fmt: skip
    """Return descriptions of all reasons for doubt, see `Checks.doubts`.

    Args:
        evaluate: function that returns the outputs of all segments or points, see `eval_segments`.
        long_steps: results of `find_long_steps`. If this list is not empty, its texts are also returned, and the step
            size is not checked again.
    """
    on = np.flatnonzero(c["active"] & (c["contact_stiffness"] > 0.0))
    if not len(on):
        return []
    found, kind = find_overlaps(rows, c, fields, on), rows.table.kind
    radius, stiffness = c["radius"], c["contact_stiffness"]
    angle = c["length"] / radius
    worst = on[np.argmax(angle[on])]
    if angle[worst] > LARGEST_ANGLE:
        needed = int(np.ceil(c["segments"][worst] * angle[worst] / LARGEST_ANGLE))
        found.append(
            f"a segment of {kind} row {rows.rows[worst]} spans {angle[worst]:.3g} rad of its circle of radius "
            f"{radius[worst]:g} m: take at least {needed} segments per cable, or more cables"
        )
    if step > 0.0:
        mass = column_of(rows.world, find_cables(rows.world, rows.local("cable")), "mass_per_length") * c["length"]
        period = 2.0 * np.pi * np.sqrt(mass / np.where(stiffness > 0.0, stiffness, np.inf))
        heavy = on[period[on] > 0.0]
        worst = heavy[np.argmin(period[heavy])] if len(heavy) else on[0]
        if long_steps:
            found += long_steps
        elif 0.0 < period[worst] < step:
            found.append(
                f"the step of {step:.3g} s is longer than the period of {period[worst]:.3g} s of the cable on the "
                f"contact stiffness of {kind} row {rows.rows[worst]}, take a step below {0.5 * period[worst]:.2g} s"
            )
        return [*found, *find_mesh_doubts(rows, c, evaluate(), find_cables(rows.world, rows.local("cable")))]
    markers, of_row = np.unique(rows.local("circle"), return_inverse=True)
    near = np.zeros(len(markers), dtype=bool)
    gap = evaluate()[..., GAP].min(axis=1)
    # circles that are far from all rows of this process may be near rows of another process
    near[of_row[gap <= FAR * radius] if rows.layout.size == 1 else slice(None)] = True
    worst = on[np.argmin(gap[on] / radius[on])]
    if gap[worst] < -DEEP * radius[worst]:
        (name,) = name_circles(rows.world, rows.local("circle")[[worst]])
        found.append(
            f"a cable begins {-gap[worst]:.3g} m inside the circle {name} of radius {radius[worst]:g} m: contact "
            "pushes the cable out on the nearer side of the circle, which may be the wrong side"
        )
    return [*found, *(f"no cable is near the circle {name}" for name in name_circles(rows.world, markers[~near]))]


def find_long_steps(rows: LocalRows, c: NDArray[Any], fields: Fields, step: float) -> list[str]:
    """Find the belt with the shortest period of the vibration on the contact stiffness. If ``step`` is longer than
    `LONGEST_STEP` times this period, return a description of this belt, otherwise an empty list. See `Checks.reasons`.
    """
    on = find_touching_belts(c, fields)
    on = on[c["contact_stiffness"][on] > 0.0]
    period = 2.0 * np.pi * np.sqrt(c["mass_per_length"][on] * c["length"][on] / c["contact_stiffness"][on])
    if not len(on) or not step > LONGEST_STEP * period.min() > 0.0:
        return []
    worst = int(np.argmin(period))
    return [
        f"steps of {step:.3g} s are {step / period[worst]:.2g} periods of the belt on the contact stiffness of "
        f"{rows.table.kind} row {rows.rows[on[worst]]}: cables that run onto pulleys may rattle there, so that "
        f"their bristles lose their forces; take steps of {period[worst]:.2g} s, or the softer contact that wl.Belt "
        "chooses for the argument step="
    ]


def refuse_deep(rows: LocalRows, c: NDArray[Any], out: FloatArray) -> list[str]:
    """Return descriptions of cables that are so deep inside a circle that a dynamic solve must not start, see
    `Checks.refusals`. The argument ``out`` contains the outputs of all segments or points, shape (rows, n, 12).
    """
    gap, radius = out[..., GAP].min(axis=1), c["radius"]
    deep = np.flatnonzero(c["active"] & (c["contact_stiffness"] > 0.0) & (gap < -DEEPEST * radius))
    names = name_circles(rows.world, rows.local("circle")[deep])
    return [
        f"a cable ({rows.table.kind} row {rows.rows[i]}) is {-gap[i]:.3g} m inside the circle {name} of radius "
        f"{radius[i]:g} m: must be < {DEEPEST * radius[i]:.3g} m; lay it around the circle"
        for i, name in zip(deep, names, strict=True)
    ]


def find_overlaps(rows: LocalRows, c: NDArray[Any], fields: Fields, on: IntArray) -> list[str]:
    """Return descriptions of all pairs of circles that overlap and have contact rows with the same cable. Only the rows
    with the indices ``on`` are examined.
    """
    circle: PositionMarkers = fields.markers[CIRCLE_FAMILY]
    markers, first, of_row = np.unique(rows.local("circle")[on], return_index=True, return_inverse=True)
    center, radius = circle.position[c["circle"][on[first]], :2], c["radius"][on[first]]
    cable = find_cables(rows.world, rows.local("cable"))[on]
    cables = [set(cable[of_row == i].tolist()) for i in range(len(markers))]
    names, found = name_circles(rows.world, markers), []
    for i, j in combinations(range(len(markers)), 2):
        distance = float(np.hypot(*(center[j] - center[i])))
        same = distance == 0.0 and names[i] == names[j]  # two markers of one circle are not reported as an overlap
        if not same and distance < (1.0 - TOUCHING) * (radius[i] + radius[j]) and cables[i] & cables[j]:
            found.append(
                f"the circles {names[i]} and {names[j]} overlap: their centres are {distance:g} m apart, must be >= "
                f"{radius[i] + radius[j]:g} m, the sum of their radii, because both touch the same cable"
            )
    return found


def count_windings(
    rows: LocalRows, c: NDArray[Any], fields: Fields, begin: FloatArray, end: FloatArray
) -> dict[str, float]:
    """Return the number of counter-clockwise turns around each circle [1] that the cables of these rows make. See
    `Checks.invariants`.

    begin, end: start points and end points [m] of all segments, or of the parts of cables that points represent, in the
    order of the rows, shape (segments, 2) each.
    """
    circle: PositionMarkers = fields.markers[CIRCLE_FAMILY]
    center = circle.position[np.repeat(c["circle"], c["segments"]), :2]
    (ax, ay), (bx, by) = (begin - center).T, (end - center).T
    angle = np.arctan2(ax * by - ay * bx, ax * bx + ay * by)
    markers, of_row = np.unique(rows.local("circle"), return_inverse=True)
    turns = np.bincount(np.repeat(of_row, c["segments"]), angle, len(markers)) / (2.0 * np.pi)
    names = name_circles(rows.world, markers)
    return {f"windings around {name}": float(turn) for name, turn in zip(names, turns, strict=True)}
