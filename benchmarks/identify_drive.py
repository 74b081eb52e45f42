"""Count of the fits whose confidence regions contain the known friction coefficient and stiffness of a belt drive.

usage: windlass run benchmarks/identify_drive.py [-trials 100] [-first 1] [-deviation 0.2] [-confidence 0.95]

The model is `examples/identify_friction.py`, which runs in this process with `wl.set_options`. The fits use the
functions of `windlass identify`. One run with known friction coefficient and axial stiffness gives the speed of the
driven pulley. Each trial adds random errors to this speed, with the number of the trial as seed, and fits both options
from the defaults of the example. The fit estimates the deviation of the errors from the residuals. If the stated
confidence is correct, the known values lie in the joint 95 % region of about 95 of 100 trials, and each known value
lies in its 95 % interval in about 95 of 100 trials. The numbers of these trials have binomial distributions. The exit
code is 1 if the number of trials with a valid joint region is outside of the 99 % range of its distribution. With
`-confidence 0.99`, at least 95 of 100 regions contain the known values with a probability of 99.9 %.
"""

import runpy
import sys
from pathlib import Path

import numpy as np
from scipy.stats import binom

import windlass as wl
from windlass.commands.studies.fit import LEVEL, BoxFit
from windlass.commands.studies.ranges import Range
from windlass.commands.studies.search import Point

trials = wl.option("trials", 100, "1", "number of trials", minimum=1)
first = wl.option("first", 1, "1", "number of the first trial", minimum=1)
deviation = wl.option("deviation", 0.2, "rad/s", "standard deviation of the errors of the speed", minimum=0.0)
confidence = wl.option("confidence", LEVEL, "1", "stated confidence of the fits", minimum=0.5, maximum=0.9999)
# options of the model, which `wl.set_options` changes
friction = wl.option("friction", 0.42, "1", "friction coefficient between belt and pulleys", minimum=0.01)
stiffness = wl.option("stiffness", 3.3e4, "N", "axial stiffness EA of the belt", minimum=1e3)
output = wl.option("output", "identify_friction_out", "", "folder for results; 'none' writes no files")

MODEL = Path(__file__).parents[1] / "examples/identify_friction.py"
KNOWN = {"friction": 0.41, "stiffness": 3.2e4}  # friction coefficient [1], axial stiffness [N]
RANGES = {"friction": Range(0.2, 0.8, False, friction, "1"), "stiffness": Range(1e4, 1e5, True, stiffness, "N")}
SETTINGS = {"runs": 60, "step": 0.02, "tolerance": 1e-3}


class Drive:
    """Runs of the model. For equal points in several trials, the model runs only once.

    Attributes:
        runs: number of runs.
    """

    def __init__(self) -> None:
        self.runs, self._known = 0, dict[Point, np.ndarray]()

    def speeds(self, point: Point) -> np.ndarray:
        """Return the speeds [rad/s] for a point within the ranges."""
        if point not in self._known:
            self.runs += 1
            values = [f"-{name} {each.value(x):.12g}" for (name, each), x in zip(RANGES.items(), point, strict=True)]
            with wl.set_options(f"{' '.join(values)} -output none -quiet"):
                self._known[point] = np.array(runpy.run_path(str(MODEL))["speeds"])
        return self._known[point]


def main() -> int:
    """Run the command."""
    drive = Drive()
    exact = np.array([each.share(KNOWN[name]) for name, each in RANGES.items()])
    truth = drive.speeds(tuple(exact.tolist()))
    start = tuple(each.share(each.start) for each in RANGES.values())
    joint, inside, errors = 0, np.zeros(len(KNOWN), int), []
    for seed in range(first, first + trials):
        measured = truth + np.random.default_rng(seed).normal(0.0, deviation, len(truth))
        columns, unknown = np.zeros(len(truth), int), np.array([np.nan])
        fit = BoxFit(
            lambda points, m=measured: [drive.speeds(point) - m for point in points], measured, columns, unknown,
            confidence=confidence, **SETTINGS,
        ).fit(start)  # fmt: skip
        error = exact - fit.point
        distance = float(error @ np.linalg.solve(fit.covariance, error)) / fit.bound if not fit.loose else np.inf
        joint += distance <= 1.0
        inside += np.abs(error) <= fit.half_widths
        found = [each.value(x) for each, x in zip(RANGES.values(), fit.point, strict=True)]
        errors.append([value / known - 1.0 for value, known in zip(found, KNOWN.values(), strict=True)])
        print(f"{seed:4d}: {found[0]:.6g}, {found[1]:.6g} N, distance {distance:.4f}, {drive.runs} runs", flush=True)
    low, high = binom.interval(0.99, trials, confidence)
    stated = f"{100 * confidence:g} %"
    print(f"{joint} of {trials} joint {stated} regions contain the known values; 99 % range {low:g} to {high:g}")
    for k, (name, known) in enumerate(KNOWN.items()):
        own = np.array(errors)[:, k]
        print(
            f"{name}: {inside[k]} of {trials} intervals contain {known:g}; mean error {own.mean():.2e}, "
            f"standard deviation {own.std():.2e}"
        )
    return 0 if low <= joint <= high else 1


if not wl.help_requested():
    sys.exit(main())
