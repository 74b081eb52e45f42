"""Belts of `ALECable2D` on pulleys are compared with plain belts and with theory. In some cases the material runs
through a mesh at rest. Results on two processes are compared with results on one process.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from windlass.connectors import CoordinateLoad, belt_creep, coordinate_marker, pulley_report
from windlass.framework.errors import ModelError
from windlass.framework.state.evaluate import eval_output
from windlass.framework.state.state import State
from windlass.solvers.static import Static

from support.ale_belt import (
    EA,
    ELEMENTS,
    OMEGA,
    RADIUS,
    RHO,
    SEGMENTS,
    STRAIN,
    Drive,
    create_drive,
    create_motion,
    preload,
)
from support.processes import ROOT, run_python

BRISTLES = {"friction_stiffness_per_length": 1e7}


def split(model: Drive, state: State) -> tuple[Any, Any]:
    """Return the displacements of the nodes of the first belt and of the pulleys, and the history values by pair and
    type.
    """
    nodes = np.unique(model.world.dofs_of(model.belts[0])[:, :8])
    wheels = np.concatenate([model.world.dofs_of(pulley)[0] for pulley in model.pulleys])
    rows = state.data.reshape(2, len(model.belts), ELEMENTS, -1)[..., : 3 * SEGMENTS]
    return state.q[np.concatenate((nodes, wheels))], rows.reshape(*rows.shape[:3], 3, SEGMENTS)


def test_preload_and_motion_of_material_that_is_held_are_those_of_the_plain_belt() -> None:
    """If the material of an ALE belt with bristles and free nodes is fixed to the mesh (s = 0), preload and motion
    agree with the results of a plain belt.

    Displacements agree within the tolerance of Newton's method: 1e-9 m after the preload, and 1e-8 m after 60 steps.
    In both belts, the same segments stick.
    """
    results = []
    for moving in (True, False):
        model = create_drive((moving,), **BRISTLES)
        state = preload(model)
        still = split(model, state)
        model.world.set(model.mesh_holds[0], active=False)
        state = create_motion(model, 0.03, lag=False).solve(state)
        results.append((*still, *split(model, state)))
        reports = [pulley_report(model.world, state, model.contacts, pulley) for pulley in model.pulleys]
        assert all(report.segments_in_contact >= 15 for report in reports)
    assert np.abs(results[0][2]).max() > 0.01
    for k, tolerance in ((0, 1e-9), (1, 1e-9), (2, 1e-8), (3, 1e-8)):
        assert_allclose(results[0][k], results[1][k], rtol=0, atol=tolerance)
    assert np.array_equal(results[0][3][..., 1, :], results[1][3][..., 1, :])


def test_position_of_the_material_does_not_matter_without_friction() -> None:
    """The shape of a homogeneous belt without friction does not depend on the value s at which the material is
    fixed.
    """
    shapes = []
    for s in (0.0, 0.123):
        model = create_drive((True,))
        assert model.axial is not None and model.axial_hold is not None
        model.world.set(model.axial_hold, offset=s)
        state = preload(model)
        assert_allclose(eval_output(model.axial, "displacement", state), s, atol=1e-12)
        shapes.append(split(model, state)[0])
    assert_allclose(shapes[0], shapes[1], rtol=0, atol=1e-9)


@pytest.fixture(scope="module")
def running() -> tuple[Drive, State]:
    """Return a belt without load in its steady state. The material runs through a mesh at rest."""
    model = create_drive((True,))
    state = preload(model)
    assert model.axial_hold is not None
    model.world.set(model.axial_hold, active=False)
    return model, create_motion(model, 0.5, step=1e-3).solve(state)


def test_running_belt_does_not_slip_on_pulleys_without_load(running: tuple[Drive, State]) -> None:
    """Without load, both pulleys rotate with the same speed, s_t |r'| is the speed of the rims, no point slips, and the
    mesh is at rest.

    Segments are chords of the circle. The mean velocity of both ends of a segment is therefore smaller than the speed
    of the rim by the factor cos(φ/2) with the angle φ of the segment, which is a relative difference of 2e-3.
    """
    model, state = running
    assert model.axial is not None
    reports = [pulley_report(model.world, state, model.contacts, pulley) for pulley in model.pulleys]
    for pulley, report in zip(model.pulleys, reports, strict=True):
        assert_allclose(eval_output(pulley, "angular_velocity", state), -OMEGA, rtol=1e-5)
        assert report.segments_sticking == report.segments_in_contact == 2 * ELEMENTS * SEGMENTS // 8
        # the torque is almost 0, although friction could transmit 60 N m
        assert abs(report.torque) < 0.01
        # friction dissipates a little power, because bending causes slip velocities of some mm/s at the ends of the
        # arcs
        assert report.friction_power < 0.05
    tension = eval_output(model.belts[0], "axial_force", state, x=0.0)
    speed = float(eval_output(model.axial, "velocity", state)) * (1 + STRAIN + tension.mean() / EA)
    half = np.pi / (ELEMENTS // 2 * SEGMENTS // 2) / 2
    assert_allclose(speed * np.cos(half), OMEGA * RADIUS, rtol=1e-3)
    # the material runs, and the mesh is at rest
    assert float(eval_output(model.axial, "displacement", state)) > 0.9
    positions = model.world.dofs_of(model.belts[0])[:, :2]
    assert np.abs(state.v[positions]).max() < 5e-3 * speed  # the strands still oscillate


def test_running_belt_presses_less_by_the_centrifugal_force(running: tuple[Drive, State]) -> None:
    """In a running belt, the normal force on half a turn is reduced by the centrifugal force: the sum of f_n is pi (T -
    rhoA v^2), and the force on the shaft is 2 (T - rhoA v^2).
    """
    model, state = running
    tension = float(eval_output(model.belts[0], "axial_force", state, x=0.0).mean())
    material = eval_output(model.belts[0], "velocity", state, x=0.0)
    # the mass flow is rhoA s_t, and the speed of the material is s_t |r'|
    assert model.axial is not None
    momentum = RHO * float(eval_output(model.axial, "velocity", state)) * np.linalg.norm(material, axis=-1).mean()
    assert momentum > 0.01 * tension
    for pulley in model.pulleys:
        report = pulley_report(model.world, state, model.contacts, pulley)
        assert_allclose(report.normal_force, np.pi * (tension - momentum), rtol=4e-3)
        assert abs(report.normal_force - np.pi * tension) > 2 * abs(report.normal_force - np.pi * (tension - momentum))


def test_both_kinds_on_the_same_pulleys() -> None:
    """A plain belt and an ALE belt at the same position, with contacts in the same table, have the same motion while
    the material is fixed to the mesh.

    The report of a pulley is possible only for contacts with cables of one type. Contacts with both types cause an
    error.
    """
    model = create_drive((True, False), **BRISTLES)
    state = preload(model)
    for hold in model.mesh_holds:
        model.world.set(hold, active=False)
    state = create_motion(model, 0.02, lag=False).solve(state)
    moving, plain = (state.q[model.world.dofs_of(belt)[:, :8]] for belt in model.belts)
    assert np.abs(plain).max() > 1e-3
    assert_allclose(moving, plain, rtol=0, atol=1e-9)
    data = split(model, state)[1]
    assert_allclose(data[:, 0], data[:, 1], rtol=0, atol=1e-9)
    assert np.any(data[:, 0, :, 1] == 0.0)
    with pytest.raises(ModelError, match="touches cables of 2 kinds: must be of one kind"):
        pulley_report(model.world, state, model.contacts, model.pulleys[0])


def test_both_kinds_move_on_with_the_pulleys() -> None:
    """A plain belt, and an ALE belt with free material and a fixed mesh, transmit equal torques between the pulleys."""
    model = create_drive((True, False))
    state = preload(model)
    assert model.axial is not None and model.axial_hold is not None
    model.world.set(model.axial_hold, active=False)
    model.world.set(model.mesh_holds[1], active=False)
    state = create_motion(model, 0.15).solve(state)
    speed = float(eval_output(model.axial, "velocity", state))
    velocity = eval_output(model.belts[1], "velocity", state, x=0.0)
    assert_allclose(np.linalg.norm(velocity, axis=-1).mean(), speed, rtol=0.01)
    assert_allclose(eval_output(model.pulleys[1], "angular_velocity", state), -OMEGA, rtol=0.01)


def run_loaded(**contact: Any) -> tuple[float, Any]:
    """Return the mean speed loss [1] over 0.3 s of a belt of 64 elements under a torque of 25 N m, and states at the
    end.
    """
    model = create_drive((True,), elements=64, **contact)
    spin = coordinate_marker(model.world, model.pulleys[1], "rotation")
    model.world.add(CoordinateLoad, marker=spin, function=lambda t: 25.0 * min(max((t - 0.05) / 0.1, 0.0), 1.0))
    state = preload(model)
    assert model.axial_hold is not None
    model.world.set(model.axial_hold, active=False)
    angles = []
    for now in create_motion(model, 0.9, step=1e-3).march(state):
        state = now
        angles.append(float(eval_output(model.pulleys[1], "rotation", now)))
    # the motion of the driver is prescribed
    loss = 1 + (angles[-1] - angles[-301]) / (0.3 * OMEGA)
    return loss, eval_output(model.contacts, "state", state).reshape(2, -1)


def test_bristles_in_lasting_motion_over_a_mesh_at_rest() -> None:
    """The creep of material that runs through a mesh of 64 elements at rest agrees within 6 % with the theoretical
    creep of 0.629 %, if bristles refer to current lengths.

    The slip arcs agree with the angle of the theory within three segments (of 64 on both arcs). If bristles refer to
    reference lengths, the belt does not creep, because sticking is then measured in unstretched length. Without
    bristles, friction is a velocity penalty of 1e5 N s/m². The sticking arcs then slip slightly, and the creep is 1.5
    times as large.
    """
    theory = belt_creep(
        axial_stiffness=EA, reference_strain=STRAIN, mass_per_length=RHO, length=0.4 * np.pi, distance=0.1 * np.pi,
        radius=RADIUS, driver_speed=OMEGA, torque=25.0, friction_coefficient=0.4, contact_stiffness_per_length=4e8,
    )  # fmt: skip
    loss, states = run_loaded(friction_velocity_penalty_per_length=1e4, **BRISTLES)
    assert_allclose(loss, theory.speed_loss, rtol=0.06)
    slip = (np.abs(states) == 1.0).sum(axis=1)
    assert_allclose(slip, theory.slip_angle / np.pi * 32, atol=3.5)
    assert abs(run_loaded(sticking_length="reference", **BRISTLES)[0]) < 0.05 * theory.speed_loss
    assert run_loaded()[0] > 1.4 * theory.speed_loss


def test_axial_motion_that_nothing_holds_is_named() -> None:
    """A closed belt without friction causes an error in statics, because the first tangent is singular with respect to
    s.
    """
    model = create_drive((True,))
    assert model.axial_hold is not None
    model.world.set(model.axial_hold, active=False)
    with pytest.raises(ModelError, match="ALENode 0, s"):
        Static(model.world, name="").solve()


@pytest.mark.mpi
def test_two_processes(tmp_path: Path) -> None:
    """Results on one and two processes agree within 1e-8 of the largest value. The run has 100 steps of acceleration,
    friction on whole cables, and a brake.
    """
    results = []
    for processes in (1, 2):
        path = tmp_path / f"belt{processes}.npz"
        done = run_python([ROOT / "tests/support/parallel_ale_belt.py", path], processes)
        assert done.returncode == 0, done.stderr
        results.append(np.load(path))
    serial, parallel = results
    assert np.abs(serial["q"]).max() > 0.1 and serial["power"].min() > 1e-3
    for name in ("q", "v", "lam", "data", "power"):
        scale = max(1.0, np.abs(serial[name]).max())
        assert_allclose(parallel[name], serial[name], atol=1e-8 * scale, rtol=0, err_msg=name)
