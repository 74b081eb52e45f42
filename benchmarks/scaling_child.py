"""Program that solves one model on the processes of mpiexec and measures the times of the stages. The first process
prints one RESULT line.

    mpiexec -n 2 windlass run scaling_child.py -model chain -size 100000 -case dynamic

The models are built by scaling_models.py, with the given number of cables, or of lines of the net in either direction.
The Jacobian is evaluated in every iteration. Times are elapsed times and process times [s] of single steps. The time of
a stage excludes calls of other stages. Process time includes the waiting time of MPI.
"""

import json
import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scaling_models import MODELS, STEPS, SUPPORTS, build, newton_tolerance

import windlass as wl
from windlass.framework.assembly.parallel_assembly import parallel_assembly
from windlass.framework.launch.launcher import communicator
from windlass.framework.runtime.petsc import PETSc

STAGES = (
    "residual",
    "tangent",
    "sums into the matrix",
    "exchange of ghosts",
    "factorisation",
    "solve",
    "output",
    "rest",
)
FACTORISE = ("MatLUFactorNum", "MatLUFactorSym", "MatILUFactorSym", "PCSetUp", "PCSetUpOnBlocks")
FREE: dict[str, Any] = {"passes": wl.Passes(fail=False, max_it=3)}
"""Steps of the belt are accepted at the limit of passes, because all contacts close in the first step."""
comm = communicator()
rank, size = (0, 1) if comm is None else (comm.rank, comm.size)


def everywhere(value: Any) -> list[Any]:
    """Gather the values of all processes on every process."""
    return [value] if comm is None else comm.allgather(value)


class Clock:
    """Clock that sums elapsed time and process time of wrapped functions by stage. The time of a function excludes its
    calls of other stages.
    """

    def __init__(self) -> None:
        self.spent = {stage: np.zeros(2) for stage in STAGES}
        self._inner = [np.zeros(2)]

    def wrap(self, stage: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function with clocks around it."""

        def timed(*arguments: Any, **options: Any) -> Any:
            self._inner.append(np.zeros(2))
            wall, cpu = time.perf_counter(), time.process_time()
            result = function(*arguments, **options)
            spent = np.array([time.perf_counter() - wall, time.process_time() - cpu])
            self.spent[stage] += spent - self._inner.pop()
            self._inner[-1] += spent
            return result

        return timed

    def take(self) -> dict[str, Any]:
        """Return the times added up since the last call."""
        taken, self.spent = self.spent, {stage: np.zeros(2) for stage in STAGES}
        return taken


def instrument(solver: Any, clock: Clock) -> None:
    """Put clocks around the callbacks of SNES and the functions that they call."""
    problem, snes = solver.problem, solver.snes
    problem.matrix.update = clock.wrap("sums into the matrix", problem.matrix.update)
    ghosts = problem.sparsity.unknowns.ghosts
    ghosts.copy_from_owners = clock.wrap("exchange of ghosts", ghosts.copy_from_owners)
    ghosts.add_to_owners = clock.wrap("exchange of ghosts", ghosts.add_to_owners)
    # clocks work only in Python code
    problem.may_compile = False
    snes.setFunction(clock.wrap("residual", problem.eval_residual), problem.residual_vector)
    snes.setJacobian(clock.wrap("tangent", problem.eval_tangent), problem.matrix.mat)


def read_events() -> np.ndarray:
    """Return the elapsed time [s] so far in the set-up of the preconditioner, in the linear solver, and in norms."""
    times = [PETSc.Log.Event(name).getPerfInfo()["time"] for name in ("PCSetUp", "KSPSolve", "VecNorm")]
    return np.array(times)


class StepTimer(wl.StepHook):
    """Hook that measures the time of every step by stage, and writes output in the last step.

    Attributes:
        steps: elapsed time and process time of this process in each step, by stage, shape (2,); the entry "whole" is
            the total.
    """

    def __init__(self, clock: Clock, solver: Any, output: str) -> None:
        self.steps: list[dict[str, Any]] = []
        self.iterations: list[int] = []
        self._clock, self._solver, self._output = clock, solver, output
        self._first = 0.0

    def before_step(self, state: wl.State) -> None:
        if comm is not None:
            comm.barrier()
        self._clock.take()
        self._before = read_events()
        self._start = np.array([time.perf_counter(), time.process_time()])

    def after_step(self, state: wl.State) -> None:
        whole = np.array([time.perf_counter(), time.process_time()]) - self._start
        step = self._clock.take()
        set_up, solve, _ = read_events() - self._before
        # PETSc's own clocks measure elapsed time only
        step["factorisation"] = np.array([set_up, np.nan])
        step["solve"] = np.array([solve, np.nan])
        step["rest"] = whole - sum(step[stage] for stage in STAGES[:4])
        step["rest"][0] -= set_up + solve
        step["whole"] = whole
        self.steps.append(step)
        total = self._solver.newton.iterations
        self.iterations.append(total - sum(self.iterations))

    def write(self, state: wl.State) -> None:
        """Write one frame for viewers, and measure the time of this output."""
        if self._output:
            with wl.Recorder(self._output, formats=("vtkhdf",), subdivisions=1) as recorder:
                self._clock.wrap("output", recorder.record)(state)
            self.steps[-1]["output"] = self._clock.take()["output"]


def read_memory() -> tuple[float, float]:
    """Return the present and the maximum memory [MB] of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1.024 / 1e3


class Phases:
    """Record of time and memory of the phases before the first step, for all processes together."""

    def __init__(self) -> None:
        self.found: dict[str, dict[str, float]] = {}
        self._clock = time.perf_counter(), time.process_time()

    def end(self, name: str) -> None:
        """End the current phase."""
        now = time.perf_counter(), time.process_time()
        wall, cpu = now[0] - self._clock[0], now[1] - self._clock[1]
        present, peak = read_memory()
        parts = everywhere((wall, cpu, present, peak))
        self.found[name] = {
            "wall": max(p[0] for p in parts),
            "cpu": max(p[1] for p in parts),
            "memory_MB": sum(p[2] for p in parts),
            "peak_MB": sum(p[3] for p in parts),
        }
        if rank == 0:
            told = self.found[name]
            print(
                f"# {name}: {told['wall']:.2f} s, {told['memory_MB']:.0f} MB, peak {told['peak_MB']:.0f} MB", flush=True
            )
        self._clock = time.perf_counter(), time.process_time()


def create_solver(world: wl.World, case: str, steps: int, rtol: float, step: float = 1e-3) -> Any:
    """Create a solver of one load step, or of time steps with a new Jacobian in each iteration. Step sizes are in s."""
    if case == "static":
        return wl.Static(world, rtol=rtol, atol=1e-9, adaptive=False)
    return wl.Dynamic(world, step=step, end=steps * step, lag=False, rtol=rtol, atol=1e-9, adaptive=False, **FREE)


def summarise(timer: StepTimer) -> dict[str, dict[str, float]]:
    """Return a time [s] for each stage: on each process, the shortest time over all steps except the first is found,
    and the result is the maximum of these times over all processes.

    The fastest whole step is used to compare single steps, because it is disturbed least by other work on the machine.
    """
    steps = timer.steps[1:] or timer.steps
    out: dict[str, dict[str, float]] = {}
    for stage in (*STAGES, "whole"):
        mine = np.fmin.reduce([step[stage] for step in steps])
        parts = np.array(everywhere(mine))
        out[stage] = {"wall": float(parts[:, 0].max()), "cpu": float(np.nan_to_num(parts[:, 1]).max())}
    return out


def main() -> None:
    """Build the model, solve it, and print the result."""
    model = wl.option("model", "chain", "", "what to solve", choices=MODELS)
    number = wl.option("size", 10_000, "1", "cables of the chain or belt, or lines of the net", minimum=2)
    elements = wl.option("line_elements", 5, "1", "elements between crossings of the net", minimum=1)
    case = wl.option("case", "dynamic", "", "kind of solve", choices=("static", "dynamic", "both"))
    steps = wl.option("steps", 10, "1", "time steps of the dynamic case", minimum=1)
    output = wl.option("output", "", "", "write the last state to this file, without suffix")
    supports = wl.option("supports", "constraints", "", "what holds the ends", choices=SUPPORTS)
    warm = build("chain", 20).world
    for kind in ("static", "dynamic"):
        create_solver(warm, kind, 1, 1e-9).solve()
    PETSc.Log.begin()
    phases = Phases()
    phases.end("start")
    world = build(model, number, elements, supports, light=case != "dynamic").world
    phases.end("build")
    world.finalize()
    phases.end("finalize")
    assembly = parallel_assembly(world)
    phases.end("layout")
    assembly.pattern  # noqa: B018  made on first use
    phases.end("sparsity")
    rtol = newton_tolerance(model, number)
    results: dict[str, Any] = {}
    state, answers = None, {}
    for kind in ("static", "dynamic") if case == "both" else (case,):
        solver = create_solver(world, kind, steps, rtol, STEPS[model])
        phases.end(f"{kind} solver")
        clock = Clock()
        instrument(solver, clock)
        timer = StepTimer(clock, solver, output if kind == case or kind == "dynamic" else "")
        state = solver.solve(state, hooks=[timer])
        phases.end(f"{kind} solve")
        timer.write(state)
        results[kind] = {
            "stages": summarise(timer),
            "first_step": max(everywhere(timer.steps[0]["whole"][0])),
            "steps": solver.statistics.steps,
            "iterations": timer.iterations,
            "linear_iterations": solver.snes.getKSP().getIterationNumber(),
        }
        # the next solver reuses the memory of this solver
        del solver, timer, clock
        whole = state.gather()
        answers |= {f"{kind}_norm": float(np.linalg.norm(whole.q)), f"{kind}_lowest": float(whole.q.min())}
    layout = assembly.layout
    parts = everywhere((len(layout.owned), layout.spare - len(layout.owned), layout.unknowns.owned))
    if rank == 0:
        result = {
            "processes": size,
            "coordinates": world.numbering.count,
            "elements": next(t.count for c, t in world.tables.items() if c.__name__ == "Cable2D"),
            "owned": [p[0] for p in parts],
            "ghosts": [p[1] for p in parts],
            "phases": phases.found,
            "solves": results,
            "answers": answers,
        }
        print("RESULT " + json.dumps(result))


if __name__ == "__main__":
    main()
