"""Kernels of `Cable2D` and `Cable3D` for any integration rule. The kernels have loops over the integration points.

Several cables are evaluated at once, see lanes.py. One kernel evaluates the forces, including the product of mass
matrix and accelerations. Another kernel evaluates the tangent and the mass matrix. The modules points.py and
point_forces.py contain the equations at a single point. These modules define the symbols e, s0, s1, p, k and the forces
on these vectors.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.elements.cable.lanes import (
    Lanes,
    gather,
    scatter_forces,
    scatter_matrices,
    take_free,
    take_quantities,
    work_type,
)
from windlass.elements.cable.mass import add_inertia, add_mass
from windlass.elements.cable.point_forces import IN_PLANE, IN_SPACE, AxisForces
from windlass.elements.cable.points import Rule
from windlass.elements.cable.vectors import PLANE, SPACE, Operations
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.kernel import Kernel, kernel
from windlass.framework.model.lanes import LANES
from windlass.framework.model.system import Slots


def create_kernels(ops: Operations, forces: AxisForces) -> tuple[Kernel, Kernel]:
    """Create the kernels of the residual and the tangent of 2D or 3D cables."""
    d, axes, work = ops.dims, ops.axes, work_type(ops.dims)
    dd = d * d
    combine, read, read_curvature = ops.combine, ops.read, ops.read_curvature
    write, add, add_matrix, add_matrices = ops.write, ops.add, ops.add_matrix, ops.add_matrices
    axial_force, axial_block, bending_force, bending_blocks = forces

    @kernel(inline=True)
    def begin(c: Lanes, block: int, x: FloatArray, v: FloatArray, g: Any) -> None:
        """Read the coordinates, velocities and parameters of a block of cables, and evaluate e and its rate."""
        first = block * LANES
        gather(d, c, first, x, g.coordinates)
        gather(d, c, first, v, g.velocities)
        take_quantities(c, block, g)
        for k in range(LANES):
            iL = 1.0 / g.length[k]
            write(0, iL, combine(1.0, read(g.coordinates, 2 * d, k), -1.0, read(g.coordinates, 0, k)), k, g.slopes)
            write(d, iL, combine(1.0, read(g.velocities, 2 * d, k), -1.0, read(g.velocities, 0, k)), k, g.slopes)

    @kernel(inline=True)
    def interpolate(P0: float, P1: float, P2: float, k: int, g: Any) -> Any:
        """Return the vector P0 e + P1 s0 + P2 s1 for the cable in lane k, and the rate of this vector."""
        q, w = g.coordinates, g.velocities
        p = combine(P0, read(g.slopes, 0, k), P1, read(q, d, k))
        pt = combine(P0, read(g.slopes, d, k), P1, read(w, d, k))
        return combine(1.0, p, P2, read(q, 3 * d, k)), combine(1.0, pt, P2, read(w, 3 * d, k))

    @kernel(name=f"residual_gauss_{d}d")
    def residual(c: Lanes, r: Rule, x: FloatArray, v: FloatArray, a: FloatArray, mass: float, f: FloatArray) -> None:
        """Add the forces [N, N m] of any integration rule, and the inertia forces M a, to f."""
        lanes = np.empty(1, work)
        axial = len(r.wa)
        for block in range(len(c.given)):
            first, g = block * LANES, lanes[0]
            begin(c, block, x, v, g)
            gather(d, c, first, a, g.accelerations)
            # forces on e, s0 and s1
            for j in range(3 * d):
                for k in range(LANES):
                    g.on_points[j, k] = 0.0
            # axial integration points: forces N p/|p|, where ``N`` in the code contains the factor 1/|p|
            for j in range(axial):
                P0, P1, P2, w = r.Pa[j, 0], r.Pa[j, 1], r.Pa[j, 2], r.wa[j]
                take_free(c, block, j, 1, g.free)
                for k in range(LANES):
                    p, pt = interpolate(P0, P1, P2, k, g)
                    EA, dEA = g.axial_stiffness[k], g.axial_damping[k]
                    N = w * g.length[k] * axial_force(p, pt, EA, dEA, g.free[0, k])
                    add(0, P0 * N, p, k, g.on_points)
                    add(d, P1 * N, p, k, g.on_points)
                    add(2 * d, P2 * N, p, k, g.on_points)
            # bending integration points: forces on p and on k
            for j in range(len(r.wb)):
                P0, P1, P2, w = r.Pb[j, 0], r.Pb[j, 1], r.Pb[j, 2], r.wb[j]
                B0, B1, B2 = r.Kb[j, 0], r.Kb[j, 1], r.Kb[j, 2]
                take_free(c, block, axial + axes * j, axes, g.free)
                for k in range(LANES):
                    # p = r' and b = r'', with their rates; B0, B1 and B2 are the factors of e, s0 and s1 in L r''
                    wL, iL = w * g.length[k], 1.0 / g.length[k]
                    p, pt = interpolate(P0, P1, P2, k, g)
                    b, bt = interpolate(iL * B0, iL * B1, iL * B2, k, g)
                    EI, dEI = g.bending_stiffness[k], g.bending_damping[k]
                    on_p, on_k = bending_force(p, b, pt, bt, EI, dEI, read_curvature(g.free, 0, k))
                    add(0, 1.0, combine(wL * P0, on_p, w * B0, on_k), k, g.on_points)
                    add(d, 1.0, combine(wL * P1, on_p, w * B1, on_k), k, g.on_points)
                    add(2 * d, 1.0, combine(wL * P2, on_p, w * B2, on_k), k, g.on_points)
            # forces on the coordinates, with e = (r1 - r0)/L, and inertia forces
            for k in range(LANES):
                iL, on_e = 1.0 / g.length[k], read(g.on_points, 0, k)
                write(0, -iL, on_e, k, g.forces)
                write(d, 1.0, read(g.on_points, d, k), k, g.forces)
                write(2 * d, iL, on_e, k, g.forces)
                write(3 * d, 1.0, read(g.on_points, 2 * d, k), k, g.forces)
                add_inertia(d, mass, k, g)
            scatter_forces(d, c, first, g, f)

    @kernel(inline=True)
    def add_bending(row: int, P: float, K: float, Q: float, R: float, B: Any, k: int, g: Any) -> None:
        """Add PQ pp + PR pk + KQ kp + KR kk to the matrix that begins at ``row`` in ``g.sums``, for the cable in lane
        k. B contains the elements of the derivative blocks (pp, pk, kp, kk) of a point. P and K are the factors with
        which one of the vectors e, s0, s1 enters p and k. Q and R are the factors with which the second vector enters p
        and k. The second vector can be equal to the first.
        """
        add_matrices(row, P * Q, P * R, K * Q, K * R, B, k, g.sums)

    @kernel(inline=True)
    def fill_block(a: int, b: int, iL: float, k: int, g: Any) -> None:
        """Fill the elements (a + d i, b + d j) of the element matrix of the cable in lane k, with i and j from 0 to 3.
        The elements follow from the sums over the points, with e = (r1 - r0)/L.
        """
        j, sums, M = d * a + b, g.sums, g.matrix
        ee, e0, e1 = iL * iL * sums[j, k], iL * sums[j + dd, k], iL * sums[j + 2 * dd, k]
        oe, ie = iL * sums[j + 3 * dd, k], iL * sums[j + 6 * dd, k]
        to, next_row = 4 * d * a + b, 4 * dd
        M[to, k], M[to + d, k], M[to + 2 * d, k], M[to + 3 * d, k] = ee, -e0, -ee, -e1
        to += next_row
        M[to, k], M[to + d, k], M[to + 2 * d, k], M[to + 3 * d, k] = -oe, sums[j + 4 * dd, k], oe, sums[j + 5 * dd, k]
        to += next_row
        M[to, k], M[to + d, k], M[to + 2 * d, k], M[to + 3 * d, k] = -ee, e0, ee, e1
        to += next_row
        M[to, k], M[to + d, k], M[to + 2 * d, k], M[to + 3 * d, k] = -ie, sums[j + 7 * dd, k], ie, sums[j + 8 * dd, k]

    @kernel(name=f"tangent_gauss_{d}d")
    def tangent(
        c: Lanes, r: Rule, x: FloatArray, v: FloatArray, dq: float, dv: float, mass: float, slots: Slots,
        values: FloatArray,
    ) -> None:  # fmt: skip
        """Add the tangent dq ∂f/∂q + dv ∂f/∂v of the forces, with the factors dq and dv, and the mass matrix M to the
        values of the matrix.
        """
        lanes = np.empty(1, work)
        axial = len(r.wa)
        for block in range(len(c.given)):
            g = lanes[0]
            begin(c, block, x, v, g)
            for j in range(9 * dd):
                for k in range(LANES):
                    g.sums[j, k] = 0.0
            # axial integration points: derivatives of the force on r' with respect to r' and its rate
            for j in range(axial):
                P0, P1, P2, w = r.Pa[j, 0], r.Pa[j, 1], r.Pa[j, 2], r.wa[j]
                take_free(c, block, j, 1, g.free)
                for k in range(LANES):
                    wL, EA, dEA = w * g.length[k], g.axial_stiffness[k], g.axial_damping[k]
                    p, pt = interpolate(P0, P1, P2, k, g)
                    A = axial_block(p, pt, EA, dEA, g.free[0, k], wL * dq, wL * dv)
                    # derivatives of the forces on e, s0 and s1 with respect to e, s0 and s1
                    add_matrix(0, P0 * P0, A, k, g.sums)
                    add_matrix(dd, P0 * P1, A, k, g.sums)
                    add_matrix(2 * dd, P0 * P2, A, k, g.sums)
                    add_matrix(3 * dd, P1 * P0, A, k, g.sums)
                    add_matrix(4 * dd, P1 * P1, A, k, g.sums)
                    add_matrix(5 * dd, P1 * P2, A, k, g.sums)
                    add_matrix(6 * dd, P2 * P0, A, k, g.sums)
                    add_matrix(7 * dd, P2 * P1, A, k, g.sums)
                    add_matrix(8 * dd, P2 * P2, A, k, g.sums)
            # bending integration points: derivatives, with respect to p and k, of the generalised forces conjugate to
            # p and k
            for j in range(len(r.wb)):
                P0, P1, P2, w = r.Pb[j, 0], r.Pb[j, 1], r.Pb[j, 2], r.wb[j]
                B0, B1, B2 = r.Kb[j, 0], r.Kb[j, 1], r.Kb[j, 2]
                take_free(c, block, axial + axes * j, axes, g.free)
                for k in range(LANES):
                    # p = r', b = r'' and their rates at the point, and the derivative blocks pp, pk, kp and kk
                    wL, iL = w * g.length[k], 1.0 / g.length[k]
                    K0, K1, K2 = iL * B0, iL * B1, iL * B2
                    p, pt = interpolate(P0, P1, P2, k, g)
                    b, bt = interpolate(K0, K1, K2, k, g)
                    EI, dEI = wL * g.bending_stiffness[k], wL * g.bending_damping[k]
                    B = bending_blocks(p, b, pt, bt, EI, dEI, read_curvature(g.free, 0, k), dq, dv)
                    # derivatives of the forces on e, s0 and s1 with respect to e, s0 and s1
                    add_bending(0, P0, K0, P0, K0, B, k, g)
                    add_bending(dd, P0, K0, P1, K1, B, k, g)
                    add_bending(2 * dd, P0, K0, P2, K2, B, k, g)
                    add_bending(3 * dd, P1, K1, P0, K0, B, k, g)
                    add_bending(4 * dd, P1, K1, P1, K1, B, k, g)
                    add_bending(5 * dd, P1, K1, P2, K2, B, k, g)
                    add_bending(6 * dd, P2, K2, P0, K0, B, k, g)
                    add_bending(7 * dd, P2, K2, P1, K1, B, k, g)
                    add_bending(8 * dd, P2, K2, P2, K2, B, k, g)
            # element matrix for all pairs of components, and mass matrix
            for k in range(LANES):
                iL = 1.0 / g.length[k]
                fill_block(0, 0, iL, k, g)
                fill_block(0, 1, iL, k, g)
                fill_block(1, 0, iL, k, g)
                fill_block(1, 1, iL, k, g)
                add_mass(d, 0, mass, k, g)
                add_mass(d, 1, mass, k, g)
                # the compiler removes this part in 2D
                if d == 3:
                    fill_block(0, 2, iL, k, g)
                    fill_block(1, 2, iL, k, g)
                    fill_block(2, 0, iL, k, g)
                    fill_block(2, 1, iL, k, g)
                    fill_block(2, 2, iL, k, g)
                    add_mass(d, 2, mass, k, g)
            scatter_matrices(d, c, block * LANES, g.matrix, slots, values)

    return residual, tangent


residual_gauss_2d, tangent_gauss_2d = create_kernels(PLANE, IN_PLANE)
residual_gauss_3d, tangent_gauss_3d = create_kernels(SPACE, IN_SPACE)
