"""Markers of whole cables return the coordinates and the shapes of 2D cables, ALE cables and 3D cables."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass.connectors import CableCoordinates, CableShape3D, CoordinateSpringDamper, coordinate_marker
from windlass.connectors.markers import cable_coordinates as cc
from windlass.connectors.markers import cable_markers3d as cm
from windlass.elements import ALENode, nodes_of
from windlass.framework.errors import ModelError
from windlass.framework.layout.layout import Layout
from windlass.framework.model.table import Entity

from support.cable_bed import CableBed
from support.carriages import create_span


@pytest.mark.parametrize(("kind", "width"), [("plane", 8), ("moving", 9), ("space", 12)])
def test_coordinates(kind: str, width: int) -> None:
    """The marker returns coordinates, velocities and lengths of all cables of a span."""
    world, cables = create_span(kind, 3, 4.5)
    markers = world.add(CableCoordinates, cable=cables)
    world.finalize()
    layout = Layout(world)
    x = np.append(np.random.default_rng(1).standard_normal(layout.spare), 0.0)
    columns = cc.allocate(world, markers.ids, layout)
    assert columns.coordinates.shape == (3, width)
    cc.update_cables(cc.CableRows(np.arange(3), columns.dofs), columns, x, 2 * x)
    dofs = layout.local_dofs(world.dofs_of(cables))
    assert_allclose(columns.coordinates, x[dofs], atol=0)
    assert_allclose(columns.velocities, 2 * x[dofs], atol=0)
    assert_allclose(columns.length, 1.5)


@pytest.mark.parametrize("kind", ["plane", "moving", "space"])
def test_a_law_on_whole_cables(kind: str) -> None:
    """The forces of a bed on all coordinates of cables are equal to the forces of separate springs and dampers on each
    coordinate of each cable.
    """
    ends = []
    for bed in (True, False):
        world, cables = create_span(kind, 3, 4.5)
        if bed:
            markers = world.add(CableCoordinates, cable=cables)
            world.add(CableBed, cable=markers, stiffness=30.0, damping=4.0)
            wl.testing.check_tangent(world, tolerance=1e-5)
        else:
            chain = nodes_of(world, cables)
            shared = [Entity(world.tables[ALENode], np.arange(1))] if kind == "moving" else []
            for nodes in ([chain[k], chain[k + 1], *shared] for k in range(3)):
                for node in nodes:
                    for name in node.table.component.dof_names:
                        marker = coordinate_marker(world, node, name)
                        world.add(CoordinateSpringDamper, marker1=marker, stiffness=45.0, damping=6.0)
        state = wl.State(world)
        state.v[:] = 0.1 * np.cos(np.arange(len(state.v)))
        ends.append(wl.Dynamic(world, step=5e-3, end=0.03, velocities="project").solve(state))
    assert np.abs(ends[0].v).max() > 0.01
    for name in ("q", "v"):
        assert_allclose(getattr(ends[0], name), getattr(ends[1], name), rtol=0, atol=1e-9)


def test_shapes_in_space() -> None:
    """The end points of the equally spaced points along the axis of a cable agree with the nodes, and the middle point
    agrees with Hermite's interpolation.
    """
    world, cables = create_span("space", 2, 3.0)
    markers = world.add(CableShape3D, cable=cables, segments=[1, 2])
    world.finalize()
    layout = Layout(world)
    x = np.append(np.random.default_rng(2).standard_normal(layout.spare), 0.0)
    m = cm.allocate_shapes(world, markers.ids, layout)
    cm.update_shapes(np.arange(2), m, x, -3.0 * x)
    q = x[layout.local_dofs(world.dofs_of(cables))]
    assert list(m.start) == [0, 2, 5]
    assert_allclose(m.position[[0, 1, 2, 4]], [q[0, :3], q[0, 6:9], q[1, :3], q[1, 6:9]], atol=1e-15)
    assert_allclose(m.position[3], 0.5 * (q[1, :3] + q[1, 6:9]) + 1.5 / 8.0 * (q[1, 3:6] - q[1, 9:]), atol=1e-15)
    assert_allclose(m.velocity, -3.0 * m.position, atol=1e-14)


def test_shapes_in_space_need_cables_in_space() -> None:
    world, cables = create_span("plane", 2, 3.0)
    with pytest.raises(ModelError, match="3D cable"):
        world.add(CableShape3D, cable=cables, segments=1)
