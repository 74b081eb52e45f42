"""The assembly evaluates the systems of a world stage by stage, and sums the forces, constraint equations and tangents
of all systems. A system evaluates the rows of one law.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.assembly.loads import Loads
from windlass.framework.assembly.mass import MassRows, create_mass_rows, multiply_rows
from windlass.framework.assembly.post_newton import PostNewtonUpdates, begin_step, run_post_newton
from windlass.framework.assembly.sparsity import Pattern
from windlass.framework.assembly.steps import (
    constraint_steps,
    constraint_tangent_steps,
    find_needed,
    force_steps,
    in_stage,
    mass_steps,
    run_steps,
    tangent_steps,
)
from windlass.framework.assembly.storage import Sparsity, Storage, create_sparsity
from windlass.framework.errors import ModelError
from windlass.framework.kernels.call import call
from windlass.framework.kernels.program import Program, Step
from windlass.framework.launch.launcher import launched_size
from windlass.framework.layout.layout import Layout
from windlass.framework.layout.pruning import prune_world
from windlass.framework.model.law import LocalRows, build_place, require_law
from windlass.framework.model.schema import Component
from windlass.framework.model.system import Evaluation, Fault, Fields, PostNewton, System, evaluate
from windlass.framework.model.table import EntityTable
from windlass.framework.model.world import World
from windlass.framework.runtime.log_stages import Stage, enter, leave

MOST_BOUND = 500  # largest number of cached `LocalRows` objects
_NONE: tuple[type[Component] | None, int] = (None, -1)


class Values(Protocol):
    """Interface of the values (such as time and displacements) at which an assembly is evaluated. See `State`."""

    q: FloatArray
    v: FloatArray
    a: FloatArray
    lam: FloatArray
    data: FloatArray
    start_data: FloatArray
    t: float


class Calling:
    """Context manager for calls of user functions. See `Assembly.calling`."""

    def __init__(self, assembly: Assembly) -> None:
        self._assembly = assembly

    def __enter__(self) -> None:
        self._assembly.evaluating = True

    def __exit__(self, *error: object) -> None:
        self._assembly.evaluating = False


class Assembly:
    """The systems of one process, with the process-local numbers of coordinates and unknowns, the arrays of the fields
    and the sparsity of the tangent.

    An array of shape (n + 1,) contains one value for each of the n process-local coordinates. An array of shape (m +
    1,) contains one value for each of the m process-local multipliers. The last value of each array stands for a
    missing coordinate or multiplier.

    Args:
        world: the world, which the constructor finalizes if necessary.
        comm: an mpi4py communicator, or None for an assembly of the whole world on this process.

    Attributes:
        layout: process-local numbers of coordinates and unknowns.
        processes: the MPI processes among which the rows of the world are divided.
        fields: arrays that kernels read.
        systems: the systems in the order of evaluation.
        constraints: the systems with constraint equations on this process.
        loads: the loads of the systems.
        updates: the updates of history values after each Newton run, for all systems.
        evaluating: whether a solver is calling Python functions, such as user functions of forces. During these calls,
            no other state may be loaded into the fields.
        tangent_version: value of ``world.version`` at the last change that may affect the tangent.
        revision: counter of the changes of the kernel calls for residuals and tangents, see steps.py.
        is_fixed: whether each system couples the same coordinates during the whole run. Compiled code may call Python
            functions (argument ``asks`` of `Program`) only if ``is_fixed`` is true.
        refreshes: the functions `NeighbourPattern.refresh` of the systems.
        world, comm: the arguments of the constructor.
    """

    def __init__(self, world: World, comm: Any = None) -> None:
        world.finalize()
        self.world, self.comm = world, comm
        rank, size = (0, 1) if comm is None else (comm.rank, comm.size)
        layout = self.layout = Layout(world, rank, size, comm)
        self.processes = layout.processes
        prune_world(layout, self.processes)
        n, m = layout.spare, len(layout.multipliers_owned)
        data = np.zeros(len(layout.data_rows_owned))
        self.fields = Fields(
            layout.reference.copy(), np.zeros(n + 1), np.zeros(n + 1), np.zeros(m + 1), data, data.copy()
        )
        for family, ids in layout.marker_ids.items():
            with self.processes.alone(family):
                self.fields.markers[family] = family.allocate(world, ids, layout)
        self.evaluating, self._calling = False, Calling(self)
        self._own_error, self._worst, self._keeps_used = 0.0, _NONE, False
        self._multiply = call(multiply_rows)
        self.systems: list[System] = []
        self._bound: dict[tuple[type[Component], bytes], LocalRows] = {}
        self.revision, self._fresh_at, self._renewed_at = 0, world.version, 0
        self.tangent_version = world.version
        self._built_at: dict[type[Component], int] = {}
        order = sorted(layout.rows, key=build_place)
        self._components = [c for c in order if require_law(c).build is not None]
        for component in self._components:
            self._build(component)
        self.order_systems()
        self._sparsities: dict[Storage, Sparsity] = {}
        self._sparsity: Sparsity | None = None
        self._whole_mass: tuple[Sparsity, MassRows] | None = None

    def local_rows(self, table: EntityTable, rows: IntArray) -> LocalRows:
        """Return the `LocalRows` object of the given rows of this process. Repeated calls with equal rows return one
        object.
        """
        key = table.component, rows.tobytes()
        found = self._bound.get(key)
        if found is None:
            if len(self._bound) >= MOST_BOUND:
                self._bound.clear()
            dofs = self.layout.local_dofs(self.world.row_dofs(table, rows))
            found = self._bound[key] = LocalRows(self.world, table, rows.copy(), dofs, self.layout)
        return found

    def _build(self, component: type[Component]) -> None:
        old = self.layout.systems.get(component)
        build = require_law(component).build
        assert build is not None
        with self.processes.alone(component.__name__):
            system = build(self.local_rows(self.world.tables[component], self.layout.rows[component]))
        if old is not None and old.neighbours is not None and system.neighbours is not None:
            # the list of neighbours in the old system is invalid if the coordinates of the rows have changed
            moved = not np.array_equal(old.dofs, system.dofs)
            system.neighbours.version = old.neighbours.version + int(moved)
            system.neighbours.lasts = old.neighbours.lasts
        self.layout.systems[component] = system
        self._built_at[component] = self.world.changed.get(component, 0)

    def order_systems(self) -> None:
        """Collect the functions of the systems in lists. Call this method again if a function of a system was
        replaced.
        """
        self.systems = [self.layout.systems[c] for c in self._components]
        self._checks = [system.checks for system in self.systems]
        self._kinematics = Program(self.marker_steps())
        self._products = [s.fused.mass_product for s in self.systems if s.fused is not None]
        self.constraints = [s.constraint for s in self.systems if s.constraint is not None]
        self.loads = Loads(self.world, self.fields, self.systems, self.calling)
        patterns = [system.neighbours for system in self.systems if system.neighbours is not None]
        self.is_fixed = not patterns
        self.refreshes = [pattern.refresh for pattern in patterns if pattern.refresh is not None]
        self._updating = [c for c, s in zip(self._components, self.systems, strict=True) if s.post_newton is not None]
        self._create_updates()
        self.revision += 1

    def _create_updates(self) -> None:
        systems = [self.layout.systems[c] for c in self._updating]
        self.updates = PostNewtonUpdates(self.fields, systems, self._keeps_used)

    def keep_used_history(self) -> None:
        """After this call, each post-Newton update first copies the old history values to ``updates.used``. The old
        values are the values that the Newton run has used.
        """
        self._keeps_used = True
        self._create_updates()

    @property
    def is_fresh(self) -> bool:
        """Whether no columns of tables have changed since the last `refresh` or `copy_changes`."""
        return self._fresh_at == self.world.version

    def refresh(self) -> None:
        """Update the records and arrays that kernels read, if switchable columns of the tables have changed. Systems
        that do not support the change are created again.
        """
        if self.is_fresh:
            return
        stale = self._copy_all()
        if any(self.layout.systems[c].body_force is not None for c in stale):
            # the systems of loads are also created again, because loads proportional to mass call functions of the
            # systems of bodies
            stale.update(c for c in self._components if require_law(c).role == "load")
        for component in self._components:
            if component in stale:
                self._build(component)
        if stale:
            self.order_systems()
        self._fresh_at = self.world.version

    def copy_changes(self) -> bool:
        """Update records and arrays like `refresh`, but create no system again. Return False if systems must be created
        again by `refresh`.
        """
        stale = self._copy_all()
        if not stale:
            self._fresh_at = self.world.version
        return not stale

    def _copy_all(self) -> set[type[Component]]:
        """Copy changed columns to the arrays of their systems. Return the components whose systems must be created
        again.
        """
        if self.is_fresh:
            return set()
        if not self._is_tangent_steady():
            self.tangent_version = self.world.version
        built = self._built_at
        changed = [c for c, version in self.world.changed.items() if c in built and version > built[c]]
        return {c for c in changed if not self._copy_changes(c)}

    def _is_tangent_steady(self) -> bool:
        """Return True if no column that has changed since the last `refresh` affects the tangent. On several processes
        the result is always False, because the rows of another process may affect the tangent.
        """
        steady = self.layout.size == 1
        for component, columns in self.world.changed_columns.items():
            system = self.layout.systems.get(component)
            names = {name for name, version in columns.items() if version > self._fresh_at}
            steady &= not names or (system is not None and system.changes.steady.issuperset(names))
        return steady

    def _copy_changes(self, component: type[Component]) -> bool:
        """Copy changed columns of a table to the arrays of its system. Return False if the system must be created
        again. On several processes the result is always False, because another process may have to create the system
        again.
        """
        copy, built = self.layout.systems[component].changes.copy, self._built_at[component]
        names = [n for n, version in self.world.changed_columns.get(component, {}).items() if version > built]
        is_done = copy is not None and self.layout.size == 1 and bool(names) and copy(names)
        if is_done:
            self._built_at[component] = self.world.changed[component]
        return is_done

    def reset_caches(self) -> None:
        """Discard cached data that are not part of the state, for example lists of contact neighbours; see
        `NeighbourPattern.reset_caches`.
        """
        for system in self.systems:
            if system.neighbours is not None and system.neighbours.reset_caches is not None:
                system.neighbours.reset_caches()

    def search_always(self) -> None:
        """After this call, each update of history values searches for contact neighbours, see
        `NeighbourPattern.lasts`.
        """
        for system in self.systems:
            if system.neighbours is not None:
                system.neighbours.lasts = False
        # the programs of the updates contain the value of `NeighbourPattern.lasts`, so they are created again
        self._create_updates()

    def use(self, storage: Storage, update: bool = False) -> Sparsity:
        """Select the storage of matrices for all systems. Sparsity and slots (positions of entries in the matrix
        values) are set up on first use.

        Args:
            storage: how matrix values are stored.
            update: whether to set up the sparsity again if a system couples other coordinates than before, for example
                because contact neighbours have changed. Matrices of the old sparsity then become invalid. The fields
                and markers must be up to date before the call.
        """
        found = self._sparsities.get(storage)
        version = self.pattern_version() if update else 0
        if found is None or (update and version != found.version):
            pairs = {c: self.layout.systems[c].neighbours for c in self._components}
            components = [c for c, own in pairs.items() if update or own is None or own.version == 0]
            found = create_sparsity(self.layout, self.fields, components, storage, version)
            self._sparsities[storage] = found
            self.revision += 1
        self._sparsity = found
        return found

    def pattern_version(self) -> int:
        """Return how many times the systems have changed the set of coordinates that they couple."""
        for refresh in self.refreshes:
            refresh(self.fields)
        return sum(system.neighbours.version for system in self.systems if system.neighbours is not None)

    def evaluation(self, component: type[Component], values: FloatArray, **given: Any) -> Evaluation:
        """Create the `Evaluation` for the functions of a component's system. These functions add matrix entries to
        ``values``, an array of matrix values in the storage in use.
        """
        slots = self.sparsity.slots
        own = {"slots": slots[component].places, "pieces": slots[component]} if component in slots else {}
        return evaluate(self.fields, values=values, slots_of=slots, **own, **given)

    @property
    def sparsity(self) -> Sparsity:
        """Sparsity of the tangent in the storage in use."""
        return self._sparsity if self._sparsity is not None else self.use(Storage.ROWS)

    @property
    def pattern(self) -> Pattern:
        """Sparsity of the tangent in the storage by rows (`Storage.ROWS`). Reading this property selects the storage by
        rows.
        """
        return self.use(Storage.ROWS).pattern

    def update_pattern(self) -> Pattern:
        """Return the sparsity of the tangent in the storage by rows, like `pattern`. If the systems couple other
        coordinates at the present fields, the sparsity is first set up again. See `use`.
        """
        return self.use(Storage.ROWS, update=True).pattern

    @property
    def mass_rows(self) -> MassRows:
        """Constant mass matrix of the process-local coordinates. The attribute ``slots`` of the result refers to the
        storage by rows. Reading this property selects the storage by rows.
        """
        rows = self.use(Storage.ROWS)
        if self._whole_mass is None or self._whole_mass[0] is not rows:
            systems = [(s, rows.slots[c]) for c, s in self.layout.systems.items() if s.mass is not None]
            self._whole_mass = rows, create_mass_rows(self.fields, systems, rows.pattern, self.layout.unknowns.of_dof)
        return self._whole_mass[1]

    def update_markers(self) -> None:
        """Evaluate the marker columns at the current fields (stage KINEMATICS)."""
        self._kinematics()

    def marker_steps(self, readers: Iterable[Step] | None = None) -> list[Step]:
        """Return the steps of a `Program` that does the work of `update_markers`. If ``readers`` is given, the result
        omits steps that compute marker columns which no step in ``readers`` needs.
        """
        s = evaluate(self.fields)
        updates: list[Step] = [(system.update, (s,)) for system in self.systems if system.update]
        if readers is not None:
            updates = find_needed(updates, readers, self.fields.markers)
        return in_stage(Stage.KINEMATICS, updates)

    def add_forces(self, f: FloatArray) -> None:
        """Add all left-hand-side forces of elements and connectors to ``f``, shape (n + 1,). The evaluation is logged
        in the PETSc stages FORCES and CONTACT.
        """
        run_steps(force_steps(self, f))

    def add_loads(self, f: FloatArray, factor: float = 1.0) -> None:
        """Add a multiple of all applied loads (right-hand side, without the load factor) to ``f``, shape (n + 1,)."""
        self.loads.add(f, factor)

    def set_loads(self, f: FloatArray, factor: float, live: bool = True) -> None:
        """Set f, shape (n + 1,), to a multiple of all applied loads. If the factor is 0, no load is evaluated; see
        `Loads.add`.
        """
        self.loads.add(f, factor, clear=True, live=live)

    def add_inertia(self, f: FloatArray) -> None:
        """Add the inertia forces, M a + quadratic velocity terms, to ``f``, shape (n + 1,)."""
        self.add_mass_product(self.fields.a, f)
        for system in self.systems:
            if system.inertia is not None:
                system.inertia.force(evaluate(self.fields, f=f))

    def add_mass_product(self, x: FloatArray, f: FloatArray) -> None:
        """Add M x to f, where M is the constant mass matrix, and x and f have the shape (n + 1,)."""
        mass = self.sparsity.mass
        if len(mass.values):
            self._multiply(mass.indptr, mass.columns, mass.values, x, f)
        for product in self._products:
            product(evaluate(self.fields, a=x, f=f))

    def add_constraints(self, c: FloatArray, f: FloatArray) -> None:
        """Add the constraint equations to c, shape (m + 1,), and the constraint forces to ``f``, shape (n + 1,) (stage
        CONSTRAINTS).
        """
        run_steps(constraint_steps(self, c, f))

    def add_tangent(self, values: FloatArray, dq: float, dv: float, da: float, load_factor: float, mass: float) -> None:
        """Add the tangent of forces, inertia and loads to the matrix values.

        Args:
            values: matrix values in the storage in use, see `use` and `update_pattern`, shape (spare + 1,).
            dq, dv, da: derivatives of the coordinates q, the velocities v and the accelerations a with respect to the
                unknowns of the solver, scalars.
            load_factor: factor on loads.
            mass: factor on the constant mass matrix. In dynamics the factor is equal to da.
        """
        run_steps(tangent_steps(self, values, dq, dv, da, mass))
        self.add_load_tangent(values, dq, dv, load_factor)

    def add_load_tangent(self, values: FloatArray, dq: float, dv: float, load_factor: float) -> None:
        """Subtract the tangent of all loads, multiplied by ``load_factor``, from the matrix values. The arguments are
        explained in `add_tangent`.
        """
        run_steps(self.load_tangent_steps(values, dq, dv, load_factor, self.world.gravity))

    def load_tangent_steps(
        self, values: FloatArray, dq: float, dv: float, load_factor: float, gravity: FloatArray
    ) -> list[Step]:
        """Return the steps of a `Program` that is equivalent to `add_load_tangent`. When these steps run, they read the
        gravitational acceleration from the array ``gravity``.
        """
        factors, found = {"dq": -load_factor * dq, "dv": -load_factor * dv}, list[Step]()
        for component, system in self.layout.systems.items() if load_factor != 0.0 else ():
            if system.load is not None and system.load.tangent is not None:
                found.append((system.load.tangent, (self.evaluation(component, values, **factors),)))
            weight = system.body_force
            if weight is not None and weight.tangent is not None and self.world.gravity.any():
                own = {"g": gravity, "which": np.arange(len(system.dofs)), **factors}
                found.append((weight.tangent, (self.evaluation(component, values, **own),)))
        return found

    def add_mass_matrix(self, values: FloatArray) -> None:
        """Add the mass matrix at the present fields to the matrix values, shape (spare + 1,)."""
        run_steps(mass_steps(self, values, 1.0, self.layout.systems))
        for component, system in self.layout.systems.items():
            if system.inertia is not None and system.inertia.tangent is not None:
                system.inertia.tangent(self.evaluation(component, values, da=1.0))

    def add_constraint_tangent(self, values: FloatArray, dq: float, dv: float, multiplier_scale: float) -> None:
        """Add the tangent of all constraints to the matrix values. The argument ``multiplier_scale`` is the derivative
        of the multipliers with respect to the unknowns of the solver. The arguments dq and dv are explained in
        `add_tangent`.
        """
        run_steps(constraint_tangent_steps(self, values, dq, dv, multiplier_scale))

    def post_newton(self) -> PostNewton:
        """Update the history values (stage POST_NEWTON). Return the combined result of all systems, see
        `PostNewton`.
        """
        enter(Stage.POST_NEWTON)
        self.updates.program()
        leave(Stage.POST_NEWTON)
        return self.read_update()

    def read_update(self) -> PostNewton:
        """Return the result of the previous post-Newton update. The call is collective."""
        error, step, switched, force, row, worst = self.updates.total.tolist()
        if worst >= 0:
            self._worst = self._updating[int(worst)], int(row)
        self._own_error = error
        error, step, switched, force = self.processes.largest([error, -step, switched, force])
        return PostNewton(error, -step, bool(switched), force)

    @property
    def has_decisions(self) -> bool:
        """Whether this process has systems whose history values `decide` can change."""
        return any(system.decide is not None or system.post_newton is not None for system in self.systems)

    def decide(self, state: Values) -> None:
        """Determine the history values that represent contact states (open or closed, stick or slip) from the motion at
        the start of a solve. For systems without a function `decide`, this method runs the post-Newton update.
        """
        fields = self.load_fields(state)
        fields.start_data[:] = fields.data
        begin_step(fields, self.layout.reference, state)
        for system in self.systems:
            if system.decide is not None:
                system.decide(fields)
            elif system.post_newton is not None:
                run_post_newton(system, fields)
        state.data[:] = state.start_data[:] = fields.data

    def renew(self, state: Values) -> None:
        """Reset the history values that a call of `World.set` has made invalid. Call this method before a step."""
        if self._renewed_at == self.world.version:
            return
        fields, self._renewed_at = self.load_fields(state), self.world.version
        for renew in filter(None, (system.changes.renew for system in self.systems)):
            renew(fields)
        state.data[:] = fields.data

    def describe_worst(self) -> str:
        """Return a description of the connector with the largest force error in the previous post-Newton update. The
        call is collective.
        """
        name, (component, row) = "", self._worst
        if component is not None:
            table, rows = self.world.tables[component], self.layout.rows[component]
            name = component.__name__ + (f" row {rows[row]}" if row >= 0 else "")
            label = table.describe(int(rows[row])) if row >= 0 else name
            # the label of a row without a name consists of the name of the component and the row number
            name += "" if row < 0 or label == f"{component.__name__} {rows[row]}" else f" ({label})"
        found: list[tuple[float, str]] = self.processes.allgather("force errors", (self._own_error, name))
        return max(found, key=lambda pair: pair[0])[1]

    def energy(self) -> float:
        """Return the sum [J] of the energies that the rows of this process store, over all laws with an account."""
        return sum(system.energy(self.fields) for system in self.systems)

    def diagnose(self) -> list[str]:
        """Return the reasons why rows of this world cannot be evaluated at the present fields. The list is empty if all
        rows can be evaluated. The call is collective.
        """
        return self._gather([words for c in self._checks if c.diagnose for words in c.diagnose(self.fields)])

    def list_refusals(self) -> list[str]:
        """Return the reasons why no motion can start from the present fields. The list is empty if a motion can start.
        The call is collective.
        """
        return self._gather([words for c in self._checks if c.refusals for words in c.refusals(self.fields)])

    def find_faults(self) -> list[Fault]:
        """Return the faults of the rows at the present fields, see `Fault`. The call is collective."""
        return self._gather([fault for c in self._checks if c.find_faults for fault in c.find_faults(self.fields)])

    def _gather(self, mine: list[Any]) -> list[Any]:
        """Return the messages or faults of all processes in one list without repetitions. The call is collective."""
        return list(dict.fromkeys(self.processes.join("findings", mine)))

    def calling(self) -> Calling:
        """Return the context manager in which user functions are called. User functions must not evaluate another state
        or start a solve.
        """
        return self._calling

    def check_idle(self, what: str) -> None:
        """Raise ModelError if this method is called within a user function while a solver evaluates forces."""
        if self.evaluating:
            raise ModelError(
                f"{what} within a function that a solver calls for forces, moments or prescribed values: the "
                "function may use only its arguments; hooks may evaluate outputs"
            )

    @contextmanager
    def isolated(self) -> Iterator[None]:
        """Context manager for evaluations or solves that must not change the fields of this assembly."""
        fields = self.fields
        arrays = [array for array in vars(fields).values() if isinstance(array, np.ndarray)]
        kept = [array.copy() for array in arrays]
        rate_level = fields.rate_level
        try:
            yield
        finally:
            for array, values in zip(arrays, kept, strict=True):
                array[:] = values
            fields.rate_level = rate_level
            self.update_markers()

    def load_fields(self, state: Values) -> Fields:
        """Copy a state to the fields, evaluate the markers, and return the fields."""
        self.check_idle("a state is evaluated")
        self.refresh()
        n, fields, layout = self.layout.spare, self.fields, self.layout
        fields.x[:n] = layout.reference[:n] + state.q
        fields.v[:n], fields.a[:n] = state.v, state.a
        fields.lam[:-1] = state.lam
        fields.data[:], fields.start_data[:] = state.data, state.start_data
        fields.t, fields.rate_level, fields.at_end[0] = state.t, False, 0
        # user code may have changed a value on the process that owns the value, but not the copies on other processes
        layout.ghosts.copy_from_owners(fields.x, fields.v, fields.a)
        self.update_markers()
        return fields


def serial_assembly(world: World) -> Assembly:
    """Return the assembly of the whole world on this process. The assembly is created once per world.

    Raises:
        ModelError: this process stores only a part of the world.
    """
    if world.is_distributed and launched_size() == 1:
        world.finalize()  # on a single process, this call raises an error, because the process must provide all rows
    if world.is_distributed:
        raise ModelError(
            "this call requires a model on one process, but the model is distributed over several processes: run "
            "without mpiexec"
        )
    assembly: Assembly = world.resource("assembly", lambda: Assembly(world))
    return assembly
