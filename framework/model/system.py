"""Functions of a law for the rows of one table, a `System`, and the arrays that they read, `Fields`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from struct import pack
from typing import Any, NamedTuple, Protocol

import numpy as np

from windlass.framework.accounts import Account, Reading
from windlass.framework.arrays import BoolArray, FloatArray, IntArray
from windlass.framework.errors import ModelError
from windlass.framework.model.gaps import Gaps
from windlass.framework.model.pulls import Pulls


@dataclass
class Fields:
    """Input of kernels in one evaluation; local arrays (owned entries, ghosts, and one spare entry that is 0).

    Coordinates that do not exist (ground) refer to the spare entry, so that kernels need no branch.

    Attributes:
        x: total coordinates = reference + displacement [m, 1, rad], shape (n + 1,).
        v, a: velocities and accelerations, shape (n + 1,).
        lam: Lagrange multipliers [N, N m], shape (m + 1,).
        data, start_data: history values, current and at the start of the step, shape (d,).
        time: the time [s], shape (1,), and ``t``, the same value as a float.
        step_size, start_time: size [s] of the step that post-Newton updates belong to and the time at its start, shape
            (1,) each; the size is 0 in statics and at the start of a solve.
        start_x, start_v: total coordinates and velocities at the start of the step, shape (n + 1,).
        mapped: number of further residuals of the present Newton run in which `ReturnMap` is active, shape (1,).
        markers: columns of each marker family.
        rate_level: True if position constraints are imposed on their time derivative (index 2).
        unit_rates: True if the constraint on the length of Euler parameters is imposed on its time derivative,
            independent of other constraints.
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
    mapped: FloatArray = field(default_factory=lambda: np.zeros(1))
    start_x: FloatArray = field(init=False)
    start_v: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        self.start_x, self.start_v = self.x.copy(), self.v.copy()

    @property
    def t(self) -> float:
        """Time [s]; calls with constant arguments use ``time``."""
        return float(self.time[0])

    @t.setter
    def t(self, value: float) -> None:
        self.time[0] = value


class Coupling(NamedTuple):
    """Matrix slots of the rows of one constraint table.

    Attributes:
        rows: slots of (multiplier, coordinate), shape (rows, m, n).
        columns: slots of (coordinate, multiplier), shape (rows, n, m).
        diagonal: slots of (multiplier, multiplier), shape (rows, m).
        block: slots of (coordinate, coordinate), shape (rows, n, n), for the curvature of C.
        scale: factor on C_q^T blocks: derivative of the multipliers with respect to the unknowns.
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
    """Positions of the blocks of the rows of a table, each n x n, in the values of a matrix.

    A block consists of equal pieces, each stored column by column.

    Attributes:
        places: position of the first value of each piece, shape (rows, n / height, n / width), int32.
        height, width: rows and columns of a piece: 1 and 1 if every entry has a separate position, 1 and the length of
            a run of columns, or the size of a dense block; see `Fused.block_size`.
    """

    places: IntArray
    height: int = 1
    width: int = 1


class Evaluation(Fields):
    """The `Fields`, and outputs and factors for a function of a `System`; made by `evaluate`.

    Unused attributes are empty or 0.  Functions *add* to arrays.

    Attributes:
        f: forces [N, N m], shape (n + 1,).
        C: constraint equations [m, rad, m/s, rad/s], shape (m + 1,).
        dq, dv, da: factors on the derivatives with respect to coordinates, velocities and accelerations.
        mass: factor on the constant mass matrix.
        slots: positions of the entries of each row's block in the matrix values, shape (rows, n, n), int32.
        pieces: positions of the blocks for laws with `Fused.block_size`, whose blocks may consist of larger pieces.
        coupling: positions of the blocks of constraints, see `Coupling`.
        values: values of a matrix, shape (entries + 1,).
        g: acceleration field [m/s^2], shape (3,).
        which: local rows on which ``g`` acts, shape (k,).
        outcome: result of a post-Newton update that is a kernel, shape (5,), in the order of `PostNewton`.
        slots_of: slots of other tables, by component.
        energies, powers, parts, parts_before, jumps, size, half: see `Account`.
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
        """The same evaluation at other times and motions, to test whether arguments depend on them."""
        return tuple(_probe(self, value) for value in (1e18, -1e18))


def evaluate(fields: Fields, **given: Any) -> Evaluation:
    """An evaluation at the fields, with their arrays; ``given`` sets or overrides attributes of `Evaluation`."""
    s = object.__new__(Evaluation)
    s.__dict__.update(fields.__dict__)
    s.__dict__.update(given)
    return s


class _Probe(Evaluation):
    """An evaluation with numbers that differ from the fields, and with forbidden attributes."""

    @property  # type: ignore[misc]
    def t(self) -> float:
        raise ModelError("s.t would be stored as a constant number: must be s.time, an array of shape (1,)")


class _ProbeMarkers(dict[str, Any]):
    """Marker columns of a probe, made on first use."""

    def __init__(self, columns: Mapping[str, Any], value: float) -> None:
        super().__init__()
        self._real, self._value = columns, value

    def __missing__(self, family: str) -> Any:
        real = self._real[family]
        found = self[family] = type(real)(*(_replace(array, self._value) for array in real))
        return found


def _probe(s: Evaluation, value: float) -> Evaluation:
    probe = object.__new__(_Probe)
    probe.__dict__.update({name: _replace(array, value) for name, array in s.__dict__.items()})
    probe.markers = _ProbeMarkers(s.markers, value)
    return probe


def _replace(array: Any, value: float) -> Any:
    """Replace an array of floats by an array of the same shape that occupies no memory; keep other values."""
    if isinstance(array, np.ndarray) and array.dtype == np.float64:
        # np.broadcast_to takes three times as long
        return np.ndarray(array.shape, np.float64, pack("d", value), strides=(0,) * array.ndim)
    return array


class PostNewton(NamedTuple):
    """Result of a post-Newton update.

    Attributes:
        error: sum of the force errors of the worst connector [N].
        recommended_step: step size [s] that would end at the switching instant, inf if no row switches.
        changed: whether a contact state (open/closed, stick/slip) changed.
        force: largest contact force of a connector [N], the scale of errors.
        row: local row of the worst connector, -1 if there is none.
    """

    error: float = 0.0
    recommended_step: float = np.inf
    changed: bool = False
    force: float = 0.0
    row: int = -1


class Fault(NamedTuple):
    """An unintended property of a static equilibrium in which forces balance.

    Attributes:
        words: description of the row, its motion and the limit, with units.
        certain: whether the shape is certainly wrong; otherwise a finer mesh or a check of the model must decide.
        coarse: whether the mesh does not resolve the shape, so that forces may have large errors.
    """

    words: str
    certain: bool = True
    coarse: bool = False


class AxialFlow(NamedTuple):
    """Matrices per row for the modes of a closed belt with axially moving material.

    The first half of the coordinates of a row belongs to its start, the second half to its end.

    Attributes:
        gyration: P = ∫ ρA Sᵀ S' dx [kg/m, kg, kg m], shape (rows, n, n).
        circulation: Q = ∫ ρA S'ᵀ S' dx [kg/m^2, kg/m, kg], shape (rows, n, n).
    """

    gyration: FloatArray
    circulation: FloatArray


Function = Callable[[Evaluation], None]
"""A function of a system, which reads an evaluation and adds to its arrays."""


@dataclass
class Term:
    """A force and, if it depends on the motion, its derivatives.

    Attributes:
        force: ``(s)`` adds the force to s.f.
        tangent: ``(s)`` adds dq, dv and da times its derivatives to s.values at s.slots.
    """

    force: Function
    tangent: Function | None = None


@dataclass
class Fused:
    """Faster alternatives to matrix entries for laws with many coupled coordinates, in addition to `System.mass`.

    Attributes:
        mass_product: ``(s)`` adds the product of the constant mass matrix and s.a to s.f.
        block_size: length of the runs of consecutive coordinates of a row. If the unknowns of each run are consecutive,
            the matrix values of a run of columns are also consecutive. If the matrix consists of blocks as large as a
            run, the values of a block are consecutive. The functions, and ``mass`` of the system, then find their slots
            in s.pieces.
        residual: ``(s)`` computes the residual of the system and ``mass_product`` in one pass over the rows.
        tangent: ``(s)`` computes the tangent and the mass of the system in one pass.
    """

    mass_product: Function
    block_size: int = 1
    residual: Function | None = None
    tangent: Function | None = None


@dataclass
class NeighbourPattern:
    """Pattern of a system whose rows change, such as the candidate pairs of a contact set.

    ``update`` puts new coordinates into `System.dofs` and increments the version.

    Attributes:
        version: number of changes; after a change the assembly sets up sparsity and slots again. All processes
            increment the version together, including processes without a change.
        off_process: world numbers of coordinates of other processes that ``dofs`` couple in addition to local
            coordinates, shape (k,). In ``dofs``, numbers of these coordinates follow the local numbers, and the spare
            number is the last one.
        reset_caches: drops the list of neighbours, so that a continued and a restarted run give equal results: the list
            depends on earlier steps and changes results by rounding.
    """

    version: int = 0
    off_process: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))
    reset_caches: Callable[[], None] | None = None


class Sum(Protocol):
    """Key of a sum over all rows and processes: hashable, with equal keys on all processes."""

    def judge(self, total: float) -> str | None:
        """Reason why results are doubtful, and a remedy; None if the sum raises no doubt."""


@dataclass
class Checks:
    """Messages of a law about its rows, before, during and after solves.

    Attributes:
        doubts: ``(fields, step) -> list of str`` gives reasons, before a solve, why its results will be doubtful, and
            remedies. ``step`` is the nominal step [s] of dynamics, or 0 in statics.
        refusals: ``(fields) -> list of str`` gives reasons why a motion cannot start from this state: overlaps beyond
            the range of the law.
        reasons: ``(fields, step) -> list of str`` gives reasons, at the end of a solve, why its results are doubtful,
            and remedies. ``step`` is the nominal step [s] of dynamics, or 0 in statics.
        sums: ``(fields) -> (key, number) pairs`` gives numbers, at the end of a solve, that are summed by key over all
            rows and processes; each key judges its own sum.
        invariants: ``(fields) -> dict`` gives integers by name that stay constant in an intact model, for example how
            often a closed belt winds around its pulleys. Values of the same name are summed.
        diagnose: ``(fields) -> list of str`` gives reasons, for messages of failed solves, why rows cannot be evaluated
            and return NaN.
        find_faults: ``(fields) -> list of Fault`` finds unintended rows at a static equilibrium, such as a cable turned
            inside out. Solvers call the function once, at the end of a solve.
        rounding: ``(fields) -> N`` returns the 2-norm of the rounding errors of forces that do not appear in the
            coordinates of the unknowns, such as forces of a large circle with a fixed centre.
    """

    doubts: Callable[[Fields, float], list[str]] | None = None
    refusals: Callable[[Fields], list[str]] | None = None
    reasons: Callable[[Fields, float], list[str]] | None = None
    sums: Callable[[Fields], Iterable[tuple[Sum, float]]] | None = None
    invariants: Callable[[Fields], dict[str, float]] | None = None
    diagnose: Callable[[Fields], list[str]] | None = None
    find_faults: Callable[[Fields], list[Fault]] | None = None
    rounding: Callable[[Fields], float] | None = None


class Strands(Protocol):
    """Rows that carry force along an axis: N = stiffness (stretch - 1 - free) at k points of the rows.

    Solvers that search the shape of slack lines temporarily replace the law.

    Attributes:
        row: the row of each point, shape (k,).
        weight: length that a point represents [m], shape (k,).
        stiffness, free: stiffness [N] and strain without force [1] of the original law, shape (k,).
        bearable: compression at which a row buckles between its own ends [N], shape (rows,).
    """

    row: IntArray
    weight: FloatArray
    stiffness: FloatArray
    free: FloatArray
    bearable: FloatArray

    def eval_stretch(self, s: Fields) -> FloatArray:
        """Stretch (present length per unstrained length) [1] at the points, shape (k,)."""

    def find_folded(self, s: Fields) -> BoolArray:
        """Rows that are turned inside out, shape (rows,)."""

    def take(self, stiffness: FloatArray, free: FloatArray, bends: BoolArray) -> None:
        """Replace the law by another law.

        Args:
            stiffness: [N], shape (k,), equal at all points of a row.
            free: strain without force [1], shape (k,).
            bends: whether each row keeps its bending stiffness, shape (rows,); other rows have no bending stiffness.
        """


@dataclass
class ReturnMap:
    """Contact decisions inside Newton's method, before forces are evaluated, while ``s.mapped`` is > 0.

    ``(s)`` sets ``s.data`` to the decisions for the present motion, by the same rules as ``post_newton``; values that
    only a solved step may change are preserved.

    Attributes:
        motion: return map in dynamics, where forces, including damper forces, must be continuous when contacts open and
            close.
        rest: return map in statics.
    """

    motion: Function | None = None
    rest: Function | None = None


@dataclass
class Axis:
    """Functions that solvers need of laws that carry force along an axis.

    Attributes:
        strands: see `Strands`.
        flow: matrices for axially moving material whose nodes move with the material.
        pulls: the tensions, from which solvers detect jumps.
    """

    strands: Strands | None = None
    flow: Callable[[], AxialFlow] | None = None
    pulls: Pulls | None = None


@dataclass(slots=True)
class System:
    """The evaluation of one law on the local rows of one table.

    Each function receives an `Evaluation` s and adds to its arrays.

    Attributes:
        name: name of the component.
        dofs: local numbers of the coordinates of each row, shape (rows, n); the spare number means no coordinate.
        update: ``(s)`` evaluates marker columns.
        residual: ``(s)`` adds left-hand-side forces [N, N m] to s.f.
        tangent: ``(s)`` adds dq*df/dq + dv*df/dv to s.values at s.slots.
        load: applied loads (right-hand side, without the load factor).
        mass: ``(s)`` adds s.mass times a constant mass matrix to s.values at s.slots.
        body_force: the force of the acceleration field s.g on the local rows s.which (applied load, right-hand side).
            Laws with a tangent of this force also have a tangent of the inertia.
        inertia: M(q) a + quadratic velocity terms of a law whose mass is not constant.
        constraint: for constraints, see `ConstraintSystem`.
        post_newton: ``(s) -> PostNewton`` updates ``s.data``; it reads ``s.start_data`` and the step's ``s.step_size``,
            ``s.start_time``, ``s.start_x`` and ``s.start_v``. A `Call` of a kernel writes its result to ``s.outcome``,
            by `note_outcome`. Decisions (open or closed, stick or slip) are signs of history values, in which solvers
            detect cycles.
        return_map: contact decisions inside Newton's method. Without a return map, history values are frozen during the
            iterations.
        decide: ``(fields)`` sets ``fields.data`` at the start of a solve from the motion and the stored values;
            default: by default, ``post_newton`` with the stored values as start values of a step.
        renew: ``(fields)`` resets, between two steps, entries of ``fields.data`` that `World.set` has made invalid.
        account: energies that the law stores, loses and transfers through the work of its forces.
        checks: messages of the law about its rows.
        fused: residual and tangent with inertia in one pass.
        neighbours: for laws whose rows change, such as contact sets.
        gaps: gaps of contacts.
        axis: functions of laws that carry force along an axis, see `Axis`.
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
    renew: Callable[[Fields], None] | None = None
    account: Account | None = None
    checks: Checks = field(default_factory=Checks)
    fused: Fused | None = None
    neighbours: NeighbourPattern | None = None
    gaps: Gaps | None = None
    axis: Axis = field(default_factory=Axis)

    def energy(self, fields: Fields) -> float:
        """Stored energy of the rows of this process [J]; 0 for a law without account."""
        return 0.0 if self.account is None else float(self.read_account(fields).energies.sum())

    def read_account(self, fields: Fields) -> Reading:
        """Energies and powers of the rows of this process, for a law with an account."""
        assert self.account is not None
        found = self.account.create_reading(len(self.dofs))
        self.account.read(evaluate(fields, **found._asdict()))
        return found


@dataclass
class ConstraintSystem:
    """Equations C(q, v, t) = 0 of the local rows of one table, each with a Lagrange multiplier.

    Attributes:
        multipliers: local numbers of the multipliers, shape (rows, m).
        residual: ``(s)`` adds C (or its time derivative if ``s.rate_level``) to s.C and C_q^T lam to s.f. A row that is
            switched off has C = lam.
        tangent: ``(s)`` adds the blocks of the rows to s.values at s.coupling; see `Coupling`.
        acceleration: ``(s)`` adds the right-hand side of C_q a = rhs to s.C, for consistent initial accelerations.
        driven: rows that prescribe a motion in time (motors), shape (rows,); None: no rows.
        rubs: whether forces of the system are proportional to the absolute values of the multipliers, like friction;
            the tangent then has their derivatives in the columns of the multipliers.
    """

    multipliers: IntArray
    residual: Function
    tangent: Function
    acceleration: Function
    driven: BoolArray | None = None
    rubs: bool = False
