"""Drawing of `Cable3D`: every cable as straight lines between points of its cubic axis.

Fields are those of the plane (cable2d/draw.py), but `bending_moment_vector` and `curvature_vector` in place of
`bending_moment` and `curvature`, which are numbers there: a file may show both kinds of cables.
"""

from __future__ import annotations

from dataclasses import replace

from windlass.elements.cable2d.draw import CableLines, fill_points
from windlass.elements.cable2d.outputs import eval_motion
from windlass.elements.cable2d.points import eval_shape
from windlass.elements.cable3d.outputs import SpatialView
from windlass.elements.cable3d.strains import eval_bending
from windlass.framework.model.drawing import Drawing
from windlass.framework.model.law import LocalRows
from windlass.framework.model.system import Fields

UNITS = {"velocity": "m/s", "axial_force": "N", "bending_moment_vector": "N m", "curvature_vector": "1/m"}


def draw(rows: LocalRows, fields: Fields, subdivisions: int) -> Drawing:
    """Each cable as ``subdivisions`` lines of equal reference length; cables that share nodes are one part.

    Points and velocities are in arrays that the next call for the same rows fills again.
    """
    lines: SpatialLines = rows.kept(f"lines {subdivisions}", lambda: SpatialLines(rows, subdivisions))
    return lines.draw_in_space(fields)


class SpatialLines(CableLines):
    """The lines of some cables in space."""

    def draw_in_space(self, fields: Fields) -> Drawing:
        """The lines at an instant."""
        rows, places = self._rows, self._places
        view: SpatialView = rows.columns
        fill_points(rows.dofs, fields.x, fields.v, self._length, self._shape, self._points, self._velocity)
        motion = eval_motion(rows, fields)
        strains, bending = eval_bending(eval_shape(places.s, view.length), motion.x, motion.v)
        point_data = {
            "velocity": self._velocity,
            "axial_force": view.eval_force("axial_force", fields.t, places, strains).ravel(),
            "bending_moment_vector": view.eval_moment(fields.t, places, strains, bending).reshape(-1, 3),
            "curvature_vector": bending.kap.reshape(-1, 3),
        }
        return replace(self._drawing, point_data=point_data, units=UNITS)
