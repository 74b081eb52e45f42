"""Program that solves a model of ../beams_scene.py in Exudyn and prints one RESULT line.

usage: beams_exudyn.py {cantilever,helix} SLENDERNESS ELEMENTS STEPS
"""

import sys
import time
import warnings
from itertools import pairwise
from pathlib import Path

warnings.simplefilter("ignore")  # notices about optional packages must not appear within the RESULT line
import exudyn as exu  # noqa: E402
import numpy as np  # noqa: E402
from exudyn.itemInterface import (  # noqa: E402
    Force,
    GenericJoint,
    MarkerBodyRigid,
    MarkerNodeRigid,
    NodeRigidBodyEP,
    ObjectBeamGeometricallyExact,
    ObjectGround,
)
from exudyn.rigidBodyUtilities import RotationMatrix2EulerParameters  # noqa: E402

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from beams_scene import LENGTH, create_columns, find_force, find_period, run_model, wind  # noqa: E402


def solve(shape, slenderness, elements, end, steps):
    """Return the position of the free end, and process time and elapsed time [s] of the solve."""
    mbs = exu.SystemContainer().AddSystem()
    columns, section = create_columns(slenderness), exu.BeamSection()
    section.stiffnessMatrix = np.diag(columns["stiffness"])
    section.massPerLength = columns["mass_per_length"]
    section.inertia = np.diag(columns["rotary_inertia"])
    nodes, places = [], [LENGTH * k / elements for k in range(elements + 1)]
    for s in places:
        r, t, d = wind(shape, s)
        frame = np.column_stack((t, d, np.cross(t, d)))
        nodes.append(mbs.AddNode(NodeRigidBodyEP(referenceCoordinates=[*r, *RotationMatrix2EulerParameters(frame)])))
    for first, last in pairwise(nodes):
        mbs.AddObject(
            ObjectBeamGeometricallyExact(nodeNumbers=[first, last], length=LENGTH / elements, sectionData=section)
        )
    r, t, d = wind(shape, 0.0)
    ground = mbs.AddObject(ObjectGround())
    place = mbs.AddMarker(MarkerBodyRigid(bodyNumber=ground, localPosition=list(r)))
    frame = np.column_stack((t, d, np.cross(t, d)))
    held = mbs.AddMarker(MarkerNodeRigid(nodeNumber=nodes[0]))
    mbs.AddObject(GenericJoint(markerNumbers=[place, held], constrainedAxes=[1] * 6, rotationMarker0=frame))
    force, ramp = np.array(find_force(shape, slenderness)), find_period(slenderness) / 2.0
    mbs.AddLoad(
        Force(
            markerNumber=mbs.AddMarker(MarkerNodeRigid(nodeNumber=nodes[-1])),
            loadVector=[0.0, 0.0, 0.0],
            loadVectorUserFunction=lambda mbs, t, load: (min(t / ramp, 1.0) * force).tolist(),
        )
    )
    mbs.Assemble()
    settings = exu.SimulationSettings()
    settings.timeIntegration.numberOfSteps, settings.timeIntegration.endTime = steps, end
    settings.timeIntegration.generalizedAlpha.spectralRadius = 0.7
    settings.linearSolverType = exu.LinearSolverType.EigenSparse
    settings.solutionSettings.writeSolutionToFile = False
    settings.timeIntegration.verboseMode = 0
    # the fastest settings: the Jacobian is reused where possible, and the tolerance of Newton's method is 1e-6
    settings.timeIntegration.newton.useModifiedNewton = True
    settings.timeIntegration.newton.relativeTolerance = 1e-6
    cpu, wall = time.process_time(), time.perf_counter()
    mbs.SolveDynamic(settings)
    times = {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}
    found = mbs.GetNodeOutput(nodes[-1], exu.OutputVariableType.Position)
    return tuple(float(value) for value in found), times


if __name__ == "__main__":
    run_model(__doc__, solve, {"exudyn": exu.GetVersionString()})
