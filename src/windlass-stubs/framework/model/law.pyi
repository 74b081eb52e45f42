# Made by scripts/make_stubs.py from the schemas of the components: do not edit, call `make stubs`.
"""Laws: the behaviour of a component, registered by one call at the end of its file.

A law is a schema plus plain functions.  ``dofs`` defines which coordinates each row couples, by the names of
references; ``build`` binds the rows of one table to compiled kernels and returns a `System`.  Everything else
(numbering, sparsity, scatter, solvers, output) follows from these two, so a new law is one new file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from windlass.framework.accounts import Losses
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.errors import ModelError
from windlass.framework.kernels.signature import check_arguments, takes_arguments_of
from windlass.framework.model.drawing import Drawing, Painting, describe_outputs
from windlass.framework.model.drawing import Output as Output
from windlass.framework.model.law_checks import check_law, check_needs
from windlass.framework.model.rows import row_type
from windlass.framework.model.schema import Component, Family
from windlass.framework.model.system import Fields, System
from windlass.framework.model.table import Entity, EntityTable
from windlass.framework.parallel.lookup import Lookup
from windlass.framework.parallel.processes import Processes

Dofs = Callable[["Tables", EntityTable], IntArray] | str | tuple[str, ...]
Role = Literal["node", "body", "element", "marker", "load", "connector", "constraint", "data", "passive"]

BUILD_ORDER = ("passive", "node", "body", "element", "marker", "load", "connector", "constraint")


class Numbers(Protocol):
    """The interface of the numbers of the whole world for laws; see `Numbering`."""

    node_dofs: dict[type[Component], IntArray]
    reference: FloatArray
    displacement: FloatArray

    def places(self, dofs: IntArray) -> IntArray:
        """Places of coordinates among the coordinates that this process knows."""

    def reference_of(self, dofs: IntArray) -> FloatArray:
        """Reference values of the coordinates with these numbers in the world."""


from windlass.framework.model.world import World as Tables


class Rows(Protocol):
    """The interface of the local numbering of a process for laws; see `Layout`."""

    rank: int
    size: int
    comm: Any
    processes: Processes
    rows: dict[type[Component], IntArray]
    systems: dict[type[Component], System]
    spare: int
    dofs: IntArray
    reference: FloatArray
    displacement: FloatArray
    marker_index: Lookup
    data_start: Lookup
    losses: dict[type[Component], Losses]

    def local_dofs(self, world_dofs: IntArray) -> IntArray:
        """Local numbers of world coordinates."""

    def multipliers(self, table: EntityTable, rows: IntArray) -> IntArray:
        """Local numbers of the multipliers of rows."""

    def owners(self, component: type[Component]) -> IntArray:
        """Process that owns each row of a table."""

    def local_row(self, ids: IntArray) -> IntArray:
        """Position of entities among the local rows of their table."""


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

    world: Tables
    table: EntityTable
    rows: IntArray
    dofs: IntArray
    layout: Rows
    _bound: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def columns(self) -> Any:
        """Columns from ``bind`` of the law of these rows; made once, and again after a change of a switchable
        column."""
        bind = _laws[self.table.component].bind
        assert bind is not None, f"{self.table.kind} was registered without bind"
        return self.kept("columns", lambda: bind(self))

    def kept(self, name: str, make: Callable[[], Any]) -> Any:
        """A cached object of these rows, made once, and again after a change of a switchable column."""
        version = self.world.changed.get(self.table.component, 0)
        if self._bound.get("version") != version:
            self._bound.clear()
            self._bound["version"] = version
        if name not in self._bound:
            self._bound[name] = make()
        return self._bound[name]

    def select(self, which: IntArray) -> LocalRows:
        """A subset of these rows, selected by position, shape (k,)."""
        return LocalRows(self.world, self.table, self.rows[which], self.dofs[which], self.layout)

    def local(self, name: str) -> NDArray[Any]:
        """Values of a column for these rows, shape (rows, *shape)."""
        return self.table.local(name, self.rows)

    def padded(self, name: str) -> NDArray[Any]:
        """Chains of entities, or values along the chains, padded with -1 or 0 to the longest chain of the table.

        Returns:
            Entity numbers, shape (rows, length), or values, shape (rows, length, *shape).
        """
        col = self.table.component.columns.get(name)
        length, _ = self.world.ref_shape(self.table, name if col is None else col.along)
        return self.table.padded(name, length, self.rows)

    @property
    def reference(self) -> FloatArray:
        """Reference coordinates of these rows, shape (rows, n)."""
        values: FloatArray = self.layout.reference[self.dofs]
        return values

    def markers(self, name: str) -> IntArray:
        """Positions of the referenced markers in the columns of their family, shape (rows,), for chains (rows,
        length)."""
        is_chain = self.table.component.refs[name].is_chain
        index: IntArray = self.layout.marker_index[self.padded(name) if is_chain else self.local(name)]
        return index

    def pack(self, derived: Mapping[str, NDArray[Any]] | None = None, history: int = 0) -> NDArray[Any]:
        """The records of these rows for kernels, shape (rows,).

        Args:
            derived: values of further fields by name, shape (rows, ...).
            history: number of history values of a row.
        """
        component, values = self.table.component, dict(derived or {})
        packed = np.zeros(len(self.rows), row_type(component, values, history))
        for name in packed.dtype.names or ():
            if name in component.columns:
                packed[name] = self.local(name)
            elif name in component.refs:
                is_history = component.refs[name].target == "GenericData"
                packed[name] = self.data_start(name) if is_history else self.markers(name)
            elif name in values:
                packed[name] = values[name]
        return packed

    def data_start(self, name: str) -> IntArray:
        """Position of the first history value of the referenced GenericData rows, shape (rows,)."""
        start: IntArray = self.layout.data_start[self.local(name)]
        return start

    def own_marker_index(self) -> IntArray:
        """For marker tables: position of these rows in the columns of their family, shape (rows,)."""
        index: IntArray = self.layout.marker_index[self.table.ids_of(self.rows)]
        return index


class MarkerFamily(Family):
    """A kind of attachment: the columns that all its markers fill and all connectors on these markers read.

    Attributes:
        allocate, register_pair: see `register_family`.
    """

    allocate: Callable[[Tables, IntArray, Rows], Any]
    register_pair: Callable[..., None] | None = None


@dataclass(frozen=True)
class Law:
    """The registration of a component; for the attributes see `register`."""

    component: type[Component]
    role: Role
    dofs: Dofs | None = None
    bind: Callable[[LocalRows], Any] | None = None
    build: Callable[[LocalRows], System] | None = None
    outputs: Mapping[str, Output] = field(default_factory=dict)
    fill_defaults: Callable[[Tables, dict[str, Any]], dict[str, Any]] | None = None
    fills: tuple[str, ...] = ()
    makes: tuple[type[Component], ...] = ()
    check: Callable[[Tables, EntityTable], None] | None = None
    replicated: bool = False
    reads: Callable[[Tables, EntityTable], IntArray] | None = None
    multipliers: int = 0
    family: MarkerFamily | None = None
    source: str = ""
    draw: Callable[[LocalRows, Fields, int], Drawing] | None = None
    paint: Callable[[LocalRows, Fields], Painting] | None = None
    draw_keys: Callable[[LocalRows], NDArray[Any]] | None = None

    @property
    def needs_whole(self) -> bool:
        """Whether worlds with these rows stay complete on every process, because any rows may become neighbours."""
        return self.replicated or self.reads is not None


_laws: dict[type[Component], Law] = {}


@takes_arguments_of(Law)
def register(law: Law) -> None:
    """Register the law of a component; called once at the end of its file.

    Args:
        component: the schema.
        role: kind of the law; it determines when the system of the law runs. ``data`` rows are history values;
            ``passive`` rows are only read by other laws (the ground, materials, surfaces).
        dofs: coordinates that each row couples: the coordinates of these references, in this order; nodes couple their
            own coordinates. Alternatively ``(world, table) -> world coordinate numbers of the rows that this process
            has``, in the order of ``table.resident``, -1 for no coordinate, shape (resident, n).
        bind: ``(rows) -> columns`` returns the arrays that kernels read, for any rows; functions access them as
            ``rows.columns``, which are made once for all outputs and frames.
        build: ``(rows) -> System`` of all rows of this process; called again if a switchable column changes.
        outputs: output variables by name.
        fill_defaults: ``(world, values) -> values`` fills in omitted values (creates nodes, data).
        fills: columns without default that ``fill_defaults`` fills in.
        makes: kinds of nodes that ``fill_defaults`` makes from the values of a row, by column.
        check: ``(world, table) -> None`` raises ModelError for resident rows with inconsistent values.
        replicated: whether rows are local on all processes, which share the work within a row (contact sets).
        reads: ``(world, table) -> entity numbers``, shape (k,), of all entities that rows may couple later if couplings
            change (`NeighbourPattern`): a process with these rows has the coordinates and markers of the entities from
            the start.
        multipliers: number of multipliers of each row (constraints).
        family: marker family that the rows belong to (markers).
        source: literature source of the law.
        draw: ``(rows, fields, subdivisions) -> Drawing`` shows the rows as points and lines.
        paint: ``(rows, fields) -> Painting`` assigns values to the lines of other entities.
        draw_keys: ``(rows) -> keys, shape (rows, k)``: rows with equal keys draw the same object (a pulley that touches
            many cables); only the first of these rows draws it.

    Raises:
        ModelError: the law is invalid: a wrong role, a function that is missing or takes other arguments, or missing
            columns.
    """
    check_law(law)
    _laws[law.component] = law
    law.component.output_names = tuple(law.outputs)
    # for ``help``
    law.component.__doc__ = (law.component.__doc__ or "") + describe_outputs(law.outputs)


def register_family(
    family: MarkerFamily,
    allocate: Callable[[Tables, IntArray, Rows], Any],
    register_pair: Callable[..., None] | None = None,
) -> None:
    """Register a marker family.

    Args:
        family: e.g. ``MarkerFamily("position marker")``.
        allocate: ``(world, ids, layout) -> columns`` makes the NamedTuple of columns for the local markers ``ids``.
        register_pair: ``(component, force, ...)`` registers a law between two markers of the family, if the family
            supports such laws.

    Raises:
        ModelError: ``allocate`` takes other arguments.
    """
    check_arguments(allocate, f"allocate of {family}", ("world", "ids", "layout"))
    family.allocate, family.register_pair = allocate, register_pair


def register_pair(component: type[Component], force: Callable[..., Any], *kernels: Any, **more: Any) -> None:
    """Register a law between two markers, with all functions that are derived from its kernels; called once, at the end
    of a file.

    The family of ``marker0`` registers the law: for position and coordinate markers and for the arguments see
    `windlass.connectors.markers.pair_laws.register_kind`.

    Args:
        component: the schema, with ``marker0``, ``marker1`` and ``active``.
        force: kernel ``(row, u, ut, t)`` for the force of a row, which reads the columns of the schema by name, such as
            ``row.stiffness``.
        *kernels: the tangent kernel, if the law has one.
        **more: ``outputs``, ``source`` and others.

    Raises:
        ModelError: an invalid law.
    """
    check_needs(component, ("marker0", "marker1", "active"), f"register_pair of {component.__name__}")
    family = component.refs["marker0"].target
    make = family.register_pair if isinstance(family, MarkerFamily) else None
    if make is None:
        words = "must be a family with laws between two markers, POSITION or COORDINATE"
        raise ModelError(f"marker0 of {component.__name__} = {family}: {words}")
    make(component, force, *kernels, **more)


def law_of(component: type[Component]) -> Law | None:
    """The law of a component, or None for a component without behaviour."""
    return _laws.get(component)


def require_law(component: type[Component]) -> Law:
    """The law of a component.

    Raises:
        ModelError: the component has no registered law.
    """
    law = _laws.get(component)
    if law is None:
        raise ModelError(
            f"{component.__name__} is not registered, and its rows would have no effect: must be registered by "
            f"register({component.__name__}, ...) before rows are added"
        )
    return law


def role_of(component: type[Component]) -> str:
    """The role of a component, or an empty text for a component without behaviour."""
    law = law_of(component)
    return law.role if law is not None else ""


def build_place(component: type[Component]) -> tuple[int, bool]:
    """Order of evaluation of a law: by role; markers that depend on other markers are evaluated after them."""
    role = require_law(component).role
    return BUILD_ORDER.index(role), role == "marker" and any("marker" in r.target for r in component.refs.values())


def list_registered() -> list[type[Component]]:
    """All components with a law."""
    return list(_laws)


def laws() -> Mapping[type[Component], Law]:
    """All registered laws."""
    return dict(_laws)
