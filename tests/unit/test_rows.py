"""Records of rows: aligned fields with the names of columns, and a key that other processes can reproduce."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any, NamedTuple, get_type_hints

import numba
import numpy as np
import pytest

import windlass as wl
from windlass import connectors as con
from windlass.connectors.markers import cable_coordinates, cable_markers3d, cable_shape
from windlass.elements import Cable2D, Ground, WinchCable2D, straight_beam, straight_cable, winch_rope
from windlass.framework import Component, column, function, kernel, ref
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.kernels.cache_key import NotCacheableError
from windlass.framework.kernels.type_names import decode_type, encode_type
from windlass.framework.kernels.value_types import encode_value
from windlass.framework.model.rows import field_names, row_type


class Mixed(Component):
    """A schema with columns of all kinds."""

    marker0 = ref(con.POSITION, "a place")
    body = ref("body", "no place")
    data = ref("GenericData", "history values", optional=True)
    stiffness = column("N/m", "k", shape=(3,))
    closed = column("1", "a truth value", dtype=bool)
    count = column("1", "a whole number", dtype=np.int64)
    frame = column("1", "a matrix", shape=(2, 3))
    kind = column("1", "a word", dtype="U8")
    force_function = function("left out")
    points = column("m", "left out", shape=None)


def test_fields() -> None:
    """Records omit texts, functions and columns of any length. Fields of numbers are aligned for any order of
    declaration.
    """
    names = ("marker0", "data", "stiffness", "closed", "count", "frame", "history", "start", "bent")
    assert field_names(Mixed, ("bent",), 2) == names
    kind = row_type(Mixed, {"bent": np.zeros(4, bool)}, 2)
    assert set(kind.names or ()) == set(names) and kind.itemsize % 8 == 0 and kind.isalignedstruct
    fields: Any = kind.fields
    assert all(offset % 8 == 0 for form, offset in fields.values() if form.base.kind != "b")
    assert fields["frame"][0].shape == (2, 3) and fields["history"][0].shape == (2,)


@kernel
def change(rows: Any, i: int) -> float:
    row = rows[i]
    row.history[1] = row.frame[1, 2] + row.data
    row.count = 5
    return float(row.stiffness[2]) if row.closed else -1.0


def test_kernels_and_python_read_and_write_alike() -> None:
    """In kernels and in Python, a record is a view of its array.

    The attribute ``data`` of a record is the field of this name, not NumPy's buffer.
    """
    plain = getattr(change, "py_func", change)
    for function_ in (change, plain):
        rows = np.zeros(3, row_type(Mixed, {}, 2))
        rows["frame"], rows["data"], rows["closed"], rows["stiffness"] = 2.0, 7, [True, False, True], 4.0
        assert [function_(rows, i) for i in range(3)] == [4.0, -1.0, 4.0]
        assert rows["history"].tolist() == [[0.0, 9.0]] * 3 and rows["count"].tolist() == [5] * 3


def test_types_of_records_as_text() -> None:
    """The list of kernels that are compiled in advance stores types of records as text, with layout, shapes and
    alignment.
    """
    types: Any = numba
    kind = types.typeof(np.zeros(1, row_type(Mixed, {"bent": np.zeros((1, 0))}, 1)))
    again = decode_type(json.loads(json.dumps(encode_type(kind))))
    assert again == kind and str(again) == str(kind) and hash(again) == hash(kind)


class Sample(NamedTuple):
    """Arguments of a kernel."""

    x: Any
    n: int


def create_values() -> list[Any]:
    """Create values of all types that a kernel may have as arguments."""
    plain = np.zeros((2, 3))
    frozen, turned = plain.copy(), plain.T
    frozen.flags.writeable = False
    packed = np.dtype([("b", np.int8), ("a", float), ("c", np.float32, (2, 3))])
    aligned = np.dtype([("b", np.int8), ("a", float)], align=True)
    overlapping = np.dtype({"names": ["late", "early"], "formats": [float, int], "offsets": [8, 0], "itemsize": 24})
    records = [np.zeros(2, kind) for kind in (packed, aligned, overlapping, row_type(Mixed, {}, 2))]
    numbers = [1, -(2**40), 1.5, True, 2j, None, np.int32(1), np.float32(1), np.bool_(True), np.uint8(1)]
    arrays = [plain, turned, plain[:, ::2], frozen, np.zeros(0), np.zeros(3)[::2], np.zeros((1, 1, 1)), np.zeros(())]
    of_numbers = [np.zeros(2, kind) for kind in (bool, np.int32, np.uint16, np.float32, np.complex64)]
    fields = [record["a"] for record in records[:2]]
    tuples: list[Any] = [(), (1, 2), (1, 2.0), (plain, (1, turned)), Sample(plain, 1), (Sample((1,), 2), 3.0)]
    return [*numbers, *arrays, *of_numbers, *records, *(record[0] for record in records), *fields, *tuples]


def test_types_of_values_are_those_of_the_compiler() -> None:
    """The key of the cache is the same with and without the compiler."""
    types: Any = numba
    values = create_values()
    assert len(values) > 30
    for value in values:
        assert encode_value(value) == encode_type(types.typeof(value)), repr(value)


@pytest.mark.parametrize(
    "value",
    [2**63, "text", [1.0], np.zeros(2, ">f8"), np.zeros(2, "M8[s]"), np.zeros(2, object), np.zeros(2, "U3"), print],
    ids=str,
)
def test_types_that_only_the_compiler_can_describe(value: Any) -> None:
    with pytest.raises(NotCacheableError, match="type"):
        encode_value(value)


ROOT = Path(__file__).parents[2]
LINE = {"axial_stiffness": 1e3, "bending_stiffness": 1.0, "mass_per_length": 1.0}
STIFF = {"contact_stiffness_per_length": 1e3}
# fields that are not columns: values computed from columns, or positions in arrays
FRAME = "b0", "b1", "F0", "F1", "free_angle", "free_twist"
DERIVED = {
    "circle_points": {"radius", "length", "beside", "stiffness", "damping", "rubbing", "bristle", "rope"},
    "circle_segments": {"radius", "length", "is_current", "shift"},
    "surface_contact": {
        "length",
        "dofs",
        "part",
        "stiffness",
        "damping",
        "rubbing",
        "bristle",
        "last",
        "flip",
        *FRAME,
    },
    "cable_contact": {"length", "dofs", "before", "after", "chain", "arc", "loop", *FRAME},
}


def create_contact(room: str) -> tuple[wl.World, list[wl.Entity], list[type[Component]]]:
    """Create the contacts of a package, and return the schemas of their parameters."""
    world = wl.World()
    line = straight_cable(world, (0.0, 1.1), (1.0, 1.1), 1, **LINE)
    rope = straight_cable(world, (0.0, 1.1, 0.0), (1.0, 1.1, 0.0), 1, **LINE)
    marker = con.rigid_marker(world, world.add(Ground))
    if room == "cable_contact":
        rows = con.add_cable_contact(world, rope, radius=0.1, points=5, **STIFF)
        return world, [rows], [con.ContactFrictionCables3D, con.CableContactSet]
    if room == "surface_contact":
        rod = straight_cable(
            world, (0.0, 1.1, 0.0), (1.0, 1.1, 0.0), 1, torsional_stiffness=1.0, rotary_inertia=1.0, **LINE
        )
        drum = world.add(con.DrumSurface, marker=marker, radius=1.0)
        # ribbons have all fields of round ropes
        rows = con.add_surface_contact(world, drum, rod, rope_radius=0.1, width=0.1, **STIFF)
        soft = con.add_surface_contact(world, drum, rope, suction_coefficient=0.1, suction_distance=0.1, **STIFF)
        paid = winch_rope(world, (0.0, 1.1, 0.0), (1.0, 1.1, 0.0), 1, **LINE)
        moving = con.add_surface_contact(world, drum, paid.cables, **STIFF)
        beam = straight_beam(
            world, (0.0, 1.1, 0.0), (1.0, 1.1, 0.0), 1, stiffness=(1e3,) * 6, mass_per_length=1.0,
            rotary_inertia=(1.0,) * 3,
        )  # fmt: skip
        thick = con.add_surface_contact(world, drum, beam, rope_radius=0.1, turns_rope=True, **STIFF)
        schemas: list[type[Component]] = [con.ContactFrictionSurfaceRibbon, con.ContactFrictionBedCable, WinchCable2D]
        return world, [rows, soft, moving, thick], schemas
    law: Any = con.ContactFrictionCirclePoints2D
    if room == "circle_segments":
        law = con.ContactFrictionCircleCable2D
    rows = con.add_contact(world, law, marker, line, segments=2, circle_radius=1.0, **STIFF)
    if room == "circle_segments":
        return world, [rows], [law, Cable2D]
    winch = winch_rope(world, (0.0, 1.1), (1.0, 1.1), 1, **LINE)
    other = con.ContactFrictionCircleWinch2D
    more = world.add(other, circle=marker, cable=winch.cables, segments=2, circle_radius=1.0, **STIFF)
    return world, [rows, more], [law, Cable2D, other, WinchCable2D]


def read_words(room: str) -> set[str]:
    """Return the fields of records that the kernels of a package read or set."""
    words = set()
    for path in (ROOT / "connectors" / room).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and any("kernel" in ast.unparse(d) for d in node.decorator_list):
                for inner in ast.walk(node):
                    if isinstance(inner, ast.Attribute):
                        of = inner.value
                        of = of.value if isinstance(of, ast.Subscript) else of
                        if ast.unparse(of) in ("row", "own", "c.rows") or ast.unparse(inner.value).startswith("c["):
                            words.add(inner.attr)
    return words


@pytest.mark.parametrize("room", DERIVED)
def test_words_of_kernels_of_contact(room: str) -> None:
    """Kernels read the columns of the schema by their public names, and a few fields that are computed from columns."""
    world, contacts, schemas = create_contact(room)
    assembly, fields = Assembly(world), set[str]()
    for rows in contacts:
        columns = assembly.local_rows(rows.table, rows.rows).columns
        columns = getattr(columns, "columns", columns)
        fields |= set(getattr(columns, "rows", columns).dtype.names)
    public = {name for schema in schemas for name in (*schema.columns, *schema.refs)}
    public |= {name.removesuffix("_per_length") for name in public}
    assert fields <= public | DERIVED[room] and DERIVED[room] <= fields
    assert read_words(room) - {"shape", "copy"} <= fields, sorted(read_words(room) - fields)


@pytest.mark.parametrize(
    ("family", "words"),
    [
        (con.POSITION, {"position", "velocity", "rotation", "angular_velocity", "jacobian", "hessian"}),
        (con.COORDINATE, {"value", "rate", "jacobian", "jacobian_rate", "second", "hessian"}),
        (cable_shape.FAMILY, {"position", "velocity", "slope", "shape_functions"}),
        (cable_markers3d.SHAPE_FAMILY, {"position", "velocity", "shape_functions"}),
        (cable_coordinates.FAMILY, {"coordinates", "velocities", "length"}),
    ],
)
def test_markers_are_read_in_words(family: Any, words: set[str]) -> None:
    """The values of markers have names of at least four letters."""
    fields = get_type_hints(family.allocate)["return"]._fields
    assert words <= set(fields)
    assert [name for name in fields if len(name) < 4] == []
