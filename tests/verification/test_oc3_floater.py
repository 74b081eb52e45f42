"""Coefficients, natural periods and damping of the OC3-Hywind spar by Cummins' equation are compared with published
values.

The coefficients of radiation are read from tests/reference/radiation/spar.nc, which make_spar.py computes with
Capytaine. Periods refer to the complete system: spar with ballast, tower, nacelle, rotor and lines.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import eigh

import windlass as wl
from windlass import connectors as con
from windlass.framework.arrays import FloatArray

from support import oc3
from support.oc3 import DAMPING, REPORT, Spar, create_spar, eval_inertia

DATA = con.read_capytaine(oc3.RADIATION)
PAIRS = np.array([0, 0, 2, 4]), np.array([0, 4, 2, 4])
"""Degrees of freedom: surge by surge, surge by pitch, heave by heave, pitch by pitch."""
INFINITE = np.array([7_759_111.6, -483_140_617.5, 241_254.9, 37_936_182_750.0])
"""Added mass [kg, kg m, kg m^2] of `PAIRS` at infinite frequency, from WAMIT.

Source: BModes (github.com/old-NWTC/BModes), example OC3Hywind, matrix hydro_M.
"""
TIMES = np.array([2.0, 4.0])  # [s]
LARGEST = np.array([402_851.0, 2_541_250.0, 6_774.55, 33_711_500.0])
RETARDATION = np.array(
    [[-164_439.0, 941_863.0, -2_289.18, -1_352_130.0], [29_344.2, 377_201.0, -2_090.98, -13_870_100.0]]
)
"""Retardation functions [N/m, N, N m] of `PAIRS` at `TIMES`, from the damping of WAMIT. ``LARGEST`` contains their
largest values.

Source: OpenFAST (github.com/OpenFAST/r-test, commit 004509e), 5MW_OC3Spar_DLL_WTurb_WavesIrr, linux-gnu, file HD.sum.
"""
MODES = {"surge": (122.91, None), "heave": (30.836, 0.0384), "pitch": (29.42, None), "yaw": (7.681, 0.0484)}
"""Natural period [s] and damping ratio [1]. In surge and pitch the published damping also contains drag of the spar.

Source: eigenvalues of the state matrix of OpenFAST (github.com/OpenFAST/r-test, commit 05361e0, 5MW_OC3Spar_Linear) in
multi-blade coordinates, with the rotations of nacelle, generator and drive train held. The matrix contains the added
mass of WAMIT at infinite frequency, no retardation functions, the lines by MAP, and no wind.
"""
BENDING = 1.009
"""Ratio of the periods of pitch with an elastic and with a rigid tower, for the tapered tube of NREL/TP-500-47535 with
deflections proportional to the square and the cube of the height, and the nacelle and rotor at its top. The published
tower is elastic.
"""
FREEDOMS = {"surge": (0, 4), "heave": (2,), "pitch": (4, 0), "yaw": (5,)}
"""Degrees of freedom of each mode. The first degree of freedom has the largest amplitude."""
K = oc3.eval_stiffness(REPORT)


def eval_shape(name: str) -> tuple[FloatArray, FloatArray]:
    """Return the shape [m and rad] of an undamped mode, and the forces that are orthogonal to the other modes,
    shape (6,) each.
    """
    rows = list(FREEDOMS[name])
    M = (eval_inertia(REPORT) + DATA.infinite)[np.ix_(rows, rows)]
    mode = -1 if name == "pitch" else 0
    found = eigh(K[np.ix_(rows, rows)], M)[1][:, mode]
    shape, force = np.zeros(6), np.zeros(6)
    shape[rows], force[rows] = found / found[0], M @ found / found[0]
    return shape, force


def measure_decay(model: Spar, name: str, step: float) -> tuple[float, float]:
    """Return the natural period [s] and the damping ratio [1] of the motion after an impulse in the shape of a mode."""
    state = wl.Static(model.world, name="").solve()
    shape, force = eval_shape(name)
    velocity = (0.002 if name in ("pitch", "yaw") else 0.1) * shape  # [m/s and rad/s]
    state.put(model.spar, [*velocity[:3], 0.0, *(0.5 * velocity[3:])], "v")
    path = wl.Sensors(
        None, [wl.Sensor(model.spar, "position", name="place"), wl.Sensor(model.spar, "rotation", name="axes")]
    )
    run = wl.Dynamic(model.world, step=step, end=1.8 * MODES[name][0], name="", velocities="project")
    run.solve(state, hooks=[path])
    A = path["axes"].reshape(-1, 3, 3)
    motion = np.column_stack((path["place"].reshape(-1, 3), A[:, 2, 1], A[:, 0, 2], A[:, 1, 0]))
    x, t = (motion - motion[0]) @ force, path.times
    k = np.flatnonzero((x[:-1] > 0.0) & (x[1:] <= 0.0))
    down = t[k] - x[k] * (t[k + 1] - t[k]) / (x[k + 1] - x[k])
    assert len(down) == 2
    decrement = np.log(x[t < down[0]].max() / x[t > down[0]].max())
    ratio = float(decrement / np.hypot(2.0 * np.pi, decrement))
    return float((down[1] - down[0]) * np.sqrt(1.0 - ratio**2)), ratio


def eval_linear_mode(name: str) -> tuple[float, float]:
    """Return the natural period [s] and the damping ratio [1] of the linear equation with added mass and damping of the
    file at the frequency of the mode.
    """
    rows = list(FREEDOMS[name])
    omega = 2.0 * np.pi / MODES[name][0]
    for _ in range(5):
        A, B = (
            np.array([[np.interp(omega, DATA.frequencies, part[:, i, j]) for j in rows] for i in rows])
            for part in (DATA.added_mass, DATA.damping)
        )
        M, n = eval_inertia(REPORT)[np.ix_(rows, rows)] + A, len(rows)
        D = DAMPING[np.ix_(rows, rows)] + B
        lower = -np.linalg.solve(M, np.hstack((K[np.ix_(rows, rows)], D)))
        values = np.linalg.eigvals(np.vstack((np.eye(n, 2 * n, n), lower)))
        value = values[np.argmin(np.abs(np.abs(values) - omega))]
        omega = float(abs(value))
    return 2.0 * np.pi / omega, float(-value.real / omega)


def test_coefficients() -> None:
    """Added mass at infinite frequency agrees with WAMIT within 0.5 %, and retardation functions within 2.5 % of their
    largest value. The published retardation functions have no damping above a largest frequency.
    """
    assert_allclose(DATA.infinite[PAIRS], INFINITE, rtol=5e-3)
    found = DATA.eval_retardation(TIMES)[(slice(None), *PAIRS)]
    assert (np.abs(found - RETARDATION) < 0.025 * LARGEST).all()


@pytest.mark.parametrize("name", list(MODES))
def test_published_modes(name: str) -> None:
    """Without retardation functions and with linear springs, as in the published matrix, periods agree within 0.1 %,
    in pitch within 0.3 %, and damping ratios within 1 %.
    """
    step = 0.02 if name == "yaw" else 0.1
    period, ratio = measure_decay(create_spar(0, hydrodynamics=DATA, memory=False), name, step)
    if name == "pitch":
        assert_allclose(BENDING * period, MODES[name][0], rtol=3e-3)
    else:
        assert_allclose(period, MODES[name][0], rtol=1e-3)
    if MODES[name][1] is not None:
        assert_allclose(ratio, MODES[name][1], rtol=0.01)


@pytest.mark.parametrize("name", ["surge", "heave", "pitch"])
def test_linear_modes(name: str) -> None:
    """With retardation functions, periods and damping ratios agree with the linear equation in the frequency domain."""
    period, ratio = measure_decay(create_spar(0, hydrodynamics=DATA), name, 0.1)
    exact = eval_linear_mode(name)
    assert_allclose(period, exact[0], rtol=1e-3)
    assert_allclose(ratio, exact[1], rtol=0.02)


def test_surge_decay() -> None:
    """On three lines of 20 cables the spar surges with the period of the linear equation within 0.5 %, and with the
    period of NREL/TP-500-47535, 1/(0.008 Hz), within 1 %.
    """
    period, ratio = measure_decay(create_spar(20, hydrodynamics=DATA), "surge", 0.25)
    exact = eval_linear_mode("surge")
    assert_allclose(period, exact[0], rtol=5e-3)
    assert_allclose(period, 1.0 / 0.008, rtol=0.01)
    # drag of the lines adds damping
    assert exact[1] < ratio < 1.3 * exact[1]
