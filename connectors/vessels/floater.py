"""Floaters with linear hydrodynamics in the time domain: Cummins' equation.

    (M + M∞) ξ_tt + F_r + D ξ_t + K ξ = f_w(t) + f_0 + forces of other laws
    radiation: F_r = ∫ k(t - τ) ξ_t(τ) dτ,    as states: y_t = P y + Q ξ_t,  F_r = R y,  k(t) = R exp(P t) Q
    excitation: f_w(t) = r(t) Re Σ A X_j exp(iψ)
    buoyancy at rest: f_0 = ρ g V along z

ξ contains the displacements of the node of the body from rest along x, y, z, and the rotations of the body from rest
about these axes. M is the inertia of the body, M∞ the added mass at infinite frequency, D the additional damping, K the
stiffness of buoyancy, and V the volume displaced at rest. In the hydrodynamic terms, the rotations of ξ are 2 (e_1,
e_2, e_3), with the Euler parameters e. Therefore the rotations must be small. The rigid body and all lines are computed
with large rotations. The convolution integral of the radiation is replaced by first-order states. Therefore the tangent
is exact, and checkpoints contain the history of the motion.

The sum in f_w extends over the waves of the fluid. A is the amplitude of a wave. The docstring of vessel.py defines the
phase ψ = ψ_0 at the position of the node at rest, and the start ramp r(t). X_j is the force per wave amplitude, with
the phases and headings of `windlass.connectors.fluids.rao`.

Source: W. E. Cummins, The impulse response function and ship motions, Schiffstechnik 9 (1962) 101-109; T. I. Fossen,
Handbook of Marine Craft Hydrodynamics and Motion Control, Wiley (2011), chapter 5, for the states.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from windlass.connectors.control.generic_ode1 import GenericODE1
from windlass.connectors.control.state_load import StateLoad
from windlass.connectors.fluids.fluid import Fluid, create_flow
from windlass.connectors.fluids.rao import RAO
from windlass.connectors.loads.coordinate_load import CoordinateLoad
from windlass.connectors.markers.coordinate_marker import coordinate_marker
from windlass.connectors.markers.position_markers import find_nodes, merge_handles
from windlass.connectors.vessels.vessel import WaveMotion, create_wave_motion
from windlass.elements.bodies.generic_ode2 import GenericODE2
from windlass.elements.bodies.rigid3d import RigidBody3D
from windlass.elements.nodes.generic_nodes import state_node
from windlass.framework.arrays import FloatArray
from windlass.framework.checks.checks import checked, handle, instance, number, numbers, optional
from windlass.framework.errors import ModelError
from windlass.framework.model.adding import all_or_nothing
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World

NAMES = "x", "y", "z", "e1", "e2", "e3"
FACTORS = np.array([1.0, 1.0, 1.0, 2.0, 2.0, 2.0])
"""Factors that convert displacements of the coordinates `NAMES` to ξ, and forces and torques along ξ to generalised
forces on these coordinates.
"""
ROUGH = 1e-9
"""Largest asymmetry of the added mass, relative to the largest element of this matrix [1], that is treated as a
rounding error.
"""


class Radiation:
    """Retardation functions k(t) = R exp(P t) Q, given by the matrices of n states.

    Args:
        system_matrix: matrix P [1/s], shape (n, n). The real parts of all eigenvalues of P must be < 0.
        rate_matrix: matrix Q [unit of the states per m and per rad], shape (n, 6).
        force_matrix: matrix R for forces along x, y, z and torques [N and N m per unit of the states], shape (6, n).

    Raises:
        ModelError: matrices of different numbers of states, values that are not finite, or states that are not stable.
    """

    @checked(
        system_matrix=numbers("1/s", (None, None)), rate_matrix=numbers("1/m, 1/rad", (None, 6)),
        force_matrix=numbers("N, N m", (6, None)),
    )  # fmt: skip
    def __init__(self, system_matrix: Any, rate_matrix: Any, force_matrix: Any) -> None:
        self.system_matrix: FloatArray = np.array(system_matrix, np.float64)
        self.rate_matrix: FloatArray = np.array(rate_matrix, np.float64)
        self.force_matrix: FloatArray = np.array(force_matrix, np.float64)
        n = len(self.system_matrix)
        for name, shape in (("system_matrix", (n, n)), ("rate_matrix", (n, 6)), ("force_matrix", (6, n))):
            found = getattr(self, name).shape
            if not n or found != shape:
                raise ModelError(f"{name} of Radiation has the shape {found}: must have the shape {shape}, with n > 0")
        largest = float(np.linalg.eigvals(self.system_matrix).real.max())
        if largest >= 0.0:
            raise ModelError(
                f"system_matrix of Radiation has an eigenvalue with the real part {largest:g} 1/s: must be < 0"
            )


class Floater(NamedTuple):
    """The entities that `floater` adds to a body.

    Attributes:
        matrices: the `GenericODE2` that contains added mass, damping and stiffness.
        states: the node of the states of the radiation, or None if no retardation functions are given.
        radiation: the loads of the radiation, or None if no retardation functions are given.
        excitation: the loads of the waves, or None if the fluid has no waves.
    """

    matrices: Entity
    states: Entity | None
    radiation: Entity | None
    excitation: Entity | None


@checked(
    world=instance(World), body=handle(), fluid=handle(), volume=number("m^3", minimum=0.0),
    added_mass=numbers("kg, kg m, kg m^2", (6, 6)), stiffness=numbers("N/m, N, N m", (6, 6)),
    damping=optional(numbers("N s/m, N s, N m s", (6, 6))), radiation=optional(instance(Radiation)),
    excitation=optional(instance(RAO)),
)  # fmt: skip
@all_or_nothing
def floater(
    world: World, body: Entity, fluid: Entity, *, added_mass: Any, stiffness: Any, volume: float,
    damping: Any | None = None, radiation: Radiation | None = None, excitation: RAO | None = None,
) -> Floater:  # fmt: skip
    """Add the linear hydrodynamics of a floater to a rigid body, by Cummins' equation.

    The matrices refer to the node of the body and to the global axes x, y, z, with rotations about these axes. Files of
    radiation programs contain these matrices. The units of the matrices must be SI units.

    Args:
        world: the 3D model.
        body: a `RigidBody3D` without rotation at rest.
        fluid: the water, one `Fluid`. The waves of this fluid excite the floater.
        added_mass: added mass M∞ at infinite frequency [kg, kg m, kg m^2], shape (6, 6).
        stiffness: stiffness K of the buoyancy [N/m, N, N m], shape (6, 6). K must not include the weight, because
            gravity acts on the body. For example K_33 = ρ g A and K_44 = ρ g (I + V z_B). Here A is the area of the
            waterplane, I is the second moment of this area about the x axis, and z_B is the height of the centre of
            buoyancy above the node.
        volume: volume V that the body displaces at rest [m^3]. The centre of this volume is on the z axis of the body.
        damping: additional linear damping D [N s/m, N s, N m s], shape (6, 6). The default is no damping.
        radiation: retardation functions. The default is no radiation.
        excitation: forces [N/m] and torques [N] of waves per wave amplitude, as an `RAO` in the order x, y, z and
            rotations. This argument is required if the fluid has waves.

    Returns:
        The entities that were added to the model.

    Raises:
        ModelError: a body that is not one `RigidBody3D` without rotation, a fluid that is not one `Fluid`, matrices of
            another shape, an added mass that is not symmetric, waves without excitation, or excitation without waves.
    """
    body = merge_handles(body)
    if body.table.component is not RigidBody3D or len(body) != 1:
        raise ModelError(f"body = {body!r} of floater: must be one RigidBody3D")
    if fluid.table.component is not Fluid or len(fluid) != 1:
        raise ModelError(f"fluid = {fluid!r} of floater: must be one Fluid")
    node = find_nodes(world, body)
    rest = node.table.collect("euler_parameters", node.rows)[0]
    if not np.allclose(rest, (1.0, 0.0, 0.0, 0.0), atol=1e-12):
        raise ModelError(f"euler_parameters = {rest.tolist()} of {body!r} in floater: must be (1, 0, 0, 0) at rest")
    M, K = np.asarray(added_mass, np.float64), np.asarray(stiffness, np.float64)
    D = np.zeros((6, 6)) if damping is None else np.asarray(damping, np.float64)
    if np.abs(M - M.T).max() > ROUGH * np.abs(M).max():
        raise ModelError("added_mass of floater is not symmetric: must be symmetric [kg, kg m, kg m^2]")
    T = np.zeros((6, 7))
    T[np.arange(6), (0, 1, 2, 4, 5, 6)] = FACTORS
    density, gravity = (float(fluid.table.collect(name, fluid.rows)[0]) for name in ("density", "gravity"))
    lift = np.zeros(7)
    lift[2] = density * gravity * volume
    matrices = world.add(
        GenericODE2, name="hydrodynamics", nodes=[node], mass=T.T @ (0.5 * (M + M.T)) @ T, damping=T.T @ D @ T,
        stiffness=T.T @ K @ T, force=lift,
    )  # fmt: skip
    coordinates = [coordinate_marker(world, body, name) for name in NAMES]
    states, loads = (None, None) if radiation is None else _add_radiation(world, coordinates, radiation)
    return Floater(matrices, states, loads, _add_excitation(world, body, fluid, coordinates, excitation))


def _add_radiation(world: World, coordinates: list[Entity], radiation: Radiation) -> tuple[Entity, Entity]:
    """Add the states of the radiation, and the loads of the radiation on the coordinates of the body."""
    n, R = len(radiation.system_matrix), radiation.force_matrix
    states = world.add(state_node(n), name="radiation")
    world.add(
        GenericODE1,
        node=states,
        inputs=coordinates,
        system_matrix=radiation.system_matrix,
        rate_matrix=radiation.rate_matrix * FACTORS,
    )
    # the rate u_t of a marker on a state is the value of the state
    values = [coordinate_marker(world, states, f"y{k}") for k in range(n)]
    loads = [
        world.add(StateLoad, marker=coordinates[j], inputs=values, rate_gains=-FACTORS[j] * R[j]) for j in range(6)
    ]
    return states, merge_handles(loads)


def _add_excitation(
    world: World, body: Entity, fluid: Entity, coordinates: list[Entity], excitation: RAO | None
) -> Entity | None:
    """Add the loads of the waves of the fluid on the coordinates of the body. Return None if the fluid has no waves."""
    waves = len(create_flow(fluid.table, int(fluid.rows[0]), 2, np.zeros(0, np.int64)).waves) > 0
    if waves != (excitation is not None):
        raise ModelError(
            f"excitation of floater is {'missing' if waves else 'given'}: must be "
            f"{'given, because the fluid has' if waves else 'left out, because the fluid has no'} waves"
        )
    if excitation is None:
        return None
    node = find_nodes(world, body)
    place = node.table.collect("position", node.rows)[0]
    motion = create_wave_motion(fluid, excitation, place, 0.0)
    return merge_handles(
        [
            world.add(CoordinateLoad, marker=coordinates[j], function=_force_of(motion, j, float(FACTORS[j])))
            for j in range(6)
        ]
    )


def _force_of(motion: WaveMotion, j: int, factor: float) -> Callable[[float], float]:
    """Return the force of the waves along coordinate j of ξ, multiplied by ``factor``, as a function of time."""

    def force(t: float) -> float:
        return float(factor * motion.eval_freedoms(t)[0][j])

    return force
