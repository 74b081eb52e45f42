"""A 3D rope slips along a helix on a drum. Friction multiplies the tension of the rope by exp(mu theta cos(lambda)).

The command ``windlass run examples/helix_capstan.py`` runs the example. The option ``-help`` lists all options, and
``-table false`` omits the table.

The rope arrives along a straight line, winds around a fixed drum by the angle theta at a lead angle lambda, and leaves
the drum along a second straight line. A force T0 holds the first end of the rope. The last end is pulled along its
strand, in a sequence of equilibria. A helix is a geodesic of the cylinder with the curvature cos(lambda)²/R, and has
the length theta R/cos(lambda). Therefore the pull is T0 exp(mu theta cos(lambda)) if the whole contact slips and
friction acts only along the rope. ``-groove`` selects a V-groove with the half angle beta and lead 0. The normal force
of each of the two flanks is the force of a drum times 1/(2 sin(beta)), so mu/sin(beta) replaces mu. A point that
touches the drum sticks in its first step. From the next step on, its friction force is at most mu |f_n|, with the
normal force f_n. Therefore steps in which a point closes are excluded from the means of the ratio of the pull to T0.
"""

from dataclasses import dataclass, replace
from math import ceil, cos, exp, pi, sin, tan

import numpy as np

import windlass as wl
from windlass import connectors as con
from windlass.elements import Ground, cable_along, helix, nodes_of

RADIUS = 0.1  # radius [m] of the rope's axis on the drum
ROPE = 0.005  # radius [m] of the rope
ANGLE = 1.5 * pi  # wrap angle around the axis [rad]
TENSION = 100.0  # force T0 [N] on the first end
SPARE = 4  # number of elements of each strand in addition to the elements that are pulled over the drum
STEPS = 12  # smallest number of steps in which the rope is displaced by one element length
FINEST = 288  # smallest number of steps in which the rope is displaced by the length of the arc
FAR = 1e3  # largest displacement [m] in the tables of prescribed displacements; no run reaches it


@dataclass(frozen=True)
class Case:
    """Parameters of a run: lead angle [rad], elements on the drum, points per element, stiffness [N/m^2] of contact and
    of bristles, and further parameters that are explained in comments.
    """

    lead: float = 0.2
    elements: int = 48
    points: int = 4
    contact_stiffness: float = 5e7
    bristle_stiffness: float = 5e7
    axial_stiffness: float = 2e5  # axial stiffness [N]
    friction: float = 0.3
    groove: float = 0.0  # half angle [rad] of a V-groove; 0 selects a smooth drum
    travel: float = 1.5  # displacement [element lengths] of the pulled end; means are over the last element length

    @property
    def steps(self) -> int:
        """Number of steps in which the rope is displaced by one element length. With longer steps, iterates of Newton's
        method can lift the rope off the drum.
        """
        return max(STEPS, ceil(FINEST / self.elements))


def exact(case: Case) -> float:
    """Return the ratio [1] of the pull to T0 by the capstan equation on a helix, or in a groove."""
    wedge = sin(case.groove) if case.groove else 1.0
    return exp(case.friction / wedge * ANGLE * cos(case.lead))


@dataclass(frozen=True)
class Drawing:
    """Results of the pull. The values of each step are the ratio [1] of pull to T0, whether a point closed, and the
    numbers of Newton iterations and passes. ``report`` describes the contact after the last step. ``steps`` is the
    number of steps per element length, see `Case`.
    """

    ratio: np.ndarray
    closing: np.ndarray
    iterations: np.ndarray
    passes: np.ndarray
    report: con.SurfaceReport
    steps: int

    def mean(self) -> float:
        """Return the mean ratio of the pull to T0 over the displacement by the last element length, without steps in
        which a point closed.
        """
        last = slice(-self.steps, None)
        return float(self.ratio[last][~self.closing[last]].mean())


def draw(case: Case) -> Drawing | None:
    """Apply the load to the rope, then pull the rope over the drum. Return None if only help was requested."""
    world = wl.World()
    length = ANGLE * RADIUS / cos(case.lead) / case.elements
    spare = ceil(case.travel) + SPARE
    route = helix(
        (0.0, 0.0, 0.0), (0.0, 0.0, 1.0), RADIUS, ANGLE / (2.0 * pi), pitch=2.0 * pi * RADIUS * tan(case.lead),
        strands=spare * length,
    )  # fmt: skip
    rope = cable_along(
        world, route, case.elements + 2 * spare, name="rope",
        mass_per_length=1.0, axial_stiffness=case.axial_stiffness, bending_stiffness=1e-4,
    )  # fmt: skip
    nodes = nodes_of(world, rope)
    first, last = nodes[0], nodes[len(nodes) - 1]
    world.add(con.Force, marker=con.position_marker(world, first), vector=-TENSION * np.asarray(first.slope))

    # the displacement of the last node along its strand is equal to the time of the sequence of equilibria
    along = np.asarray(last.slope)
    drawn = [con.prescribe(world, last, "xyz"[d], con.table((0.0, FAR), (0.0, FAR * along[d]))) for d in range(3)]
    marker = con.rigid_marker(world, world.add(Ground, name="drum"))
    if case.groove:
        bottom, rim = RADIUS - ROPE / sin(case.groove), 1.3 * RADIUS
        drum = con.add_v_groove(world, marker, radius=bottom, half_angle=case.groove, outer_radius=rim)
    else:
        drum = world.add(con.DrumSurface, marker=marker, radius=RADIUS - ROPE)
    contacts = con.add_surface_contact(
        world, drum, rope, points=case.points, rope_radius=ROPE, contact_stiffness_per_length=case.contact_stiffness
    )
    settings = {"atol": 1e-6, "passes": wl.Passes(atol=1e-3, max_it=30), "name": ""}
    state = wl.Static(world, load_steps=5, **settings).solve()
    if wl.help_requested():
        return None

    # Friction acts, and each equilibrium starts from the previous equilibrium. Failed steps are not repeated with a
    # smaller load increment, because the load factor of a smaller increment would scale the force.
    world.set(contacts, friction_coefficient=case.friction, friction_stiffness_per_length=case.bristle_stiffness)
    solver = wl.Static(world, adaptive=False, **settings)
    ratio, closing, counts = [], [], []
    closed = wl.eval_output(contacts, "gap", state) <= 0.0
    for i in range(1, round(case.travel * case.steps) + 1):
        solver.time = i * length / case.steps
        state = solver.solve(state)
        pull = [-float(wl.eval_output(one, "force", state)) for one in drawn]
        ratio.append(float(along @ pull) / TENSION)
        now = wl.eval_output(contacts, "gap", state) <= 0.0
        closing.append(bool((now & ~closed).any()))
        closed = now
        counts.append((solver.statistics.newton_iterations, solver.statistics.discontinuous_iterations))
    iterations, passes = np.array(counts).T
    report = con.surface_report(world, state, contacts, drum)
    return Drawing(np.array(ratio), np.array(closing), iterations, passes, report, case.steps)


def tabulate(case: Case) -> dict[str, list[tuple[str, float]]]:
    """Tabulate the relative error of the mean ratio [1] for several elements, points, contact stiffnesses and bristle
    stiffnesses.
    """

    def error(**changes: float) -> float:
        changed = replace(case, **changes)
        drawing = draw(changed)
        assert drawing is not None
        return drawing.mean() / exact(changed) - 1.0

    # soft bristles have large deflections before the whole rope slips, so the rope is pulled further
    bristles = [(3e5, 6.0), (1e6, 4.0), (1e7, 1.5), (1e8, 1.5)]
    return {
        "elements": [(f"{n}", error(elements=n)) for n in (12, 24, 48, 96)],
        "points per element": [(f"{n}", error(points=n)) for n in (1, 2, 4, 8)],
        "contact stiffness [N/m^2]": [(f"{k:.0e}", error(contact_stiffness=k)) for k in (3e6, 1e7, 3e7, 1e8)],
        "bristle stiffness [N/m^2]": [(f"{k:.0e}", error(bristle_stiffness=k, travel=way)) for k, way in bristles],
    }


def main() -> None:
    """Pull the rope with the parameters of the options, and print the check and the table."""
    case = Case(
        lead=wl.option("lead", 0.2, "rad", "lead angle of the helix", minimum=0.0),
        elements=wl.option("elements", 48, "1", "elements on the drum", minimum=12),
        groove=wl.option("groove", 0.0, "rad", "half angle of a V-groove instead of the drum", minimum=0.0),
    )
    table = wl.option("table", True, "", "print the errors against elements, points and stiffnesses")
    drawing = draw(case)
    if drawing is None:
        return
    if table:
        for title, rows in tabulate(case).items():
            print(f"{title:<28}error of the tension ratio")
            print("\n".join(f"{name:<28}{100.0 * error:+.4f} %" for name, error in rows) + "\n")
    report, expected = drawing.report, exact(case)
    print(con.format_surface_reports([report]) + "\n")
    wl.write_summary(
        {"tension_ratio": drawing.mean(), "tension_ratio_exact": expected, "wrap_angle": report.wrap_angle}
    )
    rows = [("pull / T0 [1]", drawing.mean(), expected), ("angle of contact [rad]", report.wrap_angle, ANGLE)]
    rows.append(("fleet angle where the rope leaves [rad]", report.exit_fleet_angle, case.lead))
    print(wl.format_comparison(rows, "Euler"))
    # the wedge angle of a groove increases the contact depth
    limit = 0.01 if case.groove else 0.005
    good = abs(drawing.mean() / expected - 1.0) < limit
    print(f"tension ratio within {100.0 * limit:g} % of Euler's: {'yes' if good else 'NO'}")


if __name__ == "__main__":
    main()
