"""Tests of runs of the explicit solver: errors, hooks, changes between steps, options, and several processes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from windlass.connectors import CoordinateSpringDamper, fix
from windlass.elements import MassPoint
from windlass.framework.errors import ModelError
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.hooks import StepHook
from windlass.framework.state.state import State
from windlass.solvers.constraint_motion import accelerations
from windlass.solvers.explicit import Explicit, StepGrid
from windlass.solvers.failure import NotConverged

from support.processes import run_windlass
from support.small_models import G, oscillator


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


@pytest.mark.parametrize("method", ["verlet", "rk"])
def test_programs_of_forces_give_the_same_motion(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Motions are exactly equal whether the forces are evaluated by one compiled program or by separate calls, even
    after a change of the model.
    """
    found = []
    for uses in (0, 10**6):
        monkeypatch.setattr(accelerations, "USES", uses)
        world, _ = oscillator(0.0)
        spring = Entity(world.table(CoordinateSpringDamper), np.zeros(1, np.int64))

        def change(state: State, world: World = world, spring: Entity = spring) -> None:
            if state.step == 5:
                world.set(spring, stiffness=50.0)
            if state.step == 10:
                world.set(spring, active=False)

        found.append(Explicit(world, step=0.01, end=0.2, method=method, name="").solve(hooks=[change]))
    assert np.array_equal(found[0].q, found[1].q)
    assert np.array_equal(found[0].v, found[1].v)


def test_wrong_arguments() -> None:
    world, _ = oscillator(0.0)
    for wrong, message in (
        ({"step": 0.0}, "step = 0.0 s in Explicit: must be > 0"),
        ({"end": np.nan}, "end = nan s in Explicit: must be > 0"),
        ({"method": "leapfrog"}, "method = 'leapfrog' in Explicit: must be one of verlet, rk"),
        ({"rtol": -1.0}, "rtol = -1.0 in Explicit: must be >= 0"),
        ({"smallest_step": -1.0}, "smallest_step = -1.0 s in Explicit: must be > 0"),
    ):
        with pytest.raises(ModelError, match=message):
            Explicit(world, **({"step": 0.1, "end": 1.0} | wrong))


def test_step_beyond_the_stability_limit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With h = 0.3 s, above the limit 2/ω = 0.2 s, the run ends with the last state in which all values are finite."""
    monkeypatch.chdir(tmp_path)
    world, _ = oscillator(0.0)
    seen: list[float] = []
    with pytest.raises(NotConverged, match=r"grow without bounds[\s\S]*Point2D 0, x[\s\S]*shorter than 2") as caught:
        Explicit(world, step=0.3, end=100.0, name="").solve(hooks=[lambda s: seen.append(s.t)])
    failure = caught.value.failure
    assert failure.last_good is not None
    assert failure.last_good.t == seen[-1] and failure.time == pytest.approx(seen[-1] + 0.3)
    assert np.isfinite(failure.last_good.q).all() and np.abs(failure.last_good.q[0]) < 1e6


class _Watch(StepHook):
    """Hook that records the stages in which it is called, and changes the state once."""

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
    """Changes of the state by hooks act immediately. A run can be continued."""
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
    # 100 000 steps of equal size end at the end time
    long, now = StepGrid(0.0, 1e-5, 1.0), 0.0
    for _ in range(100_000):
        size, now = long.propose(now, np.inf)
        assert size == 1e-5
    assert now == 1.0


def test_many_points_without_linear_solver() -> None:
    """10 000 points need one division per coordinate, and one evaluation of the forces per step."""
    world = World(gravity=(0.0, -G, 0.0))
    rng = np.random.default_rng(1)
    position, velocity = rng.random((2, 10_000, 2))
    world.add(MassPoint, position=position, mass=0.5 + rng.random(10_000), velocity=velocity)
    solver = Explicit(world, step=1e-3, end=0.3, name="")
    march = solver.march()
    start = next(march).copy()
    evaluations = solver.accelerations.evaluations
    *_, state = march
    assert solver.accelerations.kind == "diagonal" and solver.accelerations.factorisations == 0
    assert solver.accelerations.evaluations - evaluations == 299
    t = state.t - start.t
    height = start.q[1::2] + start.v[1::2] * t - 0.5 * G * t**2
    np.testing.assert_allclose(state.v[1::2], start.v[1::2] - G * t, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(state.q[1::2], height, rtol=1e-11, atol=1e-12)


MODEL = """
import sys
import numpy as np
import windlass as wl
from windlass.connectors import CartesianSpringDamper, CoordinateSpringDamper, coordinate_marker, position_marker
from windlass.connectors.springs.contact_coordinate import ContactCoordinate
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
methods = wl.option("methods", "verlet", "", "methods").split(",")
found = {}
for method in methods:
    state = wl.Explicit(world, step=1e-3, end=0.5, method=method).solve().gather()
    found |= {f"{name} {method}": getattr(state, name) for name in ("q", "v", "a", "data")}
if wl.is_first_process():
    np.savez("out.npz", **found)
"""


@pytest.mark.mpi
def test_two_processes(tmp_path: Path) -> None:
    """A chain of points on springs falls on stops. Results on one and two processes agree to 1e-9."""
    (tmp_path / "model.py").write_text(MODEL)
    results = []
    for processes in (1, 2):
        done = run_windlass(["run", "model.py", "-methods", "verlet,rk", "-quiet"], processes, tmp_path)
        assert done.returncode == 0, done.stderr
        with np.load(tmp_path / "out.npz") as file:
            results.append(dict(file))
    serial, parallel = results
    assert len(serial) == 8
    for method in ("verlet", "rk"):
        assert (serial[f"data {method}"] <= 0.0).any() and (serial[f"data {method}"] > 0.0).any()
    for name, values in serial.items():
        np.testing.assert_allclose(parallel[name], values, rtol=0, atol=1e-9 * max(1.0, np.abs(values).max()))


def test_options(tmp_path: Path) -> None:
    """Options of Windlass and of PETSc have the prefix of the solver.

    The help lists the options of the solver without a run. Misspelt options cause errors.
    """
    (tmp_path / "model.py").write_text(MODEL)
    shown = run_windlass(["run", "model.py", "-help", "petsc"], folder=tmp_path)
    assert shown.returncode == 0, shown.stderr
    for text in ("-explicit_project", "-explicit_discontinuous_atol", "-explicit_ksp_type", "Nothing was solved"):
        assert text in shown.stdout
    wrong = run_windlass(["run", "model.py", "-explicit_projct", "false"], folder=tmp_path)
    assert wrong.returncode == 2
    assert "-explicit_projct" in wrong.stderr and "-explicit_project" in wrong.stderr
    chosen = "-methods rk -explicit_rtol 1e-4 -explicit_pc_type lu -quiet"
    done = run_windlass(["run", "model.py", *chosen.split()], folder=tmp_path)
    assert done.returncode == 0, done.stderr
