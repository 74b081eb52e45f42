"""Function that sets random fields of an assembly, for the comparison of tangents with differences."""

from __future__ import annotations

import numpy as np

from windlass.framework.assembly.assembly import Assembly


def set_random_fields(assembly: Assembly, seed: int, displacement: float = 0.2) -> None:
    """Set coordinates near the reference, and velocities, accelerations and multipliers of order 1."""
    random, fields = np.random.default_rng(seed), assembly.fields
    n = assembly.layout.spare
    fields.x[:n] = assembly.layout.reference[:n] + displacement * random.standard_normal(n)
    fields.v[:n], fields.a[:n] = random.standard_normal(n), random.standard_normal(n)
    fields.lam[:-1] = random.standard_normal(len(fields.lam) - 1)
    assembly.update_markers()
