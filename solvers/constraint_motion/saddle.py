"""The matrix [M C_qᵀ; C_q 0] of the equations for accelerations and multipliers, and its factorisation by PETSc.

    M a + C_qᵀ λ + f = 0,    C_q a = c

M is the mass matrix, a are the accelerations, λ the multipliers, C_q the derivatives of the constraint equations with
respect to the coordinates, and c the right-hand sides of the constraints. The vector f contains all other forces,
including the inertia forces that are quadratic in velocities, minus the loads. The equations of the projection of
coordinates and velocities onto the constraints with the smallest change in the norm of M have the same matrix. The
equation of an inactive constraint is λ = 0.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.assembly.matrix import TangentMatrix
from windlass.framework.assembly.sparsity import Pattern
from windlass.framework.assembly.steps import force_steps, run_steps
from windlass.framework.assembly.vectors import create_unknowns, local_values, sum_to_owners
from windlass.framework.command_line import options
from windlass.framework.errors import ModelError
from windlass.framework.kernels.program import Step
from windlass.framework.launch.petsc_functions import raise_cause, unlock
from windlass.framework.layout.unknowns import Unknowns
from windlass.framework.model.system import evaluate
from windlass.framework.runtime.petsc import PETSc
from windlass.solvers.equilibrium.singular import find_weakest
from windlass.solvers.linear.ordering import default_package
from windlass.solvers.linear.packages import check_package, reset_factors, set_direct
from windlass.solvers.names import name_dofs, shorten


class SingularError(ModelError):
    """Exception that is raised if the matrix of accelerations and multipliers is singular."""


class SaddleMatrix:
    """The matrix for the unknowns of this process. The sparsity pattern of this matrix contains no couplings by springs
    and contacts.

    Rows and columns of constraints are multiplied by ``scale``, so that all entries have similar size. The unknowns of
    constraints are therefore λ / scale.

    Args:
        assembly: the systems of this process.

    Attributes:
        pattern: sparsity over the unknowns of this process.
        values: values of the matrix entries in the order of ``pattern``, shape (entries,).
        scale: a typical mass [kg, kg m^2], identical on all processes.
        assembly: the systems of this process.
    """

    def __init__(self, assembly: Assembly) -> None:
        self.assembly = assembly
        self.scale = _typical_mass(assembly)
        self.pattern = self._find_pattern()
        self.values: FloatArray = np.full(self.pattern.spare, np.nan)

    def _find_pattern(self) -> Pattern:
        """Find the storage indices (slots) of the matrix entries in the present pattern of the tangent. A search for
        contacts may have replaced the pattern of the tangent. Return the pattern of the matrix.
        """
        changing = any(s.constraint is not None and s.neighbours is not None for s in self.assembly.systems)
        whole = self._tangent = self.assembly.update_pattern() if changing else self.assembly.pattern
        self._slots = _find_slots(self.assembly)
        self._whole = np.zeros(whole.spare + 1)
        row_of = np.repeat(np.arange(len(whole.indptr) - 1), np.diff(whole.indptr))[self._slots]
        counts = np.bincount(row_of, minlength=len(self.assembly.layout.unknowns.numbers))
        indptr: Any = np.concatenate(([0], np.cumsum(counts))).astype(np.int32)
        return Pattern(indptr, whole.indices[self._slots], len(self._slots))

    def update(self) -> bool:
        """Evaluate the matrix at the state in the fields. Return whether a value changed on any process. The call is
        collective.
        """
        assembly = self.assembly
        if assembly.pattern is not self._tangent:
            self._find_pattern()
        whole = self._whole
        whole[:] = 0.0
        assembly.add_mass_matrix(whole)
        assembly.fields.rate_level = True
        assembly.add_constraint_tangent(whole, 0.0, 1.0, self.scale)
        assembly.fields.rate_level = False
        values = whole[self._slots]
        changed = not np.array_equal(values, self.values)
        self.values[:] = values
        return assembly.processes.any(changed)

    def describe_singular(self) -> str:
        """Return an error text that names the coordinates without mass, or, if all coordinates have mass, the redundant
        constraints. The call is collective."""
        layout = self.assembly.layout
        is_dof = np.zeros(len(layout.unknowns.numbers), bool)
        is_dof[layout.unknowns.of_dof] = True
        size = np.add.reduceat(np.abs(self.values) * is_dof[self.pattern.indices], self.pattern.indptr[:-1])
        rows = create_unknowns(layout, self.assembly.comm)
        sum_to_owners(layout.unknowns.numbers, rows, size)
        missing = np.flatnonzero(rows.array_r[layout.unknowns.of_dof[: len(layout.owned)]] == 0.0)
        names = name_dofs(self.assembly, missing[:5])
        if names:
            return f"mass matrix with constraints is singular; without mass: {', '.join(names[:5])}"
        return (
            f"mass matrix with constraints is singular; constraints contradict or repeat each other{self._repeated()}"
        )

    def _repeated(self) -> str:
        """Return a text with the names of redundant constraints. The constraint forces of such constraints are not
        unique. The text is empty if no redundant constraints are found.
        """
        layout, number, comm = self.assembly.layout, self.assembly.world.numbering, self.assembly.comm
        matrix = TangentMatrix(self.pattern, layout.unknowns.numbers, layout.unknowns.owned, comm)
        matrix.values[:-1] = self.values
        matrix.update()
        size = create_unknowns(layout, comm)
        rows = np.add.reduceat(np.abs(self.values), self.pattern.indptr[:-1])
        sum_to_owners(layout.unknowns.numbers, size, rows)
        found = find_weakest(matrix.mat, size, default_package(self.pattern, layout.size, "klu"))
        if found is None:
            return ""
        shares = np.abs(found.array_r[layout.unknowns.of_multiplier])
        largest = self.assembly.processes.largest_of(shares.max(initial=0.0))
        names = [
            number.describe_multiplier(int(layout.multipliers_owned[i])) for i in np.flatnonzero(shares > 0.1 * largest)
        ]
        names = self.assembly.processes.join("names", names)
        return ": " + ", ".join(shorten([f"({name})" for name in names]))


class Factors(Protocol):
    """A factorisation of a `SaddleMatrix`."""

    def factorise(self) -> None:
        """Factorise the present values of the matrix.

        Raises:
            SingularError: the matrix of accelerations and multipliers is singular.
        """

    def reset(self) -> None:
        """Delete the factorisation and the data of its solver. Call `factorise` afterwards."""

    def solve(self, right: FloatArray) -> FloatArray:
        """Return the solution for a right-hand side. The solution and the right-hand side have the order of the
        unknowns of this process. Values of ghosts in the right-hand side are added to the values of their owners.

        Raises:
            SingularError: the matrix of accelerations and multipliers is singular.
        """


class PetscFactors:
    """A factorisation by a PETSc KSP, serial or parallel.

    Args:
        matrix: the matrix that is factorised.
        prefix: options prefix of the KSP.
        definite: whether the matrix is only a mass matrix, which is positive definite and needs no pivoting.
    """

    def __init__(self, matrix: SaddleMatrix, prefix: str, definite: bool = False) -> None:
        self._matrix, assembly = matrix, matrix.assembly
        layout = self._layout = assembly.layout
        self._tangent = TangentMatrix(matrix.pattern, layout.unknowns.numbers, layout.unknowns.owned, assembly.comm)
        self._right = create_unknowns(layout, assembly.comm)
        self._solution = self._right.duplicate()
        ksp = self._ksp = PETSc.KSP().create(comm=self._tangent.mat.getComm())
        ksp.setOptionsPrefix(prefix)
        ksp.setOperators(self._tangent.mat)
        set_direct(ksp, default_package(matrix.pattern, layout.size, "petsc" if definite else "klu"), prefix)
        options.set_from_options(ksp)
        check_package(ksp, self._tangent.mat, prefix)
        self._solved = False

    def factorise(self) -> None:
        """Copy the present values of the matrix. PETSc factorises the matrix at the next solve."""
        self._tangent.values[:-1] = self._matrix.values
        self._tangent.update()

    def reset(self) -> None:
        """Delete the factorisation and the data of its solver, see `Factors.reset`."""
        if self._solved:
            reset_factors(self._ksp)
            self._ksp.setOperators(self._tangent.mat)

    def solve(self, right: FloatArray) -> FloatArray:
        """Return the solution for a right-hand side, see `Factors.solve`."""
        sum_to_owners(self._layout.unknowns.numbers, self._right, right)
        self._solved = True
        try:
            self._ksp.solve(self._right, self._solution)
            options.after_set_up(self._ksp)
            failed = self._ksp.getConvergedReason() < 0 or not np.isfinite(self._solution.norm())
        except PETSc.Error as error:
            unlock(self._right)
            raise_cause(error)
            failed = True
        if failed:
            # if the right-hand side is not finite, the matrix is not the cause of the failure
            if np.isfinite(self._right.norm()):
                self._ksp.getPC().reset()
                raise SingularError(self._matrix.describe_singular())
            self._solution.set(np.nan)
        return local_values(self._layout.unknowns.ghosts, self._solution)


def add_right_side(assembly: Assembly, f: FloatArray, c: FloatArray) -> None:
    """Add f and c of the equations in the docstring of this module to the arrays ``f`` and ``c``, see
    `right_side_steps`.
    """
    assembly.loads.update()
    run_steps(right_side_steps(assembly, f, c))


def right_side_steps(assembly: Assembly, f: FloatArray, c: FloatArray) -> list[Step]:
    """Return the steps of a `Program` that adds f and c of the equations in the docstring of this module to the arrays
    ``f`` and ``c``. These terms are evaluated at the state in the fields with a = 0 and λ = 0. Call `Loads.update`
    before these steps run.

    Args:
        assembly: the systems of this process.
        f: array to which forces [N, N m] are added, shape (n + 1,); initially 0.
        c: array to which the right-hand sides [m/s^2, rad/s^2] of the constraints are added, shape (m + 1,); initially
            0.
    """
    found = [*assembly.loads.steps(f, -1.0), *force_steps(assembly, f)]
    # with a = 0, the inertia forces contain only the terms quadratic in the velocities
    forces, equations = (evaluate(assembly.fields, f=f),), (evaluate(assembly.fields, C=c),)
    found += [(system.inertia.force, forces) for system in assembly.systems if system.inertia is not None]
    return found + [(constraint.acceleration, equations) for constraint in assembly.constraints]


def saddle_right_side(unknowns: Unknowns, f: FloatArray, c: FloatArray) -> FloatArray:
    """Return the right-hand side [-f; c] in the order of the unknowns of this process, with f and c of
    `add_right_side`."""
    right = np.zeros(len(unknowns.numbers))
    right[unknowns.of_dof] = -f[:-1]
    right[unknowns.of_multiplier] = c[:-1]
    return right


def solve_saddle(matrix: SaddleMatrix, factors: Factors, f: FloatArray, c: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return accelerations of the coordinates of this process, shape (n,), and multipliers of this process, shape (m,).

    Args:
        matrix, factors: the matrix and its factorisation.
        f, c: forces and right-hand sides of the constraints, see `add_right_side`.
    """
    layout = matrix.assembly.layout
    solution = factors.solve(saddle_right_side(layout.unknowns, f, c))
    return solution[layout.unknowns.of_dof], matrix.scale * solution[layout.unknowns.of_multiplier]


def _find_slots(assembly: Assembly) -> IntArray:
    """Return, in ascending order, the storage indices (slots) of the entries of the tangent that contain the mass
    matrix, the constraint Jacobians and the diagonal.
    """
    pattern = assembly.pattern
    diagonal = np.arange(len(assembly.layout.unknowns.numbers)).reshape(-1, 1)
    parts = [assembly.mass_rows.slots, pattern.slots(diagonal, diagonal).ravel()]
    slots_of = assembly.sparsity.slots
    parts += [slots_of[c].places.ravel() for c, s in assembly.layout.systems.items() if s.inertia is not None]
    for coupling in assembly.sparsity.couplings.values():
        parts += [coupling.rows.ravel(), coupling.columns.ravel(), coupling.diagonal.ravel()]
    slots: IntArray = np.unique(np.concatenate(parts))
    return slots[slots < pattern.spare]


def _typical_mass(assembly: Assembly) -> float:
    masses = assembly.mass_rows.values
    local = float(np.median(np.abs(masses))) if len(masses) else 1.0
    return float(np.mean(assembly.processes.allgather("masses", local)))
