"""Cable-shape marker: points that divide a cable into straight segments, for contact.

    points: p_i = r(xi_i) + y m,    xi_i = i L/n with i = 0 to n,    m = [-r'_y, r'_x]/|r'|
    velocities: v_i = r_t - y w r'/|r'|,    w = (r' x r'_t)/|r'|^2

Connectors need the following derivatives, where t0 = r'/|r'|, l = |r'|, S_a is a shape function, and (x) denotes the
tensor product:

    dp/dq_a = S_a I + S'_a B,    B = -(y/l) t0 (x) m,
    dv/dq_a = S'_a Bd,    Bd = (y/l^2) [(t0.r'_t) t0 (x) m - (m.r'_t) (m (x) m - t0 (x) t0)],
    d(J^T f)/dq_ab = S'_a G S'_b,    G = (y/l^2) [(t0.f) (m (x) t0 + t0 (x) m) - (m.f) m (x) m].

B is y dm/dr', Bd is the time derivative of B, and G is the second derivative of y m.f with respect to r', for a
constant force f at the point. Because v = J q_t, Bd is also dv/dr'.

For cables whose material moves along the axis (`ALECable2D`, axial motion s), the points lie on the axis (y = 0). All
rates are rates of the material particle at the point:

    velocity: v_i = r_t + s_t r'
    rate of the slope: r'_t + s_t r''
    derivative: dv/dq_t = [S_a I, r'] for q_t = [nodes, s_t].

Source: kinematics of a shear-rigid cross section on an ANCF cable (Gerstmayr and Irschik, J. Sound Vib. 318, 2008).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from windlass.elements.cable.ale_kernels import fill_product, slide_matrices
from windlass.elements.cable.points import eval_shape
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.errors import ModelError
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows, MarkerFamily, Output, Rows, Tables, register, register_family
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.system import Fields, System
from windlass.framework.model.table import Entity, EntityTable

FAMILY = SHAPE = MarkerFamily("cable shape marker")
CABLE_DOFS = 8


class CableShape(Component):
    """The shape of a cable as ``segments`` straight segments, for contact laws.

    For an `ALECable2D`, the velocities of points are velocities of the material, and the offset must be 0.
    """

    cable = ref("cable", "cable whose shape is approximated")
    segments = column("1", "number of straight segments n", dtype=np.int64, minimum=1)
    vertical_offset = column("m", "distance y of the points from the axis along its left normal", default=0.0)

    provides = (FAMILY,)


class ShapeMarkers(NamedTuple):
    """Points of all cable-shape markers of this process, in the order of the markers."""

    start: IntArray  # index of the first point of each marker, then the number of all points, shape (markers + 1,)
    position: FloatArray  # positions [m] in global x, y, shape (points, 2)
    velocity: FloatArray  # velocities [m/s] in global x, y, shape (points, 2)
    slope: FloatArray  # slopes r' [1] in global x, y, only with an offset or moving material, shape (points, 2)
    slope_rate: FloatArray  # rates [1/s] of the slopes, shape (points, 2)
    shape_functions: FloatArray  # S_1 to S_4 [1, m, 1, m], shape (points, 4)
    shape_derivatives: FloatArray  # derivatives of S_1 to S_4 with respect to arc length, shape (points, 4)
    offset: FloatArray  # distance y [m] of the points from the axis, shape (markers,)
    length: FloatArray  # reference length L [m] of the cable, shape (markers,)
    segments: IntArray  # number of segments n, shape (markers,)
    dofs: IntArray  # process-local indices of the coordinates of the nodes of the cable, shape (markers, 8)


@kernel
def update_points(index: IntArray, shape: ShapeMarkers, x: FloatArray, v: FloatArray) -> None:
    """Evaluate the points of the markers ``index`` from total coordinates x and velocities v."""
    S, D = shape.shape_functions, shape.shape_derivatives
    for i in range(len(index)):
        k = index[i]
        n, y = shape.dofs[k], shape.offset[k]
        # coordinates are copied to scalar variables, because compiled code would otherwise read the coordinates again
        # after each write to the points
        q0, q1, q2, q3, q4, q5, q6, q7 = x[n[0]], x[n[1]], x[n[2]], x[n[3]], x[n[4]], x[n[5]], x[n[6]], x[n[7]]
        w0, w1, w2, w3, w4, w5, w6, w7 = v[n[0]], v[n[1]], v[n[2]], v[n[3]], v[n[4]], v[n[5]], v[n[6]], v[n[7]]
        for j in range(shape.start[k], shape.start[k + 1]):
            S1, S2, S3, S4 = S[j, 0], S[j, 1], S[j, 2], S[j, 3]
            px = S1 * q0 + S2 * q2 + S3 * q4 + S4 * q6
            py = S1 * q1 + S2 * q3 + S3 * q5 + S4 * q7
            vx = S1 * w0 + S2 * w2 + S3 * w4 + S4 * w6
            vy = S1 * w1 + S2 * w3 + S3 * w5 + S4 * w7
            if y != 0.0:
                D1, D2, D3, D4 = D[j, 0], D[j, 1], D[j, 2], D[j, 3]
                rx = D1 * q0 + D2 * q2 + D3 * q4 + D4 * q6
                ry = D1 * q1 + D2 * q3 + D3 * q5 + D4 * q7
                sx = D1 * w0 + D2 * w2 + D3 * w4 + D4 * w6
                sy = D1 * w1 + D2 * w3 + D3 * w5 + D4 * w7
                l = np.sqrt(rx * rx + ry * ry)
                yw = y * (rx * sy - ry * sx) / (l * l * l)
                px -= y * ry / l
                py += y * rx / l
                vx -= yw * rx
                vy -= yw * ry
                shape.slope[j, 0], shape.slope[j, 1] = rx, ry
                shape.slope_rate[j, 0], shape.slope_rate[j, 1] = sx, sy
            shape.position[j, 0], shape.position[j, 1] = px, py
            shape.velocity[j, 0], shape.velocity[j, 1] = vx, vy


@kernel
def update_moving_points(
    index: IntArray, axial_dof: IntArray, G: FloatArray, shape: ShapeMarkers, x: FloatArray, v: FloatArray
) -> None:
    """Evaluate the points of markers on cables with moving material. ``axial_dof`` contains the process-local indices
    of the coordinates s of the axial motion, and ``G`` is the result of `slide_matrices`, shape (rows, 4, 4).

    With the shape functions S, the coordinates q of the nodes, their velocities v, and w = v + s_t G q, the velocities
    of the material are S w, and the rates of the slopes of the material are S' w.
    """
    w = np.empty(8)
    for i in range(len(index)):
        k = index[i]
        n, s_t = shape.dofs[k], v[axial_dof[i]]
        fill_product(G[i], x, n, w)
        for a in range(8):
            w[a] = v[n[a]] + s_t * w[a]
        for j in range(shape.start[k], shape.start[k + 1]):
            S, D = shape.shape_functions[j], shape.shape_derivatives[j]
            for b in range(2):
                shape.position[j, b] = S[0] * x[n[b]] + S[1] * x[n[2 + b]] + S[2] * x[n[4 + b]] + S[3] * x[n[6 + b]]
                shape.slope[j, b] = D[0] * x[n[b]] + D[1] * x[n[2 + b]] + D[2] * x[n[4 + b]] + D[3] * x[n[6 + b]]
                shape.velocity[j, b] = S[0] * w[b] + S[1] * w[2 + b] + S[2] * w[4 + b] + S[3] * w[6 + b]
                shape.slope_rate[j, b] = D[0] * w[b] + D[1] * w[2 + b] + D[2] * w[4 + b] + D[3] * w[6 + b]


@kernel(inline=True)
def eval_offset_force(y: float, rx: float, ry: float, fx: float, fy: float) -> tuple[float, float]:
    """Return B^T f, the contribution of a force f at the distance y from the axis to the generalised force of the slope
    r' = (rx, ry).
    """
    l2 = rx * rx + ry * ry
    factor = -y * (rx * fx + ry * fy) / (l2 * np.sqrt(l2))
    return -factor * ry, factor * rx


@kernel(inline=True)
def fill_point_jacobian(
    J: FloatArray,
    Jd: FloatArray,
    a: int,
    S: FloatArray,
    dS: FloatArray,
    j: int,
    y: float,
    rx: float,
    ry: float,
    sx: float,
    sy: float,
) -> None:
    """Write rows a and a + 1, with 8 columns each, of the derivatives J = dp/dq of the position and Jd = dv/dq of the
    velocity of point j. The slope r' is (rx, ry), and the rate of the slope is (sx, sy).
    """
    l = np.sqrt(rx * rx + ry * ry)
    tx, ty = rx / l, ry / l
    b = -y / l
    Bxx, Bxy, Byx, Byy = -b * tx * ty, b * tx * tx, -b * ty * ty, b * ty * tx
    along, across = tx * sx + ty * sy, tx * sy - ty * sx
    c, d = -b / l * along, b / l * across
    # with m = [-ty, tx], m (x) m - t0 (x) t0 is [[ty ty - tx tx, -2 tx ty], [-2 tx ty, tx tx - ty ty]]
    e = ty * ty - tx * tx
    Dxx, Dxy = -c * tx * ty + d * e, c * tx * tx - 2.0 * d * tx * ty
    Dyx, Dyy = -c * ty * ty - 2.0 * d * tx * ty, c * tx * ty - d * e
    for i in range(4):
        D = dS[j, i]
        J[a, 2 * i], J[a, 2 * i + 1] = S[j, i] + D * Bxx, D * Bxy
        J[a + 1, 2 * i], J[a + 1, 2 * i + 1] = D * Byx, S[j, i] + D * Byy
        Jd[a, 2 * i], Jd[a, 2 * i + 1] = D * Dxx, D * Dxy
        Jd[a + 1, 2 * i], Jd[a + 1, 2 * i + 1] = D * Dyx, D * Dyy


@kernel(inline=True)
def eval_curvature(y: float, rx: float, ry: float, fx: float, fy: float) -> tuple[float, float, float]:
    """Return the components G_xx, G_xy = G_yx and G_yy of the matrix G of second derivatives for a force f at the
    distance y from the axis."""
    l2 = rx * rx + ry * ry
    l = np.sqrt(l2)
    tx, ty = rx / l, ry / l
    ft, fm = tx * fx + ty * fy, tx * fy - ty * fx
    c = y / l2
    return (
        c * (-2.0 * ft * tx * ty - fm * ty * ty),
        c * (ft * (tx * tx - ty * ty) + fm * tx * ty),
        c * (2.0 * ft * tx * ty - fm * tx * tx),
    )


def create_shapes(segments: IntArray, offset: FloatArray, length: FloatArray, dofs: IntArray) -> ShapeMarkers:
    """Create the arrays of cable-shape markers, and fill the arrays that are constant in time.

    Args:
        segments: number of segments of each marker, shape (markers,).
        offset: distance of the points of each marker from the axis [m], shape (markers,).
        length: reference length of the cable of each marker [m], shape (markers,).
        dofs: process-local indices of the coordinates of the cable, shape (markers, 8).
    """
    start = np.concatenate((np.zeros(1, np.int64), np.cumsum(segments + 1)))
    owner = np.repeat(np.arange(len(segments)), segments + 1)
    points = len(owner)
    L = length[owner]
    S, dS, _ = eval_shape((np.arange(points) - start[owner]) * L / segments[owner] / L, L)
    p, v, slope, slope_rate = (np.zeros((points, 2)) for _ in range(4))
    return ShapeMarkers(start, p, v, slope, slope_rate, S, dS, offset.copy(), length.copy(), segments.copy(), dofs)


def allocate(world: Tables, ids: IntArray, layout: Rows) -> ShapeMarkers:
    """Allocate the arrays of the markers ``ids`` of this process."""
    segments, offset, length = np.ones(len(ids), np.int64), np.zeros(len(ids)), np.ones(len(ids))
    dofs = np.full((len(ids), CABLE_DOFS), layout.spare, np.int64)
    for table, positions, rows in world.split_by_table(ids):
        dofs[positions] = layout.local_dofs(world.row_dofs(table, rows)[:, :CABLE_DOFS])
        segments[positions] = table.local("segments", rows)
        offset[positions] = table.local("vertical_offset", rows)
        length[positions] = cable_lengths(world, table.local("cable", rows))
    return create_shapes(segments, offset, length, dofs)


SECTION_VALUES = {
    "axial_stiffness": ("stiffness", 0),
    "bending_stiffness": ("stiffness", -1),
    "reference_strain": ("reference_strain", 0),
}
"""For each column of cables: the column of beams with a value of the same meaning, and the index of this value
among the values of one beam in that column.
"""


def column_of(world: Tables, ids: IntArray, name: str) -> FloatArray:
    """Return the values of a column for cables of one or several types. The argument ``ids`` contains the identifiers
    of the cables, shape (n,). For beams, the values of the columns `SECTION_VALUES` are elements of the section values.
    """
    out = np.zeros(len(ids))
    for table, positions, rows in world.split_by_table(ids):
        if "beam" in table.component.provides and name in SECTION_VALUES:
            column, place = SECTION_VALUES[name]
            out[positions] = table.local(column, rows).reshape(len(rows), -1)[:, place]
        else:
            out[positions] = table.local(name, rows)
    return out


def collect_column(cables: Entity, name: str) -> FloatArray:
    """Return the values of a column for cables or beams of one table, shape (n,), see `column_of`. If the table is
    distributed, the call is collective.
    """
    collect = cables.table.collect
    if "beam" in cables.table.component.provides and name in SECTION_VALUES:
        column, place = SECTION_VALUES[name]
        values: FloatArray = collect(column, cables.rows).reshape(len(cables), -1)[:, place]
        return values
    return np.asarray(collect(name, cables.rows), np.float64)


def cable_lengths(world: Tables, ids: IntArray) -> FloatArray:
    """Return the reference lengths [m] of cables, shape (n,). The argument ``ids`` contains the identifiers of the
    cables.
    """
    return column_of(world, ids, "length")


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for cables that do not have two nodes with slope, and for an offset on cables with moving
    material.
    """
    offset = table.local("vertical_offset")
    for cables, positions, _ in world.split_by_table(table.local("cable")):
        width = world.resident_dofs(cables).shape[1]
        moves = "ale" in cables.component.refs
        if width != CABLE_DOFS + moves:
            raise ModelError(
                f"cable of {table.kind} has {width} coordinates: must have {CABLE_DOFS} (two points with slope)"
            )
        wrong = positions[offset[positions] != 0.0]
        if moves and len(wrong):
            given = f"vertical_offset = {offset[wrong.min()]:g} m in {table.kind} row {table.resident[wrong.min()]}"
            raise ModelError(f"{given}: must be 0 for {cables.kind}, whose material moves along its axis")


def build(rows: LocalRows) -> System:
    """Create the system of the rows. A separate kernel evaluates rows on cables with moving material."""
    index = rows.own_marker_index()
    axial = rows.world.row_dofs(rows.table, rows.rows)[:, CABLE_DOFS:]
    moves = (axial >= 0).any(axis=1)
    system = System("CableShape", rows.dofs)
    still, moving = index[~moves], index[moves]
    axial_dof = rows.dofs[moves, CABLE_DOFS:].reshape(-1)
    G = slide_matrices(cable_lengths(rows.world, rows.local("cable")[moves]))
    update = call(update_points, lambda s: (still, s.markers[FAMILY], s.x, s.v))
    update_moving = call(update_moving_points, lambda s: (moving, axial_dof, G, s.markers[FAMILY], s.x, s.v))
    system.update = update + update_moving if len(moving) else update
    return system


def find_used(rows: LocalRows) -> IntArray:
    """Return, for each row, the index of its marker among all markers of the same `MarkerFamily`, shape (rows,).

    Raises:
        ModelError: nothing refers to a marker. The points of such a marker are not evaluated.
    """
    index = rows.own_marker_index()
    for k in np.flatnonzero(index < 0)[:1]:
        name = rows.table.describe(int(rows.rows[k]))
        raise ModelError(f"{name} has no values: must be the marker of a law, because unused markers are not evaluated")
    return index


def eval_points(rows: LocalRows, fields: Fields, name: str) -> FloatArray:
    """Return the array ``name`` of `ShapeMarkers` for the points of each row, shape (rows, points, 2). Rows with fewer
    points are padded with 0.
    """
    shape: ShapeMarkers = fields.markers[FAMILY]
    index = find_used(rows)
    count = shape.segments[index] + 1
    out = np.zeros((len(index), int(count.max(initial=0)), 2))
    filled = np.arange(out.shape[1]) < count[:, None]
    values: FloatArray = getattr(shape, name)
    out[filled] = values[(shape.start[index][:, None] + np.arange(out.shape[1]))[filled]]
    return out


OUTPUTS = {
    "position": Output(
        "m",
        "positions of the points in global x, y, shape (points, 2)",
        lambda rows, fields: eval_points(rows, fields, "position"),
    ),
    "velocity": Output(
        "m/s",
        "velocities of the points in global x, y, shape (points, 2)",
        lambda rows, fields: eval_points(rows, fields, "velocity"),
    ),
}

register_family(FAMILY, allocate)
register(
    CableShape,
    "marker",
    dofs="cable",
    build=build,
    outputs=OUTPUTS,
    check=check,
    family=FAMILY,
    source="kinematics of ANCF cables with offset [@gerstmayr2008]",
)
