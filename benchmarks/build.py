"""Times to build a large chain in Exudyn and in Windlass, measured alternately. The printed ratio is the time of Exudyn
divided by the time of Windlass.

usage: build.py [SIZE ...] [--rounds N] [--results FOLDER]

SIZE is a number of cables; the default is 100000. The timed part is the construction from the empty model to
`World.finalize` in Windlass, with arrays, and to `Assemble` in Exudyn, item by item. The measured memory is the
increase of the memory of the process. Windlass finds the sparsity of the model when the first solver of the model is
created. The time of this creation is measured separately.
"""

import sys
from argparse import Namespace

from command_line import create_parser, run
from harness import PEER_PYTHON, PYTHON, ROOT, Case

FOLDER = ROOT / "benchmarks"


def create_case(size: int) -> Case:
    """Create the comparison for a number of cables.

    Raises:
        ValueError: fewer than 2 cables.
    """
    if size < 2:
        raise ValueError(f"size {size}: must be >= 2 cables")
    windlass = (PYTHON, str(FOLDER / "chain_windlass.py"), "-build_only", "-progress", "false")
    exudyn = (PEER_PYTHON, str(FOLDER / "peers" / "chain_exudyn.py"), str(size), "dynamic", "2", "--build_only")
    return Case(
        name=f"build_{size}",
        title=f"building and finalising a chain of {size} cables",
        commands={"exudyn": exudyn, "windlass": (*windlass, "-elements", str(size))},
        tolerances={},
        work="cables",
        equal_counts=("cables", "coordinates", "constraints"),
        warm_up=[(*windlass, "-elements", "20")],
    )


def create_cases(given: Namespace) -> list[Case]:
    """Create the cases of the command line."""
    return [create_case(size) for size in given.sizes]


def main() -> int:
    """Run the command."""
    parser = create_parser(__doc__)
    parser.add_argument("sizes", nargs="*", type=int, metavar="SIZE", default=[100_000], help="numbers of cables")
    return run(parser, create_cases)


if __name__ == "__main__":
    sys.exit(main())
