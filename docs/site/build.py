"""Build the documentation site: copy pages, reference and gallery to build/site and run Sphinx.

`make docs` calls this program. The first build takes some minutes, because all examples are run for the gallery. The
results of the examples are kept until the package or the example changes.

Pages keep their relative positions, so links that work on a code host also work in the site.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

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
    "Tutorials": [
        *(f"tutorials/{name}" for name in ("ten_minutes", "first_belt", "serpentine_drive", "hanging_rope")),
        *(f"tutorials/{name}" for name in ("mooring_line", "net_on_processes")),
        "tutorials/*",  # Sphinx warns if a pattern matches no page
        "../gallery/index",
    ],
    "How to": [
        *(
            f"howto/{name}"
            for name in ("drives", "preload", "lines", "terminations", "choose_contact", "meshes", "controllers")
        ),
        *(f"howto/{name}" for name in ("verdict", "output", "evaluate", "energy", "modes")),
        *(f"howto/{name}" for name in ("sweeps", "optimise", "identify", "uncertainty", "derivatives")),
        *(f"howto/{name}" for name in ("tuning", "restart", "parallel", "notebooks", "types", "model_files")),
        "howto/fmu",
        "howto/exudyn",
        "howto/moordyn",
        "howto/add_a_connector",
        "howto/*",
    ],
    "Reference": [
        "../reference/components/index",
        "../reference/api/index",
        "../reference/options",
        *(f"reference/{name}" for name in ("solver_options", "notation", "examples")),
        "reference/*",
        "../reference/bibliography",
    ],
    "Theory": [
        "explanation/theory/index",
        *(f"explanation/theory/{name}" for name in ("cable", "contact", "friction", "surfaces", "cable_contact")),
        *(f"explanation/theory/{name}" for name in ("statics", "dynamics", "explicit", "linear_systems", "markers")),
        "explanation/theory/*",
    ],
    "Explanation": [f"explanation/{name}" for name in ("verification", "benchmarks", "measurements", "design")],
    "Project": ["../README", "../CONTRIBUTING", "../CHANGELOG"],
}
"""Pages of the side bar, in reading order."""
STYLE = """
article table.docutils { font-size: 0.85em; margin-left: 0; }
article table.docutils td { text-align: left; }
article table.docutils td:nth-child(3) { min-width: 11em; }
/* code of 120 characters fits on wide screens, narrow ones scroll; the side bars keep their widths */
.main { min-width: 0; }
.content { flex: 0 1 56em; min-width: 0; }
.toc-drawer { flex-shrink: 0; }
div.highlight pre { overflow-x: auto; font-size: 0.74em; }
mjx-container[display="true"] { overflow-x: auto; overflow-y: hidden; padding: 0.2em 0; }
/* pictures are drawn on white */
article img { max-width: 100%; height: auto; background: white; border-radius: 4px; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(13em, 1fr)); gap: 1em; margin: 1.5em 0; }
div.card.docutils { border: 1px solid var(--color-background-border); border-radius: 8px; }
div.card.docutils { padding: 0.2em 1em; box-sizing: border-box; }
.card:hover { border-color: var(--color-brand-primary); }
.card p:first-child { font-size: 1.15em; font-weight: bold; margin-bottom: 0; }
.gallery { grid-template-columns: repeat(auto-fill, minmax(16em, 1fr)); }
.gallery img { width: 100%; height: 12em; object-fit: contain; }
/* wide tables in the output of notebooks scroll */
div.cell_output .text_html { overflow-x: auto; }
div.cell_output .text_html td { vertical-align: top; }
/* phones: narrow columns */
@media (max-width: 46em) {
  article table.docutils { font-size: 0.8em; }
  article table.docutils td, article table.docutils th { padding: 0.2em 0.35em; }
  article table.docutils td:nth-child(3) { min-width: 9em; }
  article table.docutils td code { white-space: normal; }
}
"""
CARDS = {
    "[Learn](tutorials/ten_minutes.md)": "A first belt in ten minutes, then a serpentine drive, a mooring line, a "
    "large net, and your own law.",
    "[Do](howto/drives.md)": "One guide per question: drives, contact parameters, output, modes, restart, processes.",
    "[Look up](../reference/components/index.md)": "All [components](../reference/components/index.md) with their "
    "columns, [functions by task](../reference/api/index.md), [options](../reference/options.md), "
    "[letters](reference/notation.md).",
}
"""Links and texts of the cards on the first page."""
CARDS_HERE = "<!-- cards -->"
MORE = """
Generated from the code: the [components](../reference/components/index.md) with all columns,
[functions and classes](../reference/api/index.md) by task, all [options](../reference/options.md), the
[bibliography](../reference/bibliography.md), and the [gallery](../gallery/index.md) of the examples.
"""
START = '<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={page}.html">\n'


def format_cards() -> str:
    """Return the cards of the first page: frames that contain a link and a text."""
    cards = [f"::::{{container}} card\n{link}\n\n{text}\n::::" for link, text in CARDS.items()]
    return "\n\n".join([":::::{container} cards", *cards, ":::::"])


def copy_pages() -> None:
    """Copy the pages unchanged, except for the index. The cards are inserted into the index, and the tree of the site
    is appended.
    """
    shutil.copytree(ROOT / "docs", SOURCE / "docs", ignore=shutil.ignore_patterns("site", "__pycache__"))
    for name in AT_ROOT:
        shutil.copy(ROOT / name, SOURCE / name)
    shutil.copy(ROOT / "src" / "windlass" / "bibliography.bib", SOURCE)
    index = SOURCE / "docs" / "index.md"
    foot = MORE + "".join(TREE.format(title=title, pages="\n".join(pages)) for title, pages in TREES.items())
    text = index.read_text(encoding="utf-8").replace(CARDS_HERE, format_cards())
    index.write_text(text + foot, encoding="utf-8")


def copy_linked_files() -> None:
    """Copy linked files that are not pages, such as tests. Links to folders become plain text."""
    for page in [*SOURCE.glob("*.md"), *(SOURCE / "docs").rglob("*.md")]:
        text = LINK.sub(partial(follow_link, page), page.read_text(encoding="utf-8"))
        page.write_text(text, encoding="utf-8")


def follow_link(page: Path, found: re.Match[str]) -> str:
    """Return the link of a page in the site, and copy the linked file."""
    there = (page.parent / found[2]).resolve()
    here = ROOT / there.relative_to(SOURCE) if there.is_relative_to(SOURCE) else ROOT
    if here.is_file() and not there.exists():
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(here, there)
    return found[1] if here.is_dir() and here != ROOT else found[0]


def write(folder: str, pages: dict[str, str] | dict[str, bytes]) -> None:
    """Write pages or pictures, whose contents are given by file name."""
    (SOURCE / folder).mkdir(parents=True, exist_ok=True)
    for name, content in pages.items():
        (SOURCE / folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())


def write_reference() -> None:
    """Write all pages that are generated from the code."""
    from api import api_pages
    from components import component_drawings, component_pages
    from options import options_page

    write("reference/components", component_pages())
    write("reference/components/drawings", component_drawings())
    write("reference/api", api_pages())
    bibliography = "# Bibliography\n\nSources of the laws; `wl.citations(world)` prints the sources of one model.\n\n"
    bibliography += "```{bibliography}\n:all:\n```\n"
    write("reference", {"options.md": options_page(), "bibliography.md": bibliography})


def schema_text() -> str:
    """Return the schema of model files, with all components of the package."""
    from components import find_components

    from windlass.framework.model.model_schema import full_schema

    return json.dumps(full_schema(find_components()), indent=1, ensure_ascii=False) + "\n"


TABLE = re.compile(r"<table.*?</table>", re.DOTALL)
CODE = re.compile(r'(?<=<span class="pre">)[^<]+(?=</span>)')


def allow_breaks(page: str) -> str:
    """Return a page of HTML in which names in tables may break after underscores, so that tables fit on narrow
    screens.
    """
    return TABLE.sub(lambda table: CODE.sub(lambda code: code[0].replace("_", "_<wbr>"), table[0]), page)


class Links(HTMLParser):
    """Parser that collects the anchors, links and pictures of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.anchors.add(value)
            elif name in ("href", "src") and value and not re.match(r"[a-z]+:|//", value):
                self.links.add(unquote(value))


def find_broken_links(folder: Path) -> list[str]:
    """Return links within a site to missing files or anchors, as ``page: link``."""
    pages = {page: Links(page.read_text(encoding="utf-8")) for page in sorted(folder.rglob("*.html"))}
    broken = []
    for page, found in pages.items():
        for link in sorted(found.links):
            name, _, anchor = link.partition("#")
            there = (page.parent / name.partition("?")[0]).resolve() if name else page
            known = pages.get(there)
            if not there.exists() or (anchor and known is not None and anchor not in known.anchors):
                broken.append(f"{page.relative_to(folder)}: {link}")
    return broken


def main() -> int:
    """Build the site and check its links. Return 0 if the build and the check succeed."""
    sys.path.insert(0, str(HERE))
    os.environ["MPLBACKEND"] = "agg"
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
    # Sphinx treats all warnings as errors and does not reuse pages of an earlier build
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-E", "-j", "2", "-b", "html"]
    # the path is absolute, because kernels of notebooks run in different folders
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYVISTA_JUPYTER_BACKEND": "static"}
    code = subprocess.call([*command, str(SOURCE), str(BUILD / "html")], env=env, cwd=ROOT)
    for page in (BUILD / "html").rglob("*.html"):
        page.write_text(allow_breaks(page.read_text(encoding="utf-8")), encoding="utf-8")
    broken = find_broken_links(BUILD / "html") if code == 0 else []
    if broken:
        print("broken links:", *broken, sep="\n  ", file=sys.stderr)
        code = 1
    if code == 0:
        print(f"open {BUILD / 'html' / 'index.html'}")
    return code


if __name__ == "__main__":
    sys.exit(main())
