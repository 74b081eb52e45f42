"""Checks of the arguments and initial states of solvers."""

from __future__ import annotations

import math

import numpy as np

from windlass.framework.assembly.alike import check_same, digest
from windlass.framework.checks.checks import Check, each, instance, number, optional, that, whole, word, yes_no
from windlass.framework.command_line import options
from windlass.framework.errors import ModelError
from windlass.framework.launch.meetings import meet
from windlass.framework.restart.solve_checkpoint import Restartable
from windlass.framework.runtime.petsc import PETSc
from windlass.framework.state import last_state
from windlass.framework.state.exchange import NAMES
from windlass.framework.state.hooks import is_hook
from windlass.framework.state.state import State

LONGEST_TIME = 1e12
"""Limit [s] of step sizes and end times. Longer times are assumed to be mistakes.
"""
MOST_STEPS = 1e12
"""Largest plausible number of steps. If the number is larger, the step size is assumed to be a mistake."""

PREFIX = that(
    lambda given: isinstance(given, str) and given.isidentifier() and given.isascii(), "letters, digits and _"
)

COMMON: dict[str, Check] = {
    "world": instance("World"),
    "rtol": number("1", minimum=0.0, below=1.0),
    "atol": number("N", minimum=0.0),
    "adaptive": yes_no(),
    "prefix": PREFIX,
    "name": word(),
}
"""Checks of the arguments of all solvers."""
NEWTON: dict[str, Check] = {
    "max_it": whole(1),
    "passes": optional(instance("Passes")),
    "decide_at_start": yes_no(),
}
"""Checks of the arguments of all solvers with Newton's method."""
TIMES: dict[str, Check] = {
    "step": number("s", above=0.0, below=LONGEST_TIME),
    "end": number("s", above=0.0, below=LONGEST_TIME),
    "pace": number("1", minimum=0.0),
}
"""Checks of the arguments of all solvers that integrate in time."""
SOLVE: dict[str, Check] = {
    "state": optional(instance(State)),
    "hooks": each(that(is_hook, "a StepHook or a function of the state"), "a list of hooks"),
    "resume": yes_no(),
}
"""Checks of the arguments of ``solve`` and ``march``."""


def check_start(solver: Restartable, given: State | None, state: State) -> None:
    """Check that the initial state of a solve is finite, and that all processes have the same settings and the same
    initial state. The call is collective.

    Args:
        solver: the solver.
        given: the state given by the user, if any.
        state: the part of the initial state that this process stores.

    Raises:
        ModelError: values are not finite, or settings differ between processes. All processes raise the error.
        OptionError: the value of an option is wrong. Options of solvers that have not been created yet are also
            checked.
    """
    where, assembly = type(solver).__name__, solver.assembly
    options.check_values()
    if options.help_requested():
        # With -help, a run ends before its first solve. Commands that show the last state then show the initial state.
        last_state.note(state)
    if assembly.layout.size > 1:
        meet(assembly.comm, where)
        settings = {"solver": where, "prefix": solver.prefix, **solver.settings(), "t of the state [s]": state.t}
        settings |= {"end [s]": getattr(solver, "end", 0.0)}
        if given is not None and given.is_whole:
            settings |= {f"{name} of the state": digest(getattr(given, name)) for name in NAMES}
        settings |= {f"-{name}": value for name, value in PETSc.Options().getAll().items()}
        check_same(settings, assembly.processes)
    error = None
    try:
        _check_finite(state, where)
    except ModelError as found:
        error = found
    assembly.processes.agree(error)


def _check_finite(state: State, where: str) -> None:
    for name in NAMES:
        finite = np.isfinite(getattr(state, name))
        if not finite.all():
            bad = np.flatnonzero(~finite)
            value = getattr(state, name)[bad[0]]
            raise ModelError(
                f"{name}[{bad[0]}] = {value} of the state that {where} starts from: must be a finite number"
            )
    if not math.isfinite(state.t):
        raise ModelError(f"t = {state.t} s of the state that {where} starts from: must be a finite time")


def check_times(solver: Restartable, state: State, step: float, end: float) -> None:
    """Raise ModelError if the start of a solve is later than its end [s], or if the number of steps of the size
    ``step`` [s] is too large.
    """
    where = type(solver).__name__
    if end < state.t - 1e-9 * step:
        raise ModelError(f"end = {end} s in {where}: must be >= {state.t:.9g} s, the time of the state")
    if end - state.t > MOST_STEPS * step:
        count = (end - state.t) / step
        raise ModelError(
            f"step = {step} s in {where}: must be longer, because the end at {end} s is {count:.2g} steps away"
        )
