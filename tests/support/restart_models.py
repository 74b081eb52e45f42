"""Models for restarts, run by the command line. Each model can end its own process at a given step, like `kill -9`.

Usage: windlass run restart_models.py -kind KIND -kill_at STEP -end_state END.npz [-checkpoint FILE ...]
"""

import itertools
import os
import signal
from typing import Any

import numpy as np

import windlass as wl
from windlass import connectors as con
from windlass.connectors import ContactCoordinate, CoordinateLoad, coordinate_marker
from windlass.elements import (
    GenericODE2,
    Ground,
    MassPoint,
    generic_node,
    nodes_of,
    state_node,
    straight_beam,
    straight_cable,
)
from windlass.framework.files import whole_files as files
from windlass.framework.model.table import Entity

from support.beam_contacts import create_dragged
from support.carriages import create_trolleys
from support.contact_forms import create_drive
from support.joint_machine import create_machine
from support.laid_net import create_laid_net, let_fall
from support.many_pulleys import create_ring
from support.mooring import build_line
from support.spatial_net import build_model
from support.surface_models import create_falling
from support.winches import hang_in_reserve, swing

KINDS = (
    "adaptive",
    "verlet",
    "rk",
    "implicit spheres",
    "pendulum",
    "switched",
    "chain",
    "points",
    "many circles",
    "many surfaces",
    "laid net",
    "net in space",
    "line in waves",
    "controlled",
    "joints",
    "trolleys",
    "winch",
    "reserve",
    "beam",
    "slope beam",
    "thick beam",
)
kind = wl.option("kind", "adaptive", "", "model", choices=KINDS)
kill_at = wl.option("kill_at", 0, "1", "step after which the run kills itself; 0 never", minimum=0)
kill_in = wl.option("kill_in", 0, "1", "checkpoint in the middle of whose writing it kills itself; 0 none", minimum=0)
mass = wl.option("mass", 0.25, "kg", "mass of a point", minimum=1e-6)
height = wl.option("height", 0.1, "m", "height from which a point falls")
step = wl.option("step", 2e-4, "s", "step size", minimum=1e-9)
end_state = wl.option("end_state", "end.npz", "", "file for the state at the end")


def die(state: wl.State) -> None:
    """End the process immediately, as a kill would."""
    if kill_at and state.step == kill_at:
        os.kill(os.getpid(), signal.SIGKILL)


def drop() -> tuple[wl.World, Entity]:
    """Create a mass that falls on a contact. Steps end at the instants of contact."""
    world = wl.World()
    point = world.add(MassPoint, position=(0.0, 0.0), displacement=(0.0, height), mass=mass)
    marker = coordinate_marker(world, point, "y")
    world.add(ContactCoordinate, marker1=marker, contact_stiffness=2e6, contact_damping=200.0, offset=0.05)
    world.add(CoordinateLoad, marker=marker, value=-2.4525)
    return world, point


def spheres() -> tuple[wl.World, Entity]:
    """Create spheres that fall on a plane and on each other, so neighbours change."""
    world = wl.World(gravity=(0.0, -9.81, 0.0))
    places = 0.022 * np.stack(np.meshgrid([0, 1], [1, 2, 3], [0, 1]), axis=-1).reshape(-1, 3)
    places += np.random.default_rng(1).uniform(-1e-3, 1e-3, places.shape)
    points = world.add(MassPoint, position=places, velocity=(0.0, -0.5, 0.0), mass=0.005)
    friction: dict[str, Any] = {"static_friction": 0.3, "dynamic_friction": 0.2}
    material = world.add(con.ContactMaterial, plane_strain_modulus=1e6, dissipation=0.5, **friction)
    group = world.add(con.ContactSet)
    world.add(con.ContactSphere, contact_set=group, marker=points, material=material, radius=0.01)
    up = con.facing((0.0, 1.0, 0.0))
    world.add(con.ContactHalfSpace, contact_set=group, marker=world.add(Ground), material=material, rotation=up)
    world.add(con.HuntCrossley, contact_set=group, transition_velocity=0.1)
    return world, points


def pendulum() -> tuple[wl.World, Entity]:
    """Create two masses on rods."""
    world = wl.World(gravity=(0.0, -9.81, 0.0))
    points = world.add(MassPoint, position=[(1.0, 0.0), (1.5, 0.0)], mass=mass)
    markers = [con.position_marker(world, which) for which in (world.add(Ground), points[0], points[1])]
    for first, second, length in ((0, 1, 1.0), (1, 2, 0.5)):
        world.add(con.DistanceConstraint, marker0=markers[first], marker1=markers[second], distance=length)
    return world, points


def beam(**columns: tuple[float, ...]) -> tuple[wl.World, Entity]:
    """Create a 3D beam of order 2 that swings and is twisted at its end."""
    world = wl.World(gravity=(0.0, 0.0, -9.81))
    line = straight_beam(
        world, (0, 0, 0), (1, 0, 0), 3, stiffness=(1e3, 4e2, 4e2, 1.0, 2.0, 3.0), mass_per_length=0.5,
        rotary_inertia=(2e-2, 1e-2, 1e-2), damping=(0.1, 0.1, 0.1, 1e-3, 1e-3, 1e-3), **columns,
    )  # fmt: skip
    nodes = nodes_of(world, line)
    con.clamp(world, nodes[0])
    world.add(con.Torque, marker=con.rigid_marker(world, nodes[-1]), vector=(0.3, 0.0, 0.0), body_fixed=True)
    return world, nodes


def chain() -> tuple[wl.World, Entity]:
    """Create masses between springs, pulled at one end."""
    world = wl.World(gravity=(0.0, -9.81, 0.0))
    points = world.add(MassPoint, position=np.outer(np.arange(12), (0.1, 0.01)), mass=mass)
    markers = [con.position_marker(world, point) for point in points]
    for first, second in itertools.pairwise(markers):
        world.add(con.CartesianSpringDamper, marker0=first, marker1=second, stiffness=(900.0,) * 3, damping=(0.3,) * 3)
    world.add(CoordinateLoad, marker=coordinate_marker(world, points[11], "x"), value=20.0)
    return world, points


def controlled() -> tuple[wl.World, Entity]:
    """Create a mass on a spring, a cable and a cylinder with a load cell, filters and loads that depend on the state,
    and a body that is defined by matrices.
    """
    world = wl.World(gravity=(0.0, -9.81, 0.0))
    points = world.add(MassPoint, position=(0.0, 0.0), mass=mass)
    y, node = coordinate_marker(world, points, "y"), world.add(state_node(2), states=(0.1, 0.0))
    world.add(con.CoordinateSpringDamper, marker1=y, stiffness=30.0, damping=0.1)
    filters = {"system_matrix": [[-9.0, 1.0], [-2.0, -3.0]], "input_matrix": [[4.0], [-1.0]]}
    world.add(
        con.GenericODE1, node=node, inputs=y, state_function=lambda t, x, u, u_t: [0.0, np.sin(9.0 * t)], **filters
    )
    world.add(con.StateLoad, marker=y, inputs=coordinate_marker(world, node, "y0"), rate_gains=(-6.0,), value=2.0)
    body = world.add(generic_node(2), displacement=(0.1, 0.0))
    world.add(GenericODE2, nodes=body, mass=np.eye(2), stiffness=[[50.0, -20.0], [-20.0, 40.0]])
    world.add(con.CoordinateSpringDamper, marker0=coordinate_marker(world, body, "q0"), marker1=y, stiffness=9.0)
    rope = straight_cable(
        world, (0.0, 1.0), (0.0, 0.0), 2, axial_stiffness=90.0, bending_stiffness=0.1, mass_per_length=0.2
    )
    ends = [con.position_marker(world, which) for which in (nodes_of(world, rope)[2], points)]
    joint = world.add(con.RevoluteJoint2D, marker0=ends[0], marker1=ends[1])
    con.hinge(world, nodes_of(world, rope)[0])
    con.fix(world, points, "x")
    world.add(
        con.HydraulicActuator, marker0=con.position_marker(world, world.add(Ground, position=(0.0, -1.0, 0.0))),
        marker1=ends[1], node=world.add(state_node(2), states=(2e3, 1e3)), offset_length=0.9, stroke_length=0.5,
        area0=1e-3, area1=8e-4, hose_volume0=1e-4, hose_volume1=1e-4, oil_bulk_modulus=1e6, damping=5.0,
        nominal_flow=1e-7, system_pressure=1e4, inputs=y, valve_function=lambda t, u, u_t: (0.1 - u[0], u[1] - 0.2),
    )  # fmt: skip
    cell, strain = con.load_cell(world, joint, (0.0, 1.0), time_constant=0.05), con.strain_coordinate(world, rope[0])
    world.add(con.StateLoad, marker=y, inputs=[cell.marker, strain], gains=(0.0, 20.0), rate_gains=(0.3, 2.0))
    return world, points


class Switch(wl.StepHook):
    """Hook that changes the model at some steps, and counts the changes."""

    count = 0

    def __init__(self, load: Entity) -> None:
        self._load = load

    def after_step(self, state: wl.State) -> None:
        """Change the load at step 60, the step of a checkpoint, and at step 90."""
        if state.step in (60, 90):
            state.world.set(self._load, value=3.0 if state.step == 60 else -1.0)
            self.count += 1

    def checkpoint(self) -> dict[str, Any]:
        """Return the count for a checkpoint."""
        return {"count": self.count}

    def restore(self, kept: Any, state: wl.State) -> None:
        """Restore the count."""
        self.count = kept["count"]


if kill_in:
    write, written = files.write_all, 0

    def write_or_die(number: int, parts: Any, offset: int = 0) -> None:
        """Write parts of a file, or only the first half of a checkpoint."""
        global written
        written += ".c.h5." in os.readlink(f"/proc/self/fd/{number}")
        if written == kill_in:
            write(number, [parts[0][: len(parts[0]) // 2]], offset)
            os.kill(os.getpid(), signal.SIGKILL)
        write(number, parts, offset)

    files.write_all = write_or_die

hooks: list[Any] = [die]
start: wl.State | None = None
solver: wl.Dynamic | wl.Explicit
if kind == "adaptive":
    world, points = drop()
    settings: dict[str, Any] = {
        "control": wl.StepControl(smallest=1e-10, growth=10.0, easy_steps=3),
        "passes": wl.Passes(atol=1e-3, max_it=2),
        "method": "trapezoidal_index2",
    }
    solver = wl.Dynamic(world, step=step, end=0.25, **settings)
elif kind in ("verlet", "rk", "implicit spheres"):
    world, points = spheres()
    if kind == "implicit spheres":
        solver = wl.Dynamic(world, step=step, end=0.04)
    else:
        tolerances: dict[str, Any] = {"rtol": 1e-6, "atol": 1e-8} if kind == "rk" else {}
        solver = wl.Explicit(world, step=step, end=0.04, method=kind, **tolerances)
elif kind == "points":
    drive = create_drive(con.ContactFrictionCirclePoints2D, 16, 2, 8000.0, -0.05)
    world, points, start = drive.world, drive.circles[1], drive.state
    start.step = 0
    solver = wl.Dynamic(world, step=5e-4, end=0.05)
elif kind == "many circles":
    ring = create_ring(6, 6, skin=0.02)
    world, points = ring.world, ring.circles[1]
    solver = wl.Dynamic(world, step=2e-4, end=0.02)
elif kind == "many surfaces":
    rope = create_falling(touching=2, skin=0.02)
    world, points = rope.world, rope.drum
    solver = wl.Dynamic(world, step=1e-3, end=0.1)
elif kind == "laid net":
    net = create_laid_net(3)
    world, points, start = net.world, net.crossings, let_fall(net, 1.0)
    solver = wl.Dynamic(world, step=5e-4, end=0.05)
elif kind == "net in space":
    world, _, points, _ = build_model()
    solver = wl.Dynamic(world, step=1e-3, end=0.1)
elif kind == "line in waves":
    world, points, *_ = build_line()
    solver = wl.Dynamic(world, step=0.05, end=5.0)
elif kind == "trolleys":
    world, points, _ = create_trolleys()
    solver = wl.Dynamic(world, step=5e-3, end=0.6)
elif kind == "winch":
    world, _, points = swing(4.0, 3.0, 1.0, 0.2, space=True, cables=2)
    solver = wl.Dynamic(world, step=1e-2, end=1.0)
elif kind == "reserve":
    stiff = {"mass_per_length": 0.5, "axial_stiffness": 2e4, "bending_stiffness": 1e-3, "axial_damping": 100.0}
    world, rope, points = hang_in_reserve(0.5, 0.3, wanted=0.25, longest=2.0, space=True, **stiff)
    con.prescribe(world, rope.feed, "s", con.smooth_step(0.0, 1.0, 0.0, 1.0))
    hooks.insert(0, rope)
    solver = wl.Dynamic(world, step=1e-2, end=1.0)
elif kind == "chain":
    world, points = chain()
    solver = wl.Explicit(world, step=step, end=0.05)
elif kind == "controlled":
    world, points = controlled()
    solver = wl.Dynamic(world, step=1e-3, end=0.1)
elif kind == "joints":
    world, machine = create_machine()
    points = machine[3]
    solver = wl.Dynamic(world, step=2e-3, end=0.2)
elif kind in ("beam", "slope beam"):
    world, points = beam(**({} if kind == "beam" else {"section_stiffness": (1e3, 1e3, 8e2)}))
    solver = wl.Dynamic(world, step=2e-3, end=0.2)
elif kind == "thick beam":
    dragged = create_dragged()
    world, points = dragged.world, dragged.nodes
    solver = wl.Dynamic(world, step=5e-4, end=0.05)
elif kind == "pendulum":
    world, points = pendulum()
    solver = wl.Explicit(world, step=1e-3, end=0.2)
else:
    world, points = drop()
    load = world.add(CoordinateLoad, marker=coordinate_marker(world, points, "x"), value=1.0)
    switch = Switch(load)
    hooks.insert(0, switch)
    solver = wl.Explicit(world, step=1e-3, end=0.15)
names = ("contact_force", "gap") if kind == "laid net" else ("position", "velocity")
sensors = wl.Sensors("sensors.csv", [wl.Sensor(points, name) for name in names])
for state in solver.march(start, hooks=[sensors, *hooks]):
    if kind == "switched" and state.step == 80:
        # the model may also change between the steps of a loop
        world.set(load, value=-2.0)
if not wl.help_requested():
    state.save(end_state)
    wl.write_summary({"steps": solver.statistics.steps, "rejected": solver.statistics.rejected})
    if kind == "switched":
        assert switch.count == 2
    assert len(sensors.times) == solver.statistics.steps + 1
    assert np.array_equal(sensors.steps, np.arange(len(sensors.times)))
