"""Spherical joint: two points stay together, along all or some of the global axes.

    C_k = p1_k - p0_k  for each locked axis k,    C = 0 elsewhere replaced by λ_k = 0

Source: E. J. Haug, Computer Aided Kinematics and Dynamics of Mechanical Systems, Allyn and Bacon (1989).
"""

from __future__ import annotations

from windlass.connectors.constraints.joint_kernels import Joint, joint_rows
from windlass.connectors.constraints.joints import SOURCE, bind_joint, check_spatial, create_system, joint_outputs
from windlass.connectors.markers.pairs import pair_dofs
from windlass.connectors.markers.position_kernels import PositionColumns
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import Law, LocalRows, Tables, register
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.system import System
from windlass.framework.model.table import EntityTable


class SphericalJoint(Component):
    """Holds two points in space together; rotations are free."""

    marker0 = ref("position marker", "first point")
    marker1 = ref("position marker", "second point")
    axes = column(
        "1", "which of the global axes x, y, z are locked", shape=(3,), dtype=bool, default=(True,) * 3, switchable=True
    )
    active = column("1", "holds only if true", dtype=bool, default=True, switchable=True)


@kernel
def equation(
    c: FloatArray, i: int, k: int, m: PositionColumns, m0: int, m1: int, d: FloatArray, g: FloatArray, G: FloatArray
) -> float:
    """C_k = d_k [m]."""
    g[k] = 1.0
    value: float = d[k]
    return value


loops = joint_rows(equation)


def bind(rows: LocalRows) -> tuple[FloatArray, Joint]:
    """Nothing but the markers: the equation has no parameters."""
    j = bind_joint(rows, rows.local("axes"))
    return j.on.astype(float), j


def build(rows: LocalRows) -> System:
    """The system of `SphericalJoint`."""
    return create_system(rows, loops)


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for a joint that locks z between markers of the plane."""
    check_spatial(world, table, table.local("axes")[:, 2], "RevoluteJoint2D, or axes = (True, True, False)")


register(
    Law(
        SphericalJoint,
        role="constraint",
        multipliers=3,
        dofs=pair_dofs,
        bind=bind,
        build=build,
        check=check,
        outputs=joint_outputs(loops, "m", "p1 - p0 along x, y, z, (3,)"),
        source=SOURCE,
    )
)
