"""Generate the reference of components from schemas and laws: one page for each component, and a list by role."""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path

import numpy as np
from component_drawings import draw

import windlass.connectors
import windlass.elements
from windlass.framework.model.law import Law, laws
from windlass.framework.model.schema import REQUIRED, Column, Component, describe_target

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("windlass.framework", "windlass.elements", "windlass.connectors")
ROLES = {
    "node": "Nodes",
    "body": "Bodies",
    "element": "Cables and other elements",
    "connector": "Springs and contact",
    "constraint": "Constraints",
    "load": "Loads",
    "marker": "Markers",
    "passive": "Input of other components",
    "data": "History values",
}
"""Titles of the roles of laws, in the order of the list of components."""


def find_components() -> dict[type[Component], Law]:
    """Return components with their laws, by role and name, without types created on demand (`GenericNode2`)."""
    for package in (windlass.elements, windlass.connectors):
        for name in package.__all__:
            getattr(package, name)
    own = {c: law for c, law in laws().items() if c.__module__.startswith(PACKAGES)}
    found = {c: law for c, law in own.items() if c.__name__ in vars(sys.modules[c.__module__])}
    order = list(ROLES)
    return dict(sorted(found.items(), key=lambda item: (order.index(item[1].role), item[0].__name__)))


def own_text(component: type[Component]) -> str:
    """Return the docstring of a component without the generated lists of its schema."""
    text = re.split(r"^(?:References|Columns|Outputs):$", component.__doc__ or "", maxsplit=1, flags=re.MULTILINE)[0]
    return text.strip().replace("``", "`")


def cell(text: object) -> str:
    """Return text for a table cell, with each `|` escaped."""
    return str(text).replace("|", "\\|").replace("\n", " ").replace("*", "\\*").replace("<", "&lt;")


def unit_cell(unit: str) -> str:
    """Return a unit for a table cell, with non-breaking spaces."""
    return cell(unit).replace(" ", "\u00a0")


def table(headings: list[str], rows: list[list[str]]) -> str:
    """Return a table in Markdown."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def describe_default(column: Column) -> str:
    """Return the text of the default of a column, or of a missing default."""
    if column.default is REQUIRED:
        return "**required**"
    value = column.default
    values = value if isinstance(value, tuple | list) else [value]
    words = ", ".join(f"{x:g}" if isinstance(x, float) else str(x) for x in values)
    return cell(f"({words})" if values is value else words)


def describe_allowed(column: Column) -> str:
    """Return the description of the allowed values of a column: kind (except for numbers), shape and range."""
    kinds = {"f": "", "i": "whole number", "b": "true or false", "U": "word", "O": "function"}
    shape = "any number of values" if column.shape is None else f"shape {column.shape}" if column.shape else ""
    along = f"one for each of {column.along}" if column.along else ""
    words = [kinds[np.dtype(column.dtype).kind], shape, along, column.bounds()]
    return cell(", ".join(word for word in words if word))


def cite(source: str) -> str:
    """Return the source of a law with links into the bibliography."""
    return re.sub(r"\[@([\w:-]+)\]", r"{cite:t}`\1`", source)


def component_page(component: type[Component], law: Law) -> str:
    """Return the page of one component."""
    name = component.__name__
    place = ".".join(component.__module__.split(".")[:2])
    file = Path(inspect.getsourcefile(component) or "").resolve().relative_to(ROOT)
    parts = [f"# {name}", own_text(component), f"![Drawing of the columns of {name}](drawings/{name}.svg)"]
    parts.append(f"Role: {law.role}. Import: `from {place} import {name}`. File: `{file}`.")
    if law.source:
        parts.append(f"Source: {cite(law.source)}.")
    if component.refs:
        rows = [
            [f"`{r.name}`", cell(describe_target(r)), cell(r.doc), "may be left out" if r.optional else "**required**"]
            for r in component.refs.values()
        ]
        parts += ["## References", table(["reference", "to", "meaning", ""], rows)]
    if component.columns:
        columns = sorted(component.columns.values(), key=lambda column: column.default is not REQUIRED)
        rows = [
            [
                f"`{c.name}`",
                "" if c.dtype is object else unit_cell(c.unit),
                cell(c.doc) + ("; switchable" if c.switchable else ""),
                describe_allowed(c),
                describe_default(c),
            ]
            for c in columns
        ]
        headings = ["column", "unit", "meaning", "allowed", "default"]
        parts += ["## Columns", table(headings, rows)]
    if law.outputs:
        rows = [[f"`{key}`", unit_cell(output.unit), cell(output.doc)] for key, output in law.outputs.items()]
        parts += ["## Outputs", table(["output", "unit", "meaning"], rows)]
    return "\n\n".join(part for part in parts if part) + "\n"


def component_drawings() -> dict[str, bytes]:
    """Return all drawings of components, by file name."""
    return {f"{component.__name__}.svg": draw(component.__name__) for component in find_components()}


def component_pages() -> dict[str, str]:
    """Return all pages of components by file name, including the list ``index.md``."""
    found = find_components()
    pages = {f"{component.__name__}.md": component_page(component, law) for component, law in found.items()}
    index = [
        "# Components",
        "`World.add` adds rows to the table of a component; each row is one entity. All values are in SI units.",
    ]
    for role, title in ROLES.items():
        rows = [
            [f"[{c.__name__}]({c.__name__}.md)", cell(own_text(c).split("\n")[0])]
            for c, law in found.items()
            if law.role == role
        ]
        if rows:
            index += [f"## {title}", table(["component", ""], rows)]
    index.append("```{toctree}\n:hidden:\n:glob:\n\n*\n```")
    return pages | {"index.md": "\n\n".join(index) + "\n"}
