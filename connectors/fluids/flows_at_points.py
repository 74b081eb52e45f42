"""Fluids at the points of loads: for each fluid, its parameters and the indices of its points."""

from __future__ import annotations

import numpy as np

from windlass.connectors.fluids.flow import Flow
from windlass.connectors.fluids.fluid import create_flow
from windlass.connectors.fluids.user_flows import UserFlow
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.model.law import Tables


def create_flows_at(
    world: Tables, fluids: IntArray, up: IntArray, scale: FloatArray
) -> tuple[list[Flow], list[UserFlow]]:
    """Return the data with which kernels evaluate the fluids at points. The data are one `Flow` for each fluid
    and upward axis, and one `UserFlow` for each `Flow` of a fluid with a user function.

    Args:
        world: model that contains the fluids.
        fluids: entity index of the fluid at each point, shape (points,).
        up: index of the axis that points upwards at each point, shape (points,).
        scale: length over which a flow changes significantly at each point [m], shape (points,). See `UserFlow`.
    """
    flows, users = [], []
    for table, positions, numbers in world.split_by_table(fluids):
        for number in np.unique(numbers):
            of_fluid = positions[numbers == number]
            for axis in np.unique(up[of_fluid]):
                where = np.sort(of_fluid[up[of_fluid] == axis])
                flows.append(create_flow(table, int(number), int(axis), where))
                function = table.local("function", np.array([number]))[0]
                if function is not None:
                    users.append(UserFlow(function, int(number), where, float(scale[where].min())))
    return flows, users
