"""Assembly: evaluates the systems of a world stage by stage and sums forces, constraints and tangents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from windlass.framework.bind import bind
from windlass.framework.errors import ModelError
from windlass.framework.exchange import create_ghost_vector, scatter_state, spread_to_ghosts
from windlass.framework.law import (
    Coupling,
    Fields,
    FloatArray,
    LocalRows,
    PostNewton,
    System,
    family_of,
    law_of,
)
from windlass.framework.layout import Layout
from windlass.framework.loads import Loads
from windlass.framework.mass import MassRows, create_mass_rows, multiply_rows
from windlass.framework.processes import Processes
from windlass.framework.program import Program
from windlass.framework.schema import Component
from windlass.framework.sparsity import Pattern, create_pattern
from windlass.framework.spreading import spread_world
from windlass.framework.stages import Stage, enter, leave
from windlass.framework.state import NAMES, State
from windlass.framework.steps import (
    constraint_steps,
    constraint_tangent_steps,
    force_steps,
    mass_steps,
    take,
    tangent_steps,
)
from windlass.framework.table import EntityTable, IntArray

if TYPE_CHECKING:
    from windlass.framework.world import World

BUILD_ORDER = ("node", "body", "element", "marker", "load", "connector", "constraint")


class Assembly:
    """The systems of one process and what they need: local numbering, fields, sparsity.

    Args:
        world: the world; it is finalized if it was not.
        comm: an mpi4py communicator, or None for this process alone.

    Attributes:
        layout: local numbering.
        processes: the processes that share the world in this assembly.
        fields: arrays that kernels read.
        systems: the systems in the order of evaluation.
        constraints: the constraint systems of this process.
        pattern: sparsity over the local unknowns, and after them those that systems couple beyond.
        revision: counts the changes of the steps that residuals and tangents consist of, see steps.py.
        unknown_global: number of each row of ``pattern`` in the PETSc vectors.
    """

    def __init__(self, world: World, comm: Any = None) -> None:
        world.finalize()
        self.world, self.comm = world, comm
        self.processes = world.processes or Processes(comm)
        rank, size = (0, 1) if comm is None else (comm.rank, comm.size)
        layout = self.layout = Layout(world, rank, size, comm)
        spread_world(layout, self.processes)
        n, m = layout.spare, len(layout.multipliers_owned)
        data = np.zeros(len(layout.data_rows_owned))
        self.fields = Fields(
            layout.reference.copy(), np.zeros(n + 1), np.zeros(n + 1), np.zeros(m + 1), data, data.copy()
        )
        for family, ids in layout.marker_ids.items():
            with self.processes.alone(family):
                self.fields.markers[family] = family_of(family).allocate(world, ids, layout)
        self._ghost_vectors: list[Any] = []
        self._multiply = bind(multiply_rows)
        self.systems: list[System] = []
        self.revision, self._fresh_at = 0, world.version
        self._built_at: dict[type[Component], int] = {}
        self.couplings: dict[type[Component], Coupling] = {}
        order = sorted(layout.rows, key=lambda c: BUILD_ORDER.index(_law(c).role))
        self._components = [c for c in order if _law(c).build is not None]
        for component in self._components:
            self._build(component)
        self.order_systems()
        self._pattern: Pattern | None = None
        self._pattern_version = 0
        self.unknown_global: IntArray = layout.unknown_global

    def bind(self, table: EntityTable, rows: IntArray) -> LocalRows:
        """Rows that this process has in its local numbering."""
        dofs = self.layout.local_dofs(self.world.row_dofs(table, rows))
        return LocalRows(self.world, table, rows, dofs, self.layout)

    def _build(self, component: type[Component]) -> None:
        old = self.layout.systems.get(component)
        build = _law(component).build
        assert build is not None
        with self.processes.alone(component.__name__):
            system = build(self.bind(self.world.tables[component], self.layout.rows[component]))
        if old is not None:
            system.slots = old.slots
            # slots fit only the coordinates that they were made for
            system.pattern_version = old.pattern_version + int(not np.array_equal(old.dofs, system.dofs))
        self.layout.systems[component] = system
        self._built_at[component] = self.world.changed.get(component, 0)

    def order_systems(self) -> None:
        """Sort the work of the systems into lists, again after functions of theirs were replaced."""
        self.systems = [self.layout.systems[c] for c in self._components]
        self._kinematics = Program((s.update, (self.fields,)) for s in self.systems if s.update is not None)
        self._products = [s.mass_product for s in self.systems if s.mass_product is not None]
        self.constraints = [s.constraint for s in self.systems if s.constraint is not None]
        self._loads = Loads(self.world, self.fields, self.systems)
        self.revision += 1

    def refresh(self) -> None:
        """Bind again the rows of tables whose switchable columns have changed."""
        if self._fresh_at == self.world.version:
            return
        self._fresh_at = self.world.version
        stale = [c for c in self._components if self.world.changed.get(c, 0) > self._built_at[c]]
        for component in stale:
            self._build(component)
        if stale:
            self.order_systems()

    def forget(self) -> None:
        """Drop what systems carry over from step to step beside the state; see `System.forget`."""
        for system in self.systems:
            if system.forget is not None:
                system.forget()

    @property
    def pattern(self) -> Pattern:
        """The sparsity of mass matrix, constraints and tangent, set up on first use.

        What systems couple that change their coordinates (contact neighbours) is in it after `update_pattern`.
        """
        if self._pattern is None:
            self._create_pattern(False)
        assert self._pattern is not None
        return self._pattern

    def update_pattern(self) -> Pattern:
        """The sparsity with which the tangent can be evaluated at the present fields, markers included.

        It is another object if a system has changed its coordinates; matrices of the old one do not fit any more.
        """
        version = sum(system.pattern_version for system in self.systems)
        if version != self._pattern_version:
            self._create_pattern(True)
            self._pattern_version = version
        return self.pattern

    def _create_pattern(self, changing: bool) -> None:
        """Set up sparsity and slots, with or without the systems that change their coordinates."""
        layout = self.layout
        count = len(layout.unknown_global)
        blocks: list[tuple[IntArray, IntArray]] = []
        components = [c for c in self._components if changing or layout.systems[c].pattern_version == 0]
        places: dict[type[Component], IntArray] = {}
        numbers = [layout.unknown_global]
        for component in components:
            system = layout.systems[component]
            beyond = count + np.arange(len(system.foreign))
            numbers.append(layout.unknown_numbers(system.foreign))
            count += len(beyond)
            rows = places[component] = np.concatenate((layout.unknown_of_dof, beyond, [-1]))[system.dofs]
            if system.tangent or system.mass or system.inertia_tangent or system.load_tangent or system.constraint:
                blocks.append((rows, rows))
            if system.constraint is not None:
                multipliers = layout.unknown_of_multiplier[system.constraint.multipliers]
                blocks += [(multipliers, rows), (rows, multipliers)]
        pattern = create_pattern(blocks, count)
        self._pattern, self.unknown_global = pattern, np.concatenate(numbers)
        for component in components:
            system, rows = layout.systems[component], places[component]
            if system.tangent or system.mass or system.inertia_tangent or system.load_tangent or system.constraint:
                system.slots = pattern.slots(rows, rows, system.runs)
            if system.constraint is not None:
                multipliers = layout.unknown_of_multiplier[system.constraint.multipliers]
                count, width = multipliers.shape
                flat = multipliers.reshape(-1, 1)
                self.couplings[component] = Coupling(
                    pattern.slots(multipliers, rows),
                    pattern.slots(rows, multipliers),
                    pattern.slots(flat, flat).reshape(count, width),
                    system.slots,
                    1.0,
                )
        self._whole_mass: MassRows | None = None
        systems = [s for s in self.systems if s.mass is not None and s.mass_product is None]
        self._mass = create_mass_rows(systems, pattern, self.layout)
        self.revision += 1

    @property
    def assembled_mass(self) -> MassRows:
        """The constant mass matrix of the laws without a product of their own."""
        self.pattern  # noqa: B018  sets it up
        return self._mass

    @property
    def mass_rows(self) -> MassRows:
        """The whole constant mass matrix over local coordinates."""
        pattern = self.pattern
        if self._whole_mass is None:
            systems = [s for s in self.systems if s.mass is not None]
            self._whole_mass = create_mass_rows(systems, pattern, self.layout)
        return self._whole_mass

    def update_markers(self) -> None:
        """KINEMATICS: evaluate the marker columns at the current fields."""
        enter(Stage.KINEMATICS)
        self._kinematics()
        leave(Stage.KINEMATICS)

    def add_forces(self, f: FloatArray) -> None:
        """FORCES, CONTACT: add all left-hand-side forces of elements and connectors to f, shape (n + 1,)."""
        take(force_steps(self, f))

    def add_loads(self, f: FloatArray, factor: float = 1.0) -> None:
        """Add a multiple of all applied loads (right-hand side, without the load factor) to f, shape (n + 1,)."""
        self._loads.add(f, factor)

    def add_inertia(self, f: FloatArray) -> None:
        """Add M a + quadratic velocity terms to f, shape (n + 1,)."""
        self.add_mass_product(self.fields.a, f)
        for system in self.systems:
            if system.inertia is not None:
                system.inertia(self.fields, f)

    def add_mass_product(self, x: FloatArray, f: FloatArray) -> None:
        """f += M x with the constant mass matrix; both of shape (n + 1,)."""
        mass = self.assembled_mass
        if len(mass.values):
            self._multiply(mass.indptr, mass.columns, mass.values, x, f)
        for product in self._products:
            product(x, f)

    def add_constraints(self, c: FloatArray, f: FloatArray) -> None:
        """CONSTRAINTS: add the constraint equations to c, shape (m + 1,), and their forces to f, shape (n + 1,)."""
        take(constraint_steps(self, c, f))

    def add_tangent(self, values: FloatArray, dq: float, dv: float, da: float, load_factor: float, mass: float) -> None:
        """Add the tangent of forces, inertia and loads to the values in the slots of `pattern`, shape (nnz + 1,).

        Args:
            dq, dv, da: derivatives of q, v, a with respect to the unknown coordinates.
            load_factor: factor on loads.
            mass: factor on the constant mass matrix (equal to da in dynamics).
        """
        take(tangent_steps(self, values, dq, dv, da, mass))
        self.add_load_tangent(values, dq, dv, load_factor)

    def add_load_tangent(self, values: FloatArray, dq: float, dv: float, load_factor: float) -> None:
        """Subtract the tangent of all loads, with a factor on them, from the matrix values."""
        fields, gravity = self.fields, self.world.gravity
        for system in self.systems if load_factor != 0.0 else ():
            if system.load_tangent is not None:
                system.load_tangent(fields, -load_factor * dq, -load_factor * dv, system.slots, values)
            if system.body_force_tangent is not None and gravity.any():
                every = np.arange(len(system.dofs))
                system.body_force_tangent(fields, gravity, every, -load_factor * dq, system.slots, values)

    def add_mass_matrix(self, values: FloatArray) -> None:
        """Add the mass matrix at the present fields to the matrix values, shape (nnz + 1,)."""
        take(mass_steps(self, values, 1.0, self.systems))
        for system in self.systems:
            if system.inertia_tangent is not None:
                system.inertia_tangent(self.fields, 0.0, 0.0, 1.0, system.slots, values)

    def add_constraint_tangent(self, values: FloatArray, dq: float, dv: float, multiplier_scale: float) -> None:
        """Add the blocks of all constraints; ``multiplier_scale`` is the derivative of multipliers by unknowns."""
        take(constraint_tangent_steps(self, values, dq, dv, multiplier_scale))

    def post_newton(self) -> PostNewton:
        """POST_NEWTON: update the history values; worst error, smallest step wish, and whether anything switched."""
        error, step, changed = 0.0, np.inf, False
        enter(Stage.POST_NEWTON)
        for system in self.systems:
            if system.post_newton is not None:
                result = system.post_newton(self.fields)
                # the largest of numbers and NaN depends on their order
                error = max(error, result.error if np.isfinite(result.error) else np.inf)
                step = min(step, result.recommended_step)
                changed = changed or result.changed
        leave(Stage.POST_NEWTON)
        error, step, switched = self.processes.largest([error, -step, float(changed)])
        return PostNewton(error, -step, bool(switched))

    def energy(self) -> float:
        """Stored energy of all laws that have one [J], of this process."""
        return sum(s.energy(self.fields) for s in self.systems if s.energy is not None)

    def find_trouble(self) -> list[str]:
        """Why rows of this world cannot be evaluated at the present fields; all processes call this together."""
        mine = [words for s in self.systems if s.trouble is not None for words in s.trouble(self.fields)]
        everywhere = self.processes.allgather("trouble", mine)
        return list(dict.fromkeys(words for part in everywhere for words in part))

    def load_fields(self, state: State) -> Fields:
        """Bring a state into the fields and evaluate the markers."""
        self.refresh()
        n, fields, layout = self.layout.spare, self.fields, self.layout
        fields.x[:n] = layout.reference[:n] + state.q
        fields.v[:n], fields.a[:n] = state.v, state.a
        fields.lam[:-1] = state.lam
        fields.data[:], fields.start_data[:] = state.data, state.start_data
        fields.t, fields.load_factor, fields.rate_level = state.t, 1.0, False
        if layout.size > 1:
            # users may have changed values of a state on their owners alone
            if not self._ghost_vectors:
                arrays = fields.x, fields.v, fields.a
                self._ghost_vectors = [create_ghost_vector(layout, array[:n]) for array in arrays]
            for vector in self._ghost_vectors:
                spread_to_ghosts(vector)
        self.update_markers()
        return fields

    def local_state(self, state: State | None) -> State:
        """A new local state with the values of a state of the same world (default: initial values)."""
        local = State(self.world, self)
        if state is None:
            return local
        if state.is_local_to(self):
            local.assign(state)
        else:
            whole = state.gather()
            scatter_state(self, {name: getattr(whole, name) for name in NAMES}, local)
            local.t, local.step = whole.t, whole.step
        return local


def _law(component: type[Component]) -> Any:
    return law_of(component)


def serial_assembly(world: World) -> Assembly:
    """The assembly of the whole world on this process, made once per world.

    Raises:
        ModelError: this process has only a part of the world.
    """
    if world.is_spread:
        raise ModelError("this call works on one process, but the tables are spread over several: run without mpiexec")
    assembly: Assembly = world.resource("assembly", lambda: Assembly(world))
    return assembly
