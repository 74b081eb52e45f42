"""Load of a fluid on a circular cylinder that is fixed to a rigid body, divided into strips along its axis.

    drag across the axis, per strip of length h: s ½ ρ C_n 2 R h |w_n| w_n
    drag along the axis, per strip: s ½ ρ C_t 2 π R h |w_t| w_t
    drag of each end: s ½ ρ C_e π R² |w_t| w_t
    added mass across the axis, per strip: s ρ C_a π R² h
    added mass of each end along the axis: s ρ C_ae 2/3 π R³

w_n and w_t are the components across and along the axis of the velocity of the fluid relative to the strip, and s is
the immersed fraction of the strip. The terms of the ends are added to the first and the last strip. The docstring of
body_pieces.py states all forces and defines the other symbols. For each strip, the surface of the water is replaced by
its tangent plane above the centre of the strip. The volume below this plane is exact, even if the cylinder pierces the
surface.

Source: J. R. Morison and others, The force exerted by surface waves on piles, Petroleum Transactions AIME 189 (1950);
M. Hall, A. Goupee, Validation of a lumped-mass mooring line model, Ocean Engineering 104 (2015); DNV-RP-C205, section
6.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.connectors.loads.body_fluid_load import (
    PLANE,
    BodyOutline,
    Pieces,
    check_rows,
    register_body_load,
    repeat_outline,
)
from windlass.connectors.loads.immersion import CYLINDER
from windlass.connectors.markers.position_markers import RIGID, replace_bodies
from windlass.framework.arrays import FloatArray
from windlass.framework.errors import ModelError
from windlass.framework.model.law import LocalRows, Tables
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.table import Entity, EntityTable

SIDES = 24
"""Number of faces around the axis in drawings."""
SIDEWAYS = 1e-9
"""Largest component of the axis out of the xy plane that is treated as a rounding error in 2D [1]."""


class CylinderFluidLoad(Component):
    """The load of a fluid on a circular cylinder. The middle of the cylinder is at a marker of a rigid body."""

    marker = ref(RIGID, "middle of the cylinder: a rigid marker, or the reference point of a rigid body or node")
    fluid = ref("fluid", "the fluid; several loads can refer to the same fluid")
    diameter = column("m", "diameter 2 R", above=0.0)
    length = column("m", "length along the axis", above=0.0)
    axis = column(
        "1", "direction of the axis in the frame of the marker; default: upwards, z in 3D and y in 2D", shape=(3,),
        default=(0.0, 0.0, 1.0),
    )  # fmt: skip
    strips = column("1", "number of strips along the axis", default=20, dtype=np.int64, minimum=1)
    normal_drag = column("1", "drag coefficient C_n across the axis", default=1.0, minimum=0.0, switchable=True)
    axial_drag = column("1", "drag coefficient C_t of the curved side along the axis", default=0.008, minimum=0.0,
        switchable=True,
    )  # fmt: skip
    end_drag = column(
        "1", "drag coefficients C_e of the first and the last end, relative to the area of an end", shape=(2,),
        fill=True, default=(0.6, 0.6), minimum=0.0, switchable=True,
    )  # fmt: skip
    added_mass = column("1", "coefficient C_a of the added mass across the axis", default=1.0, minimum=0.0)
    end_added_mass = column(
        "1", "coefficients C_ae of the added mass of the first and the last end, relative to half a sphere", shape=(2,),
        fill=True, default=(0.6, 0.6), minimum=0.0,
    )  # fmt: skip
    active = column("1", "the load acts only if true", dtype=bool, default=True, switchable=True)


def find_axes(axis: FloatArray) -> FloatArray:
    """Return three unit vectors for each direction, as rows of matrices of shape (n, 3, 3). The last vector is along
    the direction. The directions have the shape (n, 3).
    """
    last = axis / np.linalg.norm(axis, axis=1)[:, None]
    helper = np.eye(3)[np.argmin(np.abs(last), axis=1)]
    first = np.cross(helper, last)
    first /= np.linalg.norm(first, axis=1)[:, None]
    return np.stack((first, np.cross(last, first), last), axis=1)


def divide(rows: LocalRows) -> Pieces:
    """Divide the cylinders of all rows into strips."""
    strips = rows.local("strips")
    row = np.repeat(np.arange(len(strips)), strips)
    place = np.arange(len(row)) - np.repeat(np.cumsum(strips) - strips, strips)
    radius, count = 0.5 * rows.local("diameter")[row], strips[row]
    length = rows.local("length")[row] / count
    axes = find_axes(rows.local("axis"))[row]
    first, last = (place == 0).astype(float), (place == count - 1).astype(float)

    def at_ends(name: str) -> FloatArray:
        values = rows.local(name)[row]
        ends: FloatArray = first * values[:, 0] + last * values[:, 1]
        return ends

    area, volume = np.pi * radius**2, np.pi * radius**2 * length
    across = radius * length * rows.local("normal_drag")[row]
    along = np.pi * radius * length * rows.local("axial_drag")[row] + 0.5 * area * at_ends("end_drag")
    added = volume * rows.local("added_mass")[row]
    together = np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    return Pieces(
        row=row,
        kind=CYLINDER,
        size=np.stack((radius, length, np.zeros(len(row))), axis=1),
        center=((place + 0.5 - 0.5 * count) * length)[:, None] * axes[:, 2],
        axes=axes,
        volume=volume,
        drag_area=np.stack((across, across, along), axis=1),
        together=together,
        added=np.stack((added, added, 2.0 / 3.0 * np.pi * radius**3 * at_ends("end_added_mass")), axis=1),
    )


def outline(rows: LocalRows) -> BodyOutline:
    """Return the outlines of cylinders: the circles of both ends with four lines between the
    circles, and the faces of the side and of the ends.
    """
    around = np.arange(SIDES) * 2.0 * np.pi / SIDES
    axes, radius = find_axes(rows.local("axis")), 0.5 * rows.local("diameter")[:, None, None]
    circle = np.cos(around)[None, :, None] * axes[:, None, 0] + np.sin(around)[None, :, None] * axes[:, None, 1]
    half = 0.5 * rows.local("length")[:, None, None] * axes[:, None, 2]
    points = np.concatenate((radius * circle - half, radius * circle + half), axis=1)
    number = np.arange(SIDES)
    after = np.roll(number, -1)
    four = number[:: SIDES // 4]
    lines = [
        np.stack(pair, axis=1) for pair in ((number, after), (number + SIDES, after + SIDES), (four, four + SIDES))
    ]
    side = np.stack((number, after, after + SIDES, number + SIDES), axis=1)
    fan = np.array([(0, k, k + 1, k + 2) for k in range(1, SIDES - 2, 2)])
    return repeat_outline(points, np.concatenate(lines), np.concatenate((side, fan, fan + SIDES)))


def complete(world: Tables, values: dict[str, Any]) -> dict[str, Any]:
    """Return ``values`` in which bodies are replaced by markers, and the default axis of a 2D body is inserted."""
    values = replace_bodies(world, values)
    marker = values.get("marker")
    if "axis" not in values and isinstance(marker, Entity) and marker.table.component in PLANE:
        values["axis"] = (0.0, 1.0, 0.0)
    return values


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for an axis of length 0, for an axis of a 2D body that is neither in the xy plane nor along z,
    and for rows that `check_rows` rejects.
    """
    check_rows(world, table)
    axis, markers = table.local("axis"), table.local("marker")
    for i in np.flatnonzero(~axis.any(axis=1))[:1]:
        raise ModelError(f"axis = (0, 0, 0) in {table.kind} row {table.resident[i]}: must have a length > 0")
    for kind, positions, _ in world.split_by_table(markers):
        if kind.component in PLANE:
            size = np.linalg.norm(axis[positions], axis=1)
            in_plane = np.abs(axis[positions, 2]) <= SIDEWAYS * size
            across = np.abs(axis[positions, :2]).max(axis=1) <= SIDEWAYS * size
            for i in positions[~(in_plane | across)][:1]:
                raise ModelError(
                    f"axis = {axis[i].tolist()} in {table.kind} row {table.resident[i]}: must lie in the plane x, y, "
                    "or be along z, because the body is 2D"
                )


register_body_load(
    CylinderFluidLoad, divide, outline, check=check, complete=complete,
    source="[@morison1950]; [@hall2015]; [@newman1977]; [@dnv2010]",
)  # fmt: skip
