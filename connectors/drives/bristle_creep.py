"""The additional loss of speed that is due to the deflection of bristles. This loss is large on short arcs, because the
bristles deflect along the whole arc.

The loss is computed from means over time of the tensions N of the spans, the speed v = c lam of the cord, and the wrap
angle t of each pulley. Here c is the unstretched length of belt that passes a fixed point per unit of time, and lam = 1
+ N/EA is the stretch. On an arc, let F = N - rhoA c v - EI/(2 R²). EA and EI are the axial and the bending stiffness,
rhoA is the mass per length, and R is the radius of the cord. The belt enters a pulley with the stretch lam, and the
speed of the rim is

    omega R = c (lam - w).

On a rigid layer the relative slip w at the entry is 0. Otherwise `belt_bristles` computes w from F at both ends of the
arc. Therefore the loss of speed of a pulley, relative to the driving pulley d, is 1 - (lam - w)/(lam_d - w_d). The
bristles of a cable of the length l begin to act when the whole cable lies on the circle. These bristles start with the
deflection of a layer that has been sheared since the first contact of the cable (`circle_points/layers.py`). Before
that, a part of the cable with the length x lies on the circle, and the friction K w x²/2 of this part is missing. Here
K is the stiffness of the layer per length. The mean of the missing friction over x, from 0 to l, is K w l²/6. This
error has the same effect as an arc that is shorter by the angle l²/(6 R² t). At the exit, an error of the same size
occurs. Therefore the loss is computed with the angle t - l²/(3 R² t) instead of t. The smallest angle that is used is
t/2. With six cables on the arc, the computed loss due to the layer is 2 % too large. A belt on a soft contact touches
beyond both ends of the arc (`circle_contact/belt_ends.py`), and the bristles of the belt are also deflected there.
Therefore the angles of these two parts are added to the angle of the arc. If the bristles represent a layer of rubber,
the loss due to the shear of this layer on the whole arc is not an error, but a physical effect.

`connectors/reports/belt_bristles.py` states the source of these equations.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, nan
from typing import NamedTuple

import numpy as np

from windlass.connectors.circle_contact.belt_ends import eval_ends
from windlass.connectors.reports.belt_bristles import Rim, pass_arc
from windlass.framework.arrays import FloatArray


class ArcLaw(NamedTuple):
    """Friction and stiffnesses of a belt on a pulley. Stiffnesses are per length of the slack belt.

    radius: radius R of the cord [m].
    friction: friction coefficient mu r/R at the cord [1].
    bristles: stiffness mu_k of the bristles [N/m²], inf for a rigid layer. See `circle_points/layers.py`.
    layer: shear stiffness K of the layer between cord and face [N/m²], inf for a rigid layer.
    contact: contact stiffness k [N/m²], inf for a rigid circle.
    """

    radius: float
    friction: float
    bristles: float
    layer: float
    contact: float = inf


class BeltLaw(NamedTuple):
    """A closed 2D belt with creep: axial stiffness EA [N], bending stiffness EI [N m²] and mass per length rhoA [kg/m]
    of the slack belt, and the length l of a cable [m].

    If l = 0, bristles act on the whole arc.
    """

    axial_stiffness: float
    bending_stiffness: float
    mass_per_length: float
    cable_length: float
    arcs: tuple[ArcLaw, ...]


class Passing(NamedTuple):
    """The arc of a belt on a pulley: law, wrap angle [rad], and tensions N at entry and exit [N]."""

    law: ArcLaw
    wrap_angle: float
    entering: float
    leaving: float


class BristleCreep(NamedTuple):
    """Losses of speed of all pulleys relative to the driver [1], with and without bristles, shape (pulleys,) each. If
    the belt slips on the whole arc of a pulley, the values of this pulley are NaN, see `find_lags`.

    loss: loss of speed with bristles.
    right: loss of speed without bristles, with the shear of the layer only.
    lag: relative slip w at the entry with bristles, minus w without bristles.
    """

    loss: FloatArray
    right: FloatArray
    lag: FloatArray

    @property
    def error(self) -> float:
        """Largest magnitude [1] of the change of a loss of speed that is due to bristles."""
        return float(np.abs(self.loss - self.right).max())

    @property
    def excess(self) -> float:
        """`error`, divided by the largest magnitude of a loss of speed without bristles [1]. If all losses without
        bristles are 0, the result is infinite.
        """
        largest = float(np.abs(self.right).max())
        return self.error / largest if largest > 0.0 else inf


def eval_bristle_creep(belt: BeltLaw, passings: Sequence[Passing], driver: int, speed: float) -> BristleCreep:
    """Evaluate the losses of speed of all pulleys with and without the bristles of a belt.

    Args:
        belt: stiffnesses of the belt, and the length of a cable.
        passings: the arcs of the belt on the pulleys.
        driver: index of the driver in ``passings``.
        speed: speed v of the cord [m/s].
    """
    EA = belt.axial_stiffness
    stretch = 1.0 + np.array([passing.entering for passing in passings]) / EA
    flow = abs(speed) / float(stretch.mean())
    lags = np.array([find_lags(belt, passings, flow, bristles) for bristles in (True, False)])
    loss, right = (1.0 - (stretch - w) / (stretch[driver] - w[driver]) for w in lags)
    return BristleCreep(loss, right, lags[0] - lags[1])


def find_lags(belt: BeltLaw, passings: Sequence[Passing], flow: float, bristles: bool) -> FloatArray:
    """Return the relative slip w between belt and rim at the entry of each pulley [1], shape (pulleys,). If
    ``bristles`` is false, w is computed without bristles, from the shear of the layer only.

    If the belt slips on the whole arc of a pulley, w is NaN, because the tensions do not determine w. With bristles, w
    is computed for the shorter arc on which the bristles act, see the docstring of this module.
    """
    return np.array([_find_lag(belt, passing, flow, bristles) for passing in passings])


def _find_lag(belt: BeltLaw, passing: Passing, flow: float, bristles: bool) -> float:
    law, EA = passing.law, belt.axial_stiffness
    E, bent = EA - belt.mass_per_length * flow**2, belt.bending_stiffness / (2.0 * law.radius**2)
    spans = [E * (1.0 + N / EA) - EA for N in (passing.entering, passing.leaving)]
    entry, leave = (F - bent for F in spans)
    held = law.bristles if bristles else law.layer
    if held == inf:
        return 0.0
    angle = passing.wrap_angle
    if bristles:
        angle = max(angle - (belt.cable_length / law.radius) ** 2 / (3.0 * angle), 0.5 * angle)
        if min(entry, leave) > 0.0:
            angle += _find_reach(belt, law, np.array(spans))
    rim = Rim(lambda F: (F + EA) / (E * law.radius), 1.0 / E, law.radius, 1.0, law.friction, held, 0.0)
    found = pass_arc(rim, entry, leave, angle)
    return nan if found is None else found.lag


def _find_reach(belt: BeltLaw, law: ArcLaw, forces: FloatArray) -> float:
    """Return the sum [rad] of the two angles by which a belt touches the pulley beyond the ends of an arc. The argument
    ``forces`` contains N - rhoA c v of the spans before and after the pulley [N].
    """
    ends = eval_ends(forces, belt.bending_stiffness, np.array(law.contact), np.array(law.radius))
    return float(np.maximum(-ends.untouched, 0.0).sum())
