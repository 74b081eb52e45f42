"""A mass is dropped on a contact between two coordinates, with steps that end at the instant of contact. The results
are compared with Exudyn.

The mass of 0.25 kg falls from 0.1 m under 2.4525 N onto a stop at 0.05 m, k = 2e6 N/m, d = 200 N s/m. The method is the
trapezoidal rule at index 2 with the nominal step 2e-4 s to 0.25 s. Source: Exudyn 1.11.0, test model
contactCoordinateTest, recorded step by step.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from windlass.connectors import ContactCoordinate, CoordinateLoad, coordinate_marker
from windlass.elements import MassPoint
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.model.history import GenericData
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.evaluate import eval_output
from windlass.framework.state.state import State
from windlass.solvers.dynamic import Dynamic
from windlass.solvers.stepping.discontinuous import Passes
from windlass.solvers.stepping.step_control import StepControl

TRACE = Path(__file__).parents[1] / "reference/models/contactCoordinateTest_trace0.npz"
END_VALUE = 0.0553131995062827


def build_model() -> tuple[World, Entity, Entity]:
    """Create the mass and its contact."""
    world = World()
    mass = world.add(MassPoint, position=(0.0, 0.0), displacement=(0.0, 0.1), mass=0.25)
    marker = coordinate_marker(world, mass, "y")
    data = world.add(GenericData, initial=[1.0])
    contact = world.add(
        ContactCoordinate, marker1=marker, data=data, contact_stiffness=2e6, contact_damping=200.0, offset=0.05
    )
    world.add(CoordinateLoad, marker=marker, value=-2.4525)
    return world, mass, contact


def create_solver(world: World, **more: Any) -> Dynamic:
    """Create the solver with the settings of the reference."""
    settings: dict[str, Any] = {
        "method": "trapezoidal_index2",
        "control": StepControl(smallest=1e-10, growth=10.0, easy_steps=1),
        "passes": Passes(atol=1e-3, max_it=2, fail=True),
        # the reference makes only five steps per contact
        "resolve_contacts": False,
        "lag": False,
        "name": "",
    }
    return Dynamic(world, step=2e-4, end=0.25, **{**settings, **more})


def test_step_by_step() -> None:
    """The end value agrees with Exudyn within 1e-9. The numbers of steps (1281), iterations and passes (1305) equal the
    recorded numbers, and every step of the recorded motion agrees.

    Exudyn computes its tangent by numerical differences. These differences leave errors of 1e-12 in the motion, which
    contacts amplify.
    """
    world, mass, _ = build_model()
    solver = create_solver(world)
    trace = np.load(TRACE)
    times, heights, speeds = [0.0], [0.1], [0.0]
    for state in solver.march():
        times.append(state.t)
        heights.append(state.of(mass)[0, 1])
        speeds.append(state.of(mass, "v")[0, 1])
    statistics = solver.statistics
    counts = (statistics.steps, statistics.newton_iterations, statistics.discontinuous_iterations)
    assert counts == (1281, 1305, 1305)
    assert abs(heights[-1] - END_VALUE) < 1e-9
    assert_allclose(times, trace["t"], rtol=0, atol=1e-9)
    assert_allclose(heights, trace["q"][:, 1], rtol=0, atol=1e-9)
    assert_allclose(speeds, trace["q_t"][:, 1], rtol=0, atol=1e-6)


@pytest.mark.parametrize("kept", [True, False])
def test_kept_tangent_gives_the_same(kept: bool) -> None:
    """With a lagged Jacobian the end value agrees within 1e-6, because the tangent is evaluated again after a contact
    has switched.
    """
    world, mass, _ = build_model()
    solver = create_solver(world, lag=kept)
    state = solver.solve()
    assert abs(state.of(mass)[0, 1] - END_VALUE) < 1e-6
    if kept:
        assert solver.problem.tangent_count < 1305


def test_outputs_and_inactive_rows() -> None:
    """Gap, rate and force agree with the state. A row that is switched off has no force and keeps its history."""
    world, mass, contact = build_model()
    state = State(world)
    state.put(mass, [0.0, 0.04])
    state.put(mass, [0.0, -0.3], "v")
    state.data[:] = -1.0
    assert_allclose(eval_output(contact, "gap", state), -0.01, rtol=1e-12)
    assert_allclose(eval_output(contact, "force", state), -2e4 - 60.0, rtol=1e-12)
    world.set(contact, active=False)
    assert eval_output(contact, "force", state) == 0.0
    state.assembly.load_fields(state)
    result = state.assembly.post_newton()
    assert result.error == 0.0
    assert_array_equal(state.assembly.fields.data, [-1.0])


@pytest.mark.parametrize(("h", "error"), [(2e-4, 0.0), (0.0, 2e4)])
def test_contact_that_came_back_within_a_step(h: float, error: float) -> None:
    """A contact is closed at the start, open in the last pass and closed after this pass. The force error k g of this
    contact counts only in statics, as in the recorded run.
    """
    world = build_model()[0]
    assembly = Assembly(world)
    fields = assembly.fields
    fields.start_data[0], fields.data[0], fields.step_size[0] = -1e-3, 1e-3, h
    fields.x[:-1] = (0.0, 0.04)
    assembly.update_markers()
    assert_allclose(assembly.post_newton().error, error, rtol=1e-12)
    assert_allclose(fields.data[0], -0.01, rtol=1e-12)
