"""Conversion of free bodies and of rods of a MoorDyn input file to rigid bodies in water.

| MoorDyn | Windlass |
| --- | --- |
| free or pinned body with its rods and points | `RigidBody3D` with their masses and moments of inertia |
| rod, free or pinned | `RigidBody3D` with the node at the middle of the rod, and z along the rod to the upper end |
| spin of a rod about its axis | held (e3 = 0), because nothing acts on it |
| pin of a rod | `SphericalJoint` at end A |
| rod in water | `CylinderFluidLoad` with a strip for each segment |
| volume, CdA and Ca of a free body, of its points, or of a free point | `SphereFluidLoad`, see `add_sphere` |

If the Euler parameter e3 of a rod is 0, the rotation of the rod is the smallest rotation from z to its direction. The
condition e3 = 0 constrains the spin about the axis, but not the two angles of the direction. Without this condition, a
static solve could not determine the spin.

Rods are solid cylinders. The moment of inertia is m d²/8 about the axis, and m (d²/16 + L²/12) about a transverse axis
through the middle.

Source: MoorDyn 2.7, documentation, "Input Files" and "Theory".
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from windlass import connectors as con
from windlass.elements import Ground, RigidBody3D
from windlass.framework.arrays import FloatArray
from windlass.framework.errors import ModelError
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.moordyn.input_file import MOVING, TURNING, Body, InputFile, Point, Rod
from windlass.moordyn.motion import find_ends

SMALL = 1e-3
"""Diameter [m] of the sphere on which the drag and the added mass of a body or point act. The volume of this sphere is
negligible.
"""
LEAST = 1e-6
"""Smallest moment of inertia [1] of a body, relative to the sum of its moments of inertia."""


class Mooring(Protocol):
    """The attributes of `windlass.moordyn.Mooring` that the conversion uses."""

    world: World
    file: InputFile
    sea: Entity | None
    bodies: dict[int, Entity]
    rods: dict[int, Entity]


class Part(NamedTuple):
    """Mass [kg], centre of mass [m] and inertia tensor [kg m^2] about this centre, of a part of a body."""

    mass: float
    center: FloatArray
    inertia: FloatArray


def add_bodies(mooring: Mooring, hold: bool) -> None:
    """Add the free bodies and the moving rods, with the loads of the water. If ``hold`` is true, the origins of
    CoupledPinned bodies are fixed.
    """
    from scipy.spatial.transform import Rotation  # imported here, because most models do not need this module

    world, file = mooring.world, mooring.file
    for number, body in file.bodies.items():
        if body.kind not in MOVING:
            continue
        of_body = {k: rod for k, rod in file.rods.items() if (rod.kind, rod.body) == ("body", number)}
        rods = {k: rod for k, rod in of_body.items() if rod.segments}
        whole = merge([*_find_parts(file, number, body), *(_find_part(file, rod) for rod in rods.values())])
        if not whole.mass > 0.0:
            raise ModelError(f"mass of body {number} with its rods and points = {whole.mass:g} kg: must be > 0 kg")
        turn = Rotation.from_euler("XYZ", np.radians(body.angles))
        mooring.bodies[number] = _add_rigid(mooring, f"body {number}", np.array(body.position), turn.as_quat(), whole)
        if hold and body.kind == "pinned":
            con.fix(world, mooring.bodies[number], "x", "y", "z")
        for rod in rods.values():
            _add_water(mooring, mooring.bodies[number], rod, np.array(rod.ends))
        add_sphere(mooring, mooring.bodies[number], body)
        for point in file.points.values():
            if (point.kind, point.body) == ("body", number):
                add_sphere(mooring, mooring.bodies[number], point)
    for number, rod in file.rods.items():
        if rod.kind not in TURNING or not rod.segments:
            continue
        ends = find_ends(file, number)
        along = find_direction(file, number) * (ends[1] - ends[0])
        half = place_ends(file, number)
        turn = turn_to(along)
        part = _find_part(file, rod._replace(ends=(tuple(half[0]), tuple(half[1]))))
        mooring.rods[number] = _add_rigid(mooring, f"rod {number}", ends.mean(axis=0), turn, part)
        con.fix(world, mooring.rods[number], "e3")
        _add_water(mooring, mooring.rods[number], rod, half)
        if rod.kind == "free":
            continue
        end = con.position_marker(world, mooring.rods[number], half[0])
        base = mooring.bodies.get(rod.body)
        if base is None:
            pin = con.position_marker(world, world.add(Ground), ends[0])
        else:
            pin = con.position_marker(world, base, np.array(rod.ends[0]))
        world.add(con.SphericalJoint, name=f"pin of rod {number}", marker0=pin, marker1=end)


def find_direction(file: InputFile, number: int) -> float:
    """Return 1 if the end B of a rod is not below its end A at the start, and -1 otherwise."""
    ends = find_ends(file, number)
    return 1.0 if ends[1, 2] >= ends[0, 2] else -1.0


def place_ends(file: InputFile, number: int) -> FloatArray:
    """Return the positions [m] of the ends A and B of a moving rod in the frame of its rigid body, shape (2, 3)."""
    ends = find_ends(file, number)
    half = 0.5 * find_direction(file, number) * float(np.linalg.norm(ends[1] - ends[0]))
    return np.array([[0.0, 0.0, -half], [0.0, 0.0, half]])


def merge(parts: list[Part]) -> Part:
    """Return the mass, the centre of mass and the inertia of several parts together. The moments of inertia are
    increased slightly (see `LEAST`), so that no moment of inertia is 0.
    """
    mass = sum(part.mass for part in parts)
    if not mass > 0.0:
        return Part(0.0, np.zeros(3), np.zeros((3, 3)))
    center = np.sum([part.mass * part.center for part in parts], axis=0) / mass
    inertia = np.zeros((3, 3))
    for part in parts:
        d = part.center - center
        inertia += part.inertia + part.mass * (d @ d * np.eye(3) - np.outer(d, d))
    return Part(mass, center, inertia + LEAST * np.trace(inertia) * np.eye(3))


def _find_parts(file: InputFile, number: int, body: Body) -> list[Part]:
    """Return the parts of a free body: the body itself, and its points."""
    own = Part(body.mass, np.array(body.center), np.diag(body.inertia))
    points = [point for point in file.points.values() if (point.kind, point.body) == ("body", number)]
    return [own, *(Part(point.mass, np.array(point.position), np.zeros((3, 3))) for point in points)]


def _find_part(file: InputFile, rod: Rod) -> Part:
    """Return mass, centre of mass and inertia tensor of a rod."""
    kind, ends = file.rod_types[rod.type], np.array(rod.ends)
    length = float(np.linalg.norm(ends[1] - ends[0]))
    axis, mass = (ends[1] - ends[0]) / length, kind.mass * length
    across = mass * (kind.diameter**2 / 16.0 + length**2 / 12.0)
    inertia = across * np.eye(3) + (mass * kind.diameter**2 / 8.0 - across) * np.outer(axis, axis)
    return Part(mass, ends.mean(axis=0), inertia)


def turn_to(along: FloatArray) -> FloatArray:
    """Return the quaternion (x, y, z, w) of the smallest rotation from z to a direction that does not point down."""
    u = along / np.linalg.norm(along)
    quaternion: FloatArray = np.array([-u[1], u[0], 0.0, 1.0 + u[2]])
    return quaternion / float(np.linalg.norm(quaternion))


def _add_rigid(mooring: Mooring, name: str, place: FloatArray, turn: FloatArray, whole: Part) -> Entity:
    """Add a rigid body at a position with a quaternion (x, y, z, w)."""
    I = whole.inertia
    return mooring.world.add(
        RigidBody3D, name=name, position=place, euler_parameters=np.array([turn[3], *turn[:3]]), mass=whole.mass,
        center_of_mass=whole.center, inertia=(I[0, 0], I[1, 1], I[2, 2], I[1, 2], I[0, 2], I[0, 1]),
    )  # fmt: skip


def _add_water(mooring: Mooring, host: Entity, rod: Rod, ends: FloatArray) -> None:
    """Add the load of the water on a rod. In the frame of a body, the ends of the rod have the positions ``ends``."""
    if mooring.sea is None:
        return
    kind, along = mooring.file.rod_types[rod.type], ends[1] - ends[0]
    length = float(np.linalg.norm(along))
    mooring.world.add(
        con.CylinderFluidLoad, marker=con.rigid_marker(mooring.world, host, ends.mean(axis=0)), fluid=mooring.sea,
        diameter=kind.diameter, length=length, axis=along / length, strips=rod.segments, normal_drag=kind.drag,
        axial_drag=0.0, added_mass=kind.added_mass, end_drag=(kind.end_drag,) * 2,
        end_added_mass=(kind.end_added_mass,) * 2,
    )  # fmt: skip


def add_sphere(mooring: Mooring, host: Entity, item: Body | Point) -> None:
    """Add the volume, the drag and the added mass of a free body, of a point of a free body, or of a free point. The
    argument ``host`` is the body, or the node of the free point.

    The buoyancy acts at the centre of mass of the body, or at the point. Drag and added mass act at the origin of the
    body, or at the point, as in MoorDyn. The drag acts on a sphere with a negligible volume. If the centre of mass is
    not the origin, the added mass also acts on this sphere.
    """
    if mooring.sea is None:
        return
    place = item.position if isinstance(item, Point) and item.kind == "body" else (0.0, 0.0, 0.0)
    center = item.center if isinstance(item, Body) else place
    small = np.pi / 6.0 * SMALL**3
    here, there = (item.added_mass, 0.0) if center == place else (0.0, item.added_mass * item.volume / small)
    spheres = [(item.volume, 0.0, here, center)] if item.volume else []
    if item.drag_area or there:
        spheres.append((small, item.drag_area, there, place))
    for volume, area, added_mass, at in spheres:
        diameter = (6.0 * volume / np.pi) ** (1.0 / 3.0)
        local = () if item.kind == "free" and isinstance(item, Point) else (np.array(at),)
        mooring.world.add(
            con.SphereFluidLoad, marker=con.position_marker(mooring.world, host, *local), fluid=mooring.sea,
            diameter=diameter, drag=area / (0.25 * np.pi * diameter**2), added_mass=added_mass,
        )  # fmt: skip
