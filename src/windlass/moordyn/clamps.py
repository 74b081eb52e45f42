"""Directions of the ends of lines with bending stiffness at rods.

| rod | direction of the lines at its ends |
| --- | --- |
| fixed; on a fixed body; on a body that is held | constant |
| coupled; on a coupled body with a motion | turns with the motion, `GenericJoint` with prescribed angles |
| free or pinned, with a length; on a free body | turns with the rigid body, `GenericJoint` |
| free or pinned, of length 0 | common direction of its lines, `GenericJoint` between the lines |

The axis of a rod points from end A to end B. A line leaves end B of a rod in the direction of the axis, and end A in
the opposite direction. Lines without bending stiffness have no direction at their ends. A rod of length 0 has neither
mass nor loads of the water. If such a rod is free, the bending moments of its lines are in equilibrium.

Source: MoorDyn 2.7, documentation, "Model structure", "Rods".
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np

from windlass import connectors as con
from windlass.elements import Ground
from windlass.elements.nodes.turning import smallest_rotations
from windlass.framework.arrays import FloatArray
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.moordyn.input_file import MOVING, UNKNOWN, InputFile, name_point
from windlass.moordyn.motion import find_ends, find_turn
from windlass.moordyn.rigid import find_direction

End = tuple[int, int]
"""Number of a line, and its end: 0 for A, 1 for B."""
ALONG = (1.0, 0.0, 0.0)
"""Axis of a marker on a cable that is the tangent of the cable."""


class Mooring(Protocol):
    """The attributes of `windlass.moordyn.Mooring` that this file uses."""

    world: World
    file: InputFile
    bodies: dict[int, Entity]
    rods: dict[int, Entity]
    lines: dict[int, Entity]
    nodes: dict[End, Entity]


class Clamp(NamedTuple):
    """The rod at a clamped end of a line, the sign s of the direction of the line relative to the axis of the rod, and
    the direction of the line at the start (a unit vector).
    """

    rod: int
    sign: float
    tangent: FloatArray


def find_clamps(file: InputFile, start: dict[int, FloatArray]) -> dict[End, Clamp]:
    """Return the clamped ends of lines. ``start`` contains the initial positions [m] of the points."""
    found: dict[int, list[tuple[End, float]]] = {}
    for number, line in file.lines.items():
        for k, point in enumerate(line.ends):
            if point < UNKNOWN and file.types[line.type].bending:
                is_b = point % 2 == 1
                found.setdefault(-point // 2, []).append(((number, k), 1.0 if is_b == (k == 0) else -1.0))
    clamps: dict[End, Clamp] = {}
    for rod, ends in found.items():
        if _follows_lines(file, rod):
            if len(ends) == 1:
                continue
            axis = np.sum([sign * _find_stiffness(file, start, end) for end, sign in ends], axis=0)
        else:
            axis = find_axis(file, rod)
        size = float(np.linalg.norm(axis))
        if size > 0.0:
            clamps |= {end: Clamp(rod, sign, sign / size * axis) for end, sign in ends}
    return clamps


def find_axis(file: InputFile, rod: int) -> FloatArray:
    """Return a vector of arbitrary length in the direction from end A to end B of a rod at the start."""
    row = file.rods[rod]
    if row.segments:
        ends = find_ends(file, rod)
        axis: FloatArray = ends[1] - ends[0]
        return axis
    turned: FloatArray = find_turn(file, row.body).apply(row.direction)
    return turned


def _follows_lines(file: InputFile, rod: int) -> bool:
    """Return whether the direction of a rod follows only from the lines at its ends."""
    row = file.rods[rod]
    return row.segments == 0 and not any(row.direction)


def _find_stiffness(file: InputFile, start: dict[int, FloatArray], end: End) -> FloatArray:
    """Return a vector along the line from end A to end B at the start. The length [N m] of the vector is the bending
    stiffness divided by the length of a segment.
    """
    line = file.lines[end[0]]
    across = start[line.ends[1]] - start[line.ends[0]]
    stiffness = file.types[line.type].bending * line.segments / line.length
    along: FloatArray = stiffness / max(float(np.linalg.norm(across)), 1e-12) * across
    return along


def add_clamps(
    mooring: Mooring, clamps: dict[End, Clamp], times: FloatArray, poses: dict[int, FloatArray], hold: bool
) -> None:
    """Add the constraints of the clamped ends of lines.

    Args:
        mooring: the model, with its lines and rigid bodies.
        clamps: result of `find_clamps`.
        times: times [s] of the table of motions, shape (n,).
        poses: motions of coupled bodies by number, shape (n, 6), see `windlass.moordyn.motion.find_paths`.
        hold: whether coupled bodies are held.
    """
    file = mooring.file
    first: dict[int, End] = {}
    for end, clamp in clamps.items():
        row = file.rods[clamp.rod]
        if _follows_lines(file, clamp.rod):
            if clamp.rod in first:
                other = first[clamp.rod]
                _join(mooring, _mark(mooring, other), (clamp.sign * clamps[other].sign, 0.0, 0.0), end, {})
            first.setdefault(clamp.rod, end)
            continue
        body = file.bodies.get(row.body)
        if body is not None and body.kind == "coupled" and not hold:
            line = file.lines[end[0]]
            file.notes.append(f"line {end[0]} bends freely at {name_point(line.ends[end[1]])}, because hold = False")
        elif row.body in poses:
            _turn_with(mooring, end, clamp.tangent, times, poses[row.body])
        elif clamp.rod in mooring.rods:
            along = (0.0, 0.0, clamp.sign * find_direction(file, clamp.rod))
            _join(mooring, con.rigid_marker(mooring.world, mooring.rods[clamp.rod]), along, end, {})
        elif body is not None and body.kind in MOVING:
            local = np.array(row.direction) if row.segments == 0 else np.subtract(row.ends[1], row.ends[0])
            along = tuple(clamp.sign * local / np.linalg.norm(local))
            _join(mooring, con.rigid_marker(mooring.world, mooring.bodies[row.body]), along, end, {})
        else:
            _hold(mooring, end, clamp.tangent)


def _hold(mooring: Mooring, end: End, tangent: FloatArray) -> None:
    """Hold the direction of the end of a line."""
    axis = np.round(tangent, 9)
    if np.count_nonzero(axis) == 1:
        names = (f"{name}'" for name, along in zip("xyz", axis, strict=True) if not along)
        con.fix(mooring.world, mooring.nodes[end], *names)
        return
    ground = con.rigid_marker(mooring.world, mooring.world.add(Ground))
    _join(mooring, ground, tuple(tangent), end, {})


def _turn_with(mooring: Mooring, end: End, tangent: FloatArray, times: FloatArray, poses: FloatArray) -> None:
    """Turn the direction of the end of a line with a coupled body."""
    # imported here, because most models do not need these modules
    from scipy.interpolate import CubicSpline
    from scipy.spatial.transform import Rotation

    turns = Rotation.from_euler("XYZ", poses[:, 3:])
    frame = Rotation.from_matrix(_find_frame(tuple(tangent)))
    angles = np.unwrap((frame.inv() * turns * turns[0].inv() * frame).as_euler("XYZ"), axis=0)
    offset = CubicSpline(times, np.column_stack((np.zeros_like(angles), angles)))
    ground = con.rigid_marker(mooring.world, mooring.world.add(Ground))
    _join(
        mooring, ground, tuple(tangent), end,
        {"offset_function": offset, "offset_rate_function": offset.derivative()},
    )  # fmt: skip


def _find_frame(along: tuple[float, ...]) -> FloatArray:
    """Return the matrix of the smallest rotation from the x axis to a unit vector."""
    frame: FloatArray = smallest_rotations(np.array([ALONG]), np.array([along]))[0]
    return frame


def _mark(mooring: Mooring, end: End) -> Entity:
    """Add a marker at the end of a line."""
    line = mooring.file.lines[end[0]]
    cable = mooring.lines[end[0]][-end[1]]
    return con.rigid_marker(mooring.world, cable, (end[1] * line.length / line.segments, 0.0))


def _join(mooring: Mooring, marker: Entity, along: tuple[float, ...], end: End, motion: dict[str, Any]) -> None:
    """Lock the direction of the end of a line to an axis ``along`` of a marker."""
    name = f"direction of line {end[0]} at {name_point(mooring.file.lines[end[0]].ends[end[1]])}"
    mooring.world.add(
        con.GenericJoint, name=name, marker0=marker, marker1=_mark(mooring, end), translations=(False,) * 3,
        rotations=(False, True, True), frame0=_find_frame(along), **motion,
    )  # fmt: skip
