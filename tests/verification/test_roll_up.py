"""The end moment 2 pi EI/L bends a clamped cable into a closed circle.

The cable has the length L and EA L²/EI = 1e8, and the moment is applied in 10 equal load steps. The curvature is 2 pi/L
everywhere and the axial force is 0, so the free end returns to the clamp: displacement (-L, 0), rotated by a full turn.
The circle does not depend on the axial stiffness. Source: the moment-curvature law M = EI kappa; this is a classic test
of large rotations, e.g. J. C. Simo, L. Vu-Quoc, Comput. Methods Appl. Mech. Eng. 58 (1986) 79-116.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.testing import assert_allclose

from windlass.connectors import Torque, rigid_marker
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.evaluate import eval_output
from windlass.framework.state.state import State

from support.cantilever import solve_cantilever


@cache
def roll_up(elements: int) -> tuple[Entity, State, int]:
    """Return the cables, their state, and the number of Newton iterations."""

    def turn(world: World, cables: Entity, _: Entity) -> None:
        end = rigid_marker(world, cables[elements - 1], (1.0 / elements, 0.0))
        world.add(Torque, marker=end, vector=(0.0, 0.0, 2.0 * np.pi))

    cables, state, solver = solve_cantilever(turn, elements, integration=2)
    return cables, state, solver.statistics.newton_iterations


def eval_tip(elements: int) -> tuple[float, float]:
    """Return the displacement [m] of the free end."""
    cables, state, _ = roll_up(elements)
    node = state.world.entity(int(cables.table.collect("node1")[-1]))
    x, y = state.of(node)[0, :2]
    return float(x), float(y)


def test_closed_circle() -> None:
    """The end displacement is (-L, 0) with an error of 8e-7 L for 64 elements (0.003 L for 8 elements). The tolerance
    is 1e-6 L.
    """
    assert_allclose(eval_tip(64), (-1.0, 0.0), rtol=0, atol=1e-6)


def test_order_of_convergence() -> None:
    """The gap of the circle decreases with order 4 within ± 0.3, which is the order for the elastica. The measured
    orders are 3.93, 3.99 and 4.00.
    """
    gaps = [np.hypot(eval_tip(n)[0] + 1.0, eval_tip(n)[1]) for n in (8, 16, 32, 64)]
    assert_allclose(np.diff(np.log2(gaps)), -4.0, rtol=0, atol=0.3)


def test_pure_bending() -> None:
    """Nodes lie on the circle of radius L/(2 pi), and at the Gauss points the moment is 2 pi EI/L without tension.

    The tolerance of the radius with 64 elements is 1e-6 L, as for the gap of the circle. The moment at the points of
    rule 2, where the moment is most accurate, has the relative tolerance 1e-4. The axial force at the integration
    points is far below 2 pi² N, the force that would bend the ring by a similar amount.
    """
    cables, state, iterations = roll_up(64)
    ends = eval_output(cables, "position", state, x=1.0 / 64)[:, :2]
    radius = 0.5 / np.pi
    assert_allclose(np.hypot(ends[:, 0], ends[:, 1] - radius), radius, rtol=0, atol=1e-6)
    gauss = np.tile((0.5 + np.array([-0.5, 0.5]) / np.sqrt(3.0)) / 64, (64, 1))
    assert_allclose(eval_output(cables, "bending_moment", state, x=gauss), 2.0 * np.pi, rtol=1e-4)
    lobatto = np.tile(np.array([0.0, 0.5, 1.0]) / 64, (64, 1))
    assert np.abs(eval_output(cables, "axial_force", state, x=lobatto)).max() < 1e-3
    assert iterations <= 60
