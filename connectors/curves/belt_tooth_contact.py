"""Contact of the teeth of a timing belt with the grooves of a pulley. There is one row for each pair of a tooth and a
pulley.

A tooth is a point on the pitch line of the belt. D is the distance of the tooth from the centre of the pulley, and α is
the polar angle of the tooth in the frame of the pulley. Relative to groove m of z grooves,

    displacement along the pitch circle: u = R (α - α_0 - 2π m/z) [m]
    height above the seat: g = D - R [m]
    depth in either flank, along the circle: x± = ± u - b/2 - g tan β
    depth below the tips of the pulley: y = h - g, with the height h of the teeth
    energy: V = k/2 x² on a flank, V = k_t/2 y² on a tip; the smaller energy if the tooth is within the pulley
    within the pulley: x > 0 and y > 0
    force: f = ∂V/∂u (R/D) t + ∂V/∂g n, with the unit vectors t along the pitch circle and n outwards
    damping: d times the rate of x or y, along the direction of the force

The displacement of a tooth is measured from its groove. Therefore the belt does not creep, and the ratio of the speeds
of two pulleys is the inverse ratio of their numbers of teeth. If a tooth carries the load F, a flank at the angle β to
the radius pushes this tooth outwards with the force F tan β. If the tension is not sufficient to hold the tooth, the
tooth climbs over the tip and drops into the next groove. The belt then jumps. Friction on flanks resists the climbing.
To include friction, reduce β by the friction angle. The pressure and the friction on the surfaces between the teeth are
computed by a separate law, the contact of the belt with a circle.

On an arc, the tensions F_j between the teeth of a belt with the stiffness EA and the pitch p satisfy

    F_(j+1) - 2 F_j + F_(j-1) = (k p/EA) (F_j - F*)

F* is the tension at which the pitch of the stretched belt is equal to the pitch of the pulley. Therefore the load
decreases from each tooth to the next by the factor e^(-κ), with 2 cosh κ = 2 + k p/EA.

History values per row: -x+, -x- and -y, and the index of the groove, m + 1. Each of the first three values is > 0 if
this flank or tip has no contact. History values are constant during Newton's iterations. Forces act on the belt at the
tooth, and the opposite forces act on the pulley at the same point.

Source: the difference equation: G. Gerbert, H. Jönsson, U. Persson, G. Stensson, Load distribution in timing belts,
J. Mech. Des. 100 (1978) 208-215; contact by a penalty: P. Wriggers, Computational Contact Mechanics, Springer (2006).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.connectors.markers.pairs import Pair
from windlass.connectors.markers.position_kernels import FAMILY, PositionMarkers
from windlass.connectors.markers.position_markers import POSITION, RIGID
from windlass.connectors.rigid_springs.pairs import ComplexArray, Pose, eval_angle, register_rigid_pair, row_of_rigid
from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.post_newton import note_outcome
from windlass.framework.kernels.call import Call, call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows, Output
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.system import Fields, System

START = (0.1, 0.1, 0.1, 1.0)
FLANKS, TIP = 2, 2
"""FLANKS: number of flanks of a groove. The first history values are the negative depths in the flanks. TIP: index of
the negative depth below the tips in the history values.
"""
BENT = 0.01
"""Deflection of a tooth, divided by the height of the tooth [1]. Force errors are compared with the larger of two
forces: the largest contact force, and the force at this deflection. The second force is needed because unloaded teeth
often change between both flanks.
"""


class BeltToothContact(Component):
    """A tooth of a timing belt in the grooves of a pulley, in 2D.

    Four history values per row: the depths in both flanks and below the tips with reversed sign [m], each < 0 in
    contact, and the index of the groove, counted from 1.
    """

    marker0 = ref(RIGID, "centre and rotation of the pulley")
    marker1 = ref(POSITION, "the tooth, a point on the pitch line of the belt")
    data = ref("GenericData", "4 history values; if left out, they are created without contact", optional=True)
    teeth = column("1", "number z of grooves of the pulley", dtype=np.int64, minimum=3)
    pitch_radius = column("m", "radius R of the pitch line on the pulley", above=0.0)
    phase = column("rad", "angle α_0 of the middle of the first groove in the frame of the pulley", default=0.0)
    tooth_stiffness = column("N/m", "stiffness k of a tooth along the pitch line", above=0.0)
    tooth_damping = column("N s/m", "damping d of a tooth in contact", default=0.0, minimum=0.0)
    tip_stiffness = column("N/m", "stiffness k_t of a tooth on a tip of the pulley", above=0.0)
    tooth_height = column("m", "height h above the seat at which a tooth leaves its groove", above=0.0)
    flank_angle = column("rad", "angle β between the flanks and the radius", default=0.35, minimum=0.0)
    backlash = column("m", "backlash b of a tooth in its groove, along the pitch line", default=0.0, minimum=0.0)
    active = column(
        "1",
        "false: the row has no force, and its history values do not change",
        dtype=bool,
        default=True,
        switchable=True,
    )


@kernel
def locate(row: Any, groove: float, u: Pose) -> Any:
    """Return five values of a tooth relative to a groove: the displacement u [m] along the pitch circle, the height g
    [m], the distance D [m] from the centre of the pulley, and the global components x and y of the radial direction n.
    """
    A, d = u.A, u.d
    # position in a frame that rotates with the pulley and whose first axis points to the groove
    angle = row.phase + 2.0 * np.pi / row.teeth * groove
    cosine, sine = np.cos(angle), np.sin(angle)
    x, y = A[0, 0] * d[0] + A[1, 0] * d[1], A[0, 1] * d[0] + A[1, 1] * d[1]
    D = np.sqrt(x * x + y * y)
    way = row.pitch_radius * eval_angle(cosine * y - sine * x, cosine * x + sine * y)
    return way, D - row.pitch_radius, D, d[0] / D, d[1] / D


@kernel
def depth_of(row: Any, which: int, way: complex, height: complex) -> tuple[complex, float, float]:
    """Return the depth [m] of a tooth in a flank or below the tips, and the derivatives of the depth with respect to
    the displacement u and the height g. The argument ``which`` is 0 or 1 for the depth in one of the flanks, and 2 for
    the depth below the tips.
    """
    if which == TIP:
        return row.tooth_height - height, 0.0, -1.0
    side, slope = (1.0 if which == 0 else -1.0), np.tan(row.flank_angle)
    return side * way - 0.5 * row.backlash - slope * height, side, -slope


@kernel
def rates_of(row: Any, u: Pose, ut: ComplexArray, D: complex, nx: complex, ny: complex) -> tuple[complex, complex]:
    """Return the rates [m/s] of the displacement u and the height g, relative to the rotating pulley."""
    radial = ut[0] * nx + ut[1] * ny
    along = ut[1] * nx - ut[0] * ny
    return row.pitch_radius * (along / D - ut[5]), radial


@kernel
def force(row: Any, u: Pose, ut: ComplexArray, t: float) -> Any:
    """Return the nine components of the forces and torques on both markers, see `rigid_springs/pairs.py`."""
    way, height, D, nx, ny = locate(row, row.history[3] - 1.0, u)
    way_t, height_t = rates_of(row, u, ut, D, nx, ny)
    along, out = complex(0.0, 0.0), complex(0.0, 0.0)
    for which in range(FLANKS + 1):
        if row.history[which] <= 0.0:
            depth, by_way, by_height = depth_of(row, which, way, height)
            stiffness = row.tip_stiffness if which == TIP else row.tooth_stiffness
            press = stiffness * depth + row.tooth_damping * (by_way * way_t + by_height * height_t)
            along += press * by_way * row.pitch_radius / D
            out += press * by_height
    fx, fy = out * nx - along * ny, out * ny + along * nx
    zero = 0.0 * fx
    return fx, fy, zero, zero, zero, -along * D, zero, zero, zero


@kernel
def energy(row: Any, u: Pose, ut: ComplexArray, t: float) -> Any:
    """Return the energy [J] of the tooth."""
    way, height, _, _, _ = locate(row, row.history[3] - 1.0, u)
    total = complex(0.0, 0.0)
    for which in range(FLANKS + 1):
        if row.history[which] <= 0.0:
            depth, _, _ = depth_of(row, which, way, height)
            total += 0.5 * (row.tip_stiffness if which == TIP else row.tooth_stiffness) * depth * depth
    return total


@kernel
def power(row: Any, u: Pose, ut: ComplexArray, t: float) -> Any:
    """Return the power [W] that the damping dissipates."""
    way, height, D, nx, ny = locate(row, row.history[3] - 1.0, u)
    way_t, height_t = rates_of(row, u, ut, D, nx, ny)
    total = complex(0.0, 0.0)
    for which in range(FLANKS + 1):
        if row.history[which] <= 0.0:
            _, by_way, by_height = depth_of(row, which, way, height)
            rate = by_way * way_t + by_height * height_t
            total += row.tooth_damping * rate * rate
    return total


@kernel
def decide(row: Any, u: Pose, new: FloatArray) -> None:
    """Compute the history values from the position of a tooth, and write them into ``new``."""
    # nearest groove
    way, height, _, _, _ = locate(row, 0.0, u)
    groove = np.floor(way.real / row.pitch_radius * row.teeth / (2.0 * np.pi) + 0.5)
    groove = groove + row.teeth if groove < 0.0 else groove
    way, height, _, _, _ = locate(row, groove, u)
    below = depth_of(row, TIP, way, height)[0].real
    new[TIP], new[3] = max(-below, 1e-9), groove + 1.0
    for which in range(FLANKS):
        depth = depth_of(row, which, way, height)[0].real
        # within the pulley, the tooth touches either a flank or a tip, whichever has the smaller energy
        if depth > 0.0 and below > 0.0 and row.tooth_stiffness * depth * depth > row.tip_stiffness * below * below:
            new[TIP] = -below
            depth = 0.0
        new[which] = -depth if depth > 0.0 and below > 0.0 else max(-depth, -below, 1e-9)


@kernel
def update_history(rows: Any, pair: Pair, m: PositionMarkers, data: FloatArray, outcome: FloatArray) -> None:
    """Update the history values of the active rows. The outcome is explained in `note_outcome`."""
    error, changed, largest, worst, new = 0.0, False, 0.0, -1, np.zeros(len(START))
    for i in range(len(pair.m0)):
        row = rows[i]
        if not row.active:
            continue
        at = row.data
        # skip teeth without contact that are far away from the pulley
        m0, m1 = pair.m0[i], pair.m1[i]
        dx, dy = m.position[m1, 0] - m.position[m0, 0], m.position[m1, 1] - m.position[m0, 1]
        far = np.sqrt(dx * dx + dy * dy) > row.pitch_radius + row.tooth_height
        if far and data[at] > 0.0 and data[at + 1] > 0.0 and data[at + 2] > 0.0:
            continue
        u, ut = row_of_rigid(m, pair, i)
        for a in range(len(START)):
            row.history[a] = data[at + a]
        before = force(row, u, ut, 0.0)
        decide(row, u, new)
        for a in range(FLANKS + 1):
            changed = changed or (new[a] > 0.0) != (data[at + a] > 0.0)
        for a in range(len(START)):
            data[at + a] = row.history[a] = new[a]
        pair.active[i] = new[0] <= 0.0 or new[1] <= 0.0 or new[TIP] <= 0.0
        after = force(row, u, ut, 0.0)
        jump = np.hypot(after[0].real - before[0].real, after[1].real - before[1].real)
        size = np.hypot(after[0].real, after[1].real)
        largest = max(largest, size, BENT * row.tooth_stiffness * row.tooth_height)
        if jump > error:
            error, worst = jump, i
    note_outcome(outcome, error, np.inf, changed, largest, worst)


@kernel
def fill_numbers(rows: Any, pair: Pair, m: PositionMarkers, data: FloatArray, out: FloatArray) -> None:
    """Write five quantities of each row into out, shape (rows, 5): displacement u [m], height g [m], force on the
    pulley along the circle [N], outward force on the belt [N], and index of the groove.
    """
    for i in range(len(pair.m0)):
        row = rows[i]
        for a in range(len(START)):
            row.history[a] = data[row.data + a]
        u, ut = row_of_rigid(m, pair, i)
        way, height, _, nx, ny = locate(row, row.history[3] - 1.0, u)
        F = force(row, u, ut, 0.0)
        out[i, 0], out[i, 1], out[i, 4] = way.real, height.real, row.history[3] - 1.0
        touches = row.history[0] <= 0.0 or row.history[1] <= 0.0 or row.history[TIP] <= 0.0
        if row.active and touches:
            out[i, 2] = F[1].real * nx.real - F[0].real * ny.real
            out[i, 3] = -(F[0].real * nx.real + F[1].real * ny.real)


@kernel
def select_touching(rows: Any, pair: Pair, data: FloatArray) -> None:
    """Activate the pairs of the rows whose tooth is in contact, and deactivate the other pairs."""
    for i in range(len(pair.m0)):
        at = rows[i].data
        pair.active[i] = rows[i].active and (data[at] <= 0.0 or data[at + 1] <= 0.0 or data[at + TIP] <= 0.0)


def bind_touching(rows: LocalRows) -> tuple[Call, Call]:
    """Return two updates, both of which call `select_touching`: one before the forces and one before the tangent."""
    pair, own = rows.columns
    bring = call(select_touching, lambda s: (own, pair, s.data))
    return bring, bring


def add_update(rows: LocalRows, system: System) -> None:
    """Add the update of the history values after Newton's method. The update skips teeth that are far away from the
    pulley.
    """
    pair, own = rows.columns
    system.post_newton = call(update_history, lambda s: (own, pair, s.markers[FAMILY], s.data, s.outcome))


def output(unit: str, doc: str, which: int) -> Output:
    """Create an output variable from one column of `fill_numbers`."""

    def evaluate(rows: LocalRows, s: Fields, **where: Any) -> FloatArray:
        pair, own = rows.columns
        out = np.zeros((len(own), 5))
        fill_numbers(own, pair, s.markers[FAMILY], s.data, out)
        return out[:, which]

    return Output(unit, f"{doc}, ()", evaluate)


register_rigid_pair(
    BeltToothContact,
    force,
    before=bind_touching,
    stored=("tooth", energy),
    lost=("damper", power),
    passed="lever",
    point=True,
    start=START,
    finish=add_update,
    draw=False,
    outputs={
        "way": output(
            "m", "displacement u of the tooth along the pitch circle from the middle of the nearest groove", 0
        ),
        "height": output("m", "height g of the tooth above its seat", 1),
        "tooth_force": output("N", "force on the pulley along the pitch circle, > 0 counter-clockwise", 2),
        "lift": output("N", "outward force of flanks and tips on the tooth", 3),
        "groove": output("1", "index of the groove in which the tooth was last, counted from 0", 4),
    },
    source="[@gerbert1978]; [@wriggers2006]",
)
