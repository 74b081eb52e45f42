"""The two-pulley belt is compared with recorded motions of Exudyn, step by step.

The data are from Exudyn 1.11.0 with the parameters in the json files. An independent implementation of the same
equations agrees with Exudyn to 3e-14 in coordinates, 2e-10 in velocities and 3e-15 in history values. Larger
differences would therefore be due to different equations.
"""

from __future__ import annotations

import numpy as np
import pytest

from support.belt import Belt, build_belt, create_dynamic, load_reference, solve_static


def solve_preload(name: str) -> tuple[Belt, dict, object, object, object]:
    """Return model, parameters, reference arrays, preloaded state and static solver of a reference file."""
    info, reference = load_reference(name)
    belt = build_belt(info)
    state, static = solve_static(belt, info)
    return belt, info, reference, state, static


@pytest.mark.parametrize(("name", "newton", "passes"), [("belt24_A", 478, 239), ("belt24_D_PWN", 470, 235)])
def test_small_belt_step_by_step(name: str, newton: int, passes: int) -> None:
    """For 24 elements, 3 segments and 200 steps, coordinates, velocities, history values and the counters of every step
    agree with Exudyn.

    Case A has segment normals, and case D has point-wise normals. The tolerance of q and data is 1e-9, because Newton's
    relative tolerance of 1e-9 leaves errors of 1e-12 m (the measured error is 3e-12). The tolerance of v is 1e-7,
    because trapezoidal steps of 1e-4 s multiply errors of q by 2/h.
    """
    belt, info, reference, state, static = solve_preload(name)
    counts = info["static"]["it"]
    assert static.statistics.newton_iterations == counts["newtonStepsCount"] == 51
    assert static.statistics.discontinuous_iterations == counts["discontinuousIterationsCount"] == 22
    np.testing.assert_allclose(state.q, reference["static_q"], atol=1e-10, rtol=0)
    np.testing.assert_allclose(state.data, reference["static_data"], atol=1e-10, rtol=0)
    # multipliers change sign between statics and dynamics in Exudyn, but not in Windlass
    np.testing.assert_allclose(state.lam, -reference["static_ae"], atol=1e-7, rtol=0)
    dynamic = create_dynamic(belt, info, info["args"]["tEnd"])
    counted = [(reference["trace_newton"][0], reference["trace_disc"][0])]
    for k, now in enumerate(dynamic.march(state), start=1):
        np.testing.assert_allclose(now.q, reference["trace_q"][k], atol=1e-9, rtol=0, err_msg=f"q in step {k}")
        np.testing.assert_allclose(now.v, reference["trace_q_t"][k], atol=1e-7, rtol=0, err_msg=f"v in step {k}")
        np.testing.assert_allclose(now.data, reference["trace_data"][k], atol=1e-9, rtol=0, err_msg=f"data in step {k}")
        np.testing.assert_allclose(now.lam, reference["trace_ae"][k], atol=1e-6, rtol=0, err_msg=f"lam in step {k}")
        counted.append((dynamic.statistics.newton_iterations, dynamic.statistics.discontinuous_iterations))
    expected = np.column_stack([reference["trace_newton"], reference["trace_disc"]])
    expected -= expected[0]
    np.testing.assert_array_equal(np.array(counted) - counted[0], expected)
    assert (dynamic.statistics.newton_iterations, dynamic.statistics.discontinuous_iterations) == (newton, passes)


def test_belt_of_240_elements_first_1000_steps() -> None:
    """For 240 elements and 2 segments to 0.1 s, pulley speeds agree with Exudyn to 1e-7 rad/s and angles to 1e-9 rad,
    with 1037 passes and 2074 iterations.

    The reference was computed with a lagged Jacobian and 5611 iterations. With a new Jacobian in each iteration, Exudyn
    needs 2074 iterations and its coordinates change by less than 3e-9.
    """
    belt, info, reference, state, static = solve_preload("belt_N240_s2_t0p1")
    counts = (static.statistics.newton_iterations, static.statistics.discontinuous_iterations)
    assert counts == (46, 18)
    np.testing.assert_allclose(state.q, reference["static_q"], atol=2e-9, rtol=0)
    dynamic = create_dynamic(belt, info, 0.1)
    first = 4 * info["args"]["N"]
    for k, now in enumerate(dynamic.march(state), start=1):
        if k % 10 == 0:
            speeds = [reference[name][k // 10, 1] for name in ("omega0", "omega1")]
            angles = [reference[name][k // 10, -1] for name in ("angle0", "angle1")]
            np.testing.assert_allclose(now.v[[first + 2, first + 5]], speeds, atol=1e-7, rtol=0)
            np.testing.assert_allclose(now.q[[first + 2, first + 5]], angles, atol=1e-9, rtol=0)
    np.testing.assert_allclose(now.q, reference["end_q"], atol=1e-8, rtol=0)
    n = info["args"]["nseg"]
    states = now.data.reshape(-1, 3, n)[:, 1], reference["end_data"].reshape(-1, 3, n)[:, 1]
    np.testing.assert_array_equal(*states)
    statistics = dynamic.statistics
    assert (statistics.steps, statistics.discontinuous_iterations, statistics.newton_iterations) == (1000, 1037, 2074)
