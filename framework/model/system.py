"""Functions of a law for the rows of one table (`System`), and the arrays that these functions read (`Fields`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from struct import pack
from typing import Any, NamedTuple, Protocol

import numpy as np

from windlass.framework.accounts import Account, Reading
from windlass.framework.arrays import BoolArray, FloatArray, IntArray
from windlass.framework.errors import ModelError
from windlass.framework.model.gaps import Gaps
from windlass.framework.model.pulls import Pulls

CONSTANT = -2.0
"""Value of `Fields.mapped` for constant history values."""


@dataclass
class Fields:
    """Arrays of this process that kernels read in one evaluation. Arrays over coordinates contain owned entries, ghosts
    (entries that other processes own), and one spare entry, which is 0. The array of multipliers contains owned entries
    and one spare entry.

    Missing coordinates, for example coordinates of the ground, refer to the spare entry. Therefore kernels need no
    special case. The letters n, m and d denote the numbers of coordinates, multipliers and history values on this
    process.

    Attributes:
        x: total coordinates [m, 1, rad], each the sum of reference value and displacement, shape (n + 1,).
        v, a: velocities and accelerations, shape (n + 1,).
        lam: Lagrange multipliers [N, N m] of the constraint equations, shape (m + 1,).
        data, start_data: present history values, and history values at the start of the step, each of shape (d,).
        time: time [s], shape (1,). The property ``t`` is the time as a float.
        step_size, start_time: size and start time [s] of the present step, each of shape (1,). Post-Newton updates use
            the values at the end of this step. The size is 0 in statics and at the start of a solve.
        start_x, start_v: total coordinates and velocities at the start of the step, each of shape (n + 1,).
        mapped: number of further residual evaluations in the present Newton run in which return maps (see `ReturnMap`)
            decide on contact states, shape (1,). With 0, the states are constant. Outside of Newton's method the value
            is `CONSTANT`, and return maps change no history values. After a cycle of contact states was found, the
            value is `state_cycles.ALTERNATES`.
        recoupled: 1 if, since the start of the last Newton run, a system has changed the coordinates that it couples,
            otherwise 0, shape (1,). If the value is 1, the next run needs another sparsity.
        at_end: 1 if coordinates, velocities, history values, and all marker columns that depend only on coordinates and
            velocities are values at the end of an accepted step, otherwise 0, shape (1,). The value is 1 only while
            compiled code executes the programs of hooks. Programs that change these values set it to 0.
        markers: columns of each marker family.
        rate_level: True if the time derivatives of position constraints are imposed instead of the position constraints
            (differential-algebraic equations of index 2).
        unit_rates: True if the time derivative of the constraint on the norm of Euler parameters is imposed instead of
            the constraint. The value does not depend on ``rate_level``.
    """

    x: FloatArray
    v: FloatArray
    a: FloatArray
    lam: FloatArray
    data: FloatArray
    start_data: FloatArray
    time: FloatArray = field(default_factory=lambda: np.zeros(1))
    markers: dict[str, Any] = field(default_factory=dict)
    rate_level: bool = False
    unit_rates: bool = False
    step_size: FloatArray = field(default_factory=lambda: np.zeros(1))
    start_time: FloatArray = field(default_factory=lambda: np.zeros(1))
    mapped: FloatArray = field(default_factory=lambda: np.full(1, CONSTANT))
    recoupled: FloatArray = field(default_factory=lambda: np.zeros(1))
    at_end: IntArray = field(default_factory=lambda: np.zeros(1, np.int64))
    start_x: FloatArray = field(init=False)
    start_v: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        self.start_x, self.start_v = self.x.copy(), self.v.copy()

    @property
    def t(self) -> float:
        """Time [s] as a float. Calls of kernels with fixed arrays use ``time``."""
        return self.time.item(0)

    @t.setter
    def t(self, value: float) -> None:
        self.time[0] = value


class Coupling(NamedTuple):
    """Slots (positions in the array of matrix values) to which the rows of one constraint table add their matrix
    entries. Each row has m constraint equations C, which depend on n coordinates q. The derivatives of C with respect
    to q are C_q.

    Attributes:
        rows: slots of the entries (multiplier, coordinate), shape (rows, m, n).
        columns: slots of the entries (coordinate, multiplier), shape (rows, n, m).
        diagonal: slots of the entries (multiplier, multiplier), shape (rows, m).
        block: slots of the entries (coordinate, coordinate), shape (rows, n, n), for the derivatives of C_q^T lam with
            respect to q.
        scale: factor on the entries C_q^T in ``columns``, which is the derivative of the multipliers with respect to
            the unknowns of the solver.
    """

    rows: IntArray
    columns: IntArray
    diagonal: IntArray
    block: IntArray
    scale: float


_NO_NUMBERS: FloatArray = np.zeros(0)
_NO_PLACES: Any = np.zeros(0, np.int64)
_NO_SLOTS: Any = np.zeros((0, 0, 0), np.int32)


class Slots(NamedTuple):
    """Positions, in the array of matrix values, of the n x n matrices of the rows of a table.

    The matrix of a row is divided into submatrices (pieces) of equal size. The values of each piece are consecutive in
    the array, and stored column by column.

    Attributes:
        places: position of the first value of each piece in the array of matrix values, shape (rows, n / height, n /
            width), int32.
        height, width: number of rows and columns of a piece. See `Fused.block_size`. A piece is a single entry (1 x 1),
            several consecutive columns of one matrix row (1 x width), or a dense block.
    """

    places: IntArray
    height: int = 1
    width: int = 1


class Evaluation(Fields):
    """Argument of the functions of a `System`: the `Fields`, the arrays to which the functions add their results, and
    factors. `evaluate` creates this object.

    Unused attributes are empty or 0. The functions add values to the arrays, and never overwrite the arrays.

    Attributes:
        f: forces [N, N m], shape (n + 1,).
        C: values [m, rad, m/s, rad/s] of the constraint equations, shape (m + 1,).
        dq, dv, da: factors on the derivatives of forces with respect to coordinates, velocities and accelerations.
        mass: factor on the constant mass matrix.
        slots: positions, in the array of matrix values, of the entries of the n x n matrix of each row, shape (rows, n,
            n), int32.
        pieces: positions of the submatrices (pieces) of the matrix of each row, for laws with `Fused.block_size`. See
            `Slots`.
        coupling: positions of the matrix entries of constraints, see `Coupling`.
        values: array of matrix values, shape (entries + 1,).
        g: gravitational acceleration [m/s^2], shape (3,).
        which: indices, among the rows of this process, of the rows on which ``g`` acts, shape (k,).
        outcome: result of a post-Newton update, if a kernel computes this update, shape (5,), in the order of
            `PostNewton`.
        slots_of: slots of other tables, by component.
        energies, powers, parts, parts_before, jumps, size, half: arrays and factors for the energies and powers of a
            law, see `Account`.
    """

    f = _NO_NUMBERS
    C = _NO_NUMBERS
    dq = 0.0
    dv = 0.0
    da = 0.0
    mass = 0.0
    slots: IntArray = _NO_SLOTS
    pieces = Slots(_NO_SLOTS)
    coupling = Coupling(_NO_SLOTS, _NO_SLOTS, _NO_SLOTS, _NO_SLOTS, 1.0)
    values = _NO_NUMBERS
    g = _NO_NUMBERS
    which: IntArray = _NO_PLACES
    outcome = _NO_NUMBERS
    slots_of: Mapping[type, Slots] = {}
    energies: FloatArray = np.zeros((0, 0))
    powers: FloatArray = np.zeros((0, 0))
    parts = _NO_NUMBERS
    parts_before = _NO_NUMBERS
    jumps: FloatArray = np.zeros((0, 0))
    size = _NO_NUMBERS
    half = _NO_NUMBERS

    def probes(self) -> tuple[Evaluation, ...]:
        """Return two copies of the evaluation. The values of all float arrays differ between the copies. With both
        copies, a test finds out whether the arguments of kernel calls depend on time or motion.
        """
        return tuple(_Probe(self, value) for value in (1e18, -1e18))


def evaluate(fields: Fields, **given: Any) -> Evaluation:
    """Create an evaluation with the arrays of the fields. The keyword arguments ``given`` set or override attributes of
    the `Evaluation`.
    """
    s = object.__new__(Evaluation)
    s.__dict__.update(fields.__dict__)
    s.__dict__.update(given)
    return s


class _Probe(Evaluation):
    """A copy of an evaluation in which all entries of all float arrays have one common, given value. By means of these
    copies, `Call.check` finds arguments of kernel calls that depend on time or motion. An access to the time as a
    number raises an error. The arrays are created on first use.

    Args:
        real: the evaluation that is copied.
        value: value of all entries of the arrays.
    """

    def __init__(self, real: Evaluation, value: float) -> None:
        object.__setattr__(self, "_real", real.__dict__)
        object.__setattr__(self, "_value", value)
        self.markers = _ProbeMarkers(real.markers, value)

    def __getattribute__(self, name: str) -> Any:
        mine = object.__getattribute__(self, "__dict__")
        real = mine["_real"]
        if name == "__dict__":
            return {key: getattr(self, key) for key in real if key != "t"}
        if name not in mine and name in real and name != "t":
            mine[name] = _replace(real[name], mine["_value"])
        return object.__getattribute__(self, name)

    @property  # type: ignore[misc]
    def t(self) -> float:
        raise ModelError("s.t would be stored as a constant number: must be s.time, an array of shape (1,)")


class _ProbeMarkers(dict[str, Any]):
    """Marker columns of a `_Probe`, which are created on first use."""

    def __init__(self, columns: Mapping[str, Any], value: float) -> None:
        super().__init__()
        self._real, self._value = columns, value

    def __missing__(self, family: str) -> Any:
        real = self._real[family]
        found = self[family] = type(real)(*(_replace(array, self._value) for array in real))
        return found


def _replace(array: Any, value: float) -> Any:
    """If ``array`` is an array of floats, return an array of the same shape, in which each entry is ``value``.
    Otherwise return the object unchanged.
    """
    if isinstance(array, np.ndarray) and array.dtype == np.float64:
        # `np.broadcast_to` would take three times as long
        return np.ndarray(array.shape, np.float64, pack("d", value), strides=(0,) * array.ndim)
    return array


class PostNewton(NamedTuple):
    """Result of a post-Newton update.

    Attributes:
        error: largest force error [N] of a connector. The force error of a connector is the sum of the errors of its
            contacts.
        recommended_step: step size [s] with which the step would end at the first change of a contact state; inf if no
            contact state has changed.
        changed: whether any contact has changed its state (open or closed, stick or slip).
        force: largest contact force [N] of a connector, which is the scale of ``error``.
        row: index of the connector with the largest error, among the rows of its table on this process; -1 if the table
            has no rows on this process.
    """

    error: float = 0.0
    recommended_step: float = np.inf
    changed: bool = False
    force: float = 0.0
    row: int = -1


class Fault(NamedTuple):
    """Reason why a static equilibrium is wrong or inaccurate, such as a very large motion, or a mesh that is too
    coarse.

    Attributes:
        words: description of the row, its motion and the limit, with units.
        certain: whether the equilibrium is known to be wrong. If ``certain`` is false, the user must check the model or
            use a finer mesh.
        coarse: whether the mesh is too coarse for the shape of the equilibrium, so that forces may have large errors.
    """

    words: str
    certain: bool = True
    coarse: bool = False


class AxialFlow(NamedTuple):
    """Element matrices P and Q of each row, for the modes of a closed belt with axially moving material. The matrices
    are integrals of products of the mass per length ρA, the shape functions S and their derivatives S' with respect to
    the axial coordinate x.

    A row describes one element. The first half of its coordinates are coordinates of the start of the element, and the
    second half are coordinates of the end of the element.

    Attributes:
        gyration: P = ∫ ρA Sᵀ S' dx [kg/m, kg, kg m], shape (rows, n, n).
        circulation: Q = ∫ ρA S'ᵀ S' dx [kg/m^2, kg/m, kg], shape (rows, n, n).
    """

    gyration: FloatArray
    circulation: FloatArray


Function = Callable[[Evaluation], None]
"""Type of the functions of a system. A function reads an evaluation, and adds to the arrays of the evaluation."""


@dataclass
class Term:
    """A force and, if the force depends on the motion, its derivatives.

    Attributes:
        force: function that adds the force to s.f, for an `Evaluation` s.
        tangent: function that adds s.dq, s.dv and s.da times the derivatives of the force with respect to coordinates,
            velocities and accelerations to s.values at s.slots.
    """

    force: Function
    tangent: Function | None = None


@dataclass
class Fused:
    """Faster functions for laws whose rows couple many coordinates. These functions are optional additions to the
    functions of `System`.

    Attributes:
        mass_product: function that adds the product of the constant mass matrix and s.a to s.f, for an `Evaluation` s.
        block_size: number of consecutive coordinates in each group. The coordinates of a row are divided into groups of
            this size. If the unknowns of each group are consecutive, the matrix values of one matrix row in the columns
            of a group are also consecutive. If the matrix consists of dense blocks of this size, the values of each
            block are consecutive. The functions of this class, and `System.mass`, then use the positions in s.pieces.
        residual: function that adds the forces of `System.residual` and the forces of ``mass_product`` to s.f, in one
            loop over the rows.
        tangent: function that adds the matrices of `System.tangent` and of `System.mass` to s.values, in one loop over
            the rows.
    """

    mass_product: Function
    block_size: int = 1
    residual: Function | None = None
    tangent: Function | None = None


@dataclass
class NeighbourPattern:
    """Sparsity of a system whose rows change, for example of a contact set, whose rows are candidate pairs.

    The function `System.update`, or the function ``refresh``, writes new coordinate numbers to `System.dofs`, and
    increments the version.

    Attributes:
        version: number of changes of the rows. After a change the assembly sets up sparsity and slots again. All
            processes increment the version together, including processes without changes of their rows.
        off_process: world numbers of coordinates of other processes that the rows couple, in addition to process-local
            coordinates, shape (k,). In ``dofs``, these coordinates have the numbers after the last process-local
            number, followed by the spare number.
        reset_caches: function that discards the list of neighbours at a checkpoint, because the list depends on earlier
            steps and affects rounding errors. Without the list, an uninterrupted run and a restarted run give equal
            results.
        lasts: whether the list of neighbours from one update of history values can be used again in later updates. If
            ``lasts`` is false, each update searches for neighbours. The result of the update then depends only on the
            motion and the history values.
        refresh: function ``(fields)`` for runs on one process. If the history values in the fields require rows that
            ``dofs`` does not contain, the function increments the version and sets ``fields.recoupled``. If ``refresh``
            is given, `System.update` is a `Call` that does not change `System.dofs`.
    """

    version: int = 0
    off_process: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))
    reset_caches: Callable[[], None] | None = None
    lasts: bool = True
    refresh: Callable[[Fields], None] | None = None


class SumKey(Protocol):
    """Key of an array of shape (n,) that is summed over all rows and processes, see `Checks.sums`. The key must be
    hashable, and equal on all processes.
    """

    def judge(self, total: FloatArray) -> str | None:
        """Return the reason why the results are doubtful according to the sum, and a remedy. If the results are not
        doubtful, return None.
        """


@dataclass
class Checks:
    """Functions of a law that check its rows before, during and after solves, and return messages.

    Attributes:
        doubts: function ``(fields, step)`` that is called before a solve, and returns a list of reasons why the results
            will be doubtful, with remedies. ``step`` is the nominal step [s] of dynamics, or 0 in statics.
        refusals: function ``(fields)`` that returns a list of reasons why no motion can start from the state in the
            fields, such as overlaps that exceed the range of validity of the law.
        reasons: function ``(fields, step)`` that is called at the end of a solve, and returns a list of reasons why the
            results are doubtful, with remedies. ``step`` is the nominal step [s] of dynamics, or 0 in statics.
        sums: function ``(fields)`` that is called at the end of a solve, and returns pairs of a key and an array.
            Arrays with equal keys are summed over all rows and processes. The method `SumKey.judge` of the key then
            assesses the sum.
        invariants: function ``(fields)`` that returns a dictionary of integers that must not change during a solve, for
            example the number of turns of a closed belt around its pulleys. Values with equal names are summed over all
            laws and processes.
        diagnose: function ``(fields)`` that returns a list of reasons why the forces of rows are NaN, for
            messages of failed solves.
        find_faults: function ``(fields)`` that returns a list of faults in a static equilibrium, such as a cable with a
            slope that points against its chord. Solvers call the function once, at the end of a solve.
        rounding: function ``(fields)`` that returns the 2-norm [N] of certain rounding errors of forces, which solvers
            cannot estimate from the unknowns. Examples are the rounding errors of contact forces on a circle, which
            also depend on the radius and on the position of a fixed centre. Neither the radius nor the position is an
            unknown.
    """

    doubts: Callable[[Fields, float], list[str]] | None = None
    refusals: Callable[[Fields], list[str]] | None = None
    reasons: Callable[[Fields, float], list[str]] | None = None
    sums: Callable[[Fields], Iterable[tuple[SumKey, FloatArray]]] | None = None
    invariants: Callable[[Fields], dict[str, float]] | None = None
    diagnose: Callable[[Fields], list[str]] | None = None
    find_faults: Callable[[Fields], list[Fault]] | None = None
    rounding: Callable[[Fields], float] | None = None


class Strands(Protocol):
    """Interface to rows with an axial force N = stiffness * (stretch - 1 - free). The force N is evaluated at k points
    in total on all rows.

    Solvers that search for the shape of slack lines temporarily change the parameters of this law.

    Attributes:
        row: row number of each point, shape (k,).
        weight: length [m] of the part of the axis that each point represents, shape (k,).
        stiffness, free: stiffness [N] and stress-free strain [1] of the unchanged law at the points, each of shape
            (k,).
        bearable: compressive force [N] at which each row would buckle with both ends clamped, shape (rows,).
    """

    row: IntArray
    weight: FloatArray
    stiffness: FloatArray
    free: FloatArray
    bearable: FloatArray

    def eval_stretch(self, s: Fields) -> FloatArray:
        """Return the stretch [1] (present length divided by unstrained length) at the points, shape (k,)."""

    def find_folded(self, s: Fields) -> BoolArray:
        """Return whether each row is folded (a slope at one of its ends points against its chord), shape (rows,)."""

    def take(self, stiffness: FloatArray, free: FloatArray, bends: BoolArray) -> None:
        """Replace the parameters of the law.

        Args:
            stiffness: stiffness [N] at the points, shape (k,), equal at all points of a row.
            free: stress-free strain [1], shape (k,).
            bends: whether each row keeps its bending stiffness, shape (rows,). In the other rows, the bending stiffness
                is set to 0.
        """


@dataclass
class ReturnMap:
    """Decisions on contact states (open or closed, stick or slip) during Newton's method. While ``s.mapped`` is > 0,
    the decisions are made before each evaluation of forces. If ``s.mapped`` is 0, the function ``motion`` keeps the
    contact states, and computes the other history values that affect forces by the same rules.

    The functions set the contact states in ``s.data`` for the present motion, by the rules of `System.post_newton`.
    History values that change only after a solved step remain unchanged.

    Attributes:
        motion: return map for dynamics. In dynamics, all forces, including damper forces, must be continuous when
            contacts open and close.
        rest: return map for statics.
    """

    motion: Function | None = None
    rest: Function | None = None


@dataclass
class Axis:
    """Functions that solvers call for laws with an axial force (cables, ropes).

    Attributes:
        strands: parameters of the axial force, which the search for the shape of slack lines changes, see `Strands`.
        flow: for laws with nodes that move with the material, function that returns the matrices for axially moving
            material.
        pulls: tensions, from which solvers detect jumps of tension.
    """

    strands: Strands | None = None
    flow: Callable[[], AxialFlow] | None = None
    pulls: Pulls | None = None


@dataclass(slots=True)
class ColumnChanges:
    """Functions of a law for changes of columns by `World.set`.

    Attributes:
        renew: function ``(fields)`` that resets, between two steps, entries of ``fields.data`` that are invalid after a
            change.
        copy: function ``(names)`` that copies the changed columns with these names to the arrays that the kernels read.
            If the system must be built again, the function returns False. Without this function, the system is always
            built again.
        steady: names of columns on which the tangent does not depend.
    """

    renew: Callable[[Fields], None] | None = None
    copy: Callable[[Sequence[str]], bool] | None = None
    steady: frozenset[str] = frozenset()


@dataclass(slots=True)
class System:
    """The functions that evaluate one law for the rows of one table on this process.

    Each function receives an `Evaluation` s and adds its results to arrays of s.

    Attributes:
        name: name of the component.
        dofs: process-local indices of the coordinates of each row, shape (rows, n). The index of the spare entry, see
            `Fields`, stands for a missing coordinate.
        update: function that writes the positions, velocities and other columns of markers.
        residual: function that adds left-hand-side forces [N, N m] to s.f.
        tangent: function that adds s.dq df/dq + s.dv df/dv to s.values at s.slots, for the forces f of ``residual``.
        load: the applied loads. The function of this `Term` adds the loads to s.f (right-hand side, without the load
            factor).
        mass: function that adds s.mass times a constant mass matrix to s.values at s.slots.
        body_force: the weights of rows. The function of this `Term` adds the weights of the rows s.which of this
            process to s.f (applied load, right-hand side), for the gravitational acceleration s.g. If ``body_force``
            has a tangent, ``inertia`` must also have a tangent.
        inertia: the inertia forces of a law with a mass matrix M(q) that is not constant. The function of this `Term`
            adds M(q) times the accelerations s.a, and quadratic velocity terms, to s.f.
        constraint: functions of a law that constrains the motion, see `ConstraintSystem`.
        post_newton: function that updates the history values ``s.data`` and returns a `PostNewton`. The function reads
            the values at the start of the step: ``s.start_data``, ``s.start_x``, ``s.start_v`` and ``s.start_time``. It
            also reads ``s.step_size``. If ``post_newton`` is a `Call` of a kernel, the kernel writes the result to
            ``s.outcome`` by calling `note_outcome`. Contact states (open or closed, stick or slip) are stored as signs
            of history values. Solvers detect cycles of contact states from these signs.
        return_map: functions that decide on contact states during Newton's method. Without a return map, the history
            values of the law are constant during Newton's iterations.
        decide: function ``(fields)`` that sets the contact states in ``fields.data`` at the start of a solve, from the
            motion and the stored history values. If ``decide`` is missing, solvers call ``post_newton``, with the
            stored history values as values at the start of a step.
        changes: functions for changes of columns by `World.set`, see `ColumnChanges`.
        account: energies that the law stores, dissipates and transfers by the work of its forces.
        checks: messages of the law about its rows.
        fused: optional functions that compute residual and inertia forces, or their tangents, in one loop over the
            rows.
        neighbours: sparsity for laws with changing rows, such as contact sets.
        gaps: gaps of contacts, which solvers check in every step.
        axis: functions of laws with a force along an axis, see `Axis`.
        select: function ``(k)`` that returns a system of the single row k of this process, with the functions
            ``update``, ``residual`` and ``constraint``. The function is needed if the kernels of the law read the
            records of all rows. For other laws, the function ``build`` of the law creates such a system.
    """

    name: str
    dofs: IntArray
    update: Function | None = None
    residual: Function | None = None
    tangent: Function | None = None
    load: Term | None = None
    mass: Function | None = None
    body_force: Term | None = None
    inertia: Term | None = None
    constraint: ConstraintSystem | None = None
    post_newton: Callable[[Evaluation], PostNewton | None] | None = None
    return_map: ReturnMap = field(default_factory=ReturnMap)
    decide: Callable[[Fields], None] | None = None
    changes: ColumnChanges = field(default_factory=ColumnChanges)
    account: Account | None = None
    checks: Checks = field(default_factory=Checks)
    fused: Fused | None = None
    neighbours: NeighbourPattern | None = None
    gaps: Gaps | None = None
    axis: Axis = field(default_factory=Axis)
    select: Callable[[int], System] | None = None

    def energy(self, fields: Fields) -> float:
        """Return the stored energy [J] of the rows of this process. For a law without account, the energy is 0."""
        return 0.0 if self.account is None else float(self.read_account(fields).energies.sum())

    def read_account(self, fields: Fields) -> Reading:
        """Return the energies and powers of the rows of this process, for a law with an account."""
        assert self.account is not None
        found = self.account.create_reading(len(self.dofs))
        self.account.read(evaluate(fields, **found._asdict()))
        return found


@dataclass
class ConstraintSystem:
    """Constraint equations C(q, v, t) = 0 of the rows of one table on this process, with a Lagrange multiplier for each
    equation.

    Attributes:
        multipliers: process-local indices of the multipliers of each row, shape (rows, m).
        residual: function that adds C to s.C and C_q^T lam to s.f, for an `Evaluation` s. C_q are the derivatives of C
            with respect to q, and lam the multipliers. If ``s.rate_level`` is true, the function adds the time
            derivative of C instead of C. For an inactive row, C is equal to lam.
        tangent: function that adds the derivatives of C and of C_q^T lam with respect to q, v and lam to s.values at
            s.coupling, multiplied by s.dq, s.dv and ``s.coupling.scale``. See `Coupling`.
        acceleration: function that adds the vector rhs to s.C. The equations C_q a = rhs determine the accelerations a
            at the start of a solve.
        driven: whether each row prescribes a motion as a function of time (motors), shape (rows,); None if no row
            prescribes a motion.
        rubs: whether the system has forces that are proportional to the absolute values of the multipliers, such as
            friction. If ``rubs`` is true, the tangent contains the derivatives of these forces in the columns of the
            multipliers.
        smooth: whether the equations are ignored when solvers search for abrupt changes of the motion. The attribute
            may be true only for equations that do not depend on time and are never switched, and whose multipliers are
            not reactions.
    """

    multipliers: IntArray
    residual: Function
    tangent: Function
    acceleration: Function
    driven: BoolArray | None = None
    rubs: bool = False
    smooth: bool = False
