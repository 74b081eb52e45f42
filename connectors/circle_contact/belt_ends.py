"""Ends of the arc of a belt: the place where a bent belt leaves an elastic pulley, and the length that this adds.

The belt is a beam under the force F, with the bending stiffness EI, on an elastic foundation that cannot pull. Along
the circle of the radius R that the belt touches with the depth F/(k R), y [m] is the distance of the belt from this
depth, > 0 towards the centre, and s [m] the place on the circle, 0 where the circle has the direction of the span:

    touching, s < e:    EI y'''' - F y'' + k y = 0     y = sum of Z exp(p (s - e)), EI p⁴ - F p² + k = 0, Re p > 0
    free, s > e:        EI y'''' - F y'' = F/R         y = a - s²/(2 R) + c exp(-(s - e)/l), l² = EI/F

At s = e the depth is 0, and y and three derivatives are continuous. The length of the belt exceeds the length of arc
and tangent by

    integral of y'²/2 - y/R for s < 0, and of the difference of this function from the function of the line for s > 0.

On a rigid circle e = -l, a = -l²/(2 R), and the length is l³/(12 R²). A string has e = sqrt(F/k).

Source: S. P. Timoshenko, J. M. Gere, Theory of Elastic Stability (1961), chapter 1; M. Hetényi, Beams on Elastic
Foundation (1946), for the beam with tension.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from windlass.framework.arrays import FloatArray

CLOSE = 1e-5
"""Least |g|/a, with which equal roots p are evaluated [1]."""
STIFFEST = 1e30
"""Contact stiffness that counts as rigid [N/m²]."""
LEAST = 1e-12
"""Least EI per F R², with which strings are evaluated [1]."""


class SpanEnds(NamedTuple):
    """SpanEnds of arcs.

    untouched: angle between the end of the arc and the point where the belt leaves the circle [rad]; negative if the
        belt touches beyond the arc.
    longer: length that the end adds to arc and span [m].
    """

    untouched: FloatArray
    longer: FloatArray


def eval_ends(
    force: FloatArray | float, bending: FloatArray | float, contact: FloatArray, radius: FloatArray
) -> SpanEnds:
    """Evaluate the ends of arcs; see the head of this file.

    Args:
        force: F of the spans [N].
        bending: EI [N m²]; 0 for a string.
        contact: contact stiffness k per length of the belt [N/m²]; inf for a rigid circle.
        radius: R [m].
    """
    contact = np.minimum(contact, STIFFEST)
    depth, l = force / (radius * contact), np.sqrt(np.maximum(bending, LEAST * force * radius**2) / force)
    stiff = contact / (force * l**2)
    half = 0.25 / l**2
    # p = a +- i g; g is imaginary on a soft foundation
    a, g = np.sqrt(0.5 * np.sqrt(stiff) + half), np.sqrt((0.5 * np.sqrt(stiff) - half).astype(complex))
    g = np.where(np.abs(g) < CLOSE * a, CLOSE * a, g)
    sine = (depth * a * (a * a - 3.0 * g * g) - 1.0 / (l * radius) + 0.5 * depth / l**3) / (
        g * (3.0 * a * a - g * g) + 2.0 * a * g / l
    )
    c = (l * l / radius - 0.5 * depth + 2.0 * l * l * a * g * sine).real
    e = -radius * ((g * sine - a * depth).real + c / l)
    p = np.stack((a + 1j * g, a - 1j * g))
    z = 0.5 * np.stack((-depth - 1j * sine, -depth + 1j * sine))
    slopes = p * z
    bent = 0.5 * (slopes[:, None] * slopes / (p[:, None] + p)).sum(axis=(0, 1))
    touching = (bent - (z / p).sum(axis=0) / radius).real
    return SpanEnds(-e / radius, touching + e**3 / (6.0 * radius**2) - depth * e / radius + c**2 / (4.0 * l))
