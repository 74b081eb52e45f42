"""Checks of the shape of cables. Before a solve, the checks find cables that are much too short for their route. After
static solves, the checks find folded cables. They also find buckling and bends that the mesh cannot represent.

In a folded cable the slope at a node points against the chord of the element:

    r'·(r_1 - r_0) < 0    at x = 0 or x = L.

Here r_0 and r_1 are the positions of the nodes, and L is the length of the element. In a physical shape, this condition
is met only if one element bends by more than 180°. In a cable with small bending stiffness, a folded shape has little
energy and may be a minimum of the potential. A folded shape disappears if the mesh is refined.

The curvature of a steep line is largest near the lower end of the line, where the tension is smallest. The cubic shape
of an element is not accurate enough if the product of L and the curvature κ at this end exceeds about twice the angle
between the slopes at the two ends of the element.

A cable of the length L and the bending stiffness EI with clamped ends buckles at the axial force N = -4 π² EI/L². A
single element cannot buckle. Therefore its compressive force can exceed the buckling load of the real cable. An element
whose compression exceeds this load is reported only as a possible fault, because contact may support the cable
laterally.

Broken cables carry no force. Therefore they are not checked.

In this module d is the number of dimensions, 2 or 3.

Source: S. P. Timoshenko, J. M. Gere, Theory of Elastic Stability, McGraw-Hill (1961), section 2.2.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from windlass.elements.cable.force_functions import has_function
from windlass.elements.cable.outputs import CableView, node_dofs
from windlass.elements.cable.strains import dot, eval_strains
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows
from windlass.framework.model.system import Fault, Fields

Flags = NDArray[np.bool_]

LARGEST_STRETCH = 0.5
"""If the initial strain [1] is above this value, a cable is reported as too short for its route."""
LARGEST_TURN = 75.0
"""If the angle [degrees] between the slopes at the two ends of an element is above this value, the mesh does not
resolve the shape. For slack lines with ends near each other, the error of the horizontal force is 2 % at an angle of 80
degrees. Above 88 degrees, the order of magnitude of the force is wrong.
"""
END_BEND, UNEVEN = 1.25, 1.9
"""END_BEND: limit [rad] of L κ at an end of an element. UNEVEN: limit [1] of L κ divided by the angle between the
slopes at the two ends. If both limits are exceeded, the mesh does not resolve the shape. At these limits the error of
the horizontal force is 1.3 to 8 % for steep slack lines, and at most 1.3 % for other lines.
"""
LEAST_COSINE = np.cos(0.3)
"""Cosine of 0.3 rad [1]. If the angle between the slopes at the two ends of an element is smaller than 0.3 rad, the
curvature is treated as uniform.
"""
LEAST_STRAIN = 1e-6
"""If the compressive strain [1] is below this value, compression is ignored. In slack ropes, discretisation errors
cause strains of this magnitude.
"""


def create_diagnosis(rows: LocalRows) -> Callable[[Fields], list[Fault]]:
    """Create the function `Checks.find_faults` of 2D or 3D cables."""
    dofs, given = node_dofs(rows), has_function(rows)
    length, free, whole = rows.local("length"), eval_free_strain(rows), ~rows.local("broken")
    folded, shortened, bent = np.zeros((3, len(dofs)), np.bool_)

    def diagnose(s: Fields) -> list[Fault]:
        mark_suspects(s.x, dofs, length, free, folded, shortened, bent)
        which = np.flatnonzero(folded & whole)
        faults = find_folded(rows.select(which), s.x[dofs[which]]) if len(which) else []
        faults += find_buckled(rows, np.flatnonzero((shortened | given) & whole), s)
        which = np.flatnonzero(bent & ~folded & whole)
        return faults + (find_bent(rows.select(which), s.x[dofs[which]]) if len(which) else [])

    return diagnose


def create_doubts(rows: LocalRows) -> Callable[[Fields, float], list[str]]:
    """Create the function `Checks.doubts`, which reports initial strains above `LARGEST_STRETCH`. The function checks
    only cables that are not broken and have no user functions.
    """
    dofs, given = node_dofs(rows), has_function(rows) | rows.local("broken")
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
    """Return the strain [1] of the stress-free state, shape (rows,)."""
    share = rows.local("strain_is_relative_to_reference")
    own = share * eval_mean_strain(rows.reference[:, : node_dofs(rows).shape[1]], rows.local("length"))
    free: FloatArray = rows.local("reference_strain") + own
    return free


def eval_mean_strain(x: FloatArray, length: FloatArray) -> FloatArray:
    """Return the mean [1] of the strains at both ends and in the middle of each cable, shape (rows,), for coordinates
    x, shape (rows, 4 d).
    """
    r0, s0, r1, s1 = split(x)
    middle = 1.5 * (r1 - r0) / length[:, None] - 0.25 * (s0 + s1)
    first, half, last = (np.sqrt(dot(p, p)) for p in (s0, middle, s1))
    strains: FloatArray = (first + half + last) / 3.0 - 1.0
    return strains


def split(x: FloatArray) -> list[FloatArray]:
    """Split coordinates x, shape (rows, 4 d), into the positions and slopes of both nodes, shape (rows, d) each."""
    return np.split(x, 4, axis=1)


@kernel
def bend_at_ends(x: FloatArray, dofs: IntArray, length: float, d: int) -> tuple[float, float]:
    """Return the product L κ [rad] of length L and curvature κ = |r' × r''|/|r'|² at both ends of an element."""
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
    """Fill three arrays of shape (rows,). ``folded``: whether the angle between a slope and the chord exceeds 90°.
    ``shortened``: whether the mean strain is below the strain of the stress-free state by more than `LEAST_STRAIN`.
    ``bent``: whether the angle between the slopes at the two ends is large, or L κ at one end is large.
    """
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
    """Find folded cables at the coordinates x, shape (rows, 4 d)."""
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
    """Find cables with bends that the mesh does not resolve, at the coordinates x, shape (rows, 4 d)."""
    _, s0, _, s1 = split(x)
    angles = np.degrees(np.arccos(dot(s0, s1) / np.sqrt(dot(s0, s0) * dot(s1, s1))))
    faults = []
    for i, (row, angle) in enumerate(zip(rows.rows, angles, strict=True)):
        if angle >= LARGEST_TURN:
            bend, wrong = f"turns by {angle:.0f}° between its nodes, must be < {LARGEST_TURN:.0f}°", "by a large amount"
        else:
            ends = bend_at_ends(x[i], np.arange(x.shape[1]), float(rows.local("length")[i]), x.shape[1] // 4)
            bend = (
                f"turns by {angle:.0f}° between its nodes, but at one end as if it were {np.degrees(max(ends)):.0f}°, "
                f"must be < {np.degrees(END_BEND):.0f}° or {UNEVEN:g} times as much"
            )
            wrong = "by some percent"
        words = (
            f"the mesh does not resolve the bend, and forces there may be wrong {wrong}: take more and shorter elements"
        )
        faults.append(Fault(f"{rows.table.describe(int(row))} {bend}: {words}", certain=False, coarse=True))
    return faults


def find_buckled(rows: LocalRows, which: IntArray, s: Fields) -> list[Fault]:
    """Find elements whose compressive force exceeds the buckling load of a cable that has clamped ends and the length
    of the element.
    """
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
            f"of its length buckles between clamped ends at {limit[i]:.4g} N; must be under tension, consist "
            "of shorter cables, or be held sideways by contact",
            certain=False,
        )
        for i in np.flatnonzero(beyond)
    ]
