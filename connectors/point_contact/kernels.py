"""The Hunt-Crossley law with friction by Hollars, and the sum of its forces over candidate pairs. See `hunt_crossley`
for the formulas.

The contact forces on each surface are reduced to a force and a torque about the origin of the surface. Generalised
forces are computed from these sums. Pairs of spheres and half spaces, which may be numerous, are evaluated by a
separate loop, which gives the same results as the general loop.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from windlass.connectors.friction.regularised import hollars
from windlass.connectors.markers.position_kernels import PositionMarkers
from windlass.connectors.point_contact.geometry import Touch, find_contact, touch_spheres
from windlass.connectors.point_contact.surfaces import HALF_SPACE, Runs, Surfaces
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel

Vector = tuple[float, float, float]


class PairParameters(NamedTuple):
    """Parameters of one force element."""

    K: FloatArray  # E^(2/3) [Pa^(2/3)] of each surface of the set; E [Pa] with the hertz rule, shape (n,)
    hertz: bool  # whether the hertz rule is used
    vt: float  # transition velocity [m/s]


@kernel(inline=True)
def mix(a: float, b: float) -> float:
    """Return the friction coefficient 2ab/(a + b) of two materials, or 0 if a and b are 0."""
    return 2.0 * a * b / (a + b) if a + b > 0.0 else 0.0


@kernel(inline=True)
def eval_hertz_force(K: float, hertz: bool, x: float, R: float) -> float:
    """Return the Hertz force f_H [N] at the depth x > 0 [m], with K = K_1 s1 and the relative radius R [m]."""
    f: float = 4.0 / 3.0 * K * x * np.sqrt(R * x if hertz else R * x * K)
    return f


@kernel(inline=True)
def eval_point_velocity(c: Surfaces, i: int, px: float, py: float, pz: float) -> Vector:
    """Return the velocity [m/s] of the material point of surface i at the position P = (px, py, pz) [m]."""
    rx, ry, rz = px - c.center[i, 0], py - c.center[i, 1], pz - c.center[i, 2]
    wx, wy, wz = c.omega[i, 0], c.omega[i, 1], c.omega[i, 2]
    return c.v[i, 0] + wy * rz - wz * ry, c.v[i, 1] + wz * rx - wx * rz, c.v[i, 2] + wx * ry - wy * rx


class PairForce(NamedTuple):
    """The force that one force element exerts on a touching pair of surfaces. The docstring of `hunt_crossley` defines
    the symbols.

    The fields are s1 [1], the point P [m] on which the force acts, the velocity v [m/s] of surface 1 relative to
    surface 2 at P, its components v_n and v_t [m/s], f_H [N], 3/2 c [s/m], the normal force f [N], the two results of
    `hollars`, and the force [N] on surface 2. If the surfaces separate fast, f is not positive. The first result of
    `hollars` is |f_t|/(f |v_t|) [s/m]. The force on surface 2 is valid only for f > 0.
    """

    share: float
    point: Vector
    v: Vector
    vn: float
    slip: Vector
    hertz: float
    damping: float
    normal: float
    factor: float
    slope: float
    force: Vector


@kernel(inline=True)
def eval_pair_force(c: Surfaces, par: PairParameters, i: int, j: int, t: Touch) -> PairForce:
    """Evaluate the force that one force element exerts on the touching surfaces i and j. The argument t is the result
    of `find_contact`.
    """
    x, nx, ny, nz, qx, qy, qz, R = t
    s1 = par.K[j] / (par.K[i] + par.K[j])
    # point on which the force acts: each surface is deformed by its share of the depth
    px, py, pz = qx - s1 * x * nx, qy - s1 * x * ny, qz - s1 * x * nz
    ux, uy, uz = eval_point_velocity(c, i, px, py, pz)
    wx, wy, wz = eval_point_velocity(c, j, px, py, pz)
    vx, vy, vz = ux - wx, uy - wy, uz - wz
    vn = vx * nx + vy * ny + vz * nz
    sx, sy, sz = vx - vn * nx, vy - vn * ny, vz - vn * nz
    # normal force and friction
    fH, damping = eval_hertz_force(par.K[i] * s1, par.hertz, x, R), 1.5 * (s1 * c.c[i] + (1.0 - s1) * c.c[j])
    f = fH * (1.0 + damping * vn)
    us, ud, uv = mix(c.us[i], c.us[j]), mix(c.ud[i], c.ud[j]), mix(c.uv[i], c.uv[j])
    factor, slope = hollars(np.sqrt(sx * sx + sy * sy + sz * sz), us, ud, uv, par.vt)
    g = f * factor
    force = f * nx + g * sx, f * ny + g * sy, f * nz + g * sz
    return PairForce(s1, (px, py, pz), (vx, vy, vz), vn, (sx, sy, sz), fH, damping, f, factor, slope, force)


@kernel(inline=True)
def apply_force(c: Surfaces, i: int, px: float, py: float, pz: float, fx: float, fy: float, fz: float) -> None:
    """Add the force (fx, fy, fz) at the position P = (px, py, pz) to the force and the torque on surface i."""
    rx, ry, rz = px - c.center[i, 0], py - c.center[i, 1], pz - c.center[i, 2]
    c.force[i, 0] += fx
    c.force[i, 1] += fy
    c.force[i, 2] += fz
    c.torque[i, 0] += ry * fz - rz * fy
    c.torque[i, 1] += rz * fx - rx * fz
    c.torque[i, 2] += rx * fy - ry * fx


@kernel
def add_pair_forces(c: Surfaces, par: PairParameters, pairs: IntArray) -> float:
    """Add to ``c.force`` and ``c.torque`` the forces of one force element on pairs of surfaces of any type. Return the
    energy [J] that the force element stores in these pairs.
    """
    energy = 0.0
    for k in range(len(pairs)):
        i, j = pairs[k, 0], pairs[k, 1]
        touch = find_contact(c, i, j)
        if touch[0] <= 0.0:
            continue
        t = eval_pair_force(c, par, i, j, touch)
        energy += 0.4 * t.hertz * touch[0]
        if t.normal > 0.0:
            (px, py, pz), (fx, fy, fz) = t.point, t.force
            apply_force(c, i, px, py, pz, -fx, -fy, -fz)
            apply_force(c, j, px, py, pz, fx, fy, fz)
    return energy


@kernel
def add_round_forces(c: Surfaces, par: PairParameters, pairs: IntArray) -> float:
    """Add to ``c.force`` and ``c.torque`` the forces of one force element on pairs without ellipsoids. Return the
    energy [J] that the force element stores in these pairs.
    """
    # the columns are local variables, because reading them from a tuple of all columns takes ten times as long as the
    # force law
    kind, center, reach, normal, v, omega = c.kind, c.center, c.reach, c.normal, c.v, c.omega
    K, cc, us, ud, uv, force, torque = par.K, c.c, c.us, c.ud, c.uv, c.force, c.torque
    is_point, hertz, vt, energy = c.is_point, par.hertz, par.vt, 0.0
    for k in range(len(pairs)):
        i, j = pairs[k, 0], pairs[k, 1]
        # depth x and normal
        r = reach[i]
        dx, dy, dz = center[j, 0] - center[i, 0], center[j, 1] - center[i, 1], center[j, 2] - center[i, 2]
        if kind[j] == HALF_SPACE:
            nx, ny, nz, R = -normal[j, 0], -normal[j, 1], -normal[j, 2], r
            x = r - (dx * nx + dy * ny + dz * nz)
        else:
            x, nx, ny, nz, R = touch_spheres(dx, dy, dz, r, reach[j])
        if x <= 0.0:
            continue
        s1 = K[j] / (K[i] + K[j])
        # vectors from both origins to the point at which the force acts
        arm = r - s1 * x
        ax, ay, az = arm * nx, arm * ny, arm * nz
        bx, by, bz = ax - dx, ay - dy, az - dz
        # relative velocity of both bodies at this point
        ux, uy, uz = v[i, 0] - v[j, 0], v[i, 1] - v[j, 1], v[i, 2] - v[j, 2]
        if not is_point[i]:
            ux += omega[i, 1] * az - omega[i, 2] * ay
            uy += omega[i, 2] * ax - omega[i, 0] * az
            uz += omega[i, 0] * ay - omega[i, 1] * ax
        if not is_point[j]:
            ux -= omega[j, 1] * bz - omega[j, 2] * by
            uy -= omega[j, 2] * bx - omega[j, 0] * bz
            uz -= omega[j, 0] * by - omega[j, 1] * bx
        # normal force: Hertz force times damping factor
        vn = ux * nx + uy * ny + uz * nz
        f = eval_hertz_force(K[i] * s1, hertz, x, R)
        energy += 0.4 * f * x
        f *= 1.0 + 1.5 * (s1 * cc[i] + (1.0 - s1) * cc[j]) * vn
        if f <= 0.0:
            continue
        # friction on surface 2, in the direction of the slip of surface 1 relative to surface 2
        ux, uy, uz = ux - vn * nx, uy - vn * ny, uz - vn * nz
        slip = np.sqrt(ux * ux + uy * uy + uz * uz)
        g = f * hollars(slip, mix(us[i], us[j]), mix(ud[i], ud[j]), mix(uv[i], uv[j]), vt)[0]
        fx, fy, fz = f * nx + g * ux, f * ny + g * uy, f * nz + g * uz
        # forces on both bodies
        force[i, 0] -= fx
        force[i, 1] -= fy
        force[i, 2] -= fz
        force[j, 0] += fx
        force[j, 1] += fy
        force[j, 2] += fz
        # torques on bodies that are not points
        if not is_point[i]:
            torque[i, 0] -= ay * fz - az * fy
            torque[i, 1] -= az * fx - ax * fz
            torque[i, 2] -= ax * fy - ay * fx
        if not is_point[j]:
            torque[j, 0] += by * fz - bz * fy
            torque[j, 1] += bz * fx - bx * fz
            torque[j, 2] += bx * fy - by * fx
    return energy


@kernel
def clear_forces(c: Surfaces, runs: Runs) -> None:
    """Set ``c.force`` and ``c.torque`` of the surfaces in ``runs`` to 0, see `find_runs`."""
    force, torque = c.force, c.torque
    for run in range(len(runs)):
        for i in range(runs[run, 0], runs[run, 1]):
            for d in range(3):
                force[i, d] = torque[i, d] = 0.0


@kernel
def scatter_forces(c: Surfaces, m: PositionMarkers, runs: Runs, f: FloatArray) -> None:
    """Subtract the generalised forces Jᵀ F + Jrᵀ T from f. F and T are the forces and torques on the surfaces in
    ``runs``, see `find_runs`. J and Jr are the Jacobians of position and rotation of the markers.
    """
    dofs, marker, is_point, center, force, torque = c.dofs, c.marker, c.is_point, c.center, c.force, c.torque
    p, J, Jr, width = m.position, m.jacobian, m.rotation_jacobian, c.dofs.shape[1]
    for run in range(len(runs)):
        for i in range(runs[run, 0], runs[run, 1]):
            k = marker[i]
            fx, fy, fz = force[i, 0], force[i, 1], force[i, 2]
            if fx == 0.0 and fy == 0.0 and fz == 0.0 and (is_point[i] or not torque[i].any()):
                continue
            if is_point[i]:
                # the coordinates of a point are its position
                for a in range(min(3, width)):
                    f[dofs[i, a]] -= force[i, a]
                continue
            # torque about the marker
            rx, ry, rz = center[i, 0] - p[k, 0], center[i, 1] - p[k, 1], center[i, 2] - p[k, 2]
            tx = torque[i, 0] + ry * fz - rz * fy
            ty = torque[i, 1] + rz * fx - rx * fz
            tz = torque[i, 2] + rx * fy - ry * fx
            for a in range(width):
                f[dofs[i, a]] -= (
                    J[k, 0, a] * fx
                    + J[k, 1, a] * fy
                    + J[k, 2, a] * fz
                    + Jr[k, 0, a] * tx
                    + Jr[k, 1, a] * ty
                    + Jr[k, 2, a] * tz
                )
