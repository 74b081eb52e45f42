"""Program that evaluates Hunt-Crossley contact of moving spheres in Windlass and prints one RESULT line.

    windlass run spheres_windlass.py -scene packing -spheres 10000 -steps 100

The spheres of spheres_scene.py are mass points. `con.eval_surface_forces` is timed in each step. The time includes the
positions of the markers and surfaces, the neighbour list with its searches, the contact law, and the sums of forces and
torques of each surface. Setting the coordinates and the first step are not timed, as in peers/spheres_simbody.cpp.
Another run counts the contacts.
"""

import time
from typing import NamedTuple

import numpy as np
from chain_windlass import print_result
from numpy.typing import NDArray
from spheres_scene import MATERIAL, RADIUS, SCENES, TRANSITION_VELOCITY, Scene, create_scene

import windlass as wl
from windlass import connectors as con
from windlass.elements import Ground, MassPoint


class Model(NamedTuple):
    """The spheres: world, force element, and local indices of their coordinates, shape (spheres, 3)."""

    world: wl.World
    force: wl.Entity
    dofs: NDArray[np.int64]


def build_spheres(scene: Scene, skin: float) -> Model:
    """Build the model with arrays. ``skin`` is the skin [m] of the neighbour list, or 0 for its default."""
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


def move(model: Model, scene: Scene, steps: int) -> tuple[float, float]:
    """Move the spheres from the start, and evaluate their forces in each step. Return process time and elapsed time [s]
    of the evaluations.
    """
    state, cpu, wall = wl.State(model.world), 0.0, 0.0
    state.v[model.dofs] = scene.velocity
    for k in range(steps + 1):
        state.q[model.dofs] = k * scene.step * scene.velocity
        clock, process = time.perf_counter(), time.process_time()
        con.eval_surface_forces(model.world, state, model.force)
        if k > 0:
            cpu += time.process_time() - process
            wall += time.perf_counter() - clock
    return cpu, wall


def count_contacts(model: Model, scene: Scene, steps: int) -> int:
    """Return the number of touching pairs in all steps but the first: two spheres, or a sphere and the half space."""
    state, found = wl.State(model.world), 0
    for k in range(1, steps + 1):
        state.q[model.dofs] = k * scene.step * scene.velocity
        found += int((con.eval_contacts(model.world, state, model.force).depth > 0.0).sum())
    return found


def main() -> None:
    """Run the scene of the command line."""
    name = wl.option("scene", "packing", "", "how the spheres lie", choices=SCENES)
    spheres = wl.option("spheres", 1000, "1", "number of spheres", minimum=1)
    steps = wl.option("steps", 100, "1", "steps of the motion", minimum=1)
    repeats = wl.option("repeats", 1, "1", "runs through the motion, all timed together", minimum=1)
    skin = wl.option("skin", 0.0, "m", "margin of the neighbour search; 0: the default", minimum=0.0)
    small = create_scene(name, 20)
    move(build_spheres(small, skin), small, 2)

    scene = create_scene(name, spheres)
    model = build_spheres(scene, skin)
    runs = [move(model, scene, steps) for _ in range(repeats)]
    cpu, wall = np.sum(runs, axis=0)
    contacts = repeats * count_contacts(model, scene, steps)
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
        {"spheres": spheres, "steps": all_steps, "contacts": contacts},
        answers={
            "force_sum": float(sizes[0]),
            "torque_sum": float(sizes[1]),
            "ground_force_y": float(found.force[plane, 1]),
            "energy": float(everything.energy.sum()),
        },
        measured={
            "contacts per second": contacts / cpu,
            "ms per step": 1e3 * cpu / all_steps,
        },
    )


if __name__ == "__main__":
    main()
