"""Equilibria of a model that is a function of parameters, and their derivatives.

With the equations r(x, p) = 0 for the coordinates and multipliers x, the derivatives with respect to a parameter p are

    dx/dp = -K⁻¹ ∂r/∂p,    K = ∂r/∂x

K is the exact tangent of Newton's method. This tangent is factorised once, and each parameter needs one solve with its
factors. For a first-order state, the unknown is the value of the state. The model is a function of p. Therefore any
value in the model can be a parameter, such as a stiffness, a length, a position or a load. Two more models are built,
with the parameters p + h and p - h. The derivative ∂r/∂p is the central difference of the residuals r of these two
models at x. The truncation error, of order h², and the rounding error, of order 1/h, together make up a relative error
of about 1e-9.

History values of contacts are constant: open contacts remain open, and slipping segments continue to slip. Slipping
contact points, however, stick at their positions at the end of the solve, as in modal analyses. If a parameter changes
initial history values, an error is raised. If a contact is about to change its state, derivatives are valid only for
changes of p in one direction.

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
from windlass.framework.errors import ModelError
from windlass.framework.launch.launcher import launched_size
from windlass.framework.model.world import World
from windlass.framework.state.column_check import STEP
from windlass.framework.state.state import State
from windlass.solvers.modes.matrices import LinearMotion
from windlass.solvers.static import Static

BALANCED = 1e-4
"""Largest unbalanced force that an equilibrium may have, relative to the largest force [1]."""
SAME = 1e-9
"""Largest change of history values, relative to the largest history value, that is treated as a rounding error [1]."""
ROUNDING = 1e-15
"""Rounding error of forces, relative to the product of the largest stiffness and the largest coordinate [1]."""
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
        history: the initial history values of contacts.
        steps: step h of the central differences by name of the parameter.
    """

    world: World
    results: Results
    state: State
    motion: LinearMotion
    factors: Any
    history: FloatArray
    steps: dict[str, float]

    def eval_at(self, model: Model, p: Mapping[str, float], name: str) -> tuple[World, Results, State]:
        """Return the model with other values of the parameters, and the function that computes its results. The third
        result is a state of this model with the displacements and multipliers of the present equilibrium.

        Raises:
            ModelError: the number of rows of a table or the initial history values differ; the message contains
                ``name``, which names the changed parameters.
        """
        other, results = create_model(model, p)
        require_equal(self.world, other, name)
        require_history(self.history, find_history(other, self.state.t), name)
        return other, results, transplant(self.state, other)


class Equilibrium(NamedTuple):
    """An equilibrium of a model, with the tangent and the derivatives of the equilibrium with respect to parameters.

    Attributes:
        world, results, state: the model with the given parameters, the function that computes its results, and its
            equilibrium.
        motion: linear equations of motion (tangent and mass matrix) at the equilibrium.
        slopes: dq/dp by name of the parameter, shape (n,) each; for first-order states, the derivatives of the states.
        multiplier_slopes: dλ/dp by name of the parameter, shape (m,) each.
        steps: step h of the central differences by name of the parameter.
    """

    world: World
    results: Results
    state: State
    motion: LinearMotion
    slopes: dict[str, FloatArray]
    multiplier_slopes: dict[str, FloatArray]
    steps: dict[str, float]

    def move(self, model: Model, p: Mapping[str, float], name: str, side: float) -> tuple[World, Results, State]:
        """Return the model with one parameter changed to p + side h, the function that computes its results, and a
        first-order approximation of its equilibrium.
        """
        h = side * self.steps[name]
        world, results = create_model(model, {**p, name: p[name] + h})
        require_equal(self.world, world, name)
        state = transplant(self.state, world)
        is_state = find_states(self.state)
        state.q += np.where(is_state, 0.0, h * self.slopes[name])
        state.v += np.where(is_state, h * self.slopes[name], 0.0)
        state.lam += h * self.multiplier_slopes[name]
        return world, results, state


def solve_equilibrium(
    model: Model, p: Mapping[str, float], solve: Callable[[World], State] | None, steps: Mapping[str, float] | None
) -> SolvedModel:
    """Return the equilibrium of a model with its factorised tangent; the arguments are explained in `evaluate`.

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
    return SolvedModel(world, results, state, motion, factors, find_history(world, state.t), h)


def find_equilibrium(
    model: Model, p: Mapping[str, float], solve: Callable[[World], State] | None, steps: Mapping[str, float] | None
) -> Equilibrium:
    """Return the equilibrium of a model with the derivatives of its state; the arguments are explained in `evaluate`.

    Raises:
        ModelError: the model or its parameters are wrong, see `evaluate`.
    """
    found = solve_equilibrium(model, p, solve, steps)
    slopes, multiplier_slopes = dict[str, FloatArray](), dict[str, FloatArray]()
    unknowns, h = found.motion.sparsity.unknowns, found.steps
    for name in p:
        moved = []
        for side in (1.0, -1.0):
            other, _, state = found.eval_at(model, {**p, name: p[name] + side * h[name]}, name)
            moved.append(eval_residual(serial_assembly(other), state)[0])
        right = np.zeros(found.motion.K.getSize()[0])
        (f, c), (f_below, c_below) = moved
        right[unknowns.of_dof], right[unknowns.of_multiplier] = f - f_below, c - c_below
        change = found.factors.solve(right) / (-2.0 * h[name])
        if not np.isfinite(change).all():
            raise ModelError(f"the derivative with respect to {name!r} is not finite: the tangent is singular")
        slopes[name], multiplier_slopes[name] = change[unknowns.of_dof], change[unknowns.of_multiplier]
    return Equilibrium(found.world, found.results, found.state, found.motion, slopes, multiplier_slopes, h)


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
        # use the difference between the rounded value of p + h and p, which has no rounding error
        found[name] = float((value + h) - value)
    return found


def create_model(model: AnyModel, p: Mapping[str, float], moves: bool = False) -> tuple[Any, ...]:
    """Build and finalize the model with the given values of the parameters; see `call_model`."""
    made = call_model(model, p, moves)
    made[0].finalize()
    return made


def call_model(model: AnyModel, p: Mapping[str, float], moves: bool = False) -> tuple[Any, ...]:
    """Build the model with the given values of the parameters; return the world and the function ``results``.

    If ``moves`` is true, derivatives of a motion are computed. In this case ``model`` may also return a function that
    computes the state at the start of the motion, and this function is the third result.

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


def find_history(world: World, time: float) -> FloatArray:
    """Return the initial history values of contacts of a model, such as anchors of closed contact points."""
    start = State(world)
    start.t = time
    serial_assembly(world).decide(start)
    return start.data


def require_history(before: FloatArray, other: FloatArray, name: str) -> None:
    """Raise ModelError if initial history values change with a parameter; for example, anchors of bristles may depend
    on the geometry.
    """
    change = float(np.abs(other - before).max(initial=0.0))
    if change > SAME * float(np.abs(before).max(initial=0.0)):
        raise ModelError(
            f"the history values of contacts at the start depend on {name!r}: derivatives with respect to {name!r} "
            "would omit the change of these values; use finite differences between complete solves"
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
        ModelError: the tangent is singular; ``where`` completes the message.
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
