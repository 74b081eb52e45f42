"""Drawing of `Cable2D`: every cable as straight lines between points of its cubic axis.

| point field | unit | meaning |
| --- | --- | --- |
| `displacement` | m | from the reference position, global; added to every drawing when it is recorded |
| `velocity` | m/s | global |
| `axial_force` | N | tension > 0 |
| `bending_moment` | N m | > 0 where it bends to the left of the direction of growing x |
| `curvature` | 1/m | > 0 to the left |

The values are those of the output variables of the same names.  Neighbouring cables each have their own points where
they meet, because forces and curvature may jump there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import sqrt

import numpy as np

from windlass.elements.cable2d.force_functions import Places
from windlass.elements.cable2d.outputs import NODES, OUTPUTS, CableMotion, CableView, Kinematics, eval_motion, node_dofs
from windlass.elements.cable2d.points import Shape, eval_shape
from windlass.elements.cable2d.strains import Strains
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.drawing import Drawing
from windlass.framework.model.law import LocalRows
from windlass.framework.model.system import Fields

FIELDS = ("velocity", "axial_force", "bending_moment", "curvature")


def draw(rows: LocalRows, fields: Fields, subdivisions: int, kinematics: Kinematics = NODES) -> Drawing:
    """Each cable as ``subdivisions`` lines of equal reference length; cables that share nodes are one part.

    Points and fields are in arrays that the next call for the same rows fills again.
    """
    lines: CableLines = rows.kept(f"lines {subdivisions}", lambda: CableLines(rows, subdivisions))
    return lines.draw(fields, kinematics)


class CableLines:
    """The lines of some cables: what does not change, and arrays for what does.

    Args:
        rows: the cables.
        subdivisions: lines of each cable.
    """

    def __init__(self, rows: LocalRows, subdivisions: int) -> None:
        self._rows, self._view = rows, rows.columns
        view: CableView = self._view
        count, n = len(rows.rows), subdivisions + 1
        s = np.arange(n) / subdivisions
        x = view.length * s
        self._length = view.length[:, 0].copy()
        self._shape = eval_shape(s, np.ones(()))
        self._places = Places(np.broadcast_to(s, (count, n)), self._shape, view.measures.eval_references(rows, s))
        self._own = np.arange(8 * count).reshape(count, 8)
        # z stays 0
        self._points, self._velocity = np.zeros((count * n, 3)), np.zeros((count * n, 3))
        none = np.zeros(0)
        self._strains = Strains(none, none, none, none, *(np.zeros((count, n)) for _ in range(4)))
        number, ends = np.arange(count * n).reshape(count, n), node_dofs(rows)
        self._drawing = Drawing(
            points=self._points,
            lines=np.stack((number[:, :-1].ravel(), number[:, 1:].ravel()), axis=1),
            part=np.repeat(view.parts, subdivisions),
            entity=np.repeat(rows.table.ids_of(rows.rows), subdivisions),
            start=x[:, :-1].ravel(),
            end=x[:, 1:].ravel(),
            units={name: OUTPUTS[name].unit for name in FIELDS},
            # positions, which several nodes may share
            joints=np.repeat(rows.layout.dofs[ends[:, [0, ends.shape[1] // 2]]], subdivisions, axis=0),
        )

    def draw(self, fields: Fields, kinematics: Kinematics) -> Drawing:
        """The lines at an instant."""
        view, s = self._view, self._strains
        dofs, x, v = self._coordinates(kinematics.material, fields)
        fill_points(dofs, x, v, self._length, self._shape, self._points, self._velocity)
        if kinematics.force is not kinematics.material:
            dofs, x, v = self._coordinates(kinematics.force, fields)
        fill_strains(dofs, x, v, self._length, self._shape, s.eps, s.eps_t, s.kap, s.kap_t)
        forces = {name: view.eval_force(name, fields.t, self._places, s).ravel() for name in view.forces}
        point_data = {"velocity": self._velocity, **forces, "curvature": s.kap.ravel()}
        return replace(self._drawing, point_data=point_data)

    def _coordinates(
        self, motion: Callable[[LocalRows, Fields], CableMotion], fields: Fields
    ) -> tuple[IntArray, FloatArray, FloatArray]:
        """Coordinates and velocities of a motion, and the numbers of those of each row."""
        if motion is eval_motion:
            return self._rows.dofs, fields.x, fields.v
        found = motion(self._rows, fields)
        return self._own, found.x.ravel(), found.v.ravel()


@kernel
def fill_points(
    dofs: IntArray, x: FloatArray, v: FloatArray, L: FloatArray, shape: Shape, r: FloatArray, r_t: FloatArray
) -> None:
    """Positions r [m] and velocities r_t [m/s], x, y and in space z of shape (rows n, 3), at the n places of cables of
    length L; ``shape`` is that of length 1."""
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


@kernel
def fill_strains(
    dofs: IntArray, x: FloatArray, v: FloatArray, L: FloatArray, shape: Shape,
    eps: FloatArray, eps_t: FloatArray, kap: FloatArray, kap_t: FloatArray,
) -> None:  # fmt: skip
    """Strain and curvature with their rates, shape (rows, n), as `eval_strains` has them."""
    count = len(shape.S)
    for i in range(len(L)):
        n, iL = dofs[i], 1.0 / L[i]
        for k in range(count):
            P, K = shape.dS[k], shape.ddS[k]
            P0, P2, K0, K1, K2, K3 = P[0] * iL, P[2] * iL, K[0] * iL * iL, K[1] * iL, K[2] * iL * iL, K[3] * iL
            px = P0 * x[n[0]] + P[1] * x[n[2]] + P2 * x[n[4]] + P[3] * x[n[6]]
            py = P0 * x[n[1]] + P[1] * x[n[3]] + P2 * x[n[5]] + P[3] * x[n[7]]
            kx = K0 * x[n[0]] + K1 * x[n[2]] + K2 * x[n[4]] + K3 * x[n[6]]
            ky = K0 * x[n[1]] + K1 * x[n[3]] + K2 * x[n[5]] + K3 * x[n[7]]
            ptx = P0 * v[n[0]] + P[1] * v[n[2]] + P2 * v[n[4]] + P[3] * v[n[6]]
            pty = P0 * v[n[1]] + P[1] * v[n[3]] + P2 * v[n[5]] + P[3] * v[n[7]]
            ktx = K0 * v[n[0]] + K1 * v[n[2]] + K2 * v[n[4]] + K3 * v[n[6]]
            kty = K0 * v[n[1]] + K1 * v[n[3]] + K2 * v[n[5]] + K3 * v[n[7]]
            g = px * px + py * py
            half_g_t = px * ptx + py * pty
            f = px * ky - py * kx
            length, ig = sqrt(g), 1.0 / g
            eps[i, k] = length - 1.0
            eps_t[i, k] = half_g_t / length
            kap[i, k] = f * ig
            kap_t[i, k] = (ptx * ky - pty * kx + px * kty - py * ktx - 2.0 * f * ig * half_g_t) * ig
