"""Spring of an automatic belt tensioner: torsion spring, dry friction that increases with the torque of the spring, and
asymmetric damping.

    spring: e = M + k u,    u = x1 - x0, the rotation of the arm since mounting
    torque: f = e + d_s u_t + f_friction on coordinate 1, -f on coordinate 0, on the left-hand side
    trial torque of the bristle: tau = k_b (u - anchor), with the anchor at the start of the step
    damping: d_s = d_l if e u_t >= 0, otherwise d_u
    friction limit: F_s = F_c + mu_s |e|,    mu_s = mu_l if tau e >= 0, otherwise mu_u
    sticks: f_friction = tau, if |tau| <= F_s
    slips: f_friction = F_s sign(tau), and anchor = u - f_friction/k_b at the end of the step

The index s denotes the direction: *loading* while |e| increases, *unloading* while |e| decreases. For each direction
there is a coefficient mu_s and a damping d_s. The coefficients differ, because the spring presses on a sleeve in the
tensioner. The resistance of this sleeve is larger when the belt lifts the arm than when the arm follows the belt. The
return map of the friction torque is evaluated within Newton's method, with the exact tangent of the return map.

Consider a slow cycle of the rotation between the angles a and b. During the cycle e > 0, and the bristle slips in both
directions. The index l denotes loading, and the index u denotes unloading. With k_l = k_b - mu_l k and k_u = k_b + mu_u
k, the energy loss of the cycle is

    loss = ∫ (F_l + F_u) du - (F_l + F_u)²(b)/(2 k_u) - (F_l + F_u)²(a)/(2 k_l)

The second and the third term of the loss are due to the elastic deflection of the bristle at both ends of the cycle.
Between the friction limits the friction changes with the slope k_b. The limits change with the slopes mu_l k and -mu_u
k.

Source: return map of a Prandtl element, J. C. Simo and T. J. R. Hughes, Computational Inelasticity, Springer (1998),
chapter 1, with a yield limit that depends on the torque of the spring.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.connectors.markers.coordinate_marker import COORDINATE
from windlass.connectors.markers.coordinate_outputs import coordinate_output
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import Tables, register_pair
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.table import EntityTable

START = (0.0,)


class TensionerSpring(Component):
    """The spring of a tensioner arm, with friction that increases with the torque of the spring. Each row has one
    history value, the anchor [rad].
    """

    marker0 = ref(COORDINATE, "angle of the carrier of the arm; default: the ground")
    marker1 = ref(COORDINATE, "angle of the arm")
    data = ref(
        "GenericData",
        "1 history value; if left out, it is created as [0] (bristle without deflection in the mounted position)",
        optional=True,
    )
    preload = column("N m", "torque M of the spring in the mounted position", default=0.0, switchable=True)
    stiffness = column("N m/rad", "stiffness k of the spring", minimum=0.0, switchable=True)
    friction_torque = column(
        "N m",
        "part F_c of the friction limit that does not depend on the spring torque",
        default=0.0,
        minimum=0.0,
        switchable=True,
    )
    loading_friction = column(
        "1",
        "friction coefficient mu_l, friction per spring torque, while the spring torque increases",
        default=0.0,
        minimum=0.0,
    )
    unloading_friction = column(
        "1",
        "friction coefficient mu_u, friction per spring torque, while the spring torque decreases",
        default=0.0,
        minimum=0.0,
    )
    loading_damping = column("N m s/rad", "damping d_l while the spring torque increases", default=0.0, minimum=0.0)
    unloading_damping = column("N m s/rad", "damping d_u while the spring torque decreases", default=0.0, minimum=0.0)
    sticking_stiffness = column("N m/rad", "stiffness k_b of the bristle", default=0.0, minimum=0.0)
    active = column(
        "1",
        "false: the row has no torque, and its history values do not change",
        dtype=bool,
        default=True,
        switchable=True,
    )


@kernel
def spring_torque(row: Any, u: float) -> float:
    """Return the torque e [N m] of the spring."""
    return float(row.preload + row.stiffness * u)


@kernel
def friction(row: Any, u: float) -> tuple[float, float, float]:
    """Return the friction torque [N m], the derivative of the friction torque with respect to u, and whether the
    bristle slips (1) or sticks (0).
    """
    tau, e = row.sticking_stiffness * (u - row.start[0]), spring_torque(row, u)
    share = row.loading_friction if tau * e >= 0.0 else row.unloading_friction
    limit = row.friction_torque + share * abs(e)
    if abs(tau) <= limit:
        return tau, row.sticking_stiffness, 0.0
    return np.sign(tau) * limit, np.sign(tau) * share * np.sign(e) * row.stiffness, 1.0


@kernel
def friction_torque(row: Any, u: float, ut: float, t: float) -> float:
    """Return the friction torque [N m]."""
    return float(friction(row, u)[0])


@kernel
def damping(row: Any, u: float, ut: float) -> float:
    """Return the damping coefficient d_s [N m s/rad]."""
    return float(row.loading_damping if spring_torque(row, u) * ut >= 0.0 else row.unloading_damping)


@kernel
def force(row: Any, u: float, ut: float, t: float) -> float:
    """Return the torque f [N m]."""
    return spring_torque(row, u) + damping(row, u, ut) * ut + friction(row, u)[0]


@kernel
def force_tangent(row: Any, u: float, ut: float, t: float) -> tuple[float, float]:
    """Return ∂f/∂u and ∂f/∂u_t."""
    return row.stiffness + friction(row, u)[1], damping(row, u, ut)


@kernel
def spring_energy(row: Any, u: float, ut: float, t: float) -> float:
    """Return the energy [J] of the spring relative to the mounted state."""
    return float((row.preload + 0.5 * row.stiffness * u) * u)


@kernel
def bristle_energy(row: Any, u: float, ut: float, t: float) -> float:
    """Return the energy [J] of the bristle. While the bristle slips, its deflection is f_friction/k_b."""
    return float(0.5 * friction(row, u)[0] ** 2 / row.sticking_stiffness) if row.sticking_stiffness > 0.0 else 0.0


@kernel
def damper_power(row: Any, u: float, ut: float, t: float) -> float:
    """Return the power [W] lost in the damper."""
    return float(damping(row, u, ut) * ut * ut)


@kernel
def sliding(row: Any, u: float, ut: float, t: float) -> tuple[float, float, float]:
    """Return the power [W] of the friction torque, the energy [J] of the bristle, and whether the bristle slips (1) or
    sticks (0).
    """
    f, _, slips = friction(row, u)
    return f * ut, bristle_energy(row, u, ut, t), slips


@kernel
def update_anchor(row: Any, u: float, ut: float, t: float, h: float) -> tuple[float, float, bool, float]:
    """Compute the anchor at the end of the step from the anchor at the start of the step, and return a force error of
    0."""
    if row.sticking_stiffness > 0.0:
        row.history[0] = u - friction(row, u)[0] / row.sticking_stiffness
    return 0.0, np.inf, False, 0.0


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for rows with friction if the bristle stiffness k_b is 0 or is at most mu_l k, which is the
    slope of the friction limit. Also raise ModelError for mu_u >= 1.
    """
    get = table.local
    rubs = (get("friction_torque") > 0.0) | (get("loading_friction") > 0.0) | (get("unloading_friction") > 0.0)
    words = "be > 0 N m/rad with friction, best some hundred times the stiffness of the spring"
    table.refuse(rubs & (get("sticking_stiffness") == 0.0), ("sticking_stiffness",), words)
    share = get("unloading_friction")
    table.refuse(share >= 1.0, ("unloading_friction",), "be < 1, as the arm would never follow the belt")
    soft = rubs & (get("sticking_stiffness") <= get("loading_friction") * get("stiffness"))
    table.refuse(soft, ("sticking_stiffness", "loading_friction", "stiffness"), "have k_b > mu_l k")


register_pair(
    TensionerSpring,
    force,
    force_tangent,
    stored={"spring": spring_energy, "bristle": bristle_energy},
    lost={"damper": damper_power},
    sliding=sliding,
    start=START,
    update=update_anchor,
    check=check,
    outputs={
        "torque": coordinate_output("N", "total torque f of spring, friction and damper, ()", force),
        "friction": coordinate_output("N", "friction torque, ()", friction_torque),
    },
    source="[@simo1998]",
)
