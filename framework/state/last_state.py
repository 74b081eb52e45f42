"""The state at the end of the last solve of a script. Commands such as `windlass modes` use this state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from windlass.framework.state.state import State


@dataclass
class LastState:
    """Storage for the last state of a run. States are stored only after a call of `want`."""

    wanted: bool = False
    state: State | None = None


_last = LastState()


def want() -> None:
    """Request that states are stored after this call."""
    _last.wanted, _last.state = True, None


def note(state: State) -> None:
    """Store the state at the end of a solve."""
    if _last.wanted:
        _last.state = state.copy()


def take() -> State | None:
    """Return the last state, or None if no solve has run. After this call, no states are stored."""
    state, _last.wanted, _last.state = _last.state, False, None
    return state
