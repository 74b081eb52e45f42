"""Lines on beds whose height varies in both horizontal directions.

Without friction the contact forces are normal to the line, so along a line with negligible bending stiffness

    T + T²/(2 EA) - w z

is constant, with the weight w per unstretched length. Source: M. Irvine, Cable Structures (1981), section 1.2, with the
strain T/EA.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.testing import assert_allclose

import windlass as wl
from windlass import connectors as con
from windlass.elements import Ground, cable_along, hang_from_ground, nodes_of

EA, MASS, LENGTH, N = 2e7, 50.0, 300.0, 120
GRAVITY = (0.0, 0.0, -9.81)
WEIGHT = MASS * 9.81
X, Y = np.array((-80.0, -20.0, 30.0, 90.0, 140.0, 220.0, 320.0)), np.array((-90.0, -30.0, 10.0, 60.0, 120.0))


def solve(
    grid: con.BedGrid, end: Any, normal: Any = None, sunk: float = 0.0, **contact: Any
) -> tuple[wl.Entity, wl.Entity, wl.State, wl.Static]:
    """Lay a line from (0, 0) to an end above the bed. At the start, the line lies below the surface of the bed by the
    distance ``sunk`` [m]. If ``normal`` is given, the bed is a plane with this normal. Return the line, its contacts,
    the state and the solver.
    """
    anchor = (0.0, 0.0, float(grid.eval_heights(0.0, 0.0)))
    columns = {"axial_stiffness": EA, "mass_per_length": MASS}
    route = hang_from_ground(anchor, end, LENGTH, EA, MASS, gravity=GRAVITY, ground=grid.eval_profile(anchor, end))
    world = wl.World(gravity=GRAVITY)
    line = cable_along(world, route, N, length=LENGTH / N, bending_stiffness=1.0, **columns)
    if normal is None:
        bed = con.add_bed_grid(world, con.BedGrid(grid.x, grid.y, grid.heights + sunk))
    else:
        marker = con.rigid_marker(world, world.add(Ground), np.add(anchor, (0.0, 0.0, sunk)))
        bed = world.add(con.PlaneSurface, marker=marker, axis=normal)
    contacts = con.add_surface_contact(world, bed, line, contact_stiffness_per_length=1e6, **contact)
    con.hinge(world, nodes_of(world, line)[[0, N]])
    solver = wl.Static(world, name="")
    return line, contacts, solver.solve(), solver


def test_tension_over_hills() -> None:
    """On hills of 4 m without friction, the line slides sideways into the valleys. T + T²/(2 EA) - w z is constant
    within 0.1 % of the tension at the top, while w z varies by 12 %.
    """
    heights = 4.0 * np.sin(X[:, None] / 45.0) * np.cos(Y / 70.0) + 0.05 * Y
    grid = con.BedGrid(X, Y, heights)
    line, _, state, solver = solve(grid, (270.0, 5.0, 80.0))
    assert not solver.verdict.reasons, solver.verdict.reasons
    at = np.full(N, 0.5 * LENGTH / N)
    place = np.reshape(wl.eval_output(line, "position", state, x=at), (N, 3))
    tension = np.ravel(wl.eval_output(line, "axial_force", state, x=at))
    constant = tension + tension**2 / (2.0 * EA) - WEIGHT * place[:, 2]
    low = place[place[:, 2] < grid.eval_heights(place[:, 0], place[:, 1]) + 0.01]
    assert len(low) > 40 and np.ptp(low[:, 1]) > 1.0 and WEIGHT * np.ptp(low[:, 2]) > 0.02 * tension[-1]
    assert_allclose(constant, constant[-1], rtol=0, atol=1e-3 * tension[-1])


def test_a_plane_grid_is_a_plane() -> None:
    """A grid with the heights of a plane gives the same static solution with friction as the plane, to 1e-7.

    At the start, the line lies 1 mm below the surface of the bed. Otherwise rounding errors would determine which
    points touch first, and therefore the anchors of sticking points.
    """
    slope = np.array((0.08, -0.03))
    grid = con.BedGrid(X, Y, 1.0 + slope[0] * X[:, None] + slope[1] * Y)
    friction = {"friction_coefficient": 0.4, "friction_stiffness_per_length": 1e5}
    found = []
    for normal in (None, (*-slope, 1.0)):
        line, contacts, state, _ = solve(grid, (262.0, 3.0, 90.0), normal, 1e-3, **friction)
        force = wl.eval_output(contacts, "friction", state)
        found.append((np.ravel(wl.eval_output(line, "axial_force", state, x=0.0)), force))
    assert (found[0][1] > 0.0).sum() > 40
    assert_allclose(found[0][0], found[1][0], rtol=1e-7)
    assert_allclose(found[0][1], found[1][1], rtol=0, atol=1e-7 * found[0][0].max())
