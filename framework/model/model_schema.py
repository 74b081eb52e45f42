"""The schema of model files, in JSON Schema (draft 2020-12), generated from the schemas of components.

`describe_format` returns the common part of the schemas of all files, and `describe_calls` returns the part for the
rows of one component. `full_schema` returns the complete schema, which is published in the documentation. The library
jsonschema checks each part of a file separately, so that error messages state the component and the position in the
file.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from windlass.framework.checks.room import MOST_ROWS
from windlass.framework.checks.values import show
from windlass.framework.errors import OutputError
from windlass.framework.model.schema import LARGEST, REQUIRED, Column, Component

FORMAT, VERSION = "windlass model", 2
DRAFT = "https://json-schema.org/draft/2020-12/schema"
LARGEST_WHOLE = 2**53
"""Magnitude up to which all JSON readers represent whole numbers exactly."""


def any_value(levels: int) -> dict[str, Any]:
    """Return the schema of numbers, texts, true, false and null, in lists and objects that are nested up to a given
    depth."""
    plain = ["number", "string", "boolean", "null"]
    if not levels:
        return {"type": plain}
    inner = any_value(levels - 1)
    return {"type": [*plain, "object", "array"], "items": inner, "additionalProperties": inner}


NUMBER: dict[str, Any] = {"type": "number", "minimum": -LARGEST, "maximum": LARGEST}
TEXT: dict[str, Any] = {"type": "string"}
FUNCTION: dict[str, Any] = {
    "description": "a function of the user by its name, or one that is written as values; null for none",
    "type": ["object", "null"],
    "properties": {"name": TEXT, "kind": TEXT, "values": {"type": "object", "additionalProperties": any_value(4)}},
    "additionalProperties": False,
    "minProperties": 1,
    "dependentRequired": {"kind": ["values"], "values": ["kind"]},
    "dependentSchemas": {"name": {"maxProperties": 1}},
}
WORDS = {
    "number": "a finite number",
    "integer": "a whole number",
    "string": "a text",
    "boolean": "true or false",
    "object": "an object",
    "array": "a list",
    "null": "null",
}


def whole(minimum: int, maximum: int = LARGEST_WHOLE) -> dict[str, Any]:
    """Return the schema of a whole number."""
    return {"type": "integer", "minimum": minimum, "maximum": maximum}


def listed(items: Mapping[str, Any], length: int | None = None) -> dict[str, Any]:
    """Return the schema of a list of a given length, or of any length."""
    found: dict[str, Any] = {"type": "array", "items": items}
    return found if length is None else found | {"minItems": length, "maxItems": length}


def packed(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of one column: a single value for all rows, or one value for each row."""
    return {
        "type": "object",
        "properties": {"all": value, "rows": listed(value)},
        "additionalProperties": False,
        "minProperties": 1,
        "maxProperties": 1,
    }


def describe_format() -> dict[str, Any]:
    """Return the schema of all files, without the schemas of the rows of components."""
    label = {"type": ["string", "array"], "items": TEXT}
    names = {"type": "array", "prefixItems": [whole(0), whole(1), label], "minItems": 3, "maxItems": 3}
    call = {
        "type": "object",
        "properties": {
            "kind": {"description": "name of the component", **TEXT},
            "module": {
                "description": "module of the component's law, as information for readers; this module is not imported",
                **TEXT,
            },
            "rows": {"description": "number of rows", **whole(0, MOST_ROWS)},
            "references": {"description": "entity numbers by the name of the reference", "type": "object"},
            "values": {"description": "values by the name of the column", "type": "object"},
        },
        "required": ["kind", "rows", "references", "values"],
        "additionalProperties": False,
    }
    properties = {
        "format": {"const": FORMAT},
        "version": {"const": VERSION},
        "digest": {"description": "SHA-256 of the content; see the page on model files", **TEXT, "pattern": DIGEST},
        "gravity": {"description": "acceleration of gravity in x, y, z [m/s^2]", **listed(NUMBER, 3)},
        "names": {
            "description": "by component: first row, end, and the name of these rows, or one name for each",
            "type": "object",
            "additionalProperties": listed(names),
        },
        "calls": {"description": "calls of World.add, in their order", **listed(call)},
    }
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


DIGEST = "^[0-9a-f]{64}$"


_calls: dict[type[Component], dict[str, Any]] = {}


def describe_calls(component: type[Component]) -> dict[str, Any]:
    """Return the schema of the rows of a component that one call of `World.add` has added. The result is cached."""
    if component not in _calls:
        _calls[component] = _describe_calls(component)
    return _calls[component]


def _describe_calls(component: type[Component]) -> dict[str, Any]:
    references = {
        name: {
            "description": ref.doc,
            **packed(listed(whole(ref.lowest)) if ref.is_chain else whole(ref.lowest)),
        }
        for name, ref in component.refs.items()
    }
    values = {
        name: {"description": f"{col.doc} [{col.unit}]", **packed(describe_value(col))}
        for name, col in component.columns.items()
    }
    required = [name for name, col in component.columns.items() if col.default is REQUIRED]
    needed = [name for name, ref in component.refs.items() if not ref.optional]
    return {
        "type": "object",
        "properties": {
            "kind": {"const": component.__name__},
            "references": {
                "type": "object", "properties": references, "required": needed, "additionalProperties": False
            },
            "values": {"type": "object", "properties": values, "required": required, "additionalProperties": False},
        },
    }  # fmt: skip


def describe_value(col: Column) -> dict[str, Any]:
    """Return the schema of the value of a column in one row."""
    if col.dtype is object:
        return FUNCTION
    letter = np.dtype(col.dtype).kind
    value: dict[str, Any] = {"b": {"type": "boolean"}, "U": TEXT, "f": NUMBER, "i": whole(-LARGEST_WHOLE)}[letter]
    if col.minimum is not None:
        value = value | {"minimum": col.minimum}
    if col.above is not None:
        value = value | {"exclusiveMinimum": col.above}
    if col.choices is not None:
        value = value | {"enum": list(col.choices)}
    for length in reversed(col.shape or ()):
        value = listed(value, length)
    return listed(value) if col.shape is None or col.along else value


def full_schema(components: Iterable[type[Component]]) -> dict[str, Any]:
    """Return the complete schema of files with rows of given components."""
    kinds = sorted(components, key=lambda component: component.__name__)
    whole_file = describe_format()
    calls = whole_file["properties"]["calls"]
    calls["items"]["allOf"] = [
        {
            "if": {"properties": {"kind": {"const": kind.__name__}}, "required": ["kind"]},
            "then": {"$ref": f"#/$defs/{kind.__name__}"},
        }
        for kind in kinds
    ]
    head = {
        "$schema": DRAFT,
        "title": "Model file of Windlass",
        "$defs": {k.__name__: describe_calls(k) for k in kinds},
    }
    return head | whole_file


@cache
def create_validator() -> Callable[[Mapping[str, Any]], Any]:
    """Create the class that validates content against a schema. The class accepts only finite numbers. It checks a list
    of numbers as one array, because this check is faster.
    """
    import jsonschema  # imported here, because few runs read model files

    base = jsonschema.Draft202012Validator
    standard = base.VALIDATORS["items"]

    def is_finite(_: Any, value: Any) -> bool:
        # comparisons are exact for integers of any size
        return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max

    def is_whole(_: Any, value: Any) -> bool:
        # bounds are checked only for numbers
        return isinstance(value, int) and is_finite(_, value)

    def check_items(validator: Any, items: Any, instance: Any, schema: Any) -> Iterator[Any]:
        if not (isinstance(instance, list) and is_plain(items, instance)):
            yield from standard(validator, items, instance, schema)

    checker = base.TYPE_CHECKER.redefine("number", is_finite).redefine("integer", is_whole)
    return jsonschema.validators.extend(base, {"items": check_items}, type_checker=checker)  # type: ignore[no-any-return]


def is_plain(items: Any, values: Sequence[Any]) -> bool:
    """Return whether all entries of a list are numbers, or lists of numbers of equal length, and whether the schema of
    an entry, ``items``, allows all these numbers.
    """
    inner, length = items, None
    if items.get("type") == "array" and "items" in items and items.get("minItems", -1) == items.get("maxItems"):
        length, inner = items["minItems"], items["items"]
        if not all(type(value) is list and len(value) == length for value in values):
            return False
        values = list(itertools.chain.from_iterable(values))
    kinds: dict[Any, set[type]] = {"number": {int, float}, "integer": {int}}
    name = inner.get("type")
    allowed = kinds.get(name) if isinstance(name, str) else None
    if allowed is None or "enum" in inner or not set(map(type, values)) <= allowed:
        return False
    try:
        array = np.array(values, np.float64)
    except OverflowError:
        return False
    ends = inner.get("minimum", -math.inf), inner.get("maximum", math.inf), inner.get("exclusiveMinimum", -math.inf)
    within = np.isfinite(array) & (array >= ends[0]) & (array <= ends[1]) & (array > ends[2])
    return bool(within.all())


def check_content(content: Any, schema: Mapping[str, Any], where: str, place: str = "", of: str = "") -> None:
    """Check a part of a file against its schema.

    Args:
        content: the part of the file that is checked.
        schema: JSON Schema of this part.
        where: name of the file in messages.
        place: position of the part in the file, such as ``"calls[3]"``.
        of: text after the position in messages, such as the name of the component.

    Raises:
        OutputError: the schema does not allow the content. The message gives the position.
    """
    found = list(itertools.islice(create_validator()(schema).iter_errors(content), 20))
    if found:
        # if some keys are unknown and other keys are missing, the error message names an unknown key, because the user
        # has probably misspelt a key
        error = min(found, key=lambda e: (len(e.absolute_path), e.validator != "additionalProperties"))
        raise OutputError(f"{where}: {describe_error(error, place, of)}")


def describe_error(error: Any, place: str, of: str) -> str:
    """Return a text that states the error, its position, and the allowed values."""
    for step in error.absolute_path:
        place += f"[{step}]" if isinstance(step, int) else f".{step}" if place else step
    rule, allowed, given = error.validator, error.validator_value, error.instance
    within = f"{place}{of}" if place else "the file"
    match rule:
        case "additionalProperties":
            keys = list(error.schema.get("properties", ()))
            unknown = next(key for key in given if key not in keys)
            return f"{within} has the unknown key {show(unknown)}: must be {', '.join(keys)}"
        case "required":
            missing = next(key for key in allowed if key not in given)
            return f"{within} has no {missing!r}: must have {', '.join(allowed)}"
        case "minProperties" | "maxProperties" | "dependentRequired":
            known = ", ".join(map(repr, error.schema.get("properties", {"name": 0})))
            return f"{within} has the keys {', '.join(map(repr, given)) or 'none'}: must have one of {known}"
        case "minItems" | "maxItems":
            return f"{within} has {len(given)} entries: must have {allowed}"
    words = {
        "minimum": f">= {show(allowed)}",
        "maximum": f"<= {show(allowed)}",
        "exclusiveMinimum": f"> {show(allowed)}",
        "const": show(allowed),
        "pattern": "64 hexadecimal digits",
    }
    if rule == "type":
        kinds = [allowed] if isinstance(allowed, str) else allowed
        words["type"] = " or ".join(WORDS[kind] for kind in kinds)
    if rule == "enum":
        words["enum"] = "one of " + ", ".join(map(show, allowed))
    return f"{place} = {show(given)}{of}: must be {words[rule]}"
