"""Craig-Bampton reduction of large linear bodies. The coordinates of a reduced body are its boundary coordinates and
the coordinates of a few modes.

The coordinates u = [u_b, u_i] of a body with the equations M u_tt + K u = f are divided into boundary coordinates, to
which other parts are attached, and interior coordinates. The interior coordinates are approximated by

    u_i = Ψ u_b + Φ p,    Ψ = -K_ii⁻¹ K_ib,    K_ii φ = ω² M_ii φ.

The columns φ of Φ are the modes with fixed boundary, and ω are their angular frequencies. With T = [[I, 0], [Ψ, Φ]] the
reduced matrices are Tᵀ M T and Tᵀ K T. Static responses to forces on the boundary are exact.

Matrices are NumPy arrays, sparse matrices of SciPy, or names of files. A ``.npz`` file contains a sparse matrix of
SciPy or a single NumPy array. A ``.mtx`` file has the Matrix Market format.

Source: R. R. Craig, M. C. C. Bampton, AIAA Journal 6 (1968) 1313-1319.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np

from windlass.elements.bodies.generic_ode2 import GenericODE2
from windlass.elements.nodes.generic_nodes import generic_node
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.checks.checks import (
    checked,
    each,
    handle,
    inside,
    instance,
    number,
    numbers,
    optional,
    path,
    whole,
    word,
)
from windlass.framework.checks.values import read_numbers, read_whole_numbers, show
from windlass.framework.errors import ModelError
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World

SMALL = 400
"""Number of interior coordinates. Up to this number, a dense solver computes the modes. For more coordinates, the dense
solver is used only if at least half of all modes are requested.
"""
SYMMETRIC = 1e-9
"""Largest asymmetry [1] of a given matrix, relative to the largest element of the matrix, that is treated as a rounding
error.
"""
AXES = 3


@dataclass(frozen=True)
class Superelement:
    """A reduced body, created by `craig_bampton` and added to worlds by `add_to`.

    Attributes:
        mass, stiffness: reduced matrices Tᵀ M T and Tᵀ K T, shape (n, n), where n is the number of boundary coordinates
            plus the number of modes.
        basis: matrix T, shape (N, n). Its rows are in the order of the given matrices.
        boundary: indices of the boundary coordinates, shape (b,).
        frequencies: natural frequencies [Hz] of the modes with fixed boundary, shape (n - b,).
    """

    mass: FloatArray
    stiffness: FloatArray
    basis: FloatArray
    boundary: IntArray
    frequencies: FloatArray

    @checked(
        world=instance(World),
        nodes=each(handle(), "a list of handles to nodes", 1),
        directions=optional(numbers("1", (None,))),
        mass_damping=number("1/s", minimum=0.0),
        stiffness_damping=number("s", minimum=0.0),
        mesh=optional(path()),
        name=word(),
    )
    def add_to(
        self,
        world: World,
        nodes: Sequence[Entity],
        *,
        directions: Any | None = None,
        mass_damping: float = 0.0,
        stiffness_damping: float = 0.0,
        mesh: str | os.PathLike[str] | None = None,
        name: str = "",
    ) -> Entity:
        """Add the body to a world, and attach it to nodes.

        Args:
            world: model to which the entities are added.
            nodes: one to seven handles, each to one node. The coordinates of these nodes, in the order of the nodes,
                become the boundary coordinates. Their order must be the order of ``boundary``. Markers, supports and
                joints can be attached to these nodes.
            directions: direction of each of the N coordinates, shape (N,): 0, 1, 2 for displacements along global x, y,
                z, and -1 for rotations. The weight is computed from these directions. By default the body has no
                weight.
            mass_damping, stiffness_damping: the factors α [1/s] and β [s] in the damping matrix α M + β K.
            mesh: mesh file, read through meshio. The edges of this mesh are drawn. The N coordinates of the matrices
                must be the displacements of the points of the mesh, two or three per point, in the order of the points.
            name: name of the body.

        Returns:
            Handle to the `GenericODE2`.

        Raises:
            ModelError: the number of coordinates of the nodes differs from the number of boundary coordinates,
                ``directions`` is not valid, or the mesh cannot be read or has a wrong number of points.
        """
        b, n = len(self.boundary), len(self.mass)
        given = sum(len(node.table.component.dof_names) for node in nodes)
        if any(len(node) != 1 for node in nodes) or given != b:
            raise ModelError(
                f"nodes of Superelement.add_to have {given} coordinates: must be handles to one node each, with {b} "
                "coordinates in total, the number of boundary coordinates"
            )
        values: dict[str, Any] = {"mass": self.mass, "stiffness": self.stiffness}
        if mass_damping or stiffness_damping:
            values["damping"] = mass_damping * self.mass + stiffness_damping * self.stiffness
        if directions is not None:
            values["translations"] = _find_translations(self, directions)
        if mesh is not None:
            values |= _read_mesh(self, Path(mesh))
        with world.all_or_nothing():
            modes = [world.add(generic_node(n - b), name=f"{name or 'body'} modes")] if n > b else []
            return world.add(GenericODE2, name=name, nodes=[*nodes, *modes], **values)


@checked(mass=inside(), stiffness=inside(), boundary=inside(), modes=whole(0))
def craig_bampton(mass: Any, stiffness: Any, boundary: Any, modes: int = 10) -> Superelement:
    """Reduce a linear body to its boundary coordinates and to the modes with the lowest frequencies. The boundary is
    fixed in these modes.

    Args:
        mass, stiffness: symmetric matrices M [kg, ...] and K [N/m, ...], shape (N, N), as arrays, sparse matrices or
            names of files.
        boundary: indices of the boundary coordinates, counted from 0, shape (b,).
        modes: number of modes; at most N - b.

    Raises:
        ModelError: the matrices have different sizes, indices or values are invalid, or the body can move although its
            boundary is fixed.
    """
    from scipy import sparse  # imported here, because few models have reduced bodies

    M, K = _read_matrix(mass, "mass"), _read_matrix(stiffness, "stiffness")
    if M.shape != K.shape:
        raise ModelError(f"mass has shape {M.shape} and stiffness {K.shape} in craig_bampton: must be equal")
    held, free = _read_boundary(boundary, M.shape[0])
    if modes > len(free):
        raise ModelError(
            f"modes = {modes} in craig_bampton: must be <= {len(free)}, the number of coordinates that are not in "
            "boundary"
        )
    count, b = M.shape[0], len(held)
    basis = np.zeros((count, b + modes))
    basis[held, np.arange(b)] = 1.0
    omega = np.zeros(modes)
    if len(free):
        inner, mixed = sparse.csc_array(K[free][:, free]), K[free][:, held].toarray()
        basis[free, :b] = -_solve(inner, mixed)
        omega, basis[free, b:] = _find_modes(inner, sparse.csc_array(M[free][:, free]), modes)
    reduced = [0.5 * (r + r.T) for r in (basis.T @ (A @ basis) for A in (M, K))]
    # the blocks of the reduced K that couple boundary and modes are 0 up to rounding errors
    reduced[1][:b, b:] = reduced[1][b:, :b] = 0.0
    return Superelement(reduced[0], reduced[1], basis, held, omega / (2.0 * np.pi))


def _read_matrix(given: Any, name: str) -> Any:
    """Return a matrix in the compressed-sparse-row format of SciPy."""
    from scipy import io, sparse  # imported here, because few models have reduced bodies

    if isinstance(given, str | os.PathLike):
        given = _read_file(Path(given), name, io, sparse)
    if not sparse.issparse(given):
        array = read_numbers(given)
        if array is None or array.ndim != 2:
            raise ModelError(
                f"{name} = {show(given)} in craig_bampton: must be a matrix of numbers, or a file with a matrix"
            )
        given = array
    matrix = sparse.csr_array(given, dtype=np.float64)
    if matrix.shape[0] != matrix.shape[1] or not matrix.shape[0] or not np.isfinite(matrix.data).all():
        raise ModelError(f"{name} of shape {matrix.shape} in craig_bampton: must be square, with finite numbers")
    largest, asymmetry = abs(matrix).max(), abs(matrix - matrix.T).max()
    if asymmetry > SYMMETRIC * largest:
        raise ModelError(f"{name} in craig_bampton has an asymmetry of {asymmetry:.3g}: must be symmetric")
    return matrix


def _read_file(file: Path, name: str, io: Any, sparse: Any) -> Any:
    if file.suffix not in (".npz", ".mtx"):
        raise ModelError(f"{name} = {str(file)!r} in craig_bampton: must end with .npz (SciPy) or .mtx (Matrix Market)")
    # the argument ``spmatrix`` is given explicitly, because its default depends on the version of SciPy
    kind = {"spmatrix": False} if "spmatrix" in signature(io.mmread).parameters else {}
    try:
        return io.mmread(file, **kind) if file.suffix == ".mtx" else sparse.load_npz(file)
    except (OSError, ValueError, KeyError) as error:
        words = "must be a file of scipy.sparse.save_npz or scipy.io.mmwrite"
        raise ModelError(f"{name} = {str(file)!r} in craig_bampton cannot be read ({error}): {words}") from None


def _read_boundary(given: Any, count: int) -> tuple[IntArray, IntArray]:
    """Return the indices of the boundary coordinates and of the interior coordinates."""
    held = read_whole_numbers(given)
    if held is None or held.ndim != 1 or not held.size or (held < 0).any() or (held >= count).any():
        raise ModelError(f"boundary = {show(given)} in craig_bampton: must be whole numbers from 0 to {count - 1}")
    if len(np.unique(held)) < len(held):
        raise ModelError(f"boundary = {show(given)} in craig_bampton: must not contain a number twice")
    free = np.ones(count, bool)
    free[held] = False
    return held.astype(np.int64), np.flatnonzero(free)


def _solve(K: Any, right: FloatArray) -> FloatArray:
    """Return K⁻¹ ``right``.

    Raises:
        ModelError: K is singular.
    """
    from scipy.sparse.linalg import splu  # imported here, because few models have reduced bodies

    try:
        found: FloatArray = splu(K).solve(right)
    except RuntimeError:
        found = np.full(right.shape, np.nan)
    if not np.isfinite(found).all() or np.abs(K @ found - right).max() > 1e-6 * max(np.abs(right).max(), 1e-300):
        raise ModelError(
            "stiffness in craig_bampton: must be regular with the boundary held, but a part can move freely"
        )
    return found


def _find_modes(K: Any, M: Any, modes: int) -> tuple[FloatArray, FloatArray]:
    """Return ω [rad/s] in ascending order, and mode shapes with φᵀ M φ = 1, shape (interior coordinates, modes). The
    component of largest magnitude of each mode shape is positive.
    """
    from scipy.linalg import eigh  # imported here, because few models have reduced bodies
    from scipy.sparse.linalg import eigsh  # imported here, because few models have reduced bodies

    if not modes:
        return np.zeros(0), np.zeros((K.shape[0], 0))
    try:
        if K.shape[0] <= SMALL or 2 * modes >= K.shape[0]:
            squares, shapes = eigh(K.toarray(), M.toarray(), subset_by_index=[0, modes - 1])
        else:
            start = np.random.default_rng(0).standard_normal(K.shape[0])
            squares, shapes = eigsh(K, modes, M, sigma=0.0, v0=start)
    except (np.linalg.LinAlgError, RuntimeError) as error:
        raise ModelError(
            f"mass in craig_bampton: must be positive definite for the coordinates that are not in boundary ({error})"
        ) from None
    order = np.argsort(squares)
    shapes = shapes[:, order]
    sign = np.sign(shapes[np.abs(shapes).argmax(axis=0), np.arange(modes)])
    return np.sqrt(np.maximum(squares[order], 0.0)), shapes * sign


def _find_translations(body: Superelement, directions: Any) -> FloatArray:
    """Return the coordinates q of the reduced body for translations of the whole body by 1 m along x, y and z. The
    coordinates of modes are 0 in translations.
    """
    axes, count = read_whole_numbers(directions), len(body.basis)
    if axes is None or axes.shape != (count,) or not np.isin(axes, (-1, 0, 1, 2)).all():
        words = f"must be 0, 1, 2 or -1 for each of {count} coordinates"
        raise ModelError(f"directions = {show(directions)} in Superelement.add_to: {words}")
    found = np.zeros((len(body.mass), AXES))
    found[: len(body.boundary)] = axes[body.boundary, None] == np.arange(AXES)
    return found


def _read_mesh(body: Superelement, file: Path) -> dict[str, Any]:
    """Return the points and edges of a mesh file, and the matrix that gives the displacements of the points."""
    import meshio  # imported here, because models without mesh file do not need meshio

    try:
        mesh = meshio.read(str(file))
    # SystemExit is also caught, because meshio ends the process for some damaged files
    except (Exception, SystemExit) as error:
        raise ModelError(f"mesh = {str(file)!r} in Superelement.add_to cannot be read by meshio: {error}") from None
    points = np.zeros((len(mesh.points), AXES))
    points[:, : mesh.points.shape[1]] = mesh.points
    count = len(body.basis)
    each_point = next((d for d in (2, 3) if d * len(points) == count), None)
    if each_point is None:
        raise ModelError(
            f"mesh = {str(file)!r} in Superelement.add_to has {len(points)} points: must have {count} coordinates, two "
            "or three for each point"
        )
    basis = np.zeros((len(points), AXES, len(body.mass)))
    basis[:, :each_point] = body.basis.reshape(len(points), each_point, -1)
    edges = {tuple(sorted(edge)) for cells in mesh.cells for cell in cells.data for edge in _list_edges(cell.tolist())}
    return {"points": points, "basis": basis.reshape(AXES * len(points), -1), "lines": np.array(sorted(edges))}


def _list_edges(cell: list[int]) -> list[tuple[int, int]]:
    """Return the lines of the drawing of a cell: the edges of a hexahedron, or the polygon through the points of any
    other cell.
    """
    if len(cell) in (4, 8) or len(cell) < 3:
        pairs = {2: [(0, 1)], 4: [(0, 1), (1, 2), (2, 3), (3, 0)]}.get(len(cell), [])
        if len(cell) == 8:
            pairs = [(a, (a + 1) % 4) for a in range(4)] + [(4 + a, 4 + (a + 1) % 4) for a in range(4)]
            pairs += [(a, a + 4) for a in range(4)]
        return [(cell[a], cell[b]) for a, b in pairs]
    return [(cell[a], cell[a - 1]) for a in range(len(cell))]
