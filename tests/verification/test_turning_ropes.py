"""Tests of friction that rotates ropes about their axis: ropes that roll, slip and spin on planes and drums, and
grooves that twist a rope.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass import connectors as con
from windlass.elements import Ground, nodes_of, straight_cable

from support.parallel_turning import run_rope
from support.processes import ROOT, run_python
from support.turning_ropes import (
    CONTACT,
    INERTIA,
    LENGTH,
    LOAD,
    MASS,
    RADIUS,
    REEVED,
    ROD,
    SHEAVE,
    STIFFNESS,
    WEIGHT,
    Lying,
    create_lying,
    create_on_drum,
    create_reeved_block,
    run_lying,
    run_over_sheave,
)

LAW = "ContactFrictionSurfaceTwistCable"


def read_motion(model: Lying, state: Any) -> tuple[Any, Any]:
    """Return the velocities [m/s] of a rope along y, and its angular velocities [rad/s] about the axis."""
    speed = wl.eval_output(model.rope, "velocity", state)[:, 1]
    return speed, wl.eval_output(model.nodes, "angular_velocity", state)[:, 0]


def test_rope_that_rolls_under_a_side_force() -> None:
    """A rope on a plane under a side force F rolls with the acceleration F/(m + J/r²), without loss of energy."""
    force, time, model = 4.0, 0.5, create_lying(0.3, 4.0, friction_velocity_penalty_per_length=50.0)
    state, energy = run_lying(model, time)
    speed, spin = read_motion(model, state)
    theory = force / (MASS + INERTIA / RADIUS**2) * time
    assert_allclose(speed, theory, rtol=1e-3)
    assert_allclose(spin, -theory / RADIUS, rtol=2e-3)
    moved = wl.eval_output(model.nodes, "displacement", state)[:, 1]
    assert_allclose(moved, 0.5 * theory * time, rtol=1e-3)
    assert_allclose(wl.eval_output(model.nodes, "twist", state), -moved / RADIUS, rtol=1e-4)
    # the friction force J a/r² acts at the distance r from the axis
    torque = wl.eval_output(model.contacts, "axis_torque", state)
    assert_allclose(torque.sum(), -INERTIA * theory / time / RADIUS, rtol=0.05)
    assert (wl.eval_output(model.contacts, "state", state) == 0.0).all()
    assert abs(energy["rest"]) < 1e-6 * energy["LineLoad"] and energy[f"{LAW}.sliding"] == 0.0


def test_rope_that_slips_under_a_side_force() -> None:
    """If F > mu m g (1 + m r²/J), the rope slips. Its acceleration is F/m - mu g, and its angular acceleration is mu m
    g r/J.
    """
    force, mu, time = 16.0, 0.1, 0.3
    assert force > mu * WEIGHT * (1.0 + MASS * RADIUS**2 / INERTIA)
    model = create_lying(mu, force)
    state, energy = run_lying(model, time)
    speed, spin = read_motion(model, state)
    assert_allclose(speed, (force / MASS - mu * 9.81) * time, rtol=1e-3)
    assert_allclose(spin, -mu * WEIGHT * RADIUS / INERTIA * time, rtol=4e-3)
    slip = force / MASS - mu * 9.81 - mu * WEIGHT * RADIUS**2 / INERTIA
    assert_allclose(energy[f"{LAW}.sliding"], mu * WEIGHT * 0.5 * slip * time**2, rtol=0.01)
    assert abs(energy["rest"]) < 1e-6 * energy["LineLoad"]


def test_spinning_rope_begins_to_roll() -> None:
    """A rope that is placed on a plane with the angular velocity ω slips until it rolls with the angular velocity ω/(1
    + m r²/J). The loss of energy is J ω²/2 / (1 + J/(m r²)).
    """
    spin, model = 100.0, create_lying(0.1)
    state, energy = run_lying(model, 0.9, spin)
    speed, found = read_motion(model, state)
    share = 1.0 / (1.0 + MASS * RADIUS**2 / INERTIA)
    assert_allclose(found, share * spin, rtol=3e-3)
    assert_allclose(speed, -share * spin * RADIUS, rtol=3e-3)
    lost = 0.5 * INERTIA * spin**2 * (1.0 - share)
    assert_allclose(energy[f"{LAW}.sliding"], lost, rtol=1e-3)
    assert abs(energy["rest"]) < 1e-6 * lost


def test_spinning_rope_stops_by_a_constant_torque() -> None:
    """If the sideways motion of a spinning rope is prevented, the angular velocity decreases with mu m g r/J until the
    rope stops.
    """
    spin, mu, model = 100.0, 0.1, create_lying(0.1)
    for k in range(3):
        con.fix(model.world, model.nodes[k], "y", "y'")
    start, series = (
        wl.State(model.world),
        wl.Sensors(None, [wl.Sensor(model.nodes, "angular_velocity", name="spin")], every=1),
    )
    start.v[start.local_dofs(model.nodes)[:, 6]] = spin
    state = wl.Dynamic(model.world, step=1e-3, end=1.1, name="").solve(start, hooks=[series])
    time = np.asarray(series.times)
    found = np.asarray(series["spin"]).reshape(len(time), 3, 3)[:, :, 0]
    stop = INERTIA * spin / (mu * WEIGHT * RADIUS)
    assert stop < 1.05
    theory = np.maximum(spin * (1.0 - time / stop), 0.0)
    assert np.abs(found - theory[:, None]).max() < 0.01 * spin
    # after the stop, the rope does not rotate backwards, except for the oscillation on the bristles
    assert abs(wl.eval_output(model.nodes, "angular_velocity", state)[:, 0]).max() < 1e-3 * spin


def roll_around(steps: int, friction: float = 0.3) -> tuple[Any, Any]:
    """Move a rope, which is parallel to the axis of a drum, around a quarter of the drum. Return the rotation [rad] of
    the rope and its torques [N m].
    """
    depth, drum = 1e-4, 0.3
    middle, world = drum + RADIUS - depth, wl.World()
    rope = straight_cable(world, (middle, 0.0, 0.0), (middle, 0.0, 0.4), 2, **ROD)
    surface = world.add(con.DrumSurface, marker=con.rigid_marker(world, world.add(Ground)), radius=drum, half_width=1.0)
    contacts = con.add_surface_contact(world, surface, rope, friction_coefficient=friction, **CONTACT)
    nodes = nodes_of(world, rope)
    for k in range(3):
        con.prescribe(world, nodes[k], "x", lambda t: middle * (np.cos(0.5 * np.pi * t) - 1.0))
        con.prescribe(world, nodes[k], "y", lambda t: middle * np.sin(0.5 * np.pi * t))
        con.fix(world, nodes[k], "z", "x'", "y'")
    solver = wl.Static(world, name="")
    state = solver.solve()
    for i in range(1, steps + 1):
        solver.time = i / steps
        state = solver.solve(state)
    turned = wl.eval_output(nodes, "twist", state) / (0.5 * np.pi * middle / RADIUS) - 1.0
    return turned, wl.eval_output(contacts, "axis_torque", state)


def test_rope_that_rolls_around_a_drum() -> None:
    """A rope that is parallel to the axis of a drum is moved around the drum. The rope rotates by (R + r)/r times the
    angle, without torque. The relative error is ψ²/6 for steps of the angle ψ, because the direction of motion changes
    within a step.
    """
    for steps in (10, 20):
        turned, torque = roll_around(steps)
        assert_allclose(turned, -((0.5 * np.pi / steps) ** 2) / 6.0, rtol=0.01)
        assert_allclose(torque, 0.0, atol=1e-10)


@pytest.mark.parametrize("ends", ["free", "held"])
def test_rope_that_is_dragged_along_a_drum(ends: str) -> None:
    """A rope that lies across a drum is dragged along the axis of the drum. If its ends can rotate, the rope rolls
    without force. If its ends are fixed, the torque increases to mu N r, half of which acts on each end.
    """
    mu, press, drum, world = 0.2, 50.0, 0.3, wl.World()
    height = drum + RADIUS - 1e-4
    rope = straight_cable(world, (-0.1, 0.0, height), (0.1, 0.0, height), 8, **ROD)
    nodes = nodes_of(world, rope)
    surface = world.add(
        con.DrumSurface, marker=con.rigid_marker(world, world.add(Ground)), axis=(0.0, 1.0, 0.0), radius=drum
    )
    stiff = {"contact_stiffness_per_length": 1e8, "friction_stiffness_per_length": 1e8, "points": 8}
    contacts = con.add_surface_contact(world, surface, rope, friction_coefficient=mu, **{**CONTACT, **stiff})
    for k in range(9):
        con.prescribe(world, nodes[k], "y", lambda t: 0.05 * max(t - 1.0, 0.0))
        con.fix(world, nodes[k], "y'")
    for end in (nodes[0], nodes[8]):
        con.fix(world, end, "x") if end.row == nodes[0].row else None
        world.add(con.Force, marker=con.position_marker(world, end), vector=(0.0, 0.0, -0.5 * press))
        if ends == "held":
            con.fix(world, end, "twist")
    solver = wl.Static(world, name="", load_steps=4, passes=wl.Passes(max_it=40))
    solver.time = 1.0
    state, solver = solver.solve(), wl.Static(world, name="")
    for i in range(1, 11):
        solver.time = 1.0 + 0.1 * i
        state = solver.solve(state)
    torque = wl.eval_output(contacts, "axis_torque", state).sum()
    normal = -wl.eval_output(contacts, "normal_force", state).sum()
    twist = wl.eval_output(nodes, "twist", state)
    if ends == "free":
        assert_allclose(twist, -0.05 / RADIUS, rtol=2e-3)
        assert abs(torque) < 1e-6
    else:
        assert_allclose(normal, press, rtol=1e-3)
        # a small part of the friction acts along the rope
        assert_allclose(torque, -mu * normal * RADIUS, rtol=1e-4)
        along = wl.eval_output(rope, "torque", state)
        assert_allclose(along[[0, -1]], (0.5 * torque, -0.5 * torque), rtol=0.02)
        assert (twist[1:-1] < 0.0).all()


def test_torque_of_a_rope_on_a_turning_drum() -> None:
    """A rope along a helix is fixed at its ends, and the drum below the rope rotates. The friction across the rope
    twists the rope: the difference of the torques at both ends is the sum of the torques of the contact. The torque on
    the drum about its axis includes these torques.
    """
    model = create_on_drum(0.1)
    solver = wl.Static(model.world, load_steps=5, passes=wl.Passes(max_it=30), name="")
    state, solver = solver.solve(), wl.Static(model.world, passes=wl.Passes(max_it=30), name="")
    for time in (0.1, 0.2, 0.3):
        solver.time = time
        state = solver.solve(state)
    torque, along = (
        wl.eval_output(one, name, state) for one, name in ((model.contacts, "axis_torque"), (model.rope, "torque"))
    )
    assert abs(torque.sum()) > 1e-3
    assert_allclose(along[0] - along[-1], torque.sum(), rtol=1e-4)
    # compute the moment of all contact forces about z, including the torques about the axis of the rope
    force = wl.eval_output(model.contacts, "friction_force", state) - (
        wl.eval_output(model.contacts, "normal_force", state)[..., None]
        * wl.eval_output(model.contacts, "normal", state)
    )
    arm = wl.eval_output(model.contacts, "contact_position", state)
    turned = wl.eval_output(model.contacts, "axis_torque_vector", state)
    moment = (np.cross(arm, force) + turned).sum(axis=(0, 1))
    report = con.surface_report(model.world, state, model.contacts, model.world.entity(int(model.contacts.surface[0])))
    assert_allclose(report.torque, -moment[2], rtol=1e-9)
    assert abs(turned.sum(axis=(0, 1))[2]) > 1e-5 * abs(moment[2])


def test_fleet_angle_twists_a_rope() -> None:
    """A rope that enters a groove at a fleet angle rolls down the flank. Its free end rotates in the direction of
    rolling, by a larger angle for a larger fleet angle. The mirrored rope rotates in the opposite direction by the same
    angle.

    The rotation is smaller than the rotation tan(angle)/r per length of a rope that rolls without slip and without
    torque, because friction limits the torque.
    """
    runs = {angle: run_over_sheave(np.radians(angle)) for angle in (1.0, 2.0, 3.0, 4.0, -2.0, -4.0)}
    for angle, run in runs.items():
        assert run.verdict.word == "ok"
        # the axis of the rope is z, and the rope moves from y < 0 to y > 0 on a flank with the normal y
        assert (run.turned * angle < 0.0).all() and (np.diff(run.turned) * angle < 0.0).all()
        # the rotation of the free end twists the rope in the groove
        assert (run.torque[2:] * angle > 0.0).all() and (np.diff(np.abs(run.torque)) > 0.0).all()
        rolls = np.tan(np.radians(angle)) / 0.005 * 2.0 * np.pi * 0.105 * 0.1
        assert abs(run.turned[-1]) < 0.8 * abs(rolls)
    turned, torque = (np.abs([getattr(runs[angle], name)[-1] for angle in (1.0, 2.0, 3.0, 4.0)])
                      for name in ("turned", "torque"))  # fmt: skip
    assert (np.diff(turned) > 0.0).all() and (np.diff(torque) > 0.0).all() and turned[3] > 1.5 * turned[0]
    for angle in (2.0, 4.0):
        assert_allclose(runs[-angle].turned, -runs[angle].turned, rtol=0.02)
        assert_allclose(runs[-angle].torque, -runs[angle].torque, rtol=0.01)


def test_friction_limits_the_torque_at_a_fleet_angle() -> None:
    """Where a rope settles in its groove, it slides across the groove, and the friction per length is μ T/R whatever
    the speed of sliding. The torque is therefore proportional to μ, and much less than proportional to the fleet angle.
    The rope in the groove keeps its torque M, so its free end rotates by M/GJ per length.
    """
    runs = {
        case: run_over_sheave(np.radians(case[0]), turn=0.15, steps=15, friction=case[1])
        for case in ((2.0, 0.05), (2.0, 0.1), (4.0, 0.1))
    }
    torques = {case: run.torque[-1] for case, run in runs.items()}
    assert_allclose(torques[2.0, 0.1], 2.0 * torques[2.0, 0.05], rtol=0.03)
    assert torques[2.0, 0.1] < torques[4.0, 0.1] < 1.2 * torques[2.0, 0.1]
    for mu in (0.05, 0.1):
        turned = runs[2.0, mu].turned
        rate = (turned[-1] - turned[-6]) / (2.0 * np.pi * 0.105 * 0.05)
        assert_allclose(rate, -torques[2.0, mu] / 0.3, rtol=0.05)


def find_block_moment(angle: Any, on_sheave: float) -> tuple[Any, Any]:
    """Return the restoring moment [N m] of two falls of a rope on a block, and the torque [N m] of the rope. The
    argument ``on_sheave`` is the length [m] of the rope on the sheave that rotates about its axis like the rope in the
    falls.

    If the block rotates by an angle, both ends of the arc on its sheave rotate by this angle, so the twist of the rope
    is reduced by twice the angle.
    """
    EA, GJ, C = (REEVED[name] for name in ("axial_stiffness", "torsional_stiffness", "coupling"))
    h = np.sqrt(LENGTH**2 - 2.0 * SHEAVE**2 * (1.0 - np.cos(angle)))
    torque = C / EA * 0.5 * LOAD * LENGTH / h - (GJ - C**2 / EA) * 2.0 * angle / (2.0 * LENGTH + on_sheave)
    return LOAD * SHEAVE**2 * np.sin(angle) / h - 2.0 * torque * h / LENGTH, torque


def find_rest(angles: Any, moments: Any) -> float:
    """Return the angle [rad] at which the moment is 0."""
    return float(np.interp(0.0, moments, angles))


def test_hook_block_on_two_falls_of_a_reeved_rope() -> None:
    """A hook block hangs on two falls of a rope that runs around the sheave of the block. The block comes to rest at
    the theoretical angle. Without friction, the torques in the falls and on the sheave are equal.

    With friction, the rope on the sheave rotates less about its axis, and its torque decreases less than the torque in
    the falls. The angle of rest lies between two bounds: the angle for a rope that rotates freely on the sheave, and
    the angle for a rope that does not rotate on the sheave.
    """
    angles, arc = np.linspace(0.0, 0.08, 5), np.pi * SHEAVE
    free, held = (find_rest(angles, find_block_moment(angles, length)[0]) for length in (arc, 0.0))
    moments, torques = create_reeved_block(0.0).turn(angles)
    assert_allclose(find_rest(angles, moments), free, rtol=0.005)
    assert_allclose(torques[:, 0], torques[:, 1], rtol=1e-9)
    # the rope moves sideways in the groove by a part of the clearance
    assert_allclose(torques[:, 0], find_block_moment(angles, arc)[1], rtol=0.01)
    moments, torques = create_reeved_block(1.0).turn(angles)
    assert held < find_rest(angles, moments) < 0.97 * free
    changes = torques[-1] - torques[0]
    assert (changes < 0.0).all() and changes[1] > 0.7 * changes[0]


def test_ropes_that_pulleys_turn() -> None:
    """With ``turns_rope``, `wl.Rope` adds a contact whose friction rotates the rope, and sets the inertia of a solid
    round rope by default.
    """
    model = create_reeved_block(0.3)
    assert model.rope.contacts.table.kind == LAW
    scale = 1.0 + model.rope.strain
    assert_allclose(model.rope.cables.rotary_inertia, 0.5 * 1e-3 * 0.006**2 / scale, rtol=1e-12)
    assert create_reeved_block(0.0).rope.contacts.table.kind == "ContactFrictionSurfaceCable"


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"torsional_stiffness": 1.0}, "cord_offset = 0 m and torsional_stiffness given: must have cord_offset > 0 m"),
        ({"cord_offset": 0.01}, r"torsional_stiffness missing: must have cord_offset > 0 m, .* \[N m\^2\]"),
    ],
)
def test_wrong_ropes_that_pulleys_turn(columns: Any, message: str) -> None:
    world = wl.World()
    pulley = wl.Pulley(world.add(Ground), 0.1, axis=(0, 1, 0))
    with pytest.raises(wl.ModelError, match=message):
        wl.Rope(
            world, [pulley], start=(-0.1, 0, -1), end=(0.1, 0, -1), axial_stiffness=1e5, mass_per_length=0.1,
            tension=10.0, turns_rope=True, **columns,
        )  # fmt: skip


def test_flat_ropes_do_not_turn() -> None:
    world = wl.World()
    with pytest.raises(wl.ModelError, match="turns_rope of 'rope': must be a 3D rope, with a pulley that has an axis"):
        wl.Rope(
            world, [wl.Pulley(world.add(Ground), 0.1)], start=(-0.1, -1), end=(0.1, -1), axial_stiffness=1e5,
            mass_per_length=0.1, tension=10.0, turns_rope=True, torsional_stiffness=1.0, cord_offset=0.01,
        )  # fmt: skip


@pytest.mark.parametrize("turns", [False, True])
@pytest.mark.parametrize("bristles", [STIFFNESS, 0.0])
def test_rope_that_slides_from_the_start(turns: bool, bristles: float) -> None:
    """If a rope slides sideways at the start, the friction force mu N acts in the initial accelerations and in every
    step, for every damping coefficient. The speed decreases by mu g t.
    """
    mu, time = 0.1, 0.01
    columns = {"friction_stiffness_per_length": bristles, "friction_velocity_penalty_per_length": 500.0}
    model = create_lying(mu, turns_rope=turns, **columns)
    for k in range(3):
        # this constraint prevents the rope from rolling
        con.fix(model.world, model.nodes[k], "twist")
    start = wl.State(model.world)
    start.v[start.local_dofs(model.nodes)[:, 1]] = 1.0
    solver, ledger = wl.Dynamic(model.world, step=1e-4, end=time, name=""), wl.EnergyLedger()
    solver.prepare_start(start)
    assert (wl.eval_output(model.contacts, "state", start) == 1.0).all()
    assert_allclose(wl.eval_output(model.contacts, "friction", start).sum(), mu * WEIGHT, rtol=1e-9)
    state = solver.solve(start, hooks=[ledger])
    speed = wl.eval_output(model.rope, "velocity", state)[:, 1]
    assert_allclose(1.0 - speed, mu * 9.81 * time, rtol=0.02)
    assert abs(ledger.totals["rest"]) < 1e-6


def test_restart(tmp_path: Path) -> None:
    """A run that continues from a file is bit-identical to an uninterrupted run."""
    model = create_lying(0.1, 16.0)
    whole = wl.Dynamic(model.world, step=1e-3, end=0.06, name="", lag=False).solve(wl.State(model.world))
    half = wl.Dynamic(model.world, step=1e-3, end=0.03, name="", lag=False).solve(wl.State(model.world))
    half.save(tmp_path / "half.npz")
    again = wl.State(model.world).load(tmp_path / "half.npz")
    last = next(
        iter(reversed(list(wl.Dynamic(model.world, step=1e-3, end=0.06, name="", lag=False).march(again, resume=True))))
    )
    assert (last.q == whole.q).all() and (last.v == whole.v).all() and (last.data == whole.data).all()


@pytest.mark.mpi
def test_two_processes(tmp_path: Path) -> None:
    """A rope is dragged over drums. Coordinates and torques of runs on one and two processes agree."""
    done = run_python([ROOT / "tests/support/parallel_turning.py", tmp_path / "rope.npz", "-quiet"], 2)
    assert done.returncode == 0, done.stderr
    serial, found = run_rope(), np.load(tmp_path / "rope.npz")
    assert all(np.abs(serial[f"{which} axis_torque"]).max() > 1e-4 for which in ("fixed", "searched"))
    for name, values in serial.items():
        # the friction of the ribbon, which hardly moves, is 1e-6 of its normal force
        size = np.abs(serial["ribbon normal_force"] if name == "ribbon friction_force" else values).max()
        assert_allclose(found[name], values, rtol=0, atol=1e-8 * size, err_msg=name)


def test_searched_surfaces_as_fixed_surfaces() -> None:
    """Results with a search for near surfaces equal results with one row for each pair of cable and surface."""
    found = []
    for touching in (None, 1):
        model = create_lying(0.3, 4.0, touching=touching)
        state, energy = run_lying(model, 0.05)
        name = "ContactFrictionSurfaceTwistCable" if touching is None else "ContactFrictionSurfaceSetTwistCable"
        assert model.contacts.table.kind == name and abs(energy["rest"]) < 1e-6
        found.append(np.concatenate((state.q, wl.eval_output(model.contacts, "axis_torque", state).ravel())))
    assert_allclose(found[1], found[0], rtol=1e-12, atol=1e-15)


def test_too_large_steps_are_doubtful() -> None:
    """If a rope rotates by more than 2 rad in the last step, the result is doubtful."""
    for spin, fits in ((1900.0, True), (2300.0, False)):
        model, start = create_lying(0.01), wl.State
        state = start(model.world)
        state.v[state.local_dofs(model.nodes)[:, 6]] = spin
        solver = wl.Dynamic(model.world, step=1e-3, end=3e-3, name="", adaptive=False, resolve_contacts=False)
        solver.solve(state)
        assert fits == ("relative to its surface in the last step: must be < 2 rad" not in str(solver.verdict.reasons))


def test_friction_at_the_axis_is_the_default() -> None:
    """Without ``turns_rope``, friction acts at the axis, so the rope slides sideways and does not spin."""
    model = create_lying(0.1, 16.0, turns_rope=False)
    state, _ = run_lying(model, 0.05)
    assert_allclose(wl.eval_output(model.nodes, "twist", state), 0.0, atol=1e-6)
    assert_allclose(read_motion(model, state)[0], (16.0 / MASS - 0.1 * 9.81) * 0.05, rtol=0.05)
