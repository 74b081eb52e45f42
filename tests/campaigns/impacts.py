"""Impacts over five decades of stiffness and step, against closed forms: a run that ends as ok has the right speed.

What meets without losses parts with the speed that it came with.  Steps per contact N go from a third of one to
hundreds; those of a linear contact last pi sqrt(m/k), those of a Hertzian one 2.868 (m²/(R E*² v))^(1/5).  With N from
`RESOLVED` on a run must be ok, so that the watch cries no wolf; whatever is ok must be right within `ERROR`.
"""

from __future__ import annotations

import contextlib
import io
import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import windlass as wl
import windlass.connectors as con
import windlass.elements as el

ERROR = 0.05
"""Of a speed after an impact that ends as ok [1]."""
RESOLVED = 25.0
"""Steps per contact from which all methods but Euler's resolve it [1]."""
MASS = 1.0


class Scene(NamedTuple):
    """A world with an impact in it, and the coordinate of the speed that returns."""

    world: wl.World
    coordinate: int


class Impact(NamedTuple):
    """Numbers of an impact: speed [m/s], way to the contact [m], time of contact [s]."""

    speed: float
    gap: float
    time: float

    @property
    def radius(self) -> float:
        """Of spheres, four times as large as they sink in [m]."""
        return 1.5 * self.speed * self.time

    @property
    def stiffness(self) -> float:
        """Of a linear contact of the unit mass [N/m]."""
        return MASS * (math.pi / self.time) ** 2

    def modulus(self, mass: float, radius: float) -> float:
        """E* [Pa] of a Hertzian contact."""
        return math.sqrt(mass**2 / (radius * self.speed)) * (2.868 / self.time) ** 2.5


def stop_coordinate(impact: Impact) -> Scene:
    """A mass point on `ContactCoordinate`."""
    world = wl.World()
    mass = world.add(el.MassPoint, mass=MASS, position=(0, impact.gap, 0), velocity=(0, -impact.speed, 0))
    marker = con.coordinate_marker(world, mass, "y")
    world.add(con.ContactCoordinate, marker1=marker, contact_stiffness=impact.stiffness, offset=-impact.gap)
    return Scene(world, 1)


def stop_joint(impact: Impact) -> Scene:
    """A body that slides into a `JointStop`."""
    world = wl.World()
    body = world.add(el.RigidBody3D, position=(0, 0, 0), mass=MASS, inertia=1e-3, velocity=(0, 0, -impact.speed))
    ends = con.rigid_marker(world, world.add(el.Ground)), con.rigid_marker(world, body)
    world.add(
        con.JointStop, marker0=ends[0], marker1=ends[1], direction=2, lower=-impact.gap, stiffness=impact.stiffness
    )
    return Scene(world, 2)


def meet_plane(impact: Impact) -> Scene:
    """A sphere that meets a half space of the same material, by `HuntCrossley`."""
    world = wl.World()
    ball = world.add(
        el.MassPoint, mass=MASS, position=(0, impact.radius + impact.gap, 0), velocity=(0, -impact.speed, 0)
    )
    material = world.add(
        con.ContactMaterial, plane_strain_modulus=2.0 * impact.modulus(MASS, impact.radius), dissipation=0.0
    )
    group = world.add(con.ContactSet)
    world.add(con.ContactSphere, contact_set=group, marker=ball, material=material, radius=impact.radius)
    world.add(
        con.ContactHalfSpace, contact_set=group, marker=world.add(el.Ground), material=material,
        rotation=con.facing((0.0, 1.0, 0.0)),
    )  # fmt: skip
    world.add(con.HuntCrossley, contact_set=group, modulus_rule="hertz")
    return Scene(world, 1)


def meet_sphere(impact: Impact) -> Scene:
    """Two equal spheres that meet with half the speed each: they change their speeds."""
    world = wl.World()
    material = world.add(
        con.ContactMaterial, plane_strain_modulus=2.0 * impact.modulus(0.5 * MASS, 0.5 * impact.radius), dissipation=0.0
    )
    group, way = world.add(con.ContactSet), impact.radius + 0.5 * impact.gap
    for side in (1.0, -1.0):
        ball = world.add(
            el.MassPoint, mass=MASS, position=(side * way, 0, 0), velocity=(-0.5 * side * impact.speed, 0, 0)
        )
        world.add(con.ContactSphere, contact_set=group, marker=ball, material=material, radius=impact.radius)
    world.add(con.HuntCrossley, contact_set=group, modulus_rule="hertz")
    return Scene(world, 0)


def meet_pair(impact: Impact) -> Scene:
    """A sphere that meets a held one, by a linear `ContactSphereSphere`."""
    world = wl.World()
    ball = world.add(
        el.RigidBody3D, position=(0, 0, 2.0 * impact.radius + impact.gap), velocity=(0, 0, -impact.speed), mass=MASS,
        inertia=1e-3,
    )  # fmt: skip
    ends = con.rigid_marker(world, world.add(el.Ground)), con.rigid_marker(world, ball)
    world.add(
        con.ContactSphereSphere, marker0=ends[0], marker1=ends[1], radius0=impact.radius, radius1=impact.radius,
        contact_stiffness=impact.stiffness,
    )  # fmt: skip
    return Scene(world, 2)


SCENES: tuple[Callable[[Impact], Scene], ...] = (stop_coordinate, stop_joint, meet_plane, meet_sphere, meet_pair)
IMPLICIT = ("generalized_alpha", "newmark", "trapezoidal_index2", "generalized_alpha_index2")
EXPLICIT = ("verlet", "rk", "euler", "midpoint", "rk3", "rk4", "rk6")
REFUSED = ((stop_joint, "newmark"), (meet_pair, "newmark"))
"""Bodies in space have constraints of their own, which that method refuses."""


class Judged(NamedTuple):
    """One run: steps per contact, error of the speed [1], the verdict, and what it was in words."""

    steps: float
    error: float
    word: str
    case: str


def judge(rng: random.Random, make: Callable[[Impact], Scene], method: str) -> Judged:
    """A run with a random impact."""
    step, steps, speed = 10.0 ** rng.uniform(-7, -2), 10.0 ** rng.uniform(-0.5, 2.0), 10.0 ** rng.uniform(-1, 2)
    impact = Impact(speed, rng.uniform(3.0, 4.0) * step * speed, steps * step)
    settings: dict[str, Any] = {"step": step, "end": 7.0 * step + 1.6 * impact.time, "method": method, "name": ""}
    if method in IMPLICIT:
        settings |= {"adaptive": rng.random() < 0.5, "spectral_radius": rng.choice((0.0, 0.5, 0.9))}
    scene = make(impact)
    case = f"{make.__name__}, {settings}, speed {speed:.3g} m/s, {steps:.3g} steps per contact"
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            solver = (wl.Dynamic if method in IMPLICIT else wl.Explicit)(scene.world, **settings)
            state = solver.solve()
    except wl.WindlassError as error:
        return Judged(steps, math.inf, "error", f"{case}: {str(error)[:100]}")
    before = 0.5 * speed if make is meet_sphere else speed
    error = abs(float(np.abs(state.v[scene.coordinate])) / before - 1.0)
    return Judged(steps, error if np.sign(state.v[scene.coordinate]) >= 0 else math.inf, solver.verdict.word, case)


def run(count: int, folder: Path, seed: int = 1) -> str:
    """So many impacts, of each contact by each method in turn.

    Raises:
        AssertionError: a wrong speed that is ok, or a well resolved impact that is not.
    """
    rng, worst, words = random.Random(seed), 0.0, {"ok": 0, "doubtful": 0, "error": 0}
    pairs = [(make, method) for make in SCENES for method in (*IMPLICIT, *EXPLICIT) if (make, method) not in REFUSED]
    for k in range(count):
        make, method = pairs[k % len(pairs)]
        found = judge(rng, make, method)
        words[found.word] += 1
        if found.word == "ok":
            assert found.error < ERROR, f"ok with an error of {found.error:.3g}: {found.case}"
            worst = max(worst, found.error)
        elif method != "euler":
            assert found.steps < RESOLVED, f"{found.word}, though resolved: {found.case}"
    return f"{count} impacts, {words}, largest error of what is ok {worst:.2%}"
