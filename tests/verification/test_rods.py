"""Comparisons of theory and `TwistCable3D`: springs, buckling, rings, arcs, torsion, wire ropes, and free motion.

The reference solution `integrate_rod` solves the boundary value problem of Kirchhoff's rod by SciPy with the tolerance
1e-9.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import eigh
from scipy.optimize import brentq

import windlass as wl
from windlass.connectors import (
    CoordinateLoad,
    Force,
    clamp,
    coordinate_marker,
    fix,
    position_marker,
    prescribe,
    ramp,
)
from windlass.elements import (
    PointSlopeTwist3D,
    RigidBody3D,
    TwistCable3D,
    cable_along,
    nodes_of,
    straight_cable,
    through_points,
)
from windlass.elements.nodes.turning import carry_normals
from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.assembly import serial_assembly
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.assemble import assemble_matrix
from windlass.framework.state.evaluate import eval_output
from windlass.framework.state.state import State
from windlass.solvers.dynamic import Dynamic
from windlass.solvers.explicit import Explicit
from windlass.solvers.static import Static

from support.cables import residual
from support.matrices import dense
from support.parallel_rods import run_rope
from support.processes import ROOT, run_python
from support.rods import create_arc, find_momenta, find_motion, find_twist, integrate_rod

NAMES = PointSlopeTwist3D.dof_names


def wind(radius: float, pitch: float, s: Any) -> tuple[Any, Any, Any]:
    """Return points of a helix, its tangents, and its normals towards the axis z, at the arc lengths s, shape (n, 3)
    each.
    """
    c, rise, phi = np.cos(pitch), np.sin(pitch), np.cos(pitch) * s / radius
    r = np.column_stack((radius * np.cos(phi), radius * np.sin(phi), rise * s))
    t = np.column_stack((-c * np.sin(phi), c * np.cos(phi), rise + 0.0 * s))
    return r, t, np.column_stack((-np.cos(phi), -np.sin(phi), 0.0 * s))


@pytest.mark.parametrize(("pitch", "stretch"), [(5.0, 1.3), (30.0, 1.3), (60.0, 1.1)])
def test_helical_spring(pitch: float, stretch: float) -> None:
    """Love's helical spring is pulled without rotation of its ends. Force and torque agree with the closed form for the
    new radius and pitch:

    M_b = EI (κ_1 - κ_0), M_t = GJ (τ_1 - τ_0), F R_1 = M_t cos α_1 - M_b sin α_1, K = M_t sin α_1 + M_b cos α_1.
    """
    R, EI, GJ, turns, n, a = 0.05, 0.6, 0.45, 2, 40, np.radians(pitch)
    length = turns * 2.0 * np.pi * R / np.cos(a)
    s = np.linspace(0.0, length, n + 1)
    r, t, normal = wind(R, a, s)
    world = World()
    nodes = world.add(PointSlopeTwist3D, position=r, slope=t, normal=normal)
    spring = world.add(
        TwistCable3D, node0=nodes[:-1], node1=nodes[1:], length=length / n, axial_stiffness=1e8, bending_stiffness=EI,
        torsional_stiffness=GJ, mass_per_length=0.1, rotary_inertia=1e-5, strain_is_relative_to_reference=1.0,
    )  # fmt: skip
    a1 = np.arcsin(stretch * np.sin(a))
    R1 = R * np.cos(a1) / np.cos(a)
    r1, t1, normal1 = wind(R1, a1, s)
    for k in (0, n):
        frame = np.column_stack((t1[k], normal1[k], np.cross(t1[k], normal1[k])))
        moved = np.concatenate((r1[k] - r[k], t1[k] - t[k], [find_twist(world, nodes[k], frame, t1[k])]))
        held = [prescribe(world, nodes[k], name, float(value)) for name, value in zip(NAMES, moved, strict=True)]
    state = Static(world, load_steps=5, rtol=1e-10, name="").solve()
    bend = EI * (np.cos(a1) ** 2 / R1 - np.cos(a) ** 2 / R)
    turn = GJ * (np.sin(a1) * np.cos(a1) / R1 - np.sin(a) * np.cos(a) / R)
    force, torque = (turn * np.cos(a1) - bend * np.sin(a1)) / R1, turn * np.sin(a1) + bend * np.cos(a1)
    pull = [-eval_output(constraint, "force", state) for constraint in held[:3]]
    # the measured errors are 3e-5, 5e-5 and 1e-5 of the force
    assert_allclose(pull, (0.0, 0.0, force), rtol=1e-4, atol=1e-4 * abs(force))
    middle, x = n // 2, (0.5 - 0.5 / np.sqrt(3.0)) * length / n
    slope = eval_output(spring, "director", state, x=x)[middle]
    moment = eval_output(spring, "torque", state)[middle] * slope / np.linalg.norm(slope)
    moment = moment + eval_output(spring, "bending_moment", state, x=x)[middle]
    # the torque is a small difference of both moments; the measured error is at most 4e-4 of the torque, and 2e-5 of
    # the moments
    assert_allclose(moment[2], torque, rtol=1e-3)
    assert_allclose(eval_output(spring, "torque", state), turn, rtol=1e-4)


@pytest.mark.parametrize(("load", "order"), [(300.0, 3.7), (600.0, 3.5)])
def test_bend_of_45_degrees(load: float, order: float) -> None:
    """The arc of Bathe and Bolourchi under a force normal to its plane agrees with the reference solution, and
    converges.

    Simo and Vu-Quoc, who include shear, give the end positions (58.84, 22.33, 40.08) and (47.23, 15.79, 53.37).
    """
    EI = GJ = 1e7 / 12.0
    columns = {"axial_stiffness": 1e7, "bending_stiffness": EI, "torsional_stiffness": GJ}
    start = np.column_stack(((1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, -1.0, 0.0)))
    length = 100.0 * np.pi / 4.0
    end, turned = integrate_rod(length, 1e7, (EI, EI), GJ, (0.0, 0.0, load), lambda s: (0.0, 0.01, 0.0), start)
    errors = []
    for n in (4, 8):
        world, nodes, _ = create_arc(n, np.pi / 4.0, 100.0, strain_is_relative_to_reference=1.0, **columns)
        clamp(world, nodes[0])
        world.add(Force, marker=position_marker(world, nodes[n]), vector=(0.0, 0.0, load))
        state = Static(world, load_steps=6, rtol=1e-12, name="").solve()
        errors.append(np.linalg.norm(eval_output(nodes[n], "position", state) - end) / 100.0)
    # the measured errors with 8 elements are 1.1e-5 and 3.9e-5 of the radius
    assert errors[1] < 5e-5
    assert np.log2(errors[0] / errors[1]) > order
    assert_allclose(eval_output(nodes[n], "frame", state), turned, atol=1e-4)
    given = {300.0: (58.84, 22.33, 40.08), 600.0: (47.23, 15.79, 53.37)}[load]
    assert_allclose(end, given, atol=0.15)


def test_blade_that_is_twisted_and_curved_without_load() -> None:
    """The bending stiffness of a rod is anisotropic, its axes rotate along the rod, and the unstressed rod is curved
    and twisted. The results converge with fourth order to the reference solution.
    """
    EI, GJ, EA, free = (3.0, 0.4), 0.7, 1e4, (0.9, 0.5, -0.3)
    force, errors = (0.3, -0.6, 0.8), []
    end, turned = integrate_rod(1.0, EA, EI, GJ, force, lambda s: free, np.eye(3))
    for n in (4, 8, 16):
        world = World()
        rod = straight_cable(
            world, (0, 0, 0), (1, 0, 0), n, axial_stiffness=EA, bending_stiffness=EI, torsional_stiffness=GJ,
            mass_per_length=1.0, rotary_inertia=0.1, reference_twist=free[0], reference_curvature=free[1:],
        )  # fmt: skip
        nodes = nodes_of(world, rod)
        clamp(world, nodes[0])
        world.add(Force, marker=position_marker(world, nodes[n]), vector=force)
        state = Static(world, load_steps=4, rtol=1e-12, name="").solve()
        errors.append(np.linalg.norm(eval_output(nodes[n], "position", state) - end))
    assert np.log2(errors[0] / errors[1]) > 3.7 and np.log2(errors[1] / errors[2]) > 3.7
    assert errors[2] < 2e-6
    assert_allclose(eval_output(nodes[n], "frame", state), turned, atol=1e-5)


def create_rod(elements: int, length: float = 2.0, **columns: Any) -> tuple[World, Entity, Entity]:
    """Create a straight rod along x, and return its nodes and elements."""
    given = {
        "axial_stiffness": 1e6, "bending_stiffness": 0.6, "torsional_stiffness": 0.45, "mass_per_length": 0.1,
        "rotary_inertia": 1e-3, **columns,
    }  # fmt: skip
    world = World()
    rod = straight_cable(world, (0, 0, 0), (length, 0, 0), elements, **given)
    return world, nodes_of(world, rod), rod


def find_buckling_torque(EI: float, L: float, T: float) -> float:
    """Return the smallest torque M [N m] at which a rod under the tension T between two clamps buckles. One of the
    clamps may rotate and slide.

    The equation is w'''' - i M/EI w''' - T/EI w'' = 0 with w = w' = 0 at both ends. With p = M/(2 EI) and q² = p² -
    T/EI, the condition of buckling is 2 q (cos qL - cos pL) = T/EI L sin qL. For T = 0 the condition is tan(ML/(2 EI))
    = ML/(2 EI) (Greenhill).
    """
    if T == 0.0:
        return 2.0 * EI / L * brentq(lambda z: np.tan(z) - z, 4.4, 4.6)

    def miss(M: float) -> float:
        p = 0.5 * M / EI
        q = np.sqrt(complex(p * p - T / EI))
        return float((2.0 * (np.cos(q * L) - np.cos(p * L)) - T / EI * L * np.sin(q * L) / q).real)

    torques = np.linspace(1e-3, 40.0, 4000) * EI / L + 2.0 * np.sqrt(EI * max(T, 0.0))
    signs = np.sign([miss(M) for M in torques])
    first = int(np.flatnonzero(signs[:-1] != signs[1:])[0])
    return float(brentq(miss, torques[first], torques[first + 1]))


def find_buckling_twist(L: float, n: int, tension: float, theory: float) -> float:
    """Return the twist [rad] of the end at which the tangent of a rod with n elements is singular."""
    world, nodes, _ = create_rod(n, L)
    state = State(world)
    dofs, strain, x = state.local_dofs(nodes), tension / 1e6, np.linspace(0.0, L, n + 1)
    held = np.concatenate((dofs[0, [0, 1, 2, 4, 5, 6]], dofs[n, [1, 2, 4, 5, 6]]))
    free = np.setdiff1d(np.arange(len(state.q)), held)

    def find_lowest(angle: float) -> float:
        state.q[:] = 0.0
        state.q[dofs[:, 0]], state.q[dofs[:, 3]], state.q[dofs[:, 6]] = strain * x, strain, angle * x / L
        K = dense(assemble_matrix(world, state))[np.ix_(free, free)]
        return float(np.linalg.eigvalsh(K)[0])

    return float(brentq(find_lowest, 0.8 * theory, 1.1 * theory, xtol=1e-8))


@pytest.mark.parametrize(("tension", "tolerance"), [(0.0, 2e-4), (20.0, 1e-3), (-2.0, 2e-4)])
def test_buckling_under_torque_and_tension(tension: float, tolerance: float) -> None:
    """The buckling twist of a rod with 16 elements under torque and tension agrees with Greenhill's formula."""
    theory = find_buckling_torque(0.6, 2.0, tension) * 2.0 / 0.45
    # the measured errors are 1.4e-4, 8.5e-4 and 1.1e-4
    assert_allclose(find_buckling_twist(2.0, 16, tension, theory), theory, rtol=tolerance)


def test_a_long_line_hockles_where_its_tension_is_low() -> None:
    """A long twisted line buckles and forms hockles (loops) if its tension T is below Greenhill's limit M²/(4 EI)."""
    L, EI, T = 8.0, 0.6, 20.0
    limit = 2.0 * np.sqrt(EI * T)
    exact = find_buckling_torque(EI, L, T)
    torque = 0.45 / L * find_buckling_twist(L, 64, T, exact * L / 0.45)
    # the measured errors are 5e-4 and 3e-3
    assert_allclose(torque, exact, rtol=1e-3)
    assert_allclose(torque, limit, rtol=5e-3)


def test_loop_of_a_slack_line() -> None:
    """Two clamps of a twisted line move towards each other, and the line forms an open loop (Coyne). With m = M/(2 √(EI
    T)), the loop shortens the line by 4 √(EI/T (1 - m²)), and reduces the twist by 4 arccos m.
    """
    EI, GJ, L, EA, twist = 1.0, 0.8, 30.0, 1e5, 75.0

    def find_tension(m: float) -> float:
        return float(((twist - 4.0 * np.arccos(m)) * GJ / (2.0 * m * L)) ** 2 / EI)

    def find_shortening(m: float) -> float:
        T = find_tension(m)
        return float(4.0 * np.sqrt(EI / T * (1.0 - m * m)) - T * L / EA)

    def lay(m: float, s: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return positions and slopes of the line at the arc lengths s from its middle."""
        T = find_tension(m)
        p, b = m * np.sqrt(T / EI), EI / T
        a = np.sqrt(1.0 / b - p * p)
        rho, ch = 2.0 * a * b / np.cosh(a * s) * np.exp(1j * p * s), np.cosh(a * s)
        rate = (1j * p - a * np.tanh(a * s)) * rho
        along, slope = s - 2.0 * a * b * np.tanh(a * s), 1.0 - 2.0 * a * a * b / ch**2
        return np.stack((along, rho.real, rho.imag), axis=1), np.stack((slope, rate.real, rate.imag), axis=1)

    first = brentq(lambda m: find_shortening(m) - 1.2, 0.8, 0.999)
    s, fine = np.linspace(-0.5 * L, 0.5 * L, 121), np.linspace(-0.5 * L, 0.5 * L, 120 * 60 + 1)
    directions, normals = lay(first, fine)[1], np.zeros((len(fine), 3))
    normals[0] = np.cross(directions[0], np.cross((0.0, 1.0, 0.0), directions[0]))
    normals[0] /= np.linalg.norm(normals[0])
    carry_normals(directions, normals)
    world, (place, slope) = World(), lay(first, s)
    place[[0, -1], 1:], slope[[0, -1]] = 0.0, (1.0, 0.0, 0.0)
    nodes = world.add(PointSlopeTwist3D, position=place, slope=slope, normal=normals[::60], turned_from=(0.0, 0.0, 1.0))
    torque = 2.0 * first * np.sqrt(EI * find_tension(first))
    rod = world.add(
        TwistCable3D, node0=nodes[:-1], node1=nodes[1:], length=np.diff(s), axial_stiffness=EA, bending_stiffness=EI,
        torsional_stiffness=GJ, mass_per_length=1.0, rotary_inertia=0.01, reference_twist=-torque / GJ,
    )  # fmt: skip
    clamp(world, nodes[0])
    fix(world, nodes[120], "y", "z", "y'", "z'", "twist")
    # without this support the loop could rotate about the axis of the line without any force
    support = fix(world, nodes[60], "z")
    stretch = find_tension(first) * L / EA
    prescribe(world, nodes[120], "x", lambda shortening: 1.2 + stretch - shortening)
    solver, state = Static(world, stability="off", name=""), None
    # the measured errors are 4e-4, 1e-4, 6e-4, and 4e-3 near the maximum of the shortening at 2.14
    for shortening, tolerance in ((1.2, 1e-3), (1.8, 1e-3), (2.0, 1e-3), (2.08, 6e-3)):
        m = brentq(lambda m, shortening=shortening: find_shortening(m) - shortening, 0.72, 0.999)
        solver.time = shortening
        state = solver.solve(state)
        T, M = (float(eval_output(rod[0], name, state)) for name in ("axial_force", "torque"))
        assert_allclose(T, find_tension(m), rtol=tolerance)
        assert_allclose(M, 2.0 * m * np.sqrt(EI * find_tension(m)), rtol=1e-3)
        assert abs(float(eval_output(support, "force", state))) < 1e-6 * T


def test_ring_that_turns_over_when_twisted() -> None:
    """A straight rod that is bent to a closed ring buckles in two waves if its twist exceeds √3 EI/(GJ R) (Michell)."""
    n, R, EI, GJ = 24, 1.0, 1.0, 0.7
    a = 2.0 * np.pi * np.arange(n) / n
    out, along = (np.column_stack(v) for v in ((np.cos(a), np.sin(a), 0.0 * a), (-np.sin(a), np.cos(a), 0.0 * a)))

    def find_lowest(twist: float) -> float:
        """Return the smallest eigenvalue except for the eigenvalues 0 of the six rigid motions and of the spin of the
        whole ring.
        """
        world = World()
        nodes = world.add(PointSlopeTwist3D, position=R * out, slope=along, normal=(0.0, 0.0, 1.0))
        world.add(
            TwistCable3D, node0=nodes, node1=nodes[(np.arange(n) + 1) % n], length=2.0 * np.pi * R / n,
            axial_stiffness=1e5, bending_stiffness=EI, torsional_stiffness=GJ, mass_per_length=1.0,
            rotary_inertia=0.01, reference_twist=-twist,
        )  # fmt: skip
        state = State(world)
        dofs = state.local_dofs(nodes)
        # iterate the radius and the slope of the ring until the forces balance
        for _ in range(4):
            shapes = np.zeros((2, len(state.q)))
            shapes[0, dofs[:, :3]], shapes[1, dofs[:, 3:6]] = out, along
            K = dense(assemble_matrix(world, state))
            state.q -= shapes.T @ np.linalg.solve(shapes @ K @ shapes.T, shapes @ residual(world, state))
        lowest = np.linalg.eigvalsh(dense(assemble_matrix(world, state)))
        return float(lowest[np.argsort(np.abs(lowest))[7:]].min())

    theory = np.sqrt(3.0) * EI / (GJ * R)
    critical = brentq(find_lowest, 0.95 * theory, 1.05 * theory, xtol=1e-6)
    # the measured error is 3e-4
    assert_allclose(critical, theory, rtol=1e-3)


def test_rod_that_is_turned_several_times() -> None:
    """The end of a straight rod under tension is rotated by five turns in one solve. The torque is GJ φ/L. Without
    tension, a rod that is rotated by two turns has buckled, and statics reports the instability.
    """
    for tension, turns in ((400.0, 5.0), (0.0, 2.0)):
        world = World()
        rod = straight_cable(
            world, (0, 0, 0), (1, 0, 0), 8, normal=(0, 1, 0), axial_stiffness=1e4, bending_stiffness=1.0,
            torsional_stiffness=0.8, mass_per_length=1.0, rotary_inertia=1e-3,
        )  # fmt: skip
        nodes = nodes_of(world, rod)
        clamp(world, nodes[0])
        fix(world, nodes[8], "y", "z", "y'", "z'")
        angle = 2.0 * np.pi * turns
        prescribe(world, nodes[8], "twist", lambda t, angle=angle: angle)
        world.add(Force, marker=position_marker(world, nodes[8]), vector=(tension, 0, 0))
        solver = Static(world, name="")
        if tension > 0.0:
            state = solver.solve(State(world))
            assert solver.verdict.word == "ok", str(solver.verdict.reasons)
            assert_allclose(eval_output(rod, "torque", state), 0.8 * angle, rtol=1e-9)
        else:
            with pytest.raises(wl.NotConverged, match="the equilibrium is unstable"):
                solver.solve(State(world))


def test_torsional_modes() -> None:
    """The frequencies of torsional modes of a rod with one fixed end converge to ω = (k - 1/2) π/L √(GJ/J) with fourth
    order.
    """
    exact = np.pi / 4.0 * np.sqrt(0.45 / 1e-3)
    errors = []
    for n in (4, 8):
        world, nodes, _ = create_rod(n)
        state = State(world)
        angles = state.local_dofs(nodes)[1:, 6]
        K = dense(assemble_matrix(world, state))[np.ix_(angles, angles)]
        M = dense(assemble_matrix(world, state, dq=0.0, dv=0.0, da=1.0))[np.ix_(angles, angles)]
        errors.append(abs(np.sqrt(eigh(K, M, eigvals_only=True)[0]) / exact - 1.0))
    # the measured errors are 5.0e-5 and 3.1e-6
    assert errors[0] < 6e-5 and errors[1] < 4e-6


def test_torsional_wave() -> None:
    """A torque that grows to M in the time L/c acts at the end of a rod. A torsional wave with the speed c = √(GJ/J) is
    reflected at both ends of the rod. The angle of the end and the torque in the middle agree with d'Alembert's
    solution.

    After a sudden torque, the angle would be a triangular wave between 0 and 2 M L/GJ with the period 4 L/c, and the
    torque would change between 0, M and 2 M when the front passes.
    """
    L, GJ, J, M, n, grow = 2.0, 0.45, 1e-3, 0.02, 40, 1.0
    c = np.sqrt(GJ / J)
    world, nodes, rod = create_rod(n, length=L, torsional_stiffness=GJ, rotary_inertia=J)
    clamp(world, nodes[0])
    torque = ramp(0.0, grow * L / c, 0.0, M)
    world.add(CoordinateLoad, marker=coordinate_marker(world, nodes[n], "twist"), function=torque)
    sensors = wl.Sensors(
        None, [wl.Sensor(nodes[n], "twist", name="angle"), wl.Sensor(rod[n // 2], "torque", name="torque")]
    )
    run = Dynamic(world, step=L / c / 100.0, end=6.0 * L / c, method="trapezoidal_index2", name="")
    run.solve(State(world), hooks=[sensors])
    t = np.array(sensors.times) * c / L
    window = np.maximum(t[:, None] - grow * (np.arange(400) + 0.5) / 400.0, 0.0)
    angle = (2.0 - np.abs(np.mod(window, 4.0) - 2.0)).mean(axis=1)
    # the measured error is 1.0e-3
    assert_allclose(np.ravel(sensors["angle"]) * GJ / (M * L), angle, atol=1.5e-3)
    # the torque of an element is constant; the front passes its centre after (1 ∓ s) L/c, and again 2 L/c later
    s = 0.5 + 0.5 / n
    jumps = sum((np.mod(window - front, 4.0) < 2.0) & (window >= front) for front in (1.0 - s, 1.0 + s))
    # the measured error is 0.0216, and decreases with finer meshes and smaller steps
    assert_allclose(np.ravel(sensors["torque"]) / M, jumps.mean(axis=1), atol=0.025)


@pytest.mark.parametrize("turns", [False, True])
def test_wire_rope(turns: bool) -> None:
    """One end of a wire rope is fixed, or free to rotate. Elongation, torque and rotation agree with the 2 x 2
    stiffness matrix of the rope.
    """
    L, EA, GJ, C, F = 2.0, 1e5, 5.0, 300.0, 200.0
    world, nodes, rope = create_rod(3, axial_stiffness=EA, torsional_stiffness=GJ, coupling=C)
    clamp(world, nodes[0])
    world.add(Force, marker=position_marker(world, nodes[3]), vector=(F, 0.0, 0.0))
    if not turns:
        fix(world, nodes[3], "twist")
    state = Static(world, rtol=1e-12, name="").solve()
    strain = F / (EA - C * C / GJ) if turns else F / EA
    assert_allclose(eval_output(nodes[3], "displacement", state)[0], L * strain, rtol=1e-12)
    assert_allclose(eval_output(nodes[3], "twist", state), -C * strain / GJ * L if turns else 0.0, rtol=1e-12)
    assert_allclose(eval_output(rope, "torque", state), 0.0 if turns else C * strain, rtol=1e-11, atol=1e-9)
    assert_allclose(eval_output(rope, "axial_force", state), F, rtol=1e-12)


def test_rope_over_a_sheave() -> None:
    """For a `Rope` with torsion whose ends cannot rotate, the torque due to the mean strain of the rope is equal on
    both sides of a sheave and on top of the sheave.

    Frames of the nodes are computed from the axis of the sheave, so the nodes may move around the sheave.
    """
    world, r, C = World(gravity=(0.0, 0.0, -9.81)), 0.3, 60.0
    sheave = world.add(RigidBody3D, position=(0, 0, 0), mass=5.0, inertia=0.1)
    clamp(world, sheave)
    rope = wl.Rope(
        world, [wl.Pulley(sheave, r, axis=(0, -1, 0))], start=(-r, 0, -1), end=(r, 0, -1), axial_stiffness=2e4,
        bending_stiffness=(0.5, 0.5), torsional_stiffness=2.0, coupling=C, mass_per_length=0.4, rotary_inertia=2e-5,
        tension=200.0, elements=30,
    )  # fmt: skip
    ends = rope.nodes[0], rope.nodes[30]
    assert rope.cables.kind == "TwistCable3D"
    assert_allclose(np.abs(ends[0].turned_from), (0.0, 1.0, 0.0), atol=1e-9)
    fix(world, ends[0], "x", "y", "z", "twist")
    fix(world, ends[1], "x", "y", "twist")
    world.add(Force, marker=position_marker(world, ends[1]), vector=(0.0, 0.0, -200.0))
    state = Static(world, name="").solve()
    torque = eval_output(rope.cables, "torque", state)
    length = rope.cables.length[0]
    places = np.tile((0.0, 0.5 * length, length), (30, 1))
    force = eval_output(rope.cables, "axial_force", state, x=places) @ (1.0, 4.0, 1.0) / 6.0
    assert_allclose(torque, torque[0], rtol=1e-9)
    # the law is M = GJ τ + C ε and N = EA ε + C τ, with the twist τ per length of the slack rope
    twist = eval_output(rope.cables, "twist", state).mean() * (1.0 + rope.strain)
    assert_allclose(torque, (2.0 - C**2 / 2e4) * twist + C * force.mean() / 2e4, rtol=1e-8)
    assert 200.0 < force.mean() < 206.0


def throw() -> tuple[World, Entity, State]:
    """Create a curved and twisted rod that rotates about z and spins.

    The frames of the nodes are computed from the axis z, because no slope becomes parallel to z.
    """
    world = World()
    route = through_points([(-0.5, -0.05, 0.0), (0.0, 0.1, 0.05), (0.5, -0.05, 0.0)])
    rod = cable_along(
        world, route, 3, axial_stiffness=500.0, bending_stiffness=(2.0, 0.8), torsional_stiffness=1.0, coupling=10.0,
        mass_per_length=0.5, rotary_inertia=0.02, reference_twist=0.2, strain_is_relative_to_reference=1.0,
        turned_from=(0.0, 0.0, 1.0),
    )  # fmt: skip
    nodes, state = nodes_of(world, rod), State(world)
    motion = find_motion(world, nodes, state, (0.3, 0.2, 4.0))
    motion[:, :3] += (0.3, -0.2, 0.1)
    motion[:, 6] += np.linspace(-6.0, 6.0, len(nodes))
    state.v[state.local_dofs(nodes)] = motion
    return world, rod, state


def find_stored(world: World, state: State) -> float:
    assembly = serial_assembly(world)
    assembly.load_fields(state)
    return assembly.energy()


def test_free_rod_keeps_energy_and_momenta() -> None:
    """In 0.1 s of a simulation by the Runge-Kutta method with error control, momentum, angular momentum and energy of a
    free rod are constant.
    """
    world, rod, state = throw()
    P, H, T = find_momenta(world, rod, state)
    whole = T + find_stored(world, state)
    after = Explicit(world, step=1e-3, end=0.1, method="rk", name="").solve(state)
    P1, H1, T1 = find_momenta(world, rod, after)
    assert_allclose(P1, P, rtol=0, atol=1e-12 * np.abs(P).max())
    # the measured errors are 4e-12 and 2e-10
    assert_allclose(H1, H, rtol=0, atol=1e-10 * np.abs(H).max())
    assert_allclose(T1 + find_stored(world, after), whole, rtol=2e-9)
    assert abs(T1 / T - 1.0) > 1e-3


def test_free_rod_turns_on() -> None:
    """A free rod rotates by more than one turn in a simulation by the generalised-α method. The errors are of second
    order, and momentum is conserved except for rounding errors.
    """
    errors = []
    for step in (4e-3, 2e-3):
        world, rod, state = throw()
        P, H, _ = find_momenta(world, rod, state)
        after = Dynamic(world, step=step, end=2.0, name="").solve(state)
        P1, H1, _ = find_momenta(world, rod, after)
        assert_allclose(P1, P, rtol=0, atol=1e-12 * np.abs(P).max())
        errors.append(np.abs(H1 - H).max() / np.abs(H).max())
    assert errors[1] < 5e-3 and errors[0] / errors[1] > 3.0


@pytest.mark.mpi
def test_two_processes(tmp_path: Path) -> None:
    """A body hangs on a rope that twists. Coordinates and outputs of runs on one and two processes agree."""
    done = run_python([ROOT / "tests/support/parallel_rods.py", tmp_path / "rope.npz", "-quiet"], 2)
    assert done.returncode == 0, done.stderr
    serial, found = run_rope(), np.load(tmp_path / "rope.npz")
    for name, values in serial.items():
        assert_allclose(found[name], values, rtol=0, atol=1e-9 * np.abs(values).max(), err_msg=name)


@pytest.mark.mpi
def test_failure_on_two_processes() -> None:
    """If the residual becomes NaN on two processes, Newton's method checks its linear solver, and the error states the
    reason of the failure.
    """
    done = run_python([ROOT / "tests/support/parallel_folding.py", "-quiet"], 2)
    assert done.returncode != 0
    assert "DIVERGED_FNORM_NAN in step 1" in done.stderr and "Traceback" not in done.stderr
