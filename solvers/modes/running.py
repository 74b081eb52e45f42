"""Modes of running closed belts: displacements refer to positions that are fixed in space.

The nodes of a belt move with its material. If a closed belt runs steadily, its shape is constant. The material then
passes each position in space at the rate c = dX/dt, where X is the reference length. Let u be the displacement of the
material and w the displacement at a fixed position, u(X, t) = w(X + c t, t). The time derivatives of u are

    u_t = w_t + c w',    u_tt = w_tt + 2 c w'_t + c² w''.

Let w = S q with the shape functions S. In the equations of motion M q_tt + D q_t + K q = 0, the matrices D and K are
then replaced by

    D + c (P - Pᵀ)    and    K - c² Q    with    P = ∫ ρA Sᵀ S' dx,  Q = ∫ ρA S'ᵀ S' dx.

Here ρA is the mass per length. The added terms are gyroscopic and centrifugal terms. Elements whose material moves
through fixed nodes have such terms, too (`elements/cable/ale_cable2d.py`). The boundary terms of the integration by
parts at the ends of cables cancel along a closed belt. The flow c is computed from the coordinates x and the tangential
velocities v of the nodes, c = xᵀ Pᵀ v/(xᵀ Q x). Material damping acts only on w_t.

If constraints act on nodes of a belt, for example at a carriage, the shape of the belt cannot be steady. D and K are
then unchanged.

Source: C. D. Mote, J. Franklin Inst. 279 (1965) 430-444; J. A. Wickert, C. D. Mote, J. Appl. Mech. 57 (1990) 738-744.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.model.schema import Component
from windlass.framework.model.system import AxialFlow, Slots

LEAST = 1e-12
"""Ratio [1] of the sum of c² Q_ii to the sum of |K_ii| of a belt. Up to this value, the belt is treated as a belt at
rest.
"""


@dataclass(frozen=True)
class RunningBelt:
    """A closed belt whose material may run.

    Attributes:
        nodes: world indices of the coordinates of the nodes, in the order of the nodes along the belt, shape (nodes,
            n).
        flow: reference length [m/s] of the belt that passes a fixed position per unit of time; positive if the belt
            moves in the direction of the node order.
        held: whether constraints act on nodes of the belt. If ``held`` is true, the terms with the flow c are omitted.
    """

    nodes: IntArray
    flow: float
    held: bool


def find_belts(assembly: Assembly, component: type[Component]) -> tuple[list[IntArray], IntArray]:
    """Return the closed belts of a table. The call is collective.

    Returns:
        First, for each belt, the array of its nodes, see `RunningBelt`. Second, for each row of the table on this
        process, the index of its closed belt, or -1 if the row is not in a closed belt, shape (rows,).
    """
    layout, dofs = assembly.layout, assembly.layout.systems[component].dofs
    half = dofs.shape[1] // 2
    exists = (dofs < layout.spare).all(axis=1)
    numbers = np.asarray(layout.dofs)[np.where(exists[:, None], dofs, 0)].reshape(-1, 2, half)
    parts = assembly.processes.allgather("ends of cables", numbers[exists])
    ends = np.concatenate(parts)
    _, place = np.unique(ends[:, :, 0], return_inverse=True)
    start, end = place.reshape(-1, 2).T
    count = int(place.max(initial=-1)) + 1
    # at each node of a closed belt one cable starts and another cable ends
    once = (np.bincount(start, minlength=count) == 1) & (np.bincount(end, minlength=count) == 1)
    _, label = connected_components(coo_array((np.ones(len(start)), (start, end)), shape=(count, count)))
    closed = np.bincount(label, ~once, int(label.max(initial=-1)) + 1) == 0
    following, starting = np.full(count, -1), np.full(count, -1)
    following[start], starting[start] = end, np.arange(len(start))
    belts: list[IntArray] = []
    belt_of = np.full(len(closed), -1)
    for number in np.flatnonzero(closed).tolist():
        node = first = int(np.flatnonzero(label == number)[0])
        order = [first]
        while (node := int(following[node])) != first:
            order.append(node)
        belt_of[number] = len(belts)
        belts.append(ends[starting[order], 0])
    mine = np.full(len(dofs), -1)
    before = sum(len(part) for part in parts[: layout.rank])
    mine[exists] = belt_of[label[start[before : before + int(exists.sum())]]]
    return belts, mine


def add_flow(assembly: Assembly, held: IntArray, damping: FloatArray, stiffness: FloatArray) -> list[RunningBelt]:
    """Add the gyroscopic and centrifugal terms of running closed belts, see the docstring of this module, and return
    all closed belts. The call is collective.

    Args:
        assembly: the systems, whose fields contain the state.
        held: process-local indices of the coordinates on which active constraints act.
        damping, stiffness: values of D and K in the sparsity pattern by rows, to which the terms are added.
    """
    found: list[RunningBelt] = []
    fields = assembly.fields
    for component, system in assembly.layout.systems.items():
        if not assembly.processes.any(system.axis.flow is not None and len(system.dofs) > 0):
            continue
        belts, belt_of = find_belts(assembly, component)
        rows = np.flatnonzero(belt_of >= 0)
        dofs = system.dofs[rows]
        n, count = system.dofs.shape[1], len(belts)
        flow = AxialFlow(np.zeros((0, n, n)), np.zeros((0, n, n)))
        if len(rows) and system.axis.flow is not None:
            flow = AxialFlow(*(values[rows] for values in system.axis.flow()))
        x, v = fields.x[dofs], fields.v[dofs]
        slots = find_slots(assembly.sparsity.slots[component], n)[rows] if len(rows) else np.zeros((0, n, n), np.int64)
        diagonal = slots[:, range(n), range(n)]
        sums = [
            np.einsum("ri,rij,rj->r", v, flow.gyration, x),
            np.einsum("ri,rij,rj->r", x, flow.circulation, x),
            np.einsum("rii->r", flow.circulation),
            np.abs(stiffness[diagonal]).sum(axis=1),
            np.isin(dofs, held).any(axis=1),
        ]
        by_belt = np.array([np.bincount(belt_of[rows], row, count) for row in sums])
        along, length, turning, stiff, holds = assembly.processes.sum(by_belt)
        speed = along / np.where(length > 0.0, length, 1.0)
        runs = (speed**2 * turning > LEAST * stiff) & (holds == 0.0)
        c = np.where(runs, speed, 0.0)[belt_of[rows]][:, None, None]
        np.add.at(damping, slots, c * (flow.gyration - flow.gyration.transpose(0, 2, 1)))
        np.add.at(stiffness, slots, -(c**2) * flow.circulation)
        found += [RunningBelt(*belt) for belt in zip(belts, speed.tolist(), (holds > 0.0).tolist(), strict=True)]
    return found


def find_slots(slots: Slots, n: int) -> IntArray:
    """Return the storage indices (slots) of the entries of the n x n element matrix of each row of a table, shape
    (rows, n, n)."""
    width, height = slots.width, slots.height
    i, j = np.indices((n, n))
    places: IntArray = slots.places[:, i // height, j // width] + height * (j % width) + i % height
    return places
