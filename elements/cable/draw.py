"""Drawing of 2D and 3D cables. Each cable is drawn as straight lines between points of its cubic axis.

| point field | unit | meaning |
| --- | --- | --- |
| `displacement` | m | displacement from the reference position in the global frame. `Canvas` adds this field |
| `velocity` | m/s | velocity in the global frame |
| `axial_force` | N | tension > 0 |
| `bending_moment` | N m | > 0 where the moment bends the cable to the left, seen in the direction of x |
| `curvature` | 1/m | > 0 where the cable bends to the left |
| `bending_moment_vector`, `curvature_vector` | N m, 1/m | vectors of 3D cables, instead of the scalars |

The fields have the values of the output variables with the same names. Neighbouring cables have separate points at
their common node, because forces and curvature may be discontinuous at a node.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import sqrt

import numpy as np

from windlass.elements.cable.energies import read_vector
from windlass.elements.cable.force_functions import Places
from windlass.elements.cable.outputs import NODES, CableMotion, CableView, Kinematics, eval_motion, node_dofs
from windlass.elements.cable.points import Shape, eval_shape
from windlass.elements.cable.strains import SMALLEST, Bending, Strains, eval_references, eval_sizes
from windlass.elements.nodes.vectors import Vector, combine, cross, dot
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.drawing import Drawing
from windlass.framework.model.law import LocalRows
from windlass.framework.model.system import Fields

UNITS = {
    2: {"velocity": "m/s", "axial_force": "N", "bending_moment": "N m", "curvature": "1/m"},
    3: {"velocity": "m/s", "axial_force": "N", "bending_moment_vector": "N m", "curvature_vector": "1/m"},
}
"""Unit of each point field in 2D and 3D."""


def draw(rows: LocalRows, fields: Fields, subdivisions: int, kinematics: Kinematics = NODES) -> Drawing:
    """Draw each cable as ``subdivisions`` lines of equal reference length. Connected cables have the same part label.

    The next call for the same rows overwrites the arrays of points and fields.
    """
    lines: CableLines = rows.kept(f"lines {subdivisions}", lambda: CableLines(rows, subdivisions))
    return lines.draw(fields, kinematics)


class CableLines:
    """Constant data for the drawing of a set of cables, and arrays for data that change during a run.

    Args:
        rows: cables of one type on this process.
        subdivisions: number of lines of each cable.
    """

    def __init__(self, rows: LocalRows, subdivisions: int) -> None:
        self._rows, self._view = rows, rows.columns
        view: CableView = self._view
        count, n = len(rows.rows), subdivisions + 1
        s = np.arange(n) / subdivisions
        x = view.length * s
        self._length = view.length[:, 0].copy()
        self._shape = eval_shape(s, np.ones(()))
        self._places = Places(np.broadcast_to(s, (count, n)), self._shape, eval_references(rows, s))
        self._own = np.arange(8 * count).reshape(count, 8)
        # in 2D z remains 0
        self._points, self._velocity = np.zeros((count * n, 3)), np.zeros((count * n, 3))
        none = np.zeros(0)
        number, ends = np.arange(count * n).reshape(count, n), node_dofs(rows)
        self._units = UNITS[ends.shape[1] // 4]
        m = 3 if ends.shape[1] == 12 else 1
        self._bending = Bending(np.zeros((count, n, m)), np.zeros((count, n, m)))
        self._strains = Strains(none, none, none, none, np.zeros((count, n)), np.zeros((count, n)), none, none)
        self._drawing = Drawing(
            points=self._points,
            lines=np.stack((number[:, :-1].ravel(), number[:, 1:].ravel()), axis=1),
            part=np.repeat(view.parts, subdivisions),
            entity=np.repeat(rows.table.ids_of(rows.rows), subdivisions),
            start=x[:, :-1].ravel(),
            end=x[:, 1:].ravel(),
            units=self._units,
            # the coordinate indices of positions identify the ends of cables, because several nodes can share a
            # position
            joints=np.repeat(rows.layout.dofs[ends[:, [0, ends.shape[1] // 2]]], subdivisions, axis=0),
        )

    def draw(self, fields: Fields, kinematics: Kinematics) -> Drawing:
        """Update the lines for the state in ``fields``, and return the drawing."""
        view, s, bending = self._view, self._strains, self._bending
        dofs, x, v = self._coordinates(kinematics.material, fields)
        fill_points(dofs, x, v, self._length, self._shape, self._points, self._velocity)
        if kinematics.force is not kinematics.material:
            dofs, x, v = self._coordinates(kinematics.force, fields)
        fill_strains(dofs, x, v, self._length, self._shape, s.eps, s.eps_t, *bending)
        kap, kap_t = eval_sizes(bending, SMALLEST / view.length)
        s = s._replace(kap=kap, kap_t=kap_t)
        force = view.eval_force("axial_force", fields.t, self._places, s).ravel()
        vectors = (view.eval_moment(fields.t, self._places, s, bending), bending.kap)
        bent = [values.ravel() if values.shape[-1] == 1 else values.reshape(-1, 3) for values in vectors]
        return replace(self._drawing, point_data=dict(zip(self._units, (self._velocity, force, *bent), strict=True)))

    def _coordinates(
        self, motion: Callable[[LocalRows, Fields], CableMotion], fields: Fields
    ) -> tuple[IntArray, FloatArray, FloatArray]:
        """Return the coordinate indices of each row, and the coordinates and velocities that the function ``motion``
        returns.
        """
        if motion is eval_motion:
            return self._rows.dofs, fields.x, fields.v
        found = motion(self._rows, fields)
        return self._own, found.x.ravel(), found.v.ravel()


@kernel
def fill_points(
    dofs: IntArray, x: FloatArray, v: FloatArray, L: FloatArray, shape: Shape, r: FloatArray, r_t: FloatArray
) -> None:
    """Fill positions r [m] and velocities r_t [m/s], shape (rows * n, 3), at n points of each cable. The argument L
    contains the lengths [m] of the cables. In 2D z remains 0. ``shape`` contains the shape functions of a cable of
    length 1.
    """
    count, dims = len(shape.S), dofs.shape[1] // 4
    for i in range(len(L)):
        n = dofs[i]
        for k in range(count):
            S0, S1, S2, S3 = shape.S[k, 0], L[i] * shape.S[k, 1], shape.S[k, 2], L[i] * shape.S[k, 3]
            to = count * i + k
            for d in range(dims):
                a, b, c, e = n[d], n[dims + d], n[2 * dims + d], n[3 * dims + d]
                r[to, d] = S0 * x[a] + S1 * x[b] + S2 * x[c] + S3 * x[e]
                r_t[to, d] = S0 * v[a] + S1 * v[b] + S2 * v[c] + S3 * v[e]


@kernel(inline=True)
def interpolate(P0: float, P1: float, P2: float, P3: float, z: tuple[Vector, Vector, Vector, Vector]) -> Vector:
    """Return P0 r0 + P1 r0' + P2 r1 + P3 r1' for z = (r0, r0', r1, r1')."""
    return combine(1.0, combine(P0, z[0], P2, z[2]), 1.0, combine(P1, z[1], P3, z[3]))


@kernel
def fill_strains(
    dofs: IntArray, x: FloatArray, v: FloatArray, L: FloatArray, shape: Shape,
    eps: FloatArray, eps_t: FloatArray, kap: FloatArray, kap_t: FloatArray,
) -> None:  # fmt: skip
    """Fill the strain, shape (rows, n), the curvature, shape (rows, n, 1 or 3), and the rates of both, see
    `eval_bending`.
    """
    count, d = len(shape.S), dofs.shape[1] // 4
    for i in range(len(L)):
        n, iL = dofs[i], 1.0 / L[i]
        z = (read_vector(d, n, 0, x), read_vector(d, n, 1, x), read_vector(d, n, 2, x), read_vector(d, n, 3, x))
        zt = (read_vector(d, n, 0, v), read_vector(d, n, 1, v), read_vector(d, n, 2, v), read_vector(d, n, 3, v))
        for j in range(count):
            P, K = shape.dS[j], shape.ddS[j]
            P0, P2, K0, K1, K2, K3 = P[0] * iL, P[2] * iL, K[0] * iL * iL, K[1] * iL, K[2] * iL * iL, K[3] * iL
            p, pt = interpolate(P0, P[1], P2, P[3], z), interpolate(P0, P[1], P2, P[3], zt)
            k, kt = interpolate(K0, K1, K2, K3, z), interpolate(K0, K1, K2, K3, zt)
            g, half_g_t, h = dot(p, p), dot(p, pt), cross(p, k)
            length, ig = sqrt(g), 1.0 / g
            h_t = combine(1.0, cross(pt, k), 1.0, cross(p, kt))
            h_t = combine(ig, h_t, -2.0 * ig * ig * half_g_t, h)
            eps[i, j] = length - 1.0
            eps_t[i, j] = half_g_t / length
            # in 2D the curvature has only the component about the z axis
            kap[i, j, -1], kap_t[i, j, -1] = h[2] * ig, h_t[2]
            if d == 3:
                kap[i, j, 0], kap[i, j, 1] = h[0] * ig, h[1] * ig
                kap_t[i, j, 0], kap_t[i, j, 1] = h_t[0], h_t[1]
