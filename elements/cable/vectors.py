"""Operations on vectors of d = 2 or 3 components in kernels. With these operations, the kernels of 2D and 3D cables
have the same source code.

Vectors are tuples of d components, and matrices are tuples of d² elements, row by row. A curvature is a number in 2D
(the component about z), and a vector in 3D. A factory function creates the kernels with these operations as constants.
Therefore the compiled code contains only operations for the d components.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from windlass.elements.nodes.vectors import Vector, combine, dot
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.kernel import Kernel, kernel

Plane = tuple[float, float]
Square = tuple[float, float, float, float]
Cube = tuple[float, float, float, float, float, float, float, float, float]


class Operations(NamedTuple):
    """Kernels for vectors a, b and matrices A.

    dims: number d of components of a vector.
    axes: number of components of a curvature.
    dot, combine: a·b and x a + y b.
    dyad: the matrix a bᵀ + T I.
    read, read_curvature: read a vector or a curvature from column k of an array, in consecutive rows beginning with
        ``row``.
    write, add: write the product of a scalar w and the vector a to column k of an array, or add this product to the
        column, in consecutive rows beginning with ``row``.
    add_matrix: add the product w A to column k of an array, one element per row beginning with ``row``.
    add_matrices: add the sum x A + y B + z C + w D of four matrices. The argument contains, for each element, the
        tuple of the elements of A, B, C and D.
    """

    dims: int
    axes: int
    dot: Kernel
    combine: Kernel
    dyad: Kernel
    read: Kernel
    read_curvature: Kernel
    write: Kernel
    add: Kernel
    add_matrix: Kernel
    add_matrices: Kernel


@kernel(inline=True)
def dot_plane(a: Plane, b: Plane) -> float:
    """Return the scalar product a·b."""
    return a[0] * b[0] + a[1] * b[1]


@kernel(inline=True)
def combine_plane(x: float, a: Plane, y: float, b: Plane) -> Plane:
    """Return x a + y b."""
    return x * a[0] + y * b[0], x * a[1] + y * b[1]


@kernel(inline=True)
def dyad_plane(a: Plane, b: Plane, T: float) -> Square:
    """Return a bᵀ + T I."""
    return a[0] * b[0] + T, a[0] * b[1], a[1] * b[0], a[1] * b[1] + T


@kernel(inline=True)
def dyad_space(a: Vector, b: Vector, T: float) -> Cube:
    """Return a bᵀ + T I."""
    return (
        a[0] * b[0] + T, a[0] * b[1], a[0] * b[2],
        a[1] * b[0], a[1] * b[1] + T, a[1] * b[2],
        a[2] * b[0], a[2] * b[1], a[2] * b[2] + T,
    )  # fmt: skip


@kernel(inline=True)
def read_number(values: FloatArray, row: int, k: int) -> float:
    """Read the element in row ``row`` and column k."""
    return float(values[row, k])


@kernel(inline=True)
def read_plane(values: FloatArray, row: int, k: int) -> Plane:
    """Read two consecutive elements of column k, beginning with row ``row``."""
    return values[row, k], values[row + 1, k]


@kernel(inline=True)
def read_space(values: FloatArray, row: int, k: int) -> Vector:
    """Read three consecutive elements of column k, beginning with row ``row``."""
    return values[row, k], values[row + 1, k], values[row + 2, k]


@kernel(inline=True)
def write_plane(row: int, w: float, a: Plane, k: int, values: FloatArray) -> None:
    """Write the two components of w a to column k, beginning with row ``row``."""
    values[row, k], values[row + 1, k] = w * a[0], w * a[1]


@kernel(inline=True)
def write_space(row: int, w: float, a: Vector, k: int, values: FloatArray) -> None:
    """Write the three components of w a to column k, beginning with row ``row``."""
    values[row, k], values[row + 1, k], values[row + 2, k] = w * a[0], w * a[1], w * a[2]


@kernel(inline=True)
def add_plane(row: int, w: float, a: Plane, k: int, values: FloatArray) -> None:
    """Add the two components of w a to column k, beginning with row ``row``."""
    values[row, k] += w * a[0]
    values[row + 1, k] += w * a[1]


@kernel(inline=True)
def add_space(row: int, w: float, a: Vector, k: int, values: FloatArray) -> None:
    """Add the three components of w a to column k, beginning with row ``row``."""
    values[row, k] += w * a[0]
    values[row + 1, k] += w * a[1]
    values[row + 2, k] += w * a[2]


@kernel(inline=True)
def add_square(row: int, w: float, A: Square, k: int, values: FloatArray) -> None:
    """Add the four elements of w A to column k, beginning with row ``row``."""
    add_plane(row, w, (A[0], A[1]), k, values)
    add_plane(row + 2, w, (A[2], A[3]), k, values)


@kernel(inline=True)
def add_cube(row: int, w: float, A: Cube, k: int, values: FloatArray) -> None:
    """Add the nine elements of w A to column k, beginning with row ``row``."""
    add_space(row, w, (A[0], A[1], A[2]), k, values)
    add_space(row + 3, w, (A[3], A[4], A[5]), k, values)
    add_space(row + 6, w, (A[6], A[7], A[8]), k, values)


@kernel(inline=True)
def add_entry(row: int, x: float, y: float, z: float, w: float, B: Square, k: int, values: FloatArray) -> None:
    """Add x B0 + y B1 + z B2 + w B3 to the element in row ``row`` and column k."""
    values[row, k] += x * B[0] + y * B[1] + z * B[2] + w * B[3]


@kernel(inline=True)
def add_squares(row: int, x: float, y: float, z: float, w: float, B: Any, k: int, values: FloatArray) -> None:
    """Add the four elements of x A + y B + z C + w D to column k, beginning with row ``row``, see `Operations`."""
    add_entry(row, x, y, z, w, B[0], k, values)
    add_entry(row + 1, x, y, z, w, B[1], k, values)
    add_entry(row + 2, x, y, z, w, B[2], k, values)
    add_entry(row + 3, x, y, z, w, B[3], k, values)


@kernel(inline=True)
def add_cubes(row: int, x: float, y: float, z: float, w: float, B: Any, k: int, values: FloatArray) -> None:
    """Add the nine elements of x A + y B + z C + w D to column k, beginning with row ``row``, see `Operations`."""
    add_squares(row, x, y, z, w, (B[0], B[1], B[2], B[3]), k, values)
    add_squares(row + 4, x, y, z, w, (B[4], B[5], B[6], B[7]), k, values)
    add_entry(row + 8, x, y, z, w, B[8], k, values)


PLANE = Operations(
    2, 1, dot_plane, combine_plane, dyad_plane, read_plane, read_number, write_plane, add_plane,
    add_square, add_squares,
)  # fmt: skip
SPACE = Operations(
    3, 3, dot, combine, dyad_space, read_space, read_space, write_space, add_space, add_cube, add_cubes
)  # fmt: skip
