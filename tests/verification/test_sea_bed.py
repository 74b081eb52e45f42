"""A chain that lies on a sea bed and rises to a ship has the tension of Irvine's touchdown line, from distant start
shapes.

Source: H. M. Irvine, Cable Structures (1981), section 2.4, with a part L - s at rest on a bed without friction:
y_e = H/w (√(1 + (w s/H)²) - 1) + w s²/(2 EA), x_e = (L - s)(1 + H/EA) + H/w asinh(w s/H) + H s/EA.
"""

from __future__ import annotations

from math import asinh, sqrt

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import brentq

from windlass.connectors import (
    ContactCircleCable2D,
    PlaneSurface,
    add_contact,
    add_surface_contact,
    fix,
    hinge,
    rigid_marker,
)
from windlass.elements import Cable2D, PointSlope2D, RigidBody2D, hang_between
from windlass.framework.model.world import World
from windlass.framework.state.evaluate import eval_output
from windlass.solvers.static import Static

LENGTH, END, WEIGHT = 600.0, np.array([560.0, 100.0]), 100.0 * 9.81
RADIUS = 1e5
"""Radius [m] of the bed, which is flat within 0.8 m under the chain."""


def find_horizontal_force(EA: float) -> float:
    """Return the horizontal force H [N] of a line that leaves a flat bed."""

    def rise(s: float, H: float) -> float:
        return H / WEIGHT * (sqrt(1.0 + (WEIGHT * s / H) ** 2) - 1.0) + WEIGHT * s**2 / (2.0 * EA) - END[1]

    def miss(H: float) -> float:
        s = brentq(rise, 1e-6, 4.0 * LENGTH, args=(H,))
        reach = (LENGTH - s) * (1.0 + H / EA) + H / WEIGHT * asinh(WEIGHT * s / H) + H * s / EA
        return float(reach - END[0])

    return float(brentq(miss, 0.01 * WEIGHT, 1740.0 * WEIGHT))


CASES = [("straight", 1e8), ("bent", 1e8), ("free line", 1e8), ("straight", 1e9), ("free line", 1e9), ("bent", 1e9)]


@pytest.mark.parametrize(
    ("start", "EA", "law"), [*((*case, "segments") for case in CASES[:4]), *((*case, "points") for case in CASES)]
)
def test_chain_on_a_sea_bed(start: str, EA: float, law: str) -> None:
    """From three start shapes (straight through the water, along the bed and up, 60 m below the bed), the horizontal
    force agrees with Irvine within 0.5 %.

    On straight contact segments, the contact force jumps along a segment. Therefore contact points on the curved axis
    are used for a stiff line that starts far from the bed.
    """
    n = 20
    u = np.linspace(0.0, 1.0, n + 1)
    position = u[:, None] * END
    if start == "bent":
        corner = np.array([400.0, 0.0])
        low = u[:, None] / 0.7 * corner
        position = np.where(u[:, None] < 0.7, low, corner + (u[:, None] - 0.7) / 0.3 * (END - corner))
    slope = np.gradient(position, axis=0)
    if start == "free line":
        position, slope, _ = hang_between((0, 0), END, LENGTH, EA, 100.0).eval_points(u * LENGTH)
    slope /= np.linalg.norm(slope, axis=1)[:, None]
    world = World(gravity=(0.0, -9.81))
    nodes = world.add(PointSlope2D, position=position, slope=slope)
    columns = {"axial_stiffness": EA, "bending_stiffness": 100.0, "mass_per_length": 100.0}
    chain = world.add(Cable2D, node0=nodes[:n], node1=nodes[1:], length=LENGTH / n, **columns)
    bed = world.add(RigidBody2D, name="bed", position=(280.0, -RADIUS), mass=1.0, inertia=1.0)
    fix(world, bed, "x", "y", "rotation")
    if law == "segments":
        contact = {"segments": 2, "circle_radius": RADIUS, "contact_stiffness_per_length": 1e5}
        add_contact(world, ContactCircleCable2D, circles=[bed], cables=chain, **contact)
    else:
        plane = world.add(PlaneSurface, marker=rigid_marker(world, bed), axis=(0.0, 1.0, 0.0), offset=RADIUS)
        add_surface_contact(world, plane, chain, contact_stiffness_per_length=1e5)
    hinge(world, nodes[0])
    ship = hinge(world, nodes[n])
    solver = Static(world, name="")
    force = abs(eval_output(ship, "force", solver.solve())[0])
    assert_allclose(force, find_horizontal_force(EA), rtol=5e-3)
    assert solver.verdict.word == "ok"
