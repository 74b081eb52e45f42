"""The two-pulley belt of the reference data, with the parameters of the data (stiffness per segment).

Sticking positions use the reference length of segments, as in the program that computed the data.

The numbering follows the data: belt nodes (4 coordinates each), followed by pulleys (3 each). Multipliers are [node 0
x, P0 x, P0 y, driver speed, P0 lock, P1 x, P1 y, P1 lock]. History values are stored pulley by pulley.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from windlass.connectors import (
    ContactFrictionCircleCable2D,
    CoordinateConstraint,
    CoordinateLoad,
    CoordinateSpringDamper,
    MassProportional,
    add_contact,
    coordinate_marker,
)
from windlass.elements import Circle, RigidBody2D, cable_around
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.state import State
from windlass.presets import exudyn
from windlass.solvers.dynamic import Dynamic
from windlass.solvers.static import Static

REFERENCE = Path(__file__).parents[1] / "reference"


def smooth_step(x: float, x0: float, x1: float) -> float:
    """Return a step that is 0 before x0, 1 after x1, and half a cosine in between."""
    s = min(max((x - x0) / (x1 - x0), 0.0), 1.0)
    return 0.5 - 0.5 * float(np.cos(np.pi * s))


@dataclass
class Belt:
    """A belt model and its entities."""

    world: World
    cables: Entity
    pulleys: list[Entity]
    contacts: Entity
    node_hold: Entity
    driver: Entity
    locks: list[Entity]
    friction_stiffness: float
    friction_coefficient: float

    def prepare_static(self) -> None:
        """Switch friction off, lock the wheels and node 0, and switch the driver off."""
        world = self.world
        world.set(self.contacts, friction_coefficient=0.0, friction_stiffness=1e-8)
        world.set(self.driver, active=False)

    def prepare_dynamic(self) -> None:
        """Switch friction on, release the wheels and node 0, and switch the driver on."""
        world = self.world
        world.set(self.contacts, friction_coefficient=self.friction_coefficient)
        world.set(self.contacts, friction_stiffness=self.friction_stiffness)
        for entity in (self.node_hold, *self.locks):
            world.set(entity, active=False)
        world.set(self.driver, active=True)


def build_belt(info: dict[str, Any]) -> Belt:
    """Build the belt for the parameters (``args`` and ``param``) of a reference file."""
    a, p = info["args"], info["param"]
    world = World()
    r, n = p["radius"], a["nseg"]
    centers = [(0.0, 0.0), (p["x2"], 0.0)]
    cables = cable_around(
        world,
        circles=[Circle(c, r, "right") for c in centers],
        elements=a["N"],
        radial_offset=p["hc"] / 2,
        length=p["lElem"],
        mass_per_length=p["rhoA"],
        axial_stiffness=p["EA"],
        bending_stiffness=p["EI"],
        axial_damping=p["dEA"],
        bending_damping=p["dEI"],
        reference_strain=p["preStretch"],
        integration=a["reduced"],
    )
    world.add(MassProportional, body=cables, acceleration=(0.0, -a["gravity"], 0.0))
    first_node = world.entity(int(cables.table.collect("node0")[0]))
    pulleys = [world.add(RigidBody2D, position=c, mass=p["wheelMass"], inertia=p["wheelInertia"]) for c in centers]
    ground = coordinate_marker(world, None)

    def constrain(entity: Entity, name: str, **values: Any) -> Entity:
        marker = coordinate_marker(world, entity, name)
        return world.add(CoordinateConstraint, marker0=ground, marker1=marker, **values)

    def speed(t: float) -> float:
        ramp = (t - a["tAccStart"]) / (a["tAccEnd"] - a["tAccStart"])
        return a["omega"] * min(max(ramp, 0.0), 1.0)

    node_hold = constrain(first_node, "x")
    locks = []
    driver = node_hold
    for i, pulley in enumerate(pulleys):
        constrain(pulley, "x")
        constrain(pulley, "y")
        if i == 0:
            driver = constrain(pulley, "rotation", velocity_level=True, rate_function=speed)
        else:
            spin = coordinate_marker(world, pulley, "rotation")
            world.add(CoordinateSpringDamper, marker0=ground, marker1=spin, damping=p["rotationDamping"])
            torque: Callable[[float], float] = lambda t: -a["tau"] * smooth_step(t, a["tq0"], a["tq1"])  # noqa: E731
            world.add(CoordinateLoad, marker=spin, function=torque)
        locks.append(constrain(pulley, "rotation"))
    contacts = add_contact(
        world,
        ContactFrictionCircleCable2D,
        pulleys,
        cables,
        segments=n,
        circle_radius=r,
        vertical_offset=p["verticalOffset"],
        contact_stiffness=p["contactStiffness"],
        contact_damping=p["contactDamping"],
        friction_velocity_penalty=p["frictionVelocityPenalty"],
        friction_stiffness=p["frictionStiffness"],
        friction_coefficient=a["mu"],
        use_segment_normals=bool(a["useSegmentNormals"]),
        **exudyn().contact,
    )
    return Belt(world, cables, pulleys, contacts, node_hold, driver, locks, p["frictionStiffness"], a["mu"])


def solve_static(belt: Belt, info: dict[str, Any]) -> tuple[State, Static]:
    """Solve the static preload with the settings of the reference file."""
    a = info["args"]
    belt.prepare_static()
    ale = a["statMode"] == "ale"
    solver = Static(
        belt.world,
        load_steps=a["nStat"],
        geometric=not ale,
        stabiliser=a["stab"],
        time=1.0 if ale else None,
        rtol=a["relStat"],
        atol=a["absStat"],
        adaptive=ale,
        **{**exudyn().static, "passes": replace(exudyn().static["passes"], max_it=a["statDisc"])},
    )
    state = solver.solve()
    # in the program that computed the reference data, the motion begins at a later time
    state.t = 0.0
    return state, solver


def create_dynamic(belt: Belt, info: dict[str, Any], end: float, lag: bool = False) -> Dynamic:
    """Create the dynamic solver of a reference file.

    The program that computed the data retains oscillations of multipliers after kinks of the prescribed speed.
    """
    a = info["args"]
    preset = exudyn().dynamic
    passes = replace(preset["passes"], max_it=a["maxDisc"], atol=a["discTol"], fail=not a["ignoreMaxIt"])
    belt.prepare_dynamic()
    return Dynamic(
        belt.world,
        step=a["h"],
        end=end,
        method="trapezoidal_index2",
        rtol=a["relTol"],
        atol=a["absTol"],
        lag=lag,
        **{**preset, "passes": passes},
    )


def load_reference(name: str) -> tuple[dict[str, Any], Any]:
    """Return parameters and arrays of a reference file."""
    info = json.loads((REFERENCE / f"{name}.json").read_text())
    return info, np.load(REFERENCE / f"{name}.npz")


def belt_parameters(elements: int, segments: int) -> dict[str, Any]:
    """Return the reference parameters of the two-pulley belt for any mesh."""
    info, _ = load_reference("belt_N60_s4")
    a, p = dict(info["args"]), dict(info["param"])
    length = p["totalLength"] / elements
    scale = 0.08 * length / segments
    a.update(N=elements, nseg=segments)
    p.update(
        lElem=length,
        contactStiffness=40e8 * scale,
        contactDamping=80000.0 * scale,
        frictionStiffness=50e8 * scale,
        frictionVelocityPenalty=10.0 * float(np.sqrt(1e8 * scale * p["rhoA"] * length / segments)),
    )
    return {"args": a, "param": p}
