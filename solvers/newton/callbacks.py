"""Compiled callbacks of Newton's method. PETSc calls them by their addresses, so that no Python code is executed
between iterations.

The callbacks of the residual and of the tangent are the compiled programs of a `NonlinearProblem`. The convergence test
is in convergence.py, and lagging.py decides when the tangent is evaluated. Callbacks in Python use the same machine
code and rules as compiled callbacks. Therefore results and messages do not depend on the kind of callback. There are
three callbacks: residual, tangent and convergence test. In each of the following cases, a callback is a Python
function: in the first evaluations of a process, with ``-log_view``, on several processes, if kernels run as Python
code, or if Python updates lists of neighbours, such as the lists of sliding joints. Compiled callbacks can call Python
functions of laws, for example functions of the user. A Python function also makes those decisions of the convergence
test that require more data than residual norms. An error of a kernel or of a Python function ends the run. The error is
then raised by `Callbacks.explain`.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.assembly.array_kernels import copy_values
from windlass.framework.assembly.loads import Loads
from windlass.framework.assembly.state_cycles import ALTERNATES
from windlass.framework.kernels.addresses import lay_down, run
from windlass.framework.kernels.c_functions import call_c, calls_at, find_c_address, floats_at, int_at, load, set_int
from windlass.framework.kernels.call import is_compiled
from windlass.framework.kernels.kernel import kernel
from windlass.framework.kernels.program import Program
from windlass.framework.kernels.value_types import find_kinds
from windlass.framework.launch.petsc_functions import find_addresses, set_callbacks
from windlass.framework.runtime.petsc import PETSc
from windlass.solvers.linear.linear_check import is_clearly_accurate
from windlass.solvers.newton.convergence import ASK, CYCLED, ITERATING, SLOW, conclude, continue_below, judge
from windlass.solvers.newton.lagging import needs_tangent
from windlass.solvers.newton.problem import NonlinearProblem, Programs
from windlass.solvers.newton.problem_kernels import Buffers, Solution, carry, start_sums, take_over, write_residual

PETSC = ("VecGetArrayRead", "VecRestoreArrayRead", "VecGetArray", "VecRestoreArray", "VecSet", "MatAssemblyBegin",
         "MatAssemblyEnd", "PetscObjectStateGet", "PetscObjectStateSet", "SNESSolve", "SNESGetConvergedReason",
         "SNESGetIterationNumber", "SNESComputeFunction", "VecNorm", "SNESGetSolutionUpdate",
         "SNESSetLagJacobian")  # fmt: skip
(GET_READ, RESTORE_READ, GET, RESTORE, SET, BEGIN, END, GET_STATE, SET_STATE, SOLVE, GET_REASON, GET_ITERATIONS,
 COMPUTE, NORM, GET_UPDATE, SET_LAG, PLACE, ASK_PYTHON) = range(18)  # fmt: skip
"""Indices in `Context.addresses`."""
EXPANSION, RESIDUAL, TANGENT, LOADS, QUESTION, BEYOND = range(6)
"""Indices of the programs and other parts of a run. If a run fails, the index identifies the failed part."""
MATRIX, RESIDUAL_VECTOR, BLOCKS, UNKNOWNS, SOLVER, DECIDES = range(6)
"""Indices in `Context.handles`."""
FINAL_ASSEMBLY = 0
NORM_2 = 1
EACH, NEVER = 1, -1
"""Arguments of SNESSetLagJacobian: PETSc calls the tangent callback in the next iteration, or PETSc reuses the tangent.
Before each call of this callback, PETSc searches its options for several names, which takes longer than the linear
solve of a small model.
"""
KEPT, ZERO, CARRIED, AGAIN = range(4)
"""Initial unknowns of a Newton run.

KEPT: the present unknowns.
ZERO: unknowns 0.
CARRIED: unknowns for the motion in the fields, which is the motion of the previous step.
AGAIN: unknowns for the motion in the fields, which is the motion of the previous pass.
"""
USER_ERROR = 83
"""PETSc's error code for errors in user functions."""
Question = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int64, ctypes.c_double)


class Context(NamedTuple):
    """The context that PETSc passes to the callbacks. The arrays exist while the callbacks exist.

    Attributes:
        addresses: addresses of functions of PETSc, of ``place``, and of the function that calls Python, shape (18,).
        place: memory for a result of PETSc, shape (1,).
        programs: address and number of kernel calls of each compiled program, shape (4, 2).
        handles: six numbers, shape (6,): the handles of the matrix and of the residual vector; the number of rows of
            each dense block of the matrix (1 without blocks); the handles of the vector of the unknowns and of SNES;
            and 1 during a run of `solve`, in which the convergence test decides when the tangent is evaluated,
            otherwise 0.
        values: values of the tangent, shape (entries + 1,).
        indptr, indices: pattern of the tangent, see `Pattern`.
        loads, weights: sum of the loads that do not depend on coordinates, and the part of this sum that does not
            depend on time, shape (n + 1,) each.
        buffers: the arrays `Buffers` of the problem.
        lag, measures, history: data of the policy for reused tangents and of the convergence test, see lagging.py and
            convergence.py.
        before: residual of the previous iteration, shape (u,).
        motion, factors: accelerations and multipliers from which a run can start, and the factors that convert
            accelerations and multipliers to unknowns, see `carry`.
        mapped: the array ``mapped`` of the fields.
    """

    addresses: IntArray
    place: IntArray
    programs: IntArray
    handles: IntArray
    values: FloatArray
    indptr: IntArray
    indices: IntArray
    loads: FloatArray
    weights: FloatArray
    buffers: Buffers
    lag: Any
    measures: Any
    history: FloatArray
    before: FloatArray
    motion: Solution
    factors: FloatArray
    mapped: FloatArray


@kernel
def run_program(programs: IntArray, which: int, state: Any) -> int:
    """Execute the kernel calls of a compiled program. Return 0 on success."""
    count = programs[which, 1]
    if run(calls_at(programs[which, 0], count)) == count:
        return 0
    state[0]["failed"] = which
    return USER_ERROR


@kernel
def expand_vector(
    x: int, addresses: IntArray, place: IntArray, programs: IntArray, local: FloatArray, state: Any
) -> int:
    """Compute the fields from a vector of unknowns, unless the fields already contain the values for this vector.
    Return 0 on success.
    """
    status = call_c(addresses[GET_READ], (x, addresses[PLACE]))
    if status != 0:
        return int(status)
    changed = take_over(floats_at(place[0], len(local)), local)
    status = call_c(addresses[RESTORE_READ], (x, addresses[PLACE]))
    if status == 0 and (changed or state[0]["expanded"] == 0):
        state[0]["expanded"] = 1
        status = run_program(programs, EXPANSION, state)
    return int(status)


@kernel
def eval_residual(_snes: int, x: int, out: int, context: Any) -> int:
    """Evaluate the residual. PETSc calls this function as its SNESFunction."""
    c = load(context)
    address, b = c.addresses, c.buffers
    status = expand_vector(x, address, c.place, c.programs, b.local, b.state)
    if status != 0:
        return status
    start_sums(c.loads, -b.state[0]["load_factor"], b.f, b.c)
    status = run_program(c.programs, RESIDUAL, b.state)
    if status == 0:
        status = call_c(address[GET], (out, address[PLACE]))
    if status != 0:
        return int(status)
    write_residual(b.f, b.c, b.places, floats_at(c.place[0], len(c.before)))
    b.state[0]["residuals"] += 1
    return int(call_c(address[RESTORE], (out, address[PLACE])))


@kernel
def eval_tangent(_snes: int, x: int, _matrix: int, _preconditioner: int, context: Any) -> int:
    """Evaluate the tangent if it must be updated. PETSc calls this function as its SNESJacobianFunction."""
    c = load(context)
    # If the policy for reused tangents is active, PETSc calls this function only if the convergence test has decided to
    # evaluate the tangent. If the tangent is not evaluated, PETSc reuses its factorisation.
    if (c.handles[DECIDES] == 0 or c.lag[0]["active"] == 0) and not needs_tangent(c.lag):
        return 0
    address, b, matrix = c.addresses, c.buffers, c.handles[MATRIX]
    status = expand_vector(x, address, c.place, c.programs, b.local, b.state)
    if status == 0:
        status = run_program(c.programs, TANGENT, b.state)
    if status == 0:
        status = call_c(address[GET_STATE], (matrix, address[PLACE]))
    if status == 0:
        status = call_c(address[SET_STATE], (matrix, c.place[0] + 1))
    if c.handles[BLOCKS] > 1:
        # the last value is the diagonal entry of a padding row, which must be 1
        c.values[len(c.values) - 1] = 1.0
    elif status == 0:
        status = call_c(address[BEGIN], (matrix, FINAL_ASSEMBLY))
        if status == 0:
            status = call_c(address[END], (matrix, FINAL_ASSEMBLY))
    b.state[0]["tangents"] += 1
    return int(status)


@kernel(fast=False)
def has_accurate_step(c: Any) -> bool:
    """Return whether the last linear solution is clearly accurate, see `is_clearly_accurate`."""
    address, n = c.addresses, len(c.before)
    if call_c(address[GET_UPDATE], (c.handles[SOLVER], address[PLACE])) != 0:
        return False
    step = c.place[0]
    if call_c(address[GET_READ], (step, address[PLACE])) != 0:
        return False
    found = is_clearly_accurate(c.indptr, c.indices, c.handles[BLOCKS], c.values, floats_at(c.place[0], n), c.before)
    return bool(call_c(address[RESTORE_READ], (step, address[PLACE])) == 0 and found)


@kernel
def test_convergence(
    _snes: int, it: int, _x_norm: float, _step_norm: float, norm: float, out: int, context: Any
) -> int:
    """Test convergence. PETSc calls this function as its SNESConvergenceTestFunction."""
    c = load(context)
    address, state = c.addresses, c.buffers.state
    reason = judge(c.measures, c.history, c.lag, it, norm)
    if reason == SLOW:
        reason = continue_below(c.measures, c.history, it) if has_accurate_step(c) else ASK
    if reason == ASK:
        if call_c(address[ASK_PYTHON], (np.int64(it), norm)) != 0:
            state[0]["failed"] = QUESTION
            return USER_ERROR
        reason = state[0]["answer"]
    if reason == ITERATING and c.mapped[0] == ALTERNATES:
        reason = CYCLED
    status = call_c(address[GET_READ], (c.handles[RESIDUAL_VECTOR], address[PLACE]))
    if status != 0:
        return int(status)
    conclude(c.measures, c.lag, norm, reason, floats_at(c.place[0], len(c.before)), c.before)
    set_int(out, reason)
    status = call_c(address[RESTORE_READ], (c.handles[RESIDUAL_VECTOR], address[PLACE]))
    if status == 0 and reason == ITERATING and c.handles[DECIDES] != 0 and c.lag[0]["active"] != 0:
        status = call_c(address[SET_LAG], (c.handles[SOLVER], np.int64(EACH if needs_tangent(c.lag) else NEVER)))
    return int(status)


@kernel
def solve(start: int, context: Any) -> int:
    """Execute a Newton run: set loads and initial unknowns, call SNESSolve, read its outcome, and copy the solution to
    the fields. Return 0 on success, otherwise an error code.
    """
    c = load(context)
    address, handles, b = c.addresses, c.handles, c.buffers
    status = 0
    if c.programs[LOADS, 1] > 0:
        for i in range(len(c.loads)):
            c.loads[i] = c.weights[i]
        status = run_program(c.programs, LOADS, b.state)
    if start in (CARRIED, AGAIN):
        carry(c.motion.a, c.motion.lam, c.factors, b.places, c.before)
    if status == 0 and start in (ZERO, CARRIED):
        status = call_c(address[SET], (handles[UNKNOWNS], 0.0))
    if status == 0 and start == CARRIED:
        # evaluate the residual of the predictor with constant contact states; tolerances refer to this residual
        c.mapped[0], left = 0.0, c.mapped[0]
        status = call_c(address[COMPUTE], (handles[SOLVER], handles[UNKNOWNS], handles[RESIDUAL_VECTOR]))
        if status == 0:
            status = call_c(address[NORM], (handles[RESIDUAL_VECTOR], np.int32(NORM_2), address[PLACE]))
            c.measures[0]["guessed"], c.measures[0]["predictor"] = 1, floats_at(address[PLACE], 1)[0]
        c.mapped[0] = left
    if status == 0 and start in (CARRIED, AGAIN):
        status = call_c(address[GET], (handles[UNKNOWNS], address[PLACE]))
        if status == 0:
            copy_values(c.before, floats_at(c.place[0], len(c.before)))
            status = call_c(address[RESTORE], (handles[UNKNOWNS], address[PLACE]))
    # during the run, the convergence test decides in which iterations PETSc calls the tangent callback
    if status == 0:
        handles[DECIDES] = 1
        status = call_c(address[SOLVE], (handles[SOLVER], np.int64(0), handles[UNKNOWNS]))
        handles[DECIDES] = 0
        if c.lag[0]["active"] != 0:
            call_c(address[SET_LAG], (handles[SOLVER], np.int64(EACH)))
    # outcome and solution
    if status == 0:
        status = call_c(address[GET_REASON], (handles[SOLVER], address[PLACE]))
        b.state[0]["reason"] = int_at(address[PLACE])
    if status == 0:
        c.place[0] = 0
        status = call_c(address[GET_ITERATIONS], (handles[SOLVER], address[PLACE]))
        b.state[0]["iterations"] = c.place[0]
    if status == 0 and b.state[0]["reason"] > 0:
        status = expand_vector(handles[UNKNOWNS], address, c.place, c.programs, b.local, b.state)
    return int(status)


CALLBACKS: dict[str, tuple[Callable[..., int], tuple[str, ...]]] = {
    "function": (eval_residual, ("int64",) * 3),
    "jacobian": (eval_tangent, ("int64",) * 4),
    "convergence_test": (
        test_convergence,
        ("int64", PETSc.IntType().dtype.name, "float64", "float64", "float64", "int64"),
    ),
    "solve": (solve, ("int64",)),
}
"""Compiled callbacks for PETSc, and the kernel `solve` for Python. For each of them, the table also contains the types
of the arguments that precede the context.
"""
_LOADED: dict[tuple[Any, ...], dict[str, int]] = {}
"""Addresses of callbacks whose machine code has been loaded, by types of the context and name."""
CompiledSolve = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int64, ctypes.c_void_p)
"""C type of the kernel `solve`. Errors of Python functions that PETSc calls, such as monitors, are raised unchanged."""


class Around(Protocol):
    """Compiled code that executes successive Newton runs and the computations between these runs.

    Attributes:
        programs: the compiled programs between runs. The failure of a program is reported as `BEYOND` plus the index of
            this program.
    """

    programs: tuple[Program, ...]

    def run(self, solve: int, place: int, start: int) -> int:
        """Execute Newton runs. Return 0 on success. ``solve`` and ``place`` are the addresses of the kernel `solve` and
        of its context. ``start`` is the kind of the initial unknowns of each run, for example `ZERO`.
        """


class Callbacks:
    """The callbacks of one SNES, which are compiled unless the model requires Python.

    Args:
        problem: the equations.
        test: the convergence test in Python.
        ask: function ``(it, norm) -> reason`` for the decisions that require more data than residual norms.
        before: residual of the previous iteration, shape (u,).

    Attributes:
        suits_steps: whether successive runs that differ only in time and initial unknowns require no Python code
            between runs.
    """

    def __init__(
        self, problem: NonlinearProblem, test: Callable[..., Any], ask: Callable[[int, float], int], before: FloatArray
    ) -> None:
        self._problem, self._test, self._ask, self._before = problem, test, ask, before
        self._question = Question(self._answer)
        self._error: BaseException | None = None
        self._context: Context | None = None
        self._block, self._functions = lay_down(()), dict[str, int]()
        self._programs: Programs = (None, None, None)
        self._given: dict[str, bool] = {}
        self._run: tuple[Any, ...] = ()
        self._solve: Callable[[int, int], int] | None = None
        self._around: Around | None = None
        self._place, self._has_loads, self.suits_steps = 0, False, False

    def choose(self, measures: Any, history: FloatArray) -> None:
        """Set the callbacks of PETSc for the next run: compiled callbacks, or callbacks in Python."""
        problem = self._problem
        if not problem.may_compile or not is_compiled(eval_residual):
            return
        c, loads = self._context, problem.assembly.loads
        if problem.run == self._run and c is not None and history is c.history:
            if self.suits_steps and not self._has_loads:
                loads.update()
            else:
                problem.prepare(self._programs, self._has_loads)
            return
        programs = problem.find_programs()
        if c is None and not (programs[0] and (programs[1] or programs[2])):
            # a compiled convergence test saves no time if the other callbacks require Python
            return
        problem.prepare(programs)
        self._solve, self.suits_steps = None, False
        if c is None or (
            loads.sum is not c.loads
            or problem.matrix.values is not c.values
            or problem.pattern.indices is not c.indices
            or problem.lag.memory is not c.lag
            or history is not c.history
        ):
            c = self._create_context(measures, history, loads)
        state = c.buffers.state
        state["failed"] = -1
        for i, program in enumerate(programs):
            if program is not None and program is not self._programs[i]:
                assert program.table is not None
                c.programs[i] = program.table.ctypes.data, len(program.table)
        self._programs = programs
        expansion, residual, tangent = (program is not None for program in programs)
        wanted = {"function": expansion and residual, "jacobian": expansion and tangent, "convergence_test": True}
        if wanted != self._given:
            self._give(wanted)
        # if all three callbacks are compiled, the whole Newton run is compiled
        self._run = problem.run if all(wanted.values()) else ()
        self._has_loads = False
        if self._run:
            table = loads.table
            self._has_loads = table is not None and problem.scheme.load_factor != 0.0
            c.programs[LOADS] = 0
            if table is not None and self._has_loads:
                c.programs[LOADS] = table.ctypes.data, len(table)
            self._solve = CompiledSolve(self._find_address("solve"))
            self.suits_steps = self._has_loads or not loads.are_timed

    @property
    def is_compiled(self) -> bool:
        """Whether the next run is completely compiled."""
        return self._solve is not None

    def solve(self, start: int, around: Around | None = None) -> tuple[int, int]:
        """Execute a whole run. Return PETSc's reason, and the number of iterations.

        Args:
            start: initial unknowns: `KEPT` for the present unknowns, `ZERO` for 0, or `CARRIED` for the motion in the
                fields.
            around: compiled code that executes this run and later runs. With this code, the method returns the results
                of the last run.

        Raises:
            PETSc.Error: SNESSolve has failed. See `explain`.
        """
        assert self._solve is not None
        self._around = around
        if around is None:
            code = self._solve(start, self._place)
        else:
            code = around.run(self._find_address("solve"), self._place, start)
        if code:
            raise PETSc.Error(code)
        self._problem.note_expansion()
        return int(self._reason[0]), int(self._iterations[0])

    def explain(self) -> None:
        """If an error within compiled callbacks has ended the run, raise this error."""
        c = self._context
        failed = -1 if c is None else int(c.buffers.state["failed"][0])
        if failed < 0:
            return
        error, self._error, self._run = self._error, None, ()
        if error is not None:
            raise error
        around = () if self._around is None else self._around.programs
        program = (*self._programs, self._problem.assembly.loads, None, *around)[failed]
        assert program is not None
        program.explain()
        raise RuntimeError("a kernel failed, but a repeated call with the same arguments did not fail")

    def _create_context(self, measures: Any, history: FloatArray, loads: Loads) -> Context:
        problem, snes = self._problem, self._problem.snes
        place = np.zeros(1, np.int64)
        ask = ctypes.cast(self._question, ctypes.c_void_p).value or 0
        addresses = np.array([*find_addresses(PETSC), place.ctypes.data, ask], np.int64)
        vectors = problem.residual_vector.handle, problem.unknowns.handle
        handles = [problem.matrix.mat.handle, vectors[0], problem.pattern.block, vectors[1], snes.handle, 0]
        c = self._context = Context(
            addresses,
            place,
            np.zeros((4, 2), np.int64),
            np.array(handles, np.int64),
            problem.matrix.values,
            problem.pattern.indptr,
            problem.pattern.indices,
            loads.sum,
            loads.weights,
            problem.buffers,
            problem.lag.memory,
            measures,
            history,
            self._before,
            problem.motion,
            problem.factors,
            problem.assembly.fields.mapped,
        )
        self._block, self._functions = lay_down(c), _LOADED.setdefault(find_kinds(c), {})
        self._place = self._block.ctypes.data
        self._reason, self._iterations = c.buffers.state["reason"], c.buffers.state["iterations"]
        self._programs, self._given = (None, None, None), {}
        # PETSc stores only the address, so this attribute keeps the objects alive
        snes.setAttr("compiled callbacks", (self._block, c, self._question))
        return c

    def _give(self, wanted: dict[str, bool]) -> None:
        problem, snes = self._problem, self._problem.snes
        if not wanted["function"]:
            snes.setFunction(problem.eval_residual, problem.residual_vector)
        if not wanted["jacobian"]:
            snes.setJacobian(problem.eval_tangent, problem.matrix.mat)
        if not wanted["convergence_test"]:
            snes.setConvergenceTest(self._test)
        functions = {name: self._find_address(name) for name, compiled in wanted.items() if compiled}
        set_callbacks(snes, problem.matrix.mat, self._place, **functions)
        self._given = wanted

    def _find_address(self, name: str) -> int:
        """Return the address of the machine code of a compiled callback. The first call of this method for a callback
        loads the machine code."""
        if name not in self._functions:
            assert self._context is not None
            function, kinds = CALLBACKS[name]
            self._functions[name] = find_c_address(function, kinds, self._context)
        return self._functions[name]

    def _answer(self, it: int, norm: float) -> int:
        """Make a decision of the convergence test that the compiled test leaves to Python. An error is stored and
        raised after PETSc has returned.
        """
        assert self._context is not None
        try:
            self._context.buffers.state["answer"] = self._ask(it, norm)
        except BaseException as error:
            self._error = error
            return 1
        return 0
