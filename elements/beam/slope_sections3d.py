"""Outputs and drawing of `SlopeBeam3D` at positions on its axis, see sections.py.

| point field of drawings | unit | meaning |
| --- | --- | --- |
| `displacement`, `velocity` | m, m/s | vectors in the global frame |
| `axial_force`, `torque` | N, N m | N and M_1 of the cross section |
| `shear_force_vector`, `bending_moment_vector` | N, N m | vectors in the global frame |
| `material_axis` | 1 | axis e_2 of the cross section in the global frame |
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from windlass.elements.beam.rules import LinePlaces
from windlass.elements.beam.sections import draw_lines, eval_loads, interpolate, place_output
from windlass.elements.beam.sections3d import UNITS, turn
from windlass.elements.beam.slope_forces3d import fill_strains
from windlass.elements.nodes.section_node import WIDTH
from windlass.framework.arrays import FloatArray
from windlass.framework.model.drawing import Drawing
from windlass.framework.model.law import LocalRows, Output
from windlass.framework.model.system import Fields


def eval_vector(rows: LocalRows, values: FloatArray, places: LinePlaces, first: int = 0) -> FloatArray:
    """Interpolate positions (``first`` = 0) or the slopes r_2 (3) or r_3 (6) of the nodes, or their rates, at positions
    on the axis, shape (rows, k, 3).
    """
    return interpolate(rows, values, places, WIDTH)[:, :, first : first + 3]


def eval_frame(rows: LocalRows, s: Fields, places: LinePlaces) -> FloatArray:
    """Return rotation matrices whose columns are the axes e_1, e_2, e_3 of `slope_beam3d`, shape (rows, k, 3, 3)."""
    r2, r3 = eval_vector(rows, s.x, places, 3), eval_vector(rows, s.x, places, 6)
    normal = np.cross(r2, r3)
    e1 = normal / np.linalg.norm(normal, axis=2, keepdims=True)
    e3 = r3 / np.linalg.norm(r3, axis=2, keepdims=True)
    return np.stack((e1, np.cross(e3, e1), e3), axis=3)


def eval_section_strain(rows: LocalRows, s: Fields, places: LinePlaces) -> FloatArray:
    """Return the strains E_22, E_33, E_23 of the cross section, shape (rows, k, 3)."""
    r2, r3 = eval_vector(rows, s.x, places, 3), eval_vector(rows, s.x, places, 6)
    E22, E33, E23 = (r2 * r2).sum(axis=2) - 1.0, (r3 * r3).sum(axis=2) - 1.0, (r2 * r3).sum(axis=2)
    return 0.5 * np.stack((E22, E33, E23), axis=2)


def eval_load(rows: LocalRows, s: Fields, places: LinePlaces, first: int) -> FloatArray:
    """Return the forces (``first`` = 0) or moments (``first`` = 3) along e_1, e_2, e_3, shape (rows, k, 3)."""
    return eval_loads(rows, s, places, fill_strains).force[:, :, first : first + 3]


OUTPUTS: dict[str, Output] = {
    "position": place_output("m", "global position at x, shape (3,)", lambda rows, s, at: eval_vector(rows, s.x, at)),
    "displacement": place_output(
        "m",
        "global displacement at x from the reference, shape (3,)",
        lambda rows, s, at: eval_vector(rows, s.x - rows.layout.reference, at),
    ),
    "velocity": place_output("m/s", "global velocity at x, shape (3,)", lambda rows, s, at: eval_vector(rows, s.v, at)),
    "acceleration": place_output(
        "m/s^2", "global acceleration at x, shape (3,)", lambda rows, s, at: eval_vector(rows, s.a, at)
    ),
    "frame": place_output("1", "frame of the section at x, columns e_1, e_2, e_3, (3, 3)", eval_frame),
    "section_strain": place_output("1", "strains E_22, E_33, E_23 of the cross section at x, (3,)", eval_section_strain),
    "strain": place_output(
        "1, 1, 1, 1/m, 1/m, 1/m",
        "strains ε, γ_2, γ_3, κ_1, κ_2, κ_3 at x minus the strains at which the force is 0, (6,)",
        lambda rows, s, at: eval_loads(rows, s, at, fill_strains).strain,
    ),
    "section_force": place_output(
        "N", "forces N, Q_2, Q_3 at x along e_1, e_2, e_3, shape (3,)", lambda rows, s, at: eval_load(rows, s, at, 0)
    ),
    "section_moment": place_output(
        "N m",
        "moments M_1 (torque), M_2, M_3 at x along e_1, e_2, e_3, (3,)",
        lambda rows, s, at: eval_load(rows, s, at, 3),
    ),
    "force": place_output(
        "N",
        "force that the part beyond x exerts on the part before x, global, shape (3,)",
        lambda rows, s, at: turn(eval_frame(rows, s, at), eval_load(rows, s, at, 0)),
    ),
    "moment": place_output(
        "N m",
        "moment that the part beyond x exerts on the part before x, global, shape (3,)",
        lambda rows, s, at: turn(eval_frame(rows, s, at), eval_load(rows, s, at, 3)),
    ),
    "axial_force": place_output(
        "N", "axial force N at x along e_1, tension > 0", lambda rows, s, at: eval_load(rows, s, at, 0)[:, :, 0]
    ),
    "torque": place_output("N m", "torque M_1 at x about e_1", lambda rows, s, at: eval_load(rows, s, at, 3)[:, :, 0]),
}
"""The output variables of `SlopeBeam3D`."""


def draw(rows: LocalRows, fields: Fields, subdivisions: int) -> Drawing:
    """Draw each beam as lines along its axis."""

    def fill(places: LinePlaces) -> tuple[FloatArray, Mapping[str, FloatArray]]:
        A, force = eval_frame(rows, fields, places), eval_loads(rows, fields, places, fill_strains).force
        across = force * np.array((0.0, 1.0, 1.0, 0.0, 1.0, 1.0))
        values = {
            "velocity": eval_vector(rows, fields.v, places),
            "axial_force": force[:, :, 0],
            "torque": force[:, :, 3],
            "shear_force_vector": turn(A, across[:, :, :3]),
            "bending_moment_vector": turn(A, across[:, :, 3:]),
            "material_axis": A[:, :, :, 1].copy(),
        }
        return eval_vector(rows, fields.x, places), values

    return draw_lines(rows, subdivisions, WIDTH, fill, UNITS)
