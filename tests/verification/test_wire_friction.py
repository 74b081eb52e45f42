"""Tests of the friction between the wires of ropes: loops of moment and curvature, and of force and strain, in closed
form; rotating bending; decay of vibrations; energy, restart, several processes and errors.

The closed forms are the formulas of bilinear (Prandtl) elements and sums of these elements, W. D. Iwan, J. Appl. Mech.
33 (1966) 893-900.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import windlass as wl
from windlass import connectors as con
from windlass.elements import (
    ALECable2D,
    ALENode,
    Cable2D,
    Cable3D,
    MassPoint,
    PointSlope2D,
    PointSlope3D,
    nodes_of,
    straight_cable,
)
from windlass.framework.model.history import GenericData
from windlass.framework.model.table import Entity

from support import winches
from support.motions import EXACT, find_slopes, largest_errors
from support.parallel_wire_friction import run_rope
from support.processes import ROOT, run_python

EA, EI, L = 1e5, 2.0, 1.5
SECTION = {"axial_stiffness": EA, "bending_stiffness": EI, "mass_per_length": 1e-3}
BENDING = {"bending_stiffness": 6.0, "slip_moment": 3e-4}
AXIAL = {"axial_stiffness": 4e4, "slip_force": 60.0}
MIXED = {**AXIAL, "bending_stiffness": 3.0, "slip_moment": 0.01, "slip_moment_per_tension": 1e-3}
STEPS = 20
"""Steps of a quarter of a cycle."""
GAUSS = L * (0.5 - np.sqrt(1.0 / 12.0))
"""Position of the first bending point on the cable [m]."""


def lay(friction: dict[str, Any], dims: int = 2, **columns: Any) -> tuple[wl.World, Entity, Entity, Entity]:
    """Create one straight cable along x. Return the world, the cable, its nodes and its friction."""
    world = wl.World()
    rope = straight_cable(world, (0.0,) * dims, (L, 0.0, 0.0)[:dims], 1, **{**SECTION, **columns})
    return world, rope, nodes_of(world, rope), world.add(con.WireFriction, cable=rope, **friction)


def zigzag(amplitude: float, cycles: int) -> Any:
    """Return a piecewise linear function of time, which starts at 0 and oscillates between -amplitude and amplitude.
    Each quarter of a cycle takes 1 s.
    """
    turns = 4 * cycles
    return con.table(np.arange(turns + 1), amplitude * np.array([0.0, 1.0, 0.0, -1.0] * cycles + [0.0]))


def drive(
    world: wl.World,
    cycles: int,
    sensors: dict[str, tuple[Entity, str, dict[str, Any]]],
    state: wl.State | None = None,
) -> tuple[dict[str, Any], wl.EnergyLedger]:
    """Solve a model whose coordinates are all prescribed. Return the sensors at all steps, from the start, and the
    ledger.
    """
    read = wl.Sensors(None, [wl.Sensor(*given[:2], name=name, where=given[2]) for name, given in sensors.items()])
    ledger = wl.EnergyLedger()
    wl.Dynamic(world, step=1.0 / STEPS, end=4.0 * cycles, name="").solve(state, hooks=[read, ledger])
    return {name: np.array(read[name]) for name in sensors}, ledger


def find_area(strain: Any, force: Any) -> float:
    """Return the area of the loop of the last cycle."""
    x, f = strain[-4 * STEPS - 1 :], force[-4 * STEPS - 1 :]
    return float((0.5 * (f[1:] + f[:-1]) * np.diff(x)).sum())


def bend(
    friction: dict[str, Any], amplitude: float, cycles: int, dims: int = 2, pull: float = 0.0
) -> tuple[Any, Any, Entity, wl.EnergyLedger]:
    """Bend a cable to a parabola with the curvature of `zigzag`, at a constant axial strain ``pull``. Return curvature
    and moment at the first Gauss point, the friction, and the ledger. In 3D the cable bends in an oblique direction.
    """
    world, rope, nodes, rubs = lay(friction, dims)
    # if the small rotation of the slopes is neglected, the curvature is y'' (1 + pull)/(1 + pull)²
    turn = 0.5 * L * (1.0 + pull)
    way = (1.0,) if dims == 2 else (0.6, 0.8)
    for k in (0, 1):
        con.prescribe(world, nodes[k], "x", con.table([0.0, 1.0], [k * pull * L] * 2))
        con.prescribe(world, nodes[k], "x'", con.table([0.0, 1.0], [pull] * 2))
        for part, axis in zip(way, "yz", strict=False):
            con.fix(world, nodes[k], axis)
            con.prescribe(world, nodes[k], f"{axis}'", zigzag((2 * k - 1) * part * turn * amplitude, cycles))
    state = wl.State(world)
    state.put(nodes[1], np.repeat((pull * L, 0.0), (1, 2 * dims - 1)))
    state.q[state.local_dofs(nodes)[:, dims]] = pull
    at = {"x": GAUSS}
    values, ledger = drive(
        world, cycles,
        {"kappa": (rope, "curvature", at), "moment": (rope, "bending_moment", at), "own": (rubs, "bending_moment", at)},
        state,
    )  # fmt: skip
    # component along the binormal
    normal = np.array((0.0, 0.0, 1.0) if dims == 2 else (0.0, -0.8, 0.6))
    kappa, moment = (values[name] if dims == 2 else values[name] @ normal for name in ("kappa", "moment"))
    return kappa, moment + values["own"] @ normal, rubs, ledger


@pytest.mark.parametrize("dims", [2, 3])
def test_loop_of_moment_and_curvature(dims: int) -> None:
    """The initial loading curve has the stiffnesses EI + k_b and EI. The loop of a cycle has the area 4 M_s (κ_a -
    M_s/k_b). This area is the loss per length in the ledger.
    """
    stiffness, limit = BENDING["bending_stiffness"], BENDING["slip_moment"]
    slip, amplitude = limit / stiffness, 4.0 * limit / stiffness
    kappa, moment, _, ledger = bend(BENDING, amplitude, 2, dims)
    assert_allclose(np.abs(kappa).max(), amplitude, rtol=1e-6)
    first = slice(0, STEPS + 1)
    loading = EI * kappa[first] + np.minimum(stiffness * kappa[first], limit)
    assert_allclose(moment[first], loading, rtol=1e-6, atol=1e-6 * limit)
    exact = 4.0 * limit * (amplitude - slip)
    assert_allclose(find_area(kappa, moment), exact, rtol=1e-6)
    lost = ledger["WireFriction.bending_slip"]
    assert_allclose(lost[-1] - lost[4 * STEPS], L * exact, rtol=1e-6)
    assert abs(ledger.rest) < 1e-6 * lost[-1]


def test_slip_moment_increases_with_the_tension() -> None:
    """The slip moment of a cable under the tension T is M_0 + c T."""
    pull, friction = 1e-2, {**BENDING, "slip_moment_per_tension": 3e-7}
    limit = friction["slip_moment"] + friction["slip_moment_per_tension"] * EA * pull
    slip, amplitude = limit / friction["bending_stiffness"], 4.0 * limit / friction["bending_stiffness"]
    kappa, moment, *_ = bend(friction, amplitude, 2, pull=pull)
    assert_allclose(find_area(kappa, moment), 4.0 * limit * (amplitude - slip), rtol=1e-6)
    # a compressed cable has the slip moment M_0
    kappa, moment, *_ = bend(friction, amplitude, 2, pull=-pull)
    exact = 4.0 * BENDING["slip_moment"] * (amplitude - BENDING["slip_moment"] / friction["bending_stiffness"])
    assert_allclose(find_area(kappa, moment), exact, rtol=1e-6)


def test_parallel_bristles() -> None:
    """For four rows with increasing slip moments, the loading curve is the sum of four bilinear curves. The branches of
    a cycle are this curve in double size (Masing), and the area is the sum of the areas of the bristles that slip.
    """
    count, amplitude = 4, 2e-4
    stiffness, slips = np.full(count, 1.5), np.array((0.25, 0.5, 0.75, 1.25)) * amplitude
    rows = {"cable": None, "bending_stiffness": stiffness, "slip_moment": stiffness * slips}
    world, rope, nodes, _ = lay({**BENDING, "active": False})
    rubs = world.add(con.WireFriction, **{**rows, "cable": rope[np.zeros(count, int)]})
    for k in (0, 1):
        con.fix(world, nodes[k], "x", "y", "x'")
        con.prescribe(world, nodes[k], "y'", zigzag((2 * k - 1) * 0.5 * L * amplitude, 2))
    values, ledger = drive(
        world, 2,
        {"kappa": (rope, "curvature", {})} | {f"row {i}": (rubs[i], "bending_moment", {}) for i in range(count)},
    )  # fmt: skip
    kappa, moment = values["kappa"], sum(values[f"row {i}"][:, 2] for i in range(count))

    def load(x: Any) -> Any:
        return np.minimum(stiffness * x[:, None], stiffness * slips).sum(axis=1)

    first = slice(0, STEPS + 1)
    assert_allclose(moment[first], load(kappa[first]), rtol=1e-6, atol=1e-10)
    branch = slice(5 * STEPS, 7 * STEPS + 1)
    half = load(0.5 * (kappa[5 * STEPS] - kappa[branch]))
    assert_allclose(moment[5 * STEPS] - moment[branch], 2.0 * half, rtol=1e-6, atol=1e-10)
    exact = 4.0 * (stiffness * slips * np.maximum(amplitude - slips, 0.0)).sum()
    assert_allclose(find_area(kappa, moment), exact, rtol=1e-6)
    assert abs(ledger.rest) < 1e-6 * ledger.totals["WireFriction.bending_slip"]


@pytest.mark.parametrize("dims", [2, 3])
def test_loop_of_force_and_strain(dims: int) -> None:
    """The loop of the axial force has the stiffnesses EA + k_a and EA, and the area 4 F_s (ε_a - F_s/k_a)."""
    slip = AXIAL["slip_force"] / AXIAL["axial_stiffness"]
    amplitude = 5.0 * slip
    world, rope, nodes, rubs = lay(AXIAL, dims)
    for k in (0, 1):
        con.fix(world, nodes[k], *(name for axis in "yz"[: dims - 1] for name in (axis, f"{axis}'")))
        con.prescribe(world, nodes[k], "x'", zigzag(amplitude, 2))
        con.prescribe(world, nodes[k], "x", zigzag(k * L * amplitude, 2))
    values, ledger = drive(
        world, 2,
        {"strain": (rope, "axial_strain", {}), "force": (rope, "axial_force", {}), "own": (rubs, "axial_force", {})},
    )  # fmt: skip
    strain, force = values["strain"], values["force"] + values["own"]
    first = slice(0, STEPS + 1)
    loading = EA * strain[first] + np.minimum(AXIAL["axial_stiffness"] * strain[first], AXIAL["slip_force"])
    assert_allclose(force[first], loading, rtol=1e-9, atol=1e-9)
    exact = 4.0 * AXIAL["slip_force"] * (amplitude - slip)
    assert_allclose(find_area(strain, force), exact, rtol=1e-9)
    lost = ledger["WireFriction.axial_slip"]
    assert_allclose(lost[-1] - lost[4 * STEPS], L * exact, rtol=1e-9)
    assert abs(ledger.rest) < 1e-6 * lost[-1]


def hang(dims: int, friction: dict[str, Any], **columns: Any) -> tuple[wl.World, Entity, Entity]:
    """Create a rope that swings from its hinge. Return the world, the rope and its friction."""
    world = wl.World(gravity=(0.0, -9.81, 2.0)[:dims])
    given = {"axial_stiffness": 1e4, "bending_stiffness": 1.0, "mass_per_length": 1.0, **columns}
    rope = straight_cable(world, (0.0,) * dims, (2.0, 1.0, 0.5)[:dims], 3, **given)
    con.hinge(world, nodes_of(world, rope)[0])
    return world, rope, world.add(con.WireFriction, cable=rope, **friction)


@pytest.mark.parametrize("dims", [2, 3])
@pytest.mark.parametrize(
    "friction", [{**MIXED, "slip_force": 1e9, "slip_moment": 1e9}, {**MIXED, "slip_force": 1.0}, MIXED]
)
def test_tangents_are_exact(friction: dict[str, Any], dims: int) -> None:
    """Tangents of sticking and of slipping wires agree with differences, at the start, and after a motion that has
    moved the anchors.
    """
    curvature = 0.3 if dims == 2 else (0.1, -0.2, 0.3)
    world, _, rubs = hang(dims, friction, reference_curvature=curvature, reference_strain=-1e-3)
    wl.testing.check_tangent(world, wl.State(world), states=3)
    state = wl.Dynamic(world, step=2e-3, end=0.3, name="").solve()
    assert np.abs(state.of(rubs, "data")[:, :3]).max() > 0.0 or friction["slip_force"] > 1e8
    state.q += 5e-3 * np.random.default_rng(1).standard_normal(len(state.q))
    wl.testing.check_tangent(world, state, states=2)


def rotate_bending(steps: int) -> tuple[float, float]:
    """Let the curvature of a 3D cable rotate about the cable, with three times the curvature at which the wires begin
    to slip. Return the loss [J] of the third turn and the moment [N m] of the bristles at the end of this turn.
    """
    size = 3.0 * BENDING["slip_moment"] / BENDING["bending_stiffness"]
    world, _, nodes, rubs = lay(BENDING, 3)
    for k in (0, 1):
        con.fix(world, nodes[k], "x", "y", "z", "x'")
        for axis, phase in (("y'", 0.0), ("z'", 0.25)):
            con.prescribe(world, nodes[k], axis, con.sine((2 * k - 1) * 0.5 * L * size, 1.0, 2.0 * np.pi * phase))
    state = wl.State(world)
    state.q[state.local_dofs(nodes)[:, 5]] = 0.5 * L * size * np.array((-1.0, 1.0))
    losses = wl.Sensors(None, [wl.Sensor(rubs, "bending_loss", name="loss")])
    state = wl.Dynamic(world, step=1.0 / steps, end=3.0, name="").solve(state, hooks=[losses])
    loss = np.array(losses["loss"])
    return loss[-1] - loss[-1 - steps], float(np.linalg.norm(wl.eval_output(rubs, "bending_moment", state)))


def test_rotating_bending() -> None:
    """If the curvature rotates about the cable with the constant magnitude κ_r, the anchor moves on a circle of the
    radius (κ_r² - κ_s²)^(1/2). In each turn, the lost energy per length is 2π M_s times this radius. The error is of
    first order in the step, so the results of two steps are extrapolated.
    """
    limit, slip = BENDING["slip_moment"], BENDING["slip_moment"] / BENDING["bending_stiffness"]
    (coarse, _), (fine, moment) = rotate_bending(200), rotate_bending(400)
    assert_allclose(2.0 * fine - coarse, L * 2.0 * np.pi * limit * np.sqrt(8.0) * slip, rtol=2e-4)
    assert_allclose(moment, limit, rtol=1e-6)


@pytest.mark.parametrize("dims", [2, 3])
@pytest.mark.parametrize("limit", [1.0, 0.3])
def test_rigid_rotation(limit: float, dims: int) -> None:
    """A bent cable rotates about its binormal in large steps. The magnitudes of the moments, the energies and the
    losses do not change, with sticking and with slipping wires.
    """
    world, _, nodes, rubs = lay({**BENDING, "slip_moment": limit}, dims)
    angles = np.array((0.0, 0.0, 0.5, 2.0, 3.5, 5.0))
    turn = np.exp(1j * angles)
    up = "y" if dims == 2 else "z"
    for k in (0, 1):
        # positions and slopes in the plane of motion are complex numbers; the first shape is straight
        slope = turn * (1.0 + 0.1j * (2 * k - 1) * (np.arange(len(turn)) > 0))
        for name, values in (("", k * L * (turn - 1.0)), ("'", slope - 1.0)):
            con.prescribe(world, nodes[k], f"x{name}", con.table(np.arange(len(turn)), values.real))
            con.prescribe(world, nodes[k], f"{up}{name}", con.table(np.arange(len(turn)), values.imag))
        if dims == 3:
            con.fix(world, nodes[k], "y", "y'")
    sizes, energies, losses = [], [], []
    solver = wl.Dynamic(world, step=1.0, end=len(turn) - 1.0, name="")
    ledger = wl.EnergyLedger()
    for state in solver.march(wl.State(world), hooks=[ledger]):
        sizes.append(np.linalg.norm(wl.eval_output(rubs, "bending_moment", state)))
        losses.append(float(wl.eval_output(rubs, "bending_loss", state)))
        energies.append(ledger["WireFriction.bending"][-1])
    sticking = BENDING["bending_stiffness"] * 0.2 / (L * (1.0 + 0.1**2 / 3.0))
    after = slice(-(len(turn) - 1), None)
    assert_allclose(sizes[after], min(limit, sticking), rtol=1e-9)
    assert (losses[-1] > 0.01) == (limit < sticking)
    assert_allclose(losses[after], losses[-1], rtol=1e-9)
    assert_allclose(energies[after], energies[-1], rtol=1e-9)


@pytest.mark.parametrize("dims", [2, 3])
@pytest.mark.parametrize("relative", [0.0, 1.0])
def test_stress_free_state(relative: float, dims: int) -> None:
    """The bristles have no deflection in the stress-free state: the reference configuration, which is curved, or a
    straight cable.
    """
    world = wl.World()
    node, cable = (PointSlope2D, Cable2D) if dims == 2 else (PointSlope3D, Cable3D)
    ends = np.zeros((2, dims)), np.zeros((2, dims))
    ends[0][1, 0], ends[1][:, 0], ends[1][:, 1] = 1.1 * L, 1.1, (-0.2, 0.2)
    nodes = world.add(node, position=ends[0], slope=ends[1])
    section = {**SECTION, "strain_is_relative_to_reference": relative}
    rope = world.add(cable, node0=nodes[0], node1=nodes[1], length=L, **section)
    friction = {"axial_stiffness": 1.0, "slip_force": 1.0, "bending_stiffness": 1.0, "slip_moment": 1.0}
    rubs = world.add(con.WireFriction, cable=rope, **friction)
    state = wl.State(world)
    for name, of_cable, x in (("axial_force", "axial_strain", 0.5 * L), ("bending_moment", "curvature", GAUSS)):
        exact = (1.0 - relative) * np.linalg.norm(wl.eval_output(rope, of_cable, state, x=x))
        found = np.linalg.norm(wl.eval_output(rubs, name, state, x=x))
        assert_allclose(found, exact, rtol=1e-9, atol=1e-15, err_msg=name)


def test_decay_in_tension() -> None:
    """For a mass on a massless rope, the turning points of the free vibration fulfil the balance of energy, K (x_1² -
    x_2²)/2 = F_s (x_1 + x_2 - 2 x_s) with K = EA/L and x_s = L F_s/k_a, until the bristle no longer slips.
    """
    mass, start = 20.0, 0.01
    world, _, nodes, _ = lay(AXIAL, mass_per_length=1e-6)
    con.fix(world, nodes[0], "x", "y", "y'")
    con.fix(world, nodes[1], "y'")
    body = world.add(MassPoint, position=(L, 0.0), mass=mass)
    con.fix(world, body, "y")
    ends = [con.position_marker(world, entity) for entity in (nodes[1], body)]
    world.add(con.RevoluteJoint2D, marker0=ends[0], marker1=ends[1])
    pull = world.add(con.Force, marker=ends[1], vector=(EA / L * start + AXIAL["slip_force"], 0.0, 0.0))
    state = wl.Static(world, name="").solve()
    world.set(pull, vector=(0.0, 0.0, 0.0))
    sensors = wl.Sensors(None, [wl.Sensor(body, "displacement", component=0, name="x")])
    ledger = wl.EnergyLedger()
    period = 2.0 * np.pi * np.sqrt(mass * L / EA)
    wl.Dynamic(world, step=period / 1000, end=3.0 * period, name="", rtol=1e-10).solve(state, hooks=[sensors, ledger])
    x = np.array(sensors["x"])
    turns = np.abs(x[1:-1][(np.diff(x)[1:] * np.diff(x)[:-1]) <= 0.0])
    exact, K, limit, slip = [start], EA / L, AXIAL["slip_force"], L * AXIAL["slip_force"] / AXIAL["axial_stiffness"]
    for _ in range(4):
        x1 = exact[-1]
        exact.append(max(np.roots((0.5 * K, limit, limit * (x1 - 2.0 * slip) - 0.5 * K * x1**2)).real))
    assert exact[-1] < 0.7 * start
    assert_allclose(turns[:4], exact[1:], rtol=1e-4)
    assert abs(ledger.rest) < 1e-6 * ledger.totals["WireFriction.axial_slip"]


def test_decay_in_bending() -> None:
    """A hinged cable vibrates in its first mode φ. Between two turning points with the amplitudes a and b, the loss
    agrees with the static loops of all points, ∫ M_s ((a + b) |φ''| - 2 κ_s) dx over the points that slip. The energy
    EI ∫ (a φ'')² dx/2 decreases by this loss.
    """
    count, length, rho, amplitude = 20, 2.0, 0.5, 0.01
    friction = {"bending_stiffness": 0.4, "slip_moment": 2e-4}
    world = wl.World()
    rope = straight_cable(world, (0.0, 0.0), (length, 0.0), count, **{**SECTION, "mass_per_length": rho})
    nodes = nodes_of(world, rope)
    con.fix(world, nodes[0], "x", "y")
    con.fix(world, nodes[count], "y")
    rubs = world.add(con.WireFriction, cable=rope, **friction)
    state, wave, x = wl.State(world), np.pi / length, np.linspace(0.0, length, count + 1)
    shape = amplitude * np.stack((0.0 * x, np.sin(wave * x), 0.0 * x, wave * np.cos(wave * x)), axis=-1)
    state.put(nodes, shape)
    period = 2.0 * np.pi / (wave**2 * np.sqrt(EI / rho))
    ledger, places, losses = wl.EnergyLedger(), [amplitude], [0.0]
    for now in wl.Dynamic(world, step=period / 500, end=3.0 * period, name="", rtol=1e-10).march(state, hooks=[ledger]):
        places.append(float(now.q[now.local_dofs(nodes[count // 2])[0, 1]]))
        losses.append(float(wl.eval_output(rubs, "bending_loss", now).sum()))
    y, loss = np.array(places), np.array(losses)
    turns = 1 + np.flatnonzero(np.diff(y)[1:] * np.diff(y)[:-1] <= 0.0)
    assert len(turns) >= 5
    curvature = wave**2 * np.sin(wave * (np.arange(4000) + 0.5) / 4000 * length)
    slip = friction["slip_moment"] / friction["bending_stiffness"]
    sizes = np.abs(y[turns])
    ways = np.maximum((sizes[1:] + sizes[:-1])[:, None] * curvature - 2.0 * slip, 0.0)
    exact = friction["slip_moment"] * length * ways.mean(axis=1)
    assert_allclose(np.diff(loss[turns]), exact, rtol=0.01)
    energy = 0.25 * EI * wave**4 * length * sizes**2
    assert_allclose(energy[0] - energy[-1], exact.sum(), rtol=0.03)
    assert abs(ledger.rest) < 1e-6 * ledger.totals["WireFriction.bending_slip"]


def fall(p: Mapping[str, float]) -> Any:
    """Create a rope whose wires slip while it falls from a horizontal start."""
    world = wl.World(gravity=(0.0, -9.81))
    section = {"axial_stiffness": 1e3, "bending_stiffness": 0.3, "mass_per_length": 1.0}
    rope = straight_cable(world, (0.0, 0.0), (2.0, 0.0), 3, **section)
    nodes = nodes_of(world, rope)
    con.hinge(world, nodes[0])
    rubs = world.add(con.WireFriction, cable=rope, **p)

    def results(state: wl.State) -> dict[str, float]:
        loss = sum(wl.eval_output(rubs, name, state).sum() for name in ("axial_loss", "bending_loss"))
        return {"y": float(state.of(nodes[3])[0, 1]), "loss": float(loss)}

    return world, results


def test_derivatives_of_a_motion() -> None:
    """Derivatives of a motion in which wires slip, and the gradient by the adjoint, agree with differences of complete
    solves.
    """

    def motion(world: wl.World) -> wl.Dynamic:
        return wl.Dynamic(world, step=1e-3, end=0.1, **EXACT)

    p = {**MIXED, "axial_stiffness": 400.0, "slip_force": 1.0}
    found = wl.evaluate_motion(fall, p, motion)
    assert found.y["loss"][-1] > 0.0
    objective = wl.evaluate_objective(fall, p, motion, wl.end_value("y"))
    for name in p:
        slopes = find_slopes(fall, p, name, motion, 1e-5)
        assert max(largest_errors(found, name, slopes).values()) < 1e-5, name
        assert_allclose(objective.gradient[name], found.dy["y"][name][-1], rtol=2e-4, err_msg=name)


def test_frequencies() -> None:
    """The frequencies of a hinged cable are the frequencies with sticking wires, EI + k_b, at the start and in an
    equilibrium in which all wires have slipped.
    """
    world = wl.World(gravity=(0.0, -9.81))
    rope = straight_cable(world, (0.0, 0.0), (L, 0.0), 10, **{**SECTION, "mass_per_length": 0.01})
    nodes = nodes_of(world, rope)
    con.fix(world, nodes[0], "x", "y")
    con.fix(world, nodes[10], "y")
    rubs = world.add(con.WireFriction, cable=rope, bending_stiffness=6.0, slip_moment=1e-4)
    state = wl.Static(world, name="").solve()
    assert (wl.eval_output(rubs, "bending_loss", state) > 0.0).all()
    # rounding errors of the moments are smaller than their distance from the limit
    sizes = np.linalg.norm(wl.eval_output(rubs, "bending_moment", state, x=[[0.1 * GAUSS]] * 10), axis=-1)
    assert_allclose(sizes, 1e-4 * (1.0 - 1e-10), rtol=1e-12)
    exact = (np.pi / L) ** 2 * np.sqrt((EI + 6.0) / 0.01) / (2.0 * np.pi)
    for at in (wl.State(world), state):
        assert_allclose(wl.Modes(world, count=1, name="").solve(at).frequencies[0], exact, rtol=2e-3)


def test_restart_is_bitwise_equal(tmp_path: Path) -> None:
    """The history values in a run that continues from a checkpoint are equal to the values in an uninterrupted run."""
    file = tmp_path / "run.h5"

    def run(end: float, **checkpoint: Any) -> tuple[wl.State, wl.EnergyLedger]:
        world, *_ = hang(3, MIXED)
        ledger = wl.EnergyLedger()
        hooks = [ledger, *([wl.Checkpoint(file, **checkpoint)] if checkpoint else [])]
        return wl.Dynamic(world, step=1e-3, end=end, name="").solve(hooks=hooks), ledger

    (whole, ledger), _ = run(0.2, every=100), run(0.1, every=100)
    again, continued = run(0.2, every=100, restart=file)
    for name in ("q", "v", "a", "data"):
        assert_array_equal(getattr(again, name), getattr(whole, name))
    lost = "WireFriction.bending_slip"
    assert ledger.totals[lost] > 0.0 and continued.totals[lost] == ledger.totals[lost]


@pytest.mark.mpi
def test_two_processes(tmp_path: Path) -> None:
    """Coordinates, forces and losses agree between runs on one and two processes."""
    done = run_python([ROOT / "tests/support/parallel_wire_friction.py", tmp_path / "rope.npz", "-quiet"], 2)
    assert done.returncode == 0, done.stderr
    serial, found = run_rope(), np.load(tmp_path / "rope.npz")
    assert serial["axial_loss"].sum() > 0.0 and serial["bending_loss"].sum() > 0.0
    for name, values in serial.items():
        assert_allclose(found[name], values, rtol=0, atol=1e-8 * np.abs(values).max(), err_msg=name)


def test_inactive_rows() -> None:
    """Inactive rows exert no force and keep their history values. If a rope breaks, the friction of the broken cable
    becomes inactive.
    """
    world, rope, rubs = hang(2, MIXED)
    breaking = con.BreakingLinks([con.Link(rope, time=0.1)])
    stored, forces = [], []
    for state in wl.Dynamic(world, step=1e-3, end=0.2, name="").march(hooks=[breaking]):
        stored.append(state.of(rubs, "data").copy())
        forces.append(wl.eval_output(rubs, "axial_force", state))
    broken = breaking.breaks[0].cable
    whole = np.arange(3) != broken
    assert_array_equal(rubs.active, whole)
    assert_array_equal(stored[-1][broken], stored[110][broken])
    assert (stored[-1][whole] != stored[110][whole]).any() and stored[-1][broken].any()
    assert forces[90][broken] != 0.0 and forces[-1][broken] == 0.0


@pytest.mark.parametrize("at_start", [True, False])
@pytest.mark.parametrize("dims", [2, 3])
def test_broken_cables(dims: int, at_start: bool) -> None:
    """Friction on a cable that the user marks as broken exerts no force. If the cable is repaired, the friction acts
    again.
    """
    world, rope, rubs = hang(dims, MIXED)
    if at_start:
        world.set(rope[1], broken=True)
    state = wl.Dynamic(world, step=1e-3, end=0.02, name="").solve()
    whole = np.array([True, not at_start, True])
    assert_array_equal(wl.eval_output(rubs, "axial_force", state) != 0.0, whole)
    world.set(rope[1], broken=not at_start)
    before = state.of(rubs, "data").copy()
    state = wl.Dynamic(world, step=1e-3, end=0.04, name="").solve(state)
    assert_array_equal(wl.eval_output(rubs, "axial_force", state) != 0.0, [True, at_start, True])
    assert_array_equal((state.of(rubs, "data") != before).any(axis=1), [True, at_start, True])


@pytest.mark.parametrize(
    ("friction", "words"),
    [
        ({"axial_stiffness": -1.0}, "axial_stiffness = -1.0 N in WireFriction row 0: must be >= 0"),
        ({"slip_force": -1.0}, "slip_force = -1.0 N in WireFriction row 0: must be >= 0"),
        ({"bending_stiffness": -1.0}, r"bending_stiffness = -1.0 N m\^2 in WireFriction row 0: must be >= 0"),
        ({"slip_moment": -1.0}, "slip_moment = -1.0 N m in WireFriction row 0: must be >= 0"),
        ({"slip_moment_per_tension": -1.0}, "slip_moment_per_tension = -1.0 m in WireFriction row 0: must be >= 0"),
        (
            {"slip_force": 5.0},
            "axial_stiffness = 0.0 N, slip_force = 5.0 N in WireFriction row 0: must have axial_stiffness > 0 N",
        ),
        (
            {"axial_stiffness": 5.0},
            "axial_stiffness = 5.0 N, slip_force = 0.0 N in WireFriction row 0: must have slip_force > 0 N",
        ),
        ({"slip_moment_per_tension": 1e-3}, r"must have bending_stiffness > 0 N m\^2"),
        ({"bending_stiffness": 5.0}, "must have slip_moment > 0 N m or slip_moment_per_tension > 0 m"),
    ],
)
def test_bad_friction(friction: dict[str, Any], words: str) -> None:
    with pytest.raises(wl.ModelError, match=words):
        lay(friction)[0].finalize()


def test_bad_cables() -> None:
    """Cables with moving material, and nonlinear tensions with a slip moment that depends on the tension, cause
    errors.
    """
    fibre = {"slow_stiffness": 1e5, "slow_damping": 1e5}
    table = {"tension_table": [(0.0, 0.0), (0.1, 1e3)]}
    function = {"axial_force_function": lambda *given: 0.0}
    for columns, name in ((fibre, "FibreCable2D"), (table, "TableCable2D"), (function, "Cable2D")):
        lay(BENDING, **columns)[0].finalize()
        words = f"slip_moment_per_tension = 0.001 m in WireFriction row 0: must be 0 m on a {name} whose tension is not"
        with pytest.raises(wl.ModelError, match=words):
            lay(MIXED, **columns)[0].finalize()
    wrong = "cable in WireFriction row 0 is a {}: must be a Cable2D, a Cable3D"
    world = wl.World()
    nodes = world.add(PointSlope2D, position=[(0.0, 0.0), (1.0, 0.0)], slope=(1.0, 0.0))
    ends = {"node0": nodes[0], "node1": nodes[1], "ale": world.add(ALENode), "length": 1.0}
    world.add(con.WireFriction, cable=world.add(ALECable2D, **ends, **SECTION), **BENDING)
    with pytest.raises(wl.ModelError, match=wrong.format("ALECable2D")):
        world.finalize()
    world, rope, _ = winches.hang(1.0)
    with pytest.raises(wl.ModelError, match="cable in WireFriction row 0 = <WinchCable2D 0>: must be a cable"):
        world.add(con.WireFriction, cable=rope.cables, **BENDING)


def test_bad_history() -> None:
    """Wrong numbers of history values cause an error."""
    world, rope, _, _ = lay(BENDING)
    world.add(con.WireFriction, cable=rope, data=world.add(GenericData, initial=(0.0, 0.0)), **BENDING)
    with pytest.raises(wl.ModelError, match="data of WireFriction row 1 has 2 values: must have 17"):
        world.finalize()
