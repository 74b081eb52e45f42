"""Strain and curvature of `Cable2D` at arbitrary points with rates and derivatives, vectorised and not in the hot path.

Equations and letters: points.py.  Arrays have one entry per row and point, shape (rows, n, ...).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from windlass.elements.cable2d.points import Shape, eval_shape
from windlass.framework.arrays import FloatArray
from windlass.framework.model.law import LocalRows


class Strains(NamedTuple):
    """State of a cable at n points of each row.

    p, k [1, 1/m]: r' and r'', pt, kt [1/s, 1/(m s)]: their rates, shape (rows, n, 2).
    eps, eps_t [1, 1/s]: axial strain and its rate, shape (rows, n).
    kap, kap_t [1/m, 1/(m s)]: curvature and its rate, shape (rows, n).
    """

    p: FloatArray
    k: FloatArray
    pt: FloatArray
    kt: FloatArray
    eps: FloatArray
    eps_t: FloatArray
    kap: FloatArray
    kap_t: FloatArray


class References(NamedTuple):
    """Strain eps [1] and curvature kap [1/m] without force at n points of each row, shape (rows, n)."""

    eps: FloatArray
    kap: FloatArray


def cross(a: FloatArray, b: FloatArray) -> FloatArray:
    """a × b = a_x b_y - a_y b_x of plane vectors, shape (..., 2)."""
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])


def dot(a: FloatArray, b: FloatArray) -> FloatArray:
    """a·b of vectors of the plane or in space, shape (..., 2) or (..., 3)."""
    plane = a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1]
    return np.asarray(plane if a.shape[-1] == 2 else plane + a[..., 2] * b[..., 2])


def interpolate(S: FloatArray, x: FloatArray) -> FloatArray:
    """Σ S_i x_i at n points, shape (rows, n, d), from coordinates x, shape (rows, 4 d), and S, shape (rows, n, 4)."""
    result: FloatArray = np.einsum("rni,ric->rnc", S, x.reshape(-1, 4, x.shape[1] // 4))
    return result


def eval_strains(shape: Shape, x: FloatArray, v: FloatArray) -> Strains:
    """Strains at total coordinates x [m, 1] and velocities v [m/s, 1/s], shape (rows, 8)."""
    p, k = interpolate(shape.dS, x), interpolate(shape.ddS, x)
    pt, kt = interpolate(shape.dS, v), interpolate(shape.ddS, v)
    g, g_t = dot(p, p), 2.0 * dot(p, pt)
    f, f_t = cross(p, k), cross(pt, k) + cross(p, kt)
    length = np.sqrt(g)
    return Strains(p, k, pt, kt, length - 1.0, dot(p, pt) / length, f / g, (f_t * g - f * g_t) / g**2)


def eval_references(rows: LocalRows, s: FloatArray) -> References:
    """Strain and curvature without force of rows of a cable table at places s = x/L [1], shape (n,) or (rows, n).

    ε_ref = ε0 + c (|r'| - 1) and κ_ref = κ0 + c κ in the reference configuration, c = strain_is_relative_to_reference.
    """
    shape = eval_shape(s, rows.local("length")[:, None])
    x = rows.reference[:, :8]
    reference = eval_strains(shape, x, np.zeros_like(x))
    c = rows.local("strain_is_relative_to_reference")[:, None]
    eps = rows.local("reference_strain")[:, None] + c * reference.eps
    return References(eps, rows.local("reference_curvature")[:, None] + c * reference.kap)


def eval_gradients(shape: Shape, s: Strains) -> tuple[FloatArray, FloatArray]:
    """∂ε/∂q and ∂κ/∂q, shape (rows, n, 8)."""
    eps_p, kap_p, kap_k = _point_gradients(s)
    return expand(shape.dS, eps_p), expand(shape.dS, kap_p) + expand(shape.ddS, kap_k)


def eval_second_derivatives(shape: Shape, s: Strains) -> tuple[FloatArray, FloatArray]:
    """∂²ε/∂q² and ∂²κ/∂q², shape (rows, n, 8, 8)."""
    eps_p, kap_p, kap_k = _point_gradients(s)
    g = dot(s.p, s.p)[..., None, None]
    unit = np.eye(2)
    turn = np.array([[0.0, 1.0], [-1.0, 0.0]])
    eps_pp = (unit - outer(eps_p, eps_p)) / np.sqrt(g)
    kap_pp = -2.0 / g * (s.kap[..., None, None] * unit + outer(kap_p, s.p) + outer(s.p, kap_p))
    kap_pk = (turn - 2.0 * outer(s.p, kap_k)) / g
    mixed = expand_matrix(shape.dS, shape.ddS, kap_pk)
    kap_qq = expand_matrix(shape.dS, shape.dS, kap_pp) + mixed + np.swapaxes(mixed, -1, -2)
    return expand_matrix(shape.dS, shape.dS, eps_pp), kap_qq


def _point_gradients(s: Strains) -> tuple[FloatArray, FloatArray, FloatArray]:
    """ε_p, κ_p and κ_k, shape (rows, n, 2)."""
    g = dot(s.p, s.p)[..., None]
    kap_p = (-turned(s.k) - 2.0 * s.kap[..., None] * s.p) / g
    return s.p / np.sqrt(g), kap_p, turned(s.p) / g


def turned(a: FloatArray) -> FloatArray:
    """[-a_y, a_x]: the vector turned by 90 degrees counter-clockwise."""
    return np.stack((-a[..., 1], a[..., 0]), axis=-1)


def outer(a: FloatArray, b: FloatArray) -> FloatArray:
    """a bᵀ of vectors, shape (..., d)."""
    return a[..., :, None] * b[..., None, :]


def expand(S: FloatArray, a: FloatArray) -> FloatArray:
    """S_i a as a vector over the 4 d coordinates."""
    product = S[..., :, None] * a[..., None, :]
    return product.reshape(*a.shape[:2], 4 * a.shape[-1])


def expand_matrix(S: FloatArray, T: FloatArray, A: FloatArray) -> FloatArray:
    """S_i T_j A as a matrix over the 4 d coordinates."""
    product: FloatArray = np.einsum("rni,rnj,rncd->rnicjd", S, T, A)
    return product.reshape(*A.shape[:2], 4 * A.shape[-1], 4 * A.shape[-1])
