"""Tests of kernels that a single process defines: kernels that are cached, kernels that are not cached, and notes."""

import copy
import importlib
import math
import os
import pickle
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest
from numba import literal_unroll
from numpy.typing import NDArray

from windlass.framework.kernels import dispatching
from windlass.framework.kernels.cache import FORMAT
from windlass.framework.kernels.call import call
from windlass.framework.kernels.compiling import form_of
from windlass.framework.kernels.kernel import kernel
from windlass.framework.kernels.machine_code import BY_ADDRESS, FOR_PYTHON
from windlass.framework.kernels.process import cache_folder, compiled, loaded, process
from windlass.framework.model.law import Fields
from windlass.framework.model.system import evaluate

VERSION = f"kernels-{FORMAT}-{sys.implementation.cache_tag}-numba-{numba.__version__}"


class Pair(NamedTuple):
    a: float
    b: int


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Use a cache folder for kernels that a test compiles in this process, independent of environment variables."""
    for name in ("WINDLASS_JIT", "WINDLASS_BOUNDSCHECK"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("WINDLASS_CACHE", str(tmp_path / "own cache"))
    return tmp_path / "own cache"


@pytest.fixture
def messages(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[[], str]:
    """Return the messages since the start of the test, including messages that an earlier test has shown."""
    monkeypatch.setattr(process, "said", set())
    return lambda: capsys.readouterr().err


@kernel
def is_nan(x: float) -> bool:
    return x != x


@kernel
def add_up(x: NDArray[np.float64]) -> float:
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i]
    return total


@kernel
def divide(a: float, b: float) -> float:
    return a / b


@kernel
def weigh(pair: Any) -> float:
    return pair.a * pair.b  # type: ignore[no-any-return]


def make_shift(by: float) -> Callable[[float], float]:
    @kernel
    def shift(x: float) -> float:
        return x + by

    return shift


def make_pair(value: float) -> Any:
    class Local(NamedTuple):
        a: float
        b: int

    return Local(value, 2)


def test_bounds_checks_have_their_own_machine_code(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def get(x: NDArray[np.float64], i: int) -> float:
        return x[i]  # type: ignore[no-any-return]

    assert kernel(get)(np.ones(3), 1) == 1.0
    monkeypatch.setenv("WINDLASS_BOUNDSCHECK", "1")
    with pytest.raises(IndexError):
        kernel(get)(np.ones(3), 7)
    assert len(list(own_cache.glob("*/*get-*"))) == 2


@kernel
def root_of(x: float) -> float:
    if x < 0.0:
        raise ValueError("root of a negative number")
    return math.sqrt(x)


@kernel
def fourth_root(x: float) -> float:
    return root_of(root_of(x))


def test_inner_kernels_have_machine_code_once_python_calls_them(own_cache: Path) -> None:
    def find() -> set[bool]:
        return {path.name.endswith("-inner") for path in own_cache.glob("*/root_of-*")}

    assert fourth_root(81.0) == 3.0
    assert find() == {True}
    assert root_of(81.0) == 9.0
    assert find() == {True, False}
    for function in (root_of, fourth_root):
        with pytest.raises(ValueError, match="root of a negative number"):
            function(-1.0)


@kernel
def double_all(x: NDArray[np.float64]) -> None:
    for i in range(len(x)):
        if x[i] < 0.0:
            raise ValueError("a negative number")
        x[i] *= 2.0


def test_kernels_called_by_address_get_an_entry_for_python_when_python_calls_them(own_cache: Path) -> None:
    def forms() -> list[str]:
        return [form_of(version) for version in double_all.overloads.values()]  # type: ignore[attr-defined]

    x, none = np.ones(3), np.zeros(0)
    double = call(double_all, lambda s: (s.f,))
    for times in (2.0, 4.0):
        double(evaluate(Fields(none, none, none, none, none, none), f=x))
        np.testing.assert_array_equal(x, times)
    assert forms() == [BY_ADDRESS] and len(list(own_cache.glob("*/double_all-*"))) == 1
    double_all(x)
    np.testing.assert_array_equal(x, 8.0)
    assert forms() == [FOR_PYTHON] and len(list(own_cache.glob("*/double_all-*"))) == 2
    with pytest.raises(ValueError, match="a negative number"):
        double(evaluate(Fields(none, none, none, none, none, none), f=-x))


@kernel
def times(x: float, factor: int, negative: bool) -> float:
    return -factor * x if negative else factor * x


@kernel
def sum_of_products(x: float) -> float:
    return times(x, 1, False) + times(x, 2, True) + times(x, factor=3, negative=False)


def test_constants_do_not_make_versions_of_their_own() -> None:
    assert sum_of_products(2.0) == 4.0
    assert len(times.overloads) == 1  # type: ignore[attr-defined]


class Arrays(NamedTuple):
    x: NDArray[np.float64]
    y: NDArray[np.float64]


@kernel
def fill_from(given: Arrays, out: NDArray[np.float64]) -> None:
    own = np.empty((2, 3))
    for k in range(2):
        values = given.x if k == 0 else given.y
        for i in range(3):
            own[k, i] = values[0, i] + values[1, i]
    first, second, pair = given.x[0], own[1], (own[0], given.y[1])
    own = np.zeros((2, 3))
    for i in range(3):
        row = first if out[i] > 0.0 else second
        out[i] = row[i] + pair[0][i] + pair[1][i] + own[0, i]


@pytest.fixture
def statistics() -> Iterator[Callable[[], Any]]:
    """Return the numbers of allocations and releases of memory by kernels."""
    counter = importlib.import_module("numba.core.runtime._nrt_python")
    counter.memsys_enable_stats()
    yield numba.core.runtime.rtsys.get_allocation_stats
    counter.memsys_disable_stats()


def test_arrays_of_callers_are_not_counted_and_own_ones_are_freed(statistics: Callable[[], Any]) -> None:
    """If a kernel creates an array, views of the array stay valid after its name is deleted.

    References to arrays of the caller and to views of these arrays are not counted.
    """
    x, y = np.arange(6.0).reshape(2, 3), np.arange(6.0, 12.0).reshape(2, 3)
    given = Arrays(x, y)
    expected = np.where([True, False, True], x[0], y[0] + y[1]) + x[0] + x[1] + y[1]
    out = np.array([1.0, -1.0, 1.0])
    fill_from(given, out)
    np.testing.assert_array_equal(out, expected)
    before, counts = statistics(), [sys.getrefcount(array) for array in given]
    for _ in range(1000):
        out[:] = 1.0, -1.0, 1.0
        fill_from(given, out)
    np.testing.assert_array_equal(out, expected)
    after = statistics()
    assert after.alloc - before.alloc == after.free - before.free >= 1000
    assert [sys.getrefcount(array) for array in given] == counts


ITEM = np.dtype([("length", np.float64), ("place", np.float64, (2, 3)), ("count", np.int64)])


@kernel
def create_arrays(given: NDArray[Any], n: int, m: int) -> Any:
    """Return arrays of all forms that kernels create: shapes by a number, by a tuple and by the shape of an array; with
    types by position and by name.
    """
    some = np.empty((n, 2), dtype=np.int64)
    some[:] = 7
    return (
        np.zeros(n), np.zeros((2, n)), np.zeros(given.shape), np.zeros((n, 3, m), np.int64),
        np.zeros(2, dtype=np.bool_), np.zeros(n, given.dtype), np.zeros(3, float), some,
    )  # fmt: skip


def test_new_arrays_of_kernels_are_those_of_numpy(statistics: Callable[[], Any]) -> None:
    """Arrays that a kernel creates have the shape, type and values of arrays that Python creates. The memory of the
    arrays is released.
    """
    given = np.zeros((4, 2), ITEM)
    for n, m in ((1, 2), (5, 1), (0, 3)):
        before = statistics()
        found, expected = create_arrays(given, n, m), create_arrays.py_func(given, n, m)
        for one, other in zip(found, expected, strict=True):
            assert (one.shape, one.dtype, one.flags.c_contiguous) == (other.shape, other.dtype, True)
            assert np.array_equal(one, other)
        held = statistics()
        assert held.mi_alloc - before.mi_alloc - (held.mi_free - before.mi_free) == len(found)
        del found, one
        after = statistics()
        assert after.free - before.free == after.alloc - before.alloc
        assert after.mi_free - before.mi_free == after.mi_alloc - before.mi_alloc
    with pytest.raises((ValueError, MemoryError)):
        create_arrays(given, 2**61, 2**61)


@numba.njit
def sum_rows(n: int) -> float:
    """Return 3 n. The function is compiled by numba alone."""
    columns = np.zeros((n, 2), dtype=np.float64)
    columns[:, 1] = 3.0
    return float(np.concatenate((columns[:, 0], columns[:, 1])).sum())


@kernel
def call_function_of_numba(n: int) -> float:
    """Return 4 n + 2, with a function of numba, functions of numpy, and an array whose shape is a list of arguments."""
    shape = (2, n)
    grown = np.zeros(*(shape,))
    grown[0] = 1.0
    total: float = sum_rows(n) + np.full(2, 1.0).sum() + np.dot(grown, np.ones(n))[0]
    return total


def test_functions_of_numba_in_kernels_create_arrays() -> None:
    """Kernels can call functions that only numba compiles, and that create arrays."""
    assert call_function_of_numba(5) == 22.0


@kernel
def order_by_columns(n: int) -> Any:
    """Try to create an array in an order that kernels do not support."""
    return np.zeros((n, 2), np.float64, order="F")


@kernel
def name_type_twice(n: int) -> Any:
    """Try to create an array with two types."""
    return np.zeros(n, np.float64, dtype=np.int64)


@pytest.mark.parametrize("function", [order_by_columns, name_type_twice])
def test_arguments_of_new_arrays_that_kernels_do_not_know(function: Any) -> None:
    """Arguments of new arrays that the compiler does not support raise an error."""
    with pytest.raises(numba.TypingError, match="zeros"):
        function(3)


def test_a_folder_that_can_only_be_read_is_used(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch, messages: Callable[[], str]
) -> None:
    assert make_shift(3.0)(1.0) == 4.0
    files, known = list(own_cache.glob("*/*")), loaded()
    monkeypatch.setattr(process, "ready", {})
    monkeypatch.setattr(os, "access", lambda *_: False)
    messages()
    monkeypatch.setattr(process, "said", set())
    assert make_shift(3.0)(1.0) == 4.0
    assert loaded() == known + 1 and messages() == ""
    assert make_shift(4.0)(1.0) == 5.0 and make_shift(5.0)(1.0) == 6.0
    assert messages().count("can be read only") == 1
    assert list(own_cache.glob("*/*")) == files


def test_a_full_disk_is_told_once(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch, messages: Callable[[], str]
) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    assert make_shift(6.0)(1.0) == 7.0
    before = list(own_cache.glob("*/*"))
    monkeypatch.setattr(os, "replace", fail)
    messages()
    assert make_shift(7.0)(1.0) == 8.0 and make_shift(8.0)(1.0) == 9.0
    assert messages().count("No space left on device") == 1
    assert list(own_cache.glob("*/*")) == before


def test_default_folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("WINDLASS_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder()[0] == tmp_path / "xdg" / "windlass" / VERSION
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert cache_folder()[0] == tmp_path / "home" / ".cache" / "windlass" / VERSION


def test_only_functions_are_accepted() -> None:
    with pytest.raises(TypeError, match="must be a plain Python function"):
        kernel(math.sqrt)


@kernel
def add_tuple(x: float) -> float:
    total = 0.0
    for value in literal_unroll((1, 2.5, x)):
        total += value
    return total


def test_kernels_may_unroll_tuples_of_several_types() -> None:
    """Compiler passes that most kernels do not need are executed for kernels whose names require these passes."""
    assert add_tuple(4.0) == 7.5


def test_nan_and_infinity_are_seen_by_fast_kernels() -> None:
    x = np.ones(9)
    x[5] = math.nan
    assert is_nan(add_up(x)) and not is_nan(1.0)
    assert divide(1.0, 0.0) == math.inf and is_nan(divide(0.0, 0.0))


def test_kernels_of_one_factory_do_not_mix_and_equal_ones_share_machine_code() -> None:
    count = len(compiled())
    shifts = [make_shift(by) for by in (1.0, 2.0, 1.0)]
    assert [shift(1.0) for shift in shifts] == [2.0, 3.0, 2.0]
    assert [name for name, _ in compiled()[count:]] == ["make_shift.<locals>.shift"] * 2
    assert all(seconds > 0 for _, seconds in compiled()[count:])
    del shifts[0]  # the shared machine code exists longer than the kernel for which it was compiled
    assert shifts[1](5.0) == 6.0


def test_copies_of_a_kernel_are_the_kernel() -> None:
    """Copies are the kernel itself, before and after its first call. Pickled data contain its name."""
    shift = make_shift(4.0)
    for _ in range(2):
        assert copy.copy(is_nan) is is_nan and copy.deepcopy([is_nan])[0] is is_nan
        assert pickle.loads(pickle.dumps(is_nan)) is is_nan
        assert copy.deepcopy(shift) is shift and shift(1.0) == 5.0
        assert not is_nan(1.0)
    assert repr(is_nan) == f"<kernel {__name__}.is_nan>"


def test_threads_share_the_dispatcher_of_a_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """If several threads need the compiler's object of a kernel at the same time, the object is created once."""
    original = dispatching._known_signature

    @contextmanager
    def wait(function: Any) -> Iterator[None]:
        with original(function):
            time.sleep(0.05)  # other threads run
            yield

    monkeypatch.setattr(dispatching, "_known_signature", wait)
    shift: Any = make_shift(8.0)
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda _: shift.dispatcher, range(4)))
    assert all(one is shift.dispatcher for one in found)


def test_argument_types_are_told_apart() -> None:
    assert weigh(Pair(1.5, 2)) == 3.0
    assert weigh(Pair(1, 2)) == 2
    assert weigh(make_pair(2.5)) == 5.0  # other processes cannot import a local class, but its kernel runs
    assert weigh(make_pair(3.5)) == 7.0
    rows = np.zeros(1, dtype=[("a", float), ("b", int)])
    other = np.zeros(1, dtype=[("b", int), ("a", float)])
    rows["a"], rows["b"], other["a"], other["b"] = 3.0, 4, 3.0, 4
    assert weigh(rows[0]) == weigh(other[0]) == 12.0


def test_constants_that_change_while_in_use_are_not_kept(own_cache: Path, messages: Callable[[], str]) -> None:
    by = 1.0

    @kernel
    def shift(x: float) -> float:
        return x + by

    assert shift(1.0) == 2.0
    by = 2.0
    assert shift(1) == 3.0  # the argument type is different, so the kernel is compiled with the new value
    assert "constants of test_constants_that_change" in messages()
    assert len(list(own_cache.glob("*/*shift-*"))) == 1


def test_compilers_with_other_parts_still_compile(monkeypatch: pytest.MonkeyPatch, messages: Callable[[], str]) -> None:
    def fail(*_: object) -> None:
        raise AttributeError("no such part")

    monkeypatch.setattr(dispatching, "read_entry", fail)
    monkeypatch.setattr(dispatching, "write_entry", fail)
    assert make_shift(77.0)(1.0) == 78.0
    text = messages()
    assert "cannot be used (AttributeError('no such part')): compiling again" in text
    assert "and more cannot be kept (AttributeError('no such part'))" in text


def test_compilers_without_a_place_for_the_cache_are_used_as_they_are(
    monkeypatch: pytest.MonkeyPatch, messages: Callable[[], str]
) -> None:
    dispatcher: Any = SimpleNamespace()
    extending = SimpleNamespace(is_jitted=lambda function: True)
    monkeypatch.setattr(
        dispatching, "_numba", SimpleNamespace(njit=lambda **_: lambda _: dispatcher, extending=extending)
    )
    for function in (make_pair, make_shift):
        created: Any = kernel(function)
        assert created.dispatcher is dispatcher
    assert messages().count("kernels are compiled in every run") == 1
