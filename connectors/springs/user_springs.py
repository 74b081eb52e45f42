"""Energies and powers of linear springs and dampers. For rows with a user function, energies and powers cannot be
computed.

force: f = k (u - offset) + d u_t
energy: k (u - offset)²/2, for rows without a user function
power of the damper: d u_t², for rows without a user function
"""

from __future__ import annotations

from dataclasses import replace

from windlass.connectors.user_functions.user_rows import find_users
from windlass.framework.model.law import LocalRows
from windlass.framework.model.system import System


def judge_account(rows: LocalRows, system: System) -> None:
    """Set in the `Account` of the system whether energies and powers are complete, and whether the rows conserve
    energy. Forces of user functions may have no potential energy.
    """
    is_whole = not len(find_users(rows).where)
    assert system.account is not None
    system.account = replace(
        system.account, is_whole=is_whole, conserves=is_whole and not rows.columns[1]["damping"].any()
    )
