"""Contact forces on ropes that friction turns on soft beds, and on winch ropes with torsion. See `turning_kernels.py`
for the formulas."""

from __future__ import annotations

from typing import Any

from windlass.connectors.markers.position_kernels import PositionMarkers
from windlass.connectors.surface_contact.bed_kernels import total_force
from windlass.connectors.surface_contact.distances import Distance
from windlass.connectors.surface_contact.kernels import (
    ContactRows,
    Lever,
    TurningRow,
    eval_global_force,
    find_turning_point,
)
from windlass.connectors.surface_contact.residual import create_turning_residual, create_winch_residual
from windlass.connectors.surface_contact.turning_kernels import (
    TWIST_WINCH,
    Rolling,
    TurningWinchRow,
    eval_closed_turning_bed,
    eval_closed_turning_winch,
    eval_closed_turning_winch_bed,
    read_turning_winch_row,
)
from windlass.connectors.surface_contact.winch_bed_kernels import eval_bed_on_length
from windlass.connectors.surface_contact.winch_kernels import WinchMaterial, WinchSurfaceRow, eval_on_length
from windlass.elements.cable.points import Four
from windlass.elements.cable.twist_points import COUNT
from windlass.elements.cable.winch_twist_points import scatter_form
from windlass.elements.nodes.vectors import Vector
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.kernel import kernel


@kernel(inline=True)
def eval_turning_bed_point(
    c: ContactRows, r: TurningRow, i: int, k: int, data: FloatArray, start: FloatArray, g: Any
) -> tuple[bool, Four, Lever, Vector, float, Vector]:  # fmt: skip
    """Return the results of closed point k on a soft bed, see ``evaluate`` of `create_turning_residual`."""
    row: Any = c.rows[i]
    S, z, h = find_turning_point(c, r, i, k, g)
    F = eval_closed_turning_bed(row, r, h, z, k, data, start, g)
    M, t = F.torque, F.turn.spin.t
    return h.there, S, z, eval_global_force(r.plain.o, h, total_force(F.bed)), M, (M * t[0], M * t[1], M * t[2])


_add_bed_rows = create_turning_residual(eval_turning_bed_point)


@kernel
def add_turning_bed_residual(
    c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    f: FloatArray,
) -> None:  # fmt: skip
    """Add the left-hand-side forces of all rows of ropes with twist on soft beds to f."""
    _add_bed_rows(c, m, data, start, x, v, f)


@kernel(inline=True)
def turn_winch(r: TurningWinchRow, turn: Rolling, beta: float, M: float, g: Any) -> float:
    """Add the moment M [N m] on the spin σ and its opposite on the surface to ``g.on_y`` and ``g.load``. Return the
    force [N] of M on the length of the rope at constant y.
    """
    for d in range(3):
        g.load[3 + d] += M * turn.spin.t[d]
    for j in range(COUNT):
        g.on_y[j] += M * g.sigma[j]
    return M * beta * r.twist


@kernel(inline=True)
def roll_winch_point(
    row: Any, r: TurningWinchRow, h: Distance, z: Lever, t: WinchMaterial, k: int, data: FloatArray, start: FloatArray,
    g: Any,
) -> tuple[Vector, float]:  # fmt: skip
    """Return the results of `eval_winch_point` for a rope that friction turns, and add its moment."""
    F = eval_closed_turning_winch(row, r, h, z, t, k, data, start, g)
    force = eval_global_force(r.winch.plain.o, h, F.forces.point)
    return force, eval_on_length(row, t, F.forces) + turn_winch(r, F.turn, F.beta, F.torque, g)


@kernel(inline=True)
def roll_winch_bed_point(
    row: Any, r: TurningWinchRow, h: Distance, z: Lever, t: WinchMaterial, k: int, data: FloatArray, start: FloatArray,
    g: Any,
) -> tuple[Vector, float]:  # fmt: skip
    """Return the results of `roll_winch_point` for a soft bed."""
    F = eval_closed_turning_winch_bed(row, r, h, z, t, k, data, start, g)
    force = eval_global_force(r.winch.plain.o, h, total_force(F.forces.bed))
    return force, eval_bed_on_length(r.winch, t, F.forces) + turn_winch(r, F.turn, F.beta, F.torque, g)


@kernel(inline=True)
def winch_row_of(r: TurningWinchRow) -> WinchSurfaceRow:
    """Return the `WinchSurfaceRow` that is part of the data of a row of a winch rope with torsion."""
    return r.winch


@kernel(inline=True)
def add_moments(row: Any, r: TurningWinchRow, g: Any, f: FloatArray) -> None:
    """Add the forces of ``g.on_y`` on the coordinates of the cable to f."""
    scatter_form(row, g.on_y, g.y, r.winch.plain.length, r.winch.l, f)


_add_winch_rows = create_winch_residual(
    read_turning_winch_row, winch_row_of, roll_winch_point, add_moments, TWIST_WINCH
)  # fmt: skip
_add_winch_bed_rows = create_winch_residual(
    read_turning_winch_row, winch_row_of, roll_winch_bed_point, add_moments, TWIST_WINCH
)


@kernel
def add_turning_winch_residual(
    c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    f: FloatArray,
) -> None:  # fmt: skip
    """Add the left-hand-side forces of all rows of winch ropes with torsion to f."""
    _add_winch_rows(c, m, data, start, x, v, f)


@kernel
def add_turning_winch_bed_residual(
    c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    f: FloatArray,
) -> None:  # fmt: skip
    """Add the left-hand-side forces of all rows of winch ropes with torsion on soft beds to f."""
    _add_winch_bed_rows(c, m, data, start, x, v, f)
