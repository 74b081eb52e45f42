"""Solve times of the two-pulley belt in Exudyn and in Windlass, measured alternately. The printed ratio is the time of
Exudyn divided by the time of Windlass.

usage: belt.py [MESH ...] [--loaded] [--rounds N] [--results FOLDER]

MESH is elements x segments per element, such as 240x2 (default). Only the dynamic solve is timed: the first 1000 steps
(0.1 s), or with --loaded the 1000 steps from 1.0 s to 1.1 s of one run. Both programs use steps of 1e-4 s and the
tolerances of examples/belt_drive.py. The first run installs Exudyn into .venv-bench.
"""

import sys
from argparse import Namespace

from command_line import create_parser, run
from harness import PEER_PYTHON, PYTHON, ROOT, Case, Tolerance

FOLDER = ROOT / "benchmarks"

# In the first 0.1 s both programs follow the same path within the Newton tolerances. With a reused Jacobian, Newton's
# method ends at a slightly different point within the tolerances than with a new Jacobian in each iteration. With a new
# Jacobian in each iteration in both programs, the torques agree to 1e-10.
FIRST_STEPS = {
    "omega_driver": Tolerance(absolute=1e-7),
    "omega_driven": Tolerance(absolute=1e-7),
    "angle_driver": Tolerance(absolute=1e-9),
    "angle_driven": Tolerance(absolute=1e-9),
    "drive_torque_mean": Tolerance(relative=5e-6),
    "axial_force_min": Tolerance(relative=1e-6),
    "axial_force_max": Tolerance(relative=1e-6),
    "contacts_driver": Tolerance(absolute=0),
    "contacts_driven": Tolerance(absolute=0),
    "sticking_driver": Tolerance(absolute=0),
    "sticking_driven": Tolerance(absolute=0),
    "static_support_force_x": Tolerance(relative=1e-6),
}
# Later the pattern of sticking segments is chaotic, so only sums over the belt are compared.
LOADED = {
    "omega_driver": Tolerance(absolute=1e-7),
    "omega_driven": Tolerance(relative=0.001),
    "angle_driven": Tolerance(relative=0.001),
    "drive_torque_mean": Tolerance(relative=0.005),
    "axial_force_min": Tolerance(relative=0.01),
    "axial_force_max": Tolerance(relative=0.01),
    "contacts_driver": Tolerance(relative=0.05),
    "contacts_driven": Tolerance(relative=0.05),
    "static_support_force_x": Tolerance(relative=1e-6),
}


def create_case(mesh: str, loaded: bool) -> Case:
    """Create the comparison for a mesh such as ``"240x2"``.

    Raises:
        ValueError: the mesh is not two whole numbers > 0.
    """
    words = mesh.lower().replace("×", "x").split("x")
    if len(words) != 2 or not all(word.isdecimal() and int(word) > 0 for word in words):
        raise ValueError(f"mesh {mesh}: expected elements x segments per element, such as 240x2")
    times = ("1.1", "--from", "1.0") if loaded else ("0.1",)
    phase = "1000 steps of the loaded phase, from 1.0 s to 1.1 s" if loaded else "first 1000 steps"
    windlass = (PYTHON, str(FOLDER / "belt_windlass.py"), *words)
    exudyn = (PEER_PYTHON, str(FOLDER / "peers" / "belt_exudyn.py"), *words)
    return Case(
        name=f"belt_{words[0]}x{words[1]}" + ("_loaded" if loaded else ""),
        title=f"belt of {words[0]} elements with {words[1]} contact segments each, {phase}",
        commands={"exudyn": (*exudyn, *times), "windlass": (*windlass, *times)},
        tolerances=LOADED if loaded else FIRST_STEPS,
        # the warm-up is long enough for pulleys to turn and segments to slip, because some kernels are compiled only in
        # these states
        warm_up=[(*windlass, "0.1")],
    )


def create_cases(given: Namespace) -> list[Case]:
    """Create the cases of the command line."""
    return [create_case(mesh, given.loaded) for mesh in given.meshes]


def main() -> int:
    """Run the command."""
    parser = create_parser(__doc__)
    parser.add_argument("meshes", nargs="*", metavar="MESH", default=["240x2"], help="such as 240x2, 60x4")
    parser.add_argument("--loaded", action="store_true", help="from 1.0 s to 1.1 s instead of the first 0.1 s")
    return run(parser, create_cases)


if __name__ == "__main__":
    sys.exit(main())
