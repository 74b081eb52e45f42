"""Where the power goes that contact takes from a circle and a cable: what is lost, what is stored.

Per closed segment, with the letters of `kernels.py` and dots for rates,

    power taken    P = (1-rho) F_0.(v_0 - v_c) + rho F_1.(v_1 - v_c) - r f_t omega,    F_j = f_n n_j + f_t t_j,
    sliding        f_t x_cur_t     in slip (without bristles f_t v_t),
    dampers        mu_v v_t²  unless it slips,    (f_n - k_c g) v_n,
    stored         mu_k u u_t, u = x_cur - x_stick,  while it sticks;    k_c g g_t,
    lever          what is left of P.

P is the power of all forces, of f_t at the radius r on the circle included.  x_cur_t is the rate at which the segment
slips by the law's own measure: it is 0 where a segment rolls, while v_t is omega g, since f_t acts at r + g and turns
the circle at r.  That part, f_t (v_t - x_cur_t) on the axis, and what `use_segment_normals` = false adds, is neither
lost nor stored; on driver and driven it has opposite signs.  In slip bristles keep the length of the limit; what they
store as it changes, and what they hold when a segment opens, is no power but a difference of energies: `eval_jumps`.
Source: power balance of the forces, term by term.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from windlass.connectors.circle_segments.friction import UNDEFINED
from windlass.connectors.circle_segments.kernels import (
    Chord,
    ContactColumns,
    Pose,
    RowLaw,
    axis_chord,
    create_law,
    create_pose,
    eval_segment,
    force_normals,
    stick_position,
)
from windlass.connectors.circle_segments.moving_cable import AxialMotion, set_shift
from windlass.connectors.circle_segments.tangent import chord_derivatives
from windlass.connectors.markers.cable_shape import FAMILY, ShapeColumns
from windlass.connectors.markers.position_kernels import FAMILY as CIRCLE_FAMILY
from windlass.connectors.markers.position_kernels import PositionColumns
from windlass.framework.accounts import Account, Reading
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows, Output
from windlass.framework.model.system import Fields

POWERS = {
    "friction_power": "power lost in sliding friction",
    "friction_damping_power": "power lost in the tangential dampers of what does not slip",
    "contact_damping_power": "power lost in the normal dampers",
    "bristle_power": "rate at which the bristles of what sticks store energy",
    "spring_power": "rate at which the normal springs store energy",
    "lever_power": "power that f_t takes by acting at r + g on the cable and at r on the circle, not lost",
}
"""Parts of the power that contact takes from circle and cable [W]; they add up to it."""
NUMBERS, OPEN = 9, -3.0
"""Numbers of a segment that `fill_powers` writes; the state of those that are open."""
FRICTION = ("friction_power", "friction_damping_power", "bristle_power", "lever_power")


@kernel(inline=True)
def mesh_velocity(
    v: FloatArray, slope: FloatArray, slope_rate: FloatArray, j: int, y: float, s_t: float
) -> tuple[float, float]:
    """Velocity of the axis under point j, as a place of the mesh."""
    rx, ry, vx, vy = slope[j, 0], slope[j, 1], v[j, 0], v[j, 1]
    if y != 0.0:
        l = np.sqrt(rx * rx + ry * ry)
        yw = y * (rx * slope_rate[j, 1] - ry * slope_rate[j, 0]) / (l * l * l)
        return vx + yw * rx, vy + yw * ry
    return vx - s_t * rx, vy - s_t * ry


@kernel(inline=True)
def slip_rate(
    law: RowLaw, o: Pose, v: FloatArray, slope: FloatArray, slope_rate: FloatArray, j: int, h: Chord, s_t: float
) -> float:
    """Rate of x_cur [m/s] of the segment ``h`` from point j to j + 1; s_t: axial motion of the material [m/s]."""
    on_axis = law.current and law.y != 0.0
    z = axis_chord(slope, j, law.y, h) if on_axis else h
    y = law.y if on_axis else 0.0
    ax, ay = mesh_velocity(v, slope, slope_rate, j, y, s_t)
    bx, by = mesh_velocity(v, slope, slope_rate, j + 1, y, s_t)
    ax, ay, bx, by = ax - o.vx, ay - o.vy, bx - o.vx, by - o.vy
    rhos, theta = chord_derivatives(z)
    rho_t = rhos[0] * ax + rhos[1] * ay + rhos[2] * bx + rhos[3] * by
    theta_t = theta[0] * ax + theta[1] * ay + theta[2] * bx + theta[3] * by
    _, d_rho, d_length = stick_position(law, o, slope, j, h)
    rate: float = law.r * (theta_t - o.omega) + d_rho * (rho_t - s_t / law.L)
    if d_length != 0.0:
        ex, ey = z.bx - z.ax, z.by - z.ay
        rate += d_length * (ex * (bx - ax) + ey * (by - ay)) / np.sqrt(ex * ex + ey * ey)
    return rate


@kernel
def fill_powers(
    c: ContactColumns, shape: ShapeColumns, circle: PositionColumns, data: FloatArray, s_t: FloatArray, out: FloatArray
) -> None:
    """The powers in the order of `POWERS`, energies of spring and bristle, and the state into out.

    ``out`` has shape (rows, segments, NUMBERS), s_t are axial motions, shape (rows,).
    """
    p, v, slope, slope_rate = shape.p, shape.v, shape.slope, shape.slope_rate
    for i in range(len(c.n)):
        n, first, closed = c.n[i], c.data[i], False
        for s in range(n):
            closed |= data[first + s] <= 0.0
        if not (closed and c.active[i]):
            continue
        law = create_law(c, shape, i)
        o = create_pose(circle.p, circle.v, circle.omega, circle.A, c.circle[i])
        start = shape.start[c.cable[i]]
        for s in range(n):
            if data[first + s] > 0.0:
                continue
            j = start + s
            state, stick = UNDEFINED, 0.0
            if c.friction:
                state, stick = data[first + n + s], data[first + 2 * n + s]
            z = eval_segment(law, o, p, v, slope, j, state, stick)
            h, spring = z.chord, law.kc * (z.chord.D - law.r)
            n0x, n0y, n1x, n1y = force_normals(law, h)
            at0 = z.fn * (n0x * z.vax + n0y * z.vay) + z.ft * (n0x * z.vay - n0y * z.vax)
            at1 = z.fn * (n1x * z.vbx + n1y * z.vby) + z.ft * (n1x * z.vby - n1y * z.vbx)
            taken = (1.0 - h.rho) * at0 + h.rho * at1 - law.r * z.ft * o.omega
            slip = z.vt
            if law.mu_k != 0.0 and (state == 0.0 or abs(state) == 1.0):
                slip = slip_rate(law, o, v, slope, slope_rate, j, h, s_t[i])
            if abs(state) == 1.0:
                out[i, s, 0] = z.ft * slip
            else:
                out[i, s, 1] = law.mu_v * z.vt * z.vt
                out[i, s, 3] = law.mu_k * z.bristle * slip
            out[i, s, 2] = (z.fn - spring) * z.vn
            # the gap is that of the mesh
            along = 0.0
            if s_t[i] != 0.0:
                rx = (1.0 - h.rho) * slope[j, 0] + h.rho * slope[j + 1, 0]
                ry = (1.0 - h.rho) * slope[j, 1] + h.rho * slope[j + 1, 1]
                along = s_t[i] * (rx * h.nx + ry * h.ny)
            out[i, s, 4] = spring * (z.vn - along)
            out[i, s, 5] = taken - out[i, s, 0] - out[i, s, 1] - out[i, s, 2] - out[i, s, 3] - out[i, s, 4]
            out[i, s, 6] = 0.5 * spring * (h.D - law.r)
            if law.mu_k != 0.0 and state == 0.0:
                out[i, s, 7] = 0.5 * law.mu_k * z.bristle * z.bristle
            elif law.mu_k != 0.0 and abs(state) == 1.0:
                # a slipping segment keeps its bristle bent by f_t / mu_k
                out[i, s, 7] = 0.5 * z.ft * z.ft / law.mu_k
            out[i, s, 8] = state


def eval_powers(c: ContactColumns, axial: AxialMotion | None, fields: Fields) -> FloatArray:
    """The powers of all segments [W], in the order of `POWERS`, shape (rows, segments, 6)."""
    return eval_parts(c, axial, fields)[..., : len(POWERS)]


def eval_parts(c: ContactColumns, axial: AxialMotion | None, fields: Fields) -> FloatArray:
    """The numbers of `fill_powers`, shape (rows, segments, NUMBERS)."""
    rates = np.zeros(len(c.n))
    if axial is not None:
        set_shift(c, axial, fields.x, fields.data)
        rates = fields.v[axial.s]
    out = np.zeros((len(c.n), int(c.n.max(initial=0)), NUMBERS))
    out[..., 8] = OPEN
    _fill(c, fields.markers[FAMILY], fields.markers[CIRCLE_FAMILY], fields.data, rates, out)
    return out


_fill = call(fill_powers)


@kernel
def sum_parts(parts: FloatArray, energies: FloatArray, powers: FloatArray) -> None:
    """Energies of springs and bristles, shape (rows, 2), and the powers of an account, shape (rows, 5)."""
    for i in range(len(parts)):
        for s in range(parts.shape[1]):
            if parts[i, s, 8] != OPEN:
                energies[i, 0] += parts[i, s, 6]
                energies[i, 1] += parts[i, s, 7]
                powers[i, 0] += parts[i, s, 0]
                powers[i, 2] += parts[i, s, 1]
                powers[i, 3] += parts[i, s, 2]
                powers[i, 4] += parts[i, s, 5]


@kernel
def fill_jumps(before: FloatArray, now: FloatArray, h: float, lost: FloatArray) -> None:
    """What sliding and bristles lose in a step of h [s] beside the powers [J], into the first columns of lost.

    Sliding takes f_t x_cur_t, of which bristles store what their energy changes by; what they hold as they open is
    lost.  In all, the loss is the work that was taken less what the energy has changed by.
    """
    for i in range(len(now)):
        for s in range(now.shape[1]):
            was, state = before[i, s, 8], now[i, s, 8]
            if was == OPEN and state == OPEN:
                continue
            beside = 0.5 * h * (before[i, s, 3] + now[i, s, 3]) - (now[i, s, 7] - before[i, s, 7])
            if abs(state) == 1.0 or (abs(was) == 1.0 and state == 0.0):
                lost[i, 0] += beside
            elif state == OPEN:
                lost[i, 1] += beside
            elif was == 0.0 and state == 0.0:
                # bristles of points change with the number of those in contact, which stands in further numbers
                for k in range(NUMBERS, now.shape[2]):
                    if before[i, s, k] != now[i, s, k]:
                        lost[i, 1] += beside


_sum, _jump = call(sum_parts), call(fill_jumps)
STORED, PASSED = ("contact_spring", "bristle"), ("lever",)
FRICTION_LOSSES = ("sliding", "bristles", "friction_damping")
LOST = (*FRICTION_LOSSES, "contact_damping")
"""What accounts of contact store, pass on and lose."""


def create_account(evaluate: Callable[[Fields], FloatArray], by: str = "circle", conserves: bool = False) -> Account:
    """The account of a contact law from what gives the numbers of `fill_powers` for its rows."""

    def read(fields: Fields) -> Reading:
        parts = evaluate(fields)
        found = Reading(np.zeros((len(parts), 2)), np.zeros((len(parts), 5)), parts)
        _sum(parts, found.energies, found.powers)
        return found

    return Account(read, STORED, LOST, PASSED, jumps=eval_jumps, by=by, conserves=conserves)


def eval_jumps(before: Reading, now: Reading, h: float) -> FloatArray:
    """The losses of `fill_jumps`, shape (rows, 4)."""
    lost = np.zeros((len(now.powers), len(LOST)))
    _jump(before.parts, now.parts, h, lost)
    return lost


def create_power_outputs(friction: bool, evaluate: Callable[[LocalRows, Fields], FloatArray]) -> dict[str, Output]:
    """Outputs of the powers, each summed over the segments or points of a row, shape (rows,).

    ``evaluate`` gives the powers of a law, as `eval_powers` does.
    """

    def output(k: int, doc: str) -> Output:
        def total(rows: LocalRows, fields: Fields) -> Any:
            return evaluate(rows, fields)[..., k].sum(axis=-1)

        return Output("W", doc + ", shape (rows,)", total)

    outputs = {name: output(k, doc) for k, (name, doc) in enumerate(POWERS.items()) if friction or name not in FRICTION}
    if friction:
        doc = "work lost in friction since an EnergyLedger began, NaN without one, shape (rows,)"
        outputs["friction_work"] = Output("J", doc, lambda rows, fields: eval_friction_work(rows))
    return outputs


def eval_friction_work(rows: LocalRows) -> FloatArray:
    """What sliding, bristles and tangential dampers of rows have lost since a ledger began [J], NaN without one."""
    component = rows.table.component
    losses = rows.layout.losses.get(component)
    if losses is None:
        return np.full(len(rows.rows), np.nan)
    return losses.sum_rows(FRICTION_LOSSES)[np.searchsorted(rows.layout.rows[component], rows.rows)]
