"""Criterion for an accurate linear solution: its residual is small relative to the right-hand side, or its residual is
a rounding error.

Even the best solution x of A x = b has a residual of about eps |A| |x| due to rounding, where eps is the relative
rounding error of floating-point numbers. If a model has stiff and soft directions, the norm of such a residual may be a
large fraction of |b|, although the solution is correct. For example, if the axial stiffness of a cable is 1e8 times its
bending stiffness, the norm of the residual is at least 1e-8 |b|. If pivots are too small, the residual is much larger
than rounding errors.

    accepted:  |b - A x| <= rtol |b|,   or in every row   |b - A x|_i <= GROWTH (sum_j |A_ij| max_j |x_j| + |b_i|)

Source: row-wise backward error, W. Oettli, W. Prager, Numer. Math. 6 (1964) 405-409; M. Arioli, J. W. Demmel,
I. S. Duff, SIAM J. Matrix Anal. Appl. 10 (1989) 165-190.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple, Protocol

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.assembly.sparsity import Pattern
from windlass.framework.kernels.kernel import kernel
from windlass.framework.parallel.processes import Processes

LINEAR_RTOL = 1e-6
"""Largest ratio [1] of |A x - b| to |b| with which the solution x of the linear equations A x = b is accurate enough
for Newton's method.
"""
CLEARLY = 0.5
"""Ratio [1] of |A x - b| to its limit. Up to this value, rounding errors of the ratio have no effect on `is_accurate`.
"""
GROWTH = 1e-10
"""Largest backward error of a row that Newton's method accepts. With sufficiently large pivots, the error is about
1e-16. With pivots that are too small, it is 1e-6 or more.
"""
GROWTH_IN_BLOCKS = 1e-13
"""Largest accepted backward error for storage in blocks. LU then uses inverses of blocks, and ill-conditioned blocks
may cause errors of 1e-9.
"""


class Product(Protocol):
    """Sparsity of a matrix A, with a method for products A x. The class is `Pattern` on one process, and
    `LocalMatrices` on several processes.
    """

    @property
    def block(self) -> int:
        """Number of rows of each dense block; 1 if the matrix is stored by rows."""

    def multiply(self, values: FloatArray, x: FloatArray, absolute: bool = False) -> FloatArray:
        """Return the product A x, or |A| x."""


def is_accurate(
    product: Product, values: FloatArray, x: FloatArray, b: FloatArray, rtol: float, processes: Processes | None = None
) -> bool:
    """Return whether x solves A x = b according to the criterion of this module.

    Args:
        product, values: sparsity of the matrix A (with a method for products), and the values of A.
        x, b: solution and right-hand side on this process, shape (n,).
        rtol: largest accepted ratio |b - A x| / |b| [1].
        processes: processes that share the matrix and make this call collectively; None for one process.
    """
    processes = processes or Processes()
    residual = np.abs(b - product.multiply(values, x))
    left, right = processes.sum(np.array([residual @ residual, b @ b]))
    if left <= rtol**2 * right:
        return True
    largest = processes.largest([float(np.abs(x).max(initial=0.0))])[0]
    size = product.multiply(values, np.full(len(x), largest), absolute=True) + np.abs(b)
    return processes.all(bool((residual <= (GROWTH if product.block == 1 else GROWTH_IN_BLOCKS) * size).all()))


class Errors(NamedTuple):
    """Errors of a solution x of A x = b.

    Attributes:
        left: 2-norm of b - A x.
        terms: 2-norm of the vector |A| |x|, whose element i is the sum over j of |A_ij| |x_j|.
        by_terms: largest value [1] of |b - A x|_i / (|A| |x| + |b|)_i over all rows i.
        by_largest: value [1] that is defined like ``by_terms``, but with the largest |x_j| instead of each |x_j|.
    """

    left: float
    terms: float
    by_terms: float
    by_largest: float

    @property
    def accurate(self) -> bool:
        """True if ``by_largest`` is so small that factors in dense blocks are accurate enough."""
        return self.by_largest <= GROWTH_IN_BLOCKS


def find_errors(pattern: Pattern, values: FloatArray, x: FloatArray, b: FloatArray) -> Errors:
    """Return the errors of a solution. The arguments are explained in `is_accurate`. The products A x and |A| |x| are
    computed at the same time.
    """
    largest = float(np.abs(x).max(initial=0.0))
    left, terms, *rows = sum_errors(pattern.indptr, pattern.indices, pattern.block, values, x, b, largest)
    return Errors(sqrt(left), sqrt(terms), *rows)


@kernel(inline=True)
def add_terms(value: float, factor: float, sums: tuple[float, float, float]) -> tuple[float, float, float]:
    """Add the term ``value`` * ``factor`` to three sums over a row: the terms, their absolute values, and the absolute
    values of the matrix entries. Return these sums.
    """
    term = value * factor
    return sums[0] + term, sums[1] + abs(term), sums[2] + abs(value)


@kernel(inline=True)
def add_row(
    sums: tuple[float, float, float], b: float, largest: float, found: tuple[float, float, float, float]
) -> tuple[float, float, float, float]:
    """Add the errors of a row to the values that `sum_errors` returns. ``sums`` are the sums of `add_terms`. The
    initial value of the first sum is -b, where b is the right-hand side of the row.
    """
    error, own = abs(sums[0]), abs(b)
    terms, size = sums[1] + own, sums[2] * largest + own
    by_terms, by_largest = found[2], found[3]
    # a NaN counts as the larger value in these comparisons
    if not error <= by_terms * terms:
        by_terms = error / terms if terms > 0.0 else np.inf
    if not error <= by_largest * size:
        by_largest = error / size if size > 0.0 else np.inf
    return found[0] + error**2, found[1] + sums[1] ** 2, by_terms, by_largest


@kernel
def sum_errors(
    indptr: IntArray, indices: IntArray, block: int, values: FloatArray, x: FloatArray, b: FloatArray, largest: float
) -> tuple[float, float, float, float]:
    """Return the squares of the attributes ``left`` and ``terms`` of `Errors`, and the attributes ``by_terms`` and
    ``by_largest``. The matrix is stored by rows (``block`` = 1) or in dense blocks of four rows (``block`` = 4).
    """
    found = (0.0, 0.0, 0.0, 0.0)
    for i in range(len(indptr) - 1):
        if block == 1:
            sums = (-b[i], 0.0, 0.0)
            for k in range(indptr[i], indptr[i + 1]):
                sums = add_terms(values[k], x[indices[k]], sums)
            found = add_row(sums, b[i], largest, found)
        else:
            # the four rows are separate variables, so that the compiler can use vector instructions
            sums0, sums1 = (-b[4 * i], 0.0, 0.0), (-b[4 * i + 1], 0.0, 0.0)
            sums2, sums3 = (-b[4 * i + 2], 0.0, 0.0), (-b[4 * i + 3], 0.0, 0.0)
            for k in range(indptr[i], indptr[i + 1]):
                for j in range(4):
                    factor, at = x[4 * indices[k] + j], 16 * k + 4 * j
                    sums0 = add_terms(values[at], factor, sums0)
                    sums1 = add_terms(values[at + 1], factor, sums1)
                    sums2 = add_terms(values[at + 2], factor, sums2)
                    sums3 = add_terms(values[at + 3], factor, sums3)
            found = add_row(sums0, b[4 * i], largest, found)
            found = add_row(sums1, b[4 * i + 1], largest, found)
            found = add_row(sums2, b[4 * i + 2], largest, found)
            found = add_row(sums3, b[4 * i + 3], largest, found)
    return found


@kernel
def is_clearly_accurate(
    indptr: IntArray, indices: IntArray, block: int, values: FloatArray, x: FloatArray, b: FloatArray
) -> bool:
    """Return True only if `is_accurate` would certainly return True with the limit `LINEAR_RTOL`."""
    size = 0.0
    for i in range(len(b)):
        size += b[i] * b[i]
    return bool(sum_errors(indptr, indices, block, values, x, b, 0.0)[0] <= (CLEARLY * LINEAR_RTOL) ** 2 * size)
