"""A twisted rod that winds around itself: two plies with contact, a loop at the end, and two straight tails."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.interpolate import CubicSpline
from scipy.ndimage import gaussian_filter1d

import windlass as wl
from windlass import connectors as con
from windlass.elements import PointSlopeTwist3D, TwistCable3D
from windlass.elements.nodes.turning import carry_normals
from windlass.framework.arrays import FloatArray

EI, GJ, RADIUS = 1.0, 0.8, 0.1  # N m^2, N m^2, m
FINE = 12000
"""Number of parts of the smooth line on which the rod is created."""


def find_torque_and_tension(angle: float) -> tuple[float, float]:
    """Return torque and tension of the tails of a plectoneme whose plies are at an angle to its axis [rad].

    The energy of the plies is ½ EI sin⁴α/R² per length, and they take the twist sin 2α/(2R) per length. The energy is
    stationary with respect to α and to the length of the plies.

    Source: N. Clauvelin, B. Audoly, S. Neukirch, Macromolecules 41 (2008) 4479-4483.
    """
    s, c = np.sin(angle), np.cos(2.0 * angle)
    return 2.0 * EI / RADIUS * s**3 * np.cos(angle) / c, EI / RADIUS**2 * s**4 * (0.5 + 1.0 / c)


def lay_plectoneme(turns: float, angle: float) -> tuple[FloatArray, FloatArray, float]:
    """Return points and tangents of a line with tails along x and left-handed plies about y, shape (FINE + 1, 3), and
    its length [m]."""
    R = 1.02 * RADIUS
    y = np.linspace(0.0, 2.0 * np.pi * turns * R / np.tan(angle), 400)
    phase = np.pi + y * np.tan(angle) / R
    ply = np.stack((R * np.cos(phase), y, R * np.sin(phase)), axis=1)
    along = np.linspace(-0.25 * np.pi, 1.25 * np.pi, 80)[:, None]
    loop = (0.0, y[-1] + 0.35, 0.0) + 0.22 * (
        np.cos(along) * ply[-1] * (1.0, 0.0, 1.0) / R + np.sin(along) * (0.0, 1.0, 0.0)
    )
    tail = np.outer(np.linspace(-1.6, -0.35, 80), (1.0, 0.0, 0.0)) - (0.0, 0.25, 0.0)
    line = np.concatenate((tail, ply, loop, ply[::-1] * (-1.0, 1.0, -1.0), tail[::-1] * (-1.0, 1.0, 1.0)))
    for smooth in (True, False, False):
        arc = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=1)))
        places = np.linspace(0.0, arc[-1], FINE // 2 if smooth else FINE + 1)
        if smooth:
            line = np.stack([np.interp(places, arc, line[:, k]) for k in range(3)], axis=1)
            line = gaussian_filter1d(line, 0.05 * len(line) / arc[-1], axis=0, mode="nearest")
        else:
            line = CubicSpline(arc, line)(places)
    tangents = CubicSpline(places, line).derivative()(places)
    return line, tangents / np.linalg.norm(tangents, axis=1)[:, None], float(places[-1])


@pytest.mark.long
def test_torque_of_a_plectoneme() -> None:
    """The torque of a rod under tension, whose plies have wound around each other, agrees with the theory of plies of
    constant angle."""
    angle = np.radians(30.0)
    torque, tension = find_torque_and_tension(angle)
    line, tangents, length = lay_plectoneme(2.0, np.radians(35.0))
    tangents[[0, -1]] = (1.0, 0.0, 0.0)
    normals, count = np.zeros_like(tangents), 150
    normals[0] = (0.0, 1.0, 0.0)
    carry_normals(tangents, normals)
    each = FINE // count
    world = wl.World()
    nodes = world.add(PointSlopeTwist3D, position=line[::each], slope=tangents[::each], normal=normals[::each])
    rod = world.add(
        TwistCable3D, node0=nodes[:-1], node1=nodes[1:], length=length / count, mass_per_length=0.5,
        rotary_inertia=0.25 * RADIUS**2, axial_stiffness=2e4, bending_stiffness=EI, torsional_stiffness=GJ,
        bending_damping=0.1, torsional_damping=0.1, axial_damping=2.0, reference_twist=-torque / GJ,
    )  # fmt: skip
    con.clamp(world, nodes[0])
    con.fix(world, nodes[count], "y", "z", "y'", "z'", "twist")
    world.add(con.Force, marker=con.position_marker(world, nodes[count]), vector=(tension, 0.0, 0.0))
    con.add_cable_contact(
        world, rod, radius=RADIUS, points=2, apart=4.0 * RADIUS, contact_stiffness_per_length=2e5,
        contact_damping_per_length=50.0,
    )  # fmt: skip
    state = wl.Dynamic(world, step=2e-3, end=9.0, name="").solve()
    place, frame = wl.eval_output(rod, "position", state), wl.eval_output(rod, "frame", state)
    plies = (place[:, 1] > 0.3 * place[:, 1].max()) & (place[:, 1] < 0.6 * place[:, 1].max())
    found = np.degrees(np.arccos(np.abs(frame[plies, 1, 0])))
    # measured: 0.1 % and 0.8°
    assert_allclose(wl.eval_output(rod[3], "torque", state), torque, rtol=0.01)
    assert_allclose(found.mean(), 30.0, atol=1.5)
