"""A mooring line that lies on a sea bed and rises agrees with the closed form with touchdown and friction.

Further tests check start shapes, the energy ledger and notes.

Source: H. M. Irvine, Cable Structures (1981), section 2.4; J. M. Jonkman, NREL/TP-500-41958 (2007), section 2.6.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import brentq

import windlass as wl
from windlass import connectors as con
from windlass.elements import Cable3D, Ground, PointSlope3D, hang_between, hang_from_ground

from support.mooring import build_line

G = (0.0, 0.0, -9.81)
LENGTH, END, EA, MASS = 300.0, np.array([285.0, 0.0, 60.0]), 2e7, 50.0
WEIGHT = MASS * 9.81


def place_nodes(start: str, end: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the positions [m] and unit slopes of n + 1 nodes: straight through the water, sagging below the bed, on
    the bed with a rise at the end, or in the shape of the closed form.
    """
    s = np.linspace(0.0, LENGTH, n + 1)
    if start == "straight":
        place = s[:, None] / LENGTH * end
    elif start == "catenary":
        place = hang_between((0.0, 0.0, 0.0), tuple(end), LENGTH, EA, MASS, G).eval_points(s)[0]
    elif start == "lying":
        corner = brentq(lambda c: c + np.hypot(end[0] - c, end[2]) - LENGTH, 0.0, end[0])
        rise = np.clip((s - corner) / (LENGTH - corner), 0.0, 1.0)[:, None]
        place = np.minimum(s, corner)[:, None] * [1.0, 0.0, 0.0] + rise * (end - [corner, 0.0, 0.0])
    else:
        return hang_from_ground((0.0, 0.0, 0.0), tuple(end), LENGTH, EA, MASS, 0.0, G).eval_points(s)[:2]
    slope = np.gradient(place, axis=0)
    return place, slope / np.linalg.norm(slope, axis=1)[:, None]


class Moored:
    """A line from an anchor on a bed to a top that moves along x by a function of time."""

    def __init__(self, start: str, n: int, pull: float = 0.0, stiffness: float = 1e7, points: int = 4) -> None:
        world = self.world = wl.World(gravity=G)
        place, slope = place_nodes(start, END - [pull, 0.0, 0.0], n)
        nodes = world.add(PointSlope3D, position=place, slope=slope)
        self.line = world.add(
            Cable3D, node0=nodes[:n], node1=nodes[1:], length=LENGTH / n, axial_stiffness=EA, bending_stiffness=1.0,
            mass_per_length=MASS,
        )  # fmt: skip
        # the plane is higher than the anchor by the contact depth, so the axis of the resting line is as high as the
        # anchor
        marker = con.rigid_marker(world, world.add(Ground))
        self.bed = world.add(con.PlaneSurface, name="bed", marker=marker, offset=WEIGHT / 1e6)
        self.contacts = con.add_surface_contact(
            world, self.bed, self.line, points=points, contact_stiffness_per_length=1e6,
            friction_stiffness_per_length=stiffness,
        )  # fmt: skip
        con.hinge(world, nodes[0])
        con.fix(world, nodes[n], "y", "z")
        con.prescribe(world, nodes[n], "x", lambda t: pull * t)
        self.end = LENGTH / n

    def solve(self, **settings: Any) -> wl.State:
        """Solve the line at rest without friction."""
        self.solver = wl.Static(self.world, name="", time=0.0, **settings)
        return self.solver.solve()

    def draw(self, state: wl.State, mu: float, steps: int) -> wl.State:
        """Let the line slip over the bed with friction."""
        self.world.set(self.contacts, friction_coefficient=mu)
        for k in range(steps + 1):
            solver = wl.Static(self.world, name="", time=k / steps, passes=wl.Passes(max_it=30))
            state = solver.solve(state)
        return state

    def list_tensions(self, state: wl.State) -> list[float]:
        """Return the tensions at the anchor and at the top [N]."""
        places = (self.line[0], 0.0), (self.line[len(self.line) - 1], self.end)
        return [float(wl.eval_output(cable, "axial_force", state, x=x)) for cable, x in places]


def test_route() -> None:
    """The closed form agrees with an independent calculation: ends, tensions by integration of T/EA, and the limit
    without friction.
    """
    for mu in (0.0, 0.5, 3.0):
        route = hang_from_ground((1.0, 2.0, 3.0), (172.0, 230.0, 63.0), LENGTH, EA, MASS, mu, G)
        s = np.linspace(0.0, LENGTH, 20001)
        place, tangent, _ = route.eval_points(s)
        assert_allclose(place[[0, -1]], [(1.0, 2.0, 3.0), (172.0, 230.0, 63.0)], rtol=0, atol=1e-9)
        tension = route.eval_tension(s)
        way = np.diff(place, axis=0) / np.diff(s)[:, None]
        middle = (
            0.5 * ((1.0 + tension / EA)[:, None] * tangent)[:-1] + 0.5 * ((1.0 + tension / EA)[:, None] * tangent)[1:]
        )
        assert_allclose(way, middle, rtol=0, atol=2e-5)
        # the vertical force is the weight of the hanging part, and the tension on the ground decreases by mu w per
        # length
        assert_allclose((tension * tangent[:, 2])[-1], WEIGHT * (LENGTH - route.lying), rtol=1e-12)
        least = max(0.0, route.horizontal_force - mu * WEIGHT * route.lying)
        assert_allclose(tension[0], least, rtol=1e-12, atol=1e-9)
    for end, words in (((400.0, 0.0, 60.0), "does not touch the ground"), ((200.0, 0.0, 60.0), "is slack on the")):
        with pytest.raises(wl.ModelError, match=words):
            hang_from_ground((0.0, 0.0, 0.0), end, LENGTH, EA, MASS, 0.0, G)
    with pytest.raises(wl.ModelError, match="must be above start"):
        hang_from_ground((0.0, 0.0, 0.0), (285.0, 0.0, -1.0), LENGTH, EA, MASS, 0.0, G)
    for stiffness, mass, mu in ((1e308, MASS, 0.0), (EA, 1e-320, 0.0), (EA, 1e308, 0.0), (EA, MASS, 1e308)):
        with pytest.raises(wl.ModelError, match="must be values of a real line"):
            hang_from_ground((0.0, 0.0, 0.0), (285.0, 0.0, 60.0), LENGTH, stiffness, mass, mu, G)


def compare(n: int, mu: float, stiffness: float = 1e7) -> tuple[np.ndarray, Moored, wl.State]:
    """Return the relative errors of the tensions at the anchor and the top of a line that is pulled taut, the line, and
    its state.
    """
    moored = Moored("closed form", n, 10.0, stiffness)
    state = moored.draw(moored.solve(), mu, 20)
    exact = hang_from_ground((0.0, 0.0, 0.0), tuple(END), LENGTH, EA, MASS, mu, G).eval_tension([0.0, LENGTH])
    return np.abs(moored.list_tensions(state) / exact - 1.0), moored, state


@pytest.mark.parametrize("n", [50, pytest.param(200, marks=pytest.mark.long)])
def test_friction_on_the_bed(n: int) -> None:
    """For a line pulled over the bed, tensions agree with the closed form within 1e-4 with 200 cables (the measured
    error is 7e-5), and within 2e-4 with 50 cables.

    The report states that the bed carries the line on the ground, the whole line slips, and contact ends at the
    touchdown point.
    """
    errors, moored, state = compare(n, 0.5, 3e6 if n == 50 else 1e7)
    assert (errors < (2e-4 if n == 50 else 1e-4)).all()
    exact = hang_from_ground((0.0, 0.0, 0.0), tuple(END), LENGTH, EA, MASS, 0.5, G)
    report = con.surface_report(moored.world, state, moored.contacts, moored.bed)
    part = LENGTH / n / 4
    assert_allclose(report.normal_force, WEIGHT * exact.lying, rtol=1e-3)
    assert_allclose(
        [report.contact_length, report.exit_point[0]], [exact.lying, exact.hanging.start[0]], atol=1.5 * part
    )
    assert_allclose(report.friction, 0.5 * report.normal_force, rtol=1e-6)
    assert report.points_sticking == 0 and report.slip_length == report.contact_length


@pytest.mark.long
def test_order() -> None:
    """Without friction, twice as many cables reduce the error at the top by a factor above 3.

    With friction, the error at the anchor is proportional to the compliance of bristles.
    """
    # the error without friction is a mean over four meshes, because this error depends on the position of the touchdown
    # point within a contact segment
    tops = [np.mean([compare_still(n + k) for k in range(4)]) for n in (25, 50, 100)]
    assert tops[0] > 3.0 * tops[1] > 3.0 * tops[2]
    soft, stiff = (compare(100, 0.5, stiffness)[0][0] for stiffness in (1e4, 1e5))
    assert 5.0 < soft / stiff < 20.0


def compare_still(n: int) -> float:
    """Return the relative error of the tension at the top without friction."""
    moored = Moored("closed form", n)
    exact = hang_from_ground((0.0, 0.0, 0.0), tuple(END), LENGTH, EA, MASS, 0.0, G).eval_tension([LENGTH])
    return abs(float(moored.list_tensions(moored.solve())[1] / exact[0]) - 1.0)


SHORT = [("straight", 200, 0.0), ("catenary", 50, 1e4), ("lying", 50, 1.0)]
STARTS = [(start, n, s) for start in ("straight", "catenary", "lying") for n in (50, 200, 400) for s in (0.0, 1.0, 1e4)]


@pytest.mark.parametrize(
    ("start", "n", "stabiliser"),
    [pytest.param(*case, marks=() if case in SHORT[1:] else pytest.mark.long) for case in STARTS],
)
def test_starts(start: str, n: int, stabiliser: float) -> None:
    """From every start shape, the tension agrees within 2e-4."""
    moored = Moored(start, n, points=2)
    state = moored.solve(stabiliser=stabiliser)
    exact = hang_from_ground((0.0, 0.0, 0.0), tuple(END), LENGTH, EA, MASS, 0.0, G).eval_tension([0.0, LENGTH])
    assert_allclose(moored.list_tensions(state), exact, rtol=2e-4)
    assert moored.solver.verdict.word == "ok"


def test_begins_below_the_bed() -> None:
    """A line that sags below the bed at its start gives a note before the solve, and a line that lies on the bed gives
    no note.
    """
    for start, said in (("catenary", True), ("closed form", False)):
        moored = Moored(start, 20)
        moored.solve()
        assert any("m behind the surface" in note and "bed" in note for note in moored.solver.verdict.notes) == said


def test_slipping_in_waves() -> None:
    """The top moves the line forwards and backwards over the bed: some parts stick and others slip, and the remainder
    of the energy balance is small.
    """
    world, _, _, contacts = build_line()
    ledger, states = wl.EnergyLedger(), set[float]()
    world.set(contacts, friction_coefficient=0.0)
    rest = wl.Static(world, name="").solve()
    world.set(contacts, friction_coefficient=0.4)

    def note(state: wl.State) -> None:
        states.update(np.unique(wl.eval_output(contacts, "state", state)).tolist())

    wl.Dynamic(world, step=0.02, end=0.6, name="").solve(rest, hooks=[ledger, note])
    assert states == {-2.0, 0.0, 1.0}
    lost = ledger.totals["FluidLoad.drag"] + ledger.totals["ContactFrictionSurfaceCable.sliding"]
    assert ledger.totals["ContactFrictionSurfaceCable.sliding"] > 0.0
    assert abs(ledger.rest) < 1e-3 * lost, (ledger.rest, lost)


@pytest.mark.parametrize("seed", [pytest.param(k, marks=() if k < 6 else pytest.mark.long) for k in range(40)])
def test_random_starts(seed: int) -> None:
    """Lines of random length, stiffness and mass start far from their equilibrium: straight through the water, arched
    upwards, inside the bed, outside the plane of the equilibrium, or in a random curve. The solves converge, and the
    tension at the top agrees with the closed form within 0.5 %.

    A line that is longer than the sum of the horizontal and the vertical distance of its ends is slack on the bed. In
    this test, the lengths exceed the distance of the ends by at most 85 % of the excess at which a line is slack.
    """
    rng = np.random.default_rng(seed)
    n, height = 50, float(rng.uniform(30.0, 120.0))
    end = np.array([float(rng.uniform(1.0, 6.0)) * height, 0.0, height])
    straight, longest = float(np.linalg.norm(end)), float(end.sum())
    length = straight + float(rng.uniform(0.05, 0.85)) * (longest - straight)
    axial_stiffness, mass = float(10.0 ** rng.uniform(7.0, 9.0)), float(rng.uniform(20.0, 300.0))
    s = np.linspace(0.0, 1.0, n + 1)
    bulge = np.sin(np.pi * s)[:, None] * height
    kind = seed % 5
    shift = [0.0, bulge * [0, 0, rng.uniform(0.2, 1.5)], -bulge * [0, 0, rng.uniform(0.5, 3.0)]]
    shift += [bulge * [0, rng.uniform(0.2, 2.0), 0]]
    shift += [sum(np.sin((k + 1) * np.pi * s)[:, None] * rng.normal(size=3) * 0.1 * end[0] for k in range(4))]
    place = s[:, None] * end + shift[kind]
    slope = np.gradient(place, axis=0)
    world = wl.World(gravity=G)
    nodes = world.add(PointSlope3D, position=place, slope=slope / np.linalg.norm(slope, axis=1)[:, None])
    line = world.add(
        Cable3D, node0=nodes[:n], node1=nodes[1:], length=length / n, axial_stiffness=axial_stiffness,
        bending_stiffness=1.0, mass_per_length=mass,
    )  # fmt: skip
    stiffness = float(10.0 ** rng.uniform(4.0, 6.5))
    marker = con.rigid_marker(world, world.add(Ground))
    bed = world.add(con.PlaneSurface, marker=marker, offset=9.81 * mass / stiffness)
    con.add_surface_contact(world, bed, line, contact_stiffness_per_length=stiffness)
    con.hinge(world, nodes[0])
    con.hinge(world, nodes[n])
    state = wl.Static(world, name="").solve()
    found = float(np.ravel(wl.eval_output(line[n - 1], "axial_force", state, x=length / n))[0])
    try:
        exact = hang_from_ground((0, 0, 0), tuple(end), length, axial_stiffness, mass, 0.0, G).eval_tension([length])
    except wl.ModelError:
        # the line does not touch the bed
        exact = hang_between((0, 0, 0), tuple(end), length, axial_stiffness, mass, G).eval_tension([length])
    assert_allclose(found, exact[0], rtol=5e-3)
