"""Outputs and drawings of 3D beams at positions on their axes, see sections.py.

| point field of drawings | unit | meaning |
| --- | --- | --- |
| `displacement`, `velocity` | m, m/s | vectors in the global frame |
| `axial_force`, `torque` | N, N m | N and M_1 of the cross section |
| `shear_force_vector`, `bending_moment_vector` | N, N m | vectors in the global frame |
| `material_axis` | 1 | axis e_2 of the cross section in the global frame |
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from windlass.elements.beam.forces3d import WIDTH, fill_strains
from windlass.elements.beam.rules import LinePlaces
from windlass.elements.beam.sections import LENGTH, Fill, draw_lines, eval_loads, interpolate, place_output
from windlass.elements.nodes.rigid_outputs3d import turn_rows
from windlass.elements.nodes.rotations import local_rates, rotation_matrix
from windlass.framework.arrays import FloatArray
from windlass.framework.model.drawing import Drawing
from windlass.framework.model.law import LocalRows, Output
from windlass.framework.model.system import Fields

Frames = Callable[[LocalRows, Fields, LinePlaces], FloatArray]
UNITS = {
    "velocity": "m/s",
    "axial_force": "N",
    "torque": "N m",
    "shear_force_vector": "N",
    "bending_moment_vector": "N m",
    "material_axis": "1",
}


def eval_parameters(rows: LocalRows, values: FloatArray, places: LinePlaces) -> FloatArray:
    """Interpolate the Euler parameters of the nodes, or their rates, at positions on the axis, shape (rows, k, 4)."""
    found = values[rows.dofs].reshape(len(rows.dofs), -1, WIDTH)[:, :, 3:]
    n = found.shape[1]
    e: FloatArray = places.N[:, :, :n] @ (rows.columns["flip"][:, :n, None] * found)
    return e


def eval_frame(rows: LocalRows, s: Fields, places: LinePlaces) -> FloatArray:
    """Return rotation matrices whose columns are the axes e_1, e_2, e_3, shape (rows, k, 3, 3)."""
    return rotation_matrix(eval_parameters(rows, s.x, places).reshape(-1, 4)).reshape(*places.N.shape[:2], 3, 3)


def eval_spin(rows: LocalRows, s: Fields, places: LinePlaces) -> FloatArray:
    """Return the angular velocity [rad/s] in the global frame, shape (rows, k, 3)."""
    local = local_rates(eval_parameters(rows, s.x, places), eval_parameters(rows, s.v, places))
    return turn_rows(eval_frame(rows, s, places), local)


def space_outputs(width: int, frames: Frames, fill: Fill) -> dict[str, Output]:
    """Create the output variables of 3D beams.

    Args:
        width: number of coordinates of a node. The first three coordinates are the position of the node.
        frames: function ``(rows, fields, places)`` that returns the frames of sections, shape (rows, k, 3, 3).
        fill: kernel that fills the strains at the Gauss points.
    """

    def vector(rows: LocalRows, values: FloatArray, at: LinePlaces) -> FloatArray:
        return interpolate(rows, values, at, width)[:, :, :3]

    def load(rows: LocalRows, s: Fields, at: LinePlaces, first: int) -> FloatArray:
        """Return the forces (``first`` = 0) or moments (``first`` = 3) along e_1, e_2, e_3, shape (rows, k, 3)."""
        return eval_loads(rows, s, at, fill).force[:, :, first : first + 3]

    return {
        "length": LENGTH,
        "position": place_output("m", "global position at x, shape (3,)", lambda rows, s, at: vector(rows, s.x, at)),
        "displacement": place_output(
            "m",
            "global displacement at x from the reference, shape (3,)",
            lambda rows, s, at: vector(rows, s.x - rows.layout.reference, at),
        ),
        "velocity": place_output("m/s", "global velocity at x, shape (3,)", lambda rows, s, at: vector(rows, s.v, at)),
        "acceleration": place_output(
            "m/s^2", "global acceleration at x, shape (3,)", lambda rows, s, at: vector(rows, s.a, at)
        ),
        "frame": place_output("1", "frame of the section at x, columns e_1, e_2, e_3, (3, 3)", frames),
        "director": place_output(
            "1", "axis e_1 of the section at x, global, (3,)", lambda rows, s, at: frames(rows, s, at)[..., 0]
        ),
        "strain": place_output(
            "1, 1, 1, 1/m, 1/m, 1/m",
            "strains ε, γ_2, γ_3, κ_1, κ_2, κ_3 at x minus the strains at which the force is 0, (6,)",
            lambda rows, s, at: eval_loads(rows, s, at, fill).strain,
        ),
        "section_force": place_output(
            "N", "forces N, Q_2, Q_3 at x along e_1, e_2, e_3, shape (3,)", lambda rows, s, at: load(rows, s, at, 0)
        ),
        "section_moment": place_output(
            "N m",
            "moments M_1 (torque), M_2, M_3 at x along e_1, e_2, e_3, (3,)",
            lambda rows, s, at: load(rows, s, at, 3),
        ),
        "force": place_output(
            "N",
            "force that the part beyond x exerts on the part before x, global, shape (3,)",
            lambda rows, s, at: turn_rows(frames(rows, s, at), load(rows, s, at, 0)),
        ),
        "moment": place_output(
            "N m",
            "moment that the part beyond x exerts on the part before x, global, shape (3,)",
            lambda rows, s, at: turn_rows(frames(rows, s, at), load(rows, s, at, 3)),
        ),
        "axial_force": place_output(
            "N", "axial force N at x along e_1, tension > 0", lambda rows, s, at: load(rows, s, at, 0)[:, :, 0]
        ),
        "torque": place_output("N m", "torque M_1 at x about e_1", lambda rows, s, at: load(rows, s, at, 3)[:, :, 0]),
    }


OUTPUTS = space_outputs(WIDTH, eval_frame, fill_strains) | {
    "angular_velocity": place_output("rad/s", "angular velocity of the section at x, global, (3,)", eval_spin)
}
"""The output variables of `Beam3D`."""


def draw_space(rows: LocalRows, s: Fields, subdivisions: int, width: int, frames: Frames, fill: Fill) -> Drawing:
    """Draw 3D beams as lines along their axes. The arguments ``width``, ``frames`` and ``fill`` are explained in
    `space_outputs`.
    """

    def eval_fields(places: LinePlaces) -> tuple[FloatArray, Mapping[str, FloatArray]]:
        A, force = frames(rows, s, places), eval_loads(rows, s, places, fill).force
        across = force * np.array((0.0, 1.0, 1.0, 0.0, 1.0, 1.0))
        values = {
            "velocity": interpolate(rows, s.v, places, width)[:, :, :3],
            "axial_force": force[:, :, 0],
            "torque": force[:, :, 3],
            "shear_force_vector": turn_rows(A, across[:, :, :3]),
            "bending_moment_vector": turn_rows(A, across[:, :, 3:]),
            "material_axis": A[:, :, :, 1].copy(),
        }
        return interpolate(rows, s.x, places, width)[:, :, :3], values

    return draw_lines(rows, subdivisions, width, eval_fields, UNITS)


def draw(rows: LocalRows, fields: Fields, subdivisions: int) -> Drawing:
    """Draw each beam as lines along its axis."""
    return draw_space(rows, fields, subdivisions, WIDTH, eval_frame, fill_strains)
