"""A crane on a ship lowers a load through the splash zone into deep water. The crane tip heaves with the ship, and at
one length of the rope the load resonates.

The command ``windlass run examples/lowering_line.py`` runs the example. The option ``-help`` lists all options. The
command ``windlass show lowering_line_out/lowering.vtkhdf`` shows the rope and the load. The folder
``lowering_line_out`` also contains a picture of tension and length over time.

The rope is a winch rope with cables in reserve (`WinchReserve`). The forces of the water act on the part of the rope
that is outside the winch and below the surface (`WinchFluidLoad`), and on the load, a sphere (`SphereFluidLoad`). The
winch stops twice: at a rope length below and at a rope length above the length of resonance. The model does not include
slamming.

The example compares the tension of the rope in air and in water with the weight. The amplitude of the tension at both
stops is compared with the closed form of a rod with damping and a mass at its end. The tip heaves harmonically with the
amplitude A and the angular frequency ω. The rope has the length l, the axial stiffness EA, the axial damping d and the
mass ρ per length. M is the mass of the load with its added mass. With EA* = EA + i ω d (the complex stiffness), k = ω
sqrt(ρ/EA*) and β = k l, the amplitude of the tension at the tip is

    |A EA* k (EA* k sin β + M ω² cos β)/(EA* k cos β - M ω² sin β)|.

At the second stop, the period of the vertical mode of the load is compared with the closed form of the rod without
damping, cot β = M k/ρ.

In a second model, a winch lowers a chain whose end is anchored on the bed. The chain lands on the bed while it is paid
out. The tension at the touchdown point and the length on the bed are compared with the elastic catenary.

Source: K. F. Graff, Wave Motion in Elastic Solids (1975), section 2, for rods; DNV-RP-N103 (2017), section 5, for
resonance of lifted objects in deep water.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

import windlass as wl
from windlass import connectors as con
from windlass.elements import MassPoint, hang_from_ground

period = wl.option("period", 3.0, "s", "period of the heave and of the waves", minimum=1.0)
amplitude = wl.option("amplitude", 0.1, "m", "amplitude of the heave of the crane tip", minimum=1e-3)
height = wl.option("height", 0.4, "m", "height of the waves", minimum=1e-3)
speed = wl.option("speed", 3.0, "m/s", "mean speed of the winch", minimum=0.1)
wanted = wl.option("wanted", 30.0, "m", "wanted length of the cables", minimum=2.0)
cycles = wl.option("cycles", 16, "1", "periods at each stop, of which the last four are evaluated", minimum=8)
step = wl.option("step", 0.05, "s", "time step", minimum=1e-4)
output = wl.option("output", "lowering_line_out", "", "folder for results; 'none' writes no files")
folder = None if output == "none" or wl.help_requested() else wl.create_output_folder(output)

WATER, GRAVITY = 1025.0, 9.81  # density [kg/m^3] of the water, gravity [m/s^2]
MASS, DIAMETER = 12e3, 2.0  # mass [kg] and diameter [m] of the load
TIP, FIRST = 12.0, 8.0  # height [m] of the crane tip above the water, and initial length [m] of the rope
EA, RHO, DAMPING, ROPE = 1.2e7, 2.8, 1e6, 0.05  # rope: EA [N], mass per length [kg/m], damping [N s], diameter [m]
OMEGA = 2.0 * np.pi / period  # angular frequency [rad/s] of heave
WAIT = 6.0  # time [s] in which heave and waves grow before the winch starts
VOLUME = np.pi / 6.0 * DIAMETER**3  # volume [m^3] of the load
MOVING = MASS + 0.5 * WATER * VOLUME  # mass [kg] of the load, including its added mass


def eval_amplitude(length: float) -> float:
    """Return the closed form of the amplitude [N] of the tension at the crane tip for a given length of the rope."""
    stiffness = EA + 1j * OMEGA * DAMPING
    k = OMEGA * np.sqrt(RHO / stiffness)
    c, s, inertia = np.cos(k * length), np.sin(k * length), MOVING * OMEGA**2
    return float(abs(amplitude * stiffness * k * (stiffness * k * s + inertia * c) / (stiffness * k * c - inertia * s)))


def find_period(length: float) -> float:
    """Return the closed form of the longest period [s] of the load on a rope of a given length, without damping."""

    def miss(k: float) -> float:
        return float(np.cos(k * length) - np.sin(k * length) * MOVING * k / RHO)

    return float(2.0 * np.pi / (brentq(miss, 1e-9 / length, np.pi / length) * np.sqrt(EA / RHO)))


def find_resonance() -> float:
    """Return the length [m] of the rope at which the amplitude of the tension is largest."""
    lengths = np.linspace(FIRST, 3.0 * EA / (MOVING * OMEGA**2), 4000)
    return float(lengths[np.argmax([eval_amplitude(length) for length in lengths])])


class Tension(wl.StepHook):
    """Hook that records length and tension of the rope outside the winch in every step."""

    def __init__(self, rope: con.WinchReserve) -> None:
        self.rope, self.rows = rope, list[tuple[float, float, float]]()

    def after_step(self, state: wl.State) -> None:
        """Record the time [s], the length [m] of the rope and the tension [N] at the crane tip."""
        outside = self.rope.outside
        length = float(np.sum(wl.eval_output(outside, "length", state)))
        tension = float(np.ravel(wl.eval_output(outside[0], "axial_force", state, share=0.0))[0])
        self.rows.append((state.t, length, tension))


def land() -> list[tuple[str, float, float]]:
    """Lower a chain onto a bed with friction. Return names, values and closed forms of the tension [N] at the touchdown
    point and of the length [m] on the bed.
    """
    world, rho, stiff, end, length = wl.World(gravity=(0.0, 0.0, -GRAVITY)), 200.0, 5e8, (150.0, 0.0, 50.0), 165.0
    bed = 3e3 * rho * GRAVITY
    damper = 0.6 * np.sqrt(bed * rho)
    contact = {
        "contact_damping_per_length": damper, "friction_stiffness_per_length": bed,
        "friction_velocity_penalty_per_length": damper,
    }  # fmt: skip
    chain = con.lay_line(
        world, 0.0, (0.0, 0.0), end, length, 80, stiffness=bed, friction=0.6, contact=contact, winch=True,
        mass_per_length=rho, axial_stiffness=stiff, bending_stiffness=10.0, axial_damping=0.01 * stiff, name="chain",
    )  # fmt: skip
    assert chain.rope is not None
    for node in (chain.rope.nodes[0], chain.rope.nodes[-1]):
        con.fix(world, node, "x", "y", "z")
    con.prescribe(world, chain.rope.feed, "s", con.smooth_step(0.0, 40.0, 0.0, 8.0))
    recorders = [wl.Recorder("landing", folder=folder, every=4)] if folder else []
    state = wl.Static(world, time=0.0).solve()
    state = wl.Dynamic(world, step=0.1, end=40.0).solve(state, hooks=recorders)
    state = wl.Static(world, time=40.0).solve(state)
    if wl.help_requested():
        return []
    exact = hang_from_ground((0.0, 0.0, 0.0), end, length + 8.0, stiff, rho, gravity=world.gravity)
    tension, place = (wl.eval_output(chain.cables, name, state) for name in ("axial_force", "position"))
    touchdown = np.argmin(np.abs(place[:, 0] - exact.hanging.start[0]))
    lying = -np.sum(wl.eval_output(chain.contacts, "normal_force", state)) / (rho * GRAVITY)
    return [
        ("chain on the bed: tension at touchdown [N]", float(tension[touchdown]), exact.horizontal_force),
        ("chain on the bed: length on the bed [m]", float(lying), exact.lying),
    ]


def draw(path: Path, rows: NDArray[np.float64], resonance: float) -> None:
    """Draw tension and length over time."""
    from matplotlib import pyplot as plt

    figure, (upper, lower) = plt.subplots(2, 1, sharex=True, figsize=(9.0, 6.0), layout="constrained")
    upper.plot(rows[:, 0], 1e-3 * rows[:, 2], linewidth=0.7)
    upper.set_ylabel("tension at the crane tip [kN]")
    lower.plot(rows[:, 0], rows[:, 1])
    lower.axhline(resonance, color="tab:red", linestyle="--", label="resonance by the closed form")
    lower.axhline(TIP, color="tab:blue", linestyle=":", label="water surface")
    lower.set(xlabel="time [s]", ylabel="length of the rope [m]")
    lower.legend()
    figure.savefig(path, dpi=110)
    plt.close(figure)


def main() -> None:
    """Lower the load, and compare tensions with the closed forms."""
    resonance = find_resonance()
    stops = [0.55 * resonance, 1.6 * resonance]
    world = wl.World(gravity=(0.0, -GRAVITY, 0.0))
    rope = con.WinchReserve(
        world, (0.0, TIP), (0.0, TIP - FIRST), wanted=wanted, longest=1.1 * stops[1], strain=MASS * GRAVITY / EA,
        mass_per_length=RHO, axial_stiffness=EA, bending_stiffness=10.0, axial_damping=DAMPING,
    )  # fmt: skip
    load = world.add(MassPoint, name="load", position=(0.0, TIP - FIRST), mass=MASS)
    ends = [con.position_marker(world, which) for which in (rope.nodes[-1], load)]
    world.add(con.RevoluteJoint2D, marker0=ends[0], marker1=ends[1])
    # the coordinate of the winch is prescribed as the change of the length of the rope since the start
    marks, lengths = [WAIT], [float(rope.feed.reference), *stops]
    for before, after in zip(lengths, stops, strict=False):
        marks += [marks[-1] + (after - before) / speed, marks[-1] + (after - before) / speed + cycles * period]
    parts = [
        con.smooth_step(start, end, 0.0, after - before)
        for start, end, before, after in zip(marks[0::2], marks[1::2], lengths, stops, strict=False)
    ]
    grown = con.smooth_step(0.0, WAIT, 0.0, amplitude)

    def fed(t: float) -> float:
        """Return the change [m] of the length of the rope."""
        return sum(part(t) for part in parts)

    def heave_of_ship(t: float) -> float:
        """Return the vertical displacement [m] of the tip of the crane."""
        return float(grown(t) * np.sin(OMEGA * t))

    con.prescribe(world, rope.feed, "s", fed)
    con.fix(world, rope.nodes[0], "x")
    con.prescribe(world, rope.nodes[0], "y", heave_of_ship)
    waves = con.regular_wave(height, period)
    sea = world.add(con.Fluid, name="sea", density=WATER, transition=0.2, wave_growth=WAIT, **waves)
    # use many integration points, because a long cable crosses the surface
    world.add(con.WinchFluidLoad, name="water on the rope", cable=rope.cables, fluid=sea, diameter=ROPE, points=24)
    world.add(con.SphereFluidLoad, name="water on the load", marker=load, fluid=sea, diameter=DIAMETER)

    tension, ledger = Tension(rope), wl.EnergyLedger()
    recorders = [wl.Recorder("lowering", folder=folder, every=4)] if folder else []
    start = wl.Static(world, time=0.0).solve()
    state = wl.Dynamic(world, step=step, end=marks[-1]).solve(start, hooks=[rope, tension, ledger, *recorders])
    modes = wl.Modes(world, count=20).solve(state)
    landed = land()
    if wl.help_requested():
        return
    rows = np.array(tension.rows)
    found = []
    for last, length in zip(marks[2::2], stops, strict=True):
        late = rows[(rows[:, 0] > last - 4.0 * period) & (rows[:, 0] <= last + 1e-9)]
        t, force = late[:, 0], late[:, 2]
        columns = np.column_stack((np.sin(OMEGA * t), np.cos(OMEGA * t), np.ones_like(t)))
        sine, cosine, mean = np.linalg.lstsq(columns, force, rcond=None)[0]
        weight = (MASS + RHO * length) * GRAVITY
        # the strain of the rope follows from the mean of the tensions at its ends
        load_in_water = (MASS - WATER * VOLUME) * GRAVITY
        stretched = length * (1.0 + (load_in_water + 0.5 * RHO * length * GRAVITY) / EA)
        lift = WATER * GRAVITY * (VOLUME + np.pi * ROPE**2 / 4.0 * (stretched - TIP))
        found.append((f"length {length:.1f} m: mean tension [N]", float(mean), weight - lift))
        found.append((f"length {length:.1f} m: amplitude [N]", float(np.hypot(sine, cosine)), eval_amplitude(length)))
    # the first row is the tension at the start, when heave and waves are still 0
    found.insert(0, ("load in air: tension [N]", float(rows[0, 2]), (MASS + RHO * lengths[0]) * GRAVITY))
    # the vertical mode is the mode in which the load moves most along y
    moved = np.abs(modes.amplitudes([wl.Sensor(load, "displacement", name="load", component=1)])["load"])
    period_of_mode = 2.0 * np.pi / abs(modes.eigenvalues[int(np.argmax(moved))])
    found.append((f"length {stops[1]:.1f} m: period of resonance [s]", float(period_of_mode), find_period(stops[1])))
    found += landed
    largest = rows[np.argmax(rows[:, 2])]
    wl.write_summary(
        {
            "found": {name: [value, exact] for name, value, exact in found},
            "resonance": resonance,
            "largest": largest.tolist(),
            "rest": ledger.rest,
            "work": max(abs(value) for value in ledger.totals.values()),
            "cables": [change.cables for change in rope.changes],
        }
    )
    if folder and wl.is_first_process():
        draw(Path(folder) / "lowering.png", rows, resonance)
    if wl.is_first_process():
        print(wl.format_comparison(found, "closed form"))
        print(f"resonance at a length of {resonance:.1f} m by the closed form")
        print(f"largest tension {largest[2]:.0f} N at a length of {largest[1]:.1f} m")


main()
