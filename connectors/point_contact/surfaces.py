"""Surfaces that can touch: spheres, half spaces and ellipsoids. Each surface is fixed to a body at any position and
orientation. A sphere can also be fixed to a point.

A surface is attached to a position marker. The frame of a surface has the origin p + A s and the axes A R. Here p and A
are position and rotation of the marker, s is ``position``, and R is ``rotation``. With the coordinates y of a point in
the frame of the surface, the surfaces are:

    sphere: |y| <= r
    ellipsoid: y_1²/a_1² + y_2²/a_2² + y_3²/a_3² <= 1
    half space: y_1 >= 0, with the outward normal -e_1

Contact is possible only between two surfaces of the same `ContactSet` that are on different bodies. A force element on
the set, such as `HuntCrossley`, determines the forces between touching surfaces.

Source: geometry of convex bodies, K. L. Johnson, Contact Mechanics, Cambridge University Press (1985), chapter 4.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.markers.position_markers import FAMILY, RIGID, replace_bodies
from windlass.connectors.point_contact.materials import ContactMaterial
from windlass.elements.nodes.rotations import is_rotation
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.checks.checks import checked, numbers
from windlass.framework.errors import ModelError
from windlass.framework.model.law import Rows, Tables, register
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.table import EntityTable

ELLIPSOID, SPHERE, HALF_SPACE = 0, 1, 2
"""Types of surfaces. The type of the first surface of a pair is <= the type of the second surface."""
EYE = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
SOURCE = "[@johnson1985]"


Runs = NDArray[np.uint64]
"""Indices of surfaces as ranges of consecutive indices [first, last + 1), shape (runs, 2). With ranges, kernels need no
test for negative indices.
"""


class ContactSphere(Component):
    """A sphere on a body, or with its centre at a point."""

    contact_set = ref("ContactSet", "set of the surfaces that this surface can touch")
    marker = ref(
        FAMILY,
        "point to which the surface is fixed: a position marker, or the reference point of a body, node or ground",
    )
    material = ref("ContactMaterial", "material of the surface")
    radius = column("m", "radius r", above=0)
    position = column(
        "m", "centre s in the frame of the marker; (0, 0, 0) on markers without rotation", (3,), (0.0,) * 3
    )


class ContactHalfSpace(Component):
    """The region y_1 >= 0 in the frame of the surface. The bounding plane is fixed to a body or to the ground."""

    contact_set = ref("ContactSet", "set of the surfaces that this surface can touch")
    marker = ref(
        RIGID, "point to which the surface is fixed: a rigid marker, or the reference point of a body or ground"
    )
    material = ref("ContactMaterial", "material of the surface")
    position = column("m", "a point s on the plane, in the frame of the marker", (3,), (0.0,) * 3)
    rotation = column(
        "1", "rotation matrix R from the frame of the surface to the frame of the marker, see `facing`", (3, 3), EYE
    )


class ContactEllipsoid(Component):
    """An ellipsoid on a rigid body."""

    contact_set = ref("ContactSet", "set of the surfaces that this surface can touch")
    marker = ref(
        RIGID, "point to which the surface is fixed: a rigid marker, or the reference point of a body or ground"
    )
    material = ref("ContactMaterial", "material of the surface")
    semi_axes = column("m", "semi-axes a_1, a_2, a_3 along the axes of the surface", (3,), above=0)
    position = column("m", "centre s in the frame of the marker", (3,), (0.0,) * 3)
    rotation = column("1", "rotation matrix R from the frame of the surface to the frame of the marker", (3, 3), EYE)


KINDS: dict[type[Component], int] = {ContactEllipsoid: ELLIPSOID, ContactSphere: SPHERE, ContactHalfSpace: HALF_SPACE}


class Surfaces(NamedTuple):
    """Data of the n surfaces of one contact set, in the order ellipsoids, spheres, half spaces."""

    ids: IntArray  # entity index of each surface, shape (n,)
    kind: IntArray  # ELLIPSOID, SPHERE or HALF_SPACE, shape (n,)
    carrier: IntArray  # entity index of the node, body without node, or ground that carries the surface, shape (n,)
    fixed: NDArray[np.bool_]  # whether the carrier is the ground, shape (n,)
    marker: IntArray  # index of the marker of each surface among the position markers, shape (n,)
    is_point: NDArray[np.bool_]  # whether the marker is a point without rotation, shape (n,)
    size: FloatArray  # semi-axes [m], for spheres the radius in all components, for half spaces 0, shape (n, 3)
    reach: FloatArray  # radius [m] of the bounding sphere; 0 for half spaces, shape (n,)
    s: FloatArray  # position [m] of each surface in the frame of its marker, shape (n, 3)
    R: FloatArray  # rotation from the frame of the surface to the frame of its marker, shape (n, 3, 3)
    E: FloatArray  # E, c, us, ud, uv: plane-strain modulus [Pa], dissipation [s/m], friction [1, 1, s/m], shape (n,)
    c: FloatArray
    us: FloatArray
    ud: FloatArray
    uv: FloatArray
    dofs: IntArray  # local indices of the coordinates of the marker, padded with the spare index, shape (n, w)
    # the following fields change during a run
    center: FloatArray  # global origin [m] of the frame of each surface, shape (n, 3)
    v: FloatArray  # velocity [m/s] of the origin, shape (n, 3)
    omega: FloatArray  # angular velocity [rad/s], shape (n, 3)
    Q: FloatArray  # B diag(a²) Bᵀ with global rotation B [m²]; constant for spheres, shape (n, 3, 3)
    normal: FloatArray  # global outward normal of half spaces, shape (n, 3)
    force: FloatArray  # force, torque: global force [N], global torque about the origin [N m], shape (n, 3)
    torque: FloatArray


def find_runs(surfaces: IntArray) -> Runs:
    """Convert ascending indices to ranges of consecutive indices."""
    breaks = np.flatnonzero(np.diff(surfaces) != 1)
    first = np.concatenate((surfaces[:1], surfaces[breaks + 1]))
    last = np.concatenate((surfaces[breaks], surfaces[-1:]))
    runs: Runs = np.stack((first, last + 1), axis=1).astype(np.uint64)
    return runs


@checked(normal=numbers("1", (3,), words="three numbers [1] that are not all 0"))
def facing(normal: Sequence[float]) -> FloatArray:
    """Return a ``rotation`` for which the outward normal of a half space has a given direction in the frame of the
    marker.

    Args:
        normal: direction away from the material, of any length > 0, shape (3,).

    Raises:
        ModelError: the argument is not a direction.
    """
    n = np.asarray(normal, dtype=np.float64)
    length = float(np.linalg.norm(n)) if n.shape == (3,) else 0.0
    if not (np.isfinite(length) and length > 0.0):
        raise ModelError(f"normal = {normal!r}: must be three numbers [1] that are not all 0")
    x = -n / length
    # The second axis may have any direction. The coordinate axis with the largest angle to x gives the smallest
    # rounding error.
    helper = np.zeros(3)
    helper[int(np.argmin(np.abs(x)))] = 1.0
    y = np.cross(x, helper)
    y /= np.linalg.norm(y)
    return np.stack((x, y, np.cross(x, y)), axis=1)


def create_surfaces(world: Tables, layout: Rows, contact_set: int) -> Surfaces:
    """Create the data of the surfaces of one set with local indices of this process. ``contact_set`` is the entity
    index of the set.
    """
    tables = [table for table in map(world.table, KINDS) if table.count]
    parts = [(table, np.flatnonzero(table.collect("contact_set") == contact_set)) for table in tables]

    def gather(read: Callable[[EntityTable], Any], shape: tuple[int, ...], dtype: type = np.float64) -> Any:
        return np.concatenate([np.zeros((0, *shape), dtype), *(read(table)[rows] for table, rows in parts)])

    marker = gather(lambda table: table.collect("marker"), (), np.int64)
    material, axes = gather(lambda table: table.collect("material"), (), np.int64), gather(_sizes, (3,))
    n = len(marker)
    E, c, us, ud, uv = _material_columns(world, material)
    carrier, fixed = find_carriers(world, marker)
    return Surfaces(
        ids=gather(lambda table: table.ids, (), np.int64),
        kind=np.repeat([KINDS[table.component] for table in tables], [len(rows) for _, rows in parts]).astype(np.int64),
        carrier=carrier,
        fixed=fixed,
        marker=layout.marker_index[marker],
        is_point=_are_points(world, marker),
        size=axes,
        reach=axes.max(axis=1, initial=0.0),
        s=gather(lambda table: table.collect("position"), (3,)),
        R=gather(rotations, (3, 3)),
        E=E,
        c=c,
        us=us,
        ud=ud,
        uv=uv,
        dofs=layout.local_dofs(world.dofs_of(marker)),
        center=np.zeros((n, 3)),
        v=np.zeros((n, 3)),
        omega=np.zeros((n, 3)),
        Q=axes[:, :1, None] ** 2 * np.eye(3),
        normal=np.zeros((n, 3)),
        force=np.zeros((n, 3)),
        torque=np.zeros((n, 3)),
    )


def rotations(table: EntityTable) -> FloatArray:
    """Return the rotation matrices R of all rows, which are unit matrices for spheres, shape (rows, 3, 3)."""
    if "rotation" in table.component.columns:
        return table.collect("rotation")
    return np.tile(np.eye(3), (table.count, 1, 1))


def find_carriers(world: Tables, markers: IntArray) -> tuple[IntArray, NDArray[np.bool_]]:
    """Return the carrier of each marker, and whether this carrier is a ground. The carrier is the node of the marker or
    of its body, the body if it has no node, or the ground.
    """
    carrier, fixed = np.full(len(markers), -1, np.int64), np.zeros(len(markers), bool)
    for table, positions, rows in world.split_by_table(markers):
        name = next(iter(table.component.refs))
        carrier[positions] = table.collect(name)[rows]
    for table, positions, rows in world.split_by_table(carrier):
        if "node" in table.component.refs:
            carrier[positions] = table.collect("node")[rows]
        fixed[positions] = "ground" in table.component.provides
    return carrier, fixed


def _are_points(world: Tables, markers: IntArray) -> NDArray[np.bool_]:
    points = np.zeros(len(markers), bool)
    for table, positions, _ in world.split_by_table(markers):
        points[positions] = RIGID not in table.component.provides
    return points


def _sizes(table: EntityTable) -> FloatArray:
    """Return the semi-axes of ellipsoids, the radii of spheres (the same value in all three components), or 0 for half
    spaces [m], shape (rows, 3).
    """
    if table.component is ContactEllipsoid:
        return table.collect("semi_axes")
    radius = table.collect("radius") if table.component is ContactSphere else np.zeros(table.count)
    return np.repeat(radius[:, None], 3, axis=1)


def _material_columns(world: Tables, materials: IntArray) -> list[FloatArray]:
    """Return the plane-strain modulus E, the dissipation c, and the friction coefficients us, ud and uv of each
    surface, shape (n,) each."""
    out = [np.zeros(len(materials)) for _ in range(5)]
    for table, positions, rows in world.split_by_table(materials):
        for array, name in zip(out, ContactMaterial.columns, strict=True):
            array[positions] = table.collect(name)[rows]
    return out


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for invalid rotations, and for surfaces at an offset from a point without rotation."""
    R = rotations(table)
    for row in np.flatnonzero(~is_rotation(R))[:1]:
        raise ModelError(
            f"rotation = {R[row].tolist()} in {table.kind} row {row}: must be a rotation matrix, det = 1 [1]"
        )
    position = table.collect("position")
    for row in np.flatnonzero(_are_points(world, table.collect("marker")) & position.any(axis=1))[:1]:
        raise ModelError(
            f"position = {position[row]} m in {table.kind} row {row}: must be (0, 0, 0), as its marker has no rotation"
        )


for _kind in KINDS:
    register(_kind, "passive", dofs="marker", fill_defaults=replace_bodies, check=check, source=SOURCE)
