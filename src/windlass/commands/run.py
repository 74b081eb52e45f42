"""The command `windlass run` runs a model script as `python` does, but with short error messages and checks of
options.
"""

from __future__ import annotations

import gc
import os
import runpy
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from windlass.framework.errors import OptionError
from windlass.framework.launch.arguments import HELP_WORDS

RUBBISH = 10_000
"""Number of new objects after which Python's garbage collection starts during a run of a model."""
HELP = """windlass run MODEL.py [options of the model and of PETSc] [-- words of the model]

Runs a model script as python would, with short errors and checked options.  windlass run MODEL.py -help lists its
options and those of its solvers."""


def main(words: Sequence[str]) -> int:
    """Run a model, and return the exit code."""
    return run_script(words, "run", HELP)


def execute_script(file: str) -> None:
    """Run a Python script as the main program."""
    runpy.run_path(file, run_name="__main__")


def run_script(
    words: Sequence[str],
    command: str,
    help_text: str,
    before: Callable[[], None] | None = None,
    after: Callable[[str], None] | None = None,
    execute: Callable[[str], None] = execute_script,
) -> int:
    """Run a model with short error messages and checks of options.

    Args:
        words: the file of the script, then options of the script and of PETSc.
        command: the command as users write it, for messages.
        help_text: description of the command.
        before: function that is called before the script starts, after the options have been passed to PETSc.
        after: function that is called with the file after the script has ended without error.
        execute: function that runs the model in the file. By default, the file is run as a Python script.

    Returns:
        Exit code of the script. The exit code is 2 for errors of Windlass, and 1 for other exceptions.
    """
    if words and words[0] in HELP_WORDS:
        print(help_text)
        return 0
    argv, path, thresholds = sys.argv, list(sys.path), gc.get_threshold()
    # Objects from the start of the process exist until the process ends. Repeated searches for garbage among these
    # objects would take a tenth of the start time.
    gc.set_threshold(RUBBISH, *thresholds[1:])
    from windlass.framework.command_line import options  # imported here, because help does not need this module
    from windlass.framework.launch import error_report as failure  # imported here, because the import reads options
    from windlass.framework.launch import script_end  # imported here, because the import reads options

    script = words[0] if words else ""
    try:
        if not script or script.startswith("-"):
            raise OptionError(f"windlass {command} FILE [options]: the first word must be the model")
        if not os.path.isfile(script):
            raise OptionError(f"windlass {command} {script:.200}: no such file")
        sys.argv = list(words)
        sys.path.insert(0, str(Path(script).resolve().parent))
        options.initialise(words[1:])
        if before is not None:
            before()
        try:
            execute(script)
        except SystemExit as end:
            if code := _exit_code(end):
                options.finish_without_check()
                return failure.leave(code)
        if after is not None:
            after(script)
        script_end.end_together()
        options.finish()
    except BaseException as error:
        return failure.report(error, script)
    finally:
        sys.argv, sys.path[:] = argv, path
        gc.set_threshold(*thresholds)
    return 0


def _exit_code(end: SystemExit) -> int:
    """Return the exit code of a script that has called sys.exit. If a message was passed to sys.exit, print the message
    and return 1.
    """
    if end.code is None or isinstance(end.code, int):
        return end.code or 0
    print(end.code, file=sys.stderr)
    return 1
