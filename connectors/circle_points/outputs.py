"""Contact of a circle with points of a cable: creation of the arrays for kernels, and evaluation of outputs and
energies for the laws and for reports.

Energies and powers of points of cables on circles. See `kernels.py` for the forces and `contact/power.py` for the
parts of the power.

The reaction on the circle acts at the same point as the force on the cable. Therefore the power of lever arms is 0.
While point k sticks, the power mu_k (r/D) u v_t = mu_k u u_k,t is stored in the bristles. If m of n points are closed,
each bristle stores the energy (n/m) mu_k u²/2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from windlass.connectors.circle_points.kernels import (
    PRESSED,
    PointRows,
    eval_contact,
    fill_ends,
    fill_outputs,
    find_point,
    read_row,
)
from windlass.connectors.contact.account import OPEN, POWERS
from windlass.connectors.contact.axes import bind_axes
from windlass.connectors.contact.circle_outputs import create_outputs
from windlass.connectors.contact.circles import CIRCLE_FAMILY
from windlass.connectors.contact.place_numbers import NUMBERS as PLACE_NUMBERS
from windlass.connectors.contact.place_numbers import STATE as PLACE_STATE
from windlass.connectors.contact.power import GAP, NUMBERS, STATE, clear_place, create_place_account, write_place
from windlass.connectors.contact.rows import bind_parameters
from windlass.connectors.friction.bristle import SLIPS, STICKS, UNDEFINED
from windlass.connectors.markers.cable_shape import column_of
from windlass.connectors.markers.position_kernels import PositionMarkers
from windlass.elements.cable.points import eval_shape
from windlass.framework.accounts import Account
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.call import Call, call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows, Output
from windlass.framework.model.rows import create_records
from windlass.framework.model.system import Fields

CABLE = ("axial_stiffness", "reference_strain", "mass_per_length", "bending_stiffness")
"""Columns of the cables that are needed for the contact law."""
_fill_ends = call(fill_ends)


def bind_points(rows: LocalRows) -> PointRows:
    """Create the `PointRows` of rows whose circles do not change."""
    return bind_rows(rows, rows.markers("circle"), rows.local("circle_radius"), rows.dofs)


def bind_rows(rows: LocalRows, circle: IntArray, radius: FloatArray, dofs: IntArray) -> PointRows:
    """Create the `PointRows` of rows with given markers of circles, radii [m] and process-local coordinate indices."""
    axes, ids = bind_axes(rows, 2), rows.local("cable")
    shared = bind_parameters(rows, axes, rows.local("segments"))
    offset, own = rows.local("vertical_offset"), rows.table.component.columns
    cord, press, rigid = (
        rows.local(name) if name in own else np.zeros(len(offset)) for name in ("cord_offset", "press", "rigid_layer")
    )
    # Friction acts on the contact face, but the law applies the friction force at the cord. The reduced coefficient
    # gives the same torque on the circle.
    shared["friction_coefficient"] = shared["friction_coefficient"] * radius / (radius + cord)
    cable = {name: column_of(rows.world, ids, name) for name in CABLE}
    # strains of beams can refer to the reference configuration, whose stretch is not 1 if a length is given
    share = column_of(rows.world, ids, "strain_is_relative_to_reference")
    cable["reference_strain"] += share * (axes.axis / axes.length - 1.0)
    records = create_records(
        circle=circle, segments=rows.local("segments"), radius=radius + cord, vertical_offset=offset, press=press,
        rigid_layer=(rigid != 0.0) & (press > 0.0), beside=np.full((len(offset), 2), -1), **cable, **shared,
    )  # fmt: skip
    return PointRows(records, np.ascontiguousarray(dofs), axes.H, np.zeros((0, 5)))


def eval_points(c: PointRows, fields: Fields) -> FloatArray:
    """Return all output quantities of all points, shape (rows, points, NUMBERS). See
    `contact/place_numbers.py`.

    The size of the second axis is the largest number of points of a row. Elements that a row does not use are 0, and
    their state is -2 (undefined).
    """
    out = np.zeros((len(c.rows["segments"]), int(c.rows["segments"].max(initial=0)), PLACE_NUMBERS))
    out[..., PLACE_STATE] = UNDEFINED
    fill_outputs(c, fields.markers[CIRCLE_FAMILY], fields.data, fields.x, fields.v, out)
    return out


def eval_ends(c: PointRows, fields: Fields) -> FloatArray:
    """Return the ends [m], on the contact line, of the parts that points represent, in global x and y,
    shape (rows, points + 1, 2).
    """
    out = np.zeros((len(c.rows), int(c.rows["segments"].max(initial=0)) + 1, 2))
    _fill_ends(c, fields.x, out)
    return out


def eval_parts(c: PointRows, fields: Fields, row: IntArray, number: IntArray) -> tuple[FloatArray, ...]:
    """Return three arrays: the start points and the end points [m], on the contact line, of the parts that given
    contact points represent, and the velocities [m/s] of these contact points.

    Each array has the shape (points, 2), with global x and y. The arguments ``row`` and ``number``, shape (points,),
    contain the row of each point and the index of the point in this row.
    """
    q, w = (values[c.dofs[row, :8]].reshape(-1, 4, 2) for values in (fields.x, fields.v))
    if len(c.H):
        q, w = c.H[row] @ q, c.H[row] @ w

    def at(place: FloatArray) -> tuple[FloatArray, FloatArray]:
        S, dS, _ = eval_shape(place / c.rows["segments"][row], c.rows["length"][row] * c.rows["segments"][row])
        p, slope, v, rate = (np.einsum("pa,pab->pb", N, z) for N, z in ((S, q), (dS, q), (S, w), (dS, w)))
        length = np.sqrt((slope * slope).sum(axis=1))
        turn = (slope[:, 0] * rate[:, 1] - slope[:, 1] * rate[:, 0]) / length**2
        normal = np.stack((-slope[:, 1], slope[:, 0]), axis=1) * (c.rows["vertical_offset"][row] / length)[:, None]
        return p + normal, v + turn[:, None] * np.stack((-normal[:, 1], normal[:, 0]), axis=1)

    first: FloatArray = number.astype(np.float64)
    return at(first)[0], at(first + 1.0)[0], at(first + 0.5)[1]


def evaluate_rows(rows: LocalRows, fields: Fields) -> tuple[FloatArray, Any]:
    """Return the result of `eval_points` and the `PointRows` of the rows."""
    c: PointRows = rows.columns
    return eval_points(c, fields), c


def evaluate_powers(rows: LocalRows, fields: Fields) -> FloatArray:
    """Return the powers of all points, see `eval_point_powers`."""
    return eval_point_powers(rows.columns, fields)


def create_point_outputs(
    evaluate: Callable[[LocalRows, Fields], tuple[FloatArray, Any]] = evaluate_rows,
    powers: Callable[[LocalRows, Fields], FloatArray] = evaluate_powers,
) -> dict[str, Output]:
    """Create the output variables of a law with points, see `create_outputs`."""
    outputs = create_outputs(friction=True, evaluate=evaluate, powers=powers)
    outputs["gap"] = replace(outputs["gap"], doc="distance between circle and point, also of open points")
    outputs["contact_position"] = replace(
        outputs["contact_position"], doc="position of the contact point in global x, y"
    )
    outputs["lever_power"] = replace(
        outputs["lever_power"], doc="always 0, because f_t acts on cable and circle at the same point"
    )
    return outputs


@kernel
def fill_points(
    c: PointRows, circle: PositionMarkers, data: FloatArray, x: FloatArray, v: FloatArray, out: FloatArray
) -> None:
    """Write the quantities of all points into out, shape (rows, points, NUMBERS + 1). The quantities are defined in
    `contact/power.py`. The last quantity is the number m of closed points with friction.
    """
    for i in range(len(c.rows)):
        row, r = c.rows[i], read_row(c, circle, data, x, v, i, PRESSED)
        n, first, closed, par, law = row.segments, row.data, 0, r.par, r.par.law
        # bristle stiffness of a closed point; the stiffness of all n bristles is divided among the closed points
        for k in range(n):
            closed += data[first + k] <= 0.0 and data[first + n + k] != UNDEFINED
        mu_k = law.friction_stiffness * n / max(closed, 1)
        here = out[i]
        for k in range(out.shape[1]):
            here[k, NUMBERS] = closed
            if here[k, STATE] != OPEN:
                clear_place(here[k])
            # the only nonzero quantity of an open point is its gap
            if k >= n:
                continue
            state = data[first + n + k]
            z = eval_contact(par, r.o, find_point(r, k, n), state, r.bend)
            if row.active and data[first + k] <= 0.0:
                # the bristle of a slipping point has the deflection at which its force is f_t
                slips, bristle = abs(state) == SLIPS, z.bristle
                if slips and mu_k != 0.0:
                    bristle = z.ft * z.D / (law.friction_stiffness * par.radius)
                rubs = state == STICKS and law.friction_coefficient != 0.0
                damping = law.friction_velocity_penalty * z.vt * z.vt if rubs else 0.0
                gap, bent = z.D - par.radius - par.grown, 0.5 * mu_k * bristle * bristle
                write_place(here[k], law, gap, z.un, z.fn, state, z.ft * z.vt, damping, 0.0, bent)
            here[k, GAP] = z.D - par.radius


_fill = call(fill_points)


def create_numbers(c: PointRows) -> FloatArray:
    """Create an array for the result of `fill_points`."""
    return np.zeros((len(c.rows), int(c.rows["segments"].max(initial=0)), NUMBERS + 1))


def eval_point_powers(c: PointRows, fields: Fields) -> FloatArray:
    """Return the powers [W] of all points, in the order of `POWERS`, shape (rows, points, 6)."""
    out = create_numbers(c)
    _fill(c, fields.markers[CIRCLE_FAMILY], fields.data, fields.x, fields.v, out)
    return np.ascontiguousarray(out[..., : len(POWERS)])


def create_point_account(c: PointRows, before: Call | None = None, by: str = "circle") -> Account:
    """Create the `Account` of rows with points. The function ``before`` is called before the evaluation, for example to
    assign the rows of circle sets to their current circles.
    """
    found = create_numbers(c)
    fill = call(fill_points, lambda s: (c, s.markers[CIRCLE_FAMILY], s.data, s.x, s.v, found))
    fill = fill if before is None else before + fill
    return create_place_account(fill, found, by=by, further=1)
