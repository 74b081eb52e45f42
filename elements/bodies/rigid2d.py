"""Rigid body in the plane with its centre of mass at the node.

    m R_tt = F,    I φ_tt = T

Source: Newton-Euler equations in the plane; A. A. Shabana, Dynamics of Multibody Systems, Cambridge University Press.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from windlass.elements.nodes.node_outputs import point_outputs, rotation_outputs
from windlass.elements.nodes.nodes2d import RigidNode2D, create_missing_node
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import Law, LocalRows, Output, Tables, register
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.system import Fields, System, Term


class RigidBody2D(Component):
    """A rigid body.  Give ``node``, or the columns of its `RigidNode2D`: position, angle, displacement, velocity."""

    provides = ("body", "rigid body")
    node = ref("RigidNode2D", "node at the centre of mass")
    mass = column("kg", "mass; 0 only for bodies that constraints or springs hold", minimum=0.0)
    inertia = column("kg m^2", "moment of inertia about z through the centre of mass; 0 like mass", minimum=0.0)


class Columns(NamedTuple):
    """Mass m [kg] and moment of inertia I [kg m^2], shape (rows,); dofs: local numbers of x, y, φ, shape (rows, 3)."""

    m: FloatArray
    I: FloatArray
    dofs: IntArray


@kernel
def mass(c: Columns, scale: float, slots: IntArray, values: FloatArray) -> None:
    """Add scale times diag(m, m, I) to the matrix values; slots has shape (rows, 3, 3)."""
    for i in range(len(c.m)):
        values[slots[i, 0, 0]] += scale * c.m[i]
        values[slots[i, 1, 1]] += scale * c.m[i]
        values[slots[i, 2, 2]] += scale * c.I[i]


@kernel
def gravity(c: Columns, g: FloatArray, rows: IntArray, f: FloatArray) -> None:
    """Add the load m g [N] of an acceleration g [m/s^2], shape (3,), on some of the rows."""
    for i in rows:
        f[c.dofs[i, 0]] += c.m[i] * g[0]
        f[c.dofs[i, 1]] += c.m[i] * g[1]


def eval_kinetic_energy(rows: LocalRows, fields: Fields) -> FloatArray:
    """Kinetic energy [J], shape (rows,)."""
    v = fields.v[rows.dofs]
    c: Columns = rows.columns
    energy: FloatArray = 0.5 * c.m * (v[:, :2] ** 2).sum(axis=1)
    return energy + 0.5 * c.I * v[:, 2] ** 2


def create_node(world: Tables, values: dict[str, Any]) -> dict[str, Any]:
    """Create the node from the columns of `RigidNode2D` among the values if no node is given."""
    return create_missing_node(world, values, RigidNode2D, "RigidBody2D")


def bind(rows: LocalRows) -> Columns:
    """The parameters of the rows."""
    return Columns(m=rows.local("mass"), I=rows.local("inertia"), dofs=rows.dofs)


def build(rows: LocalRows) -> System:
    """Bind rows to the kernels."""
    c: Columns = rows.columns
    system = System("RigidBody2D", rows.dofs)
    system.mass = call(mass, lambda s: (c, s.mass, s.slots, s.values))
    system.body_force = Term(call(gravity, lambda s: (c, s.g, s.which, s.f)))
    return system


register(
    Law(
        RigidBody2D,
        "body",
        dofs=lambda world, table: world.dofs_of(table.local("node")),
        bind=bind,
        build=build,
        outputs=point_outputs("m, rad")
        | rotation_outputs()
        | {"kinetic_energy": Output("J", "kinetic energy", eval_kinetic_energy)},
        fill_defaults=create_node,
        source="Newton-Euler equations; A. A. Shabana, Dynamics of Multibody Systems, Cambridge University Press",
    )
)
