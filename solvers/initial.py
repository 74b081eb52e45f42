"""Consistent initial accelerations: M a + C_q^T lam = loads - f,  C_q a = -(C_q v)_q v - 2 C_qt v - C_tt."""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.framework import options
from windlass.framework.assembly import Assembly
from windlass.framework.errors import ModelError
from windlass.framework.matrix import TangentMatrix
from windlass.framework.petsc import PETSc
from windlass.framework.state import State
from windlass.framework.vectors import create_unknowns, spread_to_ghosts, sum_to_owners


def update_initial_accelerations(assembly: Assembly, state: State) -> None:
    """Set ``state.a`` (and ``algorithmic_a``) to the accelerations that the equations demand at the start.

    Source: the acceleration-level equations of constrained mechanics, e.g. Brenan, Campbell, Petzold (1996).

    Raises:
        ModelError: the mass matrix with the constraints is singular; the coordinates without mass are named.
    """
    layout, comm = assembly.layout, assembly.comm
    parallel = layout.size > 1
    petsc_comm: Any = comm if parallel else PETSc.COMM_SELF
    fields = assembly.load_fields(state)
    fields.a[:] = 0.0
    fields.lam[:] = 0.0
    f = np.zeros(layout.spare + 1)
    c = np.zeros(len(layout.multipliers_owned) + 1)
    assembly.add_loads(f)
    f *= -1.0
    assembly.add_forces(f)
    # with a = 0 the inertia is what is quadratic in the velocities
    assembly.add_inertia(f)
    for constraint in assembly.constraints():
        constraint.acceleration(fields, c)
    matrix = TangentMatrix(assembly.pattern, layout.unknown_global, layout.owned_unknowns, comm)
    # masses and multipliers scaled alike: the unknown is lam / typical mass
    scale = _typical_mass(assembly)
    assembly.add_mass_matrix(matrix.values)
    fields.rate_level = True
    assembly.add_constraint_tangent(matrix.values, 0.0, 1.0, scale)
    fields.rate_level = False
    matrix.update()
    right = create_unknowns(layout, comm)
    solution = right.duplicate()
    local = np.zeros(len(layout.unknown_global))
    local[layout.unknown_of_dof] = -f[:-1]
    local[layout.unknown_of_multiplier] = c[:-1]
    sum_to_owners(layout, right, local)
    ksp = PETSc.KSP().create(comm=petsc_comm)
    ksp.setOptionsPrefix("initial_")
    ksp.setOperators(matrix.mat)
    ksp.setType(PETSc.KSP.Type.PREONLY)
    pc = ksp.getPC()
    pc.setType(PETSc.PC.Type.LU)
    pc.setFactorSolverType("mumps" if parallel else "klu")
    options.set_from_options(ksp)
    try:
        ksp.solve(right, solution)
        options.after_set_up(ksp)
        failed = ksp.getConvergedReason() < 0 or not np.isfinite(solution.norm())
    except PETSc.Error:
        failed = True
    if failed:
        raise ModelError(_singular_message(assembly))
    local = spread_to_ghosts(layout, solution)
    state.a[:] = local[layout.unknown_of_dof]
    state.algorithmic_a[:] = state.a
    state.lam[:] = scale * local[layout.unknown_of_multiplier]


def _typical_mass(assembly: Assembly) -> float:
    _, _, masses = assembly.mass_rows
    local = float(np.median(np.abs(masses))) if len(masses) else 1.0
    if assembly.comm is not None and assembly.comm.size > 1:
        local = float(np.mean(assembly.comm.allgather(local)))
    return local


def _singular_message(assembly: Assembly) -> str:
    """Names the coordinates without mass."""
    layout, number = assembly.layout, assembly.world.numbering
    indptr, _, _ = assembly.mass_rows
    missing = np.flatnonzero(np.diff(indptr)[: len(layout.owned)] == 0)
    names = [number.describe_dof(int(layout.owned[i])) for i in missing[:5]]
    where = f"; without mass: {', '.join(names)}" if names else "; constraints contradict or repeat each other"
    return f"initial accelerations: mass matrix with constraints is singular{where}"
