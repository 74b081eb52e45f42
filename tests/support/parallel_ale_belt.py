"""Program for mpiexec: a belt of ALE cables with friction accelerates, and its last state is written.

Usage: parallel_ale_belt.py OUT.npz
"""

import sys

import numpy as np


def main(path: str) -> None:
    """Run 100 steps with bristles whose sticking positions refer to the material. A law on whole cables brakes the
    belt.
    """
    import windlass as wl
    from windlass.connectors import CableCoordinates
    from windlass.framework.launch.launcher import is_first_process

    from support.ale_belt import create_drive, create_motion, preload
    from support.cable_bed import CableBed

    model = create_drive((True,), friction_stiffness_per_length=1e6)
    markers = model.world.add(CableCoordinates, cable=model.belts[0])
    brake = model.world.add(CableBed, cable=markers, damping=2.0)
    state = preload(model)
    assert model.axial_hold is not None
    model.world.set(model.axial_hold, active=False)
    end = create_motion(model, 0.05, lag=False).solve(state)
    whole, power = end.gather(), wl.eval_output(brake, "power", end)
    if is_first_process():
        np.savez(path, q=whole.q, v=whole.v, lam=whole.lam, data=whole.data, power=power)


words = sys.argv[1:]
# removed from sys.argv, because Windlass would read these arguments as its options
del sys.argv[1:]
main(words[0])
