"""First-order states, controllers and hydraulics are compared with independent solutions by SciPy."""

from __future__ import annotations

from math import cos, pi, sqrt, tanh
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import windlass as wl
import windlass.connectors as con
import windlass.elements as el
from windlass.framework.arrays import FloatArray
from windlass.framework.model.table import Entity

from support.parallel_controllers import main as run_chain
from support.processes import ROOT, run_python

OSCILLATOR = [[0.0, 1.0], [-4.0, -0.6]]


def cubic(t: float, y: FloatArray, u: FloatArray, u_t: FloatArray) -> list[float]:
    return [0.0, -(y[0] ** 3) + np.sin(t)]


def create_oscillator() -> tuple[wl.World, Entity]:
    world = wl.World()
    node = world.add(el.state_node(2), states=(1.0, 0.5))
    world.add(con.GenericODE1, node=node, system_matrix=OSCILLATOR, constant=(0.0, 1.0), state_function=cubic)
    return world, node


def oscillate(t: float, y: FloatArray) -> FloatArray:
    return np.array([y[1], 1.0 - 4.0 * y[0] - 0.6 * y[1] - y[0] ** 3 + np.sin(t)])


def reference(rates: Any, start: Any, end: float) -> FloatArray:
    found: FloatArray = solve_ivp(rates, (0.0, end), start, method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
    return found


@pytest.mark.parametrize("method", ["generalized_alpha", "generalized_alpha_index2", "newmark", "trapezoidal_index2"])
def test_states_have_order_two(method: str) -> None:
    expected, errors = reference(oscillate, [1.0, 0.5], 1.0), []
    for step in (0.02, 0.01):
        world, node = create_oscillator()
        state = wl.Dynamic(world, step=step, end=1.0, method=method).solve()
        errors.append(np.abs(wl.eval_output(node, "states", state) - expected).max())
    assert 3.9 < errors[0] / errors[1] < 4.1 and errors[1] < 2e-4


def test_explicit_methods_take_states() -> None:
    expected = reference(oscillate, [1.0, 0.5], 1.0)
    errors = []
    for method, step in (("rk", 0.05), ("verlet", 0.01), ("verlet", 0.005)):
        world, node = create_oscillator()
        state = wl.Explicit(world, step=step, end=1.0, method=method).solve()
        errors.append(np.abs(wl.eval_output(node, "states", state) - expected).max())
    assert errors[0] < 1e-10
    assert 3.8 < errors[1] / errors[2] < 4.2


def test_statics_finds_states_at_rest() -> None:
    """Static solves with y_t = 0 find a state y that determines a force, and a state y that controls a position."""
    world = wl.World(gravity=(0.0, -9.81))
    mass = world.add(el.MassPoint, position=(0.0, 0.0), mass=2.0)
    con.fix(world, mass, "x")
    height, node = con.coordinate_marker(world, mass, "y"), world.add(el.state_node(1))
    world.add(con.CoordinateSpringDamper, marker1=height, stiffness=50.0)
    # y_t = 0.3 m - u: the state y of the integrator is constant when the mass is at the height of 0.3 m
    world.add(con.GenericODE1, node=node, inputs=height, input_matrix=[[-1.0]], constant=(0.3,))
    world.add(con.StateLoad, marker=height, inputs=con.coordinate_marker(world, node, "y0"), rate_gains=(7.0,))
    state = wl.Static(world, load_steps=2).solve()
    assert np.allclose(wl.eval_output(mass, "position", state), (0.0, 0.3, 0.0), atol=1e-9)
    assert np.isclose(wl.eval_output(node, "states", state)[0], (2.0 * 9.81 + 50.0 * 0.3) / 7.0)
    assert np.allclose(state.of(mass, "v"), 0.0)


def test_modes_of_states() -> None:
    """The eigenvalues of a controlled oscillator equal the eigenvalues of its matrix."""
    world = wl.World()
    mass = world.add(el.MassPoint, position=(0.0, 0.0), mass=2.0)
    con.fix(world, mass, "y")
    x, node = con.coordinate_marker(world, mass, "x"), world.add(el.state_node(1))
    world.add(con.CoordinateSpringDamper, marker1=x, stiffness=50.0, damping=0.4)
    world.add(con.GenericODE1, node=node, inputs=x, system_matrix=[[-3.0]], input_matrix=[[2.0]], rate_matrix=[[0.5]])
    world.add(con.StateLoad, marker=x, inputs=con.coordinate_marker(world, node, "y0"), rate_gains=(-6.0,))
    expected = np.linalg.eigvals([[0.0, 1.0, 0.0], [-25.0, -0.2, -3.0], [2.0, 0.5, -3.0]])
    found = wl.Modes(world, count=3).solve().eigenvalues
    assert len(found) == 2
    for value in found:
        assert np.abs(expected - value).min() < 1e-9


KP, KI, RADIUS, INERTIA, ROPE, CAGE, STIFFNESS, DAMPING, G = 900.0, 2500.0, 0.4, 12.0, 15.0, 200.0, 8e4, 150.0, 9.81


def wanted_speed(t: float) -> float:
    """Return the desired speed [rad/s] of the drum, with a smooth start."""
    return 2.0 * 0.5 * (1.0 - cos(pi * min(t, 1.0)))


def control(t: float, u: FloatArray, u_t: FloatArray) -> float:
    """Return the torque [N m] of a drive with a PI controller and of a dragging brake. The values of u_t are the speed
    of the drum and the integral of the speed error.
    """
    torque: float = KP * (wanted_speed(t) - u_t[0]) + KI * u_t[1] - 20.0 * tanh(u_t[0] / 0.1)
    return torque


def control_derivative(t: float, u: FloatArray, u_t: FloatArray) -> tuple[list[float], list[float]]:
    return [0.0, 0.0], [-KP - 200.0 / np.cosh(u_t[0] / 0.1) ** 2, KI]


def create_hoist(derivative: Any = None) -> tuple[wl.World, Entity, Entity, Entity]:
    """Create a drum with an elastic rope on which a cage hangs. The speed of the drum is controlled."""
    world = wl.World(gravity=(0.0, -G, 0.0))
    drum = world.add(el.RigidBody2D, position=(0.0, 0.0), mass=50.0, inertia=INERTIA)
    con.fix(world, drum, "x", "y")
    cage = world.add(el.MassPoint, position=(RADIUS, -10.0), mass=CAGE)
    con.fix(world, cage, "x")
    rope = world.add(el.generic_node(1))
    world.add(el.GenericODE2, nodes=rope, mass=[[ROPE]])
    angle, wound = con.coordinate_marker(world, drum, "rotation"), con.coordinate_marker(world, rope, "q0")
    world.add(con.CoordinateConstraint, marker0=angle, marker1=wound, ratio=RADIUS)
    height = con.coordinate_marker(world, cage, "y")
    world.add(con.CoordinateSpringDamper, marker0=wound, marker1=height, stiffness=STIFFNESS, damping=DAMPING)
    node = world.add(el.state_node(1))
    error = lambda t, y, u, u_t: [wanted_speed(t) - u_t[0]]  # noqa: E731
    world.add(con.GenericODE1, node=node, inputs=angle, state_function=error)
    inputs = [angle, con.coordinate_marker(world, node, "y0")]
    world.add(con.StateLoad, marker=angle, load_function=control, load_derivative=derivative, inputs=inputs)
    return world, drum, cage, node


def hoist(t: float, s: FloatArray) -> FloatArray:
    """Return the rates of the positions of rope and cage, of their velocities, and of the integral of the speed
    error.
    """
    force = STIFFNESS * (s[0] - s[1]) + DAMPING * (s[2] - s[3])
    torque = control(t, np.zeros(2), np.array([s[2] / RADIUS, s[4]]))
    inertia = INERTIA / RADIUS**2 + ROPE
    return np.array(
        [s[2], s[3], (torque / RADIUS - force) / inertia, force / CAGE - G, wanted_speed(t) - s[2] / RADIUS]
    )


@pytest.mark.parametrize("derivative", [None, control_derivative])
def test_controlled_hoist(derivative: Any) -> None:
    """Drum and state are fixed in the static solve. After the release of drum and state, the motion agrees with SciPy
    with order 2.
    """
    world, drum, cage, node = create_hoist(derivative)
    brake = con.fix(world, drum, "rotation")
    held = con.prescribe_velocity(world, node, "y0", CAGE * G * RADIUS / KI)
    wl.testing.check_tangent(world)
    start = wl.Static(world).solve()
    assert np.isclose(wl.eval_output(node, "states", start)[0], CAGE * G * RADIUS / KI)
    assert abs(wl.eval_output(brake, "force", start)) < 1e-6
    for hold in (brake, held):
        world.set(hold, active=False)
    sag = CAGE * G / STIFFNESS
    expected = reference(hoist, [0.0, -sag, 0.0, 0.0, CAGE * G * RADIUS / KI], 0.4)
    errors = []
    for step in (4e-3, 2e-3):
        state = wl.Dynamic(world, step=step, end=0.4).solve(start)
        found = [state.of(cage)[0, 1], state.of(cage, "v")[0, 1], state.of(node, "v")[0, 0]]
        errors.append(np.abs(np.array(found) - expected[[1, 3, 4]]).max())
    assert 3.9 < errors[0] / errors[1] < 4.1 and errors[1] < 1e-6
    ledger = wl.EnergyLedger()
    wl.Dynamic(world, step=4e-3, end=0.1).solve(start, hooks=[ledger])
    # the energies balance; first-order states have no kinetic energy
    assert abs(ledger.rest) < 1e-6 * abs(ledger["work"][-1])


def test_a_motor_follows_a_state() -> None:
    """A constraint on velocities keeps the speed of a drum equal to a first-order state."""
    world = wl.World()
    drum = world.add(el.RigidBody2D, position=(0.0, 0.0), mass=1.0, inertia=0.1)
    con.fix(world, drum, "x", "y")
    node = world.add(el.state_node(1))
    world.add(con.GenericODE1, node=node, system_matrix=[[-2.0]], constant=(6.0,))
    markers = [con.coordinate_marker(world, node, "y0"), con.coordinate_marker(world, drum, "rotation")]
    world.add(con.CoordinateConstraint, marker0=markers[0], marker1=markers[1], velocity_level=True)
    state = wl.Dynamic(world, step=1e-3, end=1.0, method="trapezoidal_index2").solve()
    assert np.isclose(state.of(drum, "v")[0, 2], 3.0 * (1.0 - np.exp(-2.0)), rtol=1e-6)


LENGTH = sqrt(2.0 * 0.25**2)
CYLINDER = {
    "offset_length": LENGTH, "stroke_length": 0.5 * LENGTH, "area0": 0.01, "area1": 0.01, "hose_volume0": 1.0,
    "hose_volume1": 1.0, "oil_bulk_modulus": 1e11, "damping": 2e5, "nominal_flow": 2e-5, "system_pressure": 2e7,
}  # fmt: skip


def follow(t: float, u: FloatArray, u_t: FloatArray) -> tuple[float, float]:
    """Return the valve openings by which the stroke follows the desired stroke."""
    opening = 2.0 * ((max(0.5, min(1.5, 1.0 - cos(pi * t))) - 0.5) * 0.1 - u[0])
    return opening, -opening


def create_arm(**more: Any) -> tuple[wl.World, Entity, Entity]:
    """Create the arm of Exudyn's test of its hydraulic actuator, with an initial velocity."""
    world = wl.World()
    ground = world.add(el.Ground)
    arm = world.add(el.RigidBody2D, position=(0.5, 0.0), mass=120.0, inertia=10.0, velocity=(0.0, 1.0, 2.0))
    pivot = con.position_marker(world, ground), con.position_marker(world, arm, at=(-0.5, 0.0))
    world.add(con.RevoluteJoint2D, marker0=pivot[0], marker1=pivot[1])
    world.add(con.Force, marker=con.position_marker(world, arm), vector=(0.0, -120.0 * 9.81, 0.0))
    node = world.add(el.state_node(2), name="pressures", states=(2e6, 2e6))
    ends = con.position_marker(world, ground, at=(0.0, -0.25)), con.position_marker(world, arm, at=(-0.25, 0.0))
    actuator = world.add(
        con.HydraulicActuator, marker0=ends[0], marker1=ends[1], node=node, valve_function=follow, **(CYLINDER | more)
    )
    return world, arm, actuator


def move_arm(t: float, s: FloatArray) -> FloatArray:
    """Return the rates of the angle, the angular velocity and the two pressures. Arm and cylinder form a triangle with
    two sides of 0.25 m.
    """
    phi, w, p0, p1 = s
    x, y = 0.25 * np.cos(phi), 0.25 * np.sin(phi) + 0.25
    length = np.hypot(x, y)
    arm = (-x * np.sin(phi) + y * np.cos(phi)) * 0.25 / length
    rate = arm * w
    force = 0.01 * (p1 - p0) + 2e5 * rate
    a = follow(t, np.array([length - LENGTH]), np.zeros(1))[0]
    flow0 = a * 2e-5 * (np.sqrt(2e7 - p0) if a >= 0.0 else np.sqrt(p0))
    flow1 = -a * 2e-5 * (np.sqrt(2e7 - p1) if a < 0.0 else np.sqrt(p1))
    speed = (-120.0 * 9.81 * 0.5 * np.cos(phi) - force * arm) / (10.0 + 120.0 * 0.25)
    return np.array([w, speed, 1e11 * (-0.01 * rate + flow0), 1e11 * (0.01 * rate + flow1)])


def test_hydraulic_arm() -> None:
    """The motion of a hydraulic arm converges with order 2 to SciPy's solution of separate equations of the arm."""
    expected = reference(move_arm, [0.0, 2.0, 2e6, 2e6], 0.1)
    errors = []
    for step in (2e-3, 1e-3):
        world, _, actuator = create_arm()
        state = wl.Dynamic(world, step=step, end=0.1).solve()
        errors.append(np.abs(wl.eval_output(actuator, "pressures", state) / expected[2:] - 1.0).max())
    assert errors[1] < 2e-4 and 3.0 < errors[0] / errors[1] < 5.0


def test_tangent_of_hydraulics() -> None:
    """The tangent of all terms of the cylinder agrees with differences in random states."""
    soft = {"area1": 0.008, "cylinder_bulk_modulus": 2e11, "hose_bulk_modulus": 5e10, "volume_change": True}
    world, _, actuator = create_arm(valve_opening0=0.1, valve_opening1=-0.2, **soft)
    wl.testing.check_tangent(world, tolerance=1e-5)
    state = wl.State(world)
    p, rate = np.array([2e6, 2e6]), wl.eval_output(actuator, "stroke_rate", state)
    assert np.isclose(wl.eval_output(actuator, "force", state), -p[0] * 0.01 + p[1] * 0.008 + 2e5 * rate)
    # the effective stiffness of the oil of chamber 1 at stroke 0 is K/V, with K from three compliances
    V, hose = 1.0 + 0.008 * 0.5 * LENGTH, 1.0
    K = 1.0 / (1.0 / 1e11 + (V - hose) / (V * 2e11) + hose / (V * 5e10))
    flow = -0.2 * 2e-5 * np.sqrt(2e6)
    residual = wl.assemble_vector(world, state).array
    assert np.isclose(-residual[-1] / 0.008, K / V * (0.008 * rate + flow), rtol=1e-9)


def test_a_saved_state_goes_on(tmp_path: Path) -> None:
    """Files store first-order states among the velocities, and a run that starts from the file equals an uninterrupted
    run.
    """
    ends = []
    for parts in (1, 2):
        world, node = create_oscillator()
        state = None
        for k in range(parts):
            state = wl.Dynamic(world, step=0.01, end=0.4 * (k + 1) / parts, method="newmark").solve(state)
            state.save(tmp_path / "half.npz")
            state = wl.State(world).load(tmp_path / "half.npz")
        ends.append(wl.eval_output(node, "states", state))
    assert np.allclose(*ends, rtol=0.0, atol=2e-9)


def test_model_files_keep_nodes_of_any_size(tmp_path: Path) -> None:
    """Model files with nodes of any number of states can be loaded, and refer to user functions by name."""
    world, node = create_oscillator()
    world.save(tmp_path / "model.json")
    again = wl.World.load(tmp_path / "model.json", functions={"cubic": cubic})
    expected, found = (wl.Dynamic(w, step=0.05, end=0.2).solve().v for w in (world, again))
    assert np.array_equal(expected, found) and len(node) == 1


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"system_matrix": [1.0, 2.0, 3.0]}, "must have 4, of shape"),
        ({"input_matrix": [[1.0], [2.0]]}, "must have 0, of shape"),
        ({"state_function": lambda t, y, u, u_t: [1.0]}, "must give finite numbers"),
    ],
)
def test_wrong_controllers_are_refused(change: dict[str, Any], words: str) -> None:
    world = wl.World()
    world.add(con.GenericODE1, node=world.add(el.state_node(2)), **change)
    with pytest.raises(wl.ModelError, match=words):
        wl.Dynamic(world, step=0.1, end=0.1).solve()


@pytest.mark.mpi
def test_two_processes(tmp_path: Path) -> None:
    """For models with states, inputs from other processes and a body shared by two processes, the results on one and
    two processes agree.
    """
    one, two = tmp_path / "1.npz", tmp_path / "2.npz"
    run_chain(one)
    done = run_python([ROOT / "tests/support/parallel_controllers.py", two], 2)
    assert done.returncode == 0, done.stderr
    with np.load(one) as expected, np.load(two) as found:
        for name in expected.files:
            np.testing.assert_allclose(found[name], expected[name], rtol=1e-8, atol=1e-9)
            assert np.abs(expected[name]).max() > 1e-4


def test_hydraulics_read_no_coordinates_beyond_those_of_the_points(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels in plain Python, which checks the bounds of arrays, read no coordinates beyond the coordinates of the
    points. Otherwise, compiled kernels would give tangents of NaN.
    """
    monkeypatch.setenv("WINDLASS_JIT", "0")
    code = (
        "import windlass as wl\nfrom verification.test_controllers import create_arm\n"
        "world = create_arm()[0]\nwl.assemble_matrix(world, wl.State(world), dq=1.0, dv=1.0)\nprint('assembled')"
    )
    run = run_python(["-c", code])
    assert run.stdout.strip() == "assembled", run.stderr
