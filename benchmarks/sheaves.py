"""Measurement of the time of the search for contacts and of the contact forces in a Newton iteration, for a 3D rope
over many sheaves. The times are not compared with another program.

usage: sheaves.py [CABLES] [--sheaves N] [--points N] [--steps N] [--rounds N] [--results FOLDER]

The default is 100000 cables over 100 sheaves, which turn freely and lie alternately on the left and on the right of the
rope. Contact with friction uses `add_surface_contact` with a search. The contact of the taut rope with the grooves
begins in the first steps. Only the later steps are timed, with a new Jacobian in each iteration. The table shows
process times per Newton iteration of the fastest round. The table shows the time of Newton's method together with the
updates of contact. The contact part of this time is the time of the residual, the tangent and the update, which
includes at least one search. The table also shows the time of one residual evaluation of the contact per closed point,
measured by repeated calls.
"""

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from report import RESULTS, align

LENGTH = 0.02  # length [m] of a cable
ROPE = 0.01  # radius [m] of the rope
TENSION, STIFFNESS = 500.0, 1e6  # tension and axial stiffness [N] of the rope
STEP, FIRST = 2e-4, 4  # step size [s], and number of steps before the clock starts

PARTS = {"residual": "residual", "tangent": "tangent", "post_newton": "update with search"}


def build(cables: int, sheaves: int, points: int) -> tuple[Any, Any]:
    """Build the world and its contacts, with a number of contact points per cable."""
    import windlass as wl
    from windlass import connectors as con
    from windlass.elements import RigidBody3D, Sheave, cable_along, nodes_of, route_over_sheaves

    # all lengths are nearly proportional to the radius, so the length of the rope for the radius 1 yields the radius
    # for which the rope has the given number of cables
    def draw(radius: float) -> Any:
        centers = [(2.4 * radius * i, 0.0, 0.0) for i in range(sheaves)]
        wheels = [
            Sheave(center, (0.0, 0.0, 1.0), radius, "left" if i % 2 else "right") for i, center in enumerate(centers)
        ]
        ends = {"start": (-2.4 * radius, 0.0, 0.0), "end": (2.4 * radius * sheaves, 0.0, 0.0)}
        return centers, route_over_sheaves(wheels, ROPE, **ends)

    radius = LENGTH * cables / draw(1.0)[1].length
    centers, route = draw(radius)
    world = wl.World(gravity=(0.0, -9.81, 0.0))
    rope = cable_along(
        world, route, cables, axial_stiffness=STIFFNESS, bending_stiffness=1.0, mass_per_length=1.0,
        axial_damping=10.0, reference_strain=-TENSION / STIFFNESS,
    )  # fmt: skip
    nodes = nodes_of(world, rope)
    con.hinge(world, nodes[np.array([0, -1])])
    bodies = world.add(
        RigidBody3D, position=centers, mass=100.0, inertia=[(5.0, 5.0, 10.0, 0.0, 0.0, 0.0)] * sheaves,
    )  # fmt: skip
    con.fix(world, bodies, "x", "y", "z")
    grooves = world.add(
        con.SheaveSurface, marker=con.rigid_marker(world, bodies), radius=radius, groove_radius=1.06 * ROPE,
        outer_radius=radius + 4.0 * ROPE,
    )  # fmt: skip
    contacts = con.add_surface_contact(
        world, grooves, rope, points=points, rope_radius=ROPE, tension=TENSION, radius=radius, friction_coefficient=0.2,
        touching=1,
    )  # fmt: skip
    return world, contacts


class Clock:
    """Record of process time [s] and number of calls of functions, by name of the function."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.calls: dict[str, int] = {}

    def wrap(self, owner: Any, name: str) -> None:
        """Put a clock around a function of an object."""
        function = getattr(owner, name)
        self.seconds[name], self.calls[name] = 0.0, 0

        def timed(*arguments: Any, **options: Any) -> Any:
            begin = time.process_time()
            result = function(*arguments, **options)
            self.seconds[name] += time.process_time() - begin
            self.calls[name] += 1
            return result

        setattr(owner, name, timed)


def time_residual(system: Any, fields: Any, closed: int) -> float:
    """Return the time [µs] of one residual evaluation of the contact per closed point, the minimum of five
    measurements.
    """
    from windlass.framework.model.system import evaluate

    s, calls, best = evaluate(fields, f=np.zeros(len(fields.x))), max(3, 1_000_000 // closed), np.inf
    for _ in range(5):
        begin = time.process_time()
        for _ in range(calls):
            system.residual(s)
        best = min(best, (time.process_time() - begin) / calls)
    return 1e6 * best / closed


def run(cables: int, sheaves: int, points: int, steps: int) -> dict[str, Any]:
    """Solve once and return milliseconds per iteration, by part, and counts."""
    import windlass as wl

    world, contacts = build(cables, sheaves, points)
    settings: dict[str, Any] = {"step": STEP, "lag": False, "adaptive": False, "name": ""}
    state = wl.Dynamic(world, end=FIRST * STEP, **settings).solve()
    solver = wl.Dynamic(world, end=(FIRST + steps) * STEP, **settings)
    assembly, clock = solver.problem.assembly, Clock()
    (contact,) = [system for system in assembly.systems if "Contact" in system.name]
    # clocks work only in Python code
    solver.problem.may_compile = False
    for part in PARTS:
        clock.wrap(contact, part)
    clock.wrap(solver.newton, "solve")
    assembly.order_systems()
    state = solver.solve(state)
    iterations = solver.statistics.newton_iterations
    each = {part: 1e3 * seconds / iterations for part, seconds in clock.seconds.items()}
    closed = int((wl.eval_output(contacts, "gap", state) <= 0.0).sum())
    whole = each.pop("solve") + each["post_newton"]
    return {
        "closed points": closed,
        "iterations": iterations,
        "passes": clock.calls["post_newton"],
        "ms per iteration": whole,
        **{f"of it contact {title}": each[part] for part, title in PARTS.items()},
        "share of the contact": sum(each.values()) / whole,
        "µs per closed point and residual": time_residual(contact, assembly.fields, closed),
    }


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cables", nargs="?", type=int, default=100_000)
    parser.add_argument("--sheaves", type=int, default=100)
    parser.add_argument("--points", type=int, default=4, help="contact points of each cable, default 4")
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder for sheaves_<cables>.json")
    given, petsc = parser.parse_known_args()
    sys.argv = [__file__, "-progress", "false", *petsc]
    rounds = [run(given.cables, given.sheaves, given.points, given.steps) for _ in range(given.rounds)]
    best = min(rounds, key=lambda one: one["ms per iteration"])
    rows = [(name, f"{value:.4g}" if isinstance(value, float) else f"{value}") for name, value in best.items()]
    print(f"{given.cables} cables over {given.sheaves} sheaves, {given.points} points each\n{align(rows, 1)}")
    given.results.mkdir(parents=True, exist_ok=True)
    (given.results / f"sheaves_{given.cables}.json").write_text(json.dumps(rounds, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
