"""Program for mpiexec: all outputs for users, for comparison with one process.

Usage: parallel_outputs.py FOLDER

The program writes outputs.npz (output variables of all kinds of entities of two models in a state without symmetry),
run.npz (sensors, report and picture of a running belt), and the files of recorders and sensors.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np


def create_zoo() -> Any:
    """Create a 2D model with many kinds of entities, most of which occur several times."""
    import windlass.connectors as con
    from windlass.elements import (
        ALECable2D,
        ALENode,
        Cable2D,
        Ground,
        MassPoint,
        PointSlope2D,
        RigidBody2D,
        nodes_of,
        straight_cable,
    )
    from windlass.framework.model.world import World

    stiff: dict[str, Any] = {"mass_per_length": 0.8, "axial_stiffness": 800.0, "bending_stiffness": 0.1}
    world = World(gravity=(0.0, -9.81))
    wheels = world.add(RigidBody2D, position=np.array([[0.3, 0.1], [0.6, -0.1]]), mass=2.0, inertia=0.3, name="wheel")
    rope = straight_cable(world, (0.0, 0.0), (1.0, 0.0), 9, axial_damping=1.0, name="rope", **stiff)
    nodes = nodes_of(world, rope)
    # a branch: a node at the position of another node, with a separate slope
    fork = world.add(PointSlope2D, shares_position=nodes[4], slope=(0.0, 1.0))
    tip = world.add(PointSlope2D, position=(nodes[4].position[0], 0.4), slope=(0.0, 1.0))
    world.add(Cable2D, node0=fork, node1=tip, length=0.4, name="branch", **stiff)
    axial = world.add(ALENode, reference=0.1)
    ends = world.add(PointSlope2D, position=np.array([[0.0, 1.0], [0.5, 1.0], [1.0, 1.0]]))
    world.add(ALECable2D, node0=ends[:2], node1=ends[1:], ale=axial, length=0.5, **stiff)
    masses = world.add(MassPoint, position=np.array([[0.0, 2.0], [1.0, 2.0], [2.0, 2.0]]), mass=0.5)
    ground = world.add(Ground, position=(0.0, 3.0, 0.0))
    hook = con.position_marker(world, ground)
    world.add(con.CartesianSpringDamper, marker0=hook, marker1=con.position_marker(world, masses), stiffness=(9.0,) * 3)
    world.add(
        con.CartesianSpringDamper,
        marker0=con.position_marker(world, rope[6], (0.05, 0.02)),
        marker1=con.position_marker(world, wheels[1], (0.1, 0.0)),
        stiffness=(5.0, 4.0, 0.0),
        damping=(0.1, 0.2, 0.0),
    )
    world.add(con.DistanceConstraint, marker0=con.position_marker(world, masses[0]), marker1=hook, distance=1.0)
    world.add(
        con.RevoluteJoint2D, marker0=con.position_marker(world, wheels[0]), marker1=con.position_marker(world, tip)
    )
    con.fix(world, nodes[0], "x", "y")
    con.fix(world, nodes[9], "y")
    world.add(con.MassProportional, body=rope, acceleration=(1.0, 0.0, 0.0))
    world.add(con.Force, marker=con.position_marker(world, wheels), vector=(0.0, 1.0, 0.0))
    for segments, cables in ((2, rope[:5]), (3, rope[5:])):
        con.add_contact(
            world,
            con.ContactFrictionCircleCable2D,
            circles=[wheels[0], wheels[1]],
            cables=cables,
            segments=segments,
            circle_radius=0.15,
            contact_stiffness_per_length=1e4,
            friction_stiffness_per_length=1e4,
            friction_coefficient=0.3,
        )
    return world


def create_space() -> Any:
    """Create 3D bodies with joints."""
    import windlass.connectors as con
    from windlass.elements import Ground, RigidBody3D
    from windlass.framework.model.world import World

    world = World(gravity=(0.0, 0.0, -9.81))
    places = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0, 0.5, 0.0]])
    bodies = world.add(RigidBody3D, position=places, mass=(1.0, 2.0, 3.0), inertia=(0.1, 0.2, 0.3))
    base = con.rigid_marker(world, world.add(Ground))
    world.add(con.GenericJoint, marker0=base, marker1=con.rigid_marker(world, bodies[0]))
    for k in range(2):
        ends = (
            con.rigid_marker(world, bodies[k], (0.5, 0.0, 0.0)),
            con.rigid_marker(world, bodies[k + 1], (-0.5, 0.0, 0.0)),
        )
        world.add(con.SphericalJoint, marker0=ends[0], marker1=ends[1])
    return world


def eval_everything(world: Any, prefix: str) -> dict[str, Any]:
    """Return all output variables of all rows, with the rows in reverse order, at random values of the state."""
    import windlass as wl
    from windlass.framework.model.law import law_of
    from windlass.framework.model.table import Entity

    state, rng = wl.State(world), np.random.default_rng(3)
    for name in ("q", "v", "a", "lam", "data"):
        values = getattr(state, name)
        values[:] = 1e-2 * rng.normal(size=values.shape)
    found = {}
    for component, table in list(world.tables.items()):
        law = law_of(component)
        assert law is not None
        if law.role == "marker" and table.kind != "CableShape":
            continue
        for name, output in law.outputs.items():
            entity = Entity(table, np.arange(table.count)[::-1])
            key = f"{prefix} {table.kind} {name}"
            found[key] = wl.eval_output(entity, name, state)
            found[f"{key} of one"] = wl.eval_output(entity[0], name, state)
            if "local" in output.place_ranks:
                local = rng.normal(size=(table.count, 3))
                found[f"{key} at"] = wl.eval_output(entity, name, state, local=local[0])
                found[f"{key} at each"] = wl.eval_output(entity, name, state, local=local)
            if "Cable2D" in table.kind and law.role == "element":
                x = entity.length[:, None] * rng.uniform(size=(table.count, 2))
                found[f"{key} along"] = wl.eval_output(entity, name, state, x=x)
                found[f"{key} each"] = wl.eval_output(entity, name, state, x=x[:, 0])
    for name in ("q", "v", "a"):
        for component, table in world.tables.items():
            if component.dof_names:
                found[f"{prefix} {table.kind} {name} of state"] = state.of(Entity(table, np.arange(table.count)), name)
    return found


def run_belt(folder: Path) -> dict[str, Any]:
    """Run a belt with recorder, sensors, report and picture."""
    import windlass as wl
    import windlass.connectors as con

    from support.belt import belt_parameters, build_belt, create_dynamic, solve_static

    info = belt_parameters(24, 4)
    info["args"].update(tAccStart=0.0, tAccEnd=0.01)
    belt = build_belt(info)
    state, _ = solve_static(belt, info)
    dynamic = create_dynamic(belt, info, 100 * info["args"]["h"])
    place = np.outer(belt.cables.length, (0.0, 0.3))
    sensors = [
        wl.Sensor(belt.pulleys[0], "angular_velocity", name="left"),
        wl.Sensor(belt.cables, "position", 1, name="height", where={"x": place}),
        wl.Sensor(belt.cables[7], "axial_force", name="force"),
        wl.Sensor(belt.contacts, "state", name="state"),
        wl.Sensor(belt.driver, "force", name="drive"),
        con.PulleySensor(belt.contacts, belt.pulleys[1], ("torque", "wrap_angle", "entry_tension", "exit_point")),
    ]
    with (
        wl.Recorder("belt", every=25, formats=("vtu", "xdmf", "vtkhdf"), folder=folder) as out,
        wl.Sensors(folder / "belt.csv", sensors, every=10) as kept,
    ):
        state = dynamic.solve(state, hooks=[out, kept])
    found = {f"sensor {name}": kept[name] for name in kept.names}
    report = con.pulley_report(belt.world, state, belt.contacts, belt.pulleys[0])
    found |= {f"report {name}": value for name, value in vars(report).items() if name != "name"}
    con.draw_belt(folder / "belt.png", belt.world, state, belt.cables, belt.contacts, speeds=kept)
    found["node"] = state.of(belt.world.entity(int(belt.cables[5].node0)))
    return found


def main(folder: Path) -> None:
    """Evaluate all outputs. The first process writes the results."""
    import windlass as wl

    outputs = eval_everything(create_zoo(), "plane") | eval_everything(create_space(), "space")
    run = run_belt(folder)
    if wl.is_first_process():
        np.savez(folder / "outputs.npz", **outputs)
        np.savez(folder / "run.npz", **run)


from windlass.framework.model import parts  # noqa: E402

# small tables are also distributed over the processes
parts.KEPT_WHOLE = 0
words = sys.argv[1:]
# removed from sys.argv, because Windlass would read these arguments as its options
del sys.argv[1:]
main(Path(words[0]))
