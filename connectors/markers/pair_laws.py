"""Laws between two markers. A law is defined by one or two kernels that evaluate one row. This module contains the
implementation of `register_pair` for all marker families.

The schema has the columns ``marker0`` and ``marker1``, which refer to markers of one family, and ``active``. From these
columns and the kernels, `register_pair` creates the coordinates that a row couples, the loops over all rows, output
variables and the drawing. Finally, `register_pair` registers the law. If a law has no tangent kernel, its tangent is
computed by central differences of the force.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from warnings import warn

import numpy as np

from windlass.connectors.markers.coordinate_family import COORDINATE
from windlass.connectors.markers.coordinate_outputs import coordinate_output
from windlass.connectors.markers.pairs import (
    Pair,
    PairLoops,
    Vector,
    bind_pair,
    coordinate_pair,
    create_load,
    pair_dofs,
    position_pair,
    subtract,
)
from windlass.connectors.markers.position_kernels import POSITION
from windlass.framework.accounts import Account
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.assembly.post_newton import note_outcome
from windlass.framework.errors import ModelError, ModelWarning
from windlass.framework.kernels.call import Call, call
from windlass.framework.kernels.kernel import Kernel, kernel
from windlass.framework.kernels.program import NO_CALLS, Program
from windlass.framework.kernels.signature import check_arguments, check_results, takes
from windlass.framework.model.drawing import Drawing
from windlass.framework.model.gaps import GAP, Gaps, create_numbers
from windlass.framework.model.history import check_history, create_history
from windlass.framework.model.law import LocalRows, Output, Tables, register
from windlass.framework.model.law_checks import check_needs
from windlass.framework.model.rows import ARGUMENTS, check_kernels
from windlass.framework.model.schema import Component
from windlass.framework.model.system import Fields, System, evaluate
from windlass.framework.model.table import Entity, EntityTable

UPDATE, OUTCOME = (*ARGUMENTS, "h"), ("error", "step", "changed", "force")
"""UPDATE, OUTCOME: names of the arguments and of the results of the kernels that update history values."""
ALL = slice(None)
Update = Callable[[Any], None] | None
Before = Callable[[LocalRows], tuple[Update, Update]]

STEP = float(np.finfo(np.float64).eps ** (1 / 3))
"""Relative step of central differences [1]. The cube root of the machine precision is optimal for smooth functions."""
SMALLEST = 1e-2
"""Smallest reference value of the steps of differences, for displacements [m, rad] and velocities [m/s, rad/s]. The
step is `STEP` times the larger of this value and the largest absolute component of the displacement or velocity.
"""


@dataclass(frozen=True)
class PairKind:
    """Functions and kernels that all laws between two markers of a family use."""

    family: str  # the marker family
    loops: Callable[
        [Kernel, Any, Kernel], PairLoops
    ]  # function ``(force, force_tangent, load) -> residual, tangent`` for all rows
    differences: Callable[[Kernel], Kernel] | None  # function ``(force) -> force_tangent``, by central differences
    motion: Kernel  # kernel ``(markers, pair, i)`` that returns the relative displacement u of row i and its rate
    outputs: Mapping[str, Output]  # output variables that every law of this family has
    force: Callable[[Callable[..., Any]], Output]  # function that creates the output variable of the force
    targets: tuple[str, ...] = ()  # required families of markers 0 and 1; default: ``family`` for both
    number: Callable[[Kernel], Kernel] = lambda value: value
    """Function that converts a kernel with one scalar result to the kernel that evaluates outputs and energies. For
    example, the converted kernel returns a real instead of a complex number.
    """
    vector: Callable[[Kernel], Kernel] = lambda force: force
    """Function that converts a force kernel to a kernel with three results."""
    further: Callable[[Any], tuple[Any, ...]] = lambda s: ()
    """Function ``(s)`` that returns the additional arguments of the tangent loop. In a call, these arguments are placed
    after the markers.
    """


def register_kind(
    kind: PairKind,
    ground: Callable[[Any], Entity] | None,
    component: type[Component],
    force: Kernel,
    force_tangent: Kernel | None = None,
    *,
    derive: Callable[[LocalRows], Mapping[str, Any]] | None = None,
    outputs: Mapping[str, Output] | None = None,
    source: str = "",
    before: Before | None = None,
    stored: Mapping[str, Kernel] | None = None,
    lost: Mapping[str, Kernel] | None = None,
    passed: Mapping[str, Kernel] | None = None,
    sliding: Kernel | None = None,
    finish: Callable[[LocalRows, System], None] | None = None,
    start: Sequence[float] = (),
    update: Kernel | None = None,
    update_inactive: bool = False,
    gap: Kernel | None = None,
    fill_defaults: Callable[[Tables, dict[str, Any]], dict[str, Any]] | None = None,
    in_place: Sequence[str] = (),
    check: Callable[[Tables, EntityTable], None] | None = None,
    draw: bool | Callable[[LocalRows, Fields, int], Drawing] = True,
) -> None:
    """Register a law between two markers.

    Args:
        kind: family of the markers.
        ground: function that creates the default of ``marker0``. None if the user must give ``marker0``.
        component: class with the columns of the law.
        force: kernel for one row, see `pairs.position_pair` and `pairs.coordinate_pair`.
        force_tangent: kernel of the derivatives of ``force``. The default is central differences.
        derive: function ``(rows)`` that returns the derived values of the schema (`derived`) by name, as arrays of
            shape (rows, ...).
        outputs: output variables of the law in addition to the variables of the family. The function ``evaluate`` of a
            variable may be a kernel ``(row, u, ut, t) -> float``.
        source: publication from which the law is taken.
        before: function ``(rows) -> (update, update)`` that returns two updates of the data of the rows. The first is
            called before the forces are evaluated, and the second before the tangent is evaluated. An update is a
            kernel call, a function ``(s)``, or None.
        stored, lost, passed: kernels ``(row, u, ut, t) -> float`` by name, for the energy that a row stores [J], and
            for the powers that it loses and transfers [W]. See `Account`.
        sliding: kernel ``(row, u, ut, t)`` for laws whose energy lost by sliding is computed once per step. The kernel
            returns the power that the row receives [W], the stored part of the energy [J], and 1 while the row slides,
            otherwise 0. The energy that is not stored is added to "sliding" of ``lost``.
        finish: function ``(rows, system)`` that adds further parts of the law.
        start: initial history values of a row, for schemas with a reference ``data``. A reference given by the user is
            checked. If the user gives none, history values are created. Kernels read ``row.history``, the values for
            the evaluation of forces, and ``row.start``, the values at the start of the step. Both have the shape (n,).
        update: kernel ``(row, u, ut, t, h)`` that sets ``row.history`` after Newton's method, in a step of h seconds (h
            = 0 in static solves). The kernel returns the force error [N], the recommended step size [s] or inf, whether
            a contact state has changed, and the force of the row [N]. See `PostNewton`.
        update_inactive: whether ``update`` is also called for inactive rows.
        gap: kernel ``(row, u, ut, numbers)`` that writes the gap quantities of a row, see `Gaps`, for contacts that
            open and close.
        in_place: names of numerical columns whose values the law stores only in the records of the rows. After a change
            by `World.set` of such columns alone, the records are updated, and the system is not built again.
        fill_defaults, check: arguments that are passed to `register`.
        draw: whether rows are drawn as lines between their two points, or a function that draws them.

    Raises:
        ModelError: the schema lacks columns that a pair needs, or a kernel has wrong arguments or results.
    """
    name = component.__name__
    check_needs(component, ("marker0", "marker1", "active"), f"register_pair of {name}")
    for marker, target in zip(("marker0", "marker1"), kind.targets or (kind.family,) * 2, strict=True):
        if component.refs[marker].target != target:
            raise ModelError(f"{marker} of {name} = {component.refs[marker].target}: must be a {target}")
    spatial = kind.family == POSITION
    if force_tangent is None and kind.differences is not None:
        check_arguments(force, f"force of {name}", ARGUMENTS)
        words = f"{name} has no tangent kernel: its tangent is made by central differences of the force"
        warn(
            f"{words}, which are accurate to about 9 digits and need {12 if spatial else 4} more evaluations of the "
            "force",
            ModelWarning,
            stacklevel=4,
        )
        force_tangent = kind.differences(force)
    if start:
        check_needs(component, ("data",), f"start of {name}")
    if update is not None:
        if not start:
            raise ModelError(
                f"update of {name}: must be given together with start, the initial history values of a row"
            )
        check_arguments(update, f"update of {name}", UPDATE)
        check_results(update, f"update of {name}", OUTCOME)
    loss = dict(lost or {})
    if sliding is not None:
        loss.setdefault("sliding", no_power)
    check_kernels(
        component, force, force_tangent, start=start, update=update, gap=gap, sliding=sliding,
        stored=stored, lost=loss, passed=passed, outputs=outputs,
    )  # fmt: skip
    load = create_load(len(start))
    residual, tangent = kind.loops(force, force_tangent, load)
    powers = [*loss.values(), *(passed or {}).values()]
    values = [
        (value_loop(kind.motion, kind.number(value), False, load), name, k)
        for some, name in (((stored or {}).values(), "energies"), (powers, "powers"))
        for k, value in enumerate(some)
    ]
    measure = None if gap is None else gap_loop(kind.motion, gap, load)
    renew = None if update is None else update_loop(kind.motion, update, load, len(start), update_inactive)
    slide = None if sliding is None else sliding_loop(kind.motion, sliding, load)
    place = list(loss).index("sliding") if sliding is not None else 0

    def bind(rows: LocalRows) -> tuple[Pair, Any]:
        values = derive(rows) if derive is not None else {}
        if set(values) != set(component.derived):
            words = f"must be {', '.join(component.derived) or 'nothing'}, the derived values of the schema"
            raise ModelError(f"derive of {name} returns {', '.join(values) or 'nothing'}: {words}")
        return bind_pair(rows), rows.pack(values, len(start))

    def build(rows: LocalRows) -> System:
        pair, own = rows.columns
        system = System(name, rows.dofs)
        bring, bring_tangent = bind_before(rows, before)

        def read(s: Fields) -> tuple[Any, ...]:
            return own, pair, s.markers[kind.family], s.time, s.data, s.start_data

        system.residual = bring + call(residual, lambda s: (*read(s), s.f))
        system.tangent = bring_tangent + call(
            tangent, lambda s: (*read(s), *kind.further(s), s.dq, s.dv, s.slots, s.values)
        )
        if renew is not None:
            system.post_newton = call(renew, lambda s: (*read(s), s.step_size, s.outcome))
        if values:
            reads = sum((read_value(read, *value) for value in values), bring)
            account = Account(
                reads, tuple(stored or ()), tuple(loss), tuple(passed or ()), conserves=not loss and not passed
            )
            if slide is not None:
                account = replace(
                    account,
                    read=reads + call(slide, lambda s: (*read(s), s.parts)),
                    parts=(len(own), 3),
                    jumps=call(fill_jumps, lambda s: (s.parts_before, s.parts, s.size, s.jumps, place)),
                )
            system.account = account
        if measure is not None:
            numbers = create_numbers(len(own))
            system.gaps = Gaps(
                bring + call(measure, lambda s: (*read(s), numbers)), numbers, lambda k: f"{name} row {rows.rows[k]}"
            )
        if finish is not None:
            finish(rows, system)
        system.changes.copy = partial(change_rows, rows, (pair, own), set(in_place))
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
        key: replace(output, evaluate=evaluate_rows(kind, kind.number(output.evaluate), load, before=before))
        for key, output in given.items()
        if takes(output.evaluate, ARGUMENTS)
    }
    force_output = kind.force(evaluate_rows(kind, kind.vector(force), load, spatial, before))

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


def change_rows(rows: LocalRows, columns: tuple[Pair, Any], in_place: set[str], names: Sequence[str]) -> bool:
    """Copy the present values of the columns ``names`` to the records of a system, and return True. If the system must
    be built again, copy nothing and return False. A system must be built again in three cases. First, a column is not
    in ``in_place``. Second, a changed row has a user function, because the user function has its own copies of the
    values. Third, a value changes from 0 to another value or back, because the energies and powers in the `Account` of
    a law depend on which values are not 0.
    """
    if not in_place.issuperset(names):
        return False
    own = columns[1]
    calls = own["has_function"] if "has_function" in own.dtype.names else np.zeros(len(own), np.bool_)
    present = {name: rows.local(name) for name in names}
    for name, now in present.items():
        before = own[name]
        changed = (before != now).reshape(len(own), -1).any(axis=1)
        if ((before != 0) != (now != 0)).any() or (changed & calls).any():
            return False
    for name, now in present.items():
        own[name] = now
    rows.keep(columns)
    return True


def evaluate_rows(
    kind: PairKind, kernel: Kernel, load: Kernel, vector: bool = False, before: Before | None = None
) -> Callable[..., Any]:
    """Create the function that evaluates an output variable of all rows by a kernel for one row. The value is 0 for
    inactive rows.
    """
    loop = value_loop(kind.motion, kernel, vector, load)

    def eval_rows(rows: LocalRows, s: Fields) -> FloatArray:
        pair, own = rows.columns
        if before is not None:
            bind_before(rows, before)[0](evaluate(s))
        out = np.zeros((len(own), 3) if vector else len(own))
        loop(own, pair, s.markers[kind.family], s.time, s.data, s.start_data, out)
        return out

    return eval_rows


def read_value(read: Callable[[Any], tuple[Any, ...]], value: Kernel, name: str, k: int) -> Call:
    """Create the call that fills the k-th energy or power of an `Account` by a `value_loop`. The value is 0 for
    inactive rows.
    """
    return call(value, lambda s: (*read(s), getattr(s, name)[k]))


def bind_before(rows: LocalRows, before: Before | None) -> tuple[Call, Call]:
    """Return the two calls that update the data of rows before the forces and before the tangent are evaluated."""
    first, second = (None, None) if before is None else before(rows)
    return as_call(first), as_call(second)


def as_call(update: Update) -> Call:
    """Convert an update to a `Call`. None becomes a call that does nothing."""
    return update if isinstance(update, Call) else Call(before=() if update is None else (update,))


def gap_loop(motion: Kernel, gap: Kernel, load: Kernel) -> Kernel:
    """Create the kernel ``(rows, pair, m, time, data, start, numbers)`` that writes the gap quantities of all rows, see
    `Gaps`. Inactive rows have an infinite gap.
    """

    @kernel
    def fill_gaps(
        rows: Any, pair: Pair, m: Any, time: FloatArray, data: FloatArray, start: FloatArray, numbers: FloatArray
    ) -> None:
        for i in range(len(pair.m0)):
            if pair.active[i]:
                row = rows[i]
                load(row, data, start)
                u, ut = motion(m, pair, i)
                gap(row, u, ut, numbers[i])
            else:
                numbers[i, GAP] = np.inf

    return fill_gaps


def value_loop(motion: Kernel, evaluate: Kernel, vector: bool, load: Kernel) -> Kernel:
    """Create the kernel ``(rows, pair, m, time, data, start, out)`` that writes the results of a kernel for all active
    rows. A result is a scalar, or a vector of three components.
    """

    @kernel
    def fill_numbers(
        rows: Any, pair: Pair, m: Any, time: FloatArray, data: FloatArray, start: FloatArray, out: FloatArray
    ) -> None:
        for i in range(len(pair.m0)):
            if pair.active[i]:
                row = rows[i]
                load(row, data, start)
                u, ut = motion(m, pair, i)
                out[i] = evaluate(row, u, ut, time[0])

    @kernel
    def fill_vectors(
        rows: Any, pair: Pair, m: Any, time: FloatArray, data: FloatArray, start: FloatArray, out: FloatArray
    ) -> None:
        for i in range(len(pair.m0)):
            if pair.active[i]:
                row = rows[i]
                load(row, data, start)
                u, ut = motion(m, pair, i)
                out[i, 0], out[i, 1], out[i, 2] = evaluate(row, u, ut, time[0])

    return fill_vectors if vector else fill_numbers


def update_loop(motion: Kernel, update: Kernel, load: Kernel, history: int, inactive: bool) -> Kernel:
    """Create the kernel ``(rows, pair, m, time, data, start, size, outcome)`` that updates the history values of all
    active rows, and of inactive rows if ``inactive`` is true.

    The outcome contains the largest force error and the row with this error, the smallest recommended step size,
    whether any contact state has changed, and the largest force.
    """

    @kernel
    def update_history(
        rows: Any,
        pair: Pair,
        m: Any,
        time: FloatArray,
        data: FloatArray,
        start: FloatArray,
        size: FloatArray,
        outcome: FloatArray,
    ) -> None:
        error, step, changed, largest, worst = 0.0, np.inf, False, 0.0, -1
        for i in range(len(pair.m0)):
            if not (pair.active[i] or inactive):
                continue
            row = rows[i]
            load(row, data, start)
            u, ut = motion(m, pair, i)
            jump, sooner, changes, force = update(row, u, ut, time[0], size[0])
            for k in range(history):
                data[row.data + k] = row.history[k]
            if jump > error:
                error, worst = jump, i
            step, largest = min(step, sooner), max(largest, force)
            changed = changed or changes
        note_outcome(outcome, error, step, changed, largest, worst)

    return update_history


def sliding_loop(motion: Kernel, sliding: Kernel, load: Kernel) -> Kernel:
    """Create the kernel ``(rows, pair, m, time, data, start, out)`` that writes the results of ``sliding`` for all
    rows, for `fill_jumps`. The results are 0 for inactive rows.
    """

    @kernel
    def fill_parts(
        rows: Any, pair: Pair, m: Any, time: FloatArray, data: FloatArray, start: FloatArray, out: FloatArray
    ) -> None:
        for i in range(len(pair.m0)):
            out[i, :] = 0.0
            if pair.active[i]:
                row = rows[i]
                load(row, data, start)
                u, ut = motion(m, pair, i)
                out[i, 0], out[i, 1], out[i, 2] = sliding(row, u, ut, time[0])

    return fill_parts


@kernel
def fill_jumps(before: FloatArray, now: FloatArray, size: FloatArray, lost: FloatArray, place: int) -> None:
    """Add the energy [J] that is lost by sliding in a step of size[0] seconds to ``lost[place]``. For each row that
    slides at the start or at the end of the step, the lost energy is the work done on the row minus the change of the
    energy stored in the row.

    The arguments ``before`` and ``now`` are outputs of a `sliding_loop`. At the end, ``now`` is copied to ``before``.
    """
    for i in range(len(now)):
        if before[i, 2] + now[i, 2] > 0.0:
            lost[place, i] += 0.5 * size[0] * (before[i, 0] + now[i, 0]) - (now[i, 1] - before[i, 1])
        for k in range(now.shape[1]):
            before[i, k] = now[i, k]


@kernel
def no_power(row: Any, u: Any, ut: Any, t: float) -> float:
    """Return 0 as the power lost by sliding, because `fill_jumps` computes the energy lost in each step."""
    return 0.0


def draw_lines(rows: LocalRows, fields: Fields, shown: Mapping[str, Output]) -> Drawing:
    """Draw each row as a line between its two points, with output variables as fields."""
    pair, n = rows.columns[0], len(rows.rows)
    p = fields.markers[POSITION].position
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
    """Return the global vector u = p1 - p0 [m] between the points of row i, and its rate u_t [m/s]."""
    m0, m1 = pair.m0[i], pair.m1[i]
    return subtract(m.position, m1, m0), subtract(m.velocity, m1, m0)


@kernel
def row_of_coordinates(m: Any, pair: Pair, i: int) -> tuple[float, float]:
    """Return the difference u = w1 x1 - w0 x0 [m or rad] of the coordinates of row i, each multiplied by its factor,
    and the rate u_t [m/s or rad/s]."""
    m0, m1, w0, w1 = pair.m0[i], pair.m1[i], pair.w0[i], pair.w1[i]
    return w1 * m.value[m1] - w0 * m.value[m0], w1 * m.rate[m1] - w0 * m.rate[m0]


def position_differences(force: Kernel) -> Kernel:
    """Create the tangent kernel of a law between position markers by central differences of the force kernel."""

    @kernel
    def force_tangent(row: Any, u: Vector, ut: Vector, t: float, P: FloatArray, V: FloatArray) -> None:
        h = STEP * max(SMALLEST, abs(u[0]), abs(u[1]), abs(u[2]))
        g = STEP * max(SMALLEST, abs(ut[0]), abs(ut[1]), abs(ut[2]))
        for b in range(3):
            x, y, z = 1.0 if b == 0 else 0.0, 1.0 if b == 1 else 0.0, 1.0 if b == 2 else 0.0
            plus = force(row, (u[0] + h * x, u[1] + h * y, u[2] + h * z), ut, t)
            minus = force(row, (u[0] - h * x, u[1] - h * y, u[2] - h * z), ut, t)
            faster = force(row, u, (ut[0] + g * x, ut[1] + g * y, ut[2] + g * z), t)
            slower = force(row, u, (ut[0] - g * x, ut[1] - g * y, ut[2] - g * z), t)
            for a in range(3):
                P[a, b] = (plus[a] - minus[a]) / (2.0 * h)
                V[a, b] = (faster[a] - slower[a]) / (2.0 * g)

    return force_tangent


def coordinate_differences(force: Kernel) -> Kernel:
    """Create the tangent kernel of a law between coordinate markers by central differences of the force kernel."""

    @kernel
    def force_tangent(row: Any, u: float, ut: float, t: float) -> tuple[float, float]:
        h, g = STEP * max(SMALLEST, abs(u)), STEP * max(SMALLEST, abs(ut))
        df_du = (force(row, u + h, ut, t) - force(row, u - h, ut, t)) / (2.0 * h)
        return df_du, (force(row, u, ut + g, t) - force(row, u, ut - g, t)) / (2.0 * g)

    return force_tangent


Measure = Callable[[Fields], tuple[FloatArray, FloatArray]]
"""Function ``(fields) -> u, ut`` that returns the arguments u and u_t of user functions for some rows. The next call
overwrites the arrays.
"""


def prepare_measure(
    kernel: Kernel, motion: Callable[[Fields], tuple[FloatArray, FloatArray]], given: tuple[Any, ...],
    room: tuple[FloatArray, FloatArray],
) -> Measure:  # fmt: skip
    """Create a `Measure`, for laws with user functions, that computes u and ut by a kernel ``(values, rates, *given, u,
    ut)``. A computation with NumPy would take ten times as long.

    Args:
        motion: function that returns values and rates of all markers.
        given, room: constant arguments of the kernel, and the arrays u and ut that the kernel fills.
    """
    program, last = NO_CALLS, np.zeros(0)

    def find(s: Fields) -> tuple[FloatArray, FloatArray]:
        nonlocal program, last
        values, rates = motion(s)
        if values is not last:
            last = values
            program = Program([(call(kernel, lambda s: (values, rates, *given, *room)), (s,))])
        program()
        return room

    return find


@kernel(fast=False)
def fill_positions(p: FloatArray, v: FloatArray, m0: IntArray, m1: IntArray, u: FloatArray, ut: FloatArray) -> None:
    """Write the vectors u = p1 - p0 [m] between points, and their rates u_t [m/s], shape (n, 3) each."""
    for i in range(len(m0)):
        for k in range(3):
            u[i, k], ut[i, k] = p[m1[i], k] - p[m0[i], k], v[m1[i], k] - v[m0[i], k]


@kernel(fast=False)
def fill_coordinates(
    x: FloatArray, rate: FloatArray, m0: IntArray, m1: IntArray, w0: FloatArray, w1: FloatArray, u: FloatArray,
    ut: FloatArray,
) -> None:  # fmt: skip
    """Write the differences u = w1 x1 - w0 x0 [m or rad] of coordinates, each multiplied by its factor, and the rates
    u_t [m/s or rad/s], shape (n, 1) each."""
    for i in range(len(m0)):
        u[i, 0] = w1[i] * x[m1[i]] - w0[i] * x[m0[i]]
        ut[i, 0] = w1[i] * rate[m1[i]] - w0[i] * rate[m0[i]]


def read_positions(s: Fields) -> tuple[FloatArray, FloatArray]:
    """Return positions [m] and velocities [m/s] of all markers, shape (markers, 3) each."""
    m = s.markers[POSITION]
    return m.position, m.velocity


def measure_positions(rows: LocalRows, which: IntArray) -> Measure:
    """Create a `Measure` of `difference_positions` for the rows ``which`` with user functions."""
    room = np.zeros((len(which), 3)), np.zeros((len(which), 3))
    return prepare_measure(fill_positions, read_positions, pick_pairs(rows, which, "m0", "m1"), room)


def measure_coordinates(rows: LocalRows, which: IntArray) -> Measure:
    """Create a `Measure` of `difference_coordinates`, with results of shape (n, 1), for the rows ``which`` with user
    functions.
    """

    def read(s: Fields) -> tuple[FloatArray, FloatArray]:
        m = s.markers[COORDINATE]
        return m.value, m.rate

    room = np.zeros((len(which), 1)), np.zeros((len(which), 1))
    return prepare_measure(fill_coordinates, read, pick_pairs(rows, which, "m0", "m1", "w0", "w1"), room)


def pick_pairs(rows: LocalRows, which: Any, *names: str) -> tuple[Any, ...]:
    """Return the fields ``names`` of the `Pair` of the rows ``which``. The value `ALL` selects all rows."""
    return tuple(getattr(rows.columns[0], name)[which] for name in names)


def difference_positions(rows: LocalRows, s: Fields) -> tuple[FloatArray, FloatArray]:
    """Return the global vectors u = p1 - p0 [m] between the points of all rows, and their rates u_t [m/s], shape (n, 3)
    each."""
    m, (m0, m1) = s.markers[POSITION], pick_pairs(rows, ALL, "m0", "m1")
    return m.position[m1] - m.position[m0], m.velocity[m1] - m.velocity[m0]


def difference_coordinates(rows: LocalRows, s: Fields) -> tuple[FloatArray, FloatArray]:
    """Return the differences u = x1 - x0 [m or rad] of the coordinates of all rows, and their rates u_t [m/s or rad/s],
    shape (n,) each. If the law has factors, x1 and x0 are multiplied by these factors.
    """
    m, (m0, m1, w0, w1) = s.markers[COORDINATE], pick_pairs(rows, ALL, "m0", "m1", "w0", "w1")
    return w1 * m.value[m1] - w0 * m.value[m0], w1 * m.rate[m1] - w0 * m.rate[m0]


def eval_distance(rows: LocalRows, s: Fields) -> FloatArray:
    """Return |p1 - p0| [m], shape (rows,)."""
    distance: FloatArray = np.sqrt((difference_positions(rows, s)[0] ** 2).sum(axis=1))
    return distance


POSITIONS = PairKind(
    POSITION,
    position_pair,
    position_differences,
    row_of_positions,
    outputs={
        "displacement": Output(
            "m",
            "vector p1 - p0 between the points, global, (3,); offsets are not subtracted",
            lambda rows, s: difference_positions(rows, s)[0],
        ),
        "distance": Output("m", "distance |p1 - p0| of the points, ()", eval_distance),
        "velocity": Output(
            "m/s",
            "relative velocity v1 - v0 of the points, global, (3,)",
            lambda rows, s: difference_positions(rows, s)[1],
        ),
    },
    force=partial(Output, "N", "force f, global, (3,); the force on point 1 is -f"),
)
COORDINATES = PairKind(
    COORDINATE,
    coordinate_pair,
    coordinate_differences,
    row_of_coordinates,
    outputs={
        "displacement": coordinate_output(
            "m",
            "difference x1 - x0 of the coordinates [m or rad], ()",
            lambda rows, s: difference_coordinates(rows, s)[0],
        ),
        "velocity": coordinate_output(
            "m/s",
            "difference x1_t - x0_t of the velocities [m/s or rad/s], ()",
            lambda rows, s: difference_coordinates(rows, s)[1],
        ),
    },
    force=partial(coordinate_output, "N", "force f [N or N m], (); the force on coordinate 1 is -f times its factor"),
)
