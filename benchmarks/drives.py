"""Comparison of random belt drives with the theory of `drive_theory.py`, or with `Belt.steady`. The drives are created
by `wl.Belt` with default numerical parameters.

    python benchmarks/drives.py -count 100 -first 0
    python benchmarks/drives.py -count 30 -first 0 -layers true

Each drive has two to five pulleys. The ratios of radii are up to 4, EA is 1e4 to 1e6 N, friction coefficients are 0.2
to 1, and rhoA v²/T is up to 0.6. The cord is up to 5 mm above the face of the belt, on a rigid layer. The bending
stiffness has values from strings to ribbed belts. Each drive starts in its steady motion, by `Belt.steady`, and runs
for two revolutions of the belt. A drive whose speed losses are below 1e-4 runs for five revolutions. Vibrations from
the start change the mean of one revolution by up to 2e-6. The interval of the means begins after the first revolution.
If the verdict on a run recommends a smaller step, the drive runs again with half of the step size. The compared
quantities are the speed losses of all loaded pulleys, span tensions, hub loads, and torque and power of the driver. A
drive passes if all errors are below 1 %, or if the solver itself reports its result as doubtful. With the option
``-layers``, the layer between cord and face is elastic. These drives are compared with `Belt.steady`, because the
theory neglects that a bent belt touches a pulley on a shorter arc.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import cos, exp, inf, pi, sin, sqrt
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from drive_theory import Steady, Wheel, find_length, lay_lines, solve_drive

import windlass as wl
from windlass import connectors as con
from windlass.connectors.circle_contact.mesh import choose_elements
from windlass.connectors.drives.contact_choice import refine_for_layers
from windlass.elements import RigidBody2D
from windlass.solvers.stepping.statistics import Statistics

LAYERS = 7.0, 8.3
"""Range of the logarithms of random layer stiffnesses [N/m²]."""
STEPS_PER_CABLE = 4.236
"""Number of steps in which the belt moves by the length of one element. This number is not a whole number, because
otherwise the elements would be at the same few positions in all steps.
"""
PERIODS_PER_STEP = 0.5
"""Step size [1], relative to the period of vibration on the softest contact. The stiffness of the softest contact is k
= 1000 T/R². With longer steps, slow belts vibrate, and a note recommends a step size of half a period.
"""
REVOLUTIONS = 2.0
"""Revolutions of the belt in a run with usual speed losses. The interval of the means begins after the first
revolution.
"""
LONG_RUN = 5.0
"""Revolutions of the belt in a run with small speed losses."""
SMALL_LOSS = 1e-4
"""Largest speed loss [1] of a pulley that is treated as small. Means of small losses over one revolution have errors of
1 to 3 %.
"""
EVERY = 5
"""Number of steps between two records. Means of speeds and powers include all steps."""
ALLOWED = 0.01
SMALLER = re.compile("take a (smaller step|step below)")
"""Text in reasons for doubt that recommend a smaller step."""
STEADY_ELEMENTS = 80
"""Number of elements of a model without motion, sufficient to place the belt around all pulleys."""


@dataclass(frozen=True)
class Case:
    """Parameters of a drive. The driver is the first pulley, and the torques are load torques [N m].

    ``layer`` is the shear stiffness [N/m²] of the layer between cord and face.
    """

    seed: int
    centers: tuple[tuple[float, float], ...]
    radii: tuple[float, ...]
    EA: float
    EI: float
    rho: float
    tension: float
    friction: float
    cord: float
    speed: float
    torques: tuple[float, ...]
    layer: float = inf

    def wheels(self) -> list[Wheel]:
        """Return the pulleys for the theory, in which the stiffness of the layer refers to the length of the slack
        belt.
        """
        places, shear = zip(self.centers, self.radii, strict=True), self.layer * (1.0 + self.tension / self.EA)
        return [Wheel(at, R - self.cord, R, shear=shear, friction=self.friction) for at, R in places]

    def solve(self, length: float) -> Steady:
        """Return the steady motion by the theory. Half of each load torque is proportional to the speed of the
        pulley.
        """
        full, wheels = np.array((0.0, *self.torques)), self.wheels()
        rims, share = self.speed * self.radii[0] / np.array(self.radii), np.ones(len(self.radii))
        for _ in range(4):
            torques = full * 0.5 * (1.0 + share)
            steady = solve_drive(wheels, self.EA, self.rho, self.EI, length, 0, self.speed, torques)
            share = np.abs(steady.speeds) / rims
        return steady


def draw(seed: int, quick: bool = False) -> Case:
    """Return the random drive for a seed. If ``quick`` is true, the drive has two pulleys and an extensible belt, for
    which few elements are sufficient.
    """
    rng = np.random.default_rng(seed)

    def log_uniform(low: float, high: float) -> float:
        return float(low * (high / low) ** rng.random())

    while True:
        n = 2 if quick else int(rng.integers(2, 6))
        EA, mu = log_uniform(1e4, 2e4 if quick else 1e6), log_uniform(0.3 if quick else 0.2, 1.0)
        tension, rho = float(min(rng.uniform(250.0, 700.0), 0.03 * EA)), log_uniform(0.05, 0.3)
        large = float(rng.uniform(0.07, 0.12))
        radii = [float(large / rng.uniform(1.0, 2.0 if quick else 4.0)) for _ in range(n)]
        radii[int(rng.integers(n))] = large
        cord = float(rng.choice((0.0, 1.0)) * rng.uniform(0.0, 5e-3))
        EI, share = log_uniform(1e-5, 5e-3), float(rng.uniform(0.0, 0.6))
        reach = sum(radii) * rng.uniform(0.9, 1.4) if n > 2 else 0.5 * sum(radii) * rng.uniform(1.3, 2.5)
        places = 2.0 * pi * (np.arange(n) + (rng.uniform(-0.15, 0.15, n) if n > 2 else 0.0)) / n
        # the centres are in clockwise order, which is the direction in which the belt runs
        centers = tuple((float(reach * cos(-p)), float(reach * sin(-p))) for p in places)
        load, split = rng.uniform(0.2, 0.65), rng.dirichlet(np.ones(n - 1))
        wheels = [Wheel(at, R - cord, R, friction=mu) for at, R in zip(centers, radii, strict=True)]
        lengths, _, wraps = lay_lines(wheels, np.array(radii))
        if wraps.min() < 0.5 or wraps.max() > 5.0 or lengths.min() < 0.05:
            continue
        v = sqrt(share * tension / rho)
        v = max(v, 2.0)
        press = tension - rho * v * v
        if press < 0.35 * tension:
            continue
        q = exp(mu * float(wraps[0]) * load)
        change = min(2.0 * press * (q - 1.0) / (q + 1.0), 1.2 * press)
        torques = tuple(float(change * s * R) for s, R in zip(split, radii[1:], strict=True))
        case = Case(seed, centers, tuple(radii), EA, EI, rho, tension, mu, cord, v / radii[0], torques)
        slack = (lengths.sum() + wraps @ np.array(radii)) / (1.0 + tension / EA)
        try:
            steady = case.solve(slack)
        except ValueError:
            continue
        if (steady.slips < 0.8 * steady.wraps).all() and steady.presses.min() > 0.1 * tension:
            return case


@dataclass(frozen=True)
class Outcome:
    """Result of a run: errors [1] by name, efficiency [1], reasons of the verdict, means, counts of the solver, and
    process time [s].
    """

    errors: dict[str, float]
    efficiency: float
    reasons: list[str]
    elements: int
    report: wl.DriveReport
    statistics: Statistics
    seconds: float

    @property
    def steps(self) -> int:
        """Number of time steps."""
        return self.statistics.steps

    @property
    def worst(self) -> float:
        """Largest error [1]."""
        return max(map(abs, self.errors.values()))


class Motion(NamedTuple):
    """Numbers that are compared: speeds [rad/s], hub loads [N] of shape (pulleys, 2), and torques [N m] of pulleys, and
    tensions [N] of spans.
    """

    speeds: np.ndarray
    tensions: np.ndarray
    hubs: np.ndarray
    torques: np.ndarray


def read_motion(found: Steady | wl.DriveReport | wl.SteadyDrive) -> Motion:
    """Return the compared numbers of the theory, of means, or of a steady motion."""
    if isinstance(found, Steady):
        return Motion(found.speeds, found.tensions, found.hubs, found.torques)
    columns = [[getattr(duty, name) for duty in found.pulleys] for name in ("speed", "hub_load", "torque")]
    speeds, hubs, torques = map(np.array, columns)
    return Motion(speeds, np.array([span.tension for span in found.spans]), hubs, torques)


def lay_belt(
    case: Case, elements: int | None = None, step: float | None = None, contact: Any = "auto"
) -> tuple[wl.Belt, wl.Entity]:
    """Create the belt of a drive and the constraint that rotates the driver, and return both."""
    world = wl.World()
    bodies = [
        world.add(RigidBody2D, name=f"p{i}", position=at, mass=1.0, inertia=2e-3) for i, at in enumerate(case.centers)
    ]
    con.fix(world, bodies, "x", "y")
    drive = con.prescribe_velocity(world, bodies[0], "rotation", -case.speed)
    for body, R, torque in zip(bodies[1:], case.radii[1:], case.torques, strict=True):
        spin, speed = con.coordinate_marker(world, body, "rotation"), case.speed * case.radii[0] / R
        world.add(con.CoordinateSpringDamper, marker1=spin, damping=0.5 * torque / speed)
        world.add(con.CoordinateLoad, marker=spin, value=0.5 * torque)
    pulleys = [wl.Pulley(body, R - case.cord) for body, R in zip(bodies, case.radii, strict=True)]
    belt = wl.Belt(
        world, pulleys, tension=case.tension, axial_stiffness=case.EA, bending_stiffness=case.EI,
        mass_per_length=case.rho, axial_damping=1e-5 * case.EA, friction=case.friction, cord_offset=case.cord,
        elements=elements, step=step, contact=contact, layer_stiffness=None if case.layer == inf else case.layer,
    )  # fmt: skip
    return belt, drive


def find_steady(case: Case, belt: wl.Belt) -> wl.SteadyDrive:
    """Return the steady motion by `Belt.steady`, with the loads of `lay_belt`."""

    def create_load(torque: float, speed: float) -> Callable[[float], float]:
        return lambda now: 0.5 * torque * (1.0 - now / speed)

    rims = [case.speed * case.radii[0] / R for R in case.radii]
    loads = {f"p{i}": create_load(case.torques[i - 1], rims[i]) for i in range(1, len(rims))}
    return belt.steady({"p0": -case.speed}, loads)


def compare_steady(case: Case) -> tuple[dict[str, float], float]:
    """Return the errors of `Belt.steady` relative to the theory, and the errors [rad] of its slip arcs.

    The contact with the pulleys is rigid, as the theory assumes.
    """
    belt, _ = lay_belt(case, elements=STEADY_ELEMENTS, contact={"contact_stiffness_per_length": 1e15})
    steady = find_steady(case, belt)
    theory = case.solve(belt.length)
    slips = np.array([pulley.slip_arc for pulley in steady.pulleys])
    return compare(case, theory, steady), float(np.abs(slips - theory.slips).max())


METHOD: dict[str, Any] = {"method": "generalized_alpha_index2", "spectral_radius": 0.6}
"""Arguments of `wl.Dynamic` for the drives."""


@dataclass
class Start:
    """A drive at the start of its motion: belt, initial state, steady motion by `Belt.steady`, and step size [s]."""

    belt: wl.Belt
    state: wl.State
    steady: wl.SteadyDrive
    step: float


def create_start(
    case: Case, elements: int | None = None, steps_per_cable: float = STEPS_PER_CABLE, periods: float = PERIODS_PER_STEP
) -> Start:
    """Create a drive in its steady motion."""
    radii = np.array(case.radii)
    lengths, _, wraps = lay_lines(case.wheels(), radii)
    route, v = float(lengths.sum() + wraps @ radii), case.speed * case.radii[0]
    coarsest = choose_elements(route, case.tension / case.EA, case.radii, wraps * radii)
    count = elements or refine_for_layers(coarsest, route, [sqrt(case.EA / case.layer)])
    period = 2.0 * pi * float(radii.min()) * sqrt(case.rho / (1000.0 * case.tension))
    step = min(route / count / v / steps_per_cable, periods * period)
    belt, drive = lay_belt(case, elements, step)
    with belt.preload(drive):
        state = wl.Static(belt.world, name="").solve()
    steady = find_steady(case, belt)
    return Start(belt, belt.run(state, steady), steady, step)


def run(
    case: Case, elements: int | None = None, steps_per_cable: float = STEPS_PER_CABLE,
    revolutions: float | None = None, start: float | None = None, periods: float = PERIODS_PER_STEP,
    hooks: Sequence[wl.StepHook] = (), **settings: Any,
) -> Outcome:  # fmt: skip
    """Simulate a drive, and compare its means with the theory, or, for an elastic layer, with `Belt.steady`. ``start``
    is the fraction of the run after which means begin, and ``settings`` are further arguments of `wl.Dynamic`.
    """
    begin = time.process_time()
    origin = create_start(case, elements, steps_per_cable, periods)
    belt, steady = origin.belt, origin.steady
    is_rigid = case.layer == inf
    exact = case.solve(find_length(case.wheels(), case.EA, case.EI, case.tension)) if is_rigid else steady
    is_long = find_losses(case, read_motion(exact).speeds).max() < SMALL_LOSS
    turns = revolutions or (LONG_RUN if is_long else REVOLUTIONS)
    end = turns * belt.length / (case.speed * case.radii[0])
    means = belt.average(start=(1.0 / turns if start is None else start) * end, every=EVERY)
    solver = wl.Dynamic(belt.world, step=origin.step, end=end, name="", **METHOD, **settings)
    solver.solve(origin.state, hooks=[means, *hooks])
    report = means.report()
    assert report is not None
    return Outcome(
        compare(case, exact, report), report.efficiency, list(solver.verdict.reasons), belt.elements, report,
        solver.statistics, time.process_time() - begin,
    )  # fmt: skip


def find_losses(case: Case, speeds: np.ndarray) -> np.ndarray:
    """Return the speed loss [1] of each pulley relative to the driver, shape (pulleys,)."""
    rims = np.abs(speeds) * np.array(case.radii)
    return np.asarray(1.0 - rims / rims[0])


def compare(case: Case, exact: Steady | wl.SteadyDrive, found: wl.DriveReport | wl.SteadyDrive) -> dict[str, float]:
    """Return the errors of a motion, each relative to its exact value. Errors of speed losses are relative to the
    largest loss of a pulley.
    """
    own, right = read_motion(found), read_motion(exact)
    loss, ideal = (find_losses(case, one.speeds) for one in (own, right))
    errors = {"loss": float(np.abs(loss - ideal).max() / np.abs(ideal).max())}
    errors["tension"] = float(np.abs(own.tensions / right.tensions - 1.0).max())
    sizes = np.linalg.norm(right.hubs, axis=1)
    errors["hub"] = float((np.linalg.norm(own.hubs - right.hubs, axis=1) / sizes).max())
    errors["torque"] = abs(own.torques[0] / right.torques[0]) - 1.0
    errors["power"] = abs(own.torques[0] * own.speeds[0] / (right.torques[0] * right.speeds[0])) - 1.0
    return errors


def main() -> None:
    """Run the drives, and print the number of drives that agree."""
    count = int(wl.option("count", 100, "1", "number of drives", minimum=1))
    first = int(wl.option("first", 0, "1", "seed of the first", minimum=0))
    layers = wl.option("layers", False, "", "draw layers of 1e7 to 2e8 N/m²")
    right, doubtful, wrong, above, again = 0, 0, 0, 0, 0
    for seed in range(first, first + count):
        case = draw(seed)
        if layers:
            case = replace(case, layer=float(10.0 ** np.random.default_rng(1000 + seed).uniform(*LAYERS)))
        try:
            out = run(case)
            if any(SMALLER.search(reason) for reason in out.reasons):
                again += 1
                print(f"{seed}: {100 * out.worst:.2f} %, efficiency {out.efficiency:.5f}, again with half the step")
                out = run(case, steps_per_cable=2.0 * STEPS_PER_CABLE, periods=0.5 * PERIODS_PER_STEP)
        except wl.WindlassError as error:
            print(f"{seed}: {error}", flush=True)
            wrong += 1
            continue
        ok = out.worst <= ALLOWED
        right, doubtful, wrong = (
            right + ok,
            doubtful + (not ok and bool(out.reasons)),
            wrong + (not ok and not out.reasons),
        )
        above += out.efficiency > 1.0
        errors = ", ".join(f"{name} {100 * error:+.2f} %" for name, error in out.errors.items())
        share = case.rho * (case.speed * case.radii[0]) ** 2 / case.tension
        print(
            f"{seed}: {len(case.radii)} pulleys, EA {case.EA:.3g} N, mu {case.friction:.2f}, EI {case.EI:.2g} N m², "
            f"cord {1e3 * case.cord:.1f} mm, layer {case.layer:.3g} N/m², rhoA v²/T {share:.2f}: {errors}; "
            f"efficiency {out.efficiency:.5f}; {out.elements} elements, {out.steps} steps, {out.seconds:.0f} s "
            f"{'; '.join(out.reasons)}",
            flush=True,
        )
    print(
        f"{right} of {count} within 1 %, {doubtful} doubtful, {wrong} wrong; efficiency above 1: {above}; "
        f"{again} with half the step"
    )


if __name__ == "__main__":
    main()
