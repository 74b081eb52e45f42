"""Tests of 3D cables in user scripts: nets from files, supports, drawings, restart, errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from windlass.connectors import ContactCircleCable2D, Force, add_contact, clamp, hinge, position_marker, rigid_marker
from windlass.elements import (
    Cable3D,
    PointSlope2D,
    PointSlope3D,
    RigidBody2D,
    cables_from_mesh,
    nodes_of,
    straight_cable,
)
from windlass.framework.errors import ModelError
from windlass.framework.model.world import World
from windlass.framework.output.recorder import Recorder
from windlass.framework.restart.checkpoint import Checkpoint
from windlass.framework.state.assemble import assemble_vector
from windlass.framework.state.evaluate import eval_output
from windlass.framework.state.hooks import StepHook
from windlass.framework.state.state import State
from windlass.solvers.dynamic import Dynamic
from windlass.solvers.static import Static

from support.cables3d import rotation
from support.meshes import write_lines
from support.series import read_series
from support.spatial_net import build_model

ROPE: dict[str, Any] = {"axial_stiffness": 1e4, "bending_stiffness": 0.1, "mass_per_length": 0.5}
TURNED = rotation((1.0, 2.0, -0.5), 1.1)


@pytest.mark.parametrize("slopes", ["smooth", "through", "separate"])
def test_nets_from_files(slopes: Any, tmp_path: Path) -> None:
    """A 2D net that is rotated into 3D has rotated nodes and slopes, and unchanged lengths and sets."""
    points = np.array([(0, 0), (1, 0.1), (2, 0), (3, 0.3), (1, 1), (2, -1)], float)
    lines = np.array([(0, 1), (1, 2), (3, 2), (1, 4), (2, 5)])
    flat_world, world = World(), World()
    given = {"cables_per_line": 3, "slopes": slopes, **ROPE}
    flat = cables_from_mesh(flat_world, write_lines(tmp_path / "flat.vtu", points, lines), **given)
    space = np.column_stack((points, np.zeros(6))) @ TURNED.T
    net = cables_from_mesh(world, write_lines(tmp_path / "net.vtu", space, lines), in_space=True, **given)
    assert net.all_cables.kind == "Cable3D" and len(net.all_nodes) == len(flat.all_nodes)
    for name in ("position", "slope"):
        expected = np.pad(getattr(flat.all_nodes, name), ((0, 0), (0, 1))) @ TURNED.T
        assert_allclose(getattr(net.all_nodes, name), expected, atol=1e-14)
    assert_allclose(net.all_cables.length, flat.all_cables.length, rtol=1e-13)
    assert_array_equal(net.all_nodes.shares_position >= 0, flat.all_nodes.shares_position >= 0)
    with pytest.raises(ModelError, match="must be 0, or in_space=True"):
        cables_from_mesh(World(), tmp_path / "net.vtu", **given)


@pytest.mark.parametrize(
    ("slope", "held"),
    [
        ((0, 0, 1), {"x", "y", "z", "x'", "y'"}),
        ((0, -1, 0), {"x", "y", "z", "x'", "z'"}),
        ((0.6, 0.8, 0), {"x", "y", "z", "x'", "y'", "z'"}),
        ((0.6, 0, 0.8), {"x", "y", "z", "x'", "y'", "z'"}),
    ],
)
def test_clamp(slope: Any, held: set[str]) -> None:
    """Clamps fix both slope components normal to the cable, or all components if the slope is oblique to the axes."""
    world = World()
    node = world.add(PointSlope3D, position=(1.0, 2.0, 3.0), slope=slope)
    supports = clamp(world, node)
    assert {support.name.split(", ")[1].removesuffix(" fixed") for support in supports} == held
    with pytest.raises(ModelError, match="different directions"):
        clamp(world, world.add(PointSlope3D, position=[(0, 0, 0), (1, 0, 0)], slope=[(1, 0, 0), (0, 1, 0)]))


def test_drawing(tmp_path: Path) -> None:
    """Points, forces and moments of a recorded frame equal the outputs, for 2D and 3D cables in one file."""
    world = World(gravity=(0.0, -9.81, 1.0))
    flat = straight_cable(world, (0, 0), (1, 0), 2, **ROPE)
    cables = straight_cable(world, (0, 0, 1), (1, 0, 1), 2, **ROPE)
    for chain in (flat, cables):
        clamp(world, nodes_of(world, chain)[0])
    state = Static(world, name="").solve()
    with Recorder(tmp_path / "rope", formats="vtu", subdivisions=4) as recorder:
        recorder.record(state)
    times, frame = read_series(recorder.paths[0])
    drawn = frame(times[0])
    x = np.tile(np.linspace(0.0, 0.5, 5), (2, 1))
    place = eval_output(cables, "position", state, x=x).reshape(-1, 3)
    displaced = drawn.points
    for name, field in (("bending_moment", "bending_moment_vector"), ("axial_force", "axial_force")):
        values = eval_output(cables, name, state, x=x).reshape(len(place), -1)
        given = np.asarray(drawn.point_data[field]).reshape(len(displaced), -1)
        for point, value in zip(place, values, strict=True):
            here = np.abs(displaced - point).max(axis=1) < 1e-5
            assert here.any()
            assert np.abs(given[here] - value).max(axis=1).min() < 1e-4 * np.abs(values).max()


class StoppedError(Exception):
    """The exception that ends a run before its end time."""


class Stop(StepHook):
    """Hook that ends the run after step 14."""

    def after_step(self, state: State) -> None:
        """Raise `StoppedError` after step 14."""
        if state.step == 14:
            raise StoppedError


def test_restart(tmp_path: Path) -> None:
    """If the run of a net is stopped between two checkpoints and restarted, all bits of its results are equal to the
    results of an uninterrupted run.
    """
    ends = []
    for folder, restart, hooks in (("whole", None, []), ("part", None, [Stop()]), ("part", "auto", [])):
        (tmp_path / folder).mkdir(exist_ok=True)
        keep = Checkpoint(tmp_path / folder / "run.h5", None if restart else 5, restart)
        solver = Dynamic(build_model()[0], step=1e-3, end=0.02, name="")
        if hooks:
            with pytest.raises(StoppedError):
                solver.solve(hooks=[keep, *hooks])
        else:
            ends.append(solver.solve(hooks=[keep]))
    for name in ("q", "v", "a"):
        assert_array_equal(getattr(ends[0], name), getattr(ends[1], name))


def test_reversed_tangents_have_no_frame() -> None:
    """If a tangent is reversed by 180°, points on the axis do not change and points off the axis are NaN."""
    world = World()
    cable = straight_cable(world, (0, 0, 0), (1, 0, 0), 1, **ROPE)
    for offset in (0.0, 0.1):
        world.add(Force, marker=position_marker(world, cable, (0.5, offset)), vector=(0.0, 1.0, 0.0))
    state = State(world)
    state.q[:] = [1.0, 0.0, 0.0, -2.0, 0.0, 0.0, -1.0, 0.0, 0.0, -2.0, 0.0, 0.0]
    assert np.isnan(assemble_vector(world, state).getArray()).any()


def test_errors() -> None:
    world = World()
    nodes = world.add(PointSlope3D, position=[(0, 0, 0), (1, 0, 0)])
    flat = world.add(PointSlope2D, position=(0.0, 0.0))
    with pytest.raises(ModelError, match="PointSlope3D"):
        world.add(Cable3D, node0=flat, node1=nodes[1], length=1.0, **ROPE)
    cable = world.add(Cable3D, node0=nodes[0], node1=nodes[1], length=1.0, **ROPE)
    with pytest.raises(ModelError, match="reference_curvature"):
        world.add(Cable3D, node0=nodes[0], node1=nodes[1], length=1.0, reference_curvature=0.2, **ROPE)
    with pytest.raises(ModelError, match="must be"):
        position_marker(world, cable, (0.1, 0.2, 0.3, 0.4))
    circle = world.add(RigidBody2D, position=(0.5, 0.5), mass=1.0, inertia=1.0)
    beyond = World()
    long = straight_cable(beyond, (0, 0, 0), (1, 0, 0), 1, **ROPE)
    rigid_marker(beyond, long, (1.2, 0.0))
    with pytest.raises(ModelError, match=r"must be <= 1\.0 m, the cable's length"):
        beyond.finalize()
    no_slope = World()
    no_slope.add(PointSlope3D, position=(0, 0, 0), slope=(0, 0, 0))
    with pytest.raises(ModelError, match=r"slope = \(0, 0, 0\)"):
        no_slope.finalize()
    hinge(world, nodes)
    with pytest.raises(ModelError, match="has 12 coordinates: must have 8"):
        add_contact(
            world, ContactCircleCable2D, circles=circle, cables=cable, segments=2, circle_radius=0.1,
            contact_stiffness=1e3,
        )  # fmt: skip
        world.finalize()
    short = World()
    only = straight_cable(short, (0, 0, 0), (1, 0, 0), 1, **ROPE)
    with pytest.raises(ModelError, match=r"x = 2.0 m in Cable3D row 0: must lie from 0 to .* m, the length"):
        eval_output(only, "position", State(short), x=2.0)
