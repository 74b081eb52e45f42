"""Results of an equilibrium and their derivatives with respect to parameters of the model.

Let r(x, p) = 0 be the equations, y(x, p) the results, and K = ∂r/∂x the tangent. The derivatives are

    dy/dp = ∂y/∂x dx/dp + ∂y/∂p,    K dx/dp = -∂r/∂p                (direct),
    dy/dp = ∂y/∂p - μᵀ ∂r/∂p,       Kᵀ μ = (∂y/∂x)ᵀ                 (adjoint).

The direct method needs a solve and four models for each parameter. The derivative dy/dp is the central difference of
the results of two models with the parameters p ± h at x ± h dx/dp. The adjoint method needs a solve for each result,
and the central difference of r at x for each parameter. For this difference, parameters that change forces of different
rows share two models, see parameter_groups.py. Two models are sufficient, because each entry of r depends on at most
one of these parameters. If history values of contacts change with x (see static_history.py), the direct method is
always used. The derivatives ∂y/∂x are central differences with respect to the coordinates, multipliers and first-order
states on which the result depends (see state_slopes.py).

Source: D. A. Tortorelli, P. Michaleris, Inverse Problems in Engineering 1 (1994) 71-105.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.assembly.assembly import serial_assembly
from windlass.framework.checks.checks import checked, word
from windlass.framework.errors import ModelError
from windlass.framework.model.world import World
from windlass.framework.state.state import State
from windlass.solvers.sensitivities.equilibrium import (
    CHECKS,
    Model,
    SolvedModel,
    add_changes,
    eval_residual,
    find_states,
    read_results,
    solve_equilibrium,
)
from windlass.solvers.sensitivities.equilibrium_slopes import differentiate
from windlass.solvers.sensitivities.parameter_groups import change, find_groups, spread_steps
from windlass.solvers.sensitivities.state_slopes import StateSlopes

PERTURBATION = 1e-8
"""Perturbation [1] of coordinates, relative to the largest coordinate, with which changes of history values are found.
"""
DEPENDENT = 1e-6
"""Change [1] of forces or results due to changed history values, relative to the change due to the coordinates. Up to
this value, forces and results are treated as independent of history values.
"""
Derivatives = dict[str, dict[str, float]]
"""Type of derivatives. The first key is the name of the result, and the second key is the name of the parameter."""


@checked(**CHECKS, method=word("direct", "adjoint"))
def evaluate(
    model: Model,
    p: Mapping[str, float],
    *,
    solve: Callable[[World], State] | None = None,
    steps: Mapping[str, float] | None = None,
    method: str = "direct",
) -> tuple[dict[str, float], Derivatives]:
    """Return results of an equilibrium and their derivatives with respect to parameters.

        y, dy = wl.evaluate(model, {"length": 10.0, "weight": 5.0})
        dy["sag"]["length"]

    Args:
        model: function ``(p) -> (world, results)`` that builds the model. The function ``results(state) -> {name:
            number}`` computes the results of a state. The number of rows of each table must be the same for all p.
        p: values of the parameters by name.
        solve: function ``(world) -> state`` that finds the equilibrium. By default, `Static` with its default settings
            is used.
        steps: steps h of the central differences by name of the parameter, in the unit of the parameter. By default,
            the step is 6e-6 times the value of the parameter. A step is required for a parameter with the value 0. If
            there are several parameters, the adjoint method uses different fractions of these steps, between 0.9 and 1.
        method: ``"direct"``, or ``"adjoint"``, which is faster for many parameters and few results.

    Returns:
        Results y by name, and derivatives dy by names of the result and the parameter, in units of the result per unit
        of the parameter.

    Raises:
        ModelError: parameters or results are not finite numbers; the number of rows of a table changes with a
            parameter; a parameter changes initial history values of contacts that have slipped in several solves; a
            state is not an equilibrium; the tangent is singular; derivatives do not converge; several processes are
            used.
        NotConverged: the solve fails.
    """
    if method == "adjoint":
        return _evaluate_by_adjoint(model, p, solve, steps)
    return _evaluate_directly(solve_equilibrium(model, p, solve, steps), model, p)


def _evaluate_directly(
    solved: SolvedModel, model: Model, p: Mapping[str, float]
) -> tuple[dict[str, float], Derivatives]:
    """Return results and derivatives, computed by the direct method."""
    found = differentiate(solved, model, p)
    y = read_results(found.results, found.state, None)
    dy: Derivatives = {name: {} for name in y}
    for name in p:
        ends = []
        for side in (1.0, -1.0):
            _, results, state = found.move(model, p, name, side)
            ends.append(read_results(results, state, y))
        for result in y:
            dy[result][name] = (ends[0][result] - ends[1][result]) / (2.0 * found.steps[name])
    return y, dy


def depends_on_history(found: SolvedModel) -> bool:
    """Return whether forces or results change due to history values that change with the coordinates."""
    if not found.follows:
        return False
    assembly, centre, state = serial_assembly(found.world), found.state, found.state.copy()
    largest = float(np.abs(assembly.fields.x).max(initial=0.0)) or 1.0
    change = PERTURBATION * largest * np.random.default_rng(0).uniform(-1.0, 1.0, len(centre.q))
    updates = list[FloatArray]()
    for side in (1.0, -1.0):
        add_changes(state, centre, side * change, np.zeros_like(centre.lam))
        updates.append(found.history.update(state))
    moved = found.history.find_slope(centre.data, updates[0], updates[1], 1.0)
    # forces and results at the equilibrium, at other coordinates, and at other coordinates and history values
    values = list[FloatArray]()
    for dofs, data in ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0)):
        add_changes(state, centre, dofs * change, np.zeros_like(centre.lam))
        state.data[:] = state.start_data[:] = centre.data + data * moved
        y = read_results(found.results, state, None)
        values.append(np.concatenate((*eval_residual(assembly, state)[0], list(y.values()))))
    first = len(values[0]) - len(y)
    own, further = (np.abs(values[k] - values[k - 1]) for k in (1, 2))
    # each result has its own unit
    parts = [slice(0, first), *(slice(k, k + 1) for k in range(first, len(own)))]
    return any(further[part].max(initial=0.0) > DEPENDENT * own[part].max(initial=0.0) for part in parts)


def _evaluate_by_adjoint(
    model: Model, p: Mapping[str, float], solve: Callable[[World], State] | None, steps: Mapping[str, float] | None
) -> tuple[dict[str, float], Derivatives]:
    """Return results and derivatives, computed by the adjoint method. The arguments are explained in `evaluate`."""
    found = solve_equilibrium(model, p, solve, steps)
    if depends_on_history(found):
        return _evaluate_directly(found, model, p)
    found = found._replace(steps=spread_steps(p, found.steps))
    y = read_results(found.results, found.state, None)
    factors = find_factors(found, list(y))
    dy: Derivatives = {name: {} for name in y}
    groups = find_groups(model, p, found.steps, serial_assembly(found.world))
    while groups:
        names, of_dof = groups.pop()
        slopes = find_slopes(model, p, found, names, of_dof, y, factors)
        if slopes is None:
            half = len(names) // 2
            parts = (0, half), (half, len(names))
            groups += [(names[i:j], np.where((of_dof >= i) & (of_dof < j), of_dof - i, 0)) for i, j in parts]
            continue
        for result, values in slopes.items():
            dy[result] |= dict(zip(names, values.tolist(), strict=True))
    return y, {result: {name: own[name] for name in p} for result, own in dy.items()}


def find_factors(found: SolvedModel, names: Sequence[str]) -> dict[str, FloatArray]:
    """Return, for each result y, the solution μ of Kᵀ μ = (∂y/∂x)ᵀ, shape (u,), where K is the tangent.

    Raises:
        ModelError: a solution is not finite.
    """
    unknowns, is_state = found.motion.sparsity.unknowns, find_states(found.state)
    gradient = StateSlopes(found.results, found.state, ("q", "lam", "v"), {"q": ~is_state, "v": is_state})
    factors, slopes = dict[str, FloatArray](), gradient.find_each(names)
    places = {"q": unknowns.of_dof, "v": unknowns.of_dof, "lam": unknowns.of_multiplier}
    for number, name in enumerate(names):
        right = np.zeros(found.motion.K.getSize()[0])
        for array, (used, values) in slopes.items():
            right[places[array][used]] += values[:, number]
        factors[name] = found.factors.solve(right, trans="T")
        if not np.isfinite(factors[name]).all():
            raise ModelError(f"the derivatives of {name!r} are not finite: the tangent is singular")
    return factors


def find_slopes(
    model: Model,
    p: Mapping[str, float],
    found: SolvedModel,
    names: Sequence[str],
    of_dof: IntArray,
    y: Mapping[str, float],
    factors: Mapping[str, FloatArray],
) -> dict[str, FloatArray] | None:
    """Return the derivatives of results with respect to parameters that share two models.

    Args:
        model, p, found, y: the model, its parameters, equilibrium and results.
        names: the parameters of the group.
        of_dof: for each coordinate, the index in ``names`` of the parameter that changes forces on the coordinate,
            shape (n + 1,); 0 if no parameter changes forces on the coordinate.
        factors: μ by name of the result, shape (u,) each.

    Returns:
        The derivatives of each result, by name of the result, shape (names,) each. If the group has several parameters,
        and one of them changes a result at constant coordinates, the return value is None.
    """
    unknowns, centre = found.motion.sparsity.unknowns, found.state
    high, low = (found.change(model, change(p, found.steps, names, side), " and ".join(names)) for side in (1.0, -1.0))
    data, none = found.find_change(high, low, 1.0), (np.zeros_like(centre.q), np.zeros_like(centre.lam))
    ends, values = [], []
    for side, end in ((1.0, high), (-1.0, low)):
        end.move(centre, *none, side * data)
        ends.append(end.eval_residual())
        values.append(read_results(end.results, end.state, y))
    if len(names) > 1 and any(dict(own) != dict(y) for own in values):
        return None
    (f, c), (f_below, c_below) = ends
    h, count = np.array([found.steps[name] for name in names]), len(names)
    slopes = dict[str, FloatArray]()
    for result, mu in factors.items():
        work = np.bincount(of_dof[:-1], mu[unknowns.of_dof] * (f - f_below), count)
        work[0] += mu[unknowns.of_multiplier] @ (c - c_below)
        slopes[result] = (values[0][result] - values[1][result] - work) / (2.0 * h)
    return slopes
