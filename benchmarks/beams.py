"""Solve times of beams in PyElastica or Exudyn and in Windlass at equal errors, measured alternately. The printed ratio
is the time of the other program divided by the time of Windlass.

usage: beams.py [SHAPE:SLENDERNESS ...] [--peer pyelastica|exudyn] [--rounds N] [--results FOLDER]

SHAPE is cantilever or helix, and SLENDERNESS (length divided by radius) is 50 or 200. The default is all four cases
with both programs. The models are in beams_scene.py. Meshes and steps are the coarsest with which the position of the
free end has an error below `LIMIT` of beams_scene.py. The steps of PyElastica, whose method is explicit, must also be
stable. The first run installs both programs.
"""

import sys
from argparse import Namespace
from itertools import product

from beams_scene import LIMIT
from command_line import create_parser, run
from harness import PEER_PYTHON, PYTHON, ROOT, Case, Tolerance

FOLDER = ROOT / "benchmarks"
PEERS = {
    "pyelastica": {
        "cantilever:50": (16, 6_800), "cantilever:200": (16, 100_000), "helix:50": (60, 13_000),
        "helix:200": (60, 102_000),
    },
    "exudyn": {
        "cantilever:50": (24, 200), "cantilever:200": (24, 200), "helix:50": (28, 200), "helix:200": (32, 220),
    },
}  # fmt: skip
WINDLASS = {"cantilever": (4, 90), "helix": (6, 160)}
"""Numbers of elements and of steps of each program."""
NAMES = tuple(PEERS["exudyn"])


def create_case(name: str, peer: str) -> Case:
    """Create the comparison with a program for a shape and a slenderness, such as ``"helix:50"``.

    Raises:
        ValueError: the case is unknown.
    """
    if name not in NAMES:
        raise ValueError(f"case {name}: must be one of {', '.join(NAMES)}")
    shape, _, slenderness = name.partition(":")
    numbers = [str(number) for number in PEERS[peer][name]]
    elements, steps = map(str, WINDLASS[shape])
    windlass = (PYTHON, str(FOLDER / "beams_windlass.py"), "-shape", shape, "-slenderness", slenderness)
    return Case(
        name=f"beams_{shape}_{slenderness}_{peer}",
        title=f"{shape}, slenderness {slenderness}, end at an error below {LIMIT:g} of the length",
        commands={
            peer: (PEER_PYTHON, str(FOLDER / "peers" / f"beams_{peer}.py"), shape, slenderness, *numbers),
            "windlass": (*windlass, "-elements", elements, "-steps", steps, "-progress", "false"),
        },
        tolerances=dict.fromkeys("xyz", Tolerance(absolute=2.0 * LIMIT)),
        work="solves",
        equal_counts=("solves",),
    )


def create_cases(given: Namespace) -> list[Case]:
    """Create the cases of the command line."""
    return [create_case(name, peer) for peer, name in product(given.peer or PEERS, given.cases)]


def main() -> int:
    """Run the command."""
    parser = create_parser(__doc__)
    parser.add_argument("cases", nargs="*", metavar="SHAPE:SLENDERNESS", default=NAMES, help=", ".join(NAMES))
    parser.add_argument("--peer", action="append", choices=tuple(PEERS), help="only this one")
    return run(parser, create_cases, peer="--pyelastica")


if __name__ == "__main__":
    sys.exit(main())
