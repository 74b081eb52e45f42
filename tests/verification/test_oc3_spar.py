"""The OC3-Hywind spar on its three lines, compared with the numbers of NREL/TP-500-47535 and with elastic
catenaries.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import eigh, eigvals, null_space

import windlass as wl
from windlass.framework.assembly.assembly import serial_assembly
from windlass.solvers.modes.matrices import LinearMotion
from windlass.solvers.sensitivities.damped_modes import to_sparse

from support.oc3 import ADDED_MASS, GRAVITY, MASS, PARTS, WATER, create_spar, eval_pull

SURGE, HEAVE, WEIGHT = 41_180.0, 11_940.0, 1_607_000.0
"""Stiffness [N/m] of the lines in surge and heave, and their vertical pull [N], from the report (section 5)."""
LINES = np.array([[41_180.0, -2_821_000.0], [-2_821_000.0, 311_100_000.0]])
"""Stiffness [N/m, N, N m] of the lines in surge and pitch, from the report."""
BUOYANCY = -4_999_180_000.0
"""Stiffness [N m] of the buoyancy in pitch, from the report; the weight is not included."""


def test_stiffness_of_the_lines() -> None:
    """The vertical pull and the stiffnesses of elastic catenaries agree with the report within the last digit of the
    report.
    """
    step = 0.5
    assert_allclose(-eval_pull((0.0, 0.0, 0.0))[2], WEIGHT, rtol=2e-4)
    for axis, stiffness in ((0, SURGE), (2, HEAVE)):
        one = step * np.eye(3)[axis]
        found = (eval_pull(tuple(-one)) - eval_pull(tuple(one)))[axis] / (2.0 * step)
        assert_allclose(found, stiffness, rtol=2e-4)


@pytest.mark.parametrize("surge", [-20.0, -5.0, 5.0, 20.0])
def test_static_offset(surge: float) -> None:
    """At surges of 5 and 20 m, the force of lines of 30 cables agrees with elastic catenaries within 0.05 %."""
    model = create_spar(30, held=(surge, 0.0, 0.0))
    state = wl.Static(model.world, name="").solve()
    assert model.supports is not None
    force = float(wl.eval_output(model.supports[0], "force", state))
    assert_allclose(force, eval_pull((surge, 0.0, 0.0))[0], rtol=5e-4)


def eval_period() -> float:
    """Return the surge period [s] of the spar with the matrices of the report in surge and pitch, and with the added
    mass of strips.
    """
    mass, height, inertia = PARTS.T
    edges = np.linspace(-120.0, 0.0, 1201)
    z, h = 0.5 * (edges[1:] + edges[:-1]), np.diff(edges)
    added = ADDED_MASS * WATER * np.pi / 4.0 * np.interp(z, (-12.0, -4.0), (9.4, 6.5)) ** 2 * h
    masses, heights = np.append(mass, added), np.append(height, z)
    own = np.append(inertia, np.zeros(len(z)))
    M = np.array([[masses.sum(), masses @ heights], [masses @ heights, np.sum(masses * heights**2 + own)]])
    K = LINES + np.diag([0.0, BUOYANCY - GRAVITY * mass @ height])
    return float(2.0 * np.pi / np.sqrt(eigh(K, M, eigvals_only=True)[0]))


def test_surge_decay() -> None:
    """The spar floats at its draft. The period of surge agrees with the report, 1/(0.008 Hz), and agrees within 0.5 %
    with the period that follows from the matrices of the report.
    """
    model = create_spar()
    state = wl.Static(model.world, name="").solve()
    assert abs(wl.eval_output(model.spar, "position", state)[2]) < 2e-3
    state.put(model.spar, [0.1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], "v")
    sensors = wl.Sensors(None, [wl.Sensor(model.spar, "position", 0, "surge")])
    run = wl.Dynamic(model.world, step=0.25, end=290.0, name="", velocities="project")
    run.solve(state, hooks=[sensors])
    x, t = np.ravel(sensors["surge"]), sensors.times
    k = np.flatnonzero((x[:-1] > 0.0) & (x[1:] <= 0.0))
    down = t[k] - x[k] * (t[k + 1] - t[k]) / (x[k + 1] - x[k])
    assert len(down) >= 2 and 0.0 < x[t > 130.0].max() < 0.9 * x.max()
    assert_allclose(down[1] - down[0], eval_period(), rtol=5e-3)
    assert_allclose(down[1] - down[0], 1.0 / 0.008, rtol=0.01)
    assert_allclose(MASS, PARTS[:, 0].sum(), rtol=1e-12)


def test_modes() -> None:
    """Twelve modes of the floating spar with its lines agree with a dense solve of the motions that the constraints
    allow. The matrices of spar and lines differ by many orders of magnitude. The frequencies of the platform agree with
    the report within 3 %.
    """
    model = create_spar(10)
    state = wl.Static(model.world, name="").solve()
    found = wl.Modes(model.world, count=12).solve(state)
    motion = LinearMotion(serial_assembly(model.world), state)
    M, D, K = (to_sparse(matrix).toarray() for matrix in (motion.M, motion.D, motion.K))
    held = motion.owned_multipliers
    free = np.setdiff1d(np.arange(len(K)), held)
    Z = null_space(K[np.ix_(held, free)])
    k, d, m = (Z.T @ matrix[np.ix_(free, free)] @ Z for matrix in (K, D, M))
    # transform to coordinates whose mass matrix is the identity
    L = np.linalg.inv(np.linalg.cholesky(m))
    k, d = L @ k @ L.T, L @ d @ L.T
    values = eigvals(np.block([[np.zeros_like(k), np.eye(len(k))], [-k, -d]]))
    values = values[values.imag > 0.0]
    values = values[np.argsort(np.abs(values))][:12]
    assert len(found.eigenvalues) == 12
    assert_allclose(np.sort(np.abs(found.eigenvalues)), np.abs(values), rtol=1e-6)
    frequencies = found.frequencies
    for known in (0.008, 0.008, 0.032, 0.034, 0.034):
        assert np.abs(frequencies / known - 1.0).min() < 0.03
