"""A belt without load that sinks in has tractions at both ends of its arcs, which no mesh takes away."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from windlass.framework.state.evaluate import eval_output
from windlass.solvers.dynamic import Dynamic

from support.creep import Case, create_drive, eval_sinking
from support.sinking_belt import solve_entry

SOFT = Case(load=0.0, points=True, contact_stiffness=4e6, bristles=2e7, inertia=0.01)


@pytest.mark.parametrize(
    ("stiffness", "bristles", "deep"),
    [pytest.param(4e6, 2e7, 346.196, marks=pytest.mark.long), (1.6e7, 8e7, 382.155)],
)
def test_closed_form(stiffness: float, bristles: float, deep: float) -> None:
    """Bends of bristles by the closed form against the steady motion by an ODE, of first order in l/R."""
    tension, bend = solve_entry(SOFT._replace(contact_stiffness=stiffness, bristles=bristles), deep)
    known = eval_sinking(SOFT._replace(contact_stiffness=stiffness, bristles=bristles), tension)
    assert_allclose(known, bend, rtol=0.04)


@pytest.mark.parametrize(("elements", "error"), [(180, 0.15), pytest.param(240, 0.11, marks=pytest.mark.long)])
def test_sinking(elements: int, error: float) -> None:
    """Mean of the largest bend at entries and exits, k = 0.05 EA/R², which makes the way of sinking in 10 mm.

    Per closed form 0.67, 0.82, 0.87, 0.90 at the entry and 0.67, 0.78, 0.92, 1.02 at the exit on 60, 120, 180, 240
    elements: it does not vanish with the mesh.
    """
    case = SOFT._replace(elements=elements)
    model = create_drive(case, friction_velocity_penalty_per_length=0.0)
    period = case.length / case.elements / model.theory.flow
    end = elements // 4 + 20
    motion = Dynamic(
        model.world,
        step=period / 16,
        end=end * period,
        spectral_radius=0.5,
        discontinuous_atol=1e-3 * model.theory.tight_tension,
        discontinuous_max_it=12,
        discontinuous_fail=True,
        name="",
    )
    bends, tensions = [], []
    for state in motion.march(model.state):
        if state.t > (end - 4) * period:
            bend = eval_output(model.contacts, "force_per_length", state)[..., 0].mean(axis=1) / case.bristles
            bends.append((bend.max(), -bend.min()))
            tensions.append(eval_output(model.belt, "axial_force", state, x=0.5 * case.length / elements).max())
    assert_allclose(np.mean(bends, axis=0), eval_sinking(case, float(np.mean(tensions))), rtol=error)
