"""Functions for 2D and 3D beams: nodes, orders, lengths, section matrices, mass and weight of the axis, and checks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.elements.beam.rules import (
    INNER,
    MOST_NODES,
    MOST_POINTS,
    ORDERS,
    LineRule,
    create_broken_rule,
    create_rule,
)
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.checks.values import read_numbers
from windlass.framework.errors import ModelError
from windlass.framework.model.law import LocalRows, Tables
from windlass.framework.model.schema import Component, column
from windlass.framework.model.table import EntityTable

NODES = ("node0", "node1", "node2", "node3")
INNER_NODES = (
    "inner node at x/L = 1/2; if node3 is given, at x/L = (1 - 1/√5)/2",
    "second inner node, at x/L = (1 + 1/√5)/2",
)
"""Descriptions of node2 and node3."""
FirstAxes = Callable[[IntArray, FloatArray, LineRule], FloatArray]
"""Type of functions that return the unit vectors e_1 of the cross sections at the Gauss points, shape (k, g, d) in d
dimensions. The arguments are row indices, shape (k,), reference coordinates of these rows, shape (k, nodes, width), and
the rule.
"""
SYMMETRY = 1e-9
"""Largest asymmetry [1] of a section matrix, relative to its largest element, that is treated as a rounding error. This
value is also the largest allowed magnitude of a negative eigenvalue of the matrix. Before the eigenvalues are computed,
rows and columns are scaled such that the diagonal elements are 1.
"""
LEAST_COSINE = 0.5
"""Smallest allowed cosine [1] of the angle between the axis and e_1 of a cross section. The value 0.5 is the cosine of
60°.
"""
MOST_UNEVEN = 1.05
"""Largest allowed ratio [1] of |r'| at two Gauss points of an element with inner nodes. For an element of order 2 on an
arc of 120°, the ratio is 1.0033. If the inner node of an element is at s = 0.52 instead of 0.5, the ratio is 1.10, and
the deflection of the beam changes by 4 %.
"""
OTHER_LENGTH = 2.0
"""Largest allowed ratio [1] of a given length to the length of the axis, and of the length of the axis to the given
length.
"""


class SpaceBeam(Component):
    """Columns that all 3D beams have. ``stiffness`` and ``damping`` can be given as the diagonals of the matrices."""

    stiffness = column(
        "N, N m, N m^2",
        "section stiffness S of forces and moments along e_1, e_2, e_3; diagonal: EA, GA_2, GA_3, GJ, EI_2, EI_3",
        shape=(6, 6),
    )
    mass_per_length = column("kg/m", "mass per length ρA", minimum=0.0)
    damping = column(
        "N s, N m s, N m^2 s",
        "section damping D, from the rates of the strains to forces and moments",
        shape=(6, 6),
        default=((0.0,) * 6,) * 6,
    )
    length = column(
        "m",
        "length L to which strains and mass refer; 0: the length of the axis; the reference configuration has "
        "no force for any L, and a reference_strain causes prestress",
        default=0.0,
        minimum=0.0,
    )
    reference_strain = column(
        "1, 1, 1, 1/m, 1/m, 1/m",
        "strains at which the force is 0, added to the strains of the reference configuration",
        shape=(6,),
        default=(0.0,) * 6,
    )
    broken = column(
        "1", "true: the beam is broken, its section forces and moments are 0; mass and weight remain",
        default=False, dtype=bool, switchable=True,
    )  # fmt: skip


def order_dofs(world: Tables, table: EntityTable, width: int) -> IntArray:
    """Return the global indices of the coordinates of node0 to node3, shape (rows, n). Each node has ``width`` indices.
    The indices of a missing node are -1. If no row has a node3, the indices of node3 are omitted. If, in addition, no
    row has a node2, the indices of node2 are also omitted.
    """
    ids = [table.local(name) for name in NODES]
    used = 4 if (ids[3] >= 0).any() else 3 if (ids[2] >= 0).any() else 2
    out = np.full((len(ids[0]), used, width), -1, np.int64)
    for a in range(used):
        found = world.dofs_of(ids[a])
        out[:, a, : found.shape[1]] = found
    return out.reshape(len(out), -1)


def find_orders(inner: tuple[IntArray, IntArray]) -> IntArray:
    """Return the polynomial orders of beam elements (rows) from the entity indices of node2 and node3, where -1 means
    no node.
    """
    orders: IntArray = 1 + (inner[0] >= 0).astype(np.int64) + (inner[1] >= 0)
    return orders


def find_lengths(given: FloatArray, order: IntArray, r: FloatArray) -> FloatArray:
    """Return the lengths [m] of beams that the user has given. If a given length is 0, it is replaced by the length of
    the axis through the nodes at the positions r [m], shape (rows, nodes, d) in d dimensions.
    """
    found = np.array(given)
    for p in np.unique(order[given == 0.0]):
        rule, some = create_rule(int(p)), np.flatnonzero((order == p) & (given == 0.0))
        slopes = np.einsum("ga,iad->igd", rule.D, r[some, : p + 1])
        found[some] = np.sqrt((slopes**2).sum(axis=2)) @ rule.w
    return found


def bind_beams(rows: LocalRows, width: int, dims: int, strains: int, **own: NDArray[Any]) -> NDArray[Any]:
    """Create the records of rows for the kernels.

    The additional fields ``dofs``, ``order`` and ``place`` are the coordinate indices, the polynomial order of the
    element, and the index of a row among the rows on this process. The field ``free``, shape (3, strains), is initially
    0. Later it contains the strains of the stress-free state at the Gauss points. The field ``node_mass``, shape (4,),
    is the mass at each node [kg]. The fields in the argument ``own`` are also added.

    Args:
        width: number of coordinates of a node.
        dims: number of position coordinates of a node.
        strains: number of strains of a cross section.
        own: further fields.
    """
    count, node = len(rows.rows), rows.dofs.shape[1] // width
    order = find_orders((rows.local("node2"), rows.local("node3")))
    weights = np.zeros((count, MOST_NODES))
    for p in ORDERS:
        weights[order == p, : p + 1] = create_rule(p).W
    packed = rows.pack(
        dict(
            dofs=rows.dofs, order=order, place=np.arange(count), free=np.zeros((count, MOST_POINTS, strains)),
            node_mass=weights, **own,
        )
    )  # fmt: skip
    r = rows.reference.reshape(count, node, width)[:, :, :dims]
    packed["length"] = find_lengths(packed["length"], order, r)
    packed["node_mass"] *= (packed["mass_per_length"] * packed["length"])[:, None]
    return packed


def group_rows(own: NDArray[Any], by_order: bool = False) -> list[tuple[NDArray[Any], LineRule]]:
    """Group the records by the order of the elements, and by whether elements are broken. For each group, return its
    records and its `LineRule`. If ``by_order`` is true, whole and broken elements are not separated, and the rules are
    those of whole elements.
    """
    whole = by_order | ~own["broken"]
    groups = [(own[(own["order"] == p) & whole], create_rule(p)) for p in ORDERS]
    groups += [(own[(own["order"] == p) & ~whole], create_broken_rule(p)) for p in ORDERS]
    return [(some, rule) for some, rule in groups if len(some)]


def expand_section(component: type[Component], values: dict[str, Any], **sizes: int) -> dict[str, Any]:
    """Convert section matrices that the user gave as diagonals to full matrices. The argument ``sizes`` contains the
    required size n of each n x n matrix, by the name of its column.

    Raises:
        ModelError: the values are neither diagonals nor matrices of the required size.
    """
    for name, size in sizes.items():
        given = read_numbers(values[name]) if name in values else None
        if given is None or given.shape[-2:] == (size, size):
            continue
        if given.shape != (size,):
            is_other = name == "stiffness" and given.shape[-1:] == (9 - size,)
            remedy = f"; round_section and rectangular_section need dims={size // 3 + 1}" if is_other else ""
            raise ModelError(
                f"{name} in {component.__name__} has shape {given.shape}: must be a diagonal of shape ({size},) or "
                f"matrices of shape ({size}, {size}) [{component.columns[name].unit}]{remedy}"
            )
        values[name] = np.diag(given)
    return values


def check_beams(world: Tables, table: EntityTable, *matrices: str) -> None:
    """Raise ModelError for nodes that are missing or given twice, and for matrices that are not symmetric or have
    negative eigenvalues.

    Args:
        matrices: names of the table columns that contain matrices.
    """
    ids = np.stack([table.local(name) for name in NODES], axis=1)
    for k in np.flatnonzero((ids[:, 3] >= 0) & (ids[:, 2] < 0))[:1]:
        where = f"{table.kind} row {table.resident[k]}"
        raise ModelError(f"node3 without node2 in {where}: must have two inner nodes for order 3, one for order 2")
    ordered = np.sort(np.where(ids < 0, -1 - np.arange(MOST_NODES), ids), axis=1)
    for k in np.flatnonzero((np.diff(ordered, axis=1) == 0).any(axis=1))[:1]:
        raise ModelError(f"nodes of {table.kind} row {table.resident[k]}: must be different nodes")
    for name in matrices:
        S, unit = table.local(name), table.component.columns[name].unit
        where = f"{name} of {table.kind} row"
        largest = np.abs(S).max(axis=(1, 2), initial=0.0)
        for k in np.flatnonzero(np.abs(S - S.swapaxes(1, 2)).max(axis=(1, 2), initial=0.0) > SYMMETRY * largest)[:1]:
            raise ModelError(f"{where} {table.resident[k]} = {S[k].tolist()}: must be symmetric [{unit}]")
        root = np.sqrt(np.maximum(np.einsum("iaa->ia", S), 0.0))
        scale = 1.0 / np.where(root > 0.0, root, 1.0)
        low = np.linalg.eigvalsh(S * scale[:, :, None] * scale[:, None, :])[:, 0] if len(S) else np.zeros(0)
        for k in np.flatnonzero(low < -SYMMETRY)[:1]:
            raise ModelError(
                f"{where} {table.resident[k]} = {S[k].tolist()}: must not have negative eigenvalues [{unit}]"
            )


def check_share(table: EntityTable) -> None:
    """Raise ModelError for a fraction ``strain_is_relative_to_reference`` that is not from 0 to 1."""
    share = table.local("strain_is_relative_to_reference")
    table.refuse((share < 0.0) | (share > 1.0), ("strain_is_relative_to_reference",), "lie from 0 to 1")


def check_axes(world: Tables, table: EntityTable, width: int, dims: int, first_axes: FirstAxes) -> None:
    """Raise ModelError for beams of length 0, for inner nodes at wrong positions, for given lengths that differ from
    the length of the axis, and for wrong directions of cross sections.

    Args:
        world: the model.
        table: the rows.
        width: number of coordinates of a node.
        dims: number of position coordinates of a node.
        first_axes: function that returns the vectors e_1 of the cross sections.
    """
    x = world.numbering.reference_of(world.resident_dofs(table)).reshape(len(table.resident), -1, width)
    order = find_orders((table.local("node2"), table.local("node3")))
    cosine, size = np.ones(len(x)), np.ones((len(x), 3))
    for p in np.unique(order):
        some, rule = np.flatnonzero(order == p), create_rule(int(p))
        own = x[some, : p + 1]
        slopes = np.einsum("ga,iad->igd", rule.D, own[:, :, :dims])
        length = np.linalg.norm(slopes, axis=2)
        along = (slopes * first_axes(some, own, rule)).sum(axis=2) / np.where(length > 0.0, length, 1.0)
        cosine[some] = along.min(axis=1)
        size[some] = np.stack((length.min(axis=1), length.max(axis=1), length @ rule.w), axis=1)
    _refuse_axes(table, cosine, size)


def _refuse_axes(table: EntityTable, cosine: FloatArray, size: FloatArray) -> None:
    """Raise ModelError for beams of length 0, for given lengths that differ from the length of the axis by more than
    the factor `OTHER_LENGTH`, and for inner nodes at wrong positions or with wrong angles.

    Args:
        cosine: smallest cosine of the angles between the axis and e_1 of the cross sections, shape (resident,).
        size: three lengths [m], shape (resident, 3): the smallest and the largest value of |r'| L at the Gauss points,
            where L is the length of the beam, and the length of the axis.
    """
    for k in np.flatnonzero(~(size[:, 0] > 0.0))[:1]:
        raise ModelError(f"nodes of {table.kind} row {table.resident[k]} are at one point: must have a distance > 0 m")
    for k in np.flatnonzero(size[:, 1] > MOST_UNEVEN * size[:, 0])[:1]:
        raise ModelError(
            f"inner nodes of {table.kind} row {table.resident[k]} are not at their places: must be at x/L = 0.5 with "
            f"order 2, at {INNER:.4f} and {1.0 - INNER:.4f} with order 3, along the axis from node0 to node1"
        )
    given = table.local("length")
    ratio = np.where(given > 0.0, given, size[:, 2]) / size[:, 2]
    for k in np.flatnonzero(np.maximum(ratio, 1.0 / ratio) > OTHER_LENGTH)[:1]:
        axis = size[k, 2]
        raise ModelError(
            f"length = {given[k]:g} m of {table.kind} row {table.resident[k]}, whose axis is {axis:g} m long: must be "
            f"from {axis / OTHER_LENGTH:g} to {OTHER_LENGTH * axis:g} m, or 0 for the length of the axis"
        )
    for k in np.flatnonzero(~(cosine > LEAST_COSINE))[:1]:
        angle = np.degrees(np.arccos(np.clip(cosine[k], -1.0, 1.0)))
        raise ModelError(
            f"cross sections of {table.kind} row {table.resident[k]} are turned by {angle:.3g}° from the axis of the "
            "beam: must be turned by less than 60°, because e_1 of each node points along the beam from node0 to "
            "node1; a curved line may need more elements"
        )
