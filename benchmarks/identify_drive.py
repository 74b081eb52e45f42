"""Counts how often ``windlass identify`` states the friction and the stiffness of a belt drive correctly.

usage: identify_drive.py [--trials 100] [--first 1] [--noise 0.2] [--jobs 1] [--output FOLDER]

The drive is `examples/identify_friction.py`. One run with known friction coefficient and axial stiffness gives the
speed of the driven pulley. Each trial adds random errors to this speed, with the number of the trial as seed, and calls
``windlass identify`` from the defaults of the example. The deviation of the errors is unknown to the command. If the
stated confidence is right, the known values lie in the joint 95 % region of about 95 of 100 trials, and each known
value lies in its 95 % interval as often; the numbers have binomial distributions. The exit code is 1 if the number
of joint regions is outside of the 99 % range of this distribution. The same command continues stopped trials in its
folder; several commands may share a folder if their trials differ.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
from harness import ROOT
from scipy.stats import binom

MODEL = ROOT / "examples/identify_friction.py"
KNOWN = {"friction": 0.41, "stiffness": 3.2e4}  # [1], [N]
RANGES = ["-friction", "0.2:0.8", "-stiffness", "1e4:1e5:log", "-step", "0.01", "-tolerance", "1e-3"]
FIXED = ["-end_time", "0.25"]  # [s]
LEVEL = 0.95


def call(words: list[str], folder: Path) -> None:
    """Run a command of Windlass in a folder; raises CalledProcessError if the command fails."""
    subprocess.run(
        [sys.executable, "-m", "windlass.commands.cli", *words], cwd=folder, check=True, stdout=subprocess.DEVNULL
    )


def run_trial(folder: Path, truth: np.ndarray, noise: float, jobs: int, seed: int) -> dict:
    """Identify the options from the speed with random errors; return the result of the command."""
    folder.mkdir(parents=True, exist_ok=True)
    speeds = truth[:, 1] + np.random.default_rng(seed).normal(0.0, noise, len(truth))
    rows = [f"{t:.6g},{speed:.9g}" for t, speed in zip(truth[:, 0], speeds, strict=True)]
    (folder / "measured.csv").write_text("\n".join(["time [s],speed [rad/s]", *rows, ""]))
    words = ["identify", str(MODEL), "-output", "fit", "-data", "measured.csv", *RANGES, *FIXED]
    if not (folder / "fit/fit.json").exists():
        call([*words, "-jobs", str(jobs), "-quiet"], folder)
    return dict(json.loads((folder / "fit/fit.json").read_text()))


def find_distance(result: dict) -> float:
    """Return (p - p̂)ᵀ C⁻¹ (p - p̂) of the known values p, relative to the bound of the joint region; infinite without a
    region."""
    region = result["joint_region"]
    if region is None:
        return np.inf
    covariance = np.array([[region["covariance"][i][j] for j in KNOWN] for i in KNOWN])
    values = np.array([[result["options"][name]["value"], known] for name, known in KNOWN.items()])
    logarithms = np.array([name in region["logarithms"] for name in KNOWN])
    values[logarithms] = np.log(values[logarithms])
    error = values[:, 1] - values[:, 0]
    return float(error @ np.linalg.solve(covariance, error)) / region["bound"]


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=100, help="number of trials, default 100")
    parser.add_argument("--first", type=int, default=1, help="number of the first trial, default 1")
    parser.add_argument("--noise", type=float, default=0.2, help="standard deviation of the speed [rad/s], default 0.2")
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time, default 1")
    parser.add_argument("--output", type=Path, default=ROOT / "benchmarks/results/identify_drive", help="folder")
    given = parser.parse_args()
    given.output = given.output.absolute()
    given.output.mkdir(parents=True, exist_ok=True)
    exact = given.output / "exact.csv"
    if not exact.exists():
        words = [word for name, value in KNOWN.items() for word in (f"-{name}", f"{value:.12g}")]
        call(
            ["run", str(MODEL), *words, *FIXED, "-noise", "0", "-measured", str(exact), "-output", "none"], given.output
        )
    truth = np.loadtxt(exact, delimiter=",", skiprows=1)
    joint, inside, errors, runs = 0, dict.fromkeys(KNOWN, 0), [], 0
    for seed in range(given.first, given.first + given.trials):
        folder = given.output / f"{seed:04d}"
        result = run_trial(folder, truth, given.noise, given.jobs, seed)
        distance = find_distance(result)
        joint += distance <= 1.0
        for name, known in KNOWN.items():
            ends = result["options"][name]["interval"] or (np.inf, -np.inf)
            inside[name] += ends[0] <= known <= ends[1]
        errors.append([result["options"][name]["value"] / known - 1.0 for name, known in KNOWN.items()])
        runs += len(list((folder / "fit/cases").iterdir()))
        values = ", ".join(f"{name} {result['options'][name]['value']:.6g}" for name in KNOWN)
        print(f"{seed:4d}: {values}, distance {distance:.3f}; {joint} joint regions", flush=True)
    low, high = binom.interval(0.99, given.trials, LEVEL)
    print(f"{joint} of {given.trials} joint 95 % regions contain the known values; 99 % range {low:g} to {high:g}")
    for k, name in enumerate(KNOWN):
        own = np.array(errors)[:, k]
        print(
            f"{name}: {inside[name]} of {given.trials} intervals contain {KNOWN[name]:g}; mean error {own.mean():.2e}, "
            f"standard deviation {own.std(ddof=min(1, len(own) - 1)):.2e}"
        )
    print(f"{runs / given.trials:.1f} runs per trial")
    return 0 if low <= joint <= high else 1


if __name__ == "__main__":
    sys.exit(main())
