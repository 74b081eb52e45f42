"""Minimisation of an objective within ranges of parameters, subject to limits on other results. If single runs fail, a
search continues.

A point is a tuple with a number from 0 to 1 for each parameter. The model is run once at each point. Several runs can
be executed in parallel. The methods are from SciPy, NLopt and PETSc:

- ``gradient``: SLSQP with one-sided differences, which are computed in parallel. This method is suitable for smooth
  results, and needs few runs.
- ``simplex``: Nelder-Mead. This method is suitable for noisy results, but does not fulfil limits exactly.
- ``evolution``: differential evolution. This method is suitable for objectives with several local minima, but needs
  many runs.
- ``mma``, ``ccsaq``, ``slsqp``: moving asymptotes, convex separable quadratic approximations, and sequential quadratic
  programming from NLopt, with the differences of ``gradient``. These methods are suitable for smooth results. The
  methods ``mma`` and ``ccsaq`` are intended for many limits.
- ``lbfgs``, ``tnewton``, ``var2``: quasi-Newton method with limited memory, truncated Newton method, and variable
  metric of rank 2 from NLopt. These methods are suitable for smooth results without limits.
- ``tao``, ``blmvm``, ``bncg``: quasi-Newton method BQNLS, quasi-Newton method with limited memory, and conjugate
  gradients from PETSc TAO. These methods are suitable for smooth results without limits.

In ``simplex`` and ``evolution``, each point that violates a limit is worse than all previous points that fulfil the
limits. Points that violate limits are compared by the sum of the violations.

Sources: D. Kraft, DFVLR-FB 88-28 (1988); J. A. Nelder, R. Mead, Computer Journal 7 (1965) 308; R. Storn, K. Price,
J. Glob. Optim. 11 (1997) 341; K. Svanberg, SIAM J. Optim. 12 (2002) 555.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.errors import OptionError

NLOPT = {
    "mma": "LD_MMA", "ccsaq": "LD_CCSAQ", "slsqp": "LD_SLSQP", "lbfgs": "LD_LBFGS",
    "tnewton": "LD_TNEWTON_PRECOND_RESTART", "var2": "LD_VAR2",
}  # fmt: skip
"""Methods of NLopt: dictionary from the value of ``-method`` to the name in NLopt."""
TAO = {"tao": "bqnls", "blmvm": "blmvm", "bncg": "bncg"}
"""Methods of PETSc TAO: dictionary from the value of ``-method`` to the type in TAO."""
UNLIMITED = ("lbfgs", "tnewton", "var2", *TAO)
"""Methods that are not suitable for limits."""
METHODS = ("gradient", "simplex", "evolution", *NLOPT, *TAO)
POPULATION = 6
"""Number [1] of points per parameter in a generation of ``evolution``."""
SMALLEST = 0.05
"""Smallest size [1] of the initial simplex, relative to the ranges of the parameters."""
Point = tuple[float, ...]


class SearchResult(NamedTuple):
    """Result of a run: the objective, and a slack for each limit. A slack is the signed distance of a result from its
    limit. If the limit is fulfilled, the slack is >= 0. If the run has failed, all values are NaN.
    """

    objective: float
    slacks: tuple[float, ...]

    @property
    def violation(self) -> float:
        """Return the sum of the absolute values of all negative slacks. For failed runs, the result is infinite."""
        total = -sum(min(slack, 0.0) for slack in self.slacks)
        return total if np.isfinite(total) and np.isfinite(self.objective) else np.inf


class Spent(Exception):
    """Exception that is raised when the maximum number of runs is reached."""


class BoxSearch:
    """A search for the minimum of an objective. All parameters are scaled to the range from 0 to 1.

    Args:
        run: function that returns the results at points of the parameter space, in the order of the points.
        runs: maximum number of runs.
        step: step [1] of the finite differences for derivatives, relative to the range of a parameter.
        tolerance: the search ends if the change [1] of the objective, relative to its first value, is less than this
            value.
        seed: seed of the random numbers.

    Attributes:
        found: results of all points so far, in the order of evaluation.
    """

    def __init__(
        self, run: Callable[[Sequence[Point]], list[SearchResult]], runs: int, step: float, tolerance: float, seed: int
    ) -> None:
        self._run, self._runs, self._step, self._tolerance, self._seed = run, runs, step, tolerance, seed
        self.found: dict[Point, SearchResult] = {}
        self._scale = 1.0

    def minimise(self, start: Point, method: str) -> str:
        """Search from a start point. Return the reason for the end of the search."""
        try:
            first = self.evaluate([start])[0]
            if not np.isfinite(first.violation):
                return "the first run has no result: start from other values"
            self._scale = abs(first.objective) or 1.0
            point, slacks = np.array(start), len(first.slacks)
            if method in NLOPT:
                return self._by_nlopt(point, slacks, method)
            if method in TAO:
                return self._by_tao(point, TAO[method])
            ended: str = getattr(self, f"_by_{method}")(point, slacks)
        except Spent:
            return f"ended after {self._runs} runs, the maximum"
        return ended

    @property
    def best(self) -> Point | None:
        """The best point that fulfils all limits, or None if no point fulfils all limits."""
        inside = [point for point, result in self.found.items() if result.violation <= 1e-9]
        return min(inside, key=lambda point: self.found[point].objective) if inside else None

    def evaluate(self, points: Sequence[Point]) -> list[SearchResult]:
        """Return the results at points of the parameter space. Runs of new points are executed in parallel.

        Raises:
            Spent: the new points exceed the maximum number of runs.
        """
        new = [point for point in dict.fromkeys(points) if point not in self.found]
        affordable = new[: self._runs - len(self.found)]
        if affordable:
            for point, result in zip(affordable, self._run(affordable), strict=True):
                self.found[point] = result
        if len(affordable) < len(new):
            raise Spent
        return [self.found[point] for point in points]

    def _values(self, x: FloatArray) -> FloatArray:
        """Return the scaled objective and the slacks of a point, shape (1 + slacks,). For a failed run, the objective
        is larger than the objectives of all successful runs so far, and the slacks are -1.
        """
        result = self.evaluate([to_point(x)])[0]
        if np.isfinite(result.violation):
            return np.array([result.objective / self._scale, *result.slacks])
        good = [each for each in self.found.values() if np.isfinite(each.violation)]
        worst = max(each.objective for each in good) / self._scale
        return np.array([worst + 1.0 + abs(worst), *(-1.0 for _ in good[0].slacks)])

    def _slopes(self, x: FloatArray) -> FloatArray:
        """Return the derivatives of objective and slacks by one-sided differences, shape (1 + slacks, parameters)."""
        sides = np.where(x + self._step <= 1.0, self._step, -self._step)
        moved = [x + side * unit for side, unit in zip(sides, np.eye(len(x)), strict=True)]
        self.evaluate([to_point(place) for place in [x, *moved]])
        base = self._values(x)
        slopes = [(self._values(place) - base) / side for place, side in zip(moved, sides, strict=True)]
        # the method SLSQP in SciPy 1.17 returns wrong results if arrays are not contiguous
        return np.ascontiguousarray(np.array(slopes).T)

    def _by_gradient(self, start: FloatArray, slacks: int) -> str:
        from scipy.optimize import minimize  # imported here, because help is printed faster without this import

        limits = [
            {"type": "ineq", "fun": lambda x, k=k: self._values(x)[k], "jac": lambda x, k=k: self._slopes(x)[k]}
            for k in range(1, slacks + 1)
        ]
        ended = minimize(
            lambda x: self._values(x)[0], start, jac=lambda x: self._slopes(x)[0], method="SLSQP",
            bounds=[(0.0, 1.0)] * len(start), constraints=limits, options={"ftol": self._tolerance, "maxiter": 1000},
        )  # fmt: skip
        return "converged" if ended.success else f"ended early: {ended.message}"

    def _by_nlopt(self, start: FloatArray, slacks: int, method: str) -> str:
        try:
            import nlopt  # imported here, because few users have NLopt
        except ImportError:
            raise OptionError(f"-method {method}: needs NLopt: pip install 'windlass[nlopt]'") from None
        search, stopped = nlopt.opt(getattr(nlopt, NLOPT[method]), len(start)), list[BaseException]()

        def value(x: FloatArray, slopes: FloatArray, k: int, sign: float) -> float:
            try:
                if slopes.size:
                    slopes[:] = sign * self._slopes(x)[k]
                return float(sign * self._values(x)[k])
            except BaseException as error:
                # the exception is stored, because NLopt does not pass on exceptions that the objective raises
                stopped.append(error)
                search.force_stop()
                return 0.0

        search.set_min_objective(lambda x, slopes: value(x, slopes, 0, 1.0))
        for k in range(1, slacks + 1):
            search.add_inequality_constraint(lambda x, slopes, k=k: value(x, slopes, k, -1.0), 1e-9)
        search.set_lower_bounds(0.0)
        search.set_upper_bounds(1.0)
        search.set_ftol_abs(self._tolerance)
        try:
            search.optimize(np.clip(start, 0.0, 1.0))
        except (nlopt.ForcedStop, nlopt.RoundoffLimited, RuntimeError) as error:
            if stopped:
                raise stopped[0] from None
            # NLopt reports a failure if the errors of the differences prevent further progress
            return f"ended early: NLopt found no better values ({str(error) or type(error).__name__})"
        return "converged"

    def _by_tao(self, start: FloatArray, kind: str) -> str:
        # imported here, because help is printed faster without this import
        from windlass.framework.runtime.petsc import PETSc

        comm = PETSc.COMM_SELF
        x, low, high, slope = (PETSc.Vec().createSeq(len(start), comm=comm) for _ in range(4))
        x.setArray(start)
        low.set(0.0)
        high.set(1.0)

        def evaluate(_: Any, x: Any, slope: Any) -> float:
            place = np.array(x.array_r)
            slope.setArray(self._slopes(place)[0])
            return float(self._values(place)[0])

        tao = PETSc.TAO().create(comm=comm)
        tao.setType(kind)
        tao.setObjectiveGradient(evaluate, slope)
        tao.setVariableBounds((low, high))
        # The search ends when the gradient is small. The limit is at least the step of the differences, because the
        # errors of the gradient are of this order.
        tao.setTolerances(gatol=max(self._step, self._tolerance), grtol=0.0, gttol=0.0)
        tao.solve(x)
        reason = tao.getConvergedReason()
        return "converged" if reason > 0 else f"ended early: TAO reason {reason}"

    def _merit(self, x: FloatArray) -> float:
        values = self._values(x)
        outside = -float(np.minimum(values[1:], 0.0).sum())
        if outside <= 0.0:
            return float(values[0])
        inside = [each.objective for each in self.found.values() if each.violation <= 0.0]
        return max([*(value / self._scale for value in inside), 1.0]) + outside

    def _by_simplex(self, start: FloatArray, slacks: int) -> str:
        from scipy.optimize import minimize  # imported here, because help is printed faster without this import

        size = max(SMALLEST, 10.0 * self._step)
        corners = [start, *(start + np.where(start + size <= 1.0, size, -size) * unit for unit in np.eye(len(start)))]
        self.evaluate([to_point(corner) for corner in corners])
        options = {
            "initial_simplex": np.array(corners), "fatol": self._tolerance, "xatol": self._step, "maxiter": 10_000,
            "maxfev": 10_000,
        }  # fmt: skip
        minimize(self._merit, start, method="Nelder-Mead", bounds=[(0.0, 1.0)] * len(start), options=options)
        return "converged"

    def _by_evolution(self, start: FloatArray, slacks: int) -> str:
        # imported here, because help is printed faster without this import
        from scipy.optimize import differential_evolution

        def merits(x: Any) -> Any:
            places = np.reshape(x, (len(start), -1)).T
            self.evaluate([to_point(place) for place in places])
            return np.array([self._merit(place) for place in places])

        differential_evolution(
            merits, [(0.0, 1.0)] * len(start), x0=start, vectorized=True, updating="deferred", popsize=POPULATION,
            seed=self._seed, tol=self._tolerance, atol=self._tolerance, polish=False, maxiter=10_000,
        )  # fmt: skip
        return "converged"


def to_point(x: Any) -> Point:
    """Return the nearest point with all coordinates between 0 and 1. The coordinates are rounded, so that points with
    different rounding errors become equal.
    """
    return tuple(float(value) for value in np.round(np.clip(x, 0.0, 1.0), 12))
