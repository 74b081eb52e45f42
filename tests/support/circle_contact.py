"""Rows of contacts between circles and cables for tests of kernels, without a world."""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.connectors.circle_segments.kernels import SegmentRows
from windlass.connectors.circle_segments.residual import add_residual
from windlass.connectors.circle_segments.tangent import add_tangent
from windlass.connectors.circle_segments.update import fill_outputs
from windlass.connectors.markers.cable_shape import create_shapes, update_points
from windlass.connectors.markers.position_kernels import (
    PositionMarkers,
    update_cable,
    update_rigid,
)
from windlass.elements.cable.points import eval_shape
from windlass.framework.model.rows import create_records

RADIUS, LENGTH, SEGMENTS = 0.5, 0.65, 3


class Contact:
    """Rows of independent pairs.

    Each pair has a separate cable (8 coordinates) and a separate circle (m coordinates).

    Args:
        rows: number of pairs.
        place: position b [m] of the circle's centre in its body's frame; "cable": a point on a second cable.
        y: vertical offset [m].
        friction: whether the law has friction.
        **columns: fields of the rows (fields of `SegmentRows`).
    """

    def __init__(self, rows: int, place: Any = (0.0, 0.0), y: float = 0.0, friction: bool = True, **columns: Any):
        self.rows, self.place, self.friction = rows, place, friction
        self.m = 8 if place == "cable" else 3
        self.width = 8 + self.m
        n = rows * self.width
        self.dofs = np.arange(n).reshape(rows, self.width)
        self.index = np.arange(rows)
        full = np.full(rows, SEGMENTS)
        self.shape = create_shapes(full, np.full(rows, y), np.full(rows, LENGTH), self.dofs[:, :8].copy())
        m = self.m
        self.circle = PositionMarkers(
            *(np.zeros((rows, *s)) for s in ((3,), (3,), (3, m), (3, m))),
            self.dofs[:, 8:].copy(),
            np.zeros(rows),
            np.tile(np.eye(3), (rows, 1, 1)),
            np.zeros((rows, 3)),
            np.zeros((rows, 3, m)),
            self.index,
            np.zeros((rows, 3, m, m)),
            np.zeros((rows, 3, m, m)),
        )
        values = {"contact_stiffness": 2000.0, "contact_damping": 17.0, "friction_velocity_penalty": 9.0}
        values |= {"friction_stiffness": 800.0, "friction_coefficient": 0.3, "radius": RADIUS}
        values |= {"length": LENGTH / SEGMENTS, "damping_depth": 0.0, "shift": 0.0, "use_segment_normals": True}
        values |= {"clip_normal_force": False, "active": True, "is_current": False} | columns
        per_segment = 3 if friction else 1
        own = create_records(
            circle=self.index,
            cable=self.index,
            data=self.index * per_segment * SEGMENTS,
            segments=full,
            **{name: np.broadcast_to(np.asarray(value), rows).copy() for name, value in values.items()},
        )
        self.c = SegmentRows(own, friction, self.dofs)
        self.data = np.zeros((rows, per_segment * SEGMENTS))
        slots = np.arange(rows * self.width**2).reshape(rows, self.width, self.width)
        self.slots, self.values = slots, np.zeros(slots.size)

    def update(self, x: Any, v: Any) -> None:
        """Evaluate the markers for x and v, shape (rows, 8 + m) each."""
        x, v = np.append(x, 0.0), np.append(v, 0.0)
        self.v = v
        update_points(self.index, self.shape, x, v)
        if self.place == "cable":
            S, dS, _ = eval_shape(np.full(self.rows, 0.3 / 0.8), np.full(self.rows, 0.8))
            rows = create_records(index=self.index, dofs=self.dofs[:, 8:], S=S, dS=dS, y=np.full(self.rows, 0.05))
            update_cable(rows, self.circle, x, v)
        else:
            b = np.tile(np.asarray(self.place), (self.rows, 1))
            update_rigid(create_records(index=self.index, dofs=self.dofs[:, 8:], local=b), self.circle, x, v)

    def force(self, x: Any, v: Any) -> Any:
        self.update(x, v)
        f = np.zeros(self.rows * self.width + 1)
        add_residual(self.c, self.shape, self.circle, self.data.ravel(), f)
        return f[:-1].reshape(self.rows, self.width)

    def tangent(self, x: Any, v: Any, dq: float, dv: float) -> Any:
        self.update(x, v)
        self.values[:] = 0.0
        add_tangent(self.c, self.shape, self.circle, self.data.ravel(), self.v, dq, dv, self.slots, self.values)
        return self.values.reshape(self.slots.shape).copy()

    def outputs(self, x: Any, v: Any) -> Any:
        self.update(x, v)
        out = np.zeros((self.rows, SEGMENTS, 12))
        fill_outputs(self.c, self.shape, self.circle, self.data.ravel(), out)
        return out
