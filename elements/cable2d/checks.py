"""Checks of the shape of cables: before a solve for cables that are far too short, after static solves for cables
turned inside out and for buckling that the mesh cannot represent.

The cubic between two nodes may run backwards: its slope at a node then points against the chord,

    r'·(r_1 - r_0) < 0    at x = 0 or x = L.

A physical shape fulfils this condition only if an element bends by more than 180° (a circle of one element). A fold has
little energy in a soft cable and may even be a minimum of the potential, but no cable of a finer mesh has this shape.

A steep line bends near its lower end, where its tension is smallest. At this end one element bends by L κ, many times
its average bend, which a cubic does not resolve.

A piece of the length L buckles between clamped ends at N = -4 π² EI/L². One cubic cannot buckle, so an element can
carry a larger compressive force than the real cable, unless contact supports the cable sideways. The check only reports
this, because the user must decide.

Source: S. P. Timoshenko, J. M. Gere, Theory of Elastic Stability, McGraw-Hill (1961), section 2.2.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from windlass.elements.cable2d.force_functions import has_function
from windlass.elements.cable2d.outputs import CableView, node_dofs
from windlass.elements.cable2d.strains import dot, eval_strains
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows
from windlass.framework.model.system import Fault, Fields

Flags = NDArray[np.bool_]

LARGEST_STRETCH = 0.5
"""Stretch at the start, per unstretched length [1], beyond which a cable is reported as too short for its route."""
LARGEST_TURN = 75.0
"""Angle between the slopes at both ends of a cable [degrees] from which its shape is not resolved. In slack lines with
neighbouring ends the error of the horizontal force is 2 % at 80 degrees, and the force is wrong by factors from 88
degrees on."""
END_BEND, UNEVEN = 1.25, 1.9
"""END_BEND, UNEVEN: limits of L κ at an end of a cable [rad], and of L κ divided by the angle between both slopes [1].
Where both limits are exceeded, the shape is not resolved, and the error of the horizontal force is 1.3 to 8 % in steep
slack lines, and at most 1.3 % in other lines."""
LEAST_COSINE = np.cos(0.3)
"""Angle between slopes [rad] below which the bend of a cable counts as uniform."""
LEAST_STRAIN = 1e-6
"""Compressive strain [1] below which compression is ignored: in slack ropes such strains are an effect of the mesh."""


def create_diagnosis(rows: LocalRows) -> Callable[[Fields], list[Fault]]:
    """Create the `Checks.find_faults` of 2D or 3D cables."""
    dofs, given = node_dofs(rows), has_function(rows)
    length, free = rows.local("length"), eval_free_strain(rows)
    folded, shortened, bent = np.zeros((3, len(dofs)), np.bool_)

    def diagnose(s: Fields) -> list[Fault]:
        mark_suspects(s.x, dofs, length, free, folded, shortened, bent)
        which = np.flatnonzero(folded)
        faults = find_folded(rows.select(which), s.x[dofs[which]]) if len(which) else []
        faults += find_buckled(rows, np.flatnonzero(shortened | given), s)
        which = np.flatnonzero(bent & ~folded)
        return faults + (find_bent(rows.select(which), s.x[dofs[which]]) if len(which) else [])

    return diagnose


def create_doubts(rows: LocalRows) -> Callable[[Fields, float], list[str]]:
    """Create the `Checks.doubts` of cables without user functions: an initial stretch by more than half of the
    length."""
    dofs, given = node_dofs(rows), has_function(rows)
    unstretched = rows.local("length") * (1.0 + eval_free_strain(rows))
    first, _, last, _ = (np.ascontiguousarray(part) for part in np.split(dofs, 4, axis=1))

    def find_doubts(s: Fields, _: float) -> list[str]:
        chord = s.x[last] - s.x[first]
        # the chord is a lower bound of the length of a bent cable
        stretch = np.sqrt(dot(chord, chord)) / unstretched - 1.0
        long = np.flatnonzero((stretch > LARGEST_STRETCH) & ~given)
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
    own = share * eval_mean_strain(rows.reference[:, : node_dofs(rows).shape[1]], rows.local("length"))
    free: FloatArray = rows.local("reference_strain") + own
    return free


def eval_mean_strain(x: FloatArray, length: FloatArray) -> FloatArray:
    """Mean strain at both ends and the middle [1], shape (rows,), at coordinates x, shape (rows, 4 d)."""
    r0, s0, r1, s1 = split(x)
    middle = 1.5 * (r1 - r0) / length[:, None] - 0.25 * (s0 + s1)
    first, half, last = (np.sqrt(dot(p, p)) for p in (s0, middle, s1))
    strains: FloatArray = (first + half + last) / 3.0 - 1.0
    return strains


def split(x: FloatArray) -> list[FloatArray]:
    """Split coordinates x, shape (rows, 4 d), into position and slope of both nodes, shape (rows, d) each."""
    return np.split(x, 4, axis=1)


@kernel
def bend_at_ends(x: FloatArray, dofs: IntArray, length: float, d: int) -> tuple[float, float]:
    """L κ at both ends of a cable [rad], with the curvature |r' x r''|/|r'|²."""
    slope0, product0, rate0, slope1, product1, rate1 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for a in range(d):
        chord = (x[dofs[2 * d + a]] - x[dofs[a]]) / length
        s0, s1 = x[dofs[d + a]], x[dofs[3 * d + a]]
        k0, k1 = 6.0 * chord - 4.0 * s0 - 2.0 * s1, 2.0 * s0 + 4.0 * s1 - 6.0 * chord
        slope0, product0, rate0 = slope0 + s0 * s0, product0 + s0 * k0, rate0 + k0 * k0
        slope1, product1, rate1 = slope1 + s1 * s1, product1 + s1 * k1, rate1 + k1 * k1
    bend0 = sqrt(max(slope0 * rate0 - product0**2, 0.0)) / slope0
    bend1 = sqrt(max(slope1 * rate1 - product1**2, 0.0)) / slope1
    return bend0, bend1


@kernel
def mark_suspects(
    x: FloatArray, dofs: IntArray, length: FloatArray, free: FloatArray, folded: Flags, shortened: Flags, bent: Flags
) -> None:
    """Mark cables with a slope against their chord, with a mean strain below the strain without force, or with a large
    angle between both slopes or a large bend at one end, shape (rows,)."""
    d = dofs.shape[1] // 4
    limit = np.cos(np.radians(LARGEST_TURN))
    for i in range(len(dofs)):
        along0, along1, square0, square, square1, both = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for a in range(d):
            slope0, slope1, chord = x[dofs[i, d + a]], x[dofs[i, 3 * d + a]], x[dofs[i, 2 * d + a]] - x[dofs[i, a]]
            middle = 1.5 * chord / length[i] - 0.25 * (slope0 + slope1)
            along0, along1 = along0 + slope0 * chord, along1 + slope1 * chord
            square0, square, square1 = square0 + slope0 * slope0, square + middle * middle, square1 + slope1 * slope1
            both += slope0 * slope1
        cosine = both / np.sqrt(square0 * square1)
        bent[i] = cosine < limit
        if cosine < LEAST_COSINE and not bent[i]:
            bend0, bend1 = bend_at_ends(x, dofs[i], length[i], d)
            bend = max(bend0, bend1)
            bent[i] = bend > END_BEND and bend > UNEVEN * np.arccos(cosine)
        folded[i] = min(along0, along1) < 0.0
        stretch = np.sqrt(square0) + np.sqrt(square) + np.sqrt(square1)
        shortened[i] = stretch / 3.0 - 1.0 < free[i] - LEAST_STRAIN


def find_folded(rows: LocalRows, x: FloatArray) -> list[Fault]:
    """Find cables that are turned inside out at coordinates x, shape (rows, 4 d)."""
    faults = []
    r0, s0, r1, s1 = split(x)
    chord = r1 - r0
    for end, slope in enumerate((s0, s1)):
        along = dot(slope, chord)
        for i in np.flatnonzero(along < 0.0):
            size = np.linalg.norm(slope[i]) * np.linalg.norm(chord[i])
            angle = np.degrees(np.arccos(max(along[i] / size, -1.0)))
            faults.append(
                Fault(
                    f"{rows.table.describe(int(rows.rows[i]))} is turned inside out: its slope at node{end} points "
                    f"{angle:.0f}° away from its chord, must be < 90°"
                )
            )
    return faults


def find_bent(rows: LocalRows, x: FloatArray) -> list[Fault]:
    """Find cables that bend by more than the mesh resolves, at coordinates x, shape (rows, 4 d)."""
    _, s0, _, s1 = split(x)
    angles = np.degrees(np.arccos(dot(s0, s1) / np.sqrt(dot(s0, s0) * dot(s1, s1))))
    faults = []
    for i, (row, angle) in enumerate(zip(rows.rows, angles, strict=True)):
        if angle >= LARGEST_TURN:
            bend, wrong = f"turns by {angle:.0f}° between its nodes, must be < {LARGEST_TURN:.0f}°", "by far"
        else:
            ends = bend_at_ends(x[i], np.arange(x.shape[1]), float(rows.local("length")[i]), x.shape[1] // 4)
            bend = (
                f"turns by {angle:.0f}° between its nodes, but at one end as if it were {np.degrees(max(ends)):.0f}°, "
                f"must be < {np.degrees(END_BEND):.0f}° or {UNEVEN:g} times as much"
            )
            wrong = "by some percents"
        words = (
            f"the mesh does not resolve the bend, and forces there may be wrong {wrong}: take more, shorter elements"
        )
        faults.append(Fault(f"{rows.table.describe(int(row))} {bend}: {words}", certain=False, coarse=True))
    return faults


def find_buckled(rows: LocalRows, which: IntArray, s: Fields) -> list[Fault]:
    """Find cables whose compressive force exceeds the buckling load of a piece of their length."""
    if not len(which):
        return []
    some = rows.select(which)
    dofs, length = node_dofs(some), some.local("length")
    view: CableView = some.columns
    places = view.find_places(np.array([[0.0, 0.5, 1.0]]))
    strains = eval_strains(places.shape, s.x[dofs], np.zeros(dofs.shape))
    force = view.eval_force("axial_force", s.t, places, strains).mean(axis=1)
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
