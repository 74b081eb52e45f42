"""Measurement of the time for the verdict: step times of belts and chains with and without the checks of the verdict,
alternately.

usage: watches.py [CASE ...] [--rounds N] [--results FOLDER]

CASE is belt:ExS or chain:N. The case belt:ExS times steps 1001 to 3000 of the two-pulley belt with E elements and S
segments per element. The case chain:N times 1e6/N steps of a chain of N cables from step 2049 on. All kernels are
loaded before the clock starts. The default is belt:60x4 belt:240x2 chain:100 chain:1000. The ratio is the time of a
step with all checks divided by the time of a step with -verdict off. This option disables the energy balance and the
checks of contacts and shapes. In both models, step sizes are not reduced because of contacts.
"""

import sys
from argparse import Namespace

from belt import FIRST_STEPS
from chain import TOLERANCES
from command_line import create_parser, run
from harness import PYTHON, ROOT, Case, Command

FOLDER = ROOT / "benchmarks"
CASES = ("belt:60x4", "belt:240x2", "chain:100", "chain:1000")
FIRST_STEP = 2048
"""Number of steps of a chain before the clock starts."""
CABLE_STEPS = 1_000_000
"""Product of the number of timed steps and the number of cables of a chain."""


def create_case(word: str) -> Case:
    """Create the comparison for an argument of the command line.

    Raises:
        ValueError: the argument is not a case.
    """
    kind, _, size = word.partition(":")
    numbers = size.split("x")
    if not all(number.isdecimal() and int(number) > 0 for number in numbers):
        raise ValueError(f"case {word}: expected such as {', '.join(CASES)}")
    command: Command
    if (kind, len(numbers)) == ("belt", 2):
        command = (PYTHON, str(FOLDER / "belt_windlass.py"), *numbers, "0.3", "--from", "0.1")
    elif (kind, len(numbers)) == ("chain", 1):
        command = (
            *(PYTHON, str(FOLDER / "chain_windlass.py"), "-progress", "false", "-elements", size),
            *("-after", str(FIRST_STEP), "-steps", str(FIRST_STEP + max(1, CABLE_STEPS // int(size)))),
        )
    else:
        raise ValueError(f"case {word}: expected such as {', '.join(CASES)}")
    return Case(
        name=f"watches_{kind}_{size}",
        title=f"{kind} {size} with watches and without",
        commands={"watched": command, "off": (*command, "-verdict", "off")},
        tolerances=FIRST_STEPS if kind == "belt" else TOLERANCES,
        warm_up=[command],
    )


def create_cases(given: Namespace) -> list[Case]:
    """Create the cases of the command line."""
    return [create_case(word) for word in given.cases]


def main() -> int:
    """Run the command."""
    parser = create_parser(__doc__)
    parser.add_argument("cases", nargs="*", metavar="CASE", default=list(CASES), help="such as belt:60x4, chain:100")
    return run(parser, create_cases, peer=None)


if __name__ == "__main__":
    sys.exit(main())
