"""Tests of fibre ropes whose static strain depends on the largest mean load (working curves), and of fibre ropes with a
constant static stiffness: comparisons with closed forms.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.interpolate import PchipInterpolator

import windlass as wl
from windlass import connectors as con
from windlass.elements import WorkingCable2D, nodes_of, straight_cable
from windlass.framework.model.table import Entity

ALPHA, BETA = 1.5e8, 20.0
STRAINS = np.linspace(0.0, 0.06, 25)
TENSIONS = 4.5e7 * STRAINS * (1.0 - 12.0 * STRAINS + 250.0 * STRAINS**2)
CURVE = {"working_strains": STRAINS, "working_tensions": TENSIONS, "slow_damping": 1e9, "stiffening": BETA}
SECTION = {"axial_stiffness": ALPHA, "bending_stiffness": 1.0, "mass_per_length": 40.0}
KINDS = [
    {"working_stiffness": 1.2e8},
    {"working_offset": 0.3},
    {"working_offset": 0.25, "working_quadratic": 0.9},
    {"working_offset": 0.2, "working_exponent": 1.5},
]
LENGTH = 10.0


def fast(T: Any) -> Any:
    """Return the strain of the fast part under constant loads T [N]."""
    return np.log1p(BETA * T / ALPHA) / BETA


ORIGINAL = PchipInterpolator(STRAINS - fast(TENSIONS), TENSIONS)


def invert(curve: Any, T: float, low: float, high: float) -> float:
    """Find, by bisection, the argument at which an ascending curve has the value T."""
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if curve(middle) < T else (low, middle)
    return 0.5 * (low + high)


def form(kind: dict[str, float], xi: Any) -> Any:
    """Return T/T_m of a working curve."""
    c, k = kind.get("working_exponent", 0.0), kind.get("working_quadratic", 0.0)
    return np.expm1(c * xi) / np.expm1(c) if c else xi * (k * xi + 1.0 - k)


def find_original(T: float) -> float:
    """Return the static strain on the original working curve."""
    return invert(ORIGINAL, T, 0.0, 0.06) + fast(T)


def find_working(kind: dict[str, float], T: float, largest: float) -> float:
    """Return the static strain on the working curve of the largest mean load."""
    top = find_original(largest)
    span = (1.0 - kind.get("working_offset", 0.0)) * top
    if "working_stiffness" in kind:
        span = largest / kind["working_stiffness"]
    return top - span * (1.0 - invert(lambda xi: form(kind, xi), T / largest, 0.0, 1.0))


def build(columns: dict[str, Any], force: float | Any, **more: Any) -> tuple[wl.World, Entity, Entity]:
    """Return a straight rope of two elements that is pulled at its end, the cables, and the force at the end."""
    world = wl.World()
    rope = straight_cable(world, (0, 0, 0), (LENGTH, 0, 0), 2, **SECTION, **columns, **more)
    ends = nodes_of(world, rope)
    con.hinge(world, ends[0])
    con.fix(world, ends[1:], "y", "z")
    marker = con.position_marker(world, ends[2])
    given = {"function": force} if callable(force) else {"vector": (force, 0.0, 0.0)}
    return world, rope, world.add(con.Force, marker=marker, **given)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("largest", [0.0, 1.2e6])
def test_static_strains_follow_the_curves(kind: dict[str, float], largest: float) -> None:
    """While the load is the largest load so far, the static strain follows the original curve, and otherwise the
    working curve.
    """
    world, rope, pull = build({**CURVE, **kind}, 0.0, largest_load=largest)
    state, top = None, largest
    for load in (0.8e6, 0.3e6, 1.5e6, 1.1e6, 0.2e6, 1.5e6, 2.2e6, 0.9e6):
        world.set(pull, vector=(load, 0.0, 0.0))
        state = wl.Static(world, name="").solve(state)
        strain = find_original(load) if load >= top else find_working(kind, load, top)
        top = max(top, load)
        for at in (0.0, 1.7, 5.0):
            assert_allclose(wl.eval_output(rope[0], "axial_strain", state, x=at), strain, rtol=1e-8)
            assert_allclose(wl.eval_output(rope[1], "axial_force", state, x=at), load, rtol=1e-7)
            assert_allclose(wl.eval_output(rope[1], "mean_load", state, x=at), load, rtol=1e-7)
    stiff = wl.eval_output(rope[0], "dynamic_stiffness", state)
    assert_allclose(stiff, ALPHA + BETA * 0.9e6, rtol=1e-8)


def test_curve_that_begins_under_load() -> None:
    """If the original curve begins at a strain ε_0 > 0 with a load, working curves end at ε_m - (1 - k1) (ε_m - ε_0).
    Small largest loads are then refused, because the working curves would be too steep.
    """
    columns = {**CURVE, **KINDS[1], "working_strains": STRAINS[2:], "working_tensions": TENSIONS[2:]}
    with pytest.raises(wl.ModelError, match="or largest_load must be larger"):
        wl.Static(build(columns, 1.8e6)[0], name="").solve()
    columns["largest_load"] = 1.2e6
    world, rope, pull = build(columns, 1.8e6)
    state = wl.Static(world, name="").solve()
    world.set(pull, vector=(7e5, 0.0, 0.0))
    state = wl.Static(world, name="").solve(state)
    curve = PchipInterpolator(STRAINS[2:] - fast(TENSIONS[2:]), TENSIONS[2:])
    top = invert(curve, 1.8e6, 0.0, 0.06) + fast(1.8e6)
    strain = top - 0.7 * (top - STRAINS[2]) * (1.0 - 7e5 / 1.8e6)
    assert_allclose(wl.eval_output(rope[0], "axial_strain", state, x=2.0), strain, rtol=1e-8)


def test_slack_rope_carries_no_load_on_curves_without_slope() -> None:
    """A rope on a working curve that begins without slope carries no load below the strain of its beginning."""
    kind = {"working_offset": 0.25, "working_quadratic": 1.0}
    world, rope, pull = build({**CURVE, **kind}, 1e6)
    least = 0.25 * find_original(1e6)
    hold = con.prescribe(world, nodes_of(world, rope)[2], "x", 0.5 * least * LENGTH)
    world.set(hold, active=False)
    state = wl.Static(world, name="").solve()
    world.set(pull, active=False)
    world.set(hold, active=True)
    state = wl.Static(world, name="").solve(state)
    assert_allclose(wl.eval_output(rope[0], "axial_force", state, x=2.0), 0.0, atol=1e-3)
    world.set(hold, offset=(find_working(kind, 4e5, 1e6)) * LENGTH)
    state = wl.Static(world, name="").solve(state)
    assert_allclose(wl.eval_output(rope[0], "axial_force", state, x=2.0), 4e5, rtol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("force", [9e5, 4e5])
def test_tangent(kind: dict[str, float], force: float) -> None:
    """The tangent is exact on the original curve and on working curves, for ropes that move."""
    world, _, pull = build({**CURVE, **kind}, 8e5)
    state = wl.Static(world, name="").solve()
    world.set(pull, vector=(force, 0.0, 0.0))
    state = wl.Static(world, name="").solve(state)
    if force > 8e5:
        # with smaller history values, the slow strain exceeds its largest earlier value, and is not at the kink of the
        # curve
        state.data *= 0.9
        state.start_data[:] = state.data
    wl.testing.check_tangent(world, state, displacement=1e-3)


@pytest.mark.parametrize("kind", KINDS)
def test_energy_of_loading_and_unloading(kind: dict[str, float]) -> None:
    """In slow loading to T_m and unloading, the lost energy is the area between the original curve and the working
    curve. The remainder of the ledger is small.
    """
    top, low, end = 1.6e6, 1e5, 40000.0
    s = np.linspace(0.0, end, 81)
    loads = np.interp(s, (0.0, 0.1 * end, 0.5 * end, 0.9 * end, end), (low, low, top, low, low))
    force = con.spline(s, np.column_stack((loads, 0.0 * s, 0.0 * s)))
    world, _, _ = build({**CURVE, **kind}, force)
    state = wl.Static(world, time=0.0, name="").solve()
    ledger = wl.EnergyLedger(None)
    wl.Dynamic(world, step=50.0, end=end, name="").solve(state, hooks=[ledger])
    # area between the curves from the load `low` upwards
    y = np.linspace(invert(ORIGINAL, low, 0.0, 0.06), invert(ORIGINAL, top, 0.0, 0.06), 20001)
    T = ORIGINAL(y)
    original = ((T[1:] + T[:-1]) * np.diff(y + fast(T))).sum() / 2.0
    xi = np.linspace(0.0, 1.0, 20001)
    up = find_original(top)
    span = top / kind["working_stiffness"] if "working_stiffness" in kind else (1.0 - kind["working_offset"]) * up
    F = top * form(kind, xi)
    kept = np.where(F[1:] > low, (F[1:] + F[:-1]) / 2.0 * np.diff(xi) * span, 0.0).sum()
    begin = find_original(low)
    damped = ledger.totals["WorkingCable3D.slow_damping"]
    lost = ledger.totals["WorkingCable3D.first_loading"]
    xi_low = invert(lambda at: form(kind, at), low / top, 0.0, 1.0)
    area = LENGTH * (original - kept)
    # energy of the working curve of the load `low` at its upper end, and of the working curve of T_m below `low`
    at = np.linspace(0.0, 1.0, 20001)
    small = low / kind["working_stiffness"] if "working_stiffness" in kind else (1.0 - kind["working_offset"]) * begin
    shape = low * form(kind, at)
    first = ((shape[1:] + shape[:-1]) / 2.0 * np.diff(at)).sum() * small
    at = np.linspace(0.0, xi_low, 20001)
    shape = top * form(kind, at)
    second = ((shape[1:] + shape[:-1]) / 2.0 * np.diff(at)).sum() * span
    assert_allclose(lost, area + LENGTH * (first - second), rtol=2e-3)
    assert 0.0 < damped < 0.05 * lost
    assert abs(ledger.rest) < 1e-3 * lost


def test_continued_run(tmp_path: Path) -> None:
    """A run that continues from a file after the largest load gives the result of a run that continues in memory."""
    t = np.linspace(0.0, 400.0, 41)
    force = con.spline(t, np.column_stack((8e5 + 6e5 * np.sin(0.02 * t), 0.0 * t, 0.0 * t)))
    world, rope, _ = build({**CURVE, **KINDS[1]}, force)
    half = wl.Dynamic(world, step=1.0, end=150.0, name="").solve(wl.Static(world, time=0.0, name="").solve())
    half.save(tmp_path / "half.npz")
    whole = wl.Dynamic(world, step=1.0, end=300.0, name="").solve(half)
    again = wl.Dynamic(world, step=1.0, end=300.0, name="").solve(wl.State(world).load(tmp_path / "half.npz"))
    assert (again.q == whole.q).all() and (again.data == whole.data).all()
    assert wl.eval_output(rope[0], "mean_load", whole, x=1.0) < 6e5  # the load is far below its largest value


@pytest.mark.parametrize("stiffening", [0.0, 0.4, 25.0])
def test_constant_static_stiffness(stiffening: float) -> None:
    """The static strain is N/S with the static stiffness S, and the stiffness for fast loads is α + β N."""
    S, force = 9e7, 1.3e6
    columns = {"static_stiffness": S, "slow_damping": 1e10, "stiffening": stiffening}
    t = con.ramp(0.0, 1.0, (force, 0.0, 0.0), (1.05 * force, 0.0, 0.0))
    world, rope, _ = build(columns, t)
    state = wl.Static(world, time=0.0, name="").solve()
    strain = wl.eval_output(rope[0], "axial_strain", state, x=2.0)
    assert_allclose(strain, force / S, rtol=1e-9)
    D = ALPHA + stiffening * force
    assert_allclose(wl.eval_output(rope[0], "dynamic_stiffness", state), D, rtol=1e-9)
    assert_allclose(wl.eval_output(rope[0], "slow_strain", state), force / S - force / D, rtol=1e-8)
    wl.testing.check_tangent(world, state, displacement=1e-3)
    ledger = wl.EnergyLedger(None)
    state = wl.Dynamic(world, step=0.01, end=1.0, name="").solve(state, hooks=[ledger])
    jump = wl.eval_output(rope[0], "axial_strain", state, x=2.0) - strain
    assert_allclose(jump, 0.05 * force / D, rtol=2e-2)
    assert abs(ledger.rest) < 1e-4 * force * strain * LENGTH


def test_dynamic_stiffness_of_a_worn_rope() -> None:
    """Below the largest load, a fast change of the load meets the stiffness α + β T of the mean load T."""
    columns = {**CURVE, **KINDS[3], "slow_damping": 1e11}
    force = con.ramp(0.0, 1.0, (6e5, 0.0, 0.0), (6.6e5, 0.0, 0.0))
    world, rope, _ = build(columns, force, largest_load=1.4e6)
    state = wl.Static(world, time=0.0, name="").solve()
    before = wl.eval_output(rope[0], "axial_strain", state, x=2.0)
    assert_allclose(before, find_working(KINDS[3], 6e5, 1.4e6), rtol=1e-8)
    state = wl.Dynamic(world, step=0.01, end=1.0, name="").solve(state)
    jump = wl.eval_output(rope[0], "axial_strain", state, x=2.0) - before
    assert_allclose(jump, 6e4 / (ALPHA + BETA * 6e5), rtol=2e-2)


BAD = [
    ({"working_strains": (0.0, 0.0), "working_tensions": (0.0, 1.0)}, "working_strains = .* must be two or more, asc"),
    ({"working_strains": (-0.1, 0.1), "working_tensions": (0.0, 1.0)}, "working_strains = .* must be .* and >= 0"),
    ({"working_tensions": TENSIONS[:-1]}, "working_tensions in WorkingCable3D row 0 has 24 values: must have 25"),
    ({"working_tensions": TENSIONS - 1.0}, "working_tensions = .* must be ascending and >= 0"),
    ({"working_tensions": 10.0 * TENSIONS}, "working_tensions = .* must rise less steeply than the dynamic stiffness"),
    ({"working_stiffness": 3e8}, "working curve of the mean load .* must rise less steeply than the dynamic stiffness"),
    ({"working_offset": 0.9}, "working curve of the mean load .* must rise less steeply than the dynamic stiffness"),
    ({"working_offset": 1.0}, "working_offset = 1.0 in WorkingCable3D row 0: must be < 1"),
    ({"working_quadratic": 1.5}, "working_quadratic = 1.5 in WorkingCable3D row 0: must be <= 1"),
    ({"working_offset": 0.1, "working_stiffness": 1e8}, "must have at most one of them that is not 0"),
    ({"working_exponent": 0.1, "working_quadratic": 0.1}, "must have at most one of them that is not 0"),
    ({"largest_load": -1.0}, "largest_load = -1.0 N in WorkingCable3D row 0: must be >= 0"),
    ({"integration": 0}, "integration = 0 in WorkingCable3D row 0: must be 2"),
]


@pytest.mark.parametrize(("columns", "words"), BAD)
def test_wrong_curves(columns: dict[str, Any], words: str) -> None:
    """Curves that do not ascend, or that are steeper than the dynamic stiffness, cause errors that state the value."""
    with pytest.raises(wl.ModelError, match=words):
        world, _, _ = build({**CURVE, **columns}, 0.0)
        world.finalize()


def test_wrong_static_stiffness() -> None:
    """A static stiffness above the dynamic stiffness causes an error. A static stiffness and a stiffness of the slow
    strain together also cause an error.
    """
    for columns, words in (
        ({"static_stiffness": ALPHA}, "must have a static stiffness below axial_stiffness"),
        ({"static_stiffness": 1e8, "slow_stiffness": 1e8}, "must have one of them > 0 N"),
    ):
        with pytest.raises(wl.ModelError, match=words):
            world, _, _ = build({"slow_damping": 1e9, **columns}, 0.0)
            world.finalize()


def test_plane_ropes_and_broken_ropes() -> None:
    """A 2D rope gives the strains of a 3D rope, and a broken rope carries no load."""
    world = wl.World()
    rope = straight_cable(world, (0, 0), (LENGTH, 0), 2, **SECTION, **CURVE, **KINDS[2], largest_load=1.5e6)
    assert rope.table.component is WorkingCable2D
    ends = nodes_of(world, rope)
    con.hinge(world, ends[0])
    con.fix(world, ends[1:], "y")
    world.add(con.Force, marker=con.position_marker(world, ends[2]), vector=(7e5, 0.0, 0.0))
    state = wl.Static(world, name="").solve()
    strain = find_working(KINDS[2], 7e5, 1.5e6)
    assert_allclose(wl.eval_output(rope[1], "axial_strain", state, x=1.0), strain, rtol=1e-8)
    world.set(rope[0], broken=True)
    assert_allclose(wl.eval_output(rope[0], "dynamic_stiffness", state), 0.0, atol=0)
