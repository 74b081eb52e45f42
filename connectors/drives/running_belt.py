"""A belt at rest as one that runs along itself: velocities of nodes and pulleys, for modes over the speed.

Nodes of a belt that runs with the flow c of its reference length have the velocities c r' and c r''.  The shape stays
that of the state at rest: contact carries less by rhoA v²/R, and the tension stays, as the belt is no longer.

Source: C. D. Mote, J. Franklin Inst. 279 (1965) 430-444.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from windlass.connectors.drives.pulleys import Pulley
from windlass.framework.model.table import Entity
from windlass.framework.state.state import State


def run_belt(
    state: State, speed: float, cables: Entity, nodes: Entity, pulleys: Sequence[Pulley], radii: Sequence[float]
) -> State:
    """A copy of a state in which a closed 2D belt runs, and its pulleys turn with it.

    Args:
        state: the state at rest.
        speed: of the belt, > 0 in the order of its pulleys [m/s].
        cables, nodes: of the belt, in order.
        pulleys, radii: the pulleys, and their radii at the cord [m].
    """
    running = state.copy()
    columns = [np.asarray(nodes.table.collect(name, nodes.rows)) for name in ("position", "slope")]
    x = np.hstack(columns) + np.asarray(state.of(nodes))
    length = np.asarray(cables.table.collect("length", cables.rows))[:, None]
    r, slope = x[:, :2], x[:, 2:]
    step, onward = np.roll(r, -1, axis=0) - r, np.roll(slope, -1, axis=0)
    # r'' of the cubics at both sides of a node
    ahead = (6.0 * step / length - 4.0 * slope - 2.0 * onward) / length
    behind = np.roll((2.0 * slope + 4.0 * onward - 6.0 * step / length) / length, 1, axis=0)
    flow = speed / float(np.linalg.norm(slope, axis=1).mean())
    running.put(nodes, flow * np.hstack((slope, 0.5 * (ahead + behind))), "v")
    for pulley, radius in zip(pulleys, radii, strict=True):
        if pulley.is_centred:
            velocity = np.array(running.of(pulley.body, "v"))
            velocity[..., 2] = (1.0 if pulley.side == "left" else -1.0) * speed / radius
            running.put(pulley.body, velocity, "v")
    return running
