"""Gradients by the adjoint are compared with derivatives step by step for models that search for their contacts:
circles in a set, surfaces in a set, ropes on ropes, a joint that slides from cable to cable, and balls of a contact
set.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import pytest

import windlass as wl
from windlass import connectors as con
from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.assembly import serial_assembly

from support.motions import FIXED, solve_whole
from support.searching_motions import (
    BALLS,
    BEAD,
    CIRCLES,
    ROPES,
    SPHERES,
    cross_ropes,
    drop_balls,
    drop_on_spheres,
    pull_over_circles,
    slide_bead,
)

CASES: dict[str, tuple[Any, Mapping[str, float], float, float, int, int]] = {
    "circles": (pull_over_circles, CIRCLES, 1e-3, 0.04, 3, 5),
    "spheres": (drop_on_spheres, SPHERES, 1e-3, 0.02, 3, 5),
    "ropes": (cross_ropes, ROPES, 5e-4, 0.01, 1, 5),
    "bead": (slide_bead, BEAD, 2e-3, 0.018, 1, 0),
    "balls": (drop_balls, BALLS, 1e-3, 0.02, 1, 0),
}
"""Model, parameters, step size and end [s], least number of changes of the coupled partners (a rope is also coupled to
the neighbours of its partners), and least number of steps in which contacts open or close."""
SHARES = (1e-4, 1e-5, 1e-6)
"""Steps of differences, relative to the parameter. Contacts of complete solves change at other times if the step is
large, and rounding errors are large if the step is small."""


@pytest.mark.parametrize("name", CASES)
def test_gradient_of_searched_contacts(name: str) -> None:
    """While partners change, and contacts close and open, the gradient agrees within 1e-6 with derivatives step by
    step, and these derivatives agree within 1e-4 with differences of complete solves. The errors are relative to the
    largest relative derivative. The objective is the sum of all end values, each divided by its largest relative
    derivative.
    """
    model, p, step, end, fewest_changes, fewest_openings = CASES[name]

    def motion(world: wl.World) -> wl.Dynamic:
        return wl.Dynamic(world, step=step, end=end, **FIXED)

    world, _ = model(p)
    states = [state.data.copy() for state in motion(world).march()]
    assert serial_assembly(world).pattern_version() >= fewest_changes
    assert sum(bool(((one <= 0.0) != (two <= 0.0)).any()) for one, two in pairwise(states)) >= fewest_openings

    derivatives = wl.evaluate_motion(model, p, motion)
    sizes = {y: max(abs(slopes[key][-1] * p[key]) for key in p) for y, slopes in derivatives.dy.items()}

    def objective(t: FloatArray, y: Mapping[str, FloatArray]) -> tuple[float, dict[str, FloatArray]]:
        ends = {name: wl.end_value(name)(t, y) for name in sizes}
        value = sum(ends[name][0] / size for name, size in sizes.items())
        return value, {name: ends[name][1][name] / size for name, size in sizes.items()}

    found = wl.evaluate_objective(model, p, motion, objective)
    for key, value in p.items():
        slope = sum(derivatives.dy[y][key][-1] / size for y, size in sizes.items())
        assert abs(found.gradient[key] - slope) * value < 1e-6, key
    for key, value in p.items():
        errors = [1.0]
        for share in SHARES:
            sides = [solve_whole(model, {**p, key: value * (1.0 + side * share)}, motion) for side in (1.0, -1.0)]
            slopes = {y: (sides[0][y][-1] - sides[1][y][-1]) / (2.0 * share) for y in sizes}
            errors.append(max(abs(slopes[y] - derivatives.dy[y][key][-1] * value) / sizes[y] for y in sizes))
            if errors[-1] < 1e-4:
                break
        assert min(errors) < 1e-4, (key, errors)


def test_every_update_searches() -> None:
    """A cable approaches circles by less than the search margin. With `search_always`, the update finds the circles
    that are now near. Without `search_always`, the result of the previous search is used.
    """
    near = {}
    for always in (False, True):
        world, _ = pull_over_circles(CIRCLES)
        assembly, state = serial_assembly(world), wl.State(world)
        if always:
            assembly.search_always()
        # three bodies with 3 coordinates, then nodes with 4 coordinates
        for lift in (0.012, 0.006):
            state.q[10::4] = lift
            assembly.load_fields(state)
            assembly.updates.program()
            state.data[:] = state.start_data[:] = assembly.fields.data
        rows = world.table(con.ContactFrictionCircleSetPoints2D).count
        near[always] = int((state.data.reshape(rows, -1)[:, -1] > 0.0).sum())
    assert near[False] == 0 and near[True] >= 3
