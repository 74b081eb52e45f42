"""Solve times per element and step of belts around 2, 20 and 200 pulleys with the same number of elements per pulley.

usage: pulleys.py [--pulleys N ...] [--per-pulley N] [--segments N] [--steps N] [--rounds N] [--pairs]

Pulleys are on a ring, and every second pulley is pressed into the belt from outside. All pulleys are driven. Contact is
added by `add_contact_with_many`, whose work grows with the number of near pairs and not with the number of all pairs.
With --pairs, `add_contact` with one row per pair is also timed, and the answers must be equal. The models run
alternately. The table shows process times of whole steps, and of one residual evaluation and one update of the contact
alone. Each time is the minimum of all rounds.
"""

import argparse
import sys
import time
from math import cos, pi, sin
from typing import Any, NamedTuple

import numpy as np

# lengths [m]: radius of the pulleys, distance along the ring, and height of the zigzag
RADIUS, SPACING, DEPTH = 0.1, 0.3, 0.15
STEP = 1e-4  # step size [s]
SPEED = 120.0  # speed [rad/s] of all pulleys after a ramp of length RAMP
RAMP = 5e-3  # duration [s] of the ramp


class Run(NamedTuple):
    """Result of one solve: process time [s], numbers of Newton iterations and steps, and positions and velocities at
    the end.

    contact: time [s] of one residual evaluation and one update of the contact.
    """

    seconds: float
    contact: float
    iterations: int
    steps: int
    q: Any
    v: Any


def build_belt(pulleys: int, per_pulley: int, segments: int, pairs: bool) -> tuple[Any, Any]:
    """Build the world and the contacts of one belt. If ``pairs`` is true, each pair of a pulley and an element has one
    row."""
    import windlass as wl
    from windlass import connectors as con
    from windlass.elements import RigidBody2D, cable_around

    world = wl.World()
    ring = max(SPACING * pulleys / (2.0 * pi), 0.3)
    inner = [i % 2 == 1 and pulleys > 2 for i in range(pulleys)]
    bodies = []
    for i in range(pulleys):
        distance, angle = ring - DEPTH * inner[i], 2.0 * pi * i / pulleys
        place = (distance * cos(angle), distance * sin(angle))
        bodies.append(world.add(RigidBody2D, position=place, mass=5.0, inertia=0.025))
    belt = cable_around(
        world, bodies, pulleys * per_pulley, radius=RADIUS, sides=["right" if out else "left" for out in inner],
        axial_stiffness=8000.0, bending_stiffness=0.01, mass_per_length=0.8, axial_damping=1.0, reference_strain=-0.02,
    )  # fmt: skip
    for body, inside in zip(bodies, inner, strict=True):
        con.fix(world, body, "x", "y")
        sense = -SPEED if inside else SPEED
        con.prescribe_velocity(world, body, "rotation", lambda t, sense=sense: sense * min(t / RAMP, 1.0))
    columns: dict[str, Any] = {
        "segments": segments,
        "circle_radius": RADIUS,
        "contact_stiffness_per_length": 8e7,
        "contact_damping_per_length": 6400.0,
        "friction_velocity_penalty_per_length": 1e3,
        "friction_stiffness_per_length": 1e7,
        "friction_coefficient": 0.5,
    }
    if pairs:
        return world, con.add_contact(world, con.ContactFrictionCirclePoints2D, bodies, belt, **columns)
    return world, con.add_contact_with_many(world, bodies, belt, **columns)


def time_contact(solver: Any) -> float:
    """Return the process time [s] of one residual evaluation of the contact and one update of its history values. The
    time is the minimum of five rounds.
    """
    from windlass.framework.assembly.post_newton import run_post_newton
    from windlass.framework.model.system import evaluate

    assembly, least = solver.problem.assembly, np.inf
    fields = assembly.fields
    s = evaluate(fields, f=np.zeros(len(fields.x)))
    (system,) = [system for system in assembly.systems if "Contact" in system.name]
    for _ in range(5):
        begin = time.process_time()
        for _ in range(20):
            system.residual(s)
            run_post_newton(system, fields)
        least = min(least, (time.process_time() - begin) / 20)
    return least


def run_belt(pulleys: int, per_pulley: int, segments: int, steps: int, pairs: bool) -> Run:
    """Solve one belt, and measure the times. The construction of the model and the steps of the ramp are not
    measured.
    """
    import windlass as wl

    world, _ = build_belt(pulleys, per_pulley, segments, pairs)
    state = wl.Dynamic(world, step=STEP, end=RAMP, name="").solve()
    solver = wl.Dynamic(world, step=STEP, end=RAMP + steps * STEP, name="")
    begin = time.process_time()
    state = solver.solve(state)
    seconds = time.process_time() - begin
    done = solver.statistics
    return Run(seconds, time_contact(solver), done.newton_iterations, steps, state.q.copy(), state.v.copy())


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pulleys", type=int, nargs="+", default=[2, 20, 200])
    parser.add_argument("--per-pulley", type=int, default=20, help="elements per pulley, default 20")
    parser.add_argument("--segments", type=int, default=2, help="contact points per element, default 2")
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--pairs", action="store_true", help="one row per pair beside it, up to 20 pulleys")
    given, petsc = parser.parse_known_args()
    sys.argv = [__file__, "-progress", "false", *petsc]
    cases = [(n, pairs) for n in given.pulleys for pairs in (False, True) if not pairs or (given.pairs and n <= 20)]
    best: dict[tuple[int, bool], Run] = {}
    for _ in range(given.rounds):
        for case in cases:
            done = run_belt(case[0], given.per_pulley, given.segments, given.steps, case[1])
            if case not in best or done.seconds < best[case].seconds:
                best[case] = done
    heads = ("pulleys", 8), ("elements", 10), ("rows", 8), ("ms/step", 10), ("iterations", 12), ("µs/element/step", 17)
    heads += ("ratio", 6), ("contact ns/element", 20), ("ratio", 6)
    print("".join(f"{word:>{width}}" for word, width in heads))
    first, first_contact = 0.0, 0.0
    for (n, pairs), done in best.items():
        elements = n * given.per_pulley
        each = 1e6 * done.seconds / done.steps / elements
        contact = 1e9 * done.contact / elements
        first, first_contact = first or each, first_contact or contact
        rows = elements * n if pairs else 2 * elements
        print(
            f"{n:8d} {elements:9d} {rows:7d} {1e3 * done.seconds / done.steps:9.3f} {done.iterations:11d} "
            f"{each:16.3f} {each / first:5.2f}{contact:20.1f} {contact / first_contact:5.2f}"
            f"{'  one row per pair' if pairs else ''}"
        )
        if pairs:
            other = best[n, False]
            q, v = (float(np.abs(a - b).max()) for a, b in ((done.q, other.q), (done.v, other.v)))
            print(f"         differences to one row per pair: {q:.1e} m, {v:.1e} m/s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
