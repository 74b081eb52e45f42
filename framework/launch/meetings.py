"""Synchronisation of processes. All processes begin each solve together. If the processes execute different parts of a
script, an error is reported, because the processes would otherwise wait for each other forever.

The processes are connected in a ring. Each process sends the name of its next task to its successor, and receives the
name of the task of its predecessor. If a process has ended or begins a different task, its neighbour in the ring
reports an error and ends the job. If a process leaves a solve with an error that its script catches, all other
processes must also leave the solve. If any process remains in the solve, the job ends, because this process would wait
forever. A loop over the steps of a solve may end early only if the loop ends on all processes. Therefore each process
checks before each step whether its predecessor also continues.
"""

from __future__ import annotations

import sys
import time
from typing import Any

from windlass.framework.errors import ModelError
from windlass.framework.launch import error_report as failure
from windlass.framework.launch.launcher import communicator, launched_size

TAG = 7319
"""Tag of the messages between neighbours in the ring, on the communicator of all processes."""
PATIENCE = 4.0
"""If a process leaves a solve with an error, all other processes must leave the solve within this time [s]."""
PAUSE = 0.005
ENDED, LEFT, NEXT, BROKEN = "its end", "an error in ", "the next step of ", "broken off: "


def meet(comm: Any, what: str) -> None:
    """Begin a task on all processes. The name of the task, ``what``, must be equal on all processes. The call is
    collective.
    """
    if comm is None or comm.size == 1:
        return
    there = _exchange(comm, what)
    if there != what:
        _end_job(_differs(comm, there, f"begins {what}"))


def go_on(comm: Any, what: str, number: int) -> None:
    """Begin the next step of a loop over the steps of a solve. The argument ``number`` identifies the loop.

    The call is collective on all processes that have not left the loop.
    """
    if comm is None or comm.size == 1:
        return
    there = _exchange(comm, NEXT + what, _notice(what, number))
    if there.startswith(LEFT):
        # during this time, the other process reports the error and ends the job
        time.sleep(2 * PATIENCE)
    if there != NEXT + what:
        _end_job(_differs(comm, there, f"is at {NEXT}{what}"))


def break_off(comm: Any, what: str, number: int) -> None:
    """Leave a loop over the steps of a solve before the end of the loop. The next process in the ring is notified. The
    call does not wait for an answer.
    """
    if comm is None or comm.size == 1:
        return
    from mpi4py import MPI  # imported here, because a single process needs no MPI

    # this function may also run when Python closes generators at the end of the program, after MPI was finalised
    if not MPI.Is_finalized():
        comm.send(_notice(what, number), (comm.rank + 1) % comm.size, TAG)


def _notice(what: str, number: int) -> str:
    return f"{BROKEN}{what} {number}"


def _exchange(comm: Any, message: str, notice: str = "") -> str:
    """Send a message to the next process, and receive a message from the previous process. Messages on loops that have
    already ended are ignored.
    """
    before = (comm.rank - 1) % comm.size
    there: str = comm.sendrecv(message, (comm.rank + 1) % comm.size, TAG, None, before, TAG)
    while there.startswith(BROKEN) and there != notice:
        there = comm.recv(None, before, TAG)
    return there


def _differs(comm: Any, there: str, here: str) -> ModelError:
    state = "has ended" if there == ENDED else f"is at {there}"
    if there.startswith(BROKEN):
        state = f"has left the loop over the steps of {there.removeprefix(BROKEN).rpartition(' ')[0]}"
    return ModelError(f"process {(comm.rank - 1) % comm.size} {state}, while this one {here}: all must do the same")


def leave(comm: Any, what: str, error: BaseException) -> None:
    """Leave a common task of all processes because of an error. If not all processes leave the task, end the job."""
    if comm is None or comm.size == 1:
        return
    comm.send(LEFT + what, (comm.rank + 1) % comm.size, TAG)
    before, end = (comm.rank - 1) % comm.size, time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if comm.iprobe(before, TAG):
            there = comm.recv(None, before, TAG)
            if there.startswith(BROKEN):
                continue
            if there == LEFT + what:
                return
            break
        time.sleep(PAUSE)
    if isinstance(error, SystemExit):
        error = ModelError(f"this process ends in {what}, while others continue: all must do the same")
    _end_job(error)


def end() -> None:
    """At the end of the script of this process, wait until the script of the predecessor in the ring has ended.

    If a process begins a task although the script of its predecessor has ended, the process reports an error and ends
    the job.
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
