"""Tests of `windlass optimise`: searches for known minima, limits, failed runs, continued searches, and wrong command
lines.
"""

from __future__ import annotations

import csv
import json
import math
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass.commands import cli
from windlass.commands.studies import kept_runs, ranges
from windlass.commands.studies.model_options import ModelOptions
from windlass.commands.studies.search import METHODS, TAO, BoxSearch, Point, SearchResult
from windlass.commands.studies.search import NLOPT as NLOPT_METHODS
from windlass.framework.launch.arguments import Option

from support.pages import ReadPage
from support.processes import run_windlass

MODEL = """\
import windlass as wl
from windlass import connectors as con
from windlass.elements import Ground, MassPoint

stiffness = wl.option("stiffness", 100.0, "N/m", "stiffness of the spring", minimum=1.0)
count = wl.option("count", 3, "1", "a whole number")
world = wl.World(gravity=(0.0, -9.81))
point = world.add(MassPoint, position=(0.0, 0.0, 0.0), mass=2.0)
ends = [con.position_marker(world, end) for end in (world.add(Ground), point)]
world.add(con.CartesianSpringDamper, marker0=ends[0], marker1=ends[1], stiffness=(stiffness,) * 3)
state = wl.Static(world).solve()
if not wl.help_requested():
    sag = -wl.eval_output(point, "displacement", state)[1]
    wl.write_summary({"sag": sag, "error": (sag - 0.1) ** 2, "word": "none"})
"""
NLOPT = "needs the extra nlopt: pip install 'windlass[nlopt]'"
LIMITED = "sag<=0.05,load>=12"


def require(method: str) -> None:
    """Skip a test of a method of NLopt if NLopt is not installed."""
    if method in NLOPT_METHODS:
        pytest.importorskip("nlopt", reason=NLOPT)


@pytest.fixture
def quick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, float]]:
    """Replace the model program by a function in this process, with the cost (k/100 - 2)² + (m - 3/2)², the sag m g/k
    and the load m g. Runs with k > 480 N/m fail.
    """
    done: list[dict[str, float]] = []
    (tmp_path / "model.py").write_text("")

    def run_case(folder: Path, words: Sequence[str], limit: float | None) -> str:
        given = dict(zip(words[1::2], map(float, words[2::2]), strict=True))
        k, m = given["-stiffness"], given["-mass"]
        done.append(given)
        reason = "the spring breaks" if k > 480.0 else ""
        cost = (0.01 * k - 2.0) ** 2 + (m - 1.5) ** 2
        (folder / "summary.json").write_text(json.dumps({"cost": cost, "sag": 9.81 * m / k, "load": 9.81 * m}))
        (folder / "outcome.json").write_text(json.dumps({"reason": reason, "wall_time": 0.0}))
        return reason

    options = {
        "stiffness": Option("stiffness", 100.0, "N/m", "k", minimum=1.0),
        "mass": Option("mass", 2.0, "kg", "m", minimum=0.0),
        "count": Option("count", 3, "1", "n"),
    }
    monkeypatch.setattr(kept_runs, "run_case", run_case)
    monkeypatch.setattr(ranges, "ask_model", lambda *_: ModelOptions(options, ()))
    monkeypatch.chdir(tmp_path)
    return done


def read_table(folder: Path) -> list[dict[str, str]]:
    with (folder / "optimise.csv").open() as file:
        return list(csv.DictReader(file))


def call(words: str, *more: str) -> int:
    return cli.main(["optimise", "model.py", *words.split(), *more])


def test_the_least_cost_within_limits(quick: list[Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The search finds the optimum, at which both limits are active: m = 12/g and k = m g/0.05 by closed form."""
    assert call("-output o -minimise cost -stiffness 50:500 -mass 0.5:3 -within", LIMITED) == 0
    said = capsys.readouterr().out
    assert "smallest cost = 0.236" in said and "-stiffness 240 N/m" in said and "-mass 1.223" in said
    assert said.count("(at its limit)") == 2 and "converged" in said
    rows = read_table(tmp_path / "o")
    assert len(rows) == len(quick) <= 30
    assert float(rows[0]["stiffness"]) == 100.0 and float(rows[0]["mass"]) == 2.0
    assert (tmp_path / "o" / "optimise.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("method", METHODS)
def test_all_methods_find_the_least_cost(quick: list[Any], method: str, capsys: pytest.CaptureFixture[str]) -> None:
    require(method)
    assert call(f"-output o -minimise cost -stiffness 50:500:log -mass 0.5:3 -method {method} -runs 2000") == 0
    best = min(quick, key=lambda given: (given["-stiffness"] / 100 - 2) ** 2 + (given["-mass"] - 1.5) ** 2)
    assert_allclose([best["-stiffness"], best["-mass"]], [200.0, 1.5], rtol=0.02)
    assert "smallest cost" in capsys.readouterr().out


def test_the_gradient_needs_far_fewer_runs_than_evolution(quick: list[Any]) -> None:
    counts = []
    for method in ("gradient", "evolution"):
        quick.clear()
        words = f"-output {method} -minimise cost -stiffness 50:470 -mass 0.5:3 -method {method} -runs 5000 -quiet"
        assert call(words) == 0
        least = [(given["-stiffness"] / 100 - 2) ** 2 + (given["-mass"] - 1.5) ** 2 for given in quick]
        # number of runs until the cost is within 1e-4 of the minimum
        counts.append(int(np.argmax(np.array(least) < 1e-4)) + 1)
    assert 8 * counts[0] < counts[1] and counts[0] <= 15


def test_maximise_ends_of_ranges_and_failed_runs(quick: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    """The load grows with the mass, so the maximum is at an end of the range, and some runs of the search fail."""
    assert call("-output o -maximise load -stiffness 400:500 -mass 0.5:3 -method simplex -runs 200") == 0
    said = capsys.readouterr().out
    assert "largest load = 29.43" in said and "-mass 3 kg (end of its range)" in said


def test_report(quick: list[Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The page shows the best values, the results with limits, the picture, all runs and the command."""
    words = "-output best -minimise cost -stiffness 50:450 -mass 1:3 -report pages.html"
    assert call(words, "-within", LIMITED) == 0
    assert "pages.html" in capsys.readouterr().out
    page = ReadPage(tmp_path / "pages.html")
    assert page.titles == ["Summary", "Best values", "Results of the best run", "Pictures", "Runs", "Definition",
                           "How to repeat it"]  # fmt: skip
    assert page.verdict == "ok"
    runs = read_table(tmp_path / "best")
    best = {row[0]: float(row[1]) for row in page.tables["Best values"][1:]}
    results = {row[0]: float(row[1]) for row in page.tables["Results of the best run"][1:]}
    assert list(best) == ["stiffness", "mass"] and list(results) == ["cost", "sag", "load"]
    inside = [run for run in runs if float(run["sag"]) <= 0.05 * (1 + 1e-9) and float(run["load"]) >= 12.0 * (1 - 1e-9)]
    least = min(inside, key=lambda run: float(run["cost"]))
    for name, value in (best | results).items():
        assert_allclose(value, float(least[name]), rtol=1e-5)
    assert [row[0] for row in page.tables["Runs"][1:]] == [row["case"] for row in runs]
    assert [size > 5000 for size in page.pictures] == [True]
    assert f"windlass optimise model.py {words} -within '{LIMITED}'" in page.text
    # the page of an earlier run is replaced, and other files are kept
    assert call(words, "-within", LIMITED) == 0
    (tmp_path / "notes.html").write_text("my notes")
    assert call(words.replace("pages", "notes"), "-within", LIMITED) == 2
    assert (tmp_path / "notes.html").read_text() == "my notes"


def test_no_run_within_limits(quick: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    assert call("-output o -minimise cost -stiffness 50:400 -mass 0.5:3 -within", "load>=100") == 2
    assert "no run within the limits load >= 100" in capsys.readouterr().out


def test_runs_are_spent_and_continued(quick: list[Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """If a search is continued with a larger number of runs, the earlier runs are read, and the result equals an
    uninterrupted search.
    """
    words = "-output o -minimise cost -stiffness 50:500 -mass 0.5:3"
    assert call(f"{words} -runs 4") == 0
    assert "ended after 4 runs, the maximum" in capsys.readouterr().out and len(quick) == 4
    # the outcome of one case is removed, as if the search had been killed within this case
    (tmp_path / "o" / "cases" / "0004" / "outcome.json").unlink()
    assert call(words) == 0
    later = read_table(tmp_path / "o")
    assert "converged" in capsys.readouterr().out and len(quick) == len(later) + 1
    assert call("-output other -minimise cost -stiffness 50:500 -mass 0.5:3") == 0
    for one, two in zip(later, read_table(tmp_path / "other"), strict=True):
        assert (one["stiffness"], one["mass"], one["cost"]) == (two["stiffness"], two["mass"], two["cost"])


def test_parameters_have_declared_ranges(
    quick: list[Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Parameters of the model vary within their ranges, unless the command line gives a value or another range."""
    options = {
        "stiffness": Option("stiffness", 100.0, "N/m", "k", 50.0, 450.0, None, "log"),
        "mass": Option("mass", 2.0, "kg", "m", 0.5, 3.0, None, "linear"),
    }
    monkeypatch.setattr(ranges, "ask_model", lambda *_: ModelOptions(options, ()))
    assert call("-output o -minimise cost") == 0
    said = capsys.readouterr().out
    assert quick[0] == {"-stiffness": 100.0, "-mass": 2.0} and "N/m" in said
    best = min(quick, key=lambda given: (0.01 * given["-stiffness"] - 2.0) ** 2 + (given["-mass"] - 1.5) ** 2)
    assert_allclose([best["-stiffness"], best["-mass"]], [200.0, 1.5], rtol=0.01)
    found = ranges.read_ranges(Path("model.py"), {"stiffness": "60:70"}, ("mass",), ())
    assert list(found) == ["stiffness"] and (found["stiffness"].low, found["stiffness"].ratios) == (60.0, True)
    found = ranges.read_ranges(Path("model.py"), {}, (), ())
    assert (found["mass"].low, found["mass"].high, found["mass"].start, found["mass"].unit) == (0.5, 3.0, 2.0, "kg")
    with pytest.raises(wl.OptionError, match=r"-mass = 0\.1: expected a number >= 0\.5 and <= 3 \[kg\]"):
        ranges.read_ranges(Path("model.py"), {"mass": "0.1:1"}, (), ())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("-minimise cost -mass 1:2", "-output is not given"),
        ("-output o -mass 1:2", "-minimise RESULT or -maximise RESULT: exactly one of them must be given"),
        ("-output o -minimise a -maximise b -mass 1:2", "exactly one of them must be given"),
        ("-output o -minimise cost", "nothing varies"),
        ("-output o -minimise cost -mass 1:2 -report a.pdf", "-report a.pdf: must be a file .html or .htm"),
        ("-output o -minimise cost -mass 1,2", "-mass 1,2: must be a range a:b or a:b:log"),
        ("-output o -minimise cost -mass 1:2:5", "-mass 1:2:5: must be a range"),
        ("-output o -minimise cost -mass 2:1", "the first number must be less than the second one"),
        ("-output o -minimise cost -mass 0:1:log", "both ends of a range with equal ratios must be > 0"),
        ("-output o -minimise cost -mass -1:1", "mass"),
        ("-output o -minimise cost -count 1:5", "must be an option that allows any number, but this is a whole number"),
        ("-output o -minimise cost -mass 1:2 -within load=3", "-within load=3: must be RESULT<=NUMBER"),
        ("-output o -minimise cost -mass 1:2 -within load<=nan", "must be RESULT<=NUMBER"),
        ("-output o -minimise cost -mass 1:2 -within load<=inf", "must be RESULT<=NUMBER"),
        ("-output o -minimise costs -mass 1:2 -stiffness 100:200", "no result 'costs': must be one of cost, sag, load"),
        (
            "-output o -minimise cost -mass 1:2 -method newton",
            "-method = newton: expected one of gradient, simplex, evolution",
        ),
        (
            "-output o -minimise cost -mass 1:2 -summary s.json",
            "-summary: the search sets this option for each of its runs",
        ),
        (
            "-output o -minimise cost -mass 1:2 -method tao -within load>=1",
            "-within load>=1 with -method tao: this method has no limits: use gradient or mma",
        ),
        ("-output o -minimise cost -mass 1:2 -fixed -mass", "-mass"),
        ("-output o -minimise cost -mass 1:2 -runs 0", "runs"),
    ],
)
def test_wrong_command_lines(quick: list[Any], words: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(words) == 2
    assert message in capsys.readouterr().err


def test_folders_of_others_are_kept(quick: list[Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = "-output o -minimise cost -stiffness 50:500 -mass 0.5:3 -runs 4"
    assert call(words) == 0
    assert call(f"{words} -step 1e-4") == 2
    assert "contains another search, which differs in step" in capsys.readouterr().err
    table = tmp_path / "o" / "optimise.csv"
    table.write_text("my own notes\n")
    assert call(words) == 2
    assert "optimise.csv" in capsys.readouterr().err and table.read_text() == "my own notes\n"
    (tmp_path / "notes" / "cases" / "mine").mkdir(parents=True)
    assert call(words.replace("-output o", "-output notes")) == 2
    assert "contains no search" in capsys.readouterr().err


@pytest.mark.parametrize("content", ["my own notes\n", "[1, 2]", '{"mine": 1}'])
def test_a_file_of_the_name_of_the_definition_is_kept(
    quick: list[Any], content: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "o").mkdir()
    mine = tmp_path / "o" / "optimise.json"
    mine.write_text(content)
    assert call("-output o -minimise cost -stiffness 50:500 -mass 0.5:3 -runs 4") == 2
    assert "its file optimise.json is not a file of a search" in capsys.readouterr().err
    assert mine.read_text() == content and not quick


def test_damaged_cases_are_run_again(quick: list[Any], tmp_path: Path) -> None:
    words = "-output o -minimise cost -stiffness 50:500 -mass 0.5:3 -runs 3"
    assert call(words) == 0
    (tmp_path / "o" / "cases" / "0002" / "case.json").write_text('{"stiffness": [1], "mass": 2}')
    assert call(words) == 0 and len(quick) == 4


def search(
    function: Callable[[Point], SearchResult], start: Point, method: str = "gradient", runs: int = 4000
) -> BoxSearch:
    """Return the result of a search for the minimum of a function."""
    found = BoxSearch(lambda points: [function(point) for point in points], runs, 1e-6, 1e-12, 0)
    found.minimise(start, method)
    return found


@pytest.mark.parametrize("method", ["gradient", *NLOPT_METHODS, *TAO])
def test_a_bowl_at_the_edge(method: str) -> None:
    """The minimum of a quadratic function in the box of 0 to 1 is at (7/20, 1), on an edge of the box. All methods with
    derivatives find this minimum in less than 60 runs, although the steps of the difference quotients are large.
    """
    require(method)

    def bowl(point: Point) -> SearchResult:
        x, y = point[0] - 0.3, point[1] - 1.2
        return SearchResult(5.0 + x**2 + 2.0 * y**2 + 0.5 * x * y, ())

    found = BoxSearch(lambda points: [bowl(point) for point in points], 60, 1e-3, 1e-5, 0)
    assert "60 runs" not in found.minimise((0.8, 0.2), method)
    assert found.best is not None
    assert_allclose(found.best, (0.35, 1.0), atol=1e-3)


@pytest.mark.parametrize("method", [method for method in METHODS if method not in ("mma", "ccsaq")])
def test_a_curved_valley(method: str) -> None:
    """The search finds the minimum (1, 1) of Rosenbrock's function in the box of -2 to 2."""
    require(method)

    def valley(point: Point) -> SearchResult:
        x, y = (4.0 * share - 2.0 for share in point)
        return SearchResult(1.0 + 100.0 * (y - x * x) ** 2 + (1.0 - x) ** 2, ())

    best = search(valley, (0.2, 0.75), method).best
    assert best is not None
    assert_allclose(best, (0.75, 0.75), atol=5e-3)


@pytest.mark.parametrize("method", ["gradient", "mma", "ccsaq", "slsqp"])
def test_a_linear_objective_with_curved_limits(method: str) -> None:
    """The smallest x with x y >= 1/8 and y <= 1/2 is at (1/4, 1/2).

    The search finds the point (1/4, 1/2) from inside the limits in few runs.
    """
    require(method)

    def corner(point: Point) -> SearchResult:
        x, y = point
        return SearchResult(800.0 * x, (x * y - 0.125, 0.5 - y))

    found = search(corner, (0.8, 0.3), method)
    assert found.best is not None and len(found.found) < (40 if method == "gradient" else 400)
    assert_allclose(found.best, (0.25, 0.5), atol=1e-4)


@pytest.mark.parametrize("method", [*NLOPT_METHODS, *TAO])
def test_other_libraries_end_with_the_runs(method: str) -> None:
    """Searches of NLopt, TAO and SciPy end at the largest number of runs."""
    require(method)
    found = BoxSearch(lambda points: [SearchResult((p[0] - 0.4) ** 2, ()) for p in points], 5, 1e-6, 1e-12, 0)
    assert found.minimise((0.9, 0.9), method) == "ended after 5 runs, the maximum"
    assert len(found.found) == 5


def test_a_step_downhill_into_failed_runs() -> None:
    """The objective decreases towards a region in which runs fail. The search finds the best run next to this
    region.
    """

    def cliff(point: Point) -> SearchResult:
        return SearchResult(math.nan if point[0] > 0.6 else 1.0 - point[0], ())

    best = search(cliff, (0.3,), "simplex").best
    assert best is not None and 0.59 < best[0] <= 0.6


def test_the_first_run_fails() -> None:
    found = BoxSearch(lambda points: [SearchResult(math.nan, ()) for _ in points], 10, 1e-3, 1e-6, 0)
    assert "the first run has no result" in found.minimise((0.5,), "gradient") and found.best is None


def test_a_model_of_windlass(tmp_path: Path) -> None:
    """A model of Windlass with its own options and results is optimised in separate processes."""
    (tmp_path / "spring.py").write_text(MODEL)
    words = ["optimise", "spring.py", "-output", "o", "-minimise", "error", "-stiffness", "100:300", "-runs", "2"]
    done = run_windlass(words, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "ended after 2 runs, the maximum" in done.stdout and "-stiffness 100.2 N/m" in done.stdout
    rows = read_table(tmp_path / "o")
    assert_allclose(
        [float(row["sag"]) for row in rows], [2.0 * 9.81 / float(row["stiffness"]) for row in rows], rtol=1e-9
    )


class FakeNLopt:
    """The part of NLopt that a search uses. Like NLopt, this object raises `ForcedStop` if the objective raises an
    error.
    """

    class ForcedStop(Exception):
        pass

    class RoundoffLimited(Exception):
        pass

    LD_SLSQP = 0

    def opt(self, _method: int, count: int) -> Any:
        found, stopped = [lambda x, slopes: 0.0], list[bool]()

        def optimize(x: Any) -> None:
            try:
                while not stopped:
                    found[0](x, np.zeros(count))
                    x = 0.9 * x
            except Exception:  # NLopt does not raise the error again
                pass
            raise self.ForcedStop

        def nothing(*_: Any) -> None: ...

        return SimpleNamespace(
            set_min_objective=lambda function: found.__setitem__(0, function), set_lower_bounds=nothing,
            set_upper_bounds=nothing, set_ftol_abs=nothing, optimize=optimize, force_stop=lambda: stopped.append(True),
        )  # fmt: skip


@pytest.mark.parametrize("error", [OSError("the disk is full"), KeyboardInterrupt()])
def test_errors_of_runs_in_nlopt(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error that is not a failed run ends the search of NLopt and is raised again."""
    monkeypatch.setitem(sys.modules, "nlopt", FakeNLopt())
    done: list[Point] = []

    def run(points: Sequence[Point]) -> list[SearchResult]:
        done.extend(points)
        if len(done) > 5:
            raise error
        return [SearchResult(sum(x**2 for x in point), ()) for point in points]

    with pytest.raises(type(error)):
        BoxSearch(run, 100, 1e-3, 1e-6, 1).minimise((0.5, 0.5), "slsqp")
