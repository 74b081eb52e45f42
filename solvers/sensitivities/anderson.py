"""Anderson acceleration of fixed-point iterations.

An iteration x → x + f(x) with the correction f converges slowly, or not at all, if the derivative of x + f(x) has
eigenvalues near or above 1. The accelerated step is

    s = f_k - (ΔX + ΔF) γ,    γ = argmin |f_k - ΔF γ|,

where the columns of ΔX and ΔF are the differences between successive x and between successive f. If f is linear, the
iterates are equal to the iterates of GMRES.

Sources: D. G. Anderson, Journal of the ACM 12 (1965) 547-560; H. F. Walker, P. Ni, SIAM Journal on Numerical Analysis
49 (2011) 1715-1735.
"""

from __future__ import annotations

import numpy as np

from windlass.framework.arrays import FloatArray

MEMORY = 20
"""Largest number of differences that are kept."""
DEPENDENT = 1e-12
"""Ratio [1] of singular values. Below this value, differences are treated as linearly dependent."""


class Anderson:
    """The accelerated steps of one iteration.

    Args:
        weighed: number of elements at the start of x on which f depends. The norm |f_k - ΔF γ| contains only these
            elements.
    """

    def __init__(self, weighed: int) -> None:
        self._weighed = weighed
        self._moves, self._changes = list[FloatArray](), list[FloatArray]()
        self._step = self._correction = np.zeros(0)

    def find_step(self, correction: FloatArray) -> FloatArray:
        """Return the next step s, shape (u,), for the correction f at the present x, shape (u,). The caller must add
        all returned steps to x."""
        if len(self._correction):
            self._moves.append(self._step)
            self._changes.append(correction - self._correction)
            del self._moves[:-MEMORY], self._changes[:-MEMORY]
        step = correction
        if self._changes:
            moves, changes = np.array(self._moves).T, np.array(self._changes).T
            # columns are scaled to norm 1, so that the small differences of the last iterations have the same weight as
            # larger differences
            sizes = np.linalg.norm(changes[: self._weighed], axis=0)
            moves, changes = (columns[:, sizes > 0.0] / sizes[sizes > 0.0] for columns in (moves, changes))
            shares = np.linalg.lstsq(changes[: self._weighed], correction[: self._weighed], rcond=DEPENDENT)[0]
            step = correction - (moves + changes) @ shares
        self._step, self._correction = step, correction.copy()
        found: FloatArray = step
        return found
