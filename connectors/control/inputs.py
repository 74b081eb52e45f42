"""Inputs of controllers: coordinate markers whose values u and rates u_t a law reads, with exact derivatives.

    ∂u/∂q = J,    ∂u_t/∂q = J̇,    ∂u_t/∂v = J        of each marker

So a law that depends on its inputs is coupled with their coordinates within Newton's method, and lags nowhere.

Source: E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, Springer (stiff systems want exact tangents).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from windlass.connectors.markers.coordinate_columns import FAMILY, CoordinateColumns
from windlass.elements.bodies.matrix_columns import check_order
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows, Tables
from windlass.framework.model.schema import Component, ref
from windlass.framework.model.system import Fields
from windlass.framework.model.table import EntityTable

NAMES = tuple(f"input{k}" for k in range(8))
NO_MARKERS = CoordinateColumns(
    np.zeros(0), np.zeros(0), np.zeros((0, 1)), np.zeros((0, 1)), np.zeros((0, 1), np.int64), np.zeros(0, np.int64),
    np.zeros((0, 1, 1)),
)  # fmt: skip


INSTEAD = (
    "; take coordinate_marker of a node or body, strain_coordinate of a cable (its axial force is EA u + d_EA u_t), "
    "distance_coordinate of the points of a spring (its force is k u + d u_t), load_cell of a joint or constraint, "
    "also of the joint that holds a body for the forces of contacts on it"
)
"""What to take for outputs of laws, which are no inputs."""


class Inputs(Component):
    """What laws with inputs have in common: up to eight of them."""

    input0 = ref(
        FAMILY, "first input: its displacement from the reference is u[0], its velocity u_t[0]", optional=True,
        instead=INSTEAD,
    )  # fmt: skip
    input1 = ref(FAMILY, "second input, likewise", optional=True, instead=INSTEAD)
    input2 = ref(FAMILY, "third input", optional=True, instead=INSTEAD)
    input3 = ref(FAMILY, "fourth input", optional=True, instead=INSTEAD)
    input4 = ref(FAMILY, "fifth input", optional=True, instead=INSTEAD)
    input5 = ref(FAMILY, "sixth input", optional=True, instead=INSTEAD)
    input6 = ref(FAMILY, "seventh input", optional=True, instead=INSTEAD)
    input7 = ref(FAMILY, "eighth input", optional=True, instead=INSTEAD)


class InputColumns(NamedTuple):
    """The inputs of rows.

    m: place of each in the columns of the coordinate markers, -1 for none, shape (rows, 8).
    size: number of inputs of each row, shape (rows,).
    first: first column of the row's coordinates that belongs to each input, shape (9,).
    """

    m: IntArray
    size: IntArray
    first: IntArray


def find_markers(c: InputColumns) -> Callable[[Fields], CoordinateColumns]:
    """``(s)`` gives the columns of the coordinate markers, which a world without inputs may not have."""
    return (lambda s: s.markers[FAMILY]) if (c.m >= 0).any() else lambda s: NO_MARKERS


def input_dofs(world: Tables, table: EntityTable) -> list[IntArray]:
    """World coordinate numbers of the inputs, each of shape (rows, n), -1 for none."""
    return [world.dofs_of(table.local(name)) for name in NAMES]


def bind_inputs(rows: LocalRows, start: int) -> InputColumns:
    """The inputs of rows, whose coordinates follow the first ``start`` ones."""
    places = np.stack([rows.markers(name) for name in NAMES], axis=1)
    widths = [rows.world.ref_width(rows.table, name) for name in NAMES]
    return InputColumns(places, (places >= 0).sum(axis=1), np.concatenate(([start], start + np.cumsum(widths))))


def check_inputs(table: EntityTable) -> None:
    """Raise ModelError for an input behind one that is missing."""
    check_order(table, NAMES)


def read_inputs(c: InputColumns, m: CoordinateColumns, i: int) -> tuple[FloatArray, FloatArray]:
    """u and u_t of row i, shape (inputs,) each."""
    which = c.m[i, : c.size[i]]
    return m.value[which], m.rate[which]


def list_inputs(c: InputColumns, s: Fields) -> FloatArray:
    """Values u of the inputs, 0 beyond those of a row, shape (rows, 8)."""
    found = np.zeros(c.m.shape)
    given = c.m >= 0
    found[given] = find_markers(c)(s).value[c.m[given]]
    return found


@kernel
def add_input_row(
    c: InputColumns, m: CoordinateColumns, i: int, P: FloatArray, V: FloatArray, dq: float, dv: float, B: FloatArray
) -> None:
    """B += dq ∂f/∂q + dv ∂f/∂v of a number f(u, u_t) of row i, with P = ∂f/∂u and V = ∂f/∂u_t, shape (8,) each."""
    for k in range(c.size[i]):
        j, first = c.m[i, k], c.first[k]
        for a in range(c.first[k + 1] - first):
            B[first + a] += (dq * P[k] + dv * V[k]) * m.J[j, a] + dq * V[k] * m.Jd[j, a]
