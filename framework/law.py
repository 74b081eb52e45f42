"""Laws: what a component does, registered by one call at the foot of its file.

A law is a schema plus plain functions.  ``dofs`` says which coordinates each row couples; ``build`` binds the rows of
one table to compiled kernels and returns a `System`.  Everything else (numbering, sparsity, scatter, solvers, output)
follows from these two, so a new law is one new file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from windlass.framework.describe import describe_outputs
from windlass.framework.schema import Component
from windlass.framework.table import EntityTable, IntArray

if TYPE_CHECKING:
    from windlass.framework.layout import Layout
    from windlass.framework.output.drawing import Drawing, Painting
    from windlass.framework.world import World

FloatArray = NDArray[np.float64]
Role = Literal["node", "body", "element", "marker", "load", "connector", "constraint", "data"]


@dataclass
class Fields:
    """What kernels read during one evaluation; local arrays (owned, then ghosts, then one spare entry that is 0).

    Coordinates that do not exist (ground) point at the spare entry, so that kernels need no branch for them.

    Attributes:
        x: total coordinates = reference + displacement [m, 1, rad], shape (n + 1,).
        v, a: velocities and accelerations, shape (n + 1,).
        lam: Lagrange multipliers [N, N m], shape (m + 1,).
        data, start_data: history values, current and at the start of the step, shape (d,).
        t: time [s].
        load_factor: factor on all loads [1].
        markers: columns of each marker family.
        rate_level: True when position constraints are imposed on their time derivative (index 2).
        unit_rates: True when this holds for the length of Euler parameters, whatever other constraints do.
    """

    x: FloatArray
    v: FloatArray
    a: FloatArray
    lam: FloatArray
    data: FloatArray
    start_data: FloatArray
    t: float = 0.0
    load_factor: float = 1.0
    markers: dict[str, Any] = field(default_factory=dict)
    rate_level: bool = False
    unit_rates: bool = False


class PostNewton(NamedTuple):
    """Result of a post-Newton update.

    Attributes:
        error: sum of the force errors of the worst connector [N].
        recommended_step: step size [s] that would reach the switching instant, inf if there is no wish.
        changed: whether a contact state (open/closed, stick/slip) changed.
        force: largest contact force of a connector [N], with which errors are compared.
        row: local row of the worst connector, -1 for none.
    """

    error: float = 0.0
    recommended_step: float = np.inf
    changed: bool = False
    force: float = 0.0
    row: int = -1


class Fault(NamedTuple):
    """What cannot be meant in a static equilibrium, though forces balance.

    Attributes:
        words: the row, what it does and the limit, with units.
        certain: a wrong shape; otherwise something that a finer mesh or a look at the model must decide.
    """

    words: str
    certain: bool = True


def _no_slots() -> IntArray:
    slots: Any = np.zeros((0, 0, 0), np.int32)
    return cast(IntArray, slots)


@dataclass
class System:
    """The work of one law on the local rows of one table.  All callables add to their outputs.

    Attributes:
        name: name of the component.
        dofs: local numbers of the coordinates of each row, shape (rows, n); the spare number for none.  A system whose
            rows change (contact neighbours) puts a new array here, in ``update``, and raises ``pattern_version``.
        foreign: world numbers of coordinates of other processes that ``dofs`` couple beyond the local ones, shape (k,).
            In ``dofs`` they have the numbers after the local ones, and the spare number comes after them.
        slots: positions in the matrix values for each row's block, shape (rows, n, n), int32; set by the assembly.
        runs: coordinates of a row come in runs of this many.  Where the unknowns of all runs follow each other, so do
            matrix values, and ``slots`` has only the first of them: of each run of columns, shape (rows, n, n / runs);
            or, if the matrix consists of blocks as large as a run, of each block, whose values follow each other
            column by column, shape (rows, n / runs, n / runs).
        update: ``(fields)`` evaluates marker columns.
        residual: ``(fields, f)`` adds left-hand-side forces [N, N m].
        tangent: ``(fields, dq, dv, slots, values)`` adds dq*df/dq + dv*df/dv.
        load: ``(fields, f)`` adds applied loads (right-hand side, without the load factor).
        load_tangent: like ``tangent`` for the loads.
        mass: ``(scale, slots, values)`` adds scale times a constant mass matrix.
        mass_product: ``(x, f)`` adds the product of that matrix and x, shape (n + 1,), to f; for laws with many
            coupled coordinates, where it is quicker than a product with the assembled matrix.
        dynamic_residual: ``(fields, f)`` does what ``residual`` and, on the accelerations, ``mass_product`` do, in one
            pass over the rows; both of them must be there as well.
        dynamic_tangent: ``(fields, dq, dv, mass, slots, values)`` likewise for ``tangent`` and ``mass``.
        body_force: ``(fields, g, which, f)`` adds the force of an acceleration field g [m/s^2], shape (3,), on the
            local rows ``which`` to f (applied load, right-hand side).
        body_force_tangent: ``(fields, g, which, dq, slots, values)`` adds dq times its derivative by q, for laws whose
            body force depends on the coordinates; they have ``inertia_tangent``, too.
        inertia: ``(fields, f)`` adds M(q) a + quadratic velocity terms of a law without constant mass.
        inertia_tangent: ``(fields, dq, dv, da, slots, values)``.
        constraint: for constraints, see `ConstraintSystem`.
        post_newton: ``(fields) -> PostNewton`` updates ``fields.data``; reads ``fields.start_data``.  Decisions
            (open or closed, sticks or slips) stand in the signs of history values, where solvers see if they repeat.
        decide: ``(fields)`` sets ``fields.data`` at the start of a solve from the motion and from what was stored; in
            its place, ``post_newton`` with the stored values as those of the start of a step.
        energy: ``(fields) -> J`` stored energy, for tests and balances.
        rounding: ``(fields) -> N`` 2-norm of the rounding errors of its forces that do not show in the coordinates of
            the unknowns: those of a large circle whose centre is held.
        energy_is_whole: whether it is that of all rows; false with forces of users, which need not have one.
        doubts: ``(fields, step) -> list of str`` says before a solve why its results will be doubtful and what to take
            instead; the nominal step [s] of dynamics, 0 in statics.
        invariants: ``(fields) -> dict`` gives numbers by name that stay whole numbers as they are while the model is
            what it was meant to be, for example how often a closed belt winds around its pulleys; summed by name.
        forget: drops what is carried over from step to step beside the state and has a say in the last bits (lists of
            neighbours), so that a run that goes on and one that is restarted do the same.
        trouble: ``(fields) -> list of str`` says for messages of failed solves why rows cannot be evaluated, if so;
            what they give is then not a number.
        diagnose: ``(fields) -> list of Fault`` says what cannot be meant in rows at a static equilibrium, such as a
            cable turned inside out.  Solvers ask for it once, at the end.
        pattern_version: counts the changes of ``dofs``; the assembly then sets up sparsity and slots again.  It rises
            on all processes together, also on those where nothing has changed.
    """

    name: str
    dofs: IntArray
    slots: IntArray = field(default_factory=_no_slots)
    runs: int = 1
    update: Callable[[Fields], None] | None = None
    residual: Callable[[Fields, FloatArray], None] | None = None
    tangent: Callable[[Fields, float, float, IntArray, FloatArray], None] | None = None
    load: Callable[[Fields, FloatArray], None] | None = None
    load_tangent: Callable[[Fields, float, float, IntArray, FloatArray], None] | None = None
    mass: Callable[[float, IntArray, FloatArray], None] | None = None
    mass_product: Callable[[FloatArray, FloatArray], None] | None = None
    dynamic_residual: Callable[[Fields, FloatArray], None] | None = None
    dynamic_tangent: Callable[[Fields, float, float, float, IntArray, FloatArray], None] | None = None
    body_force: Callable[[Fields, FloatArray, IntArray, FloatArray], None] | None = None
    body_force_tangent: Callable[[Fields, FloatArray, IntArray, float, IntArray, FloatArray], None] | None = None
    inertia: Callable[[Fields, FloatArray], None] | None = None
    inertia_tangent: Callable[[Fields, float, float, float, IntArray, FloatArray], None] | None = None
    constraint: ConstraintSystem | None = None
    post_newton: Callable[[Fields], PostNewton] | None = None
    decide: Callable[[Fields], None] | None = None
    energy: Callable[[Fields], float] | None = None
    rounding: Callable[[Fields], float] | None = None
    energy_is_whole: bool = True
    doubts: Callable[[Fields, float], list[str]] | None = None
    invariants: Callable[[Fields], dict[str, float]] | None = None
    forget: Callable[[], None] | None = None
    trouble: Callable[[Fields], list[str]] | None = None
    diagnose: Callable[[Fields], list[Fault]] | None = None
    pattern_version: int = 0
    foreign: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))


@dataclass
class ConstraintSystem:
    """Equations C(q, v, t) = 0 of the local rows of one table, each with a Lagrange multiplier.

    Attributes:
        multipliers: local numbers of the multipliers, shape (rows, m).
        residual: ``(fields, c, f)`` adds C (or its time derivative if ``fields.rate_level``) to c and C_q^T lam to f;
            a row that is switched off has c = lam.
        tangent: ``(fields, dq, dv, coupling, values)`` adds the blocks of the rows; see `Coupling`.
        acceleration: ``(fields, c)`` adds the right-hand side of C_q a = rhs, for consistent initial accelerations.
    """

    multipliers: IntArray
    residual: Callable[[Fields, FloatArray, FloatArray], None]
    tangent: Callable[[Fields, float, float, Coupling, FloatArray], None]
    acceleration: Callable[[Fields, FloatArray], None]


class Coupling(NamedTuple):
    """Matrix slots of the rows of one constraint table.

    Attributes:
        rows: slots of (multiplier, coordinate), shape (rows, m, n).
        columns: slots of (coordinate, multiplier), shape (rows, n, m).
        diagonal: slots of (multiplier, multiplier), shape (rows, m).
        block: slots of (coordinate, coordinate), shape (rows, n, n), for the curvature of C.
        scale: factor on C_q^T blocks: derivative of the multipliers with respect to the unknowns.
    """

    rows: IntArray
    columns: IntArray
    diagonal: IntArray
    block: IntArray
    scale: float


@dataclass(frozen=True)
class Output:
    """One output variable of a law.

    Attributes:
        unit: physical unit.
        doc: meaning, shape and frame.
        evaluate: ``(rows: LocalRows, fields, **where) -> array (rows, ...)``; ``where`` are places on the entity,
            for instance ``x=`` [m] along a cable.
        fill: value at the end of rows that have fewer entries than the widest row of an evaluation.
        place_ranks: number of axes of one place, for places that are not numbers: ``{"local": 1}`` for vectors.
        units_of: ``(rows: LocalRows) -> units``, one per row, where they differ by row; default: ``unit``.
    """

    unit: str
    doc: str
    evaluate: Callable[..., Any]
    fill: float = 0.0
    place_ranks: Mapping[str, int] = field(default_factory=dict)
    units_of: Callable[[LocalRows], Sequence[str]] | None = None


@dataclass(frozen=True)
class LocalRows:
    """The rows of one table that this process evaluates, in local numbering.

    Attributes:
        world: the world.
        table: the table.
        rows: row numbers in the table, shape (rows,).
        dofs: local coordinate numbers, shape (rows, n).
        layout: the local numbering.
    """

    world: World
    table: EntityTable
    rows: IntArray
    dofs: IntArray
    layout: Layout

    def column(self, name: str) -> NDArray[Any]:
        """Values of a column for these rows, shape (rows, *shape)."""
        return self.table.values(name, self.rows)

    @property
    def reference(self) -> FloatArray:
        """Reference coordinates of these rows, shape (rows, n)."""
        values: FloatArray = self.layout.reference[self.dofs]
        return values

    def markers(self, name: str) -> IntArray:
        """Positions of the referenced markers in the columns of their family, shape (rows,)."""
        index: IntArray = self.layout.marker_index[self.column(name)]
        return index

    def data_start(self, name: str) -> IntArray:
        """Position of the first history value of the referenced GenericData rows, shape (rows,)."""
        start: IntArray = self.layout.data_start[self.column(name)]
        return start

    def own_marker_index(self) -> IntArray:
        """For marker tables: position of these rows in the columns of their family, shape (rows,)."""
        index: IntArray = self.layout.marker_index[self.table.ids_of(self.rows)]
        return index


@dataclass(frozen=True)
class Law:
    """What is registered for a component.

    Attributes:
        component: the schema.
        role: kind of the law; decides when its system runs.
        dofs: ``(world, table) -> world coordinate numbers of the rows that this process has``, in the order of
            ``table.held``, -1 for none, shape (held, n).
        build: ``(rows) -> System`` binds rows to kernels; called again when a switchable column changes.
        outputs: output variables by name.
        complete: ``(world, values) -> values`` fills in what the user left out (creates nodes, data).
        check: ``(world, table) -> None`` raises ModelError for rows, of those that this process has, that do not fit
            together.
        everywhere: rows are local on all processes, which share the work within a row (contact sets).
        multipliers: number of multipliers of each row (constraints).
        family: marker family that the rows belong to (markers).
        source: where the law comes from.
        draw: ``(rows, fields, subdivisions) -> Drawing`` shows the rows as points and lines.
        paint: ``(rows, fields) -> Painting`` lays values onto the lines of other entities.
        draw_keys: ``(rows) -> keys, shape (rows, k)``: rows of equal keys draw one and the same thing (a pulley that
            touches many cables), which the first of them shows.
    """

    component: type[Component]
    role: Role
    dofs: Callable[[World, EntityTable], IntArray] | None = None
    build: Callable[[LocalRows], System] | None = None
    outputs: Mapping[str, Output] = field(default_factory=dict)
    complete: Callable[[World, dict[str, Any]], dict[str, Any]] | None = None
    check: Callable[[World, EntityTable], None] | None = None
    everywhere: bool = False
    multipliers: int = 0
    family: str = ""
    source: str = ""
    draw: Callable[[LocalRows, Fields, int], Drawing] | None = None
    paint: Callable[[LocalRows, Fields], Painting] | None = None
    draw_keys: Callable[[LocalRows], NDArray[Any]] | None = None


@dataclass(frozen=True)
class MarkerFamily:
    """A kind of attachment: the columns that all markers of the family fill and all connectors read.

    Attributes:
        name: e.g. ``"position marker"``.
        allocate: ``(world, ids, layout) -> columns`` makes the NamedTuple of columns for the local markers ``ids``.
    """

    name: str
    allocate: Callable[[World, IntArray, Layout], Any]


_laws: dict[type[Component], Law] = {}
_families: dict[str, MarkerFamily] = {}


def register(law: Law) -> Law:
    """Make a law known; called once at the foot of its file."""
    _laws[law.component] = law
    # for ``help``
    law.component.__doc__ = (law.component.__doc__ or "") + describe_outputs(law.outputs)
    return law


def register_family(family: MarkerFamily) -> MarkerFamily:
    """Make a marker family known."""
    _families[family.name] = family
    return family


def law_of(component: type[Component]) -> Law | None:
    """The law of a component, or None for a component without behaviour."""
    return _laws.get(component)


def role_of(component: type[Component]) -> str:
    """The role of a component, empty for a component without behaviour."""
    law = law_of(component)
    return law.role if law is not None else ""


def family_of(name: str) -> MarkerFamily:
    """The marker family of that name."""
    return _families[name]


def laws() -> Mapping[type[Component], Law]:
    """All registered laws."""
    return dict(_laws)
