"""Masses on ropes of winches."""

from __future__ import annotations

from typing import Any

import numpy as np

import windlass as wl
import windlass.connectors as con
from windlass.elements import MassPoint, winch_rope
from windlass.elements.cable.winch_rope import WinchRope
from windlass.framework.model.table import Entity

G, MASS, EA = 9.81, 10.0, 2e5


def hang(
    length: float, angle: float = 0.0, cables: int = 1, space: bool = False, **more: Any
) -> tuple[wl.World, WinchRope, Entity]:
    """Create a mass on a rope of a winch at the origin, at an angle from the vertical [rad]."""
    end = np.array((length * np.sin(angle), -length * np.cos(angle), 0.0)[: 3 if space else 2])
    stiff = {"mass_per_length": 0.02, "axial_stiffness": EA, "bending_stiffness": 1e-6, "axial_damping": 200.0}
    world = wl.World(gravity=(0.0, -G, 0.0))
    rope = winch_rope(world, 0.0 * end, end, cables, **{**stiff, **more})
    con.hinge(world, rope.nodes[0])
    load = world.add(MassPoint, position=end, mass=MASS)
    joint = con.SphericalJoint if space else con.RevoluteJoint2D
    ends = [con.position_marker(world, which) for which in (rope.nodes[cables], load)]
    world.add(joint, marker0=ends[0], marker1=ends[1])
    return world, rope, load


def swing(length: float, last: float, end: float, angle: float, **more: Any) -> tuple[wl.World, WinchRope, Entity]:
    """Simulate a pendulum whose length changes smoothly from the time 0 to an end time [s]. The pendulum starts at rest
    under its weight.
    """
    world, rope, load = hang(length, angle, strain=MASS * G * np.cos(angle) / EA, **more)
    con.prescribe(world, rope.feed, "s", con.smooth_step(0.0, end, 0.0, last - length))
    return world, rope, load


def hang_in_reserve(
    length: float, angle: float, wanted: float, longest: float, mass: float = MASS, space: bool = False,
    drive: Any = None, **more: Any,
) -> tuple[wl.World, con.WinchReserve, Entity]:  # fmt: skip
    """Create the model of `hang` with reserve cables. For a 2D rope, a function of time may move the outlet along x."""
    end = np.array((length * np.sin(angle), -length * np.cos(angle), 0.0)[: 3 if space else 2])
    world = wl.World(gravity=(0.0, -G, 0.0))
    rope = con.WinchReserve(world, 0.0 * end, end, wanted=wanted, longest=longest, **more)
    if drive is None:
        con.hinge(world, rope.nodes[0])
    else:
        con.fix(world, rope.nodes[0], "y")
        con.prescribe(world, rope.nodes[0], "x", drive)
    load = world.add(MassPoint, position=end, mass=mass)
    ends = [con.position_marker(world, which) for which in (rope.nodes[len(rope.nodes) - 1], load)]
    world.add(con.SphericalJoint if space else con.RevoluteJoint2D, marker0=ends[0], marker1=ends[1])
    return world, rope, load
