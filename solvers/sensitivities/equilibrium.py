"""Equilibria of a model that is a function of parameters, and the derivatives of the equilibria.

With the equations r(x, p) = 0 for the coordinates and multipliers x, the derivatives with respect to a parameter p are

    dx/dp = -K⁻¹ ∂r/∂p,    K = ∂r/∂x

K is the exact tangent that Newton's method uses. This tangent is factorised once, and each parameter needs one solve
with its factors. For a first-order state, the unknown is the value of the state. The model is a function of p.
Therefore any value in the model can be a parameter, such as a stiffness, a length, a position or a load. For each
parameter, two more models are built, with the parameters p + h and p - h. The derivative ∂r/∂p is the central
difference of the residuals r of these two models at x. The truncation error is of order h², and the rounding error is
of order 1/h. Both errors together cause a relative error of about 1e-9.

Contact states are constant: open contacts remain open, and slipping segments continue to slip. Other history values d
of contacts, such as anchors of bristles, are functions of x, p and their initial values d_0(p), see static_history.py.
Therefore r(x, d, p) is differentiated at the states x ± h dx/dp and d ± h dd/dp of the models with p ± h. With the
remaining difference of r, the solve is repeated until dx/dp no longer changes, see equilibrium_slopes.py. Static solves
accept small changes of the contact pressure. Therefore Newton iterations with updates of d first reduce the error of
the equilibrium. These Newton iterations and the repeated solves for dx/dp are accelerated by the method in anderson.py.

If the history values also depend on intermediate states of the solve, the history values are treated as constant.
Slipping contact points then stick at their positions at the end of the solve, which is also assumed in the computation
of modes. If a parameter changes d_0, an error is raised. If a contact is about to change its state, derivatives are
valid only for changes of p in one direction. A note then states this direction.

Source: D. A. Tortorelli, P. Michaleris, Inverse Problems in Engineering 1 (1994) 71-105.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csc_array, csr_array
from scipy.sparse.linalg import splu

from windlass.framework.arrays import BoolArray, FloatArray
from windlass.framework.assembly.assembly import Assembly, serial_assembly
from windlass.framework.checks.checks import function, optional, that
from windlass.framework.command_line.notes import say_once
from windlass.framework.errors import ModelError
from windlass.framework.launch.launcher import launched_size
from windlass.framework.model.world import World
from windlass.framework.state.column_check import STEP
from windlass.framework.state.state import State
from windlass.solvers.modes.matrices import LinearMotion
from windlass.solvers.sensitivities.anderson import Anderson
from windlass.solvers.sensitivities.static_history import CREEP, StaticHistory
from windlass.solvers.static import Static

BALANCED = 1e-4
"""Largest unbalanced force [1] that an equilibrium may have, relative to the largest force."""
ITERATIONS = 40
"""Largest number of Newton iterations with updates of history values."""
STALLED = 0.5
"""Ratio [1] of two successive changes in an iteration. Above this value, the changes are treated as rounding errors, if
they are small.
"""
DRIFT = 0.02
"""Largest unbalanced force [1], relative to the largest force, in Newton iterations with updates of history values."""
SETTLED = 1e-9
"""Change [1] of the coordinates in a Newton iteration, relative to the largest coordinate. Below this value, an
equilibrium is treated as exact if later changes are not smaller.
"""
REPRODUCED = 5e-3
"""Largest unbalanced force [1] after an update at rest, relative to the largest force, for history values that are
functions of the equilibrium.
"""
NOTE = "note on derivatives"
"""Heading of notes to the user."""
UNSETTLED = (
    "contact pressures of the static solve are not settled, unbalanced forces are {:.2g} of the largest force: results "
    "and derivatives are those after further Newton iterations"
)
CONSTANT = "earlier load steps or solves, or do not converge: they are constant in derivatives"
SAME = 1e-9
"""Largest change [1] of history values, relative to the largest history value, that is treated as a rounding error."""
ROUNDING = 1e-15
"""Rounding error [1] of forces, relative to the product of the largest stiffness and the largest coordinate."""
Results = Callable[[State], Mapping[str, float]]
Model = Callable[[Mapping[str, float]], tuple[World, Results]]


AnyModel = Callable[[Mapping[str, float]], tuple[Any, ...]]


class SolvedModel(NamedTuple):
    """An equilibrium of a model, with its factorised tangent.

    Attributes:
        world, results, state: the model with the given parameters, the function that computes its results, and its
            equilibrium.
        motion: linear equations of motion (tangent and mass matrix) at the equilibrium.
        factors: LU factors of the tangent.
        history: the update of history values of contacts.
        follows: whether the history values are functions of the equilibrium, see static_history.py.
        steps: step h of the central differences by name of the parameter.
    """

    world: World
    results: Results
    state: State
    motion: LinearMotion
    factors: Any
    history: StaticHistory
    follows: bool
    steps: dict[str, float]

    def change(self, model: Model, p: Mapping[str, float], name: str) -> ChangedModel:
        """Return the model with other values of the parameters, at the displacements and multipliers of the present
        equilibrium.

        Raises:
            ModelError: the number of rows of a table differs, or the initial history values of constant history values
                differ. The message contains ``name``, which names the changed parameters.
        """
        other, results = create_model(model, p)
        require_equal(self.world, other, name)
        history = StaticHistory(other, self.state.t)
        if not self.follows:
            require_history(self.history.start.data, history.start.data, name)
        return ChangedModel(other, results, transplant(self.state, other), history)

    def find_change(self, high: ChangedModel, low: ChangedModel, h: float) -> FloatArray:
        """Return the derivatives of the history values with respect to a parameter, shape (d,), at the displacements of
        two models with the parameters p + h and p - h.
        """
        if not self.follows:
            return np.zeros_like(self.state.data)
        above, below = (each.history.update(each.state) for each in (high, low))
        return self.history.find_slope(self.state.data, above, below, h)


class ChangedModel(NamedTuple):
    """A model with changed parameters.

    Attributes:
        world, results: the model and the function that computes its results.
        state: a state of the model.
        history: the update of history values of contacts.
    """

    world: World
    results: Results
    state: State
    history: StaticHistory

    def move(self, centre: State, dofs: FloatArray, multipliers: FloatArray, data: FloatArray) -> None:
        """Set the state to the state ``centre`` plus changes of the coordinates, multipliers and history values. For
        first-order states, the change of the coordinate is added to the state.
        """
        add_changes(self.state, centre, dofs, multipliers)
        self.state.data[:] = self.state.start_data[:] = centre.data + data

    def eval_residual(self) -> tuple[FloatArray, FloatArray]:
        """Return the residual at the state, see `eval_residual`."""
        return eval_residual(serial_assembly(self.world), self.state)[0]


def add_changes(state: State, centre: State, dofs: FloatArray, multipliers: FloatArray) -> None:
    """Copy coordinates, first-order states and multipliers of the state ``centre`` to another state. Add the changes
    ``dofs`` of coordinates or first-order states, shape (n,), and the changes of multipliers, shape (m,).
    """
    is_state = find_states(centre)
    state.q[:] = centre.q + np.where(is_state, 0.0, dofs)
    state.v[:] = np.where(is_state, centre.v + dofs, state.v)
    state.lam[:] = centre.lam + multipliers


def solve_equilibrium(
    model: Model, p: Mapping[str, float], solve: Callable[[World], State] | None, steps: Mapping[str, float] | None
) -> SolvedModel:
    """Return the equilibrium of a model with its factorised tangent. The arguments are explained in `evaluate`.

    Raises:
        ModelError: the model or its parameters are wrong, see `evaluate`.
    """
    if launched_size() > 1:
        raise ModelError("derivatives need a model on one process: run without mpiexec")
    h = choose_steps(p, steps or {})
    world, results = create_model(model, p)
    solved = Static(world).solve() if solve is None else solve(world)
    if not isinstance(solved, State):
        raise ModelError(f"solve returned {type(solved).__name__}: must be the State of a static solve")
    assembly = serial_assembly(world)
    state = transplant(solved, world)
    (left, _), size = eval_residual(assembly, state)
    motion = LinearMotion(assembly, state)
    rounding = ROUNDING * float(np.abs(assembly.fields.x).max(initial=0.0)) * motion.K.norm()
    require_balance(float(np.abs(left).max(initial=0.0)), size, rounding)
    factors = factorise(motion.K, "at the equilibrium")
    history = StaticHistory(world, state.t)
    follows = settle(state, motion, factors, history)
    return SolvedModel(world, results, state, motion, factors, history, follows, h)


def settle(state: State, motion: LinearMotion, factors: Any, history: StaticHistory) -> bool:
    """Return whether the history values of an equilibrium are functions of the equilibrium. If the result is true, the
    error of the equilibrium is reduced by Newton iterations with updates of the history values. Otherwise the state
    does not change.

    The iterations are accelerated, because the tangent does not contain the derivatives of the history values.
    """
    if not len(state.data):
        return False
    if not history.keeps_states(state):
        return note_constant(history, history.update(state, 0.0), state)
    assembly, unknowns, given = serial_assembly(state.world), motion.sparsity.unknowns, state.copy()

    def update(velocity: float) -> tuple[FloatArray, FloatArray, float]:
        """Update the history values. Return the residual, and the ratio of the largest force in the residual to the
        largest load or internal force.
        """
        state.data[:] = history.update(state, velocity)
        state.start_data[:] = state.data
        (f, c), size = eval_residual(assembly, state)
        return f, c, float(np.abs(f).max(initial=0.0)) / (size or 1.0)

    # the update at rest must reproduce the history values of the solve
    first = update(0.0)[2]
    before, anderson = np.inf, Anderson(len(state.q))
    for _ in range(ITERATIONS if first <= REPRODUCED else 0):
        states_are_kept = history.keeps_states(state)
        f, c, left = update(CREEP)
        if not left <= DRIFT:
            break
        right = np.zeros(motion.K.getSize()[0])
        right[unknowns.of_dof], right[unknowns.of_multiplier] = f, c
        change = factors.solve(right)
        step = anderson.find_step(-np.append(change[unknowns.of_dof], change[unknowns.of_multiplier]))
        dofs, multipliers = np.split(step, [len(state.q)])
        moved = float(np.abs(dofs).max(initial=0.0))
        largest = float(np.abs(assembly.fields.x).max(initial=0.0))
        if STALLED * before <= moved <= SETTLED * largest and states_are_kept:
            # the remaining changes of the coordinates are only rounding errors
            if first > BALANCED:
                say_once(NOTE, [UNSETTLED.format(first)])
            return True
        before = moved
        add_changes(state, state, dofs, multipliers)
    data = state.data.copy()
    state.assign(given)
    return note_constant(history, data, state)


def note_constant(history: StaticHistory, data: FloatArray, state: State) -> bool:
    """Print a note that derivatives are computed with constant history values. Return False.

    Args:
        history: the update of history values.
        data: history values after the update, shape (d,), which differ from the history values of the equilibrium
            ``state``.
        state: the equilibrium.
    """
    change = np.abs(data - state.data)
    changed = history.find_changed(state.data, data)
    if not changed.any():
        changed = change > SAME * np.abs(state.data).max(initial=0.0)
    if changed.any():
        say_once(NOTE, [f"history values of {history.describe(changed)} depend on {CONSTANT}"])
    return False


MAPPING = that(lambda value: isinstance(value, Mapping), "a dict of names and numbers")
FUNCTION = that(lambda value: callable(value) and not isinstance(value, type), "a function of p")
CHECKS = {"model": FUNCTION, "p": MAPPING, "solve": optional(function()), "steps": optional(MAPPING)}


def choose_steps(p: Mapping[str, float], steps: Mapping[str, float]) -> dict[str, float]:
    """Return the steps of central differences by name, in the units of the parameters.

    Raises:
        ModelError: there are no parameters, a value is not finite, a name is unknown, or a step is not positive.
    """
    if not p:
        raise ModelError("p = {}: must have at least one parameter")
    for name in steps:
        if name not in p:
            raise ModelError(f"steps has {name!r}: must be one of the parameters {', '.join(p)}")
    found = {}
    for name, value in p.items():
        if not isinstance(value, (int, float)) or not np.isfinite(value):
            raise ModelError(f"p[{name!r}] = {value!r}: must be a finite number")
        h = steps.get(name, STEP * abs(value))
        if not (isinstance(h, (int, float)) and np.isfinite(h) and h > 0.0):
            hint = ": a parameter with the value 0 must have a step" if name not in steps else ": must be > 0"
            raise ModelError(f"steps[{name!r}] = {h!r}{hint}")
        # h becomes the difference between the rounded values of p + h and p, because this difference has no rounding
        # error
        found[name] = float((value + h) - value)
    return found


def create_model(model: AnyModel, p: Mapping[str, float], moves: bool = False) -> tuple[Any, ...]:
    """Build and finalize the model with the given values of the parameters. See `call_model`."""
    made = call_model(model, p, moves)
    made[0].finalize()
    return made


def call_model(model: AnyModel, p: Mapping[str, float], moves: bool = False) -> tuple[Any, ...]:
    """Build the model with the given values of the parameters. Return the world and the function ``results``.

    If ``moves`` is true, derivatives of a motion are computed. In this case ``model`` may also return a function that
    computes the state at the start of the motion. This function is then the third result.

    Raises:
        ModelError: ``model`` does not return a world and functions.
    """
    made = model(dict(p))
    right = isinstance(made, tuple) and len(made) in ((2, 3) if moves else (2,)) and isinstance(made[0], World)
    if not (right and all(callable(part) for part in made[1:])):
        start = ", and optionally a function () -> state for the start" if moves else ""
        raise ModelError(f"model returned {made!r:.80}: must be a World and a function (state) -> results{start}")
    return made


def require_equal(world: World, other: World, name: str) -> None:
    """Raise ModelError if a table has different numbers of rows in two models."""
    one, two = (
        {component.__name__: table.count for component, table in each.tables.items() if table.count}
        for each in (world, other)
    )
    if one != two:
        kind = next(kind for kind in [*one, *two] if one.get(kind) != two.get(kind))
        raise ModelError(
            f"the number of rows of {kind} changes with {name!r} from {one.get(kind, 0)} to {two.get(kind, 0)}: must "
            "be equal for all values of the parameter"
        )


def transplant(state: State, world: World) -> State:
    """Return a copy of a state for another world with the same numbers of rows. In the copy, all velocities except
    first-order states are 0.
    """
    found = State(world)
    found.q[:], found.lam[:], found.t = state.q, state.lam, state.t
    found.v[:] = np.where(find_states(state), state.v, 0.0)
    found.data[:] = found.start_data[:] = state.data
    return found


def find_states(state: State) -> BoolArray:
    """Return, for each coordinate, whether its velocity is a first-order state, shape (n,)."""
    found = np.zeros(len(state.q), bool)
    found[serial_assembly(state.world).layout.states] = True
    return found


def require_history(before: FloatArray, other: FloatArray, name: str) -> None:
    """Raise ModelError if initial history values change with a parameter. For example, anchors of bristles may depend
    on the geometry.
    """
    change = float(np.abs(other - before).max(initial=0.0))
    if change > SAME * float(np.abs(before).max(initial=0.0)):
        raise ModelError(
            f"the history values of contacts at the start depend on {name!r}, and the contacts have slipped in earlier "
            f"load steps or solves: derivatives with respect to {name!r} would omit the change of these values; use "
            "finite differences between complete solves"
        )


def eval_residual(assembly: Assembly, state: State) -> tuple[tuple[FloatArray, FloatArray], float]:
    """Return the residual at a state: forces minus loads, shape (n,), and constraint gaps, shape (m,). The second
    result is the largest load or internal force.
    """
    fields = assembly.load_fields(state)
    f, c = np.zeros(len(fields.x)), np.zeros(len(fields.lam))
    assembly.set_loads(f, -1.0)
    size = float(np.abs(f).max(initial=0.0))
    inner = np.zeros_like(f)
    assembly.add_forces(inner)
    f += inner
    assembly.add_constraints(c, f)
    return (f[:-1].copy(), c[:-1].copy()), max(size, float(np.abs(inner).max(initial=0.0)))


def require_balance(left: float, size: float, rounding: float) -> None:
    """Raise ModelError if the largest unbalanced force ``left`` exceeds the sum of the rounding error ``rounding`` and
    `BALANCED` times the largest force ``size``."""
    if left > BALANCED * size + rounding:
        raise ModelError(
            f"the state is not an equilibrium: the largest unbalanced force is {left:.3g} N (or N m), and the largest "
            f"force is {size:.3g}. If a contact changes its state in the last step, end the solve slightly earlier or "
            "later"
        )


def factorise(tangent: Any, where: str) -> Any:
    """Return the LU factors of a tangent, which is a PETSc matrix.

    Raises:
        ModelError: the tangent is singular. The text ``where`` completes the message.
    """
    rows, columns, values = tangent.getValuesCSR()
    try:
        return splu(csc_array(csr_array((values, columns, rows), shape=tangent.getSize())))
    except RuntimeError as error:
        raise ModelError(f"the tangent {where} is singular") from error


def read_results(results: Results, state: State, like: Mapping[str, float] | None) -> dict[str, float]:
    """Call the function ``results`` for a state, and return the results by name.

    Raises:
        ModelError: the results are not a mapping of names to finite numbers, or the names differ from ``like``.
    """
    given = results(state)
    if not isinstance(given, Mapping) or not given:
        raise ModelError(f"results returned {given!r:.80}: must be a dict of names and numbers")
    found = {}
    for name, value in given.items():
        if type(value) is float and isfinite(value):
            found[str(name)] = value
            continue
        number = np.asarray(value, float).reshape(-1) if np.ndim(value) < 2 else np.zeros(0)
        if len(number) != 1 or not np.isfinite(number[0]):
            raise ModelError(f"results gave {name!r} = {value!r:.80}: must be one finite number")
        found[str(name)] = float(number[0])
    if like is not None and found.keys() != like.keys():
        raise ModelError(
            f"results gave {', '.join(found)}: must be {', '.join(like)}, as for other values of the parameters"
        )
    return found
