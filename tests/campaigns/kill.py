"""Campaign that kills runs at random times, including times at which files are written. Frames must remain readable,
and the restarted run must have exactly the results of the undisturbed run.
"""

from __future__ import annotations

import itertools
import random
from pathlib import Path

from campaigns.model import Undisturbed, compare, find_rest, in_child, interrupt_calls, read_run, simulate

CALLS = 750
"""Estimated number of disk calls of a run."""


def run(count: int, folder: Path, seed: int = 1) -> str:
    """Kill a number of runs, read their files, and restart them. Every second run is killed during a disk call.

    Runs that end before the kill are also checked, but not counted.

    Raises:
        AssertionError: a frame is lost, a file cannot be read, or the results of the restarted run differ from the
            results of the undisturbed run.
    """
    rng, whole = random.Random(seed), Undisturbed(folder / "whole")
    killed = journals = 0
    for number in itertools.count():
        if killed == count:
            break
        place = folder / f"{number}"
        place.mkdir()
        if number % 2:
            code, said = in_child(lambda pipe, p=place: simulate(p, pipe), rng.uniform(0.0, whole.duration))  # type: ignore[misc]
        else:
            at, half = rng.randrange(1, CALLS), rng.random() < 0.5

            def disturbed(pipe: int, p: Path = place, at: int = at, half: bool = half) -> None:
                interrupt_calls(at, half)
                simulate(p, pipe)

            code, said = in_child(disturbed)
        assert code in (0, -9), said.decode(errors="replace")
        killed += code == -9
        journals += any(name.endswith(".journal") for name in find_rest(place))
        least = said[-1] if said else 0
        code, said = in_child(lambda _, p=place, n=least: compare(read_run(p), whole.frames, n))  # type: ignore[misc]
        assert code == 0, (number, said.decode())
        code, said = in_child(lambda _, p=place: simulate(p, restart=True))  # type: ignore[misc]
        assert code == 0, (number, said.decode())
        code, said = in_child(lambda _, p=place: whole.check_end(p))  # type: ignore[misc]
        assert code == 0, (number, said.decode())
    return (
        f"{killed} of {number} runs killed, {journals} with a journal to carry out: no frame lost, all restarts exact"
    )
