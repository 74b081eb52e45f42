"""Results of contact between surfaces and cables: quantities of points, powers, energies, outputs and drawings.

`paint` adds forces, gaps and states to the lines of the cables.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import sqrt
from typing import Any, cast

import numpy as np

from windlass.connectors.contact import power
from windlass.connectors.contact.account import (
    CONTACT_STATE,
    DAMPER_FORCE,
    DEPTH,
    LOST,
    NO_GAP,
    NORMAL_FORCE,
    OPEN,
    PARTS,
    SPRING_ENERGY,
    create_power_outputs,
    eval_friction_work,
)
from windlass.connectors.contact.law import eval_spring_energy
from windlass.connectors.contact.power import clear_place, create_place_account, eval_bristle, write_place
from windlass.connectors.contact.rows import relative_place
from windlass.connectors.friction.bristle import SLIPS, UNDEFINED
from windlass.connectors.markers.position_kernels import FAMILY, PositionMarkers
from windlass.connectors.surface_contact.beam_kernels import (
    BeamRow,
    change_turn,
    eval_closed_section,
    eval_section,
    find_beam_point,
    plain_beam_row,
    read_beam_row,
)
from windlass.connectors.surface_contact.bed_beam_kernels import eval_closed_bed_section
from windlass.connectors.surface_contact.bed_kernels import (
    BedForces,
    Heading,
    change_across,
    eval_bed_point,
    stretch,
)
from windlass.connectors.surface_contact.distances import Distance
from windlass.connectors.surface_contact.kernels import (
    FRAMES,
    ContactRows,
    Lever,
    PointForces,
    Spin,
    SurfaceFrame,
    SurfaceRow,
    TurningRow,
    eval_axis,
    eval_closed,
    eval_forces,
    eval_spin,
    find_axis_point,
    find_turning_point,
    hessian_product,
    read_anchor,
    read_state,
    read_turning_row,
    rubs,
    to_global,
    to_surface,
)
from windlass.connectors.surface_contact.ribbon_kernels import find_ribbon_point
from windlass.connectors.surface_contact.turning_kernels import (
    TurningWinchRow,
    eval_closed_turning_bed,
    eval_closed_turning_winch,
    eval_closed_turning_winch_bed,
    find_turning_winch_point,
    plain_turning_winch_row,
    read_turning_winch_row,
)
from windlass.connectors.surface_contact.update import OUTSIDE, begin_row
from windlass.connectors.surface_contact.winch_bed_kernels import eval_closed_winch_bed
from windlass.connectors.surface_contact.winch_kernels import (
    WinchMaterial,
    WinchSurfaceRow,
    eval_closed_winch,
    find_material,
    find_winch_point,
    plain_winch_row,
    read_winch_row,
)
from windlass.elements.cable.twist_points import interpolate
from windlass.elements.nodes.vectors import Vector, combine, cross, dot
from windlass.framework.accounts import Account
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.call import Call, call
from windlass.framework.kernels.kernel import Kernel, kernel
from windlass.framework.model.drawing import Paint, Painting
from windlass.framework.model.law import LocalRows, Output
from windlass.framework.model.system import Fields

FN, GAP, STATE, RATE, SPEED = range(5)
"""Indices of quantities of a point: normal force f_n [N], gap [m], state, v_n [m/s] and |v_t| [m/s]."""
POSITION, NORMAL, FRICTION = slice(5, 8), slice(8, 11), slice(11, 14)
"""Indices of the global vectors of a point: position [m], normal, and the friction -f_t on the cable [N]."""
POWER = 14
"""Index of the first of the quantities that `create_place_account` reads."""
LENGTH = POWER + power.NUMBERS
"""Index of the length l of a winch rope [m] at closed points. `create_place_account` also reads this quantity."""
TORQUE = LENGTH + 1
"""Index of the torque of friction on a rope with twist about its axis [N m]."""
TORQUE_VECTOR = slice(TORQUE + 1, TORQUE + 4)
"""Indices of the components of the torque of friction about the axis of a rope, as a global vector [N m]."""
TURN = TORQUE + 4
"""Index of the angle by which a rope with twist has turned about its axis relative to the surface since the start of
the step [rad].
"""
SUCTION = TURN + 1
"""Index of the tension between a line and a soft bed [N]."""
TANGENT = slice(SUCTION + 1, SUCTION + 4)
"""Indices of the components of the unit tangent of a winch rope at closed points."""
AXIS = slice(SUCTION + 4, SUCTION + 7)
"""Indices of the components of the global axis d_1 of the material at closed points, for winch ropes that friction
turns.
"""
SIZE = SUCTION + 7
"""Number of all quantities of a point."""


@kernel(inline=True)
def clear_point(row: FloatArray) -> None:
    """Write the quantities for an array element without a point: state -2, the quantities of `clear_place`, and 0 for
    all others."""
    row[:] = 0.0
    row[STATE] = UNDEFINED
    clear_place(row[POWER:])


@kernel(inline=True)
def write_geometry(row: FloatArray, o: SurfaceFrame, z: Lever, h: Distance, rope_radius: float) -> None:
    """Write position and gap of a closed or open point, and the normal if the point is within the extent of the
    surface."""
    row[5], row[6], row[7] = z.dx + o.cx, z.dy + o.cy, z.dz + o.cz
    row[GAP] = h.phi - rope_radius if h.there else OUTSIDE
    row[POWER + power.GAP] = h.phi - rope_radius if h.there else NO_GAP
    if h.there:
        row[8], row[9], row[10] = to_global(o, h.nx, h.ny, h.nz)


@kernel(inline=True)
def write_point(
    row: FloatArray, r: SurfaceRow, F: PointForces, state: float, stored: float, taken: float, lever: float, rub: bool
) -> None:
    """Write forces, rates, powers and energies of a closed point.

    Args:
        state, stored: present contact state, and contact state in the history values.
        taken, lever: power that the contact takes from cable and body, and lever power [W], see `write_place`.
        rub: whether friction acts.
    """
    law, t, damping, bent = r.law, F.f.force, 0.0, 0.0
    row[FN], row[STATE], row[RATE], row[SPEED] = F.fn, stored, F.vn, sqrt(dot(F.vt, F.vt))
    row[11], row[12], row[13] = to_global(r.o, -t[0], -t[1], -t[2])
    # power of the tangential damper, and energy of the bristle
    if rub:
        damping, bent = eval_bristle(law, F.fn, state == SLIPS, F.vt, F.u)
    write_place(row[POWER:], law, F.gap, F.vn, F.fn, stored, taken, damping, lever, bent)


@kernel(inline=True)
def read_closed(
    own: Any, r: SurfaceRow, k: int, z: Lever, h: Distance, data: FloatArray, start: FloatArray, g: Any,
    row: FloatArray,
) -> None:  # fmt: skip
    """Write forces, rates, powers and energies of closed point k.

    The contact takes the power f_n v_n + f_t.v_t. The energy of a sticking bristle changes at the rate mu_k
    u_t.d(u_t)/dt. On curved surfaces the force of a sticking bristle also takes the power mu_k (n.u) (u_t.H V), which
    is the lever power. `kernels.py` defines the symbols, and `create_filling` describes the arguments.
    """
    n, first, law = own.points, own.data, r.law
    state = read_state(data, start, first, n, k, law.friction_stiffness)
    a = read_anchor(state, data, start, first, n, k)
    F = eval_forces(law, r.rope_radius, h, z, state, a)
    taken, lever, rub = dot(F.f.force, (z.U, z.V, z.W)), 0.0, rubs(law, z, state)
    # lever power
    if rub:
        along = h.nx * (z.X - a[0]) + h.ny * (z.Y - a[1]) + h.nz * (z.Z - a[2])
        lever = law.friction_stiffness * along * dot(F.u, hessian_product(h, z.U, z.V, z.W))
    write_point(row, r, F, state, data[first + n + k], taken, lever, rub)


@kernel(inline=True)
def write_torque(row: FloatArray, torque: float, t: Vector, angle: float, rubs: bool) -> None:
    """Write the torque of friction on a rope about its axis t, with the moment ``torque`` M [N m] of the law, and the
    angle θ [rad].
    """
    row[TORQUE], row[TURN] = -torque, angle if rubs else 0.0
    for d in range(3):
        row[TORQUE + 1 + d] = -torque * t[d]


@kernel(inline=True)
def find_turning_lever(
    o: SurfaceFrame, radius: float, h: Distance, nt: Vector, spin: Spin, on_slope: Vector, b: Vector, angle: float,
    g: Any,
) -> Vector:  # fmt: skip
    """Return r_c ((g.p_t) b + theta (T_t x n + T x n_t)), the part of v_t - d(u_t)/dt that results from the turn of a
    rope [m/s]. ``on_slope`` is g, and ``nt`` is n_t.
    """
    # rates of the slope and of T in the frame of the surface
    slope, pt = interpolate(spin.P, 1.0, g.y), interpolate(spin.P, 1.0, g.yt)
    turned = cross((o.wx, o.wy, o.wz), slope)
    pt = to_surface(o, pt[0] - turned[0], pt[1] - turned[1], pt[2] - turned[2])
    Tt = combine(1.0 / spin.size, pt, -dot(spin.T, pt) / spin.size, spin.T)
    tilt = combine(1.0, cross(Tt, (h.nx, h.ny, h.nz)), 1.0, cross(spin.T, nt))
    return combine(radius * dot(on_slope, pt), b, radius * angle, tilt)


@kernel(inline=True)
def read_closed_twist(
    own: Any, r: TurningRow, k: int, z: Lever, h: Distance, data: FloatArray, start: FloatArray, g: Any,
    row: FloatArray,
) -> None:  # fmt: skip
    """Write the quantities of `read_closed` for a rope with twist, and the torque about the axis.

    The contact takes the power f_n v_n + f_t.v_t. The energy of a sticking bristle changes at the rate mu_k
    u_t.d(u_t)/dt. The remaining power of a sticking bristle is the lever power, mu_k ((n.u) (u_t.H V) + r_c (g.p_t)
    (u_t.b) + r_c theta u_t.(T_t x n + T x H V)), with the symbols of `kernels.py`.
    """
    n, first, p, o = own.points, own.data, r.plain, r.plain.o
    spin = eval_spin(o, own, relative_place(k, n), g.y, g.yt, r.twist, g.sigma)
    a, both = eval_closed(p.law, p.rope_radius, h, z, spin, data, start, first, n, k)
    F, b, angle, state = both.point, both.b, both.angle, data[first + n + k]
    write_torque(row, both.torque, spin.t, angle, both.rubs)
    taken, lever = dot(F.f.force, F.vt), 0.0
    if both.rubs:
        nt, along = (
            hessian_product(h, z.U, z.V, z.W), h.nx * (z.X - a[0]) + h.ny * (z.Y - a[1]) + h.nz * (z.Z - a[2])
        )  # fmt: skip
        way = find_turning_lever(o, p.rope_radius, h, nt, spin, both.g, b, angle, g)
        lever = p.law.friction_stiffness * (along * dot(F.u, nt) + dot(F.u, way))
    write_point(row, p, F, state, state, taken, lever, both.rubs)


@kernel(inline=True)
def read_closed_ribbon(
    own: Any, r: TurningRow, k: int, z: Lever, h: Distance, data: FloatArray, start: FloatArray, g: Any,
    row: FloatArray,
) -> None:  # fmt: skip
    """Write the quantities of `read_closed` for a point of a ribbon."""
    read_closed(own, r.plain, k, z, h, data, start, g, row)


@kernel(inline=True)
def write_bed_point(
    own: Any, r: SurfaceRow, z: Lever, h: Distance, e: Heading, Tt: Vector, F: BedForces, way: Vector, taken: float,
    stored: float, turned: Vector, row: FloatArray,
) -> None:  # fmt: skip
    """Write the quantities of `read_closed` for a point on a soft bed, and the suction of this point. `bed_kernels.py`
    defines the symbols, and the energy and the lever power of bristles. ``Tt`` is T_t in the frame of the surface. For
    ``way`` see `eval_bed_forces`, for ``taken`` and ``stored`` see `write_point`, and for ``turned`` see
    `find_turning_lever`.
    """
    law, o, f, vt, u = r.law, r.o, F.force, F.vt, F.u
    slips, damping, lever, bent = stored == SLIPS, 0.0, 0.0, 0.0
    row[FN], row[STATE], row[RATE], row[SPEED] = F.fn, stored, F.vn, sqrt(dot(vt, vt))
    row[11], row[12], row[13] = to_global(o, -f[0], -f[1], -f[2])
    row[SUCTION] = max(F.fn, 0.0)
    if F.rubs:
        rho, mu_k = own.lateral_friction_ratio, law.friction_stiffness
        beta = own.lateral_stiffness_ratio / rho
        gamma = (rho - 1.0) + (beta - 1.0) + (rho - 1.0) * (beta - 1.0) * dot(e.b, e.b)
        on_u, on_v = dot(e.b, u), dot(e.b, vt)
        damping = law.friction_velocity_penalty * (dot(vt, vt) + gamma * on_v * on_v)
        bent = 0.5 * mu_k * (dot(u, u) + gamma * on_u * on_u)
        if slips:
            # a slipping bristle has the deflection at which its spring alone causes the friction
            hat = F.circle.force
            bend = 1.0 / mu_k if mu_k > 0.0 else 0.0
            along = stretch(1.0 / beta, e.b, (bend * hat[0], bend * hat[1], bend * hat[2]))
            bent = 0.5 * dot(along, f)
        # rates of the normal and of b in the frame of the surface
        nt = hessian_product(h, z.U, z.V, z.W)
        bt = change_across(e, combine(1.0, cross(nt, e.T), 1.0, cross((h.nx, h.ny, h.nz), Tt)))
        out = h.nx * way[0] + h.ny * way[1] + h.nz * way[2]
        lever = mu_k * (out * (dot(u, nt) + gamma * on_u * dot(e.b, nt)) - gamma * on_u * dot(bt, u))
        lever += mu_k * (dot(u, turned) + gamma * on_u * dot(e.b, turned))
    write_place(row[POWER:], F.held, F.gap, F.vn, F.fn, stored, taken, damping, lever, bent)


@kernel(inline=True)
def find_heading_rate(r: SurfaceRow, e: Heading) -> Vector:
    """Return the rate of T of a line in the frame of the surface [1/s]."""
    o, pt = r.o, eval_axis(e.dS, r.w)
    tt = combine(1.0 / e.size, pt, -dot(e.t, pt) / e.size, e.t)
    carried = cross((o.wx, o.wy, o.wz), e.t)
    return to_surface(o, tt[0] - carried[0], tt[1] - carried[1], tt[2] - carried[2])


@kernel(inline=True)
def read_closed_bed(
    own: Any, r: SurfaceRow, k: int, z: Lever, h: Distance, data: FloatArray, start: FloatArray, g: Any,
    row: FloatArray,
) -> None:  # fmt: skip
    """Write the quantities of closed point k on a soft bed by `write_bed_point`."""
    e, a, F = eval_bed_point(own, r, h, z, k, data, start)
    way = z.X - a[0], z.Y - a[1], z.Z - a[2]
    taken, state = dot(F.force, (z.U, z.V, z.W)), data[own.data + own.points + k]
    write_bed_point(own, r, z, h, e, find_heading_rate(r, e), F, way, taken, state, (0.0, 0.0, 0.0), row)


@kernel(inline=True)
def read_closed_winch_bed(
    own: Any, r: WinchSurfaceRow, k: int, z: Lever, h: Distance, data: FloatArray, start: FloatArray, g: Any,
    row: FloatArray,
) -> None:  # fmt: skip
    """Write the quantities of closed point k of a winch rope on a soft bed by `write_bed_point` and
    `write_material`.
    """
    t = find_material(own, r, k)
    F = eval_closed_winch_bed(own, r, h, z, t, k, data, start)
    bed = F.bed
    state = data[own.data + own.points + k]
    p = r.plain
    Tt = find_heading_rate(p, F.e)
    write_bed_point(own, p, z, h, F.e, Tt, bed, F.way, dot(bed.force, F.U), state, (0.0, 0.0, 0.0), row)
    write_material(r, t, eval_spring_energy(bed.held, bed.gap) / r.l, row)


@kernel(inline=True)
def write_material(r: WinchSurfaceRow, t: WinchMaterial, spring: float, row: FloatArray) -> None:
    """Write the length l and the unit tangent of a winch rope, and the power with which the additional rope at a point
    stores energy. ``spring`` is V_s/l [N]."""
    size = sqrt(dot(t.slope, t.slope))
    row[POWER + power.PRESSING] += spring * r.l_t
    row[LENGTH] = r.l
    for d in range(3):
        row[SUCTION + 1 + d] = t.slope[d] / size


@kernel(inline=True)
def read_closed_winch(
    own: Any, r: WinchSurfaceRow, k: int, z: Lever, h: Distance, data: FloatArray, start: FloatArray, g: Any,
    row: FloatArray,
) -> None:  # fmt: skip
    """Write the quantities of `read_closed` for a winch rope, the unit tangent of the rope, and the length l. When l
    changes, additional rope at a point adds energy to the bristle of the point. The losses of bristles contain this
    energy.
    """
    t, stored, law = find_material(own, r, k), data[own.data + own.points + k], r.plain.law
    F = eval_closed_winch(own, r, h, z, t, k, data, start)
    p, lever = F.point, 0.0
    if F.rubs:
        along = h.nx * F.way[0] + h.ny * F.way[1] + h.nz * F.way[2]
        lever = law.friction_stiffness * along * dot(p.u, hessian_product(h, z.U, z.V, z.W))
    write_point(row, r.plain, p, stored, stored, dot(p.f.force, F.U), lever, F.rubs)
    write_material(r, t, 0.5 * own.stiffness * p.gap * p.gap, row)


@kernel(inline=True)
def read_closed_turning_bed(
    own: Any, r: TurningRow, k: int, z: Lever, h: Distance, data: FloatArray, start: FloatArray, g: Any,
    row: FloatArray,
) -> None:  # fmt: skip
    """Write the quantities of `write_bed_point` and the torque of a rope that friction turns on a soft bed."""
    F, p = eval_closed_turning_bed(own, r, h, z, k, data, start, g), r.plain
    w, bed, nt = F.turn, F.bed, hessian_product(h, z.U, z.V, z.W)
    turned = find_turning_lever(p.o, p.rope_radius, h, nt, w.spin, w.g, w.b, w.angle, g)
    write_torque(row, F.torque, w.spin.t, w.angle, bed.rubs)
    state = data[own.data + own.points + k]
    Tt = find_heading_rate(p, F.e)
    write_bed_point(own, p, z, h, F.e, Tt, bed, F.way, dot(bed.force, bed.vt), state, turned, row)


@kernel(inline=True)
def write_axis(o: SurfaceFrame, d1: Vector, row: FloatArray) -> None:
    """Write the axis d_1 of the material, given in the frame of the surface."""
    row[SUCTION + 4], row[SUCTION + 5], row[SUCTION + 6] = to_global(o, d1[0], d1[1], d1[2])


@kernel(inline=True)
def read_closed_turning_winch(
    own: Any, r: TurningWinchRow, k: int, z: Lever, h: Distance, data: FloatArray, start: FloatArray, g: Any,
    row: FloatArray,
) -> None:  # fmt: skip
    """Write the quantities of `read_closed_winch` and the torque of a winch rope with torsion."""
    t, stored, p = find_material(own, r.winch, k), data[own.data + own.points + k], r.winch.plain
    both = eval_closed_turning_winch(own, r, h, z, t, k, data, start, g)
    F, w, lever = both.forces, both.turn, 0.0
    if F.rubs:
        nt, along = hessian_product(h, z.U, z.V, z.W), h.nx * F.way[0] + h.ny * F.way[1] + h.nz * F.way[2]
        turned = find_turning_lever(p.o, p.rope_radius, h, nt, w.spin, w.g, w.b, w.angle, g)
        lever = p.law.friction_stiffness * dot(F.point.u, combine(along, nt, 1.0, turned))
    write_torque(row, both.torque, w.spin.t, w.angle, F.rubs)
    write_point(row, p, F.point, stored, stored, dot(F.point.f.force, F.point.vt), lever, F.rubs)
    write_material(r.winch, t, 0.5 * own.stiffness * F.point.gap * F.point.gap, row)
    write_axis(p.o, w.spin.d1, row)


@kernel(inline=True)
def read_closed_turning_winch_bed(
    own: Any, r: TurningWinchRow, k: int, z: Lever, h: Distance, data: FloatArray, start: FloatArray, g: Any,
    row: FloatArray,
) -> None:  # fmt: skip
    """Write the quantities of `read_closed_winch_bed` and the torque of a winch rope with torsion on a soft bed."""
    t, state, p = find_material(own, r.winch, k), data[own.data + own.points + k], r.winch.plain
    both = eval_closed_turning_winch_bed(own, r, h, z, t, k, data, start, g)
    F, w, nt = both.forces, both.turn, hessian_product(h, z.U, z.V, z.W)
    bed = F.bed
    turned = find_turning_lever(p.o, p.rope_radius, h, nt, w.spin, w.g, w.b, w.angle, g)
    write_torque(row, both.torque, w.spin.t, w.angle, bed.rubs)
    Tt = find_heading_rate(p, F.e)
    write_bed_point(own, p, z, h, F.e, Tt, bed, F.way, dot(bed.force, bed.vt), state, turned, row)
    write_material(r.winch, t, eval_spring_energy(bed.held, bed.gap) / r.winch.l, row)
    write_axis(p.o, w.spin.d1, row)


@kernel(inline=True)
def read_closed_beam(
    own: Any, r: BeamRow, k: int, z: Lever, h: Distance, data: FloatArray, start: FloatArray, g: Any, row: FloatArray,
) -> None:  # fmt: skip
    """Write the quantities of `read_closed` for a thick beam, and the torque of friction about the point of its axis.

    The contact takes the power f_n v_n + f_t.v_t. The energy of a sticking bristle changes at the rate mu_k
    u_t.d(u_t)/dt. The remaining power of a sticking bristle is the lever power, mu_k u_t.(v_t - d(u_t)/dt) = mu_k u_t.(
    (n.u) H V + r_c ((T^-1 w - w) x n + theta x H V)), with the symbols of `beam_kernels.py`.
    """
    p, state, s = r.plain, data[own.data + own.points + k], eval_section(own, r, k)
    a, both = eval_closed_section(own, r, h, z, s, k, data, start)
    F, lever = both.point, 0.0
    write_moment(row, p.o, both.moment, s.d1, both.turn, both.rubs)
    if both.rubs:
        n, nt = (h.nx, h.ny, h.nz), hessian_product(h, z.U, z.V, z.W)
        along, turned = dot(n, (z.X - a[0], z.Y - a[1], z.Z - a[2])), find_section_lever(h, nt, both.turn, s.w)
        lever = p.law.friction_stiffness * dot(F.u, combine(along, nt, p.rope_radius, turned))
    write_point(row, p, F, state, state, dot(F.f.force, F.vt), lever, both.rubs)


@kernel(inline=True)
def write_moment(row: FloatArray, o: SurfaceFrame, moment: Vector, d1: Vector, turn: Vector, rubs: bool) -> None:
    """Write the torque of friction on a thick beam, with M and e_1 in the frame of the surface and the rotation vector
    ``turn`` [rad].
    """
    torque = to_global(o, *moment)
    row[TORQUE], row[TURN] = -dot(moment, d1), sqrt(dot(turn, turn)) if rubs else 0.0
    for d in range(3):
        row[TORQUE + 1 + d] = -torque[d]


@kernel(inline=True)
def find_section_lever(h: Distance, nt: Vector, turn: Vector, w: Vector) -> Vector:
    """Return (T^-1 w - w) x n + theta x n_t, see `read_closed_beam`."""
    n = h.nx, h.ny, h.nz
    return combine(1.0, cross(combine(1.0, change_turn(turn, w), -1.0, w), n), 1.0, cross(turn, nt))


@kernel(inline=True)
def read_closed_bed_beam(
    own: Any, r: BeamRow, k: int, z: Lever, h: Distance, data: FloatArray, start: FloatArray, g: Any, row: FloatArray,
) -> None:  # fmt: skip
    """Write the quantities of `write_bed_point` and the torque for a thick beam on a soft bed."""
    p, state, s = r.plain, data[own.data + own.points + k], eval_section(own, r, k)
    F, nt = eval_closed_bed_section(own, r, h, z, s, k, data, start), hessian_product(h, z.U, z.V, z.W)
    bed, radius = F.bed, p.rope_radius
    write_moment(row, p.o, F.moment, s.d1, F.turn, bed.rubs)
    x = find_section_lever(h, nt, F.turn, s.w)
    turned, taken = (radius * x[0], radius * x[1], radius * x[2]), dot(bed.force, bed.vt)
    write_bed_point(own, p, z, h, F.e, cross(s.w, s.d1), bed, F.way, taken, state, turned, row)


@kernel(inline=True)
def plain_row(r: SurfaceRow) -> SurfaceRow:
    """Return r, which is the `SurfaceRow` of a row without twist."""
    return r


@kernel(inline=True)
def plain_row_of(r: TurningRow) -> SurfaceRow:
    """Return the `SurfaceRow` that is part of the data of a row of a rope with twist."""
    return r.plain


def create_filling(begin: Kernel, plain: Kernel, find: Kernel, read: Kernel) -> Kernel:
    """Create the kernel ``(c, m, data, start, x, v, out)`` that writes all quantities of all points into ``out``, shape
    (rows, points, SIZE). `clear_point` describes the values for points that a row does not have.

    Args:
        begin, find: kernels that read a row and evaluate the place of a point, see `create_surface_update`.
        plain: kernel that returns the `SurfaceRow` of the data that ``begin`` returns.
        read: kernel ``(own, r, k, z, h, data, start, g, row)`` that writes the quantities of closed point k into
            ``row``, see `read_closed`. ``own`` is the record of the row, r is the result of ``begin``, z is the
            `Lever`, h is the `Distance`, and g is a record of `FRAMES`.
    """

    @kernel(inline=True)
    def fill(
        c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
        out: FloatArray,
    ) -> None:  # fmt: skip
        space = np.zeros(1, FRAMES)
        g = space[0]
        for i in range(len(c.rows)):
            own = c.rows[i]
            n, first, r = own.points, own.data, begin(c, m, x, v, i, g)
            for k in range(out.shape[1]):
                # array elements without a point keep the values of `clear_point`
                row = out[i, k]
                clear_point(row)
                if k >= n:
                    continue
                _, z, h = find(c, r, i, k, g)
                # position, gap and normal of closed and open points
                write_geometry(row, plain(r).o, z, h, own.rope_radius)
                if h.there and data[first + k] <= 0.0 and own.active:
                    read(own, r, k, z, h, data, start, g, row)

    return fill


_fill_rows = create_filling(begin_row, plain_row, find_axis_point, read_closed)
_fill_twist_rows = create_filling(read_turning_row, plain_row_of, find_turning_point, read_closed_twist)
_fill_ribbon_rows = create_filling(read_turning_row, plain_row_of, find_ribbon_point, read_closed_ribbon)
_fill_bed_rows = create_filling(begin_row, plain_row, find_axis_point, read_closed_bed)
_fill_bed_beam_rows = create_filling(read_beam_row, plain_beam_row, find_beam_point, read_closed_bed_beam)
_fill_beam_rows = create_filling(read_beam_row, plain_beam_row, find_beam_point, read_closed_beam)
_fill_winch_rows = create_filling(read_winch_row, plain_winch_row, find_winch_point, read_closed_winch)
_fill_winch_bed_rows = create_filling(read_winch_row, plain_winch_row, find_winch_point, read_closed_winch_bed)
_fill_turning_bed_rows = create_filling(read_turning_row, plain_row_of, find_turning_point, read_closed_turning_bed)
_fill_turning_winch_rows = create_filling(
    read_turning_winch_row, plain_turning_winch_row, find_turning_winch_point, read_closed_turning_winch
)
_fill_turning_winch_bed_rows = create_filling(
    read_turning_winch_row, plain_turning_winch_row, find_turning_winch_point, read_closed_turning_winch_bed
)


@kernel
def fill_numbers(
    c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    out: FloatArray,
) -> None:  # fmt: skip
    """Write all quantities of all points, see `create_filling`."""
    _fill_rows(c, m, data, start, x, v, out)


@kernel
def fill_twist_numbers(
    c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    out: FloatArray,
) -> None:  # fmt: skip
    """Write all quantities of all points of ropes with twist, see `create_filling`."""
    _fill_twist_rows(c, m, data, start, x, v, out)


@kernel
def fill_ribbon_numbers(
    c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    out: FloatArray,
) -> None:  # fmt: skip
    """Write all quantities of all points of ribbons, see `create_filling`."""
    _fill_ribbon_rows(c, m, data, start, x, v, out)


@kernel
def fill_bed_numbers(
    c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    out: FloatArray,
) -> None:  # fmt: skip
    """Write all quantities of all points of lines on soft beds, see `create_filling`."""
    _fill_bed_rows(c, m, data, start, x, v, out)


@kernel
def fill_winch_numbers(
    c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    out: FloatArray,
) -> None:  # fmt: skip
    """Write all quantities of all points of winch ropes, see `create_filling`."""
    _fill_winch_rows(c, m, data, start, x, v, out)


@kernel
def fill_winch_bed_numbers(
    c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    out: FloatArray,
) -> None:  # fmt: skip
    """Write all quantities of all points of winch ropes on soft beds, see `create_filling`."""
    _fill_winch_bed_rows(c, m, data, start, x, v, out)


@kernel
def fill_beam_numbers(
    c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    out: FloatArray,
) -> None:  # fmt: skip
    """Write all quantities of all points of thick beams, see `create_filling`."""
    _fill_beam_rows(c, m, data, start, x, v, out)


@kernel
def fill_bed_beam_numbers(
    c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    out: FloatArray,
) -> None:  # fmt: skip
    """Write all quantities of all points of thick beams on soft beds, see `create_filling`."""
    _fill_bed_beam_rows(c, m, data, start, x, v, out)


@kernel
def fill_turning_bed_numbers(
    c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    out: FloatArray,
) -> None:  # fmt: skip
    """Write all quantities of all points of ropes that friction turns on soft beds, see `create_filling`."""
    _fill_turning_bed_rows(c, m, data, start, x, v, out)


@kernel
def fill_turning_winch_numbers(
    c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    out: FloatArray,
) -> None:  # fmt: skip
    """Write all quantities of all points of winch ropes with torsion, see `create_filling`."""
    _fill_turning_winch_rows(c, m, data, start, x, v, out)


@kernel
def fill_turning_winch_bed_numbers(
    c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    out: FloatArray,
) -> None:  # fmt: skip
    """Write all quantities of all points of winch ropes with torsion on soft beds, see `create_filling`."""
    _fill_turning_winch_bed_rows(c, m, data, start, x, v, out)


def is_winch(c: ContactRows) -> bool:
    """Return whether the rows are contacts of winch ropes."""
    return "share" in (c.rows.dtype.names or ())


def is_bed(c: ContactRows) -> bool:
    """Return whether the rows are contacts of lines with soft beds."""
    return "suction_coefficient" in (c.rows.dtype.names or ())


def is_thick(c: ContactRows) -> bool:
    """Return whether the rows are contacts of thick beams, whose cross sections friction turns."""
    return "flip" in (c.rows.dtype.names or ())


def choose_filling(c: ContactRows) -> Kernel:
    """Return the kernel that writes all quantities of all points."""
    if is_winch(c) and turns(c):
        return fill_turning_winch_bed_numbers if is_bed(c) else fill_turning_winch_numbers
    if is_winch(c):
        return fill_winch_bed_numbers if is_bed(c) else fill_winch_numbers
    if is_bed(c) and is_thick(c):
        return fill_bed_beam_numbers
    if is_bed(c):
        return fill_turning_bed_numbers if turns(c) else fill_bed_numbers
    if is_thick(c):
        return fill_beam_numbers
    return fill_ribbon_numbers if is_wide(c) else fill_twist_numbers if turns(c) else fill_numbers


_FILLINGS = {
    kernel: call(kernel)
    for kernel in (
        fill_numbers, fill_twist_numbers, fill_ribbon_numbers, fill_bed_numbers, fill_winch_numbers,
        fill_winch_bed_numbers, fill_beam_numbers, fill_turning_bed_numbers, fill_turning_winch_numbers,
        fill_turning_winch_bed_numbers, fill_bed_beam_numbers,
    )
}  # fmt: skip


def is_wide(c: ContactRows) -> bool:
    """Return whether the rows are contacts of ribbons. Ribbons have points on several lines along the ribbon."""
    return "lines" in (c.rows.dtype.names or ())


def turns(c: ContactRows) -> bool:
    """Return whether the rows are contacts of round ropes with twist. Friction turns such ropes about their axis."""
    return "free_twist" in (c.rows.dtype.names or ()) and not is_wide(c)


def create_numbers(c: ContactRows) -> FloatArray:
    """Create an array for the quantities of all points of rows, shape (rows, points, SIZE)."""
    return np.zeros((len(c.rows), int(c.rows["points"].max(initial=0)), SIZE))


def eval_points(c: ContactRows, fields: Fields) -> FloatArray:
    """Return all quantities of all points, shape (rows, points, SIZE), where ``points`` is the largest number of points
    of a row. `clear_point` describes the values for points that a row does not have.
    """
    out = create_numbers(c)
    _FILLINGS[choose_filling(c)](c, fields.markers[FAMILY], fields.data, fields.start_data, fields.x, fields.v, out)
    return out


def create_surface_account(c: ContactRows, before: Call, by: str) -> Account:
    """Create the `Account` of rows. The call ``before`` is executed before the quantities of points are written. This
    call can assign the rows to their current surfaces. `Account` describes ``by``.
    """
    out = create_numbers(c)
    fill = call(choose_filling(c), lambda s: (c, s.markers[FAMILY], s.data, s.start_data, s.x, s.v, out))
    account = create_place_account(before + fill, out, POWER, by, further=1 if is_winch(c) else 0)
    return hold_by_suction(account) if is_bed(c) else account


SUCTION_LOSS, CONTACT_LOSS = len(LOST), LOST.index("contact_damping")
"""Indices of the losses of suction and of normal dampers in the account of lines on soft beds."""


@kernel
def move_lever(powers: FloatArray) -> None:
    """Move the lever power from the index `SUCTION_LOSS` to the next index, and set the power of the loss of suction to
    0, because `fill_suction_loss` adds the energy of this loss.
    """
    powers[SUCTION_LOSS + 1] += powers[SUCTION_LOSS]
    powers[SUCTION_LOSS] = 0.0


@kernel
def fill_suction_loss(before: FloatArray, now: FloatArray, lost: FloatArray) -> None:
    """Add the energy [J] that suction dissipates in a step to the losses ``lost``. This energy is the work of the
    contact spring minus the change of the energy of the spring. `fill_jumps` describes the arguments. For points that
    open, `fill_jumps` counts this energy as a loss of normal dampers. This function subtracts the energy from the loss
    of normal dampers.
    """
    for i in range(len(now)):
        for s in range(now.shape[2]):
            old, new = before[i, :, s], now[i, :, s]
            if old[CONTACT_STATE] == OPEN or max(old[DEPTH], new[DEPTH]) >= NO_GAP:
                continue
            f0, f1 = old[NORMAL_FORCE] - old[DAMPER_FORCE], new[NORMAL_FORCE] - new[DAMPER_FORCE]
            loss = 0.5 * (f0 + f1) * (new[DEPTH] - old[DEPTH]) - (new[SPRING_ENERGY] - old[SPRING_ENERGY])
            # a change of the length of a winch rope does work on the springs of normal forces
            if now.shape[1] > PARTS and old[PARTS] > 0.0 and new[PARTS] > 0.0:
                mean = 0.5 * (old[SPRING_ENERGY] / old[PARTS] + new[SPRING_ENERGY] / new[PARTS])
                loss += mean * (new[PARTS] - old[PARTS])
            if new[CONTACT_STATE] != OPEN:
                lost[SUCTION_LOSS, i] += loss
            elif f0 > 0.0:
                lost[SUCTION_LOSS, i] += loss
                lost[CONTACT_LOSS, i] -= loss


def hold_by_suction(account: Account) -> Account:
    """Return the account of lines on soft beds with the further loss ``suction``."""
    read, jumps = cast("Call", account.read), cast("Call", account.jumps)
    suction = call(fill_suction_loss, lambda s: (s.parts_before, s.parts, s.jumps))
    move = call(move_lever, lambda s: (s.powers,))
    return replace(account, read=read + move, lost=(*account.lost, "suction"), jumps=suction + jumps)


def eval_rounding(c: ContactRows, fields: Fields) -> float:
    """Estimate the rounding errors of the forces, and return the 2-norm [N] of these errors. Gaps and displacements on
    the surface are assumed to have errors eps (|p| + |c|), where p is the position of the point and c the position of
    the marker of the surface.
    """
    out = eval_points(c, fields)
    size = (
        np.linalg.norm(out[..., POSITION], axis=2)
        + np.linalg.norm(fields.markers[FAMILY].position[c.surfaces.marker[c.rows["surface"]]], axis=1)[:, None]
    )
    error = np.finfo(float).eps * (c.rows["contact_stiffness"] + c.rows["friction_stiffness"])[:, None] * size
    return float(np.linalg.norm(error[out[..., POWER + power.STATE] != OPEN]))


def paint(rows: LocalRows, fields: Fields) -> Painting:
    """Return forces, gaps and states of the points as fields for the drawings of the cables.

    The fields are `contact_normal_force_per_length` [N/m] (negative values press),
    `contact_tangential_force_per_length` (magnitude of the friction) [N/m], `gap` [m] and `stick_slip` (0 sticks, 1
    slips, -2 open or without friction). Runs with an `EnergyLedger` also have the field `friction_work_per_length`
    [J/m].
    """
    return paint_points(rows, rows.columns, fields)


def paint_points(rows: LocalRows, c: ContactRows, fields: Fields) -> Painting:
    """Return the fields of `paint` for rows with the data ``c``. Rows without a surface are inactive."""
    row, point = np.nonzero(np.arange(int(c.rows["points"].max(initial=0))) < c.rows["points"][:, None])
    # all points of a ribbon at the same arc length represent the same part of the cable
    lines = c.rows["lines"][row] if is_wide(c) else np.int64(1)
    values, length, place = eval_points(c, fields)[row, point], c.rows["length"][row] * lines, point // lines
    friction = np.linalg.norm(values[:, FRICTION], axis=1)
    painted = {
        "contact_normal_force_per_length": Paint(values[:, FN] / length, "sum", 0.0, "N/m"),
        "gap": Paint(np.where(c.rows["active"][row], values[:, GAP], OUTSIDE), "min", np.nan, "m"),
        "contact_tangential_force_per_length": Paint(friction / length, "sum", 0.0, "N/m"),
        "stick_slip": Paint(values[:, STATE], "max", UNDEFINED, "1"),
    }
    if rows.table.component in rows.layout.losses:
        work = eval_friction_work(rows)[row] / (c.rows["length"] * c.rows["points"])[row] / lines
        painted["friction_work_per_length"] = Paint(work, "sum", 0.0, "J/m")
    # in drawings of winch ropes, positions are fractions of the length of the cable instead of arc lengths
    length = 1.0 / c.rows["points"][row] if is_winch(c) else length
    return Painting(rows.local("cable")[row], place * length, (place + 1) * length, painted)


def _output(unit: str, doc: str, pick: Callable[[FloatArray, ContactRows], Any], fill: float = 0.0) -> Output:
    def evaluate(rows: LocalRows, fields: Fields) -> Any:
        c: ContactRows = rows.columns
        return pick(eval_points(c, fields), c)

    return Output(unit, doc, evaluate, fill)


def _surface(unit: str, doc: str, pick: Callable[[PositionMarkers, Any], Any]) -> Output:
    """Create an output that depends only on the markers of the surfaces. The function ``pick`` receives the columns of
    all markers and, for each row, the index of the marker of its surface.
    """

    def evaluate(rows: LocalRows, fields: Fields) -> Any:
        c: ContactRows = rows.columns
        return pick(fields.markers[FAMILY], c.surfaces.marker[c.rows["surface"]])

    return Output(unit, doc, evaluate)


def eval_axes(rows: LocalRows, fields: Fields) -> FloatArray:
    """Return the global axes of the surface of each row as the columns of a matrix, shape (rows, 3, 3)."""
    c: ContactRows = rows.columns
    s = c.rows["surface"]
    axes: FloatArray = fields.markers[FAMILY].rotation[c.surfaces.marker[s]] @ c.surfaces.Q[s]
    return axes


OUTPUTS: dict[str, Output] = {
    "normal_force": _output(
        "N", "normal force f_n of each point, < 0 presses, 0 for open points, (points,)", lambda o, c: o[..., FN]
    ),
    "friction_force": _output(
        "N", "friction on the cable at each point, global, 0 for open points, (points, 3)",
        lambda o, c: o[..., FRICTION]
    ),
    "friction": _output(
        "N", "friction |f_t| of each point, 0 for open points, (points,)",
        lambda o, c: np.linalg.norm(o[..., FRICTION], axis=2)
    ),
    "state": _output(
        "1", "state of each point: 0 sticks, 1 slips, -2 open or without friction, (points,)",
        lambda o, c: o[..., STATE], -2.0,
    ),
    "gap": _output(
        "m", "distance between rope and surface, also of open points; 0.1 beyond the edges of the surface, (points,)",
        lambda o, c: o[..., GAP], OUTSIDE,
    ),
    "contact_position": _output(
        "m", "positions of the contact points, global, (points, 3)", lambda o, c: o[..., POSITION]
    ),
    "normal": _output("1", "normal from surface to cable, global, (points, 3)", lambda o, c: o[..., NORMAL]),
    "line_pressure": _output(
        "N/m", "pressing force -f_n per reference length of the cable, (points,)",
        lambda o, c: -o[..., FN] / c.rows["length"][:, None]
    ),
    "slip_rate": _output(
        "m/s", "slip velocity |v_t| of each point, 0 for open points, (points,)", lambda o, c: o[..., SPEED]
    ),
    "force": _output(
        "N", "sum of all forces that act on the cable, global, (3,)",
        lambda o, c: (o[..., FRICTION] - o[..., FN, None] * o[..., NORMAL]).sum(axis=1),
    ),
    "surface_position": _surface("m", "origin of the surface, global, (3,)", lambda m, k: m.position[k]),
    "surface_velocity": _surface("m/s", "velocity of this origin, global, (3,)", lambda m, k: m.velocity[k]),
    "surface_axis": Output("1", "axis of the surface, global, (3,)", lambda rows, f: eval_axes(rows, f)[..., 2]),
    **create_power_outputs(True, lambda rows, fields: eval_points(rows.columns, fields)[..., POWER:]),
}  # fmt: skip
"""Output variables of the law."""
OUTPUTS["lever_power"] = replace(
    OUTPUTS["lever_power"],
    doc="lever power of sticking bristles on a curved surface, which is not a loss, shape (rows,)",
)
TWIST_OUTPUTS: dict[str, Output] = {
    **OUTPUTS,
    "axis_torque": _output(
        "N m", "torque of friction on the rope about its axis t = r'/|r'| at each point, 0 for open points, (points,)",
        lambda o, c: o[..., TORQUE],
    ),
    "axis_torque_vector": _output(
        "N m", "torque of friction on the rope about its axis, as a global vector, (points, 3)",
        lambda o, c: o[..., TORQUE_VECTOR]
    ),
    "slip_rate": replace(
        OUTPUTS["slip_rate"],
        doc="slip velocity |v_t| of each point at the surface of the rope, including the spin of the rope, (points,)"
    ),
}  # fmt: skip
"""Output variables of the law for ropes with twist."""
BED_OUTPUTS: dict[str, Output] = {
    **OUTPUTS,
    "suction": _output(
        "N/m", "tension between line and bed per reference length of the line, (points,)",
        lambda o, c: o[..., SUCTION] / c.rows["length"][:, None],
    ),
}  # fmt: skip
"""Output variables of the law for lines on soft beds."""
TURNING = {name: TWIST_OUTPUTS[name] for name in ("axis_torque", "axis_torque_vector", "slip_rate")}
"""Output variables of laws in which friction turns the rope. Other laws do not have these variables, or have other
descriptions of them.
"""
TURNING_WINCH = {
    "surface_axes": Output("1", "axes of the surface, global, in columns, (3, 3)", eval_axes),
    "tangent": _output(
        "1", "unit tangent of the rope at each closed point, global, (points, 3)", lambda o, c: o[..., TANGENT]
    ),
    "material_axis": _output(
        "1", "unit vector d_1 of the material at each closed point, global, (points, 3)", lambda o, c: o[..., AXIS]
    ),
}
"""Further output variables of laws for winch ropes that friction turns."""
