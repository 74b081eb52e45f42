"""Chosen states of ContactCurveCircles in Exudyn and the forces in these states, for
`tests/reference/exudyn_curves.json`.

    pip install exudyn==1.13.6
    python tests/support/exudyn_curves.py tests/reference/exudyn_curves.json

As in `exudyn_states.py`, the program solves no equations. Tests require only the file, not Exudyn.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np
from exudyn_states import residual


def eval_curve(exu: Any, items: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Return forces of ContactCurveCircles on a body with a curve of segments and on a circle after an update, and the
    gaps.
    """
    found = []
    for active in (True, False):
        mbs = exu.SystemContainer().AddSystem()
        markers = []
        for q, v in zip(case["q"], case["v"], strict=True):
            node = items.NodeRigidBody2D(initialCoordinates=q, initialVelocities=v)
            body = items.ObjectRigidBody2D(nodeNumber=mbs.AddNode(node), mass=1, inertia=1)
            markers.append(mbs.AddMarker(items.MarkerBodyRigid(bodyNumber=mbs.AddObject(body))))
        empty = [-1.0, 1.0, 0.0] * len(case["segments"])
        data = mbs.AddNode(items.NodeGenericData(numberOfDataCoordinates=len(empty), initialCoordinates=empty))
        mbs.AddObject(
            items.ObjectContactCurveCircles(
                markerNumbers=markers, nodeNumber=data, circlesRadii=[case["radius"]], activeConnector=active,
                segmentsData=exu.MatrixContainer(np.array(case["segments"])), **case["parameters"],
            )
        )  # fmt: skip
        _, (solver, settings) = residual(exu, mbs)
        solver.PostNewton(mbs, settings)
        if active:
            gaps = [float(x) for x in mbs.systemData.GetDataCoordinates()[1::3]]
        solver.ComputeODE2RHS(mbs)
        found.append(np.array(solver.GetSystemResidual())[:6])
    return {**case, "force": (found[1] - found[0]).tolist(), "gaps": gaps}


def curve_cases() -> list[dict[str, Any]]:
    """Return states without rotation of a circle on a segment, above a segment and between two flanks, with friction
    within and beyond its transition zone.

    The body with the curve does not rotate, because Exudyn omits its rotation in the rate of the gap.
    """
    line, flanks = [[2.0, 0.0, 0.0, 0.0]], [[2.0, 2.0, 1.0, 0.0], [1.0, 0.0, 0.0, 2.0]]
    base = {"contactStiffness": 1000.0, "contactDamping": 10.0}
    slow = {**base, "dynamicFriction": 0.4, "frictionProportionalZone": 5.0}
    fast = {**slow, "frictionProportionalZone": 0.1}
    turned = [[0.3, -0.2, 0.7], [0.0, 0.0, 0.2]]
    still, moves = [[0.0] * 3] * 2, [[0.1, 0.05, 0.0], [0.3, -0.2, 2.0]]
    slides = [[0.1, 0.05, 0.0], [0.3, -0.2, 0.0]]
    cases = []
    for segments, place, parameters, v in (
        (line, [0.7, 0.4], base, still), (line, [0.7, 0.4], base, moves), (line, [0.7, 0.6], base, moves),
        (line, [0.7, 0.4], slow, slides), (line, [0.7, 0.4], fast, slides), (flanks, [0.95, 0.8], base, still),
        (flanks, [1.02, 0.9], base, moves), (flanks, [1.02, 0.9], fast, slides),
    ):  # fmt: skip
        c, s = np.cos(turned[0][2]), np.sin(turned[0][2])
        q = [turned[0], [turned[0][0] + c * place[0] - s * place[1], turned[0][1] + s * place[0] + c * place[1], 0.2]]
        cases.append({"segments": segments, "radius": 0.5, "q": q, "v": v, "parameters": parameters})
    return cases


def main(path: str) -> None:
    """Write all forces to the file."""
    import exudyn as exu  # imported inside the function, because linters read this file without exudyn
    import exudyn.itemInterface as items

    found = {
        "source": f"Exudyn {exu.__version__}, tests/support/exudyn_curves.py: left-hand-side forces on x, y, rotation "
        "of the body with the curve and of the circle, and gaps per segment",
        "cases": [eval_curve(exu, items, case) for case in curve_cases()],
    }
    with open(path, "w") as file:
        json.dump(found, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
