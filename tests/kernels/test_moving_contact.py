"""Tests of the contact of circles with cables with material that moves along the axis: markers, virtual power,
tangents, and updates of history values.

The law of plain cables is the reference. With s = s_t = 0 all results must equal the results for `Cable2D`. For other
values of s and s_t, the forces must equal the forces on a plain cable that has the velocities of the material.
"""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.testing import assert_allclose

from windlass.connectors import (
    CableShape,
    ContactCircleCable2D,
    ContactFrictionCircleCable2D,
    position_marker,
    rigid_marker,
)
from windlass.connectors.markers.cable_shape import FAMILY, ShapeMarkers
from windlass.elements import ALECable2D, ALENode, Cable2D, PointSlope2D, RigidBody2D, nodes_of, straight_cable
from windlass.elements.cable.ale_kernels import slide_matrices
from windlass.framework.assembly.assembly import Assembly, serial_assembly
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.evaluate import eval_output, find_output
from windlass.framework.state.residual import eval_residual
from windlass.framework.state.state import State
from windlass.framework.state.tangent_check import eval_differences, eval_tangent

RADIUS, LENGTH, SEGMENTS = 0.5, 0.65, 3
# the cables have no stiffness and no mass, so all forces are contact forces
CABLE = {"mass_per_length": 0.0, "axial_stiffness": 1e-300, "bending_stiffness": 0.0, "length": LENGTH}
LAW = {
    "segments": SEGMENTS,
    "circle_radius": RADIUS,
    "contact_stiffness": 2000.0,
    "contact_damping": 17.0,
}
FRICTION = {"friction_velocity_penalty": 9.0, "friction_stiffness": 800.0, "friction_coefficient": 0.3}
S, S_T, STORED = 0.37, -1.3, 0.25
LENGTHS = ("current", "reference")


class Pairs(NamedTuple):
    """Cables, each of which touches one circle.

    ``axial`` is the local number of the coordinate s; ``nodes`` and ``circle`` are the local numbers of the coordinates
    of each pair.
    """

    world: World
    contacts: Entity
    assembly: Assembly
    axial: int
    nodes: Any
    circle: Any


def create_pairs(
    kinds: str, place: Any = (0.0, 0.0), friction: bool = True, offsets: Any = 0.0, **columns: Any
) -> Pairs:
    """Create one pair of cable and circle for each letter of the text: "m" for a cable with moving material, "p" for a
    plain cable.

    The circles are below the cables. The circles are fixed to bodies or to other cables.
    """
    world, count = World(), len(kinds)
    ale = world.add(ALENode)
    start = np.column_stack((np.full(count, -0.3), np.full(count, 0.48)))
    ends = [world.add(PointSlope2D, position=start + (x, 0.0)) for x in (0.0, LENGTH)]
    cables = []
    for i, kind in enumerate(kinds):
        columns_i = CABLE | {"node0": ends[0][i], "node1": ends[1][i]}
        cables.append(world.add(ALECable2D, ale=ale, **columns_i) if kind == "m" else world.add(Cable2D, **columns_i))
    shape = world.add(CableShape, cable=cables, segments=SEGMENTS, vertical_offset=offsets)
    if place == "cable":
        first, second = (np.column_stack((np.full(count, x), np.zeros(count))) for x in (-0.3, 0.5))
        nodes = [world.add(PointSlope2D, position=first), world.add(PointSlope2D, position=second)]
        others = world.add(Cable2D, node0=nodes[0], node1=nodes[1], **CABLE | {"length": 0.8})
        circle = position_marker(world, others, at=(0.35, 0.05))
    else:
        bodies = world.add(RigidBody2D, position=np.zeros((count, 2)), mass=0.0, inertia=0.0)
        circle = rigid_marker(world, bodies, at=place)
    law = ContactFrictionCircleCable2D if friction else ContactCircleCable2D
    contacts = world.add(law, circle=circle, cable=shape, **LAW | (FRICTION if friction else {}) | columns)
    assembly = serial_assembly(world)
    assembly.load_fields(State(world))
    nodes = np.concatenate([world.dofs_of(end) for end in ends], axis=1)
    return Pairs(world, contacts, assembly, int(world.dofs_of(ale)[0, 0]), nodes, world.dofs_of(circle))


def history(pairs: Pairs, data: Any) -> tuple[Any, Any, Any, Any]:
    """Return views of the history values: gaps, states and sticking positions, shape (pairs, segments) each, and s0,
    shape (pairs, 1). Values that the rows do not have are omitted.
    """
    rows, n = data.reshape(len(pairs.contacts), -1), SEGMENTS
    return rows[:, :n], rows[:, n : 2 * n], rows[:, 2 * n : 3 * n], rows[:, 3 * n :]


def set_random(pairs: Pairs, seed: int, s: float = S, s_t: float = S_T) -> None:
    """Set random coordinates near the reference values, random velocities, and history values with which all segments
    are closed.
    """
    rng, fields = np.random.default_rng(seed), pairs.assembly.fields
    n = pairs.assembly.layout.spare
    fields.x[:n] = pairs.assembly.layout.reference[:n] + 0.04 * rng.standard_normal(n)
    fields.v[:n] = 0.3 * rng.standard_normal(n)
    fields.x[pairs.axial], fields.v[pairs.axial] = s, s_t
    gaps, states, sticks, stored = history(pairs, fields.data)
    gaps[:] = -0.01
    states[:] = rng.choice([-2.0, 0.0, 1.0, -1.0], states.shape)
    sticks[:] = rng.uniform(-0.6, 0.6, sticks.shape)
    stored[:] = STORED
    fields.start_data[:] = fields.data
    pairs.assembly.update_markers()


def twin(kinds: str, seed: int, s: float = S, s_t: float = S_T, **more: Any) -> tuple[Pairs, Pairs]:
    """Create cables with moving material and plain cables at the same positions. The nodes of the plain cables have the
    velocities of the material, and their sticking positions are measured on the mesh.
    """
    pairs, plain = create_pairs(kinds, **more), create_pairs("p" * len(kinds), **more)
    set_random(pairs, seed, s, s_t)
    set_random(plain, seed, 0.0, 0.0)
    moving = np.array([kind == "m" for kind in kinds])
    q = pairs.assembly.fields.x[pairs.nodes[moving]]
    G = slide_matrices(np.full(len(q), LENGTH))
    g = np.einsum("rij,rjc->ric", G, q.reshape(-1, 4, 2)).reshape(-1, 8)
    plain.assembly.fields.v[plain.nodes[moving]] += s_t * g
    plain.assembly.update_markers()
    # the cables lie on top of the circles and run in the direction of x, so t.e < 0 and sigma = 1
    for data in (plain.assembly.fields.data, plain.assembly.fields.start_data):
        sticks = history(plain, data)[2]
        if sticks.size:
            sticks[moving] += travel(plain, s, more.get("sticking_length"))[moving]
    return pairs, plain


def travel(pairs: Pairs, s: float, sticking_length: str | None) -> Any:
    """Return the displacement [m] of the material since the sticking positions were stored, shape (pairs, segments).
    All cables have the same coordinate s.

    With current lengths, the displacement is measured from s0, in current lengths of the chords.
    """
    count = len(pairs.contacts)
    if sticking_length == "reference":
        return np.full((count, SEGMENTS), s)
    chords = np.diff(pairs.assembly.fields.markers[FAMILY].position.reshape(count, SEGMENTS + 1, 2), axis=1)
    return (s - STORED) * np.linalg.norm(chords, axis=-1) * SEGMENTS / LENGTH


def test_marker_gives_the_motion_of_the_material() -> None:
    """Points, velocities, slopes and rates of slopes of the marker agree with outputs of the element, and with
    differences in time.
    """
    pairs = create_pairs("mm")
    set_random(pairs, 1)
    # copy the columns, because the evaluation of outputs at other states overwrites the columns
    shape = ShapeMarkers(*(column.copy() for column in pairs.assembly.fields.markers[FAMILY]))
    state = State(pairs.world)
    n = pairs.assembly.layout.spare
    state.q[:] = pairs.assembly.fields.x[:n] - pairs.assembly.layout.reference[:n]
    state.v[:] = pairs.assembly.fields.v[:n]
    cables = Entity(pairs.world.tables[ALECable2D], np.arange(2))
    x = np.tile(np.linspace(0.0, LENGTH, SEGMENTS + 1), (2, 1))
    for name, column in (("position", shape.position), ("velocity", shape.velocity), ("director", shape.slope)):
        values = np.asarray(eval_output(cables, name, state, x=x))[..., :2]
        assert_allclose(column.reshape(values.shape), values, atol=1e-13, err_msg=name)
    # the rate of the slope, r'_t + s_t r'', follows from the slope at the material coordinate x + s_t h after the time
    # h
    h, rates = 1e-6, []
    later = state.copy()
    for sign in (1.0, -1.0):
        later.q[:] = state.q + sign * h * state.v
        rates.append(np.asarray(eval_output(cables, "director", later, x=x[:, 1:-1] + sign * h * S_T))[..., :2])
    expected = (rates[0] - rates[1]) / (2 * h)
    assert_allclose(shape.slope_rate.reshape(2, SEGMENTS + 1, 2)[:, 1:-1], expected, atol=1e-8)


@pytest.mark.parametrize(("friction", "sticking"), [(True, "current"), (True, "reference"), (False, "")])
@pytest.mark.parametrize("normals", [True, False])
def test_forces_are_those_of_a_plain_cable_with_the_motion_of_the_material(
    normals: bool, friction: bool, sticking: str
) -> None:
    """Contact forces on the nodes and the circle equal the forces on a plain cable with the velocities of the material.
    The force on s is the product g.f of the material direction g = G q and the nodal forces f. The outputs of cables
    with moving material and of plain cables agree, even if one table contains both kinds.
    """
    more: dict[str, Any] = {"friction": friction}
    more |= {"use_segment_normals": normals, "sticking_length": sticking} if friction else {}
    for kinds in ("mmmm", "mpmp"):
        pairs, plain = twin(kinds, 3, **more)
        f, other = eval_residual(pairs.assembly), eval_residual(plain.assembly)
        scale = np.abs(other).max()
        assert scale > 10.0
        same = np.delete(np.arange(len(f)), pairs.axial)
        assert_allclose(f[same], other[same], atol=1e-12 * scale)
        assert other[plain.axial] == 0.0
        for name in ("force_local", "coordinates", "coordinates_rate", "gap"):
            ours, theirs = eval_contact_output(pairs, name), eval_contact_output(plain, name)
            assert_allclose(ours, theirs, atol=1e-11 * max(1.0, np.abs(theirs).max()), err_msg=name)


def eval_contact_output(pairs: Pairs, name: str) -> Any:
    """Return an output variable of the contacts at the present state."""
    rows = serial_assembly(pairs.world).local_rows(pairs.contacts.table, pairs.contacts.rows)
    return find_output(pairs.contacts, name).evaluate(rows, pairs.assembly.fields)


@pytest.mark.parametrize("place", [(0.0, 0.0), (0.03, -0.05)])
def test_virtual_power(place: Any) -> None:
    """For any rates, the power f.q_t of all coordinates equals the power of the normal and tangential point forces.

    With segment normals, the power is the sum of f_n v_n + f_t v_t, with v from the velocities of the material.
    Therefore forces are mapped to coordinates by the transpose of the map from rates to velocities.
    """
    pairs = create_pairs("mmmm", place)
    set_random(pairs, 5)
    fields = pairs.assembly.fields
    f = eval_residual(pairs.assembly)
    n = len(f)
    force, rate = eval_contact_output(pairs, "force_local"), eval_contact_output(pairs, "coordinates_rate")
    assert_allclose(f @ fields.v[:n], (force * rate).sum(), rtol=1e-12)
    # f depends on the rates, so the test also evaluates its power for other rates: only s moves, only nodes move, or
    # only circles move
    shape: ShapeMarkers = fields.markers[FAMILY]
    assert abs(f[pairs.axial]) > 1.0
    forces = np.zeros((len(shape.position), 2))
    for i in range(4):
        e = eval_contact_output(pairs, "normal")[i], eval_contact_output(pairs, "tangent")[i]
        on_segment = force[i, :, 1:] * e[0] + force[i, :, :1] * e[1]
        p = shape.position.reshape(4, SEGMENTS + 1, 2)[i]
        at = eval_contact_output(pairs, "contact_position")[i]
        along = np.diff(p, axis=0)
        rho = ((at - p[:-1]) * along).sum(-1) / (along**2).sum(-1)
        forces[4 * i : 4 * i + 3] += (1 - rho)[:, None] * on_segment
        forces[4 * i + 1 : 4 * i + 4] += rho[:, None] * on_segment
    assert_allclose(f[pairs.axial], (forces * shape.slope).sum(), rtol=1e-11)


def smooth_pairs(pairs: Pairs) -> Any:
    """Return the pairs in which no segment is near a point at which the force is not differentiable. Such points are:
    rho is 0 or 1; f_n is 0; the deflection of a bristle is about to be reduced by a period.
    """
    shape: ShapeMarkers = pairs.assembly.fields.markers[FAMILY]
    count = len(pairs.contacts)
    p = shape.position.reshape(count, SEGMENTS + 1, 2)
    at, rate = eval_contact_output(pairs, "contact_position"), eval_contact_output(pairs, "coordinates_rate")
    along = np.diff(p, axis=1)
    gap, n = eval_contact_output(pairs, "gap"), eval_contact_output(pairs, "normal")
    center = at - (gap + RADIUS)[..., None] * n
    rho = ((center - p[:, :-1]) * along).sum(-1) / (along**2).sum(-1)
    bristle = eval_contact_output(pairs, "coordinates")[..., 0]
    near = (
        (np.abs(rho) < 0.02)
        | (np.abs(rho - 1) < 0.02)
        | (np.abs(LAW["contact_stiffness"] * gap + LAW["contact_damping"] * rate[..., 1]) < 2.0)
    )
    near |= np.abs(np.abs(bristle) - np.pi * RADIUS) < 0.05
    return ~near.any(axis=1)


PLACES = ((0.0, 0.0), (0.03, -0.05), "cable")
COMBINATIONS = list(product((True, False), (800.0,), PLACES, (True, False), LENGTHS))
COMBINATIONS += list(product((True, False), (0.0,), PLACES, (True, False), LENGTHS[:1]))


@pytest.mark.parametrize(("normals", "stiffness", "place", "clip", "sticking"), COMBINATIONS)
def test_tangent(normals: bool, stiffness: float, place: Any, clip: bool, sticking: str) -> None:
    """All derivatives, including the derivatives with respect to s and s_t, agree with central differences for moving
    and plain cables.
    """
    columns = {"use_segment_normals": normals, "friction_stiffness": stiffness, "clip_normal_force": clip}
    columns["sticking_length"] = sticking
    pairs = create_pairs("mmmmmpmm", place, **columns)
    found = 0
    for seed in range(4):
        set_random(pairs, seed)
        found += check_tangent(pairs, smooth_pairs(pairs))
    assert found >= 8


def check_tangent(pairs: Pairs, smooth: Any) -> int:
    """Compare the tangents of the pairs ``smooth`` with differences. All other pairs are made inactive, because s
    couples all pairs. Return the number of compared pairs.
    """
    pairs.world.set(pairs.contacts, active=smooth)
    pairs.assembly.refresh()
    parts = {name: eval_differences(pairs.assembly, name) for name in ("x", "v")}
    for dq, dv in ((1.0, 0.0), (0.0, 1.0), (0.7, -1.9)):
        expected = dq * parts["x"] + dv * parts["v"]
        error = eval_tangent(pairs.assembly, dq, dv, 0.0) - expected
        # the rounding error of the differences is 1e-16 F / h
        assert np.abs(error).max() < 1e-7 * max(1.0, np.abs(expected).max())
    pairs.world.set(pairs.contacts, active=True)
    return int(smooth.sum())


def test_tangent_without_friction() -> None:
    """Tangents of the law without friction, and of the law with the friction coefficient 0, agree with differences."""
    for more in ({"friction": False}, {"friction_coefficient": 0.0, "friction_stiffness": 1e-8}):
        pairs = create_pairs("mmpm", **more)
        set_random(pairs, 2)
        assert check_tangent(pairs, smooth_pairs(pairs)) >= 2


def test_tangent_depends_on_the_axial_motion() -> None:
    """The derivatives with respect to s and s_t are not zero, so the comparisons with differences can detect errors.
    The forces depend on s only because of bristles, and on s_t only because of damping and friction.
    """
    pairs = create_pairs("mmmm")
    set_random(pairs, 0)
    K, D = eval_tangent(pairs.assembly, 1.0, 0.0, 0.0), eval_tangent(pairs.assembly, 0.0, 1.0, 0.0)
    assert abs(K[pairs.axial, pairs.axial]) > 10.0 and abs(D[pairs.axial, pairs.axial]) > 1.0
    for rows in (K[:, pairs.axial], K[pairs.axial], D[:, pairs.axial], D[pairs.axial]):
        assert np.abs(rows[pairs.nodes]).max() > 1.0 and np.abs(rows[pairs.circle]).max() > 0.1


@pytest.mark.parametrize("sticking", LENGTHS)
@pytest.mark.parametrize("stiffness", [800.0, 0.0])
def test_update_refers_sticking_positions_to_the_material(stiffness: float, sticking: str) -> None:
    """After an update, a cable with moving material and a plain cable with the same slip have equal states, gaps and
    force errors.

    If sticking positions refer to reference lengths, the positions of the two cables differ by s. If sticking positions
    refer to current lengths, the positions are equal, and the present value of s is also stored.
    """
    pairs, plain = twin("mpmmmm", 4, friction_stiffness=stiffness, sticking_length=sticking)
    results = []
    for model in (pairs, plain):
        fields = model.assembly.fields
        history(model, fields.data)[0][:, 1] = 0.1
        fields.start_data[:] = fields.data
        results.append(model.assembly.post_newton())
    ours, theirs = (np.stack(history(model, model.assembly.fields.data)[:3], axis=1) for model in (pairs, plain))
    assert_allclose(results[0].error, results[1].error, rtol=1e-11)
    assert results[0].changed == results[1].changed and results[0].error > 0.0
    assert_allclose(ours[:, :2], theirs[:, :2], atol=1e-14)
    moving = np.array([0, 2, 3, 4, 5])
    closed = theirs[moving, 0] <= 0.0
    assert closed.any()
    if sticking == "reference":
        assert_allclose(ours[moving, 2], theirs[moving, 2] - S, atol=1e-13)
    elif stiffness > 0.0:
        assert_allclose(ours[moving, 2][closed], theirs[moving, 2][closed], atol=1e-13)
        assert_allclose(history(pairs, pairs.assembly.fields.data)[3][moving], S, rtol=0, atol=0)
    assert_allclose(ours[1], theirs[1], atol=1e-14)
    assert {0.0} < set(np.abs(ours[:, 1]).ravel())


def test_sticking_positions_that_are_kept_do_not_drift() -> None:
    """If sticking positions refer to reference lengths, the values of sticking and of open segments do not change in
    many updates with different values of s.
    """
    pairs = create_pairs("mm", friction_coefficient=1e6, sticking_length="reference")
    set_random(pairs, 6)
    fields = pairs.assembly.fields
    gaps, states, sticks, _ = history(pairs, fields.data)
    states[:] = 0.0
    kept = sticks.copy()
    for s in np.linspace(0.0, 0.3, 50):
        fields.x[pairs.axial] = s
        fields.start_data[:] = fields.data
        pairs.assembly.update_markers()
        pairs.assembly.post_newton()
    assert (gaps <= 0.0).any()
    assert np.array_equal(sticks, kept)


@pytest.mark.parametrize(("sticking", "stretch"), [("current", 1.0), ("current", 1.07), ("reference", 1.0)])
def test_material_that_rolls_along_with_the_circle_does_not_bend_bristles(sticking: str, stretch: float) -> None:
    """A mesh at rest touches a circle with the rim speed v. The material moves through this mesh with s_t = v/lam. The
    slip velocity and the deflection of bristles are always 0.

    The straight cable lies on top of the circle. The material moves to the right, so the circle rotates clockwise. If
    sticking positions refer to reference lengths, the deflection is 0 only without stretch: with stretch, seven turns
    of the circle would deflect bristles by half a turn.
    """
    world = World()
    ale = world.add(ALENode)
    columns = CABLE | {"length": 0.5 / stretch}
    cables = straight_cable(world, (-0.5, 0.499), (0.5, 0.499), 2, ale=ale, **columns)
    wheel = world.add(RigidBody2D, position=(0.1, 0.0), mass=0.0, inertia=0.0)
    shape = world.add(CableShape, cable=cables, segments=SEGMENTS)
    law = LAW | FRICTION | {"sticking_length": sticking}
    contacts = world.add(ContactFrictionCircleCable2D, circle=rigid_marker(world, wheel), cable=shape, **law)
    state = State(world)
    state.put(nodes_of(world, cables), [0.0, 0.0, stretch - 1.0, 0.0])
    speed = 3.0
    state.put(ale, [speed / stretch], "v")
    state.put(wheel, [0.0, 0.0, -speed / RADIUS], "v")
    assembly = serial_assembly(world)
    touching = None
    for t in np.linspace(0.0, 5.0, 7):
        state.put(ale, [speed / stretch * t])
        state.put(wheel, [0.0, 0.0, -speed / RADIUS * t])
        state.start_data[:] = state.data
        fields = assembly.load_fields(state)
        assembly.post_newton()
        state.data[:] = fields.data
        closed = eval_output(contacts, "gap", state) <= 0.0
        touching = closed if touching is None else touching
        assert np.array_equal(closed, touching) and closed.any()
        assert_allclose(eval_output(contacts, "coordinates_rate", state), 0.0, atol=1e-12)
        assert_allclose(eval_output(contacts, "coordinates", state)[..., 0], 0.0, atol=1e-12)
        assert np.all(eval_output(contacts, "state", state)[closed] == 0.0)
