"""The linear equations of motion about a state: M δq̈ + D δq̇ + K δq + C_qᵀ δλ = 0, C_q δq = 0, as PETSc matrices.

With displacements and multipliers x exp(σ t), the equations are (σ² M + σ D + K) x = 0, where K includes C_q and C_qᵀ.
The matrices consist of the tangents of Newton's method. These tangents are derivatives of forces, loads, inertia forces
and constraint forces with respect to coordinates, velocities and accelerations, at the motion of the state. History
values of contacts are constant, so sticking contacts continue to stick.

Displacements of running closed belts refer to positions that are fixed in space, see `running.py`.

A constraint on velocities, C_v δq̇ = 0, is written as C_v δq = 0. Both forms are equivalent for σ ≠ 0. Therefore
constant motions δq (σ = 0) are not computed as modes if they fulfil C_v δq̇ = 0 but not C_v δq = 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.assembly.matrix import TangentMatrix
from windlass.framework.assembly.storage import Storage
from windlass.framework.assembly.vectors import create_unknowns, local_values, sum_to_owners
from windlass.framework.runtime.petsc import PETSc
from windlass.framework.state.state import State
from windlass.solvers.modes.running import RunningBelt, add_flow
from windlass.solvers.newton.static_states import find_state_entries

SYMMETRIC = 1e-10
"""Asymmetry [1] of K, relative to the diagonal of K. Up to this value, K is treated as symmetric."""
MOST_ITERATIONS = 2000
"""Largest number of MINRES iterations in `LinearMotion.project`. The required number increases with the number of
independent constraints.
"""


class LinearMotion:
    """The matrices M, D and K at a state. The construction of this object and all its methods are collective.

    Args:
        assembly: the systems of this process. After the construction of this object, the fields of the systems contain
            ``state``.
        state: the state, with the coordinates that the assembly has on this process.
        running: whether displacements of running closed belts refer to positions that are fixed in space, see
            `running.py`.

    Attributes:
        M, D, K: PETSc matrices over the unknowns, all with the same sparsity.
        sparsity: the sparsity of M, D and K.
        damped: whether D is not 0.
        symmetric: whether K is symmetric.
        active: whether the constraint of each owned multiplier is active, shape (m,).
        constraints: number of active constraints on all processes.
        massless: number of coordinates without mass on all processes.
        states: number of first-order states on all processes. ``massless`` includes these states.
        dofs: number of coordinates on all processes.
        available: largest possible number of modes, apart from the modes of first-order states. Constraints on
            coordinates without mass, for example on the nodes of cables in reserve, do not reduce this number.
        belts: the closed belts; empty if ``running`` is False.
        assembly: the systems of this process.
    """

    def __init__(self, assembly: Assembly, state: State, running: bool = False) -> None:
        self.assembly = assembly
        assembly.load_fields(state)
        self.sparsity = assembly.use(Storage.ROWS, update=True)
        self._mass, self._damping, self._stiffness = (self._create() for _ in range(3))
        self._fill()
        self.belts: list[RunningBelt] = []
        if running:
            values = self._damping.values, self._stiffness.values
            self.belts = add_flow(assembly, self._find_held(), *values)
        self._take_states()
        self._hold_prescribed_velocities()
        for matrix in (self._mass, self._damping, self._stiffness):
            matrix.update()
        self.M, self.D, self.K = self._mass.mat, self._damping.mat, self._stiffness.mat
        self.damped = bool(self.D.norm() > 0.0)
        self.symmetric = self._eval_asymmetry() <= SYMMETRIC
        self._count()

    def _create(self) -> TangentMatrix:
        sparsity = self.sparsity
        return TangentMatrix(sparsity.pattern, sparsity.numbers, sparsity.unknowns.owned, self.assembly.comm)

    def _fill(self) -> None:
        assembly = self.assembly
        mass, damping, stiffness = self._mass.values, self._damping.values, self._stiffness.values
        assembly.add_mass_matrix(mass)
        for values, dq, dv in ((stiffness, 1.0, 0.0), (damping, 0.0, 1.0)):
            assembly.add_tangent(values, dq, dv, 0.0, 1.0, 0.0)
            for component, system in assembly.layout.systems.items():
                if system.inertia is not None and system.inertia.tangent is not None:
                    system.inertia.tangent(assembly.evaluation(component, values, dq=dq, dv=dv))
            # C_qᵀ is a part of K, so the factor of the multipliers is 1 in K and 0 in D
            assembly.add_constraint_tangent(values, dq, dv, dq)

    def _find_held(self) -> IntArray:
        """Return the process-local indices of the coordinates on which active constraints act."""
        unknowns = self.sparsity.unknowns
        rows, columns = self.sparsity.pattern.entries()
        is_multiplier = np.zeros(len(unknowns.numbers), bool)
        is_multiplier[unknowns.of_multiplier] = True
        holds = (self._damping.values[:-1] != 0.0) | (self._stiffness.values[:-1] != 0.0)
        # the multipliers of all processes are considered, because multipliers of other processes may act on coordinates
        # of this process
        entries = holds & is_multiplier[rows] & ~is_multiplier[columns]
        return np.flatnonzero(np.isin(unknowns.of_dof, columns[entries]))

    def _hold_prescribed_velocities(self) -> None:
        """Move the rows of constraints on velocities from D to K. Before the call, these rows of K are 0."""
        rows, _ = self.sparsity.pattern.entries()
        is_multiplier = np.zeros(len(self.sparsity.unknowns.numbers), bool)
        is_multiplier[self.sparsity.unknowns.of_multiplier] = True
        damping, stiffness = self._damping.values[:-1], self._stiffness.values[:-1]
        moves = np.bincount(rows, np.abs(damping), len(is_multiplier)) > 0.0
        holds = np.bincount(rows, np.abs(stiffness), len(is_multiplier)) > 0.0
        entries = (is_multiplier & moves & ~holds)[rows]
        stiffness[entries], damping[entries] = damping[entries], 0.0

    def _take_states(self) -> None:
        """Replace the coordinates z of first-order states by the states y = σ z as unknowns: σ² M z + σ D z = σ M y + D
        y."""
        entries = find_state_entries(self.assembly)
        mass, damping, stiffness = self._mass.values, self._damping.values, self._stiffness.values
        stiffness[entries], damping[entries], mass[entries] = damping[entries], mass[entries], 0.0

    def _eval_asymmetry(self) -> float:
        """Return the Frobenius norm of S (K - Kᵀ) S. Here S is the diagonal matrix with the entries 1/√|K_ii|, or 1 if
        K_ii is 0."""
        difference = self.K.duplicate(copy=True)
        difference.transpose()
        difference.axpy(-1.0, self.K)
        scale = self.K.getDiagonal()
        size = np.abs(scale.array_r)
        scale.setArray(np.where(size > 0.0, size, 1.0) ** -0.5)
        difference.diagonalScale(scale, scale)
        return float(difference.norm())

    def _count(self) -> None:
        assembly, unknowns = self.assembly, self.sparsity.unknowns
        layout = assembly.layout
        stiffness, mass = self.K.getDiagonal().array_r, self.M.getDiagonal().array_r
        own = unknowns.of_dof[: len(layout.owned)]
        self.active: Any = stiffness[unknowns.of_multiplier] == 0.0
        states = (layout.states < len(layout.owned)).sum()
        counts = np.array([len(own), self.active.sum(), (mass[own] == 0.0).sum(), states], float)
        self.dofs, self.constraints, self.massless, self.states = map(int, assembly.processes.sum(counts))
        held = self._count_held(own[mass[own] == 0.0]) if self.massless and self.constraints else 0
        self.available = max(self.dofs - self.constraints - self.massless + held, 1)

    def _count_held(self, massless: IntArray) -> int:
        """Return the smaller of two numbers: constraints that act on coordinates without mass, and coordinates without
        mass on which constraints act. ``massless`` contains the indices of these coordinates among the owned unknowns.
        """
        unit, multipliers = self.create_vector(), self.sparsity.unknowns.of_multiplier
        unit.array[massless] = 1.0
        acts = (self.multiply_absolute(unit).array[multipliers] > 0.0) & self.active
        unit.array[:] = 0.0
        unit.array[multipliers[acts]] = 1.0
        held = self.multiply_absolute(unit).array[massless] > 0.0
        return int(self.assembly.processes.sum(np.array([acts.sum(), held.sum()], float)).min())

    @property
    def owned_multipliers(self) -> IntArray:
        """Return the indices of the multipliers of this process among its unknowns."""
        return self.sparsity.unknowns.of_multiplier

    def create_values(self) -> FloatArray:
        """Return an array of zeros for the values of a matrix with the sparsity of K, shape (entries + 1,)."""
        return np.zeros(self.sparsity.pattern.spare + 1)

    def create_vector(self) -> Any:
        """Create a PETSc vector with a value for each unknown."""
        return create_unknowns(self.assembly.layout, self.assembly.comm, self.sparsity.unknowns.owned)

    def take_coordinates(self, vector: Any) -> FloatArray:
        """Return the elements of a PETSc vector of unknowns at the coordinates of this process, shape (n,)."""
        unknowns = self.sparsity.unknowns
        return local_values(unknowns.ghosts, vector)[unknowns.of_dof]

    def place_forces(self, forces: FloatArray) -> Any:
        """Return forces on the coordinates of this process as a PETSc vector of unknowns. Contributions of all
        processes are summed.
        """
        unknowns, vector = self.sparsity.unknowns, self.create_vector()
        local = np.zeros(len(unknowns.numbers))
        local[unknowns.of_dof] = forces
        sum_to_owners(self.sparsity.numbers, vector, local)
        return vector

    def place_own(self, values: FloatArray) -> Any:
        """Return values at the coordinates of this process as a PETSc vector of unknowns. Only the values at owned
        coordinates are used.
        """
        own = np.zeros(len(values))
        owned = len(self.assembly.layout.owned)
        own[:owned] = values[:owned]
        return self.place_forces(own)

    def project(self, forces: Any) -> Any:
        """Return the part of ``forces`` that cannot be balanced by constraint forces. Forces and result are PETSc
        vectors of unknowns with 0 at the multipliers.
        """
        unknowns, matrix = self.sparsity.unknowns, self._create()
        rows, columns = self.sparsity.pattern.entries()
        is_multiplier = np.zeros(len(unknowns.numbers), bool)
        is_multiplier[unknowns.of_multiplier] = True
        is_own = np.zeros(len(unknowns.numbers), bool)
        is_own[unknowns.of_dof[: len(self.assembly.layout.owned)]] = True
        values, stiffness = matrix.values[:-1], self._stiffness.values[:-1]
        couples = is_multiplier[rows] ^ is_multiplier[columns]
        values[couples] = stiffness[couples]
        values[(rows == columns) & is_own[rows]] = 1.0
        values[(rows == columns) & is_multiplier[rows]] = stiffness[(rows == columns) & is_multiplier[rows]]
        matrix.update()
        solver = PETSc.KSP().create(self.assembly.comm)
        solver.setType(PETSc.KSP.Type.MINRES)
        solver.getPC().setType(PETSc.PC.Type.NONE)
        solver.setTolerances(rtol=1e-12, max_it=MOST_ITERATIONS)
        solver.setOperators(matrix.mat)
        found = forces.duplicate()
        solver.solve(forces, found)
        found.array[unknowns.of_multiplier] = 0.0
        return found

    def multiply_mass(self, values: FloatArray) -> FloatArray:
        """Return the contribution of the elements of this process to M x at each unknown of this process, where x is
        ``values``. The sum over all processes is M x.
        """
        return self.sparsity.pattern.multiply(self._mass.values, values)

    def multiply_absolute(self, vector: Any) -> Any:
        """Return |K| |x| for a PETSc vector x, as a measure of the rounding errors of K x."""
        local = np.abs(local_values(self.sparsity.unknowns.ghosts, vector))
        product = self.sparsity.pattern.multiply(self._stiffness.values, local, absolute=True)
        found = vector.duplicate()
        sum_to_owners(self.sparsity.numbers, found, product)
        return found
