"""Machines of belt drives: crankshafts with engine orders, torsional dampers, and machines that load a pulley with a
torque. The torque is given as a function of the speed.

The speed of the crank of an engine is

    omega(t) = s(t) Omega (1 + sum a_k sin(k Omega t + p_k)).

During the start, s = (1 - cos(pi t/rise))/2 for t < rise. Afterwards s = 1. The order k has the amplitude a_k, relative
to the mean speed Omega, and the phase p_k. For a four-stroke engine with four cylinders, k = 2 is the firing order.

The torque M(|omega|) of a machine acts against the motion. M is interpolated linearly between the points of a curve
over the speed, and is constant below the first and above the last point. Near standstill the torque increases from 0.

A torsional damper is a ring with the inertia J_r on a hub. A spring with the stiffness k = J_r (2 pi f)² and a damper
with the coefficient c = 2 zeta J_r 2 pi f connect the ring to the hub. Here f is the natural frequency of the ring on a
fixed hub. Let J be the inertia of the hub, and K the stiffness of the shaft that carries the hub. Under a torque M
sin(Omega t) on the hub, the amplitude of the hub has a maximum over Omega. With mu = J_r/J the smallest possible value
of this maximum is sqrt(1 + 2/mu) M/K, for

    2 pi f = sqrt(K/J)/(1 + mu),    zeta = sqrt(3 mu/(8 (1 + mu)))

Source: J. P. Den Hartog, Mechanical Vibrations, McGraw-Hill (1956), chapter 3.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import cos, pi, sin
from typing import Any

import numpy as np

from windlass.connectors.constraints.coordinate_constraint import CoordinateConstraint
from windlass.connectors.control.state_load import StateLoad
from windlass.connectors.markers.coordinate_marker import coordinate_marker
from windlass.connectors.springs.coordinate_spring_damper import CoordinateSpringDamper
from windlass.elements.bodies.rigid2d import RigidBody2D
from windlass.framework.arrays import FloatArray
from windlass.framework.checks.checks import checked, handle, instance, number, numbers, that, word
from windlass.framework.checks.values import show
from windlass.framework.errors import ModelError
from windlass.framework.model.adding import all_or_nothing
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World

ORDERS = that(
    lambda given: isinstance(given, Mapping) and all(isinstance(k, int | float) and k > 0.0 for k in given),
    "amplitudes [1], or (amplitude [1], phase [rad]), by order",
)


@checked(speed=number("rad/s"), orders=ORDERS, rise=number("s", minimum=0.0))
def engine_speed(
    speed: float, orders: Mapping[float, float | Sequence[float]], rise: float = 0.0
) -> Callable[[float], float]:
    """Return a function of the time [s] that returns the speed of a crankshaft [rad/s], for `prescribe_velocity`.

    Args:
        speed: mean speed [rad/s], with the sign of the rotation.
        orders: dictionary from engine orders to amplitudes relative to the mean speed [1], for example ``{2: 0.03, 4:
            0.01}``, or to pairs of amplitude and phase [rad].
        rise: duration of the start from standstill [s].

    Raises:
        ModelError: an amplitude or a phase is not a finite number.
    """
    parts = []
    for order, given in orders.items():
        both = np.atleast_1d(np.asarray(given, np.float64))
        if both.shape not in ((1,), (2,)) or not np.isfinite(both).all():
            must = "must be an amplitude [1], or an amplitude and a phase [rad]"
            raise ModelError(f"orders[{order:g}] = {show(given)} in engine_speed: {must}")
        parts.append((float(order), float(both[0]), float(both[1]) if len(both) == 2 else 0.0))

    def omega(t: float) -> float:
        x = min(max(t / rise, 0.0), 1.0) if rise > 0.0 else 1.0
        swing = sum(a * sin(order * abs(speed) * t + phase) for order, a, phase in parts)
        return 0.5 * speed * (1.0 - cos(pi * x)) * (1.0 + swing)

    return omega


CURVE = numbers("", (None,))


@checked(
    world=instance(World),
    body=handle(),
    speeds=CURVE,
    torques=CURVE,
    standstill=number("rad/s", above=0.0),
    name=word(),
)
def characteristic_load(
    world: World, body: Entity, speeds: Any, torques: Any, standstill: float = 1.0, name: str = "load"
) -> Entity:
    """Add the load of a machine to a 2D body: a torque against the rotation of the body, given by a curve over the
    speed.

    Args:
        world: model to which the entities are added.
        body: the body on which the torque acts, such as a pulley.
        speeds: two or more speeds >= 0 [rad/s] in ascending order, shape (k,).
        torques: torque at each speed [N m], shape (k,). A positive torque brakes.
        standstill: speed [rad/s]. Below this speed the torque of the curve is multiplied by a factor. The factor
            increases from 0 at the speed 0 to 1 at this speed, as a quarter of a period of a sine.
        name: name for messages, the energy ledger and the report.

    Raises:
        ModelError: there are fewer than two speeds, the speeds do not increase or are negative, or the arrays have
            different shapes.
    """
    x, y = np.asarray(speeds, np.float64), np.asarray(torques, np.float64)
    if len(x) < 2 or x[0] < 0.0 or not (np.diff(x) > 0.0).all():
        raise ModelError(
            f"speeds = {show(speeds)} rad/s in characteristic_load: must be at least two increasing numbers >= 0"
        )
    if len(y) != len(x):
        raise ModelError(f"torques = {show(torques)} N m in characteristic_load: must be {len(x)}, one for each speed")
    slopes = np.diff(y) / np.diff(x)

    def torque(t: float, u: FloatArray, u_t: FloatArray) -> float:
        size = abs(float(u_t[0]))
        share = sin(0.5 * pi * size / standstill) if size < standstill else 1.0
        return -float(np.sign(u_t[0])) * share * float(np.interp(size, x, y))

    def derivative(t: float, u: FloatArray, u_t: FloatArray) -> tuple[FloatArray, FloatArray]:
        size = abs(float(u_t[0]))
        slope = float(slopes[min(int(np.searchsorted(x, size, "right")) - 1, len(slopes) - 1)])
        slope = slope if x[0] <= size < x[-1] else 0.0
        if size < standstill:
            turn = 0.5 * pi / standstill
            slope = sin(turn * size) * slope + turn * cos(turn * size) * float(np.interp(size, x, y))
        return np.zeros(1), np.array([-slope])

    spin = coordinate_marker(world, body, "rotation")
    return world.add(StateLoad, name=name, marker=spin, inputs=spin, load_function=torque, load_derivative=derivative)


@checked(
    world=instance(World),
    body=handle(),
    inertia=number("kg m^2", above=0.0),
    frequency=number("Hz", above=0.0),
    damping_ratio=number("1", minimum=0.0),
    mass=number("kg", minimum=0.0),
    name=word(),
)
@all_or_nothing
def torsional_damper(
    world: World, body: Entity, inertia: float, frequency: float, damping_ratio: float, mass: float = 0.0,
    name: str = "damper ring",
) -> Entity:  # fmt: skip
    """Add the ring of a torsional damper to a 2D body. The ring has the same centre as the body and can rotate relative
    to the body.

    Args:
        world: model to which the entities are added.
        body: the hub, such as the pulley of a crankshaft.
        inertia: inertia of the ring [kg m^2].
        frequency: natural frequency of the ring on a fixed hub [Hz].
        damping_ratio: damping ratio c/(2 J_r 2 pi f) of the rubber [1], with the damping c, the inertia J_r and the
            natural frequency f of the ring.
        mass: mass of the ring [kg]. Use 0 if the mass of the hub includes the ring.
        name: name for messages and output.

    Returns:
        Handle to the ring, a `RigidBody2D`.

    Raises:
        ModelError: the body has no rotation, or is 3D.
    """
    hub = {c: coordinate_marker(world, body, c) for c in ("x", "y", "rotation")}
    # the ring starts with the position and velocity of the hub
    node: Any = world.entity(int(body.node)) if "node" in body.table.component.refs else body
    start: dict[str, Any] = {
        column: np.ravel(getattr(node, column)) for column in ("position", "displacement", "velocity")
    }
    ring = world.add(RigidBody2D, name=name, angle=float(node.angle), mass=mass, inertia=inertia, **start)
    own = {c: coordinate_marker(world, ring, c) for c in ("x", "y", "rotation")}
    for c in ("x", "y"):
        world.add(CoordinateConstraint, marker0=hub[c], marker1=own[c])
    omega = 2.0 * pi * frequency
    world.add(
        CoordinateSpringDamper, name=name, marker0=hub["rotation"], marker1=own["rotation"],
        stiffness=inertia * omega**2, damping=2.0 * damping_ratio * inertia * omega,
    )  # fmt: skip
    return ring
