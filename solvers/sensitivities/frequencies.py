"""Natural frequencies and their derivatives with respect to parameters of the model.

Undamped modes about an equilibrium fulfil (ω² M - K) x = 0, with mode shapes x scaled to xᵀ M x = 1. The derivatives of
ω² with respect to a parameter p are

    dω²/dp = xᵀ (dK/dp - ω² dM/dp) x

Here K is the stiffness matrix, M the mass matrix, and dK/dp and dM/dp include the change of the equilibrium with p. The
derivatives dK/dp and dM/dp are central differences between the matrices of two models with the parameters p ± h, at
first-order approximations of the equilibria of both models. If several modes have the same frequency, x contains the
mode shapes of all these modes, and the right-hand side is a matrix. The derivatives are then the eigenvalues of this
matrix, one for each branch into which the frequency splits. Source: R. B. Nelson, AIAA Journal 14 (1976) 1201; A. P.
Seyranian and others, Struct. Optim. 8 (1994).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray
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
"""Difference [1] between the squares of two frequencies, relative to the larger square. Up to this value, the
frequencies are treated as equal.
"""


@checked(**CHECKS, count=whole(1))
def evaluate_frequencies(
    model: Model,
    p: Mapping[str, float],
    count: int = 5,
    *,
    solve: Callable[[World], State] | None = None,
    steps: Mapping[str, float] | None = None,
) -> tuple[FloatArray, dict[str, FloatArray]]:
    """Return frequencies of undamped modes about an equilibrium, and the derivatives of these frequencies with respect
    to parameters.

        f, df = wl.evaluate_frequencies(model, {"tension": 400.0}, 3)
        df["tension"][0]

    Args:
        count: number of modes with the lowest frequencies.
        model, p, solve, steps: arguments of `evaluate`. The function ``results`` is not called.

    Returns:
        Frequencies [Hz] in ascending order, shape (k,), k <= count, and their derivatives [Hz per unit] with respect to
        each parameter, each of shape (k,). Derivatives of equal frequencies are in ascending order.

    Raises:
        ModelError: an error described in `evaluate`, a mode grows or has no stiffness, or K is not symmetric.
    """
    found = find_equilibrium(model, p, solve, steps)
    if found.motion.states:
        raise ModelError(f"the model has {found.motion.states} first-order states: must be 0 for undamped modes")
    if not found.motion.symmetric:
        raise ModelError("the tangent is not symmetric (friction, follower loads), so the model has no undamped modes")
    # compute additional modes, so that the last group of equal frequencies is complete
    modes = Modes(found.world, count=count + 3, problem="linear", running=False).solve(found.state)
    squares = -(modes.eigenvalues**2).real
    if (squares <= 0.0).any():
        raise ModelError(f"{int((squares <= 0.0).sum())} modes have no restoring force: they have no frequency")
    order = np.argsort(squares)
    squares, shapes = squares[order], modes.shapes[order].real
    forces = modes.forces[order].real
    places = found.motion.sparsity.unknowns
    x = np.zeros((len(shapes), found.motion.K.getSize()[0]))
    x[:, places.of_dof], x[:, places.of_multiplier] = shapes, forces
    df: dict[str, FloatArray] = {}
    groups = find_groups(squares)
    for name in p:
        products = []
        for side in (1.0, -1.0):
            other, _, state = found.move(model, p, name, side)
            products.append(take_products(LinearMotion(serial_assembly(other), state), x))
        (stiffness, mass), (stiffness_below, mass_below) = products
        slope = np.zeros(len(squares))
        norms = take_products(found.motion, x)[1]
        for group in groups:
            own = np.ix_(group, group)
            change = stiffness[own] - stiffness_below[own] - squares[group].mean() * (mass[own] - mass_below[own])
            # make the shapes of the group M-orthonormal
            root = np.linalg.inv(np.linalg.cholesky(0.5 * (norms[own] + norms[own].T)))
            change = root @ (0.5 * (change + change.T)) @ root.T
            slope[group] = np.linalg.eigvalsh(change) / (2.0 * found.steps[name])
        df[name] = (slope / (4.0 * np.pi * np.sqrt(squares)))[:count]
    return (np.sqrt(squares) / (2.0 * np.pi))[:count], df


def find_groups(squares: FloatArray) -> list[Any]:
    """Return groups of indices of equal values in an ascending array."""
    ends = np.flatnonzero(np.diff(squares) > EQUAL * squares[1:]) + 1
    return list(np.split(np.arange(len(squares)), ends))


def take_products(motion: LinearMotion, x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return two matrices of shape (k, k), whose entries in row i and column j are x_jᵀ K x_i and x_jᵀ M x_i. Here x_i
    is row i of ``x``, shape (k, unknowns)."""
    found = []
    for matrix in (motion.K, motion.M):
        vector, product = matrix.createVecs()
        rows = np.zeros((len(x), len(x)))
        for i, shape in enumerate(x):
            vector.setArray(shape)
            matrix.mult(vector, product)
            rows[i] = x @ product.array_r
        found.append(rows)
    return found[0], found[1]
