"""Integration points of distributed loads on cables and beams: motion of the points, and assembly of their forces and
tangents at the nodes.

A load F per reference length acts at points ξ with weights w. The load depends on the position r, the slope p = r' and
the velocity r_t at each point. A force of inertia also depends on the acceleration. The shape functions S of the cable,
or of the axis of the beam, interpolate these quantities:

    f_a = Σ w S_a F,    K_ab = Σ w S_a [(dq ∂F/∂r + dv ∂F/∂r_t + da ∂F/∂r_tt) S_b + dq ∂F/∂p S'_b].

Vectors have three components. In 2D the last component is 0.

Source: Gauss's rule; J. Gerstmayr, A. A. Shabana, Nonlinear Dynamics 45 (2006), for the shape functions of cables.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.markers.cable_shape import cable_lengths
from windlass.connectors.user_functions.ready_functions import ReadyFunction
from windlass.connectors.user_functions.time_functions import TimeColumn, TimeFunction, bind_functions
from windlass.elements.beam.forces2d import WIDTH as PLANE
from windlass.elements.beam.forces3d import WIDTH as SPACE
from windlass.elements.beam.rows import find_lengths, find_orders
from windlass.elements.beam.rules import PLACES, lagrange
from windlass.elements.cable.points import eval_shape, gauss_rule
from windlass.framework.arrays import BoolArray, FloatArray, IntArray
from windlass.framework.errors import ModelError
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows, Tables
from windlass.framework.model.rows import create_records
from windlass.framework.model.table import EntityTable

LEAST_POINTS = 3
MOST = 12
"""Largest number of coordinates that determine the axis of a cable or beam."""
SIDEWAYS = 1e-9
"""Largest magnitude of a component of a load that must be 0 in 2D, divided by the magnitude of the largest component
[1]. Larger components are errors. Smaller components are treated as rounding errors.
"""


class LineKind(NamedTuple):
    """Type of a cable or beam: the dimension, 2 or 3, and the order, which is 1 to 3 for beams and 0 for cables."""

    dims: int
    order: int

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return max(self.order, 1) + 1

    @property
    def width(self) -> int:
        """Number of coordinates of a node of the beam."""
        return PLANE if self.dims == 2 else SPACE

    @property
    def positions(self) -> IntArray:
        """Indices of the coordinates that determine the axis, within the coordinates of a row. For a cable, these
        coordinates are positions and slopes of the nodes. For a beam, they are positions of the nodes. The array has
        the shape (n dims,) for n shape functions.
        """
        if self.order == 0:
            return np.arange(4 * self.dims)
        return (self.width * np.arange(self.nodes)[:, None] + np.arange(self.dims)).ravel()

    @property
    def ends(self) -> IntArray:
        """Indices of the first coordinates of node0 and node1 of a row, shape (2,)."""
        return self.positions[[0, (2 if self.order == 0 else 1) * self.dims]]


def create_points(count: int) -> NDArray[Any]:
    """Create an array for the motion of points and for the forces at the points, shape (count,), with the following
    values for each point.

    r, p, v, a: position [m], slope [1], velocity [m/s] and acceleration [m/s^2], shape (3,). F: force per reference
    length [N/m], shape (3,); Fr, Fp, Fv: derivatives of F with respect to r, p, and v or a, shape (3, 3).
    """
    vectors = {name: np.zeros((count, 3)) for name in ("r", "p", "v", "a", "F")}
    return create_records(**vectors, **{name: np.zeros((count, 3, 3)) for name in ("Fr", "Fp", "Fv")})


def create_line(rows: LocalRows, which: IntArray, kind: LineKind, s: FloatArray, w: FloatArray) -> NDArray[Any]:
    """Create the points of the given rows. The column ``cable`` of these rows contains cables or beams of one type.

    Args:
        rows: all rows of this process.
        which: process-local indices of the given rows, shape (k,).
        kind: type of the cables or beams.
        s: relative positions s = x/L [1], shape (n,) or (k, n).
        w: integration weights for a length of 1, shape (n,).

    Returns:
        One record for each point, row by row, shape (k n,), with the fields

        row: process-local index of the row.
        dims: dimension d of the cable or beam.
        x: distance along the axis [m].
        weight: weight of the point times the length of the axis [m].
        shape_functions, shape_derivatives: S and S', shape (4,). If a beam has fewer shape functions, the remaining
            elements are 0 and refer to the coordinates of the first node of the beam.
        dofs: process-local indices of the 4 d coordinates of the axis, padded with 0, shape (12,).
        columns: indices of these coordinates within the coordinates of a row, padded with 0, shape (12,).
    """
    length = line_lengths(rows)[which][:, None]
    s = np.broadcast_to(s, (len(which), np.shape(s)[-1]))
    own, n = kind.positions, s.shape[1]
    if kind.order == 0:
        S, dS, _ = eval_shape(s, length)
    else:
        missing = 4 - kind.nodes
        own = np.concatenate((own, np.tile(own[: kind.dims], missing)))
        given = lagrange(np.array(PLACES[kind.order]), s)
        S, dS = (np.pad(values, ((0, 0), (0, 0), (0, missing))) for values in given)
        dS /= length[:, :, None]
    size = 4 * kind.dims
    dofs, columns = np.zeros((2, len(which) * n, MOST), np.int64)
    dofs[:, :size], columns[:, :size] = np.repeat(rows.dofs[which][:, own], n, axis=0), own
    return create_records(
        row=np.repeat(which, n),
        dims=np.full(len(which) * n, kind.dims),
        x=(s * length).ravel(),
        weight=(w * length).ravel(),
        shape_functions=S.reshape(-1, 4),
        shape_derivatives=dS.reshape(-1, 4),
        dofs=dofs,
        columns=columns,
    )


def line_lengths(rows: LocalRows) -> FloatArray:
    """Return the lengths [m] of the cables and beams of rows, shape (rows,). The lengths are cached."""
    found: FloatArray = rows.kept("line lengths", lambda: _find_lengths(rows))
    return found


def _find_lengths(rows: LocalRows) -> FloatArray:
    length = cable_lengths(rows.world, rows.local("cable"))
    for kind, which in group_rows(rows):
        if kind.order > 0:
            r = rows.reference[which][:, kind.positions].reshape(len(which), -1, kind.dims)
            length[which] = find_lengths(length[which], np.full(len(which), kind.order), r)
    return length


def group_rows(rows: LocalRows) -> list[tuple[LineKind, IntArray]]:
    """Group the rows by the type of their cables or beams. For each group, return the type and the process-local
    indices of the rows, shape (k,). The groups are cached.
    """
    found: list[tuple[LineKind, IntArray]] = rows.kept("line groups", lambda: _find_groups(rows))
    return found


def _find_groups(rows: LocalRows) -> list[tuple[LineKind, IntArray]]:
    found: dict[LineKind, list[IntArray]] = {}
    for table, positions, numbers in rows.world.split_by_table(rows.local("cable")):
        order = np.zeros(len(numbers), np.int64)
        if "beam" in table.component.provides:
            order = find_orders((table.local("node2", numbers), table.local("node3", numbers)))
        for p in np.unique(order):
            found.setdefault(LineKind(find_dims(table), int(p)), []).append(positions[order == p])
    return [(kind, np.sort(np.concatenate(positions))) for kind, positions in sorted(found.items())]


def find_beams(rows: LocalRows) -> BoolArray:
    """Return whether each row is on a beam, shape (rows,)."""
    beams = np.zeros(len(rows.rows), np.bool_)
    for kind, which in group_rows(rows):
        beams[which] = kind.order > 0
    return beams


def create_lines(rows: LocalRows, which: BoolArray) -> list[tuple[LineKind, NDArray[Any]]]:
    """Create the Gauss points of the rows ``which``, shape (rows,), grouped by the type of their cables or beams and by
    the number of points. Return the type and the points of each group."""
    points, found = rows.local("points"), []
    for kind, every in group_rows(rows):
        on = every[which[every]]
        for n in np.unique(points[on]):
            found.append((kind, create_line(rows, on[points[on] == n], kind, *gauss_rule(int(n)))))
    return found


def find_dims(table: EntityTable) -> int:
    """Return the dimension of the cables or beams of a table, 2 or 3."""
    return 3 if {"3D cable", "3D beam"} & set(table.component.provides) else 2


def check_cables(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for rows on cables whose material moves along their axis."""
    for cables, positions, _ in world.split_by_table(table.local("cable")):
        if "ale" in cables.component.refs:
            row = table.resident[positions.min()]
            raise ModelError(
                f"cable in {table.kind} row {row} is an {cables.kind}, whose material moves along its axis: must be a "
                "Cable2D, a Cable3D or a beam"
            )


def bind_vectors(rows: LocalRows, acting: str) -> TimeColumn:
    """Create the vectors of rows as functions of time, from the columns ``vector`` and ``function``.

    Args:
        acting: names of the components that need not be 0 in 2D, such as ``"xy"``.

    Raises:
        ModelError: another component of an active row in 2D is not 0. For a Python function, the error is raised when
            the function returns a value with such a component.
    """
    functions, vectors = bind_functions(rows, "vector", "function"), rows.local("vector")
    unit = rows.table.component.columns["vector"].unit
    for kind, which in group_rows(rows):
        for i in which[rows.local("active")[which]] if kind.dims == 2 else ():
            function, row = functions[i], f"{rows.table.kind} row {rows.rows[i]}"
            if function is None:
                check_plane(vectors[i], acting, f"vector of {row}", unit)
            elif isinstance(function, ReadyFunction):
                check_plane(function.bounds, acting, f"largest values of function ({function.name}) of {row}", unit)
            else:
                functions[i] = _check_values(function, acting, f"function of {row}", unit)
    return TimeColumn(vectors, functions)


def _check_values(function: TimeFunction, acting: str, name: str, unit: str) -> TimeFunction:
    """Return a function of time that calls ``function`` of a row in 2D and checks the result. Components other than
    ``acting`` must be 0.
    """

    def evaluate(t: float) -> FloatArray:
        values = function(t)
        check_plane(values, acting, f"{name} at t = {t:.9g} s", unit)
        return values

    return evaluate


def check_plane(vectors: FloatArray, acting: str, name: str, unit: str) -> None:
    """Raise ModelError for vectors in 2D, shape (3,) or (n, 3), that have other components than ``acting``."""
    others = [k for k, axis in enumerate("xyz") if axis not in acting]
    vectors = np.reshape(vectors, (-1, 3))
    size = np.abs(vectors)
    wrong = np.flatnonzero(size[:, others].max(axis=1, initial=0.0) > SIDEWAYS * size.max(axis=1, initial=0.0))
    if len(wrong):
        given = ", ".join(f"{value:g}" for value in vectors[wrong[0]])
        raise ModelError(
            f"{name} = ({given}) {unit}: must be along {' and '.join(acting)}, as the cable or beam is 2D; other "
            "components would have no effect"
        )


@kernel
def locate(line: Any, x: FloatArray, v: FloatArray, a: FloatArray, m: Any) -> None:
    """Write the motion of the points of `create_line` into m, see `create_points`, from coordinates x, velocities v and
    accelerations a.
    """
    for k in range(len(line)):
        point = line[k]
        d = point.dims
        for l in range(d):
            r, p, rate, acceleration = 0.0, 0.0, 0.0, 0.0
            for b in range(4):
                to, S = point.dofs[d * b + l], point.shape_functions[b]
                r += S * x[to]
                p += point.shape_derivatives[b] * x[to]
                rate += S * v[to]
                acceleration += S * a[to]
            m[k].r[l], m[k].p[l], m[k].v[l], m[k].a[l] = r, p, rate, acceleration


@kernel
def add_forces(line: Any, m: Any, f: FloatArray) -> None:
    """Add the generalised forces Σ w S F of the load F to f, with the weights w and the shape functions S."""
    for k in range(len(line)):
        point = line[k]
        d = point.dims
        for b in range(4):
            weight = point.weight * point.shape_functions[b]
            for l in range(d):
                f[point.dofs[d * b + l]] += weight * m[k].F[l]


@kernel
def add_tangents(line: Any, m: Any, dq: float, dv: float, slots: IntArray, values: FloatArray) -> None:
    """Add the tangent Σ w S [(dq Fr + dv Fv) S + dq Fp S'] to the values of the matrix. Fr, Fv and Fp are the
    derivatives of F with respect to position, to velocity or acceleration, and to slope. The argument ``slots``
    contains the indices of matrix entries of all rows, shape (rows, n, n).
    """
    for k in range(len(line)):
        point = line[k]
        d, S, dS = point.dims, point.shape_functions, point.shape_derivatives
        columns, to = point.columns, slots[point.row]
        for l in range(d):
            for o in range(d):
                here = dq * m[k].Fr[l, o] + dv * m[k].Fv[l, o]
                along = dq * m[k].Fp[l, o]
                for b in range(4):
                    part = point.weight * (here * S[b] + along * dS[b])
                    column = columns[d * b + o]
                    for e in range(4):
                        values[to[columns[d * e + l], column]] += S[e] * part
