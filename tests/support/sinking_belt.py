"""Solution for the steady motion of a belt without load that runs onto a soft circle, as an initial value problem.

The unknowns per reference length X are the radius p and the angle phi of the axis, the slope psi against the circle,
the pressing force F = N - rhoA c² lam, N = EA (lam - 1 - e0), and the deflection u of the bristles. With the value w of
r d phi/dX deep inside the contact, the equations are

    p' = lam sin psi,   phi' = lam cos psi/p,   u' = r phi' - w,
    F' = mu_k u (r/p) cos psi - k (r - p) sin psi,   psi' = phi' - (k (r - p) cos psi + mu_k u (r/p) sin psi)/F.

Solutions that converge deep inside the contact are integrated backwards to p = r, and the solution with u = 0 at p = r
is selected.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from support.creep import RADIUS, Case, eval_theory, mass_per_length


def solve_entry(case: Case, deep: float) -> tuple[float, float]:
    """Return the axial force [N] of the strand and the largest deflection [m] for the force F [N] deep inside the
    contact.
    """
    r, k, bristles, EA = RADIUS, case.contact_stiffness, case.bristles, case.axial_stiffness
    slack, inertia = EA * (1 + case.reference_strain), mass_per_length(case) * eval_theory(case).flow ** 2
    stretch = (deep + slack) / (EA - inertia)
    inside = brentq(lambda p: deep * stretch / p - k * (r - p), 0.5 * r, r)
    rest = np.array((inside, 0.0, deep, 0.0))

    def rates(_X: float, y: Any) -> Any:
        p, psi, F, u = y
        lam, normal, shear = (F + slack) / (EA - inertia), k * (r - p), bristles * u * r / p
        turn = lam * np.cos(psi) / p
        bending = turn - (normal * np.cos(psi) + shear * np.sin(psi)) / F
        return np.array(
            (lam * np.sin(psi), bending, shear * np.cos(psi) - normal * np.sin(psi), r * (turn - stretch / inside))
        )

    steps = np.diag((1e-7 * r, 1e-6, 1e-6 * deep, 1e-8 * r))
    tangent = np.column_stack([(rates(0, rest + d) - rates(0, rest - d)) / (2 * d.max()) for d in steps])
    values, ways = np.linalg.eig(tangent)
    fast, slow = (
        ways[:, i].real / np.abs(ways[:, i].real / (r, 1, deep, r)).max() for i in np.argsort(values.real)[:2]
    )

    def touch(_X: float, y: Any) -> float:
        return float(y[0] - r)

    touch.terminal = True  # type: ignore[attr-defined]

    def follow(angle: float) -> Any:
        start = rest + 1e-5 * (np.cos(angle) * fast + 30 * np.sin(angle) * slow)
        return solve_ivp(rates, (0, -1), start, events=touch, rtol=1e-8, atol=1e-12, max_step=5e-3)

    angles = np.linspace(0, 2 * np.pi, 25)
    ends = [found.y[3, -1] if found.status == 1 else np.nan for found in map(follow, angles)]
    for low, high, one, other in zip(angles, angles[1:], ends, ends[1:], strict=False):
        if one * other < 0:
            found = follow(brentq(lambda angle: follow(angle).y[3, -1], low, high, xtol=1e-14))
            F = found.y[2, -1]
            if abs(found.y[3, -1]) > 1e-9 or deep > 2 * F:
                continue  # the end value jumps instead of crossing 0, or the solution is on another branch
            return F + inertia * (F + slack) / (EA - inertia), float(np.abs(found.y[3]).max())
    raise AssertionError("no entry found")
