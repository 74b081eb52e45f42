"""Mass point in 2D or 3D.

    m r_tt = F

Source: Newton's second law.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.elements.nodes.node_outputs import point_outputs
from windlass.elements.nodes.nodes2d import Point2D, create_missing_node
from windlass.elements.nodes.nodes3d import Point3D
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows, Output, Tables, register
from windlass.framework.model.schema import Component, column, ref, shape_of
from windlass.framework.model.system import Fields, System, Term


class MassPoint(Component):
    """A mass point.

    Give either ``node``, or the position, the displacement and the velocity of a new node. The new node is a `Point2D`
    if the position has two components, and a `Point3D` if the position has three components.
    """

    provides = ("body",)
    node = ref("Point2D or Point3D", "node that carries the mass")
    mass = column("kg", "mass; 0 is allowed only for points that are held by constraints or springs", minimum=0.0)


@kernel
def mass(M: FloatArray, scale: float, slots: IntArray, values: FloatArray) -> None:
    """Add ``scale`` times the diagonal mass matrix of each row to ``values``, the values of the matrix. The array M
    contains the diagonals, shape (rows, k). The array ``slots`` contains the indices of the matrix elements in
    ``values``, shape (rows, k, k).
    """
    for i in range(len(M)):
        for d in range(M.shape[1]):
            values[slots[i, d, d]] += scale * M[i, d]


@kernel
def gravity(M: FloatArray, dofs: IntArray, n: int, g: FloatArray, rows: IntArray, f: FloatArray) -> None:
    """Add to f the weight m g [N] of the rows with the indices ``rows`` for the gravitational acceleration g [m/s^2],
    shape (3,). The first n coordinates of a row are the position of its node, and M contains the mass of each
    coordinate [kg], shape (all rows, k).
    """
    for i in rows:
        for d in range(n):
            f[dofs[i, d]] += M[i, d] * g[d]


def build_masses(rows: LocalRows) -> System:
    """Build the system of rows with a constant diagonal mass matrix, see `bind`."""
    M, n = rows.columns
    system = System(rows.table.kind, rows.dofs)
    system.mass = call(mass, lambda s: (M, s.mass, s.slots, s.values))
    system.body_force = Term(call(gravity, lambda s: (M, rows.dofs, n, s.g, s.which, s.f)))
    return system


def eval_kinetic_energy(rows: LocalRows, fields: Fields) -> FloatArray:
    """Return the kinetic energy [J], shape (rows,)."""
    energy: FloatArray = 0.5 * rows.local("mass") * (fields.v[rows.dofs] ** 2).sum(axis=1)
    return energy


def create_node(world: Tables, values: dict[str, Any]) -> dict[str, Any]:
    """If no node is given, create a node from position, displacement and velocity."""
    in_space = shape_of(values.get("position", ()))[-1:] == (3,)
    return create_missing_node(world, values, Point3D if in_space else Point2D, "MassPoint")


def bind(rows: LocalRows) -> tuple[FloatArray, int]:
    """Return the masses [kg] of the position coordinates, shape (rows, n), and the number n of position coordinates."""
    n = rows.dofs.shape[1]
    return np.repeat(rows.local("mass")[:, None], n, axis=1), n


register(
    MassPoint,
    "body",
    dofs="node",
    bind=bind,
    build=build_masses,
    outputs=point_outputs("m", 3) | {"kinetic_energy": Output("J", "kinetic energy", eval_kinetic_energy)},
    fill_defaults=create_node,
    makes=(Point2D, Point3D),
    source="Newton's second law",
)
