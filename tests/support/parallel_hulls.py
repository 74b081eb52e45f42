"""Two bodies with different meshes in waves, on any number of processes, with kill, restart and frames.

Usage: windlass run parallel_hulls.py -kill_at STEP -end_state END.npz [-checkpoint FILE ...]
"""

from __future__ import annotations

import os
import signal

import numpy as np

import windlass as wl
from windlass import connectors as con
from windlass.elements import RigidBody3D
from windlass.framework.model.table import Entity

from support import hulls


def create() -> tuple[wl.World, list[Entity]]:
    """Create the model, and return the bodies."""
    world, bodies = wl.World(gravity=(0.0, 0.0, -9.81)), list[Entity]()
    sea = world.add(con.Fluid, density=1000.0, velocity=(0.3, 0.1, 0.0), **con.jonswap(0.4, 3.0, seed=1, count=5))
    for k, (points, triangles) in enumerate((hulls.star(3), hulls.wigley(3.0, 1.0, 0.5, 0.4, 6, 3))):
        body = world.add(
            RigidBody3D, position=(6.0 * k, 0.0, 0.1), mass=600.0, inertia=(100.0, 150.0, 200.0),
            angular_velocity=(0.2, 0.1, 0.3),
        )  # fmt: skip
        mesh = world.add(con.BodyMesh, points=points, triangles=triangles)
        world.add(con.MeshFluidLoad, marker=body, fluid=sea, mesh=mesh, parts=(2, 1, 1 + k))
        bodies.append(body)
    return world, bodies


def main() -> None:
    """Simulate the motion of the bodies, and write their final positions."""
    kill_at = wl.option("kill_at", 0, "1", "step after which the run kills itself; 0 never", minimum=0)
    end_state = wl.option("end_state", "end.npz", "", "file for the coordinates at the end")

    def die(state: wl.State) -> None:
        """End the process immediately, as a kill would."""
        if kill_at and state.step == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    world, bodies = create()
    hooks = [die, wl.EnergyLedger(), wl.Recorder("hulls", every=20, formats=("vtu",))]
    end = wl.Dynamic(world, step=5e-3, end=0.3).solve(hooks=hooks).gather()
    if wl.is_first_process():
        np.savez(end_state, q=np.concatenate([np.ravel(end.of(body)) for body in bodies]))


if __name__ == "__main__":
    main()
