"""Several processes begin every solve together: what begins elsewhere, or not at all, is found before anybody waits.

A process tells the next one in a ring what it begins, and hears it from the one before.  So one that has ended, or
begins something else, is known to a neighbour, who says so and ends the job.  A solve that one process leaves with an
error, which its script may catch, is left by all or ends the job: the others would wait in it for ever.
"""

from __future__ import annotations

import sys
import time
from typing import Any

from windlass.framework.errors import ModelError
from windlass.framework.launch import error_report as failure
from windlass.framework.launch.launcher import communicator, launched_size

TAG = 7319
"""Of the messages between neighbours, on the communicator of all processes."""
PATIENCE = 4.0
"""Processes that leave a solve with the same error do so within this time [s]."""
PAUSE = 0.005
ENDED, LEFT = "its end", "an error in "


def meet(comm: Any, what: str) -> None:
    """Begin something together; ``what`` it is must be the same everywhere.  All processes call this together."""
    if comm is None or comm.size == 1:
        return
    before = (comm.rank - 1) % comm.size
    there = comm.sendrecv(what, (comm.rank + 1) % comm.size, TAG, None, before, TAG)
    if there != what:
        state = "has ended" if there == ENDED else f"is at {there}"
        _end_job(ModelError(f"process {before} {state}, while this one begins {what}: all must do the same"))


def leave(comm: Any, what: str, error: BaseException) -> None:
    """Leave what was begun together with an error; ends the job unless all processes do so."""
    if comm is None or comm.size == 1:
        return
    comm.send(LEFT + what, (comm.rank + 1) % comm.size, TAG)
    before, end = (comm.rank - 1) % comm.size, time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if comm.iprobe(before, TAG):
            if comm.recv(None, before, TAG) == LEFT + what:
                return
            break
        time.sleep(PAUSE)
    if isinstance(error, SystemExit):
        error = ModelError(f"this process ends in {what}, while others go on: all must do the same")
    _end_job(error)


def end() -> None:
    """The script has ended on this process; waits until it has ended on the process before, as MPI's end does.

    If that one begins something instead, the process after this one says so and ends the job.
    """
    if launched_size() == 1:
        return
    comm = communicator()
    if comm is None:
        return
    comm.send(ENDED, (comm.rank + 1) % comm.size, TAG)
    before = (comm.rank - 1) % comm.size
    while not (comm.iprobe(before, TAG) and comm.recv(None, before, TAG) == ENDED):
        time.sleep(PAUSE)


def _end_job(error: BaseException) -> None:
    sys.stdout.flush()
    raise SystemExit(failure.report(error))
