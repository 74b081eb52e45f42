"""Force per length along a cable or beam: constant, a function of time, or a function of the motion.

    load: ∫ Sᵀ F dx,    F = vector, function(t), or f(t, x, r, r', r_t)
    if the force is given per current length, F is multiplied by |r'|
    force that rotates with the cross section: F = A vector, see section_points.py and, for cables, twist_torques.py

A ``force_function`` is called once for all rows that share the function, and receives arrays with one value or vector
per point:

    f(t, x, r, slope, velocity) -> force per length [N/m], shape (n, 3).

The arguments are the time t [s], the distances x along the cables or beams [m], shape (n,), and positions r [m], slopes
r' [1] and velocities r_t [m/s], shape (n, 3) each. In 2D the z component of these vectors is 0. A `compiled` function
computes the force at one point: ``f(t, x, r, slope, velocity, force)`` with arrays of shape (3,). ``force`` contains
zeros before the call. The derivatives of the function are central differences. All other terms of the tangent are
exact.

Source: principle of virtual work, A. A. Shabana, Dynamics of Multibody Systems, Cambridge University Press.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.loads.line_outputs import line_drawing, line_output
from windlass.connectors.loads.line_points import (
    LEAST_POINTS,
    LineKind,
    add_forces,
    add_tangents,
    bind_vectors,
    check_cables,
    check_plane,
    create_line,
    create_lines,
    create_points,
    find_beams,
    group_rows,
    line_lengths,
    locate,
)
from windlass.connectors.loads.section_points import (
    add_section_force_tangents,
    create_section,
    create_sections,
    fill_vectors,
)
from windlass.connectors.loads.twist_torques import (
    add_twist_force_tangents,
    create_twist_points,
    create_twist_sections,
    fill_twist_vectors,
)
from windlass.connectors.user_functions.time_functions import TimeColumn
from windlass.connectors.user_functions.user_forces import STEP, Compiled
from windlass.framework.arrays import BoolArray, FloatArray, IntArray
from windlass.framework.checks.user_functions import name_of
from windlass.framework.checks.values import read_numbers, show
from windlass.framework.errors import ModelError
from windlass.framework.kernels.call import Call, call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows, Tables, register
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.schema import function as user_function
from windlass.framework.model.system import Evaluation, Fields, System, Term, evaluate
from windlass.framework.model.table import EntityTable

LENGTHS = ("reference", "current")


class LineLoad(Component):
    """A distributed force along one cable or beam. In 2D the force has no z component."""

    cable = ref("cable or beam", "the cable or beam")
    vector = column(
        "N/m", "force per length, in the global frame unless body_fixed is true", shape=(3,), default=(0.0, 0.0, 0.0),
        switchable=True,
    )  # fmt: skip
    function = user_function("f(t) -> force per length [N/m], shape (3,); replaces vector", switchable=True)
    force_function = user_function(
        "f(t, x, r, slope, velocity) -> force per length; replaces vector and function, see line_load.py"
    )
    per = column(
        "1", "length by which the force is divided: reference length or current length", dtype="U9",
        default="reference", choices=LENGTHS,
    )  # fmt: skip
    body_fixed = column(
        "1",
        "true: the vector rotates with the cross section, and its components are along e_1, e_2, e_3 of a beam or t, "
        "d_1, d_2 of a cable with twist", dtype=bool, default=False,
    )  # fmt: skip
    points = column("1", "number of Gauss points on the cable or beam", default=4, dtype=np.int64, minimum=LEAST_POINTS)
    active = column("1", "the load acts only if true", dtype=bool, default=True, switchable=True)


class PointGroup(NamedTuple):
    """Points that share a force function."""

    where: IntArray  # indices of the points, shape (n,)
    evaluate: Callable[..., FloatArray]  # function ``(t, x, r, p, v) -> F``
    steps: tuple[float, float]  # steps of the differences for positions [m] and for slopes [1]


class LineGroup(NamedTuple):
    """Rows on cables or beams of one type, with the same number of points."""

    kind: LineKind  # type of the cables or beams
    line: NDArray[Any]  # points on the cables or beams, see `create_line`
    m: NDArray[Any]  # motion of the points and forces on them, see `create_points`
    time: TimeColumn  # vectors of all rows as functions of time
    stretches: BoolArray  # whether the force at each point is given per current length
    groups: list[PointGroup]  # points with a force function, grouped by function


def create_group(rows: LocalRows, kind: LineKind, line: NDArray[Any], time: TimeColumn) -> LineGroup:
    """Create the group of rows with the same type of cables or beams and the same number of points."""
    given, found = rows.local("force_function")[line["row"]], dict[int, list[int]]()
    for k, force in enumerate(given):
        if force is not None:
            found.setdefault(id(force), []).append(k)
    lengths, groups = line_lengths(rows), []
    for members in found.values():
        force, where = given[members[0]], np.array(members)
        size = float(lengths[line["row"][where]].min())
        name = f"force_function of LineLoad row {rows.rows[line['row'][where[0]]]} ({name_of(force)})"
        groups.append(PointGroup(where, _wrap(force, name, kind.dims == 2), (STEP * size, STEP)))
    stretches = rows.local("per")[line["row"]] == "current"
    return LineGroup(kind, line, create_points(len(line)), time, stretches, groups)


def _wrap(force: Any, name: str, in_plane: bool) -> Callable[..., FloatArray]:
    """Return the function ``(t, x, r, p, v) -> F`` that evaluates a force function at n points and checks the results
    F, shape (n, 3). In error messages, ``name`` describes the force function. The argument ``in_plane`` is true in 2D.
    """
    if isinstance(force, Compiled):
        function = force.function

        @kernel
        def law_loop(t: float, x: FloatArray, r: FloatArray, p: FloatArray, v: FloatArray, F: FloatArray) -> None:
            for i in range(len(x)):
                function(t, x[i], r[i], p[i], v[i], F[i])

    def evaluate_law(t: float, x: FloatArray, r: FloatArray, p: FloatArray, v: FloatArray) -> FloatArray:
        out = np.full((len(x), 3), np.nan)
        # The arguments are infinite or NaN only if Newton's method diverges. The solver reports the divergence.
        good = np.isfinite(r).all(axis=1) & np.isfinite(p).all(axis=1) & np.isfinite(v).all(axis=1)
        if not good.any():
            return out
        shape = (int(good.sum()), 3)
        if isinstance(force, Compiled):
            F = np.zeros(shape)
            law_loop(t, x[good], r[good], p[good], v[good], F)
        else:
            given = force(t, x[good], r[good], p[good], v[good])
            read = read_numbers(given)
            if read is None or read.shape not in ((3,), shape):
                raise ModelError(
                    f"{name} gave {show(given)} at t = {t:.9g} s: must give numbers [N/m] of shape {shape}"
                )
            F = np.broadcast_to(read, shape)
        if not np.isfinite(F).all():
            raise ModelError(f"{name} gave values that are not finite at t = {t:.9g} s: must be finite numbers [N/m]")
        if in_plane:
            check_plane(F, "xy", f"{name} at t = {t:.9g} s", "N/m")
        out[good] = F
        return out

    return evaluate_law


def fill_forces(group: LineGroup, t: float) -> None:
    """Write the force F per reference length at all points."""
    m = group.m
    F = m["F"]
    F[:] = group.time(t)[group.line["row"]]
    for force in group.groups:
        some = force.where
        F[some] = force.evaluate(t, group.line["x"][some], m["r"][some], m["p"][some], m["v"][some])
    F[group.stretches] *= _stretch(group)[:, None]


def _stretch(group: LineGroup) -> FloatArray:
    """Return |r'| [1] at the points with a force per current length, shape (n,)."""
    size: FloatArray = np.sqrt((group.m["p"][group.stretches] ** 2).sum(axis=1))
    return size


def fill_derivatives(group: LineGroup, t: float) -> None:
    """Write the force F per reference length at all points, and the derivatives of F with respect to position, slope
    and velocity."""
    m, some = group.m, group.stretches
    by = m["Fr"], m["Fp"], m["Fv"]
    for out in by:
        out[:] = 0.0
    for force in group.groups:
        x, motion = group.line["x"][force.where], [values[force.where] for values in (m["r"], m["p"], m["v"])]
        fast = STEP * max(1e-2, float(np.abs(motion[2]).max(initial=0.0)))
        for part, (out, step) in enumerate(zip(by, (*force.steps, fast), strict=True)):
            for k in range(group.kind.dims):
                ends = []
                for sign in (1.0, -1.0):
                    moved = [values.copy() for values in motion]
                    moved[part][:, k] += sign * step
                    ends.append((force.evaluate(t, x, *moved), moved[part][:, k]))
                out[force.where, :, k] = (ends[0][0] - ends[1][0]) / (ends[0][1] - ends[1][1])[:, None]
    size = _stretch(group)[:, None, None]
    for out in by:
        out[some] *= size
    fill_forces(group, t)
    m["Fp"][some] += m["F"][some][:, :, None] * m["p"][some][:, None, :] / size**2


class FollowerGroup(NamedTuple):
    """Rows with forces that rotate with the section, on beams of one type, or on cables with twist, with the same
    number of points.
    """

    line: NDArray[Any]  # points on the beams or cables, see `create_line`
    section: NDArray[
        Any
    ]  # rotations at the points, see `create_section` for beams and `create_twist_points` for cables
    m: NDArray[Any]  # forces at the points, see `create_points`
    on_beams: bool  # whether the points are on beams


class LineRows(NamedTuple):
    """The active rows of a table."""

    time: TimeColumn  # vectors of all rows as functions of time
    groups: list[LineGroup]  # rows whose force does not rotate
    followers: list[FollowerGroup]  # rows whose force rotates with the section


def bind(rows: LocalRows) -> LineRows:
    """Create the groups of the active rows, and their functions of time."""
    time, active, turns = bind_vectors(rows, "xy"), rows.local("active"), rows.local("body_fixed")
    groups = [create_group(rows, kind, line, time) for kind, line in create_lines(rows, active & ~turns)]
    followers, on_beams = [], find_beams(rows)
    for beams in (True, False):
        which = active & turns & (on_beams == beams)
        sections = (create_sections if beams else create_twist_sections)(rows, which)
        for (_, line), section in zip(create_lines(rows, which), sections, strict=True):
            followers.append(FollowerGroup(line, section, create_points(len(line)), beams))
    return LineRows(time, groups, followers)


def build(rows: LocalRows) -> System:
    """Create the system of `LineLoad`."""
    time, groups, followers = rows.columns
    system = System("LineLoad", rows.dofs)
    place, scatter, scatter_tangents = call(locate), call(add_forces), call(add_tangents)
    # forces that depend only on time need no entries in the sparsity pattern of the matrix, and no Python calls in a
    # step
    plain, turning, turning_tangents = Call(), Call(), Call()
    for follower in followers:
        forces, tangents = _rotate(follower, time)
        turning, turning_tangents = turning + forces, turning_tangents + tangents

    def add_load(s: Evaluation) -> None:
        for group in groups:
            place(group.line, s.x, s.v, s.a, group.m)
            fill_forces(group, s.t)
            scatter(group.line, group.m, s.f)
        if followers:
            turning(s)

    def add_load_tangent(s: Evaluation) -> None:
        for group in groups:
            place(group.line, s.x, s.v, s.a, group.m)
            fill_derivatives(group, s.t)
            scatter_tangents(group.line, group.m, s.dq, s.dv, s.slots, s.values)
        if followers:
            turning_tangents(s)

    if any(len(group.groups) or group.stretches.any() for group in groups):
        turning, turning_tangents = time.fill + turning, time.fill + turning_tangents
        system.load = Term(add_load, add_load_tangent)
    elif groups or followers:
        plain = time.fill + sum((_spread(group) for group in groups), Call()) + turning
        system.load = Term(plain, time.fill + turning_tangents if followers else None)
    return system


def _rotate(group: FollowerGroup, time: TimeColumn) -> tuple[Call, Call]:
    """Create the calls that add the forces of rows whose vectors rotate with the section, and the calls that add the
    derivatives of these forces to the matrix."""
    line, section, m, on_beams = group
    fill = call(fill_vectors if on_beams else fill_twist_vectors, lambda s: (section, time.values, s.x, m))
    forces = call(add_forces, lambda s: (line, m, s.f))
    if not on_beams:
        return fill + forces, fill + call(
            add_twist_force_tangents, lambda s: (section, line, m, s.x, s.dq, s.slots, s.values)
        )
    return fill + forces, fill + call(add_section_force_tangents, lambda s: (section, m, s.x, s.dq, s.slots, s.values))


@kernel
def copy_vectors(line: Any, vectors: FloatArray, m: Any) -> None:
    """Copy the force vector of each row [N/m] to the field F of all points of this row. The vectors have the shape
    (rows, 3).
    """
    for k in range(len(line)):
        for l in range(3):
            m[k].F[l] = vectors[line[k].row, l]


def _spread(group: LineGroup) -> Call:
    """Create the calls that add the forces of a group in which all forces depend only on time."""
    line, m, time = group.line, group.m, group.time
    fill = call(copy_vectors, lambda s: (line, time.values, m))
    return fill + call(add_forces, lambda s: (line, m, s.f))


class LoadAnswer(NamedTuple):
    """Positions and forces at k points of each row, in the global frame."""

    r: FloatArray  # position [m], shape (rows, k, 3)
    force: FloatArray  # force per reference length [N/m], shape (rows, k, 3); 0 for inactive rows


def answer(rows: LocalRows, fields: Fields, s: FloatArray) -> LoadAnswer:
    """Return positions and forces at the relative positions s = x/L [1], shape (rows, k)."""
    count, k = s.shape
    out = LoadAnswer(np.zeros((count, k, 3)), np.zeros((count, k, 3)))
    at, time = evaluate(fields), bind_vectors(rows, "xy")
    for kind, which in group_rows(rows):
        group = create_group(rows, kind, create_line(rows, which, kind, s[which], np.zeros(k)), time)
        call(locate)(group.line, at.x, at.v, at.a, group.m)
        fill_forces(group, at.t)
        out.r[which], out.force[which] = group.m["r"].reshape(-1, k, 3), group.m["F"].reshape(-1, k, 3)
        turned = which[rows.local("body_fixed")[which]]
        if len(turned):
            m = create_points(len(turned) * k)
            if kind.order > 0:
                call(fill_vectors)(create_section(rows, turned, kind, s[turned], np.zeros(k)), time(at.t), at.x, m)
            else:
                call(fill_twist_vectors)(create_twist_points(rows, turned, s[turned], np.zeros(k)), time(at.t), at.x, m)
            out.force[turned] = m["F"].reshape(-1, k, 3)
    out.force[~rows.local("active")] = 0.0
    return out


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for cables with moving material, for body-fixed forces on cables without twist, and for columns
    that body-fixed forces do not support."""
    check_cables(world, table)
    turns, given = table.local("body_fixed"), table.local("force_function")
    for lines, positions, _ in world.split_by_table(table.local("cable")):
        for k in positions[turns[positions]]:
            where = f"in {table.kind} row {table.resident[k]}"
            if "beam or twist cable" not in lines.component.provides:
                words = "a body_fixed force must act on a beam or on a cable with twist"
                raise ModelError(f"cable {where} is a {lines.kind}: {words}")
            if given[k] is not None or table.local("per")[k] != "reference":
                raise ModelError(
                    f"body_fixed {where}: must have a vector or a function of time, and per = 'reference' [N/m]"
                )


DOC = "force at x per reference length without the load factor, (3,)"
register(
    LineLoad,
    "load",
    dofs="cable",
    bind=bind,
    build=build,
    outputs={"force_per_length": line_output("N/m", DOC, answer, "force")},
    check=check,
    source="[@shabana]",
    draw=line_drawing(answer, {"line_load_per_length": ("force", "N/m")}),
)
