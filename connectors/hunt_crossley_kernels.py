"""The Hunt-Crossley law with Hollars friction, and its sum over candidate pairs; formulas in `hunt_crossley`.

Forces are summed per surface as force and torque about the origin of the surface, and go to the coordinates from there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from windlass.connectors.contact_geometry import find_contact
from windlass.connectors.contact_surfaces import Surfaces
from windlass.connectors.position_kernels import PositionColumns
from windlass.framework.kernel import kernel
from windlass.framework.law import FloatArray
from windlass.framework.table import IntArray

Vector = tuple[float, float, float]


class ForceLaw(NamedTuple):
    """Letters of one force element.

    K: E^(2/3) [Pa^(2/3)] of each surface of the set, or E [Pa] by Hertz' rule, shape (n,).
    hertz: which of the two.
    vt: transition velocity [m/s].
    """

    K: FloatArray
    hertz: bool
    vt: float


@kernel(inline=True)
def mix(a: float, b: float) -> float:
    """2ab/(a + b), 0 where both are 0."""
    return 2.0 * a * b / (a + b) if a + b > 0.0 else 0.0


@kernel(inline=True)
def eval_share(law: ForceLaw, i: int, j: int) -> float:
    """s1 [1]: how much of the depth is compression of surface i."""
    share: float = law.K[j] / (law.K[i] + law.K[j])
    return share


@kernel(inline=True)
def eval_hertz_force(law: ForceLaw, i: int, s1: float, x: float, R: float) -> float:
    """f_H [N] at depth x > 0."""
    K = law.K[i] * s1
    f: float = 4.0 / 3.0 * K * x * np.sqrt(R * x if law.hertz else R * x * K)
    return f


@kernel(inline=True)
def eval_friction_factor(slip: float, us: float, ud: float, uv: float, vt: float) -> float:
    """Friction per normal force and slip [s/m], with its limit at rest."""
    q = slip / vt
    dry = ud + 2.0 * (us - ud) / (1.0 + q * q)
    return (dry / vt if q < 1.0 else dry / slip) + uv


@kernel(inline=True)
def eval_point_velocity(c: Surfaces, i: int, px: float, py: float, pz: float) -> Vector:
    """Velocity of the material point of surface i that is at P [m/s]."""
    rx, ry, rz = px - c.center[i, 0], py - c.center[i, 1], pz - c.center[i, 2]
    wx, wy, wz = c.omega[i, 0], c.omega[i, 1], c.omega[i, 2]
    return c.v[i, 0] + wy * rz - wz * ry, c.v[i, 1] + wz * rx - wx * rz, c.v[i, 2] + wx * ry - wy * rx


@kernel(inline=True)
def apply_force(c: Surfaces, i: int, px: float, py: float, pz: float, fx: float, fy: float, fz: float) -> None:
    """Add a force at P to surface i."""
    rx, ry, rz = px - c.center[i, 0], py - c.center[i, 1], pz - c.center[i, 2]
    c.force[i, 0] += fx
    c.force[i, 1] += fy
    c.force[i, 2] += fz
    c.torque[i, 0] += ry * fz - rz * fy
    c.torque[i, 1] += rz * fx - rx * fz
    c.torque[i, 2] += rx * fy - ry * fx


@kernel
def add_pair_forces(c: Surfaces, law: ForceLaw, pairs: IntArray) -> None:
    """Add the forces of one force element to ``c.force`` and ``c.torque``."""
    for k in range(len(pairs)):
        i, j = pairs[k, 0], pairs[k, 1]
        x, nx, ny, nz, px, py, pz, R = find_contact(c, i, j)
        if x <= 0.0:
            continue
        s1 = eval_share(law, i, j)
        # where the force acts: the surfaces meet after their shares of the depth
        px, py, pz = px - s1 * x * nx, py - s1 * x * ny, pz - s1 * x * nz
        ux, uy, uz = eval_point_velocity(c, i, px, py, pz)
        wx, wy, wz = eval_point_velocity(c, j, px, py, pz)
        ux, uy, uz = ux - wx, uy - wy, uz - wz
        vn = ux * nx + uy * ny + uz * nz
        f = eval_hertz_force(law, i, s1, x, R) * (1.0 + 1.5 * (s1 * c.c[i] + (1.0 - s1) * c.c[j]) * vn)
        if f <= 0.0:
            continue
        ux, uy, uz = ux - vn * nx, uy - vn * ny, uz - vn * nz
        slip = np.sqrt(ux * ux + uy * uy + uz * uz)
        us, ud, uv = mix(c.us[i], c.us[j]), mix(c.ud[i], c.ud[j]), mix(c.uv[i], c.uv[j])
        g = f * eval_friction_factor(slip, us, ud, uv, law.vt)
        fx, fy, fz = f * nx + g * ux, f * ny + g * uy, f * nz + g * uz
        apply_force(c, i, px, py, pz, -fx, -fy, -fz)
        apply_force(c, j, px, py, pz, fx, fy, fz)


@kernel
def clear_forces(c: Surfaces) -> None:
    """Set ``c.force`` and ``c.torque`` to 0."""
    for i in range(len(c.force)):
        for d in range(3):
            c.force[i, d] = c.torque[i, d] = 0.0


@kernel
def scatter_forces(c: Surfaces, m: PositionColumns, f: FloatArray) -> None:
    """f -= Jᵀ F + Jrᵀ T, the left-hand side of what acts on the surfaces."""
    for i in range(len(c.marker)):
        k = c.marker[i]
        fx, fy, fz = c.force[i, 0], c.force[i, 1], c.force[i, 2]
        if fx == 0.0 and fy == 0.0 and fz == 0.0:
            continue
        if c.is_point[i]:
            # coordinates of a point are its position
            for a in range(min(3, c.dofs.shape[1])):
                f[c.dofs[i, a]] -= c.force[i, a]
            continue
        # torque about the marker
        rx, ry, rz = c.center[i, 0] - m.p[k, 0], c.center[i, 1] - m.p[k, 1], c.center[i, 2] - m.p[k, 2]
        tx = c.torque[i, 0] + ry * fz - rz * fy
        ty = c.torque[i, 1] + rz * fx - rx * fz
        tz = c.torque[i, 2] + rx * fy - ry * fx
        for a in range(c.dofs.shape[1]):
            f[c.dofs[i, a]] -= (
                m.J[k, 0, a] * fx
                + m.J[k, 1, a] * fy
                + m.J[k, 2, a] * fz
                + m.Jr[k, 0, a] * tx
                + m.Jr[k, 1, a] * ty
                + m.Jr[k, 2, a] * tz
            )


@kernel
def sum_energy(c: Surfaces, law: ForceLaw, pairs: IntArray) -> float:
    """Stored energy of one force element, 2/5 f_H x summed over all contacts [J]."""
    total = 0.0
    for k in range(len(pairs)):
        i, j = pairs[k, 0], pairs[k, 1]
        x, _, _, _, _, _, _, R = find_contact(c, i, j)
        if x > 0.0:
            total += 0.4 * eval_hertz_force(law, i, eval_share(law, i, j), x, R) * x
    return total
