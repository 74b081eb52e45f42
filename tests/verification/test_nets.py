"""Tests of nets of cables from mesh files: equilibrium at knots, lattices in their plane, contact, output, and several
processes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import meshio
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import brentq

from windlass.connectors import Force, clamp, fix, hinge, position_marker
from windlass.elements import cables_from_mesh, nodes_of, straight_cable
from windlass.framework.errors import ModelError
from windlass.framework.model.world import World
from windlass.framework.output.recorder import Recorder
from windlass.framework.state.evaluate import eval_output
from windlass.solvers.dynamic import Dynamic
from windlass.solvers.static import Static

from support.lattice import falling_lattice, hung_lattice, solve_hung
from support.meshes import write_lines
from support.processes import ROOT, run_python

EA = 1e4


def test_three_ropes_at_a_knot(tmp_path: Path) -> None:
    """Two ropes to supports carry the pull P on a third rope: 2 EA (l - 1) (0.8 + d)/l = P, l² = 0.6² + (0.8 + d)²."""
    points = [(0.0, 0.0), (0.0, -1.0), (-0.6, 0.8), (0.6, 0.8)]
    path = write_lines(
        tmp_path / "y.msh", points, [(0, 1), (2, 0), (0, 3)], {}, {"knot": [0], "up": [2, 3], "low": [1]}
    )
    world = World()
    net = cables_from_mesh(world, path, axial_stiffness=EA, bending_stiffness=1.0, mass_per_length=0.1)
    hinge(world, net.nodes["up"])
    fix(world, net.nodes["low"], "x")
    pull = 500.0
    world.add(Force, marker=position_marker(world, net.nodes["low"]), vector=(0.0, -pull, 0.0))
    state = Static(world, rtol=1e-12, atol=1e-9, name="").solve()

    def length(d: float) -> float:
        return float(np.hypot(0.6, 0.8 + d))

    drop = brentq(lambda d: 2 * EA * (length(d) - 1.0) * (0.8 + d) / length(d) - pull, 0.0, 1.0, xtol=1e-15)
    assert_allclose(eval_output(net.nodes["knot"], "displacement", state)[1], -drop, rtol=1e-10)
    forces = eval_output(net.all_cables, "axial_force", state, x=0.5)
    assert_allclose(forces, [pull, *[EA * (length(drop) - 1.0)] * 2], rtol=1e-10)
    # the knot is a hinge, so no moment reaches the branch node
    assert_allclose(eval_output(net.all_cables, "bending_moment", state, x=0.0), 0.0, atol=1e-9)


def test_a_cable_goes_on_through_a_branching(tmp_path: Path) -> None:
    """With "through", cantilevers with and without a branch bend equally.

    Without "through", the cantilever has a hinge at the branch and falls down.
    """
    points = [(0.0, 0.0), (0.5, 0.0), (1.0, 0.0), (0.5, -0.2)]
    lines = [(0, 1), (2, 1), (1, 3)]
    path = write_lines(tmp_path / "t.msh", points, lines, {}, {"wall": [0], "tip": [2], "loose": [3]})
    section: dict[str, Any] = {"axial_stiffness": 1e4, "bending_stiffness": 2.0, "mass_per_length": 0.1}
    tips = []
    for net in (True, False):
        world = World()
        if net:
            mesh = cables_from_mesh(world, path, slopes="through", **section)
            wall, tip = mesh.nodes["wall"], mesh.nodes["tip"]
            fix(world, mesh.nodes["loose"], "x")
        else:
            nodes = nodes_of(world, straight_cable(world, (0, 0), (1, 0), 2, **section))
            wall, tip = nodes[0], nodes[2]
        clamp(world, wall)
        world.add(Force, marker=position_marker(world, tip), vector=(0.0, 3.0, 0.0))
        state = Static(world, load_steps=4, rtol=1e-12, atol=1e-10, name="").solve()
        tips.append(eval_output(tip, "displacement", state))
    assert tips[0][1] > 0.3
    assert_allclose(tips[0], tips[1], rtol=1e-6)
    world = World()
    mesh = cables_from_mesh(world, path, **section)
    clamp(world, mesh.nodes["wall"])
    fix(world, mesh.nodes["loose"], "x")
    with pytest.raises(ModelError, match="its first tangent is singular"):
        Static(world, name="").solve()


def test_hung_lattice() -> None:
    """Supports carry weight and side load of a lattice. Without side load the net hangs symmetrically, with sagging
    rows.
    """
    lattice = hung_lattice(8, cables_per_line=2)
    weight = 2 * 9 * 8 / 8 * 0.1 * 9.81
    state, _ = solve_hung(lattice)
    force = eval_output(lattice.supports, "force", state).reshape(2, -1)
    assert_allclose(force.sum(axis=1), [0.0, -weight], atol=1e-8)
    edges = [lattice.net.nodes[name] for name in ("left", "right")]
    left, right = (eval_output(edge, "displacement", state) for edge in edges)
    left, right = (moved[np.argsort(edge.position[:, 1])] for moved, edge in zip((left, right), edges, strict=True))
    assert_allclose(left * [-1, 1, 1], right, atol=1e-8)
    assert left[0, 0] > 1e-5
    lattice = hung_lattice(8, side_load=2.0)
    state, _ = solve_hung(lattice)
    force = eval_output(lattice.supports, "force", state).reshape(2, -1)
    assert_allclose(force.sum(axis=1), [2.0, -weight], atol=1e-8)


def test_pictures_of_nets(tmp_path: Path) -> None:
    """Cables that meet at a branch node are one part of the drawing, and their lines meet at one point."""
    lattice = falling_lattice(3)
    with Recorder(tmp_path / "net", every=10, formats=("vtu",), subdivisions=2) as recorder:
        state = Dynamic(lattice.world, step=1e-4, end=1e-3, name="").solve(hooks=[recorder])
    files = sorted(tmp_path.rglob("*.vtu"))
    mesh = meshio.read(files[-1])
    cables = mesh.cell_data["part"][0] == mesh.cell_data["part"][0][0]
    assert cables.sum() == 2 * len(lattice.net.all_cables)
    knots = eval_output(lattice.net.nodes["horizontal"], "position", state)
    ends = np.unique(np.round(mesh.points[mesh.cells[0].data[cables]].reshape(-1, 3), 9), axis=0)
    assert all(np.abs(ends - knot).sum(axis=1).min() < 1e-8 for knot in knots)


def test_markers_at_knots(tmp_path: Path) -> None:
    """Points of cables that meet at a knot move together. Forces at the knot act on the shared position."""
    path = write_lines(tmp_path / "x.msh", [(0, 0), (1, 0), (0, 1)], [(0, 1), (0, 2)], {}, {"far": [1, 2], "knot": [0]})
    world = World()
    net = cables_from_mesh(world, path, axial_stiffness=EA, bending_stiffness=1.0, mass_per_length=0.1)
    hinge(world, net.nodes["far"])
    world.add(Force, marker=position_marker(world, net.all_cables[1], (0.0, 0.0)), vector=(-3.0, -4.0, 0.0))
    state = Static(world, rtol=1e-12, atol=1e-9, name="").solve()
    ends = [eval_output(cable, "position", state, x=0.0) for cable in net.all_cables]
    assert_array_equal(*ends)
    assert_allclose(eval_output(net.all_cables, "axial_force", state, x=0.0), [3.0, 4.0], rtol=1e-3)


@pytest.mark.mpi
@pytest.mark.parametrize(("kind", "steps"), [("hung", 2), ("falling", 200)])
def test_lattices_on_several_processes(kind: str, steps: int, tmp_path: Path) -> None:
    """A lattice of 8 x 8 meshes on 2 and 3 processes agrees with one process: the relative difference of coordinates is
    at most 1e-8, and the Newton counts are equal.
    """
    results = []
    for processes in (1, 2, 3):
        path = tmp_path / f"{processes}.npz"
        words = ["-case", kind, "-count", "8", "-steps", str(steps), "-out", path, "-quiet"]
        done = run_python([ROOT / "benchmarks/agreement_child.py", *words], processes)
        assert done.returncode == 0, done.stderr
        with np.load(path) as file:
            results.append(dict(file))
    serial = results[0]
    if kind == "falling":
        # some gaps of the contacts are closed
        assert (serial["history: gaps"] < 0).any() and (serial["velocities: positions"] > 1e-6).any()
    for parallel in results[1:]:
        assert parallel.keys() == serial.keys()
        for name, expected in serial.items():
            scale = 0.0 if name in ("newton", "passes") else np.abs(expected).max(initial=0.0)
            assert_allclose(parallel[name], expected, atol=1e-8 * scale, rtol=0, err_msg=name)
