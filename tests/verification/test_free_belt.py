"""The tractions that the contact depth of a belt without load causes at both ends of its arcs are compared with a
closed form.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose

from windlass.connectors.circle_contact.free_belt import SinkingTraction, choose_free_belt
from windlass.framework.errors import ModelError
from windlass.framework.state.evaluate import eval_output
from windlass.solvers.dynamic import Dynamic
from windlass.solvers.stepping.discontinuous import Passes

from support.creep import Case, choose_mesh, create_drive, eval_sinking, run_drive
from support.sinking_belt import solve_entry

SOFT = Case(load=0.0, points=True, contact_stiffness=4e6, bristles=2e7, inertia=0.01)


@pytest.mark.parametrize(
    ("stiffness", "bristles", "deep"),
    [pytest.param(4e6, 2e7, 346.196, marks=pytest.mark.long), (1.6e7, 8e7, 382.155)],
)
def test_closed_form(stiffness: float, bristles: float, deep: float) -> None:
    """The closed form of the deflection of bristles agrees with the steady motion by an ODE, to first order in l/R."""
    tension, bend = solve_entry(SOFT._replace(contact_stiffness=stiffness, bristles=bristles), deep)
    known = eval_sinking(SOFT._replace(contact_stiffness=stiffness, bristles=bristles), tension)
    assert_allclose(known, bend, rtol=0.04)


@pytest.mark.parametrize(("elements", "error"), [(180, 0.15), pytest.param(240, 0.11, marks=pytest.mark.long)])
def test_sinking(elements: int, error: float) -> None:
    """The mean of the largest deflections at entries and exits agrees with the closed form for k = 0.05 EA/R², with
    which the displacement due to the contact depth is 10 mm.

    For 60, 120, 180 and 240 elements, the ratio to the closed form is 0.67, 0.82, 0.87 and 0.90 at the entry, and 0.67,
    0.78, 0.92 and 1.02 at the exit. Finer meshes therefore do not remove the deflection.
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
        passes=Passes(atol=1e-3 * model.theory.tight_tension, max_it=12, fail=True),
        name="",
    )
    bends, tensions = [], []
    for state in motion.march(model.state):
        if state.t > (end - 4) * period:
            bend = eval_output(model.contacts, "force_per_length", state)[..., 0].mean(axis=1) / case.bristles
            bends.append((bend.max(), -bend.min()))
            tensions.append(eval_output(model.belt, "axial_force", state, x=0.5 * case.length / elements).max())
    assert_allclose(np.mean(bends, axis=0), eval_sinking(case, float(np.mean(tensions))), rtol=error)


MAP = list(product((8e3, 4e5), (-0.001, -0.01, -0.05), (0.05, 0.3, 0.7), (1e7, 4e8, 1.6e9)))
SHORT = [(8e3, -0.05, 0.05, 4e8), (4e5, -0.01, 0.3, 4e8)]


@pytest.mark.parametrize(
    ("EA", "strain", "inertia", "bristles"),
    [one if one in SHORT else pytest.param(*one, marks=pytest.mark.long) for one in MAP],
)
def test_no_traction_on_a_chosen_mesh(EA: float, strain: float, inertia: float, bristles: float) -> None:
    """Belts without load and without bending stiffness have tractions below a tenth of the friction limit, and no speed
    loss, for different stiffnesses, prestrains, inertias and bristles.

    The meshes have 60 to 1320 elements. The contact stiffness is 100 EA/R² or up to 6.8 times this value.
    """
    case = Case(
        axial_stiffness=EA, reference_strain=strain, inertia=inertia, bristles=bristles,
        speed=12 * (inertia / 0.05) ** 0.5, points=True,
    )  # fmt: skip
    case, choice = choose_mesh(case)
    assert 0.0 < choice.mesh_traction < 0.031 and choice.sinking_traction < 0.031
    result = run_drive(case, passes=case.elements // 4 + 20, mean=10)
    assert result.traction < 0.1 and abs(result.loss) < 3e-5


@pytest.mark.parametrize("ratio", [1.0, 2.0])
def test_way_of_sinking_in_as_long_as_that_of_the_bristles(ratio: float) -> None:
    """The closed form is continuous at l = a and l = 2 a, where its formula is 0/0."""
    bends = [
        SinkingTraction(0.1, 1e5, 1e3, 1e11 * (ratio * factor) ** 2, 1e9, 5e3).bend for factor in (0.999, 1.0, 1.001)
    ]
    assert_allclose(bends[1], 0.5 * (bends[0] + bends[2]), rtol=1e-5)
    assert SinkingTraction(0.1, 1e5, 1e3, 1e11, 0.0, 5e3).bend == 0.0


def test_what_the_choice_stands_on() -> None:
    """If the usual contact stiffness 100 EA/R² is too small, mesh and contact are chosen such that the tractions due to
    the mesh and due to the contact depth have the largest allowed value.
    """
    given = {"axial_stiffness": 8e3, "radius": 0.1, "press": 380.0, "friction_coefficient": 0.5}
    choice = choose_free_belt(**given, friction_stiffness_per_length=1.6e9, traction=0.2)
    assert_allclose([choice.mesh_traction, choice.sinking_traction], 0.06, rtol=1e-6)
    finer = choose_free_belt(**given, friction_stiffness_per_length=1.6e9, traction=0.1)
    assert finer.length < choice.length and finer.contact_stiffness > choice.contact_stiffness > 100 * 8e3 / 0.1**2
    soft = choose_free_belt(**given, friction_stiffness_per_length=1e6)
    assert soft.contact_stiffness == 100 * 8e3 / 0.1**2 and soft.length <= 0.3 * 0.1
    with pytest.raises(ModelError, match=r"press = 0.0 N in choose_free_belt: must be > 0"):
        choose_free_belt(**{**given, "press": 0.0}, friction_stiffness_per_length=1e6)


def test_largest_bend_by_sinking_in_is_that_of_all_places() -> None:
    """For ratios l/a from 0.03 to 30, the coarse search for the largest deflection does not miss the maximum."""
    for ratio in np.geomspace(0.03, 30.0, 61):
        R, EA, press, mu_k = 0.1, 1e5, 1e3, 1e8
        l, a = ratio * np.sqrt(EA / mu_k), np.sqrt(EA / mu_k)
        s = np.linspace(0.0, 10.0, 2001) * max(a, l)
        one, two = (l**3 / R**2 / (m * m - ratio**2) for m in (1, 2))
        way = one * (np.exp(-s / a) - np.exp(-s / l)) + two * (np.exp(-s / a) - np.exp(-2.0 * s / l))
        bend = SinkingTraction(R, EA, press, mu_k, press / l**2, 5e3).bend
        if min(abs(ratio - 1.0), abs(ratio - 2.0)) > 1e-3:
            assert_allclose(bend, np.abs(way).max(), rtol=1e-9)
