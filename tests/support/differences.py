"""Tangents of an assembly as dense matrices, and what they should be by central differences of the residual."""

from __future__ import annotations

import numpy as np

from windlass.framework.assembly.assembly import Assembly


def eval_residual(assembly: Assembly, load_factor: float = 1.0) -> np.ndarray:
    """Forces, inertia and constraint forces less loads, then constraint equations, at the present fields."""
    fields = assembly.fields
    f, c = np.zeros_like(fields.x), np.zeros_like(fields.lam)
    assembly.update_markers()
    assembly.add_loads(f)
    f *= -load_factor
    assembly.add_forces(f)
    assembly.add_inertia(f)
    assembly.add_constraints(c, f)
    return np.concatenate((f[:-1], c[:-1]))


def eval_tangent(
    assembly: Assembly, dq: float, dv: float, da: float, scale: float = 1.0, load_factor: float = 1.0
) -> np.ndarray:
    """The tangent for factors of q, v, a and multipliers, coordinates first, then multipliers."""
    layout, pattern = assembly.layout, assembly.pattern
    assembly.update_markers()
    values = np.zeros(pattern.spare + 1)
    assembly.add_tangent(values, dq, dv, da, load_factor, da)
    assembly.add_constraint_tangent(values, dq, dv, scale)
    full = np.zeros((len(layout.unknowns.numbers),) * 2)
    rows = np.repeat(np.arange(len(pattern.indptr) - 1), np.diff(pattern.indptr))
    full[rows, pattern.indices] = values[:-1]
    unknowns = np.concatenate((layout.unknowns.of_dof, layout.unknowns.of_multiplier))
    return full[np.ix_(unknowns, unknowns)]


def difference(assembly: Assembly, name: str, step: float = 1e-6, load_factor: float = 1.0) -> np.ndarray:
    """Derivative of `eval_residual` by ``x``, ``v``, ``a`` or ``lam`` of the fields, by central differences."""
    values = getattr(assembly.fields, name)
    columns = []
    for j in range(len(values) - 1):
        start = values[j]
        values[j] = start + step
        plus = eval_residual(assembly, load_factor)
        values[j] = start - step
        minus = eval_residual(assembly, load_factor)
        values[j] = start
        columns.append((plus - minus) / (2 * step))
    return np.stack(columns, axis=1)


def set_random_fields(assembly: Assembly, seed: int, displacement: float = 0.2) -> None:
    """Coordinates near the reference, velocities, accelerations and multipliers of order 1."""
    random, fields = np.random.default_rng(seed), assembly.fields
    n = assembly.layout.spare
    fields.x[:n] = assembly.layout.reference[:n] + displacement * random.standard_normal(n)
    fields.v[:n], fields.a[:n] = random.standard_normal(n), random.standard_normal(n)
    fields.lam[:-1] = random.standard_normal(len(fields.lam) - 1)
    assembly.update_markers()


def assert_tangent_is_exact(assembly: Assembly, tolerance: float = 2e-8) -> None:
    """Compare the whole tangent with central differences at the present fields, at position and at rate level.

    Differences with a step of 1e-6 and numbers of order 1 to 10 are right to about 1e-9.
    """
    n = assembly.layout.spare
    for rate_level in (False, True):
        assembly.fields.rate_level = rate_level
        parts = {name: difference(assembly, name) for name in ("x", "v", "a", "lam")}
        for dq, dv, da, scale in ((1.0, 0.0, 1e-300, 0.0), (0.0, 1.0, 1e-300, 0.5), (0.7, 1.3, 2.1, 0.4)):
            expected = np.zeros((n + len(assembly.fields.lam) - 1,) * 2)
            expected[:, :n] = dq * parts["x"] + dv * parts["v"] + da * parts["a"]
            expected[:, n:] = scale * parts["lam"]
            found = eval_tangent(assembly, dq, dv, da, scale)
            size = max(1.0, float(np.abs(expected).max()))
            np.testing.assert_allclose(found, expected, atol=tolerance * size, rtol=0)
    assembly.fields.rate_level = False
