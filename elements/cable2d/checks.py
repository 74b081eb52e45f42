"""Checks of the shape of cables: before a solve which are far too short, after statics which are turned inside out, and
where the mesh hides buckling.

The cubic between two nodes may run backwards: its slope at a node then points against the chord,

    r'·(r_1 - r_0) < 0    at x = 0 or x = L,

as it does in a true shape only where one element bends by more than 180° (a circle of one element).  Such a fold costs
little energy in a soft cable and may even be a minimum of the potential; no cable that a finer mesh has looks like it.

A piece of the length L buckles between clamped ends at N = -4 π² EI/L².  One cubic cannot, so that beyond that force
an element holds what the cable does not, unless contact supports it sideways: this is for the user to decide.

Source: S. P. Timoshenko, J. M. Gere, Theory of Elastic Stability, McGraw-Hill (1961), section 2.2.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from windlass.elements.cable2d.outputs import Motion, create_section, eval_force
from windlass.elements.cable2d.user_laws import has_law
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows
from windlass.framework.model.system import Fault, Fields

Flags = NDArray[np.bool_]

LARGEST_STRETCH = 0.5
"""Stretch at the start, per unstretched length [1], beyond which a cable is too short for its route."""
LEAST_STRAIN = 1e-6
"""Compression below this strain [1] is not looked at: in slack ropes it is noise of the mesh."""


def create_diagnosis(rows: LocalRows) -> Callable[[Fields], list[Fault]]:
    """The `Checks.find_faults` of cables whose first 8 coordinates are those of their nodes."""
    dofs, law = rows.dofs[:, :8], has_law(rows)
    length, free = rows.local("length"), eval_free_strain(rows)
    folded, shortened = np.zeros(len(dofs), np.bool_), np.zeros(len(dofs), np.bool_)

    def diagnose(s: Fields) -> list[Fault]:
        mark_suspects(s.x, dofs, length, free, folded, shortened)
        which = np.flatnonzero(folded)
        faults = find_folded(rows.select(which), s.x[dofs[which]]) if len(which) else []
        return faults + find_buckled(rows, np.flatnonzero(shortened | law), s)

    return diagnose


def create_doubts(rows: LocalRows) -> Callable[[Fields, float], list[str]]:
    """The `Checks.doubts` of cables without user laws: what begins stretched by more than half its length."""
    dofs, law = rows.dofs[:, :8], has_law(rows)
    unstretched = rows.local("length") * (1.0 + eval_free_strain(rows))

    def find_doubts(s: Fields, _: float) -> list[str]:
        x = s.x[dofs]
        chord = np.hypot(x[:, 4] - x[:, 0], x[:, 5] - x[:, 1])
        # of its length at least: a bent cable is longer than its chord
        stretch = chord / unstretched - 1.0
        long = np.flatnonzero((stretch > LARGEST_STRETCH) & ~law)
        if not len(long):
            return []
        i = long[0]
        more = f" (and {len(long) - 1} more)" if len(long) > 1 else ""
        return [
            f"{rows.table.describe(int(rows.rows[i]))}{more} begins stretched by {100 * stretch[i]:.0f} % of its "
            f"unstretched length of {unstretched[i]:.3g} m: the cable is shorter than its route, look at length "
            "[m] and reference_strain [1]"
        ]

    return find_doubts


def eval_free_strain(rows: LocalRows) -> FloatArray:
    """Strain without force [1], shape (rows,)."""
    share = rows.local("strain_is_relative_to_reference")
    own = share * eval_mean_strain(rows.reference[:, :8], rows.local("length"))
    free: FloatArray = rows.local("reference_strain") + own
    return free


def eval_mean_strain(x: FloatArray, length: FloatArray) -> FloatArray:
    """Mean strain at both ends and the middle [1], shape (rows,), at coordinates x, shape (rows, 8)."""
    middle = 1.5 * (x[:, 4:6] - x[:, 0:2]) / length[:, None] - 0.25 * (x[:, 2:4] + x[:, 6:8])
    first, half, last = (np.sqrt(p[:, 0] ** 2 + p[:, 1] ** 2) for p in (x[:, 2:4], middle, x[:, 6:8]))
    strains: FloatArray = (first + half + last) / 3.0 - 1.0
    return strains


@kernel
def mark_suspects(
    x: FloatArray, dofs: IntArray, length: FloatArray, free: FloatArray, folded: Flags, shortened: Flags
) -> None:
    """Mark cables with a slope against their chord, and with a mean strain below that without force, shape (rows,)."""
    for i in range(len(dofs)):
        slope0, slope1 = (x[dofs[i, 2]], x[dofs[i, 3]]), (x[dofs[i, 6]], x[dofs[i, 7]])
        chord = x[dofs[i, 4]] - x[dofs[i, 0]], x[dofs[i, 5]] - x[dofs[i, 1]]
        folded[i] = min(slope0[0] * chord[0] + slope0[1] * chord[1], slope1[0] * chord[0] + slope1[1] * chord[1]) < 0.0
        middle_x = 1.5 * chord[0] / length[i] - 0.25 * (slope0[0] + slope1[0])
        middle_y = 1.5 * chord[1] / length[i] - 0.25 * (slope0[1] + slope1[1])
        stretch = np.hypot(slope0[0], slope0[1]) + np.hypot(middle_x, middle_y) + np.hypot(slope1[0], slope1[1])
        shortened[i] = stretch / 3.0 - 1.0 < free[i] - LEAST_STRAIN


def find_folded(rows: LocalRows, x: FloatArray) -> list[Fault]:
    """Cables that are turned inside out, at coordinates x, shape (rows, 8)."""
    faults = []
    chord = x[:, 4:6] - x[:, 0:2]
    for end, slope in enumerate((x[:, 2:4], x[:, 6:8])):
        along = slope[:, 0] * chord[:, 0] + slope[:, 1] * chord[:, 1]
        for i in np.flatnonzero(along < 0.0):
            cross = chord[i, 0] * slope[i, 1] - chord[i, 1] * slope[i, 0]
            angle = np.degrees(np.abs(np.arctan2(cross, along[i])))
            faults.append(
                Fault(
                    f"{rows.table.describe(int(rows.rows[i]))} is turned inside out: its slope at node{end} points "
                    f"{angle:.0f}° away from its chord, must be < 90°"
                )
            )
    return faults


def find_buckled(rows: LocalRows, which: IntArray, s: Fields) -> list[Fault]:
    """Those of some cables that hold more compression than a piece of their length."""
    if not len(which):
        return []
    some = rows.select(which)
    dofs, length = some.dofs[:, :8], some.local("length")
    motion = Motion(s.x[dofs], np.zeros(dofs.shape), np.zeros(dofs.shape))
    places = length[:, None] * np.array([0.0, 0.5, 1.0])
    force = eval_force(create_section(some, motion, s.t, places, 0.0), "axial_force").mean(axis=1)
    limit = -4.0 * np.pi**2 * some.local("bending_stiffness") / length**2
    beyond = (force < limit) & (force < -LEAST_STRAIN * some.local("axial_stiffness"))
    return [
        Fault(
            f"{some.table.describe(int(some.rows[i]))} is slack: it holds {force[i]:.4g} N in compression, and a piece "
            f"of its length buckles between clamped ends at {limit[i]:.4g} N; must be tension, shorter cables, or "
            "contact that holds it sideways",
            certain=False,
        )
        for i in np.flatnonzero(beyond)
    ]
