"""Rigid body in 2D.

Let R be the position and φ the angle of the node, and A(φ) the rotation matrix. The position of the centre of mass in
the frame of the body is c, and r = A(φ) c is the vector from the node to the centre of mass. Let z be the unit vector
normal to the plane, m the mass, and I the moment of inertia about the centre of mass. For the force F and the torque T
about the node, the equations of motion about the node are

    m R_tt + φ_tt m z × r - φ_t² m r = F,
    (I + m c·c) φ_tt + m (r_x R_y,tt - r_y R_x,tt) = T.

The weight consists of the force m g and the moment m (r_x g_y - r_y g_x), where g is the gravitational acceleration.
The constant part of the mass matrix is diag(m, m, I + m c·c). If the centre of mass is at the node, the inertia terms
consist of this part alone.

Source: Newton-Euler equations in 2D; A. A. Shabana, Dynamics of Multibody Systems, Cambridge University Press.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.elements.bodies.mass_point import build_masses
from windlass.elements.nodes.node_outputs import in_space, point_outputs, rotation_outputs
from windlass.elements.nodes.nodes2d import RigidNode2D, create_missing_node
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows, Output, register
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.system import Fields, System, Term


class RigidBody2D(Component):
    """A rigid body. Give either ``node``, or the position, the angle, the displacement and the velocity of a new
    `RigidNode2D`.
    """

    provides = ("body",)
    node = ref("RigidNode2D", "node at the origin of the frame of the body")
    mass = column("kg", "mass; 0 is allowed only for bodies that are held by constraints or springs", minimum=0.0)
    inertia = column(
        "kg m^2",
        "moment of inertia about z through the centre of mass; 0 is allowed only for bodies that are held by "
        "constraints or springs",
        minimum=0.0,
    )
    center_of_mass = column(
        "m", "position of the centre of mass in the frame of the body", shape=(2,), default=(0.0, 0.0)
    )


@kernel
def static_moment(row: Any, x: FloatArray) -> tuple[float, float]:
    """Return the product m r [kg m] of the mass and the vector from the node to the centre of mass, in the global
    frame.
    """
    phi, s = x[row.dofs[2]], row.moment
    cos, sin = np.cos(phi), np.sin(phi)
    return cos * s[0] - sin * s[1], sin * s[0] + cos * s[1]


@kernel
def inertia(rows: Any, x: FloatArray, v: FloatArray, a: FloatArray, f: FloatArray) -> None:
    """Add the inertia forces to f, except for the forces of the constant part of the mass matrix."""
    for i in range(len(rows)):
        row = rows[i]
        dx, dy, dphi = row.dofs[0], row.dofs[1], row.dofs[2]
        rx, ry = static_moment(row, x)
        square = v[dphi] * v[dphi]
        f[dx] -= a[dphi] * ry + square * rx
        f[dy] += a[dphi] * rx - square * ry
        f[dphi] += rx * a[dy] - ry * a[dx]


@kernel
def inertia_tangent(
    rows: Any,
    x: FloatArray,
    v: FloatArray,
    a: FloatArray,
    dq: float,
    dv: float,
    da: float,
    slots: IntArray,
    values: FloatArray,
) -> None:
    """Add the tangent dq ∂f/∂q + dv ∂f/∂v + da ∂f/∂a of `inertia`, with the factors dq, dv and da, to the values of the
    matrix at the indices ``slots``, shape (rows, 3, 3). The vector r from the node to the centre of mass has the
    derivative ∂r/∂φ = (-r_y, r_x).
    """
    for i in range(len(rows)):
        row = rows[i]
        dx, dy, dphi = row.dofs[0], row.dofs[1], row.dofs[2]
        rx, ry = static_moment(row, x)
        w, alpha = v[dphi], a[dphi]
        values[slots[i, 0, 2]] += dq * (w * w * ry - alpha * rx) - 2.0 * dv * w * rx - da * ry
        values[slots[i, 1, 2]] += -dq * (w * w * rx + alpha * ry) - 2.0 * dv * w * ry + da * rx
        values[slots[i, 2, 2]] -= dq * (ry * a[dy] + rx * a[dx])
        values[slots[i, 2, 0]] -= da * ry
        values[slots[i, 2, 1]] += da * rx


@kernel
def gravity(rows: Any, x: FloatArray, g: FloatArray, which: IntArray, f: FloatArray) -> None:
    """Add to f the weight of the rows ``which`` for the gravitational acceleration g [m/s^2], shape (3,)."""
    for i in which:
        row = rows[i]
        dx, dy, dphi = row.dofs[0], row.dofs[1], row.dofs[2]
        rx, ry = static_moment(row, x)
        f[dx] += row.mass * g[0]
        f[dy] += row.mass * g[1]
        f[dphi] += rx * g[1] - ry * g[0]


@kernel
def gravity_tangent(
    rows: Any, x: FloatArray, g: FloatArray, which: IntArray, dq: float, slots: IntArray, values: FloatArray
) -> None:
    """Add the tangent dq ∂f/∂q of `gravity`, with the factor dq, to the values of the matrix at the indices ``slots``,
    shape (rows, 3, 3).
    """
    for i in which:
        rx, ry = static_moment(rows[i], x)
        values[slots[i, 2, 2]] -= dq * (ry * g[1] + rx * g[0])


def eval_center(rows: LocalRows, fields: Fields) -> tuple[FloatArray, FloatArray]:
    """Return the position [m] and velocity [m/s] of the centre of mass in the global frame, each of shape (rows, 2)."""
    q, v = fields.x[rows.dofs], fields.v[rows.dofs]
    (cx, cy), cos, sin = rows.local("center_of_mass").T, np.cos(q[:, 2]), np.sin(q[:, 2])
    rx, ry = cos * cx - sin * cy, sin * cx + cos * cy
    position: FloatArray = q[:, :2] + np.stack((rx, ry), axis=1)
    velocity: FloatArray = v[:, :2] + v[:, 2:] * np.stack((-ry, rx), axis=1)
    return position, velocity


def eval_kinetic_energy(rows: LocalRows, fields: Fields) -> FloatArray:
    """Return the kinetic energy [J], shape (rows,)."""
    _, v = eval_center(rows, fields)
    energy: FloatArray = 0.5 * rows.local("mass") * (v**2).sum(axis=1)
    energy += 0.5 * rows.local("inertia") * fields.v[rows.dofs[:, 2]] ** 2
    return energy


def bind(rows: LocalRows) -> tuple[FloatArray, int]:
    """Return the diagonals of the constant parts of the mass matrices, shape (rows, 3), and 2, the number of position
    coordinates.
    """
    m, center = rows.local("mass"), rows.local("center_of_mass")
    about_node = rows.local("inertia") + m * (center**2).sum(axis=1)
    return np.stack((m, m, about_node), axis=1), 2


def build(rows: LocalRows) -> System:
    """Build the system of the rows. If all centres of mass are at the nodes, the mass matrix is constant, and the
    system has no further inertia terms.
    """
    system = build_masses(rows)
    center = rows.local("center_of_mass")
    if not center.any():
        return system
    # mass times position of the centre of mass [kg m], in the frame of the body
    own = rows.pack({"dofs": rows.dofs, "moment": rows.local("mass")[:, None] * center})
    system.inertia = Term(
        call(inertia, lambda s: (own, s.x, s.v, s.a, s.f)),
        call(inertia_tangent, lambda s: (own, s.x, s.v, s.a, s.dq, s.dv, s.da, s.slots, s.values)),
    )
    system.body_force = Term(
        call(gravity, lambda s: (own, s.x, s.g, s.which, s.f)),
        call(gravity_tangent, lambda s: (own, s.x, s.g, s.which, s.dq, s.slots, s.values)),
    )
    return system


def eval_momentum(rows: LocalRows, fields: Fields) -> FloatArray:
    """Return the linear momentum [kg m/s] in the global frame, shape (rows, 3)."""
    return in_space(rows.local("mass")[:, None] * eval_center(rows, fields)[1])


register(
    RigidBody2D,
    "body",
    dofs="node",
    bind=bind,
    build=build,
    outputs=point_outputs("m, rad")
    | rotation_outputs()
    | {
        "kinetic_energy": Output("J", "kinetic energy", eval_kinetic_energy),
        "center_of_mass": Output(
            "m",
            "global position of the centre of mass, shape (3,)",
            lambda rows, fields: in_space(eval_center(rows, fields)[0]),
        ),
        "momentum": Output("kg m/s", "momentum, global, shape (3,)", eval_momentum),
    },
    fill_defaults=lambda world, values: create_missing_node(world, values, RigidNode2D, "RigidBody2D"),
    makes=(RigidNode2D,),
    source="Newton-Euler equations [@shabana]",
)
