"""Lines on beds with the shape of a polyline agree with the closed form of a line on ground of several slopes.

Source: H. M. Irvine, Cable Structures (1981), section 2.4.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass import connectors as con
from windlass.elements import cable_along, hang_from_ground, nodes_of

LENGTH, EA, MASS, N = 300.0, 2e7, 50.0, 120
GRAVITY = (0.0, 0.0, -9.81)
HEADING, ORIGIN = np.radians(30.0), (20.0, -10.0)


def place(distance: float, height: float) -> tuple[float, float, float]:
    """Return a point in the vertical plane of the line [m]."""
    x, y = ORIGIN
    return x + distance * float(np.cos(HEADING)), y + distance * float(np.sin(HEADING)), height


@pytest.mark.parametrize("ground", [[(60.0, 6.0), (120.0, 8.0)], [(60.0, 10.0), (160.0, 0.0)]])
def test_a_line_on_a_polyline(ground: list[tuple[float, float]]) -> None:
    """On beds with small bends and with a crest of 15 degrees, tensions agree within 2e-4 at the top and 0.5 % at the
    anchor.
    """
    start, end = place(0.0, 0.0), place(275.0, 80.0)
    corners = [place(*point) for point in ground]
    route = hang_from_ground(start, end, LENGTH, EA, MASS, 0.0, GRAVITY, ground=corners)
    world = wl.World(gravity=GRAVITY)
    line = cable_along(
        world, route, N, length=LENGTH / N, axial_stiffness=EA, bending_stiffness=1.0, mass_per_length=MASS
    )
    bed = con.add_bed(world, [(0.0, 0.0), *ground], heading=HEADING, origin=ORIGIN)
    assert len(bed) == 2
    contacts = con.add_surface_contact(world, bed, line, contact_stiffness_per_length=1e7)
    assert len(contacts) == 2 * N
    nodes = nodes_of(world, line)
    con.hinge(world, nodes[[0, N]])
    solver = wl.Static(world, name="")
    state = solver.solve()
    ends = ((0, 0.0), (N - 1, LENGTH / N))
    found = [float(wl.eval_output(line[k], "axial_force", state, x=x)) for k, x in ends]
    exact = route.eval_tension([0.0, LENGTH])
    assert_allclose(found[0], exact[0], rtol=5e-3)
    assert_allclose(found[1], exact[1], rtol=2e-4)
    assert solver.verdict.word == "ok"


def test_wrong_beds() -> None:
    """A bed of one point, and distances that do not ascend, are errors."""
    for points in ([(0.0, 0.0)], [(0.0, 0.0), (0.0, 1.0)], [(1.0, 0.0), (0.0, 1.0)]):
        with pytest.raises(wl.ModelError, match="in add_bed: must be two or more with ascending distances"):
            con.add_bed(wl.World(), points)
