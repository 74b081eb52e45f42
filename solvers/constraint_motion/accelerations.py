"""Accelerations as a function of time, coordinates and velocities, and projection onto the constraints.

    M a + f(q, v, t) + C_qᵀ λ = loads,    C_q a = -(C_q v)_q v - 2 C_qt v - C_tt

M is the mass matrix, and λ are the multipliers of the constraint equations C(t, q) = 0. The forces f on the left-hand
side include the inertia forces that are quadratic in v. The subscripts q and t denote partial derivatives.

History values. Each evaluation computes new history values from the present coordinates and velocities and from the
history values at the start of the step. The forces are then computed from the new history values. The laws of contact
and friction need this procedure (return mapping). Within a step, forces are therefore functions of the time t, the
coordinates q and the velocities v. Therefore ``System.post_newton`` must compute its values only from the state at the
start of the step and from the coordinates and velocities in ``Fields``. The laws receive the time since the start of
the step as the step size.

Mass. If the mass matrix is diagonal and constant, the forces are divided by the diagonal entries. Any other constant
mass matrix is factorised once. If the model has constraints, or if the mass matrix depends on q, the matrix of
`SaddleMatrix` is evaluated in each evaluation of the accelerations. The matrix is factorised again if it has changed
since the last factorisation. If constraints do not couple the bodies, the matrix consists of small independent blocks,
and each block is factorised as a dense matrix (`BlockFactors`). Otherwise PETSc factorises the matrix. If an option of
a PETSc linear solver (``-<prefix>ksp_...`` or ``-<prefix>pc_...``) is given, PETSc factorises the matrix in all cases.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.assembly.array_kernels import copy_values
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.assembly.post_newton import begin_step
from windlass.framework.assembly.steps import run_steps
from windlass.framework.command_line import options
from windlass.framework.errors import ModelError, WindlassError
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.kernels.program import Program, Step, join
from windlass.framework.launch.meetings import meet
from windlass.framework.model.system import PostNewton, evaluate
from windlass.framework.runtime.petsc import PETSc
from windlass.framework.state.state import State
from windlass.solvers.constraint_motion.blocks import create_block_factors
from windlass.solvers.constraint_motion.saddle import (
    Factors,
    PetscFactors,
    SaddleMatrix,
    right_side_steps,
    solve_saddle,
)
from windlass.solvers.names import name_dofs, name_largest, shorten

CONSTRAINT_TOLERANCE = 1e-13
"""Largest violation [m, rad, 1] of constraints, relative to 1 + largest coordinate, that is treated as a rounding
error.
"""
STAGNATION = 1e-9
"""Largest violation [m, rad, 1] of constraints, relative to 1 + largest coordinate, that is accepted if rounding errors
prevent a smaller violation.
"""
USES = 3
"""Number of evaluations of the forces after which a compiled `Program` computes the forces."""
PROJECTIONS = 20
"""Largest number of iterations of a projection onto the constraints."""


class ProjectionError(WindlassError):
    """Exception that is raised if the projection onto the constraints does not converge."""


@kernel(fast=False)
def begin_sums(
    given: FloatArray, data: FloatArray, start_data: FloatArray, a: FloatArray, lam: FloatArray, f: FloatArray,
    c: FloatArray,
) -> None:  # fmt: skip
    """Copy history values to ``data`` and ``start_data``, and set accelerations, multipliers and sums to 0."""
    for i in range(len(given)):
        data[i] = start_data[i] = given[i]
    for i in range(len(a)):
        a[i] = f[i] = 0.0
    for i in range(len(lam)):
        lam[i] = c[i] = 0.0


class Accelerations:
    """Accelerations a(t, q, v) and multipliers λ of an assembly.

    Args:
        assembly: the systems of this process.
        prefix: options prefix of the PETSc linear solver, if one is needed.

    Attributes:
        a: accelerations of all coordinates of this process at the last evaluation, shape (n,).
        lam: multipliers [N, N m] of this process, shape (m,).
        f: the difference f - loads [N, N m] at the last evaluation, shape (n + 1,), with the forces f of the docstring
            of this module.
        evaluations: number of force evaluations so far.
        factorisations: number of factorisations so far.
        has_history: whether the model has laws with a post-Newton update.
        has_constraints: whether the model has constraints.
        kind: method that solves for the accelerations: ``"diagonal"``, ``"blocks"`` or ``"petsc"``.
        matrix: matrix of the equations for accelerations and multipliers, or None if ``kind`` is ``"diagonal"``.
        minus_inverse_mass: negative reciprocals of the masses [1/kg, 1/(kg m^2)] if ``kind`` is ``"diagonal"``, shape
            (n,).
        assembly: the systems of this process.

    Raises:
        ModelError: the model has no constraints but has coordinates without mass, or it has a law that explicit
            integration cannot solve. The message names these coordinates or the law.
    """

    def __init__(self, assembly: Assembly, prefix: str) -> None:
        meet(assembly.comm, f"the solver {prefix}")
        for system in assembly.systems:
            if system.constraint is not None and system.neighbours is not None:
                raise ModelError(
                    f"{system.name} in Explicit: must be solved by Static or Dynamic, because it has no mass"
                )
        self.assembly = assembly
        layout, number = assembly.layout, assembly.world.numbering
        self.f, self._c = np.zeros(layout.spare + 1), np.zeros(len(layout.multipliers_owned) + 1)
        self._forces = np.zeros(layout.spare + 1)
        self._given = np.zeros(len(assembly.fields.data))
        self.a: FloatArray = np.zeros(layout.spare)
        self.lam: FloatArray = np.zeros(len(layout.multipliers_owned))
        self.evaluations = self.factorisations = 0
        fields = assembly.fields
        sums = self._given, fields.data, fields.start_data, fields.a, fields.lam, self.f, self._c
        self._begin_sums = Program([(call(begin_sums, sums), (evaluate(fields),))])
        # the program that adds all terms of the equations, the data for which it was created, and the number of
        # evaluations with these data
        self._sums: Program | None = None
        self._rates: Program | None = None
        self._made_for: tuple[Any, ...] = ()
        self._uses = 0
        self.has_history = any(s.post_newton is not None for s in assembly.systems)
        self.has_constraints = number.multiplier_count > 0
        self._varies = self.has_constraints or any(s.inertia is not None for s in assembly.systems)
        self._chosen = any(name.startswith((prefix + "ksp_", prefix + "pc_")) for name in PETSc.Options().getAll())
        self.matrix: SaddleMatrix | None = None
        self.minus_inverse_mass = np.zeros(0)
        if self._varies or self._chosen or not is_diagonal(assembly):
            self.matrix = SaddleMatrix(assembly)
            self._factors, self.kind = self._create_factors(self.matrix, prefix)
        else:
            declare_no_solver(prefix)
            self.kind = "diagonal"
            self.minus_inverse_mass = -1.0 / eval_diagonal(assembly)
        self._factorised = False
        self._is_rate = self._find_rates()

    def _create_factors(self, matrix: SaddleMatrix, prefix: str) -> tuple[Factors, str]:
        blocks = None if self._chosen else create_block_factors(matrix)
        if blocks is not None:
            declare_no_solver(prefix)
            return blocks, "blocks"
        return PetscFactors(matrix, prefix, definite=not self._varies), "petsc"

    def refresh(self) -> None:
        """Delete cached data after `World.set` has changed columns of tables."""
        self.assembly.refresh()
        self._is_rate = self._find_rates()

    def reset_caches(self) -> None:
        """Delete the factorisation and the contact candidates of neighbour searches. After this call, evaluations give
        the same results as evaluations of a new object.
        """
        self.assembly.reset_caches()
        self._factorised = False
        if self.matrix is not None:
            self._factors.reset()

    def load(self, state: State) -> None:
        """Copy coordinates, velocities, history values and time of a state to the fields. Markers are not updated."""
        fields, n, reference = self.assembly.fields, self.assembly.layout.spare, self.assembly.layout.reference
        np.add(reference[:n], state.q, out=fields.x[:n])
        fields.v[:n] = state.v
        fields.t, fields.rate_level = state.t, False
        fields.a[:], fields.lam[:] = 0.0, 0.0
        fields.data[:], fields.start_data[:] = state.data, state.data
        fields.step_size[0] = state.t - fields.start_time[0]

    def begin_step(self, start: State) -> None:
        """Store the motion of a state in the fields, as the motion at the start of the step."""
        begin_step(self.assembly.fields, self.assembly.layout.reference, start)

    def evaluate(self, t: float, start_data: FloatArray) -> PostNewton:
        """Evaluate a and λ at the coordinates and velocities in the fields. The new history values remain in the
        fields.

        Args:
            t: time [s].
            start_data: history values at the start of the step, shape (d,).

        Returns:
            The result of the update of history values, such as the force error. If no law has history values, the
            result contains default values.

        Raises:
            SingularError: the matrix of accelerations and multipliers is singular.
        """
        assembly, fields, f, c = self.assembly, self.assembly.fields, self.f, self._c
        fields.t, fields.rate_level = t, False
        fields.step_size[0] = t - fields.start_time[0]
        self._given[:] = start_data
        assembly.check_idle("a solve goes on")
        assembly.evaluating = True
        try:
            self._begin_sums()
            assembly.update_markers()
            result = assembly.post_newton() if self.has_history else PostNewton()
            self._add_right_side()
        finally:
            assembly.evaluating = False
        self.evaluations += 1
        if self.matrix is None:
            assembly.layout.ghosts.add_to_owners(f)
            np.multiply(f[:-1], self.minus_inverse_mass, out=self.a)
            assembly.layout.ghosts.copy_from_owners(self.a)
            return result
        self.update_matrix()
        self.a[:], self.lam[:] = solve_saddle(self.matrix, self._factors, f, c)
        return result

    def _add_right_side(self) -> None:
        """Add all terms of the equations to the sums. After `USES` evaluations, a compiled program adds the terms."""
        assembly, loads = self.assembly, self.assembly.loads
        loads.update()
        made_for = assembly.revision, loads, loads.are_steady
        if made_for != self._made_for:
            self._made_for, self._sums, self._rates, self._uses = made_for, None, None, 0
        if self._sums is not None:
            self._sums()
            return
        self._uses += 1
        steps = right_side_steps(assembly, self.f, self._c)
        if self._uses > USES:
            self._sums = self._create_program(steps)
        run_steps(steps)

    def _create_program(self, steps: list[Step]) -> Program:
        return Program(steps, asks=self.assembly.is_fixed, around=self.assembly.calling)

    def find_rates(self, data: FloatArray) -> Program | None:
        """Return the compiled program that evaluates the attribute ``f`` at the time, the coordinates and the
        velocities in the fields, with the history values ``data``. Return None if the program does not exist yet, or if
        an evaluation of the accelerations requires more than this program and masses.
        """
        assembly, loads = self.assembly, self.assembly.loads
        made_for = assembly.revision, loads, loads.are_steady
        simple = self.matrix is None and not self.has_history and assembly.layout.size == 1
        if not simple or self._sums is None or made_for != self._made_for:
            return None
        self._given[:] = data
        if self._rates is None:
            fields = assembly.fields
            sums = self._given, fields.data, fields.start_data, fields.a, fields.lam, self.f, self._c
            begin: list[Step] = [(call(begin_sums, sums), (evaluate(fields),)), *assembly.marker_steps()]
            if loads.timed_program is not None:
                begin.append((call(copy_values, (loads.weights, loads.sum)), (evaluate(fields),)))
            parts = self._create_program(begin), loads.timed_program, self._sums
            self._rates = join([part for part in parts if part is not None])
        ready = not loads.are_timed or loads.leave_to_table()
        return self._rates if ready and self._rates.is_compiled else None

    def respond(self, forces: FloatArray) -> FloatArray:
        """Return the accelerations due to additional ``forces``, both of shape (n,), at the coordinates in the fields.
        The accelerations fulfil all constraints.

        Raises:
            SingularError: the matrix of accelerations and multipliers is singular.
        """
        if self.matrix is None:
            return -self.minus_inverse_mass * forces
        self.update_matrix()
        return solve_saddle(self.matrix, self._factors, -np.append(forces, 0.0), np.zeros_like(self._c))[0]

    def update_matrix(self) -> None:
        """Evaluate the matrix at the coordinates in the fields, and factorise this matrix if it has changed. Markers
        must be up to date.
        """
        assert self.matrix is not None
        if self._factorised and not self._varies:
            return
        if self.matrix.update() or not self._factorised:
            self._factorised = False
            self._factors.factorise()
            self._factorised = True
            self.factorisations += 1

    def project_positions(self, refresh: bool = False) -> FloatArray:
        """Project the coordinates in the fields onto the position constraints at the time of the fields.

        Args:
            refresh: whether to evaluate the matrix in each iteration (Newton). Otherwise the present matrix is used.

        Returns:
            The correction of the coordinates, shape (n,), which is a linear combination of the rows of C_q M⁻¹.

        Raises:
            ProjectionError: the projection does not converge.
        """
        assembly, fields = self.assembly, self.assembly.fields
        total = np.zeros(assembly.layout.spare)
        size = 1.0 + assembly.processes.largest_of(np.abs(fields.x).max())
        before = np.inf
        for _ in range(PROJECTIONS):
            assembly.update_markers()
            c = self._eval_constraints(rate_level=False)
            c[self._is_rate] = 0.0
            left = assembly.processes.largest_of(np.abs(c).max(initial=0.0))
            stagnates = left > 0.5 * before and left <= STAGNATION * size
            if not np.isfinite(left + size):
                break
            if left <= CONSTRAINT_TOLERANCE * size or stagnates:
                return total
            if refresh:
                self.update_matrix()
            before = left
            correction = self._solve_constraints(c)
            fields.x[:-1] += correction
            total += correction
        raise ProjectionError(f"the constraints cannot be fulfilled: an error of {left:.3g} remains (m, rad, 1)")

    def project_velocities(self) -> None:
        """Project the velocities in the fields onto the constraints, with the present matrix of the equations. The
        markers are updated before the projection, but not after it.
        """
        fields, processes = self.assembly.fields, self.assembly.processes
        self.assembly.update_markers()
        c = self._eval_constraints(rate_level=True)
        size = 1.0 + processes.largest_of(np.abs(fields.v).max())
        if processes.largest_of(np.abs(c).max(initial=0.0)) > CONSTRAINT_TOLERANCE * size:
            fields.v[:-1] += self._solve_constraints(c)

    def _eval_constraints(self, rate_level: bool) -> FloatArray:
        """Return the constraint values C at the state in the fields, shape (m + 1,). If ``rate_level`` is true, return
        the time derivatives of C.
        """
        fields, c = self.assembly.fields, self._c
        fields.lam[:], c[:] = 0.0, 0.0
        fields.rate_level = rate_level
        self.assembly.add_constraints(c, self._forces)
        fields.rate_level = False
        c[-1] = 0.0
        return c

    def _solve_constraints(self, c: FloatArray) -> FloatArray:
        assert self.matrix is not None
        correction, _ = solve_saddle(self.matrix, self._factors, np.zeros_like(self.f), -c)
        return correction

    def _find_rates(self) -> IntArray:
        """Return the process-local indices of the multipliers of constraints that are defined as equations for
        velocities.
        """
        if not self.has_constraints:
            return np.zeros(0, np.int64)
        assembly = self.assembly
        values = np.zeros(assembly.pattern.spare + 1)
        assembly.fields.rate_level = False
        assembly.update_markers()
        assembly.add_constraint_tangent(values, 0.0, 1.0, 0.0)
        size = np.add.reduceat(np.abs(values[:-1]), assembly.pattern.indptr[:-1])
        found: IntArray = np.flatnonzero(size[assembly.layout.unknowns.of_multiplier])
        return found

    def describe_worst(self) -> list[tuple[str, float]]:
        """Return the names of the coordinates with the largest forces, and the values of these forces [N, N m]. The
        result is identical on every process.
        """
        return [(name, force) for name, force in name_largest(self.assembly, self.f) if force != 0.0]


def declare_no_solver(prefix: str) -> None:
    """Create a PETSc linear solver that is not used, because compiled code solves the equations. PETSc then accepts
    options with the prefix of this solver, and lists these options in the help.
    """
    ksp = PETSc.KSP().create(comm=PETSc.COMM_SELF)
    ksp.setOptionsPrefix(prefix)
    ksp.setType(PETSc.KSP.Type.PREONLY)
    ksp.getPC().setType(PETSc.PC.Type.JACOBI)
    options.set_from_options(ksp)
    options.after_set_up(ksp)


def is_diagonal(assembly: Assembly) -> bool:
    """Return whether the constant mass matrix is diagonal on all processes."""
    indptr, indices, *_ = assembly.mass_rows
    mine = bool(np.array_equal(indices, np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))))
    return assembly.processes.all(mine)


def eval_diagonal(assembly: Assembly) -> FloatArray:
    """Return the diagonal entries [kg, kg m^2] of the constant mass matrix at the coordinates of this process, shape
    (n,). The contributions of all processes are summed.

    Raises:
        ModelError: coordinates have no mass. The message names these coordinates.
    """
    layout = assembly.layout
    ones, product = np.append(np.ones(layout.spare), 0.0), np.zeros(layout.spare + 1)
    assembly.add_mass_product(ones, product)
    mass = product[:-1].copy()
    layout.ghosts.add_to_owners(mass)
    layout.ghosts.copy_from_owners(mass)
    names = name_dofs(assembly, np.flatnonzero(mass[: len(layout.owned)] <= 0.0))
    if names:
        raise ModelError(
            f"explicit integration: {len(names)} coordinates have no mass: {'; '.join(shorten(names))}. Every "
            "coordinate needs a mass [kg, kg m^2] or a constraint that determines it; Dynamic needs neither"
        )
    return mass
