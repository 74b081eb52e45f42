"""Program that solves the chain of ../chain_windlass.py in Exudyn with the same model, steps and tolerances, and prints
one RESULT line.

usage: chain_exudyn.py ELEMENTS {static,dynamic} RULE [options]

The solver is sparse, uses one thread, and evaluates the Jacobian in every iteration. A tiny chain is solved first, to
exclude work that occurs once per process.
"""

import argparse
import json
import platform
import resource
import time
import warnings
from pathlib import Path

warnings.simplefilter("ignore")  # notices about optional packages must not appear within the RESULT line
import exudyn as exu  # noqa: E402
import numpy as np  # noqa: E402
from exudyn.itemInterface import (  # noqa: E402
    Cable,
    Cable2D,
    CoordinateConstraint,
    LoadMassProportional,
    MarkerBodyMass,
    MarkerNodeCoordinate,
    NodePoint2DSlope1,
    NodePointGround,
    NodePointSlope1,
)

LENGTH, SIDE, MODULUS, DENSITY = 0.1, 0.02, 1e9, 1000.0
STEP = 1e-3
WARM_UP_ELEMENTS = 20


def build(elements, rule, gravity, space):
    """Return the assembled system, its nodes and the constraint in x of the first node."""
    node_kind, cable_kind = (NodePointSlope1, Cable) if space else (NodePoint2DSlope1, Cable2D)
    rest = [0, 0] if space else [0]
    mbs = exu.SystemContainer().AddSystem()
    EA = MODULUS * SIDE**2
    nodes = [mbs.AddNode(node_kind(referenceCoordinates=[LENGTH * i, *rest, 1, *rest])) for i in range(elements + 1)]
    for i in range(elements):
        cable = mbs.AddObject(
            cable_kind(
                nodeNumbers=nodes[i : i + 2],
                physicsLength=LENGTH,
                physicsMassPerLength=DENSITY * SIDE**2,
                physicsAxialStiffness=EA,
                physicsBendingStiffness=MODULUS * SIDE**4 / 12,
                physicsAxialDamping=1e-3 * EA,
                physicsReferenceAxialStrain=-0.01,
                useReducedOrderIntegration=rule,
            )
        )
        marker = mbs.AddMarker(MarkerBodyMass(bodyNumber=cable))
        mbs.AddLoad(LoadMassProportional(markerNumber=marker, loadVector=[0, -gravity, 0]))
    ground = mbs.AddMarker(MarkerNodeCoordinate(nodeNumber=mbs.AddNode(NodePointGround()), coordinate=0))
    supports = []
    for node in (nodes[0], nodes[-1]):
        for coordinate in (0, 1, 2) if space else (0, 1):
            held = mbs.AddMarker(MarkerNodeCoordinate(nodeNumber=node, coordinate=coordinate))
            supports.append(mbs.AddObject(CoordinateConstraint(markerNumbers=[ground, held])))
    mbs.Assemble()
    return mbs, nodes, supports[0]


def solve(mbs, mode, steps, rtol):
    """Solve from the initial values and return the solver, which contains counts and times."""
    settings = exu.SimulationSettings()
    settings.linearSolverType = exu.LinearSolverType.EigenSparse
    settings.parallel.numberOfThreads = 1
    settings.solutionSettings.writeSolutionToFile = False
    settings.displayComputationTime = True  # switch on the timers of Exudyn; their cost is not measurable
    part = settings.staticSolver if mode == "static" else settings.timeIntegration
    part.adaptiveStep = False
    part.newton.relativeTolerance, part.newton.absoluteTolerance = rtol, 1e-9
    part.newton.useModifiedNewton = False
    part.newton.maxIterations = 20 if mode == "static" else 25
    part.verboseMode = 0
    settings.staticSolver.numberOfLoadSteps = 1
    settings.timeIntegration.numberOfSteps, settings.timeIntegration.endTime = steps, steps * STEP
    if mode == "static":
        mbs.SolveStatic(settings)
        return mbs.sys["staticSolver"]
    mbs.SolveDynamic(settings, solverType=exu.DynamicSolverType.GeneralizedAlpha)
    return mbs.sys["dynamicSolver"]


def start_clock(mbs, t):
    """Record clocks and iterations before the step that ends at t, if the measurement starts with this step."""
    if not begin and t > (given.after + 0.5) * STEP:
        iterations = int(mbs.sys["dynamicSolver"].it.newtonStepsCount)
        begin.update(iterations=iterations, wall=time.perf_counter(), cpu=time.process_time())
    return True


def read_memory():
    """Return the present and the maximum memory [B] of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    peak = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"now": pages * resource.getpagesize(), "peak": peak}


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("elements", type=int)
parser.add_argument("mode", choices=("static", "dynamic"))
parser.add_argument("rule", type=int, help="integration rule")
parser.add_argument("--steps", type=int, default=5)
parser.add_argument("--after", type=int, default=0, help="steps before the clock starts")
parser.add_argument("--repeats", type=int, default=1, help="solves from the same start, all timed together")
parser.add_argument("--rtol", type=float, default=1e-9)
parser.add_argument("--space", action="store_true", help="3D cables")
parser.add_argument("--build_only", action="store_true", help="time building and assembling instead of a solve")
parser.add_argument("--no_warm_up", action="store_true", help="do not solve a tiny chain first")
given = parser.parse_args()
N = given.elements
gravity = 9.81 if given.mode == "dynamic" else 9.81e-3
if not given.no_warm_up:
    solve(build(WARM_UP_ELEMENTS, given.rule, gravity, given.space)[0], given.mode, 1, given.rtol)

memory = read_memory()
wall, cpu = time.perf_counter(), time.process_time()
mbs, nodes, support = build(N, given.rule, gravity, given.space)
wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
after = read_memory()
measured = {}
sizes = [len(np.atleast_1d(mbs.systemData.GetODE2Coordinates())), len(mbs.systemData.GetAECoordinates())]
counts = {"cables": N, "coordinates": sizes[0], "constraints": sizes[1]}
answers = {}
if given.build_only:
    for which, value in after.items():
        measured[f"memory of the model, {which} [kB/cable]"] = (value - memory[which]) / 1000 / N
else:
    wall = cpu = 0.0
    counts |= {"steps": 0, "newton_iterations": 0}
    parts = dict.fromkeys(("residual", "Jacobian", "factorisation", "solve"), 0.0)
    iterations = 0
    if given.after:
        mbs.SetPreStepUserFunction(start_clock)
    for repeat in range(given.repeats):
        begin = {} if given.after else {"iterations": 0, "wall": time.perf_counter(), "cpu": time.process_time()}
        solver = solve(mbs, given.mode, given.steps, given.rtol)
        wall += time.perf_counter() - begin["wall"]
        cpu += time.process_time() - begin["cpu"]
        counts["steps"] += int(solver.it.currentStepIndex) - 1 - given.after
        counts["newton_iterations"] += int(solver.it.newtonStepsCount) - begin["iterations"]
        iterations += int(solver.it.newtonStepsCount)
        timer = solver.timer
        parts["residual"] += timer.ODE2RHS + timer.massMatrix + timer.reactionForces + timer.AERHS
        parts["Jacobian"] += timer.totalJacobian
        parts["factorisation"] += timer.factorization
        parts["solve"] += timer.newtonIncrement
        if repeat == 0:
            measured["memory in all, peak [kB/cable]"] = (read_memory()["peak"] - memory["peak"]) / 1000 / N
    measured |= {f"{name} [ms/iteration]": 1e3 * t / iterations for name, t in parts.items()}
    answers["support_force_x"] = abs(float(np.ravel(mbs.GetObjectOutput(support, exu.OutputVariableType.Force))[0]))
    for name, node in (("middle", N // 2), ("quarter", N // 4), ("first", 1)):
        displacement = mbs.GetNodeOutput(nodes[node], exu.OutputVariableType.Displacement)
        answers[f"deflection_{name}"] = float(displacement[1])
result = {
    "cpu": cpu,
    "wall": wall,
    "counts": counts,
    "answers": answers,
    "measured": measured,
    "versions": {"exudyn": exu.config.Version(), "numpy": np.__version__, "python": platform.python_version()},
}
print("RESULT " + json.dumps(result))
