"""A twisted rod that winds around itself: two plies with contact, a loop at the end, and two straight tails."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass import connectors as con
from windlass.elements import PointSlopeTwist3D, TwistCable3D

from support.processes import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))


@pytest.mark.long
def test_torque_of_a_plectoneme() -> None:
    """The torque of a twisted rod under tension that has wound around itself agrees with the theory of plies of
    constant angle.
    """
    import plectonemes_scene as scene  # imported inside the function, because benchmarks are not part of the package

    torque, tension = scene.find_torque_and_tension(scene.ANGLE)
    line, tangents, normals, length = scene.lay_plectoneme()
    count, radius = 150, scene.RADIUS
    each = scene.FINE // count
    world = wl.World()
    nodes = world.add(PointSlopeTwist3D, position=line[::each], slope=tangents[::each], normal=normals[::each])
    rod = world.add(
        TwistCable3D, node0=nodes[:-1], node1=nodes[1:], length=length / count, mass_per_length=scene.MASS,
        rotary_inertia=0.5 * scene.MASS * radius**2, axial_stiffness=scene.EA, bending_stiffness=scene.EI,
        torsional_stiffness=scene.GJ, bending_damping=0.1, torsional_damping=0.1, axial_damping=2.0,
        reference_twist=-torque / scene.GJ,
    )  # fmt: skip
    con.clamp(world, nodes[0])
    con.fix(world, nodes[count], "y", "z", "y'", "z'", "twist")
    world.add(con.Force, marker=con.position_marker(world, nodes[count]), vector=(tension, 0.0, 0.0))
    con.add_cable_contact(
        world, rod, radius=radius, points=2, apart=4.0 * radius, contact_stiffness_per_length=scene.STIFFNESS,
        contact_damping_per_length=2.5e-4 * scene.STIFFNESS,
    )  # fmt: skip
    state = wl.Dynamic(world, step=2e-3, end=scene.END, name="").solve()
    place, frame = wl.eval_output(rod, "position", state), wl.eval_output(rod, "frame", state)
    plies = (place[:, 1] > 0.3 * place[:, 1].max()) & (place[:, 1] < 0.6 * place[:, 1].max())
    found = np.degrees(np.arccos(np.abs(frame[plies, 1, 0])))
    # the measured errors are 0.1 % and 0.8°
    assert_allclose(wl.eval_output(rod[3], "torque", state), torque, rtol=0.01)
    assert_allclose(found.mean(), np.degrees(scene.ANGLE), atol=1.5)
