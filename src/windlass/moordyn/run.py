"""Computation of the equilibrium and the motion of the model in a MoorDyn input file, with tables of the outputs in
this file (``windlass run-moordyn FILE.txt``).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from windlass.framework.command_line.options import help_requested, option
from windlass.framework.command_line.summary import write_summary
from windlass.framework.errors import ModelError
from windlass.framework.files.outputs import check_output
from windlass.framework.launch.launcher import is_first_process
from windlass.framework.output.csv import CsvTable
from windlass.framework.output.folder import create_output_folder
from windlass.framework.output.recorder import Recorder
from windlass.framework.output.sensors import Sensors
from windlass.framework.state.evaluate import eval_output
from windlass.framework.state.state import State
from windlass.moordyn.imported import Mooring, load
from windlass.solvers.dynamic import Dynamic

FRAME = 0.5
"""Time [s] between frames of the recording."""
METHOD = "generalized_alpha_index2"
"""Integration method. In this method, prescribed motions are constraints on velocities. Such constraints need no
projection if the step size changes.
"""
SPECTRAL_RADIUS = 0.0
"""Spectral radius [1] of the integration method. If slack lines become taut, stiff axial vibrations that steps do not
resolve can gain energy from the integration method. The largest numerical damping prevents this gain of energy.
"""
OUTPUTS = "outputs.csv"
"""Name of the table of outputs at intervals of dtOut."""
STARTS = "equilibrium", "file"
"""Choices of the option ``start``."""
ROUNDING = 1e-9
"""Largest rounding error [1] of times in a table of motions, relative to the time."""


def run_file(file: str) -> None:
    """Compute the equilibrium and then the motion of the model in an input file. The command `windlass run-moordyn
    -help` describes the options.

    Raises:
        ModelError: the end of the run is later than the end of the motion.
    """
    motion = option("motion", "", "", "table of the motion of coupled bodies and points, or of a platform; empty: held")
    end = option("end", 60.0, "s", "time that is simulated; 0: rest only", minimum=0.0)
    step = option("step", 0.05, "s", "time step", minimum=1e-6)
    start = option(
        "start", STARTS[0], "", "start of the motion: in equilibrium, or at rest at the positions in the file",
        choices=STARTS,
    )  # fmt: skip
    output = option("output", f"{Path(file).stem}_out", "", "folder for results; 'none' writes no files")
    mooring = load(file, motion or None)
    if end > mooring.motion_end + ROUNDING * end and not help_requested():
        raise ModelError(f"-end = {end:g} s: must be <= {mooring.motion_end:g} s, the end of {motion}")
    folder = None if output == "none" or help_requested() else create_output_folder(output)
    sensors = Sensors(folder and folder / "steps.csv", mooring.sensors())
    recorders = [Recorder("lines", folder=folder, every=max(1, round(FRAME / step)))] if folder else []
    if folder is not None and end > 0.0:
        # the table is written only after the motion, but an error must be reported before the motion
        check_output(folder / OUTPUTS, "table", "table", f"time [s],{sensors.names[0]} [".encode())
    state = mooring.rest() if start == STARTS[0] else mooring.start()
    if end > 0.0:
        breaking = [mooring.breaking] if mooring.breaking is not None else []
        solver = Dynamic(mooring.world, step=step, end=end, method=METHOD, spectral_radius=SPECTRAL_RADIUS)
        solver.solve(state, hooks=[*breaking, sensors, *recorders])
    if help_requested():
        return
    rest = find_tensions(mooring, state)
    moving = {name: [float(sensors[name].min()), float(sensors[name].max())] for name in sensors.names if end > 0.0}
    if folder is not None and end > 0.0 and is_first_process():
        write_outputs(folder / OUTPUTS, sensors, mooring.environment.output_step or step)
    write_summary({"rest": rest, "motion": moving})
    if is_first_process():
        print("\n".join(describe(mooring, rest, moving, sensors.units)))


def write_outputs(file: Path, sensors: Sensors, step: float) -> None:
    """Write a table of the outputs at multiples of a time step [s], with linear interpolation between the steps of the
    solver.
    """
    times = sensors.times
    rows = np.arange(times[0], times[-1] + ROUNDING * step, step)
    values = [np.interp(rows, times, sensors[name]) for name in sensors.names]
    columns = [("time", "s"), *((name, sensors.units[name]) for name in sensors.names)]
    CsvTable(file, columns, np.column_stack((rows, *values)).tolist()).close()


def find_tensions(mooring: Mooring, state: State) -> dict[str, list[float]]:
    """Return the tensions [N] at the ends A and B of each line."""
    found = {}
    for number, line in mooring.file.lines.items():
        ends = (0, 0.0), (line.segments - 1, line.length / line.segments)
        cables = mooring.lines[number]
        found[f"line {number}"] = [float(eval_output(cables[k], "axial_force", state, x=x)) for k, x in ends]
    return found


def describe(
    mooring: Mooring, rest: Mapping[str, list[float]], moving: Mapping[str, list[float]], units: Mapping[str, str]
) -> list[str]:
    """Return the summary of a run as lines of text."""
    lines = [f"note: {note}" for note in mooring.notes]
    lines += ["at rest, tension at ends A and B [N]:"]
    lines += [f"  {name}: {a:.6g}, {b:.6g}" for name, (a, b) in rest.items()]
    lines += [f"{one.name} broke at {one.time:.6g} s" for one in mooring.breaking.breaks] if mooring.breaking else []
    if moving:
        lines += ["in motion, least and largest value:"]
        lines += [f"  {name} [{units[name]}]: {low:.6g} to {high:.6g}" for name, (low, high) in moving.items()]
    return lines
