"""3D cable elements with twist whose tension differs from the linear law: cables with a table, fibre ropes, and fibre
ropes with working curves.

    N = N_1 + C τ

N_1 is the tension of table_cable.py, fibre_cable.py or working_cable.py. Torque, bending, inertia and frames follow
from twist_cable.py. The force C τ of the coupling acts parallel to the rope. Therefore the slow strains of fibre ropes
do not depend on the twist. The energy is positive if C² < GJ K, where K is the smallest slope of the static tension
over the strain.

Source: see table_cable.py, fibre_cable.py, working_cable.py and twist_cable.py.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from windlass.elements.cable import fibre_cable, table_cable, twist_cable, working_cable
from windlass.elements.cable.fibre_cable import SLOW, FibreCable2D, add_law, eval_extra
from windlass.elements.cable.rope_forces import list_fields
from windlass.elements.cable.table_cable import TableCable2D
from windlass.elements.cable.twist_cable import TwistCable3D, create_rods
from windlass.elements.cable.twist_sections import RodSections, SectionPlaces, create_outputs, draw
from windlass.elements.cable.working_cable import WorkingCable2D
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.model.law import LocalRows, Tables, register
from windlass.framework.model.schema import Component
from windlass.framework.model.system import Fields, System
from windlass.framework.model.table import EntityTable


class TwistRope3D(TwistCable3D):
    """Columns that all ropes with twist and a law of the tension have in common: those of `TwistCable3D` without
    functions of users.
    """

    axial_force_function = None
    axial_force_derivatives = None
    bending_moment_function = None
    bending_moment_derivatives = None


class TwistTableCable3D(TwistRope3D):
    """A 3D cable element with twist and with a table of tensions over strains, and the columns of `TwistCable3D`."""

    table_strains, table_tensions = TableCable2D.table_strains, TableCable2D.table_tensions


class TwistFibreCable3D(TwistRope3D):
    """A 3D cable element of a fibre rope with twist, with the columns of `TwistCable3D` and `FibreCable3D`."""

    slow = FibreCable2D.slow
    slow_stiffness, static_stiffness = FibreCable2D.slow_stiffness, FibreCable2D.static_stiffness
    slow_damping, stiffening = FibreCable2D.slow_damping, FibreCable2D.stiffening


class TwistWorkingCable3D(TwistRope3D):
    """A 3D cable element of a fibre rope with working curves and twist, with the columns of `TwistCable3D` and
    `WorkingCable3D`.
    """

    slow, data = WorkingCable2D.slow, WorkingCable2D.data
    slow_damping, stiffening = WorkingCable2D.slow_damping, WorkingCable2D.stiffening
    working_strains, working_tensions = WorkingCable2D.working_strains, WorkingCable2D.working_tensions
    largest_load = WorkingCable2D.largest_load
    working_offset, working_stiffness = WorkingCable2D.working_offset, WorkingCable2D.working_stiffness
    working_quadratic, working_exponent = WorkingCable2D.working_quadratic, WorkingCable2D.working_exponent


class RopeLaw(NamedTuple):
    """Functions of the law of the tension of a type of rope.

    component: the type of rope with twist.
    list_law: function that returns the fields of the law, see `list_fields`.
    check: function that checks the columns of the law.
    find_slopes: function that returns the smallest slope of the static tension over the strain [N], shape (rows,).
    slow, keeps: whether the rope has slow strains, and whether it has history values.
    source: sources of the law of the tension.
    more: further arguments of `register`.
    """

    component: type[Component]
    list_law: Callable[[LocalRows], dict[str, Any]]
    check: Callable[[Tables, EntityTable], None]
    find_slopes: Callable[[EntityTable], FloatArray]
    slow: bool
    keeps: bool
    source: str
    more: dict[str, Any]


def order_dofs(world: Tables, table: EntityTable, slow: bool) -> IntArray:
    """Return the global indices of the coordinates of `TwistCable3D`, followed by the indices of the slow strains."""
    dofs = twist_cable.order_dofs(world, table)
    return np.concatenate((dofs, world.dofs_of(table.local("slow"))), axis=1) if slow else dofs


def bind_ropes(rows: LocalRows, law: RopeLaw) -> Any:
    """Return one record per row, with the fields of `create_rods` and of `list_fields`."""
    return create_rods(rows, list_fields(rows, law.list_law(rows)))


def build_with_law(rows: LocalRows, law: RopeLaw) -> System:
    """Create the system of the rows: the system of `TwistCable3D`, and the difference of the tension."""
    return add_law(rows, twist_cable.build(rows), rows.columns, law.slow, law.keeps)


def add_forces(sections: SectionPlaces, fields: Fields, c: RodSections, slow: bool) -> None:
    """Add the difference of the tension to the axial forces of cross sections."""
    rows = sections.rows
    x = np.broadcast_to(sections.s, c.eps.shape) * rows.local("length")[:, None]
    c.N[:] += eval_extra(rows, fields, slow, c.eps - sections.free[..., 0], x)


def check(world: Tables, table: EntityTable, law: RopeLaw) -> None:
    """Raise ModelError for invalid cables, for invalid columns of the law of the tension, and for a coupling with which
    the energy could be negative.
    """
    law.check(world, table)
    C, GJ = table.local("coupling"), table.local("torsional_stiffness")
    negative = (C != 0.0) & (law.find_slopes(table) * GJ <= C * C)
    words = "have coupling² < torsional_stiffness times the smallest static slope of the tension, or energy is below 0"
    table.refuse(negative, ("coupling", "torsional_stiffness"), words)


def find_table_slopes(table: EntityTable, strains: str = "table_strains", tensions: str = "table_tensions") -> Any:
    """Return the smallest slope [N] between two neighbouring values of each table, shape (rows,)."""
    both = zip(table.local(strains), table.local(tensions), strict=True)
    return np.array([(np.diff(T) / np.diff(x)).min() for x, T in both])


def find_fibre_slopes(table: EntityTable) -> Any:
    """Return the static stiffness without load [N], shape (rows,)."""
    EA, K, static = (table.local(name) for name in ("axial_stiffness", "slow_stiffness", "static_stiffness"))
    return np.where(static > 0.0, static, EA * K / (EA + K))


LAWS = (
    RopeLaw(
        TwistTableCable3D, table_cable.list_law, table_cable.check, find_table_slopes, False, False, "[@fritsch1980]",
        {"fill_defaults": table_cable.fill_defaults, "fills": ("axial_stiffness",)},
    ),
    RopeLaw(
        TwistFibreCable3D, fibre_cable.list_law, fibre_cable.check, find_fibre_slopes, True, False,
        "[@flory2005]; [@delvecchio1992]; [@hall2023]", {},
    ),
    RopeLaw(
        TwistWorkingCable3D, working_cable.list_law, working_cable.check,
        partial(find_table_slopes, strains="working_strains", tensions="working_tensions"), True, True,
        "[@wei2026]; [@hall2023]",
        {"fill_defaults": partial(working_cable.fill_defaults, component=TwistWorkingCable3D), "fills": ("data",)},
    ),
)  # fmt: skip
for one in LAWS:
    added = partial(add_forces, slow=one.slow)
    register(
        one.component,
        "element",
        dofs=partial(order_dofs, slow=one.slow),
        bind=partial(bind_ropes, law=one),
        build=partial(build_with_law, law=one),
        outputs=create_outputs(added) | (SLOW if one.slow else {}),
        check=partial(check, law=one),
        source=f"{one.source}; [@langer1996]; [@meier2019]; [@costello1997]",
        draw=partial(draw, add_forces=added),
        **one.more,
    )
