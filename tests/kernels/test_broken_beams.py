"""Tests of broken beams and broken winch cables: forces, tangents, energies, outputs, mass and weight."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass.elements import PointSectionSlopes3D, RigidNode2D, RigidNode3D, winch_rope
from windlass.framework.assembly.assembly import Assembly, serial_assembly
from windlass.testing import check_tangent

from support.beams import create_plane_beam, create_slope_beam, create_space_beam
from support.cables import residual

BEAMS = {"2D": create_plane_beam, "3D": create_space_beam, "slopes": create_slope_beam}
NODES = {"2D": RigidNode2D, "3D": RigidNode3D, "slopes": PointSectionSlopes3D}
FORCES = {"2D": ("axial_force", "shear_force", "bending_moment"), "3D": ("section_force", "section_moment")}
EA, LENGTH = 400.0, 2.4


def load(world: wl.World, state: wl.State) -> Assembly:
    """Return the assembly of a model, with a state in its fields."""
    assembly = serial_assembly(world)
    assembly.refresh()
    assembly.load_fields(state)
    return assembly


def read(world: wl.World, state: wl.State, name: str) -> Any:
    """Return the stored energies [J] and the powers [W] of all rows of a component, shape (quantities, rows) each."""
    assembly = load(world, state)
    (system,) = (system for system in assembly.systems if system.name == name)
    reading = system.read_account(assembly.fields)
    return np.array(reading.energies), np.array(reading.powers)


def differentiate_energy(world: wl.World, state: wl.State, name: str) -> Any:
    """Return the derivatives of the stored energy with respect to all coordinates, by central differences."""

    def energy(k: int, step: float) -> float:
        moved = state.copy()
        moved.q[k] += step
        return float(read(world, moved, name)[0].sum())

    return np.array([(energy(k, 1e-6) - energy(k, -1e-6)) / 2e-6 for k in range(len(state.q))])


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("kind", BEAMS)
def test_laws_of_broken_beams(kind: str, order: int) -> None:
    """Tangents of a line with a broken beam agree with differences, forces are the gradient of the energy, and outputs
    of the broken beam are 0. Mass and other beams do not change. The two parts of the line move apart without force,
    and the inner nodes of the broken beam are connected to one of the parts.
    """
    world, line = BEAMS[kind](order, elements=3)
    name = line.kind
    state, rng = wl.State(world), np.random.default_rng(5)
    state.q[:], state.v[:] = rng.uniform(-0.03, 0.03, (2, len(state.q)))
    before = read(world, state, name)
    inertia = np.zeros(len(state.q) + 1)
    load(world, state).add_mass_product(np.append(state.v, 0.0), inertia)
    world.set(line[1], broken=True)
    check_tangent(world, state, states=1, displacement=0.02, tolerance=1e-6)
    after = read(world, state, name)
    for now, old in zip(after, before, strict=True):
        assert (now[:, [0, 2]] == old[:, [0, 2]]).all()
    assert (before[0][:, 1] > 0.0).all() and (after[0][:, 1] < before[0][:, 1]).all()
    for output in FORCES["2D" if kind == "2D" else "3D"]:
        values = np.reshape(wl.eval_output(line, output, state), (3, -1))
        assert not np.any(values[1]) and np.any(values[[0, 2]], axis=1).all()
    again = np.zeros_like(inertia)
    load(world, state).add_mass_product(np.append(state.v, 0.0), again)
    assert (again == inertia).all()
    state.v[:] = 0.0
    f, other = residual(world, state), state.copy()
    other.q[:] = 0.0
    # the weight is constant
    gradient = differentiate_energy(world, state, name) - differentiate_energy(world, other, name)
    assert_allclose(gradient, f - residual(world, other), rtol=0, atol=2e-7 * np.abs(f).max())
    # the nodes beyond the break, in the order along the line
    nodes = NODES[kind]
    table = world.tables[nodes]
    every = wl.Entity(table, np.arange(table.count))
    along = np.argsort(every.position[:, 0 if kind == "2D" else 2])
    beyond = every[along[order + {1: 1, 2: 2, 3: 2}[order] :]]
    shift = np.zeros_like(state.of(beyond))
    shift[:, :2] = 5.0, -3.0
    state.put(beyond, state.of(beyond) + shift)
    assert_allclose(residual(world, state), f, rtol=0, atol=1e-9 * np.abs(f).max())


@pytest.mark.parametrize("kind", ["2D", "3D", "twist"])
def test_laws_of_broken_winch_cables(kind: str) -> None:
    """Tangents of a winch rope with a broken cable agree with differences, and forces are the gradient of the energy,
    less the energy of the rope in the winch. The energy of the broken cable is the energy of its slopes, and its
    outputs are
    0. Other cables, mass and weight do not change.
    """
    world, space = wl.World(), kind != "2D"
    more = {"torsional_stiffness": 1.5, "rotary_inertia": 0.01, "torsional_damping": 0.2} if kind == "twist" else {}
    rope = winch_rope(
        world, (0.0,) * (2 + space), (LENGTH, 0.5, 0.1)[: 2 + space], 3, strain=0.01, mass_per_length=0.8,
        axial_stiffness=EA, bending_stiffness=2.0, axial_damping=3.0, store_tension=20.0, **more,
    )  # fmt: skip
    state, rng = wl.State(world), np.random.default_rng(5)
    state.q[:], state.v[:], state.a[:] = rng.uniform(-0.05, 0.05, (3, len(state.q)))
    name = rope.cables.kind
    before = read(world, state, name)
    mass, weight = (wl.eval_output(rope.cables, key, state) for key in ("mass", "momentum"))
    world.set(rope.cables[1], broken=True)
    check_tangent(world, state, states=1, displacement=0.02, tolerance=1e-6)
    after = read(world, state, name)
    for now, old in zip(after, before, strict=True):
        assert (now[:, [0, 2]] == old[:, [0, 2]]).all()
    length = float(np.ravel(wl.eval_output(rope.cables[1], "length", state))[0])
    d = 2 + space
    moved = rope.nodes.table.collect("slope", rope.nodes.rows) + state.of(rope.nodes)[:, d : 2 * d]
    own = sum(0.5 * EA * length / 6.0 * (np.linalg.norm(moved[k]) - 1.0) ** 2 for k in (1, 2))
    assert_allclose(after[0][:, 1], [own, *np.zeros(len(after[0]) - 1)], rtol=1e-12)
    assert (wl.eval_output(rope.cables, "mass", state) == mass).all()
    assert (wl.eval_output(rope.cables, "momentum", state) == weight).all()
    force = np.ravel(wl.eval_output(rope.cables, "axial_force", state))
    assert force[1] == 0.0 and (force[[0, 2]] != 0.0).all()
    state.v[:] = 0.0
    gradient = differentiate_energy(world, state, name)
    f = residual(world, state)
    stored = 20.0**2 / (2.0 * EA)
    marked = state.copy()
    marked.put(rope.feed, 1e3)
    gradient[np.flatnonzero(marked.q == 1e3)] -= stored
    assert_allclose(gradient, f, rtol=0, atol=2e-7 * np.abs(f).max())
