"""Comparison of the two functions of a law that evaluate the powers carried away by inertia forces."""

from __future__ import annotations

from numpy.testing import assert_allclose

import windlass as wl
from windlass.framework.assembly.assembly import serial_assembly
from windlass.framework.model.system import evaluate


def compare_carried(world: wl.World, state: wl.State) -> int:
    """Compare the powers of `Account.carry` and `Account.read` of all laws of a world. Return the number of laws with
    `Account.carry`. The powers of these laws must not be 0.
    """
    assembly, count = serial_assembly(world), 0
    assembly.load_fields(state)
    for system in assembly.systems:
        account = system.account
        if account is None or account.carry is None:
            continue
        fast, whole = (account.create_reading(len(system.dofs)) for _ in range(2))
        account.carry(evaluate(assembly.fields, **fast._asdict()))
        account.read(evaluate(assembly.fields, **whole._asdict()))
        first = len(account.lost) + len(account.passed)
        assert whole.powers[first:].any()
        assert_allclose(fast.powers[first:], whole.powers[first:], rtol=1e-12)
        count += 1
    return count
