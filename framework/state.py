"""What changes during a computation: coordinates, velocities, accelerations, multipliers, history values and time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from windlass.framework.errors import ModelError, OutputError
from windlass.framework.law import FloatArray
from windlass.framework.table import Entity, IntArray

if TYPE_CHECKING:
    from windlass.framework.assembly import Assembly
    from windlass.framework.world import World

NAMES = ("q", "v", "a", "algorithmic_a", "lam", "data", "start_data")


class State:
    """All that a solver changes; local values of one process (in serial: all, in world order).

    Attributes:
        q: displacements from the reference coordinates [m, 1, rad], shape (n,).
        v, a: velocities and accelerations, shape (n,).
        algorithmic_a: acceleration-like variable of the generalised-alpha method, shape (n,).
        lam: Lagrange multipliers [N, N m], shape (m,).
        data: history values (gaps, stick-slip states, sticking positions), shape (d,).
        start_data: the history values at the start of the step, shape (d,).
        t: time [s].
        step: number of steps done.
    """

    def __init__(self, world: World, assembly: Assembly | None = None) -> None:
        from windlass.framework.assembly import serial_assembly

        self.assembly = assembly if assembly is not None else serial_assembly(world)
        layout, number = self.assembly.layout, self.assembly.world.numbering
        self.q: FloatArray = number.displacement[layout.dofs].copy()
        self.v: FloatArray = number.velocity[layout.dofs].copy()
        self.a: FloatArray = np.zeros(layout.spare)
        self.algorithmic_a: FloatArray = np.zeros(layout.spare)
        self.lam: FloatArray = np.zeros(len(layout.multipliers_owned))
        self.data: FloatArray = number.data_initial[layout.data_rows_owned].copy()
        self.start_data: FloatArray = self.data.copy()
        self.t = 0.0
        self.step = 0

    @property
    def world(self) -> World:
        """The world that this state belongs to."""
        return self.assembly.world

    def copy(self) -> State:
        """An independent copy."""
        other = State.__new__(State)
        other.assembly = self.assembly
        for name in NAMES:
            setattr(other, name, getattr(self, name).copy())
        other.t, other.step = self.t, self.step
        return other

    def assign(self, other: State) -> None:
        """Take over all values of another state of the same world and process."""
        for name in NAMES:
            getattr(self, name)[:] = getattr(other, name)
        self.t, self.step = other.t, other.step

    def vector(self, name: str) -> Any:
        """A PETSc vector over the memory of ``q``, ``v``, ``a`` or ``algorithmic_a``, with ghosts under MPI."""
        from windlass.framework.exchange import ghost_coordinates
        from windlass.framework.petsc import PETSc

        layout, array = self.assembly.layout, getattr(self, name)
        if layout.size == 1:
            return PETSc.Vec().createWithArray(array, comm=PETSc.COMM_SELF)
        return PETSc.Vec().createGhostWithArray(ghost_coordinates(self.assembly), array, comm=self.assembly.comm)

    def of(self, entity: Entity, name: str = "q") -> FloatArray:
        """Values of ``q``, ``v`` or ``a`` of nodes or bodies, shape (rows, k); a copy."""
        values: FloatArray = np.append(getattr(self, name), 0.0)[self.local_dofs(entity)]
        return values

    def put(self, entity: Entity, values: Any, name: str = "q") -> None:
        """Set values of ``q``, ``v`` or ``a`` of nodes or bodies, shape (rows, k) or broadcast to it."""
        dofs = self.local_dofs(entity)
        inside = dofs < self.assembly.layout.spare
        getattr(self, name)[dofs[inside]] = np.broadcast_to(np.asarray(values, float), dofs.shape)[inside]

    def local_dofs(self, entity: Entity) -> IntArray:
        """Local coordinate numbers of an entity, shape (rows, k)."""
        if entity.table is not self.world.tables.get(entity.table.component):
            raise ModelError(f"{entity!r} belongs to another world than this state")
        return self.assembly.layout.local_dofs(self.world.dofs_of(entity))

    def gather(self) -> State:
        """The whole state in world order on every process; itself in serial."""
        from windlass.framework.exchange import gather_state

        return gather_state(self.assembly, self)

    def save(self, path: str | Path) -> Path:
        """Write the whole state with its history values to a file (``.npz``); read it with `load`."""
        whole = self.gather()
        path = Path(path)
        if self.assembly.layout.rank == 0:
            try:
                with path.open("wb") as file:
                    arrays = {name: getattr(whole, name) for name in NAMES}
                    np.savez(file, t=whole.t, step=whole.step, **arrays)
            except OSError as error:
                raise OutputError(f"state file {path}: {error.strerror}; needs a folder that can be written") from None
        return path

    def load(self, path: str | Path) -> State:
        """Take over the values of a file that `save` wrote for the same model; returns itself."""
        try:
            with np.load(path) as file:
                stored = {name: file[name] for name in (*NAMES, "t", "step")}
        except (OSError, ValueError, KeyError) as error:
            raise OutputError(f"state file {path} cannot be read: {error}") from None
        from windlass.framework.exchange import scatter_state

        scatter_state(self.assembly, stored, self)
        self.t, self.step = float(stored["t"]), int(stored["step"])
        return self
