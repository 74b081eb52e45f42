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
from numpy.typing import NDArray

from windlass.elements.bodies.matrix_columns import (
    NO_LIST,
    bind_state_functions,
    pack_matrices,
    pool_matrices,
    read_matrix,
    view_matrix,
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
from windlass.framework.model.rows import create_records
from windlass.framework.model.schema import Component, column, derived, function, refs
from windlass.framework.model.system import Evaluation, Fields, System, Term
from windlass.framework.model.table import EntityTable, pad_rows

SYMMETRIC = 1e-12
"""Largest asymmetry [1] of K, relative to its largest element, for which the elastic energy qᵀ K q/2 is defined."""
ROUGH = 1e-8
"""Largest asymmetry [1] and largest negative eigenvalue [1] of M, relative to the diagonal of M, that are treated as
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
    count = derived("1", "number n of coordinates")
    first = derived("1", "index of the first coordinate of the row among the coordinates of all rows")
    by_coordinates = derived("1", "place of the derivatives of the user forces with respect to q, shape (n, n)")
    by_rates = derived("1", "place of the derivatives of the user forces with respect to q_t, shape (n, n)")


@kernel(inline=True)
def read_coordinates(coordinates: Any, x: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the coordinates q and q_t of all rows, row by row, shape (coordinates,) each."""
    q, qt = np.empty(len(coordinates)), np.empty(len(coordinates))
    for k in range(len(coordinates)):
        q[k], qt[k] = x[coordinates[k].dof] - coordinates[k].reference, v[coordinates[k].dof]
    return q, qt


@kernel
def add_energies(
    rows: Any, coordinates: Any, matrices: FloatArray, x: FloatArray, v: FloatArray, energies: FloatArray,
    powers: FloatArray,
) -> None:  # fmt: skip
    """Add the elastic energies qᵀ K q/2 [J] to ``energies``, shape (1, rows), and the dissipated powers q_tᵀ D q_t [W]
    to ``powers``, shape (1, rows), or (0, rows) without damping.
    """
    q, qt = read_coordinates(coordinates, x, v)
    for i in range(len(rows)):
        row = rows[i]
        n, first = row.count, row.first
        K, D = read_matrix(matrices, row.stiffness, n, n), read_matrix(matrices, row.damping, n, n)
        u, ut = q[first : first + n], qt[first : first + n]
        for a in range(n):
            elastic, damping = 0.0, 0.0
            for b in range(n):
                elastic += K[a, b] * u[b]
                damping += D[a, b] * ut[b]
            energies[0, i] += 0.5 * u[a] * elastic
            if len(powers):
                powers[0, i] += ut[a] * damping


@kernel
def residual(rows: Any, coordinates: Any, matrices: FloatArray, x: FloatArray, v: FloatArray, f: FloatArray) -> None:
    """Add D q_t + K q - f_u to f. The first three arguments are fields of `Bodies`."""
    q, qt = read_coordinates(coordinates, x, v)
    for i in range(len(rows)):
        row = rows[i]
        n, first = row.count, row.first
        K, D = read_matrix(matrices, row.stiffness, n, n), read_matrix(matrices, row.damping, n, n)
        u, ut = q[first : first + n], qt[first : first + n]
        for a in range(n):
            total = -coordinates[first + a].called
            for b in range(n):
                total += K[a, b] * u[b] + D[a, b] * ut[b]
            f[coordinates[first + a].dof] += total


@kernel
def tangent(
    rows: Any, coordinates: Any, matrices: FloatArray, dq: float, dv: float, slots: IntArray, values: FloatArray
) -> None:
    """Add the tangent dq (K - ∂f_u/∂q) + dv (D - ∂f_u/∂q_t), with the factors dq and dv, to the values of the matrix at
    the indices ``slots`` of the rows.
    """
    for i in range(len(rows)):
        row = rows[i]
        n, first = row.count, row.first
        K, D = read_matrix(matrices, row.stiffness, n, n), read_matrix(matrices, row.damping, n, n)
        P, V = read_matrix(matrices, row.by_coordinates, n, n), read_matrix(matrices, row.by_rates, n, n)
        for a in range(n):
            to = slots[i, coordinates[first + a].column]
            for b in range(n):
                values[to[coordinates[first + b].column]] += dq * (K[a, b] - P[a, b]) + dv * (D[a, b] - V[a, b])


@kernel
def mass(rows: Any, coordinates: Any, matrices: FloatArray, scale: float, slots: IntArray, values: FloatArray) -> None:
    """Add ``scale`` times M to the values of the matrix at the indices ``slots`` of the rows."""
    for i in range(len(rows)):
        row = rows[i]
        n, first = row.count, row.first
        M = read_matrix(matrices, row.mass, n, n)
        for a in range(n):
            to = slots[i, coordinates[first + a].column]
            for b in range(n):
                values[to[coordinates[first + b].column]] += scale * M[a, b]


@kernel
def load(coordinates: Any, f: FloatArray) -> None:
    """Add the constant forces to f."""
    for k in range(len(coordinates)):
        f[coordinates[k].dof] += coordinates[k].force


@kernel
def weigh(rows: Any, coordinates: Any, g: FloatArray, which: IntArray, f: FloatArray) -> None:
    """Add to f the weights M T g of the rows ``which`` for the gravitational acceleration g [m/s^2], shape (3,)."""
    for i in which:
        for a in range(rows[i].count):
            q = coordinates[rows[i].first + a]
            f[q.dof] += q.weight[0] * g[0] + q.weight[1] * g[1] + q.weight[2] * g[2]


def count_coordinates(world: Tables, nodes: IntArray) -> IntArray:
    """Return the number of coordinates of each node. The array ``nodes`` contains entity indices. For the index -1 (no
    node), the result is 0. The result has the shape of ``nodes``.
    """
    count = np.zeros(nodes.shape, np.int64)
    for table, positions, _ in world.split_by_table(nodes.ravel()):
        count.ravel()[positions] = len(table.component.dof_names)
    return count


def find_coordinates(rows: LocalRows) -> tuple[IntArray, IntArray]:
    """Return the number of coordinates of each row, shape (rows,), and the columns of ``dofs`` that contain these
    coordinates, row by row.
    """
    sizes = count_coordinates(rows.world, rows.padded("nodes"))
    there = (np.arange(rows.world.ref_width(rows.table, "nodes")) < sizes[:, :, None]).reshape(rows.dofs.shape)
    return there.sum(axis=1), np.nonzero(there)[1]


class Bodies(NamedTuple):
    """The bodies of a table on this process."""

    rows: NDArray[Any]
    """One record for each body, with the derived values of the schema and the places of ``mass``, ``damping`` and
    ``stiffness`` in ``matrices``, shape (n, n) each.
    """
    coordinates: NDArray[Any]
    """One record for each coordinate of each body: process-local index ``dof``, column of `LocalRows.dofs` that
    contains the coordinate, reference value, constant force, force ``called`` of the user function, and row of the
    product M T for the weight, shape (3,).
    """
    matrices: FloatArray  # elements of the matrices of all rows, see `pool_matrices`
    forces: dict[int, StateFunction]  # user function of the forces of each row, by the index of the row
    masses: dict[int, StateFunction]  # user function of the masses of each row, by the index of the row

    def matrix(self, name: str, i: int) -> FloatArray:
        """Return a matrix of row i, shape (n, n), without copying it."""
        n = int(self.rows["count"][i])
        return view_matrix(self.matrices, int(self.rows[name][i]), n, n)

    def of_row(self, i: int) -> NDArray[Any]:
        """Return the records of the coordinates of row i, without copying them."""
        first = self.rows["first"][i]
        return self.coordinates[first : first + self.rows["count"][i]]

    def read_motion(self, s: Fields, i: int) -> tuple[FloatArray, FloatArray]:
        """Return q and q_t of row i."""
        q = self.of_row(i)
        return s.x[q["dof"]] - q["reference"], s.v[q["dof"]]

    def pad(self, values: Sequence[FloatArray]) -> FloatArray:
        """Return one value for each coordinate of each row as an array of shape (rows, w), padded with 0, where w is
        the largest number of coordinates of a row.
        """
        return pad_rows(values, int(self.rows["count"].max(initial=0)), 0.0, np.float64)


def bind(rows: LocalRows) -> Bodies:
    """Create the records, the matrices and the user functions of the rows."""
    count, column = find_coordinates(rows)
    first, ones = np.cumsum(count) - count, np.ones(len(count), np.int64)
    square = dict.fromkeys(("mass", "damping", "stiffness", "by_coordinates", "by_rates"), (count, count))
    places, matrices = pool_matrices(rows, square)
    vectors, given = pool_matrices(rows, {"force": (count, ones), "translations": (count, 3 * ones)})
    dof = rows.dofs[np.repeat(np.arange(len(count)), count), column]
    coordinates = create_records(
        dof=dof,
        column=column,
        reference=rows.layout.reference[dof],
        force=given[: len(dof)],
        called=np.zeros(len(dof)),
        weight=np.zeros((len(dof), 3)),
    )
    words = "finite numbers, one for each coordinate [N, N m]"
    forces = bind_state_functions(rows, "force_function", "force_derivative", [(int(n),) for n in count], words)
    words = "a matrix of finite numbers over the coordinates [kg, kg m, kg m^2]"
    masses = bind_state_functions(rows, "mass_function", "", [(int(n), int(n)) for n in count], words)
    c = Bodies(rows.pack(places | {"count": count, "first": first}), coordinates, matrices, forces, masses)
    for i, n in enumerate(count):
        c.of_row(i)["weight"] = c.matrix("mass", i) @ view_matrix(given, int(vectors["translations"][i]), int(n), 3)
    return c


def build(rows: LocalRows) -> System:
    """Create the `System` with the kernel calls of `GenericODE2`."""
    c: Bodies = rows.columns
    own, coordinates, matrices = c.rows, c.coordinates, c.matrices

    def update(s: Fields) -> None:
        for i, f in c.forces.items():
            c.of_row(i)["called"] = f(s.t, *c.read_motion(s, i))

    def update_tangent(s: Fields) -> None:
        for i, f in c.forces.items():
            by_q, by_v = f.differentiate(s.t, *c.read_motion(s, i))
            c.matrix("by_coordinates", i)[:], c.matrix("by_rates", i)[:] = by_q, by_v

    system = System("GenericODE2", rows.dofs)
    before = (update, update_tangent) if c.forces else (None, None)
    system.residual = call(residual, lambda s: (own, coordinates, matrices, s.x, s.v, s.f), before[0])
    system.tangent = call(tangent, lambda s: (own, coordinates, matrices, s.dq, s.dv, s.slots, s.values), before[1])
    system.mass = call(mass, lambda s: (own, coordinates, matrices, s.mass, s.slots, s.values))
    if coordinates["force"].any():
        system.load = Term(call(load, lambda s: (coordinates, s.f)))
    if coordinates["weight"].any():
        system.body_force = Term(call(weigh, lambda s: (own, coordinates, s.g, s.which, s.f)))
    if c.masses:
        system.inertia = create_inertia(c)
    stiffness, damping = ([c.matrix(name, i) for i in range(len(own))] for name in ("stiffness", "damping"))
    largest = max((np.abs(K).max(initial=0.0) for K in stiffness), default=0.0)
    symmetric = all(np.abs(K - K.T).max(initial=0.0) <= SYMMETRIC * largest for K in stiffness)
    damped = any(D.any() for D in damping)
    system.account = Account(
        call(add_energies, lambda s: (own, coordinates, matrices, s.x, s.v, s.energies, s.powers)),
        stored=("elastic",),
        lost=("damping",) if damped else (),
        is_whole=symmetric and not c.forces,
        conserves=symmetric and not c.forces and not damped,
    )
    return system


def create_inertia(c: Bodies) -> Term:
    """Create the `Term` that evaluates the inertia forces M_u q_tt and their derivatives, where M_u are the user's mass
    functions. Derivatives of M_u with respect to q and q_t are computed by finite differences.
    """

    def add_force(s: Evaluation) -> None:
        for i, M in c.masses.items():
            j = c.of_row(i)["dof"]
            np.add.at(s.f, j, M(s.t, *c.read_motion(s, i)) @ s.a[j])

    def add_tangent(s: Evaluation) -> None:
        for i, M in c.masses.items():
            q, motion = c.of_row(i), c.read_motion(s, i)
            a = s.a[q["dof"]]
            by_q, by_v = M.differentiate(s.t, *motion)
            block = s.da * M(s.t, *motion) + s.dq * np.einsum("abk,b->ak", by_q, a)
            block += s.dv * np.einsum("abk,b->ak", by_v, a)
            np.add.at(s.values, s.slots[i][np.ix_(q["column"], q["column"])], block)

    return Term(add_force, add_tangent)


def read_all(rows: LocalRows, s: Fields, which: int) -> FloatArray:
    """Return q (which = 0) or q_t (which = 1) of all rows, shape (rows, w). In rows with fewer than w coordinates, the
    result is padded with 0.
    """
    c: Bodies = rows.columns
    return c.pad([c.read_motion(s, i)[which] for i in range(len(c.rows))])


def eval_energy(rows: LocalRows, s: Fields, name: str, which: int) -> FloatArray:
    """Return uᵀ A u/2 of each row for its matrix A, where u is q (which = 0) or q_t (which = 1), shape (rows,)."""
    c: Bodies = rows.columns
    motion = [c.read_motion(s, i)[which] for i in range(len(c.rows))]
    return 0.5 * np.array([u @ c.matrix(name, i) @ u for i, u in enumerate(motion)], np.float64)


def eval_internal(rows: LocalRows, s: Fields) -> FloatArray:
    """Return the linear damping and elastic forces D q_t + K q [N, N m], shape (rows, w). In rows with fewer than w
    coordinates, the result is padded with zeros.
    """
    c: Bodies = rows.columns
    motion = [c.read_motion(s, i) for i in range(len(c.rows))]
    return c.pad([c.matrix("stiffness", i) @ q + c.matrix("damping", i) @ v for i, (q, v) in enumerate(motion)])


def find_points(rows: LocalRows, s: Fields) -> list[FloatArray]:
    """Return a list with the points p + B q [m] of each row, shape (points, 3) each."""
    c: Bodies = rows.columns
    found = []
    for i, (p, B) in enumerate(zip(rows.local("points"), rows.local("basis"), strict=True)):
        q, _ = c.read_motion(s, i)
        moved = np.reshape(B, (len(p), len(q))) @ q if len(p) else np.zeros(0)
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
        "coordinates": Output("m, rad, 1", "coordinates q, (n,)", lambda rows, s: read_all(rows, s, 0)),
        "coordinates_rate": Output(
            "m/s, rad/s, 1/s", "rates q_t of the coordinates, (n,)", lambda rows, s: read_all(rows, s, 1)
        ),
        "internal_force": Output("N, N m", "internal forces D q_t + K q, (n,)", eval_internal),
        "strain_energy": Output(
            "J", "elastic energy qᵀ K q/2, ()", lambda rows, s: eval_energy(rows, s, "stiffness", 0)
        ),
        "kinetic_energy": Output(
            "J",
            "kinetic energy q_tᵀ M q_t/2 without the part of mass_function, ()",
            lambda rows, s: eval_energy(rows, s, "mass", 1),
        ),
    },
    source="[@craig2006]; reduced bodies [@craig1968]",
    draw=draw,
)
