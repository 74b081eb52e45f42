"""Newmark family in displacement form: Newmark, generalised-alpha, trapezoidal rule at index 2.

Sources: Newmark, J. Eng. Mech. Div. 85 (1959); Chung and Hulbert, J. Appl. Mech. 60 (1993), in the displacement form
of Arnold and Bruels, Multibody Syst. Dyn. 18 (2007), where ``algorithmic_a`` is the acceleration-like variable.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from windlass.framework.bind import bind
from windlass.framework.errors import ModelError
from windlass.framework.kernel import kernel
from windlass.framework.law import FloatArray
from windlass.framework.state import State
from windlass.solvers.problem import Scheme


@kernel
def predict(
    q: FloatArray, v: FloatArray, a: FloatArray, old: FloatArray, h: float, beta: float, gamma: float,
    shares: tuple[float, float], q1: FloatArray, v1: FloatArray, algorithmic: FloatArray,
) -> None:  # fmt: skip
    """Displacements q1, velocities v1 and algorithmic accelerations after a step with accelerations 0, each (n,)."""
    for i in range(len(q)):
        c = shares[0] * a[i] + shares[1] * old[i]
        q1[i] = q[i] + h * v[i] + h * h * ((0.5 - beta) * old[i] + beta * c)
        v1[i] = v[i] + h * ((1.0 - gamma) * old[i] + gamma * c)
        algorithmic[i] = c


@kernel
def finish(predicted: FloatArray, share: float, a: FloatArray, algorithmic: FloatArray) -> None:
    """algorithmic = predicted + share a, each (n,)."""
    for i in range(len(a)):
        algorithmic[i] = predicted[i] + share * a[i]


@dataclass(frozen=True)
class Integrator:
    """Constants of one method of the Newmark family.

    Attributes:
        beta, gamma: Newmark's constants [1].
        alpha_m, alpha_f: shifts of inertia and forces [1].
        generalised: whether the algorithmic acceleration is used.
        rate_level: whether position constraints are replaced by their time derivative (index 2).
    """

    beta: float
    gamma: float
    alpha_m: float = 0.0
    alpha_f: float = 0.0
    generalised: bool = False
    rate_level: bool = False
    _predict: Any = field(default_factory=lambda: bind(predict), compare=False, repr=False)
    _finish: Any = field(default_factory=lambda: bind(finish), compare=False, repr=False)

    def factors(self, h: float) -> tuple[float, float]:
        """Derivatives of v and a with respect to q for a step size h [s]: [1/s], [1/s^2]."""
        a_factor = (1 - self.alpha_m) / (h * h * self.beta * (1 - self.alpha_f))
        return self.gamma / (h * self.beta), a_factor

    def predict(self, start: State, h: float) -> tuple[Scheme, FloatArray]:
        """The predictor of a step and its algorithmic acceleration, from the state at the start of the step."""
        old, shares = start.a, (0.0, 0.0)
        if self.generalised:
            old = start.algorithmic_a
            shares = self.alpha_f / (1 - self.alpha_m), -self.alpha_m / (1 - self.alpha_m)
        q, v, algorithmic = np.empty_like(old), np.empty_like(old), np.empty_like(old)
        self._predict(start.q, start.v, start.a, old, h, self.beta, self.gamma, shares, q, v, algorithmic)
        v_factor, a_factor = self.factors(h)
        scheme = Scheme(
            q0=q,
            v0=v,
            v_factor=v_factor,
            a_factor=a_factor,
            multiplier_factor=1.0 / (self.beta * h * h),
            t=start.t + h,
            rate_level=self.rate_level,
        )
        return scheme, algorithmic

    def finish(self, state: State, algorithmic: FloatArray) -> None:
        """Complete the algorithmic acceleration of a solved step."""
        share = (1 - self.alpha_f) / (1 - self.alpha_m) if self.generalised else 0.0
        self._finish(algorithmic, share, state.a, state.algorithmic_a)


METHODS = ("generalized_alpha", "newmark", "trapezoidal_index2")


def create_integrator(method: str, spectral_radius: float = 0.9) -> Integrator:
    """The integrator by name.

    Args:
        method: ``"generalized_alpha"``, ``"newmark"`` (beta 1/4, gamma 1/2, index 3) or ``"trapezoidal_index2"``.
        spectral_radius: damping of the highest frequencies in generalised-alpha, from 0 (most) to 1 (none) [1].

    Raises:
        ModelError: unknown method, or a spectral radius out of [0, 1].
    """
    if method == "newmark":
        return Integrator(0.25, 0.5)
    if method == "trapezoidal_index2":
        return Integrator(0.25, 0.5, rate_level=True)
    if method != "generalized_alpha":
        raise ModelError(f"method = {method!r} in Dynamic: must be one of {', '.join(METHODS)}")
    if not 0.0 <= spectral_radius <= 1.0:
        raise ModelError(f"spectral_radius = {spectral_radius} in Dynamic: must be between 0 and 1 [1]")
    alpha_m = (2 * spectral_radius - 1) / (spectral_radius + 1)
    alpha_f = spectral_radius / (spectral_radius + 1)
    gamma = 0.5 + alpha_f - alpha_m
    return Integrator((gamma + 0.5) ** 2 / 4, gamma, alpha_m, alpha_f, generalised=True)
