"""Tests of user functions of arrays that change with the motion."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
import pytest
from numpy.testing import assert_allclose

from windlass.framework.arrays import FloatArray
from windlass.framework.checks.state_functions import StateFunction
from windlass.framework.checks.user_functions import FirstCalls
from windlass.framework.errors import ModelError


def test_function_with_one_array_for_all_results() -> None:
    """A user function may return the same array in each call. Central differences are correct."""
    result = np.zeros(2)

    def evaluate(t: float, y: FloatArray) -> FloatArray:
        result[:] = y[0] ** 2, t * y[1]
        return result

    f = StateFunction(evaluate, None, (2,), ("f", "df"), "two numbers", FirstCalls())
    found = f(2.0, np.array((3.0, 5.0)))
    assert found.tolist() == [9.0, 10.0]
    (slope,) = f.differentiate(2.0, np.array((3.0, 5.0)))
    assert_allclose(slope, ((6.0, 0.0), (0.0, 2.0)), rtol=1e-9, atol=1e-9)
    assert found.tolist() == [9.0, 10.0]


@pytest.mark.parametrize(("values", "finite"), [((1e200, -1e200), True), ((1.0, np.inf), False), ((np.nan,), False)])
def test_finite_arguments(values: tuple[float, ...], finite: bool) -> None:
    """Numbers whose squares overflow are finite. Arguments and results that are not finite are found."""
    f = StateFunction(lambda t, y: y, None, (len(values),), ("f", "df"), "numbers", FirstCalls())
    assert np.isfinite(f(0.0, np.array(values))).all() == finite
    bad = StateFunction(lambda t: np.array(values), None, (len(values),), ("f", "df"), "numbers", FirstCalls())
    with nullcontext() if finite else pytest.raises(ModelError, match="must give numbers"):
        bad(0.0)
