"""Tests of ropes, winch ropes and beams that break between their ends: released energy, motion after the break,
fatigue, restart, several processes, and a mooring that loses a line.

Sources: free fall; ASTM E1049-85 by the library rainflow; H. M. Irvine, Cable Structures (1981), section 2.4, for the
lines.
"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import fsolve

import windlass as wl
from windlass import connectors as con
from windlass import post
from windlass.elements import (
    MassPoint,
    cable_along,
    hang_between,
    nodes_of,
    round_section,
    straight_beam,
    straight_cable,
    winch_rope,
)

from support.parallel_breaking import break_line, lower_load
from support.processes import ROOT, run_python

G, EA, LENGTH, MASS = 9.81, 5e4, 4.0, 100.0


def hang_load(count: int = 8, **columns: Any) -> tuple[wl.World, wl.Entity, wl.Entity]:
    """Create a load on a vertical rope of 1 kg/m whose top is fixed. Return the world, the rope and the load."""
    world = wl.World(gravity=(0.0, 0.0, -G))
    load = world.add(MassPoint, name="load", position=(0.0, 0.0, -LENGTH), mass=MASS)
    con.fix(world, load, "x", "y")
    given = {"axial_stiffness": EA, "bending_stiffness": 0.1, "mass_per_length": 1.0, **columns}
    rope = straight_cable(world, (0.0, 0.0, 0.0), (0.0, 0.0, -LENGTH), count, name="rope", **given)
    nodes = nodes_of(world, rope)
    con.hinge(world, nodes[0])
    ends = con.position_marker(world, nodes[count]), con.position_marker(world, load)
    world.add(con.SphericalJoint, marker0=ends[0], marker1=ends[1])
    return world, rope, load


@pytest.mark.parametrize("method", ["generalized_alpha", "newmark"])
def test_a_rope_with_a_load_breaks(method: str) -> None:
    """After the break, the load falls freely. The ledger lists the energy that the broken cable has lost, and the
    remainder of the ledger is 0. Hook, report and verdict name the cable, its force and the time.
    """
    world, rope, load = hang_load()
    start, ledger = wl.Static(world, name="").solve(), wl.EnergyLedger()
    hook = con.BreakingLinks([con.Link(rope[3], time=0.05), con.Link(rope, breaking_load=1e6, name="whole rope")])
    solver = wl.Dynamic(world, step=2e-4, end=0.25, name="", rtol=1e-10, method=method)
    end = solver.solve(start, hooks=[ledger, hook])
    tension = (MASS + 1.0 * (LENGTH - 3.5 * LENGTH / 8)) * G
    (one,) = hook.breaks
    assert (one.name, one.cable) == ("rope 3", 0) and abs(one.time - 0.05) < 1e-9
    assert_allclose(one.force, tension, rtol=4e-3)  # the force is largest at the top of the cable
    assert rope[3].broken and not np.any(rope[[0, 1, 2, 4, 5, 6, 7]].broken)
    # the released energy is two thirds of the energy of the cable; broken_cables.py defines the energy of the two ends
    released = 2.0 / 3.0 * 0.5 * tension**2 / EA * LENGTH / 8
    assert_allclose(ledger.totals["changes of the model"], -released, rtol=1e-4)
    largest = max(abs(value) for value in ledger.totals.values())
    assert abs(ledger.rest) < 1e-4 * largest, (ledger.rest, ledger.totals)
    fall = float(wl.eval_output(load, "displacement", end)[2] - wl.eval_output(load, "displacement", start)[2])
    # the part of the rope below the break, with the length 2.5 m, pulls the load up by less than its elongation
    assert_allclose(fall, -0.5 * G * 0.2**2, atol=2.5 * tension / EA * 0.05)
    assert solver.verdict.word == "ok", solver.verdict
    (section,) = hook.report_sections()
    assert section.parts[0].rows == [["rope 3", 0, one.time, one.force]]


def test_largest_tension_and_rule() -> None:
    """A rope breaks only once, at the cable with the largest tension. The break is caused by a breaking load or by a
    rule. If a rope breaks in the last step of a solve, the verdict names the cable.
    """
    for law in ({"breaking_load": 1100.0}, {"rule": lambda t, force: force > 1100.0}):
        world, rope, load = hang_load(axial_damping=50.0)
        world.add(con.Force, marker=con.position_marker(world, load), function=lambda t: (0.0, 0.0, -2000.0 * t))
        start = wl.Static(world, name="", time=0.0).solve()
        hook = con.BreakingLinks([con.Link(rope, **law)])  # type: ignore[arg-type]
        solver = wl.Dynamic(world, step=1e-3, end=0.2, name="")
        solver.solve(start, hooks=[hook])
        (one,) = hook.breaks
        assert one.cable == 0 and 1100.0 <= one.force < 1120.0 and "cable=0" in repr(one)
    late = con.BreakingLinks([con.Link(rope[4:], breaking_load=900.0, name="part")])
    static = wl.Static(hang_load()[0], name="")
    world, rope, load = hang_load()
    late = con.BreakingLinks([con.Link(rope[4:], breaking_load=900.0, name="part")])
    static = wl.Static(world, name="")
    static.solve(hooks=[late])
    assert "part (1000." in static.verdict.reasons[0] and "in cable 0)" in static.verdict.reasons[0]


def test_damage_is_that_of_rainflow_counting() -> None:
    """The damage of every cable agrees with the damage that the library rainflow computes from the tensions. The cable
    with the largest damage breaks when its damage reaches 1.
    """
    curve = post.FatigueCurve(exponent=3.0, constant=-4.0, reference=1e3)
    tensions: list[Any] = []
    world, rope, load = hang_load(4, axial_damping=30.0)
    rng = np.random.default_rng(3)
    w, phase = rng.uniform(10.0, 80.0, 6), rng.uniform(0.0, 6.0, 6)
    push = lambda t: (0.0, 0.0, float(150.0 * np.sin(w * t + phase).sum() - 150.0 * np.sin(phase).sum()))  # noqa: E731
    world.add(con.Force, marker=con.position_marker(world, load), function=push)
    start = wl.Static(world, name="", time=0.0).solve()
    hook = con.BreakingLinks([con.Link(rope, fatigue=curve, damage=0.25)])

    def note(state: wl.State) -> None:
        x = np.outer(rope.length, (0.0, 0.5, 1.0))
        tensions.append(wl.eval_output(rope, "axial_force", state, x=x).max(axis=1))

    wl.Dynamic(world, step=2e-3, end=4.0, name="").solve(start, hooks=[hook, note])
    (one,) = hook.breaks
    steps = round(one.time / 2e-3)
    found = [
        0.25 + post.rainflow(post.Series(0.002 * np.arange(n), values[:n], "N")).damage(curve)
        for n in (steps, steps - 1)
        for values in np.array(tensions).T
    ]
    assert_allclose(hook.damages("rope"), found[:4], rtol=1e-12)
    assert max(found[4:]) < 1.0 <= max(found[:4]) and one.cable == int(np.argmax(found[:4]))
    with pytest.raises(wl.ModelError, match="name = 'other' of damages: must be a link with fatigue: rope"):
        hook.damages("other")


@pytest.mark.parametrize("stop", [20, 60])
def test_a_restarted_run_breaks_alike(stop: int, tmp_path: Path) -> None:
    """The results of a run that continues from a checkpoint before or after the break, including the fatigue damages,
    exactly equal the results of an uninterrupted run.
    """
    file = tmp_path / "run.h5"

    def run(*hooks: Any, **checkpoint: Any) -> Any:
        world, rope, load = hang_load(axial_damping=50.0)
        curve = post.FatigueCurve(exponent=3.0, constant=1.0, reference=1e3)
        hook = con.BreakingLinks([con.Link(rope, breaking_load=1030.0, fatigue=curve)])
        push = lambda t: (0.0, 0.0, 100.0 * float(np.sin(200.0 * t)) - 15000.0 * t)  # noqa: E731
        world.add(con.Force, marker=con.position_marker(world, load), function=push)
        keep = [wl.Checkpoint(file, **checkpoint)] if checkpoint else []
        start = wl.Static(world, name="", time=0.0).solve()
        state = wl.Dynamic(world, step=1e-3, end=0.1, name="").solve(start, hooks=[hook, *hooks, *keep])
        return np.concatenate((state.q, state.v, state.a, hook.damages("rope"))), repr(hook.breaks)

    def stop_run(state: wl.State) -> None:
        if state.step == stop + 1:
            raise RuntimeError("stopped")

    whole, breaks = run(every=stop)
    file.unlink()
    assert "cable=0" in breaks and 0.02 < float(breaks.split("time=")[1].split(",")[0]) < 0.06, breaks
    with pytest.raises(RuntimeError, match="stopped"):
        run(stop_run, every=stop)
    again, others = run(every=stop, restart=file)
    assert (again == whole).all() and others == breaks


def test_loads_and_contacts_of_a_broken_cable() -> None:
    """Fluid loads of a broken cable act per unstrained length. Contacts of the broken cable, and line loads per current
    length, become inactive. Loads and contacts of other cables do not change.
    """
    world, rope, _ = hang_load(4)
    sea = world.add(con.Fluid, density=1000.0)
    fluid = world.add(con.FluidLoad, cable=rope, fluid=sea, diameter=0.02)
    ice = world.add(con.LineLoad, cable=rope, vector=(0.0, 0.0, -1.0))
    wind = world.add(con.LineLoad, cable=rope, vector=(1.0, 0.0, 0.0), per="current")
    floor = con.add_bed(world, [(-5.0, -50.0), (5.0, -50.0)])
    contacts = con.add_surface_contact(world, floor, rope, contact_stiffness_per_length=1e5)
    start = wl.Static(world, name="", time=0.0).solve()
    hook = con.BreakingLinks([con.Link(rope[1], time=0.01)])
    end = wl.Dynamic(world, step=1e-3, end=0.02, name="").solve(start, hooks=[hook])
    only = [False, True, False, False]
    assert fluid.constant_volume.tolist() == only and fluid.active.all() and ice.active.all()
    assert (~wind.active).tolist() == only and (~contacts.active).tolist() == only
    lift = wl.eval_output(fluid[1], "force_per_length", end, x=0.5)
    assert np.isfinite(lift).all()


def test_rope_that_breaks_at_its_end() -> None:
    """If the first cable of a rope breaks, no other cable uses the slope at the fixed node, and the half of the broken
    cable at this node hangs down. Statics finds the equilibrium: one support carries the weight of half of the broken
    cable, and the other support carries the weight of the remaining rope.

    Drag damps the fall. Added mass is omitted, because the added mass in Morison's equation transfers energy to a rope
    that rotates fast.
    """
    world = wl.World(gravity=(0.0, 0.0, -G))
    # the first support is higher, so the tension is largest in the first cable
    route = hang_between((0.0, 0.0, 0.0), (8.0, 0.0, -0.1), 9.0, EA, 3.0, (0.0, 0.0, -G))
    rope = cable_along(
        world, route, 18, name="span", length=0.5, axial_stiffness=EA, bending_stiffness=1.0, mass_per_length=3.0,
        axial_damping=200.0,
    )  # fmt: skip
    water = world.add(con.Fluid, density=100.0, fills="everywhere")
    world.add(con.FluidLoad, cable=rope, fluid=water, diameter=0.1, added_mass=0.0, constant_volume=True)
    supports = con.hinge(world, nodes_of(world, rope)[[0, 18]])
    start = wl.Static(world, name="").solve()
    hook = con.BreakingLinks([con.Link(rope, time=0.01)])
    solver = wl.Dynamic(world, step=1e-2, end=8.0, name="")
    end = solver.solve(start, hooks=[hook])
    assert [(one.name, one.cable) for one in hook.breaks] == [("span", 0)] and solver.verdict.word == "ok"
    rest = wl.Static(world, name="").solve(end)
    assert_allclose(wl.eval_output(rope[0], "director", rest, x=0.0), (0.0, 0.0, -1.0), atol=1e-3)
    weight = 0.5 * (3.0 - 100.0 * np.pi * 0.05**2) * G
    forces = np.ravel(wl.eval_output(supports, "force", rest))
    assert_allclose(forces, [0.0, 0.0, 0.0, 0.0, -0.5 * weight, -17.5 * weight], rtol=1e-9, atol=1e-6)


def test_explicit_solver() -> None:
    """A rope also breaks in explicit solves, and the load then falls freely."""
    world, rope, load = hang_load(4)
    start = wl.Static(world, name="").solve()
    hook = con.BreakingLinks([con.Link(rope[1], time=0.01)])
    end = wl.Explicit(world, step=2e-5, end=0.11, name="", method="verlet").solve(start, hooks=[hook])
    assert [one.name for one in hook.breaks] == ["rope 1"]
    fall = float(wl.eval_output(load, "displacement", end)[2] - wl.eval_output(load, "displacement", start)[2])
    assert_allclose(fall, -0.5 * G * 0.1**2, atol=3.0 * MASS * G / EA * 0.02)


def test_wrong_ropes() -> None:
    """Fatigue without a fatigue curve, wrong values of the damage, and cables with moving material cause errors."""
    _, rope, _ = hang_load(2)
    with pytest.raises(wl.ModelError, match=r"fatigue = 3 .*must be a fatigue curve, such as"):
        con.Link(rope, fatigue=3)  # type: ignore[arg-type]
    with pytest.raises(wl.ModelError, match=r"damage = 1\.0 in Link: must be"):
        con.Link(rope, fatigue=post.FatigueCurve(3.0, 2.0, 1e3), damage=1.0)
    with pytest.raises(wl.ModelError, match=r"time \[s\], rule or fatigue"):
        con.Link(rope, damage=0.5)
    with pytest.raises(wl.ModelError, match=r"damage = 0\.5 of Link of .*: must be 0 \[1\], or have a fatigue curve"):
        con.Link(rope, breaking_load=1.0, damage=0.5)
    winch = winch_rope(
        wl.World(), (0.0, 0.0), (1.0, 0.0), 2, mass_per_length=1.0, axial_stiffness=EA, bending_stiffness=0.1
    )
    with pytest.raises(wl.ModelError, match=r"fatigue of Link of .*: must be left out for winch cables"):
        con.Link(winch.cables, fatigue=post.FatigueCurve(3.0, 2.0, 1e3))


BROKEN_PART = {1: 1.0, 2: 0.5, 3: 1.0 / np.sqrt(5.0)}
"""Fraction [1] of a broken beam between the nodes that the break separates, for each order."""


def hang_from_beam(kind: str, order: int) -> tuple[wl.World, wl.Entity, wl.Entity, float]:
    """Create a load on a vertical beam of 1 kg/m whose top is clamped. Return the world, the beam, the load, and the
    axial stiffness [N].
    """
    up = np.array((0.0, 1.0) if kind == "2D" else (0.0, 0.0, 1.0))
    world = wl.World(gravity=tuple(-G * up))
    section = round_section(0.01, 1e9, 1.0 / (np.pi * 0.005**2), dims=len(up))
    more = {"section_stiffness": (1e5, 1e5, 1e5)} if kind == "slopes" else {}
    beam = straight_beam(world, 0.0 * up, -LENGTH * up, 8, order=order, name="beam", **section, **more)
    nodes = nodes_of(world, beam)
    con.clamp(world, nodes[0])
    load = world.add(MassPoint, name="load", position=-LENGTH * up, mass=MASS)
    ends = con.position_marker(world, nodes[-1]), con.position_marker(world, load)
    world.add(con.RevoluteJoint2D if kind == "2D" else con.SphericalJoint, marker0=ends[0], marker1=ends[1])
    return world, beam, load, float(section["stiffness"][0])


@pytest.mark.parametrize(("kind", "order"), [("2D", 1), ("2D", 2), ("3D", 2), ("3D", 3), ("slopes", 2)])
def test_a_beam_with_a_load_breaks(kind: str, order: int) -> None:
    """After the break, the load falls freely. The ledger lists the energy that the broken beam has lost: the part of
    its energy that is between the nodes which the break separates. The remainder of the ledger is small.
    """
    world, beam, load, EA_beam = hang_from_beam(kind, order)
    start, ledger = wl.Static(world, name="", load_steps=2).solve(), wl.EnergyLedger()
    hook = con.BreakingLinks([con.Link(beam[3], time=0.05), con.Link(beam, breaking_load=1e6, name="whole beam")])
    solver = wl.Dynamic(world, step=2e-4, end=0.25, name="", rtol=1e-10)
    end = solver.solve(start, hooks=[ledger, hook])
    tension = (MASS + 1.0 * (LENGTH - 3.5 * LENGTH / 8)) * G
    (one,) = hook.breaks
    assert (one.name, one.cable) == ("beam 3", 0) and abs(one.time - 0.05) < 1e-9
    assert_allclose(one.force, tension, rtol=4e-3)  # the force is largest at the top of the element
    released = BROKEN_PART[order] * 0.5 * tension**2 / EA_beam * LENGTH / 8
    assert_allclose(ledger.totals["changes of the model"], -released, rtol=3e-3)
    largest = max(abs(value) for value in ledger.totals.values())
    assert abs(ledger.rest) < 1e-4 * largest, (ledger.rest, ledger.totals)
    z = 1 if kind == "2D" else 2
    fall = float(wl.eval_output(load, "displacement", end)[z] - wl.eval_output(load, "displacement", start)[z])
    assert_allclose(fall, -0.5 * G * 0.2**2, atol=2.5 * tension / EA_beam * 0.05)
    assert solver.verdict.word == "ok", solver.verdict


def lower_until_break(stop: float, *hooks: Any, torsion: bool = False, end: float = 1.6, **checkpoint: Any) -> Any:
    """Lower a load on a winch rope of 0.5 to 2 m, stop the winch at the time ``stop`` [s], and increase the force on
    the load until the rope breaks. Return the final state, the rope, the hook, the ledger, the verdict, and time and
    velocity of the load after each step.
    """
    world = wl.World(gravity=(0.0, 0.0, -G))
    more = {"torsional_stiffness": 10.0, "rotary_inertia": 1e-3} if torsion else {}
    rope = con.WinchReserve(
        world, (0.0, 0.0, 0.0), (0.0, 0.0, -0.5), cables=2, wanted=0.25, longest=4.0, strain=MASS * G / EA,
        mass_per_length=1.0, axial_stiffness=EA, bending_stiffness=0.1, axial_damping=10.0, **more,
    )  # fmt: skip
    con.fix(world, rope.nodes[0], "x", "y", "z", *(["twist"] if torsion else []))
    load = world.add(MassPoint, name="load", position=(0.0, 0.0, -0.5), mass=MASS)
    con.fix(world, load, "x", "y")
    ends = [con.position_marker(world, which) for which in (rope.nodes[-1], load)]
    world.add(con.SphericalJoint, marker0=ends[0], marker1=ends[1])
    con.prescribe(world, rope.feed, "s", con.smooth_step(0.0, stop, 0.0, 1.5))
    pull = con.ramp(1.2, 2.2, (0.0, 0.0, 0.0), (0.0, 0.0, -5000.0))
    world.add(con.Force, marker=ends[1], function=pull)
    hook = con.BreakingLinks([con.Link(rope.cables, breaking_load=2000.0, name="hoist rope")])
    ledger = wl.EnergyLedger()
    solver = wl.Dynamic(world, step=1e-3, end=end, name="", rtol=1e-10)
    start = wl.Static(world, name="", time=0.0).solve()
    keep = [wl.Checkpoint(**checkpoint)] if checkpoint else []
    speeds: list[tuple[float, float]] = []
    note = lambda s: speeds.append((s.t, float(s.of(load, "v")[0, 2])))  # noqa: E731
    state = solver.solve(start, hooks=[rope, ledger, hook, note, *hooks, *keep])
    return SimpleNamespace(
        state=state, rope=rope, hook=hook, ledger=ledger, verdict=solver.verdict, speeds=np.array(speeds)
    )


@pytest.mark.parametrize("torsion", [False, True])
def test_a_winch_rope_breaks(torsion: bool) -> None:
    """A winch rope with cables in reserve pays out, stops and breaks at its breaking load. Afterwards, the load moves
    as a free mass under its weight and its force. The lost energy is two thirds of the energy of the broken cable, and
    the remainder of the ledger is small. The number of cables does not change after the break.
    """
    found = lower_until_break(1.0, torsion=torsion)
    rope, ledger, verdict = found.rope, found.ledger, found.verdict
    (one,) = found.hook.breaks
    assert one.name == "hoist rope" and 2000.0 <= one.force < 2020.0 and 1.3 < one.time < 1.5
    cable = rope.cables[one.cable]
    assert cable.broken and cable.active and len(rope.outside) == 8 and verdict.word == "ok", verdict
    length = float(np.ravel(wl.eval_output(cable, "length", found.state))[0])
    released = 2.0 / 3.0 * 0.5 * one.force**2 / EA * length
    assert_allclose(ledger.totals["changes of the model"], -released, rtol=5e-3)
    largest = max(abs(value) for value in ledger.totals.values())
    assert abs(ledger.rest) < 1e-4 * largest, (ledger.rest, ledger.totals)
    t, v = found.speeds.T
    k = np.searchsorted(t, one.time - 1e-9)
    force = -MASS * G * (t[-1] - t[k]) - 5000.0 * 0.5 * ((t[-1] - 1.2) ** 2 - (t[k] - 1.2) ** 2)
    # the rope below the break moves with the load, and its stretch gives the load a speed
    assert_allclose(v[-1] - v[k], force / MASS, rtol=0.03)
    assert not np.any(wl.eval_output(cable, "axial_force", found.state))


def test_loads_and_contacts_of_a_broken_beam_and_winch_cable() -> None:
    """Fluid loads of a broken beam or winch cable act per unstrained length, and its contacts become inactive."""
    world, beam, _, _ = hang_from_beam("3D", 2)
    rope = winch_rope(
        world, (3.0, 0.0, 0.0), (3.0, 0.0, -2.0), 8, strain=0.0, mass_per_length=1.0, axial_stiffness=EA,
        bending_stiffness=0.1, axial_damping=10.0,
    )  # fmt: skip
    con.fix(world, rope.nodes[0], "x", "y", "z")
    con.fix(world, rope.feed, "s")
    sea = world.add(con.Fluid, density=1000.0)
    floor = con.add_bed(world, [(-5.0, -50.0), (5.0, -50.0)])
    rows = []
    for cables, load in ((beam, con.FluidLoad), (rope.cables, con.WinchFluidLoad)):
        fluid = world.add(load, cable=cables, fluid=sea, diameter=0.02)
        rows.append((fluid, con.add_surface_contact(world, floor, cables, contact_stiffness_per_length=1e5)))
    wind = world.add(con.LineLoad, cable=beam, vector=(1.0, 0.0, 0.0), per="current")
    hook = con.BreakingLinks([con.Link(beam[1], time=0.01), con.Link(rope.cables[1], time=0.01)])
    wl.Dynamic(world, step=1e-3, end=0.02, name="").solve(hooks=[hook])
    only = [False, True, *[False] * 6]
    for fluid, contacts in rows:
        assert fluid.constant_volume.tolist() == only and fluid.active.all()
        assert (~contacts.active).tolist() == only
    assert (~wind.active).tolist() == only


def test_a_winch_that_moves_after_the_break() -> None:
    """If the winch still pays out rope after the break, the verdict states the length."""
    found = lower_until_break(1.8, end=1.5)
    assert len(found.hook.breaks) == 1 and found.verdict.word == "doubtful"
    (words,) = [reason for reason in found.verdict.reasons if "the winch of the broken rope hoist rope" in reason]
    assert "must stand still" in words


@pytest.mark.parametrize("stop", [1200, 1450])
def test_a_restarted_winch_rope_breaks_alike(stop: int, tmp_path: Path) -> None:
    """The results of a run of a winch rope that continues before or after the break exactly equal the results of an
    uninterrupted run.
    """
    file = tmp_path / "run.h5"

    def run(*hooks: Any, **checkpoint: Any) -> Any:
        found = lower_until_break(1.0, *hooks, end=1.5, path=file, **checkpoint)
        return np.concatenate((found.state.q, found.state.v, found.state.a)), repr(found.hook.breaks)

    def stop_run(state: wl.State) -> None:
        if state.step == stop + 1:
            raise RuntimeError("stopped")

    whole, breaks = run(every=stop)
    file.unlink()
    with pytest.raises(RuntimeError, match="stopped"):
        run(stop_run, every=stop)
    again, others = run(every=stop, restart=file)
    assert (again == whole).all() and others == breaks


@pytest.mark.mpi
@pytest.mark.parametrize("processes", [2, 3])
def test_processes(processes: int, tmp_path: Path) -> None:
    """On several processes, the cable that breaks, the time of the break, and the motion after the break agree with a
    run on one process. These statements also hold for a load on a winch rope in water.
    """
    path = tmp_path / "found.npz"
    done = run_python([ROOT / "tests/support/parallel_breaking.py", path, "-quiet"], processes)
    assert done.returncode == 0, done.stderr
    found, expected = np.load(path), break_line() | lower_load()
    assert sorted(found.files) == sorted(expected)
    assert found["breaks"].tolist() == expected["breaks"].tolist()
    for name, values in expected.items():
        assert_allclose(found[name], values, rtol=1e-6, atol=1e-8 * np.abs(values).max(), err_msg=name)


RHO, DEPTH, DIAMETER, LINE, STIFF, LONG = 1025.0, 80.0, 0.1, 60.0, 2e8, 190.0
SUBMERGED = LINE - RHO * np.pi * DIAMETER**2 / 4
TOP, PULL = (0.0, 0.0, -2.0), 4e5
ANCHORS = [(170.0 * np.cos(a), 170.0 * np.sin(a), -DEPTH) for a in np.radians([165.0, -135.0, 30.0])]


def moor() -> tuple[wl.World, wl.Entity, list[wl.Entity], list[wl.Entity]]:
    """Create a buoy with three mooring lines under an increasing horizontal force. Return the world, the buoy, the
    lines and the fairleads.
    """
    world = wl.World(gravity=(0.0, 0.0, -G))
    sea = world.add(con.Fluid, density=RHO, depth=DEPTH + 100.0)
    buoy = world.add(MassPoint, name="buoy", position=TOP, mass=2e4)
    con.fix(world, buoy, "z")
    joints, lines = [], []
    for k, anchor in enumerate(ANCHORS):
        route = hang_between(tuple(anchor), TOP, LONG, STIFF, SUBMERGED, (0.0, 0.0, -G))
        line = cable_along(
            world, route, 16, name=f"line {k + 1}", length=LONG / 16, axial_stiffness=STIFF, bending_stiffness=10.0,
            mass_per_length=LINE, axial_damping=1e5,
        )  # fmt: skip
        world.add(con.FluidLoad, cable=line, fluid=sea, diameter=DIAMETER, constant_volume=True)
        nodes = nodes_of(world, line)
        con.hinge(world, nodes[0])
        markers = con.position_marker(world, nodes[len(nodes) - 1]), con.position_marker(world, buoy)
        joints.append(world.add(con.SphericalJoint, name=f"fairlead {k + 1}", marker0=markers[0], marker1=markers[1]))
        lines.append(line)
    force = con.ramp(0.0, 5.0, (0.0, 0.0, 0.0), (PULL, 0.0, 0.0))
    world.add(con.Force, marker=con.position_marker(world, buoy), function=force)
    return world, buoy, lines, joints


def eval_pull(x: float, y: float, k: int) -> np.ndarray:
    """Return the horizontal force [N] of line k on the buoy, computed by a catenary."""
    route = hang_between(ANCHORS[k], (x, y, TOP[2]), LONG, STIFF, SUBMERGED, (0.0, 0.0, -G))
    way = np.array(ANCHORS[k][:2]) - (x, y)
    return route.horizontal_force * way / np.linalg.norm(way)


def test_a_mooring_loses_a_line() -> None:
    """The windward line of a mooring breaks at its weakest place, in the middle.

    The remainder of the energy balance is at most 1e-4 of the largest energy. The two remaining lines carry the load,
    and a piece of the broken line hangs from the buoy. The position of the buoy agrees with two catenaries within 2 mm,
    and the force of a line within 1e-4.
    """
    world, buoy, lines, joints = moor()
    start, ledger = wl.Static(world, name="", time=0.0).solve(), wl.EnergyLedger()
    links = [con.Link(lines[0][8], breaking_load=2.7e5, name="weak place"), con.Link(lines[1], breaking_load=2e6)]
    hook = con.BreakingLinks(links)
    end = wl.Dynamic(world, step=0.004, end=6.0, name="").solve(start, hooks=[hook, ledger])
    (one,) = hook.breaks
    assert one.name == "weak place" and 1.0 < one.time < 5.0 and 2.7e5 <= one.force < 2.8e5
    largest = max(abs(value) for name, value in ledger.totals.items() if not name.startswith("rest"))
    assert abs(ledger.rest) < 1e-4 * largest, (ledger.rest, ledger.totals)
    assert ledger.totals["changes of the model"] < 0.0
    x, y = fsolve(lambda u: eval_pull(*u, 1) + eval_pull(*u, 2) + (PULL, 0.0), [5.0, 0.0])
    rest = wl.Static(world, name="", time=6.0).solve(end)
    assert_allclose(wl.eval_output(buoy, "position", rest)[:2], (x, y), atol=2e-3)
    force = np.ravel(wl.eval_output(joints[1], "force", rest))
    exact = hang_between(ANCHORS[1], (x, y, TOP[2]), LONG, STIFF, SUBMERGED, (0.0, 0.0, -G))
    assert_allclose(np.linalg.norm(force), exact.eval_tension([LONG])[0], rtol=1e-4)
    hanging = np.ravel(wl.eval_output(joints[0], "force", rest))
    assert_allclose(np.linalg.norm(hanging), SUBMERGED * G * LONG * 7.5 / 16.0, rtol=1e-5)
