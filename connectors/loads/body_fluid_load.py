"""Loads of a fluid on spheres, cylinders, boxes and meshes that are fixed to bodies. This file contains the common law
for pieces of these shapes.

    load: Jᵀ F + J_rᵀ M,    F = drag + buoyancy + pressure + added mass of the accelerated fluid
    inertia: forces of the added mass of the accelerated body

The docstring of body_pieces.py states the equations and defines the symbols. The docstring of immersion.py describes
the immersed volume. Load factors do not scale the forces of the added mass of the body, because these forces are forces
of inertia.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.fluids.flow import (
    Flow,
    create_flows,
    create_surfaces,
    fill_flow,
    fill_flow_gradients,
    fill_surface,
    fill_surface_shape,
)
from windlass.connectors.fluids.flows_at_points import create_flows_at
from windlass.connectors.fluids.fluid import PLACES, check_downwards, check_plane
from windlass.connectors.fluids.user_flows import UserFlow
from windlass.connectors.loads.body_pieces import (
    accelerate_pieces,
    add_forces,
    add_tangents,
    create_motion,
    fill_derivatives,
    fill_forces,
    fill_inertia,
    fill_inertia_derivatives,
    fill_powers,
    immerse_pieces,
    locate_pieces,
)
from windlass.connectors.loads.immersion import MESH, SPHERE
from windlass.connectors.markers.cable_shape import column_of
from windlass.connectors.markers.position_markers import (
    FAMILY,
    RIGID,
    NodePosition,
    PositionOnRigid2D,
    RigidNodePosition,
    replace_bodies,
)
from windlass.connectors.markers.position_markers3d import PositionOnRigid3D, RigidNodePosition3D
from windlass.framework.accounts import Account
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.errors import ModelError
from windlass.framework.kernels.call import Call, call
from windlass.framework.model.drawing import Drawing, Output
from windlass.framework.model.law import LocalRows, Tables, register
from windlass.framework.model.rows import create_records
from windlass.framework.model.schema import Component
from windlass.framework.model.system import Fields, System, Term, evaluate
from windlass.framework.model.table import EntityTable

TURNING = (RigidNodePosition, RigidNodePosition3D, PositionOnRigid2D, PositionOnRigid3D)
PLANE = (RigidNodePosition, PositionOnRigid2D)
NO_TRIANGLES: FloatArray = np.zeros((0, 3, 3))
NO_RANGES: IntArray = np.zeros((0, 2), np.int64)
SUNK = 0.01
"""Largest depth of a body below the bed at the start, divided by the depth of the water [1], that causes no warning."""


class Pieces(NamedTuple):
    """Pieces of one shape into which the bodies of rows are divided. Positions and axes are in the frames of the
    markers of the bodies.
    """

    row: IntArray  # process-local index of the row of each piece, in ascending order, shape (k,)
    kind: int  # SPHERE, CYLINDER, BOX or MESH
    size: FloatArray  # dimensions [m] for `immersion.immerse` or `immersion.immerse_mesh`, shape (k, 3)
    center: FloatArray  # centre [m] of each piece, shape (k, 3)
    axes: FloatArray  # axes of each piece as rows [1], shape (k, 3, 3)
    volume: FloatArray  # volume [m^3], shape (k,)
    drag_area: FloatArray  # ½ C A [m^2] for each axis, with drag coefficient C and area A, shape (k, 3)
    together: FloatArray  # matrix P, see the docstring of body_pieces.py, shape (3, 3)
    added: FloatArray  # reference volume [m^3] times coefficient of the added mass for each axis, shape (k, 3)
    triangles: FloatArray = NO_TRIANGLES  # corners [m] of triangles relative to the centres of pieces, shape (t, 3, 3)
    ranges: IntArray = NO_RANGES  # first triangle of each piece, and first triangle after the piece, shape (k, 2)


class BodyOutline(NamedTuple):
    """Lines and faces with which the bodies of rows are drawn. Rows can have different numbers of points, lines and
    faces, which are stored in the order of the rows."""

    points: FloatArray  # points [m] in the frames of the markers, shape (n, 3)
    lines: IntArray  # indices of the points at both ends of each line, shape (m, 2)
    faces: IntArray  # indices of the points at the corners of each face, shape (f, 4)
    counts: IntArray  # numbers of points, lines and faces of each row, shape (rows, 3)


class BodyGroup(NamedTuple):
    """Data of the rows of a component, of the pieces of the rows, and of the fluid at the centres of the pieces."""

    own: NDArray[Any]  # marker of each row, and range of the indices of its pieces
    c: NDArray[Any]  # constants of the pieces, see `create_group`
    m: NDArray[Any]  # motion of the pieces, see `create_motion`
    flow: NDArray[Any]  # motion of the fluid, see `create_flows`
    surface: NDArray[Any]  # surface of the fluid, see `create_surfaces`
    flows: list[Flow]  # all fluids
    users: list[UserFlow]  # fluids with a user function
    given: FloatArray  # results of the user functions; empty without user functions
    gradients: FloatArray  # gradients of these results; empty without user functions
    triangles: FloatArray  # triangles of the pieces, see `Pieces`


Divide = Callable[[LocalRows], Pieces]
"""Type of functions that divide the rows of a component into pieces."""


def find_up(world: Tables, markers: IntArray) -> IntArray:
    """Return the index of the axis that points upwards for each marker: 1 (y) in 2D, 2 (z) in 3D."""
    up = np.full(len(markers), 2)
    for table, positions, rows in world.split_by_table(markers):
        if table.component in PLANE:
            up[positions] = 1
        elif table.component is NodePosition:
            for nodes, places, _ in world.split_by_table(table.local("node", rows)):
                up[positions[places]] = 2 if "z" in nodes.component.dof_names[:3] else 1
    return up


def find_offsets(world: Tables, markers: IntArray) -> FloatArray:
    """Return the positions [m] of markers in the frames of their bodies, shape (markers, 3)."""
    offsets = np.zeros((len(markers), 3))
    for table, positions, rows in world.split_by_table(markers):
        if "local" in table.component.columns:
            local = table.local("local", rows)
            offsets[positions, : local.shape[1]] = local
    return offsets


def bind_active(rows: LocalRows, divide: Divide) -> BodyGroup:
    """Create the pieces of the active rows, and the fluid at these pieces."""
    which = np.flatnonzero(rows.local("active"))
    return create_group(rows, which, divide(rows.select(which)))


def create_group(rows: LocalRows, which: IntArray, pieces: Pieces) -> BodyGroup:
    """Create the arrays of the pieces of the rows with the indices ``which``, shape (k,), and the fluid at the pieces.

    The array c has one element per piece, with the values row, marker, kind, size, volume, up, density, gravity, fills
    and turns. The value turns is 0 for spheres. Further values are l, b, d, P and m of `body_pieces`, the axes B of the
    piece in the frame of the marker, and the range of the triangles of the piece, from begin to end.
    """
    row = which[pieces.row]
    count = len(row)
    ranges = pieces.ranges if pieces.kind == MESH else np.zeros((count, 2), np.int64)
    fluids, markers = rows.local("fluid")[row], rows.local("marker")[row]
    density, gravity = (column_of(rows.world, fluids, name) for name in ("density", "gravity"))
    fills = np.zeros(count, np.int64)
    for table, positions, numbers in rows.world.split_by_table(fluids):
        fills[positions] = [PLACES[str(place)] for place in table.local("fills", numbers)]
    up, index = find_up(rows.world, markers), rows.markers("marker")
    c = create_records(
        row=row,
        marker=index[row],
        kind=np.full(count, pieces.kind),
        size=pieces.size,
        l=pieces.center,
        b=find_offsets(rows.world, markers),
        B=pieces.axes,
        volume=pieces.volume,
        d=density[:, None] * pieces.drag_area,
        P=np.broadcast_to(pieces.together, (count, 3, 3)).copy(),
        m=density[:, None] * pieces.added,
        up=up,
        density=density,
        gravity=gravity,
        fills=fills,
        turns=np.full(count, 0.0 if pieces.kind == SPHERE else 1.0),
        begin=ranges[:, 0],
        end=ranges[:, 1],
    )
    every = np.arange(len(rows.rows))
    own = create_records(marker=index, first=np.searchsorted(row, every), end=np.searchsorted(row, every, side="right"))
    flows, users = create_flows_at(rows.world, fluids, up, np.cbrt(pieces.volume))
    some = count if users else 0
    return BodyGroup(
        own, c, create_motion(count), create_flows(count), create_surfaces(count), flows, users,
        np.zeros((some, 2, 3)), np.zeros((some, 2, 3, 3)), pieces.triangles,
    )  # fmt: skip


def locate(group: BodyGroup, whole: bool = True, gradients: bool = False) -> Call:
    """Create the calls that evaluate the motion and the immersion of the pieces, and the fluid at the centres of the
    pieces.

    Args:
        group: pieces of the bodies, and the fluid at their centres.
        whole: whether to evaluate velocity and acceleration of the fluid in addition to its surface.
        gradients: whether to evaluate the derivatives of velocity and acceleration of the fluid with respect to
            position, too.
    """
    c, m, flow, surface = group.c, group.m, group.flow, group.surface
    place = call(locate_pieces)

    def ask_users(s: Any) -> None:
        place(c, s.markers[FAMILY], m)
        for user in group.users:
            user.fill(s.t, m["r"], group.given)
            if gradients:
                user.fill_gradients(s.t, m["r"], group.gradients)

    found = call(locate_pieces, lambda s: (c, s.markers[FAMILY], m), ask_users if whole and group.users else None)
    fill = fill_flow_gradients if gradients else fill_flow
    for f in group.flows:
        if whole:
            found += call(fill, lambda s, f=f: (f, m, s.time, group.given, group.gradients, flow))  # type: ignore[misc]
        found += call(fill_surface_shape, lambda s, f=f: (f, m, s.time, surface))  # type: ignore[misc]
    return found + call(immerse_pieces, lambda s: (c, m, surface, group.triangles))


def build_system(rows: LocalRows) -> System:
    """Create the system of a fluid load on bodies."""
    group: BodyGroup = rows.columns
    own, c, m, flow, surface = group.own, group.c, group.m, group.flow, group.surface
    system = System(rows.table.kind, rows.dofs)
    # processes without rows also need terms for the load and the energy, but these terms are empty
    if not len(c):
        system.account = Account(Call(), lost=("drag",), carried=("added_mass",))
        system.load = Term(Call(), Call())
        return system
    fill = call(fill_powers, lambda s: (c, m, flow, surface, s.powers.T))
    # the power of the added mass does not depend on the velocity of the fluid
    carry = locate(group, whole=False) + fill
    system.account = Account(locate(group) + fill, lost=("drag",), carried=("added_mass",), carry=carry)
    sums = call(add_forces, lambda s: (own, m, s.markers[FAMILY], rows.dofs, s.f))
    speed = call(accelerate_pieces, lambda s: (c, s.markers[FAMILY], rows.dofs, s.a, m))
    system.load = Term(
        locate(group) + call(fill_forces, lambda s: (c, m, flow)) + sums,
        locate(group, gradients=True)
        + call(fill_derivatives, lambda s: (c, m, flow, surface))
        + call(
            add_tangents,
            lambda s: (own, m, s.markers[FAMILY], rows.dofs, s.v, s.a, s.dq, s.dv, 0.0, s.slots, s.values),
        ),
    )
    if c["m"].any():
        system.inertia = Term(
            locate(group, whole=False) + speed + call(fill_inertia, lambda s: (c, m)) + sums,
            locate(group, whole=False)
            + speed
            + call(fill_inertia_derivatives, lambda s: (c, m, surface))
            + call(
                add_tangents,
                lambda s: (own, m, s.markers[FAMILY], rows.dofs, s.v, s.a, s.dq, s.dv, s.da, s.slots, s.values),
            ),
        )
    system.checks.doubts = lambda fields, step: find_sunken(rows, group, fields)
    return system


def find_sunken(rows: LocalRows, group: BodyGroup, fields: Fields) -> list[str]:
    """Return warnings about bodies that are initially below the bed of the water."""
    found = []
    call(locate_pieces)(group.c, fields.markers[FAMILY], group.m)
    for flow in group.flows:
        (fluid,) = flow.fluid
        below = fluid.surface - fluid.depth - group.m["r"][flow.where, fluid.up]
        worst = int(np.argmax(below))
        if below[worst] > SUNK * fluid.depth:
            row = rows.rows[group.c["row"][flow.where[worst]]]
            found.append(
                f"{rows.table.kind} row {row} begins {below[worst]:.3g} m below the bed of its fluid, whose depth is "
                f"{fluid.depth:g} m: give the depth of the water, raise the body, or shift the surface"
            )
    return found


def check_rows(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for markers that are not on nodes or rigid bodies, for fluids whose velocity is not in the plane
    of 2D bodies, and for gravity that does not point downwards.
    """
    markers, fluids = table.local("marker"), table.local("fluid")
    allowed = TURNING if table.component.refs["marker"].target == RIGID else (NodePosition, *TURNING)
    for kind, positions, _ in world.split_by_table(markers):
        if kind.component not in allowed:
            points = "" if NodePosition not in allowed else ", a MassPoint, a node"
            raise ModelError(
                f"marker in {table.kind} row {table.resident[positions.min()]} is a {kind.kind}: must be a marker on a "
                f"rigid body{points} or a rigid node"
            )
    up = find_up(world, markers)
    for axis in np.unique(up):
        positions = np.flatnonzero(up == axis)
        user = f"{table.kind} row {table.resident[positions.min()]}"
        check_downwards(world, int(axis), user, f"a body in {axis + 1}D")
        if axis == 1:
            for kind, _, numbers in world.split_by_table(fluids[positions]):
                for number in np.unique(numbers):
                    check_plane(kind, int(number), user)


class BodyAnswer(NamedTuple):
    """Forces of the fluid on all rows, and the immersion of the bodies. Forces are 0 for inactive rows."""

    force: FloatArray  # global force [N] without the force of the added mass of the body, shape (rows, 3)
    torque: FloatArray  # global torque [N m] about the marker, shape (rows, 3)
    drag: FloatArray  # global drag force [N], shape (rows, 3)
    buoyancy: FloatArray  # weight [N] of the displaced fluid, shape (rows,)
    volume: FloatArray  # volume [m^3] in the fluid, shape (rows,)
    immersion: FloatArray  # volume in the fluid, divided by the whole volume [1], shape (rows,)
    center: FloatArray  # global position [m] of the centre of the volume in the fluid, shape (rows, 3)
    surface: FloatArray  # height [m] of the fluid surface at the horizontal position of the marker, shape (rows,)


def answer(rows: LocalRows, fields: Fields, divide: Divide) -> BodyAnswer:
    """Evaluate the forces of the fluid on all rows."""
    pieces = rows.kept("pieces", lambda: divide(rows))
    group = create_group(rows, np.arange(len(rows.rows)), pieces)
    locate(group)(evaluate(fields))
    call(fill_forces)(group.c, group.m, group.flow)
    m, row, count = group.m, group.c["row"], len(rows.rows)

    def add_up(values: FloatArray) -> FloatArray:
        total = np.zeros((count, *values.shape[1:]))
        np.add.at(total, row, values)
        return total

    share = (m["V"] / group.c["volume"])[:, None]
    w = group.flow["u"] - m["v"]
    q = np.einsum("ika,ia->ik", m["E"], w)
    n = np.sqrt(np.einsum("ikl,il->ik", group.c["P"], q**2))
    drag = np.einsum("ik,ika->ia", share * group.c["d"] * n * q, m["E"])
    volume, whole = add_up(m["V"]), add_up(group.c["volume"])
    moment = add_up(m["r"] * m["V"][:, None] + m["S"])
    at = fields.markers[FAMILY].position[group.own["marker"]]
    center = np.where(volume[:, None] > 0.0, moment / np.maximum(volume, 1e-300)[:, None], at)
    on = rows.local("active")[:, None]
    return BodyAnswer(
        force=add_up(m["F"]) * on,
        torque=add_up(m["M"]) * on,
        drag=add_up(drag) * on,
        buoyancy=add_up(group.c["density"] * group.c["gravity"] * m["V"]) * on[:, 0],
        volume=volume,
        immersion=volume / whole,
        center=center,
        surface=eval_surface(rows, fields, at),
    )


def eval_surface(rows: LocalRows, fields: Fields, at: FloatArray) -> FloatArray:
    """Return the height [m] of the fluid surface, shape (rows,), above the point ``at`` of each row [m], shape
    (rows, 3).
    """
    count = len(rows.rows)
    up, height = find_up(rows.world, rows.local("marker")), np.zeros(count)
    flows, _ = create_flows_at(rows.world, rows.local("fluid"), up, np.ones(count))
    for flow in flows:
        call(fill_surface)(flow, create_records(r=at), fields.time, height)
    return height


def create_outputs(divide: Divide) -> dict[str, Output]:
    """Create the outputs of a component whose rows are divided into pieces by ``divide``."""

    def output(unit: str, doc: str, name: str) -> Output:
        def read(rows: LocalRows, fields: Fields) -> FloatArray:
            found: FloatArray = getattr(answer(rows, fields, divide), name)
            return found

        return Output(unit, doc, read)

    return {
        "force": output("N", "force of the fluid without the added mass of the body, global, (3,)", "force"),
        "torque": output(
            "N m", "torque of the fluid about the marker, without the added mass of the body, global, (3,)", "torque"
        ),
        "drag": output("N", "drag, global, (3,)", "drag"),
        "buoyancy": output("N", "weight of the displaced fluid", "buoyancy"),
        "immersed_volume": output("m^3", "immersed volume of the body", "volume"),
        "immersion": output("1", "immersed volume divided by the whole volume, from 0 to 1", "immersion"),
        "buoyancy_center": output("m", "centre of the immersed volume, global, (3,)", "center"),
        "surface_height": output(
            "m", "height of the fluid surface at the horizontal position of the marker", "surface"
        ),
    }


def repeat_outline(points: FloatArray, lines: IntArray, faces: IntArray) -> BodyOutline:
    """Return the outlines of rows with the same lines and faces.

    Args:
        points: points in the frames of the markers [m], shape (rows, k, 3).
        lines, faces: ends of the lines and corners of the faces, as indices of the points of one row, shapes (m, 2) and
            (f, 4).
    """
    count, each = points.shape[:2]
    begin = each * np.arange(count)[:, None, None]
    return BodyOutline(
        points.reshape(-1, 3),
        (begin + lines).reshape(-1, 2),
        (begin + faces).reshape(-1, 4),
        np.tile((each, len(lines), len(faces)), (count, 1)),
    )


def register_body_load(
    component: type[Component],
    divide: Divide,
    outline: Callable[[LocalRows], BodyOutline],
    *,
    check: Callable[[Tables, EntityTable], None] = check_rows,
    complete: Callable[[Tables, dict[str, Any]], dict[str, Any]] = replace_bodies,
    source: str,
) -> None:
    """Register a component with the columns marker, fluid and active.

    Args:
        component: class that defines the columns.
        divide: function that divides rows into pieces.
        outline: function that returns the outlines of rows.
        check: argument ``check`` of `register`.
        complete: argument ``fill_defaults`` of `register`.
        source: literature source.
    """
    outputs = create_outputs(divide)

    def draw(rows: LocalRows, fields: Fields, subdivisions: int) -> Drawing:
        shape = rows.kept("outline", lambda: outline(rows))
        of_point, of_line, of_face = (np.repeat(np.arange(len(rows.rows)), count) for count in shape.counts.T)
        columns, marker = fields.markers[FAMILY], rows.markers("marker")[of_point]
        found = answer(rows, fields, divide)
        shown = {"fluid_force": (found.force, "N"), "immersion": (found.immersion, "1")}
        return Drawing(
            points=columns.position[marker] + np.einsum("iab,ib->ia", columns.rotation[marker], shape.points),
            lines=shape.lines,
            part=of_line,
            entity=rows.table.ids_of(rows.rows)[of_line],
            start=np.zeros(len(of_line)),
            end=np.ones(len(of_line)),
            cell_data={name: values[of_line] for name, (values, _) in shown.items()},
            units={name: unit for name, (_, unit) in shown.items()},
            faces=shape.faces,
            face_part=of_face,
            counts=shape.counts,
        )

    register(
        component,
        "load",
        dofs="marker",
        bind=lambda rows: bind_active(rows, divide),
        build=build_system,
        outputs=outputs,
        fill_defaults=complete,
        check=check,
        source=source,
        draw=draw,
    )
