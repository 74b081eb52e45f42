"""Contact with friction between circles and a curve on a body, for example between the rollers of a chain and the teeth
of a sprocket.

    geometry: D is the distance of the centre of the circle from a piece of the curve with normal n and direction t
    gap: g = D - r, with the radius r of the circle
    velocity: v = v1 - v0 - ω1 × D n - ω0 × (d - D n), ġ = n·v, v_t = t·v, with d from marker 0 to the centre
    normal force: f_n = -k g - d ġ, limited to [0, -2 k g], so f_n neither pulls nor jumps when contact opens or closes
    without the limit: f_n = -k g - d ġ ≥ 0, which jumps when the contact closes
    friction: f_t = μ |f_n| v_t/v_z if the stored slip is <= v_z, the proportional zone
    friction for larger stored slip: f_t = μ |f_n| sign(stored slip)
    force: f_t t - f_n n on the left-hand side of the equations of the circle, at the foot, which is the centre minus D
    n

In the formulas for f_n, d is ``contact_damping``. A foot is a point of a line or an arc at which the distance to the
centre is stationary, or a corner. The stiffness k does not depend on the length of pieces. Therefore a curve can be
divided into arbitrarily short pieces. A circle has up to two contacts, for instance between two flanks. The contacts of
a circle are the two feet of largest depth with different normals. The curve lies in the xy plane of marker 0.
Components perpendicular to this plane are ignored. If the centre of a circle is within the material, the circle has no
contact, because the law requires depths below the radius of the circle.

History values per row: the index of the piece (counted from 1, or 0 if there is no contact) and the slip velocity of
the first contact, followed by the same values of the second contact. History values are constant during Newton's
iterations. During the iterations, each line or arc in contact is treated as extended beyond its ends. After the
iterations the feet are determined again. The force error is the resulting change of the force on the circle. Rows
without contact are not evaluated during the iterations.

Source: J. Gerstmayr and others, documentation of Exudyn 1.13, item ObjectContactCurveCircles. The linear model of
Exudyn differs in three points. For a segment of the length l, the model of Exudyn uses k_c l and d_c l instead of k and
d. The damping of Exudyn is not limited. The friction of Exudyn depends on the velocities at the centre of the circle.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.connectors.curves.profiles import OVERLAP, PIECE, Curves, bind_curves, trace_piece
from windlass.connectors.friction.regularised import limit_of, share_of_slip, slides
from windlass.connectors.markers.pairs import Pair
from windlass.connectors.markers.position_kernels import FAMILY, PositionMarkers, cross, update_rates
from windlass.connectors.markers.position_markers import POSITION, RIGID
from windlass.connectors.rigid_springs.pairs import ComplexArray, Pose, register_rigid_pair, row_of_rigid
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.assembly.post_newton import note_outcome
from windlass.framework.kernels.call import Call, call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.drawing import Drawing, draw_traces
from windlass.framework.model.gaps import GAP, MISSED, RATE, REACH, SPEED, Gaps, X, Y, create_numbers, note_gap
from windlass.framework.model.gaps import START as BEFORE
from windlass.framework.model.law import LocalRows, Output
from windlass.framework.model.schema import Component, column, derived, ref
from windlass.framework.model.system import Fields, System, evaluate

START = (0.0, 0.0, 0.0, 0.0)
SAME = 1e-6
"""Largest value of 1 - n·n' [1] for two feet with the normals n and n'. Up to this value, both feet are treated as one
contact.
"""
PASSING = 0.6
"""Smallest displacement of a circle in a step, divided by the radius of the circle [1]. From this value on, positions
within the step are examined. If a circle passes through a contact of relevant depth, its displacement is larger than
this value.
"""
TOUCHED = 0.01
"""Change of the velocity of a circle in a step, divided by this velocity [1]. If the change is larger than this value,
the circle may have touched the curve in a stage of the integrator within the step.
"""
APART, MOST_LOOKS = 0.25, 1000
"""The search for a contact within a step examines points on the path of the circle. APART: distance of these points,
divided by the radius of the circle [1]. MOST_LOOKS: largest number of points.
"""


class ContactCurveCircle(Component):
    """Contact and friction between a circle and a curve of lines and arcs on a body.

    Four history values per row: index of the piece (counted from 1) and slip velocity [m/s] of the first and of the
    second contact.
    """

    marker0 = ref(RIGID, "origin of the curve, which lies in the plane of x and y of its frame")
    marker1 = ref(POSITION, "centre of the circle")
    profile = ref("CurveProfile", "the curve")
    data = ref(
        "GenericData", "4 history values; if left out, they are created for a circle without contact", optional=True
    )
    radius = column("m", "radius r of the circle", above=0.0)
    contact_stiffness = column("N/m", "stiffness k of the contact", above=0.0)
    contact_damping = column(
        "N s/m",
        "damping constant d of the contact; damping reduces the normal force at most to 0",
        default=0.0,
        minimum=0.0,
    )
    damping_limited = column(
        "1", "whether the damping force is at most equal to the spring force", dtype=bool, default=True
    )
    friction = column("1", "friction coefficient μ", default=0.0, minimum=0.0)
    proportional_zone = column(
        "m/s", "slip velocity v_z below which friction is proportional to the slip velocity", default=1e-3, above=0.0
    )
    active = column(
        "1",
        "false: the row has no force, and its history values do not change",
        dtype=bool,
        default=True,
        switchable=True,
    )
    curve = derived("1", "index of the profile")
    pieces = derived("1", "pieces at both contacts, see `PIECE` [m for positions and sizes], shape (2, 7)")


@kernel
def locate_center(u: Pose) -> tuple[complex, complex]:
    """Return the components x and y [m] of the position of the centre of the circle in the frame of the curve."""
    A, d = u.A, u.d
    return A[0, 0] * d[0] + A[1, 0] * d[1] + A[2, 0] * d[2], A[0, 1] * d[0] + A[1, 1] * d[1] + A[2, 1] * d[2]


@kernel
def locate_row(pair: Pair, i: int, m: PositionMarkers, d: FloatArray, y: FloatArray) -> tuple[float, float]:
    """Return the result of `locate_center` for row i as real numbers. Also write the vector between the markers to d,
    shape (3,), and the rates of `row_of_rigid` to y, shape (9,). This kernel takes much less time than `row_of_rigid`.
    """
    update_rates(pair, i, m, d, y)
    A = m.rotation[pair.m0[i]]
    return A[0, 0] * d[0] + A[1, 0] * d[1] + A[2, 0] * d[2], A[0, 1] * d[0] + A[1, 1] * d[1] + A[2, 1] * d[2]


@kernel
def face(piece: FloatArray, x: complex, y: complex) -> tuple[complex, complex, complex]:
    """Return the distance D [m] of the point (x, y) from a piece that is extended beyond its ends. Also return the
    components of the normal at the foot of this point.
    """
    side, a, b = piece[0], piece[3], piece[4]
    x, y = x - piece[1], y - piece[2]
    if side == 0.0:
        return b * x - a * y, complex(b, 0.0), complex(-a, 0.0)
    length = np.sqrt(x * x + y * y)
    if length.real == 0.0:
        # the centre of an arc has equal distances to all points of the arc, so any normal is possible
        return side * (a * x + b * y - piece[5]), complex(side * a, 0.0), complex(side * b, 0.0)
    return side * (length - piece[5]), side * x / length, side * y / length


@kernel
def faces(piece: FloatArray, x: float, y: float) -> bool:
    """Return whether the foot of the point (x, y) lies within a piece."""
    x, y = x - piece[1], y - piece[2]
    along = piece[3] * x + piece[4] * y
    if piece[0] == 0.0:
        return bool(-OVERLAP * piece[5] <= along <= (1.0 + OVERLAP) * piece[5])
    return bool(along >= np.sqrt(x * x + y * y) * (piece[6] - OVERLAP))


@kernel
def measure(row: Any, piece: FloatArray, u: Pose, ut: ComplexArray) -> Any:
    """Return the gap [m], the rate of the gap and the slip velocity [m/s], the normal n and the tangential direction t
    of the curve, and the lever arms [m] of the force about both markers. Each vector has three components.
    """
    x, y = locate_center(u)
    D, nx, ny = face(piece, x, y)
    A, d = u.A, u.d
    n = (A[0, 0] * nx + A[0, 1] * ny, A[1, 0] * nx + A[1, 1] * ny, A[2, 0] * nx + A[2, 1] * ny)
    t = (A[0, 1] * nx - A[0, 0] * ny, A[1, 1] * nx - A[1, 0] * ny, A[2, 1] * nx - A[2, 0] * ny)
    s1 = (-D * n[0], -D * n[1], -D * n[2])
    s0 = (d[0] + s1[0], d[1] + s1[1], d[2] + s1[2])
    w0, w1 = cross(ut[3:6], s0), cross(ut[6:9], s1)
    v = (ut[0] + w1[0] - w0[0], ut[1] + w1[1] - w0[1], ut[2] + w1[2] - w0[2])
    rate = n[0] * v[0] + n[1] * v[1] + n[2] * v[2]
    slip = t[0] * v[0] + t[1] * v[1] + t[2] * v[2]
    return D - row.radius, rate, slip, n, t, s0, s1


@kernel
def press(row: Any, gap: complex, rate: complex, slip: complex, stored: float) -> tuple[complex, complex]:
    """Return the normal force f_n and the friction f_t [N] of a contact."""
    spring, damper = -row.contact_stiffness * gap, -row.contact_damping * rate
    if damper.real < -spring.real or (damper.real > spring.real and (row.damping_limited or spring.real < 0.0)):
        # the force is at most twice the spring force; without penetration the damper has no force
        damper = spring if damper.real > 0.0 else -spring
        if spring.real < 0.0:
            damper = 0.0 * spring
    fn = spring + damper
    share = slip * share_of_slip(slip, row.proportional_zone, False)
    return fn, limit_of(row.friction, fn) * (
        complex(np.sign(stored), 0.0) if slides(abs(stored), row.proportional_zone) else share
    )


@kernel
def force(row: Any, u: Pose, ut: ComplexArray, t: float) -> Any:
    """Return the nine components of the forces and torques on both markers, see `rigid_springs/pairs.py`."""
    F = np.zeros(9, np.complex128)
    for j in range(2):
        if row.history[2 * j] <= 0.0:
            continue
        gap, rate, slip, n, along, s0, s1 = measure(row, row.pieces[j], u, ut)
        fn, ft = press(row, gap, rate, slip, row.history[2 * j + 1])
        f = (ft * along[0] - fn * n[0], ft * along[1] - fn * n[1], ft * along[2] - fn * n[2])
        t0, t1 = cross(f, s0), cross(s1, f)
        for a in range(3):
            F[a] += f[a]
            F[3 + a] += t0[a]
            F[6 + a] += t1[a]
    return F[0], F[1], F[2], F[3], F[4], F[5], F[6], F[7], F[8]


@kernel
def energy(row: Any, u: Pose, ut: ComplexArray, t: float) -> Any:
    """Return the energy [J] of the springs."""
    x, y = locate_center(u)
    total = complex(0.0, 0.0)
    for j in range(2):
        if row.history[2 * j] > 0.0:
            gap = face(row.pieces[j], x, y)[0] - row.radius
            total += 0.5 * row.contact_stiffness * gap * gap
    return total


@kernel
def power(row: Any, u: Pose, ut: ComplexArray, t: float) -> Any:
    """Return the power [W] lost to friction and damping."""
    total = complex(0.0, 0.0)
    for j in range(2):
        if row.history[2 * j] > 0.0:
            gap, rate, slip, _, _, _, _ = measure(row, row.pieces[j], u, ut)
            fn, ft = press(row, gap, rate, slip, row.history[2 * j + 1])
            total += ft * slip - (fn + row.contact_stiffness * gap) * rate
    return total


@kernel
def find_feet(row: Any, g: Curves, x: float, y: float) -> tuple[int, int]:
    """Return the indices, counted from 1, of the two pieces of the profile that are in contact with the circle of a
    row. The centre of the circle is at (x, y). The piece with the larger depth is the first. If a contact does not
    exist, its index is 0.
    """
    k = row.curve
    # indices of the grid cell along x and y
    a, b = int(np.floor((x - g.grid[k, 0]) * g.grid[k, 2])), int(np.floor((y - g.grid[k, 1]) * g.grid[k, 2]))
    if a < 0 or b < 0 or a >= g.shape[k, 0] or b >= g.shape[k, 1]:
        return 0, 0
    cell = g.cell[k] + a * g.shape[k, 1] + b
    first, second = -1, -1
    low, next_low, nx, ny = row.radius, row.radius, 0.0, 0.0
    # find the foot of largest depth, and then the foot of largest depth among the feet with a different normal
    for turn in range(2):
        for m in range(g.begin[cell], g.begin[cell + 1]):
            p = g.members[m]
            if not faces(g.pieces[p], x, y):
                continue
            D, ax, ay = face(g.pieces[p], complex(x, 0.0), complex(y, 0.0))
            if D.real < 0.0:
                continue
            if turn == 0 and D.real < low:
                low, first, nx, ny = D.real, p, ax.real, ay.real
            elif turn == 1 and D.real < next_low and 1.0 - nx * ax.real - ny * ay.real > SAME:
                next_low, second = D.real, p
        if first < 0:
            return 0, 0
    start = g.first[k]
    return first - start + 1, second - start + 1 if second >= 0 else 0


@kernel
def bring_pieces(rows: Any, pair: Pair, pieces: FloatArray, first: IntArray, data: FloatArray) -> None:
    """Copy the history values into the data of the rows. Also copy the pieces of the curve to which these values refer.
    Activate pairs in contact and deactivate other pairs.
    """
    for i in range(len(pair.m0)):
        row, at = rows[i], rows[i].data
        if data[at] == 0.0 and data[at + 2] == 0.0 and row.history[0] == 0.0 and row.history[2] == 0.0:
            pair.active[i] = False
            continue
        for a in range(len(START)):
            row.history[a] = data[at + a]
        touches = False
        for j in range(2):
            p = int(row.history[2 * j])
            if p > 0:
                touches = True
                for a in range(PIECE):
                    row.pieces[j, a] = pieces[first[row.curve] + p - 1, a]
        pair.active[i] = row.active and touches


@kernel
def update_history(
    rows: Any, curves: Curves, pair: Pair, m: PositionMarkers, data: FloatArray, outcome: FloatArray
) -> None:
    """Update the history values of the active rows. The outcome is explained in `note_outcome`."""
    error, changed, largest, worst = 0.0, False, 0.0, -1
    way, rates = np.zeros(3), np.zeros(9)
    for i in range(len(pair.m0)):
        row = rows[i]
        if not row.active:
            continue
        at = row.data
        x, y = locate_row(pair, i, m, way, rates)
        first, second = find_feet(row, curves, x, y)
        if first == 0 and data[at] == 0.0 and data[at + 2] == 0.0:
            continue
        u, ut = row_of_rigid(m, pair, i)
        # pieces that were in contact before the update
        start = curves.first[row.curve]
        for a in range(4):
            row.history[a] = data[at + a]
        for j in range(2):
            if row.history[2 * j] > 0.0:
                row.pieces[j, :] = curves.pieces[start + int(row.history[2 * j]) - 1]
        # a contact keeps its index in the history values if possible, because a changed order of the contacts must not
        # count as a change of contact
        if first == int(data[at + 2]) or (second == int(data[at]) and second != 0):
            first, second = second, first
        before = force(row, u, ut, 0.0)
        for j in range(2):
            p = first if j == 0 else second
            slip = 0.0
            if p > 0:
                row.pieces[j, :] = curves.pieces[start + p - 1]
                slip = measure(row, row.pieces[j], u, ut)[2].real
            was = slides(abs(data[at + 2 * j + 1]), row.proportional_zone)
            now = slides(abs(slip), row.proportional_zone)
            changed = changed or p != int(data[at + 2 * j]) or (row.friction > 0.0 and now != was)
            data[at + 2 * j], data[at + 2 * j + 1] = p, slip
        # compute the change of the force due to the update
        for a in range(4):
            row.history[a] = data[at + a]
        pair.active[i] = first > 0 or second > 0
        after = force(row, u, ut, 0.0)
        jump, square = 0.0, 0.0
        for a in range(3):
            jump += (after[a].real - before[a].real) ** 2
            square += after[a].real ** 2
        largest = max(largest, np.sqrt(square))
        if np.sqrt(jump) > error:
            error, worst = np.sqrt(jump), i
    note_outcome(outcome, error, np.inf, changed, largest, worst)


@kernel
def find_depth(row: Any, curves: Curves, x: float, y: float) -> float:
    """Return the penetration depth [m] of a circle with its centre at (x, y). If there is no contact, the depth is
    0.
    """
    p, _ = find_feet(row, curves, x, y)
    if p == 0:
        return 0.0
    D, _, _ = face(curves.pieces[curves.first[row.curve] + p - 1], complex(x, 0.0), complex(y, 0.0))
    return float(row.radius - D.real)


@kernel
def eval_gap(row: Any, curves: Curves, p: int, at: FloatArray, moves: FloatArray) -> tuple[float, float]:
    """Return the gap [m] between the circle and piece p (counted from 1), and the rate of the gap [m/s], for a position
    and a velocity of the circle in the frame of the curve.
    """
    x, y = complex(at[X], 0.0), complex(at[Y], 0.0)
    D, nx, ny = face(curves.pieces[curves.first[row.curve] + p - 1], x, y)
    return D.real - row.radius, nx.real * moves[X] + ny.real * moves[Y]


@kernel
def find_nearest(row: Any, curves: Curves, x: float, y: float) -> int:
    """Of the pieces that contain the foot of (x, y), return the index of the nearest piece, counted from 1. If no piece
    contains the foot, return 0.
    """
    start, nearest, low = curves.first[row.curve], 0, np.inf
    for p in range(start, curves.first[row.curve + 1]):
        D = face(curves.pieces[p], complex(x, 0.0), complex(y, 0.0))[0].real
        if 0.0 <= D < low and faces(curves.pieces[p], x, y):
            low, nearest = D, p - start + 1
    return nearest


@kernel
def fill_gaps(rows: Any, curves: Curves, pair: Pair, m: PositionMarkers, numbers: FloatArray) -> None:
    """Write the gap quantities into the array of `Gaps`, shape (3 rows, WIDTH). The first third of the array describes
    the deeper contact of each row. The second third describes the path of the circle in the frame of the curve, for
    rows without contact. The last third describes the velocity in the frame of the curve, for circles far away from the
    curve.

    If a circle is in contact at only one end of a step, the gap at the other end refers to the same piece.
    """
    count = len(pair.m0)
    d, y = np.zeros(3), np.zeros(9)
    for i in range(count):
        row, least, way, moves = rows[i], numbers[i], numbers[count + i], numbers[2 * count + i]
        least[GAP], way[GAP], moves[GAP], way[MISSED] = np.inf, np.inf, np.inf, 0.0
        # the reach of inactive rows is 0; if the reach at the start of a step is 0, the position at the start is
        # ignored
        way[REACH] = 0.0
        if not row.active:
            continue
        way[REACH] = row.radius
        way[X], way[Y] = locate_row(pair, i, m, d, y)
        speed = np.sqrt(y[0] ** 2 + y[1] ** 2 + y[2] ** 2)
        # record the smaller of the gaps of both contacts
        for j in range(2):
            if row.history[2 * j] > 0.0:
                u, ut = row_of_rigid(m, pair, i)
                gap, rate, _, _, _, _, _ = measure(row, row.pieces[j], u, ut)
                if gap.real < least[GAP]:
                    note_gap(least, gap.real, rate.real, speed)
        # velocity of the centre, relative to the body of the curve
        turn, A = cross(y[3:6], d), m.rotation[pair.m0[i]]
        v0, v1, v2 = y[0] - turn[0], y[1] - turn[1], y[2] - turn[2]
        moves[X] = A[0, 0] * v0 + A[1, 0] * v1 + A[2, 0] * v2
        moves[Y] = A[0, 1] * v0 + A[1, 1] * v1 + A[2, 1] * v2
        first, _ = find_feet(row, curves, way[X], way[Y])
        # a positive gap makes solvers examine the path; paths of circles in contact are not examined
        if first == 0:
            way[GAP] = row.radius
        if not way[BEFORE + REACH] > 0.0:
            continue
        # circles that are in contact either at the start or at the end of the step, but not at both
        begin, _ = find_feet(row, curves, way[BEFORE + X], way[BEFORE + Y])
        if first > 0 and begin == 0:
            g, rate = eval_gap(row, curves, first, way[BEFORE:], moves[BEFORE:])
            least[BEFORE + GAP], least[BEFORE + RATE], least[BEFORE + SPEED] = (
                g,
                rate,
                np.hypot(moves[BEFORE + X], moves[BEFORE + Y]),
            )
        elif first == 0 and begin > 0:
            g, rate = eval_gap(row, curves, begin, way, moves)
            note_gap(least, g, rate, speed)
        if first > 0 or begin > 0:
            continue
        # if the velocity has changed, the circle may have touched the curve in stages of the integrator
        ux, uy = moves[BEFORE + X], moves[BEFORE + Y]
        if np.hypot(moves[X] - ux, moves[Y] - uy) > TOUCHED * np.hypot(ux, uy):
            p = find_nearest(row, curves, way[BEFORE + X], way[BEFORE + Y])
            if p > 0:
                least[BEFORE + GAP], least[BEFORE + RATE] = eval_gap(row, curves, p, way[BEFORE:], moves[BEFORE:])
                least[BEFORE + SPEED] = np.hypot(ux, uy)
                g, rate = eval_gap(row, curves, p, way, moves)
                note_gap(least, g, rate, speed)
        # positions on the path between the start and the end of the step
        ax, ay = way[BEFORE + X], way[BEFORE + Y]
        ex, ey = way[X] - ax, way[Y] - ay
        length = np.sqrt(ex * ex + ey * ey)
        if not PASSING * row.radius < length < np.inf:
            continue
        looks = min(int(length / (APART * row.radius)) + 2, MOST_LOOKS)
        for k in range(1, looks):
            depth = find_depth(row, curves, ax + k / looks * ex, ay + k / looks * ey)
            way[MISSED] = max(way[MISSED], depth)


@kernel
def fill_numbers(rows: Any, curves: Curves, pair: Pair, m: PositionMarkers, out: FloatArray) -> None:
    """Write six quantities of both contacts of each row into out, shape (rows, 6, 2): gap [m], rate of the gap [m/s],
    slip velocity [m/s], normal force f_n [N], friction f_t [N] and index of the piece. For a contact that does not
    exist the gap is inf, and the other quantities are 0. If neither contact exists, the first gap is the smallest gap
    between the circle and a piece, or inf if no piece contains the foot of the centre.
    """
    d, rates = np.zeros(3), np.zeros(9)
    for i in range(len(pair.m0)):
        row = rows[i]
        start, end = curves.first[row.curve], curves.first[row.curve + 1]
        for j in range(2):
            p = int(row.history[2 * j])
            out[i, 0, j] = np.inf
            if p == 0 or not row.active:
                continue
            u, ut = row_of_rigid(m, pair, i)
            gap, rate, slip, _, _, _, _ = measure(row, row.pieces[j], u, ut)
            fn, ft = press(row, gap, rate, slip, row.history[2 * j + 1])
            out[i, 0, j], out[i, 1, j], out[i, 2, j] = gap.real, rate.real, slip.real
            out[i, 3, j], out[i, 4, j], out[i, 5, j] = fn.real, ft.real, p
        if pair.active[i]:
            continue
        x, y = locate_row(pair, i, m, d, rates)
        for p in range(start, end):
            D = face(curves.pieces[p], complex(x, 0.0), complex(y, 0.0))[0].real
            if D >= 0.0 and D - row.radius < out[i, 0, 0] and faces(curves.pieces[p], x, y):
                out[i, 0, 0] = D - row.radius


def find_curves(rows: LocalRows) -> tuple[IntArray, Curves]:
    """Return the index of the profile of each row, and the profiles."""
    found: tuple[IntArray, Curves] = rows.kept("curves", lambda: bind_curves(rows, "profile", rows.local("radius")))
    return found


def derive(rows: LocalRows) -> dict[str, Any]:
    """Compute the index of the profile of each row, and create fields for the pieces in contact with the circle."""
    return {"curve": find_curves(rows)[0], "pieces": np.zeros((len(rows.rows), 2, PIECE))}


def bind_touching(rows: LocalRows) -> tuple[Call, Call]:
    """Return two updates, both of which call `bring_pieces`: one before the forces and one before the tangent."""
    (pair, own), curves = rows.columns, find_curves(rows)[1]
    bring = call(bring_pieces, lambda s: (own, pair, curves.pieces, curves.first, s.data))
    return bring, bring


def add_parts(rows: LocalRows, system: System) -> None:
    """Add the update of the history values after Newton's method, and the `Gaps` for solvers, to the system. Impacts of
    circles are detected from the speed relative to the body of the curve.
    """
    (pair, own), curves = rows.columns, find_curves(rows)[1]
    numbers, name, count = create_numbers(3 * len(own)), rows.table.kind, len(own)
    system.post_newton = call(update_history, lambda s: (own, curves, pair, s.markers[FAMILY], s.data, s.outcome))
    measure = call(fill_gaps, lambda s: (own, curves, pair, s.markers[FAMILY], numbers))
    system.gaps = Gaps(
        bind_touching(rows)[0] + measure, numbers, lambda k: f"{name} row {rows.rows[k % count]}", weighed=True
    )


def eval_numbers(rows: LocalRows, s: Fields) -> FloatArray:
    """Evaluate the array of `fill_numbers`, shape (rows, 6, 2)."""
    (pair, own), curves = rows.columns, find_curves(rows)[1]
    bind_touching(rows)[0](evaluate(s))
    out = np.zeros((len(own), 6, 2))
    fill_numbers(own, curves, pair, s.markers[FAMILY], out)
    return out


def output(unit: str, doc: str, which: int) -> Output:
    """Create an output variable from one quantity of `fill_numbers`, with the values of both contacts."""
    return Output(unit, f"{doc}, (2,)", lambda rows, s, **where: eval_numbers(rows, s)[:, which])


def draw(rows: LocalRows, s: Fields, subdivisions: int) -> Drawing:
    """Draw each circle, and draw each curve once per body. The colour of a circle shows the normal force on it."""
    (pair, own), (curve, curves) = rows.columns, find_curves(rows)
    m, n = s.markers[FAMILY], len(rows.rows)
    angle = np.linspace(0.0, 2.0 * np.pi, 2 * max(subdivisions, 6) + 1)
    circle = np.stack((np.cos(angle), np.sin(angle), 0.0 * angle), axis=1)
    places = list(
        m.position[pair.m1][:, None] + own["radius"][:, None, None] * (circle @ m.rotation[pair.m0].transpose(0, 2, 1))
    )
    _, firsts = np.unique(np.stack((pair.m0, curve)), axis=1, return_index=True)
    for i in firsts:
        pieces = curves.pieces[curves.first[curve[i]] : curves.first[curve[i] + 1]]
        # Corners are drawn as points. The end of a piece is omitted, because it is the start of the next piece.
        traces = [trace_piece(piece, 2 if piece[0] == 0.0 else 7) for piece in pieces if piece[5] > 0.0]
        points = np.concatenate([trace[:-1] for trace in traces] + [traces[-1][-1:]])
        places.append(m.position[pair.m0[i]] + np.pad(points, ((0, 0), (0, 1))) @ m.rotation[pair.m0[i]].T)
    row = np.array([*range(n), *firsts], np.int64)
    force = eval_numbers(rows, s)[:, 3].sum(axis=1)[row]
    force[n:] = 0.0
    return draw_traces(places, rows.table.ids_of(rows.rows)[row], {"normal_force": force}, {"normal_force": "N"})


register_rigid_pair(
    ContactCurveCircle,
    force,
    derive=derive,
    before=bind_touching,
    stored=("contact_spring", energy),
    lost=("friction", power),
    passed="lever",
    point=True,
    start=START,
    finish=add_parts,
    draw=draw,
    outputs={
        "gap": output(
            "m",
            "gap g of both contacts, < 0; without contact the gap to the nearest piece, or inf if no piece has a foot",
            0,
        ),
        "rate": output("m/s", "rate ġ of the gap of both contacts", 1),
        "slip": output("m/s", "slip velocity v_t of both contacts", 2),
        "normal_force": output("N", "normal force f_n of both contacts, > 0 presses", 3),
        "friction_force": output("N", "friction f_t of both contacts, with the sign of the left-hand side", 4),
        "piece": output(
            "1", "index of the piece of the profile at both contacts, counted from 1; 0 without contact", 5
        ),
    },
    source="[@exudyn], ObjectContactCurveCircles",
)
