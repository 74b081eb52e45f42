"""Check of the energy balance of a run. Energy may increase only by work, and decrease only by dissipation.

    created(t) = T + U - (T + U at the start) - W + A

The energies are the kinetic energy T, the stored energy U, the work W of loads and of prescribed motions, and A. The
energy A leaves the model by the inertia forces of added mass. These inertia forces are parts of loads.

T and U are functions of the state. Therefore checks after every `EVERY` to `LONGEST` steps are sufficient: energy
created between checks is included in the next check. W is summed over all steps, or over all checks if loads are
constant and no motions are prescribed. A is summed over all steps. ``created`` also contains two energies of laws: the
losses D >= 0, with a negative sign, and the transferred energy P:

- If ``created`` > 0, energy was created, regardless of the losses. Created energy is accepted up to the transferred
  energy. For this limit, the absolute value of the transferred power at the checks is integrated over time.
- If ``created`` < 0, the integration method has lost energy, provided that all laws conserve energy. The numerical
  damping of generalised-alpha is an intended property of the method. The energy loss by numerical damping is only
  reported in a note, unless the loss is a large fraction of the reference energy.

The reference energy is the largest value so far of the kinetic energy, the change of U, and the change of W. The check
uses the smallest created energy of three successive checks, because the numerical energy oscillates during an impact.
The energy of velocity Verlet contains an oscillating error h²/8 a·M a, with the step size h, the accelerations a and
the mass matrix M. This error is subtracted. Rounding of coordinates changes energies by up to eps |f| times the largest
coordinate. Here eps is the relative rounding error of numbers, and |f| is the sum of the absolute forces. Created
energy below this value is ignored. Created energy below the fraction `SOLVED` of the stored energy is also ignored,
because a run begins at an equilibrium whose residual is within tolerances. The energy of this residual appears in the
first steps, while the reference energy is still small.

If a hook changes columns or states, the interval between the checks before and after the change is excluded.

Source: T. J. R. Hughes, The Finite Element Method (1987), section 9.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.array_kernels import clear, copy_values
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.assembly.steps import mass_product_steps
from windlass.framework.command_line import options
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.kernels.program import Program, Step
from windlass.framework.ledger.balance_kernels import drop_states, mask_multipliers, take_kinetic
from windlass.framework.model.system import System, evaluate
from windlass.framework.state.hooks import IdleSteps
from windlass.framework.state.state import State
from windlass.solvers.verdicts.watch import ALL, SOLVED, Watch

EVERY = 128
"""Largest number of steps between two checks in the first 1024 steps. Checks follow after 2, 3, 5, 9 ... 129 steps,
then every 128 steps.
"""
LONGEST = 512
"""Largest number of steps between two checks in the whole run. From step 1024 on, every 256th step is checked. From
step 2048 on, every 512th step is checked.
"""
GAIN = 0.02
"""Created energy [1], relative to the reference energy. Above this value, a result is doubtful."""
BURST = 0.5
"""Ratio [1] of the energy created at a single check to the reference energy. Above this value, a result is doubtful.
`GAIN` is the limit for energy created at several successive checks.
"""
LOSS = 0.05
"""Ratio [1] of the energy lost by a method without numerical damping to the reference energy. Above this value, a
result is doubtful.
"""
DESIGNED_LOSS = 0.33
"""Ratio [1] of the energy lost by a method with numerical damping to the reference energy. Above this value, a result
is doubtful.
"""
SHOWN = 1e-3
"""Smallest lost energy [1] that is reported, relative to the reference energy."""
STORED, PASSING, SIZES, PLACE, KINETIC, SWING = range(6)
"""Indices of the sums of a check.

STORED: stored energy [J] of all laws.
PASSING: power [W] that laws transfer.
SIZES: sum [N, N m] of the absolute values of all forces.
PLACE: largest coordinate [m, rad, 1] of the model.
KINETIC: kinetic energy [J] of the model.
SWING: a·M a/2 [J/s²] with the accelerations a and the mass matrix M.
"""
IN_A_ROW = 3
"""Number of successive checks. Of these checks, the smallest created energy is used."""
LAST = 2
"""Number of checks at the end of a run. Of these checks, the smallest lost energy is used."""


@kernel
def add_work(
    q: FloatArray, before: FloatArray, loads: FloatArray, driven: FloatArray, g_before: FloatArray, work: FloatArray
) -> None:
    """Add the work that loads and constraint forces do on the displacement from ``before`` to ``q``, shape (n,) each,
    to ``work``, shape (1,). ``loads`` and ``driven`` contain the loads and the constraint forces on the left-hand side
    at ``q``, shape (n + 1,) each. ``g_before`` contains loads minus constraint forces at ``before``. ``before`` and
    ``g_before`` are then replaced by the present values.
    """
    total = 0.0
    for i in range(len(q)):
        g = loads[i] - driven[i]
        total += (q[i] - before[i]) * (g + g_before[i])
        g_before[i] = g
        before[i] = q[i]
    work[0] += 0.5 * total


@kernel
def take_sums(energies: FloatArray, powers: FloatArray, lost: int, force: FloatArray, sums: FloatArray) -> None:
    """Add the stored energy of a law, the absolute power that it transfers, and the absolute values of its forces to
    the sums.

    Args:
        energies, powers: stored energies [J] and powers [W] of the law, see `Reading`. The first ``lost`` rows of
            ``powers`` are losses.
        force: forces of the law, shape (n + 1,).
        sums: sums of a check, see `STORED`, shape (6,).
    """
    passing = 0.0
    for i in range(energies.shape[0]):
        for j in range(energies.shape[1]):
            sums[STORED] += energies[i, j]
    for i in range(lost, powers.shape[0]):
        for j in range(powers.shape[1]):
            passing += powers[i, j]
    sums[PASSING] += abs(passing)
    for i in range(len(force)):
        sums[SIZES] += abs(force[i])


@kernel
def sum_rows(powers: FloatArray, first: int, total: FloatArray) -> None:
    """Add the powers [W] of all rows of a load to ``total``, shape (1,), from the row with the index ``first`` on."""
    for i in range(first, powers.shape[0]):
        for j in range(powers.shape[1]):
            total[0] += powers[i, j]


@kernel
def add_carried(time: FloatArray, power: FloatArray, before: FloatArray, carried: FloatArray) -> None:
    """Add the time integral of ``power`` [W] over a step to ``carried`` [J], by the trapezoidal rule. ``before``, shape
    (2,), contains the time and the power at the start of the step, and is then replaced by the present values. All
    other arrays have the shape (1,).
    """
    carried[0] += 0.5 * (time[0] - before[0]) * (power[0] + before[1])
    before[0], before[1] = time[0], power[0]


@kernel
def take_sizes(x: FloatArray, loads: FloatArray, driven: FloatArray, sums: FloatArray) -> None:
    """Store the largest coordinate in ``sums``, and add the absolute values of loads and constraint forces, each of
    shape (n + 1,).
    """
    largest = 0.0
    for i in range(len(x)):
        largest = max(largest, abs(x[i]))
        sums[SIZES] += abs(loads[i]) + abs(driven[i])
    sums[PLACE] = largest


class RunBalance(Watch):
    """Check of the energy balance of a run.

    Args:
        assembly: the systems of this process.
        damps: whether the integration method has intended numerical damping.
        swings: step size [s] of velocity Verlet, 0 for other methods.

    Attributes:
        lost: text about the energy that the integration method has lost. The text is empty if this loss is negligible.
        is_watched: whether the energy balance of the run is checked.
    """

    name = "balance"

    def __init__(self, assembly: Assembly, damps: bool, swings: float = 0.0) -> None:
        self._assembly, self._damps, self._swings, self.lost = assembly, damps, swings, ""
        n = assembly.layout.spare
        self._q, self._g = np.zeros(n), np.zeros(n)
        self._loads, self._driven = np.zeros(n + 1), np.zeros(n + 1)
        self._momentum, self._gyration, self._inertia = (np.zeros(n + 1) for _ in range(3))
        self._sums, self._work = np.zeros(6), np.zeros(1)
        # power and energy that inertia forces of loads carry out of the model, and time and power at the last step
        self._power, self._carried, self._carrying = np.zeros(1), np.zeros(1), np.zeros(2)
        self._step_program, self._look_program = Program([]), Program([])
        # arrays of the state, revision of the assembly, and gravity for which the compiled programs were created
        self._made_for: tuple[Any, Any, int] = (None, None, -1)
        self._gravity = b""
        self._laws: list[System] = []
        self.is_watched = self._is_constant = False
        self._forget()

    def begin(self, state: State, duration: float) -> None:
        """Begin the checks of a run, see `Watch.begin`."""
        self._forget()

    def _forget(self) -> None:
        self._steps, self._due, self._mark, self._clean = 0, 1, (-1, b""), False
        # values at the last check: energy, stored energy, transferred power, and time
        self._energy, self._kept, self._passing, self._time = 0.0, 0.0, 0.0, 0.0
        self._created, self._granted, self._floor = [0.0], 0.0, 0.0
        # largest kinetic energy so far, changes of the stored energy and of the work, and the smallest and the largest
        # value of these changes
        self._largest, self._changes, self._range = 0.0, np.zeros(2), np.zeros((2, 2))
        # largest energy created over successive checks (row 0) and in a single check (row 1): fraction [1], energy [J],
        # reference energy [J], time [s]
        self._worst = np.zeros((2, 4))
        self.lost = ""

    def checkpoint(self) -> dict[str, Any]:
        """Return values that a resumed run needs."""
        return {
            "steps": self._steps,
            "numbers": [self._granted, self._floor, self._largest],
            "created": list(self._created),
            "worst": self._worst.ravel().tolist(),
            "changes": [*self._changes.tolist(), *self._range.ravel().tolist()],
        }

    def restore(self, kept: Mapping[str, Any]) -> None:
        """Continue from values that `checkpoint` has returned. The steps before the next check are not checked."""
        self._steps, self._created = int(kept["steps"]), [float(value) for value in kept["created"]]
        self._granted, self._floor, self._largest = (float(x) for x in kept["numbers"])
        self._worst[:] = np.reshape(kept["worst"], self._worst.shape)
        changes = np.array(kept["changes"], np.float64)
        self._changes[:], self._range[:] = changes[:2], changes[2:].reshape(2, 2)
        self._clean = False

    def start(self, state: State, seen: bool) -> list[str]:
        """Prepare the checks of the first step, see `Watch.start`."""
        systems = [s for s in self._assembly.systems if s.residual is not None]
        mine = all(s.account is not None and s.account.is_whole for s in systems)
        self.is_watched = options.verdict_kind() != "off" and self._assembly.processes.all(mine)
        if self.is_watched:
            self._look(state)
            self._set_due()
        return []

    def before_step(self, state: State, h: float, moved: bool) -> None:
        """Prepare the checks of the next step, see `Watch.before_step`."""
        if moved or self._assembly.world.version != self._mark[0]:
            self._clean = False

    def idle_steps(self, state: State) -> IdleSteps:
        """Return the coming steps that Python need not check, see `Watch.idle_steps`."""
        if not self.is_watched:
            return IdleSteps(ALL, after=self._add_steps)
        program = self._prepare(state) if self._clean else None
        if self._is_constant:
            program = None
        return IdleSteps(self._due - self._steps - 1, program, self._add_steps)

    def _add_steps(self, steps: int) -> None:
        self._steps += steps

    def _set_due(self) -> None:
        """Compute the index of the next step that is checked."""
        number = self._steps + 1
        # Early checks follow the steps 2, 3, 5, 9, 17 and so on. Calls of compiled steps also end after these steps
        # because of `EnergyWatch`.
        power = 1 << max(number - 2, 0).bit_length()
        every = min(LONGEST, max(EVERY, power // 8))
        self._due = power + 1 if number < EVERY else -(-number // every) * every

    def _prepare(self, state: State) -> Program:
        """Create the compiled programs for a state. Return the program of a step."""
        q, lam, revision = self._made_for
        if q is not state.q or lam is not state.lam or revision != self._assembly.revision:
            self._lay_down(state)
            self._made_for = state.q, state.lam, self._assembly.revision
        return self._step_program

    def after_step(self, state: State, changed: bool) -> None:
        """End a step, see `Watch.after_step`."""
        self._steps += 1
        if not self.is_watched:
            return
        if not self._is_constant and self._clean:
            self._prepare(state)()
        if self._steps == self._due:
            self._assembly.load_fields(state)
            self._look(state)
            self._set_due()

    def close(self, state: State, moved: bool) -> None:
        """Record a checkpoint, see `Watch.close`."""
        if self.is_watched and state.t > self._time:
            self._clean = self._clean and not moved
            self._assembly.load_fields(state)
            self._look(state)

    def finish(self, state: State, moved: bool) -> None:
        """Record the end of the run, see `Watch.finish`."""
        self.close(state, moved)

    def judge(self) -> list[str]:
        """Return reasons to doubt the result, see `Watch.judge`."""
        if not self.is_watched:
            return []
        concerned = self._find_concerned()
        if not concerned > 0.0:
            return []
        reasons = []
        if (self._worst[:, 0] > (GAIN, BURST)).any():
            share, created, then, t = self._worst[np.argmax(self._worst[:, 0])].tolist()
            reasons.append(
                f"energy appears from nothing: at {t:.4g} s {created:.3g} J more than loads and prescribed motions "
                f"have worked, {share:.2g} of the {then:.3g} J concerned until then; contacts or stiff parts are not "
                "resolved: take a smaller step"
            )
        lost = -max(self._created[-LAST:]) - self._granted - self._floor
        if self._conserves and lost > SHOWN * concerned:
            self.lost = f"integration has lost {lost:.3g} J, {lost / concerned:.2g} of the energy concerned"
            if lost > (DESIGNED_LOSS if self._damps else LOSS) * concerned and not reasons:
                reasons.append(
                    f"{self.lost}, of a model without losses: take a smaller step, or a method that damps less"
                )
        return reasons

    @property
    def _conserves(self) -> bool:
        accounts = [law.account for law in self._laws]
        mine = all(account is not None and account.conserves and not account.passed for account in accounts)
        loads = [s.account for s in self._assembly.systems if s.load is not None and s.residual is None]
        return self._assembly.processes.all(mine and all(account is None for account in loads))

    def _find_mark(self) -> tuple[int, bytes]:
        world = self._assembly.world
        return world.version, world.gravity.tobytes()

    def _find_concerned(self) -> float:
        return float(max(self._largest, *(self._range[1] - self._range[0])))

    def _lay_down(self, state: State) -> None:
        """Create the compiled programs of a step and of a check."""
        assembly, layout = self._assembly, self._assembly.layout
        fields, loads = assembly.fields, assembly.loads

        def step(kernel: Any, *arguments: Any) -> Step:
            return call(kernel, arguments), (evaluate(fields),)

        steps = [step(copy_values, loads.sum, self._loads)]
        if not loads.are_steady:
            steps += loads.live_steps(self._loads)
        masks = np.zeros((1, len(fields.lam)))
        driven: list[Any] = []
        for s in layout.systems.values():
            if s.constraint is not None and s.constraint.driven is not None and s.constraint.driven.any():
                masks[0, s.constraint.multipliers[s.constraint.driven]] = 1.0
                driven.append(s.constraint)
        masks[0, -1] = 0.0
        masked, equations = np.zeros_like(masks), np.zeros_like(fields.lam)
        if driven:
            steps += [
                step(clear, self._driven),
                step(copy_values, state.lam, fields.lam),
                step(mask_multipliers, fields.lam, masks, masked),
            ]
            where = {"lam": masked[0], "C": equations, "f": self._driven, "rate_level": False}
            steps += [(constraint.residual, (evaluate(fields, **where),)) for constraint in driven]
        else:
            self._driven[:] = 0.0
        if len(layout.states):
            steps += [step(drop_states, layout.states, f.reshape(1, -1)) for f in (self._loads, self._driven)]
        # loads whose inertia forces carry energy away, such as the added mass of a body that leaves the water
        loaded = [s for s in assembly.systems if s.residual is None and s.inertia is not None]
        carrying = [(len(s.dofs), s.account) for s in loaded if s.account is not None and s.account.carried]
        if carrying:
            steps.append(step(clear, self._power))
        for count, account in carrying:
            reading, first = account.create_reading(count), len(account.lost) + len(account.passed)
            steps += [step(clear, values.reshape(-1)) for values in (reading.energies, reading.powers)]
            steps.append((account.carry or account.read, (evaluate(fields, **reading._asdict()),)))
            steps.append(step(sum_rows, reading.powers, first, self._power))
        if carrying:
            steps.append(step(add_carried, fields.time, self._power, self._carrying, self._carried))
        steps.append(step(add_work, state.q, self._q, self._loads, self._driven, self._g, self._work))
        self._step_program = Program(steps)
        self._is_constant = not driven and not carrying and loads.are_steady and not loads.are_timed
        # a check evaluates kinetic energy, stored energies, and the forces that determine rounding errors of energies
        self._laws = [s for s in assembly.systems if s.residual is not None]
        forces, sums = np.zeros((len(self._laws), len(fields.x))), self._sums
        momentum, gyration, inertia = self._momentum, self._gyration, self._inertia
        still = np.zeros_like(fields.a)
        looks = [step(clear, values) for values in (momentum, gyration, inertia, sums, forces.reshape(-1))]
        looks += mass_product_steps(assembly, fields.v, momentum) + mass_product_steps(assembly, fields.a, inertia)
        for s in assembly.systems:
            if s.inertia is not None:
                looks.append((s.inertia.force, (evaluate(fields, a=fields.v, f=momentum),)))
                looks.append((s.inertia.force, (evaluate(fields, a=still, f=gyration),)))
                looks.append((s.inertia.force, (evaluate(fields, f=inertia),)))
        if len(layout.states):
            dropped = forces, momentum.reshape(1, -1), gyration.reshape(1, -1)
            looks += [step(drop_states, layout.states, f) for f in dropped]
        looks.append(step(take_kinetic, fields.v, momentum, gyration, sums[KINETIC : KINETIC + 1]))
        looks.append(step(take_kinetic, fields.a, inertia, gyration, sums[SWING : SWING + 1]))
        for s, f in zip(self._laws, forces, strict=True):
            assert s.account is not None and s.residual is not None
            reading = s.account.create_reading(len(s.dofs))
            looks += [step(clear, values.reshape(-1)) for values in (reading.energies, reading.powers)]
            looks.append((s.account.read, (evaluate(fields, **reading._asdict()),)))
            looks.append((s.residual, (evaluate(fields, f=f),)))
            looks.append(step(take_sums, reading.energies, reading.powers, len(s.account.lost), f, sums))
        looks.append(step(take_sizes, fields.x, self._loads, self._driven, sums))
        self._look_program = Program(looks)

    def _look(self, state: State) -> None:
        """Compute the energy balance at the state in the fields."""
        assembly = self._assembly
        mark = self._find_mark()
        self._clean = self._clean and mark == self._mark
        if mark[1] != self._gravity:
            self._made_for, self._gravity = (None, None, -1), mark[1]
        self._prepare(state)
        assembly.loads.update()
        # add the work of loads and constraint forces since the last check, unless it was added in each step
        if self._is_constant or not self._clean:
            self._step_program()
        self._look_program()
        stored, passing, sizes, place, kinetic, swing = self._sums.tolist()
        rounded, changed = place * sizes + stored, 0.0 if self._clean else 1.0
        parts = [kinetic, swing, stored, passing, self._work[0], self._carried[0], rounded, changed]
        kinetic, swing, stored, passing, work, carried, rounded, changed = assembly.processes.sum(
            np.array(parts)
        ).tolist()
        # the decision must be the same on all processes, although users may have changed values on only one process
        self._clean = changed == 0.0
        floor = 2.0 * float(np.finfo(float).eps) * rounded + SOLVED * abs(stored)
        self._floor = max(self._floor, floor)
        energy = kinetic + stored - 0.25 * self._swings**2 * swing
        if self._clean:
            self._granted += 0.5 * (passing + self._passing) * (state.t - self._time)
            created = self._created[-1] + energy - self._energy - work + carried
            self._created = [*self._created[-IN_A_ROW + 1 :], created]
            self._changes += stored - self._kept, work
            np.minimum(self._range[0], self._changes, out=self._range[0])
            np.maximum(self._range[1], self._changes, out=self._range[1])
        self._largest = max(self._largest, kinetic)
        self._energy, self._kept, self._passing, self._time = energy, stored, passing, state.t
        concerned = self._find_concerned()
        if self._clean and concerned > 0.0:
            beside = self._granted + self._floor
            in_a_row = min(self._created) if len(self._created) == IN_A_ROW else 0.0
            for worst, created in zip(self._worst, (in_a_row, self._created[-1]), strict=True):
                share = (created - beside) / concerned
                if share > worst[0]:
                    worst[:] = share, created, concerned, state.t
        self._work[:] = self._carried[:] = 0.0
        self._clean, self._mark = True, mark
