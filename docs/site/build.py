"""The documentation site: puts the pages, the reference and the gallery into build/site and runs Sphinx.

`make docs` calls it.  The first time takes some minutes, because all examples are run for the gallery; their results
are kept until the package or the example changes.

Pages keep their relative places, so links of a code host also work here.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
BUILD = ROOT / "build" / "site"
SOURCE = BUILD / "source"
AT_ROOT = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE")
LINK = re.compile(r"\[([^]]*)\]\(([^()\s#:]+)\)")
TREE = """

```{{toctree}}
:hidden:
:caption: {title}
:glob:

{pages}
```
"""
TREES = {
    "Tutorials": ["../README", "tutorials/ten_minutes", "tutorials/first_belt", "tutorials/*", "../gallery/index"],
    "How to": [
        *(
            f"howto/{name}"
            for name in ("drives", "choose_contact", "meshes", "controllers", "output", "evaluate", "energy", "modes")
        ),
        *(f"howto/{name}" for name in ("sweeps", "tuning", "restart", "parallel", "notebooks", "types", "model_files")),
        "howto/exudyn",
        "howto/add_a_connector",
        "howto/*",
    ],
    "Reference": ["../reference/components/index", "../reference/api/*", "../reference/*", "reference/*"],
    "Theory": [
        "explanation/theory/index",
        *(f"explanation/theory/{name}" for name in ("cable", "contact", "friction", "surfaces", "cable_contact")),
        *(f"explanation/theory/{name}" for name in ("statics", "dynamics", "explicit", "linear_systems", "markers")),
        "explanation/theory/*",
    ],
    "Explanation": ["explanation/*"],
    "Project": ["../CONTRIBUTING", "../CHANGELOG"],
}
"""The side bar, in the order in which readers need the pages."""
STYLE = """article table.docutils { font-size: 0.85em; margin-left: 0; }
article table.docutils td { text-align: left; }
"""
MORE = """
Generated from the code: the [components](../reference/components/index.md) with all columns, functions and
classes of [windlass](../reference/api/models.md), [elements](../reference/api/elements.md) and
[connectors](../reference/api/connectors.md), names for [new laws](../reference/api/framework.md), all
[options](../reference/options.md), the [bibliography](../reference/bibliography.md), and the
[gallery](../gallery/index.md) of the examples.
"""
START = '<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={page}.html">\n'


def copy_pages() -> None:
    """The unchanged pages, and the index with the tree of the site at its end."""
    shutil.copytree(ROOT / "docs", SOURCE / "docs", ignore=shutil.ignore_patterns("site", "__pycache__"))
    for name in AT_ROOT:
        shutil.copy(ROOT / name, SOURCE / name)
    shutil.copy(ROOT / "src" / "windlass" / "bibliography.bib", SOURCE)
    index = SOURCE / "docs" / "index.md"
    foot = MORE + "".join(TREE.format(title=title, pages="\n".join(pages)) for title, pages in TREES.items())
    index.write_text(index.read_text(encoding="utf-8") + foot, encoding="utf-8")


def copy_linked_files() -> None:
    """Copy linked files that are not pages, such as tests; links to folders become plain text."""
    for page in [*SOURCE.glob("*.md"), *(SOURCE / "docs").rglob("*.md")]:
        text = LINK.sub(partial(follow_link, page), page.read_text(encoding="utf-8"))
        page.write_text(text, encoding="utf-8")


def follow_link(page: Path, found: re.Match[str]) -> str:
    """The new form of a link of a page; copies the linked file."""
    there = (page.parent / found[2]).resolve()
    here = ROOT / there.relative_to(SOURCE) if there.is_relative_to(SOURCE) else ROOT
    if here.is_file() and not there.exists():
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(here, there)
    return found[1] if here.is_dir() and here != ROOT else found[0]


def write(folder: str, pages: dict[str, str]) -> None:
    """Write pages by file name."""
    (SOURCE / folder).mkdir(parents=True, exist_ok=True)
    for name, text in pages.items():
        (SOURCE / folder / name).write_text(text, encoding="utf-8")


def write_reference() -> None:
    """All pages that follow from the code."""
    from api import api_pages
    from components import component_pages
    from options import options_page

    write("reference/components", component_pages())
    write("reference/api", api_pages())
    bibliography = "# Bibliography\n\nThe sources of the laws; `wl.citations(world)` prints those of a model.\n\n"
    bibliography += "```{bibliography}\n:all:\n```\n"
    write("reference", {"options.md": options_page(), "bibliography.md": bibliography})


def schema_text() -> str:
    """The schema of model files, with all components of the package."""
    from components import find_components

    from windlass.framework.model.model_schema import full_schema

    return json.dumps(full_schema(find_components()), indent=1, ensure_ascii=False) + "\n"


def main() -> int:
    """Make the site; the exit code of Sphinx."""
    sys.path.insert(0, str(HERE))
    shutil.rmtree(SOURCE, ignore_errors=True)
    copy_pages()
    copy_linked_files()
    write_reference()
    from gallery import write_gallery

    write_gallery(SOURCE / "gallery", SOURCE / "extra", BUILD / "kept")
    write("extra", {"index.html": START.format(page="/".join(("docs", "index")))})
    write("extra", {"model.schema.json": schema_text()})
    write("static", {"site.css": STYLE})
    shutil.copy(HERE / "conf.py", SOURCE)
    # warnings are errors, all of them are shown, and pages of an earlier build are not taken over
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-E", "-j", "2", "-b", "html"]
    # absolute, because kernels of notebooks run in their own folders
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYVISTA_JUPYTER_BACKEND": "static"}
    code = subprocess.call([*command, str(SOURCE), str(BUILD / "html")], env=env, cwd=ROOT)
    if code == 0:
        print(f"open {BUILD / 'html' / 'index.html'}")
    return code


if __name__ == "__main__":
    sys.exit(main())
