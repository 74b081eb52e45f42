"""Eigenvalues of damped modes and their derivatives with respect to parameters of the model.

Modes fulfil Q(σ) x = 0 with Q(σ) = σ² M + σ D + K. The left eigenvectors fulfil yᵀ Q(σ) = 0. The derivative of a simple
eigenvalue σ with respect to a parameter p is

    dσ/dp = -yᵀ (σ² dM/dp + σ dD/dp + dK/dp) x / (yᵀ (2 σ M + D) x).

If an eigenvalue has several independent right eigenvectors X and left eigenvectors Y, it has several branches. The
derivatives of the branches are the eigenvalues of the matrix -(Yᵀ (2 σ M + D) X)⁻¹ Yᵀ (σ² dM/dp + σ dD/dp + dK/dp) X.
In these formulas, the derivatives of M, D and K include the change of the equilibrium with p. The derivatives of M, D
and K are central differences between models with the parameters p ± h, at first-order approximations of the equilibria
of both models. X and Y follow from inverse iteration with Q(s), where s is near σ. With ω = |σ| and ζ = -Re σ/ω, the
derivatives of frequencies f = Im σ/(2 π) and damping ratios are

    df/dp = Im(dσ/dp)/(2 π),    dζ/dp = -(Re(dσ/dp) + ζ dω/dp)/ω,    dω/dp = Re(σ̄ dσ/dp)/ω.

Sources: P. Lancaster, Numerische Mathematik 6 (1964) 377-387 (simple eigenvalues); A. P. Seyranian, E. Lund, N. Olhoff,
Struct. Optim. 8 (1994) 207-227 (multiple eigenvalues).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csc_array, csr_array
from scipy.sparse.linalg import splu

from windlass.framework.arrays import ComplexArray, FloatArray
from windlass.framework.assembly.assembly import serial_assembly
from windlass.framework.checks.checks import checked, whole
from windlass.framework.errors import ModelError
from windlass.framework.model.world import World
from windlass.framework.state.state import State
from windlass.solvers.modes.matrices import LinearMotion
from windlass.solvers.modes.modes import Modes
from windlass.solvers.sensitivities.equilibrium import CHECKS, Model
from windlass.solvers.sensitivities.equilibrium_slopes import find_equilibrium

EQUAL = 1e-6
"""Difference [1] between two eigenvalues, relative to the larger eigenvalue. Up to this value, the eigenvalues are
treated as equal.
"""
SHIFT = 1e-9
"""Distance [1] between the shift of inverse iteration and the eigenvalue, relative to the eigenvalue. The value is much
smaller than `EQUAL`, so that inverse iteration separates close modes.
"""
ITERATIONS = 4
"""Number of inverse iterations. In each iteration, the error is multiplied by a ratio: the distance between the shift
and the eigenvalue, divided by the distance between the shift and the other eigenvalues.
"""
DEFECTIVE = 1e-6
"""Smallest singular value [1] of Yᵀ (2 σ M + D) X, relative to the largest entry of |Y|ᵀ |2 σ M + D| |X|. Up to this
value, the eigenvectors are treated as dependent.
"""
SPARE = 3
"""Number of additional modes. They complete the last group of equal eigenvalues."""


@dataclass
class ModeDerivatives:
    """Modes about an equilibrium, and the derivatives of their frequencies and damping ratios.

    Attributes:
        eigenvalues: σ [1/s] of each mode in ascending order of |σ|, shape (k,).
        frequencies: Im σ/(2 π) [Hz], shape (k,).
        damping: damping ratios -Re σ/|σ| [1], shape (k,).
        eigenvalue_slopes: dσ/dp by name of the parameter, shape (k,) each. Derivatives of equal eigenvalues are in
            ascending order of their real parts.
        frequency_slopes, damping_slopes: derivatives of ``frequencies`` and ``damping`` in the same order.
    """

    eigenvalues: ComplexArray
    frequencies: FloatArray
    damping: FloatArray
    eigenvalue_slopes: dict[str, ComplexArray]
    frequency_slopes: dict[str, FloatArray]
    damping_slopes: dict[str, FloatArray]


class ModeMatrices:
    """The matrices M, D and K of a linearised motion as arrays of SciPy, shape (u, u) each."""

    def __init__(self, motion: LinearMotion) -> None:
        self.M, self.D, self.K = (to_sparse(matrix) for matrix in (motion.M, motion.D, motion.K))

    def eval_at(self, sigma: complex) -> Any:
        """Return Q(σ)."""
        return sigma**2 * self.M + sigma * self.D + self.K

    def differentiate(self, sigma: complex) -> Any:
        """Return dQ/dσ."""
        return 2.0 * sigma * self.M + self.D


@checked(**CHECKS, count=whole(1))
def evaluate_modes(
    model: Model,
    p: Mapping[str, float],
    count: int = 5,
    *,
    solve: Callable[[World], State] | None = None,
    steps: Mapping[str, float] | None = None,
) -> ModeDerivatives:
    """Return damped modes about an equilibrium and the derivatives of frequencies and damping ratios with respect to
    parameters.

        found = wl.evaluate_modes(model, {"damping": 0.5}, 3)
        found.damping, found.damping_slopes["damping"]

    Args:
        count: number of modes with the smallest |σ|. Of each pair of complex conjugate modes, only one mode is counted.
        model, p, solve, steps: model, parameters, solver and steps of differences, see `evaluate`. The function
            ``results`` is not called.

    Raises:
        ModelError: an error described in `evaluate`, or the derivative of an eigenvalue is infinite, because two modes
            become equal (critical damping).
    """
    found = find_equilibrium(model, p, solve, steps)
    modes = Modes(found.world, count=count + SPARE, problem="quadratic", running=False).solve(found.state)
    values = modes.eigenvalues[np.argsort(np.abs(modes.eigenvalues), kind="stable")]
    own, slopes = ModeMatrices(found.motion), {name: np.zeros(len(values), complex) for name in p}
    groups = [(group, *find_vectors(own, complex(values[group].mean()), len(group))) for group in find_equal(values)]
    for name in p:
        above, below = (ModeMatrices(LinearMotion(serial_assembly(world), state)) for world, _, state in (
            found.move(model, p, name, 1.0), found.move(model, p, name, -1.0)
        ))  # fmt: skip
        for group, right, left, inverse in groups:
            sigma = complex(values[group].mean())
            change = left.T @ ((above.eval_at(sigma) - below.eval_at(sigma)) @ right) / (-2.0 * found.steps[name])
            branches = np.linalg.eigvals(inverse @ change)
            slopes[name][group] = branches[np.argsort(branches.real, kind="stable")]
    values, slopes = values[:count], {name: each[:count] for name, each in slopes.items()}
    size = np.abs(values)
    damping = -values.real / size
    return ModeDerivatives(
        values, values.imag / (2.0 * np.pi), damping, slopes,
        {name: each.imag / (2.0 * np.pi) for name, each in slopes.items()},
        {name: -(each.real + damping * (values.conj() * each).real / size) / size for name, each in slopes.items()},
    )  # fmt: skip


def to_sparse(matrix: Any) -> Any:
    """Return a PETSc matrix as a sparse array of SciPy."""
    rows, columns, values = matrix.getValuesCSR()
    return csr_array((values, columns, rows), shape=matrix.getSize())


def find_equal(values: ComplexArray) -> list[list[int]]:
    """Return groups of indices of equal eigenvalues."""
    groups: list[list[int]] = []
    for k, value in enumerate(values):
        near = (group for group in groups if abs(values[group[0]] - value) <= EQUAL * abs(value))
        group = next(near, None)
        if group is None:
            groups.append([k])
        else:
            group.append(k)
    return groups


def find_vectors(matrices: ModeMatrices, sigma: complex, count: int) -> tuple[ComplexArray, ComplexArray, ComplexArray]:
    """Return right and left eigenvectors X and Y of an eigenvalue, shape (u, count) each, and the inverse of Yᵀ (2 σ M
    + D) X.

    Raises:
        ModelError: the inverse does not exist.
    """
    factors = splu(csc_array(matrices.eval_at(sigma * (1.0 + SHIFT))))
    slope, random = matrices.differentiate(sigma), np.random.default_rng(0)
    vectors = []
    for trans, product in (("N", slope), ("T", slope.T)):
        block = random.standard_normal((slope.shape[0], count)).astype(complex)
        for _ in range(ITERATIONS):
            block, _ = np.linalg.qr(factors.solve(product @ block, trans=trans))
        vectors.append(block)
    right, left = vectors
    small = np.linalg.svd(left.T @ (slope @ right), compute_uv=False).min()
    if small <= DEFECTIVE * float((np.abs(left.T) @ (abs(slope) @ np.abs(right))).max()):
        raise ModelError(
            f"the eigenvalue {sigma:.6g} 1/s has an infinite derivative, because two modes become equal (critical "
            "damping): must be another value of the parameters"
        )
    return right, left, np.linalg.inv(left.T @ (slope @ right))
