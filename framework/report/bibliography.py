"""Literature sources of laws: the file bibliography.bib of the package, and the selection of the sources that a model
uses.

A law names its source as text. The keys of the bibliography are in brackets: ``source="[@hunt1975]; Simbody 3.7"``.
"""

from __future__ import annotations

import re
import sys
from functools import cache
from pathlib import Path

from windlass.framework.checks.checks import checked, instance
from windlass.framework.launch.launcher import is_first_process
from windlass.framework.model.law import law_of
from windlass.framework.model.world import World

FILE = Path(str(sys.modules["windlass"].__file__)).parent / "bibliography.bib"
KEY = r"\[@([\w:-]+)\]"
"""Regular expression for a reference to an entry of the bibliography."""


@cache
def read_bibliography() -> dict[str, str]:
    """Return the entries of the bibliography in BibTeX, by key."""
    found = re.finditer(r"^@\w+\{([^,]+),.*?^\}", FILE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return {entry[1]: entry[0] for entry in found}


def find_keys(source: str) -> list[str]:
    """Return the keys of the bibliography that occur in the source of a law."""
    return re.findall(KEY, source)


def collect_sources(world: World) -> dict[str, list[str]]:
    """Return the laws that a model uses, grouped by source, in the order of the tables of the model."""
    sources: dict[str, list[str]] = {}
    for component, table in world.tables.items():
        law = law_of(component)
        if table.count and law is not None and law.source:
            sources.setdefault(law.source, []).append(component.__name__)
    return sources


def format_citations(world: World) -> str:
    """Return the sources of the laws that a model uses, as a text in BibTeX format. For each source, a comment in the
    text names the laws from this source.
    """
    sources, entries = collect_sources(world), read_bibliography()
    # the replacement removes @, which is the only special character outside of entries in BibTeX
    lines = ["% " + ", ".join(laws) + ": " + re.sub(KEY, r"\1", source) for source, laws in sources.items()]
    keys = dict.fromkeys(key for source in sources for key in find_keys(source))
    return "\n".join([*lines, *(f"\n{entries[key]}" for key in keys if key in entries)])


@checked(world=instance("World"))
def citations(world: World) -> None:
    """Print the sources of the laws that a model uses, as a BibTeX file, on the first process.

    For each source, a comment names the laws from this source. Sources without an entry in the bibliography appear only
    in comments.
    """
    if is_first_process():
        print(format_citations(world))
