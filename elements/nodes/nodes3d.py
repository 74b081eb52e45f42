"""3D nodes: points, and points with a rotation by Euler parameters. The symbols are explained in `rotations`.

Mass points use `Point3D`, cables use `PointSlope3D`, and rigid bodies use `RigidNode3D`. Four Euler parameters describe
all rotations without the singularities of three angles. Euler parameters require the constraint e·e = 1, which is part
of `RigidBody3D` and `UnitRotation3D`.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from windlass.elements.nodes.node_outputs import point_outputs
from windlass.elements.nodes.nodes2d import SOURCE as CABLES
from windlass.elements.nodes.nodes2d import check_slopes, take_shared_position
from windlass.elements.nodes.rigid_outputs3d import rigid_outputs
from windlass.elements.nodes.rotations import UNIT_TOLERANCE, euler_parameter_rates
from windlass.framework.arrays import FloatArray
from windlass.framework.checks.values import read_numbers
from windlass.framework.errors import ModelError
from windlass.framework.model.law import Tables, register
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.table import EntityTable

SOURCE = "[@nikravesh1988]"


class Point3D(Component):
    """A 3D point."""

    provides = ("node", "Point2D or Point3D")
    dof_names = ("x", "y", "z")
    reference_columns: ClassVar[tuple[str, ...]] = ("position",)
    initial_columns = ("displacement", "velocity")
    position = column("m", "reference position x, y, z", shape=(3,))
    displacement = column("m", "initial displacement of x, y, z", shape=(3,), default=(0.0,) * 3)
    velocity = column("m/s", "initial velocity of x, y, z", shape=(3,), default=(0.0,) * 3)


class PointSlope3D(Component):
    """A point of a 3D cable with the slope of its axis."""

    provides = ("node", "3D slope node")
    dof_names = ("x", "y", "z", "x'", "y'", "z'")
    reference_columns: ClassVar[tuple[str, ...]] = ("position", "slope")
    initial_columns = ("displacement", "velocity")
    position = column("m", "reference position x, y, z", shape=(3,))
    slope = column("1", "reference slope; length 1 for an unstretched cable", shape=(3,), default=(1.0, 0.0, 0.0))
    displacement = column("m, 1", "initial displacement of x, y, z [m], x', y', z' [1]", shape=(6,), default=(0.0,) * 6)
    velocity = column("m/s, 1/s", "initial velocity of x, y, z [m/s], x', y', z' [1/s]", shape=(6,), default=(0.0,) * 6)
    shares_position = ref(
        "3D slope node",
        "node with which this node shares x, y and z, but not the slope",
        optional=True,
        shares=("x", "y", "z"),
    )


class RigidNode3D(Component):
    """A 3D point with a rotation.

    ``displacement`` and ``velocity`` can also be given with 3 components, for x, y and z.
    """

    provides = ("node",)
    dof_names = ("x", "y", "z", "e0", "e1", "e2", "e3")
    rotation_names = ("e0", "e1", "e2", "e3")
    reference_columns: ClassVar[tuple[str, ...]] = ("position", "euler_parameters")
    initial_columns = ("displacement", "velocity")
    position = column("m", "reference position x, y, z", shape=(3,))
    euler_parameters = column(
        "1", "reference rotation e0, e1, e2, e3, of length 1", shape=(4,), default=(1.0, 0.0, 0.0, 0.0)
    )
    displacement = column(
        "m, 1", "initial displacement of x, y, z [m], e0, e1, e2, e3 [1]", shape=(7,), default=(0.0,) * 7
    )
    velocity = column(
        "m/s, 1/s", "initial velocity of x, y, z [m/s], e0, e1, e2, e3 [1/s]", shape=(7,), default=(0.0,) * 7
    )
    angular_velocity = column(
        "rad/s",
        "initial angular velocity, global; replaces the last 4 components of velocity",
        shape=(3,),
        default=(0.0,) * 3,
    )


def fill_defaults(world: Tables, values: dict[str, Any]) -> dict[str, Any]:
    """Extend displacement and velocity from 3 to 7 components, convert the angular velocity to rates of the Euler
    parameters, and check the Euler parameters and their rates.

    Raises:
        ModelError: the Euler parameters do not have length 1, their rates change this length, or both the angular
            velocity and rates of Euler parameters are given.
    """
    try:
        read = {name: read_numbers(values[name]) for name in _defaults() if name in values}
        given = {name: array for name, array in read.items() if array is not None}
        if len(given) < len(read):
            return values
        full = {name: given.get(name, default) for name, default in _defaults().items()}
        for name in ("displacement", "velocity"):
            if not full[name].shape:
                return values
            if full[name].shape[-1:] == (3,):
                full[name] = np.concatenate((full[name], np.zeros((*full[name].shape[:-1], 4))), axis=-1)
        if not all(np.isfinite(v).all() for v in full.values()):
            return values
        start = full["euler_parameters"] + full["displacement"][..., 3:]
        rates = euler_parameter_rates(start, full["angular_velocity"]) + 0.0 * full["velocity"][..., 3:]
    except (TypeError, ValueError):
        return values  # values of wrong shape or type cause an error when they are written to the table
    row = world.table(RigidNode3D).count
    _check_length(full["euler_parameters"], "euler_parameters", row)
    _check_length(start, "euler_parameters + displacement", row)
    if full["angular_velocity"].any():
        own = full["velocity"][..., 3:]
        # the rows of a saved model contain both the angular velocity and the rates of the Euler parameters
        if own.any() and not np.allclose(own, rates, rtol=0.0, atol=1e-12 * np.abs(rates).max()):
            raise ModelError(
                f"RigidNode3D row {row} has angular_velocity and another velocity of e0..e3: give one of them"
            )
        velocity = np.broadcast_to(full["velocity"][..., :3], (*rates.shape[:-1], 3))
        full["velocity"] = np.concatenate((velocity, rates), axis=-1)
    _check_rates(start, full["velocity"][..., 3:], row)
    return values | {name: full[name] for name in ("displacement", "velocity")}


def _defaults() -> dict[str, FloatArray]:
    names = ("euler_parameters", "displacement", "velocity", "angular_velocity")
    return {name: np.asarray(RigidNode3D.columns[name].default) for name in names}


def _check_length(e: FloatArray, name: str, first_row: int) -> None:
    length = np.atleast_1d(np.sqrt((e**2).sum(axis=-1)))
    for i in np.flatnonzero(~(np.abs(length - 1.0) <= UNIT_TOLERANCE))[:1]:
        raise ModelError(
            f"{name} = {np.atleast_2d(e)[i]} with length {length[i]:.9g} in RigidNode3D row {first_row + i}: "
            "must have length 1 [1]; divide by the length"
        )


def _check_rates(e: FloatArray, rates: FloatArray, first_row: int) -> None:
    along, size = np.broadcast_arrays((e * rates).sum(axis=-1), np.sqrt((rates**2).sum(axis=-1)))
    for i in np.flatnonzero(np.abs(along) > UNIT_TOLERANCE * (1.0 + size))[:1]:
        raise ModelError(
            f"velocity of e0..e3 in RigidNode3D row {first_row + i} changes their length by "
            f"{np.atleast_1d(along)[i]:.3g} 1/s: must be 0; give angular_velocity [rad/s] instead"
        )


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for nodes with no or several rows of `RigidBody3D` and `UnitRotation3D`. Exactly one row must
    constrain the length of the Euler parameters of a node.
    """
    bodies = np.zeros(table.count, np.int64)
    for component, other in world.tables.items():
        if "unit rotation" in component.provides:
            for nodes, _, rows in world.split_by_table(other.collect("node")):
                if nodes is table:
                    np.add.at(bodies, rows, 1)
    for row in np.flatnonzero(bodies != 1)[:1]:
        raise ModelError(
            f"{table.describe(row)} (RigidNode3D row {row}) carries {bodies[row]} bodies: must carry one RigidBody3D; "
            "a node of beams without a body must carry one UnitRotation3D, which constrains the length of the Euler "
            "parameters to 1"
        )


register(Point3D, "node", outputs=point_outputs("m", 3), source="definition of a point")
register(RigidNode3D, "node", outputs=rigid_outputs(), fill_defaults=fill_defaults, check=check, source=SOURCE)
register(
    PointSlope3D,
    "node",
    outputs=point_outputs("m, 1", 3),
    fill_defaults=take_shared_position,
    fills=("position",),
    check=check_slopes,
    source=CABLES,
)
