"""A rope slips around a fixed post, where friction multiplies its tension by exp(mu theta), Euler's capstan equation.

The command ``windlass run examples/capstan.py`` runs the example. The option ``-help`` lists all options, and ``-table
false`` omits the table.

The rope comes up on the left of the post, runs over its top and down on the right, over half a turn. A weight T0 hangs
on the left end of the rope. The right end is pulled down so slowly that inertia and damping are negligible. The motion
is a sequence of equilibria. Each equilibrium starts from the history values (sticking positions) of the previous
equilibrium. When every part of the contact slips, the pull is T0 exp(mu pi) = 4.810477 T0 for mu = 0.5.

The model is close to Euler's ideal rope. The bending stiffness of the model is 1e-4 of T0 R^2, and the axial stiffness
is so large that the strain is 5e-4. Gravity is 0. Both ends are free to move sideways, so the strands are vertical and
the wrap angle is exactly pi. The table at the end shows the remaining errors. The error due to the division into
contact segments is of second order in the angle of a segment. The error due to the contact stiffness is of first order
in the depth of the rope in the post. Springs, which are called bristles, hold the sticking parts of the contact. The
bristle stiffness causes no error, unless a point of the rope that enters the post travels by more than the length of a
segment before it slips.

A segment sticks in the step in which it closes. The friction limit applies to its bristle only from the next step on.
Therefore steps in which a segment closes are excluded from the means of the ratio of pull to weight.
"""

from dataclasses import dataclass, replace
from math import exp, pi

import numpy as np

import windlass as wl
from windlass import connectors as con
from windlass.elements import Circle, Ground, cable_around, nodes_of

RADIUS = 0.1  # radius [m] of the rope's axis on the post
WEIGHT = 100.0  # weight T0 [N]
SPARE = 4  # number of elements of each strand in addition to the elements that are pulled over the post
STEPS = 20  # number of steps in which the rope is displaced by one element length


@dataclass(frozen=True)
class Case:
    """Parameters of a run: elements on the wrap, segments per element, stiffness [N/m^2] of contact and of bristles,
    friction coefficient mu, and displacement of the pulled end.
    """

    elements: int = 40
    segments: int = 2
    contact_stiffness: float = 1e9
    bristle_stiffness: float = 1e9
    friction: float = 0.5
    travel: int = 2  # displacement [element lengths] of the pulled end; results are means over the last element length


@dataclass(frozen=True)
class Drawing:
    """Results of the pull. The values of each step are the ratio [1] of pull to weight, whether a segment closed in the
    step, and the number of segments that stick. ``report`` describes the contact at the end.
    """

    ratio: np.ndarray
    closing: np.ndarray
    sticking: np.ndarray
    report: con.PulleyReport

    def mean(self) -> float:
        """Return the mean ratio of pull to weight over the displacement by the last element length, without steps in
        which a segment closed.
        """
        last = slice(-STEPS, None)
        return float(self.ratio[last][~self.closing[last]].mean())


def draw(case: Case) -> Drawing | None:
    """Apply the weight to the rope, then pull the rope over the post. Return None if only help was requested."""
    length = pi * RADIUS / case.elements
    spare = case.travel + SPARE
    strand = spare * length

    # Create the rope, the weight on the left end, and the pulled end. At the time t of the sequence of equilibria, the
    # displacement of the pulled end is -t.
    world = wl.World()
    rope = cable_around(
        world,
        circles=[Circle((0.0, 0.0), RADIUS, "right")],
        elements=case.elements + 2 * spare,
        closed=False,
        start=(-RADIUS, -strand),
        end=(RADIUS, -strand),
        name="rope",
        mass_per_length=1.0,
        axial_stiffness=1e6,
        bending_stiffness=1e-4,
    )
    ends = nodes_of(world, rope)
    world.add(con.Force, marker=con.position_marker(world, ends[0]), vector=(0.0, -WEIGHT, 0.0))
    drawn = con.prescribe(world, ends[len(ends) - 1], "y", lambda t: -t)
    post = world.add(Ground, name="post")
    contacts = con.add_contact(
        world,
        con.ContactFrictionCircleCable2D,
        circles=post,
        cables=rope,
        segments=case.segments,
        circle_radius=RADIUS,
        contact_stiffness_per_length=case.contact_stiffness,
    )

    settings = {"atol": 1e-6, "passes": wl.Passes(atol=1e-3, max_it=30), "name": ""}
    state = wl.Static(world, load_steps=5, **settings).solve()
    if wl.help_requested():
        return None

    # Friction acts, and each equilibrium starts from the previous equilibrium. Failed steps are not repeated with a
    # smaller load increment, because the load factor of a smaller increment would scale the weight.
    world.set(contacts, friction_coefficient=case.friction, friction_stiffness_per_length=case.bristle_stiffness)
    solver = wl.Static(world, adaptive=False, **settings)
    ratio, closing, sticking = [], [], []
    closed = wl.eval_output(contacts, "gap", state) <= 0.0
    for i in range(1, case.travel * STEPS + 1):
        solver.time = i * length / STEPS
        state = solver.solve(state)
        friction_state = wl.eval_output(contacts, "state", state)
        ratio.append(float(wl.eval_output(drawn, "force", state)) / WEIGHT)
        closing.append(bool(((friction_state != -2) & ~closed).any()))
        sticking.append(int((friction_state == 0).sum()))
        closed = friction_state != -2
    report = con.pulley_report(world, state, contacts, post)
    return Drawing(np.array(ratio), np.array(closing), np.array(sticking), report)


def tabulate(case: Case) -> dict[str, list[tuple[str, float]]]:
    """Tabulate the relative error of the mean ratio [1] for several segments, contact stiffnesses and bristle
    stiffnesses.
    """
    exact = exp(case.friction * pi)

    def error(**changes: float) -> float:
        drawing = draw(replace(case, **changes))
        assert drawing is not None
        return drawing.mean() / exact - 1.0

    meshes = [(20, 1), (20, 2), (40, 1), (40, 2), (80, 1), (80, 2), (160, 2)]
    # soft bristles have large deflections before the whole rope slips, so the rope is pulled further
    bristles = [(1e5, 8), (3e5, 5), (1e6, 3), (1e7, 2), (1e9, 2), (1e10, 2)]
    return {
        "elements x segments": [(f"{n} x {k}", error(elements=n, segments=k)) for n, k in meshes],
        "contact stiffness [N/m^2]": [(f"{k:.0e}", error(contact_stiffness=k)) for k in (3e6, 1e7, 3e7, 1e8, 1e9)],
        "bristle stiffness [N/m^2]": [(f"{k:.0e}", error(bristle_stiffness=k, travel=way)) for k, way in bristles],
    }


def main() -> None:
    """Pull the rope with the parameters of the options, and print the check and the table."""
    case = Case(
        elements=wl.option("elements", 40, "1", "elements on half a turn", minimum=10),
        segments=wl.option("segments", 2, "1", "contact segments per element", minimum=1),
        friction=wl.option("friction", 0.5, "1", "friction coefficient", minimum=0.0),
    )
    table = wl.option("table", True, "", "print the errors against segments and stiffnesses")
    drawing = draw(case)
    if drawing is None:
        return
    exact = exp(case.friction * pi)
    if table:
        for title, rows in tabulate(case).items():
            print(f"{title:<28}error of the tension ratio")
            print("\n".join(f"{name:<28}{100.0 * error:+.4f} %" for name, error in rows) + "\n")
    report = drawing.report
    results = {
        "tension_ratio": drawing.mean(),
        "tension_ratio_exact": exact,
        "wrap_angle": report.wrap_angle,
        "segments_in_contact": report.segments_in_contact,
        "segments_sticking": report.segments_sticking,
    }
    wl.write_summary(results)
    rows = [("pull / weight [1]", drawing.mean(), exact), ("angle of contact [rad]", report.wrap_angle, pi)]
    rows.append(("tension at the ends of the contact [1]", report.exit_tension / report.entry_tension, exact))
    print(wl.format_comparison(rows, "Euler"))
    good = abs(drawing.mean() / exact - 1.0) < 0.01
    print(f"tension ratio within 1 % of exp(mu pi): {'yes' if good else 'NO'}")


if __name__ == "__main__":
    main()
