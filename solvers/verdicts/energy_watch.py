"""Check whether laws create energy. A law is a type of element, such as cables, springs or contacts. The increase of
the stored energy of a law in a step must not exceed the work that is done on this law.

Consider a law with a stored energy U and forces f on the left-hand side of the equations of motion. The energy that the
law creates in a step from n to n + 1 is

    created = U_{n+1} - U_n - (q_{n+1} - q_n)·(f_n + f_{n+1})/2.

The energy that the law dissipates reduces ``created``. For exact motion ``created`` is at most 0. The error of the
trapezoidal sum is of third order in the step size. If the step size does not resolve contacts, energy is created in
each step, even if the motion seems to be correct. Created energy therefore shows that the steps are too long. To save
time, only some steps are checked. The check uses the states at both ends of the step. The checked steps are steps at
given intervals and, in separate sums, the `AFTER` steps that follow a failure.

Let eps be the relative rounding error of floating-point numbers. Rounding of coordinates x by eps |x| changes energies
by up to eps |f| |x|, and rounding of energies changes energies by eps U. These rounding errors are subtracted from the
energy created in a step. Energy that is created in the run is ignored if it is less than the fraction `SOLVED` of U.
The reason is that the tolerances of an initial equilibrium allow an error of this fraction of U.

Source: the discrete balance of the trapezoidal rule, T. J. R. Hughes, The Finite Element Method (1987), section 9.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.assembly.array_kernels import clear, take_work
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.assembly.steps import mass_product_steps
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.kernels.program import NO_CALLS, Program, Step
from windlass.framework.ledger.balance_kernels import drop_states
from windlass.framework.model.system import evaluate
from windlass.framework.state.hooks import IdleSteps
from windlass.framework.state.state import State
from windlass.solvers.verdicts.watch import SOLVED, Watch

EVERY = 512
"""Largest number of steps between checks. Earlier checks are at the steps 32, 64, 128 and so on."""
FIRST = 16
"""Number of steps at the start of a solve that are all checked."""
AFTER = 16
"""Number of steps that are checked after a failed step."""
SHARE = 0.05
"""Ratio [1] of the energy created in the checked steps to the sum of the absolute works and energy changes of all laws
in these steps. Below this value, the created energy is ignored. The ratio is below 0.01 in resolved runs and 0.16 or
more in unstable runs.
"""
EPSILON = float(np.finfo(float).eps)
WEIGHT = 0.01
"""Smallest ratio [1] of the created energy to the largest kinetic energy of the run for which created energy is
reported.
"""
CREATED, TURNED, KINETIC, ROUNDING, STORED = range(5)
"""Indices of the sums [J] of a check.

CREATED: energy that the laws have created in the step.
TURNED: sum of the absolute works and energy changes of the laws in the step.
KINETIC: kinetic energy at the end of the step.
ROUNDING: estimated rounding error of ``CREATED``.
STORED: stored energy at the start of the step.
"""


def is_due(number: int) -> bool:
    """Return whether the step with the given index, counted from 1, is checked. Checked steps are pairs of consecutive
    steps.
    """
    before = number - 1
    # the binary form of a power of two contains a single 1
    one_bit = number & before == 0 or before & (before - 1) == 0
    return number <= FIRST or one_bit or number % EVERY == 0 or before % EVERY == 0


@kernel
def add_energies(energies: FloatArray, law: int, now: FloatArray) -> None:
    """Store the sum of the energies of a law, shape (k, rows), in ``now[law]``."""
    total = 0.0
    for i in range(energies.shape[0]):
        for j in range(energies.shape[1]):
            total += energies[i, j]
    now[law] = total


@kernel
def compare_energies(
    now: FloatArray,
    before: FloatArray,
    work: FloatArray,
    forces: FloatArray,
    x: FloatArray,
    v: FloatArray,
    momentum: FloatArray,
    sums: FloatArray,
) -> None:
    """Compute the sums of a check, see `CREATED`, and copy the stored energies ``now`` to ``before``.

    The rounding errors are computed from the forces at the end of the step, which are similar to the forces at its
    start.

    Args:
        now, before, work: stored energies [J] at the end and at the start of the step, and works [J] of the laws, shape
            (laws,).
        forces: forces of the laws, shape (laws, n + 1).
        x, v: coordinates, shape (n + 1,), and velocities, shape (n,).
        momentum: products of mass matrix and velocities, shape (n + 1,).
        sums: results, shape (5,).
    """
    for i in range(len(sums)):
        sums[i] = 0.0
    for k in range(len(now)):
        sums[CREATED] += now[k] - before[k] - work[k]
        sums[TURNED] += abs(work[k]) + abs(now[k] - before[k])
        sums[STORED] += before[k]
        sums[ROUNDING] += now[k] + before[k]
        for i in range(len(x)):
            sums[ROUNDING] += 2.0 * abs(forces[k, i]) * abs(x[i])
        before[k] = now[k]
    sums[ROUNDING] *= EPSILON
    for i in range(len(v)):
        sums[KINETIC] += 0.5 * v[i] * momentum[i]


@kernel
def add_check(sums: FloatArray, run: FloatArray, checks: IntArray) -> None:
    """Add the sums of a check to the sums of the run, if the previous step was also checked.

    If energy is lost in a step, it is not subtracted from energy that is created in another step.

    Args:
        sums: sums of the check, shape (5,).
        run: sum of the created energies, sum of the values `TURNED`, largest kinetic energy and largest stored energy,
            shape (2, 4). Row 0 is for steps at given intervals, and row 1 is for steps after failures.
        checks: whether the previous step was checked, the row of ``run`` for the present step, and the number of checks
            in each row, shape (4,).
    """
    k = checks[1]
    if checks[0] != 0:
        run[k, 0] += max(sums[CREATED] - sums[ROUNDING], 0.0)
        run[k, 1] += sums[TURNED]
        run[k, 2], run[k, 3] = max(run[k, 2], sums[KINETIC]), max(run[k, 3], sums[STORED])
        checks[2 + k] += 1
    checks[0] = 1


class EnergyWatch(Watch):
    """Check in some steps of a solve whether laws create energy.

    Args:
        assembly: the systems of this process. Its fields contain the state that is checked.
    """

    name = "energy"

    def __init__(self, assembly: Assembly) -> None:
        self._assembly = assembly
        self._wanted = False
        # displacements at the last check, and forces and stored energies of the laws at the last check
        self._q, self._before = np.zeros(assembly.layout.spare), np.zeros((0, len(assembly.fields.x)))
        self._energies = np.zeros(0)
        # the program that computes the forces of the laws, and the program that computes the sums of a check
        self._program, self._check = NO_CALLS, NO_CALLS
        self._made_for: tuple[Any, Any, int] = None, None, -1
        # number of accepted steps, number of the next step at the given intervals, and number of the last step that is
        # checked after a failure
        self._steps, self._due, self._last = 0, 0, 0
        # arguments of `add_check`
        self._sums, self._run, self._checks = np.zeros(5), np.zeros((2, 4)), np.zeros(4, np.int64)
        self._add_check = call(add_check)

    def begin(self, state: State, duration: float) -> None:
        """Begin the checks of a run, see `Watch.begin`."""
        self._steps, self._due, self._last = 0, 0, 0
        self._run[:], self._checks[:] = 0.0, 0

    def checkpoint(self) -> dict[str, Any]:
        """Return values that a resumed run needs."""
        looks, sums = self._checks[2:].tolist(), self._run.ravel().tolist()
        return {"steps": self._steps, "last": self._last, "looks": looks, "sums": sums}

    def restore(self, kept: Mapping[str, Any]) -> None:
        """Continue from values that `checkpoint` has returned."""
        self._steps, self._due, self._last = int(kept["steps"]), 0, int(kept["last"])
        self._run[:], self._checks[:] = np.reshape(kept["sums"], (2, 4)), (0, 0, *kept["looks"])

    def before_step(self, state: State, h: float, moved: bool) -> None:
        """Prepare the checks of the next step, see `Watch.before_step`."""
        number = self._steps + 1
        follows = number <= self._last
        self._wanted = follows or (number >= self._due and is_due(number))
        if self._wanted:
            self._lay_down(state)
            self._checks[1] = follows
            return
        self._checks[0] = 0
        if number >= self._due:
            # the next checked step has the number of the next power of two or of the next multiple of `EVERY`
            self._due = min(1 << (number - 1).bit_length(), -(-number // EVERY) * EVERY)

    def idle_steps(self, state: State) -> IdleSteps:
        """Return the steps before the next check, or the coming steps that compiled code checks. Compiled code checks
        consecutive steps, unless the check needs sums over several processes.
        """
        number = self._steps + 1
        if not self._wanted:
            return IdleSteps(self._due - number - 1, after=self._add_steps)
        last = number
        if self._assembly.processes.size == 1:
            last = max(number, self._last)
            while number > self._last and is_due(last + 1):
                last += 1
        return IdleSteps(last - number, self._check, self._add_steps)

    def _add_steps(self, steps: int) -> None:
        self._steps += steps

    def program(self) -> Program:
        """Return the compiled program that is executed after each Newton run. The program evaluates forces with the
        history values of this run, which are still in the fields.
        """
        return self._program if self._wanted else NO_CALLS

    def reject(self) -> None:
        """Record a failed step, see `Watch.reject`."""
        self._last = self._steps + AFTER

    def accept(self, state: State, t: float, h: float) -> None:
        """Record an accepted step. The fields contain the history values for the next step."""
        self._steps += 1
        if not self._wanted:
            return
        self._check()
        if self._assembly.processes.size > 1:
            self._sums[:] = self._assembly.processes.sum(self._sums)
            self._add_check(self._sums, self._run, self._checks)

    def judge(self) -> list[str]:
        """Return reasons to doubt the result, see `Watch.judge`."""
        places = "", " after failed attempts"
        for (created, turned, kinetic, stored), checks, place in zip(
            self._run.tolist(), self._checks[2:].tolist(), places, strict=True
        ):
            if checks == 0 or created <= SHARE * turned:
                continue
            # energy created in steps after failures is not extrapolated, because these steps do not represent the other
            # steps
            total = created if place else created / checks * self._steps
            if total > max(WEIGHT * kinetic, SOLVED * stored):
                return [
                    f"forces create energy: {created / turned:.0%} of the work that they turn over, seen in "
                    f"{checks} of {self._steps} steps{place}; contacts or stiff parts are not resolved: take a smaller "
                    "step"
                ]
        return []

    def _lay_down(self, state: State) -> None:
        """Collect the laws with a stored energy. Create the compiled programs that evaluate the forces of these laws
        and the sums of a check. Existing programs for this state and this model are used again.
        """
        assembly = self._assembly
        q, v, revision = self._made_for
        if q is state.q and v is state.v and revision == assembly.revision:
            return
        self._made_for = state.q, state.v, assembly.revision
        fields, layout = assembly.fields, assembly.layout

        def step(function: Any, *arguments: Any) -> Step:
            return call(function, arguments), (evaluate(fields),)

        laws = [s for s in assembly.systems if s.account is not None and s.account.is_whole]
        laws = [s for s in laws if s.residual is not None]
        if len(laws) != len(self._before):
            self._before, self._energies = np.zeros((len(laws), len(fields.x))), np.zeros(len(laws))
            self._checks[0] = 0
        forces, momentum = np.zeros_like(self._before), np.zeros(len(fields.x))
        now, work = np.zeros(len(laws)), np.zeros(len(laws))
        steps, checks = [step(clear, forces.reshape(-1))], [step(clear, momentum)]
        for i, (law, f) in enumerate(zip(laws, forces, strict=True)):
            assert law.residual is not None and law.account is not None
            steps.append((law.residual, (evaluate(fields, f=f),)))
            reading = law.account.create_reading(len(law.dofs))
            checks += [step(clear, values.reshape(-1)) for values in (reading.energies, reading.powers)]
            checks.append((law.account.read, (evaluate(fields, **reading._asdict()),)))
            checks.append(step(add_energies, reading.energies, i, now))
        checks.append(step(take_work, state.q, self._q, forces, self._before, work))
        checks += mass_product_steps(assembly, fields.v, momentum)
        if len(layout.states):
            checks.append(step(drop_states, layout.states, momentum.reshape(1, -1)))
        compared = now, self._energies, work, forces, fields.x, state.v, momentum, self._sums
        checks.append(step(compare_energies, *compared))
        if assembly.processes.size == 1:
            checks.append(step(add_check, self._sums, self._run, self._checks))
        self._program, self._check = Program(steps), Program(checks)
