"""The command `windlass` runs models, compiles kernels in advance, and reports on the installation.

windlass run MODEL.py [model options] [PETSc options]   run a model
windlass run MODEL.py -help                             list the options of a model and of its solvers
windlass run-exudyn MODEL.py [options]                  run a script of Exudyn with the solvers of Windlass
windlass run-moordyn FILE.txt [options]                 solve the model of an input file of MoorDyn
windlass modes MODEL.py [options]                       run a model, and show the modes about its last state
windlass sweep MODEL.py -output DIR [options]           run a model with many sets of options
windlass optimise MODEL.py -output DIR [options]        find the options for which a result is least or largest
windlass identify MODEL.py -output DIR -data FILE       find the options for which sensors fit measured values best
windlass uncertainty MODEL.py -output DIR [options]     find the spread of results for uncertain options
windlass tune MODEL.py [options]                        find the fastest solver settings for a model
windlass fmu MODEL.py [-output FILE.fmu]                write an FMU of a model for other tools (co-simulation)
windlass compile [-processes N]                         compile kernels in advance, on all cores or on N cores
windlass show FILE [-picture FILE.png] [-movie FILE.mp4]  show results in a window, or write a picture or a film
windlass post FILE [options]                            evaluate statistics, spectra, extremes, fatigue, envelopes
windlass examples [NAME]                                list the examples, or copy one into the current folder
windlass doctor                                         report on the installation
windlass version                                        print the version

Options have one dash, and each option has at most one value. Model options and PETSc options can be in any order.
"""

import os
import signal
import sys
from collections.abc import Sequence
from importlib import import_module

from windlass.framework.errors import WindlassError
from windlass.framework.launch.arguments import HELP_WORDS
from windlass.framework.launch.error_report import report

COMMANDS = (
    "run", "run-exudyn", "run-moordyn", "modes", "sweep", "optimise", "identify", "uncertainty", "tune", "fmu",
    "compile", "show", "post", "examples", "doctor",
)  # fmt: skip
"""Names of commands. Each command is a file in this folder. The function ``main`` of this file receives the arguments
after the command, and returns the exit code.
"""
VERSION_WORDS = ("version", "-version", "--version")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command with its arguments (default: arguments of the process) and return the exit code.

    The exit code is 0 for success, 1 for an exception or an incomplete installation, and 2 for an input error or a
    solve without convergence. The exit code is 141 if the program that reads the output, for example ``head``, has
    closed the pipe.
    """
    try:
        code = run_command(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        # the rest of the output buffer is discarded, because a write at the end of the process would also fail
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    return code


def run_command(arguments: Sequence[str] | None) -> int:
    """Run a command as in `main`, but raise the error of a closed output pipe."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    command, rest = (words[0], words[1:]) if words else ("help", [])
    if command in (*HELP_WORDS, *VERSION_WORDS, "doctor") and rest:
        print(
            f"error: windlass {command} {' '.join(rest)}: must be windlass {command} without further words",
            file=sys.stderr,
        )
        return 2
    if command in HELP_WORDS:
        print(__doc__.strip() if __doc__ else "")
        return 0
    if command in VERSION_WORDS:
        print(f"windlass {sys.modules['windlass'].__version__}")
        return 0
    if command not in COMMANDS:
        expected = ", ".join([*COMMANDS, "version"])
        print(f"error: {command}: unknown command; expected {expected} or help", file=sys.stderr)
        return 2
    try:
        return int(import_module(f"windlass.commands.{command.replace('-', '_')}").main(rest))
    except (WindlassError, KeyboardInterrupt) as error:
        return report(error)


if __name__ == "__main__":
    sys.exit(main())
