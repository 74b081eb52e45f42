"""A mass is dropped on a stop. The example checks time and speed of the impact, and energy and speed of the rebound.

The command ``windlass run examples/dropped_mass.py`` runs the example. The option ``-help`` lists all options.

The mass falls from the height h on a `ContactCoordinate`. The contact is a spring k with a damper d, which act while
the gap is closed. Steps are adaptive. A step in which the contact closes or opens is repeated with smaller sizes. The
repeated steps end at the instant of contact, within the tolerance of the discontinuous iteration. Therefore the impact
occurs at sqrt(2 h / g) with the speed sqrt(2 g h), independent of the nominal step.

During contact the mass is a damped oscillator that starts at y = 0 with the speed -v0:

    y(t) = e^(-z w t) (A cos(wd t) + B sin(wd t)) - m g / k,    A = m g / k,  B = (z w A - v0) / wd
    w = sqrt(k / m),  z = d / (2 sqrt(k m)),  wd = w sqrt(1 - z^2)

The mass leaves the stop when y is 0 for the first time after the impact, because the contact opens at this
displacement. The force vanishes at an earlier time, because the damper pulls before the mass leaves. The ratio e of the
speeds after and before the contact follows from the time of this zero of y. For m g / k -> 0, that is g / (w v0) -> 0,
the contact lasts exactly half a period, and e = exp(-pi z / sqrt(1 - z^2)). The table also shows this closed form
without gravity. Without damping, e = 1 with and without gravity, and the energy is conserved.
"""

from math import cos, exp, pi, sin, sqrt
from typing import Any

import numpy as np
from scipy.optimize import brentq

import windlass as wl
from windlass import connectors as con
from windlass.elements import MassPoint

height = wl.option("height", 0.5, "m", "height from which the mass falls", minimum=1e-6)
ratio = wl.option("damping_ratio", 0.1, "1", "damping ratio of the contact in the second run, < 1", minimum=0.0)
step = wl.option("step", 1e-4, "s", "largest step", minimum=1e-9)
MASS, STIFFNESS, GRAVITY = 1.0, 1e5, 9.81  # mass [kg], stiffness [N/m], gravity [m/s^2]
IMPACT_TIME, IMPACT_SPEED = sqrt(2 * height / GRAVITY), sqrt(2 * GRAVITY * height)  # [s], [m/s]
OMEGA = sqrt(STIFFNESS / MASS)  # angular frequency [rad/s]


def eval_rebound_speed(z: float) -> float:
    """Return the speed [m/s] with which the mass leaves the contact, for the damping ratio z < 1."""
    wd, A = OMEGA * sqrt(1 - z**2), MASS * GRAVITY / STIFFNESS
    B = (z * OMEGA * A - IMPACT_SPEED) / wd

    def y(t: float) -> float:
        return exp(-z * OMEGA * t) * (A * cos(wd * t) + B * sin(wd * t)) - A

    # the mass is at its lowest position about a quarter of a period after the impact; after 3/4 of a period the mass is
    # above the rest length of the spring
    t = float(brentq(y, 0.25 * pi / wd, 1.75 * pi / wd, xtol=1e-16))
    swing = (B * wd - A * z * OMEGA) * cos(wd * t) - (A * wd + B * z * OMEGA) * sin(wd * t)
    return exp(-z * OMEGA * t) * swing


def drop(z: float) -> dict[str, float]:
    """Let the mass fall and rebound, and return times, speeds and energy; z is the damping ratio of the contact."""
    world = wl.World(gravity=(0.0, -GRAVITY))
    point = world.add(MassPoint, name="mass", position=(0.0, height), mass=MASS)
    con.fix(world, point, "x")
    # a displacement of -height closes the gap
    damping = 2 * z * sqrt(STIFFNESS * MASS)
    fall = con.coordinate_marker(world, point, "y")
    stop = world.add(
        con.ContactCoordinate,
        marker1=fall,
        offset=-height,
        contact_stiffness=STIFFNESS,
        contact_damping=damping,
    )
    outputs = [wl.Sensor(point, "position", 1, "y"), wl.Sensor(point, "velocity", 1, "v"), wl.Sensor(stop, "force")]
    sensors = wl.Sensors(None, outputs)
    settings: dict[str, Any] = {
        "method": "trapezoidal_index2",
        "passes": wl.Passes(atol=1e-6),
        "control": wl.StepControl(smallest=1e-12),
    }
    motion = wl.Dynamic(world, step=step, end=IMPACT_TIME + 2.5 * pi / OMEGA, name=f"damping ratio {z:g}", **settings)
    motion.solve(hooks=[sensors])
    if wl.help_requested():
        return {}

    t, y, v = sensors.times, sensors["y"], sensors["v"]
    touch = int(np.flatnonzero(t > 0.5 * IMPACT_TIME)[np.abs(y[t > 0.5 * IMPACT_TIME]).argmin()])
    leave = touch + 1 + int(np.flatnonzero((y[touch + 1 :] > -1e-10) & (v[touch + 1 :] > 0.0))[0])
    energy = 0.5 * MASS * v**2 + MASS * GRAVITY * y
    return {
        "impact_time": float(t[touch]),
        "impact_speed": float(-v[touch]),
        "rebound_speed": float(v[leave]),
        "rebound_energy": float(energy[-1]),
        "contact_time": float(t[leave] - t[touch]),
        "cut_steps": float(motion.statistics.rejected),
    }


elastic, damped = drop(0.0), drop(ratio)
if not wl.help_requested():
    wl.write_summary({"elastic": elastic, "damped": damped, "rebound_speed_exact": eval_rebound_speed(ratio)})
    e = eval_rebound_speed(ratio) / IMPACT_SPEED
    energy = MASS * GRAVITY * height
    half_wave = exp(-pi * ratio / sqrt(1 - ratio**2))
    rows = [
        ("time of the impact [s]", elastic["impact_time"], IMPACT_TIME),
        ("speed of the impact [m/s]", elastic["impact_speed"], IMPACT_SPEED),
        ("energy after the rebound, without damping [J]", elastic["rebound_energy"], energy),
        ("speed of the rebound / impact, without damping [1]", elastic["rebound_speed"] / IMPACT_SPEED, 1.0),
        ("energy after the rebound, damped [J]", damped["rebound_energy"], energy * e**2),
        ("speed of the rebound / impact, damped [1]", damped["rebound_speed"] / IMPACT_SPEED, e),
        ("the same against the half wave without gravity [1]", damped["rebound_speed"] / IMPACT_SPEED, half_wave),
    ]
    if wl.is_first_process():
        print(wl.format_comparison(rows, "exact"))
