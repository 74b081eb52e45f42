"""Comparison of contact at points of the cubic axis and contact of straight segments, with tables of accuracy and cost.

usage: contact_forms.py [PART ...] [--results FOLDER]

PART is capstan, bent, stiff, creep, free or cost. By default, all parts are run, which takes about five minutes.

- capstan: tension ratio of a rope that is pulled over half a turn, compared with exp(mu pi).
- bent: tension of a preloaded belt with bending stiffness, compared with the elastica on a foundation.
- stiff: tension of a preloaded belt with EA = 4e5 N and the reference strain -0.001.
- creep: speed loss and tensions of loaded drives, compared with the theory with inertia, and iterations of the solver.
- free: largest and mean traction of a belt without load, as a fraction of the friction limit.
- cost: time of residual, tangent and update for each closed segment or point, and for each open segment or point.

The models are in tests/support/contact_forms.py, and the theory is in tests/support/belt_theory.py.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable
from functools import partial
from math import exp, pi
from pathlib import Path
from typing import Any

import numpy as np
from harness import ROOT
from report import RESULTS, align, describe_machine

sys.path.insert(0, str(ROOT / "tests"))
# these arguments are removed from the command line, because Windlass would read these arguments as its options
WORDS = sys.argv[1:]
del sys.argv[1:]

from windlass.connectors import (  # noqa: E402
    ContactCircleCable2D,
    ContactFrictionCircleCable2D,
    ContactFrictionCirclePoints2D,
)
from windlass.framework.assembly.post_newton import run_post_newton  # noqa: E402
from windlass.framework.model.system import evaluate  # noqa: E402
from windlass.solvers.stepping.discontinuous import Passes  # noqa: E402

from support.belt_theory import solve_bent_belt  # noqa: E402
from support.contact_forms import (  # noqa: E402
    BEND_DISTANCE,
    BEND_RADIUS,
    create_drive,
    measure_traction,
    run_drive,
    solve_bent,
    solve_capstan,
)

FORMS: dict[str, tuple[Any, Any, int]] = {
    "segments, 2": (ContactFrictionCircleCable2D, ContactCircleCable2D, 2),
    "segments, 4": (ContactFrictionCircleCable2D, ContactCircleCable2D, 4),
    "points, 2": (ContactFrictionCirclePoints2D, ContactFrictionCirclePoints2D, 2),
    "points, 4": (ContactFrictionCirclePoints2D, ContactFrictionCirclePoints2D, 4),
}
"""Contact law with friction, contact law without friction, and number of contacts per cable."""
BELTS = {"soft": (8000.0, -0.05), "stiff": (4e5, -1e-3)}
"""Axial stiffness EA [N] and reference strain [1] of the belts."""
Rows = list[tuple[str, ...]]


def percent(value: float) -> str:
    """Format a relative error in per cent with two significant digits."""
    return f"{100.0 * value:+.2g} %"


def compare_capstan() -> Rows:
    """Tabulate the relative error of the ratio of the tensions for several meshes."""
    rows: Rows = [("capstan", *(f"{n} cables" for n in (20, 40, 80)))]
    for name, (law, _, count) in FORMS.items():
        errors = [solve_capstan(law, n, count, 0.5, steps=40)[0] / exp(0.5 * pi) - 1.0 for n in (20, 40, 80)]
        rows.append((name, *map(percent, errors)))
    return rows


def compare_bent() -> Rows:
    """Tabulate the relative error of the tension, and the Newton iterations."""
    EA, e0, EI, k = 8000.0, -0.05, 0.4, 1e8
    exact = solve_bent_belt(EA, e0, EI, k, BEND_RADIUS, BEND_DISTANCE).tension
    rows: Rows = [("bent belt", *(f"{n} cables" for n in (20, 40, 80, 160)))]
    for name, (_, law, count) in FORMS.items():
        found = [solve_bent(law, n, count, EA, e0, EI, k) for n in (20, 40, 80, 160)]
        rows.append((name, *(f"{percent(T / exact - 1.0)} ({its})" for T, its in found)))
    return rows


def compare_stiff() -> Rows:
    """Tabulate the relative error of the tension of the stiff belt."""
    (EA, e0), k = BELTS["stiff"], 3.2e10
    length = 2.0 * pi * BEND_RADIUS + 2.0 * BEND_DISTANCE
    exact = -EA * e0 / (1.0 + EA * 2.0 * pi / (BEND_RADIUS * k * length))
    rows: Rows = [("stiff belt at rest", *(f"{n} cables" for n in (40, 60, 120)))]
    for name, (_, law, count) in FORMS.items():
        found = [solve_bent(law, n, count, EA, e0, 1e-3, k)[0] / exact - 1.0 for n in (40, 60, 120)]
        rows.append((name, *map(percent, found)))
    return rows


def compare_creep() -> Rows:
    """Tabulate results of loaded drives with belts of 60 cables. The step size is 0.2 ms, and is reduced if passes do
    not converge.
    """
    settings = {"passes": Passes(atol=1e-3, max_it=6)}
    rows: Rows = [("drive", "speed loss", "tight", "slack", "steps", "iterations", "passes", "ms/step")]
    for belt, (EA, e0) in BELTS.items():
        for name, (law, _, count) in FORMS.items():
            model = create_drive(law, 60, count, EA, e0, brake=0.6)
            start = time.process_time()
            run = run_drive(model, EA, e0, step=2e-4, end=0.9, last=0.314, brake=0.6, **settings)
            seconds = time.process_time() - start
            errors = [a / b - 1.0 for a, b in zip(run.found[:3], run.theory[:3], strict=True)]
            s = run.solver.statistics
            counts = (s.steps, s.newton_iterations, s.discontinuous_iterations)
            rows.append((f"{belt}, {name}", *map(percent, errors), *map(str, counts), f"{1e3 * seconds / s.steps:.2f}"))
    return rows


def compare_free() -> Rows:
    """Tabulate the traction of a soft belt of 60 cables for two stiffnesses [N/m²] of the bristles."""
    settings = {"passes": Passes(atol=1e-3, max_it=6)}
    stiffness = (4e7, 4e8)
    rows: Rows = [("running free", *(f"bristles {k:.0e}" for k in stiffness))]
    for name, (law, _, count) in FORMS.items():
        cells = []
        for k in stiffness:
            model = create_drive(law, 60, count, *BELTS["soft"], brake=0.0, friction_stiffness_per_length=k)
            largest, mean = measure_traction(model, step=2e-4, end=0.6, last=0.04, **settings)
            cells.append(f"{100.0 * largest:.0f} %, {100.0 * mean:.1f} %")
        rows.append((name, *cells))
    return rows


def compare_cost() -> Rows:
    """Time the contact kernels for 240 cables with all data in the caches of the processor. History values determine
    which contacts are closed."""
    rows: Rows = [("nanoseconds", "residual, closed", "residual, open", "tangent, closed", "update")]
    for name, (law, _, count) in FORMS.items():
        model = create_drive(law, 240, count, *BELTS["soft"])
        system, assembly = model.state.assembly.layout.systems[law], model.state.assembly
        fields = assembly.load_fields(model.state)
        f, values = np.zeros_like(fields.x), np.zeros(assembly.pattern.spare + 1)
        history = fields.data.reshape(len(system.dofs), 3, count)
        history[:, 1] = 0.0
        closed, total = int((history[:, 0] <= 0.0).sum()), history[:, 0].size
        residual = partial(system.residual, evaluate(fields, f=f))
        tangent = partial(system.tangent, assembly.evaluation(law, values, dq=1.0, dv=1.0))
        shut = [1e9 * measure(call) / closed for call in (residual, tangent)]
        update = 1e9 * measure(partial(run_post_newton, system, fields)) / total
        history[:, 0] = 0.1
        rest = 1e9 * measure(residual) / total
        rows.append((name, f"{shut[0]:.1f}", f"{rest:.1f}", f"{shut[1]:.1f}", f"{update:.1f}"))
    return rows


def measure(call: Callable[[], Any], calls: int = 300, rounds: int = 7) -> float:
    """Return the process time [s] of a call, as the minimum of several rounds."""
    call()
    times = []
    for _ in range(rounds):
        start = time.process_time()
        for _ in range(calls):
            call()
        times.append((time.process_time() - start) / calls)
    return min(times)


PARTS: dict[str, Callable[[], Rows]] = {
    "capstan": compare_capstan,
    "bent": compare_bent,
    "stiff": compare_stiff,
    "creep": compare_creep,
    "free": compare_free,
    "cost": compare_cost,
}


def main() -> int:
    """Print the tables and write them to a file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", default=list(PARTS), metavar="PART", help="default all")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder for contact_forms.json")
    given = parser.parse_args(WORDS)
    if unknown := [name for name in given.parts if name not in PARTS]:
        parser.error(f"{unknown[0]}: must be one of {', '.join(PARTS)}")
    tables = {}
    for name in given.parts:
        tables[name] = PARTS[name]()
        print(align(tables[name], 1) + "\n", flush=True)
    given.results.mkdir(parents=True, exist_ok=True)
    kept = {"case": "contact_forms", "machine": describe_machine(), "tables": tables}
    (given.results / "contact_forms.json").write_text(json.dumps(kept, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
