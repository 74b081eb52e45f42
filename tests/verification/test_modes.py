"""Comparisons of natural frequencies with closed forms: strings, beams, chains, rings, bodies on springs, moving
material, and a belt.

A pinned span of a string or beam under the tension T has

    ω_n² = (n π/L)² (T + EI (n π/L)²)/ρA

A chain of N masses on massless rods has ω² = g/l x with the zeros x of the Laguerre polynomial L_N. For many links, the
chain becomes Bernoulli's heavy chain with ω = j/2 √(g/L), where j are the zeros of the Bessel function J_0.

Sources: S. Timoshenko, Vibration Problems in Engineering, Van Nostrand (1928); D. Bernoulli (1732), in C. Truesdell,
The Rational Mechanics of Flexible or Elastic Bodies, Orell Füssli (1960). For moving material see
test_moving_string.py.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import jn_zeros, roots_laguerre

import windlass as wl
import windlass.connectors as con
import windlass.elements as el
from windlass.framework.arrays import FloatArray
from windlass.solvers.modes.sturm import count_unheld

from support.modes_models import G, create_body, create_chain, create_drive, create_ring, create_span, ring_frequencies
from support.moving_spans import Span
from support.moving_spans import create_span as create_moving_span

STRING = Span(length=2.0, mass=0.5, tension=100.0, bending=0.0)
BEAM = Span(length=2.0, mass=0.5, tension=100.0, bending=1.0)
C = np.sqrt(STRING.tension / STRING.mass)


def omegas(result: wl.ModesResult) -> FloatArray:
    """Return the angular frequencies [rad/s] of the modes of a world."""
    return 2.0 * np.pi * result.frequencies


@pytest.mark.parametrize("bending", [0.0, 1.0])
def test_string_and_tensioned_beam(bending: float) -> None:
    """The first three frequencies with 8, 16 and 32 elements converge to the closed form with order 4 (3.84 to 4.08).
    The first frequency agrees to 1e-7 with 32 elements.
    """
    k = np.pi / 2.0 * np.arange(1, 4)
    exact = k * np.sqrt((100.0 + bending * k**2) / 0.5)
    results = [wl.Modes(create_span(n, bending=bending), count=3).solve() for n in (8, 16, 32)]
    errors = np.array([omegas(result) / exact - 1.0 for result in results])
    orders = np.log2(errors[:-1] / errors[1:])
    assert orders.min() > 3.8 and orders.max() < 5.0
    assert np.abs(errors[-1, 0]) < 2e-7
    assert all(result.missing == 0 and result.residuals.max() < 1e-10 for result in results)


@pytest.mark.parametrize("links", [1, 3, 12])
def test_all_modes_of_a_hanging_chain(links: int) -> None:
    """A hanging chain with two coordinates and one constraint per link has one mode for each link. All frequencies
    agree with the zeros of Laguerre's polynomial.
    """
    state = create_chain(links)
    result = wl.Modes(state.world, count=50).solve(state)
    exact = np.sqrt(G * links * roots_laguerre(links)[0])
    assert len(result) == links and result.missing == 0
    assert_allclose(omegas(result), exact, rtol=1e-9)
    assert not any("no modes" in note for note in result.notes)


def test_hanging_chain_of_many_links() -> None:
    """The frequencies of chains with 25, 50 and 100 links and the length L (1 + 1/2N) converge to the values by
    Bessel's zeros with order 2 (the measured orders are 1.97 to 1.99).

    With 100 links the frequencies agree to 3.9e-6.
    """
    errors = []
    for links in (25, 50, 100):
        state = create_chain(links)
        result = wl.Modes(state.world, count=3).solve(state)
        exact = 0.5 * jn_zeros(0, 3) * np.sqrt(G / (1.0 + 0.5 / links))
        errors.append(omegas(result) / exact - 1.0)
    orders = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    assert orders.min() > 1.95 and orders.max() < 2.05
    assert abs(errors[-1][0]) < 5e-6


def test_free_ring() -> None:
    """A free ring has three rigid motions and the double frequencies n (n² - 1)/√(n² + 1) √(EI/ρA).

    The error has order 4 (the measured orders are 3.92 to 3.96), and is 3.6e-5 with 32 elements.
    """
    errors = []
    for elements in (16, 32):
        state = create_ring(elements)
        result = wl.Modes(state.world, count=9).solve(state)
        assert_allclose(result.frequencies[:3], 0.0, atol=0.0)
        assert result.missing == 0 and not result.growing
        errors.append(omegas(result)[3:] / ring_frequencies(0.0, (2, 3, 4)) - 1.0)
    orders = np.log2(errors[0] / errors[1])
    assert orders.min() > 3.8 and orders.max() < 4.2
    assert errors[1][:2].max() < 5e-5


def test_rotating_ring() -> None:
    """Coriolis forces split each pair of equal frequencies of a ring that rotates with 1.5 rad/s. Frequencies converge
    to the closed form with order 4 (3.90 to 3.95), and agree to 1.5e-5 to 2.1e-4 with 32 elements.
    """
    exact = ring_frequencies(1.5, (2, 3))
    errors = []
    for elements in (16, 32):
        state = create_ring(elements, 1.5)
        result = wl.Modes(state.world, count=8).solve(state)
        found = omegas(result)
        # the frequency of the fourth pair lies between the split frequencies
        near = np.array([found[np.argmin(abs(found - one))] for one in exact])
        assert np.abs(result.damping).max() < 1e-8
        errors.append(near / exact - 1.0)
    orders = np.log2(np.abs(errors[0] / errors[1]))
    assert orders.min() > 3.8 and orders.max() < 4.2
    assert np.abs(errors[1]).max() < 3e-4


@pytest.mark.parametrize("ratio", [0.3, 0.9])
def test_moving_string(ratio: float) -> None:
    """Frequencies of a moving string, computed from a quadratic eigenvalue problem, converge to n c (1 - v²/c²)/2L with
    order 4, as in test_moving_string.py. At 0.9 c with 32 elements, the error is 1e-6.
    """
    exact = np.arange(1, 4) * np.pi / 2.0 * C * (1.0 - ratio**2)
    errors = []
    for elements in (16, 32):
        world, _, state = create_moving_span(STRING, ratio * C, elements)
        result = wl.Modes(world, count=3).solve(state)
        assert np.abs(result.damping).max() < 1e-8 and not result.growing
        errors.append(omegas(result) / exact - 1.0)
    orders = np.log2(errors[0] / errors[1])
    assert orders.min() > 3.9 and orders.max() < 5.0
    assert abs(errors[1][0]) < 2e-6


def test_critical_speed_of_a_moving_beam() -> None:
    """A moving beam buckles at v² = (T + π² EI/L²)/m. With 8 elements, the measured error is 2.1e-5, and the tolerance
    is 3e-5.
    """

    def create(speed: float) -> wl.State:
        return create_moving_span(BEAM, speed, 8)[2]

    critical = np.sqrt((BEAM.tension + np.pi**2 * BEAM.bending / BEAM.length**2) / BEAM.mass)
    found = wl.find_critical_speed(create, 0.9 * critical, 1.02 * critical, tolerance=1e-6, count=2)
    assert found == pytest.approx(critical, rel=3e-5)


@pytest.mark.parametrize("high", [1.02, 1.3])
def test_critical_speed_of_a_moving_string(high: float) -> None:
    """The critical speed of a moving string is its wave speed c, although all modes that the mesh resolves become
    stable again above c.

    The error is due to rounding errors of K, and the tolerance is 1e-6.
    """

    def create(speed: float) -> wl.State:
        return create_moving_span(STRING, speed, 8)[2]

    assert wl.find_critical_speed(create, 0.9 * C, high * C, tolerance=1e-7, count=2) == pytest.approx(C, rel=1e-6)


def test_directions_that_forces_do_not_hold() -> None:
    """The number of negative eigenvalues of K is 0 below the wave speed of a belt. Above the wave speed, this number is
    the number of elements. Far above the wave speed, shorter waves of the mesh are also counted.

    Rigid motions have stiffness 0, so they are not counted.
    """

    def count(state: wl.State) -> int | None:
        return count_unheld(wl.Modes(state.world, count=1).solve(state).motion)

    ratios = 0.0, 0.99, 1.01, 1.6
    assert [count(create_moving_span(STRING, ratio * C, 4)[2]) for ratio in ratios] == [0, 0, 4, 8]
    assert count(create_ring(8)) == 0


def test_critical_speed_wants_states() -> None:
    with pytest.raises(wl.ModelError, match=r"create\(1.0\) in find_critical_speed gave 3: must give a State"):
        wl.find_critical_speed(lambda speed: 3, 1.0, 2.0)  # type: ignore[arg-type,return-value]


def test_body_on_springs() -> None:
    """For a body on springs, ω² is k/m for translation and c/I for rotation about the centre.

    With the damping 2 c/m and 2 c a²/I, the eigenvalues agree with the exact eigenvalues, one pair of which is
    overdamped.
    """
    world, _ = create_body()
    result = wl.Modes(world, count=3).solve()
    assert_allclose(omegas(result), np.sqrt([2 * 50.0 * 0.04 / 0.1, 100.0 / 2.0, 600.0 / 2.0]), rtol=1e-12)
    world, _ = create_body(damping=9.0)
    result = wl.Modes(world, count=4).solve()
    swing, turn = np.roots([2.0, 18.0, 100.0]), np.roots([0.1, 2 * 9.0 * 0.04, 4.0])
    exact = [root for root in (*swing, *turn, 1j * np.sqrt(300.0)) if root.imag >= 0.0]
    exact.sort(key=abs)
    found = sorted(result.eigenvalues, key=abs)
    assert_allclose(found, exact, rtol=1e-8, atol=1e-8)
    assert_allclose(result.damping, [-root.real / abs(root) for root in exact], atol=1e-8)


def test_free_body_in_space_on_a_spring() -> None:
    """A 3D body on a spring has seven coordinates and one constraint. Three modes are free rotations, and three modes
    are vibrations on the spring, two of which have equal frequencies.
    """
    world = wl.World()
    body = world.add(el.RigidBody3D, position=(0.0, 0.0, 0.0), mass=2.0, inertia=(0.1, 0.2, 0.3))
    ground = con.position_marker(world, world.add(el.Ground))
    ends = {"marker0": ground, "marker1": con.position_marker(world, body)}
    world.add(con.CartesianSpringDamper, **ends, stiffness=(8.0, 8.0, 18.0), damping=(0.0, 0.0, 0.0))
    result = wl.Modes(world, count=20).solve()
    assert_allclose(omegas(result), [0.0, 0.0, 0.0, 2.0, 2.0, 3.0], rtol=1e-12)
    assert result.missing == 0


def test_inverted_pendulum() -> None:
    """The displacement of a mass on an upright rod increases like exp(√(g/l) t), and a note reports that the state is
    unstable.
    """
    state = create_chain(1, gravity=-G)
    result = wl.Modes(state.world, count=1).solve(state)
    assert result.eigenvalues[0] == pytest.approx(np.sqrt(G), rel=1e-9)
    assert result.growing == [0] and any("unstable" in note for note in result.notes)


def test_belt_that_sticks_to_its_pulleys() -> None:
    """For a belt that sticks to its pulleys, the modes of the spans are the modes of strings, and in one mode the
    pulleys rotate in opposite directions.

    Two frequencies agree with c/2L (1 + 2/L √(EI/T)) within 4e-4, and two frequencies agree with twice this value
    within 5e-4. The frequency of the mode with rotating pulleys agrees within 2e-3 with ω² = 2 EA R²/L (1/I0 + 1/I1).
    The moments of inertia include the belt that sticks to the pulleys and a third of the mass of the spans.
    """
    state, belt, _ = create_drive(160)
    result = wl.Modes(state.world, count=6).solve(state)
    tension = wl.eval_output(belt, "axial_force", state, x=0.0).min()
    string = np.sqrt(tension / 0.1) / 1.0 * (1.0 + 2.0 / 0.5 * np.sqrt(1e-4 / tension))
    share = result.energy_share()
    spans = [i for i in range(6) if share["belt"][i] > 0.99]
    assert_allclose(result.frequencies[spans], [string, string, 2 * string, 2 * string], rtol=1e-3)
    assert_allclose(result.frequencies[spans[:2]], string, rtol=5e-4)
    turning = [i for i in range(6) if share["driver"][i] > 0.5]
    more = 0.1 * 0.01 * (np.pi * 0.1 + 2 * 0.5 / 3.0)
    exact = np.sqrt(2.0 * 4e4 * 0.01 / 0.5 * (1.0 / (0.01 + more) + 1.0 / (0.02 + more)))
    assert omegas(result)[turning] == pytest.approx(exact, rel=4e-3)
    total = sum(share.values())
    assert_allclose(total, 1.0, rtol=1e-9)
    assert not result.growing
