"""Kernels of the energy balance of a time step. The momentum and the gyration are inertia forces. In the momentum, the
accelerations are replaced by the velocities. In the gyration, the accelerations are 0 (see balance.py).
"""

from __future__ import annotations

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel


@kernel
def load_motion(
    reference: FloatArray, q: FloatArray, v: FloatArray, a: FloatArray, lam: FloatArray,
    x: FloatArray, v_now: FloatArray, a_now: FloatArray, lam_now: FloatArray, q_now: FloatArray, at_end: IntArray,
) -> None:  # fmt: skip
    """Copy the displacements, velocities, accelerations and multipliers of a state to the fields. The displacements are
    also copied to q_now.

    If a coordinate or a velocity changes, ``at_end`` (see `Fields`) is set to 0.
    """
    changes = False
    for i in range(len(q)):
        now = reference[i] + q[i]
        changes |= (x[i] != now) | (v_now[i] != v[i])
        x[i] = now
        v_now[i], a_now[i], q_now[i] = v[i], a[i], q[i]
    for i in range(len(lam)):
        lam_now[i] = lam[i]
    if changes:
        at_end[0] = 0


@kernel
def load_middle(
    reference: FloatArray, q: FloatArray, before: FloatArray, start: FloatArray, end: FloatArray, v_before: FloatArray,
    a_before: FloatArray, rotations: IntArray, time: FloatArray, x: FloatArray, v: FloatArray, a: FloatArray,
    half_difference: FloatArray, at_end: IntArray,
) -> None:  # fmt: skip
    """Replace the values of the fields, which are values at the end of a step, by values in the middle of the step.
    These values are the time, the mean coordinates, the mean accelerations, and the velocities (m + w)/2.

    q, before: displacements at the end and at the start of the step, shape (n,).
    start: time [s] at the start of the step, shape (1,).
    end: output, the time [s] at the end of the step, shape (1,). On entry, ``time`` contains this value.
    rotations: coordinate numbers of Euler parameters, shape (k, 4). The Euler parameters in the middle of the step are
    the midpoint of the great circle arc between the values at both ends.
    v: output, (m + w)/2, shape (n,), where w is the change of the displacement divided by the step size, and m is the
    mean of the velocities at both ends.
    half_difference: output, (m - w)/2, shape (n,).
    at_end: output, 0, see `Fields`.
    """
    at_end[0], end[0] = 0, time[0]
    time[0] = 0.5 * (start[0] + end[0])
    rate = 1.0 / (end[0] - start[0])
    for i in range(len(q)):
        x[i] = reference[i] + 0.5 * (q[i] + before[i])
        way, mean = rate * (q[i] - before[i]), 0.5 * (v[i] + v_before[i])
        v[i], half_difference[i] = 0.5 * (mean + way), 0.5 * (mean - way)
        a[i] = 0.5 * (a[i] + a_before[i])
    for i in range(len(rotations)):
        chord, square = 0.0, 0.0
        for j in rotations[i]:
            chord += (q[j] - before[j]) ** 2
            square += x[j] ** 2
        # let h be half the angle between both sets of Euler parameters: sin h is half the chord, and cos h is the
        # length of the mean
        length = np.sqrt(square)
        angle = np.arctan2(0.5 * np.sqrt(chord), length)
        scale = angle / np.sin(angle) if angle > 1e-6 else 1.0
        for j in rotations[i]:
            way, mean = scale * rate * (q[j] - before[j]), (v[j] + half_difference[j]) / length
            x[j] /= length
            v[j], half_difference[j] = 0.5 * (mean + way), 0.5 * (mean - way)


@kernel
def mix_powers(between: FloatArray, ends: FloatArray, way: FloatArray) -> None:
    """Replace ``between`` (powers for the mean of two velocities) by 2 ``between`` minus the mean of ``ends`` and
    ``way`` (powers for each of the two velocities). All arrays have the shape (n,).
    """
    for i in range(len(between)):
        between[i] = 2.0 * between[i] - 0.5 * (ends[i] + way[i])


@kernel
def mask_multipliers(lam: FloatArray, masks: FloatArray, out: FloatArray) -> None:
    """Copy the multipliers ``lam``, shape (m + 1,), to ``out``, shape (groups, m + 1). Each row of ``out`` contains the
    multipliers of one group of constraints, where ``masks`` is 1, and 0 for all other multipliers.
    """
    for k in range(len(masks)):
        for i in range(len(lam)):
            out[k, i] = lam[i] * masks[k, i]


@kernel
def drop_states(states: IntArray, f: FloatArray) -> None:
    """Set the forces of first-order states to 0, because first-order states have no kinetic energy.

    states: process-local coordinate numbers of the first-order states, shape (k,).
    f: groups of forces, shape (groups, n + 1).
    """
    for i in states:
        for k in range(len(f)):
            f[k, i] = 0.0


@kernel
def take_kinetic(v: FloatArray, momentum: FloatArray, gyration: FloatArray, kinetic: FloatArray) -> None:
    """Set ``kinetic``, shape (1,), to the kinetic energy v·(momentum - gyration)/2."""
    total = 0.0
    for i in range(len(v)):
        total += v[i] * (momentum[i] - gyration[i])
    kinetic[0] = 0.5 * total


@kernel
def settle_motion(time: FloatArray, start: FloatArray, size: FloatArray, work: FloatArray, works: FloatArray) -> None:
    """Compute the step size [s], and add the work of all forces in the step to the sums.

    The arrays ``work`` (work in this step) and ``works`` (sums over the steps) have the shape (groups,), with one value
    per group of forces. All other arrays have the shape (1,). The time at the end of the step is copied to ``start``
    for the next step.
    """
    size[0] = time[0] - start[0]
    start[0] = time[0]
    for k in range(len(work)):
        works[k] += work[k]


@kernel
def settle_energies(energies: FloatArray, before: FloatArray, sums: FloatArray) -> None:
    """Set ``sums``, shape (k,), to the changes of k energies since the sums were last set to 0.

    energies, before: energies of the rows now and at that time, shape (k, rows) each.
    """
    for k in range(len(energies)):
        total = 0.0
        for i in range(energies.shape[1]):
            total += energies[k, i] - before[k, i]
        sums[k] = total


@kernel
def settle_powers(
    size: FloatArray, powers: FloatArray, before: FloatArray, jumps: FloatArray, losses: FloatArray, sums: FloatArray
) -> None:
    """Add the integrals of p powers over a step of size[0] seconds to ``sums``, shape (p,).

    The integral of a power is the step size times the mean of ``before`` and ``powers``, shape (p, rows) each. These
    two arrays contain the powers at both ends of the step, or both contain the mean powers over the step. The integrals
    of the first l powers, and the ``jumps``, are also added to ``losses``, shape (rows, l). Then ``powers`` are copied
    to ``before`` for the next step.
    """
    lost, half = losses.shape[1], 0.5 * size[0]
    for k in range(len(powers)):
        total = 0.0
        for i in range(powers.shape[1]):
            work = half * (before[k, i] + powers[k, i])
            before[k, i] = powers[k, i]
            if k < lost:
                work += jumps[k, i]
                losses[i, k] += work
            total += work
        sums[k] += total
