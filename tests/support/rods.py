"""Rods with twist: coordinates of given frames, and an independent Kirchhoff rod by a boundary value problem."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.integrate import solve_bvp
from scipy.spatial.transform import Rotation

from windlass.elements.nodes.turning import between, spin_angle
from windlass.elements.nodes.twist_node import frame_of, read_frames
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World

STEEL = {"mass_per_length": 0.3, "rotary_inertia": 2e-4, "axial_stiffness": 1e5, "torsional_stiffness": 1.5}
"""Columns of a thin rod without bending stiffness."""


def find_twist(world: World, node: Entity, frame: Any, slope: Any) -> float:
    """The angle φ at which a node with a slope has a frame, a rotation matrix with the axes t, d_1, d_2 [rad]."""
    b, F = read_frames(world, node.ids)
    x, y, z, w = Rotation.from_matrix(frame).as_quat()
    now = frame_of(tuple(b[0]), tuple(F[0]), tuple(slope), 0.0)
    angle = spin_angle(between(now, (w, x, y, z)))
    return float((angle + np.pi) % (2.0 * np.pi) - np.pi)


def integrate_rod(
    length: float, EA: float, EI: Any, GJ: float, force: Any, free: Callable[[float], Any], start: Any
) -> tuple[Any, Any]:
    """End of a clamped Kirchhoff rod with a dead force at its end: position (3,) and frame (3, 3), by SciPy.

    r' = (1 + n·t/EA) t,  D' = D [κ]×,  m' = -r' × n in the global frame;  κ = (τ, κ_1, κ_2) = free + Dᵀ m/(GJ, EI).

    Args:
        free: ``(s) -> (τ, κ_1, κ_2)`` without load [1/m].
        start: frame at the clamp, rotation matrix with the axes t, d_1, d_2.
    """
    n, stiffness = np.asarray(force, float), np.array([GJ, *EI])
    q0 = np.roll(Rotation.from_matrix(start).as_quat(), 1)

    def slope(s: Any, y: Any) -> Any:
        q = y[3:7].T
        D = Rotation.from_quat(np.roll(q, -1, axis=1)).as_matrix()
        t, m = D[:, :, 0], y[7:].T
        strain = np.array([free(v) for v in np.atleast_1d(s)]) + np.einsum("ija,ij->ia", D, m) / stiffness
        r = (1.0 + t @ n / EA)[:, None] * t
        w, v = q[:, :1], q[:, 1:]
        rate = np.hstack((-(v * strain).sum(axis=1, keepdims=True), w * strain + np.cross(v, strain))) / 2.0
        return np.hstack((r, rate, -np.cross(r, n))).T

    def ends(a: Any, b: Any) -> Any:
        return np.concatenate((a[:3], a[3:7] - q0, b[7:]))

    s = np.linspace(0.0, length, 41)
    guess = np.zeros((10, len(s)))
    guess[3:7] = q0[:, None]
    # bend in steps of the load, so that the solution is the one that grows from the free shape
    full = n.copy()
    for part in np.linspace(0.0, 1.0, 6):
        n = part * full
        found = solve_bvp(slope, ends, s, guess, tol=1e-9, max_nodes=100_000)
        assert found.success, found.message
        s, guess = found.x, found.y
    return guess[:3, -1], Rotation.from_quat(np.roll(guess[3:7, -1], -1)).as_matrix()
