"""What the laws of joints have in common: binding of rows to the loops of `joint_rows`, outputs, checks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.constraints.joint_kernels import Joint, Loops
from windlass.connectors.markers.position_kernels import FAMILY
from windlass.connectors.markers.position_markers import NodePosition
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.errors import ModelError
from windlass.framework.kernels.call import call
from windlass.framework.model.law import LocalRows, Output, Tables
from windlass.framework.model.system import ConstraintSystem, Fields, System
from windlass.framework.model.table import EntityTable

SOURCE = "E. J. Haug, Computer Aided Kinematics and Dynamics of Mechanical Systems, Allyn and Bacon (1989)"


def bind_joint(rows: LocalRows, on: NDArray[np.bool_]) -> Joint:
    """The rows of a table with ``marker0``, ``marker1`` and ``active``, whose dofs come from `pair_dofs`.

    Args:
        rows: the local rows.
        on: equations that hold where the joint is active, shape (rows, k) or (k,).
    """
    n0 = rows.world.ref_width(rows.table, "marker0")
    lam = rows.layout.multipliers(rows.table, rows.rows)
    holds = np.logical_and(np.broadcast_to(on, lam.shape), rows.local("active")[:, None])
    return Joint(rows.markers("marker0"), rows.markers("marker1"), np.ascontiguousarray(rows.dofs), n0, lam, holds)


def create_system(rows: LocalRows, loops: Loops) -> System:
    """The system of a joint table, whose columns are those of the law and a `Joint`, with the loops of its equation."""
    c, j = rows.columns
    system = System(rows.table.kind, rows.dofs)
    system.constraint = ConstraintSystem(
        j.lam,
        call(loops.residual, lambda s: (c, j, s.markers[FAMILY], s.lam, s.rate_level, s.C, s.f)),
        call(
            loops.tangent,
            lambda s: (c, j, s.markers[FAMILY], s.v, s.lam, s.rate_level, s.dq, s.dv, s.coupling, s.values),
        ),
        call(loops.accelerations, lambda s: (c, j, s.markers[FAMILY], s.v, s.C)),
    )
    return system


def joint_outputs(loops: Loops, gap_unit: str, equations: str) -> dict[str, Output]:
    """Outputs that all joints have.

    Args:
        loops: the law's loops.
        gap_unit: unit of C.
        equations: what the equations are, for the documentation.
    """

    def evaluate(rows: LocalRows, s: Fields) -> tuple[FloatArray, FloatArray, FloatArray]:
        c, j = rows.columns
        C, g = np.zeros(j.on.shape), np.zeros((*j.on.shape, 9))
        loops.evaluate(c, j, s.markers[FAMILY], C, g)
        return C, g, np.where(j.on, s.lam[j.lam], 0.0)

    def eval_gap(rows: LocalRows, s: Fields, **where: Any) -> FloatArray:
        return evaluate(rows, s)[0]

    def eval_multipliers(rows: LocalRows, s: Fields, **where: Any) -> FloatArray:
        return evaluate(rows, s)[2]

    def eval_force(rows: LocalRows, s: Fields, **where: Any) -> FloatArray:
        _, g, lam = evaluate(rows, s)
        force: FloatArray = np.einsum("ik,ikd->id", lam, g[:, :, :3])
        return force

    def eval_torque(rows: LocalRows, s: Fields, **where: Any) -> FloatArray:
        _, g, lam = evaluate(rows, s)
        torque: FloatArray = np.einsum("ik,ikd->id", lam, g[:, :, 6:])
        return torque

    return {
        "gap": Output(gap_unit, f"C of {equations}; 0 where free", eval_gap),
        "multipliers": Output("N, N m", f"λ of {equations}; 0 where free", eval_multipliers),
        "force": Output("N", "left-hand-side force on marker 1, global, (3,): point 1 feels its opposite", eval_force),
        "torque": Output(
            "N m", "left-hand-side torque on marker 1 about point 1, global, (3,): it feels its opposite", eval_torque
        ),
    }


def find_spatial(world: Tables, ids: IntArray) -> NDArray[np.bool_]:
    """Which markers can move out of the plane, shape (n,); ids are entity numbers of position markers."""
    spatial = np.zeros(len(ids), bool)
    for markers, positions, rows in world.split_by_table(ids):
        if markers.component is NodePosition:
            dofs = world.row_dofs(markers, rows)
            spatial[positions] = dofs.shape[1] > 2 and dofs[:, 2] >= 0
        else:
            spatial[positions] = "spatial marker" in markers.component.provides
    return spatial


def check_planar(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for joints of the plane on markers that can move out of it."""
    spatial = find_spatial(world, table.local("marker0")) | find_spatial(world, table.local("marker1"))
    for row in table.resident[spatial][:1]:
        raise ModelError(
            f"{table.kind} row {row} has a marker that can move out of the plane: must have markers in the plane; "
            "in space use GenericJoint"
        )


def check_spatial(world: Tables, table: EntityTable, needed: NDArray[np.bool_], instead: str) -> None:
    """Raise ModelError for joints that hold motion out of the plane, but whose markers have none.

    Args:
        world: the world.
        table: table of joints.
        needed: rows whose equations hold such motion, shape (resident,).
        instead: what to use in the plane.
    """
    spatial = find_spatial(world, table.local("marker0")) | find_spatial(world, table.local("marker1"))
    for row in table.resident[needed & ~spatial][:1]:
        raise ModelError(
            f"{table.kind} row {row} holds motion out of the plane, which its markers do not have: "
            f"must have a marker in space; in the plane use {instead}"
        )
