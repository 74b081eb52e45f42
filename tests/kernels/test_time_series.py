"""Tests of splines through points, of columns of CSV files, and of a motion that a column of a CSV file prescribes."""

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
from windlass.connectors.user_functions.units import read_unit
from windlass.elements import MassPoint

from support.all_laws import all_laws

TIMES = np.array([0.0, 0.3, 0.5, 1.1, 1.4, 2.0])


@pytest.mark.parametrize("values", [np.sin(3.0 * TIMES), np.column_stack((TIMES**2, np.cos(TIMES), 0.0 * TIMES))])
def test_spline(values: Any) -> None:
    """Value and both derivatives of a spline equal the values of SciPy, and the spline is constant outside its
    points.
    """
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
    """A point follows the heave motion in a column of a file. The force of its support is equal to mass times
    acceleration.
    """
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
        (lambda p: con.read_series(p / "none.csv", "z"), "none.csv' cannot be read"),
        (
            lambda p: con.read_series(write(p / "a.csv", "time,z\n0,1\n"), "y"),
            "column = 'y' .* must be one of .* time, z",
        ),
        (lambda p: con.read_series(write(p / "a.csv", "t,z\n0,1\n"), "z"), "time = 'time' .* must be one of .* t, z"),
        (lambda p: con.read_series(write(p / "a.csv", "time,z\n0,1\n1,x\n"), "z"), "row 2 of .* is '1,x': must be num"),
        (lambda p: con.read_series(write(p / "a.csv", "time,z\n0,nan\n"), "z"), "row 1 of .* must be finite numbers"),
        (lambda p: con.read_series(write(p / "a.csv", ""), "z"), "must be one of its columns, none"),
        (
            lambda p: con.read_series(write(p / "a.csv", "time,z\n0,1,2\n"), "z"),
            "row 1 of .* '0,1,2': .* as many as names",
        ),
        (lambda p: con.read_series(write(p / "a.csv", "time,z\n0\n"), "z"), "row 1 of .* is '0': .* as many as names"),
        (
            lambda p: con.read_series(write(p / "a.csv", "time [ms],z\n0,1\n5,2\n5,3\n"), "z"),
            "row 3 of .* is at 0.005 s, row 2 at 0.005 s: times must increase",
        ),
        (
            lambda p: con.read_series(write(p / "a.csv", "time [s],z [inch]\n0,1\n"), "z"),
            r"heading 'z \[inch\]' of .* has the unit 'inch': must be a unit that is known",
        ),
        (
            lambda p: con.read_series(write(p / "a.csv", "time (mm),z\n0,1\n"), "z"),
            r"heading 'time \(mm\)' of .* has the unit 'mm': must be a unit of time",
        ),
        (lambda p: con.spline([0.0, 1.0, 2.0], [0.0, 1.0, 2.0]), "times = .* s in spline: must be at least four"),
        (lambda p: con.spline([0.0, 1.0, 1.0, 2.0], np.zeros(4)), "times = .* s in spline: .* increasing numbers"),
        (
            lambda p: con.spline([0.0, 1.0, 2.0, 3.0], np.zeros(3)),
            "values = .* in spline: must be 4, one for each time",
        ),
    ],
)
def test_bad_series(call: Any, words: str, tmp_path: Path) -> None:
    with pytest.raises(wl.ModelError, match=words):
        call(tmp_path)


@pytest.mark.parametrize(
    ("heading", "factor"),
    [
        ("z", 1.0), ("z [mm]", 1e-3), ("z (kN)", 1e3), ("z[deg]", np.pi / 180.0), ("z [rpm]", np.pi / 30.0),
        ("z [kN m]", 1e3), ("z [N/mm^2]", 1e6), ("z [km/h]", 1.0 / 3.6), ("z [mm/s²]", 1e-3), ("z [%]", 1e-2),
        ("z [(m, rad)/s]", 1.0), ("z [1]", 1.0), ("z[0] [cm]", 1e-2), ("z[0]", 1.0), ("z [N; N m]", 1.0),
    ],
)  # fmt: skip
def test_units_of_headings(heading: str, factor: float, tmp_path: Path) -> None:
    """Values and times are converted to SI units from any unit in the heading."""
    file = write(tmp_path / "a.csv", f'time [ms],"{heading}"\n0,1.5\n250,-3\n')
    times, values = con.read_series(file, heading)
    assert_array_equal(times, [0.0, 0.25])
    assert_allclose(values, [1.5 * factor, -3.0 * factor], rtol=1e-15)


def test_units_of_all_outputs_are_read() -> None:
    """Units that `Sensors` writes to headings can be read."""
    for law in all_laws().values():
        for output in law.outputs.values():
            for unit in (output.unit, output.unit.replace(",", ";")):
                assert read_unit(unit) == 1.0, unit
