"""Evaluation of the quantities of a drive in compiled code: quantities of pulleys and spans at a state, and derived
quantities.

A record of a drive is an array. It contains the quantities of all pulleys, then of all spans, and then of the whole
drive. The quantities have the order of `PulleyDuty`, `SpanDuty` and `WHOLE`. These names are defined in
`drive_report.py`, which also contains the formulas. Compiled code evaluates the records, because calls of Python would
take more time than a step. See `DriveMotion`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from windlass.connectors.circle_contact.free_belt import eval_sinking_bend
from windlass.connectors.circle_points.kernels import (
    PRESSED,
    PointRows,
    combine,
    eval_bristles,
    eval_contact,
    eval_point,
    gather,
    read_parameters,
)
from windlass.connectors.contact.circles import create_pose
from windlass.connectors.markers.position_kernels import PositionMarkers
from windlass.connectors.reports.pulley_sums import find_stretch
from windlass.elements.cable.points import shape, shape_slope
from windlass.framework.arrays import BoolArray, FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel

SPEED, BELT_SPEED, WRAP, SLIP_ARC, SLIDING, BEFORE, AFTER, HUB = range(8)
"""Indices of the quantities of a pulley before its hub load. The components of the hub load begin at `HUB`."""
HUB_FORCE, HUB_ANGLE, TORQUE, POWER, CREEP, RIGID_CREEP, LOG_RATIO, LIMIT, RESERVE, MESH, SINKING = range(11)
"""Indices of the quantities of a pulley after its hub load, relative to the first index after the components of the hub
load.
"""
LENGTH, TENSION, DEFLECTION, FREQUENCY = range(4)
"""Indices of the quantities of a span."""
MEAN_SPEED, GIVEN, TAKEN, EFFICIENCY, STORED = range(5)
"""Indices of the quantities of the whole drive."""


class RecordSize(NamedTuple):
    """Dimensions of a record: number of ``pulleys``, number of components of a hub load (``width``), and number of
    ``spans``.
    """

    pulleys: int
    width: int
    spans: int


class Derived(NamedTuple):
    """Constants for the derived quantities.

    Attributes:
        radii: radii of the cord [m], shape (pulleys,).
        mass_per_length: mass per length of the belt [kg/m].
        axial_stiffness: axial stiffness EA of a belt whose creep is computed from its tensions [N], otherwise NaN.
        bending_stiffness: bending stiffness EI of such a belt [N m²].
    """

    radii: FloatArray
    mass_per_length: float
    axial_stiffness: float
    bending_stiffness: float


class ArcEnds(NamedTuple):
    """Constants for the tractions at the ends of arcs. All arrays have the shape (pulleys,).

    Attributes:
        radii: radii of the cord [m].
        friction, face: friction coefficients at the cord and at the face [1]. The values are NaN for a pulley with
            teeth.
        mesh: traction due to the mesh [N/m], see `MeshTraction`.
        bristles, stiffness: stiffness of bristles and of contact, per metre of belt [N/m²].
        mass_per_length: mass per length of the belt [kg/m].
        axial_stiffness: axial stiffness EA [N].
    """

    radii: FloatArray
    friction: FloatArray
    face: FloatArray
    mesh: FloatArray
    bristles: FloatArray
    stiffness: FloatArray
    mass_per_length: float
    axial_stiffness: float


class DriveCables(NamedTuple):
    """The cables of a 2D belt, for `fill_cables`. Arrays have the shape (cables,) unless noted otherwise.

    Attributes:
        dofs: process-local indices of the coordinates of the cables, shape (cables, 8).
        length: lengths [m].
        stiffness, damping: axial stiffness EA [N] and axial damping [N s].
        free: stress-free strains at both ends and in the middle [1], shape (cables, 3).
    """

    dofs: IntArray
    length: FloatArray
    stiffness: FloatArray
    damping: FloatArray
    free: FloatArray


class DriveRoom(NamedTuple):
    """Memory for the quantities of cables.

    Attributes:
        touches: whether a cable touches a pulley, shape (pulleys, cables).
        force: axial forces at both ends and in the middle of each cable [N], shape (cables, 3).
        place: position vectors of the start, the middle and the end of each cable [m], shape (cables, 3, 3).
        square: squares of the velocities at both ends and in the middle of each cable [m²/s²], shape (cables, 3).
        owner: index of the pulley in contact with each cable, or -1, shape (cables,).
        center: global x and y of the centre of each pulley of a 2D belt [m], shape (pulleys, 2).
        spans: for each span the sum of axial force times length over its cables [N m], the sum of the lengths of its
            cables [m], and the length of its longest part without contact [m], shape (3, spans).
    """

    touches: BoolArray
    force: FloatArray
    place: FloatArray
    square: FloatArray
    owner: IntArray
    center: FloatArray
    spans: FloatArray


@kernel(inline=True)
def count_numbers(width: int) -> int:
    """Return the number of quantities of a pulley."""
    return HUB + width + SINKING + 1


@kernel(fast=False)
def follow_pulley(
    due: IntArray, c: PointRows, circle: PositionMarkers, data: FloatArray, x: FloatArray, v: FloatArray,
    order: IntArray, closed: bool, i: int, m: DriveRoom, angle: FloatArray, touching: BoolArray, row: FloatArray,
) -> None:  # fmt: skip
    """Write the quantities of pulley i, and mark the cables in contact with the pulley. The quantities are computed
    from the contact points of the pulley, see `eval_report` (`connectors/reports/pulley_report.py`).

    Args:
        due: the quantities are written only if due[0] > 0, shape (1,).
        c: contact rows of the pulley, in the order of the cables along the belt.
        order: index of the cable of each row, shape (rows,).
        closed: whether these cables form a closed loop.
        i: index of the pulley.
        m: memory in which ``m.touches`` marks the cables in contact.
        angle, touching: memory for the segments of all rows, shape (segments,) each.
        row: the record with all quantities of the drive.
    """
    if due[0] == 0:
        return
    count, first = 0, i * count_numbers(2)
    hub_x, hub_y, torque, sliding, speed, rows = 0.0, 0.0, 0.0, 0.0, 0.0, 0
    for k in range(len(c.rows)):
        z = c.rows[k]
        n, d, par, y = z.segments, z.data, read_parameters(z, data, PRESSED), z.vertical_offset
        L = z.length * n
        o = create_pose(circle.position, circle.velocity, circle.angular_velocity, circle.rotation, z.circle)
        m.center[i, 0], m.center[i, 1] = o.cx, o.cy
        q, w = gather(x, c.dofs, k), gather(v, c.dofs, k)
        bend, _ = eval_bristles(par, o, y, q, w, data, d, n, L)
        presses, near, slips, ax, ay = False, False, False, 0.0, 0.0
        # ends (even j) and midpoints (odd j) of all segments
        for j in range(2 * n + 1):
            s, place = 0.5 * j / n, d + j // 2
            h = eval_point(shape(s, L), shape_slope(s, L), y, q, w)
            # forces at the midpoint of a segment that is in contact
            if j % 2 == 1:
                slips, state = False, data[place + n]
                touching[count] = z.active and data[place] <= 0.0
                if touching[count]:
                    f = eval_contact(par, o, h, state, bend)
                    near, slips, presses = True, abs(state) == 1.0, presses or f.fn != 0.0
                    hub_x += f.fn * f.nx - f.ft * f.ny
                    hub_y += f.fn * f.ny + f.ft * f.nx
                    torque += f.D * f.ft
                continue
            # at the end of a segment, compute the polar angle that the segment covers
            bx, by = h.px - o.cx, h.py - o.cy
            if j > 0:
                angle[count] = np.arctan2(ax * by - ay * bx, ax * bx + ay * by)
                sliding += abs(angle[count]) if slips else 0.0
                count += 1
            ax, ay = bx, by
        # speed of the axis at the midpoint of the cable
        m.touches[i, order[k]] = presses
        if near:
            tx, ty = combine(shape_slope(0.5, L), q)
            vx, vy = combine(shape(0.5, L), w)
            speed += ((vx - o.vx) * tx + (vy - o.vy) * ty) / np.sqrt(tx * tx + ty * ty)
            rows += 1
    # angle from the first to the last segment in contact
    begins, length = find_stretch(touching, closed)
    wrap = 0.0
    for k in range(length):
        wrap += angle[(begins + k) % count]
    row[first + BELT_SPEED] = speed / rows if rows > 0 else 0.0
    row[first + WRAP], row[first + SLIDING], row[first + SLIP_ARC] = abs(wrap), sliding, np.nan
    row[first + HUB], row[first + HUB + 1] = hub_x, hub_y
    row[first + HUB + 2 + TORQUE] = torque


@kernel(fast=False)
def fill_cables(due: IntArray, c: DriveCables, x: FloatArray, v: FloatArray, m: DriveRoom) -> None:
    """Write axial forces, positions and squares of velocities of all cables into the memory ``m``."""
    if due[0] == 0:
        return
    for i in range(len(c.length)):
        L, q, w = c.length[i], gather(x, c.dofs, i), gather(v, c.dofs, i)
        for k in range(3):
            s = 0.5 * k
            m.place[i, k, 0], m.place[i, k, 1] = combine(shape(s, L), q)
            vx, vy = combine(shape(s, L), w)
            m.square[i, k] = vx * vx + vy * vy
            px, py = combine(shape_slope(s, L), q)
            rx, ry = combine(shape_slope(s, L), w)
            length = np.sqrt(px * px + py * py)
            rate = (px * rx + py * ry) / length
            m.force[i, k] = c.stiffness[i] * (length - 1.0 - c.free[i, k]) + c.damping[i] * rate


@kernel(inline=True, fast=False)
def eval_deflection(place: FloatArray, lengths: FloatArray, a: int, count: int, shift: int, flat: bool) -> float:
    """Return the distance [m] of the middle of a span from the straight line between its ends.

    Args:
        place: position vectors of the start, the middle and the end of each cable [m], shape (cables, 3, 3).
        lengths: lengths of the cables [m], shape (cables,).
        a, count: index of the first cable of the span, counted from the cable with the index ``shift``, and number of
            cables in the span.
        flat: whether the belt is 2D. In 2D the distance is positive to the left of the direction of the belt.
    """
    cables, total, end, here = len(lengths), 0.0, 0.0, 0
    for k in range(count):
        total += lengths[(shift + a + k) % cables]
    for k in range(count):
        here = (shift + a + k) % cables
        end += lengths[here]
        if end >= 0.5 * total:
            break
    s = 1.0 - (end - 0.5 * total) / lengths[here]
    # quadratic interpolation between start, middle and end of the cable
    n0, n1, n2 = (1.0 - s) * (1.0 - 2.0 * s), 4.0 * s * (1.0 - s), s * (2.0 * s - 1.0)
    first, last = (shift + a) % cables, (shift + a + count - 1) % cables
    cx, cy, cz = place[last, 2, 0], place[last, 2, 1], place[last, 2, 2]
    cx, cy, cz = cx - place[first, 0, 0], cy - place[first, 0, 1], cz - place[first, 0, 2]
    length = np.sqrt(cx * cx + cy * cy + cz * cz)
    cx, cy, cz = cx / length, cy / length, cz / length
    dx = n0 * place[here, 0, 0] + n1 * place[here, 1, 0] + n2 * place[here, 2, 0] - place[first, 0, 0]
    dy = n0 * place[here, 0, 1] + n1 * place[here, 1, 1] + n2 * place[here, 2, 1] - place[first, 0, 1]
    dz = n0 * place[here, 0, 2] + n1 * place[here, 1, 2] + n2 * place[here, 2, 2] - place[first, 0, 2]
    ax, ay, az = cy * dz - cz * dy, cz * dx - cx * dz, cx * dy - cy * dx
    return float(az if flat else np.sqrt(ax * ax + ay * ay + az * az))


@kernel(inline=True, fast=False)
def eval_tangent(m: DriveRoom, turns: FloatArray, before: int, after: int) -> float:
    """Return the length [m] of the common tangent of two pulleys of a 2D belt.

    Args:
        turns: radii of the cord [m], negative on pulleys to the right of the belt, shape (pulleys,).
        before, after: indices of the pulleys. The index -1 stands for the start of a rope, and the number of pulleys
            for its end.
    """
    count = len(turns)
    ax, ay, bx, by = m.place[0, 0, 0], m.place[0, 0, 1], m.place[-1, 2, 0], m.place[-1, 2, 1]
    off = 0.0
    if before >= 0:
        ax, ay, off = m.center[before, 0], m.center[before, 1], turns[before]
    if after < count:
        bx, by, off = m.center[after, 0], m.center[after, 1], off - turns[after]
    square = (bx - ax) ** 2 + (by - ay) ** 2 - off**2
    return float(np.sqrt(square)) if square > 0.0 else 0.0


@kernel(fast=False)
def follow_spans(
    due: IntArray, m: DriveRoom, lengths: FloatArray, masses: FloatArray, axial_stiffness: float, closed: bool,
    flat: bool, turns: FloatArray, size: RecordSize, row: FloatArray,
) -> None:  # fmt: skip
    """Write the mean axial forces [N] and deflections [m] of the free spans, the tensions before and after the pulleys,
    and the stored energy of the belt. For 2D belts, also write the lengths of the spans [m].

    After each pulley there is a span. A rope also has a span before the first pulley. Cables without contact that lie
    within the arc of one pulley do not count as a span.

    Args:
        lengths, masses: lengths [m] and masses [kg] of the cables, shape (cables,).
        axial_stiffness: mean EA [N].
        flat: whether the belt is 2D.
        turns: radii of the cord [m], negative on pulleys to the right of the belt, shape (pulleys,).
    """
    if due[0] == 0:
        return
    # find the pulley in contact with each cable, and sum the energies of the cables
    pulleys, cables = m.touches.shape
    shift, found, energy = 0, False, 0.0
    for c in range(cables):
        m.owner[c] = -1
        for i in range(pulleys):
            if m.touches[i, c]:
                m.owner[c] = i
                break
        # in a closed belt, the loop starts at a cable in contact, because no free span may be divided between the start
        # and the end of the loop
        if closed and not found and m.owner[c] >= 0:
            shift, found = c, True
        for k in range(3):
            weight = 4.0 / 6.0 if k == 1 else 1.0 / 6.0
            energy += 0.5 * weight * (masses[c] * m.square[c, k] + lengths[c] * m.force[c, k] ** 2 / axial_stiffness)
    # free spans
    own = count_numbers(size.width)
    spans, whole = pulleys * own, pulleys * own + size.spans * (FREQUENCY + 1)
    for k in range(size.spans):
        m.spans[0, k] = m.spans[1, k] = m.spans[2, k] = 0.0
        row[spans + k * (FREQUENCY + 1) + DEFLECTION] = np.nan
        if flat:
            ahead = k if closed else k - 1
            behind = (k + 1) % pulleys if closed else k
            row[spans + k * (FREQUENCY + 1) + LENGTH] = eval_tangent(m, turns, ahead, behind)
    # cables without contact
    a = 0
    while a < cables:
        if m.owner[(shift + a) % cables] != -1:
            a += 1
            continue
        count = 1
        while a + count < cables and m.owner[(shift + a + count) % cables] == -1:
            count += 1
        # cables without contact form a span if the pulley before these cables differs from the pulley after these
        # cables
        before = m.owner[(shift + a - 1) % cables] if a > 0 else -1
        after = m.owner[(shift + a + count) % cables] if a + count < cables or closed else pulleys
        if before != after:
            k, length = before if closed else before + 1, 0.0
            for j in range(count):
                c = (shift + a + j) % cables
                length += lengths[c]
                m.spans[0, k] += (m.force[c, 0] + 4.0 * m.force[c, 1] + m.force[c, 2]) / 6.0 * lengths[c]
            m.spans[1, k] += length
            if length > m.spans[2, k]:
                m.spans[2, k] = length
                row[spans + k * (FREQUENCY + 1) + DEFLECTION] = eval_deflection(m.place, lengths, a, count, shift, flat)
        a += count
    # mean tensions of the spans; these are also used as the tensions before and after the pulleys
    for k in range(size.spans):
        total = m.spans[1, k]
        row[spans + k * (FREQUENCY + 1) + TENSION] = m.spans[0, k] / total if total > 0.0 else np.nan
    for i in range(pulleys):
        ahead = (i - 1) % pulleys if closed else i
        behind = i if closed else i + 1
        row[i * own + BEFORE] = row[spans + ahead * (FREQUENCY + 1) + TENSION]
        row[i * own + AFTER] = row[spans + behind * (FREQUENCY + 1) + TENSION]
    row[whole + STORED] = energy


@kernel(fast=False)
def eval_press(before: float, after: float, mass_per_length: float, speed: float) -> float:
    """Return the smaller of the two forces F = T - rhoA v² [N] at the ends of an arc, where T is the tension ``before``
    or ``after`` the pulley, and v is ``speed``. A negative value is replaced by 0. If ``before`` is NaN, the result is
    NaN.
    """
    least = after if after < before else before
    press = least - mass_per_length * speed**2
    return 0.0 if press < 0.0 else press


@kernel(fast=False)
def eval_ends(due: IntArray, e: ArcEnds, size: RecordSize, row: FloatArray) -> None:
    """Write for each arc the limit of the logarithmic tension ratio, and the tractions at the ends of the arc due to
    the mesh and due to the contact depth. Each traction is divided by the traction at which the belt slips.
    """
    if due[0] == 0:
        return
    own = count_numbers(size.width)
    for i in range(size.pulleys):
        p, rest = i * own, i * own + HUB + size.width
        press = eval_press(row[p + BEFORE], row[p + AFTER], e.mass_per_length, row[p + BELT_SPEED])
        limit = e.face[i] * press / e.radii[i]
        if limit == 0.0:
            limit = np.nan
        bend = eval_sinking_bend(e.radii[i], e.axial_stiffness, press, e.bristles[i], e.stiffness[i])
        row[rest + LIMIT] = e.friction[i] * row[p + WRAP]
        row[rest + MESH], row[rest + SINKING] = e.mesh[i] / limit, e.bristles[i] * bend / limit


@kernel(fast=False)
def take_motion(due: IntArray, now: FloatArray, size: RecordSize, row: FloatArray) -> None:
    """Copy the speeds [rad/s] and torques [N m] of pulleys from the rows of ``now`` into the record, and evaluate the
    powers."""
    if due[0] == 0:
        return
    own = count_numbers(size.width)
    for i in range(size.pulleys):
        p, rest = i * own, i * own + HUB + size.width
        row[p + SPEED], row[rest + TORQUE], row[rest + POWER] = now[0, i], now[1, i], now[0, i] * now[1, i]


@kernel(inline=True, fast=False)
def eval_log_ratio(before: float, after: float, centrifugal: float) -> float:
    """Return |ln(F_1/F_2)|, where F_1 and F_2 are the tensions ``before`` and ``after`` a pulley minus ``centrifugal``
    [N]. The result is infinite if F_1 or F_2 is not positive, and NaN if one of the spans does not exist.
    """
    first, second = before - centrifugal, after - centrifugal
    if np.isnan(first) or np.isnan(second):
        return np.nan
    return float(abs(np.log(second / first))) if first > 0.0 and second > 0.0 else np.inf


@kernel(inline=True)
def eval_arc_stretch(c: Derived, pulley: int, tension: float) -> float:
    """Return EA [N] times the stretch of the belt where it enters a pulley at the given tension [N]. The bending of the
    belt to the curvature 1/R reduces the axial force by EI/(2R²).
    """
    stretch: float = c.axial_stiffness + tension - 0.5 * c.bending_stiffness / c.radii[pulley] ** 2
    return stretch


@kernel(fast=False)
def complete_numbers(due: IntArray, c: Derived, size: RecordSize, row: FloatArray) -> None:
    """Write all derived quantities: magnitudes and angles of hub loads, creep, slip arcs and slip reserves of pulleys,
    string frequencies of spans, and mean speed, powers and efficiency of the drive.
    """
    if due[0] == 0:
        return
    own, width, rho = count_numbers(size.width), size.width, c.mass_per_length
    spans = size.pulleys * own
    whole = spans + size.spans * (FREQUENCY + 1)
    # find the driver, the powers, and the mean speed
    given, taken, driver, speed = 0.0, 0.0, 0, 0.0
    for i in range(size.pulleys):
        power = row[i * own + HUB + width + POWER]
        if power < 0.0:
            given -= power
        elif power > 0.0:
            taken += power
        if power < row[driver * own + HUB + width + POWER]:
            driver = i
        speed += row[i * own + BELT_SPEED]
    # creep relative to the rim of the driver
    speed /= size.pulleys
    lead = driver * own
    rim = abs(row[lead + SPEED]) * c.radii[driver]
    drives = given > 0.0 and rim > 0.0
    # creep on a rigid layer, computed from the tensions at the entries of the pulleys
    enters = BEFORE if speed >= 0.0 else AFTER
    stretch = eval_arc_stretch(c, driver, row[lead + enters])
    for i in range(size.pulleys):
        p, rest = i * own, i * own + HUB + width
        ratio = eval_log_ratio(row[p + BEFORE], row[p + AFTER], rho * row[p + BELT_SPEED] ** 2)
        limit, square = row[rest + LIMIT], 0.0
        for k in range(width):
            square += row[p + HUB + k] ** 2
        # compute hub loads, losses of speed, and slip reserves
        row[rest + HUB_FORCE] = np.sqrt(square)
        row[rest + HUB_ANGLE] = np.arctan2(row[p + HUB + 1], row[p + HUB]) if width == 2 else np.nan
        row[rest + CREEP] = 1.0 - abs(row[p + SPEED]) * c.radii[i] / rim if drives else np.nan
        row[rest + RIGID_CREEP] = 1.0 - eval_arc_stretch(c, i, row[p + enters]) / stretch if drives else np.nan
        row[rest + LOG_RATIO] = ratio
        share = ratio / limit if limit > 0.0 else np.nan
        row[p + SLIP_ARC] = (1.0 if share > 1.0 else share) * row[p + WRAP]
        row[rest + RESERVE] = 1.0 - share
    # string frequencies of the spans
    for k in range(size.spans):
        s = spans + k * (FREQUENCY + 1)
        tension, length = row[s + TENSION], row[s + LENGTH]
        row[s + FREQUENCY] = np.nan
        if tension > 0.0 and rho > 0.0 and length > 0.0:
            moving = rho * speed**2 / tension
            row[s + FREQUENCY] = np.sqrt(tension / rho) / (2.0 * length) * (1.0 - moving)
    # the whole drive
    row[whole + MEAN_SPEED], row[whole + GIVEN], row[whole + TAKEN] = speed, given, taken
    row[whole + EFFICIENCY] = taken / given if drives else np.nan


class Records(NamedTuple):
    """Records that compiled code has made and that Python has not yet read.

    Attributes:
        row: quantities of the current state.
        due: whether the current state is recorded, shape (1,).
        counts: number of steps, number of steps per record, number of steps since the call of
            `DriveMotion.begin_records`, and number of records, shape (4,). If the number of steps per record is 0, no
            state is recorded.
        rows: quantities at each record, shape (MOST_RECORDS, quantities).
        times: times of the records [s], shape (MOST_RECORDS,).
        integrals: integrals of the powers of pulleys up to each record [J], shape (MOST_RECORDS, pulleys).
        steps: number of steps from the call of `DriveMotion.begin_records` to each record, shape (MOST_RECORDS,).
    """

    row: FloatArray
    due: IntArray
    counts: IntArray
    rows: FloatArray
    times: FloatArray
    integrals: FloatArray
    steps: IntArray


STEPS, EVERY, PASSED, COUNT = range(4)
"""Indices of `Records.counts`."""
MOST_RECORDS = 64
"""Largest number of records between two calls of Python. Compiled code makes at most this number of steps between two
calls.
"""


@kernel(fast=False)
def count_step(r: Records) -> None:
    """Count a step, and determine whether the state at the end of the step is recorded."""
    r.counts[STEPS] += 1
    r.counts[PASSED] += 1
    is_due = r.counts[EVERY] > 0 and r.counts[STEPS] % r.counts[EVERY] == 0
    r.due[0] = 1 if is_due and r.counts[COUNT] < len(r.rows) else 0


@kernel(fast=False)
def keep_record(r: Records, time: FloatArray, integral: FloatArray, recorded: FloatArray) -> None:
    """Store a record: the quantities of the current state, the time of this state [s], and the integrals of powers up
    to this time. Copy all integrals up to this time to ``recorded``.
    """
    if r.due[0] == 0:
        return
    k = r.counts[COUNT]
    for j in range(len(r.row)):
        r.rows[k, j] = r.row[j]
    r.times[k], r.steps[k] = time[0], r.counts[PASSED]
    for a in range(len(integral)):
        for i in range(integral.shape[1]):
            recorded[a, i] = integral[a, i]
    for i in range(integral.shape[1]):
        r.integrals[k, i] = integral[2, i]
    r.counts[COUNT] += 1
