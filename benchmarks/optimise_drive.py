"""Numbers of static solves that three methods need to optimise a serpentine drive: SLSQP with derivatives of
`wl.evaluate`, Nelder-Mead, and differential evolution.

usage: optimise_drive.py [--solves 600] [--within 0.01] [--output FOLDER]

The drive, the objective and the limits are defined in `examples/optimise_tensioner.py`. The methods without derivatives
add the violations of limits to the objective. A result is close to the optimum if it is within all limits and its slip
is at most 1 % (``--within``) above the slip that SLSQP finds. The table contains for each method the number of all
solves, the number of solves to the first result close to the optimum, the least slip within all limits, and the process
time. The exit code is 1 if a method without derivatives reaches a result close to the optimum in less than 20 times the
solves of SLSQP. A method ends after the given number of solves.
"""

import argparse
import json
import resource
import subprocess
import sys
from pathlib import Path

from harness import ROOT
from report import RESULTS, align

MODEL = ROOT / "examples/optimise_tensioner.py"
METHODS = {"gradient": "SLSQP", "simplex": "Nelder-Mead", "evolution": "differential evolution"}
LEAST_RATIO = 20.0


def run(method: str, solves: int, folder: Path) -> tuple[dict, float]:
    """Return the summary of a search, and its process time [s]."""
    summary = folder / f"{method}.json"
    command = [sys.executable, "-m", "windlass.commands.cli", "run", str(MODEL), "-method", method]
    command += ["-solves", str(solves), "-output", "none", "-quiet", "-summary", str(summary)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return json.loads(summary.read_text()), resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--solves", type=int, default=600, help="maximum number of solves, default 600")
    parser.add_argument(
        "--within", type=float, default=0.01, help="accepted distance from the least slip, default 1 %%"
    )
    parser.add_argument("--output", type=Path, default=RESULTS, help="folder")
    given = parser.parse_args()
    given.output.mkdir(parents=True, exist_ok=True)
    found = {method: run(method, given.solves, given.output) for method in METHODS}
    first, best = found["gradient"][0]["solves"], found["gradient"][0]["history"][-1]
    rows, fewest = (
        [("method", "solves", f"to {100.0 * given.within:g} %", "ratio", "slip", "process time")],
        LEAST_RATIO,
    )
    for method, name in METHODS.items():
        summary, seconds = found[method]
        slips = [float("inf") if slip is None else slip for slip in summary["history"]]
        # all solves of SLSQP are counted
        reached = next((k for k, slip in enumerate(slips, 1) if slip <= (1.0 + given.within) * best), None)
        count = first if method == "gradient" else reached or summary["solves"]
        sign = ">" if reached is None else ""
        if method != "gradient" and reached is not None:
            fewest = min(fewest, reached / first)
        cells = str(summary["solves"]), f"{sign}{count}", f"{sign}{count / first:.1f}", f"{slips[-1]:.5f}"
        rows.append((name, *cells, f"{seconds:.0f} s"))
    print(align(rows, 1))
    return 0 if fewest >= LEAST_RATIO else 1


if __name__ == "__main__":
    sys.exit(main())
