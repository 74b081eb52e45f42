"""Program that evaluates Hunt-Crossley contact of moving spheres in Windlass and prints one RESULT line.

    windlass run spheres_windlass.py -scene packing -spheres 10000 -steps 100

The spheres of spheres_scene.py are mass points. The search for contacts and the evaluation of their forces are timed in
each step. The time includes the positions of the surfaces, the neighbour list with its searches, the contact law, and
the sum into the forces of the coordinates. The motion of the markers and the first step are not timed, as in
peers/spheres_simbody.cpp. An additional measurement searches for contacts in every step.
"""

import time
from typing import Any, NamedTuple

import numpy as np
from chain_windlass import print_result
from numpy.typing import NDArray
from spheres_scene import MATERIAL, RADIUS, SCENES, TRANSITION_VELOCITY, Scene, create_scene

import windlass as wl
from windlass import connectors as con
from windlass.elements import Ground, MassPoint
from windlass.framework.model.system import evaluate


class Model(NamedTuple):
    """The spheres: world, force element, and local numbers of their coordinates, shape (spheres, 3)."""

    world: wl.World
    force: wl.Entity
    dofs: NDArray[np.int64]


def build_spheres(scene: Scene, skin: float) -> Model:
    """Build the model with arrays; ``skin`` of the neighbour list [m] is 0 for the default."""
    world = wl.World()
    points = world.add(MassPoint, position=scene.position, mass=1.0)
    ground = world.add(Ground)
    material = world.add(con.ContactMaterial, **MATERIAL)
    group = world.add(con.ContactSet, skin=skin)
    world.add(con.ContactSphere, contact_set=group, marker=points, material=material, radius=RADIUS)
    up = con.facing((0.0, 1.0, 0.0))
    world.add(con.ContactHalfSpace, contact_set=group, marker=ground, material=material, rotation=up)
    force = world.add(con.HuntCrossley, contact_set=group, transition_velocity=TRANSITION_VELOCITY)
    world.finalize()
    return Model(world, force, wl.State(world).local_dofs(points))


class Run(NamedTuple):
    """Cost of the steps: process time and elapsed time [s], time to move the markers [s], numbers of contacts and
    searches.
    """

    cpu: float
    wall: float
    before: float
    contacts: int
    searches: int


def move(model: Model, scene: Scene, steps: int, always_search: bool) -> Run:
    """Move the spheres from the start and evaluate their forces in each step."""
    assembly = wl.State(model.world).assembly
    fields, f = assembly.fields, np.zeros(assembly.layout.spare + 1)
    contact: Any = next(system for system in assembly.systems if system.name == "HuntCrossley")
    others = [system.update for system in assembly.systems if system.update and system is not contact]
    (bound,) = contact.sets
    fields.v[model.dofs] = scene.velocity
    cpu = wall = before = 0.0
    contacts = searches = 0
    for k in range(steps + 1):
        fields.x[model.dofs] = scene.position + k * scene.step * scene.velocity
        f[:] = 0.0
        start = time.process_time()
        for update in others:
            update(fields)
        before += time.process_time() - start
        if always_search:
            bound.near.rebuilds = 0
        known = bound.near.rebuilds
        clock, process = time.perf_counter(), time.process_time()
        contact.update(fields)
        contact.residual(evaluate(fields, f=f))
        if k > 0:
            cpu += time.process_time() - process
            wall += time.perf_counter() - clock
            contacts += count_contacts(bound)
            searches += bound.near.rebuilds - known
    return Run(cpu, wall, before * steps / (steps + 1), contacts, searches)


def count_contacts(bound: Any) -> int:
    """Return the number of candidate pairs that touch: two spheres, or a sphere and the half space."""
    c, (i, j) = bound.surfaces, bound.near.pairs.T
    apart = c.center[j] - c.center[i]
    plane = c.reach[j] == 0.0
    distance = np.where(plane, c.center[i, 1] - c.center[j, 1], np.sqrt((apart**2).sum(axis=1)))
    return int((distance < c.reach[i] + c.reach[j]).sum())


def main() -> None:
    """Run the scene of the command line."""
    name = wl.option("scene", "packing", "", "how the spheres lie", choices=SCENES)
    spheres = wl.option("spheres", 1000, "1", "number of spheres", minimum=1)
    steps = wl.option("steps", 100, "1", "steps of the motion", minimum=1)
    repeats = wl.option("repeats", 1, "1", "runs through the motion, all timed together", minimum=1)
    skin = wl.option("skin", 0.0, "m", "margin of the neighbour search; 0: the default", minimum=0.0)
    warm_up = build_spheres(create_scene(name, 20), skin)
    move(warm_up, create_scene(name, 20), 2, True)

    scene = create_scene(name, spheres)
    model = build_spheres(scene, skin)
    eager = move(model, scene, steps, True)
    runs = [move(model, scene, steps, False) for _ in range(repeats)]
    sums = np.array(runs).sum(axis=0)
    cpu, wall, before, contacts, searches = sums
    state = wl.State(model.world)
    state.q[model.dofs] = steps * scene.step * scene.velocity
    state.v[model.dofs] = scene.velocity
    found = con.eval_surface_forces(model.world, state, model.force)
    everything = con.eval_contacts(model.world, state, model.force)
    plane = len(found.force) - 1  # the half space is the last surface
    sizes = [np.linalg.norm(vectors[:plane], axis=1).sum() for vectors in (found.force, found.torque)]
    all_steps = repeats * steps
    print_result(
        (float(cpu), float(wall)),
        {"spheres": spheres, "steps": all_steps, "contacts": int(contacts)},
        answers={
            "force_sum": float(sizes[0]),
            "torque_sum": float(sizes[1]),
            "ground_force_y": float(found.force[plane, 1]),
            "energy": float(everything.energy.sum()),
        },
        measured={
            "contacts per second": contacts / cpu,
            "ms per step": 1e3 * cpu / all_steps,
            "contacts per second with a search in every step": eager.contacts / eager.cpu,
            "searches in 100 steps": 100 * searches / all_steps,
            "markers, not timed [ms/step]": 1e3 * before / all_steps,
        },
    )


if __name__ == "__main__":
    main()
