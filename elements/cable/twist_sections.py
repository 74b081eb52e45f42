"""Cross sections of `TwistCable3D` at positions on the axis, for outputs and drawing.

``x`` is a position from 0 to the length [m]. The argument is a scalar for all rows, or an array of shape (rows,), or
(rows, k) for k positions per row. By default outputs are evaluated in the middle of each cable. Vectors are in the
global frame. Scalar outputs have the shape (rows,) or (rows, k). Forces and moments are evaluated at the given
position, and include damping and reference strains. With integration rule 2, the axial force is most accurate at x = 0,
L/2 and L. Drawings show the parabola through the axial forces at these three positions. The torque is constant along an
element.

| point field of drawings | unit | meaning |
| --- | --- | --- |
| `displacement`, `velocity` | m, m/s | vectors in the global frame |
| `axial_force`, `torque` | N, N m | tension > 0; torque > 0 twists node1 counter-clockwise about the direction of x |
| `bending_moment_vector`, `curvature_vector` | N m, 1/m | vectors in the global frame |
| `material_axis` | 1 | axis d_1 of the material in the global frame |
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.elements.cable.outputs import find_fractions, find_parts
from windlass.elements.cable.points import Rule, Shape, create_rule, eval_shape
from windlass.elements.cable.twist_forces import mean_strain, read, times
from windlass.elements.cable.twist_points import (
    COUNT,
    fill_curvatures,
    fill_spin,
    fill_twist,
    frame_at,
    interpolate,
    node_frames,
    read_coordinates,
    twist_angle,
)
from windlass.elements.nodes.turning import axes_of, between, multiply, nearest, smallest_rotation, spin_angle
from windlass.elements.nodes.vectors import combine, cross, dot
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.drawing import Drawing
from windlass.framework.model.law import LocalRows, Output
from windlass.framework.model.system import Fields


class RodSections(NamedTuple):
    """Motion and loads of k cross sections of each row, in arrays of shape (rows, k, ...).

    r, v, a: position, velocity and acceleration, shape (..., 3).
    p: slope, shape (..., 3).
    D: frame with the columns t, d_1, d_2, shape (..., 3, 3).
    omega: angular velocity, shape (..., 3).
    kappa: curvature vector, shape (..., 3).
    K: components of the curvature along d_1 and d_2, shape (..., 2).
    eps: axial strain.
    tau: twist per length minus the twist per length in the reference configuration.
    N, M: axial force and torque.
    m: bending moment, shape (..., 3).
    """

    r: FloatArray
    v: FloatArray
    a: FloatArray
    p: FloatArray
    D: FloatArray
    omega: FloatArray
    kappa: FloatArray
    K: FloatArray
    eps: FloatArray
    tau: FloatArray
    N: FloatArray
    M: FloatArray
    m: FloatArray


def create_sections(rows: int, k: int) -> RodSections:
    """Allocate the arrays of cross sections."""
    shapes: tuple[tuple[int, ...], ...] = ((3,), (3,), (3,), (3,), (3, 3), (3,), (3,), (2,), (), (), (), (), (3,))
    return RodSections(*(np.zeros((rows, k, *shape)) for shape in shapes))


@kernel
def fill_references(rows: Any, x: FloatArray) -> None:
    """Compute the fields free_angle and free_twist and the sign of the field F1 of all rows from the reference
    coordinates.
    """
    y = np.empty(COUNT)
    for i in range(len(rows)):
        row = rows[i]
        row.free_angle, row.free_twist = 0.0, 0.0
        read_coordinates(row.dofs, 1.0 / row.length, x, y)
        t0, t1, F0, F1 = node_frames(row, y)
        apart = between(multiply(smallest_rotation(t0, t1), F0), F1)
        if apart[0] < 0.0:
            for k in range(4):
                row.F1[k] = -row.F1[k]
        row.free_angle = spin_angle(nearest(apart))
        row.free_twist = twist_angle(row, y)


@kernel
def fill_curvature(rows: Any, s: FloatArray, P: FloatArray, K: FloatArray, x: FloatArray, found: FloatArray) -> None:
    """Fill ``found``, shape (rows, k, 2), with κ_1 and κ_2 at positions s = x/L, shape (k,)."""
    y, twist, g1, g2 = np.empty(COUNT), np.zeros(COUNT), np.empty(COUNT), np.empty(COUNT)
    for i in range(len(rows)):
        row = rows[i]
        iL = 1.0 / row.length
        read_coordinates(row.dofs, iL, x, y)
        T = twist_angle(row, y)
        for j in range(len(s)):
            Pj, Kj = read(P, j), read(K, j)
            Kj = (iL * Kj[0], iL * Kj[1], iL * Kj[2])
            p, k = interpolate(Pj, 1.0, y), interpolate(Kj, 1.0, y)
            _, d1, d2 = axes_of(frame_at(row, s[j], p, y, T))
            found[i, j, 0], found[i, j, 1] = fill_curvatures(Pj, Kj, p, k, d1, d2, twist, g1, g2)


def find_curvatures(rows: NDArray[Any], s: FloatArray, x: FloatArray) -> FloatArray:
    """Return the curvatures κ_1 and κ_2 for coordinates x at positions s = x/L, shape (k,). The result has the shape
    (rows, k, 2).
    """
    shape, found = eval_shape(s, np.ones(())), np.zeros((len(rows), len(s), 2))
    fill_curvature(rows, s, shape.dS[:, [2, 1, 3]].copy(), shape.ddS[:, [2, 1, 3]].copy(), x, found)
    return found


@kernel
def fill_sections(
    rows: Any, rule: Rule, s: FloatArray, shape: Shape, free: FloatArray, x: FloatArray, v: FloatArray, a: FloatArray,
    c: RodSections,
) -> None:  # fmt: skip
    """Evaluate the cross sections at positions s = x/L, shape (rows, k). The argument ``shape`` contains the shape
    functions of a cable of length 1 at s.

    ``free`` contains the stress-free strain and curvatures at s, shape (rows, k, 3). ``rule`` is the integration rule
    of the rows.
    """
    y, yt, twist = np.empty(COUNT), np.empty(COUNT), np.empty(COUNT)
    sigma, g1, g2 = np.empty(COUNT), np.empty(COUNT), np.empty(COUNT)
    for i in range(len(rows)):
        row = rows[i]
        n, L, at = row.dofs, row.length, row.place
        iL = 1.0 / L
        read_coordinates(n, iL, x, y)
        read_coordinates(n, iL, v, yt)
        # twist per length and torque of the element
        T = twist_angle(row, y)
        tau = iL * T - row.reference_twist
        fill_twist(row, y, twist)
        torque = row.torsional_stiffness * tau + row.coupling * mean_strain(row, rule, y)
        torque += row.torsional_damping * iL * times(twist, yt)
        # position, velocity and acceleration of the axis
        for j in range(s.shape[1]):
            S = shape.S[at, j]
            for d in range(3):
                for b in range(4):
                    w = S[b] * (L if b % 2 else 1.0)
                    to = n[3 * b + d]
                    c.r[at, j, d] += w * x[to]
                    c.v[at, j, d] += w * v[to]
                    c.a[at, j, d] += w * a[to]
            # slope, frame and curvatures of the cross section
            P = (shape.dS[at, j, 2], shape.dS[at, j, 1], shape.dS[at, j, 3])
            K = (iL * shape.ddS[at, j, 2], iL * shape.ddS[at, j, 1], iL * shape.ddS[at, j, 3])
            p, k, pt = interpolate(P, 1.0, y), interpolate(K, 1.0, y), interpolate(P, 1.0, yt)
            axes = axes_of(frame_at(row, s[at, j], p, y, T))
            t, d1, d2 = axes
            fill_spin(row, s[at, j], P, p, y, sigma)
            k1, k2 = fill_curvatures(P, K, p, k, d1, d2, sigma, g1, g2)
            # strains, forces and moments
            l, ig, h, turning, spin = sqrt(dot(p, p)), 1.0 / dot(p, p), cross(p, k), cross(p, pt), times(sigma, yt)
            c.eps[at, j], c.tau[at, j], c.M[at, j] = l - 1.0, tau + row.reference_twist, torque
            c.N[at, j] = row.axial_stiffness * (l - 1.0 - free[at, j, 0]) + row.coupling * tau
            c.N[at, j] += row.axial_damping * dot(p, pt) / l
            M1 = row.bending_stiffness[0] * (k1 - free[at, j, 1]) + row.bending_damping * times(g1, yt)
            M2 = row.bending_stiffness[1] * (k2 - free[at, j, 2]) + row.bending_damping * times(g2, yt)
            moment = combine(M1, d1, M2, d2)
            # vectors
            c.K[at, j, 0], c.K[at, j, 1] = k1, k2
            for d in range(3):
                c.p[at, j, d], c.kappa[at, j, d], c.m[at, j, d] = p[d], ig * h[d], moment[d]
                c.omega[at, j, d] = ig * turning[d] + spin * t[d]
                for b in range(3):
                    c.D[at, j, d, b] = axes[b][d]


class SectionPlaces:
    """Positions s = x/L of cross sections, shape (rows, k), and the shape functions and stress-free strains at s."""

    def __init__(self, rows: LocalRows, s: FloatArray) -> None:
        own: NDArray[Any] = rows.columns
        self.rows = rows
        self.s, self.shape = np.ascontiguousarray(s), eval_shape(s, np.ones(()))
        self.groups = [(own[own["integration"] == n], create_rule(n)) for n in np.unique(own["integration"])]
        self.free, x = np.zeros((*s.shape, 3)), rows.layout.reference
        free = create_sections(*s.shape)
        self.fill(x, np.zeros_like(x), np.zeros_like(x), free)
        self.reference = free.r
        c = own["strain_is_relative_to_reference"][:, None]
        self.free[..., 0] = own["reference_strain"][:, None] + c * free.eps
        self.free[..., 1:] = own["reference_curvature"][:, None, :] + c[..., None] * free.K

    def fill(self, x: FloatArray, v: FloatArray, a: FloatArray, c: RodSections) -> None:
        """Fill ``c`` with the cross sections for coordinates x, velocities v and accelerations a."""
        for some, rule in self.groups:
            fill_sections(some, rule, self.s, self.shape, self.free, x, v, a, c)

    def eval(self, fields: Fields, add_forces: AddForces) -> RodSections:
        """Evaluate the cross sections for the coordinates, velocities and accelerations in ``fields``."""
        c = create_sections(*self.s.shape)
        self.fill(fields.x, fields.v, fields.a, c)
        add_forces(self, fields, c)
        return c


AddForces = Callable[[SectionPlaces, Fields, RodSections], None]
"""Function that adds axial forces and bending moments that differ from the linear law to cross sections."""


def section_output(
    unit: str, doc: str, evaluate: Callable[[RodSections, SectionPlaces], FloatArray], add_forces: AddForces
) -> Output:
    """Create an output variable that is evaluated at positions on the cables. If the positions are the same as in the
    previous call, the shape functions of the previous call are used again.
    """

    def at(rows: LocalRows, fields: Fields, x: Any = None) -> FloatArray:
        s = find_fractions(rows, rows.columns["length"][:, None], x)
        kept: list[SectionPlaces] = rows.kept("places", list)
        if not (kept and np.array_equal(kept[0].s, s)):
            kept[:] = [SectionPlaces(rows, s)]
        values = evaluate(kept[0].eval(fields, add_forces), kept[0])
        return values if np.ndim(x) == 2 else values[:, 0]

    return Output(unit, doc, at)


def create_outputs(add_forces: AddForces) -> dict[str, Output]:
    """Create the output variables of a type of cable with twist."""

    def output(unit: str, doc: str, evaluate: Callable[[RodSections, SectionPlaces], FloatArray]) -> Output:
        return section_output(unit, doc, evaluate, add_forces)

    return {
        "position": output("m", "global position at x, shape (3,)", lambda c, _: c.r),
        "displacement": output(
            "m", "global displacement at x from the reference, shape (3,)", lambda c, places: c.r - places.reference
        ),
        "velocity": output("m/s", "global velocity at x, shape (3,)", lambda c, _: c.v),
        "acceleration": output("m/s^2", "global acceleration at x, (3,)", lambda c, _: c.a),
        "director": output("1", "global slope r' at x, not normalised, shape (3,)", lambda c, _: c.p),
        "frame": output("1", "frame of the material at x, columns t, d_1, d_2, (3, 3)", lambda c, _: c.D),
        "angular_velocity": output("rad/s", "angular velocity of the material at x, (3,)", lambda c, _: c.omega),
        "axial_strain": output("1", "axial strain at x: |r'| - 1", lambda c, _: c.eps),
        "twist": output(
            "rad/m",
            "twist of the material per length, minus the twist of the reference configuration",
            lambda c, _: c.tau,
        ),
        "curvature": output("1/m", "curvature at x: (r' × r'')/|r'|², shape (3,)", lambda c, _: c.kappa),
        "material_curvature": output("1/m", "curvatures κ_1, κ_2 about d_1, d_2 at x, (2,)", lambda c, _: c.K),
        "axial_force": output("N", "axial force at x, tension > 0", lambda c, _: c.N),
        "torque": output("N m", "torque about the axis", lambda c, _: c.M),
        "bending_moment": output("N m", "bending moment at x, shape (3,)", lambda c, _: c.m),
    }


def eval_parabola(s: FloatArray) -> FloatArray:
    """Return the values of the three quadratic Lagrange polynomials of the points 0, 1/2 and 1 at positions s, shape
    (3, positions).
    """
    return np.stack(((1.0 - s) * (1.0 - 2.0 * s), 4.0 * s * (1.0 - s), s * (2.0 * s - 1.0)))


def draw(rows: LocalRows, fields: Fields, subdivisions: int, add_forces: AddForces) -> Drawing:
    """Draw each cable as ``subdivisions`` lines of equal reference length. Connected cables have the same part
    label.
    """
    count, n = len(rows.rows), subdivisions + 1
    s = np.broadcast_to(np.arange(n) / subdivisions, (count, n))
    places: SectionPlaces = rows.kept(f"lines {subdivisions}", lambda: SectionPlaces(rows, s))
    c, number = places.eval(fields, add_forces), np.arange(count * n).reshape(count, n)
    x = rows.columns["length"][:, None] * s
    smooth = np.flatnonzero(rows.columns["integration"] == 2)
    if len(smooth):
        # The equations of equilibrium contain only the axial forces at s = 0, 1/2 and 1. Between these positions the
        # axial force oscillates.
        ends = np.broadcast_to(np.array([0.0, 0.5, 1.0]), (count, 3))
        three: SectionPlaces = rows.kept("three places", lambda: SectionPlaces(rows, ends))
        c.N[smooth] = (three.eval(fields, add_forces).N @ eval_parabola(s[0]))[smooth]
    return Drawing(
        points=c.r.reshape(-1, 3),
        lines=np.stack((number[:, :-1].ravel(), number[:, 1:].ravel()), axis=1),
        part=np.repeat(rows.kept("parts", lambda: find_parts(rows)), subdivisions),
        entity=np.repeat(rows.table.ids_of(rows.rows), subdivisions),
        start=x[:, :-1].ravel(),
        end=x[:, 1:].ravel(),
        point_data={
            "velocity": c.v.reshape(-1, 3),
            "axial_force": c.N.ravel(),
            "torque": c.M.ravel(),
            "bending_moment_vector": c.m.reshape(-1, 3),
            "curvature_vector": c.kappa.reshape(-1, 3),
            "material_axis": c.D[..., 1].reshape(-1, 3).copy(),
        },
        units={
            "velocity": "m/s",
            "axial_force": "N",
            "torque": "N m",
            "bending_moment_vector": "N m",
            "curvature_vector": "1/m",
            "material_axis": "1",
        },
        joints=np.repeat(rows.layout.dofs[rows.dofs[:, [0, 6]]], subdivisions, axis=0),
    )
