"""Tests of user forces of springs. Plain, vectorised and compiled functions give equal forces. Wrong functions cause
errors. The numbers of calls agree with the documentation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from kernels.test_springs import create_world, dense_tangent, eval_forces, random_assembly
from numpy.testing import assert_allclose

import windlass.connectors as con
from windlass.connectors.user_functions.user_forces import WithoutMotion
from windlass.elements.bodies.rigid2d import RigidBody2D
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.errors import ModelError
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.world import World
from windlass.framework.state.tangent_check import check_fields

K, D, OFFSET = np.array([7.0, 11.0, 3.0]), np.array([2.0, 5.0, 1.0]), np.array([0.3, -0.2, 0.1])


# One law in three forms, with the force k (u - offset) (1 + u·u) + d u_t (1 + t + row).


def plain(t: float, row: int, u: Any, ut: Any, k: Any, d: Any, offset: Any) -> Any:
    assert type(row) is int
    return k * (u - offset) * (1.0 + u @ u) + d * ut * (1.0 + t + row)


def over_rows(t: float, rows: Any, u: Any, ut: Any, k: Any, d: Any, offset: Any) -> Any:
    assert u.shape == ut.shape == k.shape == d.shape == offset.shape == (len(rows), 3)
    return k * (u - offset) * (1.0 + (u * u).sum(axis=1))[:, None] + d * ut * (1.0 + t + rows)[:, None]


@kernel
def one_row(t: float, row: int, u: Any, ut: Any, k: Any, d: Any, offset: Any, f: Any) -> None:
    square = u[0] ** 2 + u[1] ** 2 + u[2] ** 2
    for a in range(3):
        f[a] = k[a] * (u[a] - offset[a]) * (1.0 + square) + d[a] * ut[a] * (1.0 + t + row)


def plain_derivative(t: float, row: int, u: Any, ut: Any, k: Any, d: Any, offset: Any) -> Any:
    return np.diag(k) * (1.0 + u @ u) + 2.0 * np.outer(k * (u - offset), u), np.diag(d) * (1.0 + t + row)


def derivative_over_rows(t: float, rows: Any, *vectors: Any) -> Any:
    each = [plain_derivative(t, int(row), *(v[i] for v in vectors)) for i, row in enumerate(rows)]
    return np.array([P for P, _ in each]), np.array([V for _, V in each])


@kernel
def derivative_of_one_row(
    t: float, row: int, u: Any, ut: Any, k: Any, d: Any, offset: Any, df_du: Any, df_dut: Any
) -> None:
    square = u[0] ** 2 + u[1] ** 2 + u[2] ** 2
    for a in range(3):
        for b in range(3):
            df_du[a, b] = 2.0 * k[a] * (u[a] - offset[a]) * u[b]
        df_du[a, a] += k[a] * (1.0 + square)
        df_dut[a, a] = d[a] * (1.0 + t + row)


FORMS: dict[str, tuple[Any, Any]] = {
    "plain": (plain, plain_derivative),
    "vectorised": (con.vectorised(over_rows), con.vectorised(derivative_over_rows)),
    "compiled": (con.compiled(one_row), con.compiled(derivative_of_one_row)),
}


def create_springs(functions: Any, derivatives: Any = None, active: Any = True) -> Assembly:
    """Create four springs between markers of several kinds, in a random state."""
    world, markers = create_world()
    world.add(
        con.CartesianSpringDamper,
        marker0=[markers[name] for name in ("body", "mass", "cable", "ground")],
        marker1=[markers[name] for name in ("cable", "node", "edge", "mass")],
        stiffness=[K, 2.0 * K, K, 0.5 * K],
        damping=[D, D, 0.5 * D, D],
        offset=OFFSET,
        force_function=functions,
        force_derivative=derivatives,
        active=active,
    )
    return random_assembly(world)


@pytest.mark.parametrize("form", ["vectorised", "compiled"])
def test_forms_agree(form: str) -> None:
    function, derivative = FORMS[form]
    active = [True, True, False, True]
    expected, given = create_springs(plain, active=active), create_springs(function, active=active)
    assert_allclose(eval_forces(given), eval_forces(expected), rtol=1e-14, atol=1e-14)
    # differences magnify rounding errors of the forces
    assert_allclose(dense_tangent(given, 0.7, 1.3), dense_tangent(expected, 0.7, 1.3), atol=1e-7)
    expected, given = create_springs(plain, plain_derivative), create_springs(function, derivative)
    assert_allclose(dense_tangent(given, 0.7, 1.3), dense_tangent(expected, 0.7, 1.3), rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("exact", [True, False])
def test_tangent(form: str, exact: bool) -> None:
    function, derivative = FORMS[form]
    check_fields(create_springs(function, derivative if exact else None), 1e-7, limit=1e-7)


def test_forms_mix() -> None:
    """A table can contain functions of all forms, a linear row, and a force function whose derivative has another
    form.
    """
    functions = [FORMS[form][0] for form in ("compiled", "vectorised", "plain")]
    assembly = create_springs([*functions, None], [plain_derivative, None, FORMS["compiled"][1], None])
    check_fields(assembly, 1e-7, limit=1e-7)
    expected = create_springs([plain, plain, plain, None])
    assert_allclose(eval_forces(assembly), eval_forces(expected), rtol=1e-14, atol=1e-14)


def test_calls() -> None:
    """An evaluation calls the vectorised function once for all rows, and 2 * 2 * 3 times for differences, even if the
    decorator is applied twice.
    """
    calls: list[np.ndarray] = []

    def counted(t: float, rows: Any, *vectors: Any) -> Any:
        calls.append(rows)
        for vector in vectors[2:]:
            vector *= 1.0  # the function gets separate arrays, which it may change
        return over_rows(t, rows, *vectors)

    marked = con.vectorised(counted)
    assembly = create_springs([marked, None, con.vectorised(counted), marked])
    eval_forces(assembly)
    assert [rows.tolist() for rows in calls] == [[0, 2, 3]]
    eval_forces(assembly)
    assert len(calls) == 2
    dense_tangent(assembly, 1.0, 1.0)
    assert len(calls) == 2 + 1 + 12  # one evaluation for the force itself, because curved markers need the force


def coordinate_plain(t: float, row: int, u: float, ut: float, k: float, d: float, offset: float) -> float:
    return 0.1 * k * u + k * u**3 + d * ut * (1 + u) + offset * t * (row + 1)


@kernel
def coordinate_row(t: float, row: int, u: Any, ut: Any, k: Any, d: Any, offset: Any, f: Any) -> None:
    f[0] = 0.1 * k[0] * u[0] + k[0] * u[0] ** 3 + d[0] * ut[0] * (1 + u[0]) + offset[0] * t * (row + 1)


@kernel
def coordinate_row_derivative(
    t: float, row: int, u: Any, ut: Any, k: Any, d: Any, offset: Any, df_du: Any, df_dut: Any
) -> None:
    df_du[0, 0] = 0.1 * k[0] + 3.0 * k[0] * u[0] ** 2 + d[0] * ut[0]
    df_dut[0, 0] = d[0] * (1 + u[0])


def coordinate_derivative(t: float, rows: Any, u: Any, ut: Any, k: Any, d: Any, offset: Any) -> Any:
    return 0.1 * k + 3.0 * k * u**2 + d * ut, d * (1 + u)


def create_coordinate_springs(function: Any, derivative: Any = None) -> tuple[World, Assembly]:
    world = World()
    bodies = world.add(RigidBody2D, position=[(0.0, 0.0), (1.0, 0.0)], mass=1.0, inertia=1.0)
    world.add(
        con.CoordinateSpringDamper,
        marker0=con.coordinate_marker(world, bodies[0], "rotation"),
        marker1=[con.coordinate_marker(world, bodies[1], name) for name in ("rotation", "x", "y")],
        stiffness=[13.0, 5.0, 2.0],
        damping=[0.7, 0.2, 0.4],
        offset=0.4,
        force_function=function,
        force_derivative=derivative,
    )
    return world, random_assembly(world)


@pytest.mark.parametrize(
    ("function", "derivative"),
    [
        (con.vectorised(coordinate_plain), con.vectorised(coordinate_derivative)),
        (con.compiled(coordinate_row), con.compiled(coordinate_row_derivative)),
    ],
    ids=["vectorised", "compiled"],
)
def test_coordinate_forms(function: Any, derivative: Any) -> None:
    _, expected = create_coordinate_springs(coordinate_plain)
    _, given = create_coordinate_springs(function)
    assert_allclose(eval_forces(given), eval_forces(expected), rtol=1e-14)
    check_fields(given, 1e-7, limit=1e-7)
    _, given = create_coordinate_springs(function, derivative)
    check_fields(given, 1e-7, limit=1e-7)


ROW_1 = "of CartesianSpringDamper 1 (CartesianSpringDamper row 1) gave"
ROW_0 = "of CartesianSpringDamper 0 (CartesianSpringDamper row 0) gave"


def nan_in_row_1(t: float, rows: Any, u: Any, *others: Any) -> Any:
    return np.where((rows == 1)[:, None], np.nan, u)


@kernel
def compiled_nan_in_row_1(t: float, row: int, u: Any, ut: Any, k: Any, d: Any, offset: Any, f: Any) -> None:
    f[2] = np.nan if row == 1 else 0.0


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (con.vectorised(nan_in_row_1), f"force_function {ROW_1} [nan, nan, nan] at t = 0.5 s: must give 3 finite"),
        (con.compiled(compiled_nan_in_row_1), f"force_function {ROW_1} [0.0, 0.0, nan] at t = 0.5 s: must give 3"),
        (
            con.vectorised(lambda t, rows, u, *_: u[0]),
            f"force_function {ROW_0} numbers of shape (3,) at t = 0.5 s: must give 3 finite numbers per row, "
            "shape (4, 3) [N]",
        ),
        (con.vectorised(lambda *_: None), f"force_function {ROW_0} None at t = 0.5 s: must give 3 finite numbers"),
        (con.vectorised(lambda *_: "much"), f"force_function {ROW_0} 'much' at t = 0.5 s: must give 3 finite"),
    ],
)
def test_wrong_forces(function: Any, words: str) -> None:
    assembly = create_springs(function)
    with pytest.raises(ModelError) as error:
        eval_forces(assembly)
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("derivative", "words"),
    [
        (lambda *_: 3.0, f"force_derivative {ROW_0} 3.0 at t = 0.5 s: must give two arrays"),
        (
            lambda t, rows, *_: (np.zeros((4, 3)), np.zeros((4, 3, 3))),
            f"force_derivative {ROW_0} numbers of shape (4, 3) at t = 0.5 s: must give two arrays of finite numbers of "
            "shape (3, 3) per row, shape (4, 3, 3), the derivatives of the force [N] by",
        ),
        (
            lambda t, rows, *_: (np.zeros((4, 3, 3)), np.where(rows == 1, np.inf, 0.0)[:, None, None] * np.eye(3)),
            f"force_derivative {ROW_1} [[",
        ),
    ],
)
def test_wrong_derivatives(derivative: Callable[..., Any], words: str) -> None:
    assembly = create_springs(con.vectorised(over_rows), con.vectorised(derivative))
    with np.errstate(invalid="ignore"), pytest.raises(ModelError) as error:
        dense_tangent(assembly, 1.0, 1.0)
    assert words in str(error.value)


def test_diverged_state_is_no_error_of_the_function() -> None:
    """In a diverged state, rows with values that are not finite give NaN, and the other rows give their force."""
    _, assembly = create_coordinate_springs(con.vectorised(coordinate_plain))
    assembly.fields.x[5] = np.nan
    _, finite = create_coordinate_springs(con.vectorised(coordinate_plain))
    f, expected = eval_forces(assembly), eval_forces(finite)
    assert np.isnan(f[5]) and np.isfinite(f[3:5]).all()
    assert_allclose(f[3:5], expected[3:5], rtol=1e-14)


def test_not_a_function() -> None:
    for mark in (con.vectorised, con.compiled):
        with pytest.raises(ModelError) as error:
            mark(3.0)  # type: ignore[arg-type]
        assert "3.0" in str(error.value)


def test_functions_without_motion_are_not_differentiated() -> None:
    """Functions of time alone give the forces and the tangent of a plain function of all arguments. These functions are
    called once for each row and evaluation.
    """
    calls = list[float]()

    def push(t: float) -> Any:
        calls.append(t)
        return np.array((1.0 + t, 2.0, -3.0 * t))

    alone, plainly = create_springs(WithoutMotion(push)), create_springs(lambda t, row, *motion: push(t))
    for assembly in (alone, plainly):
        assembly.fields.t = 0.25
    forces, expected = eval_forces(alone), eval_forces(plainly)
    assert (forces == expected).all() and forces.any()
    calls.clear()
    tangent = dense_tangent(alone, 1.0, 0.3)
    once = len(calls)
    assert (tangent == dense_tangent(plainly, 1.0, 0.3)).all()
    assert once <= 8 and len(calls) - once >= 4 * 12
    with pytest.raises(ModelError, match=r"force_function of .* gave 'no' .* must give 3 finite numbers"):
        eval_forces(create_springs(WithoutMotion(lambda t: "no")))
