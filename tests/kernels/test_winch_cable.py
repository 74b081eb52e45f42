"""Tests of winch cables: tangents, comparison with cables of fixed length, inflow of mass, momentum and energy, and
errors.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
import windlass.connectors as con
from windlass.elements import (
    ALENode,
    Cable2D,
    Cable3D,
    PointSlope2D,
    PointSlope3D,
    WinchCable2D,
    winch_rope,
)
from windlass.elements.cable.winch_rope import WinchRope
from windlass.framework.assembly.assembly import serial_assembly
from windlass.framework.model.world import World
from windlass.framework.state.tangent_check import check_tangent

STIFF: dict[str, Any] = {
    "mass_per_length": 0.7, "axial_stiffness": 50.0, "bending_stiffness": 3.0, "axial_damping": 2.0,
}  # fmt: skip
ENDS = [(2.0, -1.0), (2.0, -1.0, 0.5)]


def create_rope(end: Any, cables: int = 2, **more: Any) -> tuple[World, WinchRope]:
    world = World(gravity=(0.3, -9.81, 0.5 * (len(end) == 3)))
    return world, winch_rope(world, (0.0,) * len(end), end, cables, **{**STIFF, **more})


def disturb(world: World, seed: int = 1) -> wl.State:
    """Create a bent rope in motion."""
    state, random = wl.State(world), np.random.default_rng(seed)
    state.q[:] += 0.1 * random.standard_normal(len(state.q))
    state.v[:], state.a[:] = random.standard_normal((2, len(state.q)))
    return state


def eval_left_side(world: World, state: wl.State) -> tuple[Any, Any]:
    """Return forces of the laws and inertia, in the order of the coordinates."""
    assembly = serial_assembly(world)
    assembly.load_fields(state)
    f, inertia = np.zeros((2, len(state.q) + 1))
    assembly.add_forces(f)
    assembly.add_inertia(inertia)
    return f[:-1], inertia[:-1]


@pytest.mark.parametrize("end", ENDS)
def test_tangent_against_differences(end: Any) -> None:
    """Derivatives of forces, damping, inertia and weight with respect to nodal coordinates and length agree with
    differences.
    """
    check_tangent(create_rope(end, store_tension=8.0)[0])


@pytest.mark.parametrize("end", ENDS)
def test_at_fixed_length_it_is_the_plain_cable(end: Any) -> None:
    """At fixed length, winch cable and plain cable exert the same forces, inertia forces and weight on the nodes, to
    1e-12 of the largest entry.
    """
    world, _ = create_rope(end)
    state, n = disturb(world), 3 * 2 * len(end)
    state.v[n:], state.a[n:] = 0.0, 0.0
    length = float(np.linalg.norm(end)) + state.q[n]
    plain, shares = World(gravity=world.gravity), np.linspace(0.0, 1.0, 3)
    nodes = plain.add(
        PointSlope2D if len(end) == 2 else PointSlope3D,
        position=np.outer(shares, end),
        slope=np.array(end) / np.linalg.norm(end),
    )
    kind = Cable2D if len(end) == 2 else Cable3D
    plain.add(kind, node0=nodes[:2], node1=nodes[1:], length=length / 2.0, **STIFF)
    other = wl.State(plain)
    other.q[:], other.v[:], other.a[:] = state.q[:n], state.v[:n], state.a[:n]
    ours, inertia = eval_left_side(world, state)
    theirs, _ = eval_left_side(plain, other)
    mass = wl.assemble_mass(plain, other)[:, :]
    assembly = serial_assembly(plain)
    unknown = assembly.layout.unknowns.of_dof
    assert_allclose(ours[:n], theirs, rtol=0, atol=1e-12 * np.abs(theirs).max())
    expected = mass[np.ix_(unknown, unknown)] @ other.a
    assert_allclose(inertia[:n], expected, rtol=0, atol=1e-12 * np.abs(expected).max())


@pytest.mark.parametrize("end", ENDS)
def test_mass_momentum_and_energy_close(end: Any) -> None:
    """In each row, mass, momentum and energy of the rope outside the winch change only by forces and by inflow. The
    changes are computed by differences along a motion.
    """
    world, rope = create_rope(end)
    state, d, h = disturb(world, 3), len(end), 1e-5
    names = ("mass", "momentum", "mass_flow", "momentum_flow")
    at = {}
    for k in (-1, 0, 1):
        moved = state.copy()
        moved.q[:] = state.q + k * h * state.v + 0.5 * (k * h) ** 2 * state.a
        moved.v[:] = state.v + k * h * state.a
        at[k] = {name: wl.eval_output(rope.cables, name, moved) for name in names}
        at[k]["kinetic"] = eval_kinetic(rope, moved)
    rate = {name: (at[1][name] - at[-1][name]) / (2.0 * h) for name in at[0]}
    assert_allclose(rate["mass"], at[0]["mass_flow"], rtol=1e-8)
    inertia = eval_left_side(world, state)[1]
    # an equal displacement of all nodes moves the rope as a whole
    whole = inertia[: 6 * d].reshape(3, 2 * d)[:, :d].sum(axis=0)
    assert_allclose(rate["momentum"].sum(axis=0)[:d] - at[0]["momentum_flow"].sum(axis=0)[:d], whole, rtol=1e-7)
    # the flows between the cables cancel, so only the flow at the outlet remains: ρA l_t times the velocity u of the
    # material
    speed = state.v[6 * d]
    arrives = wl.eval_output(rope.cables, "velocity", state, share=0.0)[0]
    enters = STIFF["mass_per_length"] * speed * arrives
    assert_allclose(at[0]["momentum_flow"].sum(axis=0), enters, rtol=1e-12)
    assert_allclose(inertia @ state.v, rate["kinetic"] - 0.5 * enters @ arrives, rtol=1e-7)


def eval_kinetic(rope: WinchRope, state: wl.State) -> float:
    """Return the kinetic energy of the velocities of the material, by Gauss's rule."""
    s, w = np.polynomial.legendre.leggauss(4)
    lengths = wl.eval_output(rope.cables, "length", state)
    energy = 0.0
    for place, weight in zip(0.5 + 0.5 * s, 0.5 * w, strict=True):
        u = wl.eval_output(rope.cables, "velocity", state, share=place)
        energy += 0.5 * STIFF["mass_per_length"] * weight * float(lengths @ (u * u).sum(axis=1))
    return energy


def test_material_that_rests_has_no_inertia() -> None:
    """A rope that is laid on the ground has no inertia force. The end of the rope is at rest, and the outlet moves away
    with the speed at which it pays out rope.
    """
    world, rope = create_rope((2.0, 0.0), 3)
    state = wl.State(world)
    speed, rise = 0.7, 0.4
    for values, rate in ((state.v, speed), (state.a, rise)):
        values[:-1].reshape(4, 4)[:, 0] = -rate * (1.0 - np.arange(4) / 3.0)
        values[-1] = rate
    assert_allclose(eval_left_side(world, state)[1], 0.0, atol=1e-13)
    assert_allclose(wl.eval_output(rope.cables, "velocity", state, share=0.3), 0.0, atol=1e-14)


def test_force_on_the_length_is_that_of_a_uniform_rope() -> None:
    """The generalised force on the length l of a uniform rope acts against an increase of l. Its value is N (1 + ε) + W
    - EA ε²/2, where W is the energy per length of the rope in the winch. This force is the work of the tension minus
    the energy of the outgoing rope, per unit of l.
    """
    world, _ = create_rope((2.0, 0.0), 2, store_tension=8.0)
    state, strain = wl.State(world), 0.1
    state.q[-1] = 2.0 / (1.0 + strain) - 2.0
    slopes = state.q[:-1].reshape(3, 4)[:, 2]
    slopes[:] = strain
    EA = STIFF["axial_stiffness"]
    expected = -(EA * strain * (1.0 + strain) - 0.5 * EA * strain**2 + 8.0**2 / (2.0 * EA))
    assert_allclose(eval_left_side(world, state)[0][-1], expected, rtol=1e-12)


def test_what_is_refused() -> None:
    def parts(**more: Any) -> tuple[World, dict[str, Any]]:
        world = World()
        nodes = world.add(PointSlope2D, position=[(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)])
        feed = world.add(ALENode, reference=2.0)
        values = {"node0": nodes[:2], "node1": nodes[1:], "feed": feed, "begin": (0.0, 0.5), "share": 0.5}
        return world, {**STIFF, **values, **more}

    for more, words in (
        ({"begin": (0.0, 0.6)}, "begin . share = 1.1 in WinchCable2D row 1: must be <= 1"),
        ({"begin": (0.0, 0.4)}, "WinchCable2D row 1: the shares of all cables of a feed must cover 0 to 1"),
        ({"begin": (0.1, 0.5), "share": (0.4, 0.5)}, "row 0: the shares of all cables of a feed must cover 0 to 1"),
        ({"share": (0.5, 0.4)}, "row 1: the shares of all cables of a feed must cover 0 to 1"),
        ({"begin": (0.5, 0.0)}, "node0 of WinchCable2D row 0: must be node1 of row 1, the end of the previous cable"),
        ({"shortest": 2.5}, r"feed of WinchCable2D row 0 has the length 2 m .* must be > shortest = 2.5 m"),
        ({"share": 0.0}, "share = 0.0 in WinchCable2D row 0: must be > 0"),
    ):
        world, values = parts(**more)
        with pytest.raises(wl.ModelError, match=words):
            world.add(WinchCable2D, **values)
            world.finalize()
    world = World()
    with pytest.raises(wl.ModelError, match="must be two positions"):
        winch_rope(world, (0.0, 0.0), (0.0, 0.0), 2, **STIFF)
    assert not world.tables
    world, rope = create_rope((2.0, 0.0), 2)
    state = wl.State(world)
    # positions are given as fractions of the length, because the length of the cables changes
    for where, words in (
        ({"x": 0.5}, "x = 0.5 for this output of WinchCable2D: must be one of share"),
        ({"share": 1.5}, r"share = 1.5 of WinchCable2D: must be a number, 0 \(node0\) to 1"),
        ({"share": float("nan")}, "share = nan"),
        ({"share": (0.1, 0.2)}, r"share = \(0.1, 0.2\)"),
    ):
        with pytest.raises(wl.ModelError, match=words):
            wl.eval_output(rope.cables, "axial_force", state, **where)


def test_a_rope_that_is_taken_in_whole_fails_with_words() -> None:
    world, rope = create_rope((2.0, 0.0), 1, shortest=0.5)
    con.hinge(world, rope.nodes[0])
    con.prescribe(world, rope.feed, "s", con.ramp(0.0, 1.0, 0.0, -1.9))
    dynamic = wl.Dynamic(world, step=0.02, end=1.0, control=wl.StepControl(smallest=0.01), name="")
    with pytest.raises(wl.WindlassError, match=r"must be longer than 0.5 m \(shortest\)"):
        dynamic.solve()
