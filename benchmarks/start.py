"""Start times of Windlass, measured for whole processes, compared with Exudyn, and with an empty compiler cache.

usage: start.py [CASE ...] [--rounds N] [--results FOLDER]

CASE is one of the following. The default is all cases.

- import: import all names of a model; the ratio is Exudyn / Windlass.
- first_step: `windlass run` of a chain of four cables to its first step, with a warm compiler cache; the ratio is
  Exudyn / Windlass.
- compile: the run of first_step with a separate empty compiler cache; the ratio is empty / warm.
- compile_belt: examples/belt_drive.py with 12 elements and 10 steps; the ratio is empty / warm.
"""

import sys
from argparse import Namespace

from command_line import create_parser, run
from harness import PEER_PYTHON, PYTHON, ROOT, Case, Command, Tolerance

FOLDER = ROOT / "benchmarks"
RUN = (PYTHON, "-m", "windlass.commands.cli", "run")
CHAIN = (*RUN, str(FOLDER / "chain_windlass.py"), "-elements", "4", "-steps", "1", "-warm_up", "false")
CHAIN_OF_PEER = (PEER_PYTHON, str(FOLDER / "peers" / "chain_exudyn.py"), "4", "dynamic", "2", "--steps", "1")
BELT = (*RUN, str(ROOT / "examples" / "belt_drive.py"), "-elements", "12", "-segments", "1", "-end_time", "1e-3")
QUIET = ("-progress", "false")
IMPORT = "import windlass as wl; from windlass import connectors, elements; wl.World, wl.Dynamic, wl.Static"
IMPORT_OF_PEER = "import exudyn; from exudyn.itemInterface import Cable2D"
CASES = ("import", "first_step", "compile", "compile_belt")


def time_process(*command: str, cold: bool = False) -> Command:
    """Return the command that times another command as a whole process."""
    return (PYTHON, str(FOLDER / "start_child.py"), *(["--cold"] if cold else []), *command)


def create_case(name: str) -> Case:
    """Create the comparison with the given name.

    Raises:
        ValueError: the name is unknown.
    """
    if name not in CASES:
        raise ValueError(f"case {name}: must be one of {', '.join(CASES)}")
    first_step = {"deflection_middle": Tolerance(relative=1e-9), "support_force_x": Tolerance(relative=1e-9)}
    titles: dict[str, str] = {
        "import": "import of the names of a model",
        "first_step": "a chain of four cables to the end of its first step",
        "compile": "the same with an empty compiler cache and with a warm one",
        "compile_belt": "the belt drive, 10 steps, with an empty compiler cache and with a warm one",
    }
    commands: dict[str, dict[str, Command]] = {
        "import": {
            "exudyn": time_process(PEER_PYTHON, "-c", IMPORT_OF_PEER),
            "windlass": time_process(PYTHON, "-c", IMPORT),
        },
        "first_step": {
            "exudyn": time_process(*CHAIN_OF_PEER, "--no_warm_up"),
            "windlass": time_process(*CHAIN, *QUIET),
        },
        "compile": {"empty": time_process(*CHAIN, *QUIET, cold=True), "warm": time_process(*CHAIN, *QUIET)},
        "compile_belt": {
            "empty": time_process(*BELT, "-output", "none", *QUIET, cold=True),
            "warm": time_process(*BELT, "-output", "none", *QUIET),
        },
    }
    chosen = commands[name]
    return Case(
        name=f"start_{name}",
        title=titles[name],
        commands=chosen,
        tolerances=first_step if name in ("first_step", "compile") else {},
        work="starts",
        equal_counts=("starts",),
        # the warm-up fills the compiler cache and the file cache of the system
        warm_up=[list(chosen.values())[-1]],
    )


def create_cases(given: Namespace) -> list[Case]:
    """Create the cases of the command line."""
    return [create_case(name) for name in given.cases]


def main() -> int:
    """Run the command."""
    parser = create_parser(__doc__)
    parser.add_argument("cases", nargs="*", metavar="CASE", default=list(CASES), help="default all")
    return run(parser, create_cases)


if __name__ == "__main__":
    sys.exit(main())
