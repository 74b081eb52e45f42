"""The last state that a script has solved, kept for commands that need it, such as `windlass modes`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from windlass.framework.state.state import State


@dataclass
class LastState:
    """Whether the last state is kept, and this state."""

    wanted: bool = False
    state: State | None = None


_last = LastState()


def want() -> None:
    """Keep the last state from now on."""
    _last.wanted, _last.state = True, None


def note(state: State) -> None:
    """Record the state at the end of a solve."""
    if _last.wanted:
        _last.state = state.copy()


def take() -> State | None:
    """The last state, None without a solve; stops keeping states."""
    state, _last.wanted, _last.state = _last.state, False, None
    return state
