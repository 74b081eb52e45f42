"""Tests of the kernels of contact between circles and cables by reference data, differences, invariance, and balances
of forces, moments and power.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from windlass.connectors.circle_segments.kernels import axis_chord, create_chord
from windlass.connectors.circle_segments.update import update_friction, update_gaps

from support.circle_contact import RADIUS, SEGMENTS, Contact

REFERENCE = np.load(Path(__file__).parents[1] / "reference" / "contact_circle_cable2d.npz")
CASES = sorted({int(key.split("_")[1]) for key in REFERENCE.files})
# In these cases, a segment is closed, but its friction state is undefined. The original program then adds the bristle
# force to the output variable, but not to the force on the coordinates.
OUTPUT_CORNER = {13, 17, 41, 49, 62, 65}
Q_REF = np.array([-0.3, 0.48, 1, 0, 0.35, 0.47, 1, 0, 0.02, -0.01, 0.4])


def case_parameters(case: int) -> dict[str, Any]:
    """Return the parameters of the case with a given number. Each combination of normals, offset and friction stiffness
    has six cases.
    """
    group = (case - 1) // 6
    return {
        "use_segment_normals": group < 6,
        "y": (0.0, -0.02, 0.03)[group // 2 % 3],
        "friction_stiffness": (800.0, 0.0)[group % 2],
    }


@pytest.mark.parametrize("case", CASES)
def test_reference(case: int) -> None:
    """Forces, outputs and the post-Newton update agree with the original program."""

    def get(name: str) -> Any:
        return REFERENCE[f"contact_{case}_{name}"]

    contact = Contact(1, **case_parameters(case))
    x, v = Q_REF + get("q"), get("v")
    start = get("data_start")
    contact.data[0] = start
    # The relative rounding errors of sums of several thousand N are 1e-12. The error of an independent implementation
    # was 2e-12.
    assert_allclose(contact.force(x, v)[0], -get("rhs_beforePN"), rtol=0, atol=2e-12)
    check_outputs(contact, x, v, get, "beforePN", case in OUTPUT_CORNER)
    data = start.copy()
    error, changed, pressed, _ = update_friction(contact.c, contact.shape, contact.circle, data, start.copy())
    assert_allclose(data, get("data_afterPN"), rtol=0, atol=1e-12)
    assert_allclose(error, get("pn_error"), rtol=1e-14, atol=1e-12)
    assert_allclose(pressed, np.abs(contact.outputs(x, v)[0, :, 1]).sum(), rtol=1e-12)
    closed = data[:3] <= 0
    assert changed == bool(np.any(closed != (start[:3] <= 0)) or np.any((data[3:6] != start[3:6])[closed]))
    contact.data[0] = data
    assert_allclose(contact.force(x, v)[0], -get("rhs_afterPN"), rtol=0, atol=2e-12)
    check_outputs(contact, x, v, get, "afterPN", False)


def check_outputs(contact: Contact, x: Any, v: Any, get: Any, when: str, corner: bool) -> None:
    out = contact.outputs(x, v)[0]
    force = get(f"force_{when}").reshape(-1, 2)
    if corner:
        # in closed segments whose friction state is undefined, the output of the original program differs from the
        # force in its residual; the output of Windlass equals the force
        undefined = (contact.data[0, :3] <= 0) & (contact.data[0, 3:6] == -2)
        assert undefined.any()
        assert_allclose(out[~undefined, 0:2], force[~undefined], rtol=0, atol=2e-12)
        assert_allclose(
            out[undefined, 0], contact.c.rows["friction_velocity_penalty"][0] * out[undefined, 4], rtol=1e-14
        )
        assert_allclose(out[:, 1], force[:, 1], rtol=0, atol=2e-12)
    else:
        assert_allclose(out[:, 0:2], force, rtol=0, atol=2e-12)
    assert_allclose(out[:, 2:4], get(f"coord_{when}").reshape(-1, 2), rtol=0, atol=1e-12)
    assert_allclose(out[:, 4:6], get(f"vel_{when}").reshape(-1, 2), rtol=0, atol=1e-12)


@pytest.mark.parametrize("case", CASES)
def test_tangent_against_numeric_reference(case: int) -> None:
    """The tangent agrees with forward differences of the original program at the same history values, within about 1e-6
    of the largest entry.
    """
    contact = Contact(1, **case_parameters(case))
    q, v = REFERENCE[f"contact_{case}_q"], REFERENCE[f"contact_{case}_v"]
    contact.data[0] = REFERENCE[f"contact_{case}_data_start"]
    for name, dq, dv in (("dq", 1.0, 0.0), ("dv", 0.0, 1.0)):
        given = -REFERENCE[f"contact_{case}_dRHS_{name}_numeric"]
        scale = max(np.abs(given).max(), 1.0)
        assert_allclose(contact.tangent(Q_REF + q, v, dq, dv)[0], given, rtol=0, atol=1e-5 * scale)


def random_rows(rows: int, place: Any, seed: int) -> tuple[Any, Any, Any]:
    """Return random coordinates, velocities and history values. The circle is below the cable, above the cable, or
    beyond an end of the cable.

    In the history values all segments are closed. Therefore distant segments, for which rho is limited to 0 or 1, also
    exert forces.
    """
    rng = np.random.default_rng(seed)
    m = 8 if place == "cable" else 3
    x = np.empty((rows, 8 + m))
    x[:, :8] = Q_REF[:8] + 0.05 * rng.standard_normal((rows, 8))
    if place == "cable":
        x[:, 8:] = np.array([-0.3, 0.0, 1, 0, 0.5, 0.0, 1, 0]) + 0.05 * rng.standard_normal((rows, 8))
        x[:, [8, 12]] += rng.uniform(-0.5, 0.5, (rows, 1))
    else:
        side = rng.choice([-0.5, 0.5], rows)
        x[:, 8] = rng.uniform(-0.5, 0.6, rows)
        x[:, 9] = 0.475 + side + 0.02 * rng.standard_normal(rows)
        x[:, 10] = rng.uniform(-4, 4, rows)
    v = 0.3 * rng.standard_normal(x.shape)
    data = np.empty((rows, 9))
    data[:, :3] = -0.01
    data[:, 3:6] = rng.choice([-2.0, 0.0, 1.0, -1.0], (rows, 3))
    data[:, 6:] = rng.uniform(-1.5, 1.5, (rows, 3))
    return x, v, data


def smooth_rows(contact: Contact, x: Any, v: Any, data: Any) -> Any:
    """Return the rows in which no segment is close to a point at which the force is not differentiable. Such points
    are: rho is 0 or 1; f_n is 0; the deflection of a bristle is about to be reduced by a period; an end of a segment is
    at the centre.
    """
    contact.data[:] = data
    out = contact.outputs(x, v)
    p = contact.shape.position.reshape(contact.rows, SEGMENTS + 1, 2) - contact.circle.position[:, None, :2]
    a, e = p[:, :-1], p[:, 1:] - p[:, :-1]
    rho = -(a * e).sum(-1) / (e * e).sum(-1)
    near = (np.abs(rho) < 0.02) | (np.abs(rho - 1) < 0.02)
    near |= np.abs(out[..., 1]) < 5.0
    near |= np.abs(np.abs(out[..., 2]) - np.pi * RADIUS) < 0.05
    near |= (np.linalg.norm(a, axis=-1) < 0.1) | (np.linalg.norm(p[:, 1:], axis=-1) < 0.1)
    near |= out[..., 6] + RADIUS < 0.1
    if contact.c.rows["is_current"][0] and contact.shape.offset[0] != 0.0:
        # sticking positions refer to the chord of the axis, so positions at which the closest point of this chord is
        # not differentiable are also excluded
        for i, s in product(range(contact.rows), range(SEGMENTS)):
            chord = create_chord(*a[i, s], *p[i, s + 1])
            z = axis_chord(contact.shape.slope, i * (SEGMENTS + 1) + s, contact.shape.offset[0], chord)
            e = np.array([z.bx - z.ax, z.by - z.ay])
            on_axis = -(np.array([z.ax, z.ay]) @ e) / (e @ e)
            near[i, s] |= min(abs(on_axis), abs(on_axis - 1.0)) < 0.02
    return ~near.any(axis=1), (rho < 0) | (rho > 1)


def difference(function: Any, x: Any) -> Any:
    """Return fourth-order central differences of a function that is evaluated for each row, shape (rows, f, x)."""
    h = 1e-4
    columns = []
    for k in range(x.shape[1]):
        step = np.zeros(x.shape[1])
        step[k] = h
        near = function(x + step) - function(x - step)
        far = function(x + 2 * step) - function(x - 2 * step)
        columns.append((8 * near - far) / (12 * h))
    return np.stack(columns, axis=-1)


COMBINATIONS = list(
    product((True, False), (0.0, -0.02, 0.03), (800.0, 0.0), ((0.0, 0.0), (0.03, -0.05), "cable"), (True, False))
)


@pytest.mark.parametrize(("normals", "y", "mu_k", "place", "clip"), COMBINATIONS)
def test_tangent(normals: bool, y: float, mu_k: float, place: Any, clip: bool) -> None:
    """The tangent agrees with fourth-order central differences for 40 random rows of 3 segments with mixed states."""
    rows = 40
    contact = Contact(rows, place, y, use_segment_normals=normals, friction_stiffness=mu_k, clip_normal_force=clip)
    x, v, data = random_rows(rows, place, seed=7)
    smooth, clamped = smooth_rows(contact, x, v, data)
    if clip:
        # clipping of tensile forces to 0 is switched off, because `smooth_rows` does not exclude rows near the start of
        # clipping
        contact.c.rows["clip_normal_force"][:] = False
        smooth, clamped = smooth_rows(contact, x, v, data)
        contact.c.rows["clip_normal_force"][:] = True
    assert smooth.sum() >= 8 and clamped[smooth].any() and not clamped[smooth].all()
    assert set(data[smooth, 3:6].ravel()) == {-2.0, 0.0, 1.0, -1.0}
    df_dq = difference(lambda z: contact.force(z, v), x)[smooth]
    df_dv = difference(lambda z: contact.force(x, z), v)[smooth]
    for dq, dv in ((1.0, 0.0), (0.0, 1.0), (0.7, -1.9)):
        expected = dq * df_dq + dv * df_dv
        scale = np.maximum(np.abs(expected).max(axis=(1, 2), keepdims=True), 1.0)
        error = np.abs(contact.tangent(x, v, dq, dv)[smooth] - expected) / scale
        # the rounding error of the differences is 1e-16 F / h, and the truncation error is h^4 times fifth derivatives,
        # with r/|w| up to 5
        assert error.max() < 2e-8


@pytest.mark.parametrize(
    ("normals", "y", "place", "shift"),
    list(product((True, False), (0.0, -0.02, 0.03), ((0.0, 0.0), (0.03, -0.05), "cable"), (0.0, -0.7))),
)
def test_tangent_with_current_lengths(normals: bool, y: float, place: Any, shift: float) -> None:
    """If sticking positions refer to current lengths, the tangent agrees with differences, even after the material has
    moved.

    All segments stick.

    If the touching line has an offset, the sticking position x_cur depends on the part of the axis below the touching
    line.
    """
    rows = 40
    contact = Contact(rows, place, y, use_segment_normals=normals, is_current=True, shift=shift)
    x, v, data = random_rows(rows, place, seed=7)
    data[:, 3:6] = 0.0
    smooth, clamped = smooth_rows(contact, x, v, data)
    assert smooth.sum() >= 8 and clamped[smooth].any() and not clamped[smooth].all()
    df_dq = difference(lambda z: contact.force(z, v), x)[smooth]
    df_dv = difference(lambda z: contact.force(x, z), v)[smooth]
    for dq, dv in ((1.0, 0.0), (0.7, -1.9)):
        expected = dq * df_dq + dv * df_dv
        scale = np.maximum(np.abs(expected).max(axis=(1, 2), keepdims=True), 1.0)
        # the rounding error of the differences is 1e-16 F / h, and the truncation error is h^4 times fifth derivatives
        assert (np.abs(contact.tangent(x, v, dq, dv)[smooth] - expected) / scale).max() < 2e-8
    # the tangent must depend on whether lengths are current or reference lengths, so the tangent for reference lengths
    # must differ
    contact.c.rows["is_current"][:] = False
    assert np.abs(contact.tangent(x, v, 1.0, 0.0)[smooth] - df_dq).max() > 10.0


@pytest.mark.parametrize("y", [0.0, 0.03])
def test_tangent_without_friction(y: float) -> None:
    """The tangent of the law without friction is equal to the tangent of the law with friction and f_t = 0. The law
    without friction has one history value per segment.
    """
    contact = Contact(
        40,
        (0.0, 0.0),
        y,
        friction=False,
        friction_velocity_penalty=0.0,
        friction_stiffness=0.0,
        friction_coefficient=0.0,
    )
    x, v, data = random_rows(40, (0.0, 0.0), seed=3)
    smooth, _ = smooth_rows(contact, x, v, data[:, :3])
    assert smooth.sum() >= 8
    expected = difference(lambda z: contact.force(z, v), x)[smooth]
    assert_allclose(contact.tangent(x, v, 1.0, 0.0)[smooth], expected, rtol=0, atol=2e-8 * np.abs(expected).max())
    force = contact.force(x, v)
    assert np.all(force[:, 10] == 0.0) and np.abs(force[:, :10]).max() > 1.0


@pytest.mark.parametrize(("normals", "y", "current"), list(product((True, False), (0.0, 0.03), (True, False))))
def test_rigid_motion(normals: bool, y: float, current: bool) -> None:
    """If cable, circle and velocities are rotated and shifted, the forces rotate by the same angle, and torque and
    history values do not change.
    """
    rows, angle = 30, 1.1
    contact = Contact(rows, (0.02, 0.01), y, use_segment_normals=normals, is_current=current)
    x, v, data = random_rows(rows, (0.02, 0.01), seed=5)
    contact.data[:] = data
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])

    def moved(q: Any, shift: Any, extra: float) -> Any:
        out = q.copy()
        for k in range(0, 10, 2):
            out[:, k : k + 2] = q[:, k : k + 2] @ turn.T
        out[:, [0, 4, 8]] += shift[0]
        out[:, [1, 5, 9]] += shift[1]
        out[:, 10] += extra
        return out

    force, out = contact.force(x, v), contact.outputs(x, v)
    after, before = data.copy().ravel(), data.ravel()
    update_friction(contact.c, contact.shape, contact.circle, after, before)
    x1, v1 = moved(x, (0.4, -0.7), angle), moved(v, (0.0, 0.0), 0.0)
    assert_allclose(contact.force(x1, v1), moved(force, (0.0, 0.0), 0.0), rtol=0, atol=1e-10)
    assert_allclose(contact.outputs(x1, v1)[..., :8], out[..., :8], rtol=0, atol=1e-10)
    again = data.copy().ravel()
    update_friction(contact.c, contact.shape, contact.circle, again, before)
    # sticking positions are arc lengths on the wheel and may differ by a whole turn
    change = (again - after).reshape(rows, 9)
    change[:, 6:] -= np.round(change[:, 6:] / (2 * np.pi * RADIUS)) * 2 * np.pi * RADIUS
    assert_allclose(change, 0.0, atol=1e-12)


@pytest.mark.parametrize(("normals", "y"), list(product((True, False), (0.0, 0.03))))
def test_action_and_reaction(normals: bool, y: float) -> None:
    """The forces on cable and circle balance exactly.

    The moments on cable and circle balance, except for the lever arm between the point at which a force acts and the
    circle.

    With segment normals, f_t acts at the distance r + g from the centre and causes the torque r f_t, so the sum of all
    moments is g f_t. With point-wise normals, the parts of f_t act at the end points, and the sum of all moments is
    ((1-rho)|a| + rho |b| - r) f_t.
    """
    rows = 30
    contact = Contact(rows, (0.0, 0.0), y, use_segment_normals=normals)
    x, v, data = random_rows(rows, (0.0, 0.0), seed=6)
    contact.data[:] = data
    f, out = contact.force(x, v), contact.outputs(x, v)
    assert_allclose(f[:, [0, 4, 8]].sum(axis=1), 0.0, atol=1e-10)
    assert_allclose(f[:, [1, 5, 9]].sum(axis=1), 0.0, atol=1e-10)
    turn = np.empty_like(x)
    turn[:, 0:10:2], turn[:, 1:10:2], turn[:, 10] = -x[:, 1:10:2], x[:, 0:10:2], 1.0
    lever = out[..., 6]
    if not normals:
        p = contact.shape.position.reshape(rows, SEGMENTS + 1, 2) - contact.circle.position[:, None, :2]
        distance, e = np.linalg.norm(p, axis=-1), np.diff(p, axis=1)
        rho = np.clip(-(p[:, :-1] * e).sum(-1) / (e * e).sum(-1), 0, 1)
        lever = (1 - rho) * distance[:, :-1] + rho * distance[:, 1:] - RADIUS
    assert_allclose((turn * f).sum(axis=1), (lever * out[..., 0]).sum(axis=1), atol=1e-9)
    if normals:
        # the power of all forces shows that friction dissipates f_t v_t
        power = (out[..., 1] * out[..., 5] + out[..., 0] * out[..., 4]).sum(axis=1)
        assert_allclose((f * v).sum(axis=1), power, atol=1e-9)


def test_inactive_rows_and_open_segments() -> None:
    contact = Contact(6, active=np.arange(6) < 3)
    x, v, data = random_rows(6, (0.0, 0.0), seed=8)
    data[:3, :3] = 0.01
    contact.data[:] = data
    assert not contact.force(x, v).any() and not contact.tangent(x, v, 1.0, 1.0).any()
    assert not contact.outputs(x, v)[..., :6].any()
    after = data.copy().ravel()
    update_friction(contact.c, contact.shape, contact.circle, after, data.ravel())
    assert_allclose(after.reshape(6, 9)[3:], data[3:], rtol=0, atol=0)
    assert np.all(after.reshape(6, 9)[:3, :3] != 0.01)


def test_update_without_friction() -> None:
    """The history values store a gap only if the sign of the gap has changed.

    The force error of a row is k_c times the largest sum of gap changes.
    """
    contact = Contact(
        20, friction=False, friction_velocity_penalty=0.0, friction_stiffness=0.0, friction_coefficient=0.0
    )
    x, v, _ = random_rows(20, (0.0, 0.0), seed=9)
    before = np.random.default_rng(1).choice([-0.02, 0.1], (20, SEGMENTS))
    contact.data[:] = before
    gap = contact.outputs(x, v)[..., 6]
    after = before.copy().ravel()
    normal = contact.outputs(x, v)[..., 1]
    error, changed, pressed, row = update_gaps(contact.c, contact.shape, contact.circle, after)
    flips = (gap > 0) != (before > 0)
    assert changed and flips.any() and not flips.all()
    assert_allclose(after.reshape(20, SEGMENTS), np.where(flips, gap, before), atol=1e-15)
    errors = (2000.0 * np.abs(gap - before) * flips).sum(axis=1)
    assert_allclose(error, errors.max(), rtol=1e-12)
    assert row == errors.argmax()
    assert_allclose(pressed, np.abs(normal).sum(axis=1).max(), rtol=1e-12)


def test_clipped_normal_force() -> None:
    """The damper of a segment that moves away from the circle causes a tensile force. With `clip_normal_force`, the
    segment has neither a tensile force nor friction.
    """
    x, v = Q_REF[None].copy(), np.zeros((1, 11))
    v[0, [1, 5]] = 3.0
    forces = []
    for clip in (False, True):
        contact = Contact(1, clip_normal_force=clip)
        contact.data[0] = [-0.01, -0.01, -0.01, 1, 1, 1, 0, 0, 0]
        forces.append(contact.outputs(x, v)[0, :, :2])
    assert np.all(forces[0][:, 1] > 0) and np.all(forces[1] == 0)


def test_extreme_segments_stay_finite() -> None:
    """The forces are finite for a circle whose centre lies on a segment, and for a segment with the length 0."""
    for shift in ((0.0, 0.0), (0.01, 0.0)):
        x, v = np.zeros((1, 11)), np.ones((1, 11))
        x[0, :8] = [-0.325, 0, 1, 0, 0.325, 0, 1, 0] if shift[0] == 0.0 else [0.0, 0.0, 0, 0, 0.0, 0.0, 0, 0]
        x[0, 8:10] = shift
        for normals in (True, False):
            contact = Contact(1, use_segment_normals=normals)
            contact.data[0] = [-0.5, -0.5, -0.5, 0, 1, -2, 0, 0, 0]
            assert np.isfinite(contact.force(x, v)).all() and np.isfinite(contact.tangent(x, v, 1.0, 1.0)).all()
