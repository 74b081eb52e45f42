"""Tests of the contact of surfaces with points of cables: distances, tangents, balances of forces, moments and power,
and history values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.interpolate import CubicSpline
from scipy.optimize import minimize

from windlass.connectors import (
    ContactFrictionSurfaceCable,
    DrumSurface,
    HeightFieldSurface,
    PlaneSurface,
    ProfileSurface,
    SheaveSurface,
    SphereSurface,
    add_surface_contact,
    add_v_groove,
    fix,
    rigid_marker,
)
from windlass.connectors.surface_contact.contact_friction_surface_cable import bind
from windlass.connectors.surface_contact.distances import (
    FIELD,
    PROFILE,
    create_field,
    create_pieces,
    eval_course,
    eval_distance,
)
from windlass.elements import Cable2D, Cable3D, Ground, PointSlope2D, PointSlope3D, RigidBody2D, RigidBody3D
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.assembly.post_newton import run_post_newton
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.tangent_check import check_fields

from support.contact_scenes import ContactScene, compare_maps

RADIUS, POINTS = 0.5, 5
BETA, GROOVE = 0.4, 0.06
CONTACT = {
    "contact_stiffness_per_length": 1000.0,
    "contact_damping_per_length": 13.0,
    "friction_velocity_penalty_per_length": 17.0,
    "friction_stiffness_per_length": 900.0,
    "friction_coefficient": 0.3,
}


def add_surface(world: World, name: str, marker: Entity, axis: Any) -> Entity:
    """Add one row with a surface of the given kind, for a cable whose axis is at the distance RADIUS from the axis of
    the surface.
    """
    if name == "plane":
        return world.add(PlaneSurface, marker=marker, axis=axis, offset=-0.1)
    if name == "field":
        return world.add(HeightFieldSurface, marker=marker, axis=axis, x=LINES[0], y=LINES[1], heights=HEIGHTS)
    if name in ("sphere", "inside"):
        return world.add(SphereSurface, marker=marker, axis=axis, radius=RADIUS, inside=name == "inside")
    if name == "drum":
        return world.add(DrumSurface, marker=marker, axis=axis, radius=RADIUS)
    if name == "groove":
        return add_v_groove(
            world, marker, radius=RADIUS - 0.1, half_angle=BETA, outer_radius=2.0 * RADIUS, axis=axis
        )[0]  # fmt: skip
    if name in ("cone", "bollard"):
        return world.add(ProfileSurface, marker=marker, axis=axis, vertices=PROFILES[name], rounding=[0.05])
    groove = {"round": GROOVE, "flank": 4e-3}[name]
    return world.add(
        SheaveSurface, marker=marker, axis=axis, radius=RADIUS - 0.02, groove_radius=groove, flank_half_angle=BETA,
        outer_radius=3.0 * RADIUS,
    )  # fmt: skip


# a cone, and a concave bollard with an arc at RADIUS
PROFILES = {
    "cone": (RADIUS - 0.6 * 0.5, -0.6, RADIUS + 0.6 * 0.5, 0.6),
    "bollard": (RADIUS + 0.0, -1.0, RADIUS + 0.0, 0.0, RADIUS + 1.0, 0.0 + 1.0),
}
# positions [m] of grid lines with different distances, and heights of a bed [m]
LINES = np.array((-0.5, -0.2, 0.0, 0.3, 0.6)), np.array((-0.4, -0.15, 0.1, 0.45))
HEIGHTS = 0.45 + 0.02 * np.random.default_rng(8).standard_normal(20)
SURFACES = ("cone", "bollard", "plane", "sphere", "inside", "drum", "groove", "round", "flank")
# independent formulas of the distance in the frame of the surface; the argument X may be complex
PHI: dict[str, Callable[[Any], Any]] = {
    "plane": lambda X: X[2] + 0.1,
    "sphere": lambda X: np.sqrt(X @ X) - RADIUS,
    "inside": lambda X: RADIUS - np.sqrt(X @ X),
    "cone": lambda X: (np.sqrt(X[0] ** 2 + X[1] ** 2) - RADIUS - 0.5 * X[2]) / np.sqrt(1.25),
    # the corner of 45 degrees is rounded by r = 0.05 about (RADIUS + r, -r tan(22.5 degrees))
    "bollard": lambda X: (
        0.05 - np.sqrt((np.sqrt(X[0] ** 2 + X[1] ** 2) - RADIUS - 0.05) ** 2 + (X[2] + 0.05 * np.tan(np.pi / 8)) ** 2)
    ),
    "drum": lambda X: np.sqrt(X[0] ** 2 + X[1] ** 2) - RADIUS,
    "groove": lambda X: (np.sqrt(X[0] ** 2 + X[1] ** 2) - RADIUS + 0.1) * np.sin(BETA) - X[2] * np.cos(BETA),
    "round": lambda X: (
        GROOVE - np.sqrt((RADIUS - 0.02 + GROOVE - np.sqrt(X[0] ** 2 + X[1] ** 2)) ** 2 + X[2] ** 2)
    ),
    "flank": lambda X: (
        4e-3
        - (RADIUS - 0.016 - np.sqrt(X[0] ** 2 + X[1] ** 2)) * np.sin(BETA)
        - X[2] * np.sign(X[2].real) * np.cos(BETA)
    ),
}  # fmt: skip


@kernel
def ask(kind: Any, geo: Any, pieces: Any, x: float, y: float, z: float) -> Any:
    return eval_distance(kind, geo, pieces, 0, x, y, z)


@pytest.mark.parametrize("name", SURFACES)
def test_distance_gradient_and_hessian(name: str) -> None:
    """Distances agree with independent formulas. Gradients agree with complex-step derivatives of these formulas, and
    have the length 1.

    The Hessian agrees with central differences of complex-step derivatives with h = 1e-6 within the rounding error
    1e-8.
    """
    world = World()
    marker = rigid_marker(world, world.add(Ground))
    surface = add_surface(world, name, marker, (0.0, 0.0, 1.0))
    nodes = world.add(PointSlope3D, position=[(0.0, 0.0, 0.0), (1.0, 0.0, 0.0)], slope=(1.0, 0.0, 0.0))
    free = {"mass_per_length": 1.0, "axial_stiffness": 1.0, "bending_stiffness": 0.0}
    cable = world.add(Cable3D, node0=nodes[0], node1=nodes[1], length=1.0, **free)
    contact = add_surface_contact(world, surface, cable, contact_stiffness_per_length=1.0)
    if name == "groove":
        other = Entity(surface.table, surface.rows + 1)
        add_surface_contact(world, other, cable, contact_stiffness_per_length=1.0)
    columns = bind(Assembly(world).local_rows(contact.table, contact.rows))
    s, phi, random = columns.surfaces, PHI[name], np.random.default_rng(3)

    def gradient(X: Any) -> Any:
        return np.array([phi(X + 1e-30j * e).imag / 1e-30 for e in np.eye(3)])

    for _ in range(20):
        direction = random.standard_normal(2)
        rho = RADIUS + 0.015 * random.uniform(-1.0, 1.0)
        X = np.append(
            rho * direction / np.hypot(*direction), 0.01 * random.choice([-1.0, 1.0]) * random.uniform(0.5, 1.0)
        )
        d = ask(s.kind, s.geo, s.pieces, *X)
        n = np.array([d.nx, d.ny, d.nz])
        H = np.array([(d.xx, d.xy, d.xz), (d.xy, d.yy, d.yz), (d.xz, d.yz, d.zz)])
        assert d.there
        assert_allclose(d.phi, phi(X.astype(complex)).real, rtol=0, atol=1e-14)
        assert_allclose(n, gradient(X.astype(complex)), rtol=0, atol=1e-13)
        assert_allclose(n @ n, 1.0, rtol=1e-13)
        h = 1e-6
        expected = np.array([(gradient(X + h * e + 0j) - gradient(X - h * e + 0j)) / (2.0 * h) for e in np.eye(3)])
        assert_allclose(H, expected, rtol=0, atol=1e-8 * max(1.0, np.abs(H).max() ** 2))


def test_profile_is_whole() -> None:
    """For a profile with convex, concave and sharp corners, the computed distance agrees with the distance from the
    curve, even near the corners.
    """
    vertices, rounding = (0.3, -0.5, 0.3, -0.1, 0.5, 0.0, 0.2, 0.2, 0.2, 0.6), np.array((0.1, 0.03, 0.05))
    for radii in (rounding, np.zeros(1)):
        pieces = create_pieces(np.array(vertices), radii, "row 0")
        curve = np.stack(eval_course(pieces, 20001), axis=1)
        kind, geo = np.array([PROFILE]), np.array([[0.0, len(pieces), 1.0, 0.0, 0.0, 0.0, 0.0, np.inf]])
        random = np.random.default_rng(5)
        place = curve[random.integers(2000, 18000, 200)] + 0.02 * random.uniform(-1.0, 1.0, (200, 2))
        for rho, z in place:
            d = ask(kind, geo, pieces, rho, 0.0, z)
            nearest = np.hypot(*(curve - (rho, z)).T).min()
            assert d.there
            assert_allclose(abs(d.phi), nearest, rtol=0, atol=1e-4)
            assert_allclose(np.hypot(d.nx, d.nz), 1.0, rtol=1e-9)


ALONG_X = CubicSpline(LINES[0], HEIGHTS.reshape(5, 4), bc_type="natural")


def eval_spline(x: float, y: float) -> float:
    """Return the height of the bed by SciPy's splines along x and then along y. Beyond the grid, the extrapolation is
    linear.
    """
    a = np.clip(x, LINES[0][0], LINES[0][-1])
    along_y = CubicSpline(LINES[1], ALONG_X(a) + ALONG_X(a, 1) * (x - a), bc_type="natural")
    b = np.clip(y, LINES[1][0], LINES[1][-1])
    return float(along_y(b) + along_y(b, 1) * (y - b))


def test_distance_from_a_height_field() -> None:
    """On the grid and beyond the grid, the distance agrees with a search for the nearest point. The gradient has the
    length 1. Gradient and Hessian agree with central differences with h = 1e-5 within 1e-8.
    """
    pieces, random, h = create_field(*LINES, HEIGHTS, "row"), np.random.default_rng(2), 1e-5
    kind, geo = np.array([FIELD]), np.array([[0.0, 5.0, 4.0, 0.0, 0.0, 0.0, 0.0, np.inf]])

    def find(X: Any) -> tuple[float, Any, Any]:
        d = ask(kind, geo, pieces, *X)
        H = np.array([(d.xx, d.xy, d.xz), (d.xy, d.yy, d.yz), (d.xz, d.yz, d.zz)])
        return d.phi, np.array([d.nx, d.ny, d.nz]), H

    for _ in range(12):
        x, y = random.uniform(-0.8, 0.8, 2)
        z = eval_spline(x, y) + random.uniform(-0.05, 0.05)
        phi, n, H = find((x, y, z))
        nearest = minimize(
            lambda p, X=(x, y, z): float(np.sum(np.square(np.subtract((*p, eval_spline(*p)), X)))),
            (x, y), method="Nelder-Mead", options={"xatol": 1e-8, "fatol": 1e-20},
        )  # fmt: skip
        assert_allclose(abs(phi), np.sqrt(nearest.fun), rtol=0, atol=1e-12)
        assert np.sign(phi) == np.sign(z - eval_spline(x, y))
        assert_allclose(n @ n, 1.0, rtol=1e-13)
        ends = [(find((x, y, z) + h * e), find((x, y, z) - h * e)) for e in np.eye(3)]
        assert_allclose(n, [(a[0] - b[0]) / (2.0 * h) for a, b in ends], rtol=0, atol=1e-8)
        assert_allclose(H, [(a[1] - b[1]) / (2.0 * h) for a, b in ends], rtol=0, atol=1e-7)


def create_arc(
    name: str = "drum", space: bool = True, fixed: bool = False, seed: int = 1, **contact: Any
) -> ContactScene:
    """Create an arc in a random state near a surface, with points in all contact states. The surface is at a distance
    from the centre of a moving body.
    """
    world, random = World(), np.random.default_rng(seed)
    angles = np.array([2.4, 1.8, 1.2])
    centre = np.array((0.1, -0.2))
    radial = np.stack((np.cos(angles), np.sin(angles)), axis=1)
    line = np.stack((radial[:, 1], -radial[:, 0]), axis=1)
    free = {"mass_per_length": 0.0, "axial_stiffness": 5e-324, "bending_stiffness": 0.0}
    none = np.zeros(3)
    if space:
        place = np.column_stack((centre + RADIUS * radial, none + 0.008))
        nodes = world.add(PointSlope3D, position=place, slope=1.02 * np.column_stack((line, none)))
        cables = world.add(Cable3D, node0=nodes[:2], node1=nodes[1:], length=0.6 * RADIUS, **free)
    else:
        nodes = world.add(PointSlope2D, position=centre + RADIUS * radial, slope=1.02 * line)
        cables = world.add(Cable2D, node0=nodes[:2], node1=nodes[1:], length=0.6 * RADIUS, **free)
    width = 6 if space else 4
    axis = (0.1, -0.07, 1.0) if space else (0.0, 0.0, 1.0)
    if name in ("plane", "field"):
        axis = (0.1, 1.0, 0.2) if space else (0.1, 1.0, 0.0)
    arm = np.array((0.03, -0.02, 0.01)[: 3 if space else 2])
    body: Any
    if fixed:
        marker = rigid_marker(world, world.add(Ground), (*centre, 0.0))
    elif space:
        body = world.add(RigidBody3D, position=(*centre, 0.0) - arm, mass=1.0, inertia=np.ones(6) * (1, 1, 1, 0, 0, 0))
        marker = rigid_marker(world, body, arm)
    else:
        body = world.add(RigidBody2D, position=centre - arm, mass=1.0, inertia=1.0)
        marker = rigid_marker(world, body, arm)
    surface = add_surface(world, name, marker, axis)
    contacts = add_surface_contact(world, surface, cables, points=POINTS, rope_radius=0.002, **{**CONTACT, **contact})
    if name == "groove":
        other = Entity(surface.table, surface.rows + 1)
        add_surface_contact(world, other, cables, points=POINTS, **{**CONTACT, "active": False})
    fix(world, nodes[0], "x")
    assembly = Assembly(world)
    fields, count = assembly.fields, assembly.layout.spare
    fields.x[:count] = assembly.layout.reference[:count] + 0.003 * random.standard_normal(count)
    fields.x[: 3 * width : width] = assembly.layout.reference[: 3 * width : width]
    fields.v[:count] = 0.3 * random.standard_normal(count)
    fields.v[0] = 0.0
    for values in (fields.data, fields.start_data):
        data = values[: 2 * 5 * POINTS].reshape(2, 5 * POINTS)
        data[:, :POINTS] = random.choice([-1.0, -1.0, -1.0, 0.1], size=(2, POINTS))
        data[:, POINTS : 2 * POINTS] = random.choice([0.0, 0.0, 1.0, 1.0, -2.0], size=(2, POINTS))
        data[:, 2 * POINTS :] = 0.3 * random.standard_normal((2, 3 * POINTS))
    return ContactScene(assembly, fields.data[: 2 * 5 * POINTS].reshape(2, 5 * POINTS), contacts, count)


@pytest.mark.parametrize("name", [*SURFACES, "field"])
@pytest.mark.parametrize("space", [True, False])
@pytest.mark.parametrize("fixed", [False, True])
def test_tangent(name: str, space: bool, fixed: bool) -> None:
    """Tangents agree with differences for all states of points on every surface, on the ground and on moving bodies, in
    3D and 2D.
    """
    arc = create_arc(name, space, fixed)
    assert arc.forces().any() and (arc.output("normal_force") != 0.0).sum() >= 4
    check_fields(arc.assembly, tolerance=1e-7)


@pytest.mark.parametrize("columns", [{"friction_stiffness_per_length": 0.0}, {"clip_normal_force": True}])
def test_tangent_of_options(columns: Any) -> None:
    """Tangents agree with differences without bristles, and if tensile forces are set to 0."""
    check_fields(create_arc("round", **columns).assembly, tolerance=1e-7)


@pytest.mark.parametrize("name", ["drum", "plane", "round"])
def test_forces_moments_and_power(name: str) -> None:
    """In 3D, the sums of all forces and of all moments on cable and body are 0.

    For each part of the forces, the power on all coordinates equals the sum of the powers at the points.
    """
    arc = create_arc(name)
    f, fields = arc.forces(), arc.assembly.fields
    x, v, size = fields.x[: arc.count], fields.v[: arc.count], np.abs(f).max()
    nodes = f[:18].reshape(6, 3)
    assert size > 1.0
    assert_allclose(nodes[::2].sum(axis=0) + f[18:21], 0.0, atol=1e-13 * size)
    # if the model rotates about the origin with the angular velocity w, the rate of a position or slope r is w x r, and
    # the rate of the Euler parameters is E^T w/2
    e0, e1, e2, e3 = x[21:25]
    E = np.array([[-e1, e0, -e3, e2], [-e2, e3, e0, -e1], [-e3, -e2, e1, e0]])
    for w in np.eye(3):
        turned = np.concatenate([np.cross(w, x[:21].reshape(7, 3)).ravel(), 0.5 * E.T @ w])
        assert_allclose(turned @ f, 0.0, atol=1e-13 * size)
    powers = ("friction_power", "friction_damping_power", "contact_damping_power", "bristle_power", "spring_power",
              "lever_power")  # fmt: skip
    total = sum(arc.output(power).sum() for power in powers)
    assert_allclose(v @ f, total, rtol=1e-11)


def test_springs_and_bristles_have_a_potential() -> None:
    """The rates of the stored energies are equal to the powers, even for bristles on a curved surface."""
    arc = create_arc("round", contact_damping_per_length=0.0, friction_velocity_penalty_per_length=0.0)
    arc.data[:, POINTS : 2 * POINTS] = 0.0
    fields, h = arc.assembly.fields, 1e-6
    rate = arc.output("bristle_power").sum() + arc.output("spring_power").sum()
    v = fields.v[: arc.count].copy()
    energy = []
    for sign in (1.0, -2.0):
        fields.x[: arc.count] += sign * h * v
        arc.assembly.update_markers()
        energy.append(arc.assembly.energy())
    assert_allclose((energy[0] - energy[1]) / (2.0 * h), rate, rtol=1e-7)


def test_points_that_touch_in_motion() -> None:
    """Moving points have no friction in the step in which they touch. If the points are at rest, their bristles exert
    friction.
    """
    arc = create_arc("drum")
    fields, start = arc.assembly.fields, arc.assembly.fields.start_data.reshape(2, 5 * POINTS)
    arc.data[:, :POINTS], arc.data[:, POINTS : 2 * POINTS] = -1.0, 0.0
    assert (arc.output("friction") > 0.0).all()
    start[:, POINTS : 2 * POINTS] = -2.0
    assert (arc.output("friction") == 0.0).all() and (arc.output("state") == 0.0).all()
    normal = (arc.output("normal_force")[..., None] * arc.output("normal")).sum(axis=(0, 1))
    assert_allclose(arc.forces()[:18].reshape(6, 3)[::2].sum(axis=0), normal, rtol=1e-12)
    assert arc.output("bristle_power").sum() == arc.output("friction_damping_power").sum() == 0.0
    check_fields(arc.assembly, tolerance=1e-7)
    fields.v[:] = 0.0
    assert (arc.output("friction") > 0.0).all()


def test_rounding_does_not_decide_at_the_limit() -> None:
    """Points that have slipped are at the friction limit, except for rounding errors. If the next solve starts from
    this state, all points stick with the same friction force. Beyond the limit, the points slip.
    """
    found = 0
    for seed in range(5):
        arc = create_arc("drum", fixed=True, seed=seed)
        fields, system = arc.assembly.fields, arc.assembly.layout.systems[ContactFrictionSurfaceCable]
        start = fields.start_data.reshape(2, 5 * POINTS)
        fields.v[:], start[:, :POINTS], start[:, POINTS : 2 * POINTS] = 0.0, -1.0, 0.0
        arc.assembly.update_markers()
        run_post_newton(system, fields)
        slips, first = arc.data[:, POINTS : 2 * POINTS] == 1.0, start.copy()
        start[:] = arc.data
        before = arc.output("friction")[slips]
        run_post_newton(system, fields)
        assert (arc.data[:, POINTS : 2 * POINTS][slips] == 0.0).all()
        assert_allclose(arc.output("friction")[slips], before, rtol=1e-9)
        # move the anchors back by a millionth of the slip
        start[:, 2 * POINTS :] += 1e-6 * (first - start)[:, 2 * POINTS :]
        run_post_newton(system, fields)
        assert (arc.data[:, POINTS : 2 * POINTS][slips] == 1.0).all()
        found += slips.sum()
    assert found > 10


def test_update() -> None:
    """A point that was open sticks at its position. Below the friction limit, the anchor of a sticking point does not
    move. Above the limit, the anchor follows the point.
    """
    arc = create_arc("drum", fixed=True, friction_velocity_penalty_per_length=0.0, contact_damping_per_length=0.0)
    fields, assembly = arc.assembly.fields, arc.assembly
    system = assembly.layout.systems[ContactFrictionSurfaceCable]
    fields.x[: arc.count], fields.v[: arc.count] = assembly.layout.reference[: arc.count], 0.0
    start = fields.start_data.reshape(2, 5 * POINTS)
    start[:], arc.data[:] = 0.0, 0.0
    start[:, :POINTS] = arc.data[:, :POINTS] = 0.1
    start[:, POINTS : 2 * POINTS] = arc.data[:, POINTS : 2 * POINTS] = -2.0
    assembly.update_markers()
    outcome = run_post_newton(system, fields)
    gap = arc.output("gap")
    closed = gap <= 0.0
    assert closed.any() and outcome.changed
    assert_allclose(arc.data[:, :POINTS], gap, rtol=0, atol=1e-16)
    assert (arc.data[:, POINTS : 2 * POINTS] == np.where(closed, 0.0, -2.0)).all()
    # bristles of points that have just touched are not deflected
    assert_allclose(arc.output("friction"), 0.0, atol=1e-13)
    # after a displacement of 1e-5 m along the axis, all points stick with the force mu_k u; after 0.01 m, all points
    # slip with the force mu |f_n|
    w = 0.6 * RADIUS / POINTS
    axis = np.array((0.1, -0.07, 1.0)) / np.linalg.norm((0.1, -0.07, 1.0))
    for way, state in ((1e-6, 0.0), (0.01, 1.0)):
        start[:] = arc.data
        for node in range(3):
            fields.x[6 * node : 6 * node + 3] += way * axis
        anchors = arc.data[:, 2 * POINTS :].copy()
        assembly.update_markers()
        run_post_newton(system, fields)
        assert (arc.data[:, POINTS : 2 * POINTS][closed] == state).all()
        force = arc.output("friction_force")
        limit = 0.3 * np.abs(arc.output("normal_force"))
        if state == 0.0:
            assert_allclose(force[closed], np.tile(-900.0 * w * way * axis, (closed.sum(), 1)), atol=1e-9 * 900.0 * w)
            assert_allclose(arc.data[:, 2 * POINTS :], anchors, rtol=0, atol=0)
        else:
            assert_allclose(force[closed], -limit[closed][:, None] * axis, rtol=1e-6)
            # the distance of the anchor from the point is the deflection of a bristle at the friction limit
            start[:] = arc.data
            arc.data[:, POINTS : 2 * POINTS][closed] = 0.0
            assert_allclose(arc.output("friction")[closed], limit[closed], rtol=1e-9)


@pytest.mark.parametrize(("name", "least"), [("plane", 20), ("sphere", 20), ("drum", 20), ("round", 2)])
def test_return_map_skips_far_rows(name: str, least: int) -> None:
    """The return map skips rows that are far from the surface. In all other rows, its results equal the results of an
    update. Few positions are far from a round groove, because the distance from the groove decreases towards the axis
    of the sheave.
    """
    arc = create_arc(name)
    maps = arc.assembly.layout.systems[arc.contacts.table.component].return_map.rest
    skipped, closed = compare_maps(arc, maps, 3, POINTS)
    assert skipped > least and closed > 20
