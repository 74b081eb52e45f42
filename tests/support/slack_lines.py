"""A chain of 200 m on a sloping bed with nine initial shapes, and lines that hang freely."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import fsolve

import windlass as wl
from windlass import connectors as con
from windlass.elements import (
    Ground,
    cable_along,
    hang_between,
    hang_from_ground,
    nodes_of,
    through_points,
)

LENGTH, END, SLOPE = 200.0, np.array([181.5, 0.0, 58.0]), np.radians(5.0)
WEIGHT, EA, GRAVITY = 525.0, 2e8, (0.0, 0.0, -9.81)
MASS, STIFFNESS, RADIUS = WEIGHT / 9.81, 5e5, 0.045
SHAPES = ("catenary", "chord", "bed", "arc", "side", "level", "long", "zigzag", "short")


def eval_tensions() -> tuple[float, float]:
    """Return the tensions at the anchor and at the top [N]. The tension decreases by w sin a per length on the bed, and
    the remaining part of the line is a catenary that is tangent to the bed.
    """
    sine, cosine, slope = np.sin(SLOPE), np.cos(SLOPE), np.tan(SLOPE)

    def split(p: Any) -> tuple[float, ...]:
        lying, H = p[0], np.exp(p[1])
        hanging, T = LENGTH - lying, H / cosine
        on = lying + (T * lying - WEIGHT * sine * lying**2 / 2) / EA
        V0, V1 = H * slope, H * slope + WEIGHT * hanging
        x = H * hanging / EA + H / WEIGHT * (np.arcsinh(V1 / H) - np.arcsinh(V0 / H))
        z = (V0 + V1) / 2 * hanging / EA + H / WEIGHT * (np.hypot(1, V1 / H) - np.hypot(1, V0 / H))
        return on * cosine + x - END[0], on * sine + z - END[2], T, V1

    found = fsolve(lambda p: split(p)[:2], [0.5 * LENGTH, np.log(3e4)], xtol=1e-13)
    *left, T, V = split(found)
    assert np.abs(left).max() < 1e-8
    return T - WEIGHT * sine * found[0], float(np.hypot(np.exp(found[1]), V))


def lay(shape: str) -> Any:
    """Return the route of a start shape."""
    s = np.linspace(0.0, 1.0, 41)[:, None]
    chord, up, side = s * END, np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0])
    hang: dict[str, Any] = {"axial_stiffness": EA, "mass_per_length": MASS, "gravity": GRAVITY}
    if shape in ("catenary", "long", "short"):
        length = LENGTH * {"catenary": 1.0, "long": 1.02, "short": 0.97}[shape]
        return hang_between((0.0, 0.0, 0.0), tuple(END), length=length, **hang)
    if shape == "level":
        return hang_from_ground((0.0, 0.0, 0.0), tuple(END), LENGTH, **hang)
    if shape == "chord":
        return through_points(chord)
    if shape == "bed":
        corner = 0.55 * END[0]
        x = np.linspace(0.0, END[0], 41)
        rise = np.maximum(x - corner, 0.0) / (END[0] - corner)
        z = np.tan(SLOPE) * x + rise**2 * (END[2] - np.tan(SLOPE) * END[0])
        return through_points(np.column_stack((x, 0.0 * x, z)))
    bends = {
        "arc": 25.0 * np.sin(np.pi * s) * up,
        "side": 25.0 * np.sin(np.pi * s) * side,
        "zigzag": 4.0 * np.sin(8.0 * np.pi * s) * np.sin(np.pi * s) * up,
    }
    return through_points(chord + bends[shape])


def build_chain(route: Any, n: int, **friction: float) -> tuple[wl.World, Any]:
    """Build the chain along a route on the bed, with fixed ends. Further parameters are columns of the contact."""
    world = wl.World(gravity=GRAVITY)
    line = cable_along(
        world, route, n, length=LENGTH / n, mass_per_length=MASS, axial_stiffness=EA, bending_stiffness=1.0
    )
    normal = np.array([-np.sin(SLOPE), 0.0, np.cos(SLOPE)])
    ground = con.rigid_marker(world, world.add(Ground))
    offset = WEIGHT * np.cos(SLOPE) / STIFFNESS - RADIUS
    bed = world.add(con.PlaneSurface, marker=ground, axis=tuple(normal), offset=offset)
    con.add_surface_contact(world, bed, line, rope_radius=RADIUS, contact_stiffness_per_length=STIFFNESS, **friction)
    con.hinge(world, nodes_of(world, line)[[0, n]])
    return world, line


def list_tensions(line: Any, n: int, state: wl.State) -> list[float]:
    """Return the tensions at the anchor and at the top [N]."""
    places = (line[0], 0.0), (line[n - 1], LENGTH / n)
    return [float(wl.eval_output(cable, "axial_force", state, x=x)) for cable, x in places]
