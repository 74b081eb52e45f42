"""The command `windlass modes` computes natural frequencies about the last state that a model script has solved."""

from __future__ import annotations

from collections.abc import Sequence

from windlass.commands.run import run_script
from windlass.framework.errors import ModelError
from windlass.framework.launch.launcher import is_first_process
from windlass.framework.state import last_state

HELP = """windlass modes MODEL.py [options of the model, of -modes_... and of PETSc]

Runs a model script, and then shows the modes about the last state that it has solved.  windlass modes MODEL.py -help
lists its options."""


def main(words: Sequence[str]) -> int:
    """Run a model, print the modes about its last state, and return the exit code."""
    return run_script(words, "modes", HELP, last_state.want, show_modes)


def show_modes(script: str) -> None:
    """Print the table of the modes about the last state of the solves. All processes must call this function.

    Raises:
        ModelError: the script has no solve.
    """
    state = last_state.take()
    if state is None:
        raise ModelError(f"windlass modes {script}: the script contains no solve, so there is no state for modes")
    from windlass.framework.command_line import options  # imported here, because help does not need this module
    from windlass.solvers.modes.modes import Modes  # imported here, because the import starts PETSc

    result = Modes(state.world).solve(state)
    if options.help_requested():
        return
    table = result.table()
    if is_first_process():
        print(f"modes about the state at t = {state.t:.9g} s:\n{table}", flush=True)
