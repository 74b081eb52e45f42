"""Tests of floating bodies with closed meshes against boxes, cylinders, spheres, hydrostatics of ships and waves.

The references are closed forms: Archimedes; the Wigley hull with the volume 4/9 L B T, the waterplane 2/3 L B with the
second moment 4/105 L B³, and the centre of buoyancy 5/8 T above the keel; and J. N. Newman, Marine Hydrodynamics, MIT
Press (1977), chapters 2 and 6.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import meshio
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import windlass as wl
from windlass import connectors as con
from windlass.elements import RigidBody3D
from windlass.framework.arrays import FloatArray
from windlass.framework.model.table import Entity

from support import hulls
from support.floating import period_of
from support.processes import ROOT, run_windlass

RHO, G = 1025.0, 9.81
NO_DRAG: dict[str, Any] = {"drag": 0.0, "added_mass": 0.0}
TILTED = np.array((0.9, 0.1, 0.3, np.sqrt(1.0 - 0.81 - 0.01 - 0.09)))
"""Euler parameters of an arbitrary rotation."""


class Floating(NamedTuple):
    """A world with a floating body, the body, and the load of the water."""

    world: wl.World
    body: Entity
    load: Entity


def place(mesh: hulls.Mesh | None, kind: Any = con.MeshFluidLoad, water: Any = None, **columns: Any) -> Floating:
    """Create a body in water.

    Args:
        mesh: points and triangles of a mesh, or None for other loads.
        kind: component of the load.
        water: columns of the water.
        **columns: columns of the body and of the load.
    """
    world = wl.World(gravity=(0.0, 0.0, -G))
    given = {"position": (0.0, 0.0, 0.0), "mass": 900.0, "inertia": (200.0, 250.0, 300.0)}
    given |= {name: columns.pop(name) for name in tuple(columns) if name in BODY}
    body = world.add(RigidBody3D, **given)
    sea = world.add(con.Fluid, density=RHO, **({"depth": 500.0} | (water or {})))
    if mesh is not None:
        columns["mesh"] = world.add(con.BodyMesh, points=mesh[0], triangles=mesh[1])
    return Floating(world, body, world.add(kind, marker=body, fluid=sea, **columns))


BODY = (
    "position", "mass", "inertia", "center_of_mass", "euler_parameters", "velocity", "angular_velocity",
)  # fmt: skip
MOVING: dict[str, Any] = {
    "position": (0.0, 0.0, 0.2), "euler_parameters": TILTED, "velocity": (0.3, -0.2, 0.4),
    "angular_velocity": (0.5, 0.3, 0.1),
}  # fmt: skip


def test_box_of_triangles_is_a_box() -> None:
    """A mesh with the shape of a box has the forces, the added mass and the motion of `BoxFluidLoad` with the same
    parts, in waves and current.
    """
    sides, parts = (1.2, 1.0, 1.4), (3, 2, 4)
    water = {"velocity": (0.6, -0.3, 0.0), **con.jonswap(0.5, 4.0, seed=3, count=8)}
    models = [
        place(hulls.box(sides), water=water, parts=parts, **MOVING),
        place(None, con.BoxFluidLoad, water, sides=sides, parts=parts, **MOVING),
    ]
    found = []
    for model in models:
        state = wl.State(model.world)
        state.t = 0.7
        found.append([wl.eval_output(model.load, name, state) for name in model.load.table.component.output_names])
        end = wl.Dynamic(model.world, step=0.01, end=1.0, name="").solve()
        found[-1].append(end.of(model.body))
    for mesh, box in zip(*found, strict=True):
        assert_allclose(mesh, box, rtol=1e-9, atol=1e-9 * np.abs(box).max())


def test_prisms_converge_to_a_cylinder() -> None:
    """Forces and torques of prisms in a cylinder converge to the values of `CylinderFluidLoad` with the square of the
    number of sides.
    """
    fluid = {"normal_drag": 0.0, "axial_drag": 0.0, "end_drag": 0.0, "added_mass": 0.0, "end_added_mass": 0.0}
    cylinder = place(None, con.CylinderFluidLoad, diameter=1.0, length=2.0, **fluid, **MOVING)
    names = "force", "torque", "buoyancy_center"
    exact = [wl.eval_output(cylinder.load, name, wl.State(cylinder.world)) for name in names]
    errors = []
    for sides in (16, 32, 64, 128):
        model = place(hulls.prism(0.5, 2.0, sides), parts=1, **NO_DRAG, **MOVING)
        found = [wl.eval_output(model.load, name, wl.State(model.world)) for name in names]
        errors.append([np.abs(a - b).max() for a, b in zip(found, exact, strict=True)])
    orders = np.log2(np.array(errors)[:-1] / np.array(errors)[1:])
    assert (np.abs(orders[:, 0] - 2.0) < 0.05).all() and (np.abs(orders[-1] - 2.0) < 0.1).all()
    assert errors[-1][0] < 1e-3 * np.abs(exact[0]).max()


@pytest.mark.parametrize("height", [-0.6, 0.0, 0.35])
def test_balls_converge_to_a_sphere(height: float) -> None:
    """Immersed volume and centre of buoyancy of a ball of triangles converge to the values of a sphere with the square
    of the number of rings.
    """
    h = -height
    volume = np.pi / 3.0 * (1.0 + h) ** 2 * (2.0 - h)
    centre = height - 0.25 * np.pi * (1.0 - h * h) ** 2 / volume
    errors = []
    for divisions in (20, 40, 80):
        model = place(hulls.ball(1.0, divisions), position=(0.0, 0.0, height), euler_parameters=TILTED, **NO_DRAG)
        state = wl.State(model.world)
        found = (
            wl.eval_output(model.load, "immersed_volume", state),
            wl.eval_output(model.load, "buoyancy_center", state),
        )
        errors.append([abs(float(found[0]) / volume - 1.0), abs(found[1][2] - centre)])
        assert_allclose(
            wl.eval_output(model.load, "force", state), [0.0, 0.0, RHO * G * found[0]], rtol=1e-12, atol=1e-8
        )
    orders = np.log2(np.array(errors)[:-1] / np.array(errors)[1:])
    assert (np.abs(orders - 2.0) < 0.15).all(), orders
    assert max(errors[-1]) < 2e-3


def stiffness_of(model: Floating) -> FloatArray:
    """Return the derivatives of the residual with respect to the coordinates, shape (7, 7)."""
    return np.asarray(wl.assemble_matrix(model.world, wl.State(model.world), dq=1.0, dv=0.0)[:, :])


@pytest.mark.parametrize("seed", range(3))
def test_heave_stiffness_is_the_waterplane(seed: int) -> None:
    """The derivatives of force and immersed volume with respect to the height are ρ g A and -A."""
    model = place(hulls.star(seed), euler_parameters=TILTED, position=(0.0, 0.0, 0.1), **NO_DRAG)
    moved = [
        place(hulls.star(seed), euler_parameters=TILTED, position=(0.0, 0.0, 0.1 + h), **NO_DRAG) for h in (1e-6, -1e-6)
    ]
    up, down = (float(wl.eval_output(one.load, "immersed_volume", wl.State(one.world))) for one in moved)
    area = (down - up) / 2e-6
    assert area > 0.1
    assert_allclose(stiffness_of(model)[2, 2], RHO * G * area, rtol=1e-7)
    assert_allclose(stiffness_of(model)[:2, :3], 0.0, atol=1e-6 * RHO * G * area)


def test_dry_and_deep() -> None:
    """A dry body has no load. The load of a deep body is the weight of the displaced water, without stiffness against
    displacements.
    """
    mesh = hulls.star(7)
    dry = place(mesh, **MOVING | {"position": (0.0, 0.0, 1.3)})
    state = wl.State(dry.world)
    for name in ("force", "torque", "drag", "buoyancy", "immersion"):
        assert not np.any(wl.eval_output(dry.load, name, state))
    assert_allclose(stiffness_of(dry)[:3, :3], 0.0, atol=1e-12)
    deep = place(mesh, position=(0.0, 0.0, -40.0), euler_parameters=TILTED, **NO_DRAG)
    state = wl.State(deep.world)
    volume = float(wl.eval_output(deep.load, "immersed_volume", state))
    corners = mesh[0][mesh[1]]
    assert_allclose(volume, np.linalg.det(corners).sum() / 6.0, rtol=1e-12)
    assert_allclose(wl.eval_output(deep.load, "force", state), (0.0, 0.0, RHO * G * volume), rtol=1e-12, atol=1e-8)
    assert_allclose(stiffness_of(deep)[:3], 0.0, atol=1e-9 * RHO * G)


# ship

LENGTH, BEAM, DRAFT = 40.0, 8.0, 2.5
VOLUME, AREA, SECOND = 4.0 / 9.0 * LENGTH * BEAM * DRAFT, 2.0 / 3.0 * LENGTH * BEAM, 4.0 / 105.0 * LENGTH * BEAM**3
SHIP = hulls.wigley(LENGTH, BEAM, DRAFT, 2.0, 72, 18)
RADIUS = 2.6
"""Radius of gyration in roll [m]."""


@cache
def find_mass() -> float:
    """Return the mass of the water that the mesh displaces up to the design waterline."""
    ship = place(SHIP, parts=1, **NO_DRAG)
    return RHO * float(wl.eval_output(ship.load, "immersed_volume", wl.State(ship.world)))


def sail(height: float, heel: float = 0.0, drop: float = 0.0, **load: Any) -> Floating:
    """Create a Wigley hull, whose frame is at the design waterline amidships.

    Args:
        height: height of the centre of mass above the keel [m].
        heel: rotation about x [rad].
        drop: depth of the waterline below the water surface [m].
        **load: columns of the load.
    """
    mass = find_mass()
    return place(
        SHIP, mass=mass, inertia=(mass * RADIUS**2, mass * 100.0, mass * 100.0), position=(0.0, 0.0, -drop),
        center_of_mass=(0.0, 0.0, height - DRAFT), euler_parameters=(np.cos(0.5 * heel), np.sin(0.5 * heel), 0.0, 0.0),
        **({"parts": 1} | NO_DRAG | load),
    )  # fmt: skip


def test_hydrostatics_of_a_ship() -> None:
    """Displacement, centre of buoyancy, waterplane and metacentre of a Wigley hull agree with the closed forms."""
    ship = sail(3.0)
    state = wl.State(ship.world)
    assert_allclose(wl.eval_output(ship.load, "immersed_volume", state), VOLUME, rtol=1e-3)
    assert_allclose(wl.eval_output(ship.load, "buoyancy_center", state), (0.0, 0.0, -0.375 * DRAFT), atol=1e-3 * DRAFT)
    assert_allclose(stiffness_of(ship)[2, 2], RHO * G * AREA, rtol=1e-3)
    # at a small heel φ, the righting moment about the centre of mass is W GM sin φ
    heel = 1e-4
    turned = sail(3.0, heel)
    state = wl.State(turned.world)
    lever = wl.eval_output(turned.load, "buoyancy_center", state)[1] + (3.0 - DRAFT) * np.sin(heel)
    metacentric = 0.625 * DRAFT + SECOND / VOLUME - 3.0
    assert_allclose(-lever / np.sin(heel), metacentric, rtol=2e-3)


@pytest.mark.parametrize("height", [2.2, 2.8])
def test_heave_and_roll_periods_of_a_ship(height: float) -> None:
    """The frequencies of heave and roll are sqrt(ρ g A/M) and sqrt(M g GM/I_x) with GM = KB + BM - KG, also in a
    simulated motion.
    """
    metacentric = 0.625 * DRAFT + SECOND / VOLUME - height
    heave, roll = np.sqrt(G * AREA / VOLUME), np.sqrt(G * metacentric) / RADIUS
    found = 2.0 * np.pi * wl.Modes(sail(height).world, count=6, name="").solve().frequencies
    assert abs(found - heave).min() < 1e-3 * heave
    assert abs(found - roll).min() < 1e-3 * roll
    ship = sail(height, 0.01, 0.01)
    record = wl.Sensors(
        None, [wl.Sensor(ship.body, "position", name="position"), wl.Sensor(ship.body, "rotation", name="rotation")]
    )
    wl.Dynamic(ship.world, step=0.02, end=30.0, name="").solve(hooks=[record])
    for values, exact in ((record["position"][:, 2], heave), (record["rotation"][:, 2, 1], roll)):
        assert_allclose(period_of(values, 0.02), 2.0 * np.pi / exact, rtol=1e-3)


def test_a_ship_without_metacentric_height_heels() -> None:
    """If the centre of mass is above the metacentre, the ship does not stay upright."""
    metacentre = 0.625 * DRAFT + SECOND / VOLUME
    for height, stable in ((metacentre - 0.1, True), (metacentre + 0.1, False)):
        ship = sail(height, 0.01, drag=1.0)
        state = wl.Dynamic(ship.world, step=0.1, end=60.0, name="").solve()
        heel = abs(np.arcsin(wl.eval_output(ship.body, "rotation", state)[2, 1]))
        assert (heel < 0.011) == stable


# waves


def test_forces_of_a_wave_on_a_column() -> None:
    """The forces of a wave with a small height on a square column agree with the integral of the pressure, and the
    error decreases with the square of the number of parts.
    """
    depth, draft, side = 40.0, 15.0, 2.0
    k, omega = con.wave_number(2.0 * np.pi / 6.0, depth, G), 2.0 * np.pi / 6.0
    # the mean pressure over the section, relative to the pressure in its centre, for a wave that travels along x
    mean = np.sin(0.5 * k * side) / (0.5 * k * side)
    pressure = np.cosh(k * (depth - draft)) / np.cosh(k * depth)
    along = (np.sinh(k * depth) - np.sinh(k * (depth - draft))) / (k * np.cosh(k * depth))
    size = RHO * G * side**2 * 1e-4
    errors = []
    for parts in (10, 20, 40):
        water = {"depth": depth, **con.regular_wave(2e-4, 6.0)}
        column = place(
            hulls.box((side, side, 20.0)), water=water, position=(0.0, 0.0, -5.0), parts=(4, 1, parts), **NO_DRAG
        )
        state, error = wl.State(column.world), 0.0
        for t in (0.0, 1.1):
            state.t = t
            force = wl.eval_output(column.load, "force", state)
            heave = size * pressure * mean * np.cos(omega * t)
            surge = size * k * along * mean * -np.sin(omega * t)
            error = max(error, abs(force[2] - RHO * G * side**2 * draft - heave), abs(force[0] - surge))
        errors.append(error / size)
    assert errors[2] < 2e-3 and errors[0] > 3.0 * errors[1] > 9.0 * errors[2], errors


def test_a_long_ship_in_head_seas_follows_the_parts() -> None:
    """The heave force of a wave on a ship converges with the number of parts along the ship. With one part, the ship
    has the force of a short body.
    """
    forces = []
    for parts in (1, 8, 16, 32):
        ship = sail(3.0, water=con.regular_wave(0.02, 4.5) | {"depth": 100.0}, parts=(parts, 1, 3))
        forces.append(wl.eval_output(ship.load, "force", wl.State(ship.world))[2] - find_mass() * G)
    assert abs(forces[1] - forces[3]) < 0.1 * abs(forces[0])
    assert abs(forces[2] - forces[3]) < 0.35 * abs(forces[1] - forces[3])


def test_energy_of_a_ship_in_waves() -> None:
    """For a body that tumbles in waves, the entries of the energy ledger balance."""
    model = place(
        hulls.star(2), water=con.jonswap(0.4, 4.0, seed=3, count=8), mass=1200.0, **MOVING | {"position": (0, 0, 0.1)}
    )
    ledger = wl.EnergyLedger()
    wl.Dynamic(model.world, step=1e-3, end=2.0, name="").solve(hooks=[ledger])
    assert ledger.totals["MeshFluidLoad.drag"] > 100.0
    assert abs(ledger.rest) < 1e-6 * ledger.totals["MeshFluidLoad.drag"]


# processes and restarts


def run(folder: Path, processes: int = 1, kill_at: int = 0, *words: str) -> FloatArray | None:
    """Return the coordinates at the end of a run of two bodies; None for a run that was killed."""
    folder.mkdir(exist_ok=True)
    path, program = folder / "end.npz", str(ROOT / "tests/support/parallel_hulls.py")
    given = ["-end_state", str(path), "-kill_at", str(kill_at), *words, "-quiet"]
    done = run_windlass(["run", program, *given], processes, folder)
    assert (done.returncode == 0) != bool(kill_at), done.stderr
    return None if kill_at else np.asarray(np.load(path)["q"])


@pytest.mark.parametrize("mass", [500.0, 700.0, 1500.0])
@pytest.mark.parametrize("is_mesh", [True, False])
def test_imbalance_of_a_floating_body(is_mesh: bool, mass: float) -> None:
    """Weight and buoyancy of a floating body cancel. Rounding errors of its torques are small relative to the weight,
    so the modes about the equilibrium are not doubtful. The modes about another position are doubtful.
    """
    world = wl.World(gravity=(0.0, 0.0, -9.81))
    water = world.add(con.Fluid, density=1000.0, depth=50.0)
    body = world.add(
        RigidBody3D, position=(0.0, 0.0, 0.0), mass=mass, inertia=(100.0, 200.0, 200.0), center_of_mass=(0.0, 0.0, -0.3)
    )
    if is_mesh:
        points, triangles = hulls.box((2.0, 1.0, 1.0))
        mesh = world.add(con.BodyMesh, points=points, triangles=triangles)
        world.add(con.MeshFluidLoad, marker=body, fluid=water, mesh=mesh)
    else:
        world.add(con.BoxFluidLoad, marker=body, fluid=water, sides=(2.0, 1.0, 1.0), parts=(2, 2, 2))
    con.fix(world, body, "x", "y", "e3")
    state = wl.Static(world, name="").solve()
    found = wl.Modes(world, count=3, name="").solve(state)
    assert found.imbalance < 1e-9 and not [note for note in found.notes if "doubtful" in note]
    assert wl.Modes(world, count=3, name="").solve(wl.State(world)).imbalance > 0.1


@pytest.mark.mpi
def test_two_processes(tmp_path: Path) -> None:
    """Two bodies have meshes with different numbers of triangles. Motion and frames on two processes, each of which has
    one body, equal the results on one process.
    """
    folders = [tmp_path / f"on_{count}" for count in (1, 2)]
    ends = [run(folder, count) for folder, count in zip(folders, (1, 2), strict=True)]
    assert_allclose(ends[1], ends[0], rtol=0, atol=1e-11)
    for name in sorted(path.name for path in folders[0].glob("hulls_*.vtu")):
        serial, parallel = (meshio.read(folder / name) for folder in folders)
        assert_allclose(parallel.points, serial.points, rtol=0, atol=1e-10)
        assert [block.type for block in serial.cells] == ["line", "quad"]
        for one, other in zip(parallel.cells, serial.cells, strict=True):
            assert_array_equal(one.data, other.data)
        assert_allclose(
            np.nan_to_num(parallel.cell_data["immersion"][0]), np.nan_to_num(serial.cell_data["immersion"][0])
        )
        assert_array_equal(np.unique(parallel.cell_data["partition"][1]), [0, 1])


def test_restart(tmp_path: Path) -> None:
    """A run that is killed and continued ends in the same state as an uninterrupted run."""
    words = "-checkpoint", "kept.h5", "-checkpoint_every", "20", "-restart", "auto"
    run(tmp_path, 1, 30, *words)
    continued = run(tmp_path, 1, 0, *words)
    (tmp_path / "kept.h5").unlink()
    assert_array_equal(continued, run(tmp_path / "other", 1, 0, *words))
