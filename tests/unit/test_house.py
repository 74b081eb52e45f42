"""Tests of the structure of the code: imports have no cycles, the framework contains no laws, and texts name only files
and names that exist.
"""

from __future__ import annotations

import ast
import pkgutil
import re
import subprocess
import tomllib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import windlass.connectors
import windlass.elements

from support.all_laws import all_laws
from support.sources import nodes_of

ROOT = Path(__file__).parents[2]
TOPS = ("framework", "elements", "connectors", "solvers")
ROOF = ROOT / "src" / "windlass"
FILES = [
    path
    for top in (*(ROOT / top for top in TOPS), ROOF / "commands", ROOF / "exudyn", ROOF / "fmu")
    for path in sorted(top.rglob("*.py"))
]


def name_of(path: Path) -> str:
    """Return the name by which a file is imported."""
    inside = path.relative_to(ROOF if path.is_relative_to(ROOF) else ROOT)
    return ".".join(("windlass", *inside.with_suffix("").parts))


MODULES = {name_of(path): path for path in FILES if path.stem != "__init__"}
LONG_KERNEL, UNTOLD = 40, 15
"""Number of lines from which a kernel is treated as long, and largest number of successive code lines without a
comment.
"""
WALK = "## A walk"
KEPT = ("benchmarks/requirements.txt", "src/windlass/kernels.json")
"""Source files that have the suffix of output files."""


def imported(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Return all modules of the package that a file imports: at the top, in functions, for type checkers only, or by
    name.
    """
    for node in nodes:
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            word = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            names = [str(node.args[0].value)] if word in ("import_module", "__import__") else []
        yield from (name for name in names if name in MODULES)


def inner_imports(nodes: Iterable[ast.AST]) -> Iterator[ast.stmt]:
    """Return the imports inside functions."""
    for function in nodes:
        if isinstance(function, ast.FunctionDef):
            yield from (node for node in ast.walk(function) if isinstance(node, ast.Import | ast.ImportFrom))


def test_no_module_imports_one_that_imports_it() -> None:
    graph = {name: {other for other in imported(nodes_of(path)) if other != name} for name, path in MODULES.items()}
    assert sum(map(len, graph.values())) > 1000  # check that the test finds imports
    TopologicalSorter(graph).prepare()  # this call raises CycleError with the cycle


def test_circles_are_found_wherever_the_import_stands() -> None:
    name = next(iter(MODULES))
    package, module = name.rsplit(".", 1)
    for text in (
        f"def f():\n    from {package} import {module}",
        f"if TYPE_CHECKING:\n    import {name}",
        f"import_module('{name}')",
    ):
        assert list(imported(ast.walk(ast.parse(text)))) == [name]


def test_imports_inside_say_why() -> None:
    """A library is imported in a function only if loading takes long or if the library must be initialised later. A
    comment states the reason.
    """
    wrong = []
    for path in FILES:
        lines = path.read_text().splitlines()
        for node in inner_imports(nodes_of(path)):
            if "# imported here, because" not in "\n".join(lines[node.lineno - 2 : node.end_lineno]):
                wrong.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert wrong == []


def docstrings(nodes: Iterable[ast.AST]) -> set[int]:
    """Return the identities of docstrings, which are all string constants that are statements."""
    return {id(node.value) for node in nodes if isinstance(node, ast.Expr)}


MAY_NAME = {
    "framework": {"framework"},
    "elements": {"framework", "elements"},
    "connectors": {"framework", "elements", "connectors"},
    "solvers": {"framework", "solvers"},
    "exudyn": {*TOPS, "exudyn"},
    "fmu": {*TOPS, "fmu", "commands"},
    "commands": {*TOPS, "exudyn", "fmu", "commands"},
}
"""Folders whose modules may be named in the modules of a folder, in an import or as text."""


def find_text_names(nodes: Collection[ast.AST]) -> set[str]:
    """Return the folders of the package whose modules are named in texts other than docstrings."""
    spoken = docstrings(nodes)
    texts = [
        node.value
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in spoken
    ]
    return {name for text in texts for name in re.findall(r"\bwindlass\.(\w+)", text) if name in MAY_NAME}


def test_nothing_names_what_is_above_it() -> None:
    """No module imports a module of a higher layer. Modules that are loaded by name are treated as imported."""
    wrong, found = {}, 0
    for path in FILES:
        named = find_text_names(nodes_of(path))
        found += len(named)
        if above := named - MAY_NAME[name_of(path).split(".")[1]]:
            wrong[str(path.relative_to(ROOT))] = above
    assert wrong == {}
    assert found > 5
    assert find_text_names([*ast.walk(ast.parse("import_module(f'windlass.commands.{name}')"))]) == {"commands"}


FOLDERS = (*TOPS, "src", "examples", "benchmarks", "tests", "docs")
PYTHON = sorted(p for folder in (*FOLDERS, "scripts") for p in (ROOT / folder).rglob("*.py"))
PAGES = sorted((*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")))
SCRIPTS = (
    ROOT / "Makefile",
    ROOT / "Dockerfile",
    ROOT / "pyproject.toml",
    ROOT / ".ci" / "run",
    *ROOT.glob("scripts/*.sh"),
)
PARTS = [path.relative_to(ROOT).parts for path in (*PYTHON, *PAGES)]
ENDS = {"/".join(parts[k:]) for parts in PARTS for k in range(len(parts))}
"""All final parts of the paths of files, from the full path to the file name."""
RESULTS = "benchmarks/results"
NAMED = r"_?[a-z][a-z0-9]+(?:_[a-z0-9]+)+|[A-Z][a-z]+[A-Z]\w+"
"""Pattern of names in code, which contain an underscore or inner capitals, in contrast to English words and letters of
formulas.
"""


def find_words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))


def split_python(text: str) -> tuple[str, list[str]]:
    """Return the code of a file, and its docstrings and comments."""
    prose = list[str]()

    def take(found: re.Match[str]) -> str:
        if text[text.rfind("\n", 0, found.start()) + 1 : found.start()].strip():
            return found[0]  # the string is a part of a statement, so it is not a docstring
        prose.append(found[0])
        return ""

    code = re.sub(r'""".*?"""', take, text, flags=re.DOTALL)
    comment = re.compile(r"(?:^|\s)# .*", re.MULTILINE)
    return comment.sub("", code), prose + comment.findall(code)


def find_unknown(texts: list[str], words: set[str], snippets: set[str]) -> Iterator[str]:
    """Return files, modules and back-quoted names in prose that do not exist in this checkout."""
    for text in texts:
        for name in re.findall(r"(?<![\w./*-])[a-z][\w/]+\.py\b", text):
            if name not in snippets and name not in ENDS:
                yield name
        tops = "|".join((*TOPS, "tests", "docs", "examples", "benchmarks", "scripts"))
        for name in re.findall(rf"(?<![\w./-])(?:{tops})/[\w/.-]*\w", text):
            if name != RESULTS and not (ROOT / name).exists() and not (ROOT / f"{name}.py").exists():
                yield name
        for name in re.findall(r"\bwindlass(?:\.\w+)+", text):
            try:
                pkgutil.resolve_name(name)
            except (ImportError, AttributeError):
                yield name
        for name in re.findall(r"(?<!`)`([A-Za-z_][\w.]*)(?:\(.*\))?`", text):
            if any(re.fullmatch(NAMED, word) and word not in words for word in name.split(".")):
                yield name


def test_prose_names_what_exists() -> None:
    """Pages, docstrings, messages and comments name only files and names that exist."""
    words, prose = set[str](), dict[Path, list[str]]()
    for path in PYTHON:
        text = path.read_text()
        code, prose[path] = split_python(text)
        words |= find_words(code) | find_words(path.stem)
        if not path.is_relative_to(ROOT / "tests"):
            prose[path] = [text]
    for path in (*PAGES, *SCRIPTS):
        text = path.read_text()
        words |= find_words(" ".join(re.findall(r"```.*?```", text, re.DOTALL)) if path.suffix == ".md" else text)
        # tables that `make peers` writes contain names of Exudyn
        text = text.split("<!-- tables by make peers -->")[0]
        # the left column of the tables in CHANGELOG.md contains old names
        prose[path] = [re.sub(r"^\|[^|]*\|", "", text, flags=re.MULTILINE) if path.name == "CHANGELOG.md" else text]
    snippets = {name for path in PAGES for name in re.findall(r"<!-- file: (\S+) -->", path.read_text())}
    assert len(words) > 5000 and len(snippets) > 5
    wrong = {path: sorted(set(find_unknown(texts, words, snippets))) for path, texts in prose.items()}
    assert {str(path.relative_to(ROOT)): names for path, names in wrong.items() if names} == {}


def test_names_that_are_gone_are_found() -> None:
    text = "`gone_module` and `World.gone_too()`, framework/gone, windlass.framework.gone, gone.py, `World.add`, M.py"
    found = ["framework/gone", "gone.py", "gone_module", "windlass.framework.gone", "World.gone_too"]
    assert sorted(find_unknown([text], {"World"}, set()), key=str.lower) == found


def test_framework_names_no_law() -> None:
    """The framework contains no name of a law, neither as an identifier nor in a string, except in examples of
    docstrings.
    """
    packages = (windlass.elements.__name__, windlass.connectors.__name__)
    kinds = {kind.__name__ for kind in all_laws() if kind.__module__.startswith(packages)}
    assert len(kinds) > 20
    named: dict[str, set[str]] = {}
    for path in FILES:
        if not path.is_relative_to(ROOT / "framework"):
            continue
        words, spoken = set(), docstrings(nodes_of(path))
        for node in nodes_of(path):
            words |= {str(getattr(node, field, "")) for field in ("id", "attr", "name", "arg", "asname")}
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in spoken:
                words |= set(re.findall(r"\w+", node.value))
        if words & kinds:
            named[str(path.relative_to(ROOT))] = words & kinds
    assert named == {}


def test_a_function_with_the_words_of_a_class_makes_it() -> None:
    """If the names of a function and a class differ only in spelling, such as `SlidingJoint` and `sliding_joint`, the
    function must add rows of the component or return an object of the class.
    """
    names = {
        str(alias.asname)
        for package in (ROOF, ROOT / "connectors", ROOT / "elements")
        for node in nodes_of(package / "__init__.py")
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    words = Counter(name.replace("_", "").lower() for name in names)
    pairs = {name for name in names if words[name.replace("_", "").lower()] > 1 and name[0].isupper()}
    makers: dict[str, set[str]] = {}
    for path in FILES:
        for node in nodes_of(path):
            if isinstance(node, ast.FunctionDef):
                used = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
                makers.setdefault(node.name.replace("_", ""), set()).update(used)
    assert len(pairs) > 5
    assert [name for name in sorted(pairs) if name not in makers.get(name.lower(), ())] == []


def test_words_of_laws_mean_one_thing() -> None:
    """The functions of laws have the same names and arguments in every file, and no other functions have these
    names.
    """
    arguments = {
        "bind": ["rows"],
        "build": ["rows"],
        "dofs": ["world", "table"],
        "allocate": ["world", "ids", "layout"],
    }
    wrong, found = [], 0
    for path in FILES:
        for node in nodes_of(path) if not path.is_relative_to(ROOF) else ():
            if isinstance(node, ast.FunctionDef) and node.name in arguments:
                given = [a.arg for a in node.args.args if a.arg != "self"]
                fits = given == arguments[node.name]
            elif isinstance(node, ast.ClassDef) and node.name == "Columns":
                fits = [ast.unparse(base) for base in node.bases] == ["NamedTuple"]
            else:
                continue
            found += 1
            if not fits:
                wrong.append(f"{path.relative_to(ROOT)}:{node.lineno} {node.name}")
    # most laws define ``dofs`` by names of references, without a function
    assert found > 70
    assert wrong == []


def find_meanings(nodes: Collection[ast.AST]) -> dict[str, int]:
    """Count the definitions of each class name. Aliases with the same name are also counted as definitions."""
    classes = Counter(node.name for node in nodes if isinstance(node, ast.ClassDef))
    targets = [target for node in nodes if isinstance(node, ast.Assign) for target in node.targets]
    aliases = Counter(target.id for target in targets if isinstance(target, ast.Name) and target.id in classes)
    return dict(classes + aliases)


def test_classes_have_names_of_their_own() -> None:
    meanings = find_meanings([node for path in FILES for node in nodes_of(path)])
    assert len(meanings) > 400
    assert [name for name, count in meanings.items() if count > 1] == []
    # kernels read records of rows, so no class repeats the columns of a schema
    assert [name for name in meanings if name.endswith("Columns")] == []


def test_names_with_two_meanings_are_found() -> None:
    twice = find_meanings([*ast.walk(ast.parse("class A: ...\ndef f():\n    class A: ..."))])
    alias = find_meanings([*ast.walk(ast.parse("class B: ...\nB = tuple[int, int]"))])
    assert (twice, alias) == ({"A": 2}, {"B": 2})


def find_untold(lines: list[str], kernel: ast.FunctionDef) -> int:
    """Return the largest number of successive code lines of a kernel without a comment."""
    most = count = 0
    first = kernel.body[1 if ast.get_docstring(kernel) else 0].lineno
    for line in lines[first - 1 : kernel.end_lineno]:
        count = 0 if "# " in line else count + bool(line.strip())
        most = max(most, count)
    return most


def test_comments_alone_tell_long_kernels() -> None:
    """Each part of a long kernel has a comment above its first line."""
    wrong, found = [], 0
    for path in FILES:
        lines = path.read_text().splitlines()
        functions = [node for node in nodes_of(path) if isinstance(node, ast.FunctionDef)]
        for node in functions:
            is_kernel = any("kernel" in ast.unparse(decorator) for decorator in node.decorator_list)
            if is_kernel and (node.end_lineno or 0) - node.lineno >= LONG_KERNEL:
                found += 1
                if find_untold(lines, node) > UNTOLD:
                    wrong.append(f"{path.relative_to(ROOT)}: {node.name}")
    assert found > 40
    assert wrong == []


def test_lanes_have_named_fields() -> None:
    """In kernels, the lanes ``g`` are records, so kernels read values by the names of fields and the index of the lane,
    and not by row numbers of an array.
    """
    fields, wrong = 0, []
    for path in FILES:
        if "lane_type" in path.read_text() or "lanes import" in path.read_text():
            for node in nodes_of(path):
                fields += isinstance(node, ast.Attribute) and ast.unparse(node.value) == "g"
                if isinstance(node, ast.Subscript) and re.match(r"g\[.*, k\]$", ast.unparse(node)):
                    wrong.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert fields > 200
    assert wrong == []


def test_design_names_every_room() -> None:
    text = (ROOT / "docs" / "explanation" / "design.md").read_text()
    rooms = {path.parent.relative_to(ROOT) for path in FILES} - {Path(top) for top in TOPS}
    assert len(rooms) > 40
    assert [str(room) for room in sorted(rooms) if f"  {room.name}/" not in text] == []


def test_layers_of_every_folder_are_checked() -> None:
    """The page on the design refers to pyproject.toml for the layers. The contracts there contain all modules of each
    folder.
    """
    assert "`pyproject.toml`" in (ROOT / "docs" / "explanation" / "design.md").read_text()
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    exhaustive = {c["containers"][0]: c["exhaustive"] for c in contracts if c["type"] == "layers"}
    assert {top: exhaustive.get(f"windlass.{top}") for top in (*TOPS, "commands")} == dict.fromkeys(
        (*TOPS, "commands"), True
    )


def test_walk_exists() -> None:
    """Each step of the section "A walk" in docs/explanation/design.md names an existing file and a function in this
    file. The section names at most eight files.
    """
    text = (ROOT / "docs" / "explanation" / "design.md").read_text()
    walk = text[text.index(WALK) :].split("\n## ")[0]
    steps = re.findall(r"^\d+\. `([\w/.]+)`: `([\w.]+)`", walk, re.MULTILINE)
    assert len(steps) == len(re.findall(r"^\d+\.", walk, re.MULTILINE)) >= 8
    assert len({file for file, _ in steps}) <= 8
    for file, function in steps:
        tree = nodes_of(ROOT / file)[0]
        for name in function.split("."):
            found = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.ClassDef) and n.name == name]
            assert found, f"{file} has no {function}"
            tree = found[0]


ONCE = {
    "note_outcome": "the outcome of an update",
    "friction_force": "friction along a line",
    "friction_slopes": "its derivatives",
    "return_change": "derivatives of friction in a plane",
    "contact_stiffness": "the normal force",
    "contact_damping": "the normal force",
    "clip_normal_force": "the normal force",
    "values[...] +=": "sums into the matrix",
}
"""Calls, reads of parameters, and additions to arrays. Among the laws of contact of cables at points, only
`connectors/contact` may contain these operations. A parameter may, however, be copied into a `PointLaw`, be compared,
or be the divisor of a force.
"""
READ = {"contact_stiffness", "contact_damping", "clip_normal_force"}


def find_uses(nodes: Collection[ast.AST]) -> set[str]:
    """Return the entries of `ONCE` that occur in the code."""
    used, allowed = set[str](), set[int]()
    for node in nodes:
        if isinstance(node, ast.Call):
            used.add(getattr(node.func, "attr", getattr(node.func, "id", "")))
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Subscript):
            used.add(f"{ast.unparse(node.target.value)}[...] +=")
        copies = isinstance(node, ast.Call) and ast.unparse(node.func) == "PointLaw"
        divides = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)
        if copies or isinstance(node, ast.Compare):
            allowed |= {id(inner) for inner in ast.walk(node)}
        elif divides:
            allowed |= {id(inner) for inner in ast.walk(node.right)}
    for function in nodes:
        for node in ast.walk(function) if isinstance(function, ast.FunctionDef) else ():
            name = node.attr.removesuffix("_per_length") if isinstance(node, ast.Attribute) else ""
            if name in READ and id(node) not in allowed:
                used.add(name)
    return used & set(ONCE)


def test_contact_at_points_is_written_once() -> None:
    """All laws of contact of cables at points share one implementation of the normal force, the friction, the update
    and the assembly of the tangent. The published law on segments is a separate implementation.
    """
    found = {path: find_uses(nodes_of(path)) for path in FILES if path.parent.parent.name == "connectors"}
    rooms = ("circle_points", "surface_contact", "cable_contact")
    own = {path.relative_to(ROOT).as_posix(): uses for path, uses in found.items() if path.parent.name in rooms}
    assert len(own) > 25
    assert {name: uses for name, uses in own.items() if uses} == {}
    assert set.union(*(uses for path, uses in found.items() if path.parent.name == "contact")) == set(ONCE)


@pytest.mark.parametrize(
    ("text", "uses"),
    [
        ("f = k * g + row.contact_damping * v", {"contact_damping"}),
        ("k, d = row.contact_stiffness, row.contact_damping", {"contact_stiffness", "contact_damping"}),
        ("f = eval(law.contact_stiffness, g)", {"contact_stiffness"}),
        ("f = w * row.contact_stiffness_per_length * g", {"contact_stiffness"}),
        ("f = min(g.contact_damping[k] * v, 0.0)", {"contact_damping"}),
        ("f = 0.0 if row.clip_normal_force and f > 0.0 else f", {"clip_normal_force"}),
        ("values[slots[i, a, b]] += K[a, b]", {"values[...] +="}),
        ("note_outcome(outcome, 0.0)", {"note_outcome"}),
        ("law = PointLaw(w * row.contact_stiffness_per_length, row.contact_damping)", set()),
        ("depth = press / (row.contact_stiffness * row.radius) if row.contact_stiffness > 0.0 else 0.0", set()),
    ],
)
def test_second_contact_laws_are_found(text: str, uses: set[str]) -> None:
    assert find_uses([*ast.walk(ast.parse(f"def law(row):\n    {text}"))]) == uses


def test_nothing_that_runs_make_is_committed() -> None:
    """Output files of runs are committed only in the folders of reference data. The test uses the list of files of
    `git`, and is skipped in an archive without a repository.
    """
    if not (ROOT / ".git").exists():
        pytest.skip("no repository")
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )
    assert "pyproject.toml" in listed
    wrong = [name for name in listed if is_output(Path(name))]
    assert not wrong, f"outputs of runs: {wrong}"
    assert is_output(Path("solution/coordinatesSolution.txt")) and is_output(Path("examples/belt_drive_out/belt.vtu"))


def is_output(path: Path) -> bool:
    """Return whether a file appears to be output of a run: data or a picture outside of the folders of reference data
    and documentation.
    """
    made = {".txt", ".csv", ".dat", ".h5", ".npz", ".npy", ".vtu", ".vtp", ".pvd", ".xdmf", ".json", ".html", ".log",
            ".png", ".svg", ".gif", ".mp4", ".opts"}  # fmt: skip
    kept = path.parts[:2] == ("tests", "reference") or path.as_posix() in KEPT
    return path.suffix in made and not kept and not (path.parts[0] == "docs" and path.suffix == ".png")
