"""Winch cables with torsion: tangents, agreement with cables of constant length and with ropes without torsion, energy
of the moving material, and errors.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
import windlass.connectors as con
from windlass.elements import PointSlopeTwist3D, TwistCable3D, winch_rope
from windlass.elements.cable.winch_rope import WinchRope
from windlass.framework.assembly.assembly import serial_assembly
from windlass.framework.model.system import evaluate
from windlass.framework.model.world import World
from windlass.framework.state.tangent_check import check_tangent

ROPE: dict[str, Any] = {
    "mass_per_length": 0.7, "axial_stiffness": 50.0, "bending_stiffness": (3.0, 1.0), "torsional_stiffness": 2.0,
    "coupling": 4.0, "rotary_inertia": 0.3, "axial_damping": 2.0, "torsional_damping": 0.5,
}  # fmt: skip
END = np.array((2.0, -1.0, 0.5))


def create_rope(cables: int = 2, end: Any = END, **more: Any) -> tuple[World, WinchRope]:
    world = World(gravity=(0.3, -9.81, 0.5))
    return world, winch_rope(world, (0.0, 0.0, 0.0), end, cables, **{**ROPE, **more})


def disturb(world: World, seed: int = 1) -> wl.State:
    """Create a bent and twisted rope in motion."""
    state, random = wl.State(world), np.random.default_rng(seed)
    state.q[:] += 0.1 * random.standard_normal(len(state.q))
    state.v[:], state.a[:] = random.standard_normal((2, len(state.q)))
    return state


def eval_left_side(world: World, state: wl.State) -> tuple[Any, Any]:
    """Return forces of the laws and inertia forces."""
    assembly = serial_assembly(world)
    assembly.load_fields(state)
    f, inertia = np.zeros((2, len(state.q) + 1))
    assembly.add_forces(f)
    assembly.add_inertia(inertia)
    return f[:-1], inertia[:-1]


def follow(state: wl.State, time: float) -> wl.State:
    """Return the state of a motion with constant accelerations at a time [s] after ``state``."""
    moved = state.copy()
    moved.q[:] = state.q + time * state.v + 0.5 * time**2 * state.a
    moved.v[:] = state.v + time * state.a
    return moved


@pytest.mark.parametrize("turned_from", [(0.0, 0.0, 0.0), (0.2, 1.0, 0.3)])
def test_tangent_against_differences(turned_from: Any) -> None:
    """Derivatives of forces, damping, inertia and weight with respect to nodal coordinates, angles and length agree
    with differences.
    """
    check_tangent(create_rope(store_tension=8.0, store_twist=0.3, turned_from=turned_from)[0], displacement=0.2)


def test_strain_coordinate() -> None:
    """Laws on the strain of cables, which depends on the payout, have exact tangents."""
    world, rope, *_ = create_rope(store_tension=8.0)
    strain = con.strain_coordinate(world, rope.cables, 0.3)
    world.add(con.CoordinateSpringDamper, marker1=strain, stiffness=100.0, damping=3.0)
    check_tangent(world, displacement=0.2)


def test_at_fixed_length_it_is_the_rod() -> None:
    """At fixed length, a winch cable with torsion and a `TwistCable3D` exert equal forces, inertia forces and weights
    on the nodes.
    """
    world, rope = create_rope()
    state, n = disturb(world), 3 * 7
    state.v[n:], state.a[n:] = 0.0, 0.0
    length = float(np.linalg.norm(END)) + state.q[n]
    plain = World(gravity=world.gravity)
    nodes = plain.add(
        PointSlopeTwist3D, position=np.outer(np.linspace(0.0, 1.0, 3), END), slope=END / np.linalg.norm(END)
    )
    rods = plain.add(TwistCable3D, node0=nodes[:2], node1=nodes[1:], length=length / 2.0, **ROPE)
    other = wl.State(plain)
    other.q[:], other.v[:], other.a[:] = state.q[:n], state.v[:n], state.a[:n]
    ours, theirs = eval_left_side(world, state), eval_left_side(plain, other)
    for mine, expected in zip(ours, theirs, strict=True):
        assert_allclose(mine[:n], expected, rtol=0, atol=1e-12 * np.abs(expected).max())
    for name in ("torque", "twist"):
        assert_allclose(wl.eval_output(rope.cables, name, state), wl.eval_output(rods, name, other), rtol=1e-11)
    force = wl.eval_output(rope.cables, "axial_force", state, share=0.3)
    assert_allclose(force, wl.eval_output(rods, "axial_force", other, x=0.3 * length / 2.0), rtol=1e-11)
    drawn = wl.eval_output(rope.cables, "spin", state, share=1.0)
    assert_allclose(drawn[0], wl.eval_output(rope.cables, "spin", state, share=0.0)[1], rtol=1e-13)


def test_without_torsion_it_is_the_winch_cable() -> None:
    """With equal bending stiffnesses, and with very small torsional stiffness and inertia, all forces agree with
    `WinchCable3D`.
    """
    none = {"bending_stiffness": 3.0, "torsional_stiffness": 1e-13, "rotary_inertia": 1e-13, "coupling": 0.0}
    world, _ = create_rope(**none, torsional_damping=0.0, store_tension=8.0)
    state = disturb(world)
    given = {key: value for key, value in {**ROPE, **none}.items() if key not in {*none, "torsional_damping"}}
    plain = World(gravity=world.gravity)
    winch_rope(plain, (0.0, 0.0, 0.0), END, 2, bending_stiffness=3.0, store_tension=8.0, **given)
    other, same = wl.State(plain), np.r_[[7 * k + i for k in range(3) for i in range(6)], 21]
    other.q[:], other.v[:], other.a[:] = state.q[same], state.v[same], state.a[same]
    for mine, expected in zip(eval_left_side(world, state), eval_left_side(plain, other), strict=True):
        assert_allclose(mine[same], expected, rtol=0, atol=1e-11 * np.abs(expected).max())


def eval_spin_energy(rope: WinchRope, state: wl.State) -> float:
    """Return the kinetic energy ½ Σ m_ij ω_i ω_j of the spin."""
    ends = np.stack([wl.eval_output(rope.cables, "spin", state, share=share) for share in (0.0, 1.0)], axis=1)
    m = ROPE["rotary_inertia"] / 12.0 * np.array(((5.0, 1.0), (1.0, 5.0)))
    return float(0.5 * np.einsum("r,ri,ij,rj", wl.eval_output(rope.cables, "length", state), ends, m, ends))


def test_energy_of_the_spin_closes() -> None:
    """The power of the inertia forces of the spin is the rate of the kinetic energy of the spin minus the inflow ½ J
    l_t ω_0² of kinetic energy with the rope that enters. The rate is computed by differences along a motion.
    """
    world, rope = create_rope(3, mass_per_length=0.0)
    state, h = disturb(world, 3), 1e-5
    rate = (eval_spin_energy(rope, follow(state, h)) - eval_spin_energy(rope, follow(state, -h))) / (2.0 * h)
    speed, spin = state.v[-1], wl.eval_output(rope.cables, "spin", state, share=0.0)[0]
    enters = 0.5 * ROPE["rotary_inertia"] * speed * spin**2
    assert abs(enters) > 1e-3
    power = eval_left_side(world, state)[1] @ state.v
    assert_allclose(power, rate - enters, rtol=1e-7)


def test_angular_momentum_of_a_straight_rope_closes() -> None:
    """The sum of the inertia torques on the angles is the rate of the angular momentum ∫ J ω dx minus the inflow J l_t
    ω_0 of angular momentum with the rope that enters. The rate is computed by differences.
    """
    world, rope = create_rope(3, mass_per_length=0.0)
    state, h = wl.State(world), 1e-5
    random = np.random.default_rng(4)
    for values, size in ((state.q, 0.1), (state.v, 1.0), (state.a, 1.0)):
        values[6:21:7] = size * random.standard_normal(len(values[6:21:7]))
        values[-1] = 0.7 * size

    def eval_momentum(time: float) -> float:
        at = follow(state, time)
        mean = sum(0.5 * wl.eval_output(rope.cables, "spin", at, share=share) for share in (0.0, 1.0))
        return float(ROPE["rotary_inertia"] * wl.eval_output(rope.cables, "length", at) @ mean)

    rate = (eval_momentum(h) - eval_momentum(-h)) / (2.0 * h)
    enters = ROPE["rotary_inertia"] * state.v[-1] * wl.eval_output(rope.cables, "spin", state, share=0.0)[0]
    angles = [6 + 7 * k for k in range(4)]
    assert_allclose(eval_left_side(world, state)[1][angles].sum(), rate - enters, rtol=1e-7)


@pytest.mark.parametrize("damping", [0.0, 1.0])
def test_power_of_the_forces_is_accounted(damping: float) -> None:
    """The power of the forces is the rate of the stored energies plus the dissipated power minus the inflow W l_t of
    energy with the rope that enters. The rate is computed by differences along a motion. The carried power is the power
    of the inertia forces.
    """
    losses = {name: damping * ROPE[name] for name in ("axial_damping", "torsional_damping")}
    world, _ = create_rope(store_tension=8.0, store_twist=0.4, **losses)
    state, h = disturb(world, 5), 1e-5

    def read(time: float) -> Any:
        assembly = serial_assembly(world)
        assembly.load_fields(follow(state, time))
        (system,) = [system for system in assembly.systems if system.account is not None]
        assert system.account is not None
        reading = system.account.create_reading(len(system.dofs))
        system.account.read(evaluate(assembly.fields, **reading._asdict()))
        return reading.energies.sum(), reading.powers.sum(axis=1)

    (before, _), (after, _), (_, powers) = (read(time) for time in (-h, h, 0.0))
    tau, C, EA, GJ = 0.4, *(ROPE[name] for name in ("coupling", "axial_stiffness", "torsional_stiffness"))
    strain = (8.0 - C * tau) / EA
    stored = 0.5 * EA * strain**2 + C * strain * tau + 0.5 * GJ * tau**2
    assert_allclose(powers[2], -stored * state.v[-1], rtol=1e-12)
    assert (powers[:2] > 1e-3).all() == bool(damping)
    power = eval_left_side(world, state)[0] @ state.v
    assert_allclose(power, (after - before) / (2.0 * h) + powers[:3].sum(), rtol=1e-7)


def test_rope_at_rest_has_no_inertia() -> None:
    """A twisted rope that is laid on the ground by a moving outlet has no spin and no inertia force."""
    world, rope = create_rope(3, (2.0, 0.0, 0.0), mass_per_length=0.4)
    state, speed, rise, tau = wl.State(world), 0.7, 0.4, 0.8
    left = 1.0 - np.arange(4) / 3.0
    nodes = state.q[:-1].reshape(4, 7)
    nodes[:, 6] = -tau * left * 2.0
    for values, rate in ((state.v, speed), (state.a, rise)):
        values[:-1].reshape(4, 7)[:, 0] = -rate * left
        values[:-1].reshape(4, 7)[:, 6] = -tau * rate * left
        values[-1] = rate
    assert_allclose(wl.eval_output(rope.cables, "twist", state), tau, rtol=1e-13)
    assert_allclose(wl.eval_output(rope.cables, "spin", state, share=0.4), 0.0, atol=1e-14)
    assert_allclose(eval_left_side(world, state)[1], 0.0, atol=1e-13)


def test_force_on_the_length_is_that_of_a_uniform_rope() -> None:
    """The generalised force on the length of a uniform twisted rope is -(N (1 + ε) + M τ + W - w), where W and w are
    the energies per length of the rope in the winch and outside of the winch.
    """
    world, _ = create_rope(2, (2.0, 0.0, 0.0), store_tension=8.0, store_twist=-0.3)
    state, strain, tau = wl.State(world), 0.1, 0.6
    length = 2.0 / (1.0 + strain)
    state.q[-1] = length - 2.0
    nodes = state.q[:-1].reshape(3, 7)
    nodes[:, 3], nodes[:, 6] = strain, tau * length * np.array((0.0, 0.5, 1.0))
    EA, GJ, C = (ROPE[name] for name in ("axial_stiffness", "torsional_stiffness", "coupling"))

    def energy(e: float, t: float) -> float:
        return 0.5 * EA * e**2 + C * e * t + 0.5 * GJ * t**2

    stored = energy((8.0 + C * 0.3) / EA, -0.3)
    N, M = EA * strain + C * tau, GJ * tau + C * strain
    expected = -(N * (1.0 + strain) + M * tau + stored - energy(strain, tau))
    assert_allclose(eval_left_side(world, state)[0][-1], expected, rtol=1e-12)


def test_what_is_refused() -> None:
    world = World()
    plain = {key: value for key, value in ROPE.items() if key != "rotary_inertia"}
    cases: list[tuple[Any, Any, dict[str, Any], str]] = [
        ((0.0, 0.0), (1.0, 0.0), ROPE, "torsional_stiffness of rope: must not be given for a 2D rope"),
        ((0.0,) * 3, END, plain, "rotary_inertia"),
        ((0.0,) * 3, END, {**ROPE, "coupling": 11.0}, "must have coupling² < axial_stiffness torsional_stiffness"),
        ((0.0,) * 3, END, {**ROPE, "torsional_stiffness": 0.0}, "torsional_stiffness = 0.0 .* must be > 0"),
        ((0.0,) * 3, END, {**ROPE, "normal": END}, "normal = .* must have a component perpendicular to the slope"),
    ]
    for outlet, end, columns, words in cases:
        world = World()
        with pytest.raises(wl.ModelError, match=words):
            winch_rope(world, outlet, end, 2, **columns)
            world.finalize()


def test_message_about_a_slope_that_turns_too_far() -> None:
    """The message of a failed solve names a node whose slope is nearly opposite to ``turned_from``."""
    world, rope = create_rope()
    state = wl.State(world)
    slopes = state.of(rope.nodes)
    slopes[1, 3:6] = -1.99 * END / np.linalg.norm(END)
    state.put(rope.nodes, slopes, "q")
    assembly = serial_assembly(world)
    assembly.load_fields(state)
    (system,) = [system for system in assembly.systems if system.account is not None]
    assert system.checks.diagnose is not None
    assert "the slope of rope node 1 has turned by almost 165°" in " ".join(system.checks.diagnose(assembly.fields))


def lay_reserve(**more: Any) -> tuple[con.WinchReserve, wl.State]:
    """Create a bent and twisted rope in motion. Two of its cables are so long that they must be split."""
    world = World()
    given = {**ROPE, "bending_stiffness": 2.0, **more}
    rope = con.WinchReserve(world, (0.0,) * 3, END, 2, wanted=1.2, longest=6.0, **given)
    assert len(rope.outside) == 2 and len(rope.nodes) == 5
    random, state = np.random.default_rng(7), wl.State(world)
    for name, size in (("q", 0.05), ("v", 1.0), ("a", 1.0), ("carried", 1.0)):
        values = np.zeros((5, 7))
        values[::2] = size * random.standard_normal((3, 7))
        if name == "q":
            # slopes of a uniform stretch
            values[::2, 3:6] += END / (np.linalg.norm(END) + 2.5) - END / np.linalg.norm(END)
        state.put(rope.nodes, values, name)
    state.put(rope.feed, 2.5, "q")
    state.put(rope.feed, 0.8, "v")
    state.put(rope.feed, -0.6, "a")
    state.put(rope.feed, 0.3, "carried")
    # several turns
    turned = state.of(rope.nodes)
    turned[2, 6], turned[4, 6] = 8.0, 21.0
    state.put(rope.nodes, turned, "q")
    return rope, state


def test_split_of_a_rope_with_torsion() -> None:
    """When cables are split, both halves have the twist of the whole cable. The rates of all coordinates of the new
    nodes are the derivatives of the coordinates that a split at other times would give.
    """
    rope, state = lay_reserve()
    before = wl.eval_output(rope.outside, "twist", state)
    copies = [follow(state, time) for time in (-1e-4, 1e-4)]
    rope.before_step(state)
    assert len(rope.outside) == 4
    # the twist of a bent cable is more accurate in the two halves than in the whole cable
    assert_allclose(wl.eval_output(rope.outside, "twist", state), np.repeat(before, 2), rtol=0, atol=1e-3)
    moved = []
    for copy in copies:
        rope._switch(0)
        rope.before_step(copy)
        moved.append(copy)
    x = [one.of(rope.nodes[1::2]) for one in (moved[0], state, moved[1])]
    v, a = state.of(rope.nodes[1::2], "v"), state.of(rope.nodes[1::2], "a")
    assert_allclose((x[2] - x[0]) / 2e-4, v, rtol=0, atol=2e-6)
    assert_allclose((x[2] - 2.0 * x[1] + x[0]) / 1e-8, a, rtol=0, atol=2e-5)


def test_split_of_a_straight_rope_changes_nothing() -> None:
    """A split of a straight twisted rope changes neither torque nor spin, and a merge restores all coordinates."""
    rope, state = lay_reserve()
    for name in ("q", "v", "a", "carried"):
        values = state.of(rope.nodes, name)
        values[:, :6] = 0.0
        if name == "q":
            # uniform stretch
            values[::2, 3:6] = END / (np.linalg.norm(END) + 2.5) - END / np.linalg.norm(END)
        state.put(rope.nodes, values, name)
    names = ("twist", "torque")
    before, old = [wl.eval_output(rope.outside, name, state) for name in names], state.of(rope.nodes)
    spins = [wl.eval_output(rope.outside, "spin", state, share=share) for share in (0.25, 0.5)]
    rope.before_step(state)
    for name, value in zip(names, before, strict=True):
        assert_allclose(wl.eval_output(rope.outside, name, state), np.repeat(value, 2), rtol=1e-12)
    found = [wl.eval_output(rope.outside, "spin", state, share=share) for share in (0.5, 1.0)]
    for value, halves in zip(spins, found, strict=True):
        assert_allclose(halves[::2], value, rtol=1e-12)
    state.put(rope.feed, -1.9, "q")
    rope.before_step(state)
    assert len(rope.outside) == 2
    assert_allclose(state.of(rope.nodes), old, rtol=0, atol=1e-15)
