"""Contact of a disc with a plane by a penalty force with friction. The disc can roll, slip and lift off.

    contact: the vector c = d + r from point 0 to the lowest point of the rim, and the velocity v_c of the rim, see
        `RollingJoint`
    directions: e_0 across the track, e_1 along the track, n normal to the plane
    gap: g = n·c
    normal force: f_n = k g + d n·v_c < 0, while the stored gap is <= 0
    slip: v_t = [e_0·v_c, e_1·v_c],    v = |v_t|
    friction matrix: M = Rᵀ diag(μ + μ_v v) R, where R is the rotation by the angle of the rollers of Mecanum wheels
    friction: f_t = |f_n| M s on the left-hand side
    in the proportional zone: s = (2 - v/v_z) v_t/v_z, or v_t/v_z with ``linear_zone``, if the stored slip is <= v_z
    outside of the zone: s = stored slip/|stored slip|
    force: f = f_t0 e_0 + f_t1 e_1 + f_n n on the disc at its contact point, and -f on the plane at this point

In the formula of f_n, d is ``contact_damping``. The columns of `RollingDiscPenalty` define the other parameters.
History values per row are the slip across and along the track, and the gap. History values are constant during Newton's
iterations. After the iterations the history values are set to the current slip and gap. The force error is the force of
a contact that opens or closes, or the change of the friction force due to new history values. If the zone v_z is 0,
friction has its full magnitude for every nonzero stored slip, and friction is 0 for a stored slip of 0. In Exudyn,
friction is 0 if the stored slip is 0, whatever the value of v_z. In this law, if v_z > 0, a stored slip of 0 is within
the proportional zone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.connectors.friction.regularised import limit_of, share_of_slip, slides
from windlass.connectors.markers.position_kernels import cross, dot, find_contact, turn_vector
from windlass.connectors.markers.position_markers import RIGID
from windlass.connectors.rigid_springs.pairs import ComplexArray, Pose, register_rigid_pair
from windlass.elements.nodes.rotations import normalise
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.gaps import note_gap
from windlass.framework.model.law import LocalRows, Output, Tables
from windlass.framework.model.schema import Component, column, derived, ref
from windlass.framework.model.table import EntityTable

START = (0.0, 0.0, 0.1)


class RollingDiscPenalty(Component):
    """A thin disc that rolls on a plane, with a penalty force and friction.

    Three history values per row: slip velocity across and along the track [m/s], and gap [m].
    """

    marker0 = ref(RIGID, "point on the plane; the normal is fixed in its frame")
    marker1 = ref(RIGID, "centre of the disc")
    data = ref(
        "GenericData", "3 history values; if left out, they are created without contact and without slip", optional=True
    )
    radius = column("m", "radius of the disc", above=0.0)
    axis = column("1", "axis of the disc in the frame of marker 1, of any length > 0", (3,), (1.0, 0.0, 0.0))
    normal = column("1", "normal to the plane in the frame of marker 0, of any length > 0", (3,), (0.0, 0.0, 1.0))
    contact_stiffness = column("N/m", "stiffness k of the contact", above=0.0)
    contact_damping = column(
        "N s/m", "damping d of the contact, which can cause a pulling normal force", default=0.0, minimum=0.0
    )
    friction = column(
        "1", "friction coefficients μ across and along the track", shape=(2,), default=(0.0, 0.0), minimum=0.0
    )
    viscous_friction = column(
        "s/m", "increase μ_v of μ with the slip velocity", shape=(2,), default=(0.0, 0.0), minimum=0.0
    )
    friction_angle = column("rad", "angle by which the directions of μ are rotated, for rollers", default=0.0)
    proportional_zone = column(
        "m/s", "slip velocity v_z below which friction is proportional to the slip velocity", default=1e-3, minimum=0.0
    )
    linear_zone = column(
        "1",
        "true: friction is a linear function of the slip velocity below v_z; false: a parabola",
        dtype=bool,
        default=False,
    )
    active = column(
        "1",
        "false: the row has no force, and its history values do not change",
        dtype=bool,
        default=True,
        switchable=True,
    )
    unit_axis = derived("1", "unit vector of the axis of the disc in the frame of marker 1, shape (3,)")
    unit_normal = derived("1", "unit normal to the plane in the frame of marker 0, shape (3,)")
    cosine = derived("1", "cosine of the angle of the rollers")
    sine = derived("1", "sine of the angle of the rollers")


@kernel
def measure(row: Any, u: Pose, ut: ComplexArray) -> Any:
    """Return the gap [m], the rate of the gap [m/s], and the slip velocity across and along the track [m/s]. Also
    return the vector r [m] from the centre to the lowest point of the rim, the vector d + r [m] from point 0 to the
    lowest point, and the directions e_0, e_1 and n across the track, along the track and normal to the plane.
    """
    n, w = turn_vector(u.A, row.unit_normal), turn_vector(u.B, row.unit_axis)
    across, r, arm = find_contact(row.radius, 0, u.d, n, w)
    along = cross(across, n)
    a, b = cross(ut[6:9], r), cross(ut[3:6], arm)
    v = (ut[0] + a[0] - b[0], ut[1] + a[1] - b[1], ut[2] + a[2] - b[2])
    return dot(n, arm), dot(n, v), dot(across, v), dot(along, v), r, arm, across, along, n


@kernel
def rub(row: Any, fn: complex, x: complex, y: complex) -> tuple[complex, complex]:
    """Return the components of the friction f_t [N] across and along the track, for the slip velocities x across and y
    along the track [m/s].
    """
    speed = np.sqrt(x * x + y * y)
    stored = np.sqrt(row.history[0] ** 2 + row.history[1] ** 2)
    share = share_of_slip(speed, row.proportional_zone, not row.linear_zone)
    sx, sy = share * x, share * y
    if slides(stored, row.proportional_zone):
        sx, sy = complex(row.history[0] / stored, 0.0), complex(row.history[1] / stored, 0.0)
    cos, sin = row.cosine, row.sine
    p, q = cos * sx - sin * sy, sin * sx + cos * sy
    mu, rise = row.friction, row.viscous_friction
    p, q = (mu[0] + rise[0] * speed) * p, (mu[1] + rise[1] * speed) * q
    size = limit_of(1.0, fn)
    return size * (cos * p + sin * q), size * (-sin * p + cos * q)


@kernel
def force(row: Any, u: Pose, ut: ComplexArray, t: float) -> Any:
    """Return the nine components of the forces and torques. See `rigid_springs/pairs.py`."""
    gap, rate, x, y, r, arm, across, along, n = measure(row, u, ut)
    fn = (row.contact_stiffness * gap + row.contact_damping * rate) * (1.0 if row.history[2] <= 0.0 else 0.0)
    fx, fy = rub(row, fn, x, y)
    f = (
        fx * across[0] + fy * along[0] + fn * n[0],
        fx * across[1] + fy * along[1] + fn * n[1],
        fx * across[2] + fy * along[2] + fn * n[2],
    )
    t0, t1 = cross(f, arm), cross(r, f)
    return f[0], f[1], f[2], t0[0], t0[1], t0[2], t1[0], t1[1], t1[2]


@kernel
def energy(row: Any, u: Pose, ut: ComplexArray, t: float) -> Any:
    """Return the energy [J] of the contact."""
    gap = measure(row, u, ut)[0]
    return 0.5 * row.contact_stiffness * gap * gap * (1.0 if row.history[2] <= 0.0 else 0.0)


@kernel
def power(row: Any, u: Pose, ut: ComplexArray, t: float) -> Any:
    """Return the power [W] lost to friction and the damper."""
    gap, rate, x, y, _, _, _, _, _ = measure(row, u, ut)
    on = 1.0 if row.history[2] <= 0.0 else 0.0
    fx, fy = rub(row, (row.contact_stiffness * gap + row.contact_damping * rate) * on, x, y)
    return fx * x + fy * y + row.contact_damping * rate * rate * on


@kernel
def measure_gap(row: Any, u: Pose, ut: ComplexArray, numbers: FloatArray) -> None:
    """Write the gap quantities of the row, see `Gaps`."""
    gap, rate, x, y, _, _, _, _, _ = measure(row, u, ut)
    note_gap(numbers, gap.real, rate.real, np.sqrt(x.real**2 + y.real**2 + rate.real**2))


def number_of(which: int) -> Any:
    """Create the kernel that returns the normal force (which = 0), the friction across (which = 1) or along the track
    (which = 2), the gap (which = 3), or the slip velocity across (which = 4) or along the track (which = 5)."""

    @kernel
    def value(row: Any, u: Pose, ut: ComplexArray, t: float) -> Any:
        gap, rate, x, y, _, _, _, _, _ = measure(row, u, ut)
        fn = (row.contact_stiffness * gap + row.contact_damping * rate) * (1.0 if row.history[2] <= 0.0 else 0.0)
        fx, fy = rub(row, fn, x, y)
        return (fn, fx, fy, gap, x, y)[which]

    return value


@kernel
def update_history(row: Any, u: Pose, ut: ComplexArray, t: float, h: float) -> tuple[float, float, bool, float]:
    """Update the history values. Return the force error [N], an infinite step size, whether a state has changed, and
    the force [N].
    """
    gap, rate, x, y, _, _, _, _, _ = measure(row, u, ut)
    fn, zone = row.contact_stiffness * gap + row.contact_damping * rate, row.proportional_zone
    closed, sliding = row.history[2] <= 0.0, row.history[0] ** 2 + row.history[1] ** 2 > zone**2
    before = rub(row, fn, x, y)
    row.history[0], row.history[1], row.history[2] = x.real, y.real, gap.real
    after = rub(row, fn, x, y)
    if closed != (gap.real <= 0.0):
        return abs(fn.real), np.inf, True, 0.0
    if not closed:
        return 0.0, np.inf, False, 0.0
    jump = max(abs(after[0].real - before[0].real), abs(after[1].real - before[1].real))
    return jump, np.inf, sliding != (x.real**2 + y.real**2 > zone**2), abs(fn.real)


def derive(rows: LocalRows) -> dict[str, FloatArray]:
    """Compute unit vectors along the axis of the disc, in the frame of marker 1, and along the plane normal, in the
    frame of marker 0. Also compute cosine and sine of the angle of the rollers.
    """
    angle, (w, n) = rows.local("friction_angle"), (normalise(rows.local(name)) for name in ("axis", "normal"))
    return {"unit_axis": w, "unit_normal": n, "cosine": np.cos(angle), "sine": np.sin(angle)}


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for an axis or a normal of length 0."""
    for name in ("axis", "normal"):
        table.refuse(~table.local(name).any(axis=1), (name,), "have a length > 0 [1]")


register_rigid_pair(
    RollingDiscPenalty,
    force,
    derive=derive,
    stored=("contact_spring", energy),
    lost=("friction", power),
    passed="lever",
    start=START,
    update=update_history,
    gap=measure_gap,
    check=check,
    outputs={
        "normal_force": Output("N", "normal force f_n, (); < 0 presses", number_of(0)),
        "friction_across": Output(
            "N", "friction f_t across the track, with the sign of the left-hand side, ()", number_of(1)
        ),
        "friction_along": Output(
            "N", "friction f_t along the track, with the sign of the left-hand side, ()", number_of(2)
        ),
        "gap": Output("m", "distance of the lowest point from the plane, (); < 0 in contact", number_of(3)),
        "slip_across": Output("m/s", "slip velocity across the track, ()", number_of(4)),
        "slip_along": Output("m/s", "slip velocity along the track, ()", number_of(5)),
    },
    source="[@exudyn], ObjectConnectorRollingDiscPenalty",
)
