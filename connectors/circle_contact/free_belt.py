"""Tractions of a belt without load at the ends of an arc. The tractions result from the depth of the belt in the
elastic contact. The module also chooses a mesh and a contact stiffness for which these tractions are small.

The force F is the tension minus rhoA v², where rhoA is the mass per length and v the speed of the belt. R is the radius
of the circle. The stiffness k of the contact and the stiffness mu_k of the bristles are values per metre of belt. The
gap g of a belt on a circle satisfies F g'' = k g + F/R, the equation of a string on an elastic foundation. With l² =
F/k, the depth of the belt at the distance s from the entry is F/(k R) (1 - exp(-s/l)). Near the entry the belt
therefore runs on a larger radius than inside the arc, and the slope of the belt differs from the tangent of the circle.
Therefore a length of belt near the entry covers a smaller angle on the circle than the same length inside the arc. The
relative difference is l²/R² (exp(-s/l) + exp(-2 s/l)/2). With a² = EA/mu_k, the displacement u of the elastic belt on
its bristles satisfies

    u'' - u/a² = l/R² (exp(-s/l) + exp(-2 s/l)), u = 0 at the entry and far inside the arc. At the exit the displacement
    has the opposite sign.

Source: E. Winkler, Die Lehre von der Elasticitaet und Festigkeit (1867), for the foundation; O. Volkersen 1938 for the
length a; docs/explanation/theory/contact.md, "Creep of belts".
"""

from __future__ import annotations

from math import exp, inf, nan, sqrt
from typing import NamedTuple

from windlass.connectors.circle_contact.mesh_traction import ENOUGH, SMALL, MeshTraction
from windlass.framework.checks.checks import checked, number, whole
from windlass.framework.kernels.kernel import kernel

CORD_FACTOR = 100.0
"""Value of k R²/EA [1]. At this value, the elastic depth of the contact causes 1 % of the total loss of speed of the
belt.
"""
WAVE_FACTOR = 384.0
"""Largest value of k R² t⁴/T [1] for which the depth of the belt in the contact exceeds the deviation of its cubic
elements from the arc. The symbol t is the angle of an element, and T is the tension.
"""
SHARE = 0.3
"""Share [1] of the allowed traction that the depth of the belt in the contact may cause. The mesh may cause the same
share, and waves of the belt may cause the remainder of the allowed traction.
"""
NEAR = 1e-6
"""Relative difference between l and a, or l and 2 a [1]. Below this value, rounding errors dominate the closed form,
which becomes 0/0 at the limit.
"""
REACH, PLACES, COARSE = 10.0, 2000, 40
"""Constants of the search for the largest deflection. REACH: length of the searched arc, divided by the larger of the
decay lengths l and a [1]. PLACES: number of intervals of this arc. COARSE: number of intervals per step of the first,
coarse search.
"""
LARGEST_ANGLE = 0.3
"""Largest angle of an element on the circle [rad]. With larger angles the simulated motion of drives does not become
steady.
"""


@kernel(inline=True, fast=False)
def eval_way(s: float, a: float, l: float, one: float, two: float) -> float:
    """Return the displacement |u| [m] at the arc length s [m] from the entry. The arguments ``one`` and ``two`` are the
    coefficients of the terms of u with exp(-s/l) and exp(-2 s/l) [m].
    """
    deep = exp(-s / a)
    return abs(one * (deep - exp(-s / l)) + two * (deep - exp(-2.0 * s / l)))


@kernel(fast=False)
def eval_sinking_bend(
    radius: float, axial_stiffness: float, press: float, bristles: float, contact_stiffness: float
) -> float:
    """Return the largest deflection |u| [m] of the bristles at the ends of an arc, see `SinkingTraction`."""
    if press <= 0.0 or bristles <= 0.0 or contact_stiffness <= 0.0:
        return 0.0
    l, a = sqrt(press / contact_stiffness), sqrt(axial_stiffness / bristles)
    if not (l < inf and a < inf):
        return nan
    # if l equals a or 2 a, the closed form is 0/0; in this case it is evaluated for a slightly different length l
    if min(abs(l / a - 1.0), abs(l / a - 2.0)) < NEAR:
        a *= 1.0 - NEAR
    step, square = REACH * max(a, l) / PLACES, radius**2
    one, two = l**3 / square / (1.0 - (l / a) ** 2), l**3 / square / (4.0 - (l / a) ** 2)
    # |u| has one maximum: find it by a coarse search, and then by a fine search near the largest value found
    best, largest = 0, 0.0
    for i in range(0, PLACES + 1, COARSE):
        way = eval_way(i * step, a, l, one, two)
        if way > largest:
            best, largest = i, way
    for i in range(max(best - COARSE, 0), min(best + COARSE, PLACES) + 1):
        largest = max(largest, eval_way(i * step, a, l, one, two))
    return largest


class SinkingTraction(NamedTuple):
    """Traction due to the depth of a belt in the contact at the ends of an arc.

    Attributes:
        radius: radius R of the circle [m].
        axial_stiffness: axial stiffness EA [N].
        press: force F > 0 [N], the tension minus rhoA v².
        bristles, contact_stiffness: stiffness mu_k of the bristles and k of the contact, both per metre of belt [N/m²].
        limit: friction limit per metre of belt, mu F/R [N/m].
    """

    radius: float
    axial_stiffness: float
    press: float
    bristles: float
    contact_stiffness: float
    limit: float

    @property
    def bend(self) -> float:
        """Largest deflection |u| [m] of the bristles at the ends of an arc."""
        stiffnesses = self.axial_stiffness, self.press, self.bristles, self.contact_stiffness
        return eval_sinking_bend(self.radius, *stiffnesses)

    @property
    def traction(self) -> float:
        """Traction divided by the friction limit [1]."""
        return self.bristles * self.bend / self.limit

    def advise(self) -> str:
        """Return advice on how to reduce the traction."""
        stiffness = self.stiffen(SMALL).contact_stiffness
        return f"for a tenth of it take contact_stiffness_per_length above {stiffness:.2g} N/m^2"

    def stiffen(self, traction: float) -> SinkingTraction:
        """Return a copy whose traction does not exceed the given traction. The copy has the smallest suitable contact
        stiffness, but at least the present stiffness.
        """

        def exceed(stiffness: float) -> float:
            return self._replace(contact_stiffness=stiffness).traction - traction

        least = most = self.contact_stiffness
        if exceed(least) <= 0.0:
            return self
        # for large k the traction decreases as k^(-3/2)
        while exceed(most) > 0.0:
            most *= 2.0

        from scipy.optimize import brentq  # imported here, because most models do not need this module

        return self._replace(contact_stiffness=float(brentq(exceed, least, most)))


class FreeBelt(NamedTuple):
    """Mesh and contact stiffness for which the tractions of a belt without load are small.

    Attributes:
        length: largest element length [m] for which the tractions are small.
        contact_stiffness: smallest contact stiffness k per metre of belt [N/m²] for which the tractions are small.
        mesh_traction, sinking_traction: tractions due to the mesh and due to the depth of contact, relative to the
            friction limit [1].
    """

    length: float
    contact_stiffness: float
    mesh_traction: float
    sinking_traction: float


@checked(
    axial_stiffness=number("N", above=0.0),
    radius=number("m", above=0.0),
    press=number("N", above=0.0),
    friction_coefficient=number("1", above=0.0),
    friction_stiffness_per_length=number("N/m²", above=0.0),
    traction=number("1", above=0.0, maximum=0.5),
    segments=whole(1),
)
def choose_free_belt(
    *,
    axial_stiffness: float,
    radius: float,
    press: float,
    friction_coefficient: float,
    friction_stiffness_per_length: float,
    traction: float = SMALL,
    segments: int = 4,
) -> FreeBelt:
    """Choose the coarsest mesh and the softest contact for which a belt without load has tractions below ``traction``.

    The depth of the belt in the contact causes at most three tenths of ``traction``, and the mesh causes at most three
    tenths. If the damping of the contact is a third of the critical damping, waves of the belt cause at most the
    remaining four tenths. Bending stiffness is neglected. A bending stiffness EI increases the tractions if sqrt(EI/F)
    exceeds the length l = sqrt(F/k).

    Args:
        axial_stiffness: axial stiffness EA > 0 [N].
        radius: radius R > 0 of the axis of the belt on the circle [m].
        press: force F > 0 [N], the tension of the slacker strand minus rhoA v².
        friction_coefficient: friction coefficient mu > 0 [1].
        friction_stiffness_per_length: stiffness mu_k > 0 of the bristles per metre of belt [N/m²].
        traction: largest traction relative to the friction limit mu F/R [1], between 0 and 0.5.
        segments: number of contact points of an element. With 3 or more points all bristles of an element deflect by
            the mean displacement of the element.

    Raises:
        ModelError: an argument is out of its range.
    """
    limit, bristles = friction_coefficient * press / radius, friction_stiffness_per_length

    rule, small = CORD_FACTOR * axial_stiffness / radius**2, SHARE * traction
    sunk = SinkingTraction(radius, axial_stiffness, press, bristles, rule, limit).stiffen(small)
    longest = radius * min(LARGEST_ANGLE, (WAVE_FACTOR * press / (sunk.contact_stiffness * radius**2)) ** 0.25)
    ends = MeshTraction(longest, radius, axial_stiffness, bristles, limit, segments >= ENOUGH)
    if ends.traction > small:
        ends = ends._replace(length=longest * ends.shrink("length", small))
    return FreeBelt(float(ends.length), sunk.contact_stiffness, float(ends.traction), sunk.traction)
