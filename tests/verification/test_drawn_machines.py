"""Laws between two places, and points on cables, are drawn where these are, with their outputs as fields."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.testing import assert_allclose

import windlass as wl
import windlass.connectors as con
from windlass.connectors.markers.position_kernels import FAMILY as POSITIONS
from windlass.elements import MassPoint, state_node
from windlass.framework.assembly.assembly import serial_assembly
from windlass.framework.model.law import law_of
from windlass.framework.output.scene import Scene

from support.carriages import create_ring
from support.joint_machine import create_machine
from support.parallel_springs import create

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
"""Laws that are one line between their markers, with one of their fields."""


def create_world() -> wl.World:
    """Machines of the tests for several processes, with a cylinder and a rope beside them."""
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
    """Ends and a field of every law of the list that a world has, at a state that is not that of the reference."""
    state, random = wl.State(world), np.random.default_rng(4)
    state.q[:] += 0.02 * random.standard_normal(len(state.q))
    state.v[:] += 0.1 * random.standard_normal(len(state.v))
    seen = Scene(world, 1).draw(state)
    assert seen is not None
    assembly = serial_assembly(world)
    places = assembly.load_fields(state).markers[POSITIONS].p
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
    """Bushings, springs, discs, spheres, gears, a rope, a cylinder and stops."""
    world, machine = create_world(), create_machine()[0]
    assert check_lines(world) | check_lines(machine) == set(LINES)


def test_a_sliding_joint_is_a_line_from_its_place_on_the_cable() -> None:
    """To its point, which stands beside the ring at this state; with the forces and the speed as fields."""
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
