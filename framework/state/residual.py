"""The residual of a model at given fields."""

from __future__ import annotations

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.assembly import Assembly


def eval_residual(assembly: Assembly, load_factor: float = 1.0) -> FloatArray:
    """Return the residual at the present fields, shape (n + m,). The first n entries, one per coordinate, are the sum
    of forces, inertia forces and constraint forces, minus ``load_factor`` times the loads. The last m entries are the
    values of the constraint equations.
    """
    fields = assembly.fields
    f, c = np.zeros_like(fields.x), np.zeros_like(fields.lam)
    assembly.update_markers()
    assembly.add_loads(f, -load_factor)
    assembly.add_forces(f)
    assembly.add_inertia(f)
    assembly.add_constraints(c, f)
    return np.concatenate((f[:-1], c[:-1]))
