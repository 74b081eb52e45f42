"""Load of a fluid on a sphere that is fixed to a body, a mass point or a node.

    drag: s ½ ρ C_d π R² |w| w
    added mass: s ρ C_a V_0,    V_0 = 4/3 π R³

The docstring of body_pieces.py states all forces and defines the symbols. The resultant of the pressure acts at the
centre of the sphere.

Source: J. N. Newman, Marine Hydrodynamics, MIT Press (1977), section 4.17: C_a = 1/2 in an unbounded fluid.
"""

from __future__ import annotations

import numpy as np

from windlass.connectors.loads.body_fluid_load import BodyOutline, Pieces, register_body_load, repeat_outline
from windlass.connectors.loads.immersion import SPHERE
from windlass.connectors.markers.position_markers import FAMILY
from windlass.framework.model.law import LocalRows
from windlass.framework.model.schema import Component, column, ref

RINGS, SIDES = 8, 24
"""Numbers for drawings: number of rings of faces, and number of faces in a ring."""


class SphereFluidLoad(Component):
    """The load of a fluid on a sphere. The centre of the sphere is at a marker."""

    marker = ref(
        FAMILY, "centre of the sphere: a position marker, or the reference point of a rigid body, MassPoint or node"
    )
    fluid = ref("fluid", "the fluid; several loads can refer to the same fluid")
    diameter = column("m", "diameter 2 R", above=0.0)
    drag = column("1", "drag coefficient C_d, relative to the area π R^2", default=0.5, minimum=0.0, switchable=True)
    added_mass = column("1", "coefficient C_a of the added mass, relative to the volume", default=0.5, minimum=0.0)
    active = column("1", "the load acts only if true", dtype=bool, default=True, switchable=True)


def divide(rows: LocalRows) -> Pieces:
    """Create one piece for each row, because a sphere is not divided."""
    radius, count = 0.5 * rows.local("diameter"), len(rows.rows)
    volume = 4.0 / 3.0 * np.pi * radius**3
    three = np.ones((1, 3))
    return Pieces(
        row=np.arange(count),
        kind=SPHERE,
        size=radius[:, None] * three,
        center=np.zeros((count, 3)),
        axes=np.tile(np.eye(3), (count, 1, 1)),
        volume=volume,
        drag_area=(0.5 * np.pi * radius**2 * rows.local("drag"))[:, None] * three,
        together=np.ones((3, 3)),
        added=(volume * rows.local("added_mass"))[:, None] * three,
    )


def outline(rows: LocalRows) -> BodyOutline:
    """Return the outlines of spheres: the equator and four half meridians as lines, and
    `RINGS` rings of faces."""
    up, around = np.linspace(-0.5 * np.pi, 0.5 * np.pi, RINGS + 1), np.arange(SIDES) * 2.0 * np.pi / SIDES
    ball = np.stack(
        (
            np.outer(np.cos(up), np.cos(around)),
            np.outer(np.cos(up), np.sin(around)),
            np.repeat(np.sin(up)[:, None], SIDES, axis=1),
        ),
        axis=-1,
    ).reshape(-1, 3)
    number = np.arange(len(ball)).reshape(RINGS + 1, SIDES)
    after = np.roll(number, -1, axis=1)
    corners = number[:-1], after[:-1], after[1:], number[1:]
    faces = np.stack([corner.ravel() for corner in corners], axis=1)
    middle = np.stack((number[RINGS // 2], after[RINGS // 2]), axis=1)
    meridians = [np.stack((number[:-1, k], number[1:, k]), axis=1) for k in range(0, SIDES, SIDES // 4)]
    points = 0.5 * rows.local("diameter")[:, None, None] * ball
    return repeat_outline(points, np.concatenate((middle, *meridians)), faces)


register_body_load(SphereFluidLoad, divide, outline, source="[@newman1977]; [@morison1950]; [@dnv2010]")
