"""Derivatives of the mean value of a result in a chaotic motion, by least-squares shadowing with adjoints.

In chaotic motions the adjoint variables λ_n = dJ/dz_n grow exponentially backwards in time, although mean values over
long times change smoothly with parameters. The adjoint variables remain bounded if a suitable linear combination of
homogeneous solutions of the adjoint equations is added. The motion is divided into segments. Each segment k has its own
coefficients a_k:

    λ = λ* + W a_k in segment k,    W: M solutions of w_n = (∂F/∂z)ᵀ w_n+1,

Here λ* is the usual adjoint solution. At the earlier end of a segment, W = Q R is replaced by the orthonormal Q, and Q
b with b = Qᵀ λ* is subtracted from λ*. The adjoint variables λ are continuous if the coefficients of the next earlier
segment are a_k+1 = R_k a_k + b_k. The a_k minimise the integral of |λ|². If the equations of motion do not depend
explicitly on time, the mean of λ·dz/dt is also set to 0. This condition removes the part of λ that corresponds to a
shift in time. For this purpose, W must also contain the solution for a shift in time, which has the exponent 0.
Therefore M must exceed the number of positive Lyapunov exponents. The derivative is linear in λ and consists of the
products of ∂F/∂p with λ* and with W a_k.

Sources: A. Ni, Q. Wang, Journal of Computational Physics 347 (2017) 56-77 (non-intrusive least squares shadowing); A.
Ni, C. Talnikar, Journal of Computational Physics 395 (2019) 690-709 (its adjoint form).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from scipy.sparse import block_array, block_diag, csr_array, eye_array
from scipy.sparse.linalg import spsolve

from windlass.framework.arrays import FloatArray
from windlass.framework.checks.checks import checked, function, number, optional, path, whole, word
from windlass.framework.command_line.options import help_requested
from windlass.framework.errors import ModelError
from windlass.framework.model.world import World
from windlass.framework.state.residual import eval_residual
from windlass.solvers.dynamic import Dynamic
from windlass.solvers.sensitivities.adjoint import (
    ALL,
    FEWEST,
    MEMORY,
    BackwardStep,
    prepare_models,
    walk_back,
)
from windlass.solvers.sensitivities.adjoint_steps import Adjoint
from windlass.solvers.sensitivities.companion import Companion, Model
from windlass.solvers.sensitivities.equilibrium import CHECKS, read_results
from windlass.solvers.sensitivities.motion import prepare_motion
from windlass.solvers.sensitivities.objectives import find_weights
from windlass.solvers.sensitivities.projection_terms import StateFactors
from windlass.solvers.sensitivities.recorded_motion import record_motion, set_state
from windlass.solvers.sensitivities.state_store import NAMES, StateStore, StoredState, find_size
from windlass.solvers.verdicts.verdict import Verdict

LEAST_SEGMENTS = 3
"""Smallest number of segments."""


@dataclass
class MeanGradient:
    """The mean of a result of a chaotic motion, and its derivatives with respect to parameters.

    Attributes:
        value: the mean [unit of the result].
        gradient: derivatives of the mean by name of the parameter, in units of the result per unit of the parameter.
        t: times [s] at the start and at the ends of the steps, shape (k,).
        y: results by name, shape (k,) each.
        exponents: estimates of the largest Lyapunov exponents [1/s], in descending order, shape (directions,).
        verdict: the verdict of the motion.
    """

    value: float
    gradient: dict[str, float]
    t: FloatArray
    y: dict[str, FloatArray]
    exponents: FloatArray
    verdict: Verdict = field(repr=False)


@dataclass
class Segment:
    """Sums over the steps of a segment.

    Attributes:
        products, mixed: integrals of WᵀW, shape (M, M), and of Wᵀ λ*, shape (M,).
        along, own: integrals of Wᵀ dz/dt, shape (M,), and of λ*·dz/dt.
        gradient, own_gradient: contributions of W, shape (M, parameters), and of λ*, shape (parameters,), to the
            derivatives with respect to the parameters.
        growth, shift: the matrix R, shape (M, M), and the vector b, shape (M,), at the earlier end of the segment.
        duration: duration [s] of the segment.
    """

    products: FloatArray
    mixed: FloatArray
    along: FloatArray
    gradient: FloatArray
    own_gradient: FloatArray
    growth: FloatArray
    shift: FloatArray
    own: float = 0.0
    duration: float = 0.0

    @classmethod
    def empty(cls, directions: int, parameters: int) -> Segment:
        """Create the sums of a segment without steps."""
        m = directions
        square, rows = (m, m), (m, parameters)
        return cls(
            np.zeros(square), np.zeros(m), np.zeros(m), np.zeros(rows), np.zeros(parameters), np.zeros(square),
            np.zeros(m),
        )  # fmt: skip


@checked(
    model=CHECKS["model"], p=CHECKS["p"], motion=function(), name=word(), directions=whole(1),
    segment=number("s", above=0.0), start=number("s"), steps=CHECKS["steps"], checkpoints=optional(whole(1)),
    memory=number("bytes", above=0.0), folder=optional(path()),
)  # fmt: skip
def evaluate_mean(
    model: Model,
    p: Mapping[str, float],
    motion: Callable[[World], Dynamic],
    name: str,
    *,
    directions: int,
    segment: float,
    start: float = 0.0,
    steps: Mapping[str, float] | None = None,
    checkpoints: int | None = None,
    memory: float = MEMORY,
    folder: str | Path | None = None,
) -> MeanGradient:
    """Return the mean of a result of a chaotic motion, and its derivatives with respect to parameters. The derivatives
    are computed by least-squares shadowing.

        found = wl.evaluate_mean(model, p, motion, "z", directions=3, segment=0.5, start=10.0)
        found.gradient["rho"]

    Args:
        model, p, motion, steps: model, parameters, solver and steps of differences, see `evaluate_motion`.
        name: name of the result.
        directions: number M of homogeneous solutions. M must exceed the number of positive Lyapunov exponents.
        segment: duration [s] of a segment. A suitable value is the time in which small differences between two motions
            grow by a factor of at most 10.
        start: time [s] at which the interval of the mean begins. At this time, the initial transients of the motion
            should have decayed.
        checkpoints, memory, folder: storage of states of the motion, see `evaluate_objective`.

    Raises:
        ModelError: an error described in `evaluate_objective`; or the motion ends before ``start`` or has fewer than 3
            segments after ``start``, no result has this name, or the directions are not independent.
        NotConverged: a solve fails.
        OutputError: states cannot be written to the folder.
    """
    h, results, solver, first = prepare_motion(model, p, motion, steps)
    if help_requested():
        y = {key: np.array([value]) for key, value in read_results(results, first, None).items()}
        none = np.zeros(directions)
        return MeanGradient(0.0, dict.fromkeys(p, 0.0), np.array([first.t]), y, none, solver.verdict)
    if not start < solver.end:
        raise ModelError(
            f"start = {start:.6g} s in evaluate_mean: must be before the end of the motion, {solver.end:.6g} s"
        )
    start = max(start, first.t)
    longest = (solver.end - start) / LEAST_SEGMENTS
    if segment > longest:
        raise ModelError(
            f"segment = {segment:.6g} s in evaluate_mean: must be at most {longest:.6g} s, "
            f"a third of the time from start = {start:.6g} s to the end of the motion"
        )
    centre, models = prepare_models(model, p, h, solver)
    fits = max(1, int(memory) // max(find_size(centre.state), 1))
    count = checkpoints or (max(FEWEST, fits) if folder is None else ALL)
    with StateStore(fits, None if folder is None else Path(folder)) as stored:
        record = record_motion(centre, results, solver, first, count, stored)
        if name not in record.y:
            raise ModelError(f"name = {name!r} in evaluate_mean: must be one of {', '.join(record.y)}")
        used = record.t >= start - 1e-9 * solver.sizes.nominal
        weights = np.zeros(len(record.t))
        weights[used] = find_weights(record.t[used])
        weights /= weights.sum()
        shadow = Shadow(Adjoint(centre, models, record.varies), centre, record.last, directions)
        set_state(centre, record.last.arrays, record.last.t)
        shadow.add_results(name, float(weights[-1]))
        for back in walk_back(centre, record, count, stored):
            shadow.pass_by(back)
            shadow.add_results(name, float(weights[back.number]))
            if not used[back.number - 1] or back.number == 0:
                break
            if shadow.segment.duration >= segment * (1.0 - 1e-9):
                shadow.end_segment()
    shadow.end_segment()
    gradient = dict(zip(p, shadow.solve().tolist(), strict=True))
    value = float(weights @ record.y[name])
    return MeanGradient(value, gradient, record.t, record.y, shadow.find_exponents(), solver.verdict)


class Shadow:
    """The adjoint solutions λ* and W, and the segments that have been passed so far.

    Args:
        adjoint: the adjoint of single steps.
        centre: the model with the parameters of the motion.
        last: the state at the end of the motion.
        directions: number of homogeneous solutions.

    Attributes:
        segment: the present segment.
    """

    def __init__(self, adjoint: Adjoint, centre: Companion, last: StoredState, directions: int) -> None:
        self._adjoint, self._centre = adjoint, centre
        # adjoint variables are multiplied by these scales: the largest coordinate and the largest velocity at the end
        # of the motion
        self._scales = {key: float(np.abs(last.arrays[key]).max(initial=0.0)) or 1.0 for key in ("q", "v")}
        none = {key: np.zeros_like(last.arrays[key]) for key in NAMES}
        random, self._factors = np.random.default_rng(0), [none]
        for _ in range(directions):
            # the adjoint variables of coordinates that do not affect the motion, such as integrals of states, remain 0
            self._factors.append({**none, "v": random.standard_normal(len(none["v"]))})
        self._segments, self._is_forced = list[Segment](), False
        self.segment = Segment.empty(directions, len(adjoint.sums))
        self._make_orthonormal()

    def add_results(self, name: str, weight: float) -> None:
        """Add the derivatives of a result at the present state, multiplied by ``weight``, to λ*."""
        self._adjoint.factors, before = self._factors[0], self._take_gradient()
        self._adjoint.add_results({name: weight})
        self._factors[0] = self._adjoint.factors
        self.segment.own_gradient += self._take_gradient() - before

    def pass_by(self, back: BackwardStep) -> None:
        """Compute λ* and W at the start of a step from λ* and W at the end of the step, and add the contributions of
        the step to the sums.
        """
        h = back.plan.h
        motion = {key: back.end.arrays[key] - back.start.arrays[key] for key in NAMES}
        changes = list[FloatArray]()
        for k, factors in enumerate(self._factors):
            self._adjoint.factors, before = factors, self._take_gradient()
            back.pass_by(self._adjoint, self._centre)
            self._factors[k] = self._adjoint.factors
            changes.append(self._take_gradient() - before)
        set_state(self._centre, back.start.arrays, back.start.t)
        own, segment = self._stack(), self.segment
        segment.own_gradient += changes[0]
        segment.gradient += np.array(changes[1:])
        segment.products += h * own[:, 1:].T @ own[:, 1:]
        segment.mixed += h * own[:, 1:].T @ own[:, 0]
        along = [sum(float(each[key] @ motion[key]) for key in NAMES) for each in self._factors]
        segment.own += along[0]
        segment.along += np.array(along[1:])
        segment.duration += h
        self._is_forced = self._is_forced or depends_on_time(self._centre, h)

    def end_segment(self) -> None:
        """End the present segment at the present state, and begin the next earlier segment."""
        growth, shift = self._make_orthonormal()
        self.segment.growth, self.segment.shift = growth, shift
        self._segments.append(self.segment)
        self.segment = Segment.empty(len(shift), len(self._adjoint.sums))

    def solve(self) -> FloatArray:
        """Return the derivatives with respect to the parameters, shape (parameters,)."""
        parts, m = self._segments, len(self._segments[0].shift)
        if len(parts) < 2:
            raise ModelError("segment in evaluate_mean: the motion has fewer than two segments; must be shorter")
        count = m * len(parts)
        products = block_diag([part.products for part in parts], format="csr")
        growth = block_diag([part.growth for part in parts[:-1]], format="csr")
        conditions = csr_array(growth @ eye_array(count - m, count)) - eye_array(count - m, count, k=m)
        rights = [*(-part.mixed for part in parts), *(-part.shift for part in parts[:-1])]
        along = np.concatenate([part.along for part in parts])
        if not self._is_forced and along.any():
            # a shift of the time does not change an autonomous motion, so the mean of λ·dz/dt is 0
            conditions = block_array([[conditions], [csr_array(along[None])]])
            rights.append(np.array([-sum(part.own for part in parts)]))
        right = np.concatenate(rights)
        system = block_array([[products, conditions.T], [conditions, None]], format="csc")
        shares = spsolve(system, right)[:count].reshape(-1, m)
        if not np.isfinite(shares).all():
            raise ModelError(
                "directions in evaluate_mean are not independent: give a smaller number or longer segments"
            )
        total: FloatArray = sum(
            part.own_gradient + share @ part.gradient for part, share in zip(parts, shares, strict=True)
        )
        return total

    def find_exponents(self) -> FloatArray:
        """Return estimates of the largest Lyapunov exponents [1/s], in descending order, shape (directions,)."""
        rates = sum(np.log(np.abs(np.diag(part.growth))) for part in self._segments)
        found: FloatArray = np.sort(rates / sum(part.duration for part in self._segments))[::-1]
        return found

    def _take_gradient(self) -> FloatArray:
        return self._adjoint.sums.copy()

    def _stack(self) -> FloatArray:
        """Return the adjoint variables λ* and W of coordinates and velocities as columns, shape (2 n, M + 1). The rows
        are multiplied by the largest coordinate or by the largest velocity at the end of the motion."""
        parts = [[scale * each[key] for key, scale in self._scales.items()] for each in self._factors]
        return np.array([np.concatenate(part) for part in parts]).T

    def _make_orthonormal(self) -> tuple[FloatArray, FloatArray]:
        """Make W orthonormal, and make λ* orthogonal to W. The function returns R and b.

        Raises:
            ModelError: the homogeneous solutions are not linearly independent.
        """
        own = self._stack()
        q, r = np.linalg.qr(own[:, 1:])
        b = q.T @ own[:, 0]
        size = np.abs(np.diag(r))
        if q.shape[1] < own.shape[1] - 1 or size.min() <= 1e-12 * size.max():
            raise ModelError(
                f"directions = {own.shape[1] - 1} in evaluate_mean: must be smaller, because the solutions of the "
                "adjoint equations are not independent"
            )
        shares = np.linalg.inv(r)
        shadow, *old = self._factors
        new = [mix(old, column) for column in shares.T]
        self._factors = [mix([shadow, *new], np.append(1.0, -b)), *new]
        return r, b


def depends_on_time(centre: Companion, h: float) -> bool:
    """Return whether the residual at the present state of a model changes if only the time changes by h [s]."""
    state, t, found = centre.state, centre.state.t, list[FloatArray]()
    for time in (t, t + h):
        state.t = time
        centre.assembly.load_fields(state)
        found.append(eval_residual(centre.assembly))
    state.t = t
    centre.assembly.load_fields(state)
    return bool((found[0] != found[1]).any())


def mix(factors: Sequence[StateFactors], shares: FloatArray) -> StateFactors:
    """Return the linear combination of k sets of adjoint variables with the coefficients ``shares``, shape (k,)."""
    return {key: sum(share * each[key] for share, each in zip(shares, factors, strict=True)) for key in NAMES}
