"""Sensors of outputs that are converted from outputs of Windlass: angles in degrees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.output.probes import Probe
from windlass.framework.output.sensors import Sensor
from windlass.framework.state.state import State


@dataclass(frozen=True)
class Converted:
    """A quantity that is computed from the values of one sensor.

    Attributes:
        name, unit: name and unit of the quantity.
        source: the sensor.
        convert: function of the values of the sensor, shape (columns,), that returns the quantity. On processes that do
            not evaluate the sensor, the values are 0, and the function must return 0.
    """

    name: str
    unit: str
    source: Sensor
    convert: Callable[[FloatArray], float]

    def create_probe(self, state: State) -> Probe:
        """Return the probe of the quantity for the model of a state."""
        probe = self.source.create_probe(state)
        return Probe([(self.name, self.unit)], (), lambda fields: np.array([self.convert(probe.read(fields))]))


def find_body_angles(rotation: FloatArray) -> FloatArray:
    """Return the angles [deg] of a body about x, y, z, shape (3,), from the nine entries of its rotation matrix R = R_x
    R_y R_z, shape (9,).
    """
    R = rotation.reshape(3, 3)
    # the addition of 0.0 converts -0.0 to 0.0
    angles = np.arctan2(-R[1, 2], R[2, 2]), np.arcsin(np.clip(R[0, 2], -1.0, 1.0)), np.arctan2(-R[0, 1], R[0, 0])
    found: FloatArray = np.degrees(angles) + 0.0
    return found


def find_rod_angles(rotation: FloatArray, direction: float) -> FloatArray:
    """Return roll and pitch [deg] of a rod, shape (2,), from the nine entries of its rotation matrix, shape (9,). The
    axis from end A to end B is ``direction`` (1 or -1) times the local z.

    With the axis (sin φ cos β, sin φ sin β, cos φ), roll is -φ sin β, and pitch is φ cos β.
    """
    q = direction * rotation.reshape(3, 3)[:, 2]
    across = float(np.hypot(q[0], q[1]))
    angle = float(np.degrees(np.arctan2(across, q[2]))) if q.any() else 0.0
    share: FloatArray = np.array([-q[1], q[0]]) / across if across > 0.0 else np.array([0.0, 1.0])
    return angle * share
