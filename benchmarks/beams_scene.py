"""Models of beams.py for all three programs, and the command line of the programs for PyElastica and Exudyn. The models
are a cantilever and a helical spring, which are pulled from rest.

The force at the free end grows linearly during half of the first period T of a straight cantilever, and is then
constant. The result is the position of the free end at T. The shapes hardly depend on the slenderness, because the
force is proportional to EI/L².
"""

import argparse
import json
import math
import platform
import resource
from collections.abc import Callable
from typing import Any

Vector = tuple[float, float, float]
Solve = Callable[[str, int, int, float, int], tuple[Vector, dict[str, float]]]
"""Function of shape, slenderness, number of elements, end [s] and number of steps. The function returns the position
[m] of the free end, and process time and elapsed time of the solve [s].
"""
LENGTH, MODULUS, POISSON, DENSITY = 1.0, 1e7, 0.3, 1000.0  # length [m], E [Pa], ν [1], ρ [kg/m^3]
SHEAR_FACTOR = 27.0 / 28.0  # shear correction factor [1] of a round section, which PyElastica always uses
HELIX_RADIUS, HELIX_PITCH = 0.12, math.radians(25.0)  # radius [m] and pitch angle [rad] of the helix
FORCES = {"cantilever": (0.0, 0.8, 1.1), "helix": (0.0, 0.0, 3.0)}
"""Forces at the free end, in units of EI/L^2."""
LIMIT = 3.1e-4
"""Largest allowed error [1] of the position of the free end, relative to the length."""
REFERENCE = {
    ("cantilever", 50): (0.957444, 0.153397, 0.210921),
    ("cantilever", 200): (0.957713, 0.152818, 0.210124),
    ("helix", 50): (-0.1016, 0.074809, 0.492968),
    ("helix", 200): (-0.101684, 0.07451, 0.493021),
}
"""Positions [m] of the free end at T, by shape and slenderness. All three programs converge to these values."""


def wind(shape: str, s: float) -> tuple[Vector, Vector, Vector]:
    """Return the point [m], the tangent and a normal at the arc length s [m] of the unloaded axis. The normal of a
    helix points towards the axis of the helix.
    """
    if shape == "cantilever":
        return (s, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    c, rise = math.cos(HELIX_PITCH), math.sin(HELIX_PITCH)
    turned = c * s / HELIX_RADIUS
    x, y = math.cos(turned), math.sin(turned)
    return (HELIX_RADIUS * (x - 1.0), HELIX_RADIUS * y, rise * s), (-c * y, c * x, rise), (-x, -y, 0.0)


def find_section(slenderness: int) -> tuple[float, float]:
    """Return area [m^2] and second moment of area [m^4] of a round section whose radius is the length divided by the
    slenderness."""
    radius = LENGTH / slenderness
    return math.pi * radius**2, math.pi * radius**4 / 4.0


def create_columns(slenderness: int) -> dict[str, Any]:
    """Create the columns of `Beam3D` for the section of `find_section`: diagonals of the stiffness and of the rotary
    inertia per length, and the mass per length."""
    area, second = find_section(slenderness)
    G = MODULUS / (2.0 + 2.0 * POISSON)
    EI, shear = MODULUS * second, SHEAR_FACTOR * G * area
    return {
        "stiffness": (MODULUS * area, shear, shear, 2.0 * G * second, EI, EI),
        "mass_per_length": DENSITY * area,
        "rotary_inertia": (2.0 * DENSITY * second, DENSITY * second, DENSITY * second),
    }


def find_period(slenderness: int) -> float:
    """Return the period T [s]."""
    area, second = find_section(slenderness)
    return 2.0 * math.pi / (3.516 * math.sqrt(MODULUS * second / (DENSITY * area)) / LENGTH**2)


def find_force(shape: str, slenderness: int) -> Vector:
    """Return the final force [N] at the free end."""
    unit = MODULUS * find_section(slenderness)[1] / LENGTH**2
    x, y, z = FORCES[shape]
    return unit * x, unit * y, unit * z


def find_error(shape: str, slenderness: int, end: Vector) -> float:
    """Return the distance of the free end from `REFERENCE`, relative to the length.

    Raises: ValueError: the distance exceeds `LIMIT`, so the times of two programs cannot be compared at equal errors.
    """
    error = math.dist(end, REFERENCE[shape, slenderness]) / LENGTH
    if not error <= LIMIT:
        raise ValueError(f"error {error:g} of {shape} with slenderness {slenderness}: must be <= {LIMIT:g}")
    return error


def print_result(
    shape: str, slenderness: int, steps: int, end: Vector, times: dict[str, float], version: dict[str, str]
) -> None:
    """Print the RESULT line of a run: times [s], position [m] of the free end, its error, memory and versions."""
    result = {
        **times,
        "counts": {"solves": 1, "steps": steps},
        "answers": dict(zip("xyz", end, strict=True)),
        "measured": {
            "error [1e-6]": 1e6 * find_error(shape, slenderness, end),
            "memory [MB]": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0,
        },
        "versions": {**version, "python": platform.python_version()},
    }
    print("RESULT " + json.dumps(result))


def run_model(doc: str | None, solve: Solve, version: dict[str, str]) -> None:
    """Run the command SHAPE SLENDERNESS ELEMENTS STEPS of another program: five steps, to exclude work that occurs once
    per process, and then the whole period.

    Args:
        doc: text of the command's help.
        version: version of the program by its name.
    """
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shape", choices=tuple(FORCES))
    for name in ("slenderness", "elements", "steps"):
        parser.add_argument(name, type=int)
    given = parser.parse_args()
    period = find_period(given.slenderness)
    solve(given.shape, given.slenderness, given.elements, 5.0 * period / given.steps, 5)
    end, times = solve(given.shape, given.slenderness, given.elements, period, given.steps)
    print_result(given.shape, given.slenderness, given.steps, end, times, version)
