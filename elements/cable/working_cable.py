"""2D and 3D cable elements of fibre ropes with working curves (Syrope): the static strain depends on the largest mean
load in the past.

    N = T + D (ε - ε_ref - y - u(T)) + d_EA ε_t,    D = EA + β T,    u = ln(1 + β T/EA)/β
    slow strain: η y_t + T = N without axial damping

The slow strain y, its damping η, EA and β have the same meaning as in fibre_cable.py. The mean load T is a function of
y. While T is the largest mean load of the rope, T follows the original working curve, a table of static strains and
tensions (PCHIP in y). When T decreases and increases again below the largest mean load T_m, T follows a working curve
between ε_m, the strain of the original curve at T_m, and a strain at which T = 0. The working curves are stated in
slow_forces.py. Under a constant load N, the strain approaches the strain of the curve at T = N.

The history values are the largest slow strains at the three axial points of an element. The rope loses the work on the
original working curve that exceeds the energy of the working curve (``first_loading`` in the energy ledger). Other
losses and powers are the same as in fibre_cable.py.

Source: Z. Wei, H. B. Bingham, Y. Shao, ESOMOOR D5.1: Extended MoorDyn Solver and Validation Report, Technical
University of Denmark (2026), as described in the documentation of MoorDyn 2.7, "Syrope Model for Polyester Lines".
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar

import numpy as np

from windlass.elements.cable.cable2d import IN_PLANE, Cable2D
from windlass.elements.cable.cable3d import IN_SPACE, Cable3D
from windlass.elements.cable.fibre_cable import SLOW, build_ropes, check_slow, draw_ropes, rope_outputs
from windlass.elements.cable.outputs import OUTPUTS, RopeView
from windlass.elements.cable.rope_forces import STATES as SLOW_STRAINS
from windlass.elements.cable.rope_forces import create_ropes
from windlass.elements.cable.slow_forces import LINEAR, WORKING
from windlass.elements.nodes.generic_nodes import STATES
from windlass.framework.arrays import FloatArray
from windlass.framework.checks.values import read_numbers, show
from windlass.framework.errors import ModelError
from windlass.framework.model.history import check_history, create_history
from windlass.framework.model.law import LocalRows, Tables, register
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.table import EntityTable

PLACES = 51
"""Number of points of a working curve at which its slope is checked."""


class WorkingCable2D(Cable2D):
    """A 2D cable element of a fibre rope with working curves, and the columns of `Cable2D`; ``axial_stiffness`` is the
    dynamic stiffness at zero mean load.
    """

    slow = ref(STATES, "node of three states, the slow strains y at the start, the middle and the end of this element")
    data = ref("GenericData", f"{SLOW_STRAINS} history values; if left out, they are created as zeros", optional=True)
    slow_damping = column("N s", "damping η of the slow strain", above=0.0)
    stiffening = column(
        "1", "coefficient β: increase of the dynamic stiffness with the mean load", default=0.0, minimum=0.0
    )
    working_strains = column("1", "static strains of the original working curve, ascending, >= 0", shape=None)
    working_tensions = column("N", "mean loads at these strains, ascending, >= 0", shape=None)
    largest_load = column(
        "N", "largest mean load before the start, at least the first of working_tensions", default=0.0, minimum=0.0
    )
    working_offset = column(
        "1", "k1 < 1: strain of a working curve without load, as a fraction of the strain at its upper end",
        default=0.0, minimum=0.0,
    )  # fmt: skip
    working_stiffness = column(
        "N", "static stiffness between the ends of all working curves; 0: working_offset defines the curves",
        default=0.0, minimum=0.0,
    )  # fmt: skip
    working_quadratic = column(
        "1", "k of working curves ξ (k ξ + 1 - k), from -1 to 1; 0: straight curves", default=0.0, minimum=-1.0
    )
    working_exponent = column(
        "1", "c of working curves (exp(c ξ) - 1)/(exp(c) - 1); 0: working_quadratic defines the curves", default=0.0
    )
    axial_force_function = None
    axial_force_derivatives = None
    bending_moment_function = None
    bending_moment_derivatives = None


class WorkingCable3D(WorkingCable2D):
    """A 3D cable element of a fibre rope with working curves, with the columns of `Cable3D` and `WorkingCable2D`."""

    provides: ClassVar[tuple[str, ...]] = Cable3D.provides
    node0, node1, reference_curvature = Cable3D.node0, Cable3D.node1, Cable3D.reference_curvature


def find_fast_strains(T: FloatArray, stiffness: float, stiffening: float) -> FloatArray:
    """Return the strains u [1] of the fast part under constant loads T [N], for the dynamic stiffness EA [N] without
    load and the coefficient β [1]."""
    if stiffening == 0.0:
        return np.asarray(T / stiffness)
    return np.asarray(np.log1p(stiffening * T / stiffness) / stiffening)


def list_law(rows: LocalRows) -> dict[str, Any]:
    """Return the fields of the law, see `list_fields`. For broken ropes, the fields contain no curves, and D = 0."""
    from scipy.interpolate import PchipInterpolator  # imported here, because SciPy takes long to load

    get = rows.local
    strains, tensions, whole = get("working_strains"), get("working_tensions"), ~get("broken")
    most, n = max((len(x) for x in strains), default=1), len(rows.rows)
    x, T, slope, work = np.zeros((4, n, most))
    least = np.zeros(n)
    for i in range(n):
        k, stiff, beta = len(strains[i]), get("axial_stiffness")[i], get("stiffening")[i]
        y = strains[i] - find_fast_strains(tensions[i], stiff, beta)
        curve = PchipInterpolator(y, tensions[i])
        x[i, :k], T[i, :k], slope[i, :k] = y, tensions[i], curve.derivative()(y)
        work[i, :k] = curve.antiderivative()(y)
        least[i] = find_slow_strain(y, tensions[i], slope[i, :k], get("largest_load")[i])
    return {
        "law": np.where(whole, WORKING, LINEAR), "stiffness": get("axial_stiffness"), "damping": get("slow_damping"),
        "stiffening": whole * get("stiffening"), "offset": get("working_offset"), "working": get("working_stiffness"),
        "quadratic": get("working_quadratic"), "exponent": get("working_exponent"), "least": least,
        "data": rows.data_start("data"), "x": x, "T": T, "slope": slope, "work": work,
        "count": np.array([len(values) for values in strains], np.int64),
    }  # fmt: skip


def find_slow_strain(y: FloatArray, T: FloatArray, slope: FloatArray, load: float) -> float:
    """Return the slow strain [1] at a load [N] on an original working curve. At the slow strains y, the curve has the
    loads T [N] and the derivatives ``slope`` [N] of T.
    """
    from scipy.interpolate import CubicHermiteSpline  # imported here, because SciPy takes long to load
    from scipy.optimize import brentq  # imported here, because SciPy takes long to load

    if load <= T[0]:
        return float(y[0])
    if load >= T[-1]:
        return float(y[-1] + (load - T[-1]) / slope[-1])
    curve = CubicHermiteSpline(y, T, slope)
    k = int(np.searchsorted(T, load, "right"))
    return float(brentq(lambda at: float(curve(at)) - load, y[k - 1], y[k], xtol=1e-16))


def find_static_strain(columns: Mapping[str, Any], load: float) -> float:
    """Return the strain ε [1] under a constant load.

    Args:
        columns: columns of `WorkingCable2D`. Columns that are left out are 0.
        load: load T >= 0 [N].
    """
    from scipy.interpolate import PchipInterpolator  # imported here, because SciPy takes long to load
    from scipy.optimize import brentq  # imported here, because SciPy takes long to load

    x, T = (np.asarray(columns[name], np.float64) for name in ("working_strains", "working_tensions"))
    stiff, beta = float(columns["axial_stiffness"]), float(columns.get("stiffening", 0.0))
    y = x - find_fast_strains(T, stiff, beta)
    slope = PchipInterpolator(y, T).derivative()(y)
    largest = max(float(columns.get("largest_load", 0.0)), load, float(T[0]))
    top = find_slow_strain(y, T, slope, largest) + float(find_fast_strains(np.array(largest), stiff, beta))
    if load >= largest:
        return top
    working, offset = (float(columns.get(f"working_{name}", 0.0)) for name in ("stiffness", "offset"))
    quadratic, c = (float(columns.get(f"working_{name}", 0.0)) for name in ("quadratic", "exponent"))
    span = largest / working if working > 0.0 else (1.0 - offset) * (top - x[0])
    share = brentq(lambda xi: float(eval_curves(xi, quadratic, c)) - load / largest, 0.0, 1.0, xtol=1e-15)
    return float(top - span * (1.0 - share))


def eval_curves(xi: Any, quadratic: float, exponent: float) -> FloatArray:
    """Return F(ξ) [1] of working curves."""
    if exponent:
        return np.asarray(np.expm1(exponent * xi) / np.expm1(exponent))
    return np.asarray(xi * (quadratic * xi + 1.0 - quadratic))


def fill_defaults(world: Tables, values: dict[str, Any], component: type[Component]) -> dict[str, Any]:
    """Create the history values of new rows.

    Raises:
        ModelError: an original working curve is empty.
    """
    for name in ("working_strains", "working_tensions"):
        given = read_numbers(values.get(name))
        if given is not None and given.size == 0:
            raise ModelError(f"{name} = {show(values[name])} in {component.__name__}: must have two or more values")
    return create_history(world, component, values, (0.0,) * SLOW_STRAINS)


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for invalid cables, slow strains and history values, for curves that do not ascend, and for
    curves that are steeper than the dynamic stiffness."""
    check_slow(world, table)
    check_history(world, table, SLOW_STRAINS)
    get = table.local
    one = ("working_offset", "working_stiffness"), ("working_quadratic", "working_exponent")
    for names in one:
        table.refuse((get(names[0]) != 0.0) & (get(names[1]) != 0.0), names, "have at most one of them that is not 0")
    table.refuse(get("working_offset") >= 1.0, ("working_offset",), "be < 1")
    table.refuse(get("working_quadratic") > 1.0, ("working_quadratic",), "be <= 1")
    for k, (x, T) in enumerate(zip(get("working_strains"), get("working_tensions"), strict=True)):
        where = f"in {table.kind} row {table.resident[k]}"
        if len(x) < 2 or not (np.diff(x) > 0.0).all() or x[0] < 0.0:
            raise ModelError(f"working_strains = {show(x)} {where}: must be two or more, ascending and >= 0")
        if len(T) != len(x):
            raise ModelError(f"working_tensions {where} has {len(T)} values: must have {len(x)}, one for each strain")
        if not (np.diff(T) > 0.0).all() or T[0] < 0.0:
            raise ModelError(f"working_tensions = {show(T)} N {where}: must be ascending and >= 0")
        stiff, beta = float(get("axial_stiffness")[k]), float(get("stiffening")[k])
        if not (np.diff(x - find_fast_strains(T, stiff, beta)) > 0.0).all():
            raise ModelError(
                f"working_tensions = {show(T)} N {where}: must rise less steeply than the dynamic stiffness "
                "axial_stiffness + stiffening * tension"
            )
        load = max(float(get("largest_load")[k]), float(T[0]))
        tops = np.append(load, T[load < T])
        beyond = np.maximum(tops - T[-1], 0.0) * (x[-1] - x[-2]) / (T[-1] - T[-2])
        ends = np.interp(tops, T, x) + beyond
        xi, quadratic, c = np.linspace(0.0, 1.0, PLACES), get("working_quadratic")[k], get("working_exponent")[k]
        F = eval_curves(xi, quadratic, c)
        for top, end in zip(tops[tops > T[0]], ends[tops > T[0]], strict=True):
            working = get("working_stiffness")[k]
            span = top / working if working > 0.0 else (1.0 - get("working_offset")[k]) * (end - x[0])
            # the slow strain must increase along the working curve
            if not (np.diff(span * xi - find_fast_strains(top * F, stiff, beta)) > 0.0).all():
                raise ModelError(
                    f"working curve of the mean load {top:g} N {where}: must rise less steeply than the dynamic "
                    "stiffness axial_stiffness + stiffening * tension, or largest_load must be larger"
                )


for working, of_kind, dims in ((WorkingCable2D, IN_PLANE, 2), (WorkingCable3D, IN_SPACE, 3)):
    register(
        working,
        "element",
        dofs=("node0", "node1", "slow"),
        bind=lambda rows: RopeView(rows, create_ropes(rows, list_law(rows))),
        build=partial(build_ropes, kind=of_kind, slow=True, keeps=True),
        outputs=rope_outputs(OUTPUTS[dims], True) | SLOW,
        fill_defaults=partial(fill_defaults, component=working),
        fills=("data",),
        check=check,
        source="[@wei2026]; [@hall2023]; [@gerstmayr2006]",
        draw=partial(draw_ropes, slow=True),
    )
