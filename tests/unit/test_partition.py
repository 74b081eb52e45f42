"""Tests of the partition of a model among processes: cut edges, balance, hubs, order of unknowns, options."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from windlass.connectors import CartesianSpringDamper, fix, position_marker
from windlass.elements import RigidBody2D, cable_around, nodes_of, straight_cable
from windlass.framework.errors import OptionError
from windlass.framework.layout.layout import Layout
from windlass.framework.layout.partition import (
    Graph,
    count_cut,
    create_graph,
    cut_graph,
    cut_ranges,
    find_hubs,
    find_owners,
)
from windlass.framework.model.law import law_of
from windlass.framework.model.world import World
from windlass.framework.runtime.petsc import PETSc

from support.nets import CABLE, build_net

LINES = 40


def graph_of(world: World) -> Graph:
    """Return the graph of a world."""
    world.finalize()
    couplings = []
    for component, table in world.tables.items():
        law = law_of(component)
        if law is not None and law.role not in ("node", "marker", "data"):
            couplings.append(world.table_dofs(table))
    return create_graph(world, couplings, find_hubs(couplings, world.numbering.count))


def net_graph(shuffled: bool) -> Graph:
    """Return the graph of a net, with crossings in order or in random order."""
    world = World()
    build_net(world, LINES, np.random.default_rng(1).permutation(LINES**2) if shuffled else None)
    return graph_of(world)


@pytest.mark.parametrize("size", [2, 3, 7])
@pytest.mark.parametrize("shuffled", [False, True])
def test_net_is_cut_about_as_well_as_by_straight_lines(size: int, shuffled: bool) -> None:
    """The partition of a net cuts at most 1.3 times as many edges as straight cuts.

    A straight cut between two columns of crossings cuts 3 edges per line: one between positions, and one to each slope.
    """
    graph = net_graph(shuffled)
    owner = find_owners(graph, size)
    straight = 3 * LINES * (size - 1)
    assert count_cut(graph, owner) < 1.3 * straight
    work = np.bincount(owner, graph.weight, minlength=size)
    np.testing.assert_allclose(work, work.mean(), rtol=0.06)
    if shuffled:
        assert count_cut(graph, cut_ranges(graph, size)) > 8 * straight


def test_partition_is_repeatable() -> None:
    graph = net_graph(True)
    first = find_owners(graph, 3)
    for _ in range(3):
        np.testing.assert_array_equal(find_owners(graph, 3), first)


@pytest.mark.parametrize("closed", [False, True])
def test_chain_is_cut_into_ranges(closed: bool) -> None:
    world = World()
    if closed:
        pulleys = [world.add(RigidBody2D, position=(x, 0.0), mass=1.0, inertia=1.0) for x in (0.0, 10.0)]
        nodes = nodes_of(world, cable_around(world, pulleys, 60, radius=1.0, **CABLE))
    else:
        nodes = nodes_of(world, straight_cable(world, (0, 0), (1, 0), 60, **CABLE))
    graph = graph_of(world)
    owner = find_owners(graph, 4)
    assert count_cut(graph, owner) == (4 if closed else 3)
    along = owner[graph.vertex[world.dofs_of(nodes)[:, 0]]]
    assert (np.diff(along) >= 0).all()
    assert np.bincount(along).max() <= 16


def test_chain_in_random_order_is_cut_into_few_pieces() -> None:
    world = World()
    nodes = world.add(RigidBody2D, position=np.zeros((1000, 2)), mass=1.0, inertia=1.0)
    place = np.random.default_rng(2).permutation(1000)
    markers = position_marker(world, nodes)
    world.add(CartesianSpringDamper, marker0=markers[place[:-1]], marker1=markers[place[1:]], stiffness=(1.0, 1.0, 0.0))
    graph = graph_of(world)
    assert count_cut(graph, find_owners(graph, 2)) <= 3
    assert count_cut(graph, cut_ranges(graph, 2)) > 300


def hub_world() -> World:
    """Create two bodies (hubs), each connected by springs to half of many points. A hub is the first marker of each
    spring.
    """
    world = World()
    hubs = [world.add(RigidBody2D, position=(0.0, y), mass=1.0, inertia=1.0) for y in (0.0, 1.0)]
    bodies = world.add(RigidBody2D, position=np.ones((100, 2)), mass=1.0, inertia=1.0)
    for hub, part in zip(hubs, (slice(50, 100), slice(0, 50)), strict=True):
        ends = {"marker0": position_marker(world, hub), "marker1": position_marker(world, bodies[part])}
        world.add(CartesianSpringDamper, **ends, stiffness=(1.0, 1.0, 0.0))
    return world


def test_hubs_tie_nothing_together_and_do_not_gather_rows() -> None:
    world = hub_world()
    graph = graph_of(world)
    assert len(graph.edges) == 0
    owner = find_owners(graph, 2)
    # each hub is on the process of its springs
    assert owner[:2].tolist() == [1, 0]
    layouts = [Layout(world, rank, 2) for rank in range(2)]
    assert [len(layout.rows[CartesianSpringDamper]) for layout in layouts] == [50, 50]


@pytest.mark.parametrize("size", [2, 3])
def test_unknowns_of_all_processes_are_a_safe_order(size: int) -> None:
    """Every unknown has one owner. The multiplier of a support follows the coordinate that the support fixes."""
    world = World()
    _, nodes = build_net(world, 12, np.random.default_rng(3).permutation(144))
    fix(world, nodes[:12], "x", "y")
    world.finalize()
    seen: list[int] = []
    for rank in range(size):
        layout = Layout(world, rank, size)
        seen += layout.unknowns.numbers[: layout.unknowns.owned].tolist()
        for component, rows in layout.rows.items():
            if component in world.numbering.first_multiplier:
                own = layout.unknowns.of_multiplier[layout.multipliers(world.tables[component], rows)]
                dofs = layout.local_dofs(world.table_dofs(world.tables[component])[rows])
                held = layout.unknowns.of_dof[dofs[dofs < layout.spare].reshape(len(rows), -1)]
                assert (own > held).all()
    assert sorted(seen) == list(range(len(seen)))
    assert len(seen) == world.numbering.count + world.numbering.multiplier_count


@pytest.mark.parametrize("size", [5, 9])
def test_more_processes_than_nodes(size: int) -> None:
    """With more processes than nodes, some processes own no coordinate, but every coordinate has an owner."""
    world = World()
    straight_cable(world, (0, 0), (1, 0), 2, **CABLE)
    world.finalize()
    layouts = [Layout(world, rank, size) for rank in range(size)]
    owned = np.concatenate([layout.owned for layout in layouts])
    np.testing.assert_array_equal(np.sort(owned), np.arange(world.numbering.count))


def test_options_choose_the_partition(request: pytest.FixtureRequest) -> None:
    """The options -partition rows and graph, and -mat_partitioning_type, choose the partition. A wrong type causes an
    error of the options.
    """
    set_option(request, "partition", "rows")
    world = World()
    build_net(world, 20, np.random.default_rng(3).permutation(400))
    graph = graph_of(world)
    ranges = count_cut_of(world, graph)
    set_option(request, "partition", "graph")
    assert count_cut_of(world, graph) < 0.2 * ranges
    set_option(request, "mat_partitioning_type", "average")
    assert count_cut_of(world, graph) > 0.5 * ranges
    set_option(request, "mat_partitioning_type", "scissors")
    with pytest.raises(OptionError, match="-mat_partitioning_type scissors: PETSc cannot cut the model into 2 parts"):
        cut_graph(graph, 2)


def count_cut_of(world: World, graph: Graph) -> int:
    """Return the number of edges that the partition of a layout cuts."""
    second = np.zeros(world.numbering.count, np.int64)
    second[Layout(world, 1, 2).owned] = 1
    owner = np.zeros(len(graph.weight), np.int64)
    owner[graph.vertex] = second
    return count_cut(graph, owner)


def set_option(request: pytest.FixtureRequest, name: str, value: str) -> None:
    """Set an option for the rest of a test."""
    database = PETSc.Options()
    database.setValue(name, value)
    remove: Callable[[], None] = lambda: database.delValue(name)  # noqa: E731
    request.addfinalizer(remove)
