"""Chosen states of connectors in Exudyn, and the generalised forces in these states, for
`tests/reference/exudyn_laws.json`.

    pip install exudyn==1.13.6
    python tests/support/exudyn_states.py tests/reference/exudyn_laws.json

The program solves no equations. The program sets the state of two free rigid bodies with Euler parameters (or of two
coordinates), and subtracts the residual without the connector from the residual with the connector. Tests read only the
file and do not need Exudyn.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

STATES: list[dict[str, Any]] = [
    {
        "position": [[0.1, -0.2, 0.3], [0.6, 0.25, 0.1]],
        "angles": [[0.3, -0.4, 0.5], [-0.35, 0.45, 0.9]],
        "velocity": [[0.5, 0.6, -0.7], [-0.3, 0.2, 0.8]],
        "omega": [[0.4, -0.9, 1.1], [1.2, 0.3, -0.6]],
    },
    {
        "position": [[0.0, 0.1, -0.2], [-0.3, 0.4, 0.35]],
        "angles": [[-0.6, 0.2, 1.0], [0.1, -0.7, 0.3]],
        "velocity": [[-0.4, 0.1, 0.3], [0.9, -0.5, 0.1]],
        "omega": [[-0.8, 0.5, 0.2], [0.7, -1.3, 0.4]],
    },
]
FRAME_ANGLES = [[0.2, -0.1, 0.3], [0.1, 0.0, 0.2]]
STIFFNESS = np.diag([500.0, 400.0, 300.0, 20.0, 30.0, 40.0])
STIFFNESS[0, 4] = STIFFNESS[4, 0] = 10.0
STIFFNESS[1, 5], STIFFNESS[5, 1] = -7.0, -7.0
FRICTION = {
    "dynamicFrictionForce": 3.0,
    "staticFrictionOffsetForce": 1.0,
    "stickingStiffness": 100.0,
    "stickingDamping": 2.0,
    "exponentialDecayStatic": 0.1,
    "viscousFrictionFactor": 0.5,
}
STOPS = {
    "useLimitStops": True,
    "limitStopsUpper": 0.1,
    "limitStopsLower": -0.1,
    "limitStopsStiffness": 50.0,
    "limitStopsDamping": 2.0,
}
ROLLING = {
    "discRadius": 0.5,
    "discAxis": [0.6, 0.8, 0.0],
    "planeNormal": [0.0, 0.6, 0.8],
    "contactStiffness": 500.0,
    "contactDamping": 3.0,
    "dryFriction": [0.4, 0.3],
}
ROLLS = [0.3, -0.2, -0.1]
SPRING = {
    "stiffness": 7.0,
    "damping": 0.5,
    "offset": 0.1,
    "velocityOffset": 0.2,
    "factor0": 2.0,
    "factor1": 3.0,
}


def rotation(angles: list[float]) -> np.ndarray:
    """Return the rotation matrix Rx Ry Rz."""
    (a, b, c), (d, e, f) = np.cos(angles), np.sin(angles)
    x = np.array([[1, 0, 0], [0, a, -d], [0, d, a]])
    y = np.array([[b, 0, e], [0, 1, 0], [-e, 0, b]])
    return x @ y @ np.array([[c, -f, 0], [f, c, 0], [0, 0, 1]])


def euler_parameters(angles: list[float]) -> np.ndarray:
    """Return the Euler parameters of Rx Ry Rz, with e0 > 0."""
    A = rotation(angles)
    e0 = 0.5 * np.sqrt(1.0 + np.trace(A))
    return np.array([e0, *(np.array([A[2, 1] - A[1, 2], A[0, 2] - A[2, 0], A[1, 0] - A[0, 1]]) / (4.0 * e0))])


def rates(e: np.ndarray, omega: list[float]) -> np.ndarray:
    """Return the rates of Euler parameters for a global angular velocity."""
    w = np.array(omega)
    return 0.5 * np.array([-w @ e[1:], *(e[0] * w + np.cross(w, e[1:]))])


def body_coordinates(state: dict[str, Any], body: int) -> tuple[list[float], list[float]]:
    """Return the seven coordinates of a body and their rates."""
    e = euler_parameters(state["angles"][body])
    return (
        [*state["position"][body], *e.tolist()],
        [*state["velocity"][body], *rates(e, state["omega"][body]).tolist()],
    )


Add = Callable[[Any, Any, list[int], int, bool], None]


def eval_bodies(exu: Any, items: Any, add: Add, state: dict[str, Any], data: list[float]) -> list[float]:
    """Return the left-hand-side forces of a connector on the 14 coordinates of two rigid bodies."""
    found = []
    for active in (True, False):
        mbs = exu.SystemContainer().AddSystem()
        markers = []
        for k in range(2):
            q, v = body_coordinates(state, k)
            start = (np.array(q) - [0, 0, 0, 1, 0, 0, 0]).tolist()
            node = items.NodeRigidBodyEP(
                referenceCoordinates=[0, 0, 0, 1, 0, 0, 0], initialCoordinates=start, initialVelocities=v
            )
            body = items.ObjectRigidBody(nodeNumber=mbs.AddNode(node), physicsMass=1, physicsInertia=[1, 1, 1, 0, 0, 0])
            markers.append(mbs.AddMarker(items.MarkerBodyRigid(bodyNumber=mbs.AddObject(body))))
        number = mbs.AddNode(items.NodeGenericData(numberOfDataCoordinates=len(data), initialCoordinates=data))
        add(mbs, items, markers, number, active)
        found.append(residual(exu, mbs)[0][:14])
    return (found[1] - found[0]).tolist()


def residual(exu: Any, mbs: Any) -> tuple[np.ndarray, Any]:
    """Return the right-hand side of the equations of motion, and the solver."""
    mbs.Assemble()
    solver, settings = exu.MainSolverImplicitSecondOrder(), exu.SimulationSettings()
    settings.timeIntegration.generalizedAlpha.computeInitialAccelerations = False
    settings.solutionSettings.writeSolutionToFile = False
    solver.InitializeSolver(mbs, settings)
    solver.ComputeODE2RHS(mbs)
    return np.array(solver.GetSystemResidual()), (solver, settings)


def eval_coordinates(exu: Any, items: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Return the forces of CoordinateSpringDamperExt on two coordinates, and history values after a step."""
    mbs = exu.SystemContainer().AddSystem()
    markers = []
    for q, v in zip(case["q"], case["v"], strict=True):
        node = mbs.AddNode(items.Node1D(referenceCoordinates=[0], initialCoordinates=[q], initialVelocities=[v]))
        mbs.AddObject(items.Mass1D(nodeNumber=node, physicsMass=1))
        markers.append(mbs.AddMarker(items.MarkerNodeCoordinate(nodeNumber=node, coordinate=0)))
    data = mbs.AddNode(items.NodeGenericData(numberOfDataCoordinates=3, initialCoordinates=case["start"]))
    mbs.AddObject(items.CoordinateSpringDamperExt(markerNumbers=markers, nodeNumber=data, **case["parameters"]))
    _, (solver, settings) = residual(exu, mbs)
    mbs.systemData.SetDataCoordinates(case["data"])
    solver.ComputeODE2RHS(mbs)
    force = (-np.array(solver.GetSystemResidual())[:2]).tolist()
    solver.PostNewton(mbs, settings)
    return {**case, "force": force, "after": [float(x) for x in mbs.systemData.GetDataCoordinates()]}


def eval_spheres(exu: Any, items: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Return the forces of ContactSphereSphere on two bodies, history values after a step, and the error of the
    post-Newton update."""
    found = []
    for active in (True, False):
        mbs = exu.SystemContainer().AddSystem()
        markers = []
        for k in range(2):
            q, v = body_coordinates(STATES[case["state"]], k)
            start = (np.array(q) - [0, 0, 0, 1, 0, 0, 0]).tolist()
            node = items.NodeRigidBodyEP(
                referenceCoordinates=[0, 0, 0, 1, 0, 0, 0], initialCoordinates=start, initialVelocities=v
            )
            body = items.ObjectRigidBody(nodeNumber=mbs.AddNode(node), mass=1, inertia=[1, 1, 1, 0, 0, 0])
            markers.append(mbs.AddMarker(items.MarkerBodyRigid(bodyNumber=mbs.AddObject(body))))
        data = mbs.AddNode(items.NodeGenericData(numberOfDataCoordinates=4, initialCoordinates=case["start"]))
        mbs.AddObject(
            items.ObjectContactSphereSphere(
                markerNumbers=markers, nodeNumber=data, activeConnector=active, **case["parameters"]
            )
        )
        _, (solver, settings) = residual(exu, mbs)
        mbs.systemData.SetDataCoordinates(case["data"])
        solver.ComputeODE2RHS(mbs)
        found.append(np.array(solver.GetSystemResidual())[:14])
        if active:
            error = float(solver.PostNewton(mbs, settings))
            after = [float(x) for x in mbs.systemData.GetDataCoordinates()]
    return {**case, "force": (found[1] - found[0]).tolist(), "after": after, "error": error}


def sphere_cases() -> list[dict[str, Any]]:
    """Return cases of contacts that are closed, slide, stick, open, close, dissipate energy in an impact, or have a
    plastic deformation.
    """
    base = {"spheresRadii": [0.3, 0.45], "contactStiffness": 800.0, "contactDamping": 3.0}
    slides = {**base, "dynamicFriction": 0.4, "frictionProportionalZone": 0.2}
    sticks = {**slides, "frictionProportionalZone": 50.0, "contactStiffnessExponent": 1.5}
    hollow = {**slides, "spheresRadii": [0.3, 0.98], "isHollowSphere1": True, "contactStiffnessExponent": 1.5}
    impact = {**base, "contactStiffnessExponent": 1.5, "minimumImpactVelocity": 1.0}
    dents = {
        **slides, "contactStiffnessExponent": 2.0, "contactPlasticityRatio": 0.6, "constantPullOffForce": 0.01,
        "adhesionCoefficient": 40.0, "adhesionExponent": 1.5,
    }  # fmt: skip
    closed = [-0.04, 3.0, 1.3, 0.0]
    listed: list[tuple[dict[str, Any], list[float], list[float]]] = [
        (base, closed, closed),
        (slides, closed, closed),
        (slides, [0.01, 0.0, 1.3, 0.0], closed),  # the contact has closed in this step
        (slides, closed, [0.01, 3.0, 1.3, 0.0]),  # contact closes again
        (sticks, closed, closed),
        (slides, closed, [-0.04, 0.1, 1.3, 0.0]),  # the contact starts to slide
        (sticks, closed, [-0.04, 60.0, 1.3, 0.0]),  # the contact starts to stick
        ({**slides, "spheresRadii": [0.3, 0.3]}, closed, closed),  # opens
        # the contact opens, and starts to stick
        ({**sticks, "spheresRadii": [0.3, 0.3]}, closed, [-0.04, 60.0, 1.3, 0.0]),
        (hollow, closed, closed),
        ({**hollow, "frictionProportionalZone": 50.0}, [0.01, 0.0, 0.0, 0.0], closed),
    ]
    for model, e in ((1, 0.7), (2, 0.7), (2, 0.2), (1, 0.2)):
        listed += [
            ({**impact, "impactModel": model, "restitutionCoefficient": e}, [-0.04, 0.0, v, 0.0], [-0.04, 0.0, v, 0.0])
            for v in (1.7, 0.3)
        ]
    for depth in (0.0, 0.042, 0.048, 0.07):
        listed.append((dents, [-0.04, 3.0, 1.3, depth], [-0.04, 3.0, 1.3, depth]))
    listed.append(({**dents, "spheresRadii": [0.3, 0.3]}, [-0.04, 3.0, 1.3, 0.01], [-0.04, 3.0, 1.3, 0.01]))
    return [
        {"state": state, "start": start, "data": data, "parameters": parameters}
        for parameters, start, data in listed
        for state in range(len(STATES))
    ]


def eval_rope(exu: Any, items: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Return length, rate of length and tension of ReevingSystemSprings, and forces on its bodies."""
    found, numbers = [], []
    for active in (True, False):
        mbs = exu.SystemContainer().AddSystem()
        markers = []
        for k in range(len(case["position"])):
            q, v = body_coordinates(case, k)
            start = (np.array(q) - [0, 0, 0, 1, 0, 0, 0]).tolist()
            node = items.NodeRigidBodyEP(
                referenceCoordinates=[0, 0, 0, 1, 0, 0, 0], initialCoordinates=start, initialVelocities=v
            )
            body = items.ObjectRigidBody(nodeNumber=mbs.AddNode(node), mass=1, inertia=[1, 1, 1, 0, 0, 0])
            markers.append(mbs.AddMarker(items.MarkerBodyRigid(bodyNumber=mbs.AddObject(body))))
        axes = exu.Vector3DList([np.array(axis) for axis in case["axes"]])
        rope = mbs.AddObject(
            items.ObjectConnectorReevingSystemSprings(
                markerNumbers=markers, sheavesAxes=axes, sheavesRadii=case["radii"], activeConnector=active,
                **case["parameters"],
            )
        )  # fmt: skip
        found.append(residual(exu, mbs)[0][: 7 * len(markers)])
        if active:
            kinds = (getattr(exu.OutputVariableType, name) for name in ("Distance", "VelocityLocal", "ForceLocal"))
            numbers = [float(np.ravel(mbs.GetObjectOutput(rope, kind))[0]) for kind in kinds]
    return {**case, "force": (found[1] - found[0]).tolist(), "numbers": numbers}


def rope_cases() -> list[dict[str, Any]]:
    """Return cases of ropes over sheaves in an oblique plane. The ropes run on either side of the sheaves, are taut or
    slack, and move within the plane of the sheaves and normal to this plane.

    Exudyn uses the axis of the first marker for the span to the first sheave, so the axes of both markers are equal in
    these cases.
    """
    plane = rotation([0.4, -0.7, 0.3])
    flat = [[0.0, 0.0, 0.0], [1.0, 2.0, 0.0], [3.0, 1.0, 0.0], [5.0, 3.0, 0.0]]
    turns = [[0.3, -0.4, 0.5], [-0.35, 0.45, 0.9], [-0.6, 0.2, 1.0], [0.1, -0.7, 0.3]]
    motion: dict[str, Any] = {
        "velocity": [[0.1, 0.2, 0.3], [0.3, -0.2, 0.5], [-0.1, 0.1, 0.1], [0.4, 0.2, -0.3]],
        "omega": [[0.4, -0.9, 1.1], [1.2, 0.3, -0.6], [-0.8, 0.5, 0.2], [0.7, -1.3, 0.4]],
        "angles": turns,
        "position": (np.array(flat) @ plane.T).tolist(),
    }
    damped = {"dampingPerLength": 50.0, "dampingTorsional": 7.0, "dampingShear": 3.0}
    cases = []
    for signs in ((-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)):
        for length in (6.0, 12.0):
            turned = ((turns[k], plane @ [0.0, 0.0, sign]) for k, sign in enumerate((signs[0], *signs, 1.0)))
            axes = [(rotation(turn).T @ axis).tolist() for turn, axis in turned]
            parameters = {"stiffnessPerLength": 1000.0, "referenceLength": length, **damped}
            cases.append({**motion, "axes": axes, "radii": [0.0, 0.3, 0.4, 0.0], "parameters": parameters})
    return [*cases, {**cases[1], "parameters": {**cases[1]["parameters"], "regularizationForce": -1.0}}]


def coordinate_cases() -> list[dict[str, Any]]:
    """Return cases of coordinates that stick, slip, reverse their motion, and touch stops."""
    cases = []
    for q, v, start, data in [
        (0.02, 0.1, [0, 0.01, 0], [0, 0.01, 0]),  # coordinate sticks
        (0.2, 0.1, [0, 0.01, 0], [0, 0.01, 0]),  # the coordinate begins to slip
        (-0.2, -0.1, [0, 0.01, 0], [0, 0.01, 0]),
        (0.2, -0.1, [0, 0.01, 0], [0, 0.01, 0]),  # the bristle is deflected against the motion
        (0.02, 0.1, [1, 0, 0], [2, 0.01, 0]),  # the coordinate continues to slip
        (0.02, -0.3, [-1, 0, 0], [-2, 0.01, 0]),
        # the motion reverses, and the coordinate sticks with the force of the start of the step
        (0.02, 0.1, [1, 0, 0], [-2, 0.01, 0]),
        (0.02, 0.1, [-1, 0, 0], [-2, 0.01, 0]),
        (0.02, -0.1, [0, 0.013, 0], [2, 0.01, 0]),  # the motion reverses in the step in which slip began
    ]:
        cases.append({"q": [0.0, q], "v": [0.0, v], "start": start, "data": data, "parameters": FRICTION})
    for v in (0.01, 0.0501, 0.3, -0.3):
        parameters = {**FRICTION, "frictionProportionalZone": 0.05, **STOPS}
        cases.append({"q": [0.0, 0.02], "v": [0.0, v], "start": [0, 0, 0], "data": [0, 0, 0], "parameters": parameters})
    for q in (-0.2, 0.0, 0.05, 0.2):
        for stop in (0.0, 0.1, -0.1):
            parameters = {**SPRING, **STOPS}
            data = [0, 0, stop]
            cases.append({"q": [0.05, q], "v": [0.1, 0.2], "start": data, "data": data, "parameters": parameters})
    return cases


def connectors() -> dict[str, tuple[Add, list[float]]]:
    """Return connectors between two rigid bodies, and their history values."""
    frames = {f"rotationMarker{k}": rotation(FRAME_ANGLES[k]) for k in range(2)}
    one = {"stiffness": 500, "damping": 3, "offset": 0.05, "velocityOffset": 0.1}

    def linear(mbs: Any, items: Any, markers: list[int], data: int, on: bool) -> None:
        mbs.AddObject(
            items.LinearSpringDamper(
                markerNumbers=markers, **one, force=0.7, axisMarker0=[0.6, 0.8, 0.0], activeConnector=on
            )
        )

    def torsional(mbs: Any, items: Any, markers: list[int], data: int, on: bool) -> None:
        mbs.AddObject(
            items.TorsionalSpringDamper(markerNumbers=markers, **one, torque=0.7, **frames, activeConnector=on)
        )

    def bushing(mbs: Any, items: Any, markers: list[int], data: int, on: bool) -> None:
        mbs.AddObject(
            items.RigidBodySpringDamper(
                markerNumbers=markers,
                stiffness=STIFFNESS,
                damping=0.01 * STIFFNESS,
                offset=[0.15, 0.01, 0, 0.1, 0, 0],
                **frames,
                activeConnector=on,
            )
        )

    def rolling(**parameters: Any) -> Add:
        def add(mbs: Any, items: Any, markers: list[int], data: int, on: bool) -> None:
            mbs.AddObject(
                items.ObjectConnectorRollingDiscPenalty(
                    markerNumbers=markers, nodeNumber=data, **ROLLING, **parameters, activeConnector=on
                )
            )

        return add

    return {
        "rolls": (rolling(dryFrictionProportionalZone=5.0), ROLLS),
        "rolls, linear": (rolling(dryFrictionProportionalZone=5.0, useLinearProportionalZone=True), ROLLS),
        "slips": (rolling(dryFrictionProportionalZone=0.1, viscousFriction=[0.2, 0.1]), ROLLS),
        "slips on rollers": (rolling(dryFrictionProportionalZone=0.1, dryFrictionAngle=0.3), ROLLS),
        "open": (rolling(dryFrictionProportionalZone=0.1), [0.3, -0.2, 0.1]),
        "LinearSpringDamper": (linear, [0.0]),
        "TorsionalSpringDamper": (torsional, [0.0]),
        "RigidBodySpringDamper": (bushing, [0.0]),
    }


def main(path: str) -> None:
    """Compute the forces of all cases, and write them to the file."""
    import exudyn as exu  # imported inside the function, because tests read this file without exudyn
    import exudyn.itemInterface as items

    found: dict[str, Any] = {
        "source": f"Exudyn {exu.__version__}, tests/support/exudyn_states.py: left-hand-side generalised forces of "
        "connectors at hand-made states; coordinates of bodies x, y, z, e0..e3",
        "bodies": {
            name: [eval_bodies(exu, items, add, state, data) for state in STATES]
            for name, (add, data) in connectors().items()
        },
        "CoordinateSpringDamperExt": [eval_coordinates(exu, items, case) for case in coordinate_cases()],
        "ReevingSystemSprings": [eval_rope(exu, items, case) for case in rope_cases()],
        "ContactSphereSphere": [eval_spheres(exu, items, case) for case in sphere_cases()],
    }
    with open(path, "w") as file:
        json.dump(found, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
