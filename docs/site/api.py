"""Generate the reference of the public names: one page per task, which Sphinx fills from the docstrings."""

from __future__ import annotations

import inspect
from types import ModuleType

from tasks import TASKS

import windlass
import windlass.connectors
import windlass.elements
import windlass.framework
from windlass.framework.kernels.kernel import KernelFunction
from windlass.framework.model.schema import Component, Family

PACKAGES = {windlass: "wl.", windlass.elements: "", windlass.connectors: "con.", windlass.framework: ""}
"""Packages with public names, and the prefixes of their names on the pages."""


def is_component(value: object) -> bool:
    """Return whether a name has a page in the reference of components."""
    return isinstance(value, type) and issubclass(value, Component) and value is not Component


def directive(package: ModuleType, name: str) -> str:
    """Return the Sphinx directive of a name, or an empty string for names without a docstring."""
    value = getattr(package, name)
    path = f"{package.__name__}.{name}"
    if isinstance(value, type):
        members = "\n   :members:" if not issubclass(value, BaseException) or vars(value).get("state") else ""
        return f".. autoclass:: {path}{members}"
    if inspect.isroutine(value) or isinstance(value, KernelFunction):
        return f".. autofunction:: {path}"
    if isinstance(value, Family):
        return f".. autodata:: {path}"
    return ""


def find_names() -> dict[str, ModuleType]:
    """Return the public functions and classes that are not components, each with the first package that exports the
    name."""
    found: dict[str, ModuleType] = {}
    for package in PACKAGES:
        for name in package.__all__:
            if not is_component(getattr(package, name)) and directive(package, name):
                found.setdefault(name, package)
    return found


def first_sentence(value: object) -> str:
    """Return the first sentence of a docstring, on one line and without links."""
    text = (inspect.getdoc(value) or "").split("\n\n")[0].replace("\n", " ").replace("``", "`")
    return text.partition(". ")[0].partition(".  ")[0].rstrip(".").replace("|", "\\|").replace("*", "\\*")


def api_pages() -> dict[str, str]:
    """Return the pages by file name, with ``index.md``, the list of all names by task.

    Raises:
        KeyError: a public name has no task, or a task contains an unknown name.
    """
    names, pages = find_names(), {}
    index = [
        "# Functions and classes",
        "The names are ordered by task. The prefix `wl` stands for `import windlass as wl`, and `con` stands for "
        "`from windlass import connectors as con`. Import names without a prefix from `windlass.elements`, and names "
        "for new laws from `windlass.framework`.",
    ]
    for page, (title, text, sections) in TASKS.items():
        parts = [f"# {title}", text]
        index.append(f"## [{title}]({page}.md)")
        for section, words in sections.items():
            parts.append(f"## {section}")
            rows = []
            for name in words.split():
                package = names.pop(name)
                link = f"{{py:obj}}`{PACKAGES[package]}{name} <{package.__name__}.{name}>`"
                rows.append(f"| {link} | {first_sentence(getattr(package, name))} |")
                parts.append(f"```{{eval-rst}}\n{directive(package, name)}\n```")
            index.append(f"**{section}**\n\n| name | |\n| --- | --- |\n" + "\n".join(rows))
        pages[f"{page}.md"] = "\n\n".join(parts) + "\n"
    if names:
        raise KeyError(f"docs/site/tasks.py: no task for {', '.join(sorted(names))}")
    index.append("```{toctree}\n:hidden:\n\n" + "\n".join(TASKS) + "\n```")
    return pages | {"index.md": "\n\n".join(index) + "\n"}
