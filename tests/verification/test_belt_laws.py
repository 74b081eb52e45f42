"""Belts and ropes over pulleys whose tension is not EA times the strain (fibre ropes, working curves, tables) start in
equilibrium with the given tension. Friction between the wires of a belt.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass import connectors as con
from windlass.elements import Ground, RigidBody2D, nodes_of, straight_cable

from support.ribbons import HALF, RADIUS, RIBBON, STIFFNESS, TENSION, WIDTH, create_drive

BELT: dict[str, Any] = {
    "axial_stiffness": 2e4, "mass_per_length": 0.2, "bending_stiffness": 1e-3, "torsional_stiffness": 0.1,
    "rotary_inertia": 1e-5,
}  # fmt: skip
LAWS: dict[str, dict[str, Any]] = {
    "table": {"tension_table": [(0.0, 0.0), (0.01, 50.0), (0.04, 400.0), (0.1, 2000.0)]},
    "fibre": {"slow_stiffness": 1e4, "slow_damping": 5e3, "stiffening": 10.0},
    "static": {"static_stiffness": 8e3, "slow_damping": 5e3, "stiffening": 10.0},
    "working": {
        "slow_damping": 5e3, "stiffening": 5.0, "working_strains": (0.0, 0.02, 0.06, 0.15), "working_offset": 0.3,
        "working_tensions": (0.0, 100.0, 500.0, 2000.0), "largest_load": 600.0, "working_quadratic": 0.2,
    },
}  # fmt: skip


def create_belt(**columns: Any) -> tuple[wl.World, wl.Belt]:
    """Create a closed 3D belt with torsion around two grooved pulleys that do not move."""
    world = wl.World()
    pulleys = [
        wl.Pulley(world.add(Ground, position=(x, 0.0, 0.0)), 0.08, axis=(0, 0, 1), groove_radius=0.0045)
        for x in (0.0, 0.5)
    ]
    belt = wl.Belt(world, pulleys, cord_offset=0.004, elements=60, **{**BELT, **columns})
    con.fix(world, belt.nodes[0], "twist")
    return world, belt


def find_strain(law: dict[str, Any], tension: float) -> float:
    """Return the static strain of a straight rope under a force [N], from a static solve."""
    world = wl.World()
    rope = straight_cable(world, (0, 0, 0), (1, 0, 0), 1, **{**BELT, **law})
    nodes = nodes_of(world, rope)
    con.clamp(world, nodes[0])
    con.fix(world, nodes[1], "y", "z", "y'", "z'", "twist")
    world.add(con.Force, marker=con.position_marker(world, nodes[1]), vector=(tension, 0.0, 0.0))
    state = wl.Static(world, rtol=1e-12, name="").solve()
    return float(np.mean(wl.eval_output(rope, "axial_strain", state)))


@pytest.mark.parametrize("name", LAWS)
def test_mounted_belt(name: str) -> None:
    """A mounted belt has the static strain of its tension, spans with this tension, and slow strains in equilibrium.
    Tension, strain and slack length define the same belt.
    """
    law, tension = LAWS[name], 300.0
    world, belt = create_belt(tension=tension, **law)
    # the offsets at the ends of arcs change the strain by less than EI/(2 R²)/T
    assert_allclose(belt.strain, find_strain(law, tension), rtol=1e-3)
    for way in ("length", "strain"):
        _, other = create_belt(**{way: getattr(belt, way)}, **law)
        assert_allclose((other.tension, other.strain, other.length), (tension, belt.strain, belt.length), rtol=1e-9)
    start = wl.State(world)
    with belt.preload():
        state = wl.Static(world, name="", stability="off").solve(start)
    assert_allclose([span.tension for span in belt.report(state).spans], tension, rtol=1e-3)
    # cables at the ends of arcs deviate from the taut route
    assert_allclose(np.median(wl.eval_output(belt.cables, "axial_force", start)), tension, rtol=1e-3)
    if name != "table":
        slow = wl.eval_output(belt.cables, "slow_strain", start)
        assert slow.min() > 0.005
        # on the pulleys, the contact depth reduces the tension by 0.3 %
        assert_allclose(wl.eval_output(belt.cables, "slow_strain", state), slow, rtol=5e-3)


def test_linear_table() -> None:
    """A belt whose table is a straight line has the motion of a belt with the axial stiffness EA."""
    found = []
    for law in ({}, {"tension_table": [(-0.1, -2e3), (0.0, 0.0), (0.3, 6e3)]}):
        world, belt = create_belt(tension=300.0, **law)
        world.add(con.Force, marker=con.position_marker(world, belt.nodes[5]), vector=(0.0, -20.0, 0.0))
        state = wl.Dynamic(world, step=1e-3, end=0.01, rtol=1e-12, name="").solve()
        found.append((state.q, belt.report(state)))
    assert_allclose(found[1][0], found[0][0], rtol=0.0, atol=1e-7 * np.abs(found[0][0]).max())
    assert_allclose(found[1][1].stored_energy, found[0][1].stored_energy, rtol=1e-9)


def test_energy_of_a_table() -> None:
    """The stored energy of a belt with a table is T² S0/(2 E) with the stiffness E at its tension T. If T changes
    slightly, this energy changes by the work of the tension.
    """
    world, belt = create_belt(tension=300.0, **LAWS["table"])
    _, other = create_belt(tension=303.0, **LAWS["table"])
    assert_allclose(
        belt.report(wl.State(world)).stored_energy, 300.0**2 * belt.length / (2.0 * belt.axial_stiffness), rtol=2e-3
    )
    work = 301.5 * (other.strain - belt.strain) * belt.length
    assert_allclose((303.0**2 - 300.0**2) * belt.length / (2.0 * belt.axial_stiffness), work, rtol=0.02)


@pytest.mark.parametrize("name", ["fibre", "table"])
@pytest.mark.parametrize("in_space", [False, True])
def test_rope_that_hangs_over_a_pulley(in_space: bool, name: str) -> None:
    """An open rope over a pulley starts in equilibrium with the weights at its ends, in 2D and 3D, and does not creep.
    The contact depth causes an oscillation of 1 %.
    """
    rest = (0.0,) if in_space else ()
    world = wl.World(gravity=(0.0, -9.81, *rest))
    law = {
        key: value for key, value in BELT.items() if in_space or key not in ("torsional_stiffness", "rotary_inertia")
    }
    law = {**law, **LAWS[name], "mass_per_length": 1e-4}
    pulley = wl.Pulley(world.add(Ground), 0.08, **({"axis": (0, 0, 1), "groove_radius": 0.0045} if in_space else {}))
    rope = wl.Rope(
        world, [pulley], start=(-0.084, -0.4, *rest), end=(0.084, -0.4, *rest), tension=300.0, elements=24,
        cord_offset=0.004, friction=0.3, **law,
    )  # fmt: skip
    for end in (rope.nodes[0], rope.nodes[-1]):
        world.add(con.Force, marker=con.position_marker(world, end), vector=(0.0, -300.0, 0.0))
        con.fix(world, end, "x", *(("z", "twist") if in_space else ()))
    sensors = wl.Sensors(None, [wl.Sensor(rope.cables, "axial_force", name="N")], every=1)
    wl.Dynamic(world, step=1e-3, end=0.05, name="").solve(hooks=[sensors])
    tension = np.reshape(sensors["N"], (len(sensors.times), -1))
    assert_allclose(tension.mean(axis=1), 300.0, rtol=0.015)


def test_ribbon_with_a_table_keeps_its_tension() -> None:
    """`tighten` changes the strain of a quarter-turn belt with a table until its spans have the given tension."""
    world = wl.World()
    pulleys = [
        wl.Pulley(world.add(Ground), RADIUS, "left", at=at, axis=axis)
        for axis, at in (((0, 0, 1), (0, 0, 0)), ((1, 0, 0), (RADIUS, 0.8, -RADIUS)))
    ]
    table = [(0.0, 0.0), (0.001, 50.0), (0.004, 400.0), (0.02, 4000.0)]
    belt = wl.Belt(
        world, pulleys, tension=TENSION, width=WIDTH, cord_offset=HALF, elements=80, points=2, friction=0.6,
        contact={"contact_stiffness_per_length": STIFFNESS, "friction_stiffness_per_length": STIFFNESS},
        turned_from=(1, 0, -1), tension_table=table,
        **{name: value for name, value in RIBBON.items() if name != "rotary_inertia"},
    )  # fmt: skip
    assert belt.cables.kind == "TwistTableCable3D"
    statics = wl.Static(world, passes=wl.Passes(max_it=40), stability="off", name="")
    state = belt.tighten(statics.solve, wl.State(world))
    assert_allclose(np.mean([span.tension for span in belt.report(state).spans]), TENSION, rtol=2e-3)


def test_friction_of_wires_in_a_belt() -> None:
    """The wires of a closed belt with torsion slip when the belt bends around a pulley and becomes straight. In half a
    circulation, each material point passes one of both pulleys, so the wires lose 2 M (κ - 2 M/EI) per length, with the
    slip moment M, the stiffness EI of the sticking wires and the curvature κ. The error is 2 %.
    """
    drive, EI, slip, step = create_drive(0.2, elements=44), 0.005, 0.01, 0.05
    belt = drive.belt
    wires = drive.world.add(con.WireFriction, cable=belt.cables, bending_stiffness=EI, slip_moment=slip)
    solver, state = wl.Static(drive.world, passes=wl.Passes(max_it=40), stability="off", name=""), wl.State(drive.world)
    losses, half = [], round(belt.route.length / (2.0 * RADIUS * step))
    for i in range(2 * half + 1):
        solver.time = step * i
        state = solver.solve(state)
        losses.append(wl.eval_output(wires, "bending_loss", state).sum())
    # the first half of the circulation removes the effects of the start
    theory = 2.0 * slip * (1.0 / RADIUS - 2.0 * slip / EI) * belt.route.length
    assert_allclose(losses[2 * half] - losses[half], theory, rtol=0.05)


FIBRE: dict[str, Any] = {"slow_damping": 1.0}


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"slow_stiffness": (1e4, 2e4), **FIBRE}, "slow_stiffness = .* of 'belt': must be one finite number"),
        ({"slow_stiffness": -1.0, **FIBRE}, "slow_stiffness = -1.0 of 'belt': must be one finite number >= 0"),
        ({"slow_stiffness": 0.0, **FIBRE}, "slow_stiffness and static_stiffness of 'belt': one of them must be > 0 N"),
        ({"tension_table": [(0.0, 0.0), (0.1, -5.0)]}, "must be ascending, to tensions > 0"),
        ({"table_strains": (0.0, 0.1), "table_tensions": 3.0}, "must be two lists of equal length"),
        ({"tension_table": [(0.0, 0.0), (1.0, 500.0)]}, "tension = 300 N of 'belt' causes the strain 0.6: must cause"),
        (
            {**LAWS["working"], "working_tensions": (0.0, 100.0, 100.0, 2000.0)},
            "working_tensions = .* of 'belt': must be >= 0 and ascending",
        ),
        (
            {"tension_table": [(0.1, 0.0), (0.2, 9.0)], "tension": None, "strain": 0.05},
            "has no tension at the strain 0.05: must be strained further",
        ),
        ({"axial_force_function": lambda *given: 1.0}, "must be left out, because belts and ropes over pulleys start"),
    ],
)
def test_wrong_laws(columns: dict[str, Any], message: str) -> None:
    with pytest.raises(wl.ModelError, match=message):
        create_belt(**{"tension": 300.0, **columns})


def test_belts_in_2d_have_a_linear_law() -> None:
    world = wl.World()
    pulleys = [
        wl.Pulley(world.add(RigidBody2D, position=(x, 0.0), mass=1.0, inertia=1.0), 0.08, name=name)
        for x, name in ((0.0, "a"), (0.5, "b"))
    ]
    columns = {key: BELT[key] for key in ("axial_stiffness", "mass_per_length", "bending_stiffness")}
    with pytest.raises(wl.ModelError, match="slow_stiffness of 'belt': must be left out in 2D belts"):
        wl.Belt(world, pulleys, tension=300.0, **columns, **LAWS["fibre"])
