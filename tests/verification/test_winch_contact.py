"""Tests of winch ropes over sheaves: friction of a rope that is paid out and hauled in, deflection of bristles, rope at
rest, a sheave that turns with the rope, balance of energy, and restart.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
import windlass.connectors as con
from windlass.elements import Ground, MassPoint

from support.output_watch import Watch
from support.parallel_sheave import run_sheave
from support.processes import ROOT, run_python
from support.winch_sheave import CONTACT, EA, MASS, RADIUS, G, create, eval_tension, start_up

MU, WRAP, RHO = 0.2, 0.5 * np.pi, 0.02


@pytest.mark.parametrize("way", [1, -1])
def test_tensions_at_both_sides_of_a_fixed_sheave(way: int) -> None:
    """At constant speed, the tensions at both sides of a fixed sheave have the ratio e^{μα} (Euler, Eytelwein).

    Friction carries a part of the load when the rope is paid out, and adds to the load when the rope is hauled in.

    At the entry, bristles reach the limit of friction after the slip μ N/(R k'). This slip reduces ln(N_1/N_0) by at
    most μ² N/(2 R² k') = 5e-5.
    """
    drop = 1.2 if way > 0 else 1.5
    model = create(cables=40, drop=drop, mu=MU, rope={"axial_damping": 3000.0})
    con.prescribe(model.world, model.rope.feed, "s", start_up(0.5 * way, 0.2))
    state = wl.Static(model.world).solve()
    rows: list[Any] = []

    def keep(state: wl.State) -> None:
        down = -float(np.ravel(wl.eval_output(model.load, "position", state))[1])
        rows.append((eval_tension(model, state), eval_tension(model, state, 39, 1.0) + RHO * G * down))

    state = wl.Dynamic(model.world, step=1e-3, end=0.7).solve(state, hooks=[keep])
    outlet, load = np.array(rows)[-300:].T
    assert_allclose(load.mean(), MASS * G, rtol=0.01)
    assert_allclose(way * np.log(load / outlet), MU * WRAP, rtol=0, atol=0.01)
    assert_allclose(way * np.log(load / outlet).mean(), MU * WRAP, rtol=0, atol=1e-3)
    slips = wl.eval_output(model.contact, "state", state)
    # on top of the sheave t points to the left, so v_t < 0 while the rope is paid out to the right
    assert set(slips.ravel()) <= {-2.0, -float(way), 0.0} and (slips == -way).sum() > 20


def test_bristles_deflect_with_the_material() -> None:
    """While all points stick, x = 1 mm of rope that is paid out over a fixed sheave deflects each bristle by x. The
    tensions at both sides differ by k' x R α with the stiffness k' of the bristles per length.
    """
    model = create(cables=40, drop=1.2, mu=10.0, friction_stiffness_per_length=1e4, rope={"axial_stiffness": 1e7})
    world, paid = model.world, 1e-3
    con.prescribe(world, model.rope.feed, "s", con.smooth_step(0.0, 0.5, 0.0, paid))
    world.set(model.contact, friction_stiffness_per_length=0.0)
    state = wl.Static(world, time=0.0).solve()
    world.set(model.contact, friction_stiffness_per_length=1e4)
    before = eval_tension(model, state, 39) - eval_tension(model, state)
    state = wl.Dynamic(world, step=5e-3, end=0.7).solve(state)
    lost = eval_tension(model, state, 39) - eval_tension(model, state) - before
    stick = wl.eval_output(model.contact, "state", state) == 0.0
    assert_allclose(wl.eval_output(model.contact, "coordinates", state)[stick][:, 0].mean(), -paid, rtol=0.02)
    part = float(wl.eval_output(model.rope.cables, "length", state)[0]) / 4
    assert_allclose(stick.sum() * part, RADIUS * WRAP, atol=3.0 * part)
    assert_allclose(lost, 1e4 * paid * stick.sum() * part, rtol=0.02)


def test_rope_rests_on_the_sheave_while_the_winch_stands() -> None:
    """If the winch does not move and the load changes by less than the factor e^{μα}, no point slips and the rope comes
    to rest.
    """
    model = create(cables=30, drop=0.6, mu=MU)
    world = model.world
    con.fix(world, model.rope.feed, "s")
    world.add(con.Force, marker=con.position_marker(world, model.load), vector=(0.0, -0.2 * MASS * G, 0.0))
    state = wl.Static(world).solve()
    outlet = eval_tension(model, state)
    assert MASS * G * np.exp(-MU * WRAP) < outlet < 1.2 * MASS * G
    later = wl.Dynamic(world, step=5e-3, end=0.5).solve(state)
    assert np.abs(later.of(model.load, "v")).max() < 1e-5 and np.abs(later.q - state.q).max() < 1e-5
    assert set(wl.eval_output(model.contact, "state", later).ravel()) == {0.0, -2.0}
    assert_allclose(eval_tension(model, later), outlet, rtol=1e-3)


def test_sheave_turns_with_the_rope() -> None:
    """A load M sinks from rest against the constant pull F of the winch, over a sheave with the moment of inertia I.

    The rope does not slip, so the load moves with the acceleration (M g - F)/(M + I/r²), and the sheave turns with the
    rope.
    """
    inertia, pull, end = 0.9, 120.0, 0.3
    model = create(
        cables=24, inertia=inertia, drop=0.5, mu=0.6, rope={"mass_per_length": 1e-3, "axial_damping": 2000.0}
    )
    world, acceleration = model.world, (MASS * G - pull) / (MASS + inertia / RADIUS**2)
    # at the start, the brake of the winch holds the load, and a brake holds the sheave
    assert model.sheave is not None
    brakes = [con.fix(world, model.rope.feed, "s"), con.fix(world, model.sheave, "rotation")]
    drive = con.coordinate_marker(world, model.rope.feed, "s")
    world.add(con.CoordinateLoad, marker=drive, value=-pull)
    state = wl.Static(world).solve()
    start = np.ravel(wl.eval_output(model.load, "position", state))[1]
    for brake in brakes:
        world.set(brake, active=False)
    watch = Watch(angle=(model.sheave, "rotation"), load=(model.load, "position"), friction=(model.contact, "state"))
    wl.Dynamic(world, step=1e-3, end=end, rtol=1e-9).solve(state, hooks=[watch])
    times = np.array(watch.t)
    late = times > 0.1
    way = 0.5 * acceleration * times[late] ** 2
    assert_allclose(start - watch["load"][late, 1], way, rtol=0, atol=0.005 * way.max())
    assert_allclose(-RADIUS * watch["angle"][late, 0], way, rtol=0, atol=0.005 * way.max())
    assert np.mean(np.abs(watch["friction"][late]) == 1.0) < 0.02


@pytest.mark.parametrize("inertia", [None, 0.5])
def test_balance_of_energy(inertia: float | None) -> None:
    """The remainder of the energy ledger is below 1e-6 of the energy of the weight, over a fixed and a free sheave."""
    model = create(cables=24, inertia=inertia, drop=0.6)
    world, ledger = model.world, wl.EnergyLedger()
    con.prescribe(world, model.rope.feed, "s", con.smooth_step(0.0, 0.4, 0.0, 0.1))
    brake = None if model.sheave is None else con.fix(world, model.sheave, "rotation")
    state = wl.Static(world, time=0.0).solve()
    if brake is not None:
        world.set(brake, active=False)
    wl.Dynamic(world, step=1e-3, end=0.4, rtol=1e-10).solve(state, hooks=[ledger])
    weight = np.abs(ledger["gravity"]).max()
    assert weight > 0.9 * 0.1 * MASS * G
    assert abs(ledger.rest) < 1e-6 * weight
    if inertia is None:
        assert ledger.totals["ContactFrictionCircleWinch2D.sliding"] > 0.1 * weight


def test_saved_state_goes_on_to_the_bit(tmp_path: Path) -> None:
    """A run from a saved state is bit-identical to an uninterrupted run."""
    ends = []
    for part in range(2):
        model = create(cables=24, drop=0.4)
        con.prescribe(model.world, model.rope.feed, "s", con.smooth_step(0.0, 0.2, 0.0, 0.02))

        def keep(state: wl.State, part: int = part) -> None:
            if state.step == 50 and not part:
                state.save(tmp_path / "state.npz")

        start = wl.State(model.world).load(tmp_path / "state.npz") if part else wl.Static(model.world, time=0.0).solve()
        ends.append(wl.Dynamic(model.world, step=1e-3, end=0.1).solve(start, hooks=[keep], resume=bool(part)))
    assert ends[0].step > 90
    for name in ("q", "v", "a", "lam", "data"):
        assert (getattr(ends[0], name) == getattr(ends[1], name)).all(), name


def test_split_cables_keep_their_friction() -> None:
    """A load M is pulled over a sheave while the winch pulls with the force M g. When the cables are split, the tension
    on the sheave does not change. Later, the ratio of the tensions at both sides is e^{μα} with the wrap angle α.
    """
    world = wl.World(gravity=(0.0, -G))
    rope = con.WinchReserve(
        world, (-0.4, RADIUS), (0.8, RADIUS), wanted=0.063, cables=12, longest=2.4, strain=MASS * G / EA,
        mass_per_length=RHO, axial_stiffness=EA, bending_stiffness=1e-3, axial_damping=400.0,
    )  # fmt: skip
    con.hinge(world, rope.nodes[0])
    load = world.add(MassPoint, position=(0.8, RADIUS), mass=MASS)
    ends = [con.position_marker(world, which) for which in (rope.nodes[-1], load)]
    world.add(con.RevoluteJoint2D, marker0=ends[0], marker1=ends[1])
    marker = world.add(con.PositionOnGround, ground=world.add(Ground))
    rows = world.add(
        con.ContactFrictionCircleWinch2D, circle=marker, cable=rope.cables, segments=4, circle_radius=RADIUS,
        friction_coefficient=MU, **CONTACT,
    )  # fmt: skip
    con.prescribe(world, load, "x", con.smooth_step(0.0, 0.5, 0.0, RADIUS - 0.8))
    con.prescribe(world, load, "y", con.smooth_step(0.0, 0.5, 0.0, -0.8))
    world.add(con.CoordinateLoad, marker=con.coordinate_marker(world, rope.feed, "s"), value=-MASS * G)
    found: list[Any] = []

    def keep(state: wl.State) -> None:
        tension = np.ravel(wl.eval_output(rope.outside, "axial_force", state))
        found.append((state.t, tension[0], tension[-1]))

    wl.Dynamic(world, step=1e-3, end=0.5).solve(hooks=[rope, keep])
    assert [change.cables for change in rope.changes] == [24]
    times, outlet, end = np.array(found).T
    near = np.abs(times - rope.changes[0].t) < 0.01
    assert near.sum() > 15 and rope.changes[0].t > 0.3
    assert_allclose(end[near], end[near].mean(), rtol=0.02)
    assert_allclose(np.log(end / outlet)[times > 0.48], MU * WRAP, rtol=0.02)
    assert len(rows) == len(rope.cables)


@pytest.mark.parametrize("active", [False, True])
def test_split_cables_keep_contact_switched_off(tmp_path: Path, active: bool) -> None:
    """Rows of contact that are switched off remain off when cables are split, even after a state with other cables in
    use was read. If the contact is switched on, only the rows of the cables in use exert forces.
    """
    world = wl.World(gravity=(0.0, -G))
    rope = con.WinchReserve(
        world, (0.0, 0.0), (0.6, 0.0), wanted=0.1, cables=4, longest=2.4, strain=MASS * G / EA, mass_per_length=RHO,
        axial_stiffness=EA, bending_stiffness=1e-3, axial_damping=400.0,
    )  # fmt: skip
    con.hinge(world, rope.nodes[0])
    con.prescribe(world, rope.nodes[-1], "x", con.smooth_step(0.0, 0.1, 0.0, 0.3))
    con.fix(world, rope.nodes[-1], "y")
    marker = world.add(con.PositionOnGround, ground=world.add(Ground, position=(0.4, -RADIUS + 0.005, 0.0)))
    rows = world.add(
        con.ContactFrictionCircleWinch2D, circle=marker, cable=rope.cables, segments=4, circle_radius=RADIUS,
        friction_coefficient=MU, active=active, **CONTACT,
    )  # fmt: skip
    world.add(con.CoordinateLoad, marker=con.coordinate_marker(world, rope.feed, "s"), value=-MASS * G)
    wl.State(world).save(tmp_path / "start.npz")

    found: list[Any] = []

    def keep(state: wl.State) -> None:
        forces = np.abs(wl.eval_output(rows, "force_local", state)).sum(axis=(1, 2))
        own = np.isin(rope.cables.rows, rope.outside.rows)
        found.append((len(rope.outside), forces[own].sum(), forces[~own].sum()))

    wl.Dynamic(world, step=1e-3, end=0.1).solve(hooks=[rope, keep])
    assert [change.cables for change in rope.changes] == [8]
    assert (world.tables[con.ContactFrictionCircleWinch2D].collect("active", rows.rows) == active).all()
    cables, own, others = np.array(found).T
    assert all((own[cables == count].max() > 0.0) == active for count in (4, 8)) and not others.any()
    # the same check with the saved state of the start, in which other cables are in use
    start = wl.State(world).load(tmp_path / "start.npz", switches="restore")
    found.clear()
    wl.Dynamic(world, step=1e-3, end=0.002).solve(start, hooks=[rope, keep])
    cables, own, others = np.array(found).T
    assert (cables == 4).all() and (own.max() > 0.0) == active and not others.any()


@pytest.mark.long
@pytest.mark.mpi
def test_two_processes(tmp_path: Path) -> None:
    """The results of a run on two processes agree with the results of a run on one process."""
    path = tmp_path / "sheave.npz"
    done = run_python([ROOT / "tests/support/parallel_sheave.py", path, "-quiet"], 2)
    assert done.returncode == 0, done.stderr
    found, serial = np.load(path), run_sheave()
    for name, values in serial.items():
        assert_allclose(found[name], values, rtol=0, atol=1e-8 * np.abs(values).max(), err_msg=name)
