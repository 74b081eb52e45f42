"""Tests of the text of the progress line of a solve."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from windlass.framework.kernels.call import is_compiled
from windlass.framework.kernels.kernel import kernel
from windlass.framework.kernels.process import compiling_time
from windlass.solvers.stepping import progress
from windlass.solvers.stepping.statistics import Statistics


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(106.0, "real-time factor 0.00943"), (0.25, "real-time factor 4")],
)
def test_factor_to_real_time(
    seconds: float, words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The real-time factor is the simulated time divided by the computing time."""
    clock = [0.0]
    monkeypatch.setattr(progress.time, "perf_counter", lambda: clock[0])
    monkeypatch.setattr(progress.options, "progress_wanted", lambda: True)
    monkeypatch.setattr(progress, "INTERVAL_FILE", 0.0)
    line = progress.Progress("swing", "s", Statistics())
    line.begin(0.0, 3.0)
    clock[0] = 50.0  # the first step takes a long time, because kernels are loaded; it allows no prediction
    line.step(0.5, 1e-3)
    said = capsys.readouterr().err
    assert said.startswith("swing: 0.5 of 3 s, step 0.001 s, ") and "to go" not in said and "real-time" not in said
    clock[0] = 50.0 + seconds
    line.step(1.5, 1e-3)
    said = capsys.readouterr().err
    assert said.startswith("swing: 1.5 of 3 s, step 0.001 s, ") and said.endswith(f", {words}\n")
    assert f", {1.5 * seconds:.0f} s to go, " in said


def test_compiling_is_not_part_of_the_estimate(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """If 20 s of 21 s after the first step were spent on compilation, two more simulated seconds are estimated as 2 s
    instead of 42 s.
    """
    clock, spent = [0.0], [5.0]
    monkeypatch.setattr(progress.time, "perf_counter", lambda: clock[0])
    monkeypatch.setattr(progress, "compiling_time", lambda: spent[0])
    monkeypatch.setattr(progress.options, "progress_wanted", lambda: True)
    monkeypatch.setattr(progress, "INTERVAL_FILE", 0.0)
    line = progress.Progress("swing", "s", Statistics())
    line.begin(-1.0, 3.0)
    line.step(0.0, 1e-3)
    clock[0], spent[0] = 21.0, 25.0
    line.step(1.0, 1e-3)
    said = capsys.readouterr().err
    assert ", 2 s to go, real-time factor 1, plus 20 s of compiling" in said


def test_compiling_counts_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile times are counted once: the time of a called kernel is not part of the time of its caller."""
    monkeypatch.setenv("WINDLASS_CACHE", str(tmp_path))
    before = compiling_time()

    @kernel
    def add(x: float) -> float:
        return x + 1.0

    @kernel
    def double(x: float) -> float:
        return 2.0 * add(x)

    begin = time.perf_counter()
    assert double(1.0) == 4.0
    if is_compiled(double):
        assert 0.0 < compiling_time() - before <= time.perf_counter() - begin
