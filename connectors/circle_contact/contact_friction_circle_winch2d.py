"""Contact with friction between a circle and the cables of a winch rope outside the winch: ropes over sheaves.

The n contact points of a cable are at constant fractions of its length. The material of the rope moves through the
points. Each point represents the length Δ l/n of the rope. The forces at a point are

    f_n = k_c g + d_c v_n,     f_t = mu_v v_t + mu_k (r/D) b   while |f_t| <= mu |f_n|,  else +-mu |f_n|,

Here v_t is the slip velocity of the material, and b is the deflection of a bristle that sticks to the material. The
friction acts on the nodes and on the length l of the rope. These forces follow from the virtual power of the material,
see `circle_points/winch_kernels.py` for all formulas.

Source: P. Wriggers, Computational Contact Mechanics, Springer (2006): penalty in quadrature points, radial return.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.connectors.circle_contact.doubts import refuse_deep
from windlass.connectors.circle_contact.draw import circle_keys, draw
from windlass.connectors.circle_points.winch_kernels import (
    CABLE,
    WinchRows,
    add_residual,
    fill_outputs,
    fill_winch_gaps,
    fill_winch_powers,
)
from windlass.connectors.circle_points.winch_tangent import add_tangent
from windlass.connectors.circle_points.winch_update import update_history
from windlass.connectors.contact.account import POWERS
from windlass.connectors.contact.circle_outputs import create_outputs
from windlass.connectors.contact.circles import CIRCLE_FAMILY, check_circles, eval_rounding, join_circles
from windlass.connectors.contact.gaps import name_points
from windlass.connectors.contact.place_numbers import NUMBERS as PLACE_NUMBERS
from windlass.connectors.contact.place_numbers import STATE as PLACE_STATE
from windlass.connectors.contact.power import NUMBERS, create_place_account
from windlass.connectors.contact.rows import PointContact
from windlass.connectors.contact.update import create_system
from windlass.connectors.friction.bristle import UNDEFINED, check_friction
from windlass.connectors.markers.cable_shape import column_of
from windlass.connectors.markers.position_markers import RIGID
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.call import call
from windlass.framework.model.gaps import Gaps, create_near, create_numbers
from windlass.framework.model.history import check_history, create_history
from windlass.framework.model.law import LocalRows, Tables, register
from windlass.framework.model.rows import create_records
from windlass.framework.model.schema import column, ref
from windlass.framework.model.system import Fields, System
from windlass.framework.model.table import EntityTable

START, START_OF_ROW = (0.1, UNDEFINED, 0.0), (0.0,)
_fill, _fill_powers = call(fill_outputs), call(fill_winch_powers)


class ContactFrictionCircleWinch2D(PointContact):
    """Contact and friction between a circle and n points of a 2D cable of a winch rope. There is one row per pair of
    circle and cable.

    The points are in the middle of n equal parts of the cable, on its cubic axis. The material of the rope moves
    through the points. Therefore the slip velocity is the velocity of the material, bristles deflect with the material,
    and the friction also acts on the length of the rope, which is ``s`` of the feed. Stiffness and damping are per
    metre of rope without strain. Therefore the forces do not depend on the number of points or on the length of the
    cables. The sums of the forces and of the moments on rope and circle are exactly 0.

    History values of a row with n points: n gaps [m], n states, n anchors on the circle [m], and the length of the rope
    at the last update [m].
    """

    circle = ref(RIGID, "centre and rotation of the circle")
    cable = ref("WinchCable2D", "the 2D cable of a winch rope")
    data = ref("GenericData", "3 n + 1 history values; created if left out", optional=True)
    history_column = "segments"
    follows = ("WinchCable2D",)
    segments = column("1", "number n of equal parts, one contact point in each", dtype=np.int64, minimum=1)
    contact_stiffness_per_length = column("N/m^2", "normal stiffness k_c per metre of rope", default=0.0, minimum=0)
    circle_radius = column("m", "radius r of the circle; with the radius of the rope if it has one", above=0)


def fill_defaults(world: Tables, values: dict[str, Any]) -> dict[str, Any]:
    """Return ``values`` with initial history values if the user has not specified them."""
    return create_history(world, ContactFrictionCircleWinch2D, values, START, START_OF_ROW)


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for invalid circles or histories. Also raise ModelError for friction without bristles and
    dampers.
    """
    check_circles(world, table)
    check_history(world, table, len(START), np.ones(table.resident_count, np.int64))
    check_friction(table)


def dofs(world: Tables, table: EntityTable) -> IntArray:
    """For each row, return the global indices of the coordinates of the nodes of the cable (8 indices), of the length
    of the rope, and of the circle. The value -1 stands for a missing coordinate.
    """
    return join_circles(world.dofs_of(table.local("cable")), world.dofs_of(table.local("circle")))


def bind(rows: LocalRows) -> WinchRows:
    """Create the data of the rows for kernels. Rows of cables in reserve are inactive for any value of their column
    ``active``.
    """
    n, cables = rows.local("segments"), rows.local("cable")
    begin, share = (column_of(rows.world, cables, name) for name in ("begin", "share"))
    part, length = share / n, rows.reference[:, CABLE - 1]
    names = {
        "stiffness": "contact_stiffness", "damping": "contact_damping", "rubbing": "friction_velocity_penalty",
        "bristle": "friction_stiffness",
    }  # fmt: skip
    values = {name: rows.local(f"{column}_per_length") * part for name, column in names.items()}
    records = create_records(
        circle=rows.markers("circle"), data=rows.data_start("data"), segments=n, begin=begin, share=share,
        length=part * length, rope=length, radius=rows.local("circle_radius"),
        contact_stiffness=values["stiffness"] * length,
        friction_stiffness=values["bristle"] * length, **values,
        active=rows.local("active") & (column_of(rows.world, cables, "active") > 0.0),
        **{name: rows.local(name) for name in ("friction_coefficient", "clip_normal_force")},
    )  # fmt: skip
    return WinchRows(records, np.ascontiguousarray(rows.dofs))


def evaluate_rows(rows: LocalRows, fields: Fields) -> tuple[FloatArray, Any]:
    """Return all output quantities of all points, shape (rows, points, NUMBERS), see `contact/place_numbers.py`, and
    the `WinchRows`. Elements that a row does not use are 0, and their state is -2 (undefined).
    """
    c: WinchRows = rows.columns
    out = np.zeros((len(c.rows), int(c.rows["segments"].max(initial=0)), PLACE_NUMBERS))
    out[..., PLACE_STATE] = UNDEFINED
    _fill(c, fields.markers[CIRCLE_FAMILY], fields.data, fields.x, fields.v, out)
    return out, c


def evaluate_powers(rows: LocalRows, fields: Fields) -> FloatArray:
    """Return the powers [W] of all points, in the order of `POWERS`, shape (rows, points, 6)."""
    c: WinchRows = rows.columns
    out = np.zeros((len(c.rows), int(c.rows["segments"].max(initial=0)), NUMBERS + 1))
    _fill_powers(c, fields.markers[CIRCLE_FAMILY], fields.data, fields.x, fields.v, out)
    return np.ascontiguousarray(out[..., : len(POWERS)])


def build(rows: LocalRows) -> System:
    """Return the `System` with the forces, tangent, update and checks of the rows."""
    c: WinchRows = rows.columns
    system, _ = create_system(rows, c, CIRCLE_FAMILY, add_residual, add_tangent, update_history)
    n = c.rows["segments"]
    found = np.zeros((len(n), int(n.max(initial=0)), NUMBERS + 1))
    fill = call(fill_winch_powers, lambda s: (c, s.markers[CIRCLE_FAMILY], s.data, s.x, s.v, found))
    system.account = create_place_account(fill, found, further=1)
    numbers = create_numbers(int(n.sum()))
    near = create_near(len(numbers))
    measure = call(fill_winch_gaps, lambda s: (c, s.markers[CIRCLE_FAMILY], s.data, s.x, s.v, s.size, numbers, near))
    system.gaps = Gaps(measure, numbers, name_points(rows, n), weighed=True, near=near)
    system.checks.rounding = lambda fields: eval_rounding(c, fields)
    system.checks.refusals = lambda fields: refuse_deep(rows, c.rows, evaluate_rows(rows, fields)[0])
    return system


register(
    ContactFrictionCircleWinch2D,
    "connector",
    dofs=dofs,
    bind=bind,
    build=build,
    outputs=create_outputs(friction=True, evaluate=evaluate_rows, powers=evaluate_powers),
    fill_defaults=fill_defaults,
    check=check,
    source="[@wriggers2006]",
    draw=draw,
    draw_keys=circle_keys,
)
