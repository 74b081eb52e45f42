"""Comparisons of beams with shear with theory: circles, arcs, elastica, deflections, buckling, frequencies, and free
motion.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, least_squares

import windlass as wl
from windlass.connectors import (
    Force,
    Torque,
    TorsionalSpringDamper,
    clamp,
    fix,
    hinge,
    position_marker,
    ramp,
    rigid_marker,
    socket,
    swivel,
)
from windlass.elements import (
    Ground,
    RigidBody3D,
    beam_along,
    helix,
    nodes_of,
    rectangular_section,
    straight_beam,
)
from windlass.framework.model.world import World
from windlass.framework.state.assemble import assemble_matrix
from windlass.framework.state.evaluate import eval_output
from windlass.framework.state.state import State
from windlass.solvers.dynamic import Dynamic
from windlass.solvers.modes.modes import Modes
from windlass.solvers.static import Static

from support.beams import PLANE, SPACE, create_arc, find_momenta, rotation_rates
from support.matrices import dense
from support.parallel_beams import run_beam, run_slope_beam
from support.processes import ROOT, run_python

ORDERS = (1, 2, 3)
ROUND = {**SPACE, "stiffness": (1e4, 5e3, 5e3, 3.5, 2.0, 2.0)}


def straight(dims: int, elements: int, order: int, length: float = 1.0, **columns: Any) -> Any:
    """Create a straight beam along x, and return the world, the nodes and the elements."""
    world, rest = World(), (0.0,) * (dims - 1)
    given = {**(PLANE if dims == 2 else ROUND), **columns}
    beam = straight_beam(world, (0.0, *rest), (length, *rest), elements, order=order, **given)
    return world, nodes_of(world, beam), beam


@pytest.mark.parametrize("dims", [2, 3])
@pytest.mark.parametrize(("order", "error"), [(1, 1e-11), (2, 7e-4), (3, 2e-6)])
def test_cantilever_rolls_to_a_circle(dims: int, order: int, error: float) -> None:
    """An end moment of 2π EI/L bends a cantilever into a closed circle.

    The result is exact for all orders in 2D, and for order 1 in 3D.
    """
    world, nodes, beam = straight(dims, 6, order)
    clamp(world, nodes[0])
    moment = 2.0 * np.pi * 2.0
    world.add(Torque, marker=rigid_marker(world, nodes[-1]), vector=(0.0, 0.0, moment))
    # in 3D the circle under a moment of constant direction is an unstable equilibrium
    state = Static(world, load_steps=8, rtol=1e-12, stability="off", name="").solve()
    limit = 1e-11 if dims == 2 else error
    assert np.linalg.norm(eval_output(nodes[-1], "position", state)) < limit
    found = (
        eval_output(beam, "bending_moment", state) if dims == 2 else eval_output(beam, "section_moment", state)[:, 2]
    )
    assert_allclose(found, moment, rtol=1e-10 if dims == 2 or order == 1 else 6e-4)


@pytest.mark.parametrize(
    ("order", "elements", "error", "rate"), [(1, 8, 1.5e-3, 1.9), (2, 8, 3e-5, 3.8), (3, 4, 4e-6, 5.6)]
)
@pytest.mark.parametrize("load", [300.0, 600.0])
def test_bend_of_45_degrees(order: int, elements: int, error: float, rate: float, load: float) -> None:
    """The arc of Bathe and Bolourchi (1979) under a force normal to its plane converges with order 2, 4 or 6.

    With 8 elements of order 1, Simo and Vu-Quoc (1986) found the end at (58.84, 22.33, 40.08) and (47.23, 15.79, 53.37)
    for the two forces.
    """
    EI = 1e7 / 12.0

    def solve(elements: int, order: int) -> Any:
        world, nodes, _ = create_arc(
            elements, order, np.pi / 4.0, 100.0, stiffness=(1e7, 5e6, 5e6, EI, EI, EI), mass_per_length=1.0,
            rotary_inertia=(2.0, 1.0, 1.0),
        )  # fmt: skip
        clamp(world, nodes[0])
        world.add(Force, marker=position_marker(world, nodes[-1]), vector=(0.0, 0.0, load))
        return eval_output(nodes[-1], "position", Static(world, load_steps=6, rtol=1e-12, name="").solve())

    exact = solve(16, 3)
    errors = [np.linalg.norm(solve(n, order) - exact) / 100.0 for n in (elements // 2, elements)]
    assert errors[1] < error and np.log2(errors[0] / errors[1]) > rate
    given = {300.0: (58.84, 22.33, 40.08), 600.0: (47.23, 15.79, 53.37)}[load]
    assert_allclose(solve(8, 1), given, atol=0.06)


@pytest.mark.parametrize("dims", [2, 3])
@pytest.mark.parametrize("order", [2, 3])
def test_timoshenko_deflection(dims: int, order: int) -> None:
    """The deflection of a single element under a small end force is F L³/(3 EI) + F L/GA, both for a thick and for a
    thin cantilever. Therefore the elements do not lock.
    """
    for GA in (3.0, 5e9):
        columns = {"stiffness": (1e9, GA, 2.0) if dims == 2 else (1e9, GA, GA, 3.5, 2.0, 2.0)}
        world, nodes, _ = straight(dims, 1, order, **columns)
        clamp(world, nodes[0])
        world.add(Force, marker=position_marker(world, nodes[-1]), vector=(0.0, 1e-6, 0.0))
        w = eval_output(nodes[-1], "displacement", Static(world, rtol=1e-12, name="").solve())[1]
        assert_allclose(w, 1e-6 * (1.0 / 6.0 + 1.0 / GA), rtol=1e-7)


def test_coupled_section() -> None:
    """With a section matrix that couples all forces, end forces and end moments cause the strains S⁻¹ F in a straight
    3D beam.
    """
    B = np.random.default_rng(4).normal(size=(6, 6))
    S = 1e4 * (B @ B.T + np.eye(6))
    world, nodes, beam = straight(3, 2, 2, stiffness=S)
    clamp(world, nodes[0])
    load = 1e-3 * np.array([2.0, 0.0, 0.0, 1.0, -2.0, 3.0])
    world.add(Force, marker=position_marker(world, nodes[-1]), vector=load[:3])
    world.add(Torque, marker=rigid_marker(world, nodes[-1]), vector=load[3:])
    state = Static(world, rtol=1e-13, name="").solve()
    assert_allclose(eval_output(beam, "strain", state), np.tile(np.linalg.solve(S, load), (2, 1)), rtol=1e-4)


@pytest.mark.parametrize("dims", [2, 3])
def test_elastica(dims: int) -> None:
    """The deflection of a thin cantilever under a transverse force of 4 EI/L² agrees with the solution of θ'' = -4 cos
    θ.
    """

    def shoot(start: float) -> Any:
        return solve_ivp(
            lambda s, y: (y[1], -4.0 * np.cos(y[0]), np.cos(y[0]), np.sin(y[0])), (0.0, 1.0), (0.0, start, 0.0, 0.0),
            rtol=1e-11, atol=1e-12,
        ).y[:, -1]  # fmt: skip

    exact = shoot(brentq(lambda start: shoot(start)[1], 0.5, 4.0, xtol=1e-12))[2:]
    errors = []
    for n in (2, 4):
        columns = {"stiffness": (1e8, 1e8, 2.0) if dims == 2 else (1e8, 1e8, 1e8, 3.5, 2.0, 2.0)}
        world, nodes, _ = straight(dims, n, 3, **columns)
        clamp(world, nodes[0])
        world.add(Force, marker=position_marker(world, nodes[-1]), vector=(0.0, 8.0, 0.0))
        state = Static(world, load_steps=4, rtol=1e-11, name="").solve()
        errors.append(np.abs(eval_output(nodes[-1], "position", state)[:2] - exact).max())
    assert errors[1] < 2e-5 and np.log2(errors[0] / errors[1]) > 4.5


@pytest.mark.parametrize(("dims", "GA"), [(2, 5e3), (2, 60.0), (3, 60.0)])
def test_buckling_with_shear(dims: int, GA: float) -> None:
    """The tangent of a hinged beam becomes singular at the buckling load P (1 - P/EA + P/GA) = π² EI/L²."""
    EA, EI = 1e3, 2.0
    columns = {"stiffness": (EA, GA, EI) if dims == 2 else (EA, GA, GA, 1e3, EI, 50.0)}
    world, nodes, _ = straight(dims, 4, 3, **columns)
    across = "y" if dims == 2 else "z"
    state = State(world)
    dofs = state.local_dofs(nodes)
    x = np.array(nodes.table.collect("position", nodes.rows))[:, 0]
    names = list(nodes.table.component.dof_names)
    bend = names.index("rotation" if dims == 2 else "e2")
    # select the coordinates of small motions in the plane of bending
    free = np.concatenate((dofs[1:-1, names.index(across)], dofs[:, bend]))

    def lowest(P: float) -> float:
        state.q[dofs[:, 0]] = -P / EA * x
        K = dense(assemble_matrix(world, state))[np.ix_(free, free)]
        return float(np.linalg.eigvalsh(0.5 * (K + K.T))[0])

    exact = brentq(lambda P: P * (1.0 - P / EA + P / GA) - np.pi**2 * EI, 1.0, 40.0)
    assert_allclose(brentq(lowest, 0.5 * exact, 1.5 * exact), exact, rtol=1e-5)


@pytest.mark.parametrize("dims", [2, 3])
@pytest.mark.parametrize(("order", "error"), [(1, 0.1), (2, 2.5e-3), (3, 3e-5)])
def test_frequencies_between_hinges(dims: int, order: int, error: float) -> None:
    """Frequencies of a hinged beam agree with Timoshenko's theory in both spectra (bending and shear), with modes sin(n
    π x/L).
    """
    EI, GA, m, J = 2.0, 80.0, 1.0, 0.02
    columns: dict[str, Any] = {"mass_per_length": m, "rotary_inertia": J, "stiffness": (1e5, GA, EI)}
    if dims == 3:
        columns = {"mass_per_length": m, "rotary_inertia": (1e-4, 1.0, J), "stiffness": (1e5, 1e6, GA, 1e5, EI, 1e6)}
        # the beam bends about e_3 and deflects along e_2
        columns["stiffness"], columns["rotary_inertia"] = (1e5, GA, 1e6, 1e5, 1e6, EI), (1e-4, 1e-4, J)
    world, nodes, _ = straight(dims, 8, order, **columns)
    hinge(world, nodes[[0, len(nodes) - 1]])
    if dims == 3:
        fix(world, nodes, "z")
        fix(world, nodes[0], "e1")
    k = np.pi * np.arange(1, 4)
    exact = []
    for n in k:
        K = np.array(((GA * n * n, -GA * n), (-GA * n, EI * n * n + GA))) / np.sqrt(np.outer((m, J), (m, J)))
        exact += list(np.sqrt(np.linalg.eigvalsh(K)))
    # in the mode n = 0, all sections rotate, and the axis remains straight
    exact = np.sort([*exact, np.sqrt(GA / J)])[:4] / (2.0 * np.pi)
    found = Modes(world, count=4).solve().frequencies
    assert_allclose(found, exact, rtol=error)


@pytest.mark.parametrize(("order", "error"), [(1, 1e-2), (2, 2e-5), (3, 2e-8)])
def test_torsional_and_axial_frequencies(order: int, error: float) -> None:
    """Frequencies of a cantilever are (2 i - 1) c/(4 L), with the wave speed c = √(GJ/J) of torsion or √(EA/ρA) of
    tension.
    """
    world, nodes, _ = straight(
        3, 10, order, stiffness=(900.0, 1e7, 1e7, 2.0, 1e7, 1e7), mass_per_length=1.0, rotary_inertia=(0.02, 1e-3, 1e-3)
    )
    clamp(world, nodes[0])
    found = Modes(world, count=3).solve().frequencies
    torsion = np.sqrt(2.0 / 0.02) / 4.0
    assert_allclose(found, (torsion, 3.0 * torsion, np.sqrt(900.0) / 4.0), rtol=error)


@pytest.mark.parametrize("order", ORDERS)
def test_free_beam_that_tumbles(order: int) -> None:
    """A free bent beam that rotates by more than one turn conserves momentum. The errors of angular momentum and energy
    have order 2.
    """
    world, nodes, beam = straight(3, 3, order, stiffness=(400.0, 200.0, 200.0, 1.0, 2.0, 3.0))
    state = State(world)
    dofs = state.local_dofs(nodes)
    state.v[dofs] = rotation_rates(state, nodes, np.array((6.0, 3.0, -4.0)))
    x = np.array(nodes.table.collect("position", nodes.rows))[:, 0]
    state.v[dofs[:, 1]] += 2.0 * np.sin(3.0 * x)
    state.v[dofs[:, 2]] += 1.0
    before, changes = find_momenta(world, nodes, state), []
    for step in (4e-3, 2e-3):
        ledger = wl.EnergyLedger()
        end = Dynamic(world, step=step, end=1.0, rtol=1e-10, name="").solve(state, hooks=[ledger])
        after = find_momenta(world, nodes, end)
        assert_allclose(after[:3], before[:3], atol=1e-12)
        kinetic, elastic = ledger.totals["kinetic"], ledger.totals["Beam3D.elastic"]
        assert_allclose(kinetic, after[6] - before[6], rtol=1e-9)
        turned = np.linalg.norm(after[3:6] - before[3:6]) / np.linalg.norm(before[3:6])
        changes.append((turned, abs(kinetic + elastic) / before[6]))
    assert elastic > 0.01 * before[6]
    assert np.abs(eval_output(beam, "frame", end)[0] - np.eye(3)).max() > 0.5
    # the errors are of second order in the step size; the measured errors are 3e-5 and 1.2e-4
    assert max(changes[1]) < 2e-4 and changes[0][1] / changes[1][1] > 2.5


PRINCETON = {
    8.896: (
        (10.71417630, 10.61328706, 10.11169630, 8.837226265, 6.604665004, 3.538889001, 0.0),
        (0.0, 42.08232124, 79.39482948, 108.987937, 129.887616, 142.194370, 146.245978),
    ),
    13.345: (
        (16.06423724, 16.45825752, 16.65873206, 15.18618440, 11.57837500, 6.248967384, 0.0),
        (0.0, 64.35812858, 117.735994, 156.467239, 181.861627, 196.097131, 200.677707),
    ),
}
"""Displacements [mm] of the end of the Princeton beam along its height and along its width, by load [N] and load angle
(0 to 90° in steps of 15°), computed with beam elements of ANSYS.

Sources: L. P. Obrezkov, A. Mikkola, M. K. Matikainen, Nonlinear Dynamics 109 (2022) 531-546, for the values;
E. H. Dowell, J. J. Traybar, AMS Reports 1194 and 1257, Princeton University (1975), for the experiment.
"""


@pytest.mark.parametrize("load", list(PRINCETON))
def test_princeton_beam(load: float) -> None:
    """In the Princeton beam experiment, an oblique end load bends and twists an aluminium cantilever with the length
    508 mm. The displacements agree with ANSYS within 0.2 mm, and within 0.02 mm if the torsional stiffness is increased
    by 3.6 %.

    The factor 1.036 is the same for all loads and angles, and has no effect at 0° and 90°. Therefore the difference is
    due to the torsional stiffness of the rectangular section, which is computed by the series of Saint-Venant in
    Windlass, and from a mesh of the cross-section in ANSYS.
    """
    section = rectangular_section(height=12.377e-3, width=3.2024e-3, modulus=71.7e9, density=2700.0, poisson=0.31)
    for factor, limit in ((1.0, 0.2), (1.036, 0.02)):
        found = []
        for angle in np.radians(np.arange(0.0, 91.0, 15.0)):
            stiffness = np.array(section["stiffness"]) * (1.0, 1.0, 1.0, factor, 1.0, 1.0)
            world, nodes, _ = straight(3, 3, 3, 0.508, **{**section, "stiffness": stiffness})
            clamp(world, nodes[0])
            force = (0.0, -load * np.cos(angle), load * np.sin(angle))
            world.add(Force, marker=position_marker(world, nodes[-1]), vector=force)
            state = Static(world, load_steps=2, rtol=1e-10, stability="off", name="").solve()
            found.append(1e3 * eval_output(nodes[-1], "displacement", state)[1:] * (-1.0, 1.0))
        assert_allclose(found, np.transpose(PRINCETON[load]), rtol=0, atol=limit)


def test_lateral_buckling() -> None:
    """A narrow cantilever under an end load buckles sideways with twist at the load 4.0126 √(EI_2 GJ)/L² (Prandtl,
    Michell).
    """
    EI, GJ, L = 2.0, 1.3, 0.9
    exact = 4.0126 * np.sqrt(EI * GJ) / L**2

    def lowest(load: float) -> float:
        world, nodes, _ = straight(3, 6, 3, L, stiffness=(1e8, 1e8, 1e8, GJ, EI, 1e5))
        clamp(world, nodes[0])
        world.add(Force, marker=position_marker(world, nodes[-1]), vector=(0.0, load, 0.0))
        state = Static(world, rtol=1e-11, stability="off", name="").solve()
        dofs = state.local_dofs(nodes)[1:]
        K = dense(assemble_matrix(world, state))[: len(state.q), : len(state.q)]
        # the columns are small motions in which the norm of Euler parameters remains 1
        motions = np.zeros((len(state.q), 6 * len(dofs)))
        for k, own in enumerate(dofs):
            e = state.q[own[3:]] + (1.0, 0.0, 0.0, 0.0)
            motions[own[:3], 6 * k : 6 * k + 3] = np.eye(3)
            motions[own[3:], 6 * k + 3 : 6 * k + 6] = np.linalg.svd(e[None, :])[2][1:].T
        reduced = motions.T @ K @ motions
        return float(np.linalg.eigvalsh(0.5 * (reduced + reduced.T))[0])

    assert_allclose(brentq(lowest, 0.8 * exact, 1.2 * exact, rtol=1e-7), exact, rtol=1e-3)


def test_exudyn_converges_to_the_same_shape() -> None:
    """A 3D cantilever under a force and under a moment that rotates with the end agrees with Exudyn 1.13.6.

    Exudyn's elements have a different interpolation with errors of second order, so the results of Exudyn with 6 and 12
    elements are extrapolated.
    """
    coarse, fine = np.array((0.0440685, -0.33727248, 0.25629232)), np.array((0.04383481, -0.33829492, 0.25799527))
    world, (c, s) = World(), (np.cos(0.4), np.sin(0.4))
    beam = straight_beam(
        world, (0, 0, 0), (1.2 * c, 1.2 * s, 0), 4, order=3, normal=(-s, c, 0), mass_per_length=1.0,
        stiffness=(900.0, 300.0, 250.0, 1.5, 2.0, 3.0), rotary_inertia=(0.03, 0.01, 0.02),
    )  # fmt: skip
    nodes = nodes_of(world, beam)
    clamp(world, nodes[0])
    world.add(Force, marker=position_marker(world, nodes[-1]), vector=(0.5, -1.0, 1.5))
    world.add(Torque, marker=rigid_marker(world, nodes[-1]), vector=(0.4, 0.3, -0.8), body_fixed=True)
    state = Static(world, load_steps=4, rtol=1e-12, stability="off", name="").solve()
    assert_allclose(eval_output(nodes[-1], "displacement", state), fine + (fine - coarse) / 3.0, atol=5e-6)


@pytest.mark.parametrize("shape", ["cantilever", "helix"])
def test_pyelastica_converges_to_the_same_motion(shape: str) -> None:
    """An increasing force pulls the free end of a cantilever, or of a helical spring, out of its plane. The position of
    the free end after one period agrees with PyElastica 1.0.0.

    The errors of PyElastica are of second order, so its results with 40 and 80 elements (helix: 80 and 160 elements)
    are extrapolated.
    """
    radius, E, rho, pitch, R = 0.02, 1e7, 1e3, np.radians(25.0), 0.12
    A, second, shear = np.pi * radius**2, np.pi * radius**4 / 4.0, 27.0 / 28.0 * 1e7 / 2.6 * np.pi * radius**2
    EI, period = E * second, 2.0 * np.pi / (3.516 * np.sqrt(E * second / (rho * A)))
    columns = {
        "stiffness": (E * A, shear, shear, EI / 1.3, EI, EI), "mass_per_length": rho * A,
        "rotary_inertia": (2.0 * rho * second, rho * second, rho * second),
    }  # fmt: skip
    if shape == "cantilever":
        coarse, fine = (0.95741388, 0.15342706, 0.21096220), (0.95743374, 0.15340950, 0.21093806)
        world, nodes, _ = straight(3, 8, 3, **columns)
        force = (0.0, 0.8 * EI, 1.1 * EI)
    else:
        coarse, fine = (-0.10174127, 0.07485894, 0.49298276), (-0.10163719, 0.07482725, 0.49296257)
        world, turns = World(), np.cos(pitch) / (2.0 * np.pi * R)
        route = helix((-R, 0, 0), (0, 0, 1), R, turns, pitch=2.0 * np.pi * R * np.tan(pitch), start=(1, 0, 0))
        nodes, force = nodes_of(world, beam_along(world, route, 12, order=3, **columns)), (0.0, 0.0, 3.0 * EI)
    clamp(world, nodes[0])
    pull = ramp(0.0, period / 2.0, (0.0, 0.0, 0.0), force)
    world.add(Force, marker=position_marker(world, nodes[-1]), function=pull)
    end = Dynamic(world, step=period / 1000.0, end=period, name="").solve()
    exact = np.array(fine) + (np.array(fine) - coarse) / 3.0
    assert_allclose(eval_output(nodes[-1], "position", end), exact, rtol=0, atol=3e-5)


@pytest.mark.mpi
def test_two_processes(tmp_path: Path) -> None:
    """Bodies swing on beams, which twist. Coordinates and outputs of runs on one and two processes agree."""
    done = run_python([ROOT / "tests/support/parallel_beams.py", tmp_path / "beam.npz", "-quiet"], 2)
    assert done.returncode == 0, done.stderr
    serial, found = run_beam(), np.load(tmp_path / "beam.npz")
    serial |= {f"slope beam: {name}": values for name, values in run_slope_beam().items()}
    for name, values in serial.items():
        assert_allclose(found[name], values, rtol=0, atol=1e-8 * np.abs(values).max(), err_msg=name)


def test_unit_lengths_cause_no_projections() -> None:
    """The constraint on the norm of Euler parameters causes no projections. Only the first step of a run is projected.
    Projections would change positions, rotations and velocities by less than 2 % of the error of the step.
    """

    def run(case: str, step: float, smooth: bool = True) -> tuple[Any, Any, int]:
        if case == "beam":
            world, nodes, _ = straight(3, 4, 2)
            clamp(world, nodes[0])
            world.add(Force, marker=position_marker(world, nodes[-1]), vector=(0.0, 2.0, 1.0))
            entity, names = nodes[-1], ("position", "velocity")
        else:
            world, names = World(), ("rotation", "angular_velocity")
            entity = world.add(
                RigidBody3D, position=(0, 0, 0), mass=1.0, inertia=(1.0, 2.0, 3.2), angular_velocity=(0.3, 0.2, 20.0)
            )
            marker = rigid_marker(world, entity)
            if case == "torque":
                pulse = np.array((300.0, 200.0, -1000.0))
                world.add(Torque, marker=marker, function=lambda t: pulse * (0.4 <= t < 0.45))
            else:
                ground = rigid_marker(world, world.add(Ground))
                world.add(TorsionalSpringDamper, marker0=ground, marker1=marker, stiffness=1e4, damping=3.0)
        solver = Dynamic(world, step=step, end=0.6, name="")
        for constraint in solver.assembly.constraints:
            constraint.smooth = constraint.smooth and smooth
        state = solver.solve()
        return (*(eval_output(entity, name, state) for name in names), solver.consistency.projections)

    for case in ("beam", "torque", "spring"):
        fine, found, projected = run(case, 5e-4), run(case, 1e-2), run(case, 1e-2, smooth=False)
        assert found[2] == 1 and projected[2] > 5
        for exact, without, given in zip(fine[:2], found[:2], projected[:2], strict=True):
            assert np.abs(without - given).max() < 0.02 * np.abs(given - exact).max()


def find_whirl(EI: float, L: float, m: float, Jd: float, Jp: float, speed: float) -> Any:
    """Return the four whirl frequencies [rad/s] of a disc at the free end of a clamped shaft without mass, in ascending
    order. The disc spins with the given speed [rad/s]. Negative frequencies denote backward whirl.

    The complex deflection z and the complex slope ψ satisfy

        m z_tt + K_11 z + K_12 ψ = 0,  J_d ψ_tt - i J_p Ω ψ_t + K_12 z + K_22 ψ = 0
    """
    K11, K12, K22 = 12.0 * EI / L**3, -6.0 * EI / L**2, 4.0 * EI / L
    return np.sort(np.roots(np.polysub(np.polymul((-m, 0.0, K11), (-Jd, Jp * speed, K22)), (K12**2,))).real)


@pytest.mark.parametrize("seed", [31, 32])
def test_whirl_and_critical_speed(seed: int) -> None:
    """The whirl frequencies of a shaft with an overhung disc agree with Stodola's theory with gyroscopic moments. At
    the critical speed, the frequency of forward whirl equals the spin speed.
    """
    rng = np.random.default_rng(seed)
    EI, L, m = rng.uniform(1.0, 3.0), rng.uniform(0.6, 1.0), rng.uniform(1.0, 2.0)
    Jd = rng.uniform(0.03, 0.06)
    Jp = rng.uniform(0.5, 0.9) * Jd
    first = np.sqrt(3.0 * EI / L**3 / m)
    critical = brentq(lambda speed: find_whirl(EI, L, m, Jd, Jp, speed)[2] - speed, 0.5 * first, 2.0 * first)
    for speed in (critical, 4.0 * first):
        known = find_whirl(EI, L, m, Jd, Jp, speed)
        world, nodes, _ = straight(
            3, 2, 3, L, stiffness=(1e5, 1e5, 1e5, 50.0, EI, EI), mass_per_length=1e-4, rotary_inertia=(2e-6, 1e-6, 1e-6)
        )
        disc = world.add(RigidBody3D, position=(L, 0, 0), mass=m, inertia=(Jp, Jd, Jd))
        swivel(world, nodes[0], world.add(Ground), axis=(1, 0, 0))
        socket(world, nodes[-1], disc)
        state = State(world)
        for own in (nodes, nodes_of(world, disc)):
            state.v[state.local_dofs(own)] = rotation_rates(state, own, np.array((speed, 0.0, 0.0)))
        state.v[state.local_dofs(nodes_of(world, disc))[0, 1]] += 1e-3
        sensors = wl.Sensors(None, [wl.Sensor(disc, "position", name="r")])
        step = 2.0 * np.pi / (np.abs(known).max() + speed) / 25.0
        solver = Dynamic(world, step=step, end=6.0 * 2.0 * np.pi / first, velocities="project", name="")
        solver.solve(state, hooks=[sensors])
        t, z = np.array(sensors.times), sensors["r"][:, 1] + 1j * sensors["r"][:, 2]

        def find_rest(frequencies: Any, t: Any = t, z: Any = z) -> Any:
            waves = np.exp(1j * np.outer(t, frequencies))
            rest = z - waves @ np.linalg.lstsq(waves, z, rcond=None)[0]
            return np.concatenate((rest.real, rest.imag)) / np.abs(z).max()

        found = least_squares(find_rest, known, x_scale=1e-2, xtol=1e-12)
        assert np.abs(found.fun).max() < 1e-4
        # the frequencies relative to the rotating sections are ω - Ω; with 25 steps in the shortest period, their
        # relative error is less than (2π/25)²/12
        assert_allclose(found.x, known, rtol=5e-3)
        assert_allclose(found.x[1:3], known[1:3], rtol=1e-3)
        if speed == critical:
            assert_allclose(found.x[2], speed, rtol=1e-3)
