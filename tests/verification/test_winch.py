"""Tests of winches: hoisting, pendulums of changing length, tension control, energy, restart, and several processes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

import windlass as wl
import windlass.connectors as con
from windlass.elements import MassPoint, state_node, winch_rope
from windlass.elements.cable.winch_rope import WinchRope

from support.output_watch import Watch
from support.parallel_winch import run_load
from support.processes import ROOT, run_python
from support.series import read_series
from support.winches import EA, MASS, G, hang, swing


def follow(length: float, last: float, end: float, step: float, space: bool = False) -> tuple[Any, Any, Any, Any]:
    """Return times, lengths and angles of a pendulum whose length changes, and the angles of the exact equation of
    motion.
    """
    world, _, load = swing(length, last, end, 0.1, space=space)
    watch, lift = Watch(place=(load, "position")), con.smooth_step(0.0, end, length, last)
    wl.Dynamic(world, step=step, end=end, name="").solve(hooks=[watch])
    place = watch["place"]

    def turn(t: float, y: Any) -> list[float]:
        return [y[1], -(2.0 * lift.differentiate()(t) * y[1] + G * np.sin(y[0])) / lift(t)]

    exact = solve_ivp(turn, (0.0, end), [0.1, 0.0], rtol=1e-10, atol=1e-12, t_eval=watch.t).y[0]
    lengths = np.array([lift(t) for t in watch.t])
    return np.array(watch.t), lengths, np.arctan2(place[:, 0], -place[:, 1]), exact


def test_pendulum_that_is_hauled_in() -> None:
    """The length of a pendulum decreases from 4 m to 2 m in 4 s. The motion agrees with the equation of motion. The
    mass of the rope is 1/125 of the mass of the load.
    """
    _, _, angle, exact = follow(4.0, 2.0, 4.0, 0.02)
    assert_allclose(angle, exact, atol=1e-3)
    assert exact.max() > 0.1


@pytest.mark.long
@pytest.mark.parametrize("space", [False, True])
def test_action_of_a_slow_pendulum_stays(space: bool) -> None:
    """While the length is halved in 60 s, the amplitude increases like l^(-3/4), and the action E/ω is constant within
    2 %.
    """
    _, length, angle, exact = follow(4.0, 2.0, 60.0, 0.02, space)
    assert_allclose(angle, exact, atol=1e-2)
    peaks = 1 + np.flatnonzero((angle[1:-1] > angle[:-2]) & (angle[1:-1] >= angle[2:]))
    action = angle[peaks] ** 2 * length[peaks] ** 1.5
    assert len(peaks) > 14 and action.max() < 1.02 * action.min()
    assert angle[peaks][-1] > 1.6 * angle[peaks][0]


SOFT = 5e3
"""Axial stiffness of the rope on which a mass is hoisted [N]."""


def hoist(step: float, **more: Any) -> tuple[Watch, wl.EnergyLedger]:
    """Create a mass that hangs on 5 m of a soft undamped rope. The winch takes in 2 m of the rope within 2 s."""
    world, rope, load = hang(5.0, strain=MASS * G / SOFT, axial_stiffness=SOFT, axial_damping=0.0, **more)
    drive = con.prescribe(world, rope.feed, "s", con.smooth_step(0.0, 2.0, 0.0, -2.0))
    state = wl.Static(world, name="").solve()
    watch = Watch(place=(load, "position"), drive=(drive, "force"), length=(rope.feed, "coordinate"))
    ledger = wl.EnergyLedger()
    wl.Dynamic(world, step=step, end=2.5, name="", rtol=1e-10).solve(state, hooks=[watch, ledger])
    return watch, ledger


def test_hoisting_a_mass_on_an_elastic_rope() -> None:
    """The position of the mass agrees within 2 % with the exact oscillation due to hoisting.

    The force on the drive is N (1 + ε) - EA ε²/2.
    """
    watch, _ = hoist(0.005, mass_per_length=1e-3)
    depth, length = -watch["place"][:, 1], watch["length"][:, 0]
    weight = MASS * G / SOFT
    lift = con.smooth_step(0.0, 2.0, 5.0 / (1.0 + weight), 5.0 / (1.0 + weight) - 2.0)
    assert_allclose(length, [lift(t) for t in watch.t], rtol=1e-12)

    def fall(t: float, y: Any) -> list[float]:
        return [y[1], G - SOFT * (y[0] / lift(t) - 1.0) / MASS]

    exact = solve_ivp(fall, (0.0, 2.5), [5.0, 0.0], rtol=1e-11, atol=1e-12, t_eval=watch.t).y[0]
    assert np.abs(depth - exact).max() < 0.02 * np.abs(exact - length * (1.0 + weight)).max()
    strain = depth / length - 1.0
    assert_allclose(watch["drive"][5:, 0], SOFT * (strain * (1.0 + strain) - 0.5 * strain**2)[5:], rtol=1e-2)


def test_energy_that_enters_closes_the_balance() -> None:
    """A winch pays out a heavy rope that is stored under tension. The error of the energy balance has order 2 in the
    step size, and is small compared with the energy of the material that leaves the winch.
    """
    left = []
    for step in (0.02, 0.01, 0.005):
        _, ledger = hoist(step, mass_per_length=0.5, store_tension=200.0)
        flow = ledger.totals["WinchCable2D.strain_flow"]
        # the strain energy of the rope is 200²/(2 EA) = 4 J/m, and 2 m are paid out
        assert_allclose(flow, 8.0, rtol=10.0 * step**2)
        assert ledger.totals["WinchCable2D.kinetic_flow"] > 0.1
        left.append(abs(ledger.rest + ledger.totals["integrator"]))
    assert left[-1] < 1e-3 * ledger.totals["WinchCable2D.strain_flow"]
    assert 1.6 < np.log2(left[0] / left[2]) / 2 < 2.4


def test_damping_of_a_rope_that_runs_out() -> None:
    """A mass of 5 kg pulls a stiff rope (1e6 N) out of a winch against a force of 20 N.

    The damper of the rope dissipates 3 mJ, both with steps of 4 ms and with steps of 8 ms. If losses were computed from
    velocities at the ends of steps of 8 ms, the losses would be 2.5 J.
    """
    for step in (8e-3, 4e-3):
        world = wl.World(gravity=(0.0, -9.81))
        stiff: dict[str, Any] = {"axial_stiffness": 1e6, "bending_stiffness": 1e-3, "axial_damping": 200.0}
        rope = winch_rope(world, (0, 0), (0, -3.0), 4, strain=5 * 9.81 / 1e6, mass_per_length=0.8, **stiff)
        con.hinge(world, rope.nodes[0])
        point = world.add(MassPoint, position=(0, -3.0), mass=5.0)
        ends = con.position_marker(world, rope.nodes[4]), con.position_marker(world, point)
        world.add(con.RevoluteJoint2D, marker0=ends[0], marker1=ends[1])
        hold = con.fix(world, rope.feed, "s")
        world.add(con.CoordinateLoad, marker=con.coordinate_marker(world, rope.feed, "s"), value=-20.0)
        start, ledger = wl.Static(world, name="").solve(), wl.EnergyLedger()
        world.set(hold, active=False)
        settings: dict[str, Any] = {"method": "generalized_alpha_index2", "spectral_radius": 0.8, "name": ""}
        wl.Dynamic(world, step=step, end=0.8, **settings).solve(start, hooks=[ledger])
        assert_allclose(ledger.totals["WinchCable2D.axial_damping"], 3.05e-3, rtol=0.06)
        assert abs(ledger.rest) < 1e-3 and ledger.totals["kinetic"] > 150.0


def haul(stop: float, step: float, cables: int = 12, ramp: bool = False) -> tuple[Any, Any]:
    """Return times and forces of a drive that takes in 0.5 m of a damped rope of 8 m with a mass within the time
    ``stop`` [s].
    """
    stiff = {"mass_per_length": 0.5, "axial_stiffness": 1e5, "axial_damping": 500.0}
    world, rope, _ = hang(8.0, 0.0, cables, strain=1e-3, **stiff)
    shape = con.ramp if ramp else con.smooth_step
    drive = con.prescribe(world, rope.feed, "s", shape(0.0, stop, 0.0, -0.5))
    state, watch = wl.Static(world, name="").solve(), Watch(force=(drive, "force"))
    wl.Dynamic(world, step=step, end=1.3 * stop, name="").solve(state, hooks=[watch])
    return np.array(watch.t), watch["force"][:, 0]


@pytest.mark.parametrize(("stop", "ramp"), [(0.5, False), (0.493, False), (0.5, True)])
def test_hauling_in_ends_without_a_shock(stop: float, ramp: bool) -> None:
    """A drive stops at the end of a step, stops within a step, or starts suddenly. The forces with steps of 10 ms agree
    with the forces with steps of 2 ms.
    """
    t, force = haul(stop, 0.01, ramp=ramp)
    fine, exact = haul(stop, 0.002, 2, ramp)
    # the tolerance of the last case is larger, because the sudden start also makes the load vibrate on the rope
    assert np.abs(force - np.interp(t, fine, exact)).max() < (0.25 if ramp else 0.03) * np.ptp(exact)


@pytest.mark.parametrize("resume", [True, False])
def test_saved_state_goes_on_to_the_bit(tmp_path: Path, resume: bool) -> None:
    """With the default reuse of tangents, a run that saves its state and a run that resumes from the file are
    bit-identical.

    If the second run starts from the state without ``resume``, the runs agree within 1e-5 m.
    """

    def keep(state: wl.State) -> None:
        if state.step == 20:
            state.save(tmp_path / "state.npz")

    ends = []
    for part in range(2):
        world, *_ = swing(4.0, 3.0, 1.0, 0.2, space=True, cables=2)
        start = wl.State(world).load(tmp_path / "state.npz") if part else None
        solver = wl.Dynamic(world, step=0.01, end=0.4, name="")
        ends.append(solver.solve(start, hooks=[] if part else [keep], resume=resume and bool(part)))
    for name in ("q", "v", "a", "lam"):
        if resume:
            assert (getattr(ends[0], name) == getattr(ends[1], name)).all(), name
    if not resume:
        assert 0.0 < np.abs(ends[0].q - ends[1].q).max() < 1e-5


def span(space: bool = False, **more: Any) -> tuple[wl.World, WinchRope]:
    """Create a vertical rope of 10 m from a winch down to a fixed point."""
    stiff = {"mass_per_length": 0.05, "axial_stiffness": 2e4, "bending_stiffness": 1e-6, **more}
    world, end = wl.World(), (0.0, -10.0, 0.0)[: 2 + space]
    rope = winch_rope(world, 0.0 * np.array(end), end, 2, **stiff)
    con.hinge(world, rope.nodes[0])
    con.fix(world, rope.nodes[2], *"xyz"[: 2 + space : 2])
    return world, rope


@pytest.mark.parametrize("space", [False, True])
def test_constant_pull_finds_the_tension(space: bool) -> None:
    """In statics with a constant pull F of the winch, the length of the rope outside follows from F = N (1 + ε) - EA
    ε²/2, so ε = √(1 + 2 F/EA) - 1.
    """
    world, rope = span(space)
    con.fix(world, rope.nodes[2], "y")
    world.add(con.CoordinateLoad, marker=con.coordinate_marker(world, rope.feed, "s"), value=-1000.0)
    state = wl.Static(world, name="").solve()
    strain = np.sqrt(1.0 + 2.0 * 1000.0 / 2e4) - 1.0
    assert_allclose(wl.eval_output(rope.cables, "axial_force", state), 2e4 * strain, rtol=1e-8)
    assert_allclose(wl.eval_output(rope.feed, "coordinate", state), 10.0 / (1.0 + strain), rtol=1e-8)


def heave(gain: float, end: float = 6.0) -> Any:
    """Return the tensions in the last second of a run with heave.

    The end of the rope heaves by 0.5 m, and the winch pays out rope with a speed equal to the gain times the error of
    the tension.
    """
    world, rope = span(axial_damping=200.0)
    con.prescribe(world, rope.nodes[2], "y", con.sine(-0.5, 0.25))
    place, length = con.coordinate_marker(world, rope.nodes[2], "y"), con.coordinate_marker(world, rope.feed, "s")

    def find_speed(t: float, y: Any, u: Any, u_t: Any) -> list[float]:
        """Return the rate of the payout speed. The payout speed approaches the target speed for the measured strain
        with a time constant of 10 ms.
        """
        measured = 2e4 * ((10.0 - u[0]) / (10.0 + u[1]) - 1.0)
        return [(gain * (measured - 981.0) - y[0]) / 0.01]

    drum = world.add(state_node(1))
    world.add(con.GenericODE1, node=drum, inputs=[place, length], state_function=find_speed)
    speed = con.coordinate_marker(world, drum, "y0")
    world.add(con.CoordinateConstraint, marker0=speed, marker1=length, velocity_level=True)
    watch = Watch(force=(rope.cables, "axial_force"))
    wl.Dynamic(world, step=0.02, end=end, name="").solve(hooks=[watch])
    return watch["force"][-100:]


def test_speed_controlled_to_a_tension() -> None:
    """A heave velocity of 0.785 m/s causes a tension error of 0.785/gain. The deviation from the tension 981 N is at
    most 0.785/gain plus 5 N.
    """
    force = heave(0.02)
    assert np.abs(force - 981.0).max() < 0.5 * 2.0 * np.pi * 0.25 / 0.02 + 5.0
    assert np.abs(force - 981.0).max() > 0.8 * 0.5 * 2.0 * np.pi * 0.25 / 0.02


def test_rope_is_drawn(tmp_path: Path) -> None:
    """A frame contains the hanging rope, from the outlet to the load, with the tension."""
    world, rope, _ = hang(4.0, 0.0, 3, space=True, strain=1e-3)
    con.prescribe(world, rope.feed, "s", -1.0)
    state = wl.Static(world, name="").solve()
    with wl.Recorder(tmp_path / "rope", formats="vtu", subdivisions=2) as recorder:
        recorder.record(state)
    times, frame = read_series(recorder.paths[0])
    drawn = frame(times[0])
    assert_allclose(drawn.points[:, 1].min(), -(4.0 / 1.001 - 1.0) * (1.0 + MASS * G / EA), rtol=1e-5)
    # the joint that holds the load is also drawn
    force = drawn.point_data["axial_force"]
    assert np.isfinite(force).sum() == 3 * 3
    assert_allclose(force[np.isfinite(force)], MASS * G, rtol=1e-2)


def solve_space(folder: Path, processes: int) -> Any:
    """Run the program with the swinging load, and return its results."""
    path = folder / f"winch{processes}.npz"
    done = run_python([ROOT / "tests/support/parallel_winch.py", path, "-quiet"], processes)
    assert done.returncode == 0, done.stderr
    return np.load(path)


@pytest.mark.long
@pytest.mark.mpi
def test_two_processes_and_no_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A load that is hoisted on six cables swings in 3D. The results of a run on two processes, and of a run without
    compiled kernels, agree with a run on one process.
    """
    serial = run_load()
    found = [solve_space(tmp_path, 2)]
    monkeypatch.setenv("WINDLASS_JIT", "0")
    found.append(solve_space(tmp_path, 1))
    for other in found:
        for name in serial:
            scale = np.abs(serial[name]).max()
            assert_allclose(other[name], serial[name], atol=1e-8 * scale, rtol=0, err_msg=name)
