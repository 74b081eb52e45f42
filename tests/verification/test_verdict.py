"""Runs with unstable settings raise errors or are doubtful, and runs with stable settings are trusted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.linalg import eigh

import windlass as wl
from windlass import connectors as con
from windlass.elements import Ground, MassPoint, RigidBody2D, cable_along, helix, nodes_of, straight_cable
from windlass.framework.command_line import summary
from windlass.framework.runtime.petsc import PETSc
from windlass.solvers.verdicts.verdict import Verdict

from support.verdict_models import LENIENT, driven_belt, falling_rope, loaded_rope

Case = tuple[Any, dict[str, Any]]
TRAPEZOIDAL, ALPHA, INDEX2 = "trapezoidal_index2", "generalized_alpha", "generalized_alpha_index2"

EXPLODING: list[Case] = [
    # contacts are much stiffer than the step resolves, any contact states are accepted, and step sizes may not be
    # reduced
    *((driven_belt, {"stiffness": k, "step": h, "method": m, "adaptive": False, **LENIENT})
      for k, h in ((1e10, 5e-4), (1e10, 1e-3), (1e10, 2e-3), (2e10, 1e-3)) for m in (TRAPEZOIDAL, ALPHA)),
    *((loaded_rope, {"stretch": 1e7, "contact": 1e9, "step": h, "end": 0.05, "method": m, "adaptive": False, **LENIENT})
      for h in (2e-3, 3e-3) for m in (TRAPEZOIDAL, "newmark")),
    # belts that are thrown off their pulleys
    *((driven_belt, {"throw": v, "method": m})
      for v in (20.0, -20.0, 30.0, -30.0, 60.0) for m in (TRAPEZOIDAL, ALPHA)),
    # explicit steps beyond the limit of stability
    *((falling_rope, {"explicit": True, "step": h, "drop": d})
      for h in (1e-4, 1.5e-4, 2e-4, 5e-4, 1e-3, 2e-3) for d in (0.0, 0.02, 0.05)),
]  # fmt: skip

HEALTHY: list[Case] = [
    *((driven_belt, {"stiffness": k, "method": m}) for k in (1e6, 1e7, 1e8) for m in (TRAPEZOIDAL, ALPHA, INDEX2)),
    *((driven_belt, {"step": h}) for h in (2e-4, 2e-3)),
    *((loaded_rope, {"stretch": s, "contact": k, "step": h, "method": m})
      for s, k in ((1e4, 1e6), (1e5, 1e6), (1e6, 1e7)) for h in (1e-4, 1e-3) for m in (TRAPEZOIDAL, ALPHA)),
    *((falling_rope, {"drop": d, "method": m, "end": 0.05})
      for d in (0.0, 0.02, 0.05, 0.1) for m in (TRAPEZOIDAL, ALPHA, "newmark")),
    *((falling_rope, {"explicit": True, "step": h, "end": 0.01}) for h in (1e-5, 2e-5)),
    *((falling_rope, {"drop": d, "step": 5e-4, "end": 0.05}) for d in (0.02, 0.05, 0.1)),
]  # fmt: skip


def judge(case: Case) -> str:
    """Return ``"ok"``, ``"doubtful"`` or ``"error"``."""
    make, settings = case
    try:
        solver, start = make(**settings)
        state = solver.solve(start)
    except wl.WindlassError:
        return "error"
    assert np.isfinite(state.q).all()
    return solver.verdict.word if isinstance(solver, wl.Dynamic) else "ok"


def test_no_explosion_ends_as_success() -> None:
    assert len(EXPLODING) >= 40
    assert [case for case in EXPLODING if judge(case) == "ok"] == []


def test_only_a_verdict_without_doubt_is_true() -> None:
    """`if solver.verdict` distinguishes trusted results from all other results."""
    assert Verdict(notes=["a note"])
    assert not Verdict(reasons=["a reason"]) and not Verdict(stopped="failed")


def test_no_healthy_run_is_doubtful() -> None:
    assert len(HEALTHY) >= 40
    assert [case for case in HEALTHY if judge(case) != "ok"] == []


SMALL_BELT = """
import windlass as wl
from windlass import connectors as con
from windlass.elements import RigidBody2D, cable_around, nodes_of

world = wl.World()
left = world.add(RigidBody2D, name="left", position=(0.0, 0.0), mass=5.0, inertia=0.05)  # [m], [kg], [kg m^2]
right = world.add(RigidBody2D, name="right", position=(0.3, 0.0), mass=5.0, inertia=0.05)
belt = cable_around(
    world, circles=[left, right], radius=0.1, elements=32, axial_stiffness=8000.0, bending_stiffness=1e-3,
    mass_per_length=0.8, axial_damping=1.0, reference_strain=-0.05,
)
contacts = con.add_contact(
    world, con.ContactFrictionCircleCable2D, circles=[left, right], cables=belt, segments=4, circle_radius=0.1,
    contact_stiffness_per_length=1e7, contact_damping_per_length=1e4, friction_coefficient=0.5,
    friction_stiffness_per_length=1e7, friction_velocity_penalty_per_length=4e3,
)
for pulley in (left, right):
    con.fix(world, pulley, "x", "y")
con.prescribe(world, left, "rotation", lambda t: -10.0 * t**2)  # the motor [rad]
world.add(con.CoordinateSpringDamper, marker1=con.coordinate_marker(world, right, "rotation"), damping=2.0)  # brake
holds = [con.fix(world, right, "rotation"), con.fix(world, nodes_of(world, belt)[0], "x")]

# preload at rest: no friction but for a trace that records where each segment of the belt will stick
world.set(contacts, friction_coefficient=0.0, friction_stiffness_per_length=1e-8)
state = wl.Static(world, load_steps=10, geometric=True, stabiliser=1e5).solve()

# motion: friction on, right pulley and belt free
world.set(contacts, friction_coefficient=0.5, friction_stiffness_per_length=1e7)
for hold in holds:
    world.set(hold, active=False)
motion = wl.Dynamic(world, step=1e-3, end=0.3, method="generalized_alpha_index2")
with wl.Recorder("belt") as recorder:
    state = motion.solve(state, hooks=[recorder])
reports = [con.pulley_report(world, state, contacts, pulley) for pulley in (left, right)]
if wl.is_first_process():
    print(con.format_reports(reports))  # wrap, tensions, torque, slip arc, friction power of each pulley
"""


def test_stiff_contacts_move_as_softer_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the contacts of a belt are ten times as stiff, the step is too long for these contacts. The speed of the belt
    is nevertheless 0.60 m/s, as with the softer contacts.
    """
    monkeypatch.chdir(tmp_path)
    speeds = []
    for stiffness in ("1e7", "1e8"):
        found: dict[str, Any] = {}
        exec(SMALL_BELT.replace("contact_stiffness_per_length=1e7", f"contact_stiffness_per_length={stiffness}"), found)
        assert found["motion"].verdict.word == "ok"
        speeds.append([report.belt_speed for report in found["reports"]])
    np.testing.assert_allclose(speeds[1], speeds[0], rtol=0.01)
    np.testing.assert_allclose(speeds[1][0], 0.60, rtol=0.01)


def test_a_stiff_rope_at_rest_stays_there() -> None:
    """A rope with EA 1e8 N and a contact stiffness of 1e9 N/m^2 stays at rest, although the step is longer than the
    periods of rope and contact.
    """
    solver, start = loaded_rope(stretch=1e8, contact=1e9, step=2e-4)
    assert np.abs(solver.solve(start).v).max() < 1e-3 and solver.verdict.word == "ok"


def test_what_is_said_before_a_run(capsys: pytest.CaptureFixture[str]) -> None:
    """The note before a run gives the period T = 2 pi sqrt(0.8/1e7) s = 1.78e-3 s, and recommends half of this
    period.
    """
    solver, start = driven_belt(step=5e-3, end=5e-3)
    solver.solve(start)
    (note,) = solver.verdict.notes
    assert "the step of 0.005 s is longer than the period of 0.00178 s" in note and "below 0.00089 s" in note
    assert f"note before dynamic: {note}" in capsys.readouterr().err
    # a note appears only once in a run with several solves, but a note with other numbers is a new note
    again, start = driven_belt(step=5e-3, end=5e-3)
    again.solve(start)
    assert again.verdict.notes == [note] and "note" not in capsys.readouterr().err
    other, start = driven_belt(step=4e-3, end=4e-3)
    other.solve(start)
    assert capsys.readouterr().err.count("note before dynamic: the step of 0.004 s") == 1


def test_explicit_steps_beyond_the_limit_of_stability() -> None:
    """The stability limit agrees with 2/omega from all eigenvalues of K x = omega^2 M x. The recommended step is stable
    and gives no doubt.
    """
    solver, _ = falling_rope(explicit=True, step=1e-4, end=1e-4)
    state = solver.solve()
    (note,) = solver.verdict.notes
    world = state.world
    start = wl.State(world)
    K, M = (np.asarray(A[:, :]) for A in (wl.assemble_matrix(world, start), wl.assemble_mass(world, start)))
    limit = 2.0 / np.sqrt(eigh(0.5 * (K + K.T), M, eigvals_only=True)[-1])
    assert f"beyond the limit of stability, {limit:.3g} s" in note and f"take a step below {0.9 * limit:.2g} s" in note
    solver, _ = falling_rope(explicit=True, step=float(f"{0.9 * limit:.2g}"), end=0.02)
    # nodes fall at 0.196 m/s, and slightly faster where the rope swings
    assert np.abs(solver.solve().v.reshape(-1, 4)[:, :2]).max() < 0.3
    assert not solver.verdict.notes and solver.verdict.word == "ok"


@pytest.mark.parametrize(("later", "held"), [(False, False), (True, False), (False, True), (True, True)])
def test_a_run_beyond_the_limit_of_stability_is_doubtful(later: bool, held: bool) -> None:
    """A run with steps above 2/omega = 2 ms of 1 kg at 1e6 N/m is doubtful, from the start or after a hook has
    stiffened the spring. A fixed mass has no stability limit.
    """
    for step, word in ((1.99e-3, "ok"), (2.05e-3, "ok" if held else "doubtful")):
        world = wl.World()
        point = world.add(MassPoint, position=(0.0, 0.0), velocity=(0.1, 0.0), mass=1.0)
        spring = world.add(con.CoordinateSpringDamper, marker1=con.coordinate_marker(world, point, "x"), stiffness=1e5)
        other = world.add(con.CoordinateSpringDamper, marker1=con.coordinate_marker(world, point, "y"), stiffness=1e5)
        if held:
            con.fix(world, point, "y")
        stiff = other if held else spring
        if not later:
            world.set(stiff, stiffness=1e6)

        def stiffen(state: wl.State, of: wl.Entity = stiff, world: wl.World = world) -> None:
            if later and state.step == 5:
                world.set(of, stiffness=1e6)

        solver = wl.Explicit(world, step=step, end=12 * step, name="")
        solver.solve(hooks=[stiffen])
        assert solver.verdict.word == word
        for reason in solver.verdict.reasons:
            when = "after a change of the model" if later else "at the start"
            assert "is beyond the limit of stability, 0.002 s for the highest frequency" in reason and when in reason


def test_coarse_segments_and_circles_far_away_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    world = wl.World(gravity=(0.0, -9.81, 0.0))
    pulley = world.add(RigidBody2D, name="far", position=(0.0, 5.0), mass=1.0, inertia=1.0)
    con.fix(world, pulley, "x", "y", "rotation")
    rope = straight_cable(
        world, (0, 0), (1, 0), 4, axial_stiffness=1e4, bending_stiffness=1.0, mass_per_length=0.5, name="rope"
    )
    con.clamp(world, nodes_of(world, rope)[0])
    con.add_contact(
        world, con.ContactCircleCable2D, circles=[pulley], cables=rope, segments=2, circle_radius=0.1,
        contact_stiffness_per_length=1e5,
    )  # fmt: skip
    solver = wl.Static(world, name="hang")
    solver.solve()
    coarse, far = solver.verdict.notes
    assert "spans 1.25 rad of its circle of radius 0.1 m: take at least 5 segments per cable" in coarse
    assert far == "no cable is near the circle far" and solver.verdict.word == "ok"


@pytest.mark.parametrize("depth", [0.01, 0.05, 0.15])
def test_cables_that_begin_inside_of_a_circle_are_named(depth: float) -> None:
    """A rope that starts below the centre of a peg remains below the centre. A note before the solve reports this
    start, even if the verdict of the solve is ``"ok"``.
    """
    world = wl.World(gravity=(0.0, -9.81, 0.0))
    peg = world.add(RigidBody2D, name="peg", position=(0.5, depth - 0.1), mass=1.0, inertia=1.0)
    con.fix(world, peg, "x", "y", "rotation")
    rope = straight_cable(
        world, (0, 0), (1, 0), 16, axial_stiffness=1e4, bending_stiffness=0.01, mass_per_length=0.5, length=1.03 / 16
    )
    con.hinge(world, nodes_of(world, rope)[[0, 16]])
    con.add_contact(
        world, con.ContactCircleCable2D, circles=[peg], cables=rope, segments=2, circle_radius=0.1,
        contact_stiffness_per_length=1e5,
    )  # fmt: skip
    solver = wl.Static(world, name="")
    state = solver.solve()
    middle = wl.eval_output(nodes_of(world, rope)[8], "position", state)[1]
    inside = [note for note in solver.verdict.notes if "inside the circle peg" in note]
    assert (middle < depth - 0.1) == (depth > 0.1) and len(inside) == (depth > 0.025)


def test_friction_of_what_has_just_touched() -> None:
    """A rope lies on a post.

    The points of the rope touch in the only load step and have no friction in this step. The full load is therefore
    solved again. After the second solve, the post carries the tension of Euler and Eytelwein, as with two load steps.
    """
    world = wl.World()
    rope = cable_along(
        world, helix((0, 0, 0), (0, 0, 1), 0.1, 0.5, pitch=0.0, strands=0.05), 16,
        mass_per_length=1.0, axial_stiffness=2e4, bending_stiffness=1e-4,
    )  # fmt: skip
    nodes = nodes_of(world, rope)
    world.add(con.Force, marker=con.position_marker(world, nodes[0]), vector=-100.0 * np.asarray(nodes[0].slope))
    con.hinge(world, nodes[16])
    con.fix(world, nodes[:16], "z")
    post = world.add(con.DrumSurface, marker=con.rigid_marker(world, world.add(Ground)), radius=0.095)
    contacts = con.add_surface_contact(
        world, post, rope, rope_radius=0.005, tension=100.0, radius=0.1, friction_coefficient=0.3
    )
    carried = 100.0 * (1.0 + np.exp(-0.3 * np.pi))
    for steps in (1, 2):
        solver = wl.Static(world, load_steps=steps, passes=wl.Passes(max_it=30), name="")
        force = wl.eval_output(contacts, "force", solver.solve()).sum(axis=0)
        assert abs(force[1] / carried - 1.0) < 1e-3
        assert solver.verdict.word == "ok"
    # passes end before friction has settled; with the default stability="follow", form-finding and smaller load steps
    # then lead to the correct force
    settings: dict[str, Any] = {"passes": wl.Passes(max_it=5, fail=False), "decide_in_newton": 0, "name": ""}
    solver = wl.Static(world, **settings)
    assert abs(wl.eval_output(contacts, "force", solver.solve()).sum(axis=0)[1] / carried - 1.0) < 1e-3
    assert solver.statistics.steps == 5 and solver.verdict.word == "ok"
    # without form-finding, friction has not settled
    solver = wl.Static(world, stability="check", **settings)
    force = wl.eval_output(contacts, "force", solver.solve()).sum(axis=0)
    assert abs(force[1] / carried - 1.0) > 0.1
    assert "have no friction yet: take more load steps" in solver.verdict.reasons[0]


@pytest.mark.parametrize("kind", ["fail", "warn", "off"])
def test_verdict_option(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    solver, start = driven_belt(throw=30.0, name="thrown")
    database, file = PETSc.Options(), tmp_path / "summary.json"
    database.setValue("verdict", kind)
    try:
        if kind == "fail":
            with pytest.raises(wl.DoubtfulError, match="result of thrown is doubtful"):
                solver.solve(start)
        else:
            solver.solve(start)
        database.setValue("summary", str(file))
        summary.write_summary({"x": 1.0})
    finally:
        for name in ("verdict", "summary"):
            database.delValue(name)
    assert ("doubtful result of thrown: windings around left" in capsys.readouterr().err) == (kind == "warn")
    last = json.loads(file.read_text())["verdicts"][-1]
    assert last["solve"] == "thrown" and last["verdict"] == ("ok" if kind == "off" else "doubtful")
