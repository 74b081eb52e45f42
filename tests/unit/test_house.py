"""The rooms of the code: no circle of imports, small folders and files, no law in the framework."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import windlass.connectors
import windlass.elements
from windlass.framework.model.law import laws

ROOT = Path(__file__).parents[2]
TOPS = ("framework", "elements", "connectors", "solvers")
FILES = {path: ast.parse(path.read_text()) for top in TOPS for path in sorted((ROOT / top).rglob("*.py"))}
MODULES = {"windlass." + ".".join(p.relative_to(ROOT).with_suffix("").parts): p for p in FILES if p.stem != "__init__"}
MOST_FILES, MOST_LINES = 14, 400
WALK = "## A walk"


def imported(tree: ast.AST) -> Iterator[str]:
    """Modules of the package that a file imports anywhere: in functions, for types only, or by name."""
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            word = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            names = [str(node.args[0].value)] if word in ("import_module", "__import__") else []
        yield from (name for name in names if name in MODULES)


def inner_imports(tree: ast.AST) -> Iterator[ast.stmt]:
    """Imports inside of functions."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            yield from (node for node in ast.walk(function) if isinstance(node, ast.Import | ast.ImportFrom))


def test_no_module_imports_one_that_imports_it() -> None:
    graph = {name: {other for other in imported(FILES[path]) if other != name} for name, path in MODULES.items()}
    assert sum(map(len, graph.values())) > 1000  # the imports are found at all
    TopologicalSorter(graph).prepare()  # raises CycleError with the circle


def test_circles_are_found_wherever_the_import_stands() -> None:
    name = next(iter(MODULES))
    package, module = name.rsplit(".", 1)
    for text in (
        f"def f():\n    from {package} import {module}",
        f"if TYPE_CHECKING:\n    import {name}",
        f"import_module('{name}')",
    ):
        assert list(imported(ast.parse(text))) == [name]


def test_imports_inside_say_why() -> None:
    """Only a library that is heavy, or must start later, is imported in a function."""
    wrong = []
    for path, tree in FILES.items():
        lines = path.read_text().splitlines()
        for node in inner_imports(tree):
            if "# here, because" not in "\n".join(lines[node.lineno - 1 : node.end_lineno]):
                wrong.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert wrong == []


def test_folders_are_small() -> None:
    folders = {path.parent for path in FILES}
    counts = {str(folder.relative_to(ROOT)): len(list(folder.glob("*.py"))) for folder in folders}
    assert {folder: count for folder, count in counts.items() if count > MOST_FILES} == {}


def test_files_are_short() -> None:
    folders = (*TOPS, "examples", "benchmarks", "tests")
    lengths = {p: len(p.read_text().splitlines()) for folder in folders for p in (ROOT / folder).rglob("*.py")}
    assert {str(path.relative_to(ROOT)): n for path, n in lengths.items() if n > MOST_LINES} == {}


def docstrings(tree: ast.AST) -> set[int]:
    """Texts that stand by themselves."""
    return {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}


def test_framework_names_no_law() -> None:
    """No identifier and no text, but for examples in docstrings."""
    packages = (windlass.elements.__name__, windlass.connectors.__name__)
    kinds = {kind.__name__ for kind in laws() if kind.__module__.startswith(packages)}
    assert len(kinds) > 20
    named: dict[str, set[str]] = {}
    for path, tree in FILES.items():
        if not path.is_relative_to(ROOT / "framework"):
            continue
        words, spoken = set(), docstrings(tree)
        for node in ast.walk(tree):
            words |= {str(getattr(node, field, "")) for field in ("id", "attr", "name", "arg", "asname")}
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in spoken:
                words |= set(re.findall(r"\w+", node.value))
        if words & kinds:
            named[str(path.relative_to(ROOT))] = words & kinds
    assert named == {}


def test_design_names_every_room() -> None:
    text = (ROOT / "docs" / "design.md").read_text()
    rooms = {path.parent.relative_to(ROOT) for path in FILES} - {Path(top) for top in TOPS}
    assert [str(room) for room in sorted(rooms) if f"  {room.name}/" not in text] == []


def test_walk_exists() -> None:
    """Each step of the walk in docs/design.md names a file and a function in it; at most ten files."""
    text = (ROOT / "docs" / "design.md").read_text()
    walk = text[text.index(WALK) :].split("\n## ")[0]
    steps = re.findall(r"^\d+\. `([\w/.]+)`: `([\w.]+)`", walk, re.MULTILINE)
    assert len(steps) == len(re.findall(r"^\d+\.", walk, re.MULTILINE)) >= 8
    assert len({file for file, _ in steps}) <= 10
    for file, function in steps:
        tree: ast.AST = FILES[ROOT / file]
        for name in function.split("."):
            found = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.ClassDef) and n.name == name]
            assert found, f"{file} has no {function}"
            tree = found[0]
