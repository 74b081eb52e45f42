"""`ALECable2D` is compared with reference data, differences and `Cable2D`: forces, tangents and velocity of the
material.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from windlass.elements import ALECable2D, ALENode, Cable2D, PointSlope2D
from windlass.framework.assembly.assembly import serial_assembly
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.evaluate import eval_output
from windlass.framework.state.state import State
from windlass.testing import check_tangent

from support.cables import COLUMNS, NODES

REFERENCE = np.load(Path(__file__).parents[1] / "reference" / "ale_cable2d.npz")
CASES = sorted({key.rsplit("_", 1)[0] for key in REFERENCE.files if key.endswith("_rhs")})
TO_REFERENCE = np.r_[8, 0:8]
"""Windlass orders coordinates as [node 0, node 1, s]; the reference data have the order [s, node 0, node 1]."""


def create_cable(
    factor: float = 1.0, coupling: bool = True, variation: bool = True, **more: Any
) -> tuple[World, Entity]:
    """Create one ALE cable with the parameters of the reference data. The axial motion is the last coordinate."""
    world = World()
    nodes = world.add(PointSlope2D, position=NODES[:, :2], slope=NODES[:, 2:])
    ale = world.add(ALENode)
    cable = world.add(
        ALECable2D,
        node0=nodes[0],
        node1=nodes[1],
        ale=ale,
        moving_mass_factor=factor,
        use_coupling_terms=coupling,
        add_ale_variation=variation,
        **{"integration": 2, **COLUMNS, **more},
    )
    return world, cable


def eval_left_side(world: World, state: State) -> Any:
    """Return forces and inertia at the state, shape (9,)."""
    assembly = serial_assembly(world)
    assembly.load_fields(state)
    f = np.zeros(10)
    assembly.add_forces(f)
    assembly.add_inertia(f)
    return f[:-1]


def eval_matrix(world: World, state: State, dq: float, dv: float, da: float) -> Any:
    """Return the matrix dq d/dq + dv d/dv + da d/da of the left side, shape (9, 9)."""
    # in statics (da = 0), the inertia forces have no tangent
    return eval_sum(world, state, dq, dv, da + 1.0) - eval_sum(world, state, 0.0, 0.0, 1.0)


def eval_sum(world: World, state: State, dq: float, dv: float, da: float) -> Any:
    """Return the same matrix as `eval_matrix`, but computed in one call, for da ≠ 0."""
    assembly = serial_assembly(world)
    assembly.load_fields(state)
    values = np.zeros(assembly.pattern.spare + 1)
    assembly.add_tangent(values, dq, dv, da, 0.0, da)
    unknown = assembly.layout.unknowns.of_dof
    pattern = assembly.pattern
    dense = np.zeros((9, 9))
    for i in range(9):
        for k in range(pattern.indptr[i], pattern.indptr[i + 1]):
            dense[i, pattern.indices[k]] += values[k]
    return dense[np.ix_(unknown, unknown)]


def load_case(name: str) -> tuple[World, Entity, State, Any]:
    """Return model and state of one reference case, and a function that reads arrays of the case."""
    factor, coupling, variation = (part for part in name.split("_")[1:4])
    world, cable = create_cable(float(factor[2:]), coupling == "coup1", variation == "var1")
    state = State(world)
    state.q[TO_REFERENCE], state.v[TO_REFERENCE] = REFERENCE[name + "_q"], REFERENCE[name + "_v"]
    return world, cable, state, lambda key: REFERENCE[f"{name}_{key}"]


def test_there_are_cases() -> None:
    assert len(CASES) >= 3


@pytest.mark.parametrize("name", CASES)
def test_forces_mass_and_velocity_match_reference(name: str) -> None:
    """Forces, mass matrix and velocity agree with the reference data to 1e-12 of the largest entry."""
    world, cable, state, data = load_case(name)
    assert_close(-eval_left_side(world, state)[TO_REFERENCE], data("rhs"))
    mass = eval_matrix(world, state, 0.0, 0.0, 1.0)[np.ix_(TO_REFERENCE, TO_REFERENCE)]
    assert_close(mass, data("M"))
    for key in REFERENCE.files:
        if key.startswith(name + "_vel_x"):
            velocity = eval_output(cable, "velocity", state, x=float(key.rsplit("x", 1)[1]))
            assert_close(np.ravel(velocity), REFERENCE[key])


def assert_close(ours: Any, theirs: Any) -> None:
    """Check that arrays are equal to 1e-12 of the largest entry."""
    assert_allclose(ours, theirs, rtol=0, atol=1e-12 * np.abs(theirs).max())


@pytest.mark.parametrize("name", CASES)
def test_tangents_match_forward_differences_of_the_reference(name: str) -> None:
    """Tangents agree with the forward differences of the reference data to 1e-5 of the largest entry."""
    world, _, state, data = load_case(name)
    for key, factors in (("dRHS_dq_numeric", (1.0, 0.0, 0.0)), ("dRHS_dv_numeric", (0.0, 1.0, 0.0))):
        ours = -eval_matrix(world, state, *factors)[np.ix_(TO_REFERENCE, TO_REFERENCE)]
        assert_allclose(ours, data(key), rtol=0, atol=1e-5 * np.abs(data(key)).max())


@pytest.mark.parametrize("factor", [1.0, 0.5])
@pytest.mark.parametrize("flags", [(True, True), (True, False), (False, True)])
@pytest.mark.parametrize("integration", [0, 2])
def test_tangents_against_differences(factor: float, flags: tuple[bool, bool], integration: int) -> None:
    """Tangents with respect to q, v and a agree with differences of the forces to 1e-7 of the largest entry of each
    row.
    """
    world, _ = create_cable(factor, *flags, integration=integration)
    rng, state = np.random.default_rng(5), State(world)
    for name, scale in (("q", 0.05), ("v", 1.0), ("a", 2.0)):
        getattr(state, name)[:] = rng.normal(size=9, scale=scale)
    check_tangent(world, state, states=0, tolerance=1e-7)


def test_at_rest_it_is_a_cable() -> None:
    """Without axial motion, the forces on the nodes of an ALE cable are equal to the forces on the nodes of a
    `Cable2D`.
    """
    world, _ = create_cable()
    plain = World()
    nodes = plain.add(PointSlope2D, position=NODES[:, :2], slope=NODES[:, 2:])
    plain.add(Cable2D, node0=nodes[0], node1=nodes[1], **COLUMNS)
    q = np.random.default_rng(2).normal(size=8, scale=0.05)
    state, other = State(world), State(plain)
    state.q[:8] = other.q[:] = q
    f = np.zeros(9)
    serial_assembly(plain).load_fields(other)
    serial_assembly(plain).add_forces(f)
    assert_allclose(eval_left_side(world, state)[:8], f[:8], rtol=1e-13)
