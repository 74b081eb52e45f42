"""The command `windlass run-moordyn` solves the model of an input file of MoorDyn with the solvers of Windlass."""

from __future__ import annotations

from collections.abc import Sequence

from windlass.commands.run import run_script

HELP = """windlass run-moordyn FILE.txt [-motion FILE] [-end 60] [-step 0.05] [-output DIR] [options]

Solves the model of an input file of MoorDyn 2, at rest and in motion.  windlass run-moordyn FILE.txt -help lists its
options and those of its solvers."""


def main(words: Sequence[str]) -> int:
    """Run the model of an input file, and return the exit code."""
    return run_script(words, "run-moordyn", HELP, execute=execute)


def execute(file: str) -> None:
    """Solve the model of the given file."""
    from windlass.moordyn.run import run_file  # imported here, because the help text does not need this module

    run_file(file)
