"""Inputs of controllers: coordinate markers whose values u and rates u_t a law uses, with exact derivatives.

    derivatives of each marker: ∂u/∂q = J, ∂u_t/∂q = J̇, ∂u_t/∂v = J

The tangent contains the derivatives with respect to the coordinates of the inputs. Therefore a law uses the inputs at
the current time. There is no delay of one step.

Source: E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, Springer (stiff systems need exact tangents).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from windlass.connectors.markers.coordinate_family import FAMILY, CoordinateMarkers, coordinates_of
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows
from windlass.framework.model.schema import Component, refs
from windlass.framework.model.system import Fields

INSTEAD = (
    "; take coordinate_marker of a node or body, strain_coordinate of a cable (its axial force is EA u + d_EA u_t), "
    "distance_coordinate of the points of a spring (its force is k u + d u_t), load_cell of a joint or constraint, "
    "also of the joint that holds a body for the forces of contacts on it"
)
"""Text for error messages. Outputs of laws cannot be inputs, so the text states which markers can be inputs."""


class Inputs(Component):
    """Base class of laws that depend on any number of inputs."""

    inputs = refs(
        FAMILY,
        "measured coordinates; u contains displacements from the reference, and u_t contains velocities",
        least=0,
        instead=INSTEAD,
    )


class InputColumns(NamedTuple):
    """The inputs of rows."""

    m: IntArray  # index of each input in the coordinate markers, or -1 for no input, shape (rows, inputs)
    size: IntArray  # number of inputs of each row, shape (rows,)
    first: int  # index of the first coordinate of an input among the coordinates of a row
    width: int  # number of coordinates of each input


def bind_inputs(rows: LocalRows, start: int) -> InputColumns:
    """Create the arrays of the inputs of rows. In each row the coordinates of the inputs follow the first ``start``
    coordinates, in the order of `World.ref_dofs`.
    """
    places = rows.markers("inputs")
    return InputColumns(places, (places >= 0).sum(axis=1), start, rows.world.ref_width(rows.table, "inputs"))


def read_inputs(c: InputColumns, m: CoordinateMarkers, i: int) -> tuple[FloatArray, FloatArray]:
    """Return the values u and the rates u_t of the inputs of row i, shape (inputs,) each."""
    which = c.m[i, : c.size[i]]
    return m.value[which], m.rate[which]


def eval_inputs(rows: LocalRows, s: Fields) -> FloatArray:
    """Return the values u of the inputs, shape (rows, inputs). In rows with fewer inputs, the result is padded with 0.
    The second element of ``rows.columns`` must be the inputs.
    """
    c: InputColumns = rows.columns[1]
    found = np.zeros(c.m.shape)
    given = c.m >= 0
    found[given] = coordinates_of(s).value[c.m[given]]
    return found


@kernel
def add_input_row(
    c: InputColumns, m: CoordinateMarkers, i: int, P: FloatArray, V: FloatArray, dq: float, dv: float, B: FloatArray
) -> None:
    """Add dq ∂f/∂q + dv ∂f/∂v to B with scalar factors dq and dv. Here f(u, u_t) is a function of the values u and the
    rates u_t of the inputs of row i. B has one entry for each coordinate of the row. P and V are the derivatives of f
    with respect to u and u_t, shape (inputs,) each.
    """
    for k in range(c.size[i]):
        j, first = c.m[i, k], c.first + k * c.width
        for a in range(c.width):
            B[first + a] += (dq * P[k] + dv * V[k]) * m.jacobian[j, a] + dq * V[k] * m.jacobian_rate[j, a]
