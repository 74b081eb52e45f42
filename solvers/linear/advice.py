"""A word to users of many processes whose model an iterative linear solver would do for."""

from __future__ import annotations

import sys

from windlass.framework.assembly.assembly import Assembly
from windlass.framework.command_line import options
from windlass.framework.launch.launcher import is_first_process
from windlass.framework.runtime.petsc import PETSc

LARGE = 20_000
"""Unknowns from which a factorisation by MUMPS takes long enough to be worth a word."""


def advise_iterative(assembly: Assembly, prefix: str, package: str) -> None:
    """Say once for each solver, on the first process, that no constraints stand against an iterative linear solver.

    Nothing is said on one process, with constraint rows, for small models, with -quiet or -progress false, where the
    user has chosen a linear solver, and in statics, where MUMPS is as fast or faster in chains and nets.
    """
    layout, database = assembly.layout, PETSc.Options()
    chosen = any(database.hasName(prefix + name) for name in ("ksp_type", "pc_type", "pc_factor_mat_solver_type"))
    simple = layout.size > 1 and assembly.world.numbering.multiplier_count == 0 and layout.unknown_count >= LARGE
    if (
        not simple
        or chosen
        or "static" in prefix
        or package != "mumps"
        or not (options.progress_wanted() and is_first_process())
    ):
        return
    sys.stderr.write(
        f"note: no constraint rows: -{prefix}ksp_type gmres -{prefix}pc_type bjacobi may be faster than MUMPS\n"
    )
    sys.stderr.flush()
