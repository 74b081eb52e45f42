"""Program for mpiexec: worlds that are built in parts, row by row, by builders and from a mesh, and errors of building.

Usage: parallel_building.py MESH OUT.json [options of Windlass]. The last error is not caught.
"""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

ELEMENTS = 24
STIFF: dict[str, Any] = {"mass_per_length": 0.5, "axial_stiffness": 5e3, "bending_stiffness": 0.05}


def add_rows(world: Any, y: float, elements: int = ELEMENTS) -> tuple[Any, Any]:
    """Add nodes and cables of a chain from x = 0 to 6 m. A node between two parts is given by both processes."""
    import windlass as wl
    from windlass.elements import Cable2D, PointSlope2D

    mine = wl.Part.equal(elements)
    numbers = np.union1d(mine.numbers, mine.numbers + 1)
    position = np.stack((numbers * 6.0 / elements, np.full(len(numbers), y)), axis=1)
    nodes = world.add(PointSlope2D, name="node", part=wl.Part(elements + 1, numbers), position=position)
    ends = {"node0": nodes[mine.numbers], "node1": nodes[mine.numbers + 1].ids}
    columns = {**STIFF, **ends, "reference_strain": -0.01, "length": 6.0 / elements}
    return nodes, world.add(Cable2D, name="chain", part=mine, **columns)


def solve_chains() -> dict[str, Any]:
    """Solve two chains that are joined, are fixed in the middle of parts, and touch one wheel, with springs between the
    chains.
    """
    import windlass as wl
    import windlass.connectors as con
    from windlass.elements import Cable2D, MassPoint, RigidBody2D, nodes_of, straight_cable

    world = wl.World(gravity=(0.0, -9.81))
    nodes, chain = add_rows(world, 0.0)
    other = straight_cable(world, (0.5, 0.0), (6.5, 0.0), ELEMENTS - 1, name="other", reference_strain=-0.01, **STIFF)
    found = nodes_of(world, other)
    world.add(Cable2D, name="joint", node0=nodes[ELEMENTS], node1=found[ELEMENTS - 1], length=0.5, **STIFF)
    con.fix(world, nodes[np.array([0, ELEMENTS // 3])], "x", "y")
    con.fix(world, found[0], "x", "y")
    wheel = world.add(RigidBody2D, position=(3.0, -0.52), mass=1.0, inertia=0.1, name="wheel")
    con.fix(world, wheel, "x", "y", "rotation")
    contacts = con.add_contact(
        world, con.ContactFrictionCircleCable2D, circles=[wheel], cables=chain, segments=2,
        circle_radius=0.5, contact_stiffness_per_length=1e4, friction_coefficient=0.2,
    )  # fmt: skip
    ends = {"marker0": con.position_marker(world, nodes[2::5]), "marker1": con.position_marker(world, found[2::5])}
    springs = world.add(con.CartesianSpringDamper, stiffness=(50.0, 50.0, 0.0), **ends)
    mass = world.add(MassPoint, position=(7.0, 0.0), mass=1.0)
    con.fix(world, mass, "x", "y")
    before = [float(chain.length.sum()), nodes.position[:, 0].tolist(), nodes[5].name]
    state = wl.Dynamic(world, step=1e-3, end=0.01, rtol=1e-12, passes=wl.Passes(atol=1e-6)).solve()
    whole = state.gather()
    return {
        "before": before,
        "q": whole.q.tolist(),
        "data": whole.data.tolist(),
        "force": wl.eval_output(chain, "axial_force", state, x=0.1).tolist(),
        "spring": wl.eval_output(springs, "force", state).tolist(),
        "coordinates": world.dofs_of(chain).tolist(),
        "of": state.of(nodes).tolist(),
        "contacts": len(contacts),
        "held": [(t.kind, t.resident_count, t.count) for t in (chain.table, nodes.table)],
    }


def solve_net(mesh: Path) -> dict[str, Any]:
    """Solve a net from a file with randomly ordered points, and return numbers, names, sets and a motion."""
    import windlass as wl
    import windlass.connectors as con
    from windlass.elements import cables_from_mesh

    world = wl.World(gravity=(1.0, -9.81))
    columns = {**STIFF, "reference_strain": -0.02}
    sections = {"along": {"mass_per_length": 0.7}, "across": {}}
    net = cables_from_mesh(world, mesh, sections=sections, cables_per_line=2, slopes="through", **columns)
    con.fix(world, net.nodes["held"], "x", "y")
    pull = world.add(con.Force, marker=con.position_marker(world, net.nodes["across"][::7]), vector=(0.0, -5.0, 0.0))
    before = [net.describe(), net.all_nodes[7].name, net.slope_nodes["along"].ids.tolist(), pull.marker.tolist()]
    state = wl.Dynamic(world, step=1e-3, end=0.01, rtol=1e-12).solve()
    counts = world.numbering.count, world.numbering.multiplier_count
    return {
        "net": [*before, *counts, world.dofs_of(net.all_cables).tolist(), net.cables["across"][3].length.tolist()],
        "q": state.gather().q.tolist(),
        "held": [(t.kind, t.resident_count, t.count) for t in (net.all_cables.table, net.all_nodes.table)],
    }


def solve_twist_net(mesh: Path, everywhere: bool) -> dict[str, Any]:
    """Solve the net of `solve_net` with torsion in one of its sections, or everywhere as a fibre rope. Return numbers,
    columns, and a motion.
    """
    import windlass as wl
    import windlass.connectors as con
    from windlass.elements import cables_from_mesh

    world = wl.World(gravity=(1.0, -2.0, -9.81))
    rod = {"torsional_stiffness": 0.5, "rotary_inertia": 1e-3, "coupling": 1.0}
    across = {"reference_twist": 0.3, **rod}
    sections = {"along": {"normal": (1.0, 0.0, 1.0), "mass_per_length": 0.7}, "across": across}
    if everywhere:
        sections["along"] |= rod
    else:
        sections["along"] = {"mass_per_length": 0.7}
    given = {"sections": sections, "cables_per_line": 2, "slopes": "through", "in_space": True, **STIFF}
    fibre = {"slow_stiffness": 2e3, "slow_damping": 1e3, "slow_strain": 0.001} if everywhere else {}
    whole = cables_from_mesh(world, mesh, **given, **fibre, reference_strain=-0.02)
    net = whole.with_torsion or whole
    for part in {id(net): net, id(whole): whole}.values():
        if "held" in part.nodes:
            con.fix(world, part.nodes["held"], "x", "y", "z")
    state = wl.Dynamic(world, step=1e-3, end=0.01, rtol=1e-12).solve()
    numbers = world.numbering.count, world.numbering.multiplier_count, world.dofs_of(net.all_cables).tolist()
    return {
        "net": [
            *numbers,
            net.all_nodes.normal.tolist(),
            net.cables["across"].reference_twist.tolist(),
            whole.describe(),
        ],
        "q": state.gather().q.tolist(),
        "torque": wl.eval_output(net.all_cables, "torque", state).tolist(),
        "held": [(t.kind, t.resident_count, t.count) for t in (net.all_cables.table, net.all_nodes.table)],
    }


def raised(work: Any) -> str:
    """Call a function, and return the message of its error."""
    import windlass as wl

    try:
        work()
    except wl.WindlassError as error:
        return str(error)
    return "nothing raised"


def list_errors(rank: int, size: int, mesh: Path) -> dict[str, str]:
    """Return the messages of errors in parts of a world."""
    import windlass as wl
    import windlass.connectors as con
    from windlass.elements import MassPoint, Point2D, PointSlope2D, cables_from_mesh

    def lost() -> None:
        world = wl.World()
        every = np.arange(8)
        world.add(Point2D, part=wl.Part(8, every[every != 5]), position=(0.0, 0.0))
        world.finalize()

    def disagree() -> None:
        world, mine = wl.World(), wl.Part(6, np.arange(6))
        position = np.stack((np.arange(6.0), np.zeros(6)), axis=1)
        position[4, 1] = 0.5 * (rank == size - 1)
        world.add(Point2D, part=mine, position=position)
        world.finalize()

    def zero_slope() -> None:
        world, mine = wl.World(), wl.Part.equal(9)
        slope = np.where(mine.numbers[:, None] == 7, 0.0, 1.0) * np.ones((len(mine.numbers), 2))
        world.add(PointSlope2D, part=mine, position=np.zeros((len(mine.numbers), 2)), slope=slope)
        world.finalize()

    def negative() -> None:
        wl.World().add(Point2D, part=wl.Part(4, np.array([1, 1])), position=(0.0, 0.0))

    def no_count() -> None:
        wl.Part.equal(-1)

    def made() -> None:
        wl.World().add(MassPoint, part=wl.Part(3, np.arange(1, 3)), position=np.zeros((2, 2)), mass=1.0)

    def no_history() -> None:
        world, mine = wl.World(), wl.Part(3, np.arange(1, 3))
        points = world.add(Point2D, position=np.zeros((3, 2)))
        ends = {"marker0": con.coordinate_marker(world, None), "marker1": con.coordinate_marker(world, points[0], "x")}
        world.add(con.ContactCoordinate, part=mine, contact_stiffness=1.0, **ends)

    def too_few() -> None:
        wl.World().add(Point2D, part=wl.Part(4, np.arange(4)), position=np.zeros((3, 2)))

    def no_group() -> None:
        cables_from_mesh(wl.World(), mesh, sections={"diagonal": STIFF}, **STIFF)

    cases = (no_group, lost, disagree, zero_slope, negative, no_count, made, no_history, too_few)
    return {case.__name__: raised(case) for case in cases}


def main(mesh: str, path: str) -> None:
    """Solve the models. The first process writes the results."""
    import windlass as wl
    from windlass.elements import Point2D
    from windlass.framework.launch.launcher import communicator
    from windlass.framework.model import parts

    parts.KEPT_WHOLE = 0
    comm = communicator()
    rank, size = (0, 1) if comm is None else (comm.rank, comm.size)
    found = {"chains": solve_chains(), "errors": list_errors(rank, size, Path(mesh))}
    found["net"] = solve_net(Path(mesh))
    found["twist_net"] = solve_twist_net(Path(mesh), True)
    found["mixed_net"] = solve_twist_net(Path(mesh), False)
    if rank == 0:
        Path(path).write_text(json.dumps(found))
    if size > 1:
        world = wl.World()
        world.add(Point2D, part=wl.Part.equal(8 + rank), position=(0.0, 0.0))
        world.finalize()


words = sys.argv[1:3]
# removed from sys.argv, because Windlass would read these arguments as its options
del sys.argv[1:3]
main(*words)
