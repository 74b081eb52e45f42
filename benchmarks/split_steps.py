"""Division of the time of a step in compiled code into its parts, by events of PETSc.

usage: split_steps.py [CASE] [--rounds N] [--results FOLDER] [PETSc options]

CASE is chain:CABLES or belt:ELEMENTSxSEGMENTS[:TIME], as in split.py. The default is belt:60x4. Each round
solves 100 steps and measures elapsed time. The table shows the fastest of many rounds, because other work on the
machine disturbs this round least. The table also shows two limits of the processor core. The first limit is the time of
the arithmetic operations of LU and solve at the speed of a product of dense matrices. PETSc counts these operations.
The second limit is the time to read and write matrix and factors, at the speed of a sum over an array of this size.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from report import RESULTS, align, describe_machine
from split import create_belt, create_chain

STEPS = 100  # number of steps of a chain
PARTS = {
    "residual": "SNESFunctionEval: kinematics, forces, contact, sums",
    "tangent": "SNESJacobianEval: the same, into the matrix",
    "factorisation": "MatLUFactorNum, MatLUFactorSym",
    "solve": "KSPSolve",
    "SNES": "SNESSolve without these",
    "between runs": "compiled: predictor, update of contacts, end of the step, looks",
    "Python": "all else",
}
EVENTS = (
    "SNESFunctionEval",
    "SNESJacobianEval",
    "MatLUFactorNum",
    "MatLUFactorSym",
    "KSPSolve",
    "SNESSolve",
    "MatSolve",
)


def measure(solver: Any, state: Any, rounds: int) -> dict[str, Any]:
    """Return the time [µs] of a step by `PARTS`, its time without clocks, and the limits of the processor core."""
    from petsc4py import PETSc

    from windlass.solvers.stepping.compiled_steps import CompiledSteps

    def run() -> tuple[float, int, int]:
        before = solver.statistics.steps, solver.statistics.newton_iterations
        begin = time.perf_counter()
        solver.solve(state)
        seconds = time.perf_counter() - begin
        return seconds, solver.statistics.steps - before[0], solver.statistics.newton_iterations - before[1]

    run()
    plain, steps, iterations = min(run() for _ in range(rounds))
    PETSc.Log.begin()
    clock = {"compiled": 0.0}
    take = CompiledSteps.run

    def timed(self: Any, *where: int) -> int:
        begin = time.perf_counter()
        status = take(self, *where)
        clock["compiled"] += time.perf_counter() - begin
        return status

    CompiledSteps.run = timed
    best: dict[str, float] = {}
    least = np.inf
    for _ in range(rounds):
        clock["compiled"] = 0.0
        before = {name: PETSc.Log.Event(name).getPerfInfo() for name in EVENTS}
        seconds, *_ = run()
        after = {name: PETSc.Log.Event(name).getPerfInfo() for name in EVENTS}
        if seconds < least:
            least = seconds
            spent = {name: after[name]["time"] - before[name]["time"] for name in EVENTS}
            flops = sum(after[name]["flops"] - before[name]["flops"] for name in ("MatLUFactorNum", "MatSolve"))
            factors = after["MatLUFactorNum"]["count"] - before["MatLUFactorNum"]["count"]
            best = {"residual": spent["SNESFunctionEval"], "tangent": spent["SNESJacobianEval"]}
            best["factorisation"] = spent["MatLUFactorNum"] + spent["MatLUFactorSym"]
            best["solve"] = spent["KSPSolve"]
            best["SNES"] = spent["SNESSolve"] - sum(best.values())
            best["between runs"] = clock["compiled"] - spent["SNESSolve"]
            best["Python"] = seconds - clock["compiled"]
    CompiledSteps.run = take
    entries = 8 * solver.problem.matrix.mat.getInfo()["nz_used"]
    # memory traffic: each tangent is cleared, summed, read, and written as factors; each iteration reads the factors
    # once
    bytes_moved = 4 * entries * factors + entries * iterations
    speed, bandwidth = measure_core(int(entries))
    return {
        "us_per_step": {part: 1e6 * value / steps for part, value in best.items()},
        "us_in_all": 1e6 * plain / steps,
        "iterations_per_step": iterations / steps,
        "factorisations_per_step": factors / steps,
        "flops_per_step": flops / steps,
        "bytes_per_step": bytes_moved / steps,
        "core": {"GFlop/s": speed / 1e9, "GB/s": bandwidth / 1e9},
        "limit_us": {"arithmetic": 1e6 * flops / steps / speed, "bytes": 1e6 * bytes_moved / steps / bandwidth},
    }


def measure_core(size: int) -> tuple[float, float]:
    """Return operations per second in a product of dense matrices, and bytes per second in a sum over an array of the
    given size [B].
    """

    def least(function: Callable[[], Any], count: int) -> float:
        times = []
        for _ in range(30):
            begin = time.process_time()
            for _ in range(count):
                function()
            times.append((time.process_time() - begin) / count)
        return min(times)

    matrix, array = np.ones((300, 300)), np.ones(max(size // 8, 1000))
    operations, count = 2 * 300**3, max(1, 20_000_000 // array.nbytes)
    return operations / least(lambda: matrix @ matrix, 10), array.nbytes / least(array.sum, count)


def show(result: dict[str, Any]) -> str:
    """Print the table of one case."""
    parts, total = result["us_per_step"], result["us_in_all"]
    rows = [("part", "", "µs/step", "share")]
    rows += [(p, PARTS[p], f"{value:.1f}", f"{value / sum(parts.values()):.0%}") for p, value in parts.items()]
    rows.append(("sum, without clocks", "", f"{sum(parts.values()):.1f}, {total:.1f}", ""))
    counts = (
        f"{result['iterations_per_step']:.2f} iterations and {result['factorisations_per_step']:.2f} factorisations a "
        f"step; {1e-3 * result['flops_per_step']:.0f} kFlop of LU and solve are {result['limit_us']['arithmetic']:.1f} "
        f"µs at {result['core']['GFlop/s']:.0f} GFlop/s, {1e-3 * result['bytes_per_step']:.0f} kB of matrix and "
        f"factors {result['limit_us']['bytes']:.1f} µs at {result['core']['GB/s']:.0f} GB/s"
    )
    return f"{result['case']}\n{align(rows, 2)}\n{counts}\n"


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("case", nargs="?", metavar="CASE", default="belt:60x4", help="such as chain:1000, belt:240x2")
    parser.add_argument("--rounds", type=int, default=30, help="repetitions, default 30")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder for step_<case>.json")
    given, petsc = parser.parse_known_args()
    sys.argv = [__file__, "-progress", "false", *petsc]
    kind, *words = given.case.split(":")
    solver, state, elements = {"chain": create_chain, "belt": create_belt}[kind](words)
    if kind == "chain":
        solver.end = STEPS * solver.sizes.nominal
    about = {"machine": describe_machine(), "time": time.strftime("%Y-%m-%dT%H:%M:%S%z")}
    result = {"case": given.case, "elements": elements, **measure(solver, state, given.rounds), **about}
    given.results.mkdir(parents=True, exist_ok=True)
    (given.results / f"step_{given.case.replace(':', '_')}.json").write_text(json.dumps(result, indent=1) + "\n")
    print(show(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
