"""Program for mpiexec: a net of two layers of ropes falls on a sphere, with friction and search in both contacts.

Usage: parallel_laid_net.py OUT.npz STEPS [options of Windlass and PETSc]
"""

import sys

import numpy as np

from support.laid_net import create_laid_net, let_fall

FEW = 16
"""In runs of at most this number of steps, step sizes may be reduced."""


def main(path: str, steps: int) -> None:
    """Solve and write the whole state, outputs of both contacts, and counts."""
    import windlass as wl
    from windlass.framework.launch.launcher import communicator

    net = create_laid_net(3)
    # The Jacobian is evaluated in each iteration. With a lagged Jacobian, the last residual would be close to the
    # tolerance. The order of sums would then decide whether the Jacobian is evaluated again, so results on different
    # numbers of processes would differ by the tolerance. In long runs, the size of steps that are reduced for impacts
    # also depends on rounding errors.
    motion = wl.Dynamic(net.world, step=5e-4, end=5e-4 * steps, lag=False, resolve_contacts=steps <= FEW)
    end = motion.solve(let_fall(net, 1.0))
    names = ("contact_force", "normal_force", "axis_torque", "contact_count", "gap", "stick_slip")
    found = {name: wl.eval_output(net.crossings, name, end) for name in names}
    found["surface"] = wl.eval_output(net.on_surfaces, "surface", end)
    found["on_surface"] = wl.eval_output(net.on_surfaces, "force", end)
    whole, counts = end.gather(), motion.statistics
    found |= {"q": whole.q, "v": whole.v, "data": whole.data}
    found["counts"] = np.array([counts.newton_iterations, counts.discontinuous_iterations])
    if (comm := communicator()) is None or comm.rank == 0:
        np.savez(path, **found)


if __name__ == "__main__":
    main(sys.argv.pop(1), int(sys.argv.pop(1)))
