"""Tests of `windlass identify`: fits to data with known parameters, confidence intervals, parameters that the data do
not determine, and wrong command lines.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from scipy.optimize import least_squares

from windlass.commands import cli
from windlass.commands.studies import kept_runs, ranges
from windlass.commands.studies.fit import BoxFit, Fit
from windlass.commands.studies.fit_plot import draw_regions
from windlass.commands.studies.model_options import ModelOptions
from windlass.commands.studies.search import Point
from windlass.framework.arrays import FloatArray
from windlass.framework.launch.arguments import Option

from support.pages import ReadPage
from support.processes import run_windlass

TIMES = np.linspace(0.0, 2.0, 81)
STIFFNESS, MASS, DAMPING = 200.0, 2.0, 1.5
RANGES = "-stiffness 50:500 -damping 0.1:10:log"


def swing(k: float, d: float, m: float = MASS, times: FloatArray = TIMES) -> tuple[FloatArray, FloatArray]:
    """Return position [m] and velocity [m/s] of a mass that starts with 1 m/s and is held by a spring."""
    decay, pulse = d / (2.0 * m), np.sqrt(k / m - (d / (2.0 * m)) ** 2)
    place = np.exp(-decay * times) * np.sin(pulse * times) / pulse
    speed = np.exp(-decay * times) * (np.cos(pulse * times) - decay / pulse * np.sin(pulse * times))
    return place, speed


@pytest.fixture
def quick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, float]]:
    """Replace the model program by a function that writes the tables of two sensors. The function runs in this process.
    Runs with k > 480 N/m fail.
    """
    done: list[dict[str, float]] = []
    (tmp_path / "model.py").write_text("")

    def run_case(folder: Path, words: Sequence[str], limit: float | None) -> str:
        given = dict(zip((word[1:] for word in words[1::2]), map(float, words[2::2]), strict=True))
        done.append(given)
        place, speed = swing(given.get("stiffness", STIFFNESS), given.get("damping", DAMPING), given.get("mass", MASS))
        (folder / "out").mkdir()
        for name, unit, values in (("place", "m", place), ("speed", "m/s", speed)):
            rows = [f"{t:.9g},{step},{value:.12g}" for step, (t, value) in enumerate(zip(TIMES, values, strict=True))]
            (folder / "out" / f"{name}.csv").write_text("\n".join([f"time [s],step [1],{name} [{unit}]", *rows]))
        (folder / "modes.csv").write_text("mode [1],frequency [Hz]\n1,2.0\n")
        reason = "the spring breaks" if given.get("stiffness", 0.0) > 480.0 else ""
        (folder / "outcome.json").write_text(json.dumps({"reason": reason, "wall_time": 0.0}))
        return reason

    options = {
        "stiffness": Option("stiffness", 150.0, "N/m", "k", minimum=1.0),
        "damping": Option("damping", 1.0, "N s/m", "d", minimum=0.0),
        "mass": Option("mass", MASS, "kg", "m", minimum=0.1),
    }
    monkeypatch.setattr(kept_runs, "run_case", run_case)
    monkeypatch.setattr(ranges, "ask_model", lambda *_: ModelOptions(options, ()))
    monkeypatch.chdir(tmp_path)
    return done


def write_data(noise: float = 1e-3, column: str = "place [mm]", factor: float = 1e3, seed: int = 3) -> None:
    """Write positions with random errors [m] to the file measured.csv."""
    values = swing(STIFFNESS, DAMPING)[0] + np.random.default_rng(seed).normal(0.0, noise, TIMES.size)
    rows = [f"{1e3 * t:.9g},{factor * value:.12g}" for t, value in zip(TIMES, values, strict=True)]
    Path("measured.csv").write_text("\n".join([f"time [ms],{column}", *rows]))


def call(words: str, *more: str) -> int:
    return cli.main(["identify", "model.py", *words.split(), *more])


def read_result(folder: str = "f") -> dict[str, Any]:
    return dict(json.loads((Path(folder) / "fit.json").read_text()))


def test_values_and_intervals(quick: list[Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The intervals of the fit contain the known values.

    The output of the fit contains the units of the file, the standard deviation of the noise, tables and a picture.
    """
    write_data()
    assert call(f"-output f -data measured.csv {RANGES}") == 0
    said, result = capsys.readouterr().out, read_result()
    for name, known in (("stiffness", STIFFNESS), ("damping", DAMPING)):
        low, high = result["options"][name]["interval"]
        assert low < known < high and high - low < 0.2 * known
    region = result["joint_region"]
    assert region["logarithms"] == ["damping"]
    # the half width of an interval is the standard deviation times 1.99, the quantile of Student's t with 79 degrees of
    # freedom
    options, spread = result["options"], region["covariance"]
    widths = np.diff(options["stiffness"]["interval"])[0], np.diff(np.log(options["damping"]["interval"]))[0]
    assert_allclose(widths, [2.0 * 1.9905 * np.sqrt(spread[name][name]) for name in spread], rtol=1e-3)
    # the bound is twice the quantile of Fisher's distribution with 2 and 79 degrees of freedom
    assert_allclose(region["bound"], 2.0 * 3.1123, rtol=1e-3)
    assert_allclose(result["deviations"]["place"], 1.0, rtol=0.2)
    assert "converged" in said and "-stiffness 200." in said and "95 %: " in said and "correlated" not in said
    curves = np.genfromtxt(tmp_path / "f" / "fit.csv", delimiter=",", skip_header=1)
    assert_allclose(curves[:, 2], 1e3 * swing(STIFFNESS, DAMPING)[0], atol=1.0)
    assert (tmp_path / "f" / "fit.png").read_bytes().startswith(b"\x89PNG")
    assert len(quick) <= 30
    # evaluate the runs again with another confidence level
    runs = len(quick)
    assert call(f"-output f -data measured.csv {RANGES} -confidence 0.99") == 0
    said, wider = capsys.readouterr().out, read_result()
    assert len(quick) == runs and wider["confidence"] == 0.99 and "99 %: " in said
    growth = np.diff(wider["options"]["stiffness"]["interval"]) / np.diff(options["stiffness"]["interval"])
    # the widths have the ratio of the quantiles of Student's t with 79 degrees of freedom
    assert_allclose(growth, 2.6395 / 1.9905, rtol=1e-3)


def test_report(quick: list[Any], tmp_path: Path) -> None:
    """The page shows values, intervals, correlations and residuals, and pictures of the fit and of the joint region."""
    write_data()
    assert call(f"-output f -data measured.csv {RANGES} -report fit.html") == 0
    page, result = ReadPage(tmp_path / "fit.html"), read_result()
    assert page.verdict == "ok"
    for row in page.tables["Best values"][1:]:
        found = result["options"][row[0]]
        assert_allclose(list(map(float, [row[1], *row[3:5]])), [found["value"], *found["interval"]], rtol=1e-5)
    assert float(page.tables["Correlations"][1][2]) == pytest.approx(
        result["correlations"]["stiffness"]["damping"], rel=1e-5
    )
    assert [row[0] for row in page.tables["Residuals"][1:]] == list(result["deviations"])
    assert len(page.tables["Runs"]) == len(quick) + 1
    assert len(page.pictures) == 2 and min(page.pictures) > 5000


def test_region_of_a_fit() -> None:
    """On the boundary of the joint region for two options, the extreme values of each option are p̂ ± √(bound C_kk).
    The boundary fulfils the equation of the region.
    """
    covariance = np.array([[4e-4, 3e-4, 0.0], [3e-4, 9e-4, 1e-4], [0.0, 1e-4, 1e-4]])
    point, bound = np.array([0.5, 0.4, 0.6]), 6.0
    kept = {"half_widths": np.full(3, 0.05), "correlations": np.eye(3), "covariance": covariance, "bound": bound}
    fit = Fit(point, np.zeros(1), np.ones(1), True, **kept, loose=[], ended="")  # type: ignore[arg-type]
    each = {name: ranges.Range(0.0, 1.0, False, 0.5, "") for name in "abc"}
    panels = draw_regions(each, fit).axes
    assert [(panel.get_xlabel(), panel.get_ylabel()) for panel in panels] == [("a", "b"), ("a", "c"), ("b", "c")]
    for panel, pair in zip(panels, ([0, 1], [0, 2], [1, 2]), strict=True):
        curve = np.array(panel.lines[0].get_data()).T - point[pair]
        part = covariance[np.ix_(pair, pair)]
        assert_allclose(np.einsum("ka,ab,kb->k", curve, np.linalg.inv(part), curve), bound, rtol=1e-9)
        assert_allclose(curve.max(axis=0), np.sqrt(bound * np.diag(part)), rtol=1e-3)


def test_intervals_beyond_the_largest_number() -> None:
    """On a logarithmic scale, ends of wide intervals may exceed the largest number. These ends are infinite."""
    each = ranges.Range(1e4, 1e8, True, 1e4, "N/m")
    assert each.value(0.5) == pytest.approx(1e6) and each.value(90.0) == np.inf and each.value(-90.0) == 0.0
    kept = {"half_widths": np.full(2, 90.0), "correlations": np.eye(2), "covariance": 2e3 * np.eye(2), "bound": 6.0}
    fit = Fit(np.full(2, 0.5), np.zeros(1), np.ones(1), True, **kept, loose=[], ended="")  # type: ignore[arg-type]
    figure = draw_regions({"a": each, "b": each}, fit)
    figure.savefig(BytesIO())


def test_exact_data_give_exact_values(quick: list[Any]) -> None:
    """For data without noise in two columns of a file, the fit finds the exact values within the step tolerance."""
    place, speed = swing(STIFFNESS, DAMPING)
    rows = [f"{t},{p:.15g},{v:.15g}" for t, p, v in zip(TIMES, place, speed, strict=True)]
    Path("measured.csv").write_text("\n".join(["time,place,speed", *rows]))
    assert call(f"-output f -data measured.csv -quiet {RANGES} -tolerance 1e-12") == 0
    found = read_result()["options"]
    assert_allclose([found["stiffness"]["value"], found["damping"]["value"]], [STIFFNESS, DAMPING], rtol=1e-5)


def test_values_that_data_do_not_fix(quick: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    """Without damping, only the ratio of stiffness and mass determines the zeros of the motion, and the fit reports
    that neither stiffness nor mass is determined. The initial position and velocity are known.
    """
    place = swing(STIFFNESS, 0.0)[0]
    rows = [f"{t},{p + e:.12g}" for t, p, e in zip(TIMES, place, np.resize([1e-4, -1e-4], TIMES.size), strict=True)]
    Path("measured.csv").write_text("\n".join(["time,place", *rows]))
    assert call("-output f -data measured.csv -stiffness 100:400 -mass 1:4", "-fixed", "-damping 0") == 0
    said = capsys.readouterr().out
    assert "not fixed by the data: -stiffness and -mass, only a combination of them" in said
    result = read_result()
    assert result["not_fixed"] == [["stiffness", "mass"]] and result["joint_region"] is None
    assert result["options"]["mass"]["interval"] is None
    ratio = result["options"]["stiffness"]["value"] / result["options"]["mass"]["value"]
    assert_allclose(ratio, STIFFNESS / MASS, rtol=1e-3)


def test_a_model_that_misses_something(quick: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    """The measured values contain a drift that the model does not describe. Therefore neighbouring residuals are
    correlated, and the summary reports this correlation.
    """
    values = swing(STIFFNESS, DAMPING)[0] + 5e-3 * TIMES
    rows = [f"{t},{value:.12g}" for t, value in zip(TIMES, values, strict=True)]
    Path("measured.csv").write_text("\n".join(["time,place", *rows]))
    assert call(f"-output f -data measured.csv {RANGES}", "-deviation", "place=1e-4") == 0
    said = capsys.readouterr().out
    assert "neighbours are correlated" in said and "times the given deviation" in said


def test_failed_runs_ends_and_continuing(quick: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    """Failed runs, a solution outside of the allowed range, and a search that ends at its maximum number of runs are
    reported.

    A search that has ended at this number can be continued.
    """
    write_data()
    assert call("-output f -data measured.csv -stiffness 50:180 -damping 0.1:10:log") == 0
    assert "-stiffness 180 N/m" in (said := capsys.readouterr().out) and "(end of its range)" in said
    assert call(f"-output g -data measured.csv {RANGES} -runs 4") == 0
    assert "ended after 4 runs, the maximum" in capsys.readouterr().out
    before = len(quick)
    assert call(f"-output g -data measured.csv {RANGES}") == 0
    assert "converged" in capsys.readouterr().out
    assert call(f"-output h -data measured.csv {RANGES}") == 0
    one, two = read_result("g"), read_result("h")
    assert one["options"] == two["options"] and len(quick) - before < 2 * len(quick)
    assert call("-output i -data measured.csv -stiffness 485:500") == 2
    assert "the first run has no result" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("-data measured.csv -mass 1:2", "-output is not given"),
        ("-output f -mass 1:2", "-data is not given"),
        ("-output f -data nothing.csv -mass 1:2", "cannot be read"),
        ("-output f -data short.csv -mass 1:2", "at least one other column and two rows"),
        ("-output f -data measured.csv", "nothing varies"),
        ("-output f -data measured.csv -mass 2:1", "must be less"),
        ("-output f -data measured.csv -mass 1:2 -deviation place", "must be COLUMN=NUMBER"),
        ("-output f -data measured.csv -mass 1:2 -deviation place=0", "with a number > 0"),
        ("-output f -data measured.csv -mass 1:2 -deviation height=1", "must be one of the columns place"),
        (
            "-output f -data unknown.csv -mass 1:2",
            "column 'height': no table contains it; must be the name of one sensor",
        ),
        (
            "-output f -data late.csv -mass 1:2",
            "from 0 to 3 s: must lie within the run, whose table out/place.csv has times from 0 to 2 s",
        ),
    ],
)  # fmt: skip
def test_wrong_command_lines(quick: list[Any], words: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    write_data()
    Path("short.csv").write_text("time,place\n0,1\n")
    Path("unknown.csv").write_text("time,height\n0,1\n1,2\n")
    Path("late.csv").write_text("time,place\n0,1\n3,2\n")
    assert call(words) == 2
    assert message in capsys.readouterr().err


def test_files_of_users_stay(quick: list[Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_data()
    for name in ("fit.csv", "fit.json", "fit.png", "identify.csv", "identify.json"):
        folder = tmp_path / name.replace(".", "_")
        folder.mkdir()
        (folder / name).write_text("my own notes\n")
        assert call(f"-output {folder.name} -data measured.csv {RANGES}") == 2
        assert name in capsys.readouterr().err and (folder / name).read_text() == "my own notes\n"
    assert not quick


def fit(residuals: Callable[[Point], FloatArray], measured: FloatArray, columns: Any, deviations: Any) -> Fit:
    """Return the result of a fit of two parameters."""

    def run(points: Sequence[Point]) -> list[FloatArray | None]:
        return [residuals(point) for point in points]

    settings = {"runs": 500, "step": 1e-4, "tolerance": 1e-8}
    found = BoxFit(run, measured, np.array(columns), np.array(deviations), **settings).fit((0.4, 0.4))
    assert found is not None
    return found


@pytest.mark.parametrize("known", [True, False])
def test_intervals_hold_as_often_as_stated(known: bool) -> None:
    """In 200 fits of two columns with different noise, 95 % of the 95 % intervals contain the known value, and 95 % of
    the joint regions contain the known values of both parameters.

    The number of intervals, or regions, that contain known values has a binomial distribution with the mean 190 and the
    standard deviation 3.1. The bounds of the test are three standard deviations from the mean.
    """
    times, deviations = np.linspace(0.0, 2.0, 30), np.array([2e-3, 5e-2])
    columns = np.repeat([0, 1], len(times))
    random = np.random.default_rng(20261128)

    def model(point: Point) -> FloatArray:
        return np.concatenate(swing(100.0 + 200.0 * point[0], 0.5 + 3.0 * point[1], times=times))

    exact = np.array([0.5, 1.0 / 3.0])
    inside = np.zeros(3)
    for _ in range(200):
        measured = model(tuple(exact)) + random.normal(0.0, 1.0, len(columns)) * deviations[columns]
        given = deviations if known else np.full(2, np.nan)
        found = fit(lambda point, m=measured: model(point) - m, measured, columns, given)
        error = found.point - exact
        inside[:2] += np.abs(error) < found.half_widths
        inside[2] += error @ np.linalg.solve(found.covariance, error) < found.bound
    assert ((inside >= 181) & (inside <= 199)).all(), inside


def test_confidence() -> None:
    """For a different confidence, the sizes of intervals and regions follow from the quantiles of Student's and
    Fisher's distributions.
    """
    times = np.linspace(0.0, 2.0, 60)
    measured = swing(200.0, 1.5, times=times)[0] + np.random.default_rng(3).normal(0.0, 1e-3, times.size)

    def run(points: Sequence[Point]) -> list[FloatArray | None]:
        return [swing(100.0 + 200.0 * x, 0.5 + 3.0 * y, times=times)[0] - measured for x, y in points]

    settings = {"runs": 500, "step": 1e-4, "tolerance": 1e-8}
    found = []
    for level in (0.95, 0.99):
        box = BoxFit(run, measured, np.zeros(60, int), np.array([np.nan]), confidence=level, **settings)
        found.append(box.fit((0.4, 0.4)))
        assert found[-1] is not None
        assert_allclose(found[-1].bound, 2.0 * stats.f.ppf(level, 2, 58))
        spread = np.sqrt(np.diag(found[-1].covariance))
        assert_allclose(found[-1].half_widths, stats.t.ppf(0.5 + 0.5 * level, 58) * spread)
    assert_allclose(found[0].point, found[1].point)


def test_noisy_results_do_not_end_a_fit_early() -> None:
    """The results of a model with contacts can have small errors that differ between runs. A step of the fit may then
    increase the sum of squares. The fits nevertheless end near the solutions without these errors.

    Distances are measured in units of the covariance. The mean distance is 0.25, and the largest distance is 0.8. If
    fits ended at points where these errors make the sum of squares small, the distances would be 0.5 and 4.7. The
    remaining distances are due to errors of 10 % of the standard deviation of the measured values.
    """
    t = np.linspace(0.0, 1.0, 60)

    def smooth(p: Sequence[float]) -> FloatArray:
        return np.asarray(10.0 * np.exp(-2.0 * p[0] * t) * np.cos((4.0 + 4.0 * p[1]) * t))

    def noisy(p: Point) -> FloatArray:
        wave = np.cumsum(np.random.default_rng([round(x * 1e9) for x in p]).standard_normal(len(t)))
        return smooth(p) + 0.02 * wave / np.sqrt(np.mean(wave**2))

    distances = []
    for seed in range(60):
        measured = smooth((0.45, 0.55)) + np.random.default_rng(seed).normal(0.0, 0.2, len(t))
        found = BoxFit(
            lambda points, m=measured: [noisy(point) - m for point in points], measured, np.zeros(len(t), int),
            np.array([np.nan]), runs=60, step=0.02, tolerance=1e-3,
        ).fit((0.5, 0.6))  # fmt: skip
        best = least_squares(lambda p, m=measured: smooth(p) - m, (0.45, 0.55), xtol=1e-14, ftol=1e-14, gtol=1e-14)
        assert found is not None
        distances.append(float(np.sum((best.jac @ (found.point - best.x)) ** 2)) / 0.2**2)
    assert np.mean(distances) < 0.35 and max(distances) < 2.0


def test_noisy_results_do_not_prolong_a_fit() -> None:
    """The results of a model jump between close parameters by a tenth of the noise of the data. The fit needs at most
    six Gauss-Newton steps, and the joint confidence region contains the known values.
    """
    times = np.linspace(0.0, 2.0, 60)
    random = np.random.default_rng(7)
    measured = swing(200.0, 1.5, times=times)[0] + random.normal(0.0, 1e-3, times.size)
    points: list[Point] = []

    def run(given: Sequence[Point]) -> list[FloatArray | None]:
        points.extend(given)
        jumps = [np.random.default_rng(abs(hash(point))).normal(0.0, 1e-4, times.size) for point in given]
        exact = [swing(100.0 + 200.0 * x, 0.5 + 3.0 * y, times=times)[0] for x, y in given]
        return [place + jump - measured for place, jump in zip(exact, jumps, strict=True)]

    settings = {"runs": 500, "step": 0.02, "tolerance": 1e-4}
    found = BoxFit(run, measured, np.zeros(60, int), np.array([np.nan]), **settings).fit((0.3, 0.6))
    assert found is not None and found.ended == "converged" and len(points) <= 3 * 6 + 4
    error = found.point - np.array([0.5, 1.0 / 3.0])
    assert error @ np.linalg.solve(found.covariance, error) < found.bound


MODEL = """\
import windlass as wl
from windlass import connectors as con
from windlass.elements import Ground, MassPoint

stiffness = wl.option("stiffness", 190.0, "N/m", "stiffness of the spring", minimum=1.0)
world = wl.World()
point = world.add(MassPoint, position=(0.0, 0.0, 0.0), velocity=(1.0, 0.0, 0.0), mass=2.0)
ends = [con.position_marker(world, end) for end in (world.add(Ground), point)]
world.add(con.CartesianSpringDamper, marker0=ends[0], marker1=ends[1], stiffness=(stiffness,) * 3)
sensors = wl.Sensors("swing.csv", [wl.Sensor(point, "displacement", component=0, name="place")])
wl.Dynamic(world, step=0.01, end=0.5).solve(hooks=[sensors])
"""


def test_a_model_in_processes(tmp_path: Path) -> None:
    """A few runs in separate processes estimate the stiffness of an oscillating mass from its exact motion. The
    error of the stiffness is due to the time steps.
    """
    (tmp_path / "model.py").write_text(MODEL)
    times = np.linspace(0.0, 0.5, 26)
    rows = [f"{t},{place:.12g}" for t, place in zip(times, swing(STIFFNESS, 0.0, times=times)[0], strict=True)]
    (tmp_path / "measured.csv").write_text("\n".join(["time,place", *rows]))
    words = "identify model.py -output f -data measured.csv -stiffness 180:220 -runs 6 -deviation place=1e-3"
    done = run_windlass(words.split(), folder=tmp_path)
    assert done.returncode == 0, done.stderr
    result = json.loads((tmp_path / "f" / "fit.json").read_text())
    # steps of 0.01 s lower the frequency by the fraction (pulse * step)²/12 = 0.4 %, and change the fitted stiffness by
    # twice this fraction
    assert_allclose(result["options"]["stiffness"]["value"], STIFFNESS, rtol=0.02)
