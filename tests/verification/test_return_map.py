"""Tests of belts for which each Newton iteration decides the states (stick, slip, open) of the contact points: counts,
results, and reported forces.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import windlass as wl
from windlass import connectors as con
from windlass.connectors.friction.bristle import SLIPS, STICKS, UNDEFINED
from windlass.elements import RigidBody2D
from windlass.framework.arrays import FloatArray
from windlass.framework.model.system import CONSTANT, evaluate
from windlass.framework.runtime.petsc import PETSc
from windlass.solvers.newton.newton import NewtonRun

from support.processes import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))

STEP, SPEED = 1e-4, 60.0


class Mounted:
    """A moving belt and a driven pulley with a load torque proportional to its speed."""

    def __init__(self) -> None:
        world = self.world = wl.World()
        a = world.add(RigidBody2D, name="driver", position=(0.0, 0.0), mass=1.0, inertia=0.01)
        b = self.driven = world.add(RigidBody2D, name="driven", position=(0.25, 0.0), mass=1.0, inertia=0.0005)
        con.fix(world, [a, b], "x", "y")
        drive = con.prescribe_velocity(world, a, "rotation", -SPEED)
        self.spin = con.coordinate_marker(world, b, "rotation")
        world.add(con.CoordinateSpringDamper, marker1=self.spin, damping=0.05)
        self.belt = wl.Belt(
            world, [wl.Pulley(a, 0.05), wl.Pulley(b, 0.05)], tension=300.0, axial_stiffness=2e4,
            bending_stiffness=1e-4, mass_per_length=0.1, axial_damping=1.0, friction=0.5, step=STEP, elements=60,
        )  # fmt: skip
        with self.belt.preload(drive):
            state = self.state = wl.Static(world, name="").solve()
        ix = state.local_dofs(self.belt.nodes)
        slope = (state.q[ix] + state.assembly.layout.reference[ix])[:, 2:]
        state.v[ix[:, :2]] = 0.05 * SPEED * slope
        state.v[ix[:, 2:]] = 0.05 * SPEED * (np.roll(slope, -1, 0) - np.roll(slope, 1, 0)) * 30 / self.belt.length
        for body in (a, b):
            state.v[state.local_dofs(body)[0, 2]] = -SPEED

    def create_solver(self, end: float, **settings: Any) -> wl.Dynamic:
        """Return the solver of a run."""
        return wl.Dynamic(
            self.world, step=STEP, end=end, method="generalized_alpha_index2", spectral_radius=0.6, name="", **settings
        )

    def run(self, end: float, **settings: Any) -> tuple[wl.State, wl.Dynamic]:
        """Return the state at the end, and the solver."""
        solver = self.create_solver(end, **settings)
        return solver.solve(self.state.copy()), solver


@pytest.fixture(scope="module")
def mounted() -> Mounted:
    return Mounted()


def test_one_pass_per_step(mounted: Mounted) -> None:
    """Steps have at most 1.02 passes and 2.9 iterations on average, and none of 300 steps is rejected.

    With decisions that are frozen during Newton's method, steps need 1.4 passes and 5 iterations.
    """
    _, solver = mounted.run(0.03)
    _, frozen = mounted.run(0.03, decide_in_newton=0)
    now, before = solver.statistics, frozen.statistics
    assert now.discontinuous_iterations <= 1.02 * now.steps and now.newton_iterations <= 2.9 * now.steps
    assert now.rejected == 0 and solver.verdict.word == "ok"
    assert before.discontinuous_iterations > 1.3 * before.steps
    assert now.newton_iterations < 0.6 * before.newton_iterations


@pytest.mark.parametrize("name", ["stiff", "soft", "cord"])
def test_drives_need_few_iterations(name: str) -> None:
    """Drives of `benchmarks/decisions.py` need at most 4 iterations and 1.2 passes per step, and at most 1 % of the
    attempts are rejected.
    """
    # imported inside the function, because benchmarks are not part of the package
    from decisions import DRIVES
    from drives import run

    found = run(DRIVES[name], revolutions=0.6, start=0.5)
    counts = found.statistics
    assert not found.reasons and counts.steps > 600
    assert counts.newton_iterations <= 4.0 * counts.steps and counts.discontinuous_iterations <= 1.2 * counts.steps
    assert counts.rejected <= 0.01 * (counts.steps + counts.rejected)


def find_kinds_of_change(start: FloatArray, data: FloatArray) -> set[str]:
    """Return how the points of the rows (4 gaps, 4 states, ...) change in a step: a row "comes" onto a circle, or some
    of its points touch or open.
    """
    before, now = start[:, 4:8] != UNDEFINED, data[:, 4:8] != UNDEFINED
    sticks, some = (data[:, 4:8] == STICKS).any(axis=1), before.any(axis=1)
    kinds = {"comes": ~some, "touches": some & (now & ~before).any(axis=1), "opens": (before & ~now).any(axis=1)}
    return {kind for kind, rows in kinds.items() if (rows & sticks).any()}


def test_tangent_of_the_return_map(mounted: Mounted) -> None:
    """The tangent of Newton's method is the derivative of a residual that contains the return map, also if contact
    states are constant. In the tested steps, a cable moves onto a circle, or points of a cable touch or open. If points
    touch or open, the derivative at constant history values differs by more than 1 % of the largest element of a row.
    """
    solver = mounted.create_solver(0.03)
    problem, attempt = solver.problem, solver.newton._attempt
    problem.may_compile = False
    fields, unknowns = problem.assembly.fields, problem.sparsity.unknowns
    place, count = unknowns.of_dof[: len(problem.assembly.layout.owned)], problem.unknowns.getSize()
    seen, vector, out = dict[str, int](), problem.unknowns.duplicate(), problem.unknowns.duplicate()

    def evaluate_at(x: FloatArray, data: FloatArray, maps: float) -> FloatArray:
        vector.setArray(x)
        fields.data[:], fields.mapped[0] = data, maps
        problem._expanded[0] = 0
        problem.eval_residual(None, vector, out)
        return np.array(out.array_r)

    def read_tangent(maps: float) -> FloatArray:
        fields.mapped[0] = maps
        problem.update_tangent(vector)
        return problem.matrix.mat.convert("dense", PETSc.Mat()).getDenseArray()[np.ix_(place, place)]

    def compare(x: FloatArray, data: FloatArray, kinds: set[str]) -> None:
        """Compare the tangent with differences of the residual. ``kinds`` describes how contacts change in the step."""
        steps, K = 1e-9 * np.eye(count)[place], np.empty((len(place), len(place)))
        for maps in (9.0, 0.0):
            for k, h in enumerate(steps):
                K[:, k] = (evaluate_at(x + h, data, maps) - evaluate_at(x - h, data, maps))[place] / 2e-9
            evaluate_at(x, data, maps)
            size = np.abs(K).max(axis=1, keepdims=True)
            assert (np.abs(read_tangent(maps) - K) / size).max() < 1e-6
        assert kinds == {"comes"} or (np.abs(read_tangent(CONSTANT) - K) / size).max() > 1e-2

    def follow(*arguments: Any, **named: Any) -> NewtonRun:
        run = attempt(*arguments, **named)
        kinds = find_kinds_of_change(fields.start_data.reshape(-1, 20), fields.data.reshape(-1, 20))
        if run.converged and fields.mapped[0] > 0.0 and any(seen.get(kind, 0) < 2 for kind in kinds):
            x, data, left = np.array(problem.unknowns.array_r), fields.data.copy(), float(fields.mapped[0])
            compare(x, data, kinds)
            evaluate_at(x, data, left)
            fields.data[:], fields.mapped[0] = data, left
            problem.lag.drop_tangent()
            seen.update({kind: seen.get(kind, 0) + 1 for kind in kinds})
        return run

    solver.newton._attempt = follow  # type: ignore[method-assign]
    solver.solve(mounted.state.copy())
    assert set(seen) == {"comes", "touches", "opens"}


def test_run_in_a_cycle_is_repeated_with_frozen_states(mounted: Mounted) -> None:
    """In one of 300 steps, a contact point alternates between two states. The run of Newton's method ends after a few
    iterations, and the step is repeated with frozen states. Results of compiled and of Python code are equal.
    """
    state, solver = mounted.run(0.03)
    slow = mounted.create_solver(0.03)
    slow.problem.may_compile = False
    attempt, runs = slow.newton._attempt, list[NewtonRun]()

    def follow(*arguments: Any, **named: Any) -> NewtonRun:
        runs.append(attempt(*arguments, **named))
        return runs[-1]

    slow.newton._attempt = follow  # type: ignore[method-assign]
    same = slow.solve(mounted.state.copy())
    ended = [k for k, run in enumerate(runs) if run.reason == "DIVERGED_INNER"]
    assert len(ended) == 1 and runs[ended[0] + 1].converged and runs[ended[0]].iterations < 10
    counts, own = slow.statistics, solver.statistics
    assert counts.newton_iterations == own.newton_iterations == sum(run.iterations for run in runs)
    assert counts.discontinuous_iterations == own.discontinuous_iterations
    assert_array_equal(state.q, same.q)
    assert_array_equal(state.data, same.data)


def test_slip_does_not_reverse_between_two_iterates(mounted: Mounted) -> None:
    """If the sliding velocity of a slipping point changes its sign from one iterate to the next, the point first
    sticks. If the velocity has the new sign in the following iterate too, the point slips in the new direction.
    """
    state, solver = mounted.run(0.005)
    assembly, place = solver.assembly, state.local_dofs(mounted.driven)[0, 2]
    (system,) = (system for system in assembly.systems if system.return_map.motion is not None)
    ends, n = state.data.reshape(len(system.dofs), -1), 4
    rows = np.flatnonzero((ends[:, :n] <= 0.0).all(axis=1) & (ends[:, n : 2 * n] != UNDEFINED).all(axis=1))
    found, data = list[FloatArray](), state.data
    for speed in (1e3, 1e3, -1e3, -1e3):
        moved = state.copy()
        moved.v[place] = speed
        fields = assembly.load_fields(moved)
        fields.data[:], fields.start_data[:], fields.mapped[0] = data, state.data, 1.0
        system.return_map.motion(evaluate(fields))  # type: ignore[misc]
        fields.mapped[0] = CONSTANT
        data = fields.data.copy()
        found.append(data.reshape(ends.shape)[rows, n : 2 * n])
    turned = (np.abs(found[1]) == SLIPS) & (found[3] == -found[1])
    assert turned.sum() > 20
    assert (found[2][turned] == STICKS).all()


def test_answers_are_those_of_frozen_decisions(mounted: Mounted) -> None:
    """Decisions inside Newton's method and frozen decisions lead to the same motion and the same energies. With small
    tolerances, the coordinates after 100 steps agree within 1e-10 m, and all sums of the ledger within 1e-10 J.
    """
    ends, sums = list[FloatArray](), list[dict[str, float]]()
    for count in (0, 10):
        ledger = wl.EnergyLedger()
        passes = wl.Passes(atol=1e-10, rtol=1e-11, max_it=30)
        solver = mounted.create_solver(0.01, decide_in_newton=count, rtol=1e-11, passes=passes)
        ends.append(solver.solve(mounted.state.copy(), hooks=[ledger]).q)
        sums.append(dict(ledger.totals))
    assert_allclose(ends[0], ends[1], rtol=0, atol=1e-10)
    for name, value in sums[0].items():
        assert_allclose(sums[1][name], value, rtol=0, atol=1e-10, err_msg=name)


def test_torque_of_the_belt_turns_the_pulley(mounted: Mounted) -> None:
    """Inertia times angular acceleration equals the torque of the belt in the outputs minus the torque of the load."""
    state, _ = mounted.run(0.02)
    torque = mounted.belt.report(state).pulleys[1].torque
    place = state.local_dofs(mounted.driven)[0, 2]
    assert_allclose(0.0005 * state.a[place], torque - 0.05 * state.v[place], atol=2e-5, rtol=0)
