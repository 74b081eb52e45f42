"""Model files, which store the tables of a world as JSON. Model files can be compared and edited.

The file stores the calls of `World.add` in their original order, with the present values of the rows. Numbers are
written with sufficient digits to restore the exact float64 values. If a column has one common value in all rows, the
value is written once, as ``{"all": value}``.

A file contains only data, no code. Names of components and functions are looked up among installed components
(installed.py), the content is checked against its schema (model_schema.py), and each value is checked as in
`World.add`. A digest of the content shows whether a file was changed after it was written.

The code of functions is not written. If `register_functions` has registered the class of a function, such as a table or
a ramp, the function is stored by its values. Any other function is stored only by its name, and the user must pass the
function again when the file is read.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from warnings import warn

import numpy as np
from numpy.typing import NDArray

from windlass.framework.arrays import IntArray
from windlass.framework.checks.room import check_room
from windlass.framework.checks.values import show
from windlass.framework.errors import ModelError, ModelWarning, OutputError, WindlassError
from windlass.framework.files.outputs import check_output, write_output
from windlass.framework.model.installed import find_component, find_functions, is_registered
from windlass.framework.model.law import Tables
from windlass.framework.model.model_schema import FORMAT, VERSION, check_content, describe_calls, describe_format
from windlass.framework.model.schema import Component, row_bytes
from windlass.framework.model.table import EntityTable

DEEPEST = 30
"""Largest depth of nested lists and objects in valid model files. If the nesting of a file is too deep for the parser,
the error message names the first key with a value that exceeds this depth.
"""
CHANGED = "the file is damaged, or was changed after World.save: its digest does not match its content"
MARK = re.compile(r'"((?:[^"\\]|\\.)*)"(\s*:)?|[\[{]|[\]}]')

Functions = Mapping[str, Callable[..., Any]]


def write_model(path: Path, content: Mapping[str, Any]) -> None:
    """Write the result of `describe_model` to a file. An old file is replaced.

    Raises:
        OutputError: the file cannot be written.
    """
    check_output(path, "model file", "model file")
    text = json.dumps(content, indent=1, allow_nan=False, ensure_ascii=False)
    write_output(path, text.encode() + b"\n", "model file", "model file", sync=True)


def read_model(path: Path) -> dict[str, Any]:
    """Read the content of a file that `write_model` wrote, and check the content against the schema of model files.

    Raises:
        OutputError: the file does not exist, is not a model file, has an unknown version, or has content that its
            schema does not allow.
    """
    where = f"model file {path}"
    try:
        text = path.read_bytes()
    except OSError as error:
        raise OutputError(f"{where} cannot be read: {error.strerror}") from None
    content = _parse(text, where)
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise OutputError(f"{where}: must have the format {FORMAT!r}, as World.save writes it")
    version = content.get("version")
    if isinstance(version, bool) or version not in (1, VERSION):
        raise OutputError(f"{where} has version {show(version)}: must be {VERSION}, or 1 for a file without a digest")
    if version == 1 and "digest" not in content:
        # files of versions 1 and 2 differ only in the version and the digest
        content = content | {"version": VERSION, "digest": compute_digest(content | {"version": VERSION})}
        warn(
            f"{where} is of version 1, without a digest, so changes of the file cannot be detected",
            ModelWarning,
            stacklevel=4,
        )
    with explaining(content):
        check_content(content, describe_format(), where)
    return content


def _parse(text: bytes, where: str) -> Any:
    """Parse JSON. Raise an error if an object contains a key twice."""

    def join(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            keys = [key for key, _ in pairs]
            twice = next(key for key in keys if keys.count(key) > 1)
            raise OutputError(f"{where} has the key {twice!r} twice in one object: must have each key only once")
        return found

    try:
        return json.loads(text, object_pairs_hook=join)
    except RecursionError:
        key = _find_deep_key(text.decode(errors="replace"))
        raise OutputError(
            f"{where}: {key} has nested lists or objects deeper than {DEEPEST}: must be a file of World.save"
        ) from None
    except ValueError as error:
        raise OutputError(
            f"{where} is damaged or not a model file, because it is not JSON: {error}; must be a file of World.save"
        ) from None


def _find_deep_key(text: str) -> str:
    """Return the key of the first value with too many levels of nested lists or objects."""
    outer, key = [], "the file"
    for found in MARK.finditer(text):
        if found[2]:
            key = found[1]
        elif found[1] is None and found[0] in "[{":
            outer.append(key)
        elif found[1] is None and outer:
            key = outer.pop()
        if len(outer) > DEEPEST:
            break
    return key


def compute_digest(content: Mapping[str, Any]) -> str:
    """Return the SHA-256 digest of the content without the key ``digest``. The digest is computed from compact JSON
    with sorted keys.
    """
    kept = {key: value for key, value in content.items() if key != "digest"}
    return hashlib.sha256(json.dumps(kept, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def is_as_written(content: Mapping[str, Any]) -> bool:
    """Return whether the content of a model file agrees with its digest."""
    try:
        return compute_digest(content) == content.get("digest")
    except RecursionError:
        return False


def restate(error: WindlassError, text: str) -> WindlassError:
    """Return an error with the message ``text``. The error is an OutputError if ``error`` is an OutputError, otherwise
    a ModelError.
    """
    return (OutputError if isinstance(error, OutputError) else ModelError)(text)


@contextmanager
def explaining(content: Mapping[str, Any]) -> Iterator[None]:
    """Context manager for the use of a model file. If the digest of the file is wrong, error messages also state that
    the content was changed.
    """
    try:
        yield
    except WindlassError as error:
        if is_as_written(content):
            raise
        raise restate(error, f"{error} ({CHANGED})") from None


def describe_model(world: Tables) -> dict[str, Any]:
    """Return the content of a model file for a world. If the world is distributed, the call is collective.

    Raises:
        ModelError: two functions of the user have equal names.
    """
    names = FunctionNames()
    begins: dict[str, int] = {}
    calls = []
    by_kind = {component.__name__: table for component, table in world.tables.items()}
    for kind, count, _ in world.calls:
        table, begin = by_kind[kind], begins.get(kind, 0)
        begins[kind] = begin + count
        rows = np.arange(begin, begin + count)
        calls.append(
            {
                "kind": kind,
                "module": table.component.__module__,
                "rows": count,
                "references": {name: _pack(table.collect(name, rows)) for name in table.component.refs},
                "values": {name: _pack_column(table, name, rows, names) for name in table.component.columns},
            }
        )
    content = {
        "format": FORMAT,
        "version": VERSION,
        "digest": "",
        "gravity": world.gravity.tolist(),
        "names": {kind: labels for kind, table in by_kind.items() if (labels := table.list_labels())},
        "calls": calls,
    }
    return content | {"digest": compute_digest(content)}


def fill_model(world: Tables, content: Mapping[str, Any], functions: Functions, source: str) -> None:
    """Add the content of a file to an empty world.

    Args:
        world: the world to which the content is added.
        content: result of `read_model`.
        functions: the user's functions, by their names in the file.
        source: name of the file in messages.

    Raises:
        OutputError: the content does not fit the schema of model files.
        ModelError: a component or function is unknown, or values are not allowed.
    """
    for name, function in functions.items():
        if not callable(function):
            raise ModelError(f"functions[{name!r}] = {show(function)} in World.load: must be a function")
    kinds: dict[str, type[Component]] = {}
    left_out: dict[str, None] = {}
    with explaining(content):
        for k, call in enumerate(content["calls"]):
            name, where = call["kind"], f"calls[{k}]"
            if name not in kinds:
                kinds[name] = _find_kind(name, call.get("module"), f"{source}: {where}")
            left_out |= dict.fromkeys(_add_rows(world, kinds[name], call, functions, source, where))
        _add_names(world, content["names"], source)
    if left_out:
        words = ", ".join(left_out)
        warn(f"{source} has no values of {words}: the defaults are used", ModelWarning, stacklevel=4)
    if not is_as_written(content):
        warn(f"{source} was edited after World.save: its digest does not match its content", ModelWarning, stacklevel=4)


def _add_names(world: Tables, names: Mapping[str, Any], source: str) -> None:
    """Set the names of rows to the names in the file."""
    by_kind = {component.__name__: table for component, table in world.tables.items()}
    for kind, labels in names.items():
        if kind not in by_kind:
            raise OutputError(f"{source}: names has {show(kind)}, but the file has no rows of this kind")
        count = by_kind[kind].count
        for k, (first, end, label) in enumerate(labels):
            where = f"{source}: names.{kind}[{k}]"
            if not first < end <= count:
                raise OutputError(
                    f"{where} has the first row {first} and the end {end}: must be 0 <= first row < end <= {count}"
                )
            if not isinstance(label, str) and len(label) != end - first:
                raise OutputError(f"{where} has {len(label)} names: must be 1 or {end - first}")
            by_kind[kind].add_label(np.arange(first, end), label if isinstance(label, str) else label.__getitem__)


def _add_rows(
    world: Tables, component: type[Component], call: Mapping[str, Any], functions: Functions, source: str, where: str
) -> list[str]:
    """Repeat one call of `World.add` from a file.

    Returns:
        Names of the columns and references that the file does not contain, and for which `World.add` has used default
        values.
    """
    count, of = call["rows"], f" of {component.__name__}"
    check_content(call, describe_calls(component), source, where, of)
    check_room(count, row_bytes(component), f"{source}: {where}.rows = {count}{of}", OutputError)
    given: dict[str, Any] = {}
    for part in ("references", "values"):
        for name, values in call[part].items():
            if "rows" in values and len(values["rows"]) != count:
                raise OutputError(
                    f"{source}: {where}.{part}.{name}.rows{of} has {len(values['rows'])} entries: must have {count}, "
                    "one for each row"
                )
    for name, values in call["references"].items():
        ids = _unpack(values, count)
        is_chain = component.refs[name].is_chain
        given[name] = [np.array(chain, np.int64) for chain in ids] if is_chain else np.array(ids, np.int64)
    for name, values in call["values"].items():
        column, place = component.columns[name], f"{source}: {where}.values.{name}{of}"
        if column.dtype is object:
            given[name] = _unpack_functions(values, count, functions, f"{name}{of}", place)
            continue
        given[name] = _unpack(values, count)
        # a column of variable length is converted to one array, in which rows may be empty
        if column.shape is None:
            if len(set(map(len, given[name]))) > 1:
                raise OutputError(
                    f"{place} has rows of different lengths: all rows of a call must have the same length"
                )
            given[name] = np.array(given[name], column.dtype)
        elif column.along:
            given[name] = [np.reshape(np.array(row, column.dtype), (-1, *(column.shape or ()))) for row in given[name]]
    left_out = [name for name in (*component.refs, *component.columns) if name not in given]
    before = world.count
    try:
        world.add(component, **given)
    except WindlassError as error:
        raise restate(error, f"{source}: {where}{of}: {error}") from None
    if world.count != before + count:
        missing = ", ".join(name for name in left_out if name in component.refs) or "none"
        raise OutputError(
            f"{source}: {where}{of} made {world.count - before} rows instead of {count}: must have all "
            f"references, but these are missing: {missing}"
        )
    return [f"{name}{of}" for name in left_out]


class FunctionNames:
    """The user's functions, by their names in the file."""

    def __init__(self) -> None:
        self._by_name: dict[str, Any] = {}

    def add(self, function: Any, where: str) -> str:
        """Return the name under which a function is stored.

        Raises:
            ModelError: another function has the same name.
        """
        inner = getattr(function, "function", function)
        name = str(getattr(inner, "__name__", type(inner).__name__))
        if self._by_name.setdefault(name, inner) is not inner:
            raise ModelError(f"{where}: two functions have the name {name!r}; names must be distinct in a model file")
        return name


def _pack(values: NDArray[Any]) -> Any:
    """Convert values of rows to JSON. For a column of variable length, ``values`` is an array of arrays."""
    n = len(values)
    if values.dtype == object:
        rows = [np.asarray(row).tolist() for row in values]
        same = n > 1 and all(row is values[0] or np.asarray(row).tobytes() == values[0].tobytes() for row in values)
        return {"all": rows[0]} if same else {"rows": rows}
    if n > 1 and values.tobytes() == n * values[:1].tobytes():
        return {"all": values[0].tolist()}
    return {"rows": values.tolist()}


def _pack_column(table: EntityTable, name: str, rows: IntArray, names: FunctionNames) -> Any:
    """Convert one column of rows to JSON."""
    functions = table.collect(name, rows)
    if table.component.columns[name].dtype is not object:
        return _pack(functions)

    def pack(function: Any, row: int) -> Any:
        if function is None:
            return None
        if is_registered(function):
            return {"kind": type(function).__name__, "values": function.to_values()}
        return {"name": names.add(function, f"{name} of {table.describe(row)}")}

    if len(rows) > 1 and all(function is functions[0] for function in functions):
        return {"all": pack(functions[0], int(rows[0]))}
    return {"rows": [pack(function, int(row)) for function, row in zip(functions, rows, strict=True)]}


def _unpack(packed: Mapping[str, Any], count: int) -> list[Any]:
    """Return the values of a column from the file, one for each row."""
    return [packed["all"]] * count if "all" in packed else list(packed["rows"])


def _unpack_functions(packed: Mapping[str, Any], count: int, functions: Functions, what: str, where: str) -> list[Any]:
    """Return the functions of a column from the file: one function, or None, for each row. If rows had one common
    function when the file was written, they also have one common function after reading.
    """
    made: dict[str, Any] = {}

    def unpack(value: Any) -> Any:
        if value is None:
            return None
        key = json.dumps(value, sort_keys=True)
        if key not in made:
            made[key] = functions.get(value["name"]) if "name" in value else _create_function(value, where)
        if made[key] is None:
            given = ", ".join(functions) or "none"
            raise ModelError(f"functions has {given}: must have {value['name']!r}, which is {what} in the model file")
        return made[key]

    if "all" in packed:
        return [unpack(packed["all"])] * count
    return [unpack(value) for value in packed["rows"]]


def _create_function(value: Mapping[str, Any], where: str) -> Any:
    """Create a function object from its values in the file. The class of the function is found by the registered name
    of the class.
    """
    kind = find_functions(value["kind"])
    if kind is None:
        raise ModelError(
            f"{where}: no functions of kind {show(value['kind'])} are registered; the module that registers them "
            "(register_functions) must be imported before World.load"
        )
    try:
        return kind.from_values(value["values"])
    except WindlassError as error:
        raise restate(error, f"{where}: {error}") from None


def _find_kind(name: str, module: Any, where: str) -> type[Component]:
    """Return the registered component with the given name. The name of the module in the file is used only in
    messages.
    """
    found = find_component(name)
    if found is None:
        there = f" (in {module} when the file was written)" if module else ""
        raise ModelError(
            f"{where} has rows of {show(name)}, which is not registered: the module that registers it{there} must be "
            "imported before World.load"
        )
    return found
