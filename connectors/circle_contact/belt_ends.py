"""Ends of the arc of a belt with bending stiffness on an elastic pulley. The module computes the position of the point
at which the belt leaves the pulley, and the additional length of the belt.

The belt is a beam with the bending stiffness EI under the axial force F. It lies on an elastic foundation with the
stiffness k. The foundation can push the belt outwards but cannot pull it. On the arc the depth of the belt in the
circle is F/(k R). Let s [m] be the arc length along the circle. At s = 0 the tangent of the circle is parallel to the
span. The arc length s is positive towards the span. Let y [m] be the depth minus F/(k R). On the part that touches the
pulley and on the free part, y satisfies:

    touching, s < e:    EI y'''' - F y'' + k y = 0     y = sum of Z exp(p (s - e)), EI p⁴ - F p² + k = 0, Re p > 0
    free, s > e:        EI y'''' - F y'' = F/R         y = b - s²/(2 R) + c exp(-(s - e)/l), l² = EI/F

At s = e the depth is 0, and y and its first three derivatives are continuous. These conditions determine e, b, c and
one constant Z for each root p. The additional length is the length of the belt minus the lengths of the arc and of the
straight span. The additional length is the sum of two integrals. The first is the integral of y'²/2 - y/R over s < 0.
The second is an integral over s > 0. Its integrand is y'²/2 - y/R for the belt minus the same expression for the
straight line.

The straight line of the span is a tangent of a circle with the radius R + l²/(2 R). At s = 0 the line touches this
circle. For a rigid circle, e = -l, b = -l²/(2 R), and the additional length is l³/(12 R²). For a string (EI = 0), e =
sqrt(F/k).

If the angle t of an arc is so small that t R < 2 l, the belt touches the pulley at a single point. With a rigid circle
the sum of the additional lengths at both ends is t² l/8 - R t³/24. The spans are tangents of a circle of the radius R +
t l/2 - R t²/8. The curvature of the belt at the contact point is t/(2 l).

For a beam with the shear stiffness GA, let t be the rotation of the cross section relative to the tangent of the
circle, and h = 1 - F/GA. The equations are

    touching:    EI t'' = GA h (t - y'),    GA (y'' - h t') = k y,    EI p⁴ - (F h + k EI/GA) p² + k h = 0
    free:        y = b - s²/(2 R) + c exp(-q (s - e)),    q = sqrt(h)/l

At s = e the depth is 0, and y, y', t and t' are continuous. The shear strain y' - t stretches the axis, so the integral
of (y' - t)²/2 over all s is subtracted from the additional length. On a rigid circle e is -l sqrt((1 - n)/(1 + n)) with
n² = F/GA, and the span is tangential to the same circle of the radius R + l²/(2 R). Contact at a single point is
evaluated without shear.

Source: S. P. Timoshenko, J. M. Gere, Theory of Elastic Stability (1961), chapters 1 and 2.17; M. Hetényi, Beams on
Elastic Foundation (1946), for the beam with tension.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np

from windlass.framework.arrays import FloatArray

CLOSE = 1e-5
"""Smallest |g|/a [1], where the roots p are a + i g and a - i g. If the ratio is smaller, it is replaced by this value,
because the equations are singular for equal roots.
"""
STIFFEST = 1e30
"""Contact stiffness that replaces all larger values [N/m²]. With this stiffness, the circle is practically rigid."""
STIFFEST_SHEAR = 1e8
"""Largest k l²/F [1] with which belts with shear are evaluated."""
MOST_SHEAR = 0.9
"""Largest F/GA [1] with which belts with shear are evaluated."""
SHORTEST = 1e-6
"""Smallest l/R [1]. Strings, whose l is 0, are evaluated with this value."""


class SpanEnds(NamedTuple):
    """Quantities of the ends of arcs. All arrays have the shape to which the arguments of `eval_ends` are broadcast.

    untouched: angle between the end of the arc and the point where the belt leaves the circle [rad]. The angle is
        negative if the belt leaves the circle beyond the end of the arc.
    longer: additional length [m] of the belt at one end of the arc, see the docstring of this module.
    offset: distance between the straight line of the span and the tangent of the circle that is parallel to this line
    [m].
    curvature: curvature of the belt on the circle [1/m].
    """

    untouched: FloatArray
    longer: FloatArray
    offset: FloatArray
    curvature: FloatArray


def eval_ends(
    force: FloatArray | float, bending: FloatArray | float, contact: FloatArray, radius: FloatArray,
    angle: FloatArray | float = inf, longest: FloatArray | float = inf, shear: float = inf,
) -> SpanEnds:  # fmt: skip
    """Evaluate the ends of arcs by the equations in the docstring of this module. The arguments are numbers, or arrays
    that can be broadcast.

    Args:
        force: force F in the spans [N].
        bending: bending stiffness EI [N m²]; 0 for a string.
        contact: contact stiffness k per length of the belt [N/m²]; inf for a rigid circle.
        radius: radius R of the circle [m].
        angle: wrap angle t of the arc [rad].
        longest: upper limit of the length l = sqrt(EI/F) [m]. In addition, l is limited to R.
        shear: shear stiffness GA [N]; inf for a belt without shear.
    """
    contact = np.minimum(contact, STIFFEST)
    l = np.minimum(np.sqrt(bending / force), np.minimum(longest, radius))
    l = np.maximum(l, SHORTEST * radius)
    depth, stiff, half = force / (radius * contact), contact / (force * l**2), 0.25 / l**2
    # The roots are p = a ± i g with real a. If the foundation is soft, g is imaginary.
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
    longer = (
        (bent - (z / p).sum(axis=0) / radius).real + e**3 / (6.0 * radius**2) - depth * e / radius + c**2 / (4.0 * l)
    )
    if shear < inf:
        force, l, contact, radius = np.broadcast_arrays(force, l, contact, radius)
        e, longer = _eval_shear_ends(force, l, contact, radius, shear)
    # on arcs longer than 2 l, the formulas with t = 2 l/R give the offset and the curvature at both ends
    t = np.minimum(angle, 2.0 * l / radius)
    is_point = t * radius < 2.0 * l * (1.0 - CLOSE)
    return SpanEnds(
        np.where(is_point, 0.5 * t, -e / radius),
        np.where(is_point, t**2 * l / 16.0 - radius * t**3 / 48.0, longer),
        0.5 * t * l - 0.125 * radius * t**2,
        0.5 * t / l,
    )


def _eval_shear_ends(
    force: FloatArray, l: FloatArray, contact: FloatArray, radius: FloatArray, shear: float
) -> tuple[FloatArray, FloatArray]:
    """Return e and the additional length [m] of belts with the shear stiffness GA [N], see the docstring of this
    module. All arrays have the same shape. In the code, m is F/GA.
    """
    m = np.minimum(force / shear, MOST_SHEAR)
    h, k = 1.0 - m, np.minimum(contact / force, STIFFEST_SHEAR / l**2)
    depth, q = 1.0 / (radius * k), np.sqrt(h) / l
    # the roots p satisfy l² p⁴ - (h + k m l²) p² + k h = 0, with k and GA divided by F;
    # the product of the two p² is k h/l²
    half = 0.5 * (h + k * m * l * l) / l**2
    apart = np.sqrt((half**2 - k * h / l**2).astype(complex))
    apart = np.where(np.abs(apart) < CLOSE * half, CLOSE * half, apart)
    p = np.sqrt(np.stack((half + apart, k * h / l**2 / (half + apart)), axis=-1))
    turn = p * h[..., None] / (h[..., None] - (m * l * l)[..., None] * p**2)
    # unknowns: the constants Z of both roots, c, and e/R
    A, B = np.zeros((*l.shape, 4, 4), complex), np.zeros((*l.shape, 4), complex)
    A[..., 0, :2], B[..., 0] = 1.0, -depth
    A[..., 1, :2], A[..., 1, 2], A[..., 1, 3] = p, q, 1.0
    A[..., 2, :2], A[..., 2, 2], A[..., 2, 3] = turn, q / h, 1.0
    A[..., 3, :2], A[..., 3, 2], B[..., 3] = p * turn, -(q**2) / h, -1.0 / radius
    found = np.linalg.solve(A, B[..., None])[..., 0]
    z, c, e = found[..., :2], found[..., 2].real, found[..., 3].real * radius
    sums = p[..., :, None] + p[..., None, :]

    def square(slope: FloatArray) -> FloatArray:
        """Return the integral of the square of a slope over the touching part, divided by 2."""
        part = slope * z
        return np.asarray(0.5 * (part[..., :, None] * part[..., None, :] / sums).sum(axis=(-2, -1)).real)

    touching = square(p) - square(p - turn) - (z / p).sum(axis=-1).real / radius
    free = e**3 / (6.0 * radius**2) - depth * e / radius + 0.25 * q * c**2 * (1.0 - (m / h) ** 2)
    return e, touching + free
