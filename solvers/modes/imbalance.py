"""Unbalanced forces w at the state about which modes are computed: M a + f - loads + C_qᵀ λ = w, where λ minimises |w|.

Modes are small motions about an equilibrium or about a motion. M is the mass matrix, f are the forces on the left-hand
side, and C_q are the derivatives of the constraint equations with respect to the coordinates. If w is not 0, the
coordinates, velocities and accelerations of the state do not satisfy the equations of motion. Frequencies and growth
rates are then valid only at the time of the state. Let r = M a + f - loads. The force w is the part of r that remains
after subtraction of constraint forces: w = r - C_qᵀ μ with multipliers μ = -λ, and C_q w = 0. Therefore w and μ are the
solution of (I, C_qᵀ; C_q, 0)(w, μ) = (r, 0). The force w is unique even if constraints are redundant.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.runtime.petsc import PETSc
from windlass.solvers.modes.matrices import LinearMotion
from windlass.solvers.names import name_largest

ROUNDING = 64.0 * float(np.finfo(np.float64).eps)
"""Unbalanced force [1], relative to |K| |x| with the coordinates x of the state. Up to this value, the force is treated
as a rounding error.
"""
BALANCED = 1e-6
"""Largest unbalanced force [1] of a balanced state, relative to the largest of inertia forces, internal forces, loads
and reactions. If loads cancel each other, such as weight and buoyancy, the absolute values of the loads are added.
"""
UNITS = {"x": "N", "y": "N", "z": "N", "s": "N"}
"""Units of generalised forces by name of the coordinate. Other coordinates are angles or slopes, with the unit N m."""


class Imbalance(NamedTuple):
    """The largest unbalanced force at the state about which modes are computed.

    Attributes:
        value: the force [N or N m], 0 if only rounding errors remain.
        share: ratio [1] of ``value`` to the largest of inertia forces, internal forces, loads and reactions.
        words: text with the force, its unit and its coordinate.
    """

    value: float
    share: float
    words: str

    @property
    def is_balanced(self) -> bool:
        """Whether coordinates, velocities and accelerations of the state satisfy the equations of motion up to
        `BALANCED`."""
        return self.share <= BALANCED


def find_imbalance(motion: LinearMotion) -> Imbalance:
    """Return the largest unbalanced force at the state of ``motion``. The fields of the assembly must contain this
    state. The call is collective."""
    assembly, processes = motion.assembly, motion.assembly.processes
    layout, fields = assembly.layout, assembly.fields
    parts = [np.zeros(layout.spare + 1) for _ in range(4)]
    assembly.add_inertia(parts[0])
    assembly.add_forces(parts[1])
    assembly.add_loads(parts[2], -1.0)
    assembly.add_constraints(np.zeros(len(fields.lam)), parts[3])
    vectors = [motion.place_forces(part[:-1]) for part in parts]
    total = vectors[0].duplicate()
    for vector in vectors:
        total.axpy(1.0, vector)
    left = motion.project(total)
    reaction = total.duplicate()
    reaction.waxpy(-1.0, left, total)
    reaction.axpy(-1.0, vectors.pop())
    sizes = np.zeros(layout.spare + 1)
    assembly.loads.add_sizes(sizes)
    vectors[2] = motion.place_forces(sizes[:-1])
    rounding = motion.multiply_absolute(motion.place_own(fields.x[:-1]))
    left.array = np.where(np.abs(left.array_r) > ROUNDING * rounding.array_r, left.array_r, 0.0)
    scale = max(float(vector.norm(PETSc.NormType.INFINITY)) for vector in (*vectors, reaction))
    own: FloatArray = motion.take_coordinates(left)[: len(layout.owned)].copy()
    # equations of first-order states contain no forces
    own[layout.states[layout.states < len(layout.owned)]] = 0.0
    largest = processes.largest_of(float(np.abs(own).max(initial=0.0)))
    if largest == 0.0:
        return Imbalance(0.0, 0.0, "0 N")
    ((name, value),) = name_largest(assembly, own, 1)
    unit = UNITS.get(name.rpartition(", ")[2], "N m")
    return Imbalance(largest, largest / max(scale, largest), f"{abs(value):.2g} {unit} at {name}")
