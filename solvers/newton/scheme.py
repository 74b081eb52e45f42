"""Relation between the unknowns of a Newton run and the motion of the model."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from windlass.framework.arrays import FloatArray


@dataclass
class Scheme:
    """Relation between the unknowns of one Newton run and coordinates, velocities and accelerations.

    Attributes:
        q0, v0: predicted displacements and velocities for accelerations 0, shape (n,). In statics, v0 of a first-order
            state is the difference between the state and its coordinate.
        v_factor, a_factor: derivatives [1/s, 1/s^2] of v and a with respect to the increments.
        multiplier_factor: ratio of a multiplier to its unknown.
        t: time [s] at which the equations are fulfilled.
        load_factor: factor [1] of the loads.
        rate_level: whether to impose position constraints by their time derivative (index 2).
        unit_rates: whether to impose the constraint on the norm of Euler parameters by its time derivative.
        stabiliser: factor [1/s^2] of M (q - q_anchor) in statics.
        q_anchor: displacements at which the stabilising force is 0, shape (n,).
        gap: for each multiplier of this process, the value of C that the solution must have, shape (m,). An empty array
            means C = 0.
        hold: constant forces on the owned coordinates, shape (owned,). These forces make the start of a load step an
            equilibrium. The array is empty if there are no such forces.
        moving: whether a static solve includes inertia forces due to given velocities.
    """

    q0: FloatArray
    v0: FloatArray
    v_factor: float = 0.0
    a_factor: float = 0.0
    multiplier_factor: float = 1.0
    t: float = 0.0
    load_factor: float = 1.0
    rate_level: bool = False
    unit_rates: bool = False
    stabiliser: float = 0.0
    q_anchor: FloatArray = field(default_factory=lambda: np.zeros(0))
    gap: FloatArray = field(default_factory=lambda: np.zeros(0))
    hold: FloatArray = field(default_factory=lambda: np.zeros(0))
    moving: bool = False

    @property
    def has_inertia(self) -> bool:
        """Whether the equations contain inertia forces."""
        return self.moving or self.a_factor != 0.0

    @property
    def is_held(self) -> bool:
        """Whether the equations contain ``gap`` or ``hold``."""
        return len(self.gap) + len(self.hold) > 0

    def add_held(self, f: FloatArray, c: FloatArray) -> None:
        """Subtract ``gap`` from the constraint values ``c``, shape (m + 1,), and ``hold`` from the forces ``f``, shape
        (n + 1,)."""
        f[: len(self.hold)] -= self.hold
        c[: len(self.gap)] -= self.gap
