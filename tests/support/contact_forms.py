"""Models that compare the laws of contact between a circle and a cable: bent belt, stiff belt, drive, capstan."""

from __future__ import annotations

from math import cos, pi
from typing import Any, NamedTuple

import numpy as np

import windlass as wl
from windlass import connectors as con
from windlass.elements import Circle, Ground, RigidBody2D, cable_around, nodes_of

from support.belt_theory import Creep, solve_creep

RADIUS, DISTANCE, MASS, FRICTION = 0.1, 0.3, 0.8, 0.5
"""Radius and distance of the circles [m], mass per length of the belt [kg/m] and friction coefficient of the drive
[1].
"""
BEND_RADIUS, BEND_DISTANCE = 0.1, 0.4
"""Radius and distance of the circles of the bent belt [m]."""
TIGHT: dict[str, Any] = {"load_steps": 10, "geometric": True, "stabiliser": 1e5, "name": ""}


class Drive(NamedTuple):
    """A preloaded belt on two circles at the start of its motion."""

    world: wl.World
    circles: list[wl.Entity]
    belt: wl.Entity
    contacts: wl.Entity
    drive: wl.Entity
    state: wl.State


def solve_bent(kind: Any, elements: int, segments: int, EA: float, e0: float, EI: float, k: float) -> tuple[float, int]:
    """Return half of the force [N] on a circle at rest without friction, and the number of Newton iterations."""
    world = wl.World()
    circles = [world.add(RigidBody2D, position=(x, 0.0), mass=5.0, inertia=0.05) for x in (0.0, BEND_DISTANCE)]
    belt = cable_around(
        world, circles, elements, radius=BEND_RADIUS, axial_stiffness=EA, bending_stiffness=EI, mass_per_length=0.8,
        reference_strain=e0,
    )  # fmt: skip
    con.add_contact(
        world, kind, circles, belt, segments=segments, circle_radius=BEND_RADIUS, contact_stiffness_per_length=k
    )
    supports = [con.fix(world, circle, "x", "y", "rotation") for circle in circles]
    con.fix(world, nodes_of(world, belt)[0], "x")
    tolerances = {"passes": wl.Passes(atol=1e-6, max_it=60), "atol": 1e-7}
    static = wl.Static(world, **TIGHT, **tolerances)
    state = static.solve()
    force = np.ravel(wl.eval_output(supports[1], "force", state))
    return abs(float(force[0])) / 2.0, static.statistics.newton_iterations


def create_drive(
    kind: Any,
    elements: int,
    segments: int,
    EA: float,
    e0: float,
    speed: float = 40.0,
    brake: float = 1.2,
    axial_damping: float = 1.0,
    motor: Any = None,
    **contact: Any,
) -> Drive:
    """Create two circles on bearings. The left circle is driven to ``speed`` [rad/s] in 0.2 s, and the right circle has
    a brake with the coefficient ``brake`` [N m s].

    ``motor`` is a function of time that returns the speed [rad/s], and replaces the start in 0.2 s.
    """
    world = wl.World()
    circles = [
        world.add(RigidBody2D, name=name, position=(x, 0.0), mass=5.0, inertia=0.02)
        for name, x in (("driver", 0.0), ("driven", DISTANCE))
    ]
    belt = cable_around(
        world, circles, elements, radius=RADIUS, axial_stiffness=EA, bending_stiffness=1e-3, mass_per_length=MASS,
        axial_damping=axial_damping, reference_strain=e0,
    )  # fmt: skip
    for circle in circles:
        con.fix(world, circle, "x", "y")
    holds = [con.fix(world, circle, "rotation") for circle in circles]
    holds.append(con.fix(world, nodes_of(world, belt)[0], "x"))
    start = lambda t: speed * (0.5 - 0.5 * cos(pi * min(t / 0.2, 1.0)))  # noqa: E731
    drive = con.prescribe_velocity(world, circles[0], "rotation", motor or start)
    spin = con.coordinate_marker(world, circles[1], "rotation")
    world.add(con.CoordinateSpringDamper, marker0=con.coordinate_marker(world, None), marker1=spin, damping=brake)
    columns: dict[str, Any] = {
        "contact_stiffness_per_length": 3.2e8,
        "contact_damping_per_length": 6400.0,
        "friction_velocity_penalty_per_length": 9000.0,
        "friction_stiffness_per_length": 4e8,
        "friction_coefficient": FRICTION,
        **contact,
    }
    if kind is con.ContactFrictionSurfaceCable:
        discs = [world.add(con.DrumSurface, marker=con.rigid_marker(world, one), radius=RADIUS) for one in circles]
        contacts = con.add_surface_contact(world, discs, belt, points=segments, **columns)
    else:
        contacts = con.add_contact(world, kind, circles, belt, segments=segments, circle_radius=RADIUS, **columns)
    friction = {name: columns[name] for name in ("friction_coefficient", "friction_stiffness_per_length")}
    world.set(contacts, friction_coefficient=0.0, friction_stiffness_per_length=1e-8)
    world.set(drive, active=False)
    state = wl.Static(world, rtol=1e-6, atol=1e-6, **TIGHT).solve()
    world.set(contacts, **friction)
    for hold in holds:
        world.set(hold, active=False)
    world.set(drive, active=True)
    return Drive(world, circles, belt, contacts, drive, state)


class Run(NamedTuple):
    """Means over the last part of a run of a drive, results of theory for the torque of the drive, and the solver.

    ``found`` has speed loss, tensions and slip arc of the simulation. ``torques`` are the torques [N m] of contact on
    the driven circle, of its brake, and of the drive. ``lost`` is the power [W] of sliding and of tangential dampers on
    both circles.
    """

    found: Creep
    theory: Creep
    torques: tuple[float, float, float]
    lost: float
    solver: wl.Dynamic
    state: wl.State


def run_drive(
    model: Drive, EA: float, e0: float, step: float, end: float, last: float, speed: float = 40.0, brake: float = 1.2,
    k: float = 3.2e8, **solver: Any
) -> Run:  # fmt: skip
    """Run to the time ``end``, and compute means over the last ``last`` seconds."""
    watched: list[Any] = [
        wl.Sensor(model.circles[1], "angular_velocity", name="speed"),
        wl.Sensor(model.drive, "force", name="drive"),
        wl.Sensor(model.contacts, "friction_power", name="lost"),
        wl.Sensor(model.contacts, "friction_damping_power", name="damped"),
        con.PulleySensor(
            model.contacts, model.circles[1], ("entry_tension", "exit_tension", "torque", "slip_arc"), name="belt"
        ),
    ]
    sensors = wl.Sensors(None, watched, every=max(1, round(2e-3 / step)))
    settings = {"passes": wl.Passes(atol=1e-3, max_it=3), "method": "trapezoidal_index2", **solver}
    dynamic = wl.Dynamic(model.world, step=step, end=end, name="", **settings)
    state = dynamic.solve(model.state, hooks=[sensors])
    late = np.asarray(sensors.times) > end - last
    w = float(np.asarray(sensors["speed"]).reshape(len(late), -1)[late, -1].mean())
    entry, leave, torque, slip = np.asarray(sensors["belt"])[late].mean(axis=0)
    drive = float(np.asarray(sensors["drive"])[late].mean())
    lost = float((np.asarray(sensors["lost"]) + np.asarray(sensors["damped"]))[late].sum(axis=1).mean())
    found = Creep(1.0 - w / speed, max(entry, leave), min(entry, leave), slip)
    length = 2.0 * DISTANCE + 2.0 * pi * RADIUS
    theory = solve_creep(EA, e0, MASS, k, FRICTION, RADIUS, DISTANCE, length, speed, brake * w)
    return Run(found, theory, (torque, brake * w, drive), lost, dynamic, state)


def measure_traction(model: Drive, step: float, end: float, last: float, **solver: Any) -> tuple[float, float]:
    """Return the largest and the mean |f_t|/(mu |f_n|) of a belt without load (brake 0) over the last ``last`` seconds.

    Segments or points at the ends of the contact, with less than a fifth of the usual pressure, are excluded.
    """
    settings = {"passes": wl.Passes(atol=1e-3, max_it=3), "method": "trapezoidal_index2", **solver}
    dynamic, shares = wl.Dynamic(model.world, step=step, end=end, name="", **settings), []
    for state in dynamic.march(model.state):
        if state.t > end - last and state.step % 25 == 0:
            force = np.abs(wl.eval_output(model.contacts, "force_local", state))
            pressed = force[..., 1] > 0.2 * np.median(force[..., 1][force[..., 1] > 0.0])
            shares.append(force[..., 0][pressed] / force[..., 1][pressed] / FRICTION)
    return max(float(share.max()) for share in shares), float(np.mean([share.mean() for share in shares]))


def solve_capstan(kind: Any, elements: int, segments: int, mu: float, steps: int = 60) -> tuple[float, int]:
    """Return the ratio of the tensions of a rope that is pulled over half a turn, and the number of Newton iterations.

    The ratio is the median over the second half of the steps, because in a few steps a contact that has just closed
    sticks.

    A weight of 100 N hangs on the left end. The right end is pulled down by the length of two elements in ``steps``
    equilibria.
    """
    length = pi * RADIUS / elements
    spare = 6
    strand = spare * length
    world = wl.World()
    rope = cable_around(
        world, [Circle((0.0, 0.0), RADIUS, "right")], elements + 2 * spare, closed=False, start=(-RADIUS, -strand),
        end=(RADIUS, -strand), mass_per_length=1.0, axial_stiffness=1e6, bending_stiffness=1e-4,
    )  # fmt: skip
    ends = nodes_of(world, rope)
    world.add(con.Force, marker=con.position_marker(world, ends[0]), vector=(0.0, -100.0, 0.0))
    drawn = con.prescribe(world, ends[len(ends) - 1], "y", lambda t: -t)
    contacts = con.add_contact(
        world, kind, world.add(Ground), rope, segments=segments, circle_radius=RADIUS, contact_stiffness_per_length=1e9
    )
    state = wl.State(world)
    gaps = state.data.reshape(len(rope), 3, segments)[:, 0]
    gaps[wl.eval_output(contacts, "gap", state) < 1e-12] = -1e-9
    settings: dict[str, Any] = {"atol": 1e-6, "passes": wl.Passes(atol=1e-3, max_it=30), "name": ""}
    state = wl.Static(world, load_steps=5, **settings).solve(state)
    world.set(contacts, friction_coefficient=mu, friction_stiffness_per_length=1e9)
    solver, iterations, ratios = wl.Static(world, adaptive=False, **settings), 0, []
    for i in range(1, steps + 1):
        solver.time = i * 2.0 * length / steps
        state = solver.solve(state)
        iterations += solver.statistics.newton_iterations
        ratios.append(float(wl.eval_output(drawn, "force", state)) / 100.0)
    return float(np.median(ratios[steps // 2 :])), iterations
