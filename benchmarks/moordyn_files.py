"""Comparison of Windlass and MoorDyn for all MoorDyn input files of a folder.

usage: python benchmarks/moordyn_files.py FOLDER [--python PATH] [--still 100] [--end 40] [--limit 3600] [--dtm STEP]

The program prints one row for each input file below FOLDER. Files that an input file names are searched for in the
folder of the input file and in the working directory.

Coupled bodies, rods and points are at rest for ``--still`` seconds (in Windlass: static
equilibrium), and then move in surge and heave with a period of 10 s until ``--end``. The amplitudes are 1 m and 0.5 m,
or 0.05 and 0.025 % of the shortest line at these objects if this line is shorter than 10 m. Models with pinned bodies
do not move. In waves and unsteady currents, the time at rest is 0 s. If no equilibrium is found, for lines with load
history, and in waves or unsteady currents with TmaxIC of at most 1 s, both programs start from the positions in the
file, without a time at rest.

The columns contain the largest differences between both programs in three values of the tension in the middle of the
first and last segment of all lines. The three values are the tension at rest and the mean tension, relative to the mean
tension of MoorDyn, and the standard deviation, relative to the standard deviation of MoorDyn or to 1 % of the mean.
Mean and standard deviation are computed over the last two periods and weighted with the step size. The last columns are
the process times per line and second of simulation. A remark states the standard deviation of MoorDyn at rest if it
exceeds 0.5 % of the mean.

``--python`` is an interpreter with the package moordyn; default: this interpreter. Without the package, the rows
contain the results of Windlass alone. ``--limit`` is the longest time [s] of each program per file. ``--dtm`` is the
largest time step [s] of MoorDyn: larger values of dtM in a file, with which MoorDyn can be unstable, are replaced.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryDirectory
from time import process_time
from typing import Any

import numpy as np

STEP, COUPLING, PERIOD, SURGE, HEAVE = 0.05, 0.005, 10.0, 1.0, 0.5
"""Time step of Windlass and time between calls of MoorDyn [s], period [s] and amplitudes [m] of the motion."""
SMALL = 1e-3
"""Smallest tension [1] by which differences are divided, relative to the largest tension of the file."""
SHARE = 0.01
"""Smallest standard deviation [1] by which differences are divided, relative to the mean tension."""
LEAST, PART = 10.0, 5e-4
"""Length [m] of the shortest line at coupled objects, below which amplitudes are smaller, and ratio [1] of the smaller
amplitude of surge to this length."""
RESTLESS = 0.005
"""Standard deviation [1] of MoorDyn's tension at rest, relative to the mean tension. A remark states larger deviations.
"""
SHORT = 1.0
"""If TmaxIC is at most this value [s], MoorDyn does not search for an equilibrium."""


def move(start: list[list[float]], scale: float, t: Any) -> np.ndarray:
    """Return the coordinates of all coupled objects at the times t, shape (n, k): a motion that grows over a period,
    with the amplitudes multiplied by ``scale``.
    """
    t = np.atleast_1d(np.asarray(t, np.float64))
    y = np.clip(t / PERIOD, 0.0, 1.0)
    grown = scale * y * y * (3.0 - 2.0 * y)
    shift = np.column_stack((SURGE * grown * np.sin(2.0 * np.pi * t / PERIOD), 0.0 * t))
    shift = np.column_stack((shift, HEAVE * grown * np.sin(2.0 * np.pi * t / PERIOD)))
    parts = [np.hstack((shift, np.zeros((len(t), len(x) - 3)))) + x for x in start]
    return np.hstack([np.zeros((len(t), 0)), *parts])


def summarise(times: np.ndarray, series: np.ndarray, end: float) -> dict[str, list[float]]:
    """Return mean and standard deviation over the last two periods. Each value is weighted with the size of its step,
    because Windlass shortens steps in which a line becomes taut.
    """
    late = times >= end - 2.0 * PERIOD - 1e-9
    values, sizes = series[late], np.diff(times, prepend=0.0)[late]
    mean = np.average(values, axis=0, weights=sizes)
    deviation = np.sqrt(np.average((values - mean) ** 2, axis=0, weights=sizes))
    return {"mean": mean.tolist(), "deviation": deviation.tolist()}


def run_windlass(file: Path, end: float, results: Path) -> dict[str, Any]:
    """Return the results of Windlass, or the reason for a refusal. Before the motion begins, the results at rest are
    written to the file ``results``.
    """
    import windlass as wl  # imported here, because the process that runs MoorDyn may have no Windlass
    from windlass.moordyn.run import METHOD, SPECTRAL_RADIUS  # imported here for the same reason

    mooring = wl.moordyn.load(file)
    rows = mooring.file
    pinned = any(b.kind == "pinned" for b in rows.bodies.values())
    start = [[*b.position, *np.radians(b.angles)] for b in rows.bodies.values() if b.kind in ("coupled", "pinned")]
    start += [list(p.position) for p in rows.points.values() if p.kind == "coupled"]
    found: dict[str, Any] = {"start": start, "lines": len(rows.lines)}
    if not rows.lines:
        return found | {"reason": "no lines"}
    moves = {
        number
        for number, point in rows.points.items()
        if "coupled" in (point.kind, rows.bodies[point.body].kind if point.body in rows.bodies else "")
    }
    shortest = min((line.length for line in rows.lines.values() if moves & set(line.ends)), default=LEAST)
    # in models with pinned bodies, Windlass holds these bodies, and no other object is moved
    found["scale"] = scale = 0.0 if pinned else PART * shortest if shortest < LEAST else 1.0
    given = next((text for name, (_, text) in rows.options.items() if name in ("tmaxic", "ictmax")), "60")
    found["flows"] = bool({"wave_amplitudes", "function"} & mooring.environment.flow.keys())
    from_file = bool(rows.loads) or (found["flows"] and float(given) <= SHORT)
    with TemporaryDirectory() as folder:
        if start and not pinned:
            t, motion = np.arange(0.0, end + 0.5 * STEP, STEP), Path(folder) / "motion.txt"
            np.savetxt(motion, np.column_stack((t, move(start, scale, t))), fmt="%.12g")
            mooring = wl.moordyn.load(file, motion=motion)
    sensors = []
    for number, line in rows.lines.items():
        where = {"x": 0.5 * line.length / line.segments}
        for end_name, k in (("A", 0), ("B", line.segments - 1)):
            sensors.append(wl.Sensor(mooring.lines[number][k], "axial_force", name=f"{number}{end_name}", where=where))
    names = [sensor.name for sensor in sensors]
    try:
        state, rest = mooring.start() if from_file else mooring.rest(name=""), wl.Sensors(None, sensors)
        if not found["flows"] and not from_file:
            rest.after_step(state)
            found["rest"] = [float(rest[name][0]) for name in names]
    except (wl.NotConverged, wl.ModelError) as error:
        state, found["reason"], from_file = mooring.start(), f"no equilibrium: {str(error).splitlines()[0]}", True
    found["flows"] = found["flows"] or from_file
    results.write_text(json.dumps(found))
    moving, begin = wl.Sensors(None, sensors), process_time()
    settings: dict[str, Any] = {"method": METHOD, "spectral_radius": SPECTRAL_RADIUS}
    wl.Dynamic(mooring.world, step=STEP, end=end, name="", **settings).solve(state, hooks=[moving])
    found["time"] = (process_time() - begin) / end / len(rows.lines)
    series = np.column_stack([np.ravel(moving[name]) for name in names])
    return found | summarise(moving.times, series, end)


def limit_step(text: str, most: float) -> str:
    """Return the text of an input file with the option dtM of at most ``most`` [s]. In templates of input files, the
    value of the option is not a number. Such files are not changed.
    """

    def reduce(found: re.Match[str]) -> str:
        return f"{min(float(found[1]), most):g}{found[2]}"

    return re.sub(r"^([\d.]+(?:e[+-]?\d+)?)(\s+dtM\b)", reduce, text, flags=re.MULTILINE | re.IGNORECASE)


def run_moordyn(
    file: str, most: float, start: list[list[float]], scale: float, still: float, end: float
) -> dict[str, Any]:
    """Return the results of MoorDyn with time steps of at most ``most`` [s]; this process needs the package moordyn."""
    if most == np.inf:
        return drive_moordyn(file, start, scale, still, end)
    # the copy is in the folder of the file, because input files name further files relative to this folder
    with NamedTemporaryFile("w", dir=Path(file).parent, suffix=".txt") as copy:
        copy.write(limit_step(Path(file).read_text(errors="replace"), most))
        copy.flush()
        return drive_moordyn(copy.name, start, scale, still, end)


def drive_moordyn(file: str, start: list[list[float]], scale: float, still: float, end: float) -> dict[str, Any]:
    """Return the results of MoorDyn for a file."""
    # a module in this folder is also named moordyn
    sys.path[:] = [path for path in sys.path if Path(path).resolve() != Path(__file__).resolve().parent]
    import moordyn  # imported here, because only the process of MoorDyn needs this package

    def place(t: float) -> list[float]:
        return list(move(start, scale, max(t - still, 0.0))[0])

    system = moordyn.Create(file)
    moordyn.SetVerbosity(system, moordyn.LEVEL_NONE)
    moordyn.Init(system, place(0.0), [0.0] * len(place(0.0)))
    lines = [moordyn.GetLine(system, k + 1) for k in range(moordyn.GetNumberLines(system))]
    begin, times, rows = process_time(), [], []
    for k in range(round((still + end) / COUPLING)):
        t = k * COUPLING
        rate = ((np.array(place(t + COUPLING)) - place(t)) / COUPLING).tolist()
        moordyn.Step(system, place(t), rate, t, COUPLING)
        if (k + 1) % round(STEP / COUPLING) == 0:
            ends = ((line, n) for line in lines for n in (0, moordyn.GetLineN(line)))
            rows.append([float(np.linalg.norm(moordyn.GetLineNodeTen(line, n))) for line, n in ends])
            times.append(t + COUPLING)
    used = (process_time() - begin) / (still + end) / len(lines)
    moordyn.Close(system)
    t, series = np.array(times), np.array(rows)
    rest = series[(t >= 0.8 * still) & (t <= still)]
    found: dict[str, Any] = {}
    if len(rest):
        found["rest"] = rest.mean(axis=0).tolist()
        restless = float(np.max(rest.std(axis=0) / np.maximum(rest.mean(axis=0), SMALL * rest.mean(axis=0).max())))
        if restless > RESTLESS:
            found["reason"] = f"MoorDyn vibrates at rest by {restless:.1%}"
    return found | {"time": used} | summarise(t - still, series, end)


def run_job(job: list[Any], results: Path) -> None:
    """Run one program, and write its results to a file."""
    program, file, *further = job
    if program == "MoorDyn":
        results.write_text(json.dumps(run_moordyn(file, *further)))
        return
    try:
        found = run_windlass(Path(file), *further, results)
    except Exception as error:  # the table shows the reason for the failure
        lines = str(error).splitlines()
        reason = lines[1 if len(lines) > 1 and "no counterpart" in lines[0] else 0].strip()
        found = (json.loads(results.read_text()) if results.exists() else {}) | {"reason": reason}
    results.write_text(json.dumps(found))


def call(python: str, job: list[Any], limit: float) -> dict[str, Any]:
    """Run one program in a separate process, and return its results, or the reason for a failure."""
    with TemporaryDirectory() as folder:
        results = Path(folder) / "results.json"
        command = [python, str(Path(__file__).resolve()), "--job", json.dumps(job), "--results", str(results)]
        reason = ""
        try:
            done = subprocess.run(command, capture_output=True, timeout=limit, check=False)
            if done.returncode:
                reason = f"{job[0]} ends with code {done.returncode}"
        except subprocess.TimeoutExpired:
            reason = f"{job[0]} needs more than {limit:g} s"
        found: dict[str, Any] = json.loads(results.read_text()) if results.exists() else {}
        return found | ({"reason": reason} if reason else {})


def compare(ours: dict[str, Any], theirs: dict[str, Any], key: str) -> str:
    """Return the largest difference of a result, relative to the mean tension of MoorDyn."""
    if key not in ours or key not in theirs:
        return "-"
    a, b, scale = (np.array(part) for part in (ours[key], theirs[key], theirs["mean"]))
    scale = np.maximum(np.abs(scale), SMALL * np.abs(scale).max())
    if not scale.all():
        return "-"  # all tensions of MoorDyn are 0
    if key == "deviation":
        scale = np.maximum(b, SHARE * scale)
    return f"{np.max(np.abs(a - b) / scale):.2%}"


def find_files(folder: Path) -> list[Path]:
    """Return the input files below a folder: text files with a section of options of the solver."""
    files = (file for file in sorted(folder.rglob("*")) if file.suffix in (".txt", ".dat") and file.is_file())
    texts = {file: file.read_text(errors="replace").upper() for file in files}
    return [file for file, text in texts.items() if "---" in text and "OPTIONS" in text]


def main() -> None:
    """Compare all files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--still", type=float, default=100.0)
    parser.add_argument("--end", type=float, default=40.0)
    parser.add_argument("--limit", type=float, default=3600.0)
    parser.add_argument("--dtm", type=float, default=np.inf)
    parser.add_argument("--job", help=argparse.SUPPRESS)
    parser.add_argument("--results", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.job:
        del sys.argv[1:]  # the arguments are removed, because Windlass would read them as options of its solvers
        run_job(json.loads(options.job), Path(options.results))
        return
    probe = subprocess.run([options.python, "-c", "import moordyn"], capture_output=True, check=False)
    print("| file | accepted | at rest | mean | standard deviation | Windlass [s/s] | MoorDyn [s/s] | remark |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for file in find_files(options.folder):
        ours = call(sys.executable, ["Windlass", str(file), options.end], options.limit)
        theirs: dict[str, Any] = {}
        if probe.returncode == 0 and ("time" in ours or "rest" in ours):
            still = 0.0 if ours["flows"] else options.still
            job = ["MoorDyn", str(file), options.dtm, ours["start"], ours["scale"], still, options.end]
            theirs = call(options.python, job, options.limit)
        cells = ["yes" if "start" in ours else "no"]
        cells += [compare(ours, theirs, key) for key in ("rest", "mean", "deviation")]
        cells += [f"{part['time']:.3g}" if "time" in part else "-" for part in (ours, theirs)]
        remark = "; ".join(part["reason"][:100] for part in (ours, theirs) if "reason" in part)
        print(f"| {file.relative_to(options.folder)} | {' | '.join(cells)} | {remark} |", flush=True)


if __name__ == "__main__":
    main()
