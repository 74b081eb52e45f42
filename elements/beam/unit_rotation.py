"""Constraint for 3D nodes without a rigid body: the Euler parameters of the node have length 1.

    C = e·e - 1 = 0

`RigidBody3D` contains the same constraint. If a node of a beam has no rigid body, it needs a `UnitRotation3D`.

Source: P. E. Nikravesh, Computer-Aided Analysis of Mechanical Systems, Prentice Hall (1988), chapter 6.
"""

from __future__ import annotations

from typing import Any, ClassVar

from numpy.typing import NDArray

from windlass.elements.bodies.rigid3d_kernels import add_accelerations, constraint, constraint_tangent
from windlass.framework.kernels.call import call
from windlass.framework.model.law import LocalRows, register
from windlass.framework.model.schema import Component, ref
from windlass.framework.model.system import ConstraintSystem, System


class UnitRotation3D(Component):
    """Constraint for nodes of beams without a rigid body: the Euler parameters of the node have length 1."""

    provides: ClassVar[tuple[str, ...]] = ("unit rotation",)
    node = ref("RigidNode3D", "the node")


def bind(rows: LocalRows) -> NDArray[Any]:
    """Return the data that the kernels read, as one record per row. The record contains the indices of the coordinates
    x, y, z, e0..e3, and the index of the multiplier.
    """
    multipliers = rows.layout.multipliers(rows.table, rows.rows)
    return rows.pack({"dofs": rows.dofs, "multiplier": multipliers[:, 0]})


def build(rows: LocalRows) -> System:
    """Create the `System` with the kernel calls for the rows."""
    own = rows.columns
    system = System("UnitRotation3D", rows.dofs)
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


register(UnitRotation3D, "constraint", dofs="node", bind=bind, build=build, multipliers=1, source="[@nikravesh1988]")
