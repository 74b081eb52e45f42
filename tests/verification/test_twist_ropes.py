"""Tests of ropes with twist whose tension differs from the linear law, and of laws on cables with twist: closed forms,
comparison with ropes without twist, tangents, energy, restart and several processes.

With the tension N_1(ε) of a rope without twist, a rope that is free to rotate carries the force N_1(ε) - C² ε/GJ at the
twist τ = -C ε/GJ. If its ends cannot rotate, it has the torque C ε.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.interpolate import PchipInterpolator
from scipy.optimize import brentq

import windlass as wl
from windlass import connectors as con
from windlass.elements import Ground, MassPoint, cable_along, helix, nodes_of, straight_cable
from windlass.elements.cable.working_cable import find_static_strain
from windlass.framework.assembly.assembly import serial_assembly
from windlass.framework.model.table import Entity

from support.cables import residual, shake
from support.parallel_twist_ropes import create, run_ropes
from support.processes import ROOT, run_python

EA, GJ, C, L = 2e5, 40.0, 900.0, 6.0
SECTION = {"mass_per_length": 0.8, "bending_stiffness": 2.0}
TWIST = {"torsional_stiffness": GJ, "rotary_inertia": 1e-3, "coupling": C}
TABLE = [(-0.02, -1000.0), (0.0, 0.0), (0.01, 500.0), (0.03, 4000.0), (0.05, 6000.0)]
FIBRE = {"axial_stiffness": EA, "slow_stiffness": 1e5, "slow_damping": 3e4, "stiffening": 20.0}
STATIC = {"axial_stiffness": EA, "static_stiffness": 6e4, "slow_damping": 3e4, "stiffening": 20.0}
WORKING = {
    "axial_stiffness": 3e5, "slow_damping": 1e4, "stiffening": 5.0, "largest_load": 3000.0, "working_offset": 0.3,
    "working_strains": (0.0, 0.01, 0.04, 0.1), "working_tensions": (0.0, 600.0, 3000.0, 9000.0),
}  # fmt: skip
LAWS: dict[str, dict[str, Any]] = {
    "table": {"tension_table": TABLE}, "fibre": FIBRE, "static": STATIC, "working": WORKING,
}  # fmt: skip


def lay(law: dict[str, Any], **columns: Any) -> tuple[wl.World, Entity, Entity]:
    """Create a straight rope of two elements along x with a clamp at its start. The nodes move only along x and rotate
    only about x. Return the world, the rope and its nodes.
    """
    world = wl.World()
    rope = straight_cable(world, (0, 0, 0), (L, 0, 0), 2, **{**SECTION, **TWIST, **law, **columns})
    nodes = nodes_of(world, rope)
    con.clamp(world, nodes[0])
    con.fix(world, nodes[1:], "y", "z", "y'", "z'")
    return world, rope, nodes


def find_tension(law: dict[str, Any], strain: float) -> float:
    """Return the static tension [N] of a rope without twist, which follows from the definition of its law."""
    if "tension_table" in law:
        return float(PchipInterpolator(*np.transpose(law["tension_table"]))(strain))
    if "static_stiffness" in law:
        return float(law["static_stiffness"] * strain)
    K, stiff, beta = law["slow_stiffness"], law["axial_stiffness"], law["stiffening"]
    return float(brentq(lambda N: N / K + N / (stiff + beta * N) - strain, 0.0, 1e6, xtol=1e-9))


@pytest.mark.parametrize("free", [True, False])
@pytest.mark.parametrize("name", ["table", "fibre", "static"])
def test_static_tension_and_twist(name: str, free: bool) -> None:
    """Under a constant force, strain, twist and torque agree with the closed form, with a free end and with an end that
    cannot rotate.
    """
    law, force = LAWS[name], 2500.0
    world, rope, nodes = lay(law)
    if not free:
        con.fix(world, nodes[2], "twist")
    world.add(con.Force, marker=con.position_marker(world, nodes[2]), vector=(force, 0.0, 0.0))
    state = wl.Static(world, name="", rtol=1e-12).solve()
    most = TABLE[-1][0] if name == "table" else 0.2
    strain = brentq(lambda e: find_tension(law, e) - (C * C / GJ * e if free else 0.0) - force, 0.0, most, xtol=1e-15)
    assert_allclose(wl.eval_output(rope, "axial_strain", state), strain, rtol=1e-8)
    assert_allclose(wl.eval_output(rope, "axial_force", state), force, rtol=1e-8)
    assert_allclose(wl.eval_output(rope, "torque", state), 0.0 if free else C * strain, rtol=1e-8, atol=1e-8)
    assert_allclose(
        wl.eval_output(nodes[2], "twist", state), -C * strain * L / GJ if free else 0.0, rtol=1e-8, atol=1e-12
    )


def test_working_curve_with_twist() -> None:
    """A rope with working curves whose end is free to rotate has the strain of the working curve at the tension without
    the coupling, and remembers the largest load.
    """
    world, rope, nodes = lay(WORKING)
    pull = world.add(con.Force, marker=con.position_marker(world, nodes[2]), vector=(5000.0, 0.0, 0.0))
    state = wl.Static(world, name="", rtol=1e-12).solve()
    high = float(wl.eval_output(rope, "axial_strain", state)[0])
    assert_allclose(find_static_strain(WORKING, 5000.0 + C * C / GJ * high), high, rtol=1e-8)
    world.set(pull, vector=(2000.0, 0.0, 0.0))
    state = wl.Static(world, name="", rtol=1e-12).solve(state)
    low = float(wl.eval_output(rope, "axial_strain", state)[0])
    law = {**WORKING, "largest_load": 5000.0 + C * C / GJ * high}
    assert_allclose(find_static_strain(law, 2000.0 + C * C / GJ * low), low, rtol=1e-7)


@pytest.mark.parametrize(
    ("name", "integration"), [*(("table", n) for n in range(3)), ("fibre", 2), ("static", 2), ("working", 2)]
)
def test_tangents_are_exact(name: str, integration: int) -> None:
    """Tangents of bent and twisted ropes agree with differences, including broken ropes and compressed elements."""
    world = wl.World(gravity=(0.0, 0.0, -9.81))
    more = {"axial_damping": 300.0, "torsional_damping": 2.0, "reference_strain": -0.015, "integration": integration}
    slow = {} if name == "table" else {"slow_strain": (0.01, -0.02, 0.05)}
    rope = straight_cable(world, (0, 0, 0), (2, 1, 0.5), 3, **SECTION, **TWIST, **LAWS[name], **more, **slow)
    state = wl.State(world)
    wl.testing.check_tangent(world, state, states=3)
    world.set(rope[1], broken=True)
    wl.testing.check_tangent(world, state, states=1)


@pytest.mark.parametrize("name", LAWS)
def test_untwisted_as_rope_without_twist(name: str) -> None:
    """Without twist, coupling and spin inertia, forces and outputs equal the results of the rope without twist."""
    route, law = helix((0, 0, 0), (0, 0, 1), 1.0, 0.6, pitch=1.5), dict(LAWS[name])
    slow = () if name == "table" else ("slow_strain",)
    law |= {"slow_strain": 0.013} if slow else {}
    world, plain = wl.World(), wl.World()
    rods = cable_along(world, route, 3, **SECTION, **law, torsional_stiffness=GJ, rotary_inertia=1e-20)
    ropes = cable_along(plain, route, 3, **SECTION, **law)
    assert rods.kind == f"Twist{ropes.kind}"
    nodes, others = nodes_of(world, rods), nodes_of(plain, ropes)
    state, other = wl.State(world), shake(wl.State(plain))
    dofs, axis = state.local_dofs(nodes), other.local_dofs(others)
    state.q[dofs[:, :6]], state.v[dofs[:, :6]] = other.q[axis], other.v[axis]
    for number in ropes.slow if slow else ():
        other.v[other.local_dofs(plain.entity(int(number)))] = 0.013
    for k in range(3):
        state.q[dofs[k + 1 :, 6]] -= wl.eval_output(rods, "twist", state)[k] * rods.length[k]
    expected = residual(plain, other)[axis]
    assert_allclose(residual(world, state)[dofs[:, :6]], expected, rtol=0, atol=1e-11 * np.abs(expected).max())
    for output in ("axial_force", "bending_moment", "axial_strain", *slow):
        one, two = wl.eval_output(rods, output, state, x=0.2), wl.eval_output(ropes, output, other, x=0.2)
        assert_allclose(one, two, rtol=0, atol=1e-11 * np.abs(two).max(), err_msg=output)


def swing(name: str, step: float) -> tuple[float, float]:
    """Let a bent rope swing and spin. Return the remainder of its ledger and its losses [J]."""
    world = wl.World(gravity=(0.0, 0.0, -9.81))
    slow = {} if name == "table" else {"slow_strain": 0.001}
    more = {"axial_damping": 500.0, "torsional_damping": 0.2, "coupling": 300.0}
    rope = straight_cable(world, (0, 0, 0), (2, 1, 0), 3, **{**SECTION, **TWIST, **LAWS[name], **more, **slow})
    nodes = nodes_of(world, rope)
    con.clamp(world, nodes[0])
    world.add(con.Torque, marker=con.rigid_marker(world, nodes[3]), vector=(3.0, 0.0, 0.0), body_fixed=True)
    world.add(con.Force, marker=con.position_marker(world, nodes[3]), vector=(200.0, 100.0, 0.0))
    ledger = wl.EnergyLedger()
    wl.Dynamic(world, step=step, end=0.1, name="", rtol=1e-11, spectral_radius=1.0).solve(hooks=[ledger])
    losses = ("axial_damping", "torsional_damping", *("slow_damping" for _ in slow))
    lost = [ledger.totals[f"{rope.kind}.{loss}"] for loss in losses]
    assert min(lost) > 1e-3 and abs(ledger.totals[f"{rope.kind}.torsion"]) > 0.01
    return float(ledger.rest), float(sum(lost))


@pytest.mark.parametrize("name", LAWS)
def test_energy(name: str) -> None:
    """The work of the forces of a rope equals the changes of its energies and its losses. The remainder of the ledger
    decreases with the square of the step.
    """
    (coarse, lost), (fine, _) = swing(name, 2e-4), swing(name, 1e-4)
    assert abs(fine) < 1e-3 * lost
    assert abs(fine) < 0.3 * abs(coarse)


def test_line_torque_twists_a_rod() -> None:
    """A uniform torque m along a rod that is clamped at one end twists the rod by m (L x - x²/2)/GJ."""
    m = 0.7
    world = wl.World()
    rope = straight_cable(
        world, (0, 1, 0), (L, 1, 0), 4, axial_stiffness=EA, **SECTION, **{**TWIST, "coupling": 0.0}
    )  # fmt: skip
    nodes = nodes_of(world, rope)
    con.clamp(world, nodes[0])
    con.fix(world, nodes[1:], "y", "z", "y'", "z'")
    loads = world.add(con.LineTorque, cable=rope, vector=(m, 0.0, 0.0), body_fixed=[True, False, True, False])
    state = wl.Static(world, name="", rtol=1e-12).solve()
    x = np.arange(5) * L / 4.0
    assert_allclose(wl.eval_output(nodes, "twist", state), m * (L * x - 0.5 * x * x) / GJ, atol=1e-10)
    assert_allclose(wl.eval_output(rope, "torque", state), m * (L - 0.5 * (x[1:] + x[:-1])), rtol=1e-9)
    assert_allclose(wl.eval_output(loads, "torque_per_length", state), np.tile((m, 0.0, 0.0), (4, 1)), atol=1e-12)


@pytest.mark.parametrize("turns", [True, False])
def test_line_torque_on_a_bent_rod(turns: bool) -> None:
    """The power of a distributed torque is the integral of torque times angular velocity of the material, and its
    tangent agrees with differences.
    """
    columns = {"axial_stiffness": 500.0, "mass_per_length": 0.7, "bending_stiffness": (3.0, 1.0)}
    rod = {**columns, "torsional_stiffness": 2.0, "rotary_inertia": 0.1}
    given, found, m = helix((0, 0, 0), (0, 0, 1), 1.0, 0.6, pitch=1.5), [], np.array((0.7, -1.1, 0.4))
    for loaded in (False, True):
        world = wl.World()
        rods = cable_along(world, given, 2, **rod)
        if loaded:
            loads = world.add(con.LineTorque, cable=rods, vector=m, body_fixed=turns, points=3)
            wl.testing.check_tangent(world)
        state = shake(wl.State(world))
        found.append(residual(world, state))
    x, w = np.polynomial.legendre.leggauss(3)
    places = 0.5 * (1.0 + x) * rods.length[:, None]
    spin = wl.eval_output(rods, "angular_velocity", state, x=places)
    D = wl.eval_output(rods, "frame", state, x=places)
    torque = np.einsum("rkab,b->rka", D, m) if turns else np.broadcast_to(m, spin.shape)
    power = (0.5 * w * rods.length[:, None] * (spin * torque).sum(axis=2)).sum()
    assert_allclose((found[0] - found[1]) @ state.v, power, rtol=1e-11)
    assert_allclose(wl.eval_output(loads, "torque_per_length", state, x=places), torque, rtol=1e-12)


@pytest.mark.parametrize("name", LAWS)
def test_laws_of_cables(name: str) -> None:
    """Loads along the axis, contact with friction that turns the ropes, and a carriage act on all types of ropes with
    exact tangents.
    """
    world = wl.World(gravity=(0.0, 0.0, -9.81))
    slow = {} if name == "table" else {"slow_strain": 0.004}
    columns = {**SECTION, **TWIST, **LAWS[name], "reference_strain": -0.013, **slow}
    ropes = [straight_cable(world, (0, y, 0), (2, y, z), 4, **columns) for y, z in ((0.0, 0.0), (0.04, 0.01))]
    for rope in ropes:
        con.clamp(world, nodes_of(world, rope)[[0, 4]])
    world.add(con.LineLoad, cable=ropes[0], vector=(0.0, 3.0, 1.0))
    water = world.add(con.Fluid, density=1000.0)
    world.add(con.FluidLoad, cable=ropes[1], fluid=water, diameter=0.03, normal_drag=1.2)
    law = {"contact_stiffness_per_length": 1e4, "friction_coefficient": 0.2, "friction_stiffness_per_length": 1e4}
    ground = world.add(Ground)
    plane = world.add(con.PlaneSurface, marker=con.rigid_marker(world, ground, (0.0, 0.0, -0.015)))
    con.add_surface_contact(world, plane, ropes[0], points=2, rope_radius=0.02, turns_rope=True, **law)
    con.add_cable_contact(world, ropes, radius=0.021, points=20, turns_rope=True, **law)
    con.sliding_joint(world, ropes[0], world.add(MassPoint, position=(0.7, 0.0, 0.0), mass=0.1), 0.7)
    state = wl.State(world)
    for rope in ropes:
        dofs = state.local_dofs(nodes_of(world, rope))
        state.v[dofs] = 0.1 + 0.01 * np.arange(dofs.size).reshape(dofs.shape)
    wl.testing.check_tangent(world, state, displacement=1e-3)


@pytest.mark.parametrize("twists", [True, False])
@pytest.mark.parametrize("name", [*LAWS, "linear"])
def test_strain_coordinate(name: str, twists: bool) -> None:
    """The strain coordinate of a rope is its axial strain minus the stress-free strain, and laws on this coordinate
    have exact tangents, with and without twist.
    """
    law = {**SECTION, **LAWS.get(name, {"axial_stiffness": 2e4}), "reference_strain": -0.013}
    law |= {**TWIST, "coupling": 300.0} if twists else {}
    law |= {"slow_strain": 0.004} if "slow_damping" in law else {}
    world = wl.World()
    rope = straight_cable(world, (0, 0, 0), (2, 1, 0.5), 2, **law)
    strain = con.strain_coordinate(world, rope, 0.3)
    world.add(con.CoordinateSpringDamper, marker1=strain, stiffness=100.0, damping=3.0)
    wl.testing.check_tangent(world)
    state = shake(wl.State(world))
    assembly = serial_assembly(world)
    assembly.load_fields(state)
    exact = wl.eval_output(rope, "axial_strain", state, x=0.3 * rope.length) + 0.013
    assert_allclose(assembly.fields.markers["coordinate marker"].value[:2], exact, rtol=1e-12)


def pull_linear(t: float, x: Any, e: Any, e_t: Any, e_ref: Any, kap: Any, kap_t: Any, kap_ref: Any, p: Any) -> Any:
    return p.axial_stiffness * (e - e_ref) + p.axial_damping * e_t


def bend_linear(t: float, x: Any, e: Any, e_t: Any, e_ref: Any, kap: Any, kap_t: Any, kap_ref: Any, p: Any) -> Any:
    return p.bending_stiffness * kap + p.bending_damping * kap_t


def pull_more(t: float, x: Any, e: Any, e_t: Any, e_ref: Any, kap: Any, kap_t: Any, kap_ref: Any, p: Any) -> Any:
    strain = e - e_ref
    return p.axial_stiffness * strain * (1.0 + 4.0 * strain) + p.axial_damping * e_t + 0.3 * kap * e_t


def bend_more(t: float, x: Any, e: Any, e_t: Any, e_ref: Any, kap: Any, kap_t: Any, kap_ref: Any, p: Any) -> Any:
    return p.bending_stiffness * (kap - kap_ref) * (1.0 + kap**2) + p.bending_damping * kap_t


@pytest.mark.parametrize("integration", [0, 1, 2])
def test_linear_user_functions(integration: int) -> None:
    """User functions that return the linear laws give the forces and outputs of rods without user functions."""
    columns = {
        "mass_per_length": 0.7, "rotary_inertia": 0.3, "axial_stiffness": 500.0, "bending_stiffness": 3.0,
        "torsional_stiffness": 2.0, "coupling": 10.0, "reference_strain": 0.01, "axial_damping": 2.0,
        "torsional_damping": 0.4, "integration": integration,
    }  # fmt: skip
    users = {"axial_force_function": pull_linear, "bending_moment_function": bend_linear}
    found = []
    for more in ({}, users, {"axial_force_function": pull_linear}, {"bending_moment_function": bend_linear}):
        world = wl.World()
        rods = cable_along(world, helix((0, 0, 0), (0, 0, 1), 1.0, 0.6, pitch=1.5), 3, **columns, **more)
        state = shake(wl.State(world))
        names = "axial_force", "bending_moment", "torque"
        outputs = [np.ravel(wl.eval_output(rods, name, state, x=0.1)) for name in names]
        found.append((residual(world, state), np.concatenate(outputs)))
    for given in found[1:]:
        for one, two in zip(given, found[0], strict=True):
            assert_allclose(one, two, rtol=0, atol=1e-11 * np.abs(two).max())


def test_user_functions() -> None:
    """Tangents of rods with user functions agree with differences, and their strain under a force agrees with the
    closed form.
    """
    columns = {
        "mass_per_length": 0.7, "rotary_inertia": 0.3, "axial_stiffness": 500.0, "bending_stiffness": 3.0,
        "torsional_stiffness": 2.0, "coupling": 10.0, "reference_curvature": (0.2, -0.1), "reference_twist": 0.3,
        "strain_is_relative_to_reference": 0.4, "axial_damping": 2.0, "bending_damping": 0.1,
        "axial_force_function": pull_more, "bending_moment_function": bend_more,
    }  # fmt: skip
    world = wl.World()
    rods = cable_along(world, helix((0, 0, 0), (0, 0, 1), 1.0, 0.6, pitch=1.5), 3, **columns)
    wl.testing.check_tangent(world, states=3)
    world.set(rods[1], broken=True)
    wl.testing.check_tangent(world, states=1)
    world, rope, nodes = lay({"axial_stiffness": EA, "axial_force_function": pull_more})
    world.add(con.Force, marker=con.position_marker(world, nodes[2]), vector=(2500.0, 0.0, 0.0))
    state = wl.Static(world, name="", rtol=1e-12).solve()
    e = brentq(lambda e: EA * e * (1.0 + 4.0 * e) - C * C / GJ * e - 2500.0, 0.0, 0.1, xtol=1e-15)
    assert_allclose(wl.eval_output(rope, "axial_strain", state), e, rtol=1e-9)
    assert_allclose(wl.eval_output(rope, "axial_force", state), 2500.0, rtol=1e-9)


def spin(steps: int, curve: float, material: float) -> tuple[float, float]:
    """Turn the curvature of a rod about the negative axis ``curve`` times, and its material about the positive axis
    ``material`` times, in each second. The curvature is three times the curvature at which the wires begin to slip.
    Return the loss in the third second [J] and the moment of the bristles at the end [N m].
    """
    limit, stiffness, length = 3e-4, 6.0, 1.5
    size = 3.0 * limit / stiffness
    world = wl.World()
    rope = straight_cable(
        world, (0, 0, 0), (length, 0, 0), 1, axial_stiffness=1e5, bending_stiffness=2.0, mass_per_length=1e-3,
        torsional_stiffness=1.0, rotary_inertia=1e-6,
    )  # fmt: skip
    nodes = nodes_of(world, rope)
    rubs = world.add(con.WireFriction, cable=rope, bending_stiffness=stiffness, slip_moment=limit)
    for k in (0, 1):
        con.fix(world, nodes[k], "x", "y", "z", "x'")
        con.prescribe(world, nodes[k], "twist", lambda t: 2.0 * np.pi * material * t)
        for axis, phase in (("y'", 0.0), ("z'", 0.25)):
            slope = (2 * k - 1) * 0.5 * length * size
            con.prescribe(world, nodes[k], axis, con.sine(slope, max(curve, 1e-9), 2.0 * np.pi * phase))
    state = wl.State(world)
    state.q[state.local_dofs(nodes)[:, 5]] = 0.5 * length * size * np.array((-1.0, 1.0))
    losses = wl.Sensors(None, [wl.Sensor(rubs, "bending_loss", name="loss")])
    state = wl.Dynamic(world, step=1.0 / steps, end=3.0, name="").solve(state, hooks=[losses])
    loss = np.array(losses["loss"])
    return loss[-1] - loss[-1 - steps], float(np.linalg.norm(wl.eval_output(rubs, "bending_moment", state)))


@pytest.mark.parametrize(("curve", "material"), [(1.0, 0.0), (0.0, 1.0), (0.5, 0.5), (1.0, -1.0)])
def test_wires_turn_with_the_material(curve: float, material: float) -> None:
    """If the curvature turns relative to the material, the wires lose 2π M_s (κ² - κ_s²)^(1/2) per length in each
    relative turn, whether the curvature or the material turns. If both turn together, the wires lose nothing. The error
    is of first order in the step, so the results of two steps are extrapolated.
    """
    limit, slip = 3e-4, 3e-4 / 6.0
    (coarse, _), (fine, moment) = spin(200, curve, material), spin(400, curve, material)
    exact = (curve + material) * 1.5 * 2.0 * np.pi * limit * np.sqrt(8.0) * slip
    assert_allclose(2.0 * fine - coarse, exact, rtol=2e-4, atol=1e-6 * 1.5 * limit * slip)
    assert_allclose(moment, limit, rtol=1e-6)


FRICTION = {
    "axial_stiffness": 4e4, "slip_force": 60.0, "bending_stiffness": 3.0, "slip_moment": 0.01,
    "slip_moment_per_tension": 1e-3,
}  # fmt: skip


@pytest.mark.parametrize(
    "friction", [{**FRICTION, "slip_force": 1e9, "slip_moment": 1e9}, {**FRICTION, "slip_force": 1.0}, FRICTION]
)
def test_wire_friction_on_rods(friction: dict[str, Any]) -> None:
    """Tangents of sticking and of slipping wires agree with differences, at the start, and after a motion that has
    moved the anchors. The remainder of the energy balance is small.
    """
    world = wl.World(gravity=(0.0, -9.81, 2.0))
    rope = straight_cable(
        world, (0, 0, 0), (2, 1, 0.5), 3, axial_stiffness=1e4, bending_stiffness=(1.0, 0.6), torsional_stiffness=0.7,
        coupling=20.0, rotary_inertia=1e-3, mass_per_length=1.0, reference_curvature=(0.1, -0.2),
        reference_strain=-1e-3, reference_twist=0.2,
    )  # fmt: skip
    con.hinge(world, nodes_of(world, rope)[0])
    rubs = world.add(con.WireFriction, cable=rope, **friction)
    wl.testing.check_tangent(world, wl.State(world), states=3)
    ledger = wl.EnergyLedger()
    state = wl.Dynamic(world, step=1e-3, end=0.3, name="", spectral_radius=1.0).solve(hooks=[ledger])
    data = state.of(rubs, "data")
    slips = friction["slip_moment"] < 1e8
    assert (np.abs(data[:, 3:5]).max() > 1e-3) == slips
    if slips:
        lost = ledger.totals["WireFriction.bending_slip"]
        assert (
            lost > 0.01 and abs(ledger.parts["WireFriction"] if hasattr(ledger, "parts") else ledger.rest) < 0.02 * lost
        )
    state.q += 5e-3 * np.random.default_rng(1).standard_normal(len(state.q))
    wl.testing.check_tangent(world, state, states=2)


def test_slip_moment_of_a_twisted_rope() -> None:
    """The slip moment of a rope under tension and twist is M_0 + c (EA ε + C τ)."""
    strain, tau, length = 0.01, 0.4, 1.5
    world = wl.World()
    rope = straight_cable(
        world, (0, 0, 0), (length, 0, 0), 1, axial_stiffness=1e5, bending_stiffness=2.0, mass_per_length=1e-3,
        torsional_stiffness=1.0, coupling=200.0, rotary_inertia=1e-6,
    )  # fmt: skip
    nodes = nodes_of(world, rope)
    rubs = world.add(
        con.WireFriction, cable=rope, bending_stiffness=6.0, slip_moment=3e-4, slip_moment_per_tension=3e-7
    )
    for k in (0, 1):
        con.fix(world, nodes[k], "y", "z", "z'")
        for name, value in (("x", k * strain * length), ("x'", strain), ("twist", k * tau * length)):
            con.prescribe(world, nodes[k], name, lambda t, value=value: value * min(t, 1.0))
        con.prescribe(world, nodes[k], "y'", lambda t, k=k: (2 * k - 1) * 5e-4 * max(t - 1.0, 0.0))
    state = wl.Dynamic(world, step=0.05, end=3.0, name="").solve()
    exact = 3e-4 + 3e-7 * (1e5 * strain + 200.0 * tau)
    assert_allclose(np.linalg.norm(wl.eval_output(rubs, "bending_moment", state)), exact, rtol=1e-4)


def test_restart_is_bitwise_equal(tmp_path: Path) -> None:
    """A run that continues from a checkpoint equals an uninterrupted run."""
    file = tmp_path / "run.h5"

    def run(end: float, **checkpoint: Any) -> tuple[wl.State, Any]:
        world, _, friction = create()
        state = wl.Dynamic(world, step=2e-3, end=end, name="").solve(hooks=[wl.Checkpoint(file, **checkpoint)])
        return state, state.of(friction, "data")

    whole, kept = run(0.06, every=15)
    run(0.03, every=15)
    again, data = run(0.06, every=15, restart=file)
    for name in ("q", "v", "a"):
        assert_array_equal(getattr(again, name), getattr(whole, name))
    assert_array_equal(data, kept)
    assert np.abs(kept).max() > 0.0


@pytest.mark.mpi
def test_two_processes(tmp_path: Path) -> None:
    """Coordinates and outputs agree between runs on one and two processes."""
    done = run_python([ROOT / "tests/support/parallel_twist_ropes.py", tmp_path / "ropes.npz", "-quiet"], 2)
    assert done.returncode == 0, done.stderr
    serial, found = run_ropes(), np.load(tmp_path / "ropes.npz")
    assert serial["friction bending_loss"].sum() > 0.0
    for name, values in serial.items():
        assert_allclose(found[name], values, rtol=0, atol=1e-7 * np.abs(values).max(), err_msg=name)


@pytest.mark.parametrize("name", LAWS)
def test_coupling_is_limited(name: str) -> None:
    """A coupling with which the energy could be negative is refused."""
    with pytest.raises(wl.ModelError, match=r"coupling = .* must have coupling² < torsional_stiffness times"):
        lay({**LAWS[name], "coupling": 2500.0})[0].finalize()


def test_uneven_bending_stiffness_with_a_function() -> None:
    columns = {**SECTION, **TWIST, "bending_stiffness": (1.0, 2.0), "bending_moment_function": bend_more}
    world = wl.World()
    straight_cable(world, (0, 0, 0), (1, 0, 0), 1, axial_stiffness=EA, **columns)
    with pytest.raises(wl.ModelError, match=r"bending_stiffness = .* must have two equal values with bend"):
        world.finalize()
