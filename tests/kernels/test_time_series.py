"""Splines through points, columns of CSV files, and a motion that is prescribed by them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.interpolate import CubicSpline

import windlass as wl
from windlass import connectors as con
from windlass.connectors.user_functions.time_functions import differentiate, differentiate_twice
from windlass.elements import MassPoint

TIMES = np.array([0.0, 0.3, 0.5, 1.1, 1.4, 2.0])


@pytest.mark.parametrize("values", [np.sin(3.0 * TIMES), np.column_stack((TIMES**2, np.cos(TIMES), 0.0 * TIMES))])
def test_spline(values: Any) -> None:
    """Value and both derivatives are SciPy's, constant outside."""
    found, expected = con.spline(TIMES, values), CubicSpline(TIMES, values)
    functions = found, differentiate(found), differentiate_twice(found)
    for order, function in enumerate(functions):
        assert function is not None
        for t in np.linspace(0.0, 1.999, 41):
            assert_allclose(function(t), expected(t, order), rtol=1e-12, atol=1e-12)
        for t in (-1.0, 3.0):
            assert_allclose(function(t), values[0 if t < 0 else -1] if order == 0 else 0.0 * values[0], atol=1e-13)


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_heave_from_a_file(tmp_path: Path) -> None:
    """A point follows a column of a file, whose acceleration gives its force of support."""
    t = np.linspace(0.0, 1.0, 21)
    z = 0.3 * (1.0 - np.cos(4.0 * t))
    lines = [f"{a!r}, {b!r}, 1.0" for a, b in zip(t.tolist(), z.tolist(), strict=True)]
    file = write(tmp_path / "ship.csv", "# of a ship\ntime [s],heave [m],roll [rad]\n" + "\n".join(lines) + "\n")
    times, heave = con.read_series(file, "heave [m]")
    assert_array_equal(times, t)
    assert_array_equal(heave, con.read_series(file, "heave")[1])
    world = wl.World()
    point = world.add(MassPoint, position=(0.0, 0.0), mass=2.0)
    con.fix(world, point, "x")
    motion = con.prescribe(world, point, "y", con.spline(times, heave))
    state = wl.Dynamic(world, step=5e-3, end=0.5).solve()
    exact = CubicSpline(t, z)
    assert_allclose(state.q[1], exact(0.5), rtol=1e-12)
    assert_allclose(state.v[1], exact(0.5, 1), rtol=1e-3)
    assert_allclose(wl.eval_output(motion, "force", state), -2.0 * exact(0.5, 2), rtol=1e-4)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda p: con.read_series(p / "none.csv", "z"), "none.csv' in read_series cannot be read"),
        (
            lambda p: con.read_series(write(p / "a.csv", "time,z\n0,1\n"), "y"),
            "column = 'y' .* must be one of .* time, z",
        ),
        (lambda p: con.read_series(write(p / "a.csv", "t,z\n0,1\n"), "z"), "time = 'time' .* must be one of .* t, z"),
        (lambda p: con.read_series(write(p / "a.csv", "time,z\n0,1\n1,x\n"), "z"), "row 2 of .* is '1,x': must be num"),
        (lambda p: con.read_series(write(p / "a.csv", "time,z\n0,nan\n"), "z"), "row 1 of .* must be finite numbers"),
        (lambda p: con.read_series(write(p / "a.csv", ""), "z"), "must be one of its columns, none"),
        (lambda p: con.spline([0.0, 1.0, 2.0], [0.0, 1.0, 2.0]), "times = .* s in spline: must be at least four"),
        (lambda p: con.spline([0.0, 1.0, 1.0, 2.0], np.zeros(4)), "times = .* s in spline: .* numbers that rise"),
        (
            lambda p: con.spline([0.0, 1.0, 2.0, 3.0], np.zeros(3)),
            "values = .* in spline: must be 4, one for each time",
        ),
    ],
)
def test_bad_series(call: Any, words: str, tmp_path: Path) -> None:
    with pytest.raises(wl.ModelError, match=words):
        call(tmp_path)
