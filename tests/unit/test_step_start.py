"""Tests of the accelerations from which Newton runs with return maps start."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import windlass as wl
from windlass.framework.arrays import FloatArray
from windlass.solvers.stepping.step_kernels import SHARE, compare_changes, foresee, note_accelerations

from support.beam_contacts import create_belt


def follow(values: list[FloatArray]) -> FloatArray:
    """Return the prediction after accepted steps with the given accelerations."""
    earlier, out = np.stack((values[0], 0.0 * values[0])), np.zeros_like(values[0])
    for a in values[:-1]:
        note_accelerations(a, earlier)
    products = np.zeros(2)
    compare_changes(values[-1], earlier[0], earlier[1], products)
    foresee(values[-1], earlier, products, out)
    return out


@pytest.mark.parametrize("ratio", [-0.4, 0.3])
def test_changes_in_a_constant_ratio_are_predicted(ratio: float) -> None:
    """Accelerations c + d ratio^k are predicted exactly, whether the changes alternate in sign or decay."""
    c, d = np.array([3.0, -2.0, 0.5]), np.array([1.0, 4.0, -2.0])
    values = [c + d * ratio**k for k in range(5)]
    assert_allclose(follow(values[:4]), values[4], rtol=1e-14)


def test_prediction_is_bounded() -> None:
    """If the changes grow, at most half of the last change is added. The first steps start from the last values."""
    values = [np.array([1.0]), np.array([2.0]), np.array([5.0])]
    assert_allclose(follow(values), [5.0 + SHARE * 3.0], rtol=1e-15)
    assert_allclose(follow([np.array([1.0]), np.array([2.0]), np.array([-1.0])]), [-1.0 + SHARE * 3.0], rtol=1e-15)
    assert_allclose(follow(values[:1]), values[0], rtol=0.0)
    assert_allclose(follow(values[:2]), values[1], rtol=0.0)


def test_run_that_goes_on() -> None:
    """With the full Newton method, all bits of the results of a run in two parts are equal to the results of a single
    run, although a state does not contain the accelerations of earlier steps.
    """
    step, world = 5e-5, create_belt(press=240.0, rigid_layer=True).world
    settings: dict[str, Any] = {"step": step, "lag": False, "resolve_contacts": False, "adaptive": False, "name": ""}
    solver = wl.Dynamic(world, end=40 * step, **settings)
    assert solver.mapped > 0
    whole = solver.solve()
    half = wl.Dynamic(world, end=20 * step, **settings).solve()
    again = wl.Dynamic(world, end=40 * step, **settings).solve(half, resume=True)
    for name in ("q", "v", "a", "data"):
        assert_array_equal(getattr(again, name), getattr(whole, name))
