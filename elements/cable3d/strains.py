"""Strain and curvature of `Cable3D` at arbitrary points with rates and derivatives, vectorised and not in the hot path.

    κ = r' × r''/|r'|²,  a vector;    |κ| = √(κ·κ + δ²),    b = κ/|κ|,    δ = `SMALLEST`/L

Force functions get |κ|, and their moment M acts along b, the direction of the binormal: δW = M δ|κ|.  The energy
does not change when a cable turns as a whole, also where it is curved without force.  With δ a straight cable has
derivatives, too; M = EI |κ| gives the moment EI κ and the tangent of the linear law, for every δ.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from windlass.elements.cable2d.force_functions import Measures
from windlass.elements.cable2d.points import Shape, eval_shape
from windlass.elements.cable2d.strains import References, Strains, dot, expand, expand_matrix, interpolate, outer
from windlass.framework.arrays import FloatArray
from windlass.framework.model.law import LocalRows

SMALLEST = 1e-9
"""Curvature that counts as none, times the length of the cable [1]."""


class Bending(NamedTuple):
    """Curvature kap [1/m] and its rate kap_t [1/(m s)] as vectors, shape (rows, n, 3)."""

    kap: FloatArray
    kap_t: FloatArray


def eval_bending(shape: Shape, x: FloatArray, v: FloatArray) -> tuple[Strains, Bending]:
    """Strains, with |κ|, and curvature at total coordinates x [m, 1] and velocities v [m/s, 1/s], shape (rows, 12)."""
    p, k = interpolate(shape.dS, x), interpolate(shape.ddS, x)
    pt, kt = interpolate(shape.dS, v), interpolate(shape.ddS, v)
    g, g_t = dot(p, p)[..., None], 2.0 * dot(p, pt)[..., None]
    h, h_t = np.cross(p, k), np.cross(pt, k) + np.cross(p, kt)
    kap, kap_t = h / g, (h_t * g - h * g_t) / g**2
    length = np.sqrt(g[..., 0])
    size = np.sqrt(dot(kap, kap) + find_smallest(shape) ** 2)
    strains = Strains(p, k, pt, kt, length - 1.0, dot(p, pt) / length, size, dot(kap, kap_t) / size)
    return strains, Bending(kap, kap_t)


def find_smallest(shape: Shape) -> FloatArray:
    """δ [1/m] at the points, shape of the points; S_4'' - S_2'' = 2/L everywhere."""
    return 0.5 * SMALLEST * (shape.ddS[..., 3] - shape.ddS[..., 1])


def eval_strains(shape: Shape, x: FloatArray, v: FloatArray) -> Strains:
    """Strains with |κ| in place of the curvature."""
    return eval_bending(shape, x, v)[0]


def eval_free_bending(rows: LocalRows, s: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Strain [1], shape (rows, n), and curvature [1/m], (rows, n, 3), without force at s = x/L [1], (n,) or (rows, n).

    ε_ref = ε0 + c (|r'| - 1) and κ_ref = κ0 + c κ in the reference configuration, c = strain_is_relative_to_reference.
    """
    shape = eval_shape(s, rows.local("length")[:, None])
    strains, bending = eval_bending(shape, rows.reference, np.zeros_like(rows.reference))
    c = rows.local("strain_is_relative_to_reference")[:, None]
    eps = rows.local("reference_strain")[:, None] + c * strains.eps
    return eps, rows.local("reference_curvature")[:, None] + c[..., None] * bending.kap


def eval_references(rows: LocalRows, s: FloatArray) -> References:
    """Strain without force, and the length of the curvature without force, as force functions get them."""
    eps, kap = eval_free_bending(rows, s)
    return References(eps, np.sqrt(dot(kap, kap)))


def eval_gradients(shape: Shape, s: Strains) -> tuple[FloatArray, FloatArray]:
    """∂ε/∂q and ∂|κ|/∂q, shape (rows, n, 12)."""
    kap_p, kap_k = _direction_gradients(s)
    eps_p = s.p / np.sqrt(dot(s.p, s.p))[..., None]
    return expand(shape.dS, eps_p), expand(shape.dS, kap_p) + expand(shape.ddS, kap_k)


def eval_second_derivatives(shape: Shape, s: Strains) -> tuple[FloatArray, FloatArray]:
    """∂²ε/∂q² and ∂²|κ|/∂q², shape (rows, n, 12, 12)."""
    g, b = dot(s.p, s.p)[..., None, None], _direction(s)
    eps_p = s.p / np.sqrt(g[..., 0])
    eps_pp = (np.eye(3) - outer(eps_p, eps_p)) / np.sqrt(g)
    # b·κ_zz
    on_p, on_k = _direction_gradients(s)
    along = s.kap[..., None, None] * dot(b, b)[..., None, None]
    pp = -2.0 / g * (outer(s.p, on_p) + outer(on_p, s.p) + along * np.eye(3))
    pk = -_cross_matrix(b) / g - 2.0 / g * outer(s.p, on_k)
    # κ_zᵀ (I - b bᵀ)/|κ| κ_z
    kap = (s.kap[..., None] * b)[..., :, None]
    by_p = -(_cross_matrix(s.k) + 2.0 * kap * s.p[..., None, :]) / g
    by_k = _cross_matrix(s.p) / g
    across = (np.eye(3) - outer(b, b)) / s.kap[..., None, None]
    pp = pp + _between(by_p, across, by_p)
    pk = pk + _between(by_p, across, by_k)
    kk = _between(by_k, across, by_k)
    mixed = expand_matrix(shape.dS, shape.ddS, pk)
    kap_qq: FloatArray = expand_matrix(shape.dS, shape.dS, pp) + mixed + np.swapaxes(mixed, -1, -2)
    return expand_matrix(shape.dS, shape.dS, eps_pp), kap_qq + expand_matrix(shape.ddS, shape.ddS, kk)


def _between(a: FloatArray, m: FloatArray, b: FloatArray) -> FloatArray:
    """aᵀ m b of matrices, shape (rows, n, 3, 3)."""
    product: FloatArray = np.einsum("rnij,rnik,rnkl->rnjl", a, m, b)
    return product


def _direction(s: Strains) -> FloatArray:
    """b = κ/|κ|, shape (rows, n, 3)."""
    return np.asarray(np.cross(s.p, s.k) / (dot(s.p, s.p) * s.kap)[..., None])


def _direction_gradients(s: Strains) -> tuple[FloatArray, FloatArray]:
    """∂|κ|/∂p = (k × b)/g - 2 (b·κ)/g p and ∂|κ|/∂k = (b × p)/g, shape (rows, n, 3)."""
    g, b = dot(s.p, s.p)[..., None], _direction(s)
    along = (s.kap * dot(b, b))[..., None]
    return (np.cross(s.k, b) - 2.0 * along * s.p) / g, np.cross(b, s.p) / g


def _cross_matrix(a: FloatArray) -> FloatArray:
    """The matrix of a ×, shape (..., 3, 3)."""
    matrix = np.zeros((*a.shape, 3))
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        matrix[..., i, j], matrix[..., i, k] = -a[..., k], a[..., j]
    return matrix


SPACE = Measures(eval_references, eval_strains, eval_gradients, eval_second_derivatives)
"""Strains of cables in space, as force functions get them."""
