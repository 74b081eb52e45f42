"""Methods of the Newmark family in displacement form. The folder `integrators` contains their constants.

Sources: Newmark, J. Eng. Mech. Div. 85 (1959); Chung and Hulbert, J. Appl. Mech. 60 (1993), in the displacement form
of Arnold and Bruels, Multibody Syst. Dyn. 18 (2007), where ``State.carried`` is the acceleration-like variable A.

Euler parameters of a body that rotates with ω oscillate with ω/2 even in steady rotation, and numerical damping would
slow the body down. Therefore Euler parameters e are integrated as deviations d from a steady rotation r in each step.
With the step size h and the time τ since the start of the step,

    e = r + d,    r = e_0 cos(κ τ) + w sin(κ τ)/κ,    r_tt = -κ² r,    κ = |w|

The path r(τ) is a great circle on the unit sphere in four dimensions. Its start e_0 is the value of e at the start of
the step. The vector w is the predicted rate in the middle of the step: e_t + (h/2) e_tt without the component along e.
A backward prediction from the end of the step gives the same vector w. Therefore symmetric methods remain symmetric,
and the energy of free rotation is conserved. The deviations d are integrated by the same formulas as other coordinates.
In steady rotation, d is 0 and the integration is exact. Since r depends only on the start of the step, accelerations
remain linear in the coordinates, and tangents do not change. The norm of e is constrained by its time derivative, and e
is scaled to norm 1 after each step. A change of the norm does not change the rotation. With a constraint on the norm
itself (index 3), the integration would be unstable for rotations above 0.2 rad per step. Lie group integrators use
similar increments along the group (O. Bruels, A. Cardona, M. Arnold, Mech. Mach. Theory 48 (2012) 121-137).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.state.state import State


@kernel
def predict(
    q: FloatArray, v: FloatArray, a: FloatArray, old: FloatArray, numbers: FloatArray,
    q1: FloatArray, v1: FloatArray, algorithmic: FloatArray,
) -> None:  # fmt: skip
    """Compute displacements q1, velocities v1 and algorithmic accelerations, each of shape (n,), at the end of a step.
    The new accelerations are 0 in this computation.

    The array ``numbers``, shape (6,), contains h, beta and gamma. The array also contains the factors of the
    accelerations a, of the old algorithmic accelerations, and of the new accelerations.
    """
    h, beta, gamma, of_a, of_old = numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]
    for i in range(len(q)):
        c = of_a * a[i] + of_old * old[i]
        q1[i] = q[i] + h * v[i] + h * h * ((0.5 - beta) * old[i] + beta * c)
        v1[i] = v[i] + h * ((1.0 - gamma) * old[i] + gamma * c)
        algorithmic[i] = c


@kernel
def finish(predicted: FloatArray, share: float, a: FloatArray, algorithmic: FloatArray) -> None:
    """Compute algorithmic = predicted + share · a, each of shape (n,)."""
    for i in range(len(a)):
        algorithmic[i] = predicted[i] + share * a[i]


@kernel(inline=True)
def step_along(e: FloatArray, w: FloatArray, rate: float, tau: float, k: int) -> tuple[float, float]:
    """Return component k of the position and of the velocity after a time tau on a great circle. The circle starts at e
    with the velocity w, where |w| = rate |e|.
    """
    angle = rate * tau
    share = tau if abs(angle) < 1e-6 else np.sin(angle) / rate
    return np.cos(angle) * e[k] + share * w[k], np.cos(angle) * w[k] - rate * np.sin(angle) * e[k]


@kernel
def start_circle(
    rotations: IntArray, i: int, reference: FloatArray, q: FloatArray, v: FloatArray, a: FloatArray, ahead: float,
    e: FloatArray, w: FloatArray,
) -> float:  # fmt: skip
    """Write the start e and the initial velocity w of the great circle of rotation i, shape (4,) each. Return the
    angular velocity |w|/|e| [rad/s] on the great circle.

    The velocity w is the rate of the Euler parameters plus ``ahead`` times their acceleration, without the component
    along e.
    """
    square, along, speed = 0.0, 0.0, 0.0
    for k in range(4):
        j = rotations[i, k]
        e[k] = reference[j] + q[j]
        w[k] = v[j] + ahead * a[j]
        square += e[k] * e[k]
        along += e[k] * w[k]
    for k in range(4):
        w[k] -= along / square * e[k]
        speed += w[k] * w[k]
    rate: float = np.sqrt(speed / square)
    return rate


@kernel
def predict_rotations(
    rotations: IntArray, reference: FloatArray, q: FloatArray, v: FloatArray, a: FloatArray, old: FloatArray,
    numbers: FloatArray, shift: float, q1: FloatArray, v1: FloatArray, algorithmic: FloatArray,
) -> None:  # fmt: skip
    """Compute the results of `predict` for Euler parameters, by the formulas for their deviations from a steady
    rotation.
    """
    h, beta, gamma, of_a, of_old, of_new = numbers
    e, w, u = np.zeros(4), np.zeros(4), np.zeros(4)
    for i in range(len(rotations)):
        now = start_circle(rotations, i, reference, q, v, a, 0.0, e, u)
        rate = start_circle(rotations, i, reference, q, v, a, 0.5 * h, e, w)
        for k in range(4):
            j = rotations[i, k]
            place, velocity = step_along(e, w, rate, h, k)
            later, _ = step_along(e, w, rate, shift * h, k)
            turned, _ = step_along(e, u, now, shift * h, k)
            # accelerations minus the accelerations of the steady rotation, which are -rate² times the position
            before = old[j] - now * now * (turned - e[k]) + rate * rate * later
            c = of_a * (a[j] + rate * rate * e[k]) + of_old * before + of_new * rate * rate * place
            q1[j] = place - reference[j] + h * (v[j] - w[k]) + h * h * ((0.5 - beta) * before + beta * c)
            v1[j] = velocity + v[j] - w[k] + h * ((1.0 - gamma) * before + gamma * c)
            algorithmic[j] = c


@kernel
def scale_to_unit(
    rotations: IntArray, reference: FloatArray, q: FloatArray, v: FloatArray, a: FloatArray, algorithmic: FloatArray
) -> None:
    """Scale Euler parameters to norm 1, and their rates by the same factor. Rotations and angular velocities do not
    change.
    """
    for i in range(len(rotations)):
        square = 0.0
        for k in range(4):
            j = rotations[i, k]
            square += (reference[j] + q[j]) ** 2
        scale = 1.0 / np.sqrt(square)
        for k in range(4):
            j = rotations[i, k]
            q[j] = scale * (reference[j] + q[j]) - reference[j]
            v[j], a[j], algorithmic[j] = scale * v[j], scale * a[j], scale * algorithmic[j]


@kernel
def add_turning(
    rotations: IntArray, reference: FloatArray, q: FloatArray, v: FloatArray, a: FloatArray, ahead: float, tau: float,
    base: float, scale: float, out: FloatArray,
) -> None:  # fmt: skip
    """Add scale · (a_τ - base · a_0) to ``out``. Here a_0 and a_τ are the accelerations of the steady rotation at its
    start and after the time tau. See `start_circle`.
    """
    e, w = np.zeros(4), np.zeros(4)
    for i in range(len(rotations)):
        rate = start_circle(rotations, i, reference, q, v, a, ahead, e, w)
        for k in range(4):
            place, _ = step_along(e, w, rate, tau, k)
            out[rotations[i, k]] -= scale * rate * rate * (place - base * e[k])


@kernel
def finish_rotations(
    rotations: IntArray, reference: FloatArray, q0: FloatArray, v0: FloatArray, a0: FloatArray, q: FloatArray,
    v: FloatArray, a: FloatArray, numbers: FloatArray, shift: float, algorithmic: FloatArray,
) -> None:  # fmt: skip
    """Compute the results of `finish` for Euler parameters from the motion at both ends of a step. Scale the Euler
    parameters to norm 1.
    """
    h = numbers[0]
    scale_to_unit(rotations, reference, q, v, a, algorithmic)
    add_turning(rotations, reference, q0, v0, a0, 0.5 * h, (1.0 + shift) * h, 0.0, 1.0, algorithmic)
    add_turning(rotations, reference, q, v, a, 0.0, shift * h, 1.0, -1.0, algorithmic)


@dataclass(frozen=True)
class Integrator:
    """Constants of one method of the Newmark family. Generalised methods have an acceleration-like variable A. For
    other methods, A is equal to a. With the step size h, and the index 0 for the start of the step:

        q = q_0 + h v_0 + h² ((1/2 - beta) A_0 + beta A),    v = v_0 + h ((1 - gamma) A_0 + gamma A)
        (1 - alpha_m) A + alpha_m A_0 = (1 - alpha_f) a + alpha_f a_0

    Attributes:
        beta, gamma: Newmark's constants [1].
        alpha_m, alpha_f: shifts [1] in time of inertia and of forces, relative to the step size.
        generalised: whether the method has the acceleration-like variable A.
        rate_level: whether position constraints are replaced by their time derivative (index 2).
        needs_linear: whether nonlinear constraints cause an error.
        rotations: process-local indices of Euler parameters that are integrated as deviations from a steady rotation in
            each step, shape (k, 4).
        reference: reference values of the coordinates of this process, shape (n + 1,).
    """

    beta: float
    gamma: float
    alpha_m: float = 0.0
    alpha_f: float = 0.0
    generalised: bool = False
    rate_level: bool = False
    needs_linear: bool = False
    rotations: IntArray = field(default_factory=lambda: np.zeros((0, 4), np.int64), compare=False, repr=False)
    reference: FloatArray = field(default_factory=lambda: np.zeros(1), compare=False, repr=False)

    @property
    def damps(self) -> bool:
        """Return whether the method damps high frequencies (gamma > 1/2)."""
        return self.gamma > 0.5

    @property
    def shift(self) -> float:
        """Return the difference [1] between the time of the algorithmic acceleration and the time at the end of the
        step, relative to the step size.
        """
        return self.alpha_m - self.alpha_f if self.generalised else 0.0

    def factors(self, h: float) -> tuple[float, float]:
        """Return the derivatives of velocities [1/s] and of accelerations [1/s^2] with respect to displacements for a
        step size h [s]."""
        a_factor = (1 - self.alpha_m) / (h * h * self.beta * (1 - self.alpha_f))
        return self.gamma / (h * self.beta), a_factor

    @property
    def shares(self) -> tuple[float, float, float]:
        """Return the factors [1] with which the new algorithmic accelerations depend on old accelerations, old
        algorithmic accelerations and new accelerations."""
        new = (1 - self.alpha_f) / (1 - self.alpha_m)
        if not self.generalised:
            return 0.0, 0.0, new
        return self.alpha_f / (1 - self.alpha_m), -self.alpha_m / (1 - self.alpha_m), new

    def accelerations(self, state: State, h: float) -> FloatArray:
        """Return the accelerations at the time t + ``shift`` h, shape (n,). The algorithmic accelerations are
        accelerations at this time.

        For Euler parameters, ``state.carried`` does not contain the change of the accelerations of a steady rotation
        over this time. Because of this omission, ``state.carried`` is correct at the start of a run and for any step
        size. This function returns the sum of ``state.carried`` and this change.
        """
        found = state.carried.copy()
        if len(self.rotations):
            motion = state.q, state.v, state.a
            add_turning(self.rotations, self.reference, *motion, 0.0, self.shift * h, 1.0, 1.0, found)
        return found
