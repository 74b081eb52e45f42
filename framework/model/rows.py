"""Rows of tables as records. Kernels read the values of a row by the names of the columns.

Tables store their values by columns. `LocalRows.pack` copies the columns of rows into one array of records. The type of
a record follows from the schema: ``row.stiffness`` is a number, and ``row.offset[1]`` is an entry of a column of
vectors.
"""

from __future__ import annotations

import dis
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from types import CodeType, FunctionType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.framework.errors import ModelError
from windlass.framework.kernels.cache_key import CACHE, NAMED, list_names
from windlass.framework.kernels.signature import takes
from windlass.framework.model.schema import Component

HISTORY, START = "history", "start"
"""HISTORY: name of the field with the history values from which forces are computed. START: name of the field with the
history values at the start of the step."""
ARGUMENTS = ("row", "u", "ut", "t")
"""Names of the arguments of the kernels of a law between two markers."""
ROW = "row"
"""Name of the argument of a called kernel that receives the row of the calling kernel."""


# the type stubs of NumPy 2.5 declare the base class of this class as final
class NamedRecord(np.record):  # type: ignore[misc, unused-ignore]
    """A record for kernels that are not compiled. If a field has the name of an attribute of NumPy's records, such as
    ``data``, this name denotes the field.

    Python passes arrays of records, and not single records, to compiled kernels. The compiler would access a single
    record through its attribute ``data``, which may be a field.
    """

    def __getattribute__(self, name: str) -> Any:
        """Return the field of the record with this name, or another attribute if no field has this name."""
        fields = super().__getattribute__("dtype").names or ()
        return self[name] if name in fields else super().__getattribute__(name)

    def __setattr__(self, name: str, value: Any) -> None:
        """Set a field of the record. Other attributes of a record cannot be set."""
        self[name] = value


def field_names(component: type[Component], further: Sequence[str] = (), history: int = 0) -> tuple[str, ...]:
    """Return the names of the fields of a row, see `row_type`. These are the fields of the schema, including its
    derived values, and ``further`` fields.

    Raises:
        ModelError: a derived or further field has the name of another field, or a name that is not an identifier.
    """
    refs = [name for name in component.refs if is_place(component, name)]
    columns = [name for name in component.columns if is_number(component, name)]
    own = (*refs, *columns, *((HISTORY, START) if history else ()))
    others = dict.fromkeys((*component.derived, *further))
    for name in others:
        if name in own or not name.isidentifier():
            words = f"must be a name other than {', '.join(own)}"
            raise ModelError(f"derived field {name!r} of {component.__name__}: {words}")
    return (*own, *others)


def row_type(component: type[Component], derived: Mapping[str, NDArray[Any]], history: int = 0) -> np.dtype[Any]:
    """Return the type of the record of a row. The fields are the columns and references of a schema, by name.

    A field with numbers or truth values has the shape of its column. Arrays of truth values are stored as 0 and 1.
    Texts, functions and columns of variable length are omitted. A reference to a marker is stored as the index of the
    marker in the columns of its family. A reference to `GenericData` is stored as the index of the first history value.

    Args:
        component: the schema.
        derived: values of the derived fields of the schema, and of further fields, by name, each of shape (rows, ...).
        history: number of history values of a row. If this number is > 0, the record has fields ``history`` and
            ``start``, of shape (history,).

    Raises:
        ModelError: the name of a field is not allowed, see `field_names`, or a derived value is missing.
    """
    if missing := sorted(set(component.derived) - set(derived)):
        raise ModelError(f"derived values {', '.join(missing)} of {component.__name__} are missing: must be computed")
    fields: dict[str, Any] = {}
    for name in field_names(component, tuple(derived), history):
        if name in derived:
            fields[name] = np.dtype((derived[name].dtype, derived[name].shape[1:]))
        elif name in component.columns:
            column = component.columns[name]
            # the compiler does not support arrays of truth values in records
            truth = np.uint8 if column.shape else np.bool_
            kind = {"b": truth, "i": np.int64, "f": np.float64}[np.dtype(column.dtype).kind]
            fields[name] = np.dtype((kind, column.shape or ()))
        else:
            fields[name] = np.dtype(np.int64 if name in component.refs else (np.float64, (history,)))
    return record_type(fields)


def record_type(fields: Mapping[str, np.dtype[Any]]) -> np.dtype[Any]:
    """Return the type of records with the given fields. The first fields are the truth values. The truth values are
    padded to a multiple of 8 bytes, so that the following numbers are aligned.
    """
    names = sorted(fields, key=lambda name: fields[name].base.itemsize > 1)
    offsets, at = [], 0
    for name in names:
        if fields[name].base.itemsize > 1:
            at += -at % 8
        offsets.append(at)
        at += fields[name].itemsize
    layout: Any = {"names": names, "formats": [fields[name] for name in names], "offsets": offsets}
    return np.dtype((NamedRecord, np.dtype(layout | {"itemsize": at + -at % 8}, align=True)))


def create_records(**columns: NDArray[Any]) -> NDArray[Any]:
    """Create records for data that are not rows of a table, from columns given by name, each of shape (rows, ...)."""
    fields = {name: np.dtype((values.dtype, values.shape[1:])) for name, values in columns.items()}
    records = np.zeros(len(next(iter(columns.values()))), record_type(fields))
    for name, values in columns.items():
        records[name] = values
    return records


def is_number(component: type[Component], name: str) -> bool:
    """Return whether records contain a column. Records contain the columns of numbers or truth values that have equal
    shapes in all rows.
    """
    column = component.columns[name]
    return np.dtype(column.dtype).kind in "bif" and column.shape is not None and not column.along


def is_place(component: type[Component], name: str) -> bool:
    """Return whether records contain the given reference. Records contain references to markers or history values, as
    indices.
    """
    ref = component.refs[name]
    return not ref.is_chain and ("marker" in ref.target or ref.target == "GenericData")


def check_words(kernel: Callable[..., Any], name: str, fields: Sequence[str]) -> None:
    """Check that all attributes that a kernel reads from its row are fields of the row.

    The row is the first argument of the kernel. In each kernel that this kernel calls, an argument with the name
    ``row`` is assumed to be the row of the calling kernel.

    Args:
        kernel: a kernel or a Python function.
        name: name of the kernel in messages, such as ``"force of Spring"``.
        fields: names of the fields, see `field_names`.

    Raises:
        ModelError: the kernel reads an attribute that is not a field.
    """
    seen: set[CodeType] = set()
    waiting = [(function, True) for function in _functions(kernel)]
    while waiting:
        function, is_first = waiting.pop()
        code = function.__code__
        arguments = code.co_varnames[: code.co_argcount]
        if code in seen or not arguments:
            continue
        seen.add(code)
        row = arguments[0] if is_first else ROW
        if row in arguments:
            for variable, word in sorted(find_attributes(code)):
                if variable == row and word not in fields:
                    raise ModelError(f"{row}.{word} in {name}: must be one of {', '.join(fields)}")
        cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
        for scope, name_read in _find_scopes(code):
            found: Any = None
            if scope == "global":
                found = function.__globals__.get(name_read)
            elif scope == "cell" and name_read in cells:
                found = cells[name_read].cell_contents
            waiting += [(inner, False) for inner in _functions(found)]


def check_kernels(component: type[Component], force: Any, *tangents: Any, **more: Any) -> None:
    """Call `check_words` for all kernels of a law between two markers. See `register_pair` for the arguments."""
    fields = field_names(component, (), len(more.get("start") or ()))
    kernels = {"force": force} | {name: more.get(name) for name in ("update", "gap", "sliding")}
    kernels |= dict(zip(("force_tangent",), tangents, strict=False))
    for group in ("stored", "lost", "passed"):
        kernels |= {f"{group} {name}": kernel for name, kernel in (more.get(group) or {}).items()}
    for name, output in (more.get("outputs") or {}).items():
        if takes(output.evaluate, ARGUMENTS):
            kernels[f"output {name}"] = output.evaluate
    for name, kernel in kernels.items():
        if kernel is not None:
            check_words(kernel, f"{name} of {component.__name__}", fields)


def _functions(value: Any) -> Iterator[FunctionType]:
    """Iterate over the Python function of a kernel, or over a plain Python function. For other values the iterator is
    empty.
    """
    plain = getattr(value, "py_func", value)
    if isinstance(plain, FunctionType):
        yield plain


@cache
def _find_scopes(code: CodeType) -> frozenset[tuple[str, str]]:
    """Return the names that a function reads, each with its scope. The result is cached, because many laws use common
    kernels.
    """
    return frozenset(list_names(code))


_LOADS = {number: name.count("LOAD_FAST") for name, number in dis.opmap.items() if name.startswith("LOAD_FAST")}
"""Instructions that load local variables, and the number of variables that each instruction loads. Newer versions of
Python have instructions that load two variables.
"""
_SETS = dis.opmap["STORE_ATTR"]


@cache
def find_attributes(code: CodeType) -> frozenset[tuple[str, str]]:
    """Return the attributes of local variables that a function reads or sets: (variable, attribute)."""
    found: set[tuple[str, str]] = set()
    raw, more, before = code.co_code, 0, ""
    # this loop is many times faster than `dis.get_instructions`, which creates an object for each instruction
    for i in range(0, len(raw), 2):
        operation, argument = raw[i], raw[i + 1] | more
        more = argument << 8 if operation == dis.EXTENDED_ARG else 0
        if operation in (CACHE, dis.EXTENDED_ARG):
            continue
        scope, shift = NAMED.get(operation, ("", 0))
        if before and (scope == "attribute" or operation == _SETS):
            found.add((before, code.co_names[argument >> shift]))
        before = ""
        if operation in _LOADS:
            number = argument if _LOADS[operation] == 1 else argument & 15
            before = code._varname_from_oparg(number)  # type: ignore[attr-defined]
    return frozenset(found)
