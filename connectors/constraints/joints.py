"""Functions that all joint laws use for registration, outputs and checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.constraints.joint_kernels import Joint, Loops, stand_still
from windlass.connectors.markers.pairs import pair_dofs
from windlass.connectors.markers.position_kernels import FAMILY, SPATIAL
from windlass.connectors.markers.position_markers import NodePosition
from windlass.connectors.user_functions.time_functions import (
    TimeColumn,
    bind_functions,
    compare_rates,
    differentiate,
    differentiate_twice,
)
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.errors import ModelError
from windlass.framework.kernels.call import Call, call
from windlass.framework.model.drawing import Drawing
from windlass.framework.model.law import LocalRows, Output, Tables, register
from windlass.framework.model.rows import check_words, field_names
from windlass.framework.model.schema import Component
from windlass.framework.model.system import ConstraintSystem, Evaluation, Fields, System
from windlass.framework.model.table import EntityTable

DRIVEN = ("moved", "offset_rate", "offset_acceleration")
"""Additional fields of the records of joints that can be driven: whether the row has an offset, and the first and
second time derivatives of the offset.
"""


class JointOffsets:
    """The offsets of joints as functions of time. The functions follow from the columns offset, offset_function and
    offset_rate_function.

    Args:
        own: records with the data of the rows. Each evaluation writes the offsets into the field ``offset`` of these
            records, and the derivatives into the fields `DRIVEN`.

    Attributes:
        offset, rate, acceleration: the offsets and their first and second derivatives as functions of time, see
            `TimeColumn`.
        is_called: whether each row has a function, shape (rows,).
    """

    def __init__(self, rows: LocalRows, own: NDArray[Any]) -> None:
        functions = bind_functions(rows, "offset", "offset_function")
        given = bind_functions(rows, "offset", "offset_rate_function")
        given = compare_rates(rows, "offset_function", "offset_rate_function", functions, given)
        pairs = list(zip(functions, given, strict=True))
        rates = [differentiate(f) if g is None else g for f, g in pairs]
        accelerations = [differentiate_twice(f) if g is None else differentiate(g) for f, g in pairs]
        self.offset = TimeColumn(own["offset"], functions, True)
        self.rate = TimeColumn(own["offset_rate"], rates, True)
        self.acceleration = TimeColumn(own["offset_acceleration"], accelerations, True)
        self.is_called = np.array([f is not None for f in functions], bool)
        own["moved"] = self.is_called | own["offset"].any(axis=1)

    def at_levels(self, acceleration: bool = False) -> Call:
        """Create the calls that evaluate the offsets at the current time. If the constraints are imposed at velocity
        level, the calls also evaluate the rates of the offsets. If ``acceleration`` is true, the calls also evaluate
        the second derivatives.
        """

        def update(s: Evaluation) -> None:
            self.offset.update(s)
            if s.rate_level or acceleration:
                self.rate.update(s)

        called = Call(at_time=(update,)) if self.offset.is_called else Call()
        found = called + self.offset.ready + self.rate.ready
        return found + self.acceleration.fill if acceleration else found

    def update(self, t: float) -> None:
        """Evaluate the offsets at the time t [s]."""
        self.offset(t)


def register_joint(
    component: type[Component],
    loops: Loops,
    *,
    multipliers: int,
    unit: str,
    equations: str,
    check: Callable[[Tables, EntityTable], None] | None = None,
    derive: Callable[[LocalRows], Mapping[str, NDArray[Any]]] | None = None,
    locked: Callable[[LocalRows], NDArray[np.bool_]] | None = None,
    fast: tuple[bool, ...] = (),
    outputs: Mapping[str, Output] | None = None,
    start: str | None = None,
    source: str = "[@haug1989]",
) -> None:
    """Register the law of a joint.

    Args:
        component: class with the columns of the law. The columns include ``marker0``, ``marker1`` and ``active``, and
            for joints that can be driven ``offset``, ``offset_function`` and ``offset_rate_function``.
        loops: kernels of the equations of the joint, from `joint_rows`.
        multipliers: number of equations of each row.
        unit: unit of C.
        equations: description of the equations C = 0 for the documentation.
        check: argument that is passed to `register`.
        derive: function that computes the derived values of the schema, see `pair_laws.register_kind`.
        locked: function ``(rows)`` that returns whether each equation is imposed while the joint is active, shape
            (rows, multipliers). By default all equations are imposed.
        fast: for each equation, whether it is a velocity constraint; default: false for all equations.
        outputs: output variables in addition to the variables that all joints have.
        start: name of an output that contains points [m]. Drawings of the joint begin at these points instead of the
            origin of body 0, and do not contain point 0.
        source: publication from which the law is taken.
    """

    moves = loops.drive is not stand_still
    fields = field_names(component, DRIVEN if moves else ())
    for kernel in (loops.equation, loops.drive):
        check_words(kernel, f"{kernel.__name__} of {component.__name__}", fields)

    def bind(rows: LocalRows) -> tuple[NDArray[Any], Joint, JointOffsets | None]:
        values: dict[str, NDArray[Any]] = dict(derive(rows)) if derive is not None else {}
        if moves:
            zero = np.zeros_like(rows.local("offset"))
            values |= dict(zip(DRIVEN, (np.zeros(len(zero), bool), zero, zero), strict=True))
        own, lam = rows.pack(values), rows.layout.multipliers(rows.table, rows.rows)
        holds = np.ones(lam.shape, bool) if locked is None else locked(rows)
        n0, on = rows.world.ref_width(rows.table, "marker0"), holds & rows.local("active")[:, None]
        dofs = np.ascontiguousarray(rows.dofs)
        fast_rows = np.tile(np.array(fast or (False,) * multipliers), (len(lam), 1))
        joint = Joint(rows.markers("marker0"), rows.markers("marker1"), dofs, n0, lam, on, fast_rows)
        return own, joint, JointOffsets(rows, own) if moves else None

    def build(rows: LocalRows) -> System:
        own, j, drive = rows.columns
        system = System(component.__name__, rows.dofs)
        times, all_times = (Call(), Call()) if drive is None else (drive.at_levels(), drive.at_levels(True))
        system.constraint = ConstraintSystem(
            j.lam,
            times + call(loops.residual, lambda s: (own, j, s.markers[FAMILY], s.lam, s.rate_level, s.C, s.f)),
            times
            + call(
                loops.tangent,
                lambda s: (own, j, s.markers[FAMILY], s.v, s.lam, s.rate_level, s.dq, s.dv, s.coupling, s.values),
            ),
            all_times + call(loops.accelerations, lambda s: (own, j, s.markers[FAMILY], s.v, s.C)),
            driven=None if drive is None else drive.is_called,
        )
        return system

    shown = joint_outputs(loops, unit, equations) | dict(outputs or {})

    def draw(rows: LocalRows, fields: Fields, subdivisions: int) -> Drawing:
        return draw_joint(rows, fields, shown, start)

    register(
        component,
        "constraint",
        multipliers=multipliers,
        dofs=pair_dofs,
        bind=bind,
        build=build,
        check=check,
        outputs=shown,
        source=source,
        draw=draw,
    )


def draw_joint(rows: LocalRows, fields: Fields, shown: Mapping[str, Output], start: str | None) -> Drawing:
    """Draw each row as lines from the origin of body 0 to point 0, to point 1, and to the origin of body 1.

    The lines show which bodies the joint connects. At a marker on a cable, a node or the ground, the line to the origin
    has the length 0.
    """
    _, j, _ = rows.columns
    m, n = fields.markers[FAMILY], len(rows.rows)
    corners = [m.position[j.m0] - find_arms(rows, "marker0", m.rotation[j.m0]), m.position[j.m0]]
    corners += [m.position[j.m1], m.position[j.m1] - find_arms(rows, "marker1", m.rotation[j.m1])]
    if start is not None:
        corners[0] = corners[1] = shown[start].evaluate(rows, fields)
    loads = {"joint_force": shown["force"], "joint_torque": shown["torque"]}
    first = 4 * np.repeat(np.arange(n), 3) + np.tile(np.arange(3), n)
    return Drawing(
        points=np.stack(corners, axis=1).reshape(-1, 3),
        lines=np.stack((first, first + 1), axis=1),
        part=np.repeat(np.arange(n), 3),
        entity=np.repeat(rows.table.ids_of(rows.rows), 3),
        start=np.zeros(3 * n),
        end=np.ones(3 * n),
        cell_data={name: np.repeat(load.evaluate(rows, fields), 3, axis=0) for name, load in loads.items()},
        units={name: load.unit for name, load in loads.items()},
    )


def find_arms(rows: LocalRows, name: str, A: FloatArray) -> FloatArray:
    """Return, for the marker ``name`` of each row, the global vector [m] from the origin of its body to the marker,
    shape (rows, 3). The vector is 0 for markers that are not on a body. The argument ``A`` contains the rotation
    matrices of the markers.
    """
    local = np.zeros((len(rows.rows), 3))
    for markers, positions, of in rows.world.split_by_table(rows.local(name)):
        if "body" in markers.component.refs:
            places = markers.local("local", of)
            local[positions, : places.shape[1]] = places
    return np.asarray(np.einsum("iab,ib->ia", A, local))


def joint_outputs(loops: Loops, gap_unit: str, equations: str) -> dict[str, Output]:
    """Return the output variables that all joints have.

    Args:
        loops: kernels of the equations of the joint, from `joint_rows`.
        gap_unit: unit of the constraint values C.
        equations: description of the equations for the documentation.
    """

    def evaluate(rows: LocalRows, s: Fields) -> tuple[FloatArray, FloatArray, FloatArray]:
        own, j, drive = rows.columns
        if drive is not None:
            drive.update(s.t)
        C, g = np.zeros(j.on.shape), np.zeros((*j.on.shape, 9))
        loops.evaluate(own, j, s.markers[FAMILY], C, g)
        return C, g, np.where(j.on, s.lam[j.lam], 0.0)

    def eval_load(rows: LocalRows, s: Fields, first: int) -> FloatArray:
        _, g, lam = evaluate(rows, s)
        return np.asarray(np.einsum("ik,ikd->id", lam, g[:, :, first : first + 3]))

    force = "left-hand-side force on marker 1, global, (3,); the opposite force acts on point 1"
    torque = "left-hand-side torque on marker 1 about point 1, global, (3,); the opposite torque acts on it"
    return {
        "gap": Output(gap_unit, f"C of {equations}; 0 where free", lambda rows, s: evaluate(rows, s)[0]),
        "multipliers": Output("N, N m", f"λ of {equations}; 0 where free", lambda rows, s: evaluate(rows, s)[2]),
        "force": Output("N", force, lambda rows, s: eval_load(rows, s, 0)),
        "torque": Output("N m", torque, lambda rows, s: eval_load(rows, s, 6)),
    }


def find_spatial(world: Tables, ids: IntArray) -> NDArray[np.bool_]:
    """Return whether each marker can leave the plane z = 0, shape (n,). The argument ``ids`` contains the entity
    numbers of position markers.
    """
    spatial = np.zeros(len(ids), bool)
    for markers, positions, rows in world.split_by_table(ids):
        if markers.component is NodePosition:
            dofs = world.row_dofs(markers, rows)
            spatial[positions] = dofs.shape[1] > 2 and dofs[:, 2] >= 0
        else:
            spatial[positions] = SPATIAL in markers.component.provides
    return spatial


def check_planar(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for 2D joints on markers that can leave the plane z = 0."""
    spatial = find_spatial(world, table.local("marker0")) | find_spatial(world, table.local("marker1"))
    for row in table.resident[spatial][:1]:
        raise ModelError(
            f"{table.kind} row {row} has a marker that can leave the plane z = 0: must have 2D markers; "
            "in 3D use GenericJoint"
        )


def check_spatial(world: Tables, table: EntityTable, needed: NDArray[np.bool_], instead: str) -> None:
    """Raise ModelError for joints that constrain motion perpendicular to the plane z = 0, but have 2D markers.

    Args:
        table: table of joints.
        needed: whether the equations of each row constrain motion perpendicular to the plane z = 0, shape (resident,).
        instead: name of the joint that the message recommends for 2D.
    """
    spatial = find_spatial(world, table.local("marker0")) | find_spatial(world, table.local("marker1"))
    for row in table.resident[needed & ~spatial][:1]:
        raise ModelError(
            f"{table.kind} row {row} constrains motion perpendicular to z = 0, which its 2D markers exclude: "
            f"must have a 3D marker; in 2D use {instead}"
        )
