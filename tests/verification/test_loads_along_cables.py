"""Cables in currents, waves and wind agree with closed forms and independent integrations.

Sources: towed cable: H. O. Berteaux, Buoy Engineering (1976), chapter 5 (critical angle); all other formulas are
derived from Morison's equation in connectors/loads/morison.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_bvp, solve_ivp
from scipy.optimize import brentq

import windlass as wl
from windlass import connectors as con
from windlass.elements import nodes_of, straight_cable
from windlass.framework.model.table import Entity

RHO, G = 1025.0, 9.81
ROPE = {"mass_per_length": 1.4, "axial_stiffness": 1e8, "bending_stiffness": 1.0}
DIAMETER, NORMAL, AXIAL = 0.03, 1.2, 0.02
DISPLACED = RHO * np.pi * DIAMETER**2 / 4
HEAVY = (1.4 - DISPLACED) * G
"""Weight in water [N/m]."""
ACROSS, ALONG = 0.5 * RHO * DIAMETER * NORMAL, 0.5 * RHO * DIAMETER * np.pi * AXIAL


def in_plane(dims: int, x: float, z: float) -> tuple[float, ...]:
    """Return a vector of the vertical plane."""
    return (x, z) if dims == 2 else (x, 0.0, z)


def create_world(dims: int = 3) -> wl.World:
    return wl.World(gravity=in_plane(dims, 0.0, -G))


@pytest.mark.parametrize(("dims", "start"), [(2, 35.0), (3, 90.0)])
def test_towed_cable(dims: int, start: float) -> None:
    """A rope behind a ship is straight, at the angle at which the normal component of its weight equals its drag. Angle
    and tension agree to 1e-5 with

    w cos φ = ½ ρ d C_n U² sin² φ,    T = L (w sin φ + ½ ρ d π C_t U² cos² φ)
    """
    U, L, n = 1.5, 100.0, 20
    angle = np.radians(start)
    world = create_world(dims)
    end = in_plane(dims, L * np.cos(angle), -L * np.sin(angle))
    rope = straight_cable(world, (0.0,) * dims, end, n, **ROPE)
    sea = world.add(con.Fluid, density=RHO, surface=50.0, velocity=(U, 0.0, 0.0))
    world.add(con.FluidLoad, cable=rope, fluid=sea, diameter=DIAMETER, normal_drag=NORMAL, axial_drag=AXIAL)
    ship = con.hinge(world, nodes_of(world, rope)[0])
    state = wl.Static(world, name="").solve()
    phi = brentq(lambda a: HEAVY * np.cos(a) - ACROSS * U**2 * np.sin(a) ** 2, 1e-3, np.pi / 2)
    director = wl.eval_output(rope, "director", state)
    up = director[:, 1] if dims == 2 else director[:, 2]
    assert_allclose(np.arctan2(-up, director[:, 0]), phi, rtol=1e-5)
    tension = L * (HEAVY * np.sin(phi) + ALONG * (U * np.cos(phi)) ** 2)
    assert_allclose(np.linalg.norm(wl.eval_output(ship, "force", state)), tension, rtol=1e-5)


def test_line_in_a_current_that_turns() -> None:
    """A line between two points in a current that changes direction with depth agrees with the boundary value problem
    to 1e-4:

    r' = (1 + N/EA) n/N, n' + |r'| F(r, t) - ρA g = 0, N = |n|, without bending.
    """
    L, EA, end = 60.0, 1e6, np.array([25.0, 10.0, 40.0])
    heights, along, across = np.array([-10.0, 10.0, 30.0, 60.0]), [0.2, 0.5, 1.4, 1.8], [0.5, 0.3, -0.4, -0.8]

    def slope(s: Any, y: Any) -> Any:
        N = np.linalg.norm(y[3:], axis=0)
        t, stretch = y[3:] / N, 1.0 + N / EA
        u = np.stack((np.interp(y[2], heights, along), np.interp(y[2], heights, across), 0.0 * N))
        wt = (u * t).sum(axis=0)
        wn = u - wt * t
        drag = ACROSS * np.linalg.norm(wn, axis=0) * wn + ALONG * np.abs(wt) * wt * t
        up = np.array([[0.0], [0.0], [1.0]])
        return np.concatenate((stretch * t, 1.4 * G * up - stretch * (drag + DISPLACED * G * up)))

    def ends(a: Any, b: Any) -> Any:
        return np.concatenate((a[:3], b[:3] - end))

    s = np.linspace(0.0, L, 61)
    sag = np.stack((end[0] * s / L, end[1] * s / L, end[2] * s / L - 8.0 * np.sin(np.pi * s / L)))
    guess = np.concatenate((sag, 200.0 * np.gradient(sag, s, axis=1)))
    exact = solve_bvp(slope, ends, s, guess, tol=1e-7, max_nodes=20_000)
    assert exact.success
    world, n = create_world(), 24
    columns = {"mass_per_length": 1.4, "axial_stiffness": EA, "bending_stiffness": 1e-3}
    line = straight_cable(world, (0.0, 0.0, 0.0), end, n, length=L / n, **columns)
    sea = world.add(
        con.Fluid, density=RHO, fills="everywhere", profile="table", table_heights=heights, table_x=along,
        table_y=across,
    )  # fmt: skip
    world.add(con.FluidLoad, cable=line, fluid=sea, diameter=DIAMETER, normal_drag=NORMAL, axial_drag=AXIAL)
    nodes = nodes_of(world, line)
    con.hinge(world, nodes[0])
    con.hinge(world, nodes[n])
    state = wl.Static(world, name="").solve()
    middles = (np.arange(n) + 0.5) * L / n
    assert_allclose(wl.eval_output(line, "position", state), exact.sol(middles)[:3].T, atol=1e-4 * L)
    assert_allclose(
        wl.eval_output(line, "axial_force", state), np.linalg.norm(exact.sol(middles)[3:], axis=0), rtol=1e-3
    )
    # the current pushes the line to either side
    assert np.ptp(exact.sol(s)[1] - end[1] * s / L) > 1.0


def drop(direction: Any, step: float, end: float, added: float = 1.0) -> tuple[Any, wl.EnergyLedger, Entity]:
    """Simulate a free straight piece of rope of 2 m that falls from rest in still water, and return its ledger."""
    world = create_world(len(direction))
    piece = straight_cable(world, 0.0 * direction, 2.0 * direction, 2, **ROPE)
    water = world.add(con.Fluid, density=RHO, fills="everywhere")
    drag = {"normal_drag": NORMAL, "axial_drag": AXIAL, "added_mass": added}
    load = world.add(con.FluidLoad, cable=piece, fluid=water, diameter=DIAMETER, **drag)
    ledger = wl.EnergyLedger()
    state = wl.Dynamic(world, step=step, end=end, name="", rtol=1e-12).solve(hooks=[ledger])
    return state, ledger, load


@pytest.mark.parametrize("direction", [(1.0, 0.0), (0.6, 0.8), (2 / 3, 1 / 3, 2 / 3)])
def test_falling_piece(direction: Any) -> None:
    """The motion of a rigid piece that falls and glides with drag and added mass agrees with the equation of motion,
    with order 2 in time:

    (m + ρ A C_a N) v_t = (m - ρ A) g + D(-v)
    """
    t = np.array(direction)
    d, end = len(t), 0.8
    across = np.eye(d) - np.outer(t, t)
    mass = 1.4 * np.eye(d) + DISPLACED * across

    def rate(time: float, y: Any) -> Any:
        v = y[d:]
        vn, vt = across @ v, v @ t
        force = -ACROSS * np.linalg.norm(vn) * vn - ALONG * abs(vt) * vt * t
        force[-1] -= HEAVY
        return np.concatenate((v, np.linalg.solve(mass, force)))

    exact = solve_ivp(rate, (0.0, end), np.zeros(2 * d), rtol=1e-11, atol=1e-12).y[:, -1]
    errors = []
    for step in (0.04, 0.02):
        state, ledger, load = drop(t, step, end)
        errors.append(np.concatenate((state.q[:d] - exact[:d], state.v[:d] - exact[d:])))
        # the energy that drag dissipates, ∫ D·(-v) dt, follows from the energy balance of the motion
        kinetic = 0.5 * 2.0 * exact[d:] @ mass @ exact[d:]
        lost = -2.0 * HEAVY * exact[d - 1] - kinetic
        assert_allclose(ledger.losses(load)["drag"].sum(), lost, rtol=30 * step**2)
        assert abs(ledger.rest) < 1e-9
    used = np.abs(errors[1]) > 1e-9
    assert_allclose(np.array(errors[0])[used] / errors[1][used], 4.0, rtol=0.1)
    assert np.abs(errors[1]).max() < 2e-3


def test_explicit_falling_piece() -> None:
    """The fall of a horizontal piece with added mass by an explicit method agrees with v = V tanh(t/T) to 1e-5."""
    world = create_world()
    piece = straight_cable(world, (0.0, 0.0, 0.0), (2.0, 0.0, 0.0), 2, **{**ROPE, "axial_stiffness": 1e3})
    water = world.add(con.Fluid, density=RHO, fills="everywhere")
    world.add(con.FluidLoad, cable=piece, fluid=water, diameter=DIAMETER, normal_drag=NORMAL)
    state = wl.Explicit(world, step=2e-3, end=0.6, method="rk", rtol=1e-9, atol=1e-10, name="").solve()
    speed, time = np.sqrt(HEAVY / ACROSS), (1.4 + DISPLACED) / np.sqrt(HEAVY * ACROSS)
    assert_allclose(state.v[2::6], -speed * np.tanh(0.6 / time), rtol=1e-5)


def test_modes_in_water() -> None:
    """In water, the added mass reduces the frequency of a taut string by the factor √(ρA/(ρA + ρ A C_a))."""
    found = []
    for added in (0.0, 0.8):
        world = wl.World()
        columns = {**ROPE, "reference_strain": -1e-4, "bending_stiffness": 1e-3}
        string = straight_cable(world, (0.0, 0.0, 0.0), (10.0, 0.0, 0.0), 4, **columns)
        water = world.add(con.Fluid, density=RHO, fills="everywhere")
        world.add(con.FluidLoad, cable=string, fluid=water, diameter=DIAMETER, added_mass=added)
        nodes = nodes_of(world, string)
        con.fix(world, nodes[[0, 4]], "x", "y")
        con.fix(world, nodes, "z", "z'")
        world.add(con.LineLoad, cable=string, vector=(0.0, 0.0, -DISPLACED * G))
        found.append(wl.Modes(world, count=1).solve(wl.State(world)).frequencies[0])
    assert_allclose(found[1] / found[0], np.sqrt(1.4 / (1.4 + 0.8 * DISPLACED)), rtol=1e-6)


def test_floating() -> None:
    """A buoyant rope floats at the depth at which the displaced water has the weight of the rope, to rounding."""
    world = create_world()
    rope = straight_cable(world, (0.0, 0.0, 0.2), (10.0, 0.0, 0.2), 4, **{**ROPE, "mass_per_length": 0.4})
    sea = world.add(con.Fluid, density=RHO, transition=1.0, surface=0.1)
    load = world.add(con.FluidLoad, cable=rope, fluid=sea, diameter=DIAMETER)
    con.fix(world, nodes_of(world, rope), "x", "y")
    state = wl.Static(world, name="").solve()
    share = 0.4 / DISPLACED
    depth = brentq(lambda x: x * x * (3.0 - 2.0 * x) - share, 0.0, 1.0) - 0.5
    assert_allclose(wl.eval_output(rope, "position", state)[:, 2], 0.1 - depth, atol=1e-9)
    assert_allclose(wl.eval_output(load, "submerged_weight", state), 0.0, atol=1e-7)
    assert_allclose(wl.eval_output(load, "immersion", state), share, rtol=1e-9)


def test_line_below_the_bed(capsys: pytest.CaptureFixture[str]) -> None:
    """A line that starts below the bed of the water gives a note before the solve.

    The check uses the lowest Gauss point of the line.
    """
    for depth, words in ((20.0, ""), (15.0, "a cable begins 4.65 m below the bed of its fluid, whose depth is 15 m")):
        world = create_world()
        rope = straight_cable(world, (0.0, 0.0, -20.0), (10.0, 0.0, 0.0), 4, **ROPE)
        sea = world.add(con.Fluid, density=RHO, depth=depth)
        world.add(con.FluidLoad, cable=rope, fluid=sea, diameter=DIAMETER)
        con.hinge(world, nodes_of(world, rope)[[0, 4]])
        wl.Static(world, stabiliser=1.0, load_steps=2).solve()
        said = capsys.readouterr().err
        assert words in said and ("below the bed" in said) == bool(words)


@pytest.mark.parametrize("law", ["wind", "line load"])
def test_string_in_wind(law: str) -> None:
    """A taut string in cross wind hangs as a parabola in the plane of the resultant of weight and drag, to 1e-4."""
    L, n, speed, prestrain = 100.0, 16, 20.0, 5e-3
    world = create_world()
    rope = straight_cable(
        world, (0.0, 0.0, 0.0), (L, 0.0, 0.0), n, **{**ROPE, "axial_stiffness": 1e7, "bending_stiffness": 1e-2},
        reference_strain=-prestrain,
    )  # fmt: skip
    drag = 0.5 * 1.25 * DIAMETER * NORMAL * speed**2
    if law == "wind":
        wind = world.add(con.Fluid, density=1.25, fills="everywhere", velocity=(0.0, speed, 0.0))
        world.add(con.FluidLoad, cable=rope, fluid=wind, diameter=DIAMETER, normal_drag=NORMAL)
    else:
        world.add(con.LineLoad, cable=rope, vector=(0.0, drag, 0.0))
    nodes = nodes_of(world, rope)
    con.hinge(world, nodes[0])
    con.hinge(world, nodes[n])
    state = wl.Static(world, name="").solve()
    weight = 1.4 * G - (1.25 * np.pi * DIAMETER**2 / 4 * G if law == "wind" else 0.0)
    T = wl.eval_output(rope, "axial_force", state).mean()
    x, y, z = wl.eval_output(rope, "position", state).T
    assert_allclose(y / z, -drag / weight, rtol=1e-4 if law == "wind" else 1e-9)
    assert_allclose(np.hypot(y, z), np.hypot(drag, weight) * x * (L - x) / (2.0 * T), rtol=1e-4)


def test_ledger_of_a_rope_in_waves() -> None:
    """For a rope in waves and a current, the remainder of the energy balance is small, also with half the step size."""
    losses, halves = [], [False, False, True, True]
    for step in (4e-3, 2e-3):
        world = create_world()
        rope = straight_cable(world, (0.0, 0.0, -0.5), (2.0, 0.0, -0.2), 4, **{**ROPE, "axial_stiffness": 1e4})
        waves = con.regular_wave(0.3, 2.0, 0.3)
        sea = world.add(con.Fluid, density=RHO, transition=0.3, velocity=(0.3, 0.5, 0.0), depth=20.0, **waves)
        world.add(con.FluidLoad, cable=rope, fluid=sea, diameter=0.04, axial_added_mass=0.4, constant_volume=halves)
        con.hinge(world, nodes_of(world, rope)[0])
        ledger = wl.EnergyLedger()
        wl.Dynamic(world, step=step, end=0.4, name="", rtol=1e-10).solve(hooks=[ledger])
        assert abs(ledger.rest) < 1e-8 * ledger.totals["FluidLoad.drag"]
        assert ledger.totals["FluidLoad.drag"] > 0.1 and abs(ledger.totals["FluidLoad.added_mass"]) > 1e-4
        losses.append(ledger.totals["integrator"])
    assert abs(losses[1]) < 0.4 * abs(losses[0]) < 1e-4
