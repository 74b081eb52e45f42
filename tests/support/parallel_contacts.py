"""Program for mpiexec: models with Hunt-Crossley contact on one or more processes, and their reports.

Usage: parallel_contacts.py -out FILE.npz
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import windlass as wl
from windlass import connectors as con
from windlass.connectors.point_contact.contacts import list_contacts
from windlass.connectors.point_contact.sets import ContactSystem
from windlass.elements import Cable2D, Ground, MassPoint, PointSlope2D, RigidBody2D, RigidBody3D
from windlass.elements.nodes.rotations import euler_parameters, rotation_matrix
from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.parallel_assembly import parallel_assembly
from windlass.framework.assembly.vectors import sum_to_owners
from windlass.framework.launch.launcher import communicator
from windlass.framework.model.system import Fields
from windlass.framework.state.assemble import assemble_matrix, assemble_vector
from windlass.framework.state.state import local_state
from windlass.solvers.newton.problem import NonlinearProblem
from windlass.solvers.newton.scheme import Scheme

from support.matrices import dense

TURNED = rotation_matrix(euler_parameters((1.0, -2.0, 0.5), 0.7))
FRICTION = {"static_friction": 0.6, "dynamic_friction": 0.4, "viscous_friction": 0.1}
Results = dict[str, Any]


class Model(NamedTuple):
    """A world, its force elements, and the bodies whose forces are reported."""

    world: wl.World
    forces: wl.Entity
    bodies: wl.Entity


def build_packing(count: int) -> Model:
    """Build spheres of three sizes, in random order, thrown into a box. A second contact set has only the large and the
    small spheres.
    """
    random = np.random.default_rng(3)
    side = int(np.ceil(count ** (1 / 3)))
    places = np.stack([axis.ravel() for axis in np.indices((side,) * 3)], axis=1)[random.permutation(side**3)[:count]]
    position = 0.021 * (places + 0.5) + random.uniform(-5e-4, 5e-4, (count, 3))
    world = wl.World(gravity=(0.0, -9.81, 0.0))
    velocity = random.normal(0.0, 0.3, (count, 3))
    points = world.add(MassPoint, position=position, velocity=velocity, mass=0.005)
    ground = world.add(Ground)
    soft = world.add(con.ContactMaterial, plane_strain_modulus=1e6, dissipation=0.5, **FRICTION)
    light = world.add(con.ContactMaterial, plane_strain_modulus=1e5, dissipation=0.2, **FRICTION)
    first, second = world.add(con.ContactSet), world.add(con.ContactSet, skin=0.004)
    radius = np.where(np.arange(count) % 3 == 0, 0.011, 0.01)
    world.add(con.ContactSphere, contact_set=first, marker=points, material=soft, radius=radius)
    radius = np.where(np.arange(0, count, 4) % 40 == 0, 0.025, 0.009)
    world.add(con.ContactSphere, contact_set=second, marker=points[::4], material=light, radius=radius)
    for normal in ((0, 1, 0), (1, 0, 0), (0, 0, 1), (-1, 0, 0), (0, 0, -1)):
        place: Results = {"position": 0.021 * side * (np.array(normal) < 0), "rotation": con.facing(normal)}
        world.add(con.ContactHalfSpace, contact_set=first, marker=ground, material=light, **place)
    # a sphere that is fixed to the ground
    world.add(con.ContactSphere, contact_set=first, marker=ground, material=soft, radius=0.012)
    rules = ["simbody", "hertz", "hertz"]
    sets = [first, second, first]
    forces = world.add(con.HuntCrossley, contact_set=sets, modulus_rule=rules, transition_velocity=0.1)
    return Model(world, forces, points)


def add_bodies(world: wl.World, position: FloatArray) -> wl.Entity:
    """Add bodies that move and rotate."""
    n = len(position)
    random = np.random.default_rng(4)
    turns = np.stack([euler_parameters(axis, 0.8) for axis in random.normal(0.0, 1.0, (n, 3))])
    velocity = np.concatenate((random.normal(0.0, 0.2, (n, 3)), np.zeros((n, 4))), axis=1)
    moving = {"velocity": velocity, "angular_velocity": random.normal(0.0, 0.7, (n, 3))}
    return world.add(
        RigidBody3D, position=position, euler_parameters=turns, mass=1.0, inertia=(0.1, 0.2, 0.15), **moving
    )


def build_zoo() -> Model:
    """Build surfaces of all kinds on all kinds of markers. Each surface is in contact with another surface."""
    world = wl.World(gravity=(0.0, -9.81, 0.0))
    columns: list[Results] = []
    for modulus, friction in ((1e4, FRICTION), (3e4, {})):
        material = world.add(con.ContactMaterial, plane_strain_modulus=modulus, dissipation=0.3, **friction)
        columns.append({"contact_set": world.add(con.ContactSet), "material": material})
    one, two = columns
    ground = world.add(Ground)
    position = np.array([(0, 0, 0), (1.2, 0, 0), (2.4, 0.2, 0), (3.6, 0, 0), (0.5, 0.6, 0.4), (1.0, -1.5, 0.1)], float)
    bodies = add_bodies(world, position)
    axes = np.array([(0.5, 0.8, 1.0), (0.6, 0.5, 0.7), (0.7, 0.8, 0.5), (0.9, 0.8, 0.7), (0.7, 0.4, 0.6)])
    markers = [con.position_marker(world, bodies[k], (0.02 * k, -0.03 * k, 0.01)) for k in range(6)]
    for k in range(5):
        world.add(con.ContactEllipsoid, marker=markers[k], semi_axes=axes[k], rotation=TURNED, **one)
    # half spaces that move in 3D and in 2D, and a half space at rest
    world.add(con.ContactHalfSpace, marker=markers[5], rotation=con.facing((0.0, 1.0, 0.1)), **one)
    plane = world.add(RigidBody2D, position=(2.0, -1.0), angle=0.3, velocity=(0.1, 0.2, 0.5), mass=2.0, inertia=1.0)
    plank = con.position_marker(world, plane, (0.1, 0.1))
    world.add(con.ContactHalfSpace, marker=plank, rotation=con.facing((0.1, 1.0, 0.0)), **one)
    world.add(con.ContactHalfSpace, marker=plank, rotation=con.facing((-0.1, 1.0, 0.0)), position=(0, -0.3, 0), **two)
    floor: Results = {"rotation": con.facing((0.0, 1.0, 0.0)), "position": (0.0, -0.7, 0.0)}
    world.add(con.ContactHalfSpace, marker=ground, **floor, **one)
    # spheres on points, off the centre of bodies, on the ground, and next to a cable
    points = world.add(MassPoint, position=[(0.6, 0.9, -0.3), (1.9, 0.8, 0.2), (3.0, 0.9, 0.1)], mass=0.5)
    for k in range(3):
        world.add(con.ContactSphere, marker=points[k], radius=0.4, **one)
    world.add(con.ContactSphere, marker=markers[2], position=(0.1, 0.5, 0.1), radius=0.5, **two)
    world.add(con.ContactSphere, marker=markers[3], position=(0.0, 0.3, 0.1), radius=0.6, **two)
    world.add(con.ContactSphere, marker=ground, position=(3.0, 0.0, -0.5), radius=0.4, **two)
    ends = ((3.0, 0.8), (3.5, 0.9), (4.0, 0.8))
    nodes = [world.add(PointSlope2D, position=xy, slope=(1.0, 0.1), velocity=(0.1, -0.2, 0.3, 0.2)) for xy in ends]
    stiff = {"mass_per_length": 1.0, "axial_stiffness": 1e3, "bending_stiffness": 1.0}
    for k in range(2):
        cable = world.add(Cable2D, node0=nodes[k], node1=nodes[k + 1], length=0.5, **stiff)
        beside = con.position_marker(world, cable, (0.2, 0.1))
        world.add(con.ContactSphere, marker=beside, radius=0.35, position=(0.05, 0.05, 0.02), **two)
    forces = world.add(
        con.HuntCrossley, contact_set=[one["contact_set"], two["contact_set"]], transition_velocity=[0.3, 0.05]
    )
    return Model(world, forces, bodies)


def build_ellipsoid() -> Model:
    """Build one rotating ellipsoid that falls on the ground. On several processes, only one process has coordinates."""
    world = wl.World(gravity=(0.0, -9.81, 0.0))
    body = add_bodies(world, np.array([(0.0, 0.57, 0.0)]))
    columns: Results = {"contact_set": world.add(con.ContactSet)}
    columns["material"] = world.add(con.ContactMaterial, plane_strain_modulus=1e5, dissipation=0.3, **FRICTION)
    world.add(con.ContactEllipsoid, marker=body, semi_axes=(0.5, 0.6, 0.7), rotation=TURNED, **columns)
    world.add(con.ContactHalfSpace, marker=world.add(Ground), rotation=con.facing((0.0, 1.0, 0.0)), **columns)
    return Model(world, world.add(con.HuntCrossley, contact_set=columns["contact_set"], transition_velocity=0.1), body)


def compare_with_serial() -> Results:
    """Return the differences between the forces and the tangent of `build_zoo` on all processes and on this process
    alone.
    """
    model = build_zoo()
    assembly = parallel_assembly(model.world)
    state = local_state(assembly, None)
    problem = NonlinearProblem(assembly, "")
    layout, serial = assembly.layout, wl.State(model.world)
    everything = problem.residual_vector.duplicate()
    assembly.load_fields(state)
    f = np.zeros(layout.spare + 1)
    assembly.add_loads(f)
    f *= -1.0
    assembly.add_forces(f)
    local = np.zeros(len(layout.unknowns.numbers))
    local[layout.unknowns.of_dof] = f[:-1]
    sum_to_owners(layout.unknowns.numbers, everything, local)
    of_dof = layout.unknowns.of_dof[: len(layout.owned)]
    forces = everything.array_r[of_dof], assemble_vector(model.world, serial, velocity_terms=False).array[layout.owned]
    results: Results = {"forces": np.abs(forces[0] - forces[1]).max() / np.abs(forces[1]).max()}
    count = len(state.gather().q)
    numbers = layout.unknowns.of_world_dof[:count]
    for name, dq, dv in (("stiffness", 1.0, 0.0), ("damping", 0.0, 1.0)):
        problem.start(Scheme(state.q, state.v, v_factor=dv, multiplier_factor=1.0))
        assembly.load_fields(state)
        problem._follow_pattern()
        values = problem.matrix.values
        values[:] = 0.0
        assembly.add_tangent(values, dq, dv, 0.0, 1.0, 0.0)
        problem.matrix.update()
        rows = np.zeros((len(layout.owned), problem.unknowns.getSize()))
        first, _ = problem.matrix.mat.getOwnershipRange()
        for k, unknown in enumerate(of_dof):
            columns, entries = problem.matrix.mat.getRow(first + int(unknown))
            rows[k, columns] = entries
        whole = dense(assemble_matrix(model.world, serial, dq, dv, velocity_terms=False))[layout.owned]
        results[name] = np.abs(rows[:, numbers] - whole).max() / np.abs(whole).max()
    comm = communicator()
    worst = {name: max(comm.allgather(value)) if comm is not None else value for name, value in results.items()}
    return worst | {"contacts": len(con.eval_contacts(model.world, serial, model.forces[0]).depth)}


class Switch(wl.StepHook):
    """Hook that disables a force element for some steps."""

    def __init__(self, force: wl.Entity, first: int, last: int) -> None:
        self._force, self._first, self._last = force, first, last

    def before_step(self, state: wl.State) -> None:
        """Switch the force element at the given step."""
        if state.step == self._first:
            con.disable(state, self._force)
        elif state.step == self._last:
            con.enable(state, self._force)


def list_shares(system: ContactSystem, force: wl.Entity, fields: Fields) -> Results:
    """Return the contacts that all processes evaluate together, in the order of `eval_contacts`."""
    bound, law, flag = system.find_row(force.row)
    own, comm = con.Contacts(*list_contacts(bound, law, bool(fields.data[flag]))), communicator()
    shares = comm.allgather(own) if comm is not None else [own]
    merged = con.Contacts(*(np.concatenate(parts) for parts in zip(*shares, strict=True)))
    order = np.lexsort((merged.surface2, merged.surface1))
    return {name: values[order] for name, values in merged._asdict().items()}


def run(model: Model, solver: Any, steps: int) -> Results:
    """Solve with a force element that is switched off for some steps, and report all results."""
    names = ("potential_energy", "dissipated_power", "contact_count")
    watched = [wl.Sensor(force, n, name=f"{n}_{k}") for k, force in enumerate(model.forces) for n in names]
    sensors = wl.Sensors(None, watched, every=20)
    state = solver.solve(hooks=[sensors, Switch(model.forces[-1], steps // 3, steps // 2)])
    whole = state.gather()
    results: Results = {name: getattr(whole, name) for name in ("q", "v", "a", "lam", "data")}
    results |= {name: sensors[name] for name in sensors.names}
    system = solver.assembly.layout.systems[con.HuntCrossley]
    assert isinstance(system, ContactSystem)
    statistics, comm = solver.statistics, communicator()
    results["counts"] = np.array([statistics.steps, statistics.rejected, *(b.near.rebuilds for b in system.sets)])
    results["newton"] = statistics.newton_iterations
    pairs, stored = [len(b.near.pairs) for b in system.sets], solver.assembly.energy()
    results["largest_share"] = np.max(comm.allgather(pairs), axis=0) if comm is not None else np.array(pairs)
    results["stored"] = sum(comm.allgather(stored)) if comm is not None else stored
    fields = solver.assembly.load_fields(state)
    shares = [list_shares(system, force, fields) for force in model.forces]
    for k, force in enumerate(model.forces):
        contacts = con.eval_contacts(model.world, state, force)._asdict()
        results |= {f"{name}_{k}": values for name, values in contacts.items()}
        results |= {f"shared_{name}_{k}": values for name, values in shares[k].items()}
        found = con.eval_surface_forces(model.world, state, force)
        results |= {f"surface_force_{k}": found.force, f"surface_torque_{k}": found.torque}
        force_sum, torque_sum = con.eval_body_forces(model.world, state, force, model.bodies)
        results |= {f"body_force_{k}": force_sum, f"body_torque_{k}": torque_sum}
    return results


def run_by(method: str, model: Model, step: float, steps: int) -> Results:
    """Run some steps by an explicit method or by ``dynamic``."""
    if method == "dynamic":
        return run(model, wl.Dynamic(model.world, step=step, end=steps * step, name=""), steps)
    tight = {"rtol": 1e-9, "atol": 1e-11} if method == "rk" else {}
    return run(model, wl.Explicit(model.world, step=step, end=steps * step, method=method, name="", **tight), steps)


CASES: dict[str, Callable[[], Results]] = {
    "assembly": compare_with_serial,
    "packing verlet": lambda: run_by("verlet", build_packing(200), 1e-4, 200),
    "packing rk": lambda: run_by("rk", build_packing(24), 1e-3, 2),
    "packing dynamic": lambda: run_by("dynamic", build_packing(60), 4e-4, 10),
    "zoo verlet": lambda: run_by("verlet", build_zoo(), 2e-4, 30),
    "zoo dynamic": lambda: run_by("dynamic", build_zoo(), 2e-3, 20),
    "ellipsoid rk": lambda: run_by("rk", build_ellipsoid(), 1e-2, 5),
    "ellipsoid dynamic": lambda: run_by("dynamic", build_ellipsoid(), 4e-3, 20),
}


def main() -> None:
    """Run all cases and write their reports."""
    path = wl.option("out", "contacts.npz", "", "file of the results")
    found = {f"{case}/{name}": value for case, work in CASES.items() for name, value in work().items()}
    if wl.is_first_process():
        np.savez(path, **found)


if __name__ == "__main__":
    main()
