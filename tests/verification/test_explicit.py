"""Explicit integration: orders of convergence, energies, constraints, contact, errors, several processes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from petsc4py import PETSc
from scipy.optimize import brentq

from support.processes import run_python, run_windlass
from windlass.connectors import (
    CoordinateSpringDamper,
    DistanceConstraint,
    clamp,
    coordinate_marker,
    fix,
    position_marker,
    prescribe,
    prescribe_velocity,
)
from windlass.connectors.contact_coordinate import ContactCoordinate
from windlass.elements import Ground, MassPoint, RigidBody3D, nodes_of, straight_cable
from windlass.framework.errors import ModelError, NotConverged
from windlass.framework.evaluate import eval_output
from windlass.framework.hooks import StepHook
from windlass.framework.law import FloatArray
from windlass.framework.state import State
from windlass.framework.table import Entity
from windlass.framework.world import World
from windlass.solvers.dynamic import Dynamic
from windlass.solvers.explicit import Explicit, StepGrid

G = 9.81
TIGHT: dict[str, Any] = {"method": "rk", "rtol": 1e-12, "atol": 1e-13}


def orders(errors: list[float]) -> FloatArray:
    """Orders of convergence between runs with the step halved each time."""
    return np.log2(np.array(errors[:-1]) / errors[1:])


def oscillator(damping: float) -> tuple[World, Callable[[float], float]]:
    """2 kg on 200 N/m, 0.1 m from rest, 1 m/s free along y; and x(t), the textbook solution."""
    world = World()
    point = world.add(MassPoint, position=(0.0, 0.0), mass=2.0, displacement=(0.1, 0.0), velocity=(0.0, 1.0))
    world.add(CoordinateSpringDamper, marker1=coordinate_marker(world, point, "x"), stiffness=200.0, damping=damping)
    omega, zeta = 10.0, damping / 40.0
    own = omega * np.sqrt(1.0 - zeta**2)

    def exact(t: float) -> float:
        return float(0.1 * np.exp(-zeta * omega * t) * (np.cos(own * t) + zeta * omega / own * np.sin(own * t)))

    return world, exact


@pytest.mark.parametrize("damping", [0.0, 8.0])
def test_verlet_is_of_order_two_with_and_without_damping(damping: float) -> None:
    world, exact = oscillator(damping)
    errors = []
    for step in (0.01, 0.005, 0.0025, 0.00125):
        solver = Explicit(world, step=step, end=0.7, name="")
        state = solver.solve()
        errors.append(abs(state.q[0] - exact(0.7)))
        assert state.q[1] == pytest.approx(0.7, rel=1e-13)
        assert solver.statistics.evaluations == solver.statistics.steps + 1
    np.testing.assert_allclose(orders(errors), 2.0, atol=0.1)


@pytest.mark.parametrize("damping", [0.0, 8.0])
def test_runge_kutta_reaches_rounding(damping: float) -> None:
    """Positions at all multiples of the step to 1e-11 m; the error control finds its own steps between them."""
    world, exact = oscillator(damping)
    solver = Explicit(world, step=0.1, end=1.0, name="", **TIGHT)
    states = [(s.t, s.q[0], s.a[0], s.v[0]) for s in solver.march()]
    for t, x, a, v in states:
        assert abs(x - exact(t)) < 1e-11
        # accelerations are those of the end of the step
        assert a == pytest.approx(-(200.0 * x + damping * v) / 2.0, abs=1e-12)
    assert {round(0.1 * k, 12) for k in range(1, 11)} <= {round(s[0], 12) for s in states}


def test_verlet_keeps_the_energy_of_a_nonlinear_oscillator() -> None:
    """f = 50 u + 30 u³ on 1 kg for 10 000 steps: the energy error is of order 2 and does not grow."""

    def errors(step: float, steps: int) -> FloatArray:
        world = World()
        point = world.add(MassPoint, position=(0.0, 0.0), mass=1.0, displacement=(1.0, 0.0))
        cubic = {"force_function": lambda t, item, u, ut, k, d, offset: 50.0 * u + 30.0 * u**3}
        world.add(CoordinateSpringDamper, marker1=coordinate_marker(world, point, "x"), **cubic)
        energies = [
            0.5 * s.v[0] ** 2 + 25.0 * s.q[0] ** 2 + 7.5 * s.q[0] ** 4
            for s in Explicit(world, step=step, end=step * steps, name="").march()
        ]
        return np.abs(np.array(energies) - 32.5)

    long = errors(0.02, 10_000)
    assert long.max() < 1.01 * long[:1000].max()
    assert errors(0.01, 2000).max() == pytest.approx(long[:1000].max() / 4.0, rel=0.1)


def bouncing_mass(height: float = 0.1, stiffness: float = 2e4) -> tuple[World, Callable[[float], float]]:
    """2 kg dropped on a stop without damping; and its height, from parabolas and cosines joined at the instants."""
    world = World(gravity=(0.0, -G, 0.0))
    point = world.add(MassPoint, position=(0.0, 0.0), mass=2.0, displacement=(0.0, height))
    world.add(ContactCoordinate, marker1=coordinate_marker(world, point, "y"), contact_stiffness=stiffness)
    omega, fall = np.sqrt(stiffness / 2.0), np.sqrt(2.0 * height / G)
    sag, speed = 2.0 * G / stiffness, G * fall

    def pressed(t: float) -> float:
        return float(-sag + sag * np.cos(omega * t) - speed / omega * np.sin(omega * t))

    contact = brentq(pressed, 0.9 * np.pi / omega, 1.5 * np.pi / omega, xtol=1e-16)

    def exact(t: float) -> float:
        t = t % (2.0 * fall + contact)
        if t < fall:
            return height - 0.5 * G * t**2
        if t < fall + contact:
            return pressed(t - fall)
        t -= fall + contact
        return float(speed * t - 0.5 * G * t**2)

    return world, exact


@pytest.mark.parametrize(("adaptive", "tolerance"), [(True, 1e-10), (False, 1e-8)])
def test_runge_kutta_on_a_bounce(adaptive: bool, tolerance: float) -> None:
    """Three bounces with steps that end at the instants of contact; without, the error control has to meet the kinks
    of the force, which its error estimate sees less well."""
    world, exact = bouncing_mass()
    solver = Explicit(world, step=0.02, end=1.0, adaptive=adaptive, discontinuous_atol=1e-3, name="", **TIGHT)
    error = max(abs(s.q[1] - exact(s.t)) for s in solver.march())
    assert error < tolerance
    assert bool(solver.failed_attempts) == adaptive


def test_verlet_on_a_bounce() -> None:
    """Order 2 when steps end at the instants of contact; after a cut step the multiples of the step are met again."""
    errors = []
    for step in (1e-3, 5e-4, 2.5e-4):
        world, exact = bouncing_mass()
        solver = Explicit(world, step=step, end=1.0, discontinuous_atol=1e-4, smallest_step=1e-9, name="")
        states = [(s.t, abs(s.q[1] - exact(s.t)), s.data[0] - s.q[1]) for s in solver.march()]
        errors.append(max(s[1] for s in states))
        assert max(abs(s[2]) for s in states) == 0.0, "stored gap is that of the end of the step"
        assert solver.failed_attempts and "contact switches" in solver.failed_attempts[0][2]
        assert sum(s[0] == pytest.approx(round(s[0] / step) * step, abs=1e-14) for s in states) == round(1.0 / step)
    np.testing.assert_allclose(orders(errors), 2.0, atol=0.3)
    # without cuts: one step of contact more or less
    rough = Explicit(bouncing_mass()[0], step=1e-3, end=0.5, adaptive=False, name="")
    assert abs(rough.solve().q[1] - exact(0.5)) < 5e-3
    assert not rough.failed_attempts


def pendulum() -> tuple[World, Entity]:
    """2 kg on a rod of 1 m, released horizontally."""
    world = World(gravity=(0.0, -G, 0.0))
    point = world.add(MassPoint, position=(1.0, 0.0), mass=2.0)
    ground = position_marker(world, world.add(Ground))
    world.add(DistanceConstraint, marker0=ground, marker1=position_marker(world, point), distance=1.0)
    return world, point


def test_verlet_holds_constraints_and_energy() -> None:
    """Pendulum over 10 000 steps: constraint to rounding, energy within O(h²) and without drift; free drift without."""

    def run(step: float, steps: int, project: bool = True) -> tuple[FloatArray, FloatArray]:
        world, _ = pendulum()
        rows = []
        for s in Explicit(world, step=step, end=step * steps, project=project, name="").march():
            x = s.q + np.array([1.0, 0.0])
            rows.append((s.v @ s.v + 2.0 * G * x[1], np.hypot(*x) - 1.0, x @ s.v))
        energy, length, rate = np.array(rows).T
        return np.abs(energy), np.maximum(np.abs(length), np.abs(rate))

    energy, violation = run(0.01, 10_000)
    assert violation.max() < 1e-12
    assert energy.max() < 1.01 * energy[:1000].max() < 0.01
    assert run(0.005, 1000)[0].max() == pytest.approx(energy[:1000].max() / 4.0, rel=0.05)
    assert run(0.01, 1000, project=False)[1].max() > 1e-3


def test_constrained_methods_agree() -> None:
    """A chain of 12 rods, too large for dense blocks: Verlet tends to Runge-Kutta with order 2, and to `Dynamic`."""

    def build() -> World:
        world = World(gravity=(0.0, -G, 0.0))
        points = world.add(MassPoint, position=np.array([(0.1 * k, 0.0) for k in range(1, 13)]), mass=np.full(12, 0.1))
        markers = [position_marker(world, world.add(Ground))]
        markers += [position_marker(world, points[k]) for k in range(12)]
        for a, b in zip(markers, markers[1:], strict=False):
            world.add(DistanceConstraint, marker0=a, marker1=b, distance=0.1)
        return world

    best = Explicit(build(), step=0.02, end=0.3, name="", **TIGHT)
    exact = best.solve()
    assert best.accelerations.kind == "petsc"
    errors = []
    for step in (2e-3, 1e-3, 5e-4):
        state = Explicit(build(), step=step, end=0.3, name="").solve()
        errors.append(float(np.abs(state.q - exact.q).max()))
    np.testing.assert_allclose(orders(errors), 2.0, atol=0.2)
    np.testing.assert_allclose(state.lam, exact.lam, rtol=2e-3)
    implicit = Dynamic(build(), step=1e-3, end=0.3, method="trapezoidal_index2", name="").solve()
    np.testing.assert_allclose(implicit.q, exact.q, atol=2e-3)


def free_body() -> tuple[World, Entity]:
    """A body that turns about an axis next to its middle principal axis, its centre of mass beside the node."""
    world = World()
    body = world.add(
        RigidBody3D,
        position=(0.0, 0.0, 0.0),
        mass=2.0,
        inertia=(1.0, 2.0, 3.0),
        center_of_mass=(0.1, 0.2, -0.1),
        velocity=(1.0, 0.0, 0.0),
        angular_velocity=(0.1, 3.0, 0.2),
    )
    return world, body


def test_free_rigid_body() -> None:
    """Mass matrix that depends on the rotation: energy, angular momentum and the length of the Euler parameters."""
    quantities = ("kinetic_energy", "angular_momentum")

    def run(**method: Any) -> tuple[State, FloatArray, Explicit]:
        world, body = free_body()
        solver = Explicit(world, end=2.0, name="", **method)
        start = State(world)
        end = solver.solve()
        e = end.of(body)[0][3:] + np.array([1.0, 0.0, 0.0, 0.0])
        assert abs(e @ e - 1.0) < 1e-12
        change = [np.abs(eval_output(body, name, end) - eval_output(body, name, start)).max() for name in quantities]
        return end, np.array(change), solver

    exact, change, solver = run(step=0.1, **TIGHT)
    assert solver.accelerations.kind == "blocks"
    assert change.max() < 1e-11
    errors = []
    for step in (0.01, 0.005, 0.0025):
        state, change, _ = run(step=step)
        errors.append([float(np.abs(state.q - exact.q).max()), *change])
    np.testing.assert_allclose([orders(list(e)) for e in np.transpose(errors)], 2.0, atol=0.15)


def cable() -> World:
    """A soft cable of 16 elements that is thrown and bends; free, so that its mass matrix is constant."""
    world = World(gravity=(0.0, -G, 0.0))
    cables = straight_cable(
        world, (0.0, 0.0), (1.0, 0.0), 16, mass_per_length=1.0, axial_stiffness=500.0, bending_stiffness=0.05
    )
    nodes = nodes_of(world, cables)
    world.add(CoordinateSpringDamper, marker1=coordinate_marker(world, nodes[0], "y"), stiffness=200.0, damping=1.0)
    return world


def test_cable_as_with_the_implicit_solver() -> None:
    """The mass matrix is factorised once; both solvers come to the same cable with their steps of order 2."""
    solver = Explicit(cable(), step=2e-4, end=0.2, name="")
    explicit = solver.solve()
    assert solver.accelerations.kind == "petsc"
    assert solver.accelerations.factorisations == 1
    differences = []
    for step in (2e-3, 1e-3):
        implicit = Dynamic(cable(), step=step, end=0.2, method="newmark", name="").solve()
        differences.append(float(np.abs(implicit.q - explicit.q).max()))
    assert differences[1] < 1e-4
    np.testing.assert_allclose(orders(differences), 2.0, atol=0.3)


def test_clamped_cable_and_driven_points() -> None:
    """Constant constraints are factorised once; drives at position and velocity level are followed to rounding."""
    world = World(gravity=(0.0, -G, 0.0))
    cables = straight_cable(
        world, (0.0, 0.0), (1.0, 0.0), 8, mass_per_length=1.0, axial_stiffness=500.0, bending_stiffness=0.05
    )
    clamp(world, nodes_of(world, cables)[0])
    points = world.add(MassPoint, position=np.zeros((2, 2)), mass=np.ones(2))
    prescribe(world, points[0], "x", lambda t: 0.1 * np.sin(5.0 * t))
    prescribe_velocity(world, points[1], "x", lambda t: 2.0 * t)
    fix(world, points, "y")
    solver = Explicit(world, step=5e-4, end=0.1, name="")
    state = solver.solve()
    (x0, y0), (x1, y1) = state.of(points)
    assert x0 == pytest.approx(0.1 * np.sin(0.5), abs=1e-13)
    assert x1 == pytest.approx(0.01, abs=1e-12)
    assert state.of(points, "v")[:, 0] == pytest.approx([0.5 * np.cos(0.5), 0.2], abs=1e-8)
    assert abs(y0) + abs(y1) < 1e-15
    assert solver.accelerations.factorisations == 1


def test_solvers_of_the_masses_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    """Division, dense blocks and a PETSc solver of the user's choice give the same motion."""
    models: list[tuple[str, Callable[[], World]]] = [
        ("diagonal", lambda: oscillator(1.0)[0]),
        ("blocks", lambda: free_body()[0]),
        ("blocks", lambda: pendulum()[0]),
    ]
    for kind, build in models:
        own = Explicit(build(), step=0.01, end=0.1, name="")
        assert own.accelerations.kind == kind
        PETSc.Options().setValue("explicit_pc_factor_mat_solver_type", "klu")
        try:
            chosen = Explicit(build(), step=0.01, end=0.1, name="")
            np.testing.assert_allclose(chosen.solve().q, own.solve().q, atol=1e-14)
        finally:
            PETSc.Options().delValue("explicit_pc_factor_mat_solver_type")
        assert chosen.accelerations.kind == "petsc"


@pytest.fixture
def no_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Run where a last good state may be left."""
    monkeypatch.chdir(tmp_path)
    yield


@pytest.mark.parametrize("method", ["verlet", "rk"])
def test_models_without_accelerations(method: str) -> None:
    world = World()
    world.add(MassPoint, position=np.zeros((2, 2)), mass=np.array([1.0, 0.0]), name="bead")
    with pytest.raises(ModelError, match=r"2 coordinates have no mass: bead.*, x; bead.*, y.*kg"):
        Explicit(world, step=0.1, end=1.0, method=method)
    world = World()
    points = world.add(MassPoint, position=np.zeros((2, 2)), mass=np.array([1.0, 0.0]), name="bead")
    fix(world, points[0], "x")
    with pytest.raises(ModelError, match=r"start of explicit integration.*singular; without mass: bead"):
        Explicit(world, step=0.1, end=1.0, method=method, name="").solve()
    world = World()
    point = world.add(MassPoint, position=(0.0, 0.0), mass=1.0)
    fix(world, point, "x")
    fix(world, point, "x")
    with pytest.raises(ModelError, match="constraints contradict or repeat each other"):
        Explicit(world, step=0.1, end=1.0, method=method, name="").solve()


def test_wrong_arguments() -> None:
    world, _ = oscillator(0.0)
    for wrong, message in (
        ({"step": 0.0}, "step = 0.0 s in Explicit: must be > 0"),
        ({"end": np.nan}, "end = nan s in Explicit: must be > 0"),
        ({"method": "euler"}, "method = 'euler' in Explicit: must be one of verlet, rk"),
        ({"rtol": -1.0}, "rtol = -1.0 in Explicit: must be >= 0"),
        ({"smallest_step": -1.0}, "smallest_step = -1.0 s in Explicit: must be > 0"),
    ):
        with pytest.raises(ModelError, match=message):
            Explicit(world, **({"step": 0.1, "end": 1.0} | wrong))


def test_step_beyond_the_stability_limit(no_file: None) -> None:
    """h = 0.3 s, limit 2/ω = 0.2 s: the run ends with the last state in which all is finite."""
    world, _ = oscillator(0.0)
    seen: list[float] = []
    with pytest.raises(NotConverged, match=r"grow without bounds[\s\S]*Point2D 0, x[\s\S]*shorter than 2") as caught:
        Explicit(world, step=0.3, end=100.0, name="").solve(hooks=[lambda s: seen.append(s.t)])
    failure = caught.value.failure
    assert failure.last_good is not None
    assert failure.last_good.t == seen[-1] and failure.time == pytest.approx(seen[-1] + 0.3)
    assert np.isfinite(failure.last_good.q).all() and np.abs(failure.last_good.q[0]) < 1e6


class _Watch(StepHook):
    """Notes the stages that it sees, and changes the state once."""

    def __init__(self, kick: bool) -> None:
        self.stages: list[str] = []
        self._kick = kick

    def before_step(self, state: State) -> None:
        self.stages.append("before")
        if self._kick and state.step == 50:
            state.q[0] += 0.01
            state.v[0] = 0.0

    def after_iteration(self, state: State, error: float) -> None:
        self.stages.append("iteration")

    def after_step(self, state: State) -> None:
        self.stages.append("after")

    def finish(self, state: State) -> None:
        self.stages.append("finish")


@pytest.mark.parametrize("method", ["verlet", "rk"])
def test_hooks_and_changes_between_steps(method: str) -> None:
    """What hooks change counts at once: the run is that from the changed state; a run can be taken up again."""
    world, _ = oscillator(0.0)
    watch = _Watch(kick=True)
    options = {"step": 0.01, "method": method, "name": ""}
    state = Explicit(world, end=1.0, **options).solve(hooks=[watch])
    assert watch.stages[:6] == ["before", "iteration", "after"] * 2
    assert watch.stages[-1] == "finish" and len(watch.stages) == 3 * state.step + 1
    half = Explicit(world, end=0.5, **options).solve()
    half.q[0] += 0.01
    half.v[0] = 0.0
    rest = Explicit(world, end=1.0, **options).solve(half)
    np.testing.assert_allclose(state.q, rest.q, rtol=0, atol=1e-14 if method == "verlet" else 1e-8)
    if method == "verlet":
        whole = Explicit(world, end=1.0, **options).solve()
        resumed = Explicit(world, end=1.0, **options).solve(Explicit(world, end=0.5, **options).solve(), resume=True)
        np.testing.assert_array_equal(whole.q, resumed.q)


def test_step_grid() -> None:
    grid = StepGrid(0.0, 0.1, 1.05)
    assert grid.propose(0.0, np.inf) == (0.1, 0.1)
    assert grid.propose(0.3, 0.04) == pytest.approx((0.04, 0.34))
    assert grid.propose(0.34, np.inf) == pytest.approx((0.06, 0.4))
    assert grid.propose(1.0, np.inf) == pytest.approx((0.05, 1.05))
    # 100 000 equal steps end where they should, each of the same size
    long, now = StepGrid(0.0, 1e-5, 1.0), 0.0
    for _ in range(100_000):
        size, now = long.propose(now, np.inf)
        assert size == 1e-5
    assert now == 1.0


def test_many_points_without_linear_solver() -> None:
    """10 000 points: one division per coordinate; the bound on the time is far above what it takes (about 0.15 ms)."""
    world = World(gravity=(0.0, -G, 0.0))
    rng = np.random.default_rng(1)
    world.add(MassPoint, position=rng.random((10_000, 2)), mass=0.5 + rng.random(10_000), velocity=rng.random((10_000, 2)))
    solver = Explicit(world, step=1e-3, end=0.3, name="")
    march = solver.march()
    start = next(march).copy()
    begin = time.perf_counter()
    for state in march:
        pass
    assert (time.perf_counter() - begin) / 299 < 5e-3
    assert solver.accelerations.kind == "diagonal"
    t = state.t - start.t
    np.testing.assert_allclose(state.v[1::2], start.v[1::2] - G * t, rtol=1e-12)
    np.testing.assert_allclose(state.q[1::2], start.q[1::2] + start.v[1::2] * t - 0.5 * G * t**2, rtol=1e-11, atol=1e-13)


MODEL = """
import sys
import numpy as np
import windlass as wl
from windlass.connectors import CartesianSpringDamper, CoordinateSpringDamper, coordinate_marker, position_marker
from windlass.connectors.contact_coordinate import ContactCoordinate
from windlass.elements import MassPoint

world = wl.World(gravity=(0.0, -9.81, 0.0))
x = np.linspace(0.0, 2.0, 21)
points = world.add(MassPoint, position=np.stack((x, 0.0 * x), axis=1), mass=1.0 + x)
markers = position_marker(world, points)
for k in range(20):
    world.add(
        CartesianSpringDamper, marker0=markers[k], marker1=markers[k + 1], stiffness=(900.0, 700.0, 0.0),
        damping=(1.0, 1.0, 0.0), offset=(0.1, 0.0, 0.0),
    )
world.add(ContactCoordinate, marker1=coordinate_marker(world, points, "y"), contact_stiffness=3e3, offset=-0.1)
world.add(CoordinateSpringDamper, marker1=coordinate_marker(world, points[3], "x"), stiffness=100.0)
method = wl.option("method", "verlet", "", "method")
state = wl.Explicit(world, step=1e-3, end=0.5, method=method).solve().gather()
if wl.is_first_process():
    np.savez("out.npz", q=state.q, v=state.v, a=state.a, data=state.data)
"""


@pytest.mark.mpi
@pytest.mark.parametrize("method", ["verlet", "rk"])
def test_two_processes(method: str, tmp_path: Path) -> None:
    """A chain of points with springs across the processes, falling on stops: the same as on one process to 1e-9."""
    (tmp_path / "model.py").write_text(MODEL)
    results = []
    for processes in (1, 2):
        done = run_windlass(["run", "model.py", "-method", method, "-quiet"], processes, tmp_path)
        assert done.returncode == 0, done.stderr
        results.append(dict(np.load(tmp_path / "out.npz")))
    assert (results[0]["data"] <= 0.0).any() and (results[0]["data"] > 0.0).any()
    for name, values in results[0].items():
        np.testing.assert_allclose(results[1][name], values, rtol=0, atol=1e-9 * max(1.0, np.abs(values).max()))


def test_options(tmp_path: Path) -> None:
    """Own options and PETSc's under the prefix; help shows them and runs nothing; misspelt ones are errors."""
    (tmp_path / "model.py").write_text(MODEL)
    shown = run_windlass(["run", "model.py", "-help"], folder=tmp_path)
    assert shown.returncode == 0, shown.stderr
    for text in ("-explicit_project", "-explicit_discontinuous_atol", "-explicit_ksp_type", "Nothing was solved"):
        assert text in shown.stdout
    assert not (tmp_path / "out.npz").exists() or (tmp_path / "out.npz").stat().st_size > 0
    wrong = run_windlass(["run", "model.py", "-explicit_projct", "false"], folder=tmp_path)
    assert wrong.returncode == 2
    assert "-explicit_projct" in wrong.stderr and "-explicit_project" in wrong.stderr
    words = ["run", "model.py", "-method", "rk", "-explicit_rtol", "1e-4", "-explicit_pc_type", "lu", "-progress", "false"]
    done = run_windlass(words, folder=tmp_path)
    assert done.returncode == 0, done.stderr
