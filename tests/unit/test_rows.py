"""Records of rows: fields by the names of columns, aligned, with a key that other processes understand."""

from __future__ import annotations

import json
from typing import Any

import numba
import numpy as np

from windlass.framework import Component, column, function, kernel, ref
from windlass.framework.kernels.type_names import decode_type, encode_type
from windlass.framework.model.rows import field_names, row_type


class Mixed(Component):
    """Columns of all kinds."""

    marker0 = ref("position marker", "a place")
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
    """Texts, functions and open columns are left out; numbers are aligned, in any order of declaration."""
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
    """A record is a view of its array; ``data`` is the field, not NumPy's buffer."""
    plain = getattr(change, "py_func", change)
    for function_ in (change, plain):
        rows = np.zeros(3, row_type(Mixed, {}, 2))
        rows["frame"], rows["data"], rows["closed"], rows["stiffness"] = 2.0, 7, [True, False, True], 4.0
        assert [function_(rows, i) for i in range(3)] == [4.0, -1.0, 4.0]
        assert rows["history"].tolist() == [[0.0, 9.0]] * 3 and rows["count"].tolist() == [5] * 3


def test_types_of_records_as_text() -> None:
    """Kernels listed for compiling ahead keep layout, shapes and alignment of records."""
    types: Any = numba
    kind = types.typeof(np.zeros(1, row_type(Mixed, {"bent": np.zeros((1, 0))}, 1)))
    again = decode_type(json.loads(json.dumps(encode_type(kind))))
    assert again == kind and str(again) == str(kind) and hash(again) == hash(kind)
