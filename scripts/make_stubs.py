"""Generator of stubs of `windlass` for type checkers (src/windlass-stubs), which contain the columns of components.

The command is ``python scripts/make_stubs.py [check]``. With "check", the script compares the stubs, writes nothing,
and ends with the exit code 1 if stubs differ.

`World.add` and `World.set` take the columns of a component as keywords. The types of these keywords follow from the
schema of the component, which type checkers cannot evaluate. The stubs have one overload for each component of the
package, and a handle type with the columns and references of the component. The stubs are a partial stub package (PEP
561): type checkers read all other modules from the package itself.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))
# the arguments of this command are not options of a model
WORDS = sys.argv[1:]
del sys.argv[1:]

import windlass.connectors  # noqa: E402
import windlass.elements  # noqa: E402
from windlass.connectors.constraints.terminations import OWN  # noqa: E402
from windlass.framework.model.law import Law, laws  # noqa: E402
from windlass.framework.model.schema import REQUIRED, Column, Component, Ref  # noqa: E402

FOLDER = ROOT / "src" / "windlass-stubs"
HEAD = "# Made by scripts/make_stubs.py from the schemas of the components: do not edit, call `make stubs`.\n"
NUMBERS = {
    "f": "Numbers", "i": "WholeNumbers", "b": "YesNo", "U": "Words", "O": "UserFunctions",
}  # fmt: skip
ALIASES = """
Numbers: TypeAlias = float | Sequence[Any] | NDArray[Any]
WholeNumbers: TypeAlias = int | Sequence[Any] | NDArray[Any]
YesNo: TypeAlias = bool | Sequence[Any] | NDArray[Any]
Words: TypeAlias = str | Sequence[str] | NDArray[Any]
UserFunctions: TypeAlias = Any
One: TypeAlias = Entity | Sequence[Entity] | NDArray[Any] | int | None
Chain: TypeAlias = Entity | Sequence[Any] | NDArray[Any]
"""
CABLES = ("Cable2D", "Cable3D", "ALECable2D")
CIRCLE_CONTACTS = (
    "ContactCircleCable2D",
    "ContactFrictionCircleCable2D",
    "ContactFrictionCirclePoints2D",
    "ContactFrictionCircleSetPoints2D",
)
SURFACE_CONTACTS = ("ContactFrictionSurfaceCable", "ContactFrictionSurfaceSetCable")
BUILDERS = {
    # for each file: the name of the parameter for columns, and the components with these columns
    "elements/routes/cable_chain.py": ("cable_columns", (*CABLES, "TwistCable3D")),
    "elements/routes/beam_lines.py": ("beam_columns", ("Beam2D", "Beam3D")),
    "elements/mesh/cable_mesh.py": ("cable_columns", (*CABLES[:2], "TwistCable3D")),
    "elements/cable/winch_rope.py": ("columns", ("WinchCable2D", "WinchTwistCable3D")),
    "elements/routes/winch_along.py": ("columns", ("WinchCable2D", "WinchTwistCable3D")),
    "connectors/drives/belt.py": ("cable_columns", (*CABLES[:2], "TwistCable3D")),
    "connectors/drives/winch_reserve.py": ("columns", ("WinchCable2D", "WinchTwistCable3D")),
    "connectors/circle_contact/add_contact.py": ("columns", CIRCLE_CONTACTS),
    "connectors/surface_contact/add_surface_contact.py": ("columns", SURFACE_CONTACTS),
    "connectors/surface_contact/lay_line.py": ("columns", ("Cable3D",)),
    "connectors/cable_contact/contact_friction_cables3d.py": ("columns", ("CableContactSet",)),
    "connectors/rigid_springs/reeving_system_springs.py": ("columns", ("ReevingSystemSprings",)),
    "connectors/constraints/terminations.py": ("values", ("GenericJoint",)),
    "connectors/sliding/carriage.py": ("values", ("SlidingJoint",)),
}
SET = {"connectors/constraints/terminations.py": OWN, "connectors/surface_contact/lay_line.py": ("length",)}
"""Columns and references that the builders of a file set, in addition to `MADE`."""
FRAMES = {"normal": "Numbers", "turned_from": "Numbers"}
"""Columns of nodes that builders of cables with torsion accept."""
FURTHER = {
    "sliding_joint": {"speed": "Numbers"},
    **dict.fromkeys(("straight_cable", "cable_along", "cables_from_mesh", "winch_rope", "winch_rope_along"), FRAMES),
    **dict.fromkeys(("connectors/drives/belt.py", "connectors/drives/winch_reserve.py"), FRAMES),
}
"""Keywords that are not columns, by the name of the builder or by its file."""
MADE = (
    *(
        "node0",
        "node1",
        "node2",
        "node3",
        "node",
        "feed",
        "begin",
        "share",
        "circle",
        "surface",
    ),
    *("contact_set", "cable", "track", "marker", "markers", "cable_marker", "circle_marker", "data"),
)
"""Columns and references that builders set themselves."""


def find_laws() -> list[Law]:
    """Return those laws of the package whose rows are added by users. The laws are sorted by the names of their
    components.
    """
    names = {}
    for package in (windlass.elements, windlass.connectors):
        for name in package.__all__:
            value = getattr(package, name)
            if isinstance(value, type) and issubclass(value, Component) and value in laws():
                names[name] = laws()[value]
    return [names[name] for name in sorted(names)]


def type_of_column(column: Column) -> str:
    """Return the type of user input for a column."""
    kind = NUMBERS[np.dtype(column.dtype).kind]
    return "Words" if column.choices is not None and kind == "Words" else kind


def list_arguments(law: Law, switchable: bool = False) -> Iterator[tuple[str, str, bool]]:
    """Return the keyword, the type, and whether the keyword is required, for all columns and references of a row."""
    component = law.component
    fills = law.fill_defaults is not None
    if not switchable:
        for name, ref in component.refs.items():
            needed = not ref.optional and not fills
            yield name, type_of_reference(ref), needed
    for name, column in component.columns.items():
        if column.switchable or not switchable:
            needed = column.default is REQUIRED and name not in law.fills and not switchable
            yield name, type_of_column(column), needed
    for other in () if switchable else law.makes:
        for name, column in other.columns.items():
            if name not in component.columns:
                yield name, type_of_column(column), False


def type_of_reference(ref: Ref) -> str:
    """Return the type of user input for a reference."""
    return "Chain" if ref.is_chain else "One"


def write_signature(name: str, first: list[str], arguments: list[tuple[str, str, bool]], result: str) -> str:
    """Format an overloaded method."""
    # several kinds of nodes have columns with equal names
    unique = {word: (kind, needed) for word, kind, needed in reversed(arguments)}
    words = [f"{word}: {kind}{'' if needed else ' = ...'}" for word, (kind, needed) in reversed(unique.items())]
    inner = ", ".join(["self", *first, *words])
    return f"    @overload\n    def {name}({inner}) -> {result}: ..."


def write_world(found: list[Law]) -> str:
    """Return the stub of framework/model/world.py."""
    tree = ast.parse((ROOT / "framework" / "model" / "world.py").read_text())
    (world,) = (node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "World")
    lines = reduce_class(world, leave_out=("add", "set"))
    lines.insert(1, f"    {ast.get_docstring(world)!r}")
    common = ["name: str = ...", "part: Part | None = ..."]
    for law in found:
        name = law.component.__name__
        first = [f"component: type[{name}]", "*", *common]
        lines.append(write_signature("add", first, list(list_arguments(law)), f"{name}Entity"))
    every: dict[str, set[str]] = {}
    for law in found:
        changes = list(list_arguments(law, switchable=True))
        for word, kind, _ in changes:
            every.setdefault(word, set()).add(kind)
        if changes:
            name = law.component.__name__
            lines.append(write_signature("set", [f"entity: {name}Entity", "*"], changes, "None"))
    union = [(word, " | ".join(sorted(kinds)), False) for word, kinds in sorted(every.items())]
    lines.append(write_signature("set", ["entity: Entity", "*"], union, "None"))
    handles = [line for law in found for line in write_handle(law)]
    imports = [f"from {law.component.__module__} import {law.component.__name__}" for law in found]
    typing = "from typing import Any, TypeAlias, overload\nfrom numpy.typing import NDArray\n"
    return "\n".join([HEAD, *keep_imports(tree), typing, *imports, ALIASES, *handles, *lines, ""])


def write_handle(law: Law) -> Iterator[str]:
    """Return the type of a handle with its columns and references."""
    component = law.component
    yield f"class {component.__name__}Entity(Entity):"
    # the general handle accepts any attribute, whereas this handle has only the attributes of its schema
    yield "    __getattr__: None  # type: ignore[assignment]"
    for name in (*component.columns, *component.refs):
        if name not in ("name", "kind"):
            yield f"    {name}: Any"


def keep_imports(tree: ast.Module) -> list[str]:
    """Return all imports of a module, including imports for type checkers."""
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    return [ast.unparse(node) for node in nodes if node.col_offset == 0 or "TYPE_CHECKING" in ast.unparse(tree)]


def reduce_class(node: ast.ClassDef, leave_out: tuple[str, ...] = ()) -> list[str]:
    """Reduce a class to its signatures. Private methods are kept, because the stub is used to check other modules of
    the package.
    """
    lines = [f"@{ast.unparse(decorator)}" for decorator in node.decorator_list]
    lines.append(f"class {node.name}({', '.join(map(ast.unparse, node.bases))}):")
    for item in node.body:
        if isinstance(item, ast.FunctionDef) and item.name not in leave_out:
            lines += ["    " + line for line in reduce_function(item)]
            if item.name == "__init__":
                lines += ["    " + line for line in list_attributes(item)]
        elif isinstance(item, ast.AnnAssign):
            lines.append("    " + ast.unparse(item))
    return [*lines, "    ..."] if lines[-1].endswith(":") else lines


def list_attributes(init: ast.FunctionDef) -> Iterator[str]:
    """Return the attributes that a constructor sets, with their types if they are annotated."""
    seen = set()
    for node in ast.walk(init):
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        for target in targets if isinstance(node, ast.Assign | ast.AnnAssign) else ():
            for part in target.elts if isinstance(target, ast.Tuple) else [target]:
                if isinstance(part, ast.Attribute) and ast.unparse(part.value) == "self" and part.attr not in seen:
                    seen.add(part.attr)
                    kind = ast.unparse(node.annotation) if isinstance(node, ast.AnnAssign) else "Any"
                    yield f"{part.attr}: {kind}"


def reduce_function(node: ast.FunctionDef) -> list[str]:
    """Reduce a function to its signature, with its docstring for editors."""
    kept = ("property", "classmethod", "staticmethod", "contextmanager", "overload")
    lines = [f"@{ast.unparse(d)}" for d in node.decorator_list if ast.unparse(d).split("(")[0] in kept]
    result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    lines.append(f"def {node.name}({ast.unparse(node.args)}){result}:")
    doc = ast.get_docstring(node)
    return [*lines, f"    {doc!r}" if doc else "    ..."]


def write_tables() -> str:
    """Return the stub of framework/model/law.py. In this stub, functions accept a world instead of tables."""
    text = (ROOT / "framework" / "model" / "law.py").read_text()
    (tables,) = (node for node in ast.parse(text).body if isinstance(node, ast.ClassDef) and node.name == "Tables")
    lines = text.splitlines()
    lines[tables.lineno - 1 : tables.end_lineno] = ["from windlass.framework.model.world import World as Tables"]
    return HEAD + "\n".join(lines) + "\n"


def write_builders(path: str, found: dict[str, Law]) -> str:
    """Return the stub of a module whose functions pass columns to `World.add`."""
    parameter, names = BUILDERS[path]
    tree = ast.parse((ROOT / path).read_text())
    columns: dict[str, str] = {}
    for name in names:
        component = found[name].component
        columns |= {word: type_of_column(column) for word, column in component.columns.items() if word not in columns}
        columns |= {word: type_of_reference(ref) for word, ref in component.refs.items() if word not in columns}
    columns = {word: kind for word, kind in columns.items() if word not in (*MADE, *SET.get(path, ()))}
    lines = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            for function in ast.walk(node):
                further = function.args.kwarg if isinstance(function, ast.FunctionDef) else None
                if further is not None and further.arg == parameter:
                    spell_out(function.args, {"name": "str", **columns, **further_of(path, function.name)})
            lines += reduce_function(node) if isinstance(node, ast.FunctionDef) else reduce_class(node)
        elif isinstance(node, ast.AnnAssign):
            lines.append(f"{ast.unparse(node.target)}: {ast.unparse(node.annotation)}")
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            simple = isinstance(node.value, ast.Subscript | ast.BinOp) and node.targets[0].id[0].isupper()
            is_alias = simple and not node.targets[0].id.isupper()
            lines.append(ast.unparse(node) if is_alias else f"{node.targets[0].id}: Any")
    typing = "from typing import Any, TypeAlias\nfrom collections.abc import Sequence\n"
    numpy = "from numpy.typing import NDArray\nfrom windlass.framework.model.table import Entity\n"
    return "\n".join([HEAD, *keep_imports(tree), typing, numpy, ALIASES, *lines, ""])


def further_of(path: str, name: str) -> dict[str, str]:
    """Return the keywords of a builder that are not columns."""
    return FURTHER.get(path, {}) | FURTHER.get(name, {})


def spell_out(arguments: ast.arguments, columns: dict[str, str]) -> None:
    """Replace the additional keywords of a function by the names of the columns."""
    given = {argument.arg for argument in (*arguments.args, *arguments.kwonlyargs)}
    for word, kind in columns.items():
        if word not in given:
            arguments.kwonlyargs.append(ast.arg(word, ast.parse(kind, mode="eval").body))
            arguments.kw_defaults.append(ast.Constant(...))
    arguments.kwarg = None


def stub_of(path: str) -> Path:
    """Return the stub of a module."""
    return (FOLDER / path).with_suffix(".pyi")


def create_stubs() -> dict[Path, str]:
    """Return the files of the stub package and their texts."""
    found = find_laws()
    by_name = {law.component.__name__: law for law in found}
    stubs = {
        FOLDER / "py.typed": "partial\n",
        stub_of("framework/model/world.py"): write_world(found),
        stub_of("framework/model/law.py"): write_tables(),
    }
    for path in BUILDERS:
        stubs[stub_of(path)] = write_builders(path, by_name)
    return stubs


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("action", nargs="?", choices=["write", "check"], default="write")
    check = parser.parse_args(WORDS).action == "check"
    stale = [path for path, text in create_stubs().items() if not path.is_file() or path.read_text() != text]
    for path in stale:
        if check:
            print(f"{path.relative_to(ROOT)} differs from the schemas: call `make stubs`")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(create_stubs()[path])
    return int(check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
