"""The table of `windlass tune`. The table lists settings in the order of their times, followed by excluded settings
with the reasons.
"""

from __future__ import annotations

from collections.abc import Sequence

from windlass.commands.studies.tune_runs import Result, Tried

HEAD = ("setting", "ms/step", "of default", "Newton", "linear", "tangents", "MB", "difference")
MEBIBYTE = 2.0**20
GAIN = 0.95
"""If the ratio [1] of the time of a setting to the time of the default setting is larger than this value, the
difference is treated as a measurement error.
"""


def judge(tried: Tried, run: Result, default: Result, agree: float, limit: float) -> None:
    """Record the run of a setting. Exclude the setting if the run fails, exceeds the time limit, or changes the
    results. Also exclude the setting if the result of the run is doubtful, but the result of the default setting is not
    doubtful.

    Args:
        tried: the setting.
        run: result of the run.
        default: the run of the default setting.
        agree: largest relative difference [1] of results that `Result.differ_from` treats as equal.
        limit: ratio [1] of the time at which a run is stopped to the time of the run with default settings.
    """
    if run.stopped:
        tried.out = f"slower than {limit:g} times the default, stopped after {run.run_time:.1f} s"
    elif run.reason:
        tried.out = run.reason
    else:
        tried.runs.append(run)
        tried.difference = max(tried.difference, run.differ_from(default))
        verdicts = zip(run.solves, default.solves, strict=False)
        worse = [solve["solve"] for solve, its in verdicts if solve["verdict"] != "ok" == its["verdict"]]
        if not tried.difference <= agree:
            tried.out = f"changes the answer by {tried.difference:.1e}, more than {agree:.1e}"
        elif worse:
            tried.out = f"the result of {worse[0]} is doubtful"


def rank(tried: Sequence[Tried], prefix: str, clock: str) -> list[Tried]:
    """Return the settings that are not excluded, in ascending order of the time ``clock`` of the solves with the given
    prefix.
    """
    return sorted((one for one in tried if not one.out), key=lambda one: one.time(prefix, clock))


def choose(ranked: Sequence[Tried], default: Tried, prefix: str, clock: str) -> Tried:
    """Return the first setting of a ranking. If its time is more than `GAIN` times the time of the default setting,
    return the default setting.
    """
    best = ranked[0] if ranked else default
    return best if best.time(prefix, clock) < GAIN * default.time(prefix, clock) else default


def format_ranking(tried: Sequence[Tried], default: Tried, prefix: str, clock: str) -> str:
    """Return the ranking as a table with one line for each setting.

    The time per step is the time of a run divided by the number of steps of the default run. If a setting needs
    additional steps because step sizes are reduced, its time per step is therefore longer.
    """
    steps = max(1.0, default.runs[0].sum(prefix, "steps"))
    base = default.time(prefix, clock)
    lines: list[tuple[str, ...]] = [HEAD]
    for one in rank(tried, prefix, clock):
        time, run = one.time(prefix, clock), one.runs[0]
        counts = (f"{run.sum(prefix, name):.0f}" for name in ("newton_iterations", "linear_iterations", "jacobians"))
        memory = max((solve["peak_memory"] for solve in run.solves), default=0.0) / MEBIBYTE
        difference = "-" if one is default else f"{one.difference:.1e}"
        shares = f"{1e3 * time / steps:.3f}", f"{time / base:.2f}"
        lines.append((one.setting.name, *shares, *counts, f"{memory:.0f}", difference))
    widths = [max(len(line[k]) for line in lines) for k in range(len(HEAD))]
    table = ["  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]).rstrip() for line in lines]
    out = [f"out: {one.setting.name}: {one.out}" for one in tried if one.out]
    return "\n".join([*table, *out])
