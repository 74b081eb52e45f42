"""Markers that name whole cables: coordinates and shapes on cables of the plane, with moving material, and in space."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from windlass.connectors import CableCoordinates, CableShape3D
from windlass.connectors.markers import cable_coordinates as cc
from windlass.connectors.markers import cable_markers3d as cm
from windlass.framework.errors import ModelError
from windlass.framework.layout.layout import Layout

from support.carriages import create_span


@pytest.mark.parametrize(("kind", "width"), [("plane", 8), ("moving", 9), ("space", 12)])
def test_coordinates(kind: str, width: int) -> None:
    """Coordinates, velocities and lengths of all cables of a span."""
    world, cables = create_span(kind, 3, 4.5)
    markers = world.add(CableCoordinates, cable=cables)
    world.finalize()
    layout = Layout(world)
    x = np.append(np.random.default_rng(1).standard_normal(layout.spare), 0.0)
    columns = cc.allocate(world, markers.ids, layout)
    assert columns.q.shape == (3, width)
    cc.update_cables(cc.CableRows(np.arange(3), columns.dofs), columns, x, 2 * x)
    dofs = layout.local_dofs(world.dofs_of(cables))
    assert_allclose(columns.q, x[dofs], atol=0)
    assert_allclose(columns.v, 2 * x[dofs], atol=0)
    assert_allclose(columns.length, 1.5)


def test_shapes_in_space() -> None:
    """Points at equal distances along the axes: ends are nodes, the middle is Hermite's."""
    world, cables = create_span("space", 2, 3.0)
    markers = world.add(CableShape3D, cable=cables, segments=[1, 2])
    world.finalize()
    layout = Layout(world)
    x = np.append(np.random.default_rng(2).standard_normal(layout.spare), 0.0)
    m = cm.allocate_shapes(world, markers.ids, layout)
    cm.update_shapes(np.arange(2), m, x, -3.0 * x)
    q = x[layout.local_dofs(world.dofs_of(cables))]
    assert list(m.start) == [0, 2, 5]
    assert_allclose(m.p[[0, 1, 2, 4]], [q[0, :3], q[0, 6:9], q[1, :3], q[1, 6:9]], atol=1e-15)
    assert_allclose(m.p[3], 0.5 * (q[1, :3] + q[1, 6:9]) + 1.5 / 8.0 * (q[1, 3:6] - q[1, 9:]), atol=1e-15)
    assert_allclose(m.v, -3.0 * m.p, atol=1e-14)


def test_shapes_in_space_need_cables_in_space() -> None:
    world, cables = create_span("plane", 2, 3.0)
    with pytest.raises(ModelError, match="cable in space"):
        world.add(CableShape3D, cable=cables, segments=1)
