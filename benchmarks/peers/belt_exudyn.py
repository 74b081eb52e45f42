"""Program that solves the belt drive of examples/belt_drive.py in Exudyn with the same model, preload, step size and
tolerances, and prints one RESULT line.

usage: belt_exudyn.py ELEMENTS SEGMENTS END_TIME [--from TIME] [--full_newton]

Times are in s. With --from, only the steps after this time are counted and timed. Exudyn reuses its Jacobian while
Newton's method converges well, because Exudyn is then fastest for this model. The option --full_newton evaluates the
Jacobian in every iteration. The solver is sparse and uses one thread.
"""

import argparse
import json
import platform
import time
import warnings
from math import cos, pi, sqrt

warnings.simplefilter("ignore")  # notices about optional packages must not appear within the RESULT line
import exudyn as exu  # noqa: E402
import numpy as np  # noqa: E402
from exudyn.beams import CreateReevingCurve, PointsAndSlopes2ANCFCable2D  # noqa: E402
from exudyn.itemInterface import (  # noqa: E402
    Cable2D,
    CoordinateConstraint,
    CoordinateSpringDamper,
    LoadCoordinate,
    MarkerBodyCable2DShape,
    MarkerBodyRigid,
    MarkerNodeCoordinate,
    NodeGenericData,
    NodePointGround,
    NodeRigidBody2D,
    ObjectContactFrictionCircleCable2D,
    ObjectRigidBody2D,
    SensorNode,
    SensorObject,
)

VARIABLES = exu.OutputVariableType

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("elements", type=int)
parser.add_argument("segments", type=int, help="contact segments per element")
parser.add_argument("end_time", type=float, help="[s]")
parser.add_argument("--from", dest="begin", type=float, default=0.0, help="[s]")
parser.add_argument("--full_newton", action="store_true")
given = parser.parse_args()
if not 0.0 <= given.begin < given.end_time:
    parser.error(f"--from {given.begin:g} s: must be >= 0 and before the end at {given.end_time:g} s")
N, n = given.elements, given.segments
step = 1e-4

radius, distance, height, width = 0.09995, 0.1 * pi, 1e-4, 0.08
EA, EI, mass_per_length = 8000.0, 0.02 * 1e7 * width * 0.01**3 / 12, 0.8288


def drive_speed(mbs, t, item, offset):
    """Return the speed [rad/s] of the driver: a ramp from 0.05 s to 0.6 s."""
    return 12.0 * min(max((t - 0.05) / 0.55, 0.0), 1.0)


def load_torque(mbs, t, load):
    """Return the torque [N m] on the driven pulley: a smooth step from 1.0 s to 1.5 s."""
    return -25.0 * (0.5 - 0.5 * cos(pi * min(max((t - 1.0) / 0.5, 0.0), 1.0)))


# ---- belt and pulleys ----
mbs = exu.SystemContainer().AddSystem()
circles = [[[0.0, 0.0], radius, "L"], [[distance, 0.0], radius, "L"]]
curve = CreateReevingCurve(circles, radialOffset=height / 2, closedCurve=True, numberOfANCFnodes=N)
cable = Cable2D(
    physicsMassPerLength=mass_per_length,
    physicsBendingStiffness=EI,
    physicsAxialStiffness=EA,
    physicsAxialDamping=1.0,
    physicsReferenceAxialStrain=-0.05,
    useReducedOrderIntegration=2,
    strainIsRelativeToReference=0.0,
)
belt = PointsAndSlopes2ANCFCable2D(
    mbs,
    curve["ancfPointsSlopes"],
    curve["elementLengths"],
    cable,
    massProportionalLoad=[0, -9.81, 0],
    fixedConstraintsNode0=[1, 0, 0, 0],
    elementCurvatures=[],
    firstNodeIsLastNode=True,
)
cables, node_hold = belt[1], belt[4]
element_length = curve["totalLength"] / N

surface = width * element_length / n  # area [m^2] of the section of one segment
friction_stiffness = 50e8 * surface
ground = mbs.AddMarker(MarkerNodeCoordinate(nodeNumber=mbs.AddNode(NodePointGround()), coordinate=0))
pulleys, contacts, supports, wheel_locks = [], [], [], []
for k, (center, _, _) in enumerate(circles):
    node = mbs.AddNode(NodeRigidBody2D(referenceCoordinates=[*center, 0.0]))
    body = mbs.AddObject(ObjectRigidBody2D(physicsMass=50.0, physicsInertia=0.25, nodeNumber=node))
    x, y, spin = (mbs.AddMarker(MarkerNodeCoordinate(nodeNumber=node, coordinate=c)) for c in range(3))
    supports.append(mbs.AddObject(CoordinateConstraint(markerNumbers=[ground, x])))
    mbs.AddObject(CoordinateConstraint(markerNumbers=[ground, y]))
    if k == 0:
        drive = mbs.AddObject(
            CoordinateConstraint(markerNumbers=[ground, spin], velocityLevel=True, offsetUserFunction_t=drive_speed)
        )
    else:
        mbs.AddObject(CoordinateSpringDamper(markerNumbers=[ground, spin], damping=2.0))
        mbs.AddLoad(LoadCoordinate(markerNumber=spin, load=0.0, loadUserFunction=load_torque))
    wheel_locks.append(mbs.AddObject(CoordinateConstraint(markerNumbers=[ground, spin])))
    pulleys.append(node)
    circle = mbs.AddMarker(MarkerBodyRigid(bodyNumber=body))
    for element in cables:
        shape = mbs.AddMarker(
            MarkerBodyCable2DShape(bodyNumber=element, numberOfSegments=n, verticalOffset=-height / 2)
        )
        data = NodeGenericData(initialCoordinates=[0.1] * n + [-2.0] * n + [0.0] * n, numberOfDataCoordinates=3 * n)
        contact = ObjectContactFrictionCircleCable2D(
            markerNumbers=[circle, shape],
            nodeNumber=mbs.AddNode(data),
            numberOfContactSegments=n,
            circleRadius=radius,
            contactStiffness=40e8 * surface,
            contactDamping=80000.0 * surface,
            frictionVelocityPenalty=10 * sqrt(1e8 * surface * mass_per_length * element_length / n),
            frictionStiffness=friction_stiffness,
            frictionCoefficient=0.5,
            useSegmentNormals=True,
        )
        contacts.append(mbs.AddObject(contact))
speeds = [
    mbs.AddSensor(SensorNode(nodeNumber=node, storeInternal=True, outputVariableType=VARIABLES.AngularVelocity))
    for node in pulleys
]
torque = mbs.AddSensor(SensorObject(objectNumber=drive, storeInternal=True, outputVariableType=VARIABLES.Force))
mbs.Assemble()

# ---- settings ----
settings = exu.SimulationSettings()
settings.linearSolverType = exu.LinearSolverType.EigenSparse
settings.parallel.numberOfThreads = 1
settings.solutionSettings.writeSolutionToFile = False
settings.solutionSettings.sensorsWritePeriod = 1e-3
static = settings.staticSolver
static.adaptiveStep = False
static.loadStepGeometric = True
static.loadStepGeometricRange = 1e4
static.numberOfLoadSteps = 10
static.stabilizerODE2term = 1e5
static.newton.relativeTolerance = static.newton.absoluteTolerance = 1e-6
static.newton.useModifiedNewton = False
static.discontinuous.maxIterations = 5
static.verboseMode = 0
dynamic = settings.timeIntegration
dynamic.endTime = given.end_time
dynamic.numberOfSteps = round(given.end_time / step)
dynamic.newton.relativeTolerance, dynamic.newton.absoluteTolerance = 1e-8, 1e-10
dynamic.newton.useModifiedNewton = not given.full_newton
dynamic.discontinuous.iterationTolerance = 1e-3
dynamic.discontinuous.maxIterations = 3
dynamic.discontinuous.ignoreMaxIterations = True
dynamic.verboseMode = 0

# ---- static preload: no friction, wheels locked, one node fixed ----
mbs.SetObjectParameter(drive, "activeConnector", False)
for contact in contacts:
    mbs.SetObjectParameter(contact, "frictionCoefficient", 0.0)
    mbs.SetObjectParameter(contact, "frictionStiffness", 1e-8)
mbs.SolveStatic(settings, updateInitialValues=True)
static_support_force = float(np.ravel(mbs.GetObjectOutput(supports[0], VARIABLES.Force))[0])

# ---- dynamics, the timed part ----
for contact in contacts:
    mbs.SetObjectParameter(contact, "frictionCoefficient", 0.5)
    mbs.SetObjectParameter(contact, "frictionStiffness", friction_stiffness)
for constraint in (*node_hold, *wheel_locks):
    mbs.SetObjectParameter(constraint, "activeConnector", False)
mbs.SetObjectParameter(drive, "activeConnector", True)
begin = {}


def count():
    """Return the numbers of steps, iterations and evaluated Jacobians so far. At the end of a solve, the step index is
    the index of the next step.
    """
    so_far = mbs.sys["dynamicSolver"].it
    return {
        "steps": int(so_far.currentStepIndex) - 1,
        "newton_iterations": int(so_far.newtonStepsCount),
        "discontinuous_iterations": int(so_far.discontinuousIterationsCount),
        "jacobians": int(so_far.newtonJacobiCount),
    }


def note(mbs, t):
    """Record clocks and counts before a step that ends at t, if the measurement starts with this step."""
    if not begin and t > given.begin + step / 2:
        begin.update(count(), wall=time.perf_counter(), cpu=time.process_time())
    return True


if given.begin > 0.0:
    mbs.SetPreStepUserFunction(note)
else:
    begin.update(wall=time.perf_counter(), cpu=time.process_time())
mbs.SolveDynamic(settings, solverType=exu.DynamicSolverType.TrapezoidalIndex2)
wall, cpu = time.perf_counter() - begin["wall"], time.process_time() - begin["cpu"]

# ---- results ----
omega = [float(mbs.GetSensorStoredData(sensor)[-1, 3]) for sensor in speeds]
angle = [float(np.ravel(mbs.GetNodeOutput(node, VARIABLES.Coordinates))[2]) for node in pulleys]
torques = np.asarray(mbs.GetSensorStoredData(torque))
last = torques[:, 0] > given.end_time - 0.1 + step / 2
axial_force = [
    np.ravel(mbs.GetObjectOutputBody(element, VARIABLES.ForceLocal, localPosition=[x, 0, 0]))[0]
    for element in cables
    for x in (0.0, element_length / 2)
]
# per pulley and element: gaps, states and stick positions of the segments
data = np.asarray(mbs.systemData.GetDataCoordinates()).reshape(2, N, 3, n)
in_contact = data[:, :, 0] <= 0.0
sticking = in_contact & (data[:, :, 1] == 0.0)
result = {
    "cpu": cpu,
    "wall": wall,
    "counts": {name: value - begin.get(name, 0) for name, value in count().items()},
    "answers": {
        "omega_driver": omega[0],
        "omega_driven": omega[1],
        "angle_driver": angle[0],
        "angle_driven": angle[1],
        "drive_torque_mean": float(torques[last, 1].mean()),
        "axial_force_min": float(min(axial_force)),
        "axial_force_max": float(max(axial_force)),
        "contacts_driver": int(in_contact[0].sum()),
        "contacts_driven": int(in_contact[1].sum()),
        "sticking_driver": int(sticking[0].sum()),
        "sticking_driven": int(sticking[1].sum()),
        "static_support_force_x": static_support_force,
    },
    "versions": {"exudyn": exu.config.Version(), "numpy": np.__version__, "python": platform.python_version()},
}
print("RESULT " + json.dumps(result))
