"""The nonlinear equations of one Newton run. PETSc SNES calls the residual and the tangent of an assembly.

The unknowns are increments dq of the coordinates from the predictor, and scaled multipliers. The motion follows from
the unknowns: ``q = q0 + dq``, ``v = v0 + v_factor dq``, ``a = a_factor dq``, ``lam = multiplier_factor * unknown``. The
residual is not scaled: its 2-norm combines the equations of motion and the constraints.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.array_kernels import clear
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.assembly.matrix import TangentMatrix
from windlass.framework.assembly.sparsity import Pattern
from windlass.framework.assembly.steps import (
    constraint_steps,
    constraint_tangent_steps,
    force_steps,
    mass_product_steps,
    tangent_steps,
)
from windlass.framework.assembly.storage import Sparsity, Storage
from windlass.framework.assembly.vectors import create_unknowns
from windlass.framework.checks.checks import checked, instance, word
from windlass.framework.kernels.call import call
from windlass.framework.kernels.program import Program, Step
from windlass.framework.launch.meetings import meet
from windlass.framework.model.system import evaluate
from windlass.framework.runtime.log_stages import logged
from windlass.framework.runtime.petsc import PETSc, release_dropped
from windlass.framework.state.state import State
from windlass.solvers.names import name_largest
from windlass.solvers.newton.lagging import LagPolicy
from windlass.solvers.newton.problem_kernels import (
    STATE,
    Buffers,
    DofMap,
    Solution,
    carry,
    clear_values,
    expand,
    stabilise,
    store_motion,
    subtract_loads,
    take_over,
    write_residual,
)
from windlass.solvers.newton.scheme import Scheme
from windlass.solvers.newton.static_states import StaticStates

LARGE = 20_000
"""Number of unknowns. For larger models, solvers that are no longer used are deleted to save memory."""
USES = 3
"""Number of evaluations of residuals in this process after which PETSc calls compiled callbacks, whose machine code is
then loaded.
"""
MOST_TANGENTS = 16
"""Largest number of other sets of factors, for example for other step sizes, whose tangent steps are kept."""
Programs = tuple[Program | None, ...]
"""Type of the three compiled programs that compute the motion from the unknowns, the residual, and the tangent. A
program is None if the computation requires Python.
"""


def look_away(_snes: Any, _it: int, _norm: float) -> None:
    """Do nothing in an iteration, see `NonlinearProblem.watch`."""


class NonlinearProblem:
    """Residual and tangent of an assembly as PETSc callbacks.

    Args:
        assembly: the systems of this process.
        prefix: options prefix of the SNES, e.g. ``"dynamic_"``.
        storage: how the tangent is stored.

    Attributes:
        assembly, prefix, storage: values of the arguments. The storage may change.
        snes: the PETSc solver. All its options have the prefix.
        sparsity, matrix: the sparsity of the tangent, and the tangent. Both objects are replaced if a search for
            contacts changes the sparsity.
        unknowns, residual_vector: PETSc vectors of the increments and scaled multipliers, and of the last residual.
        scheme, buffers: relation between unknowns and motion in the present Newton run, and the arrays of the
            callbacks.
        run: key of the present Newton run. Two runs have equal keys if they differ only in time and motion.
        may_compile, uses: whether compiled callbacks are allowed, and the limit `USES`. Callers may change both.
        python_residuals: number of residual evaluations by Python callbacks of all problems of this process.
        q0, v0: predicted values of the scheme, shape (n,). The scheme may use the same arrays.
        motion: motion that corresponds to the unknowns, see `Solution`.
        factors: factors that convert increments of the unknowns to velocities, accelerations and multipliers, shape
            (3,).
        lag: the policy that decides when the tangent is evaluated again.
    """

    python_residuals = 0

    @checked(assembly=instance(Assembly), prefix=word(), storage=instance(Storage))
    def __init__(self, assembly: Assembly, prefix: str, storage: Storage = Storage.ROWS) -> None:
        meet(assembly.comm, f"the solver {prefix}")
        self.assembly, self.prefix, self.storage = assembly, prefix, storage
        release_dropped(assembly.comm, solvers=assembly.layout.unknowns.total > LARGE)
        layout, comm = assembly.layout, assembly.comm
        self._parallel = layout.size > 1
        self._near_null_space: Any = None
        self.sparsity, self.matrix = self._create_matrix()
        unknowns = self.sparsity.unknowns
        self.unknowns = create_unknowns(layout, comm, unknowns.owned)
        self.residual_vector = self.unknowns.duplicate()
        n = layout.spare
        self._departure, self._stabiliser, self._anchor = np.zeros(n + 1), np.zeros(1), np.zeros(n)
        self._sum = np.zeros(len(unknowns.numbers))
        self._take_over, self._write_all, self._store = call(take_over), call(write_residual), call(store_motion)
        self._carry = call(carry)
        # compiled programs of the residual, one for each combination of its terms
        self._programs: dict[tuple[bool, bool, bool, bool, bool, int], Program] = {}
        self._tangent_program: Program | None = None
        self._tangent_steps: list[Step] = []
        self._tangent_key: tuple[Any, ...] = ()
        self.uses = USES
        # steps and compiled program of each tangent for other factors of the unknowns, by the key of this tangent
        self._other_tangents: dict[tuple[Any, ...], tuple[list[Step], Program | None]] = {}
        numbers = unknowns.of_dof, unknowns.of_multiplier, unknowns.pads
        dofs, multipliers, pads = (which.astype(PETSc.IntType) for which in numbers)
        self._places, self._state = DofMap(dofs, multipliers, pads, layout.reference), np.zeros(1, STATE)
        sums = np.zeros(n + 1), np.zeros(len(layout.multipliers_owned) + 1)
        self._expanded = self._state["expanded"]
        self.run: tuple[Any, ...] = ()
        self.buffers = Buffers(self._places, np.zeros(len(unknowns.numbers)), self._state, *sums)
        fields = assembly.fields
        self.motion = Solution(fields.x, fields.v, fields.a, fields.lam)
        # Predicted values of the scheme, and factors of the unknowns. Compiled programs store the addresses of these
        # arrays.
        self.q0, self.v0, self.factors = np.zeros(n), np.zeros(n), np.zeros(3)
        self._expansion: Program | None = None
        self._expansion_revision, self._expanded_state = -1, -1
        self.scheme = Scheme(np.zeros(n), np.zeros(n))
        self.lag, self._static_states = LagPolicy(False), StaticStates(assembly)
        self._version = (0, 0)
        self.may_compile = not (self._parallel or logged)
        self.snes = PETSc.SNES().create(comm=comm if self._parallel else PETSc.COMM_SELF)
        self.snes.setOptionsPrefix(prefix)
        self.snes.setFunction(self.eval_residual, self.residual_vector)
        self.snes.setJacobian(self.eval_tangent, self.matrix.mat)
        self._replaced: TangentMatrix | None = None
        self._look: Callable[[Any, int, float], None] | None = None

    @property
    def residual_count(self) -> int:
        """Number of evaluations of the residual."""
        return int(self._state["residuals"][0])

    @property
    def tangent_count(self) -> int:
        """Number of evaluations of the tangent."""
        return int(self._state["tangents"][0])

    @property
    def pattern(self) -> Pattern:
        """The sparsity of the tangent."""
        return self.sparsity.pattern

    def _create_matrix(self) -> tuple[Sparsity, TangentMatrix]:
        sparsity = self.assembly.use(self.storage, update=True)
        owned = sparsity.unknowns.owned
        parted = sparsity if sparsity.substructure is not None else None
        matrix = TangentMatrix(sparsity.pattern, sparsity.numbers, owned, self.assembly.comm, parted)
        if self._near_null_space is not None:
            matrix.mat.setNearNullSpace(self._near_null_space)
        return sparsity, matrix

    def set_near_null_space(self, space: Any) -> None:
        """Attach a near null space (a PETSc NullSpace object) to the tangent and to matrices that replace the
        tangent.
        """
        self._near_null_space = space
        self.matrix.mat.setNearNullSpace(space)

    def _follow_pattern(self) -> None:
        """Create a new matrix if the couplings between unknowns have changed, for example after a search for contacts.

        The call is collective. The pattern changes either on all processes or on no process.
        """
        if self.assembly.use(self.storage, update=True) is not self.sparsity:
            # keep the old matrix, because SNES may still use the old matrix after this call
            self._replaced = self.matrix
            self.sparsity, self.matrix = self._create_matrix()
            self.snes.setJacobian(self.eval_tangent, self.matrix.mat)

    def follow_refreshes(self) -> None:
        """Create a new matrix before a run if a system that compiled code evaluates now couples other unknowns."""
        if self.assembly.refreshes:
            if self.assembly.pattern_version() != self.sparsity.version:
                self.take_matrix()
            self.assembly.fields.recoupled[0] = 0.0

    def leave_blocks(self) -> bool:
        """Store the tangent by rows in later runs. The order of unknowns does not change. Return False if the tangent
        is not stored in blocks.
        """
        after = {Storage.BLOCKS: Storage.BLOCK_ROWS, Storage.SUBSTRUCTURES: Storage.ROWS}
        if self.storage not in after:
            return False
        self.storage = after[self.storage]
        self._follow_pattern()
        return True

    def watch(self, look: Callable[[Any, int, float], None]) -> None:
        """Call a function ``(snes, it, norm)`` in each iteration, in place of an earlier function.

        PETSc calls functions that have been passed to an SNES until the SNES is deleted.
        """
        if self._look is None:
            self.snes.setMonitor(self._monitor)
        self._look = look

    def _monitor(self, snes: Any, it: int, norm: float) -> None:
        if self._look is not None:
            self._look(snes, it, norm)

    def renew(self) -> None:
        """Reset counts, the function of `watch` and the stored tangent for another solver."""
        if self._look is not None:
            self._look = look_away
        self._state["residuals"] = self._state["tangents"] = 0
        self.lag.reset()
        self.scheme = Scheme(np.zeros_like(self.q0), np.zeros_like(self.q0))
        self._expanded_state, self._expanded[0] = -1, 0

    def take_matrix(self) -> TangentMatrix:
        """Return the matrix, so that the caller can write other values to it. The tangent is evaluated again for the
        next iteration.
        """
        self._follow_pattern()
        self.lag.drop_tangent()
        return self.matrix

    def start(self, scheme: Scheme, from_zero: bool = True) -> None:
        """Begin a Newton run. If ``from_zero`` is true, the run starts from the predictor of the scheme (unknowns 0),
        otherwise from unknowns that the caller sets.
        """
        self.assembly.check_idle("a solve begins")
        if self._replaced is not None:
            self._replaced = None
            release_dropped(self.assembly.comm)
        self.assembly.refresh()
        self.scheme, self._expanded[0], self._expanded_state = scheme, 0, -1
        factors = scheme.v_factor, scheme.a_factor, scheme.multiplier_factor
        live = self._has_live_loads(scheme)
        key = *factors, scheme.stabiliser, scheme.load_factor, scheme.rate_level, scheme.unit_rates, live
        self.lag.begin((*key, self.assembly.tangent_version))
        fields = self.assembly.fields
        fields.time[0], fields.rate_level, fields.unit_rates = scheme.t, scheme.rate_level, scheme.unit_rates
        if scheme.q0 is not self.q0:
            self.q0[:], self.v0[:] = scheme.q0, scheme.v0
        self._static_states.begin(scheme, self.q0, self.v0)
        if scheme.stabiliser != 0.0:
            self._anchor[:] = scheme.q_anchor
        run = *key, scheme.is_held, self.assembly.revision, self.matrix
        if run != self.run:
            self.run, self.factors[:], self._stabiliser[0] = run, factors, scheme.stabiliser
            self._state["load_factor"] = scheme.load_factor
        if from_zero:
            self.unknowns.set(0.0)

    def guess(self, a: FloatArray, lam: FloatArray) -> None:
        """Start from the accelerations ``a``, shape (n,), and the multipliers ``lam``, shape (m,), instead of the
        predictor. In statics, ``a`` contains increments of the displacements.
        """
        local, factors = self._sum, np.array([0.0, self.scheme.a_factor or 1.0, self.scheme.multiplier_factor])
        self._carry(a, lam, factors, self._places, local)
        self.unknowns.setArray(local[: self.sparsity.unknowns.owned])

    def expand_unknowns(self, x: Any) -> None:
        """Compute the fields (coordinates, velocities, accelerations, multipliers) from unknowns, and update
        markers.
        """
        if x is self.unknowns and self._expanded_state == x.stateGet():
            return
        self._expanded_state = -1
        # SNES evaluates the tangent at the unknowns of the last residual, so the fields are often up to date
        local, expanded, values = self.buffers.local, self._expanded, x.array_r
        if not self._parallel:
            # the values of the vectors are compared, not their addresses, because SNES copies vectors
            if not self._take_over(values, local) and expanded[0]:
                return
        else:
            # Comparisons of local values could have different results on different processes, but all processes must
            # take the same decision. Therefore PETSc's count of changes of the vector is compared.
            version = (x.handle, x.stateGet())
            same, self._version = version == self._version, version
            if expanded[0] and same:
                return
            local[: len(values)] = values
            self.sparsity.unknowns.ghosts.copy_from_owners(local)
        expanded[0] = 1
        self._find_expansion()()

    def _find_expansion(self) -> Program:
        """Return the program that computes the fields from unknowns, which is created at its first use."""
        if self._expansion is None or self._expansion_revision != self.assembly.revision:
            local = self.buffers.local
            known = local, self._places, self.q0, self.v0, self.factors, self.motion
            steps: list[Step] = [(call(expand, known), (evaluate(self.assembly.fields),))]
            steps += self._static_states.expansion_steps(local, self._places) + self.assembly.marker_steps()
            self._expansion, self._expansion_revision = self._create_program(steps), self.assembly.revision
        return self._expansion

    def note_expansion(self) -> None:
        """Record that the fields correspond to the unknowns."""
        self._expanded_state = self.unknowns.stateGet()

    def store(self, state: State) -> None:
        """Store the solution of the last Newton run in a state."""
        self.expand_unknowns(self.unknowns)
        self._store(*self.name_stored(state))

    def name_stored(self, state: State) -> tuple[Any, ...]:
        """Return the arguments for a call of `store_motion` that copies the motion from the fields to ``state``."""
        return self.buffers.local, self._places, self.q0, self.motion, state.q, state.v, state.a, state.lam

    def store_static(self, state: State) -> None:
        """Store the solution of a static solve in a state. First-order states, which are stored as velocities, also
        change. Other velocities and the accelerations do not change.
        """
        v, a, states = state.v.copy(), state.a.copy(), self._static_states.states
        self.store(state)
        v[states] = state.v[states]
        state.v[:], state.a[:] = v, a

    def find_programs(self) -> Programs:
        """Return the compiled programs of the callbacks for the next run."""
        scheme = self.scheme
        if NonlinearProblem.python_residuals < self.uses or scheme.is_held:
            return None, None, None
        residual = self._find_residual_program()
        suits = not self._static_states.are_sought and self._has_tangent_steps(scheme)
        known = self._find_expansion(), residual, self._find_tangent_program() if suits else None
        return tuple(p if p is not None and p.table is not None else None for p in known)

    def prepare(self, programs: Programs, by_table: bool = False) -> None:
        """Update the loads of a compiled residual to the time of the run. If ``by_table`` is true, loads that compiled
        steps compute from a table are not updated.
        """
        loads = self.assembly.loads
        if programs[1] is None or self.scheme.load_factor == 0.0 or (by_table and loads.leave_to_table()):
            return
        with self.assembly.calling():
            loads.update()

    def _create_program(self, steps: list[Step]) -> Program:
        return Program(steps, asks=self.assembly.is_fixed, around=self.assembly.calling)

    def eval_residual(self, _snes: Any, x: Any, out: Any) -> None:
        """Evaluate the residual. PETSc calls this function as its SNESFunction."""
        with self.assembly.calling():
            self.expand_unknowns(x)
            self.buffers.c[:] = 0.0
            self.assembly.set_loads(self.buffers.f, -self.scheme.load_factor, live=False)
            self.scheme.add_held(self.buffers.f, self.buffers.c)
            self._take_residual_steps()
        self.write_residual(out)
        self._state["residuals"] += 1
        NonlinearProblem.python_residuals += 1

    def _find_key(self, scheme: Scheme) -> tuple[bool, bool, bool, bool, bool, int]:
        """Return a key that identifies the terms of the residual."""
        contents = scheme.has_inertia, scheme.stabiliser != 0.0, scheme.rate_level, scheme.unit_rates
        return *contents, self._has_live_loads(scheme), self.assembly.revision

    def _has_live_loads(self, scheme: Scheme) -> bool:
        """Return whether the load factor is not 0 and some loads depend on coordinates."""
        return scheme.load_factor != 0.0 and not self.assembly.loads.are_steady

    def _take_residual_steps(self) -> None:
        """Add all terms to the residual except loads that do not depend on coordinates."""
        self._find_residual_program()()

    def _find_residual_program(self) -> Program:
        """Return the program of the residual with the terms of the present run, which is created at its first use."""
        key = self._find_key(self.scheme)
        program = self._programs.get(key)
        if program is None:
            if any(revision != key[-1] for *_, revision in self._programs):
                self._programs.clear()
            program = self._programs[key] = self._create_program(self._create_residual_steps(key))
        return program

    def _create_residual_steps(self, key: tuple[bool, bool, bool, bool, bool, int]) -> list[Step]:
        """Create the steps that evaluate the residual with the terms of a key, see `_find_key`."""
        f, c, steps = self.buffers.f, self.buffers.c, list[Step]()
        if key[4]:
            live, where = np.zeros_like(f), (evaluate(self.assembly.fields),)
            steps += [(call(clear, (live,)), where), *self.assembly.loads.live_steps(live)]
            steps.append((call(subtract_loads, (live, self._state, f)), where))
        steps += force_steps(self.assembly, f, inertia=key[0], newton=True) + constraint_steps(self.assembly, c, f)
        if key[1]:
            place, x = self._places.reference, self.assembly.fields.x
            known = self._stabiliser, x, place, self._anchor, self._departure
            steps.append((call(stabilise, known), (evaluate(self.assembly.fields),)))
            steps += mass_product_steps(self.assembly, self._departure, f)
        return steps

    def write_residual(self, out: Any) -> None:
        """Write the residual of the unknowns of this process to the PETSc vector, including contributions of other
        processes.
        """
        f, c = self.buffers.f, self.buffers.c
        if not self._parallel:
            self._write_all(f, c, self._places, out.array_w)
            return
        total, unknowns = self._sum, self.sparsity.unknowns
        self._write_all(f, c, self._places, total)
        unknowns.ghosts.add_to_owners(total)
        out.setArray(total[: unknowns.owned])

    def eval_tangent(self, _snes: Any, x: Any, _matrix: Any, _preconditioner: Any) -> None:
        """Evaluate the tangent if it must be updated. PETSc calls this function as its SNESJacobianFunction."""
        # if the tangent is not updated, PETSc detects that the matrix is unchanged and reuses its factorisation
        if self.lag.needs_tangent():
            self.update_tangent(x)

    def update_tangent(self, x: Any) -> None:
        """Evaluate the tangent at the unknowns x, and write it to the matrix."""
        with self.assembly.calling():
            self.expand_unknowns(x)
            self._follow_pattern()
            scheme, values = self.scheme, self.matrix.values
            self._take_tangent_steps(scheme, values)
            self._static_states.add_tangent(values, scheme.load_factor)
        self.matrix.update()
        self._state["tangents"] += 1

    def _find_tangent_key(self, scheme: Scheme) -> tuple[Any, ...]:
        """Return a key that identifies the compiled program of a tangent."""
        factors = scheme.v_factor, scheme.a_factor, scheme.stabiliser, scheme.multiplier_factor
        live = scheme.load_factor if self._has_live_loads(scheme) else 0.0
        return *factors, live, scheme.rate_level, scheme.unit_rates, self.assembly.revision, id(self.matrix.values)

    def _has_tangent_steps(self, scheme: Scheme) -> bool:
        """Return whether the program steps that evaluate the tangent exist. If no tangent has been evaluated, or only
        the factors have changed since the last tangent, for example because of another step size, create the steps for
        the new factors.
        """
        key, last = self._find_tangent_key(scheme), self._tangent_key
        if key == last:
            return True
        # the positions in the matrix are valid only if the sparsity is in use
        known = last[-4:] in ((), key[-4:]) and self.assembly.use(self.storage, update=True) is self.sparsity
        if known:
            self._set_tangent_steps(scheme, self.matrix.values)
        return known

    def _take_tangent_steps(self, scheme: Scheme, values: FloatArray) -> None:
        """Evaluate the tangent."""
        if self._find_tangent_key(scheme) != self._tangent_key:
            self._set_tangent_steps(scheme, values)
        if self._has_live_loads(scheme):
            self.assembly.loads.update()  # the tangent may be evaluated before the first residual
        self._find_tangent_program()()

    def _find_tangent_program(self) -> Program:
        """Return the program that evaluates the tangent. The program is created at its first use."""
        if self._tangent_program is None:
            self._tangent_program = self._create_program(self._tangent_steps)
        return self._tangent_program

    def _set_tangent_steps(self, scheme: Scheme, values: FloatArray) -> None:
        """Set the steps that evaluate the tangent for the factors of a scheme. The steps for other sets of factors
        are kept, because step sizes often alternate between few values.
        """
        assembly, fields, mass = self.assembly, self.assembly.fields, scheme.a_factor + scheme.stabiliser
        key, last = self._find_tangent_key(scheme), self._tangent_key
        if last[-4:] != key[-4:] or len(self._other_tangents) == MOST_TANGENTS:
            self._other_tangents.clear()
        elif last:
            self._other_tangents[last] = self._tangent_steps, self._tangent_program
        self._tangent_key = key
        if key in self._other_tangents:
            self._tangent_steps, self._tangent_program = self._other_tangents.pop(key)
            return
        self._tangent_program = None
        clear_all = call(clear_values, (values, self.sparsity.pad_slots))
        steps = self._tangent_steps = [(clear_all, (evaluate(fields),))]
        steps += tangent_steps(assembly, values, 1.0, scheme.v_factor, scheme.a_factor, mass, scheme.moving)
        steps += constraint_tangent_steps(assembly, values, 1.0, scheme.v_factor, scheme.multiplier_factor)
        if self._has_live_loads(scheme):
            gravity = assembly.loads.gravity
            steps += assembly.load_tangent_steps(values, 1.0, scheme.v_factor, scheme.load_factor, gravity)

    def worst_equations(self, count: int = 3) -> list[tuple[str, float]]:
        """Return the names of the ``count`` equations with the largest residuals, and these residuals [N, N m, m]. The
        call is collective."""
        residual, unknowns = self.residual_vector.array_r, self.sparsity.unknowns
        motion = residual[unknowns.of_dof[: len(self.assembly.layout.owned)]]
        return name_largest(self.assembly, motion, count, residual[unknowns.of_multiplier])
