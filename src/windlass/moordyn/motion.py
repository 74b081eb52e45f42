"""Paths of points that move with coupled bodies, with a platform, or separately.

A body has the position X and the angles a. A point of the body with the local position p has the global position X + R
p, with the rotation matrix R = R_x(a_x) R_y(a_y) R_z(a_z), as in MoorDyn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.errors import ModelError
from windlass.moordyn.input_file import InputFile

if TYPE_CHECKING:
    from scipy.spatial.transform import Rotation

LARGE = 1.0
"""If an angle is larger than this value [rad], a note states that angles may be in degrees instead of radians."""


class Places(NamedTuple):
    """Initial positions [m] of points, times [s] of the table of motions, positions [m] of moving points at these times
    by number, shape (n, 3) each, and positions [m] and angles [rad] of coupled bodies by number, shape (n, 6) each.
    """

    start: dict[int, FloatArray]
    times: FloatArray
    paths: dict[int, FloatArray]
    poses: dict[int, FloatArray]


def find_paths(file: InputFile, table: FloatArray | None) -> Places:
    """Return the initial positions of all points, and the motion of coupled points and bodies in a table.

    Raises:
        ModelError: the number of columns of the table is wrong, angles exceed a full turn, or a table is given and a
            body is pinned.
    """
    start = {number: np.array(point.position) for number, point in file.points.items()}
    for number, point in file.points.items():
        if point.kind == "body" and point.body in file.bodies:
            body = file.bodies[point.body]
            pose = np.array([[*body.position, *np.radians(body.angles)]])
            start[number] = carry(pose, point.position)[0]
        elif point.kind == "rod":
            start[number] = find_ends(file, point.rod)[-number % 2]
    if table is None:
        return Places(start, np.zeros(0), {}, {})
    pinned = [number for number, body in file.bodies.items() if body.kind == "pinned"]
    if pinned:
        raise ModelError(f"body {pinned[0]} is CoupledPinned: must be held, without a table of motions")
    bodies = [number for number, body in file.bodies.items() if body.kind == "coupled"]
    points = [number for number, point in file.points.items() if point.kind == "coupled"]
    paths: dict[int, FloatArray] = {}
    all_poses: dict[int, FloatArray] = {}
    width, wanted = table.shape[1] - 1, 6 * len(bodies) + 3 * len(points)
    if width == wanted:
        for k, body_number in enumerate(bodies):
            poses = table[:, 1 + 6 * k : 7 + 6 * k]
            name = f"coupled body {body_number}" if body_number > 0 else f"coupled rod {-body_number}"
            check_angles(poses, name, file.notes)
            all_poses[body_number] = poses
            of_body = (number for number, point in file.points.items() if point.body == body_number)
            paths |= {number: carry(poses, file.points[number].position) for number in of_body}
        first = 1 + 6 * len(bodies)
        paths |= {number: table[:, first + 3 * k : first + 3 * k + 3] for k, number in enumerate(points)}
    elif width == 6 and points and not bodies:
        check_angles(table[:, 1:], "the platform", file.notes)
        paths = {number: carry(table[:, 1:], file.points[number].position) for number in points}
    else:
        also = ", or 6 of a platform" if points and not bodies else ""
        raise ModelError(
            f"the motion has {width} columns after the time: must have {wanted}, 6 for each coupled body or rod and 3 "
            f"for each coupled point{also}"
        )
    start |= {number: path[0] for number, path in paths.items()}
    return Places(start, table[:, 0], paths, all_poses)


def find_ends(file: InputFile, number: int) -> FloatArray:
    """Return the initial positions [m] of the ends A and B of a rod, shape (2, 3)."""
    rod = file.rods[number]
    if rod.kind not in ("body", "body pinned"):
        return np.array(rod.ends)
    ends: FloatArray = np.array(file.bodies[rod.body].position) + find_turn(file, rod.body).apply(rod.ends)
    return ends


def find_turn(file: InputFile, number: int) -> Rotation:
    """Return the rotation of a body at the start. If no body has this number, return the identity rotation."""
    from scipy.spatial.transform import Rotation  # imported here, because most models do not need this module

    angles = file.bodies[number].angles if number in file.bodies else (0.0, 0.0, 0.0)
    return Rotation.from_euler("XYZ", angles, degrees=True)


def check_angles(poses: FloatArray, item: str, notes: list[str]) -> None:
    """Raise ModelError if the magnitude of an angle exceeds 2 pi, because the angle is probably in degrees. If the
    magnitude of an angle exceeds `LARGE`, add a note to ``notes``.
    """
    # the last row was added by extrapolation and is not checked
    angles = poses[:-1, 3:]
    worst = angles.flat[np.argmax(np.abs(angles))]
    if abs(worst) > 2.0 * np.pi:
        raise ModelError(f"an angle of {item} in the motion is {worst:g}: must be radians, from -2 pi to 2 pi")
    if abs(worst) > LARGE:
        notes.append(f"an angle of {item} in the motion is {worst:g} rad, {np.degrees(worst):.0f} degrees")


def carry(poses: FloatArray, place: tuple[float, ...]) -> FloatArray:
    """Return the global positions [m] of a point of a body, shape (n, 3), for positions x, y, z [m] and angles [rad] of
    the body, shape (n, 6).
    """
    from scipy.spatial.transform import Rotation  # imported here, because most models do not need this module

    turned: FloatArray = poses[:, :3] + Rotation.from_euler("XYZ", poses[:, 3:]).apply(place)
    return turned
