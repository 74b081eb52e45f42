"""Tests of ropes that break between their ends: released energy, motion after the break, fatigue, restart, several
processes, and a mooring that loses a line.

Sources: free fall; ASTM E1049-85 by the library rainflow; H. M. Irvine, Cable Structures (1981), section 2.4, for the
lines.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import fsolve

import windlass as wl
from windlass import connectors as con
from windlass import post
from windlass.elements import MassPoint, cable_along, hang_between, nodes_of, straight_cable

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
    """After the break, the load falls freely. The ledger lists the energy that the broken cable has lost, and its
    remainder is 0. Hook, report and verdict name the cable, its force and the time.
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
    """The results of a run that continues from a checkpoint before or after the break, including the damages, exactly
    equal the results of an uninterrupted run.
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
    route = hang_between((0.0, 0.0, 0.0), (8.0, 0.0, 0.0), 9.0, EA, 3.0, (0.0, 0.0, -G))
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
    """Fatigue without a fatigue curve, wrong damages, and cables with moving material cause errors."""
    _, rope, _ = hang_load(2)
    with pytest.raises(wl.ModelError, match=r"fatigue = 3 .*must be a fatigue curve, such as"):
        con.Link(rope, fatigue=3)  # type: ignore[arg-type]
    with pytest.raises(wl.ModelError, match=r"damage = 1\.0 in Link: must be"):
        con.Link(rope, fatigue=post.FatigueCurve(3.0, 2.0, 1e3), damage=1.0)
    with pytest.raises(wl.ModelError, match=r"time \[s\], rule or fatigue"):
        con.Link(rope, damage=0.5)
    with pytest.raises(wl.ModelError, match=r"damage = 0\.5 of Link of .*: must be 0 \[1\], or have a fatigue curve"):
        con.Link(rope, breaking_load=1.0, damage=0.5)


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
