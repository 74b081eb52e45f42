"""The energy balance of one step: work of all forces, changes of energies, losses, and the remainder of the balance.

At the start and at the end of a step, the equation of motion is M a + sum of f + C_qᵀ λ - loads = r. Here M is the mass
matrix, a are the accelerations, f are the forces of each law, and λ are the multipliers. C_q is the derivative of the
constraint equations with respect to the coordinates q, and r is the residual that remains after the solve of the step.
The work of a force f over a step is W = (q_1 - q_0)·(f_0 + f_1)/2, where the indices 0 and 1 denote the start and the
end of the step. With the kinetic energy T, the following identities result:

    work of loads and constraints = W of M a + sum of W of the laws - W of r,
    W of M a  = change of T + energy that inertia carries away + loss of the method of integration,
    W of a law = change of its energies + losses + energy that it transfers + remainder of the law,
    W of a load with an account = work supplied - losses (for drag: the part of the work of the stream that is not work
    on the body).

A loss is the work of the dissipative forces over the displacement of the step. A damper with the coefficient d and the
length u loses d (u_t0 + u_t1)/2 Δu, where u_t is the rate of the length, and Δu is the change of the length. With the
step size h, the trapezoidal rule for the power would give d (u_t0² + u_t1²) h/2. If the step size does not resolve a
motion, for example a stiff axial mode, this value is many times the actual loss. For powers P that are quadratic in
velocities, the expression

    D = h (2 P(x, (m + w)/2) - P(x, m)/2 - P(x, w)/2),    w = (q_1 - q_0)/h,
    x, m: means of the coordinates and of the velocities at the start and at the end of the step,

equals the work of the dissipative forces. For other powers, the expression D is an approximation of order 2 in the step
size. The history values of laws with `Account.jumps` are known only at the start and at the end of the step. The powers
of these laws are integrated by the trapezoidal rule, and instantaneous losses (jumps) are added. Jumps include the
losses of the normal dampers of contacts. These losses are computed from the changes of the gaps. The kinetic energy is
T = v·M v/2. The product M v is the difference of two evaluations of the inertia forces. In the first evaluation, the
accelerations are replaced by the velocities v. In the second evaluation, the accelerations are 0. Source: the discrete
balance of the trapezoidal rule, T. J. R. Hughes, The Finite Element Method (1987), section 9.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from windlass.framework.accounts import Account, Losses, Reading
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.assembly.array_kernels import clear, copy_values, take_work
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.assembly.mass import add_multiple
from windlass.framework.assembly.steps import mass_product_steps
from windlass.framework.kernels.call import Call, call
from windlass.framework.kernels.program import If, Program, Step
from windlass.framework.ledger.balance_kernels import (
    drop_states,
    load_middle,
    load_motion,
    mask_multipliers,
    mix_powers,
    settle_energies,
    settle_motion,
    settle_powers,
    take_kinetic,
)
from windlass.framework.model.schema import Component
from windlass.framework.model.system import Fields, System, evaluate
from windlass.framework.state.exchange import NAMES
from windlass.framework.state.state import State

INERTIA, GRAVITY = "inertia", "gravity"
WORK, KINETIC, POTENTIAL, DISSIPATION, PASSED = "work", "kinetic", "potential", "dissipation", "passed on"
UNKNOWN, INTEGRATOR, REST, PARTS = "not accounted", "integrator", "rest", "parts of the rest"
KINDS = (WORK, KINETIC, POTENTIAL, DISSIPATION, PASSED, UNKNOWN, INTEGRATOR, REST, PARTS)
CHANGES, UNBALANCED = "changes of the model", "rest.unbalanced"


_NONE = np.zeros(0)
_NO_POWERS = np.zeros((0, 0))
NOTHING = evaluate(Fields(_NONE, _NONE, _NONE, _NONE, _NONE, _NONE))
"""`Evaluation` with empty fields, for functions that do not read the fields."""


class Summand(NamedTuple):
    """A group of forces for which one value of the work is computed. The fields are the type of the forces (such as
    ``"load"``), the law, and a name that distinguishes several groups of one law.
    """

    sort: str
    component: type[Component] | None = None
    name: str = ""


class Accounted(NamedTuple):
    """Data of a law with an account, on this process: the index of the `Summand` of the law's forces, and the values of
    the account (`Reading`) at the start and at the end of a step. The energies in ``before`` are the energies when the
    sums were last set to 0.

    The field ``middle`` contains a reading with the mean powers over the step. For laws without `Account.powers`, two
    more readings contain intermediate results. If powers are evaluated only at the ends of the step, ``middle`` is
    empty. The field ``jumps``, shape (losses of the law, rows), contains those losses [J] in the step that are not part
    of the powers.
    """

    component: type[Component]
    system: System
    account: Account
    place: int
    now: Reading
    before: Reading
    middle: tuple[Reading, ...]
    jumps: FloatArray

    @property
    def is_read_often(self) -> bool:
        """Whether the account is read at the end of each step. Other accounts are only read if energies are wanted."""
        return self.account.jumps is not None or self.account.forces is not None


class Sums(NamedTuple):
    """Sums [J] over steps. The sums are the work of each group of forces, the change of the kinetic energy, the changes
    of the stored energies of each law, and the time integrals of the powers of each law. Work and integrals are summed
    over the steps. The changes of energies are computed only if they are wanted, see `Balance.wanted`. All sums are
    views of the array ``numbers``, which contains the sums in this order.
    """

    numbers: FloatArray
    work: FloatArray
    kinetic: FloatArray
    taken: dict[type[Component], FloatArray]


def step(kernel: Callable[..., None], *arguments: Any) -> Step:
    """Create a step of a `Program` that calls a kernel with the given arguments."""
    return call(kernel, lambda s: arguments), (NOTHING,)


def clear_steps(*arrays: FloatArray) -> list[Step]:
    """Return steps of a `Program` that set arrays of any shape to 0."""
    return [step(clear, array.reshape(-1)) for array in arrays]


def create_accounted(
    component: type[Component], system: System, account: Account, place: int, old: Accounted | None
) -> Accounted:
    """Create the data of a law with an account. If the arrays of the law were created again during a run, ``old``
    contains the previous data, and the readings and ``jumps`` of ``old`` are kept.
    """
    if old is not None:
        return old._replace(system=system, account=account, place=place)
    now, before = (account.create_reading(len(system.dofs)) for _ in range(2))
    count = 0 if account.jumps is not None or not len(now.powers) else 3 if account.powers is None else 1
    middle = tuple(account.create_reading(len(system.dofs)) for _ in range(count))
    jumps = np.zeros((len(account.lost), now.powers.shape[1]))
    return Accounted(component, system, account, place, now, before, middle, jumps)


def reading_steps(account: Account, reading: Reading, fields: Fields, f: FloatArray | None = None) -> list[Step]:
    """Return steps of a `Program` that evaluate the energies and powers of a law at the present fields. If the law has
    `Account.powers`, the steps evaluate only the energies. If the law has `Account.forces` and f is given, the steps
    also add the forces to f.
    """
    values = reading if account.powers is None else reading._replace(powers=_NO_POWERS)
    steps = clear_steps(reading.energies, reading.powers)
    if account.forces is not None and f is not None:
        return [*steps, (account.forces, (evaluate(fields, f=f, **values._asdict()),))]
    return [*steps, (account.read, (evaluate(fields, **values._asdict()),))]


def list_state_steps(
    assembly: Assembly, state: State, q: FloatArray, readers: Iterable[Step] | None = None
) -> list[Step]:
    """Return steps of a `Program` that copy a state to the fields, and the displacements of the state to q.

    Args:
        readers: steps that read marker columns. Only the marker columns that these steps read are evaluated. If
            ``readers`` is None, all marker columns are evaluated. Columns that only depend on coordinates and
            velocities are not evaluated again if they are up to date, see `Fields.at_end`.
    """
    fields, reference, updates = assembly.fields, assembly.layout.reference, assembly.marker_steps(readers)
    motion, count = (reference, state.q, state.v, state.a, state.lam), 0
    history = [
        step(copy_values, state.data, fields.data), step(copy_values, state.start_data, fields.start_data)
    ]  # fmt: skip
    while count < len(updates) and _reads_motion(updates[count], fields):
        count += 1
    return [
        step(load_motion, *motion, fields.x, fields.v, fields.a, fields.lam, q, fields.at_end),
        (If([*history, *updates[:count]], fields.at_end, 0), ()),
        *updates[count:],
    ]


def _reads_motion(update: Step, fields: Fields) -> bool:
    """Return whether a step that updates markers reads no fields except coordinates and velocities."""
    function, where = update
    arrays = function.find_arrays(*where) if isinstance(function, Call) else None
    others = fields.a, fields.lam, fields.data, fields.start_data, fields.time, fields.start_x, fields.start_v
    return arrays is not None and not any(np.may_share_memory(one, array) for one in others for array in arrays)


class Balance:
    """Forces and energies of an assembly at the end of a time step, and the work and the losses in this step.

    Attributes:
        start: a copy of the state at the start of the step. The program of `find_program` updates only the arrays of
            this copy, and not its time and step number.
        losses: losses of the rows of each law, summed over the steps. See `create_losses`.
        kinds: category of each quantity, by the name of the quantity, in the order of the sums. See
            `EnergyLedger.kinds`.
        wanted: 1 if energies are evaluated at the end of a step, otherwise 0, shape (1,). `find_program` explains when
            energies are needed.
    """

    def __init__(self, assembly: Assembly, state: State, wanted: IntArray | None = None) -> None:
        self._assembly, self.start = assembly, state.copy()
        self.wanted: IntArray = np.zeros(1, np.int64) if wanted is None else wanted
        self.losses: dict[type[Component], Losses] = {}
        n = assembly.layout.spare
        self._q, self._before = np.zeros(n), np.zeros(n)
        self.kinds: dict[str, str] = {}
        # kinetic energy [J] now, and when the sums were last set to 0, shape (1, 1) like the energies of a `Reading`
        self._kinetic, self._kinetic_before = np.zeros((1, 1)), np.zeros((1, 1))
        # start time, step size and end time of the step [s]
        self._begun, self._size, self._end = np.zeros(1), np.zeros(1), np.zeros(1)
        self._mark: tuple[int, bytes] = (-1, b"")
        self._forces: list[Summand] = []
        self._accounts: list[Accounted] = []
        # State for which `_whole` was created. The arrays of this state are never replaced.
        self._ends: State | None = None
        self._settling: tuple[Program, ...] = ()
        self._whole: Program | None = None
        # steps that evaluate forces and energies, and programs for energies
        self._forces_read, self._energies_read = list[Step](), list[Step]()
        self._energising, self._restarting = Program(()), Program(())
        self._lay_down()

    def _lay_down(self) -> None:
        """Create the programs for the present systems, and the names of all quantities."""
        assembly, n = self._assembly, len(self._assembly.fields.x)
        fields, gravity = assembly.fields, assembly.world.gravity.copy()
        systems = assembly.layout.systems
        self._mark = assembly.revision, gravity.tobytes()
        forces = [Summand(INERTIA)]
        forces += [Summand("law", c) for c, s in systems.items() if s.residual is not None]
        loads = [(c, s) for c, s in systems.items() if s.load is not None]
        forces += [Summand("load", c, "load" if s.residual is not None else "") for c, s in loads]
        forces += [Summand(GRAVITY)] if gravity.any() and any(s.body_force for s in systems.values()) else []
        masks, equations, first = list[FloatArray](), np.zeros(len(fields.lam)), len(forces)
        for c, s in systems.items():
            if s.constraint is None:
                continue
            driven = np.zeros(len(s.dofs), bool) if s.constraint.driven is None else s.constraint.driven
            for name, rows in (("driven", driven), ("held", ~driven)):
                mask = np.zeros(len(fields.lam))
                mask[s.constraint.multipliers[rows]] = 1.0
                forces.append(Summand("constraint", c, name))
                masks.append(mask)
        self._masks = np.array(masks).reshape(len(masks), len(fields.lam))
        self._lam = np.zeros_like(self._masks)
        place = {f.component: k for sort in ("load", "law") for k, f in enumerate(forces) if f.sort == sort}
        old = {account.component: account for account in self._accounts}
        self._accounts = [
            create_accounted(c, s, s.account, place[c], old.get(c))
            for c, s in systems.items()
            if s.account is not None and c in place
        ]
        # the sums are kept if only the list of neighbours or a matrix has changed
        if forces != self._forces:
            self._forces = forces
            self._f, self._f_before = np.zeros((len(forces), n)), np.zeros((len(forces), n))
            self._work = np.zeros(len(forces))
            sizes = [len(forces), 1, *(len(account.account.names) for account in self._accounts)]
            numbers = np.zeros(sum(sizes))
            work, kinetic, *taken = np.split(numbers, np.cumsum(sizes)[:-1])
            components = [account.component for account in self._accounts]
            self._sums = Sums(numbers, work, kinetic, dict(zip(components, taken, strict=True)))
            self._name_quantities()
        steps = clear_steps(self._f)
        steps.append(step(mask_multipliers, fields.lam, self._masks, self._lam))
        steps += mass_product_steps(assembly, fields.a, self._f[0])
        for s in systems.values():
            if s.inertia is not None:
                steps.append((s.inertia.force, (evaluate(fields, f=self._f[0]),)))
        for k, (sort, component, _) in enumerate(forces):
            f = self._f[k]
            if component is None:
                heavy = [(s, s.body_force) for s in systems.values() if s.body_force is not None and sort == GRAVITY]
                for s, weight in heavy:
                    steps.append((weight.force, (evaluate(fields, g=gravity, which=np.arange(len(s.dofs)), f=f),)))
                continue
            own = systems[component]
            if sort == "law" and own.residual is not None:
                # if an account has the function ``forces``, this function adds the forces instead of the residual
                if own.account is None or own.account.forces is None:
                    steps.append((own.residual, (evaluate(fields, f=f),)))
            elif sort == "load" and own.load is not None:
                steps.append((own.load.force, (evaluate(fields, f=f),)))
            elif own.constraint is not None and self._masks[k - first].any():
                where = {"lam": self._lam[k - first], "C": equations, "f": f, "rate_level": False}
                steps.append((own.constraint.residual, (evaluate(fields, **where),)))
        for account in self._accounts:
            if account.is_read_often:
                steps += clear_steps(account.jumps)
                steps += reading_steps(account.account, account.now, fields, self._f[account.place])
        if len(assembly.layout.states):
            steps.append(step(drop_states, assembly.layout.states, self._f))
        self._forces_read, self._energies_read = steps, self._energy_steps()
        self._reading = Program(steps + self._energies_read)
        self._energising = Program(self._energies_read + self._change_steps())
        self._restarting = Program(self.restart_steps())
        self._settling, self._whole = (), None

    @property
    def _energies(self) -> list[tuple[FloatArray, FloatArray]]:
        """The kinetic energy and the stored energies [J], now and when the sums were last set to 0."""
        stored = [(account.now.energies, account.before.energies) for account in self._accounts]
        return [(self._kinetic, self._kinetic_before), *stored]

    def _energy_steps(self) -> list[Step]:
        """Return steps of a `Program` that evaluate the energies which the steps of the forces do not evaluate."""
        assembly = self._assembly
        fields, n = assembly.fields, len(assembly.fields.x)
        inertia, still = np.zeros((2, n)), np.zeros(n)
        momentum, gyration = inertia
        steps = clear_steps(inertia) + mass_product_steps(assembly, fields.v, momentum)
        for s in assembly.layout.systems.values():
            if s.inertia is not None:
                steps.append((s.inertia.force, (evaluate(fields, a=fields.v, f=momentum),)))
                steps.append((s.inertia.force, (evaluate(fields, a=still, f=gyration),)))
        if len(assembly.layout.states):
            steps.append(step(drop_states, assembly.layout.states, inertia))
        steps.append(step(take_kinetic, fields.v, momentum, gyration, self._kinetic.reshape(-1)))
        for account in self._accounts:
            if not account.is_read_often:
                steps += reading_steps(account.account, account.now, fields)
        return steps

    def _change_steps(self) -> list[Step]:
        """Return steps of a `Program` that set the sums of the changes of all energies."""
        sums = [self._sums.kinetic, *(self._sums.taken[account.component] for account in self._accounts)]
        return [step(settle_energies, *energies, own) for energies, own in zip(self._energies, sums, strict=True)]

    def _middle_steps(self) -> list[Step]:
        """Return steps of a `Program` that set the fields to the values in the middle of a time step, and evaluate the
        losses of laws for these values.
        """
        assembly, fields, start = self._assembly, self._assembly.fields, self.start
        layout, moved = assembly.layout, [account for account in self._accounts if account.middle]
        if not moved:
            return [step(copy_values, fields.time, self._end)]
        left = np.zeros(len(self._q))
        ways = layout.reference, self._q, self._before, self._begun, self._end, start.v, start.a, layout.rotations
        found = [step(load_middle, *ways, fields.time, fields.x, fields.v, fields.a, left, fields.at_end)]
        readings = list[Step]()
        for account in moved:
            if account.account.powers is not None:
                powers = account.middle[0].powers
                readings += clear_steps(powers)
                readings.append((account.account.powers, (evaluate(fields, half=left, powers=powers),)))
        found += assembly.marker_steps(readings) + readings
        # for accounts without `Account.powers`, evaluate the powers three times: at the velocities (m + w)/2, m and w,
        # which the docstring of this module defines
        moved = [account for account in moved if account.account.powers is None]
        for k, shift in enumerate((0.0, 1.0, -2.0) if moved else ()):
            found += [step(add_multiple, left, shift, fields.v)] if shift else []
            readings = [one for account in moved for one in reading_steps(account.account, account.middle[k], fields)]
            found += assembly.marker_steps(readings) + readings
        for account in moved:
            found.append(step(mix_powers, *(reading.powers.reshape(-1) for reading in account.middle)))
        return found

    def _settling_steps(self) -> list[Step]:
        """Return steps of a `Program` that add the values of a time step to all sums, and begin the next time step.
        When these steps run, the present readings must be the values at the end of the time step.
        """
        fields, sums = self._assembly.fields, self._sums
        motion = fields.time, self._begun, self._size, self._work
        steps = [
            step(copy_values, self._end, fields.time),
            step(take_work, self._q, self._before, self._f, self._f_before, self._work),
            step(settle_motion, *motion, sums.work),
        ]
        for account in self._accounts:
            component, now, before, jumps = account.component, account.now, account.before, account.jumps
            powers = (now.powers, before.powers) if not account.middle else (account.middle[0].powers,) * 2
            if account.account.jumps is not None:
                given = {"parts": now.parts, "parts_before": before.parts, "jumps": jumps, "size": self._size}
                steps.append((account.account.jumps, (evaluate(fields, **given),)))
            if len(now.powers):
                taken = sums.taken[component][len(now.energies) :]
                steps.append(step(settle_powers, self._size, *powers, jumps, self.losses[component].rows, taken))
        return steps

    def _name_quantities(self) -> None:
        """Set the names and categories of all sums. The names and categories remain valid when the arrays of laws are
        created again.
        """
        kinds: dict[str, str] = {CHANGES: WORK, "kinetic": KINETIC}
        with_account = {account.component for account in self._accounts}
        for sort, component, name in self._forces:
            label = component.__name__ if component is not None else ""
            if sort == "load":
                kinds[f"{label}.{name}" if name else label] = WORK
            elif sort == "constraint":
                kinds[f"{label}.{name}"] = WORK
            elif sort == "law":
                kinds[label] = UNKNOWN
                if component in with_account:
                    kinds[f"rest.{label}"] = PARTS
        kinds[GRAVITY] = POTENTIAL
        for component, _, account, *_ in self._accounts:
            label = component.__name__
            kinds |= {f"{label}.{name}": POTENTIAL for name in account.stored}
            kinds |= {f"{label}.{name}": DISSIPATION for name in account.lost}
            kinds |= {f"{label}.{name}": PASSED for name in account.passed + account.carried}
        kinds |= {INTEGRATOR: INTEGRATOR, UNBALANCED: PARTS}
        self.kinds = kinds

    def begin(self, state: State) -> None:
        """Begin a step that starts at a given state."""
        # the sums do not contain the changes of energies between the previous state and this state
        changes = [before - now for now, before in self._energies]
        self._read(state)
        self._before[:], self._f_before[:], self._begun[0] = self._q, self._f, state.t
        for account in self._accounts:
            account.before.powers[:], account.before.parts[:] = account.now.powers, account.now.parts
        for (now, before), change in zip(self._energies, changes, strict=True):
            before[:] = now + change
        self._keep(state)

    def _keep(self, state: State) -> None:
        """Store a state as the state at the start of the next step."""
        if state is not self.start:
            self.start.assign(state)

    def _read(self, state: State) -> None:
        """Evaluate the forces and energies of all laws at a state."""
        assembly = self._assembly
        assembly.load_fields(state)
        if not self._is_fresh:
            self._lay_down()
        self._q[:] = state.q
        assembly.layout.ghosts.copy_from_owners(self._q)
        self._reading()

    @property
    def _is_fresh(self) -> bool:
        """Return whether the programs were created for the present systems of the assembly."""
        return self._mark == (self._assembly.revision, self._assembly.world.gravity.tobytes())

    def stored(self) -> dict[str, float]:
        """Return the kinetic and stored energies [J] of the present state on this process, by name, without the
        potential of gravity."""
        found = {"kinetic": float(self._kinetic[0, 0])}
        for component, _, account, _, now, *_ in self._accounts:
            energies = now.energies.sum(axis=1).tolist()
            found |= {f"{component.__name__}.{k}": e for k, e in zip(account.stored, energies, strict=True)}
        return found

    def advance(self, state: State) -> None:
        """Add the values of a time step to the sums and to the losses of the rows, and evaluate all energies. The step
        ends at the given state.
        """
        program, self.wanted[0] = self.find_program(state), 1
        if program is not None:
            self._assembly.fields.t = state.t
            program()
            self.start.t, self.start.step = state.t, state.step
            return
        self._read(state)
        if not self._settling:
            # The middle of the step needs a separate program, because a program evaluates functions of time only once.
            # This evaluation uses the time in the fields at the start of the program.
            middle = self._middle_steps()
            settling = self._change_steps() + self._settling_steps()
            self._settling = tuple(Program(part) for part in (middle[:1], middle[1:], settling))
        for part in self._settling:
            part()
        self._keep(state)

    def find_program(self, state: State) -> Program | None:
        """Return the program that adds the values of a time step to the sums. Return None if evaluating the step
        requires Python. The program reads the motion at the end of the step from the arrays of ``state``, and the time
        at the end of the step from the fields.

        The changes of energies since the sums were last set to 0 do not depend on energies at other steps. Therefore
        the program evaluates energies only if ``wanted[0]`` is 1. If compiled code has not evaluated energies at the
        end of its last step, `catch_up` must be called before the model changes and before energies are read.
        """
        if not self._is_fresh or self._assembly.layout.size > 1:
            return None
        if self._whole is None or state is not self._ends:
            keep = [step(copy_values, getattr(state, name), getattr(self.start, name)) for name in NAMES]
            steps = (
                list_state_steps(self._assembly, state, self._q)
                + self._forces_read
                + [(If(self._energies_read + self._change_steps(), self.wanted, 1), ())]
                + self._middle_steps()
                + self._settling_steps()
                + keep
            )
            self._ends, self._whole = state, Program(steps)
        # A program calls user functions only once, at its start. The joined program would need the values of user
        # functions both for the end and for the middle of the step.
        return self._whole if self._whole.is_plain else None

    @property
    def is_parallel(self) -> bool:
        """Whether the rows of the world are distributed over several processes."""
        return self._assembly.layout.size > 1

    def catch_up(self, t: float) -> None:
        """Evaluate all energies at the end of the last step, at the time t [s]. The fields keep their values."""
        self.wanted[0], self.start.t = 1, t
        with self._assembly.isolated():
            self._assembly.load_fields(self.start)
            self._energising()

    def take_numbers(self) -> FloatArray:
        """Return the sums [J] on this process since the previous call, shape (sums,). `name_sums` converts these sums
        to quantities. The energies at the present state must have been evaluated.
        """
        found: FloatArray = self._sums.numbers.copy()
        self._restarting()
        return found

    def restart_steps(self) -> list[Step]:
        """Return the steps of a `Program` that sets all sums to 0 after energies were evaluated."""
        copied = [step(copy_values, now.reshape(-1), before.reshape(-1)) for now, before in self._energies]
        return [step(clear, self._sums.numbers), *copied]

    @property
    def numbers(self) -> FloatArray:
        """Sums [J] since the previous call of `take_numbers`, shape (sums,). Each time step adds its values to this
        array.
        """
        return self._sums.numbers

    def name_sums(self, numbers: FloatArray) -> dict[str, Any]:
        """Return the increases [J] of the quantities by name, from an array that `take_numbers` has returned. If
        several such arrays are stacked, return arrays of increases.
        """
        columns: list[Any] = [column.copy() for column in numbers.T] if numbers.ndim > 1 else numbers.tolist()
        count = len(self._forces)
        work, kinetic, place_of_next = columns[:count], columns[count], count + 1
        found, integrator, unbalanced = {"kinetic": kinetic}, work[0] - kinetic, 0.0
        for (sort, component, name), w in zip(self._forces, work, strict=True):
            label = component.__name__ if component is not None else GRAVITY
            unbalanced = unbalanced + (w if sort in ("load", GRAVITY) else -w)
            if sort != INERTIA:
                found[f"{label}.{name}" if name else label] = -w if sort in (GRAVITY, "constraint") else w
        for component, _, account, place, *_ in self._accounts:
            label = component.__name__
            first, place_of_next = place_of_next, place_of_next + len(account.names)
            sums = columns[first:place_of_next]
            carried = sum(sums[len(sums) - len(account.carried) :]) if account.carried else 0.0
            found |= {f"{label}.{name}": value for name, value in zip(account.names, sums, strict=True)}
            if self._forces[place].sort == "load":
                found[label] = found[label] + (sum(sums) - carried)
                integrator = integrator - carried
                continue
            left = work[place] - sum(sums) + carried
            found[label] = found[f"rest.{label}"] = 0.0
            integrator = integrator + ((left if account.conserves else 0.0) - carried)
            if not account.conserves:
                found[f"rest.{label}" if account.is_whole else label] = left
        return found | {INTEGRATOR: integrator, UNBALANCED: unbalanced}

    def create_losses(self) -> dict[type[Component], Losses]:
        """Create a `Losses` object for each law with losses. All losses are initially 0. The call is collective."""
        assembly, found = self._assembly, dict[type[Component], Losses]()
        for component, _, account, *_ in self._accounts:
            rows = assembly.layout.rows[component]
            ids = assembly.world.tables[component].local(account.by, rows) if account.by else np.zeros(0, np.int64)
            every = np.unique(np.array(assembly.processes.join("losses", ids.tolist()), np.int64))
            shared = np.zeros((len(every), len(account.lost))) if assembly.layout.size > 1 else None
            none = np.zeros((len(rows), len(account.lost)))
            found[component] = Losses(account.lost, none, every, np.searchsorted(every, ids), shared)
        return found
