"""Measurement of the effect of `wl.Dynamic(decide_in_newton=N)`, the number of residual evaluations in which contact
states of belts may change.

An example is the command ``python benchmarks/decisions.py -cases stiff,seed:1 -decisions 0,5,10``. The cases are stiff,
soft, fast and cord, which are drives of two pulleys (default), and seed:K for the random drive K of drives.py. Each run
starts in the steady motion of `Belt.steady`. The program prints, for each case and each N, the process time, the number
of steps, Newton iterations, tangents and passes per step, rejected attempts, means over the second half of the run, the
remainder of the energy balance, and reasons for doubt.

With ``-compare 600``, the program instead compares 600 steps with N = 0 and N = 10. Both runs have small tolerances,
start from the state after `SETTLING` steps, and should have the same results.
"""

from __future__ import annotations

from math import asin, exp, pi, sqrt

import numpy as np
from drives import METHOD, Case, create_start, draw, read_motion, run

import windlass as wl


def create_drive(
    EA: float, friction: float, share: float, cord: float = 0.0, radii: tuple[float, float] = (0.05, 0.1)
) -> Case:
    """Create a drive of two pulleys with a load of 0.6 of the largest load.

    Args:
        EA: axial stiffness [N].
        friction: friction coefficient [1].
        share: ratio [1] of ρA v² to the tension of 400 N.
        cord: height [m] of the cord above the face.
        radii: radii [m] of driver and driven pulley at the cord.
    """
    tension, rho, distance = 400.0, 0.2, 0.4
    speed, press = sqrt(share * tension / rho), tension * (1.0 - share)
    ratio = exp(0.6 * friction * (pi - 2.0 * asin(abs(radii[1] - radii[0]) / distance)))
    torque = 2.0 * press * (ratio - 1.0) / (ratio + 1.0) * radii[1]
    places = (0.0, 0.0), (distance, 0.0)
    return Case(0, places, radii, EA, 1e-4, rho, tension, friction, cord, speed / radii[0], (torque,))


DRIVES = {
    "stiff": create_drive(2e5, 0.3, 0.05),
    "soft": create_drive(2e4, 0.8, 0.05),
    "fast": create_drive(2e4, 0.5, 0.5),
    "cord": create_drive(1e5, 0.8, 0.05, cord=0.002, radii=(0.075, 0.03)),
}


SETTLING = 5
"""Number of steps before a comparison. In the first steps, attempts are rejected at different sizes of the step."""


def compare(case: Case, steps: int) -> tuple[float, float, tuple[int, int]]:
    """Compute some steps with decisions between and inside Newton runs. Return the largest difference of coordinates
    [m, 1, rad], the relative difference of the work of sliding friction, and the numbers of steps of both runs.
    """
    origin = create_start(case)
    step, state, ends, works, counts = origin.step, origin.state, list[np.ndarray](), list[float](), list[int]()
    exact = {"rtol": 1e-11, "passes": wl.Passes(atol=1e-10, rtol=1e-11, max_it=30), "name": "", **METHOD}
    state = wl.Dynamic(origin.belt.world, step=step, end=state.t + SETTLING * step, decide_in_newton=0, **exact).solve(
        state
    )
    for count in (0, 10):
        ledger = wl.EnergyLedger()
        solver = wl.Dynamic(
            origin.belt.world, step=step, end=state.t + steps * step, decide_in_newton=count, decide_at_start=False,
            **exact,
        )  # fmt: skip
        ends.append(solver.solve(state.copy(), hooks=[ledger]).q)
        works.append(ledger.totals["ContactFrictionCirclePoints2D.sliding"])
        counts.append(solver.statistics.steps)
    return float(np.abs(ends[0] - ends[1]).max()), abs(works[1] / works[0] - 1.0), (counts[0], counts[1])


def main() -> None:
    """Run the drives and print their counts and results."""
    cases = str(wl.option("cases", ",".join(DRIVES), "", "drives, separated by commas"))
    counts = str(wl.option("decisions", "0,5,10", "", "values of decide_in_newton, separated by commas"))
    compared = int(wl.option("compare", 0, "1", "steps with both methods that are compared; 0: none", minimum=0))
    revolutions = float(wl.option("revolutions", 0.6, "1", "revolutions of the belt", minimum=0.01))
    for name in cases.split(","):
        case = DRIVES[name] if name in DRIVES else draw(int(name.removeprefix("seed:")))
        if compared:
            place, work, steps = compare(case, compared)
            print(
                f"{name}: coordinates differ by {place:.2g}, friction work by {work:.2g}; {steps[0]}, {steps[1]} steps"
            )
            continue
        for count in map(int, counts.split(",")):
            ledger = wl.EnergyLedger()
            out = run(case, revolutions=revolutions, start=0.5, hooks=[ledger], decide_in_newton=count)
            found, motion = out.statistics, read_motion(out.report)
            attempts = found.steps + found.rejected
            print(
                f"{name}, decisions {count}: {found.cpu_time:.2f} s, {found.steps} steps, "
                f"{found.newton_iterations / found.steps:.2f} iterations, {found.jacobians / found.steps:.2f} tangents "
                f"and {found.discontinuous_iterations / found.steps:.3f} passes per step, "
                f"{100.0 * found.rejected / attempts:.1f} % of the attempts rejected; speed {motion.speeds[-1]:.7g} "
                f"rad/s, tension {motion.tensions[0]:.6g} N, torque {motion.torques[0]:.6g} N m, remainder "
                f"{ledger.rest:.3g} J {'; '.join(out.reasons)}",
                flush=True,
            )


if __name__ == "__main__":
    main()
