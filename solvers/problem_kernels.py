"""Kernels between the unknowns of a `NonlinearProblem` and the coordinates and multipliers that they stand for."""

from __future__ import annotations

from typing import NamedTuple

from windlass.framework.kernel import kernel
from windlass.framework.law import FloatArray
from windlass.framework.table import IntArray

CHUNK = 256
"""Values that are compared at once."""


class Places(NamedTuple):
    """Where local coordinates and multipliers stand among the local unknowns, and reference coordinates by number."""

    dofs: IntArray
    multipliers: IntArray
    reference: FloatArray


class Predicted(NamedTuple):
    """Predicted displacements, velocities and accelerations of a scheme, each of shape (n,)."""

    q: FloatArray
    v: FloatArray
    a: FloatArray


class Motion(NamedTuple):
    """The fields that unknowns decide on: coordinates, velocities, accelerations, multipliers, with spare entries."""

    x: FloatArray
    v: FloatArray
    a: FloatArray
    lam: FloatArray


@kernel
def expand(
    unknown: FloatArray, to: Places, p: Predicted, v_factor: float, a_factor: float, lam_factor: float, out: Motion
) -> None:
    """Coordinates, velocities, accelerations and multipliers of the unknowns, see `Scheme` in problem.py."""
    for i in range(len(to.dofs)):
        dq = unknown[to.dofs[i]]
        out.x[i] = to.reference[i] + p.q[i] + dq
        out.v[i] = p.v[i] + v_factor * dq
        out.a[i] = p.a[i] + a_factor * dq
    for i in range(len(to.multipliers)):
        out.lam[i] = lam_factor * unknown[to.multipliers[i]]


@kernel
def displacements(unknown: FloatArray, position: IntArray, q0: FloatArray, out: FloatArray) -> None:
    """out = q0 + unknown[position]."""
    for i in range(len(position)):
        out[i] = q0[i] + unknown[position[i]]


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
def collect(f: FloatArray, position: IntArray, out: FloatArray) -> None:
    """out[position] = f."""
    for i in range(len(position)):
        out[position[i]] = f[i]
