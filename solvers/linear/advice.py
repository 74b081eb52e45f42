"""Note for users of several processes whose model suits an iterative linear solver."""

from __future__ import annotations

from typing import Any

from windlass.framework.assembly.assembly import Assembly
from windlass.framework.command_line import options
from windlass.framework.command_line.notes import say_once
from windlass.framework.runtime.petsc import PETSc

LARGE = 20_000
"""Number of unknowns above which a factorisation by MUMPS takes long enough for a note."""


def advise_iterative(assembly: Assembly, prefix: str, pc: Any) -> None:
    """Print a note, once for each solver and on the first process, that an iterative linear solver may suit the model.

    There is no note for one process, constraint rows, small models, -quiet or -progress false, or a linear solver
    chosen by the user. There is also no note for statics, where MUMPS is at least as fast in chains and nets.
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
