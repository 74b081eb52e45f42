"""Vessels whose motion in waves is prescribed by response amplitude operators (RAO).

    displacement along the axes of the vessel at rest, and rotation vector: X_j = r(t) Re Σ a H_j exp(iψ_0),
    ψ_0 = k (x_0 cos θ + y_0 sin θ) - ω t + φ
    position: R = (x_0, y_0, z_0) + A_0 (X_1, X_2, X_3)
    rotation: A = A_0 exp((X_4, X_5, X_6)~)
    fairlead at b: p = R + A b

The sum extends over the waves of the fluid, with amplitude a, wave number k, direction θ, frequency ω and phase φ. H_j
are the responses of `windlass.connectors.fluids.rao`, and (x_0, y_0, z_0) is the position of the vessel at rest. A_0 is
the rotation by the heading of the vessel about z, and r(t) is the start ramp of the waves (`Fluid.wave_growth`). The
symbol (...)~ denotes the matrix of the cross product with a vector. The waves are evaluated at the position of the
vessel at rest, not at its current position.

Source: J. N. Newman, Marine Hydrodynamics, MIT Press (1977), section 6.19.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.constraints.supports import prescribe
from windlass.connectors.fluids.flow import step_up
from windlass.connectors.fluids.fluid import Fluid, create_flow
from windlass.connectors.fluids.rao import RAO
from windlass.elements.bodies.rigid3d import RigidBody3D
from windlass.framework.arrays import FloatArray
from windlass.framework.checks.checks import checked, handle, instance, number, numbers, word
from windlass.framework.errors import ModelError
from windlass.framework.model.adding import all_or_nothing
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World

SMALL = 1e-6
"""Rotation [rad]. At smaller rotations, sin(θ/2)/θ is replaced by its series."""


class WaveMotion:
    """Responses of six degrees of freedom to waves, as functions of time: motions or forces.

    Args:
        frequencies: angular frequencies ω of the waves [rad/s], shape (m,).
        responses: complex amplitudes of the responses at t = 0, shape (m, 6).
        growth: duration of the start ramp [s]. The value 0 means that there is no ramp.
    """

    def __init__(self, frequencies: FloatArray, responses: NDArray[np.complex128], growth: float) -> None:
        self._omega, self._responses, self._growth = frequencies, responses, growth
        self._last: tuple[float, FloatArray, FloatArray] | None = None

    def eval_freedoms(self, t: float) -> tuple[FloatArray, FloatArray]:
        """Return the responses in the order surge, sway, heave, roll, pitch, yaw, and their time derivatives, shape
        (6,) each."""
        if self._last is not None and self._last[0] == t:
            return self._last[1], self._last[2]
        turning = self._responses * np.exp(-1j * self._omega * t)[:, None]
        X = turning.sum(axis=0).real
        rate = (-1j * self._omega[:, None] * turning).sum(axis=0).real
        if self._growth > 0.0:
            r, slope = step_up(t / self._growth)
            X, rate = r * X, r * rate + slope / self._growth * X
        self._last = t, X, rate
        return X, rate


def create_wave_motion(fluid: Entity, rao: RAO, position: FloatArray, heading: float) -> WaveMotion:
    """Create the responses of a vessel at rest at ``position`` [m], shape (3,), with the given heading [rad], to the
    waves of a fluid.

    Raises:
        ModelError: a wave whose heading is not in the table of the operators.
    """
    flow = create_flow(fluid.table, int(fluid.rows[0]), 2, np.zeros(0, np.int64))
    names = "amplitude", "frequency", "number", "along", "across", "phase"
    amplitude, omega, k, along, across, phase = (flow.waves[name] for name in names)
    psi = k * (position[0] * along + position[1] * across) + phase
    responses = rao.eval_response(omega, np.arctan2(across, along) - heading)
    return WaveMotion(omega, responses * (amplitude * np.exp(1j * psi))[:, None], float(flow.fluid["wave_growth"][0]))


class VesselMotion:
    """The motion of a vessel as a function of time.

    Args:
        freedoms: surge, sway, heave [m], roll, pitch and yaw [rad] as functions of time.
        position: position at rest [m], shape (3,).
        heading: rotation about z at rest [rad].
    """

    def __init__(self, freedoms: WaveMotion, position: FloatArray, heading: float) -> None:
        self.eval_freedoms = freedoms.eval_freedoms
        self._position, self._cos, self._sin = position, float(np.cos(heading)), float(np.sin(heading))
        half = 0.5 * heading
        # matrix that multiplies another quaternion by the quaternion of the heading
        self._product = np.cos(half) * np.eye(4)
        self._product[(1, 2, 3, 0), (2, 1, 0, 3)] = np.sin(half) * np.array((-1.0, 1.0, 1.0, -1.0))
        self._known: tuple[float, FloatArray, FloatArray] | None = None

    def eval_coordinates(self, t: float) -> tuple[FloatArray, FloatArray]:
        """Return position [m] and Euler parameters, and their time derivatives, shape (7,) each."""
        if self._known is not None and self._known[0] == t:
            return self._known[1], self._known[2]
        X, rate = self.eval_freedoms(t)
        turn = np.array([[self._cos, -self._sin, 0.0], [self._sin, self._cos, 0.0], [0.0, 0.0, 1.0]])
        w, wt = X[3:], rate[3:]
        angle = float(np.linalg.norm(w))
        # f = sin(θ/2)/θ and change = (df/dθ)/θ, with the angle θ of the rotation
        if angle > SMALL:
            f = np.sin(0.5 * angle) / angle
            change = (0.5 * np.cos(0.5 * angle) - f) / angle**2
        else:
            f, change = 0.5, -1.0 / 24.0
        e = np.array((np.cos(0.5 * angle), *(f * w)))
        et = np.array((-0.5 * f * (w @ wt), *(f * wt + change * (w @ wt) * w)))
        q = np.concatenate((self._position + turn @ X[:3], self._product @ e))
        v = np.concatenate((turn @ rate[:3], self._product @ et))
        self._known = t, q, v
        return q, v


class Vessel(NamedTuple):
    """A vessel with prescribed motion.

    Attributes:
        body: the body that moves, for `position_marker` and `rigid_marker`. Its mass is 1 kg.
        supports: the constraints that move the body.
        motion: motion of the body as a function of time.
    """

    body: Entity
    supports: Entity
    motion: VesselMotion


@checked(
    world=instance(World), fluid=handle(), rao=instance(RAO), position=numbers("m", (3,)), heading=number("rad"),
    name=word(),
)  # fmt: skip
@all_or_nothing
def vessel(
    world: World, fluid: Entity, rao: RAO, position: Any = (0.0, 0.0, 0.0), heading: float = 0.0, name: str = "vessel"
) -> Vessel:
    """Create a vessel whose motion in the waves of a fluid is prescribed by response amplitude operators.

    Fairleads are points of the body: ``con.position_marker(world, ship.body, (40.0, 0.0, 5.0))``. Ends of lines can be
        joined to these points by `SphericalJoint`. Forces of lines on the body do not change its prescribed motion.

    Args:
        world: the 3D model.
        fluid: the water with waves, one `Fluid`.
        rao: response amplitude operators, see `read_rao`.
        position: position at rest of the reference point of the operators [m], shape (3,).
        heading: rotation of the vessel about z at rest, from x towards y [rad].
        name: name of the body.

    Returns:
        The `Vessel`, which contains the body, the constraints that move the body, and the motion.

    Raises:
        ModelError: a handle that is not one `Fluid`, a fluid without waves, or a wave whose heading is not in the table
            of the operators.
    """
    if fluid.table.component is not Fluid or len(fluid) != 1:
        raise ModelError(f"fluid = {fluid!r} of vessel: must be one Fluid")
    if not len(create_flow(fluid.table, int(fluid.rows[0]), 2, np.zeros(0, np.int64)).waves):
        raise ModelError(f"fluid = {fluid!r} of vessel has no waves: must have waves, which move the vessel")
    place = np.asarray(position, np.float64)
    motion = VesselMotion(create_wave_motion(fluid, rao, place, heading), place, heading)
    rest = np.array((np.cos(0.5 * heading), 0.0, 0.0, np.sin(0.5 * heading)))
    body = world.add(RigidBody3D, name=name, position=place, euler_parameters=rest, mass=1.0, inertia=1.0)
    largest = int(np.abs(rest).argmax())
    reference = np.concatenate((place, rest))
    moved = [n for n in range(7) if n != 3 + largest]
    supports = [
        prescribe(world, body, ("x", "y", "z", "e0", "e1", "e2", "e3")[n], *_functions_of(motion, n, reference[n]))
        for n in moved
    ]
    return Vessel(body, Entity(supports[0].table, np.concatenate([support.rows for support in supports])), motion)


def _functions_of(
    motion: VesselMotion, n: int, reference: float
) -> tuple[Callable[[float], float], Callable[[float], float]]:
    """Return two functions of time: the displacement of coordinate n from its reference, and the rate of this
    displacement.
    """

    def displacement(t: float) -> float:
        return float(motion.eval_coordinates(t)[0][n] - reference)

    def rate(t: float) -> float:
        return float(motion.eval_coordinates(t)[1][n])

    return displacement, rate
