"""Solve times of a chain of cables in Exudyn and in Windlass, measured alternately. The printed ratio is the time of
Exudyn divided by the time of Windlass.

usage: chain.py [SIZE ...] [--case static|dynamic] [--rule 0|2] [--steady] [--space] [--rtol RTOL]
                [--rounds N] [--results FOLDER]

SIZE is a number of cables. By default, the sizes are 100, 1000 and 10000, with both cases and both integration rules.
Only the solve is timed, per Newton iteration, with a new Jacobian in each iteration in both programs. A solve is one
load step, or 5 time steps of 1 ms with generalised-alpha. With --steady, only steps 41 to 60 are timed, because
Windlass evaluates the energy in each of the first 16 steps, in steps 32 and 33, and in few later steps. Small chains
are solved many times in one process. The first run installs Exudyn into .venv-bench.
"""

import sys
from argparse import Namespace
from itertools import product

from command_line import create_parser, run
from harness import PEER_PYTHON, PYTHON, ROOT, Case, Tolerance

FOLDER = ROOT / "benchmarks"
KINDS, RULES = ("static", "dynamic"), (0, 2)
FIRST = 5
"""Number of steps of a solve, if the clock starts with the solve."""
STEADY = (40, 60)
"""Number of steps before the clock starts, and total number of steps, if the first steps are excluded from the time."""
SIZES = (100, 1000, 10_000)
LARGE = 30_000
# total number of cables in all repetitions of a solve: small solves are repeated until the resolution of the clock is
# negligible
CABLES_IN_ALL = 20_000

TOLERANCES = {
    "deflection_middle": Tolerance(relative=1e-8),
    "deflection_quarter": Tolerance(relative=1e-8),
    "deflection_first": Tolerance(relative=1e-7),
    "support_force_x": Tolerance(relative=1e-9),
}


def newton_tolerance(size: int) -> float:
    """Return the relative tolerance [1] of Newton's method with which both programs need the same number of iterations.

    The coordinates of a long chain are large numbers. The rounding errors of these coordinates, times the axial
    stiffness of a short element, cause a residual. In each equation this residual is proportional to the number of
    cables n, and in the norm to n^1.5. No Newton method converges below this residual. The first iteration of a step of
    the dynamic case ends near 1e-6, so the tolerance of large chains is above 1e-6.
    """
    return max(1e-9, 2e-14 * size**1.5) if size <= LARGE else 1e-5


def create_case(
    size: int, kind: str, rule: int, steady: bool = False, rtol: float | None = None, space: bool = False
) -> Case:
    """Create the comparison for a number of cables, ``"static"`` or ``"dynamic"``, and an integration rule.

    Args:
        size, kind, rule: number of cables, case and integration rule.
        steady: exclude the work of a solve before its first step; only for the dynamic case.
        rtol: relative tolerance [1] of Newton's method, default: `newton_tolerance`.
        space: whether to use 3D cables, whose motion is equal to the motion of 2D cables.

    Raises:
        ValueError: fewer than 2 cables, a static case with `steady`, or a tolerance that is not > 0.
    """
    if size < 2:
        raise ValueError(f"size {size}: must be >= 2 cables")
    if steady and kind == "static":
        raise ValueError("--steady: the static case has one step only; add --case dynamic")
    if rtol is not None and not rtol > 0.0:
        raise ValueError(f"--rtol {rtol:g}: must be > 0 [1]")
    after, steps = map(str, STEADY if steady else (0, FIRST))
    repeats, tolerance = str(max(1, CABLES_IN_ALL // size)), f"{rtol or newton_tolerance(size):.3g}"
    windlass: tuple[str, ...] = (
        PYTHON,
        str(FOLDER / "chain_windlass.py"),
        "-case",
        kind,
        "-rule",
        str(rule),
        "-progress",
        "false",
    )
    exudyn: tuple[str, ...] = (PEER_PYTHON, str(FOLDER / "peers" / "chain_exudyn.py"), str(size), kind, str(rule))
    if space:
        windlass, exudyn = (*windlass, "-space", "true"), (*exudyn, "--space")
    return Case(
        name=f"chain_{kind}_rule{rule}_{size}"
        + ("_space" if space else "")
        + ("_steady" if steady else "")
        + (f"_{tolerance}" if rtol else ""),
        title=f"{kind} chain of {size} cables, integration rule {rule}"
        + (", 3D" if space else "")
        + (", without the start" if steady else "")
        + (f", tolerance {tolerance}" if rtol else ""),
        commands={
            "exudyn": (*exudyn, "--repeats", repeats, "--rtol", tolerance, "--steps", steps, "--after", after),
            "windlass": (
                *(*windlass, "-elements", str(size), "-repeats", repeats),
                *("-rtol", tolerance, "-steps", steps, "-after", after),
            ),
        },
        tolerances=TOLERANCES,
        work="newton_iterations",
        equal_counts=("coordinates", "constraints", "steps", "newton_iterations"),
        warm_up=[(*windlass, "-elements", "20")],
    )


def create_cases(given: Namespace) -> list[Case]:
    """Create the cases of the command line, size by size."""
    kinds, rules = given.case or KINDS, given.rule or RULES
    return [
        create_case(size, kind, rule, given.steady, given.rtol, given.space)
        for size, kind, rule in product(given.sizes, kinds, rules)
    ]


def main() -> int:
    """Run the command."""
    parser = create_parser(__doc__)
    parser.add_argument("sizes", nargs="*", type=int, metavar="SIZE", default=list(SIZES), help="numbers of cables")
    parser.add_argument("--case", action="append", choices=KINDS, help="only this one")
    parser.add_argument("--rule", action="append", type=int, choices=RULES, help="only this one")
    parser.add_argument("--steady", action="store_true", help="steps 41 to 60: without the start")
    parser.add_argument("--space", action="store_true", help="3D cables")
    parser.add_argument("--rtol", type=float, help="relative tolerance of Newton, to compare sizes by iterations alike")
    return run(parser, create_cases)


if __name__ == "__main__":
    sys.exit(main())
