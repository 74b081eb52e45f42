"""Accounts: energy that laws take from the motion, store, dissipate and transfer, for each row.

Forces f on the left-hand side of the equations of motion extract the power f·v. A law declares the parts of this power,

    f·v = rates of stored energies + losses + power passed on,  (M a + ...)·v = dT/dt + power carried away,

and declares them together with its forces:

    system.account = Account.of(stored={"spring": eval_energy}, lost={"damper": eval_power})

Ledgers and the energy check of steps read only these accounts. An instantaneous event, such as the release of a
bristle, has no power. For such events ``jumps`` compares both ends of a step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.errors import ModelError

Quantity = Callable[..., FloatArray]
Function = Callable[[Any], None]


class Reading(NamedTuple):
    """Energies and powers of the rows of a law at one instant.

    Attributes:
        energies: stored energies in the order of `Account.stored` [J], shape (k, rows).
        powers: powers in the order of `Account.lost`, `Account.passed`, `Account.carried` [W], shape (l + p + c, rows).
            Without `Account.jumps` the powers are functions of time and motion that are also evaluated between both
            ends of a step, see balance.py.
        parts: values of this instant that `Account.jumps` reads; their shape is `Account.parts`.
    """

    energies: FloatArray
    powers: FloatArray
    parts: FloatArray


@dataclass(frozen=True)
class Account:
    """Energies that a law stores, dissipates and transfers.

    Each function receives an `Evaluation` s and adds to its arrays; functions that call a kernel are made by `call`.

    Attributes:
        read: ``(s)`` adds energies and powers of the rows that this process evaluates to s.energies and s.powers, and
            writes s.parts; see `Reading`.
        stored: names of the energies.
        lost: names of dissipated energies, > 0.
        passed: names of powers of the law's forces that are neither stored nor lost, such as the strain energy of
            material that flows out.
        carried: names of powers of the law's inertia that are neither stored nor lost, such as the kinetic energy of
            material that flows out.
        parts: shape of the values that ``jumps`` compares.
        jumps: ``(s)`` adds the instantaneous losses in a step [J] to s.jumps, shape (l, rows), in addition to the
            powers. It reads the step size s.size [s], shape (1,), s.parts, and s.parts_before of the start of the step,
            into which it then copies s.parts.
        rows: number of rows, if it differs from the number of rows of `System.dofs`.
        by: the column by which losses are grouped, for instance ``"circle"``; empty for no groups.
        is_whole: whether the account is complete; false with user forces, which may have no energy.
        powers: ``(s)`` adds P(s.v) - P(s.half) for powers P that are quadratic in the velocities, if that is faster.
            ``read`` then adds no powers to an empty array.
        forces: ``(s)`` does the same as ``read``, and adds the forces of `System.residual` to s.f, if that is faster
            than both functions.
        conserves: whether these rows neither lose nor transfer energy: any difference between their work and their
            energy is then an error of the integrator.
    """

    read: Function
    stored: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    passed: tuple[str, ...] = ()
    carried: tuple[str, ...] = ()
    parts: tuple[int, ...] = (0,)
    jumps: Function | None = None
    rows: int | None = None
    by: str = ""
    is_whole: bool = True
    powers: Function | None = None
    forces: Function | None = None
    conserves: bool = False

    def __post_init__(self) -> None:
        if self.powers is not None and self.jumps is not None:
            raise ModelError(
                "powers and jumps of an Account: must not both be given, because jumps already contain all powers"
            )

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all energies and powers, in the order of a `Reading`."""
        return self.stored + self.lost + self.passed + self.carried

    def create_reading(self, rows: int) -> Reading:
        """A zero reading for the given number of rows, unless the account has its own number of rows."""
        count = rows if self.rows is None else self.rows
        powers = len(self.lost) + len(self.passed) + len(self.carried)
        return Reading(np.zeros((len(self.stored), count)), np.zeros((powers, count)), np.zeros(self.parts))

    @classmethod
    def of(
        cls, stored: Mapping[str, Quantity] | None = None, lost: Mapping[str, Quantity] | None = None, **more: Any
    ) -> Account:
        """An account made from one function of the fields per name, which returns values of shape (rows,) in J or W.

        Args:
            stored, lost: functions by name.
            **more: arguments ``by``, ``is_whole`` and ``conserves`` of the account; an account without losses conserves
                energy.
        """
        energies, powers = dict(stored or {}), dict(lost or {})

        def read(s: Any) -> None:
            for functions, values in ((energies, s.energies), (powers, s.powers)):
                for k, function in enumerate(functions.values()):
                    values[k] += function(s)

        more = {"conserves": not powers, **more}
        return cls(read, tuple(energies), tuple(powers), **more)


class Losses(NamedTuple):
    """Losses of the rows of a law on this process since the start of a ledger.

    Attributes:
        names: the losses, `Account.lost`.
        rows: losses by row in the order of `Layout.rows` [J], shape (rows, l).
        ids: the values of the column `Account.by` of all processes, ascending, shape (g,).
        group: index into ``ids`` of each row, shape (rows,).
        shared: sums over the rows of all processes after each step [J], shape (g, l); None on one process.
    """

    names: tuple[str, ...]
    rows: FloatArray
    ids: IntArray
    group: IntArray
    shared: FloatArray | None = None

    def sum_rows(self, names: Sequence[str]) -> FloatArray:
        """Sum of the selected losses for each row [J], shape (rows,)."""
        total: FloatArray = self.rows[:, [name in names for name in self.names]].sum(axis=1)
        return total

    def sum_groups(self) -> FloatArray:
        """Losses by group [J], shape (g, l)."""
        return self.sum_here() if self.shared is None else self.shared

    def sum_here(self) -> FloatArray:
        """Losses of the rows of this process by group [J], shape (g, l)."""
        sums = np.zeros((len(self.ids), len(self.names)))
        np.add.at(sums, self.group, self.rows[: len(self.group)])
        return sums
