"""Products C_q w that are computed from the tangents agree with differences of the rates of constraints."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from windlass.connectors import SphericalJoint, fix, position_marker, prescribe_velocity
from windlass.elements import Ground, RigidBody2D, RigidBody3D
from windlass.framework.assembly.assembly import serial_assembly
from windlass.framework.assembly.steps import run_steps
from windlass.framework.model.world import World
from windlass.framework.state.state import State
from windlass.solvers.constraint_motion.constraint_jacobian import product_steps
from windlass.solvers.constraint_motion.constraint_rates import ConstraintRates


@pytest.mark.parametrize("active", [True, False])
def test_products_are_those_of_rates(active: bool) -> None:
    """The products agree with the differences for 3D joints, the norm of Euler parameters, drives and supports, even if
    these laws are switched off.

    The computation does not change fields.
    """
    world = World()
    wheel = world.add(RigidBody2D, position=(0.0, 0.0), mass=1.0, inertia=0.2)
    fix(world, wheel, "x", "y")
    drive = prescribe_velocity(world, wheel, "rotation", lambda t: 3.0 * t)
    body = world.add(RigidBody3D, position=(0.5, 0.0, 0.0), mass=1.0, inertia=(0.1, 0.2, 0.3))
    top = position_marker(world, body, (-0.5, 0.1, 0.2))
    world.add(SphericalJoint, marker0=position_marker(world, world.add(Ground)), marker1=top)
    state = State(world)
    world.set(drive, active=active)
    random = np.random.default_rng(1)
    for values in (state.q, state.v, state.a, state.lam):
        values[:] = random.uniform(-0.3, 0.3, len(values))
    assembly = serial_assembly(world)
    fields = assembly.load_fields(state)
    rates, w = ConstraintRates(assembly), random.uniform(-1.0, 1.0, len(state.q))
    product = np.zeros(rates.count + 1)
    run_steps(product_steps(assembly, w, product))
    assert_allclose(product[:-1], rates.multiply(w), rtol=1e-12, atol=1e-13)
    assert np.abs(product).max() > 0.1 and not fields.rate_level
