"""Reference values for residuals: rounding errors of forces, and norms of loads, inertia and reactions.

Forces are computed from coordinates x that have rounding errors of eps |x|, with the relative rounding error eps of
floating-point numbers. The residual of equation i therefore has the uncertainty given below. Here A is the tangent, and
x contains the total coordinates and the multipliers:

    eps Σ_j |A_ij| |x_j|.

For example, a chain of 1000 elements of 10 mm with EA = 10⁶ N is 10 m long. Rounding errors of 10⁻¹⁶ times 10 m cause
strains of 10⁻¹³ in the elements, errors of 10⁻⁷ N in each force, and errors of 10⁻⁵ N in the norm of all equations.
Therefore the residual of this chain cannot be smaller than about 10⁻⁵ N, regardless of the loads. Forces that depend on
other large values have additional rounding errors. An example is the radius 10⁵ m of a circle with a fixed centre. The
function `Checks.rounding` of the law estimates these errors. A Newton run has converged if its residual no longer
decreases and is of the order of this uncertainty.

The residual of the first iteration is not a suitable reference value if the first Newton step was much too large. For a
slack rope this residual can be as large as 10¹³ N. With a relative tolerance of 10⁻⁸, the accepted residual would then
exceed the weight of the rope. Therefore a converged residual must also be small relative to loads, reactions and
inertia.

Source: N. J. Higham, Accuracy and Stability of Numerical Algorithms, SIAM (2002), section 25.2 (limiting residual of
Newton's method).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.vectors import sum_to_owners
from windlass.solvers.newton.problem import NonlinearProblem

FACTOR = 4.0
"""Ratio [1] of a residual to the estimated rounding error. Up to this value, the residual is treated as a rounding
error.
"""
SMALL = 1e-3
"""Ratio [1] of a residual to the result of `estimate_forces`. If the first iteration was much too large, a Newton run
has converged only if the ratio is at most this value.
"""
NEAR = 1e4
"""Ratio [1] of a residual that no longer decreases to the estimated rounding error. Up to this ratio, messages state
that rounding is the cause.
"""


def estimate_rounding(problem: NonlinearProblem) -> float:
    """Return an estimate of the 2-norm of the rounding errors of the residual at the present unknowns. The call is
    collective.
    """
    unknowns, fields = problem.sparsity.unknowns, problem.assembly.fields
    x = np.zeros(len(problem.sparsity.numbers))
    x[unknowns.of_dof] = np.abs(fields.x[:-1])
    x[unknowns.of_multiplier] = np.abs(fields.lam[:-1] / problem.scheme.multiplier_factor)
    level = float(np.finfo(float).eps * multiply_absolute(problem, x).norm())
    assembly = problem.assembly
    own = sum(c.rounding(fields) ** 2 for c in (s.checks for s in assembly.systems) if c.rounding is not None)
    return float(np.hypot(level, np.sqrt(assembly.processes.sum(np.array([own]))[0])))


def estimate_forces(problem: NonlinearProblem) -> float:
    """Return the sum of the 2-norms of loads, inertia forces and multipliers at the state that
    `assembly.fields` contains. The call is collective.
    """
    assembly, scheme, spare = problem.assembly, problem.scheme, problem.assembly.layout.spare
    loads, inertia = np.empty(spare + 1), np.zeros(spare + 1 if scheme.a_factor != 0.0 else 1)
    assembly.set_loads(loads, scheme.load_factor)
    if scheme.a_factor != 0.0:
        assembly.add_inertia(inertia)
    parts = [float(part @ part) for part in (loads[:-1], inertia[:-1], assembly.fields.lam[:-1])]
    return float(np.sqrt(assembly.processes.sum(np.array(parts))).sum())


def multiply_absolute(problem: NonlinearProblem, x: FloatArray) -> Any:
    """Return |A| x as a PETSc vector. A is the tangent, and ``x`` has a value for each unknown of this process."""
    total, sparsity = problem.residual_vector.duplicate(), problem.sparsity
    sum_to_owners(sparsity.numbers, total, sparsity.multiply(problem.matrix.values, x, absolute=True))
    return total
