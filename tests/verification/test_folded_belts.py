"""If a cable of a belt is folded in equilibrium, the belt is solved again, or the solve ends in an error.

A cable is folded if its slope points against its chord. The test starts the preload of a belt with one node reversed,
so that Newton's method converges to a shape with folded cables. The shape is stable: the fold is a loop of the cubic
that no force opens.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import windlass as wl
from windlass import connectors as con
from windlass.elements import RigidBody2D, cable_around, nodes_of
from windlass.framework.model.table import Entity
from windlass.solvers.failure import UnstableEquilibrium

PLACES = (0.0, 0.1, 0.25, 0.4, 0.6, 0.85)
"""Position along the belt at which a node is reversed, as a fraction of the belt's length; positions are in both spans
and on both pulleys.
"""


def create_belt(elements: int, strain: float) -> tuple[wl.World, Entity, wl.State]:
    """Create a belt around two locked pulleys, and its preload."""
    world = wl.World()
    pulleys = [world.add(RigidBody2D, position=(x, 0.0), mass=5.0, inertia=0.05) for x in (0.0, 0.3)]
    belt = cable_around(
        world, circles=pulleys, radius=0.1, elements=elements, axial_stiffness=8e3, bending_stiffness=1e-3,
        mass_per_length=0.8, reference_strain=strain,
    )  # fmt: skip
    con.add_contact(
        world, con.ContactCircleCable2D, circles=pulleys, cables=belt, segments=4, circle_radius=0.1,
        contact_stiffness_per_length=1e7,
    )  # fmt: skip
    for pulley in pulleys:
        con.fix(world, pulley, "x", "y", "rotation")
    con.fix(world, nodes_of(world, belt)[0], "x")
    return world, belt, solve(world, load_steps=10, geometric=True, stabiliser=1e5)


def solve(world: wl.World, start: wl.State | None = None, **settings: Any) -> wl.State:
    """Run a static solve without printed output."""
    return wl.Static(world, name="", **settings).solve(start)


def count_folds(belt: Entity, state: wl.State) -> int:
    """Count the ends of cables at which the slope points against the chord. The slopes are computed from points of the
    axis.
    """
    points = wl.eval_output(belt, "position", state, x=np.outer(belt.length, [0.0, 1e-6, 1.0 - 1e-6, 1.0]))
    chord = points[:, 3] - points[:, 0]
    slopes = points[:, 1] - points[:, 0], points[:, 3] - points[:, 2]
    return sum(int(((slope * chord).sum(axis=1) < 0.0).sum()) for slope in slopes)


@pytest.mark.parametrize("strain", [-0.05, -0.001])
@pytest.mark.parametrize("elements", [16, 32])
def test_belts_that_are_turned_inside_out(elements: int, strain: float) -> None:
    world, belt, preload = create_belt(elements, strain)
    nodes = nodes_of(world, belt)
    assert count_folds(belt, preload) == 0
    forces = eval_forces(belt, preload)
    folded = mended = 0
    for place in PLACES:
        node, start = nodes[int(place * elements)], preload.copy()
        q = start.of(node, "q").copy()
        q[:, 2:4] = -2.0 * np.reshape(node.slope, (1, 2)) - q[:, 2:4]
        start.put(node, q, "q")
        if count_folds(belt, solve(world, start, stability="off")) == 0:
            # the contacts have turned the element back to its original direction
            np.testing.assert_allclose(eval_forces(belt, solve(world, start)), forces, rtol=1e-3)
            continue
        folded += 1
        with pytest.raises(UnstableEquilibrium, match=r"belt \d+ is turned inside out: its slope at node[01] points"):
            solve(world, start, stability="check")
        try:
            state = solve(world, start)
        except UnstableEquilibrium as error:
            assert "is turned inside out" in str(error)
            continue
        mended += 1
        assert count_folds(belt, state) == 0
        np.testing.assert_allclose(eval_forces(belt, state), forces, rtol=1e-3)
    assert folded >= 2 and (mended or elements > 16)


def eval_forces(belt: Entity, state: wl.State) -> Any:
    """Return the axial forces [N] in the middle of the cables."""
    return wl.eval_output(belt, "axial_force", state, x=0.5 * belt.length[:, None])
