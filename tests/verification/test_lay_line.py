"""Tensions of lines that one call lays on level beds, polylines and bathymetry are compared with elastic catenaries.
Wrong arguments cause errors.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass import connectors as con
from windlass.elements import nodes_of
from windlass.elements.routes.routes import RouteError

CHAIN = {"axial_stiffness": 2e7, "mass_per_length": 50.0}
X, Y = np.linspace(-50.0, 350.0, 41), np.linspace(-100.0, 100.0, 21)
GRID = con.BedGrid(X, Y, 4.0 * np.sin(X[:, None] / 60.0) + 1e-4 * Y**2)


def lay(bed: Any, end: tuple[float, float, float] = (275.0, 0.0, 80.0), **changes: Any) -> tuple[float, float]:
    """Return the tensions [N] of the solution and of the elastic catenary at the upper end."""
    world = wl.World(gravity=(0.0, 0.0, -9.81))
    laid = con.lay_line(world, bed, (0.0, 0.0), end, 300.0, 60, **{"stiffness": 1e6, **CHAIN, **changes})
    con.hinge(world, nodes_of(world, laid.cables)[[0, 60]])
    state = wl.Static(world, name="").solve()
    found = float(wl.eval_output(laid.cables[59], "axial_force", state, x=5.0))
    return found, float(laid.route.eval_tension([300.0])[0])


@pytest.mark.parametrize(
    ("bed", "end"),
    [
        (0.0, (275.0, 0.0, 80.0)),
        ([(-10.0, 0.0), (60.0, 6.0), (120.0, 8.0)], (195.0, 193.0, 80.0)),
        (GRID, (275.0, 0.0, 80.0)),
        (0.0, (287.0, 0.0, 80.0)),
    ],
)
def test_tension_of_a_laid_line(bed: Any, end: tuple[float, float, float]) -> None:
    """The tension at the upper end agrees with the elastic catenary within 0.2 %, also for a taut line without contact
    and in a direction between x and y.
    """
    found, exact = lay(bed, end)
    assert_allclose(found, exact, rtol=2e-3)


def test_clay_on_a_polyline() -> None:
    """Columns of soft beds are accepted on a polyline with crests and hollows. Without sideways motion and lifting, the
    tension equals the tension of the elastic catenary.
    """
    bed = [(-10.0, 0.0), (60.0, 6.0), (90.0, 6.5), (120.0, 8.0)]
    clay = {
        "friction_stiffness_per_length": 1e5, "lateral_friction_ratio": 1.5, "suction_coefficient": 0.2,
        "suction_distance": 0.01,
    }  # fmt: skip
    found, exact = lay(bed, (275.0, 0.0, 80.0), contact=clay)
    assert_allclose(found, exact, rtol=2e-3)


def test_weight_in_water() -> None:
    """For a stiff line, the displaced water reduces the tension of the initial shape by the ratio of displaced mass and
    line mass.
    """
    whole, light = (lay(0.0, axial_stiffness=1e10, displaced=x)[1] for x in (0.0, 10.0))
    assert_allclose(light, 0.8 * whole, rtol=1e-3)


def test_errors() -> None:
    """Wrong beds, masses and gravity, and lines for which no shape exists, cause errors."""
    for bed, changes, words in (
        ([(0.0, 0.0)], {}, "must be two or more corners with ascending distances"),
        ([(5.0, 0.0), (9.0, 1.0)], {}, "the first at a distance <= 0 from the anchor"),
        ([(-5.0, 0.0), (-2.0, 1.0)], {}, "the last corner must be at a distance > 0"),
        (0.0, {"displaced": 60.0}, "displaced = 60 kg/m in lay_line: must be < mass_per_length = 50 kg/m"),
        (0.0, {"stiffness": 0.0}, "stiffness = 0.0 N/m^2 in lay_line: must be > 0"),
        (0.0, {"rounding": 1.0}, "rounding = 1 m in lay_line: must be left out for a bed that is not a polyline"),
        (0.0, {"contact": {"friction_coefficient": 0.1}}, "must be given by the argument friction"),
        (0.0, {"slow_strain": 0.1}, "slow_strain in lay_line: must be left out"),
    ):
        with pytest.raises(wl.ModelError, match=re.escape(words)):
            lay(bed, **changes)
    with pytest.raises(RouteError, match="is slack on the ground"):
        lay(0.0, (100.0, 0.0, 50.0))
    world = wl.World(gravity=(0.0, 0.0, -9.81))
    with pytest.raises(RouteError, match=r"would pass 15\.3 m below the bed: must be at most 1\.04 m"):
        con.lay_line(world, 0.0, (0.0, 0.0), (100.0, 0.0, -5.0), 104.0, 20, stiffness=1e6, **CHAIN)
    world = wl.World(gravity=(0.0, 0.0, -9.81))
    with pytest.raises(wl.ModelError, match=r"lay_line needs axial_stiffness \[N\]"):
        con.lay_line(world, 0.0, (0.0, 0.0), (9.0, 0.0, 9.0), 15.0, 4, stiffness=1e6)
    with pytest.raises(wl.ModelError, match=r"^lay_line needs length \[m\], elements, stiffness \[N/m\^2\]$"):
        con.lay_line(world, 0.0, (0.0, 0.0), (9.0, 0.0, 9.0), **CHAIN)  # type: ignore[call-arg]
    with pytest.raises(wl.ModelError, match=r"in lay_line: must be along -z"):
        con.lay_line(wl.World(), 0.0, (0.0, 0.0), (9.0, 0.0, 9.0), 15.0, 4, stiffness=1e6, **CHAIN)
