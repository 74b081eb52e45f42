"""Comparison of iterative linear solvers for tangents of chains and nets: convergence and numbers of iterations.

    mpiexec -n 2 windlass run iterative.py -model net -case dynamic -sizes 10,20,40 -supports springs

Each size gives one linear system: the first tangent of a static load step or of a time step of 1 ms, with its residual
as right-hand side. The relative tolerance is 1e-8 (of the true residual, with right preconditioning), and at most 500
iterations are allowed. Times are process times [s] of the first process and include its waiting time in MPI.
"""

import time
from typing import Any, NamedTuple

import numpy as np
from scaling_models import MODELS, SUPPORTS, build

import windlass as wl
from windlass.framework.launch.launcher import communicator
from windlass.framework.runtime.petsc import PETSc
from windlass.framework.state.state import local_state
from windlass.solvers.newton.rigid_motions import create_near_null_space
from windlass.solvers.newton.scheme import Scheme
from windlass.solvers.stepping.step_kernels import StepKernels

KINDS = {
    "mumps": "-ksp_type preonly -pc_type lu -pc_factor_mat_solver_type mumps",
    "cg jacobi": "-ksp_type cg -pc_type jacobi",
    "cg bjacobi icc": "-ksp_type cg -pc_type bjacobi -sub_pc_type icc",
    "bjacobi ilu": "-pc_type bjacobi -sub_pc_type ilu",
    "bjacobi ilu1": "-pc_type bjacobi -sub_pc_type ilu -sub_pc_factor_levels 1",
    "bjacobi ilu2": "-pc_type bjacobi -sub_pc_type ilu -sub_pc_factor_levels 2",
    "bjacobi lu": "-pc_type bjacobi -sub_pc_type lu -sub_pc_factor_mat_solver_type mumps",
    "asm1 ilu": "-pc_type asm -pc_asm_overlap 1 -sub_pc_type ilu",
    "asm2 lu": "-pc_type asm -pc_asm_overlap 2 -sub_pc_type lu -sub_pc_factor_mat_solver_type mumps",
    "gamg": "-pc_type gamg",
    "boomeramg": "-pc_type hypre -pc_hypre_type boomeramg",
    # this solver is the last one, because afterwards the matrix keeps the near null space of rigid-body motions
    "gamg rigid": "-pc_type gamg",
}
"""Options of each solver, by name of the solver. The default Krylov method is GMRES with 100 vectors."""
RTOL, MOST = 1e-8, 500
comm = communicator()
rank, size = (0, 1) if comm is None else (comm.rank, comm.size)


class Outcome(NamedTuple):
    """Result of one solver: iterations, or PETSc's reason for the failure, times [s] of set-up and solve, and error."""

    iterations: int
    reason: str
    set_up: float
    solve: float
    residual: float


def create_system(case: str, world: wl.World) -> tuple[Any, Any, Any]:
    """Create the problem of a solver, with its first tangent and residual."""
    if case == "static":
        solver: Any = wl.Static(world, name="")
        state = local_state(solver.assembly, None)
        rest = np.zeros_like(state.q)
        scheme = Scheme(state.q.copy(), rest, t=0.0, load_factor=1.0, moving=False, q_anchor=state.q.copy())
    else:
        solver = wl.Dynamic(world, step=1e-3, end=1.0, name="")
        state = local_state(solver.assembly, None)
        scheme = StepKernels(solver.integrator, solver.problem).predict(state, 1e-3, 1e-3)
    problem = solver.problem
    problem.start(scheme)
    right = problem.residual_vector.duplicate()
    problem.eval_residual(None, problem.unknowns, right)
    problem.update_tangent(problem.unknowns)
    return problem, problem.matrix.mat, right


def solve(name: str, matrix: Any, right: Any, number: int) -> Outcome:
    """Solve a system by one of `KINDS`."""
    prefix = f"k{number}_"
    database = PETSc.Options()
    words = KINDS[name].split()
    if "-ksp_type" not in words:
        words += ["-ksp_type", "gmres", "-ksp_gmres_restart", "100"]
    for word, value in zip(words[::2], words[1::2], strict=True):
        database.setValue(prefix + word[1:], value)
    ksp = PETSc.KSP().create(comm=matrix.getComm())
    ksp.setOptionsPrefix(prefix)
    ksp.setOperators(matrix)
    ksp.setTolerances(rtol=RTOL, atol=0.0, max_it=MOST)
    ksp.setFromOptions()
    if ksp.getType() == "gmres":
        ksp.setPCSide(PETSc.PC.Side.RIGHT)
    x = right.duplicate()
    clock = time.process_time()
    try:
        ksp.setUp()
        ksp.setUpOnBlocks()
        middle = time.process_time()
        ksp.solve(right, x)
    except PETSc.Error as error:
        return Outcome(0, str(error).splitlines()[-1][-40:], 0.0, 0.0, np.nan)
    end = time.process_time()
    rest = right.duplicate()
    matrix.mult(x, rest)
    rest.aypx(-1.0, right)
    reasons = {v: n for n, v in vars(PETSc.KSP.ConvergedReason).items() if isinstance(v, int)}
    reason = ksp.getConvergedReason()
    error = rest.norm() / right.norm()
    told = "" if reason > 0 else reasons.get(reason, str(reason)).removeprefix("DIVERGED_")
    return Outcome(ksp.getIterationNumber(), told, middle - clock, end - middle, error)


def main() -> None:
    """Solve all systems by all solvers and print a table."""
    model = wl.option("model", "net", "", "what to solve", choices=MODELS)
    case = wl.option("case", "dynamic", "", "kind of tangent", choices=("static", "dynamic"))
    sizes = wl.option("sizes", "10,20", "1", "cables of the chain, or lines of the net")
    supports = wl.option("supports", "springs", "", "what holds the ends", choices=SUPPORTS)
    only = wl.option("only", "", "", "names of solvers, with commas between")
    names = [name.strip() for name in only.split(",")] if only else list(KINDS)
    count = 0
    for number in map(int, sizes.split(",")):
        problem, matrix, right = create_system(case, build(model, number, 5, supports, light=case == "static").world)
        for name in names:
            if name == "gamg rigid":
                problem.set_near_null_space(create_near_null_space(problem))
            outcome = solve(name, matrix, right, count)
            count += 1
            if rank == 0:
                told = str(outcome.iterations) if not outcome.reason else f"- ({outcome.reason})"
                times = f"{outcome.set_up:8.3f} {outcome.solve:8.3f}"
                print(
                    f"{model} {case} {supports} {number:7d} n={right.getSize():8d} p={size} {name:15s} {told:28s}"
                    f"{times} {outcome.residual:.1e}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
