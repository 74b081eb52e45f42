"""Paths of points that move with coupled bodies, with a platform, or separately.

A body has the position X and the angles a. A point of the body with the local position p has the global position X + R
p, with the rotation matrix R = R_x(a_x) R_y(a_y) R_z(a_z), as in MoorDyn.
"""

from __future__ import annotations

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.errors import ModelError
from windlass.moordyn.input_file import InputFile

LARGE = 1.0
"""If an angle is larger than this value [rad], a note states that angles may be in degrees instead of radians."""
Paths = tuple[dict[int, FloatArray], FloatArray, dict[int, FloatArray]]


def find_paths(file: InputFile, table: FloatArray | None) -> Paths:
    """Return the initial positions [m] of all points by number, the times [s] of the table, shape (n,), and the
    positions [m] of moving points at these times by number, each of shape (n, 3).

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
        return start, np.zeros(0), {}
    pinned = [number for number, body in file.bodies.items() if body.kind == "pinned"]
    if pinned:
        raise ModelError(f"body {pinned[0]} is CoupledPinned: must be held, without a table of motions")
    bodies = [number for number, body in file.bodies.items() if body.kind == "coupled"]
    points = [number for number, point in file.points.items() if point.kind == "coupled"]
    paths: dict[int, FloatArray] = {}
    width, wanted = table.shape[1] - 1, 6 * len(bodies) + 3 * len(points)
    if width == wanted:
        for k, body_number in enumerate(bodies):
            poses = table[:, 1 + 6 * k : 7 + 6 * k]
            check_angles(poses, f"coupled body {body_number}", file.notes)
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
            f"the motion has {width} columns after the time: must have {wanted}, 6 for each coupled body and 3 "
            f"for each coupled point{also}"
        )
    return start | {number: path[0] for number, path in paths.items()}, table[:, 0], paths


def find_ends(file: InputFile, number: int) -> FloatArray:
    """Return the initial positions [m] of the ends A and B of a rod, shape (2, 3)."""
    rod = file.rods[number]
    if rod.kind not in ("body", "body pinned"):
        return np.array(rod.ends)
    body = file.bodies[rod.body]
    pose = np.array([[*body.position, *np.radians(body.angles)]])
    return np.concatenate([carry(pose, end) for end in rod.ends])


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
