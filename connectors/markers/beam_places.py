"""Points of beams at the axial position x: shape functions of the nodes at x, and checks of x."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from windlass.elements.beam.rows import NODES, find_lengths, find_orders
from windlass.elements.beam.rules import eval_places
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.errors import ModelError
from windlass.framework.model.law import LocalRows, Tables
from windlass.framework.model.table import EntityTable


def read_beams(
    world: Tables, ids: IntArray, reference: FloatArray, width: int, dims: int
) -> tuple[IntArray, FloatArray]:
    """Return the orders and the lengths [m] of beams from the reference coordinates of their nodes, shape (rows, n).
    Each node has ``width`` coordinates, of which the first ``dims`` are its position.
    """
    order, length = np.ones(len(ids), np.int64), np.zeros(len(ids))
    for table, places, rows in world.split_by_table(ids):
        order[places] = find_orders((table.local(NODES[2], rows), table.local(NODES[3], rows)))
        length[places] = table.local("length", rows)
    r = reference.reshape(len(ids), reference.shape[1] // width, width)[:, :, :dims]
    return order, find_lengths(length, order, r)


def find_shapes(rows: LocalRows, width: int, dims: int) -> tuple[IntArray, FloatArray]:
    """Return the numbers of nodes, shape (rows,), and the shape functions of the nodes, shape (rows, 4), of markers at
    the position ``x`` of the column ``beam``. See `read_beams` for ``width`` and ``dims``.
    """
    return eval_shapes(*read_beams(rows.world, rows.local("beam"), rows.reference, width, dims), rows.local("x"))


def eval_shapes(order: IntArray, length: FloatArray, x: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return the numbers of nodes, shape (rows,), and the shape functions of the nodes, shape (rows, 4), of beams with
    the given orders and lengths [m] at the positions x [m], shape (rows,) each.
    """
    return order + 1, eval_places(order, (x / length)[:, None]).N[:, 0]


def create_check(width: int, dims: int) -> Callable[[Tables, EntityTable], None]:
    """Create the function that raises ModelError for a point outside its beam. See `read_beams` for the arguments."""

    def check(world: Tables, table: EntityTable) -> None:
        reference = world.numbering.reference_of(world.resident_dofs(table))
        x, length = table.local("x"), read_beams(world, table.local("beam"), reference, width, dims)[1]
        for k in np.flatnonzero(x > length * (1 + 1e-12))[:1]:
            place = f"x = {x[k]} m in {table.kind} row {table.resident[k]}"
            raise ModelError(f"{place}: must be <= {length[k]} m, the beam's length")

    return check
