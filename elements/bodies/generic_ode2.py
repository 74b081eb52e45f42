"""Bodies given by matrices and user functions, such as linear superelements and drive trains.

    (M + M_u(t, q, q_t)) q_tt + D q_t + K q = f + f_u(t, q, q_t)

M, D, K and f are constant. M_u and f_u are functions of the user. The coordinates q are the displacements of the nodes
from their reference coordinates, in the order of the nodes. The weight is M T g, where the columns of T are the values
of q for translations by 1 m along x, y and z. A body is drawn as the points p + B q and lines between these points.

Source: R. R. Craig, A. J. Kurdila, Fundamentals of Structural Dynamics, Wiley (2006).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from windlass.elements.bodies.matrix_columns import (
    NO_LIST,
    bind_state_functions,
    pack_matrices,
    stack_matrices,
)
from windlass.framework.accounts import Account
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.checks.state_functions import StateFunction
from windlass.framework.errors import ModelError
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.adding import count_chains
from windlass.framework.model.drawing import Drawing
from windlass.framework.model.law import LocalRows, Output, Tables, register
from windlass.framework.model.schema import Component, column, function, refs
from windlass.framework.model.system import Evaluation, Fields, System, Term
from windlass.framework.model.table import EntityTable

SYMMETRIC = 1e-12
"""Largest asymmetry of K, relative to its largest element [1], for which the elastic energy qᵀ K q/2 is defined."""
ROUGH = 1e-8
"""Largest asymmetry and largest negative eigenvalue of M, relative to the diagonal of M [1], that are treated as
rounding errors.
"""


class GenericODE2(Component):
    """A body between nodes of any type. The body is given by its matrices and by user functions.

    Matrices are dense arrays, sparse matrices of SciPy, or lists of elements row by row. An empty list is a zero
    matrix.
    """

    provides = ("body", "matrix body")
    nodes = refs("node", "nodes; the coordinates q are the coordinates of all these nodes, node by node", distinct=True)
    mass = column("kg", "mass matrix M, shape (n, n) for n coordinates [kg, kg m, kg m^2]", shape=None, default=NO_LIST)
    damping = column("N s/m", "damping matrix D, shape (n, n)", shape=None, default=NO_LIST)
    stiffness = column("N/m", "stiffness matrix K, shape (n, n)", shape=None, default=NO_LIST)
    force = column("N", "constant forces f, shape (n,)", shape=None, default=NO_LIST)
    force_function = function("f_u(t, q, q_t) -> forces on the right-hand side, shape (n,)", switchable=True)
    force_derivative = function(
        "f(t, q, q_t) -> (df/dq, df/dq_t), shape (n, n) each; if left out, these are central differences",
        switchable=True,
    )
    mass_function = function("M_u(t, q, q_t) -> mass that is added to M, shape (n, n)")
    translations = column(
        "m",
        "matrix T, shape (n, 3): q for translations by 1 m, from which the weight is computed",
        shape=None,
        default=NO_LIST,
    )
    points = column("m", "points p of the drawing, shape (points, 3)", shape=None, default=NO_LIST)
    basis = column(
        "1",
        "matrix B; B q are the displacements of the points of the drawing, shape (3 points, n)",
        shape=None,
        default=NO_LIST,
    )
    lines = column(
        "1",
        "indices of the points at both ends of each line of the drawing, shape (lines, 2)",
        shape=None,
        default=NO_LIST,
    )


class Columns(NamedTuple):
    """Data of the rows in arrays that the kernels read. The letter w denotes the largest number of coordinates of a
    row.

    dofs: process-local indices of the coordinates, shape (rows, w). In rows with fewer than w coordinates, the
        remaining indices refer to the spare entry of the arrays in `Fields`.
    at: for each of these coordinates, the column of `LocalRows.dofs` that contains the coordinate, shape (rows, w).
    size: number of coordinates of each row, shape (rows,).
    x0: reference coordinates, shape (rows, w).
    M, D, K: the matrices, shape (rows, w, w).
    f: the constant forces, shape (rows, w).
    MT: product M T for the weight, shape (rows, w, 3).
    F: forces of the user functions, shape (rows, w).
    P, V: derivatives of F with respect to q and q_t, shape (rows, w, w).
    """

    dofs: IntArray
    at: IntArray
    size: IntArray
    x0: FloatArray
    M: FloatArray
    D: FloatArray
    K: FloatArray
    f: FloatArray
    MT: FloatArray
    F: FloatArray
    P: FloatArray
    V: FloatArray


@kernel
def residual(c: Columns, x: FloatArray, v: FloatArray, f: FloatArray) -> None:
    """Add D q_t + K q - f_u to f."""
    for i in range(len(c.size)):
        for a in range(c.size[i]):
            total = -c.F[i, a]
            for b in range(c.size[i]):
                j = c.dofs[i, b]
                total += c.K[i, a, b] * (x[j] - c.x0[i, b]) + c.D[i, a, b] * v[j]
            f[c.dofs[i, a]] += total


@kernel
def tangent(c: Columns, dq: float, dv: float, slots: IntArray, values: FloatArray) -> None:
    """Add the tangent dq (K - ∂f_u/∂q) + dv (D - ∂f_u/∂q_t), with the factors dq and dv, to ``values``, the values of
    the matrix, at the indices ``slots`` of the rows.
    """
    for i in range(len(c.size)):
        for a in range(c.size[i]):
            for b in range(c.size[i]):
                by_q, by_v = c.K[i, a, b] - c.P[i, a, b], c.D[i, a, b] - c.V[i, a, b]
                values[slots[i, c.at[i, a], c.at[i, b]]] += dq * by_q + dv * by_v


@kernel
def mass(c: Columns, scale: float, slots: IntArray, values: FloatArray) -> None:
    """Add ``scale`` times M to ``values``, the values of the matrix, at the indices ``slots`` of the rows."""
    for i in range(len(c.size)):
        for a in range(c.size[i]):
            for b in range(c.size[i]):
                values[slots[i, c.at[i, a], c.at[i, b]]] += scale * c.M[i, a, b]


@kernel
def load(c: Columns, f: FloatArray) -> None:
    """Add the constant forces ``c.f`` to f."""
    for i in range(len(c.size)):
        for a in range(c.size[i]):
            f[c.dofs[i, a]] += c.f[i, a]


@kernel
def weigh(c: Columns, g: FloatArray, which: IntArray, f: FloatArray) -> None:
    """Add to f the weights M T g of the rows ``which`` for the gravitational acceleration g [m/s^2], shape (3,)."""
    for i in which:
        for a in range(c.size[i]):
            f[c.dofs[i, a]] += c.MT[i, a, 0] * g[0] + c.MT[i, a, 1] * g[1] + c.MT[i, a, 2] * g[2]


def count_coordinates(world: Tables, nodes: IntArray) -> IntArray:
    """Return the number of coordinates of each node. The array ``nodes`` contains entity indices. For the index -1 (no
    node), the result is 0. The result has the shape of ``nodes``.
    """
    count = np.zeros(nodes.shape, np.int64)
    for table, positions, _ in world.split_by_table(nodes.ravel()):
        count.ravel()[positions] = len(table.component.dof_names)
    return count


def find_coordinates(rows: LocalRows) -> tuple[IntArray, IntArray]:
    """Return, for each row, the columns of ``dofs`` that contain the coordinates of the row, shape (rows, w), and the
    number of these coordinates, shape (rows,).
    """
    sizes = count_coordinates(rows.world, rows.padded("nodes"))
    there = (np.arange(rows.world.ref_width(rows.table, "nodes")) < sizes[:, :, None]).reshape(rows.dofs.shape)
    count = there.sum(axis=1)
    order = np.argsort(~there, axis=1, kind="stable")
    return order[:, : int(count.max(initial=0))].copy(), count


def bind(rows: LocalRows) -> tuple[Columns, dict[int, StateFunction], dict[int, StateFunction]]:
    """Return the arrays that the kernels read, and two dictionaries from row indices to the user functions of forces
    and of masses.
    """
    at, count = find_coordinates(rows)
    (n, w), local = at.shape, np.take_along_axis(rows.dofs, at, axis=1)
    local[np.arange(w) >= count[:, None]] = rows.layout.spare
    ones, threes = np.ones(n, np.int64), np.full(n, 3)
    M, D, K = (stack_matrices(rows, name, count, count, (w, w)) for name in ("mass", "damping", "stiffness"))
    f = stack_matrices(rows, "force", count, ones, (w, 1))[:, :, 0].copy()
    T = stack_matrices(rows, "translations", count, threes, (w, 3))
    new = np.zeros((n, w)), np.zeros((n, w, w)), np.zeros((n, w, w))
    c = Columns(local, at, count, rows.layout.reference[local], M, D, K, f, M @ T, *new)
    vectors, matrices = [(int(k),) for k in count], [(int(k), int(k)) for k in count]
    words = "finite numbers, one for each coordinate [N, N m]"
    forces = bind_state_functions(rows, "force_function", "force_derivative", vectors, words)
    words = "a matrix of finite numbers over the coordinates [kg, kg m, kg m^2]"
    return c, forces, bind_state_functions(rows, "mass_function", "", matrices, words)


def read_motion(c: Columns, s: Fields, i: int) -> tuple[FloatArray, FloatArray]:
    """Return q and q_t of row i."""
    n = c.size[i]
    j = c.dofs[i, :n]
    return s.x[j] - c.x0[i, :n], s.v[j]


def build(rows: LocalRows) -> System:
    """Create the `System` with the kernel calls of `GenericODE2`."""
    c, forces, masses = rows.columns

    def update(s: Fields) -> None:
        for i, f in forces.items():
            c.F[i, : c.size[i]] = f(s.t, *read_motion(c, s, i))

    def update_tangent(s: Fields) -> None:
        for i, f in forces.items():
            n = c.size[i]
            c.P[i, :n, :n], c.V[i, :n, :n] = f.differentiate(s.t, *read_motion(c, s, i))

    system = System("GenericODE2", rows.dofs)
    before = (update, update_tangent) if forces else (None, None)
    system.residual = call(residual, lambda s: (c, s.x, s.v, s.f), before[0])
    system.tangent = call(tangent, lambda s: (c, s.dq, s.dv, s.slots, s.values), before[1])
    system.mass = call(mass, lambda s: (c, s.mass, s.slots, s.values))
    if c.f.any():
        system.load = Term(call(load, lambda s: (c, s.f)))
    if c.MT.any():
        system.body_force = Term(call(weigh, lambda s: (c, s.g, s.which, s.f)))
    if masses:
        system.inertia = create_inertia(c, masses)
    symmetric = bool(np.abs(c.K - c.K.swapaxes(1, 2)).max(initial=0.0) <= SYMMETRIC * np.abs(c.K).max(initial=0.0))
    system.account = Account.of(
        stored={"elastic": lambda s: eval_energy(c, s)},
        lost={"damping": lambda s: eval_loss(c, s)} if c.D.any() else {},
        is_whole=symmetric and not forces,
        conserves=symmetric and not forces and not c.D.any(),
    )
    return system


def create_inertia(c: Columns, masses: dict[int, StateFunction]) -> Term:
    """Create the `Term` that evaluates the inertia forces M_u q_tt and their derivatives, where M_u are the user's mass
    functions. Derivatives of M_u with respect to q and q_t are computed by finite differences.
    """

    def add_force(s: Evaluation) -> None:
        for i, M in masses.items():
            j = c.dofs[i, : c.size[i]]
            np.add.at(s.f, j, M(s.t, *read_motion(c, s, i)) @ s.a[j])

    def add_tangent(s: Evaluation) -> None:
        for i, M in masses.items():
            n, motion = c.size[i], read_motion(c, s, i)
            a = s.a[c.dofs[i, :n]]
            by_q, by_v = M.differentiate(s.t, *motion)
            block = s.da * M(s.t, *motion) + s.dq * np.einsum("abk,b->ak", by_q, a)
            block += s.dv * np.einsum("abk,b->ak", by_v, a)
            np.add.at(s.values, s.slots[i][np.ix_(c.at[i, :n], c.at[i, :n])], block)

    return Term(add_force, add_tangent)


def read_all(c: Columns, s: Fields) -> tuple[FloatArray, FloatArray]:
    """Return q and q_t of all rows, each of shape (rows, w). In rows with fewer than w coordinates, the results are
    padded with 0.
    """
    return s.x[c.dofs] - c.x0, s.v[c.dofs]


def eval_energy(c: Columns, s: Fields) -> FloatArray:
    """Return the elastic energy qᵀ K q/2 [J], shape (rows,)."""
    q, _ = read_all(c, s)
    energy: FloatArray = 0.5 * np.einsum("ia,iab,ib->i", q, c.K, q)
    return energy


def eval_loss(c: Columns, s: Fields) -> FloatArray:
    """Return the dissipated power q_tᵀ D q_t [W], shape (rows,)."""
    _, v = read_all(c, s)
    power: FloatArray = np.einsum("ia,iab,ib->i", v, c.D, v)
    return power


def eval_kinetic_energy(rows: LocalRows, s: Fields) -> FloatArray:
    """Return the kinetic energy q_tᵀ M q_t/2 [J] without user mass functions, shape (rows,)."""
    c = rows.columns[0]
    _, v = read_all(c, s)
    energy: FloatArray = 0.5 * np.einsum("ia,iab,ib->i", v, c.M, v)
    return energy


def eval_internal(rows: LocalRows, s: Fields) -> FloatArray:
    """Return the linear damping and elastic forces D q_t + K q [N, N m], shape (rows, w). In rows with fewer than w
    coordinates, the result is padded with zeros.
    """
    c = rows.columns[0]
    q, v = read_all(c, s)
    forces: FloatArray = np.einsum("iab,ib->ia", c.K, q) + np.einsum("iab,ib->ia", c.D, v)
    return forces


def find_points(rows: LocalRows, s: Fields) -> list[FloatArray]:
    """Return a list with the points p + B q [m] of each row, shape (points, 3) each."""
    c = rows.columns[0]
    q, _ = read_all(c, s)
    found = []
    for i, (p, B) in enumerate(zip(rows.local("points"), rows.local("basis"), strict=True)):
        moved = np.reshape(B, (len(p), c.size[i])) @ q[i, : c.size[i]] if len(p) else np.zeros(0)
        found.append((p + moved).reshape(-1, 3))
    return found


def draw(rows: LocalRows, fields: Fields, subdivisions: int) -> Drawing:
    """Draw the lines between the points of the bodies."""
    points, part = find_points(rows, fields), [np.zeros(0, np.int64)]
    lines, first = [np.zeros((0, 2), np.int64)], 0
    for i, (own, given) in enumerate(zip(points, rows.local("lines"), strict=True)):
        lines.append(np.reshape(given, (-1, 2)).astype(np.int64) + first)
        part.append(np.full(len(lines[-1]), i))
        first += len(own)
    which = np.concatenate(part)
    return Drawing(
        points=np.concatenate([np.zeros((0, 3)), *points]),
        lines=np.concatenate(lines),
        part=which,
        entity=rows.table.ids_of(rows.rows)[which],
        start=np.zeros(len(which)),
        end=np.ones(len(which)),
        cell_data={},
        units={},
    )


def check_mass(mass: FloatArray, n: int, where: str) -> None:
    """Raise ModelError if a mass matrix, given as a list of elements, is not symmetric or has a negative eigenvalue.

    Element (i, j) is divided by the square roots of the diagonal elements i and j, so that elements with different
    units can be compared.
    """
    if len(mass) != n * n:
        raise ModelError(
            f"mass {where} has {len(mass)} values: must have {n * n}, of shape ({n}, {n}), or be empty [kg]"
        )
    M = mass.reshape(n, n)
    own = np.diag(M)
    for k in np.flatnonzero(own < 0.0)[:1]:
        raise ModelError(f"mass[{k}, {k}] = {own[k]:g} {where}: must be >= 0 [kg, kg m^2]")
    root = np.sqrt(own)
    size = root[:, None] * root
    wrong = np.abs(M - M.T) > ROUGH * np.maximum(size, np.abs(M))
    for i, j in np.argwhere(wrong)[:1]:
        raise ModelError(
            f"mass {where} has {M[i, j]:g} at [{i}, {j}] and {M[j, i]:g} at [{j}, {i}]: must be symmetric [kg, kg m^2]"
        )
    # if a diagonal element of a positive semi-definite matrix is 0, its row and its column contain only zeros
    for i, j in np.argwhere((size == 0.0) & (M != 0.0))[:1]:
        raise ModelError(
            f"mass[{i}, {j}] = {M[i, j]:g} {where} has a 0 on the diagonal of its row or column: must be 0, because "
            "the matrix must be positive semi-definite"
        )
    scale = 1.0 / np.where(root > 0.0, root, 1.0)
    scaled = M * scale * scale[:, None]
    try:
        np.linalg.cholesky(scaled + ROUGH * np.eye(n))
    except np.linalg.LinAlgError:
        least = float(np.linalg.eigvalsh(scaled)[0])
        if least < -ROUGH:
            raise ModelError(
                f"mass {where}: must be positive semi-definite; scaled to ones on the diagonal, the matrix has the "
                f"negative eigenvalue {least:.3g} [1], so a motion would have negative kinetic energy"
            ) from None


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for invalid mass matrices, and if points, lines and basis of the drawing are inconsistent."""
    count = count_coordinates(world, table.padded("nodes", world.ref_shape(table, "nodes")[0])).sum(axis=1)
    functions = table.local("mass_function", table.resident)
    for place, row in enumerate(table.resident):
        p, B, lines = (table.local(name)[place] for name in ("points", "basis", "lines"))
        n, where = int(count[place]), f"in {table.kind} row {row}"
        mass = table.local("mass")[place]
        # with a user mass function, negative eigenvalues of the constant matrix are allowed
        if len(mass) and functions[place] is None:
            check_mass(mass, n, where)
        if len(p) % 3:
            raise ModelError(f"points {where} has {len(p)} numbers: must be three for each point [m]")
        if len(B) != len(p) * n:
            raise ModelError(
                f"basis {where} has {len(B)} numbers: must have {len(p) * n}, of shape ({len(p)}, {n}) [1]"
            )
        if len(lines) % 2 or not np.isin(lines, np.arange(len(p) // 3)).all():
            raise ModelError(f"lines {where}: must be pairs of numbers of points, from 0 to {len(p) // 3 - 1}")


def fill_defaults(world: Tables, values: dict[str, Any]) -> dict[str, Any]:
    """Flatten matrices row by row, so that they can be stored in table columns of variable length."""
    return pack_matrices(values, count_chains(values.get("nodes")) or 1, *MATRICES)


MATRICES: Sequence[str] = ("mass", "damping", "stiffness", "translations", "points", "basis", "lines")
register(
    GenericODE2,
    "body",
    dofs="nodes",
    bind=bind,
    build=build,
    fill_defaults=fill_defaults,
    check=check,
    outputs={
        "coordinates": Output("m, rad, 1", "coordinates q, (n,)", lambda rows, s: read_all(rows.columns[0], s)[0]),
        "coordinates_rate": Output(
            "m/s, rad/s, 1/s", "rates q_t of the coordinates, (n,)", lambda rows, s: read_all(rows.columns[0], s)[1]
        ),
        "internal_force": Output("N, N m", "internal forces D q_t + K q, (n,)", eval_internal),
        "strain_energy": Output("J", "elastic energy qᵀ K q/2, ()", lambda rows, s: eval_energy(rows.columns[0], s)),
        "kinetic_energy": Output(
            "J", "kinetic energy q_tᵀ M q_t/2 without the part of mass_function, ()", eval_kinetic_energy
        ),
    },
    source="[@craig2006]; reduced bodies [@craig1968]",
    draw=draw,
)
