"""State files store the switches of the model, which are columns such as ``active`` and friction coefficients. A
difference between the switches of the file and of the model is always reported.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import windlass as wl
from windlass import connectors as con
from windlass.elements import RigidBody2D, straight_cable
from windlass.framework.files.state_file import write_state_file

FRICTION = {"friction_coefficient": 0.5, "friction_stiffness_per_length": 1e6}


def create_rope(friction: bool) -> tuple[wl.World, Any, wl.Entity]:
    """Create a straight rope that touches a wheel, with one constraint that is switched off."""
    world = wl.World()
    wheel = world.add(RigidBody2D, name="wheel", position=(0.5, 0.098), mass=1.0, inertia=0.01)
    rope = straight_cable(world, (0, 0), (1, 0), 8, axial_stiffness=1e4, bending_stiffness=1.0, mass_per_length=0.5)
    contacts = con.add_contact(
        world, con.ContactFrictionCirclePoints2D, wheel, rope, segments=4, circle_radius=0.1,
        contact_stiffness_per_length=1e6,
    )  # fmt: skip
    hold = con.fix(world, wheel, "x", "y", "rotation")
    world.set(hold[1], active=False)
    if friction:
        world.set(contacts, **FRICTION)
    return world, contacts, wheel


def turn(world: wl.World, contacts: wl.Entity, wheel: wl.Entity) -> wl.State:
    """Return a state at t = 2 s in which points stick, and the wheel has rotated by 1 mrad since the start of
    sticking.
    """
    state = wl.State(world)
    state.assembly.decide(state)
    state.put(wheel, [0.0, 0.0, 1e-3])
    state.t = 2.0
    return state


def torque(world: wl.World, state: wl.State, contacts: wl.Entity, wheel: wl.Entity) -> float:
    return con.pulley_report(world, state, contacts, wheel).torque


def test_a_state_with_friction_in_a_model_without(tmp_path: Path) -> None:
    """If a state was saved with friction, and is loaded in a model without friction, either the torque does not change
    or an error is raised.
    """
    world, contacts, wheel = create_rope(friction=True)
    state = turn(world, contacts, wheel)
    right = torque(world, state, contacts, wheel)
    assert abs(right) > 1e-3
    path = state.save(tmp_path / "state.npz")
    # the file stores equal rows as one row
    with np.load(path) as file:
        name = "switch.ContactFrictionCirclePoints2D.friction_coefficient"
        assert file[name].tolist() == [0.5]
        assert file["switch.CoordinateConstraint.active"].tolist() == [True, False, True]

    other, touching, disc = create_rope(friction=False)
    with pytest.raises(wl.ModelError) as found:
        wl.State(other).load(path)
    message = str(found.value)
    assert "state.npz was saved with other switches of the model:" in message
    assert "friction_coefficient of ContactFrictionCirclePoints2D row 0: 0.5 1 in the file, 0.0 1 now" in message
    assert "(and 7 more rows)" in message and "switches='restore'" in message and "switches='keep'" in message
    assert "active" not in message

    kept = wl.State(other).load(path, switches="keep")
    assert kept.t == 2.0 and torque(other, kept, touching, disc) == 0.0
    restored = wl.State(other).load(path, switches="restore")
    assert torque(other, restored, touching, disc) == right
    # both models now have the same switches
    assert torque(other, wl.State(other).load(path), touching, disc) == right


def test_one_row_differs(tmp_path: Path) -> None:
    world, contacts, wheel = create_rope(friction=True)
    path = turn(world, contacts, wheel).save(tmp_path / "state.npz")
    world.set(contacts[3], active=False)
    with pytest.raises(wl.ModelError, match=r"active of Contact\w+ row 3: True in the file, False now"):
        wl.State(world).load(path)
    wl.State(world).load(path, switches="restore")
    assert contacts.active.all()
    with pytest.raises(wl.OutputError, match=r"switches = 'other' in State.load: must be one of compare"):
        wl.State(world).load(path, switches="other")


def test_file_without_switches(tmp_path: Path) -> None:
    """Files of old versions without switches can be read. Files without switches do not change the switches of a
    model.
    """
    world, contacts, wheel = create_rope(friction=True)
    path = turn(world, contacts, wheel).save(tmp_path / "state.npz")
    with np.load(path) as file:
        old = {name: file[name] for name in file if not name.startswith("switch.")}
    write_state_file(path, old)
    assert wl.State(world).load(path).t == 2.0
    with pytest.raises(wl.ModelError, match="does not contain the switches of the model"):
        wl.State(world).load(path, switches="restore")
