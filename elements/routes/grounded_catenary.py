"""Mooring lines at rest: an extensible cable without bending stiffness that lies on level ground and rises to its end.

With the unstretched arc length s, the weight w per unstretched length, the horizontal force H where the line leaves the
ground at s = B, and the friction coefficient mu of ground that the line has been drawn over,

    T(s) = max(0, H - mu w (B - s))  on the ground,      T(s) = √(H² + w² (s - B)²)  above it,
    x(B) = B + ∫ T/EA ds from 0 to B,

and above the ground the line is the catenary that begins with the vertical force 0.  B follows from the height of the
end, H from its distance: the reach of the line grows with H.

Source: H. M. Irvine, Cable Structures, MIT Press (1981), section 2.4; with friction J. M. Jonkman, Dynamics Modeling
and Loads Analysis of an Offshore Floating Wind Turbine, NREL/TP-500-41958 (2007), section 2.6.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log

import numpy as np
import numpy.typing as npt

from windlass.elements.routes.catenary import POINT, VERTICAL, Catenary, bracket, eval_offset, fit_gravity
from windlass.elements.routes.routes import Point, RouteError, read_arc_lengths
from windlass.framework.arrays import FloatArray
from windlass.framework.checks.checks import checked, number, numbers


@dataclass(frozen=True)
class GroundedCatenary:
    """A mooring line at rest; made by `hang_from_ground`.  It serves as an open route: s is the unstretched arc length.

    Attributes:
        start: the anchor [m], (x, y) or (x, y, z).
        length: unstretched length [m].
        lying: unstretched length B on the ground [m].
        friction: coefficient of friction on the ground [1].
        hanging: the part above the ground, from the touchdown point ``hanging.start`` on.
    """

    start: FloatArray
    length: float
    lying: float
    friction: float
    hanging: Catenary
    closed: bool = False

    @property
    def horizontal_force(self) -> float:
        """H, the tension at the touchdown point [N]."""
        return self.hanging.horizontal_force

    def eval_tension(self, s: npt.ArrayLike) -> FloatArray:
        """Tension [N] at unstretched arc lengths s [m], both of shape (n,)."""
        above = np.atleast_1d(np.asarray(s, dtype=np.float64)) - self.lying
        ground = np.maximum(self.horizontal_force + self.friction * self.hanging.weight * above, 0.0)
        tension: FloatArray = np.where(above < 0.0, ground, self.hanging.eval_tension(above))
        return tension

    def eval_stretch(self, s: npt.ArrayLike) -> FloatArray:
        """Length of the slope r' [1], stretched by unstretched length, at s [m], both of shape (n,)."""
        return 1.0 + self.eval_tension(s) / self.hanging.axial_stiffness

    def eval_points(self, s: npt.ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Position [m], shape (n, d), unit tangent [1], shape (n, d), and curvature [1/m], (n,); see `Catenary`.

        Raises:
            RouteError: s lies outside of 0 to ``length``.
        """
        s, line = read_arc_lengths("GroundedCatenary", s, self.length), self.hanging
        position, tangent, curvature = line.eval_points(np.clip(s - self.lying, 0.0, line.length))
        on = s < self.lying
        x = [_eval_reach(float(one), self.lying, self.horizontal_force, self.friction * line.weight) for one in s[on]]
        position[on] = self.start + (s[on] + np.array(x) / line.axial_stiffness)[:, None] * line.across
        curvature[on] = 0.0
        return position, tangent, curvature


@checked(
    RouteError,
    "a line on the ground",
    start=POINT,
    end=POINT,
    length=number("m", above=0.0),
    axial_stiffness=number("N", above=0.0),
    mass_per_length=number("kg/m", above=0.0),
    friction=number("1", minimum=0.0),
    gravity=numbers("m/s^2", (2,), (3,)),
)
def hang_from_ground(
    start: Point,
    end: Point,
    length: float,
    axial_stiffness: float,
    mass_per_length: float,
    friction: float = 0.0,
    gravity: Point = (0.0, -9.81),
) -> GroundedCatenary:
    """The line from an anchor on level ground to an end above it, part of which lies on the ground.

    Args:
        start: the anchor [m], (x, y) or (x, y, z); the ground goes through it at right angles to gravity.
        end: the upper end [m].
        length: unstretched length [m].
        axial_stiffness: EA [N].
        mass_per_length: mass per unstretched length [kg/m]; in water less that of the displaced water.
        friction: coefficient of friction on ground that the line has been drawn over towards its end [1].
        gravity: acceleration [m/s^2], (x, y) or (x, y, z).

    Raises:
        RouteError: an end that is not above the ground or not beside the anchor, or too near, so that the line is slack
            on the ground, or so far that nothing of it lies there.
    """
    if not len(start) == len(end):
        raise RouteError(
            f"start = {start} m and end = {end} m of a line on the ground: must both be (x, y) or (x, y, z)"
        )
    a, chord = np.array(start, dtype=np.float64), np.subtract(end, start, dtype=np.float64)
    g = fit_gravity(gravity, len(a))
    if not g.any():
        raise RouteError(f"gravity = {gravity} m/s^2 of a line on the ground: must have a size > 0")
    w, down = mass_per_length * float(np.linalg.norm(g)), g / np.linalg.norm(g)
    height = -float(chord @ down)
    across = chord + height * down
    x = float(np.linalg.norm(across))
    if height <= 0.0 or x <= VERTICAL * length:
        raise RouteError(f"end = {end} m of a line on the ground: must be above start = {start} m, and beside it")
    try:
        H, B = _solve(x, height, length, axial_stiffness, w, friction)
    except RouteError:
        raise
    except (ValueError, ArithmeticError) as error:
        raise RouteError(
            f"no shape was found of a line on the ground with length = {length:g} m, axial_stiffness = "
            f"{axial_stiffness:g} N, mass_per_length = {mass_per_length:g} kg/m, friction = {friction:g}: must have "
            "sizes and units as of real lines"
        ) from error
    across /= x
    touchdown = a + (B + _eval_reach(B, B, H, friction * w) / axial_stiffness) * across
    return GroundedCatenary(
        a, length, B, friction, Catenary(touchdown, across, down, length - B, axial_stiffness, w, H, 0.0)
    )


def _eval_reach(s: float, lying: float, H: float, drop: float) -> float:
    """∫ T ds from 0 to s <= lying on the ground [N m]; the tension drops by ``drop`` [N/m] from H [N] at ``lying``."""
    loose = max(0.0, lying - H / drop) if drop > 0.0 else 0.0
    on = max(0.0, s - loose)
    return on * (max(0.0, H - drop * (lying - loose)) + 0.5 * drop * on)


def _solve(x: float, height: float, L: float, EA: float, w: float, friction: float) -> tuple[float, float]:
    """H [N] and the length on the ground [m] of a line whose end is x > 0 away and ``height`` > 0 above [m]."""
    from scipy.optimize import brentq  # here, because most models do not need it

    def find_hanging(H: float) -> float:
        def miss(s: float) -> float:
            return -eval_offset(H, 0.0, w, s, EA, 1.0)[1] - height

        return float(brentq(miss, 0.0, L, xtol=1e-15 * L, rtol=1e-15)) if miss(L) > 0.0 else L

    def miss_reach(log_force: float) -> float:
        H = exp(log_force)
        s = find_hanging(H)
        ground = L - s + _eval_reach(L - s, L - s, H, friction * w) / EA
        return ground + eval_offset(H, 0.0, w, s, EA, 1.0)[0] - x

    words = f"a line of {L:g} m on the ground whose end is {x:g} m away and {height:g} m above"
    least = log(1e-9 * w * height)
    if miss_reach(least) > 0.0:
        raise RouteError(f"{words} is slack on the ground and has no shape of its own: must be shorter, or end farther")
    low, high = bracket(miss_reach, least, log(EA * (1.0 + x / L) + w * L))
    H = exp(float(brentq(miss_reach, low, high, xtol=1e-15, rtol=1e-15, maxiter=500)))
    s = find_hanging(H)
    if s >= L:
        raise RouteError(f"{words} hangs free of it: must be longer, or end nearer; `hang_between` hangs free lines")
    return H, L - s
