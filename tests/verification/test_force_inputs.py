"""Tests of loads at points and along lines that follow measured values: tangents, values, and a winder."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

import windlass as wl
import windlass.connectors as con
import windlass.elements as el
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.state.tangent_check import check_fields

from support.differences import set_random_fields
from support.processes import ROOT, run_python


def create_bodies() -> wl.World:
    """Create 3D bodies, 2D bodies, a cable and ground, with loads that depend on displacements and distances of their
    points.
    """
    world = wl.World()
    ball = world.add(el.RigidBody3D, position=(0.1, 0.2, 0.3), mass=1.0, inertia=1.0)
    plate = world.add(el.RigidBody2D, position=(1.0, 0.5), angle=0.4, mass=1.0, inertia=1.0, center_of_mass=(0.1, 0.2))
    rope = el.straight_cable(
        world, (0.0, -1.0), (1.0, -1.2), 1, axial_stiffness=10.0, bending_stiffness=1.0, mass_per_length=1.0
    )
    # this distance is created first, and the test combines it with markers of other kinds, which are created later
    distance = con.distance_coordinate(
        world, con.position_marker(world, ball, (0.2, -0.1, 0.1)), con.position_marker(world, plate, (0.3, 0.1)), 0.5
    )
    way = con.point_coordinate(world, ball, (1.0, 2.0, -0.5), at=(-0.3, 0.2, 0.4))
    on_rope = con.point_coordinate(world, rope, (0.2, 1.0, 0.0), at=(0.4, 0.1))
    ground = con.position_marker(world, world.add(el.Ground, position=(0.0, 2.0, 0.5)))
    span = con.distance_coordinate(world, ground, con.position_marker(world, rope, (0.6, -0.05)))
    inputs = [way, span, distance, on_rope]
    gains = {"gains": (2.0, -1.0, 0.5, 3.0), "rate_gains": (0.3, 0.2, -0.4, 0.1)}
    for marker in (distance, way, on_rope, span):
        world.add(con.StateLoad, marker=marker, value=0.7, inputs=inputs, **gains)
    return world


def test_tangent() -> None:
    """Tangents of forces that depend on points and act on points agree with differences, including all second
    derivatives.
    """
    assembly = Assembly(create_bodies())
    set_random_fields(assembly, 3)
    check_fields(assembly)


def test_values() -> None:
    """The initial distances and displacements of points have the given values.

    The two forces along a line are equal and opposite.
    """
    world = wl.World()
    masses = [world.add(el.MassPoint, position=place, mass=1.0) for place in ((0.0, 0.0), (3.0, 4.0))]
    line = con.distance_coordinate(world, *(con.position_marker(world, mass) for mass in masses), length=2.0)
    load = world.add(con.StateLoad, marker=line, inputs=line, gains=(10.0,))
    b = wl.assemble_vector(world, wl.State(world)).array
    assert_allclose(-b, (-18.0, -24.0, 18.0, 24.0), rtol=1e-14)
    assert_allclose(wl.eval_output(load, "inputs", wl.State(world))[0], 3.0)


STIFFNESS, DAMPING, DRUM, RADIUS, DANCER, SPEED, WANTED = 800.0, 6.0, 0.02, 0.1, 0.3, 0.5, 20.0
GAIN, INTEGRAL, SLOPE = 0.3, 2.0, 0.4


def wind(step: float, end: float) -> tuple[float, float]:
    """Create a winder: a drum draws a web from a carriage with given speed, and a PI controller controls the tension of
    the web.
    """
    world = wl.World()
    drum = world.add(el.RigidBody2D, name="drum", position=(0.0, 0.0), mass=1.0, inertia=DRUM)
    con.fix(world, drum, "x", "y")
    feed = world.add(el.MassPoint, name="feed", position=(5.0, 0.0), mass=1.0)
    con.fix(world, feed, "y")
    con.prescribe(world, feed, "x", lambda t: -SPEED * t - SLOPE * np.sin(2.0 * t) / 2.0 + 0.0)
    dancer = world.add(el.MassPoint, name="dancer", position=(1.0, 0.0), mass=DANCER)
    con.fix(world, dancer, "y")
    points = [con.position_marker(world, mass) for mass in (dancer, feed)]
    world.add(
        con.SpringDamper, marker0=points[0], marker1=points[1], rest_length=4.0, stiffness=STIFFNESS, damping=DAMPING
    )
    # the web between drum and dancer does not stretch, so both move together
    turned, way = con.coordinate_marker(world, drum, "rotation"), con.coordinate_marker(world, dancer, "x")
    world.add(con.CoordinateConstraint, marker0=turned, marker1=way, ratio=-RADIUS)
    # rate of the integral: the requested tension minus the tension k u + d u_t of the web, with the change u of the
    # distance
    stretch = con.distance_coordinate(world, *points, length=4.0)
    error = world.add(el.state_node(1), name="integral")
    law = {"inputs": stretch, "input_matrix": [[-STIFFNESS]], "rate_matrix": [[-DAMPING]], "constant": (WANTED,)}
    world.add(con.GenericODE1, node=error, **law)
    world.add(
        con.StateLoad, marker=turned, inputs=[stretch, con.coordinate_marker(world, error, "y0")],
        value=RADIUS * WANTED + GAIN * WANTED, gains=(-GAIN * STIFFNESS, 0.0), rate_gains=(-GAIN * DAMPING, INTEGRAL),
    )  # fmt: skip
    state = wl.Dynamic(world, step=step, end=end, method="trapezoidal_index2").solve()
    u, rate = (
        float(v)
        for v in (
            state.of(feed)[0, 0] - state.of(dancer)[0, 0],
            state.of(feed, "v")[0, 0] - state.of(dancer, "v")[0, 0],
        )
    )
    return STIFFNESS * u + DAMPING * rate, float(state.of(drum, "v")[0, 2])


def exact_winder(end: float) -> tuple[float, float]:
    """Return the solution of the winder as three equations by SciPy, in which dancer and drum move together."""
    inertia = DRUM + DANCER * RADIUS**2

    def tension(t: float, y: np.ndarray) -> float:
        u = -SPEED * t - SLOPE * np.sin(2.0 * t) / 2.0 + RADIUS * y[0]
        return STIFFNESS * u + DAMPING * (-SPEED - SLOPE * np.cos(2.0 * t) + RADIUS * y[1])

    def rates(t: float, y: np.ndarray) -> tuple[float, float, float]:
        N = tension(t, y)
        torque = RADIUS * WANTED + GAIN * (WANTED - N) + INTEGRAL * y[2]
        return y[1], (torque - RADIUS * N) / inertia, WANTED - N

    y = solve_ivp(rates, (0.0, end), (0.0, 0.0, 0.0), method="DOP853", rtol=1e-10, atol=1e-12).y[:, -1]
    return tension(end, y), float(y[1])


def test_winder_with_controlled_tension() -> None:
    """Tension and speed of the drum agree with SciPy with order 2."""
    exact = exact_winder(0.5)
    errors = [np.abs(np.array(wind(step, 0.5)) - exact) for step in (4e-3, 2e-3)]
    assert errors[1][0] < 0.1 and errors[1][1] < 0.05
    assert np.log2(errors[0] / errors[1]).min() > 1.8


@pytest.mark.mpi
def test_two_processes(tmp_path: Path) -> None:
    """Results for driven joints, stops, bodies with offsets, loads along lines and a rolling disc agree on one and two
    processes.
    """
    found = []
    for processes in (1, 2):
        path = tmp_path / f"{processes}.npz"
        done = run_python([ROOT / "tests/support/joint_machine.py", path], processes)
        assert done.returncode == 0, done.stderr
        with np.load(path) as kept:
            found.append(dict(kept))
    serial, parallel = found
    assert_allclose(parallel["places"], serial["places"], rtol=0, atol=1e-10)
    # the stops become active and inactive in the same steps on one and on two processes
    for name in ("accelerations", "multipliers"):
        assert_allclose(parallel[name], serial[name], rtol=0, atol=1e-8 * np.abs(serial[name]).max(), err_msg=name)
