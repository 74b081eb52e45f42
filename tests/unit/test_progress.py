"""The words of the line that shows how far a solve is."""

from __future__ import annotations

import pytest

from windlass.solvers.stepping import progress
from windlass.solvers.stepping.statistics import Statistics


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(106.0, "106 times slower than real time"), (0.25, "4 times faster than real time")],
)
def test_factor_to_real_time(
    seconds: float, words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A simulated second that takes so many seconds [s]: which of both is longer is said."""
    clock = [0.0]
    monkeypatch.setattr(progress.time, "perf_counter", lambda: clock[0])
    monkeypatch.setattr(progress.options, "progress_wanted", lambda: True)
    monkeypatch.setattr(progress, "INTERVAL_FILE", 0.0)
    line = progress.Progress("swing", "s", Statistics())
    line.begin(0.0, 3.0)
    clock[0] = seconds
    line.step(1.0, 1e-3)
    said = capsys.readouterr().err
    assert said.startswith("swing: 1 of 3 s, step 0.001 s, ") and said.endswith(f", {words}\n")
    assert f", {2 * seconds:.0f} s to go, " in said
