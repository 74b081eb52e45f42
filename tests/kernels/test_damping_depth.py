"""Tests of contact damping that increases with the depth: f_n = k_c g + d_c min(1, -g/g_0) v_n, Hunt and Crossley
(1975).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from windlass.connectors import ContactCircleCable2D, ContactFrictionCircleCable2D, add_contact
from windlass.connectors.circle_segments.kernels import SegmentParameters, normal_force
from windlass.elements import Cable2D, PointSlope2D, RigidBody2D
from windlass.framework.model.world import World
from windlass.framework.state.evaluate import eval_output
from windlass.framework.state.state import State
from windlass.testing import check_tangent

from support.cables import COLUMNS, shake

STIFFNESS, DAMPING, DEPTH, RADIUS = 2000.0, 17.0, 0.1, 0.5


def law(depth: float, clip: bool = False) -> SegmentParameters:
    """Create a row of contact with the damping of this file."""
    return SegmentParameters(STIFFNESS, DAMPING, 0.0, 0.0, 0.0, 1.0, 1.0, depth, True, clip, False, 0.0, 0.0)


@pytest.mark.parametrize("rate", [-2.0, 0.0, 3.0])
def test_force_is_continuous_at_touch(rate: float) -> None:
    """Without ``damping_depth``, the force jumps by d_c v_n at the first touch. With the damping depth g_0, the force
    is k_c g (1 - v_n/v_0), v_0 = k_c g_0/d_c, down to the depth g_0.
    """
    assert_allclose(normal_force(law(0.0), -1e-12, rate)[0], DAMPING * rate, atol=1e-8)
    for gap in (-1e-12, 1e-12):
        assert abs(normal_force(law(DEPTH), gap, rate)[0]) < 1e-8
    for gap in (-0.02, -0.07, -DEPTH):
        expected = STIFFNESS * gap * (1.0 - rate * DAMPING / (STIFFNESS * DEPTH))
        assert_allclose(normal_force(law(DEPTH), gap, rate)[0], expected, rtol=1e-14)
    # full damping at depths greater than `damping_depth`, no damping outside the circle
    assert_allclose(normal_force(law(DEPTH), -0.3, rate), (-600.0 + DAMPING * rate, STIFFNESS, DAMPING), rtol=1e-14)
    assert_allclose(normal_force(law(DEPTH), 0.05, rate), (100.0, STIFFNESS, 0.0), rtol=1e-14)


def test_force_that_would_pull_is_clipped() -> None:
    """Above v_0 the damping causes a tensile force, and with `clip_normal_force` the force is 0."""
    fast = 1.1 * STIFFNESS * DEPTH / DAMPING
    assert normal_force(law(DEPTH), -0.05, fast)[0] > 0.0
    assert normal_force(law(DEPTH, clip=True), -0.05, fast) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(("friction", "normals", "y"), [(True, True, 0.0), (True, False, 0.03), (False, True, -0.02)])
def test_tangent(friction: bool, normals: bool, y: float) -> None:
    """The tangent agrees with central differences, with segments above and below the damping depth, and with segments
    outside the circle.
    """
    world, s = World(), np.linspace(0.0, 2.0, 7)
    nodes = world.add(
        PointSlope2D,
        position=np.column_stack((np.sin(s), 1 - np.cos(s))),
        slope=np.column_stack((np.cos(s), np.sin(s))),
    )
    cables = world.add(Cable2D, node0=nodes[:-1], node1=nodes[1:], **{**COLUMNS, "length": 1 / 3})
    circle = world.add(RigidBody2D, position=(0.4, 0.35), mass=1.0, inertia=0.1)
    columns: dict[str, Any] = {"contact_stiffness": STIFFNESS, "contact_damping": DAMPING, "damping_depth": DEPTH}
    if friction:
        columns |= {"friction_velocity_penalty": 9.0, "friction_stiffness": 800.0, "friction_coefficient": 0.3}
        columns |= {"use_segment_normals": normals}
    kind = ContactFrictionCircleCable2D if friction else ContactCircleCable2D
    contacts = add_contact(
        world, kind, [circle], cables, segments=3, circle_radius=RADIUS, vertical_offset=y, **columns
    )
    state = shake(State(world), seed=2)
    state.q *= 0.3
    n = 3 * len(contacts.rows)
    state.data[:] = -0.01
    if friction:
        rows = state.data.reshape(-1, 3, 3)
        rows[:, 1] = np.resize([0.0, 1.0, -2.0, -1.0], n).reshape(-1, 3)
        rows[:, 2] = 0.1
    gap = eval_output(contacts, "gap", state)
    assert (gap > 0.0).any() and ((gap < 0.0) & (gap > -DEPTH)).any() and (gap < -DEPTH).any()
    assert np.minimum(np.abs(gap), np.abs(gap + DEPTH)).min() > 1e-4
    check_tangent(world, state, states=0, tolerance=2e-8)
