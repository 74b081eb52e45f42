"""Connectors between two points, and points on cables, are drawn at the correct positions, with their outputs as
fields.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
import windlass.connectors as con
from windlass.connectors.markers.position_kernels import FAMILY as POSITIONS
from windlass.elements import Ground, MassPoint, RigidBody2D, RigidBody3D, state_node
from windlass.framework.assembly.assembly import serial_assembly
from windlass.framework.model.law import law_of
from windlass.framework.model.table import Entity
from windlass.framework.output.scene import Scene

from support.carriages import create_ring
from support.joint_machine import create_machine
from support.parallel_springs import create
from support.series import read_series

LINES: dict[type[Any], str] = {
    con.RigidBodySpringDamper: "force_x",
    con.TorsionalSpringDamper: "torque",
    con.LinearSpringDamper: "tension",
    con.RollingDiscPenalty: "normal_force",
    con.ContactSphereSphere: "normal_force",
    con.GearPair: "mesh_force",
    con.SpringDamper: "tension",
    con.HydraulicActuator: "force",
    con.JointStop: "stop_force",
}
"""Connectors that are drawn as one line between their markers, with the name of one of their fields."""


def create_world() -> wl.World:
    """Create the machines of the tests for several processes, with an additional cylinder and rope."""
    world, _ = create(2)
    ends = [con.position_marker(world, world.add(MassPoint, position=(x, 0.0, 1.0), mass=1.0)) for x in (0.0, 1.0)]
    world.add(con.SpringDamper, marker0=ends[0], marker1=ends[1], rest_length=0.5, stiffness=2.0, damping=1.0)
    world.add(
        con.HydraulicActuator, marker0=ends[0], marker1=ends[1], node=world.add(state_node(2), states=(2e4, 1e4)),
        offset_length=1.5, stroke_length=2.0, area0=1e-3, area1=8e-4, hose_volume0=1e-4, hose_volume1=1e-4,
        oil_bulk_modulus=1e7, damping=50.0, nominal_flow=1e-8, system_pressure=1e5,
    )  # fmt: skip
    return world


def check_lines(world: wl.World) -> set[type[Any]]:
    """Check both ends and a field of every listed connector of a world, in a state other than the reference state."""
    state, random = wl.State(world), np.random.default_rng(4)
    state.q[:] += 0.02 * random.standard_normal(len(state.q))
    state.v[:] += 0.1 * random.standard_normal(len(state.v))
    seen = Scene(world, 1).draw(state)
    assert seen is not None
    assembly = serial_assembly(world)
    places = assembly.load_fields(state).markers[POSITIONS].position
    there = {c for c in LINES if c in world.tables}
    for component in there:
        table = world.tables[component]
        [drawing] = [one for one in seen[0] if len(one.entity) and one.entity[0] in table.ids]
        rows = [world.entity(int(number)) for number in drawing.entity]
        assert len(rows) == table.count
        for name, side in (("marker0", 0), ("marker1", 1)):
            ends = places[assembly.layout.marker_index[table.local(name)]]
            assert_allclose(drawing.points[drawing.lines[:, side]], ends, atol=1e-14)
        values = [wl.eval_output(row, LINES[component], state) for row in rows]
        assert_allclose(drawing.cell_data[LINES[component]], values, rtol=1e-13)
        law = law_of(component)
        assert law is not None and drawing.units[LINES[component]] == law.outputs[LINES[component]].unit
    return there


def test_laws_between_two_markers_are_lines() -> None:
    """Bushings, springs, discs, spheres, gears, a rope, a cylinder and stops are lines between their two markers."""
    world, machine = create_world(), create_machine()[0]
    assert check_lines(world) | check_lines(machine) == set(LINES)


def create_joints(space: bool) -> tuple[wl.World, list[Entity]]:
    """Connect a body to the ground, and a second body to the first, by each kind of 2D or 3D joint."""
    world, body = wl.World(), RigidBody3D if space else RigidBody2D
    zero = (0.0,) * (3 if space else 2)
    first, second = (world.add(body, position=(x, *zero[1:]), mass=1.0, inertia=0.1) for x in (0.5, 1.5))
    ground = con.rigid_marker(world, world.add(Ground))
    beside = (0.2, 0.1, 0.3) if space else (0.2, 0.1)
    ends = [con.rigid_marker(world, first, beside), con.rigid_marker(world, second, zero)]
    kinds: list[tuple[Any, dict[str, Any]]] = [(con.RevoluteJoint2D, {}), (con.PrismaticJoint2D, {"axis": (1.0, 0.0)})]
    if space:
        kinds = [(con.SphericalJoint, {}), (con.GenericJoint, {})]
    pairs = ((ground, ends[0]), (ends[0], ends[1]))
    joints = [world.add(k, marker0=a, marker1=b, **more) for k, more in kinds for a, b in pairs]
    if space:
        joints.append(world.add(con.RollingJoint, marker0=ground, marker1=ends[1], radius=0.25))
    return world, [first, second, *joints]


@pytest.mark.parametrize("space", [False, True])
def test_joints_are_lines_between_the_bodies_that_they_hold(space: bool, tmp_path: Path) -> None:
    """Each joint is drawn as three lines, with force and torque: from the origin of the first body to its point,
    between both points, and from the second point to the origin of the second body.

    For wheels, the lines begin at the contact point.
    """
    world, (first, second, *joints) = create_joints(space)
    state, random = wl.State(world), np.random.default_rng(4)
    state.q[:] += 0.1 * random.standard_normal(len(state.q))
    state.lam[:] = random.standard_normal(len(state.lam))
    with wl.Recorder(tmp_path / "joints", formats=("vtkhdf", "vtu")) as out:
        out.record(state)
    origins = [wl.eval_output(body, "position", state) for body in (first, second)]
    beside = wl.eval_output(first, "position", state, local=(0.2, 0.1, 0.3)) if space else None
    for path in out.paths:
        times, read = read_series(path)
        frame = read(times[0])
        assert len(frame.lines) == 3 * len(joints)
        corners = frame.points[frame.lines]
        for k, joint in enumerate(joints):
            line = slice(3 * k, 3 * k + 3)
            assert_allclose(corners[line][1:, 0], corners[line][:-1, 1], atol=0)
            for name in ("force", "torque"):
                expected = np.tile(wl.eval_output(joint, name, state), (3, 1))
                assert_allclose(frame.cell_data[f"joint_{name}"][line], expected, rtol=1e-13, atol=1e-13)
            assert np.abs(frame.cell_data["joint_force"][line]).max() > 1e-3
            if k == 4:
                assert_allclose(corners[line][:2, 0], np.tile(wl.eval_output(joint, "contact_position", state), (2, 1)))
                assert_allclose(corners[line][-1], [origins[1]] * 2, atol=1e-14)
            elif k % 2:
                assert_allclose(corners[line][[0, 2], [0, 1]], origins, atol=1e-14)
            else:
                assert_allclose(corners[line][:2, 0], np.zeros((2, 3)), atol=1e-14)
                assert_allclose(corners[line][2, 1], origins[0], atol=1e-14)
            if beside is not None and k < 4:
                assert_allclose(corners[line][2 - k % 2, 0], beside, atol=1e-13)


def test_a_sliding_joint_is_a_line_from_its_place_on_the_cable() -> None:
    """A sliding joint is drawn as a line from its position on the cable to its point on the body, which is not on the
    cable in this state.

    The line has the forces and the speed as fields.
    """
    world, cables, bead, joint = create_ring(8)
    state = wl.State(world)
    own = state.of(bead).copy()
    state.q[:] += 1e-3 * np.random.default_rng(1).standard_normal(len(state.q))
    assert np.abs(state.of(bead) - own).max() > 1e-4
    seen = Scene(world, 1).draw(state)
    assert seen is not None
    [drawing] = [one for one in seen[0] if "slide_speed" in one.cell_data]
    place, length = float(wl.eval_output(joint, "arc_length", state)), 2.0 * np.pi / 8
    number = int(wl.eval_output(joint, "cable", state))
    on_cable = wl.eval_output(cables[number], "position", state, x=place - number * length)
    assert_allclose(drawing.points, (on_cable, wl.eval_output(bead, "position", state)), atol=1e-12)
    assert_allclose(drawing.cell_data["slide_speed"], wl.eval_output(joint, "speed", state), rtol=1e-13)
