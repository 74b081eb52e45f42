"""Contact parameters of belts and ropes from tension, radius and step, with the reasons in words.

Per metre of cable, with the tension T, the radius R of the cord, the angle t = l/R of an element on the pulley and the
step h:

    on circles     k = 100 EA/R²  within  384 T/(R² t⁴)    `docs/theory/contact.md`, "Choosing parameters"
    on surfaces    k = T/(0.001 R²)                        `surface_contact.add_surface_contact`
    with a step    k <= rhoA (6/h)²                        a step is a period of the contact at most,
                   of ropes  k >= T/(0.0005 R²)            as they would move differently: the run cuts its steps
    damping        d = 2/3 sqrt(k rhoA)                    a third of the critical damping
    bristles       mu_k = k,  mu_v = d                     stretch left in them dies out over sqrt(EA/mu_k)

A belt sinks in by T/(k R).
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

from windlass.connectors.circle_contact.free_belt import CORD_FACTOR, WAVE_FACTOR
from windlass.connectors.surface_contact.add_surface_contact import DEPTH_SHARE

STEP_FACTOR = 6.0
"""h sqrt(k/rhoA) at most, below 2 pi: contact laws warn of longer steps."""
SINK_SHARE = 0.0005
"""Depth per radius beyond which a rope is not let in for the sake of the step [1]: at ten times that, where a rope over
a sheave slips, its largest tension is a third too high."""
DAMPING_RATIO = 1.0 / 3.0
"""Share of the critical damping."""


class ContactChoice(NamedTuple):
    """Stiffness k and mu_k [N/m^2], damping d and mu_v [N s/m^2], and the reason for them."""

    stiffness: float
    damping: float
    reason: str

    @property
    def columns(self) -> dict[str, float]:
        """Columns of the contact law."""
        return {
            "contact_stiffness_per_length": self.stiffness,
            "contact_damping_per_length": self.damping,
            "friction_stiffness_per_length": self.stiffness,
            "friction_velocity_penalty_per_length": self.damping,
        }


def choose_contact(
    name: str, tension: float, radius: float, axial_stiffness: float, mass_per_length: float, length: float,
    step: float | None, in_space: bool, closed: bool = True,
) -> ContactChoice:  # fmt: skip
    """Parameters of one pulley.

    Args:
        name: name of the pulley.
        tension: T [N], > 0.
        radius: radius R of the cord on it [m].
        axial_stiffness: EA [N].
        mass_per_length: rhoA [kg/m].
        length: length of an element [m].
        step: step h of the motion [s], None: the step sets no bound.
        in_space: contact with a surface, else with a circle.
        closed: a belt, whose contact the step alone bounds, else a rope.
    """
    angle = length / radius
    if in_space:
        bounds = [
            (tension / (DEPTH_SHARE * radius**2), f"T/({DEPTH_SHARE:g} R^2), it sinks in by {DEPTH_SHARE:.1%} of R")
        ]
    else:
        bounds = [
            (CORD_FACTOR * axial_stiffness / radius**2, "100 EA/R^2, sinking in adds 1 % to the loss of speed"),
            (WAVE_FACTOR * tension / (radius**2 * angle**4),
             f"384 T/(R^2 t^4), elements of t = {angle:.3g} rad wave inside of the arc: shorter ones allow more"),
        ]  # fmt: skip
    if step is not None and mass_per_length > 0.0:
        bound, least = (
            mass_per_length * (STEP_FACTOR / step) ** 2,
            0.0 if closed else tension / (SINK_SHARE * radius**2),
        )
        bounds.append(
            (bound, f"rhoA (6/h)^2 for steps of {step:g} s: smaller ones allow more")
            if bound >= least
            else (
                least,
                f"T/({SINK_SHARE:g} R^2), it sinks in by {SINK_SHARE:.2%} of R; steps of {step:g} s do not resolve "
                "it and are cut where they have to be",
            )
        )
    stiffness, why = min(bounds)
    damping = 2.0 * DAMPING_RATIO * sqrt(stiffness * mass_per_length)
    depth = tension / (stiffness * radius)
    reason = (
        f"{name}: T = {tension:.4g} N, R = {radius:.4g} m: k = {stiffness:.3g} N/m^2 = {why}; sinks in by "
        f"{1e6 * depth:.3g} um, {depth / radius:.2g} R; d = {damping:.3g} N s/m^2, a third of the critical; bristles "
        f"mu_k = k, their stretch dies out over {1e3 * sqrt(axial_stiffness / stiffness):.3g} mm"
    )
    return ContactChoice(stiffness, damping, reason)
