"""The tractions that the mesh of a belt without load adds on a circle, in closed form.

Where the curvature jumps by 1/R within a cable of the length l, at both ends of an arc, its cubic is off along the
circle by up to w = l³/(192 R²): the deflection of a clamped beam by a force in its middle, of slopes up to 3 w/l.

- Soft bristles bend by all of w.  Stiff bristles hold the cubic: the false strain 3 w/l remains, decays over the length
  a = sqrt(EA/mu_k), and bends them by 3 w a/l.  Both together: u = w/(1 + l/(3 a)).
- Bristles that bend by the mean of a cable see half of it.  Their even traction mu_k u on a bar of the length l between
  held ends moves it by mu_k u l²/(12 EA) in the mean, so u = (w/2)/(1 + (l/a)²/12).

- Cables that keep their stretch at the entry, on a rigid layer, bend bristles by half of it: measured 0.45 to 0.59.

The traction mu_k u is a part of the limit of friction mu F/R.  Above about half of it points slip, and it grows less.
On a rigid layer the loss of speed does not depend on it below.
Source: Volkersen 1938 for a; docs/explanation/theory/contact.md, "Mesh without load", compares this with runs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from windlass.framework.arrays import BoolArray, FloatArray

SMALL = 0.1
"""Traction by the mesh, relative to the limit of friction, that has no effect on results [1]."""
HARMLESS = 0.5
"""The same on a rigid layer [1]."""
RIGID_SHARE = 0.5
"""Bend of bristles on a rigid layer, per bend on others [1]."""
ENOUGH = 3
"""Number of points per cable from which their mean equals the mean of the cable."""


def eval_wave(length: FloatArray | float, radius: FloatArray | float) -> FloatArray:
    """How far cubics of a length [m] are off along a circle [m]."""
    return np.asarray(np.asarray(length) ** 3 / (192.0 * np.asarray(radius) ** 2), np.float64)


class MeshTraction(NamedTuple):
    """Cables on a circle; single numbers, or arrays of one shape.

    Attributes:
        length: of a cable [m].
        radius: of the circle [m].
        axial_stiffness: EA [N].
        bristles: mu_k per metre of cable [N/m^2].
        limit: of friction per metre of cable, mu F/R [N/m].
        together: bristles bend by the mean of their cable, as for contact points on circles.
        rigid: a rigid layer.
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
        """Bend u of the bristles at the ends of an arc [m]."""
        ratio = np.asarray(self.length) * np.sqrt(np.asarray(self.bristles) / self.axial_stiffness)
        share = np.where(self.together, 0.5 / (1.0 + ratio**2 / 12.0), 1.0 / (1.0 + ratio / 3.0))
        share = share * np.where(self.rigid, RIGID_SHARE, 1.0)
        return np.asarray(share * eval_wave(self.length, self.radius))

    @property
    def traction(self) -> FloatArray:
        """Of the limit of friction [1]."""
        return np.asarray(self.bristles * self.bend / self.limit)

    def at(self, i: int) -> MeshTraction:
        """One of many."""
        return MeshTraction(*(np.broadcast_to(part, np.shape(self.length))[i] for part in self))

    def shrink(self, column: str, small: float = SMALL) -> float:
        """The factor on ``"length"`` or ``"bristles"`` with which a traction that is too large becomes small enough."""

        def exceeds(factor: float) -> float:
            return float(self._replace(**{column: factor * getattr(self, column)}).traction) - small

        from scipy.optimize import brentq  # imported here, because most models do not need it

        return float(brentq(exceeds, 0.0, 1.0))

    @property
    def harmless(self) -> float:
        """Traction up to which results do not depend on it [1]; of one row."""
        return HARMLESS if self.rigid else SMALL

    def advise(self) -> str:
        """Advice that makes the traction of one row small."""
        if self.rigid:
            return f"for half of it take {describe_more(1.0 / self.shrink('length', HARMLESS))}"
        return (
            f"for a tenth of it take friction_stiffness_per_length below {self.shrink('bristles') * self.bristles:.2g} "
            f"N/m^2, or {describe_more(1.0 / self.shrink('length'))}"
        )


def describe_more(factor: float) -> str:
    """A larger number of cables in words: ``"4 % more cables"``, from half as many more on ``"1.7 times as many"``."""
    if factor < 1.5:
        return f"{max(np.ceil(100.0 * (factor - 1.0) - 1e-9), 1.0):.0f} % more cables"
    return f"{factor:.2g} times as many cables"
