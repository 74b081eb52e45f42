"""3D vectors in kernels, as tuples of three components."""

from __future__ import annotations

from windlass.framework.kernels.kernel import kernel

Vector = tuple[float, float, float]


@kernel(inline=True)
def dot(a: Vector, b: Vector) -> float:
    """Return the scalar product a·b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel(inline=True)
def cross(a: Vector, b: Vector) -> Vector:
    """Return the cross product a × b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@kernel(inline=True)
def add(a: Vector, b: Vector) -> Vector:
    """Return the sum a + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@kernel(inline=True)
def combine(x: float, a: Vector, y: float, b: Vector) -> Vector:
    """Return the linear combination x a + y b."""
    return x * a[0] + y * b[0], x * a[1] + y * b[1], x * a[2] + y * b[2]


@kernel(inline=True)
def find_skew(a: Vector, i: int, j: int) -> float:
    """Return the element (i, j) of the matrix of the cross product a ×."""
    if i == j:
        return 0.0
    return -a[3 - i - j] if j == (i + 1) % 3 else a[3 - i - j]
