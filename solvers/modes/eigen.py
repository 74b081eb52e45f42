"""Computation of those eigenvalues of the linear equations of motion that are closest to 0, by SLEPc with shift and
invert. The shift is not 0, because free motions would make the shifted matrix singular if the shift were 0.

    linear       K x = ω² M x
    quadratic    (σ² M + σ D + K) x = 0

K, M and D are the matrices of stiffness, mass and damping, see matrices.py. The linear problem, without damping, is
solved by the Krylov-Schur method, in the inner product of M if K is symmetric. The quadratic problem, with damping and
gyroscopic forces, is solved by TOAR in real arithmetic.

The rows of multipliers in M are 0. Therefore the eigenvalue problem has infinite eigenvalues. Shift and invert maps the
infinite eigenvalues to 0, and maps the requested eigenvalues to large values. For each x, the vector (K - s M)⁻¹ M x
with the shift s fulfils the constraints. For a solution (x, σ) that is not a mode, the following residual is large:

    |A(s)⁻¹ A(σ) x| / |x|    with A(σ) = σ² M + σ D + K, without D if the problem is linear

The norms include only the coordinates. If the problem is linear, A(s) = K - s M. This residual is the relative change
of x in a step of inverse iteration. The residual does not depend on units or on the mesh.

Sources: V. Hernandez, J. E. Roman, V. Vidal, ACM Trans. Math. Softw. 31 (2005) 351-362 (SLEPc); B. Nour-Omid, B. N.
Parlett, T. Ericsson, P. S. Jensen, Math. Comp. 48 (1987) 663-673 (singular M); C. Campos, J. E. Roman, SIAM J. Sci.
Comput. 38 (2016) S385-S411 (TOAR in SLEPc).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import eig, null_space
from scipy.sparse import csr_matrix

from windlass.framework.arrays import ComplexArray, FloatArray, IntArray
from windlass.framework.command_line import options
from windlass.framework.errors import ModelError
from windlass.framework.launch.petsc_functions import raise_cause
from windlass.framework.runtime.petsc import PETSc
from windlass.solvers.equilibrium.singular import random_like
from windlass.solvers.linear.mumps import MEMORY, lacks_memory, reserve_memory
from windlass.solvers.linear.ordering import default_package
from windlass.solvers.linear.packages import check_package, set_direct
from windlass.solvers.modes.matrices import LinearMotion

TOLERANCE = 1e-11
"""Default tolerance of SLEPc, relative to the distance of the eigenvalue from the shift."""
RESIDUAL = 1e-5
"""If the residual [1] of a solution is larger than this value, the solution is treated as an infinite eigenvalue with
rounding errors, and not as a mode. A solution whose residual is at most `Eigenpair.rounding` is always treated as a
mode.
"""
GOOD = 1e-7
"""If the residual [1] of a mode is larger than this value, the solve is repeated with another shift."""
REFINED, REFINEMENTS = 1e-12, 4
"""Tolerance [1] and largest number of iterations of the refinement of the modes of quadratic problems."""
SPARE_QUADRATIC = 4
"""Number of additional basis vectors for small models. With fewer vectors, TOAR of SLEPc 3.18 fails if the basis
contains the whole space.
"""
MARGIN = 100.0
"""Ratio [1] of `Eigenpair.rounding` to the estimated rounding error of a residual."""
LARGEST = 0.1
"""Largest value [1] of `Eigenpair.rounding`, and therefore the largest residual of a mode."""
FIRST_SHIFT = 1e-10
"""Shift [1] of the first solve, divided by a typical ratio K_ii/M_ii. For quadratic problems, the square of the shift
is divided by this ratio.
"""
NO_STIFFNESS = float(np.finfo(float).eps) ** 2
"""Sum [1] of |K_ii| over coordinates, relative to |K|. Up to this value, the model is treated as a model without
stiffness.
"""
NEAR = 1e-5
"""Ratio [1] of the first shift to a second shift, which follows from the lowest eigenvalue other than 0. If the ratio
is smaller than this value, the solve is repeated with the second shift.
"""
ATTEMPTS = ((1.0, 1.0), (1.0, 1.5), (0.7, 1.0), (1.4, 1.5))
"""Factors [1] of the shift and of the dimension of the search space in successive attempts."""
LARGEST_DENSE = 600
"""Largest number of unknowns of a model that may be solved with dense matrices. Such a solve takes 0.5 s without
damping, and 3 s with damping."""
DENSE_INFINITE = 1e-12
"""Ratio of the shift to the distance between an eigenvalue and the shift. If the ratio is smaller than this value, the
eigenvalue is treated as infinite.
"""
REPEATED = 1e-10
"""Singular value [1] of the constraint Jacobian, whose rows are scaled to norm 1. Below this value, constraints are
treated as redundant. In the computation of null spaces, the value is relative to the largest singular value.
"""
SMALL_PART = 1e-3
"""Norm of the real or imaginary part of a vector with norm 1. Up to this value, the part is treated as a rounding
error.
"""
ROUNDING = 1e3 * np.finfo(float).eps
"""Value [1] of |σ|², relative to |x|ᵀ |K| |x| / xᵀ M x. Up to this value, the eigenvalue σ of the vector x is treated
as 0.
"""


@dataclass
class Eigenpair:
    """A mode with its eigenvalue σ [1/s], its vector, and its residual [1]. The vector over the unknowns is stored as
    two PETSc vectors, the real part and the imaginary part.

    ``rounding`` is the residual [1] that the rounding error of K x can cause. This residual is computed only if the
    residual of the mode exceeds `RESIDUAL`. Otherwise ``rounding`` is 0.
    """

    value: complex
    real: Any
    imaginary: Any
    residual: float = np.inf
    rounding: float = 0.0


class Eigensolver:
    """Wrapper of SLEPc's linear (EPS) or quadratic (PEP) eigensolver for the linear equations of motion.

    Args:
        motion: the matrices of the linear equations of motion.
        prefix: options prefix.
        quadratic: True for PEP, False for EPS.

    Attributes:
        rejected: number of solutions in the last solve that were rejected because they are not modes.
        shift: shift of the last solve, in 1/s^2, or in 1/s for quadratic problems.
        zeros: two values: the number of eigenvalues that are 0 up to rounding errors, and the largest |σ| [1/s] that
            rounding errors can cause for such an eigenvalue.
        is_chosen: whether options select modes by a target, a shift or an interval, instead of the slowest modes.
        is_projected: whether the modes are computed by projection onto the motions that the constraints allow. This
            method is used for small models with redundant constraints.
    """

    def __init__(self, motion: LinearMotion, prefix: str, quadratic: bool) -> None:
        self._motion, self._prefix, self._quadratic = motion, prefix, quadratic
        self.rejected, self.is_chosen, self.zeros = 0, False, (0, 0.0)
        self.is_projected = self._motion.K.getSize()[0] <= LARGEST_DENSE and self._repeats()
        typical = self._typical()
        self._scale = 1.0
        self.shift = FIRST_SHIFT**0.5 * typical**0.5 if quadratic else -FIRST_SHIFT * typical

    def _typical(self) -> float:
        """Return a typical ratio K_ii / M_ii [1/s^2]."""
        motion = self._motion
        own = motion.sparsity.unknowns.of_dof[: len(motion.assembly.layout.owned)]
        sums = [np.abs(matrix.getDiagonal().array_r[own]).sum() for matrix in (motion.K, motion.M)]
        stiffness, mass = motion.assembly.processes.sum(np.array(sums)).tolist()
        if mass == 0.0:
            raise ModelError("modes: no part of this model has a mass [kg]")
        # a stiffness below rounding errors is treated as 0: the model has mass but no stiffness
        return float(stiffness / mass) if stiffness > NO_STIFFNESS * motion.K.norm() else 1.0

    def find(self, count: int, more: int) -> list[Eigenpair]:
        """Return the modes with the eigenvalues closest to 0, or the modes that options select. The modes are in
        ascending order of |σ|. Of each conjugate pair, only one mode is returned. If ``is_projected``, return all
        modes.

        Args:
            count: number of requested modes. If options select the modes, at most ``count`` modes are returned.
                Otherwise all modes that the solver finds are returned.
            more: number of modes that the solver has to find in addition to ``count``.
        """
        if self.is_projected:
            return self._solve_projected()
        pairs = self._solve(count, more)
        sizes = [abs(pair.value) for pair in pairs if pair.value != 0.0]
        lowest = min(sizes, default=0.0)
        wanted = 0.5 * lowest if self._quadratic else -0.5 * lowest * float(np.median(sizes or [0.0]))
        exact = all(pair.residual <= GOOD for pair in pairs)
        if lowest > 0.0 and not self.is_chosen and not (exact and abs(self.shift) >= NEAR * abs(wanted)):
            # The solve is repeated with another shift and scale. If the shift is close to the eigenvalues of free
            # motions, the other modes are inaccurate. In addition, SLEPc's method TOAR is sensitive to scaling.
            first, before, zeros = pairs, self.shift, self.zeros
            self.shift, self._scale = wanted, lowest
            pairs = self._solve(count, more)
            if len(self._leave_out(pairs)) < len(self._leave_out(first)):
                # use the result with the first shift, because the solve with the second shift found fewer modes
                pairs, self.shift, self.zeros = first, before, zeros
        good = self._leave_out(pairs)
        if self._quadratic and not self.is_chosen and len(good) < min(count, len(pairs), self._motion.available):
            # The entries of K, D and M differ so much in size that SLEPc's vectors are inaccurate, for example for a
            # floater on mooring lines. Therefore the solve is repeated, and each vector is refined by Newton's method.
            kept = self.shift, self.zeros
            try:
                refined = self._solve(count, more, refines=True)
            except ModelError:
                refined = []
            if len(self._leave_out(refined)) > len(good):
                pairs, good = refined, self._leave_out(refined)
            else:
                self.shift, self.zeros = kept
        self.rejected = len(pairs) - len(good)
        return good

    @staticmethod
    def _leave_out(pairs: list[Eigenpair]) -> list[Eigenpair]:
        """Return the solutions whose residuals are small enough for modes."""
        return [pair for pair in pairs if pair.residual <= max(RESIDUAL, pair.rounding)]

    def _solve(self, count: int, more: int, refines: bool = False) -> list[Eigenpair]:
        solver, pairs = self._run(count + more, refines)
        found = pairs[: count if self.is_chosen else None]
        for pair in found:
            pair.residual = self._eval_residual(solver, pair)
            if pair.residual > RESIDUAL:
                pair.rounding = self._eval_rounding(solver, pair)
        solver.destroy()
        # among modes whose |σ| agree up to rounding errors, growing modes come first
        return sorted(self._settle_zeros(found), key=lambda pair: (float(f"{abs(pair.value):.6e}"), -pair.value.real))

    def _run(self, count: int, refines: bool = False) -> tuple[Any, list[Eigenpair]]:
        """Set up and run a solver. Return the solver and its eigenpairs.

        SLEPc reorders the Schur form of its projected problem (LAPACK ``trexc``). This reordering may fail for
        eigenvalues that agree up to rounding errors. Whether the reordering fails depends on rounding errors, and
        therefore on the type of processor. Therefore further attempts use another start vector, a larger search space
        and another shift. The projected problem then differs between the attempts. The last attempt for small models is
        a dense solve.
        """
        target, reason = self.shift, ""
        for factor, larger in ATTEMPTS:
            solver = self._set_up(count, factor * target, larger, refines)
            self.shift = float(solver.getST().getShift())
            try:
                solver.solve()
            except PETSc.Error as error:
                raise_cause(error)
                reason = last_line(error)
                continue
            options.after_set_up(solver)
            return solver, self._keep_one_of_each(self._read_pair(solver, i) for i in range(solver.getConverged()))
        if self._can_be_dense(solver):
            return solver, self._keep_one_of_each(self._solve_densely(count))
        raise ModelError(
            f"modes: the eigensolver fails with {len(ATTEMPTS)} start vectors, spaces and shifts ({reason}): choose "
            f"another -{self._prefix}count or another shift -{self._prefix}st_shift"
        )

    def _set_up(self, count: int, target: float, larger: float, refines: bool) -> Any:
        """Create and set up the eigensolver, see `_create`. If MUMPS lacks memory, it reserves more.

        Raises:
            ModelError: the matrix of the eigensolver cannot be factorised.
        """
        for memory in (0, *MEMORY):
            solver = self._create(count, target, larger, refines)
            try:
                with reserve_memory(self._prefix + "st_", memory):
                    solver.setUp()
            except PETSc.Error as error:
                raise_cause(error)
                if memory < MEMORY[-1] and lacks_memory(solver.getST().getKSP().getPC()):
                    continue
                raise ModelError(
                    f"modes: SLEPc fails ({last_line(error)}); constraints must not contradict or repeat each "
                    f"other, and -{self._prefix}st_shift must not be an eigenvalue"
                ) from error
            break
        return solver

    def _create(self, count: int, target: float, larger: float, refines: bool) -> Any:
        """Create the eigensolver with default settings, which options can override.

        Args:
            count: number of requested modes.
            target: the default shift, in 1/s^2, or in 1/s for quadratic problems.
            larger: factor [1] of the dimension of the search space. Values other than 1 also select another start
                vector.
            refines: whether SLEPc refines each mode of a quadratic problem by Newton's method.
        """
        motion = self._motion
        available = self._motion.available
        solver, wanted = create_solver(motion.K.getComm(), self._prefix, self._quadratic), count
        if self._quadratic:
            available, wanted = 2 * available + motion.states, 2 * count + 2
            solver.setOperators([motion.K, motion.D, motion.M])
            pep = type(solver)
            solver.setScale(pep.Scale.SCALAR, alpha=self._scale)
            if refines:
                solver.setRefine(pep.Refine.SIMPLE, 1, REFINED, REFINEMENTS, pep.RefineScheme.EXPLICIT)
        else:
            solver.setOperators(motion.K, motion.M)
            kinds = type(solver).ProblemType
            solver.setProblemType(kinds.GHEP if motion.symmetric else kinds.GNHEP)
        solver.setTarget(target)
        wanted = min(wanted, available)
        vectors = max(2 * wanted, wanted + 15)
        if larger != 1.0:
            vectors = int(larger * vectors)
            solver.setInitialSpace([random_like(motion.create_vector())])
        solver.setDimensions(wanted, min(vectors, available + (SPARE_QUADRATIC if self._quadratic else 1)))
        ksp = solver.getST().getKSP()
        prefix = self._prefix + "st_"
        set_direct(ksp, default_package(motion.sparsity.pattern, motion.assembly.layout.size, "klu"), prefix)
        options.set_from_options(solver)
        here = solver.getST().getShift(), solver.getTarget(), solver.getWhichEigenpairs()
        # SLEPc copies the target to the shift at the start of a solve
        self.is_chosen = here[0] not in (0.0, target) or here[1:] != (target, type(solver).Which.TARGET_MAGNITUDE)
        check_package(ksp, motion.K, prefix)
        return solver

    def _can_be_dense(self, solver: Any) -> bool:
        """Return whether the model is small enough for a dense solve and the modes closest to the shift are
        requested.
        """
        return self._motion.K.getSize()[0] <= LARGEST_DENSE and not self.is_chosen and has_inverse(solver)

    def _solve_densely(self, count: int) -> Iterator[Eigenpair]:
        """Compute the modes closest to the shift s by the QR algorithm (LAPACK ``geev``), without a reordering of the
        Schur form.

        Let τ = λ - s and θ = s/τ. The linear problem K x = λ M x becomes s (K - s M)⁻¹ M x = θ x. The quadratic problem
        (λ² M + λ D + K) x = 0 becomes

            θ² x + Q⁻¹ (s (2 s M + D) θ x + s² M x) = 0,   Q = s² M + s D + K

        This quadratic problem for θ is solved as a linear problem with a companion matrix for (θ x, x). Infinite
        eigenvalues correspond to θ = 0.
        """
        motion, s = self._motion, self.shift
        K, D, M = (self._gather(matrix) for matrix in (motion.K, motion.D, motion.M))
        if self._quadratic:
            inverse_of = np.linalg.solve(s**2 * M + s * D + K, np.hstack((s * (2.0 * s * M + D), s**2 * M)))
            theta, vectors = np.linalg.eig(np.vstack((-inverse_of, np.eye(len(K), 2 * len(K)))))
            # A vector consists of the parts θ x and x. If |θ| > 1, the part θ x has smaller relative rounding errors.
            vectors = np.where(np.abs(theta) > 1.0, vectors[: len(K)], vectors[len(K) :])
        else:
            theta, vectors = np.linalg.eig(np.linalg.solve(K - s * M, s * M))
        finite = np.flatnonzero(np.abs(theta) > DENSE_INFINITE)
        nearest = finite[np.argsort(-np.abs(theta[finite]), kind="stable")]
        for k in nearest[: 2 * count + 2 if self._quadratic else count]:
            yield self._create_pair(s + s / complex(theta[k]), vectors[:, k])

    def _split(self) -> tuple[IntArray, IntArray]:
        """Return the indices, among all unknowns, of the coordinates and of the multipliers of active constraints."""
        motion = self._motion
        mine = np.zeros(len(motion.K.getDiagonal().array_r))
        mine[motion.owned_multipliers] = np.where(motion.active, 2.0, 1.0)
        kinds = np.concatenate(motion.assembly.processes.allgather("kinds of unknowns", mine))
        return np.flatnonzero(kinds == 0.0), np.flatnonzero(kinds == 2.0)

    def _repeats(self) -> bool:
        """Return whether the model has redundant constraints, which make the matrices singular for every shift."""
        free, held = self._split()
        rows = normalise(self._gather(self._motion.K)[np.ix_(held, free)])
        return len(held) > 0 and int(np.linalg.matrix_rank(rows, tol=REPEATED)) < len(held)

    def _solve_projected(self) -> list[Eigenpair]:
        """Compute all modes of a small model with redundant constraints, by projection onto the motions that the
        constraints allow.

        The constraints are C x = 0, and their forces are B λ. The multipliers λ, which are not unique, are computed by
        least squares. With matrices Y and Z that fulfil C Z = 0 and Yᵀ B = 0, and with x = Z y, LAPACK solves the
        problem

            Yᵀ (σ² M + σ D + K) Z y = 0
        """
        free, held = self._split()
        K, D, M = (self._gather(matrix) for matrix in (self._motion.K, self._motion.D, self._motion.M))
        B = K[np.ix_(free, held)]
        Z = null_space(normalise(K[np.ix_(held, free)]), rcond=REPEATED)
        Y = null_space(normalise(B.T), rcond=REPEATED)
        k, d, m = (Y.T @ matrix[np.ix_(free, free)] @ Z for matrix in (K, D, M))
        n = k.shape[1]
        if self._quadratic:
            one, none = np.eye(n), np.zeros((n, n))
            values, vectors = eig(np.block([[none, one], [-k, -d]]), np.block([[one, none], [none, m]]))
        else:
            values, vectors = eig(k, m)
        pairs = []
        for value, y in zip(values, vectors[:n].T, strict=True):
            if not np.isfinite(value):
                continue
            x = np.zeros(len(K), complex)
            x[free] = Z @ y
            parts = [K[free] @ x, value * (M[free] @ x)]
            if self._quadratic:
                parts[1:] = [value * (D[free] @ x), value**2 * (M[free] @ x)]
            left = sum(parts) if self._quadratic else parts[0] - parts[1]
            x[held] = -np.linalg.lstsq(B, left, rcond=None)[0]
            terms = sum(float(np.linalg.norm(part)) for part in parts)
            rest = float(np.linalg.norm(left + B @ x[held]))
            pair = self._create_pair(complex(value), x)
            pair.residual = rest / terms if terms > 0.0 else 0.0
            pairs.append(pair)
        good = self._leave_out(self._keep_one_of_each(pairs))
        return sorted(good, key=lambda pair: (float(f"{abs(pair.value):.6e}"), -pair.value.real))

    def _gather(self, matrix: Any) -> FloatArray:
        """Return the distributed matrix as a dense matrix on every process, shape (n, n)."""
        starts, columns, values = matrix.getValuesCSR()
        rows = csr_matrix((values, columns, starts), shape=(len(starts) - 1, matrix.getSize()[1])).toarray()
        return np.vstack(self._motion.assembly.processes.allgather("matrices of modes", rows))

    def _create_pair(self, value: complex, vector: ComplexArray) -> Eigenpair:
        """Create a mode from a solution of a dense problem."""
        real, imaginary = self._motion.create_vector(), self._motion.create_vector()
        begin, end = real.getOwnershipRange()
        real.setArray(vector.real[begin:end])
        imaginary.setArray(vector.imag[begin:end])
        return self._create_mode(value, real, imaginary)

    def _read_pair(self, solver: Any, i: int) -> Eigenpair:
        """Return SLEPc's eigenpair with index i as a mode."""
        real, imaginary = self._motion.create_vector(), self._motion.create_vector()
        value = complex(solver.getEigenpair(i, real, imaginary))
        return self._create_mode(value, real, imaginary)

    def _create_mode(self, value: complex, real: Any, imaginary: Any) -> Eigenpair:
        """Create a mode from an eigenvalue and an eigenvector of the linear or quadratic problem. The vectors are
        scaled to norm 1.
        """
        if not self._quadratic:
            # ω² = -σ²; a pair of complex conjugate values ω² belongs to a growing mode and a decaying mode, which both
            # oscillate
            value = np.sqrt(complex(-value.real, -value.imag))
            value = complex(value if value.imag >= 0.0 else -value)
        size = float(np.hypot(real.norm(), imaginary.norm()))
        for vector in (real, imaginary):
            vector.scale(1.0 / size)
        return Eigenpair(value, real, imaginary)

    def _keep_one_of_each(self, pairs: Iterable[Eigenpair]) -> list[Eigenpair]:
        """Return the modes without infinite eigenvalues. Of each conjugate pair, only one mode is returned."""
        return [pair for pair in pairs if pair.value.imag >= 0.0 and np.isfinite(pair.value)]

    def _eval_residual(self, solver: Any, pair: Eigenpair) -> float:
        """Return the residual of an eigenpair, which is defined in the docstring of this module. If the solver does not
        use shift and invert, return |A(σ) x| divided by the sum of the norms of its terms.
        """
        motion, value = self._motion, pair.value
        inverse = has_inverse(solver)
        left, terms = [], 0.0
        factors = [(motion.K, complex(1.0)), (motion.M, value * value)]
        if motion.damped and self._quadratic:
            factors.append((motion.D, value))
        moving = pair.imaginary.norm() > 0.0
        for part in (0, 1):
            total = pair.real.duplicate()
            total.set(0.0)
            for matrix, factor in factors:
                # real part and imaginary part of the product of a complex factor and a complex vector
                both = (factor.real, -factor.imag) if part == 0 else (factor.imag, factor.real)
                for c, vector in zip(both, (pair.real, pair.imaginary), strict=True):
                    if c != 0.0 and (moving or vector is pair.real):
                        product = vector.duplicate()
                        matrix.mult(vector, product)
                        total.axpy(c, product)
                        terms += abs(c) * product.norm()
            if inverse:
                solved = total.duplicate()
                solver.getST().getKSP().solve(total, solved)
                total = solved
            left.append(total)
        size = self._norm([pair.real, pair.imaginary]) if inverse else terms
        found = self._norm(left) if inverse else float(np.hypot(left[0].norm(), left[1].norm()))
        return found / size if size > 0.0 else np.inf

    def _eval_rounding(self, solver: Any, pair: Eigenpair) -> float:
        """Return `MARGIN` times the residual that rounding errors of K x with random signs would cause. The result is
        at most `LARGEST`, and 0 if the solver does not use shift and invert.
        """
        if not has_inverse(solver):
            return 0.0
        error = self._motion.multiply_absolute(pair.real)
        error.pointwiseMult(error, random_like(error))
        solved = error.duplicate()
        solver.getST().getKSP().solve(error, solved)
        found = MARGIN * float(np.finfo(float).eps) * self._norm([solved]) / self._norm([pair.real])
        return min(found, LARGEST)

    def _norm(self, vectors: list[Any]) -> float:
        """Return the 2-norm of all values of the given vectors at the coordinates of all processes."""
        motion = self._motion
        own = motion.sparsity.unknowns.of_dof[: len(motion.assembly.layout.owned)]
        squares = np.array([sum(float(np.sum(vector.array_r[own] ** 2)) for vector in vectors)])
        return float(np.sqrt(motion.assembly.processes.sum(squares)[0]))

    def _settle_zeros(self, pairs: list[Eigenpair]) -> list[Eigenpair]:
        """Set eigenvalues that are 0 up to rounding errors to 0, and return all solutions that are kept. If several
        solutions have the eigenvalue 0 and linearly dependent vectors, only one of these solutions is kept. Otherwise
        one eigenvalue would be counted several times.
        """
        # infinite eigenvalues, which rounding errors have made finite, are excluded from the reference value
        largest = max((abs(pair.value) ** 2 for pair in pairs if pair.residual <= RESIDUAL), default=0.0)
        zeros, others, basis = list[Eigenpair](), list[Eigenpair](), list[FloatArray]()
        for pair in sorted(pairs, key=lambda pair: abs(pair.value)):
            (zeros if abs(pair.value) ** 2 <= self._eval_noise(pair, largest) else others).append(pair)
        processes, motion = self._motion.assembly.processes, self._motion
        own = motion.sparsity.unknowns.of_dof[: len(motion.assembly.layout.owned)]
        noise = max((self._eval_noise(pair, largest) for pair in zeros), default=0.0)
        for pair in zeros:
            # Rounding errors change a double eigenvalue 0 to a complex pair. The real part and the imaginary part of
            # the vector of this pair are then the two eigenvectors.
            for part in sorted((pair.real, pair.imaginary), key=lambda part: -part.norm()):
                x = np.array(part.array_r[own])
                size = float(processes.sum(np.array([x @ x]))[0]) ** 0.5
                for _ in range(2):
                    for other in basis:
                        x -= float(processes.sum(np.array([x @ other]))[0]) * other
                left = float(processes.sum(np.array([x @ x]))[0]) ** 0.5
                if left > 1e-3 * size and part.norm() > SMALL_PART:
                    basis.append(x / left)
                    part.copy(pair.real)
                    pair.imaginary.set(0.0)
                    pair.value = 0j
                    others.append(pair)
                    break
        self.zeros = len(basis), noise**0.5
        return others

    def _eval_noise(self, pair: Eigenpair, largest: float) -> float:
        """Return the value of |σ|² [1/s^2] up to which an eigenvalue is treated as 0."""
        forces, mass = 0.0, 0.0
        product = pair.real.duplicate()
        for vector in (pair.real, pair.imaginary):
            sizes = vector.copy()
            sizes.abs()
            forces += float(self._motion.multiply_absolute(vector).dot(sizes))
            self._motion.M.mult(vector, product)
            mass += float(vector.dot(product))
            if self._motion.states and pair.value != 0.0:
                # first-order states have no mass and contribute to the norm through D
                self._motion.D.mult(vector, product)
                mass += abs(float(vector.dot(product))) / abs(pair.value)
        shift = self.shift**2 if self._quadratic else abs(self.shift)
        rounding = float(ROUNDING * forces / mass) if mass > 0.0 else 0.0
        return float(max(rounding, 10.0 * TOLERANCE * shift, 1e-13 * largest))


def normalise(rows: FloatArray) -> FloatArray:
    """Return a matrix whose rows are scaled to norm 1. Rows that contain only zeros are not changed."""
    sizes = np.linalg.norm(rows, axis=1, keepdims=True)
    found: FloatArray = rows / np.where(sizes > 0.0, sizes, 1.0)
    return found


def last_line(error: Exception) -> str:
    """Return the last line of the trace of a PETSc error. This line names the cause."""
    return str(error).splitlines()[-1]


def has_inverse(solver: Any) -> bool:
    """Return whether a solver uses shift and invert, without spectrum slicing."""
    transformation = solver.getST()
    return transformation.getType() == "sinvert" and bool(transformation.getKSP().getOperators()[0].getType())


def create_solver(comm: Any, prefix: str, quadratic: bool) -> Any:
    """Create an EPS solver, or a PEP solver if ``quadratic`` is true, with shift and invert, the tolerance `TOLERANCE`
    and at
    most 200 iterations."""
    from slepc4py import SLEPc  # imported here, because only modal analyses need SLEPc

    solver = (SLEPc.PEP if quadratic else SLEPc.EPS)().create(comm=comm)
    solver.setOptionsPrefix(prefix)
    solver.setWhichEigenpairs(type(solver).Which.TARGET_MAGNITUDE)
    solver.setTolerances(TOLERANCE, 200)
    transformation = solver.getST()
    transformation.setType(SLEPc.ST.Type.SINVERT)
    transformation.setMatStructure(PETSc.Mat.Structure.SAME_NONZERO_PATTERN)
    return solver
