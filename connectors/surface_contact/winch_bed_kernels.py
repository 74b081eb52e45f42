"""Contact of a soft bed with points of a cable of a winch rope. The forces are computed by the formulas of
`bed_kernels.py`, with the velocity U of the material and the displacement X - anchor + (l - l_0) a T of
`winch_kernels.py`. T is the slope of the rope in the frame of the surface. The direction of the line is the unit vector
along T. The force on the length l of the rope is F.r_l + V_s/l + a f_t.T, where V_s is the energy of the spring of the
normal force with its suction.

δ and m are values of a point, and not of the material that moves through this point.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from windlass.connectors.contact.law import eval_spring_energy
from windlass.connectors.surface_contact.bed_kernels import (
    BedForces,
    Heading,
    eval_bed_forces,
    find_heading,
    read_suction,
)
from windlass.connectors.surface_contact.distances import Distance
from windlass.connectors.surface_contact.kernels import NO_ROLL, Lever, Roll, read_state, rests
from windlass.connectors.surface_contact.winch_kernels import WinchMaterial, WinchSurfaceRow, find_anchor
from windlass.elements.nodes.vectors import Vector, combine, dot
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.kernel import kernel


class WinchBedForces(NamedTuple):
    """Direction of the line and forces of a point; U [m/s], X - anchor + (l - l_0) a T [m], and l - l_0 [m]."""

    e: Heading
    bed: BedForces
    U: Vector
    way: Vector
    paid: float


@kernel(inline=True)
def eval_winch_bed_forces(
    row: Any, r: WinchSurfaceRow, h: Distance, z: Lever, t: WinchMaterial, k: int, start: FloatArray, state: float,
    anchor: Vector, paid: float, roll: Roll,
) -> WinchBedForces:  # fmt: skip
    """Return the forces of closed point k; ``paid`` is l - l_0 [m], and ``roll`` is the turn of the rope."""
    U = combine(1.0, (z.U, z.V, z.W), r.l_t * t.a, t.T)
    way = combine(1.0, (z.X - anchor[0], z.Y - anchor[1], z.Z - anchor[2]), paid * t.a, t.T)
    e, s = find_heading(r.plain, h, k, row.points), read_suction(row, start, k)
    still = rests(z) and r.l_t == 0.0 and dot(roll.rate, roll.rate) == 0.0
    return WinchBedForces(e, eval_bed_forces(row, r.plain.law, h, z, e, s, state, way, U, still, roll), U, way, paid)


@kernel(inline=True)
def eval_closed_winch_bed(
    row: Any, r: WinchSurfaceRow, h: Distance, z: Lever, t: WinchMaterial, k: int, data: FloatArray, start: FloatArray
) -> WinchBedForces:
    """Return the forces of closed point k, from its history values."""
    anchor, l_0 = find_anchor(row, k, data, start)
    state = read_state(data, start, row.data, row.points, k, r.plain.law.friction_stiffness)
    return eval_winch_bed_forces(row, r, h, z, t, k, start, state, anchor, r.l - l_0, NO_ROLL)


@kernel(inline=True)
def eval_bed_on_length(r: WinchSurfaceRow, t: WinchMaterial, F: WinchBedForces) -> float:
    """Return the force [N] on l without the term F.r_l: V_s/l + a f_t.T."""
    bed = F.bed
    force: float = eval_spring_energy(bed.held, bed.gap) / r.l + t.a * dot(bed.force, t.T)
    return force
