"""If the geometry is impossible, or the mesh is too coarse, an error or a note is given before the solve."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest

import windlass as wl
from windlass import connectors as con
from windlass.elements import Circle, RigidBody2D, cable_around, nodes_of
from windlass.framework.errors import ModelError

from support.creep import FRICTION, RADIUS, Case, create_drive, eval_mesh_bend, eval_theory

SEGMENTS, POINTS = con.ContactFrictionCircleCable2D, con.ContactFrictionCirclePoints2D
FORMS = pytest.mark.parametrize("form", [SEGMENTS, POINTS])


def create_belt(form: type, distance: float = 0.3, elements: int = 32, idle: bool = False, **cable: Any) -> wl.Static:
    """Return a static solver for a belt around two pulleys with the radius 0.1 m; ``idle`` adds a third pulley far away
    from the belt.
    """
    world = wl.World()
    places = {"left": (0.0, 0.0), "right": (distance, 0.0), "idle": (0.0, 2.0)}
    pulleys = [world.add(RigidBody2D, name=n, position=p, mass=5.0, inertia=0.05) for n, p in places.items()]
    columns = {"axial_stiffness": 8e3, "bending_stiffness": 1e-3, "mass_per_length": 0.8, "reference_strain": -0.05}
    belt = cable_around(world, pulleys[:2], elements, radius=0.1, **{**columns, **cable})
    con.add_contact(
        world, form, circles=pulleys if idle else pulleys[:2], cables=belt, segments=4, circle_radius=0.1,
        contact_stiffness_per_length=1e7, contact_damping_per_length=1e4,
    )  # fmt: skip
    for pulley in pulleys:
        con.fix(world, pulley, "x", "y", "rotation")
    con.fix(world, nodes_of(world, belt)[0], "x")
    return wl.Static(world, load_steps=10, geometric=True, stabiliser=1e5, stability="off")


def find_notes(solver: wl.Static) -> list[str]:
    """Return the notes before a solve, independent of its result."""
    with suppress(wl.NotConverged):
        solver.solve()
    return solver.verdict.notes


@FORMS
def test_a_healthy_belt_has_no_notes(form: type) -> None:
    solver = create_belt(form)
    solver.solve()
    assert solver.verdict.notes == [] and solver.verdict.word == "ok"
    assert [round(value) for value in solver.verdict.invariants.values()] == [-1, -1]


@FORMS
def test_pulleys_that_overlap(form: type) -> None:
    (note,) = find_notes(create_belt(form, distance=0.15))
    assert "the circles left and right overlap: their centres are 0.15 m apart, must be >= 0.2 m" in note


def test_pulleys_that_touch_do_not_overlap() -> None:
    assert find_notes(create_belt(SEGMENTS, distance=0.2)) == []


def test_pulleys_that_no_cable_shares_may_overlap() -> None:
    """Two sheaves side by side on one axle, each with a separate rope, may overlap in the plane."""
    world = wl.World()
    for _ in range(2):
        sheave = world.add(RigidBody2D, position=(0.0, 0.0), mass=5.0, inertia=0.05)
        con.fix(world, sheave, "x", "y", "rotation")
        rope = cable_around(
            world, [sheave], 12, radius=0.1, closed=False, start=(-0.1, -0.3), end=(0.1, -0.3),
            axial_stiffness=8e3, bending_stiffness=1e-3, mass_per_length=0.8, reference_strain=-0.01,
        )  # fmt: skip
        con.add_contact(
            world, SEGMENTS, circles=[sheave], cables=rope, segments=4, circle_radius=0.1,
            contact_stiffness_per_length=1e7,
        )  # fmt: skip
        for end in (0, 12):
            con.hinge(world, nodes_of(world, rope)[end])
    assert find_notes(wl.Static(world, load_steps=10, geometric=True, stabiliser=1e5)) == []


@FORMS
def test_a_pulley_that_nothing_touches(form: type) -> None:
    assert find_notes(create_belt(form, idle=True)) == ["no cable is near the circle idle"]


@FORMS
def test_segments_that_span_too_much(form: type) -> None:
    """If a route of 2 (0.3 + 0.1 pi) m has 5 elements of 4 segments, each segment covers 0.614 rad, and a note states
    that 5 segments are needed.
    """
    (note,) = find_notes(create_belt(form, elements=5))
    assert "spans 0.614 rad of its circle of radius 0.1 m: take at least 5 segments per cable" in note


@pytest.mark.parametrize("cable", [{"length": 0.02}, {"reference_strain": -0.4791}])
def test_a_belt_shorter_than_its_route(cable: dict[str, float]) -> None:
    """A note is given for a belt that is much shorter than its route. The route has a length of 0.0384 m per element.
    The elements have the length 0.02 m with a prestrain of 5 %, or the length 0.0384 m with a prestrain of 48 %.
    """
    (note,) = find_notes(create_belt(SEGMENTS, **cable))
    stretch = "102" if "length" in cable else "92"
    assert f"belt 0 (and 31 more) begins stretched by {stretch} % of its unstretched length" in note
    assert "shorter than its route" in note


def test_a_belt_without_length() -> None:
    with pytest.raises(ModelError, match=r"reference_strain = -1.0 in Cable2D row 0: must be > -1"):
        create_belt(SEGMENTS, reference_strain=-1.0)


@pytest.mark.parametrize("distance", [0.25, 0.3, 1.0])
def test_two_elements_turn_back(distance: float) -> None:
    with pytest.raises(ModelError, match=r"elements = 2: element 0 has an angle of more than 90° .*use more elements"):
        create_belt(SEGMENTS, distance=distance, elements=2)


def test_a_route_that_fits_its_elements() -> None:
    """If two elements form a full circle, their slopes are perpendicular to their chords. This limit case is accepted
    despite rounding errors.
    """
    for elements in (2, 3, 4):
        world = wl.World()
        columns = {"axial_stiffness": 1.0, "bending_stiffness": 1.0, "mass_per_length": 1.0}
        assert len(cable_around(world, [Circle((0.3, 0.7), 0.1, "left")], elements, **columns)) == elements


def find_notes_of_drive(case: Case) -> list[str]:
    """Return the notes before one step of a drive in its theoretical motion."""
    model = create_drive(case)
    motion = wl.Dynamic(model.world, step=1e-6, end=1e-6, name="")
    motion.solve(model.state)
    return motion.verdict.notes


def test_bristles_that_are_too_stiff_for_the_mesh() -> None:
    """A note is given if bristles are so stiff that the mesh causes tractions beyond the friction limit, according to
    the closed form.

    Finer meshes and softer bristles give no note.
    """
    case = Case(points=True, load=0.0, reference_strain=-0.01, contact_stiffness=3e8, bristles=1.6e9)
    (note,) = find_notes_of_drive(case)
    assert "bristles of ContactFrictionCirclePoints2D row" in note and "are too stiff for cables of 0.0209 m" in note
    limit = FRICTION * eval_theory(case, rigid=True).slack_force / RADIUS
    told = float(note.split("bristle forces of ")[1].split(" times")[0])
    # in the initial shape, cubic elements lie deeper in the circle by R theta^4/720 on average, which is a tenth of the
    # depth under load in this model
    assert told == pytest.approx(1.6e9 * eval_mesh_bend(case) / limit, rel=0.15)
    finer, softer = (
        float(note.split(" times as many")[0].split(", or ")[1]),
        float(note.split("below ")[1].split(" N")[0]),
    )
    for other in (case._replace(elements=12 * round(0.5 + 5 * finer)), case._replace(bristles=softer)):
        assert find_notes_of_drive(other) == []
        small = other.bristles * eval_mesh_bend(other) / limit
        assert small == pytest.approx(0.1, rel=0.15)
    # for any bristle stiffness, the traction error of a cubic element is at most the force that moves the element as a
    # bar; at 640 N this force is below the friction limit
    tight = case._replace(reference_strain=-0.05, stretch=1.03, bristles=2.4e10)
    assert find_notes_of_drive(tight) == []
    (note,) = find_notes_of_drive(tight._replace(points=False))
    assert "bristles of ContactFrictionCircleCable2D row" in note


def test_contact_that_is_too_stiff_for_the_mesh() -> None:
    """A note is given if the contact depth of a stiff belt on soft bristles is less than R theta^4/384 = 0.5 um, which
    is the deviation of the cubic elements from the circle.
    """
    case = Case(axial_stiffness=4e5, reference_strain=-0.001, bristles=1e7, contact_stiffness=1e11, load=0.0)
    case = case._replace(points=True)  # nodes are at their depth under load, middles of elements are deeper
    (note,) = find_notes_of_drive(case)
    assert "sinks into the circle" in note and "m by which its cubic axis deviates" in note
    wave = float(note.split("less than the ")[1].split(" m by")[0])
    assert wave == pytest.approx(RADIUS * (case.length / 60 / RADIUS) ** 4 / 384.0, rel=0.05)
    assert find_notes_of_drive(case._replace(contact_stiffness=1e9)) == []
    assert find_notes_of_drive(case._replace(bristles=4e8)) == []
