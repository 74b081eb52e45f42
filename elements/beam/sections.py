"""Functions for outputs and drawings of 2D and 3D beams at positions x on the axis.

``x`` is a position from 0 to the length of the beam [m]. The argument is a scalar for all rows, or an array of shape
(rows,), or (rows, k) for k positions per row. By default outputs are evaluated in the middle of each beam. Strains,
forces and moments are interpolated by polynomials through the values at the Gauss points. For order 1, strains, forces
and moments are constant along an element.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from windlass.elements.beam.rows import group_rows
from windlass.elements.beam.rules import LinePlaces, LineRule, eval_places
from windlass.elements.cable.outputs import find_fractions, label_parts
from windlass.framework.arrays import FloatArray
from windlass.framework.model.drawing import Drawing
from windlass.framework.model.law import LocalRows, Output
from windlass.framework.model.system import Fields

Filled = tuple[FloatArray, Mapping[str, FloatArray]]
Fill = Callable[[Any, LineRule, FloatArray, FloatArray, FloatArray, FloatArray], None]


class SectionLoads(NamedTuple):
    """Strains minus the strains of the stress-free state, and the forces and moments including damping. Each array has
    the shape (rows, k, strains). All values of broken beams are 0.
    """

    strain: FloatArray
    force: FloatArray


def eval_loads(rows: LocalRows, s: Fields, places: LinePlaces, fill: Fill) -> SectionLoads:
    """Evaluate strains, forces and moments at positions on the axis. The kernel ``fill`` computes the strains at the
    Gauss points.
    """
    own = rows.columns
    z, zt = np.zeros(own["free"].shape), np.zeros(own["free"].shape)
    for some, rule in rows.kept("groups", lambda: group_rows(own)):
        fill(some, rule, s.x, s.v, z, zt)
    strain = z - own["free"]
    strain[own["broken"]], zt[own["broken"]] = 0.0, 0.0
    force = np.einsum("iab,ipb->ipa", own["stiffness"], strain) + np.einsum("iab,ipb->ipa", own["damping"], zt)
    return SectionLoads(places.E @ strain, places.E @ force)


def interpolate(rows: LocalRows, values: FloatArray, places: LinePlaces, width: int) -> FloatArray:
    """Interpolate ``values`` of the coordinates between the nodes. Return the values at k positions on the axis of each
    beam, shape (rows, k, width).
    """
    found = values[rows.dofs].reshape(len(rows.dofs), -1, width)
    return places.N[:, :, : found.shape[1]] @ found


def place_output(unit: str, doc: str, evaluate: Callable[[LocalRows, Fields, LinePlaces], FloatArray]) -> Output:
    """Create an output variable that is evaluated at positions on the beams. If the positions are the same as in the
    previous call, the shape functions of the previous call are used again.
    """

    def at(rows: LocalRows, fields: Fields, x: Any = None) -> FloatArray:
        s = find_fractions(rows, rows.columns["length"][:, None], x)
        kept: list[tuple[FloatArray, LinePlaces]] = rows.kept("places", list)
        if not (kept and np.array_equal(kept[0][0], s)):
            kept[:] = [(s, eval_places(rows.columns["order"], s))]
        values = evaluate(rows, fields, kept[0][1])
        return values if np.ndim(x) == 2 else values[:, 0]

    return Output(unit, doc, at)


LENGTH = Output("m", "length L to which strains refer, ()", lambda rows, s: rows.columns["length"])
"""Output variable of all beams."""


def draw_lines(
    rows: LocalRows, subdivisions: int, width: int, fill: Callable[[LinePlaces], Filled], units: Mapping[str, str]
) -> Drawing:  # fmt: skip
    """Draw each beam as ``subdivisions`` lines between points at equal distances along the axis. Connected beams have
    the same part label.

    Args:
        width: number of coordinates of a node.
        fill: function of the positions on the axis that returns points and fields, each of shape (rows, k, ...).
        units: units of the fields by name.
    """
    own, count, n = rows.columns, len(rows.rows), subdivisions + 1
    s = np.broadcast_to(np.arange(n) / subdivisions, (count, n))
    places: LinePlaces = rows.kept(f"lines {subdivisions}", lambda: eval_places(own["order"], s))
    points, fields = fill(places)
    number, x, ends = np.arange(count * n).reshape(count, n), own["length"][:, None] * s, rows.dofs[:, [0, width]]
    return Drawing(
        points=points.reshape(count * n, -1),
        lines=np.stack((number[:, :-1].ravel(), number[:, 1:].ravel()), axis=1),
        part=np.repeat(rows.kept("parts", lambda: label_parts(ends)), subdivisions),
        entity=np.repeat(rows.table.ids_of(rows.rows), subdivisions),
        start=x[:, :-1].ravel(),
        end=x[:, 1:].ravel(),
        point_data={name: values.reshape(count * n, *values.shape[2:]) for name, values in fields.items()},
        units=units,
        joints=np.repeat(rows.layout.dofs[ends], subdivisions, axis=0),
    )
