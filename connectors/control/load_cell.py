"""Load cell that measures the force or torque in a joint or constraint. The measured value is a first-order state y.
Controllers can use y as input.

    state: T y_t = w·λ - y, with the multipliers λ of the joint, the weights w, and the time constant T

Real load cells with amplifiers have a first-order lag of this form. Without the lag, a force of a controller and the
measured multipliers would depend on each other at the same instant (an algebraic loop). In static solves y = w·λ. The
tangent contains the derivatives with respect to the multipliers. Therefore Newton's method solves for force, motion and
the state y together.

The law is evaluated on the process of its joint, because only this process has the multipliers. The states are
distributed to processes like other coordinates.

Source: W. Boyes (ed.), Instrumentation Reference Book, Butterworth-Heinemann (first-order lag of transducers).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.markers.coordinate_marker import coordinate_marker
from windlass.elements.nodes.generic_nodes import STATES, state_node
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.checks.checks import checked, handle, instance, number, numbers, word
from windlass.framework.errors import ModelError
from windlass.framework.kernels.call import Call, call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.adding import all_or_nothing
from windlass.framework.model.law import LocalRows, Output, Tables, register, require_law
from windlass.framework.model.schema import Component, column, derived, ref
from windlass.framework.model.system import ConstraintSystem, Coupling, System
from windlass.framework.model.table import Entity, EntityTable
from windlass.framework.model.world import World


class LoadCell(Component):
    """Measures the force or torque in a joint or constraint."""

    joint = ref(
        "joint", "the measured joints or constraints", beside=True,
        instead="; the axial force of a cable is EA u + d_EA u_t of its strain_coordinate, the force of a spring "
        "k u + d u_t of the distance_coordinate of its points; contact forces are measured by the joint that holds "
        "the body",
    )  # fmt: skip
    node = ref(STATES, "node with the single state y")
    weights = column("1", "weights w, one for each multiplier of the joint", shape=None, default=(1.0,))
    time_constant = column("s", "time constant T of the lag between force and reading", above=0.0)
    state = derived("1", "process-local index of the state")


class Measured(NamedTuple):
    """Result of `load_cell`, with one row per joint.

    marker: coordinate marker for inputs. The rate ``u_t`` of this marker is the measured value y [N or N m].
    cell: handle to the rows of `LoadCell`.
    node: the nodes of the states.
    """

    marker: Entity
    cell: Entity
    node: Entity


@kernel
def residual(rows: Any, v: FloatArray, f: FloatArray) -> None:
    """Add y to the residual f of the equation for y."""
    for i in range(len(rows)):
        f[rows[i].state] += v[rows[i].state]


@kernel
def tangent(dv: float, slots: IntArray, values: FloatArray) -> None:
    """Add dv times the derivative of the residual with respect to y, which is 1, to the values of the matrix."""
    for i in range(len(slots)):
        values[slots[i, 0, 0]] += dv


@kernel
def mass(rows: Any, scale: float, slots: IntArray, values: FloatArray) -> None:
    """Add ``scale`` times the time constant T to the values of the mass matrix, because y_t is treated as an
    acceleration in the equations of motion.
    """
    for i in range(len(rows)):
        values[slots[i, 0, 0]] += scale * rows[i].time_constant


@kernel
def measure(rows: Any, multipliers: IntArray, w: FloatArray, lam: FloatArray, f: FloatArray) -> None:
    """Subtract the weighted sum w·λ of the multipliers from the residual f of the equation for y."""
    for i in range(len(rows)):
        for k in range(w.shape[1]):
            f[rows[i].state] -= w[i, k] * lam[multipliers[i, k]]


@kernel
def measure_tangent(w: FloatArray, slots: Coupling, values: FloatArray) -> None:
    """Subtract the weights w, multiplied by ``slots.scale``, from the values of the matrix. The weights are the
    derivatives of w·λ with respect to the multipliers λ.
    """
    for i in range(len(w)):
        for k in range(w.shape[1]):
            values[slots.columns[i, 0, k]] -= slots.scale * w[i, k]


def count_multipliers(world: Tables, table: EntityTable) -> IntArray:
    """Return, for each row, the number of multipliers of its joint, shape (rows,)."""
    count = np.zeros(table.resident_count, np.int64)
    for joints, positions, _ in world.split_by_table(table.local("joint")):
        count[positions] = require_law(joints.component).multipliers
    return count


def bind(rows: LocalRows) -> tuple[NDArray[Any], IntArray, FloatArray]:
    """Create the records of the rows, the process-local indices of the multipliers and the weights w [1], shape (rows,
    m) each. If a joint has fewer than m multipliers, the unused weights are 0.
    """
    weights = rows.local("weights")
    w = np.zeros((len(weights), max((len(row) for row in weights), default=0)))
    lam = np.zeros(w.shape, np.int64)
    for joints, positions, of in rows.world.split_by_table(rows.local("joint")):
        found = rows.layout.multipliers(joints, of)
        # unused elements of w are 0, and unused elements of lam are the index of the first multiplier of the row
        lam[positions] = found[:, :1]
        lam[positions, : found.shape[1]] = found
        w[positions, : found.shape[1]] = [weights[i] for i in positions]
    y = rows.dofs[:, rows.world.ref_width(rows.table, "joint")]
    return rows.pack({"state": y}), lam, w


def build(rows: LocalRows) -> System:
    """Create the system of `LoadCell`."""
    own, multipliers, w = rows.columns
    system = System("LoadCell", own["state"][:, None].copy())
    system.residual = call(residual, lambda s: (own, s.v, s.f))
    system.tangent = call(tangent, lambda s: (s.dv, s.slots, s.values))
    system.mass = call(mass, lambda s: (own, s.mass, s.slots, s.values))
    system.constraint = ConstraintSystem(
        multipliers,
        call(measure, lambda s: (own, multipliers, w, s.lam, s.f)),
        call(measure_tangent, lambda s: (w, s.coupling, s.values)),
        Call(),
    )
    return system


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for unequal numbers of weights and multipliers, and for nodes with several states."""
    count, weights = count_multipliers(world, table), table.local("weights")
    for k, row in enumerate(table.resident):
        if len(weights[k]) != count[k]:
            name = world.entity(int(table.local("joint")[k])).name
            raise ModelError(
                f"weights of {table.kind} row {row} has {len(weights[k])} numbers: must have {count[k]} [1], one for "
                f"each multiplier of {name}"
            )
    for nodes, positions, _ in world.split_by_table(table.local("node")):
        if len(nodes.component.dof_names) != 1:
            row = table.resident[positions[0]]
            raise ModelError(f"node of {table.kind} row {row} has {len(nodes.component.dof_names)} states: must have 1")


@checked(
    world=instance(World), joint=handle(), weights=numbers("1", (None,)), time_constant=number("s", above=0.0),
    name=word(),
)  # fmt: skip
@all_or_nothing
def load_cell(world: World, joint: Entity, weights: Sequence[float], time_constant: float, name: str = "") -> Measured:
    """Measure the forces or torques in joints or constraints.

    Args:
        joint: the joints or constraints, with equal numbers of multipliers.
        weights: weights w of the multipliers [1], shape (multipliers,). The outputs ``multipliers`` of joints and
            ``force`` of `CoordinateConstraint` show the multipliers.
        time_constant: time constant T > 0 [s], which should be at most a tenth of the shortest time scale that the
            controller must resolve.
        name: name of the cells and their states.

    Returns:
        The coordinate marker for inputs, the rows of `LoadCell` and the nodes of the states.
    """
    node = world.add(state_node(1), states=np.zeros((len(joint), 1)), name=name)
    cell = world.add(LoadCell, joint=joint, node=node, weights=weights, time_constant=time_constant, name=name)
    return Measured(coordinate_marker(world, node, "y0"), cell, node)


register(
    LoadCell,
    "connector",
    dofs=("joint", "node"),  # the joint is listed first, so the process that evaluates the joint also evaluates the row
    bind=bind,
    build=build,
    check=check,
    outputs={
        "reading": Output("N, N m", "state y [N or N m], ()", lambda rows, s: s.v[rows.columns[0]["state"]]),
        "load": Output(
            "N, N m",
            "w·λ, the value that the reading follows [N or N m], ()",
            lambda rows, s: (rows.columns[2] * s.lam[rows.columns[1]]).sum(axis=1),
        ),
    },
    source="first-order lag of transducers, see the head of its file",
)
