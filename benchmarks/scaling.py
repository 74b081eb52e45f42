"""Measurement of strong and weak scaling over processes, split by stage, and of the largest models for this machine.

usage: scaling.py strong|weak|large [--model chain|net|belt] [--size N] [--processes 1,2] [--rounds N] [--steps N]
                  [--results FOLDER]

- strong: the same model on an increasing number of processes, for several linear solvers. The default is a chain of
  100000 cables. The net has 100 lines with 99000 cables, and the belt 10000 cables. The last table contains the
  speed-up relative to one process with the same solver, and relative to one process with the best solver.
- weak: a model that grows with the number of processes. The default is 50000 cables per process.
- large: a chain of 1000000 cables and a net of 300 x 300 lines with 5 elements between crossings, for one static load
  step and ten dynamic steps on the largest number of processes. The case needs 20 GB and half an hour.

Dynamic steps are 1 ms long (belt: 0.1 ms) and evaluate the Jacobian in each iteration. The tables show the elapsed time
of the fastest step of all rounds in ms. For each stage the tables show the shortest elapsed time and the shortest
process time of the slowest process. Other work on the machine does not affect process time, but process time includes
the waiting time of MPI.
"""

import argparse
import json
import math
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness import ROOT
from launch import run_on_processes
from report import RESULTS, align, describe_machine

CHILD = ROOT / "benchmarks" / "scaling_child.py"
BLOCKS = (
    "-dynamic_ksp_type gmres -dynamic_ksp_rtol 1e-8 -dynamic_pc_type bjacobi -dynamic_sub_pc_type ilu "
    "-dynamic_sub_pc_factor_levels 2"
)
MUMPS = (
    "-dynamic_pc_factor_mat_solver_type mumps -static_pc_factor_mat_solver_type mumps "
    "-initial_pc_factor_mat_solver_type mumps"
)
UNSCALED = f"{MUMPS} -dynamic_mat_mumps_icntl_8 0 -dynamic_mat_mumps_cntl_1 1e-6"
SOLVERS = {
    "chain": {"default": "", "MUMPS": MUMPS, "MUMPS, no scaling": UNSCALED, "GMRES, ILU of blocks": BLOCKS},
    "belt": {"default": "", "MUMPS": MUMPS},
    "net": {"MUMPS": MUMPS, "MUMPS, no scaling": UNSCALED, "GMRES, ILU of blocks": BLOCKS},
}
"""Options of the linear solvers that are compared."""
SIZES = {"chain": 100_000, "belt": 10_000, "net": 100}
"""Number of cables, or of lines of the net, of each model."""
STAGES = (
    "residual",
    "tangent",
    "sums into the matrix",
    "exchange of ghosts",
    "factorisation",
    "solve",
    "rest",
    "whole",
)
CPU_STAGES = ("residual", "tangent")


def run_child(processes: int, words: Sequence[str], timeout: float = 7200.0) -> dict[str, Any]:
    """Run the child script on a number of processes and read its result.

    Raises:
        SystemExit: the child failed, mpiexec does not exist, or the output has no result.
    """
    output = run_on_processes(CHILD, processes, words, timeout)
    lines = [line for line in output.splitlines() if line.startswith("RESULT ")]
    if len(lines) != 1:
        sys.exit(f"{CHILD.name} printed {len(lines)} RESULT lines; expected 1")
    result: dict[str, Any] = json.loads(lines[0].removeprefix("RESULT "))
    return result


def best_of(results: Sequence[Mapping[str, Any]], kind: str) -> dict[str, dict[str, float]]:
    """Return the shortest time of each stage over all rounds."""
    stages = [result["solves"][kind]["stages"] for result in results]
    return {stage: {clock: min(s[stage][clock] for s in stages) for clock in ("wall", "cpu")} for stage in stages[0]}


def peak_memory(result: Mapping[str, Any]) -> float:
    """Return the maximum memory [GB] of all processes together."""
    return max(float(phase["peak_MB"]) for phase in result["phases"].values()) / 1000


def measure(cases: Mapping[str, tuple[int, list[str]]], rounds: int) -> dict[str, list[dict[str, Any]]]:
    """Run all cases alternately. A case is a number of processes and the arguments of the child script."""
    results: dict[str, list[dict[str, Any]]] = {name: [] for name in cases}
    for number in range(rounds):
        for name, (processes, words) in cases.items():
            results[name].append(run_child(processes, words))
            print(f"round {number + 1}: {name}", file=sys.stderr, flush=True)
    return results


def tabulate(results: Mapping[str, Sequence[Mapping[str, Any]]], kind: str = "dynamic") -> str:
    """Format a table of stages with one column for each case."""
    names = list(results)
    best = {name: best_of(found, kind) for name, found in results.items()}
    rows: list[list[str]] = [["ms per step", *names]]
    for stage in STAGES:
        rows.append([stage, *(f"{1e3 * best[name][stage]['wall']:.1f}" for name in names)])
        if stage in (*CPU_STAGES, "whole"):
            rows.append([f"{stage}, process time", *(f"{1e3 * best[name][stage]['cpu']:.1f}" for name in names)])
    first = [found[0] for found in results.values()]
    rows.append(["Newton iterations per step", *(f"{_mean(r['solves'][kind]['iterations'][1:]):.1f}" for r in first)])
    rows.append(["Krylov iterations in the last", *(str(r["solves"][kind]["linear_iterations"]) for r in first)])
    rows.append(["unknowns of the largest part", *(str(max(r["owned"])) for r in first)])
    rows.append(["ghosts of all parts", *(str(sum(r["ghosts"])) for r in first)])
    rows.append(["memory in all [GB]", *(f"{peak_memory(r):.2f}" for r in first)])
    return align(rows, 1)


def whole_step(results: Sequence[Mapping[str, Any]]) -> float:
    """Return the elapsed time [s] of the fastest step of all rounds."""
    return best_of(results, "dynamic")["whole"]["wall"]


def laws(results: Sequence[Mapping[str, Any]]) -> float:
    """Return the process time [s] of residual and tangent in the fastest step."""
    best = best_of(results, "dynamic")
    return sum(best[stage]["cpu"] for stage in CPU_STAGES)


def tabulate_ratios(results: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """Tabulate the speed-up of several processes over one process, one line for each case. The name of a case ends with
    its number of processes.
    """
    alone = {name.rpartition(", ")[0]: found for name, found in results.items() if found[0]["processes"] == 1}
    if not alone:
        return ""
    best = min(alone, key=lambda label: whole_step(alone[label]))
    rows = [["one process / several", "residual and tangent", "whole step, same solver", f"whole step, best ({best})"]]
    for name, found in results.items():
        own = alone.get(name.rpartition(", ")[0])
        if found[0]["processes"] > 1:
            same = [f"{laws(own) / laws(found):.2f}", f"{whole_step(own) / whole_step(found):.2f}"] if own else ["", ""]
            rows.append([name, *same, f"{whole_step(alone[best]) / whole_step(found):.2f}"])
    return align(rows, 1)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / max(len(values), 1)


def strong(given: argparse.Namespace) -> dict[str, tuple[int, list[str]]]:
    """Create the cases of strong scaling."""
    size = given.size or SIZES[given.model]
    cases = {}
    for label, options in SOLVERS[given.model].items():
        for processes in given.processes:
            words = ["-model", given.model, "-size", str(size), "-steps", str(given.steps), *options.split()]
            cases[f"{label}, {processes}"] = (processes, words)
    return cases


def weak(given: argparse.Namespace) -> dict[str, tuple[int, list[str]]]:
    """Create the cases of weak scaling."""
    size = given.size or (60 if given.model == "net" else SIZES[given.model] // 2)
    cases = {}
    for label, options in SOLVERS[given.model].items():
        if label == "default":
            continue
        for processes in given.processes:
            grown = round(size * math.sqrt(processes)) if given.model == "net" else size * processes
            words = ["-model", given.model, "-size", str(grown), "-steps", str(given.steps), *options.split()]
            cases[f"{label}, {processes}"] = (processes, words)
    return cases


def report_large(given: argparse.Namespace, found: dict[str, Any]) -> None:
    """Run the largest models and print their results."""
    sizes = {"chain": given.size or 1_000_000, "net": given.size or 300, "belt": given.size or 100_000}
    for model in [given.model] if given.one else ["chain", "net"]:
        words = ["-model", model, "-size", str(sizes[model]), "-case", "both", "-steps", "10", *given.options.split()]
        result = run_child(max(given.processes), words)
        found[f"{model} {sizes[model]}"] = result
        print(f"\n{model} {sizes[model]}: {result['elements']} elements, {result['coordinates']} coordinates")
        rows = [["phase", "elapsed [s]", "memory then [GB]", "most so far [GB]"]]
        for name, phase in result["phases"].items():
            cells = [f"{phase['wall']:.1f}", f"{phase['memory_MB'] / 1e3:.2f}", f"{phase['peak_MB'] / 1e3:.2f}"]
            rows.append([name, *cells])
        print(align(rows, 1))
        for kind in result["solves"]:
            print(tabulate({f"{kind}, {result['processes']}": [result]}, kind))


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=("strong", "weak", "large"))
    parser.add_argument("--model", choices=tuple(SOLVERS), default=None, help="default chain; large: both")
    parser.add_argument("--size", type=int, default=0, help="cables of the chain or belt, or lines of the net")
    parser.add_argument("--processes", default="1,2", help="numbers of processes, default 1,2")
    parser.add_argument("--rounds", type=int, default=3, help="repetitions, default 3; large: one")
    parser.add_argument("--steps", type=int, default=30, help="time steps, default 30")
    parser.add_argument("--options", default="", help="further options of the child for large, in one word")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder for scaling_<kind>.json")
    given = parser.parse_args()
    given.one, given.model = given.model is not None, given.model or "chain"
    given.processes = [int(word) for word in given.processes.split(",")]
    found: dict[str, Any] = {}
    if given.kind == "large":
        report_large(given, found)
    else:
        cases = {"strong": strong, "weak": weak}[given.kind](given)
        found = measure(cases, given.rounds)
        print(tabulate(found))
        if given.kind == "strong":
            print(f"\n{tabulate_ratios(found)}")
    record = {"results": found, "machine": describe_machine(), "time": time.strftime("%Y-%m-%dT%H:%M:%S%z")}
    given.results.mkdir(parents=True, exist_ok=True)
    name = f"scaling_{given.kind}_{given.model}.json" if given.one else f"scaling_{given.kind}.json"
    (given.results / name).write_text(json.dumps(record, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
