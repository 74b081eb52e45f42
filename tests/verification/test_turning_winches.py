"""Friction that turns ropes on soft beds, and winch ropes with torsion: rolling, slip, energy, restart, processes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
import windlass.connectors as con
from windlass.elements import Ground, winch_rope

from support.parallel_turning_winch import run_ropes
from support.processes import ROOT, run_python
from support.turning_ropes import INERTIA, MASS, RADIUS, WEIGHT, Lying, create_lying, run_lying
from support.winch_surfaces import Model, create

RATIO = 1.5
BED = {"lateral_friction_ratio": RATIO, "lateral_stiffness_ratio": 0.8}


def read_motion(model: Lying, state: wl.State) -> tuple[float, float]:
    """Return the mean speed [m/s] of the nodes along y, and the mean spin [rad/s] of the nodes."""
    speed = wl.eval_output(model.rope, "velocity", state)[:, 1]
    return float(speed.mean()), float(wl.eval_output(model.nodes, "angular_velocity", state)[:, 0].mean())


def test_rope_rolls_on_a_soft_bed() -> None:
    """A solid rope that a force f per length drives sideways rolls with the acceleration f/(1.5 m)."""
    model = create_lying(0.3, 4.0, **BED)
    assert model.contacts.table.component is con.ContactFrictionBedTwistCable
    state, energy = run_lying(model, 0.1)
    speed, spin = read_motion(model, state)
    assert_allclose(speed, 4.0 / (1.5 * MASS) * 0.1, rtol=0.02)
    assert_allclose(spin, -speed / RADIUS, rtol=0.02)
    assert abs(energy["rest"]) < 1e-6


def test_rope_slips_on_a_soft_bed() -> None:
    """If the force exceeds three times the lateral limit ρ μ W, the rope slips, and the lateral friction ρ μ W spins
    it.
    """
    mu, force, time = 0.1, 16.0, 0.05
    model = create_lying(mu, force, **BED)
    state, energy = run_lying(model, time)
    speed, spin = read_motion(model, state)
    friction = RATIO * mu * WEIGHT
    assert force > 3.0 * friction
    assert_allclose(speed, (force - friction) / MASS * time, rtol=0.02)
    assert_allclose(spin, -friction * RADIUS / INERTIA * time, rtol=0.02)
    assert abs(energy["rest"]) < 1e-6


@pytest.mark.parametrize("bed", [{}, BED])
@pytest.mark.parametrize("turning", [True, False])
def test_twisted_rope_that_is_paid_out_spins(turning: bool, bed: dict[str, float]) -> None:
    """A straight rope with the twist τ is paid out over a plane with the speed c. Where the nodes do not turn, the
    material at the fraction σ of the rope has the spin s = (1 - σ) τ c, the slip velocity (c, r s), and a friction
    force opposite to this velocity. If the angles of the nodes decrease by (1 - σ) τ c, the rope slides without spin.
    """
    tau, c, mu, count = 3.0, 0.5, 0.2, 4
    world = wl.World()
    rope = winch_rope(
        world, (0.0, 0.0, RADIUS), (1.0, 0.0, RADIUS), count, axial_stiffness=1e5, bending_stiffness=10.0,
        torsional_stiffness=5.0, mass_per_length=MASS, rotary_inertia=INERTIA,
    )  # fmt: skip
    plane = world.add(con.PlaneSurface, marker=con.rigid_marker(world, world.add(Ground)), offset=1e-4)
    contacts = con.add_surface_contact(
        world, plane, rope.cables, points=3, rope_radius=RADIUS, contact_stiffness_per_length=1e6, turns_rope=True,
        friction_velocity_penalty_per_length=1e9, friction_coefficient=mu, **bed,
    )  # fmt: skip
    name = "ContactFrictionBedTwistWinch" if bed else "ContactFrictionSurfaceTwistWinch"
    assert contacts.table.kind == name
    start, nodes = wl.State(world), start_dofs(world, rope.nodes)
    share = np.arange(count + 1) / count
    start.q[nodes[:, 6]] = tau * share
    start.v[nodes[:, 0]] = c * share
    if not turning:
        start.v[nodes[:, 6]] = -tau * c * (1.0 - share)
    start.put(rope.feed, c, "v")
    wl.Dynamic(world, step=1e-6, end=1e-5, name="").prepare_start(start)
    at = (np.arange(3 * count) + 0.5) / (3 * count)
    side = RADIUS * tau * c * (1.0 - at) if turning else 0.0 * at
    slip = np.stack((c + 0.0 * at, side, 0.0 * at), axis=1)
    assert_allclose(wl.eval_output(contacts, "slip_rate", start).ravel(), np.linalg.norm(slip, axis=1), rtol=1e-9)
    ratios = np.array((1.0, bed.get("lateral_friction_ratio", 1.0), 1.0))
    # on a bed, the limit of the friction without bristles is an ellipse: scale the slip to a circle and back
    stiff = bed.get("lateral_stiffness_ratio", 1.0) / ratios[1]
    circle = slip * (1.0, stiff, 1.0)
    force = -mu * 1e6 * 1e-4 / (3 * count) * ratios * circle / np.linalg.norm(circle, axis=1)[:, None]
    friction = wl.eval_output(contacts, "friction_force", start).reshape(-1, 3)
    assert_allclose(friction, force, rtol=1e-6, atol=1e-9 * np.abs(force).max())
    torque = wl.eval_output(contacts, "axis_torque", start).ravel()
    assert_allclose(torque, RADIUS * force[:, 1], rtol=1e-6, atol=1e-9 * np.abs(force).max())


def start_dofs(world: wl.World, nodes: wl.Entity) -> Any:
    """Return the indices of the coordinates of the nodes in a state."""
    return wl.State(world).local_dofs(nodes)


def create_hoist(**more: Any) -> Model:
    """Create a rope whose tension and torsion are coupled. The rope runs over a drum that turns, and carries a load."""
    torsion = {"torsional_stiffness": 0.5, "coupling": 20.0, "rotary_inertia": 1e-5}
    model = create(20, inertia=1e-3, rope=torsion, rope_radius=0.005, turns_rope=True, mu=0.3, **more)
    con.fix(model.world, model.rope.nodes[0], "twist")
    con.prescribe(model.world, model.rope.feed, "s", con.smooth_step(0.0, 0.1, 0.0, 0.1))
    return model


def test_energy_of_a_hoist() -> None:
    """A rope with coupled tension and torsion is paid out over a drum. Friction turns the rope, and the energies of the
    contact balance. The remainder of the energy balance is of second order in the step size.

    In the first 0.12 s, the remainder depends on the initial velocities only in the third digit if these change by
    1e-11 m/s. Later, the motion is chaotic.
    """
    model, rests = create_hoist(), list[float]()
    name = model.contact.table.kind
    assert name == "ContactFrictionSurfaceTwistWinch"
    start = wl.Static(model.world).solve()
    for step in (2.5e-4, 1.25e-4):
        ledger = wl.EnergyLedger()
        state = wl.Dynamic(model.world, step=step, end=0.11).solve(start.copy(), hooks=[ledger])
        totals = ledger.totals
        lost = totals[f"{name}.sliding"] + totals[f"{name}.contact_damping"]
        assert np.abs(wl.eval_output(model.contact, "axis_torque", state)).max() > 1e-4
        assert abs(totals[f"rest.{name}"]) < 2e-3 * lost
        rests.append(abs(totals["rest"]))
    assert rests[1] < 1e-5 * np.abs(ledger["gravity"]).max()
    assert rests[0] > 3.0 * rests[1]


def test_restart(tmp_path: Path) -> None:
    """A run of a hoist that continues from a file is bit-identical to an uninterrupted run."""
    model = create_hoist()

    def run(end: float, state: wl.State, **more: Any) -> wl.State:
        return list(wl.Dynamic(model.world, step=4e-4, end=end, name="", lag=False).march(state, **more))[-1]

    whole = run(0.02, wl.Static(model.world).solve())
    run(0.01, wl.Static(model.world).solve()).save(tmp_path / "half.npz")
    again = run(0.02, wl.State(model.world).load(tmp_path / "half.npz"), resume=True)
    assert (again.q == whole.q).all() and (again.v == whole.v).all() and (again.data == whole.data).all()


@pytest.mark.mpi
def test_two_processes(tmp_path: Path) -> None:
    """A twisted winch rope that is paid out over a drum, and a rope that rolls on a soft bed: runs on one and two
    processes agree.
    """
    done = run_python([ROOT / "tests/support/parallel_turning_winch.py", tmp_path / "rope.npz", "-quiet"], 2)
    assert done.returncode == 0, done.stderr
    serial, found = run_ropes(), np.load(tmp_path / "rope.npz")
    assert all(np.abs(serial[f"{which} axis_torque"]).max() > 1e-4 for which in ("winch", "bed"))
    for name, values in serial.items():
        assert_allclose(found[name], values, rtol=0, atol=1e-8 * np.abs(values).max(), err_msg=name)


@pytest.mark.parametrize("more", [{}, BED | {"suction_coefficient": 0.1, "suction_distance": 0.01}, {"touching": 1}])
def test_split_cables_keep_their_torque(more: dict[str, Any]) -> None:
    """When the cables of a twisted rope are split, bristles on a plane keep their deflections. The torque of friction
    per length of the rope does not change.
    """
    world = wl.World(gravity=(0.0, 0.0, -9.81))
    rope = con.WinchReserve(
        world, (0.0, 0.0, RADIUS), (8.0, 0.0, RADIUS), wanted=2.4, cables=1, longest=20.0, mass_per_length=MASS,
        axial_stiffness=1e5, bending_stiffness=1.0, torsional_stiffness=0.5, rotary_inertia=INERTIA,
    )  # fmt: skip
    plane = world.add(con.PlaneSurface, marker=con.rigid_marker(world, world.add(Ground)), offset=1e-3)
    rows = con.add_surface_contact(
        world, plane, rope.cables, points=4, rope_radius=RADIUS, contact_stiffness_per_length=2e4,
        friction_stiffness_per_length=1e4, friction_coefficient=5.0, turns_rope=True, **more,
    )  # fmt: skip
    state = wl.State(world)
    nodes = state.local_dofs(rope.nodes)
    state.q[nodes[:, 6]] = 0.2 * np.arange(len(nodes))
    used, data = np.isin(rope.cables.ids, rope.outside.ids), state.of(rows, "data")
    axes, origin = wl.eval_output(rows, "surface_axes", state), wl.eval_output(rows, "surface_position", state)
    data[used, :4], data[used, 4:8] = -1e-3, 0.0
    if more == {"touching": 1}:
        data[used, -1] = 1.0
    state.put(rows, data, "data")
    # the bristles are deflected by 1e-3 m across and along the rope, and the stored frames are the frames of the
    # material
    place = (wl.eval_output(rows, "contact_position", state) - origin[:, None] - (1e-3, 2e-3, 0.0)) @ axes
    data[used, 8:20] = place[used].reshape(used.sum(), -1)
    first = 28 if "suction_coefficient" in more else 20
    frames = [wl.eval_output(rows, name, state) @ axes for name in ("tangent", "material_axis")]
    data[used, first : first + 24] = np.concatenate(frames, axis=1)[used].reshape(used.sum(), -1)
    data[used, first + 24] = 8.0
    state.put(rows, data, "data")

    def measure() -> Any:
        state.start_data[:] = state.data
        force, torque = (wl.eval_output(rows, name, state) for name in ("friction_force", "axis_torque"))
        return np.append(force.sum(axis=(0, 1)), torque.sum())

    before = measure()
    assert_allclose(before[3], RADIUS * before[1], rtol=1e-9)
    assert before[3] < -0.1
    state.put(rope.feed, np.array([[9.0]]))
    rope.before_step(state)
    assert np.isin(rope.cables.ids, rope.outside.ids).sum() == 2 * used.sum()
    assert_allclose(measure()[3] / before[3], 17.0 / 8.0, rtol=1e-6)
