"""Comparisons of loads along beams with theory: boundary value problems of curved shapes, buckling, flutter, and
energy.

Sources: A. E. H. Love, A Treatise on the Mathematical Theory of Elasticity, Cambridge (1927), for rods in equilibrium;
H. H. E. Leipholz, Ingenieur-Archiv 32 (1963) 286-296, for the column under tangential loads; M. Lévy, J. Math. Pures
Appl. 10 (1884) 5-42, for the ring under pressure; S. P. Timoshenko, J. M. Gere, Theory of Elastic Stability,
McGraw-Hill (1961), for the column under its weight; O. A. Bauchau, Flexible Multibody Dynamics, Springer (2011), for
the equations of equilibrium of beams.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import simpson, solve_ivp
from scipy.linalg import eig, expm
from scipy.optimize import brentq, root

import windlass as wl
from windlass import connectors as con
from windlass.elements import Circle, beam_along, nodes_of, route_around, straight_beam, straight_cable
from windlass.framework.state.assemble import assemble_matrix

from support.beams import PLANE, SPACE
from support.matrices import dense


def cross_matrix(a: Any) -> Any:
    """Return the matrix of the cross product a × b."""
    return np.array(((0.0, -a[2], a[1]), (a[2], 0.0, -a[0]), (-a[1], a[0], 0.0)))


@pytest.mark.parametrize("seed", [11, 12, 13])
def test_random_loads_in_space(seed: int) -> None:
    """Random forces and torques per length act on a cantilever, some in the global frame, and some rotating with the
    section. The shape agrees with the equations of equilibrium within 1e-6:

    r' = A Γ, A' = A κ~, n' = -f - A f_0, m' = -r' × n - t - A t_0, where Γ and κ follow from the stiffness of the
    section.
    """
    rng = np.random.default_rng(seed)
    B = rng.normal(size=(6, 6))
    S = np.diag((4e3, 1.5e3, 1.5e3, 2.0, 2.0, 2.0)) + 0.05 * (B @ B.T)
    flexible = np.linalg.inv(S)
    f, f0, t, t0 = rng.uniform(-2.5, 2.5, size=(4, 3))
    L = rng.uniform(0.8, 1.2)

    def slope(s: float, y: Any) -> Any:
        A, n, m = y[3:12].reshape(3, 3), y[12:15], y[15:18]
        z = flexible @ np.concatenate((A.T @ n, A.T @ m)) + np.array((1.0, 0, 0, 0, 0, 0))
        r = A @ z[:3]
        turned = A @ cross_matrix(z[3:])
        return np.concatenate((r, turned.ravel(), -f - A @ f0, -np.cross(r, n) - t - A @ t0))

    def shoot(start: Any) -> Any:
        y = np.concatenate((np.zeros(3), np.eye(3).ravel(), start))
        return solve_ivp(slope, (0.0, L), y, rtol=1e-10, atol=1e-11).y[:, -1]

    found = root(lambda start: shoot(start)[12:], np.concatenate((L * (f + f0), L * (t + t0))), tol=1e-10)
    assert found.success
    exact = shoot(found.x)
    errors = []
    for elements in (4, 8):
        world = wl.World()
        beam = straight_beam(world, (0, 0, 0), (L, 0, 0), elements, order=3, **{**SPACE, "stiffness": S})
        con.clamp(world, nodes_of(world, beam)[0])
        world.add(con.LineLoad, cable=beam, vector=f)
        world.add(con.LineLoad, cable=beam, vector=f0, body_fixed=True)
        world.add(con.LineTorque, cable=beam, vector=t)
        world.add(con.LineTorque, cable=beam, vector=t0, body_fixed=True)
        state = wl.Static(world, load_steps=4, rtol=1e-12, stability="off", name="").solve()
        end = wl.eval_output(nodes_of(world, beam)[-1], "position", state)
        errors.append(np.linalg.norm(end - exact[:3]))
    assert np.linalg.norm(exact[:3] - (L, 0, 0)) > 0.15
    assert errors[1] < 1e-6 and errors[0] / errors[1] > 20.0


@pytest.mark.parametrize(("dims", "order"), [(2, 2), (2, 3), (3, 2)])
def test_uniform_load_on_a_short_cantilever(dims: int, order: int) -> None:
    """A small uniform load bends a thick cantilever by w L⁴/(8 EI) + w L²/(2 GA), and a torque per length m about its
    axis twists it by m L²/(2 GJ).
    """
    rng = np.random.default_rng(dims + order)
    EI, GA, GJ, L = rng.uniform(1.0, 3.0), rng.uniform(4.0, 8.0), rng.uniform(1.0, 3.0), rng.uniform(0.7, 1.4)
    w, m = 1e-6, 2e-6
    S = (1e4, GA, EI) if dims == 2 else (1e4, GA, 2.0 * GA, GJ, 3.0 * EI, EI)
    world = wl.World()
    beam = straight_beam(
        world, (0.0,) * dims, (L, *(0.0,) * (dims - 1)), 2, order=order, **{**(PLANE, SPACE)[dims - 2], "stiffness": S}
    )
    nodes = nodes_of(world, beam)
    con.clamp(world, nodes[0])
    world.add(con.LineLoad, cable=beam, vector=(0.0, w, 0.0))
    if dims == 3:
        world.add(con.LineTorque, cable=beam, vector=(m, 0.0, 0.0))
    state = wl.Static(world, rtol=1e-12, name="").solve()
    deflection = wl.eval_output(nodes[-1], "displacement", state)[1]
    assert_allclose(deflection, w * L**4 / (8.0 * EI) + w * L**2 / (2.0 * GA), rtol=1e-6)
    if dims == 3:
        frame = wl.eval_output(beam[1], "frame", state, x=L / 2)
        assert_allclose(frame[2, 1], m * L**2 / (2.0 * GJ), rtol=1e-6)


def test_torque_that_bends_a_cantilever() -> None:
    """A torque m per length bends a 2D cantilever by the angle m (L x - x²/2)/EI at x, even for large angles."""
    m, EI = 5.0, 2.0
    world = wl.World()
    beam = straight_beam(world, (0, 0), (1, 0), 8, order=3, **PLANE)
    nodes = nodes_of(world, beam)
    con.clamp(world, nodes[0])
    world.add(con.LineTorque, cable=beam, vector=(0.0, 0.0, m))
    state = wl.Static(world, load_steps=4, rtol=1e-12, name="").solve()
    x = np.linspace(0.0, 1.0, 2001)
    angle = m * (x - x**2 / 2.0) / EI
    end = simpson(np.array((np.cos(angle), np.sin(angle))), x=x)
    assert_allclose(wl.eval_output(nodes[-1], "rotation", state), angle[-1], rtol=1e-10)
    assert_allclose(wl.eval_output(nodes[-1], "position", state)[:2], end, atol=1e-6)


def eval_matrices(world: wl.World, state: Any) -> tuple[Any, Any]:
    """Return the tangent and the mass matrix over all coordinates."""
    n = len(state.q)
    K = dense(assemble_matrix(world, state))[:n, :n]
    return K, dense(assemble_matrix(world, state, dq=0.0, dv=0.0, da=1.0))[:n, :n]


def create_column(load: float, tangential: bool, twist: bool = False) -> tuple[wl.World, Any]:
    """Return a clamped column along x with the length 1 and EI = 1, under an axial load per length, and the nodes of
    the column: a 2D beam, or a 3D cable with ``twist``.
    """
    world = wl.World()
    if twist:
        beam = straight_cable(
            world, (0, 0, 0), (1, 0, 0), 8, axial_stiffness=1e8, bending_stiffness=1.0, torsional_stiffness=1.0,
            mass_per_length=1.0, rotary_inertia=1e-3,
        )  # fmt: skip
    else:
        beam = straight_beam(
            world, (0, 0), (1, 0), 8, order=3, stiffness=(1e8, 1e8, 1.0), mass_per_length=1.0, rotary_inertia=1e-9
        )
    world.add(con.LineLoad, cable=beam, vector=(-load, 0.0, 0.0), body_fixed=tangential)
    nodes = nodes_of(world, beam)
    con.clamp(world, nodes[0])
    return world, nodes


def test_column_under_its_weight() -> None:
    """A column buckles under its weight at q L³/EI = 7.8373 (Greenhill)."""

    def lowest(q: float) -> float:
        world, nodes = create_column(q, False)
        state = wl.Static(world, rtol=1e-10, stability="off", name="").solve()
        K = eval_matrices(world, state)[0]
        free = state.local_dofs(nodes)[1:].ravel()
        return float(np.linalg.eigvalsh(K[np.ix_(free, free)])[0])

    assert_allclose(brentq(lowest, 7.0, 9.0, rtol=1e-6), 7.8373, rtol=1e-4)


@pytest.mark.parametrize("twist", [False, True])
def test_column_under_tangential_loads(twist: bool) -> None:
    """A column under tangential loads along its axis has no other equilibrium, and flutters at q L³/EI = 40.05
    (Leipholz): a 2D beam, and a cable with twist, whose motion in a plane is considered.
    """

    def squares(q: float) -> Any:
        world, nodes = create_column(q, True, twist)
        state = wl.Static(world, rtol=1e-10, stability="off", name="").solve()
        K, M = eval_matrices(world, state)
        free = state.local_dofs(nodes)[1:, [0, 1, 3, 4] if twist else slice(None)].ravel()
        found = eig(K[np.ix_(free, free)], M[np.ix_(free, free)], right=False)
        return found[np.argsort(found.real)][:2]

    below, above = squares(39.9), squares(40.2)
    assert np.abs(below.imag).max() < 1e-6 * np.abs(below).max() and below.real.min() > 0.0
    assert np.abs(above.imag).min() > 1.0
    # near the critical load q_c, the squared difference of both eigenvalues is proportional to q_c - q
    gaps = [(complex(a) - complex(b)) ** 2 for a, b in (squares(39.0), below)]
    critical = 39.0 + 0.9 * gaps[0].real / (gaps[0].real - gaps[1].real)
    assert_allclose(critical, 40.05, rtol=1e-3)


@pytest.mark.parametrize(("law", "factor"), [("pressure", 3.0), ("towards the centre", 4.5)])
def test_ring_under_pressure(law: str, factor: float) -> None:
    """A ring buckles at q R³/EI = 3 under external pressure, which rotates with the ring, and at 4.5 under loads that
    point to a fixed centre.
    """
    R, EI, EA = 1.3, 2.0, 1e7

    def lowest(q: float) -> float:
        world, route = wl.World(), route_around([Circle((0.0, 0.0), R, "left")])
        ring = beam_along(world, route, 12, order=3, **{**PLANE, "stiffness": (EA, EA, EI)})
        if law == "pressure":
            world.add(con.LineLoad, cable=ring, vector=(0.0, q, 0.0), body_fixed=True)
        else:
            world.add(con.LineLoad, cable=ring, force_function=lambda t, x, r, slope, v: -q * find_directions(r))
        state, nodes = wl.State(world), nodes_of(world, ring)
        r, dofs = nodes.position, state.local_dofs(nodes)
        # the equilibrium is a uniform contraction by the strain q R/EA
        state.q[dofs[:, :2]] = -q * R / EA * r
        K = eval_matrices(world, state)[0]
        rigid = np.zeros((3, len(state.q)))
        rigid[0, dofs[:, 0]], rigid[1, dofs[:, 1]] = 1.0, 1.0
        rigid[2, dofs] = np.column_stack((-r[:, 1], r[:, 0], np.ones(len(r))))
        basis = np.linalg.qr(rigid.T)[0]
        return float(np.linalg.eigvalsh(0.5 * (K + K.T) + 1e6 * basis @ basis.T)[0])

    exact = factor * EI / R**3
    assert_allclose(brentq(lowest, 0.8 * exact, 1.2 * exact, rtol=1e-7), exact, rtol=1e-4)


def find_directions(r: Any) -> Any:
    """Return the directions of positions from the origin, shape (n, 3)."""
    return r / np.linalg.norm(r, axis=1)[:, None]


SOIL, WATER, MASS, ROTARY = 5.0, 15.0, 700.0, 1.0
"""Data of a pile: lengths in soil and water [m], mass per length [kg/m], and rotary inertia per length about the
bending axis [kg m].
"""
EA, GA, EI = 2e9, 8e8, 6e8


def find_frequency(added: float) -> float:
    """Return the first bending frequency [Hz] of the pile with an added mass [kg/m] in the water. The pile is a
    Timoshenko beam that is clamped at its foot. The soil does not support the pile.
    """

    def condition(frequency: float) -> float:
        square, product = (2.0 * np.pi * frequency) ** 2, np.eye(4)
        for length, m in ((SOIL, MASS), (WATER, MASS + added)):
            # the unknowns y are deflection, angle, moment and force, with w' = θ + Q/GA, θ' = M/EI, M' = -Q - ω² ρI θ,
            # Q' = -ω² m w
            rates = np.zeros((4, 4))
            rates[0, 1], rates[0, 3], rates[1, 2], rates[2, 3] = 1.0, 1.0 / GA, 1.0 / EI, -1.0
            rates[2, 1], rates[3, 0] = -square * ROTARY, -square * m
            product = expm(length * rates) @ product
        return float(np.linalg.det(product[2:, 2:]))

    found: float = brentq(condition, 0.5, 2.0, xtol=1e-10)
    return found


def create_pile(dims: int, speed: float) -> tuple[wl.World, Any, dict[str, Any]]:
    """Return a world with the pile, clamped at its foot, its beams, and the columns of the load of a current with a
    speed [m/s].
    """
    up, is_plane = np.eye(3)[dims - 1][:dims], dims == 2
    world = wl.World(gravity=-1e-9 * up)
    pile = straight_beam(
        world, 0.0 * up, (SOIL + WATER) * up, 4, order=3, mass_per_length=MASS,
        stiffness=(EA, GA, EI) if is_plane else (EA, GA, GA, 5e8, EI, EI),
        rotary_inertia=ROTARY if is_plane else (2.0, ROTARY, ROTARY),
    )  # fmt: skip
    con.clamp(world, nodes_of(world, pile)[0])
    sea = world.add(con.Fluid, density=1025.0, surface=30.0, depth=30.0 - SOIL, velocity=(speed, 0.0, 0.0))
    return world, pile, {"fluid": sea, "diameter": 0.8, "added_mass": 0.9, "normal_drag": 1.1}


@pytest.mark.parametrize("dims", [2, 3])
def test_pile_in_water(dims: int, capsys: pytest.CaptureFixture[str]) -> None:
    """The bending frequency of a pile in water agrees with the frequency of a pile with added mass above the bed. A
    current over the height h causes the moment ½ ρ d C_n U² h (h/2 + b) at the foot of the pile, which is at the depth
    b in the soil.
    """
    added = 1025.0 * np.pi / 4.0 * 0.8**2 * 0.9
    for wet in (False, True):
        world, pile, load = create_pile(dims, 0.0)
        if wet:
            world.add(con.FluidLoad, cable=pile[1:], **load)
        found = wl.Modes(world, count=1).solve(wl.State(world)).frequencies[0]
        assert_allclose(found, find_frequency(added if wet else 0.0), rtol=1e-4)
    world, pile, load = create_pile(dims, 1.5)
    world.add(con.FluidLoad, cable=pile[1:], **load)
    state = wl.Static(world, stability="off").solve()
    force = 0.5 * 1025.0 * 0.8 * 1.1 * 1.5**2 * WATER
    name, sign = ("bending_moment", -1.0) if dims == 2 else ("moment", 1.0)
    moment = np.atleast_1d(wl.eval_output(pile[0], name, state, x=0.0))[0 if dims == 2 else 1]
    assert_allclose(sign * moment, force * (WATER / 2.0 + SOIL), rtol=2e-3)
    assert "below the bed" not in capsys.readouterr().err


@pytest.mark.parametrize("dims", [2, 3])
def test_fluid_below_the_bed(dims: int, capsys: pytest.CaptureFixture[str]) -> None:
    """A load of water on the part of a pile that is in the soil causes a note. The check uses the lowest Gauss
    point.
    """
    world, pile, load = create_pile(dims, 1.5)
    world.add(con.FluidLoad, cable=pile, **load)
    wl.Static(world, stability="off").solve()
    words = "a beam begins 4.65 m below the bed of its fluid, whose depth is 25 m: give the depth of the water, put the"
    assert f"{words} load only on the elements above the bed" in capsys.readouterr().err


@pytest.mark.parametrize("dims", [2, 3])
def test_energy_of_loads_in_motion(dims: int) -> None:
    """A beam moves under forces and torques that rotate with the beam. The remainder of the energy balance is small,
    and the error of the integration method has order 2.
    """
    totals, soft = [], ((400.0, 200.0, 2.0), (400.0, 200.0, 200.0, 1.0, 2.0, 3.0))[dims - 2]
    for step in (4e-3, 2e-3):
        world, section = wl.World(), {**(PLANE, SPACE)[dims - 2], "stiffness": soft}
        beam = straight_beam(world, (0.0,) * dims, (1.0, *(0.0,) * (dims - 1)), 3, order=2, **section)
        con.hinge(world, nodes_of(world, beam)[0])
        force, torque = ((1.0, 3.0, 0.0), (0.0, 0.0, 2.0)) if dims == 2 else ((1.0, 3.0, 2.0), (0.2, -0.3, 2.0))
        world.add(con.LineLoad, cable=beam, vector=force, body_fixed=True)
        world.add(con.LineTorque, cable=beam, vector=torque, body_fixed=[True, False, True])
        ledger = wl.EnergyLedger()
        wl.Dynamic(world, step=step, end=0.4, rtol=1e-11, name="").solve(hooks=[ledger])
        totals.append(ledger.totals)
        assert abs(ledger.rest) < 1e-8 * ledger.totals["kinetic"]
    assert totals[1]["LineLoad"] > 1.0 and totals[1]["LineTorque"] > 1.0
    assert 3.0 < totals[0]["integrator"] / totals[1]["integrator"] < 5.0
