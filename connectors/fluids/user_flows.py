"""User-defined flows at points: evaluation of the user functions, and derivatives with respect to position by central
differences."""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.connectors.user_functions.user_forces import STEP, Compiled
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.checks.user_functions import name_of
from windlass.framework.checks.values import read_numbers, show
from windlass.framework.errors import ModelError
from windlass.framework.kernels.kernel import kernel


class UserFlow:
    """The user function of one fluid at some points. `fluid.py` describes the arguments and results of the function.

    Args:
        function: a plain function of arrays, or a function created by `compiled`.
        row: index of the fluid, for messages.
        where: indices of the points of this fluid in the arrays of all points, shape (n,).
        scale: length over which the flow changes significantly [m]. The step of the differences is 6e-6 times this
            length.
    """

    def __init__(self, function: Any, row: int, where: IntArray, scale: float) -> None:
        self._function, self._row, self._where = function, row, where
        self._step = STEP * scale
        self._loop = _create_loop(function.function) if isinstance(function, Compiled) else None

    def fill(self, t: float, r: FloatArray, given: FloatArray) -> None:
        """Write velocities [m/s] and accelerations [m/s^2] at the points of the fluid and the time t [s] into
        ``given``, shape (p, 2, 3). The argument ``r`` contains the positions of all p points [m], shape (p, 3).
        """
        given[self._where] = self._eval(t, r[self._where])

    def fill_gradients(self, t: float, r: FloatArray, gradients: FloatArray) -> None:
        """Write the derivatives of the values of `fill` with respect to position into ``gradients``, shape
        (p, 2, 3, 3)."""
        here = r[self._where]
        for k in range(3):
            ahead, behind = here.copy(), here.copy()
            ahead[:, k] += self._step
            behind[:, k] -= self._step
            width = (ahead[:, k] - behind[:, k])[:, None, None]
            gradients[self._where, :, :, k] = (self._eval(t, ahead) - self._eval(t, behind)) / width

    def _eval(self, t: float, x: FloatArray) -> FloatArray:
        """Return velocities and accelerations at the positions x [m], shape (n, 3), as an array of shape (n, 2, 3). The
        values at positions that are not finite are NaN."""
        out = np.full((len(x), 2, 3), np.nan)
        good = np.isfinite(x).all(axis=1)
        if not good.any():
            return out
        if self._loop is not None:
            values = np.zeros((int(good.sum()), 2, 3))
            self._loop(t, x[good], values)
        else:
            given = self._function(t, x[good])
            shape = (int(good.sum()), 3)
            pair = isinstance(given, list | tuple) and len(given) == 2
            parts = [read_numbers(part) for part in given] if pair else [None]
            if any(part is None or part.shape not in ((3,), shape) for part in parts):
                raise self._refuse(show(given), t, f"must give two arrays of numbers of shape {shape}")
            values = np.stack([np.broadcast_to(part, shape) for part in parts if part is not None], axis=1)
        if not np.isfinite(values).all():
            raise self._refuse("values that are not finite", t, "must give finite numbers")
        out[good] = values
        return out

    def _refuse(self, given: str, t: float, must: str) -> ModelError:
        return ModelError(
            f"function of Fluid row {self._row} ({name_of(self._function)}) gave {given} at t = {t:.9g} s: {must}, "
            "velocity [m/s] and acceleration [m/s^2]"
        )


def _create_loop(function: Any) -> Any:
    """Create a compiled loop that calls a `compiled` function for each point."""

    @kernel
    def flow_loop(t: float, x: FloatArray, values: FloatArray) -> None:
        for i in range(len(x)):
            function(t, x[i], values[i, 0], values[i, 1])

    return flow_loop
