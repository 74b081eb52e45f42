"""Solve times of a rod that has wound around itself in PyElastica and in Windlass, measured alternately. The printed
ratio is the time of PyElastica divided by the time of Windlass.

usage: plectonemes.py [--rounds N] [--results FOLDER]

The model is explained in plectonemes_scene.py. Meshes and steps are the coarsest with which the torque differs from
theory by less than 1 %. The steps of PyElastica must also be stable. The distance of the ends may differ between the
programs by 2 % of the length. Exudyn has no contact of beams with themselves. The first run installs PyElastica.
"""

import sys
from argparse import Namespace

from command_line import create_parser, run
from harness import PEER_PYTHON, PYTHON, ROOT, Case, Tolerance

FOLDER = ROOT / "benchmarks"
PYELASTICA, WINDLASS = ("80", "18000"), ("32", "300")
"""Numbers of elements and of steps of each program."""


def create_cases(_: Namespace) -> list[Case]:
    """Create the case."""
    elements, steps = WINDLASS
    windlass = PYTHON, str(FOLDER / "plectonemes_windlass.py"), "-elements", elements, "-steps", steps
    return [
        Case(
            name="plectonemes",
            title="rod that has wound around itself, until it is at rest",
            commands={
                "pyelastica": (PEER_PYTHON, str(FOLDER / "peers" / "plectonemes_pyelastica.py"), *PYELASTICA),
                "windlass": (*windlass, "-progress", "false"),
            },
            tolerances={"distance": Tolerance(absolute=0.02), "torque": Tolerance(absolute=0.01)},
            work="solves",
            equal_counts=("solves",),
        )
    ]


def main() -> int:
    """Run the command."""
    return run(create_parser(__doc__), create_cases, peer="--pyelastica")


if __name__ == "__main__":
    sys.exit(main())
