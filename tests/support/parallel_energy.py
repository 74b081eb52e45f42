"""The energy ledger of a belt drive on any number of processes, also after a kill and a restart.

Usage: windlass run parallel_energy.py -table FILE [-kill_at STEP] [-checkpoint FILE ...]
"""

import os
import signal

import numpy as np

import windlass as wl
from windlass import connectors as con

from support.contact_forms import create_drive

table = wl.option("table", "energy.csv", "", "file for the ledger")
kill_at = wl.option("kill_at", 0, "1", "step after which the run kills itself; 0 never", minimum=0)

drive = create_drive(con.ContactFrictionCircleCable2D, 12, 2, 8000.0, -0.05)


def die(state: wl.State) -> None:
    """End the process immediately, as a kill would."""
    if kill_at and state.step == kill_at:
        os.kill(os.getpid(), signal.SIGKILL)


drive.state.step = 0
ledger = wl.EnergyLedger(table, every=10)
recorder = wl.Recorder("belt", every=20)
motion = wl.Dynamic(drive.world, step=2e-4, end=0.01, method="trapezoidal_index2", name="drive")
state = motion.solve(drive.state, hooks=[ledger, recorder, die])
if not wl.help_requested():
    rows, work = ledger.losses(drive.contacts), wl.eval_output(drive.contacts, "friction_work", state)
    friction = rows["sliding"] + rows["bristles"] + rows["friction_damping"]
    assert np.allclose(work, friction, rtol=1e-14) and work.min() >= -1e-9
    total = sum(ledger.totals[f"ContactFrictionCircleCable2D.{name}"] for name in rows)
    assert abs(sum(values.sum() for values in rows.values()) - total) < 1e-9 * abs(total)
    if wl.is_first_process():
        assert "left" not in ledger.format() and "driver" in ledger.format()
