"""`Cable2D` with user functions for axial force and bending moment is compared with the linear laws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from windlass.framework.errors import ModelError
from windlass.framework.state.assemble import assemble_matrix
from windlass.framework.state.evaluate import eval_output
from windlass.testing import check_tangent

from support.cables import create_cables, residual, shake
from support.matrices import dense


def linear_N(t: float, x: Any, eps: Any, eps_t: Any, eps_ref: Any, kap: Any, kap_t: Any, kap_ref: Any, p: Any) -> Any:
    return 523.0 * (eps - eps_ref) + 1.9 * eps_t


def linear_M(t: float, x: Any, eps: Any, eps_t: Any, eps_ref: Any, kap: Any, kap_t: Any, kap_ref: Any, p: Any) -> Any:
    return p.bending_stiffness * (kap - kap_ref) + p.bending_damping * kap_t


def nonlinear_N(
    t: float, x: Any, eps: Any, eps_t: Any, eps_ref: Any, kap: Any, kap_t: Any, kap_ref: Any, p: Any
) -> Any:
    stiffness = p.axial_stiffness * (1.0 + x + t) * (1.0 + 0.1 * p.row)
    return stiffness * np.sinh(eps - eps_ref) + eps_t * (2.0 + eps_t**2) + 3.0 * kap**2 * eps - 0.7 * kap * kap_t


def nonlinear_M(
    t: float, x: Any, eps: Any, eps_t: Any, eps_ref: Any, kap: Any, kap_t: Any, kap_ref: Any, p: Any
) -> Any:
    return 11.0 * np.tanh(kap - kap_ref) + np.sin(kap_t) + 4.0 * eps * kap + 0.3 * eps_t * kap_t


def nonlinear_M_derivatives(
    t: float, x: Any, eps: Any, eps_t: Any, eps_ref: Any, kap: Any, kap_t: Any, kap_ref: Any, p: Any
) -> Any:
    return 4.0 * kap, 0.3 * kap_t, 11.0 / np.cosh(kap - kap_ref) ** 2 + 4.0 * eps, np.cos(kap_t) + 0.3 * eps_t


@pytest.mark.parametrize("integration", [0, 1, 2])
@pytest.mark.parametrize("which", [("axial_force",), ("bending_moment",), ("axial_force", "bending_moment")])
def test_law_that_repeats_the_linear_one(integration: int, which: tuple[str, ...]) -> None:
    """User functions that repeat the linear law give the forces and tangents of the linear law. Rows 0 and 2 have user
    functions; row 1 has the linear law.
    """
    shared = {"chain": True, "integration": integration, "strain_is_relative_to_reference": 0.4}
    laws = {"axial_force": linear_N, "bending_moment": linear_M}
    world, cables, state = create_cables(
        3, **shared, **{f"{name}_function": [laws[name], None, laws[name]] for name in which}
    )
    plain, plain_cables, plain_state = create_cables(3, **shared)
    shake(state)
    plain_state.assign(state)
    expected = residual(plain, plain_state)
    assert_allclose(residual(world, state), expected, rtol=0, atol=1e-13 * np.abs(expected).max())
    for dq, dv in ((1.0, 0.0), (0.0, 1.0)):
        expected = dense(assemble_matrix(plain, plain_state, dq=dq, dv=dv))
        # the only error of differences of a linear law is the rounding error of the law, divided by the step
        given = dense(assemble_matrix(world, state, dq=dq, dv=dv))
        assert_allclose(given, expected, rtol=0, atol=1e-9 * np.abs(expected).max())
    for name in ("axial_force", "bending_moment"):
        expected = eval_output(plain_cables, name, plain_state, x=0.1)
        assert_allclose(eval_output(cables, name, state, x=0.1), expected, rtol=1e-12)


@pytest.mark.parametrize("derivatives", [None, nonlinear_M_derivatives])
@pytest.mark.parametrize("integration", [0, 1, 2])
def test_nonlinear_laws_against_differences(integration: int, derivatives: Any) -> None:
    world, _, state = create_cables(
        3,
        chain=True,
        integration=integration,
        axial_force_function=[nonlinear_N, nonlinear_N, None],
        bending_moment_function=[None, nonlinear_M, nonlinear_M],
        bending_moment_derivatives=[None, derivatives, derivatives],
    )
    shake(state).t = 0.6
    check_tangent(world, state, states=0, tolerance=2e-8)


def test_law_sees_places_and_rows() -> None:
    seen: list[Any] = []

    def law(t: float, x: Any, *rest: Any) -> Any:
        seen.append((t, x.copy(), rest[-1]))
        return 7.0

    world, cables, state = create_cables(3, axial_force_function=[None, law, law])
    state.t = 2.5
    residual(world, state)
    t, x, parameters = seen[0]
    assert t == 2.5
    assert_allclose(x, 0.7 * np.array([[0.0, 0.5, 1.0]] * 2))
    assert_array_equal(parameters.row, [[1], [2]])
    assert_array_equal(parameters.bending_stiffness, [[11.0], [11.0]])
    assert_allclose(eval_output(cables, "axial_force", state)[1:], 7.0)


def test_law_of_wrong_shape() -> None:
    world, _, state = create_cables(axial_force_function=lambda *arguments: np.ones(4))
    with pytest.raises(
        ModelError, match=r"axial_force_function of Cable2D gave an array of shape \(4,\).*shape \(1, 3\)"
    ):
        residual(world, state)
