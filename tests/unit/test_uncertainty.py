"""Tests of `windlass uncertainty`: the spread by each method agrees with closed forms. Further tests concern failed
runs, continued studies, and wrong command lines.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from windlass.commands import cli
from windlass.commands.studies import distributions, kept_runs
from windlass.commands.studies.distributions import Distribution
from windlass.commands.studies.model_options import ModelOptions
from windlass.commands.studies.propagation import points_of_sobol, sobol, to_values
from windlass.framework.launch.arguments import Option

LAWS = "-stiffness normal:200:10 -mass uniform:1.9:2.1"
MASS_DEVIATION = 0.2 / np.sqrt(12.0)


@pytest.fixture
def quick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, float]]:
    """Replace the model program by a function in this process, with the sum k/10 + 100 m, the sag m g/k and the square
    (k - 200)². Runs with k > 230 N/m fail.
    """
    done: list[dict[str, float]] = []
    (tmp_path / "model.py").write_text("")

    def run_case(folder: Path, words: Sequence[str], limit: float | None) -> str:
        given = dict(zip((word[1:] for word in words[1::2]), map(float, words[2::2]), strict=True))
        done.append(given)
        k, m = given.get("stiffness", 200.0), given.get("mass", 2.0)
        reason = "the spring breaks" if k > 230.0 else ""
        results = {"sum": 0.1 * k + 100.0 * m, "sag": 9.81 * m / k, "square": (k - 200.0) ** 2, "word": "none"}
        (folder / "summary.json").write_text(json.dumps({**results, "constant": 3.0}))
        (folder / "outcome.json").write_text(json.dumps({"reason": reason, "wall_time": 0.0}))
        return reason

    options = {
        "stiffness": Option("stiffness", 200.0, "N/m", "k", minimum=1.0),
        "mass": Option("mass", 2.0, "kg", "m", minimum=0.0),
        "count": Option("count", 3, "1", "n"),
    }
    monkeypatch.setattr(kept_runs, "run_case", run_case)
    monkeypatch.setattr(distributions, "ask_model", lambda *_: ModelOptions(options, ()))
    monkeypatch.chdir(tmp_path)
    return done


def call(words: str, *more: str) -> int:
    return cli.main(["uncertainty", "model.py", *words.split(), *more])


def read_results(folder: str = "o") -> dict[str, Any]:
    return dict(json.loads((Path(folder) / "spread.json").read_text())["results"])


def test_first_order(quick: list[Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The first-order spread of a sum is exact. The first-order spread of a ratio has an error of some per cent. A
    square has no first-order term, so a note is given.
    """
    assert call(f"-output o {LAWS}") == 0
    said, results = capsys.readouterr().out, read_results()
    assert len(quick) == 5 and "5 runs, 0 failed" in said
    variances = np.array([1.0, (100.0 * MASS_DEVIATION) ** 2])
    assert_allclose(results["sum"]["deviation"], np.sqrt(variances.sum()), rtol=1e-9)
    assert_allclose(list(results["sum"]["influence"].values()), variances / variances.sum(), rtol=1e-9)
    sag = 9.81 * 2.0 / 200.0
    assert_allclose(results["sag"]["deviation"], sag * np.hypot(0.05, MASS_DEVIATION / 2.0), rtol=5e-3)
    assert "square: 0, deviation 0" in said and "constant: 3, deviation 0: no option matters" in said
    assert "not linear: the second-order term of -stiffness" in said.split("square")[1]
    assert "not linear" not in said.split("sag")[1].split("square")[0]
    assert (tmp_path / "o" / "spread.png").read_bytes().startswith(b"\x89PNG")


def test_sample(quick: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    """Mean and deviation of a sum and quantiles of a square of a normal variable agree with closed forms. Few runs
    fail.
    """
    assert call(f"-output o {LAWS} -method sample -runs 400 -results sum,square") == 0
    said, results = capsys.readouterr().out, read_results()
    assert list(results) == ["sum", "square"]
    assert "runs that failed are not in these numbers" in said
    # the mean of a sum over a Latin hypercube would be exact if no run with k > 230 N/m failed
    assert_allclose(results["sum"]["mean"], 220.0, atol=0.05)
    assert_allclose(results["sum"]["deviation"], np.hypot(1.0, 100.0 * MASS_DEVIATION), rtol=0.05)
    assert_allclose(results["square"]["quantiles"]["0.95"], 196.0**2 / 100.0, rtol=0.1)
    assert results["square"]["influence"]["mass"] < 0.05


def test_indices_of_sobol() -> None:
    """Sobol's indices of Ishigami's function agree with closed forms (T. Ishigami, T. Homma, ISUMA (1990) 398-403)."""
    laws = {name: Distribution("", "uniform", (-np.pi, np.pi), "1") for name in "abc"}
    count = 4096
    points = points_of_sobol(laws, count, 1)
    x, y, z = points.T
    values = np.sin(x) + 7.0 * np.sin(y) ** 2 + 0.1 * z**4 * np.sin(x)
    spread = sobol(values, count, 3, 1)
    one = 0.5 * (1.0 + 0.1 * np.pi**4 / 5.0) ** 2
    two, three = 49.0 / 8.0, 0.01 * np.pi**8 * 8.0 / 225.0
    whole = one + two + three
    assert_allclose(spread.deviation**2, whole, rtol=0.02)
    assert_allclose(spread.shares, [one / whole, two / whole, 0.0], atol=0.02)
    assert_allclose(spread.totals, [(one + three) / whole, two / whole, three / whole], atol=0.02)
    assert (np.array(spread.widths) < 0.05).all()


def test_indices_are_those_of_salib() -> None:
    """Indices of Ishigami's function agree with SALib 1.5.1 (method sobol, with pandas 2.3.3) at the same
    points. First indices differ slightly, because SALib subtracts the mean of all results.
    """
    a, b = np.pi * (2.0 * np.random.default_rng(5).random((2, 1024, 3)) - 1.0)
    x, y, z = np.concatenate([a, b, *(np.where(np.arange(3) == k, b, a) for k in range(3))]).T
    spread = sobol(np.sin(x) + 7.0 * np.sin(y) ** 2 + 0.1 * z**4 * np.sin(x), 1024, 3, 1)
    assert_allclose(spread.shares, [0.23612669755500929, 0.4354422042906546, -0.03706108045371021], atol=1e-3)
    assert_allclose(spread.totals, [0.5242701539127916, 0.47153972906766045, 0.2179473435715309], rtol=1e-12)


def test_sobol_by_command(quick: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    """A sum has equal first-order and total indices. If a run fails, no indices are given."""
    words = "-stiffness normal:200:5 -mass normal:2:0.01 -method sobol -runs 256 -results sum,constant"
    assert call(f"-output o {words}") == 0
    sums = read_results()["sum"]
    assert_allclose(list(sums["total_indices"].values()), [0.25 / 1.25, 1.0 / 1.25], atol=0.05)
    assert len(quick) == 256 * 4 and "(total 0." in capsys.readouterr().out
    assert call(f"-output p {words}", "-fixed", "-count 4") == 0
    assert call(f"-output q {LAWS} -method sobol -runs 512") == 2
    assert "sobol needs all runs; take -method sample" in capsys.readouterr().out


def test_distributions() -> None:
    """Mean, deviation and quantiles of distributions agree with closed forms."""
    for kind, numbers, mean, deviation in (
        ("normal", (0.3, 0.03), 0.3, 0.03),
        ("uniform", (1.0, 3.0), 2.0, 2.0 / np.sqrt(12.0)),
        ("triangular", (0.0, 1.0, 2.0), 1.0, np.sqrt(1.0 / 6.0)),
        ("lognormal", (2.0, 0.1), 2.0 * np.exp(0.005), 2.0 * np.exp(0.005) * np.sqrt(np.exp(0.01) - 1.0)),
    ):
        law = Distribution("", kind, numbers, "")
        assert_allclose([law.mean, law.deviation], [mean, deviation], rtol=1e-9)
        shares = (np.arange(20_000) + 0.5) / 20_000
        values = to_values({"x": law}, shares[:, None])[:, 0]
        assert_allclose([values.mean(), values.std()], [mean, deviation], rtol=1e-3)


def test_continuing(quick: list[Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A continued study runs only the cases that have not ended, and another study is refused."""
    assert call(f"-output o {LAWS}") == 0
    (tmp_path / "o" / "cases" / "0003" / "outcome.json").unlink()
    assert call(f"-output o {LAWS} -results sag") == 0
    assert len(quick) == 6
    assert call(f"-output o {LAWS} -method sample") == 2
    assert "contains another study, which differs in method" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("-mass normal:2:0.1", "-output is not given"),
        ("-output o", "nothing varies"),
        ("-output o -mass normal:2", "must be normal:MEAN:DEVIATION"),
        ("-output o -mass normal:2:x", "with finite numbers"),
        ("-output o -mass normal:2:-1", "the deviation must be > 0"),
        ("-output o -mass lognormal:-2:1", "the median must be > 0"),
        ("-output o -mass uniform:2:1", "the numbers must be ascending"),
        ("-output o -mass triangular:1:3:2", "the numbers must be ascending"),
        ("-output o -count uniform:1:3", "must be an option that allows any number"),
        ("-output o -mass normal:0.1:0.2", "mass"),
        ("-output o -mass normal:2:0.1 -method sobol -runs 100", "must be a power of two"),
        ("-output o -mass normal:2:0.1 -results height", "must be numbers of the model: sum, sag, square, constant"),
    ],
)
def test_wrong_command_lines(quick: list[Any], words: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(words) == 2
    assert message in capsys.readouterr().err


def test_files_of_users_stay(quick: list[Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("spread.json", "spread.png", "uncertainty.csv", "uncertainty.json"):
        folder = tmp_path / name.replace(".", "_")
        folder.mkdir()
        (folder / name).write_text("my own notes\n")
        assert call(f"-output {folder.name} {LAWS}") == 2
        assert name in capsys.readouterr().err and (folder / name).read_text() == "my own notes\n"
    assert not quick
