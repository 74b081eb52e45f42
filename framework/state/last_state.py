"""The last state that a script has solved, kept for commands that ask for it, such as `windlass modes`."""

from __future__ import annotations

from typing import Any

_run: dict[str, Any] = {"wanted": False, "state": None}


def want() -> None:
    """Keep the last state from now on."""
    _run["wanted"], _run["state"] = True, None


def note(state: Any) -> None:
    """A solve has ended with this state."""
    if _run["wanted"]:
        _run["state"] = state.copy()


def take() -> Any:
    """The last state, None if nothing was solved; from now on none is kept."""
    state, _run["wanted"], _run["state"] = _run["state"], False, None
    return state
