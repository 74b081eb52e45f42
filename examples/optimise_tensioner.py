"""Optimisation of the tensioner and the pulley positions of a serpentine drive with exact derivatives. The optimum has
the least slip, and the frequencies of all spans are outside of two bands.

The command ``windlass run examples/optimise_tensioner.py`` runs the example. The option ``-help`` lists all options. A
static solve finds the tension F_0 of the mounted belt, which has a constant length and is tightened by the spring of
the tensioner. `wl.evaluate` computes the derivatives of this tension with respect to the torque of the spring and the
positions of two pulleys. The method SLSQP of SciPy uses these derivatives. For comparison, the options ``-method
simplex`` and ``-method evolution`` select the method of Nelder and Mead and differential evolution, which do not use
derivatives.

In motion, the spring keeps the force F_0 = N - ρA v² in both spans at the tensioner constant. The force F_i, the
tension N_i and the frequency f_i of each of the remaining spans are

    F_i = F_{i-1} + M_i/R_i,    N_i = F_i + ρA v²,    f_i = √(N_i/ρA)/(2 L_i) (1 - ρA v²/N_i)

Span i follows a pulley with the torque M_i and the radius R_i at the cord. L_i is the length of the span, v the speed
and ρA the mass per length of the belt. A pulley has the friction coefficient μ, the wrap angle θ, the radius r of its
face and the radius R of the cord. The share of the friction limit that the pulley uses is ln(F_i/F_{i-1})/(μ θ r/R).
The objective is the mean of these shares over crank, alternator and compressor. For each pulley, this share is 1 minus
its slip reserve. The search has two types of limits: each frequency f_i must lie outside of the bands ``-low_band`` and
``-high_band``, and the largest tension N must not exceed ``-largest``.

The last table compares the optimum with a solution for the running drive (`Belt.steady`). This solution also includes
the rotation of the tensioner under load, the bending stiffness of the belt, and creep. In the optimisation, both bands
are widened by a margin, which is larger than the differences between the two solutions.

Source: Euler and Eytelwein; SLSQP: D. Kraft, DFVLR-FB 88-28 (1988).
"""

from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from io import StringIO

import numpy as np
from scipy import optimize

import windlass as wl
from windlass import connectors as con
from windlass.elements import RigidBody2D, nodes_of

method = wl.option("method", "gradient", "", "search", choices=("gradient", "simplex", "evolution"))
solves = wl.option("solves", 60, "1", "maximum number of statics solves of the search", minimum=2)
low_band = wl.option("low_band", "140:155", "Hz", "frequencies that no span may have")
high_band = wl.option("high_band", "235:250", "Hz", "frequencies that no span may have")
largest = wl.option("largest", 900.0, "N", "largest tension of the running belt", minimum=1.0)
speed = wl.option("speed", 80.0, "rad/s", "speed of the crank", minimum=1.0)
output = wl.option("output", "optimise_tensioner_out", "", "folder for results; 'none' writes no files")
folder = None if output == "none" or wl.help_requested() else wl.create_output_folder(output)
# margin [1] by which both bands are widened, because the results of the formulas differ from the running drive
MARGIN = 0.03
BANDS = [
    tuple(float(end) * (1.0 + side * MARGIN) for side, end in zip((-1, 1), band.split(":"), strict=True))
    for band in (low_band, high_band)
]

# pulleys in the order of the belt: centres and radii [m], sides, and torques [N m] of the driven machines
AT = {"crank": (0.0, 0.0), "tensioner": (-0.07, 0.18), "alternator": (-0.05, 0.35), "idler": (0.115, 0.255)}
AT["compressor"] = (0.25, 0.1)
RADII, SIDES = np.array([0.08, 0.035, 0.03, 0.035, 0.06]), ("right", "left", "right", "left", "right")
TORQUES, LOADED = np.array([0.0, 0.0, 6.0, 0.0, 12.0]), [0, 2, 4]
# friction coefficients of the ribs and of the back, and heights [m] of the cord above both faces; pivot [m] of the arm
# and stiffness [N m/rad] of its spring; tension [N] of the mounted belt, EA [N], EI [N m^2], mass per length [kg/m]
FRICTION, CORD = np.array([0.8, 0.4, 0.8, 0.4, 0.8]), np.array([0.002, 0.001, 0.002, 0.001, 0.002])
PIVOT, SPRING, MOUNTED, EA, EI, RHO = (-0.16, 0.10), 15.0, 400.0, 2e5, 5e-3, 0.1
CORDS, SIGNS = RADII + CORD, np.array([-1.0, 1.0, -1.0, 1.0, -1.0])
SPANS = [f"{one}-{two}" for one, two in zip(AT, [*list(AT)[1:], "crank"], strict=True)]
V = speed * CORDS[0]  # speed [m/s] of the belt

# start value, smallest value and largest value of each parameter: torque [N m] of the spring in the mounted drive, and
# positions [mm]
PARAMETERS = {
    "spring torque": (18.0, 12.0, 30.0),
    "idler x": (115.0, 107.0, 123.0),
    "idler y": (255.0, 247.0, 263.0),
    "alternator x": (-50.0, -58.0, -42.0),
    "alternator y": (350.0, 342.0, 358.0),
}
START, LOW, HIGH = np.array(list(PARAMETERS.values())).T


def build_belt(world: wl.World, bodies: list[wl.Entity], friction: np.ndarray, **length: float) -> wl.Belt:
    """Return a belt around the pulleys ``bodies`` with their friction coefficients. ``length`` contains the tension or
    the length of the belt.
    """
    columns = zip(bodies, RADII.tolist(), SIDES, friction.tolist(), strict=True)
    pulleys = [wl.Pulley(body, radius, side, friction=mu) for body, radius, side, mu in columns]
    with redirect_stdout(StringIO()):  # the belt prints equal notes for all models, so these notes are suppressed
        return wl.Belt(
            world, pulleys, axial_stiffness=EA, bending_stiffness=EI, mass_per_length=RHO, cord_offset=(0.002, 0.001),
            **length,
        )  # fmt: skip


class Drive:
    """The drive at rest. The mounted belt does not depend on the parameters.

    Attributes:
        world, bodies, arm, belt: the model, the bodies of the pulleys in the order of the belt, the arm of the
            tensioner, and the belt.
    """

    def __init__(self, p: Mapping[str, float]) -> None:
        self.world = world = wl.World()
        self.bodies = bodies = [
            world.add(RigidBody2D, name=name, position=at, mass=0.5, inertia=1e-3) for name, at in AT.items()
        ]
        self.arm = arm = world.add(RigidBody2D, name="arm", position=PIVOT, mass=0.5, inertia=2e-3)
        con.fix(world, [bodies[0], bodies[4], arm], "x", "y")
        for body, name in ((bodies[2], "alternator"), (bodies[3], "idler")):
            for axis, mounted in zip("xy", AT[name], strict=True):
                con.prescribe(world, body, axis, 1e-3 * p[f"{name} {axis}"] - mounted)
        con.fix(world, bodies, "rotation")
        end = con.rigid_marker(world, arm, tuple(np.subtract(AT["tensioner"], PIVOT)))
        world.add(con.RevoluteJoint2D, marker0=end, marker1=con.rigid_marker(world, bodies[1]))
        swing = con.coordinate_marker(world, arm, "rotation")
        world.add(con.CoordinateSpringDamper, marker1=swing, stiffness=SPRING, offset=-p["spring torque"] / SPRING)
        # Without friction, the belt slides to its equilibrium. One fixed node prevents a motion of the belt along its
        # axis.
        self.belt = build_belt(world, bodies, 0.0 * FRICTION, tension=MOUNTED)
        con.fix(world, nodes_of(world, self.belt.cables)[lowest(self.belt)], "x")

    def results(self, state: wl.State) -> dict[str, float]:
        """Return the mean share of the friction limit (slip) [1], the largest tension [N], the rotation [rad] of the
        arm, and the frequencies [Hz] of the spans.
        """
        centres = np.array([wl.eval_output(body, "position", state)[:2] for body in self.bodies])
        spans, wraps = find_geometry(centres)
        forces = self.belt.report(state).spans[0].tension + np.cumsum(TORQUES / CORDS)
        tensions = forces + RHO * V**2
        frequencies = np.sqrt(tensions / RHO) / (2.0 * spans) * (1.0 - RHO * V**2 / tensions)
        shares = np.abs(np.log(forces / np.roll(forces, 1))) / (FRICTION * wraps * RADII / CORDS)
        return {
            "slip": float(shares[LOADED].mean()),
            "largest tension": float(tensions[-1]),
            "rotation of the arm": float(wl.eval_output(self.arm, "rotation", state)),
            **dict(zip(SPANS, frequencies.tolist(), strict=True)),
        }


def model(p: Mapping[str, float]) -> tuple[wl.World, Callable[[wl.State], dict[str, float]]]:
    """Return the model and the function of its results, for `wl.evaluate`."""
    drive = Drive(p)
    return drive.world, drive.results


def lowest(belt: wl.Belt) -> int:
    """Return the index of the node at the bottom of the crank, where the belt runs along x."""
    places = belt.route.eval_points(belt.route.length * np.arange(len(belt.cables)) / len(belt.cables))[0]
    return int(places[:, 1].argmin())


def find_geometry(centres: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the lengths [m] of the spans and the wrap angles [rad] of a belt on circles with the given centres."""
    lines = np.roll(centres, -1, axis=0) - centres
    across = np.roll(SIGNS * CORDS, -1) - SIGNS * CORDS
    spans = np.sqrt((lines**2).sum(axis=1) - across**2)
    directions = np.arctan2(lines[:, 1], lines[:, 0]) - np.arctan2(across, spans)
    return spans, (SIGNS * (directions - np.roll(directions, 1))) % (2.0 * np.pi)


class Spent(Exception):
    """Exception that is raised when the maximum number of solves is reached."""


class Search:
    """Object that evaluates the drive at points, and stores the best result. The coordinates of a point are fractions
    of the ranges of the parameters.

    Attributes:
        solves: number of static solves.
        history: slip of the best result within all limits after each solve, or infinity if no result so far is within
            all limits.
        best: slip of the best result within all limits, and the point of this result.
    """

    def __init__(self) -> None:
        self.solves, self.history, self.best = 0, [], (np.inf, np.zeros(len(START)))
        self._last: tuple[np.ndarray, dict, dict] | None = None

    def solve(self, world: wl.World) -> wl.State:
        """Return the equilibrium of a model, computed by statics."""
        self.solves += 1
        return wl.Static(world, rtol=1e-10, atol=1e-8, name="").solve()

    def evaluate(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return objective and limits at a point, shape (12,), and their derivatives, shape (12, parameters)."""
        if self._last is None or not np.array_equal(self._last[0], x):
            if self.solves >= solves:
                raise Spent
            y, dy = wl.evaluate(model, self.values(x), solve=self.solve)
            self._last = x.copy(), y, dy
            self.remember(x, y)
        _, y, dy = self._last
        rates = {name: np.array(list(each.values())) * (HIGH - LOW) for name, each in dy.items()}
        return rate(y, rates)

    def evaluate_alone(self, x: np.ndarray) -> float:
        """Return the objective at a point, without derivatives and with the violations of limits added. The result is
        10 if the solve does not converge.
        """
        if self.solves >= solves:
            raise Spent
        drive = Drive(self.values(np.clip(x, 0.0, 1.0)))
        try:
            y = drive.results(self.solve(drive.world))
        except wl.NotConverged:
            self.history.append(self.best[0])
            return 10.0
        self.remember(x, y)
        found = rate(y, dict.fromkeys(y, np.zeros(1)))[0]
        return float(found[0] - np.minimum(found[1:], 0.0).sum())

    def remember(self, x: np.ndarray, y: dict[str, float]) -> None:
        """Store the result as the best result if it is within all limits and has the least slip so far, and extend the
        history."""
        inside = rate(y, dict.fromkeys(y, np.zeros(1)))[0][1:].min() > -1e-6
        if inside and y["slip"] < self.best[0]:
            self.best = y["slip"], x.copy()
        self.history.append(self.best[0])

    @staticmethod
    def values(x: np.ndarray) -> dict[str, float]:
        """Return the values of the parameters at a point."""
        return dict(zip(PARAMETERS, (LOW + x * (HIGH - LOW)).tolist(), strict=True))


def rate(y: dict[str, float], rates: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return the objective and the limits, and the derivatives of both from the derivatives of the results. A limit is
    met if its value is >= 0.
    """
    found = [(y["slip"], rates["slip"])]
    found.append((1.0 - y["largest tension"] / largest, -rates["largest tension"] / largest))
    for name in y:
        if name in SPANS:
            for low, high in BANDS:
                # a parabola that is 0 at the ends of the band and -1 in its middle
                scale = 0.25 * (high - low) ** 2
                product = (y[name] - low) * (y[name] - high) / scale
                found.append((product, rates[name] * (2.0 * y[name] - low - high) / scale))
    values, slopes = zip(*found, strict=True)
    return np.array(values), np.array(slopes)


def find_optimum(search: Search) -> str:
    """Search for the optimum from the start values, and return the reason why the search ended."""
    start = (START - LOW) / (HIGH - LOW)
    bounds = [(0.0, 1.0)] * len(start)
    try:
        if method == "gradient":
            limits = {
                "type": "ineq",
                "fun": lambda x: search.evaluate(x)[0][1:],
                "jac": lambda x: np.ascontiguousarray(search.evaluate(x)[1][1:]),
            }
            ended = optimize.minimize(
                lambda x: search.evaluate(x)[0][0], start, jac=lambda x: search.evaluate(x)[1][0], method="SLSQP",
                bounds=bounds, constraints=[limits], options={"ftol": 1e-6},
            )  # fmt: skip
        elif method == "simplex":
            before = np.inf
            while search.best[0] < before - 1e-4 or not np.isfinite(before):
                # if the simplex has become small, the search begins again with a new simplex at the best point
                before = search.best[0]
                ended = optimize.minimize(
                    search.evaluate_alone, start, method="Nelder-Mead", bounds=bounds,
                    options={"xatol": 1e-3, "fatol": 1e-5, "maxfev": solves + 1},
                )  # fmt: skip
                start = search.best[1]
        else:
            settings = {"x0": start, "seed": 1, "polish": False, "tol": 1e-4}
            ended = optimize.differential_evolution(search.evaluate_alone, bounds, **settings)
    except Spent:
        return f"ended after {solves} solves, the maximum"
    return "converged" if ended.success else f"ended early: {ended.message}"


def find_steady(p: Mapping[str, float], turn: float) -> wl.SteadyDrive:
    """Return the running drive for the parameters ``p``, mounted at the rotation ``turn`` [rad] of the arm that the
    static solve has found.
    """
    world = wl.World()
    at = {name: np.array(place) for name, place in AT.items()}
    for name in ("alternator", "idler"):
        at[name] = 1e-3 * np.array([p[f"{name} x"], p[f"{name} y"]])
    reach, c, s = np.subtract(AT["tensioner"], PIVOT), np.cos(turn), np.sin(turn)
    at["tensioner"] = np.array(PIVOT) + (c * reach[0] - s * reach[1], s * reach[0] + c * reach[1])
    bodies = [world.add(RigidBody2D, name=name, position=at[name], mass=0.5, inertia=1e-3) for name in AT]
    other = wl.World()
    places = [other.add(RigidBody2D, name=name, position=AT[name], mass=0.5, inertia=1e-3) for name in AT]
    belt = build_belt(world, bodies, FRICTION, length=build_belt(other, places, FRICTION, tension=MOUNTED).length)
    arm = wl.TensionerArm("tensioner", PIVOT, lambda more: -p["spring torque"] - SPRING * (turn + more))
    torques = {"alternator": TORQUES[2], "compressor": TORQUES[4]}
    return belt.steady({"crank": -speed}, torques, arms=[arm])


def main() -> None:
    """Search for the optimum, and compare it with the start values and with the running drive."""
    search = Search()
    ended = find_optimum(search)
    start, best = (search.values(x) for x in ((START - LOW) / (HIGH - LOW), search.best[1]))
    found = []
    for p in (start, best):
        drive = Drive(p)
        state = wl.Static(drive.world, name="").solve()
        found.append(drive.results(state))
    at_start, y = found
    steady = find_steady(best, y["rotation of the arm"])
    shares = [1.0 - steady[name].slip_reserve for name in ("crank", "alternator", "compressor")]
    running = dict(zip(SPANS, [span.string_frequency for span in steady.spans], strict=True))
    running |= {"slip": float(np.mean(shares)), "largest tension": max(span.tension for span in steady.spans)}
    if wl.is_first_process():
        print(f"{search.solves} solves; {ended}")
        for name, value in best.items():
            unit = "N m" if name == "spring torque" else "mm"
            print(f"  {name}: {value:.4g} {unit}, at the start {start[name]:.4g} {unit}")
        units = {"slip": "1", "largest tension": "N"} | dict.fromkeys(SPANS, "Hz")
        rows = [(f"{name} [{unit}]", y[name], at_start[name], running[name]) for name, unit in units.items()]
        print(wl.format_comparison(rows, ("start", "running drive")))
    history = [slip if np.isfinite(slip) else None for slip in search.history]
    summary = {"solves": search.solves, "ended": ended, "history": history, "parameters": best}
    wl.write_summary(summary | {"start": at_start, "optimum": y, "running": running})
    if folder:
        drive.belt.draw(folder / "belt.png", state)


if not wl.help_requested():
    main()
