"""Tests of winch ropes on surfaces: friction over a drum in 3D, balance of energy, a drum that turns with the rope,
lines that are lowered onto beds, cables in reserve, and restart.
"""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
import windlass.connectors as con
from windlass.elements import Ground, cable_along, hang_from_ground, nodes_of, winch_rope_along
from windlass.elements.routes.winch_along import BackwardLine
from windlass.framework.model.table import Entity

from support.parallel_lowering import run_lowering
from support.processes import ROOT, run_python
from support.winch_sheave import EA, MASS, RADIUS, G, eval_tension, start_up
from support.winch_surfaces import create, route_in_space

MU, WRAP, RHO = 0.2, 0.5 * np.pi, 0.02
TORSION = {"torsional_stiffness": 0.5, "rotary_inertia": 1e-5}


@pytest.mark.parametrize(("way", "torsion"), [(1, {}), (-1, {}), (1, TORSION)])
def test_tensions_at_both_sides_of_a_fixed_drum(way: int, torsion: dict[str, float]) -> None:
    """At constant speed, the tensions at both sides of a fixed drum have the ratio e^{μα} (Euler, Eytelwein), both when
    the rope is paid out and when it is hauled in. See `test_winch_contact.py` for the error of the bristles.
    """
    model = create(cables=40, drop=1.2 if way > 0 else 1.5, mu=MU, rope={"axial_damping": 3000.0, **torsion})
    if torsion:
        con.fix(model.world, model.rope.nodes[0], "twist")
    con.prescribe(model.world, model.rope.feed, "s", start_up(0.5 * way, 0.2))
    state = wl.Static(model.world).solve()
    rows: list[Any] = []

    def keep(state: wl.State) -> None:
        down = -float(np.ravel(wl.eval_output(model.load, "position", state))[2])
        rows.append((eval_tension(model, state), eval_tension(model, state, 39, 1.0) + RHO * G * down))

    state = wl.Dynamic(model.world, step=1e-3, end=0.7).solve(state, hooks=[keep])
    outlet, load = np.array(rows)[-300:].T
    assert_allclose(load.mean(), MASS * G, rtol=0.01)
    assert_allclose(way * np.log(load / outlet).mean(), MU * WRAP, rtol=0, atol=1e-3)
    # friction on the rope acts against the motion of the material, in the plane of the route
    names = "friction_force", "normal", "state"
    friction, normal, slips = (wl.eval_output(model.contact, name, state) for name in names)
    forward = friction[..., 0] * normal[..., 2] - friction[..., 2] * normal[..., 0]
    on = slips == 1.0
    assert on.sum() > 10 and (way * forward[on] < 0.0).all() and np.abs(friction[..., 1]).max() < 1e-9


@pytest.mark.parametrize("inertia", [None, 0.5])
def test_balance_of_energy(inertia: float | None) -> None:
    """The remainder of the energy ledger is below 1e-6 of the energy of the weight, over a fixed and a free drum."""
    model = create(cables=24, inertia=inertia, drop=0.6)
    world, ledger = model.world, wl.EnergyLedger()
    con.prescribe(world, model.rope.feed, "s", con.smooth_step(0.0, 0.4, 0.0, 0.1))
    state = wl.Static(world, time=0.0).solve()
    if model.brake is not None:
        world.set(model.brake, active=False)
    wl.Dynamic(world, step=1e-3, end=0.4, rtol=1e-10).solve(state, hooks=[ledger])
    weight = np.abs(ledger["gravity"]).max()
    assert weight > 0.9 * 0.1 * MASS * G
    assert abs(ledger.rest) < 1e-6 * weight
    if inertia is None:
        assert ledger.totals["ContactFrictionSurfaceWinch.sliding"] > 0.1 * weight


def test_bristles_turn_with_the_drum() -> None:
    """A rope that is paid out sticks to a drum, which turns by a quarter of a turn with the rope. The bristles turn
    with the drum, so the friction remains. The friction changes only by the slip (ε - ε_0) v t between rope and drum,
    which is less than 10 % of the deflection.
    """
    turned = RADIUS * WRAP
    model = create(
        cables=40, inertia=0.5, drop=0.6, mu=5.0, rope={"axial_damping": 3000.0}, friction_stiffness_per_length=1e5
    )
    world, paid = model.world, con.smooth_step(0.1, 4.1, 0.0, turned)
    assert model.drum is not None
    world.set(model.brake, active=False)
    con.prescribe(world, model.rope.feed, "s", paid)
    scale: list[float] = [1.0]
    world.add(
        con.CoordinateConstraint, marker1=con.rotation_marker(world, model.drum, "y"),
        offset_function=lambda t: paid(t) / RADIUS * scale[0],
    )  # fmt: skip
    world.add(con.Force, marker=con.position_marker(world, model.load), vector=(0.0, 0.0, -60.0))
    state = wl.Static(world, time=0.0).solve()
    tensions = eval_tension(model, state), eval_tension(model, state, 39, 1.0)
    scale[0] += float(np.mean(tensions)) / EA
    first = wl.eval_output(model.contact, "friction", state).sum()
    end = wl.Dynamic(world, step=4e-3, end=4.5).solve(state)
    assert_allclose(wl.eval_output(model.contact, "friction", end).sum(), first, rtol=0.1)
    assert first > 0.15 * tensions[0] and not (wl.eval_output(model.contact, "state", end) == 1.0).any()


def test_equal_to_plain_cables_while_the_winch_stands() -> None:
    """The motion of a rope of constant length equals the motion of plain cables with contact points, on a drum that the
    rope turns against
    springs: points stick, slip and open.
    """
    law = {
        "contact_stiffness_per_length": 3e4, "contact_damping_per_length": 20.0, "friction_coefficient": 0.4,
        "friction_velocity_penalty_per_length": 30.0, "friction_stiffness_per_length": 2e4,
    }  # fmt: skip
    found, seen = [], set()
    for winch in (True, False):
        world = wl.World(gravity=(0.0, 0.0, -G))
        body = world.add(wl.elements.RigidBody3D, position=(0.0, 0.0, 0.0), mass=3.0, inertia=(0.7, 0.7, 0.7))
        marker, ground = con.rigid_marker(world, body), con.rigid_marker(world, world.add(Ground))
        con.fix(world, body, "x", "y", "z")
        world.add(
            con.RigidBodySpringDamper, marker0=ground, marker1=marker, stiffness=np.diag([0.0] * 3 + [5e2] * 3),
            damping=np.diag([0.0] * 3 + [1.0] * 3),
        )  # fmt: skip
        columns = {"mass_per_length": 2.0, "axial_damping": 20.0, "axial_stiffness": 2e4, "bending_stiffness": 0.02}
        route = route_in_space(0.6, 0.5)
        if winch:
            rope = winch_rope_along(world, route, 24, **columns)
            con.fix(world, rope.feed, "s")
            nodes, cables = rope.nodes, rope.cables
        else:
            cables = cable_along(world, route, 24, **columns)
            nodes = nodes_of(world, cables)
        con.hinge(world, nodes[0])
        surface = world.add(con.DrumSurface, marker=marker, radius=RADIUS, axis=(0.0, 1.0, 0.0))
        rows = con.add_surface_contact(world, surface, cables, points=1, **law)
        world.add(con.Force, marker=con.position_marker(world, nodes[-1]), vector=(0.0, 3.0, -30.0))

        def keep(state: wl.State, rows: Entity = rows) -> None:
            seen.update(wl.eval_output(rows, "state", state).ravel())

        state = wl.Dynamic(world, step=1e-3, end=0.1, rtol=1e-12).solve(hooks=[keep])
        names = "state", "normal_force", "friction_force"
        found.append((state.of(nodes), state.of(body), *(wl.eval_output(rows, name, state) for name in names)))
    assert seen == {0.0, 1.0, -2.0}
    for ours, theirs in zip(*found, strict=True):
        assert_allclose(ours, theirs, rtol=0, atol=1e-8 * np.abs(theirs).max())


CHAIN = {"mass_per_length": 200.0, "axial_stiffness": 5e8, "bending_stiffness": 10.0, "axial_damping": 5e6}
WIRE = {"mass_per_length": 20.0, "axial_stiffness": 6e7, "bending_stiffness": 500.0, "axial_damping": 1e6}


def soften(rho: float, depth: float, friction: float) -> tuple[float, dict[str, float]]:
    """Return columns of the contact of a line with the mass ``rho`` per length: the contact stiffness that causes the
    given depth [m], the damping, and with friction the stiffness and damping of bristles.
    """
    stiffness = rho * G / depth
    damping = 0.6 * np.sqrt(stiffness * rho)
    columns = {"contact_damping_per_length": damping}
    if friction > 0.0:
        columns |= {"friction_stiffness_per_length": stiffness, "friction_velocity_penalty_per_length": damping}
    return stiffness, columns


@pytest.mark.parametrize("friction", [0.0, 0.8])
@pytest.mark.parametrize("line", [CHAIN, WIRE], ids=["chain", "wire"])
def test_line_lands_on_a_bed(line: dict[str, float], friction: float) -> None:
    """A line with its end on a bed is lowered from 165 m to 173 m. The length on the bed grows from 50 m to 94 m.

    Before and after the lowering, the tension at the touchdown point and the length on the bed agree with the elastic
    catenary. The bed carries less than the weight of the lying length: at both ends of this length, the line changes
    its depth over the length sqrt(H/k) = 0.23 m. With friction, the laid line keeps its tension, which differs from the
    tension of a line that was pulled over the bed. The difference is due to the elongation of the lying line, and is of
    order 1e-3.
    """
    world = wl.World(gravity=(0.0, 0.0, -G))
    rho, EA_line = line["mass_per_length"], line["axial_stiffness"]
    stiffness, contact = soften(rho, 5e-4, friction)
    laid = con.lay_line(
        world, 0.0, (0.0, 0.0), (150.0, 0.0, 50.0), 165.0, 120, stiffness=stiffness, friction=friction,
        contact=contact, winch=True, **line,
    )  # fmt: skip
    assert laid.rope is not None
    for node in (laid.rope.nodes[0], laid.rope.nodes[-1]):
        con.fix(world, node, "x", "y", "z")
    drive = con.prescribe(world, laid.rope.feed, "s", con.smooth_step(0.0, 40.0, 0.0, 8.0))

    def compare(state: wl.State, length: float) -> None:
        end = (150.0, 0.0, 50.0)
        exact = hang_from_ground((0.0, 0.0, 0.0), end, length, EA_line, rho, gravity=(0.0, 0.0, -G))
        lying = -wl.eval_output(laid.contacts, "normal_force", state).sum() / (rho * G)
        assert_allclose(lying, exact.lying, rtol=0, atol=2e-3 * length)
        tension, place = (wl.eval_output(laid.cables, name, state) for name in ("axial_force", "position"))
        touchdown = np.argmin(np.abs(place[:, 0] - exact.hanging.start[0]))
        assert_allclose(tension[touchdown], exact.horizontal_force, rtol=3e-3 if friction else 2e-4)
        assert_allclose(wl.eval_output(drive, "force", state).item(), exact.eval_tension([length])[0], rtol=1e-3)

    state = wl.Static(world, time=0.0).solve()
    compare(state, 165.0)
    state = wl.Dynamic(world, step=0.05, end=60.0).solve(state)
    compare(wl.Static(world, time=60.0).solve(state), 173.0)


def slope(x: Any, y: Any) -> Any:
    """Return the height [m] of a bed."""
    return -2.0 + 0.02 * x + 1.5 * np.sin(x / 30.0) + 0.01 * y


BEDS: dict[str, Any] = {
    "polyline": [(-20.0, 0.0), (30.0, -1.0), (60.0, -0.5), (200.0, 2.0)],
    "grid": con.BedGrid(
        np.linspace(-20.0, 200.0, 45), np.linspace(-20.0, 20.0, 9),
        slope(*np.meshgrid(np.linspace(-20.0, 200.0, 45), np.linspace(-20.0, 20.0, 9), indexing="ij")),
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", BEDS)
def test_beds_carry_winch_ropes_like_plain_lines(kind: str) -> None:
    """On a sloping polyline with rounded crests and on a bathymetry, a winch rope has the shape and the tensions of a
    line of plain cables of the same length.
    """
    stiffness, contact = soften(200.0, 5e-3, 0.0)
    found = []
    for winch in (True, False):
        world = wl.World(gravity=(0.0, 0.0, -G))
        laid = con.lay_line(
            world, BEDS[kind], (0.0, 0.0), (150.0, 5.0, 50.0), 172.0, 56, stiffness=stiffness, contact=contact,
            winch=winch, **CHAIN,
        )  # fmt: skip
        nodes = laid.rope.nodes if laid.rope else nodes_of(world, laid.cables)
        for node in (nodes[0], nodes[-1]):
            con.fix(world, node, "x", "y", "z")
        if laid.rope:
            con.fix(world, laid.rope.feed, "s")
        state = wl.Static(world, rtol=1e-10).solve()
        place = np.ravel(nodes.table.collect("position", nodes.rows)).reshape(-1, 3) + state.of(nodes)[:, :3]
        tension = np.ravel(wl.eval_output(laid.cables, "axial_force", state))
        weight = wl.eval_output(laid.contacts, "force", state)[:, 2].sum()
        assert weight > 0.2 * 200.0 * G * 172.0
        found.append((place[::-1] if winch else place, tension[::-1] if winch else tension, weight))
    for ours, theirs in zip(*found, strict=True):
        assert_allclose(ours, theirs, rtol=0, atol=1e-6 * np.abs(theirs).max())


def test_line_is_laid_on_clay_and_picked_up() -> None:
    """A chain is lowered onto a soft bed and hauled in. The chain lies at the depth ρ g/k. The suction of clay
    dissipates k c_s δ (c_s δ + Δ)/2 per length whose contact points leave the bed, with δ = ρ g/k, and the remainder of
    the ledger is small. Without suction, the motion of a chain on a soft bed equals the motion on other beds.
    """
    rho, depth, share, reach = 200.0, 5e-3, 0.5, 0.01
    stiffness, contact = soften(rho, depth, 0.0)
    found, end = {}, (150.0, 0.0, 50.0)
    for name, more in (("bed", {}), ("soft", {"suction_distance": reach}), ("clay", {"suction_coefficient": share})):
        more = more | ({"suction_distance": reach} if name == "clay" else {})
        world = wl.World(gravity=(0.0, 0.0, -G))
        laid = con.lay_line(
            world, 0.0, (0.0, 0.0), end, 165.0, 120, stiffness=stiffness, contact={**contact, **more}, winch=True,
            **CHAIN,
        )  # fmt: skip
        assert laid.rope is not None
        for node in (laid.rope.nodes[0], laid.rope.nodes[-1]):
            con.fix(world, node, "x", "y", "z")
        con.prescribe(world, laid.rope.feed, "s", con.smooth_step(0.0, 40.0, 0.0, 8.0))
        state = wl.Dynamic(world, step=0.05, end=50.0).solve(wl.Static(world, time=0.0).solve())
        place = wl.eval_output(laid.cables, "position", state)
        lying = (place[:, 0] > 10.0) & (place[:, 0] < 85.0)
        assert lying.sum() > 40
        assert_allclose(-place[lying, 2], depth, rtol=2e-3)
        assert laid.contacts.table.component is (
            con.ContactFrictionSurfaceWinch if name == "bed" else con.ContactFrictionBedWinch
        )
        found[name] = state.of(laid.rope.nodes)
        if name != "clay":
            continue
        world = wl.World(gravity=(0.0, 0.0, -G))
        laid = con.lay_line(
            world, 0.0, (0.0, 0.0), end, 173.0, 240, stiffness=stiffness, contact={**contact, **more}, winch=True,
            **CHAIN,
        )  # fmt: skip
        assert laid.rope is not None
        for node in (laid.rope.nodes[0], laid.rope.nodes[-1]):
            con.fix(world, node, "x", "y", "z")
        con.prescribe(world, laid.rope.feed, "s", con.smooth_step(0.0, 60.0, 0.0, -6.0))
        state, ledger = wl.Static(world, time=0.0).solve(), wl.EnergyLedger()
        peak = share * depth
        before = (wl.eval_output(laid.contacts, "gap", state) < 0.0).mean()
        state = wl.Dynamic(world, step=0.02, end=70.0).solve(state, hooks=[ledger])
        # suction acts on the last metre of the lying chain, where about half of the energy is already lost
        gap = wl.eval_output(laid.contacts, "gap", state)
        left = (before - 0.5 * ((gap < 0.0).mean() + (gap < peak + reach).mean())) * 170.0
        expected = 0.5 * stiffness * peak * (peak + reach) * left
        assert left > 20.0
        assert_allclose(ledger.totals["ContactFrictionBedWinch.suction"], expected, rtol=0.03)
        assert abs(ledger.totals["rest.ContactFrictionBedWinch"]) < 1e-3 * expected
    assert_allclose(found["soft"], found["bed"], rtol=0, atol=1e-9)


def add_planes(world: wl.World, corners: list[tuple[float, float]]) -> list[wl.Entity]:
    """Add one plane for each piece of a polyline in the x-z plane."""
    planes = []
    for begin, end in pairwise(np.array(corners)):
        way = (end - begin) / np.hypot(*(end - begin))
        middle = 0.5 * (begin + end)
        ground = world.add(Ground, position=(middle[0], 0.0, middle[1]))
        planes.append(
            world.add(
                con.PlaneSurface, marker=con.rigid_marker(world, ground), axis=(-way[1], 0.0, way[0]),
                along=(way[0], 0.0, way[1]), half_length=0.5 * float(np.hypot(*(end - begin))),
            )
        )  # fmt: skip
    return planes


def test_search_finds_the_planes_of_a_bed() -> None:
    """A chain that is lowered onto planes has the same motion with a search, which has three rows for each cable, and
    with one row for each pair of cable and plane.
    """
    stiffness, contact = soften(200.0, 5e-3, 0.5)
    corners = [(-20.0, 0.0), (30.0, -1.0), (60.0, 1.0), (90.0, 0.5), (200.0, 2.0)]
    found = []
    for touching, law in ((None, con.ContactFrictionSurfaceWinch), (3, con.ContactFrictionSurfaceSetWinch)):
        laid = con.lay_line(
            wl.World(gravity=(0.0, 0.0, -G)), corners, (0.0, 0.0), (150.0, 0.0, 50.0), 165.0, 40, stiffness=stiffness,
            friction=0.5, contact=contact, winch=True, **CHAIN,
        )  # fmt: skip
        world = wl.World(gravity=(0.0, 0.0, -G))
        rope = winch_rope_along(world, BackwardLine(laid.route), 40, **CHAIN)
        contacts = con.add_surface_contact(
            world, add_planes(world, corners), rope.cables, friction_coefficient=0.5,
            contact_stiffness_per_length=stiffness, touching=touching, **contact,
        )  # fmt: skip
        assert contacts.table.component is law
        for node in (rope.nodes[0], rope.nodes[-1]):
            con.fix(world, node, "x", "y", "z")
        con.prescribe(world, rope.feed, "s", con.smooth_step(0.0, 10.0, 0.0, 6.0))
        state = wl.Dynamic(world, step=0.05, end=12.0).solve(wl.Static(world, time=0.0, rtol=1e-10).solve())
        found.append(state.of(rope.nodes))
    assert_allclose(found[1], found[0], rtol=0, atol=1e-7)


def test_sharp_crests_are_doubtful() -> None:
    """The verdict names a sharp crest of a bed that pulls a winch rope along its axis. The stated force agrees with the
    force on plain cables. For a crest of 10 degrees at a tension of about 1e5 N, this force is of the order 1e5 N 0.17²
    = 3e3 N.
    """
    stiffness, contact = soften(200.0, 5e-3, 0.0)
    corners, pulls = [(-20.0, 0.0), (30.0, -3.0), (60.0, 2.0), (200.0, -10.0)], []
    for winch in (True, False):
        world = wl.World(gravity=(0.0, 0.0, -G))
        laid = con.lay_line(
            world, corners, (0.0, 0.0), (150.0, 0.0, 30.0), 165.0, 40, stiffness=stiffness, contact=contact,
            rounding=0.0, winch=winch, **CHAIN,
        )  # fmt: skip
        nodes = laid.rope.nodes if laid.rope else nodes_of(world, laid.cables)
        for node in (nodes[0], nodes[-1]):
            con.fix(world, node, "x", "y", "z")
        if laid.rope:
            con.fix(world, laid.rope.feed, "s")
        solver = wl.Static(world)
        solver.solve()
        (reason,) = solver.verdict.reasons
        match = re.match(r"the edge of bed pulls (rope|cable) \d+ along its axis by (\S+) N at a tension of", reason)
        assert match and match[1] == ("rope" if winch else "cable")
        pulls.append(float(match[2]))
    assert_allclose(pulls[0], pulls[1], rtol=1e-2)
    assert 1e3 < pulls[0] < 1e4


CLAY = {"suction_coefficient": 0.3, "suction_distance": 1e-3, "lateral_friction_ratio": 1.5}


@pytest.mark.parametrize(
    ("torsion", "soft"), [(False, {}), (True, {}), (False, CLAY), (False, {"touching": 1}), (True, {"touching": 1})]
)
def test_cables_in_reserve_land_on_a_bed(torsion: bool, soft: dict[str, Any]) -> None:
    """A rope whose cables are split while it lands on a bed, also on a soft bed and with a contact search, has the
    tensions and the lying length of the elastic catenary. The contact adds nothing to the remainder of the energy
    ledger. As in `test_line_lands_on_a_bed`, the bed carries 0.16 m less than the lying length of 36 m, which is 0.4 %
    of the weight of the suspended part.
    """
    found = run_lowering(torsion, **soft)
    assert found["changes"].tolist() == [64.0]
    assert_allclose(found["touchdown"], found["exact touchdown"], rtol=0.015)
    assert_allclose(found["top"], found["exact top"], rtol=5e-3)
    assert_allclose(found["lying"], found["exact lying"], rtol=0.01)
    assert abs(found["rest of contact"]) < 1e-6 * found["weight"]
    assert abs(found["change of energy"]) < 3e-6 * found["weight"]


def test_reserve_with_a_search() -> None:
    """A chain that lands on four planes while its cables are split has the same motion with a contact search and with
    one row for each pair of cable and plane. The planes have bristles, so the rows of the new cables keep their
    deflections.
    """
    corners, found = [(-5.0, 0.8), (4.0, 0.3), (7.0, 0.5), (9.0, 0.4), (20.0, 1.0)], []
    stiffness, contact = soften(20.0, 5e-3, 0.5)
    for touching in (None, 3):
        world = wl.World(gravity=(0.0, 0.0, -G))
        rope = con.WinchReserve(
            world, (0.0, 0.0, 2.0), (12.0, 0.0, 2.0), wanted=1.0, cables=8, longest=20.0, strain=1e-3,
            mass_per_length=20.0, axial_stiffness=1e6, bending_stiffness=1.0, axial_damping=1e4,
        )  # fmt: skip
        contacts = con.add_surface_contact(
            world, add_planes(world, corners), rope.cables, contact_stiffness_per_length=stiffness,
            friction_coefficient=0.5, touching=touching, **contact,
        )  # fmt: skip
        for node in (rope.nodes[0], rope.nodes[-1]):
            con.fix(world, node, "x", "y", "z")
        con.prescribe(world, rope.feed, "s", con.smooth_step(0.0, 4.0, 0.0, 1.2))
        state = wl.Static(world, time=0.0, rtol=1e-10).solve()
        # all steps have the same size, because the sizes of steps that resolve impacts depend on rounding errors
        run = wl.Dynamic(world, step=0.01, end=4.5, rtol=1e-9, resolve_contacts=False)
        state = run.solve(state, hooks=[rope])
        assert [change.cables for change in rope.changes] == [16]
        friction = wl.eval_output(contacts, "friction_force", state)
        assert np.abs(friction).max() > 1.0
        found.append(state.of(rope.nodes))
    assert_allclose(found[1], found[0], rtol=0, atol=1e-8)


def test_merged_cable_that_touches_too_many_surfaces() -> None:
    """If a cable that replaces two cables touches more surfaces than its contact search has rows for, the run ends with
    an error.
    """
    world = wl.World(gravity=(0.0, 0.0, -G))
    rope = con.WinchReserve(
        world, (0.0, 0.0, -1e-3), (8.0, 0.0, -1e-3), wanted=2.4, cables=1, longest=9.0, mass_per_length=2.0,
        axial_stiffness=1e5, bending_stiffness=1.0,
    )  # fmt: skip
    planes = add_planes(world, [(-5.0, 0.0), (2.0, 0.0), (20.0, 0.0)])
    rows = con.add_surface_contact(world, planes, rope.cables, touching=1, contact_stiffness_per_length=2e4)
    state = wl.State(world)
    data = state.of(rows, "data")
    used = np.flatnonzero(np.isin(rope.cables.ids, rope.outside.ids))
    assert len(used) == 4
    data[used, :4], data[used, -1] = -1e-3, [1, 2, 2, 2]  # all points touch a plane
    state.put(rows, data, "data")
    state.put(rope.feed, np.array([[-5.0]]))  # 3 m remain outside, for which two cables suffice
    with pytest.raises(wl.ModelError, match="touches 2 surfaces, more than its 1 rows, when cables are merged"):
        rope.before_step(state)


@pytest.mark.parametrize("points", [1, 4])
def test_split_cables_keep_their_surface(points: int) -> None:
    """With a contact search, both halves of a split cable receive the surface of this cable and the states of its
    points, also if the only point of the cable is where the cable is split.
    """
    world = wl.World(gravity=(0.0, 0.0, -G))
    rope = con.WinchReserve(
        world, (0.0, 0.0, -1e-3), (8.0, 0.0, -1e-3), wanted=2.4, cables=1, longest=20.0, mass_per_length=2.0,
        axial_stiffness=1e5, bending_stiffness=1.0,
    )  # fmt: skip
    rows = con.add_surface_contact(
        world, add_planes(world, [(-5.0, 0.0), (20.0, 0.0)]), rope.cables, touching=1, points=points,
        contact_stiffness_per_length=2e4, friction_stiffness_per_length=1e4, friction_coefficient=0.5,
    )  # fmt: skip
    state = wl.State(world)
    data, used = state.of(rows, "data"), np.isin(rope.cables.ids, rope.outside.ids)
    data[used, :points], data[used, points : 2 * points], data[used, -1] = -1e-3, 0.0, 1.0
    state.put(rows, data, "data")
    state.put(rope.feed, np.array([[9.0]]))
    rope.before_step(state)
    used = np.isin(rope.cables.ids, rope.outside.ids)
    found = state.of(rows, "data")[used]
    assert used.sum() == 8 and (found[:, -1] == 1.0).all() and (found[:, points : 2 * points] == 0.0).all()


def test_split_cables_keep_their_friction() -> None:
    """When the cables of a rope that is pulled over a drum are split, the tensions on both sides do not change. Later,
    the tensions have the ratio e^{μα}.
    """
    world = wl.World(gravity=(0.0, 0.0, -G))
    rope = con.WinchReserve(
        world, (-0.4, 0.0, RADIUS), (0.8, 0.0, RADIUS), wanted=0.063, cables=12, longest=2.4, strain=MASS * G / EA,
        mass_per_length=RHO, axial_stiffness=EA, bending_stiffness=1e-3, axial_damping=400.0,
    )  # fmt: skip
    con.hinge(world, rope.nodes[0])
    load = world.add(wl.elements.MassPoint, position=(0.8, 0.0, RADIUS), mass=MASS)
    ends = [con.position_marker(world, which) for which in (rope.nodes[-1], load)]
    world.add(con.SphericalJoint, marker0=ends[0], marker1=ends[1])
    drum = world.add(
        con.DrumSurface, marker=con.rigid_marker(world, world.add(Ground)), radius=RADIUS, axis=(0.0, 1.0, 0.0)
    )
    con.add_surface_contact(
        world, drum, rope.cables, points=4, friction_coefficient=MU, contact_stiffness_per_length=1e6,
        contact_damping_per_length=100.0, friction_stiffness_per_length=1e6, friction_velocity_penalty_per_length=100.0,
    )  # fmt: skip
    con.fix(world, load, "y")
    con.prescribe(world, load, "x", con.smooth_step(0.0, 0.5, 0.0, RADIUS - 0.8))
    con.prescribe(world, load, "z", con.smooth_step(0.0, 0.5, 0.0, -0.8))
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


@pytest.mark.long
@pytest.mark.mpi
def test_two_processes(tmp_path: Path) -> None:
    """The results of a run on two processes agree with the results of a run on one process."""
    path = tmp_path / "lowering.npz"
    done = run_python([ROOT / "tests/support/parallel_lowering.py", path, "-quiet"], 2)
    assert done.returncode == 0, done.stderr
    found, serial = np.load(path), run_lowering(end=12.0)
    for name, values in serial.items():
        assert_allclose(found[name], values, rtol=1e-6, atol=1e-8 * np.abs(values).max(), err_msg=name)


@pytest.mark.parametrize(("dims", "touching"), [(2, None), (3, None), (2, 2), (3, 2)])
def test_rope_is_hauled_in_over_a_bed(dims: int, touching: int | None) -> None:
    """A rope of 20 m that lies on a bed of two planes is hauled in to 7.5 m, while its cables are merged in pairs, also
    with a contact search. The drive pulls
    with the friction μ ρ g l of the rope outside, and friction dissipates μ ρ g (l_0² - l²)/2.

    The deflections of the bristles are reversed within 1e-4 of the displacement. At the merge, the weight of the rope
    is distributed to other points, so the friction changes by less than 1 %.
    """
    rho, mu, depth, first = 2.0, 0.5, 1e-3, 20.0
    stiffness = rho * G / depth
    damping = 0.6 * np.sqrt(stiffness * rho)
    up = np.eye(dims)[dims - 1]
    world = wl.World(gravity=tuple(-G * up))
    rope = con.WinchReserve(
        world, -depth * up, first * np.eye(dims)[0] - depth * up, wanted=1.5, cables=2, longest=22.0,
        mass_per_length=rho, axial_stiffness=1e5, bending_stiffness=1.0, axial_damping=1e3,
    )  # fmt: skip
    con.hinge(world, rope.nodes[0])
    axis = (0.0, 1.0, 0.0) if dims == 2 else (0.0, 0.0, 1.0)
    bed = [
        world.add(
            con.PlaneSurface, marker=con.rigid_marker(world, world.add(Ground, position=(middle, 0.0, 0.0))), axis=axis,
            along=(1.0, 0.0, 0.0), half_length=10.0,
        )
        for middle in (-5.0, 15.0)
    ]  # fmt: skip
    contacts = con.add_surface_contact(
        world, bed, rope.cables, touching=touching,
        contact_stiffness_per_length=stiffness, contact_damping_per_length=damping,
        friction_stiffness_per_length=10.0 * stiffness, friction_velocity_penalty_per_length=damping,
        friction_coefficient=mu,
    )  # fmt: skip
    drive = con.prescribe(world, rope.feed, "s", lambda t: -0.5 * t * t if t < 1.0 else 0.5 - t)
    rows: list[tuple[float, float, float]] = []

    def keep(state: wl.State) -> None:
        length = first + state.of(rope.feed).item()
        rows.append((state.t, length, float(np.ravel(wl.eval_output(drive, "force", state))[0])))

    ledger = wl.EnergyLedger()
    wl.Dynamic(world, step=5e-3, end=13.0).solve(hooks=[rope, ledger, keep])
    assert [change.cables for change in rope.changes] == [8]
    times, length, force = np.array(rows).T
    share = force / (mu * rho * G * length)
    near = np.abs(times - rope.changes[0].t) < 0.05
    assert near.sum() > 15
    assert_allclose(share[near], 1.0, rtol=0, atol=0.01)
    assert_allclose(share[times > 2.0].mean(), 1.0, rtol=2e-3)
    law = contacts.table.kind
    lost = ledger.totals[f"{law}.sliding"]
    assert_allclose(lost, 0.5 * mu * rho * G * (first**2 - length[-1] ** 2), rtol=2e-3)
    # after the merge, the forces of the new points differ from the forces at the end of the previous step
    assert abs(ledger.totals[f"rest.{law}"]) < 1e-6 * lost
    assert abs(ledger.rest - ledger.totals["rest.unbalanced"]) < 1e-6 * lost
