"""Settings of PETSc that may suit a solver, selected by properties of its equations: size, constraints, storage,
processes.

Each setting is a line of options without the prefix of the solver.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

LARGE = 2000
"""Smallest number of unknowns for which preconditioners are tried."""
LU = "-ksp_type preonly -pc_type lu -pc_factor_mat_solver_type"
GMRES = "-ksp_type gmres -ksp_rtol 1e-6"
ORDERINGS = {"AMD": 0, "AMF": 2, "SCOTCH": 3, "PORD": 4, "METIS": 5, "QAMD": 6}
"""Orderings of MUMPS, and their numbers in ICNTL(7)."""


class Setting(NamedTuple):
    """Options to try.

    Attributes:
        name: short description of the setting; empty for the default.
        options: the words of the command line.
    """

    name: str
    options: tuple[str, ...]


def list_settings(solve: Mapping[str, Any]) -> list[Setting]:
    """Return the settings for a solver with the given ``-statistics``, without the default."""
    prefix = str(solve["prefix"])
    found = [*_newton(solve), *_direct(solve)]
    if int(solve["unknowns"]) >= LARGE:
        found += [*_incomplete(solve), *_multigrid(solve)]
    # a word that starts with a dash is the name of an option, because values are not negative
    return [
        Setting(f"{prefix.rstrip('_')}: {name}", tuple(re.sub(r"(^| )-", rf"\1-{prefix}", options).split()))
        for name, options in found
    ]


def describe_default(solve: Mapping[str, Any]) -> str:
    """Return the default settings."""
    storage = {"blocks": ", dense blocks", "substructures": ", elimination by parts"}.get(str(solve["storage"]), "")
    return f"default: {solve['solver']}{storage}"


def _newton(solve: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Generate settings of reused tangents, line searches, tolerances."""
    if not str(solve["prefix"]).startswith("static"):
        yield "full Newton", "-lag false"
    yield "new tangent in every second iteration", "-snes_lag_jacobian 2"
    for kind in ("bt", "l2", "cp"):
        yield f"line search {kind}", f"-snes_linesearch_type {kind}"
    for factor in (10.0, 100.0):
        yield f"tolerance of Newton times {factor:g}", f"-snes_rtol {min(0.1, factor * float(solve['rtol'])):g}"


def _direct(solve: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Generate settings of LU by all packages with their orderings."""
    # SuperLU_DIST does not exchange pivots across processes, and needs its own option for the zeros of constraints
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
    """Generate settings of Krylov methods with incomplete factors, or with factors of subdomains."""
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
    """Return settings of algebraic multigrid, for matrices without zeros on the diagonal; GAMG gets the rigid motions
    automatically."""
    if not solve["multipliers"]:
        yield "GMRES, GAMG with rigid motions", f"{GMRES} -pc_type gamg"
        yield "GMRES, BoomerAMG of hypre", f"{GMRES} -pc_type hypre"
