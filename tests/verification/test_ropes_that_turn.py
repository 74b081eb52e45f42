"""Ropes that turn each other: friction between ropes acts at their radii and has moments about their axes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass import connectors as con
from windlass.elements import nodes_of, straight_cable

from support.processes import ROOT, run_python
from support.rods import find_momenta
from support.rolling_ropes import LAW, LENGTH, MASS, create_ropes, run_ropes

RADII = 0.02, 0.01
INERTIA = [0.5 * MASS * r**2 for r in RADII]


def create_rollers(friction: float, turns: bool = True) -> tuple[wl.World, list[wl.Entity], wl.Entity]:
    """Create two parallel ropes that press on each other with 200 N/m. The nodes can only rotate about the axes of the
    ropes.
    """
    world, nodes, ropes = wl.World(), [], []
    for inertia, height in zip(INERTIA, (0.0, sum(RADII) - 2e-4), strict=True):
        rope = straight_cable(
            world, (0, 0, height), (LENGTH, 0, height), 2, mass_per_length=MASS, rotary_inertia=inertia,
            axial_stiffness=1e5, bending_stiffness=10.0, torsional_stiffness=50.0,
        )  # fmt: skip
        ropes.append(rope)
        nodes.append(nodes_of(world, rope))
        con.fix(world, nodes[-1], "x", "y", "z", "x'", "y'", "z'")
    rows = con.add_cable_contact(
        world, ropes, radius=RADII, points=10, friction_coefficient=friction, turns_rope=turns,
        friction_velocity_penalty_per_length=100.0, **LAW,
    )  # fmt: skip
    return world, nodes, rows


def test_rope_that_spins_another() -> None:
    """A rope that spins sets another rope in motion until both roll on each other: r_A ω_A = -r_B ω_B. Friction changes
    the spins by Θ_A ω_A = -r_A P and Θ_B (ω_B - ω_0) = -r_B P with the same impulse P, and dissipates the lost
    energy.
    """
    world, (first, second), rows = create_rollers(0.3)
    start, spin = wl.State(world), 40.0
    start.v[start.local_dofs(second)[:, 6]] = spin
    ledger = wl.EnergyLedger()
    state = wl.Dynamic(world, step=1e-4, end=0.02, name="").solve(start, hooks=[ledger])
    a, b = INERTIA[0] / RADII[0] ** 2, INERTIA[1] / RADII[1] ** 2
    surface = RADII[1] * spin * b / (a + b)
    found = [wl.eval_output(nodes, "angular_velocity", state)[:, 0] for nodes in (first, second)]
    assert_allclose(found[0].mean(), -surface / RADII[0], rtol=5e-3)
    assert_allclose(found[1].mean(), surface / RADII[1], rtol=5e-3)
    lost = 0.5 * LENGTH * (INERTIA[1] * spin**2 - (a + b) * surface**2)
    taken = sum(ledger.totals[f"ContactFrictionCables3D.{name}"] for name in ("sliding", "friction_damping"))
    assert_allclose(taken, lost, rtol=3e-3)
    assert abs(ledger.totals["rest"]) < 2e-3 * lost
    assert_allclose(wl.eval_output(rows, "stick_slip", state), 0.0)


def test_ropes_that_do_not_turn() -> None:
    """Without ``turns_rope``, friction does not change the spin of ropes with twist."""
    world, (first, second), rows = create_rollers(0.3, turns=False)
    start = wl.State(world)
    start.v[start.local_dofs(second)[:, 6]] = 40.0
    state = wl.Dynamic(world, step=1e-4, end=2e-3, name="").solve(start)
    assert_allclose(wl.eval_output(second, "angular_velocity", state)[:, 0], 40.0, rtol=1e-12)
    assert_allclose(wl.eval_output(first, "angular_velocity", state)[:, 0], 0.0, atol=1e-12)
    assert wl.eval_output(rows, "normal_force", state).sum() > 10.0


def test_rope_that_rolls_on_another() -> None:
    """A rope that is rotated by one and a half turns rotates the other rope in the inverse ratio of the radii."""
    world, (first, second), _ = create_rollers(0.5)
    angle = 3.0 * np.pi
    con.prescribe(world, second, "twist", lambda t: angle * t * t * (3.0 - 2.0 * t))
    state = wl.Dynamic(world, step=5e-3, end=1.0, name="").solve()
    turned = wl.eval_output(first, "twist", state)
    assert_allclose(turned, -angle * RADII[1] / RADII[0], rtol=2e-3)


def test_momenta_of_ropes_that_turn_each_other() -> None:
    """Two free ropes that collide, slide and spin conserve linear and angular momentum. Friction dissipates the lost
    energy.
    """
    world, ropes, nodes = wl.World(), [], []
    for along, height in (((1.0, 0.0, 0.0), 0.0), ((0.6, 0.8, 0.0), 0.0401)):
        a = 0.5 * LENGTH * np.array(along)
        rope = straight_cable(
            world, (-a + (0, 0, height)).tolist(), (a + (0, 0, height)).tolist(), 2, mass_per_length=MASS,
            rotary_inertia=INERTIA[0], axial_stiffness=1e4, bending_stiffness=1.0, torsional_stiffness=0.5,
            turned_from=(0, 0, 1),
        )  # fmt: skip
        ropes.append(rope)
        nodes.append(nodes_of(world, rope))
    con.add_cable_contact(
        world, ropes, radius=RADII[0], points=8, friction_coefficient=0.3, turns_rope=True,
        contact_damping_per_length=20.0, friction_velocity_penalty_per_length=20.0, **LAW,
    )  # fmt: skip
    start = wl.State(world)
    for one, speed, spin in ((0, 0.3, 5.0), (1, -0.3, -20.0)):
        dofs = start.local_dofs(nodes[one])
        start.v[dofs[:, 2]], start.v[dofs[:, 6]] = speed, spin
    start.v[start.local_dofs(nodes[1])[:, 0]] = 0.2
    ledger = wl.EnergyLedger()
    state = wl.Dynamic(world, step=2e-5, end=8e-3, name="", spectral_radius=1.0).solve(start, hooks=[ledger])
    before, after = (
        [sum(parts) for parts in zip(*(find_momenta(world, rope, one) for rope in ropes), strict=True)]
        for one in (start, state)
    )
    assert_allclose(after[0], before[0], atol=1e-9)
    spins = [wl.eval_output(n, "angular_velocity", state) for n in nodes]
    assert np.abs(spins[0] - (5.0, 0.0, 0.0)).max() > 1.0
    assert_allclose(after[1], before[1], atol=1e-6)
    lost = ledger.totals["ContactFrictionCables3D.sliding"]
    assert lost > 1e-5 and abs(ledger.totals["rest"]) < 0.01 * lost


def test_restart(tmp_path: Path) -> None:
    """The results of a run that continues from a file are bit-identical to the results of an uninterrupted run."""
    world, ropes, _ = create_ropes()

    def create(end: float) -> wl.Dynamic:
        return wl.Dynamic(world, step=1e-4, end=end, name="", lag=False)

    whole, half = create(8e-4).solve(wl.State(world)), create(4e-4).solve(wl.State(world))
    assert np.abs(wl.eval_output(nodes_of(world, ropes[1]), "twist", whole)).max() > 1e-5
    half.save(tmp_path / "half.npz")
    last = list(create(8e-4).march(wl.State(world).load(tmp_path / "half.npz"), resume=True))[-1]
    assert (last.q == whole.q).all() and (last.v == whole.v).all() and (last.data == whole.data).all()


@pytest.mark.mpi
def test_two_processes(tmp_path: Path) -> None:
    """Results on two processes agree with results on one process."""
    done = run_python([ROOT / "tests/support/rolling_ropes.py", tmp_path / "ropes.npz", "-quiet"], 2)
    assert done.returncode == 0, done.stderr
    serial, found = run_ropes(), np.load(tmp_path / "ropes.npz")
    assert np.abs(serial["axis_torque"]).max() > 1e-3
    for name, values in serial.items():
        assert_allclose(found[name], values, rtol=0, atol=1e-8 * np.abs(values).max(), err_msg=name)


def test_ropes_that_cannot_turn() -> None:
    world = wl.World()
    rope = straight_cable(
        world, (0, 0, 0), (1, 0, 0), 4, axial_stiffness=1.0, bending_stiffness=0.0, mass_per_length=1.0
    )
    con.add_cable_contact(
        world, rope, radius=0.1, points=4, turns_rope=True, contact_stiffness_per_length=1.0,
        friction_coefficient=0.1, friction_velocity_penalty_per_length=1.0,
    )  # fmt: skip
    with pytest.raises(
        wl.ModelError, match="turns_rope = True in CableContactSet with Cable3D: must have cables Twist"
    ):
        wl.State(world)
    smooth = wl.World()
    line = straight_cable(
        smooth, (0, 0, 0), (1, 0, 0), 4, axial_stiffness=1.0, bending_stiffness=0.0, mass_per_length=1.0,
        torsional_stiffness=1.0, rotary_inertia=1e-3,
    )  # fmt: skip
    con.add_cable_contact(smooth, line, radius=0.1, points=4, turns_rope=True, contact_stiffness_per_length=1.0)
    with pytest.raises(wl.ModelError, match="with friction_coefficient = 0: must be False, because only friction"):
        wl.State(smooth)
