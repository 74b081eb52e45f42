"""Solves a model of ../beams_scene.py in Exudyn; prints one RESULT line.

usage: beams_exudyn.py {cantilever,helix} SLENDERNESS ELEMENTS STEPS

A run of five steps comes first, to exclude work that occurs once per process.
"""

import argparse
import json
import platform
import resource
import sys
import time
import warnings
from itertools import pairwise
from pathlib import Path

warnings.simplefilter("ignore")  # notices about optional packages must not mix with the RESULT line
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
from beams_scene import (  # noqa: E402
    DENSITY,
    LENGTH,
    MODULUS,
    POISSON,
    SHEAR_FACTOR,
    find_error,
    find_force,
    find_period,
    find_section,
    wind,
)


def solve(shape, slenderness, elements, end, steps):
    """Return the position of the free end, and process time and elapsed time of the solve [s]."""
    mbs = exu.SystemContainer().AddSystem()
    area, second = find_section(slenderness)
    G = MODULUS / (2.0 + 2.0 * POISSON)
    EI, shear = MODULUS * second, SHEAR_FACTOR * G * area
    section = exu.BeamSection()
    section.stiffnessMatrix = np.diag((MODULUS * area, shear, shear, 2.0 * G * second, EI, EI))
    section.massPerLength = DENSITY * area
    section.inertia = DENSITY * second * np.diag((2.0, 1.0, 1.0))
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
    # the fastest settings: the Jacobian is kept where possible, and steps are solved to 1e-6
    settings.timeIntegration.newton.useModifiedNewton = True
    settings.timeIntegration.newton.relativeTolerance = 1e-6
    cpu, wall = time.process_time(), time.perf_counter()
    mbs.SolveDynamic(settings)
    times = {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}
    found = mbs.GetNodeOutput(nodes[-1], exu.OutputVariableType.Position)
    return tuple(float(value) for value in found), times


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("shape", choices=("cantilever", "helix"))
for name in ("slenderness", "elements", "steps"):
    parser.add_argument(name, type=int)
given = parser.parse_args()
period = find_period(given.slenderness)
solve(given.shape, given.slenderness, given.elements, 5.0 * period / given.steps, 5)
end, times = solve(given.shape, given.slenderness, given.elements, period, given.steps)
result = {
    **times,
    "counts": {"solves": 1, "steps": given.steps},
    "answers": dict(zip("xyz", end, strict=True)),
    "measured": {
        "error [1e-6]": 1e6 * find_error(given.shape, given.slenderness, end),
        "memory [MB]": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0,
    },
    "versions": {"exudyn": exu.GetVersionString(), "python": platform.python_version()},
}
print("RESULT " + json.dumps(result))
