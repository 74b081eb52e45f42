"""The model of plectonemes.py, for both programs: a rod under tension that has wound around itself.

At the start, the axis of the rod is a line with two straight tails, two plies that are wound around each other by two
turns at an angle of 35°, and a loop. The rod is straight without load, and is twisted such that its torque is the
torque of a plectoneme with plies at 30° (`find_torque_and_tension`). One end is clamped. The other end can move along
the axis, does not turn, and is pulled by the tension of a plectoneme with plies at 30°. The run ends when the rod is at
rest. The results are the torque, and the distance of the ends.
"""

from __future__ import annotations

import json
import math
import platform
import resource
from typing import Any

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.ndimage import gaussian_filter1d

EI, GJ, EA, SHEAR = 1.0, 0.8, 2e4, 8e3  # stiffnesses of bending and torsion [N m^2], of stretch and shear [N]
RADIUS, MASS = 0.1, 0.5  # radius [m], mass per length [kg/m]
TURNS, START, ANGLE = 2.0, math.radians(35.0), math.radians(30.0)
STIFFNESS = 2e5
"""Contact stiffness per length [N/m^2]."""
END = 9.0
"""Time [s] at the end."""
FINE = 12000
"""Number of parts into which the line at the start is divided."""


def find_torque_and_tension(angle: float) -> tuple[float, float]:
    """Return torque [N m] and tension [N] of the tails of a plectoneme whose plies are at an angle α [rad] to its axis.

    The energy of the plies is ½ EI sin⁴α/R² per length, and the twist of the plies is sin 2α/(2R) per length. The
    energy is stationary with respect to α and to the length of the plies.

    Source: N. Clauvelin, B. Audoly, S. Neukirch, Macromolecules 41 (2008) 4479-4483.
    """
    s, c = math.sin(angle), math.cos(2.0 * angle)
    return 2.0 * EI / RADIUS * s**3 * math.cos(angle) / c, EI / RADIUS**2 * s**4 * (0.5 + 1.0 / c)


def lay_plectoneme() -> tuple[Any, Any, Any, float]:
    """Return points, tangents and normals without twist of the line at the start, shape (FINE + 1, 3), and its length
    [m]. The plies are left-handed about the axis y, and the tails are along x."""
    R = 1.02 * RADIUS
    y = np.linspace(0.0, 2.0 * np.pi * TURNS * R / np.tan(START), 400)
    phase = np.pi + y * np.tan(START) / R
    ply = np.stack((R * np.cos(phase), y, R * np.sin(phase)), axis=1)
    along = np.linspace(-0.25 * np.pi, 1.25 * np.pi, 80)[:, None]
    loop = (0.0, y[-1] + 0.35, 0.0) + 0.22 * (
        np.cos(along) * ply[-1] * (1.0, 0.0, 1.0) / R + np.sin(along) * (0.0, 1.0, 0.0)
    )
    tail = np.outer(np.linspace(-1.6, -0.35, 80), (1.0, 0.0, 0.0)) - (0.0, 0.25, 0.0)
    line = np.concatenate((tail, ply, loop, ply[::-1] * (-1.0, 1.0, -1.0), tail[::-1] * (-1.0, 1.0, 1.0)))
    for smooth in (True, False, False):
        arc = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=1)))
        places = np.linspace(0.0, arc[-1], FINE // 2 if smooth else FINE + 1)
        if smooth:
            line = np.stack([np.interp(places, arc, line[:, k]) for k in range(3)], axis=1)
            line = gaussian_filter1d(line, 0.05 * len(line) / arc[-1], axis=0, mode="nearest")
        else:
            line = CubicSpline(arc, line)(places)
    tangents = CubicSpline(places, line).derivative()(places)
    tangents /= np.linalg.norm(tangents, axis=1)[:, None]
    tangents[[0, -1]] = (1.0, 0.0, 0.0)
    normals = np.zeros_like(tangents)
    normals[0] = (0.0, 1.0, 0.0)
    for i in range(1, len(tangents)):
        # the change of the tangent is small, so the projection is a rotation without twist
        normal = normals[i - 1] - (normals[i - 1] @ tangents[i]) * tangents[i]
        normals[i] = normal / np.linalg.norm(normal)
    return line, tangents, normals, float(places[-1])


def print_result(
    steps: int, distance: float, torque: float, length: float, times: dict[str, float], version: dict[str, str]
) -> None:
    """Print the RESULT line of a run.

    Args:
        steps: number of steps.
        distance: distance [m] of the ends at the end of the run.
        torque: torque [N m] at the end of the run.
        length: length [m] of the rod.
        times: process time and elapsed time [s] of the solve.
        version: version of the program by its name.
    """
    theory, _ = find_torque_and_tension(ANGLE)
    result = {
        **times,
        "counts": {"solves": 1, "steps": steps},
        "answers": {"distance": distance / length, "torque": torque / theory},
        "measured": {
            "time per second [s/s]": times["cpu"] / END,
            "memory [MB]": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0,
        },
        "versions": {**version, "python": platform.python_version()},
    }
    print("RESULT " + json.dumps(result))
