"""User functions for the axial force or the bending moment of cables, and the linear laws that these functions replace.

The arguments of the functions are arrays with one element per row and point, shape (rows, n). The functions return N
[N] or M [N m]:

    f(t, position, strain, strain_rate, reference_strain, curvature, curvature_rate, reference_curvature, parameters)

Here t is the time [s], ``position`` is the arc length along the cable [m], and ``parameters`` contains lengths,
stiffnesses and dampings of the cables, see `Parameters`. A user function replaces the linear law including damping, and
must accept any number of rows and points. If the result has the shape (rows, 1), or is a scalar, it applies to all
points. If the result has any other shape, or contains NaN, an error is raised.

The columns ``axial_force_derivatives`` and ``bending_moment_derivatives`` can contain functions that return derivatives
of N or M. The derivatives are taken with respect to strain, strain_rate, curvature and curvature_rate. These functions
have the same arguments as the functions for N and M. Without these functions, the derivatives of N and M are central
differences. The other terms of the tangent are exact. Subscripts denote partial derivatives. With the integration
weights w L, the generalised forces f and the derivatives of N with respect to the coordinates q and the velocities v
are

    f = Σ w L (N ε_q + M κ_q),
    ∂N/∂q = N_ε ε_q + N_κ κ_q + (N_ε_t ε_qq + N_κ_t κ_qq) v,    ∂N/∂v = N_ε_t ε_q + N_κ_t κ_q.

The derivatives of M have the same form. In 3D the argument curvature is |κ|, and the returned moment acts about the
current direction of κ, see strains.py. Rows with a user function are evaluated with NumPy. The evaluation of a row with
a user function takes about a hundred times as long as the evaluation of a row with the linear laws. In 2D, the elastic
energy of rows with a user function is not computed. In 3D, only the energy of the replaced law is not computed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple
from warnings import warn

import numpy as np
from numpy.typing import NDArray

from windlass.elements.cable.points import Rule, Shape, create_rule, eval_shape
from windlass.elements.cable.strains import (
    References,
    Strains,
    eval_gradients,
    eval_references,
    eval_second_derivatives,
    eval_strains,
)
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.checks.user_functions import FirstCalls, find_contradictions, first_calls, name_of
from windlass.framework.checks.values import read_numbers, show
from windlass.framework.errors import ModelError, ModelWarning
from windlass.framework.model.law import LocalRows
from windlass.framework.model.system import Evaluation, Fields
from windlass.framework.model.table import EntityTable

BY = {0: "strain", 1: "strain rate", 3: "curvature", 4: "curvature rate"}
"""Arguments with respect to which user functions are differentiated. The keys are the indices of the arguments in the
list of strain, strain_rate, reference_strain, curvature, curvature_rate and reference_curvature. The values are the
names in messages.
"""
# Step [1] of central differences, relative to strains, or to curvatures times the length of the cable.
STEP = 1e-6


class Parameters(NamedTuple):
    """Columns of cables that a user function receives, each of shape (rows, 1).

    row: row index in the table of the cables.
    length: length [m].
    axial_stiffness, bending_stiffness: stiffnesses [N] and [N m^2].
    axial_damping, bending_damping: damping coefficients [N s] and [N m^2 s].
    """

    row: IntArray
    length: FloatArray
    axial_stiffness: FloatArray
    bending_stiffness: FloatArray
    axial_damping: FloatArray
    bending_damping: FloatArray


class Places(NamedTuple):
    """Points of cables, n on each row.

    s: positions x/L of the points [1], shape (rows, n).
    shape: shape functions at the points.
    references: strain and curvature of the stress-free state at the points.
    """

    s: FloatArray
    shape: Shape
    references: References


ForceFunction = Callable[..., FloatArray]
Derivatives = Callable[..., tuple[Any, Any, Any, Any]]


class ForceGroup(NamedTuple):
    """Rows with the same force function ``force`` and the same ``derivatives``. The field ``derivatives`` is None, or a
    function that returns the derivatives of the force with respect to the strains and strain rates. ``rows`` contains
    the indices of the rows, shape (m,). For user functions, ``calls`` counts the calls, and ``kind`` is the name of the
    cable component in messages.
    """

    rows: IntArray
    force: ForceFunction
    derivatives: Derivatives | None
    calls: FirstCalls | None = None
    kind: str = ""


@dataclass(frozen=True)
class UserRows:
    """Rows with user functions and the same integration rule.

    row: indices of the rows among the rows of the table on this process, shape (rows,).
    dofs: process-local coordinate indices, shape (rows, 4 d) in d dimensions.
    parameters: columns that user functions receive.
    parts: for axial forces (key 0) and bending moments (key 1): name of the quantity, functions, points, and
        integration weights times length [m], shape (rows, n).
    """

    row: IntArray
    dofs: IntArray
    parameters: Parameters
    parts: dict[int, tuple[str, list[ForceGroup], Places, FloatArray]]


LINEAR: dict[str, tuple[ForceFunction, Derivatives]] = {
    "axial_force": (
        lambda t, x, eps, eps_t, eps_ref, kap, kap_t, kap_ref, p: (
            p.axial_stiffness * (eps - eps_ref) + p.axial_damping * eps_t
        ),
        lambda *given: (given[-1].axial_stiffness, given[-1].axial_damping, 0.0, 0.0),
    ),
    "bending_moment": (
        lambda t, x, eps, eps_t, eps_ref, kap, kap_t, kap_ref, p: (
            p.bending_stiffness * (kap - kap_ref) + p.bending_damping * kap_t
        ),
        lambda *given: (0.0, 0.0, given[-1].bending_stiffness, given[-1].bending_damping),
    ),
}
"""Linear laws and their derivatives, for rows without a user function."""


def has_function(rows: LocalRows) -> NDArray[np.bool_]:
    """Return whether each row has a user function, shape (rows,)."""
    return ~(
        is_none(read_functions(rows, "axial_force_function")) & is_none(read_functions(rows, "bending_moment_function"))
    )


def read_functions(rows: LocalRows | EntityTable, name: str) -> NDArray[Any]:
    """Return the column ``name``, which contains functions, shape (rows,). If the cables do not have this column, all
    elements are None.
    """
    if name in (rows.table if isinstance(rows, LocalRows) else rows).component.columns:
        return rows.local(name)
    count = len(rows.rows) if isinstance(rows, LocalRows) else len(rows.resident)
    return np.full(count, None)


def is_none(functions: NDArray[Any]) -> NDArray[np.bool_]:
    """Return whether each element of a column of functions is None, shape (rows,)."""
    none: Any = None
    return np.asarray(np.equal(functions, none), dtype=bool)


def create_parameters(rows: LocalRows) -> Parameters:
    """Return the columns that user functions receive."""
    names = Parameters._fields[1:]
    # of the two equal bending stiffnesses of cables with twist, the first is returned
    return Parameters(rows.rows[:, None], *(np.atleast_2d(rows.local(name).T)[0][:, None] for name in names))


def create_forces(rows: LocalRows, quantity: str) -> list[ForceGroup]:
    """Create groups of rows with the same function for ``"axial_force"`` or ``"bending_moment"``."""
    forces, derivatives = (read_functions(rows, f"{quantity}_{name}") for name in ("function", "derivatives"))
    linear = is_none(forces)
    result = [ForceGroup(np.flatnonzero(linear), *LINEAR[quantity])] if linear.any() else []
    groups: dict[tuple[int, int], list[int]] = {}
    for i in np.flatnonzero(~linear):
        groups.setdefault((id(forces[i]), id(derivatives[i])), []).append(int(i))
    # in messages, cables with moving material have the name `Cable2D`
    calls, kind = first_calls(rows.world), rows.table.kind.removeprefix("ALE")
    result += [ForceGroup(np.array(m), forces[m[0]], derivatives[m[0]], calls, kind) for m in groups.values()]
    return result


def create_places(rows: LocalRows, s: FloatArray) -> Places:
    """Create the points at s = x/L [1], shape (n,) or (rows, n)."""
    s = np.broadcast_to(s, (len(rows.rows), np.shape(s)[-1]))
    return Places(s, eval_shape(s, rows.local("length")[:, None]), eval_references(rows, s))


def create_user_rows(rows: LocalRows, row: IntArray, integration: int) -> UserRows:
    """Create the data of rows with user functions. The argument ``row`` contains the indices of these rows among the
    rows of the table on this process.
    """
    rule: Rule = create_rule(integration)
    length = rows.local("length")[:, None]
    given = (("axial_force", rule.sa, rule.wa), ("bending_moment", rule.sb, rule.wb))
    parts = {
        k: (name, create_forces(rows, name), create_places(rows, s), w * length) for k, (name, s, w) in enumerate(given)
    }
    return UserRows(row, rows.dofs, create_parameters(rows), parts)


def eval_forces(
    quantity: str, forces: list[ForceGroup], t: float, places: Places, strains: Strains, parameters: Parameters
) -> FloatArray:
    """Return the axial force [N] or the bending moment [N m], shape (rows, n)."""
    arguments = _arguments(places, strains, parameters)
    if len(forces) == 1 and forces[0].calls is None:
        # if no row has a user function, the arguments are not divided among groups of rows
        return np.asarray(forces[0].force(t, *arguments, parameters))
    out = np.empty_like(strains.eps)
    for group in forces:
        x, *values = [a[group.rows] for a in arguments]
        out[group.rows] = _call(quantity, group, t, x, values, _of_rows(parameters, group.rows))
    return out


def eval_force_derivatives(
    quantity: str, forces: list[ForceGroup], t: float, places: Places, strains: Strains, parameters: Parameters
) -> FloatArray:
    """Return the derivatives of the axial force or the bending moment with respect to strain, strain rate, curvature
    and curvature rate, shape (4, rows, n).
    """
    arguments = _arguments(places, strains, parameters)
    out = np.empty((4, *strains.eps.shape))
    for group in forces:
        x, *values = [a[group.rows] for a in arguments]
        p = _of_rows(parameters, group.rows)
        if group.derivatives is not None:
            given = _call_derivatives(quantity, group, t, x, values, p)
            for k in range(4):
                out[k, group.rows] = given[k]
            if group.calls is not None and group.calls.count(group.derivatives):
                _compare(quantity, group, t, x, values, p, out[:, group.rows])
            continue
        for k, which in enumerate(BY):
            step = _step(which, values, p)
            up, down = list(values), list(values)
            up[which], down[which] = values[which] + step, values[which] - step
            change = _call(quantity, group, t, x, up, p) - _call(quantity, group, t, x, down, p)
            out[k, group.rows] = change / (up[which] - down[which])
    return out


def _step(which: int, values: list[FloatArray], p: Parameters) -> FloatArray:
    unit = np.ones_like(p.length) if which < 2 else 1.0 / p.length
    return STEP * np.maximum(unit, np.abs(values[which]))


def _compare(
    quantity: str,
    group: ForceGroup,
    t: float,
    x: FloatArray,
    values: list[FloatArray],
    p: Parameters,
    given: FloatArray,
) -> None:
    """Warn if the derivatives that a user function returns differ from finite differences of the force function. A
    difference causes only a warning, because wrong derivatives affect only the tangent.
    """
    for k, (which, name) in enumerate(BY.items()):

        def evaluate(distance: FloatArray, which: int = which) -> FloatArray:
            moved = list(values)
            moved[which] = values[which] + distance
            return _call(quantity, group, t, x, moved, p)

        wrong, differences = find_contradictions(given[k], _step(which, values, p), evaluate)
        for i, j in np.argwhere(wrong)[:1]:
            warn(
                f"{quantity}_derivatives of {group.kind} row {int(p.row[i, 0])} gave {given[k, i, j]:.9g} for the "
                f"derivative with respect to {name} at x = {x[i, j]:.6g} m, t = {t:.9g} s, but {quantity}_function "
                f"({name_of(group.force)}) changes by {differences[i, j]:.9g}: Newton's method needs the derivative",
                ModelWarning,
                stacklevel=2,
            )


def _arguments(places: Places, s: Strains, parameters: Parameters) -> tuple[FloatArray, ...]:
    ref = places.references
    return places.s * parameters.length, s.eps, s.eps_t, ref.eps, s.kap, s.kap_t, ref.kap


def _of_rows(parameters: Parameters, rows: IntArray) -> Parameters:
    row, *values = parameters
    return Parameters(row[rows], *(column[rows] for column in values))


def _call(
    quantity: str, group: ForceGroup, t: float, x: FloatArray, values: list[FloatArray], p: Parameters
) -> FloatArray:
    """Call a function and return one value for each row and point."""
    given = group.force(t, x, *values, p)
    result = given if group.calls is None else read_numbers(given)
    if result is None or result.shape not in ((), p.length.shape, x.shape):
        words = show(given) if result is None else f"an array of shape {result.shape}"
        must = f"must be one value per row and point, shape {x.shape} (or {p.length.shape}, or one number for all)"
        raise _refusal(f"{quantity}_function of {group.kind}", group.force, words, must, 0, t, p)
    result = np.broadcast_to(result, x.shape)
    if group.calls is not None:
        _check_finite(f"{quantity}_function of {group.kind}", group.force, result, t, values, p)
    return result


def _call_derivatives(
    quantity: str, group: ForceGroup, t: float, x: FloatArray, values: list[FloatArray], p: Parameters
) -> list[FloatArray]:
    """Call the derivatives of a function and return four scalars or arrays."""
    assert group.derivatives is not None
    given = group.derivatives(t, x, *values, p)
    if group.calls is None:
        return list(given)
    name = f"{quantity}_derivatives of {group.kind}"
    must = f"must be 4 numbers or arrays, each of shape {x.shape} or {p.length.shape}"
    several = isinstance(given, list | tuple) or (isinstance(given, np.ndarray) and given.ndim > 0)
    if not several or len(given) != 4:
        raise _refusal(name, group.derivatives, show(given), must, 0, t, p)
    result = []
    for part in given:
        array = read_numbers(part)
        if array is None or array.shape not in ((), p.length.shape, x.shape):
            raise _refusal(name, group.derivatives, show(part), must, 0, t, p)
        _check_finite(name, group.derivatives, np.broadcast_to(array, x.shape), t, values, p)
        result.append(array)
    return result


def _check_finite(
    name: str, function: Any, result: FloatArray, t: float, values: list[FloatArray], p: Parameters
) -> None:
    """Raise ModelError for a row whose result is not finite although all arguments are finite."""
    if np.isfinite(result).all():
        return
    bad = ~np.isfinite(result)
    for value in values:
        bad &= np.isfinite(value)
    # If an argument is not finite, Newton's method has diverged. The solver reports this divergence, so no error is
    # raised here.
    for i, j in np.argwhere(bad)[:1]:
        raise _refusal(name, function, str(result[i, j]), "must be finite numbers", int(i), t, p)


def _refusal(name: str, function: Any, given: str, must: str, i: int, t: float, p: Parameters) -> ModelError:
    row = int(p.row[i, 0])
    return ModelError(f"{name} gave {given} in row {row} ({name_of(function)}) at t = {t:.9g} s: {must}")


def add_forces(c: UserRows, fields: Fields, f: FloatArray) -> None:
    """Add the forces [N, N m] of rows with user functions to f."""
    x, v = fields.x[c.dofs], fields.v[c.dofs]
    for k, (quantity, forces, places, weight) in c.parts.items():
        strains = eval_strains(places.shape, x, v)
        N = eval_forces(quantity, forces, fields.t, places, strains, c.parameters)
        gradient = eval_gradients(places.shape, strains)[k]
        np.add.at(f, c.dofs, np.einsum("rn,rna->ra", weight * N, gradient))


def add_tangents(c: UserRows, fields: Fields, dq: float, dv: float, slots: IntArray, values: FloatArray) -> None:
    """Add the tangent dq ∂f/∂q + dv ∂f/∂v of `add_forces`, with the factors dq and dv, to the values of the matrix. The
    argument ``slots`` contains the indices of these values, shape (rows on this process, m, m) for m coordinates per
    row, of which the first are the coordinates in ``c.dofs``.
    """
    x, v, n = fields.x[c.dofs], fields.v[c.dofs], c.dofs.shape[1]
    for k, (quantity, forces, places, weight) in c.parts.items():
        strains = eval_strains(places.shape, x, v)
        gradients = eval_gradients(places.shape, strains)
        second = eval_second_derivatives(places.shape, strains)
        N = eval_forces(quantity, forces, fields.t, places, strains, c.parameters)
        by = eval_force_derivatives(quantity, forces, fields.t, places, strains, c.parameters)[..., None]
        rates = [np.einsum("rnab,rb->rna", H, v) for H in second]
        change = (dq * by[0] + dv * by[1]) * gradients[0] + dq * by[1] * rates[0]
        change += (dq * by[2] + dv * by[3]) * gradients[1] + dq * by[3] * rates[1]
        matrix = np.einsum("rn,rna,rnb->rab", weight, gradients[k], change)
        matrix += dq * np.einsum("rn,rnab->rab", weight * N, second[k])
        np.add.at(values, slots[c.row, :n, :n], matrix)


Function = Callable[[Evaluation], None]


def add_user_rows(residual: Function, tangent: Function, groups: list[UserRows]) -> tuple[Function, Function]:
    """Return functions of a `System` that evaluate the residual and the tangent of the kernels, and the forces of the
    rows with user functions.
    """
    if not groups:
        return residual, tangent

    def add_residual(s: Evaluation) -> None:
        residual(s)
        for c in groups:
            add_forces(c, s, s.f)

    def add_tangent(s: Evaluation) -> None:
        tangent(s)
        for c in groups:
            add_tangents(c, s, s.dq, s.dv, s.slots, s.values)

    return add_residual, add_tangent
