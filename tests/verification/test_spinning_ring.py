"""Modes of a free ring that spins, on moving material, and the case in which its backward waves are stationary.

In a frame at rest, waves with n lobes around an inextensible ring of radius a run with the angular frequencies

    p - n Ω,    p = 2 n Ω/(n² + 1) ± sqrt(n² (n² - 1)²/(n² + 1) (EI/(ρA a⁴) + Ω²/(n² + 1)))

G. F. Carrier, Quart. Appl. Math. 3 (1945) 235-245; M. Endo and others, J. Sound Vib. 92 (1984) 261-272. Without bending
stiffness the tension is ρA v², and one of the two frequencies is 0 for every n and every spin: the waves that run
against the material are stationary, because a string with this tension keeps any shape.
"""

from __future__ import annotations

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import brentq

import windlass as wl
from windlass import connectors as con
from windlass import elements as el

RHO_A, EA, RADIUS, ELEMENTS = 0.1, 1e4, 0.3, 64


def find_modes(spin: float, bending: float, count: int, solved: bool = True) -> wl.ModesResult:
    """Return the modes of a ring with a ``spin`` [rad/s] and a ``bending`` stiffness [N m²]. The ring is in equilibrium
    or, if ``solved`` is false, in its initial shape, in which cubic elements approximate a circle.
    """
    # the radius b without stress follows from N = EA (a/b - 1) = ρA v² with the speed v = Ω b of the material
    stretch = EA / RHO_A
    free = brentq(lambda b: stretch * (RADIUS / b - 1.0) - spin**2 * b * RADIUS, 0.5 * RADIUS, 1.01 * RADIUS)
    angle = 2.0 * np.pi * np.arange(ELEMENTS) / ELEMENTS
    along = np.column_stack((-np.sin(angle), np.cos(angle)))
    position = RADIUS * np.column_stack((np.cos(angle), np.sin(angle)))
    world = wl.World()
    axis = world.add(el.ALENode, velocity=(spin * free,))
    nodes = world.add(el.PointSlope2D, position=position, slope=RADIUS / free * along)
    last = nodes[np.roll(np.arange(ELEMENTS), -1)]
    world.add(
        el.ALECable2D, node0=nodes, node1=last, ale=axis, length=2.0 * np.pi * free / ELEMENTS, mass_per_length=RHO_A,
        axial_stiffness=EA, bending_stiffness=bending,
    )  # fmt: skip
    drive = con.prescribe_velocity(world, axis, "s", spin * free)
    if not solved:
        return wl.Modes(world, count=count, name="").solve()
    # cubics are not exactly circular, so without an equilibrium solve the rotation of the ring would appear to grow
    holds = [con.fix(world, nodes[0], "x", "y"), con.fix(world, nodes[ELEMENTS // 2], "y"), con.fix(world, axis, "s")]
    world.set(drive, active=False)
    state = wl.Static(world, velocities="given", stability="off", rtol=1e-12, atol=1e-9, name="").solve()
    for hold in holds:
        world.set(hold, active=False)
    world.set(drive, active=True)
    return wl.Modes(world, count=count, name="").solve(state)


@pytest.mark.parametrize(("spin", "tolerance"), [(0.0, 3e-3), (10.0, 3e-3), (-50.0, 6e-3), (50.0, 6e-3), (100.0, 2e-2)])
def test_waves_of_a_ring(spin: float, tolerance: float) -> None:
    """Three free motions and the waves that run forwards and backwards agree with theory. Theory has relative errors of
    EI/(EA a²) = 10⁻³ and of N/EA.
    """
    found = find_modes(spin, 1.0, 9)
    n = np.arange(2.0, 8.0)[:, None]
    root = np.sqrt(n**2 * (n**2 - 1) ** 2 / (n**2 + 1) * (1.0 / (RHO_A * RADIUS**4) + spin**2 / (n**2 + 1)))
    theory = np.sort(np.abs(2 * n * spin / (n**2 + 1) + root * (1.0, -1.0) - n * spin).ravel())
    assert found.notes == [] and not found.growing and found.imbalance < 1e-6
    assert_allclose(found.eigenvalues[:3], 0.0, atol=0)
    assert_allclose(found.eigenvalues[3:].real, 0.0, atol=1e-3)
    assert_allclose(found.eigenvalues[3:].imag, theory[:6], rtol=tolerance)


@pytest.mark.parametrize("spin", [10.0, 50.0, -50.0])
def test_backward_waves_that_stand_still(spin: float) -> None:
    """All modes are found and no mode grows.

    A note names the modes that cannot be distinguished, and the limit below which modes cannot be distinguished.
    """
    found = find_modes(spin, 0.0, 24)
    assert len(found) == 24 and not found.growing
    assert np.abs(found.eigenvalues).max() < 2.0
    words = "modes cannot be distinguished, because their eigenvalues are zero up to rounding, |σ| < 0.01"
    assert sum(words in note for note in found.notes) == 1


def test_start_out_of_balance_is_doubtful() -> None:
    """If modes are computed at the start without a static solve, the verdict names the relative unbalanced force as the
    cause of a growing mode.
    """
    found = find_modes(50.0, 1e-7, 24, solved=False)
    left = wl.assemble_vector(found.state.world, found.state).getArray()
    # because of symmetry, the constraints carry no forces
    assert_allclose(found.imbalance, np.abs(left[:-1]).max(), rtol=1e-3)
    (doubt,) = [note for note in found.notes if note.startswith("doubtful")]
    where = r"([\d.e-]+) N at PointSlope2D \d+, [xy]"
    words = rf"doubtful: {where} is unbalanced, ([\d.e-]+) of the largest force"
    said = re.search(words, doubt)
    assert said is not None, doubt
    assert_allclose(float(said[1]), found.imbalance, rtol=0.05)
    # the force is relative to the resultant of the tension ρA v² at both ends of an element, which is 2 π/64 of the
    # tension
    assert_allclose(float(said[2]), found.imbalance / (RHO_A * (50.0 * RADIUS) ** 2 * 2.0 * np.pi / ELEMENTS), rtol=0.1)
    assert found.growing and any("grow: perhaps because forces are unbalanced" in note for note in found.notes)
