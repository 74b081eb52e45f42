"""Kernels that are compiled for dual numbers compute values and derivatives of operators and functions."""

from __future__ import annotations

import cmath
import math
import os
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.testing import assert_allclose

from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.dual_arrays import DualCopy, NotDualError, call_dual, read_numbers
from windlass.framework.kernels.kernel import kernel
from windlass.framework.kernels.value_types import find_dual_dtype
from windlass.framework.model.rows import create_records

pytestmark = pytest.mark.skipif(os.environ.get("WINDLASS_JIT") == "0", reason="dual numbers require compiled kernels")

EXACT = 4e-15
"""Largest relative error [1] of values and derivatives, a few rounding errors."""


class Force(NamedTuple):
    """Result of an inner kernel: a force, its direction, and whether the force acts."""

    size: float
    direction: tuple[float, float]
    acts: bool


NONE = Force(0.0, (1.0, 0.0), False)


@kernel
def smooth(x: FloatArray, y: FloatArray) -> None:
    """Fill y with functions whose derivatives can be computed by complex steps."""
    a, b = x[0], x[1]
    y[0] = np.sin(a) * np.cos(b) - a / b
    y[1] = np.exp(a * b) + np.tanh(a) - np.tan(b)
    y[2] = np.sqrt(a * a + 2.0) ** 3 + b**-2 + a**0 + 2.0 ** (a + b) + (b + 2) ** 1.5
    y[3] = np.log(b + 3.0) + np.arctan(a) + np.sinh(a) * np.cosh(b) + np.arcsin(0.1 * a) - np.arccos(0.1 * b)
    y[4] = (a - 1) * (2 - b) + 3 * a - (-b) / 4 + a**3 - b * b
    y[5] = np.log1p(a * a) + np.expm1(b) + np.log10(b + 5.0) + np.square(a)


@kernel
def smooth_by_math(x: FloatArray, y: FloatArray) -> None:
    """Fill y with the results of `smooth`, computed by functions of the module math."""
    a, b = x[0], x[1]
    y[0] = math.sin(a) * math.cos(b) - a / b
    y[1] = math.exp(a * b) + math.tanh(a) - math.tan(b)
    y[2] = math.sqrt(a * a + 2.0) ** 3 + b**-2 + a**0 + 2.0 ** (a + b) + (b + 2) ** 1.5
    y[3] = math.log(b + 3.0) + math.atan(a) + math.sinh(a) * math.cosh(b) + math.asin(0.1 * a) - math.acos(0.1 * b)
    y[4] = (a - 1) * (2 - b) + 3 * a - (-b) / 4 + a**3 - b * b
    y[5] = math.log1p(a * a) + math.expm1(b) + math.log10(b + 5.0) + a * a


@kernel
def angles(x: FloatArray, y: FloatArray) -> None:
    """Fill y with the angle and the length of a vector, absolute values and complex products."""
    y[0] = np.arctan2(x[1], x[0])
    y[1] = math.hypot(x[0], x[1])
    y[2] = abs(x[0]) - np.abs(x[1])
    y[3] = math.copysign(x[0], x[1])
    z = complex(x[0], x[1])
    w = np.zeros(1, np.complex128)
    w[0] = z * z.conjugate() + 1j * z**2 / (z + 3.0)
    y[4] = w[0].imag
    y[5] = abs(z) + np.sqrt(z + 5.0).real


@kernel(inline=True)
def find_none() -> Force:
    """Return the force of an open contact, which does not act."""
    return NONE


@kernel
def press(row: Any, gap: float) -> Force:
    """Return the force of a contact with the row's stiffness."""
    if gap >= 0.0:
        return find_none()
    return Force(row.stiffness * -gap, (0.6, 0.8), True)


@kernel
def contact(rows: Any, x: FloatArray, f: FloatArray, count: Any) -> None:
    """Add the forces of contacts to f, and the number of closed contacts to count."""
    lanes = np.empty(2)
    for i in range(len(rows)):
        lanes[0], lanes[1] = x[i], rows[i].offset[1]
        p = press(rows[i], lanes[0] - lanes[1]) if x[i] < 100.0 else NONE
        for k in range(2):
            f[2 * i + k] += p.size * p.direction[k]
        if p.acts and int(x[i]) == -2:
            count[0] += 1
        f[2 * i] += max(x[i], rows[i].offset[0], 0.0) + min(x[i], 1.0) + (x[i] % 0.75)


@kernel
def measure(x: FloatArray, y: FloatArray) -> None:
    """Set y[0] to the length of x by a function of LAPACK, which has no version for dual numbers."""
    y[0] = np.linalg.norm(x)


def evaluate(function: Any, x: FloatArray, direction: FloatArray, size: int) -> tuple[FloatArray, FloatArray]:
    """Return the values and the derivatives of a kernel (x, y) in a direction."""
    y = np.zeros(size)
    first, second = DualCopy(x), DualCopy(y)
    first.write(x, direction)
    call_dual(function, (x, y), {id(x): first.find_view, id(y): second.find_view}, iter(()))
    return second.read()


@pytest.mark.parametrize("direction", [(1.0, 0.0), (0.0, 1.0), (0.6, -0.8)])
@pytest.mark.parametrize("point", [(0.7, 1.3), (-0.4, 2.1), (0.0, 0.9)])
def test_derivatives_of_smooth_functions_are_exact(point: Any, direction: Any) -> None:
    """The derivatives agree with complex-step derivatives of the Python source, also for functions of the module
    math.
    """
    x, d, h = np.array(point), np.array(direction), 1e-40
    values, slopes = evaluate(smooth, x, d, 6)
    y = np.zeros(6, complex)
    smooth.py_func(x + 1j * h * d, y)  # type: ignore[attr-defined]
    assert_allclose(values, y.real, rtol=EXACT, atol=EXACT)
    assert_allclose(slopes, y.imag / h, rtol=EXACT, atol=EXACT)
    assert_allclose(evaluate(smooth_by_math, x, d, 6), (values, slopes), rtol=EXACT, atol=EXACT)


@pytest.mark.parametrize("direction", [(1.0, 0.0), (0.0, 1.0)])
@pytest.mark.parametrize("point", [(1.5, 0.5), (-1.5, 0.5), (-1.5, -0.5), (1.5, -0.5), (-2.0, 1e-300)])
def test_derivatives_of_angles_and_complex_numbers_are_exact(point: Any, direction: Any) -> None:
    """In each quadrant, the derivatives of the angle, of absolute values and of products of complex numbers agree with
    closed forms.
    """
    (a, b), (da, db) = point, direction
    values, slopes = evaluate(angles, np.array(point), np.array(direction), 6)
    z, dz, size = complex(a, b), complex(da, db), math.hypot(a, b)
    w = abs(z) ** 2 + 1j * z**2 / (z + 3.0)
    dw = 2.0 * (a * da + b * db) + 1j * (2.0 * z / (z + 3.0) - z**2 / (z + 3.0) ** 2) * dz
    root = cmath.sqrt(z + 5.0)
    expected = [math.atan2(b, a), size, abs(a) - abs(b), math.copysign(a, b), w.imag, size + root.real]
    same = math.copysign(1.0, a) * math.copysign(1.0, b)
    derivative = [
        (a * db - b * da) / size**2, (a * da + b * db) / size,
        da * math.copysign(1.0, a) - db * math.copysign(1.0, b), same * da, dw.imag,
        (a * da + b * db) / size + (0.5 * dz / root).real,
    ]  # fmt: skip
    assert_allclose(values, expected, rtol=EXACT, atol=EXACT)
    assert_allclose(slopes, derivative, rtol=EXACT, atol=EXACT)


def test_comparisons_use_values() -> None:
    """At a kink, the derivative is the derivative of the branch that the value selects. Kernels can use records,
    integers, constant tuples and new arrays.
    """
    rows = create_records(stiffness=np.array([2.0, 3.0, 5.0]), offset=np.array([[0.0, 1.0], [9.0, 1.0], [0.0, 1.0]]))
    x, f, count = np.array([1.0, -2.5, 0.5]), np.zeros(6), np.zeros(1, np.int64)
    copies = {id(array): DualCopy(array) for array in (rows, x, f)}
    numbers = read_numbers(rows)
    stiffness = slice(0, 3) if rows.dtype.names[0] == "stiffness" else slice(6, 9)  # type: ignore[index]
    slopes = np.zeros(9)
    slopes[stiffness] = 1.0
    copies[id(rows)].write(numbers, slopes)
    copies[id(x)].write(x, np.full(3, 0.5))
    views = {key: copy.find_view for key, copy in copies.items()}
    call_dual(contact, (rows, x, f, count), views, iter(()))
    values, found = copies[id(f)].read()
    plain = np.zeros(6)
    contact(rows, x, plain, np.zeros(1, np.int64))
    assert_allclose(values, plain, rtol=EXACT)
    # d(k p)/ds = p + k dp/ds with the penetration p = 1 - x and dx/ds = 0.5
    force = [0.0, 3.5 - 3.0 * 0.5, 0.5 - 5.0 * 0.5]
    # derivatives of max, min and the remainder. For equal arguments, min returns the first argument. The offset 9 is
    # constant.
    others = [0.5 + 0.5 + 0.5, 0.0 + 0.5 + 0.5, 0.5 + 0.5 + 0.5]
    expected = [[0.6 * each + other, 0.8 * each] for each, other in zip(force, others, strict=True)]
    assert_allclose(found, np.ravel(expected), rtol=EXACT, atol=EXACT)
    assert count.tolist() == [1]


def test_views_share_dual_numbers() -> None:
    """Views of arrays and of fields of records become views of the dual numbers of their owner."""
    owner = np.arange(12.0).reshape(3, 4)
    copy = DualCopy(owner)
    copy.write(read_numbers(owner), 10.0 * np.arange(12.0))
    view = owner[::-1, 1:3]
    found = copy.find_view(view)
    assert found["v"].tolist() == view.tolist()
    assert found["e"].tolist() == (10.0 * view).tolist()
    rows = create_records(stiffness=np.array([2.0, 3.0]), place=np.array([4, 5]), offset=np.arange(4.0).reshape(2, 2))
    copy = DualCopy(rows)
    copy.write(read_numbers(rows), read_numbers(rows))
    for name in ("stiffness", "place", "offset"):
        field = copy.find_view(rows[name])
        assert (field["v"] if name != "place" else field).tolist() == rows[name].tolist()
    assert copy.find_view(rows["offset"][:, 1])["e"].tolist() == [1.0, 3.0]
    assert copy.find_view(rows[1:]).dtype == find_dual_dtype(rows.dtype)
    numbers = np.arange(3) + 1j
    with pytest.raises(NotDualError, match="a view of float64 in an array of complex128"):
        DualCopy(numbers).find_view(numbers.real)


def test_kernels_that_numba_cannot_compile_are_named() -> None:
    """The error names the kernel."""
    with pytest.raises(NotDualError, match=r"test_dual_kernels\.measure: TypingError"):
        evaluate(measure, np.array([2.0, 1.0]), np.ones(2), 2)


def test_a_real_argument_can_have_a_derivative() -> None:
    """A number among the arguments becomes a dual number if its derivative is not 0."""
    y = np.zeros(2)
    copy = DualCopy(y)
    copy.write(y, y)
    call_dual(scale, (3.0, (2.0, y)), {id(y): copy.find_view}, iter((0.5, 0.0)))
    values, slopes = copy.read()
    assert values.tolist() == [6.0, 9.0] and slopes.tolist() == [1.0, 3.0]


@kernel
def scale(factor: float, rest: Any) -> None:
    """Fill an array with the product and the square of numbers."""
    rest[1][0] = factor * rest[0]
    rest[1][1] = factor**2
