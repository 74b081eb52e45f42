"""Elastic stops that limit a free translation or rotation of a joint.

    axis: a is an axis of the frame B0 = A0 frame0. The other frame is B1 = A1 frame1
    translation: s = a·d,    s_t = a·(v1 - v0 - ω0 × d),    d = p1 - p0
    rotation: s = angle of B1 about a, including whole turns,    s_t = a·(ω1 - ω0), see `torsional_spring_damper`
    depth in a stop: δ = s - upper if s > upper, s - lower if s < lower, otherwise 0
    force: g = k δ max(0, 1 + c |δ|_t), where |δ|_t is the rate of |δ|. The force is never directed into the stop
    action: forces f = g a at the points and the moment -d × f on marker 0, or torques g a. These forces and moments are
        in equilibrium

The force is continuous for every c. Therefore no contact state is stored, and force and exact tangent are evaluated
within Newton's iterations. If c = 0, a stop returns the whole stored energy k δ²/2. A rigid stop would require an
impact law for the velocities. The update after Newton's iterations would detect the impact one step too late. To
approximate a rigid stop, choose a stiffness k for which the contact time of about π sqrt(m/k) is about ten steps long,
where m is the moving mass.

Source: K. H. Hunt, F. R. E. Crossley, J. Appl. Mech. 42 (1975) 440-445, for damping that increases with the depth.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.connectors.markers.position_kernels import cross, dot
from windlass.connectors.markers.position_markers import RIGID
from windlass.connectors.rigid_springs.common import IDENTITY, check_frames
from windlass.connectors.rigid_springs.pairs import (
    ComplexArray,
    Pose,
    eval_turn,
    register_rigid_pair,
    turn,
)
from windlass.framework.arrays import FloatArray
from windlass.framework.checks.checks import checked, handle, instance, number, word
from windlass.framework.errors import ModelError
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.adding import all_or_nothing
from windlass.framework.model.gaps import note_gap
from windlass.framework.model.law import LocalRows, Output, Tables
from windlass.framework.model.schema import Component, column, derived, ref
from windlass.framework.model.system import System
from windlass.framework.model.table import Entity, EntityTable
from windlass.framework.model.world import World

START = (0.0,)
NONE = 1e30
"""Magnitude of ``lower`` or ``upper`` [m or rad] that denotes a missing limit."""
DIRECTIONS = ("x", "y", "z", "rotation_x", "rotation_y", "rotation_z")


class JointStop(Component):
    """Elastic stops of a translation or rotation between two rigid markers.

    One history value per row: the angle [rad], or 0 for translations.
    """

    marker0 = ref(RIGID, "first marker; the axis is an axis of its joint frame")
    marker1 = ref(RIGID, "second marker")
    data = ref("GenericData", "1 history value; created as [0.0] if left out", optional=True)
    direction = column(
        "1", "0, 1, 2: translation along x, y, z of the joint frame; 3, 4, 5: rotation", dtype=np.int64, minimum=0
    )
    lower = column("m", "lower limit of s [m or rad]", default=-NONE, switchable=True)
    upper = column("m", "upper limit of s [m or rad]", default=NONE, switchable=True)
    stiffness = column("N/m", "stiffness k [N/m or N m/rad]", above=0.0, switchable=True)
    dissipation = column(
        "s/m", "coefficient c of the damping [s/m or s/rad]", default=0.0, minimum=0.0, switchable=True
    )
    frame0 = column("1", "rotation matrix of the joint frame in the frame of marker 0", shape=(3, 3), default=IDENTITY)
    frame1 = column("1", "rotation matrix of the joint frame in the frame of marker 1", shape=(3, 3), default=IDENTITY)
    active = column("1", "the stop acts only if true", dtype=bool, default=True, switchable=True)
    turned_frame0 = derived(
        "1", "joint frame in the frame of marker 0, with the axis of the stop as its third axis, shape (3, 3)"
    )
    turned_frame1 = derived("1", "joint frame in the frame of marker 1, with the same order of axes, shape (3, 3)")
    turns = derived("1", "whether s is an angle")


@kernel
def measure(row: Any, u: Pose, ut: ComplexArray) -> Any:
    """Return the axis a of the stop, the displacement s [m or rad] of the joint along or about this axis, and the rate
    s_t.
    """
    P = turn(u.A, row.turned_frame0)
    a = (P[0, 2], P[1, 2], P[2, 2])
    if row.turns:
        s, rate = eval_turn(P, turn(u.B, row.turned_frame1), ut, row.history[0])
        return a, s, rate
    w = cross(ut[3:6], u.d)
    return a, dot(a, u.d), dot(a, (ut[0] - w[0], ut[1] - w[1], ut[2] - w[2]))


@kernel
def push(row: Any, s: complex, rate: complex) -> tuple[complex, complex]:
    """Return the depth δ [m or rad] in a stop and the force g [N or N m] of the stop."""
    if s.real > row.upper:
        depth, inwards = s - row.upper, rate
    elif s.real < row.lower:
        depth, inwards = s - row.lower, -rate
    else:
        return complex(0.0, 0.0), complex(0.0, 0.0)
    share = 1.0 + row.dissipation * inwards
    return depth, (row.stiffness * depth * share if share.real > 0.0 else complex(0.0, 0.0))


@kernel
def force(row: Any, u: Pose, ut: ComplexArray, t: float) -> Any:
    """Return the nine components of the forces and torques. See `rigid_springs/pairs.py`."""
    a, s, rate = measure(row, u, ut)
    _, g = push(row, s, rate)
    f, zero = (g * a[0], g * a[1], g * a[2]), complex(0.0, 0.0)
    if row.turns:
        return zero, zero, zero, -f[0], -f[1], -f[2], f[0], f[1], f[2]
    m = cross(f, u.d)
    return f[0], f[1], f[2], m[0], m[1], m[2], zero, zero, zero


@kernel
def energy(row: Any, u: Pose, ut: ComplexArray, t: float) -> complex:
    """Return the energy k δ²/2 [J]."""
    _, s, rate = measure(row, u, ut)
    depth, _ = push(row, s, rate)
    return complex(0.5 * row.stiffness * depth * depth)


@kernel
def power(row: Any, u: Pose, ut: ComplexArray, t: float) -> complex:
    """Return the power [W] lost to damping."""
    _, s, rate = measure(row, u, ut)
    depth, g = push(row, s, rate)
    return complex((g - row.stiffness * depth) * rate)


@kernel
def place(row: Any, u: Pose, ut: ComplexArray, t: float) -> complex:
    """Return the displacement s [m or rad]."""
    return complex(measure(row, u, ut)[1])


@kernel
def depth_of(row: Any, u: Pose, ut: ComplexArray, t: float) -> complex:
    """Return the depth δ [m or rad] in a stop."""
    _, s, rate = measure(row, u, ut)
    return complex(push(row, s, rate)[0])


@kernel
def force_of(row: Any, u: Pose, ut: ComplexArray, t: float) -> complex:
    """Return the force g [N or N m] of the stop."""
    _, s, rate = measure(row, u, ut)
    return complex(push(row, s, rate)[1])


@kernel
def measure_gap(row: Any, u: Pose, ut: ComplexArray, numbers: FloatArray) -> None:
    """Write the gap quantities of the nearer stop, see `Gaps`."""
    _, s, rate = measure(row, u, ut)
    if row.upper - s.real < s.real - row.lower:
        note_gap(numbers, row.upper - s.real, -rate.real, abs(rate.real))
    else:
        note_gap(numbers, s.real - row.lower, rate.real, abs(rate.real))


@kernel
def store_angle(row: Any, u: Pose, ut: ComplexArray, t: float, h: float) -> tuple[float, float, bool, float]:
    """Store the angle s of a rotation as history value, and return a force error of 0."""
    if row.turns:
        row.history[0] = measure(row, u, ut)[1].real
    return 0.0, np.inf, False, 0.0


def derive(rows: LocalRows) -> dict[str, Any]:
    """Compute joint frames whose third axis is the axis a of the stop, and whether s is an angle."""
    direction = rows.local("direction")
    # axes of the frame in cyclic order, with the axis of the stop as the last axis
    order = (direction[:, None] + np.array((1, 2, 0))) % 3
    F0, F1 = (np.take_along_axis(rows.local(name), order[:, None, :], axis=2) for name in ("frame0", "frame1"))
    return {"turned_frame0": F0, "turned_frame1": F1, "turns": direction > 2}


def drop_update(rows: LocalRows, system: System) -> None:
    """Remove the update of history values if all rows limit translations, because only rotations store an angle."""
    if not rows.columns[1]["turns"].any():
        system.post_newton = None


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for invalid directions and frames, and for a lower limit that is not below the upper limit."""
    check_frames(world, table)
    direction, low, high = (table.local(name) for name in ("direction", "lower", "upper"))
    table.refuse(direction > 5, ("direction",), "be 0 to 5")
    for k in np.flatnonzero(~(low < high))[:1]:
        raise ModelError(
            f"lower = {low[k]}, upper = {high[k]} in {table.kind} row {table.resident[k]}: lower must be below "
            "upper [m or rad]"
        )


@checked(
    world=instance(World),
    joint=handle(),
    direction=word(*DIRECTIONS),
    lower=number("m"),
    upper=number("m"),
    stiffness=number("N/m", above=0.0),
    dissipation=number("s/m", minimum=0.0),
)
@all_or_nothing
def joint_stops(
    world: World,
    joint: Entity,
    direction: str,
    lower: float = -NONE,
    upper: float = NONE,
    *,
    stiffness: float,
    dissipation: float = 0.0,
) -> Entity:
    """Limit a free direction of joints by elastic stops.

    Args:
        joint: rows of `GenericJoint` that are not driven.
        direction: ``"x"``, ``"y"``, ``"z"``, or ``"rotation_x"`` and so on, along the axes of the joint.
        lower, upper: limits of displacements [m] or angles [rad] between the joint frames. One of the limits can be
            omitted.
        stiffness: stiffness of each stop [N/m or N m/rad].
        dissipation: coefficient c of the damping [s/m or s/rad].

    Returns:
        Handle to the stops, rows of `JointStop`.

    Raises:
        ModelError: ``joint`` is not a handle to rows of `GenericJoint`, a joint is driven, or the direction is locked.
    """
    schema, axis = joint.table.component, DIRECTIONS.index(direction)
    if not {"frame0", "frame1", "translations", "rotations"} <= set(schema.columns):
        raise ModelError(f"joint = {joint!r}: must be rows of GenericJoint; for other markers add rows of JointStop")
    values = {name: joint.table.collect(name, joint.rows) for name in ("marker0", "marker1", "frame0", "frame1")}
    locked = joint.table.collect("translations" if axis < 3 else "rotations", joint.rows)[:, axis % 3]
    if locked.any():
        raise ModelError(
            f"direction = {direction!r} of {joint!r} is locked: must be a direction that the joint leaves free"
        )
    driven = [f is not None for f in joint.table.collect("offset_function", joint.rows)]
    if np.any(driven) or joint.table.collect("offset", joint.rows).any():
        raise ModelError(
            f"joint = {joint!r} has offsets: must be a joint that is not driven, because stops do not follow offsets"
        )
    limits: dict[str, Any] = {"lower": lower, "upper": upper, "stiffness": stiffness, "dissipation": dissipation}
    markers = {name: [world.entity(int(k)) for k in values.pop(name)] for name in ("marker0", "marker1")}
    parts = [
        world.add(
            JointStop, marker0=m0, marker1=m1, frame0=f0, frame1=f1, direction=axis, name=f"{direction} stop", **limits
        )
        for m0, m1, f0, f1 in zip(*markers.values(), *values.values(), strict=True)
    ]
    return Entity(parts[0].table, np.concatenate([part.rows for part in parts]))


register_rigid_pair(
    JointStop,
    force,
    derive=derive,
    stored=("spring", energy),
    lost=("damping", power),
    passed="drive",
    finish=drop_update,
    gap=measure_gap,
    start=START,
    update=store_angle,
    update_inactive=True,
    check=check,
    outputs={
        "displacement": Output("m", "displacement or angle s [m or rad], (); angles are not limited to ±π", place),
        "depth": Output(
            "m", "depth δ in a stop [m or rad], (); > 0 in the upper stop, < 0 in the lower stop, otherwise 0", depth_of
        ),
        "stop_force": Output("N", "force or torque g [N or N m], (); a positive g pushes marker 1 back", force_of),
    },
    source="[@hunt1975]",
)
