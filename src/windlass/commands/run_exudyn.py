"""The command `windlass run-exudyn` runs a script of Exudyn with the solvers of Windlass."""

from __future__ import annotations

from collections.abc import Sequence

from windlass.commands.run import run_script

HELP = """windlass run-exudyn MODEL.py [options of the solvers and of PETSc]

Runs a script of Exudyn, whose calls of solvers are answered by Windlass.  windlass run-exudyn MODEL.py -help lists
options."""


def main(words: Sequence[str]) -> int:
    """Run a script of Exudyn, and return the exit code."""
    return run_script(words, "run-exudyn", HELP, before=answer)


def answer() -> None:
    """Replace Exudyn's solvers by solvers of Windlass."""
    from windlass.exudyn.run import answer_calls  # imported here, because the import starts PETSc

    answer_calls()
