"""Loads of fluids on bodies with closed meshes: immersed volumes, parts, tangents, files, drawings and errors."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import meshio
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import windlass as wl
from windlass import connectors as con
from windlass.connectors.loads.body_mesh import create_surface, eval_winding
from windlass.connectors.loads.immersion import immerse_mesh
from windlass.connectors.loads.polyhedron_parts import MeshParts, divide_polyhedron, find_moments
from windlass.elements import Ground, RigidBody2D, RigidBody3D
from windlass.framework.arrays import FloatArray
from windlass.framework.model.table import Entity
from windlass.framework.output.scene import Scene

from support import hulls

RHO, G = 1000.0, 9.81
UPWARDS = (0.0, 0.0, -G)
NORMALS = [(0.0, 0.0, 1.0), (0.0, 0.0, -1.0), (0.3, 1.0, 0.0), (0.5, -0.2, 0.8), (-0.1, 0.7, -1.0), (1.0, 0.0, 0.0)]
SHAPES: dict[str, hulls.Mesh] = {
    "star": hulls.star(1),
    "tube": hulls.tube(0.9, 0.5, 1.4, 7),
    "hull": hulls.wigley(2.0, 0.8, 0.5, 0.3, 8, 4),
    "shell": hulls.join(hulls.ball(1.0, 6), (hulls.ball(0.6, 5)[0], hulls.ball(0.6, 5)[1][:, ::-1])),
}
"""Bodies that are not convex: a ball with spikes, a ring, a hull, and a ball with a cavity."""


def clip_tetrahedron(corners: FloatArray, depth: FloatArray) -> tuple[float, FloatArray]:
    """Return the volume of the part of a tetrahedron with positive depth, and its first moment about the origin; the
    volume has the sign of the orientation of the corners.
    """

    def solid(points: list[FloatArray]) -> tuple[float, FloatArray]:
        a, b, c, d = points
        volume = float(np.linalg.det(np.stack((b - a, c - a, d - a)))) / 6.0
        return volume, 0.25 * volume * (a + b + c + d)

    sign = float(np.sign(solid(list(corners))[0]))
    wet, dry = ([corners[k] for k in np.flatnonzero(which)] for which in (depth > 0.0, depth <= 0.0))
    level = {tuple(corner): value for corner, value in zip(corners, depth, strict=True)}

    def cross(a: FloatArray, b: FloatArray) -> FloatArray:
        """Return the point between two corners at which the depth is 0."""
        da, db = level[tuple(a)], level[tuple(b)]
        return np.asarray(a + da / (da - db) * (b - a))

    if len(wet) in (0, 4):
        return solid(list(corners)) if wet else (0.0, np.zeros(3))
    if len(wet) == 1:
        parts = [solid([wet[0], *(cross(wet[0], other) for other in dry)])]
    elif len(wet) == 3:
        rest = solid([dry[0], *(cross(other, dry[0]) for other in wet)])
        whole = solid(list(corners))
        volume = abs(whole[0]) - abs(rest[0])
        moment = whole[1] * np.sign(whole[0]) - rest[1] * np.sign(rest[0])
        return sign * volume, sign * moment
    else:
        # a wedge between the triangles (u, uc, ud) and (v, vc, vd) consists of three tetrahedra
        u, v = wet
        uc, ud, vc, vd = cross(u, dry[0]), cross(u, dry[1]), cross(v, dry[0]), cross(v, dry[1])
        parts = [solid([u, uc, ud, v]), solid([uc, ud, v, vc]), solid([ud, v, vc, vd])]
    volume = sum(abs(part) for part, _ in parts)
    return sign * volume, sign * sum((np.sign(part) * moment for part, moment in parts), np.zeros(3))


def clip(mesh: hulls.Mesh, h: float, N: FloatArray) -> tuple[float, FloatArray]:
    """Return the volume and the first moment of the part of a polyhedron at which h - N·x > 0, from the signed
    tetrahedra between the origin and the triangles.
    """
    points, triangles = mesh
    found = [
        clip_tetrahedron(np.concatenate((np.zeros((1, 3)), corners)), h - np.append(0.0, corners @ N))
        for corners in points[triangles]
    ]
    return sum(volume for volume, _ in found), np.sum([moment for _, moment in found], axis=0)


def immerse_parts(parts: MeshParts, h: float, N: FloatArray) -> tuple[float, FloatArray, float, FloatArray, FloatArray]:
    """Return the volume V of all parts below a plane, its first moment S about the origin, and the integrals A_w, S_w
    and I_w over the waterplane.
    """
    V, area = 0.0, 0.0
    S, Sw, Iw = np.zeros(3), np.zeros(3), np.zeros((3, 3))
    end = np.cumsum(parts.counts)
    for k, center in enumerate(parts.center):
        s, sw, iw = np.zeros(3), np.zeros(3), np.zeros((3, 3))
        begin, depth = int(end[k] - parts.counts[k]), float(h - N @ center)
        v, a = immerse_mesh(
            parts.triangles, begin, int(end[k]), parts.size[k], float(parts.volume[k]), depth, N, s, sw, iw
        )
        V, area, S, Sw = V + v, area + a, S + s + v * center, Sw + sw + a * center
        Iw += iw + np.outer(center, sw) + np.outer(sw, center) + a * np.outer(center, center)
    return V, S, area, Sw, Iw


@pytest.mark.parametrize("count", [(1, 1, 1), (3, 2, 4)])
@pytest.mark.parametrize("shape", SHAPES)
def test_immersed_polyhedra(shape: str, count: tuple[int, int, int]) -> None:
    """Volume and first moment of bodies that are not convex are equal to sums over clipped tetrahedra, with one part
    and with several parts.
    """
    mesh = SHAPES[shape]
    parts = divide_polyhedron(mesh[0][mesh[1]], np.array(count))
    for N in map(np.array, NORMALS):
        for h in (-0.37, 0.03, 0.41):
            volume, moment = clip(mesh, h, N)
            V, S, *_ = immerse_parts(parts, h, N)
            assert_allclose(V, volume, rtol=1e-9, atol=1e-10)
            assert_allclose(S, moment, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("shape", SHAPES)
def test_waterplanes_are_derivatives(shape: str) -> None:
    """Waterplane integrals are the derivatives of volume and moment, and do not depend on the division into parts."""
    mesh = SHAPES[shape]
    one, several = (divide_polyhedron(mesh[0][mesh[1]], np.array(count)) for count in ((1, 1, 1), (2, 3, 1)))
    step = 1e-6
    for N in map(np.array, NORMALS[:5]):
        *_, area, Sw, Iw = immerse_parts(one, 0.13, N)
        for found, expected in zip(immerse_parts(several, 0.13, N)[2:], (area, Sw, Iw), strict=True):
            assert_allclose(found, expected, atol=1e-9)
        for k in range(4):
            dh, dN = (step, np.zeros(3)) if k == 3 else (0.0, step * np.eye(3)[k])
            after, before = (immerse_parts(one, 0.13 + sign * dh, N + sign * dN) for sign in (1.0, -1.0))
            assert_allclose((after[0] - before[0]) / (2.0 * step), area if k == 3 else -Sw[k], atol=1e-8)
            assert_allclose((after[1] - before[1]) / (2.0 * step), Sw if k == 3 else -Iw[k], atol=1e-8)


def test_parts_of_a_polyhedron() -> None:
    """The sums of the volumes and moments of the parts equal the values of the whole mesh; parts without volume are
    omitted.
    """
    points, triangles = SHAPES["tube"]
    volume, center = find_moments(points[triangles])
    parts = divide_polyhedron(points[triangles], np.array((5, 5, 2)))
    assert_allclose(parts.volume.sum(), volume, rtol=1e-13)
    assert_allclose(parts.volume @ parts.center / volume, center, atol=1e-13)
    # the middle of the tube is empty
    assert len(parts.volume) == 48
    end = np.cumsum(parts.counts)
    for k in range(len(parts.volume)):
        own = parts.triangles[end[k] - parts.counts[k] : end[k]]
        assert_allclose(find_moments(own)[0], parts.volume[k], rtol=1e-9)
        assert_allclose(find_moments(own)[1], 0.0, atol=1e-10)
        assert_allclose(np.abs(own).max(axis=(0, 1)), parts.size[k])


def test_a_plane_through_faces() -> None:
    """If two parts have a common face in the plane of the water, only one part has a waterplane."""
    points, triangles = hulls.box((1.0, 2.0, 1.0))
    parts = divide_polyhedron(points[triangles], np.array((1, 1, 2)))
    V, S, area, *_ = immerse_parts(parts, 0.0, np.array((0.0, 0.0, 1.0)))
    assert_allclose([V, area, S[2]], [1.0, 2.0, -0.25], rtol=1e-11)


# models


def build(dims: int) -> wl.World:
    """Create bodies with meshes in water with current and waves, in wind, and in a fluid without surface."""
    up, across = np.eye(3)[dims - 1], float(dims == 3)
    world = wl.World(gravity=-G * up)
    waves = con.jonswap(1.0, 4.0, seed=2, count=4, direction=0.5 * across)
    sea = world.add(con.Fluid, density=RHO, depth=30.0, velocity=(0.5, 0.2 * across, 0.0), **waves)
    air = world.add(con.Fluid, density=1.2, fills="above", velocity=(5.0, across, 0.0), profile="log")
    mist = world.add(con.Fluid, density=90.0, fills="everywhere")
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
    meshes = [world.add(con.BodyMesh, points=points, triangles=triangles) for points, triangles in SHAPES.values()]
    for fluid in (sea, air, mist):
        world.add(con.MeshFluidLoad, marker=place, fluid=fluid, mesh=meshes[:2], parts=[(1, 2, 1), (2, 2, 2)])
        world.add(con.MeshFluidLoad, marker=body, fluid=fluid, mesh=meshes[2], parts=1, drag_area=(0.0, 0.3, 0.0))
        world.add(con.MeshFluidLoad, marker=body, fluid=fluid, mesh=meshes[3], parts=(1, 1, 2), drag=0.5)
    return world


def every(world: wl.World) -> Entity:
    """Return a handle to all loads."""
    return Entity(world.table(con.MeshFluidLoad), np.arange(world.table(con.MeshFluidLoad).count))


@pytest.mark.parametrize("dims", [2, 3])
def test_tangents_are_exact(dims: int) -> None:
    """Tangents agree with differences on rotating bodies off the centre of mass, in waves with slopes, for bodies that
    pierce the surface.
    """
    world = build(dims)
    state = wl.State(world)
    state.t = 0.6
    immersion = wl.eval_output(every(world), "immersion", state)
    assert ((immersion > 0.1) & (immersion < 0.9)).sum() >= 6
    wl.testing.check_tangent(world, state)


@pytest.mark.parametrize("seed", range(4))
def test_tangent_in_any_position(seed: int) -> None:
    """The tangent is exact for random positions and rotations of a body in calm water."""
    random = np.random.default_rng(seed)
    world = wl.World(gravity=UPWARDS)
    turn = random.standard_normal(4)
    body = world.add(
        RigidBody3D, position=(0.0, 0.0, random.uniform(-0.4, 0.4)), mass=100.0, inertia=(10.0, 12.0, 8.0),
        euler_parameters=turn / np.linalg.norm(turn), velocity=(0.1, -0.2, 0.3),
    )  # fmt: skip
    mesh = world.add(con.BodyMesh, points=hulls.star(seed)[0], triangles=hulls.star(seed)[1])
    load = world.add(con.MeshFluidLoad, marker=body, fluid=world.add(con.Fluid, density=RHO), mesh=mesh)
    state = wl.State(world)
    assert 0.1 < wl.eval_output(load, "immersion", state) < 0.9
    wl.testing.check_tangent(world, state)


def test_inactive_loads_exert_no_force() -> None:
    world = build(3)
    loads = every(world)
    world.set(loads, active=False)
    state = wl.State(world)
    for name in ("force", "torque", "drag", "buoyancy"):
        assert not np.any(wl.eval_output(loads, name, state))
    assert np.any(wl.eval_output(loads, "immersed_volume", state) > 0.0)
    wl.testing.check_tangent(world, wl.State(world), states=0)


def test_changed_drag() -> None:
    """Drag coefficients can change during a run."""
    world = build(3)
    state, loads = wl.State(world), every(world)
    before = wl.eval_output(loads, "drag", state)
    world.set(loads, drag=2.0 * np.array([load.drag for load in loads]))
    assert_allclose(wl.eval_output(loads, "drag", state), 2.0 * before, rtol=1e-12)


def test_drag_areas_and_added_mass() -> None:
    """Without given drag areas, the drag areas of a convex mesh are the areas of its silhouettes."""
    points, triangles = hulls.box((1.0, 2.0, 3.0))
    for given, areas in (((0.0,) * 3, (6.0, 3.0, 2.0)), ((0.5, 0.0, 7.0), (0.5, 3.0, 7.0))):
        world = wl.World(gravity=UPWARDS)
        body = world.add(RigidBody3D, position=(0.0, 0.0, -9.0), mass=100.0, inertia=10.0)
        mesh = world.add(con.BodyMesh, points=points, triangles=triangles)
        for k in range(2):
            fluid = world.add(con.Fluid, density=RHO, velocity=2.0 * np.eye(3)[k])
            world.add(con.MeshFluidLoad, marker=body, fluid=fluid, mesh=mesh, drag=1.1, drag_area=given)
        drag = wl.eval_output(every(world), "drag", wl.State(world))
        assert_allclose(drag, 0.5 * RHO * 1.1 * 4.0 * np.diag(areas)[:2], atol=1e-9)
    added = wl.World(gravity=UPWARDS)
    body = added.add(RigidBody3D, position=(0.0, 0.0, -9.0), mass=100.0, inertia=10.0)
    mesh = added.add(con.BodyMesh, points=points, triangles=triangles)
    added.add(
        con.MeshFluidLoad, marker=body, fluid=added.add(con.Fluid, density=RHO), mesh=mesh, added_mass=(0.2, 0.3, 0.4),
    )  # fmt: skip
    matrix = wl.assemble_mass(added, wl.State(added))[:, :][:3, :3]
    assert_allclose(matrix, np.diag((1300.0, 1900.0, 2500.0)), rtol=1e-12, atol=1e-9)


def test_rows_share_a_mesh() -> None:
    """Rows with the same mesh, different parts and different markers have the forces of separate models."""
    points, triangles = SHAPES["star"]

    def evaluate(rows: list[tuple[float, int]]) -> FloatArray:
        world = wl.World(gravity=UPWARDS)
        mesh = world.add(con.BodyMesh, points=points, triangles=triangles)
        sea = world.add(con.Fluid, density=RHO, velocity=(0.5, 0.0, 0.0), **con.regular_wave(0.5, 3.0))
        for height, parts in rows:
            body = world.add(RigidBody3D, position=(0.0, 0.0, height), mass=100.0, inertia=10.0)
            world.add(con.MeshFluidLoad, marker=body, fluid=sea, mesh=mesh, parts=parts)
        return np.reshape(wl.eval_output(every(world), "force", wl.State(world)), (-1, 3))

    rows = [(0.1, 2), (-0.3, 1), (0.2, 2), (0.0, 3)]
    assert_allclose(evaluate(rows), [evaluate([row])[0] for row in rows], rtol=1e-13)


def test_objectivity() -> None:
    """Forces in calm water rotate with the body about the vertical axis, and do not depend on horizontal translations
    or on the frame of the mesh.
    """
    points, triangles = SHAPES["star"]
    random = np.random.default_rng(3)
    heel, turn = 0.4, 1.1
    c, s = np.cos(turn), np.sin(turn)
    about = np.array(((c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0)))

    def evaluate(position: Any, rotation: FloatArray, shift: FloatArray) -> tuple[FloatArray, FloatArray]:
        world = wl.World(gravity=UPWARDS)
        body = world.add(RigidBody3D, position=position, mass=1.0, inertia=1.0, euler_parameters=rotation)
        mesh = world.add(con.BodyMesh, points=points - shift, triangles=triangles)
        load = world.add(
            con.MeshFluidLoad, marker=con.rigid_marker(world, body, shift), mesh=mesh, parts=1,
            fluid=world.add(con.Fluid, density=RHO),
        )  # fmt: skip
        state = wl.State(world)
        center = wl.eval_output(load, "buoyancy_center", state) - np.array((position[0], position[1], 0.0))
        return center, wl.eval_output(load, "force", state)

    half = 0.5 * heel
    tilt = np.array((np.cos(half), np.sin(half), 0.0, 0.0))
    both = np.array((np.cos(0.5 * turn) * tilt[0], np.cos(0.5 * turn) * tilt[1], np.sin(0.5 * turn) * tilt[1],
                     np.sin(0.5 * turn) * tilt[0]))  # fmt: skip
    center, force = evaluate((0.0, 0.0, 0.1), tilt, np.zeros(3))
    other, changed = evaluate((50.0, -30.0, 0.1), both, random.standard_normal(3))
    assert_allclose(other, about @ center, atol=1e-11)
    assert_allclose(changed, about @ force, rtol=1e-11, atol=1e-9)


# meshes and files


def write(path: Path, mesh: hulls.Mesh, kind: str = "triangle") -> Path:
    """Write a mesh file."""
    options: dict[str, dict[str, Any]] = {".stl": {"binary": False}, ".msh": {"file_format": "gmsh"}}
    meshio.write(path, meshio.Mesh(mesh[0], [(kind, mesh[1])]), **options.get(path.suffix, {}))
    return path


@pytest.mark.parametrize("ending", [".stl", ".obj", ".ply", ".off", ".vtk", ".vtu", ".msh"])
def test_files(ending: str, tmp_path: Path) -> None:
    """Files of all formats give the mesh that was written, in metres."""
    points, triangles = hulls.box((100.0, 200.0, 300.0))
    world = wl.World()
    mesh = con.read_body_mesh(world, write(tmp_path / f"box{ending}", (points, triangles)), scale=0.01, name="hull")
    surface = create_surface(mesh.points, mesh.triangles, "mesh")
    assert len(surface.points) == 10 and len(surface.triangles) == 16
    assert_allclose(find_moments(surface.corners)[0], 6.0, rtol=1e-6)
    assert_allclose(np.ptp(surface.points, axis=0), (1.0, 2.0, 3.0), rtol=1e-6)


def test_quadrilaterals_and_other_cells(tmp_path: Path) -> None:
    """Quadrilaterals are divided into triangles, and cells of volumes and lines are omitted."""
    points = np.array([(x, y, z) for z in (0.0, 1.0) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))], float)
    quads = np.array([(3, 2, 1, 0), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)])
    cells = [("quad", quads), ("hexahedron", np.arange(8)[None]), ("line", np.array([(0, 6)]))]
    meshio.write(tmp_path / "box.vtu", meshio.Mesh(points, cells))
    mesh = con.read_body_mesh(wl.World(), tmp_path / "box.vtu")
    assert len(mesh.triangles) == 36
    assert_allclose(find_moments(create_surface(mesh.points, mesh.triangles, "").corners)[0], 1.0, rtol=1e-14)


def test_coinciding_points_of_a_file(tmp_path: Path) -> None:
    """Points that differ by rounding errors of a file are merged; triangles that become lines are omitted."""
    points, triangles = hulls.ball(1.0, 6)
    soup = points[triangles].reshape(-1, 3) + 1e-8 * np.random.default_rng(0).uniform(
        -1.0, 1.0, (3 * len(triangles), 3)
    )
    corners = np.arange(len(soup)).reshape(-1, 3)
    sliver = np.array([(0, 1, len(soup)), (1, 0, len(soup))])
    soup = np.append(soup, soup[:1], axis=0)
    path = write(tmp_path / "ball.vtu", (soup, np.concatenate((corners, sliver))))
    mesh = con.read_body_mesh(wl.World(), path)
    assert len(mesh.points) == 3 * len(points) and len(mesh.triangles) == 3 * len(triangles)


def test_inward_meshes_are_turned() -> None:
    """A mesh whose triangles are all oriented inwards gives the loads of the mesh that is oriented outwards."""
    points, triangles = SHAPES["shell"]
    outwards, inwards = (create_surface(points.ravel(), t.ravel(), "") for t in (triangles, triangles[:, ::-1]))
    assert_array_equal(outwards.triangles, triangles)
    assert_array_equal(inwards.triangles, triangles)


def test_winding_numbers() -> None:
    points, triangles = SHAPES["tube"]
    at = np.array([(0.7, 0.0, 0.0), (0.0, 0.0, 0.0), (2.0, 0.0, 0.0)])
    assert_allclose(eval_winding(points[triangles], at), (1.0, 0.0, 0.0), atol=1e-12)


CUBE = hulls.box((1.0, 1.0, 1.0))
BROKEN = np.where(CUBE[0] > 0.49, np.nan, CUBE[0])
SHIFTED = CUBE[0] + (0.4, 0.3, 0.2), CUBE[1]
FLAT = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.3, 0.3, 0.0)])
TETRAHEDRON = np.array([(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)])
MESH_ERRORS: list[tuple[Any, Any, str]] = [
    (CUBE[0][:3], CUBE[1], "points in BodyMesh row 0 has 9 numbers: must have x, y, z .m. of 4 points or more"),
    (CUBE[0].ravel()[:-1], CUBE[1], "points in BodyMesh row 0 has 29 numbers: must have x, y, z"),
    (CUBE[0], CUBE[1][:3], "triangles in BodyMesh row 0 has 9 numbers: must have three indices of 4 triangles or more"),
    (CUBE[0], CUBE[1] + 1, r"triangles\[12, 2\] = 10 in BodyMesh row 0: must be from 0 to 9"),
    (CUBE[0], CUBE[1] - 1, r"triangles\[0, 0\] = -1 in BodyMesh row 0: must be from 0 to 9"),
    (CUBE[0], CUBE[1] + 0.5, "triangles in BodyMesh row 0 = .*: expected a list of whole numbers"),
    (3e4 * CUBE[0], CUBE[1], "BodyMesh row 0 is 3e.04 m long: must be at most 10000 m; points must be in m, so .* mm"),
    (BROKEN, CUBE[1], "points in BodyMesh row 0 .*finite numbers .m."),
    (CUBE[0], CUBE[1][1:], "has 3 open edges: must be closed, .* the first such edge is from point 0 at .* m to point"),
    (CUBE[0], np.concatenate((CUBE[1][1:], CUBE[1][:1, ::-1])), "has 3 edges between triangles of different or"),
    (CUBE[0], np.concatenate((CUBE[1], [(0, 1, 1)])), "triangle 16 in BodyMesh row 0.* has the area 0 m.2: must"),
    (FLAT, TETRAHEDRON, "the mesh in BodyMesh row 0 has the volume 0 m.3: must enclose a volume"),
    (*hulls.join(CUBE, SHIFTED), "2 separate parts; .* outwards, and is inside the other parts there: parts must"),
    (*hulls.join((3.0 * CUBE[0], CUBE[1]), (CUBE[0] + 9.0, CUBE[1][:, ::-1])), "inwards, and is outside of the"),
]  # fmt: skip


@pytest.mark.parametrize(("points", "triangles", "words"), MESH_ERRORS)
def test_errors_of_meshes(points: Any, triangles: Any, words: str) -> None:
    world = wl.World()
    with pytest.raises(wl.ModelError) as error:
        world.add(con.BodyMesh, points=points, triangles=triangles)
        world.add(RigidBody3D, position=(0.0, 0.0, 0.0), mass=1.0, inertia=1.0)
        world.finalize()
    assert re.search(words, str(error.value)), str(error.value)


def test_parts_that_touch_and_cavities() -> None:
    """Parts may touch each other; cavities may contain other parts."""
    beside = hulls.join(CUBE, (CUBE[0] + (1.0, 0.5, 0.0), CUBE[1]))
    nested = hulls.join((3.0 * CUBE[0], CUBE[1]), (2.0 * CUBE[0], CUBE[1][:, ::-1]), CUBE)
    for (points, triangles), volume in ((beside, 2.0), (nested, 27.0 - 8.0 + 1.0)):
        surface = create_surface(points.ravel(), triangles.ravel(), "")
        assert_allclose(find_moments(surface.corners)[0], volume, rtol=1e-13)


def damage(path: Path) -> None:
    """Remove the second half of a file."""
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


FILE_ERRORS: list[tuple[str, Callable[[Path], object], dict[str, Any], str]] = [
    ("a.stl", lambda path: None, {}, "mesh file .*a.stl does not exist"),
    ("a.step", lambda path: path.write_text("x"), {}, "format '.step' is unknown; must end in .stl, .obj"),
    ("a.stl", lambda path: path.write_text(""), {}, "mesh file .*a.stl is empty"),
    ("a.vtu", lambda path: damage(write(path, CUBE)), {}, "mesh file .*a.vtu cannot be read"),
    ("a.vtk", lambda path: write(path, (CUBE[0], CUBE[1][:, :2]), "line"), {}, "no triangles or quadrilaterals"),
    ("a.stl", lambda path: write(path, (CUBE[0], CUBE[1][:-1])), {}, "the mesh in mesh file .*a.stl has 3 open edges"),
    ("a.vtk", lambda path: write(path, (BROKEN, CUBE[1])), {}, "point [0-9]+ = .* m: must be finite numbers"),
    ("a.stl", lambda path: write(path, (3e4 * CUBE[0], CUBE[1])), {}, "3e.04 m long: must be at most 10000 m"),
    ("a.stl", lambda path: write(path, CUBE), {"scale": 0.0}, "scale = 0.0 m in read_body_mesh: must be > 0"),
    ("a.stl", lambda path: write(path, CUBE), {"scale": np.nan}, "scale = nan"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "create", "arguments", "words"), FILE_ERRORS)
def test_errors_of_files(
    name: str, create: Callable[[Path], object], arguments: dict[str, Any], words: str, tmp_path: Path
) -> None:
    create(tmp_path / name)
    world = wl.World()
    with pytest.raises(wl.ModelError) as error:
        con.read_body_mesh(world, tmp_path / name, **arguments)
    assert re.search(words, str(error.value)), str(error.value)
    assert not world.count


LOAD_ERRORS: list[tuple[dict[str, Any], str]] = [
    ({"parts": (1, 0, 1)}, r"parts\[1\] = 0 in MeshFluidLoad row 0: must be >= 1"),
    ({"parts": 100}, r"parts = .100, 100, 100. in MeshFluidLoad row 0: must have a product of at most 100000"),
    ({"drag_area": (1.0, -1.0, 1.0)}, r"drag_area\[1\] = -1.0 m.2 in MeshFluidLoad row 0: must be >= 0"),
    ({"drag": (1.0, -1.0, 1.0)}, r"drag\[1\] = -1.0 in MeshFluidLoad row 0: must be >= 0"),
    ({"added_mass": -0.1}, r"added_mass\[0\] = -0.1 in MeshFluidLoad row 0: must be >= 0"),
    ({"mesh": None}, "MeshFluidLoad needs mesh: a BodyMesh"),
    ({"ground": True}, "marker in MeshFluidLoad row 0 is a PositionOnGround: must be a marker"),
]


@pytest.mark.parametrize(("columns", "words"), LOAD_ERRORS)
def test_errors_of_loads(columns: dict[str, Any], words: str) -> None:
    world = wl.World(gravity=UPWARDS)
    body = world.add(RigidBody3D, position=(0.0, 0.0, 0.0), mass=1.0, inertia=1.0)
    marker = con.rigid_marker(world, world.add(Ground)) if columns.pop("ground", False) else body
    given = {"mesh": world.add(con.BodyMesh, points=CUBE[0], triangles=CUBE[1])} | columns
    with pytest.raises(wl.ModelError) as error:
        world.add(con.MeshFluidLoad, marker=marker, fluid=world.add(con.Fluid, density=RHO), **given)
        world.finalize()
    assert re.search(words, str(error.value)), str(error.value)


def test_several_meshes_in_one_call() -> None:
    """Meshes with equal numbers of points and triangles can be added in one call."""
    world = wl.World()
    points, triangles = CUBE
    meshes = world.add(con.BodyMesh, points=[points, 2.0 * points], triangles=triangles)
    world.add(RigidBody3D, position=(0.0, 0.0, 0.0), mass=1.0, inertia=1.0)
    world.finalize()
    assert len(meshes) == 2
    assert_allclose(meshes[1].points, 2.0 * points.ravel())


def test_model_file(tmp_path: Path) -> None:
    """A model file contains the mesh, and gives the same forces."""
    world = wl.World(gravity=UPWARDS)
    body = world.add(RigidBody3D, position=(0.0, 0.0, 0.1), mass=100.0, inertia=10.0)
    mesh = world.add(con.BodyMesh, points=SHAPES["shell"][0], triangles=SHAPES["shell"][1])
    world.add(con.MeshFluidLoad, marker=body, fluid=world.add(con.Fluid, density=RHO), mesh=mesh)
    world.save(tmp_path / "model.json")
    other = wl.World.load(tmp_path / "model.json")
    assert_array_equal(
        wl.eval_output(every(other), "force", wl.State(other)), wl.eval_output(every(world), "force", wl.State(world))
    )


def test_drawing() -> None:
    """Drawings contain the edges and the triangles of all meshes at the positions of the bodies."""
    world = build(3)
    state = wl.State(world)
    seen = Scene(world, 1).draw(state)
    assert seen is not None
    loads = every(world)
    [drawing] = [one for one in seen[0] if len(one.entity) and one.entity[0] in loads.ids]
    assert drawing.counts is not None
    meshes = list(SHAPES.values())
    shown = [meshes[k] for k in (0, 1, 2, 3) * 3]
    for k, (points, triangles) in enumerate(shown):
        edges = 3 * len(triangles) // 2
        assert drawing.counts[k].tolist() == [len(points), edges, len(triangles)]
        assert (drawing.entity == loads.ids[k]).sum() == edges
    points, triangles = meshes[0]
    number = drawing.faces[: len(triangles)]
    assert_array_equal(number[:, 2], number[:, 3])
    corners = drawing.points[number[:, :3]]
    assert_allclose(find_moments(corners)[0], find_moments(points[triangles])[0], rtol=1e-12)
    force = wl.eval_output(loads, "force", state)
    first = np.cumsum(drawing.counts[:, 1]) - drawing.counts[:, 1]
    assert_allclose(drawing.cell_data["fluid_force"][first], force)
