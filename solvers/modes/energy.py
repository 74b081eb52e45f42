"""Fractions of kinetic and potential energy in a mode. The fractions show which parts of a model move and which parts
are strained.

The kinetic energy xᴴ M x is divided among bodies and belts. Rows of a table that share coordinates are treated as one
belt or as the named parts of a belt. The potential energy xᴴ K x is divided among the tables whose forces contribute to
K, such as cables, springs, contacts and some constraints. A table can have a negative potential energy, and therefore a
negative fraction, for example for a strut in compression or for moving material.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from windlass.framework.arrays import ComplexArray, FloatArray, IntArray
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.model.named_parts import named_parts
from windlass.framework.model.schema import Component
from windlass.solvers.modes.matrices import LinearMotion

Shares = dict[str, FloatArray]


def eval_kinetic(motion: LinearMotion, shapes: ComplexArray) -> Shares:
    """Return the fraction [1] of the kinetic energy that each body or belt has in each mode. Keys of the result are the
    names of bodies and belts. Values are arrays of shape (modes,). The call is collective.

    Args:
        motion: mass, damping and stiffness matrices of the model. The fields of the assembly of ``motion`` must contain
            the state at which the matrices were evaluated.
        shapes: complex mode shapes over the coordinates of this process, shape (modes, n).
    """
    assembly = motion.assembly
    names: list[str] = []
    values: list[FloatArray] = []
    shapes = shapes.copy()
    shapes[:, assembly.layout.states] = 0.0  # first-order states have no kinetic energy
    for component, system in assembly.layout.systems.items():
        inertia = system.inertia.tangent if system.inertia is not None else None
        has_mass = system.mass is not None or inertia is not None
        if not assembly.processes.any(has_mass):
            continue
        matrix = motion.create_values()
        if system.mass is not None:
            system.mass(assembly.evaluation(component, matrix, mass=1.0))
        if inertia is not None:
            inertia(assembly.evaluation(component, matrix, da=1.0))
        by_dof = _energy_by_dof(motion, matrix, shapes)
        labels = find_belts(assembly, system.dofs)
        parts = mark_parts(assembly, component, system.dofs, labels)
        groups = _name_groups(assembly, component, system.dofs, labels) | parts
        numbers = np.array(sorted(groups), np.int64)
        place = np.searchsorted(numbers, labels)
        inside = np.isin(labels, numbers)
        sums = np.array([np.bincount(place[inside], row[inside], len(numbers)) for row in by_dof])
        total = assembly.processes.sum(sums.reshape(len(shapes), len(numbers)))
        names += [groups[number] for number in numbers.tolist()]
        values += list(total.T)
    return _normalise(names, values)


def eval_potential(motion: LinearMotion, shapes: ComplexArray) -> Shares:
    """Return the fraction [1] of the potential energy xᴴ K x that each table has in each mode shape x. The keys of the
    result are the names of components, and the values are arrays of shape (modes,). Tables without potential energy are
    omitted. The call is collective.
    """
    assembly = motion.assembly
    names: list[str] = []
    values: list[FloatArray] = []
    for component, system in assembly.layout.systems.items():
        tangent = system.tangent or (system.constraint.tangent if system.constraint is not None else None)
        if not assembly.processes.any(tangent is not None):
            continue
        matrix = motion.create_values()
        if system.tangent is not None:
            system.tangent(assembly.evaluation(component, matrix, dq=1.0))
        elif system.constraint is not None:
            coupling = motion.sparsity.couplings[component]._replace(scale=0.0)
            system.constraint.tangent(assembly.evaluation(component, matrix, dq=1.0, coupling=coupling))
        energy = assembly.processes.sum(_energy_by_dof(motion, matrix, shapes).sum(axis=1))
        if np.any(energy != 0.0):
            names.append(component.__name__)
            values.append(energy)
    return _normalise(names, values)


def _energy_by_dof(motion: LinearMotion, matrix: FloatArray, shapes: ComplexArray) -> FloatArray:
    """Return the real part of conj(x_i) (A x)_i for each shape x and each coordinate i of this process, shape (modes,
    n). A is the matrix with the values ``matrix``.
    """
    unknowns = motion.sparsity.unknowns
    found = np.zeros(shapes.shape)
    for i, shape in enumerate(shapes):
        for part in (shape.real, shape.imag):
            x = np.zeros(len(unknowns.numbers))
            x[unknowns.of_dof] = part
            found[i] += part * motion.sparsity.pattern.multiply(matrix, x)[unknowns.of_dof]
    return found


def find_belts(assembly: Assembly, dofs: IntArray) -> IntArray:
    """Return, for each coordinate of this process, an index of its belt, shape (n,). Coordinates that rows of the table
    connect, directly or through other coordinates, have the same index. The call is collective.

    Args:
        assembly: the systems of this process.
        dofs: process-local indices of the k coordinates of each row of a table, shape (rows, k).
    """
    layout, spare = assembly.layout, assembly.layout.spare
    lowest: IntArray = np.arange(spare) if layout.size == 1 else np.asarray(layout.dofs).copy()
    first = np.broadcast_to(dofs[:, :1], dofs.shape)
    inside = (dofs < spare) & (first < spare)
    edges = first[inside], dofs[inside]
    graph = coo_array((np.ones(len(edges[0])), edges), shape=(spare, spare))
    _, part = connected_components(graph, directed=False)
    while True:
        before, least = lowest.copy(), np.full(spare, np.iinfo(np.int64).max)
        np.minimum.at(least, part, lowest)
        np.minimum(lowest, least[part], out=lowest)
        if layout.size > 1:
            values = lowest.astype(np.float64)[:, None]
            np.minimum.at(
                lowest,
                layout.ghosts.sent,
                layout.ghosts.backward(values[layout.ghosts.received])[:, 0].astype(np.int64),
            )
            values = lowest.astype(np.float64)
            layout.ghosts.copy_from_owners(values)
            lowest = values.astype(np.int64)
        if not assembly.processes.any(bool((lowest != before).any())):
            return lowest


def mark_parts(assembly: Assembly, component: type[Component], dofs: IntArray, labels: IntArray) -> dict[int, str]:
    """Set the elements of ``labels`` for the coordinates of each named part of a belt (see
    `framework/model/named_parts.py`) to a negative label. Return the name of each part by its label.
    """
    names: dict[int, str] = {}
    for k, (name, table, rows) in enumerate(named_parts(assembly.world)):
        if table.component is component:
            here = dofs[np.isin(assembly.layout.rows[component], rows)]
            labels[here[here < assembly.layout.spare]] = -k - 1
            names[-k - 1] = name
    return names


def _name_groups(assembly: Assembly, component: type[Component], dofs: IntArray, labels: IntArray) -> dict[int, str]:
    """Return the name of each group of rows that share coordinates, by the label of the group. A group of several rows
    has the name that the user has given to all rows together, or the name of its first row and the number of further
    rows. The call is collective.
    """
    table, rows = assembly.world.tables[component], assembly.layout.rows[component]
    there = np.where((dofs < assembly.layout.spare).any(axis=1))[0]
    column = (dofs[there] < assembly.layout.spare).argmax(axis=1)
    of_row = labels[dofs[there, column]]
    numbers, first, counts = np.unique(of_row, return_index=True, return_counts=True)
    mine = {
        int(number): (int(rows[there[i]]), table.describe(int(rows[there[i]])), int(count))
        for number, i, count in zip(numbers, first, counts, strict=True)
    }
    every: dict[int, list[tuple[int, str, int]]] = {}
    for part in assembly.processes.allgather("bodies and belts", mine):
        for number, found in part.items():
            every.setdefault(number, []).append(found)
    names = {}
    for number, parts in every.items():
        count, (row, name, _) = sum(part[2] for part in parts), min(parts)
        names[number] = table.find_label(row, count) or (name if count == 1 else f"{name} and {count - 1} more")
    return names


def _normalise(names: list[str], values: list[FloatArray]) -> Shares:
    """Return each array of energies divided by the sum of all arrays, by name; NaN where the sum is 0. Further bodies
    or belts of one name receive a number, for example ``rope (2)``.
    """
    names = [name if (k := names[:i].count(name)) == 0 else f"{name} ({k + 1})" for i, name in enumerate(names)]
    total = np.sum(values, axis=0) if values else np.zeros(0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return {name: np.where(total != 0.0, value / total, np.nan) for name, value in zip(names, values, strict=True)}
