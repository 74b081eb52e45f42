"""Tests of sliding joints: moving loads, free rings with a bead, friction, stops, ends of ropes, restarts, and several
processes.

Source of the string with a moving mass: L. Fryba, Vibration of Solids and Structures under Moving Loads, Telford
(1999). All other closed forms are elementary mechanics.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

import windlass as wl
from windlass import connectors as con
from windlass.elements import MassPoint, nodes_of, straight_cable
from windlass.framework.arrays import FloatArray
from windlass.framework.model.table import Entity

from support.carriages import create_ring, find_momentum
from support.parallel_carriages import run_trolleys
from support.processes import ROOT, run_python

LENGTH, TENSION, MASS, SPEED = 10.0, 1e4, 2.0, 20.0
GRAVITY = 9.81


def eval_moving_mass(modes: int, times: FloatArray) -> FloatArray:
    """Return the deflection [m] of a string of 1 kg/m under a mass that moves over the string with constant speed, by
    Galerkin's method.

    The equation is T w'' = w_tt + δ(x - Vt) m (g + D²w/Dt²). The shape functions are sines, whose number is ``modes``.
    """
    k = np.arange(1, modes + 1) * np.pi / LENGTH
    M, K = 0.5 * LENGTH, 0.5 * TENSION * LENGTH * k**2

    def rate(t: float, y: FloatArray) -> FloatArray:
        q, v, x = y[:modes], y[modes:], SPEED * t
        w, w1, w2 = np.sin(k * x), k * np.cos(k * x), -(k**2) * np.sin(k * x)
        f = -K * q - MASS * w * (GRAVITY + 2.0 * SPEED * w1 @ v + SPEED**2 * w2 @ q)
        return np.concatenate((v, f / M - w * (MASS / M * (w @ f) / (M + MASS * w @ w))))

    found = solve_ivp(rate, (0.0, times[-1]), np.zeros(2 * modes), t_eval=times, method="DOP853", rtol=1e-6, atol=1e-9)
    return np.array([np.sin(k * SPEED * t) @ y[:modes] for t, y in zip(found.t, found.y.T, strict=True)])


def eval_rope_with_mass(elements: int, step: float, times: FloatArray, folder: Path) -> FloatArray:
    """Return the deflection [m] of a string under a moving mass, computed by a model of cables and a sliding joint
    without friction.
    """
    world = wl.World()
    cables = straight_cable(
        world, (0.0, 0.0), (LENGTH, 0.0), elements, axial_stiffness=1e6, bending_stiffness=1e-3, mass_per_length=1.0,
        reference_strain=-TENSION / 1e6,
    )  # fmt: skip
    chain = nodes_of(world, cables)
    con.hinge(world, chain[0])
    con.hinge(world, chain[-1])
    mass = world.add(MassPoint, position=(0.0, 0.0), velocity=(SPEED, 0.0), mass=MASS)
    world.add(con.Force, marker=con.position_marker(world, mass), vector=(0.0, -GRAVITY * MASS, 0.0))
    con.sliding_joint(world, cables, mass, 0.0, speed=SPEED)
    places = wl.Sensors(folder / "places.csv", [wl.Sensor(mass, "position", name="place")])
    wl.Dynamic(world, step=step, end=times[-1] + step, method="trapezoidal_index2").solve(hooks=[places])
    y = places["place"][:, 1]
    return np.interp(times, step * np.arange(len(y)), y)


@pytest.mark.parametrize(
    ("elements", "modes", "bound"), [(10, 40, 0.04), pytest.param(80, 200, 0.004, marks=pytest.mark.long)]
)
def test_a_mass_on_a_string(elements: int, modes: int, bound: float, tmp_path: Path) -> None:
    """A mass of 2 kg moves over all cables of a string of 10 kg with a fifth of the wave speed. The deflection agrees
    with a series.

    The largest differences from the series of 200 modes, relative to the largest deflection, are 1.5 % with 20 cables,
    0.6 % with 40 and 0.23 % with 80. The error of the series is 0.2 % with 200 modes, and 0.4 % with 80 modes.
    """
    times = np.linspace(0.05, 0.45, 9)
    exact = eval_moving_mass(modes, times)
    found = eval_rope_with_mass(elements, 0.02 / elements, times, tmp_path)
    assert np.abs(found - exact).max() < bound * np.abs(exact).max()


class Turn(NamedTuple):
    """Results for a free ring with a bead: momenta before and after the motion, work of the joint [J], and position of
    the bead [m].
    """

    before: FloatArray
    after: FloatArray
    work: float
    rest: float
    place: float
    gap: FloatArray
    changes: int


ENERGY = 0.5 * 0.3 * 2.0 * np.pi * 9.0 + 0.5 * 0.5 * 15.0**2
"""Kinetic energy [J] of the ring and its bead at the start."""


def turn_ring(space: bool, steps: int, step: float) -> Turn:
    """Simulate a closed ring of 16 cables, on which the bead passes from the last cable to the first cable."""
    world, cables, bead, joint = create_ring(16, space)
    ledger, first, passed = wl.EnergyLedger(), wl.State(world), [0.0]

    def note_cable(state: wl.State) -> None:
        passed.append(float(wl.eval_output(joint, "cable", state)))

    end = wl.Dynamic(world, step=step, end=steps * step, method="trapezoidal_index2").solve(hooks=[ledger, note_cable])
    return Turn(
        find_momentum(world, cables, bead, first),
        find_momentum(world, cables, bead, end),
        ledger.totals["SlidingJoint.held"],
        ledger.rest,
        float(wl.eval_output(joint, "arc_length", end)),
        wl.eval_output(joint, "gap", end),
        int((np.diff(passed) != 0.0).sum()),
    )


def test_free_ring() -> None:
    """Momentum is conserved except for rounding errors.

    The errors of angular momentum and energy are due to the integration method: with half of the step size, the errors
    are a quarter.
    """
    coarse, fine = turn_ring(False, 100, 2e-3), turn_ring(False, 200, 1e-3)
    scale = np.linalg.norm(fine.before[1])
    for turn in (coarse, fine):
        assert turn.changes >= 2
        assert_allclose(turn.after[0], turn.before[0], atol=1e-12)
        assert abs(turn.rest) < 1e-6 * ENERGY
    lost = [abs(turn.after[1] - turn.before[1]).max() for turn in (coarse, fine)]
    assert lost[1] < 1e-3 * scale and abs(fine.work) < 1e-3 * ENERGY
    assert lost[0] / lost[1] > 3.0 and abs(coarse.work / fine.work) > 3.0
    assert np.abs(fine.gap).max() < 1e-3


def test_free_ring_in_space() -> None:
    """In a plane that is rotated by 0.5 rad, the motion of the bead equals the motion in the x-y plane."""
    plane, space = turn_ring(False, 60, 2e-3), turn_ring(True, 60, 2e-3)
    assert_allclose(space.place, plane.place, rtol=1e-9)
    assert_allclose(np.linalg.norm(space.after, axis=1), np.linalg.norm(plane.after, axis=1), rtol=1e-9)
    assert space.changes == plane.changes


@pytest.mark.long
def test_free_ring_over_many_steps() -> None:
    """In 10⁴ steps, in which the ring makes four turns and the bead changes the cable 171 times, the error of momentum
    is 3e-14 and the error of energy is 0.05 J of 65 J.
    """
    turn = turn_ring(False, 10_000, 1e-3)
    assert turn.changes >= 150
    assert_allclose(turn.after[0], turn.before[0], atol=1e-10)
    assert_allclose(turn.after[1], turn.before[1], atol=2e-3 * np.linalg.norm(turn.before[1]))
    assert abs(turn.work) < 2e-3 * ENERGY


def create_rail(end: float = 8.0, **values: Any) -> tuple[wl.World, Entity, Entity, Entity]:
    """Create a mass of 2 kg on a straight rope of 8 cables with the length 8 m. The nodes are clamped, and gravity is
    perpendicular to the rope.
    """
    world = wl.World(gravity=(0.0, -GRAVITY))
    cables = straight_cable(
        world, (0.0, 0.0), (8.0, 0.0), 8, axial_stiffness=1e9, bending_stiffness=1e7, mass_per_length=1.0
    )
    con.fix(world, nodes_of(world, cables), "x", "y", "x'", "y'")
    mass = world.add(MassPoint, position=(1.0, 0.0), velocity=(4.0, 0.0), mass=MASS)
    return world, cables, mass, con.sliding_joint(world, cables, mass, 1.0, speed=4.0, **values)


def test_friction() -> None:
    """With viscous friction, the speed agrees with v = v0 exp(-d t/m).

    With smooth Coulomb friction, the speed agrees with the solution of m v_t = -μ m g v/√(v² + w²).
    """
    world, _, mass, joint = create_rail(damping=3.0)
    end = wl.Dynamic(world, step=5e-3, end=1.0, method="trapezoidal_index2").solve()
    assert_allclose(end.of(mass, "v")[0, 0], 4.0 * np.exp(-1.5), rtol=1e-5)
    assert_allclose(wl.eval_output(joint, "speed", end), end.of(mass, "v")[0, 0], rtol=1e-6)

    world, _, mass, joint = create_rail(friction_coefficient=0.3, friction_speed=0.2)
    ledger = wl.EnergyLedger()
    end = wl.Dynamic(world, step=2e-3, end=1.0, method="trapezoidal_index2").solve(hooks=[ledger])
    found = solve_ivp(lambda t, v: -0.3 * GRAVITY * v / np.sqrt(v**2 + 0.04), (0.0, 1.0), [4.0], rtol=1e-10, atol=1e-12)
    speed = found.y[0, -1]
    assert_allclose(end.of(mass, "v")[0, 0], speed, rtol=1e-5)
    lost = sum(ledger.losses(joint)["friction"])
    assert_allclose(lost, 0.5 * MASS * (16.0 - speed**2), rtol=1e-5)


def test_drive_by_a_function() -> None:
    """For a drive with the force P - c v along the rope, the speed is v = P/c + (v0 - P/c) exp(-c t/m)."""
    world, _, mass, joint = create_rail()

    def force(t: float, row: int, s: float, s_t: float, *parameters: float) -> float:
        return 1.5 * s_t - 3.0

    world.add(con.CoordinateSpringDamper, marker1=con.coordinate_marker(world, joint, "s"), force_function=force)
    end = wl.Dynamic(world, step=5e-3, end=1.0, method="trapezoidal_index2").solve()
    assert_allclose(end.of(mass, "v")[0, 0], 2.0 + 2.0 * np.exp(-1.5 / MASS), rtol=1e-5)


def test_several_cables_in_one_step() -> None:
    """A mass with the speed 40 m/s moves over four cables in a step of 0.1 s, and its motion is exact."""
    world, _, mass, joint = create_rail()
    state = wl.State(world)
    state.put(nodes_of(world, mass), [[40.0, 0.0]], "v")
    state.put(nodes_of(world, joint), [[40.0]], "v")
    end = wl.Dynamic(world, step=0.1, end=0.1).solve(state)
    assert_allclose(wl.eval_output(joint, "arc_length", end), 5.0, rtol=1e-9)
    assert wl.eval_output(joint, "cable", end) in (4, 5)
    assert_allclose(wl.eval_output(joint, "gap", end), 0.0, atol=1e-9)


def test_ends_of_the_rope() -> None:
    """At the end of the rope, a stop reverses the speed of the mass, and a joint that may leave the rope falls freely.

    If the rope ends without a stop and the joint may not leave the rope, an error is raised.
    """
    world, _, mass, joint = create_rail()
    stops = con.end_stops(world, joint, 8.0, stiffness=1e5)
    end = wl.Dynamic(world, step=1e-3, end=2.0, method="trapezoidal_index2").solve()
    assert_allclose(end.of(mass, "v")[0], [-4.0, 0.0], rtol=5e-3, atol=1e-6)
    # the first row is the stop at 0, and the second row is the stop at 8 m
    assert_allclose(wl.eval_output(stops, "gap", end).sum(), 8.0, rtol=1e-12)
    assert_allclose(wl.eval_output(stops, "gap", end)[0], wl.eval_output(joint, "arc_length", end), rtol=1e-12)

    world, _, mass, joint = create_rail(leaves=True)
    end = wl.Dynamic(world, step=5e-3, end=2.25).solve()
    assert wl.eval_output(joint, "left", end) == 1.0 and wl.eval_output(joint, "end", end) == 1.0
    assert_allclose(wl.eval_output(joint, "force", end), 0.0, atol=1e-12)
    # the joint leaves the rope after 1.75 s
    assert_allclose(wl.eval_output(mass, "position", end)[:2], [10.0, -0.5 * GRAVITY * 0.25], rtol=1e-2)

    world, _, _, _ = create_rail()
    with pytest.raises(wl.NotConverged, match=r"has run off the end of its rope: s = 8\.5"):
        wl.Dynamic(world, step=2e-2, end=3.0, adaptive=False).solve()


def solve_trolleys(folder: Path, processes: int) -> Any:
    """Run the program with the trolleys, and return its results."""
    path = folder / f"trolleys{processes}.npz"
    done = run_python([ROOT / "tests/support/parallel_carriages.py", path, "-quiet"], processes)
    assert done.returncode == 0, done.stderr
    return np.load(path)


@pytest.mark.mpi
def test_two_processes(tmp_path: Path) -> None:
    """Two trolleys with two rollers each move from the cables of one process to the cables of a second process. The
    results agree with a run on one process.
    """
    serial, parallel = run_trolleys(), solve_trolleys(tmp_path, 2)
    assert serial["cable"][1] == 3.0  # the second roller started on cable 2
    for name in serial:
        scale = np.abs(serial[name]).max()
        assert_allclose(parallel[name], serial[name], atol=1e-8 * scale, rtol=0, err_msg=name)


@pytest.mark.long
def test_without_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels that run as Python functions give the same results as compiled kernels."""
    serial = run_trolleys()
    monkeypatch.setenv("WINDLASS_JIT", "0")
    plain = solve_trolleys(tmp_path, 1)
    for name in serial:
        assert_allclose(plain[name], serial[name], atol=1e-8 * np.abs(serial[name]).max(), rtol=0, err_msg=name)
