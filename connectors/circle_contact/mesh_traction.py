"""Closed form of the tractions that the mesh of a belt without load causes on a circle.

At both ends of an arc the curvature jumps by 1/R within a cable element of the length l. Therefore the displacement of
the cubic of this element along the circle has an error of up to w = l³/(192 R²). As a function of the position, the
error has the shape of the deflection of a clamped beam with a force at its middle. The magnitude of the slope of this
shape is at most 3 w/l.

- Soft bristles deflect by w. Stiff bristles constrain the cubic: a spurious strain 3 w/l remains and decays over the
  length a = sqrt(EA/mu_k). Therefore stiff bristles deflect by 3 w a/l. The formula u = w/(1 + l/(3 a)) contains both
  limits.
- If all bristles of a cable deflect by the mean displacement of the cable, soft bristles deflect by w/2, which is the
  mean error. A uniform traction mu_k u on a bar of the length l with fixed ends displaces the bar by a mean of mu_k u
  l²/(12 EA). Therefore u = (w/2)/(1 + (l/a)²/12).
- On a rigid layer a cable keeps the stretch that it has at the entry of the arc. The deflection of the bristles is then
    about half of their deflection on an elastic layer. In simulations the ratio of the deflections is 0.45 to 0.59.

The traction mu_k u is compared with the friction limit mu F/R. If the closed form exceeds about half of the friction
limit, points slip. The traction is then smaller than the closed form. On a rigid layer, a traction below half of the
friction limit has no effect on the loss of speed.

Source: Volkersen 1938 for the length a. The section "Mesh without load" of docs/explanation/theory/contact.md compares
the closed form with runs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from windlass.framework.arrays import BoolArray, FloatArray

SMALL = 0.1
"""Largest traction due to the mesh, divided by the friction limit, that has no effect on results on an elastic layer
[1].
"""
HARMLESS = 0.5
"""Largest traction due to the mesh, divided by the friction limit, that has no effect on results on a rigid layer [1].
"""
RIGID_SHARE = 0.5
"""Ratio of the deflection of bristles on a rigid layer to the deflection of bristles on an elastic layer [1]."""
ENOUGH = 3
"""Smallest number of points per cable for which the mean displacement of the points is equal to the mean displacement
of the cable.
"""


def eval_wave(length: FloatArray | float, radius: FloatArray | float) -> FloatArray:
    """Return the largest error [m] of the displacement along a circle, for cubics of the given lengths [m]."""
    return np.asarray(np.asarray(length) ** 3 / (192.0 * np.asarray(radius) ** 2), np.float64)


class MeshTraction(NamedTuple):
    """Traction of cables on a circle without load. All attributes are scalars or arrays of the same shape.

    Attributes:
        length: length of a cable [m].
        radius: radius of the circle [m].
        axial_stiffness: axial stiffness EA [N].
        bristles: stiffness mu_k of the bristles per metre of cable [N/m^2].
        limit: friction limit per metre of cable, mu F/R [N/m].
        together: whether all bristles of a cable deflect by the mean displacement of the cable, as in the laws with
            contact points.
        rigid: whether the layer between cord and contact face is rigid.
    """

    length: FloatArray | float
    radius: FloatArray | float
    axial_stiffness: FloatArray | float
    bristles: FloatArray | float
    limit: FloatArray | float
    together: BoolArray | bool
    rigid: BoolArray | bool = False

    @property
    def bend(self) -> FloatArray:
        """Deflection u [m] of the bristles at the ends of an arc."""
        ratio = np.asarray(self.length) * np.sqrt(np.asarray(self.bristles) / self.axial_stiffness)
        share = np.where(self.together, 0.5 / (1.0 + ratio**2 / 12.0), 1.0 / (1.0 + ratio / 3.0))
        share = share * np.where(self.rigid, RIGID_SHARE, 1.0)
        return np.asarray(share * eval_wave(self.length, self.radius))

    @property
    def traction(self) -> FloatArray:
        """Traction relative to the friction limit [1]."""
        return np.asarray(self.bristles * self.bend / self.limit)

    def at(self, i: int) -> MeshTraction:
        """Return a copy for the index i. Each attribute of the copy is the element i of the same attribute of this
        object.
        """
        return MeshTraction(*(np.broadcast_to(part, np.shape(self.length))[i] for part in self))

    def shrink(self, column: str, small: float = SMALL) -> float:
        """Return the factor by which an attribute must be multiplied to reduce the ratio of traction to friction limit
        to ``small``. The attribute ``column`` is ``"length"`` or ``"bristles"``.
        """

        def exceeds(factor: float) -> float:
            return float(self._replace(**{column: factor * getattr(self, column)}).traction) - small

        from scipy.optimize import brentq  # imported here, because most models do not need this module

        return float(brentq(exceeds, 0.0, 1.0))

    @property
    def harmless(self) -> float:
        """Largest traction, relative to the friction limit, that has no effect on results [1], see `SMALL` and
        `HARMLESS`.
        """
        return HARMLESS if self.rigid else SMALL

    def advise(self) -> str:
        """Return advice on how to reduce the traction. Each attribute must be a scalar."""
        if self.rigid:
            return f"for half of it take {describe_more(1.0 / self.shrink('length', HARMLESS))}"
        return (
            f"for a tenth of it take friction_stiffness_per_length below {self.shrink('bristles') * self.bristles:.2g} "
            f"N/m^2, or {describe_more(1.0 / self.shrink('length'))}"
        )


def describe_more(factor: float) -> str:
    """Return a text that describes the factor by which the number of cables must increase: ``"4 % more cables"``, or
    ``"1.7 times as many"`` for factors from 1.5.
    """
    if factor < 1.5:
        return f"{max(np.ceil(100.0 * (factor - 1.0) - 1e-9), 1.0):.0f} % more cables"
    return f"{factor:.2g} times as many cables"
