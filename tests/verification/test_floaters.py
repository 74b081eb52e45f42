"""Motions of floaters by Cummins' equation in the time domain are compared with the frequency domain and with SciPy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.linalg import block_diag, expm

import windlass as wl
from windlass import connectors as con
from windlass.elements import Ground, MassPoint, RigidBody3D
from windlass.framework.arrays import FloatArray
from windlass.framework.model.table import Entity

MASS, RHO, G = 2.0e6, 1025.0, 9.81
INERTIA = np.diag([1.2e9, 1.3e9, 2.0e8])
CENTER = -8.0
ADDED = np.diag([1.4e6, 1.5e6, 8e5, 5e8, 6e8, 1e8])
ADDED[0, 4] = ADDED[4, 0] = -4e6
STIFFNESS = np.diag([2e4, 3e4, 1.5e6, 2e8, 2.2e8, 1e7])
DAMPING = np.diag([5e4, 6e4, 1.5e5, 2e7, 2e7, 1e7])


def create_radiation() -> con.Radiation:
    """Return six states: damped oscillators for surge, heave and pitch."""
    blocks, Q, R = [], np.zeros((6, 6)), np.zeros((6, 6))
    for n, (freedom, decay, omega, size) in enumerate(((0, 0.3, 0.6, 4e5), (2, 0.25, 0.5, 6e5), (4, 0.35, 0.7, 1.5e8))):
        blocks.append(np.array([[-decay, omega], [-omega, -decay]]))
        Q[2 * n, freedom], R[freedom, 2 * n] = 1.0, size
    return con.Radiation(block_diag(*blocks), Q, R)


RADIATION = create_radiation()
FORCES = np.array([[[1.1e6, 0.0, 2.0e6 * np.exp(0.3j), 0.0, 3.0e7 * np.exp(-1.2j), 0.0]]])


def create(
    waves: dict[str, Any], position: Any = (0.0, 0.0, 0.0), **parts: Any
) -> tuple[wl.World, Entity, con.Floater]:
    """Create a floater at rest."""
    world = wl.World(gravity=(0.0, 0.0, -G))
    body = world.add(
        RigidBody3D, position=(0.0, 0.0, 0.0), displacement=(*position, 0.0, 0.0, 0.0, 0.0), mass=MASS, inertia=INERTIA,
        center_of_mass=(0.0, 0.0, CENTER),
    )  # fmt: skip
    sea = world.add(con.Fluid, density=RHO, depth=320.0, **waves)
    given = {"added_mass": ADDED, "stiffness": STIFFNESS, "volume": MASS / RHO, "damping": DAMPING}
    if waves:
        given["excitation"] = con.RAO([0.5], [0.0], np.abs(FORCES), np.angle(FORCES))
    return world, body, con.floater(world, body, sea, **{**given, "radiation": RADIATION, **parts})


def linear_matrices() -> tuple[FloatArray, FloatArray]:
    """Return inertia and stiffness of the floater with its weight about its node."""
    arm = MASS * CENTER
    body = np.zeros((6, 6))
    body[:3, :3] = MASS * np.eye(3)
    body[3:, 3:] = INERTIA + MASS * CENTER**2 * np.diag([1.0, 1.0, 0.0])
    body[0, 4] = body[4, 0] = arm
    body[1, 3] = body[3, 1] = -arm
    return body + ADDED, STIFFNESS - np.diag([0.0, 0.0, 0.0, arm * G, arm * G, 0.0])


def eval_amplitudes(omega: float, count: int) -> NDArray[np.complex128]:
    """Return complex amplitudes of surge, heave and pitch in a regular wave, with ``count`` steps in a period."""
    wave = {"wave_amplitudes": (0.01,), "wave_frequencies": (omega,), "wave_directions": (0.0,), "wave_phases": (0.0,)}
    world, body, _ = create({**wave, "wave_growth": 20.0})
    period = 2.0 * np.pi / omega
    path = wl.Sensors(None, [wl.Sensor(body, "position", name="p"), wl.Sensor(body, "rotation", name="A")])
    cycles = int(np.ceil(260.0 / period))
    wl.Dynamic(world, step=period / count, end=cycles * period, name="").solve(hooks=[path])
    t = path.times[-count:]
    motion = np.column_stack((path["p"][-count:, 0], path["p"][-count:, 2], path["A"][-count:, 0, 2]))
    return np.asarray(2.0 / count * (motion * np.exp(1j * omega * t)[:, None]).sum(axis=0))


@pytest.mark.parametrize("omega", [0.4, 0.7, 1.1])
def test_frequency_response(omega: float) -> None:
    """In a small regular wave, surge, heave and pitch have the amplitudes and phases of the solution in the frequency
    domain. The error of the integrator, which is proportional to the square of the step, is removed by extrapolation
    from two steps.
    """
    found = (4.0 * eval_amplitudes(omega, 80) - eval_amplitudes(omega, 40)) / 3.0
    M, K = linear_matrices()
    k = RADIATION.force_matrix @ np.linalg.solve(
        -1j * omega * np.eye(6) - RADIATION.system_matrix, RADIATION.rate_matrix
    )
    exact = np.linalg.solve(-(omega**2) * M - 1j * omega * (DAMPING + k) + K, 0.01 * FORCES[0, 0])[[0, 2, 4]]
    assert (np.abs(found - exact) < 1e-3 * np.abs(exact)).all()


def test_impulse_response() -> None:
    """After a push, the motion of the floater agrees with the linear equations of motion, which contain first-order
    states.
    """
    world, body, parts = create({})
    state = wl.State(world)
    state.put(body, [0.01, 0.0, 0.02, 0.0, 0.0, 5e-5, 0.0], "v")
    path = wl.Sensors(None, [wl.Sensor(body, "position", name="p"), wl.Sensor(body, "rotation", name="A")])
    wl.Dynamic(world, step=0.05, end=40.0, name="").solve(state, hooks=[path])
    M, K = linear_matrices()
    A = np.zeros((18, 18))
    A[:6, 6:12] = np.eye(6)
    A[6:12] = np.linalg.solve(M, np.hstack((-K, -DAMPING, -RADIATION.force_matrix)))
    A[12:, 6:12], A[12:, 12:] = RADIATION.rate_matrix, RADIATION.system_matrix
    step, y = expm(0.05 * A), np.zeros(18)
    y[[6, 8, 10]] = 0.01, 0.02, 1e-4
    exact = [y]
    for _ in range(800):
        exact.append(step @ exact[-1])
    motion = np.column_stack((path["p"][:, 0], path["p"][:, 2], path["A"][:, 0, 2]))
    expected = np.array(exact)[:, [0, 2, 4]]
    assert (np.abs(motion - expected).max(axis=0) < 1e-3 * np.abs(expected).max(axis=0)).all()
    assert parts.states is not None and len(parts.states) == 1 and parts.excitation is None


def test_surge_decay_on_three_lines() -> None:
    """The decay of surge on three elastic lines agrees with SciPy's solution of the same equations."""
    alone = np.diag([0.0, *np.diag(STIFFNESS)[1:]])
    plain = np.diag(np.diag(ADDED))
    world, body, _ = create({}, (8.0, 0.0, 0.0), stiffness=alone, added_mass=plain)
    ground = world.add(Ground)
    middle = con.position_marker(world, body, (0.0, 0.0, CENTER))
    angles = np.radians([0.0, 120.0, 240.0])
    anchors = 400.0 * np.column_stack((np.cos(angles), np.sin(angles)))
    for anchor in anchors:
        at = con.position_marker(world, ground, (*anchor, CENTER))
        world.add(con.SpringDamper, marker0=at, marker1=middle, rest_length=385.0, stiffness=3e4)
    # pitch is fixed, so that surge is the only motion
    con.fix(world, body, "e1", "e2", "e3")
    path = wl.Sensors(None, [wl.Sensor(body, "position", name="p")])
    wl.Dynamic(world, step=0.1, end=200.0, name="").solve(hooks=[path])

    def rates(t: float, y: FloatArray) -> FloatArray:
        span = np.array([y[0], 0.0]) - anchors
        length = np.linalg.norm(span, axis=1)
        pull = (3e4 * (length - 385.0) / length * span[:, 0]).sum()
        force = -pull - DAMPING[0, 0] * y[1] - RADIATION.force_matrix[0] @ y[2:]
        return np.concatenate(
            ([y[1], force / (MASS + ADDED[0, 0])], RADIATION.system_matrix @ y[2:] + RADIATION.rate_matrix[:, 0] * y[1])
        )

    exact = solve_ivp(rates, (0.0, 200.0), [8.0, *np.zeros(7)], rtol=1e-10, atol=1e-10, t_eval=path.times).y[0]
    assert_allclose(path["p"][:, 0], exact, atol=1e-3 * 8.0)
    assert np.abs(exact[-300:]).max() < 4.0


def test_tangent_is_exact() -> None:
    """The tangent of a floater with first-order states in waves agrees with differences."""
    wl.testing.check_tangent(create(con.regular_wave(2.0, 9.0))[0], tolerance=1e-5)


def test_states_are_saved(tmp_path: Path) -> None:
    """A motion that continues from a saved state in another world is bit-identical to the motion that continues in the
    first world.
    """
    waves, ends = con.regular_wave(2.0, 9.0), []
    world = create(waves)[0]
    half = wl.Dynamic(world, step=0.1, end=2.0, name="").solve()
    path, other = half.save(tmp_path / "half.npz"), create(waves)[0]
    for model, begin in ((world, half), (other, wl.State(other).load(path))):
        ends.append(wl.Dynamic(model, step=0.1, end=4.0, name="").solve(begin))
    assert_array_equal(ends[0].q, ends[1].q)
    assert_array_equal(ends[0].v, ends[1].v)
    assert np.abs(ends[0].v).max() > 1e-3


def test_errors() -> None:
    world = wl.World(gravity=(0.0, 0.0, -G))
    body = world.add(RigidBody3D, position=(0.0, 0.0, 0.0), mass=1.0, inertia=1.0)
    turned = world.add(
        RigidBody3D, position=(0.0, 0.0, 0.0), euler_parameters=(0.0, 0.0, 0.0, 1.0), mass=1.0, inertia=1.0
    )
    point = world.add(MassPoint, position=(0.0, 0.0, 0.0), mass=1.0)
    sea = world.add(con.Fluid, density=RHO)
    rough = world.add(con.Fluid, density=RHO, **con.regular_wave(1.0, 8.0))
    zero, unit = np.zeros((6, 6)), np.eye(6)
    given: dict[str, Any] = {"added_mass": zero, "stiffness": zero, "volume": 1.0}
    wrong: list[tuple[Entity, Entity, dict[str, Any], str]] = [
        (point, sea, {}, "must be one RigidBody3D"),
        (turned, sea, {}, r"euler_parameters = .* must be \(1, 0, 0, 0\) at rest"),
        (body, point, {}, "must be one Fluid"),
        (body, sea, {"added_mass": np.eye(5)}, "added_mass .* must be"),
        (body, sea, {"added_mass": unit + np.eye(6, k=1)}, "added_mass of floater is not symmetric"),
        (body, sea, {"stiffness": zero * np.nan}, "stiffness .* must be"),
        (body, sea, {"volume": -1.0}, "volume = -1"),
        (body, rough, {}, "excitation of floater is missing: must be given"),
        (body, sea, {"excitation": con.RAO([1.0], [0.0], *np.zeros((2, 1, 1, 6)))}, "must be left out"),
    ]
    for carrier, water, changed, words in wrong:
        before = world.count
        with pytest.raises(wl.ModelError, match=words):
            con.floater(world, carrier, water, **{**given, **changed})
        assert world.count == before
    with pytest.raises(wl.ModelError, match=r"eigenvalue with the real part 0\.1 1/s: must be < 0"):
        con.Radiation([[0.1]], np.ones((1, 6)), np.ones((6, 1)))
    with pytest.raises(wl.ModelError, match=r"rate_matrix of Radiation has the shape \(2, 6\): must have the shape"):
        con.Radiation([[-0.1]], np.ones((2, 6)), np.ones((6, 1)))
