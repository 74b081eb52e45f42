"""Eigenvalues of a MainSystem, computed by `Modes`, and the substitute for Exudyn's function ComputeODE2Eigenvalues."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from windlass.connectors import CoordinateConstraint, coordinate_marker
from windlass.exudyn.angles import ANGLES
from windlass.exudyn.export import describe_system
from windlass.exudyn.imported import Imported
from windlass.framework.arrays import ComplexArray
from windlass.framework.errors import ModelError
from windlass.framework.model.law import require_law

if TYPE_CHECKING:  # only for type checkers, because the import of the solver takes as long as a short run
    from windlass.solvers.modes.result import ModesResult

OPTIONS = "eigenvalues_"
"""Prefix of the options of the eigenvalue solver."""


def compute_eigenvalues(
    mbs: Any,
    simulationSettings: Any = None,
    useSparseSolver: bool = False,
    numberOfEigenvalues: int = 0,
    constrainedCoordinates: Any = (),
    convert2Frequencies: bool = False,
    useAbsoluteValues: bool = True,
    computeComplexEigenvalues: bool = False,
    ignoreAlgebraicEquations: bool = False,
    singularValuesTolerance: float = 1e-12,
    autoAssemble: bool = True,
) -> list[Any]:
    """Return a list of the eigenvalues and the mode shapes about the initial values, in the form of the results of
    Exudyn's function.

    By default, the eigenvalues are the squares ω² of angular frequencies [rad²/s²]. With ``convert2Frequencies`` they
    are frequencies [Hz], and with ``computeComplexEigenvalues`` they are complex eigenvalues σ [1/s]. If
    ``useAbsoluteValues`` is true, the absolute values of ω² or σ are returned.

    The arguments ``simulationSettings``, ``useSparseSolver`` and ``singularValuesTolerance`` have no effect.

    Real mode shapes have unit modal mass, as in Exudyn, and arbitrary signs. Complex eigenvalues are returned in
    conjugate pairs. Complex mode shapes have the norm 1 and, in models without constraints, consist of displacements
    followed by velocities.

    Raises:
        NoCounterpart: Windlass has no equivalent of an item.
        ModelError: Windlass has no equivalent of an argument, or two arguments contradict each other.
    """
    if not mbs.systemIsConsistent and autoAssemble:
        mbs.Assemble()
    if convert2Frequencies and computeComplexEigenvalues:
        raise ModelError(
            "convert2Frequencies and computeComplexEigenvalues of ComputeODE2Eigenvalues: at most one of the two must "
            "be True"
        )
    # loads are omitted, because Exudyn's stiffness matrix contains no derivatives of loads
    model = Imported({**describe_system(mbs), "loads": []}, mbs)
    held = [int(place) for place in np.ravel(constrainedCoordinates)]
    if ignoreAlgebraicEquations or held:
        _release(model)
    if model.turned:
        raise ModelError(
            f"ComputeODE2Eigenvalues: nodes of the type {ANGLES} have other coordinates in Windlass than in Exudyn: "
            "must be nodes of another type"
        )
    _hold(model, held)
    result = _find_modes(model, numberOfEigenvalues, computeComplexEigenvalues)
    shapes: Any = _place_shapes(model, result)
    if computeComplexEigenvalues:
        values = result.eigenvalues
        pair = values.imag != 0.0
        values = np.concatenate((values, values[pair].conj()))
        shapes = np.concatenate((shapes, shapes[pair].conj()))
        if not len(mbs.systemData.GetAECoordinates()) or ignoreAlgebraicEquations:
            shapes = np.concatenate((shapes, values[:, None] * shapes), axis=1)
        shapes = shapes / np.linalg.norm(shapes, axis=1)[:, None]
        order = np.argsort(np.abs(values), kind="stable") if useAbsoluteValues else np.argsort(values)
        found: Any = np.abs(values) if useAbsoluteValues else values
    else:
        squares = -(result.eigenvalues**2).real
        shapes = shapes.real / np.sqrt(result.masses)[:, None]
        found = np.abs(squares) if useAbsoluteValues else squares
        order = np.argsort(found, kind="stable")
    order = order[:numberOfEigenvalues] if numberOfEigenvalues else order
    found = np.sqrt(found[order]) / (2.0 * np.pi) if convert2Frequencies else found[order]
    return [found, shapes[order].T]


def _release(model: Imported) -> None:
    """Deactivate the constraints of all objects."""
    for entity in model.objects.values():
        if entity is not None and require_law(entity.table.component).role == "constraint":
            model.world.set(entity, active=False)


def _hold(model: Imported, held: Sequence[int]) -> None:
    """Constrain the coordinates with the given indices in Exudyn's vector of coordinates."""
    for node, where in model.places():
        for place in np.intersect1d(held, where):
            name = node.table.component.dof_names[int(place - where[0])]
            model.world.add(CoordinateConstraint, marker1=coordinate_marker(model.world, node, name))


def _find_modes(model: Imported, count: int, quadratic: bool) -> ModesResult:
    """Compute the given number of modes, or all modes if the number is 0. If ``quadratic`` is true, damping and
    gyroscopic forces are included.
    """
    from windlass.solvers.modes.modes import Modes  # imported here, because few scripts compute eigenvalues

    modes = Modes(
        model.world, count=count or model.size(), problem="quadratic" if quadratic else "linear", prefix=OPTIONS,
        name="eigenvalues",
    )  # fmt: skip
    return modes.solve(model.initial_state())


def _place_shapes(model: Imported, result: ModesResult) -> ComplexArray:
    """Return the mode shapes in Exudyn's order of coordinates, shape (modes, coordinates)."""
    shapes = np.zeros((len(result), model.size()), complex)
    for node, where in model.places() if len(result) else ():
        shapes[:, where] = result.of(node)[:, 0, : len(where)]
    return shapes


def answer_eigenvalues() -> None:
    """Replace Exudyn's function for eigenvalues by `compute_eigenvalues`."""
    exudyn: Any = import_module("exudyn")
    solver: Any = import_module("exudyn.solver")
    for place in (exudyn, solver, exudyn.MainSystem):
        place.ComputeODE2Eigenvalues = compute_eigenvalues
