"""Load of a fluid on a body whose shape is a closed mesh of triangles, divided into parts.

    drag along each axis k, per part with the area A_k: s ½ ρ C_k A_k |w_k| w_k
    added mass along each axis, per part with the volume V_0: s ρ C_ak V_0

w_k is the component along axis k of the velocity of the fluid relative to the part, and s is the immersed fraction of
the part. The docstring of body_pieces.py states all forces and defines the other symbols. For each part, the surface of
the water is replaced by its tangent plane above the centroid of the part. The volume V below this plane is exact. By
Gauss's theorem, buoyancy and pressure of the waves, ρ V (a + g z), are the integral of a pressure with the gradient
-ρ (a + g z) over the boundary of this volume.

The drag area of the whole mesh along axis k is half of the sum of the projected areas of all triangles. For a convex
mesh, this half is the area of the silhouette of the mesh. Each part has the share V_0/V_m of the drag areas, where V_m
is the volume of the mesh.

Source: DNV-RP-C205, Environmental conditions and environmental loads, section 6 and appendix D; J. N. Newman, Marine
Hydrodynamics, MIT Press (1977), section 6.16.
"""

from __future__ import annotations

import numpy as np

from windlass.connectors.loads.body_fluid_load import (
    BodyOutline,
    Pieces,
    check_rows,
    register_body_load,
)
from windlass.connectors.loads.body_mesh import find_areas, find_surfaces
from windlass.connectors.loads.immersion import MESH
from windlass.connectors.loads.polyhedron_parts import divide_polyhedron
from windlass.connectors.markers.position_markers import RIGID
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.model.law import LocalRows, Tables
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.table import EntityTable

MOST_PARTS = 100_000
"""Largest number of parts of a mesh."""


class MeshFluidLoad(Component):
    """The load of a fluid on a body with the shape of a closed mesh. The coordinates of the mesh refer to the frame of
    a marker of a rigid body.
    """

    marker = ref(RIGID, "frame of the mesh: a rigid marker, or the reference point of a rigid body or node")
    fluid = ref("fluid", "the fluid; several loads can refer to the same fluid")
    mesh = ref("BodyMesh", "the surface of the body; several loads can refer to the same mesh")
    parts = column(
        "1",
        "numbers of parts into which the extent of the mesh along x, y, z of the frame of the marker is divided",
        shape=(3,),
        fill=True,
        default=(2, 2, 2),
        dtype=np.int64,
        minimum=1,
    )
    drag = column(
        "1", "drag coefficients C along x, y, z, relative to the drag area", shape=(3,), fill=True,
        default=(1.05,) * 3, minimum=0.0, switchable=True,
    )  # fmt: skip
    drag_area = column(
        "m^2", "drag areas along x, y, z; 0: half of the sum of the projected areas of all triangles, which is the "
        "silhouette of a convex mesh",
        shape=(3,), fill=True, default=(0.0,) * 3, minimum=0.0,
    )  # fmt: skip
    added_mass = column(
        "1", "coefficients C_a of the added mass along x, y, z, relative to the volume", shape=(3,), fill=True,
        default=(0.7,) * 3, minimum=0.0,
    )  # fmt: skip
    active = column("1", "the load acts only if true", dtype=bool, default=True, switchable=True)


def divide(rows: LocalRows) -> Pieces:
    """Divide the meshes of all rows into parts. Rows with the same mesh and the same numbers of parts share the
    triangles."""
    kinds, of_row = np.unique(np.column_stack((rows.local("mesh"), rows.local("parts"))), axis=0, return_inverse=True)
    surfaces = find_surfaces(rows.world, kinds[:, 0])
    divided = [divide_polyhedron(surface.corners, kind[1:]) for surface, kind in zip(surfaces, kinds, strict=True)]
    # list the pieces of each kind (a mesh with given numbers of parts), and then the pieces of each row
    number = np.array([len(part.volume) for part in divided], np.int64)[of_row.ravel()]
    end = np.cumsum(join([part.counts for part in divided], ())).astype(np.int64)
    ranges = np.stack((np.append(0, end[:-1]), end), axis=1) if len(end) else np.zeros((0, 2), np.int64)
    pieces = np.split(np.arange(len(end)), np.cumsum([len(part.volume) for part in divided])[:-1])
    piece = join([pieces[kind] for kind in of_row.ravel()], ()).astype(np.int64)
    row = np.repeat(np.arange(len(number)), number)
    size, center = (join([getattr(part, name) for part in divided], (3,))[piece] for name in ("size", "center"))
    volume = join([part.volume for part in divided], ())[piece]
    derived = join([0.5 * np.abs(find_areas(surface.corners)).sum(axis=0)[None] for surface in surfaces], (3,))
    given = rows.local("drag_area")
    area = np.where(given > 0.0, given, derived[of_row.ravel()])
    share = volume / np.bincount(row, volume, len(number))[row]
    return Pieces(
        row=row,
        kind=MESH,
        size=size,
        center=center,
        axes=np.tile(np.eye(3), (len(row), 1, 1)),
        volume=volume,
        drag_area=0.5 * share[:, None] * (area * rows.local("drag"))[row],
        together=np.eye(3),
        added=volume[:, None] * rows.local("added_mass")[row],
        triangles=join([part.triangles for part in divided], (3, 3)),
        ranges=ranges[piece],
    )


def join(arrays: list[FloatArray] | list[IntArray], shape: tuple[int, ...]) -> FloatArray:
    """Return the arrays of shape (n, *shape), one for each row, in succession."""
    return np.concatenate([np.zeros((0, *shape)), *arrays])


def outline(rows: LocalRows) -> BodyOutline:
    """Return the edges and the triangles of the meshes. The fourth corner of each face is equal to the third corner."""
    points, lines, faces, counts, begin = [], [], [], [], 0
    for surface in find_surfaces(rows.world, rows.local("mesh")):
        corner = surface.triangles
        both = np.concatenate([corner[:, (0, 1)], corner[:, (1, 2)], corner[:, (2, 0)]])
        edges = np.unique(np.sort(both, axis=1), axis=0)
        points.append(surface.points)
        lines.append(begin + edges)
        faces.append(begin + corner[:, (0, 1, 2, 2)])
        counts.append((len(surface.points), len(edges), len(corner)))
        begin += len(surface.points)
    return BodyOutline(
        join(points, (3,)), join(lines, (2,)).astype(np.int64), join(faces, (4,)).astype(np.int64),
        np.reshape(counts, (-1, 3)).astype(np.int64),
    )  # fmt: skip


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for too many parts, and for rows that `check_rows` rejects."""
    check_rows(world, table)
    table.refuse(table.local("parts").prod(axis=1) > MOST_PARTS, ["parts"], f"have a product of at most {MOST_PARTS}")


register_body_load(
    MeshFluidLoad, divide, outline, check=check,
    source="[@dnv2010]; [@newman1977]; [@morison1950]",
)  # fmt: skip
