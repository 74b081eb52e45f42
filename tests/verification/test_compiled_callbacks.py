"""Newton's method gives the same digits, counts and messages with compiled callbacks as with Python callbacks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import windlass as wl
from windlass import connectors as con
from windlass.elements import Ground, MassPoint, RigidBody2D, cable_around, nodes_of, straight_cable
from windlass.framework.kernels.call import call, is_compiled
from windlass.framework.kernels.kernel import kernel
from windlass.solvers.failure import NotConverged
from windlass.solvers.newton.callbacks import eval_residual
from windlass.solvers.newton.problem import NonlinearProblem

from support.beam_contacts import create_belt as create_beam_belt
from support.beam_contacts import create_dragged
from support.contact_forms import create_drive
from support.rope_contact import create_knot
from support.small_models import bouncing_mass, pendulum

pytestmark = pytest.mark.skipif(not is_compiled(eval_residual), reason="without compiler there is one way only")

SEGMENTS, POINTS = con.ContactFrictionCircleCable2D, con.ContactFrictionCirclePoints2D
LOOSE: dict[str, Any] = {"passes": wl.Passes(atol=1e-3, fail=False), "name": ""}
CHAIN: dict[str, Any] = {"axial_stiffness": 1e5, "bending_stiffness": 1.0, "mass_per_length": 0.4}


def belt(kind: Any, compiled: bool = False, **options: Any) -> tuple[Any, wl.State]:
    """Create a belt drive whose motor is a function of Python or a compiled function."""
    drive = create_drive(kind, 24, 4, 8000.0, -0.05, motor=con.smooth_step(0.0, 0.2, 0.0, 40.0) if compiled else None)
    options = {"step": 1e-3, "end": 0.04, "method": "trapezoidal_index2", **LOOSE, **options}
    return wl.Dynamic(drive.world, **options), drive.state


def tight_belt() -> tuple[Any, None]:
    """Create a belt that is stretched around two circles: contacts switch in a static solve with a stabiliser."""
    world = wl.World()
    circles = [world.add(RigidBody2D, position=(x, 0.0), mass=5.0, inertia=0.02) for x in (0.0, 0.3)]
    columns = {**CHAIN, "axial_stiffness": 8000.0, "bending_stiffness": 1e-3, "reference_strain": -0.05}
    line = cable_around(world, circles, 24, radius=0.1, **columns)
    con.add_contact(world, POINTS, circles, line, segments=4, circle_radius=0.1, contact_stiffness_per_length=1e7)
    for circle in circles:
        con.fix(world, circle, "x", "y", "rotation")
    con.fix(world, nodes_of(world, line)[0], "x")
    return wl.Static(world, load_steps=10, geometric=True, stabiliser=1e5, rtol=1e-6, atol=1e-6, name=""), None


def chain(cables: int = 30) -> wl.World:
    world = wl.World(gravity=(0.0, -9.81))
    line = straight_cable(world, (0, 0), (3, 0), cables, reference_strain=-0.01, **CHAIN)
    for node in (0, cables):
        con.fix(world, nodes_of(world, line)[node], "x", "y")
    return world


def moving_chain(**options: Any) -> tuple[Any, None]:
    return wl.Dynamic(chain(), step=1e-3, end=0.03, name="", **options), None


def hanging_chain() -> tuple[Any, None]:
    return wl.Static(chain(), load_steps=8, name=""), None


def jointed_pendulum() -> tuple[Any, None]:
    """Create two bodies on joints, turned by a torque that depends on time."""
    world = wl.World(gravity=(0.0, -9.81))
    end = con.position_marker(world, world.add(Ground))
    for i in range(2):
        body = world.add(RigidBody2D, position=(0.5 + i, 0.0), mass=2.0, inertia=0.1)
        world.add(con.RevoluteJoint2D, marker0=end, marker1=con.rigid_marker(world, body, (-0.5, 0.0)))
        end = con.rigid_marker(world, body, (0.5, 0.0))
    spin = con.coordinate_marker(world, body, "rotation")
    world.add(con.CoordinateLoad, marker=spin, function=lambda t: 3.0 * np.sin(20.0 * t))
    return wl.Dynamic(world, step=2e-3, end=0.2, name=""), None


def rod_pendulum() -> tuple[Any, None]:
    return wl.Dynamic(pendulum()[0], step=5e-3, end=0.3, name=""), None


def stop() -> tuple[Any, None]:
    """Create a mass on a stop with history values."""
    return wl.Dynamic(bouncing_mass()[0], step=2e-3, end=0.3, name=""), None


def users_spring() -> tuple[Any, None]:
    """Create a mass on a spring under the force of a Python function, so that Python and compiled functions are used
    together.
    """
    world = wl.World()
    point = world.add(MassPoint, position=(1.0, 0.0), mass=2.0, velocity=(1.0, 0.0))
    con.fix(world, point, "y")
    marker = con.coordinate_marker(world, point, "x")
    world.add(con.CoordinateSpringDamper, marker1=marker, force_function=lambda t, row, u, *rest: 50.0 * u + 9.0 * u**3)
    return wl.Dynamic(world, step=2e-3, end=0.3, name=""), None


def driven_mass() -> tuple[Any, None]:
    """Create a mass on a spring. The other end of the spring follows a ramp with two kinks. The last step is shorter,
    because it ends at the end of the run.
    """
    world = wl.World()
    point, base = (world.add(MassPoint, position=(x, 0.0), mass=2.0) for x in (1.0, 0.0))
    con.prescribe(world, base, "x", con.table([0.0, 0.02, 0.04], [0.0, 0.1, 0.1]))
    con.fix(world, base, "y")
    markers = {f"marker{i}": con.coordinate_marker(world, node, "x") for i, node in enumerate((base, point))}
    world.add(con.CoordinateSpringDamper, **markers, stiffness=2e4, damping=1.0)
    return wl.Dynamic(world, step=7e-4, end=0.06, name=""), None


def cut_belt(kind: Any) -> tuple[Any, wl.State]:
    """Create a belt whose contacts have only one pass, so steps in which contacts switch are repeated with smaller step
    sizes.
    """
    strict = {"passes": wl.Passes(atol=1e-6, fail=True, max_it=1)}
    return belt(kind, True, step=5e-4, end=0.03, **strict)


def exact_chain(**options: Any) -> tuple[Any, None]:
    """Create a chain with tolerances below the rounding errors."""
    return wl.Dynamic(chain(), step=1e-3, end=0.02, rtol=1e-30, atol=1e-30, name="", **options), None


def slack_rope(**options: Any) -> tuple[Any, None]:
    """Create a rope that is under compression because of its length, solved in one step."""
    world = wl.World(gravity=(0.0, -9.81))
    line = straight_cable(world, (0, 0), (3, 0), 20, reference_strain=0.2, **CHAIN)
    for node in (0, 20):
        con.fix(world, nodes_of(world, line)[node], "x", "y")
    return wl.Static(world, load_steps=1, name="", **options), None


def solve(build: Callable[[], tuple[Any, Any]], compiled: bool, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Return the result of a solve, and the number of residuals that Python evaluated."""
    calls = []
    plain = NonlinearProblem.eval_residual

    def note(*args: Any) -> None:
        calls.append(1)
        plain(*args)

    monkeypatch.setattr(NonlinearProblem, "eval_residual", note)
    solver, start = build()
    calls.clear()
    solver.problem.may_compile = compiled
    message = ""
    try:
        state = solver.solve(start)
    except NotConverged as error:
        message, state = str(error), error.failure.last_good
    counts = solver.statistics.checkpoint()
    counts = {name: value for name, value in counts.items() if "time" not in name}
    found = {name: getattr(state, name).tobytes() for name in ("q", "v", "a", "lam", "data", "carried")}
    found |= {"t": state.t, "message": message, "counts": counts, "failed": solver.failed_attempts}
    found |= {"newton": solver.newton.checkpoint(), "calls": len(calls)}
    monkeypatch.undo()
    return found


def knot() -> tuple[Any, None]:
    """Create a rope in contact with itself. The contact points move from cable to cable."""
    ropes = create_knot(24, friction=0.2, stiffness=2e6)
    return wl.Dynamic(ropes.world, step=2e-3, end=0.06, name=""), None


MODELS: dict[str, Callable[[], tuple[Any, Any]]] = {
    "belt, segments": lambda: belt(SEGMENTS),
    "belt, points": lambda: belt(POINTS),
    "static belt": tight_belt,
    "chain": moving_chain,
    "chain, full Newton": lambda: moving_chain(lag=False),
    "hanging chain": hanging_chain,
    "joints": jointed_pendulum,
    "ramp": driven_mass,
    "compiled belt, segments": lambda: belt(SEGMENTS, True, step=5e-4),
    "compiled belt, points": lambda: belt(POINTS, True, step=5e-4),
    "cut belt, segments": lambda: cut_belt(SEGMENTS),
    "cut belt, points": lambda: cut_belt(POINTS),
    "rod": rod_pendulum,
    "stop": stop,
    "chain to rounding": exact_chain,
    "slack rope": slack_rope,
    "knot": knot,
    "thick beam": lambda: (wl.Dynamic(create_dragged().world, step=1e-3, end=0.06, name=""), None),
    "belt of beams": lambda: (wl.Dynamic(create_beam_belt(press=240.0).world, step=2e-4, end=0.02, **LOOSE), None),
    "failing chain": lambda: exact_chain(max_it=1, control=wl.StepControl(smallest=2e-4)),
    "rope that is paid out": lambda: slack_rope(max_it=4, adaptive=False),
}


@pytest.mark.parametrize("name", MODELS)
def test_both_ways_give_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled callbacks give exactly the same results as Python callbacks. All residuals after the first one are
    compiled.
    """
    by_python = solve(MODELS[name], False, monkeypatch)
    compiled = solve(MODELS[name], True, monkeypatch)
    residuals = by_python["newton"]["residuals"]
    assert by_python.pop("calls") == residuals > 6
    assert compiled.pop("calls") < 0.7 * residuals
    assert compiled == by_python
    assert bool(compiled["message"]) == name.startswith("failing")


def test_functions_of_users_do_not_keep_residuals_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled code calls Python only for the user functions. Results are exactly the same as with Python callbacks."""
    by_python, mixed = solve(users_spring, False, monkeypatch), solve(users_spring, True, monkeypatch)
    few, all_of_them = mixed.pop("calls"), by_python.pop("calls")
    assert mixed == by_python
    assert few < 10 < all_of_them == by_python["newton"]["residuals"]


@pytest.mark.parametrize("place", ["force of time", "force of displacement", "prescribed motion"])
def test_errors_of_users_arrive_as_themselves(place: str) -> None:
    """An error of a user function reaches the caller unchanged, even after many steps of compiled callbacks."""

    class Broken(Exception):
        pass

    def at_time(t: float) -> float:
        if t > 0.0205:
            raise Broken(f"at {t:.3f} s")
        return 0.0

    world = wl.World()
    point = world.add(MassPoint, position=(0.0, 0.0), mass=2.0)
    x, y = (con.coordinate_marker(world, point, name) for name in ("x", "y"))
    world.add(con.CoordinateSpringDamper, marker1=x, stiffness=200.0)
    if place == "force of time":
        world.add(con.CoordinateLoad, marker=y, function=at_time)
    elif place == "prescribed motion":
        con.prescribe(world, point, "y", at_time)
    else:
        force = lambda t, row, u, v, k, d, offset: at_time(t) + k * u  # noqa: E731
        world.add(con.CoordinateSpringDamper, marker1=y, stiffness=1.0, force_function=force)
    with pytest.raises(Broken, match=r"at 0\.02. s"):
        wl.Dynamic(world, step=1e-3, end=0.1, name="").solve()


def test_errors_of_the_test_arrive_as_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    """If Python code called by the compiled convergence test raises an error, the caller gets this error unchanged."""

    class Broken(Exception):
        pass

    solver, _ = exact_chain()

    def look(it: int, norm: float) -> int:
        raise Broken(f"in iteration {it}")

    monkeypatch.setattr(solver.newton._callbacks, "_ask", look)
    with pytest.raises(Broken, match="in iteration"):
        solver.solve()


@kernel
def fail_late(t: Any, out: Any) -> None:
    if t[0] > 0.0205:
        raise ValueError("a kernel of this test")
    out[0] += 0.0


def test_errors_of_kernels_arrive_as_themselves() -> None:
    """A kernel that raises in a compiled residual is called again from Python, so that its error reaches the caller
    unchanged.
    """
    solver = wl.Dynamic(chain(), step=1e-3, end=0.1, name="")
    system = solver.assembly.systems[-1]
    assert system.residual is None
    system.residual = call(fail_late, lambda s: (s.time, s.f))
    solver.assembly.order_systems()
    with pytest.raises(ValueError, match="a kernel of this test"):
        solver.solve()


def test_a_solver_serves_again_after_an_error_of_a_user() -> None:
    """After an error of a user function, the solver can be used again, because vectors that PETSc locked during the
    call are unlocked.
    """
    calls = {"broken": True}

    def force(t: float, row: int, u: float, v: float, k: float, d: float, offset: float) -> float:
        if calls["broken"] and t > 0.0025:
            raise InterruptedError("in the force")
        return k * u

    world = wl.World(gravity=(0.0, -9.81))
    point = world.add(MassPoint, position=(0.0, 0.0), mass=2.0)
    y = con.coordinate_marker(world, point, "y")
    world.add(con.CoordinateSpringDamper, marker1=y, stiffness=100.0, force_function=force)
    motion = wl.Dynamic(world, step=1e-3, end=0.01, name="")
    with pytest.raises(InterruptedError, match="in the force"):
        motion.solve()
    calls["broken"] = False
    again, fresh = motion.solve(), wl.Dynamic(world, step=1e-3, end=0.01, name="").solve()
    np.testing.assert_array_equal(again.q, fresh.q)
