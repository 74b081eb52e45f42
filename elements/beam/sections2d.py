"""Outputs and drawing of `Beam2D` at positions on its axis, see sections.py.

| point field of drawings | unit | meaning |
| --- | --- | --- |
| `displacement`, `velocity` | m, m/s | vectors in the global frame |
| `axial_force`, `shear_force`, `bending_moment` | N, N, N m | N, Q, M of the cross section |
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from windlass.elements.beam.forces2d import WIDTH, fill_strains
from windlass.elements.beam.rules import LinePlaces
from windlass.elements.beam.sections import LENGTH, draw_lines, eval_loads, interpolate, place_output
from windlass.elements.nodes.node_outputs import in_space
from windlass.framework.arrays import FloatArray
from windlass.framework.model.drawing import Drawing
from windlass.framework.model.law import LocalRows, Output
from windlass.framework.model.system import Fields


def eval_vector(rows: LocalRows, values: FloatArray, places: LinePlaces) -> FloatArray:
    """Interpolate vectors between the nodes at positions on the axis, shape (rows, k, 3)."""
    return in_space(interpolate(rows, values, places, WIDTH)[:, :, :2])


def eval_turn(rows: LocalRows, values: FloatArray, places: LinePlaces) -> FloatArray:
    """Interpolate the rotations of the nodes, or their rates, at positions on the axis, shape (rows, k)."""
    return interpolate(rows, values, places, WIDTH)[:, :, 2]


def eval_shift(rows: LocalRows, places: LinePlaces) -> FloatArray:
    """Return the field ``shift`` of the records, interpolated at positions on the axis, shape (rows, k). At a node,
    ``shift`` is the angle from the axis of the node to e_1, plus a multiple of 2π.
    """
    shift: FloatArray = np.einsum("ika,ia->ik", places.N, rows.columns["shift"])
    return shift


def eval_director(rows: LocalRows, s: Fields, places: LinePlaces) -> FloatArray:
    """Return the axis e_1 of the cross section, shape (rows, k, 3)."""
    angle = eval_turn(rows, s.x, places) + eval_shift(rows, places)
    return np.stack((np.cos(angle), np.sin(angle), np.zeros_like(angle)), axis=2)


def eval_displacement(rows: LocalRows, s: Fields, places: LinePlaces) -> FloatArray:
    """Return the displacement from the reference configuration, shape (rows, k, 3)."""
    return eval_vector(rows, s.x - rows.layout.reference, places)


def eval_force(rows: LocalRows, s: Fields, places: LinePlaces, k: int) -> FloatArray:
    """Return one of the section forces N, Q, M at positions on the axis, shape (rows, k)."""
    return eval_loads(rows, s, places, fill_strains).force[:, :, k]


OUTPUTS: dict[str, Output] = {
    "length": LENGTH,
    "position": place_output("m", "global position at x, shape (3,)", lambda rows, s, at: eval_vector(rows, s.x, at)),
    "displacement": place_output("m", "global displacement at x from the reference, shape (3,)", eval_displacement),
    "velocity": place_output("m/s", "global velocity at x, shape (3,)", lambda rows, s, at: eval_vector(rows, s.v, at)),
    "acceleration": place_output(
        "m/s^2", "global acceleration at x, shape (3,)", lambda rows, s, at: eval_vector(rows, s.a, at)
    ),
    "rotation": place_output(
        "rad",
        "total rotation of the section at x about z",
        lambda rows, s, at: eval_turn(rows, s.x, at) + eval_shift(rows, at),
    ),
    "director": place_output("1", "axis e_1 of the section at x, global, shape (3,)", eval_director),
    "angular_velocity": place_output(
        "rad/s", "angular velocity of the section at x about z", lambda rows, s, at: eval_turn(rows, s.v, at)
    ),
    "strain": place_output(
        "1, 1, 1/m",
        "strains ε, γ, κ at x minus the strains at which the force is 0, shape (3,)",
        lambda rows, s, at: eval_loads(rows, s, at, fill_strains).strain,
    ),
    "axial_force": place_output(
        "N", "axial force N at x along e_1 of the section, tension > 0", lambda rows, s, at: eval_force(rows, s, at, 0)
    ),
    "shear_force": place_output(
        "N",
        "shear force Q at x along e_2, which the part beyond x exerts on the part before x",
        lambda rows, s, at: eval_force(rows, s, at, 1),
    ),
    "bending_moment": place_output(
        "N m",
        "bending moment M at x, > 0 if the beam bends to the left",
        lambda rows, s, at: eval_force(rows, s, at, 2),
    ),
}
"""The output variables of `Beam2D`."""
UNITS = {"velocity": "m/s", "axial_force": "N", "shear_force": "N", "bending_moment": "N m"}


def draw(rows: LocalRows, fields: Fields, subdivisions: int) -> Drawing:
    """Draw each beam as lines along its axis."""

    def fill(places: LinePlaces) -> tuple[FloatArray, Mapping[str, FloatArray]]:
        force = eval_loads(rows, fields, places, fill_strains).force
        values = {
            "velocity": eval_vector(rows, fields.v, places),
            "axial_force": force[:, :, 0],
            "shear_force": force[:, :, 1],
            "bending_moment": force[:, :, 2],
        }
        return eval_vector(rows, fields.x, places), values

    return draw_lines(rows, subdivisions, WIDTH, fill, UNITS)
