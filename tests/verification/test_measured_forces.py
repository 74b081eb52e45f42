"""Tests of measured forces (strains of cables and forces of joints) as inputs of loads: tangents, closed loops, and
several processes.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

import windlass as wl
import windlass.connectors as con
import windlass.elements as el
from windlass.elements.cable.winch_rope import WinchRope
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.layout.layout import Layout
from windlass.framework.model.table import Entity
from windlass.framework.state.tangent_check import check_fields

from support.differences import set_random_fields

EA, DAMPING = 40.0, 0.7
STIFF = {"mass_per_length": 0.5, "axial_stiffness": EA, "bending_stiffness": 0.3, "axial_damping": DAMPING}
LENGTH = 0.9


def add_cables(world: wl.World) -> list[Entity]:
    """Create a cable of each kind: 2D, 3D, with moving material, and winch cables in 2D and 3D."""
    bent = {"reference_strain": 0.02, "strain_is_relative_to_reference": 0.4, "length": LENGTH, **STIFF}
    ends = np.array((1.0, 2.0)), np.array((1.0, 2.0, 3.0))
    ropes = [el.winch_rope(world, 0.0 * end, end, 2, strain=0.01, **STIFF) for end in ends]
    return [
        el.straight_cable(world, (0.0, 0.0), (1.0, 0.2), 1, **bent),
        el.straight_cable(world, (0.0, 0.0, 0.0), (1.0, 0.2, 0.3), 1, **bent),
        el.straight_cable(world, (0.0, 1.0), (1.0, 1.2), 1, ale=world.add(el.ALENode), **bent),
        *(rope.cables[1] for rope in ropes),
    ]


def test_strain_is_that_of_the_axial_force() -> None:
    """EA u + d_EA u_t with the measured strain u equals the axial force of the cable. For ALE and winch cables,
    the test compares both values at rest.
    """
    world, place = wl.World(), 0.8
    cables = add_cables(world)
    inputs = [con.strain_coordinate(world, cable, at=place) for cable in cables]
    cells = [world.add(con.StateLoad, marker=u, inputs=u, gains=(EA,), rate_gains=(DAMPING,)) for u in inputs]
    state, random = wl.State(world), np.random.default_rng(2)
    state.q[:] += 0.05 * random.standard_normal(len(state.q))
    motion = random.standard_normal(len(state.v))
    for k, (cable, cell) in enumerate(zip(cables, cells, strict=True)):
        state.v[:] = motion if k < 2 else 0.0
        where = {"x": place * LENGTH} if k < 3 else {"share": place}
        expected = np.ravel(wl.eval_output(cable, "axial_force", state, **where))
        assert_allclose(np.ravel(wl.eval_output(cell, "force", state)), expected, rtol=1e-11)


def add_joints(world: wl.World) -> list[tuple[Entity, int]]:
    """Return 2D joints, 3D joints and a coordinate constraint, each with its number of multipliers."""
    plates = [world.add(el.RigidBody2D, position=(x, 0.1), angle=0.3, mass=1.0, inertia=1.0) for x in (0.0, 1.0)]
    balls = [world.add(el.RigidBody3D, position=(x, 0.1, 0.5), mass=1.0, inertia=1.0) for x in (0.0, 1.0)]
    flat, spatial = ([con.rigid_marker(world, one) for one in bodies] for bodies in (plates, balls))
    turned = [con.coordinate_marker(world, plate, "rotation") for plate in plates]
    ends: dict[str, Any] = {"marker0": flat[0], "marker1": flat[1]}
    in_space: dict[str, Any] = {"marker0": spatial[0], "marker1": spatial[1]}
    return [
        (world.add(con.RevoluteJoint2D, **ends), 2),
        (world.add(con.PrismaticJoint2D, **ends, axis=(1.0, 0.2)), 2),
        (world.add(con.DistanceConstraint, **ends, distance=1.1), 1),
        (world.add(con.SphericalJoint, **in_space), 3),
        (world.add(con.GenericJoint, **in_space), 6),
        (world.add(con.CoordinateConstraint, marker0=turned[0], marker1=turned[1], ratio=-2.0), 1),
    ]


def test_tangent() -> None:
    """The tangent agrees with differences for loads that depend on strains, on load cells at joints, and on a product
    of both.
    """
    world = wl.World()
    places = zip(add_cables(world), (0.0, 0.3, 0.5, 0.9, 1.0), strict=True)
    strains = [con.strain_coordinate(world, cable, at=place) for cable, place in places]
    for k, (joint, count) in enumerate(add_joints(world)):
        cell = con.load_cell(world, joint, np.linspace(0.5, 2.0, count), time_constant=0.1).marker
        world.add(
            con.StateLoad, marker=strains[k % 5], inputs=[cell, strains[0]], gains=(0.0, 2.0),
            rate_gains=(3.0, 0.5), load_function=lambda t, u, u_t: u_t[0] * u[1],
            load_derivative=lambda t, u, u_t: ([0.0, u_t[0]], [u[1], 0.0]),
        )  # fmt: skip
    for this, other in pairwise(strains):
        world.add(con.StateLoad, marker=this, inputs=other, value=0.7, gains=(2.0,), rate_gains=(0.3,))
    assembly = Assembly(world)
    set_random_fields(assembly, 3, 0.1)
    check_fields(assembly)


K, DAMP, MASS, GAIN, INTEGRAL, WANTED, LAG = 800.0, 6.0, 0.3, 0.5, 20.0, 25.0, 0.004


def create_tensioner(by_cell: bool) -> tuple[wl.World, Entity]:
    """Create a light rope on a carriage.

    A PI controller moves the carriage by the measured strain, or by a load cell between rope and carriage.
    """
    world = wl.World()
    stiff = {"axial_stiffness": 2.0 * K, "axial_damping": 2.0 * DAMP, "bending_stiffness": 1e-3}
    rope = el.straight_cable(world, (0.0, 0.0), (2.0, 0.0), 1, mass_per_length=1e-9, **stiff)
    carriage = world.add(el.MassPoint, position=(2.0, 0.0), mass=MASS)
    ends = el.nodes_of(world, rope)
    con.hinge(world, ends[0])
    con.fix(world, carriage, "y")
    points = [con.position_marker(world, which) for which in (ends[1], carriage)]
    joint = world.add(con.RevoluteJoint2D, marker0=points[0], marker1=points[1])
    if by_cell:
        tension, gains = con.load_cell(world, joint, (1.0, 0.0), time_constant=LAG).marker, (0.0, 1.0)
    else:
        tension, gains = con.strain_coordinate(world, rope), (2.0 * K, 2.0 * DAMP)
    left = world.add(el.state_node(1))
    world.add(
        con.GenericODE1, node=left, constant=(WANTED,), inputs=tension, input_matrix=[[-gains[0]]],
        rate_matrix=[[-gains[1]]],
    )  # fmt: skip
    world.add(
        con.StateLoad, marker=con.coordinate_marker(world, carriage, "x"), value=(1.0 + GAIN) * WANTED, 
        inputs=[tension, con.coordinate_marker(world, left, "y0")], gains=(-GAIN * gains[0], 0.0),
        rate_gains=(-GAIN * gains[1], INTEGRAL),
    )  # fmt: skip
    return world, rope


@pytest.mark.parametrize("by_cell", [False, True])
def test_closed_loop_of_a_tensioner(by_cell: bool) -> None:
    """Statics finds the requested tension. The eigenvalues equal the roots of the characteristic polynomial of the
    closed loop,

    m s³ + (d s + k) (s + (Kp s + Ki) C(s)) = 0 with C = 1 for the strain and 1/(T s + 1) for the cell.
    """
    world, rope = create_tensioner(by_cell)
    state = wl.Static(world, name="").solve()
    assert_allclose(wl.eval_output(rope, "axial_force", state), WANTED, rtol=1e-9)
    lag, spring = np.array((LAG * by_cell, 1.0)), np.array((DAMP, K))
    loop = np.polyadd(np.polymul((1.0, 0.0), lag), (GAIN, INTEGRAL))
    inertia = np.polymul((MASS, 0.0, 0.0, 0.0), lag)
    expected = np.roots(np.trim_zeros(np.polyadd(inertia, np.polymul(spring, loop)), "f"))
    found = wl.Modes(world, count=4 + 2 * by_cell, name="").solve(state).eigenvalues
    upper = expected[expected.imag >= 0.0]
    assert len(upper) == 2 + by_cell
    for value in upper:
        assert np.abs(found - value).min() < 1e-6 * abs(value)


STIFFNESS, FORCE = 2e4, 500.0


def create_winch() -> tuple[wl.World, WinchRope]:
    """Create a winch with a PI controller of the strain in its rope. The end of the rope moves outwards by 0.3 m."""
    world = wl.World()
    end = np.array((10.0, 0.0))
    rope = el.winch_rope(
        world,
        0.0 * end,
        end,
        2,
        mass_per_length=0.05,
        axial_stiffness=STIFFNESS,
        bending_stiffness=1e-6,
        axial_damping=50.0,
    )
    con.hinge(world, rope.nodes[0])
    con.fix(world, rope.nodes[2], "y")
    con.prescribe(world, rope.nodes[2], "x", con.smooth_step(0.0, 0.5, 0.0, 0.3))
    world.add(el.GenericODE2, nodes=rope.feed, mass=[[20.0]])
    strain, out = con.strain_coordinate(world, rope.cables[1]), con.coordinate_marker(world, rope.feed, "s")
    left = world.add(el.state_node(1))
    world.add(con.GenericODE1, node=left, constant=(FORCE,), inputs=strain, input_matrix=[[-STIFFNESS]])
    world.add(  # a positive speed pays rope out, so the motor pulls with the opposite sign; drag damps the motion
        con.StateLoad, marker=out, value=-1.5 * FORCE,
        inputs=[strain, con.coordinate_marker(world, left, "y0"), out],
        gains=(0.5 * STIFFNESS, 0.0, 0.0), rate_gains=(0.0, -6.0, -600.0),
    )  # fmt: skip
    return world, rope


def test_winch_holds_a_tension() -> None:
    """Between two equilibria, the winch pays out rope until the tension has its initial value again.

    The error of the energy balance is of order 2.
    """
    world, rope = create_winch()
    start = wl.Static(world, name="").solve()
    assert_allclose(wl.eval_output(rope.cables, "axial_force", start), FORCE, rtol=1e-9)
    state = wl.Dynamic(world, step=0.01, end=4.0, name="").solve(start)
    assert_allclose(wl.eval_output(rope.cables, "axial_force", state), FORCE, rtol=1e-3)
    assert_allclose(wl.eval_output(rope.feed, "coordinate", state), 10.3 / (1.0 + FORCE / STIFFNESS), rtol=1e-4)
    ledgers = wl.EnergyLedger(), wl.EnergyLedger()
    for step, ledger in zip((0.01, 0.005), ledgers, strict=True):
        wl.Dynamic(world, step=step, end=0.4, name="").solve(start, hooks=[ledger])
    assert_allclose(ledgers[0].rest / ledgers[1].rest, 4.0, rtol=0.02)
    assert abs(ledgers[1].rest) < 1e-4 * abs(ledgers[1]["work"][-1])


def test_saved_state_goes_on_to_the_bit(tmp_path: Path) -> None:
    """For a model with a load cell and a strain input, a run that starts from a saved state of a first run exactly
    equals the first run.
    """

    def keep(state: wl.State) -> None:
        if state.step == 10:
            state.save(tmp_path / "state.npz")

    for by_cell in (False, True):
        ends = []
        for part in range(2):
            world, _ = create_tensioner(by_cell)
            start = wl.State(world).load(tmp_path / "state.npz") if part else None
            solver = wl.Dynamic(world, step=2e-3, end=0.04, name="")
            ends.append(solver.solve(start, hooks=[] if part else [keep], resume=bool(part)))
        for name in ("q", "v", "a", "lam"):
            assert (getattr(ends[0], name) == getattr(ends[1], name)).all(), name
        assert np.abs(ends[0].v).max() > 0.01


RATE, RELEASE, HOLD, SOFT, ROTOR = 80.0, 20.0, 30.0, 0.05, 0.4


def brake(reading: float, speed: float) -> float:
    """Return the torque [N m] of a brake on a drum; the brake is released smoothly when the load cell reads more than
    RELEASE.
    """
    return float(-HOLD * 0.5 * (1.0 - np.tanh((reading - RELEASE) / 2.0)) * np.tanh(speed / SOFT))


def drive_drum(step: float, end: float) -> tuple[float, float]:
    """Return the end speed of a drum with motor and brake, and the reading of the torque at the motor mounting, which
    opens the brake.
    """
    world = wl.World()
    drum, stator = (world.add(el.RigidBody2D, position=(0.0, 0.0), mass=1.0, inertia=J) for J in (ROTOR, 0.1))
    con.fix(world, [drum, stator], "x", "y")
    angles = [con.coordinate_marker(world, body, "rotation") for body in (drum, stator)]
    mounting = world.add(con.CoordinateConstraint, marker1=angles[1])
    for angle, sign in zip(angles, (1.0, -1.0), strict=True):
        world.add(con.CoordinateLoad, marker=angle, function=con.ramp(0.0, 1.0, 0.0, sign * RATE))
    cell = con.load_cell(world, mounting, (-1.0,), time_constant=LAG)
    world.add(
        con.StateLoad, marker=angles[0], inputs=[cell.marker, angles[0]],
        load_function=lambda t, u, u_t: brake(u_t[0], u_t[1]),
    )  # fmt: skip
    state = wl.Dynamic(world, step=step, end=end, method="trapezoidal_index2", name="").solve()
    return float(state.of(drum, "v")[0, 2]), float(wl.eval_output(cell.cell, "reading", state))


def test_brake_is_released_by_the_torque_at_a_joint() -> None:
    """Speed and reading agree with SciPy with order 2.

    The reading lags behind the ramp of the torque by the time constant of the cell.
    """

    def rates(t: float, y: np.ndarray) -> tuple[float, float]:
        return (RATE * t + brake(y[1], y[0])) / ROTOR, (RATE * t - y[1]) / LAG

    exact = solve_ivp(rates, (0.0, 0.4), (0.0, 0.0), method="Radau", rtol=1e-10, atol=1e-12).y[:, -1]
    errors = [np.abs(np.array(drive_drum(step, 0.4)) - exact) for step in (4e-3, 2e-3)]
    assert exact[0] > 1.0 and errors[1][0] < 1e-2
    assert_allclose(exact[1], RATE * (0.4 - LAG), rtol=1e-9)
    assert errors[1][1] < 1e-6 and np.log2(errors[0][0] / errors[1][0]) > 1.8


def test_partition_keeps_cells_beside_their_joints() -> None:
    """A load cell is assigned to the process of its joint, even if the joint holds a hub (a body in very many rows)."""
    world = wl.World()
    hubs = [world.add(el.RigidBody2D, position=(0.0, y), mass=1.0, inertia=1.0) for y in (0.0, 1.0)]
    bodies = world.add(el.RigidBody2D, position=np.ones((100, 2)), mass=1.0, inertia=1.0)
    for hub, part in zip(hubs, (slice(50, 100), slice(0, 50)), strict=True):
        ends = {"marker0": con.position_marker(world, hub), "marker1": con.position_marker(world, bodies[part])}
        world.add(con.CartesianSpringDamper, **ends, stiffness=(1.0, 1.0, 0.0))
        ground = con.position_marker(world, world.add(el.Ground))
        joint = world.add(con.RevoluteJoint2D, marker0=ground, marker1=ends["marker0"])
        con.load_cell(world, joint, (1.0, 0.0), time_constant=1e-3)
    world.finalize()
    joints = world.tables[con.RevoluteJoint2D]
    for layout in (Layout(world, rank, 2) for rank in range(2)):
        assert len(layout.rows[con.LoadCell]) == 1
        assert (layout.multipliers(joints, layout.rows[con.LoadCell]) >= 0).all()


def test_outputs_that_are_no_inputs() -> None:
    """A joint or a cable cannot be an input. The error messages name `strain_coordinate` and `load_cell` as
    alternatives.
    """
    world = wl.World()
    joint, rope = add_joints(world)[0][0], add_cables(world)[0]
    angle = con.coordinate_marker(world, world.add(el.RigidBody2D, position=(0.0, 0.0), mass=1.0, inertia=1.0), "x")
    for given in (joint, rope):
        with pytest.raises(wl.ModelError, match=r"must be a coordinate marker; take .* strain_coordinate .* load_cell"):
            world.add(con.StateLoad, marker=angle, inputs=given)
    with pytest.raises(wl.ModelError, match="must be a joint; the axial force of a cable is EA u"):
        con.load_cell(world, rope, (1.0,), time_constant=0.1)
    con.load_cell(world, joint, (1.0,), time_constant=0.1)
    with pytest.raises(wl.ModelError, match=r"has 1 numbers: must have 2 \[1\], one for each multiplier"):
        wl.assemble_vector(world, wl.State(world))


def test_a_tension_roller_reads_the_force_of_its_contact() -> None:
    """A load cell at the hub of a roller that is pressed into a rope reads the force that the supports of the rope
    carry.
    """
    world, press = wl.World(), 0.05
    stiff = {"axial_stiffness": 1e4, "bending_stiffness": 1e-3, "mass_per_length": 0.1, "reference_strain": -0.01}
    rope = el.straight_cable(world, (-1.0, 0.0), (1.0, 0.0), 16, **stiff)
    ends = el.nodes_of(world, rope)
    con.fix(world, ends[[0, 16]], "x")
    supports = con.fix(world, ends[[0, 16]], "y")
    roller = world.add(el.RigidBody2D, position=(0.0, 0.1 - press), mass=1.0, inertia=0.1)
    hub = con.position_marker(world, world.add(el.Ground, position=(0.0, 0.1 - press, 0.0)))
    joint = world.add(con.RevoluteJoint2D, marker0=hub, marker1=con.position_marker(world, roller))
    con.fix(world, roller, "rotation")
    con.add_contact(
        world, con.ContactCircleCable2D, circles=[roller], cables=rope, segments=8, circle_radius=0.1,
        contact_stiffness_per_length=1e7,
    )  # fmt: skip
    cell = con.load_cell(world, joint, (0.0, 1.0), time_constant=1e-3)
    state = wl.Static(world, name="").solve()
    reading = wl.eval_output(cell.cell, "reading", state)
    # the output is the left-hand-side force of the joint; the opposite force acts on the roller, downwards
    assert_allclose(reading, -wl.eval_output(supports, "force", state).sum(), rtol=1e-8)
    assert reading > 5.0
