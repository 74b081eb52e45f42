"""2D and 3D cable elements whose tension is a function of the strain, given by a table.

    N = T(ε - ε_ref) + d_EA ε_t

Between the values of the table, T is a cubic that preserves monotony (PCHIP). Its derivative is continuous. Beyond the
ends of the table, T continues linearly with the derivative at the end. The energy per length is ∫ T dε. For bending,
mass, damping and the reference configuration, see `Cable2D` and `Cable3D`. ``axial_stiffness`` determines only the
stretch in the start shape of catenaries and the stiffness of the ends of broken cables (broken_cables.py). Its default
is the mean slope of the table.

Source: F. N. Fritsch, R. E. Carlson, Monotone piecewise cubic interpolation, SIAM J. Numer. Anal. 17 (1980) 238-246.
"""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

import numpy as np

from windlass.elements.cable.cable2d import IN_PLANE, Cable2D
from windlass.elements.cable.cable2d import check as check_cables
from windlass.elements.cable.cable3d import IN_SPACE, Cable3D
from windlass.elements.cable.fibre_cable import build_ropes, draw_ropes, rope_outputs
from windlass.elements.cable.outputs import OUTPUTS, RopeView
from windlass.elements.cable.rope_forces import create_ropes
from windlass.framework.checks.values import read_numbers, show
from windlass.framework.errors import ModelError
from windlass.framework.model.law import LocalRows, Tables, register
from windlass.framework.model.schema import column
from windlass.framework.model.table import EntityTable


class TableCable2D(Cable2D):
    """A 2D cable element with a table of tensions over strains, and the columns of `Cable2D`."""

    table_strains = column("1", "strains ε - ε_ref of the table, ascending", shape=None)
    table_tensions = column("N", "axial forces at the strains of the table, ascending or equal", shape=None)
    axial_force_function = None
    axial_force_derivatives = None


class TableCable3D(TableCable2D):
    """A 3D cable element with a table of tensions over strains, and the columns of `Cable3D`."""

    provides: ClassVar[tuple[str, ...]] = Cable3D.provides
    node0, node1, reference_curvature = Cable3D.node0, Cable3D.node1, Cable3D.reference_curvature


def fill_defaults(world: Tables, values: dict[str, Any]) -> dict[str, Any]:
    """Insert the mean slope of the table as default of the axial stiffness.

    Raises:
        ModelError: a table is empty.
    """
    for name in ("table_strains", "table_tensions"):
        given = read_numbers(values.get(name))
        if given is not None and given.size == 0:
            raise ModelError(f"{name} = {show(values[name])} in a cable with a table: must have two or more values")
    strains, tensions = (read_numbers(values.get(name)) for name in ("table_strains", "table_tensions"))
    if "axial_stiffness" in values or strains is None or tensions is None:
        return values
    if strains.ndim == 1 and strains.shape == tensions.shape and len(strains) > 1 and strains[-1] > strains[0]:
        values["axial_stiffness"] = (tensions[-1] - tensions[0]) / (strains[-1] - strains[0])
    return values


def list_law(rows: LocalRows) -> dict[str, Any]:
    """Return the fields with the tables, see `list_fields`. The fields of broken ropes contain no table."""
    from scipy.interpolate import PchipInterpolator  # imported here, because SciPy takes long to load

    strains, tensions = rows.local("table_strains"), rows.local("table_tensions")
    most, n = max((len(x) for x in strains), default=1), len(rows.rows)
    x, T, slope, work = np.zeros((4, n, most))
    whole = ~rows.local("broken")
    for i in np.flatnonzero(whole):
        k = len(strains[i])
        curve = PchipInterpolator(strains[i], tensions[i])
        x[i, :k], T[i, :k], slope[i, :k] = strains[i], tensions[i], curve.derivative()(strains[i])
        energy = curve.antiderivative()
        # the energy is 0 at the strain 0, or at the strain of the table that is nearest to 0
        zero = np.clip(0.0, strains[i][0], strains[i][-1])
        work[i, :k] = energy(strains[i]) - energy(zero)
    count = np.where(whole, np.array([len(values) for values in strains], np.int64), 0)
    return {"x": x, "T": T, "slope": slope, "work": work, "count": count}


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for invalid cables and tables."""
    check_cables(world, table)
    for k, (x, T) in enumerate(zip(table.local("table_strains"), table.local("table_tensions"), strict=True)):
        where = f"in {table.kind} row {table.resident[k]}"
        if len(x) < 2 or not (np.diff(x) > 0.0).all() or x[0] <= -1.0:
            raise ModelError(f"table_strains = {show(x)} {where}: must be two or more, ascending and > -1")
        if len(T) != len(x):
            raise ModelError(f"table_tensions {where} has {len(T)} values: must have {len(x)}, one for each strain")
        if not (np.diff(T) >= 0.0).all() or T[-1] <= T[0]:
            raise ModelError(f"table_tensions = {show(T)} N {where}: must not decrease, and must increase in total")


for rope, of_kind, dims in ((TableCable2D, IN_PLANE, 2), (TableCable3D, IN_SPACE, 3)):
    register(
        rope,
        "element",
        dofs=("node0", "node1"),
        bind=lambda rows: RopeView(rows, create_ropes(rows, list_law(rows))),
        build=partial(build_ropes, kind=of_kind, slow=False),
        outputs=rope_outputs(OUTPUTS[dims], False),
        fill_defaults=fill_defaults,
        fills=("axial_stiffness",),
        check=check,
        source="[@fritsch1980]; [@gerstmayr2006]",
        draw=partial(draw_ropes, slow=False),
    )
