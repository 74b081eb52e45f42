"""Random lines on random beds: planes, polylines and waves, with friction, from random initial shapes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import windlass as wl
from windlass import connectors as con
from windlass.elements import Cable3D, Ground, PointSlope3D, nodes_of

BEDS = ("level", "slope", "polyline", "waves")
STARTS = ("straight", "arch", "inside", "side", "noise")
GRAVITY = 9.81


class RandomLine(NamedTuple):
    """A line between two hinges.

    Attributes:
        world: the model.
        line: the cables.
        contacts: the rows of contact with the bed.
        friction: coefficient of friction [1].
        weight: weight of the line [N].
    """

    world: wl.World
    line: wl.Entity
    contacts: wl.Entity
    friction: float
    weight: float


def create_line(seed: int) -> RandomLine:
    """Create a line whose ends have the distance c, with the horizontal distance a and the vertical distance b. The
    length of the line exceeds c by at most 85 % of a + b - c, or 60 % with a friction coefficient below 0.1, because
    longer lines are slack on the bed.
    """
    rng = np.random.default_rng(seed)

    def draw(low: float, high: float) -> float:
        return float(rng.uniform(low, high))

    bed, start = BEDS[seed % len(BEDS)], STARTS[seed // len(BEDS) % len(STARTS)]
    n, height = int(rng.choice([20, 40, 60])), draw(5.0, 120.0)
    reach, mu = draw(0.5, 6.0) * height, 0.0 if rng.random() < 0.35 else draw(0.0, 1.0)
    world, slack = wl.World(gravity=(0.0, 0.0, -GRAVITY)), draw(-0.05, 0.85 if mu > 0.1 else 0.6)
    straight = float(np.hypot(reach, height))
    length = straight * (1.0 - 0.5 * max(-slack, 0.0)) + max(slack, 0.0) * (reach + height - straight)
    part, mass = length / n, float(10.0 ** draw(0.5, 2.5))
    weight, stiffness = mass * GRAVITY, float(10.0 ** draw(3.5, 6.5))
    bending = weight * (1e-9 * length**3 if rng.random() < 0.5 else draw(0.1, 3.0) * part**3)
    surfaces, end = create_bed(world, bed, rng, reach, part)
    s = np.linspace(0.0, 1.0, n + 1)[:, None]
    place = s * np.array([reach, 0.0, max(height, end + 0.02 * height)])
    bulge = np.sin(np.pi * s)
    if start == "side":
        place[:, 1:2] += draw(-0.8, 0.8) * reach * bulge
    elif start in ("arch", "inside"):
        place[:, 2:] += (draw(0.2, 1.5) if start == "arch" else draw(-2.0, -0.3)) * height * bulge
    elif start == "noise":
        place += sum(np.sin((k + 1) * np.pi * s) * rng.normal(size=3) * 0.1 * reach / (k + 1) for k in range(5))
    slope = np.gradient(place, axis=0)
    nodes = world.add(PointSlope3D, position=place, slope=slope / np.linalg.norm(slope, axis=1)[:, None])
    line = world.add(
        Cable3D, node0=nodes[:n], node1=nodes[1:], length=part, axial_stiffness=float(10.0 ** draw(6.0, 9.0)),
        bending_stiffness=bending, mass_per_length=mass,
    )  # fmt: skip
    columns: dict[str, Any] = {"points": int(rng.choice([2, 3, 4])), "contact_stiffness_per_length": stiffness}
    if mu > 0.0:
        columns |= {"friction_coefficient": mu, "friction_stiffness_per_length": stiffness * 10.0 ** draw(-1.5, 0.5)}
    contacts = con.add_surface_contact(world, surfaces, line, **columns)
    con.hinge(world, nodes_of(world, line)[[0, n]])
    return RandomLine(world, line, contacts, mu, weight * length)


def create_bed(
    world: wl.World, bed: str, rng: np.random.Generator, reach: float, part: float
) -> tuple[list[wl.Entity], float]:
    """Create a bed with the height 0 at the anchor. Waves have lengths from 1.5 cables to the reach of the line. Return
    the surfaces, and the height of the bed below the upper end [m].
    """
    marker = con.rigid_marker(world, world.add(Ground))
    if bed in ("level", "slope"):
        tilt = np.zeros(2) if bed == "level" else rng.uniform((-0.25, -0.15), (0.25, 0.15))
        normal = np.append(-tilt, 1.0) / np.hypot(1.0, np.linalg.norm(tilt))
        return [world.add(con.PlaneSurface, marker=marker, axis=tuple(normal))], float(tilt[0] * reach)
    if bed == "polyline":
        x = np.sort(rng.uniform(-0.1, 1.1, int(rng.integers(2, 40))))
        x = np.concatenate(([-0.2], x[np.diff(x, prepend=-0.2) > 0.02], [1.3])) * reach
        z = np.concatenate(([0.0], np.cumsum(np.diff(x) * rng.uniform(-0.3, 0.3, len(x) - 1))))
        z -= np.interp(0.0, x, z)
        rounding = float(rng.choice([0.0, 4.0 * part]))
        return con.add_bed(world, np.column_stack((x, z)), rounding=rounding), float(np.interp(reach, x, z))
    wave = float(np.exp(rng.uniform(np.log(1.5 * part), np.log(1.5 * reach + 1.5 * part))))
    wave = max(wave, reach / 20.0)
    x, y = (np.arange(low * reach, high * reach, wave / 6.0) for low, high in ((-0.4, 1.4), (-0.5, 0.5)))
    height, turn, phase = rng.uniform(0.005, 0.1) * wave, rng.uniform(-1.5, 1.5), rng.uniform(0.0, 6.0)
    along = np.cos(turn) * x[:, None] + np.sin(turn) * y
    heights = height * np.sin(2.0 * np.pi * along / wave + phase)
    heights -= con.BedGrid(x, y, heights).eval_heights(0.0, 0.0)
    grid = con.BedGrid(x, y, heights)
    return [con.add_bed_grid(world, grid)], float(grid.eval_heights(reach, 0.0))
