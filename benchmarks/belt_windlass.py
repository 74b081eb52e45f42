"""examples/belt_drive.py in Windlass, as it is; prints one RESULT line.

usage: belt_windlass.py ELEMENTS SEGMENTS END_TIME [options]     END_TIME in s; options as of the example and PETSc's
"""

import json
import platform
import runpy
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np

import windlass as wl

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "belt_drive.py"

if len(sys.argv) < 4:
    sys.exit(__doc__)
elements, segments, end_time, *more = sys.argv[1:]
sys.argv = [str(EXAMPLE), "-elements", elements, "-segments", segments, "-end_time", end_time]
sys.argv += ["-output", "none", "-progress", "false", *more]
sys.path.insert(0, str(EXAMPLE.parent))
model = runpy.run_path(str(EXAMPLE), run_name="__main__")

results, state = model["results"], model["state"]
sums = ("drive_torque_mean", "axial_force_min", "axial_force_max", "static_support_force_x")
answers = {name: results[name] for name in sums}
for k, pulley in enumerate(("driver", "driven")):
    answers[f"omega_{pulley}"] = float(wl.eval_output(model[pulley], "angular_velocity", state))
    answers[f"angle_{pulley}"] = float(wl.eval_output(model[pulley], "rotation", state))
    answers[f"contacts_{pulley}"] = results["segments_in_contact"][k]
    answers[f"sticking_{pulley}"] = results["segments_sticking"][k]
result = {
    "cpu": results["cpu_time"],
    "wall": results["wall_time"],
    "counts": {name: results[name] for name in ("steps", "newton_iterations", "discontinuous_iterations")},
    "answers": answers,
    "versions": {
        "windlass": wl.__version__,
        "petsc4py": version("petsc4py"),
        "numpy": np.__version__,
        "python": platform.python_version(),
    },
}
print("RESULT " + json.dumps(result))
