"""Surfaces that cables touch, on the ground and on bodies: planes, spheres, drums, grooves, profiles of revolution and
height fields.

A surface is attached to a rigid marker. The origin of the surface is the point of the marker, and the axis of the
surface is its local z axis. `distances.py` contains the formulas. Rows of a contact law define the contact with cables.
`ContactFrictionSurfaceCable` has one row for each pair of a surface and a cable.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from windlass.connectors.markers.position_markers import RIGID
from windlass.connectors.surface_contact.distances import (
    FIELD,
    LINE,
    NUMBERS,
    PIECE,
    PLANE,
    POLYLINE,
    PROFILE,
    SHEAVE,
    SPHERE,
    Geometry,
    create_field,
    create_pieces,
    eval_curvatures,
)
from windlass.connectors.surface_contact.draw import draw
from windlass.elements.nodes.turning import smallest_rotations
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.checks.values import read_numbers, show
from windlass.framework.errors import ModelError
from windlass.framework.model.law import LocalRows, Tables, register
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.table import EntityTable

SURFACE = "contact surface"
UP = (0.0, 0.0, 1.0)
MARKER = ref(RIGID, "origin of the surface, on the ground or on a body")
AXIS = column(
    "1",
    "direction of the axis of the surface, local z, in the frame of the marker, of any length > 0",
    shape=(3,),
    default=UP,
)
RADIUS = column("m", "radius R", above=0)
PARALLEL = 1e-6
"""The direction ``along`` of a surface is rejected as parallel to its axis if the sine of the angle between ``along``
and the axis is below `PARALLEL` [1].
"""
ALONG = column(
    "1", "direction of local x in the frame of the marker; only its component perpendicular to the axis is used; 0: an "
    "arbitrary direction",
    shape=(3,), default=(0.0, 0.0, 0.0),
)  # fmt: skip
DEPTH = column("m", "depth beyond which there is no contact; 0: no limit", default=0.0, minimum=0)


class PlaneSurface(Component):
    """A plane for sea beds, floors, rectangular plates and flanges of drums. The axis is the normal that points to the
    cable.

    The plane can be limited to a rectangle, with sides along local x and y, or to a disc with the radius
    ``outer_radius``. If ``half_length``, ``half_width`` or ``outer_radius`` is 0, this dimension is unlimited.
    """

    provides: ClassVar[tuple[str, ...]] = (SURFACE,)
    marker = MARKER
    axis = AXIS
    along = ALONG
    offset = column("m", "distance along the axis from the marker to the plane", default=0.0)
    half_length = column("m", "half length along local x; 0: unlimited", default=0.0, minimum=0)
    half_width = column("m", "half width along local y; 0: unlimited", default=0.0, minimum=0)
    outer_radius = column("m", "radius of the disc; 0: unlimited", default=0.0, minimum=0)
    depth = DEPTH


class SphereSurface(Component):
    """A sphere that is touched from outside or from inside."""

    provides: ClassVar[tuple[str, ...]] = (SURFACE,)
    marker = MARKER
    axis = AXIS
    radius = RADIUS
    inside = column("1", "true: the cable is inside the sphere", default=False, dtype=bool)
    depth = DEPTH


class DrumSurface(Component):
    """A cylinder for drums, rollers and posts. Flanges are separate discs, see `add_drum`."""

    provides: ClassVar[tuple[str, ...]] = (SURFACE,)
    marker = MARKER
    axis = AXIS
    radius = RADIUS
    half_width = column("m", "half width b along the axis; 0: unlimited", default=0.0, minimum=0)
    depth = DEPTH


class SheaveSurface(Component):
    """A sheave with a groove. The section of the groove is an arc with a straight flank at each end."""

    provides: ClassVar[tuple[str, ...]] = (SURFACE,)
    marker = MARKER
    axis = AXIS
    radius = column("m", "radius R of the bottom of the groove", above=0)
    groove_radius = column(
        "m", "radius a of the round bottom in the section of the groove, larger than the radius of the rope", above=0
    )
    flank_half_angle = column(
        "rad", "angle beta between a flank and the plane of the sheave, below pi/2", default=np.pi / 8, above=0
    )
    outer_radius = column("m", "radius R_o of the rim, larger than R", above=0)
    depth = DEPTH


class VGrooveFlank(Component):
    """One of the two conical flanks of a V-groove. A rope lies on both flanks, see `add_v_groove`."""

    provides: ClassVar[tuple[str, ...]] = (SURFACE,)
    marker = MARKER
    axis = AXIS
    radius = column("m", "radius R at which the flanks meet", above=0)
    half_angle = column("rad", "angle beta between the flank and the plane of the groove, below pi/2", above=0)
    outer_radius = column("m", "radius R_o of the rim, larger than R", above=0)
    side = column(
        "1", "1: the flank on the side to which the axis points; -1: the other flank", dtype=np.int64, choices=(-1, 1)
    )
    depth = DEPTH


class ProfileSurface(Component):
    """A surface of revolution for guides, cones and bollards. The section of the surface is a polyline of (rho, z) with
    rounded corners.

    The rope is on the right-hand side of the polyline. If z increases along the polyline, the material is between the
    axis and the polyline.
    """

    provides: ClassVar[tuple[str, ...]] = (SURFACE,)
    marker = MARKER
    axis = AXIS
    vertices = column("m", "coordinates rho, z of two or more successive vertices", shape=None)
    rounding = column(
        "m", "radius of the arc at each corner, or one radius for all corners, >= 0", shape=None, default=(0.0,)
    )
    depth = DEPTH


class PolylineSurface(Component):
    """A bed whose height z is a polyline along local x with rounded corners, and does not depend on local y. The cable
    is above the surface. `add_bed` adds such a surface.
    """

    provides: ClassVar[tuple[str, ...]] = (SURFACE,)
    marker = MARKER
    axis = AXIS
    along = ALONG
    vertices = column("m", "coordinates x, z of two or more vertices, in ascending order of x", shape=None)
    rounding = column(
        "m", "radius of the arc at each corner, or one radius for all corners, >= 0", shape=None, default=(0.0,)
    )
    depth = DEPTH


class HeightFieldSurface(Component):
    """A surface z = b(x, y), such as bathymetry or terrain, with heights given on a rectangular grid. The rope is above
    the surface.

    Between grid lines, the height is a natural cubic spline. Beyond the grid, the height continues linearly.
    `add_bed_grid` adds such a surface from a `BedGrid`.
    """

    provides: ClassVar[tuple[str, ...]] = (SURFACE,)
    marker = MARKER
    axis = AXIS
    along = ALONG
    x = column("m", "local x of the grid lines, two or more in ascending order", shape=None)
    y = column("m", "local y of the grid lines, two or more in ascending order", shape=None)
    heights = column("m", "heights, first for all y at the first x, then at the next x", shape=None)
    depth = DEPTH


def opening(radius: FloatArray, groove: FloatArray, beta: FloatArray, outer: FloatArray) -> FloatArray:
    """Return the half width [m] of a round groove at its rim. The result is 0 if the rim is below the bottom of the
    groove.
    """
    s = radius + groove - outer
    flank = (groove - s * np.sin(beta)) / np.cos(beta)
    return np.where(s > groove * np.sin(beta), np.sqrt(np.maximum(groove**2 - s**2, 0.0)), flank)


def _no_end(values: FloatArray) -> FloatArray:
    """Return ``values`` [m], with 0 replaced by infinity."""
    return np.where(values > 0.0, values, np.inf)


def _plane(get: Callable[[str], Any], geo: FloatArray) -> int:
    geo[:, 0] = get("offset")
    for k, name in enumerate(("half_length", "half_width", "outer_radius")):
        geo[:, k + 1] = _no_end(get(name))
    return PLANE


def _sphere(get: Callable[[str], Any], geo: FloatArray) -> int:
    geo[:, 0], geo[:, 1] = get("radius"), np.where(get("inside"), -1.0, 1.0)
    return SPHERE


def _drum(get: Callable[[str], Any], geo: FloatArray) -> int:
    width = _no_end(get("half_width"))
    geo[:, 0], geo[:, 2], geo[:, 3], geo[:, 4], geo[:, 5] = 1.0, -get("radius"), -width, width, np.inf
    return LINE


def _sheave(get: Callable[[str], Any], geo: FloatArray) -> int:
    radius, groove, beta, outer = (get(n) for n in ("radius", "groove_radius", "flank_half_angle", "outer_radius"))
    geo[:, 0], geo[:, 1], geo[:, 2], geo[:, 3] = radius + groove, groove, np.sin(beta), np.cos(beta)
    geo[:, 4], geo[:, 5] = outer, opening(radius, groove, beta, outer)
    return SHEAVE


def _flank(get: Callable[[str], Any], geo: FloatArray) -> int:
    radius, beta, outer = (get(name) for name in ("radius", "half_angle", "outer_radius"))
    geo[:, 0], geo[:, 1] = np.sin(beta), -get("side") * np.cos(beta)
    geo[:, 2], geo[:, 4], geo[:, 5] = -radius * np.sin(beta), (outer - radius) * np.tan(beta), outer
    geo[:, 3] = -geo[:, 4]
    return LINE


def _profile(get: Callable[[str], Any], geo: FloatArray) -> int:
    # geo[:, 0] is the index of the first piece of each profile among the pieces of this component, and geo[:, 1] is the
    # number of pieces. `bind_surfaces` adds an offset to geo[:, 0] when it joins the components.
    counts = [len(pieces) for pieces in _create_profiles(get)]
    geo[:, 0], geo[:, 1] = np.cumsum(counts) - counts, counts
    geo[:, 2] = [np.hypot(*np.reshape(vertices, (-1, 2)).T).max() for vertices in get("vertices")]
    return PROFILE


def _polyline(get: Callable[[str], Any], geo: FloatArray) -> int:
    counts = [len(pieces) for pieces in _create_polylines(get)]
    geo[:, 0], geo[:, 1] = np.cumsum(counts) - counts, counts
    return POLYLINE


def _field(get: Callable[[str], Any], geo: FloatArray) -> int:
    # geo[:, 0] is the index of the first row of each field in the joined tables of all fields of this component.
    # `bind_surfaces` adds an offset when it joins the components.
    counts = [len(field) for field in _create_fields(get)]
    geo[:, 0] = np.cumsum(counts) - counts
    geo[:, 1], geo[:, 2] = [len(x) for x in get("x")], [len(y) for y in get("y")]
    return FIELD


def _create_fields(get: Callable[[str], Any], where: str = "") -> list[FloatArray]:
    """Create the table of each height field, see `create_field`. ``get`` returns the column with a given name, and
    ``where`` describes the rows in messages.
    """
    rows = zip(get("x"), get("y"), get("heights"), strict=True)
    return [
        create_field(np.asarray(x), np.asarray(y), np.asarray(heights), f"{where} {k}")
        for k, (x, y, heights) in enumerate(rows)
    ]


def _create_profiles(get: Callable[[str], Any], where: str = "") -> list[FloatArray]:
    """Create the lines and arcs of each profile, see `create_pieces`. ``get`` returns the column with a given name, and
    ``where`` describes the rows in messages.
    """
    rows = zip(get("vertices"), get("rounding"), strict=True)
    return [
        create_pieces(np.asarray(points), np.asarray(radii), f"{where} {k}") for k, (points, radii) in enumerate(rows)
    ]


def _create_polylines(get: Callable[[str], Any], where: str = "") -> list[FloatArray]:
    """Create the lines and arcs of each polyline, in the form of `_create_profiles`. The rope is on the right-hand
    side if x decreases along the polyline.
    """
    found = []
    for k, (points, radii) in enumerate(zip(get("vertices"), get("rounding"), strict=True)):
        places = np.asarray(points, np.float64)
        if len(places) % 2 == 0:
            if not (np.diff(places[::2]) > 0.0).all():
                raise ModelError(f"vertices in {where} {k}: must have ascending x [m]")
            places = places.reshape(-1, 2)[::-1].ravel()
        found.append(create_pieces(places, np.asarray(radii, np.float64)[::-1], f"{where} {k}", revolved=False))
    return found


def find_hollows(get: Callable[[str], Any]) -> FloatArray:
    """Return the smallest radius [m] of the concave corners of each profile, shape (rows,). The radius is infinite if a
    profile has no concave corner.
    """
    arcs = [pieces[pieces[:, 0] < 0.0, 3] for pieces in _create_profiles(get)]
    return np.array([radii.min(initial=np.inf) for radii in arcs])


def find_field_hollows(get: Callable[[str], Any]) -> FloatArray:
    """Return the smallest radius of curvature [m] of the hollows of each height field at its grid points,
    shape (rows,). The radius is infinite if a field has no hollow.
    """
    curvatures = [
        eval_curvatures(field, *map(np.asarray, lines))
        for field, *lines in zip(_create_fields(get), get("x"), get("y"), strict=True)
    ]
    return np.array([1.0 / c if c > 0.0 else np.inf for c in curvatures])


SHAPES: dict[type[Component], Callable[[Callable[[str], Any], FloatArray], int]] = {
    PlaneSurface: _plane,
    SphereSurface: _sphere,
    DrumSurface: _drum,
    SheaveSurface: _sheave,
    VGrooveFlank: _flank,
    ProfileSurface: _profile,
    PolylineSurface: _polyline,
    HeightFieldSurface: _field,
}
"""For each type of surface: the function that writes the geometric parameters, see `Geometry`, and returns the type of
distance.
"""


CREATE: dict[type[Component], Callable[..., list[FloatArray]]] = {
    ProfileSurface: _create_profiles,
    PolylineSurface: _create_polylines,
    HeightFieldSurface: _create_fields,
}
"""For each type of surface with pieces: the function that creates the pieces of each row."""


def scale(vectors: FloatArray) -> FloatArray:
    """Return each vector multiplied by the power of 2 for which its largest component has a magnitude of at least 0.5
    and below 1. The squares of tiny or huge vectors are then neither 0 nor infinite. Vectors of length 0 do not change.
    """
    _, exponent = np.frexp(np.abs(vectors).max(axis=1, keepdims=True, initial=0.0))
    scaled: FloatArray = np.ldexp(vectors, -exponent)
    return scaled


def eval_across(along: FloatArray, z: FloatArray) -> FloatArray:
    """Return the component of each direction that is perpendicular to the unit axis z of the same row, shape (n, 3)."""
    across: FloatArray = along - (along * z).sum(axis=1)[:, None] * z
    return across


def eval_axes(axis: FloatArray, along: FloatArray | None = None) -> FloatArray:
    """Return the local axes x, y, z of surfaces in the frames of their markers, as columns of matrices, shape
    (surfaces, 3, 3). The z axis has the direction ``axis``. The x axis has the direction of the part of ``along`` that
    is perpendicular to z, or an arbitrary direction where ``along`` is 0.
    """
    axis = scale(axis)
    z = axis / np.linalg.norm(axis, axis=1)[:, None]
    Q = smallest_rotations(np.tile(UP, (len(z), 1)), z)
    if along is not None:
        x = eval_across(scale(along), z)
        size = np.linalg.norm(x, axis=1)
        given = along.any(axis=1)
        Q[given, :, 0] = x[given] / size[given, None]
        Q[given, :, 1] = np.cross(z[given], Q[given, :, 0])
    # the smallest rotation of the z axis to an axis that points downwards is not unique, so x is kept, and y is
    # computed from z and x
    down = z[:, 2] < -1.0 + 1e-12
    Q[down] = np.stack((Q[down, :, 0], np.cross(z[down], Q[down, :, 0]), z[down]), axis=2)
    return Q


def bind_surfaces(rows: LocalRows, ids: IntArray) -> Geometry:
    """Create the data of the surfaces with the entity indices ``ids`` for the kernels."""
    world, count = rows.world, len(ids)
    marker, kind = np.zeros(count, np.int64), np.zeros(count, np.int64)
    Q, geo, pieces = np.zeros((count, 3, 3)), np.zeros((count, NUMBERS)), np.zeros((0, PIECE))
    for table, positions, of in world.split_by_table(ids):

        def get(name: str, table: EntityTable = table, of: IntArray = of) -> Any:
            return table.local(name, of)

        some = np.zeros((len(of), NUMBERS))
        kind[positions] = SHAPES[table.component](get, some)
        create = CREATE.get(table.component)
        if create is not None:
            some[:, 0] += len(pieces)
            pieces = np.concatenate((pieces, *create(get)))
        some[:, 7] = _no_end(get("depth"))
        geo[positions] = some
        marker[positions] = rows.layout.marker_index[get("marker")]
        Q[positions] = eval_axes(get("axis"), get("along") if "along" in table.component.columns else None)
    return Geometry(marker, kind, Q, geo, pieces)


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for a surface whose axes are not defined, whose flank has an angle of pi/2 or more, whose rim
    does not have a larger radius than its bottom, or whose profile or height field is wrong. Also raise ModelError for
    a surface that has no contact row.
    """
    table.refuse(~table.local("axis").any(axis=1), ("axis",), "have a length > 0 [1]")
    if "along" in table.component.columns:
        along = scale(table.local("along"))
        across = eval_across(along, eval_axes(table.local("axis"))[..., 2])
        size, part = (np.linalg.norm(vectors, axis=1) for vectors in (along, across))
        for k in np.flatnonzero((size > 0.0) & (part < PARALLEL * size))[:1]:
            raise ModelError(
                f"along = {show(table.local('along')[k])} in {table.kind} row {table.resident[k]} is parallel to axis: "
                "must have a component perpendicular to axis, or be (0, 0, 0) for an arbitrary direction"
            )
    for name in ("flank_half_angle", "half_angle"):
        if name in table.component.columns:
            table.refuse(table.local(name) >= np.pi / 2, (name,), "be < pi/2 rad")
    if "outer_radius" in table.component.columns and "radius" in table.component.columns:
        radius, outer = table.local("radius"), table.local("outer_radius")
        for k in np.flatnonzero(outer <= radius)[:1]:
            words = f"be > {radius[k]:g} m, the radius of the groove's bottom"
            table.refuse(outer <= radius, ("outer_radius",), words)
    if table.component in CREATE:
        CREATE[table.component](table.local, f"{table.kind} row")
    touched = np.zeros(table.resident_count, dtype=bool)
    ids = table.ids_of(table.resident)
    for component, contacts in world.tables.items():
        if component.refs.get("surface") is not None and component.refs["surface"].target == SURFACE:
            # a process that stores only a part of the contacts cannot check whether each surface has a contact
            if contacts.resident_count < contacts.count:
                return
            touched |= np.isin(ids, contacts.local("surface"))
    for k in np.flatnonzero(~touched)[:1]:
        raise ModelError(
            f"{table.describe(int(table.resident[k]))} ({table.kind} row {table.resident[k]}) is a surface that no "
            "cable can touch: add contact with cables, see add_surface_contact, or leave it out"
        )


def refuse_empty(component: type[Component]) -> Callable[[Tables, dict[str, Any]], dict[str, Any]]:
    """Create the function that raises ModelError if a column of variable length, such as ``vertices``, is empty."""
    lists = [name for name, each in component.columns.items() if each.shape is None]

    def refuse(world: Tables, values: dict[str, Any]) -> dict[str, Any]:
        for name in lists:
            given = read_numbers(values.get(name))
            if given is not None and not given.size:
                raise ModelError(f"{name} in {component.__name__} is empty: must have one number or more [m]")
        return values

    return refuse


for _component in SHAPES:
    register(
        _component, "passive", dofs="marker", bind=lambda rows: bind_surfaces(rows, rows.table.ids_of(rows.rows)),
        check=check, draw=draw, source="signed distances, see distances.py",
        fill_defaults=refuse_empty(_component) if _component in CREATE else None,
    )  # fmt: skip
