"""Tests of bodies that are defined by matrices or user functions: closed forms, and a reduced beam, which agrees with
the full beam.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import meshio
import numpy as np
import pytest
from scipy import io, sparse

import windlass as wl
import windlass.connectors as con
import windlass.elements as el
from windlass.framework.arrays import FloatArray
from windlass.framework.model.table import Entity

ELEMENTS, LENGTH, EI, EA, RHO = 24, 2.0, 900.0, 4e5, 3.0


def create_beam() -> tuple[FloatArray, FloatArray]:
    """Return M and K of a beam along x with (x, y, rotation) at each of 25 nodes (Euler-Bernoulli, consistent mass)."""
    h, n = LENGTH / ELEMENTS, 3 * (ELEMENTS + 1)
    M, K = np.zeros((n, n)), np.zeros((n, n))
    axial, bending = [0, 3], [1, 2, 4, 5]
    k, m = np.zeros((6, 6)), np.zeros((6, 6))
    k[np.ix_(axial, axial)] = EA / h * np.array([[1, -1], [-1, 1]])
    m[np.ix_(axial, axial)] = RHO * h / 6 * np.array([[2, 1], [1, 2]])
    k[np.ix_(bending, bending)] = EI / h**3 * np.array(
        [[12, 6 * h, -12, 6 * h], [6 * h, 4 * h * h, -6 * h, 2 * h * h], [-12, -6 * h, 12, -6 * h],
         [6 * h, 2 * h * h, -6 * h, 4 * h * h]]
    )  # fmt: skip
    m[np.ix_(bending, bending)] = RHO * h / 420 * np.array(
        [[156, 22 * h, 54, -13 * h], [22 * h, 4 * h * h, 13 * h, -3 * h * h], [54, 13 * h, 156, -22 * h],
         [-13 * h, -3 * h * h, -22 * h, 4 * h * h]]
    )  # fmt: skip
    for e in range(ELEMENTS):
        where = slice(3 * e, 3 * e + 6)
        M[where, where] += m
        K[where, where] += k
    return M, K


BOUNDARY = [0, 1, 2, 3 * ELEMENTS, 3 * ELEMENTS + 1, 3 * ELEMENTS + 2]
DIRECTIONS = np.tile([0, 1, -1], ELEMENTS + 1)


def add_reduced(world: wl.World, modes: int) -> tuple[Entity, Entity, Entity]:
    M, K = create_beam()
    ends = [world.add(el.RigidNode2D, position=(x, 0.0)) for x in (0.0, LENGTH)]
    body = el.craig_bampton(M, sparse.csr_array(K), BOUNDARY, modes).add_to(world, ends, directions=DIRECTIONS)
    return ends[0], ends[1], body


@pytest.mark.parametrize(("modes", "error"), [(6, 1e-2), (14, 1e-3), (69, 1e-8)])
def test_reduced_beam_has_the_frequencies_of_the_full_one(modes: int, error: float) -> None:
    """The first six frequencies of a reduced cantilever with a spring at its tip are above the frequencies of the full
    beam.

    The frequencies approach the frequencies of the full beam with more modes, and are exact with all modes.
    """
    M, K = create_beam()
    world = wl.World()
    left, right, _ = add_reduced(world, modes)
    con.fix(world, left, "x", "y", "rotation")
    world.add(con.CoordinateSpringDamper, marker1=con.coordinate_marker(world, right, "y"), stiffness=150.0)
    K[-2, -2] += 150.0
    squares = np.linalg.eigvals(np.linalg.solve(M[3:, 3:], K[3:, 3:])).real
    expected = np.sqrt(np.sort(squares)[:6])
    found = np.abs(wl.Modes(world, count=6).solve().eigenvalues)
    assert (np.abs(found / expected - 1.0) < error).all() and (found > expected * (1.0 - 1e-8)).all()


def test_reduced_beam_is_exact_in_statics() -> None:
    """Under forces at the boundary, statics are exact without any mode.

    The resultant forces of the weight are also exact.
    """
    world = wl.World(gravity=(0.0, -9.81, 0.0))
    left, right, body = add_reduced(world, 0)
    hold = con.fix(world, left, "x", "y", "rotation")
    tip = con.position_marker(world, right)
    world.add(con.Force, marker=tip, vector=(1000.0, -5.0, 0.0))
    wl.testing.check_tangent(world)
    state = wl.Static(world).solve()
    M, K = create_beam()
    f = np.zeros(len(M))
    f[-3], f[-2] = 1000.0, -5.0
    f -= 9.81 * M @ (DIRECTIONS == 1)
    expected = np.linalg.solve(K[3:, 3:], f[3:])[-3:]
    assert np.allclose(state.of(right)[0], expected, rtol=1e-9)
    assert np.isclose(-wl.eval_output(hold, "force", state)[1], 5.0 + 9.81 * RHO * LENGTH)
    assert wl.eval_output(body, "strain_energy", state) > 0.0


def test_matrices_and_meshes_come_from_files(tmp_path: Path) -> None:
    """The matrices of a body are read from an .npz file and an .mtx file, and its mesh from a third file. The body is
    drawn by the edges of the mesh.
    """
    n = 5
    points = np.stack((np.linspace(0.0, 1.0, n), np.zeros(n), np.zeros(n)), axis=1)
    line = np.stack((np.arange(n - 1), np.arange(1, n)), axis=1)
    meshio.write(tmp_path / "bar.vtu", meshio.Mesh(points, [("line", line)]))
    K = sparse.lil_array((2 * n, 2 * n))
    for a, b in line:
        for d in range(2):
            i, j = 2 * a + d, 2 * b + d
            K[i, i], K[j, j] = K[i, i] + 100.0, K[j, j] + 100.0
            K[i, j], K[j, i] = K[i, j] - 100.0, K[j, i] - 100.0
    sparse.save_npz(tmp_path / "k.npz", K.tocsr())
    io.mmwrite(tmp_path / "m.mtx", sparse.eye_array(2 * n) * 0.5)
    reduced = el.craig_bampton(tmp_path / "m.mtx", tmp_path / "k.npz", [0, 1, 2 * n - 2, 2 * n - 1], 2)
    world = wl.World()
    ends = [world.add(el.Point2D, position=(x, 0.0)) for x in (0.0, 1.0)]
    reduced.add_to(world, ends, mesh=tmp_path / "bar.vtu", name="bar")
    con.fix(world, ends[0], "x", "y")
    world.add(con.Force, marker=con.position_marker(world, ends[1]), vector=(0.0, 5.0, 0.0))
    with wl.Recorder(str(tmp_path / "bar"), axis="step") as recorder:
        state = wl.Static(world).solve(hooks=[recorder])
    assert np.isclose(state.of(ends[1])[0, 1], 5.0 * (n - 1) / 100.0)
    world.save(tmp_path / "model.json")
    again = wl.World.load(tmp_path / "model.json")
    assert np.array_equal(wl.Static(again).solve().q, state.q)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"mass": np.eye(3)}, "must be equal"),
        ({"stiffness": "k.txt"}, "must end with .npz"),
        ({"stiffness": [[1.0, 0.5], [0.0, 1.0]]}, "must be symmetric"),
        ({"boundary": [2]}, "whole numbers from 0 to 1"),
        ({"boundary": [0, 0]}, "a number twice"),
        ({"modes": 5}, "must be <= 1"),
        ({"stiffness": np.diag([1.0, 0.0])}, "can move freely"),
    ],
)
def test_wrong_bodies_are_refused(change: dict[str, object], words: str) -> None:
    given = {"mass": np.eye(2), "stiffness": np.eye(2), "boundary": [0], "modes": 0} | change
    with pytest.raises(wl.ModelError, match=words):
        el.craig_bampton(**given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("mass", "words"),
    [
        (np.diag([1.0, -1e-9]), r"mass\[1, 1\] = -1e-09 in GenericODE2 row 0: must be >= 0 \[kg"),
        (
            [[1.0, 0.5], [0.0, 1.0]],
            r"mass in GenericODE2 row 0 has 0.5 at \[0, 1\] and 0 at \[1, 0\]: must be symmetric",
        ),
        ([[1.0, 2.0], [2.0, 1.0]], r"must be positive semi-definite; .* eigenvalue -1 "),
        ([[1e6, 2.0], [2.0, 1e-6]], r"must be positive semi-definite; .* eigenvalue -1 "),
        ([[1.0, 1e-3], [1e-3, 0.0]], r"mass\[0, 1\] = 0.001 in GenericODE2 row 0 has a 0 on the diagonal"),
        (np.eye(3), r"mass in GenericODE2 row 0 has 9 values: must have 4, of shape \(2, 2\), or be empty"),
    ],
)
def test_negative_masses_are_refused(mass: Any, words: str) -> None:
    world = wl.World()
    world.add(el.GenericODE2, nodes=world.add(el.generic_node(2)), mass=mass, stiffness=np.eye(2))
    with pytest.raises(wl.ModelError, match=words):
        world.finalize()


def test_masses_of_zero_are_allowed() -> None:
    """A body may have a singular mass matrix with rounding errors."""
    world, one = wl.World(), np.array([1.0, 1e-4, 0.0])
    mass = np.outer(one, one) + 1e-18 * np.arange(9.0).reshape(3, 3)
    mass[2] = mass[:, 2] = 0.0
    world.add(el.GenericODE2, nodes=world.add(el.generic_node(3)), mass=mass, stiffness=np.eye(3))
    world.finalize()


def swing(t: float, q: FloatArray, q_t: FloatArray) -> list[float]:
    """Return Coriolis forces and weight of a double pendulum of masses 1 kg and lengths 1 m for the right-hand side."""
    s, g = np.sin(q[0] - q[1]), 9.81
    return [-s * q_t[1] ** 2 - 2 * g * np.sin(q[0]), s * q_t[0] ** 2 - g * np.sin(q[1])]


def pendulum_mass(t: float, q: FloatArray, q_t: FloatArray) -> list[list[float]]:
    c = np.cos(q[0] - q[1])
    return [[2.0, c], [c, 1.0]]


@pytest.mark.parametrize("explicit", [False, True])
def test_mass_by_a_function(explicit: bool) -> None:
    """A double pendulum whose mass matrix is a function over two nodes conserves its energy."""
    world = wl.World()
    nodes = [world.add(el.generic_node(1), displacement=(a,)) for a in (1.0, 0.4)]
    world.add(el.GenericODE2, nodes=nodes, mass_function=pendulum_mass, force_function=swing)
    wl.testing.check_tangent(world, tolerance=1e-5)
    energy = []
    for step in (4e-3,) if explicit else (4e-3, 2e-3):
        solver = (
            wl.Explicit(world, step=step, end=0.2, method="rk") if explicit else wl.Dynamic(world, step=step, end=0.5)
        )
        state = solver.solve()
        (q0, q1), v = state.q, state.v
        potential = -9.81 * (2 * np.cos(q0) + np.cos(q1))
        energy.append(potential + 0.5 * v @ np.array(pendulum_mass(0.0, state.q, v)) @ v)
    start = -9.81 * (2 * np.cos(1.0) + np.cos(0.4))
    error = np.abs(np.array(energy) - start)
    assert error[0] < 1e-8 if explicit else error[0] < 1e-2 and 3.0 < error[0] / error[1] < 5.0


def test_ledger_of_a_damped_body() -> None:
    """A body with damping stores or dissipates exactly the work done on the body, in every step to rounding."""
    for step in (2e-3, 1e-3):
        world = wl.World()
        chain = world.add(el.generic_node(2), displacement=(0.1, 0.0))
        stiffness, damping = [[300.0, -100.0], [-100.0, 100.0]], [[2.0, 0.0], [0.0, 1.0]]
        world.add(el.GenericODE2, nodes=chain, mass=np.eye(2), stiffness=stiffness, damping=damping, force=(1.0, 0.0))
        ledger = wl.EnergyLedger()
        wl.Dynamic(world, step=step, end=0.5, method="newmark").solve(hooks=[ledger])
        assert ledger["dissipation"][-1] > 0.5 and abs(ledger.rest) < 1e-12
