"""Contact of a soft bed with a thick 3D beam: friction acts at the radius of the beam and turns its cross sections.

Gap, suction and the ellipse of the friction limit are those of `bed_kernels.py`, and the slip velocity v_t, the
deflection u_t, the moment M and the generalised forces are those of `beam_kernels.py`. The direction along the beam is
e_1 of the cross section, T = Aᵀ e_1, with T_t = w × T.

History values of a row: the history values of lines on soft beds, then the axes e_1 and e_2 of the cross section (n x 3
each) at the start of the step. At the end of each step, the anchor becomes X - u_t, as for thick beams.

Source: own derivation from the laws of these files.
"""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

from windlass.connectors.surface_contact.beam_kernels import BeamRow, Section, find_turn
from windlass.connectors.surface_contact.bed_kernels import (
    UPRIGHT,
    BedForces,
    Heading,
    eval_bed_forces,
    read_suction,
)
from windlass.connectors.surface_contact.distances import Distance
from windlass.connectors.surface_contact.kernels import Lever, Roll, SurfaceRow, read_start, read_state, rests
from windlass.connectors.surface_contact.turning_kernels import AFTER_BED
from windlass.elements.nodes.vectors import Vector, cross, dot
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.kernel import kernel

NONE = (0.0, 0.0, 0.0)


class BedSectionForces(NamedTuple):
    """Direction along the beam, forces, M [N m] in the frame of the surface, rotation vector θ [rad], X - a [m], and
    the anchor a [m].
    """

    e: Heading
    bed: BedForces
    moment: Vector
    turn: Vector
    way: Vector
    anchor: Vector


@kernel(inline=True)
def find_section_heading(h: Distance, T: Vector) -> Heading:
    """Return the direction along the beam at a point; ``T`` is e_1 in the frame of the surface. The fields of the slope
    of a line are not used.
    """
    c = cross((h.nx, h.ny, h.nz), T)
    inverse = 1.0 / sqrt(dot(c, c) + UPRIGHT * UPRIGHT)
    return Heading((0.0, 0.0, 0.0, 0.0), NONE, 1.0, T, c, (inverse * c[0], inverse * c[1], inverse * c[2]))


@kernel(inline=True)
def eval_bed_section(
    row: Any, p: SurfaceRow, h: Distance, z: Lever, s: Section, k: int, start: FloatArray, state: float, a: Vector,
    d10: Vector, d20: Vector,
) -> BedSectionForces:  # fmt: skip
    """Return the forces of closed point k, see `eval_section_forces`."""
    n, turn, radius = (h.nx, h.ny, h.nz), find_turn(s, d10, d20), p.rope_radius
    x, y, e = cross(turn, n), cross(s.w, n), find_section_heading(h, s.d1)
    roll = Roll((radius * x[0], radius * x[1], radius * x[2]), (radius * y[0], radius * y[1], radius * y[2]))
    way, still = (z.X - a[0], z.Y - a[1], z.Z - a[2]), rests(z) and dot(s.w, s.w) == 0.0
    F = eval_bed_forces(row, p.law, h, z, e, read_suction(row, start, k), state, way, (z.U, z.V, z.W), still, roll)
    lever = cross(n, F.force)
    return BedSectionForces(e, F, (-radius * lever[0], -radius * lever[1], -radius * lever[2]), turn, way, a)


@kernel(inline=True)
def eval_closed_bed_section(
    row: Any, r: BeamRow, h: Distance, z: Lever, s: Section, k: int, data: FloatArray, start: FloatArray
) -> BedSectionForces:
    """Return the forces of closed point k, from its history values."""
    n, first, p = row.points, row.data, r.plain
    state = read_state(data, start, first, n, k, p.law.friction_stiffness)
    a, d10, d20 = read_start(data, start, first, n, k, AFTER_BED * n)
    return eval_bed_section(row, p, h, z, s, k, start, state, a, d10, d20)
