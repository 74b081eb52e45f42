"""The command `windlass`: run models, compile kernels ahead, report on the installation.

windlass run MODEL.py [model options] [PETSc options]   run a model
windlass run MODEL.py -help                             list its options and those of its solvers
windlass run-exudyn MODEL.py [options]                  run a script of Exudyn, its solver calls answered here
windlass modes MODEL.py [options]                       run it, then show the modes about the last state it solves
windlass sweep MODEL.py -output DIR [options]           run a model with many sets of options
windlass tune MODEL.py [options]                        find the quickest solver of a model
windlass compile [-processes N]                         compile kernels ahead, on all cores or on N
windlass show FILE [-picture FILE.png] [-movie FILE.mp4]  show results in a window, or write a picture or a film
windlass examples [NAME]                                list the examples, or copy one into the current folder
windlass doctor                                         report on the installation
windlass version                                        print the version

Options have one dash, and an option takes one value at most; model options and PETSc options are mixed freely.
"""

import gc
import os
import runpy
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from windlass.framework.errors import OptionError, WindlassError
from windlass.framework.launch.arguments import HELP_WORDS

RUBBISH = 10_000
"""New objects after which Python looks for those that only know each other."""
COMPILE_HELP = """windlass compile [-processes N]

Compiles the kernels of all laws for the types of arguments that models have, as far as they are not kept yet, so that
the first run on a machine need not wait for them.  N processes work at a time, by default one for each core.  The
folder is that of windlass doctor; WINDLASS_CACHE names another."""
RUN_HELP = {
    "run": """windlass run MODEL.py [options of the model and of PETSc] [-- words of the model]

Runs a model script as python would, with short errors and checked options.  windlass run MODEL.py -help lists its
options and those of its solvers.""",
    "run-exudyn": """windlass run-exudyn MODEL.py [options of the solvers and of PETSc]

Runs a script of Exudyn, whose calls of solvers are answered by Windlass.  windlass run-exudyn MODEL.py -help lists
options.""",
    "modes": """windlass modes MODEL.py [options of the model, of -modes_... and of PETSc]

Runs a model script, and then shows the modes about the last state that it has solved.  windlass modes MODEL.py -help
lists its options.""",
}
STUDIES = ("sweep", "tune")
"""Commands of many runs: modules and functions of the folder studies of this name."""
VERSION_WORDS = ("version", "-version", "--version")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with its words (default: those of the process) and return the exit code.

    0: done; 1: an exception, or an installation that is not ready; 2: an error in the input, or no convergence.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    command, rest = (words[0], words[1:]) if words else ("help", [])
    if command in (*HELP_WORDS, *VERSION_WORDS, "doctor") and rest:
        print(f"error: windlass {command} {' '.join(rest)}: must be windlass {command} alone", file=sys.stderr)
        return 2
    if command in HELP_WORDS:
        print(__doc__.strip() if __doc__ else "")
        return 0
    if command in VERSION_WORDS:
        print(f"windlass {sys.modules['windlass'].__version__}")
        return 0
    if command == "doctor":
        from windlass.framework.runtime.doctor import report  # here, because the other commands do without

        text, ready = report()
        print(text)
        return 0 if ready else 1
    if command == "compile":
        return compile_kernels(rest)
    if command == "show":
        from windlass.framework.runtime.show import show  # here, because the other commands do without

        return show(rest)
    if command == "examples":
        return offer_examples(rest)
    if command == "run":
        return run_model(rest)
    if command in ("modes", "run-exudyn"):
        return run_model(rest, command)
    if command in STUDIES:
        return run_study(command, rest)
    expected = ", ".join(["run", "run-exudyn", "modes", *STUDIES, "compile", "show", "examples", "doctor", "version"])
    print(f"error: {command}: unknown command; expected {expected} or help", file=sys.stderr)
    return 2


def compile_kernels(words: Sequence[str]) -> int:
    """Compile the kernels of all laws that are not kept yet, and say what was done; the exit code."""
    if len(words) == 1 and words[0] in HELP_WORDS:
        print(COMPILE_HELP)
        return 0
    from windlass.framework.kernels import ahead  # here, because the other commands do without

    try:
        if words and (len(words) != 2 or words[0] != "-processes" or not is_count(words[1])):
            raise OptionError(f"windlass compile {' '.join(words)}: must be windlass compile [-processes N], N from 1")
        print(ahead.compile_all(int(words[1]) if words else None))
    except WindlassError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def offer_examples(words: Sequence[str]) -> int:
    """List the examples or copy one; the exit code."""
    from windlass.framework.runtime import examples  # here, because the other commands do without

    try:
        print(examples.HELP if len(words) == 1 and words[0] in HELP_WORDS else examples.run_examples(words))
    except WindlassError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def is_count(word: str) -> bool:
    """Whether a word is a whole number from 1 on that a machine may have of processes."""
    return word.isascii() and word.isdigit() and len(word) < 6 and int(word) > 0


def run_study(command: str, words: Sequence[str]) -> int:
    """Run a model many times; the exit code."""
    from windlass.framework.launch import error_report as failure  # here, because the other commands do without

    study = import_module(f"windlass.framework.studies.{command}")
    try:
        return int(getattr(study, command)(words))
    except (WindlassError, KeyboardInterrupt) as error:
        return failure.report(error)


def run_model(words: Sequence[str], command: str = "run") -> int:
    """Run a model script as `python` would, with short errors and checked options.

    Args:
        words: the file of the script, then its options and PETSc's.
        command: what is done with the last state that it solves, see `last_solve`; ``"run"`` for nothing,
            ``"run-exudyn"`` answers calls of Exudyn's solvers.

    Returns:
        The exit code: that of the script; 2 for errors of Windlass; 1 for other exceptions.
    """
    from windlass.framework.command_line import options  # here, because the other commands do without
    from windlass.framework.launch import error_report as failure  # here, because of options
    from windlass.framework.launch import script_end  # here, because of options
    from windlass.framework.runtime import last_solve  # here, because of options

    if words and words[0] in HELP_WORDS:
        print(RUN_HELP[command])
        return 0
    argv, path, thresholds = sys.argv, list(sys.path), gc.get_threshold()
    # what is loaded at the start stays: looking for rubbish in it time and again takes a tenth of the start
    gc.set_threshold(RUBBISH, *thresholds[1:])
    script = words[0] if words else ""
    try:
        if not script or script.startswith("-"):
            raise OptionError(f"windlass {command} MODEL.py [options]: the model comes first")
        if not os.path.isfile(script):
            raise OptionError(f"windlass {command} {script:.200}: no such file")
        sys.argv = list(words)
        sys.path.insert(0, str(Path(script).resolve().parent))
        options.initialise(words[1:])
        if command == "run-exudyn":
            import_module("windlass.exudyn.run").answer_calls()
        elif command != "run":
            last_solve.want_state()
        try:
            runpy.run_path(script, run_name="__main__")
        except SystemExit as end:
            if code := _exit_code(end):
                options.finish_without_check()
                return failure.leave(code)
        if command not in ("run", "run-exudyn"):
            last_solve.run_command(command, script)
        script_end.end_together()
        options.finish()
    except BaseException as error:
        return failure.report(error, script)
    finally:
        sys.argv, sys.path[:] = argv, path
        gc.set_threshold(*thresholds)
    return 0


def _exit_code(end: SystemExit) -> int:
    """The exit code of a script that called sys.exit, whose words, if any, are printed."""
    if end.code is None or isinstance(end.code, int):
        return end.code or 0
    print(end.code, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
