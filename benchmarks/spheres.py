"""Times of Hunt-Crossley contact in Simbody and in Windlass, measured alternately. The printed ratio is the time of
Simbody divided by the time of Windlass.

usage: spheres.py [SIZE ...] [--scene plane|packing] [--rounds N] [--results FOLDER]

SIZE is a number of spheres. The default is 100 1000 10000 in both scenes of spheres_scene.py. The search for contacts
and the evaluation of their forces are timed in each step of a given motion, per contact. Simbody needs minutes for
100000 spheres. The first run installs Simbody's Debian package and compiles peers/spheres_simbody.cpp.
"""

import sys
from argparse import Namespace
from itertools import product

from command_line import create_parser, run
from harness import PYTHON, ROOT, Case, Tolerance
from spheres_scene import SCENES

FOLDER = ROOT / "benchmarks"
SIMBODY = str(ROOT / ".venv-bench" / "bin" / "spheres_simbody")
SIZES = (100, 1000, 10_000)
STEPS = 100
# total number of spheres in all repetitions of a motion: motions of few spheres are repeated until the resolution of
# the clock is negligible
SPHERES_IN_ALL = 5000

TOLERANCES = {
    "force_sum": Tolerance(relative=1e-9),
    "torque_sum": Tolerance(relative=1e-9),
    "ground_force_y": Tolerance(relative=1e-9),
    "energy": Tolerance(relative=1e-9),
}


def create_case(size: int, scene: str) -> Case:
    """Create the comparison for a number of spheres and a scene.

    Raises:
        ValueError: the number of spheres is 0.
    """
    if size < 1:
        raise ValueError(f"size {size}: must be >= 1 spheres")
    steps, repeats = str(STEPS), str(max(1, SPHERES_IN_ALL // size))
    windlass = (PYTHON, str(FOLDER / "spheres_windlass.py"), "-scene", scene, "-progress", "false")
    return Case(
        name=f"spheres_{scene}_{size}",
        title=f"{size} spheres, scene {scene}, {steps} steps",
        commands={
            "simbody": (SIMBODY, scene, str(size), steps, repeats),
            "windlass": (*windlass, "-spheres", str(size), "-steps", steps, "-repeats", repeats),
        },
        tolerances=TOLERANCES,
        work="contacts",
        equal_counts=("spheres", "steps", "contacts"),
        warm_up=[(*windlass, "-spheres", "50", "-steps", "5")],
    )


def create_cases(given: Namespace) -> list[Case]:
    """Create the cases of the command line, size by size."""
    return [create_case(size, scene) for size, scene in product(given.sizes, given.scene or SCENES)]


def main() -> int:
    """Run the command."""
    parser = create_parser(__doc__)
    parser.add_argument("sizes", nargs="*", type=int, metavar="SIZE", default=list(SIZES), help="numbers of spheres")
    parser.add_argument("--scene", action="append", choices=SCENES, help="only this one")
    return run(parser, create_cases, peer="--simbody")


if __name__ == "__main__":
    sys.exit(main())
