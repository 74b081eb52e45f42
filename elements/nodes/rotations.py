"""3D rotations by Euler parameters e = [e0, e1, e2, e3] = [cos(φ/2), n sin(φ/2)] for an angle φ about an axis n.

    A(e) = ((e0² - ε·ε) I + 2 ε εᵀ + 2 e0 ε~) / (e·e),    ε = [e1, e2, e3],    ε~ b = ε × b,
    ω̄ = 2 L(e) e_t / (e·e),    ω = A ω̄,    A_t = A ω̄~,
    L = [[-e1, e0, e3, -e2], [-e2, -e3, e0, e1], [-e3, e2, -e1, e0]].

ω̄ is the angular velocity in the frame of the body, and ω is the angular velocity in the global frame. Because of the
division by e·e, A is a rotation for every e ≠ 0. For any c ≠ 0, the parameters e and c e describe the same rotation.

Source: P. E. Nikravesh, Computer-Aided Analysis of Mechanical Systems, Prentice Hall (1988), chapter 6.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.checks.checks import checked, numbers
from windlass.framework.errors import ModelError

UNIT_TOLERANCE = 1e-8
"""Largest deviation [1] of a length from 1 that is treated as a rounding error of the input."""


@checked(
    axis=numbers("1", (3,), (None, 3), words="axes of 3 numbers with a length > 0"), angle=numbers("rad", (), (None,))
)
def euler_parameters(axis: Any, angle: Any) -> FloatArray:
    """Return the Euler parameters of rotations about axes.

    Args:
        axis: axis of rotation, of any length > 0, shape (3,) or (n, 3).
        angle: angle [rad], a scalar or shape (n,).

    Returns:
        Euler parameters, shape (4,) or (n, 4).

    Raises:
        ModelError: an axis has length 0, or values are not finite.
    """
    n, half = np.asarray(axis, dtype=np.float64), 0.5 * np.asarray(angle, dtype=np.float64)[..., None]
    length = np.sqrt((n**2).sum(axis=-1, keepdims=True))
    if n.shape[-1:] != (3,) or not (np.isfinite(length).all() and np.isfinite(half).all() and (length > 0.0).all()):
        raise ModelError(f"axis = {axis}, angle = {angle} rad: must be axes of 3 numbers with a length > 0, and angles")
    cos, vector = np.cos(half), np.sin(half) * n / length
    shape = vector.shape[:-1]
    return np.concatenate((np.broadcast_to(cos, (*shape, 1)), vector), axis=-1)


def normalise(vectors: FloatArray) -> FloatArray:
    """Return vectors, shape (n, 3), each divided by its length. The lengths must be > 0."""
    units: FloatArray = vectors / np.sqrt((vectors**2).sum(axis=1, keepdims=True))
    return units


@checked(matrix=numbers("1", (3, 3), (None, 3, 3), words="a rotation matrix of shape (3, 3), or several"))
def euler_parameters_of(matrix: Any) -> FloatArray:
    """Return the Euler parameters of rotation matrices.

    Args:
        matrix: rotation matrix, shape (3, 3) or (n, 3, 3).

    Returns:
        Euler parameters, shape (4,) or (n, 4). The component of largest magnitude is positive.

    Raises:
        ModelError: a matrix is not a rotation matrix.
    """
    R = np.asarray(matrix, dtype=np.float64)
    if not is_rotation(R).all():
        raise ModelError(f"matrix = {matrix}: must be a rotation matrix of shape (3, 3), or several")
    # Each row of 4 e eᵀ is proportional to e. In the row with the largest diagonal element no cancellation occurs.
    E = np.empty((*R.shape[:-2], 4, 4))
    trace = R[..., 0, 0] + R[..., 1, 1] + R[..., 2, 2]
    E[..., 0, 0] = 1.0 + trace
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        E[..., i + 1, i + 1] = 1.0 - trace + 2.0 * R[..., i, i]
        E[..., 0, i + 1] = E[..., i + 1, 0] = R[..., k, j] - R[..., j, k]
        E[..., j + 1, k + 1] = E[..., k + 1, j + 1] = R[..., j, k] + R[..., k, j]
    largest = np.argmax(np.diagonal(E, axis1=-2, axis2=-1), axis=-1)
    e = np.take_along_axis(E, largest[..., None, None], axis=-2)[..., 0, :]
    out: FloatArray = e / np.sqrt((e**2).sum(axis=-1, keepdims=True))
    return out


def is_rotation(matrix: FloatArray) -> Any:
    """Return whether matrices of shape (..., 3, 3) are rotations up to rounding errors of the input."""
    if matrix.shape[-2:] != (3, 3) or not np.isfinite(matrix).all():
        return np.zeros(1, bool)
    product = np.swapaxes(matrix, -1, -2) @ matrix
    return (np.abs(product - np.eye(3)).max(axis=(-1, -2)) <= UNIT_TOLERANCE) & (np.linalg.det(matrix) > 0.0)


@checked(e=numbers("1", (4,), (None, 4)))
def rotation_matrix(e: FloatArray) -> FloatArray:
    """Return the rotation matrices A(e) from the frame of the body to the global frame, shape (..., 3, 3), for e of
    shape (..., 4).
    """
    e = np.asarray(e, dtype=np.float64)
    w, u = e[..., 0], e[..., 1:]
    A = 2.0 * u[..., :, None] * u[..., None, :]
    diagonal = w**2 - (u**2).sum(axis=-1)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        A[..., i, i] += diagonal
        A[..., j, k] -= 2.0 * w * u[..., i]
        A[..., k, j] += 2.0 * w * u[..., i]
    out: FloatArray = A / (e**2).sum(axis=-1)[..., None, None]
    return out


def local_rates(e: FloatArray, rate: FloatArray) -> FloatArray:
    """Return the vectors 2 L(e) rate / (e·e), shape (..., 3), for Euler parameters e and rates ``rate``, both of shape
    (..., 4). If rate = e_t, the result is the angular velocity ω̄ in the frame of the body.
    """
    w, u, dw, du = e[..., :1], e[..., 1:], rate[..., :1], rate[..., 1:]
    out: FloatArray = 2.0 * (w * du - dw * u - np.cross(u, du)) / (e**2).sum(axis=-1, keepdims=True)
    return out


@checked(e=numbers("1", (4,), (None, 4)), angular_velocity=numbers("rad/s", (3,), (None, 3)))
def euler_parameter_rates(e: Any, angular_velocity: Any) -> FloatArray:
    """Return e_t [1/s], shape (..., 4), for Euler parameters e of length 1 and an angular velocity [rad/s] in the
    global frame.
    """
    e, omega = np.broadcast_arrays(*_rows(e, angular_velocity))
    w, u, o = e[..., :1], e[..., 1:], omega[..., 1:]
    vector = 0.5 * (w * o + np.cross(o, u))
    return np.concatenate((-0.5 * (u * o).sum(axis=-1, keepdims=True), vector), axis=-1)


def _rows(e: Any, angular_velocity: Any) -> tuple[FloatArray, FloatArray]:
    """Return both arguments as arrays with four components per row. The angular velocity has three components, and a 0
    is inserted before these components.
    """
    omega = np.asarray(angular_velocity, dtype=np.float64)
    return np.asarray(e, dtype=np.float64), np.concatenate((np.zeros_like(omega[..., :1]), omega), axis=-1)
