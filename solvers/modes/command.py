"""The command `windlass modes MODEL.py`: modes about the last state that the model has solved."""

from __future__ import annotations

from windlass.framework.command_line import options
from windlass.framework.launch.launcher import is_first_process
from windlass.framework.state.state import State
from windlass.solvers.modes.modes import Modes


def show(state: State) -> None:
    """Print the table of the modes about a state; all processes call this together."""
    result = Modes(state.world).solve(state)
    if options.help_requested():
        return
    table = result.table()
    if is_first_process():
        print(f"modes about the state at t = {state.t:.9g} s:\n{table}", flush=True)
