"""Objectives of motions. An objective is a number J that depends on results y at the times of all steps.

Let w be the weights of the trapezoidal rule, and T the duration:

    time integral: J = Σ w_n y_n ≈ ∫ y dt
    smooth maximum: J = ln(Σ w_n exp(κ y_n)/T)/κ,    mean(y) <= J <= max(y)

As κ increases, the smooth maximum approaches the maximum. Its derivatives with respect to the results at all steps are
continuous (Kreisselmeier-Steinhauser function, G. Kreisselmeier, R. Steinhauser, IFAC Proceedings 12 (1979) 113-117).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.checks.checks import checked, number, word
from windlass.framework.errors import ModelError

Objective = Callable[[FloatArray, Mapping[str, FloatArray]], tuple[float, Mapping[str, FloatArray]]]
"""Function ``(t, y) -> (J, {name: dJ/dy})`` of the times [s] and the results at these times, shape (k,) each."""


@checked(name=word())
def end_value(name: str) -> Objective:
    """Return the objective that is the value of a result at the end of the motion.

    Args:
        name: name of the result.
    """

    def objective(t: FloatArray, y: Mapping[str, FloatArray]) -> tuple[float, Mapping[str, FloatArray]]:
        values, weights = _pick(y, name), np.zeros(len(t))
        weights[-1] = 1.0
        return float(values[-1]), {name: weights}

    return objective


@checked(name=word())
def time_integral(name: str) -> Objective:
    """Return the objective that is the integral of a result over time, by the trapezoidal rule.

    Args:
        name: name of the result.
    """

    def objective(t: FloatArray, y: Mapping[str, FloatArray]) -> tuple[float, Mapping[str, FloatArray]]:
        weights = find_weights(t)
        return float(weights @ _pick(y, name)), {name: weights}

    return objective


@checked(name=word(), sharpness=number("1/unit of the result", above=0.0))
def smooth_maximum(name: str, sharpness: float) -> Objective:
    """Return the objective that is the smooth maximum of a result over time.

    Args:
        name: name of the result.
        sharpness: κ [1/unit of the result]. If the maximum lasts for the share s of the duration, the smooth maximum is
            about -ln(s)/κ smaller than the maximum.
    """

    def objective(t: FloatArray, y: Mapping[str, FloatArray]) -> tuple[float, Mapping[str, FloatArray]]:
        weights, values = find_weights(t), _pick(y, name)
        top = float(values.max())
        shares = weights * np.exp(sharpness * (values - top))
        total = float(shares.sum())
        return top + float(np.log(total / weights.sum())) / sharpness, {name: shares / total}

    return objective


def find_weights(t: FloatArray) -> FloatArray:
    """Return the weights of the trapezoidal rule for times t [s], shape (k,)."""
    steps = np.diff(t)
    weights: FloatArray = 0.5 * (np.append(steps, 0.0) + np.append(0.0, steps))
    return weights


def _pick(y: Mapping[str, FloatArray], name: str) -> FloatArray:
    if name not in y:
        raise ModelError(f"the objective reads the result {name!r}: must be one of {', '.join(y)}")
    return y[name]
