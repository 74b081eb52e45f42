"""What ``help`` says about a component: its columns and references with units, meanings, bounds and defaults.

Built from the schema, so that it is never behind it.
"""

from __future__ import annotations

from collections.abc import Mapping
from inspect import cleandoc
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from windlass.framework.model.law import Output
    from windlass.framework.model.schema import Column, Component


def describe_component(component: type[Component], text: str, required: Any) -> str:
    """The docstring of a component: its own text, then one line for each reference and column, required ones first.

    ``required`` is the mark of columns without default.
    """
    lines = [cleandoc(text) or component.__name__, ""]
    if component.refs:
        lines.append("References:")
        for name, ref in component.refs.items():
            lines.append(f"    {name}: {ref.doc} ({ref.target}{', may be left out' if ref.optional else ''})")
        lines.append("")
    if component.columns:
        lines.append("Columns:")
        # a stable sort keeps the order of the schema otherwise
        for column in sorted(component.columns.values(), key=lambda column: column.default is not required):
            lines.append(f"    {describe_column(column, required)}")
        lines.append("")
    return "\n".join(lines)


def describe_column(column: Column, required: Any) -> str:
    """Name, unit, meaning, and what is allowed: ``length [m]: length of the cable; > 0; required``."""
    # functions have no unit of their own
    unit = "" if column.dtype is object else f"[{column.unit}]"
    words = [f"{column.name} {unit}".strip() + f": {column.doc}"]
    if column.shape is None:
        words.append("any number of values")
    elif column.shape:
        words.append(f"shape {column.shape}")
    if column.choices is not None:
        words.append("one of " + ", ".join(map(str, column.choices)))
    elif column.above is not None:
        words.append(f"> {column.above:g}")
    elif column.minimum is not None:
        words.append(f">= {column.minimum:g}")
    words.append("required" if column.default is required else f"default {_plain(column.default)}")
    if column.switchable:
        words.append("switchable")
    return "; ".join(words)


def describe_outputs(outputs: Mapping[str, Output]) -> str:
    """One line for each output variable, empty if there is none."""
    if not outputs:
        return ""
    lines = [f"    {name} [{output.unit}]: {output.doc}" for name, output in outputs.items()]
    return "\n".join(["", "Outputs:", *lines, ""])


def _plain(value: Any) -> str:
    if isinstance(value, (tuple, list, np.ndarray)):
        return "(" + ", ".join(map(_plain, value)) + ("," if len(value) == 1 else "") + ")"
    return f"{value:g}" if isinstance(value, float) else str(value)
