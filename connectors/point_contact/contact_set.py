"""Sets of objects that can touch each other. Contact laws with a search find the pairs of objects of a set that are
close to each other.

Source: P. Wriggers, Computational Contact Mechanics, 2nd edition, Springer (2006), chapter 10, for the search.
"""

from windlass.framework.model.law import register
from windlass.framework.model.schema import Component, column


class ContactSet(Component):
    """A set of objects that can touch each other: surfaces of bodies, or cables and the circles or surfaces that they
    can touch.

    A search finds pairs of objects whose distance is below the search margin ``skin``. Spheres and other surfaces of
    bodies are searched again when one of them has moved by half of this margin. A cable on circles or surfaces is
    searched again when the sum of two displacements since the last search reaches a limit. The displacements are the
    largest displacement of the cable, and the largest displacement of a circle or surface. The limit is the smaller of
    two lengths: ``skin``, and the smallest gap of a pair that has no row.
    """

    skin = column(
        "m",
        "distance up to which the search finds contacts; 0: the smallest radius of circles, or 0.2 times the median "
        "radius of surfaces of bodies; surfaces that cables can touch need a distance > 0",
        default=0.0,
        minimum=0,
    )


register(ContactSet, "passive", source="[@wriggers2006]")
