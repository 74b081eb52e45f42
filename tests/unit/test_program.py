"""Tests of programs, which are fixed sequences of kernel calls and Python functions. Arguments are stored in the
representation of the compiler.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.addresses import prepare_call
from windlass.framework.kernels.call import Call, call, is_compiled
from windlass.framework.kernels.kernel import kernel
from windlass.framework.kernels.program import If, Program
from windlass.framework.model.law import Fields
from windlass.framework.model.system import Evaluation, evaluate


class Inner(NamedTuple):
    on: NDArray[np.bool_]
    first: bool
    second: bool


class Arguments(NamedTuple):
    scale: float
    flag: bool
    inner: Inner
    width: int
    to: IntArray


@kernel
def add(c: Arguments, x: FloatArray, f: FloatArray) -> None:
    """Add scale x to f[to] if ``on`` is true. Add further terms for the flags."""
    for i in range(len(c.to)):
        if c.inner.on[i]:
            f[c.to[i]] += c.scale * x[i, c.width] + (100.0 if c.flag else 0.0)
            f[c.to[i]] += (10.0 if c.inner.first else 0.0) + (1.0 if c.inner.second else 0.0)


@kernel
def double(f: FloatArray) -> None:
    for i in range(len(f)):
        f[i] *= 2.0


def create_arguments(flag: bool, first: bool, second: bool) -> Arguments:
    return Arguments(0.5, flag, Inner(np.array([True, False, True]), first, second), 1, np.array([2, 1, 0]))


def into(f: FloatArray) -> Evaluation:
    """Return an evaluation that has only an array for forces."""
    none = np.zeros(0)
    return evaluate(Fields(none, none, none, none, none, none), f=f)


@pytest.mark.parametrize("flag", [True, False])
@pytest.mark.parametrize(("first", "second"), [(True, False), (False, True), (True, True)])
def test_arguments_reach_the_kernel(flag: bool, first: bool, second: bool) -> None:
    """Kernels get numbers, adjacent truth values, nested tuples and arrays. Arrays are not copied, even if they are
    strided.
    """
    c, f, expected = create_arguments(flag, first, second), np.zeros(3), np.zeros(3)
    x = np.arange(12.0).reshape(6, 2)[::2]
    add_all = call(add, lambda s: (c, x, s.f))
    program = Program([(add_all, (into(f),))])
    for _ in range(2):
        x += 1.0
        program()
        add_all(into(expected))
    np.testing.assert_array_equal(f, expected)
    assert f[2] != 0.0
    assert f[1] == 0.0


def test_steps_are_taken_in_their_order() -> None:
    """Steps are executed in order, even if Python functions are called between kernels."""
    f, seen = np.ones(2), []
    s, twice = into(f), call(double, lambda s: (s.f,))
    steps = [(twice, (s,)), (twice + twice, (s,)), (lambda s: seen.append(s.f.copy()), (s,)), (twice, (s,))]
    Program(steps)()
    np.testing.assert_array_equal(seen, [[8.0, 8.0]])
    np.testing.assert_array_equal(f, [16.0, 16.0])
    Program([])()
    Program([(Call(), (s,))])()


@kernel
def refuse(f: FloatArray) -> None:
    """Raise an error if f[0] is negative."""
    if f[0] < 0.0:
        raise ValueError("negative")


@pytest.mark.parametrize("is_python", [False, True])
def test_conditional_steps(is_python: bool) -> None:
    """Steps of `If` are executed only for one value of the flag. Their errors are raised by the program. Programs that
    contain only kernels remain plain.
    """
    f, flag, seen = np.ones(2), np.zeros(1, np.int64), list[float]()
    s, twice, checked = into(f), call(double, lambda s: (s.f,)), call(refuse, lambda s: (s.f,))
    inner = [(twice, (s,)), (checked, (s,))]
    if is_python:
        inner.append((lambda s: seen.append(float(s.f[0])), (s,)))
    program = Program([(twice, (s,)), (If(inner, flag, 2), ()), (twice, (s,))])
    assert program.is_plain == (is_compiled(double) and not is_python)
    for value, factor in ((0, 4.0), (2, 8.0), (1, 4.0)):
        before, flag[0] = f.copy(), value
        program()
        np.testing.assert_array_equal(f, factor * before)
    assert seen == ([16.0] if is_python else [])
    f[0], flag[0] = -1.0, 2
    with pytest.raises(ValueError, match="negative"):
        program()


@pytest.mark.skipif(not is_compiled(double), reason="plain Python takes any argument")
def test_other_arguments_are_refused() -> None:
    """Only arrays, numbers and tuples are accepted as arguments, because their memory addresses do not change."""
    with pytest.raises(TypeError, match="must be an array or a number"):
        prepare_call(double, ([1.0],))


@pytest.mark.skipif(not is_compiled(double), reason="plain Python takes any number")
def test_numbers_of_numpy_and_results() -> None:
    """Numbers of all types of NumPy are passed to kernels. A kernel that returns a value causes an error."""
    narrow = Arguments(np.float64(0.5), np.True_, Inner(np.ones(3, bool), np.False_, True), np.int32(1), np.arange(3))
    f, expected, x = np.zeros(3), np.zeros(3), np.ones((3, 2))
    add_all = call(add, lambda s: (narrow, x, s.f))
    Program([(add_all, (into(f),))])()
    add_all(into(expected))
    np.testing.assert_array_equal(f, expected)

    @kernel
    def total(f: FloatArray) -> float:
        return f[0] + f[1]

    with pytest.raises(TypeError, match="must be a kernel that returns nothing"):
        prepare_call(total, (f,))
