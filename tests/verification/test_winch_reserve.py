"""Tests of winch ropes with reserve cables: ropes that are paid out and taken in by many cable lengths, changes of the
mesh, and restart.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.polynomial import chebyshev
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

import windlass as wl
import windlass.connectors as con
from windlass.connectors.drives.winch_reserve import WinchReserve
from windlass.framework.assembly.assembly import serial_assembly
from windlass.framework.errors import ModelError
from windlass.framework.ledger.balance import Balance

from support.series import read_series
from support.winches import G, hang_in_reserve

RHO, EA, DAMPING, MASS = 0.5, 2e4, 100.0, 10.0
LAST, TIME = 10.0, 4.0


def pay_out(first: float, step: float = 0.01) -> tuple[WinchReserve, wl.EnergyLedger, Any, Any]:
    """Simulate a mass on 0.5 m of heavy rope that is paid out to 10 m and taken in again. Return the length as a
    function of time [m], and time, position of the end and tension at the outlet after each step, shape (steps, 3).
    """
    stiff = {"mass_per_length": RHO, "axial_stiffness": EA, "axial_damping": DAMPING, "bending_stiffness": 1e-4}
    world, rope, load = hang_in_reserve(first, 0.0, wanted=0.5, longest=LAST, mass=MASS, strain=5e-3, **stiff)
    start = first / 1.005
    out, back = (con.smooth_step(k * TIME, (k + 1) * TIME, 0.0, LAST - start) for k in range(2))
    con.prescribe(world, rope.feed, "s", lambda t: out(t) - back(t))
    rows: list[Any] = []

    def keep(state: wl.State) -> None:
        place = wl.eval_output(load, "position", state).ravel()[1]
        tension = wl.eval_output(rope.outside[0], "axial_force", state, share=0.0)
        rows.append((state.t, -place, float(np.ravel(tension)[0])))

    ledger, state = wl.EnergyLedger(), wl.Static(world, name="").solve()
    # the ledger is listed before the hook that changes the state; the order of hooks has no effect
    wl.Dynamic(world, step=step, end=2.0 * TIME, name="").solve(state, hooks=[ledger, rope, keep])
    return rope, ledger, lambda t: start + out(t) - back(t), np.array(rows)


def solve_equation(length: Any, times: Any, points: int = 8) -> Any:
    """Return the position of the end and the tension at the outlet, shape (times, 2), by Chebyshev collocation along
    the share σ of the length l: y_t + c y' = u, c = (1 - σ) l_t/l, ρ (u_t + c u') = ρ g + N'/l, N = EA (y'/l - 1) + d
    u'/l.
    """
    share = 0.5 * (1.0 - np.cos(np.pi * np.arange(points) / (points - 1)))
    inverse = np.linalg.inv(chebyshev.chebvander(2.0 * share - 1.0, points - 1))
    slope = np.array([2.0 * chebyshev.chebder(column) for column in inverse.T])
    D = chebyshev.chebvander(2.0 * share - 1.0, points - 2) @ slope.T

    def speed(t: float) -> float:
        return float(length(t + 1e-5) - length(t - 1e-5)) / 2e-5

    def tension(t: float, y: Any, u: Any) -> Any:
        return EA * (D @ y / length(t) - 1.0) + DAMPING * D @ u / length(t)

    def rates(t: float, z: Any) -> Any:
        y, u = z.reshape(2, points).copy()
        l, c = length(t), (1.0 - share) * speed(t) / length(t)
        u[0] = c[0] * (D @ y)[0]
        N = tension(t, y, u)
        u_t = G + D @ N / (RHO * l) - c * (D @ u)
        u_t[0], u_t[-1] = 0.0, G - N[-1] / MASS
        y_t = u - c * (D @ y)
        y_t[0] = 0.0
        return np.concatenate((y_t, u_t))

    l = length(0.0)
    x = share * l
    rest = x + (MASS * G * x + RHO * G * (l * x - 0.5 * x**2)) / EA
    start = np.concatenate((rest, np.zeros(points)))
    found = solve_ivp(rates, (0.0, times[-1]), start, "Radau", rtol=1e-8, atol=1e-9, t_eval=times).y.T
    ends = []
    for t, z in zip(times, found, strict=True):
        y, u = z.reshape(2, points).copy()
        u[0] = speed(t) / length(t) * (D @ y)[0]
        ends.append((y[-1], tension(t, y, u)[0]))
    return np.array(ends)


def test_many_cable_lengths_out_and_back() -> None:
    """A rope is paid out from 0.5 m to 10 m and taken in again, with 1 to 32 cables. The end and the tension at the
    outlet agree with `solve_equation`, and the remainder of the energy balance is small.
    """
    rope, ledger, length, found = pay_out(0.5)
    assert [change.cables for change in rope.changes] == [2, 4, 8, 16, 8, 4, 2]
    found = found[::20]
    exact = solve_equation(length, found[:, 0])
    assert np.ptp(exact[:, 0] - [length(t) for t in found[:, 0]]) > 0.07
    assert_allclose(found[:, 1], exact[:, 0], atol=5e-5, rtol=0)
    assert_allclose(found[:, 2], exact[:, 1], atol=0.01 * exact[:, 1].max(), rtol=0)
    assert abs(ledger.totals["changes of the model"]) < 1e-6
    assert abs(ledger.rest) < 1e-4 * np.abs(ledger["gravity"]).max()


def lay(cables: int, space: bool) -> tuple[wl.World, WinchReserve, wl.State]:
    """Create a rope with a smooth shape and a smooth motion. The rope has just become too short for its number of
    cables.
    """
    world, length, last = wl.World(gravity=(0.0, -G, 0.0)), 4.0, 1.52
    end = (length, 0.0, 0.0)[: 2 + space]
    stiff = {"mass_per_length": 0.7, "axial_stiffness": 500.0, "bending_stiffness": 0.3}
    rope = con.WinchReserve(world, (0.0,) * len(end), end, wanted=length / cables, longest=1.5 * length, **stiff)
    state = wl.State(world)
    for name, value in (("q", last - length), ("v", -1.3), ("a", 0.4)):
        state.put(rope.feed, value, name)
    k = np.linspace(0.0, 1.0, cables + 1)
    # r(σ) and r_t at fixed shares σ; slopes are derivatives with respect to length
    r, side = (1.02 * last * k, 0.3 * np.sin(2.0 * k)), (0.6 * np.cos(2.0 * k) / last)
    r_t, turn = (-1.3 * 1.02 * k, 0.5 * np.sin(3.0 * k)), 1.5 * np.cos(3.0 * k) / last + 1.3 * side / last
    x = np.stack((*r, *[0.0 * k] * space, 1.02 + 0.0 * k, side, *[0.0 * k] * space), axis=1)
    v = np.stack((*r_t, *[0.0 * k] * space, 0.0 * k, turn, *[0.0 * k] * space), axis=1)
    stride = (len(rope.nodes) - 1) // cables
    nodes = rope.nodes[::stride]
    reference = np.hstack([nodes.table.collect(name, nodes.rows) for name in ("position", "slope")])
    state.put(nodes, x - reference)
    state.put(nodes, v, "v")
    return world, rope, state


def measure(world: wl.World, rope: WinchReserve, state: wl.State) -> Any:
    """Return mass, momentum, kinetic energy, and energies of stretching and bending."""
    balance = Balance(serial_assembly(world), state)
    balance.begin(state)
    sums = [wl.eval_output(rope.cables, name, state).sum(axis=0) for name in ("mass", "momentum")]
    return np.concatenate(([sums[0]], sums[1], list(balance.stored().values())))


@pytest.mark.parametrize("space", [False, True])
def test_what_a_change_keeps_and_leaves_out(space: bool) -> None:
    """On a rope with smooth motion, splitting cables conserves mass, momentum, kinetic energy and positions. Merging
    cables changes momentum, energies and positions only by errors of order 4 or more in the cable length.
    """
    left = []
    for cables in (8, 16):
        world, rope, state = lay(cables, space)
        before = measure(world, rope, state)
        places = wl.eval_output(rope.outside, "position", state, share=1.0 - 1e-12)[::2]
        rope.before_step(state)
        assert len(rope.outside) == cables // 2 == rope.changes[-1].cables
        merged = measure(world, rope, state)
        moved = np.abs(wl.eval_output(rope.outside, "position", state) - places).max()
        left.append([*np.abs(merged - before)[[2, 4, 5, 6]], moved, abs(rope.changes[-1].weight)])
        # the mass changes only by rounding errors
        assert_allclose(merged[0], before[0], rtol=1e-14)
        old = {name: wl.eval_output(rope.outside, name, state, share=0.75) for name in ("position", "velocity")}
        # the present length is too long for the number of cables after the change
        rope._wanted = 0.99 * 1.52 / (1.6 * cables / 2)
        rope.before_step(state)
        split = measure(world, rope, state)
        assert len(rope.outside) == cables
        assert_allclose(split[:5], merged[:5], rtol=1e-13, atol=1e-13)
        for name, value in old.items():
            assert_allclose(wl.eval_output(rope.outside[1::2], name, state), value, rtol=1e-13, atol=1e-13)
        left[-1].append(abs(split[5] - merged[5]))
    order = np.log2(np.array(left[0]) / left[1])
    assert (order > 3.6).all(), order
    assert np.max(left[1]) < 3e-5


def sway(wanted: float) -> Any:
    """Return the positions of a mass on a heavy rope that is paid out and taken in while the winch moves sideways,
    shape (steps, 2) [m].
    """
    stiff = {"mass_per_length": 1.0, "axial_stiffness": 5e3, "bending_stiffness": 1e-2, "axial_damping": 50.0}
    aside = con.smooth_step(0.0, 3.0, 0.0, 1.0)
    world, rope, load = hang_in_reserve(1.0, 0.0, wanted, 4.0, mass=2.0, strain=2e-3, drive=aside, **stiff)
    out, back = (con.smooth_step(2.0 * k, 2.0 * k + 2.0, 0.0, 3.0) for k in range(2))
    con.prescribe(world, rope.feed, "s", lambda t: out(t) - back(t))
    places: list[Any] = []
    state = wl.Static(world, name="").solve()
    hooks: list[Any] = [rope, lambda state: places.append(wl.eval_output(load, "position", state).ravel()[:2])]
    wl.Dynamic(world, step=5e-3, end=4.0, name="").solve(state, hooks=hooks)
    assert len(rope.changes) == 3
    return np.array(places)


@pytest.mark.long
def test_convergence_with_the_length_of_the_cables() -> None:
    """Positions with cables of 1 m to 0.06 m are compared with cables of 0.03 m: four halvings reduce the error by a
    factor of 100 (order 1.7).
    """
    exact = sway(0.03125)
    errors = [np.abs(sway(wanted) - exact).max() for wanted in (1.0, 0.5, 0.25, 0.125, 0.0625)]
    assert errors[0] < 3e-4
    assert (np.diff(errors) < 0.0).all(), errors
    assert errors[-1] < 0.01 * errors[0], errors


def swing_and_pay(folder: Path, part: int) -> tuple[WinchReserve, wl.State]:
    """Simulate a load that swings in 3D while its rope grows from 0.5 m to 2 m.

    The run saves its state, or starts from a saved state.
    """
    world, rope, _ = hang_in_reserve(
        0.5, 0.3, wanted=0.5, longest=2.0, space=True, mass_per_length=0.5, axial_stiffness=2e4,
        bending_stiffness=1e-3, axial_damping=100.0, strain=MASS * G / 2e4,
    )  # fmt: skip
    con.prescribe(world, rope.feed, "s", con.smooth_step(0.0, 1.2, 0.0, 1.5))

    def keep(state: wl.State) -> None:
        if state.step == 35 and not part:
            state.save(folder / "state.npz")

    start = wl.State(world).load(folder / "state.npz", switches="restore") if part else None
    solver = wl.Dynamic(world, step=0.02, end=1.2, name="")
    with wl.Recorder(folder / f"rope{part}", formats="vtu", subdivisions=2) as recorder:
        end = solver.solve(start, hooks=[rope, recorder, keep], resume=bool(part))
    if not part:
        times, frame = read_series(recorder.paths[0])
        for t in (times[0], times[-1]):
            points = frame(t).points
            assert np.isfinite(points).all()
        assert_allclose(np.linalg.norm(points, axis=1).max(), 2.0, rtol=0.01)
    return rope, end


def test_saved_state_goes_on_to_the_bit(tmp_path: Path) -> None:
    """The results of a run that starts from a state saved between two mesh changes are bit-identical to the results of
    an uninterrupted run.

    Frames contain only the cables outside the winch.
    """
    (whole, end), (part, again) = (swing_and_pay(tmp_path, k) for k in range(2))
    assert [change.cables for change in whole.changes] == [2, 4]
    assert whole.changes[0].t < 0.7 < whole.changes[1].t
    assert part.changes == whole.changes[1:]
    for name in ("q", "v", "a", "lam"):
        assert (getattr(again, name) == getattr(end, name)).all(), name


def test_what_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """A rope longer than the longest length, and a column that users cannot set, are refused.

    If the rope becomes longer than the longest length during a run, a note is given.
    """
    stiff = {"mass_per_length": 0.5, "axial_stiffness": 1e3, "bending_stiffness": 0.0}
    world = wl.World()
    with pytest.raises(ModelError, match=r"longest = 0.5 m of rope, which is 1 m long at the start"):
        con.WinchReserve(world, (0, 0), (1, 0), wanted=0.2, longest=0.5, **stiff)
    with pytest.raises(ModelError, match=r"longest = 400 m of rope: must be at most 100000 times wanted = 0.0005 m"):
        con.WinchReserve(world, (0, 0), (1, 0), wanted=5e-4, longest=400.0, **stiff)
    with pytest.raises(ModelError, match="active of rope: must be left out"):
        con.WinchReserve(world, (0, 0), (1, 0), wanted=0.2, longest=2.0, active=True, **stiff)
    rope = con.WinchReserve(world, (0, 0), (1, 0), wanted=0.2, longest=2.0, **stiff)
    state = wl.State(world)
    state.put(rope.feed, 2.0)
    rope.before_step(state)
    assert len(rope.outside) == 8
    assert "rope: all 8 cables are outside and grow longer" in capsys.readouterr().err
