"""Solve times of the two-pulley belt in Exudyn and in Windlass, measured alternately. The printed ratio is the time of
Exudyn divided by the time of Windlass.

usage: belt.py [MESH ...] [--steady | --loaded | --whole [--everything] [--reference]] [--rounds N]
               [--results FOLDER]

MESH is elements x segments per element, such as 240x2 (default). Both programs use steps of 1e-4 s and the tolerances
of examples/belt_drive.py. Only the dynamic solve is timed: the first 1000 steps, or 1000 steps within one run, from 0.2
s to 0.3 s with --steady and from 1.0 s to 1.1 s with --loaded. The energy ledger and files are switched off, and
sensors record three quantities every 1e-3 s.

With --whole, the time is the process time of the whole process for the motion to 2.45 s, including imports, preload and
results, and Windlass uses the defaults of the example. With --everything, Windlass also writes the ledger, the table
of the pulleys, 200 frames for ParaView and two pictures, whereas Exudyn writes no files. With --reference, Windlass
measures sticking displacements with reference lengths, as Exudyn does. The first run installs Exudyn into .venv-bench.
"""

import sys
from argparse import Namespace

from command_line import create_parser, run
from harness import PEER_PYTHON, PYTHON, ROOT, Case, Tolerance
from report import RESULTS
from start import time_process

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


# In a whole run, the example measures sticking displacements with current lengths. Exudyn measures these displacements
# with reference lengths, so the loss of speed in Exudyn is too small by half a percent of the speed.
SPEED = Tolerance(relative=0.007)
WHOLE = LOADED | {"omega_driven": SPEED, "angle_driven": SPEED}
PHASES = {
    "first": "first 1000 steps",
    "steady": "1000 steps from 0.2 s to 0.3 s",
    "loaded": "1000 steps of the loaded phase, from 1.0 s to 1.1 s",
    "whole": "whole process to 2.45 s, without ledger and files",
    "everything": "whole process to 2.45 s, in Windlass with ledger, tables, frames and pictures",
}
"""Title of each timed phase."""
WINDOWS = {"first": (0.0, 0.1), "steady": (0.2, 0.3), "loaded": (1.0, 1.1)}
"""Times [s] of the start and the end of the timed steps."""
LEAD = 0.02
"""Time [s] between the start of the second solver of Windlass and the timed steps. In this time, the solver makes its
first steps, in each of which it evaluates the energy.
"""
QUIET = ("-output", "none", "-ledger", "false", "-progress", "false")


def create_case(mesh: str, phase: str, reference: bool = False) -> Case:
    """Create the comparison for a mesh such as ``"240x2"`` and a phase of `PHASES`. If `reference` is true, the example
    measures sticking displacements with reference lengths, also for whole processes.

    Raises:
        ValueError: the mesh is not two whole numbers > 0.
    """
    words = mesh.lower().replace("×", "x").split("x")
    if len(words) != 2 or not all(word.isdecimal() and int(word) > 0 for word in words):
        raise ValueError(f"mesh {mesh}: expected elements x segments per element, such as 240x2")
    exudyn = (PEER_PYTHON, str(FOLDER / "peers" / "belt_exudyn.py"), *words)
    windlass = (PYTHON, str(FOLDER / "belt_windlass.py"), "-elements", words[0], "-segments", words[1])
    # the warm-up is long enough for pulleys to turn and segments to slip, because some kernels are compiled only in
    # these states
    warm_up: tuple[str, ...] = (*windlass, *QUIET, "-end_time", "0.1")
    if phase in WINDOWS:
        begin, end = WINDOWS[phase]
        window: tuple[str, ...] = ("-end_time", f"{end:g}")
        if begin > 0.0:
            window = ("-end_time", f"{begin - LEAD:g}", "-from", f"{begin:g}", "-until", f"{end:g}")
        exudyn = (*exudyn, f"{end:g}", *(("--from", f"{begin:g}") if begin > 0.0 else ()))
        windlass = (*windlass, *QUIET, *window)
    else:
        own = ("-settings", "own", "-sticking_length", "reference" if reference else "current")
        folder = ("-output", str(RESULTS / "belt_out")) if phase == "everything" else QUIET
        exudyn, windlass = time_process(*exudyn, "2.45"), time_process(*windlass, *own, *folder)
        warm_up = windlass
    return Case(
        name=f"belt_{words[0]}x{words[1]}" + ("" if phase == "first" else f"_{phase}") + "_reference" * reference,
        title=f"belt of {words[0]} elements with {words[1]} contact segments each, {PHASES[phase]}",
        commands={"exudyn": exudyn, "windlass": windlass},
        tolerances=FIRST_STEPS if phase == "first" else LOADED if phase in WINDOWS or reference else WHOLE,
        work="steps" if phase in WINDOWS else "starts",
        equal_counts=("steps",) if phase in WINDOWS else ("starts",),
        warm_up=[warm_up],
    )


def create_cases(given: Namespace) -> list[Case]:
    """Create the cases of the command line.

    Raises:
        ValueError: a mesh is wrong, or --everything or --reference is given without --whole.
    """
    for name in ("everything", "reference"):
        if getattr(given, name) and given.phase != "whole":
            raise ValueError(f"--{name}: applies to whole processes only; add --whole")
    phase = "everything" if given.everything else given.phase
    return [create_case(mesh, phase, given.reference) for mesh in given.meshes]


def main() -> int:
    """Run the command."""
    parser = create_parser(__doc__)
    parser.add_argument("meshes", nargs="*", metavar="MESH", default=["240x2"], help="such as 240x2, 60x4")
    phase = parser.add_mutually_exclusive_group()
    for name in ("steady", "loaded", "whole"):
        phase.add_argument(f"--{name}", dest="phase", action="store_const", const=name, help=PHASES[name])
    parser.set_defaults(phase="first")
    parser.add_argument("--everything", action="store_true", help="with --whole: " + PHASES["everything"])
    parser.add_argument("--reference", action="store_true", help="with --whole: lengths in sticking as in Exudyn")
    return run(parser, create_cases)


if __name__ == "__main__":
    sys.exit(main())
