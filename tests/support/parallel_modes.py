"""Program for mpiexec: modes of a span at rest, of a span in motion and of a belt drive, on any number of processes.

Usage: parallel_modes.py OUT.npz [options of Windlass and PETSc]

The equilibrium of the belt drive is in drive.npz. The first run computes this equilibrium, because sticking contacts
have many equilibria.
"""

from __future__ import annotations

import sys
from pathlib import Path

path = sys.argv.pop(1)

import numpy as np  # noqa: E402

import windlass as wl  # noqa: E402

from support.modes_models import create_drive, create_span, spin_ring  # noqa: E402
from support.moving_spans import Span  # noqa: E402
from support.moving_spans import create_span as create_moving_span  # noqa: E402


def main() -> None:
    """Write frequencies, damping, missing modes, shapes of the nodes and shares of energy of each model."""
    found = {}
    world = create_span(40, bending=1.0)
    running, nodes, state = create_moving_span(Span(length=2.0, mass=0.5, tension=100.0, bending=1.0), 8.0, 24)
    kept = Path("drive.npz")
    drive, _, wheels = create_drive(40, solve=not kept.exists())
    if kept.exists():
        drive.load(kept, switches="keep")
    else:
        drive.save(kept)
    cases = {"span": wl.State(world), "running": state, "drive": drive}
    for name, case in cases.items():
        result = wl.Modes(case.world, count=6).solve(case)
        found |= {f"{name} frequencies": result.frequencies, f"{name} damping": result.damping}
        found[f"{name} missing"] = np.array(-1 if result.missing is None else result.missing)
        shares = result.energy_share()
        found[f"{name} names"] = np.array(sorted(shares))
        found[f"{name} shares"] = np.array([shares[key] for key in sorted(shares)])
        potential = result.energy_share("potential")
        found[f"{name} potential"] = np.array([potential[key] for key in sorted(potential)])
    ring = spin_ring(40, 1.0, balanced=False)
    found["ring imbalance"] = np.array(wl.Modes(ring.world, count=3).solve(ring).imbalance)
    assert found["ring imbalance"] > 1e-9
    spinning = ((speed, spin_ring(40, speed, balanced=False)) for speed in (1.0, 1.5))
    diagram = wl.campbell(spinning, count=9)
    # the shapes of free motions are arbitrary combinations of these motions
    found["ring frequencies"], found["ring assurance"] = diagram.frequencies[:, 4:], diagram.assurance[1:, 4:]
    found["shape"] = np.abs(wl.Modes(running, count=3).solve(state).of(nodes))
    found["turn"] = result.amplitudes([wl.Sensor(wheels[0], "rotation")])[f"{wheels[0].name}.rotation"]
    result.animate(path + "_films", modes=[2], frames=4)
    if wl.is_first_process():
        np.savez(path, **found)


main()
