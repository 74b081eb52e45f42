"""Columns are changed by `World.set` between steps, and results are compared with a model that is built with the final
values. Where the law allows it, the arrays of the kernels receive the new values without a new build of the model.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import windlass as wl
from windlass import connectors as con
from windlass import elements as el
from windlass.framework.assembly.parallel_assembly import parallel_assembly
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.solvers.verdicts.rope_watch import RopeWatch

STEP, END = 1e-3, 0.02


def create_model(kind: str, **values: Any) -> tuple[World, Entity]:
    """Create a mass on a spring of the type ``kind`` with a load. Return the world, and the entity that has the columns
    ``values``.
    """
    world = World()
    ground = world.add(el.Ground)
    node = world.add(el.Point2D, position=(1.0, 0.5), velocity=(0.0, 0.2))
    world.add(el.MassPoint, node=node, mass=2.0)
    marker = con.position_marker(world, node)
    base = con.position_marker(world, ground)
    x = con.coordinate_marker(world, node, "x")
    if kind == "CoordinateConstraint":
        return world, world.add(con.CoordinateConstraint, marker1=x, **({"offset": 0.0} | values))
    world.add(con.CartesianSpringDamper, marker0=base, marker1=marker, stiffness=(5.0, 3.0, 0.0))
    if kind == "Force":
        return world, world.add(con.Force, marker=marker, **({"vector": (1.0, 2.0, 0.0)} | values))
    if kind == "CoordinateLoad":
        return world, world.add(con.CoordinateLoad, marker=x, **({"value": 1.0} | values))
    if kind == "SpringDamper":
        given = {"stiffness": 40.0, "damping": 1.0, "rest_length": 1.0, "preload": 2.0} | values
        return world, world.add(con.SpringDamper, marker0=base, marker1=marker, **given)
    if kind == "CartesianSpringDamper":
        given = {"stiffness": (9.0, 8.0, 1.0), "damping": (1.0, 1.0, 1.0), "offset": (0.1, 0.2, 0.3)} | values
        return world, world.add(con.CartesianSpringDamper, marker0=base, marker1=marker, **given)
    component = {"CoordinateSpringDamper": con.CoordinateSpringDamper, "Ext": con.CoordinateSpringDamperExt}[kind]
    return world, world.add(component, marker1=x, **({"stiffness": 40.0, "damping": 1.0, "offset": 0.3} | values))


def solve(world: World, hooks: list[Any] = [], **other: Any) -> wl.State:  # noqa: B006  the list is not changed
    """Integrate to the end time, and return the state."""
    return wl.Dynamic(world, step=STEP, end=END, lag=False, **other).solve(hooks=hooks)


CHANGES = [
    ("CoordinateSpringDamper", {"stiffness": 70.0, "damping": 3.0, "offset": 0.5}),
    ("Ext", {"stiffness": 70.0, "damping": 3.0, "offset": 0.5}),
    ("CartesianSpringDamper", {"stiffness": (7.0, 6.0, 2.0), "offset": (0.2, 0.4, 0.1)}),
    ("CartesianSpringDamper", {"damping": (2.0, 3.0, 4.0)}),
    ("SpringDamper", {"stiffness": 70.0, "damping": 3.0, "rest_length": 1.2, "preload": 3.0}),
    ("Force", {"vector": (3.0, -1.0, 0.0)}),
    ("CoordinateLoad", {"value": -3.0}),
    ("CoordinateConstraint", {"offset": 1e-4}),
]


@pytest.mark.parametrize(("kind", "values"), CHANGES)
def test_changes_in_place_equal_a_new_build(kind: str, values: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """After a change in the sixth step, the state, the energy ledger and the verdict are equal with and without a new
    build of the system.
    """
    found, ledgers, verdicts = [], [], []
    for in_place in (True, False):
        world, entity = create_model(kind)
        assembly = parallel_assembly(world)
        if not in_place:
            monkeypatch.setattr(type(assembly), "_copy_changes", lambda self, component: False)
        revisions = []

        def change(state: wl.State, world: World = world, entity: Entity = entity) -> None:
            revisions.append(parallel_assembly(world).revision)  # noqa: B023  used within this turn of the loop
            if state.step == 5:
                world.set(entity, **values)

        solver, ledger = wl.Dynamic(world, step=STEP, end=END, lag=False), wl.EnergyLedger(None)
        found.append(solver.solve(hooks=[change, ledger]))
        ledgers.append({name: float(value) for name, value in ledger._sums.items()})
        verdicts.append((solver.verdict.reasons, solver.verdict.notes, solver.verdict.energy))
        assert (revisions[-1] == revisions[4]) == in_place
    for name in ("q", "v", "a", "lam"):
        assert np.array_equal(getattr(found[0], name), getattr(found[1], name)), name
    assert ledgers[0] == ledgers[1]
    assert repr(verdicts[0]) == repr(verdicts[1])
    before = solve(create_model(kind)[0])
    assert not np.allclose(before.q, found[0].q, rtol=1e-6, atol=0.0)


@pytest.mark.parametrize(("kind", "values"), CHANGES)
def test_changed_values_reach_forces_and_outputs(kind: str, values: dict[str, Any]) -> None:
    """Forces and outputs after a change equal the forces and outputs of a model that is built with the new values."""
    world, entity = create_model(kind)
    state = wl.State(world)
    # this evaluation caches the initial values for the output
    wl.eval_output(entity, "force", state)
    world.set(entity, **values)
    other, there = create_model(kind, **values)
    mine, wanted = (find_forces(*given) for given in ((world, entity), (other, there)))
    for a, b in zip(mine, wanted, strict=True):
        assert np.array_equal(a, b)
    # a second change also affects the forces
    world.set(entity, **values)
    assert np.array_equal(find_forces(world, entity)[0], wanted[0])


def find_forces(world: World, entity: Entity) -> tuple[Any, Any]:
    """Return the residual at the start (forces minus loads, and constraint equations) and the output ``force``."""
    assembly, state = parallel_assembly(world), wl.State(world)
    state.lam[:] = 0.7
    assembly.refresh()
    assembly.load_fields(state)
    f, c = np.zeros(len(assembly.fields.x)), np.zeros(len(assembly.fields.lam))
    assembly.add_loads(f, -1.0)
    assembly.add_forces(f)
    assembly.add_constraints(c, f)
    return np.concatenate((f, c)), wl.eval_output(entity, "force", state)


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("CoordinateSpringDamper", {"damping": 0.0}),  # the damping determines whether the spring conserves energy
        ("CoordinateSpringDamper", {"active": False}),
        ("Force", {"vector": (0.0, 1.0, 0.0), "active": False}),
        ("CoordinateConstraint", {"ratio": 2.0}),
    ],
)
def test_other_changes_build_the_system_again(kind: str, values: dict[str, Any]) -> None:
    """If a change affects more than the arrays of kernels, the system is built again."""
    world, entity = create_model(kind)
    assembly = parallel_assembly(world)
    component = entity.table.component
    system = assembly.layout.systems[component]
    world.set(entity, **values)
    assembly.refresh()
    assert assembly.layout.systems[component] is not system


def test_rows_with_user_functions_are_built_again() -> None:
    """User functions receive changed parameters."""
    seen = list[float]()

    def force(t: float, row: int, u: float, ut: float, k: float, d: float, offset: float) -> float:
        seen.append(k)
        return k * u

    world, entity = create_model("CoordinateSpringDamper", force_function=force)
    find_forces(world, entity)
    world.set(entity, stiffness=41.0)
    find_forces(world, entity)
    assert seen[0] == 40.0
    assert seen[-1] == 41.0


def test_rows_with_functions_of_time_keep_them() -> None:
    """A changed constant does not replace the value of a function of time in another row."""
    world, first = create_model("Force")
    marker = con.position_marker(world, world.add(el.Point2D, position=(0.0, 0.0)))
    world.add(con.Force, marker=marker, function=lambda t: np.array([7.0, 0.0, 0.0]))
    find_forces(world, first)
    world.set(first, vector=(5.0, 0.0, 0.0))
    assembly = parallel_assembly(world)
    assembly.refresh()
    f = np.zeros(len(assembly.fields.x))
    assembly.add_loads(f)
    assert sorted(f[np.abs(f) > 4.0]) == [5.0, 7.0]


def count_tangents(change: Callable[[World, Entity, wl.State], None], kind: str) -> int:
    """Return the number of tangents of a run in which a function changes the model in each step."""
    world, entity = create_model(kind)
    # without projections onto constraints after kinks, because projections use the matrix of the tangent
    solver = wl.Dynamic(world, step=STEP, end=END, project=False)
    solver.solve(hooks=[lambda state: change(world, entity, state)])
    return solver.problem.tangent_count


def test_loads_do_not_change_the_tangent() -> None:
    """If loads or offsets of constraints change, the tangent is reused. If a stiffness changes, the tangent is
    evaluated again.
    """
    kept = count_tangents(lambda world, load, s: world.set(load, vector=(1.0 + s.t, 0.5, 0.0)), "Force")
    offset = count_tangents(
        lambda world, row, s: world.set(row, offset=1e-3 * (s.t + STEP) ** 2), "CoordinateConstraint"
    )
    stiffness = count_tangents(lambda world, row, s: world.set(row, stiffness=40.0 + s.t), "CoordinateSpringDamper")
    assert kept <= 2
    assert offset <= 2
    assert stiffness >= END / STEP


def test_a_change_resets_the_data_of_ropes(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the compiled program that watches tensions is reset after a change of the model, its data equal the data of a
    newly created program.
    """
    found = []
    for reset in (RopeWatch._reset, RopeWatch._lay_down):
        monkeypatch.setattr(RopeWatch, "_reset", reset)
        world = World()
        nodes = [world.add(el.PointSlope2D, position=(x, 0.0), slope=(1.0, 0.0)) for x in (0.0, 1.0)]
        stiffness = {"axial_stiffness": 1e4, "bending_stiffness": 1.0}
        world.add(el.Cable2D, node0=nodes[0], node1=nodes[1], length=1.0, mass_per_length=1.0, **stiffness)
        con.fix(world, nodes[0], "x", "y")
        pull = world.add(con.CoordinateLoad, marker=con.coordinate_marker(world, nodes[1], "x"), value=1.0)
        programs = []

        def change(state: wl.State, world: World = world, pull: Entity = pull) -> None:
            programs.append(solver.ropes._program)  # noqa: B023  used within this turn of the loop
            if state.step == 12:
                world.set(pull, value=30.0)

        solver = wl.Dynamic(world, step=STEP, end=END)
        solver.solve(hooks=[change])
        assert solver.ropes._pulls
        assert (programs[0] is programs[-1]) == (reset is not RopeWatch._lay_down)
        found.append(solver.ropes.checkpoint())
    assert repr(found[0]) == repr(found[1])
    assert any(np.any(values) for values in found[0]["known"].values())
