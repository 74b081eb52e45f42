"""Tests of the short machine code of kernels: items of arrays, parts of aggregates, and variables that need no
memory.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from llvmlite import binding, ir

from windlass.framework.kernels import lowering
from windlass.framework.kernels.compiled_entries import find_version
from windlass.framework.kernels.items import KernelBuilder
from windlass.framework.kernels.kernel import kernel

_numba: Any = numba
RECORD = np.dtype([("mass", "f8"), ("rows", "i4", (3,)), ("turn", "f8", (2, 3))], align=True)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WINDLASS_JIT", raising=False)
    monkeypatch.delenv("WINDLASS_BOUNDSCHECK", raising=False)
    monkeypatch.setenv("WINDLASS_CACHE", str(tmp_path / "cache"))


def _read_items(a: Any, b: Any, i: int, j: int, out: Any) -> None:
    out[0], out[1], out[-1] = a[i], a[-2], a[1]
    out[2] = b[i, j] + 10.0 * b[-1, j] + 100.0 * b[0, -2]
    out[3] = a.shape[0] + 10 * b.shape[1]


@pytest.mark.parametrize("order", ["C", "F", "A"])
@pytest.mark.parametrize(("i", "j"), [(0, 1), (2, -1), (-3, -4)])
@pytest.mark.parametrize("kind", [np.int64, np.int32])
def test_items_are_those_of_python(order: Any, i: int, j: int, kind: type) -> None:
    a, whole = np.arange(3.0, 9.0), np.arange(48.0).reshape(6, 8)
    b = whole[::2, ::2] if order == "A" else np.array(whole[:3, :4], order=order)
    a = a[::2] if order == "A" else a[:3].copy()
    found, expected = np.zeros(6), np.zeros(6)
    kernel(_read_items)(a, b, kind(i), kind(j), found)
    _read_items(a, b, i, j, expected)
    assert np.array_equal(found, expected) and expected[:3].all()


def test_unsigned_indices_and_booleans() -> None:
    @kernel
    def mark(x: Any, at: Any, marks: Any) -> None:
        for k in range(len(at)):
            marks[at[k]] = x[at[k]] > 1.0

    marks = np.zeros(3, bool)
    mark(np.array([0.0, 3.0, 2.0]), np.array([2, 0], np.uint64), marks)
    assert marks.tolist() == [False, False, True]


def test_fields_of_records() -> None:
    @kernel
    def copy_turned(rows: Any, out: Any) -> None:
        for k in range(len(rows)):
            row = rows[k]
            for i in range(3):
                out[k, i] = row.turn[1, i] + row.turn[-2, -1] + row.rows[-1] * row.mass + len(row.rows)
            row.turn[0, 1] = row.rows.shape[0]
            rows[k].rows[k] = 7

    rows = np.zeros(2, RECORD)
    rows["mass"], rows["rows"], rows["turn"] = [2.0, 3.0], [[1, 2, 3], [4, 5, 6]], np.arange(12.0).reshape(2, 2, 3)
    out, turn, numbers = np.zeros((2, 3)), rows["turn"].copy(), rows["rows"].copy()
    copy_turned(rows, out)
    expected = turn[:, 1] + turn[:, 0, 2][:, None] + (numbers[:, 2] * rows["mass"] + 3.0)[:, None]
    assert np.array_equal(out, expected)
    assert rows["turn"][:, 0, 1].tolist() == [3.0, 3.0] and rows["rows"].tolist() == [[7, 2, 3], [4, 7, 6]]


def test_variables_that_are_assigned_once_in_loops_and_branches() -> None:
    def sum_up(x: Any, pairs: Any) -> float:
        total, low, high = 0.0, pairs[0], pairs[1]
        for i in range(len(x)):
            square = x[i] * x[i]
            if square > 4.0:
                part = low[i]
            elif square > 1.0:
                part = high[i]
            else:
                continue
            bound = min(square, 50.0)
            for _ in range(2):
                total += part * bound
        last = x[-1]
        while last > 1.0:
            last = last / 2.0
            total += last
        return total

    x, pairs = np.arange(9.0), (np.linspace(0.0, 1.0, 9), np.linspace(2.0, 3.0, 9))
    assert kernel(sum_up)(x, pairs) == pytest.approx(sum_up(x, pairs), rel=1e-14)


def test_arrays_of_a_kernel_are_freed() -> None:
    @kernel
    def fill(n: int, out: Any) -> None:
        for k in range(n):
            work = np.full(1000, float(k))
            other = work[1:]
            out[0] += other[0]

    out, memory = np.zeros(1), _numba.core.runtime.rtsys
    fill(1, out)
    _numba.core.runtime._nrt_python.memsys_enable_stats()
    before = memory.get_allocation_stats()
    fill(5, out)
    after = memory.get_allocation_stats()
    assert out[0] == 10.0
    assert after.alloc - before.alloc == after.free - before.free > 0


def test_an_index_outside_an_array_is_an_error_with_the_check(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WINDLASS_BOUNDSCHECK", "1")

    @kernel
    def read(x: Any, i: int) -> float:
        found: float = x[i]
        return found

    with pytest.raises(IndexError):
        read(np.zeros(3), 3)


def _add_products(rows: Any, x: Any, out: Any) -> None:
    scale = x[0]
    for k in range(len(rows)):
        row = rows[k]
        for i in range(3):
            out[k, i] = scale * row.turn[1, i] + row.mass * x[i]


TYPES = _numba.typeof(np.zeros(2, RECORD)), _numba.float64[::1], _numba.float64[:, ::1]


def _compile_code(monkeypatch: pytest.MonkeyPatch) -> tuple[int, bytes]:
    """Return the number of instructions of a kernel before the optimisation, and the machine code of the kernel."""
    texts: list[str] = []

    class Library(lowering.KernelLibrary):  # type: ignore[misc]
        def add_ir_module(self, module: Any) -> None:
            texts.append(str(module))
            super().add_ir_module(module)

    monkeypatch.setattr("windlass.framework.kernels.process.process.ready", {})
    monkeypatch.setattr(lowering, "KernelLibrary", Library)
    version = find_version(kernel(_add_products), TYPES)
    _, _, (code, _) = version.library.serialize_using_object_code()
    parts = binding.ObjectFileRef.from_data(code).sections()
    text = next(text for text in texts if "_add_products" in text)
    return len(re.findall(r"^  \S", text, re.MULTILINE)), b"".join(bytes(one.data()) for one in parts if one.is_text())


def test_code_is_short_and_machine_code_is_that_of_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("windlass.framework.kernels.dispatching.cache_folder", lambda: (None, "for this test"))
    count, code = _compile_code(monkeypatch)
    monkeypatch.setattr(lowering, "is_item", lambda kind, place: False)
    monkeypatch.setattr(lowering, "find_constants", lambda *given: set())
    monkeypatch.setattr(lowering, "KernelBuilder", ir.IRBuilder)
    long, same = _compile_code(monkeypatch)
    assert code == same and len(code) > 100
    assert 20 < count < 0.65 * long


def _build() -> tuple[Callable[..., Any], Any, Any]:
    """Return a builder of instructions, a pair of numbers and two numbers."""
    number = ir.IntType(64)
    pair = ir.LiteralStructType([number, ir.ArrayType(number, 2)])
    function = ir.Function(ir.Module(), ir.FunctionType(ir.VoidType(), [pair, number]), "f")
    return KernelBuilder(function.append_basic_block()), *function.args  # type: ignore[return-value]


def test_inserted_and_constant_parts_are_not_extracted() -> None:
    builder: Any
    builder, pair, number = _build()
    pair_of = pair.type
    changed = builder.insert_value(builder.insert_value(pair, number, 0), number, (1, 0))
    before = len(builder.block.instructions)
    assert builder.extract_value(changed, 0) is number and builder.extract_value(changed, [1, 0]) is number
    constant = ir.Constant(pair_of, [5, [6, 7]])
    assert builder.extract_value(constant, (1, 1)).constant == 7
    assert len(builder.block.instructions) == before
    kept = builder.extract_value(changed, (1, 1))  # this part was not inserted
    assert kept.opname == "extractvalue" and kept.aggregate is pair and kept.indices == [1, 1]
    whole = builder.extract_value(changed, 1)  # only one part of the aggregate was inserted
    assert whole.aggregate is changed
    empty = builder.extract_value(ir.Constant(pair_of, ir.Undefined), 0)
    assert empty.opname == "extractvalue"
