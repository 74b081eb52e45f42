"""Stability of a static equilibrium, and direction of instability. The stability and the direction follow from the
inertia (the signs of the eigenvalues) of the tangent.

An equilibrium is stable if it is a minimum of the potential, that is, if δqᵀ K δq > 0 for all δq ≠ 0 with C_q δq = 0.
The matrix of Newton's method with its m active constraints, [[K, C_qᵀ], [C_q, 0]], then has exactly m negative
eigenvalues. Each additional negative eigenvalue corresponds to a direction in which the potential decreases. The number
of negative eigenvalues follows from an LDLᵀ factorisation (Sylvester).

With two shifts, rounding errors cannot change the number of negative eigenvalues. Each active constraint has -δ on its
diagonal and therefore adds exactly one negative eigenvalue, even if the constraint is redundant. In addition, ε D_i
with D_i = Σ_j |K_ij| is added to the diagonal entry of each coordinate i. The eigenvalues of modes without stiffness
then become positive. With this shift, only modes K v = μ D v with μ < -ε are counted.

If K is not symmetric (friction, follower loads, user functions), the symmetric part of K is checked first. If the
symmetric part is positive definite, the problem K v = μ B v has no negative real eigenvalue μ for any positive definite
matrix B. If the symmetric part is not positive definite, for example with sliding contacts, the sign of the determinant
and the eigenvalues of K closest to 0 are checked. Flutter, which depends on masses, is not checked.

Source: N. I. M. Gould, Mathematical Programming 32 (1985) 90-99 (inertia of KKT matrices); R. Hill, J. Mech. Phys.
Solids 6 (1958) 236-249 (symmetric part); R. B. Lehoucq, D. C. Sorensen, C. Yang, ARPACK Users' Guide (1998).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.vectors import local_values, sum_to_owners
from windlass.framework.errors import ModelError
from windlass.framework.launch.petsc_functions import has_package, raise_cause
from windlass.framework.runtime.petsc import PETSc
from windlass.solvers.equilibrium.singular import EXACT, create_pivoting, find_error, random_like, try_factors
from windlass.solvers.linear.mumps import MEMORY, factorise_symmetric
from windlass.solvers.linear.ordering import default_package
from windlass.solvers.linear.pivots import count_negative, eval_asymmetry
from windlass.solvers.newton.problem import NonlinearProblem
from windlass.solvers.newton.rounding import multiply_absolute

SHIFT = 1e-12
"""Shift ε. Modes with |μ| < ε are treated as modes without stiffness. Rounding errors of μ are about 1e-15."""
CONSTRAINT_SHIFT = 1e-10
"""Ratio [1] of the shift δ to s²/D_max. Here s is the sum of the absolute values in the row of C_q, and D_max is the
largest D_i.
"""
SYMMETRIC = 1e-10
"""If the asymmetry [1] of K is below this value, K is treated as symmetric."""
NEAREST = 4
"""Number of computed eigenvalues of an unsymmetric tangent. The eigenvalues closest to 0 are computed."""
ITERATIONS = 60
"""Largest number of inverse iterations for the lowest mode. Iterations end when the relative change of μ is below 1e-3.
"""
SAME_INERTIA = 1e-6
"""Relative error [1] of a solution for a random right-hand side. Up to this value, the factors are assumed to have the
same inertia as the matrix. For 10⁶ unknowns, the component of a random unit vector along an eigenvector is about 1e-3.
"""


class InertiaError(ModelError):
    """Exception that is raised if the tangent cannot be factorised, because no part of the model has stiffness at the
    equilibrium.
    """


def is_surely_stable(problem: NonlinearProblem) -> bool:
    """Return whether the LU factors of the tangent of Newton's method prove that all modes are stable. The result False
    does not imply that a mode is unstable.

    Without pivoting the LU factors of a symmetric matrix are its LDLᵀ factors. Therefore no mode has negative stiffness
    if all of the following three conditions are met. The number of negative pivots is at most the number of
    constraints. The matrix is far from singular, so no constraint is redundant, and rounding errors do not change the
    sign of a pivot. Up to rounding errors, the product of the computed factors is the tangent A itself. If blocks are
    ill-conditioned, the computed factors are the factors of a matrix A + E with a larger error matrix E. If E (A + E)⁻¹
    is small, no matrix A + τE with 0 <= τ <= 1 is singular. The factors of A + E then also have the inertia of A. The
    matrix E (A + E)⁻¹ also determines the error after one refinement. This matrix is small if the refined solution for
    a random right-hand side is exact. This check takes a tenth of the time of `TangentInertia`.

    The factors of the last iteration of Newton's method are tried first. The difference between the tangents of this
    iteration and of the solution is then a part of E. If these factors prove nothing, A is factorised.
    """
    pc = problem.snes.getKSP().getPC()
    own = any(name.startswith((problem.prefix + "pc_", problem.prefix + "ksp_")) for name in PETSc.Options().getAll())
    if own or pc.getType() != PETSc.PC.Type.LU or pc.getFactorSolverType() != "petsc":
        return False
    diagonal = np.empty(problem.pattern.rows)
    if eval_asymmetry(problem.pattern, problem.matrix.values, diagonal) > SYMMETRIC:
        return False
    constraints = int((diagonal[problem.sparsity.unknowns.of_multiplier] == 0.0).sum())
    for old in (True, False):
        pc.setReusePreconditioner(old)
        try:
            probe = try_factors(problem)
        finally:
            pc.setReusePreconditioner(False)
        # old factors need not be exact, but errors of the solution must be small
        same = probe.left <= SAME_INERTIA if old or problem.pattern.block > 1 else True
        if probe.held and same and (old or probe.exact) and count_negative(pc) == constraints:
            return True
    return False


class TangentInertia:
    """Inertia and lowest mode of the tangent of a problem. All calls are collective.

    Args:
        problem: the equations. `NonlinearProblem.update_tangent` must have been called for the solution.
        like: `TangentInertia` of the complete tangent, if the tangent of the problem is only a part of the complete
            tangent, for example the part without contacts. The matrix D of the complete tangent is then used, so that
            rows of the part that are nearly 0 do not count as modes.

    Attributes:
        asymmetry: norm |D^-½ (K - Kᵀ) D^-½| [1].
    """

    _weights: Any

    def __init__(self, problem: NonlinearProblem, like: TangentInertia | None = None) -> None:
        self._problem, tangent = problem, problem.matrix.mat
        if problem.pattern.block > 1:
            # only the factorisation of a matrix that is stored by rows gives the inertia, so a matrix of blocks is
            # converted
            tangent = tangent.convert("aij", PETSc.Mat())
        self._tangent, self._symmetric = tangent, tangent.duplicate(copy=True)
        self._symmetric.transpose()
        difference = self._symmetric.duplicate(copy=True)
        # the pattern is symmetric, because each block has the same row and column indices
        same = PETSc.Mat.Structure.SAME_NONZERO_PATTERN
        difference.axpy(-1.0, tangent, structure=same)
        self._symmetric.axpy(1.0, tangent, structure=same)
        self._symmetric.scale(0.5)
        self._find_weights()
        if like is not None:
            self._weights = like._weights
        scale = self._weights.duplicate()
        weights = self._weights.array_r
        scale.setArray(np.where(weights > 0.0, weights, 1.0) ** -0.5)
        difference.diagonalScale(scale, scale)
        self.asymmetry = float(difference.norm())

    def _find_weights(self) -> None:
        """Store two diagonals for the shifts. The first is D for coordinates and 0 for multipliers. The second is the
        shift δ for active constraints and 0 for all other unknowns.
        """
        problem, unknowns = self._problem, self._problem.sparsity.unknowns
        only = np.ones(problem.pattern.rows)
        only[unknowns.of_multiplier] = 0.0
        sizes = problem.residual_vector.duplicate()
        self._sizes = multiply_absolute(problem, np.ones(problem.pattern.rows))
        self._banded = default_package(problem.pattern, problem.assembly.layout.size, "petsc") == "petsc"
        terms = problem.pattern.multiply(problem.matrix.values, only, absolute=True)
        sum_to_owners(problem.sparsity.numbers, sizes, terms)
        weights, below = sizes.duplicate(), sizes.duplicate()
        values, diagonal = np.array(sizes.array_r), self._tangent.getDiagonal().array_r
        coupling = values[unknowns.of_multiplier]
        values[unknowns.of_multiplier] = 0.0
        weights.setArray(values)
        self._largest = float(weights.max()[1]) or 1.0
        weights.setArray(np.where(values > 0.0, np.maximum(values, 1e-14 * self._largest), 0.0))
        # an inactive constraint has the equation lam = 0, with 1 on the diagonal
        active = diagonal[unknowns.of_multiplier] == 0.0
        values = np.zeros(len(values))
        values[unknowns.of_multiplier] = np.where(active, coupling**2, 0.0)
        below.setArray(values)
        below.scale(CONSTRAINT_SHIFT / self._largest)
        self._weights, self._below = weights, below
        self.constraints: int = sum(problem.assembly.processes.allgather("constraints", int(active.sum())))

    def count_negative(self, shift: float = SHIFT) -> int:
        """Return the number of modes K v = μ D v with μ < -``shift`` that fulfil the constraints."""
        self._matrix, self._factors, negative = self._factorise(shift)
        return negative - self.constraints

    def _factorise(self, shift: float) -> tuple[Any, Any, int]:
        """Return the shifted matrix, its factors and the number of its negative eigenvalues."""
        matrix = self._symmetric.duplicate(copy=True)
        diagonal = shift * self._weights
        diagonal.axpy(-1.0, self._below)
        matrix.setDiagonal(diagonal, PETSc.InsertMode.ADD_VALUES)
        if self._banded:
            pc = self._create_banded(matrix)
            if self._is_exact(matrix, pc):
                return matrix, pc, int(pc.getFactorMatrix().getInertia()[0])
        if not has_package("mumps", "cholesky", matrix):
            raise ModelError(
                "the inertia of this static tangent needs PETSc with MUMPS; use stability='off' without MUMPS"
            )
        pc, negative, error = factorise_symmetric(matrix)
        if error < 0:
            raise InertiaError(f"the inertia of the static tangent cannot be found: MUMPS reports {error}")
        return matrix, pc, negative

    @staticmethod
    def _create_banded(matrix: Any) -> Any:
        pc = PETSc.PC().create(comm=matrix.getComm())
        pc.setOperators(matrix)
        pc.setType(PETSc.PC.Type.CHOLESKY)
        pc.setFactorSolverType(PETSc.Mat.SolverType.PETSC)
        pc.setFactorOrdering(PETSc.Mat.OrderingType.NATURAL)
        pc.setFactorPivot(zeropivot=1e-300)
        return pc

    def _is_exact(self, matrix: Any, pc: Any) -> bool:
        """Return whether the factors are accurate enough to count negative eigenvalues."""
        right = random_like(self._problem.residual_vector)
        solution = right.duplicate()
        try:
            pc.apply(right, solution)
        except PETSc.Error as error:
            raise_cause(error)
            # a pivot was 0, so the result is not finite
            return False
        if not np.isfinite(solution.norm()):
            return False
        terms = self._sizes.array_r * np.abs(solution.array_r).max(initial=0.0)
        left, sizes = find_error(matrix, solution, right).array_r, terms + np.abs(right.array_r)
        # the comparison is false for NaN
        return bool((np.abs(left) <= EXACT * sizes).all())

    def find_lowest(self) -> tuple[float, float, FloatArray]:
        """Return the eigenvalue μ [1], the stiffness vᵀ K v and the vector v of the lowest mode, which fulfils K v = μ
        D v. The vector v contains the coordinates of this process in their order, shape (n,), and its largest component
        is 1.
        """
        vector, mu, stiffness = self._iterate()
        unknowns = self._problem.sparsity.unknowns
        mode = local_values(unknowns.ghosts, vector)[unknowns.of_dof]
        return mu, stiffness, mode

    def _iterate(self) -> tuple[Any, float, float]:
        """Find the lowest mode by inverse iteration. Return its vector v, its eigenvalue μ and its stiffness vᵀ K v,
        see `find_lowest`. The shift is the smallest product of `SHIFT` and a power of 10 at which the matrix is
        positive definite.
        """
        shift = SHIFT
        while self.count_negative(shift) > 0:
            shift *= 10.0
        self.shift = shift
        vector = random_like(self._problem.residual_vector)
        left, mu, stiffness = vector.duplicate(), np.inf, 0.0
        for _ in range(ITERATIONS):
            vector.pointwiseMult(vector, self._weights)
            solution = vector.duplicate()
            self._factors.apply(vector, solution)
            self._clear_multipliers(solution)
            solution.scale(1.0 / self._largest_entry(solution))
            vector, before = solution, mu
            self._symmetric.mult(vector, left)
            stiffness = float(vector.dot(left))
            left.pointwiseMult(vector, self._weights)
            mu = stiffness / float(vector.dot(left))
            if abs(mu - before) <= 1e-3 * abs(mu):
                break
        return vector, mu, stiffness

    @staticmethod
    def _largest_entry(vector: Any) -> float:
        """Return the component with the largest absolute value, including its sign."""
        high, low = float(vector.max()[1]), float(vector.min()[1])
        return high if high >= -low else low

    def _clear_multipliers(self, vector: Any) -> None:
        values = np.array(vector.array_r)
        values[self._problem.sparsity.unknowns.of_multiplier] = 0.0
        vector.setArray(values)

    def loses_stability(self) -> bool:
        """Return whether one of two checks shows that an unsymmetric K has an eigenvalue with a negative real part.

        The first check is the sign of the determinant. The sign differs from (-1)^m if an odd number of real
        eigenvalues is negative. The second check computes the eigenvalues closest to 0 by Arnoldi's method for K⁻¹ D.
        An equilibrium loses its stability when an eigenvalue passes through 0.
        """
        problem, right, solution = self._problem, self._weights.duplicate(), self._weights.duplicate()
        matrix = self._tangent.duplicate(copy=True)
        matrix.setDiagonal(SHIFT * self._weights, PETSc.InsertMode.ADD_VALUES)
        ksp = create_pivoting(matrix, "mumps")
        pc = ksp.getPC()
        pc.setFactorSetUpSolverType()
        factors = pc.getFactorMatrix()
        factors.setMumpsIcntl(33, 1)  # compute the determinant as mantissa and exponent
        factors.setMumpsIcntl(14, MEMORY[0])
        ksp.setUp()
        if factors.getMumpsRinfog(12) * (-1.0) ** self.constraints < 0.0:
            return True
        begin, end = right.getOwnershipRange()
        processes = problem.assembly.processes

        def multiply(x: FloatArray) -> FloatArray:
            right.setArray(np.ascontiguousarray(x.ravel()[begin:end]))
            right.pointwiseMult(right, self._weights)
            ksp.solve(right, solution)
            self._clear_multipliers(solution)
            return np.concatenate(processes.allgather("products", np.array(solution.array_r)))

        size = right.getSize()
        if size <= 5 * NEAREST:
            theta = np.linalg.eigvals(np.column_stack([multiply(column) for column in np.eye(size)]))
            return bool((theta.real < -1e-9 * np.abs(theta).max()).any())
        from scipy.sparse import linalg  # imported here, because most models do not need this module

        operator = linalg.LinearOperator((size, size), matvec=multiply, dtype=np.float64)
        start = np.random.default_rng(0).standard_normal(size)
        settings = {"k": NEAREST, "ncv": 5 * NEAREST, "maxiter": 5, "tol": 1e-4, "v0": start}
        try:
            theta = linalg.eigs(operator, which="LM", return_eigenvectors=False, **settings)
        except linalg.ArpackNoConvergence as error:
            theta = error.eigenvalues
        mu = 1.0 / theta[np.abs(theta) > 0.0]
        return bool((mu.real < -SHIFT).any())
