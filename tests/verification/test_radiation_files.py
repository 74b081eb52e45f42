"""Tests of files of radiation programs: readers, and retardation functions, states and floaters made from these files.

The files of tests/reference/radiation were computed with Capytaine 3.0 for a hemisphere with the radius 5 m in deep
water, with 240 panels. The files contain surge and heave, and headings of 0 and 180 degrees.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass import connectors as con
from windlass.connectors.vessels.hydrodynamics import eval_retardation
from windlass.elements import RigidBody3D
from windlass.framework.arrays import FloatArray

FOLDER = Path(__file__).resolve().parents[1] / "reference" / "radiation"
RHO, G, RADIUS = 1025.0, 9.81, 5.0
MASS = RHO * 2.0 / 3.0 * np.pi * RADIUS**3
NAMES = ("Surge", "Sway", "Heave", "Roll", "Pitch", "Yaw")


def write_dataset(file: Path, data: con.Hydrodynamics, **changes: Any) -> Path:
    """Write a dataset with the layout of Capytaine: axes in another order, and a row at infinite frequency."""
    omega = np.append(data.frequencies, np.inf)
    assert data.excitation is not None
    parts = {
        "omega": (omega, ("omega",)),
        "complex": (np.array([b"re", b"im"]), ("complex",)),
        "wave_direction": (data.excitation.headings, ("wave_direction",)),
        "influenced_dof": (np.array(NAMES, "S"), ("influenced_dof",)),
        "radiating_dof": (np.array(NAMES, "S"), ("radiating_dof",)),
        "added_mass": (np.concatenate((data.added_mass, data.infinite[None])), ("omega", "influenced_dof",
                                                                                "radiating_dof")),
        "radiation_damping": (np.concatenate((data.damping, 0.0 * data.infinite[None])).transpose(0, 2, 1),
                              ("omega", "radiating_dof", "influenced_dof")),
    }  # fmt: skip
    forces = np.concatenate((data.excitation.values, 0.0 * data.excitation.values[:1]))
    both = np.stack((forces.real, forces.imag))
    for name, share in (("Froude_Krylov_force", 0.75), ("diffraction_force", 0.25)):
        parts[name] = share * both, ("complex", "omega", "wave_direction", "influenced_dof")
    with h5py.File(file, "w") as out:
        for name, (values, dimensions) in (parts | changes).items():
            if values is not None:
                out[name] = values
                if dimensions == (name,):
                    out[name].make_scale(name)
        for name, (values, dimensions) in (parts | changes).items():
            for k, dimension in enumerate(dimensions if values is not None and dimensions != (name,) else ()):
                out[name].dims[k].attach_scale(out[dimension])
    return file


def test_both_formats(tmp_path: Path) -> None:
    """A dataset of Capytaine and files of WAMIT with the same content yield the same values. Lengths and densities
    scale the values of WAMIT.
    """
    data = con.read_wamit(FOLDER / "sphere.1", density=RHO, gravity=G)
    other = con.read_capytaine(write_dataset(tmp_path / "sphere.nc", data))
    for name in ("frequencies", "added_mass", "damping", "infinite"):
        assert_allclose(getattr(other, name), getattr(data, name), rtol=1e-12)
    assert data.excitation is not None and other.excitation is not None
    assert_allclose(other.excitation.values, data.excitation.values, rtol=1e-12)
    scaled = con.read_wamit(FOLDER / "sphere", density=2.0 * RHO, gravity=0.5 * G, length=3.0)
    assert_allclose(scaled.added_mass, 2.0 * 27.0 * data.added_mass)
    assert scaled.excitation is not None
    assert_allclose(scaled.excitation.values, 9.0 * data.excitation.values)


def test_dataset_of_capytaine() -> None:
    """A dataset of Capytaine agrees with the files of WAMIT of the same run."""
    data = con.read_wamit(FOLDER / "sphere.1", density=RHO, gravity=G)
    other = con.read_capytaine(FOLDER / "sphere.nc")
    count = len(data.frequencies)
    assert_allclose(other.frequencies[:count], data.frequencies, rtol=1e-5)
    assert data.excitation is not None and other.excitation is not None
    for freedom in (0, 2):
        for name in ("added_mass", "damping"):
            values = getattr(data, name)[:, freedom, freedom]
            assert_allclose(getattr(other, name)[:count, freedom, freedom], values, atol=1e-5 * values.max())
        forces = data.excitation.values[:, :, freedom]
        assert_allclose(other.excitation.values[:count, :, freedom], forces, atol=1e-5 * np.abs(forces).max())


def test_hemisphere() -> None:
    """The added mass of a hemisphere in heave at infinite frequency is half of its mass, and 83 % of its mass at low
    frequencies. Long waves lift the hemisphere with the stiffness of its waterplane, in phase with the surface.
    """
    data = con.read_wamit(FOLDER / "sphere.1", density=RHO, gravity=G)
    assert_allclose(data.infinite[2, 2] / MASS, 0.5, rtol=0.04)
    assert_allclose(data.added_mass[0, 2, 2] / MASS, 0.831, rtol=0.06)
    assert data.excitation is not None
    force = data.excitation.values[0, 0, 2]
    assert_allclose(abs(force), RHO * G * np.pi * RADIUS**2, rtol=0.06)
    assert abs(np.angle(force)) < 0.01
    # the surge force of a wave along x has its maximum a quarter of a period before the crest
    assert_allclose(np.angle(data.excitation.values[0, :, 0]), [-0.5 * np.pi, 0.5 * np.pi], atol=0.02)


def test_added_mass_at_infinite_frequency(tmp_path: Path) -> None:
    """Without a row for infinite frequency, the added mass at infinite frequency follows from added mass and damping of
    all frequencies within 2.5 %.

    The damping beyond the last frequency, 15 and 58 % of the largest damping of heave and surge, is extrapolated.
    """
    data = con.read_wamit(FOLDER / "sphere.1")
    lines = (FOLDER / "sphere.1").read_text().splitlines()
    (tmp_path / "sphere.1").write_text("\n".join(line for line in lines if float(line.split()[0]) > 0.0))
    found = con.read_wamit(tmp_path / "sphere.1")
    assert found.excitation is None
    assert_allclose(np.diag(found.infinite)[[0, 2]], np.diag(data.infinite)[[0, 2]], rtol=0.025)


def eval_radiation(radiation: con.Radiation, omega: float) -> FloatArray:
    """Return the transform of the impulse responses of the states at a frequency, shape (6, 6)."""
    P = radiation.system_matrix
    return radiation.force_matrix @ np.linalg.solve(1j * omega * np.eye(len(P)) - P, radiation.rate_matrix)


def test_states_have_the_damping_of_the_file() -> None:
    """The states reproduce B + iω (A - M∞) within 3 % of its largest value up to 2 rad/s.

    Values of the file near 2.24 rad/s, the irregular frequency k R = 2.56 of a hemisphere, are errors of the panel
    method. Values near the last frequency, 3 rad/s, depend on the extrapolated damping.
    """
    data = con.read_wamit(FOLDER / "sphere.1")
    radiation = data.fit_radiation(tolerance=0.02)
    assert len(radiation.system_matrix) <= 24
    low = data.frequencies < 2.0
    for freedom in (0, 2):
        K = np.array([eval_radiation(radiation, w)[freedom, freedom] for w in data.frequencies])
        A, B = data.added_mass[:, freedom, freedom], data.damping[:, freedom, freedom]
        exact = B + 1j * data.frequencies * (A - data.infinite[freedom, freedom])
        assert_allclose(np.abs(K - exact)[low], 0.0, atol=0.03 * np.abs(exact).max())


@pytest.mark.parametrize("tolerance", [0.05, 0.01])
def test_states_have_no_damping_at_frequency_zero(tolerance: float) -> None:
    """The states have no damping at the frequency 0. With the default tolerance, the error of the damping up to
    0.6 rad/s is below 1.5 % of the largest damping.
    """
    data = con.read_wamit(FOLDER / "sphere.1")
    radiation = data.fit_radiation(tolerance=tolerance)
    for freedom in (0, 2):
        B = data.damping[:, freedom, freedom]
        assert abs(eval_radiation(radiation, 0.0)[freedom, freedom]) < 1e-9 * B.max()
        low = [eval_radiation(radiation, w)[freedom, freedom].real for w in data.frequencies[:4]]
        assert tolerance > 0.01 or np.abs(low - B[:4]).max() < 0.015 * B.max()


def test_retardation_of_a_closed_form() -> None:
    """The damping B = b ω² exp(-ω/c) has the retardation function 2 b/π Re 2/(1/c - i t)³."""
    c, omega = 0.25, np.linspace(0.01, 6.0, 600)
    t = np.linspace(0.0, 40.0, 30)
    found = eval_retardation(omega, (omega**2 * np.exp(-omega / c))[:, None], t)[:, 0]
    exact = 2.0 / np.pi * np.real(2.0 / (1.0 / c - 1j * t) ** 3)
    assert_allclose(found, exact, atol=2e-4 * exact[0])


def integrate_heave(data: con.Hydrodynamics, stiffness: float, dt: float, count: int) -> FloatArray:
    """Return the heave [m] of the sphere at multiples of dt [s] after an impulse, computed by the convolution integral
    and central differences.
    """
    k = data.eval_retardation(dt * np.arange(count))[:, 2, 2]
    z, v = np.zeros(count), np.zeros(count)
    v[0] = 1.0
    for n in range(count - 1):
        rates = v[n::-1] * k[: n + 1]
        memory = dt * (rates.sum() - 0.5 * rates[0] - 0.5 * rates[-1]) if n else 0.0
        a = -(stiffness * z[n] + memory) / (MASS + data.infinite[2, 2])
        z[n + 1] = z[n] + dt * v[n] + 0.5 * dt**2 * a
        # velocity at the end of the step, corrected by the next accelerations
        v[n + 1] = v[n] + dt * a
        rates = v[n + 1 :: -1] * k[: n + 2]
        memory = dt * (rates.sum() - 0.5 * rates[0] - 0.5 * rates[-1])
        later = -(stiffness * z[n + 1] + memory) / (MASS + data.infinite[2, 2])
        v[n + 1] = v[n] + 0.5 * dt * (a + later)
    return z


def test_heave_decay() -> None:
    """After an impulse in heave, the motion of a floater with the states of the file agrees with the solution by the
    convolution integral within 1.5 % of the amplitude.
    """
    data = con.read_wamit(FOLDER / "sphere.1", density=RHO, gravity=G)
    stiffness = RHO * G * np.pi * RADIUS**2
    world = wl.World(gravity=(0.0, 0.0, -G))
    body = world.add(RigidBody3D, position=(0.0, 0.0, 0.0), mass=MASS, inertia=(1e6, 1e6, 1e6))
    sea = world.add(con.Fluid, density=RHO)
    con.floater(
        world, body, sea, added_mass=data.infinite, stiffness=np.diag([0.0, 0.0, stiffness, 0.0, 0.0, 0.0]),
        volume=MASS / RHO, radiation=data.fit_radiation(),
    )  # fmt: skip
    con.fix(world, body, "x", "y", "e1", "e2", "e3")
    state = wl.State(world)
    state.put(body, [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0], "v")
    sensors = wl.Sensors(None, [wl.Sensor(body, "position", 2, "z")])
    wl.Dynamic(world, step=0.02, end=14.0, name="").solve(state, hooks=[sensors])
    exact = integrate_heave(data, stiffness, 0.01, 1401)
    found = np.interp(0.01 * np.arange(1401), sensors.times, np.ravel(sensors["z"]))
    assert_allclose(found, exact, atol=0.015 * np.abs(exact).max())


def test_vessel_moves_as_the_free_floater() -> None:
    """After the start, the motion of a vessel that is prescribed by the RAO of the files agrees with the motion of the
    free floater in the same regular wave within 1.5 % of the amplitude. In long waves the sphere follows the surface.
    """
    data = con.read_wamit(FOLDER / "sphere.1", density=RHO, gravity=G)
    stiffness = np.diag([0.0, 0.0, RHO * G * np.pi * RADIUS**2, 1e7, 1e7, 1e7])
    mass = np.diag([MASS, MASS, MASS, 1e6, 1e6, 1e6])
    damping = np.diag([0.0, 0.0, 2e4, 0.0, 0.0, 0.0])
    rao = data.find_rao(mass, stiffness, damping)
    assert_allclose(rao.eval_response(rao.frequencies[0], 0.0)[0, 2], 1.0, atol=0.02)
    period = 2.0 * np.pi / data.frequencies[len(data.frequencies) // 3]
    moved = []
    for free in (True, False):
        world = wl.World(gravity=(0.0, 0.0, -G))
        sea = world.add(con.Fluid, density=RHO, **con.regular_wave(0.2, period), wave_growth=4.0 * period)
        if free:
            body = world.add(RigidBody3D, position=(0.0, 0.0, 0.0), mass=MASS, inertia=(1e6, 1e6, 1e6))
            con.floater(
                world, body, sea, added_mass=data.infinite, stiffness=stiffness, volume=MASS / RHO, damping=damping,
                radiation=data.fit_radiation(tolerance=0.01), excitation=data.excitation,
            )  # fmt: skip
            con.fix(world, body, "y", "e1", "e2", "e3")
        else:
            body = con.vessel(world, sea, rao).body
        sensors = wl.Sensors(None, [wl.Sensor(body, "position", 2, "z")])
        wl.Dynamic(world, step=period / 100.0, end=16.0 * period, name="").solve(hooks=[sensors])
        at = np.linspace(12.0, 16.0, 200) * period
        moved.append(np.interp(at, sensors.times, np.ravel(sensors["z"])))
    assert_allclose(moved[1], moved[0], atol=0.015 * np.abs(moved[0]).max())


def test_errors(tmp_path: Path) -> None:
    """Wrong files and tolerances cause errors that state file, value and allowed range."""
    text = (FOLDER / "sphere.1").read_text()
    for changed, words in (
        ("", "has no rows: must have rows of 5 numbers"),
        (text + "1 2 x 3 4\n", "must have 5 numbers"),
        (text + "1.5 1 1 3.0\n", "has 4 numbers: must have 5"),
        (text + "1.5 7 7 3.0 1.0\n", "mode 7 in the files"),
        (text + "1.5 5 5 3.0 1.0\n", "has no added mass for a pair of modes at some frequencies"),
        ("2.0 1 1 3.0 1.0\n", "has 1 frequencies > 0 and < infinity: must have at least 3"),
    ):
        (tmp_path / "wrong.1").write_text(changed)
        with pytest.raises(wl.ModelError, match=re.escape(words)):
            con.read_wamit(tmp_path / "wrong.1")
    with pytest.raises(wl.ModelError, match=r"none\.1 cannot be read"):
        con.read_wamit(tmp_path / "none")
    (tmp_path / "wrong.1").write_text(text)
    rows = (FOLDER / "sphere.3").read_text().splitlines()
    (tmp_path / "wrong.3").write_text("\n".join(rows[1:]))
    with pytest.raises(wl.ModelError, match=r"has no force for a period, heading and mode: must have all"):
        con.read_wamit(tmp_path / "wrong.1")
    first = rows[0].split()
    (tmp_path / "wrong.3").write_text("\n".join(" ".join([period, *first[1:]]) for period in ("0.0", "-1.0")))
    with pytest.raises(wl.ModelError, match=r"wrong\.3 has no period > 0 s: must have wave forces for periods > 0"):
        con.read_wamit(tmp_path / "wrong.1")
    data = con.read_wamit(FOLDER / "sphere.1")
    with pytest.raises(wl.ModelError, match="give a singular matrix at"):
        data._replace(added_mass=0.0 * data.added_mass, damping=0.0 * data.damping).find_rao(*np.zeros((2, 6, 6)))
    with pytest.raises(wl.ModelError, match=r"excitation = None in find_rao: must be forces of waves"):
        data._replace(excitation=None).find_rao(np.eye(6), np.eye(6))
    with pytest.raises(wl.ModelError, match="tolerance = 1e-09 of the retardation of surge by surge with at most 3"):
        data.fit_radiation(tolerance=1e-9, largest=3)
    with pytest.raises(wl.ModelError, match=r"damping = 0 N s/m of surge, sway and heave: must be > 0"):
        data._replace(damping=0.0 * data.damping).fit_radiation()
    (tmp_path / "text.nc").write_text("no dataset")
    with pytest.raises(wl.ModelError, match=r"text\.nc cannot be read: must be NetCDF 4"):
        con.read_capytaine(tmp_path / "text.nc")
    freedoms = np.array(("Surge__ship", *NAMES[1:]), "S"), ("influenced_dof",)
    for k, (change, words) in enumerate((
        ({"added_mass": (None, ())}, "has no variable added_mass: must be a dataset of Capytaine"),
        ({"influenced_dof": freedoms}, "influenced_dof 'Surge__ship' in"),
        ({"added_mass": (np.zeros((6, 6)), ("influenced_dof", "radiating_dof"))}, "must have ['omega', 'influenced_"),
    )):  # fmt: skip
        with pytest.raises(wl.ModelError, match=re.escape(words)):
            con.read_capytaine(write_dataset(tmp_path / f"wrong{k}.nc", data, **change))
