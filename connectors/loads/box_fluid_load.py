"""Load of a fluid on a box that is fixed to a rigid body, divided into smaller boxes.

    drag along each axis k, per part with the area A_k: s ½ ρ C_k A_k |w_k| w_k
    added mass along each axis, per part with the volume V_0: s ρ C_ak V_0

w_k is the component along axis k of the velocity of the fluid relative to the part, and s is the immersed fraction of
the part. The docstring of body_pieces.py states all forces and defines the other symbols. For each part, the surface of
the water is replaced by its tangent plane above the centre of the part. The volume below this plane is exact. The
division into parts also determines the drag and the added mass for rotations.

Source: DNV-RP-C205, Environmental conditions and environmental loads, section 6 and appendix D.
"""

from __future__ import annotations

import numpy as np

from windlass.connectors.loads.body_fluid_load import (
    BodyOutline,
    Pieces,
    register_body_load,
    repeat_outline,
)
from windlass.connectors.loads.immersion import BOX
from windlass.connectors.markers.position_markers import RIGID
from windlass.framework.model.law import LocalRows
from windlass.framework.model.schema import Component, column, ref


class BoxFluidLoad(Component):
    """The load of a fluid on a box. The centre of the box is at a marker of a rigid body. The sides of the box are
    parallel to the axes of the marker.
    """

    marker = ref(RIGID, "centre of the box: a rigid marker, or the reference point of a rigid body or node")
    fluid = ref("fluid", "the fluid; several loads can refer to the same fluid")
    sides = column("m", "lengths of the sides along x, y, z of the frame of the marker", shape=(3,), above=0.0)
    parts = column(
        "1",
        "numbers of parts into which the box is divided along x, y, z",
        shape=(3,),
        fill=True,
        default=(2, 2, 2),
        dtype=np.int64,
        minimum=1,
    )
    drag = column(
        "1", "drag coefficients C along x, y, z, relative to the area of the face", shape=(3,), fill=True,
        default=(1.05,) * 3, minimum=0.0, switchable=True,
    )  # fmt: skip
    added_mass = column(
        "1", "coefficients C_a of the added mass along x, y, z, relative to the volume", shape=(3,), fill=True,
        default=(0.7,) * 3, minimum=0.0,
    )  # fmt: skip
    active = column("1", "the load acts only if true", dtype=bool, default=True, switchable=True)


def divide(rows: LocalRows) -> Pieces:
    """Divide the boxes of all rows into parts."""
    parts, sides = rows.local("parts"), rows.local("sides")
    count = parts.prod(axis=1)
    row = np.repeat(np.arange(len(parts)), count)
    place = np.concatenate([np.indices(n).reshape(3, -1).T for n in parts]) if len(parts) else np.zeros((0, 3))
    size = sides[row] / parts[row]
    volume = size.prod(axis=1)
    # the drag area of each axis is divided equally between all parts
    area = sides[row].prod(axis=1)[:, None] / sides[row] / count[row][:, None]
    return Pieces(
        row=row,
        kind=BOX,
        size=size,
        center=(place + 0.5 - 0.5 * parts[row]) * size,
        axes=np.tile(np.eye(3), (len(row), 1, 1)),
        volume=volume,
        drag_area=0.5 * area * rows.local("drag")[row],
        together=np.eye(3),
        added=volume[:, None] * rows.local("added_mass")[row],
    )


def outline(rows: LocalRows) -> BodyOutline:
    """Return the edges and the faces of the boxes."""
    corners = np.array(
        [(x, y, z) for z in (-0.5, 0.5) for x, y in ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))]
    )
    ring = [(k, (k + 1) % 4) for k in range(4)]
    lines = np.array(ring + [(a + 4, b + 4) for a, b in ring] + [(k, k + 4) for k in range(4)])
    faces = np.array([(3, 2, 1, 0), (4, 5, 6, 7), *((a, b, b + 4, a + 4) for a, b in ring)])
    return repeat_outline(rows.local("sides")[:, None, :] * corners, lines, faces)


register_body_load(BoxFluidLoad, divide, outline, source="[@dnv2010]; [@newman1977]; [@morison1950]")
