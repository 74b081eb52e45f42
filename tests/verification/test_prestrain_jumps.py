"""If an equilibrium jumps while prestrain grows or reference lengths change, the verdict names the jump. The jump
occurs at the limit of the closed form.

Sources: R. von Mises, ZAMM 3 (1923) 406-422 (truss of two bars, P(y) = 2 k (l0 - l) y/l, at its limit l³ = l0 a²);
S. P. Timoshenko, J. M. Gere, Theory of Elastic Stability (1961), section 7.6 (shallow sine arch, one term).
"""

from __future__ import annotations

import re
from math import hypot, pi, sqrt
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass.connectors import (
    ContactCoordinate,
    Force,
    SpringDamper,
    coordinate_marker,
    fix,
    hinge,
    position_marker,
)
from windlass.elements import Cable2D, Ground, MassPoint, PointSlope2D
from windlass.framework.arrays import FloatArray
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.state import State


def find_jump(solver: wl.Static, start: State | None = None) -> tuple[State, tuple[float, float] | None, str]:
    """Return the equilibrium; for a jump, also its bounds, as fractions of the unbalanced forces, and the coordinate
    with the largest jump.
    """
    state = solver.solve(start)
    if not solver.verdict.reasons:
        return state, None, ""
    (reason,) = solver.verdict.reasons
    words = r"jumps between ([\d.]+) and ([\d.]+) of the forces that its start leaves unbalanced.* most at (.*): no"
    found = re.search(words, reason)
    assert found is not None, reason
    return state, (float(found[1]), float(found[2])), found[3]


ELEMENTS, BENDING, AXIAL = 16, 1.0, 1e5
STRAIN = 3.0 * pi**2 * BENDING / AXIAL
"""Reference strain [1] of the wire, three times its buckling strain π² EI/EA; below four times, the wire flips without
an antisymmetric mode.
"""


def find_curvature_limit() -> float:
    """Return the reference curvature κ0 sin πx [1/m] at which a buckled wire b sin πx flips to the other side.

    The curvature follows from EI κ0 = (H - π² EI) b with the thrust H = EA (ε0 - π² b²/4), largest where 3 π² b²/4 = ε0
    - π² EI/EA.
    """
    rise = sqrt((STRAIN - pi**2 * BENDING / AXIAL) * 4.0 / (3.0 * pi**2))
    return (AXIAL * (STRAIN - pi**2 * rise**2 / 4.0) - pi**2 * BENDING) * rise / BENDING


def create_wire(share: float) -> World:
    """Create a wire that has buckled upwards between two hinges.

    The reference curvature of the wire is a fraction of the curvature at which the wire flips.
    """
    world, n = World(), ELEMENTS
    rise = sqrt((STRAIN - pi**2 * BENDING / AXIAL) * 4.0 / pi**2)
    x = np.linspace(0.0, 1.0, n + 1)
    slope = np.column_stack([np.ones(n + 1), pi * rise * np.cos(pi * x)])
    slope /= np.linalg.norm(slope, axis=1)[:, None]
    position = np.column_stack([x, rise * np.sin(pi * x)])
    nodes = world.add(PointSlope2D, name="wire", position=position, slope=slope)
    curvature = share * find_curvature_limit() * np.sin(pi * (np.arange(n) + 0.5) / n)
    columns = {"axial_stiffness": AXIAL, "bending_stiffness": BENDING, "mass_per_length": 1.0, "length": 1.0 / n}
    prestrain: dict[str, Any] = {"reference_strain": STRAIN, "reference_curvature": curvature}
    world.add(Cable2D, node0=nodes[:n], node1=nodes[1:], **columns, **prestrain)
    hinge(world, nodes[0]), hinge(world, nodes[n])
    return world


@pytest.mark.parametrize("shares", [(1.1,), (3.0,), (10.0,), (0.5, 0.9, 1.3), (0.4, 0.8, 0.97)])
def test_wire_of_growing_curvature(shares: tuple[float, ...]) -> None:
    """A buckled wire flips at the theoretical curvature within 0.3 %, in one or several steps, and not before."""
    state, last, jumps = wl.Static(create_wire(0.0), name="").solve(), 0.0, list[float]()
    for share in shares:
        world = create_wire(share)
        state, where, words = find_jump(wl.Static(world, name=""), wl.State(world).assign(state))
        if where is not None:
            before, after = (last + (share - last) * way for way in where)
            jumps.append(0.5 * (before + after))
            assert words.startswith("wire 8, y, by -") and after - before < 0.01 * share
        last = share
    assert_allclose(jumps, [1.0] if shares[-1] > 1.0 else [], rtol=3e-3)


RISE, STIFFNESS, SOFT, DEPTH = 0.3, 1e4, 100.0, 0.8
FREE = hypot(1.0, RISE)


def push(height: FloatArray, free: float) -> FloatArray:
    """Return the upward force [N] of two bars of a reference length [m] that meet at a height [m]."""
    length = np.hypot(1.0, height)
    return np.asarray(2.0 * STIFFNESS * (free - length) * height / length)


LOAD = 0.7 * float(push(np.linspace(0.0, RISE, 100_001), FREE).max())


def create_truss(pressed: bool) -> tuple[World, list[Entity]]:
    """Create a truss of 2 m span under a dead load, or pressed down by DEPTH through a soft contact. Return the world
    and the bars.
    """
    world = World()
    top = world.add(MassPoint, name="top", position=(0.0, RISE), mass=1.0)
    fix(world, top, "x")
    marker = position_marker(world, top)
    ends = [position_marker(world, world.add(Ground), (x, 0.0)) for x in (-1.0, 1.0)]
    bars = [world.add(SpringDamper, marker0=end, marker1=marker, rest_length=FREE, stiffness=STIFFNESS) for end in ends]
    if pressed:
        # coordinates are relative to the reference position
        stop = world.add(MassPoint, name="stop", position=(0.0, RISE), mass=1.0)
        fix(world, stop, "x", "y")
        under, over = (coordinate_marker(world, body, "y") for body in (top, stop))
        world.add(ContactCoordinate, marker0=under, marker1=over, contact_stiffness=SOFT, offset=DEPTH)
    else:
        world.add(Force, marker=marker, vector=(0.0, -LOAD, 0.0))
    return world, bars


@pytest.mark.parametrize("pressed", [False, True])
def test_truss_that_is_cooled(pressed: bool) -> None:
    """The bars of a truss shrink under a dead load, or under a soft contact, and the truss snaps through at the load of
    the closed form.

    The residual R(y) with the shorter bars is removed gradually, to (1 - τ) R(y0), so the jump occurs at τ = 1 - min
    R/R(y0).
    """
    world, bars = create_truss(pressed)
    state, snapped = wl.Static(world, name="").solve(), False
    for step in range(1, 5):
        free = FREE * (1.0 - 0.004 * step)
        y = np.linspace(0.0, RISE + float(state.q[1]), 100_001)
        for bar in bars:
            world.set(bar, rest_length=free)
        state, where, words = find_jump(wl.Static(world, name=""), state)
        rest = (SOFT * (y - RISE + DEPTH) if pressed else LOAD) - push(y, free)
        if not snapped and rest.min() > 0.0:
            snapped, limit = True, 1.0 - float(rest.min() / rest[-1])
            assert where is not None and where[0] - 1e-3 <= limit <= where[1] + 1e-3
            assert where[1] - where[0] < 2e-3 and words.startswith("top, y, by -0.")
        else:
            assert where is None
    assert snapped
