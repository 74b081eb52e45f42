"""Kernels between the unknowns of a `NonlinearProblem` and the coordinates and multipliers that they stand for."""

from __future__ import annotations

from typing import NamedTuple

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel

CHUNK = 256
"""Values that are compared at once."""


class Places(NamedTuple):
    """Where local coordinates, multipliers and pads stand among the local unknowns, and reference coordinates."""

    dofs: IntArray
    multipliers: IntArray
    pads: IntArray
    reference: FloatArray


class Motion(NamedTuple):
    """The fields that unknowns decide on: coordinates, velocities, accelerations, multipliers, with spare entries."""

    x: FloatArray
    v: FloatArray
    a: FloatArray
    lam: FloatArray


@kernel
def expand(unknown: FloatArray, to: Places, q0: FloatArray, v0: FloatArray, factors: FloatArray, out: Motion) -> None:
    """Coordinates, velocities, accelerations and multipliers of the unknowns, see `Scheme` in problem.py.

    ``factors`` are those of velocities, accelerations and multipliers, shape (3,).
    """
    v_factor, a_factor, lam_factor = factors
    for i in range(len(to.dofs)):
        dq = unknown[to.dofs[i]]
        out.x[i] = to.reference[i] + q0[i] + dq
        out.v[i] = v0[i] + v_factor * dq
        out.a[i] = a_factor * dq
    for i in range(len(to.multipliers)):
        out.lam[i] = lam_factor * unknown[to.multipliers[i]]


@kernel
def store_motion(
    unknown: FloatArray, at: Places, q0: FloatArray, motion: Motion, q: FloatArray, v: FloatArray, a: FloatArray
) -> None:
    """Displacements q of the unknowns; velocities v and accelerations a that `expand` has found, all of shape (n,)."""
    for i in range(len(q)):
        q[i] = q0[i] + unknown[at.dofs[i]]
        v[i] = motion.v[i]
        a[i] = motion.a[i]


@kernel
def take_over(new: FloatArray, kept: FloatArray) -> bool:
    """Copy new to kept, shape (n,) or longer; whether a value has changed."""
    n, changed = len(new), False
    for first in range(0, n, CHUNK):
        last, different = min(first + CHUNK, n), 0
        if not changed:
            for i in range(first, last):
                different += new[i] != kept[i]
            changed = different > 0
        if changed:
            for i in range(first, last):
                kept[i] = new[i]
    return changed


@kernel
def clear_values(values: FloatArray, ones: IntArray) -> None:
    """Set values to 0, and some of them to 1."""
    for i in range(len(values)):
        values[i] = 0.0
    for i in ones:
        values[i] = 1.0


@kernel
def place(value: FloatArray, position: IntArray, out: FloatArray) -> None:
    """out[position] = value."""
    for i in range(len(position)):
        out[position[i]] = value[i]


@kernel
def collect(f: FloatArray, c: FloatArray, to: Places, out: FloatArray) -> None:
    """Bring equations of motion f and constraints c to the places of their unknowns."""
    for i in range(len(to.dofs)):
        out[to.dofs[i]] = f[i]
    for i in range(len(to.multipliers)):
        out[to.multipliers[i]] = c[i]
    for i in to.pads:
        out[i] = 0.0
