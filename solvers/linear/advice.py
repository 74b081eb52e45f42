"""Note for runs on several processes: an iterative linear solver may be faster than a factorisation."""

from __future__ import annotations

from typing import Any

from windlass.framework.assembly.assembly import Assembly
from windlass.framework.command_line import options
from windlass.framework.command_line.notes import say_once
from windlass.framework.runtime.petsc import PETSc

LARGE = 20_000
"""Number of unknowns above which the note is printed, because factorisations by MUMPS are then slow."""


def advise_iterative(assembly: Assembly, prefix: str, pc: Any) -> None:
    """Print a note that an iterative linear solver may be faster. The note is printed once for each solver, on the
    first process.

    No note is printed on one process, for small models, for models with constraint rows, if the user has chosen a
    linear solver, or if the option ``-quiet`` or ``-progress false`` is given. For statics no note is printed, because
    MUMPS is at least as fast as iterative solvers for static chains and nets.
    """
    layout, database = assembly.layout, PETSc.Options()
    chosen = any(database.hasName(prefix + name) for name in ("ksp_type", "pc_type", "pc_factor_mat_solver_type"))
    simple = layout.size > 1 and assembly.world.numbering.multiplier_count == 0 and layout.unknowns.total >= LARGE
    if not simple or chosen or "static" in prefix or not options.progress_wanted():
        return
    if pc.getType() != PETSc.PC.Type.LU or pc.getFactorSolverType() != PETSc.Mat.SolverType.MUMPS:
        return
    words = f"no constraint rows: -{prefix}ksp_type gmres -{prefix}pc_type bjacobi may be faster than MUMPS"
    say_once("note", [words])
