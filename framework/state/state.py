"""The state: the values that change during a solve (coordinates, velocities, accelerations, multipliers, history values
and time).
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.assembly.assembly import Assembly, serial_assembly
from windlass.framework.assembly.parallel_assembly import parallel_assembly
from windlass.framework.checks.checks import checked, handle, inside, instance, optional, path, word
from windlass.framework.checks.values import read_numbers, show
from windlass.framework.errors import ModelError, OutputError
from windlass.framework.files.state_file import read_state_file, write_state_file
from windlass.framework.launch.launcher import communicator, is_first_process
from windlass.framework.model.table import Entity, check_entity
from windlass.framework.model.world import World
from windlass.framework.runtime.petsc import PETSc
from windlass.framework.state.exchange import NAMES, check_sizes, gather_values, scatter_values
from windlass.framework.state.fingerprint import check_state_model, describe_for_state
from windlass.framework.state.row_values import RowPlaces, check_stored
from windlass.framework.state.switches import describe_switches, take_switches

CHANGING = frozenset((*NAMES, "t", "step"))
"""Attributes of a state that can be assigned."""


class State:
    """All values of a model that a solver changes.

    ``State(world)`` contains the values of the whole model in world order, which is the order of the world numbers.
    Under MPI every process has the values of the whole model. The state of a solver contains only the values of one
    process. `gather` returns the state of the whole model.

    Assignments such as ``state.q = values`` copy the values into the existing array. Values that are not finite or have
    a different shape raise ModelError. A state refers to one world. To use its values in another world, such as a
    changed copy of the model, create a state of the other world, and call the method `assign` of the new state.
    Alternatively, save the state to a file, and call the method `load` of the new state.

    Args:
        world: the world, which the constructor finalizes if necessary.
        assembly: the assembly of this process, for a state in process-local numbering.

    Attributes:
        q: displacements [m, 1, rad] from the reference coordinates, shape (n,) for n coordinates.
        v, a: velocities and accelerations, shape (n,).
        carried: additional values, one per coordinate, that a time integrator passes from step to step, shape (n,).
        lam: Lagrange multipliers [N, N m], shape (m,) for m constraint equations.
        data: history values (gaps, stick-slip states, sticking positions), shape (d,) for d values.
        start_data: the history values at the start of the step, shape (d,).
        t: time [s].
        step: number of finished steps.
        saved: whether `save` was called during a solve. If ``saved`` is true, the solver discards cached data before
            the next step, see `save`.
    """

    saved = False

    def __setattr__(self, name: str, value: Any) -> None:
        # values are copied into the existing arrays, because solvers and PETSc store the addresses of the arrays
        if name in CHANGING and name in self.__dict__:
            value = _read_assigned(name, value, self.__dict__[name])
        object.__setattr__(self, name, value)

    @checked(world=instance("World"), assembly=optional(instance("Assembly")))
    def __init__(self, world: World, assembly: Assembly | None = None) -> None:
        self._world = world
        if assembly is None and communicator() is None:
            assembly = serial_assembly(world)
        self._assembly = assembly
        self.t = 0.0
        self.step = 0
        local = assembly or parallel_assembly(world)
        layout, multipliers = local.layout, len(local.layout.multipliers_owned)
        start = {"q": layout.displacement, "v": layout.velocity, "data": layout.data_initial}
        if assembly is None:
            start, multipliers = gather_values(local, start), world.numbering.multiplier_count
        self.q, self.v, self.data = (start[name].copy() for name in ("q", "v", "data"))
        self.a: FloatArray = np.zeros(len(self.q))
        self.carried: FloatArray = np.zeros(len(self.q))
        self.lam: FloatArray = np.zeros(multipliers)
        self.start_data: FloatArray = self.data.copy()

    def _derive(self, assembly: Assembly | None, values: Mapping[str, FloatArray]) -> State:
        """Return a copy of this state with the arrays ``values`` in place of the original arrays."""
        other = State.__new__(State)
        known = {"_world": self._world, "_assembly": assembly, "t": self.t, "step": self.step}
        # attributes are set directly, because `__setattr__` would check values that are known to be correct
        other.__dict__.update(known, **{name: values[name] for name in NAMES})
        return other

    def __repr__(self) -> str:
        sizes = f"{len(self.q)} coordinates, {len(self.lam)} multipliers, {len(self.data)} history values"
        return f"<State at t = {self.t:.9g} s, step {self.step}: {sizes}>"

    @property
    def world(self) -> World:
        """The world of this state."""
        return self._world

    @property
    def assembly(self) -> Assembly:
        """The assembly that defines the numbering of the values. For a whole state, this is the assembly of the whole
        world.

        Raises:
            ModelError: the state is whole, but the world is distributed.
        """
        return self._assembly if self._assembly is not None else serial_assembly(self._world)

    @property
    def is_whole(self) -> bool:
        """Whether the state contains the values of the whole world, in world order."""
        return self._assembly is None or self._assembly.layout.size == 1

    @checked(assembly=instance("Assembly"))
    def is_local_to(self, assembly: Assembly) -> bool:
        """Return whether the values are in the process-local numbering of an assembly."""
        return self._assembly is assembly

    def copy(self) -> State:
        """Return an independent copy of this state."""
        return self._derive(self._assembly, {name: getattr(self, name).copy() for name in NAMES})

    @checked(other=instance("State"))
    def assign(self, other: State) -> State:
        """Copy all values of another state, and return self. The other state may belong to another world if its
        arrays have the same sizes as the arrays of this state. An example is a state of the model from which this model
        was copied.

        Raises:
            ModelError: the arrays of the states have different sizes.
        """
        for name in NAMES:
            own, given = getattr(self, name), getattr(other, name)
            if own.shape != given.shape:
                raise ModelError(
                    f"{name} of other in State.assign has shape {given.shape}: must have {own.shape}, as in this state"
                )
        for name in NAMES:
            getattr(self, name)[:] = getattr(other, name)
        self.t, self.step = other.t, other.step
        return self

    @checked(name=word(*NAMES[:4]))
    def vector(self, name: str) -> Any:
        """Return a PETSc vector that uses the memory of ``q``, ``v``, ``a`` or ``carried``. Under MPI, the vector has
        ghosts.
        """
        array = getattr(self, name)
        if self._assembly is None or self._assembly.layout.size == 1:
            return PETSc.Vec().createWithArray(array, comm=PETSc.COMM_SELF)
        layout = self._assembly.layout
        return PETSc.Vec().createGhostWithArray(layout.ghost_numbers, array, comm=layout.comm)

    @checked(entity=handle(), name=word(*NAMES))
    def of(self, entity: Entity, name: str = "q") -> FloatArray:
        """Return a copy of the values of the rows of a handle, shape (rows, k) for at most k values of a row.

        Under MPI the call is collective. Each process receives the values of all rows.

        Args:
            entity: the entities.
            name: name of an array of the state. ``q``, ``v``, ``a`` or ``carried``: one value per coordinate of a node
                or body, in the order of ``dof_names``, or 0 if a row lacks a coordinate. ``lam``: the multipliers of
                constraints, in the order of their equations. ``data`` or ``start_data``: the history values of
                connectors, or of rows of `GenericData`. The order of the history variables is given in the docstring of
                the law. Each history variable has one value per segment or point, and rows with fewer values are padded
                with NaN.

        Raises:
            ModelError: the handle belongs to another world, or its entities have no values of this name.
        """
        if name in NAMES[4:]:
            return RowPlaces(self._world, self._assembly, entity, name).collect(getattr(self, name))
        array, dofs = getattr(self, name), self.local_dofs(entity)
        if self._assembly is None or self._assembly.layout.size == 1:
            # results are often read after each step, so only the requested values are copied
            values = np.zeros(dofs.shape)
            present = (dofs >= 0) & (dofs < len(array))
            values[present] = array[dofs[present]]
            return values
        # each value is included only on its owner, because the values of all processes are summed
        owned = len(self._assembly.layout.owned)
        values = np.append(array[:owned], 0.0)[np.minimum(dofs, owned)]
        return self._assembly.processes.sum(values)

    @checked(entity=handle(), name=word(*NAMES), values=inside())
    def put(self, entity: Entity, values: Any, name: str = "q") -> None:
        """Set values of the rows of a handle. `of` returns these values. The array ``values`` has the shape (rows, k),
        or the shape (k,) for equal values in all rows. A single number sets all values.

        Under MPI the call is collective, and each process must pass the values of all rows.

        Raises:
            ModelError: the handle belongs to another world, its entities have no values of this name, or values
                have a wrong shape or are not finite.
        """
        if name in NAMES[4:]:
            places = RowPlaces(self._world, self._assembly, entity, name).places
            there = places >= 0
        else:
            places = self.local_dofs(entity)
            there = places < len(self.q)
        given = read_numbers(values)
        if given is None or given.shape not in ((), places.shape[1:], (1, *places.shape[1:]), places.shape):
            raise ModelError(f"values = {show(values)} in State.put: must be numbers of shape {places.shape}")
        given = np.broadcast_to(given, places.shape)
        if not np.isfinite(given[there]).all():
            raise ModelError(f"values = {show(values)} in State.put: must be finite numbers")
        getattr(self, name)[places[there]] = given[there]

    @checked(entity=handle())
    def local_dofs(self, entity: Entity) -> IntArray:
        """Return the indices of the coordinates of entities in the arrays of this state, shape (rows, k) for at most k
        coordinates of an entity. For a coordinate that an entity does not have, or that is not on this process, the
        index is n, the number of coordinates of the state.

        Under MPI the call is collective.

        Raises:
            ModelError: the entities belong to another world.
        """
        check_entity(self.world.tables, entity, "entity", " in a method of State")
        dofs = self.world.dofs_of(entity)
        if self._assembly is None:
            return np.where(dofs < 0, len(self.q), dofs)
        return self._assembly.layout.local_dofs(dofs)

    def gather(self) -> State:
        """Return the state of the whole model in world order on every process. If this state is whole, return the state
        itself.
        """
        if self._assembly is None or self._assembly.layout.size == 1:
            return self
        return self._derive(None, gather_values(self._assembly, {name: getattr(self, name) for name in NAMES}))

    def scatter(self, stored: Mapping[str, FloatArray]) -> None:
        """Copy values to this state from the arrays ``stored`` of the whole model in world order.

        Raises:
            ModelError: the lengths of the arrays do not fit this model.
        """
        check_sizes(self._world.numbering, stored)
        local = stored if self._assembly is None else scatter_values(self._assembly, stored)
        for name in NAMES:
            getattr(self, name)[:] = local[name]

    @checked(OutputError, path=path())
    def save(self, path: str | Path) -> Path:
        """Write the whole state with its history values to a file (``.npz``), which `load` reads.

        The file contains data that identify the model, and the values of its switchable columns (`World.set`). The file
        has a digest, with which `load` detects damaged files. An old file is replaced only after the new file is
        complete. If the state is saved between two steps of a solve, the solver computes the tangent again. The
        subsequent results of the solve are then identical in all bits to the results of a solve that continues from the
        file.

        Raises:
            OutputError: the file cannot be written.
        """
        whole, model = self.gather(), {**describe_for_state(self._world), **describe_switches(self._world)}
        path, self.saved = Path(path), True
        if is_first_process():
            arrays = {name: getattr(whole, name) for name in NAMES}
            write_state_file(path, {"t": whole.t, "step": whole.step, **arrays, **model})
        return path

    @checked(OutputError, path=path(), switches=word("compare", "restore", "keep"))
    def load(self, path: str | Path, switches: str = "compare") -> State:
        """Copy the values from a file that `save` has written for this model, and return self.

        Args:
            path: the file.
            switches: treatment of switchable columns (friction, ``active``, loads; see `World.set`), except functions
                of time. ``"compare"``: raise an error if values of switchable columns differ between the model and the
                file. ``"restore"``: set switchable columns to the values in the file. ``"keep"``: do not change the
                model, for example to start a dynamic solve with friction from a preloaded state that was computed
                without friction. Files of old versions contain no switchable columns and are not compared.

        Raises:
            OutputError: the file cannot be read, has a wrong digest, or has values that are not finite.
            ModelError: the state in the file was saved for a model whose rows, node positions or values of switchable
                columns differ from this model.
        """
        stored, model = read_state_file(Path(path), (*NAMES, "t", "step"))
        check_stored(stored, path)
        check_sizes(self._world.numbering, stored)
        if "model" in model:
            check_state_model(self._world, model, f"state file {path}")
        take_switches(self._world, model, switches, f"state file {path}")
        self.scatter(stored)
        self.t, self.step = float(stored["t"]), int(stored["step"])
        return self


def _read_assigned(name: str, given: Any, old: Any) -> Any:
    """Return the value that an attribute has after an assignment. New values of an array are copied into the existing
    array.

    Raises:
        ModelError: values are not finite, or have a wrong shape.
    """
    if isinstance(old, np.ndarray):
        # if ``given`` is the array itself, a statement such as ``state.q += dq`` has already changed the values
        if given is not old:
            values = read_numbers(given) if np.size(given) else np.asarray(given, np.float64)
            if values is None or values.shape != old.shape:
                has = f"has shape {values.shape}" if values is not None else f"= {show(given)}"
                raise ModelError(f"{name} of a State {has}: must be numbers of shape {old.shape}")
            for k in np.flatnonzero(~np.isfinite(values))[:1]:
                raise ModelError(f"{name}[{k}] = {values[k]} of a State: must be finite numbers")
            old[:] = values
        return old
    if (type(given) is float and name == "t" and isfinite(given)) or (type(given) is int and name == "step"):
        return given
    value = read_numbers(given)
    unit = " s" if name == "t" else ""
    if value is None or value.shape or not np.isfinite(value) or (name == "step" and value != np.floor(value)):
        words = "a finite number" if name == "t" else "a whole number"
        raise ModelError(f"{name} = {show(given)}{unit} of a State: must be {words}")
    return float(value) if name == "t" else int(value)


def check_world(state: State, world: World, where: str) -> None:
    """Raise ModelError if a state belongs to another world."""
    if state.world is not world:
        raise ModelError(
            f"state in {where} belongs to another world: must belong to the same World object, even if both "
            "worlds are equal; State(world).load(FILE) reads a saved state, State(world).assign(state) copies "
            "the values of another"
        )


def local_state(assembly: Assembly, state: State | None) -> State:
    """Return a new process-local state with the values of a state of this world, or with the initial values if no state
    is given.

    Raises:
        ModelError: the state belongs to another world.
    """
    if state is not None:
        check_world(state, assembly.world, "a solve")
    if state is not None and state.is_local_to(assembly):
        return state.copy()
    local = State(assembly.world, assembly)
    if state is not None:
        whole = state.gather()
        local.scatter({name: getattr(whole, name) for name in NAMES})
        local.t, local.step = whole.t, whole.step
    return local


def as_local(state: State) -> State:
    """Return the state itself if its values are in the process-local numbering. Otherwise return a copy in the
    process-local numbering. See `local_state`.
    """
    assembly = parallel_assembly(state.world)
    return state if state.is_local_to(assembly) else local_state(assembly, state)
