"""Fields of an assembly at random, for the comparison of tangents with differences."""

from __future__ import annotations

import numpy as np

from windlass.framework.assembly.assembly import Assembly


def set_random_fields(assembly: Assembly, seed: int, displacement: float = 0.2) -> None:
    """Coordinates near the reference, velocities, accelerations and multipliers of order 1."""
    random, fields = np.random.default_rng(seed), assembly.fields
    n = assembly.layout.spare
    fields.x[:n] = assembly.layout.reference[:n] + displacement * random.standard_normal(n)
    fields.v[:n], fields.a[:n] = random.standard_normal(n), random.standard_normal(n)
    fields.lam[:-1] = random.standard_normal(len(fields.lam) - 1)
    assembly.update_markers()
