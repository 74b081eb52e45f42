"""Contact with friction between a circle and points on the cubic axis of a cable: belts on pulleys, ropes on drums.

A cable of length L has n contact points at the arc lengths (i + 1/2) L/n, on its axis or at an offset from the axis.
Each point represents the length L/n of the cable, with the forces

    f_n = k_c g + d_c v_n,     f_t = mu_v v_t + mu_k (r/D) u   while |f_t| <= mu |f_n|,  else +-mu |f_n|,

Here D is the distance of the point from the centre of the circle. The deflection u is the mean displacement of the
points of the cable along the circle since the points began to stick. The bristles stick to points of the material. The
forces act at the contact points. All formulas are in `circle_points/kernels.py`.

Source: P. Wriggers, Computational Contact Mechanics, Springer (2006): penalty in quadrature points, radial return.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.connectors.circle_contact.doubts import watch
from windlass.connectors.circle_contact.draw import circle_keys, draw, paint
from windlass.connectors.circle_points.gaps import watch_points
from windlass.connectors.circle_points.kernels import LAID, PointRows
from windlass.connectors.circle_points.layers import join_rows
from windlass.connectors.circle_points.outputs import bind_points, create_point_account, create_point_outputs
from windlass.connectors.circle_points.residual import add_residual
from windlass.connectors.circle_points.tangent import add_tangent
from windlass.connectors.circle_points.update import update_history
from windlass.connectors.contact.circles import (
    CIRCLE_FAMILY,
    check_circles,
    eval_rounding,
    point_dofs,
)
from windlass.connectors.contact.rows import PointContact, check_cables
from windlass.connectors.contact.update import create_system as create_contact_system
from windlass.connectors.friction.bristle import UNDEFINED
from windlass.connectors.markers.position_markers import RIGID
from windlass.framework.checks.values import read_numbers
from windlass.framework.model.history import check_history, create_history
from windlass.framework.model.law import LocalRows, Tables, register
from windlass.framework.model.schema import column, ref
from windlass.framework.model.system import Evaluation, Function, System
from windlass.framework.model.table import EntityTable

START = (0.1, UNDEFINED, 0.0)
START_OF_ROW = (0.0, LAID, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


class ContactFrictionCirclePoints2D(PointContact):
    """Contact and friction between a circle and n points of a 2D cable or of a `Beam2D`. There is one row per pair of
    circle and cable.

    The cable is divided into ``segments`` equal parts. The contact point of each part is the middle of the part, on the
    cubic axis or at the distance ``vertical_offset`` from the axis, along the normal of the axis. The contact line of a
    `Beam2D` is therefore parallel to its axis, and its forces have no moments on the cross sections, see
    `contact/axes.py`. Stiffness and damping are per metre of cable. Each
    point represents a part of the length L/n. Therefore the stiffness of the contact does not depend on the number of
    points n. The sums of the forces and of the moments on cable and circle are exactly 0.

    The deflection of all bristles of a cable is the mean displacement of its points. The mean is used because
    individual points move along the circle in both directions when the cubic axis of a cable is bent onto the circle.
    Two points per cable are sufficient for cables that remain on the circle. Four points per cable are necessary for
    cables that run onto the circle. With ``friction_coefficient`` 0 there is no friction, regardless of the parameters
    of the bristles. If the coefficient is 0 at first and is increased later, the bristles start without deflection.
    With ``cord_offset`` the axis of the cable, which is the cord of a belt, lies at the distance ``cord_offset`` above
    the contact face. The deflection of bristles is measured at the cord. Therefore bending a belt onto the circle
    causes no traction. The friction limit applies at the contact face: mu |f_n| r/(r + cord_offset).

    With ``press`` > 0 the radius r of the circle is enlarged by the contact depth F/(k r), with the contact stiffness k
    per metre of cable. With the mounting tension, a belt therefore runs on the given radius for any contact stiffness.
    A cable is pressed onto the circle by the force F = N - rhoA v², with the tension N, the speed v, and the mass per
    length rhoA. F is updated in each step. Its initial value is ``press``. If a cable runs onto the circle, its
    friction begins when all its points are closed, because the points move along the circle until the last point is
    closed.

    With ``rigid_layer`` the initial deflection of the bristles is computed from the distance between the cable and its
    neighbours on the circle. This result corresponds to a rigid layer between cord and contact face: the belt sticks to
    the circle with the stretch that the belt has where it runs onto the circle. Without ``rigid_layer`` the bristles of
    a row with ``press`` act as an elastic layer with the stiffness of the bristles. The shear of this layer begins at
    the point where the belt first touches the circle. The layers are explained in `circle_points/layers.py`.

    History values of a row with n points: n gaps [m], n states, and n anchors on the circle [m]. With ``press`` the row
    has eight further values:

    - F minus ``press`` for the next Newton run [N]
    - 1 if the cable has friction, otherwise 0
    - F minus ``press`` in the previous Newton run [N]
    - displacement of the cable before it reached the circle [m]
    - integral of the stretch of the cable over this displacement [m]
    - stretch of the cable at the end of the previous step [1]
    - mean w of the waves of the stretch [1], see `circle_points/layers.py`
    - number of cables in this mean

    Without ``rigid_layer`` the last four values have another meaning: the integral of the slip [m], the slip velocity
    in the previous step [m/s], the displacement of the cable since its first point touched the circle [m], and 0.
    """

    circle = ref(RIGID, "centre and rotation of the circle")
    cable = ref("cable or beam", "the 2D cable, whose nodes have position and slope, or the Beam2D")
    data = ref(
        "GenericData",
        "3 n history values, and 8 more for rows with press; created as [0.1]*n + [-2]*n + [0]*n if left out",
        optional=True,
    )  # fmt: skip
    history_column = "segments"
    segments = column("1", "number n of equal parts, one contact point in each", dtype=np.int64, minimum=1)
    vertical_offset = column("m", "distance y of the points from the axis along its left normal", default=0.0)
    contact_stiffness_per_length = column("N/m^2", "normal stiffness k_c per metre of cable", default=0.0, minimum=0)
    circle_radius = column("m", "radius r of the circle", above=0)
    cord_offset = column("m", "height of the axis of the cable above the face of the circle", default=0.0)
    press = column(
        "N", "initial press F; if > 0, the circle is enlarged by the contact depth F/(k r)", default=0.0,
        minimum=0,
    )  # fmt: skip
    rigid_layer = column(
        "1",
        "true: on the circle a cable keeps the stretch that it has at the entry; only for rows with press",
        default=False,
        dtype=bool,
    )


def fill_defaults(world: Tables, values: dict[str, Any]) -> dict[str, Any]:
    """Return ``values`` with initial history values if the user has not specified them."""
    # For values that are not numeric, the result is None, and `World.add` raises the error.
    press = read_numbers(values.get("press", 0.0))
    grows = press is not None and bool((press != 0.0).any())
    per_row = START_OF_ROW if grows else ()
    return create_history(world, ContactFrictionCirclePoints2D, values, START, per_row)


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for invalid circles, cables or histories."""
    check_circles(world, table)
    more = np.where(table.local("press") > 0.0, len(START_OF_ROW), 0)
    check_history(world, table, len(START), more, len(START_OF_ROW))
    check_cables(world, table)


def create_system(rows: LocalRows, c: PointRows, bring: Function | None = None) -> System:
    """Create the system with the forces, the tangent and the update of rows. The function ``bring`` is called before
    each update, see `join_rows`.
    """
    # In tables without a press the states are constant within Newton's method. With the return map, steps need fewer
    # iterations and passes, but more tangents and more time, see docs/explanation/measurements.md.
    moves = bool(c.rows["press"].any())
    system, maps = create_contact_system(rows, c, CIRCLE_FAMILY, add_residual, add_tangent, update_history, moves)
    system.checks.rounding = lambda fields: eval_rounding(c, fields)
    commit = system.post_newton
    assert commit is not None
    if bring is not None:

        def bring_and_commit(s: Evaluation) -> None:
            bring(s)
            commit(s)

        system.post_newton = bring_and_commit
    if moves:
        system.return_map.motion = maps
    return system


def build(rows: LocalRows) -> System:
    """Return the `System` with the forces, tangent, update and checks of the rows."""
    system = create_system(rows, *join_rows(rows, rows.columns))
    system.account = create_point_account(rows.columns)
    system.gaps = watch_points(rows, rows.columns, CIRCLE_FAMILY)
    watch(system, rows)
    return system


register(
    ContactFrictionCirclePoints2D,
    "connector",
    dofs=point_dofs,
    bind=bind_points,
    build=build,
    outputs=create_point_outputs(),
    fill_defaults=fill_defaults,
    check=check,
    source="[@wriggers2006]",
    draw=draw,
    draw_keys=circle_keys,
    paint=paint,
)
