"""Comparison of tangents of whole models with central differences of the residual, for tests of laws.

The residual consists of the equations of motion and the constraint equations,

    M(q) a + f(q, v, t) - loads + C_qᵀ λ,    C,

where M is the mass matrix, C are the constraint equations, C_q are the derivatives of C with respect to q, and λ are
the multipliers. The derivatives of the residual with respect to q, v, a and λ are compared separately, and then as a
weighted sum. A central difference with step h has a truncation error of about h² times the third derivative, and a
rounding error of about ε R/h. Here R is the magnitude of the residual, and ε is the relative rounding error of
floating-point numbers. With h = 1e-6, the sum of both errors is about 1e-9 times the largest entry of a matrix row.
Contact states are history values, and do not change during the comparison.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.assembly.assembly import Assembly, serial_assembly
from windlass.framework.checks.checks import checked, instance, number, optional, whole, yes_no
from windlass.framework.errors import ModelError
from windlass.framework.model.schema import Component
from windlass.framework.model.system import System, evaluate
from windlass.framework.model.world import World
from windlass.framework.state.column_check import check_columns
from windlass.framework.state.residual import eval_residual
from windlass.framework.state.state import State

STEP = 1e-6
WEAK = 1e-6
"""Errors of a matrix row are compared with the largest entry of the row, or with this fraction [1] of the largest entry
of the matrix, if the fraction is larger.
"""
FACTORS = {
    "x": (1.0, 0.0, 1e-300, 0.0),
    "v": (0.0, 1.0, 1e-300, 0.0),
    "a": (0.0, 0.0, 1.0, 0.0),
    "lam": (0.0, 0.0, 1e-300, 1.0),
}
"""Factors (dq, dv, da, scale of multipliers) that select the derivative with respect to displacements, velocities,
accelerations or multipliers. The factor da is 1e-300 and not 0, because the tangent with da = 0 does not include
inertia forces.
"""
TOGETHER = (0.7, 1.3, 2.1, 0.4)
"""Factors with which all derivatives contribute to the tangent. With these factors, the check detects a tangent that is
not linear in its factors.
"""
BESIDE = {"x": ("x",), "v": ("v", "lam"), "lam": ("v", "lam"), "a": tuple(FACTORS)}
"""For each derivative to be checked: names of derivatives. The error of an entry is compared with the smaller of two
numbers. The first number is the largest entry of its row. The second number is the largest entry of the named
derivatives, but at least 1.
"""
WORDS = {"x": "displacement", "v": "velocity", "a": "acceleration", "lam": "multiplier"}


class Wrong(NamedTuple):
    """The entry of a tangent with the largest error. The fields are the matrix row, the matrix column, the value and
    the correct value of this entry, and the number of wrong entries of the tangent.
    """

    row: int
    column: int
    given: float
    expected: float
    entries: int


@checked(
    world=instance(World),
    state=optional(instance(State)),
    states=whole(0),
    displacement=number("m, rad", minimum=0.0),
    tolerance=number("1", above=0.0),
    seed=whole(0),
    parameters=yes_no(),
)
def check_tangent(
    world: World,
    state: State | None = None,
    *,
    states: int = 2,
    displacement: float = 0.1,
    tolerance: float = 1e-6,
    seed: int = 1,
    parameters: bool = False,
) -> None:
    """Compare the tangent of a model with central differences of its residual, at a given state and at random states
    near this state. Optionally, check the derivatives of the residual with respect to columns.

    The check is suitable only for small models on one process, because each coordinate is varied, and dense matrices
    are used.

    Args:
        world: the model.
        state: state of the comparison. The default is the initial state. The history values of this state are used in
            all evaluations.
        states: number of random states. Random numbers with the standard deviation ``displacement`` are added to the
            coordinates, and random numbers of order 1 are added to velocities, accelerations and multipliers.
        displacement: standard deviation [m, rad, 1] of the random displacements of coordinates.
        tolerance: largest allowed error [1] of an entry, relative to the largest entry of its matrix row.
        seed: seed of the random numbers.
        parameters: whether to check also the derivatives of the residual with respect to the real numbers in the first
            and the last row of each table. The residual must have a derivative with respect to each number that is not
            0, and the central difference with the step of `windlass.evaluate` must agree with this derivative. For this
            comparison, derivatives are computed by dual numbers through the kernels, or by extrapolated differences if
            this is not possible. History values are constant.

    Raises:
        ModelError: an entry of the tangent differs from the central difference, or forces are not finite. The message
            names the entry with the largest error, with its law and row. With ``parameters``: the residual is not a
            smooth function of a column, or the central difference is wrong. The message names column and row.
    """
    assembly = serial_assembly(world)
    random = np.random.default_rng(seed)
    with assembly.isolated():
        for k in range(states + 1):
            fields = assembly.load_fields(State(world) if state is None else state)
            if k:
                for values, size in ((fields.x, displacement), (fields.v, 1.0), (fields.a, 1.0), (fields.lam, 1.0)):
                    values[:-1] += size * random.standard_normal(len(values) - 1)
            where = f"in random state {k}" if k else "at the given state"
            check_fields(assembly, tolerance, where)
            if parameters:
                check_columns(assembly, tolerance, where)


def check_fields(
    assembly: Assembly,
    tolerance: float = 2e-8,
    where: str = "at the present fields",
    *,
    limit: float = np.inf,
) -> None:
    """Compare the tangent with central differences at the present fields of an assembly, see `check_tangent`. The
    comparison is made twice. In the first comparison, constraints are imposed on positions, and in the second, on
    velocities.

    Args:
        assembly: the assembly with the fields.
        tolerance: largest allowed error [1] of an entry, relative to the largest entry of its matrix row.
        where: description of the fields in error messages.
        limit: largest allowed error of any entry, in the unit of the entry. In contrast to ``tolerance``, this limit
            does not depend on the other entries of the matrix row.

    Raises:
        ModelError: an entry of the tangent differs from the central difference, see `check_tangent`.
    """
    fields, n = assembly.fields, assembly.layout.spare
    try:
        for fields.rate_level in (False, True) if assembly.constraints else (False,):
            expected = {name: eval_differences(assembly, name) for name in FACTORS}
            if not all(np.isfinite(part).all() for part in expected.values()):
                raise ModelError(f"forces are not finite {where}: must be finite; use a smaller displacement")
            # the rounding error of a matrix row is proportional to the largest entry of this row in all derivatives
            rows = np.max([np.abs(part).max(axis=1, initial=0.0) for part in expected.values()], axis=0)
            rows = np.maximum(rows, WEAK * rows.max(initial=1.0))
            for name, factors in FACTORS.items():
                largest = max(float(np.abs(expected[other]).max(initial=1.0)) for other in BESIDE[name])
                given = eval_tangent(assembly, *factors)[:, slice(n, None) if name == "lam" else slice(n)]
                allowed = np.minimum(tolerance * np.minimum(rows, largest), limit)
                wrong = find_wrong(given, expected[name], allowed)
                if wrong is not None:
                    raise ModelError(_describe(assembly, name, wrong, where))
            _check_together(assembly, expected, tolerance, limit, rows, where)
    finally:
        fields.rate_level = False


def _check_together(
    assembly: Assembly, expected: dict[str, FloatArray], tolerance: float, limit: float, rows: FloatArray, where: str
) -> None:
    """Compare the tangent for the factors `TOGETHER` with the sum of the central differences, weighted by these
    factors.

    Raises:
        ModelError: the tangent is correct for each single derivative, but wrong for their sum.
    """
    dq, dv, da, scale = TOGETHER
    by_q = dq * expected["x"] + dv * expected["v"] + da * expected["a"]
    total = np.concatenate((by_q, scale * expected["lam"]), axis=1)
    largest = float(np.abs(total).max(initial=1.0))
    allowed = np.minimum(tolerance * np.minimum(sum(TOGETHER) * rows, largest), 2.0 * limit)
    wrong = find_wrong(eval_tangent(assembly, *TOGETHER), total, allowed)
    if wrong is not None:
        raise ModelError(
            f"tangent with the factors {dq}, {dv}, {da} and {scale} of displacement, velocity, acceleration and "
            f"multiplier: the entry of the {_describe_row(assembly, wrong.row)} and "
            f"{_describe_unknown(assembly, wrong.column)} is {wrong.given:.9g} {where}: must be {wrong.expected:.9g}, "
            "the sum of the four derivatives, of which each alone is right"
        )


def find_wrong(given: FloatArray, expected: FloatArray, allowed: FloatArray) -> Wrong | None:
    """Return the entry with the largest error, relative to the allowed error of its matrix row, or None if no error
    exceeds the allowed error. ``given`` and ``expected`` have the shape (rows, columns), ``allowed`` has the shape
    (rows,).
    """
    error = np.abs(given - expected) / allowed[:, None]
    if not (error > 1.0).any():
        return None
    i, j = np.unravel_index(int(np.argmax(error)), error.shape)
    return Wrong(int(i), int(j), float(given[i, j]), float(expected[i, j]), int((error > 1.0).sum()))


def eval_tangent(
    assembly: Assembly, dq: float, dv: float, da: float, scale: float = 1.0, load_factor: float = 1.0
) -> FloatArray:
    """Return the dense tangent for given factors of the derivatives with respect to q, v, a and multipliers. Rows and
    columns are the coordinates, followed by the multipliers."""
    assembly.update_markers()
    values = np.zeros(assembly.update_pattern().spare + 1)
    assembly.add_tangent(values, dq, dv, da, load_factor, da)
    assembly.add_constraint_tangent(values, dq, dv, scale)
    return _to_dense(assembly, values)


def eval_differences(assembly: Assembly, name: str, load_factor: float = 1.0) -> FloatArray:
    """Return the derivative of `eval_residual` with respect to ``x``, ``v``, ``a`` or ``lam``, by central
    differences."""
    values = getattr(assembly.fields, name)
    out = np.zeros((assembly.layout.spare + len(assembly.fields.lam) - 1, len(values) - 1))
    for j in range(len(values) - 1):
        start = values[j]
        values[j] = start + STEP
        plus = eval_residual(assembly, load_factor)
        values[j] = start - STEP
        out[:, j] = (plus - eval_residual(assembly, load_factor)) / (2 * STEP)
        values[j] = start
    assembly.update_markers()
    return out


def _to_dense(assembly: Assembly, values: FloatArray) -> FloatArray:
    """Return matrix values as a dense matrix over the coordinates, followed by the multipliers."""
    layout, pattern = assembly.layout, assembly.sparsity.pattern
    full = np.zeros((len(layout.unknowns.numbers),) * 2)
    rows, columns = pattern.entries()
    full[rows, columns] = values[:-1]
    unknowns = np.concatenate((layout.unknowns.of_dof, layout.unknowns.of_multiplier))
    dense: FloatArray = full[np.ix_(unknowns, unknowns)]
    return dense


def _describe(assembly: Assembly, name: str, wrong: Wrong, where: str) -> str:
    """Return a description of the entry with the largest error, with its law."""
    n = assembly.layout.spare
    column = wrong.column + (n if name == "lam" else 0)
    several = f"; {wrong.entries} entries are wrong" if wrong.entries > 1 else ""
    law = _find_law(assembly, name, wrong.row, column)
    return (
        f"tangent{f' of {law}' if law else ''}: derivative of the {_describe_row(assembly, wrong.row)} by the "
        f"{WORDS[name]} of {_describe_unknown(assembly, column)} = {wrong.given:.9g} {where}: must be "
        f"{wrong.expected:.9g}, the central difference{several}"
    )


def _describe_unknown(assembly: Assembly, k: int) -> str:
    """Return a description of an unknown: a coordinate or, for indices after the coordinates, a multiplier."""
    numbering, layout = assembly.world.numbering, assembly.layout
    if k < layout.spare:
        return numbering.describe_dof(int(layout.dofs[k]))
    return numbering.describe_multiplier(int(layout.multipliers_owned[k - layout.spare]))


def _describe_row(assembly: Assembly, k: int) -> str:
    return f"{'force on' if k < assembly.layout.spare else 'equation of'} {_describe_unknown(assembly, k)}"


def _find_law(assembly: Assembly, name: str, row: int, column: int) -> str:
    """Return a text with the name of a law and of one of its rows. The contribution of this law to the given entry of
    the tangent has the largest error. The row is the first row of the law that couples the two unknowns of the entry.
    """
    worst, found = 0.0, ""
    values = getattr(assembly.fields, name)
    place = column - assembly.layout.spare if name == "lam" else column
    for component in assembly.sparsity.slots:
        system, forces = assembly.layout.systems[component], list[FloatArray]()
        for step in (STEP, -STEP):
            start = values[place]
            values[place] = start + step
            assembly.update_markers()
            forces.append(_own_residual(assembly, system)[row])
            values[place] = start
        assembly.update_markers()
        given = np.zeros(assembly.sparsity.pattern.spare + 1)
        _add_own_tangent(assembly, component, FACTORS[name], given)
        error = abs(_to_dense(assembly, given)[row, column] - (forces[0] - forces[1]) / (2 * STEP))
        if error > worst:
            worst, found = error, component.__name__
            rows = _rows_at(system, row, column, assembly.layout.spare)
            if len(rows):
                number_ = int(assembly.layout.rows[component][rows[0]])
                found = f"{component.__name__} row {number_}"
    return found


def _rows_at(system: System, row: int, column: int, spare: int) -> IntArray:
    """Return the rows of a system that couple two given unknowns. If one of the unknowns is a multiplier, return the
    rows that couple the other unknown.
    """
    there = [(system.dofs == k).any(axis=1) for k in (row, column) if k < spare]
    return np.flatnonzero(np.all(there, axis=0)) if there else np.zeros(0, np.int64)


def _own_residual(assembly: Assembly, system: System) -> FloatArray:
    """Return the contribution of one law to the residual, without weight and without inertia forces of the constant
    mass matrix.
    """
    fields = assembly.fields
    f, loads, c = np.zeros_like(fields.x), np.zeros_like(fields.x), np.zeros_like(fields.lam)
    s = evaluate(fields, f=f, C=c)
    inertia = system.inertia.force if system.inertia is not None else None
    for function in (system.residual, inertia, system.constraint and system.constraint.residual):
        if function:
            function(s)
    if system.load is not None:
        system.load.force(evaluate(fields, f=loads))
    return np.concatenate(((f - loads)[:-1], c[:-1]))


def _add_own_tangent(
    assembly: Assembly, component: type[Component], factors: tuple[float, float, float, float], values: FloatArray
) -> None:
    """Add the contribution of one law to the tangent, without the constant mass matrix and without the derivative of
    the weight.
    """
    system = assembly.layout.systems[component]
    dq, dv, da, scale = factors
    s = assembly.evaluation(component, values, dq=dq, dv=dv, da=da)
    for function in (system.tangent, system.inertia.tangent if system.inertia is not None else None):
        if function is not None:
            function(s)
    if system.load is not None and system.load.tangent is not None:
        system.load.tangent(assembly.evaluation(component, values, dq=-dq, dv=-dv))
    if system.constraint is not None:
        coupling = assembly.sparsity.couplings[component]._replace(scale=scale)
        system.constraint.tangent(evaluate(assembly.fields, dq=dq, dv=dv, coupling=coupling, values=values))
