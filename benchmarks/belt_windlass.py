"""Program that runs examples/belt_drive.py in Windlass without changes and prints one RESULT line.

    python belt_windlass.py -elements 60 -segments 4 -end_time 0.1
    python belt_windlass.py -elements 60 -segments 4 -end_time 0.9 -from 1.0 -until 1.1
    python belt_windlass.py -elements 60 -segments 4 -settings own -output FOLDER

By default, all steps are timed. With ``-from`` and ``-until``, a second solver continues the motion of the example, and
only the steps between these two times, which must be multiples of 1e-3 s, are counted and timed.

The numerical method is the method of the Exudyn script: passes, tolerances, steps accepted at the limit of passes, and
no projection after velocity jumps. With ``-settings own``, the example runs with its own method, for measurements of
whole processes. The mean torque is the mean of samples every 1e-3 s. Further options are options of the example and of
PETSc.
"""

import json
import os
import platform
import runpy
import sys
import time
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

import windlass as wl
from windlass import connectors as con

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "belt_drive.py"
STEP = 1e-4
"""Step size [s] of the example."""
SAMPLES = 10
"""Number of steps between two samples of the drive torque."""
COUNTS = ("steps", "newton_iterations", "discontinuous_iterations")


class Clocks(wl.StepHook):
    """Hook that records clocks and counts after the step that ends at a time [s]."""

    def __init__(self, solver: wl.Dynamic, begin: float) -> None:
        self.solver, self.begin, self.noted = solver, begin, False

    def after_step(self, state: wl.State) -> None:
        """Record clocks and counts once."""
        if not self.noted and state.t > self.begin - 1e-9:
            self.noted = True
            self.counts = {name: getattr(self.solver.statistics, name) for name in COUNTS}
            self.wall, self.cpu = time.perf_counter(), time.process_time()

    def idle_steps(self, state: wl.State, size: float) -> wl.IdleSteps:
        """Return the steps before the step that ends at the start of the measurement."""
        return wl.IdleSteps(10**9 if self.noted else max(0, int((self.begin - state.t) / size) - 1))


def start_again() -> None:
    """Start this program again with options for the settings, the contact law and the passes of the Exudyn script.
    PETSc reads the command line only when it starts.
    """
    preset = wl.presets.exudyn()
    passes = replace(preset.dynamic["passes"], max_it=3, atol=1e-3)
    # rotations in 3D, which this model does not have, are the only setting without an option
    options = {name: value for name, value in {**preset.dynamic, "passes": passes}.items() if name != "rotations"}
    more = [word for name, value in preset.contact.items() for word in (f"-{name}", value)]
    for prefix, settings in (("static", preset.static), ("dynamic", options)):
        given = {f"discontinuous_{name}": value for name, value in vars(settings["passes"]).items()}
        for word, value in {name: value for name, value in (settings | given).items() if name != "passes"}.items():
            more += [f"-{prefix}_{word}", str(value).lower()]
    os.execv(sys.executable, [sys.executable, *sys.argv, *more, "-settings", "own"])


def measure_from(begin: float, end_time: float, model: dict[str, Any]) -> tuple[wl.State, np.ndarray, dict[str, Any]]:
    """Continue the motion of the example to a time [s]. Return the last state, samples [N m] of the drive torque in the
    last 0.1 s, and times and counts of the steps after a second given time [s].
    """
    solver = wl.Dynamic(model["world"], step=STEP, end=end_time, name="belt drive", **model["method"])
    clocks = Clocks(solver, begin)
    samples = wl.Sensors(None, [wl.Sensor(model["drive"], "force", name="drive_torque")], every=SAMPLES)
    state = solver.solve(model["state"], hooks=[samples, clocks], resume=True)
    times = {"cpu": time.process_time() - clocks.cpu, "wall": time.perf_counter() - clocks.wall}
    counts = {name: getattr(solver.statistics, name) - clocks.counts[name] for name in COUNTS}
    return state, samples["drive_torque"][samples.times > end_time - 0.1 + STEP / 2], times | {"counts": counts}


def find_answers(model: dict[str, Any], state: wl.State, torque: np.ndarray) -> dict[str, float]:
    """Return the results of a state by name."""
    world, belt, contacts = model["world"], model["belt"], model["contacts"]
    places = np.tile([0.0, belt[0].length / 2], (model["elements"], 1))
    tension = wl.eval_output(belt, "axial_force", state, x=places)
    answers = {
        "axial_force_min": float(tension.min()),
        "axial_force_max": float(tension.max()),
        "static_support_force_x": model["results"]["static_support_force_x"],
        "drive_torque_mean": float(torque.mean()),
    }
    for name in ("driver", "driven"):
        report = con.pulley_report(world, state, contacts, model[name])
        answers[f"omega_{name}"] = float(wl.eval_output(model[name], "angular_velocity", state))
        answers[f"angle_{name}"] = float(wl.eval_output(model[name], "rotation", state))
        answers[f"contacts_{name}"] = report.segments_in_contact
        answers[f"sticking_{name}"] = report.segments_sticking
    return answers


def main() -> None:
    """Run the measurement of the command line."""
    if wl.option("settings", "exudyn", "", "numerical method", choices=("exudyn", "own")) == "exudyn":
        start_again()
    begin = wl.option("from", 0.0, "s", "time at which the clock of the second solver starts", minimum=0.0)
    until = wl.option("until", 0.0, "s", "time at the end of the second solver; 0: time the example", minimum=0.0)
    sys.path.insert(0, str(EXAMPLE.parent))
    model = runpy.run_path(str(EXAMPLE), run_name="__main__")
    if until > 0.0:
        if not model["end_time"] < begin < until:
            sys.exit(f"-from {begin:g} s: must be between -end_time {model['end_time']:g} s and -until {until:g} s")
        state, torque, measured = measure_from(begin, until, model)
    else:
        state, torque, results = model["state"], model["sensors"]["drive_torque"][model["steady"]], model["results"]
        measured = {"cpu": results["cpu_time"], "wall": results["wall_time"]}
        measured["counts"] = {name: results[name] for name in COUNTS}
    versions = {"windlass": wl.__version__, "petsc4py": version("petsc4py"), "numpy": np.__version__}
    versions["python"] = platform.python_version()
    answers = find_answers(model, state, torque)
    print("RESULT " + json.dumps(measured | {"answers": answers, "versions": versions}))


if __name__ == "__main__":
    main()
