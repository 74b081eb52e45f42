"""Catenaries: equilibrium shapes of an extensible cable without bending stiffness that hangs between two points, in 2D
or 3D. The shape lies in the vertical plane through the points.

Let s be the unstretched arc length, w the weight per unstretched length, and n = 1 + ε0 the stretch in the stress-free
state. The coordinate x is horizontal, and z points downwards. For the horizontal force H and the upward force V of the
first support, the coordinates, the tension and the stretch are

    x(s) = H s/EA + n H/w (asinh(V/H) - asinh((V - w s)/H)),
    z(s) = (V s - w s²/2)/EA + n/w (√(H² + V²) - √(H² + (V - w s)²)),
    T(s) = √(H² + (V - w s)²),    |r'(s)| = n + T/EA.

x(L) and z(L) must equal the coordinates of the second point. For a given H, z(L) is an increasing function of V. For
each H, let V be the force for which z(L) equals the vertical coordinate of the second point. Then x(L) is an increasing
function of H. Therefore two nested bracketing searches find the unique solution for both slack and taut cables.

Source: H. M. Irvine, Cable Structures, MIT Press (1981), chapter 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, log, sqrt

import numpy as np
import numpy.typing as npt

from windlass.elements.routes.routes import Point, RouteError, read_arc_lengths
from windlass.framework.arrays import FloatArray
from windlass.framework.checks.checks import checked, number, numbers

VERTICAL = 1e-9
"""Horizontal distance [1] between the end points, relative to the length. If the distance is smaller, the line is
treated as vertical.
"""


@dataclass(frozen=True)
class FreeCatenary:
    """A cable that hangs freely between two points. `hang_between` creates it.

    The object can be used as an open route, on which the arc length s is the unstretched arc length of the cable.

    Attributes:
        start: first point [m], (x, y) or (x, y, z).
        across: unit vector perpendicular to gravity, from the first point towards the second.
        down: unit vector along gravity.
        length: unstretched length [m].
        axial_stiffness: EA [N].
        weight: weight per unstretched length [N/m].
        horizontal_force: H, the component [N] of the tension perpendicular to gravity.
        vertical_force: V, the upward force [N] of the first support on the cable.
        free_stretch: stretch |r'| [1] in the stress-free state, which is 1 + reference strain.
        closed: always False, because the route is open.
    """

    start: FloatArray
    across: FloatArray
    down: FloatArray
    length: float
    axial_stiffness: float
    weight: float
    horizontal_force: float
    vertical_force: float
    free_stretch: float = 1.0
    closed: bool = False

    def eval_tension(self, s: npt.ArrayLike) -> FloatArray:
        """Return the tension [N] at unstretched arc lengths s [m], both of shape (n,)."""
        below = self.vertical_force - self.weight * np.atleast_1d(np.asarray(s, dtype=np.float64))
        return np.hypot(self.horizontal_force, below)

    def eval_stretch(self, s: npt.ArrayLike) -> FloatArray:
        """Return the stretch |r'| [1], the ratio of stretched to unstretched length, at s [m], both of shape (n,)."""
        return self.free_stretch + self.eval_tension(s) / self.axial_stiffness

    def eval_points(self, s: npt.ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return position [m], shape (n, d), unit tangent [1], shape (n, d), and curvature [1/m] of the hanging line,
        shape (n,).

        In 2D the curvature is > 0 if the line bends to the left. In 3D the curvature is < 0 if the line sags.

        Args:
            s: unstretched arc lengths [m], shape (n,), from 0 to ``length``.

        Raises:
            RouteError: s lies outside of this range.
        """
        s, H, w = read_arc_lengths("FreeCatenary", s, self.length), self.horizontal_force, self.weight
        offsets = [eval_offset(H, self.vertical_force, w, float(x), self.axial_stiffness, self.free_stretch) for x in s]
        x, z = np.array(offsets).reshape(-1, 2).T
        position = self.start + x[:, None] * self.across + z[:, None] * self.down
        tension, steep = self.eval_tension(s), self.vertical_force - w * s
        tangent = (H * self.across + steep[:, None] * self.down) / tension[:, None]
        plane = len(self.start) == 2
        turn = self.across[0] * self.down[1] - self.across[1] * self.down[0] if plane else 1.0
        curvature = -turn * w * H / (tension**2 * self.eval_stretch(s))
        return position, tangent, curvature


POINT = numbers("m", (2,), (3,), words="two finite numbers (x, y), or three in 3D")


@checked(
    RouteError,
    "a catenary",
    start=POINT,
    end=POINT,
    length=number("m", above=0.0),
    axial_stiffness=number("N", above=0.0),
    mass_per_length=number("kg/m", minimum=0.0),
    gravity=numbers("m/s^2", (2,), (3,)),
    reference_strain=number("1", above=-1.0),
)
def hang_between(
    start: Point,
    end: Point,
    length: float,
    axial_stiffness: float,
    mass_per_length: float,
    gravity: Point = (0.0, -9.81),
    reference_strain: float = 0.0,
) -> FreeCatenary:
    """Find the catenary of a cable between two points.

    Args:
        start, end: the points [m], both (x, y) or both (x, y, z).
        length: unstretched length [m]. If the length is smaller than the distance between the points, the cable is
            taut.
        axial_stiffness: EA [N].
        mass_per_length: mass per unstretched length [kg/m].
        gravity: acceleration [m/s^2], (x, y) or (x, y, z).
        reference_strain: strain [1] of the stress-free state.

    Raises:
        RouteError: values are not finite or not > 0; the points have different dimensions; or the shape of a slack
            cable is not unique, because the cable has no weight or one end is vertically above the other.
    """
    if len(start) != len(end):
        raise RouteError(f"start = {start} m and end = {end} m of a catenary: must both be (x, y) or (x, y, z)")
    ends = np.array([start, end], dtype=np.float64)
    g, free = fit_gravity(gravity, ends.shape[1]), 1.0 + reference_strain
    chord = ends[1] - ends[0]
    distance, weight = float(np.linalg.norm(chord)), mass_per_length * float(np.linalg.norm(g))
    if weight == 0.0:
        return _pull_straight(ends[0], chord, distance, length, axial_stiffness, free, mass_per_length)
    down = g / np.linalg.norm(g)
    z = float(chord @ down)
    across = chord - z * down
    x = float(np.linalg.norm(across))
    if x <= VERTICAL * length:
        return _hang_straight(ends[0], down, z, length, axial_stiffness, free, weight)
    H, V = _solve(x, z, length, axial_stiffness, free, weight)
    return FreeCatenary(ends[0], across / x, down, length, axial_stiffness, weight, H, V, free)


def fit_gravity(gravity: Point, dims: int) -> FloatArray:
    """Convert an acceleration [m/s^2] with two or three components to an array of shape (dims,)."""
    g, given = np.zeros(dims), np.asarray(gravity, dtype=np.float64)[:dims]
    g[: len(given)] = given
    return g


def _pull_straight(
    start: FloatArray, chord: FloatArray, distance: float, length: float, EA: float, free: float, mass: float
) -> FreeCatenary:
    """Create a taut line without weight."""
    if distance <= free * length:
        raise RouteError(
            f"mass_per_length = {mass} kg/m, gravity: a slack line without weight ({free * length} m long, ends "
            f"{distance} m apart) has no unique shape: must have a weight > 0 N/m, or be shorter than the distance "
            "between the ends"
        )
    across = chord / distance
    force = EA * (distance / length - free)
    return FreeCatenary(start, across, -_perpendicular(across), length, EA, 0.0, force, 0.0, free)


def _hang_straight(
    start: FloatArray, down: FloatArray, z: float, L: float, EA: float, free: float, weight: float
) -> FreeCatenary:
    """Create a vertical line between two points. The line must be in tension at all points."""
    # z = n L + (V L - w L²/2)/EA if z >= 0; for z < 0 the term n L has the opposite sign
    sign = 1.0 if z >= 0.0 else -1.0
    V = EA * (z - sign * free * L) / L + 0.5 * weight * L
    if min(sign * V, sign * (V - weight * L)) <= 0.0:
        raise RouteError(
            f"start and end of a catenary are {abs(z)} m apart on a vertical line: a slack line of {L} m has no unique "
            "shape; the ends must have a horizontal distance, or the line must be taut at both ends"
        )
    return FreeCatenary(start, _perpendicular(down), down, L, EA, weight, 0.0, V, free)


def _perpendicular(a: FloatArray) -> FloatArray:
    """Return a unit vector perpendicular to a given unit vector. In 2D the result is the left normal."""
    if len(a) == 2:
        return np.array([-a[1], a[0]])
    across = np.cross(np.eye(3)[np.abs(a).argmin()], a)
    unit: FloatArray = across / np.linalg.norm(across)
    return unit


def eval_offset(H: float, V: float, w: float, s: float, EA: float, free: float) -> tuple[float, float]:
    """Return the coordinates x(s) and z(s) [m] for the forces H and V. The weight per length is w, and the stretch n of
    the module docstring is ``free``. The formulas have no cancellation errors for taut lines and lines without weight.
    """
    below = V - w * s
    first, last = sqrt(H * H + V * V), sqrt(H * H + below * below)
    # With V_s = V - w s, √(H² + V²) - √(H² + V_s²) is w s (V + V_s), divided by the sum of both roots.
    rise = s * (V + below) / (first + last) if first + last > 0.0 else 0.0
    x = 0.0
    if H > 0.0 and w > 0.0:
        # The function asinh is odd, so the line can be reversed such that |V_s| <= V. All terms of the sums are then
        # positive.
        top, bottom = (V, below) if V + below >= 0.0 else (-below, -V)
        high, low = sqrt(H * H + top * top), sqrt(H * H + bottom * bottom)
        inverse = (low - bottom) / (H * H) if bottom < 0.0 else 1.0 / (low + bottom)
        ratio = w * s * (1.0 + (top + bottom) / (high + low)) * inverse
        x = H / w * float(np.log1p(ratio))
    elif H > 0.0:
        x = H * s / first
    return H * s / EA + free * x, (V - 0.5 * w * s) * s / EA + free * rise


def _solve(x: float, z: float, L: float, EA: float, free: float, w: float) -> tuple[float, float]:
    """Return the support forces H and V [N] of a line whose end has the horizontal distance x > 0 [m] from the start
    and the depth z [m] below the start.
    """
    from scipy.optimize import brentq  # imported here, because most models do not need SciPy

    def find_vertical(H: float) -> float:
        def miss(V: float) -> float:
            return eval_offset(H, V, w, L, EA, free)[1] - z

        reach = w * L + EA * (1.0 + abs(z) / L) + H
        low, high = bracket(miss, 0.5 * w * L - reach, 0.5 * w * L + reach)
        return float(brentq(miss, low, high, xtol=1e-14 * w * L, rtol=1e-15, maxiter=500))

    def miss_width(log_force: float) -> float:
        H = exp(log_force)
        return eval_offset(H, find_vertical(H), w, L, EA, free)[0] - x

    low, high = bracket(miss_width, log(1e-12 * w * L), log(EA * (1.0 + x / L) + w * L))
    H = exp(float(brentq(miss_width, low, high, xtol=1e-15, rtol=1e-15, maxiter=500)))
    return H, find_vertical(H)


def bracket(miss: Callable[[float], float], low: float, high: float) -> tuple[float, float]:
    """Return two arguments between which an increasing function changes from negative to positive values. The arguments
    ``low`` and ``high`` are initial guesses.
    """
    for _ in range(60):
        if miss(low) <= 0.0:
            break
        low -= high - low
    for _ in range(60):
        if miss(high) >= 0.0:
            break
        high += high - low
    return low, high
