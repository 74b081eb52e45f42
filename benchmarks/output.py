"""Measurement of the time that output takes: frames of a moving model in each format, and steps of the belt drive with
and without output.

usage: output.py [CASE ...] [--rounds N] [--results FOLDER]

CASE is frames, belt:60x4 or belt:240x2. The default is all cases.

- frames: one frame of the belt of 240 elements and of a chain of 100000 cables. Results are the process time and the
  bytes on the disk per frame. The time of a round is the mean over all frames of the round except the first frame. The
  result is the median over all rounds.
- belt:ExS: the first 1000 steps of examples/belt_drive.py with all its output and without output, alternately. Results
  are the median process time of a step, and the fraction of this time that output takes.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from harness import PYTHON, ROOT
from report import RESULTS, align, describe_machine

CASES = ("frames", "belt:60x4", "belt:240x2")
EXAMPLE = ROOT / "examples" / "belt_drive.py"
STEPS = 1000
KINDS: dict[str, dict[str, Any]] = {
    "vtkhdf": {"formats": "vtkhdf"},
    "vtkhdf, single": {"formats": "vtkhdf", "precision": "single"},
    "vtkhdf, compress": {"formats": "vtkhdf", "compress": True},
    "vtu": {"formats": "vtu"},
    "xdmf": {"formats": "xdmf"},
}
MODELS = {"belt": (240, 100), "chain": (100_000, 4)}
"""Number of cables, and number of frames of a round."""


def create_state(model: str, count: int) -> Any:
    """Create a state for output: a belt around two pulleys with friction, or a straight chain."""
    # imported inside the function, because the options must be set first
    import windlass as wl
    from windlass import connectors as con
    from windlass.elements import RigidBody2D, cable_around, straight_cable

    world = wl.World()
    cable = {"axial_stiffness": 8e3, "bending_stiffness": 1e-3, "mass_per_length": 0.8}
    if model == "chain":
        straight_cable(world, (0.0, 0.0), (0.01 * count, 0.0), count, **cable)
    else:
        circles = [world.add(RigidBody2D, position=(x, 0.0), mass=5.0, inertia=0.05) for x in (0.0, 0.3)]
        belt = cable_around(world, circles=circles, radius=0.1, elements=count, reference_strain=-0.05, **cable)
        con.add_contact(
            world, con.ContactFrictionCircleCable2D, circles=circles, cables=belt, segments=2, circle_radius=0.1,
            contact_stiffness_per_length=1e7, friction_stiffness_per_length=1e7, friction_coefficient=0.5,
        )  # fmt: skip
    world.finalize()
    return wl.State(world)


def time_frames(rounds: int) -> dict[str, dict[str, list[float]]]:
    """Return process time [ms] and size [kB] of a frame by model and kind of output."""
    # imported inside the function, because the options must be set first
    from windlass.framework.output.recorder import Recorder

    found: dict[str, dict[str, list[float]]] = {}
    for model, (count, frames) in MODELS.items():
        state, noise = create_state(model, count), np.random.default_rng(0)
        times: dict[str, list[float]] = {kind: [] for kind in KINDS}
        sizes: dict[str, float] = {}
        # the first round compiles kernels and fills the file cache of the system
        for number in range(rounds + 1):
            for kind, options in KINDS.items():
                folder = Path(tempfile.mkdtemp(dir=RESULTS))
                with Recorder("frame", folder=folder, **options) as recorder:
                    for k in range(frames + 1):
                        state.t, state.q[:] = 1e-3 * k, 1e-6 * noise.random(len(state.q))
                        if k == 1:
                            begin = time.process_time()
                        recorder.record(state)
                    spent = 1e3 * (time.process_time() - begin) / frames
                    blocks = sum(512 * path.stat().st_blocks for path in folder.iterdir())
                shutil.rmtree(folder)
                sizes[kind] = 1e-3 * blocks / (frames + 1)
                if number:
                    times[kind].append(spent)
        found[model] = {kind: [statistics.median(values), min(values), sizes[kind]] for kind, values in times.items()}
    return found


def time_belt(mesh: str, rounds: int) -> dict[str, list[float]]:
    """Return the process time [ms] of a step with all output and without output, for each round."""
    elements, segments = mesh.split("x")
    times: dict[str, list[float]] = {"with": [], "without": []}
    with tempfile.TemporaryDirectory(dir=RESULTS) as folder:
        summary = Path(folder) / "summary.json"
        for _ in range(rounds):
            for name, output in (("without", "none"), ("with", folder)):
                words = ["-elements", elements, "-segments", segments, "-end_time", f"{1e-4 * STEPS}"]
                command = [
                    PYTHON,
                    str(EXAMPLE),
                    *words,
                    "-ledger",
                    "false",
                    "-output",
                    output,
                    "-summary",
                    str(summary),
                    "-quiet",
                ]
                subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
                times[name].append(1e3 * json.loads(summary.read_text())["cpu_time"] / STEPS)
    return times


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="CASE", default=list(CASES), help="default all")
    parser.add_argument("--rounds", type=int, default=5, help="repetitions, default 5")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder for output_<case>.json")
    given = parser.parse_args()
    if wrong := [case for case in given.cases if case not in CASES]:
        parser.error(f"case {wrong[0]}: must be one of {', '.join(CASES)}")
    # the arguments are removed from sys.argv, because the library reads its own options from the command line
    sys.argv = sys.argv[:1]
    RESULTS.mkdir(parents=True, exist_ok=True)
    given.results.mkdir(parents=True, exist_ok=True)
    for case in given.cases:
        if case == "frames":
            values: dict[str, Any] = time_frames(given.rounds)
            rows = [("model", "format", "ms", "least", "kB")]
            rows += [
                (model, kind, *(f"{number:.3g}" for number in numbers))
                for model, kinds in values.items()
                for kind, numbers in kinds.items()
            ]
        else:
            values = time_belt(case.removeprefix("belt:"), given.rounds)
            both, none = (statistics.median(values[name]) for name in ("with", "without"))
            rows = [("case", "with [ms]", "without [ms]", "output")]
            rows += [(case, f"{both:.3f}", f"{none:.3f}", f"{100 * (1 - none / both):.1f} %")]
        print(align(rows, 2), flush=True)
        file = given.results / f"output_{case.replace(':', '_')}.json"
        file.write_text(json.dumps({"case": case, "values": values, "machine": describe_machine()}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
