"""Tests that the verdict states the jump and the limit load if the solution of a load step jumps at a limit point, and
that no jump is reported for stable solves.

Sources: R. von Mises, ZAMM 3 (1923) 406-422 (truss of two springs, P(y) = 2 k (L0 - l) y/l, limit at l³ = L0 a²);
S. P. Timoshenko, J. M. Gere, Theory of Elastic Stability (1961), section 7.6 (shallow sine arch under a sine load).
"""

from __future__ import annotations

import json
import re
from math import hypot, pi, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass import connectors as con
from windlass.connectors import (
    CartesianSpringDamper,
    ContactCoordinate,
    Force,
    coordinate_marker,
    fix,
    hinge,
    position_marker,
    prescribe,
)
from windlass.elements import Cable2D, Ground, MassPoint, PointSlope2D, cable_along, catenary, helix, nodes_of
from windlass.framework.command_line import summary
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.runtime.petsc import PETSc
from windlass.solvers.static import Static

from support.processes import run_python
from support.verdict_models import driven_belt, falling_rope, loaded_rope

RISE, STIFFNESS = 0.3, 1e4
FREE = hypot(1.0, RISE)
# the limit dP/dy = 0 is at l³ = L0 a² with a = 1 m
LIMIT_LENGTH = FREE ** (1.0 / 3.0)
LIMIT_HEIGHT = sqrt(LIMIT_LENGTH**2 - 1.0)
LIMIT = 2.0 * STIFFNESS * (FREE - LIMIT_LENGTH) * LIMIT_HEIGHT / LIMIT_LENGTH


def pull(_t: float, _row: int, u: Any, _ut: Any, k: Any, _d: Any, _offset: Any) -> Any:
    """Return the force of a spring along its line, with the reference length FREE."""
    return k[0] * (1.0 - FREE / sqrt(u @ u)) * u


def stiffen(_t: float, _row: int, u: Any, _ut: Any, k: Any, _d: Any, _offset: Any) -> tuple[Any, Any]:
    """Return the derivatives of the force. Without this function, numerical differences would take most of the time."""
    length = sqrt(u @ u)
    return k[0] * ((1.0 - FREE / length) * np.eye(3) + FREE / length**3 * np.outer(u, u)), np.zeros((3, 3))


def create_truss(share: float) -> tuple[World, Entity]:
    """Create a truss of two springs with the span 2 m. The top of the truss is at the height RISE above the supports.
    The load is a fraction of the limit load.
    """
    world = World()
    top = world.add(MassPoint, name="top", position=(0.0, RISE), mass=1.0)
    marker = position_marker(world, top)
    for x in (-1.0, 1.0):
        end = position_marker(world, world.add(Ground), (x, 0.0))
        columns = {"stiffness": (STIFFNESS,) * 3, "force_function": pull, "force_derivative": stiffen}
        world.add(CartesianSpringDamper, marker0=end, marker1=marker, **columns)
    world.add(Force, marker=marker, vector=(0.0, -share * LIMIT, 0.0))
    return world, top


ELEMENTS, BENDING, AXIAL = 16, 1.0, 1e5
ARCH = 4.0 * sqrt(BENDING / AXIAL)
"""Height of the arch [m]: twice the smallest height for which snap-through occurs. The arch is too low to buckle
sideways.
"""


def find_arch_limit() -> float:
    """Return the limit load per length [N/m] at the crown of a sine arch of 1 m that has the height b under this load.

    The load is q = π⁴ EI (h - b) + π² b H with the thrust H = π² EA (h² - b²)/4.
    """
    b = np.linspace(0.0, ARCH, 200_001)
    loads = pi**4 * BENDING * (ARCH - b) + pi**4 * b * AXIAL * (ARCH**2 - b**2) / 4.0
    return float(loads.max())


def create_arch(share: float) -> tuple[World, Entity]:
    """Create an arch of cables, which has no internal forces in its initial shape, and return its crown. The load is a
    fraction of the limit load.
    """
    world, n = World(), ELEMENTS
    x = np.linspace(0.0, 1.0, n + 1)
    y, slope = ARCH * np.sin(pi * x), np.column_stack([np.ones(n + 1), pi * ARCH * np.cos(pi * x)])
    slope /= np.linalg.norm(slope, axis=1)[:, None]
    nodes = world.add(PointSlope2D, name="arch", position=np.column_stack([x, y]), slope=slope)
    columns = {"axial_stiffness": AXIAL, "bending_stiffness": BENDING, "mass_per_length": 1.0}
    length = np.hypot(np.diff(x), np.diff(y))
    world.add(Cable2D, node0=nodes[:n], node1=nodes[1:], length=length, strain_is_relative_to_reference=1.0, **columns)
    hinge(world, nodes[0]), hinge(world, nodes[n])
    forces = np.zeros((n + 1, 3))
    forces[:, 1] = -share * find_arch_limit() * np.sin(pi * x) / n
    world.add(Force, marker=position_marker(world, nodes[1:n]), vector=forces[1:n])
    return world, nodes[n // 2]


def find_jump(solver: Static) -> tuple[float, float, str]:
    """Return the load factors before and after the only jump of a solve, and the text on the largest displacement."""
    solver.solve()
    (reason,) = solver.verdict.reasons
    found = re.search(
        r"jumps between the load factors ([\d.]+) and ([\d.]+) \(snap-through\), most at (.*): no", reason
    )
    assert found is not None, reason
    return float(found[1]), float(found[2]), found[3]


def find_jump_onto(depth: float, share: float, steps: int) -> Static:
    """Return a completed solve of the truss above a stop. The stop is at the distance ``depth`` [m] below the top."""
    world, top = create_truss(share)
    world.add(ContactCoordinate, marker1=coordinate_marker(world, top, "y"), contact_stiffness=1e5, offset=-depth)
    solver = Static(world, name="", load_steps=steps)
    state = solver.solve()
    at = float(wl.eval_output(top, "displacement", state)[1])
    assert (-depth - 3e-3 < at < -depth) == (share > 1.0 or depth < RISE - LIMIT_HEIGHT)
    return solver


@pytest.mark.parametrize(
    ("share", "depth", "steps"),
    [
        (1.9, 0.35, 1),
        *(pytest.param(*case, marks=pytest.mark.long) for case in ((1.1, 0.2, 1), (1.1, 0.61, 5), (1.9, 0.35, 5))),
    ],
)
def test_truss_that_falls_onto_a_stop(share: float, depth: float, steps: int) -> None:
    """The truss jumps and hits a stop.

    The contact state does not settle, so the step size is reduced, and the verdict states the limit load.
    """
    (reason,) = find_jump_onto(depth, share, steps).verdict.reasons
    found = re.search(r"jumps between the load factors ([\d.]+) and ([\d.]+) \(snap-through\), most at top, y", reason)
    assert found is not None, reason
    before, after = float(found[1]), float(found[2])
    assert before - 1e-6 <= 1.0 / share <= after + 1e-6 and after - before < 2e-4


def test_jumps_of_a_solve_after_one_that_did_not_settle() -> None:
    """A solve ends with contacts that have not settled. The next solve of the same solver reports the same jump as a
    new solver, because load steps of the earlier solve are ignored.
    """
    world, _ = create_truss(3.3)
    solver = Static(world, name="", load_steps=3)
    first = find_jump(solver)
    assert solver._watch is not None
    solver._watch._rough = True
    assert find_jump(solver) == first


@pytest.mark.parametrize(("share", "depth"), [(0.97, 0.35), pytest.param(1.9, 0.05, marks=pytest.mark.long)])
def test_stops_that_are_reached_without_a_jump(share: float, depth: float) -> None:
    """If the load remains below the limit load, or if the truss touches a stop before its limit point, the verdict is
    "ok".
    """
    solver = find_jump_onto(depth, share, 5)
    assert solver.verdict.word == "ok" and not solver.verdict.notes


@pytest.mark.parametrize("steps", [1, 10])
@pytest.mark.parametrize("share", [1.02, 1.5, 3.3])
def test_truss_of_two_springs(share: float, steps: int) -> None:
    """The limit load lies between both reported load factors, which differ by 1/1024 of a load step.

    The top of the truss moves below the supports.
    """
    world, _ = create_truss(share)
    before, after, words = find_jump(Static(world, name="", load_steps=steps))
    assert before - 1e-6 <= 1.0 / share <= after + 1e-6
    assert after - before < 2.0 / (1000.0 * steps)
    name, way = words.split(", by ")
    assert name == "top, y" and -2.2 * LIMIT_HEIGHT - RISE < float(way.split()[0]) < -2.5 * LIMIT_HEIGHT


@pytest.mark.parametrize("steps", [1, 10])
@pytest.mark.parametrize("share", [1.03, 2.0])
def test_shallow_arch(share: float, steps: int) -> None:
    """The limit load of a sine arch of 16 cables agrees with theory within 0.3 %, both with one load step and with ten
    load steps. The message names the crown of the arch.
    """
    world, _ = create_arch(share)
    before, after, words = find_jump(Static(world, name="", load_steps=steps))
    assert_allclose(share * 0.5 * (before + after), 1.0, rtol=3e-3)
    assert words.startswith("arch 8, y, by -") and words.endswith(" m")


@pytest.mark.parametrize("create", [create_truss, create_arch])
@pytest.mark.parametrize("share", [10.0, 30.0, 200.0, 1000.0])
def test_far_beyond_the_limit(share: float, create: Any) -> None:
    """A single load step to many times the limit load reports the limit load within 0.5 %, although the structure is
    stiff at the end of the step.
    """
    before, after, _ = find_jump(Static(create(share)[0], name=""))
    assert_allclose(share * 0.5 * (before + after), 1.0, rtol=5e-3)


def find_soft_limit(stiffness: float) -> float:
    """Return the displacement ``hand`` [m] of the end of the spring at which the truss snaps through, from P(y) =
    stiffness (hand - (RISE - y)).
    """
    y = np.linspace(RISE, 0.0, 200_001)
    length = np.hypot(1.0, y)
    return float((2.0 * STIFFNESS * (FREE - length) * y / length / stiffness + RISE - y).max())


@pytest.mark.parametrize(("steps", "pushes"), [(1, "spring"), (4, "spring"), (1, "contact")])
@pytest.mark.parametrize(("share", "jumps"), [(0.97, False), (1.03, True), (3.0, True)])
def test_prescribed_motion(share: float, jumps: bool, steps: int, pushes: str) -> None:
    """A soft spring pushes a truss down. The truss snaps through at the theoretical displacement of the end of the
    spring.

    With a soft contact instead of the spring, the truss snaps through at the same displacement, and the contact opens
    when the truss jumps away.
    """
    soft = 0.1 * STIFFNESS * RISE**2
    world, top = create_truss(0.0)
    hand = world.add(MassPoint, name="hand", position=(0.0, RISE), mass=1.0)
    if pushes == "spring":
        markers = [position_marker(world, body) for body in (hand, top)]
        world.add(CartesianSpringDamper, marker0=markers[0], marker1=markers[1], stiffness=(0.0, soft, 0.0))
    else:
        under, over = (coordinate_marker(world, body, "y") for body in (top, hand))
        world.add(ContactCoordinate, marker0=under, marker1=over, contact_stiffness=soft)
    fix(world, top, "x"), fix(world, hand, "x")
    prescribe(world, hand, "y", lambda _t: -share * find_soft_limit(soft))
    solver = Static(world, name="", load_steps=steps)
    solver.solve()
    if not jumps:
        assert solver.verdict.reasons == []
        return
    (reason,) = solver.verdict.reasons
    found = re.search(r"jumps between ([\d.]+) and ([\d.]+) of the prescribed motion .*most at top, y, by -", reason)
    assert found is not None, reason
    assert float(found[1]) - 1e-6 <= 1.0 / share <= float(found[2]) + 1e-6
    assert float(found[2]) - float(found[1]) < 2e-3


@pytest.mark.parametrize("steps", [1, 10])
@pytest.mark.parametrize("create", [create_truss, create_arch])
def test_below_the_limit_nothing_is_said(create: Any, steps: int) -> None:
    for share in (0.5, 0.97):
        solver = Static(create(share)[0], name="", load_steps=steps)
        solver.solve()
        assert solver.verdict.word == "ok"


def test_healthy_solves_do_not_jump() -> None:
    """No jump is reported for belts, ropes over drums, and straight ropes that fall and become slack, although these
    models have large displacements and contacts.
    """
    solved: list[Static] = []
    original = Static.solve

    def solve(solver: Static, *args: Any, **kwargs: Any) -> Any:
        solved.append(solver)
        return original(solver, *args, **kwargs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Static, "solve", solve)
        for stiffness in (1e6, 1e7, 1e8):
            driven_belt(stiffness)
        for stretch, contact in ((1e4, 1e6), (1e5, 1e6), (1e6, 1e7)):
            loaded_rope(stretch, contact)
        for drop in (0.02, 0.1):
            Static(falling_rope(drop)[0].assembly.world, name="", load_steps=20, stabiliser=100.0).solve()
    assert len(solved) == 8 and [solver._jumps for solver in solved] == [[]] * 8
    # with these settings, steps are accepted as in other programs, so ropes have no friction at the first contact; no
    # other result is doubtful
    (doubt,) = [reason for solver in solved for reason in solver.verdict.reasons]
    assert "have no friction yet" in doubt


def test_line_that_is_soft_without_load() -> None:
    """Without tension, only the bending stiffness supports a line of one element, so its slopes rotate by 0.009 under
    the first millionth of the weight.

    This rotation is not a jump, and needs few iterations. The message does not name rounding errors of the positions of
    supports.
    """
    world = wl.World(gravity=(0.0, -9.81))
    laws = {"mass_per_length": 1.0, "axial_stiffness": 1e5, "bending_stiffness": 1e-5}
    line = catenary(world, (0.0, 0.0), (100.0, 20.0), 1, length=115.0, **laws)
    nodes = nodes_of(world, line)
    hinge(world, nodes[0]), hinge(world, nodes[1])
    solver = Static(world, rtol=1e-12, atol=1e-9, name="")
    solver.solve()
    (reason,) = solver.verdict.reasons
    assert "does not resolve the bend" in reason and solver.statistics.newton_iterations < 50
    assert solver._watch is not None
    assert solver._watch._name_largest(np.array([0.0, 2e-14, 1e-3, 9e-3, 0, 0, 0, 0])).startswith(
        "cable node 0, y', by"
    )
    assert solver._watch._name_largest(np.array([0.0, 2e-12, 1e-3, 9e-3, 0, 0, 0, 0])).startswith("cable node 0, y, by")


def test_rope_hauled_around_a_drum() -> None:
    """A rope is pulled around a drum with friction by a tenth of an element per solve.

    The motion is smooth, so no jump is reported, and the search for a jump needs few iterations.
    """
    radius, n, length, force = 0.12, 32, 2.0 * np.pi * 0.12 / 32, 150.0
    world = wl.World()
    route = helix((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), radius, 1.0, pitch=0.0, strands=6.0 * length)
    rope = cable_along(world, route, n + 12, mass_per_length=1.0, axial_stiffness=2e5, bending_stiffness=1e-4)
    nodes = nodes_of(world, rope)
    first, last = nodes[0], nodes[n + 12]
    world.add(con.Force, marker=con.position_marker(world, first), vector=-force * np.asarray(first.slope))
    along = np.asarray(last.slope)
    for axis, share in zip("xyz", along, strict=True):
        con.prescribe(world, last, axis, con.table((0.0, 1e3), (0.0, 1e3 * share)))
    drum = world.add(con.DrumSurface, marker=con.rigid_marker(world, world.add(Ground)), radius=radius - 0.004)
    contact = con.add_surface_contact(world, drum, rope, points=4, rope_radius=0.004, contact_stiffness_per_length=5e7)
    settings: dict[str, Any] = {"atol": 1e-6, "passes": wl.Passes(atol=1e-3, max_it=30), "name": ""}
    state = wl.Static(world, load_steps=5, **settings).solve()
    world.set(contact, friction_coefficient=0.2, friction_stiffness_per_length=5e7)
    solver = wl.Static(world, adaptive=False, **settings)
    places = []
    for k in range(1, 13):
        solver.time = 0.1 * k * length
        state = solver.solve(state)
        assert solver.verdict.reasons == []
        places.append(wl.eval_output(first, "position", state))
    steps = np.diff(places, axis=0)
    assert_allclose(steps @ -np.asarray(first.slope), -0.1 * length, rtol=0.02)
    assert solver.statistics.newton_iterations < 300


def test_jump_is_part_of_summary_and_options(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    database, file = PETSc.Options(), tmp_path / "summary.json"
    world, _ = create_truss(1.5)
    Static(world, name="truss", load_steps=4).solve()
    assert "doubtful result of truss: the equilibrium jumps between the load factors 0.66" in capsys.readouterr().err
    database.setValue("summary", str(file))
    try:
        summary.write_summary({})
        last = json.loads(file.read_text())["verdicts"][-1]
        assert last["solve"] == "truss" and "snap-through" in last["reasons"][0]
        solver = Static(create_truss(1.5)[0], name="", load_steps=4)
        database.setValue("verdict", "fail")
        with pytest.raises(wl.DoubtfulError, match="snap-through"):
            solver.solve()
    finally:
        database.delValue("summary"), database.delValue("verdict")
    solver = Static(create_truss(1.5)[0], name="", stability="off")
    solver.solve()
    assert solver.verdict.word == "ok"


MODEL = """
import sys
sys.path[:0] = {paths}
import windlass as wl
from test_snap_through import create_arch
solver = wl.Static(create_arch(2.0)[0], name="")
solver.solve()
if wl.is_first_process():
    print(solver.verdict.describe())
"""


@pytest.mark.mpi
def test_several_processes(tmp_path: Path) -> None:
    """Runs on one and two processes report the same jump."""
    here = Path(__file__).resolve().parent
    (tmp_path / "model.py").write_text(MODEL.format(paths=[str(here), str(here.parent)]))
    alone, together = (run_python(["model.py"], processes, tmp_path).stdout.strip() for processes in (1, 2))
    assert "snap-through" in alone and alone == together
