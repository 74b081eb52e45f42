"""Three elastic ropes moor a buoy in a JONSWAP sea with current and wind.

The command ``windlass run examples/moored_buoy.py`` runs the example. The option ``-help`` lists all options, and
``-report FILE`` writes a report with the spectra of the tensions. The command ``windlass sweep examples/moored_buoy.py
-cases seas.csv`` runs the example for each sea in a file with the columns ``height``, ``period``, ``heading`` and
``seed``. The command ``windlass show moored_buoy_out/mooring.vtkhdf`` shows the ropes, the buoy and the forces of the
water, and ``-movie FILE.mp4`` writes a video.

The buoy is a cylinder (`CylinderFluidLoad`) that crosses the water surface. The immersed volume of the buoy, which
determines buoyancy and stability, is computed exactly for the waves and the position of the buoy. Ropes of polyester
(`Cable3D`, `FluidLoad`) run from anchors at 120 degrees to the bottom of the buoy. The wind acts on the part above the
surface.

The example makes three checks. In still water, the buoyancy carries the weight of the buoy and the vertical pull of the
ropes. The frequency of heave agrees with the closed form, in which the waterplane and the ropes act as springs. In the
waves, the terms of the energy ledger balance, and the buoy follows the surface.

Source: J. N. Newman, Marine Hydrodynamics, MIT Press (1977), chapter 6, for the buoy.
"""

from typing import NamedTuple

import numpy as np

import windlass as wl
from windlass import connectors as con
from windlass.elements import RigidBody3D, catenary, nodes_of
from windlass.framework.model.table import Entity

elements = wl.option("elements", 6, "1", "cables along each rope", minimum=2)
height = wl.option("height", 2.0, "m", "significant height of the waves", minimum=0.01)
period = wl.option("period", 8.0, "s", "peak period of the waves", minimum=1.0)
speed = wl.option("wind", 15.0, "m/s", "speed of the wind 10 m above the surface", minimum=0.0)
heading = wl.option("heading", 0.0, "deg", "direction of travel of the waves, from x towards y")
seed = wl.option("seed", 1, "1", "of the phases of the waves", minimum=0)
end = wl.option("end", 60.0, "s", "time that is simulated", minimum=0.1)
step = wl.option("step", 0.05, "s", "time step", minimum=1e-4)
output = wl.option("output", "moored_buoy_out", "", "folder for results; 'none' writes no files")
folder = None if output == "none" or wl.help_requested() else wl.create_output_folder(output)

WATER, GRAVITY, DEPTH = 1025.0, 9.81, 60.0  # density [kg/m^3] of the water, gravity [m/s^2], depth [m]
DIAMETER, HEIGHT, MASS = 3.0, 2.4, 9000.0  # diameter and height [m] and mass [kg] of the buoy
INERTIA = (9.0e3, 9.0e3, 1.0e4)  # moments of inertia [kg m^2] of the buoy
CENTER = -0.8  # height [m] of the centre of mass above the middle of the buoy
SPREAD, LENGTH = 60.0, 82.0  # horizontal distance [m] of the anchors from the buoy, unstretched length [m] of a rope
ROPE = {"mass_per_length": 1.5, "axial_stiffness": 4e5, "bending_stiffness": 1.0, "axial_damping": 2e4}
ROPE_DIAMETER = 0.04  # diameter [m] of the ropes
END_ADDED_MASS = 0.64  # added mass of each end of the buoy, as a fraction [1] of the mass of half a sphere of water
ANGLES = np.radians((0.0, 120.0, 240.0))


class Mooring(NamedTuple):
    """A buoy with its ropes, and the load of the water on the buoy."""

    world: wl.World
    buoy: Entity
    ropes: list[Entity]
    load: Entity


def moor(moving: bool) -> Mooring:
    """Create the buoy and its ropes, in still water, or in waves, current and wind."""
    world = wl.World(gravity=(0.0, 0.0, -GRAVITY))
    stream = {"profile": "power", "velocity": (0.5, 0.2, 0.0), "reference_height": DEPTH}
    waves = con.jonswap(height, period, seed, count=40, direction=np.radians(heading))
    moved = {**stream, "wave_growth": 10.0, **waves} if moving else {}
    sea = world.add(con.Fluid, name="sea", density=WATER, depth=DEPTH, transition=0.1, **moved)
    buoy = world.add(
        RigidBody3D, name="buoy", position=(0.0, 0.0, -0.2), mass=MASS, inertia=INERTIA,
        center_of_mass=(0.0, 0.0, CENTER),
    )  # fmt: skip
    load = world.add(
        con.CylinderFluidLoad, name="water on the buoy", marker=buoy, fluid=sea, diameter=DIAMETER, length=HEIGHT,
        strips=6, normal_drag=1.0, end_drag=1.0, end_added_mass=END_ADDED_MASS,
    )  # fmt: skip
    if moving:
        air = world.add(con.Fluid, name="air", density=1.23, fills="above", profile="log", velocity=(speed, 0.0, 0.0))
        world.add(
            con.CylinderFluidLoad, name="wind on the buoy", marker=buoy, fluid=air, diameter=DIAMETER, length=HEIGHT,
            strips=6, normal_drag=0.8,
        )  # fmt: skip
    ropes = []
    for k, angle in enumerate(ANGLES):
        ray = np.array((np.cos(angle), np.sin(angle)))
        anchor, at = (*(SPREAD * ray), -DEPTH), (*(0.5 * DIAMETER * ray), -0.5 * HEIGHT)
        top = (at[0], at[1], at[2] - 0.2)
        rope = catenary(world, anchor, top, elements, length=LENGTH, name=f"rope {k}", **ROPE)
        world.add(con.FluidLoad, cable=rope, fluid=sea, diameter=ROPE_DIAMETER, normal_drag=1.6, axial_drag=0.01)
        ends = nodes_of(world, rope)[[0, elements]]
        con.hinge(world, ends[0])
        fairlead = con.position_marker(world, buoy, at)
        world.add(con.SphericalJoint, marker0=con.position_marker(world, ends[1]), marker1=fairlead)
        ropes.append(rope)
    return Mooring(world, buoy, ropes, load)


def eval_pull(rope: Entity, state: wl.State) -> np.ndarray:
    """Return the force [N] of a rope on the buoy."""
    last, x = rope[elements - 1], LENGTH / elements
    direction = wl.eval_output(last, "director", state, x=x)
    return -wl.eval_output(last, "axial_force", state, x=x) * direction / np.linalg.norm(direction)


def eval_heave(model: Mooring, state: wl.State) -> float:
    """Return the closed form of the frequency [Hz] of heave.

    The stiffness of a rope with the direction u and the tension T is EA/L u uᵀ + T/L (I - u uᵀ), where I is the
    identity matrix. Two additional masses move with the buoy: a third of the mass of the ropes and of the water that
    the ropes accelerate, and, at the lower end of the buoy, the fraction ``END_ADDED_MASS`` of the mass of half a
    sphere of water.
    """
    pulls = np.array([eval_pull(rope, state) for rope in model.ropes])
    tension = np.linalg.norm(pulls, axis=1)
    rise = (pulls[:, 2] / tension) ** 2
    stiffness = np.sum(ROPE["axial_stiffness"] / LENGTH * rise + tension / LENGTH * (1.0 - rise))
    stiffness += WATER * GRAVITY * np.pi * DIAMETER**2 / 4.0
    ropes = LENGTH * (ROPE["mass_per_length"] + 0.5 * WATER * np.pi * ROPE_DIAMETER**2 / 4.0)
    mass = MASS + ropes + END_ADDED_MASS * WATER * np.pi * DIAMETER**3 / 12.0
    return float(np.sqrt(stiffness / mass) / (2.0 * np.pi))


def find_heave(model: Mooring, state: wl.State) -> float:
    """Return the frequency [Hz] of the mode with the largest heave of the buoy."""
    modes = wl.Modes(model.world, count=40).solve(state)
    heave = np.abs(modes.of(model.buoy)[:, 0, 2])
    return float(modes.frequencies[heave.argmax()])


def main() -> None:
    """Solve the buoy in still water and in the sea."""
    calm, sea = moor(moving=False), moor(moving=True)
    still = wl.Static(calm.world).solve()
    start = wl.State(sea.world)
    if not wl.help_requested():
        start.put(sea.buoy, still.of(calm.buoy))
        for calm_rope, rope in zip(calm.ropes, sea.ropes, strict=True):
            start.put(nodes_of(sea.world, rope), still.of(nodes_of(calm.world, calm_rope)))
        frequencies = find_heave(calm, still), eval_heave(calm, still)
    last, x = elements - 1, LENGTH / elements
    sensors = wl.Sensors(
        folder and folder / "buoy.csv",
        [
            wl.Sensor(sea.buoy, "position", name="position"),
            wl.Sensor(sea.buoy, "rotation", name="rotation"),
            wl.Sensor(sea.load, "surface_height", name="surface"),
            *(wl.Sensor(rope[last], "axial_force", where={"x": x}, name=rope.name) for rope in sea.ropes),
        ],
    )
    ledger = wl.EnergyLedger()
    recorders = [wl.Recorder("mooring", folder=folder, every=4)] if folder else []
    wl.Dynamic(sea.world, step=step, end=end).solve(start, hooks=[ledger, sensors, *recorders])
    if wl.help_requested():
        return
    series = [wl.post.Series(sensors.times, sensors[rope.name], rope.name, "N") for rope in sea.ropes]
    wl.post.report_series([*series, wl.post.Series(sensors.times, sensors["position"][:, 2], "heave", "m")])
    carried = MASS * GRAVITY - sum(eval_pull(rope, still)[2] for rope in calm.ropes)
    buoyancy = float(wl.eval_output(calm.load, "buoyancy", still))
    z, surface = sensors["position"][:, 2], sensors["surface"]
    heave = z - wl.eval_output(calm.buoy, "position", still)[2]
    tilt = np.degrees(np.arccos(np.clip(sensors["rotation"][:, 2, 2], -1.0, 1.0)))
    tensions = np.array([sensors[rope.name] for rope in sea.ropes])
    drag = ledger.totals["CylinderFluidLoad.drag"] + ledger.totals["FluidLoad.drag"]
    results = {"buoyancy": [buoyancy, carried], "heave_frequency": frequencies, "rest": ledger.rest, "drag": drag}
    results |= {"heave": float(np.std(heave)), "surface": float(np.std(surface)), "tilt": float(tilt.max())}
    results |= {"tension": [float(tensions.min()), float(tensions.max())]}
    results |= {"distance": float(np.abs(heave - surface).max()), "largest_wave": float(np.abs(surface).max())}
    wl.write_summary(results)
    if wl.is_first_process():
        rows = [("buoyancy [N]", buoyancy, carried), ("frequency of heave [Hz]", *frequencies)]
        print(wl.format_comparison(rows, "closed form"))
        print(f"standard deviation of the heave {np.std(heave):.3f} m, of the surface {np.std(surface):.3f} m")
        print(f"largest tilt {tilt.max():.1f} degrees, tensions from {tensions.min():.0f} to {tensions.max():.0f} N")
        print(f"lost to drag {drag:.0f} J, rest of the energies {ledger.rest / drag:.1e} of it")


main()
