"""Tests of the changes to numba that avoid repeated work: the changes have no effect on machine code, and end with the
compilation.
"""

from __future__ import annotations

import gc
import operator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from llvmlite import binding, ir

from windlass.framework.kernels import compiling, operators, repeated
from windlass.framework.kernels.compiled_entries import find_version
from windlass.framework.kernels.kernel import kernel

_numba: Any = numba
VECTORS = (_numba.types.float64[::1], _numba.types.float64[::1])


def _create_kernel() -> Any:
    @kernel
    def scale(a: float, b: float) -> float:
        return a * 1.5 + b if a > 0.0 else b

    @kernel
    def sum_up(x: Any, y: Any) -> None:
        total = 0.0
        for i in range(len(x)):
            if x[i] < 0.0:
                continue
            y[i] = scale(x[i], 2.0) - total
            total += y[i]
        y[:] = y + total

    return sum_up


def _read_code(version: Any) -> bytes:
    """Return the machine instructions of a compiled kernel."""
    _, _, (code, _) = version.library.serialize_using_object_code()
    parts = binding.ObjectFileRef.from_data(code).sections()
    return b"".join(bytes(part.data()) for part in parts if part.is_text())


def test_machine_code_is_that_of_numba(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def compile_here(folder: str) -> bytes:
        monkeypatch.setenv("WINDLASS_CACHE", str(tmp_path / folder))
        monkeypatch.setattr("windlass.framework.kernels.process.process.ready", {})
        return _read_code(find_version(_create_kernel(), VECTORS))

    code = compile_here("first")
    assert len(code) > 200
    monkeypatch.setattr(compiling, "create_context", lambda context: context)
    for name in ("without_repetition", "remembered_signatures"):
        monkeypatch.setattr(compiling, name, nullcontext)
    monkeypatch.setattr(repeated, "HAS_BUILDERS", False)
    assert compile_here("second") == code


def test_statements_of_compiled_kernels_are_not_kept() -> None:
    version = find_version(_create_kernel(), VECTORS)
    assert version.type_annotation == "" and version.fndesc.typemap is None


def _find_state() -> list[Any]:
    lock = binding.ffi.lib._lock
    core = _numba.core
    changed = [core.postproc.PostProcessor.run, core.ir.Inst._rec_list_vars, _numba.types.Function.get_call_type]
    return [*changed, list(lock._cblist), gc.isenabled()]


def test_changes_end_with_the_compilation() -> None:
    before, inside = _find_state(), list[Any]()

    @_numba.extending.intrinsic
    def note(_typing: Any) -> Any:
        inside.append(_find_state())
        return _numba.types.none(), lambda context, *_: context.get_dummy_value()

    @kernel
    def note_state() -> None:
        note()

    @kernel
    def add_text() -> None:
        note()
        _ = "text" - 1.0  # type: ignore[operator]

    note_state()
    assert _find_state() == before
    with pytest.raises(_numba.core.errors.TypingError):
        add_text()
    assert _find_state() == before
    assert inside
    for state in inside:
        assert all(one != other for one, other in zip(state, before, strict=True))
        assert state[3:] == [[], False]


def test_variables_of_statements_are_those_of_numba() -> None:
    core = _numba.core
    code = core.compiler.run_frontend(_create_kernel().py_func)
    steps = [step for block in code.blocks.values() for step in block.body]
    expected = [step.list_vars() for step in steps]
    assert any(len(names) > 2 for names in expected)
    with repeated.without_repetition():
        assert [step.list_vars() for step in steps] == expected


def test_lifetimes_are_computed_where_they_are_needed() -> None:
    core, function = _numba.core, _create_kernel().py_func
    codes = [core.compiler.run_frontend(function) for _ in range(2)]
    processors = [core.postproc.PostProcessor(code) for code in codes]
    processors[0].run(emit_dels=True)
    with repeated.without_repetition():
        processors[1].run()
        processors[1].run(emit_dels=True)
    texts = [[str(step) for block in code.blocks.values() for step in block.body] for code in codes]
    assert texts[0] == texts[1] and any(text.startswith("del ") for text in texts[0])
    assert codes[0].variable_lifetime.livemap == codes[1].variable_lifetime.livemap


def _create_context() -> Any:
    context = repeated.create_context(_create_kernel().targetctx)
    assert type(context) is repeated.KernelContext
    return context


def test_sizes_are_those_of_numba() -> None:
    context = _create_context()
    pair = ir.LiteralStructType([ir.IntType(8), ir.ArrayType(ir.DoubleType(), 3)])
    named = ir.global_context.get_identified_type("named")
    named.elements = (pair, pair)
    for kind, size in ((ir.IntType(1), 1), (pair, 32), (pair.as_pointer(), 8), (named, 64)) * 2:
        assert context.get_abi_sizeof(kind) == size
    assert str(named) not in repeated._sizes and repeated._sizes[str(pair)] == 32


def test_new_definitions_are_read() -> None:
    context = _create_context()
    context.refresh()

    def stands_for_nothing(_: Any) -> None: ...

    signature = _numba.types.none(_numba.types.float64)
    with pytest.raises(NotImplementedError):
        context.get_function(stands_for_nothing, signature)

    @_numba.extending.lower_builtin(stands_for_nothing, _numba.types.float64)
    def generate(context: Any, *_: Any) -> Any:
        return context.get_dummy_value()

    assert context.get_function(stands_for_nothing, signature) is not None


def test_arrays_have_no_conversion_until_one_is_defined(monkeypatch: pytest.MonkeyPatch) -> None:
    context = _create_context()
    array = VECTORS[0]
    with pytest.raises(NotImplementedError):
        context.get_function("__array__", array(array))
    definitions = context._defns["__array__"]
    monkeypatch.setattr(definitions, "versions", [])
    monkeypatch.setattr(definitions, "_cache", {})
    definitions.append(lambda *_: None, (array,))
    assert context.get_function("__array__", array(array)) is not None


def test_kernels_with_new_types_of_numba() -> None:
    """Functions of numba that are first compiled during the compilation of a kernel are found."""

    @kernel
    def median(x: Any) -> float:
        return float(np.median(x) + np.interp(0.5, x, x))

    assert median(np.array([0.0, 1.0, 2.0])) == 1.5


def test_signatures_of_operators_are_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    context, types = _create_kernel().targetctx.typing_context, _numba.types
    monkeypatch.setattr(operators, "_signatures", {})
    cases = [
        (operator.mul, (types.float64, types.int64)),
        (operator.getitem, (VECTORS[0], types.int64)),
        (operator.getitem, (types.float64[:, :], types.UniTuple(types.int64, 2))),
        (operator.add, (VECTORS[0], types.float64)),
    ]
    functions = [context.resolve_value_type(function) for function, _ in cases]
    expected = [f.get_call_type(context, args, {}) for f, (_, args) in zip(functions, cases, strict=True)]
    with operators.remembered_signatures():
        for _ in range(2):
            found = [f.get_call_type(context, args, {}) for f, (_, args) in zip(functions, cases, strict=True)]
            assert found == expected
        # only signatures for numbers and items of arrays are stored; the types of other results may depend on
        # definitions that are added later
        assert len(operators._signatures) == len(cases) - 1
        functions[0].get_call_type(context, (types.NPTimedelta("s"), types.int64), {})
        assert len(operators._signatures) == len(cases) - 1
        with pytest.raises(_numba.core.errors.TypingError):
            functions[0].get_call_type(context, (types.unicode_type, types.float64), {})
