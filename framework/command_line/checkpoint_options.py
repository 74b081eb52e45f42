"""Command-line options for checkpoints and for restarts from checkpoints."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from windlass.framework.errors import OutputError
from windlass.framework.files.whole_files import check_place

DEFAULT_FILE = "checkpoint.h5"
EVERY = 1000
"""Default number of steps between checkpoints."""
MINUTES = 10.0
"""Default elapsed time [min] between checkpoints."""


class Wish(NamedTuple):
    """Values of the checkpoint options.

    Attributes:
        path: file of the checkpoints; None for no checkpoints.
        every: number of steps between checkpoints; None if the option is not given.
        restart: checkpoint from which the run continues; None if the run starts from the beginning.
        minutes: elapsed time between automatic checkpoints [min]; 0 for no automatic checkpoints.
    """

    path: Path | None
    every: int | None
    restart: Path | None
    minutes: float


def declare(option: Callable[..., Any]) -> Wish:
    """Declare the options and return their values.

    Raises:
        OptionError: the number of steps or the elapsed time between checkpoints is out of range.
        OutputError: the checkpoint of ``-restart`` does not exist, or the file for checkpoints cannot be written.
    """
    file = option("checkpoint", "", "", f"keep checkpoints of the run in this HDF5 file ({DEFAULT_FILE})")
    every = option("checkpoint_every", EVERY, "1", "steps between checkpoints", minimum=1)
    minutes = option(
        "checkpoint_minutes", MINUTES, "min", "elapsed time after which a checkpoint is due; 0 never", minimum=0.0
    )
    restart = option("restart", "", "", "continue from this checkpoint file; auto: the file of -checkpoint, if any")
    from petsc4py import PETSc  # imported here, because the import initialises PETSc with the present options

    every_given = PETSc.Options().hasName("checkpoint_every")
    if not (file or every_given or restart):
        return Wish(None, None, None, minutes)
    path = Path(file or (restart if restart not in ("", "auto") else DEFAULT_FILE)).absolute()
    if restart == "auto":
        start = path if os.path.exists(path) else None
    else:
        start = Path(restart).absolute() if restart else None
    if start is not None and not os.path.isfile(start):
        raise OutputError(f"-restart {restart}: no such file; must be a file that -checkpoint wrote, or auto")
    check_place(path, "-checkpoint")
    return Wish(path, every if every_given else None, start, minutes)
