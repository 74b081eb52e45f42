"""Equilibrium of mooring lines: an extensible cable without bending stiffness that lies on the ground and rises to its
upper end.

Let s be the unstretched arc length, w the weight per unstretched length, and a the slope angle of the ground. The
coefficient of friction on the ground is mu. The line has been pulled over the ground towards its upper end. The line
leaves the ground at s = B, where its tension is T_B. Here ' denotes the derivative with respect to s. The tension T and
the position x along the ground are given by

    T' = w (sin a + mu cos a),    T >= 0,    x' = 1 + T/EA.

The part above the ground is a catenary that begins tangentially to the ground, with the horizontal force H = T_B cos a.
At a convex corner of the ground with the angle c, the tension increases by the factor exp(mu c). At a concave corner
the line is assumed to follow the ground. A real line leaves the ground over a length of about T c/w. The result is
nevertheless sufficiently accurate as the initial state of a solve.

On level ground, B is computed from the height of the upper end above the ground for a given force H. Then H is computed
from the condition that the upper end has the given horizontal distance from the anchor. This distance is an increasing
function of H. On sloping ground, a point of the ground and the slope angle at this point define one catenary from this
point to the upper end. The total length of the line increases with the distance of this point from the anchor.

Source: H. M. Irvine, Cable Structures, MIT Press (1981), section 2.4; with friction J. M. Jonkman, "Dynamics Modeling
and Loads Analysis of an Offshore Floating Wind Turbine", NREL/TP-500-41958 (2007), section 2.6.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, exp, log, sin, tan

import numpy as np
import numpy.typing as npt

from windlass.elements.routes.catenary import POINT, VERTICAL, FreeCatenary, bracket, eval_offset, fit_gravity
from windlass.elements.routes.routes import Point, RouteError, read_arc_lengths
from windlass.framework.arrays import FloatArray
from windlass.framework.checks.checks import checked, each, number, numbers


@dataclass(frozen=True)
class Bed:
    """A straight piece of the ground, and the part of the line that lies on this piece.

    Attributes:
        place: position [m] of the start of the piece, (x, y) or (x, y, z). The start is the end nearer to the anchor.
        along: unit vector along the piece, towards the upper end of the line.
        first, last: unstretched arc lengths [m] of the line at the start and end of the piece.
        tension: tension [N] of the line at ``last``.
        rise: derivative T' [N/m] of the tension with respect to the unstretched arc length.
    """

    place: FloatArray
    along: FloatArray
    first: float
    last: float
    tension: float
    rise: float

    def eval_tension(self, s: FloatArray) -> FloatArray:
        """Return the tension [N] at unstretched arc lengths s [m], both of shape (n,)."""
        return np.maximum(self.tension - self.rise * (self.last - s), 0.0)

    def eval_way(self, s: float, stiffness: float) -> float:
        """Return the distance [m] from the start of the piece to the point of the line at the unstretched arc length s
        [m]. The argument ``stiffness`` is EA [N].
        """
        pull = eval_pull(self.tension, self.rise, self.last - self.first)
        return s - self.first + (pull - eval_pull(self.tension, self.rise, self.last - s)) / stiffness


@dataclass(frozen=True)
class GroundedCatenary:
    """A mooring line in equilibrium. `hang_from_ground` creates it. The object can be used as an open route, on which
    the arc length s is the unstretched arc length of the line.

    Attributes:
        start: the anchor [m], (x, y) or (x, y, z).
        length: unstretched length [m].
        lying: unstretched length B [m] of the part on the ground.
        friction: coefficient of friction on the ground [1].
        hanging: the part of the line above the ground, from the touchdown point ``hanging.start`` to the end of the
            line.
        beds: straight pieces of the ground on which the line lies, in order from the anchor.
        closed: always False, because the route is open.
    """

    start: FloatArray
    length: float
    lying: float
    friction: float
    hanging: FreeCatenary
    beds: tuple[Bed, ...] = ()
    closed: bool = False

    @property
    def horizontal_force(self) -> float:
        """Return H [N], the horizontal component of the tension above the ground."""
        return self.hanging.horizontal_force

    def eval_tension(self, s: npt.ArrayLike) -> FloatArray:
        """Return the tension [N] at unstretched arc lengths s [m], both of shape (n,)."""
        at = np.atleast_1d(np.asarray(s, dtype=np.float64))
        tension = self.hanging.eval_tension(at - self.lying)
        for bed in reversed(self.beds):
            tension = np.where(at < bed.last, bed.eval_tension(at), tension)
        return np.asarray(tension)

    def eval_stretch(self, s: npt.ArrayLike) -> FloatArray:
        """Return the stretch |r'| [1], the ratio of stretched to unstretched length, at s [m], both of shape (n,)."""
        return 1.0 + self.eval_tension(s) / self.hanging.axial_stiffness

    def eval_points(self, s: npt.ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return position [m], shape (n, d), unit tangent [1], shape (n, d), and curvature [1/m], shape (n,). See
        `FreeCatenary`.

        Raises:
            RouteError: s lies outside of 0 to ``length``.
        """
        s, line = read_arc_lengths("GroundedCatenary", s, self.length), self.hanging
        position, tangent, curvature = line.eval_points(np.clip(s - self.lying, 0.0, line.length))
        for bed in reversed(self.beds):
            on = s < bed.last
            way = np.array([bed.eval_way(float(one), line.axial_stiffness) for one in s[on]])
            position[on], tangent[on], curvature[on] = bed.place + way[:, None] * bed.along, bed.along, 0.0
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
    ground=each(POINT, "points of the ground"),
)
def hang_from_ground(
    start: Point,
    end: Point,
    length: float,
    axial_stiffness: float,
    mass_per_length: float,
    friction: float = 0.0,
    gravity: Point = (0.0, -9.81),
    ground: Sequence[Point] = (),
) -> GroundedCatenary:
    """Find the equilibrium of a line from an anchor on the ground to an end above the ground. A part of the line lies
    on the ground.

    Args:
        start: the anchor [m], (x, y) or (x, y, z).
        end: the upper end [m].
        length: unstretched length [m].
        axial_stiffness: EA [N].
        mass_per_length: mass per unstretched length [kg/m]. For lines in water, subtract the mass of the displaced
            water.
        friction: coefficient of friction on the ground [1]. The line is assumed to have been pulled over the ground
            towards its end.
        gravity: acceleration [m/s^2], (x, y) or (x, y, z).
        ground: points [m] of the ground below the line, in order from the anchor (excluded). One point is sufficient
            for ground with a constant slope. Between the points, and beyond the last point, the ground is straight.
            Without points the ground is level. At a concave corner the line follows the ground. A taut line would leave
            the ground over a length of about T c/w, with the angle c [rad] of the corner, the tension T [N], and the
            weight w per length [N/m].

    Raises:
        RouteError: the points have different dimensions; gravity is 0; or the end is not above the ground, is directly
            above the anchor, is so near that the line is slack on the ground, or is so far away that no part of the
            line lies on the ground.
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
        raise RouteError(f"end = {end} m of a line on the ground: must be above start = {start} m, at a distance > 0")
    across /= x
    corners = find_corners(a, across, down, ground)
    try:
        beds, hanging = _lie(a, across, down, corners, x, height, length, axial_stiffness, w, friction)
    except RouteError:
        raise
    except (ValueError, ArithmeticError) as error:
        raise RouteError(
            f"no shape was found for a line on the ground with length = {length:g} m, axial_stiffness = "
            f"{axial_stiffness:g} N, mass_per_length = {mass_per_length:g} kg/m, friction = {friction:g}: must be "
            "values of a real line, in these units"
        ) from error
    return GroundedCatenary(a, length, length - hanging.length, friction, hanging, beds)


def eval_pull(tension: float, rise: float, way: float) -> float:
    """Return the integral ∫ T ds [N m] from s = 0 to ``way`` [m] with T = max(``tension`` - ``rise`` s, 0)."""
    on = min(way, tension / rise) if rise > 0.0 else way
    return on * (tension - 0.5 * rise * on)


def find_corners(start: FloatArray, across: FloatArray, down: FloatArray, ground: Sequence[Point]) -> FloatArray:
    """Return, for each of k points of the ground, the horizontal distance [m] from the anchor and the height [m] above
    the anchor, shape (k, 2).

    Raises:
        RouteError: the points are not in the vertical plane of the line, are not in order, or have another number of
            coordinates than the start.
    """
    ways = np.zeros((0, len(start)))
    if len(ground):
        if any(len(point) != len(start) for point in ground):
            raise RouteError(
                f"ground of a line that begins at {tuple(start.tolist())} m: each point must have {len(start)} "
                "coordinates, as the start"
            )
        ways = np.array(ground, dtype=np.float64) - start
    corners = np.column_stack((ways @ across, -(ways @ down)))
    beside = ways - corners[:, :1] * across + corners[:, 1:] * down
    distance = np.concatenate([[0.0], corners[:, 0]])
    far = np.abs(beside).max(initial=0.0) > 1e-6 * np.abs(ways).max(initial=1.0)
    if far or (np.diff(distance) <= 0.0).any():
        raise RouteError(
            f"ground = {[tuple(map(float, point)) for point in ground]} m: must lie in the vertical plane of the line, "
            "each point farther from the anchor than the previous point"
        )
    return corners


def _lie(
    start: FloatArray, across: FloatArray, down: FloatArray, corners: FloatArray, x: float, height: float, L: float,
    EA: float, w: float, friction: float,
) -> tuple[tuple[Bed, ...], FreeCatenary]:  # fmt: skip
    """Return the pieces of the ground below the line, and the hanging part of the line. The arguments ``x`` and
    ``height`` are the horizontal and the vertical distance [m] of the end from the anchor ``start``. The argument
    ``corners`` is the result of `find_corners`.
    """
    if not len(corners):
        H, B = _solve_level(x, height, L, EA, w, friction)
        bed = Bed(start, across, 0.0, B, H, friction * w)
        touchdown = start + bed.eval_way(B, EA) * across
        return (bed,), FreeCatenary(touchdown, across, down, L - B, EA, w, H, 0.0)
    profile = GroundProfile(np.vstack((np.zeros((1, 2)), corners)), np.array([x, height]), L, EA, w, friction)
    beds, place, slope, H, hanging = profile.solve()
    axes = np.array([across, -down])
    pieces = tuple(
        Bed(start + bed.place @ axes, bed.along @ axes, bed.first, bed.last, bed.tension, bed.rise) for bed in beds
    )
    return pieces, FreeCatenary(start + place @ axes, across, down, hanging, EA, w, H, -H * tan(slope))


class GroundProfile:
    """Ground with several slopes in the vertical plane of a line. Coordinates are the horizontal distance from the
    anchor [m] and the height above the anchor [m].

    Args:
        corners: the anchor and the corners of the ground, shape (k, 2). The ground is straight beyond the last corner.
        end: the end of the line, shape (2,).
        length: unstretched length [m] of the line.
        axial_stiffness: EA [N].
        weight: weight per unstretched length [N/m].
        friction: coefficient of friction [1].
    """

    def __init__(
        self,
        corners: FloatArray,
        end: FloatArray,
        length: float,
        axial_stiffness: float,
        weight: float,
        friction: float,
    ) -> None:
        ways = np.diff(corners, axis=0)
        self._angles = [float(angle) for angle in np.arctan2(ways[:, 1], ways[:, 0])]
        below = corners[:, 0] < end[0]
        self._count = min(int(below.sum()), len(ways))
        self._corners, self._end, self._length = corners[: self._count], end, length
        sizes = np.hypot(ways[:, 0], ways[:, 1])[: self._count].tolist()
        # the last piece of the ground is extended to the point below the end of the line
        sizes[-1] = float(end[0] - self._corners[-1, 0]) / cos(self._angles[self._count - 1])
        self._sizes: list[float] = sizes
        self._EA, self._weight, self._friction = axial_stiffness, weight, friction

    def find_place(self, u: float) -> tuple[int, float, FloatArray, float]:
        """Return data of the point at which the line leaves the ground, as a function of a parameter u >= 0. The data
        are the index of the piece of ground, the distance [m] along this piece, the coordinates [m] and the slope angle
        [rad].

        From u = 2 i to 2 i + 1 the distance along piece i increases. From u = 2 i + 1 to 2 i + 2 the slope angle
        changes at the end of piece i.
        """
        i, part = divmod(u, 2.0)
        k = min(int(i), self._count - 1)
        angle, way = self._angles[k], min(part, 1.0) * self._sizes[k]
        place = self._corners[k] + way * np.array([cos(angle), sin(angle)])
        if part > 1.0 and k + 1 < self._count:
            angle += (part - 1.0) * (self._angles[k + 1] - angle)
        return k, way, place, angle

    def hang(self, place: FloatArray, angle: float) -> tuple[float, float] | None:
        """Return H [N] and the unstretched length [m] of the catenary that leaves the ground at the given point with
        the given slope angle. Return None if this catenary does not exist.
        """
        from scipy.optimize import brentq  # imported here, because most models do not need SciPy

        x, z = map(float, self._end - place)
        slope, longest = tan(angle), 10.0 * self._length
        if x <= 0.0 or z <= slope * x:
            return None

        def eval_end(H: float, length: float) -> tuple[float, float]:
            return eval_offset(H, -H * slope, self._weight, length, self._EA, 1.0)

        def find_length(H: float) -> float:
            if eval_end(H, longest)[0] < x:
                return longest
            return float(brentq(lambda length: eval_end(H, length)[0] - x, 0.0, longest, xtol=1e-14 * longest))

        def miss(log_force: float) -> float:
            # the height of the end of the line above the end of the catenary, which increases with H
            H = exp(log_force)
            below: float = eval_end(H, find_length(H))[1]
            return z + below

        scale = self._weight * self._length
        low, high = bracket(miss, log(1e-9 * scale), log(self._EA + scale))
        H = exp(float(brentq(miss, low, high, xtol=1e-14, maxiter=500)))
        return H, find_length(H)

    def lie(self, k: int, way: float, angle: float, H: float) -> list[Bed]:
        """Return the pieces of ground below the line for the horizontal force H [N]. The pieces are in the order from
        the touchdown point back to the anchor. The touchdown point is given by values of `find_place`: piece ``k``,
        distance ``way`` and slope ``angle``. The arc lengths of the pieces are negative and are measured from the
        touchdown point.
        """
        from scipy.optimize import brentq  # imported here, because most models do not need SciPy

        tension, last, beds = H / cos(angle), 0.0, list[Bed]()
        for i in range(k, -1, -1):
            own, above = self._angles[i], angle if i == k else self._angles[i + 1]
            size = way if i == k else self._sizes[i]
            # friction at the convex corner at the end of the piece
            tension *= exp(-self._friction * max(own - above, 0.0))
            rise = self._weight * (sin(own) + self._friction * cos(own))

            def miss(s: float, T: float = tension, rise: float = rise, size: float = size) -> float:
                return s + eval_pull(T, rise, s) / self._EA - size

            s = float(brentq(miss, 0.0, size, xtol=1e-14 * self._length)) if size > 0.0 else 0.0
            beds.append(Bed(self._corners[i], np.array([cos(own), sin(own)]), last - s, last, tension, rise))
            tension, last = max(tension - rise * s, 0.0), last - s
        return beds

    def solve(self) -> tuple[list[Bed], FloatArray, float, float, float]:
        """Return the pieces of ground below the line in order from the anchor, the touchdown point [m], the slope angle
        [rad] at this point, the horizontal force H [N], and the unstretched length [m] of the hanging part.

        Raises:
            RouteError: the line does not touch the ground, is slack on the ground, or leaves the ground at no point.
        """
        from scipy.optimize import brentq  # imported here, because most models do not need SciPy

        def miss(u: float) -> float:
            k, way, place, angle = self.find_place(u)
            found = self.hang(place, angle)
            if found is None:
                return -self._length
            return found[1] - self.lie(k, way, angle, found[0])[-1].first - self._length

        line = f"a line of {self._length:g} m on the ground whose end is {self._end[0]:g} m away"
        last = 2.0 * (self._count - 1) + 1.0 - 1e-9
        if miss(0.0) >= 0.0:
            raise RouteError(
                f"{line} does not touch the ground: must be longer, or end nearer; use `hang_between` for lines "
                "without ground"
            )
        if miss(last) <= 0.0:
            raise RouteError(f"{line} is slack on the ground and has no unique shape: must be shorter, or end farther")
        u = float(brentq(miss, 0.0, last, xtol=1e-14, maxiter=500))
        k, way, place, angle = self.find_place(u)
        found = self.hang(place, angle)
        if found is None or abs(miss(u)) > 1e-6 * self._length:
            raise RouteError(
                f"{line} has no point at which it leaves the ground: the ground must lie below the end of the line and "
                "must be less curved"
            )
        beds = self.lie(k, way, angle, found[0])
        lying = -beds[-1].first
        moved = [Bed(b.place, b.along, b.first + lying, b.last + lying, b.tension, b.rise) for b in reversed(beds)]
        return moved, place, angle, found[0], self._length - lying


def _solve_level(x: float, height: float, L: float, EA: float, w: float, friction: float) -> tuple[float, float]:
    """For a line on level ground, return H [N] and the unstretched length [m] of the part on the ground. The end of the
    line has the horizontal distance x > 0 [m] from the anchor and the height ``height`` > 0 [m].
    """
    from scipy.optimize import brentq  # imported here, because most models do not need SciPy

    def find_hanging(H: float) -> float:
        def miss(s: float) -> float:
            return -eval_offset(H, 0.0, w, s, EA, 1.0)[1] - height

        return float(brentq(miss, 0.0, L, xtol=1e-15 * L, rtol=1e-15)) if miss(L) > 0.0 else L

    def miss_reach(log_force: float) -> float:
        H = exp(log_force)
        s = find_hanging(H)
        ground = L - s + eval_pull(H, friction * w, L - s) / EA
        return ground + eval_offset(H, 0.0, w, s, EA, 1.0)[0] - x

    words = f"a line of {L:g} m on the ground whose end is {x:g} m away and {height:g} m above"
    least = log(1e-9 * w * height)
    if miss_reach(least) > 0.0:
        raise RouteError(f"{words} is slack on the ground and has no unique shape: must be shorter, or end farther")
    low, high = bracket(miss_reach, least, log(EA * (1.0 + x / L) + w * L))
    H = exp(float(brentq(miss_reach, low, high, xtol=1e-15, rtol=1e-15, maxiter=500)))
    s = find_hanging(H)
    if s >= L:
        raise RouteError(
            f"{words} does not touch the ground: must be longer, or end nearer; use `hang_between` for lines without "
            "ground"
        )
    return H, L - s
