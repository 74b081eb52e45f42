"""Waves and currents of MoorDyn's input files: grids of currents, spectra, measured elevations, Wheeler's profile."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass.moordyn.water import CurrentGrid

from support.moordyn_motions import FOLDER

CHAIN = (FOLDER / "chain" / "chain.txt").read_text()
OPTION = "1             writeLog"
HEADING = "a\nb\nc\nd\n"


def load(folder: Path, options: str, **files: str) -> wl.moordyn.Mooring:
    """Return the model of the chain with further options and files."""
    for name, text in files.items():
        (folder / f"{name}.txt").write_text(text)
    file = folder / "model.txt"
    file.write_text(CHAIN.replace(OPTION, options, 1))
    return wl.moordyn.load(file)


def read_flow(mooring: wl.moordyn.Mooring, x: np.ndarray, t: float) -> np.ndarray:
    """Return velocities of the current at positions x."""
    velocity, acceleration = mooring.sea.table.local("function")[0](t, x)
    assert not acceleration.any()
    return np.asarray(velocity)


def test_current_grid_is_exact_for_products_of_linear_functions() -> None:
    """A velocity that is linear in x, y, z and t is interpolated exactly. The velocity is constant beyond the grid, and
    is repeated after the last time.
    """
    rng = np.random.default_rng(1)
    axes = [np.sort(rng.uniform(-9.0, 9.0, n)) for n in (4, 3, 5)] + [np.array([0.0, 3.0])]
    slopes = rng.normal(size=(4, 3))

    def flow(*x: np.ndarray) -> np.ndarray:
        return np.stack(
            [np.prod([1.0 + s[k] * v for s, v in zip(slopes, x, strict=True)], axis=0) for k in range(3)], -1
        )

    grid = CurrentGrid((axes[0], axes[1], axes[2], axes[3]), flow(*np.meshgrid(*axes, indexing="ij")))
    x, t = rng.uniform(-12.0, 12.0, (50, 3)), 1.7
    inside = [np.clip(v, axis[0], axis[-1]) for v, axis in zip((*x.T, np.full(50, t)), axes, strict=True)]
    assert_allclose(grid(t, x)[0], flow(*inside), rtol=1e-12, atol=1e-12)
    assert_allclose(grid(99.0, x)[0], grid(0.0, x)[0], rtol=1e-12)


def test_currents_of_files(tmp_path: Path) -> None:
    """A dynamic profile, a grid, and a steady profile with vertical velocities have the velocities of their files."""
    x = np.array([[0.5, 0.0, -5.0], [0.5, 0.0, -99.0]])
    dynamic = HEADING + "-10 0\n\n0 0 0 0 0\n10 1 3 2 4\n"
    found = read_flow(load(tmp_path, "2 Currents", current_profile_dynamic=dynamic), x, 5.0)
    assert_allclose(found, [[1.0, 1.5, 0.0], [0.5, 1.0, 0.0]], rtol=1e-12)
    rows = [f"{x} 0 {z} {t} {x + t} {z} {x * z}" for x in (0, 1) for z in (-10, 0) for t in (0, 2)]
    grid = "2 1 2 2\n0 1\n0\n-10 0\n0 2\n" + "\n".join(rows)
    found = read_flow(load(tmp_path, "5 Currents", current_profile_4d=grid), x, 1.0)
    assert_allclose(found, [[1.5, -5.0, -2.5], [1.5, -10.0, -5.0]], rtol=1e-12)
    steady = "a\nb\nc\n-10 1 0 0.5\n0 3 0 0\n"
    found = read_flow(load(tmp_path, "1 Currents", current_profile=steady), x, 0.0)
    assert_allclose(found, [[2.0, 0.0, 0.25], [1.0, 0.0, 0.5]], rtol=1e-12)


def eval_elevation(mooring: wl.moordyn.Mooring, t: np.ndarray) -> np.ndarray:
    """Return the elevation of the surface at the origin, η = Σ A cos(φ - ω t)."""
    names = ("wave_amplitudes", "wave_frequencies", "wave_phases")
    A, w, phase = (mooring.sea.table.local(name)[0] for name in names)
    return np.cos(phase - np.outer(t, w)) @ A


def test_measured_elevation(tmp_path: Path) -> None:
    """The waves of WaveKin = 3 have the elevations of the file at the times of the file; waves above 0.5 Hz and the
    mean elevation are omitted with a note.
    """
    t = 0.5 * np.arange(64)
    w = 2.0 * np.pi / 32.0
    slow = 0.8 * np.cos(2 * w * t + 0.3) + 0.4 * np.sin(5 * w * t)
    rows = "\n".join(f"{a:.12g} {b:.12g}" for a, b in zip(t, slow + 0.1 * np.sin(20 * w * t) + 0.05, strict=True))
    mooring = load(tmp_path, "3 WaveKin\n0.5 dtWave", wave_elevation=rows)
    assert_allclose(eval_elevation(mooring, t), slow, atol=1e-10)
    assert len(mooring.sea.table.local("wave_amplitudes")[0]) == 2
    assert any("mean elevation of 0.05 m" in note for note in mooring.notes)
    assert mooring.sea.table.local("stretching")[0] == "wheeler"


def test_spectrum_at_equal_steps(tmp_path: Path) -> None:
    """Amplitudes of WaveKin = 2 are interpolated at equal steps of the frequency: Re Σ A exp(i ω t)."""
    mooring = load(tmp_path, "2 WaveKin", wave_frequencies="0 0 0\n0.2 1 0.5\n0.6 0 -0.5\n0.8 0 0\n")
    t, total = np.linspace(0.0, 60.0, 7), np.zeros(7)
    for w, A in ((0.2, 1 + 0.5j), (0.4, 0.5), (0.6, -0.5j)):
        total += (A * np.exp(1j * w * t)).real
    assert_allclose(eval_elevation(mooring, t), total, atol=1e-12)


def test_waves_of_another_program(tmp_path: Path) -> None:
    """With WaveKin = 1 the water does not move, and a note states that the water is still."""
    mooring = load(tmp_path, "1 WaveKin")
    assert not len(mooring.sea.table.local("wave_amplitudes")[0])
    assert any("the water is still" in note for note in mooring.notes)


@pytest.mark.parametrize(
    ("option", "files", "message"),
    [
        ("4 WaveKin", {}, "WaveKin = 4: must be 0 (none), 1 (other program), 2, 3 (grids) or 7"),
        ("3 Currents", {}, "Currents = 3: must be 0 (none), 1 (steady profile), 2 (dynamic"),
        ("2 WaveKin", {"wave_frequencies": "0.1 1 0\n0.2 1 0"}, "must have two or more ascending frequencies"),
        ("3 WaveKin", {"wave_elevation": "1 0\n9 0"}, "must have ascending times from 0 s, and must end at 0.25 s"),
        ("3 WaveKin", {"wave_elevation": "0 1\n9 1"}, "wave_elevation.txt has no wave"),
        (
            "2 Currents",
            {"current_profile_dynamic": HEADING + "-10 0\n\n0 1\n"},
            "must have ascending heights in line 5",
        ),
        ("5 Currents", {"current_profile_4d": "1 1 1 2\n0\n0\n0\n0 1\n0 0 0 0 1 0 0"}, "a velocity at each point"),
        ("5 Currents", {"current_profile_4d": "1 1 1 1\n0\n0\n0\n0\n0 0 0 2 1 0 0"}, "at a point of the grid"),
        ("5 Currents", {"current_profile_4d": "1 1 1 3\n0\n0\n0\n0\n0 0 0 0 1 0 0"}, "the numbers of x, y, z and t"),
    ],
)
def test_refused(option: str, files: dict[str, str], message: str, tmp_path: Path) -> None:
    """Options and files without translation are refused with the allowed values."""
    with pytest.raises(wl.moordyn.NotTranslated) as error:
        load(tmp_path, option, **files)
    assert message in str(error.value)
