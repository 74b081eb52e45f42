"""Program that runs examples/belt_drive.py in Windlass without changes and prints one RESULT line.

usage: belt_windlass.py ELEMENTS SEGMENTS END_TIME [--from TIME] [options]

The numerical method is the method of the Exudyn script: passes, tolerances, steps accepted at the limit of passes, no
projection after kinks, and the mean torque of samples every 1e-3 s. Times are in s. With --from TIME, a multiple of
1e-3 s, only the steps after that time are counted and timed. Options are options of the example and of PETSc.
"""

import json
import os
import platform
import runpy
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

import windlass as wl

CHOSEN = "--chosen"
"""Last argument of a command line that already contains the options for the settings of the Exudyn script."""
EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "belt_drive.py"

if len(sys.argv) < 4:
    sys.exit(__doc__)
elements, segments, end_time, *more = sys.argv[1:]
begin = 0.0
if more[:1] == ["--from"]:
    begin, more = float("".join(more[1:2]) or "nan"), more[2:]
    if not 0.0 <= begin < float(end_time):
        sys.exit(f"--from {begin:g} s: must be >= 0 and before the end at {end_time} s")
called = sys.argv
sys.argv = [str(EXAMPLE), "-elements", elements, "-segments", segments, "-end_time", end_time]
sys.argv += [word for word in more if word != CHOSEN]
preset = wl.presets.exudyn()
# this argument is not an option, so PETSc ignores it
arguments = {"rotations": preset.dynamic["rotations"]}
if more[-1:] != [CHOSEN]:
    # These options select the settings, the contact law and the passes of the Exudyn script. PETSc reads the command
    # line only when it starts, so this program starts itself again with these options.
    passes = replace(preset.dynamic["passes"], max_it=3, atol=1e-3)
    options = {name: value for name, value in {**preset.dynamic, "passes": passes}.items() if name not in arguments}
    words = [word for name, value in preset.contact.items() for word in (f"-{name}", value)]
    for prefix, settings in (("static", preset.static), ("dynamic", options)):
        given = {f"discontinuous_{name}": value for name, value in vars(settings["passes"]).items()}
        for word, value in {name: value for name, value in (settings | given).items() if name != "passes"}.items():
            words += [f"-{prefix}_{word}", str(value).lower()]
    words += ["-output", "none", "-ledger", "false", "-progress", "false"]
    os.execv(sys.executable, [sys.executable, *called, *words, CHOSEN])
sys.path.insert(0, str(EXAMPLE.parent))
COUNTS = ("steps", "newton_iterations", "discontinuous_iterations")
before = dict.fromkeys(("cpu", "wall", *COUNTS), 0)


class Clocks(wl.StepHook):
    """Hook that records clocks and counts at the start of the measurement."""

    def __init__(self, solver: wl.Dynamic) -> None:
        self.solver, self.noted = solver, begin == 0.0
        self.wall, self.cpu = time.perf_counter(), time.process_time()

    def after_step(self, state: wl.State) -> None:
        """Record clocks and counts once."""
        if not self.noted and state.t > begin - 1e-9:
            self.noted = True
            before.update(cpu=time.process_time() - self.cpu, wall=time.perf_counter() - self.wall)
            before.update({name: getattr(self.solver.statistics, name) for name in COUNTS})

    def idle_steps(self, state: wl.State, size: float) -> wl.IdleSteps:
        """Return the steps before the step that ends at the start of the measurement."""
        return wl.IdleSteps(10**9 if self.noted else max(0, int((begin - state.t) / size) - 1))


class TimedDynamic(wl.Dynamic):
    """The solver of the example, with clocks."""

    def __init__(self, world: wl.World, **given: Any) -> None:
        super().__init__(world, **given, **arguments)

    def solve(self, state: wl.State | None = None, hooks: Sequence[Any] = (), *, resume: bool = False) -> wl.State:
        """Integrate with the hooks of the example and, if required, with clocks."""
        return super().solve(state, [*hooks, *([Clocks(self)] if begin > 0.0 else [])], resume=resume)


wl.Dynamic = TimedDynamic  # type: ignore[misc]
model = runpy.run_path(str(EXAMPLE), run_name="__main__")

results, state = model["results"], model["state"]
sums = ("axial_force_min", "axial_force_max", "static_support_force_x")
answers = {name: results[name] for name in sums}
answers["drive_torque_mean"] = float(model["sensors"]["drive_torque"][model["steady"]].mean())
for k, pulley in enumerate(("driver", "driven")):
    answers[f"omega_{pulley}"] = float(wl.eval_output(model[pulley], "angular_velocity", state))
    answers[f"angle_{pulley}"] = float(wl.eval_output(model[pulley], "rotation", state))
    answers[f"contacts_{pulley}"] = results["segments_in_contact"][k]
    answers[f"sticking_{pulley}"] = results["segments_sticking"][k]
result = {
    "cpu": results["cpu_time"] - before["cpu"],
    "wall": results["wall_time"] - before["wall"],
    "counts": {name: results[name] - before[name] for name in COUNTS},
    "answers": answers,
    "versions": {
        "windlass": wl.__version__,
        "petsc4py": version("petsc4py"),
        "numpy": np.__version__,
        "python": platform.python_version(),
    },
}
print("RESULT " + json.dumps(result))
