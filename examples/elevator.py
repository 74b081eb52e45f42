"""The brake of a traction elevator decelerates the sheave so fast that the rope slips in the V-grooves of the sheave.
The slip is compared with the theory of Euler and Eytelwein.

The command ``windlass run examples/elevator.py`` runs the example. The option ``-help`` lists all options.

A rope runs from the counterweight over the traction sheave to the cabin, which is heavier and descends with the speed
v. Guide rails hold both masses laterally. In an emergency stop the brake slows the sheave down, with a deceleration
that first increases linearly and is then constant. With the half angle beta of the groove the apparent friction is f =
mu/sin(beta). While the rope has the deceleration a, the masses on both sides determine the tensions at the sheave. If
the rope slips along the whole contact, friction and the centrifugal force, inertia and weight of the rope on the sheave
determine the ratio of these tensions:

    T1 = (m1 + rho l1) (g + a),   T2 = (m2 + rho l2) (g - a),   T1 - c - w = exp(f pi) (T2 - c + w),
    c = rho v² + rho R a/f,   w = 2 f rho g R/(1 + f²)

The third equation is the solution of dT/dtheta = f T + rho g R (cos theta + f sin theta) - rho a R - f rho v² over the
half turn.

The indices 1 and 2 denote the sides of the cabin and of the counterweight. The symbol m denotes the masses of cabin and
counterweight, l the lengths of the strands, and rho the mass per length of the rope. R is the radius of the rope's axis
on the sheave, and g is gravity. The solution a of these equations is the largest deceleration that the sheave can
transmit, a_c(l1, v). The rope follows the sheave until the deceleration of the sheave exceeds a_c. From that time on
the rope decelerates with a_c, even after the sheave has stopped. The motion with a_c is described by an ordinary
differential equation for the displacement of the rope. The example runs three stops. In the first two stops, the
deceleration of the sheave is slightly below and slightly above the first a_c. In the third stop, the deceleration is
the value of the option ``-brake``. The slip of the rope in each stop is compared with the differential equation twice.
The first comparison begins at the start of the stop. The second comparison begins shortly after the increase of the
deceleration, with the displacement and speed that the masses have at this time. In the first comparison, the slip
differs from the theory by some millimetres, because rope and bristles deform before the whole contact slips. In the
second comparison, this deformation has no effect.

Source: L. Euler, Mem. Acad. Sci. Berlin 18 (1769); apparent friction of V-grooves as in EN 81-50.
"""

from math import exp, pi, sin
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import windlass as wl
from windlass import connectors as con
from windlass.elements import MassPoint, RigidBody2D, Sheave, cable_along, nodes_of, route_over_sheaves

speed = wl.option("speed", 1.5, "m/s", "of the cabin before the stop, downwards", minimum=0.1)
brake = wl.option("brake", 4.0, "m/s^2", "deceleration of the sheave's rim", minimum=0.1)
friction = wl.option("friction", 0.1, "1", "friction coefficient in the groove", minimum=0.01)
groove = wl.option("groove", 0.35, "rad", "half angle of the groove", minimum=0.1)
size = wl.option("size", 0.05, "m", "length of an element", minimum=0.01)
stops = wl.option("stops", 3, "1", "3: all stops, 1: the stop of -brake alone", minimum=1)
output = wl.option("output", "elevator_out", "", "folder for results; 'none' writes no files")
folder = None if output == "none" or wl.help_requested() else wl.create_output_folder(output)

# gravity [m/s^2], radii [m] of the rope's axis on the sheave and of the rope
G, RADIUS, ROPE = 9.81, 0.25, 0.005
CABIN, WEIGHT, DENSITY, EA = 120.0, 80.0, 0.4, 2e6  # masses [kg]; mass per length [kg/m] and EA [N] of the rope
CONTACT = 1e8  # stiffness [N/m^2] of contact and bristles
RISE, STEP, REST = 0.2, 1e-3, 0.1  # rise time [s] of the deceleration, step size [s], time [s] after the stop
LATER = 0.25  # time [s] at which the whole contact already slips
SHORT = 0.5  # length [m] of the cabin's strand at the start
FRICTION = friction / sin(groove)


class Brake:
    """Displacement and speed of the rim of the sheave. The deceleration increases linearly to ``rate`` [m/s^2], and is
    then constant.
    """

    def __init__(self, rate: float) -> None:
        self.rate = rate
        self.end = speed / rate + 0.5 * RISE  # time [s] at which the sheave stops
        if self.end < RISE:
            raise SystemExit(f"brake = {rate:g} m/s^2 stops the sheave within {RISE} s: must be < {speed / RISE:g}")

    def deceleration(self, t: float) -> float:
        """Return the deceleration [m/s^2] of the rim before it stops."""
        return self.rate * min(t / RISE, 1.0)

    def speed(self, t: float) -> float:
        """Return the speed [m/s] of the rim."""
        return speed - 0.5 * self.rate * t**2 / RISE if t < RISE else max(self.rate * (self.end - t), 0.0)

    def way(self, t: float) -> float:
        """Return the displacement [m] of the rim since the start of the stop."""
        if t < RISE:
            return speed * t - self.rate * t**3 / RISE / 6.0
        rest = 0.5 * self.rate * (self.end - RISE) ** 2
        return speed * RISE - self.rate * RISE**2 / 6.0 + rest - 0.5 * self.rate * max(self.end - t, 0.0) ** 2


def eval_deceleration(way: float, v: float, other: float) -> float:
    """Return the deceleration [m/s^2] of a rope that slips along its whole contact. ``way`` is the displacement [m] of
    the rope since the start of the stop, v its speed [m/s], and ``other`` the initial length [m] of the counterweight's
    strand.
    """
    m1, m2 = CABIN + DENSITY * (SHORT + way), WEIGHT + DENSITY * (other - way)
    ratio = exp(FRICTION * pi)
    weight = 2.0 * FRICTION * DENSITY * G * RADIUS / (1.0 + FRICTION**2)
    pull = (ratio * m2 - m1) * G - (ratio - 1.0) * DENSITY * v * v + (ratio + 1.0) * weight
    return pull / (m1 + ratio * m2 + (ratio - 1.0) * DENSITY * RADIUS / FRICTION)


class Slip(NamedTuple):
    """Motion of the rope in a stop: time [s] at which the rope stops, slip [m], deceleration [m/s^2] at the start of
    slip.
    """

    end: float
    way: float
    deceleration: float


def integrate(rim: Brake, other: float, moving: tuple[float, float] | None = None) -> Slip:
    """Return the motion of the rope by the ordinary differential equation of the stop, for a rope that follows the
    sheave or slips along its whole contact.

    ``moving`` contains the displacement [m] and the speed [m/s] of the rope at the time LATER, from which the slip is
    then computed. Without ``moving``, the rope follows the sheave from the start of the stop.
    """

    def spare(t: float) -> float:
        return eval_deceleration(rim.way(t), rim.speed(t), other) - rim.deceleration(t)

    def stand(t: float, y: NDArray[np.float64]) -> float:
        return float(y[1])

    if spare(rim.end) > 0.0:
        return Slip(rim.end, 0.0, np.nan)
    begin = LATER if moving else float(brentq(spare, 0.0, rim.end))
    stand.terminal = True  # type: ignore[attr-defined]
    found = solve_ivp(
        lambda t, y: [y[1], -eval_deceleration(y[0], y[1], other)], (begin, 100.0),
        moving or (rim.way(begin), rim.speed(begin)), events=stand, rtol=1e-10, atol=1e-12,
    )  # fmt: skip
    end = float(found.t[-1])
    return Slip(end, float(found.y[0, -1]) - rim.way(end), rim.deceleration(begin))


class Elevator(NamedTuple):
    """World, rope, counterweight and cabin, supports of the cabin, contacts, and marker of the sheave."""

    world: wl.World
    rope: wl.Entity
    masses: wl.Entity
    hold: wl.Entity
    contacts: wl.Entity
    marker: wl.Entity


def build(rim: Brake, other: float) -> Elevator:
    """Build a new elevator. ``other`` is the initial length [m] of the counterweight's strand."""
    world = wl.World(gravity=(0.0, -G, 0.0))
    sheaves = [Sheave((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), RADIUS, "right")]
    route = route_over_sheaves(sheaves, start=(-RADIUS, -other, 0.0), end=(RADIUS, -SHORT, 0.0))
    rope = cable_along(
        world, route, round(route.length / size), name="rope", mass_per_length=DENSITY, axial_stiffness=EA,
        bending_stiffness=0.02, axial_damping=1000.0, reference_strain=-WEIGHT * G / EA,
    )  # fmt: skip
    nodes = nodes_of(world, rope)
    ends = nodes[np.array((0, len(nodes) - 1))]
    masses = world.add(MassPoint, name="mass", position=ends.position, mass=np.array([WEIGHT, CABIN]))
    world.add(con.SphericalJoint, marker0=con.position_marker(world, ends), marker1=con.position_marker(world, masses))
    con.fix(world, masses, "x", "z")
    hold = con.fix(world, masses[1], "y")
    sheave = world.add(RigidBody2D, name="sheave", position=(0.0, 0.0), mass=20.0, inertia=1.0)
    con.fix(world, sheave, "x", "y")

    def turn(t: float) -> float:
        return -rim.way(t) / RADIUS

    def turn_rate(t: float) -> float:
        return -rim.speed(t) / RADIUS

    con.prescribe(world, sheave, "rotation", turn, rate=turn_rate)
    marker = con.rigid_marker(world, sheave)
    flanks = con.add_v_groove(
        world, marker, radius=RADIUS - ROPE / sin(groove), half_angle=groove, outer_radius=1.2 * RADIUS
    )
    contacts = con.add_surface_contact(
        world, flanks, rope, points=4, rope_radius=ROPE, contact_stiffness_per_length=CONTACT,
        contact_damping_per_length=1e4, friction_stiffness_per_length=CONTACT,
        friction_velocity_penalty_per_length=2e3,
    )  # fmt: skip
    return Elevator(world, rope, masses, hold, contacts, marker)


def hang(model: Elevator) -> wl.State:
    """Find the equilibrium with friction, and set the initial speed of rope and masses along the rope."""
    world, rope, masses = model.world, model.rope, model.masses
    settings: dict[str, Any] = {"passes": wl.Passes(max_it=40, atol=1e-3), "name": ""}
    # The first solve applies the strain due to the counterweight's tension to the whole rope. In the second solve,
    # friction holds the cabin.
    state = wl.Static(world, load_steps=2, **settings).solve()
    world.set(model.contacts, friction_coefficient=friction)
    world.set(model.hold, active=False)
    state = wl.Static(world, **settings).solve(state)
    nodes = nodes_of(world, rope)
    slope = nodes.slope + state.of(nodes)[:, 3:]
    unit = slope / np.linalg.norm(slope, axis=1)[:, None]
    # the velocities of nodes are r_t = v t and r'_t = v t', with the unit tangent t
    turning = np.gradient(unit, float(rope[0].length), axis=0)
    state.put(nodes, speed * np.hstack((unit, turning)), "v")
    state.put(masses, [(0.0, speed, 0.0), (0.0, -speed, 0.0)], "v")
    return state


class Stop(NamedTuple):
    """Results of a run: slip [m] of the rope, ratio T1/T2 [1] while the rope slips, and theoretical motions from the
    start of braking and from the time LATER.
    """

    slip: float
    ratio: float
    theory: Slip
    later: Slip


def stop(rate: float, other: float, record: bool) -> Stop:
    """Run one emergency stop with the deceleration ``rate`` [m/s^2] of the rim. ``other`` is the initial length [m] of
    the counterweight's strand.
    """
    rim = Brake(rate)
    theory = integrate(rim, other)
    model = build(rim, other)
    begin = state = hang(model)
    settings: dict[str, Any] = {"passes": wl.Passes(max_it=20, atol=1e-3, fail=False)}
    motion = wl.Dynamic(
        model.world, step=STEP, end=theory.end + REST, spectral_radius=0.6, name=f"{rate:.2f} m/s^2", **settings
    )
    hooks = [wl.Recorder(folder / "elevator", every=10)] if record and folder is not None else []
    found, moving = [], (0.0, 0.0)

    def eval_motion(name: str) -> float:
        """Return the displacement [m] (``name`` is "q") or velocity [m/s] ("v") of the rope, positive downward on the
        side of the cabin: the mean of the values of both masses, weighted by mass.
        """
        up = state.of(model.masses, name)[:, 1] - (start if name == "q" else 0.0)
        return float((WEIGHT * up[0] - CABIN * up[1]) / (WEIGHT + CABIN))

    start = state.of(model.masses)[:, 1].copy()
    for state in motion.march(begin, hooks=hooks):
        if moving == (0.0, 0.0) and state.t > LATER - 0.5 * STEP:
            moving = eval_motion("q"), eval_motion("v")
        if LATER < state.t < rim.end and state.step % 10 == 0:
            report = con.surface_report(model.world, state, model.contacts, model.marker)
            found.append(report.exit_tension / report.entry_tension)
    for hook in hooks:
        hook.close()
    slip = eval_motion("q") - rim.way(state.t)
    return Stop(slip, float(np.mean(found)), theory, integrate(rim, other, moving))


def main() -> None:
    """Simulate three stops or one stop, and check the results."""
    # initial length of the counterweight's strand: final length, travel of the sheave's rim, and slip
    reach = SHORT + Brake(brake).way(1e9) + integrate(Brake(brake), SHORT).way
    first = integrate(Brake(brake), reach).deceleration
    rates = [brake]
    if stops > 1 and np.isfinite(first):
        rates = [0.93 * first, 1.07 * first, brake]
        reach = SHORT + max(Brake(r).way(1e9) + integrate(Brake(r), SHORT).way for r in rates)
    if wl.help_requested():
        model = build(Brake(brake), reach)
        wl.Static(model.world, name="")
        wl.Dynamic(model.world, step=STEP, end=1.0, name="")
        return
    found = [stop(rate, reach, record=rate == brake) for rate in rates]
    rows = []
    for rate, run in zip(rates, found, strict=True):
        rows.append((f"braked with {rate:.3f} m/s^2: slip [m]", run.slip, run.theory.way))
        if run.theory.way > 0.0:
            rows.append((f"the same, theory from {LATER} s on", run.slip, run.later.way))
    rows.append(("T1/T2 while it slips [1]", found[-1].ratio, exp(FRICTION * pi)))
    wl.write_summary(
        {"rates": rates, "slips": [run.slip for run in found], "theory": [run.theory.way for run in found],
         "later": [run.later.way for run in found], "limit": first, "tension_ratio": found[-1].ratio,
         "tension_ratio_exact": exp(FRICTION * pi)}
    )  # fmt: skip
    if wl.is_first_process():
        print(f"the rope slips from {first:.3f} m/s^2 on, by Euler and Eytelwein")
        print(wl.format_comparison(rows, "theory"))
    for run in found:
        # before the rope slips, it moves ahead of the sheave by deformation, with less than 1 % of the speed of the
        # sheave
        ahead = 0.01 * speed * run.theory.end
        assert abs(run.slip - run.theory.way) < 0.01 * run.theory.way + ahead, "the rope slips further than in theory"
    assert abs(found[-1].slip / found[-1].later.way - 1.0) < 0.01, "the rope does not slip as in theory"
    assert abs(found[-1].ratio / exp(FRICTION * pi) - 1.0) < 0.01, "the tensions are not Euler's"


if __name__ == "__main__":
    main()
