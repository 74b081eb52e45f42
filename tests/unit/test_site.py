"""The reference of the documentation site contains every component, name and option, and the gallery contains every
example.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
from unit.test_words import AMERICAN, find_phrases, prose_of

import windlass as wl
import windlass.connectors
import windlass.elements
import windlass.framework
from windlass.elements.nodes import generic_nodes
from windlass.framework.model.model_schema import full_schema
from windlass.framework.model.schema import Component
from windlass.solvers.own_options import TABLES

from hostile.models import COMPONENTS

ROOT = Path(__file__).parents[2]
SITE = ROOT / "docs" / "site"


def site(name: str) -> ModuleType:
    """Load a module of the site, which is not a package."""
    sys.path.insert(0, str(SITE))
    try:
        return import_module(name)
    finally:
        sys.path.remove(str(SITE))


def registered_names() -> set[str]:
    """Return the names of all components whose class is defined in the package, found in the text of its files."""
    # base classes of several laws: references to inputs, parameters of contact, columns of beams and ropes with twist
    shared = {
        "Inputs",
        "PointContact",
        "SegmentContact",
        "SpaceBeam",
        "TurningContact",
        "TurningBedContact",
        "TwistRope3D",
    }
    names = set[str]()
    known = {"Component", "Cable2D", "ALENode", *shared}
    for top in ("framework", "elements", "connectors"):
        for path in (ROOT / top).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                bases = [getattr(base, "id", "") for base in node.bases] if isinstance(node, ast.ClassDef) else []
                names |= {node.name for base in bases if base in known | names}  # type: ignore
    return names - shared


def test_every_component_is_in_the_reference() -> None:
    """Every component is in the reference, with all of its columns, references and outputs, and also in the list of
    components.
    """
    components = site("components")
    pages = components.component_pages()
    names = registered_names()
    assert len(names) > 45
    assert names <= {page.removesuffix(".md") for page in pages}
    for component, law in components.find_components().items():
        page = pages[f"{component.__name__}.md"]
        for name in (*component.columns, *component.refs, *law.outputs):
            assert f"| `{name}` |" in page, f"{component.__name__}.{name}"
        assert f"({component.__name__}.md)" in pages["index.md"]
        assert "Source: " in page


def test_generated_pages_are_plain() -> None:
    """Generated pages contain no phrase and no spelling that `test_words.py` rejects, even in texts of columns."""
    pages = {**site("components").component_pages(), "options.md": site("options").options_page()}
    pages |= {f"api/{name}": page for name, page in site("api").api_pages().items()}
    prose = {name: prose_of(page) for name, page in pages.items()}
    assert {name: found for name, text in prose.items() if (found := find_phrases(text))} == {}
    assert {name: found for name, text in prose.items() if (found := re.findall(AMERICAN, text, re.I))} == {}


def test_a_column_has_its_unit_range_and_default() -> None:
    page = site("components").component_pages()["Cable2D.md"]
    assert "| `length` | m | length L of the cable without strain | > 0 | **required** |" in page
    assert "| `axial_damping` | N\u00a0s | axial damping d_EA: force per strain rate | >= 0 | 0 |" in page
    assert "{cite:t}`gerstmayr2006`" in page


def test_every_component_has_a_drawing_of_its_columns() -> None:
    assert generic_nodes.GenericNode2.__name__ == "GenericNode2"  # other tests may have created a node kind on demand
    drawings, names = site("component_drawings"), {c.__name__ for c in site("components").find_components()}
    assert set(drawings.DRAWINGS) == names
    for name in ("Cable2D", "ContactFrictionCirclePoints2D"):
        assert drawings.draw(name) == drawings.draw(name)  # drawings have no date and no random name
        assert f"(drawings/{name}.svg)" in site("components").component_pages()[f"{name}.md"]


@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "explanation" / "theory").glob("*.md")), ids=lambda p: p.stem)
def test_a_theory_page_begins_with_an_equation_and_a_figure(page: Path) -> None:
    """The first section of a theory page has an equation and a figure. The index page has neither equation nor
    figure.
    """
    if page.stem == "index":
        return
    head = "".join(page.read_text(encoding="utf-8").split("\n## ")[:2])
    assert "```math" in head
    assert re.search(r"!\[[^]]+\]\(\.\./\.\./pictures/\w+\.png\)", head)


def test_the_key_of_kept_results_ignores_docstrings_and_comments() -> None:
    strip = site("gallery").strip_docstrings
    assert strip('"""One."""\ndef f():\n    """Two."""\n    return 1  # three\n') == strip("def f(): return 1")
    assert strip("def f(): return 1") != strip("def f(): return 2")


def test_broken_links_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text('<a href="b.html#here">b</a><a href="b.html#there">b</a><img src="no%20.png">')
    (tmp_path / "b.html").write_text('<p id="here"><a href="#here">x</a><a href="https://example.org">e</a></p>')
    assert site("build").find_broken_links(tmp_path) == ["a.html: b.html#there", "a.html: no .png"]


def test_names_in_tables_may_break() -> None:
    page = '<p><span class="pre">a_b</span></p><table><tr><td><span class="pre">c_d</span> e_f</td></tr></table>'
    assert site("build").allow_breaks(page) == page.replace("c_d", "c_<wbr>d")


def test_every_public_name_is_in_the_reference() -> None:
    text = "".join(site("api").api_pages().values())
    for package in (wl, windlass.elements, windlass.connectors, windlass.framework):
        for name in package.__all__:
            value = getattr(package, name)
            if isinstance(value, type) and issubclass(value, Component) and value is not Component:
                continue
            # types of arrays have no entry in the reference, and some names can be imported from two packages
            shown = {
                f"{p}.{name}" for p in ("windlass", "windlass.elements", "windlass.connectors", "windlass.framework")
            }
            assert name in ("FloatArray", "IntArray") or any(f":: {path}\n" in text for path in shown), name


def test_every_option_is_in_the_reference() -> None:
    page = site("options").options_page()
    names = {prefix + name for prefix, items in TABLES.items() for name in items}
    for path in (ROOT / "framework" / "command_line").glob("*.py"):
        names |= set(re.findall(r'\boption\(\s*"(\w+)", ', path.read_text(encoding="utf-8")))
    assert {"report", "checkpoint", "dynamic_step", "static_stability"} <= names
    assert [name for name in sorted(names - {"elements"}) if f"| `-{name}` |" not in page] == []
    assert "windlass show FILE" in page


def test_defaults_of_options_are_the_defaults_of_solvers(tmp_path: Path) -> None:
    """The page of options states the defaults that `-help` lists."""
    script = tmp_path / "mass.py"
    script.write_text(
        "import windlass as wl\nfrom windlass.elements import MassPoint\nworld = wl.World()\n"
        "world.add(MassPoint, position=(0.0, 0.0), mass=1.0)\n"
        "wl.Static(world), wl.Dynamic(world, step=0.1, end=1.0), wl.Explicit(world, step=0.1, end=1.0)\n"
    )
    command = [sys.executable, "-m", "windlass.commands.cli", "run", str(script), "-help"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    listed = dict(re.findall(r"^  -((?:static|dynamic|explicit)_\w+) <(.*?)>", text, re.MULTILINE))
    page = site("options").options_page()
    stated = dict(re.findall(r"^\| `-((?:static|dynamic|explicit)_\w+)` \| (.*?) \|", page, re.MULTILINE))
    assert len(listed) > 30
    assert {name: stated[name] for name in listed if not name.endswith(("_step", "_end"))} == {
        name: value for name, value in listed.items() if not name.endswith(("_step", "_end"))
    }


def test_the_schema_of_model_files_is_published() -> None:
    """The published schema equals the schema that `tests/unit/test_model_file.py` tests, with all components."""
    site("components")
    schema = json.loads(site("build").schema_text())
    looked_at = json.loads(json.dumps(full_schema(COMPONENTS)["$defs"]))
    assert schema["$defs"] | looked_at == schema["$defs"]
    assert registered_names() <= set(schema["$defs"])


def test_short_forms_are_of_examples_and_their_options() -> None:
    gallery = site("gallery")
    for name, words in gallery.SHORT.items():
        text = (ROOT / "examples" / f"{name}.py").read_text(encoding="utf-8")
        for option in (word[1:] for word in words if word[0] == "-" and word[1:2].isalpha()):
            assert f'wl.option("{option}"' in text, f"{name}: -{option}"


def test_an_example_has_its_picture_and_page(tmp_path: Path) -> None:
    """One example has a picture and a page; `test_the_site_is_made` tests all examples."""
    gallery = site("gallery")
    example = ROOT / "examples" / "mass_on_springs.py"
    assert example in gallery.EXAMPLES
    printed = gallery.run_example(example, tmp_path)
    suffix, picture = gallery.find_picture(tmp_path)
    assert suffix == ".svg" and b"</svg>" in picture and len(picture) > 5000
    page = gallery.example_page(example, suffix, printed)
    assert page.startswith(
        "# Mass on springs\n\nA mass on springs along the global axes. The static deflection is F/k, and"
    )
    assert "pictures/mass_on_springs.svg" in page and "frequency along z [Hz]" in page


def test_results_of_examples_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An example runs again only if its script, its options or the package have changed."""
    gallery, runs = site("gallery"), []

    def run(example: Path, folder: Path) -> str:
        runs.append(example.stem)
        (folder / "report.html").write_text("a report")
        return "printed"

    monkeypatch.setattr(gallery, "run_example", run)
    monkeypatch.setattr(gallery, "find_picture", lambda folder: (".png", b"picture"))
    script = tmp_path / "script.py"
    for text, package in (("a = 1", "0"), ("a = 1", "0"), ("a = 2", "0"), ("a = 2", "1")):
        script.write_text(text)
        results = gallery.find_results(script, tmp_path / "kept", package)
        assert sorted(path.name for path in results.iterdir()) == ["picture.png", "printed.txt", "report.html"]
    assert len(runs) == 3
    assert len(gallery.hash_package()) == 64


def test_attributes_that_share_a_description_are_listed_one_by_one() -> None:
    lines = [
        "A law.",
        "",
        "Attributes:",
        "    a, b: speeds [m/s].",
        "    c: force, torque: both [N].",
        "    d, e, f: place [m],",
        "        speed [m/s] and time [s].",
        "",
        "a, b: words",
    ]
    site("conf").split_groups(None, "class", "Law", None, None, lines)
    assert lines[3:6] == ["    a: speeds [m/s].", "    b: speeds [m/s].", "    c: force, torque: both [N]."]
    assert lines[6:8] == ["    d: d, e, f: place [m],", "        speed [m/s] and time [s]."]
    assert lines[8:10] == ["    e: see d.", "    f: see d."]
    assert lines[-1] == "a, b: words"


def test_types_of_arguments_have_short_names() -> None:
    shorten = site("conf").shorten_types
    array = "~numpy.ndarray[~typing.Any, ~numpy.dtype[~numpy.{}]]"
    assert shorten(f"(a: ~collections.abc.Sequence[float] | {array.format('float64')})") == (
        "(a: Sequence[float] | FloatArray)"
    )
    assert shorten("numpy.ndarray[Any, numpy.dtype[numpy.bool_]] | ~windlass.World") == "ndarray | ~windlass.World"


def test_titles_of_examples_are_short() -> None:
    gallery = site("gallery")
    titles = [gallery.title_of(example) for example in gallery.EXAMPLES]
    assert {"ALE belt", "Belt drive", "Hoist FMU"} <= set(titles) and len(set(titles)) == len(titles)
    summary, rest = gallery.split_docstring('"""A belt runs\nover a pulley.\n\nRun it.\n"""')
    assert (summary, rest) == ("A belt runs over a pulley.", "Run it.")


def test_a_run_without_a_picture_is_an_error(tmp_path: Path) -> None:
    gallery = site("gallery")
    (tmp_path / "report.html").write_text('<section id="s0"><h2>Model</h2><p>none</p></section>')
    with pytest.raises(RuntimeError, match="no picture"):
        gallery.find_picture(tmp_path)


@pytest.mark.long
def test_the_site_is_made() -> None:
    """The site is created as by `make docs`, without a warning. Every example has a picture and a page."""
    pytest.importorskip("sphinx", reason="make docs installs it")
    done = subprocess.run([sys.executable, SITE / "build.py"], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr[-3000:]
    made = ROOT / "build" / "site" / "html"
    for example in site("gallery").EXAMPLES:
        page = (made / "gallery" / f"{example.stem}.html").read_text(encoding="utf-8")
        pictures = re.findall(r'src="\.\./(_images/[^"]+)"', page)
        assert pictures and all((made / picture).stat().st_size > 1000 for picture in pictures), example.stem
        assert (made / "reports" / f"{example.stem}.html").is_file()
    for page in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")):
        assert (made / page.relative_to(ROOT)).with_suffix(".html").is_file(), page.name
