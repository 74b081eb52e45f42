"""Outputs and drawing of `SlopeBeam3D` at positions on its axis, see sections3d.py."""

from __future__ import annotations

import numpy as np

from windlass.elements.beam.rules import LinePlaces
from windlass.elements.beam.sections import interpolate, place_output
from windlass.elements.beam.sections3d import draw_space, space_outputs
from windlass.elements.beam.slope_forces3d import fill_strains
from windlass.elements.nodes.section_node import WIDTH, find_frames, find_spin
from windlass.framework.arrays import FloatArray
from windlass.framework.model.drawing import Drawing
from windlass.framework.model.law import LocalRows
from windlass.framework.model.system import Fields


def eval_slopes(rows: LocalRows, values: FloatArray, places: LinePlaces) -> tuple[FloatArray, FloatArray]:
    """Interpolate the slopes r_2 and r_3 of the nodes at positions on the axis, shape (rows, k, 3) each."""
    found = interpolate(rows, values, places, WIDTH)
    return found[:, :, 3:6], found[:, :, 6:9]


def eval_frame(rows: LocalRows, s: Fields, places: LinePlaces) -> FloatArray:
    """Return rotation matrices whose columns are the axes e_1, e_2, e_3 of `slope_beam3d`, shape (rows, k, 3, 3)."""
    return find_frames(*eval_slopes(rows, s.x, places))


def eval_spin(rows: LocalRows, s: Fields, places: LinePlaces) -> FloatArray:
    """Return the angular velocity [rad/s] in the global frame, shape (rows, k, 3)."""
    return find_spin(*eval_slopes(rows, s.x, places), *eval_slopes(rows, s.v, places))


def eval_section_strain(rows: LocalRows, s: Fields, places: LinePlaces) -> FloatArray:
    """Return the strains E_22, E_33, E_23 of the cross section, shape (rows, k, 3)."""
    r2, r3 = eval_slopes(rows, s.x, places)
    E22, E33, E23 = (r2 * r2).sum(axis=2) - 1.0, (r3 * r3).sum(axis=2) - 1.0, (r2 * r3).sum(axis=2)
    E: FloatArray = 0.5 * np.stack((E22, E33, E23), axis=2)
    return E


OUTPUTS = space_outputs(WIDTH, eval_frame, fill_strains) | {
    "angular_velocity": place_output("rad/s", "angular velocity of the section at x, global, (3,)", eval_spin),
    "section_strain": place_output(
        "1", "strains E_22, E_33, E_23 of the cross section at x, (3,)", eval_section_strain
    ),
}
"""The output variables of `SlopeBeam3D`."""


def draw(rows: LocalRows, fields: Fields, subdivisions: int) -> Drawing:
    """Draw each beam as lines along its axis."""
    return draw_space(rows, fields, subdivisions, WIDTH, eval_frame, fill_strains)
