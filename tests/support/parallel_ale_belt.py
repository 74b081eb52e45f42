"""Program for mpiexec: a belt of moving material with friction, run up to speed; writes its last state.

Usage: parallel_ale_belt.py OUT.npz
"""

import sys

import numpy as np


def main(path: str) -> None:
    """100 steps with bristles, whose sticking positions refer to the material."""
    from windlass.framework.launch.launcher import is_first_process

    from support.ale_belt import create_drive, create_motion, preload

    model = create_drive((True,), friction_stiffness_per_length=1e6)
    state = preload(model)
    assert model.axial_hold is not None
    model.world.set(model.axial_hold, active=False)
    whole = create_motion(model, 0.05, lag=False).solve(state).gather()
    if is_first_process():
        np.savez(path, q=whole.q, v=whole.v, lam=whole.lam, data=whole.data)


words = sys.argv[1:]
# Windlass would read them as options
del sys.argv[1:]
main(words[0])
