"""Fluid loads on winch ropes: tangents, agreement with the loads of cables of constant length, balance of energy, and
cables in reserve.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass import connectors as con
from windlass.elements import MassPoint, straight_cable, winch_rope
from windlass.framework.assembly.assembly import serial_assembly
from windlass.framework.state.state import State
from windlass.testing import check_tangent

from support.cables import residual
from support.carried_powers import compare_carried

G, LENGTH = 9.81, 6.0
ROPE = {"mass_per_length": 2.0, "axial_stiffness": 5e3, "bending_stiffness": 3.0}
LOAD = {
    "diameter": 0.06, "normal_drag": 1.1, "axial_drag": 0.05, "added_mass": 0.9, "axial_added_mass": 0.4,
    "vibration_frequency": 2.0,
}  # fmt: skip
TORSION = {"torsional_stiffness": 2.0, "rotary_inertia": 0.05, "coupling": 20.0}
DIMS = [2, 3]


def flow(t: float, x: Any) -> tuple[Any, Any]:
    """User function that returns the flow at all points."""
    u, u_t = np.zeros_like(x), np.zeros_like(x)
    u[:, 0], u_t[:, 0] = 0.3 * np.sin(x[:, 1] + t), 0.3 * np.cos(x[:, 1] + t)
    return u, u_t


def create(dims: int, winch: bool, torsion: bool = False, **more: Any) -> tuple[wl.World, Any, Any]:
    """Create a rope of three cables, on a winch or of constant length, that reaches from air into water with waves and
    a current. Return also the fluid loads. Winch ropes can have torsion.
    """
    world = wl.World(gravity=(0.0, -G, 0.0) if dims == 2 else (0.0, 0.0, -G))
    ends = np.array([(0.0, 0.7), (1.0, -5.0)] if dims == 2 else [(0.0, 0.2, 0.7), (1.0, 0.5, -5.0)])
    ends[1] = ends[0] + LENGTH * (ends[1] - ends[0]) / np.linalg.norm(ends[1] - ends[0])
    waves = con.regular_wave(0.8, 4.0)
    sea = world.add(
        con.Fluid, density=1000.0, depth=30.0, velocity=(0.4, 0.0, 0.0), reference_height=30.0, profile="power",
        transition=0.6, **waves, **({"function": flow} if dims == 3 else {}),
    )  # fmt: skip
    if winch:
        rope = winch_rope(world, *ends, 3, **ROPE, **(TORSION if torsion else {}))
        return world, rope, world.add(con.WinchFluidLoad, cable=rope.cables, fluid=sea, **LOAD, **more)
    line = straight_cable(world, *ends, 3, **ROPE)
    return world, line, world.add(con.FluidLoad, cable=line, fluid=sea, **LOAD, **more)


@pytest.mark.parametrize("volume", [False, True])
@pytest.mark.parametrize(("dims", "torsion"), [(2, False), (3, False), (3, True)])
def test_tangents_against_differences(dims: int, torsion: bool, volume: bool) -> None:
    """Derivatives with respect to coordinates, velocities, accelerations and the length agree with differences."""
    world, *_ = create(dims, True, torsion, constant_volume=volume)
    state = State(world)
    state.t = 1.3
    rng = np.random.default_rng(2)
    state.q[:], state.v[:], state.a[:] = rng.normal(size=(3, len(state.q))) * [[0.05], [1.0], [1.0]]
    check_tangent(world, state, displacement=0.02, tolerance=2e-6)


@pytest.mark.parametrize("dims", DIMS)
def test_equal_to_cables_of_constant_length(dims: int) -> None:
    """If the length does not change, the forces and inertia forces on the nodes are equal to the forces of `FluidLoad`
    on cables of constant length.
    """
    found = []
    for winch in (True, False):
        world, line, load = create(dims, winch)
        state = State(world)
        state.t = 1.3
        nodes = line.nodes if winch else wl.elements.nodes_of(world, line)
        rng = np.random.default_rng(4)
        for name in ("q", "v", "a"):
            state.put(nodes, 0.1 * rng.normal(size=(4, 2 * dims)), name)
        assembly = serial_assembly(world)
        assembly.load_fields(state)
        f, inertia = np.zeros((2, assembly.layout.spare + 1))
        assembly.add_loads(f)
        assembly.add_inertia(inertia)
        own = assembly.layout.local_dofs(world.row_dofs(nodes.table, nodes.rows)).ravel()
        out = {"share": 0.3} if winch else {"x": 0.3 * LENGTH / 3.0}
        names = ("force_per_length", "drag_per_length", "fluid_velocity", "immersion", "surface_height")
        outputs = [wl.eval_output(load, name, state, **out) for name in names]
        found.append((f[own], inertia[own], *outputs, residual(world, state)[own]))
    for one, other in zip(*found, strict=True):
        assert_allclose(one, other, rtol=1e-10, atol=1e-10 * np.abs(other).max())


def test_torsion_does_not_change_the_load() -> None:
    """Winch ropes with and without torsion have equal loads and inertia forces of fluids."""
    found = []
    for torsion in (False, True):
        world, rope, load = create(3, True, torsion)
        state = State(world)
        state.t = 1.3
        rng, count = np.random.default_rng(4), len(rope.nodes)
        for name in ("q", "v", "a"):
            values = np.zeros((count, 7 if torsion else 6))
            values[:, :6] = 0.1 * rng.normal(size=(count, 6))
            state.put(rope.nodes, values, name)
            state.put(rope.feed, 0.3, name)
        assembly = serial_assembly(world)
        forces = []
        for active in (True, False):
            world.set(load, active=active)
            assembly.refresh()
            assembly.load_fields(state)
            f, inertia = np.zeros((2, assembly.layout.spare + 1))
            assembly.add_loads(f)
            assembly.add_inertia(inertia)
            dofs = assembly.layout.local_dofs(world.row_dofs(rope.nodes.table, rope.nodes.rows))[:, :6].ravel()
            own = np.append(dofs, assembly.layout.local_dofs(world.row_dofs(rope.feed.table, rope.feed.rows)).ravel())
            forces.append(np.stack((f[own], inertia[own])))
        found.append(forces[0] - forces[1])
    assert np.abs(found[0]).max(axis=1).min() > 0.5
    assert_allclose(found[1], found[0], rtol=0, atol=1e-9 * np.abs(found[0]).max())


def test_work_on_the_length_is_that_of_the_material() -> None:
    """For a given motion, the power of all generalised forces is ∫ F·u dx, where u is the velocity of the material."""
    world, rope, load = create(3, True)
    state = State(world)
    rng = np.random.default_rng(5)
    state.q[:], state.v[:] = 0.05 * rng.normal(size=(2, len(state.q)))
    assembly = serial_assembly(world)
    assembly.load_fields(state)
    with_load, without = np.zeros((2, assembly.layout.spare + 1))
    assembly.add_loads(with_load)
    world.set(load, active=False)
    assembly.refresh()
    assembly.add_loads(without)
    s, w = np.polynomial.legendre.leggauss(4)
    h, power = wl.eval_output(rope.cables, "length", state), 0.0
    for share, weight in zip(0.5 * (s + 1.0), 0.5 * w, strict=True):
        world.set(load, active=True)
        u = wl.eval_output(rope.cables, "velocity", state, share=share)
        per_length = wl.eval_output(load, "force_per_length", state, share=share)
        # force per current length, multiplied by the stretch
        stretch = 1.0 + wl.eval_output(rope.cables, "axial_force", state, share=share) / ROPE["axial_stiffness"]
        power += weight * float(np.sum(h * stretch * np.sum(u * per_length, axis=1)))
    found = float((with_load - without)[: len(state.v)] @ assembly.fields.v[: len(state.v)])
    assert_allclose(found, power, rtol=1e-9)


@pytest.mark.parametrize("winch", [False, True])
@pytest.mark.parametrize("dims", DIMS)
def test_power_of_added_mass_without_drag(dims: int, winch: bool) -> None:
    """The power that the added mass carries away does not change if the velocity of the fluid is not evaluated."""
    world, *_ = create(dims, winch)
    state = State(world)
    state.t = 1.3
    state.v[:] = np.random.default_rng(4).normal(size=len(state.v))
    assert compare_carried(world, state) == 1


@pytest.mark.parametrize("space", [False, True])
def test_energy_of_a_rope_that_is_paid_out_in_water(space: bool) -> None:
    """The energy ledger of a swinging load on a rope in water, with a changing length, has no remainder."""
    d = 3 if space else 2
    world = wl.World(gravity=(0.0, 0.0, -G) if space else (0.0, -G, 0.0))
    rests = []
    end = (1.0, 0.0, -4.0) if space else (1.0, -4.0)
    rope = winch_rope(world, np.zeros(d), end, 4, strain=1e-3, axial_damping=20.0, **ROPE)
    con.hinge(world, rope.nodes[0])
    load = world.add(MassPoint, position=end, mass=20.0)
    joint = con.SphericalJoint if space else con.RevoluteJoint2D
    marks = [con.position_marker(world, which) for which in (rope.nodes[4], load)]
    world.add(joint, marker0=marks[0], marker1=marks[1])
    con.prescribe(world, rope.feed, "s", con.smooth_step(0.0, 1.0, 0.0, 2.0))
    sea = world.add(con.Fluid, density=1000.0, surface=-1.0, transition=0.5)
    world.add(con.WinchFluidLoad, cable=rope.cables, fluid=sea, **LOAD)
    for step in (4e-3, 2e-3):
        ledger = wl.EnergyLedger()
        wl.Dynamic(world, step=step, end=1.0, name="", rtol=1e-9, method="newmark").solve(hooks=[ledger])
        totals = ledger.totals
        largest = max(abs(value) for value in totals.values())
        rests.append(abs(ledger.rest) / largest)
        assert totals["WinchFluidLoad.drag"] > 0.0 and totals["WinchFluidLoad.added_mass"] != 0.0
    assert rests[1] < 0.3 * rests[0] + 1e-6 and rests[1] < 1e-4, (rests, totals)


def test_cables_in_reserve() -> None:
    """A load on a cable in reserve acts as soon as the cable is outside the winch. The buoyancy of the rope corresponds
    to its length in water.
    """
    world = wl.World(gravity=(0.0, -G, 0.0))
    rope = con.WinchReserve(
        world, (0, 0), (0, -0.5), wanted=0.5, longest=6.0, strain=0.005, axial_damping=300.0,
        mass_per_length=0.5, axial_stiffness=2e4, bending_stiffness=1e-4,
    )  # fmt: skip
    con.hinge(world, rope.nodes[0])
    load = world.add(MassPoint, position=(0, -0.5), mass=10.0)
    ends = [con.position_marker(world, which) for which in (rope.nodes[-1], load)]
    world.add(con.RevoluteJoint2D, marker0=ends[0], marker1=ends[1])
    drive = con.prescribe(world, rope.feed, "s", con.smooth_step(0.0, 3.0, 0.0, 5.0))
    water = world.add(con.Fluid, density=1000.0, surface=-1.0, transition=0.05)
    fluid = world.add(con.WinchFluidLoad, cable=rope.cables, fluid=water, diameter=0.01, axial_drag=1.0)
    state = wl.Static(world, name="").solve()
    state = wl.Dynamic(world, step=0.02, end=6.0, name="").solve(state, hooks=[rope])
    length = 0.5 / 1.005 + 5.0
    immersed = -1.0 - float(wl.eval_output(load, "position", state)[1])
    weight = (10.0 + 0.5 * length) * G - 1000.0 * 0.25 * np.pi * 0.01**2 * G * immersed
    # the force of the drive is N (1 + ε/2) (docs/explanation/theory/winches.md)
    force = weight * (1.0 + 0.5 * weight / 2e4)
    assert_allclose(wl.eval_output(drive, "force", state), force, rtol=2e-4)
    on = wl.eval_output(fluid, "immersion", state, share=1.0) > 0.0
    assert on.sum() > 5 and not on[~rope.cables.active].any()


def test_wrong_loads() -> None:
    """Loads on cables outside of winch ropes, positions with a share outside of 0 to 1, and gravity that does not point
    downwards cause errors.
    """
    world, rope, load = create(3, True)
    with pytest.raises(wl.ModelError, match="share = 2 of WinchFluidLoad: must be a number, 0"):
        wl.eval_output(load, "immersion", State(world), share=2)
    world, line, _ = create(3, False)
    sea = world.add(con.Fluid, density=1000.0) if not world.finalized else None
    with pytest.raises(wl.ModelError, match="cable"):
        world.add(con.WinchFluidLoad, cable=line, fluid=sea, **LOAD)
    tilted = wl.World(gravity=(G, 0.0, 0.0))
    rope = winch_rope(tilted, (0.0, 0.0, 0.0), (0.0, 0.0, -5.0), 2, **ROPE)
    sea = tilted.add(con.Fluid, density=1000.0)
    tilted.add(con.WinchFluidLoad, cable=rope.cables, fluid=sea, **LOAD)
    with pytest.raises(wl.ModelError, match="gravity"):
        tilted.finalize()
        State(tilted)
        serial_assembly(tilted)
