"""Tests of rods and bodies in MoorDyn's input files: comparisons with closed forms, and with MoorDyn 2.7.2 for equal
meshes.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import eigh
from scipy.spatial.transform import Rotation

import windlass as wl
from windlass.moordyn.channels import find_body_angles, find_rod_angles
from windlass.moordyn.input_file import number_end
from windlass.moordyn.rigid import Part, merge

from support.moordyn_motions import FOLDER, MOVED, PERIOD, STEP, move

WATER, GRAVITY = 1000.0, 9.81  # units: kg/m^3, m/s^2
TYPES = "--- LINE TYPES ---\nname\nunit\nrope 0.02 0.4 1e6 -0.5 0 0 0 0 0\n"
RODS = "--- ROD TYPES ---\nname\nunit\nrod 0.5 100.0 0.0 1.0 0.0 0.0\nslim 0.02 5.0 0.0 0.0 0.0 0.0\n"
OPTIONS = f"--- OPTIONS ---\n{GRAVITY} g\n{WATER} rho\n50 WtrDpth\n1e5 kBot\n1e4 cBot\n--- end ---\n"
AIR = OPTIONS.replace(f"{WATER} rho", "0 rho")
VOLUME = 0.25 * np.pi * 0.5**2  # volume of "rod" per length [m^2]


def load(folder: Path, options: str = OPTIONS, /, **sections: str) -> wl.moordyn.Mooring:
    """Return the model of an input file whose sections have two heading lines each."""
    file = folder / "model.txt"
    rows = [f"--- {name.upper()} ---\nname\nunit\n{text}\n" for name, text in sections.items()]
    file.write_text(TYPES + RODS + "".join(rows) + options)
    return wl.moordyn.load(file)


def find_period(t: np.ndarray, x: np.ndarray) -> float:
    """Return the period of an oscillation x: twice the mean time between zeros."""
    k = np.flatnonzero((x[:-1] > 0.0) != (x[1:] > 0.0))
    return 2.0 * float(np.diff(t[k] - x[k] * (t[k + 1] - t[k]) / (x[k + 1] - x[k])).mean())


def test_free_rod_rises(tmp_path: Path) -> None:
    """A level rod in water without drag rises with the acceleration that follows from its buoyancy, weight, mass and
    added mass.
    """
    mooring = load(tmp_path, rods="1 rod Free 0 -1 -20 0 1 -20 4 -")
    sensors = wl.Sensors(None, mooring.sensors())
    assert sensors.names == ["Rod1PX", "Rod1PY", "Rod1PZ"]
    end = 2.0
    wl.Dynamic(mooring.world, step=0.02, end=end, name="").solve(mooring.start(), hooks=[sensors])
    displaced = WATER * VOLUME
    exact = 0.5 * GRAVITY * (displaced - 100.0) / (displaced + 100.0) * end**2
    assert_allclose(sensors["Rod1PZ"][-1] + 20.0, exact, rtol=1e-6)
    assert_allclose([sensors["Rod1PX"][-1], sensors["Rod1PY"][-1]], 0.0, atol=1e-9)


@pytest.mark.parametrize("held", ["1 rod Pinned 1 2 -20 1.05 2 -16 40 -", "1 rod Body1Pinned 0 0 0 4 0 0.05 40 -"])
def test_period_of_a_pinned_rod(held: str, tmp_path: Path) -> None:
    """A buoyant rod on a pin in the ground, or on a fixed body that is turned by -90°, swings with the period that
    follows from its moment of inertia and its added mass.
    """
    bodies = {"bodies": "1 Fixed 1 2 -20 0 -90 0 0 0 0 0 0 0"} if "Body" in held else {}
    mooring = load(tmp_path, **bodies, rods=held)
    sensors = wl.Sensors(None, mooring.sensors())
    length = float(np.hypot(4.0, 0.05))
    inertia = length**3 / 3.0 * (100.0 + WATER * VOLUME) + 100.0 * length * 0.5**2 / 16.0
    period = 2.0 * np.pi * np.sqrt(inertia / (0.5 * GRAVITY * length**2 * (WATER * VOLUME - 100.0)))
    wl.Dynamic(mooring.world, step=period / 400.0, end=2.2 * period, name="").solve(mooring.start(), hooks=[sensors])
    x, t = np.ravel(sensors["Rod1PX"]) - 1.0, sensors.times
    assert_allclose(np.abs(x[0]), 0.025, rtol=1e-3)
    assert_allclose(find_period(t, x), period, rtol=2e-3)


def test_rod_on_two_ropes(tmp_path: Path) -> None:
    """A heavy rod hangs level on two equal ropes, whose supports carry the weight of rod and ropes in water."""
    outputs = "--- OUTPUTS ---\nRod1TenA Rod1TenB AnchTen1 Line2TenA\nEND\n--- end ---\n"
    mooring = load(
        tmp_path,
        OPTIONS.replace("--- end ---\n", outputs),
        rods="1 slim Free -2 0 -30 2 0 -30 4 -",
        points="1 Fixed -4 0 -20.3 0 0 0 0\n2 Fixed 4 0 -20.3 0 0 0 0",
        lines="1 rope R1A 1 10 8 -\n2 rope R1B 2 10 8 -",
    )
    state, channels = mooring.rest(name=""), wl.Sensors(None, mooring.sensors())
    channels.after_step(state)
    assert_allclose(channels["Rod1TenB"], channels["Line2TenA"], rtol=1e-12)
    assert_allclose(channels["Rod1TenA"], channels["AnchTen1"], rtol=1e-12)
    weight = GRAVITY * (0.5 * 4.0 * 5.0 + 0.4 * 10.0 - WATER * 0.25 * np.pi * 0.02**2 * 12.0)
    for point in (1, 2):
        force = float(wl.eval_output(mooring.supports[point][2], "force", state))
        assert_allclose(abs(force), weight, rtol=1e-4)
    ends = [wl.eval_output(mooring.points[number_end(1, end)], "position", state) for end in (0, 1)]
    assert_allclose(ends[0] + ends[1], [0.0, 0.0, 2.0 * ends[0][2]], atol=1e-6)
    assert_allclose(ends[1][0] - ends[0][0], 4.0, rtol=1e-9)


def test_body_falls_at_terminal_speed(tmp_path: Path) -> None:
    """A free body sinks with the speed at which drag equals its weight in water."""
    mooring = load(tmp_path, bodies="1 Free 0 0 -10 0 0 0 900 0|0|-0.5 200 0.5 0.8 0.5")
    assert any("not on rotations" in note for note in mooring.notes)
    speeds = wl.Sensors(None, [wl.Sensor(mooring.bodies[1], "velocity", 2, "speed")])
    wl.Dynamic(mooring.world, step=0.02, end=8.0, name="").solve(mooring.start(), hooks=[speeds])
    exact = -np.sqrt(2.0 * GRAVITY * (900.0 - 0.5 * WATER) / (WATER * 0.8))
    assert_allclose(speeds["speed"][-1], exact, rtol=1e-3)


def test_drag_of_rotations_has_a_note(tmp_path: Path) -> None:
    """A note states that drag of rotations is omitted, even if the drag of translations is 0."""
    mooring = load(tmp_path, bodies="1 Free 0 0 -10 0 0 0 900 0 200 0.5 0|7 0")
    assert any("not on rotations" in note for note in mooring.notes)


def test_free_point_with_drag(tmp_path: Path) -> None:
    """A line without drag lifts a free point with CdA and Ca. The tension is the sum of weight in water and drag."""
    t = np.arange(0.0, 6.1, 0.1)
    height = np.where(t < 2.0, 0.25 * t**2, t - 1.0)
    np.savetxt(tmp_path / "motion.txt", np.column_stack((t, 0.0 * t, 0.0 * t, height - 20.0)))
    load(
        tmp_path,
        points="1 Coupled 0 0 -20 0 0 0 0\n2 Free 0 0 -25.005 100 0.01 0.5 0.5",
        lines="1 rope 2 1 5 5 -",
    )
    mooring = wl.moordyn.load(tmp_path / "model.txt", motion=tmp_path / "motion.txt")
    tension = wl.Sensors(None, [wl.Sensor(mooring.lines[1][0], "axial_force", name="tension", where={"x": 0.0})])
    wl.Dynamic(mooring.world, step=0.01, end=6.0, name="", method="generalized_alpha_index2").solve(
        mooring.rest(name=""), hooks=[tension]
    )
    late = tension.times > 4.0
    exact = GRAVITY * (100.0 - 0.01 * WATER) + 0.5 * WATER * 0.5 * 1.0**2
    assert_allclose(np.ravel(tension["tension"])[late].mean(), exact, rtol=2e-3)


def test_pinned_body_swings(tmp_path: Path) -> None:
    """A body with a rod swings on a pin in air with the period of a compound pendulum."""
    mooring = load(
        tmp_path, AIR, bodies="1 CoupledPinned 0 0 -5 0 2 0 0 0 0 0 0 0", rods="1 rod Body1 0 0 -5 0 0 -15 4 -"
    )
    sensors = wl.Sensors(None, [wl.Sensor(mooring.bodies[1], "rotation", name="axes")])
    inertia = 1000.0 * (10.0**2 + 10.0**2 / 12.0 + 0.5**2 / 16.0)
    period = 2.0 * np.pi * np.sqrt(inertia / (1000.0 * GRAVITY * 10.0))
    wl.Dynamic(mooring.world, step=period / 400.0, end=2.2 * period, name="").solve(mooring.start(), hooks=[sensors])
    x, t = sensors["axes"].reshape(-1, 3, 3)[:, 0, 2], sensors.times
    assert_allclose(find_period(t, x), period, rtol=2e-3)
    (tmp_path / "motion.txt").write_text("".join(f"{k} 0 0 -5 0 0 0\n" for k in range(5)))
    with pytest.raises(wl.ModelError, match="body 1 is CoupledPinned: must be held, without a table of motions"):
        wl.moordyn.load(tmp_path / "model.txt", motion=tmp_path / "motion.txt")


def test_added_mass_of_a_body(tmp_path: Path) -> None:
    """The added mass of a body acts at the origin of the body. Therefore the added mass does not change the period of a
    body on a pin at the origin, but increases the inertia of a free body, whose origin accelerates.
    """
    c, mass, volume, own, share = 4.0, 900.0, 0.2, 1000.0, 2.0
    mooring = load(tmp_path, bodies=f"1 CoupledPinned 0 0 -10 0 1 0 {mass} 0|0|-{c} {own} {volume} 0 {share}")
    axes = wl.Sensors(None, [wl.Sensor(mooring.bodies[1], "rotation", name="axes")])
    weight = GRAVITY * (mass - volume * WATER)
    period = 2.0 * np.pi * np.sqrt((own + mass * c**2) / (weight * c))
    wl.Dynamic(mooring.world, step=period / 400.0, end=2.2 * period, name="").solve(mooring.start(), hooks=[axes])
    assert_allclose(find_period(axes.times, axes["axes"].reshape(-1, 3, 3)[:, 0, 2]), period, rtol=1e-3)
    mooring = load(tmp_path, bodies=f"1 Free 0 0 -10 0 0 0 {mass} 0|0|-{c} {own} {volume} 0 {share}")
    sensors = wl.Sensors(None, mooring.sensors())
    wl.Dynamic(mooring.world, step=0.02, end=1.0, name="").solve(mooring.start(), hooks=[sensors])
    fallen = 0.5 * weight / (mass + share * volume * WATER)
    assert_allclose(np.ravel(sensors["Body1PZ"])[-1], -10.0 - fallen, rtol=1e-6)


def test_pinned_body_without_hold(tmp_path: Path) -> None:
    """With ``hold=False``, a CoupledPinned body falls freely."""
    load(tmp_path, AIR, bodies="1 CoupledPinned 0 0 -5 0 0 0 10 0 1 0 0 0")
    for hold, fallen in ((True, 0.0), (False, 0.5 * GRAVITY)):
        mooring = wl.moordyn.load(tmp_path / "model.txt", hold=hold)
        sensors = wl.Sensors(None, [wl.Sensor(mooring.bodies[1], "position", 2, "height")])
        wl.Dynamic(mooring.world, step=0.02, end=1.0, name="").solve(mooring.start(), hooks=[sensors])
        assert_allclose(sensors["height"][-1], -5.0 - fallen, atol=1e-6)


def test_points_of_a_body(tmp_path: Path) -> None:
    """The period of a pinned body includes mass, volume and added mass of a point above its pin, and no note states
    that these values are omitted.
    """
    mooring = load(tmp_path, bodies="1 CoupledPinned 0 0 -20 0 2 0 0 0 1e-3 0 0 0", points="1 Body1 0 0 4 20 0.1 0 0.5")
    assert not any("left out" in note for note in mooring.notes)
    axes = wl.Sensors(None, [wl.Sensor(mooring.bodies[1], "rotation", name="axes")])
    inertia, stiffness = (20.0 + 0.5 * 0.1 * WATER) * 4.0**2, GRAVITY * (0.1 * WATER - 20.0) * 4.0
    period = 2.0 * np.pi * np.sqrt(inertia / stiffness)
    wl.Dynamic(mooring.world, step=period / 400.0, end=2.2 * period, name="").solve(mooring.start(), hooks=[axes])
    assert_allclose(find_period(axes.times, axes["axes"].reshape(-1, 3, 3)[:, 0, 2]), period, rtol=2e-3)


@pytest.mark.parametrize("mode", [0, 1])
def test_arm_on_a_body_that_swings(mode: int, tmp_path: Path) -> None:
    """A heavy arm swings on a pin of a body, which swings on a second pin. Both periods of the double pendulum agree
    with theory.
    """
    a, b, m, slim = 10.0, 4.0, 100.0, 0.5**2 / 16.0
    M = np.array([[m * a * (a**2 / 3.0 + slim) + m * b * a**2, 0.5 * m * b**2 * a], [0.0, m * b * (b**2 / 3.0 + slim)]])
    K = GRAVITY * np.diag([0.5 * m * a**2 + m * b * a, 0.5 * m * b**2])
    squares, shapes = eigh(K, M + np.triu(M, 1).T)
    body, arm = 0.02 * shapes[:, mode] / np.abs(shapes[:, mode]).max()
    end = np.array([-np.sin(arm - body), 0.0, -np.cos(arm - body)]) * b
    mooring = load(
        tmp_path,
        AIR,
        bodies=f"1 CoupledPinned 0 0 -5 0 {np.degrees(body)} 0 0 0 0 0 0 0",
        rods=f"1 rod Body1 0 0 0 0 0 -{a} 4 -\n2 rod Body1Pinned 0 0 -{a} {end[0]} 0 {end[2] - a} 4 -",
    )
    axes = wl.Sensors(None, [wl.Sensor(mooring.bodies[1], "rotation", name="axes")])
    period = 2.0 * np.pi / np.sqrt(squares[mode])
    wl.Dynamic(mooring.world, step=period / 400.0, end=2.2 * period, name="").solve(mooring.start(), hooks=[axes])
    assert_allclose(find_period(axes.times, axes["axes"].reshape(-1, 3, 3)[:, 0, 2]), period, rtol=1e-3)


def test_arm_on_a_body_that_falls(tmp_path: Path) -> None:
    """A body and an arm on its pin fall side by side without rotation. In MoorDyn the arm swings about its pin, because
    MoorDyn omits the acceleration of the pin.
    """
    mooring = load(
        tmp_path, AIR, bodies="1 Free 0 0 0 0 0 0 3000 0 4000 0 0 0", rods="1 rod Body1Pinned 0 0 3 4 0 3 4 -"
    )
    sensors = wl.Sensors(None, mooring.sensors())
    wl.Dynamic(mooring.world, step=0.02, end=1.0, name="").solve(mooring.start(), hooks=[sensors])
    found = [float(np.ravel(sensors[f"{name}1P{axis}"])[-1]) for name in ("Body", "Rod") for axis in "XZ"]
    assert_allclose(found, [0.0, -0.5 * GRAVITY, 2.0, 3.0 - 0.5 * GRAVITY], atol=1e-6)


def test_mass_of_two_parts() -> None:
    """The combination of two halves of a slender rod has the mass, the centre of mass and the moments of inertia of the
    rod.
    """
    halves = [Part(2.0, np.array([0.0, 0.0, z]), np.diag([2.0 / 12.0, 2.0 / 12.0, 0.0])) for z in (0.5, 1.5)]
    whole = merge(halves)
    assert_allclose([whole.mass, *whole.center], [4.0, 0.0, 0.0, 1.0])
    assert_allclose(whole.inertia, np.diag([4.0 * 4.0 / 12.0] * 2 + [0.0]), atol=1e-5)


REFUSED = [
    ("rods", "1 rod CoupledPinned 0 0 -5 0 0 -9 4 -", "rod 1 is CoupledPinned: must be Fixed, Coupled, Free, Pinned"),
    ("rods", "1 rod Body3 0 0 -5 0 0 -9 4 -", "rod 1 is of Body3: must be a body of the section BODIES"),
    ("rods", "1 rod Free 0 0 -5 0 0 -5 4 -", "length = 0 m, NumSegs = 4 of rod 1: must be > 0 m, or NumSegs = 0"),
    ("rods", "1 pole Free 0 0 -5 0 0 -9 4 -", "rod 1 has the type pole: must be one of rod, slim"),
    ("rods", "1 rod Free 0 0 -5 0 0", "RODS has 8 values: must have 10"),
    ("rods", "1 rod Free 0 0 -5 0 0 nan 4 -", "position of rod 1 = nan: must be finite [m]"),
    ("bodies", "1 Free 0 0 0 0 0 0 -1 0 1 0 0 0", "Mass of body 1 = -1 kg: must be >= 0 kg"),
    ("bodies", "1 Free 0 0 0 0 0 0 5 0 1 0 1|2|3 0", "CdA of body 1 = 1.0|2.0|3.0: must be equal for x, y and z"),
    ("bodies", "1 Free 0 0 0 0 0 0 5 0|0|0|0 1 0 0 0", "CG of body 1 = 0|0|0|0: must have 1 or 3 values [m]"),
    ("bodies", "1 Free 0 0 0 0 0 0 5 0|0|1|0|0|0 1 0 0 0", "CG of body 1 = 0|0|1|0|0|0: must have 1 or 3 values [m]"),
    ("bodies", "1 Free 0 0 0 0 0 0 5 0 1|2 0 0 0", "I of body 1 = 1|2: must have 1 or 3 values [kg m^2]"),
    ("bodies", "1 Free 0 0 0 0 0 0 5 0 1 0 0 1|2", "Ca of body 1 = 1|2: must have 1 or 3 values [1]"),
    ("bodies", "1 Free 0 0 0 0 0 0 5 0 1 0 1|1|1|1 0", "CdA of body 1 = 1|1|1|1: must have 1, 2, 3 or 6 values [m^2]"),
    ("rods", "0 rod Free 0 0 -5 0 0 -9 4 -", "rod '0': must be a whole number >= 1"),
    ("bodies", "0 Fixed 0 0 0 0 0 0 0 0 0 0 0 0", "body '0': must be a whole number >= 1"),
    ("bodies", "1 Free 0 0 0", "BODIES has 5 values: must have 8"),
]


@pytest.mark.parametrize(("section", "row", "message"), REFUSED)
def test_rows_are_refused(section: str, row: str, message: str, tmp_path: Path) -> None:
    """Wrong rows cause errors that state the item, the value and the allowed values."""
    with pytest.raises(wl.moordyn.NotTranslated) as error:
        load(tmp_path, **{section: row})
    assert message in str(error.value)


def test_other_errors(tmp_path: Path) -> None:
    """A body without mass, a pinned rod on a coupled body, and wrong rod types cause errors."""
    with pytest.raises(wl.ModelError, match="mass of body 1 with its rods and points = 0 kg: must be > 0 kg"):
        load(tmp_path, bodies="1 Free 0 0 -5 0 0 0 0 0 0 0 0 0")
    with pytest.raises(wl.moordyn.NotTranslated, match="rod 1 is Body1Pinned: must be of a free or fixed body"):
        load(tmp_path, bodies="1 Coupled 0 0 -5 0 0 0 0 0 0 0 0 0", rods="1 rod Body1Pinned 0 0 0 0 0 4 4 -")
    file = tmp_path / "types.txt"
    file.write_text(f"--- ROD TYPES ---\nname\nunit\nrod 0 100 0 0 0 0\n--- RODS ---\nname\nunit\n{OPTIONS}")
    with pytest.raises(wl.moordyn.NotTranslated, match="Diam of rod type rod = 0 m: must be > 0 m"):
        wl.moordyn.load(file)


def compare(name: str, folder: Path) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """Return tensions [N] in the middle of the first and of the last segment of each line: the tensions at rest, shape
    (k,), their series in the last two periods, shape (n, k), and the recorded values of MoorDyn.
    """
    t = np.arange(0.0, MOVED + 0.5 * STEP, STEP)
    np.savetxt(folder / "motion.txt", np.column_stack((t, move(name, t)[0])), fmt="%.12g")
    mooring = wl.moordyn.load(FOLDER / name / f"{name}.txt", motion=folder / "motion.txt")
    recorded = json.loads((FOLDER / "values.json").read_text())[name]
    sensors = [
        wl.Sensor(mooring.lines[number][k], "axial_force", name=f"{number} {k}", where={"x": 0.5 * line.length / n})
        for number, line in mooring.file.lines.items()
        for n in (line.segments,)
        for k in (0, n - 1)
    ]
    state, rest, moving = mooring.rest(name=""), wl.Sensors(None, sensors), wl.Sensors(None, sensors)
    rest.after_step(state)
    run = wl.Dynamic(mooring.world, step=STEP, end=MOVED, name="", method="generalized_alpha_index2")
    run.solve(state, hooks=[moving])
    times = np.arange(MOVED - 2.0 * PERIOD, MOVED + 0.5 * STEP, STEP)
    series = np.column_stack([np.interp(times, moving.times, moving[key]) for key in moving.names])
    values = {word: np.array(recorded[word]) for word in ("rest", "mean", "deviation", "largest")}
    return np.array([rest[key][0] for key in rest.names]), series, values


def test_arm_of_moordyn(tmp_path: Path) -> None:
    """A light rod on a pin with a rope whose end moves: tensions at rest, means, standard deviations and largest values
    agree with MoorDyn within 0.4, 0.2, 1 and 0.5 %.
    """
    rest, series, recorded = compare("arm", tmp_path)
    assert_allclose(rest, recorded["rest"], rtol=4e-3)
    assert_allclose(series.mean(axis=0), recorded["mean"], rtol=2e-3)
    assert_allclose(series.std(axis=0), recorded["deviation"], rtol=1e-2)
    assert_allclose(series.max(axis=0), recorded["largest"], rtol=5e-3)


def test_buoy_and_column_of_moordyn(tmp_path: Path) -> None:
    """A buoy and a column on a pin, joined by ropes, one of which moves: tensions at rest, means, standard deviations
    and largest values agree with MoorDyn within 0.2, 0.2, 1 and 0.3 %.

    The added mass of the buoy acts at its origin, 1 m above its centre of mass: an added mass at the centre of mass
    would change standard deviations by up to 3.5 %. The model has no rod on a pin of the buoy, because MoorDyn omits
    the acceleration of such a pin, see `test_arm_on_a_body_that_falls`.
    """
    rest, series, recorded = compare("rods", tmp_path)
    assert_allclose(rest, recorded["rest"], rtol=2e-3)
    assert_allclose(series.mean(axis=0), recorded["mean"], rtol=2e-3)
    assert_allclose(series.std(axis=0), recorded["deviation"], rtol=1e-2)
    assert_allclose(series.max(axis=0), recorded["largest"], rtol=3e-3)


def test_angles_follow_euler(tmp_path: Path) -> None:
    """Angles of bodies are Euler angles with the order "XYZ" of SciPy, and roll and pitch of rods define the axis of
    the rod.
    """
    rng = np.random.default_rng(3)
    for angles in rng.uniform(-80.0, 80.0, (20, 3)):
        matrix = Rotation.from_euler("XYZ", angles, degrees=True).as_matrix()
        assert_allclose(find_body_angles(matrix.ravel()), angles, atol=1e-10)
        roll, pitch = np.radians(find_rod_angles(matrix.ravel(), -1.0))
        size = float(np.hypot(roll, pitch))
        assert_allclose([np.sin(size) * pitch / size, -np.sin(size) * roll / size, np.cos(size)], -matrix[:, 2])
    for found in (find_body_angles(np.zeros(9)), find_rod_angles(np.zeros(9), 1.0)):
        assert not found.any()


def test_outputs_of_a_swinging_rod_and_body(tmp_path: Path) -> None:
    """A pinned rod and a pinned body swing: angles, rates and angular accelerations agree with the positions of a node
    of the rod and with differences in time.
    """
    names = "Rod1N2PX Rod1N2PZ Rod1PX Rod1RX Rod1RY Rod1RVY Rod1RAY Rod1N2VX Rod1AX Body1RY Body1RVY"
    outputs = f"--- OUTPUTS ---\n{names} Body1RAY Body1AZ\nEND\n--- end ---\n"
    mooring = load(
        tmp_path,
        OPTIONS.replace("--- end ---\n", outputs),
        rods="1 rod Pinned 1 0 -20 2 0 -16 4 -",
        bodies="1 CoupledPinned 0 9 -5 0 20 0 100 0|0|-2 50 0 0 0",
    )
    found, step = wl.Sensors(None, mooring.sensors()), 0.01
    wl.Dynamic(mooring.world, step=step, end=2.0, name="").solve(mooring.start(), hooks=[found])
    assert found.units["Rod1RY"] == "deg" and found.units["Body1RAY"] == "deg/s^2"
    across, up = found["Rod1N2PX"] - 1.0, found["Rod1N2PZ"] + 20.0
    assert_allclose(found["Rod1RY"], np.degrees(np.arctan2(across, up)), atol=1e-6)
    assert_allclose(found["Rod1RX"], 0.0, atol=1e-9)
    assert_allclose(found["Rod1PX"], 1.0, atol=1e-9)
    assert_allclose(found["Rod1AX"], 0.0, atol=1e-3)
    assert_allclose(found["Rod1N2VX"], np.radians(found["Rod1RVY"]) * up, atol=1e-6)
    assert np.ptp(found["Rod1RY"]) > 20.0 and np.ptp(found["Body1RY"]) > 20.0
    for item in ("Rod1", "Body1"):
        for rate, value in (("RVY", "RY"), ("RAY", "RVY")):
            slope = np.gradient(found[item + value], step)[20:-1]
            assert_allclose(found[item + rate][20:-1], slope, atol=0.02 * np.abs(slope).max())


@pytest.mark.parametrize("side", [1, -1])
def test_beam_that_a_fixed_rod_clamps(side: int, tmp_path: Path) -> None:
    """A line with bending stiffness is clamped at a fixed rod: the deflection of its free end is w L⁴/(8 EI)."""
    stiff = TYPES.replace("1e6 -0.5 0 ", "1e6 -0.5 5e3 ")
    ends = {1: "-2 0 10 0 0 10", -1: "0 0 10 2 0 10"}[side]
    text = f"{stiff}{RODS}--- RODS ---\nname\nunit\n1 slim Fixed {ends} 1 -\n--- POINTS ---\nname\nunit\n"
    text += f"1 Free {4 * side} 0 10 0 0 0 0\n--- LINES ---\nname\nunit\n1 rope R1{'B' if side > 0 else 'A'} 1 4 10 -\n"
    (tmp_path / "model.txt").write_text(text + AIR)
    mooring = wl.moordyn.load(tmp_path / "model.txt")
    state = mooring.rest(name="")
    place = wl.eval_output(mooring.points[1], "position", state)
    assert_allclose(10.0 - place[2], 0.4 * GRAVITY * 4.0**4 / (8.0 * 5e3), rtol=1e-3)
    assert_allclose(place[:2], [4.0 * side, 0.0], atol=1e-3)
