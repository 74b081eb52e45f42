"""Wrong values that the schema of a column cannot refuse must be found before the first step, in whole models of 3D
ropes.

`test_columns.py` tests the values that each column refuses because of its own bounds. The tables in this file list
columns without bounds, and values that are wrong only together with other rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import windlass as wl
from windlass import connectors as con
from windlass import elements as el
from windlass.connectors.surface_contact.surfaces import eval_axes
from windlass.elements.cable.winch_cable import WinchCable2D, WinchCable3D
from windlass.framework.model.schema import Column, Component
from windlass.framework.model.world import World

from hostile.models import COMPONENTS
from support.carriages import create_ring, create_span
from support.rope_contact import create_crossing
from support.winches import hang

ROPE = {"mass_per_length": 1.0, "axial_stiffness": 1e5, "bending_stiffness": 0.1}
FRICTION = {
    "friction_coefficient": 0.1, "friction_stiffness_per_length": 1e5, "friction_velocity_penalty_per_length": 1.0,
    "contact_stiffness_per_length": 1e5, "contact_damping_per_length": 1.0,
}  # fmt: skip
Y = (0.0, 1.0, 0.0)


def build_surfaces(**search: Any) -> wl.World:
    """Build a rope on one surface of each kind."""
    world = wl.World(gravity=(0.0, 0.0, -9.81))
    rope = el.straight_cable(world, (-1.0, 0.0, 0.6), (1.0, 0.0, 0.6), 2, **ROPE)
    ground = con.rigid_marker(world, world.add(el.Ground))
    columns: dict[Any, dict[str, Any]] = {
        con.PlaneSurface: {
            "along": (1.0, 0.0, 0.0), "half_length": 2.0, "half_width": 1.0, "outer_radius": 3.0, "offset": 0.1,
        },
        con.SphereSurface: {"radius": 0.5},
        con.DrumSurface: {"radius": 0.5, "axis": Y, "half_width": 0.3},
        con.SheaveSurface: {
            "radius": 0.5, "axis": Y, "groove_radius": 0.02, "outer_radius": 0.55, "flank_half_angle": 0.4,
        },
        con.VGrooveFlank: {"radius": 0.5, "axis": Y, "half_angle": 0.3, "outer_radius": 0.6, "side": 1},
        con.ProfileSurface: {"axis": Y, "vertices": (0.5, -0.1, 0.4, 0.0, 0.5, 0.1), "rounding": (0.02,)},
        con.PolylineSurface: {"along": (1.0, 0.0, 0.0), "vertices": (-2.0, 0.1, 0.0, 0.2, 2.0, 0.1), "rounding": (1,)},
        con.HeightFieldSurface: {"along": (1.0, 0.0, 0.0), "x": (-2.0, 2.0), "y": (-1.0, 1.0), "heights": (0.5,) * 4},
    }  # fmt: skip
    surfaces = [world.add(kind, marker=ground, depth=0.1, **given) for kind, given in columns.items()]
    con.add_surface_contact(world, surfaces, rope, points=2, rope_radius=0.01, **FRICTION, **search)
    return world


def build_rail() -> wl.World:
    """Build a trolley on a rope."""
    world, cables = create_span("space", 4, 4.0)
    mass = world.add(el.MassPoint, position=(1.0, 0.0, 0.0), velocity=(1.0, 0.0, 0.0), mass=1.0)
    con.sliding_joint(
        world, cables, mass, 1.0, speed=1.0, damping=1.0, friction_coefficient=0.1, friction_speed=0.01
    )  # fmt: skip
    return world


def build_loads() -> wl.World:
    """Build a rope under a line load, in the sea and in two winds."""
    world, cables = create_span("space", 2, 4.0)
    world.add(con.LineLoad, cable=cables, vector=(0.0, 0.0, 1.0), points=4)
    sea: dict[str, Any] = {
        "density": 1000.0, "gravity": 9.81, "surface": 1.0, "transition": 0.1, "depth": 10.0, "profile": "log",
        "velocity": (1.0, 0.0, 0.0), "reference_height": 5.0, "exponent": 0.1, "roughness": 0.01, "wave_growth": 1.0,
        "wave_amplitudes": (0.1, 0.2), "wave_frequencies": (1.0, 2.0), "wave_directions": (0.0, 1.0),
        "wave_phases": (0.0, 1.0),
    }  # fmt: skip
    fluid = world.add(con.Fluid, **sea)
    load = {"diameter": 0.02, "normal_drag": 1.0, "axial_drag": 0.01, "added_mass": 1.0, "points": 4}
    world.add(con.FluidLoad, cable=cables, fluid=fluid, **load)
    return world


def build_marked() -> wl.World:
    """Build a 3D cable with components that refer to a position on the cable."""
    world, cables = create_span(
        "space", 2, 2.0, axial_damping=1.0, bending_damping=0.1, reference_strain=0.01,
        strain_is_relative_to_reference=0.5,
    )  # fmt: skip
    world.add(con.Force, marker=con.position_marker(world, cables[0], (0.5, 0.01, 0.02)), vector=(0.0, 0.0, 1.0))
    con.shape_marker(world, cables, 2)
    return world


MODELS: dict[str, Callable[[], wl.World]] = {
    "surfaces": build_surfaces,
    "set of surfaces": lambda: build_surfaces(touching=2, skin=0.05),
    "crossing": lambda: create_crossing(damping_depth=1e-4, skin=1e-3, apart=0.02, **FRICTION).world,
    "ring": lambda: create_ring(4, True)[0],
    "rail": build_rail,
    "loads": build_loads,
    "winch": lambda: hang(4.0, 0.1, 2, True, shortest=0.1, store_tension=1.0)[0],
    "2D winch": lambda: hang(4.0, 0.1, 2, shortest=0.1, store_tension=1.0)[0],
    "marked cable": build_marked,
}
ROOMS = (
    "surface_contact", "cable_contact", "sliding", "line_load", "fluid", "cable3d", "fibre_cable", "working_cable",
    "table_cable", "twist_cable", "winch_cable", "nodes3d", "cable_markers3d",
)  # fmt: skip
ANY_SIGN = {
    "offset", "displacement", "velocity", "angular_velocity", "position", "euler_parameters", "vector", "surface",
    "reference", "store_tension", "reference_strain", "reference_curvature", "strain_is_relative_to_reference", "along",
    "slope", "axis", "vertices", "rounding", "table_heights", "table_x", "table_y", "wave_amplitudes",
    "wave_frequencies", "wave_directions", "wave_phases", "coupling", "reference_twist", "x", "y", "heights",
    "wave_numbers", "wave_velocities", "gust_amplitudes", "gust_frequencies", "gust_phases", "table_strains",
    "table_tensions", "store_twist", "working_strains", "working_tensions", "working_exponent",
}  # fmt: skip
"""Columns without a bound: either both signs are meaningful, or a check of the row applies the bound, see `REFUSED`."""
ZERO = {
    # 0 means no end, no limit, or an automatic value
    "half_length", "half_width", "depth", "outer_radius", "damping_depth", "skin", "apart", "shortest", "wave_growth",
    "slow_stiffness", "static_stiffness", "largest_load", "working_offset", "working_stiffness", "working_quadratic",
    "exponent", "begin", "x", "drag_area",
    # 0 switches the property off
    "contact_damping_per_length", "friction_coefficient", "friction_stiffness_per_length", "rope_radius", "damping",
    "friction_velocity_penalty_per_length", "axial_damping", "bending_damping", "bending_stiffness", "mass_per_length",
    "normal_drag", "axial_drag", "added_mass", "axial_added_mass", "torsional_damping",
    "drag", "end_drag", "end_added_mass", "stiffening", "vibration_frequency", "vibration_amplitude", "vibration_gain",
    "suction_coefficient",
    "suction_distance",
}  # fmt: skip
"""Columns that may be 0 but not negative."""


def find_columns() -> Iterator[tuple[type[Component], Column]]:
    """Return all columns with numbers of the components for 3D ropes."""
    for kind in COMPONENTS:
        if any(room in kind.__module__ for room in ROOMS):
            for col in kind.columns.values():
                if col.dtype is np.float64:
                    yield kind, col


def test_bounds() -> None:
    """A column without bound, or with a bound that allows 0, is listed in the tables above."""
    found = list(find_columns())
    assert len(found) > 100
    free = {f"{kind.__name__}.{col.name}" for kind, col in found if not col.bounds() and col.name not in ANY_SIGN}
    nil = {f"{kind.__name__}.{col.name}" for kind, col in found if col.minimum == 0 and col.name not in ZERO}
    assert not free and not nil


REFUSED: list[tuple[str, type[Component], str, Any, str]] = [
    ("surfaces", con.PlaneSurface, "axis", (0.0, 0.0, 0.0), "axis = .0, 0, 0. .* must have a length > 0"),
    (
        "surfaces",
        con.PlaneSurface,
        "along",
        (0.0, 0.0, -2.0),
        "along = .* is parallel to axis: must have a component",
    ),
    ("surfaces", con.SheaveSurface, "radius", 0.6, "outer_radius = 0.55 m .* must be > 0.6 m"),
    (
        "surfaces",
        con.SheaveSurface,
        "groove_radius",
        0.01,
        "rope_radius = 0.01 m .* must be < 0.01 m, the radius",
    ),
    ("set of surfaces", con.SheaveSurface, "groove_radius", 0.01, "rope_radius = 0.01 m .* must be < 0.01 m"),
    (
        "surfaces",
        con.VGrooveFlank,
        "half_angle",
        0.01,
        "rope_radius = 0.01 m .* must be < 0.000999983 m, for wh",
    ),
    (
        "surfaces",
        con.ProfileSurface,
        "rounding",
        (0.005,),
        "= 0.01 m .* < 0.005 m, the rounding of its hollow",
    ),
    ("set of surfaces", con.ProfileSurface, "rounding", (0.0,), "rope_radius = 0.01 m .* must be < 0 m, the rounding"),
    (
        "surfaces",
        con.ProfileSurface,
        "rounding",
        (-1.0,),
        "rounding in ProfileSurface row 0: must .* radii >= 0 m",
    ),
    ("surfaces", con.DrumSurface, "depth", -1.0, "depth = -1.0 m in DrumSurface row 0: must be >= 0"),
    ("surfaces", con.ContactFrictionSurfaceCable, "points", 10**9, "points = 1000000000 .* must be <= 1000000"),
    ("surfaces", con.ContactFrictionSurfaceCable, "contact_stiffness_per_length", 0.0, "= 0.0 N/m.2 .* must be > 0"),
    ("crossing", con.ContactFrictionCables3D, "points", 2, "points = 2 .* must be at most .* m apart, the diameter"),
    ("rail", el.SlidingNode, "reference", 4.5, "starts at s = 4.5 m, off its track: must be from 0 to 4 m"),
    ("loads", con.Fluid, "roughness", 5.0, "roughness = 5 m .* must be < reference_height = 5 m"),
    ("loads", con.Fluid, "depth", 0.15, "wave_amplitudes = 0.2 m .* must be < depth = 0.15 m"),
    ("loads", con.Fluid, "wave_amplitudes", (0.1, 0.0), "wave_amplitudes = 0.0 m .* must be > 0"),
    ("loads", con.Fluid, "wave_frequencies", (-1.0, 1.0), "wave_frequencies = -1.0 rad/s .* must be > 0"),
    ("loads", con.Fluid, "wave_phases", (0.0,), "wave_phases in Fluid row 0 has 1 values: must have 2"),
    ("loads", con.Fluid, "fills", "above", "fills = 'above' .* must be 'below'"),
    ("winch", WinchCable3D, "shortest", 4.0, "has the length 4 m .* must be > shortest = 4 m"),
    ("2D winch", WinchCable2D, "share", 0.4, "begin, share in WinchCable2D .* must cover 0 to 1"),
    ("marked cable", el.PointSlope3D, "slope", (0.0, 0.0, 0.0), "slope = .0, 0, 0. .* must have a length > 0"),
    (
        "marked cable",
        el.PointSlope3D,
        "position",
        (0.0, 0.0, 0.0),
        "the reference slope r' is 0 .* both ends at one",
    ),
    ("marked cable", el.Cable3D, "reference_strain", -1.0, "reference_strain = -1.0 .* must be > -1"),
    ("marked cable", el.Cable3D, "strain_is_relative_to_reference", -0.1, "= -0.1 .* must lie from 0 to 1"),
    ("marked cable", con.PositionOnCable3D, "x", 1.5, "x = 1.5 m .* must be <= 1.0 m, the cable's length"),
]


@pytest.mark.parametrize(("model", "kind", "name", "value", "message"), REFUSED)
def test_refused(
    model: str, kind: type[Component], name: str, value: Any, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If a column of a component has a wrong value in all rows of a model, an error is raised when the rows are added
    or before the first solve.
    """
    MODELS[model]().finalize()
    add = World.add

    def add_changed(world: World, component: type[Component], /, **values: Any) -> Any:
        return add(world, component, **({**values, name: value} if component is kind else values))

    monkeypatch.setattr(World, "add", add_changed)
    with pytest.raises(wl.ModelError, match=message):
        MODELS[model]().finalize()


@pytest.mark.parametrize("model", ["surfaces", "set of surfaces", "crossing"])
def test_friction_that_nothing_holds(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FRICTION, "friction_stiffness_per_length", 0.0)
    MODELS[model]().finalize()
    monkeypatch.setitem(FRICTION, "friction_velocity_penalty_per_length", 0.0)
    with pytest.raises(wl.ModelError, match=r"friction_coefficient = 0\.1 in .* one of the two must be > 0"):
        MODELS[model]().finalize()


def test_the_same_twice() -> None:
    """A pair of surface and cable that is given twice has the effect of a single pair. A surface that a set contains
    twice has the effect of a single surface.
    """
    for search, found in (
        ({}, "also belong to another row"),
        ({"touching": 2}, "<DrumSurface 0> twice: must be once"),
    ):
        world = wl.World()
        rope = el.straight_cable(world, (-1.0, 0.0, 0.6), (1.0, 0.0, 0.6), 2, **ROPE)
        drum = world.add(con.DrumSurface, marker=con.rigid_marker(world, world.add(el.Ground)), radius=0.5)
        con.add_surface_contact(world, [drum, drum], rope, contact_stiffness_per_length=1e5, **search)
        with pytest.raises(wl.ModelError, match=found):
            world.finalize()


def test_axes_of_any_length() -> None:
    """The frames of surfaces depend only on the directions of their axes, even for the smallest and largest lengths of
    these axes.
    """
    axis, along = np.array([[1.0, 2.0, 3.0]]), np.array([[0.0, -1.0, 0.5]])
    frame = eval_axes(axis, along)
    for power in (-1020, -3, 1000):
        np.testing.assert_array_equal(eval_axes(np.ldexp(axis, power), np.ldexp(along, power)), frame)


def test_off_the_rope_beyond_all_numbers() -> None:
    """A position is also refused if its computed distance from the rope is NaN."""
    world, _, _, joint = create_ring(4, True)
    state = wl.State(world)
    state.put(el.nodes_of(world, joint), [[1e300]])
    with pytest.raises(wl.ModelError, match="must be on the rope at the start"):
        wl.Dynamic(world, step=1e-3, end=1e-3).solve(state)


def test_shape_markers() -> None:
    """2D and 3D cables share one name for shape markers, and components that are not cables are refused."""
    world = wl.World()
    flat = el.straight_cable(world, (0.0, 0.0), (1.0, 0.0), 2, **ROPE)
    deep = el.straight_cable(world, (0.0, 1.0, 0.0), (1.0, 1.0, 0.0), 2, **ROPE)
    assert con.shape_marker(world, flat, 3, 0.01).kind == "CableShape"
    shapes = con.shape_marker(world, deep, 4)
    assert shapes.kind == "CableShape3D" and len(shapes) == 2
    with pytest.raises(wl.ModelError, match="CableShape3D 0 has no values: must be the marker of a law"):
        wl.eval_output(shapes, "position", wl.State(world))
    with pytest.raises(wl.ModelError, match=r"vertical_offset = 0\.01 m of shape_marker: must be 0 for a Cable3D"):
        con.shape_marker(world, deep, 4, 0.01)
    with pytest.raises(wl.ModelError, match="must be 2D or 3D cables"):
        con.shape_marker(world, el.nodes_of(world, flat), 4)
