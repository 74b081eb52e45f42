"""Tests of the evaluation by several threads: rows are divided into sets that share no coordinate, and forces and
tangents are equal to the results of one thread.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import windlass as wl
from windlass.elements import straight_cable
from windlass.framework.arrays import IntArray
from windlass.framework.assembly import row_threads as threads
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.assembly.steps import force_steps, run_steps


def ring(count: int) -> IntArray:
    """Return coordinates of a closed chain of rows. Each row has the coordinates of two neighbours and one missing
    coordinate.
    """
    first = np.arange(count)
    return np.column_stack((first, (first + 1) % count, np.full(count, count)))


@pytest.mark.parametrize("shuffled", [False, True])
def test_sets_share_no_coordinate(monkeypatch: pytest.MonkeyPatch, shuffled: bool) -> None:
    """Rows of different sets have no coordinate in common. Every row is in one set. Few rows remain for serial
    evaluation.
    """
    monkeypatch.setattr(threads.options, "thread_count", lambda: 3)
    monkeypatch.setattr(threads, "SMALLEST", 10)
    dofs = ring(100)
    if shuffled:
        dofs = np.random.default_rng(1).permutation(dofs)
    *side_by_side, left = threads.split_rows(dofs, 100)
    assert len(side_by_side) == 3
    assert_array_equal(np.sort(np.concatenate([*side_by_side, left])), np.arange(100))
    for one, other in combinations(side_by_side, 2):
        assert not np.intersect1d(dofs[one, :2], dofs[other, :2]).size
    if not shuffled:
        assert len(left) == 6


def test_small_tables_stay_in_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """All rows of a table below the smallest size form one set."""
    monkeypatch.setattr(threads.options, "thread_count", lambda: 8)
    (rows,) = threads.split_rows(ring(9999), 9999)
    assert_array_equal(rows, np.arange(9999))


def test_errors_of_threads_are_raised() -> None:
    """An exception in any of the tasks is raised in the caller."""

    def fail() -> None:
        raise ValueError("here")

    with pytest.raises(ValueError, match="here"):
        threads.run_sets([lambda: None, fail, lambda: None])


@pytest.mark.parametrize("integration", [0, 2])
def test_forces_and_tangents_are_those_of_one_thread(monkeypatch: pytest.MonkeyPatch, integration: int) -> None:
    """Forces and tangents of two ropes in random motion equal the results of one thread, except for rounding errors due
    to the order of sums. Each of two threads evaluates one rope, and no row remains.
    """
    monkeypatch.setattr(threads, "SMALLEST", 10)
    found = []
    for count in (1, 2, 3):
        monkeypatch.setattr(threads.options, "thread_count", lambda count=count: count)
        world = wl.World()
        for end in ((4.0, 0.0), (0.0, 4.0)):
            straight_cable(world, (0, 0), end, 40, axial_stiffness=1e4, bending_stiffness=1.0, mass_per_length=0.2,
                           axial_damping=1.0, integration=integration)  # fmt: skip
        assembly = Assembly(world)
        fields, random = assembly.fields, np.random.default_rng(2)
        fields.x[:-1] += 0.01 * random.standard_normal(assembly.layout.spare)
        fields.v[:-1] = random.standard_normal(assembly.layout.spare)
        fields.a[:-1] = random.standard_normal(assembly.layout.spare)
        f, values = np.zeros(assembly.layout.spare + 1), np.zeros(assembly.update_pattern().spare + 1)
        run_steps(force_steps(assembly, f))
        run_steps(force_steps(assembly, f, inertia=True))
        assembly.add_tangent(values, 1.0, 0.5, 0.0, 0.0, 0.0)
        assembly.add_tangent(values, 0.3, 2.0, 70.0, 0.0, 70.0)
        found.append((f[:-1], values[:-1]))
    for one, *others in zip(*found, strict=True):
        for other in others:
            assert_allclose(other, one, atol=1e-13 * np.abs(one).max(), rtol=0)
