"""Test of the energy balance of a belt drive with friction: the work of all forces equals the change of the kinetic
energy in every step.

The trapezoidal rule, q1 - q0 = h/2 (v0 + v1) and v1 - v0 = h/2 (a0 + a1), with M a = -F at both ends of a step and a
constant mass matrix, has the exact identity

    T1 - T0 = -(q1 - q0)·(F0 + F1)/2,      F = f of cables, contacts and springs + C_qᵀ λ - loads

for all forces, including contact and friction with changing states, constraints, and prescribed motion. The identity
holds in each step with the forces of the solution of this step. History values are updated after the solution, so a
hook records the history values of the last pass. If a force is omitted, counted twice, or different from the force in
the equations of motion, the identity is violated.

The model is the small belt of the reference data with 24 elements of 3 segments. The run starts from the preload and
has 200 steps of 0.1 ms. The pulleys accelerate and segments slip. Source: E. Hairer, C. Lubich, G. Wanner, Geometric
Numerical Integration, Springer (2006) (trapezoidal rule as conjugate of the midpoint rule); the identity follows by
substitution.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.testing import assert_allclose

from windlass.connectors import ContactFrictionCircleCable2D, CoordinateSpringDamper
from windlass.elements import Cable2D
from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.model.system import evaluate
from windlass.framework.state.hooks import StepHook
from windlass.framework.state.state import State
from windlass.solvers.dynamic import Dynamic
from windlass.solvers.stepping.discontinuous import Passes

from support.belt import build_belt, load_reference, solve_static

FORCES = ("cables", "contacts", "springs", "constraints", "loads", "inertia")


class LastPass(StepHook):
    """Hook that records the solution and the history values of the last pass of each step.

    Later changes by the solver, such as the projection of multipliers after a kink, are part of the next step.
    """

    used: FloatArray
    later: FloatArray
    solved: State

    def before_step(self, state: State) -> None:
        self.used, self.later = state.data.copy(), state.data.copy()

    def after_iteration(self, state: State, error: float) -> None:
        self.used, self.later = self.later, state.data.copy()
        self.solved = state.copy()


class Balance(NamedTuple):
    """Values at one instant: coordinates, forces by type, forces of cables without damping, and kinetic and stored
    energy [J].
    """

    q: FloatArray
    forces: dict[str, FloatArray]
    elastic: FloatArray
    kinetic: float
    stored: float


class Span(NamedTuple):
    """Values at the start and at the end of a step."""

    start: Balance
    end: Balance


def eval_balance(assembly: Assembly, state: State, used: FloatArray, t: float) -> Balance:
    solved = state.copy()
    solved.data[:], solved.t = used, t
    fields = assembly.load_fields(solved)
    # the index-2 method imposes constraints on velocities
    fields.rate_level = True

    def collect(add: Callable[[FloatArray], Any]) -> FloatArray:
        f = np.zeros(assembly.layout.spare + 1)
        add(f)
        return f[:-1]

    systems = assembly.layout.systems
    kinds = {"cables": Cable2D, "contacts": ContactFrictionCircleCable2D, "springs": CoordinateSpringDamper}
    forces = {
        name: collect(lambda f, kind=kind: systems[kind].residual(evaluate(fields, f=f)))
        for name, kind in kinds.items()
    }
    forces["constraints"] = collect(lambda f: assembly.add_constraints(np.zeros_like(fields.lam), f))
    forces["loads"] = -collect(assembly.add_loads)
    forces["inertia"] = collect(assembly.add_inertia)
    momentum = collect(lambda f: assembly.add_mass_product(fields.v, f))
    stored = systems[Cable2D].energy(fields)
    fields.v[:] = 0.0
    elastic = collect(lambda f: systems[Cable2D].residual(evaluate(fields, f=f)))
    return Balance(state.q.copy(), forces, elastic, 0.5 * float(momentum @ state.v), stored)


@cache
def run(step: float = 1e-4) -> list[Span]:
    """Return all steps of a given size [s] up to 0.02 s, except the first step."""
    info, _ = load_reference("belt24_A")
    belt = build_belt(info)
    state, _ = solve_static(belt, info)
    belt.prepare_dynamic()
    # the tolerances are small, because the work of the residual is missing in the balance
    settings: dict[str, Any] = {"rtol": 1e-12, "atol": 1e-9, "passes": Passes(max_it=20, fail=False)}
    motion = Dynamic(belt.world, step=step, end=0.02, method="trapezoidal_index2", name="", **settings)
    passes, spans, start = LastPass(), [], None
    for now in motion.march(state, hooks=[passes]):
        if start is not None:
            spans.append(Span(start, eval_balance(motion.assembly, passes.solved, passes.used, now.t)))
        start = eval_balance(motion.assembly, now, passes.used, now.t)
    return spans


def eval_work(span: Span, one: FloatArray, two: FloatArray) -> float:
    """Return the work [J] of a force in a step from its left-hand-side values at both ends of the step."""
    return -0.5 * float((span.end.q - span.start.q) @ (one + two))


def works(step: float = 1e-4) -> dict[str, FloatArray]:
    """Return, for each step, the work [J] of each type of force on the belt and the pulleys, and the change [J] of the
    kinetic energy.
    """
    spans = run(step)
    result = {"kinetic": np.array([span.end.kinetic - span.start.kinetic for span in spans])}
    for name in FORCES:
        result[name] = np.array([eval_work(span, span.start.forces[name], span.end.forces[name]) for span in spans])
    return result


def test_identity_of_each_step() -> None:
    """The difference between T1 - T0 and the work of all forces is below 1e-8 of the largest work in a step. The
    measured value is 1e-13.
    """
    work = works()
    largest = max(np.abs(work[name]).max() for name in FORCES if name != "inertia")
    gap = work["kinetic"] - sum(work[name] for name in FORCES if name != "inertia")
    assert np.abs(gap).max() < 1e-8 * largest
    # if any type of force is omitted, the error of the identity is much larger
    for name in ("cables", "contacts", "springs", "constraints", "loads"):
        assert np.abs(work[name]).max() > 1e-5 * largest


def test_inertia_takes_what_forces_give() -> None:
    """In every step, M a = -F holds within 1e-8 of the largest force."""
    for span in run():
        for end in span:
            total = sum(end.forces[name] for name in FORCES)
            assert np.abs(total).max() < 1e-8 * np.abs(end.forces["contacts"]).max()


def test_cables_store_or_damp_what_they_take() -> None:
    """The work of the elastic forces of cables equals the change of their stored energy, with an error of order 2 in
    the step size.

    The measured error is 7e-7, and the tolerance is 2e-6.

    In every step, the damping of the cables dissipates the remaining work.
    """
    gaps = []
    for step in (1e-4, 5e-5):
        spans, work = run(step), works(step)["cables"]
        elastic = np.array([eval_work(span, span.start.elastic, span.end.elastic) for span in spans])
        gaps.append(elastic.sum() / (spans[-1].end.stored - spans[0].start.stored) + 1.0)
        assert (work - elastic).max() < 0.0
    assert abs(gaps[0]) < 2e-6
    assert_allclose(np.log2(gaps[0] / gaps[1]), 2.0, atol=0.2)
