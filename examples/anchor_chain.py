"""An anchor chain lies on a sea bed with hills and rises to a ship, which drifts and heaves.

The command ``windlass run examples/anchor_chain.py`` runs the example. The option ``-help`` lists all options. The
command ``windlass show anchor_chain_out/chain.vtkhdf`` shows the chain and the bed. The folder ``anchor_chain_out``
also contains a picture of chain and bed.

The heights of the bed are read from a CSV file with rows x, y, z [m] (``-bathymetry FILE``). Without this option, the
script writes a file with hills of a few metres. `hang_from_ground` lays the chain along the profile of the bed below
the straight line from anchor to ship. In the static solve the bed has no friction, and the chain slides sideways into
the valleys. In the motion that follows, the bed has friction, and the ship drifts and heaves.

The example makes three checks. Without friction, contact forces are normal to the chain. Therefore T + T²/(2 EA) - w z
is constant along the chain, with the tension T, the weight in water w per length and the height z. Supports and bed
carry the weight of the chain in water. In the motion, the terms of the energy ledger balance.

Source: H. M. Irvine, Cable Structures, MIT Press (1981), section 1.2, with the strain T/EA.
"""

from pathlib import Path
from tempfile import mkdtemp
from typing import NamedTuple

import numpy as np

import windlass as wl
from windlass import connectors as con
from windlass.elements import cable_along, hang_from_ground, nodes_of
from windlass.framework.output import CsvTable

elements = wl.option("elements", 100, "1", "cables along the chain", minimum=40)
friction = wl.option("friction", 0.6, "1", "friction coefficient of the bed", minimum=0.0)
drift = wl.option("drift", 1.5, "m", "distance by which the ship drifts away from the anchor", minimum=0.0)
heave = wl.option("heave", 0.5, "m", "amplitude of the heave of the ship", minimum=0.0)
end = wl.option("end", 20.0, "s", "time that is simulated", minimum=0.1)
step = wl.option("step", 0.05, "s", "time step", minimum=1e-4)
bathymetry = wl.option("bathymetry", "", "", "CSV file with rows x, y, z [m] of the bed; empty: hills")
output = wl.option("output", "anchor_chain_out", "", "folder for results; 'none' writes no files")
folder = None if output == "none" or wl.help_requested() else wl.create_output_folder(output)

WATER, GRAVITY, DEPTH = 1025.0, 9.81, 70.0  # density [kg/m^3] of the water, gravity [m/s^2], mean depth [m]
DIAMETER, PERIOD = 0.1, 8.0  # diameter [m] of a rod with the chain's volume per length, period [s] of the heave
CHAIN = {"mass_per_length": 80.0, "axial_stiffness": 2e8, "bending_stiffness": 10.0, "axial_damping": 2e5}
SUBMERGED = CHAIN["mass_per_length"] - WATER * np.pi * DIAMETER**2 / 4  # mass per length [kg/m] in water
WEIGHT = SUBMERGED * GRAVITY  # weight in water per length [N/m]
LENGTH, SHIP = 300.0, (263.0, 20.0, 0.0)  # length [m] of the chain and position [m] of its top
STIFFNESS = 1e6  # stiffness [N/m^2] of the bed per length of the chain
BRISTLES = 2e5  # stiffness [N/m^2] of friction before the chain slips


class Anchored(NamedTuple):
    """A chain with its supports and its contacts with the bed."""

    world: wl.World
    chain: wl.Entity
    supports: wl.Entity
    bed: wl.Entity
    contacts: wl.Entity


def write_hills(file: Path) -> Path:
    """Write the heights of a bed with hills, at distances of 10 m."""
    x, y = np.meshgrid(np.linspace(-60.0, 340.0, 41), np.linspace(-120.0, 120.0, 25), indexing="ij")
    z = -DEPTH + 4.0 * np.sin(x / 45.0) * np.cos((y - 10.0) / 40.0) + 0.03 * y
    rows = np.column_stack((x.ravel(), y.ravel(), z.ravel()))
    CsvTable(file, [("x", "m"), ("y", "m"), ("z", "m")], rows).close()
    return file


def anchor_ship(grid: con.BedGrid, moving: bool) -> Anchored:
    """Create the chain on the bed, with water and supports; the upper support is a ship, which moves if ``moving`` is
    true.
    """
    world = wl.World(gravity=(0.0, 0.0, -GRAVITY))
    anchor = (0.0, 0.0, float(grid.eval_heights(0.0, 0.0)))
    route = hang_from_ground(
        anchor, SHIP, LENGTH, CHAIN["axial_stiffness"], SUBMERGED, gravity=(0.0, 0.0, -GRAVITY),
        ground=grid.eval_profile(anchor, SHIP),
    )  # fmt: skip
    chain = cable_along(world, route, elements, length=LENGTH / elements, name="chain", **CHAIN)
    sea = world.add(con.Fluid, name="sea", density=WATER, depth=DEPTH + 10.0, surface=2.0)
    world.add(
        con.FluidLoad, cable=chain, fluid=sea, diameter=DIAMETER, normal_drag=2.4, axial_drag=0.35, constant_volume=True
    )
    bed = con.add_bed_grid(world, grid)
    contacts = con.add_surface_contact(
        world, bed, chain, contact_stiffness_per_length=STIFFNESS,
        contact_damping_per_length=0.3 * np.sqrt(STIFFNESS * SUBMERGED), friction_stiffness_per_length=BRISTLES,
        friction_velocity_penalty_per_length=0.3 * np.sqrt(STIFFNESS * SUBMERGED),
    )  # fmt: skip
    ends = nodes_of(world, chain)[[0, elements]]
    supports = con.hinge(world, ends)
    if moving:
        # `supports` contains the constraints of both ends along x, followed by their constraints along y and along z
        world.set(supports[[1, 3, 5]], active=False)
        away, grown = con.smooth_step(0.0, max(end, 10.0), 0.0, drift), con.smooth_step(0.0, PERIOD, 0.0, heave)
        con.prescribe(world, ends[1], "x", away)
        con.fix(world, ends[1], "y")
        con.prescribe(world, ends[1], "z", lambda t: grown(t) * np.sin(2.0 * np.pi * t / PERIOD))
    return Anchored(world, chain, supports, bed, contacts)


def eval_along(model: Anchored, state: wl.State) -> tuple[np.ndarray, np.ndarray]:
    """Return the positions [m], shape (elements, 3), and the tensions [N] in the middle of all cables."""
    x = np.full(elements, 0.5 * LENGTH / elements)
    position = wl.eval_output(model.chain, "position", state, x=x)
    return np.reshape(position, (elements, 3)), np.ravel(wl.eval_output(model.chain, "axial_force", state, x=x))


def draw(path: Path, grid: con.BedGrid, lines: dict[str, np.ndarray], tension: np.ndarray) -> None:
    """Draw the bed and the chain from above, the profiles of the chain ``lines`` [m], and the tension [N] along the
    first profile.
    """
    from matplotlib import pyplot as plt

    figure, (plan, side, force) = plt.subplots(3, 1, sharex=True, figsize=(9.0, 10.0), layout="constrained")
    x, y = np.linspace(-20.0, 300.0, 161), np.linspace(-60.0, 80.0, 71)
    X, Y = np.meshgrid(x, y, indexing="ij")
    levels = plan.contourf(X, Y, grid.eval_heights(X, Y), 20, cmap="terrain")
    figure.colorbar(levels, ax=[plan, side, force], label="height of the bed [m]", shrink=0.5)
    for name, place in lines.items():
        plan.plot(place[:, 0], place[:, 1], label=name)
        side.plot(place[:, 0], place[:, 2], label=name)
    last = next(iter(lines.values()))
    side.plot(last[:, 0], grid.eval_heights(last[:, 0], last[:, 1]), "k", linewidth=0.8, label="bed below the chain")
    plan.set(ylabel="y [m]", aspect="equal")
    side.set(ylabel="z [m]")
    force.plot(last[:, 0], 1e-3 * tension)
    force.set(xlabel="x [m]", ylabel="tension at rest [kN]")
    plan.legend()
    side.legend(loc="upper left")
    figure.savefig(path, dpi=110)
    plt.close(figure)


def main() -> None:
    """Solve the chain at rest, and in the motion of the ship."""
    grid = con.read_bed_grid(bathymetry or write_hills(Path(folder or mkdtemp()) / "bathymetry.csv"))
    calm, moving = anchor_ship(grid, moving=False), anchor_ship(grid, moving=True)
    still = wl.Static(calm.world).solve()
    start = wl.State(moving.world)
    if not wl.help_requested():
        start.q[:], start.data[:] = still.q, still.data
        moving.world.set(moving.contacts, friction_coefficient=friction)
    sensor = wl.Sensor(moving.chain[elements - 1], "axial_force", where={"x": LENGTH / elements}, name="top")
    sensors, ledger = wl.Sensors(folder and folder / "tension.csv", [sensor]), wl.EnergyLedger()
    recorders = [wl.Recorder("chain", folder=folder, every=4)] if folder else []
    last = wl.Dynamic(moving.world, step=step, end=end).solve(start, hooks=[ledger, sensors, *recorders])
    if wl.help_requested():
        return
    place, tension = eval_along(calm, still)
    constant = tension + tension**2 / (2.0 * CHAIN["axial_stiffness"]) - WEIGHT * place[:, 2]
    report = con.surface_report(calm.world, still, calm.contacts, calm.bed)
    held = -wl.eval_output(calm.supports, "force", still).reshape(3, 2).sum(axis=1) - report.force
    lying = place[:, 2] < grid.eval_heights(place[:, 0], place[:, 1]) + 0.01
    sideways = float(np.abs(place[:, 1] - place[:, 0] * SHIP[1] / SHIP[0]).max())
    drag, top = ledger.totals["FluidLoad.drag"], sensors["top"]
    results = {"constant": [float(constant.min()), float(constant.max())], "tension": [tension[0], tension[-1]]}
    results |= {"held": held.tolist(), "weight": WEIGHT * LENGTH, "sideways": sideways, "lying": int(lying.sum())}
    results |= {"hills": float(np.ptp(place[lying, 2])), "top": [float(top.min()), float(top.max())]}
    results |= {"rest": ledger.rest, "drag": drag}
    wl.write_summary(results)
    if folder and wl.is_first_process():
        lines = {"at rest, without friction": place, f"after {end:g} s, with friction": eval_along(moving, last)[0]}
        draw(Path(folder) / "chain.png", grid, lines, tension)
    if wl.is_first_process():
        rows = [("T + T²/(2 EA) - w z at the anchor [N]", constant[0], constant[-1])]
        rows += [("supports and bed along z [N]", held[2], WEIGHT * LENGTH)]
        print(wl.format_comparison(rows, "at the top; weight"))
        hills = np.ptp(place[lying, 2])
        print(f"{lying.sum()} of {elements} cables lie on the bed, whose height varies by {hills:.1f} m")
        print(f"the chain lies up to {sideways:.1f} m from the straight line")
        print(f"tension at the top in motion [N]: from {top.min():.0f} to {top.max():.0f}")
        print(f"lost to drag {drag:.0f} J, rest of the energies {ledger.rest / drag:.1e} of it")


main()
