"""The reference of the public names: one page for each package, made by Sphinx from the docstrings."""

from __future__ import annotations

import inspect
from types import ModuleType

import windlass
import windlass.connectors
import windlass.elements
import windlass.framework
from windlass.framework.model.schema import Component

PAGES = {
    "models": (windlass, "Models, solvers and output: `import windlass as wl`."),
    "elements": (windlass.elements, "Functions that make cables, nets and routes; components have pages of their own."),
    "connectors": (
        windlass.connectors,
        "Supports, drives, contact: `from windlass import connectors as con`.",
    ),
    "framework": (windlass.framework, "What files of new laws import."),
}


def is_component(value: object) -> bool:
    """Whether a name has a page among the components."""
    return isinstance(value, type) and issubclass(value, Component) and value is not Component


def directive(package: ModuleType, name: str) -> str:
    """Directive of Sphinx for a name; empty for names without a docstring."""
    value = getattr(package, name)
    path = f"{package.__name__}.{name}"
    if isinstance(value, type):
        members = "\n   :members:" if not issubclass(value, BaseException) or vars(value).get("state") else ""
        return f".. autoclass:: {path}{members}"
    if inspect.isroutine(value):
        return f".. autofunction:: {path}"
    return ""


def api_pages() -> dict[str, str]:
    """The pages by file name."""
    pages = {}
    seen: set[int] = set()
    for title, (package, text) in PAGES.items():
        parts = [f"# {package.__name__}", text]
        names = sorted(package.__all__, key=lambda name: (not name[0].isupper(), name.lower()))
        for name in names:
            value = getattr(package, name)
            # some names are offered by two packages
            if is_component(value) or id(value) in seen:
                continue
            seen.add(id(value))
            if words := directive(package, name):
                parts += [f"## {name}", f"```{{eval-rst}}\n{words}\n```"]
        pages[f"{title}.md"] = "\n\n".join(parts) + "\n"
    return pages
