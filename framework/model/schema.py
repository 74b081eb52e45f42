"""Schemas of tables: the columns and references of a component, with units, shapes and allowed values."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from inspect import cleandoc
from typing import Any, ClassVar, ParamSpec

import numpy as np
from numpy.typing import NDArray

from windlass.framework.checks.values import read_numbers, read_whole_numbers, read_words, read_yes_no, show
from windlass.framework.errors import ModelError
from windlass.framework.launch.script_end import install_in_script

# after this call, errors in a model or in a user's law are printed as messages without traceback
install_in_script()

P = ParamSpec("P")
REQUIRED: Any = object()
"""Default value that marks a column without default."""
LARGEST = 1e150
"""Largest allowed magnitude of numbers. Squares of larger numbers could overflow."""
PLAIN = {float, int, np.float64}
"""Types of single numbers that `_parse_one` accepts."""
MARKER = "marker"
"""Word that the names of all marker families contain."""


@dataclass(frozen=True)
class Column:
    """A column of a table, with one number, small array, text or function for each row.

    Attributes:
        unit: physical unit, ``"1"`` for pure numbers.
        doc: description of the column in one line.
        shape: shape of the value of one row; ``None`` if the length of the value differs between rows.
        default: value that is used if the user gives no value; ``REQUIRED`` for columns without default.
        dtype: NumPy type of the stored column (``object`` for functions).
        minimum: smallest allowed value, in ``unit``.
        above: exclusive lower bound, in ``unit``.
        choices: the allowed values, if only certain values are allowed.
        switchable: whether the column may change after ``World.finalize`` through ``World.set``.
        fill: whether the user may give one number instead of an array. All entries of the array are then equal to this
            number.
        along: name of a reference to a chain, which is an ordered list of entities (`refs`). If ``along`` is given,
            each row has one value of the given shape for each entity of its chain.
        name: name of the class attribute by which the column was declared.
    """

    unit: str
    doc: str
    shape: tuple[int, ...] | None = ()
    default: Any = REQUIRED
    dtype: Any = np.float64
    minimum: float | None = None
    above: float | None = None
    choices: tuple[Any, ...] | None = None
    switchable: bool = False
    fill: bool = False
    along: str = ""
    name: str = ""

    @property
    def rank(self) -> int:
        """Number of array axes that the value of one row has."""
        return 1 if self.shape is None else len(self.shape) + bool(self.along)

    def __repr__(self) -> str:
        return describe_column(self)

    def bounds(self) -> str:
        """Return a description of the allowed values, or an empty text if all values are allowed."""
        if self.choices is not None:
            return "one of " + ", ".join(map(str, self.choices))
        if self.above is not None:
            return f"> {self.above:g}"
        return f">= {self.minimum:g}" if self.minimum is not None else ""


class Family(str):
    """A property that several components provide and that references require. An example is ``RIGID`` for markers with
    rotation.

    Marker families are objects that laws import. A misspelt family therefore causes an import error.
    """

    __slots__ = ()


@dataclass(frozen=True)
class Ref:
    """A reference to an entity of another table, or to a chain of entities.

    Attributes:
        target: name of a component class, or of a family that components provide; for markers the object `Family`
            itself, such as ``POSITION``.
        doc: description of the reference in one line.
        optional: whether the reference can be omitted. The number -1 is then stored.
        shares: for references from a node to another node, names of the coordinates of the other node that the node
            uses as its own coordinates.
        beside: whether each row is stored on the process that stores the referenced entity. Such storage is necessary
            if the row reads multipliers of the entity.
        instead: text that recommends another component. The text is the end of the error message for an entity of a
            wrong component.
        least: for chains, the smallest allowed number of entities in the chain of a row; None for references to one
            entity.
        distinct: for chains, whether an entity may occur only once in the chain of a row.
        name: name of the class attribute by which the reference was declared.
    """

    target: str
    doc: str
    optional: bool = False
    shares: tuple[str, ...] = ()
    beside: bool = False
    instead: str = ""
    least: int | None = None
    distinct: bool = False
    name: str = ""

    def __post_init__(self) -> None:
        check_family(self.target, "the target of a reference")

    @property
    def is_chain(self) -> bool:
        """Whether the reference is a chain: each row refers to an ordered list of entities of any length."""
        return self.least is not None

    @property
    def lowest(self) -> int:
        """Smallest allowed entity number: -1 (no entity) for optional references, except references to `GenericData`;
        otherwise 0.
        """
        return -1 if self.optional and not self.is_chain and self.target != "GenericData" else 0


def check_family(name: str, what: str) -> None:
    """Raise an error for a marker family that is given by name.

    Raises:
        ModelError: a marker family is given by name.
    """
    if MARKER in name and not isinstance(name, Family):
        raise ModelError(f"{name!r} as {what}: must be the Family object, such as POSITION, not its name")


def _declares(kind: Callable[P, object]) -> Callable[P, Any]:
    """Return ``kind``. Because the annotated return type is Any, type checkers accept declarations such as ``x: float =
    column(...)`` in a component.
    """
    return kind


column, ref = _declares(Column), _declares(Ref)


@dataclass(frozen=True)
class DerivedValue:
    """A value of a row that the law computes from columns, once, for its kernels.

    Attributes:
        unit: physical unit, ``"1"`` for pure numbers.
        doc: description of the value in one line.
    """

    unit: str
    doc: str


def derived(unit: str, doc: str) -> Any:
    """Declare a value of a row that kernels read under the name of the declaration. The law computes the value from
    columns when its rows are bound, see `LocalRows.pack`.
    """
    return DerivedValue(unit, doc)


def function(doc: str, switchable: bool = False) -> Any:
    """Declare a column that contains a user function, or None, for each row."""
    return Column("1", doc, (), None, object, switchable=switchable)


def refs(target: str, doc: str, least: int = 1, distinct: bool = False, instead: str = "") -> Any:
    """Declare a reference to a chain: each row refers to an ordered list of entities. The arguments are attributes of
    `Ref`. If ``least`` is 0, the reference may be omitted.
    """
    return Ref(target, doc, least == 0, least=least, distinct=distinct, instead=instead)


class Component:
    """Base class of all schemas. A schema contains only declarations by `column`, `function`, `ref`, `refs` and
    `derived`, and no methods. If a schema inherits a column, the declaration ``name = None`` removes this column.

    Class attributes of a schema:
        provides: names of the families of the entities of this component.
        dof_names: for nodes, the names of the coordinates of one row.
        reference_columns: for nodes, the columns that form the reference coordinates, in this order.
        initial_columns: for nodes, the columns of the initial displacements and of the initial velocities, each with
            one number per coordinate. The default values are 0.
        state_column: for nodes of first-order states (unknowns of equations of first order in time), the column of the
            initial values of the states. Nodes of first-order states have no reference columns and no initial columns.
            The states are the velocities of the coordinates of the node.
        rotation_names: for nodes, the names of the four coordinates that are Euler parameters of a rotation.
        history_column: for rows with history values, the column with the number of places (segments or points) of a
            row. Each place has separate history values. Without this column a row has one place.
        follows: names of other components, or names in their ``provides``. Their switchable columns are used for the
            rows of this component. If such a column changes, the data of the rows are created again.
        output_names: names of the output variables; empty until the law of the component is registered.
    """

    columns: ClassVar[dict[str, Column]] = {}
    refs: ClassVar[dict[str, Ref]] = {}
    derived: ClassVar[dict[str, DerivedValue]] = {}
    provides: ClassVar[tuple[str, ...]] = ()
    reference_columns: ClassVar[tuple[str, ...]] = ()
    initial_columns: ClassVar[tuple[str, ...]] = ()
    dof_names: ClassVar[tuple[str, ...]] = ()
    state_column: ClassVar[str] = ""
    rotation_names: ClassVar[tuple[str, ...]] = ()
    history_column: ClassVar[str] = ""
    follows: ClassVar[tuple[str, ...]] = ()
    output_names: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        for name in cls.provides:
            check_family(name, f"a family that {cls.__name__} provides")
        cls.columns = dict(cls.columns)
        cls.refs = dict(cls.refs)
        cls.derived = dict(cls.derived)
        for name, value in list(vars(cls).items()):
            if isinstance(value, Column):
                cls.columns[name] = replace(value, name=name)
                setattr(cls, name, cls.columns[name])
            elif isinstance(value, Ref):
                cls.refs[name] = replace(value, name=name)
            elif isinstance(value, DerivedValue):
                cls.derived[name] = value
            elif value is None and name in cls.columns:
                del cls.columns[name]
        cls.__doc__ = describe_component(cls, cls.__dict__.get("__doc__") or "")


def parse_values(
    col: Column, kind: str, value: Any, rows: NDArray[np.int64], lengths: NDArray[np.int64] | None = None
) -> NDArray[Any]:
    """Convert user input for one column to an array with one value for each new row.

    Args:
        col: the column.
        kind: name of the component, for messages.
        value: one value for all rows, or an array with one value per row.
        rows: numbers of the rows, for messages, shape (n,).
        lengths: for columns with `Column.along`, the number of entities in the chain of each row, shape (n,).

    Returns:
        Array of shape (n, *col.shape). For columns of variable length, and for columns with `Column.along`, the result
        is an object array with one array for each row.

    Raises:
        ModelError: a value has a wrong shape, is not a number, is NaN, or is out of the allowed range.
    """
    count = len(rows)
    if count == 1 and (one := _parse_one(col, value)) is not None:
        return one
    where = f"{col.name} in {kind} row {rows[0] if count else 0}"
    if col.along:
        return _parse_along(col, kind, value, rows, lengths)
    if col.dtype is object:
        return _parse_functions(value, count, where)
    if col.shape is None:
        return _parse_open(col, value, count, where)
    array = _read(col, value)
    if array is None:
        where = where.removeprefix(col.name)
        raise ModelError(f"{col.name} = {show(value)}{where}: {_expected(col)} [{col.unit}]")
    if array.shape == () and (col.fill or col.shape == (1,)):
        array = np.broadcast_to(array, col.shape)
    if array.shape not in (col.shape, (1, *col.shape), (count, *col.shape)):
        raise ModelError(f"{where} has shape {array.shape}: {_expected(col)} [{col.unit}], for one row or for {count}")
    _check_range(col, kind, np.broadcast_to(array, (count, *col.shape)), rows)
    return np.broadcast_to(array, (count, *col.shape)).astype(col.dtype)


def _parse_one(col: Column, value: Any) -> NDArray[Any] | None:
    """Convert the value of one row to an array of shape (1, *col.shape), if a quick check shows that the value is
    allowed. Allowed values are numbers, truth values, and lists or arrays of numbers. Return None for all other values,
    which `parse_values` examines.
    """
    if not col.shape and type(value) is bool and col.dtype is bool:
        return np.array([value])
    if col.dtype is not np.float64 or col.along or col.choices is not None or col.shape is None:
        return None
    if not col.shape:
        if type(value) not in PLAIN:
            return None
        least = most = value
    else:
        if type(value) is list and PLAIN.issuperset(map(type, value)):
            value = np.array(value)
        if type(value) is not np.ndarray or value.dtype.kind not in "if" or value.shape != col.shape or not value.size:
            return None
        least, most = value.min(), value.max()
    bounded = (col.minimum is None or least >= col.minimum) and (col.above is None or least > col.above)
    return np.array([value], np.float64) if bounded and least >= -LARGEST and most <= LARGEST else None


def _read(col: Column, value: Any) -> NDArray[Any] | None:
    """Return user input as an array of any shape, or None if entries have a wrong type."""
    letter = np.dtype(col.dtype).kind
    readers: dict[str, Callable[[Any], NDArray[Any] | None]] = {
        "b": read_yes_no, "i": read_whole_numbers, "U": read_words, "f": read_numbers
    }  # fmt: skip
    return readers[letter](value)


def _parse_functions(value: Any, count: int, where: str) -> NDArray[Any]:
    """Parse one function for all rows, or a list of functions. One function for all rows is stored only once."""
    if value is None or callable(value):
        one = np.empty(1, dtype=object)
        one[0] = value
        return np.broadcast_to(one, (count,))
    several = isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim == 1)
    if not several or len(value) != count or not all(f is None or callable(f) for f in value):
        raise ModelError(f"{where} = {show(value)}: must be a function, or one function or None per row")
    values = np.empty(count, dtype=object)
    values[:] = value
    return values


def _parse_open(col: Column, value: Any, count: int, where: str) -> NDArray[Any]:
    """Parse input of variable length: one list for all rows, or an array of shape (count, n). The list may be empty if
    the column is not required.
    """
    array = np.zeros(0, col.dtype) if col.default is not REQUIRED and _is_empty(value) else _read(col, value)
    if array is None:
        kind = "whole numbers" if np.dtype(col.dtype).kind == "i" else "numbers"
        raise ModelError(f"{where} = {show(value)}: expected a list of {kind} [{col.unit}]")
    if array.ndim not in (1, 2) or (array.ndim == 2 and len(array) != count):
        raise ModelError(f"{where} has shape {array.shape}: expected (n,) or ({count}, n) numbers [{col.unit}]")
    if not (np.abs(array) <= LARGEST).all():
        raise ModelError(
            f"{where} has values that are not finite, or beyond {LARGEST:g}: must be finite numbers "
            f"[{col.unit}] with finite squares"
        )
    values = np.empty(count, dtype=object)
    if count and (array.ndim == 1 or array.strides[0] == 0):
        # Rows with equal values share one array, because the array is never modified.
        values[:] = [np.array(array if array.ndim == 1 else array[0])] * count
        return values
    for i in range(count):
        values[i] = np.array(array[i])
    return values


def count_values(col: Column, value: Any) -> int | None:
    """Return the number of rows for which user input contains values, or None if the input is one value for all
    rows.
    """
    shape = shape_of(value)
    ragged = not shape and col.along and isinstance(value, list | tuple) and value
    if ragged and all(len(shape_of(part)) == col.rank for part in value):
        return len(value)
    return shape[0] if len(shape) == col.rank + 1 else None


def _parse_along(
    col: Column, kind: str, value: Any, rows: NDArray[np.int64], lengths: NDArray[np.int64] | None
) -> NDArray[Any]:
    """Parse a column that has one value for each entity of a chain. The input is one value for all entities, one array
    of shape (length of the chain, *shape) for all rows, or a list with one such array for each row.
    """
    assert lengths is not None and col.shape is not None
    count = len(rows)
    each = count_values(col, value)
    if each not in (None, 1, count):
        raise ModelError(
            f"{col.name} in {kind} has values for {each} rows: must have one value, or values for {count} rows"
        )
    given = [value] * count if each is None else list(value) * (count if each == 1 else 1)
    values = np.empty(count, dtype=object)
    for i, (row, length, part) in enumerate(zip(rows, lengths, given, strict=True)):
        array, where = _read(col, part), f"{col.name} in {kind} row {row}"
        allowed = f"{_expected(col)} for each of {length} {col.along}, or for all [{col.unit}]"
        if array is None:
            raise ModelError(f"{where} = {show(part)}: {allowed}")
        if array.shape not in (col.shape, (length, *col.shape)):
            raise ModelError(f"{where} has shape {array.shape}: {allowed}")
        values[i] = np.broadcast_to(array, (length, *col.shape)).astype(col.dtype)
        _check_range(col, kind, values[i][None], rows[i : i + 1])
    return values


def shape_of(value: Any) -> tuple[int, ...]:
    """Return the shape of a list or array. For other values, and for lists with entries of different lengths, return
    ().
    """
    if not isinstance(value, list | tuple | np.ndarray) and not hasattr(value, "__array__"):
        return ()
    try:
        return np.shape(value)
    except Exception:  # lists of unequal lengths and user objects may raise any error
        return ()


def _is_empty(value: Any) -> bool:
    """Return whether a value is an empty list, or a list of empty lists."""
    if isinstance(value, np.ndarray):
        return value.ndim > 0 and not value.size
    return isinstance(value, list | tuple) and all(_is_empty(row) for row in value)


def _expected(col: Column) -> str:
    """Return a description of the allowed values of a column."""
    shape = f" of shape {col.shape}" if col.shape else ""
    letter = np.dtype(col.dtype).kind
    if col.choices is not None:
        return f"must be {'a whole number, ' if letter == 'i' else ''}{col.bounds()}"
    match letter:
        case "b":
            return f"must be True or False{shape and ','}{shape}"
        case "i":
            return f"must be whole numbers{shape}" if shape else "must be a whole number"
        case "U":
            return f"must be words{shape}" if shape else "must be a word"
    return f"expected numbers{shape}" if shape else "expected one number"


def _check_range(col: Column, kind: str, array: NDArray[Any], rows: NDArray[np.int64]) -> None:
    """Raise ModelError if a value is outside the allowed range of the column. The message states the first such
    value.
    """
    is_float = np.issubdtype(array.dtype, np.floating)
    bad = ~(np.abs(array) <= LARGEST) if is_float else np.zeros(array.shape, bool)
    if col.choices is not None:
        bad |= ~np.isin(array, col.choices)
    if col.above is not None:
        bad |= ~(array > col.above)
    if col.minimum is not None:
        bad |= ~(array >= col.minimum)
    if bad.any():
        where = np.argwhere(bad)[0]
        row = int(rows[where[0]])
        index = "".join(f"[{i}]" for i in where[1:])
        given = array[tuple(where)]
        unit = "" if col.unit == "1" else f" {col.unit}"
        words = col.bounds() or "a finite number"
        if is_float and np.isfinite(given) and abs(given) > LARGEST:
            words = f"{words} of at most {LARGEST:g} in size, whose square is finite, too"
        raise ModelError(f"{col.name}{index} = {given}{unit} in {kind} row {row}: must be {words}")


def row_bytes(component: type[Component]) -> int:
    """Return a lower bound [bytes] of the memory for one row in the table of a component."""
    sizes: list[int] = [
        math.prod(col.shape or ()) * max(np.dtype(col.dtype).itemsize, 1) for col in component.columns.values()
    ]
    return 8 * (len(component.refs) + 1) + sum(sizes)


def describe_component(component: type[Component], text: str) -> str:
    """Return the docstring of a component: its own text, followed by one line for each reference and column. Required
    references and columns are first.
    """
    lines = [cleandoc(text) or component.__name__, ""]
    if component.refs:
        lines.append("References:")
        for name, ref in component.refs.items():
            lines.append(f"    {name}: {ref.doc} ({describe_target(ref)}{', may be left out' if ref.optional else ''})")
        lines.append("")
    if component.columns:
        lines.append("Columns:")
        # Required columns are placed before other columns. The sort is stable, so each group keeps the order of the
        # schema.
        for column in sorted(component.columns.values(), key=lambda column: column.default is not REQUIRED):
            lines.append(f"    {describe_column(column)}")
        lines.append("")
    return "\n".join(lines)


def describe_target(ref: Ref) -> str:
    """Describe the entities to which a reference may refer."""
    more = "" if not ref.least or ref.least == 1 else f" of {ref.least} or more"
    return f"chain{more}, each a {ref.target}" if ref.is_chain else ref.target


def describe_column(column: Column) -> str:
    """Return name, unit, meaning and allowed values of a column, such as ``length [m]: length of the cable; > 0;
    required``."""
    # columns of functions have no unit
    unit = "" if column.dtype is object else f"[{column.unit}]"
    words = [f"{column.name} {unit}".strip() + f": {column.doc}"]
    if column.shape is None:
        words.append("any number of values")
    elif column.shape:
        words.append(f"shape {column.shape}" + " or one number for all" * column.fill)
    if column.along:
        words.append(f"one for each of {column.along}")
    if bounds := column.bounds():
        words.append(bounds)
    words.append("required" if column.default is REQUIRED else f"default {show_value(column.default)}")
    if column.switchable:
        words.append("switchable")
    return "; ".join(words)


def show_value(value: Any) -> str:
    """Convert a number, word or array of a column to a text for messages, such as ``(0, 0, 1)``."""
    if isinstance(value, (tuple, list, np.ndarray)):
        return "(" + ", ".join(map(show_value, value)) + ("," if len(value) == 1 else "") + ")"
    return f"{value:g}" if isinstance(value, float) else str(value)
