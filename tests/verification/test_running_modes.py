"""Modes of running closed belts whose nodes move with the belt: rings, belts on pulleys, Campbell diagrams.

Sources: G. H. Bryan (1890) and G. F. Carrier (1945) for the ring in `support.modes_models`; C. D. Mote, J. Franklin
Inst. 279 (1965) 430-444, and J. A. Wickert, C. D. Mote, J. Appl. Mech. 57 (1990) 738-744 for spans.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
import windlass.connectors as con
import windlass.elements as el

from support.modes_models import create_ring, ring_frequencies, spin_ring
from support.moving_spans import Span, create_span, find_exact_root

STRING = Span(length=2.0, mass=0.5, tension=100.0, bending=0.0)
BEAM = Span(length=2.0, mass=0.5, tension=100.0, bending=1.0)
RADIUS, MASS = 0.08, 0.1


def mount_belt(elements: int | None, **columns: float) -> tuple[wl.Belt, wl.State]:
    """Create a belt with a tension of 300 N on two equal fixed pulleys, 0.6 m apart. The belt is at rest and sticks."""
    world = wl.World()
    wheels = [
        world.add(el.RigidBody2D, name=name, position=(x, 0.0), mass=1.0, inertia=0.01)
        for name, x in (("driver", 0.0), ("driven", 0.6))
    ]
    con.fix(world, wheels, "x", "y")
    drives = [con.fix(world, wheel, "rotation") for wheel in wheels]
    belt = wl.Belt(
        world, [wl.Pulley(wheel, RADIUS) for wheel in wheels], tension=300.0, axial_stiffness=2e4, mass_per_length=MASS,
        friction=0.5, elements=elements, **{"bending_stiffness": 1e-5, **columns},
    )  # fmt: skip
    with belt.preload(*drives):
        rest = wl.Static(world, name="").solve()
    # the second solve includes friction, so the belt sticks
    return belt, wl.Static(world, name="").solve(rest)


@pytest.mark.parametrize("turning", [1.0, 3.0, 8.0])
def test_waves_of_a_ring_whose_nodes_travel(turning: float) -> None:
    """The frequencies of three free motions and six waves agree to 1e-7 with a ring of ALE cables, whose nodes are at
    rest, and agree to 3e-4 with theory.

    Without the terms of running material, the frequencies would refer to the frame of the nodes.
    """
    state, moving = spin_ring(48, turning), create_ring(48, turning)
    found = wl.Modes(state.world, count=9).solve(state)
    assert_allclose(found.motion.belts[0].flow, turning, rtol=1e-8)
    assert_allclose(found.frequencies, wl.Modes(moving.world, count=9).solve(moving).frequencies, rtol=1e-7, atol=1e-7)
    waves = ring_frequencies(turning, (2, 3)) / (2.0 * np.pi)
    nearest = np.abs(found.frequencies[:, None] / waves - 1.0).min(axis=0)
    assert nearest[waves < found.frequencies.max()].max() < 1.5e-3 and not found.growing
    frozen = wl.Modes(state.world, count=9, running=False).solve(state)
    assert abs(frozen.frequencies[3] / found.frequencies[3] - 1.0) > 0.05


def test_a_belt_that_a_constraint_holds_keeps_its_matrices() -> None:
    """If a node of the ring is fixed, the terms of running material are omitted, with a note."""
    state = spin_ring(24, 3.0, held=True)
    found = wl.Modes(state.world, count=6).solve(state)
    frozen = wl.Modes(state.world, count=6, running=False).solve(state)
    assert found.motion.belts[0].held and any("constraints hold nodes of a closed belt" in note for note in found.notes)
    assert_allclose(found.frequencies, frozen.frequencies, rtol=1e-12)


@pytest.mark.parametrize("ratio", [0.0, 0.3, 0.6, 0.9])
def test_spans_of_a_belt_as_moving_strings(ratio: float) -> None:
    """The first three modes of both spans agree with n c (1 - v²/c²)/(2 L) within 0.5 % (the measured errors are -0.17
    to +0.34 %).
    """
    belt, rest = mount_belt(120, contact={"contact_stiffness_per_length": 3e9})
    tension = np.mean([span.tension for span in belt.report(rest).spans])
    c = np.sqrt(tension / belt.mass_per_length)
    exact = np.arange(1, 4) * c * (1.0 - ratio**2) / (2.0 * 0.6)
    found = wl.Modes(belt.world, count=12, problem="quadratic").solve(belt.run(rest, ratio * c))
    assert not found.growing
    shares = found.energy_share()
    swinging = found.frequencies[sum(shares[name] for name in ("driver", "driven")) < 0.01]
    for k in range(3):
        near = swinging[np.abs(swinging / exact[k] - 1.0) < 0.2]
        assert len(near) == 2
        assert_allclose(near, exact[k], rtol=5e-3)


def test_critical_speed_of_a_belt() -> None:
    """Spans lose their stiffness at v² = T/rhoA, like strings (Mote 1965). The measured error is -9·10⁻⁵, and the
    tolerance is 10⁻³.
    """
    belt, rest = mount_belt(80)
    c = np.sqrt(np.mean([span.tension for span in belt.report(rest).spans]) / belt.mass_per_length)
    found = wl.find_critical_speed(lambda speed: belt.run(rest, speed), 0.8 * c, 1.1 * c, tolerance=1e-4, count=4)
    assert_allclose(found, c, rtol=1e-3)


def test_campbell_of_moving_spans() -> None:
    """The first three modes of a string and a beam at 0 to 0.9 of the critical speed agree with theory within 0.5 %
    (the measured error is 4e-4).
    """
    for span in (STRING, BEAM):
        critical = np.sqrt((span.tension + np.pi**2 * span.bending / span.length**2) / span.mass)
        speeds = critical * np.array([0.0, 0.3, 0.6, 0.9])
        cases = [(speed, create_span(span, speed, 24)[2]) for speed in speeds]
        found = wl.campbell(cases, count=3, unit="m/s")
        for speed, row in zip(speeds, found.frequencies, strict=True):
            if span.bending:
                exact = [abs(find_exact_root(span, speed, 2j * np.pi * f).imag) / (2.0 * np.pi) for f in row]
            else:
                c = np.sqrt(span.tension / span.mass)
                exact = (np.arange(1, 4) * c * (1.0 - (speed / c) ** 2) / (2.0 * span.length)).tolist()
            assert_allclose(row, exact, rtol=5e-3)
            assert len({round(f, 3) for f in exact}) == 3


def test_campbell_of_a_running_belt_with_nothing_chosen() -> None:
    """The Campbell diagram of a belt with default mesh and contact, at 0, 12 and 24 m/s and 0.6 of the critical speed,
    has lines of both spans.

    Each line follows its mode by shape. Frequencies agree with strings within 0.5 %. The measured errors are 0.05 to
    0.35 %.
    """
    belt, rest = mount_belt(None)
    tension = np.mean([span.tension for span in belt.report(rest).spans])
    c = np.sqrt(tension / belt.mass_per_length)
    speeds = np.array([0.0, 12.0, 24.0, 0.6 * c])
    found = wl.campbell([(speed, belt.run(rest, speed)) for speed in speeds], count=6, unit="m/s")
    exact = np.arange(1, 4) * c * (1.0 - (speeds[:, None] / c) ** 2) / (2.0 * 0.6)
    assert_allclose(found.frequencies, np.repeat(exact, 2, axis=1), rtol=5e-3)
    assert found.assurance[1:].min() > 0.7 and all(found.stable)


def test_lines_of_a_campbell_diagram_follow_shapes(tmp_path: Path) -> None:
    """The stiffness of one of two springs increases with the speed, so the lines of both modes cross.

    Lines that were sorted by frequency would not cross.
    """

    def create(speed: float) -> wl.State:
        world = wl.World()
        for k, stiffness in enumerate((4.0, 1.0 + speed**2)):
            mass = world.add(el.MassPoint, position=(float(k), 0.0), mass=1.0)
            con.fix(world, mass, "y")
            world.add(con.CoordinateSpringDamper, marker1=con.coordinate_marker(world, mass, "x"), stiffness=stiffness)
        return wl.State(world)

    speeds = (0.0, 1.0, 2.0, 3.0)
    found = wl.campbell(
        [(v, create(v)) for v in speeds], count=2, unit="m/s", output=tmp_path, orders=(1.0,), radius=0.1
    )
    assert_allclose(2.0 * np.pi * found.frequencies, [(np.sqrt(1.0 + v**2), 2.0) for v in speeds], rtol=1e-9)
    assert_allclose(found.assurance[1:], 1.0, rtol=1e-9)
    assert found.modes.tolist() == [[0, 1], [0, 1], [1, 0], [1, 0]]


def test_lines_of_a_belt_that_has_run_on() -> None:
    """After the ring has moved by a fifth of a turn, mode shapes are compared at equal positions and not at equal
    nodes.
    """
    first, later = spin_ring(40, 1.0), spin_ring(40, 1.5)
    found = wl.campbell([(1.0, first), (1.5, later)], count=7)
    waves = found.frequencies[0] > 0.1
    assert found.assurance[1, waves].min() > 0.9
