"""Creep of a belt around two equal pulleys: equations for the speeds, tensions and slip arcs in steady motion.

A belt with the stretch lam and the reference strain e0 has the tension N = EA (lam - 1 - e0). The flow c = dX/dt of the
belt is the reference length X that passes a fixed point per time. Therefore the speed of the belt is v = c lam. Only a
part F of the tension N presses the belt on the pulleys and transmits torque:

    F = N - rhoA c² lam = (EA - rhoA c²) lam - EA (1 + e0)

On the first part of the arc of a pulley the belt sticks. The speed of the belt is the speed of the rim, v = omega R,
and F is constant. On the last part, over the angle phi, the belt slips, and F changes by the factor exp(mu phi) or
exp(-mu phi):

    tight strand 1, slack strand 2: omega_1 R = c lam_1,    omega_2 R = c lam_2,    F_1 = F_2 exp(mu phi)
    ratio of speeds: omega_2/omega_1 = lam_2/lam_1 = (EA (1 + e0) + N_2)/(EA (1 + e0) + N_1)
    torque: M = (F_1 - F_2) R
    reference length of the belt: sum of length/lam over strands, sticking arcs and slip arcs.

The model contains the following small corrections. The height of the axis above the rim is h. Therefore R = r + h. On a
contact with the stiffness k per length of belt, the contact depth is F lam/(k R). Therefore the axis has a smaller
radius on the tight side than on the slack side. The difference of the radii increases the relative loss of speed by the
factor 1 + EA/(k R²). If the tight strand is higher than the slack strand by H, the tension of the tight strand is
larger by the weight rhoA g H/lam of a vertical belt of the height H. This difference of the tensions requires no
torque. With bristles of finite stiffness, the speed of the belt at the entry is not the speed of the rim, see
`belt_bristles`. Bending stiffness and sag are neglected, because they do not affect the speeds.

Source: S. E. Bechtel, S. Vohra, K. I. Jacob, C. D. Carlson, The stretching and slipping of belts and fibers on pulleys,
J. Appl. Mech. 67 (2000) 197-206, where the law of the tension is N = EA (lam - 1) with rhoA c = const. For belts that
have no inertia: F. Grashof, Theoretische Maschinenlehre II (1883).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, inf, log, pi
from typing import Any

import numpy as np

from windlass.connectors.reports.belt_bristles import Passage, Rim, check_passage, pass_pulley
from windlass.elements.cable.points import gauss_rule
from windlass.framework.arrays import FloatArray
from windlass.framework.checks.checks import checked, either, function, number, that
from windlass.framework.errors import ModelError

# points and weights of Gaussian quadrature on [0, 1] for slip arcs, on which F changes by a factor of at most exp(mu
# pi)
GAUSS = gauss_rule(20)


@dataclass(frozen=True)
class BeltCreep:
    """Steady motion of a belt drive.

    Attributes:
        driver_speed, driven_speed: speeds of the pulleys [rad/s].
        torque: torque that the belt transmits [N m].
        tight_tension, slack_tension: axial forces N of the tight and the slack strand [N].
        tight_force, slack_force: forces F of the strands [N].
        tight_stretch, slack_stretch: stretches lam [1].
        driver_slip_angle, driven_slip_angle: angles phi of the slip arcs [rad]. With rigid bristles both angles are
            equal.
        flow: flow c, the reference length of the belt that passes a fixed point per second [m/s].
        tight_radius, slack_radius: radii of the belt axis on the pulleys at the tight and the slack strand [m].
    """

    driver_speed: float
    driven_speed: float
    torque: float
    tight_tension: float
    slack_tension: float
    tight_force: float
    slack_force: float
    tight_stretch: float
    slack_stretch: float
    driver_slip_angle: float
    driven_slip_angle: float
    flow: float
    tight_radius: float
    slack_radius: float

    @property
    def speed_loss(self) -> float:
        """Relative loss of speed 1 - omega_2/omega_1 [1]."""
        return 1.0 - self.driven_speed / self.driver_speed

    @property
    def slip_angle(self) -> float:
        """The larger of the slip angles on both pulleys [rad]."""
        return max(self.driver_slip_angle, self.driven_slip_angle)


def is_stiffness(given: object) -> bool:
    """Return whether a value is a positive number or infinite."""
    return isinstance(given, float | np.floating) and bool(given > 0.0)


@checked(
    axial_stiffness=number("N", above=0.0),
    length=number("m", above=0.0),
    distance=number("m", above=0.0),
    radius=number("m", above=0.0),
    driver_speed=number("rad/s", above=0.0),
    torque=either(number("N m"), function()),
    friction_coefficient=number("1", above=0.0),
    reference_strain=number("1", above=-1.0),
    mass_per_length=number("kg/m", minimum=0.0),
    axis_height=number("m"),
    contact_stiffness_per_length=that(is_stiffness, "a number > 0, or inf", "N/m²"),
    friction_stiffness_per_length=that(is_stiffness, "a number > 0, or inf", "N/m²"),
    friction_velocity_penalty_per_length=number("N s/m²", minimum=0.0),
    gravity=number("m/s²"),
    tight_above_slack=number("m"),
)
def belt_creep(
    *,
    axial_stiffness: float,
    length: float,
    distance: float,
    radius: float,
    driver_speed: float,
    torque: float | Callable[[float], float],
    friction_coefficient: float,
    reference_strain: float = 0.0,
    mass_per_length: float = 0.0,
    axis_height: float = 0.0,
    contact_stiffness_per_length: float = inf,
    friction_stiffness_per_length: float = inf,
    friction_velocity_penalty_per_length: float = 0.0,
    gravity: float = 0.0,
    tight_above_slack: float = 0.0,
) -> BeltCreep:
    """Find the steady motion of a belt around two equal pulleys. The belt is not crossed.

    The docstring of `connectors/reports/belt_theory.py` states the equations.

    Args:
        axial_stiffness: axial stiffness EA of the belt [N].
        length: reference length of the whole belt [m].
        distance: distance between the centres of the pulleys [m].
        radius: radius r of the pulleys [m].
        driver_speed: speed omega_1 > 0 of the driver [rad/s].
        torque: torque M >= 0 that the belt transmits [N m], or a function of the speed of the driven pulley [rad/s]
            that returns this torque.
        friction_coefficient: coefficient of friction mu [1].
        reference_strain: e0 [1].
        mass_per_length: rhoA per reference length [kg/m].
        axis_height: height h of the axis of the belt above the rim [m].
        contact_stiffness_per_length: contact stiffness k per reference length of the belt [N/m²], infinite for a rigid
            contact.
        friction_stiffness_per_length: stiffness mu_k of the bristles per reference length [N/m²], infinite for rigid
            bristles.
        friction_velocity_penalty_per_length: damping mu_v parallel to the bristles, per reference length [N s/m²].
        gravity: gravitational acceleration g [m/s²].
        tight_above_slack: height H of the tight strand above the slack strand [m]. H is negative if the tight strand is
            lower.

    Raises:
        ModelError: the belt is slack or slips on a whole arc, or the bristles are too soft. The bristles are too soft
            if the belt slips before it sticks, or if the driven pulley does not rotate.
    """
    EA, stiff, mu = axial_stiffness, axial_stiffness * (1.0 + reference_strain), friction_coefficient
    R, E = radius + axis_height, axial_stiffness
    torque_at = torque if callable(torque) else lambda _: torque

    def axis_radius(F: Any, lam: Any) -> Any:
        return R - F * lam / (R * contact_stiffness_per_length)

    def turn(F: Any) -> Any:
        """Return the ratio lam/rho [1/m] of the belt on a pulley for the force F of the belt [N]."""
        lam = (F + stiff) / E
        return lam / axis_radius(F, lam)

    def turn_slope(F: float) -> float:
        """Return the derivative of lam/rho with respect to F."""
        lam = (F + stiff) / E
        rho = float(axis_radius(F, lam))
        return (1.0 + lam * (lam * E + F) / (R * contact_stiffness_per_length * rho)) / (E * rho)

    def create_rim(F_in: float, F_out: float, c: float, bristles: float) -> Rim:
        slope, damping = radius * turn_slope(0.5 * (F_in + F_out)), friction_velocity_penalty_per_length * c
        return Rim(turn, slope, radius, radius / R, mu, bristles, damping)

    def cross(F_in: float, F_out: float, c: float, bristles: float) -> tuple[float, float, float]:
        """Return the relative displacement w at the entry [1], the slip angle [rad] and the reference length [m] of the
        belt on a pulley.
        """
        slip = abs(log(F_in / F_out)) * R / (mu * radius)
        passage = Passage(0.0, slip, (pi - slip) / turn(F_in), F_in)
        if bristles < inf:
            passage = pass_pulley(create_rim(F_in, F_out, c, bristles), F_in, F_out)
        grown = passage.slip_force * np.exp(log(F_out / passage.slip_force) * GAUSS[0])
        on_slip = passage.slip_angle * float(GAUSS[1] @ (1.0 / turn(grown)))
        return passage.lag, passage.slip_angle, passage.stick_length + on_slip

    def evaluate(u: FloatArray, bristles: float) -> tuple[BeltCreep, list[float]]:
        """Return the motion for the unknowns u = [ln F_2, 1 + ln F_1/F_2, c], and the residuals of the equations,
        scaled to order 1.

        All unknowns are of order 1 or larger, because the solver uses finite differences with steps proportional to the
        unknowns.
        """
        nonlocal E
        F2, F1, c = exp(u[0]), exp(u[0] + (u[1] - 1.0)), u[2]
        E = EA - mass_per_length * c * c
        lam1, lam2 = (F1 + stiff) / E, (F2 + stiff) / E
        R1, R2 = axis_radius(F1, lam1), axis_radius(F2, lam2)
        (lag1, slip1, on_driver), (lag2, slip2, on_driven) = cross(F1, F2, c, bristles), cross(F2, F1, c, bristles)
        omega1, omega2 = c * (turn(F1) - lag1 / radius), c * (turn(F2) - lag2 / radius)
        # friction acts at the radius of the rim, and tension acts at the radius of the axis of the belt
        arm = 0.5 * (R1 + R2)
        arm *= radius / (arm - axis_height)
        weight = mass_per_length * gravity * tight_above_slack * 2.0 / (lam1 + lam2)
        M = torque_at(omega2)
        total = distance / lam1 + distance / lam2 + on_driver + on_driven
        motion = BeltCreep(
            driver_speed, omega2, M, EA * lam1 - stiff, EA * lam2 - stiff, F1, F2, lam1, lam2, slip1, slip2, c, R1, R2
        )
        errors = [
            (F1 - F2 - weight - M / arm) / scale,
            (total - length) / length * EA / scale,
            omega1 / driver_speed - 1,
        ]
        return motion, errors

    v = driver_speed * R
    lam = (2.0 * distance + 2.0 * pi * R) / length
    scale = EA * lam - stiff - mass_per_length * v**2 / lam
    if scale <= 0.0:
        raise ModelError(
            f"belt of length = {length:g} m has the tension {EA * lam - stiff:g} N and the centrifugal force "
            f"{mass_per_length * v**2 / lam:g} N, so the belt does not press on the pulleys: the tension must be "
            "greater than the centrifugal force"
        )
    loaded = min(torque_at(driver_speed) / R / scale, 1.9)
    start = [log(scale * (1.0 - 0.5 * loaded)), 1.0 + log((2.0 + loaded) / (2.0 - loaded)), v / lam]
    from scipy.optimize import root  # imported here, because most models do not need this module

    # the solution for rigid bristles is the initial value for compliant bristles
    for bristles in dict.fromkeys((inf, friction_stiffness_per_length)):
        start = root(lambda u, bristles=bristles: evaluate(u, bristles)[1], start, tol=1e-13).x
        motion, errors = evaluate(start, bristles)
        if max(map(abs, errors)) > 1e-9 or motion.slip_angle > pi:
            raise ModelError(
                f"torque = {motion.torque:g} N m: the belt slips on the whole arc, the slip arc would be "
                f"{motion.slip_angle:.3g} rad of {pi:.3g} rad"
            )
    if motion.driven_speed <= 0.0:
        raise ModelError(
            f"torque = {motion.torque:g} N m with friction_stiffness_per_length = {friction_stiffness_per_length:g} "
            f"N/m² of belt_creep: the belt would not turn the driven pulley"
        )
    if friction_stiffness_per_length < inf:
        F1, F2, c = motion.tight_force, motion.slack_force, motion.flow
        rim = create_rim(F2, F1, c, friction_stiffness_per_length)
        check_passage(rim, pass_pulley(rim, F2, F1), F2, F1)
    return motion
