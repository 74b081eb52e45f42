"""Loads of fluids on spheres, cylinders and boxes: immersed volumes, tangents, outputs, drawings and errors."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import windlass as wl
from windlass import connectors as con
from windlass.connectors.loads.immersion import BOX, CYLINDER, SPHERE, immerse
from windlass.elements import Ground, MassPoint, PointSlope3D, RigidBody2D, RigidBody3D
from windlass.framework.arrays import FloatArray
from windlass.framework.model.table import Entity
from windlass.framework.output.scene import Scene

from support.carried_powers import compare_carried

RHO, G = 1000.0, 9.81
SIZES = {SPHERE: (0.7, 0.0, 0.0), CYLINDER: (0.5, 1.3, 0.0), BOX: (0.6, 1.1, 0.8)}
NORMALS = [
    (0.0, 0.0, 1.0), (0.0, 0.0, -1.0), (0.3, 1.0, 0.0), (0.3, 1.0, 1e-8), (0.3, 1.0, -1e-3), (0.5, -0.2, 0.8),
    (-0.1, 0.7, -1.0),
]  # fmt: skip


def eval_immersion(kind: int, h: float, N: Any) -> tuple[float, FloatArray, float, FloatArray, FloatArray]:
    """Return the immersed volume V, its first moment S, and the integrals A_w, S_w and I_w over the waterplane."""
    S, Sw, Iw = np.zeros(3), np.zeros(3), np.zeros((3, 3))
    V, area = immerse(kind, np.array(SIZES[kind]), float(h), np.array(N, float), S, Sw, Iw)
    return V, S, area, Sw, Iw


@pytest.mark.parametrize("kind", SIZES)
def test_immersed_volumes_of_a_grid_of_points(kind: int) -> None:
    """Volumes and moments are sums over a fine grid of points, within the error of the grid."""
    a, b, c = SIZES[kind]
    reach = {SPHERE: (a, a, a), CYLINDER: (a, a, 0.5 * b), BOX: (0.5 * a, 0.5 * b, 0.5 * c)}[kind]
    n = 120
    x = (
        np.stack(np.meshgrid(*[(np.arange(n) + 0.5) / n * 2.0 - 1.0] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
        * reach
    )
    if kind != BOX:
        x = x[(x[:, : 3 if kind == SPHERE else 2] ** 2).sum(axis=1) < a * a]
    cell = 8.0 * np.prod(reach) / n**3
    for N in NORMALS:
        wet = x[0.13 - x @ np.array(N) > 0.0]
        V, S, *_ = eval_immersion(kind, 0.13, N)
        assert_allclose(V, cell * len(wet), rtol=0.02)
        assert_allclose(S, cell * wet.sum(axis=0), atol=0.01)


@pytest.mark.parametrize("kind", SIZES)
def test_waterplanes_are_derivatives(kind: int) -> None:
    """Waterplane integrals are the derivatives of volume and moment, also for planes along and across the axis."""
    for N in NORMALS:
        *_, area, Sw, Iw = eval_immersion(kind, 0.13, N)
        step = 1e-6
        for k in range(4):
            dh, dN = (step, np.zeros(3)) if k == 3 else (0.0, step * np.eye(3)[k])
            after, before = eval_immersion(kind, 0.13 + dh, N + dN), eval_immersion(kind, 0.13 - dh, N - dN)
            assert_allclose((after[0] - before[0]) / (2.0 * step), area if k == 3 else -Sw[k], atol=1e-8)
            assert_allclose((after[1] - before[1]) / (2.0 * step), Sw if k == 3 else -Iw[k], atol=1e-8)


@pytest.mark.parametrize("kind", SIZES)
def test_wholly_wet_and_dry(kind: int) -> None:
    a, b, c = SIZES[kind]
    whole = {SPHERE: 4.0 / 3.0 * np.pi * a**3, CYLINDER: np.pi * a**2 * b, BOX: a * b * c}[kind]
    for h, volume in ((2.0, whole), (-2.0, 0.0)):
        V, S, area, Sw, Iw = eval_immersion(kind, h, (0.3, -0.2, 0.9))
        assert_allclose(V, volume, atol=1e-15)
        assert_allclose([area, *S, *Sw, *Iw.ravel()], 0.0, atol=1e-15)


def test_closed_forms_of_a_cylinder() -> None:
    """An inclined cylinder whose ends the plane does not cut has the immersed volume π R² times its draft on the axis.
    The immersed cross section of a lying cylinder is a segment of a circle.
    """
    V, S, *_ = eval_immersion(CYLINDER, 0.1, (0.3, 0.4, 1.2))
    assert_allclose(V, np.pi * 0.25 * (0.65 + 0.1 / 1.2), rtol=1e-13)
    assert_allclose(S[:2], -np.pi * 0.25**2 / 4.0 * np.array((0.3, 0.4)) / 1.2, rtol=1e-13)
    V, *_ = eval_immersion(CYLINDER, 0.2, (0.0, 1.0, 0.0))
    angle = 2.0 * np.arccos(-0.2 / 0.5)
    assert_allclose(V, 1.3 * 0.125 * (angle - np.sin(angle)), rtol=1e-13)


def build(dims: int) -> wl.World:
    """Create bodies in water with current and waves, in wind, and in a fluid without surface whose flow is a user
    function.
    """
    up = np.eye(3)[dims - 1]
    across = float(dims == 3)
    world = wl.World(gravity=-G * up)
    waves = con.jonswap(1.0, 4.0, seed=2, count=4, direction=0.5 * across)
    sea = world.add(con.Fluid, density=RHO, depth=30.0, velocity=(0.5, 0.2 * across, 0.0), **waves)
    air = world.add(con.Fluid, density=1.2, fills="above", velocity=(5.0, across, 0.0), profile="log")
    mist = world.add(con.Fluid, density=90.0, fills="everywhere", function=swirl)
    if dims == 3:
        body = world.add(
            RigidBody3D, position=(0.0, 0.0, 0.2), mass=100.0, inertia=(10.0, 12.0, 8.0, 0.5, 0.2, -0.1),
            center_of_mass=(0.1, 0.05, -0.2), velocity=(0.1, 0.2, 0.3), angular_velocity=(0.2, -0.1, 0.3),
        )  # fmt: skip
    else:
        body = world.add(
            RigidBody2D, position=(0.0, 0.2), mass=100.0, inertia=10.0, center_of_mass=(0.1, 0.05),
            velocity=(0.1, 0.2, 0.3),
        )  # fmt: skip
    place = con.rigid_marker(world, body, (0.1, 0.2, -0.3)[:dims])
    for fluid in (sea, air, mist):
        world.add(con.CylinderFluidLoad, marker=place, fluid=fluid, diameter=1.0, length=3.0, strips=2)
        world.add(con.BoxFluidLoad, marker=body, fluid=fluid, sides=(1.0, 0.7, 1.5), parts=(1, 2, 1))
        world.add(con.SphereFluidLoad, marker=place, fluid=fluid, diameter=1.0)
    lying = (0.0, 0.0, 1.0) if dims == 2 else (0.3, 0.6, 0.1)
    world.add(con.CylinderFluidLoad, marker=place, fluid=sea, diameter=1.0, length=2.0, strips=2, axis=lying)
    point = world.add(MassPoint, position=(1.0, -0.1, 0.1)[:dims], mass=3.0)
    world.add(con.SphereFluidLoad, marker=point, fluid=[sea, air], diameter=1.0)
    return world


def swirl(t: float, x: Any) -> tuple[Any, Any]:
    """User function that returns a flow in the plane x, y."""
    u, u_t = np.zeros_like(x), np.zeros_like(x)
    u[:, 0], u_t[:, 0] = 0.3 * np.sin(x[:, 1] + t), 0.3 * np.cos(x[:, 1] + t)
    return u, u_t


@pytest.mark.parametrize("dims", [2, 3])
def test_power_of_added_mass_without_drag(dims: int) -> None:
    """The power that the added mass carries away does not change if the velocity of the fluid is not evaluated."""
    world = build(dims)
    state = wl.State(world)
    state.t = 1.3
    state.v[:] = np.random.default_rng(4).normal(size=len(state.v))
    assert compare_carried(world, state) == 3


def every(world: wl.World, kind: Any) -> Entity:
    """Return a handle to all rows of a component."""
    return Entity(world.table(kind), np.arange(world.table(kind).count))


@pytest.mark.parametrize("dims", [2, 3])
def test_tangents_are_exact(dims: int) -> None:
    """Tangents agree with differences on rotating bodies off the centre of mass, in waves with slopes, for bodies that
    pierce the surface."""
    world = build(dims)
    state = wl.State(world)
    state.t = 0.6
    wl.testing.check_tangent(world, state)


@pytest.mark.parametrize("dims", [2, 3])
def test_inactive_loads_exert_no_force(dims: int) -> None:
    world = build(dims)
    for kind in (con.SphereFluidLoad, con.CylinderFluidLoad, con.BoxFluidLoad):
        loads = every(world, kind)
        world.set(loads, active=False)
        state = wl.State(world)
        for name in ("force", "torque", "drag", "buoyancy"):
            assert not np.any(wl.eval_output(loads, name, state))
        assert np.any(wl.eval_output(loads, "immersed_volume", state) > 0.0)
    wl.testing.check_tangent(world, wl.State(world), states=0)


def test_sphere_on_the_node_of_a_cable() -> None:
    """The outputs of a buoy at a node of a cable agree with the closed forms for its immersed volume."""
    world = wl.World(gravity=(0.0, 0.0, -G))
    node = world.add(PointSlope3D, position=(0.0, 0.0, 0.1), slope=(1.0, 0.0, 0.0))
    sea = world.add(con.Fluid, density=RHO, surface=0.05)
    buoy = world.add(con.SphereFluidLoad, marker=node, fluid=sea, diameter=0.4)
    state = wl.State(world)
    h = -0.05
    volume = np.pi / 3.0 * (0.2 + h) ** 2 * (0.4 - h)
    assert_allclose(wl.eval_output(buoy, "immersed_volume", state), volume, rtol=1e-12)
    assert_allclose(wl.eval_output(buoy, "force", state), [0.0, 0.0, RHO * G * volume], rtol=1e-12)
    assert_allclose(wl.eval_output(buoy, "immersion", state), volume / (4.0 / 3.0 * np.pi * 0.2**3), rtol=1e-12)
    middle = 0.1 - np.pi / 4.0 * (0.04 - h * h) ** 2 / volume
    assert_allclose(wl.eval_output(buoy, "buoyancy_center", state), [0.0, 0.0, middle], rtol=1e-12)
    assert_allclose(wl.eval_output(buoy, "surface_height", state), 0.05)


def test_outlines() -> None:
    """Drawings contain the outlines at the positions of the bodies, and the forces."""
    world = build(3)
    state = wl.State(world)
    seen = Scene(world, 1).draw(state)
    assert seen is not None
    for kind, reach in ((con.SphereFluidLoad, 0.5), (con.BoxFluidLoad, np.sqrt(1.0 + 0.49 + 2.25) / 2.0)):
        loads = every(world, kind)
        [drawing] = [one for one in seen[0] if len(one.entity) and one.entity[0] in loads.ids]
        points = drawing.points.reshape(len(loads), -1, 3)
        middle = points.mean(axis=1)
        assert_allclose(np.linalg.norm(points - middle[:, None], axis=-1), reach, rtol=1e-12)
        force = wl.eval_output(loads, "force", state)
        assert_allclose(drawing.cell_data["fluid_force"][:: len(drawing.lines) // len(loads)], force)
        assert drawing.faces.max() < len(drawing.points)


def put_on(kind: Any, **columns: Any) -> None:
    """Add a load on a 3D body, with the given columns changed."""
    world = wl.World(gravity=columns.pop("gravity", (0.0, 0.0, -G)))
    body = world.add(RigidBody3D, position=(0.0, 0.0, 0.0), mass=1.0, inertia=1.0)
    flat = world.add(RigidBody2D, position=(0.0, 0.0), mass=1.0, inertia=1.0)
    if "turned" in columns:
        columns.pop("turned")
        world.gravity[:] = (0.0, -G, 0.0)
        body = flat
    ground = con.rigid_marker(world, world.add(Ground))
    sea = world.add(con.Fluid, density=RHO, velocity=columns.pop("velocity", (0.0, 0.0, 0.0)))
    size = {
        con.SphereFluidLoad: {"diameter": 1.0}, con.CylinderFluidLoad: {"diameter": 1.0, "length": 2.0},
        con.BoxFluidLoad: {"sides": (1.0, 1.0, 1.0)},
    }[kind]  # fmt: skip
    marker = ground if columns.pop("ground", False) else body
    world.add(kind, **{"marker": marker, "fluid": sea, **size, **columns})
    world.finalize()


ERRORS: list[tuple[Any, dict[str, Any], str]] = [
    (con.SphereFluidLoad, {"diameter": 0.0}, "diameter = 0.0 m in SphereFluidLoad row 0: must be > 0"),
    (con.SphereFluidLoad, {"ground": True}, "marker in SphereFluidLoad row 0 is a PositionOnGround: must be a marker"),
    (con.BoxFluidLoad, {"ground": True}, "marker in BoxFluidLoad row 0 is a PositionOnGround: must be a marker"),
    (con.BoxFluidLoad, {"sides": (1.0, -1.0, 1.0)}, r"sides\[1\] = -1.0 m in BoxFluidLoad row 0: must be > 0"),
    (con.BoxFluidLoad, {"parts": (1, 0, 1)}, r"parts\[1\] = 0 in BoxFluidLoad row 0: must be >= 1"),
    (con.CylinderFluidLoad, {"axis": (0.0, 0.0, 0.0)}, "axis = .0, 0, 0. in CylinderFluidLoad row 0: must have a"),
    (con.CylinderFluidLoad, {"end_drag": (0.1, -0.1)}, r"end_drag\[1\] = -0.1 in CylinderFluidLoad row 0: must be >="),
    (con.CylinderFluidLoad, {"strips": 0}, "strips = 0 in CylinderFluidLoad row 0: must be >= 1"),
    (con.CylinderFluidLoad, {"turned": True, "axis": (1.0, 0.0, 1.0)}, "must lie in the plane x, y, or be along z"),
    (con.CylinderFluidLoad, {"turned": True, "velocity": (0.0, 0.0, 1.0)}, "velocity of Fluid row 0 leaves the plane"),
    (con.CylinderFluidLoad, {"gravity": (0.0, -G, 0.0)}, r"gravity = \[0.0, -9.81, 0.0\] .* must point downwards"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "columns", "words"), ERRORS)
def test_errors(kind: Any, columns: dict[str, Any], words: str) -> None:
    with pytest.raises(wl.ModelError) as error:
        put_on(kind, **columns)
    assert re.search(words, str(error.value)), str(error.value)


def test_warning_below_the_bed(capsys: pytest.CaptureFixture[str]) -> None:
    world = wl.World(gravity=(0.0, 0.0, -G))
    ball = world.add(MassPoint, position=(0.0, 0.0, -12.0), mass=1.0)
    sea = world.add(con.Fluid, density=RHO, depth=10.0)
    world.add(con.SphereFluidLoad, marker=ball, fluid=sea, diameter=0.1)
    wl.Dynamic(world, step=1e-3, end=1e-3).solve()
    assert "SphereFluidLoad row 0 begins 2 m below the bed of its fluid" in " ".join(capsys.readouterr().err.split())


def test_numbers_for_all_components() -> None:
    """In `World.add` and in `World.set`, a single number is the value for all axes or both ends."""
    world = wl.World(gravity=(0.0, 0.0, -G))
    body = world.add(RigidBody3D, position=(0.0, 0.0, 0.0), mass=1.0, inertia=1.0)
    sea = world.add(con.Fluid, density=RHO)
    box = world.add(con.BoxFluidLoad, marker=body, fluid=sea, sides=(1.0, 1.0, 1.0), drag=0.4, parts=3)
    rod = world.add(
        con.CylinderFluidLoad, marker=body, fluid=sea, axis=(1.0, 0.0, 0.0), length=1.0, diameter=0.1, end_drag=0.3
    )
    assert_array_equal(box.drag, [0.4] * 3)
    assert_array_equal(box.parts, [3] * 3)
    assert_array_equal(rod.end_drag, [0.3] * 2)
    state = wl.State(world)
    state.v[:3] = (1.0, 2.0, 3.0)
    before = wl.eval_output(box, "drag", state)
    world.set(box, drag=0.8)
    world.set(rod, end_drag=0.5)
    assert_array_equal(box.drag, [0.8] * 3)
    assert_array_equal(rod.end_drag, [0.5] * 2)
    assert before.all()
    assert_allclose(wl.eval_output(box, "drag", state), 2.0 * before, rtol=1e-14)
