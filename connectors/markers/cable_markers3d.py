"""Position markers on 3D cables: points of the axis, and points at a distance from the axis that rotate with the
tangent of the axis.

    position: p = r + A A0 b
    rotation: A = c I + [u]× + u uᵀ/D, the smallest rotation from the reference direction t0 to t
    reference rotation: A0, the smallest rotation from global x to t0
    tangent: t = r'/|r'|,    u = t0 × t,    c = t0·t,    D = 1 + c
    angular velocity: ω = [t × r'_t - t (u·r'_t)/D]/|r'|

A cable without twist has no coordinate for a rotation about its tangent. twist_cable_markers.py describes markers on
cables with twist. The smallest rotation A has no component about t0 + t. If
the axis moves in a plane, A is the rotation of the tangent in this plane, as for 2D cables. A is not defined for t =
-t0. Therefore the tangent must rotate by less than 180° at markers with an offset b and at markers for torques and
joints. For points on the axis there is no limit. Let F(t) = A B be the vector from the axis to the marker, with B = A0
b and the offset b in the frame of the marker. In the following derivatives p is the slope r'. Then

    F = c B + u × B + u (β·t)/D,    β = B × t0,    T = [t0]×,    u = T t,
    dF = (t0·dt) B + (T dt) × B + [T dt (β·t) + u (β·dt)]/D - u (β·t)(t0·dt)/D²,
    dt = (I - t tᵀ) dp/|p|,    p = r'.

The second derivatives of F with respect to p follow by differentiation.

Source: A. A. Shabana, Dynamics of Multibody Systems, Cambridge University Press; for the smallest rotation: M. Geradin,
A. Cardona, Flexible Multibody Dynamics, Wiley (2001), chapter 4.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.markers.cable_shape import cable_lengths, find_used
from windlass.connectors.markers.marker_laws import number_markers, pack_markers, register_marker
from windlass.connectors.markers.position_kernels import CURVED, FAMILY, RIGID, SPATIAL, PositionMarkers
from windlass.elements.cable.points import eval_shape
from windlass.elements.cable.strains import interpolate
from windlass.elements.nodes.turning import REVERSED, smallest_rotations
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.errors import ModelError
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows, MarkerFamily, Output, Rows, Tables, register_family
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.system import Fields
from windlass.framework.model.table import EntityTable

SOURCE = "A. A. Shabana, Dynamics of Multibody Systems, Cambridge University Press"
TWIST_CABLE = "twist cable"
"""Name in the attribute ``provides`` of 3D cables with twist."""


class PositionOnCable3D(Component):
    """A point on the axis of a 3D cable, or a point at a distance from the axis that rotates with the tangent."""

    provides = (FAMILY, RIGID, CURVED, SPATIAL)
    cable = ref("3D cable", "the cable")
    x = column("m", "axial position on the cable, from 0 to the length of the cable", default=0.0, minimum=0.0)
    offset = column(
        "m", "position y, z in the frame of the marker, whose x axis is the tangent", shape=(2,), default=(0.0, 0.0)
    )


@kernel
def fill_cross(a: FloatArray, M: FloatArray) -> None:
    """Write the matrix [a]× of the cross product, [a]× b = a × b, into M."""
    M[0, 0], M[0, 1], M[0, 2] = 0.0, -a[2], a[1]
    M[1, 0], M[1, 1], M[1, 2] = a[2], 0.0, -a[0]
    M[2, 0], M[2, 1], M[2, 2] = -a[1], a[0], 0.0


@kernel
def fill_offset(t0: FloatArray, T: FloatArray, t: FloatArray, B: FloatArray, dF: FloatArray, ddF: FloatArray) -> None:
    """Write the derivatives ∂F/∂t, shape (3, 3), and ∂²F/∂t², shape (3, 3, 3), of the rotated offset F = A B with
    respect to the tangent t."""
    u, beta = np.zeros(3), np.zeros(3)
    c, s = 1.0, 0.0
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        beta[i] = B[j] * t0[k] - B[k] * t0[j]
        c += t0[i] * t[i]
        for a in range(3):
            u[i] += T[i, a] * t[a]
    for i in range(3):
        s += beta[i] * t[i]
    iD = 1.0 / c
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        for a in range(3):
            dF[i, a] = t0[a] * B[i] + T[j, a] * B[k] - T[k, a] * B[j]
            dF[i, a] += (T[i, a] * s + u[i] * beta[a]) * iD - u[i] * s * t0[a] * iD * iD
            for b in range(3):
                ddF[i, a, b] = (T[i, a] * beta[b] + T[i, b] * beta[a]) * iD
                ddF[i, a, b] -= (T[i, a] * s * t0[b] + T[i, b] * s * t0[a]) * iD * iD
                ddF[i, a, b] -= u[i] * (beta[a] * t0[b] + beta[b] * t0[a]) * iD * iD
                ddF[i, a, b] += 2.0 * u[i] * s * t0[a] * t0[b] * iD * iD * iD


@kernel
def fill_direction(t: FloatArray, il: float, P: FloatArray, dP: FloatArray) -> None:
    """Write the derivatives ∂t/∂p, shape (3, 3), and ∂²t/∂p², shape (3, 3, 3), of the tangent t = p/|p| with respect to
    the slope p. The argument ``il`` is 1/|p|.
    """
    for i in range(3):
        for a in range(3):
            P[i, a] = il * ((1.0 if i == a else 0.0) - t[i] * t[a])
    for i in range(3):
        for a in range(3):
            for b in range(3):
                dP[i, a, b] = -il * (t[a] * P[i, b] + t[b] * P[i, a] + t[i] * P[a, b])


@kernel
def update_on_cable(rows: Any, m: PositionMarkers, x: FloatArray, v: FloatArray) -> None:
    """Evaluate the position p = r + A A0 b and the rotation of each marker, their rates, and their derivatives with
    respect to the coordinates.
    """
    p, pt, t, u, F = np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3)
    T, tx, P, A, W = np.zeros((3, 3)), np.zeros((3, 3)), np.zeros((3, 3)), np.zeros((3, 3)), np.zeros((3, 3))
    dP, dF, ddF = np.zeros((3, 3, 3)), np.zeros((3, 3)), np.zeros((3, 3, 3))
    G, GG, dW, M = np.zeros((3, 3)), np.zeros((3, 3, 3)), np.zeros((3, 3, 3)), np.zeros((3, 3))
    for i in range(len(rows)):
        row = rows[i]
        k, h, t0, B = row.index, m.second[row.index], row.t0, row.B
        beside = B[0] != 0.0 or B[1] != 0.0 or B[2] != 0.0
        # compute the position on the axis, the slope, and the rates of both
        square = 0.0
        for d in range(3):
            m.position[k, d], m.velocity[k, d], p[d], pt[d] = 0.0, 0.0, 0.0, 0.0
            for a in range(4):
                n = row.dofs[3 * a + d]
                m.position[k, d] += row.S[a] * x[n]
                m.velocity[k, d] += row.S[a] * v[n]
                p[d] += row.dS[a] * x[n]
                pt[d] += row.dS[a] * v[n]
                m.jacobian[k, d, 3 * a + d] = row.S[a]
            square += p[d] * p[d]
        # tangent t, and D = 1 + t0·t
        il = 1.0 / np.sqrt(square)
        D = 1.0
        for d in range(3):
            t[d] = il * p[d]
            D += t0[d] * t[d]
        # the rotation is undefined if the tangent is opposite to its reference direction
        iD = 1.0 / D if D > REVERSED else np.nan
        # u = t0 × t, the smallest rotation A from t0 to t, and W such that ω = W r'_t
        fill_cross(t0, T)
        fill_cross(t, tx)
        for a in range(3):
            u[a] = T[a, 0] * t[0] + T[a, 1] * t[1] + T[a, 2] * t[2]
        fill_cross(u, M)
        for a in range(3):
            for b in range(3):
                A[a, b] = (D - 1.0 if a == b else 0.0) + M[a, b] + u[a] * u[b] * iD
                W[a, b] = il * (tx[a, b] - t[a] * u[b] * iD)
        fill_direction(t, il, P, dP)
        # compute the angular velocity, and the frame of the marker
        for a in range(3):
            m.angular_velocity[k, a] = W[a, 0] * pt[0] + W[a, 1] * pt[1] + W[a, 2] * pt[2]
            for b in range(3):
                m.rotation[k, a, b] = A[a, 0] * row.A0[0, b] + A[a, 1] * row.A0[1, b] + A[a, 2] * row.A0[2, b]
        # compute the derivative of W with respect to component b of p from the derivatives of 1/|p|, [t]×, t, u, and D
        for b in range(3):
            change = 0.0
            for d in range(3):
                change += t0[d] * P[d, b]
            fill_cross(P[:, b].copy(), M)
            for d in range(3):
                for a in range(3):
                    ua = T[a, 0] * P[0, b] + T[a, 1] * P[1, b] + T[a, 2] * P[2, b]
                    turn = M[d, a] - (P[d, b] * u[a] + t[d] * ua) * iD + t[d] * u[a] * change * iD * iD
                    dW[d, a, b] = il * turn - il * t[b] * W[d, a]
        # if the point is not on the axis: the offset F, and the derivative G of F with respect to r'
        if beside:
            fill_offset(t0, T, t, B, dF, ddF)
            for a in range(3):
                F[a] = A[a, 0] * B[0] + A[a, 1] * B[1] + A[a, 2] * B[2]
                m.position[k, a] += F[a]
                for b in range(3):
                    G[a, b] = dF[a, 0] * P[0, b] + dF[a, 1] * P[1, b] + dF[a, 2] * P[2, b]
            # rate of the offset, and its second derivatives GG with respect to r'
            for a in range(3):
                m.velocity[k, a] += G[a, 0] * pt[0] + G[a, 1] * pt[1] + G[a, 2] * pt[2]
                for b in range(3):
                    for d in range(3):
                        total = 0.0
                        for e in range(3):
                            total += dF[a, e] * dP[e, b, d]
                            for f in range(3):
                                total += ddF[a, e, f] * P[e, b] * P[f, d]
                        GG[a, b, d] = total
        # compute the Jacobians and the rates of the Jacobians from the shape functions
        for a in range(4):
            S1 = row.dS[a]
            for d in range(3):
                for b in range(3):
                    q = 3 * a + b
                    m.rotation_jacobian[k, d, q] = S1 * W[d, b]
                    if beside:
                        m.jacobian[k, d, q] = (row.S[a] if d == b else 0.0) + S1 * G[d, b]
                        m.jacobian_rate[k, d, q] = S1 * (
                            GG[d, b, 0] * pt[0] + GG[d, b, 1] * pt[1] + GG[d, b, 2] * pt[2]
                        )
        # second derivatives for pairs of shape functions
        if h < 0:
            continue
        for a in range(4):
            for e in range(4):
                SS = row.dS[a] * row.dS[e]
                for d in range(3):
                    for b in range(3):
                        for f in range(3):
                            m.rotation_hessian[h, d, 3 * a + b, 3 * e + f] = SS * dW[d, b, f]
                            m.hessian[h, d, 3 * a + b, 3 * e + f] = SS * GG[d, b, f] if beside else 0.0


def axis_dofs(world: Tables, table: EntityTable) -> IntArray:
    """Return the global indices of the position and slope coordinates of the cables of the rows, shape (rows, 12).
    Angles of twist are omitted.
    """
    return world.dofs_of(table.local("cable"))[:, :12]


def bind(rows: LocalRows) -> NDArray[Any]:
    """Create the array with the data of the markers: reference directions t0, offsets B [m], and frames A0. The first
    column of A0 is t0.
    """
    length = cable_lengths(rows.world, rows.local("cable"))
    shape = eval_shape(rows.local("x") / length, length)
    slope = interpolate(shape.dS[:, None], rows.reference)[:, 0]
    t0 = slope / np.linalg.norm(slope, axis=1)[:, None]
    A0 = smallest_rotations(np.tile((1.0, 0.0, 0.0), (len(t0), 1)), t0)
    B = np.einsum("rij,rj->ri", A0[:, :, 1:], rows.local("offset"))
    return pack_markers(rows, 12, S=shape.S, dS=shape.dS, t0=t0, A0=A0, B=B)


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for a point outside its cable, and for a cable with twist."""
    for cables, positions, _ in world.split_by_table(table.local("cable")):
        if TWIST_CABLE in cables.component.provides:
            raise ModelError(
                f"cable in {table.kind} row {table.resident[positions.min()]} is a {cables.kind}: must be a cable "
                "without twist; rigid_marker(world, cable, at) adds a marker that rotates with the material"
            )
    check_place(world, table)


def check_place(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for a point outside its cable."""
    x, length = table.local("x"), cable_lengths(world, table.local("cable"))
    for k in np.flatnonzero(x > length * (1 + 1e-12))[:1]:
        given = f"x = {x[k]} m in {table.kind} row {table.resident[k]}"
        raise ModelError(f"{given}: must be <= {length[k]} m, the cable's length")


register_marker(PositionOnCable3D, FAMILY, update_on_cable, bind, axis_dofs, SOURCE, check)


SHAPE_FAMILY = MarkerFamily("3D cable shape marker")


class CableShape3D(Component):
    """Points that divide the axis of a 3D cable into n straight segments of equal reference length."""

    provides = (SHAPE_FAMILY,)
    cable = ref("3D cable", "the cable")
    segments = column("1", "number of straight segments n", dtype=np.int64, minimum=1)


class SpatialShapeMarkers(NamedTuple):
    """Points of all 3D cable-shape markers of this process, in the order of the markers."""

    start: IntArray  # index of the first point of each marker, then the number of all points, shape (markers + 1,)
    position: FloatArray  # global positions p [m], shape (points, 3)
    velocity: FloatArray  # global velocities v [m/s], shape (points, 3)
    shape_functions: FloatArray  # S_1 to S_4 [1, m, 1, m], which are ∂p/∂q and ∂v/∂q̇, shape (points, 4)
    length: FloatArray  # undeformed length [m] of the cable, shape (markers,)
    dofs: IntArray  # process-local indices of the coordinates of the cable, shape (markers, 12)


@kernel
def update_shapes(index: IntArray, m: SpatialShapeMarkers, x: FloatArray, v: FloatArray) -> None:
    """Evaluate the points of the markers ``index``."""
    for i in range(len(index)):
        k = index[i]
        for j in range(m.start[k], m.start[k + 1]):
            for d in range(3):
                m.position[j, d], m.velocity[j, d] = 0.0, 0.0
                for a in range(4):
                    n = m.dofs[k, 3 * a + d]
                    m.position[j, d] += m.shape_functions[j, a] * x[n]
                    m.velocity[j, d] += m.shape_functions[j, a] * v[n]


def allocate_shapes(world: Tables, ids: IntArray, layout: Rows) -> SpatialShapeMarkers:
    """Allocate the arrays of the markers ``ids`` of this process."""
    segments, length = np.ones(len(ids), np.int64), np.ones(len(ids))
    for table, positions, rows in world.split_by_table(ids):
        segments[positions] = table.local("segments", rows)
        length[positions] = cable_lengths(world, table.local("cable", rows))
    start = np.concatenate((np.zeros(1, np.int64), np.cumsum(segments + 1)))
    owner = np.repeat(np.arange(len(ids)), segments + 1)
    S = eval_shape((np.arange(len(owner)) - start[owner]) / segments[owner], length[owner]).S
    points = np.zeros((2, len(owner), 3))
    return SpatialShapeMarkers(
        start, points[0].copy(), points[1].copy(), S, length, number_markers(world, ids, layout, SHAPE_FAMILY, 12)
    )


def shape_output(unit: str, doc: str, name: str) -> Output:
    """Create an output variable that returns the array ``name`` for the points of each row, shape (points, 3). Rows
    with fewer points are padded with 0.
    """

    def evaluate(rows: LocalRows, fields: Fields, **where: Any) -> FloatArray:
        m: SpatialShapeMarkers = fields.markers[SHAPE_FAMILY]
        index = find_used(rows)
        counts = np.diff(m.start)[index]
        out = np.zeros((len(index), int(counts.max(initial=0)), 3))
        for i, k in enumerate(index):
            out[i, : counts[i]] = getattr(m, name)[m.start[k] : m.start[k + 1]]
        return out

    return Output(unit, doc, evaluate)


register_family(SHAPE_FAMILY, allocate_shapes)
register_marker(
    CableShape3D,
    SHAPE_FAMILY,
    update_shapes,
    lambda rows: rows.own_marker_index(),
    axis_dofs,
    SOURCE,
    outputs={
        "position": shape_output("m", "positions of the points, global, shape (points, 3)", "position"),
        "velocity": shape_output("m/s", "velocities of the points, global, shape (points, 3)", "velocity"),
    },
)
