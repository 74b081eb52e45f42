"""Small models of rods with twist, coordinates for given frames, momenta, and an independent solution by SciPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.integrate import solve_bvp
from scipy.spatial.transform import Rotation

from windlass.elements import PointSlopeTwist3D, TwistCable3D, cable_along, helix, nodes_of
from windlass.elements.nodes.turning import between, spin_angle, step_gradients
from windlass.elements.nodes.twist_node import frame_of, read_frames
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.assemble import assemble_matrix
from windlass.framework.state.state import State

from support.matrices import dense

COLUMNS = {
    "mass_per_length": 0.7, "rotary_inertia": 0.3, "axial_stiffness": 500.0, "bending_stiffness": (3.0, 1.0),
    "torsional_stiffness": 2.0, "coupling": 10.0, "reference_strain": 0.01, "reference_curvature": (0.2, -0.1),
    "reference_twist": 0.3, "strain_is_relative_to_reference": 0.4,
}  # fmt: skip
"""Columns of a rod that uses all terms of the elastic law."""
DAMPING = {"axial_damping": 2.0, "bending_damping": 0.3, "torsional_damping": 0.4}


def create_rods(count: int = 3, **columns: Any) -> tuple[World, Entity]:
    """Create a chain along a helix."""
    world = World()
    route = helix((0, 0, 0), (0, 0, 1), 1.0, 0.2 * count, pitch=1.5)
    rods = cable_along(world, route, count, **{**COLUMNS, **columns})
    return world, rods


def total_coordinates(nodes: Entity, state: State) -> Any:
    """Return x, y, z, x', y', z' and twist of nodes, shape (nodes, 7)."""
    parts = [nodes.table.collect(name, nodes.rows) for name in ("position", "slope", "twist")]
    return np.column_stack(parts) + state.q[state.local_dofs(nodes)]


def find_twist(world: World, node: Entity, frame: Any, slope: Any) -> float:
    """Return the angle φ [rad] at which a node with a slope has a given frame, a rotation matrix with the axes t, d_1,
    d_2.
    """
    b, F = read_frames(world, node.ids)
    x, y, z, w = Rotation.from_matrix(frame).as_quat()
    now = frame_of(tuple(b[0]), tuple(F[0]), tuple(slope), 0.0)
    return float((spin_angle(between(now, (w, x, y, z))) + np.pi) % (2.0 * np.pi) - np.pi)


def find_motion(world: World, nodes: Entity, state: State, rate: Any) -> Any:
    """Return the velocities of all coordinates, shape (nodes, 7), of a rigid rotation with an angular velocity [rad/s],
    (3,).
    """
    x, b = total_coordinates(nodes, state), read_frames(world, nodes.ids).b
    v = np.column_stack((np.cross(rate, x[:, :3]), np.cross(rate, x[:, 3:6]), np.zeros(len(x))))
    for i, (p, pt) in enumerate(zip(x[:, 3:6], v[:, 3:6], strict=True)):
        v[i, 6] = p @ rate / np.linalg.norm(p) + np.dot(step_gradients(tuple(b[i]), tuple(p))[1], pt)
    return v


def find_momenta(world: World, rods: Entity, state: State) -> tuple[Any, Any, float]:
    """Return momentum [kg m/s] and angular momentum about the origin [kg m^2/s], (3,) each, and kinetic energy [J]."""
    nodes = nodes_of(world, rods)
    dofs = state.local_dofs(nodes)
    p = dense(assemble_matrix(world, state, dq=0.0, dv=0.0, da=1.0)) @ state.v
    along = p[dofs[:, :3]].sum(axis=0)
    about = [(find_motion(world, nodes, state, axis) * p[dofs]).sum() for axis in np.eye(3)]
    return along, np.array(about), float(0.5 * state.v @ p)


def integrate_rod(
    length: float, EA: float, EI: Any, GJ: float, force: Any, free: Callable[[float], Any], start: Any
) -> tuple[Any, Any]:
    """Return position (3,) and frame (3, 3) at the end of a clamped Kirchhoff rod with a dead force at its end. SciPy
    integrates the equations.

    r' = (1 + n·t/EA) t,  D' = D [κ]×,  m' = -r' × n in the global frame;  κ = (τ, κ_1, κ_2) = free + Dᵀ m/(GJ, EI).

    Args:
        free: ``(s) -> (τ, κ_1, κ_2)`` of the unloaded rod [1/m].
        start: frame at the clamp, rotation matrix with the axes t, d_1, d_2.
    """
    full, stiffness = np.asarray(force, float), np.array([GJ, *EI])
    q0 = np.roll(Rotation.from_matrix(start).as_quat(), 1)

    def solve(n: Any, s: Any, guess: Any) -> Any:
        def slope(s: Any, y: Any) -> Any:
            q = y[3:7].T
            D = Rotation.from_quat(np.roll(q, -1, axis=1)).as_matrix()
            t, m = D[:, :, 0], y[7:].T
            strain = np.array([free(v) for v in np.atleast_1d(s)]) + np.einsum("ija,ij->ia", D, m) / stiffness
            r = (1.0 + t @ n / EA)[:, None] * t
            w, v = q[:, :1], q[:, 1:]
            rate = np.hstack((-(v * strain).sum(axis=1, keepdims=True), w * strain + np.cross(v, strain))) / 2.0
            return np.hstack((r, rate, -np.cross(r, n))).T

        found = solve_bvp(
            slope, lambda a, b: np.concatenate((a[:3], a[3:7] - q0, b[7:])), s, guess, tol=1e-9, max_nodes=100_000
        )
        assert found.success, found.message
        return found

    # the load grows in steps, so that the solution starts from the unloaded shape
    s = np.linspace(0.0, length, 41)
    guess = np.zeros((10, len(s)))
    guess[3:7] = q0[:, None]
    for part in np.linspace(0.0, 1.0, 6):
        found = solve(part * full, s, guess)
        s, guess = found.x, found.y
    return guess[:3, -1], Rotation.from_quat(np.roll(guess[3:7, -1], -1)).as_matrix()


def create_arc(elements: int, angle: float, radius: float, **columns: Any) -> tuple[World, Entity, Entity]:
    """Create an arc in the plane x, y that begins at the origin along x, with d_1 along z. Return world, nodes and
    rods.
    """

    world, a = World(), np.linspace(0.0, angle, elements + 1)
    nodes = world.add(
        PointSlopeTwist3D,
        position=radius * np.column_stack((np.sin(a), 1.0 - np.cos(a), 0.0 * a)),
        slope=np.column_stack((np.cos(a), np.sin(a), 0.0 * a)),
        normal=(0.0, 0.0, 1.0),
    )
    ends = {"node0": nodes[:-1], "node1": nodes[1:], "length": radius * angle / elements}
    rods = world.add(TwistCable3D, **ends, mass_per_length=1.0, rotary_inertia=0.1, **columns)
    return world, nodes, rods
