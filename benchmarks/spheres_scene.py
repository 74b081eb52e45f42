"""Spheres above a half space with given velocities. Both programs compute equal positions, because the random numbers
follow from a counter.

plane: spheres on a grid, each pressed into the plane by 0.25 to 0.75 mm. No two spheres touch.
packing: spheres at random positions in a box with twice their total volume; each sphere touches about four other
    spheres.

A sphere moves by velocity * step in each step. Contact forces do not change its motion. peers/spheres_simbody.cpp
creates the same spheres.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

RADIUS = 0.05  # radius [m]
MATERIAL: dict[str, Any] = {  # material of the spheres and of the half space
    "plane_strain_modulus": 1e6,  # effective modulus [Pa]
    "dissipation": 0.1,  # [s/m]
    "static_friction": 0.5,
    "dynamic_friction": 0.4,
    "viscous_friction": 0.05,  # [s/m]
}
TRANSITION_VELOCITY = 0.01  # transition velocity [m/s] of friction
FILLING = 0.5  # volume of the spheres divided by the volume of the box
SPACING = 2.2 * RADIUS  # distance [m] of the grid points
SCENES = ("plane", "packing")


class Scene(NamedTuple):
    """Initial positions and velocities of the spheres.

    position [m], velocity [m/s]: shape (spheres, 3); y points upwards, and the half space fills y < 0.
    step: time step [s].
    """

    position: NDArray[np.float64]
    velocity: NDArray[np.float64]
    step: float


def random_fractions(count: int) -> NDArray[np.float64]:
    """Return the first numbers of the generator splitmix64 with seed 0, as fractions in [0, 1), shape (count,)."""
    z = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return (z >> np.uint64(11)).astype(np.float64) / 2.0**53


def create_scene(name: str, count: int) -> Scene:
    """Create a scene by name.

    Raises:
        ValueError: the name is unknown.
    """
    if name not in SCENES:
        raise ValueError(f"scene {name}: must be one of {', '.join(SCENES)}")
    u = random_fractions(6 * count).reshape(count, 6)
    if name == "plane":
        i, row = np.arange(count), int(np.ceil(np.sqrt(count)))
        height = RADIUS - 0.0005 * (0.5 + u[:, 0])
        position = np.column_stack(((i % row) * SPACING, height, (i // row) * SPACING))
        return Scene(position, (u[:, 3:] - 0.5) * (0.2, 0.02, 0.2), 1e-4)
    side = np.cbrt(count * 4.0 / 3.0 * np.pi * RADIUS**3 / FILLING)
    return Scene(side * u[:, :3] + (0.0, 0.9 * RADIUS, 0.0), 0.2 * (u[:, 3:] - 0.5), 1e-3)
