"""Drawings of surfaces that cables touch. Each surface is drawn as one mesh of faces that moves with its marker.

Surfaces of revolution are drawn by rings of quadrilateral faces. The faces of a plane extend from its middle to its
rim. Infinite cylinders and planes are drawn within a box around all nodes of the model in the reference configuration.
Height fields are drawn at their grid lines. The points have the field `velocity` [m/s].
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from windlass.connectors.markers.position_kernels import FAMILY, PositionMarkers
from windlass.connectors.surface_contact.distances import (
    FIELD,
    LINE,
    PLANE,
    POLYLINE,
    SHEAVE,
    SPHERE,
    Geometry,
    eval_course,
    eval_heights,
    outline,
)
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.model.drawing import Drawing
from windlass.framework.model.law import LocalRows, Tables, law_of
from windlass.framework.model.system import Fields

ALONG, AROUND = 13, 48
"""ALONG is the number of points along the section of a surface. AROUND is the number of points around the axis of the
surface. The section of a plane extends from its middle to its rim.
"""
LINES = 401
"""Largest number of lines with which a height field is drawn in each direction."""


class Meshes(NamedTuple):
    """The part of the drawings of surfaces that is constant during a run."""

    local: FloatArray  # points [m] in the frames of their markers, shape (points, 3)
    marker: IntArray  # marker of the surface of each point, shape (points,)
    drawing: Drawing  # faces of all surfaces; `draw` replaces the points of this drawing


def draw(rows: LocalRows, fields: Fields, subdivisions: int) -> Drawing:
    """Draw the surfaces of the rows. The argument ``subdivisions`` has no effect on surfaces."""
    m: PositionMarkers = fields.markers[FAMILY]
    surfaces: Geometry = rows.columns
    meshes: Meshes = rows.kept("meshes", lambda: create_meshes(rows.world, surfaces, m))
    marker = meshes.marker
    arm = np.einsum("kij,kj->ki", m.rotation[marker], meshes.local)
    velocity = np.cross(m.angular_velocity[marker], arm) + m.velocity[marker]
    return replace(meshes.drawing, points=m.position[marker] + arm, point_data={"velocity": velocity})


def create_meshes(world: Tables, surfaces: Geometry, m: PositionMarkers) -> Meshes:
    """Create one mesh of faces for each surface."""
    nodes = find_nodes(world)
    local, faces, counts = [], list[IntArray](), [0]
    for s, (marker, Q) in enumerate(zip(surfaces.marker, surfaces.Q, strict=True)):
        if surfaces.kind[s] == FIELD:
            points = eval_field_mesh(surfaces, s)
        elif surfaces.kind[s] == POLYLINE:
            seen = (nodes - m.position[marker]) @ m.rotation[marker] @ Q
            points = eval_polyline_mesh(surfaces, s, seen.min(axis=0), seen.max(axis=0))
        if surfaces.kind[s] in (FIELD, POLYLINE):
            number = np.arange(points[..., 0].size).reshape(points.shape[:2])
            here, beside = number[:, :-1], number[:, 1:]
            points = points.reshape(-1, 3)
        else:
            seen = (nodes - m.position[marker]) @ m.rotation[marker] @ Q
            points = eval_mesh(surfaces, s, seen.min(axis=0), seen.max(axis=0))
            # the last face of each ring ends at the first point of the ring
            here = np.arange(ALONG * AROUND).reshape(ALONG, AROUND)
            beside = np.roll(here, -1, axis=1)
        faces.append(np.stack((here[:-1], beside[:-1], beside[1:], here[1:]), axis=-1).reshape(-1, 4) + sum(counts))
        local.append(points @ Q.T)
        counts.append(len(points))
    drawing = Drawing(
        points=np.concatenate(local),
        lines=np.zeros((0, 2), np.int64),
        part=np.zeros(0, np.int64),
        entity=np.zeros(0, np.int64),
        start=np.zeros(0),
        end=np.zeros(0),
        units={"velocity": "m/s"},
        faces=np.concatenate(faces),
        face_part=np.repeat(np.arange(len(faces)), [len(each) for each in faces]),
    )
    return Meshes(drawing.points, np.repeat(surfaces.marker, counts[1:]), drawing)


def eval_field_mesh(surfaces: Geometry, s: int) -> FloatArray:
    """Return the points [m] of a height field at its grid lines, shape (nx, ny, 3). If a direction has more than
    ``LINES`` grid lines, ``LINES`` lines at equal distances are drawn in this direction.
    """
    first, nx, ny = (int(value) for value in surfaces.geo[s, :3])
    numbers = surfaces.pieces[first:].reshape(-1)
    x, y = numbers[:nx], numbers[nx : nx + ny]
    x, y = (lines if len(lines) <= LINES else np.linspace(lines[0], lines[-1], LINES) for lines in (x, y))
    places = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1)
    heights = eval_heights(surfaces.pieces, first, nx, ny, places.reshape(-1, 2))
    return np.concatenate((places, heights.reshape(len(x), len(y), 1)), axis=-1)


def eval_polyline_mesh(surfaces: Geometry, s: int, low: FloatArray, high: FloatArray) -> FloatArray:
    """Return the points of a polyline below the box with the corners ``low`` and ``high`` [m], shape (nx, 2, 3)."""
    first, count = (int(value) for value in surfaces.geo[s, :2])
    middle, half = 0.5 * (low + high), 0.6 * max(float((high - low)[:2].max()), 1e-3)
    ends = middle[0] - half, middle[0] + half
    course = np.array(outline(surfaces.pieces[first : first + count]))[::-1]
    inner = course[(course[:, 0] > ends[0]) & (course[:, 0] < ends[1]), 0]
    x = np.array([ends[0], *inner, ends[1]])
    points = np.empty((len(x), 2, 3))
    points[..., 0], points[..., 1] = x[:, None], (middle[1] - half, middle[1] + half)
    points[..., 2] = np.interp(x, *course.T)[:, None]
    return points


def find_nodes(world: Tables) -> FloatArray:
    """Return the reference positions [m] of all nodes of this process, shape (n, 3)."""
    found = [np.zeros((1, 3))]
    for component, table in world.tables.items():
        law = law_of(component)
        if law is not None and law.role == "node" and "position" in component.columns and table.resident_count:
            position = table.local("position")
            found.append(np.pad(position, ((0, 0), (0, 3 - position.shape[1]))))
    return np.concatenate(found[1:] or found)


def eval_mesh(surfaces: Geometry, s: int, low: FloatArray, high: FloatArray) -> FloatArray:
    """Return the points [m] of a surface in its own frame, shape (ALONG AROUND, 3), ring by ring.

    Args:
        surfaces: data of all surfaces.
        s: index of the drawn surface.
        low, high: corners of the box around all nodes in the frame of the surface [m], shape (3,) each. Infinite
            surfaces are drawn within this box.
    """
    kind, geo = int(surfaces.kind[s]), surfaces.geo[s]
    phi = 2.0 * np.pi * np.arange(AROUND) / AROUND - 0.25 * np.pi
    around = np.stack((np.cos(phi), np.sin(phi)), axis=1)
    if kind == PLANE:
        return eval_plane(geo, around, low, high)
    rho, z = eval_section(kind, geo, surfaces.pieces, float(low[2]), float(high[2]))
    rings: FloatArray = np.empty((ALONG, AROUND, 3))
    rings[..., :2], rings[..., 2] = rho[:, None, None] * around, z[:, None]
    return rings.reshape(-1, 3)


def eval_plane(geo: FloatArray, around: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """Return the points [m] of a rectangle, a disc, or their intersection, from its middle to its rim, shape (ALONG
    AROUND, 3).
    """
    half, middle, size = geo[1:3].copy(), np.zeros(2), float(np.max((high - low)[:2]))
    for k in np.flatnonzero(np.isinf(half)):
        if np.isfinite(geo[3]):
            half[k] = geo[3]
        else:
            middle[k], half[k] = 0.5 * (low[k] + high[k]), 0.6 * max(size, 1e-3)
    # unit vectors are lengthened to the edge of a square, and then to the edge of the rectangle, so that some points
    # are at the corners
    rim = half * around / np.abs(around).max(axis=1, keepdims=True)
    rim *= np.minimum(1.0, geo[3] / np.linalg.norm(rim, axis=1, keepdims=True))
    rings: FloatArray = np.empty((ALONG, AROUND, 3))
    rings[..., :2], rings[..., 2] = middle + np.linspace(0.0, 1.0, ALONG)[:, None, None] * rim, geo[0]
    return rings.reshape(-1, 3)


def eval_section(
    kind: int, geo: FloatArray, pieces: FloatArray, low: float, high: float
) -> tuple[FloatArray, FloatArray]:
    """Return the points (rho, z) [m] along the section of a surface of revolution, shape (ALONG,) each.

    Args:
        kind, geo, pieces: type of distance, parameters and pieces of the surface, see `Geometry`.
        low, high: smallest and largest z of all nodes [m]. An infinite cylinder is drawn between these limits.
    """
    t = np.linspace(-1.0, 1.0, ALONG)
    if kind == SPHERE:
        return geo[0] * np.cos(0.5 * np.pi * t), geo[0] * np.sin(0.5 * np.pi * t)
    if kind == LINE and geo[0] == 1.0:
        radius = -geo[2]
        ends = (geo[3], geo[4]) if np.isfinite(geo[4]) else (low - radius, high + radius)
        return np.full(ALONG, radius), np.linspace(*ends, ALONG)
    if kind == LINE:
        # points along a flank of the groove, from the bottom of the groove to the rim
        u = 0.5 * (t + 1.0)
        bottom = -geo[2] / geo[0]
        rho = bottom + u * (geo[5] - bottom)
        return rho, -(geo[0] * rho + geo[2]) / geo[1]
    if kind == SHEAVE:
        z = geo[5] * t
        bend = geo[1] * geo[3]  # |z| at the start of the flanks
        round_part = np.sqrt(np.maximum(geo[1] ** 2 - z**2, 0.0))
        s = np.where(np.abs(z) <= bend, round_part, (geo[1] - np.abs(z) * geo[3]) / geo[2])
        return geo[0] - s, z
    first = int(geo[0])
    return eval_course(pieces[first : first + int(geo[1])], ALONG)
