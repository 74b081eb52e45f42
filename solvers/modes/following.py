"""Assignment of modes at one speed to modes at the next speed, by the modal assurance criterion (MAC) with the mass
matrix.

    MAC = |xᴴ M y|² / (xᴴ M x · yᴴ M y)

The MAC is 1 for shapes x and y that are equal up to a factor, and 0 for orthogonal shapes. In a running closed belt,
nodes with the same index are at different positions in the two states. Therefore, before shapes of a belt are compared,
the nodes of the second state are reordered such that nodes with the same index are as close as possible.

Source: R. J. Allemang, D. L. Brown, Proc. 1st International Modal Analysis Conference (1982) 110-116.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from windlass.framework.arrays import FloatArray, IntArray
from windlass.solvers.modes.result import ModesResult

NEARER = 1e-3
"""Weight [1] of the difference between two frequencies, relative to the largest difference. The weight of the MAC is 1.
Frequencies affect the assignment only if several MAC values are nearly equal.
"""


def eval_assurance(first: ModesResult, second: ModesResult) -> FloatArray:
    """Return the MAC of each pair of a mode at one state and a mode at another state, shape (modes, modes). The call is
    collective.

    The result is 0 if the models differ in the number of coordinates, or in the number or size of closed belts.
    """
    motion, other = first.motion, second.motion
    found = np.zeros((len(first), len(second)))
    alike = [belt.nodes.shape for belt in motion.belts] == [belt.nodes.shape for belt in other.belts]
    if motion.dofs != other.dofs or not alike or not len(first) or not len(second):
        return found
    layout, unknowns = motion.assembly.layout, motion.sparsity.unknowns
    x = first.shapes
    y = _gather(second, second.shapes)[:, _find_places(first, second)][:, layout.dofs]

    def weigh(shapes: FloatArray) -> FloatArray:
        products = []
        for shape in shapes:
            local = np.zeros(len(unknowns.numbers))
            local[unknowns.of_dof] = shape
            products.append(motion.multiply_mass(local)[unknowns.of_dof])
        return np.array(products)

    weighted = weigh(y.real) + 1j * weigh(y.imag)
    own = weigh(x.real) + 1j * weigh(x.imag)
    parts = [
        np.conj(x) @ weighted.T,
        np.einsum("ij,ij->i", np.conj(x), own),
        np.einsum("ij,ij->i", np.conj(y), weighted),
    ]
    flat = np.concatenate([part.ravel() for part in parts])
    real, imaginary = motion.assembly.processes.sum(np.array([flat.real, flat.imag]))
    both = (real + 1j * imaginary)[: found.size].reshape(found.shape)
    sizes = real[found.size : found.size + len(first)][:, None] * real[found.size + len(first) :][None, :]
    np.divide(np.abs(both) ** 2, sizes, out=found, where=sizes > 0.0)
    return found


def follow(results: list[ModesResult]) -> tuple[IntArray, FloatArray]:
    """Return lines that connect modes at successive speeds. Lines that start at the first speed are ordered by
    frequency. Lines that start at later speeds follow.

    Returns:
        First, the index of the mode of each line at each speed, or -1 if the line has no mode. Second, the MAC between
        this mode and the previous mode of the line, or NaN if one of these modes does not exist. Both results have the
        shape (speeds, lines).
    """
    count = max(map(len, results))
    chosen, assurance = np.full((len(results), count), -1), np.full((len(results), count), np.nan)
    # index of the speed and index of the mode at the present end of each line
    last: list[tuple[int, int]] = []
    for i, result in enumerate(results):
        order = np.argsort(result.frequencies, kind="stable")
        criterion, apart = np.zeros((len(last), len(result))), np.zeros((len(last), len(result)))
        tables = {before: eval_assurance(results[before], result) for before in sorted({speed for speed, _ in last})}
        for k, (before, mode) in enumerate(last):
            criterion[k] = tables[before][mode]
            apart[k] = np.abs(results[before].frequencies[mode] - result.frequencies)
        cost = 1.0 - criterion + NEARER * apart / max(float(apart.max(initial=0.0)), 1e-300)
        for k, mode in zip(*linear_sum_assignment(cost), strict=True):
            chosen[i, k], assurance[i, k], last[k] = mode, criterion[k, mode], (i, int(mode))
        for mode in order[~np.isin(order, chosen[i])].tolist():
            chosen[i, len(last)] = mode
            last.append((i, mode))
    return chosen, assurance


def _gather(result: ModesResult, values: Any) -> Any:
    """Return the values at all coordinates of the world, shape (k, coordinates), on every process. The argument
    ``values`` contains the values at the coordinates of this process, shape (k, n).
    """
    layout = result.motion.assembly.layout
    own = len(layout.owned)
    parts = result.motion.assembly.processes.allgather("shapes of modes", (layout.owned, values[:, :own]))
    whole = np.zeros((len(values), sum(len(owned) for owned, _ in parts)), values.dtype)
    for owned, part in parts:
        whole[:, owned] = part
    return whole


def _find_places(first: ModesResult, second: ModesResult) -> IntArray:
    """Return, for each world coordinate, the index of the corresponding coordinate of the second state. The result has
    the shape (coordinates,). For running belts, the corresponding coordinate is a coordinate of the node at about the
    same position in space.
    """
    x, y = (
        _gather(result, (result.motion.assembly.layout.reference[:-1] + result.state.q)[None])[0]
        for result in (first, second)
    )
    places = np.arange(len(x))
    for belt, later in zip(first.motion.belts, second.motion.belts, strict=True):
        half = belt.nodes.shape[1] // 2
        here, there = x[belt.nodes[:, :half]], y[later.nodes[:, :half]]
        distances = [float(((np.roll(there, -k, axis=0) - here) ** 2).sum()) for k in range(len(here))]
        places[belt.nodes] = np.roll(later.nodes, -int(np.argmin(distances)), axis=0)
    return places
