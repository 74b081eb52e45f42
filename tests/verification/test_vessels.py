"""Tests of vessels with prescribed motion: fairleads by the closed form of response amplitude operators, files, and
errors.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

import windlass as wl
from windlass import connectors as con
from windlass.elements import MassPoint
from windlass.framework.arrays import FloatArray

PERIODS, HEADINGS = (6.0, 9.0, 14.0), (0.0, 90.0, 180.0)
FREEDOMS = "surge", "sway", "heave", "roll", "pitch", "yaw"
FAIRLEAD = (35.0, 4.0, -6.0)


def response(period: float, heading: float) -> tuple[FloatArray, FloatArray]:
    """Return amplitudes [m/m, deg/m] and phase lags [deg] of a made-up vessel."""
    c, s = abs(np.cos(np.radians(heading))), abs(np.sin(np.radians(heading)))
    size = period / 14.0
    amplitudes = np.array([0.8 * c, 0.7 * s, 0.9, 2.5 * s, 1.5 * c, 0.4 * s * c + 0.1 * s]) * size
    return amplitudes, np.array([90.0, -80.0, 10.0 * period, 75.0, -90.0, 30.0]) + 0.1 * heading


def write_file(path: Path, first: str = "period [s]") -> Path:
    """Write the operators of `response` to a file."""
    names = [first, "heading [deg]", *(f"{name} [{'m/m' if k < 3 else 'deg/m'}]" for k, name in enumerate(FREEDOMS))]
    lines = [",".join([*names, *(f"{name} phase [deg]" for name in FREEDOMS)])]
    for period in PERIODS:
        for heading in HEADINGS:
            amplitudes, phases = response(period, heading)
            lines.append(",".join(f"{value:.15g}" for value in (period, heading, *amplitudes, *phases)))
    path.write_text("# a made-up vessel\n" + "\n".join(lines) + "\n")
    return path


def eval_fairlead(waves: Any, rao: con.RAO, place: FloatArray, heading: float, t: float) -> FloatArray:
    """Return the position [m] of the fairlead in closed form, as sums of cosines with phase lags."""
    X = np.zeros(6)
    for A, w, theta, phi in zip(*waves.values(), strict=True):
        H = rao.eval_response(w, theta - heading)[0]
        k = float(con.wave_number(w, 300.0, 9.81))
        psi = k * (place[0] * np.cos(theta) + place[1] * np.sin(theta)) - w * t + phi
        X += A * np.abs(H) * np.cos(psi + np.angle(H))
    rest = Rotation.from_euler("z", heading)
    return np.asarray(place + rest.apply(X[:3] + Rotation.from_rotvec(X[3:]).apply(FAIRLEAD)))


WAVES = {
    "regular": con.regular_wave(4.0, 9.0, np.pi / 2.0 + 0.7, 0.4),
    "irregular": con.jonswap(3.0, 9.0, seed=4, count=20, direction=-1.1),
}


@pytest.mark.parametrize("sea", WAVES)
def test_fairlead_follows_the_closed_form(sea: str, tmp_path: Path) -> None:
    """In regular and irregular waves, the fairlead has the position of the closed form at each step, and its velocity
    is the derivative of this position.
    """
    rao, place, heading = con.read_rao(write_file(tmp_path / "rao.csv")), np.array((30.0, -20.0, 1.0)), 0.7
    world = wl.World(gravity=(0.0, 0.0, -9.81))
    water = world.add(con.Fluid, density=1025.0, depth=300.0, **WAVES[sea])
    ship = con.vessel(world, water, rao, place, heading)
    hanging = world.add(MassPoint, position=(0.0, 0.0, 0.0), mass=2.0)
    end = con.position_marker(world, hanging)
    ground = con.position_marker(world, ship.body, FAIRLEAD)
    world.add(con.SpringDamper, marker0=ground, marker1=end, rest_length=20.0, stiffness=1.0, damping=0.1)
    place_of = wl.Sensors(
        None, [wl.Sensor(ship.body, "position", name="p"), wl.Sensor(ship.body, "rotation", name="A")]
    )
    speed = wl.Sensors(None, [wl.Sensor(ship.body, "velocity", name="v")])
    state = wl.Static(world, name="").solve()
    wl.Dynamic(world, step=0.05, end=10.0, name="").solve(state, hooks=[place_of, speed])
    found = place_of["p"] + place_of["A"] @ np.array(FAIRLEAD)
    exact = [eval_fairlead(WAVES[sea], rao, place, heading, t) for t in place_of.times]
    assert_allclose(found, exact, atol=1e-8)
    assert np.ptp(found, axis=0).min() > 0.1
    moved = place_of["p"]
    assert_allclose(speed["v"][1:-1], (moved[2:] - moved[:-2]) / 0.1, atol=2e-3)
    assert len(ship.supports) == 6


def test_phase_lag_and_ramp() -> None:
    """Heave with a lag of a quarter period has its maximum a quarter period after the crest. If waves grow from zero,
    the vessel is at rest at the start.
    """
    amplitudes, phases = np.zeros((1, 1, 6)), np.zeros((1, 1, 6))
    amplitudes[0, 0, 2], phases[0, 0, 2] = 1.0, 0.5 * np.pi
    for growth in (0.0, 8.0):
        world = wl.World(gravity=(0.0, 0.0, -9.81))
        water = world.add(con.Fluid, density=1025.0, wave_growth=growth, **con.regular_wave(2.0, 8.0))
        motion = con.vessel(world, water, con.RAO([0.5], [0.0], amplitudes, phases)).motion
        t = np.linspace(16.0, 23.99, 800)
        heave = np.array([motion.eval_coordinates(time)[0][2] for time in t])
        assert abs(t[heave.argmax()] - 18.0) < 0.02  # the crest passes at 16 s
        assert_allclose(heave.max(), 1.0, rtol=1e-4)
        X, rate = motion.eval_freedoms(0.0)
        assert_allclose(X, 0.0, atol=1e-12)
        assert (abs(rate[2]) < 1e-12) == (growth > 0.0)


def test_rates_are_derivatives(tmp_path: Path) -> None:
    """Rates of position and Euler parameters agree with difference quotients, also in the start ramp."""
    rao = con.read_rao(write_file(tmp_path / "rao.csv"))
    world = wl.World(gravity=(0.0, 0.0, -9.81))
    waves = con.jonswap(6.0, 9.0, seed=4, count=5, direction=0.5)
    water = world.add(con.Fluid, density=1025.0, wave_growth=10.0, **waves)
    motion = con.vessel(world, water, rao, heading=2.0).motion
    for t in (0.0, 3.3, 12.0):
        _, rate = motion.eval_coordinates(t)
        ahead, behind = (motion.eval_coordinates(t + dt)[0] for dt in (1e-5, -1e-5))
        assert_allclose(rate, (ahead - behind) / 2e-5, atol=1e-7)
        assert abs(np.linalg.norm(ahead[3:]) - 1.0) < 1e-14


def test_interpolation_and_symmetry(tmp_path: Path) -> None:
    """Between the lines of a file, operators are interpolated linearly. Waves from the other side cause the opposite
    sway, roll and yaw. Frequencies are converted.
    """
    rao = con.read_rao(write_file(tmp_path / "rao.csv"))
    assert_allclose(rao.frequencies, 2.0 * np.pi / np.array(PERIODS)[::-1])
    for period, heading in ((9.0, 90.0), (14.0, 180.0)):
        amplitudes, phases = response(period, heading)
        amplitudes[3:] = np.radians(amplitudes[3:])
        found = rao.eval_response(2.0 * np.pi / period, np.radians(heading))[0]
        assert_allclose(found, amplitudes * np.exp(1j * np.radians(phases)), atol=1e-12)
    w = 0.3 * rao.frequencies[0] + 0.7 * rao.frequencies[1]
    low, high = rao.values[0, 0], rao.values[1, 0]
    assert_allclose(rao.eval_response(w, 0.0)[0], 0.3 * low + 0.7 * high, atol=1e-12)
    between = rao.eval_response(w, 0.4)[0]
    assert_allclose(rao.eval_response(w, -0.4)[0], between * (1, -1, 1, -1, 1, -1), atol=1e-12)
    assert_allclose(rao.eval_response([0.01, 9.0], [0.0, 0.0])[[0, 1]], rao.values[[0, -1], 0], atol=1e-12)
    hertz = con.read_rao(write_file(tmp_path / "hertz.csv", "frequency [Hz]"))
    assert_allclose(hertz.frequencies, 2.0 * np.pi * np.array(PERIODS))
    whole = con.RAO(
        [1.0], np.radians([0.0, 180.0, 270.0, 360.0]), np.arange(24.0).reshape(1, 4, 6), np.zeros((1, 4, 6))
    )
    assert_allclose(whole.eval_response(1.0, -0.5 * np.pi)[0], whole.values[0, 2])


FILES = [
    ("surge\n1\n", "column 'surge' of .*: must have its unit in brackets, .m/m. or .1."),
    ("period [min],heading [deg],heave [m/m]\n1,0,1\n", "column 'period .min.' of .*: must have its unit in brac"),
    ("period [s],heading [deg],roll [m/m]\n1,0,1\n", "column 'roll .m/m.' of .* must have its unit in brac"),
    ("period [s],heading [deg],drift [m]\n1,0,1\n", "column 'drift' of .*: must be one of period, frequency, heading"),
    ("period [s],heave [m/m]\n1,1\n", "must have heading, one of period and frequency"),
    ("period [s],frequency [Hz],heading [deg]\n1,1,0\n", "must have heading, one of period and frequency"),
    ("period [s],heading [deg],heave [m/m]\n", "must have heading, one of period and frequency, and at least one line"),
    ("period [s],heading [deg],heave phase [deg]\n1,0,1\n", "must also have 'heave'"),
    ("period [s],period [s],heading [deg]\n1,1,0\n", "has two columns 'period'"),
    ("period [s],heading [deg],heave [m/m]\n1,0,x\n", "row 1 of .* must be numbers"),
    ("period [s],heading [deg],heave [m/m]\n0,0,1\n", "row 1 of .* has the period or frequency 0: must be > 0"),
    ("period [s],heading [deg],heave [m/m]\n1,0,1\n1,0,1\n", "2 lines for the frequency 6.28319 rad/s .period 1 s."),
    ("period [s],heading [deg],heave [m/m]\n1,0,1\n2,90,1\n", "0 lines for the frequency 3.14159 rad/s .*: must be"),
    ("period [s],heading [deg],heave [m/m]\n1,900,1\n", "headings of RAO are from .* must be from -pi to 2 pi"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "words"), FILES)
def test_wrong_files(text: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "rao.csv").write_text(text)
    with pytest.raises(wl.ModelError) as error:
        con.read_rao(tmp_path / "rao.csv")
    assert re.search(words, str(error.value)), str(error.value)


def test_errors(tmp_path: Path) -> None:
    rao = con.RAO([1.0], np.radians([0.0, 90.0]), *np.zeros((2, 1, 2, 6)))
    world = wl.World(gravity=(0.0, 0.0, -9.81))
    calm = world.add(con.Fluid, density=1025.0)
    with pytest.raises(wl.ModelError, match="has no waves: must have waves"):
        con.vessel(world, calm, rao)
    with pytest.raises(wl.ModelError, match="must be one Fluid"):
        con.vessel(world, world.add(MassPoint, position=(0.0, 0.0, 0.0), mass=1.0), rao)
    sea = world.add(con.Fluid, density=1025.0, **con.regular_wave(1.0, 6.0, np.pi))
    with pytest.raises(wl.ModelError, match="heading = 180 deg of a wave at a vessel: must be from 0 to 90 deg"):
        con.vessel(world, sea, rao)
    assert not world.table(con.CoordinateConstraint).count
    one = np.zeros((1, 1, 6))
    for given, words in (
        (([], [0.0], one, one), "frequencies .* must be"),
        (([2.0, 1.0], [0.0], one, one), "frequencies = .* must be increasing numbers"),
        (([-1.0], [0.0], one, one), "frequencies of RAO begin with -1 rad/s: must be > 0"),
        (([1.0], [0.0], one[:, :, :5], one), "amplitudes .* must be"),
        (([1.0], [0.0], one, np.zeros((1, 2, 6))), r"phases of RAO have the shape \(1, 2, 6\): must have the shape"),
        (([1.0], [0.0], one, one * np.nan), "phases .* must be"),
    ):
        with pytest.raises(wl.ModelError, match=words):
            con.RAO(*given)
