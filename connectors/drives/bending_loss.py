"""Losses of a belt that bends at the entry and exit of pulleys.

A belt that is bent from straight to the curvature 1/R stores the energy EI/(2 R²) per length. Before the belt is
straight again, the fraction psi of this energy is lost by hysteresis of rubber and cords. At the speed v of the cord,
the power lost on a pulley, and the torque that this loss exerts against the rotation of the pulley, are

    P = psi v EI/(2 R²),    M = psi EI/(2 R).

The torque is independent of the speed and of the mesh. If the speed of the cord is below `SLOW`, the torque decreases
with the speed to 0.

The loss due to viscous bending damping depends on the speed. With the tension T the curvature changes over the length l
= sqrt(EI/T) at each end of an arc. If the elements are shorter than l, the loss at each end due to viscous damping with
the coefficient d_EI is d_EI v²/(2 l R²). With longer elements the loss depends on the mesh.

Source: rate-independent damping: A. L. Kimball, D. E. Lovell, Phys. Rev. 30 (1927) 948-959; energy balance of a
pulley as in G. Gerbert, Traction Belt Mechanics, Chalmers (1999).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from windlass.connectors.drives.pulleys import Pulley
from windlass.connectors.markers.coordinate_marker import coordinate_marker
from windlass.connectors.markers.position_markers import merge_handles
from windlass.connectors.springs.coordinate_spring_damper_ext import CoordinateSpringDamperExt
from windlass.framework.arrays import FloatArray
from windlass.framework.errors import ModelError
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World

SLOW = 0.01
"""Speed of the cord below which the torque is proportional to this speed [m/s]."""


def add_bending_losses(
    world: World, name: str, share: float, bending_stiffness: float, pulleys: Sequence[Pulley], radii: Sequence[float]
) -> tuple[list[int], Entity | None]:
    """Add the loss torques to all pulleys that rotate about the origin of their body.

    Args:
        share: lost fraction psi of the bending energy [1].
        bending_stiffness: bending stiffness EI of the belt [N m²].
        radii: radii of the cord on the pulleys [m].

    Returns:
        The indices of these pulleys, and a handle to the loss torques on their rotations. The handle is None if no
        pulley rotates about the origin of its body.

    Raises:
        ModelError: the belt has no bending stiffness.
    """
    if share == 0.0:
        return [], None
    if not bending_stiffness > 0.0:
        raise ModelError(f"bending_loss = {share:g} of '{name}': must have a bending_stiffness > 0 N m^2")
    turning = [i for i, pulley in enumerate(pulleys) if pulley.is_centred]
    parts = [
        world.add(
            CoordinateSpringDamperExt, name=f"bending of {name} on {pulleys[i].name}",
            marker1=coordinate_marker(world, pulleys[i].body, "rotation"),
            dynamic_friction=share * bending_stiffness / (2.0 * radii[i]), proportional_zone=SLOW / radii[i],
        )
        for i in turning
    ]  # fmt: skip
    return turning, merge_handles(parts) if parts else None


def read_bending_losses(turning: Sequence[int], losses: Entity | None, count: int) -> tuple[FloatArray, FloatArray]:
    """Return the loss torques [N m] on all pulleys, and the speeds [rad/s] below which the torques are proportional to
    the speed.

    Args:
        turning, losses: result of `add_bending_losses`.
        count: number of pulleys.
    """
    torque, slowest = np.zeros(count), np.ones(count)
    if losses is not None:
        torque[list(turning)] = losses.table.collect("dynamic_friction", losses.rows)
        slowest[list(turning)] = losses.table.collect("proportional_zone", losses.rows)
    return torque, slowest
