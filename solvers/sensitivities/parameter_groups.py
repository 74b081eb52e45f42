"""Groups of parameters. Two models are sufficient for the derivatives with respect to all parameters of a group.

Parameters that change rows without common coordinates can be changed together: each coordinate of the changed rows is
affected by only one of the parameters (A. R. Curtis, M. J. D. Powell, J. K. Reid, IMA Journal of Applied Mathematics 13
(1974) 117-119). The tables of models with changed parameters show which rows each parameter changes.

Parameters share models only if they change forces and masses, but no positions, constraints, initial values or laws
with history values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, islice
from math import comb

import numpy as np

from windlass.framework.arrays import BoolArray, IntArray
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.model.schema import Component
from windlass.framework.model.world import World
from windlass.solvers.sensitivities.compared_worlds import ChangedRows, add_references, exerts_only_forces, find_rows
from windlass.solvers.sensitivities.equilibrium import AnyModel, call_model, require_equal

FEWEST = 3
"""Smallest number of parameters for which a search for common models is made."""
SMALLEST = 0.9
"""Smallest fraction [1] of the given step of a parameter that is used in common models."""


def spread_steps(p: Mapping[str, float], h: Mapping[str, float]) -> dict[str, float]:
    """Return steps that are different fractions, between `SMALLEST` and 1, of the given steps h of the parameters. The
    step of a single parameter is not changed.

    If several parameters were changed at the same time by equal fractions of their values, their ratios would not
    change. Values in the model that depend on such a ratio would then seem to be independent of the parameters.
    """
    if len(p) < 2:
        return dict(h)
    fractions = np.random.default_rng(0).uniform(SMALLEST, 1.0, len(p)).tolist()
    return {name: float(p[name] + fraction * h[name] - p[name]) for name, fraction in zip(p, fractions, strict=True)}


def change(p: Mapping[str, float], h: Mapping[str, float], names: Sequence[str], side: float) -> dict[str, float]:
    """Return the values of all parameters after a change of the parameters ``names`` by ``side`` times their steps
    h."""
    return {**p, **{name: p[name] + side * h[name] for name in names}}


def find_groups(
    model: AnyModel, p: Mapping[str, float], h: Mapping[str, float], assembly: Assembly
) -> list[tuple[list[str], IntArray]]:
    """Return, for each group, the names of its parameters and an array of shape (n + 1,). The array contains one index
    for each coordinate: the index, in these names, of the parameter that changes forces on the coordinate, or 0 if no
    parameter changes these forces.

    Args:
        model, p, h: function that builds the model, values of the parameters, and steps of the central differences,
            see `spread_steps`.
        assembly: the systems of the model with the parameters p.

    Raises:
        ModelError: the number of rows of a table changes with a parameter.
    """
    count = assembly.layout.spare + 1
    nowhere = np.zeros(count, np.int64)
    if len(p) < FEWEST:
        return [([name], nowhere) for name in p]
    alone, groups = list[str](), list[tuple[list[str], IntArray]]()
    world, _, *start = call_model(model, p, moves=True)
    shares = not start and not any(constraint.rubs for constraint in assembly.constraints)
    rows = _find_rows(model, p, h, world) if shares else dict.fromkeys(p)
    for name, changed in rows.items():
        own = None if changed is None else _find_dofs(assembly, world, changed)
        if own is None:
            alone.append(name)
            continue
        free = (group for group in groups if not (own & (group[1] >= 0)).any())
        names, of_dof = next(free, (list[str](), np.full(count, -1)))
        if not names:
            groups.append((names, of_dof))
        of_dof[own] = len(names)
        names.append(name)
    return [(names, np.maximum(of_dof, 0)) for names, of_dof in groups] + [([name], nowhere) for name in alone]


def _find_rows(
    model: AnyModel, p: Mapping[str, float], h: Mapping[str, float], world: World
) -> dict[str, ChangedRows | None]:
    """Return the rows that each parameter changes, or None for parameters that change more than forces and masses. The
    argument ``world`` is the model with the parameters p, and is not finalized.

    If each row depends on at most one parameter, few models are sufficient. Each parameter is changed in its own
    selection of half of these models. A row that depends on one parameter therefore changes in exactly the selected
    models. A row that depends on several parameters changes in more models. `spread_steps` prevents changes of several
    parameters from cancelling each other.
    """

    def compare(names: Sequence[str]) -> ChangedRows | None:
        other, _, *_ = call_model(model, change(p, h, names, 1.0), moves=True)
        require_equal(world, other, " and ".join(names))
        return find_rows(world, other)

    names = list(p)
    count = next(n for n in range(1, len(names) + 2) if comb(n, n // 2) >= len(names))
    selected = list(islice(combinations(range(count), count // 2), len(names)))
    codes = [sum(1 << number for number in own) for own in selected]
    found = dict[type[Component], IntArray]()
    for number in range(count) if count < len(names) else ():
        changed = compare([name for name, own in zip(names, selected, strict=True) if number in own])
        if changed is None:
            break
        for component, rows in changed.items():
            found[component] = found.get(component, 0) + (rows.astype(np.int64) << number)
    else:
        if found and all(np.isin(of_row, [0, *codes]).all() for of_row in found.values()):
            return {
                name: {component: of_row == code for component, of_row in found.items()}
                for name, code in zip(names, codes, strict=True)
            }
    return {name: compare([name]) for name in names}


def _find_dofs(assembly: Assembly, world: World, rows: ChangedRows) -> BoolArray | None:
    """Return, for each coordinate, whether it is a coordinate of changed rows or of rows that refer to changed rows,
    shape (n + 1,). Return None if these rows affect more than forces and masses.
    """
    layout, every = assembly.layout, add_references(world, rows)
    found = np.zeros(layout.spare + 1, np.bool_)
    for component, changed in every.items():
        if not changed.any():
            continue
        if not exerts_only_forces(component):
            return None
        system = layout.systems.get(component)
        if system is None:
            continue
        if system.neighbours is not None or system.inertia is not None:
            return None
        found[system.dofs[changed[layout.rows[component]]]] = True
    found[-1] = False
    return found
