"""The command `windlass doctor` prints a report on versions, PETSc's solver packages, MPI and the compiler cache. The
report also states whether Windlass can run.

Each package is imported only when its line of the report is created. Therefore a report is printed even if a package is
missing or damaged. In this case, the last line of the report names the problem and the remedy.
"""

import importlib
import importlib.metadata
import os
import platform
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

from windlass.framework.launch.launcher import SOLVER_PACKAGES

PYTHON_MINIMUM = (3, 11)
REQUIRED_PACKAGES = ("numpy", "scipy", "numba", "meshio", "h5py", "matplotlib", "tqdm")
SET_UP_HINT = "run `make setup` (on systems other than Debian 12 and 13 see environment.yml)"


def main(_words: Sequence[str]) -> int:
    """Print the report, and return the exit code. The exit code is 0 if Windlass can run, otherwise 1."""
    text, ready = report()
    print(text)
    return 0 if ready else 1


class _Findings:
    """Three lists: the lines of the report, the problems that prevent runs of Windlass, and other remarks."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.problems: list[str] = []
        self.remarks: list[str] = []

    def add_line(self, name: str, text: str) -> None:
        self.lines.append(f"{name + ':':<18}{text}")


def report() -> tuple[str, bool]:
    """Check this installation.

    Return the text of the report and whether Windlass can run. The last line of the report states whether Windlass can
    run.
    """
    found = _Findings()
    _add_python(found)
    for name in REQUIRED_PACKAGES:
        if _load(found, name) is not None:
            found.add_line(name, _version(name))
    found.add_line("vtk", _version("vtk", "not installed; only the tests need it, `make test` installs it"))
    _add_threads(found)
    _add_mpi(found)
    _add_petsc(found)
    _add_kernel_cache(found)

    ready = not found.problems
    remarks = [f"{'note:':<18}{remark}" for remark in found.remarks]
    verdict = "ready" if ready else "not ready: " + "; ".join(found.problems)
    return "\n".join([*found.lines, *remarks, f"{'verdict:':<18}{verdict}"]), ready


def _load(found: _Findings, name: str) -> ModuleType | None:
    """Import a required module. If the import fails, add the error to the lines of the report and to the list of
    problems.
    """
    try:
        return importlib.import_module(name)
    # The loader of a broken installation may raise any error: OSError, RuntimeError, AttributeError.
    except Exception as error:
        package = name.partition(".")[0]
        found.add_line(package, f"does not load: {_first_line(error)}")
        found.problems.append(f"{package} does not load, {SET_UP_HINT}")
        return None


def _add_python(found: _Findings) -> None:
    found.add_line("windlass", _version("windlass", "not installed, used from its folder"))
    version = f"{platform.python_implementation()} {platform.python_version()} at {sys.executable}"
    found.add_line("python", f"{version}, {platform.system()} {platform.machine()}")
    if sys.version_info[:2] < PYTHON_MINIMUM:
        found.problems.append("Python {}.{} or later is needed".format(*PYTHON_MINIMUM))


def _add_threads(found: _Findings) -> None:
    threads = os.environ.get("OMP_NUM_THREADS")
    found.add_line("OMP_NUM_THREADS", threads or "not set, Windlass then uses 1")
    if threads not in (None, "1"):
        found.remarks.append(f"OMP_NUM_THREADS={threads}: superlu_dist is far slower than with 1 on small models")
    # If OMP_NUM_THREADS is not set, it is set to 1, as in runs of models. The variable is set before PETSc is loaded,
    # because PETSc reads it only once.
    os.environ.setdefault("OMP_NUM_THREADS", "1")


def _add_mpi(found: _Findings) -> None:
    MPI: Any = _load(found, "mpi4py.MPI")
    if MPI is None:
        return
    library = _first_line(MPI.Get_library_version().rstrip("\x00")).split(", package")[0]
    found.add_line("mpi4py", f"{_version('mpi4py')} with {library}, {MPI.COMM_WORLD.size} rank(s)")


def _add_petsc(found: _Findings) -> None:
    PETSc: Any = _load(found, "petsc4py.PETSc")
    if PETSc is None:
        return
    found.add_line("petsc4py", str(importlib.import_module("petsc4py").__version__))
    version = ".".join(map(str, PETSc.Sys.getVersion()))
    kind = f"{PETSc.ScalarType.__name__}, {8 * PETSc.IntType().itemsize}-bit indices"
    found.add_line("petsc", f"{version} ({kind})")
    if PETSc.ScalarType.__name__ != "float64":
        found.problems.append(f"PETSc works in {PETSc.ScalarType.__name__}: install a build with real double scalars")

    _add_slepc(found)

    # superlu_dist is tested only once, because PETSc 3.18 frees a process grid of superlu_dist twice if several such
    # grids exist
    usable = [name for name in SOLVER_PACKAGES if _solves(PETSc, name)]
    missing = [name for name in SOLVER_PACKAGES if name not in usable]
    text = ", ".join(usable) or "none"
    found.add_line("solver packages", text + (f"; not in this PETSc: {', '.join(missing)}" if missing else ""))
    if "petsc" not in usable:
        found.problems.append(f"PETSc's own LU fails on a 3x3 matrix, {SET_UP_HINT}")
    if not {"klu", "umfpack", "mumps"} & set(usable):
        found.remarks.append("this PETSc has no pivoting direct solver (klu, umfpack, mumps): constraints may fail")
    if not {"mumps", "superlu_dist"} & set(usable):
        found.remarks.append("this PETSc has no parallel direct solver (mumps, superlu_dist): use one rank")
    if "mpi4py.MPI" in sys.modules:
        _check_shared_mpi(found, PETSc)


def _add_slepc(found: _Findings) -> None:
    """Add a line on SLEPc to the report. Only the computation of modes requires SLEPc. The import fails if SLEPc was
    built for another version of PETSc.
    """
    try:
        SLEPc: Any = importlib.import_module("slepc4py.SLEPc")
        found.add_line("slepc", ".".join(map(str, SLEPc.Sys.getVersion())))
    except Exception as error:  # the loader of a broken library may raise any error
        found.add_line("slepc", f"does not load: {_first_line(error)}")
        found.remarks.append(f"no modes (windlass modes) without slepc4py: {SET_UP_HINT}")


def _solves(PETSc: Any, package: str) -> bool:
    """Return whether PETSc solves K x = b with the given package. The test model is a chain of four springs of 1 N/m
    between two fixed points, with a force of 1 N at each of the three inner points.
    """
    K = PETSc.Mat().createAIJ((3, 3), nnz=3, comm=PETSc.COMM_SELF)
    for row, values in enumerate(((2.0, -1.0, 0.0), (-1.0, 2.0, -1.0), (0.0, -1.0, 2.0))):
        K.setValues([row], [0, 1, 2], values)
    K.assemble()
    x, b = K.createVecs()
    b.set(1.0)
    ksp = PETSc.KSP().create(PETSc.COMM_SELF)
    try:
        ksp.setOperators(K)
        pc = ksp.getPC()
        if package == "hypre":
            ksp.setType("gmres")
            pc.setType("hypre")
        else:
            ksp.setType("preonly")
            pc.setType("lu")
            pc.setFactorSolverType(package)
        ksp.solve(b, x)
        # The exact displacement of the middle point is 2 m. The tolerance is sufficient for hypre with gmres, which
        # ends at rtol = 1e-5.
        return bool(ksp.getConvergedReason() > 0 and abs(x.getValue(1) - 2.0) < 1e-4)
    except PETSc.Error:
        return False
    finally:
        for petsc_object in (ksp, x, b, K):
            petsc_object.destroy()


def _check_shared_mpi(found: _Findings, PETSc: Any) -> None:
    """Check that mpi4py and PETSc use one common MPI library. With different libraries, mpi4py and PETSc would report
    different numbers of processes, or communicators could not be passed from PETSc to mpi4py.
    """
    MPI: Any = sys.modules["mpi4py.MPI"]
    try:
        same = PETSc.COMM_WORLD.tompi4py().size == MPI.COMM_WORLD.size == PETSc.COMM_WORLD.size
    # If mpi4py and PETSc use different MPI libraries, the type of the error depends on both libraries.
    except Exception:
        same = False
    if not same:
        found.problems.append("mpi4py and PETSc use different MPI libraries: reinstall mpi4py against PETSc's MPI")


def _add_kernel_cache(found: _Findings) -> None:
    if os.environ.get("WINDLASS_JIT") == "0":
        found.remarks.append("WINDLASS_JIT=0: kernels run in Python, far slower than compiled")
    try:
        from windlass.framework.kernels.process import cache_folder  # imported here, because the import may fail

        folder, reason = cache_folder()
        files = 0 if folder is None else sum(1 for path in folder.rglob("*") if path.is_file())
    # Any error is possible here, for example if the home folder is missing, permissions are missing, or numba is
    # damaged.
    except Exception as error:
        found.add_line("compiler cache", f"unknown: {_first_line(error)}")
        found.problems.append("the folder of the compiler cache cannot be found or made")
        return
    if folder is None:
        found.add_line("compiler cache", f"none: {reason}")
        found.remarks.append("kernels are compiled again in every run: set WINDLASS_CACHE to a folder to keep them in")
    else:
        kind = "writable" if os.access(folder, os.W_OK) else "for reading only"
        found.add_line("compiler cache", f"{folder} ({files} files), {kind}")


def _version(package: str, otherwise: str = "unknown version") -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return otherwise


def _first_line(text: object) -> str:
    return next(iter(str(text).strip().splitlines()), type(text).__name__)
