"""Tests of broken cables: forces, tangents, energies, outputs, mass and weight."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass.elements import Cable2D, Cable3D, PointSlope2D, PointSlope3D, PointSlopeTwist3D, TwistCable3D
from windlass.framework.assembly.assembly import Assembly, serial_assembly
from windlass.testing import check_tangent

from support.cables import residual

L, EA, STRAIN = 1.2, 300.0, 0.01
KINDS: dict[str, tuple[Any, Any, int, dict[str, float]]] = {
    "2D": (PointSlope2D, Cable2D, 2, {}),
    "3D": (PointSlope3D, Cable3D, 3, {}),
    "twist": (PointSlopeTwist3D, TwistCable3D, 3, {"torsional_stiffness": 1.5, "rotary_inertia": 0.01}),
}


def create_line(kind: str, **columns: Any) -> tuple[wl.World, wl.Entity, wl.State]:
    """Create a line of three cables with random displacements and velocities."""
    node, cable, d, more = KINDS[kind]
    world, x, slope = wl.World(), np.zeros((4, d)), np.zeros((4, d))
    x[:, 0], slope[:, 0] = L * np.arange(4), 1.0
    nodes = world.add(node, position=x, slope=slope)
    given = {"length": L, "mass_per_length": 0.8, "axial_stiffness": EA, "bending_stiffness": 2.0, "axial_damping": 3.0}
    given |= {"bending_damping": 0.4, "reference_strain": STRAIN}
    line = world.add(cable, node0=nodes[:-1], node1=nodes[1:], **given, **more, **columns)
    world.finalize()
    state, rng = wl.State(world), np.random.default_rng(5)
    state.q[:], state.v[:] = rng.uniform(-0.1, 0.1, (2, len(state.q)))
    return world, line, state


def load(world: wl.World, state: wl.State) -> Assembly:
    """Return the assembly of a model, with a state in its fields."""
    assembly = serial_assembly(world)
    assembly.refresh()
    assembly.load_fields(state)
    return assembly


def read_energies(world: wl.World, state: wl.State) -> Any:
    """Return the stored energies [J] and the damping powers [W] of all cables, shape (quantities, 3)."""
    (system,) = (system for system in load(world, state).systems if "Cable" in system.name)
    reading = system.read_account(load(world, state).fields)
    return reading.energies, reading.powers


@pytest.mark.parametrize("integration", [0, 1, 2])
@pytest.mark.parametrize("kind", KINDS)
def test_laws_of_broken_cables(kind: str, integration: int) -> None:
    """Tangents of a broken cable agree with differences. Forces are the gradient of the energy, which is the energy of
    the stretch of the slopes at both ends. Outputs are 0. Other cables and the mass matrix do not change.
    """
    world, line, state = create_line(kind, integration=integration)
    before = read_energies(world, state)
    inertia = np.zeros(len(state.q) + 1)
    load(world, state).add_mass_product(np.append(state.v, 0.0), inertia)
    world.set(line[1], broken=True)
    check_tangent(world, state, states=1, displacement=0.02, tolerance=3e-8)
    energies, powers = read_energies(world, state)
    d = KINDS[kind][2]
    slopes = [wl.eval_output(line[1], "director", state, x=x)[:d] for x in (0.0, L)]
    own = sum(0.5 * EA * L / 6.0 * (np.linalg.norm(s) - 1.0 - STRAIN) ** 2 for s in slopes)
    assert_allclose(energies[:, 1], [own, *np.zeros(len(energies) - 1)], rtol=1e-12)
    assert_allclose(powers[:, 1], 0.0)
    for now, old in zip((energies, powers), before, strict=True):
        assert (now[:, [0, 2]] == old[:, [0, 2]]).all() and (old[:2, 1] > 0.0).all()
    for name in ("axial_force", "bending_moment"):
        values = wl.eval_output(line, name, state, x=0.3)
        assert not np.any(values[1]) and np.all(np.any(np.reshape(values, (3, -1)), axis=1) == [True, False, True])
    again = np.zeros_like(inertia)
    load(world, state).add_mass_product(np.append(state.v, 0.0), again)
    assert (again == inertia).all()
    state.v[:] = 0.0

    def energy(k: int, step: float) -> float:
        moved = state.copy()
        moved.q[k] += step
        return float(read_energies(world, moved)[0].sum())

    gradient = [(energy(k, 1e-6) - energy(k, -1e-6)) / 2e-6 for k in range(len(state.q))]
    f = residual(world, state)
    assert_allclose(gradient, f, rtol=0, atol=1e-7 * np.abs(f).max())


@pytest.mark.parametrize("kind", ["2D", "3D"])
def test_user_functions_of_broken_cables(kind: str) -> None:
    """A broken cable with user functions exerts the same forces as a broken cable with the linear law, and its
    functions are not called.
    """
    forces, calls = [], list[int]()

    def pull(t: float, x: Any, eps: Any, eps_t: Any, eps_ref: Any, *rest: Any) -> Any:
        calls.extend(rest[-1].row[:, 0])
        return rest[-1].axial_stiffness * (eps - eps_ref) + rest[-1].axial_damping * eps_t

    for functions in ({}, {"axial_force_function": pull}):
        world, line, state = create_line(kind, **functions)
        world.set(line[1], broken=True)
        forces.append(residual(world, state))
        check_tangent(world, state, states=1, displacement=0.02, tolerance=1e-6)
        world.set(line[[0, 2]], broken=True)
        forces.append(residual(world, state))
    assert_allclose(forces[2], forces[0], atol=1e-12 * np.abs(forces[0]).max())
    assert_allclose(forces[3], forces[1], atol=1e-12 * np.abs(forces[1]).max())
    assert calls and 1 not in calls
