"""Loads of a world. Loads that have not changed are not evaluated again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.assembly.array_kernels import clear
from windlass.framework.assembly.mass import add_multiple
from windlass.framework.kernels.call import call
from windlass.framework.kernels.program import Program, Step
from windlass.framework.model.system import Fields, System, Term, evaluate
from windlass.framework.model.world import World


class Loads:
    """The loads of the systems of one process.

    Weights, and other loads that do not depend on coordinates (loads without a tangent), are cached. Cached weights are
    valid until gravity or the rows change. Other cached loads are valid until gravity, the rows or the time change.

    Args:
        world: the world. Its gravity [m/s^2] determines the weights.
        fields: arrays that the systems read.
        systems: the systems of this process.
        around: function that returns a context manager. Compiled code calls Python functions within this context, see
            `Program`.

    Attributes:
        sum: sum of all loads that do not depend on coordinates, updated by `update`, shape (n + 1,). The array is never
            replaced.
        gravity: gravitational acceleration [m/s^2] at the previous `update`, shape (3,). The array is never replaced.
        weights: the part of ``sum`` that does not depend on time, shape (n + 1,). The array is never replaced.
    """

    def __init__(
        self,
        world: World,
        fields: Fields,
        systems: Sequence[System],
        around: Callable[[], AbstractContextManager[Any]] = nullcontext,
    ) -> None:
        self._world, self._fields, self._around = world, fields, around
        heavy = [(s, s.body_force) for s in systems if s.body_force is not None]
        self._weighing = [(s, force) for s, force in heavy if force.tangent is None]
        loads = [s.load for s in systems if s.load is not None]
        self._timed = [load.force for load in loads if load.tangent is None]
        self._program: Program | None = None
        self._live = [load.force for load in loads if load.tangent is not None]
        self._live_weights = [(s, force) for s, force in heavy if force.tangent is not None]
        self.weights = np.zeros(len(fields.x))
        self.sum = np.zeros(len(fields.x)) if self._timed else self.weights
        self.gravity = np.zeros(3)
        self._mark = (np.nan, -1, b"")
        self._add_multiple = call(add_multiple)

    def add(self, f: FloatArray, factor: float, clear: bool = False, live: bool = True) -> None:
        """Add a multiple of all loads (right-hand side, without the load factor) to ``f``, shape (n + 1,).

        Args:
            f: array to which the loads are added, shape (n + 1,). If ``clear`` is true, f is first set to 0.
            factor: factor on the loads. If the factor is 0, no load is evaluated.
            live: whether to add the loads that depend on coordinates, in addition to all other loads.
        """
        if factor == 0.0:
            if clear:
                f[:] = 0.0
            return
        self.update()
        if clear:
            np.multiply(self.sum, factor, out=f)
        else:
            self._add_multiple(self.sum, factor, f)
        if live and not self.are_steady:
            loads = np.zeros_like(f)
            for function, where in self.live_steps(loads):
                function(*where)
            self._add_multiple(loads, factor, f)

    def steps(self, f: FloatArray, factor: float) -> list[Step]:
        """Return the steps of a `Program` that adds a multiple of all loads to ``f``, like `add`. Call `update` before
        these steps run.
        """
        where = (evaluate(self._fields),)
        found: list[Step] = [(call(add_multiple, (self.sum, factor, f)), where)]
        if not self.are_steady:
            loads = np.zeros_like(f)
            found += [(call(clear, (loads,)), where), *self.live_steps(loads)]
            found.append((call(add_multiple, (loads, factor, f)), where))
        return found

    def add_sizes(self, f: FloatArray) -> None:
        """Add absolute values of loads to ``f``, shape (n + 1,). The loads that do not depend on coordinates are summed
        before the absolute values are computed. The absolute values of each load that depends on coordinates, such as
        the weight or the buoyancy of a body, are added separately.
        """
        self.update()
        loads = np.zeros_like(f)
        f += np.abs(self.sum)
        for function, where in self.live_steps(loads):
            loads[:] = 0.0
            function(*where)
            f += np.abs(loads)

    @property
    def are_steady(self) -> bool:
        """Whether no load depends on coordinates."""
        return not self._live and not (self._live_weights and self._world.gravity.any())

    def live_steps(self, f: FloatArray) -> list[Step]:
        """Return the steps of a `Program` that add the loads that depend on coordinates to ``f``, shape (n + 1,). Call
        `update` before these steps run.
        """
        weights, gravity = self._live_weights if self._world.gravity.any() else [], self.gravity
        found = [(load, (evaluate(self._fields, f=f),)) for load in self._live]
        for system, weight in weights:
            where = {"g": gravity, "which": np.arange(len(system.dofs)), "f": f}
            found.append((weight.force, (evaluate(self._fields, **where),)))
        return found

    @property
    def table(self) -> IntArray | None:
        """Table of the kernel calls that add time-dependent loads to ``sum``, in the form of the argument of `run` in
        addresses.py. The result is None if compiled code cannot call all these loads.
        """
        return None if self._program is None else self._program.table

    @property
    def timed_program(self) -> Program | None:
        """Program that adds time-dependent loads to ``sum``; None before the first call of `update`, or without such
        loads. The program must follow a copy of ``weights`` to ``sum``, see `leave_to_table`.
        """
        return self._program

    @property
    def are_timed(self) -> bool:
        """Whether the loads include time-dependent loads."""
        return bool(self._timed)

    def leave_to_table(self) -> bool:
        """Return whether the caller may compute ``sum`` instead of calling `update`. To compute ``sum``, the caller
        copies ``weights`` to ``sum``, and then runs ``table``. If the result is true, the next call of `update`
        computes ``sum`` again.
        """
        if self._program is None or self._world.gravity.tobytes() != self._mark[-1]:
            return False
        self._mark = (np.nan, -1, self._mark[-1])
        return True

    def update(self) -> None:
        """Update ``sum`` if the time, gravity or a value of the rows has changed."""
        fields, gravity = self._fields, self._world.gravity
        mark = (fields.t, self._world.version, gravity.tobytes())
        if mark != self._mark:
            if mark[-1] != self._mark[-1]:
                self.gravity[:] = gravity
                self.weights[:] = 0.0
                self._weigh(self._weighing, self.weights)
            if self._timed:
                self.sum[:] = self.weights
                if self._program is None:
                    steps = [(load, (evaluate(fields, f=self.sum),)) for load in self._timed]
                    self._program = Program(steps, around=self._around)
                self._program()
            self._mark = mark

    def explain(self) -> None:
        """Raise the error of a user function that interrupted the run of ``table``."""
        if self._program is not None:
            self._program.explain()

    def _weigh(self, systems: Sequence[tuple[System, Term]], f: FloatArray) -> None:
        gravity = self._world.gravity
        if gravity.any():
            for system, weight in systems:
                weight.force(evaluate(self._fields, g=gravity, which=np.arange(len(system.dofs)), f=f))
