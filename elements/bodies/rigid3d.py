"""Rigid body in 3D, whose rotation is described by Euler parameters.

    m a_c = F,    Θ_c ω_t + ω × Θ_c ω = T_c,    C = e·e - 1 = 0

Here m is the mass, a_c the acceleration of the centre of mass, F the force, Θ_c the inertia tensor and T_c the torque
about the centre of mass, ω the angular velocity, and e the Euler parameters. The equation of the torque T_c is in the
frame of the body. Each body has its own multiplier of the constraint C = 0. The vector from the node to the centre of
mass is A c in the global frame and c in the frame of the body. The equations are formulated in the coordinates of the
node. Therefore the mass matrix depends on the rotation. See `rigid3d_kernels` for all terms and `rotations` for the
symbols.

The rotation matrix does not depend on the length of e. Therefore no force has a component along e, and the multiplier
of the constraint is 0. Without further terms, the mass matrix would be singular, because a change of the length of e
would have no inertia. Therefore an artificial inertia κ = 4/3 tr Θ for a change of the length is added, where Θ is the
inertia tensor about the node. With κ, the mass matrix is positive definite for every rotation. The constraint prevents
changes of the length. Therefore κ affects only the multiplier.

Source: P. E. Nikravesh, Computer-Aided Analysis of Mechanical Systems, Prentice Hall (1988), chapters 6 and 11.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.elements.bodies.rigid3d_kernels import (
    add_accelerations,
    constraint,
    constraint_tangent,
    gravity,
    gravity_tangent,
    inertia,
    inertia_tangent,
    mass,
)
from windlass.elements.nodes.nodes2d import create_missing_node
from windlass.elements.nodes.nodes3d import RigidNode3D
from windlass.elements.nodes.rigid_outputs3d import (
    eval_local_angular_velocity,
    eval_position,
    eval_rotation,
    eval_velocity,
    rigid_outputs,
    turn_rows,
)
from windlass.framework.arrays import FloatArray
from windlass.framework.checks.values import read_numbers
from windlass.framework.errors import ModelError
from windlass.framework.kernels.call import call
from windlass.framework.model.law import LocalRows, Output, Tables, register
from windlass.framework.model.schema import Component, column, derived, ref
from windlass.framework.model.system import ConstraintSystem, Fields, System, Term

SYMMETRY = 1e-9
"""Largest difference [1] between I_ij and I_ji, relative to the largest element of the inertia tensor, that is treated
as a rounding error.
"""


class RigidBody3D(Component):
    """A rigid body in 3D.

    Give either ``node``, or the position, the Euler parameters, the displacement, the velocity and the angular velocity
    of a new `RigidNode3D`.
    """

    provides = ("body", "unit rotation")
    node = ref("RigidNode3D", "node at the origin of the frame of the body")
    mass = column("kg", "mass", above=0.0)
    inertia = column(
        "kg m^2",
        "inertia tensor about the centre of mass in the frame of the body; also one number for equal moments, "
        "(Ixx, Iyy, Izz), or (Ixx, Iyy, Izz, Iyz, Ixz, Ixy), the entries of the tensor with their signs",
        shape=(3, 3),
    )
    center_of_mass = column(
        "m", "position of the centre of mass in the frame of the body", shape=(3,), default=(0.0,) * 3
    )
    moment = derived("kg m", "mass times the position of the centre of mass, in the frame of the body, shape (3,)")
    about_node = derived("kg m^2", "inertia tensor Θ about the node in the frame of the body, shape (3, 3)")
    stretching = derived("kg m^2", "artificial inertia κ for changes of the length of e")
    dofs = derived("1", "process-local indices of the coordinates x, y, z, e0..e3")
    multiplier = derived("1", "process-local index of the multiplier")


def fill_defaults(world: Tables, values: dict[str, Any]) -> dict[str, Any]:
    """Convert the inertia to a tensor and check the tensor. If no node is given, create the node.

    Raises:
        ModelError: an inertia tensor is not symmetric or not positive definite.
    """
    if "inertia" in values:
        values["inertia"] = parse_inertia(values["inertia"], world.table(RigidBody3D).count)
    return create_missing_node(world, values, RigidNode3D, "RigidBody3D")


def parse_inertia(given: Any, first_row: int) -> Any:
    """Convert values of any accepted shape to inertia tensors of shape (3, 3) or (rows, 3, 3). Raise ModelError for
    tensors that are not symmetric and positive definite.
    """
    values = read_numbers(given)
    if values is None:
        return given
    if values.ndim == 0:
        values = np.full(3, values)
    if values.shape == (3,) or (values.ndim in (1, 2) and values.shape[-1] == 6):
        full = np.zeros((*values.shape[:-1], 3, 3))
        full[..., (0, 1, 2), (0, 1, 2)] = values[..., :3]
        if values.shape[-1] == 6:
            for k, (i, j) in enumerate(((1, 2), (0, 2), (0, 1))):
                full[..., i, j] = full[..., j, i] = values[..., 3 + k]
        values = full
    if values.shape[-2:] != (3, 3) or values.ndim > 3:
        raise ModelError(
            f"inertia in RigidBody3D row {first_row} has shape {np.shape(given)}: must be a number or numbers of shape "
            "(3,), (6,), (3, 3), (rows, 6) or (rows, 3, 3) [kg m^2]"
        )
    if not np.isfinite(values).all():
        return values  # values that are not finite cause an error when they are written to the table
    for i, tensor in enumerate(values.reshape(-1, 3, 3)):
        where = f"in RigidBody3D row {first_row + i}"
        if np.abs(tensor - tensor.T).max() > SYMMETRY * np.abs(tensor).max():
            raise ModelError(f"inertia = {tensor.tolist()} kg m^2 {where}: must be symmetric")
        principal = np.linalg.eigvalsh(tensor)
        if not principal[0] > 0.0:
            raise ModelError(
                f"inertia {where} has the principal moments {principal} kg m^2: must be positive definite, all > 0"
            )
    return values


def inertia_about_node(m: FloatArray, center: FloatArray, tensor: FloatArray) -> FloatArray:
    """Return the inertia tensors [kg m^2] about the node, Θ = Θ_c + m (c·c I - c cᵀ), shape (rows, 3, 3)."""
    square = (center**2).sum(axis=1)[:, None, None] * np.eye(3)
    out: FloatArray = tensor + m[:, None, None] * (square - center[:, :, None] * center[:, None, :])
    return out


def bind(rows: LocalRows) -> NDArray[Any]:
    """Create the records of the rows."""
    m, center = rows.local("mass"), rows.local("center_of_mass")
    tensor = rows.local("inertia")
    I = inertia_about_node(m, center, 0.5 * (tensor + tensor.transpose(0, 2, 1)))
    multipliers = rows.layout.multipliers(rows.table, rows.rows)
    return rows.pack(
        {
            "moment": m[:, None] * center,
            "about_node": I,
            "stretching": 4.0 / 3.0 * np.trace(I, axis1=1, axis2=2),
            "dofs": rows.dofs,
            "multiplier": multipliers[:, 0],
        }
    )


def build(rows: LocalRows) -> System:
    """Create the `System` with the kernel calls for the rows."""
    own = rows.columns
    system = System("RigidBody3D", rows.dofs)
    system.mass = call(mass, lambda s: (own, s.mass, s.slots, s.values))
    system.inertia = Term(
        call(inertia, lambda s: (own, s.x, s.v, s.a, s.f)),
        call(inertia_tangent, lambda s: (own, s.x, s.v, s.a, s.dq, s.dv, s.da, s.slots, s.values)),
    )
    system.body_force = Term(call(gravity, lambda s: (own, s.x, s.g, s.which, s.f)))
    if own["moment"].any():
        system.body_force.tangent = call(gravity_tangent, lambda s: (own, s.x, s.g, s.which, s.dq, s.slots, s.values))
    system.constraint = ConstraintSystem(
        rows.layout.multipliers(rows.table, rows.rows),
        call(constraint, lambda s: (own, s.x, s.v, s.lam, s.rate_level or s.unit_rates, s.C, s.f)),
        call(
            constraint_tangent,
            lambda s: (own, s.x, s.v, s.lam, s.rate_level or s.unit_rates, s.dq, s.dv, s.coupling, s.values),
        ),
        call(add_accelerations, lambda s: (own, s.v, s.C)),
        smooth=True,
    )
    return system


def eval_spin(rows: LocalRows, s: Fields) -> FloatArray:
    """Return the angular momentum [kg m^2/s] about the centre of mass in the frame of the body, shape (rows, 3)."""
    return turn_rows(rows.local("inertia"), eval_local_angular_velocity(rows, s))


def eval_kinetic_energy(rows: LocalRows, s: Fields, **where: Any) -> FloatArray:
    """Return the kinetic energy [J], shape (rows,)."""
    v = eval_velocity(rows, s, rows.local("center_of_mass"))
    rotation = (eval_spin(rows, s) * eval_local_angular_velocity(rows, s)).sum(axis=1)
    energy: FloatArray = 0.5 * rows.local("mass") * (v**2).sum(axis=1) + 0.5 * rotation
    return energy


def eval_momentum(rows: LocalRows, s: Fields, **where: Any) -> FloatArray:
    """Return the linear momentum [kg m/s] in the global frame, shape (rows, 3)."""
    return rows.local("mass")[:, None] * eval_velocity(rows, s, rows.local("center_of_mass"))


def eval_angular_momentum(rows: LocalRows, s: Fields, **where: Any) -> FloatArray:
    """Return the angular momentum [kg m^2/s] about the global origin in the global frame, shape (rows, 3)."""
    center = eval_position(rows, s, rows.local("center_of_mass"))
    return turn_rows(eval_rotation(rows, s), eval_spin(rows, s)) + np.cross(center, eval_momentum(rows, s))


register(
    RigidBody3D,
    "body",
    multipliers=1,
    dofs="node",
    bind=bind,
    build=build,
    outputs=rigid_outputs()
    | {
        "kinetic_energy": Output("J", "kinetic energy", eval_kinetic_energy),
        "momentum": Output("kg m/s", "momentum, global, shape (3,)", eval_momentum),
        "angular_momentum": Output(
            "kg m^2/s", "angular momentum about the global origin, global, shape (3,)", eval_angular_momentum
        ),
    },
    fill_defaults=fill_defaults,
    makes=(RigidNode3D,),
    source="[@nikravesh1988]",
)
