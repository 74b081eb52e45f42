"""Two gears in mesh on bodies that can move, with stiffness, damping and backlash of the teeth.

    radii with signs: r_i = m z_i/2 (module m, z_i teeth), z_1 < 0 for a ring gear around gear 0,    h = sign(z_0 + z_1)
    line of centres: e = h c/|c|,    c: part of p1 - p0 perpendicular to the axis a of gear 0,    t = a × e
    angle: ψ_i about a, from the line of centres e to a direction that is fixed in gear i and perpendicular to a
    displacement: w = r_0 ψ_0 + r_1 ψ_1 - w_0, plus the multiple of the pitch π m for which |w| is smallest
    depth of the flanks for both directions: s_± = ± cos α w - sin α (h |c| - (r_0 + r_1)) - b/2
    force of the flanks along the line of action: N_± = k s_± + d ṡ_±, limited to [0, 2 k s_±], if s_± > 0, else 0

Forces and torques are N_± times the derivatives of s_± with respect to the motion. The forces act along the line of
action at the pressure angle α. Therefore the forces load the bearings, and the torques on the gears are N_± r_i cos α.
The backlash b is given for the nominal distance of the centres. The backlash increases if the centres move apart. The
initial position w_0 of the teeth is a history value that is determined in the first solve. At the initial position the
clearance is equal on both sides of a tooth.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from windlass.connectors.markers.position_kernels import cross, dot, turn_vector
from windlass.connectors.markers.position_markers import RIGID
from windlass.connectors.rigid_springs.pairs import ComplexArray, Pose, eval_angle, register_rigid_pair
from windlass.elements.nodes.rotations import normalise
from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.post_newton import run_post_newton
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.gaps import GAP, note_gap
from windlass.framework.model.law import LocalRows, Output, Tables
from windlass.framework.model.schema import Component, column, derived, ref
from windlass.framework.model.system import Fields, System
from windlass.framework.model.table import EntityTable

START = (0.0, 0.0)
AXES = np.eye(3)


class GearPair(Component):
    """Two spur gears in mesh, or a gear in a ring gear, over any number of turns.

    Two history values per row: a flag, and w_0 [m]. The flag is 1 if the initial position w_0 of the teeth is known,
    otherwise 0. For a constant ratio without elasticity use `CoordinateConstraint`. If only the two angles are needed,
    and not the bearing forces, use `CoordinateSpringDamperExt` with stops.
    """

    marker0 = ref(RIGID, "centre of gear 0")
    marker1 = ref(RIGID, "centre of gear 1")
    data = ref("GenericData", "2 history values; if left out, they are created as unknown", optional=True)
    teeth0 = column("1", "number z_0 of teeth of gear 0", dtype=np.int64, minimum=3)
    teeth1 = column("1", "number z_1 of teeth of gear 1; < 0 for a ring gear around gear 0", dtype=np.int64)
    module = column("m", "module m: pitch diameter divided by number of teeth", above=0.0)
    pressure_angle = column(
        "rad", "pressure angle α between the line of action and the tangent", default=math.radians(20), minimum=0
    )
    mesh_stiffness = column("N/m", "stiffness k along the line of action", above=0.0)
    mesh_damping = column("N s/m", "damping d along the line of action", default=0.0, minimum=0.0)
    backlash = column("m", "backlash b along the line of action", default=0.0, minimum=0.0)
    axis = column("1", "axis of gear 0 in the frame of marker 0, of any length > 0", (3,), (0.0, 0.0, 1.0))
    active = column("1", "the gears mesh only if true", dtype=bool, default=True, switchable=True)
    pitch_radius0 = derived("m", "pitch radius of gear 0, with the sign of its number of teeth")
    pitch_radius1 = derived("m", "pitch radius of gear 1, with the sign of its number of teeth")
    side = derived("1", "sign of z_0 + z_1")
    pitch = derived("m", "distance of teeth along the pitch circle")
    cosine = derived("1", "cos α")
    sine = derived("1", "sin α")
    half_backlash = derived("m", "b/2")
    unit_axis = derived("1", "unit vector of the axis in the frame of marker 0, shape (3,)")
    across = derived("1", "unit vector perpendicular to the axis in the frame of marker 0, shape (3,)")


@kernel
def measure(row: Any, u: Pose, ut: ComplexArray) -> Any:
    """Return the sum r_0 ψ_0 + r_1 ψ_1 [m] of radii times angles with its rate, the distance |c| [m] of the axes with
    its rate, the axis a, the direction e of the line of centres, and t = a × e.
    """
    a, d = turn_vector(u.A, row.unit_axis), (u.d[0], u.d[1], u.d[2])
    along, side = dot(a, d), row.side
    e = (d[0] - along * a[0], d[1] - along * a[1], d[2] - along * a[2])
    distance = np.sqrt(dot(e, e))
    e = (side * e[0] / distance, side * e[1] / distance, side * e[2] / distance)
    t, v = cross(a, e), (ut[0], ut[1], ut[2])
    x, y = turn_vector(u.A, row.across), turn_vector(u.B, row.across)
    turned = row.pitch_radius0 * eval_angle(dot(x, t), dot(x, e)) + row.pitch_radius1 * eval_angle(dot(y, t), dot(y, e))
    swing = side * dot(t, v) / distance
    rate = row.pitch_radius0 * (dot(a, ut[3:6]) - swing) + row.pitch_radius1 * (dot(a, ut[6:9]) - swing)
    return turned, rate, distance, side * dot(e, v), a, e, t


@kernel
def shift(row: Any, turned: complex) -> Any:
    """Return the displacement w [m] for the sum ``turned`` = r_0 ψ_0 + r_1 ψ_1 of radii times angles [m]."""
    if row.history[0] == 0.0:
        return turned - turned.real
    way = turned - row.history[1]
    return way - row.pitch * np.floor(way.real / row.pitch + 0.5)


@kernel
def flank(row: Any, sign: float, way: complex, rate: complex, distance: complex, apart: complex) -> Any:
    """Return the depth s_± [m], the force N_± [N] and the power of damping [W] of a flank. The argument ``sign`` is 1
    for s_+ and -1 for s_-.
    """
    far, side = distance - abs(row.pitch_radius0 + row.pitch_radius1), row.side
    s = sign * row.cosine * way - row.sine * side * far - row.half_backlash
    # without backlash, one of the flanks is always in contact; at s = 0 only one of the two flanks is treated as in
    # contact
    if s.real < 0.0 or (s.real == 0.0 and sign < 0.0):
        return s, 0.0 * s, 0.0 * s
    st = sign * row.cosine * rate - row.sine * side * apart
    elastic, damping = row.mesh_stiffness * s, row.mesh_damping * st
    if damping.real > elastic.real:
        damping = elastic
    elif damping.real < -elastic.real:
        damping = -elastic
    return s, elastic + damping, damping * st


@kernel
def mesh(row: Any, u: Pose, ut: ComplexArray) -> Any:
    """Return the depths [m] and the forces [N] of both flanks, the sum of their damping powers [W], the displacement w
    [m] along the pitch circles, the distance [m] of the axes, and the vectors a, e and t of the docstring of this
    module.
    """
    turned, rate, distance, apart, a, e, t = measure(row, u, ut)
    way = shift(row, turned)
    s0, n0, p0 = flank(row, 1.0, way, rate, distance, apart)
    s1, n1, p1 = flank(row, -1.0, way, rate, distance, apart)
    return (s0, s1), (n0, n1), p0 + p1, way, distance, a, e, t


@kernel
def force(row: Any, u: Pose, ut: ComplexArray, t: float) -> Any:
    """Return the nine components of the forces and torques. See `rigid_springs/pairs.py`."""
    _, n, _, _, distance, a, e, across = mesh(row, u, ut)
    turn, push = row.cosine * (n[0] - n[1]), row.sine * (n[0] + n[1])
    lever = row.side * (row.pitch_radius0 + row.pitch_radius1) / distance
    f = (
        -turn * lever * across[0] - push * e[0],
        -turn * lever * across[1] - push * e[1],
        -turn * lever * across[2] - push * e[2],
    )
    m0, m1 = turn * row.pitch_radius0, turn * row.pitch_radius1
    return f[0], f[1], f[2], m0 * a[0], m0 * a[1], m0 * a[2], m1 * a[0], m1 * a[1], m1 * a[2]


@kernel
def energy(row: Any, u: Pose, ut: ComplexArray, t: float) -> Any:
    """Return the energy [J] of the teeth."""
    s = mesh(row, u, ut)[0]
    total = complex(0.0, 0.0)
    for k in range(2):
        if s[k].real > 0.0:
            total += 0.5 * row.mesh_stiffness * s[k] * s[k]
    return total


@kernel
def power(row: Any, u: Pose, ut: ComplexArray, t: float) -> Any:
    """Return the power [W] lost to damping."""
    return mesh(row, u, ut)[2]


@kernel
def measure_gap(row: Any, u: Pose, ut: ComplexArray, numbers: FloatArray) -> None:
    """Write the gap quantities of the nearer flank, see `Gaps`. Without backlash the gap is infinite, because one flank
    is always in contact."""
    if row.half_backlash == 0.0:
        numbers[GAP] = np.inf
        return
    turned, rate, distance, apart, _, _, _ = measure(row, u, ut)
    way, opens = row.cosine * shift(row, turned).real, row.sine * row.side * apart.real
    room = row.sine * row.side * (distance.real - abs(row.pitch_radius0 + row.pitch_radius1)) + row.half_backlash
    slip = row.cosine * rate.real * (1.0 if way > 0.0 else -1.0)
    note_gap(numbers, room - abs(way), opens - slip, abs(slip))


def number_of(which: int) -> Any:
    """Create the kernel that returns the force of the flanks N_+ - N_- (which = 0), w (which = 1), or the distance of
    the axes (which = 2)."""

    @kernel
    def value(row: Any, u: Pose, ut: ComplexArray, t: float) -> Any:
        _, n, _, way, distance, _, _, _ = mesh(row, u, ut)
        return (n[0] - n[1], way, distance)[which]

    return value


@kernel
def store_start(row: Any, u: Pose, ut: ComplexArray, t: float, h: float) -> tuple[float, float, bool, float]:
    """Store the initial position of the teeth if this position is still unknown, and return a force error of 0."""
    if row.history[0] == 0.0:
        row.history[0], row.history[1] = 1.0, measure(row, u, ut)[0].real
    return 0.0, np.inf, False, 0.0


def derive(rows: LocalRows) -> dict[str, FloatArray]:
    """Compute the radii with signs, h = sign(z_0 + z_1) from the numbers of teeth with signs, the pitch [m], half the
    backlash b, the axis a in the frame of marker 0, and a direction perpendicular to a."""
    get, a = rows.local, normalise(rows.local("axis"))
    r0, r1 = (0.5 * get("module") * get(name) for name in ("teeth0", "teeth1"))
    return {
        "pitch_radius0": r0,
        "pitch_radius1": r1,
        "side": np.sign(r0 + r1),
        "pitch": math.pi * get("module"),
        "cosine": np.cos(get("pressure_angle")),
        "sine": np.sin(get("pressure_angle")),
        "half_backlash": 0.5 * get("backlash"),
        "unit_axis": a,
        "across": normalise(np.cross(a, AXES[np.abs(a).argmin(axis=1)])),
    }


def add_start(rows: LocalRows, system: System) -> None:
    """Add the update that stores the initial position of the teeth at the start of a solve."""

    # explicit methods do not determine contact states before the first step, so the update after the first step stores
    # the initial position
    def decide(s: Fields) -> None:
        run_post_newton(system, s)
        s.start_data[:] = s.data

    system.decide = decide


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for invalid numbers of teeth, pressure angles and axes."""
    get = table.local
    for wrong, name, must in (
        (np.abs(get("teeth1")) < 3, "teeth1", "have at least 3 teeth, with a minus for a ring gear"),
        (get("teeth0") + get("teeth1") == 0, "teeth1", "not be -teeth0: a ring gear needs more teeth than the gear"),
        ((get("teeth1") < 0) & (get("teeth0") > -get("teeth1")), "teeth1", "have more teeth than gear 0"),
        (get("pressure_angle") >= 0.5 * math.pi, "pressure_angle", "be < π/2 [rad]"),
        (~get("axis").any(axis=1), "axis", "have a length > 0 [1]"),
    ):
        table.refuse(wrong, (name,), must)


register_rigid_pair(
    GearPair,
    force,
    derive=derive,
    stored=("mesh", energy),
    lost=("mesh_damping", power),
    passed="tilt",
    finish=add_start,
    start=START,
    update=store_start,
    update_inactive=True,
    gap=measure_gap,
    check=check,
    outputs={
        "mesh_force": Output(
            "N", "force N_+ - N_- along the line of action, (); > 0 if gear 0 drives about its axis a", number_of(0)
        ),
        "mesh_way": Output(
            "m", "displacement w along the pitch circles due to deflection and backlash, ()", number_of(1)
        ),
        "centre_distance": Output("m", "distance |c| of the centres, perpendicular to the axis a, ()", number_of(2)),
    },
    source="G. Niemann, H. Winter, Maschinenelemente 2, Springer (2003)",
)
