"""Tests of runs in real time: waiting after steps, delays, and the real-time factor. These tests use a simulated
clock.
"""

from __future__ import annotations

from typing import Any

import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass import connectors as con
from windlass.elements import Ground, MassPoint
from windlass.solvers.stepping import pacing, progress
from windlass.solvers.stepping.statistics import Statistics

STEP, COUNT = 0.01, 20


class Clock:
    """A clock whose time advances only by waits and by `spend`."""

    def __init__(self) -> None:
        self.now, self.waits = 100.0, list[float]()

    def perf_counter(self) -> float:
        return self.now

    def sleep(self, duration: float) -> None:
        assert duration > 0.0
        self.waits.append(duration)
        self.now += duration

    def spend(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(pacing, "time", made)
    return made


def swing(kind: str, **settings: Any) -> wl.Dynamic | wl.Explicit:
    """Return the solver of a mass on a spring."""
    world = wl.World()
    point = world.add(MassPoint, position=(0.0, 0.0, 0.0), velocity=(1.0, 0.0, 0.0), mass=2.0)
    ends = [con.position_marker(world, end) for end in (world.add(Ground), point)]
    world.add(con.CartesianSpringDamper, marker0=ends[0], marker1=ends[1], stiffness=(200.0,) * 3)
    made = wl.Dynamic if kind == "dynamic" else wl.Explicit
    return made(world, step=STEP, end=COUNT * STEP, name="swing", **settings)


@pytest.mark.parametrize("kind", ["dynamic", "explicit"])
@pytest.mark.parametrize("pace", [1.0, 2.0])
def test_runs_wait(kind: str, pace: float, clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    """Each step takes 1 ms. The run waits after each step until the elapsed time is the simulated time divided by the
    pace. The pace does not change results, and no step is late.
    """
    ends = []

    def work(state: wl.State) -> None:
        ends.append(clock.now)
        clock.spend(1e-3)

    solver = swing(kind, pace=pace)
    state = solver.solve(hooks=[work])
    assert_allclose(clock.now - 100.0, COUNT * STEP / pace, rtol=1e-12)
    assert_allclose(clock.waits, STEP / pace - 1e-3, rtol=1e-9)
    assert len(clock.waits) == COUNT and len(ends) == COUNT
    assert solver.verdict.notes == [] and "pace" not in capsys.readouterr().err
    assert (state.q == swing(kind).solve().q).all()


def test_late_runs_say_so_and_catch_up(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    """One step takes 0.055 s longer than its size of 0.01 s. The next five steps take no time, and the run does not
    wait after these steps. The run ends in time. The note states the largest delay.
    """
    steps = []

    def work(state: wl.State) -> None:
        steps.append(state.t)
        clock.spend(0.065 if len(steps) == 4 else 0.0)

    solver = swing("dynamic", pace=1.0)
    solver.solve(hooks=[work])
    assert len(clock.waits) == COUNT - 6
    assert_allclose(clock.waits[3], 0.005, rtol=1e-9)
    assert_allclose(clock.now - 100.0, COUNT * STEP, rtol=1e-12)
    note = "the run did not keep the pace of 1: steps ended up to 0.055 s late, the last step 0 s"
    assert solver.verdict.notes == [note] and solver.verdict.word == "ok"
    assert f"note: swing: {note}" in capsys.readouterr().err


def test_a_run_that_is_too_slow_never_waits(clock: Clock) -> None:
    """If each step takes 12 ms, the delay grows by 2 ms per step."""
    solver = swing("explicit", pace=1.0)
    solver.solve(hooks=[lambda state: clock.spend(0.012)])
    assert not clock.waits
    assert "up to 0.04 s late, the last step 0.04 s" in solver.verdict.notes[0]


def test_the_pace_is_an_option(clock: Clock) -> None:
    with wl.set_options("-dynamic_pace 4"):
        swing("dynamic").solve()
    assert_allclose(clock.now - 100.0, COUNT * STEP / 4.0, rtol=1e-12)
    with pytest.raises(wl.ModelError, match=r"pace = -1(\.0)? in Dynamic: must be >= 0"):
        swing("dynamic", pace=-1.0)


@pytest.mark.parametrize(("reached", "factor"), [(3.0, "1.5"), (1.0, "0.5")])
def test_real_time_factor(
    reached: float, factor: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The last line states the simulated time divided by the elapsed time without compilation. For a run that was
    stopped, the line also states this ratio. For static solves, no ratio is stated.
    """
    now, spent = [0.0], [5.0]
    monkeypatch.setattr(progress.time, "perf_counter", lambda: now[0])
    monkeypatch.setattr(progress, "compiling_time", lambda: spent[0])
    monkeypatch.setattr(progress.options, "progress_wanted", lambda: True)
    for unit in ("s", ""):
        line = progress.Progress("swing", unit, Statistics())
        line.begin(0.0, 3.0)
        now[0], spent[0] = now[0] + 6.0, spent[0] + 4.0
        line.step(reached, 1e-3)
        line.end("INTERRUPTED" if reached < 3.0 else "")
        said = capsys.readouterr().err
        assert said.endswith(f", real-time factor {factor}\n") == (unit == "s")
        assert "real-time factor" in said or unit == ""
