"""Program that records tensions of MoorDyn's Python package for the input files of tests/reference/moordyn.

usage: PYTHONPATH=tests .venv-bench/bin/python benchmarks/peers/moordyn_record.py [names]        (pip install
moordyn==2.7.2)

The program writes values.json to the folder of the input files. With names, only the values of these models change. The
file contains tensions of the first and the last segment of each line, at rest and over time. The file also contains
quantiles of 2 and 98 %, means, standard deviations and largest values, in the last two periods or, for the irregular
sea and for the spar, after 20 s. The motion of the coupled objects is defined in tests/support/moordyn_motions.py.
"""

from __future__ import annotations

import json
import shutil
import sys
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import moordyn
import numpy as np

from support.moordyn_motions import CALM, END, FOLDER, MOVED, PERIOD, STARTS, STEP, STORM, move

COUPLING = 0.001
"""Time [s] between calls of MoorDyn. MoorDyn keeps the velocity of coupled objects constant between calls. With 0.05 s,
the velocity would jump at each call, and tensions at the ends of calls would lack the inertia forces.
"""


SETTLED = ("slope", "hills")
"""Names of models whose static start MoorDyn does not find. Such a model moves until it is at rest."""
LONG = 150.0
"""Duration [s] of the motion until the models of `SETTLED` are at rest."""


STILL = 60.0
"""Time [s] during which the models with rods come to rest before their motion."""


def record(
    name: str, folder: Path, end: float = END, begin_late: float = END - 2.0 * PERIOD, still: float = 0.0
) -> dict[str, Any]:
    """Return the recorded values of a model. Statistics begin at ``begin_late`` [s] after the time ``still`` [s] at
    rest.
    """
    system = moordyn.Create(str(folder / f"{name}.txt"))
    x, v = move(name, 0.0)
    moordyn.Init(system, x[0].tolist(), v[0].tolist())
    lines = [moordyn.GetLine(system, k + 1) for k in range(moordyn.GetNumberLines(system))]
    rows, times, begin = [], [0.0], process_time()

    def read() -> list[list[float]]:
        ends = ((line, n) for line in lines for n in (0, moordyn.GetLineN(line)))
        return [float(np.linalg.norm(moordyn.GetLineNodeTen(line, n))) for line, n in ends]

    rest = read()
    rows.append(rest)
    calls = round(STEP / COUPLING)
    t = np.arange(round((still + end) / COUPLING)) * COUPLING
    x, v = move(name, np.maximum(t - still, 0.0))
    for k, (place, rate) in enumerate(zip(x.tolist(), v.tolist(), strict=True)):
        moordyn.Step(system, place, rate, k * COUPLING, COUPLING)
        if (k + 1) % calls == 0:
            times.append((k + 1) * COUPLING)
            rows.append(read())
    used = process_time() - begin
    moordyn.Close(system)
    values = np.array(rows)
    late = values[np.array(times) >= still + begin_late]
    if still:
        rest = values[(np.array(times) >= 0.5 * still) & (np.array(times) <= still)].mean(axis=0).tolist()
    return {
        "rest": rest,
        "low": np.quantile(late, 0.02, axis=0).tolist(),
        "high": np.quantile(late, 0.98, axis=0).tolist(),
        "deviation": late.std(axis=0).tolist(),
        "mean": late.mean(axis=0).tolist(),
        "largest": late.max(axis=0).tolist(),
        "process_time_per_second": used / (still + end),
        "series": [[round(value) for value in row] for row in values[::10].tolist()],
    }


def main() -> None:
    """Record all models, or the models whose names are given."""
    values_file = FOLDER / "values.json"
    found = json.loads(values_file.read_text()) if len(sys.argv) > 1 else {}
    for name in sys.argv[1:] or STARTS:
        # MoorDyn searches for the file of the sea floor in the working directory
        with TemporaryDirectory() as copy, chdir(copy):
            shutil.copytree(FOLDER / name, copy, dirs_exist_ok=True)
            if name in SETTLED:
                values = record(name, Path(copy), LONG, LONG - 2.0 * PERIOD)
                middle = 0.5 * np.add(values["low"], values["high"])
                found[name] = {"rest": middle.tolist()}
            elif name in ("storm", "spar"):
                found[name] = record(name, Path(copy), STORM, CALM)
                del found[name]["series"]
            elif name in ("rods", "arm"):
                found[name] = record(name, Path(copy), MOVED, MOVED - 2.0 * PERIOD, STILL)
                del found[name]["series"]
            else:
                found[name] = record(name, Path(copy))
                if name in ("worn", "splash"):
                    del found[name]["series"]
        print(name, json.dumps(found[name])[:300])
    values_file.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
