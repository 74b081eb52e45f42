"""Tests of lines on soft beds: friction along and across the line, and suction, are compared with closed forms.

A short straight line with the weight N is moved on a level bed. The friction coefficients are mu along the line and rho
mu across the line. The line begins to slip under a force mu N/sqrt(cos² a + sin² a/rho²) in the direction (cos a, sin
a). Steady slip in the direction (cos a, sin a) needs the force mu N (cos a, κ sin a)/sqrt(cos² a + (κ/rho)² sin² a).
The largest suction per length is c_s k δ for the penetration δ, where c_s is the suction coefficient. A cycle of
lifting and lowering dissipates the energy c_s k δ (c_s δ + Δ)/2 per length, where Δ is the suction distance.

A long line has the tension T, and a force P pulls the line sideways. The line slips over the length P/q and moves by
P²/(8 q T), like a string with the load q. Here q = rho mu w is the friction limit per length.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass import connectors as con
from windlass.elements import Ground, cable_along, hang_between, hang_from_ground, nodes_of, straight_cable
from windlass.solvers.failure import NotConverged

GRAVITY, MASS, LENGTH = 9.81, 50.0, 2.0
WEIGHT = MASS * GRAVITY * LENGTH
MU, RHO, STIFFNESS = 0.4, 1.8, 1e6
DEPTH = MASS * GRAVITY / STIFFNESS
LINE: dict[str, Any] = {"mass_per_length": MASS, "axial_stiffness": 1e7, "bending_stiffness": 1e4}
FRICTION: dict[str, Any] = {
    "contact_stiffness_per_length": STIFFNESS, "friction_stiffness_per_length": STIFFNESS, "friction_coefficient": MU,
}  # fmt: skip
SUCTION, DISTANCE = 0.6, 4e-4


def create_short_line(heading: float = 0.0, **contact: Any) -> tuple[wl.World, wl.Entity, wl.Entity, wl.Entity]:
    """Create a line of one cable on a level bed. The argument ``heading`` is the direction [rad] of the line in the
    bed. Return the world, the line, its nodes and the contact.
    """
    world = wl.World(gravity=(0.0, 0.0, -GRAVITY))
    end = LENGTH * np.array((np.cos(heading), np.sin(heading), 0.0)) - (0.0, 0.0, DEPTH)
    line = straight_cable(world, (0.0, 0.0, -DEPTH), end, 1, **LINE)
    bed = world.add(con.PlaneSurface, marker=con.rigid_marker(world, world.add(Ground)), axis=(0.0, 0.0, 1.0))
    contact = con.add_surface_contact(world, bed, line, points=6, **contact)
    nodes = nodes_of(world, line)
    con.fix(world, nodes, "x'", "y'", "z'")
    return world, line, nodes, contact


@pytest.mark.parametrize("kappa", [1.0, RHO**2])
@pytest.mark.parametrize("angle", [0.0, 0.6, 0.5 * np.pi])
def test_force_of_slip(angle: float, kappa: float) -> None:
    """For any direction of the line, 99.9 % of the force of slip only deflects the bristles, and 100.1 % of this force
    makes the line slip.
    """
    heading, limit = 0.7, MU * WEIGHT / np.hypot(np.cos(angle), np.sin(angle) / RHO)
    along, across = np.array((np.cos(heading), np.sin(heading))), np.array((-np.sin(heading), np.cos(heading)))
    for share in (0.999, 1.001):
        world, line, nodes, contact = create_short_line(
            heading, lateral_friction_ratio=RHO, lateral_stiffness_ratio=kappa, **FRICTION
        )
        force = share * limit * (np.cos(angle) * along + np.sin(angle) * across)
        world.add(con.Force, marker=con.position_marker(world, nodes), vector=(*(0.5 * force), 0.0))
        state = solve_slowly(world) if share > 1.0 else wl.Static(world, name="").solve()
        states = np.ravel(wl.eval_output(contact, "state", state))
        if share > 1.0:
            assert (states == 1.0).all()
            continue
        moved = np.reshape(wl.eval_output(line, "position", state, x=0.0), 3)[:2]
        exact = (force @ along * along + force @ across / kappa * across) / (STIFFNESS * LENGTH)
        assert_allclose(moved, exact, rtol=1e-6)
        assert not states.any()


def solve_slowly(world: wl.World) -> wl.State:
    """Return the state of a line 0.2 s after its forces begin to act."""
    return wl.Dynamic(world, name="", step=2e-3, end=0.2).solve()


@pytest.mark.parametrize(("rho", "kappa"), [(RHO, 1.0), (RHO, RHO**2), (1.0, 1.0)])
@pytest.mark.parametrize("angle", [0.0, 0.6, 0.5 * np.pi])
def test_steady_slip(angle: float, rho: float, kappa: float) -> None:
    """The friction force on a line that is moved in a constant direction agrees with the friction ellipse, and its work
    equals the losses.
    """
    world, _, nodes, contact = create_short_line(lateral_friction_ratio=rho, lateral_stiffness_ratio=kappa, **FRICTION)
    speed, end = 0.02, 0.5
    con.prescribe_velocity(world, nodes, "x", speed * np.cos(angle))
    con.prescribe_velocity(world, nodes, "y", speed * np.sin(angle))
    con.fix(world, nodes, "z")
    ledger = wl.EnergyLedger()
    state = wl.Dynamic(world, name="", step=1e-3, end=end).solve(hooks=[ledger])
    found = -np.reshape(wl.eval_output(contact, "friction_force", state), (-1, 3)).sum(axis=0)
    size = MU * WEIGHT / np.hypot(np.cos(angle), kappa / rho * np.sin(angle))
    exact = size * np.array((np.cos(angle), kappa * np.sin(angle), 0.0))
    assert_allclose(found, exact, rtol=1e-9, atol=1e-9 * size)
    # before the line slips, the bristles deflect
    u = exact[:2] / (STIFFNESS * LENGTH) / (1.0, kappa)
    bent = 0.5 * u @ exact[:2]
    work = exact[:2] @ (np.cos(angle), np.sin(angle)) * speed * end
    assert_allclose(ledger["ContactFrictionBedCable.bristle"][-1], bent, rtol=1e-9)
    assert_allclose(ledger.totals["ContactFrictionBedCable.sliding"], work - 2.0 * bent, rtol=2e-3)
    assert abs(ledger.rest) < 1e-10 * work


@pytest.mark.parametrize("rho", [1.0, 2.0])
def test_a_line_that_is_pulled_sideways(rho: float) -> None:
    """A long line under tension moves sideways like a string whose load is the friction limit."""
    tension, mu, pull, length = 1e5, 0.5, 6000.0, 60.0
    n = 120 * int(rho)  # the length that slides is proportional to 1/rho
    world = wl.World(gravity=(0.0, 0.0, -GRAVITY))
    line = straight_cable(
        world, (0.0, 0.0, 0.0), (length, 0.0, 0.0), n, mass_per_length=MASS, axial_stiffness=2e6, bending_stiffness=1.0,
        reference_strain=-tension / 2e6,
    )  # fmt: skip
    bed = world.add(con.PlaneSurface, marker=con.rigid_marker(world, world.add(Ground)), axis=(0.0, 0.0, 1.0))
    con.add_surface_contact(
        world, bed, line, contact_stiffness_per_length=1e6, friction_stiffness_per_length=1e8, friction_coefficient=mu,
        lateral_friction_ratio=rho,
    )  # fmt: skip
    nodes = nodes_of(world, line)
    con.hinge(world, nodes[[0, n]])
    force = world.add(con.Force, marker=con.position_marker(world, nodes[n // 2]))
    state = wl.Static(world, name="").solve()
    for share in np.linspace(0.1, 1.0, 10):
        world.set(force, vector=(0.0, share * pull, 0.0))
        state = wl.Static(world, name="").solve(state)
    place = np.reshape(wl.eval_output(line, "position", state, x=0.0), (n, 3))
    q = rho * mu * MASS * GRAVITY
    x = np.abs(place[:, 0] - 0.5 * length)
    exact = q * np.maximum(0.5 * pull / q - x, 0.0) ** 2 / (2.0 * tension)
    assert_allclose(place[:, 1].max(), pull**2 / (8.0 * q * tension), rtol=0.02)
    assert_allclose(place[:, 1], exact, atol=0.02 * exact.max())


def lift(heights: list[float], steps: int = 400, **contact: Any) -> tuple[Any, Any, wl.EnergyLedger]:
    """Move a line to several gaps [m], each motion in one second. Return the gaps, the forces [N/m] of the bed per
    length, and the ledger.
    """
    world, _, nodes, rows = create_short_line(
        contact_stiffness_per_length=STIFFNESS, suction_coefficient=SUCTION, suction_distance=DISTANCE, **contact
    )
    moved = np.array([-DEPTH, *heights]) + DEPTH
    con.prescribe(world, nodes, "z", con.table(np.arange(len(moved)), moved))
    con.fix(world, nodes, "x", "y")
    ledger = wl.EnergyLedger()
    given = [wl.Sensor(rows, name) for name in ("gap", "normal_force", "suction")]
    sensors = wl.Sensors(None, given)
    wl.Dynamic(world, name="", step=1.0 / steps, end=float(len(heights))).solve(hooks=[sensors, ledger])
    gap, force, suction = (sensors[sensor.name].reshape(-1, 6) for sensor in given)
    assert_allclose(suction, np.maximum(force, 0.0) * 6 / LENGTH, rtol=1e-13)
    return gap[:, 0], force.sum(axis=1) / LENGTH, ledger


def pull(gap: Any, depth: float, widest: float = 0.0) -> Any:
    """Return the force [N/m] of the bed per length for a gap [m], the largest earlier penetration [m] and the largest
    earlier gap [m].
    """
    peak, m = SUCTION * depth, np.maximum(gap, widest)
    fade = np.where(m > peak, peak * (peak + DISTANCE - m) / (DISTANCE * np.maximum(m, peak)), 1.0)
    return STIFFNESS * gap * np.where(gap > 0.0, np.maximum(fade, 0.0), 1.0)


def test_force_and_energy_of_a_cycle() -> None:
    """A line is pressed to twice its depth, lifted off, lowered and lifted again. The force is a bilinear function of
    the gap, and the energy lost in each cycle is the area below this function.
    """
    deep = 2.0 * DEPTH
    gap, force, ledger = lift([-deep, 1e-3, -DEPTH, 1e-3])
    up = slice(401, 800)
    assert_allclose(force[up], pull(gap[up], deep), atol=1e-7 * STIFFNESS * deep)
    assert_allclose(force[up].max(), SUCTION * STIFFNESS * deep, rtol=0.02)
    again = slice(1201, None)
    assert_allclose(force[again], pull(gap[again], DEPTH), atol=1e-7 * STIFFNESS * deep)
    lost = [0.5 * SUCTION * STIFFNESS * d * (SUCTION * d + DISTANCE) * LENGTH for d in (deep, DEPTH)]
    total = ledger["ContactFrictionBedCable.suction"]
    assert_allclose([total[800], total[-1]], np.cumsum(lost), rtol=2e-3)
    assert abs(ledger.rest) < 1e-9 * sum(lost)
    # the losses in the step in which the line touches the bed again are losses of an impact, which the ledger lists as
    # contact damping
    assert abs(ledger["ContactFrictionBedCable.contact_damping"][-1]) < 1e-4 * sum(lost)


def test_lowering_before_the_suction_ends() -> None:
    """If a line is lowered before the suction ends, the force decreases linearly with the gap to 0, and only the area
    between the curves is lost. If the line is lifted again without touching the bed, the force follows the same curve
    up to the largest gap. After a touch, suction depends on the new penetration.
    """
    most, low = SUCTION * DEPTH + 0.5 * DISTANCE, 0.2 * DISTANCE
    gap, force, ledger = lift([most, low, 1.1 * most, -0.5 * DEPTH, 1e-3])
    scale = STIFFNESS * DEPTH
    assert_allclose(force[1:401], pull(gap[1:401], DEPTH), atol=1e-7 * scale)
    assert_allclose(force[401:801], pull(gap[401:801], DEPTH, most), atol=1e-7 * scale)
    assert_allclose(force[801:1201], pull(gap[801:1201], DEPTH, most), atol=1e-7 * scale)
    down = slice(1201, 1600)
    assert_allclose(force[down], pull(gap[down], DEPTH, 1.1 * most), atol=1e-7 * scale)
    assert_allclose(force[1601:], pull(gap[1601:], 0.5 * DEPTH), atol=1e-7 * scale)
    assert abs(ledger.rest) < 1e-9 * scale * DISTANCE


def test_a_line_hangs_on_suction() -> None:
    """In statics, suction holds a line against a force of the weight plus 99 % of the largest suction, at the gap of
    the contact spring. With 101 %, the line lifts off, and the solve finds no equilibrium near the bed.
    """
    for share in (0.99, 1.01):
        world, _, nodes, rows = create_short_line(
            contact_stiffness_per_length=STIFFNESS, suction_coefficient=SUCTION, suction_distance=DISTANCE
        )
        con.fix(world, nodes, "x", "y")
        force = world.add(con.Force, marker=con.position_marker(world, nodes))
        state = wl.Static(world, name="").solve()
        up = WEIGHT * (1.0 + share * SUCTION)
        world.set(force, vector=(0.0, 0.0, 0.5 * up))
        if share < 1.0:
            state = wl.Static(world, name="").solve(state)
            gap = np.ravel(wl.eval_output(rows, "gap", state))
            assert_allclose(gap, share * SUCTION * DEPTH, rtol=1e-9)
            assert_allclose(wl.eval_output(rows, "suction", state), share * SUCTION * DEPTH * STIFFNESS, rtol=1e-9)
        else:
            with pytest.raises(NotConverged, match="nothing holds"):
                wl.Static(world, name="").solve(state)


def test_start_below_the_bed() -> None:
    """If the initial shape is below the bed, the suction in the static solution is too large, and the verdict is
    doubtful. If the first solve is made without suction, the solution agrees with the solution for an initial shape on
    the bed.
    """
    found, top = [], (275.0, 0.0, 80.0)
    for sinks, first in ((False, SUCTION), (True, SUCTION), (True, 0.0)):
        world = wl.World(gravity=(0.0, 0.0, -GRAVITY))
        given = (0.0, 0.0, 0.0), top, 300.0, 2e7, MASS
        route = hang_between(*given, world.gravity) if sinks else hang_from_ground(*given, gravity=world.gravity)
        columns = {"axial_stiffness": 2e7, "mass_per_length": MASS, "bending_stiffness": 10.0}
        line = cable_along(world, route, 40, length=7.5, **columns)
        bed = world.add(con.PlaneSurface, marker=con.rigid_marker(world, world.add(Ground)), axis=(0.0, 0.0, 1.0))
        contact = con.add_surface_contact(
            world, bed, line, contact_stiffness_per_length=1e5, suction_coefficient=first, suction_distance=0.02
        )
        con.hinge(world, nodes_of(world, line)[[0, 40]])
        solver = wl.Static(world, name="")
        state = solver.solve()
        if first == 0.0:
            world.set(contact, suction_coefficient=SUCTION)
            solver = wl.Static(world, name="")
            state = solver.solve(state)
        found.append(float(wl.eval_output(line[39], "axial_force", state, x=7.5)))
        reasons = [words for words in solver.verdict.reasons if "deep in its bed before the end of the solve" in words]
        assert len(reasons) == (sinks and first > 0.0)
    assert abs(found[1] / found[0] - 1.0) > 0.01
    assert_allclose(found[2], found[0], rtol=1e-6)


@pytest.mark.parametrize("dims", [2, 3])
def test_tangent_of_a_line_that_is_lifted_and_swept(dims: int) -> None:
    """Tangents agree with differences in a motion in which some points stick, some slip, and suction acts on some
    points. A 2D line has friction only along the line.
    """
    up = np.eye(3)[dims - 1]
    world = wl.World(gravity=-GRAVITY * up[:dims])
    end = (4.0, *(0.0,) * (dims - 1))
    line = straight_cable(world, (0.0,) * dims, end, 4, **{**LINE, "bending_stiffness": 50.0})
    bed = world.add(con.PlaneSurface, marker=con.rigid_marker(world, world.add(Ground)), axis=up)
    contact = con.add_surface_contact(
        world, bed, line, contact_stiffness_per_length=1e5, contact_damping_per_length=1e3,
        friction_stiffness_per_length=1e5, friction_velocity_penalty_per_length=500.0, friction_coefficient=MU,
        lateral_friction_ratio=RHO, lateral_stiffness_ratio=0.5, suction_coefficient=SUCTION, suction_distance=0.02,
    )  # fmt: skip
    nodes = nodes_of(world, line)
    con.prescribe(world, nodes[4], "xyz"[dims - 1], con.smooth_step(0.0, 0.4, 0.0, 0.1))
    con.prescribe(world, nodes[4], "xyz"[dims - 2], con.smooth_step(0.0, 0.4, 0.0, 0.15))
    states, seen = set[float](), 0.0
    for state in wl.Dynamic(world, name="", step=5e-3, end=0.4).march(wl.Static(world, name="").solve()):
        states |= set(np.ravel(wl.eval_output(contact, "state", state)).tolist())
        seen = max(seen, float(np.max(wl.eval_output(contact, "suction", state))))
        if state.step % 20 == 10:
            # larger displacements would stretch the line so much that rounding errors dominate the differences
            wl.testing.check_tangent(world, state, displacement=2e-3, parameters=dims == 3 and state.step == 50)
    assert {0.0, 1.0} <= states and seen > 50.0
