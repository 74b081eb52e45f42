"""A mooring line that hangs from an anchor block to a ship, in a current and in an irregular sea; its top heaves.

Run it with ``windlass run examples/mooring_in_waves.py``; ``-help`` lists all options.

The line is slack: it hangs through between anchor and ship, and touches no bed.  In still water it is a catenary with
its weight in water.  Then it stands in a current that grows with height above the bed, and the sea of a JONSWAP
spectrum rises; the top follows a recorded heave, a column of a CSV file (``-heave FILE`` with time [s] and heave [m]).
Without a file the script writes one, of a small ship that follows the surface.

Checks: the tensions in still water against Irvine's catenary; in the current the supports carry the weight in water,
as the drag of a level current is level, but for the part that the slope of the line turns upwards, which the loads
say; in the waves the energy ledger closes.

Source: H. M. Irvine, Cable Structures, MIT Press (1981), chapter 1.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np

import windlass as wl
from windlass import connectors as con
from windlass.elements import catenary, hang_between, nodes_of

elements = wl.option("elements", 24, "1", "cables along the line", minimum=4)
height = wl.option("height", 3.0, "m", "significant height of the waves", minimum=0.01)
period = wl.option("period", 9.0, "s", "peak period of the waves", minimum=1.0)
seed = wl.option("seed", 1, "1", "of the phases of the waves", minimum=0)
end = wl.option("end", 30.0, "s", "time that is simulated", minimum=0.1)
step = wl.option("step", 0.05, "s", "time step", minimum=1e-4)
heave = wl.option("heave", "", "", "CSV file with the columns time [s] and heave [m] of the top; empty: of the sea")
output = wl.option("output", "mooring_in_waves_out", "", "folder for results; 'none' writes no files")
folder = None if output == "none" or wl.help_requested() else wl.create_output_folder(output)

WATER, GRAVITY, DEPTH = 1025.0, 9.81, 60.0  # [kg/m^3], [m/s^2], [m]
ANCHOR, TOP, LENGTH = (0.0, 0.0, -50.0), (90.0, 0.0, -2.0), 112.0  # [m]; the anchor stands on a block
DIAMETER = 0.09  # of the steel that displaces water [m]
CHAIN = {"mass_per_length": 60.0, "axial_stiffness": 2e8, "bending_stiffness": 1.0, "axial_damping": 1e5}
SEA = con.jonswap(height, period, seed, count=40)


def write_heave(file: Path) -> Path:
    """Heave of a top that follows the surface, from rest, twenty times per second."""
    t = np.arange(0.0, end + 1.0, 0.05)
    a, omega, phase = (SEA[f"wave_{name}"] for name in ("amplitudes", "frequencies", "phases"))
    k = con.wave_number(omega, DEPTH)
    z = (a * np.cos(k * TOP[0] - np.outer(t, omega) + phase)).sum(axis=1)
    grown = np.clip(t / 5.0, 0.0, 1.0)
    z *= grown**2 * (3.0 - 2.0 * grown)
    file.write_text(
        "time [s],heave [m]\n" + "".join(f"{a!r},{b!r}\n" for a, b in zip(t.tolist(), z.tolist(), strict=True))
    )
    return file


def moor(speed: float, moving: bool) -> tuple[wl.World, wl.Entity, wl.Entity, wl.Entity]:
    """World, line, loads and supports, in a current [m/s at the surface], and with waves and heave."""
    world = wl.World(gravity=(0.0, 0.0, -GRAVITY))
    line = catenary(world, ANCHOR, TOP, elements, length=LENGTH, **CHAIN)
    current = {"profile": "power", "velocity": (0.6 * speed, 0.8 * speed, 0.0), "reference_height": DEPTH}
    waves = {"wave_growth": 5.0, **SEA} if moving else {}
    sea = world.add(con.Fluid, name="sea", density=WATER, depth=DEPTH, transition=0.2, **current, **waves)
    loads = world.add(con.FluidLoad, cable=line, fluid=sea, diameter=DIAMETER, normal_drag=2.4, axial_drag=0.35)
    nodes = nodes_of(world, line)
    supports = con.hinge(world, nodes[[0, elements]])
    if moving:
        # the height of the top is prescribed in place of held
        world.set(supports[5], active=False)
        file = Path(heave) if heave else write_heave(Path(folder or mkdtemp()) / "heave.csv")
        con.prescribe(world, nodes[elements], "z", con.spline(*con.read_series(file, "heave")))
    return world, line, loads, supports


def list_tensions(line: wl.Entity, state: wl.State) -> list[float]:
    """At the anchor, in the middle and at the top [N]."""
    x = LENGTH / elements
    places = (line[0], 0.0), (line[elements // 2], 0.0), (line[elements - 1], x)
    return [float(wl.eval_output(cable, "axial_force", state, x=at)) for cable, at in places]


def main() -> None:
    """Still water, current, waves."""
    submerged = CHAIN["mass_per_length"] - WATER * np.pi * DIAMETER**2 / 4
    hanging = hang_between(ANCHOR, TOP, LENGTH, CHAIN["axial_stiffness"], submerged, (0.0, 0.0, -GRAVITY))
    exact = hanging.eval_tension([0.0, LENGTH / 2, LENGTH])
    world, calm, _, _ = moor(0.0, moving=False)
    still = wl.Static(world, name="still water").solve()
    world, line, loads, supports = moor(1.2, moving=False)
    current = wl.Static(world, name="current").solve()
    world, moving, _, _ = moor(1.2, moving=True)
    ledger, at_top = wl.EnergyLedger(), {"where": {"x": LENGTH / elements}, "name": "tension"}
    sensors = wl.Sensors(folder and folder / "tension.csv", [wl.Sensor(moving[elements - 1], "axial_force", **at_top)])
    recorders = [wl.Recorder("line", folder=folder, every=4)] if folder else []
    start = wl.State(world)
    start.q[:] = current.q
    solver = wl.Dynamic(world, step=step, end=end)
    solver.solve(start, hooks=[ledger, sensors, *recorders])
    if wl.help_requested():
        return
    tensions = list_tensions(calm, still)
    # of the supports first the forces along x of both, then along y and z; they are those on the supports
    lifted = -wl.eval_output(supports, "force", current).reshape(3, 2).sum(axis=1)
    s = (np.arange(8) + 0.5) / 8 * LENGTH / elements
    places = np.broadcast_to(s, (elements, 8))
    stretch = np.linalg.norm(wl.eval_output(line, "director", current, x=places), axis=2)
    force = (wl.eval_output(loads, "force_per_length", current, x=places) * stretch[:, :, None]).mean(axis=1)
    load = force.sum(axis=0) * LENGTH / elements - [0.0, 0.0, CHAIN["mass_per_length"] * GRAVITY * LENGTH]
    series = sensors["tension"]
    drag = ledger.totals["FluidLoad.drag"]
    results = {"tensions": tensions, "exact": exact.tolist(), "supports": lifted.tolist(), "loads": (-load).tolist()}
    results |= {"largest": float(series.max()), "least": float(series.min()), "drag": drag, "rest": ledger.rest}
    wl.write_summary(results)
    if wl.is_first_process():
        names = "at the anchor", "in the middle", "at the top"
        rows = [(f"tension {name} [N]", a, b) for name, a, b in zip(names, tensions, exact, strict=True)]
        print(wl.format_comparison(rows, "Irvine"))
        axes = zip("xyz", lifted, -load, strict=True)
        print("\n" + wl.format_comparison([(f"supports along {x} [N]", a, b) for x, a, b in axes], "loads"))
        print(f"\ntension at the top in waves [N]: from {series.min():.0f} to {series.max():.0f}")
        print(f"lost to drag {drag:.0f} J, rest of the energies below 1e-6 of it: {abs(ledger.rest) < 1e-6 * drag}")


main()
