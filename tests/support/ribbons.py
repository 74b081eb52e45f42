"""Models of ribbons: flat belts on cylinders, cones and crowned pulleys."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import windlass as wl
from windlass import connectors as con
from windlass.connectors.drives.pulleys import find_spans
from windlass.elements import Ground, RigidBody3D, Sheave, cable_along, nodes_of, route_over_sheaves

RADIUS, WIDTH, HALF, TENSION = 0.1, 0.04, 0.0005, 200.0
"""Radius of the pulley [m], width and half of the thickness of the ribbon [m], and tension [N]."""
STIFFNESS = 1e7
"""Stiffnesses of contact and bristles per length [N/m^2]."""
RIBBON: dict[str, Any] = {
    "axial_stiffness": 1e5, "bending_stiffness": (0.005, 0.5), "torsional_stiffness": 0.05,
    "mass_per_length": 0.05, "rotary_inertia": 0.05 * WIDTH**2 / 12.0,
}  # fmt: skip
"""Columns of the ribbon. The bending stiffness about d_1, the axis of the pulley, is small; the bending stiffness in
the plane of the ribbon is large.
"""


class OnPulley(NamedTuple):
    """A ribbon on a pulley whose axis is z. The ribbon arrives along x at the top of the pulley, and leaves the pulley
    downwards after a quarter of a turn. ``body`` is the pulley.
    """

    world: wl.World
    ribbon: wl.Entity
    nodes: wl.Entity
    body: wl.Entity
    contacts: wl.Entity


def create_on_pulley(
    before: float, angle: float = 0.0, vertices: Any = None, rounding: float = 0.0, elements: int = 60,
    after: float = 0.1, **contact: Any,
) -> OnPulley:  # fmt: skip
    """Create the ribbon. The tension acts at both ends. The rotation angle [rad] of the pulley is equal to the time.

    Args:
        before, after: lengths of the spans [m].
        angle: angle between the arriving ribbon and the plane of the pulley [rad]; its first node moves along x.
        vertices, rounding: profile of the pulley, see `ProfileSurface`; if None, the pulley is a cylinder.
    """
    world, axis = wl.World(), (0.0, 0.0, 1.0)
    radius = RADIUS + HALF - TENSION / (RADIUS * STIFFNESS)
    route = route_over_sheaves(
        [Sheave((0, 0, 0), axis, radius, "right")], start=(-before, radius, 0.0), end=(radius, -after, 0.0)
    )
    ribbon = cable_along(
        world, route, elements, normal=axis, turned_from=axis, reference_strain=-TENSION / 1e5, **RIBBON
    )
    nodes = nodes_of(world, ribbon)
    last = len(nodes) - 1
    body = world.add(RigidBody3D, position=(0.0, 0.0, 0.0), mass=1.0, inertia=1.0)
    bearing = con.rigid_marker(world, world.add(Ground)), con.rigid_marker(world, body)
    world.add(
        con.GenericJoint, marker0=bearing[0], marker1=bearing[1], translations=(True,) * 3,
        rotations=(True, True, False),
    )  # fmt: skip
    world.add(con.CoordinateConstraint, marker1=con.rotation_marker(world, body, "z"), offset_function=lambda t: -t)
    if vertices is None:
        surface = world.add(con.DrumSurface, marker=bearing[1], axis=axis, radius=RADIUS)
    else:
        surface = world.add(con.ProfileSurface, marker=bearing[1], axis=axis, vertices=vertices, rounding=(rounding,))
    columns: dict[str, Any] = {
        "points": 2, "lines": 2, "contact_stiffness_per_length": STIFFNESS, "friction_stiffness_per_length": STIFFNESS,
        "friction_coefficient": 0.8, **contact,
    }  # fmt: skip
    contacts = con.add_surface_contact(world, surface, ribbon, rope_radius=HALF, width=WIDTH, **columns)
    pulls = ((nodes[0], (-TENSION, 0.0, 0.0)), (nodes[last], (0.0, -TENSION, 0.0)))
    for node, force in pulls:
        world.add(con.Force, marker=con.position_marker(world, node), vector=force)
    con.fix(world, nodes[0], "y")
    # the lateral position of the first node determines the angle of the arriving ribbon
    con.prescribe(world, nodes[0], "z", lambda t: -before * np.tan(angle) * min(10.0 * t, 1.0))
    con.fix(world, nodes[last], "x")
    return OnPulley(world, ribbon, nodes, body, contacts)


def run_over_pulley(model: OnPulley, turn: float, steps: int) -> tuple[Any, Any, Any, Any]:
    """Turn the pulley by an angle [rad] in equal steps. Return the travel of the ribbon [m], the lateral position [m]
    and the slope [1] at the top of the pulley, and the lateral position after a quarter of a turn [m], shape (steps +
    1,) each.
    """
    state, found = wl.State(model.world), []
    for i in range(steps + 1):
        solver = wl.Static(model.world, name="", passes=wl.Passes(max_it=40), stability="off")
        solver.time = turn * i / steps
        state = solver.solve(state)
        assert solver.verdict.word == "ok", str(solver.verdict.reasons)
        found.append(read_track(model, state))
    place, slope, leave = np.array(found).T
    return np.linspace(0.0, turn, steps + 1) * RADIUS, place, slope, leave


def read_track(model: OnPulley, state: Any) -> tuple[float, float, float]:
    """Return the lateral position [m] and the slope [1] of the ribbon at x = 0, and the lateral position [m] at y =
    0.
    """
    places = np.tile(np.linspace(0.0, float(model.ribbon.length[0]), 9)[:-1], (len(model.ribbon), 1))
    line, along = (
        wl.eval_output(model.ribbon, name, state, x=places).reshape(-1, 3) for name in ("position", "director")
    )
    above, beside = line[:, 1] > 0.5 * RADIUS, line[:, 0] > 0.5 * RADIUS
    slope = along[above, 2] / np.linalg.norm(along[above], axis=1)
    return (
        float(np.interp(0.0, line[above, 0], line[above, 2])),
        float(np.interp(0.0, line[above, 0], slope)),
        float(np.interp(0.0, -line[beside, 1], line[beside, 2])),
    )


def steer(before: float, travel: Any, angle: float = 0.0, cone: Any = None, ramp: float = 0.1 * RADIUS) -> Any:
    """Return the lateral position [m] at the entry by the theory of webs on rollers, shape (n,), for the travel [m] of
    `run_over_pulley`.

    Material that sticks to the pulley does not move sideways. With the lateral position z, the slope θ and the
    curvature κ of the span at the entry, z' = -θ and θ' = κ_c - κ, where κ_c is the curvature in the plane of the
    ribbon of a circle on the cone. The span is a beam under tension with a hinge at the other end.

    Args:
        cone: function of z that returns κ_c [1/m].
        ramp: travel in which the first node moves to its lateral position [m].

    Source: J. J. Shelton, K. N. Reid, Lateral dynamics of a real moving web, J. Dyn. Syst. Meas. Control 93 (1971).
    """
    from scipy.integrate import solve_ivp

    K = np.sqrt(TENSION / RIBBON["bending_stiffness"][1])

    def rates(s: float, u: Any) -> Any:
        (z, slope), L = u, before - s
        end = -before * np.tan(angle) * min(s / ramp, 1.0)
        sh, ch = np.sinh(K * L), np.cosh(K * L)
        B = (slope - (z - end) / L) / (K * ch - sh / L)
        return -slope, (0.0 if cone is None else cone(z)) - B * K**2 * sh

    return solve_ivp(rates, (0.0, travel[-1]), (0.0, 0.0), t_eval=travel, rtol=1e-9, atol=1e-12).y[0]


class Twisted(NamedTuple):
    """A ribbon that covers half a turn of a cylinder about z. Both ends are turned about the axis of the ribbon."""

    world: wl.World
    drum: wl.Entity
    ribbon: wl.Entity
    contacts: wl.Entity
    state: Any


def lay_twisted(angle: float, span: float, elements: int = 100) -> Twisted:
    """Create the ribbon on the cylinder, and rotate the ends of the ribbon by the angle [rad]. The argument ``span`` is
    the length [m] of both spans.
    """
    world, axis, radius = wl.World(), (0.0, 0.0, 1.0), RADIUS + HALF - TENSION / (RADIUS * STIFFNESS)
    route = route_over_sheaves(
        [Sheave((0, 0, 0), axis, radius, "right")], start=(-radius, -span, 0.0), end=(radius, -span, 0.0)
    )
    ribbon = cable_along(
        world, route, elements, normal=axis, turned_from=axis, reference_strain=-TENSION / 1e5, **RIBBON
    )
    nodes = nodes_of(world, ribbon)
    drum = world.add(con.DrumSurface, marker=con.rigid_marker(world, world.add(Ground)), axis=axis, radius=RADIUS)
    contacts = con.add_surface_contact(
        world, drum, ribbon, points=2, rope_radius=HALF, width=WIDTH, contact_stiffness_per_length=STIFFNESS
    )
    for k, sign in ((0, 1.0), (elements, -1.0)):
        world.add(con.Force, marker=con.position_marker(world, nodes[k]), vector=(0.0, -TENSION, 0.0))
        con.fix(world, nodes[k], "x", "z", "x'", "z'")
        con.prescribe(world, nodes[k], "twist", lambda t, sign=sign: sign * angle * t)
    con.fix(world, nodes[0], "y")
    solver, state = wl.Static(world, name="", passes=wl.Passes(max_it=40)), wl.State(world)
    for time in (0.0, 0.25, 0.5, 0.75, 1.0):
        solver.time = time
        state = solver.solve(state)
    assert solver.verdict.word == "ok", str(solver.verdict.reasons)
    return Twisted(world, drum, ribbon, contacts, state)


def find_walk(angle: float, span: float, radius: float, tension: float = TENSION, stiffness: float = 0.5) -> float:
    """Return the lateral displacement of a belt around two equal pulleys, divided by the travel of the belt [1]. The
    axis of one pulley is rotated by the angle [rad] in the plane of both axes.

    Material that sticks to a pulley does not move sideways. In the steady state, the slope of the belt on a pulley
    relative to the plane of the pulley is therefore -u, where u is the result. The bending moment in the plane of the
    belt is zero at the entry. With the slopes θ0 at the exit and θe at the entry of a span of the length L, and the
    curvature factor K_c, the span therefore shifts the belt by L (θ0 + K_c (θe - θ0)).

    The slopes are (-u, γ-u) and (-γ-u, -u) in both spans, and each pulley shifts the belt by -π R u. The sum of all
    shifts is zero: u = γ (2 K_c - 1) L/(2 (L + π R)).

    Source of the shift of a span: J. J. Shelton, Lateral dynamics of a moving web, thesis, Oklahoma State University
    (1968).
    """
    factor = eval_curvature_factor(np.sqrt(tension / stiffness) * span)
    return float(angle * (2.0 * factor - 1.0) * span / (2.0 * (span + np.pi * radius)))


def eval_curvature_factor(k: float) -> float:
    """Return the curvature factor K_c = (k cosh k - sinh k)/(k (cosh k - 1)) of a web for k = L sqrt(T/EI).

    If the slope of a web is θ at the end of a span of the length L and 0 at its start, and the bending moment at the
    end is 0, the span shifts the web by K_c L θ. K_c is 2/3 without tension and 1 without bending stiffness.

    Source: J. J. Shelton, Lateral dynamics of a moving web, thesis, Oklahoma State University (1968).
    """
    return float((k * np.cosh(k) - np.sinh(k)) / (k * (np.cosh(k) - 1.0)))


def run_web(
    angle: float, span: float, stiffness: float, width: float, travel: float, step: float = 0.05,
    element: float = 0.025,
) -> Any:  # fmt: skip
    """Run an open web over two rollers with a quarter of a turn each. The axis of the second roller is turned about y
    by the angle [rad] in the first radian. Return the travel [m], and the lateral position of the web behind the first
    and in front of the second roller [m], shape (steps + 1, 3).

    Args:
        span: length of the span between the rollers [m].
        stiffness: bending stiffness in the plane of the web [N m^2].
        width: width of the web [m].
        travel: travel at the end [m].
        step: rotation of the rollers in a step [rad].
        element: largest length of the elements [m].
    """
    world, axis, cord = wl.World(), (0.0, 0.0, 1.0), RADIUS + HALF - TENSION / (RADIUS * STIFFNESS)
    centres = ((0.0, 0.0, 0.0), (span, 0.0, 0.0))
    route = route_over_sheaves(
        [Sheave(centre, axis, cord, "right") for centre in centres], start=(-cord, -travel - RADIUS, 0.0),
        end=(span + cord, -RADIUS, 0.0),
    )  # fmt: skip
    columns = {**RIBBON, "bending_stiffness": (0.005, stiffness), "rotary_inertia": 0.05 * width**2 / 12.0}
    web = cable_along(
        world, route, int(np.ceil(route.length / element)), normal=axis, turned_from=axis,
        reference_strain=-TENSION / 1e5, **columns,
    )  # fmt: skip
    nodes = nodes_of(world, web)
    for centre, tilt in zip(centres, (0.0, angle), strict=True):
        body = world.add(RigidBody3D, position=centre, mass=1.0, inertia=1.0)
        marker = con.rigid_marker(world, body)
        world.add(
            con.GenericJoint, marker0=con.rigid_marker(world, world.add(Ground, position=centre)), marker1=marker,
            offset_function=lambda t, tilt=tilt: (0.0, 0.0, 0.0, 0.0, tilt * min(t, 1.0), -t),
        )  # fmt: skip
        con.add_surface_contact(
            world, world.add(con.DrumSurface, marker=marker, axis=axis, radius=RADIUS), web, points=2,
            rope_radius=HALF, width=width, contact_stiffness_per_length=STIFFNESS,
            friction_stiffness_per_length=3.0 * STIFFNESS, friction_coefficient=0.8,
        )  # fmt: skip
    for node in (nodes[0], nodes[len(nodes) - 1]):
        world.add(con.Force, marker=con.position_marker(world, node), vector=(0.0, -TENSION, 0.0))
        con.fix(world, node, "x")
    con.fix(world, nodes[0], "z", "x'", "z'")
    solver = wl.Static(world, passes=wl.Passes(max_it=40), stability="off", name="")
    state, found = wl.State(world), []
    for i in range(round(travel / (RADIUS * step)) + 1):
        solver.time = i * step
        state = solver.solve(state)
        assert solver.verdict.word == "ok", str(solver.verdict.reasons)
        place = wl.eval_output(nodes, "position", state)
        above = place[place[:, 1] > 0.5 * RADIUS]
        above = above[np.argsort(above[:, 0])]
        found.append((i * step * RADIUS, *np.interp((0.0, span), above[:, 0], above[:, 2])))
    return np.array(found)


def find_walk_on_bristles(
    angle: float, span: float, radius: float, bristles: float, width: float, tension: float = TENSION,
    stiffness: float = 0.5,
) -> float:  # fmt: skip
    """Return the result of `find_walk` for a belt that sticks to bristles of the stiffness k per length.

    On a pulley, the belt is a beam with the lateral deflection η of the bristles from their anchors, which lie on a
    line with the slope -u. The bristles on the width b resist the rotation of the cross sections since the entry by
    c = k b²/12 per length. Therefore η is a sum of exp(± p s) and exp(± q s), with the roots of

        EI p⁴ - (T + c) p² + k = 0.

    At the entry η is 0. With the slope θ relative to the plane of the pulley, the second derivative of z is therefore
    -(θ + u) (p + q), and the third derivative (θ + u) (p² + p q + q²). At the exit of the pulley, η is B exp(p s) + C
    exp(q s) with s = 0. There the slope of z is the slope of η minus u, and the second derivatives of z and η are
    equal. The third derivative of z is the third derivative of η minus c/EI times the difference of the slopes at exit
    and entry. For bristles of infinite stiffness, these are the conditions of `find_walk`.

    Args:
        bristles: stiffness k [N/m^2] of the bristles.
        width: width b of the belt [m].
        tension, stiffness: tension T [N] and bending stiffness EI in the plane of the belt [N m^2].
    """
    K, c = np.sqrt(tension / stiffness), bristles * width**2 / 12.0
    p, q = np.sqrt(np.roots([stiffness, -(tension + c), bristles]))

    def derive(x: float) -> Any:
        """Return z and three derivatives in a span for 1, x, exp(-K x), exp(-K (span - x))."""
        a, b = np.exp(-K * x), np.exp(-K * (span - x))
        return np.array(
            [[1, x, a, b], [0, 1, -K * a, K * b], [0, 0, K**2 * a, K**2 * b], [0, 0, -(K**3) * a, K**3 * b]]
        )

    # unknowns: four coefficients for each of the two spans, B and C for each of the two pulleys, and u; the slopes of
    # the planes of the pulleys at the exits and entries are given
    left, right, exits, entries = derive(0.0), derive(span), (0.0, -angle), (angle, 0.0)
    equations, values = [np.eye(13)[0]], [0.0]
    powers = np.array([[1.0, 1.0], [p, q], [p**2, q**2], [p**3 - c / stiffness * p, q**3 - c / stiffness * q]])
    for j in range(2):
        own, last, out = slice(4 * j, 4 * j + 4), slice(4 - 4 * j, 8 - 4 * j), slice(8 + 2 * j, 10 + 2 * j)
        for order, factor in ((2, -(p + q)), (3, p * p + p * q + q * q)):
            line = np.zeros(13)
            line[own], line[12] = right[order] - factor * right[1], -factor
            equations.append(line)
            values.append(-factor * entries[j])
        for order in range(4):
            line = np.zeros(13)
            line[own], line[out] = left[order], -powers[order]
            if order == 0:
                line[last], line[12] = -right[0], np.pi * radius
            elif order == 1:
                line[12] = 1.0
            elif order == 3:
                line[last], line[12] = -c / stiffness * right[1], -c / stiffness
            equations.append(line)
            values.append((0.0, exits[j], 0.0, -c / stiffness * entries[1 - j])[order])
    return float(np.linalg.solve(np.array(equations), np.array(values))[12])


class Drive(NamedTuple):
    """A belt around two equal pulleys whose axes are parallel to z. The rotation angle of the pulleys [rad] is equal to
    the time, in opposite directions if the belt is crossed.
    """

    world: wl.World
    belt: wl.Belt

    def run(self, turns: float, step: float, offset: float = 0.0) -> tuple[Any, Any]:
        """Run the drive. Return the travel [m] and the mean lateral position of the belt [m], shape (steps + 1, 2), and
        the last state.

        Args:
            turns: travel, divided by the length of the belt [1].
            step: rotation of the pulleys in a step [rad].
            offset: lateral displacement of the belt at the start [m].
        """
        solver = wl.Static(self.world, passes=wl.Passes(max_it=40), stability="off", name="")
        state, found, radius = wl.State(self.world), [], self.belt.pulleys[0].radius
        state.q[state.local_dofs(self.belt.nodes)[:, 2]] += offset
        for i in range(round(turns * self.belt.route.length / (radius * step)) + 1):
            solver.time = i * step
            state = solver.solve(state)
            tension = np.mean(wl.eval_output(self.belt.cables, "axial_force", state, x=0.0))
            assert tension > 0.8 * TENSION, f"tension {tension:.4g} N after {i} steps"
            found.append((i * step * radius, wl.eval_output(self.belt.nodes, "position", state)[:, 2].mean()))
        return np.array(found), state


def create_drive(
    span: float, radius: float = RADIUS, angle: float = 0.0, width: float = WIDTH, stiffness: float = 0.5,
    friction: float = 0.8, elements: int = 60, is_crossed: bool = False, **pulley: Any,
) -> Drive:  # fmt: skip
    """Create the drive. The axis of the second pulley is turned about y by the angle [rad] in the first radian. The
    belt then moves to the side on which the distance between the axes is smaller, so its path becomes shorter. At 0.5°
    the tension decreases by 1 % in one circulation.

    Args:
        span, radius: distance of the axes and radius of the pulleys [m].
        width: width of the belt [m].
        stiffness: bending stiffness in the plane of the belt [N m^2].
        friction: friction coefficient.
        elements: number of elements of the belt.
        **pulley: further arguments of the pulleys.
    """
    world, pulleys = wl.World(), []
    for x, tilt in ((0.0, 0.0), (span, angle)):
        turns = -1.0 if x and is_crossed else 1.0
        body = world.add(RigidBody3D, position=(x, 0.0, 0.0), mass=1.0, inertia=1.0)
        ground = con.rigid_marker(world, world.add(Ground, position=(x, 0.0, 0.0)))
        world.add(
            con.GenericJoint, marker0=ground, marker1=con.rigid_marker(world, body),
            offset_function=lambda t, tilt=tilt, turns=turns: (0.0, 0.0, 0.0, 0.0, tilt * min(t, 1.0), turns * t),
        )  # fmt: skip
        pulleys.append(wl.Pulley(body, radius, "left" if turns > 0.0 else "right", axis=(0.0, 0.0, 1.0), **pulley))
    belt = wl.Belt(
        world, pulleys, tension=TENSION, width=width, cord_offset=HALF, elements=elements, points=2, friction=friction,
        turned_from=(0.0, 0.0, 1.0),
        contact={"contact_stiffness_per_length": STIFFNESS, "friction_stiffness_per_length": 3.0 * STIFFNESS},
        **{**RIBBON, "bending_stiffness": (0.005, stiffness), "rotary_inertia": 0.05 * width**2 / 12.0},
    )  # fmt: skip
    return Drive(world, belt)


class Crossed(NamedTuple):
    """A crossed belt whose strands touch each other, its contacts with itself, the distance of the axes of the taut
    strands at the crossing and their length [m], and the direction of travel of each strand, shape (2, 3).
    """

    world: wl.World
    belt: wl.Belt
    strands: wl.Entity
    distance: float
    length: float
    along: Any


def create_crossed(tilt: float, half: float, speed: float = 0.0, ramp: float = 1.0, **contact: Any) -> Crossed:
    """Create the belt around two pulleys whose axes are tilted by the angles ±tilt [rad] about the line of centres, so
    the strands pass each other at a distance. The pulleys reach the speed [m/s] of the belt at the time ``ramp`` [s].
    Bending is equally stiff in both directions.

    Args:
        half: half of the thickness of the belt [m], also the radius of its contact with itself.
        **contact: further arguments of `con.add_cable_contact`.
    """
    world, pulleys = wl.World(), []
    for x, side, angle in ((0.0, 1.0, tilt), (0.6, -1.0, -tilt)):
        turned = np.array([[1.0, 0.0, 0.0], [0.0, np.cos(angle), np.sin(angle)], [0.0, -np.sin(angle), np.cos(angle)]])
        body = world.add(RigidBody3D, position=(x, 0.0, 0.0), mass=1.0, inertia=1.0)
        ground = con.rigid_marker(world, world.add(Ground, position=(x, 0.0, 0.0)))

        def turn(t: float, side: float = side) -> Any:
            way = speed * (0.5 * t * t / ramp if t < ramp else t - 0.5 * ramp)
            return (0.0, 0.0, 0.0, 0.0, 0.0, side * way / RADIUS)

        world.add(
            con.GenericJoint, marker0=ground, marker1=con.rigid_marker(world, body), frame0=turned, frame1=turned,
            offset_function=turn,
        )  # fmt: skip
        pulleys.append(wl.Pulley(body, RADIUS, "left" if side > 0.0 else "right", axis=tuple(turned[:, 2])))
    belt = wl.Belt(
        world, pulleys, tension=TENSION, width=WIDTH, cord_offset=half, elements=120, points=2, friction=0.6,
        turned_from=(0.0, 0.0, 1.0),
        contact={"contact_stiffness_per_length": STIFFNESS, "friction_stiffness_per_length": STIFFNESS},
        **{**RIBBON, "bending_stiffness": 0.005},
    )  # fmt: skip
    points = int(np.ceil(belt.cables.length[0] / half))
    strands = con.add_cable_contact(world, belt.cables, radius=half, points=points, apart=0.1, **contact)
    ends = [belt.route.eval_points(np.array(span))[0] for span in find_spans(belt.route)]
    along = np.array([(b - a) / np.linalg.norm(b - a) for a, b in ends])
    normal = np.cross(*along)
    distance = abs(float((ends[0][0] - ends[1][0]) @ normal)) / float(np.linalg.norm(normal))
    return Crossed(world, belt, strands, distance, belt.span_lengths[0], along)


def find_centring(
    span: float, radius: float, crown: float, bristles: float, width: float = WIDTH, tension: float = TENSION,
    stiffness: float = 0.5,
) -> float:  # fmt: skip
    """Return the rate λ [1/m] at which a belt around two equal crowned pulleys approaches the middle. The lateral
    position of the belt decreases with the travel s by exp(-λ s).

    The curvature of the belt on a pulley is z'' + g z with g = 1/(ρ R), where R is the radius of the pulley and ρ the
    radius of the crown. At the distance x from the entry, material is on bristles that were fixed at the entry when the
    lateral position was larger by the factor exp(λ x). With the lateral position z_e and the slope θ_e at the entry,
    the bristles with the stiffness k per length, and c = k b²/12, the belt on a pulley fulfils

        EI (z'''' + 2 g z'' + g² z) - T (z'' + g z) + k (z - z_e exp(λ x)) - c (z'' - λ θ_e exp(λ x)) = 0.

    At entry and exit, position, slope, bending moment and lateral force are continuous. Both spans and both pulleys
    have the same state, so the conditions are eight homogeneous linear equations, and λ is the root of their
    determinant. For bristles of infinite stiffness, the conditions are θ_e = λ z_e and z'' = (g + λ²) z_e at the entry.

    Args:
        crown: radius ρ of the crown [m].
        bristles: stiffness k [N/m^2] of the bristles.
        width: width b of the belt [m].
        tension, stiffness: tension T [N] and bending stiffness EI in the plane of the belt [N m^2].
    """
    from scipy.optimize import brentq

    EI, K, arc, g = stiffness, np.sqrt(tension / stiffness), np.pi * radius, 1.0 / (crown * radius)
    c = bristles * width**2 / 12.0
    squares = np.roots([EI, 2.0 * g * EI - tension - c, EI * g**2 - tension * g + bristles]).astype(complex)
    p, q = np.sqrt(squares)

    def derive(exponents: Any, starts: Any, x: float) -> Any:
        """Return exp(a (x - x_0)) for all exponents a and starts x_0, and three derivatives, shape (4, n)."""
        a = np.asarray(exponents, complex)
        return a ** np.arange(4)[:, None] * np.exp(a * (x - np.asarray(starts)))

    def in_span(x: float) -> Any:
        """Return z and three derivatives in the span for each unknown, shape (4, 8)."""
        line = np.array([[1.0, x], [0.0, 1.0], [0.0, 0.0], [0.0, 0.0]])
        return np.hstack((line, derive((-K, K), (0.0, span), x), np.zeros((4, 4))))

    def balance(z: Any, curvature: float, held: Any) -> Any:
        """Return position, slope, moment and lateral force for each unknown, shape (4, 8)."""
        force = tension * z[1] - EI * (z[3] + curvature * z[1]) + c * held
        return np.array((z[0], z[1], EI * (z[2] + curvature * z[0]), force))

    entry = in_span(span)

    def evaluate(rate: float) -> float:
        u = rate**2
        load = bristles * entry[0] - c * rate * entry[1]
        share = load / (EI * (u + g) ** 2 - tension * (u + g) + bristles - c * u)

        def on_pulley(x: float) -> Any:
            own = np.hstack((np.zeros((4, 4)), derive((-p, -q, p, q), (0.0, 0.0, arc, arc), x)))
            return own + np.outer(rate ** np.arange(4) * np.exp(rate * x), share)

        first, last = on_pulley(0.0), on_pulley(arc)
        at_entry = balance(entry, 0.0, 0.0) - balance(first, g, first[1] - entry[1])
        at_exit = balance(last, g, last[1] - entry[1] * np.exp(rate * arc)) - balance(in_span(0.0), 0.0, 0.0)
        rows = np.vstack((at_entry, at_exit))
        rows /= np.abs(rows).max(axis=1)[:, None]
        value = np.linalg.det(rows / np.abs(rows).max(axis=0))
        # for complex p and q = conj(p), the determinant has the factor (p - q)², so it remains real
        return float(value.real)

    rates = np.linspace(0.005, 5.0, 1000)
    values = np.array([evaluate(rate) for rate in rates])
    i = int(np.argmax(np.sign(values[1:]) != np.sign(values[:-1])))
    return float(brentq(evaluate, rates[i], rates[i + 1]))


def find_linking_number(first: Any, second: Any) -> float:
    """Return the linking number [1] of two closed lines by Gauss' integral with the midpoint rule. The lines are given
    by points [m], shape (n, 3) each.
    """
    (a, da), (b, db) = (
        (0.5 * (line + np.roll(line, -1, axis=0)), np.roll(line, -1, axis=0) - line) for line in (first, second)
    )
    between = a[:, None] - b
    areas = (np.cross(da[:, None], db) * between).sum(axis=2)
    return float((areas / np.linalg.norm(between, axis=2) ** 3).sum() / (4.0 * np.pi))
