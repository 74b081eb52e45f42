"""Laws between two markers from one or two kernels for one row: the work of `register_pair` for each marker family.

The schema has ``marker0``, ``marker1``, which are references to markers of one family, and ``active``.  From these and
the kernels `register_pair` makes the coordinates that a row couples, the loops over all rows, output variables, the
drawing, and the registration; central differences of the force replace a missing tangent kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from warnings import warn

import numpy as np

from windlass.connectors.markers.coordinate_outputs import coordinate_output
from windlass.connectors.markers.pairs import (
    ARGUMENTS,
    Pair,
    PairLoops,
    Vector,
    bind_letters,
    bind_pair,
    coordinate_pair,
    create_letters,
    pair_dofs,
    position_pair,
    subtract,
)
from windlass.framework.accounts import Account
from windlass.framework.arrays import FloatArray
from windlass.framework.errors import ModelError, ModelWarning
from windlass.framework.kernels.call import Call, call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.kernels.signature import check_arguments, takes
from windlass.framework.model.drawing import Drawing
from windlass.framework.model.gaps import GAP, Gaps, create_numbers
from windlass.framework.model.history import check_history, create_history
from windlass.framework.model.law import LocalRows, Output, Tables, register
from windlass.framework.model.law_checks import check_needs
from windlass.framework.model.schema import Component
from windlass.framework.model.system import Fields, System
from windlass.framework.model.table import Entity, EntityTable

POSITION, COORDINATE = "position marker", "coordinate marker"
ALL = slice(None)
Kernel = Callable[..., Any]
Update = Callable[[Any], None] | None

STEP = float(np.finfo(np.float64).eps ** (1 / 3))
"""Relative step of central differences, the best one for a smooth function."""
SMALLEST = 1e-2
"""Displacements [m, rad] and velocities below this share one step: springs do not change within 1e-7 of this value."""


@dataclass(frozen=True)
class PairKind:
    """Common parts of laws between two markers of a family."""

    family: str  # the marker family
    loops: Callable[[Kernel, Any], PairLoops]  # ``(force, force_tangent) -> residual, tangent`` over all rows
    differences: Callable[[Kernel], Kernel] | None  # ``(force) -> force_tangent`` by central differences
    row: Kernel  # kernel ``(markers, pair, i) -> u, ut``
    outputs: Mapping[str, Output]  # output variables of every such law
    force: Callable[[Callable[..., Any]], Output]  # makes an output variable from an evaluation of the force
    targets: tuple[str, ...] = ()  # required kinds of marker 0 and 1; default: the family
    # makes a kernel for one result of a law, for outputs and accounts
    number: Callable[[Kernel], Kernel] = lambda value: value
    vector: Callable[[Kernel], Kernel] = lambda force: force  # likewise for the three components of the force
    # ``(s)`` gives the arguments of tangent loops after the columns of the markers
    further: Callable[[Any], tuple[Any, ...]] = lambda s: ()


def register_kind(
    kind: PairKind,
    ground: Callable[[Any], Entity] | None,
    component: type[Component],
    force: Kernel,
    force_tangent: Kernel | None = None,
    *,
    letters: Mapping[str, str] | None = None,
    derive: Callable[[LocalRows], dict[str, Any]] | None = None,
    columns: Callable[[LocalRows], tuple[Any, ...]] | None = None,
    outputs: Mapping[str, Output] | None = None,
    source: str = "",
    before: Callable[[LocalRows], tuple[Update, Update]] | None = None,
    stored: Mapping[str, Kernel] | None = None,
    lost: Mapping[str, Kernel] | None = None,
    passed: Mapping[str, Kernel] | None = None,
    finish: Callable[[LocalRows, System], None] | None = None,
    start: Sequence[float] = (),
    update: Kernel | None = None,
    gap: Kernel | None = None,
    fill_defaults: Callable[[Tables, dict[str, Any]], dict[str, Any]] | None = None,
    check: Callable[[Tables, EntityTable], None] | None = None,
    draw: bool | Callable[[LocalRows, Fields, int], Drawing] = True,
) -> None:
    """Register a law between two markers.

    Args:
        kind: family of the markers.
        ground: creates the default of ``marker0``; None: it must be given.
        component: the schema.
        force: kernel for one row, see `pairs.position_pair` and `pairs.coordinate_pair`.
        force_tangent: its derivatives, likewise; by differences if left out.
        letters: names of the columns in kernels, ``{"k": "stiffness"}``: the kernel finds them as ``c.k[i]``.
        derive: ``(rows)`` gives arrays computed from columns, by further letters.
        columns: instead of both ``(rows) -> (c, ...)``, the NamedTuple of kernels and further data of functions, which
            find ``(pair, c, ...)`` as ``rows.columns``.
        outputs: further output variables; a kernel ``(c, i, u, ut, t) -> number`` may stand for ``evaluate``.
        source: the source of the law.
        before: ``(rows) -> (update, update)``, functions ``(s)`` that bring arrays in c up to date before forces and
            before tangents, or None; history values alone if left out.
        stored, lost, passed: by name, kernels ``(c, i, u, ut, t) -> number`` for the energy [J] that a row stores and
            for the powers [W] that it loses and passes on; see `Account`.
        finish: ``(rows, system)`` adds further parts of the law.
        start: history values of a row at its start, for schemas with a reference ``data``, which is created if left
            out, and checked.  Without ``columns`` the letters have ``data``, the place of the first value of each row,
            and ``h``, the values with which forces are evaluated, shape (rows, n).
        update: kernel ``(c, pair, m, data, start, size, outcome)`` that finds new history values after Newton's method,
            from the present ones and those at the start of the step of size[0] seconds; see `note_outcome`.
        gap: for contacts that open and close, kernel ``(c, i, u, ut, row)`` that writes the numbers of `Gaps` of a row.
        fill_defaults, check: see `register`.
        draw: whether rows are drawn as lines between two points; or the function that draws them.

    Raises:
        ModelError: a schema without columns that a pair needs, or kernels with other arguments or results.
    """
    name = component.__name__
    check_needs(component, ("marker0", "marker1", "active"), f"register_pair of {name}")
    check_needs(component, tuple((letters or {}).values()), f"letters of {name}")
    for marker, target in zip(("marker0", "marker1"), kind.targets or (kind.family,) * 2, strict=True):
        if component.refs[marker].target != target:
            raise ModelError(f"{marker} of {name} = {component.refs[marker].target}: must be a {target}")
    spatial = kind.family == POSITION
    if force_tangent is None and kind.differences is not None:
        check_arguments(force, f"force of {name}", ARGUMENTS)
        words = f"{name} has no tangent kernel: its tangent is made by central differences of the force"
        warn(f"{words}, to about 9 digits and with {12 if spatial else 4} more evaluations", ModelWarning, stacklevel=4)
        force_tangent = kind.differences(force)
    residual, tangent = kind.loops(force, force_tangent)
    powers = [*(lost or {}).values(), *(passed or {}).values()]
    values = [
        (value_loop(kind.row, kind.number(value), False), name, k)
        for some, name in (((stored or {}).values(), "energies"), (powers, "powers"))
        for k, value in enumerate(some)
    ]
    measure = None if gap is None else gap_loop(kind.row, gap)
    if start:
        check_needs(component, ("data",), f"start of {name}")
    if update is not None:
        if not start:
            raise ModelError(f"update of {name}: must come with start, the history values of a row at its start")
        check_arguments(update, f"update of {name}", ("c", "pair", "m", "data", "start", "size", "outcome"))
    if start and columns is None and before is None:
        before = bind_history
    if columns is None and derive is None:
        # all letters are known: machine code can be made in advance for a class that can be imported
        names = (*(letters or ()), *(("data", "h") if start else ()))
        component.Letters = create_letters(component.__module__, f"{name}.Letters", names)  # type: ignore[attr-defined]

    def bind(rows: LocalRows) -> tuple[Any, ...]:
        if columns is not None:
            return bind_pair(rows), *columns(rows)
        history = {"data": rows.data_start("data"), "h": np.zeros((len(rows.rows), len(start)))} if start else {}
        derived = derive(rows) if derive is not None else {}
        return bind_pair(rows), bind_letters(rows, letters or {}, **derived, **history)

    def build(rows: LocalRows) -> System:
        pair, c = rows.columns[:2]
        system = System(name, rows.dofs)
        bring, bring_tangent = before(rows) if before is not None else (None, None)
        system.residual = call(residual, lambda s: (c, pair, s.markers[kind.family], s.time, s.f), bring)
        system.tangent = call(
            tangent,
            lambda s: (c, pair, s.markers[kind.family], *kind.further(s), s.time, s.dq, s.dv, s.slots, s.values),
            bring_tangent,
        )
        if update is not None:
            system.post_newton = call(
                update, lambda s: (c, pair, s.markers[kind.family], s.data, s.start_data, s.step_size, s.outcome)
            )
        if values:
            reads = [read_value(kind, pair, c, *value, bring) for value in values]
            system.account = Account(
                sum(reads, Call()),
                tuple(stored or ()),
                tuple(lost or ()),
                tuple(passed or ()),
                conserves=not lost and not passed,
            )
        if measure is not None:
            system.gaps = watch_rows(rows, kind, measure, bring)
        if finish is not None:
            finish(rows, system)
        return system

    def fill(world: Tables, values: dict[str, Any]) -> dict[str, Any]:
        if ground is not None and values.get("marker0") is None:
            values["marker0"] = ground(world)
        values = values if fill_defaults is None else fill_defaults(world, values)
        return create_history(world, component, values, start) if start else values

    def check_all(world: Tables, table: EntityTable) -> None:
        if check is not None:
            check(world, table)
        if start:
            check_history(world, table, len(start))

    given = dict(outputs or {})
    shown = {
        key: replace(output, evaluate=evaluate_rows(kind, kind.number(output.evaluate), before=before))
        for key, output in given.items()
        if takes(output.evaluate, ARGUMENTS)
    }
    force_output = kind.force(evaluate_rows(kind, kind.vector(force), spatial, before))

    def draw_as_lines(rows: LocalRows, fields: Fields, subdivisions: int) -> Drawing:
        return draw_lines(rows, fields, shown)

    register(
        component,
        "connector",
        dofs=pair_dofs,
        bind=bind,
        build=build,
        outputs={**kind.outputs, "force": force_output, **given, **shown},
        fill_defaults=fill,
        check=check_all,
        source=source,
        draw=draw if callable(draw) else draw_as_lines if draw and spatial else None,
    )


def bind_history(rows: LocalRows) -> tuple[Callable[[Any], None], Callable[[Any], None]]:
    """The update that copies the history values of rows into the arrays of kernels."""
    c = rows.columns[1]
    places = c.data[:, None] + np.arange(c.h.shape[1])

    def copy_history(s: Fields) -> None:
        c.h[:] = s.data[places]

    return copy_history, copy_history


def evaluate_rows(kind: PairKind, kernel: Kernel, vector: bool = False, before: Any = None) -> Callable[..., Any]:
    """An output variable by a kernel for each row, 0 where the row is not active."""
    loop = value_loop(kind.row, kernel, vector)

    def eval_rows(rows: LocalRows, fields: Fields) -> FloatArray:
        pair, c = rows.columns[:2]
        update = before(rows)[0] if before is not None else None
        if update is not None:
            update(fields)
        out = np.zeros((len(pair.m0), 3) if vector else len(pair.m0))
        loop(c, pair, fields.markers[kind.family], fields.time, out)
        return out

    return eval_rows


def read_value(kind: PairKind, pair: Pair, c: Any, value: Kernel, name: str, k: int, update: Update) -> Call:
    """The call that fills the k-th energy or power of an account, by a `value_loop`; 0 where rows are not active."""
    return call(value, lambda s: (c, pair, s.markers[kind.family], s.time, getattr(s, name)[k]), update)


def watch_rows(rows: LocalRows, kind: PairKind, measure: Kernel, update: Update) -> Gaps:
    """The gaps of rows, by a `gap_loop`."""
    pair, c = rows.columns[:2]
    numbers = create_numbers(len(rows.rows))
    name = rows.table.kind
    return Gaps(
        call(measure, lambda s: (c, pair, s.markers[kind.family], numbers), update),
        numbers,
        lambda k: f"{name} row {rows.rows[k]}",
    )


def gap_loop(row: Kernel, gap: Kernel) -> Kernel:
    """Kernel ``(c, pair, m, numbers)`` that writes the numbers of all rows, see `Gaps`; inactive rows count as far
    apart."""

    @kernel
    def fill_gaps(c: Any, pair: Pair, m: Any, numbers: FloatArray) -> None:
        for i in range(len(pair.m0)):
            if pair.active[i]:
                u, ut = row(m, pair, i)
                gap(c, i, u, ut, numbers[i])
            else:
                numbers[i, GAP] = np.inf

    return fill_gaps


def value_loop(row: Kernel, evaluate: Kernel, vector: bool) -> Kernel:
    """Kernel ``(c, pair, m, time, out)`` that writes the results of a kernel for one row: a number, or three."""

    @kernel
    def fill_numbers(c: Any, pair: Pair, m: Any, time: FloatArray, out: FloatArray) -> None:
        for i in range(len(pair.m0)):
            if pair.active[i]:
                u, ut = row(m, pair, i)
                out[i] = evaluate(c, i, u, ut, time[0])

    @kernel
    def fill_vectors(c: Any, pair: Pair, m: Any, time: FloatArray, out: FloatArray) -> None:
        for i in range(len(pair.m0)):
            if pair.active[i]:
                u, ut = row(m, pair, i)
                out[i, 0], out[i, 1], out[i, 2] = evaluate(c, i, u, ut, time[0])

    return fill_vectors if vector else fill_numbers


def draw_lines(rows: LocalRows, fields: Fields, shown: Mapping[str, Output]) -> Drawing:
    """Draw each row as one line between its points, with output variables as fields."""
    pair, n = rows.columns[0], len(rows.rows)
    p = fields.markers[POSITION].p
    return Drawing(
        points=np.stack((p[pair.m0], p[pair.m1]), axis=1).reshape(-1, 3),
        lines=np.arange(2 * n).reshape(n, 2),
        part=np.arange(n),
        entity=rows.table.ids_of(rows.rows),
        start=np.zeros(n),
        end=np.ones(n),
        cell_data={name: output.evaluate(rows, fields) for name, output in shown.items()},
        units={name: output.unit for name, output in shown.items()},
    )


@kernel
def row_of_positions(m: Any, pair: Pair, i: int) -> tuple[Vector, Vector]:
    """u [m] and u_t [m/s] of a row, global."""
    m0, m1 = pair.m0[i], pair.m1[i]
    return subtract(m.p, m1, m0), subtract(m.v, m1, m0)


@kernel
def row_of_coordinates(m: Any, pair: Pair, i: int) -> tuple[float, float]:
    """u [m or rad] and u_t of a row."""
    m0, m1, w0, w1 = pair.m0[i], pair.m1[i], pair.w0[i], pair.w1[i]
    return w1 * m.value[m1] - w0 * m.value[m0], w1 * m.rate[m1] - w0 * m.rate[m0]


def position_differences(force: Kernel) -> Kernel:
    """The tangent kernel of a law between position markers by central differences of its force."""

    @kernel
    def force_tangent(c: Any, i: int, u: Vector, ut: Vector, t: float, P: FloatArray, V: FloatArray) -> None:
        h = STEP * max(SMALLEST, abs(u[0]), abs(u[1]), abs(u[2]))
        g = STEP * max(SMALLEST, abs(ut[0]), abs(ut[1]), abs(ut[2]))
        for b in range(3):
            x, y, z = 1.0 if b == 0 else 0.0, 1.0 if b == 1 else 0.0, 1.0 if b == 2 else 0.0
            plus = force(c, i, (u[0] + h * x, u[1] + h * y, u[2] + h * z), ut, t)
            minus = force(c, i, (u[0] - h * x, u[1] - h * y, u[2] - h * z), ut, t)
            faster = force(c, i, u, (ut[0] + g * x, ut[1] + g * y, ut[2] + g * z), t)
            slower = force(c, i, u, (ut[0] - g * x, ut[1] - g * y, ut[2] - g * z), t)
            for a in range(3):
                P[a, b] = (plus[a] - minus[a]) / (2.0 * h)
                V[a, b] = (faster[a] - slower[a]) / (2.0 * g)

    return force_tangent


def coordinate_differences(force: Kernel) -> Kernel:
    """The tangent kernel of a law between coordinate markers by central differences of its force."""

    @kernel
    def force_tangent(c: Any, i: int, u: float, ut: float, t: float) -> tuple[float, float]:
        h, g = STEP * max(SMALLEST, abs(u)), STEP * max(SMALLEST, abs(ut))
        df_du = (force(c, i, u + h, ut, t) - force(c, i, u - h, ut, t)) / (2.0 * h)
        return df_du, (force(c, i, u, ut + g, t) - force(c, i, u, ut - g, t)) / (2.0 * g)

    return force_tangent


def difference_positions(rows: LocalRows, s: Fields, which: Any = ALL) -> tuple[FloatArray, FloatArray]:
    """u = p1 - p0 [m] and u_t [m/s], global, of all rows or some, shape (n, 3)."""
    pair, m = rows.columns[0], s.markers[POSITION]
    m0, m1 = pair.m0[which], pair.m1[which]
    return m.p[m1] - m.p[m0], m.v[m1] - m.v[m0]


def difference_coordinates(rows: LocalRows, s: Fields, which: Any = ALL) -> tuple[FloatArray, FloatArray]:
    """u = x1 - x0 [m or rad] and u_t [m/s or rad/s] of all rows or some, with the factors of the law, if any, (n,)."""
    pair, m = rows.columns[0], s.markers[COORDINATE]
    m0, m1, w0, w1 = pair.m0[which], pair.m1[which], pair.w0[which], pair.w1[which]
    return w1 * m.value[m1] - w0 * m.value[m0], w1 * m.rate[m1] - w0 * m.rate[m0]


def eval_distance(rows: LocalRows, s: Fields) -> FloatArray:
    """|p1 - p0| [m], shape (rows,)."""
    distance: FloatArray = np.sqrt((difference_positions(rows, s)[0] ** 2).sum(axis=1))
    return distance


POSITIONS = PairKind(
    POSITION,
    position_pair,
    position_differences,
    row_of_positions,
    outputs={
        "displacement": Output(
            "m", "p1 - p0, global, (3,); no offset is subtracted", lambda rows, s: difference_positions(rows, s)[0]
        ),
        "distance": Output("m", "|p1 - p0|, ()", eval_distance),
        "velocity": Output("m/s", "v1 - v0, global, (3,)", lambda rows, s: difference_positions(rows, s)[1]),
    },
    force=partial(Output, "N", "f, global, (3,): pulls point 1 back where positive"),
)
COORDINATES = PairKind(
    COORDINATE,
    coordinate_pair,
    coordinate_differences,
    row_of_coordinates,
    outputs={
        "displacement": coordinate_output(
            "m", "x1 - x0 [m or rad], ()", lambda rows, s: difference_coordinates(rows, s)[0]
        ),
        "velocity": coordinate_output(
            "m/s", "x1_t - x0_t [m/s or rad/s], ()", lambda rows, s: difference_coordinates(rows, s)[1]
        ),
    },
    force=partial(coordinate_output, "N", "f [N or N m], (): pulls coordinate 1 back where positive"),
)
