"""A rope that runs from a winch over a sheave to a hanging load."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import windlass as wl
import windlass.connectors as con
from windlass.elements import Circle, Ground, MassPoint, RigidBody2D, route_around, winch_rope_along
from windlass.elements.cable.winch_rope import WinchRope
from windlass.framework.model.table import Entity

G, MASS, RADIUS, EA = 9.81, 20.0, 0.3, 1e5
CONTACT = {
    "contact_stiffness_per_length": 1e6, "contact_damping_per_length": 100.0, "friction_stiffness_per_length": 1e6,
    "friction_velocity_penalty_per_length": 100.0,
}  # fmt: skip


class Model(NamedTuple):
    """A world with its rope, load and contact rows, and the sheave if the sheave can turn."""

    world: wl.World
    rope: WinchRope
    load: Entity
    contact: Entity
    sheave: Entity | None


def start_up(speed: float, time: float) -> Callable[[float], float]:
    """Return the length paid out over time: the speed grows smoothly from 0 to its final value in the given time."""

    def paid(t: float) -> float:
        s = min(t / time, 1.0)
        return speed * (time * (s**3 - 0.5 * s**4) + max(t - time, 0.0))

    return paid


def create(
    cables: int = 30, inertia: float | None = None, drop: float = 1.0, run: float = 0.5, mu: float = 0.2,
    segments: int = 4, rope: dict[str, Any] | None = None, **contact: Any,
) -> Model:  # fmt: skip
    """Create a rope that runs horizontally from the outlet to the top of the sheave, over a quarter of the sheave, and
    down to the load. The sheave is fixed, or has a moment of inertia [kg m²] and turns about its centre.
    """
    world = wl.World(gravity=(0.0, -G))
    route = route_around([Circle((0.0, 0.0), RADIUS, "right")], closed=False, start=(-run, RADIUS), end=(RADIUS, -drop))
    columns = {
        "mass_per_length": 0.02, "axial_stiffness": EA, "bending_stiffness": 1e-3, "axial_damping": 200.0,
        "strain": MASS * G / EA, **(rope or {}),
    }  # fmt: skip
    line = winch_rope_along(world, route, cables, **columns)
    con.hinge(world, line.nodes[0])
    load = world.add(MassPoint, position=(RADIUS, -drop), mass=MASS)
    ends = [con.position_marker(world, which) for which in (line.nodes[cables], load)]
    world.add(con.RevoluteJoint2D, marker0=ends[0], marker1=ends[1])
    sheave = None
    if inertia is None:
        marker = world.add(con.PositionOnGround, ground=world.add(Ground))
    else:
        sheave = world.add(RigidBody2D, position=(0.0, 0.0), mass=1.0, inertia=inertia)
        con.fix(world, sheave, "x", "y")
        marker = con.rigid_marker(world, sheave)
    rows = world.add(
        con.ContactFrictionCircleWinch2D, circle=marker, cable=line.cables, segments=segments, circle_radius=RADIUS,
        friction_coefficient=mu, **{**CONTACT, **contact},
    )  # fmt: skip
    return Model(world, line, load, rows, sheave)


def eval_tension(model: Any, state: wl.State, cable: int = 0, share: float = 0.5) -> float:
    """Return the axial force [N] of a cable of ``model.rope``, by default of the first cable at the outlet."""
    return float(np.ravel(wl.eval_output(model.rope.cables[cable], "axial_force", state, share=share))[0])
