"""Output variables of `Cable3D` at positions x on the axis [m], from 0 to the length.

``x`` is a scalar for all rows, or an array of shape (rows,), or (rows, k) for k positions per row. By default outputs
are evaluated in the middle of each cable. Vectors are in the global frame. Scalar outputs have the shape (rows,) or
(rows, k). Forces and moments are evaluated at the given position, and include damping, reference strains and user
functions. With integration rule 2 the axial force is most accurate at x = 0, L/2 and L.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from windlass.elements.cable.force_functions import Places, is_none, read_functions
from windlass.elements.cable.outputs import (
    CableSections,
    CableView,
    create_section,
    eval_axial_force,
    eval_moment,
    eval_motion,
)
from windlass.elements.cable.strains import Bending, Strains, eval_free_bending, interpolate
from windlass.framework.arrays import FloatArray
from windlass.framework.model.law import LocalRows, Output
from windlass.framework.model.system import Fields


class SpatialView(CableView):
    """Constant data of 3D cables for outputs and drawings.

    Args:
        rows: the cables.

    Attributes:
        bends_by_user: whether a row has a user function for the bending moment, shape (rows,).
    """

    def __init__(self, rows: LocalRows) -> None:
        super().__init__(rows)
        self.bends_by_user = ~is_none(read_functions(rows, "bending_moment_function"))
        self._stiffness = rows.local("bending_stiffness")[:, None, None]
        self._damping = rows.local("bending_damping")[:, None, None]

    def eval_moment(self, t: float, places: Places, strains: Strains, bending: Bending) -> FloatArray:
        """Return the bending moment [N m] at time t [s], shape (rows, k, 3), from the linear law or from a user
        function. The moment of a user function acts along κ/|κ|."""
        _, free = eval_free_bending(self._rows, places.s)
        moment: FloatArray = self._stiffness * (bending.kap - free) + self._damping * bending.kap_t
        by = self.bends_by_user
        if by.any():
            size = self.eval_force("bending_moment", t, places, strains)
            moment[by] = (size[..., None] * bending.kap / strains.kap[..., None])[by]
        return self.whole[..., None] * moment


def _axis(c: CableSections, coordinates: FloatArray) -> FloatArray:
    return interpolate(c.places.shape.S, coordinates)


def _output(unit: str, doc: str, evaluate: Callable[[CableSections], FloatArray]) -> Output:
    def at(rows: LocalRows, fields: Fields, x: Any = None) -> FloatArray:
        values = evaluate(create_section(rows, eval_motion(rows, fields), fields.t, x, 0.0))
        return values if np.ndim(x) == 2 else values[:, 0]

    return Output(unit, doc, at)


OUTPUTS: dict[str, Output] = {
    "position": _output("m", "global position at x, shape (3,)", lambda c: _axis(c, c.motion.x)),
    "displacement": _output(
        "m",
        "global displacement at x from the reference, shape (3,)",
        lambda c: _axis(c, c.motion.x - c.rows.reference),
    ),
    "velocity": _output("m/s", "global velocity at x, shape (3,)", lambda c: _axis(c, c.motion.v)),
    "acceleration": _output("m/s^2", "global acceleration at x, (3,)", lambda c: _axis(c, c.motion.a)),
    "director": _output("1", "global slope r' at x, not normalised, shape (3,)", lambda c: c.strains.p),
    "angular_velocity": _output(
        "rad/s", "angular velocity of the tangent at x, without spin, (3,)", lambda c: c.turning
    ),
    "axial_strain": _output("1", "axial strain at x: |r'| - 1", lambda c: c.strains.eps),
    "strain": _output("1", "axial strain at x, by its name for 2D cables", lambda c: c.strains.eps),
    "curvature": _output("1/m", "curvature at x: (r' × r'')/|r'|², shape (3,)", lambda c: c.bending.kap),
    "axial_force": _output("N", "axial force at x, tension > 0", eval_axial_force),
    "bending_moment": _output("N m", "bending moment at x, shape (3,)", eval_moment),
}
"""The output variables of `Cable3D`."""
