"""User functions for forces of springs in three forms, with derivatives given by the user or computed by differences.

    plain Python: the function is called for each row
    vectorised: the function is called once for all rows that share it, with arrays over these rows
    compiled: the function is a kernel, which a compiled loop calls for each row

The results of user functions are stored in arrays, which the compiled loop of the springs reads afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite, nan
from types import FunctionType
from typing import Any
from warnings import warn

import numpy as np

from windlass.connectors.user_functions.time_functions import parse_numbers
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.checks.checks import checked, inside
from windlass.framework.checks.state_functions import are_finite
from windlass.framework.checks.user_functions import FirstCalls, find_contradictions, first_calls
from windlass.framework.checks.values import read_numbers, show
from windlass.framework.errors import ModelError, ModelWarning
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows
from windlass.framework.model.schema import function
from windlass.framework.model.system import Fields

STEP = float(np.finfo(np.float64).eps ** (1 / 3))
"""Relative step of central differences [1]. This value is optimal for smooth functions."""

SMALLEST = 1e-2
"""Smallest reference value of the steps of differences, for displacements [m, rad] and velocities [m/s, rad/s]. The
step of a row is `STEP` times the larger of this value and the largest absolute displacement or velocity of the row.
"""

UserFunction = Callable[..., Any]


@dataclass(frozen=True)
class Vectorised:
    """A user function that evaluates many rows in one call, created by `vectorised`."""

    function: UserFunction

    def __call__(self, *args: Any) -> Any:
        return self.function(*args)


@dataclass(frozen=True)
class Compiled:
    """A user kernel for one row, created by `compiled`, and the loops that call this kernel as a force function or as a
    derivative function.
    """

    function: UserFunction
    force_loop: UserFunction = field(repr=False, compare=False)
    derivative_loop: UserFunction = field(repr=False, compare=False)

    def __call__(self, *args: Any) -> Any:
        return self.function(*args)


@checked(function=inside())
def vectorised(function: UserFunction) -> Vectorised:
    """Declare that a force function of springs accepts arrays. The function is called once for all rows that share it.

    Args:
        function: ``f(t, rows, u, u_t, stiffness, damping, offset) -> force`` with the time t [s], the row indices
            ``rows``, shape (n,), and arrays in the units of the spring. The arrays have the shape (n, 3) for
            `CartesianSpringDamper`, (n, 6) for `RigidBodySpringDamper` (stiffness and damping: (n, 6, 6)), and (n,) for
            other springs. `SpringDamper` passes the rest length instead of the offset. As ``force_derivative`` the
            function returns (df/du, df/du_t), each of shape (n, 3, 3), (n, 6, 6) or (n,). In a parallel run, each
            process calls the function with the rows of this process.

    Returns:
        The value for ``force_function`` or ``force_derivative``.

    Raises:
        ModelError: ``function`` cannot be called.
    """
    if not callable(function):
        raise ModelError(f"vectorised({show(function)}): must be a function")
    return Vectorised(function)


@checked(function=inside())
def compiled(function: UserFunction) -> Compiled:
    """Declare that a force function of springs is to be compiled. Compilation saves time for many rows or many
    evaluations.

    Args:
        function: a kernel or a plain function that can be compiled, ``f(t, row, u, u_t, stiffness, damping, offset,
            force) -> None``, with the time t [s], the row index, and arrays in the units of the spring. The arrays have
            the shape (3,) for `CartesianSpringDamper`, (6,) for `RigidBodySpringDamper` (stiffness and damping:
            (6, 6)), and (1,) for other springs. `SpringDamper` passes the rest length instead of the offset. The
            function writes ``force``, which contains zeros before the call. As ``force_derivative`` the function writes
            ``df_du, df_dut`` instead of ``force``, with the shape (3, 3), (6, 6) or (1, 1) and zeros before the call.

    Returns:
        The value for ``force_function`` or ``force_derivative``. Call this function only once per user function,
        because each result is compiled separately.

    Raises:
        ModelError: ``function`` is neither a kernel nor a plain function.
    """
    if isinstance(function, FunctionType):
        function = kernel(function)
    elif getattr(function, "overloads", None) is None:
        raise ModelError(f"compiled({show(function)}): must be a kernel or a plain Python function")

    @kernel
    def force_loop(
        t: float,
        rows: IntArray,
        u: FloatArray,
        ut: FloatArray,
        k: FloatArray,
        d: FloatArray,
        offset: FloatArray,
        f: FloatArray,
    ) -> None:
        for i in range(len(rows)):
            function(t, rows[i], u[i], ut[i], k[i], d[i], offset[i], f[i])

    @kernel
    def derivative_loop(
        t: float,
        rows: IntArray,
        u: FloatArray,
        ut: FloatArray,
        k: FloatArray,
        d: FloatArray,
        offset: FloatArray,
        P: FloatArray,
        V: FloatArray,
    ) -> None:
        for i in range(len(rows)):
            function(t, rows[i], u[i], ut[i], k[i], d[i], offset[i], P[i], V[i])

    return Compiled(function, force_loop, derivative_loop)


@dataclass(frozen=True)
class WithoutMotion:
    """A user function that does not depend on the displacements and velocities of its row. The result may depend on
    time and on other values.

    The derivatives of the function with respect to displacements and velocities are 0. If all functions of a table are
    of this type, no displacements are computed.
    """

    function: Callable[[float], Any]

    def __call__(self, t: float, *_: Any) -> Any:
        return self.function(t)


@dataclass(frozen=True)
class FunctionGroup:
    """A user function, and the indices of its rows in the list of rows with a user function. The array ``where`` of
    indices has the shape (n,).
    """

    function: UserFunction
    where: IntArray


@dataclass(frozen=True)
class UserForces:
    """The rows of a spring table that have a user function. Each row has n displacements (1, 3 or 6)."""

    index: IntArray  # index of each row among the rows with a user function, or -1, shape (rows,)
    where: IntArray  # process-local indices of the rows with a user function, shape (users,)
    names: list[str]  # descriptions of the rows with a user function, for messages
    forces: list[FunctionGroup]  # rows of each force function
    derivatives: list[FunctionGroup]  # rows of each derivative function
    differences: list[FunctionGroup]  # rows of each force function without derivatives
    rows: IntArray  # row indices in the table, shape (users,)
    parameters: list[FloatArray]
    """Stiffness, damping, and offset or rest length, of shape (users, n) each. For bushings, stiffness and damping have
    the shape (users, 6, 6).
    """
    unit: str  # unit of the force
    f: FloatArray  # forces [N or N m], shape (users, n)
    df_du: FloatArray  # derivatives with respect to displacements, shape (users, n, n)
    df_dut: FloatArray  # derivatives with respect to velocities, shape (users, n, n)
    calls: FirstCalls

    @cached_property
    def numbers(self) -> list[int]:
        """Row indices in the table as integers, for functions that are called for each row."""
        numbers: list[int] = self.rows.tolist()
        return numbers

    @cached_property
    def arguments(self) -> list[tuple[float, ...]]:
        """Parameters of each row as floats, for functions that are called for each row."""
        return list(zip(*(column[:, 0].tolist() for column in self.parameters), strict=True))


def force_columns(call: str, derivatives: str) -> tuple[Any, Any]:
    """Create the columns ``force_function`` and ``force_derivative`` of a law.

    call: signature of the force function, for example ``"f(t, row, x, x_t, ...) -> force [N]"``.
    derivatives: description of the results of the derivative function with their shapes, for the documentation.
    """
    return (
        function(f"{call}; or in `vectorised` or `compiled`", switchable=True),
        function(f"the same arguments -> {derivatives}; by central differences if left out", switchable=True),
    )


def bind_user_forces(
    rows: LocalRows, unit: str, parameters: Sequence[str] = ("stiffness", "damping", "offset")
) -> UserForces:
    """Collect the active rows that have a ``force_function``, and the ``force_derivative`` of these rows.

    Args:
        unit: unit of the force of the user functions.
        parameters: names of the three columns that are arguments of the function.
    """
    functions = rows.local("force_function")
    where = np.flatnonzero([f is not None and on for f, on in zip(functions, rows.local("active"), strict=True)])
    index = np.full(len(rows.rows), -1, np.int64)
    index[where] = np.arange(len(where))
    columns = [rows.local(name)[where] for name in parameters]
    n = columns[-1][0].size if len(where) else 1
    functions, derivatives = functions[where], rows.local("force_derivative")[where]
    given = np.array([derivative is not None for derivative in derivatives], dtype=bool)
    return UserForces(
        index=index,
        where=where,
        names=[f"{rows.table.describe(row)} ({rows.table.kind} row {row})" for row in rows.rows[where]],
        forces=_group(functions, np.arange(len(where))),
        derivatives=_group(derivatives, np.flatnonzero(given)),
        differences=_group(functions, np.flatnonzero(~given)),
        rows=np.array(rows.rows[where], dtype=np.int64),
        parameters=[
            np.ascontiguousarray(column, dtype=np.float64).reshape(len(where), *column.shape[1:] or (n,))
            for column in columns
        ],
        unit=unit,
        f=np.zeros((len(where), n)),
        df_du=np.zeros((len(where), n, n)),
        df_dut=np.zeros((len(where), n, n)),
        calls=first_calls(rows.world),
    )


def _group(functions: Any, where: IntArray) -> list[FunctionGroup]:
    """Group the rows ``where`` by their function, in the order of the first row of each function."""
    found: dict[tuple[type, int], list[int]] = {}
    for k in where:
        f = functions[k]
        marked = isinstance(f, (Vectorised, Compiled, WithoutMotion))  # several wrappers can contain the same function
        found.setdefault((type(f), id(f.function if marked else f)), []).append(int(k))
    return [FunctionGroup(functions[places[0]], np.array(places, dtype=np.int64)) for places in found.values()]


def update_forces(users: UserForces, t: float, u: FloatArray, ut: FloatArray) -> None:
    """Write the forces for displacements ``u`` and velocities ``ut``, shape (users, n) each, at the time t [s] into
    ``users.f``.
    """
    if len(users.numbers) == 1 and not isinstance(users.forces[0].function, (Vectorised, Compiled)):
        # faster code for a single row
        if are_finite(u) and are_finite(ut):
            given = _call_row(users, users.forces[0].function, 0, t, u[0], ut[0])
            numbers = parse_numbers(given, (u.shape[1],) if u.shape[1] > 1 else ())
            if numbers is None:
                raise _refusal(users, 0, t, show(given), 1)
            users.f[0] = numbers
        else:
            users.f[:] = np.nan
        return
    if len(users.forces) == 1:
        users.f[:] = _eval_forces(users, users.forces[0], t, u, ut)
        return
    for group in users.forces:
        users.f[group.where] = _eval_forces(users, group, t, u[group.where], ut[group.where])


def update_numbers(users: UserForces, t: float, u: FloatArray, ut: FloatArray) -> None:
    """Write the forces into ``users.f`` with fewer Python calls than `update_forces`, for rows with one displacement
    and functions that are called for each row.
    """
    f, us, uts = users.f, u.ravel().tolist(), ut.ravel().tolist()
    for group in users.forces:
        force = group.function
        for k in group.where.tolist():
            f[k, 0] = _eval_number(users, force, k, t, us[k], uts[k])


def _eval_number(users: UserForces, force: UserFunction, k: int, t: float, u: float, ut: float) -> float:
    """Return the force of row k, which has one displacement u and the velocity ut. The force is NaN if u or ut is not
    finite, see `_eval_forces`.
    """
    if not (isfinite(u) and isfinite(ut)):
        return nan
    given = force(t, users.numbers[k], u, ut, *users.arguments[k])
    if type(given) is float and isfinite(given):
        return given
    number = parse_numbers(given, ())
    if number is None:
        raise _refusal(users, k, t, show(given), 1)
    return float(number)


def update_derivatives(users: UserForces, t: float, u: FloatArray, ut: FloatArray) -> None:
    """Write the derivatives, from functions of the user or by differences, into ``users.df_du`` and ``users.df_dut``.
    `update_forces` describes the arguments.
    """
    n = users.f.shape[1]
    for group in users.derivatives:
        where = group.where
        P, V = np.zeros((len(where), n, n)), np.zeros((len(where), n, n))
        _eval_group(users, group, t, u[where], ut[where], (P, V))
        users.df_du[where], users.df_dut[where] = P, V
        if users.calls.count(getattr(group.function, "function", group.function)):
            _compare(users, group, t, u, ut)
    for group in users.differences:
        where = group.where
        if n == 1 and not isinstance(group.function, (Vectorised, Compiled, WithoutMotion)):
            for k in where.tolist():
                users.df_du[k], users.df_dut[k] = _difference_number(users, group.function, k, t, u.item(k), ut.item(k))
            continue
        for j in range(0 if isinstance(group.function, WithoutMotion) else n):
            users.df_du[where, :, j] = _difference(users, group, t, u[where], ut[where], j, 0)
            users.df_dut[where, :, j] = _difference(users, group, t, u[where], ut[where], j, 1)


def create_update_without_motion(users: UserForces) -> Callable[[Fields], None]:
    """Return a function of the fields that writes the forces into ``users.f``, for rows whose functions are all
    `WithoutMotion`.
    """
    f, shape = users.f, users.f.shape[1:]
    functions = [(group.function, group.where.tolist()) for group in users.forces]
    calls = [(k, each.function) for each, where in functions if isinstance(each, WithoutMotion) for k in where]

    def update(s: Fields) -> None:
        t = s.t
        for k, evaluate in calls:
            given = evaluate(t)
            numbers = parse_numbers(given, shape)
            if numbers is None:
                raise _refusal(users, k, t, show(given), 1)
            f[k] = numbers

    return update


def bind_user_updates(
    users: UserForces, find: Callable[[Fields], tuple[FloatArray, FloatArray]], with_forces: bool
) -> tuple[Callable[[Fields], None], Callable[[Fields], None]]:
    """Create the update of user forces, and the update of the derivatives of these forces. The argument ``find`` is a
    function (fields) -> u, ut that returns displacements and velocities of all rows with user functions, shape (users,
    n) each.

    The argument ``with_forces`` states whether the second update also evaluates the forces. The tangent contains the
    forces times the second derivatives of the markers.
    """
    if all(isinstance(group.function, WithoutMotion) for group in users.forces):
        update_alone = create_update_without_motion(users)
        return update_alone, update_alone if with_forces else lambda s: None

    plain = not any(isinstance(group.function, (Vectorised, Compiled)) for group in users.forces)
    update_all = update_numbers if plain and users.f.shape[1] == 1 else update_forces

    is_single, f, force = plain and users.f.shape == (1, 1), users.f, users.forces[0].function

    def update(s: Fields) -> None:
        u, ut = find(s)
        if is_single:
            # faster code for a single row
            f[0, 0] = _eval_number(users, force, 0, s.t, u.item(0), ut.item(0))
        else:
            update_all(users, s.t, u, ut)

    def update_tangent(s: Fields) -> None:
        u, ut = find(s)
        if with_forces:
            update_all(users, s.t, u, ut)
        update_derivatives(users, s.t, u, ut)

    return update, update_tangent


def _compare(users: UserForces, group: FunctionGroup, t: float, u: FloatArray, ut: FloatArray) -> None:
    """Warn if a derivative function differs from the difference quotient of the force function of the same row. A wrong
    derivative affects only the tangent.
    """
    where, n = group.where, users.f.shape[1]
    for which, (given, name) in enumerate(((users.df_du, "displacement"), (users.df_dut, "velocity"))):
        step = STEP * np.maximum(SMALLEST, np.abs((u, ut)[which][where]).max(axis=1))[:, None]
        for j in range(n):

            def evaluate(distance: FloatArray, j: int = j, which: int = which) -> FloatArray:
                moved, f = [u.copy(), ut.copy()], np.zeros(u.shape)
                moved[which][where, j] += distance[:, 0]
                for forces in users.forces:
                    f[forces.where] = _eval_forces(users, forces, t, *(m[forces.where] for m in moved))
                return f[where]

            wrong, differences = find_contradictions(given[where, :, j], step, evaluate)
            for i, k in np.argwhere(wrong)[:1]:
                component = f"[{k}][{j}]" if n > 1 else ""
                warn(
                    f"force_derivative of {users.names[where[i]]} gave {given[where[i], k, j]:.9g} for the derivative "
                    f"with respect to {name}{component} at t = {t:.9g} s, but force_function changes by "
                    f"{differences[i, k]:.9g}: "
                    "Newton's method needs the derivative",
                    ModelWarning,
                    stacklevel=2,
                )


def _eval_forces(users: UserForces, group: FunctionGroup, t: float, u: FloatArray, ut: FloatArray) -> FloatArray:
    """Return the forces of the rows of a group, shape (group, n). The forces are NaN for rows whose u or ut is not
    finite.
    """
    values = np.zeros(u.shape)
    if isfinite(u.sum() + ut.sum()):
        _eval_group(users, group, t, u, ut, (values,))
        return values
    good = np.isfinite(u).all(axis=1) & np.isfinite(ut).all(axis=1)
    # The values are infinite or NaN only if Newton's method diverges. The solver reports the divergence.
    values[~good] = np.nan
    if good.any():
        found = np.zeros((int(good.sum()), u.shape[1]))
        _eval_group(users, FunctionGroup(group.function, group.where[good]), t, u[good], ut[good], (found,))
        values[good] = found
    return values


def _difference_number(
    users: UserForces, force: UserFunction, k: int, t: float, u: float, ut: float
) -> tuple[float, float]:
    """Return the central differences of the force with respect to displacement and velocity, for row k with one
    displacement u and the velocity ut.
    """
    h, g = (STEP * max(SMALLEST, abs(x)) for x in (u, ut))
    moved = [_eval_number(users, force, k, t, x, ut) for x in (u + h, u - h)]
    faster = [_eval_number(users, force, k, t, u, x) for x in (ut + g, ut - g)]
    return (moved[0] - moved[1]) / (2 * h), (faster[0] - faster[1]) / (2 * g)


def _difference(
    users: UserForces, group: FunctionGroup, t: float, u: FloatArray, ut: FloatArray, j: int, which: int
) -> FloatArray:
    """Return the central differences, shape (group, n), of the forces with respect to component j of the displacements
    (which = 0) or of the velocities (which = 1)."""
    values = []
    h = STEP * np.maximum(SMALLEST, np.abs((u, ut)[which]).max(axis=1))
    for sign in (1.0, -1.0):
        moved = [u.copy(), ut.copy()]
        moved[which][:, j] += sign * h
        values.append(_eval_forces(users, group, t, moved[0], moved[1]))
    difference: FloatArray = (values[0] - values[1]) / (2 * h[:, None])
    return difference


def _eval_group(
    users: UserForces, group: FunctionGroup, t: float, u: FloatArray, ut: FloatArray, results: tuple[FloatArray, ...]
) -> None:
    """Call the function of a group and write the results of the function: forces, shape (group, n), or two derivatives,
    shape (group, n, n) each.
    """
    function, where, n = group.function, group.where, u.shape[1]
    if not isinstance(function, (Vectorised, Compiled)):
        for i, k in enumerate(where.tolist()):
            _eval_row(users, function, k, t, u[i], ut[i], [result[i] for result in results])
        return
    # each call receives new arrays, because the user function may change its arguments
    arguments = [users.rows[where], u.copy(), ut.copy(), *(column[where] for column in users.parameters)]
    if isinstance(function, Compiled):
        loop = function.force_loop if len(results) == 1 else function.derivative_loop
        loop(t, *arguments, *results)
    else:
        given = function(t, *(a[:, 0] if n == 1 and a.ndim == 2 else a for a in arguments))
        shape = (len(where),) if n == 1 else results[0].shape
        for result, part in zip(results, _split(given, len(results)), strict=True):
            array = read_numbers(part)
            if array is None or array.shape != shape:
                words = show(given) if array is None else f"numbers of shape {array.shape}"
                raise _refusal(users, int(where[0]), t, words, len(results), f" per row, shape {shape}")
            result[:] = array.reshape(result.shape)
    for result in results:
        bad = ~np.isfinite(result).reshape(len(where), -1).all(axis=1)
        for i in np.flatnonzero(bad)[:1]:
            words = repr(result[i].tolist() if n > 1 else result[i].item())
            raise _refusal(users, int(where[i]), t, words, len(results))


def _eval_row(
    users: UserForces,
    function: UserFunction,
    k: int,
    t: float,
    u: FloatArray,
    ut: FloatArray,
    results: list[FloatArray],
) -> None:
    """Call a plain function for row k of the rows with a user function by `_call_row`, and write the results."""
    given = _call_row(users, function, k, t, u, ut)
    for result, part in zip(results, _split(given, len(results)), strict=True):
        numbers = parse_numbers(part, () if len(u) == 1 else result.shape)
        if numbers is None:
            raise _refusal(users, k, t, show(given), len(results))
        result[:] = numbers


def _call_row(users: UserForces, function: UserFunction, k: int, t: float, u: FloatArray, ut: FloatArray) -> Any:
    """Call a plain function for row k of the rows with a user function. The arguments of the function are floats if
    there is one displacement, otherwise new arrays.
    """
    if len(u) == 1:
        return function(t, users.numbers[k], u.item(), ut.item(), *users.arguments[k])
    return function(t, users.numbers[k], u.copy(), ut.copy(), *[column[k].copy() for column in users.parameters])


def _split(given: Any, count: int) -> Sequence[Any]:
    """Split the result of a user function into ``count`` parts, one or two. Each part is None if the result cannot be
    split.
    """
    if count == 1:
        return (given,)
    return given if isinstance(given, (list, tuple)) and len(given) == count else (None,) * count


def _refusal(users: UserForces, k: int, t: float, given: str, count: int, extent: str = "") -> ModelError:
    """Create the error for a user function that has not returned ``count`` arrays of the right shape. The argument k is
    the index of the row among the rows with user functions.
    """
    n = users.f.shape[1]
    if count == 1:
        name, meaning = "force_function", f" [{users.unit}]"
        words = "one finite number" if n == 1 else f"{n} finite numbers"
    else:
        name = "force_derivative"
        meaning = f", the derivatives of the force [{users.unit}] by displacement and by velocity"
        words = "two finite numbers" if n == 1 else f"two arrays of finite numbers of shape {(n, n)}"
    return ModelError(f"{name} of {users.names[k]} gave {given} at t = {t:.9g} s: must give {words}{extent}{meaning}")
