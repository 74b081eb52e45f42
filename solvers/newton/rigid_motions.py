"""Rigid-body motions of a model as the near null space of its tangent. Algebraic multigrid (GAMG) uses these motions to
construct its coarse spaces.

A rigid-body motion of a model without supports causes no elastic energy. There are three motions in 2D and six in 3D.
Each motion is a translation along a unit vector i or a rotation about an axis k. Positions r, slopes p and Euler
parameters e change by

    translation   δr = i,            δp = 0,          δe = 0
    rotation      δr = k × r,        δp = k × p,      δe = k e/2,    δφ = 1

Here k e is a product of quaternions, and the angle φ of 2D bodies is about z.

Other coordinates, and the multipliers, do not change. The motions refer to the reference configuration.

Source: P. Vaněk, J. Mandel, M. Brezina, Computing 56 (1996) 179-196 (smoothed aggregation).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.runtime.petsc import PETSc
from windlass.solvers.newton.problem import NonlinearProblem

POINT, SLOPE, EULER = ("x", "y", "z"), ("x'", "y'", "z'"), ("e0", "e1", "e2", "e3")
SMALL = 1e-10
"""A rigid-body motion is omitted if orthogonalisation reduces its norm to less than this fraction [1]."""


def create_near_null_space(problem: NonlinearProblem) -> Any:
    """Return the rigid-body motions of a problem as a PETSc NullSpace object, or None if all motions are 0.

    The call is collective.
    """
    motions = eval_rigid_motions(problem)
    vectors: list[Any] = []
    for motion in motions:
        vector = problem.unknowns.duplicate()
        vector.setArray(motion)
        size = vector.norm()
        # orthogonalise twice, because rounding errors remain after a single pass if two motions are nearly equal
        for _ in range(2):
            for other in vectors:
                vector.axpy(-vector.dot(other), other)
        if size > 0.0 and vector.norm() > SMALL * size:
            vector.normalize()
            vectors.append(vector)
    return PETSc.NullSpace().create(vectors=vectors, comm=problem.unknowns.getComm()) if vectors else None


def eval_rigid_motions(problem: NonlinearProblem) -> FloatArray:
    """Return the values of the owned unknowns in six rigid-body motions, shape (6, owned): translations along x, y and
    z, then rotations about x, y and z."""
    layout, world = problem.assembly.layout, problem.assembly.world
    values = np.zeros((6, layout.spare + 1))
    for component in world.numbering.node_dofs:
        dofs = layout.local_dofs(world.resident_dofs(world.tables[component]))
        place = {name: dofs[:, k] for k, name in enumerate(component.dof_names)}
        for axis, name in enumerate(POINT):
            if name in place:
                values[axis, place[name]] = 1.0
        for names in (POINT, SLOPE):
            _turn(values, layout.reference, [place.get(name) for name in names])
        if "rotation" in place:
            values[5, place["rotation"]] = 1.0
        if EULER[0] in place:
            _turn_euler_parameters(values, layout.reference, [place[name] for name in EULER])
    # the spare element contains the values at coordinates that this process does not have
    unknowns = problem.sparsity.unknowns
    at = unknowns.of_dof[: layout.spare]
    own = at < unknowns.owned
    motions = np.zeros((6, unknowns.owned))
    motions[:, at[own]] = values[:, :-1][:, own]
    return motions


def _turn(values: FloatArray, reference: FloatArray, place: list[Any]) -> None:
    """Write the displacements k × r of a point at the position r for rotations about the three axes with the unit
    vectors k. The argument ``place`` contains the indices of the components of r, or None for components that are 0.
    """
    for axis in range(3):
        # The component along the axis is 0. The other components follow in cyclic order.
        one, two = (axis + 1) % 3, (axis + 2) % 3
        if place[one] is not None:
            values[3 + axis, place[one]] = 0.0 if place[two] is None else -reference[place[two]]
        if place[two] is not None:
            values[3 + axis, place[two]] = 0.0 if place[one] is None else reference[place[one]]


def _turn_euler_parameters(values: FloatArray, reference: FloatArray, place: list[Any]) -> None:
    """Write the changes k e/2 of the Euler parameters e for rotations about the three axes with the unit vectors k."""
    e = [reference[numbers] for numbers in place]
    products = (
        (-e[1], e[0], -e[3], e[2]),
        (-e[2], e[3], e[0], -e[1]),
        (-e[3], -e[2], e[1], e[0]),
    )
    for axis, product in enumerate(products):
        for numbers, component in zip(place, product, strict=True):
            values[3 + axis, numbers] = 0.5 * component
