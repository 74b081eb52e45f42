"""Tests of loads along cables: tangents, formulas of drag and pressure, user functions, waves, and errors."""

from __future__ import annotations

from typing import Any

import h5py
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import quad

import windlass as wl
from windlass import connectors as con
from windlass.connectors.loads import line_points
from windlass.elements import (
    ALENode,
    Beam2D,
    Cable2D,
    Cable3D,
    PointSlope2D,
    PointSlope3D,
    RigidNode2D,
    cable_along,
    nodes_of,
    straight_beam,
    straight_cable,
    through_points,
)
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.model.table import Entity

from support.beams import PLANE, SPACE, create_plane_beam, create_space_beam, rotation_rates

CABLE = {"mass_per_length": 2.0, "axial_stiffness": 10.0, "bending_stiffness": 0.1}
TORSION = {"torsional_stiffness": 0.1, "rotary_inertia": 1e-3}
RHO, G = 1000.0, 9.81
DIMS = [2, 3]


def build(dims: int) -> tuple[wl.World, Entity]:
    """Create two bent cables. The upward direction is y in 2D, and z in 3D."""
    world = wl.World(gravity=(0.0, -G, 0.0) if dims == 2 else (0.0, 0.0, -G))
    point, cable = (PointSlope2D, Cable2D) if dims == 2 else (PointSlope3D, Cable3D)
    position = np.array([[0.0, 0.0, 0.0], [0.6, 0.2, -0.3], [1.0, 0.5, 0.1]])
    slope = np.array([[1.0, 0.2, 0.1], [0.9, 0.5, -0.2], [0.7, 0.7, 0.2]])
    nodes = world.add(point, position=position[:, :dims], slope=slope[:, :dims])
    return world, world.add(cable, node0=nodes[:-1], node1=nodes[1:], length=0.6, **CABLE)


def law(t: float, x: Any, r: Any, slope: Any, velocity: Any) -> Any:
    """User function of a force per length; the result depends on all arguments."""
    force = np.stack((np.sin(r[:, 0]) * velocity[:, 1], slope[:, 0] ** 2 * x + t, velocity[:, 0] ** 2), axis=1)
    force[:, 2] -= 0.3 * velocity[:, 2] * r[:, 2]
    return force


def law_in_plane(t: float, x: Any, r: Any, slope: Any, velocity: Any) -> Any:
    """User function like `law`, for 2D cables."""
    return law(t, x, r, slope, velocity) * (1.0, 1.0, 0.0)


def law_of_a_point(t: float, x: float, r: Any, slope: Any, velocity: Any, force: Any) -> None:
    """User function like `law` that is called for one point."""
    force[0] = np.sin(r[0]) * velocity[1]
    force[1] = slope[0] ** 2 * x + t
    force[2] = velocity[0] ** 2 - 0.3 * velocity[2] * r[2]


def law_of_a_point_in_plane(t: float, x: float, r: Any, slope: Any, velocity: Any, force: Any) -> None:
    """User function like `law_in_plane` that is called for one point."""
    force[0] = np.sin(r[0]) * velocity[1]
    force[1] = slope[0] ** 2 * x + t


def flow(t: float, x: Any) -> tuple[Any, Any]:
    """User function of the flow of a fluid at all points."""
    u, u_t = np.zeros_like(x), np.zeros_like(x)
    u[:, 0], u_t[:, 0] = 0.3 * np.sin(x[:, 1] + t), 0.3 * np.cos(x[:, 1] + t)
    u[:, 1] = 0.1 * x[:, 0] * x[:, 2]
    return u, u_t


def flow_at_a_point(t: float, x: Any, u: Any, u_t: Any) -> None:
    """User function like `flow` that is called for one point."""
    u[0], u_t[0] = 0.3 * np.sin(x[1] + t), 0.3 * np.cos(x[1] + t)
    u[1] = 0.1 * x[0] * x[2]


def fluids(world: wl.World, dims: int) -> list[Entity]:
    """Create three fluids: water with waves and a profile of the current, wind with a logarithmic profile, and a fluid
    with a table.
    """
    across = float(dims == 3)
    waves = con.jonswap(0.4, 2.0, seed=3, count=5, direction=0.4 * across)
    water: dict[str, Any] = {"profile": "power", "velocity": (1.0, 0.5 * across, 0.0), "reference_height": 4.0}
    return [
        world.add(con.Fluid, density=RHO, depth=5.0, surface=0.05, transition=0.8, function=flow, **water, **waves),
        world.add(con.Fluid, density=1.2, fills="above", surface=-0.2, profile="log", velocity=(9.0, 0.0, 0.0)),
        world.add(
            con.Fluid, density=500.0, fills="everywhere", profile="table", table_heights=(-1.0, 0.0, 0.3, 1.0),
            table_x=(1.0, 2.0, 0.0, -1.0), function=con.compiled(flow_at_a_point),
        ),
    ]  # fmt: skip


@pytest.mark.parametrize("dims", DIMS)
def test_tangents_are_exact(dims: int) -> None:
    """Tangents with respect to displacements, velocities and accelerations agree with differences. The loads include
    waves, free surfaces, added mass and user functions.
    """
    world, cables = build(dims)
    for k, fluid in enumerate(fluids(world, dims)):
        columns = {"axial_drag": 0.3, "axial_added_mass": 0.4, "constant_volume": k != 1}
        world.add(con.FluidLoad, cable=cables, fluid=fluid, diameter=0.1, **columns)
    own, one = (law, law_of_a_point) if dims == 3 else (law_in_plane, law_of_a_point_in_plane)
    first, last = np.array([(1.0, 2.0, 3.0), (3.0, 4.0, 5.0)]) * (1.0, 1.0, float(dims == 3))
    world.add(con.LineLoad, cable=cables, vector=first, per="current")
    world.add(con.LineLoad, cable=cables[0], force_function=own, per="current", points=3)
    world.add(con.LineLoad, cable=cables[1], force_function=con.compiled(one))
    world.add(con.LineLoad, cable=cables, function=con.table([0.0, 1.0], [first, last]))
    state = wl.State(world)
    state.t = 0.7
    wl.testing.check_tangent(world, state, states=3)


def test_tangents_on_cables_with_twist_are_exact() -> None:
    """On cables with twist, tangents of line loads and of fluids with waves agree with differences."""
    world = wl.World(gravity=(0.0, 0.0, -G))
    route = through_points([[0.0, 0.0, 0.0], [0.6, 0.2, -0.3], [1.0, 0.5, 0.1]])
    rods = cable_along(world, route, 3, **TORSION, **CABLE)
    for fluid in fluids(world, 3):
        world.add(con.FluidLoad, cable=rods, fluid=fluid, diameter=0.1, axial_drag=0.3, axial_added_mass=0.4)
    world.add(con.LineLoad, cable=rods, vector=(1.0, 2.0, 3.0), per="current")
    beam = straight_beam(world, (0.0, 1.0, 0.0), (0.4, 1.2, 0.1), 1, order=2, **SPACE)
    world.add(
        con.LineLoad,
        cable=[rods, beam, rods[2]],
        function=con.ramp(0.0, 1.0, (0.0, 0.0, 0.0), (3.0, -2.0, 4.0)),
        body_fixed=[True, False, True, True, True],
        points=[3, 4, 4, 4, 6],
    )
    state = wl.State(world)
    state.t = 0.7
    wl.testing.check_tangent(world, state, states=3)


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("create", [create_plane_beam, create_space_beam])
def test_tangents_on_beams_are_exact(create: Any, order: int) -> None:
    """On beams, tangents of line loads, of torques per length and of fluids agree with differences. The vectors of the
    loads are fixed in the global frame, or rotate with the cross section.
    """
    world, beams = create(order)
    flat = create is create_plane_beam
    world.gravity[:] = -G * np.eye(3)[1 if flat else 2]
    force, torque = ((1.0, 2.0, 0.0), (0.0, 0.0, 3.0)) if flat else ((1.0, 2.0, 3.0),) * 2
    world.add(con.LineLoad, cable=beams, vector=force, per="current")
    world.add(con.LineLoad, cable=beams[0], force_function=law_in_plane if flat else law, per="current", points=3)
    world.add(con.LineLoad, cable=beams, vector=force, body_fixed=[True, False])
    world.add(con.LineTorque, cable=beams, function=con.ramp(0.0, 1.0, 0.0, torque), body_fixed=[False, True])
    sea = world.add(con.Fluid, density=RHO, velocity=(1.0, 0.0, 0.0), transition=0.8)
    world.add(con.FluidLoad, cable=beams, fluid=sea, diameter=0.1, axial_drag=0.3)
    state = wl.State(world)
    state.t = 0.7
    wl.testing.check_tangent(world, state, tolerance=1e-7)


def test_beams_and_cables_of_several_kinds() -> None:
    """Equal loads on a straight cable, on a cable with twist and on beams of each order have equal resultants. The
    outputs are equal to the given loads.
    """
    world = wl.World(gravity=(0.0, 0.0, -G))
    end = np.array([2.0, -1.0, 2.0]) / 3.0
    lines = [straight_cable(world, (0, 0, 0), end, 1, **CABLE)]
    lines.append(straight_cable(world, (0, 0, 0), end, 1, **TORSION, **CABLE))
    section = {**SPACE, "mass_per_length": CABLE["mass_per_length"]}
    for order in (1, 2, 3):
        lines.append(straight_beam(world, (0, 0, 0), end, 1, order=order, **section))
    sea = world.add(con.Fluid, density=RHO, fills="everywhere", velocity=(1.0, 2.0, -0.5))
    world.add(con.FluidLoad, cable=lines, fluid=sea, diameter=0.1)
    load = world.add(con.LineLoad, cable=lines, vector=(1.0, 2.0, 3.0))
    state = wl.State(world)
    given, found = eval_loads(world), []
    for line in lines:
        nodes = nodes_of(world, line)
        dofs = state.local_dofs(nodes)[:, :3]
        found.append(given[dofs].sum(axis=0))
    assert_allclose(found[1:], np.tile(found[0], (4, 1)), rtol=1e-12)
    assert_allclose(wl.eval_output(load, "force_per_length", state, x=0.3), np.tile((1.0, 2.0, 3.0), (5, 1)))
    with pytest.raises(wl.ModelError, match=r"must lie from 0 to 1.0 m, the length of the cable or beam"):
        wl.eval_output(load, "force_per_length", state, x=1.1)


def test_kinds_and_lengths_are_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if outputs are evaluated several times, the rows are grouped by cables and beams only once, and lengths are
    computed only once.
    """
    world = wl.World()
    beam = straight_beam(world, (0, 0, 0), (2, 0, 0), 2, order=2, **SPACE)
    load = world.add(con.LineLoad, cable=beam, vector=(1.0, 2.0, 3.0), body_fixed=[True, False])
    state, calls = wl.State(world), dict.fromkeys(("find_orders", "find_lengths"), 0)

    def count(name: str) -> Any:
        original = getattr(line_points, name)

        def counted(*given: Any) -> Any:
            calls[name] += 1
            return original(*given)

        return counted

    for name in calls:
        monkeypatch.setattr(line_points, name, count(name))
    for x in (0.2, 0.4):
        wl.eval_output(load, "force_per_length", state, x=x)
    assert max(calls.values()) <= 1


OUT_OF_PLANE = [
    (con.LineLoad, {"vector": (1.0, 0.0, 2.0)}, r"vector of LineLoad row 0 = \(1, 0, 2\) N/m: must be along x and y"),
    (
        con.LineLoad, {"function": lambda t: (0.0, t, -1.0)},
        r"function of LineLoad row 0 at t = 0 s = \(0, 0, -1\) N/m: must be along x and y",
    ),
    (
        con.LineLoad, {"function": con.ramp(0.0, 1.0, 0.0, (0.0, 1.0, -3.0))},
        r"largest values of function \(ramp\) of LineLoad row 0 = \(0, 1, 3\) N/m: must be along x and y",
    ),
    (
        con.LineLoad, {"force_function": lambda t, x, r, slope, v: r + (0.0, 0.0, 0.5)},
        r"force_function of LineLoad row 0 \(.*lambda.*\) at t = 0 s = \(.*, 0.5\) N/m: must be along x and y",
    ),
    (
        con.LineTorque, {"vector": (0.2, 0.0, 2.0)},
        r"vector of LineTorque row 0 = \(0.2, 0, 2\) N m/m: must be along z, as the cable or beam is 2D; other comp",
    ),
    (
        con.LineTorque, {"function": con.sine((0.0, 1.0, 2.0), 1.0), "body_fixed": True},
        r"largest values of function \(sine\) of LineTorque row 0 = \(0, 1, 2\) N m/m: must be along z",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "columns", "words"), OUT_OF_PLANE)
def test_loads_in_2d_without_effect_are_refused(kind: Any, columns: dict[str, Any], words: str) -> None:
    """Components of loads that have no effect in 2D cause errors. Inactive rows and 3D models cause no errors."""
    for beam_dims, active in ((2, True), (2, False), (3, True)):
        world = wl.World()
        section = PLANE if beam_dims == 2 else SPACE
        beam = straight_beam(world, (0.0,) * beam_dims, (1.0, *(0.0,) * (beam_dims - 1)), 1, **section)
        con.clamp(world, nodes_of(world, beam)[0])
        load = world.add(kind, cable=beam, active=active, **columns)
        if beam_dims == 2 and active:
            with pytest.raises(wl.ModelError, match=words):
                wl.Static(world, name="").solve()
        else:
            eval_loads(world)
    if "vector" in columns:
        flat = wl.World()
        beam = straight_beam(flat, (0, 0), (1, 0), 1, **PLANE)
        con.clamp(flat, nodes_of(flat, beam)[0])
        load, solver = flat.add(kind, cable=beam), wl.Static(flat, name="")
        solver.solve()
        flat.set(load, **columns)
        with pytest.raises(wl.ModelError, match=words):
            solver.solve()


def test_rounded_components_in_2d_are_no_error() -> None:
    world, cables = build(2)
    world.add(con.LineLoad, cable=cables, vector=(1.0, 2.0, 1e-12))
    eval_loads(world)


@pytest.mark.parametrize(
    "function",
    [
        con.table((0.0, 1.0, 2.0), [(1.0, 0.0, -4.0), (2.0, 0.0, 3.0), (-3.0, 0.0, 0.0)]),
        con.smooth_step(0.0, 1.0, (1.0, 0.0, -4.0), (-3.0, 0.0, 2.0)),
        con.sine((1.0, 0.0, -4.0), 2.0, mean=(-3.0, 0.0, 1.0)),
    ],
)
def test_bounds_of_ready_functions(function: Any) -> None:
    assert_array_equal(function.bounds, (3.0, 0.0, 4.0))


def test_loads_that_rotate_with_the_section() -> None:
    """The outputs of body-fixed loads are vectors in the global frame. In 2D this is also true for beams with nodes
    whose axes are not parallel to the beam. The power of torques is m·ω.
    """
    world = wl.World()
    nodes = world.add(RigidNode2D, position=[(0.0, 0.0), (0.6, 0.8)], angle=[0.0, 0.3])
    angle = np.arctan2(0.8, 0.6)
    flat = world.add(Beam2D, node0=nodes[0], node1=nodes[1], node_angles=(angle, angle - 0.3, 0.0, 0.0), **PLANE)
    load = world.add(con.LineLoad, cable=flat, vector=(2.0, 5.0, 0.0), body_fixed=True)
    arm = straight_beam(world, (0, 0, 0), (0, 0, 2), 1, normal=(0, 1, 0), **SPACE)
    torque = world.add(con.LineTorque, cable=arm, vector=(1.0, 2.0, 3.0), body_fixed=True)
    state = wl.State(world)
    turned = (0.6 * 2.0 - 0.8 * 5.0, 0.8 * 2.0 + 0.6 * 5.0, 0.0)
    assert_allclose(wl.eval_output(load, "force_per_length", state), turned)
    m = np.array((-3.0, 2.0, 1.0))  # the axes e_1, e_2, e_3 of the section are z, y, -x
    assert_allclose(wl.eval_output(torque, "torque_per_length", state, x=0.5), m, atol=1e-14)
    ends, omega = nodes_of(world, arm), np.array((0.3, -0.2, 0.5))
    rates = np.zeros_like(state.v)
    rates[state.local_dofs(ends)] = rotation_rates(state, ends, omega)
    assert_allclose(rates @ eval_loads(world)[: len(rates)], 2.0 * m @ omega, rtol=1e-12)


def test_forces_that_turn_with_the_material() -> None:
    """A straight cable with twist is turned by θ at its end. Forces along d_1 and d_2 turn with the material. Outputs
    and resultant are those of this helix of directions, and the virtual work of a force is F·δr.
    """
    world, angle, L = wl.World(), 2.0, 1.5
    rod = straight_cable(world, (0, 0, 0), (L, 0, 0), 1, **TORSION, **CABLE)
    load = world.add(con.LineLoad, cable=rod, vector=(7.0, 2.0, -3.0), body_fixed=True, points=8)
    state, nodes = wl.State(world), nodes_of(world, rod)
    state.put(nodes[1], (0.0,) * 6 + (angle,))
    x = np.linspace(0.0, L, 5)
    co, si = np.cos(angle * x / L), np.sin(angle * x / L)
    expected = np.column_stack((np.full(5, 7.0), 2.0 * co + 3.0 * si, 2.0 * si - 3.0 * co))
    found = [wl.eval_output(load, "force_per_length", state, x=place) for place in x]
    assert_allclose(np.reshape(found, (5, 3)), expected, atol=1e-12)
    f = np.zeros(len(state.q) + 1)
    assembly = state.assembly
    assembly.load_fields(state)
    assembly.add_loads(f)
    dofs = state.local_dofs(nodes)
    total = L / angle * np.array((np.sin(angle), 1.0 - np.cos(angle)))
    resultant = (7.0 * L, 2.0 * total[0] + 3.0 * total[1], 2.0 * total[1] - 3.0 * total[0])
    assert_allclose(f[dofs[:, :3]].sum(axis=0), resultant, rtol=1e-9)
    assert_allclose(f[dofs[:, 6]], 0.0, atol=1e-14)


def eval_loads(world: wl.World, t: float = 0.0) -> Any:
    """Return the loads on all coordinates at a time [s], for velocities 0."""
    assembly = Assembly(world)
    assembly.fields.t = t
    f = np.zeros(assembly.layout.spare + 1)
    assembly.add_loads(f)
    return f[:-1]


def test_compiled_functions_are_those_of_arrays() -> None:
    """Except for rounding errors, compiled user functions of one point agree with user functions of arrays."""
    found = []
    for own_law, own_flow in ((law, flow), (con.compiled(law_of_a_point), con.compiled(flow_at_a_point))):
        world, cables = build(3)
        world.add(con.LineLoad, cable=cables, force_function=own_law)
        fluid = world.add(con.Fluid, density=RHO, function=own_flow)
        world.add(con.FluidLoad, cable=cables, fluid=fluid, diameter=0.1)
        found.append(eval_loads(world, 0.4))
    assert_allclose(found[1], found[0], rtol=1e-13, atol=1e-13)


def test_constant_loads_have_no_tangent() -> None:
    """Constant loads per reference length act like weights. Such loads do not contribute to the tangent, and their
    nodal forces agree with the closed form of ∫ S dx.
    """
    world = wl.World()
    cable = straight_cable(world, (0.0, 0.0), (1.5, 0.0), 1, **CABLE)
    world.add(con.LineLoad, cable=cable, function=con.ramp(0.0, 2.0, 0.0, (3.0, -2.0, 0.0)))
    L, assembly = 1.5, Assembly(world)
    system = assembly.layout.systems[con.LineLoad]
    assert system.load is not None and system.load.tangent is None and assembly.loads.are_steady
    shares = np.array([L / 2, L**2 / 12, L / 2, -(L**2) / 12])
    assert_allclose(eval_loads(world, 1.0), np.outer(shares, (1.5, -1.0)).ravel(), rtol=1e-14)


@pytest.mark.parametrize("dims", DIMS)
def test_forces_of_a_straight_cable(dims: int) -> None:
    """For an oblique straight cable, the resultants of drag, buoyancy, pressure of an accelerated fluid, and added mass
    agree with closed forms.
    """
    t = np.array([0.6, 0.8, 0.0]) if dims == 2 else np.array([2.0, -1.0, 2.0]) / 3.0
    L, d, across, along, added, axial = 2.0, 0.1, 1.1, 0.05, 0.9, 0.4
    u, a = np.array([0.7, 0.3, 0.0]), np.array([0.2, -0.5, 0.0])
    world = wl.World(gravity=(0.0, -G, 0.0) if dims == 2 else (0.0, 0.0, -G))
    cables = straight_cable(world, np.full(dims, -9.0), np.full(dims, -9.0) + L * t[:dims], 2, **CABLE)
    water = world.add(con.Fluid, density=RHO, function=lambda time, x: (u, a))
    columns = {
        "diameter": d,
        "normal_drag": across,
        "axial_drag": along,
        "added_mass": added,
        "axial_added_mass": axial,
    }
    loads = world.add(con.FluidLoad, cable=cables, fluid=water, **columns)
    wt = u @ t
    wn = u - wt * t
    drag = 0.5 * RHO * d * (across * np.linalg.norm(wn) * wn + np.pi * along * abs(wt) * wt * t)
    displaced = RHO * np.pi * d**2 / 4
    up = np.eye(3)[dims - 1]
    force = drag + displaced * (G * up + a + added * (a - (a @ t) * t) + axial * (a @ t) * t)
    assembly = Assembly(world)
    total = eval_loads(world).reshape(3, 2, dims)[:, 0].sum(axis=0)
    assert_allclose(total, L * force[:dims] - 2.0 * L * G * up[:dims], rtol=1e-12)
    state = wl.State(world)
    assert_allclose(wl.eval_output(loads, "drag_per_length", state, x=0.3), [drag, drag], rtol=1e-12)
    assert_allclose(wl.eval_output(loads, "force_per_length", state), [force, force], rtol=1e-12)
    assert_allclose(wl.eval_output(loads, "submerged_weight", state), 2.0 * G - displaced * G, rtol=1e-12)
    # all points of the cable have the acceleration of a translation
    acceleration = np.array([1.0, -2.0, 0.5])[:dims]
    assembly.fields.a[:-1] = np.tile(np.concatenate((acceleration, 0.0 * acceleration)), 3)
    f = np.zeros_like(assembly.fields.a)
    inertia = assembly.layout.systems[con.FluidLoad].inertia
    assert inertia is not None
    inertia.force(wl.framework.model.system.evaluate(assembly.fields, f=f))
    three = np.append(acceleration, 0.0)[:3]
    expected = displaced * L * (added * (three - (three @ t) * t) + axial * (three @ t) * t)
    assert_allclose(f[:-1].reshape(3, 2, dims)[:, 0].sum(axis=0), expected[:dims], rtol=1e-12)


def probe(world: wl.World, fluid: Entity, at: Any) -> Entity:
    """Create a short cable that starts at a given point. The outputs of its load contain the flow at this point."""
    cable = straight_cable(world, at, np.add(at, (1e-3, 0.0, 0.0)), 1, **CABLE)
    return world.add(con.FluidLoad, cable=cable, fluid=fluid, diameter=0.1)


def test_waves_are_those_of_airy() -> None:
    """Dispersion, velocity and acceleration of two crossing waves in shallow water agree with Airy's theory, and the
    flow has no divergence.
    """
    depth, level = 12.0, 3.0
    waves = [(0.6, 0.9, 0.7, 0.3), (0.3, 1.7, -2.1, 1.2)]
    k = con.wave_number([w[1] for w in waves], depth)
    assert_allclose(G * k * np.tanh(k * depth), [w[1] ** 2 for w in waves], rtol=1e-13)
    columns = dict(zip(("amplitudes", "frequencies", "directions", "phases"), np.array(waves).T, strict=True))
    world = wl.World(gravity=(0.0, 0.0, -G))
    sea = world.add(
        con.Fluid, density=RHO, surface=level, depth=depth, **{f"wave_{name}": v for name, v in columns.items()}
    )
    center, h = np.array([1.3, -0.4, level - 2.0]), 1e-4
    places = [center, *(center + sign * h * axis for axis in np.eye(3) for sign in (1, -1))]
    places += [np.array([0.0, 0.0, z]) for z in (level - depth, level, level + 0.4)]
    loads = [probe(world, sea, place) for place in places]

    def potential(x: Any, t: float) -> float:
        total = 0.0
        for (A, omega, angle, phase), number in zip(waves, k, strict=True):
            psi = number * (x[0] * np.cos(angle) + x[1] * np.sin(angle)) - omega * t + phase
            depth_part = np.cosh(number * (x[2] - level + depth)) / np.sinh(number * depth)
            total += A * omega / number * depth_part * np.sin(psi)
        return total

    def at(t: float) -> tuple[Any, Any]:
        names = "fluid_velocity", "fluid_acceleration"
        u, a = ([wl.eval_output(load, name, state_at(world, t), x=0.0) for load in loads] for name in names)
        return np.array(u), np.array(a)

    u, a = at(2.0)
    gradient = [(potential(center + h * e, 2.0) - potential(center - h * e, 2.0)) / (2 * h) for e in np.eye(3)]
    assert_allclose(u[0], gradient, rtol=1e-6)
    assert_allclose(a[0], (at(2.0 + h)[0][0] - at(2.0 - h)[0][0]) / (2 * h), rtol=1e-6)
    assert abs(sum((u[1 + 2 * i] - u[2 + 2 * i])[i] for i in range(3)) / (2 * h)) < 1e-9
    # no water flows through the bed; the flow above the still water level is equal to the flow at this level; the
    # surface moves
    assert abs(u[7, 2]) < 1e-15 < abs(u[8, 2])
    assert_allclose(u[9], u[8], rtol=1e-15)
    eta = sum(A * np.cos(phase - 2.0 * omega) for A, omega, _, phase in waves)
    assert_allclose(wl.eval_output(loads[8], "surface_height", state_at(world, 2.0), x=0.0), level + eta, rtol=1e-12)


def state_at(world: wl.World, t: float) -> wl.State:
    """Return the initial state with a given time."""
    state = wl.State(world)
    state.t = t
    return state


def test_irregular_sea() -> None:
    """A JONSWAP sea has the requested significant wave height, and the zero-crossing period by DNV-RP-C205. Equal seeds
    give equal seas.
    """
    sea = con.jonswap(3.0, 9.0, seed=4, count=400)
    amplitude, omega = sea["wave_amplitudes"], sea["wave_frequencies"]
    assert_allclose(4.0 * np.sqrt((amplitude**2).sum() / 2.0), 3.0, rtol=1e-12)
    assert (np.diff(omega) > 0.0).all()
    # Ratio Tz/Tp for γ = 3.3. The waves end at 8 times the peak frequency; higher frequencies would reduce Tz.
    ratio = 0.6673 + 0.05037 * 3.3 - 0.006230 * 3.3**2 + 0.0003341 * 3.3**3
    zero_crossing = 2 * np.pi / np.sqrt((omega**2).mean())
    assert_allclose(zero_crossing, 9.0 * ratio, rtol=0.02)
    again, other = con.jonswap(3.0, 9.0, seed=4, count=400), con.jonswap(3.0, 9.0, seed=5, count=400)
    assert (again["wave_phases"] == sea["wave_phases"]).all() and (other["wave_phases"] != sea["wave_phases"]).any()


@pytest.mark.parametrize(
    ("columns", "height", "speed"),
    [
        ({"profile": "power", "velocity": (2.0, 0.0, 0.0), "exponent": 0.25, "depth": 20.0}, -4.0, 2.0 * 1.6**0.25),
        ({"profile": "power", "velocity": (2.0, 0.0, 0.0), "depth": 20.0}, -25.0, 0.0),
        (
            {"profile": "log", "velocity": (8.0, 0.0, 0.0), "fills": "above", "roughness": 0.1}, 5.0,
            8.0 * np.log(50.0) / np.log(100.0),
        ),
        ({"profile": "table", "table_heights": (-9.0, -5.0, 0.0), "table_x": (0.0, 1.0, 3.0)}, -4.0, 1.4),
        ({"profile": "table", "table_heights": (-9.0, -5.0, 0.0), "table_x": (0.5, 1.0, 3.0)}, -40.0, 0.5),
        ({"velocity": (1.5, 0.0, 0.0), **con.regular_wave(2.0, 6.0, phase=1.0), "wave_growth": 5.0}, -4.0, 1.5),
    ],
)  # fmt: skip
def test_profiles(columns: dict[str, Any], height: float, speed: float) -> None:
    """The speeds at several heights agree with the formulas of the profiles. Waves whose amplitudes increase with time
    are 0 at the start.
    """
    world = wl.World(gravity=(0.0, 0.0, -G))
    load = probe(world, world.add(con.Fluid, density=RHO, **columns), (0.0, 0.0, height))
    found = wl.eval_output(load, "fluid_velocity", wl.State(world), x=0.0)
    assert_allclose(found, [speed, 0.0, 0.0], rtol=1e-12, atol=1e-15)


def test_work_of_a_wave_on_a_pile() -> None:
    """The work of drag and inertia forces of a regular wave on a vertical cable from the bed to the water level agrees
    with the integrals of Morison's equation.
    """
    depth, d, wave = 20.0, 0.5, con.regular_wave(1.2, 6.0)
    world = wl.World(gravity=(0.0, -G))
    cables = straight_cable(world, (0.0, -depth), (0.0, 0.0), 12, **CABLE)
    water = world.add(con.Fluid, density=RHO, fills="below", surface=0.0, transition=1e-9, depth=depth, **wave)
    world.add(con.FluidLoad, cable=cables, fluid=water, diameter=d, normal_drag=1.3, axial_drag=0.0, added_mass=0.8)
    omega, t = 2 * np.pi / 6.0, 0.3
    k = float(con.wave_number(omega, depth))

    def force(z: float) -> float:
        share = 0.6 * omega * np.cosh(k * (z + depth)) / np.sinh(k * depth)
        u, a = share * np.cos(omega * t), -share * omega * np.sin(omega * t)
        return float(0.5 * RHO * d * 1.3 * abs(u) * u + RHO * np.pi * d**2 / 4 * 1.8 * a)

    found = eval_loads(world, t).reshape(-1, 4)[:, 0].sum()
    assert_allclose(found, quad(force, -depth, 0.0, epsabs=1e-9)[0], rtol=1e-6)


@pytest.mark.parametrize(
    ("kind", "columns", "words"),
    [
        (con.Fluid, {"density": -1.0}, "density = -1.0 kg/m.3 in Fluid row 0: must be > 0"),
        (con.Fluid, {"density": 1.0, "depth": -5.0}, "depth = -5.0 m in Fluid row 0: must be > 0"),
        (con.FluidLoad, {"diameter": 0.0}, "diameter = 0.0 m in FluidLoad row 0: must be > 0"),
        (con.FluidLoad, {"diameter": 1.0, "added_mass": -1.0}, "added_mass = -1.0 in FluidLoad row 0: must be >= 0"),
        (con.FluidLoad, {"diameter": 1.0, "points": 2}, "points = 2 in FluidLoad row 0: must be >= 3"),
        (con.LineLoad, {"per": "metre"}, "per = metre in LineLoad row 0: must be one of reference, current"),
    ],
)
def test_bad_columns(kind: Any, columns: dict[str, Any], words: str) -> None:
    world, cables = build(2)
    refs: dict[str, Any] = {"cable": cables[0]} if kind is not con.Fluid else {}
    if kind is con.FluidLoad:
        refs["fluid"] = world.add(con.Fluid, density=RHO)
    with pytest.raises(wl.ModelError, match=words):
        world.add(kind, **refs, **columns)


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        (
            {"table_heights": (0.0, 0.0), "table_x": (1.0, 2.0)},
            r"table_heights = .* m in Fluid row 0: must be ascending",
        ),
        ({"profile": "table"}, "table_heights = .* must be at least two, as profile is 'table'"),
        ({"table_heights": (0.0, 1.0), "table_x": (1.0,)}, "table_x in Fluid row 0 has 1 values: must have 2"),
        ({"wave_amplitudes": (1.0,)}, "wave_frequencies in Fluid row 0 has 0 values: must have 1"),
        ({**con.regular_wave(1.0, 5.0), "wave_amplitudes": (-1.0,)}, "wave_amplitudes = -1.0 m .* must be > 0"),
        ({**con.regular_wave(1.0, 5.0), "fills": "above"}, "fills = 'above' in Fluid row 0: must be 'below'"),
        ({"velocity": (0.0, 0.0, 1.0)}, "velocity of Fluid row 0 leaves the plane x, y"),
        (con.regular_wave(1.0, 5.0, direction=0.3), "wave_directions of Fluid row 0 leaves the plane x, y"),
        ({"function": lambda t, x: x}, r"function of Fluid row 0 .* must give two arrays of numbers of shape \(8, 3\)"),
        ({"function": lambda t, x: (np.nan * x, x)}, "function of Fluid row 0 .* gave values that are not finite"),
    ],
)
def test_bad_fluids(columns: dict[str, Any], words: str) -> None:
    world, cables = build(2)
    world.add(con.FluidLoad, cable=cables, fluid=world.add(con.Fluid, density=RHO, **columns), diameter=0.1)
    with pytest.raises(wl.ModelError, match=words):
        eval_loads(world)


def test_bad_directions_and_cables() -> None:
    """Errors are raised for gravity that is not downwards, ALE cables, positions beyond the ends, and user functions
    with invalid results.
    """
    world = wl.World(gravity=(0.0, -G, 0.0))
    probe(world, world.add(con.Fluid, density=RHO), (0.0, 0.0, 0.0))
    with pytest.raises(wl.ModelError, match=r"gravity = .* must point downwards, along -z, as z is upwards"):
        world.finalize()
    world = wl.World()
    belt = straight_cable(world, (0.0, 0.0), (1.0, 0.0), 1, ale=world.add(ALENode), **CABLE)
    world.add(con.LineLoad, cable=belt)
    with pytest.raises(wl.ModelError, match="cable in LineLoad row 0 is an ALECable2D"):
        world.finalize()
    world, cables = build(2)
    load = world.add(con.LineLoad, cable=cables[0], force_function=lambda t, x, r, p, v: 1.0)
    with pytest.raises(
        wl.ModelError, match=r"x = 0.7 m in LineLoad row 0: must lie from 0 to 0.6 m, the length of the cable"
    ):
        wl.eval_output(load, "force_per_length", wl.State(world), x=0.7)
    with pytest.raises(wl.ModelError, match=r"force_function of LineLoad row 0 .* must give numbers .N/m. of shape"):
        eval_loads(world)


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"body_fixed": True}, "cable in LineLoad row 0 is a Cable2D: a body_fixed force must act on a beam or on"),
        ({"beam": True, "per": "current"}, "body_fixed in LineLoad row 0: must have a vector or a function of time"),
        (
            {"beam": True, "force_function": law},
            "body_fixed in LineLoad row 0: must have a vector .* per = 'reference'",
        ),
    ],
)
def test_bad_body_fixed_loads(columns: dict[str, Any], words: str) -> None:
    world, cables = build(2)
    beam = straight_beam(world, (0, 0), (1, 0), 1, **PLANE)
    on_beam = columns.pop("beam", False)
    world.add(con.LineLoad, cable=beam if on_beam else cables[0], **{"body_fixed": True, **columns})
    with pytest.raises(wl.ModelError, match="must be a beam"):
        world.add(con.LineTorque, cable=cables[0])
    with pytest.raises(wl.ModelError, match=words):
        world.finalize()


def test_files(tmp_path: Any) -> None:
    """Loads are written as vectors at points for ParaView. Fluids with and without tables and waves are restored from a
    model file.
    """
    world, cables = build(3)
    waves = con.regular_wave(0.4, 3.0)
    for fluid in ({}, waves, {"profile": "table", "table_heights": (-1.0, 1.0), "table_x": (0.0, 2.0)}):
        sea = world.add(con.Fluid, density=RHO, transition=0.5, **fluid)
        world.add(con.FluidLoad, cable=cables, fluid=sea, diameter=0.1)
    world.add(con.LineLoad, cable=cables, vector=(0.0, 1.0, 0.0))
    beam = straight_beam(world, (0, 0, 0), (1, 0, 0), 2, **SPACE)
    world.add(con.LineTorque, cable=beam, vector=(4.0, 0.0, 0.0))
    state = wl.State(world)
    with wl.Recorder(tmp_path / "rope") as recorder:
        recorder.record(state)
    with h5py.File(tmp_path / "rope.vtkhdf") as file:
        fields = {name: np.array(file[f"VTKHDF/PointData/{name}"]) for name in file["VTKHDF/PointData"]}
    assert np.nanmax(np.abs(fields["fluid_force_per_length"]), axis=0)[2] > 10.0
    drawn = fields["line_load_per_length"]
    assert_allclose(np.nanmax(drawn, axis=0), [0.0, 1.0, 0.0])
    assert_allclose(np.nanmax(fields["line_torque_per_length"], axis=0), [4.0, 0.0, 0.0])
    again = wl.World.load(world.save(tmp_path / "model.json"))
    assert_array_equal(eval_loads(again, 0.3), eval_loads(world, 0.3))
