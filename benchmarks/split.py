"""Measurement of the times of the parts of a Newton iteration in Windlass.

usage: split.py [CASE ...] [--rounds N] [--results FOLDER] [PETSc options]

CASE is chain:CABLES[:static|dynamic[:RULE[:space]]] or belt:ELEMENTSxSEGMENTS[:TIME]. TIME is the time [s] in the
motion of the belt drive from which 100 steps are measured. The default is chain:100 chain:1000 chain:10000 belt:240x2.
Each case is solved twice in a separate process: first without clocks, then with time measurement of every part. The
table shows the fastest round of each solve. The times of factorisation and solve are times of PETSc's events. For the
line "kernels alone", each call is repeated many times, so the data are in the caches of the processor if they fit.

The times of the kernels ("cable", "contact") include the sums over entities. The tangent of the cables is also measured
with all elements added to the same few numbers. The difference of these times is the cost of adding entries to a large
matrix.
"""

import argparse
import contextlib
import io
import json
import runpy
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from harness import PYTHON, ROOT
from report import RESULTS, align, describe_machine

CASES = ("chain:100", "chain:1000", "chain:10000", "belt:240x2")
EXAMPLE = ROOT / "examples" / "belt_drive.py"
BELT_STEP, BELT_STEPS = 1e-4, 100
PARTS = {
    "kinematics": "unknowns to coordinates, velocities and markers",
    "cable residual": "with inertia",
    "cable tangent": "with inertia and its sums into the matrix",
    "contact residual": "",
    "contact tangent": "with its sums into the matrix",
    "contact update": "after each Newton run",
    "other laws": "loads, mass, springs, constraints",
    "scatter": "clearing the matrix, handing vectors and matrix to PETSc",
    "factorisation": "PETSc",
    "solve": "PETSc",
    "callbacks": "Python in the functions that PETSc calls, convergence test included",
    "SNES": "PETSc and Python in a Newton run outside of these functions",
    "start": "before the first step: initial accelerations, in statics the check of the stiffness",
    "around": "predictors, states, convergence of steps",
}


class Clock:
    """Clock that sums the times of functions by part. The time of a function excludes its calls of other parts.

    Attributes:
        seconds: times [s] by name of the part.
        running: whether time is counted at present. The functions are also called outside of Newton's method, where no
            time is counted.
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = dict.fromkeys(PARTS, 0.0)
        self.running = False
        self._inner = [0.0]

    def wrap(self, part: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that calls the given function and measures its time."""
        inner, seconds, now = self._inner, self.seconds, time.perf_counter

        def timed(*arguments: Any, **options: Any) -> Any:
            if not self.running:
                return function(*arguments, **options)
            inner.append(0.0)
            start = now()
            result = function(*arguments, **options)
            spent = now() - start
            seconds[part] += spent - inner.pop()
            inner[-1] += spent
            return result

        return timed

    def run(self, part: str, function: Callable[..., Any], stage: Any = None) -> Callable[..., Any]:
        """Return a function that calls the given function. The clock runs only during these calls, which also have a
        separate PETSc log stage.
        """
        timed = self.wrap(part, function)

        def started(*arguments: Any, **options: Any) -> Any:
            if stage is not None:
                stage.push()
            self.running = True
            try:
                return timed(*arguments, **options)
            finally:
                self.running = False
                if stage is not None:
                    stage.pop()

        return started

    def reset(self) -> None:
        """Set all times to 0."""
        for part in self.seconds:
            self.seconds[part] = 0.0


def part_of(law: str, function: str) -> str:
    """Return the part to which a function of a system belongs."""
    if function == "update":
        return "kinematics"
    if function == "post_newton":
        return "contact update"
    kind = "cable" if law in ("Cable2D", "Cable3D") else "contact" if "Contact" in law else ""
    name = f"{kind} {function}"
    return name if name in PARTS else "other laws"


def instrument(solver: Any, clock: Clock, stage: Any) -> None:
    """Replace functions of the systems of a model, of its assembly, of the callbacks of SNES and of Newton runs by
    functions with time measurement.
    """
    problem, assembly, snes = solver.problem, solver.problem.assembly, solver.snes
    for system in assembly.systems:
        for owner in (system, system.constraint, system.fused, system.inertia, system.body_force):
            for field in fields(owner) if owner is not None else ():
                function = getattr(owner, field.name)
                if callable(function):
                    part = part_of(system.name, field.name)
                    # of these functions, only the contact update is also called outside of Newton's method
                    wrap = clock.run if part == "contact update" else clock.wrap
                    setattr(owner, field.name, wrap(part, function))
    assembly.order_systems()
    solver.newton.solve = clock.run("SNES", solver.newton.solve, stage)
    for owner, name, part in (
        (assembly, "update_markers", "kinematics"),
        (problem, "expand_unknowns", "kinematics"),
        (problem, "update_tangent", "scatter"),
        (problem, "write_residual", "scatter"),
        (problem.matrix, "update", "scatter"),
    ):
        setattr(owner, name, clock.wrap(part, getattr(owner, name)))
    # clocks work only in Python code
    problem.may_compile = False
    snes.setFunction(clock.wrap("callbacks", problem.eval_residual), problem.residual_vector)
    snes.setJacobian(clock.wrap("callbacks", problem.eval_tangent), problem.matrix.mat)
    test, given, named = snes.getConvergenceTest()
    snes.setConvergenceTest(clock.wrap("callbacks", test), given, named)


def create_chain(words: list[str]) -> tuple[Any, Any, int]:
    """Return a solver of the chain of chain_windlass.py, its initial state and the number of cables."""
    from chain import newton_tolerance
    from chain_windlass import build_chain, create_solver

    import windlass as wl

    size, case, rule, where = int(words[0]), *(words[1:] + ["dynamic", "2", "plane"][len(words) - 1 :])
    chain = build_chain(size, int(rule), 9.81 if case == "dynamic" else 9.81e-3, where == "space")
    solver = create_solver(chain.world, case, 5, newton_tolerance(size))
    return solver, wl.State(chain.world), size


def create_belt(words: list[str]) -> tuple[Any, Any, int]:
    """Return a solver of examples/belt_drive.py, its state at a time, and the number of elements."""
    import windlass as wl

    elements, segments = words[0].split("x")
    begin = float(words[1]) if len(words) > 1 else 0.1
    argv = sys.argv
    options = ["-elements", elements, "-segments", segments, "-end_time", str(begin), "-output", "none"]
    options += ["-ledger", "false"]
    sys.argv = [str(EXAMPLE), *options, *argv[1:]]
    sys.path.insert(0, str(EXAMPLE.parent))
    with contextlib.redirect_stdout(io.StringIO()):
        model = runpy.run_path(str(EXAMPLE), run_name="__main__")
    sys.argv = argv
    end = begin + BELT_STEPS * BELT_STEP
    solver = wl.Dynamic(model["world"], step=BELT_STEP, end=end, name="", **model["method"])
    return solver, model["state"], int(elements)


class Solve(NamedTuple):
    """Result of one solve: total time [s], time [s] before the first step, and number of Newton iterations."""

    seconds: float
    start: float
    iterations: int


def solve(solver: Any, state: Any) -> Solve:
    """Solve a case, and return the measured times."""
    from windlass import StepHook

    first = []

    class StartTimer(StepHook):
        def before_step(self, state: Any) -> None:
            first.append(time.perf_counter())

    before = solver.statistics.newton_iterations
    begin = time.perf_counter()
    solver.solve(state, hooks=[StartTimer()])
    seconds = time.perf_counter() - begin
    return Solve(seconds, first[0] - begin, solver.statistics.newton_iterations - before)


def read_events(stage: Any) -> dict[str, float]:
    """Return the times [s] so far of PETSc's events in a log stage, by name of the event."""
    from petsc4py import PETSc

    names = ("MatLUFactorNum", "MatLUFactorSym", "KSPSolve")
    return {name: PETSc.Log.Event(name).getPerfInfo(stage.id)["time"] for name in names}


def measure_whole(solver: Any, state: Any, rounds: int) -> float:
    """Return the time [s] per iteration, measured without clocks."""
    solve(solver, state)
    return min(done.seconds / done.iterations for done in (solve(solver, state) for _ in range(rounds)))


def measure_parts(solver: Any, state: Any, rounds: int) -> tuple[dict[str, float], float]:
    """Return the time [s] per iteration by part, and the total time [s], both measured with clocks.

    The solver must be new, because compiled steps that a solver has used keep the functions without clocks.
    """
    from petsc4py import PETSc

    PETSc.Log.begin()
    clock, stage = Clock(), PETSc.Log.Stage("Newton runs")
    instrument(solver, clock, stage)
    solve(solver, state)
    best: dict[str, float] = {}
    least = np.inf
    for _ in range(rounds):
        clock.reset()
        before = read_events(stage)
        done = solve(solver, state)
        if done.seconds / done.iterations >= least:
            continue
        least = done.seconds / done.iterations
        event = {name: value - before[name] for name, value in read_events(stage).items()}
        parts = clock.seconds
        # the event KSPSolve excludes the factorisation, which PETSc counts in the event of the set-up
        parts["factorisation"] = event["MatLUFactorNum"] + event["MatLUFactorSym"]
        parts["solve"] = event["KSPSolve"]
        parts["SNES"] -= parts["factorisation"] + parts["solve"]
        parts["start"] = done.start
        parts["around"] = done.seconds - sum(parts.values())
        best = {part: value / done.iterations for part, value in parts.items()}
    return best, least


def repeat(function: Callable[[], Any]) -> float:
    """Return the time [s] of one call: the minimum over several series of many calls."""
    function()
    start = time.perf_counter()
    function()
    count = max(3, int(0.02 / max(time.perf_counter() - start, 1e-7)))
    least = np.inf
    for _ in range(5):
        start = time.perf_counter()
        for _ in range(count):
            function()
        least = min(least, (time.perf_counter() - start) / count)
    return least


def measure_kernels(solver: Any) -> dict[str, float]:
    """Return the times [µs] of single calls per entity. The solver cannot be used afterwards."""
    from windlass.framework.model.system import evaluate

    assembly, values = solver.problem.assembly, solver.problem.matrix.values
    s, v_factor, out = assembly.fields, solver.problem.scheme.v_factor, {}
    # a slot can be the index of the first of 16 values, so the array has 15 further values
    few, f = 64, np.zeros(len(s.x))
    few_values = np.zeros(few + 15)
    for component, law in assembly.layout.systems.items():
        kind = part_of(law.name, "residual").partition(" ")[0]
        if kind not in ("cable", "contact") or law.residual is None or not len(law.dofs):
            continue
        residual = partial(law.residual, evaluate(s, f=f))
        into = assembly.evaluation(component, values, dq=1.0, dv=v_factor)
        tangent = partial(law.tangent, into)
        if kind == "cable":
            into_few = partial(
                law.tangent,
                evaluate(into, pieces=into.pieces._replace(places=into.pieces.places % few), values=few_values),
            )
            for name, call in (("residual", residual), ("tangent", tangent), ("tangent into few numbers", into_few)):
                out[f"cable {name}, per element"] = 1e6 * repeat(call) / len(law.dofs)
            continue
        segments, kept = len(s.data) / 3, s.data.copy()
        for name in ("as it is", "all open"):
            for part, call in (("residual", residual), ("tangent", tangent)):
                out[f"contact {part}, per segment, {name}"] = 1e6 * repeat(call) / segments
            s.data[:] = 1.0  # all gaps are opened for the second pass of the loop
        s.data[:] = kept
    return out


def split_case(case: str, rounds: int) -> dict[str, Any]:
    """Measure one case in this process, and return the times."""
    kind, *words = case.split(":")
    create = {"chain": create_chain, "belt": create_belt}[kind]
    solver, state, elements = create(words)
    plain = measure_whole(solver, state, rounds)
    solver, state, _ = create(words)
    parts, clocked = measure_parts(solver, state, rounds)
    return {
        "case": case,
        "elements": elements,
        "us_per_iteration": {part: 1e6 * value for part, value in parts.items()},
        "us_in_all": 1e6 * plain,
        "us_in_all_with_clocks": 1e6 * clocked,
        "kernels_us": measure_kernels(solver),
        "machine": describe_machine(),
        "time": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
    }


def format_split(result: dict[str, Any]) -> str:
    """Return the table of one case as text."""
    parts, elements = result["us_per_iteration"], result["elements"]
    total = sum(parts.values())
    rows = [("part", "", "µs/iteration", "share", "µs/element")]
    for part, value in parts.items():
        if value != 0.0:
            rows.append((part, PARTS[part], f"{value:.2f}", f"{value / total:.1%}", f"{value / elements:.4f}"))
    rows.append(("sum", "", f"{total:.2f}", "", f"{total / elements:.4f}"))
    rows.append(("without clocks", "", f"{result['us_in_all']:.2f}", "", f"{result['us_in_all'] / elements:.4f}"))
    kernels = [(name, f"{value:.4f}") for name, value in result["kernels_us"].items()]
    return f"{result['case']}\n{align(rows, 2)}\nkernels alone [µs]\n{align(kernels, 1)}\n"


def main() -> int:
    """Run the command, with one process for each case."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="CASE", default=list(CASES), help="such as chain:1000, belt:240x2")
    parser.add_argument("--rounds", type=int, default=10, help="repetitions, default 10")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder for split_<case>.json")
    given, petsc = parser.parse_known_args()
    for case in given.cases:
        if case.partition(":")[0] not in ("chain", "belt") or ":" not in case:
            parser.error(f"case {case}: expected chain:CABLES or belt:ELEMENTSxSEGMENTS")
    if len(given.cases) > 1:
        options = ["--rounds", str(given.rounds), "--results", str(given.results), *petsc]
        return max(subprocess.run([PYTHON, __file__, case, *options]).returncode for case in given.cases)
    sys.argv = [__file__, "-progress", "false", *petsc]
    result = split_case(given.cases[0], given.rounds)
    given.results.mkdir(parents=True, exist_ok=True)
    (given.results / f"split_{given.cases[0].replace(':', '_')}.json").write_text(json.dumps(result, indent=1) + "\n")
    print(format_split(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
