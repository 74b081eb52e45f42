"""Stops of joints return their stored energy.

Depth, duration of contact and dissipated energy are compared with closed forms, also for rotations over several turns.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
import windlass.connectors as con
import windlass.elements as el
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.errors import ModelError
from windlass.framework.state.tangent_check import check_fields

from support.differences import set_random_fields

MASS, INERTIA, STIFFNESS = 2.0, 0.3, 2e3
TURNED = el.rotation_matrix(el.euler_parameters((1.0, 2.0, -1.0), 0.6))


def create_slide(turning: bool, **stop: Any) -> tuple[wl.World, wl.Entity, wl.Entity]:
    """Create a body that moves along, or rotates about, the third axis of a joint, which is not parallel to any global
    axis.
    """
    world, axis = wl.World(), TURNED[:, 2]
    motion = {"angular_velocity" if turning else "velocity": (20.0 if turning else 1.5) * axis}
    body = world.add(el.RigidBody3D, position=(0.0, 0.0, 0.0), mass=MASS, inertia=INERTIA, **motion)
    free = {"rotations" if turning else "translations": (True, True, False)}
    joint = world.add(
        con.GenericJoint, marker0=con.rigid_marker(world, world.add(el.Ground)), marker1=con.rigid_marker(world, body),
        frame0=TURNED, frame1=TURNED, **free,
    )  # fmt: skip
    stop = con.joint_stops(world, joint, "rotation_z" if turning else "z", **{"stiffness": STIFFNESS, **stop})
    return world, body, stop


@pytest.mark.parametrize("turning", [False, True])
def test_a_stop_gives_back_what_it_took(turning: bool) -> None:
    """The depth is v sqrt(m/k) after a quarter of the period, and the body leaves after half the period with its
    initial speed.
    """
    upper, speed = (7.0, 20.0) if turning else (0.12, 1.5)  # the rotation exceeds a full turn
    frequency = np.sqrt(STIFFNESS / (INERTIA if turning else MASS))
    step = np.pi / frequency / 40
    way = upper / speed
    world, body, stop = create_slide(turning, lower=-1.0, upper=upper)
    depths = wl.Sensors(
        None, [wl.Sensor(stop, "depth", name="depth"), wl.Sensor(stop, "displacement", name="displacement")]
    )
    ledger = wl.EnergyLedger()
    run = wl.Dynamic(world, step=step, end=way + 1.5 * np.pi / frequency, method="trapezoidal_index2")
    state = run.solve(hooks=[depths, ledger])
    assert_allclose(np.max(depths["depth"]), speed / frequency, rtol=2e-3)
    # with the trapezoidal rule, the contact lasts longer by (ω h)²/12
    late = speed * np.pi / frequency * (frequency * step) ** 2 / 12.0
    assert_allclose(depths["displacement"][-1], upper - speed * 0.5 * np.pi / frequency, atol=1.5 * late)
    assert_allclose(
        wl.eval_output(body, "kinetic_energy", state), 0.5 * (INERTIA if turning else MASS) * speed**2, rtol=1e-3
    )
    assert abs(ledger.totals["JointStop.drive"]) < 1e-9


def test_damping_takes_the_rest() -> None:
    """The ledger contains the energy that a damped stop dissipates. A stop never has a tensile force."""
    world, body, stop = create_slide(False, upper=0.0, dissipation=0.4)
    forces, ledger = wl.Sensors(None, [wl.Sensor(stop, "stop_force", name="stop_force")]), wl.EnergyLedger()
    state = wl.Dynamic(world, step=2e-3, end=0.2, method="trapezoidal_index2").solve(hooks=[forces, ledger])
    before, after = 0.5 * MASS * 1.5**2, wl.eval_output(body, "kinetic_energy", state)
    assert 0.2 * before < after < 0.8 * before and np.min(forces["stop_force"]) >= 0.0
    assert_allclose(ledger.totals["JointStop.damping"], before - after, rtol=3e-3)


@pytest.mark.parametrize("direction", range(6))
@pytest.mark.parametrize("limits", [(-0.5, -0.4), (0.4, 0.5)])
def test_tangent(direction: int, limits: tuple[float, float]) -> None:
    """The tangent beyond either limit agrees with differences, for joints at points off the centres of two bodies."""
    world = wl.World()
    bodies = [
        world.add(el.RigidBody3D, position=place, mass=1.0, inertia=1.0) for place in ((0.1, 0.2, 0.3), (0.2, 0.1, 0.2))
    ]
    markers = [
        con.rigid_marker(world, body, place) for body, place in zip(bodies, ((0.3, 0, 0.1), (0, 0.2, 0.1)), strict=True)
    ]
    world.add(
        con.JointStop, marker0=markers[0], marker1=markers[1], direction=direction, lower=limits[0], upper=limits[1],
        stiffness=10.0, dissipation=0.05, frame0=TURNED,
    )  # fmt: skip
    assembly = Assembly(world)
    set_random_fields(assembly, 7)
    check_fields(assembly)


def test_errors() -> None:
    world, _, _ = create_slide(False)
    joint = world.add(
        con.GenericJoint, marker0=con.rigid_marker(world, world.add(el.Ground)),
        marker1=con.rigid_marker(world, world.add(el.RigidBody3D, position=(1.0, 0.0, 0.0), mass=1.0, inertia=1.0)),
        translations=(False, True, True), offset=(0.0,) * 5 + (0.3,),
    )  # fmt: skip
    with pytest.raises(ModelError, match="is locked: must be a direction that the joint leaves free"):
        con.joint_stops(world, joint, "y", stiffness=1.0)
    with pytest.raises(ModelError, match="has offsets: must be a joint that is not driven"):
        con.joint_stops(world, joint, "x", stiffness=1.0)
    create_slide(False, lower=0.1, upper=0.2)
    world, _, _ = create_slide(False, lower=0.2, upper=0.1)
    with pytest.raises(ModelError, match=r"lower = 0.2, upper = 0.1 in JointStop row 0: lower must be below upper"):
        world.finalize()
