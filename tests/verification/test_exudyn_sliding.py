"""Sliding joints are compared with Exudyn 1.13.6: a body on a cantilever, and a body that a running rope carries.

Exudyn's joint for cables at rest is of first order in the step if constraints are imposed on velocities. The results of
this joint are therefore extrapolated to step 0. Exudyn's joint for running ropes agrees step by step, except for the
initial accelerations. `reference/sliding_joints.json` contains the reference numbers and states their origin.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass import connectors as con
from windlass.elements import ALENode, RigidBody2D, nodes_of, straight_cable

REFERENCE: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "reference/sliding_joints.json").read_text(encoding="utf-8")
)


@pytest.mark.long
def test_body_on_a_cantilever() -> None:
    """A body of 1.5 kg runs with 3 m/s to the end of a cantilever, over five of eight cables.

    The motion is compared with Exudyn. With steps of 1e-4 s, the difference from Exudyn's extrapolated results is 1e-6.
    With steps of 1e-3 s, the tolerance is 2e-5.
    """
    world = wl.World(gravity=(0.0, -9.81))
    cables = straight_cable(
        world, (0.0, 0.0), (2.0, 0.0), 8, axial_stiffness=2e5, bending_stiffness=20.0, mass_per_length=2.0,
        integration=0,
    )  # fmt: skip
    nodes = nodes_of(world, cables)
    con.fix(world, nodes[0], "x", "y", nodes.table.component.dof_names[3])
    body = world.add(RigidBody2D, position=(0.3, -0.2), velocity=(3.0, 0.0, 0.0), mass=1.5, inertia=0.05)
    joint = con.sliding_joint(world, cables, body, 0.3, (0.0, 0.2), speed=3.0)
    end = wl.Dynamic(world, step=1e-3, end=0.4, method="trapezoidal_index2", rtol=1e-10).solve()
    coarse, fine = REFERENCE["sliding"]["6400"], REFERENCE["sliding"]["25600"]
    exact = {name: (4.0 * np.array(fine[name]) - np.array(coarse[name])) / 3.0 for name in fine}
    assert_allclose(end.of(body)[0], exact["body"], atol=2e-5)
    assert_allclose(end.of(nodes[-1])[0, :2], exact["tip"], atol=2e-5)
    assert_allclose(wl.eval_output(joint, "arc_length", end), exact["place"], atol=2e-5)


@pytest.mark.parametrize("steps", [500, pytest.param(4000, marks=pytest.mark.long)])
def test_body_on_a_running_rope(steps: int) -> None:
    """A rope runs with 10 m/s and carries a body of 60 kg over six of ten cables. Shape and motion are compared with
    Exudyn.

    The steady shape of the running rope agrees to rounding errors, and differs by 7 mm from the shape of a rope that
    does not run. The motion differs by 4e-8 m with the 4000 steps of Exudyn, and by 1e-5 m with 500 steps. The
    tolerances are 5e-8 and 2e-5.
    """
    world, expected = wl.World(gravity=(0.0, -9.81)), REFERENCE["moving"]
    axial = world.add(ALENode, velocity=(10.0,))
    cables = straight_cable(
        world, (0.0, -1.0), (10.0, -1.0), 10, ale=axial, axial_stiffness=9672500.0, bending_stiffness=595.6,
        mass_per_length=6.96, integration=0,
    )  # fmt: skip
    nodes = nodes_of(world, cables)
    for end in (0, 10):
        con.fix(world, nodes[end], "x", "y", nodes.table.component.dof_names[3])
    body = world.add(RigidBody2D, position=(0.0, -1.8), velocity=(10.0, 0.0, 0.0), mass=60.0, inertia=12.8)
    holds = [con.fix(world, axial, "s"), con.fix(world, body, "x", "y", "rotation")]
    joint = con.sliding_joint(world, cables, body, 0.0, (0.0, 0.8), active=False)
    grip = con.fix(world, joint, "s")
    world.set(grip, active=False)
    state = wl.Static(world, load_steps=2, rtol=1e-10, velocities="given").solve()
    assert_allclose(state.of(nodes[5])[0], expected["static"], atol=1e-13)
    for hold in holds:
        world.set(hold, active=False)
    for hold in (joint, grip):
        world.set(hold, active=True)
    moved = wl.Dynamic(world, step=0.5 / steps, end=0.5, spectral_radius=0.3, rtol=1e-10, atol=1e-10).solve(state)
    atol, known = (5e-8, 4) if steps == 4000 else (2e-5, 2)
    # the slope along the rope vibrates with the axial frequency of a single cable, and large steps do not resolve this
    # vibration
    assert_allclose(moved.of(nodes[5])[0, :known], expected["middle"][:known], atol=100 * atol if known == 4 else atol)
    assert_allclose(moved.of(axial)[0, 0], expected["ale"], atol=atol)
    assert_allclose(moved.of(body)[0], expected["body"], atol=atol)
    assert_allclose(wl.eval_output(joint, "cable", moved), 5)
