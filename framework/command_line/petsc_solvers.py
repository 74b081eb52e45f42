"""Queries of the properties of PETSc's solvers (SNES or KSP) and SLEPc's eigensolvers (EPS or PEP)."""

from typing import Any


def describe_kinds(solver: Any) -> str:
    """Return the types of a solver and of its inner solvers (SNES, EPS, PEP, ST, KSP, PC), and the factorisation
    package, with PETSc's names.
    """
    from petsc4py import PETSc  # imported here, because the import initialises PETSc with the present options

    outer: dict[str, str] = {}
    if isinstance(solver, PETSc.SNES):
        outer, ksp = {"snes": solver.getType()}, solver.getKSP()
    elif is_eigensolver(solver):
        transformation = solver.getST()
        outer = {solver.klass.lower(): solver.getType(), "st": transformation.getType()}
        ksp = transformation.getKSP()
    else:
        ksp = solver
    pc = ksp.getPC()
    kinds = outer | {"ksp": ksp.getType(), "pc": pc.getType()}
    package = pc.getFactorSolverType() if pc.getType() in ("lu", "cholesky", "ilu", "icc") else None
    return ", ".join(f"{what} {kind}" for what, kind in (kinds | {"package": package}).items() if kind)


def is_eigensolver(solver: Any) -> bool:
    """Return whether an object is an EPS or PEP of SLEPc. Such an object has no KSP of its own. The KSP is part of its
    spectral transformation.
    """
    return hasattr(solver, "getST")


def set_up_twin(solver: Any) -> None:
    """Set up a second linear solver with the types of the given solver, for a 1 x 1 matrix. This set-up is necessary
    because inner solvers and factorisation packages print their help only when they are set up. For an eigensolver this
    function does nothing.
    """
    from petsc4py import PETSc  # imported here, because the import initialises PETSc with the present options

    if is_eigensolver(solver):
        return
    ksp = solver.getKSP() if isinstance(solver, PETSc.SNES) else solver
    matrix = PETSc.Mat().createAIJ((1, 1), nnz=1, comm=ksp.getComm())
    if matrix.getOwnershipRange() == (0, 1):
        matrix.setValue(0, 0, 1.0)
    matrix.assemble()
    twin = PETSc.KSP().create(ksp.getComm())
    twin.setOptionsPrefix(ksp.getOptionsPrefix())
    twin.setType(ksp.getType())
    twin.getPC().setType(ksp.getPC().getType())
    if package := ksp.getPC().getFactorSolverType():
        twin.getPC().setFactorSolverType(package)
    twin.setOperators(matrix)
    try:
        twin.setFromOptions()
        twin.setUp()
    except PETSc.Error:
        return  # some types need an assembled matrix, so the help for these types is incomplete
