"""A mooring line runs from an anchor over the sea bed to a ship, with touchdown, friction on the bed, current, waves
and heave.

The command ``windlass run examples/mooring_line.py`` runs the example. The option ``-help`` lists all options.

The line is laid on the bed (`PlaneSurface`). The ship pulls the line taut in still water, until the line slips along
its whole length on the ground. Friction reduces the tension of the line from the touchdown point to the anchor. Then a
current acts, with a speed that increases with the height above the bed. At the same time, waves with a JONSWAP spectrum
grow. The top of the line follows a recorded heave, a column of a CSV file (``-heave FILE`` with time [s] and heave
[m]). Without a file the script writes a file for a small ship that follows the surface.

The example makes three checks. In still water, tensions and the length on the ground agree with the closed form of the
extensible catenary with touchdown and friction. In the current, supports and sea bed carry the loads on the line:
weight in water and drag. In the waves, the terms of the energy ledger balance.

Source: H. M. Irvine, Cable Structures, MIT Press (1981), section 2.4; with friction J. M. Jonkman, "Dynamics Modeling
and Loads Analysis of an Offshore Floating Wind Turbine", NREL/TP-500-41958 (2007), section 2.6.
"""

from pathlib import Path
from tempfile import mkdtemp
from typing import Any, NamedTuple

import numpy as np

import windlass as wl
from windlass import connectors as con
from windlass.elements import Ground, GroundedCatenary, cable_along, hang_from_ground, nodes_of
from windlass.framework.output import CsvTable

elements = wl.option("elements", 80, "1", "cables along the line", minimum=8)
friction = wl.option("friction", 0.6, "1", "friction coefficient of the sea bed", minimum=0.0)
height = wl.option("height", 3.0, "m", "significant height of the waves", minimum=0.01)
period = wl.option("period", 9.0, "s", "peak period of the waves", minimum=1.0)
seed = wl.option("seed", 1, "1", "of the phases of the waves", minimum=0)
end = wl.option("end", 30.0, "s", "time that is simulated", minimum=0.1)
step = wl.option("step", 0.05, "s", "time step", minimum=1e-4)
heave = wl.option("heave", "", "", "CSV file with the columns time [s] and heave [m] of the top; empty: of the sea")
output = wl.option("output", "mooring_line_out", "", "folder for results; 'none' writes no files")
folder = None if output == "none" or wl.help_requested() else wl.create_output_folder(output)

WATER, GRAVITY, DEPTH = 1025.0, 9.81, 60.0  # density [kg/m^3] of the water, gravity [m/s^2], depth [m]
DIAMETER = 0.09  # diameter [m] of a rod with the same volume per length as the chain
CHAIN = {"mass_per_length": 60.0, "axial_stiffness": 2e8, "bending_stiffness": 1.0, "axial_damping": 1e5}
# mass per length [kg/m] in water
SUBMERGED = CHAIN["mass_per_length"] - WATER * np.pi * DIAMETER**2 / 4
WEIGHT = SUBMERGED * GRAVITY  # weight in water per length [N/m]

# stiffness [N/m^2] of the sea bed, with which the depth of the chain in the bed is a millimetre
STIFFNESS = 5e5
# stiffness [N/m^2] of friction before the chain slips: a high value at rest, for an accurate force on the anchor, and a
# lower value in motion
BRISTLES, SOFT_BRISTLES = 1e8, 2e6
ANCHOR, TOP, LENGTH = (0.0, 0.0, -DEPTH), (181.5, 0.0, -2.0), 200.0  # positions of anchor and top, length [m]
PULL, PULLS = 8.0, 16  # displacement [m] of the ship that pulls the line taut, and number of steps of this displacement
SEA = con.jonswap(height, period, seed, count=40)


class Mooring(NamedTuple):
    """A mooring line with its supports and loads."""

    world: wl.World
    line: wl.Entity
    loads: wl.Entity
    supports: wl.Entity
    bed: wl.Entity
    contacts: wl.Entity
    pull: wl.Entity


def write_heave(file: Path) -> Path:
    """Write the heave of the top of the line to a file with twenty values per second. The top starts from rest and
    follows the surface.
    """
    t = np.arange(0.0, end + 1.0, 0.05)
    a, omega, phase = (SEA[f"wave_{name}"] for name in ("amplitudes", "frequencies", "phases"))
    k = con.wave_number(omega, DEPTH)
    z = (a * np.cos(k * TOP[0] - np.outer(t, omega) + phase)).sum(axis=1)
    grown = np.clip(t / 5.0, 0.0, 1.0)
    z *= grown**2 * (3.0 - 2.0 * grown)
    CsvTable(file, [("time", "s"), ("heave", "m")], np.column_stack((t, z))).close()
    return file


def lay(top: tuple[float, ...], mu: float) -> GroundedCatenary:
    """Return the closed form of the line in still water, with its upper end at ``top`` [m] and the friction coefficient
    ``mu`` of the bed.
    """
    chain = CHAIN["axial_stiffness"], SUBMERGED
    return hang_from_ground(ANCHOR, top, LENGTH, *chain, friction=mu, gravity=(0.0, 0.0, -GRAVITY))


def moor(speed: float, bristles: float, moving: bool) -> Mooring:
    """Create the slack line on a bed without friction, in a current with the speed ``speed`` [m/s] at the surface, and
    with waves and heave if ``moving`` is true.
    """
    world = wl.World(gravity=(0.0, 0.0, -GRAVITY))
    route = lay((TOP[0] - PULL, *TOP[1:]), 0.0)
    line = cable_along(world, route, elements, length=LENGTH / elements, name="line", **CHAIN)
    current = {"profile": "power", "velocity": (0.6 * speed, 0.8 * speed, 0.0), "reference_height": DEPTH}
    waves = {"wave_growth": 5.0, **SEA} if moving else {}
    sea = world.add(con.Fluid, name="sea", density=WATER, depth=DEPTH, transition=0.2, **current, **waves)
    loads = world.add(con.FluidLoad, cable=line, fluid=sea, diameter=DIAMETER, normal_drag=2.4, axial_drag=0.35)
    # The axis of the line sinks into the bed by WEIGHT / STIFFNESS. The bed is higher by this value, so that the axis
    # lies at the height of the anchor.
    ground = con.rigid_marker(world, world.add(Ground))
    bed = world.add(
        con.PlaneSurface, name="sea bed", marker=ground, offset=ANCHOR[2] - DIAMETER / 2 + WEIGHT / STIFFNESS
    )
    damping = 0.3 * np.sqrt(STIFFNESS * SUBMERGED)
    contacts = con.add_surface_contact(
        world, bed, line, rope_radius=DIAMETER / 2, contact_stiffness_per_length=STIFFNESS,
        contact_damping_per_length=damping, friction_stiffness_per_length=bristles,
        friction_velocity_penalty_per_length=damping,
    )  # fmt: skip
    nodes = nodes_of(world, line)
    supports = con.hinge(world, nodes[[0, elements]])
    # `supports` contains the constraints of both ends along x, followed by their constraints along y and along z. The
    # ship pulls the top along x. In waves, the ship also moves the top along z.
    world.set(supports[1], active=False)
    pull = con.prescribe(world, nodes[elements], "x", lambda t: PULL * np.clip(t + 1.0, 0.0, 1.0))
    if moving:
        world.set(supports[5], active=False)
        file = Path(heave) if heave else write_heave(Path(folder or mkdtemp()) / "heave.csv")
        con.prescribe(world, nodes[elements], "z", con.spline(*con.read_series(file, "heave")))
    return Mooring(world, line, loads, supports, bed, contacts, pull)


def draw_taut(model: Mooring) -> wl.State:
    """Find the equilibrium of the slack line, and pull the line over the bed with friction from t = -1 s to 0."""
    settings: dict[str, Any] = {"name": "", "passes": wl.Passes(max_it=30)}
    state = wl.Static(model.world, time=-1.0, **settings).solve()
    model.world.set(model.contacts, friction_coefficient=friction)
    for t in np.linspace(-1.0, 0.0, PULLS + 1):
        state = wl.Static(model.world, time=float(t), **settings).solve(state)
    return state


def list_results(model: Mooring, state: wl.State) -> list[float]:
    """Return the tensions [N] at the anchor and at the top, and the length [m] of line whose weight the bed carries."""
    x = LENGTH / elements
    places = (model.line[0], 0.0), (model.line[elements - 1], x)
    tensions = [float(wl.eval_output(cable, "axial_force", state, x=at)) for cable, at in places]
    return [*tensions, con.surface_report(model.world, state, model.contacts, model.bed).normal_force / WEIGHT]


def sum_forces(model: Mooring, state: wl.State) -> tuple[np.ndarray, np.ndarray]:
    """Return two sums of forces along x, y and z [N]: the forces of supports and bed on the line, and minus the loads
    of water and gravity on the line. In equilibrium, these two sums are equal.
    """
    held = -wl.eval_output(model.supports, "force", state).reshape(3, 2).sum(axis=1)
    held[0] -= float(np.sum(wl.eval_output(model.pull, "force", state)))
    held -= con.surface_report(model.world, state, model.contacts, model.bed).force
    s = (np.arange(8) + 0.5) / 8 * LENGTH / elements
    places = np.broadcast_to(s, (elements, 8))
    stretch = np.linalg.norm(wl.eval_output(model.line, "director", state, x=places), axis=2)
    force = (wl.eval_output(model.loads, "force_per_length", state, x=places) * stretch[:, :, None]).mean(axis=1)
    load = force.sum(axis=0) * LENGTH / elements - [0.0, 0.0, CHAIN["mass_per_length"] * GRAVITY * LENGTH]
    return held, -load


def main() -> None:
    """Solve the line in still water, in the current and in waves."""
    exact_line = lay(TOP, friction)
    exact = [*exact_line.eval_tension([0.0, LENGTH]).tolist(), exact_line.lying]
    calm = moor(0.0, BRISTLES, moving=False)
    still = draw_taut(calm)
    stream = moor(1.2, SOFT_BRISTLES, moving=False)
    current = draw_taut(stream)
    moving = moor(1.2, SOFT_BRISTLES, moving=True)
    start = wl.State(moving.world)
    if not wl.help_requested():
        moving.world.set(moving.contacts, friction_coefficient=friction)
        start.q[:], start.data[:] = current.q, current.data
    ledger, of = wl.EnergyLedger(), LENGTH / elements
    sensors = wl.Sensors(
        folder and folder / "tension.csv",
        [
            wl.Sensor(moving.line[0], "axial_force", where={"x": 0.0}, name="anchor"),
            wl.Sensor(moving.line[elements - 1], "axial_force", where={"x": of}, name="top"),
        ],
    )
    recorders = [wl.Recorder("line", folder=folder, every=4)] if folder else []
    last = wl.Dynamic(moving.world, step=step, end=end).solve(start, hooks=[ledger, sensors, *recorders])
    if wl.help_requested():
        return
    found, (held, load) = list_results(calm, still), sum_forces(stream, current)
    reports = [con.surface_report(m.world, s, m.contacts, m.bed) for m, s in ((calm, still), (moving, last))]
    anchor, top, drag = sensors["anchor"], sensors["top"], ledger.totals["FluidLoad.drag"]
    results = {"found": found, "exact": exact, "supports": held.tolist(), "loads": load.tolist()}
    results |= {"anchor": [anchor.min(), anchor.max()], "top": [top.min(), top.max()], "drag": drag}
    results |= {"rest": ledger.rest, "ground": [report.contact_length for report in reports]}
    results |= {"touchdown": reports[0].exit_point[0], "touchdown_exact": float(exact_line.hanging.start[0])}
    wl.write_summary(results)
    if wl.is_first_process():
        names = "tension at the anchor [N]", "tension at the top [N]", "length on the ground [m]"
        print(wl.format_comparison(list(zip(names, found, exact, strict=True)), "closed form"))
        axes = zip("xyz", held, load, strict=True)
        print("\n" + wl.format_comparison([(f"supports and bed along {x} [N]", a, b) for x, a, b in axes], "loads"))
        print("\nthe sea bed in still water, and at the end in waves:\n" + con.format_surface_reports(reports))
        for name, series in (("anchor", anchor), ("top", top)):
            print(f"tension at the {name} in waves [N]: from {series.min():.0f} to {series.max():.0f}")
        print(f"lost to drag {drag:.0f} J, rest of the energies {ledger.rest / drag:.1e} of it")


main()
