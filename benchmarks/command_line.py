"""Command line that all benchmarks share."""

import argparse
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from harness import ROOT, Case
from report import RESULTS, run_cases


def create_parser(description: str | None) -> argparse.ArgumentParser:
    """Create a parser with the options that all benchmarks share; ``description`` is the docstring of the benchmark."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="repetitions, default 3")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder for <case>.json")
    return parser


def run(
    parser: argparse.ArgumentParser,
    create_cases: Callable[[argparse.Namespace], Sequence[Case]],
    peer: str | None = "--exudyn",
) -> int:
    """Parse the command line, install the peer and run the cases.

    Args:
        parser: result of `create_parser`, with further options of the file.
        create_cases: function that creates the cases of the parsed options; a ValueError becomes an error of the
            command line.
        peer: argument of scripts/setup_bench.sh that installs the peer; None if the benchmark has no peer.

    Returns:
        The exit code: 1 if the programs disagree, a program fails, or the peer cannot be installed.
    """
    given = parser.parse_args()
    if given.rounds < 1:
        parser.error(f"--rounds {given.rounds}: must be >= 1")
    try:
        cases = create_cases(given)
    except ValueError as error:
        parser.error(str(error))
    if peer and subprocess.run([str(ROOT / "scripts" / "setup_bench.sh"), peer]).returncode != 0:
        return 1
    return run_cases(cases, given.rounds, given.results)
