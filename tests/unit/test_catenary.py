"""Catenaries are compared with an integration of the equations of equilibrium and with the closed form. A static solve
from a catenary needs few iterations. Wrong values cause errors.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

from windlass.connectors import hinge
from windlass.elements import catenary, hang_between, nodes_of, straight
from windlass.elements.routes.routes import nodes_along
from windlass.framework.errors import ModelError
from windlass.framework.model.world import World
from windlass.framework.state.evaluate import eval_output
from windlass.solvers.static import Static

DOWN = (0.0, -9.81)
SHAPES: dict[str, tuple[Any, ...]] = {
    "slack": ((0, 0), (100, 0), 110.0, 1e9, 1.0, DOWN),
    "slack, to a higher end": ((0, 0), (100, 20), 115.0, 1e5, 1.0, DOWN),
    "slack, to the left": ((5, 3), (-90, -20), 115.0, 1e5, 1.0, DOWN),
    "nearly straight": ((0, 0), (100, 0), 100.0001, 1e9, 1.0, DOWN),
    "taut": ((0, 0), (100, 20), 90.0, 1e5, 1.0, DOWN),
    "as long as the chord": ((0, 0), (100, 0), 100.0, 1e7, 1.0, DOWN),
    "prestretched": ((0, 0), (100, 0), 105.0, 1e5, 1.0, DOWN, -0.08),
    "slanted gravity": ((0, 0), (100, 1), 110.0, 1e7, 1.0, (3.0, -9.0)),
    "taut, one above the other": ((0, 0), (0, -50), 45.0, 1e6, 2.0, DOWN),
    "taut, upwards": ((0, 0), (0, 50), 45.0, 1e6, 2.0, DOWN),
    "taut, without weight": ((0, 0), (30, 40), 45.0, 1e6, 2.0, (0.0, 0.0)),
}


@pytest.mark.parametrize("case", SHAPES)
def test_shape(case: str) -> None:
    """Both ends are at the given points, and the shape agrees with an independent integration of equilibrium from the
    first end:

    (T t)' = -m g, r' = (1 + ε0 + T/EA) t. The tolerance is 1e-8 of the length, the accuracy of the integrator.
    """
    start, end, L, EA, m, g, *more = SHAPES[case]
    line = hang_between(*SHAPES[case])
    s = np.linspace(0.0, L, 9)
    position, tangent, curvature = line.eval_points(s)
    assert_allclose(position[[0, -1]], [start, end], rtol=0, atol=1e-12 * L)
    force = line.eval_tension(0.0) * tangent[0]
    free = 1.0 + (more[0] if more else 0.0)

    def slope(s: float, _r: Any) -> Any:
        f = force - m * np.array(g) * s
        return (free / np.hypot(*f) + 1.0 / EA) * f

    found = solve_ivp(slope, (0.0, L), start, t_eval=s, rtol=1e-11, atol=1e-11)
    assert_allclose(position, found.y.T, rtol=0, atol=1e-8 * L)
    step = 1e-4 * L
    ahead, behind = (line.eval_points(s[1:-1] + d)[1] for d in (step, -step))
    turn = (ahead - behind) / (2 * step) / line.eval_stretch(s[1:-1])[:, None]
    across = np.column_stack((-tangent[1:-1, 1], tangent[1:-1, 0]))
    assert_allclose((turn * across).sum(axis=1), curvature[1:-1], rtol=1e-4, atol=1e-12)


@pytest.mark.parametrize("case", [name for name in SHAPES if "weight" not in name])
@pytest.mark.parametrize("elements", [16, 64])
def test_static_solve_takes_few_iterations(case: str, elements: int) -> None:
    """The static solve takes at most 4 Newton iterations without relaxation. The tension at the first support agrees
    with the closed form within 1e-5.
    """
    start, end, L, EA, m, g, *more = SHAPES[case]
    world = World(gravity=g)
    columns = {"bending_stiffness": 1e-3, "reference_strain": more[0] if more else 0.0}
    rope = catenary(world, start, end, elements, length=L, axial_stiffness=EA, mass_per_length=m, **columns)
    nodes = nodes_of(world, rope)
    support, _ = hinge(world, nodes[0]), hinge(world, nodes[elements])
    solver = Static(world, name="")
    state = solver.solve()
    assert solver.statistics.newton_iterations <= 4 and not solver.statistics.relaxations
    line = hang_between(*SHAPES[case])
    assert_allclose(np.linalg.norm(eval_output(support, "force", state)), line.eval_tension(0.0)[0], rtol=1e-5)
    assert_allclose(np.abs(eval_output(nodes, "displacement", state)[:, :2]).max(), 0.0, atol=1e-3 * L)


def test_serves_as_a_line() -> None:
    """The unstretched lengths between neighbouring nodes are equal. Columns with a single number have one value for all
    cables.
    """
    line = hang_between((0, 0), (100, 0), 110.0, 1e9, 1.0)
    positions, slopes, spacing = nodes_along(line, 10)
    assert spacing == 11.0 and positions.shape == slopes.shape == (11, 2)
    assert_allclose(np.hypot(*slopes.T), 1.0, rtol=1e-14)
    assert_allclose(positions[:, 1], positions[::-1, 1], rtol=0, atol=1e-9)
    assert nodes_along(straight((0, 0), (1, 0)), 2)[2] == 0.5


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"length": 0.0}, "length = 0.0 m in catenary: must be > 0"),
        ({"length": [1.0, 2.0]}, "length = [1.0, 2.0] m in catenary: must be a number > 0"),
        ({"axial_stiffness": -1.0}, "axial_stiffness = -1.0 N in catenary: must be > 0"),
        ({"mass_per_length": -1.0}, "mass_per_length = -1.0 kg/m in catenary: must be >= 0"),
        ({"mass_per_length": 0.0}, "a slack line without weight ("),
        ({"gravity": (0.0, 0.0)}, "a slack line without weight ("),
        ({"reference_strain": -1.0}, "cable: reference_strain = -1.0 of a catenary: must be one finite number > -1"),
        ({"reference_strain": None}, "cable: reference_strain = None of a catenary: must be one finite number > -1"),
        ({"slow_strain": None}, "cable: slow_strain = None of a catenary: must be one finite number > -1"),
        ({"slow_strain": -1.5}, "cable: slow_strain = -1.5 of a catenary: must be one finite number > -1"),
        ({"slow_strain": np.inf}, "cable: slow_strain = inf of a catenary: must be one finite number > -1"),
        ({"slow_strain": [0.1, 0.1]}, "cable: slow_strain = [0.1, 0.1] of a catenary: must be one finite number > -1"),
        ({"reference_strain": -0.6, "slow_strain": -0.6}, "reference_strain + slow_strain = -1.2 of a catenary: must"),
        ({"end": (0.0, -50.0)}, "are 50.0 m apart on a vertical line"),
        ({"end": (0.0, np.nan)}, "must be two finite numbers"),
        ({"end": (0.0, 0.0)}, "are 0.0 m apart on a vertical line"),
        ({"strain_is_relative_to_reference": 1.0}, "must be 0"),
        ({"elements": 0}, "must be a whole number >= 1"),
    ],
)
def test_wrong_values(changes: dict[str, Any], words: str) -> None:
    world = World(gravity=DOWN)
    given: dict[str, Any] = {"start": (0, 0), "end": (100, 0), "elements": 4, "length": 110.0}
    given |= {"axial_stiffness": 1e6, "mass_per_length": 1.0, "bending_stiffness": 1.0} | changes
    start, end, elements = (given.pop(name) for name in ("start", "end", "elements"))
    with pytest.raises(ModelError, match=r"cable: |in catenary: ") as error:
        catenary(world, start, end, elements, **given)
    assert words in str(error.value)


def test_points_outside() -> None:
    with pytest.raises(ValueError, match=r"must be in \[0, 110\.0\] m"):
        hang_between((0, 0), (100, 0), 110.0, 1e9, 1.0).eval_points(111.0)
