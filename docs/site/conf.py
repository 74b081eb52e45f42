"""Settings of Sphinx for the documentation site; `docs/site/build.py` writes the sources."""

import re
from typing import Any

project = "Windlass"
author = "The Windlass developers"
copyright = author
# sphinx-mathjax-offline copies MathJax into the site, so the site works without a network
extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.mathjax",
    "sphinx-mathjax-offline",
    "sphinxcontrib.bibtex",
]
root_doc = "/".join(("docs", "index"))
html_theme = "furo"
html_title = "Windlass"
html_extra_path = ["extra"]
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False
highlight_language = "python"

# headings have the same anchors as on code hosts
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence", "fieldlist", "dollarmath"]
myst_fence_as_directive = ["math"]
# Links to files that are not pages, such as LICENSE, become downloads. Pages may begin with a heading of any level.
suppress_warnings = ["myst.header"]

# The notebooks of docs/tutorials are executed again, in their own folder. An error in a cell ends the build.
nb_execution_mode = "force"
nb_execution_in_temp = True
nb_execution_raise_on_error = True
nb_execution_timeout = 600
nb_merge_streams = True
# hidden output: progress and notes of solves, such as notes on compiled kernels
nb_output_stderr = "remove"

autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_class_signature = "mixed"
python_use_unqualified_type_names = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True

bibtex_bibfiles = ["bibliography.bib"]
bibtex_default_style = "unsrt"


napoleon_custom_sections = [("Class attributes of a schema", "params_style")]


def escape_signs(app: Any, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Escape markup characters, because docstrings are plain text: `|r'|` and `2 * x` outside of quotes are not markup,
    and `*args: ...` is an argument."""
    for k, line in enumerate(lines):
        if not re.match(r"\s*\*{1,2}\w+:", line):
            parts = re.split(r"(`+[^`]*`+)", line)
            lines[k] = "".join(part if part.startswith("`") else re.sub(r"([|*])", r"\\\1", part) for part in parts)


def split_groups(app: Any, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Split attributes that share a description, ``a, b: text``, into one entry each.

    If the text has several parts, the first entry contains the whole text, which begins with all names. The other
    entries refer to the first entry.
    """
    out: list[str] = []
    later: list[str] = []  # the other entries follow the continued lines of the first entry
    indent = ""
    for line in lines:
        if later and not line.startswith(indent + " "):
            out += later
            later = []
        found = re.match(r"(\s+)(\w+(?:, \w+)+): (.*)", line) if "Attributes:" in out else None
        if found is None:
            out.append(line)
            continue
        indent, names, text = found[1], found[2].split(", "), found[3]
        if re.search(r",|;| and ", text) or not text.endswith("."):
            out.append(f"{indent}{names[0]}: {found[2]}: {text}")
            later = [f"{indent}{attribute}: see {names[0]}." for attribute in names[1:]]
        else:
            out += [f"{indent}{attribute}: {text}" for attribute in names]
    lines[:] = out + later


ARRAY = re.compile(r"~?numpy\.ndarray\[~?(?:typing\.)?Any, ~?numpy\.dtype\[~?numpy\.(\w+)\]\]")
"""The full name of the type of an array."""
ARRAY_NAMES = {"float64": "FloatArray", "int64": "IntArray"}


def shorten_types(text: str) -> str:
    """Return annotations with short names of arrays, and without names of modules of Python."""
    text = ARRAY.sub(lambda found: ARRAY_NAMES.get(found[1], "ndarray"), text)
    return re.sub(r"~?\b(?:collections\.abc|typing)\.(?=\w)", "", text)


def shorten_signature(
    app: Any, what: str, name: str, value: Any, options: Any, signature: str | None, result: str | None
) -> tuple[str | None, str | None]:
    """Return a signature and its return type with short names of types."""
    return signature and shorten_types(signature), result and shorten_types(result)


def escape_types(app: Any, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Shorten types of annotations, and remove links from these types, because links would fail for `numpy.bool_`."""
    for k, line in enumerate(lines):
        if line.lstrip().startswith((":type", ":vartype")):
            lines[k] = re.sub(r"_(?!\w)", r"\\_", shorten_types(line))


def setup(app: Any) -> None:
    """Register the functions of this file, before and after the parser of docstring sections."""
    # The extension only copies files after the build, so pages may be read in parallel. The extension itself does not
    # declare that parallel reading is allowed.
    app.extensions["sphinx-mathjax-offline"].parallel_read_safe = True
    app.extensions["sphinx-mathjax-offline"].parallel_write_safe = True
    from sphinx.domains.python import PyObject  # tests load this file without Sphinx

    for field in PyObject.doc_field_types:
        if field.name == "variable":
            field.label = "Attributes"  # type: ignore[assignment]
    app.connect("autodoc-process-docstring", split_groups, priority=390)
    app.connect("autodoc-process-docstring", escape_signs, priority=400)
    app.connect("autodoc-process-docstring", escape_types, priority=600)
    app.connect("autodoc-process-signature", shorten_signature)
