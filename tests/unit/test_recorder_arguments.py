"""Tests of the arguments of the recorder: number of frames, fields, and digits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from windlass.connectors import add_contact, clamp
from windlass.connectors.circle_contact.contact_circle_cable2d import ContactCircleCable2D
from windlass.elements import RigidBody2D, nodes_of, straight_cable
from windlass.framework.errors import OutputError
from windlass.framework.model.world import World
from windlass.framework.output.recorder import Recorder
from windlass.framework.state.state import State
from windlass.solvers.dynamic import Dynamic
from windlass.solvers.explicit import Explicit
from windlass.solvers.static import Static

from support.series import read_series


def create_rope() -> World:
    """Create two cables that hang from a clamp, and a disc without contact."""
    world = World(gravity=(0.0, -9.81))
    cables = straight_cable(
        world, (0.0, 0.0), (1.0, 0.0), 2, axial_stiffness=8000.0, bending_stiffness=1.0, mass_per_length=0.8
    )
    clamp(world, nodes_of(world, cables)[0])
    disc = world.add(RigidBody2D, position=(0.5, 3.0), mass=1.0, inertia=1.0)
    clamp(world, disc)
    add_contact(world, ContactCircleCable2D, disc, cables, segments=2, circle_radius=0.1, contact_stiffness=1e3)
    return world


def test_a_film_has_as_many_frames_as_it_needs(tmp_path: Path) -> None:
    """The frames of a film are equally spaced in time, or in statics in load steps. For a short solve all steps are
    recorded.
    """
    world = create_rope()
    for solver in (Dynamic(world, step=1e-3, end=0.01, name=""), Explicit(world, step=1e-3 / 32, end=0.01, name="")):
        with Recorder(tmp_path / "film", frames=4) as out:
            solver.solve(hooks=[out])
        assert [path.name for path in out.paths] == ["film.vtkhdf"]
        times = read_series(out.paths[0])[0]
        assert len(times) == out.frames == 5
        assert_allclose(times, [0.0, 0.0025, 0.005, 0.0075, 0.01], atol=6e-4)
    with Recorder(tmp_path / "all") as out:
        Dynamic(world, step=1e-3, end=0.01, name="").solve(hooks=[out])
    assert out.frames == 11
    with Recorder(tmp_path / "sag", frames=2, axis="step") as out:
        state = Static(world, load_steps=6, name="").solve(hooks=[out])
        # each solve has separate files
        Static(world, load_steps=4, name="").solve(state, hooks=[out])
    assert read_series(out.paths[0])[0] == [0.0, 3.0, 6.0, 8.0, 10.0]


def test_a_film_by_hand_has_all_frames(tmp_path: Path) -> None:
    """With ``march`` the duration of the run is unknown, so each step is recorded."""
    world = create_rope()
    with Recorder(tmp_path / "hand") as out:
        for state in Dynamic(world, step=1e-3, end=0.005, name="").march():
            out.after_step(state)
    assert out.frames == 5


@pytest.mark.parametrize("kind", ["vtkhdf", "vtu", "xdmf"])
def test_some_fields_in_single_precision(kind: str, tmp_path: Path) -> None:
    world = create_rope()
    world.finalize()
    state = State(world)
    state.q[:] = 1e-3 * np.random.default_rng(0).normal(size=state.q.shape)
    whole = Recorder("whole", formats=kind, folder=tmp_path)
    wanted = ("axial_force", "gap", "partition")
    some = Recorder("some", formats=kind, folder=tmp_path, fields=wanted, precision="single")
    with whole, some:
        for time in (0.0, 1.0):
            state.t = time
            whole.record(state)
            some.record(state)
    assert set(some.field_units) == set(wanted) < set(whole.field_units)
    expected, found = (read_series(out.paths[0])[1](1.0) for out in (whole, some))
    # XDMF viewers use this field to move the points
    assert set(found.point_data) == {"axial_force"} | ({"displacement"} if kind == "xdmf" else set())
    assert set(found.cell_data) == {"gap", "partition", "part"}
    assert found.points.dtype == np.float64 and np.array_equal(found.points, expected.points)
    for values, right in (
        (found.point_data["axial_force"], expected.point_data["axial_force"]),
        (found.cell_data["gap"], expected.cell_data["gap"]),
    ):
        assert values.dtype == np.float32 and right.dtype == np.float64
        assert_allclose(values, right, rtol=2.0**-24)


def test_unknown_fields_are_refused(tmp_path: Path) -> None:
    world = create_rope()
    world.finalize()
    message = "fields = 'tension' in Recorder: must be some of displacement, velocity, axial_force"
    with pytest.raises(OutputError, match=message):
        Recorder("rope", folder=tmp_path, fields="tension").record(State(world))
