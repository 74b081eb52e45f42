"""Comparison of the times per element for the evaluation of residual and tangent with inertia, for 3D and 2D cables.
The times are not compared with another program.

usage: dimensions.py [-elements N] [-rounds N]

Both kernels run alternately in one process, on the same number of elements of a chain in a random state, with damping.
Both kernels add their entries to a matrix in compressed row storage. Times are process times, the minimum of the
rounds; the ratio is the time of 3D cables divided by the time of 2D cables.
"""

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import windlass as wl
from windlass.elements import straight_cable
from windlass.framework.assembly.assembly import serial_assembly
from windlass.framework.model.system import Slots, evaluate

CALLS = 40
MASS = 900.0
"""Factor of the mass matrix in the tangent of a time step."""
DAMPING = 30.0
"""Factor of the derivatives with respect to velocities in the tangent of a time step."""


def create_functions(elements: int, dims: int) -> list[Callable[[], Any]]:
    """Return functions that evaluate the residual and the tangent of a chain in 2 or 3 dimensions."""
    world = wl.World()
    end = (0.1 * elements, *[0.0] * (dims - 1))
    straight_cable(
        world, [0.0] * dims, end, elements, axial_stiffness=1e4, bending_stiffness=1.0, mass_per_length=1.0,
        axial_damping=1.0, bending_damping=0.1,
    )  # fmt: skip
    state = wl.State(world)
    random = np.random.default_rng(0)
    state.q[:] = 1e-2 * random.normal(size=len(state.q))
    state.v[:] = random.normal(size=len(state.q))
    assembly = serial_assembly(world)
    fields = assembly.load_fields(state)
    (fused,) = (system.fused for system in assembly.systems if system.fused is not None)
    width = 2 * dims
    # each row of the matrix has entries for its node and for both neighbours of the node
    row, node = np.arange(2 * width), np.arange(elements)
    first = (node[:, None] * width + row) * 3 * width
    offset = np.arange(2)[None, :] - row[:, None] // width + 1
    places = (first[:, :, None] + offset * width).astype(np.int32)
    values = np.zeros((elements + 1) * width * 3 * width + width)
    into = {"slots": places, "pieces": Slots(places, width=width), "values": values}
    residual = evaluate(fields, f=np.zeros(len(state.q) + 1), mass=1.0)
    tangent = evaluate(fields, dq=1.0, dv=DAMPING, mass=MASS, **into)
    assert fused.residual is not None and fused.tangent is not None
    run_residual, run_tangent = fused.residual, fused.tangent
    return [lambda: run_residual(residual), lambda: run_tangent(tangent)]


def measure(function: Callable[[], Any], elements: int) -> float:
    """Return the process time [µs] of a call, divided by the number of elements."""
    start = time.process_time()
    for _ in range(CALLS):
        function()
    return 1e6 * (time.process_time() - start) / CALLS / elements


def main() -> int:
    """Measure both kernels and print the times."""
    elements = wl.option("elements", 4000, "1", "cables of each chain", minimum=1)
    rounds = wl.option("rounds", 15, "1", "rounds, of which the least times count", minimum=1)
    functions = [function for dims in (2, 3) for function in create_functions(elements, dims)]
    for function in functions:
        function()
    least = np.min([[measure(f, elements) for f in functions] for _ in range(rounds)], axis=0)
    for name, plane, space in zip(("residual", "tangent"), least[:2], least[2:], strict=True):
        print(f"{name:<10}{plane:8.4f} µs in the plane{space:8.4f} µs in space   ratio {space / plane:.2f}")
    plane, space = least[:2].sum(), least[2:].sum()
    print(f"{'both':<10}{plane:8.4f} µs in the plane{space:8.4f} µs in space   ratio {space / plane:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
