"""Rigid body in the plane with its centre of mass at the node.

    m R_tt = F,    I φ_tt = T

Source: Newton-Euler equations in the plane; A. A. Shabana, Dynamics of Multibody Systems, Cambridge University Press.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.elements.bodies.mass_point import Columns, build_masses
from windlass.elements.nodes.node_outputs import point_outputs, rotation_outputs
from windlass.elements.nodes.nodes2d import RigidNode2D, create_missing_node
from windlass.framework.arrays import FloatArray
from windlass.framework.model.law import Law, LocalRows, Output, Tables, register
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.system import Fields


class RigidBody2D(Component):
    """A rigid body.  Give ``node``, or the columns of its `RigidNode2D`: position, angle, displacement, velocity."""

    provides = ("body", "rigid body")
    node = ref("RigidNode2D", "node at the centre of mass")
    mass = column("kg", "mass; 0 only for bodies that constraints or springs hold", minimum=0.0)
    inertia = column("kg m^2", "moment of inertia about z through the centre of mass; 0 like mass", minimum=0.0)


def eval_kinetic_energy(rows: LocalRows, fields: Fields) -> FloatArray:
    """Kinetic energy [J], shape (rows,)."""
    v = fields.v[rows.dofs]
    c: Columns = rows.columns
    energy: FloatArray = 0.5 * c.M[:, 0] * (v[:, :2] ** 2).sum(axis=1)
    return energy + 0.5 * c.M[:, 2] * v[:, 2] ** 2


def create_node(world: Tables, values: dict[str, Any]) -> dict[str, Any]:
    """Create the node from the columns of `RigidNode2D` among the values if no node is given."""
    return create_missing_node(world, values, RigidNode2D, "RigidBody2D")


def bind(rows: LocalRows) -> Columns:
    """The parameters of the rows."""
    m, inertia = rows.local("mass"), rows.local("inertia")
    return Columns(np.stack((m, m, inertia), axis=1), rows.dofs, 2)


register(
    Law(
        RigidBody2D,
        "body",
        dofs=lambda world, table: world.dofs_of(table.local("node")),
        bind=bind,
        build=build_masses,
        outputs=point_outputs("m, rad")
        | rotation_outputs()
        | {"kinetic_energy": Output("J", "kinetic energy", eval_kinetic_energy)},
        fill_defaults=create_node,
        source="Newton-Euler equations [@shabana]",
    )
)
