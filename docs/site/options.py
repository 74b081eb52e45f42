"""Generate the reference of options: options of models, options of solvers, and the commands of `windlass`."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from typing import Any

from components import cell, table

import windlass as wl
from windlass.framework.command_line.listing import framework_options
from windlass.framework.launch.arguments import Option
from windlass.solvers.own_options import TABLES

HEADINGS = ["option", "default", "meaning", "allowed"]


def find_solver(prefix: str) -> dict[str, Any]:
    """Return name and defaults of the solver with a prefix, or empty values if no solver has this prefix.

    The argument ``passes`` of a solver has several options, ``discontinuous_max_it`` and others, whose defaults are the
    defaults of `Passes`.
    """
    for name in wl.__all__:
        kind = getattr(wl, name)
        if isinstance(kind, type) and "__init__" in vars(kind):
            given = {p.name: p.default for p in inspect.signature(kind).parameters.values()}
            if given.get("prefix") == prefix:
                passes = vars(wl.Passes()) if "passes" in given else {}
                return {"": name} | {f"discontinuous_{field}": value for field, value in passes.items()} | given
    return {}


def option_rows(items: dict[str, Option], defaults: dict[str, Any]) -> list[list[str]]:
    """Return rows of the table of options, with the defaults of a solver."""
    rows = []
    for name, item in items.items():
        value = defaults.get(item.name, item.default) if defaults else item.default
        words = "of the model" if value is inspect.Parameter.empty else "" if value is None else str(value)
        words = words.lower() if isinstance(value, bool) else words
        rows.append([f"`-{name}`", cell(words or "none"), cell(item.doc), cell(item.describe_allowed())])
    return rows


def windlass(*words: str) -> str:
    """Return the output of a command of `windlass`."""
    command = [sys.executable, "-m", "windlass.commands.cli", *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def options_page() -> str:
    """Return the page of all options."""
    parts = [
        "# Options",
        "An option has the form `-name value`. Options of Windlass, of the model and of PETSc may have any order. "
        "[Solver options](../docs/reference/solver_options.md) explains their use and the options of PETSc. "
        "`windlass run MODEL.py -help petsc` lists the options that the solvers of a model read.",
        "## All models",
        table(HEADINGS, option_rows(framework_options(), {})),
    ]
    for prefix, items in TABLES.items():
        solver = find_solver(prefix)
        if items:
            parts += [
                f"## Solvers with the prefix `{prefix}`",
                f"Arguments of `{solver['']}` replace the defaults of this table, and the command line replaces both."
                if solver
                else "",
                table(HEADINGS, option_rows({prefix + name: item for name, item in items.items()}, solver)),
            ]
    text = windlass("help")
    parts += ["## Commands", f"```text\n{text}\n```"]
    for name in dict.fromkeys(re.findall(r"^windlass (\w+)", text, re.MULTILINE)):
        if name not in ("run", "modes", "doctor", "version", "help"):
            parts += [f"### windlass {name}", f"```text\n{windlass(name, '-help')}\n```"]
    return "\n\n".join(part for part in parts if part) + "\n"
