"""Tests of surfaces and their contact: errors before the solve, search for surfaces, default stiffness, drawings, and
reports.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass import connectors as con
from windlass.connectors.reports.surface_section import tabulate_surfaces
from windlass.connectors.surface_contact.contact_friction_surface_cable import find_doubts
from windlass.connectors.surface_contact.draw import find_nodes
from windlass.elements import ALENode, Cable3D, Ground, MassPoint, RigidBody3D, nodes_of, straight_cable
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.model.history import GenericData
from windlass.framework.output.scene import Scene

from support.series import read_series
from support.surface_models import Falling, create_falling

ROPE = {"mass_per_length": 1.0, "axial_stiffness": 1e5, "bending_stiffness": 0.1}
FIELD = {"x": (-1.0, 1.0), "y": (-1.0, 1.0), "heights": (0.0,) * 4}
GROOVE = {"radius": 0.5, "groove_radius": 0.02, "outer_radius": 0.53}


def create(kind: Any, columns: Any, **contact: Any) -> tuple[wl.World, wl.Entity, wl.Entity]:
    """Create a rope above a surface on the ground, and the contact between rope and surface."""
    world = wl.World()
    rope = straight_cable(world, (-1.0, 0.6, 0.0), (1.0, 0.6, 0.0), 2, **ROPE)
    surface = world.add(kind, marker=con.rigid_marker(world, world.add(Ground)), **columns)
    contacts = con.add_surface_contact(world, surface, rope, **{"contact_stiffness_per_length": 1e5, **contact})
    return world, surface, contacts


@pytest.mark.parametrize(
    ("kind", "columns", "rope", "message"),
    [
        (con.DrumSurface, {"radius": -0.1}, 0.0, "radius = -0.1 m in DrumSurface row 0: must be > 0"),
        (con.SheaveSurface, GROOVE, 0.03, "rope_radius = 0.03 m .* must be < 0.02 m, the radius of the groove"),
        (con.SphereSurface, {"radius": 0.1, "inside": True}, 0.2, "must be < 0.1 m, the radius of the sphere"),
        (
            con.VGrooveFlank, {"radius": 0.5, "half_angle": 0.3, "outer_radius": 0.51, "side": 1}, 0.02,
            "rope_radius = 0.02 m .* must be < 0.0029552 m, for which the groove is deep enough",
        ),
        (con.DrumSurface, {"radius": 0.1, "axis": (0, 0, 0)}, 0.0, "axis = .0, 0, 0. in DrumSurface row 0: must have"),
        (con.SheaveSurface, {**GROOVE, "outer_radius": 0.4}, 0.0, "outer_radius = 0.4 m .* must be > 0.5 m"),
        (con.SheaveSurface, {**GROOVE, "flank_half_angle": 1.6}, 0.0, "flank_half_angle = 1.6 rad .* must be < pi/2"),
        (con.VGrooveFlank, {"radius": 0.5, "half_angle": 0.3, "outer_radius": 0.6, "side": 2}, 0.0, "side = 2"),
        (con.ProfileSurface, {"vertices": (0.1, 0.0, 0.1)}, 0.0, "has 3 numbers: must have rho, z"),
        (con.ProfileSurface, {"vertices": (0.1, 0, 0.1, 1, 0.2, 2), "rounding": (30.0,)}, 0.0, "the arcs at the ends"),
        (con.ProfileSurface, {"vertices": (0.1, 0.0, -0.1, 1.0)}, 0.0, "must have rho >= 0 m, radii >= 0 m"),
        (con.HeightFieldSurface, {**FIELD, "x": (0.0,)}, 0.0, "x in HeightFieldSurface row 0 has 1 numbers"),
        (con.HeightFieldSurface, {**FIELD, "y": (0.0, 0.0)}, 0.0, "y in .* has 2 numbers .m.: must be 2 or more, asc"),
        (con.HeightFieldSurface, {**FIELD, "heights": (0.0,) * 5}, 0.0, "has 5 numbers: must have 2 x 2 = 4"),
        (con.HeightFieldSurface, {**FIELD, "heights": ()}, 0.0, "heights in .* row 0 = .*: expected a list of numb"),
        (con.HeightFieldSurface, {**FIELD, "along": (0, 0, 1)}, 0.0, "along = .* is parallel to axis"),
        (
            con.HeightFieldSurface, {"x": (-1, 0, 1), "y": (-1, 1), "heights": (1, 1, 0, 0, 1, 1)}, 0.4,
            "rope_radius = 0.4 m .* must be < 0.333333 m, the smallest radius of its hollows",
        ),
        (con.PlaneSurface, {"depth": -1.0}, 0.0, "depth = -1.0 m in PlaneSurface row 0: must be >= 0"),
    ],
)  # fmt: skip
def test_errors(kind: Any, columns: Any, rope: float, message: str) -> None:
    """Invalid surfaces, for example with negative radii or with grooves narrower than the rope, cause errors before the
    solve.
    """
    with pytest.raises(wl.ModelError, match=message):
        create(kind, columns, rope_radius=rope)[0].finalize()


def test_more_errors() -> None:
    """A surface that no cable can touch, wrong markers, ALE cables, and a missing stiffness cause errors."""
    world, _, _ = create(con.DrumSurface, {"radius": 0.1})
    marker = con.rigid_marker(world, world.add(Ground))
    world.add(con.SphereSurface, marker=marker, radius=0.1)
    with pytest.raises(wl.ModelError, match=r"SphereSurface row 0. is a surface that no cable can touch"):
        world.finalize()
    world = wl.World()
    point = con.position_marker(world, world.add(MassPoint, position=(0.0, 0.0, 0.0), mass=1.0))
    with pytest.raises(wl.ModelError, match=r"marker in DrumSurface row 0 = .* must be a rigid marker"):
        world.add(con.DrumSurface, marker=point, radius=0.1)
    drum = world.add(con.DrumSurface, marker=con.rigid_marker(world, world.add(Ground)), radius=0.1)
    belt = straight_cable(world, (0.0, 0.2), (1.0, 0.2), 2, ale=world.add(ALENode), **ROPE)
    with pytest.raises(wl.ModelError, match="has no stiffness: give contact_stiffness_per_length"):
        con.add_surface_contact(world, drum, belt)
    with pytest.raises(wl.ModelError, match="must both be given, or neither"):
        con.add_surface_contact(world, drum, belt, tension=1.0)
    with pytest.raises(wl.ModelError, match="must be surfaces, such as PlaneSurface"):
        con.add_surface_contact(world, belt, belt, tension=1.0, radius=1.0)
    con.add_surface_contact(world, drum, belt, contact_stiffness_per_length=1.0)
    with pytest.raises(wl.ModelError, match="is an ALECable2D, whose material moves along its axis"):
        world.finalize()
    world = wl.World()
    ground = con.rigid_marker(world, world.add(Ground))
    with pytest.raises(wl.ModelError, match=r"flange_radius = 0.1 m of add_drum: must be > 0.1 m"):
        con.add_drum(world, ground, radius=0.1, half_width=0.1, flange_radius=0.1)


def test_errors_of_ropes_that_friction_turns() -> None:
    """Friction can rotate only cables with twist whose rope radius is positive. Other cables, wrong numbers of history
    values, and repeated pairs cause errors.
    """
    world, surface, _ = create(con.DrumSurface, {"radius": 0.1})
    stiff = {"contact_stiffness_per_length": 1e5, "turns_rope": True}
    rope = world.entity(int(world.table(Cable3D).ids_of(np.array([0]))[0]))
    count = world.count
    with pytest.raises(
        wl.ModelError, match=r"with turns_rope has .* must be TwistCable3D, because other cables have no"
    ):
        con.add_surface_contact(world, surface, rope, rope_radius=0.01, **stiff)
    with pytest.raises(
        wl.ModelError, match=r"cable in ContactFrictionSurfaceTwistCable row 0 = .*: must be a twist cable"
    ):
        world.add(
            con.ContactFrictionSurfaceTwistCable, surface=surface, cable=rope, points=1, rope_radius=0.01,
            contact_stiffness_per_length=1.0,
        )  # fmt: skip
    assert world.count == count
    rod = straight_cable(
        world, (-1.0, 0.6, 0.0), (1.0, 0.6, 0.0), 1, torsional_stiffness=1.0, rotary_inertia=1.0, **ROPE
    )
    for touching, kind in ((None, "ContactFrictionSurfaceTwistCable"), (1, "ContactFrictionSurfaceSetTwistCable")):
        with pytest.raises(wl.ModelError, match=f"rope_radius = 0.0 m in {kind} row 0: must be > 0"):
            con.add_surface_contact(world, surface, rod, touching=touching, **stiff)
    data = world.add(GenericData, initial=np.zeros(5))
    with pytest.raises(wl.ModelError, match="turns_rope"):
        con.add_surface_contact(world, surface, rod, rope_radius=0.01, **{**stiff, "turns_rope": 0.5})
    con.add_surface_contact(world, surface, rod, points=1, rope_radius=0.01, data=data, **stiff)
    with pytest.raises(wl.ModelError, match="has 5 values: must have 11"):
        world.finalize()


def test_surface_out_of_reach() -> None:
    """If no cable is near a surface, the result of a static solve is doubtful. Points beyond the end of a surface are
    open.
    """
    world, _, contacts = create(con.PlaneSurface, {"axis": (0.0, 1.0, 0.0), "offset": -9.0})
    system = Assembly(world).layout.systems[con.ContactFrictionSurfaceCable]
    assembly = Assembly(world)
    assembly.update_markers()
    assert system.checks.doubts is not None
    (said,) = system.checks.doubts(assembly.fields, 0.0)
    assert "no cable is near the surface" in said and "9.6 m away" in said
    # a process with only some of the cables cannot detect this error
    part = assembly.local_rows(contacts.table, np.array([0]))
    assert not find_doubts(part, part.columns, assembly.fields, 0.0)
    # a surface of a contact set causes the same error, even if another surface of the set is near
    world, near, _ = create(con.DrumSurface, {"radius": 0.5})
    ground = con.rigid_marker(world, world.add(Ground))
    far = world.add(con.PlaneSurface, marker=ground, axis=(0.0, 1.0, 0.0), offset=-9.0)
    con.add_surface_contact(world, [near, far], find_rope(world), touching=1, contact_stiffness_per_length=1e5)
    assembly = Assembly(world)
    assembly.update_markers()
    doubts = assembly.layout.systems[con.ContactFrictionSurfaceSetCable].checks.doubts
    assert doubts is not None
    assert doubts(assembly.fields, 0.0) == [f"no cable is near the surface {far!r}: the nearest is 9.6 m away"]
    assert "is longer than the period of" in doubts(assembly.fields, 1.0)[0] and not doubts(assembly.fields, 1e-6)
    world, _, contacts = create(con.PlaneSurface, {"axis": (0.0, 1.0, 0.0), "offset": 0.65, "half_length": 0.3})
    gap = wl.eval_output(contacts, "gap", wl.State(world)).ravel()
    # each of the two cables has four points, at 0.125 m, 0.375 m and so on from the middle
    assert_allclose(gap, [0.1, 0.1, 0.1, -0.05, -0.05, 0.1, 0.1, 0.1], atol=1e-14)


def test_chosen_stiffness() -> None:
    """With the default stiffness, the contact depth of a rope with the tension 1000 N is 0.1 % of the radius.

    The depth of a stiff rope is smaller, such that its strain changes by only 1 %.
    """
    _, _, contacts = create(
        con.DrumSurface, {"radius": 0.5}, tension=1000.0, radius=0.5, friction_coefficient=0.1,
        contact_damping_per_length=7.0,
    )  # fmt: skip
    assert_allclose(contacts[0].contact_stiffness_per_length, 1e5)
    world, _, contacts = create(con.DrumSurface, {"radius": 0.5})
    rope = find_rope(world)
    drum = world.add(con.DrumSurface, marker=con.rigid_marker(world, world.add(Ground)), radius=0.5)
    mass, EA = (float(rope.table.collect(name)[1]) for name in ("mass_per_length", "axial_stiffness"))
    for tension in (0.05 * EA, 0.2 * EA):
        chosen = con.add_surface_contact(world, drum, rope, tension=tension, radius=0.5)
        stiffness = max(1000.0 * tension, 100.0 * EA) / 0.25
        assert_allclose(chosen[0].contact_stiffness_per_length, stiffness)
        assert_allclose(chosen[1].friction_stiffness_per_length, stiffness)
        assert_allclose(chosen[1].contact_damping_per_length, 2.0 / 3.0 * np.sqrt(stiffness * mass))
    # cables on a plane are not curved, so EA does not affect the stiffness
    bed = world.add(con.PlaneSurface, marker=con.rigid_marker(world, world.add(Ground)))
    chosen = con.add_surface_contact(world, bed, rope, tension=1000.0, radius=0.5)
    assert_allclose(chosen[0].contact_stiffness_per_length, 1000.0 / 0.5 / 0.0005)


def find_rope(world: wl.World) -> wl.Entity:
    """Return the handle to both cables of a world that `create` has returned."""
    return wl.Entity(world.table(Cable3D), np.arange(2))


def test_search() -> None:
    """The motion with a contact search agrees within 1e-12 with the motion with one row for each pair. Three of the
    five rows of the contact set are used, and few searches are needed.
    """
    ends, reports = [], []
    for search in ({}, {"touching": 2, "skin": 0.05}):
        model = create_falling(**search)
        solver = wl.Dynamic(model.world, step=1e-3, end=0.12, name="", passes=wl.Passes(max_it=6), lag=False)
        state = solver.solve()
        ends.append(state.q.copy())
        force = wl.eval_output(model.contacts, "force", state).reshape(-1, 3).sum(axis=0)
        assert force[2] > 0.1
        reports.append(con.surface_report(model.world, state, model.contacts, model.surfaces[0]))
    assert_allclose(ends[1], ends[0], rtol=0, atol=1e-12)
    assert len(model.contacts) == 24 and model.contacts.table.component is con.ContactFrictionSurfaceSetCable
    assert model.world.table(con.ContactSet).count == 1 and model.world.table(con.SetSurface).count == 5
    found = wl.eval_output(model.contacts, "surface", state)
    assert set(found) > {-1, 0}
    (section,) = tabulate_surfaces(model.world, state)
    assert "DrumSurface 0" in section.parts[1].headings
    # the report of a surface is equal for a contact set and for rows of single pairs
    assert reports[0].points_in_contact == reports[1].points_in_contact > 0
    assert_allclose(reports[1].force, reports[0].force, rtol=1e-9)
    assert_allclose(reports[1].wrap_angle, reports[0].wrap_angle, rtol=1e-9)


def test_search_goes_on_from_a_saved_state(tmp_path: Path) -> None:
    """A run in a new world continues from a saved state. All bits of the results of the second run are equal to the
    results of the first run, although a new search finds the pairs.
    """

    def march(model: Falling, end: float, start: wl.State | None = None) -> wl.State:
        return wl.Dynamic(model.world, step=2e-3, end=end, name="").solve(start)

    search: dict[str, Any] = {"elements": 8, "touching": 2, "skin": 0.02}
    first = create_falling(**search)
    file = march(first, 0.06).save(tmp_path / "middle")
    ends, found = [], []
    for model in (first, create_falling(**search)):
        end = march(model, 0.1, wl.State(model.world).load(file))
        ends.append(np.concatenate((end.q, end.v, end.data)))
        found.append(wl.eval_output(model.contacts, "surface", end))
    np.testing.assert_array_equal(ends[1], ends[0])
    # after the state was saved, the rope has touched an additional surface
    assert set(found[0]) > set(wl.eval_output(first.contacts, "surface", wl.State(first.world).load(file)))
    np.testing.assert_array_equal(found[1], found[0])


def test_drawing() -> None:
    """Every surface is drawn once, including surfaces of contact sets, and the drawn points lie on the surface. The
    ends of cables are at nodes.
    """
    world, _, _ = create(con.SheaveSurface, {"radius": 0.5, "groove_radius": 0.05, "outer_radius": 0.6})
    marker = con.rigid_marker(world, world.add(Ground))
    surfaces = [
        world.add(kind, marker=marker, **columns)
        for kind, columns in (
            (con.DrumSurface, {"radius": 0.5, "half_width": 0.1, "axis": (1.0, 2.0, 0.5)}),
            (con.DrumSurface, {"radius": 0.5, "axis": (1.0, 0.0, 0.0)}),
            (con.SphereSurface, {"radius": 0.4}),
            (con.PlaneSurface, {"half_length": 2.0, "half_width": 1.0}),
            (con.PlaneSurface, {"outer_radius": 0.3, "offset": -0.1}),
            (con.VGrooveFlank, {"radius": 0.5, "half_angle": 0.3, "outer_radius": 0.6, "side": -1}),
            (con.ProfileSurface, {"vertices": (0.2, -1.0, 0.4, 1.0)}),
        )
    ]
    con.add_surface_contact(world, surfaces, find_rope(world), touching=2, contact_stiffness_per_length=1.0)
    drawn = Scene(world, 1).draw(wl.State(world))
    assert drawn is not None
    drawings = [d for d in drawn[0] if len(d.faces)]
    points = np.concatenate([d.points for d in drawings]).reshape(8, -1, 3)
    assert [d.labels for d in drawings] == [1, 2, 1, 2, 1, 1]
    sheave, drum, post, ball, plane, disc, flank, cone = points
    assert_allclose(np.hypot(cone[:, 0], cone[:, 1]), 0.3 + 0.1 * cone[:, 2], atol=1e-8)
    rho = np.hypot(sheave[:, 0], sheave[:, 1])
    bottom = np.hypot(0.55 - rho, sheave[:, 2])
    assert_allclose(rho.min(), 0.5, rtol=1e-12)
    assert_allclose(rho.max(), 0.6, rtol=1e-12)
    assert_allclose(bottom[np.abs(sheave[:, 2]) < 0.04], 0.05, rtol=1e-12)
    axis = np.array((1.0, 2.0, 0.5)) / np.linalg.norm((1.0, 2.0, 0.5))
    assert_allclose(np.linalg.norm(np.cross(drum, axis), axis=1), 0.5, rtol=1e-12)
    nodes = find_nodes(world)
    assert_allclose((post[:, 0].min(), post[:, 0].max()), (nodes[:, 0].min() - 0.5, nodes[:, 0].max() + 0.5))
    assert_allclose(np.linalg.norm(ball, axis=1), 0.4, rtol=1e-12)
    assert_allclose(np.abs(plane).max(axis=0), [2.0, 1.0, 0.0], atol=1e-12)
    assert_allclose(np.linalg.norm(disc[-48:, :2], axis=1), 0.3, rtol=1e-12)
    assert_allclose(disc[:, 2], -0.1)
    assert_allclose((np.hypot(flank[:, 0], flank[:, 1]) - 0.5) * np.tan(0.3), -flank[:, 2], atol=1e-12)
    # the corners are in order around each face, so the sum of the areas of all faces of the sphere is the area of the
    # sphere
    corners = ball[drawings[2].faces]
    area = 0.5 * np.linalg.norm(np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1]), axis=1).sum()
    assert 0.98 < area / (4.0 * np.pi * 0.4**2) < 1.0


def test_drawing_of_height_fields() -> None:
    """Several height fields with different numbers of grid lines are drawn with all grid points, even together with
    other surfaces.
    """
    heights = np.array([(0.1, 0.2), (0.3, 0.5), (0.2, 0.1)])
    columns = {"x": (-1.0, 0.0, 1.0), "y": (-1.0, 1.0), "heights": heights.ravel()}
    world, first, _ = create(con.HeightFieldSurface, columns)
    marker = con.rigid_marker(world, world.add(Ground), (0.0, 0.0, -2.0))
    second = world.add(con.HeightFieldSurface, marker=marker, axis=(0.0, 1.0, 0.0), along=(1.0, 0.0, 0.0), **FIELD)
    con.add_surface_contact(world, second, find_rope(world), contact_stiffness_per_length=1.0)
    drawn = Scene(world, 1).draw(wl.State(world))
    assert drawn is not None
    (drawing,) = [d for d in drawn[0] if len(d.faces)]
    assert drawing.points.shape == (10, 3) and drawing.faces.tolist()[:2] == [[0, 1, 3, 2], [2, 3, 5, 4]]
    assert drawing.faces.tolist()[2] == [6, 7, 9, 8] and drawing.labels == 2
    assert_allclose(drawing.points[:6, 2], heights.ravel(), atol=1e-15)
    assert_allclose(drawing.points[:6, :2], [(x, y) for x in (-1, 0, 1) for y in (-1, 1)], atol=1e-15)
    # the local y axis of the second field is the global -z axis
    assert_allclose(drawing.points[6:, 1:], [(0, -1), (0, -3), (0, -1), (0, -3)], atol=1e-15)
    assert len(first) == 1


def test_recorded_faces(tmp_path: Path) -> None:
    """VTK reads the faces of a drum with flanges on a moving body from both file formats."""
    world = wl.World()
    rope = straight_cable(world, (-1.0, 0.0, 0.3), (1.0, 0.0, 0.3), 2, **ROPE)
    body = world.add(RigidBody3D, position=(0.0, 0.0, 0.0), mass=1.0, inertia=0.1)
    drum = con.add_drum(world, con.rigid_marker(world, body), radius=0.1, half_width=0.2, flange_radius=0.25)
    con.add_surface_contact(world, drum, rope, contact_stiffness_per_length=1.0)
    state = wl.State(world)
    with wl.Recorder(tmp_path / "drum", every=1, formats=("vtkhdf", "vtu")) as recorder:
        recorder.record(state)
        state.t, state.step = 1.0, 1
        state.put(body, [[0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0]])
        recorder.record(state)
    for path in recorder.paths:
        times, frame = read_series(path)
        assert times == [0.0, 1.0]
        old, new = frame(0.0), frame(1.0)
        assert len(new.faces) == 3 * 12 * 48 and len(new.lines) == 8
        assert_allclose(new.points[new.faces] - old.points[new.faces], np.broadcast_to((0.0, 0.5, 0.0), (1728, 4, 3)))
        mantle, flanges = np.split(old.points[old.faces], [576])
        assert_allclose(np.hypot(mantle[..., 0], mantle[..., 1]), 0.1)
        assert_allclose(np.abs(mantle[..., 2]).max(), 0.2)
        assert_allclose(np.abs(flanges[..., 2]), 0.2)
        assert_allclose(np.hypot(flanges[..., 0], flanges[..., 1]).max(), 0.25)
        # faces of surfaces have no values of fields of the rope
        assert np.isnan(new.cell_data["gap"][len(new.lines) :]).all()


def test_report_of_a_bed() -> None:
    """The middle of a rope lies on a bed. The report contains the touchdown points, the length on the bed and the load
    on the bed.

    Wrong surfaces cause errors.
    """
    world = wl.World(gravity=(0.0, 0.0, -9.81))
    rope = straight_cable(world, (0.0, 0.0, 0.0), (4.0, 0.0, 0.0), 16, **ROPE)
    marker = con.rigid_marker(world, world.add(Ground))
    bed = world.add(con.PlaneSurface, marker=marker, half_length=1.0)
    ball = world.add(con.SphereSurface, marker=marker, radius=0.1, depth=0.01)
    contacts = con.add_surface_contact(world, [bed, ball], rope, points=4, tension=9.81, radius=1.0)
    state = wl.State(world)
    state.data.reshape(-1, 20)[:, :4] = wl.eval_output(contacts, "gap", state) - 1e-6
    state.q[2::6] = -1e-4
    report = con.surface_report(world, state, contacts, bed)
    # the bed extends from -1 m to 1 m, and the rope begins in the middle of the bed, so 16 points with distances of
    # 1/16 m touch the bed
    assert (report.points_in_contact, report.points_sticking) == (16, 0)
    assert_allclose(report.contact_length, 1.0)
    assert_allclose(report.exit_point, [31 / 32, 0.0, -1e-4], atol=1e-12)
    assert_allclose(report.normal_force, 9810.0 * 1e-4, rtol=1e-9)
    assert_allclose(report.force, [0.0, 0.0, -9810.0 * 1e-4], atol=1e-12)
    assert np.isnan(report.wrap_angle) and report.friction == 0.0
    assert "exit point [m]" in con.format_surface_reports([report])
    (section,) = tabulate_surfaces(world, state)
    assert section.title == "Surfaces" and "PlaneSurface 0" in str(section)
    with pytest.raises(wl.ModelError, match="none of the contacts"):
        con.surface_report(world, state, contacts, rope[0])


def test_search_of_a_hill_that_rotates() -> None:
    """A height field with a hill rotates about its vertical axis below a rope. The contact search finds the hill, and
    the results agree with a model with one row for each pair.
    """
    x = np.linspace(-8.0, 8.0, 17)
    heights = [-2.0 + 2.1 * np.exp(-0.25 * ((a - 5.0) ** 2 + b**2)) for a in x for b in x]
    gaps = []
    for search in ({}, {"touching": 1, "skin": 0.2}):
        world = wl.World()
        body = world.add(RigidBody3D, position=(0.0, 0.0, 0.0), mass=1e6, inertia=1e6, angular_velocity=(0.0, 0.0, 1.0))
        marker = con.rigid_marker(world, body)
        hill = world.add(con.HeightFieldSurface, marker=marker, axis=(0.0, 0.0, 1.0), x=x, y=x, heights=heights)
        rope = straight_cable(world, (-0.5, 5.0, 0.0), (0.5, 5.0, 0.0), 2, **ROPE)
        con.fix(world, nodes_of(world, rope)[np.array((0, 2))], "x", "y", "z")
        contacts = con.add_surface_contact(
            world, hill, rope, points=2, contact_stiffness_per_length=1e4, contact_damping_per_length=10.0, **search
        )
        state = wl.Dynamic(world, step=0.02, end=1.6, name="").solve()
        gaps.append(float(wl.eval_output(contacts, "gap", state).min()))
    assert gaps[0] < -0.01
    assert_allclose(gaps[1], gaps[0], rtol=1e-9)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"lateral_friction_ratio": 0.0}, "lateral_friction_ratio = 0.0 in ContactFrictionBedCable row 0: must be > 0"),
        ({"lateral_stiffness_ratio": -1.0}, "lateral_stiffness_ratio = -1.0 in .* row 0: must be > 0"),
        ({"suction_coefficient": -0.1}, "suction_coefficient = -0.1 in .* row 0: must be >= 0"),
        ({"suction_distance": -0.1}, "suction_distance = -0.1 m in .* row 0: must be >= 0"),
        (
            {"suction_coefficient": 0.2},
            "suction_distance = 0.0 m, suction_coefficient = 0.2 in .* must have a suction_distance > 0 m for suction",
        ),
        (
            {"suction_coefficient": 0.2, "suction_distance": 0.1, "clip_normal_force": True},
            "clip_normal_force = True, suction_coefficient = 0.2 in .* must be false for suction",
        ),
        (
            {"lateral_friction_ratio": 2.0, "touching": 1},
            "lateral_friction_ratio of add_surface_contact with touching = 1",
        ),
        (
            {"suction_distance": 0.1, "turns_rope": True, "rope_radius": 0.01},
            "cables of add_surface_contact with turns_rope has .*: must be TwistCable3D",
        ),
        ({"suction_distance": 0.1, "width": 0.1}, "width = 0.1 m: must have touching = None and no width"),
        ({"suction_distance": 0.1, "friction_coefficient": 0.2}, "friction_coefficient = 0.2 in .* must be > 0"),
        ({"lateral_friction_ratio": 2.0}, r"lateral_friction_ratio = 2.0 in .* must be 1 without friction_stiffness_"),
        ({"lateral_stiffness_ratio": 0.5}, r"lateral_stiffness_ratio = 0.5 in .* because there is no friction"),
    ],
)
def test_errors_of_soft_beds(columns: dict[str, Any], message: str) -> None:
    """Wrong columns of lines on soft beds cause errors."""
    with pytest.raises(wl.ModelError, match=message):
        create(con.PlaneSurface, {}, **columns)[0].finalize()


@pytest.mark.parametrize(
    ("columns", "changed", "message"),
    [
        ({"lateral_friction_ratio": 2.0}, {"suction_coefficient": 0.5}, "must have a suction_distance > 0 m"),
        (
            {"suction_distance": 0.1, "clip_normal_force": True},
            {"suction_coefficient": 0.5},
            "clip_normal_force = True, suction_coefficient = 0.5 in .* must be false for suction",
        ),
        (
            {"lateral_friction_ratio": 2.0},
            {"friction_stiffness_per_length": 0.0},
            "lateral_friction_ratio = 2.0 in .* must be 1 without",
        ),
        ({}, {"friction_stiffness_per_length": 0.0}, "friction_coefficient = 0.2 in .* there is no friction"),
        ({"touching": 1}, {"friction_stiffness_per_length": 0.0}, "friction_coefficient = 0.2 in .* no friction"),
    ],
)
def test_errors_of_switched_columns(columns: dict[str, Any], changed: dict[str, float], message: str) -> None:
    """Values that contradict each other after `World.set` cause an error at each solve until the values are
    corrected.
    """
    given = {"friction_coefficient": 0.2, "friction_stiffness_per_length": 1e5} | columns
    world, _, contacts = create(con.PlaneSurface, {}, **given)
    rope = wl.Entity(world.tables[Cable3D], np.arange(2))
    con.fix(world, nodes_of(world, rope), "x", "y", "z")
    wl.Static(world, name="").solve()
    before = {name: getattr(contacts, name) for name in changed}
    world.set(contacts, **changed)
    for _ in range(2):
        with pytest.raises(wl.ModelError, match=message):
            wl.Static(world, name="").solve()
    world.set(contacts, **before)
    wl.Static(world, name="").solve()


def test_rows_that_are_switched_off_receive_no_surface() -> None:
    """A search assigns the surface below a cable to the active row of the cable. The surface force is the stiffness
    times the penetration of 1 mm.
    """
    world = wl.World()
    rope = straight_cable(world, (0.0, 0.0, -1e-3), (1.0, 0.0, -1e-3), 1, **ROPE)
    grounds = [world.add(Ground, position=(0.0, 0.0, height)) for height in (0.0, -0.01)]
    planes = [world.add(con.PlaneSurface, marker=con.rigid_marker(world, ground)) for ground in grounds]
    contacts = con.add_surface_contact(world, planes, rope, touching=2, contact_stiffness_per_length=1e4)
    world.set(contacts[0], active=False)
    state = wl.Dynamic(world, step=1e-4, end=1e-4, name="").solve(wl.State(world))
    force = wl.eval_output(contacts, "normal_force", state).sum(axis=1)
    assert_allclose(force, [0.0, -10.0], rtol=1e-3)
    assert wl.eval_output(contacts, "surface", state).tolist() == [-1, 0]
