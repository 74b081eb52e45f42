"""Comparison of results of models on one and several processes.

usage: agreement.py [--cases belt,loaded,hung,falling,spheres,implicit,mooring,net,crane] [--processes 1,2,3]
                    [--size N] [--steps N] [--results FOLDER]

The cases are

- belt: the belt drive of 60 elements with 4 contact segments each, over 800 steps. The drive starts in step 500.
- loaded: the belt drive of the case belt, with an earlier start of drive and load, such that the full load acts from
  step 500 on.
- hung: a 2D lattice of 100 x 100 cables under its weight and a lateral load, in two load steps.
- falling: a 2D lattice that falls onto a circle, over 300 steps.
- spheres: 2000 spheres that settle in a box, over 300 steps of velocity Verlet.
- implicit: the spheres of the case spheres, with generalised-alpha and Newton's method.
- mooring: a mooring line of 24 cables on its bed, in current and waves, with a moving top, over 200 steps.
- net: two layers of 6 ropes, lashed to each other, that fall on a sphere, over 120 steps.
- crane: the crane example with 20 elements per metre, 90 steps of hoisting and 30 steps of swinging.

Each case runs on every number of processes in the list, and each run is compared with the run on the first number of
processes in the list. Each difference is divided by the largest entry of the same kind in the whole run. The kinds are
displacements and velocities of positions, slopes and rotations, multipliers by constraint, history values by their
meaning, and each sensor. States are compared at up to 40 instants, and sensors at every step. Displacements are
compared instead of positions, so that errors of large models remain visible. Multipliers below a millionth of the
largest multiplier of the run are rounding errors, so their differences are divided by this millionth. For example, the
multiplier of the constraint on the norm of Euler parameters is 0 in theory. The exit code is 1 if a difference is above
1e-8, or if the Newton iterations or the passes of any step differ.
"""

import argparse
import json
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from harness import ROOT
from launch import run_on_processes
from numpy.typing import NDArray
from report import RESULTS, align, describe_machine

CHILD = ROOT / "benchmarks" / "agreement_child.py"
TOLERANCE = 1e-8
"""Largest allowed difference [1], relative to the largest entry of its kind."""
COUNTS = ("newton", "passes")
CASES = {
    "belt": (60, 800),
    "loaded": (60, 800),
    "hung": (100, 2),
    "falling": (100, 300),
    "spheres": (2000, 300),
    "implicit": (2000, 300),
    "mooring": (24, 200),
    "net": (6, 120),
    "crane": (20, 120),
}
"""Size of the model and number of steps, for each case."""
WORDS = {
    "crane": ["-output", "none", "-falls", "2", "-dynamic_snes_rtol", "1e-6", "-static_snes_rtol", "1e-6"],
}
"""Additional options of the cases. In later passes of the crane, 1e-8 of the first residual is a rounding error. With
this tolerance, rounding errors would determine the number of Newton iterations.
"""
NEGLIGIBLE = 1e-6
"""Fraction of the largest multiplier of a run, below which multipliers are rounding errors."""
Arrays = Mapping[str, NDArray[Any]]


class Comparison(NamedTuple):
    """Differences of a run from the run on the first number of processes.

    Attributes:
        differences: difference [1] of each kind of numbers, relative to the largest entry of the kind.
        newton, passes: numbers of all Newton iterations and of all passes of the run.
        uneven: steps whose Newton iterations or passes differ between the runs.
    """

    differences: dict[str, float]
    newton: int
    passes: int
    uneven: int

    @property
    def worst(self) -> tuple[str, float]:
        """Name of the kind of numbers with the largest difference, and this difference [1]."""
        return max(self.differences.items(), key=lambda pair: pair[1])

    @property
    def agrees(self) -> bool:
        """Whether all differences are below the limit and all counts are equal."""
        return self.uneven == 0 and self.worst[1] <= TOLERANCE


def relative_difference(found: NDArray[Any], expected: NDArray[Any], floor: float = 0.0) -> float:
    """Return the largest difference divided by the largest absolute expected value, or by `floor` if `floor` is larger.
    The result is infinite if the shapes differ.
    """
    if found.shape != expected.shape:
        return float("inf")
    difference = np.abs(found - expected).max(initial=0.0)
    if difference == 0.0:
        return 0.0
    scale = max(np.abs(expected).max(), floor)
    return float(difference / scale) if scale > 0.0 and np.isfinite(difference) else float("inf")


def compare(found: Arrays, expected: Arrays) -> Comparison:
    """Compare the arrays of two runs of agreement_child.py."""
    names = [name for name in expected if name not in COUNTS]
    if set(found) != set(expected):
        raise ValueError(f"arrays {', '.join(sorted(set(found) ^ set(expected)))}: must be in both runs")
    multipliers = {name for name in names if name.startswith("multipliers")}
    floor = NEGLIGIBLE * max((float(np.abs(expected[name]).max(initial=0.0)) for name in multipliers), default=0.0)
    differences = {
        name: relative_difference(found[name], expected[name], floor if name in multipliers else 0.0) for name in names
    }
    newton, passes = (int(found[name].sum()) for name in COUNTS)
    if any(found[name].shape != expected[name].shape for name in COUNTS):
        uneven = abs(len(found["newton"]) - len(expected["newton"])) or 1
    else:
        uneven = int(np.any([found[name] != expected[name] for name in COUNTS], axis=0).sum())
    return Comparison(differences, newton, passes, uneven)


def run_case(case: str, size: int, steps: int, processes: Sequence[int], folder: Path) -> list[dict[str, Any]]:
    """Run a case on all numbers of processes, and return one record for each comparison."""
    records = []
    first: dict[str, NDArray[Any]] = {}
    for number in processes:
        path = folder / f"{case}{number}.npz"
        words = ["-case", case, "-count", str(size), "-steps", str(steps), "-out", str(path), *WORDS.get(case, [])]
        start = time.perf_counter()
        run_on_processes(CHILD, number, words, waits_quietly=True)
        elapsed = time.perf_counter() - start
        with np.load(path) as file:
            arrays = dict(file)
        first = first or arrays
        result = compare(arrays, first)
        worst = result.worst
        records.append(
            {
                "case": case,
                "size": size,
                "steps": steps,
                "processes": number,
                "compared_with": processes[0],
                "agrees": result.agrees,
                "largest_difference": worst[1],
                "largest_difference_of": worst[0],
                "newton_iterations": result.newton,
                "passes": result.passes,
                "steps_with_other_counts": result.uneven,
                "elapsed": elapsed,
                "differences": result.differences,
            }
        )
        print(f"{case} on {number}: {elapsed:.0f} s", file=sys.stderr, flush=True)
    return records


def tabulate(records: Sequence[Mapping[str, Any]]) -> str:
    """Return a text table with one line for each run."""
    head = ["case", "largest difference of", "processes", "relative", "Newton", "passes", "uneven", "elapsed [s]", ""]
    rows = [head]
    for r in records:
        alone = r["processes"] == r["compared_with"]
        counts = [str(r[name]) for name in ("newton_iterations", "passes", "steps_with_other_counts")]
        told = ["", f"{r['processes']}", ""] if alone else [r["largest_difference_of"], f"{r['processes']}"]
        told += [] if alone else [f"{r['largest_difference']:.1e}"]
        verdict = "" if alone else "agrees" if r["agrees"] else "DIFFERS"
        rows.append([r["case"], *told, *counts, f"{r['elapsed']:.0f}", verdict])
    return align(rows, 2)


def main() -> int:
    """Run the command, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", default=",".join(CASES), help="default all")
    parser.add_argument("--processes", default="1,2,3", help="numbers of processes, the first to compare with")
    parser.add_argument("--size", type=int, default=0, help="elements, meshes along a side, or spheres")
    parser.add_argument("--steps", type=int, default=0, help="steps, or load steps")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder for agreement.json")
    given = parser.parse_args()
    names, processes = given.cases.split(","), [int(word) for word in given.processes.split(",")]
    if unknown := [name for name in names if name not in CASES]:
        parser.error(f"{unknown[0]}: must be one of {', '.join(CASES)}")
    records: list[dict[str, Any]] = []
    for name in names:
        size, steps = CASES[name]
        with TemporaryDirectory() as folder:
            records += run_case(name, given.size or size, given.steps or steps, processes, Path(folder))
    print(tabulate(records))
    record = {"runs": records, "machine": describe_machine(), "time": time.strftime("%Y-%m-%dT%H:%M:%S%z")}
    given.results.mkdir(parents=True, exist_ok=True)
    (given.results / "agreement.json").write_text(json.dumps(record, indent=1) + "\n")
    return 0 if all(r["agrees"] for r in records) else 1


if __name__ == "__main__":
    sys.exit(main())
