"""Commands that look at the last state that a model script has solved, such as `windlass modes`.

Solvers tell what they offer, and the state that each solve ends with, which is kept only if a command asks for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from windlass.framework.errors import ModelError

_commands: dict[str, Callable[[Any], None]] = {}
_run: dict[str, Any] = {"wanted": False, "state": None}


def offer_command(name: str, function: Callable[[Any], None]) -> None:
    """Have a command call a function with the last state that the script has solved."""
    _commands[name] = function


def want_state() -> None:
    """Keep the last state from now on."""
    _run["wanted"], _run["state"] = True, None


def note_state(state: Any) -> None:
    """A solve has ended with this state."""
    if _run["wanted"]:
        _run["state"] = state.copy()


def run_command(name: str, script: str) -> None:
    """Call the function of a command with the last state.

    Raises:
        ModelError: the script has solved nothing.
    """
    state, _run["wanted"], _run["state"] = _run["state"], False, None
    if state is None or name not in _commands:
        raise ModelError(f"windlass {name} {script}: the script solves nothing, there is no state to look at")
    _commands[name](state)
