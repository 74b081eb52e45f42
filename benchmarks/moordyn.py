"""Process time of moorings from input files of MoorDyn, per line and second of simulation, in Windlass and in MoorDyn.

usage: PYTHONPATH=tests .venv/bin/python benchmarks/moordyn.py

Windlass runs the models of tests/reference/moordyn with steps of 0.05 s, without files. The times of MoorDyn are read
from values.json, which peers/moordyn_record.py has written. The times of both programs include neither the start nor
the static equilibrium.
"""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

import numpy as np

import windlass as wl
from windlass.moordyn.run import METHOD, SPECTRAL_RADIUS

from support.moordyn_motions import END, FOLDER, STEP, STORM, move

NAMES = ("chain", "buoy", "sea", "storm", "spar")
SETTINGS = {"step": STEP, "name": "", "method": METHOD, "spectral_radius": SPECTRAL_RADIUS}
"""Arguments of `Dynamic`, as in `windlass run-moordyn`."""
WARM = 1.0
"""Duration [s] of a run before the measurement, which loads the kernels."""


def measure(name: str, folder: Path) -> tuple[int, float]:
    """Return the number of lines of a model, and the process time per second of simulation [1]."""
    end = STORM if name in ("storm", "spar") else END
    t = np.arange(0.0, end + 0.5 * STEP, STEP)
    np.savetxt(folder / "motion.txt", np.column_stack((t, move(name, t)[0])), fmt="%.12g", header="t [s], coordinates")
    mooring = wl.moordyn.load(FOLDER / name / f"{name}.txt", motion=folder / "motion.txt")
    start = mooring.rest(name="")
    wl.Dynamic(mooring.world, end=WARM, **SETTINGS).solve(start.copy())
    begin = process_time()
    wl.Dynamic(mooring.world, end=end, **SETTINGS).solve(start)
    return len(mooring.lines), (process_time() - begin) / end


def main() -> None:
    """Measure all models."""
    recorded = json.loads((FOLDER / "values.json").read_text())
    print(f"{'model':<8}{'lines':>6}{'Windlass':>12}{'MoorDyn':>12}   process time per line and second of simulation")
    for name in NAMES:
        with TemporaryDirectory() as folder:
            lines, used = measure(name, Path(folder))
        other = recorded[name]["process_time_per_second"]
        print(f"{name:<8}{lines:>6}{used / lines:>12.4f}{other / lines:>12.4f}")


if __name__ == "__main__":
    main()
