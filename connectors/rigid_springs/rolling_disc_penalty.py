"""Disc on a plane by a penalty, with friction: it rolls, slips and lifts off.

    c = d + r,  v_c                                            contact point and velocity of the rim, see `RollingJoint`
    e_0, e_1, n                                                across the track, along it, normal to the plane
    g = n·c,  f_n = k g + d n·v_c                              gap and normal force < 0, while the stored gap is <= 0
    v_t = [e_0·v_c, e_1·v_c],  v = |v_t|                       slip
    M = Rᵀ diag(μ + μ_v v) R                                   R turns by the angle of rollers, for Mecanum wheels
    f_t = |f_n| M s                                            friction on the left-hand side
    s = v_t/v_z,  or (2 - v/v_z) v_t/v_z                       where the stored slip is <= v_z, the proportional zone
    s = stored slip/|stored slip|                              where it is larger
    f = f_t0 e_0 + f_t1 e_1 + f_n n  on the disc at its contact point, -f there on the plane

History values per row: slip across and along the track, and gap; they stay fixed during Newton's iterations.  After
them they take the values of the motion, and the force error is the force of a contact that opens or closes, or the
change of friction by them.  With a zone of 0 friction has its full size at any stored slip except exactly 0, where it
vanishes.  In the original it vanishes there for every zone; here slip 0 lies in the zone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.connectors.friction.regularised import limit_of, share_of_slip, slides
from windlass.connectors.markers.pairs import Pair
from windlass.connectors.markers.position_kernels import PositionColumns, cross, dot, find_contact, turn_vector
from windlass.connectors.rigid_springs.pairs import ComplexArray, Pose, register_rigid_pair, row_of_rigid
from windlass.elements.nodes.rotations import normalise
from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.post_newton import note_outcome
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.gaps import note_gap
from windlass.framework.model.law import LocalRows, Output, Tables
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.table import EntityTable

START = (0.0, 0.0, 0.1)


class RollingDiscPenalty(Component):
    """A thin disc on a plane, by a penalty and with friction.

    History values per row: slip across and along the track [m/s], gap [m] (3).
    """

    marker0 = ref("rigid marker", "point on the plane, whose frame has the normal")
    marker1 = ref("rigid marker", "centre of the disc")
    data = ref("GenericData", "3 history values; created as open without slip if left out", optional=True)
    radius = column("m", "radius of the disc", above=0.0)
    axis = column("1", "axis of the disc in the frame of marker 1, of any length > 0", (3,), (1.0, 0.0, 0.0))
    normal = column("1", "normal of the plane in the frame of marker 0, of any length > 0", (3,), (0.0, 0.0, 1.0))
    contact_stiffness = column("N/m", "k of the contact", above=0.0)
    contact_damping = column("N s/m", "d of the contact; may make the normal force pull", default=0.0, minimum=0.0)
    friction = column("1", "μ across and along the track", shape=(2,), default=(0.0, 0.0), minimum=0.0)
    viscous_friction = column("s/m", "μ_v, rise of μ with the slip", shape=(2,), default=(0.0, 0.0), minimum=0.0)
    friction_angle = column("rad", "angle of the directions of μ, for rollers", default=0.0)
    proportional_zone = column("m/s", "v_z, slip below which friction is proportional", default=1e-3, minimum=0.0)
    linear_zone = column("1", "friction is linear in the zone, not a parabola", dtype=bool, default=False)
    active = column("1", "false: no force, history untouched", dtype=bool, default=True, switchable=True)


LETTERS = {
    "r": "radius", "k": "contact_stiffness", "d": "contact_damping", "mu": "friction", "muv": "viscous_friction",
    "zone": "proportional_zone", "linear": "linear_zone",
}  # fmt: skip


@kernel
def measure(c: Any, i: int, u: Pose, ut: ComplexArray) -> Any:
    """Gap [m], its rate and the slip across and along the track [m/s]; r and d + r [m]; e_0, e_1, n."""
    n, w = turn_vector(u.A, c.n[i]), turn_vector(u.B, c.w[i])
    across, r, arm = find_contact(c.r[i], 0, u.d, n, w)
    along = cross(across, n)
    a, b = cross(ut[6:9], r), cross(ut[3:6], arm)
    v = (ut[0] + a[0] - b[0], ut[1] + a[1] - b[1], ut[2] + a[2] - b[2])
    return dot(n, arm), dot(n, v), dot(across, v), dot(along, v), r, arm, across, along, n


@kernel
def rub(c: Any, i: int, fn: complex, x: complex, y: complex) -> tuple[complex, complex]:
    """f_t across and along the track [N] for the slip (x, y)."""
    speed = np.sqrt(x * x + y * y)
    stored = np.sqrt(c.h[i, 0] ** 2 + c.h[i, 1] ** 2)
    share = share_of_slip(speed, c.zone[i], not c.linear[i])
    sx, sy = share * x, share * y
    if slides(stored, c.zone[i]):
        sx, sy = complex(c.h[i, 0] / stored, 0.0), complex(c.h[i, 1] / stored, 0.0)
    cos, sin = c.cos[i], c.sin[i]
    p, q = cos * sx - sin * sy, sin * sx + cos * sy
    p, q = (c.mu[i, 0] + c.muv[i, 0] * speed) * p, (c.mu[i, 1] + c.muv[i, 1] * speed) * q
    size = limit_of(1.0, fn)
    return size * (cos * p + sin * q), size * (-sin * p + cos * q)


@kernel
def force(c: Any, i: int, u: Pose, ut: ComplexArray, t: float) -> Any:
    """The nine numbers of row i."""
    gap, rate, x, y, r, arm, across, along, n = measure(c, i, u, ut)
    fn = (c.k[i] * gap + c.d[i] * rate) * (1.0 if c.h[i, 2] <= 0.0 else 0.0)
    fx, fy = rub(c, i, fn, x, y)
    f = (
        fx * across[0] + fy * along[0] + fn * n[0],
        fx * across[1] + fy * along[1] + fn * n[1],
        fx * across[2] + fy * along[2] + fn * n[2],
    )
    t0, t1 = cross(f, arm), cross(r, f)
    return f[0], f[1], f[2], t0[0], t0[1], t0[2], t1[0], t1[1], t1[2]


@kernel
def energy(c: Any, i: int, u: Pose, ut: ComplexArray, t: float) -> Any:
    """Energy of the contact of row i [J]."""
    gap = measure(c, i, u, ut)[0]
    return 0.5 * c.k[i] * gap * gap * (1.0 if c.h[i, 2] <= 0.0 else 0.0)


@kernel
def power(c: Any, i: int, u: Pose, ut: ComplexArray, t: float) -> Any:
    """Power that friction and the damper of row i dissipate [W]."""
    gap, rate, x, y, _, _, _, _, _ = measure(c, i, u, ut)
    on = 1.0 if c.h[i, 2] <= 0.0 else 0.0
    fx, fy = rub(c, i, (c.k[i] * gap + c.d[i] * rate) * on, x, y)
    return fx * x + fy * y + c.d[i] * rate * rate * on


@kernel
def measure_gap(c: Any, i: int, u: Pose, ut: ComplexArray, row: FloatArray) -> None:
    """The numbers of `Gaps` of row i."""
    gap, rate, x, y, _, _, _, _, _ = measure(c, i, u, ut)
    note_gap(row, gap.real, rate.real, np.sqrt(x.real**2 + y.real**2 + rate.real**2))


def number_of(which: int) -> Any:
    """Kernel of the normal force and friction across and along (0, 1, 2), or of the results of `measure` (3 ...)."""

    @kernel
    def value(c: Any, i: int, u: Pose, ut: ComplexArray, t: float) -> Any:
        gap, rate, x, y, _, _, _, _, _ = measure(c, i, u, ut)
        fn = (c.k[i] * gap + c.d[i] * rate) * (1.0 if c.h[i, 2] <= 0.0 else 0.0)
        fx, fy = rub(c, i, fn, x, y)
        return (fn, fx, fy, gap, x, y)[which]

    return value


@kernel
def update_history(
    c: Any, pair: Pair, m: PositionColumns, data: FloatArray, start: FloatArray, size: FloatArray, outcome: FloatArray
) -> None:
    """New history values of the active rows; see `note_outcome` for the outcome."""
    error, changed, largest, worst = 0.0, False, 0.0, -1
    for i in range(len(pair.m0)):
        if not pair.active[i]:
            continue
        u, ut = row_of_rigid(m, pair, i)
        gap, rate, x, y, _, _, _, _, _ = measure(c, i, u, ut)
        at, jump = c.data[i], 0.0
        for k in range(3):
            c.h[i, k] = data[at + k]
        fn = c.k[i] * gap + c.d[i] * rate
        closed, sliding = c.h[i, 2] <= 0.0, c.h[i, 0] ** 2 + c.h[i, 1] ** 2 > c.zone[i] ** 2
        before = rub(c, i, fn, x, y)
        data[at], data[at + 1], data[at + 2] = x.real, y.real, gap.real
        for k in range(3):
            c.h[i, k] = data[at + k]
        after = rub(c, i, fn, x, y)
        if closed != (gap.real <= 0.0):
            jump, changed = abs(fn.real), True
        elif closed:
            jump = max(abs(after[0].real - before[0].real), abs(after[1].real - before[1].real))
            changed = changed or sliding != (x.real**2 + y.real**2 > c.zone[i] ** 2)
            largest = max(largest, abs(fn.real))
        if jump > error:
            error, worst = jump, i
    note_outcome(outcome, error, np.inf, changed, largest, worst)


def derive(rows: LocalRows) -> dict[str, FloatArray]:
    """Axis w of the disc and normal n of the rolling plane in the frames of their markers; the angle of rollers."""
    angle, (w, n) = rows.local("friction_angle"), (normalise(rows.local(name)) for name in ("axis", "normal"))
    return {"w": w, "n": n, "cos": np.cos(angle), "sin": np.sin(angle)}


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for an axis or a normal of length 0, and history values that do not fit."""
    for name in ("axis", "normal"):
        table.refuse(~table.local(name).any(axis=1), (name,), "have a length > 0 [1]")


register_rigid_pair(
    RollingDiscPenalty,
    force,
    letters=LETTERS,
    derive=derive,
    stored=("contact_spring", energy),
    lost=("friction", power),
    passed="lever",
    start=START,
    update=update_history,
    gap=measure_gap,
    check=check,
    outputs={
        "normal_force": Output("N", "f_n, (): < 0 presses", number_of(0)),
        "friction_across": Output("N", "f_t across the track on the left-hand side, ()", number_of(1)),
        "friction_along": Output("N", "f_t along the track on the left-hand side, ()", number_of(2)),
        "gap": Output("m", "distance of the lowest point from the plane, (); < 0 in contact", number_of(3)),
        "slip_across": Output("m/s", "slip across the track, ()", number_of(4)),
        "slip_along": Output("m/s", "slip along the track, ()", number_of(5)),
    },
    source="[@exudyn], ObjectConnectorRollingDiscPenalty",
)
