"""Weights are cached, and are computed again after a change of gravity."""

import numpy as np

import windlass as wl
from windlass.elements import straight_cable
from windlass.framework.assembly.assembly import Assembly


def test_weights_follow_gravity_at_the_same_time() -> None:
    """A change of gravity has an effect immediately, even if gravity becomes zero."""
    world = wl.World(gravity=(0.0, -9.81))
    straight_cable(world, (0, 0), (2, 0), 4, axial_stiffness=1e5, bending_stiffness=1.0, mass_per_length=0.5)
    assembly, total = Assembly(world), []
    for gravity in (-9.81, -9.81, -1.62, 0.0):
        world.gravity[1] = gravity
        f = np.zeros(assembly.layout.spare + 1)
        assembly.add_loads(f)
        total.append(f[1:-1:4].sum())
    np.testing.assert_allclose(total, [-9.81, -9.81, -1.62, 0.0], rtol=1e-14)  # weight of 1 kg [N]
