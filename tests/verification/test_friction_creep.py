"""Creep of spheres with regularised friction (`HuntCrossley`) on an incline and in a pyramid, compared with closed
forms.

With u_s = u_d = μ, the friction law with the normal force f is f_t = μ f v_t/v_tr up to the transition velocity v_tr.
The law has no sticking: surfaces that dry friction would hold, f_t < μ f, slide permanently at the speed v_t = v_tr
f_t/(μ f). The cases contain homogeneous spheres with the radius R and the mass m (moment of inertia 2/5 m R²):

- a sphere on an incline with the angle θ rolls with the acceleration a = 5/7 g sin θ if tan θ < 7/2 μ. For larger
  angles the sphere slips with a = g (sin θ - μ cos θ) and the angular acceleration α = 5/2 μ g cos θ/R. Because equal
  materials touch in the middle of the depth δ, the lever of friction is r = R - δ/2. With this lever, 5/7 becomes 1/(1
  + 2/5 R²/r²), and 7/2 becomes 1 + 5/2 r²/R²;
- a body that cannot rotate creeps down an incline with the speed v_tr tan θ/μ;
- three spheres on a floor carry a fourth sphere; φ is the angle between the lines of their centres and the vertical.
  Equilibrium of the upper sphere and of the torques of a lower sphere gives the normal force W/3 and the friction W/3
  tan(φ/2) between the spheres. This friction also acts on the floor, where the normal force is 4/3 W. The pyramid
  therefore falls for μ < tan(φ/2), and otherwise spreads. The speed of the lower spheres follows from the two slip
  velocities and the rolling of the lower spheres,

      u = 5/4 v_tr/μ tan(φ/2)/(1 + 1/cos φ)

  which is 1.3 m/h for v_tr = 1 mm/s and μ = 0.5, while a real pyramid stays at rest.

Sources: E. T. Whittaker, Analytical Dynamics (1937), chapter 8 (rolling and sliding sphere); K. H. Hunt, F. R. E.
Crossley, J. Appl. Mech. 42 (1975) 440-445; M. Hollars' friction law in the documentation of Simbody; the formula for
the pyramid follows from statics.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from windlass.connectors import ContactHalfSpace, ContactMaterial, ContactSet, ContactSphere, HuntCrossley, facing
from windlass.elements import Ground, MassPoint, RigidBody3D
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.evaluate import eval_output
from windlass.solvers.dynamic import Dynamic
from windlass.solvers.explicit import Explicit

G, RADIUS, MASS = 9.81, 0.05, 0.2


def eval_depth(force: float, radius: float, modulus: float) -> float:
    """Return the depth [m] by Hertz' theory for two surfaces with the same modulus [Pa] and a given relative radius
    [m].
    """
    return float((0.75 * force / np.sqrt(radius) / (0.5 * modulus ** (2 / 3)) ** 1.5) ** (2 / 3))


def create_contact(world: World, bodies: Entity, mu: float, transition: float, up: Any, modulus: float) -> None:
    """Create a contact sphere on each body, and a floor."""
    friction = {"static_friction": mu, "dynamic_friction": mu}
    material = world.add(ContactMaterial, plane_strain_modulus=modulus, dissipation=2.0, **friction)
    group = world.add(ContactSet)
    world.add(ContactSphere, contact_set=group, marker=bodies, material=material, radius=RADIUS)
    floor = world.add(Ground)
    world.add(ContactHalfSpace, contact_set=group, marker=floor, material=material, rotation=facing(up))
    world.add(HuntCrossley, contact_set=group, transition_velocity=transition)


def create_incline(slope: float, mu: float, transition: float, rolls: bool = True) -> tuple[World, Entity, float]:
    """Create a sphere on an incline, and return the world, the body and the contact depth [m]. The incline is along x,
    and the vector of gravity is rotated.
    """
    angle = np.arctan(slope)
    world = World(gravity=(G * np.sin(angle), -G * np.cos(angle), 0.0))
    depth = eval_depth(MASS * G * np.cos(angle), RADIUS, 1e7)
    place = {"position": (0.0, RADIUS - depth, 0.0), "mass": MASS}
    body = world.add(RigidBody3D, inertia=0.4 * MASS * RADIUS**2, **place) if rolls else world.add(MassPoint, **place)
    create_contact(world, body, mu, transition, (0.0, 1.0, 0.0), 1e7)
    return world, body, depth


def roll(slope: float, mu: float, transition: float, step: float = 5e-4) -> tuple[float, float, float, float]:
    """Return the speed [m/s], the angular velocity times the lever arm r [m/s] and the acceleration [m/s^2] 0.25 s
    after a start from rest, and the ratio r/R of lever arm and radius [1].
    """
    world, body, depth = create_incline(slope, mu, transition)
    state = Dynamic(world, step=step, end=0.25, name="", spectral_radius=0.6).solve()
    speed, spin, rate = (eval_output(body, n, state) for n in ("velocity", "angular_velocity", "acceleration"))
    lever = RADIUS - depth / 2
    return speed[0], -spin[2] * lever, rate[0], lever / RADIUS


@pytest.mark.parametrize("transition", [1e-2, 1e-3])
@pytest.mark.parametrize("slope", [0.2, 0.6, 1.0])
def test_sphere_that_rolls(slope: float, transition: float) -> None:
    """For μ = 0.3, spheres roll up to tan θ = 1.05. The acceleration agrees with the acceleration without slip within
    1e-5, and with 5/7 g sin θ within 0.1 %, which is the effect of the lever arm.

    The contact point slides at v_tr 2/7 tan θ/μ. The tolerance of the test is 1 % of this speed.
    """
    angle, mu = np.arctan(slope), 0.3
    speed, spin, rate, lever = roll(slope, mu, transition)
    exact = G * np.sin(angle) / (1.0 + 0.4 / lever**2)
    assert_allclose(rate, exact, rtol=2e-5)
    assert_allclose(rate, 5.0 / 7.0 * G * np.sin(angle), rtol=1.2e-3)
    friction = G * np.sin(angle) - exact
    assert_allclose(speed - spin, transition * friction / (mu * G * np.cos(angle)), rtol=0.01)


@pytest.mark.parametrize("over", [0.99, 1.01])
def test_slope_from_which_a_sphere_slides(over: float) -> None:
    """For a slope 1 % below tan θ = μ (1 + 5/2 r²/R²), the sphere slides with less than v_tr = 1 mm/s.

    For a slope 1 % above this value, the sliding speed increases.

    The sliding speed of 17 v_tr after 0.25 s agrees with the closed form within 1.1 v_tr, because friction is smaller
    than μ f until the sliding speed reaches v_tr.
    """
    mu, transition = 0.3, 1e-3
    lever = 1.0 - eval_depth(MASS * G * np.cos(np.arctan(3.5 * mu)), RADIUS, 1e7) / RADIUS / 2
    slope = over * mu * (1.0 + 2.5 * lever**2)
    # the step size resolves the increase of friction, which takes the time v_tr/(g sin θ)
    speed, spin, rate, lever = roll(slope, mu, transition, step=1e-4)
    angle = np.arctan(slope)
    if over < 1.0:
        assert 0.9 * transition < speed - spin < transition
        assert_allclose(rate, G * np.sin(angle) / (1.0 + 0.4 / lever**2), rtol=1e-3)
    else:
        assert_allclose(rate, G * (np.sin(angle) - mu * np.cos(angle)), rtol=1e-6)
        sliding = 0.25 * G * (np.sin(angle) - mu * np.cos(angle) * (1.0 + 2.5 * lever**2))
        assert_allclose(speed - spin, sliding, atol=1.1 * transition)
        assert sliding > 10 * transition


def test_sphere_that_slides_and_rolls() -> None:
    """For tan θ = 1.2 and μ = 0.3, linear and angular acceleration agree with the closed form within 1e-6. Friction is
    constant and does not depend on the transition velocity.
    """
    angle, mu = np.arctan(1.2), 0.3
    for transition in (1e-2, 1e-3):
        speed, spin, rate, lever = roll(1.2, mu, transition)
        assert_allclose(rate, G * (np.sin(angle) - mu * np.cos(angle)), rtol=1e-6)
        # translation and rotation start at rest, and friction is smaller until the sliding speed reaches v_tr
        assert_allclose(spin, 0.25 * 2.5 * mu * G * np.cos(angle) * lever**2, atol=2 * transition)
        assert speed - spin > 0.2


@pytest.mark.parametrize("slope", [0.1, 0.25])
def test_body_that_cannot_turn_creeps(slope: float) -> None:
    """The body slides permanently at v_tr tan θ/μ. The speeds of 0.33 and 0.83 mm/s (1.2 and 3 m/h) agree within 1e-9.
    Dry friction (μ = 0.3) would prevent the motion of the body.
    """
    world, body, _ = create_incline(slope, 0.3, 1e-3, rolls=False)
    state = Explicit(world, step=1e-4, end=0.1, name="").solve()
    assert_allclose(eval_output(body, "velocity", state)[0], 1e-3 * slope / 0.3, rtol=1e-9)


def create_pyramid(mu: float, transition: float, gap: float = 0.02) -> tuple[World, Entity, float, float]:
    """Create three spheres that do not touch each other, and a fourth sphere on top of these spheres. All spheres are
    at rest with the contact depths of equilibrium.

    Return the world, the bodies, the distance [m] of the lower centres from the axis, and the distance [m] of the
    centres of touching spheres.
    """
    modulus, weight = 1e8, MASS * G
    world = World(gravity=(0.0, 0.0, -G))
    floor = eval_depth(4.0 / 3.0 * weight, RADIUS, modulus)
    length = 2.0 * RADIUS - eval_depth(weight / 3.0, RADIUS / 2.0, modulus)
    out = 2.0 * RADIUS * (1.0 + gap) / np.sqrt(3.0)
    angles = np.arange(3) * 2.0 * np.pi / 3.0
    places = [(out * np.cos(angle), out * np.sin(angle), RADIUS - floor) for angle in angles]
    places.append((0.0, 0.0, RADIUS - floor + np.sqrt(length**2 - out**2)))
    bodies = world.add(RigidBody3D, position=places, mass=MASS, inertia=0.4 * MASS * RADIUS**2)
    create_contact(world, bodies, mu, transition, (0.0, 0.0, 1.0), modulus)
    return world, bodies, out, length


def spread(mu: float, transition: float) -> tuple[float, float]:
    """Return the mean speed [m/s] of the lower spheres from 0.1 to 0.2 s, and sin φ in this time."""
    world, bodies, _, length = create_pyramid(mu, transition)
    places = []
    for state in Dynamic(world, step=1e-3, end=0.2, name="", spectral_radius=0.6).march():
        if state.t > 0.1 - 1e-9:
            out = np.linalg.norm(eval_output(bodies, "position", state)[:3, :2], axis=1)
            # the slip is equal for all three spheres, so no sphere rotates about the vertical
            assert np.ptp(out) < 1e-9
            places.append((state.t, out.mean()))
    (first, start), (last, end) = places[0], places[-1]
    return (end - start) / (last - first), (start + end) / 2.0 / length


@pytest.mark.parametrize(("mu", "transition"), [(0.5, 1e-3), (0.5, 1e-4), (0.9, 1e-3)])
def test_pyramid_creeps(mu: float, transition: float) -> None:
    """The speeds of the lower spheres, 1.31, 0.13 and 0.73 m/h, agree with the formula in the docstring of this module.
    The tolerance is 0.5 %, and the measured error is 0.02 %.

    The creep is proportional to the transition velocity, so the transition velocity should be small: with 1e-6 m/s the
    creep is 1.3 mm/h.
    """
    speed, sine = spread(mu, transition)
    angle = np.arcsin(sine)
    exact = 1.25 * transition / mu * np.tan(angle / 2) / (1.0 + 1.0 / np.cos(angle))
    assert_allclose(speed, exact, rtol=5e-3)
    assert_allclose(
        speed * 3600.0, {(0.5, 1e-3): 1.31, (0.5, 1e-4): 0.131, (0.9, 1e-3): 0.73}[mu, transition], rtol=0.01
    )


def test_pyramid_falls_where_friction_is_too_small() -> None:
    """For tan(φ/2) = 0.326 and μ = 0.3, the spheres move apart more than ten times as fast as the creep of 2.2 m/h."""
    speed, _ = spread(0.3, 1e-3)
    assert speed * 3600.0 > 22.0
