"""Contact of a surface with a thick 3D beam: friction acts at the radius of the beam and turns its cross sections.

The point p of the axis, its position X and velocity V in the frame of the surface, and the normal force are defined in
`kernels.py`. The friction acts at the point of the beam that touches the surface, at -r_c n from p, where r_c is the
radius of the beam. With the angular velocities ω of the cross section and Ω of the surface, and w = Aᵀ (ω - Ω),

    v_t = V - v_n n - r_c w × n
    u_t = (I - n nᵀ) (X - a) - r_c θ × n
    M = -r_c n × f_t

θ is the rotation vector from the frame of the cross section at the start of the step to the present frame, both
expressed in the frame of the surface. The friction f_t is the function of u_t and v_t of `kernels.py`, and takes the
power f_t·v_t = f_t·V + M·w from beam and body. The generalised forces are

    on p: f = f_n n + f_t,    on the rotation of the cross section: M,    on the body: -f at p, and the torque -M.

Therefore forces and moments sum to 0. M has components about all axes of the beam: friction across the beam rolls the
beam, and friction along the beam bends the beam.

The anchor a and the frame at the start of the step are history values. At the end of each step, a becomes X - u_t, so
bristles follow a beam that rolls. In an infinitesimal motion, θ varies as

    dθ = T⁻¹ Aᵀ (dφ - dα),    T⁻¹ b = b - θ × b/2 + β θ × (θ × b),    β = (1 - (ϑ/2) cot(ϑ/2))/ϑ²,    ϑ = |θ|,

with the rotations dφ of the cross section and dα of the surface.

The Euler parameters of the cross section are e = Σ N_a e_a (elements/beam/beam3d.py). With n_e = e·e, the rotation is
dφ = G de with G = 2 E(e)/n_e, and ω = G e_t. The force on e is Gᵀ M.

History values of a row: the history values of ropes with twist in `kernels.py`, with the axes e_1 and e_2 of the cross
section instead of T and d_1.

Source: own derivation; rotation vectors: M. Geradin, A. Cardona, Flexible Multibody Dynamics, Wiley (2001), chapter 4;
radial return: P. Wriggers, Computational Contact Mechanics, Springer (2006).
"""

from __future__ import annotations

from math import atan2, sqrt, tan
from typing import Any, NamedTuple

from windlass.connectors.contact.axes import row_product
from windlass.connectors.contact.law import PointLaw, eval_normal_force, no_friction, rub
from windlass.connectors.contact.rows import relative_place
from windlass.connectors.friction.bristle import SLIPS
from windlass.connectors.markers.position_kernels import PositionMarkers
from windlass.connectors.surface_contact.distances import Distance
from windlass.connectors.surface_contact.kernels import (
    CABLE,
    TOUCHES,
    TURNING,
    ContactRows,
    Lever,
    PointForces,
    SurfaceFrame,
    SurfaceRow,
    across,
    find_point,
    read_row,
    read_start,
    read_state,
    rests,
    to_surface,
)
from windlass.elements.cable.points import Four, shape
from windlass.elements.nodes.turning import axes_of
from windlass.elements.nodes.vectors import Vector, combine, cross, dot
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel

BEAM = CABLE + 16
"""Number of coordinates of a beam: the positions of four nodes, then the Euler parameters of four nodes."""
SMALL = 1e-2
"""Angle [rad] below which functions of the angle are computed from their series."""
NodeParameters = tuple[Four, Four, Four, Four]
"""Euler parameters of four nodes, or their rates."""


class BeamRow(NamedTuple):
    """A row: the data of `SurfaceRow`; the matrix H of its axis (`contact/axes.py`); Euler parameters of the nodes with
    the signs ``flip`` of the beam, and their rates.
    """

    plain: SurfaceRow
    H: FloatArray
    e: NodeParameters
    et: NodeParameters


class Section(NamedTuple):
    """Cross section at a point. The fields are the shape functions N of the nodes, the Euler parameters e and their
    rates, n_e = e·e, the angular velocity ω - Ω [rad/s] in the global frame, its components w in the frame of the
    surface, and the axes e_1 and e_2 in the frame of the surface. The docstring of this module defines the symbols.
    """

    N: Four
    e: Four
    et: Four
    square: float
    spin: Vector
    w: Vector
    d1: Vector
    d2: Vector


class SectionForces(NamedTuple):
    """Forces on a point, the moment M [N m] in the frame of the surface, the rotation vector θ [rad], and whether
    friction acts.
    """

    point: PointForces
    moment: Vector
    turn: Vector
    rubs: bool


@kernel(inline=True)
def read_parameters(values: FloatArray, dofs: IntArray, i: int, a: int, sign: float) -> Four:
    """Return the Euler parameters of node a of row i, or their rates, multiplied by ``sign``."""
    at = CABLE + 4 * a
    return (
        sign * values[dofs[i, at]], sign * values[dofs[i, at + 1]],
        sign * values[dofs[i, at + 2]], sign * values[dofs[i, at + 3]],
    )  # fmt: skip


@kernel(inline=True)
def read_all_parameters(values: FloatArray, dofs: IntArray, i: int, flip: FloatArray) -> NodeParameters:
    """Return the Euler parameters of the nodes of row i, or their rates, multiplied by the signs ``flip``."""
    return (
        read_parameters(values, dofs, i, 0, flip[0]), read_parameters(values, dofs, i, 1, flip[1]),
        read_parameters(values, dofs, i, 2, flip[2]), read_parameters(values, dofs, i, 3, flip[3]),
    )  # fmt: skip


@kernel(inline=True)
def read_beam_row(c: ContactRows, m: PositionMarkers, x: FloatArray, v: FloatArray, i: int, g: Any) -> BeamRow:
    """Return the `BeamRow` of row i."""
    flip = c.rows[i].flip
    return BeamRow(
        read_row(c, m, x, v, i), c.H[i], read_all_parameters(x, c.dofs, i, flip),
        read_all_parameters(v, c.dofs, i, flip),
    )  # fmt: skip


@kernel(inline=True)
def plain_beam_row(r: BeamRow) -> SurfaceRow:
    """Return the `SurfaceRow` that is part of the data of a row of a beam."""
    return r.plain


@kernel(inline=True)
def find_beam_point(c: ContactRows, r: BeamRow, i: int, k: int, g: Any) -> tuple[Four, Lever, Distance]:
    """Return the result of `find_point` for point k of row i, which has a beam."""
    return find_point(c, r.plain, k, c.rows[i].points)


@kernel(inline=True)
def mix(N: Four, e: NodeParameters) -> Four:
    """Return Σ N_a e_a."""
    return (
        N[0] * e[0][0] + N[1] * e[1][0] + N[2] * e[2][0] + N[3] * e[3][0],
        N[0] * e[0][1] + N[1] * e[1][1] + N[2] * e[2][1] + N[3] * e[3][1],
        N[0] * e[0][2] + N[1] * e[1][2] + N[2] * e[2][2] + N[3] * e[3][2],
        N[0] * e[0][3] + N[1] * e[1][3] + N[2] * e[2][3] + N[3] * e[3][3],
    )


@kernel(inline=True)
def turn_rate(e: Four, et: Four, square: float) -> Vector:
    """Return G e_t, the angular velocity [rad/s] for the rates e_t of the Euler parameters e, or the rotation for a
    variation e_t of these parameters; ``square`` is e·e.
    """
    c, v, vt = 2.0 / square, (e[1], e[2], e[3]), (et[1], et[2], et[3])
    return combine(c, combine(e[0], vt, -et[0], v), c, cross(v, vt))


@kernel(inline=True)
def on_parameters(e: Four, M: Vector, square: float) -> Four:
    """Return Gᵀ M, the force on the Euler parameters e due to the global moment M [N m]; ``square`` is e·e."""
    c, v = 2.0 / square, (e[1], e[2], e[3])
    f = combine(c * e[0], M, c, cross(M, v))
    return -c * dot(v, M), f[0], f[1], f[2]


@kernel(inline=True)
def eval_section(own: Any, r: BeamRow, k: int) -> Section:
    """Evaluate the cross section at point k."""
    o: SurfaceFrame = r.plain.o
    N = row_product(shape(relative_place(k, own.points), r.plain.length), r.H)
    e, et = mix(N, r.e), mix(N, r.et)
    square = e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]
    scale = 1.0 / sqrt(square)
    d1, d2, _ = axes_of((scale * e[0], scale * e[1], scale * e[2], scale * e[3]))
    spin = combine(1.0, turn_rate(e, et, square), -1.0, (o.wx, o.wy, o.wz))
    return Section(
        N, e, et, square, spin, to_surface(o, spin[0], spin[1], spin[2]), to_surface(o, d1[0], d1[1], d1[2]),
        to_surface(o, d2[0], d2[1], d2[2]),
    )  # fmt: skip


@kernel(inline=True)
def find_turn(s: Section, d10: Vector, d20: Vector) -> Vector:
    """Return the rotation vector θ from the frame with the axes ``d10`` and ``d20`` to the frame of the section."""
    d3, d30 = cross(s.d1, s.d2), cross(d10, d20)
    half = combine(0.5, cross(d10, s.d1), 0.5, cross(d20, s.d2))
    a = combine(1.0, half, 0.5, cross(d30, d3))
    size, cosine = sqrt(dot(a, a)), 0.5 * (dot(d10, s.d1) + dot(d20, s.d2) + dot(d30, d3) - 1.0)
    factor = 1.0 + size * size / 6.0 + 0.075 * size**4
    if size > SMALL or cosine < 0.0:
        factor = atan2(size, cosine) / max(size, 1e-300)
    return factor * a[0], factor * a[1], factor * a[2]


@kernel(inline=True)
def change_turn(turn: Vector, b: Vector) -> Vector:
    """Return T⁻¹ b, the variation of θ for the rotation b in the frame of the surface."""
    square = dot(turn, turn)
    half = 0.5 * sqrt(square)
    beta = (1.0 - half / tan(half)) / square if half > SMALL else 1.0 / 12.0 + square / 720.0
    first = cross(turn, b)
    return combine(1.0, combine(1.0, b, -0.5, first), beta, cross(turn, first))


@kernel(inline=True)
def eval_section_forces(
    law: PointLaw, radius: float, h: Distance, z: Lever, s: Section, state: float, a: Vector, d10: Vector, d20: Vector
) -> SectionForces:
    """Return the forces of a closed point; ``a`` is the anchor of the point, ``d10`` and ``d20`` are the axes e_1 and
    e_2 at the start of the step.
    """
    gap, n, V, turn = h.phi - radius, (h.nx, h.ny, h.nz), (z.U, z.V, z.W), find_turn(s, d10, d20)
    vn, u = dot(n, V), (z.X - a[0], z.Y - a[1], z.Z - a[2])
    vt = combine(1.0, across(h, vn, V), -radius, cross(s.w, n))
    u = combine(1.0, across(h, dot(n, u), u), -radius, cross(turn, n))
    fn, still, f = eval_normal_force(law, gap, vn), rests(z) and dot(s.w, s.w) == 0.0, no_friction()
    rubs = state >= 0.0 and law.friction_coefficient != 0.0 and (state != TOUCHES or still)
    if rubs:
        f = rub(law, u, vt, fn, state == SLIPS, TURNING if still else 0.0)
    lever = cross(n, f.force)
    moment = -radius * lever[0], -radius * lever[1], -radius * lever[2]
    return SectionForces(PointForces(fn, f, gap, vn, vt, u), moment, turn, rubs)


@kernel(inline=True)
def eval_closed_section(
    own: Any, r: BeamRow, h: Distance, z: Lever, s: Section, k: int, data: FloatArray, start: FloatArray
) -> tuple[Vector, SectionForces]:
    """Return the anchor and the forces of closed point k, from its history values."""
    n, first, p = own.points, own.data, r.plain
    state = read_state(data, start, first, n, k, p.law.friction_stiffness)
    a, d10, d20 = read_start(data, start, first, n, k, 3 * n)
    return a, eval_section_forces(p.law, p.rope_radius, h, z, s, state, a, d10, d20)
