"""Tests of sliding joints on winch ropes: tangents, rings that fall along a rope that is paid out, energy,
restrictions.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
import windlass.connectors as con
from windlass.elements import MassPoint, winch_rope
from windlass.framework.model.table import Entity
from windlass.testing import check_tangent

from support.output_watch import Watch

G, LOAD, RING, SPEED = 9.81, 200.0, 2.0, 0.5
ROPE = {"mass_per_length": 0.01, "axial_stiffness": 1e6, "bending_stiffness": 1e-4, "axial_damping": 3e4}


@pytest.mark.parametrize(("dims", "torsion"), [(2, False), (3, False), (3, True)])
def test_tangents_against_differences(dims: int, torsion: bool) -> None:
    """Derivatives with respect to all coordinates, to the length of the rope and to the position of the ring agree with
    differences, also with friction.
    """
    world = wl.World(gravity=(0.0, -G, 0.0))
    end = np.array((3.0, -1.0, 0.5))[:dims]
    more = {"torsional_stiffness": 2.0, "rotary_inertia": 0.05} if torsion else {}
    rope = winch_rope(
        world, np.zeros(dims), end, 3, **{**ROPE, "axial_stiffness": 5e2, "bending_stiffness": 3.0}, **more
    )
    rings = [world.add(MassPoint, position=share * end, mass=1.0) for share in (0.4, 0.7)]
    length = float(np.linalg.norm(end))
    for ring, share in zip(rings, (0.4, 0.7), strict=True):
        con.sliding_joint(
            world, rope.cables, ring, share * length, damping=0.3, friction_coefficient=0.2, friction_speed=0.5
        )
    check_tangent(world, displacement=0.02, tolerance=3e-6)


def hang(damping: float = 0.0, clamp: bool = False, **friction: Any) -> tuple[wl.World, Any, Any, Any, Any]:
    """Create a taut vertical rope with a heavy load, and a ring on the rope. The winch pays out the rope at a constant
    speed.
    """
    world = wl.World(gravity=(0.0, -G))
    rope = winch_rope(world, (0, 0), (0, -4), 6, strain=LOAD * G / 1e6, **ROPE)
    con.hinge(world, rope.nodes[0])
    load = world.add(MassPoint, position=(0.0, -4.0), mass=LOAD)
    ends = [con.position_marker(world, which) for which in (rope.nodes[6], load)]
    world.add(con.RevoluteJoint2D, marker0=ends[0], marker1=ends[1])
    con.fix(world, load, "x")
    drive = con.prescribe(world, rope.feed, "s", con.smooth_step(0.0, 0.5, 0.0, 0.1))
    ring = world.add(MassPoint, position=(0.0, -1.0), mass=RING)
    joint = con.sliding_joint(world, rope.cables, ring, 1.0 / (1.0 + LOAD * G / 1e6), damping=damping, **friction)
    if clamp:
        con.fix(world, joint, "s")
    return world, rope, ring, joint, drive


def test_ring_falls_freely_while_the_rope_is_paid_out() -> None:
    """Without friction, the ring falls past several cables with the acceleration g, independent of the motion of the
    rope.
    """
    world, _, ring, joint, _ = hang()
    watch, ledger = Watch(place=(ring, "position"), on=(joint, "cable")), wl.EnergyLedger()
    wl.Dynamic(world, step=2e-3, end=0.7, rtol=1e-9).solve(hooks=[watch, ledger])
    times = np.array(watch.t)
    assert_allclose(watch["place"][:, 1], -1.0 - 0.5 * G * times**2, rtol=0, atol=2e-5)
    assert np.ptp(watch["on"]) >= 3
    assert abs(ledger.rest) < 1e-6 * np.abs(ledger["gravity"]).max()


def test_friction_refers_to_the_material() -> None:
    """With viscous friction d, the ring sinks relative to the material with the speed m g/d (1 - e^{-d t/m}). The
    friction carries the weight of the ring, so at the end the winch holds load, ring and rope.
    """
    damping = 40.0
    world, rope, ring, joint, drive = hang(damping)
    watch, ledger = Watch(speed=(joint, "speed"), place=(ring, "position")), wl.EnergyLedger()
    state = wl.Dynamic(world, step=2e-3, end=0.8, rtol=1e-9).solve(hooks=[watch, ledger])
    times = np.array(watch.t)
    assert_allclose(watch["speed"][times > 0.7, 0], RING * G / damping, rtol=0.01)
    # the ring has sunk by the length that was paid out, and has slid along the material
    slid = RING * G / damping * (times - 0.05 * (1.0 - np.exp(-times / 0.05)))
    late = times > 0.6
    assert_allclose(-1.0 - watch["place"][late, 1], 0.1 + slid[late], rtol=0, atol=0.005)
    weight = (LOAD + RING + 0.01 * 4.1) * G
    assert_allclose(wl.eval_output(drive, "force", state), weight, rtol=2e-3)
    assert abs(ledger.rest) < 1e-6 * np.abs(ledger["gravity"]).max()
    assert len(rope.cables) == 6


def test_clamped_ring_moves_with_the_material() -> None:
    """A ring whose coordinate s is fixed keeps its distance from the end of the rope."""
    world, rope, ring, joint, _ = hang(clamp=True)
    state = wl.Dynamic(world, step=2e-3, end=0.7).solve(wl.Static(world, time=0.0).solve())
    place = float(np.ravel(wl.eval_output(ring, "position", state))[1])
    assert_allclose(place, -1.1, rtol=0, atol=1e-3)
    along = float(np.ravel(wl.eval_output(joint, "arc_length", state))[0])
    length = float(wl.eval_output(rope.cables, "length", state).sum())
    assert_allclose(length - along, 3.0 / (1.0 + LOAD * G / 1e6), rtol=1e-9)


def hang_in_reserve(dims: int, paid: Any, **joint: Any) -> tuple[Any, ...]:
    """Create a taut vertical rope with reserve cables and a heavy load. A ring is on the rope, at a distance of 1.5 m
    below the outlet.
    """
    down = np.eye(dims)[1 if dims == 2 else 2]
    world = wl.World(gravity=tuple(-G * down))
    rope = con.WinchReserve(
        world, 0.0 * down, -2.0 * down, wanted=0.7, cables=2, longest=8.0, strain=LOAD * G / 1e6, **ROPE
    )
    con.hinge(world, rope.nodes[0])
    load = world.add(MassPoint, position=-2.0 * down, mass=LOAD)
    ends = [con.position_marker(world, which) for which in (rope.nodes[-1], load)]
    world.add(con.RevoluteJoint2D if dims == 2 else con.SphericalJoint, marker0=ends[0], marker1=ends[1])
    con.fix(world, load, *("xy"[: dims - 1]))
    con.prescribe(world, rope.feed, "s", paid)
    ring = world.add(MassPoint, position=-1.5 * down, mass=RING)
    slides = con.sliding_joint(world, rope.cables, ring, 1.5 / (1.0 + LOAD * G / 1e6), **joint)
    return world, rope, ring, slides, down


@pytest.mark.parametrize("dims", [2, 3])
def test_ring_falls_while_cables_are_split(dims: int) -> None:
    """A ring without friction falls with the acceleration g while the cables below and above the ring are split."""
    world, rope, ring, joint, down = hang_in_reserve(dims, con.smooth_step(0.0, 0.6, 0.0, 1.6))
    watch, ledger = Watch(place=(ring, "position"), on=(joint, "cable"), gap=(joint, "gap")), wl.EnergyLedger()
    wl.Dynamic(world, step=1e-3, end=0.5, rtol=1e-9).solve(hooks=[rope, watch, ledger])
    times = np.array(watch.t)
    assert [change.cables for change in rope.changes] == [4]
    assert_allclose(watch["place"][:, :dims] @ down, -1.5 - 0.5 * G * times**2, rtol=0, atol=1e-9)
    assert np.abs(watch["gap"]).max() < 1e-8 and watch["on"].max() == 3.0
    assert abs(ledger.rest) < 1e-6 * np.abs(ledger["gravity"]).max()


@pytest.mark.parametrize("dims", [2, 3])
def test_clamped_ring_keeps_its_place_in_reserve_cables(dims: int, tmp_path: Path) -> None:
    """A ring whose coordinate s is fixed keeps its distance from the end of the rope while cables are split and merged.
    A run that continues from a state between split and merge exactly equals the uninterrupted run.
    """
    out, back = con.smooth_step(0.0, 0.4, 0.0, 2.0), con.smooth_step(0.4, 0.8, 0.0, 3.1)
    ends, distance = [], (2.0 - 1.5) / (1.0 + LOAD * G / 1e6)
    for part in range(2):
        world, rope, _, joint, _ = hang_in_reserve(dims, lambda t: out(t) - back(t))
        con.fix(world, joint, "s")

        def keep(state: wl.State, part: int = part, rope: Any = rope, joint: Any = joint) -> None:
            if state.step == 200 and not part:
                state.save(tmp_path / "state.npz")
            length = float(np.nansum(wl.eval_output(rope.cables, "length", state)))
            assert_allclose(length - wl.eval_output(joint, "arc_length", state), distance, rtol=1e-9)
            assert np.abs(wl.eval_output(joint, "gap", state)).max() < 1e-8

        start = wl.Static(world, time=0.0).solve() if not part else None
        if part:
            start = wl.State(world).load(tmp_path / "state.npz", switches="restore")
        state = wl.Dynamic(world, step=2e-3, end=0.8).solve(start, hooks=[rope, keep], resume=bool(part))
        assert [change.cables for change in rope.changes] == ([2] if part else [4, 2])
        ends.append(state)
    for name in ("q", "v", "a", "lam", "data"):
        assert (getattr(ends[0], name) == getattr(ends[1], name)).all(), name


def test_what_is_refused() -> None:
    """Joints on a part of a winch rope, or on a part of the cables of a rope with reserve cables, are refused."""
    world = wl.World()
    rope = winch_rope(world, (0, 0), (3, 0), 3, **ROPE)
    con.sliding_joint(world, rope.cables[:2], world.add(MassPoint, position=(1.0, 0.0), mass=1.0), 1.0)
    with pytest.raises(wl.ModelError, match="part of a winch rope: must be all its cables"):
        world.finalize()
    world = wl.World()
    reserve = con.WinchReserve(world, (0, 0), (3, 0), wanted=1.0, longest=9.0, **ROPE)
    ring = world.add(MassPoint, position=(1.0, 0.0), mass=1.0)
    con.sliding_joint(world, reserve.outside, ring, 1.0)
    with pytest.raises(wl.ModelError, match="a rope with reserve cables: must be on all its cables"):
        reserve.before_step(wl.State(world))
    world = wl.World()
    reserve = con.WinchReserve(world, (0, 0), (3, 0), wanted=1.0, longest=9.0, **ROPE)
    ring = world.add(MassPoint, position=(1.0, 0.0), mass=1.0)
    spare = np.setdiff1d(reserve.cables.rows, reserve.outside.rows)
    con.sliding_joint(world, Entity(reserve.cables.table, spare), ring, 1.0)
    with pytest.raises(wl.ModelError, match="are in reserve: must be all cables of the rope"):
        world.finalize()
