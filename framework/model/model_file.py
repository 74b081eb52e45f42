"""Files of models: the tables of a world as JSON, to be kept, compared, edited and sent.

The file holds what was added, call by call in its order, with the values as they are now.  Numbers are written so that
they come back to the last bit.  A column that is equal in all rows stands once, as ``{"all": value}``.

Functions cannot be written.  A class of functions with ``to_values()`` and ``from_values(values)`` can, such as tables
and ramps; any other is written by its name, and whoever reads the file gives it again.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.framework.arrays import IntArray
from windlass.framework.checks.values import show
from windlass.framework.errors import ModelError, OutputError
from windlass.framework.files.outputs import check_output, write_output
from windlass.framework.model.law import Tables, laws
from windlass.framework.model.schema import Component
from windlass.framework.model.table import EntityTable

FORMAT, VERSION = "windlass model", 1
OWN = "windlass."
"""Modules of the package are loaded where a file names them; others the user has loaded before."""

Functions = Mapping[str, Callable[..., Any]]


def write_model(path: Path, content: Mapping[str, Any]) -> None:
    """Put what `describe_model` gave into a file, in place of an old one.

    Raises:
        OutputError: the file cannot be written.
    """
    check_output(path, "model file", "model file")
    text = json.dumps(content, indent=1, allow_nan=False, ensure_ascii=False)
    write_output(path, text.encode() + b"\n", "model file", "model file", sync=True)


def read_model(path: Path) -> dict[str, Any]:
    """The content of a file that `write_model` wrote.

    Raises:
        OutputError: no such file, or one of another kind or of a later version.
    """
    try:
        content = json.loads(path.read_bytes())
    except OSError as error:
        raise OutputError(f"model file {path} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise OutputError(f"model file {path} is not JSON: {error}; must be what World.save wrote") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise OutputError(f"model file {path}: must have the format {FORMAT!r}, as World.save writes it")
    if content.get("version") != VERSION:
        raise OutputError(f"model file {path} has version {content.get('version')}: must be {VERSION}")
    return content


def describe_model(world: Tables) -> dict[str, Any]:
    """What a file holds of a world; all processes call this together if it is in parts.

    Raises:
        ModelError: two functions of the user have the same name.
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
    return {
        "format": FORMAT,
        "version": VERSION,
        "gravity": world.gravity.tolist(),
        "names": {kind: labels for kind, table in by_kind.items() if (labels := table.list_labels())},
        "calls": calls,
    }


def fill_model(world: Tables, content: Mapping[str, Any], functions: Functions, source: str) -> None:
    """Add what a file holds to an empty world.

    Args:
        world: the world.
        content: what `read_model` gave.
        functions: those of the user by the names under which they were written.
        source: the file, for messages.

    Raises:
        OutputError: a file that is not whole.
        ModelError: an unknown kind or function, or values that are not allowed.
    """
    for name, function in functions.items():
        if not callable(function):
            raise ModelError(f"functions[{name!r}] = {show(function)} in World.load: must be a function")
    try:
        for call in content["calls"]:
            _add_rows(world, call, functions, source)
        by_kind = {component.__name__: table for component, table in world.tables.items()}
        for kind, labels in content["names"].items():
            for first, end, label in labels:
                given = label if isinstance(label, str) else label.__getitem__
                by_kind[kind].add_label(np.arange(first, end), given)
    except (KeyError, TypeError, AttributeError) as error:
        raise OutputError(f"{source} is not whole: {type(error).__name__} {error}") from error


def _add_rows(world: Tables, call: Mapping[str, Any], functions: Functions, source: str) -> None:
    """Repeat one call of `World.add`; what it made by itself stands in the file as calls before it."""
    count = int(call["rows"])
    component = _find_kind(call["kind"], call["module"], source)
    given: dict[str, Any] = {}
    for name, packed in call["references"].items():
        ids = _unpack(packed, count)
        is_chain = name in component.refs and component.refs[name].is_chain
        given[name] = [np.array(chain, np.int64) for chain in ids] if is_chain else np.array(ids, np.int64)
    for name, packed in call["values"].items():
        column, where = component.columns.get(name), f"{name} of {component.__name__}"
        is_function = column is not None and column.dtype is object
        given[name] = _unpack_functions(packed, count, functions, where) if is_function else _unpack(packed, count)
        # lists without numbers, too
        if column is not None and column.shape is None:
            given[name] = np.array(given[name], np.float64)
        elif column is not None and column.along:
            given[name] = [np.reshape(np.array(row, column.dtype), (-1, *(column.shape or ()))) for row in given[name]]
    before = world.count
    world.add(component, **given)
    if world.count != before + count:
        raise OutputError(f"{source}: {component.__name__} made {world.count - before} rows in place of {count}")


class FunctionNames:
    """The functions of the user by name."""

    def __init__(self) -> None:
        self._by_name: dict[str, Any] = {}

    def add(self, function: Any, where: str) -> str:
        """The name of a function.

        Raises:
            ModelError: another function has this name.
        """
        inner = getattr(function, "function", function)
        name = str(getattr(inner, "__name__", type(inner).__name__))
        if self._by_name.setdefault(name, inner) is not inner:
            raise ModelError(f"{where}: two functions are called {name!r}; must have different names in a model file")
        return name


def _pack(values: NDArray[Any]) -> Any:
    """Values of rows as JSON; columns of open length are lists of arrays."""
    n = len(values)
    if values.dtype == object:
        rows = [np.asarray(row).tolist() for row in values]
        same = n > 1 and all(row is values[0] or np.asarray(row).tobytes() == values[0].tobytes() for row in values)
        return {"all": rows[0]} if same else {"rows": rows}
    if n > 1 and values.tobytes() == n * values[:1].tobytes():
        return {"all": values[0].tolist()}
    return {"rows": values.tolist()}


def _pack_column(table: EntityTable, name: str, rows: IntArray, names: FunctionNames) -> Any:
    """One column of rows as JSON."""
    functions = table.collect(name, rows)
    if table.component.columns[name].dtype is not object:
        return _pack(functions)

    def pack(function: Any, row: int) -> Any:
        if function is None:
            return None
        if hasattr(function, "to_values"):
            kind = type(function)
            return {"kind": kind.__name__, "module": kind.__module__, "values": function.to_values()}
        return {"name": names.add(function, f"{name} of {table.describe(row)}")}

    if len(rows) > 1 and all(function is functions[0] for function in functions):
        return {"all": pack(functions[0], int(rows[0]))}
    return {"rows": [pack(function, int(row)) for function, row in zip(functions, rows, strict=True)]}


def _unpack(packed: Mapping[str, Any], count: int) -> list[Any]:
    """One value per row."""
    return [packed["all"]] * count if "all" in packed else list(packed["rows"])


def _unpack_functions(packed: Mapping[str, Any], count: int, functions: Functions, where: str) -> list[Any]:
    """One function, or None, per row; rows that shared a function share it again."""
    made: dict[str, Any] = {}

    def unpack(value: Any) -> Any:
        if value is None:
            return None
        key = json.dumps(value, sort_keys=True)
        if key not in made:
            made[key] = functions.get(value["name"]) if "name" in value else _create_function(value, where)
        if made[key] is None:
            given = ", ".join(functions) or "none"
            raise ModelError(f"functions has {given}: must have {value['name']!r}, which is {where} in the model file")
        return made[key]

    if "all" in packed:
        return [unpack(packed["all"])] * count
    return [unpack(value) for value in packed["rows"]]


def _create_function(value: Mapping[str, Any], where: str) -> Any:
    """A function that a class of the package writes and reads itself."""
    kind = getattr(_load(value["module"]), value["kind"], None)
    if not hasattr(kind, "from_values"):
        raise ModelError(f"{where}: unknown kind of function {show(value['kind'])}")
    return kind.from_values(value["values"])  # type: ignore[union-attr]


def _find_kind(name: str, module: str, source: str) -> type[Component]:
    """The registered component of a name, which its module may have to be loaded for."""
    # kinds that are made on demand are names of their module
    getattr(_load(module), name, None)
    for component in laws():
        if component.__name__ == name:
            return component
    raise ModelError(f"{source} has rows of {name}: its file ({module}) must be imported before")


def _load(module: str) -> Any:
    """A module of the package, or one that is there already."""
    if module.startswith(OWN):
        try:
            return importlib.import_module(module)
        except ModuleNotFoundError:
            return None
    return sys.modules.get(module)
