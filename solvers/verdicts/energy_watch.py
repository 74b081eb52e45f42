"""Check whether laws create energy. A law is a type of element, such as cables, springs or contacts; in a step, the
stored energy of a law must not increase by more than the work done on this law.

For each law with a stored energy U and forces f (on the left-hand side of the equations of motion), the energy created
in a step from n to n + 1 is

    created = U_{n+1} - U_n - (q_{n+1} - q_n)·(f_n + f_{n+1})/2.

If the law dissipates energy, ``created`` is reduced by the dissipated energy. For exact motion ``created`` is at most
0; the error of the trapezoidal sum is of third order in the step size. If the step size does not resolve contacts,
energy is created in each step, even if the motion appears correct. Therefore created energy indicates that the steps
are too long. To save time, only some steps are checked, with the states at both ends of the step.

With the relative rounding error eps of floating-point numbers, rounding of coordinates x by eps |x| changes energies by
up to eps |f| |x|, and rounding of energies changes energies by eps U. Energy created in a step is reduced by these
rounding errors. Energy created in the run is ignored below the fraction `SOLVED` of U. This fraction of U is the error
that the tolerances of an initial equilibrium allow.

Source: the discrete balance of the trapezoidal rule, T. J. R. Hughes, The Finite Element Method (1987), section 9.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from windlass.framework.assembly.array_kernels import clear, take_work
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.assembly.steps import mass_product_steps, run_steps
from windlass.framework.kernels.call import call
from windlass.framework.kernels.program import NO_CALLS, Program, Step
from windlass.framework.model.system import System, evaluate
from windlass.framework.state.state import State
from windlass.solvers.verdicts.watch import SOLVED, Watch

EVERY = 512
"""Largest number of steps between checks; earlier checks are at the steps 32, 64, 128 and so on."""
FIRST = 16
"""Number of steps at the start of a solve that are all checked."""
SHARE = 0.05
"""Energy created in the checked steps, relative to the sum of the absolute works and energy changes of all laws in
these steps [1], below which the created energy is ignored. The ratio is below 0.01 in resolved runs and 0.16 or more in
unstable runs.
"""
EPSILON = float(np.finfo(float).eps)
WEIGHT = 0.01
"""Smallest energy created over the run that is reported, relative to the largest kinetic energy [1]."""


def is_due(number: int) -> bool:
    """Return whether the step with the given index, counted from 1, is checked. Checked steps occur in pairs of
    consecutive steps.
    """
    before = number - 1
    # the binary form of a power of two has a single bit 1
    one_bit = number & before == 0 or before & (before - 1) == 0
    return number <= FIRST or one_bit or number % EVERY == 0 or before % EVERY == 0


class EnergyWatch(Watch):
    """Checks in some steps of a solve whether laws create energy.

    Args:
        assembly: the systems of this process; its fields contain the state that is checked.
    """

    name = "energy"

    def __init__(self, assembly: Assembly) -> None:
        self._assembly = assembly
        self._wanted = False
        self._watched: list[System] = []
        # values at the last check: displacements, mass times velocities, forces of each law, and stored energy of each
        # law
        self._q, self._product = np.zeros(assembly.layout.spare), np.zeros(len(assembly.fields.x))
        self._before = self._forces = np.zeros((0, len(assembly.fields.x)))
        self._energies: list[float] = []
        self._work = np.zeros(0)
        self._program, self._revision = Program([]), -1
        self._mass_product: list[Step] = []
        self._take_work = call(take_work)
        self._last_step, self._steps, self._due, self._looks = -1, 0, 0, 0
        self._created = self._turned = self._kinetic = self._stored = 0.0

    def begin(self, state: State, duration: float) -> None:
        """See `Watch`."""
        self._last_step, self._steps, self._due, self._looks = -1, 0, 0, 0
        self._created = self._turned = self._kinetic = self._stored = 0.0

    def checkpoint(self) -> dict[str, Any]:
        """See `Watch`."""
        sums = [self._created, self._turned, self._kinetic, self._stored]
        return {"steps": self._steps, "looks": self._looks, "sums": sums}

    def restore(self, kept: Mapping[str, Any]) -> None:
        """See `Watch`."""
        self._steps, self._looks = int(kept["steps"]), int(kept["looks"])
        self._created, self._turned, self._kinetic, self._stored = (float(value) for value in kept["sums"])
        self._last_step, self._due = -1, 0

    def before_step(self, state: State, h: float, moved: bool) -> int:
        """See `Watch`."""
        number = self._steps + 1
        self._wanted = number >= self._due and is_due(number)
        if self._wanted:
            return 1
        if number >= self._due:
            # the number of the next checked step is the next power of two or the next multiple of `EVERY`
            self._due = min(1 << (number - 1).bit_length(), -(-number // EVERY) * EVERY)
        return self._due - number

    def skip(self, steps: int) -> None:
        """See `Watch`."""
        self._steps += steps

    def program(self) -> Program:
        """See `Watch`. When the program is executed, the fields contain the history values on which the forces in the
        step depend."""
        if not self._wanted:
            return NO_CALLS
        if self._revision != self._assembly.revision:
            self._lay_down()
        return self._program

    def accept(self, state: State, t: float, h: float) -> None:
        """See `Watch`; the fields contain the history values for the next step."""
        self._steps += 1
        if not self._wanted:
            return
        fields = self._assembly.fields
        energies = [system.energy(fields) for system in self._watched]
        self._take_work(state.q, self._q, self._forces, self._before, self._work)
        if self._last_step == self._steps - 1:
            self._compare(energies, state)
        self._energies, self._last_step = energies, self._steps

    def judge(self) -> list[str]:
        """See `Watch`."""
        if self._looks == 0 or self._created <= SHARE * self._turned:
            return []
        if self._created / self._looks * self._steps <= max(WEIGHT * self._kinetic, SOLVED * self._stored):
            return []
        return [
            f"forces create energy: {self._created / self._turned:.0%} of the work that they turn over, seen in "
            f"{self._looks} of {self._steps} steps; contacts or stiff parts are not resolved: take a smaller step"
        ]

    def _lay_down(self) -> None:
        """Collect the laws with a stored energy, and create the compiled program that evaluates the forces of these
        laws.
        """
        assembly = self._assembly
        laws = [s for s in assembly.systems if s.account is not None and s.account.is_whole]
        laws = [s for s in laws if s.residual is not None]
        if len(laws) != len(self._forces):
            shape = len(laws), len(assembly.fields.x)
            self._forces, self._before, self._work = np.zeros(shape), np.zeros(shape), np.zeros(len(laws))
            self._last_step = -1
        values = self._forces.reshape(-1)
        steps: list[Step] = [(call(clear, (values,)), (evaluate(assembly.fields),))]
        for law, f in zip(laws, self._forces, strict=True):
            assert law.residual is not None
            steps.append((law.residual, (evaluate(assembly.fields, f=f),)))
        self._watched, self._program = laws, Program(steps)
        self._mass_product = mass_product_steps(assembly, assembly.fields.v, self._product)
        self._revision = assembly.revision

    def _compare(self, energies: list[float], state: State) -> None:
        created = turned = 0.0
        for before, now, work in zip(self._energies, energies, self._work.tolist(), strict=True):
            created += now - before - work
            turned += abs(work) + abs(now - before)
        assembly, product = self._assembly, self._product
        product[:] = 0.0
        run_steps(self._mass_product)
        product[assembly.layout.states] = 0.0
        kinetic = 0.5 * float(state.v @ product[:-1])
        # rounding errors are estimated with the present forces, which are similar to the forces at the start of the
        # step
        rounding = (
            2.0 * float((np.abs(self._forces) @ np.abs(assembly.fields.x)).sum()) + sum(self._energies) + sum(energies)
        )
        mine = np.array([created, turned, kinetic, EPSILON * rounding, sum(self._energies)])
        created, turned, kinetic, rounding, stored = assembly.processes.sum(mine).tolist()
        # energy lost in one step does not cancel energy created in another step
        self._created += max(created - rounding, 0.0)
        self._turned += turned
        self._kinetic, self._stored = max(self._kinetic, kinetic), max(self._stored, stored)
        self._looks += 1
