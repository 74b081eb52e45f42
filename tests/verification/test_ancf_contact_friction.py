"""A cable falls onto a driven roll and slips over it: a whole model with friction is compared with Exudyn step by step.

The cable of 8 elements (2 m, EA = 2.07e6 N, EI = 172.5 N m^2) is clamped at the left and loaded by nodal forces. Below
the cable, a spring-mounted roll of 0.3 m radius is turned by a torque of -0.1 N m. The contact has 8 segments per
element, point-wise normals, the friction coefficient 2, a velocity penalty, and no bristles. The method is Newmark
(beta 1/4, gamma 1/2) at index 3, with 300 steps of 5e-4 s and a new Jacobian in each iteration.
Source: Exudyn 1.11.0, test model ANCFcontactFrictionTest, recorded step by step (models/ANCFcontactFrictionTest*).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from windlass.framework.arrays import FloatArray
from windlass.presets import exudyn
from windlass.solvers.dynamic import Dynamic

from support.exudyn_items import MODELS, build_items

ROLL_X = -0.014187561328096003


class Run(NamedTuple):
    """The recorded motion and the computed motion after each step, as arrays of the shape (steps, ...)."""

    theirs: dict[str, FloatArray]
    ours: dict[str, FloatArray]


@pytest.fixture(scope="module")
def run() -> Run:
    with np.load(MODELS / "ANCFcontactFrictionTest_trace0.npz") as file:
        theirs = {name: file[name][1:] for name in ("t", "q", "q_t", "q_tt", "ae", "data", "newton", "disc")}
    world = build_items("ANCFcontactFrictionTest").world
    solver = Dynamic(world, step=5e-4, end=0.15, method="newmark", rtol=1e-8, atol=1e-8, lag=False, **exudyn().dynamic)
    rows = []
    for state in solver.march():
        counts = solver.statistics.newton_iterations, solver.statistics.discontinuous_iterations
        now = state.copy()
        rows.append((now.t, now.q, now.v, now.a, now.lam, now.data, *counts))
    return Run(theirs, dict(zip(theirs, map(np.array, zip(*rows, strict=True)), strict=True)))


def test_displacement_of_the_roll(run: Run) -> None:
    """The displacement of the roll agrees with the published value of the test model. The required tolerance is 1e-9 m,
    the error is 1e-14 m, and the tolerance of the test is 1e-12 m.
    """
    assert_allclose(run.ours["q"][-1, 36], ROLL_X, rtol=0, atol=1e-12)


def test_counts_in_every_step(run: Run) -> None:
    """The total counts (964 Newton iterations and 307 passes) and the counters after every step equal the counts of
    Exudyn. Windlass therefore executes the algorithm of Exudyn.
    """
    assert_array_equal(run.ours["newton"], run.theirs["newton"])
    assert_array_equal(run.ours["disc"], run.theirs["disc"])
    assert (run.ours["newton"][-1], run.ours["disc"][-1]) == (964, 307)


@pytest.mark.parametrize(
    ("name", "tolerance"),
    [
        ("t", 1e-15),
        # rounding errors of coordinates of order 1; the measured error is 8e-15
        ("q", 1e-13),
        # velocities of order 1 m/s, computed by one division by the step of 5e-4 s; the measured error is 2e-11
        ("q_t", 1e-9),
        # gaps, contact states, and sticking positions, which are 0 without bristles; the measured error is 2e-15
        ("data", 1e-13),
    ],
)
def test_every_step(run: Run, name: str, tolerance: float) -> None:
    """All coordinates, velocities and history values of every step agree with Exudyn, with absolute tolerances."""
    assert_allclose(run.ours[name], run.theirs[name], rtol=0, atol=tolerance)


@pytest.mark.parametrize(("name", "tolerance"), [("q_tt", 1e-6), ("ae", 1e-10)])
def test_accelerations_and_multipliers_of_every_step(run: Run, name: str, tolerance: float) -> None:
    """Accelerations and multipliers of every step agree with Exudyn, relative to the largest entry of the whole run.
    This entry is much larger than the entries of most steps.

    The errors of accelerations are the rounding errors of displacements divided by the square of the step,
    1e-15/(5e-4)^2 = 4e-9, and are amplified by stiff modes.
    """
    scale = np.abs(run.theirs[name]).max()
    assert_allclose(run.ours[name], run.theirs[name], rtol=0, atol=tolerance * scale)
