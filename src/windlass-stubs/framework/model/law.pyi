# Made by scripts/make_stubs.py from the schemas of the components: do not edit, call `make stubs`.
"""Laws, which define the behaviour of components. A law is registered by one call at the end of its file.

A law consists of a schema and functions. The argument ``dofs`` defines the coordinates that each row couples, by the
names of references. The function ``build`` returns a `System`, which evaluates the rows of one table by compiled
kernels. Numbering, sparsity, assembly, solvers and output use only ``dofs`` and ``build``. Therefore a new law requires
only one new file.
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
    """Interface through which laws use the numbering of the world. See `Numbering`."""

    node_dofs: dict[type[Component], IntArray]
    reference: FloatArray
    displacement: FloatArray

    def places(self, dofs: IntArray) -> IntArray:
        """Return the indices of the known coordinates with given world numbers, see `Numbering.places`."""

    def reference_of(self, dofs: IntArray) -> FloatArray:
        """Return the reference values [m, 1, rad] of the coordinates with given world numbers."""


from windlass.framework.model.world import World as Tables


class Rows(Protocol):
    """Interface through which laws use the process-local numbering. See `Layout`."""

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
        """Return the process-local numbers of world coordinates."""

    def multipliers(self, table: EntityTable, rows: IntArray) -> IntArray:
        """Return the process-local numbers of the multipliers of rows."""

    def owners(self, component: type[Component]) -> IntArray:
        """Return the process that owns each row of a table."""

    def local_row(self, ids: IntArray) -> IntArray:
        """Return, for each entity, the index of its row in the list of process-local rows of its table."""


@dataclass(frozen=True)
class LocalRows:
    """The rows of one table that this process evaluates, in process-local numbering.

    Attributes:
        world: the world.
        table: the table that contains the rows.
        rows: row numbers in the table, shape (rows,).
        dofs: process-local indices of the coordinates of the rows, shape (rows, n).
        layout: the process-local numbering.
    """

    world: Tables
    table: EntityTable
    rows: IntArray
    dofs: IntArray
    layout: Rows
    _bound: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def columns(self) -> Any:
        """The result of the law's function ``bind`` for these rows. The result is cached until a switchable column
        changes.
        """
        bind = _laws[self.table.component].bind
        assert bind is not None, f"{self.table.kind} was registered without bind"
        return self.kept("columns", lambda: bind(self))

    def kept(self, name: str, make: Callable[[], Any]) -> Any:
        """Return an object that is cached for these rows. The object is created again after a switchable column has
        changed.
        """
        version = self.world.changed.get(self.table.component, 0)
        if self._bound.get("version") != version:
            self._bound.clear()
            self._bound["version"] = version
        if name not in self._bound:
            self._bound[name] = make()
        return self._bound[name]

    def keep(self, columns: Any) -> None:
        """Cache ``columns`` as the present result of ``bind``. An earlier call of ``bind`` has returned this object,
        and its arrays have since been updated. All other cached objects of these rows are discarded.
        """
        self._bound.clear()
        self._bound.update({"version": self.world.changed.get(self.table.component, 0), "columns": columns})

    def select(self, which: IntArray) -> LocalRows:
        """Return a `LocalRows` object that contains only the rows with the indices ``which``, shape (k,)."""
        return LocalRows(self.world, self.table, self.rows[which], self.dofs[which], self.layout)

    def local(self, name: str) -> NDArray[Any]:
        """Return the values of a column for these rows, shape (rows, *shape)."""
        return self.table.local(name, self.rows)

    def padded(self, name: str) -> NDArray[Any]:
        """Return the numbers of the entities to which each row refers by the reference ``name``, padded with -1. If
        ``name`` is a column with one value for each such entity, return the values, padded with 0. The length is the
        largest number of entities to which any row of the table refers, see `Tables.ref_shape`.

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
        """Return the index, in the columns of the marker family, of each marker of the reference ``name``, shape
        (rows,). If each row refers to several markers, the shape is (rows, length). See `padded`.
        """
        is_chain = self.table.component.refs[name].is_chain
        index: IntArray = self.layout.marker_index[self.padded(name) if is_chain else self.local(name)]
        return index

    def pack(self, derived: Mapping[str, NDArray[Any]] | None = None, history: int = 0) -> NDArray[Any]:
        """Return the records of these rows for kernels, shape (rows,).

        Args:
            derived: values of the derived fields of the schema, and of further fields of the records, by name, each of
                shape (rows, ...). A column that records do not contain, such as a list of variable length, may give its
                name to a further field.
            history: number of history values of a row.
        """
        component, values = self.table.component, dict(derived or {})
        packed = np.zeros(len(self.rows), row_type(component, values, history))
        for name in packed.dtype.names or ():
            if name in values:
                packed[name] = values[name]
            elif name in component.columns:
                packed[name] = self.local(name)
            elif name in component.refs:
                is_history = component.refs[name].target == "GenericData"
                packed[name] = self.data_start(name) if is_history else self.markers(name)
        return packed

    def data_start(self, name: str) -> IntArray:
        """Return the index of the first history value of the GenericData of each row, shape (rows,)."""
        start: IntArray = self.layout.data_start[self.local(name)]
        return start

    def own_marker_index(self) -> IntArray:
        """Return, for rows that are markers, the index of each marker in the columns of its family, shape (rows,)."""
        index: IntArray = self.layout.marker_index[self.table.ids_of(self.rows)]
        return index


class MarkerFamily(Family):
    """A family of markers. The motion of all markers of a family is stored in common columns. Connectors on these
    markers read these columns.

    Attributes:
        allocate, register_pair: functions of the family, see `register_family`.
    """

    allocate: Callable[[Tables, IntArray, Rows], Any]
    register_pair: Callable[..., None] | None = None


@dataclass(frozen=True)
class Law:
    """The registered law of a component. The attributes are explained in `register`."""

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
        """Whether each process must store all rows of all tables in a world with this law. All rows are necessary if
        the entities that rows couple change during the run, as in contact sets.
        """
        return self.replicated or self.reads is not None


_laws: dict[type[Component], Law] = {}


@takes_arguments_of(Law)
def register(law: Law) -> None:
    """Register the law of a component. Call this function once, at the end of the file of the law.

    Args:
        component: the schema.
        role: role of the law, which determines when its system is evaluated. See `Role`. The rows of a law with the
            role ``data`` contain history values. Other laws only read the rows of a law with the role ``passive`` (the
            ground, materials, surfaces).
        dofs: names of references, in this order. Each row couples the coordinates of the entities to which these
            references refer. Nodes couple their own coordinates. Alternatively, ``dofs`` is a function ``(world,
            table)`` that returns the world numbers of the coordinates that the rows in ``table.resident`` couple, shape
            (resident, n), -1 for no coordinate.
        bind: function ``(rows)`` that returns the arrays that kernels read. Other functions access the result as
            ``rows.columns``, which is cached for later evaluations.
        build: function ``(rows)`` that returns the `System` of all rows of this process. The function is called again
            if a switchable column changes.
        outputs: output variables by name.
        fill_defaults: function ``(world, values)`` that returns the values of `World.add`, together with defaults for
            values that the user has omitted. The function may create nodes and history values.
        fills: columns without default for which ``fill_defaults`` sets values.
        makes: components of the nodes that ``fill_defaults`` may create from the values of a row.
        check: function ``(world, table)`` that raises ModelError for resident rows with inconsistent values.
        replicated: whether every process evaluates all rows, because the processes share the work within a row (contact
            sets).
        reads: function ``(world, table)`` that returns the numbers of all entities that the rows can couple later in
            the run, shape (k,). The function is needed if the entities that rows couple change during the run
            (`NeighbourPattern`). A process that evaluates such rows also stores the coordinates and markers of all
            returned entities.
        multipliers: for constraints, the number of multipliers of each row.
        family: for markers, the marker family of the rows.
        source: literature source of the law.
        draw: function ``(rows, fields, subdivisions)`` that returns a `Drawing` of the rows as points, lines and faces.
        paint: function ``(rows, fields)`` that returns a `Painting` with values for the lines of other entities.
        draw_keys: function ``(rows)`` that returns keys of shape (rows, k). Rows with equal keys show one object, for
            example a pulley that touches many cables. With several processes, only the first of these rows is drawn.

    Raises:
        ModelError: the role is wrong, a function is missing or has wrong arguments, or columns are missing.
    """
    check_law(law)
    _laws[law.component] = law
    law.component.output_names = tuple(law.outputs)
    # the built-in function ``help`` shows this text
    law.component.__doc__ = (law.component.__doc__ or "") + describe_outputs(law.outputs)


def register_family(
    family: MarkerFamily,
    allocate: Callable[[Tables, IntArray, Rows], Any],
    register_pair: Callable[..., None] | None = None,
) -> None:
    """Register a marker family.

    Args:
        family: the family, e.g. ``MarkerFamily("position marker")``.
        allocate: function ``(world, ids, layout)`` that creates the NamedTuple of columns for the process-local markers
            ``ids``.
        register_pair: function ``(component, force, ...)`` that registers a law between two markers of the family, if
            the family supports such laws.

    Raises:
        ModelError: the function ``allocate`` has wrong arguments.
    """
    check_arguments(allocate, f"allocate of {family}", ("world", "ids", "layout"))
    family.allocate, family.register_pair = allocate, register_pair


def register_pair(component: type[Component], force: Callable[..., Any], *kernels: Any, **more: Any) -> None:
    """Register a law between two markers, and create all functions of the law from kernels. Call this function once, at
    the end of the file of the law.

    The function ``register_pair`` of the marker family of ``marker0`` then registers the law. The arguments are
    explained in `windlass.connectors.markers.pair_laws.register_kind`, which registers laws for position and coordinate
    markers.

    Args:
        component: the schema, which must have ``marker0``, ``marker1`` and ``active``.
        force: kernel ``(row, u, ut, t)`` that computes the force of a row. The kernel reads the columns of the schema
            by name, such as ``row.stiffness``.
        *kernels: the tangent kernel, if the law has one.
        **more: other arguments of `register`, such as ``outputs`` and ``source``.

    Raises:
        ModelError: the law is invalid.
    """
    check_needs(component, ("marker0", "marker1", "active"), f"register_pair of {component.__name__}")
    family = component.refs["marker0"].target
    make = family.register_pair if isinstance(family, MarkerFamily) else None
    if make is None:
        words = "must be a family with laws between two markers, POSITION or COORDINATE"
        raise ModelError(f"marker0 of {component.__name__} = {family}: {words}")
    make(component, force, *kernels, **more)


def law_of(component: type[Component]) -> Law | None:
    """Return the law of a component, or None for a component without law."""
    return _laws.get(component)


def require_law(component: type[Component]) -> Law:
    """Return the law of a component.

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
    """Return the role of a component, or an empty string for a component without law."""
    law = law_of(component)
    return law.role if law is not None else ""


def build_place(component: type[Component]) -> tuple[int, bool]:
    """Return a key that sorts laws in the order of evaluation. The order depends on the roles of the laws. Markers that
    depend on other markers are evaluated after the other markers.
    """
    role = require_law(component).role
    return BUILD_ORDER.index(role), role == "marker" and any("marker" in r.target for r in component.refs.values())


def list_registered() -> list[type[Component]]:
    """Return all components with a law."""
    return list(_laws)


def laws() -> Mapping[type[Component], Law]:
    """Return all registered laws, by component."""
    return dict(_laws)
