"""Tests of the contact law at points of cables, with given gaps and velocities instead of a geometry: normal force,
friction, derivatives, updates, powers, and the assembly of tangents.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from windlass.connectors.contact import assembly, law, power, update
from windlass.connectors.contact.law import PointLaw
from windlass.connectors.friction.bristle import SLIPS, STICKS, UNDEFINED

DEPTH, STEP = 2e-3, 1e-6
NORMAL = {"contact_stiffness": 1e4, "contact_damping": 30.0}
RUBS = {"friction_velocity_penalty": 20.0, "friction_stiffness": 5e3, "friction_coefficient": 0.4}


def create_law(depth: float = 0.0, clip: bool = False) -> PointLaw:
    return PointLaw(**NORMAL, damping_depth=depth, **RUBS, clip_normal_force=clip)


@pytest.mark.parametrize("depth", [0.0, DEPTH])
@pytest.mark.parametrize("clip", [False, True])
@pytest.mark.parametrize(("gap", "vn"), [(-1e-3, 0.1), (-1e-3, -0.1), (-3e-3, 0.5), (-3e-3, 2.0), (-1e-3, 2.0)])
def test_normal_force(depth: float, clip: bool, gap: float, vn: float) -> None:
    """The damping increases smoothly with the depth, a clipped force is never tensile, and the derivatives are
    exact.
    """
    p = create_law(depth, clip)
    share = min(-gap / depth, 1.0) if depth else 1.0
    plain = 1e4 * gap + 30.0 * share * vn
    assert np.isclose(law.eval_normal_force(p, gap, vn), min(plain, 0.0) if clip else plain, rtol=1e-14)
    by_gap, by_rate = law.eval_normal_slopes(p, gap, vn, law.eval_normal_force(p, gap, vn))
    ahead, behind = (law.eval_normal_force(p, gap + h, vn) for h in (STEP, -STEP))
    faster, slower = (law.eval_normal_force(p, gap, vn + h) for h in (STEP, -STEP))
    assert np.isclose(by_gap, (ahead - behind) / (2.0 * STEP), rtol=1e-7)
    assert np.isclose(by_rate, (faster - slower) / (2.0 * STEP), rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize(("slips", "least"), [(False, 0.0), (True, 0.0), (True, 0.5), (True, 1.0)])
@pytest.mark.parametrize("fn", [-5.0, -15.0, -60.0])
def test_friction_in_a_plane(slips: bool, least: float, fn: float) -> None:
    """The force is tau while the point sticks. While the point slips, the force has the direction of tau and the
    magnitude of the limit. If the magnitude of tau is below the fraction ``least`` of the limit, the force is
    tau/least.
    """
    p, u, v = create_law(), np.array([1e-3, -5e-4, 2e-4]), np.array([0.02, 0.05, -0.04])
    tau, limit = 5e3 * u + 20.0 * v, 0.4 * abs(fn)
    size = np.linalg.norm(tau)
    expected = tau if not slips else tau * min(limit / size, 1.0 / least if least else np.inf)
    f = law.rub(p, tuple(u), tuple(v), fn, slips, least)
    assert np.allclose(f.force, expected, rtol=1e-14)
    assert f.slides == (slips and size > least * limit)
    # directional derivative for simultaneous changes of the deflection, the velocity and the normal force
    du, dv, dfn = np.array([3.0, 1.0, -2.0]), np.array([1.0, -2.0, 0.5]), 4e3

    def force(h: float) -> Any:
        return np.asarray(law.rub(p, tuple(u + h * du), tuple(v + h * dv), fn + h * dfn, slips, least).force)

    change = law.change_friction(p, f, fn, tuple(5e3 * du + 20.0 * dv), dfn)
    assert np.allclose(change, (force(1e-8) - force(-1e-8)) / 2e-8, rtol=1e-6)


@pytest.mark.parametrize("state", [STICKS, SLIPS, -SLIPS, UNDEFINED])
def test_friction_along_a_line(state: float) -> None:
    p, u, v, fn, h = create_law(), 1e-3, 0.1, -20.0, 1e-6

    def force(du: float = 0.0, dv: float = 0.0, dfn: float = 0.0) -> float:
        return float(law.rub_along(p, state, 5e3, u + du, v + dv, fn + dfn))

    assert force() == {STICKS: 7.0, UNDEFINED: 0.0}.get(state, 8.0 * state)
    slopes = [(force(**{name: h}) - force(**{name: -h})) / (2.0 * h) for name in ("dfn", "dv", "du")]
    assert np.allclose(law.eval_slopes_along(p, state, fn), slopes, rtol=1e-7)


def test_stored_gaps_and_states() -> None:
    """Opening, closing and changes between sticking and slipping cause force errors. The end of friction causes no
    force error.
    """
    data = np.array([-1e-3, STICKS])
    assert update.store_gap(data, 0, -2e-3, 1e4) == (0.0, False) and data[0] == -2e-3
    error, changed = update.store_gap(data, 0, 1e-3, 1e4)
    assert np.isclose(error, 30.0) and changed and data[0] == 1e-3
    assert update.store_state(data, 1, STICKS, -3.0) == (0.0, False)
    assert update.store_state(data, 1, SLIPS, 2.0) == (2.0, True)
    assert update.store_state(data, 1, UNDEFINED, 2.0) == (0.0, False) and data[1] == UNDEFINED
    outcome = np.zeros(5)
    update.judge_rows(np.array([0.0, 3.0, 1.0]), np.array([9.0, 2.0, 4.0]), True, outcome)
    assert outcome.tolist() == [3.0, np.inf, 1.0, 9.0, 1.0]


@pytest.mark.parametrize("state", [STICKS, SLIPS])
def test_powers_of_a_point_are_divided_without_rest(state: float) -> None:
    p, to, gap, vn, taken = create_law(), np.zeros(power.NUMBERS), -1e-3, 0.2, 0.7
    fn = law.eval_normal_force(p, gap, vn)
    power.write_place(to, p, gap, vn, fn, state, taken, 0.1, 0.05, 2e-3)
    assert np.isclose(to[: power.LEVER + 1].sum(), fn * vn + taken, rtol=1e-14)
    assert to[power.SLIDING] == (taken if state == SLIPS else 0.0)
    assert np.isclose(to[power.DAMPING], 30.0 * vn * vn) and np.isclose(to[power.SPRING], 0.5 * 1e4 * gap * gap)
    power.clear_place(to)
    assert to[power.STATE] == power.OPEN and not np.delete(to, power.STATE).any()


@pytest.mark.parametrize(("d", "w"), [(2, 3), (3, 6)])
def test_points_are_summed_as_products_of_jacobians(d: int, w: int) -> None:
    """The matrix K is the sum of B^T (C B) over the points, with B = [S, -I, 0; 0, 0, I]. The marker maps (c, theta)
    linearly.
    """
    rng = np.random.default_rng(d)
    S, C, V, n = rng.standard_normal(4), rng.standard_normal((w, w)), rng.standard_normal((w, w)), 4 * d
    B, to = np.zeros((w, n + w)), np.zeros((w, n + w))
    for j in range(4):
        B[:d, d * j : d * (j + 1)] = S[j] * np.eye(d)
    B[:d, n : n + d], B[d:, n + d :] = -np.eye(d), np.eye(w - d)
    to[:d, :n], to[:, n:] = B[:d, :n], -np.eye(w)
    K, N = np.zeros((n + w, n + w)), np.zeros((n + w, w))
    assembly.add_point(tuple(S), d, w, C, V, True, K, N)
    assert np.allclose(K, to.T @ C @ B) and np.allclose(N, to.T @ V @ B[:, n:])
    if d == 2:
        # the same test for a point that is not on the axis, with the same constant Jacobian
        beside, rates, X = np.zeros((11, 11)), np.zeros((11, 3)), np.zeros((3, 11))
        assembly.add_offset_point(B[:2, :8].copy(), np.zeros((2, 8)), C, V, X, True, beside, rates)
        assert np.allclose(beside, K) and np.allclose(rates, N)


def test_markers_map_blocks_to_their_coordinates() -> None:
    """The matrix of a row is P^T K P + P^T N R minus the second derivatives of the marker."""
    rng, d, w, width = np.random.default_rng(0), 3, 6, 7
    n = 4 * d

    class Marker:
        jacobian, jacobian_rate, rotation_jacobian = (rng.standard_normal((1, 3, width)) for _ in range(3))
        hessian, rotation_hessian = (rng.standard_normal((1, 3, width, width)) for _ in range(2))
        second = np.zeros(1, np.int64)

    v, dofs = rng.standard_normal(n + width), np.arange(n + width)[None]
    K, N, wrench = rng.standard_normal((n + w, n + w)), rng.standard_normal((n + w, w)), rng.standard_normal(w)
    P, R, size = np.zeros((width, w)), np.zeros((width, w)), n + width
    values, slots = np.zeros(size * size), np.arange(size * size).reshape(1, size, size)
    plain = [getattr(one, "py_func", one) for one in (assembly.fill_marker, assembly.scatter_row)]
    plain[0](Marker, 0, d, w, v, dofs, 0, P, R)
    plain[1](Marker, 0, d, w, dofs, 0, K, N, P, R, wrench, np.zeros(w), slots, values)
    turn = np.concatenate((Marker.jacobian[0], Marker.rotation_jacobian[0]))
    rate = np.concatenate((Marker.jacobian_rate[0], np.einsum("dba,b->da", Marker.rotation_hessian[0], v[n:])))
    whole = np.zeros((n + w, size))
    whole[:n, :n], whole[n:, n:] = np.eye(n), turn
    expected = whole.T @ K @ whole
    expected[:, n:] += whole.T @ N @ rate
    expected[n:, n:] -= np.einsum("d,dab->ab", wrench, np.concatenate((Marker.hessian[0], Marker.rotation_hessian[0])))
    assert np.allclose(values.reshape(size, size), expected)
