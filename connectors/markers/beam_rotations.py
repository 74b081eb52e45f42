"""Rotation coordinates of cross sections of beams: the angle by which the cross section at x has rotated.

    in 2D: value = Σ N_a (φ_a - φ_a,ref),    J_a = N_a
    in 3D: the angle about an axis of the rotation e = Σ N_a e_a flip_a, see rotation_coordinate.py

N_a are the shape functions of the nodes at x. In 2D, the angle is not limited to ±π. In 3D, derivatives with respect to
the Euler parameters of node a contain the factor N_a flip_a. A torque on the coordinate acts on the cross section at x.

Source: elements/beam/beam2d.py and beam3d.py; rotation_coordinate.py.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.markers.beam_places import create_check, eval_shapes, find_shapes, read_beams
from windlass.connectors.markers.coordinate_family import FAMILY, CoordinateMarkers
from windlass.connectors.markers.marker_laws import pack_markers, register_marker
from windlass.connectors.markers.position_kernels import CURVED
from windlass.connectors.markers.rotation_coordinate import (
    OUTPUTS,
    RotationCoordinate,
    check_start,
    create_system,
    describe_rotations,
    fill_defaults,
    store_angles,
    update_rotations,
)
from windlass.elements.beam.beam3d import find_flips
from windlass.elements.beam.forces2d import WIDTH as PLANE_WIDTH
from windlass.elements.beam.forces3d import WIDTH as SPACE_WIDTH
from windlass.elements.beam.rows import NODES, find_lengths, find_orders
from windlass.elements.beam.rules import MOST_NODES
from windlass.elements.nodes.nodes3d import RigidNode3D
from windlass.elements.nodes.rotations import rotation_matrix
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows, Tables, register
from windlass.framework.model.rows import create_records
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.system import System
from windlass.framework.model.table import Entity, EntityTable

X = column("m", "axial position on the beam, from 0 to the length of the beam", default=0.0, minimum=0.0)


class RotationOnBeam2D(Component):
    """The angle by which the cross section of a `Beam2D` at x has rotated."""

    provides = (FAMILY, CURVED)
    beam = ref("2D beam", "the beam")
    x = X


class RotationOnBeam3D(Component):
    """The angle by which the cross section of a `Beam3D` at x has rotated about an axis.

    One history value per row: the angle minus its initial value [rad].
    """

    provides = (FAMILY, CURVED)
    beam = ref("3D beam", "the beam")
    x = X
    axis = column("1", "axis in the frame e_1, e_2, e_3 of the section, of any length > 0", shape=(3,),
                  default=(1.0, 0.0, 0.0))  # fmt: skip
    data = RotationCoordinate.data


@kernel
def update_angles(rows: Any, m: CoordinateMarkers, x: FloatArray, v: FloatArray) -> None:
    """Evaluate the angle of each cross section in 2D, its rate and its derivatives with respect to the coordinates."""
    for i in range(len(rows)):
        row = rows[i]
        k, angle, rate = row.index, 0.0, 0.0
        for a in range(row.count):
            at = PLANE_WIDTH * a + 2
            angle += row.N[a] * (x[row.dofs[at]] - row.reference[a])
            rate += row.N[a] * v[row.dofs[at]]
            m.jacobian[k, at] = row.N[a]
        m.value[k], m.rate[k] = angle, rate


def bind_plane(rows: LocalRows) -> NDArray[Any]:
    """Create the array with the data of the rows: shape functions of the nodes, and their reference angles [rad]."""
    (count, N), reference = find_shapes(rows, PLANE_WIDTH, 2), np.zeros((len(rows.rows), MOST_NODES))
    reference[:, : rows.reference.shape[1] // PLANE_WIDTH] = rows.reference[:, 2::PLANE_WIDTH]
    return pack_markers(rows, PLANE_WIDTH * MOST_NODES, count=count, N=N, reference=reference)


def find_factors(N: FloatArray, reference: FloatArray) -> FloatArray:
    """Return N_a flip_a, shape (rows, 4), for reference coordinates of the nodes of 3D beams, shape (rows, n)."""
    return N * find_flips(reference.reshape(len(N), reference.shape[1] // SPACE_WIDTH, SPACE_WIDTH)[:, :, 3:])


def find_parameters(N: FloatArray, values: FloatArray) -> FloatArray:
    """Return the Euler parameters Σ N_a e_a flip_a of cross sections, shape (rows, 4). The argument N contains N_a
    flip_a, shape (rows, 4), and ``values`` the coordinates of the nodes, shape (rows, n).
    """
    e = values.reshape(len(values), values.shape[1] // SPACE_WIDTH, SPACE_WIDTH)[:, :, 3:]
    found: FloatArray = np.einsum("ia,iap->ip", N[:, : e.shape[1]], e)
    return found


class SectionRows(NamedTuple):
    """Data of rows for kernels.

    beams: dofs, index and N (N_a flip_a) of each row.
    sections: the fields of `RotationCoordinate`, whose coordinates are the Euler parameters ``e`` of the section.
    e, et: memory for the Euler parameters of a section and their rates, shape (4,).
    turn: memory for the results of `update_rotations`, of one marker with four coordinates.
    """

    beams: NDArray[Any]
    sections: NDArray[Any]
    e: FloatArray
    et: FloatArray
    turn: CoordinateMarkers


@kernel
def interpolate(row: Any, values: FloatArray, e: FloatArray) -> None:
    """Write the sum over the nodes of their Euler parameters, or of the rates, in ``values``."""
    for p in range(4):
        e[p] = 0.0
        for a in range(row.count):
            e[p] += row.N[a] * values[row.dofs[SPACE_WIDTH * a + 3 + p]]


@kernel
def update_sections(c: SectionRows, m: CoordinateMarkers, x: FloatArray, v: FloatArray, data: FloatArray) -> None:
    """Evaluate the angle of each cross section in 3D, its rate and its derivatives with respect to the coordinates."""
    for i in range(len(c.beams)):
        row, t = c.beams[i], c.turn
        interpolate(row, x, c.e)
        interpolate(row, v, c.et)
        update_rotations(c.sections[i : i + 1], t, c.e, c.et, data)
        k, h = row.index, m.second[row.index]
        m.value[k], m.rate[k] = t.value[0], t.rate[0]
        for a in range(row.count):
            for p in range(4):
                at = SPACE_WIDTH * a + 3 + p
                m.jacobian[k, at], m.jacobian_rate[k, at] = (
                    row.N[a] * t.jacobian[0, p],
                    row.N[a] * t.jacobian_rate[0, p],
                )
                for b in range(row.count):
                    for q in range(4):
                        both = row.N[a] * row.N[b] * t.hessian[0, p, q]
                        m.hessian[h, at, SPACE_WIDTH * b + 3 + q] = both


@kernel
def store_section_angles(c: SectionRows, x: FloatArray, data: FloatArray) -> None:
    """Store the angles of all cross sections, see `store_angles`."""
    for i in range(len(c.beams)):
        interpolate(c.beams[i], x, c.e)
        store_angles(c.sections[i : i + 1], c.e, data)


def bind_space(rows: LocalRows) -> SectionRows:
    """Create the data of the rows for kernels."""
    (count, N), n = find_shapes(rows, SPACE_WIDTH, 3), len(rows.rows)
    N = find_factors(N, rows.reference)
    values = rows.reference, rows.reference + rows.layout.displacement[rows.dofs]
    reference, start = (find_parameters(N, given) for given in values)
    numbers = np.tile(np.arange(4), (n, 1))
    sections = create_records(
        index=np.zeros(n, np.int64), dofs=numbers, data=rows.data_start("data"),
        **describe_rotations(rows, reference, start),
    )  # fmt: skip
    beams = pack_markers(rows, SPACE_WIDTH * MOST_NODES, count=count, N=N)
    one, four = np.zeros(1), np.zeros((1, 4))
    turn = CoordinateMarkers(
        one, one.copy(), four, four.copy(), np.arange(4)[None], np.zeros(1, np.int64), np.zeros((1, 4, 4))
    )
    return SectionRows(beams, sections, np.zeros(4), np.zeros(4), turn)


def build_space(rows: LocalRows) -> System:
    """Create the system of `RotationOnBeam3D`."""
    c: SectionRows = rows.columns
    update = call(update_sections, lambda s: (c, s.markers[FAMILY], s.x, s.v, s.data))
    store = call(store_section_angles, lambda s: (c, s.x, s.data))
    return create_system(rows, c.beams, update, store, "cross section")


check_place = create_check(SPACE_WIDTH, 3)


def check_space(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for a point outside its beam, and for wrong rows, see `check_start`."""
    check_place(world, table)
    dofs = world.resident_dofs(table)
    reference, displacement = (
        world.numbering.reference_of(dofs),
        world.numbering.displacement[world.numbering.places(dofs)],
    )
    order, length = read_beams(world, table.local("beam"), reference, SPACE_WIDTH, 3)
    N = find_factors(eval_shapes(order, length, table.local("x"))[1], reference)
    check_start(world, table, find_parameters(N, reference), find_parameters(N, reference + displacement))


def turn_axes(world: Tables, beams: Entity, x: FloatArray, direction: FloatArray) -> FloatArray:
    """Return directions of the global frame as components in the frames of cross sections in the reference
    configuration, shape (rows, 3).

    Args:
        world: the model.
        beams: handle to `Beam3D`, one or several rows.
        x: positions on the beams [m], shape () or (rows,).
        direction: directions, shape (3,) or (rows, 3).
    """
    ids = np.stack([beams.table.collect(name, beams.rows) for name in NODES], axis=1)
    nodes, reference = world.table(RigidNode3D), np.zeros((*ids.shape, SPACE_WIDTH))
    for _, places, rows in world.split_by_table(ids.ravel()):
        values = nodes.collect("position", rows), nodes.collect("euler_parameters", rows)
        reference.reshape(-1, SPACE_WIDTH)[places] = np.concatenate(values, axis=1)
    order = find_orders((ids[:, 2], ids[:, 3]))
    length = find_lengths(beams.table.collect("length", beams.rows), order, reference[:, :, :3])
    count = max(len(ids), np.size(x), direction.size // 3)
    coordinates = np.broadcast_to(reference, (count, *reference.shape[1:])).reshape(count, -1)
    shapes = eval_shapes(np.broadcast_to(order, count), np.broadcast_to(length, count), np.broadcast_to(x, count))
    N = find_factors(shapes[1], coordinates)
    A = rotation_matrix(find_parameters(N, coordinates))
    turned: FloatArray = np.einsum("ikl,ik->il", A, np.broadcast_to(direction, (count, 3)))
    return turned


register_marker(
    RotationOnBeam2D, FAMILY, update_angles, bind_plane, "beam", "[@simo1986]", create_check(PLANE_WIDTH, 2), OUTPUTS
)
register(
    RotationOnBeam3D,
    "marker",
    family=FAMILY,
    dofs="beam",
    bind=bind_space,
    build=build_space,
    fill_defaults=partial(fill_defaults, RotationOnBeam3D),
    check=check_space,
    outputs=OUTPUTS,
    source="[@nikravesh1988]; [@crisfield1999]",
)
