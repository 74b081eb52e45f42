"""Import of the options of a MoorDyn input file: gravity, bed and friction; see water.py for waves and currents."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from windlass.connectors.surface_contact.bed import BedGrid
from windlass.framework.arrays import FloatArray
from windlass.framework.errors import ModelError
from windlass.moordyn.input_file import InputFile
from windlass.moordyn.tables import find_numbers, read_table
from windlass.moordyn.water import read_current, read_waves

NUMERICAL = (
    "writelog", "dtm", "dt", "cfl", "tscheme", "dtic", "icdt", "tmaxic", "ictmax", "cdscaleic", "icdfac", "threshic",
    "icthresh", "icgendynamic", "gendynamicic", "fileic", "icfile", "dtwave", "unifycurrentgrid", "writeunits",
    "disableoutput", "disableouttime", "outswitch", "inertialf", "inertialf_rampt",
)  # fmt: skip
"""Options of MoorDyn's solver, which are ignored."""
KNOWN = (
    "g", "gravity", "rho", "rhow", "wtrdnsty", "wtrdpth", "kbot", "kb", "cbot", "cb", "wavekin", "currents",
    "frictioncoefficient", "fricdamp", "cv", "statdynfricscale", "mc", "mu_kt", "mu_ka", "dtout",
    "seafloorfile",
)  # fmt: skip
LEVEL = 12
"""Number of grid lines that are added beyond each edge of a grid of the sea floor, with the heights of this edge. From
line to line the slope of the spline through the heights decreases by a factor of 3.7.
"""


@dataclass(frozen=True)
class Environment:
    """Options of an input file, in SI units.

    Attributes:
        gravity: absolute value [m/s^2] of the gravitational acceleration.
        density: density [kg/m^3] of the water; 0 if there is no water.
        depth: largest depth [m] of the water.
        stiffness, damping: stiffness [N/m^3] and damping [N s/m^3] of the bed per area.
        friction: coefficient of friction [1] between lines and bed.
        friction_damping: friction force of a slowly sliding node, divided by the velocity [m/s] of the node and by the
            coefficient of friction, in N s/m.
        output_step: time [s] between rows of the output; 0 means one row for each step.
        bed: distances and heights [m] of the corners of a bed with a polyline as profile, shape (k, 2); empty for other
            beds.
        heading: direction [rad] of the distances in ``bed``: 0 along x, π/2 along y.
        grid: heights of a bed that vary along x and y; None for other beds.
        flow: columns of `Fluid` for waves and current.
    """

    gravity: float
    density: float
    depth: float
    stiffness: float
    damping: float
    friction: float
    friction_damping: float
    output_step: float
    bed: FloatArray
    heading: float
    grid: BedGrid | None
    flow: dict[str, Any]


def find_height(environment: Environment, place: FloatArray) -> float:
    """Return the height [m] of the bed below a point."""
    if environment.grid is not None:
        return float(environment.grid.eval_heights(place[0], place[1]))
    if not len(environment.bed):
        return -environment.depth
    along = place[1] if environment.heading else place[0]
    return float(np.interp(along, *environment.bed.T))


def read_environment(file: InputFile) -> Environment:
    """Read the options of a file. Options without an equivalent in Windlass are recorded in ``file``."""
    for name, (at, text) in file.options.items():
        if name not in (*NUMERICAL, *KNOWN):
            file.refuse(at, f"option {name} = {text}", f"must be one of {', '.join(KNOWN)}")
    ignored = [name for name in file.options if name in NUMERICAL]
    if ignored:
        file.notes.append(f"options of the solver of MoorDyn have no effect: {', '.join(ignored)}")
    depth = file.option(["wtrdpth"], 0.0, "m", 0.0, above=True)
    if "wtrdpth" not in file.options:
        file.faults.append("option WtrDpth is missing: must be given, > 0 m")
    mu = file.option(["frictioncoefficient"], 0.0, "1", 0.0)
    across, along = (file.option([name], mu, "1", 0.0) for name in ("mu_kt", "mu_ka"))
    if across != along:
        at = max(file.options[name][0] for name in ("mu_kt", "mu_ka") if name in file.options)
        file.refuse(at, f"mu_kt = {across:g}, mu_ka = {along:g}", "must be equal; friction has one coefficient")
    scale = file.option(["statdynfricscale", "mc"], 1.0, "1")
    if scale != 1.0 and across > 0.0:
        at = next(file.options[name][0] for name in ("statdynfricscale", "mc") if name in file.options)
        file.refuse(at, f"statdynfricscale = {scale:g}", "must be 1")
    bed, heading, grid = _read_sea_floor(file)
    if len(bed):
        depth = max(depth, -float(bed[:, 1].min()))
    elif grid is not None:
        depth = max(depth, -float(grid.heights.min()))
    return Environment(
        gravity=file.option(["g", "gravity"], 9.81, "m/s^2", 0.0),
        density=file.option(["rho", "rhow", "wtrdnsty"], 1025.0, "kg/m^3", 0.0),
        depth=depth,
        stiffness=file.option(["kbot", "kb"], 3e6, "Pa/m", 0.0),
        damping=file.option(["cbot", "cb"], 3e5, "Pa s/m", 0.0),
        friction=across,
        friction_damping=file.option(["fricdamp", "cv"], 200.0, "N s/m", 0.0),
        output_step=file.option(["dtout"], 0.0, "s", 0.0),
        bed=bed,
        heading=heading,
        grid=grid,
        flow=read_waves(file) | read_current(file),
    )


def _read_sea_floor(file: InputFile) -> tuple[FloatArray, float, BedGrid | None]:
    """Read the file with the heights of the bed, and return ``bed``, ``heading`` and ``grid`` of `Environment`. If the
    heights vary only along x or only along y, the polyline ``bed`` is used. Otherwise ``grid`` is used.
    """
    none = np.zeros((0, 2)), 0.0, None
    if "seafloorfile" not in file.options:
        return none
    at, name = file.options["seafloorfile"]
    rows = read_table(file, at, name, None, 0)
    if rows is None:
        return none
    if len(rows) < 4 or len(rows[0]) != 2 or [len(rows[1]), len(rows[2])] != rows[0]:
        file.refuse(at, name, "must have the numbers of x and y, the values of x, the values of y, and rows x, y, z")
        return none
    x, y = np.array(rows[1]), np.array(rows[2])
    grid = np.full((len(x), len(y)), np.nan)
    for row in rows[3:]:
        if len(row) != 3 or row[0] not in x or row[1] not in y:
            file.refuse(at, f"{name}: row {row}", "must be x, y, z at a point of the grid")
            return none
        grid[np.flatnonzero(x == row[0])[0], np.flatnonzero(y == row[1])[0]] = row[2]
    if not (grid < 0.0).all():
        file.refuse(at, name, "must have a height z < 0 m at each point of the grid")
        return none
    for values, heading in ((grid, 0.0), (grid.T, 0.5 * np.pi)):
        if (values == values[:, :1]).all():
            return _outline(y if heading else x, values[:, 0]), heading, None
    if not all((np.diff(lines) > 0.0).all() for lines in (x, y)):
        file.refuse(at, name, "must have values of x and of y in ascending order")
        return none
    # beyond the grid the bed is horizontal
    beyond = np.arange(1.0, LEVEL + 1.0)
    x, y = (np.concatenate((v[0] - beyond[::-1] * np.diff(v)[0], v, v[-1] + beyond * np.diff(v)[-1])) for v in (x, y))
    return none[0], 0.0, BedGrid(x, y, np.pad(grid, LEVEL, mode="edge"))


def _outline(distance: FloatArray, height: FloatArray) -> FloatArray:
    """Return the corners [m], shape (k, 2), of the polyline through points with the given distances and heights. The
    polyline is extended horizontally at both ends."""
    reach = max(float(np.ptp(distance)), 1.0)
    points = np.column_stack((distance, height))
    points = np.vstack((points[0] - [reach, 0.0], points, points[-1] + [reach, 0.0]))
    slopes = np.diff(points[:, 1]) / np.diff(points[:, 0])
    bends = np.abs(np.diff(slopes)) > 1e-9
    corners: FloatArray = points[np.concatenate(([True], bends, [True]))]
    return corners


def read_motion(path: Path) -> FloatArray:
    """Read a table of motions. Each row is a time [s] followed by numbers. Lines that begin with ``#`` or a word are
    comments.

    An additional row is appended. Its values are extrapolated from the last three rows by a parabola.

    Raises:
        ModelError: the file is not a table of motions, has fewer than four rows, begins after 0 s, or contains angles
            in degrees.
    """
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise ModelError(f"motion file {path} cannot be read: {error.strerror}") from None
    rows = []
    for number, line in enumerate(lines, 1):
        words = line.replace(",", " ").split()
        if find_numbers(words[:1]) is None and re.search(r"[\[(]\s*deg(rees?)?\b", line.lower()):
            raise ModelError(f"motion file {path}, line {number}: has angles in degrees: must have angles in rad")
        if not words or words[0][0] in "#!(" or (words[0][0].isalpha() and find_numbers(words[:1]) is None):
            continue
        values = find_numbers(words)
        if values is None or not np.isfinite(values).all():
            raise ModelError(f"motion file {path}, line {number}: must have finite numbers")
        rows.append(values)
        if len(rows[-1]) != len(rows[0]):
            raise ModelError(f"motion file {path}, line {number} has {len(words)} numbers: must have {len(rows[0])}")
    table = np.array(rows, dtype=np.float64)
    if len(table) < 4 or not (np.diff(table[:, 0]) > 0.0).all():
        raise ModelError(f"motion file {path}: must have four rows or more with times that rise")
    if table[0, 0] > 0.0:
        raise ModelError(f"motion file {path} begins at {table[0, 0]:g} s: must begin at 0 s or before")
    # a solve that ends at the last time of the table needs rates at this time, so one more row is appended
    after = 3.0 * table[-1] - 3.0 * table[-2] + table[-3]
    after[0] = 2.0 * table[-1, 0] - table[-2, 0]
    return np.vstack((table, after))
