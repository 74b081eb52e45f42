"""Contact at points of the axis is compared with theory (capstan, bent belt, stiff belt, creep). Results on several
processes and of kernels as plain Python are compared with results of compiled kernels on one process.

Cases in which points are more accurate than straight segments are also computed with segments.
"""

from __future__ import annotations

from math import exp, pi
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from windlass.connectors import ContactCircleCable2D, ContactFrictionCircleCable2D, ContactFrictionCirclePoints2D
from windlass.solvers.stepping.discontinuous import Passes

from support.belt_theory import solve_bent_belt
from support.contact_forms import BEND_DISTANCE, BEND_RADIUS, create_drive, run_drive, solve_bent, solve_capstan
from support.processes import ROOT, run_python

POINTS = ContactFrictionCirclePoints2D


@pytest.mark.parametrize(("elements", "segments"), [(20, 2), (40, 2)])
def test_capstan(elements: int, segments: int) -> None:
    """The ratio of the tensions of a rope that is pulled over half a turn, mu = 0.5, agrees with exp(mu pi) within
    2e-4. The error with segments is much larger.

    Measured errors are 7.5e-5 and 8e-7, and with segments -2.9e-3 and -7.7e-4.
    """
    exact = exp(0.5 * pi)
    error = abs(solve_capstan(POINTS, elements, segments, 0.5, steps=40)[0] / exact - 1.0)
    rough = abs(solve_capstan(ContactFrictionCircleCable2D, elements, segments, 0.5, steps=40)[0] / exact - 1.0)
    assert error < 2e-4
    assert rough > 10.0 * error


def test_order_of_a_bent_belt() -> None:
    """The tension of a preloaded belt with bending stiffness, EI/(T R²) = 0.1, is compared with the elastica on a
    foundation.

    From 20 to 80 elements with 6 points, the error decreases from 6.5e-3 to 4e-5 with order 3.7. With segments the
    error decreases from 4e-2 to 2e-3 with order 2. On fine meshes the remaining error is due to the last contact point,
    which is closed or open.
    """
    EA, e0, EI, k = 8000.0, -0.05, 0.4, 1e8
    exact = solve_bent_belt(EA, e0, EI, k, BEND_RADIUS, BEND_DISTANCE).tension
    error = {n: abs(solve_bent(POINTS, n, 6, EA, e0, EI, k)[0] / exact - 1.0) for n in (20, 40, 80)}
    assert np.log2(error[20] / error[80]) / 2.0 > 3.0
    assert error[20] < 1e-2 and error[40] < 6e-4 and error[80] < 1e-4
    rough = abs(solve_bent(ContactCircleCable2D, 40, 4, EA, e0, EI, k)[0] / exact - 1.0)
    assert rough > 15.0 * error[40]


def test_tension_of_a_stiff_belt() -> None:
    """The tension of a belt with EA 4e5 N, reference strain -0.001 and 60 elements agrees with -EA e0, minus the effect
    of the contact depth, within 0.6 %. The error of segments is +20 %.

    On both circles, the contact depth T/(R k) shortens the belt by 2 pi T/(R k) in total. Bending stiffness is
    negligible. Measured errors are -0.14 % with 2 points and +0.46 % with 4 points.
    """
    EA, e0, k = 4e5, -1e-3, 3.2e10
    length = 2.0 * pi * BEND_RADIUS + 2.0 * BEND_DISTANCE
    exact = -EA * e0 / (1.0 + EA * 2.0 * pi / (BEND_RADIUS * k * length))
    for segments in (2, 4):
        assert_allclose(solve_bent(POINTS, 60, segments, EA, e0, 1e-3, k)[0], exact, rtol=6e-3)
    assert solve_bent(ContactCircleCable2D, 60, 4, EA, e0, 1e-3, k)[0] > 1.15 * exact


def test_creep() -> None:
    """The speed loss of a loaded drive agrees with the theory with inertia, for 60 elements with 2 points each and rhoA
    v²/T = 3 %.

    The tolerances are 0.7 % for the speed loss, 0.5 % for tensions and 0.5 % for the torque balance. Measured errors
    are +0.34 % for the loss, +0.34 % and +0.07 % for tensions, and 0.05 % for the balance. The power lost between drive
    and brake is dissipated by friction, except for the power of the dampers of axis and contact (the measured fraction
    is 1.9 %).
    """
    settings = {"passes": Passes(atol=1e-3, max_it=6)}
    model = create_drive(POINTS, 60, 2, 8000.0, -0.05, brake=0.6)
    run = run_drive(model, 8000.0, -0.05, step=3e-4, end=0.6, last=0.15, brake=0.6, **settings)
    assert run.solver.statistics.unconverged_passes == 0
    assert_allclose(run.found.speed_loss, run.theory.speed_loss, rtol=7e-3)
    assert_allclose([run.found.tight, run.found.slack], [run.theory.tight, run.theory.slack], rtol=5e-3)
    torque, brake, drive = run.torques
    assert_allclose([torque, -drive], brake, rtol=5e-3)
    assert 0.96 < run.lost / (brake * 40.0 * run.found.speed_loss) < 1.0


def run_points(folder: Path, processes: int) -> Any:
    """Run the program of the drive on a number of processes."""
    path = folder / f"points{processes}.npz"
    done = run_python([ROOT / "tests/support/parallel_points.py", path], processes)
    assert done.returncode == 0, done.stderr
    return np.load(path)


@pytest.fixture(scope="module")
def serial(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return run_points(tmp_path_factory.mktemp("points"), 1)


@pytest.mark.mpi
@pytest.mark.parametrize("processes", [2, 3])
def test_several_processes(serial: Any, processes: int, tmp_path: Path) -> None:
    """Coordinates, velocities, history, outputs and reports on several processes agree to 1e-8. Newton iterations and
    passes are equal.
    """
    found = run_points(tmp_path, processes)
    assert serial["closed"].any() and (serial["state"] == 0.0).any()
    np.testing.assert_array_equal(found["counts"], serial["counts"])
    # loading the state fails with the same message on all numbers of processes, because the switches of single rows
    # differ
    assert str(found["refused"]) == str(serial["refused"]) and "row 5: 0.5 1 in" in str(serial["refused"])
    for name in set(serial.files) - {"counts", "refused"}:
        scale = max(float(np.abs(serial[name]).max()), 1e-3)
        assert_allclose(found[name], serial[name], atol=1e-8 * scale, rtol=0, err_msg=name)


def test_without_compiler(serial: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Results of kernels as plain Python and of compiled kernels agree."""
    monkeypatch.setenv("WINDLASS_JIT", "0")
    found = run_points(tmp_path, 1)
    for name in ("q", "data", "state", "counts"):
        assert_allclose(found[name], serial[name], atol=1e-10, rtol=0, err_msg=name)
