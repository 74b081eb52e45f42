"""A belt with bending stiffness around two circles without friction is compared with boundary value problems of the
elastica.

The belt has R = 0.1 m, distance 0.4 m, EA = 8000 N, ε0 = -0.05, EI/(T R²) = 0.01, 0.1 and 1, and normal stiffness 1e8
N/m² (depth 4e-5 m). The model is static with 4 segments per element. Formulas and sources are in `support.bent_belt`.
The reference is solved by SciPy's collocation, which shares no code with the finite elements. The straight segments of
the contact limit the accuracy. A segment of the length h is a chord of height h²/(8 R). The chords act like a larger
circle, so errors have order 2 in h.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose

from windlass.connectors import ContactCircleCable2D, add_contact, fix
from windlass.elements import RigidBody2D, cable_around, nodes_of
from windlass.framework.model.world import World
from windlass.framework.state.evaluate import eval_output
from windlass.solvers.static import Static
from windlass.solvers.stepping.discontinuous import Passes

from support.bent_belt import Belt, Solution, solve_foundation, solve_rigid

K = 1e8
BENDING = (0.04, 0.4, 4.0)


@cache
def solve(b: Belt) -> Solution:
    return solve_foundation(b, K)


@cache
def compute(b: Belt, elements: int, k: float = K) -> Solution:
    """Compute forces, heights, angle and moments of the belt by finite elements.

    The belt is symmetric, and its first node is at the top of the left circle.
    """
    world = World()
    circles = [world.add(RigidBody2D, position=(x, 0.0), mass=5.0, inertia=0.05) for x in (0.0, b.distance)]
    belt = cable_around(
        world,
        circles=circles,
        radius=b.radius,
        elements=elements,
        axial_stiffness=b.EA,
        bending_stiffness=b.EI,
        mass_per_length=0.8,
        reference_strain=b.strain,
    )
    contacts = add_contact(
        world,
        ContactCircleCable2D,
        circles=circles,
        cables=belt,
        segments=4,
        circle_radius=b.radius,
        contact_stiffness_per_length=k,
    )
    shafts = [fix(world, circle, "x", "y", "rotation") for circle in circles]
    fix(world, nodes_of(world, belt)[0], "x")
    passes = {"passes": Passes(atol=1e-6, max_it=60)}
    static = Static(world, load_steps=10, geometric=True, stabiliser=1e5, atol=1e-7, name="", **passes)
    state = static.solve()
    assert static.statistics.unconverged_passes == 0

    x = np.linspace(0.0, 1.0, 21)[None, :] * np.asarray(belt.length)[:, None]
    places = eval_output(belt, "position", state, x=x).reshape(-1, 3)
    moments = eval_output(belt, "bending_moment", state, x=x).ravel()
    upper = np.flatnonzero(places[:, 1] > 0.0)
    upper = upper[np.argsort(places[upper, 0])]

    def amid(values: np.ndarray) -> float:
        return float(np.interp(b.distance / 2.0, places[upper, 0], values[upper]))

    # the point after the pole at which the gap on the left circle changes its sign
    gaps = eval_output(contacts, "gap", state)[:elements].ravel()
    touch = eval_output(contacts, "contact_position", state)[:elements].reshape(-1, 2)
    angles = np.arctan2(touch[:, 1], touch[:, 0])
    order = np.flatnonzero(touch[:, 1] > 0.0)
    order = order[np.argsort(-angles[order])]
    first = order[np.flatnonzero(gaps[order] > 0.0)[0]]
    last = order[np.flatnonzero(order == first)[0] - 1]
    angle = float(np.interp(0.0, gaps[[last, first]], angles[[last, first]]))
    pole = int(places[:, 0].argmin())
    force = abs(float(np.ravel(eval_output(shafts[1], "force", state))[0])) / 2.0
    return Solution(force, amid(places[:, 1]), amid(moments), places[pole, 0], moments[pole], angle)


@pytest.mark.parametrize("bending", BENDING)
def test_foundation_tends_to_rigid_circles(bending: float) -> None:
    """As k grows, the theory with an elastic foundation approaches the theory with rigid circles: the forces agree
    within 1e-4 at 1e10 N/m².
    """
    b = Belt(bending)
    rigid, stiff = solve_rigid(b)[0], solve_foundation(b, 1e10)
    assert_allclose(stiff.force, rigid.force, rtol=1e-4)
    assert_allclose(stiff.height, rigid.height, rtol=1e-4)
    assert_allclose(stiff.pole_moment, rigid.pole_moment, rtol=1e-3)
    # because of bending, the belt leaves the circle before the top, and the span lies higher than the top
    assert rigid.angle > np.pi / 2 and rigid.height > b.radius


@pytest.mark.parametrize("bending", BENDING)
def test_axial_force_converges(bending: float) -> None:
    """Half the force on a shaft is 1.5, 0.4 and 0.1 % above the boundary value problem with 32, 64 and 128 elements
    (0.9 to 0.06 % for the stiffest belt).

    The tolerance is 0.15 % with 128 elements, and the order must be at least 1.7.
    """
    b = Belt(bending)
    errors = np.array([compute(b, n).force / solve(b).force - 1.0 for n in (32, 64, 128)])
    assert 0.0 < errors[-1] < 1.5e-3
    assert np.log2(errors[0] / errors[-1]) / 2.0 > 1.7


@pytest.mark.parametrize("bending", BENDING)
def test_shape_and_moments(bending: float) -> None:
    """With 128 elements, the heights of span and pole agree with theory within 1.5e-4. The measured error is 1.1e-4
    (the height of the chords is h²/8R = 1e-4 R).

    The lift-off angle agrees within 0.015 rad, half a segment. The moment at the pole agrees within 1e-3. The measured
    error is 4e-4. The moment in the middle of the span agrees within 2 % where this moment exceeds rounding errors
    (EI/(T R²) of 0.1 and 1). The measured error is 0.8 %.
    """
    b = Belt(bending)
    theory, found = solve(b), compute(b, 128)
    assert_allclose(found.height, theory.height, rtol=1.5e-4)
    assert_allclose(found.pole, theory.pole, rtol=1.5e-4)
    assert abs(found.angle - theory.angle) < 0.015
    assert_allclose(found.pole_moment, theory.pole_moment, rtol=1e-3)
    if bending > 0.1:
        assert_allclose(found.moment, theory.moment, rtol=0.02)


def test_stiff_contact_is_that_of_rigid_circles() -> None:
    """With k = 1e9 N/m² and EI = 0.4 N m², the force agrees within 0.15 % and the height within 2e-4 with the solution
    around rigid circles.
    """
    b = Belt(0.4)
    rigid, found = solve_rigid(b)[0], compute(b, 128, 1e9)
    assert_allclose(found.force, rigid.force, rtol=1.5e-3)
    assert_allclose(found.height, rigid.height, rtol=2e-4)
