"""Sliding joint: a point of a body that moves along a track, a chain of 2D or 3D cables.

    axis: r(ξ) of the cable on which the point is, with ξ = σ - S, where S is the position of the start of the cable
    position along the track: σ = s + a
    equation: C = r(ξ) - p_m,    Ċ = r_t + r' σ_t - v_m
    forces: C_qᵀ λ on the left-hand side: S_i λ on the nodes, -J_mᵀ λ on the marker, r'·λ on s
    friction: F = |r'| T on s,    T = d w + μ N w/√(w² + v0²),    w = |r'| s_t,    N = |λ - t (t·λ)|,    t = r'/|r'|
    off: for a joint that is switched off or has left its track, the only equation is that s is constant

p_m, v_m and J_m are the position, velocity and Jacobian of the marker, S_i are the shape functions of the cable, and d,
μ and v0 are the friction parameters. The coordinate s has no mass (`SlidingNode`). The equation of s is r'·λ + F = 0.
Therefore only friction and other forces on s (springs, stops, drives, supports) cause a component of λ along the cable.
For cables with moving material (`ALECable2D`), a is the axial displacement from the reference. For other cables a is 0.
On moving cables s is a material coordinate. Therefore a constraint on s clamps the point to the rope.

On winch ropes, a = l - l_0, where l is the length of the rope outside the winch, and l_0 its reference. Therefore σ is
the distance from the outlet, and s is a material coordinate. With r' = ∂r/∂s and w = ∂r/∂l at constant material (see
elements/cable/winch_points.py), Ċ = r_t + r' s_t + w l_t - v_m, and the multipliers exert the force w·λ on l. Therefore
the power of the friction is the friction force times the speed relative to the material.

During Newton's iterations a joint uses the cubic of one cable, even if its point moves slightly beyond the ends of this
cable. The update after Newton's method finds the cable on which the point is. If the cable has changed, the step is
solved again. Near a node between two cables both cubics give nearly the same result, because only r'' is discontinuous
at the node.

History values per row: index of the cable (counted from 0, or -1 if unknown), number of completed turns of a closed
    track, 1 if the point has left the track (otherwise 0), and displacement of s while the row is switched off or has
    left the track [m].

Source: J. Gerstmayr and others, documentation of Exudyn, items ObjectJointSliding2D and ObjectJointALEMoving2D;
smoothed Coulomb friction.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.connectors.constraints.joints import find_spatial
from windlass.connectors.markers.cable_shape import column_of
from windlass.connectors.markers.position_kernels import FAMILY
from windlass.connectors.markers.position_markers import POSITION
from windlass.connectors.sliding.cable_track import WIDEST, Tracks, read_tracks, track_cables
from windlass.connectors.sliding.kernels import (
    END,
    FORCE,
    FRICTION,
    GAP,
    GAP_RATE,
    NORMAL,
    NUMBERS,
    ON_CABLE,
    PLACE,
    SPEED,
    TRACK_SPEED,
    add_accelerations,
    add_equation_tangent,
    add_equations,
    add_friction,
    add_friction_tangent,
    fill_outputs,
)
from windlass.connectors.sliding.places import (
    UNKNOWN,
    SlidingRows,
    assign_cables,
    is_lost,
    note_cables,
    place_of,
    scale_of,
    update_cables,
)
from windlass.framework.accounts import Account
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.errors import ModelError
from windlass.framework.kernels.call import call
from windlass.framework.model.drawing import Drawing
from windlass.framework.model.history import check_history, create_history
from windlass.framework.model.law import LocalRows, Output, Tables, register
from windlass.framework.model.rows import create_records
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.system import ConstraintSystem, Evaluation, Fields, NeighbourPattern, System
from windlass.framework.model.table import EntityTable

START = (UNKNOWN, 0.0, 0.0, 0.0)
OFF = 0.01
"""Largest allowed distance of a joint from its cable at the start of a solve, divided by the length of the cable [1].
"""


class SlidingJoint(Component):
    """Constrains a point to slide along a track. The function `sliding_joint` creates the joint with its node and
    constraints.

    Four history values per row: the index of the cable, the number of turns, whether the point has left the track, and
    the displacement of s [m]. The docstring of `sliding_joint.py` describes these values.
    """

    follows = ("winch cable",)
    track = ref("CableTrack", "the chain of cables")
    node = ref("SlidingNode", "node of the position s along the track")
    marker = ref(POSITION, "the point that slides")
    data = ref("GenericData", "4 history values; created if left out", optional=True)
    damping = column("N s/m", "damping d of the motion along the cable", default=0.0, minimum=0.0, switchable=True)
    friction_coefficient = column(
        "1", "friction coefficient μ of the motion along the cable", default=0.0, minimum=0.0, switchable=True
    )
    friction_speed = column("m/s", "speed v0 at which friction is 71 % of μ N", default=0.01, above=0.0)
    leaves = column(
        "1", "true: the point leaves the track at its ends; false: it must not pass the ends", dtype=bool, default=False
    )
    active = column(
        "1", "the joint acts only if true; if false, s is constant", dtype=bool, default=True, switchable=True
    )


def find_first_cables(world: Tables, tracks: Tracks, track: IntArray, nodes: IntArray) -> IntArray:
    """Return the index of the initial cable of each row, shape (rows,), or -1 for a track without cables.

    Args:
        world, tracks: the world and its tracks.
        track, nodes: entity indices of the track and of the sliding node of each row, shape (rows,).
    """
    place = column_of(world, nodes, "reference")
    for table, positions, rows in world.split_by_table(nodes):
        place[positions] += table.local("displacement", rows)[:, 0]
    cables = np.full(len(track), -1)
    for i, k in enumerate(tracks.number_of(track)):
        first, end = tracks.first[k], tracks.first[k + 1]
        if end > first:
            near = first + np.searchsorted(tracks.start[first:end], place[i], side="right") - 1
            cables[i] = min(max(near, first), end - 1)
    return cables


def dofs(world: Tables, table: EntityTable) -> IntArray:
    """Return, for each row, the global indices of the coordinate s along the track and of the coordinates of the
    marker, of the axial motion and of the nodes of the initial cable, shape (rows, n). The index of a missing
    coordinate is -1.
    """
    tracks, nodes = read_tracks(world), table.local("node")
    cables = find_first_cables(world, tracks, table.local("track"), nodes)
    numbers = np.full((len(cables), 1 + WIDEST), -1)
    numbers[cables >= 0] = tracks.dofs[cables[cables >= 0]]
    return np.concatenate((world.dofs_of(nodes), world.dofs_of(table.local("marker")), numbers), axis=1)


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for invalid history values, 3D markers on 2D cables, nodes that several joints share, and
    reference positions off the track.
    """
    check_history(world, table, len(START))
    tracks = read_tracks(world)
    number = tracks.number_of(table.local("track"))
    begin, end = tracks.first[number], tracks.first[number + 1]
    spatial = find_spatial(world, table.local("marker")) & (tracks.dims[begin] == 2)
    for row in table.resident[spatial][:1]:
        raise ModelError(
            f"marker of {table.kind} row {row} can leave the plane of its cables: must be a 2D marker, or the cables "
            "must be Cable3D"
        )
    if len(np.unique(table.local("node"))) < table.resident_count:
        raise ModelError(f"node of {table.kind}: two rows have the same node; each row needs a separate node")
    place = column_of(world, table.local("node"), "reference")
    total = tracks.start[end - 1] + tracks.length[end - 1]
    rounding = 1e-9 * total
    off = ~tracks.closed[number] & ((place < -rounding) | (place > total + rounding))
    for k in np.flatnonzero(off)[:1]:
        raise ModelError(
            f"{table.kind} row {table.resident[k]} starts at s = {place[k]:.6g} m, off its track: must be from 0 to "
            f"{total[k]:.6g} m, the length of its cables"
        )


def bind(rows: LocalRows) -> SlidingRows:
    """Create the data that the kernels read, with the initial cable of each row."""
    world, layout, count = rows.world, rows.layout, len(rows.rows)
    t = read_tracks(world)
    cable = find_first_cables(world, t, rows.local("track"), rows.local("node"))
    number = t.number_of(rows.local("track"))
    first, last = t.first[number], t.first[number + 1] - 1
    nodes = layout.local_dofs(t.dofs)
    axial, scale = nodes[first, 0], np.where(t.rope > 0.0, t.rope, 1.0)
    joints = create_records(
        marker=rows.markers("marker"),
        lam=layout.multipliers(rows.table, rows.rows),
        on=rows.local("active"),
        leaves=rows.local("leaves"),
        dims=t.dims[first],
        reference=np.stack((layout.reference[rows.dofs[:, 0]], layout.reference[axial]), axis=1),
        d=rows.local("damping"),
        mu=rows.local("friction_coefficient"),
        v0=rows.local("friction_speed"),
        data=rows.data_start("data"),
        first=first,
        last=last,
        closed=t.closed[number],
        total=(t.start[last] + t.length[last]) / scale[last],
        winch=t.rope[last] > 0.0,
        cable=cable,
        offset=np.zeros(count),
        left=np.zeros(count, bool),
        held=np.zeros(count),
    )
    cables = create_records(start=t.start / scale, length=t.length / scale, nodes=nodes)
    # after cables of a winch rope were split or merged, the cable at the initial position of the joint is no longer the
    # cable in ``rows.dofs``
    width, dofs = world.ref_width(rows.table, "marker"), rows.dofs.copy()
    dofs[cable >= 0, 1 + width :] = nodes[cable[cable >= 0]]
    return SlidingRows(joints, cables, dofs, width)


def build(rows: LocalRows) -> System:
    """Create the system of `SlidingJoint`."""
    c: SlidingRows = bind(rows)
    assign, note, processes = call(assign_cables), call(note_cables), rows.layout.processes
    update = call(update_cables, lambda s: (c, s.x, s.lam, s.data, s.outcome))
    system = System("SlidingJoint", c.dofs)
    system.neighbours = pattern = NeighbourPattern()

    def follow(s: Fields) -> None:
        pattern.version += processes.any(bool(assign(c, s.x, s.data)))

    def post_newton(s: Evaluation) -> None:
        update(s)
        follow(s)

    def decide(s: Fields) -> None:
        note(c, s.x, s.data)
        s.start_data[:] = s.data
        follow(s)
        check_distances(rows, c, s)

    system.update, system.post_newton, system.decide = follow, post_newton, decide
    system.residual = call(add_friction, lambda s: (c, s.x, s.v, s.lam, s.f))
    system.tangent = call(add_friction_tangent, lambda s: (c, s.x, s.v, s.lam, s.dq, s.dv, s.slots, s.values))
    system.constraint = ConstraintSystem(
        c.rows["lam"].copy(),
        call(add_equations, lambda s: (c, s.markers[FAMILY], s.x, s.v, s.lam, s.rate_level, s.C, s.f)),
        call(
            add_equation_tangent,
            lambda s: (c, s.markers[FAMILY], s.x, s.v, s.lam, s.rate_level, s.dq, s.dv, s.coupling, s.values),
        ),
        call(add_accelerations, lambda s: (c, s.markers[FAMILY], s.x, s.v, s.C)),
        rubs=bool((c.rows["mu"] != 0.0).any()),
    )
    rubs = bool((c.rows["d"] != 0.0).any() or (c.rows["mu"] != 0.0).any())
    system.account = Account.of(lost={"friction": lambda s: evaluate_rows(rows, s)[:, 4]}, conserves=not rubs)
    system.checks.diagnose = lambda s: find_lost(rows, c, s)
    return system


def check_distances(rows: LocalRows, c: SlidingRows, s: Fields) -> None:
    """Raise ModelError for a point that is not on its cable at the start of a solve."""
    out = evaluate_rows(rows, s)
    length = c.cables["length"][c.rows["cable"]] * np.array([scale_of(c, k, s.x) for k in range(len(out))])
    distance = np.linalg.norm(out[:, GAP : GAP + 3], axis=1)
    # the comparison is negated, because the distance is NaN if the position is too large
    for i in np.flatnonzero(~(distance <= OFF * length))[:1]:
        p = s.markers[FAMILY].position[c.rows["marker"][i]]
        raise ModelError(
            f"{rows.table.describe(int(rows.rows[i]))}: the marker of the joint at ({p[0]:.6g}, {p[1]:.6g}, "
            f"{p[2]:.6g}) m is {distance[i]:.6g} m away from the rope at s = {out[i, PLACE]:.6g} m: must be on the "
            f"rope at the start, within {OFF * length[i]:.3g} m"
        )


def find_lost(rows: LocalRows, c: SlidingRows, s: Fields) -> list[str]:
    """Return messages about joints that are far beyond an end of their track, see `is_lost`, although they must not
    leave the track.
    """
    found = []
    for i in np.flatnonzero(c.rows["on"] & ~c.rows["left"]):
        place, scale = place_of(c, int(i), s.x), scale_of(c, int(i), s.x)
        if is_lost(c, int(i), s.x):
            found.append(
                f"{rows.table.describe(int(rows.rows[i]))} has run off the end of its rope: s = {place:.6g} m, the "
                f"rope is from 0 to {c.rows['total'][i] * scale:.6g} m; give stops (`end_stops`), or leaves=True"
            )
    return found


def evaluate_rows(rows: LocalRows, s: Fields) -> FloatArray:
    """Return the outputs of all rows, shape (rows, NUMBERS), see `fill_outputs`."""
    c: SlidingRows = rows.columns
    assign_cables(c, s.x, s.data)
    out = np.zeros((len(rows.rows), NUMBERS))
    fill_outputs(c, s.markers[FAMILY], s.x, s.v, s.lam, out)
    return out


def output(unit: str, doc: str, which: int | slice) -> Output:
    """Create an output variable from one or several components of the results of `fill_outputs`."""
    return Output(unit, doc, lambda rows, s, **where: evaluate_rows(rows, s)[:, which])


def draw(rows: LocalRows, s: Fields, subdivisions: int) -> Drawing:
    """Draw each joint as a line from its position on the cable to its point. The length of the line is |C|, which is
    nearly 0. For a joint that has left the track, the length is 0.
    """
    c, out, n = rows.columns, evaluate_rows(rows, s), len(rows.rows)
    p = s.markers[FAMILY].position[c.rows["marker"]]
    shown = {"friction_force": (FRICTION, "N"), "normal_force": (NORMAL, "N"), "slide_speed": (SPEED, "m/s")}
    return Drawing(
        points=np.stack((p + out[:, GAP : GAP + 3], p), axis=1).reshape(-1, 3),
        lines=np.arange(2 * n).reshape(n, 2),
        part=np.arange(n),
        entity=rows.table.ids_of(rows.rows),
        start=np.zeros(n),
        end=np.ones(n),
        cell_data={name: out[:, which] for name, (which, _) in shown.items()},
        units={name: unit for name, (_, unit) in shown.items()},
    )


def find_left(rows: LocalRows, s: Fields, **where: Any) -> FloatArray:
    """Return 1 for each joint that has left its track, otherwise 0, shape (rows,)."""
    evaluate_rows(rows, s)
    left: FloatArray = rows.columns.rows["left"].astype(float)
    return left


register(
    SlidingJoint,
    "constraint",
    multipliers=3,
    dofs=dofs,
    bind=bind,
    build=build,
    reads=track_cables,
    fill_defaults=lambda world, values: create_history(world, SlidingJoint, values, START),
    check=check,
    outputs={
        "arc_length": output("m", "position σ along the track, measured in undeformed length, ()", PLACE),
        "cable": output("1", "index of the cable on which the point is, counted from 0 along the track, ()", ON_CABLE),
        "speed": output("m/s", "speed along the cable relative to its material, ()", SPEED),
        "track_speed": output("m/s", "speed along the axis, including the motion of the material, ()", TRACK_SPEED),
        "force": output("N", "force on the point, global, (3,)", slice(FORCE, FORCE + 3)),
        "normal_force": output("N", "component N of the force across the cable, ()", NORMAL),
        "friction_force": output("N", "friction T along the cable, > 0 against a speed > 0, ()", FRICTION),
        "gap": output("m", "vector C from the point of the marker to the cable, global, (3,)", slice(GAP, GAP + 3)),
        "gap_rate": output("m/s", "rate Ċ of the vector C, global, (3,)", slice(GAP_RATE, GAP_RATE + 3)),
        "end": output("1", "-1 at or before the start of an open track, 1 at or beyond its end, otherwise 0, ()", END),
        "left": Output("1", "1 if the joint has left its track, otherwise 0, ()", find_left),
    },
    draw=draw,
    source="[@exudyn], ObjectJointSliding2D and ObjectJointALEMoving2D",
)
