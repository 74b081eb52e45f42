"""Energy accounts of laws: the energies that each row stores, dissipates and transfers.

Let f be forces on the left-hand side of the equations of motion, and v the velocities of a motion. The forces take the
power f·v from the motion. The inertia forces M a + ..., with the mass matrix M and the accelerations a, change the
kinetic energy T:

    f·v = rates of stored energies + losses + power passed on,  (M a + ...)·v = dT/dt + power carried away.

A law declares its stored energies and its losses in the function that creates its system:

    system.account = Account.of(stored={"spring": eval_energy}, lost={"damper": eval_power})

The energy ledger and the energy check of time steps read only these accounts. An instantaneous event, such as the
release of a bristle, has an energy loss but no power. The function ``jumps`` computes this loss from values of the law
(`Reading.parts`) at the start and at the end of a step.
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
    """Energies and powers of the rows of one law at one instant.

    Attributes:
        energies: stored energies [J] in the order of `Account.stored`, shape (k, rows) for k stored energies.
        powers: powers [W] in the order of `Account.lost`, `Account.passed`, `Account.carried`, shape (l + p + c, rows),
            where l, p and c are the numbers of names in these three attributes. Without `Account.jumps`, the powers
            must not depend on history values, because powers are then also evaluated in the middle of a step, see
            balance.py.
        parts: values from which `Account.jumps` computes instantaneous losses, shape `Account.parts`. The losses follow
            from the changes of these values between the start and the end of a step.
    """

    energies: FloatArray
    powers: FloatArray
    parts: FloatArray


@dataclass(frozen=True)
class Account:
    """Energies that a law stores, dissipates and transfers.

    Each function of the account receives an `Evaluation` ``s``, and adds its results to arrays of ``s``. Use `call` to
    create a function that calls a kernel.

    Attributes:
        read: function ``(s)`` that adds the energies and powers of this process's rows to s.energies and s.powers, and
            writes s.parts. See `Reading`.
        stored: names of the stored energies.
        lost: names of dissipated energies. The powers with these names are >= 0.
        passed: names of the powers with which the forces of the law transfer energy out of the rows of the law. An
            example is the strain energy of material that leaves the rows.
        carried: names of the powers with which the inertia forces of the law transfer kinetic energy out of the rows of
            the law. An example is the kinetic energy of material that leaves the rows. These powers are not included in
            the change of the kinetic energy.
        parts: shape of the array `Reading.parts`. The function ``jumps`` compares the values of this array.
        jumps: function ``(s)`` that adds the instantaneous losses [J] in a step to s.jumps, shape (l, rows) for l names
            in ``lost``, in addition to the powers. The function reads the step size s.size [s], shape (1,), and
            compares s.parts (end of the step) with s.parts_before (start of the step). Then the function copies s.parts
            to s.parts_before.
        rows: number of rows of the account, if this number differs from the number of rows of `System.dofs`.
        by: name of a column, for instance ``"circle"``. Rows with equal values in this column form a group. Losses are
            summed for each group. An empty name means no groups.
        is_whole: whether the account contains all energies and powers of the law. False if the law has user functions
            of forces, for which no energy is defined.
        powers: optional function ``(s)`` that computes powers P faster than ``read`` if P is quadratic in the
            velocities. The function adds P(s.v) - P(s.half) to s.powers. The module balance.py defines the velocities
            s.v and s.half. If ``powers`` is given, s.powers can be empty when ``read`` is called. ``read`` must then
            add no powers.
        carry: optional function ``(s)`` that adds the powers in ``carried`` to s.powers, and is faster than ``read``.
            Values that the function adds to the other rows of s.powers are ignored.
        forces: optional function ``(s)`` that replaces ``read`` and `System.residual`. The function adds energies and
            powers, and also adds the forces of the law to s.f. One call of ``forces`` is faster than separate calls of
            ``read`` and `System.residual`.
        conserves: whether the law neither dissipates energy nor transfers energy out of its rows. If ``conserves`` is
            true, a difference between the work of the rows' forces and the change of their stored energies is
            attributed to the time integrator.
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
    carry: Function | None = None
    forces: Function | None = None
    conserves: bool = False

    def __post_init__(self) -> None:
        if self.carry is not None and not self.carried:
            raise ModelError("carry of an Account: must be given only with names in carried, whose powers it adds")
        if self.powers is not None and self.jumps is not None:
            raise ModelError(
                "powers and jumps of an Account: must not both be given, because jumps already contain all powers"
            )

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all energies and powers of the account, in the order of a `Reading`."""
        return self.stored + self.lost + self.passed + self.carried

    def create_reading(self, rows: int) -> Reading:
        """Create a `Reading` with zeros as values. The number of rows is `Account.rows`, or the argument ``rows`` if
        `Account.rows` is None.
        """
        count = rows if self.rows is None else self.rows
        powers = len(self.lost) + len(self.passed) + len(self.carried)
        return Reading(np.zeros((len(self.stored), count)), np.zeros((powers, count)), np.zeros(self.parts))

    @classmethod
    def of(
        cls, stored: Mapping[str, Quantity] | None = None, lost: Mapping[str, Quantity] | None = None, **more: Any
    ) -> Account:
        """Create an account from functions that receive the fields and return energies [J] or powers [W] of shape
        (rows,).

        Args:
            stored, lost: functions of stored energies and of dissipated powers, by name.
            **more: arguments ``by``, ``is_whole`` and ``conserves`` of the account. By default ``conserves`` is true if
                ``lost`` is empty.
        """
        energies, powers = dict(stored or {}), dict(lost or {})

        def read(s: Any) -> None:
            for functions, values in ((energies, s.energies), (powers, s.powers)):
                for k, function in enumerate(functions.values()):
                    values[k] += function(s)

        more = {"conserves": not powers, **more}
        return cls(read, tuple(energies), tuple(powers), **more)


class Losses(NamedTuple):
    """Losses of the rows of a law on this process since the start of an energy ledger.

    Attributes:
        names: names of the l losses, see `Account.lost`.
        rows: losses [J] of each row, in the order of `Layout.rows`, shape (rows, l).
        ids: the different values of the column `Account.by` on all processes, in ascending order, shape (groups,).
        group: for each row, the index of its group in ``ids``, shape (rows,).
        shared: losses [J] of each group, summed over all processes after each step, shape (groups, l); None if there is
            only one process.
    """

    names: tuple[str, ...]
    rows: FloatArray
    ids: IntArray
    group: IntArray
    shared: FloatArray | None = None

    def sum_rows(self, names: Sequence[str]) -> FloatArray:
        """Return, for each row, the sum [J] of the losses with the given names, shape (rows,)."""
        total: FloatArray = self.rows[:, [name in names for name in self.names]].sum(axis=1)
        return total

    def sum_groups(self) -> FloatArray:
        """Return the losses [J] of each group, summed over all processes, shape (groups, l)."""
        return self.sum_here() if self.shared is None else self.shared

    def sum_here(self) -> FloatArray:
        """Return, for each group, the sums [J] of the losses of the rows on this process, shape (groups, l)."""
        sums = np.zeros((len(self.ids), len(self.names)))
        np.add.at(sums, self.group, self.rows[: len(self.group)])
        return sums
