"""The balance of one step: works of all forces, changes of energies, losses, and what is left.

At both ends of a step M a + f_1 + f_2 + ... + C_qᵀ λ - loads = r, where r is what the solver has left.  With the work
of a force over a step, W = (q_1 - q_0)·(f_0 + f_1)/2, this is an identity,

    work of loads and constraints = W of M a + sum of W of the laws - W of r,
    W of M a  = change of T + what inertia carries away          + what the method of integration loses,
    W of a law = change of its energies + losses + what it passes on + rest of the law,
    W of a load with an account = work that it is given - losses: drag loses what a stream works beside its motion.

Losses are powers, integrated by the trapezoidal rule over the step, and jumps; see `Account`.  T = v·M v/2, where M v
is made of the inertia forces themselves: with the velocities as accelerations, less those without.
Source: the discrete balance of the trapezoidal rule, T. J. R. Hughes, The Finite Element Method (1987), section 9.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from windlass.framework.accounts import Losses, Reading
from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.assembly.steps import mass_product_steps
from windlass.framework.assembly.work import take_work
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.kernels.program import Program, Step
from windlass.framework.model.schema import Component
from windlass.framework.model.system import System, evaluate
from windlass.framework.state.state import State

INERTIA, GRAVITY = "inertia", "gravity"
WORK, KINETIC, POTENTIAL, DISSIPATION, PASSED = "work", "kinetic", "potential", "dissipation", "passed on"
UNKNOWN, INTEGRATOR, REST, PARTS = "not accounted", "integrator", "rest", "parts of the rest"
KINDS = (WORK, KINETIC, POTENTIAL, DISSIPATION, PASSED, UNKNOWN, INTEGRATOR, REST, PARTS)
CHANGES, UNBALANCED = "changes of the model", "rest.unbalanced"


class Summand(NamedTuple):
    """One kind of force whose work is taken: of which sort, and of which law."""

    sort: str
    component: type[Component] | None = None
    name: str = ""


class Accounted(NamedTuple):
    """A law with an account on this process, and the place of its forces."""

    component: type[Component]
    system: System
    place: int


class Sums(NamedTuple):
    """Sums over steps [J]: works of the forces, the change of the kinetic energy, and by law what `settle` adds."""

    work: FloatArray
    kinetic: FloatArray
    taken: dict[type[Component], FloatArray]


@kernel
def settle(
    h: float, energies: FloatArray, energies_now: FloatArray, powers: FloatArray, powers_now: FloatArray,
    jumps: FloatArray, losses: FloatArray, sums: FloatArray,
) -> None:  # fmt: skip
    """Add changes of energies and integrals of powers over a step of h [s] to the sums, losses to those of the rows.

    ``jumps`` [J] are added to the losses, which are the first powers; they may have no rows.
    """
    count, lost = energies.shape[1], losses.shape[1]
    for i in range(len(energies)):
        for k in range(count):
            sums[k] += energies_now[i, k] - energies[i, k]
        for k in range(powers.shape[1]):
            work = 0.5 * h * (powers[i, k] + powers_now[i, k])
            if k < lost:
                if len(jumps):
                    work += jumps[i, k]
                losses[i, k] += work
            sums[count + k] += work


class Balance:
    """Forces and energies of an assembly at the end of a step, and what has happened in it.

    Args:
        assembly: the systems of this process.

    Attributes:
        kinds: kind of each quantity by its name, in the order of the sums.
        kinetic: kinetic energy of this process at the present state [J].
        readings: accounts of the laws at the present state, by component.
    """

    def __init__(self, assembly: Assembly) -> None:
        self._assembly = assembly
        self._take_work, self._settle, self._none = call(take_work), call(settle), np.zeros((0, 0))
        self._q = np.zeros(assembly.layout.spare)
        self._before = self._q.copy()
        self.kinds: dict[str, str] = {}
        self.kinetic = 0.0
        self.readings: dict[type[Component], Reading] = {}
        self._t = 0.0
        self._mark: tuple[int, bytes] = (-1, b"")
        self._forces: list[Summand] = []
        self._lay_down()

    def _lay_down(self) -> None:
        """The program of all forces, and the names of all quantities."""
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
        self._accounts = [Accounted(c, s, place[c]) for c, s in systems.items() if s.account is not None and c in place]
        # a new list of neighbours, or another matrix, changes the program only
        if forces != self._forces:
            self._forces = forces
            self._f, self._f_before = np.zeros((len(forces), n)), np.zeros((len(forces), n))
            self._work = np.zeros(len(forces))
            self._name_quantities()
            self._clear()
        self._momentum, self._gyration, still = np.zeros(n), np.zeros(n), np.zeros(n)
        steps: list[Step] = mass_product_steps(assembly, fields.a, self._f[0])
        steps += mass_product_steps(assembly, fields.v, self._momentum)
        for s in systems.values():
            if s.inertia is not None:
                steps.append((s.inertia.force, (evaluate(fields, f=self._f[0]),)))
                steps.append((s.inertia.force, (evaluate(fields, a=fields.v, f=self._momentum),)))
                steps.append((s.inertia.force, (evaluate(fields, a=still, f=self._gyration),)))
        for k, (sort, component, _) in enumerate(forces):
            f = self._f[k]
            if component is None:
                heavy = [(s, s.body_force) for s in systems.values() if s.body_force is not None and sort == GRAVITY]
                for s, weight in heavy:
                    steps.append((weight.force, (evaluate(fields, g=gravity, which=np.arange(len(s.dofs)), f=f),)))
                continue
            own = systems[component]
            if sort == "law" and own.residual is not None:
                steps.append((own.residual, (evaluate(fields, f=f),)))
            elif sort == "load" and own.load is not None:
                steps.append((own.load, (evaluate(fields, f=f),)))
            elif own.constraint is not None and self._masks[k - first].any():
                where = {"lam": self._lam[k - first], "C": equations, "f": f, "rate_level": False}
                steps.append((own.constraint.residual, (evaluate(fields, **where),)))
        self._program = Program(steps)

    def _name_quantities(self) -> None:
        """Names and kinds of all sums; they stay as they are when rows are bound again."""
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
        for component, system, _ in self._accounts:
            account, label = system.account, component.__name__
            assert account is not None
            kinds |= {f"{label}.{name}": POTENTIAL for name in account.stored}
            kinds |= {f"{label}.{name}": DISSIPATION for name in account.lost}
            kinds |= {f"{label}.{name}": PASSED for name in account.passed + account.carried}
        kinds |= {INTEGRATOR: INTEGRATOR, UNBALANCED: PARTS}
        self.kinds = kinds

    def begin(self, state: State) -> None:
        """A step begins at a state."""
        self._read(state)
        self._before[:] = self._q
        self._f_before[:] = self._f

    def _read(self, state: State) -> None:
        """Forces and energies at a state."""
        assembly = self._assembly
        fields = assembly.load_fields(state)
        if self._mark != (assembly.revision, assembly.world.gravity.tobytes()):
            self._lay_down()
        self._q[:] = state.q
        assembly.layout.ghosts.spread(self._q)
        np.multiply(fields.lam, self._masks, out=self._lam)
        self._f[:], self._momentum[:], self._gyration[:] = 0.0, 0.0, 0.0
        self._program()
        # first-order states are no motion
        for forces in (self._f.T, self._momentum, self._gyration):
            forces[assembly.layout.states] = 0.0
        self.kinetic = 0.5 * float(fields.v @ (self._momentum - self._gyration))
        self.readings = {a.component: a.system.account.evaluate(fields) for a in self._accounts if a.system.account}
        self._t = state.t

    def stored(self) -> dict[str, float]:
        """Kinetic and stored energies of the present state on this process by name [J]; gravity has none."""
        found = {"kinetic": self.kinetic}
        for component, system, _ in self._accounts:
            assert system.account is not None
            energies = self.readings[component].energies.sum(axis=0).tolist()
            found |= {f"{component.__name__}.{k}": e for k, e in zip(system.account.stored, energies, strict=True)}
        return found

    def advance(self, state: State, losses: Mapping[type[Component], Losses]) -> None:
        """Add the step that has led to a state to the sums, and to the losses of the rows."""
        kinetic, readings, h = self.kinetic, self.readings, -self._t
        self._read(state)
        h += self._t
        self._take_work(self._q, self._before, self._f, self._f_before, self._work)
        np.add(self._sums.work, self._work, out=self._sums.work)
        self._sums.kinetic[0] += self.kinetic - kinetic
        for component, system, _ in self._accounts:
            jumps = system.account.jumps if system.account is not None else None
            before, now = readings[component], self.readings[component]
            rows, taken = losses[component].rows, self._sums.taken[component]
            beside = self._none if jumps is None else jumps(before, now, h)
            self._settle(h, before.energies, now.energies, before.powers, now.powers, beside, rows, taken)

    def collect(self) -> dict[str, float]:
        """What the quantities have grown by since the last call, on this process [J]."""
        work, kinetic, taken = self._sums.work.tolist(), float(self._sums.kinetic[0]), self._sums.taken
        found, integrator, unbalanced = {"kinetic": kinetic}, work[0] - kinetic, 0.0
        for (sort, component, name), w in zip(self._forces, work, strict=True):
            label = component.__name__ if component is not None else GRAVITY
            unbalanced += w if sort in ("load", GRAVITY) else -w
            if sort != INERTIA:
                found[f"{label}.{name}" if name else label] = -w if sort in (GRAVITY, "constraint") else w
        for component, system, place in self._accounts:
            account, label = system.account, component.__name__
            assert account is not None
            sums = taken[component].tolist()
            carried = sum(sums[len(sums) - len(account.carried) :]) if account.carried else 0.0
            found |= {f"{label}.{name}": value for name, value in zip(account.names, sums, strict=True)}
            if self._forces[place].sort == "load":
                found[label] += sum(sums) - carried
                integrator -= carried
                continue
            left = work[place] - sum(sums) + carried
            found[label] = found[f"rest.{label}"] = 0.0
            integrator += (left if account.conserves else 0.0) - carried
            if not account.conserves:
                found[f"rest.{label}" if account.is_whole else label] = left
        self._clear()
        return found | {INTEGRATOR: integrator, UNBALANCED: unbalanced}

    def _clear(self) -> None:
        """Sums begin at 0."""
        taken = {c: np.zeros(len(s.account.names)) for c, s, _ in self._accounts if s.account is not None}
        self._sums = Sums(np.zeros(len(self._forces)), np.zeros(1), taken)

    def create_losses(self) -> dict[type[Component], Losses]:
        """Losses of all laws that have some, at 0; all processes call this together."""
        assembly, found = self._assembly, dict[type[Component], Losses]()
        for component, system, _ in self._accounts:
            account, rows = system.account, assembly.layout.rows[component]
            assert account is not None
            ids = assembly.world.tables[component].local(account.by, rows) if account.by else np.zeros(0, np.int64)
            every = np.unique(np.array(assembly.processes.join("losses", ids.tolist()), np.int64))
            shared = np.zeros((len(every), len(account.lost))) if assembly.layout.size > 1 else None
            none = np.zeros((len(rows), len(account.lost)))
            found[component] = Losses(account.lost, none, every, np.searchsorted(every, ids), shared)
        return found
