"""PETSc settings that can be suitable for a solver. The settings are selected by the number of unknowns, the
constraints, the matrix storage, and the number of processes.

Each setting is written as one line of PETSc options, without the option prefix of the solver.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

LARGE = 2000
"""Preconditioners are tried if the number of unknowns is at least this number."""
LU = "-ksp_type preonly -pc_type lu -pc_factor_mat_solver_type"
GMRES = "-ksp_type gmres -ksp_rtol 1e-6"
ORDERINGS = {"AMD": 0, "AMF": 2, "SCOTCH": 3, "PORD": 4, "METIS": 5, "QAMD": 6}
"""Orderings of MUMPS, and their values of ICNTL(7)."""


class Setting(NamedTuple):
    """A combination of options with which `windlass tune` runs a model.

    Attributes:
        name: short description of the setting; empty for the default.
        options: the options as arguments of the command line.
    """

    name: str
    options: tuple[str, ...]


def list_settings(solve: Mapping[str, Any]) -> list[Setting]:
    """Return the settings for a solver, except the default setting. The argument ``solve`` is the output of
    ``-statistics`` for the solver.
    """
    prefix = str(solve["prefix"])
    found = [*_newton(solve), *_direct(solve)]
    if int(solve["unknowns"]) >= LARGE:
        found += [*_incomplete(solve), *_multigrid(solve)]
    # each word that starts with a dash is the name of an option, because no value of an option is negative
    return [
        Setting(f"{prefix.rstrip('_')}: {name}", tuple(re.sub(r"(^| )-", rf"\1-{prefix}", options).split()))
        for name, options in found
    ]


def describe_default(solve: Mapping[str, Any]) -> str:
    """Return a description of the default settings of a solver."""
    storage = {"blocks": ", dense blocks", "substructures": ", elimination by parts"}.get(str(solve["storage"]), "")
    return f"default: {solve['solver']}{storage}"


def _newton(solve: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield settings that differ in the reuse of tangents, the line search, and the tolerances."""
    if not str(solve["prefix"]).startswith("static"):
        yield "full Newton", "-lag false"
    yield "new tangent in every second iteration", "-snes_lag_jacobian 2"
    for kind in ("bt", "l2", "cp"):
        yield f"line search {kind}", f"-snes_linesearch_type {kind}"
    for factor in (10.0, 100.0):
        yield f"tolerance of Newton times {factor:g}", f"-snes_rtol {min(0.1, factor * float(solve['rtol'])):g}"


def _direct(solve: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield settings of LU and LDLᵀ factorisation with different solver packages and orderings."""
    # SuperLU_DIST does not pivot (exchange rows) between processes, so zero diagonal entries of constraint equations
    # require an option
    tiny = " -mat_superlu_dist_replacetinypivot" if solve["multipliers"] else ""
    if int(solve["processes"]) == 1:
        banded = solve["storage"] == "blocks" or "package petsc" in str(solve["solver"])
        natural = ["natural", "rcm", "nd"] if banded else ["nd", "qmd"]
        for order in natural:
            yield f"LU by rows, order {order}", f"{LU} petsc -pc_factor_mat_ordering_type {order}"
        yield "KLU", f"{LU} klu"
        yield "UMFPACK", f"{LU} umfpack"
        yield "UMFPACK, METIS", f"{LU} umfpack -mat_umfpack_ordering METIS"
    else:
        yield "MUMPS, analysis in parallel", f"{LU} mumps -mat_mumps_icntl_28 2"
    yield "MUMPS", f"{LU} mumps"
    for name, number in ORDERINGS.items():
        yield f"MUMPS, {name}", f"{LU} mumps -mat_mumps_icntl_7 {number}"
    yield "MUMPS, no scaling", f"{LU} mumps -mat_mumps_icntl_8 0 -mat_mumps_cntl_1 1e-6"
    yield "MUMPS, LDLt", "-ksp_type preonly -pc_type cholesky -pc_factor_mat_solver_type mumps"
    yield "SuperLU_DIST", f"{LU} superlu_dist{tiny}"


def _incomplete(solve: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield settings of Krylov methods with incomplete factors, or with factors of subdomains."""
    if int(solve["processes"]) == 1:
        for level in (0, 1, 2):
            yield f"GMRES, ILU({level})", f"{GMRES} -pc_type ilu -pc_factor_levels {level}"
        yield "GMRES(100), ILU(0)", f"{GMRES} -ksp_gmres_restart 100 -pc_type ilu"
        yield "BiCGStab, ILU(1)", "-ksp_type bcgs -ksp_rtol 1e-6 -pc_type ilu -pc_factor_levels 1"
        return
    yield "GMRES, block Jacobi with LU", f"{GMRES} -pc_type bjacobi -sub_pc_type lu"
    yield "GMRES, block Jacobi with ILU(1)", f"{GMRES} -pc_type bjacobi -sub_pc_type ilu -sub_pc_factor_levels 1"
    for overlap in (1, 4):
        yield f"GMRES, ASM of overlap {overlap}, LU", f"{GMRES} -pc_type asm -pc_asm_overlap {overlap} -sub_pc_type lu"


def _multigrid(solve: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield settings of algebraic multigrid, for matrices without zero diagonal entries. GAMG receives the rigid-body
    motions automatically.
    """
    if not solve["multipliers"]:
        yield "GMRES, GAMG with rigid motions", f"{GMRES} -pc_type gamg"
        yield "GMRES, BoomerAMG of hypre", f"{GMRES} -pc_type hypre"
