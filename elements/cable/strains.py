"""Strain and curvature of cables at arbitrary points, their rates, and their derivatives with respect to the
coordinates. The NumPy functions of this module are used for outputs and user functions.

Arrays have the shape (rows, n, ...) with n points per row. In d dimensions, positions and slopes have d components.
Curvatures have m = 1 component in 2D (about z), and m = 3 components in 3D. With the function `cross` the equations
have the same form in 2D and 3D:

    κ = r' × r''/|r'|²,    |κ| = √(κ·κ + δ²),    b = κ/|κ|,    δ = `SMALLEST`/L.

In 2D, |κ| is replaced by κ, and b = 1. The module points.py defines further symbols.

Force functions receive |κ| and return the moment M, which acts along the binormal b. The virtual work of this moment is
M times the variation of |κ|. The energy does not change when a cable rotates as a rigid body, even if the cable is
curved in the stress-free state. Because of the term δ, |κ| is also differentiable for straight cables in 3D. For any δ,
the user function M = EI |κ| gives the moment EI κ and the tangent of the linear law.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from windlass.elements.cable.points import Shape, count_dims, eval_shape
from windlass.framework.arrays import FloatArray
from windlass.framework.model.law import LocalRows

SMALLEST = 1e-9
"""Product δ L [1], where δ is the small curvature in |κ|, and L is the length of the cable."""


class Strains(NamedTuple):
    """Slopes, strains and curvatures at n points of each cable, with their rates. Each row contains the values of one
    cable.

    p, k: r' [1] and r'' [1/m], shape (rows, n, d).
    pt, kt: rates of p [1/s] and k [1/(m s)], shape (rows, n, d).
    eps, eps_t: axial strain [1] and its rate [1/s], shape (rows, n).
    kap, kap_t: curvature [1/m], shape (rows, n), and its rate [1/(m s)]. In 3D, kap is the magnitude |κ|.
    """

    p: FloatArray
    k: FloatArray
    pt: FloatArray
    kt: FloatArray
    eps: FloatArray
    eps_t: FloatArray
    kap: FloatArray
    kap_t: FloatArray


class Bending(NamedTuple):
    """Curvature kap [1/m] and its rate kap_t [1/(m s)], shape (rows, n, m)."""

    kap: FloatArray
    kap_t: FloatArray


class References(NamedTuple):
    """Strain eps [1] and curvature kap [1/m] in the stress-free state at n points of each row, shape (rows, n). In 3D,
    kap is the magnitude of the curvature.
    """

    eps: FloatArray
    kap: FloatArray


def cross(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return a × b. In 3D the product has the shape (..., 3). In 2D the product of two vectors in the plane has the
    shape (..., 1), and the product of a vector in the plane and a vector along z has the shape (..., 2).
    """
    if a.shape[-1] == 3:
        return np.cross(a, b)
    if a.shape[-1] == 1:
        return a * turned(b)
    if b.shape[-1] == 1:
        return -b * turned(a)
    return np.asarray(a[..., :1] * b[..., 1:] - a[..., 1:] * b[..., :1])


def dot(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return a·b of vectors of shape (..., d)."""
    total = a[..., 0] * b[..., 0]
    for i in range(1, a.shape[-1]):
        total = total + a[..., i] * b[..., i]
    return np.asarray(total)


def interpolate(S: FloatArray, x: FloatArray) -> FloatArray:
    """Interpolate coordinates x, shape (rows, 4 d), at n points by shape functions S, shape (rows, n, 4). The result Σ
    S_i x_i has the shape (rows, n, d)."""
    result: FloatArray = np.einsum("rni,ric->rnc", S, x.reshape(-1, 4, x.shape[1] // 4))
    return result


def eval_bending(shape: Shape, x: FloatArray, v: FloatArray) -> tuple[Strains, Bending]:
    """Return strains and curvature vectors for total coordinates x [m, 1] and velocities v [m/s, 1/s], both of shape
    (rows, 4 d)."""
    p, k = interpolate(shape.dS, x), interpolate(shape.ddS, x)
    pt, kt = interpolate(shape.dS, v), interpolate(shape.ddS, v)
    g, g_t = dot(p, p)[..., None], 2.0 * dot(p, pt)[..., None]
    h, h_t = cross(p, k), cross(pt, k) + cross(p, kt)
    bending = Bending(h / g, (h_t * g - h * g_t) / g**2)
    length = np.sqrt(g[..., 0])
    return Strains(p, k, pt, kt, length - 1.0, dot(p, pt) / length, *eval_sizes(bending, find_smallest(shape))), bending


def find_smallest(shape: Shape) -> FloatArray:
    """Return δ [1/m] at all points. L is computed from S_4'' - S_2'' = 2/L, which is valid at all points."""
    return 0.5 * SMALLEST * (shape.ddS[..., 3] - shape.ddS[..., 1])


def eval_sizes(bending: Bending, smallest: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the curvature |κ| (κ in 2D) and its rate, shape (rows, n). The argument ``smallest`` is δ [1/m]."""
    kap, kap_t = bending
    if kap.shape[-1] == 1:
        return kap[..., 0], kap_t[..., 0]
    size = np.sqrt(dot(kap, kap) + smallest**2)
    return size, dot(kap, kap_t) / size


def eval_strains(shape: Shape, x: FloatArray, v: FloatArray) -> Strains:
    """Return the strains for total coordinates x [m, 1] and velocities v [m/s, 1/s], both of shape (rows, 4 d)."""
    return eval_bending(shape, x, v)[0]


def eval_free_bending(rows: LocalRows, s: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the stress-free strain [1], shape (rows, n), and the stress-free curvature [1/m], shape (rows, n, m), at s
    = x/L [1], shape (n,) or (rows, n).

    The values are ε_ref = ε0 + c (|r'| - 1) and κ_ref = κ0 + c κ, with r' and κ in the reference configuration and c =
    strain_is_relative_to_reference.
    """
    strains, bending = _eval_reference(rows, s)
    c = rows.local("strain_is_relative_to_reference")[:, None]
    given = rows.local("reference_curvature").reshape(len(c), 1, bending.kap.shape[-1])
    return rows.local("reference_strain")[:, None] + c * strains.eps, given + c[..., None] * bending.kap


def eval_free_strains(rows: LocalRows, s: FloatArray) -> FloatArray:
    """Return the stress-free strain of `eval_free_bending`, also of cables with twist."""
    c = rows.local("strain_is_relative_to_reference")[:, None]
    return np.asarray(rows.local("reference_strain")[:, None] + c * _eval_reference(rows, s)[0].eps)


def _eval_reference(rows: LocalRows, s: FloatArray) -> tuple[Strains, Bending]:
    """Return strains and curvature vectors in the reference configuration at s = x/L [1]."""
    x = rows.reference[:, : 4 * count_dims(rows.reference.shape[1])]
    return eval_bending(eval_shape(s, rows.local("length")[:, None]), x, np.zeros_like(x))


def eval_references(rows: LocalRows, s: FloatArray) -> References:
    """Return the stress-free strain and the stress-free curvature for user functions. In 3D, the curvature is the
    magnitude.
    """
    eps, kap = eval_free_bending(rows, s)
    return References(eps, kap[..., 0] if kap.shape[-1] == 1 else np.sqrt(dot(kap, kap)))


def eval_gradients(shape: Shape, s: Strains) -> tuple[FloatArray, FloatArray]:
    """Return the derivatives of the strain ε and of the curvature |κ| with respect to the coordinates, each of shape
    (rows, n, 4 d)."""
    eps_p, kap_p, kap_k = _point_gradients(s)
    return expand(shape.dS, eps_p), expand(shape.dS, kap_p) + expand(shape.ddS, kap_k)


def eval_second_derivatives(shape: Shape, s: Strains) -> tuple[FloatArray, FloatArray]:
    """Return the second derivatives of the strain ε and of the curvature |κ| with respect to the coordinates, each of
    shape (rows, n, 4 d, 4 d)."""
    eps_p, kap_p, kap_k = _point_gradients(s)
    g, b, unit = dot(s.p, s.p)[..., None, None], _direction(s), np.eye(s.p.shape[-1])
    eps_pp = (unit - outer(eps_p, eps_p)) / np.sqrt(g)
    # second derivatives of b·κ with respect to p and k at constant b
    along = (s.kap * dot(b, b))[..., None, None]
    kap_pp = -2.0 / g * (along * unit + outer(kap_p, s.p) + outer(s.p, kap_p))
    kap_pk = (-_cross_matrix(b) - 2.0 * outer(s.p, kap_k)) / g
    kap_qq: FloatArray = np.zeros(())
    if len(unit) == 3:
        # add κ_zᵀ (I - b bᵀ)/|κ| κ_z, which is 0 in 2D
        by_p = -(_cross_matrix(s.k) + 2.0 * outer(s.kap[..., None] * b, s.p)) / g
        by_k = _cross_matrix(s.p) / g
        across = (unit - outer(b, b)) / s.kap[..., None, None]
        kap_pp, kap_pk = kap_pp + _between(by_p, across, by_p), kap_pk + _between(by_p, across, by_k)
        kap_qq = expand_matrix(shape.ddS, shape.ddS, _between(by_k, across, by_k))
    mixed = expand_matrix(shape.dS, shape.ddS, kap_pk)
    kap_qq = expand_matrix(shape.dS, shape.dS, kap_pp) + mixed + np.swapaxes(mixed, -1, -2) + kap_qq
    return expand_matrix(shape.dS, shape.dS, eps_pp), kap_qq


def _point_gradients(s: Strains) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the derivatives of strain and curvature with respect to p and k, each of shape (rows, n, d): ε_p = p/|p|,
    |κ|_p = (k × b - 2 b·κ p)/g and |κ|_k = (b × p)/g, where g = p·p."""
    g, b = dot(s.p, s.p)[..., None], _direction(s)
    along = (s.kap * dot(b, b))[..., None]
    return s.p / np.sqrt(g), (cross(s.k, b) - 2.0 * along * s.p) / g, cross(b, s.p) / g


def _direction(s: Strains) -> FloatArray:
    """Return the binormal b, shape (rows, n, m)."""
    if s.p.shape[-1] == 2:
        return np.ones((*s.kap.shape, 1))
    return np.asarray(cross(s.p, s.k) / (dot(s.p, s.p) * s.kap)[..., None])


def _between(a: FloatArray, m: FloatArray, b: FloatArray) -> FloatArray:
    """Return aᵀ m b for matrices of shape (rows, n, 3, 3)."""
    product: FloatArray = np.einsum("rnij,rnik,rnkl->rnjl", a, m, b)
    return product


def _cross_matrix(a: FloatArray) -> FloatArray:
    """Return the matrix of the linear map b -> a × b, shape (..., d, d)."""
    d = a.shape[-1] if a.shape[-1] == 3 else 2
    return np.stack([cross(a, np.broadcast_to(e, (*a.shape[:-1], d))) for e in np.eye(d)], axis=-1)


def turned(a: FloatArray) -> FloatArray:
    """Return [-a_y, a_x], the vector a rotated by 90 degrees counter-clockwise."""
    return np.stack((-a[..., 1], a[..., 0]), axis=-1)


def outer(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the dyadic product a bᵀ for vectors of shape (..., d)."""
    return a[..., :, None] * b[..., None, :]


def expand(S: FloatArray, a: FloatArray) -> FloatArray:
    """Return a vector with one element for each of the 4 d coordinates. The vector consists of the four parts S_i a, i
    = 1 to 4."""
    product = S[..., :, None] * a[..., None, :]
    return product.reshape(*a.shape[:2], 4 * a.shape[-1])


def expand_matrix(S: FloatArray, T: FloatArray, A: FloatArray) -> FloatArray:
    """Return a matrix with one row and one column for each of the 4 d coordinates. The matrix consists of the 4 x 4
    blocks S_i T_j A."""
    product: FloatArray = np.einsum("rni,rnj,rncd->rnicjd", S, T, A)
    return product.reshape(*A.shape[:2], 4 * A.shape[-1], 4 * A.shape[-1])
