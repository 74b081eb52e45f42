"""First-order states y in statics: the solution fulfils y_t = 0.

A first-order state y is stored as the velocity of a coordinate on which no force depends
(elements/nodes/generic_nodes.py). In dynamics, Newton's method solves for states as for all other velocities. In
statics, velocities are not unknowns. Therefore the increment of the coordinate is used as the increment of the state.
In the tangent, the column of this coordinate contains the derivatives of the residual with respect to the velocity.
"""

from __future__ import annotations

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.assembly.steps import constraint_tangent_steps, run_steps, tangent_steps
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.kernels.program import Step
from windlass.framework.model.system import evaluate
from windlass.solvers.newton.problem_kernels import DofMap
from windlass.solvers.newton.scheme import Scheme


@kernel
def move_states(states: IntArray, unknown: FloatArray, to: DofMap, factor: FloatArray, v: FloatArray) -> None:
    """Add the unknowns of the coordinates with the indices ``states``, multiplied by ``factor``, shape (1,), to the
    velocities ``v``."""
    for i in states:
        v[i] += factor[0] * unknown[to.dofs[i]]


class StaticStates:
    """The first-order states of a process as unknowns of the Newton runs of static solves.

    Args:
        assembly: the systems of this process.

    Attributes:
        states: process-local indices of the coordinates of the states, shape (s,).
        are_sought: whether the states are unknowns of a static solve.
    """

    def __init__(self, assembly: Assembly) -> None:
        self._assembly, self.states = assembly, assembly.layout.states
        self._factor, self.are_sought = np.zeros(1), False

    def begin(self, scheme: Scheme, q0: FloatArray, v0: FloatArray) -> None:
        """Begin a run. In statics, this method adds the coordinates to v0. Before the call, v0 contains the differences
        between the states and their coordinates. After the call, v0 contains the states.
        """
        self.are_sought = len(self.states) > 0 and scheme.v_factor == scheme.a_factor == 0.0
        self._factor[0] = float(self.are_sought)
        if self.are_sought:
            v0[self.states] += q0[self.states]

    def expansion_steps(self, unknown: FloatArray, to: DofMap) -> list[Step]:
        """Return the kernel calls that add the unknowns to the states. A compiled program executes these calls after
        `expand`.
        """
        fields = self._assembly.fields
        known = self.states, unknown, to, self._factor, fields.v
        return [(call(move_states, known), (evaluate(fields),))] if len(self.states) else []

    def add_tangent(self, values: FloatArray, load_factor: float) -> None:
        """Add the derivatives of the residual with respect to states to the columns of the coordinates of the states,
        if states are unknowns.
        """
        if not self.are_sought:
            return
        assembly, by_rate = self._assembly, np.zeros_like(values)
        run_steps(tangent_steps(assembly, by_rate, 0.0, 1.0, 0.0, 0.0))
        run_steps(constraint_tangent_steps(assembly, by_rate, 0.0, 1.0, 0.0))
        assembly.add_load_tangent(by_rate, 0.0, 1.0, load_factor)
        entries = find_state_entries(assembly)
        values[entries] += by_rate[entries]


def find_state_entries(assembly: Assembly) -> IntArray:
    """Return the indices, among the values of the tangent in its present storage, of the entries in the columns of
    first-order states.
    """
    if not len(assembly.layout.states):
        return np.zeros(0, np.int64)
    _, columns = assembly.sparsity.pattern.entries()
    entries: IntArray = np.flatnonzero(np.isin(columns, assembly.sparsity.unknowns.of_dof[assembly.layout.states]))
    return entries
