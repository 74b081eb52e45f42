"""States of running belts, for the computation of modes and as initial states. The states of a running belt are
computed from the state of the stationary belt.

Let c be the flow of a belt, which is the reference length that passes a fixed point per time. Let r(X) be the position
of the axis at the reference length X. The nodes have the velocities c r', and the slopes of the nodes have the rates c
r''. The nodes of beams with shear have the angular velocities c φ', with the rotation φ of the cross sections. The
primes denote derivatives with respect to X. A running belt with the speed v has the shape of the stationary belt. On a
pulley with the radius R of the cord, the contact force per length is smaller by rhoA v²/R than at standstill. The
tension does not change, because the length of the belt does not change.

If a result of `steady` is given, the material is displaced along the shape of the stationary belt until each span has
the stretch lam of the steady motion. From the entry of an arc to the start of slip, the stretch is the stretch at the
entry. From the start of slip to the exit, the stretch changes linearly. Let X(s) be the integral of ds/lam over the arc
length s of the shape. A node with the reference length X_i from the first entry moves to the arc length s with X(s) =
X_i.

Source: C. D. Mote, J. Franklin Inst. 279 (1965) 430-444.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from windlass.connectors.contact.axes import is_beam
from windlass.connectors.drives.pulleys import Pulley, find_spans
from windlass.connectors.drives.steady_drive import SteadyDrive
from windlass.elements.cable.points import eval_shape
from windlass.elements.routes.routes import Route
from windlass.framework.arrays import FloatArray
from windlass.framework.model.table import Entity
from windlass.framework.state.state import State

BEAM = 5
"""Number of columns of the shape of a belt of beams, see `_read_shape`."""
FULL_TURN = 2.0 * np.pi
FINE = 32
"""Number of points per node in the numerical integration of the displacement of the material."""


def run_belt(
    state: State, speed: float, cables: Entity, nodes: Entity, pulleys: Sequence[Pulley], radii: Sequence[float]
) -> State:
    """Copy a state and set the velocities of a running closed 2D belt and of the pulleys that rotate with the belt.

    Args:
        state: the state of the stationary belt.
        speed: speed of the belt [m/s], positive in the order of its pulleys.
        cables, nodes: cables and nodes of the belt, in the order of the route.
        pulleys, radii: the pulleys, and the radii of the cord on the pulleys [m].
    """
    running = state.copy()
    x, length = _read_shape(running, cables, nodes)
    flow = speed / float(np.linalg.norm(x[:, 2:4], axis=1).mean())
    _put_rates(running, nodes, x, length, flow)
    signs = [1.0 if pulley.side == "left" else -1.0 for pulley in pulleys]
    _put_speeds(running, pulleys, [sign * speed / radius for sign, radius in zip(signs, radii, strict=True)])
    return running


def start_steady(
    state: State, steady: SteadyDrive, route: Route, axial_stiffness: float, strain: float, cables: Entity,
    nodes: Entity, pulleys: Sequence[Pulley],
) -> State:  # fmt: skip
    """Copy a state and set the stretch and the velocities of a closed 2D belt in steady motion.

    Args:
        state: the state of the stationary belt.
        steady: the steady motion.
        route: route of the mounted belt.
        axial_stiffness: axial stiffness EA of the unstretched belt [N].
        strain: strain of the mounted belt [1]. The reference configuration of the cables is the mounted belt.
        cables, nodes: cables and nodes of the belt, in the order of the route.
        pulleys: pulleys of the belt, in the order of the route.
    """
    running = state.copy()
    x, length = _read_shape(running, cables, nodes)
    onward = steady.spans[0].speed > 0.0
    # arc lengths of points along the route, measured from the entry of the first arc, and the stretch at these points
    begin = route.wraps[0].s_entry
    station, stretch = list[float](), list[float]()
    spans, count = find_spans(route), len(pulleys)
    for i, (wrap, duty) in enumerate(zip(route.wraps, steady.pulleys, strict=True)):
        before, after = ((1.0 + steady.spans[k].tension / axial_stiffness) / (1.0 + strain) for k in (i - 1, i))
        entry, slips = (wrap.s_entry - begin) % route.length, duty.slip_arc / duty.wrap_angle
        size = wrap.s_exit - wrap.s_entry
        # Start of slip. The belt slips in the last part of the arc, before the exit.
        turn = entry + size * (1.0 - slips if onward else slips)
        station += [entry, turn, entry + size]
        stretch += [before, before if onward else after, after]
        if i == count - 1:
            station.append(entry + size + float(spans[i][1] - spans[i][0]))
            stretch.append(after)
    fine = np.linspace(0.0, station[-1], FINE * len(x) + 1)
    share = 1.0 / np.interp(fine, station, stretch)
    material = np.concatenate([[0.0], np.cumsum(0.5 * (share[1:] + share[:-1]) * np.diff(fine))])
    total = float(length.sum())
    material *= total / material[-1]
    # arc lengths of the nodes after the displacement of the material, and the stretch at the nodes
    first = begin / route.length * total
    place = (np.concatenate([[0.0], np.cumsum(length)[:-1]]) - first) % total
    there = np.interp(place, material, fine)
    source = (there / station[-1] * total + first) % total
    moved = _eval_shape(x, length, source)
    rate = np.interp(there, station, stretch) / np.linalg.norm(moved[:, 2:4], axis=1)
    moved[:, 2:4] *= rate[:, None]
    own = [0, 1, 4] if x.shape[1] == BEAM else [0, 1, 2, 3]
    running.put(nodes, np.array(running.of(nodes)) + (moved - x)[:, own])
    _put_rates(running, nodes, moved, length, (1.0 if onward else -1.0) * steady.flow * (1.0 + strain))
    _put_speeds(running, pulleys, [duty.speed for duty in steady.pulleys])
    return running


def _read_shape(state: State, cables: Entity, nodes: Entity) -> tuple[FloatArray, FloatArray]:
    """Return positions and slopes of the nodes of a closed belt, shape (nodes, 4), and reference lengths between the
    nodes [m], shape (nodes,).

    Belts of beams have one more column for the rotations φ [rad], which increase or decrease along the belt. Their
    nodes have equal distances in reference length, so the slope at a node is the difference of both neighbours.
    """
    is_made_of_beams = is_beam(cables.table)
    names = ("position", "angle") if is_made_of_beams else ("position", "slope")
    x: FloatArray = np.column_stack([np.asarray(nodes.table.collect(name, nodes.rows), np.float64) for name in names])
    x += state.of(nodes)
    length = np.asarray(cables.table.collect("length", cables.rows), np.float64)
    if not is_made_of_beams:
        return x, length
    length = np.full(len(x), length.sum() / len(x))
    slope = (np.roll(x[:, :2], -1, axis=0) - np.roll(x[:, :2], 1, axis=0)) / (2.0 * length[0])
    return np.column_stack((x[:, :2], slope, np.unwrap(x[:, 2]))), length


def _turn_around(x: FloatArray) -> float:
    """Return the change [rad] of the rotation along a closed belt of beams, 2π or -2π, or 0 for a crossed belt. The
    rotation changes by less than π from the last to the first node.
    """
    return FULL_TURN * float(np.round((x[-1, 4] - x[0, 4]) / FULL_TURN))


def _eval_shape(x: FloatArray, length: FloatArray, place: FloatArray) -> FloatArray:
    """Evaluate positions and slopes of a closed chain of cubic curves at the points whose reference lengths from the
    first node [m] are given by ``place``.
    """
    ends = np.cumsum(length)
    k = np.minimum(np.searchsorted(ends, place, side="right"), len(length) - 1)
    S, dS, _ = eval_shape((place - ends[k] + length[k]) / length[k], length[k])
    axis = x[:, :4]
    corners = np.hstack((axis, np.roll(axis, -1, axis=0)))[k].reshape(-1, 4, 2)
    moved = np.hstack([np.einsum("pa,pab->pb", N, corners) for N in (S, dS)])
    if x.shape[1] < BEAM:
        return moved
    stations = np.append(0.0, ends)
    turn = np.interp(place, stations, np.append(x[:, 4], x[0, 4] + _turn_around(x)))
    # If a node moves past the first node of the belt, ``turn`` contains a full turn too many or too few. This turn is
    # removed.
    apart = turn - x[:, 4]
    return np.column_stack((moved, turn - FULL_TURN * np.round(apart / FULL_TURN)))


def _put_rates(state: State, nodes: Entity, x: FloatArray, length: FloatArray, flow: float) -> None:
    """Set the velocities of the nodes of a belt. The argument ``flow`` is the flow c [m/s]. The arguments ``x`` and
    ``length`` are results of `_read_shape`.
    """
    if x.shape[1] == BEAM:
        onward, behind = np.roll(x[:, 4], -1), np.roll(x[:, 4], 1)
        onward[-1], behind[0] = onward[-1] + _turn_around(x), behind[0] - _turn_around(x)
        state.put(nodes, flow * np.column_stack((x[:, 2:4], (onward - behind) / (2.0 * length))), "v")
        return
    r, slope, L = x[:, :2], x[:, 2:], length[:, None]
    step, onward = np.roll(r, -1, axis=0) - r, np.roll(slope, -1, axis=0)
    # second derivatives r'' at each node, from the cubic after the node and from the cubic before the node
    ahead = (6.0 * step / L - 4.0 * slope - 2.0 * onward) / L
    behind = np.roll((2.0 * slope + 4.0 * onward - 6.0 * step / L) / L, 1, axis=0)
    state.put(nodes, flow * np.hstack((slope, 0.5 * (ahead + behind))), "v")


def _put_speeds(state: State, pulleys: Sequence[Pulley], speeds: Sequence[float]) -> None:
    """Set the angular velocities [rad/s] of pulleys that rotate about the origin of their body."""
    for pulley, speed in zip(pulleys, speeds, strict=True):
        if pulley.is_centred:
            velocity = np.array(state.of(pulley.body, "v"))
            velocity[..., 2] = speed
            state.put(pulley.body, velocity, "v")
