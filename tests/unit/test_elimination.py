"""Tests of the elimination of the first rows of a matrix in blocks: Schur complement, solutions, fill, missing
pivots.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.sparsity import Pattern, create_pattern
from windlass.framework.layout.unknowns import BLOCK
from windlass.solvers.linear.elimination import create_plan, eliminate, solve_backward, solve_forward, solve_transposed


def create_matrix(rows: int, pairs: Any) -> tuple[Pattern, FloatArray, FloatArray]:
    """Create an unsymmetric matrix: a chain of blocks with additional couplings and padding rows.

    Return pattern, values, and the dense matrix.
    """
    every = np.concatenate((np.stack((np.arange(rows - 1), np.arange(1, rows)), axis=1), pairs))
    unknowns = (BLOCK * every[:, :, None] + np.arange(BLOCK)).reshape(len(every), -1)
    pattern = create_pattern([(unknowns, unknowns)], BLOCK * (rows + 1), BLOCK)
    values = np.random.default_rng(5).normal(size=pattern.spare + 1)
    row, column = pattern.entries()
    values[:-1][row == column] += 10.0
    dense = np.zeros((BLOCK * (rows + 1),) * 2)
    dense[row, column] = values[:-1]
    return pattern, values, dense[: BLOCK * rows, : BLOCK * rows]


@pytest.mark.parametrize("inner", [0, 9, 12])
def test_elimination(inner: int) -> None:
    """Long-range couplings cause fill in eliminated and in other rows.

    Schur complement and solutions, including solutions with the transposed matrix, agree with dense algebra.
    """
    rows = 12
    pattern, values, dense = create_matrix(rows, np.array([(0, 6), (2, 10), (1, 4), (7, 11), (3, 9), (9, 11)]))
    plan = create_plan(pattern, inner, 10.0)
    assert plan is not None
    factors, x = np.full(16 * plan.blocks, np.nan), np.random.default_rng(6).normal(size=BLOCK * rows)
    assert eliminate(plan, values, factors) == 0
    n, left = BLOCK * inner, rows - inner
    schur = factors[-16 * left**2 :].reshape(left, left, BLOCK, BLOCK) if left else np.zeros((0, 0, BLOCK, BLOCK))
    schur = schur.transpose(0, 3, 1, 2).reshape(BLOCK * left, BLOCK * left)
    expected = dense[n:, n:] - dense[n:, :n] @ np.linalg.solve(dense[:n, :n], dense[:n, n:])
    assert_allclose(schur, expected, rtol=0, atol=1e-13)
    solution = x.copy()
    solve_forward(plan, factors, solution)
    solution[n:] = np.linalg.solve(schur, solution[n:])
    solve_backward(plan, factors, solution)
    assert_allclose(dense @ solution, x, rtol=0, atol=1e-13)
    if not left:
        solution = x.copy()
        solve_transposed(plan, factors, solution)
        assert_allclose(dense.T @ solution, x, rtol=0, atol=1e-13)


def test_too_much_fill_is_refused() -> None:
    """A matrix is refused if couplings between distant rows cause fill in all rows between these rows."""
    pattern, _, _ = create_matrix(40, np.array([(0, k) for k in range(20, 39)]))
    assert create_plan(pattern, 39, 1.5) is None
    assert create_plan(pattern, 39, 10.0) is not None


def test_missing_pivots_are_counted() -> None:
    pattern, values, _ = create_matrix(4, np.zeros((0, 2), int))
    row, column = pattern.entries()
    values[:-1][(row == 5) | (column == 5)] = 0.0
    values[:-1][(row == 8) & (column == 8)] = np.inf
    plan = create_plan(pattern, 3, 2.0)
    assert plan is not None
    assert eliminate(plan, values, np.zeros(16 * plan.blocks)) == 2
