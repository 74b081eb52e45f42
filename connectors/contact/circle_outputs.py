"""Outputs of the laws of contact between circles and cables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from windlass.connectors.contact.account import create_power_outputs
from windlass.connectors.contact.place_numbers import COORDINATES, FORCES, GAP, NORMAL, NX, NY, POSITION, RATES, STATE
from windlass.connectors.friction.bristle import UNDEFINED
from windlass.framework.arrays import FloatArray
from windlass.framework.model.law import LocalRows, Output
from windlass.framework.model.system import Fields


def create_outputs(
    friction: bool,
    evaluate: Callable[[LocalRows, Fields], tuple[FloatArray, Any]],
    powers: Callable[[LocalRows, Fields], FloatArray],
) -> dict[str, Output]:
    """Create the output variables of a contact law. They are values of segments or points, shape (rows, segments, ...),
    and powers of rows, shape (rows,).

    The size of the second axis is the largest number of segments or points of the evaluated rows. Elements that a row
    does not use are 0. For ``state``, they are -2. The function ``evaluate`` returns the quantities of
    `place_numbers.py` and the arrays that kernels read. The function ``powers`` returns the powers in the order of
    `POWERS`.
    """

    def output(unit: str, doc: str, pick: Callable[[FloatArray, Any], Any]) -> Output:
        return Output(unit, doc, lambda rows, fields: pick(*evaluate(rows, fields)))

    outputs = {
        "force_local": output(
            "N",
            "forces [f_t, f_n] along tangent and normal, 0 where open; f_n < 0 presses",
            lambda o, c: o[..., FORCES],
        ),
        "coordinates": output(
            "m",
            "[u_t, g]: tangential displacement since sticking (0 if slipping; v_t in m/s without friction stiffness) "
            "and gap, both 0 where open",
            lambda o, c: o[..., COORDINATES],
        ),
        "coordinates_rate": output("m/s", "relative velocities [v_t, v_n], 0 where open", lambda o, c: o[..., RATES]),
        "force_per_length": output(
            "N/m",
            "[f_t, f_n] per reference length of the cable, 0 where open",
            lambda o, c: o[..., FORCES] / c.rows["length"][:, None, None],
        ),
        "gap": output("m", "distance between circle and segment, also of open segments", lambda o, c: o[..., GAP]),
        "contact_position": output("m", "closest point of the segment, in global x, y", lambda o, c: o[..., POSITION]),
        "normal": output("1", "normal n from circle to cable, in global x, y", lambda o, c: o[..., NORMAL]),
        "tangent": output(
            "1", "tangent t = [-n_y, n_x], in global x, y", lambda o, c: np.stack((-o[..., NY], o[..., NX]), axis=-1)
        ),
    }
    if friction:
        state = output("1", "contact state: 0 sticks, +-1 slips, -2 open or undefined", lambda o, c: o[..., STATE])
        outputs["state"] = replace(state, fill=UNDEFINED)
    outputs |= create_power_outputs(friction, powers)
    return outputs
