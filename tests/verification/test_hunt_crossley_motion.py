"""Trajectories and restitution of bodies in Hunt-Crossley contact are compared with Simbody. Further tests concern the
energy balance, and the agreement of implicit and explicit steps.

The recorded values are computed by Simbody's Runge-Kutta-Merson integrator with an accuracy of 1e-12. The error of the
integrator, from a run with the accuracy 1e-10, is up to 2e-9 m and 3e-7 m/s.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

from windlass.connectors import (
    ContactHalfSpace,
    ContactMaterial,
    ContactSet,
    ContactSphere,
    HuntCrossley,
    dissipation_from_restitution,
    facing,
    restitution_from_dissipation,
)
from windlass.connectors.point_contact.sets import ContactSystem
from windlass.elements import Ground, MassPoint, RigidBody3D
from windlass.elements.nodes.nodes3d import Point3D
from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.assembly import serial_assembly
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.evaluate import eval_output
from windlass.framework.state.state import State, local_state
from windlass.solvers.dynamic import Dynamic
from windlass.solvers.explicit import Explicit

from support.hunt_crossley import Case, add_material, read_reference

SCENARIOS: list[Case] = read_reference("trajectories")["scenarios"]
STEP = 2.5e-3
"""Largest step [s]; the error control of the integrator reduces the step in contact."""


def build(scenario: Case) -> tuple[World, list[Entity], Entity]:
    """Build world, spheres and force element of a scenario. Spheres whose rotation is locked are mass points."""
    world = World(gravity=scenario["gravity"])
    contacts = world.add(ContactSet)
    if scenario["plane"]:
        material = add_material(world, scenario["plane"])
        place = {"marker": world.add(Ground), "rotation": facing((0, 1, 0))}
        world.add(ContactHalfSpace, contact_set=contacts, **place, **material)
    spheres = []
    for given in scenario["spheres"]:
        if given["rotation_locked"]:
            body = world.add(Point3D, position=given["p0"], velocity=given["v0"])
            world.add(MassPoint, node=body, mass=given["m"])
        else:
            body = world.add(
                RigidBody3D,
                position=given["p0"],
                velocity=np.append(given["v0"], np.zeros(4)),
                angular_velocity=given["w0"],
                mass=given["m"],
                inertia=np.full(3, 0.4 * given["m"] * given["r"] ** 2),
            )
        spheres.append(body)
        material = add_material(world, given["material"])
        world.add(ContactSphere, contact_set=contacts, marker=body, radius=given["r"], **material)
    force = world.add(HuntCrossley, contact_set=contacts, transition_velocity=scenario["transition_velocity"])
    return world, spheres, force


def on_grid(solver: Explicit, interval: float) -> Iterator[tuple[int, State]]:
    """Return the states at multiples k of an interval [s], each with its number k.

    The error control makes additional steps between multiples of the interval.
    """
    for state in solver.march():
        number = round(state.t / interval)
        if abs(state.t - number * interval) < 1e-9 * interval:
            yield number, state


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: s["id"])
def test_trajectory(scenario: Case) -> None:
    """Every recorded row agrees with Simbody to 1e-6 m, 1e-5 m/s and rad/s, and 1e-5 J of stored energy."""
    world, spheres, force = build(scenario)
    rows = np.array(scenario["rows"])
    times = rows[:, 0]
    interval = float(times[-1]) / (len(times) - 1)
    assert_allclose(np.diff(times), interval, rtol=1e-9)
    parts = int(np.ceil(interval / STEP - 1e-9))
    solver = Explicit(world, step=interval / parts, end=float(times[-1]), method="rk", rtol=1e-12, atol=1e-13, name="")
    done = count = 0
    for done, state in on_grid(solver, interval):
        row = rows[done]
        for k, sphere in enumerate(spheres):
            position, velocity, rate = row[1 + 9 * k : 10 + 9 * k].reshape(3, 3)
            assert_allclose(eval_output(sphere, "position", state), position, rtol=0, atol=1e-6)
            assert_allclose(eval_output(sphere, "velocity", state), velocity, rtol=0, atol=1e-5)
            if sphere.kind == "RigidBody3D":
                assert_allclose(eval_output(sphere, "angular_velocity", state), rate, rtol=0, atol=1e-5)
        assert_allclose(eval_output(force, "potential_energy", state), row[-3], rtol=0, atol=1e-5)
        count += 1
    assert (count, done) == (len(rows) - 1,) * 2


# restitution


class Impact:
    """A central impact without gravity. The test integrates the motion with the forces of the assembly."""

    def __init__(self, row: Case) -> None:
        world = self.world = World()
        columns = {"contact_set": world.add(ContactSet)}
        first = world.add(ContactMaterial, plane_strain_modulus=1e6, dissipation=row["c1"])
        points = [world.add(Point3D, position=(0.0, 0.0, 0.0), velocity=(row["v_in"], 0.0, 0.0))]
        masses = [1.0]
        if row["pair"] == "sphere-halfspace":
            second = world.add(ContactMaterial, plane_strain_modulus=1e6, dissipation=row["c2"])
            plane = {"rotation": facing((-1, 0, 0)), "position": (0.1, 0.0, 0.0)}
            world.add(ContactHalfSpace, marker=world.add(Ground), material=second, **plane, **columns)
        else:
            # the two spheres have the masses 1 and 3 kg, the moduli 1e6 and 8e6 Pa, and the radii 0.1 and 0.25 m
            second = world.add(ContactMaterial, plane_strain_modulus=8e6, dissipation=row["c2"])
            points.append(world.add(Point3D, position=(0.35, 0.0, 0.0)))
            masses.append(3.0)
            world.add(ContactSphere, marker=points[1], radius=0.25, material=second, **columns)
        world.add(ContactSphere, marker=points[0], radius=0.1, material=first, **columns)
        for point, mass in zip(points, masses, strict=True):
            world.add(MassPoint, node=point, mass=mass)
        world.add(HuntCrossley, **columns)
        self.masses = np.repeat(masses, 3)
        self.state = State(world)
        self.two = len(points) == 2

    def rate(self, t: float, y: FloatArray) -> FloatArray:
        assembly, n = serial_assembly(self.world), len(self.state.q)
        self.state.q[:], self.state.v[:] = y[:n], y[n:]
        f = np.zeros(n + 1)
        assembly.load_fields(self.state)
        assembly.add_forces(f)
        return np.concatenate((y[n:], -f[:-1] / self.masses))

    def depth(self, t: float, y: FloatArray) -> float:
        """Overlap [m]."""
        return float(y[0] - y[3] if self.two else y[0])

    def run(self, longest: float) -> tuple[FloatArray, float]:
        """Return the state at the end, and the greatest depth [m] on a fine grid."""
        start = np.concatenate((self.state.q, self.state.v))
        options = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-15, "max_step": longest / 50, "dense_output": True}
        found: Any = solve_ivp(self.rate, (0.0, longest), start, **options)
        depths = [self.depth(t, found.sol(t)) for t in np.linspace(0.0, longest, 4000)]
        return found.y[:, -1], max(depths)


@pytest.mark.parametrize(
    "row", read_reference("restitution")["rows"], ids=lambda r: f"{r['pair'][:8]} {r['c1']} {r['v_in']}"
)
def test_restitution(row: Case) -> None:
    """For c v from 0 to 10, restitution e agrees with Simbody and with the closed form to 1e-7, and the greatest depth
    agrees with Simbody.
    """
    impact = Impact(row)
    # strongly damped spheres separate slowly, so the run is a little longer than the recorded contact time
    end, depth = impact.run(1.05 * row["contact_time"] + 1e-3)
    velocity = end[len(end) // 2 :]
    speed = velocity[0] - (velocity[3] if impact.two else 0.0)
    assert_allclose(-speed / row["v_in"], row["e"], rtol=0, atol=1e-7)
    assert_allclose(-speed / row["v_in"], restitution_from_dissipation(row["c_eff"], row["v_in"]), rtol=0, atol=1e-7)
    # the recorded depth is the largest value at the steps of Simbody's integrator
    assert_allclose(depth, row["max_depth"], rtol=2e-4)


def test_dissipation_for_a_wanted_restitution() -> None:
    """A ball whose dissipation is chosen for a restitution of 0.6 hits with 3 m/s and rebounds with 0.6 times this
    speed.
    """
    c = dissipation_from_restitution(0.6, 3.0)
    row = {"pair": "sphere-halfspace", "c1": c, "c2": c, "v_in": 3.0}
    end, _ = Impact(row).run(0.06)
    assert_allclose(-end[3] / 3.0, 0.6, rtol=0, atol=1e-9)


# energy


def test_energy_balance() -> None:
    """Kinetic, stored and dissipated energy of 12 rolling, sliding, colliding balls sum to the initial energy.

    Simpson's rule integrates the dissipated power over steps of 0.05 ms. If friction changes direction within a step,
    the error is about 1e-8 of the energy.
    """
    random = np.random.default_rng(4)
    world = World()
    material = world.add(
        ContactMaterial, plane_strain_modulus=1e5, dissipation=0.3, static_friction=0.5, dynamic_friction=0.3
    )
    columns = {"contact_set": world.add(ContactSet), "material": material}
    place = np.stack(np.meshgrid(*[np.arange(2) * 0.19] * 2, np.arange(3) * 0.19 + 0.099, indexing="ij"), axis=-1)
    speeds = np.concatenate((random.standard_normal((12, 3)), np.zeros((12, 4))), axis=1)
    balls = world.add(
        RigidBody3D,
        position=place.reshape(-1, 3),
        velocity=speeds,
        angular_velocity=3.0 * random.standard_normal((12, 3)),
        mass=1.0,
        inertia=(4e-3,) * 3,
    )
    world.add(ContactSphere, marker=balls, radius=0.1, **columns)
    world.add(ContactHalfSpace, marker=world.add(Ground), rotation=facing((0, 0, 1)), **columns)
    force = world.add(HuntCrossley, contact_set=columns["contact_set"], transition_velocity=0.1)
    h = 5e-5
    solver = Explicit(world, step=h, end=0.04, method="rk", rtol=1e-10, atol=1e-12, name="")
    powers, energies = [], []
    for state in (State(world), *(s.copy() for _, s in on_grid(solver, h))):
        powers.append(float(eval_output(force, "dissipated_power", state)))
        kinetic = float(eval_output(balls, "kinetic_energy", state).sum())
        energies.append(kinetic + float(eval_output(force, "potential_energy", state)))
    powers_ = np.array(powers)
    assert powers_.min() >= 0.0
    work = h / 3 * (powers_[:-2:2] + 4 * powers_[1::2] + powers_[2::2]).sum()
    assert work > 0.1 * energies[0]
    assert_allclose(energies[-1] + work, energies[0], rtol=1e-6)


# implicit steps


def build_row() -> tuple[World, Entity]:
    """Create ten points in a row that nearly touch. The first point moves towards the second point.

    The skin is so small that neighbours change often.
    """
    random = np.random.default_rng(0)
    world = World()
    columns = {"contact_set": world.add(ContactSet, skin=0.002)}
    columns["material"] = world.add(
        ContactMaterial, plane_strain_modulus=1e6, dissipation=0.2, static_friction=0.5, dynamic_friction=0.3
    )
    position = np.stack((0.22 * np.arange(10), *(0.02 * random.standard_normal((2, 10)))), axis=1)
    velocity = np.zeros((10, 3))
    velocity[0, 0] = 2.0
    points = world.add(Point3D, position=position, velocity=velocity)
    world.add(MassPoint, node=points, mass=1.0)
    world.add(ContactSphere, marker=points, radius=0.1, **columns)
    world.add(HuntCrossley, contact_set=columns["contact_set"])
    return world, points


def test_implicit_steps_follow_the_neighbours() -> None:
    """The matrix is updated for new neighbours between steps and within Newton's method. The motion converges with
    order 2 to the explicit result.

    With exact tangents, Newton's method needs at most 4 iterations per step on average, although neighbours change
    often.
    """
    world, points = build_row()
    end = 0.1
    exact = Explicit(world, step=1e-3, end=end, method="rk", rtol=1e-12, atol=1e-13, name="").solve().of(points)
    errors = []
    for step in (4e-4, 2e-4, 1e-4):
        world, points = build_row()
        solver = Dynamic(world, step=step, end=end, method="trapezoidal_index2", name="")
        momenta = [state.v.reshape(-1, 3).sum(axis=0) for state in solver.march()]
        last = local_state(solver.problem.assembly, None)
        solver.problem.store(last)
        errors.append(np.abs(last.of(points) - exact).max())
        assert_allclose(momenta[-1], momenta[0], rtol=0, atol=1e-9)
        system = serial_assembly(world).layout.systems[HuntCrossley]
        assert isinstance(system, ContactSystem)
        assert system.sets[0].near.rebuilds > 50 and system.neighbours.version >= 4
        assert solver.statistics.rejected <= 1
        assert solver.statistics.newton_iterations < 4 * solver.statistics.steps
    for coarse, fine in pairwise(errors):
        assert 3.0 < coarse / fine < 5.5


def test_static_rest_on_a_plane() -> None:
    """A static solve finds the contact depth of a ball on a plane for which f_H equals the weight of the ball, x = (3 m
    g / (4 sqrt(R) E))^(2/3).
    """
    world = World(gravity=(0.0, 0.0, -9.81))
    material = world.add(ContactMaterial, plane_strain_modulus=1e6, dissipation=20.0, static_friction=0.5)
    columns = {"contact_set": world.add(ContactSet), "material": material}
    point = world.add(Point3D, position=(0.0, 0.0, 0.1))
    world.add(MassPoint, node=point, mass=1.0)
    world.add(ContactSphere, marker=point, radius=0.1, **columns)
    world.add(ContactHalfSpace, marker=world.add(Ground), rotation=facing((0, 0, 1)), **columns)
    world.add(HuntCrossley, contact_set=columns["contact_set"])
    state = Dynamic(world, step=1e-2, end=1.0, name="").solve()
    depth = (3 * 9.81 / (4 * np.sqrt(0.1) * 1e6 / 2**1.5)) ** (2 / 3)
    assert_allclose(-state.of(point)[0], [0.0, 0.0, depth], rtol=0, atol=1e-9)
