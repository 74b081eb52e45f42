"""Integrals of the speeds, torques and powers of pulleys over all steps of a run, by the trapezoidal rule, and records
of all quantities of a drive.

Powers fluctuate from step to step, and steps are shorter when a cable runs onto a pulley. Therefore a mean power from
every tenth step has an error of about 0.3 %, which is as large as the relative loss of power of a belt. The mean creep
from every tenth step also has an error of about 0.3 %.

Compiled code integrates the quantities over the steps between two calls of Python, see `StepHook.idle_steps`.
Compiled code also records all quantities of the drive at the steps at which a record is due. The torque on a pulley is
the contact torque on its circle, plus the torques of teeth and bending losses on the rotation of its body.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan, nan
from operator import is_
from typing import Any

import numpy as np

from windlass.connectors.circle_points.kernels import PointRows, add_torques
from windlass.connectors.contact.circles import CIRCLE_FAMILY
from windlass.connectors.drives.drive_numbers import COUNT, EVERY, MOST_RECORDS, Records, count_step, keep_record
from windlass.connectors.drives.drive_report import BoundDrive, Drive
from windlass.elements.nodes.ground import Ground
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.assembly.array_kernels import clear
from windlass.framework.assembly.parallel_assembly import parallel_assembly
from windlass.framework.kernels.kernel import kernel
from windlass.framework.kernels.program import Program, Step
from windlass.framework.ledger.balance import list_state_steps, step
from windlass.framework.model.law import require_law
from windlass.framework.model.system import Fields, evaluate
from windlass.framework.model.table import Entity
from windlass.framework.state.evaluate import find_evaluated_rows, load_outputs
from windlass.framework.state.exchange import NAMES
from windlass.framework.state.state import State

SPEEDS, TORQUES, POWERS = range(3)
"""Indices of the rows of the integrals."""
TURN = 2
"""Index of the rotation in the coordinates of a 2D body."""


@kernel(fast=False)
def integrate(
    time: FloatArray, v: FloatArray, f: FloatArray, turns: IntArray, torque: FloatArray, now: FloatArray,
    last: FloatArray, last_time: FloatArray, integral: FloatArray,
) -> None:  # fmt: skip
    """Add to ``integral`` the integrals of speeds, torques and powers over the time since the last call.

    Args:
        time: current time [s], shape (1,).
        v: velocities of the coordinates [m/s, rad/s].
        turns: coordinate indices of the rotations of the pulleys, shape (pulleys,). The value is -1 for a pulley that
            does not rotate.
        torque: contact torques on the pulleys [N m], shape (pulleys,).
        f: forces of teeth and of bending losses on the left-hand side of the equations of motion, shape (n + 1,) for n
            coordinates.
        now, last: memory for the current and the previous speeds, torques and powers, shape (3, pulleys) each.
        last_time: time of the previous values [s], shape (1,). It is NaN before the first call.
        integral: integrals of speeds, torques and powers, shape (3, pulleys).
    """
    for i in range(len(turns)):
        k = turns[i]
        now[SPEEDS, i] = v[k] if k >= 0 else 0.0
        now[TORQUES, i] = torque[i] - (f[k] if k >= 0 else 0.0)
        now[POWERS, i] = now[SPEEDS, i] * now[TORQUES, i]
    size = time[0] - last_time[0]
    for a in range(len(now)):
        for i in range(len(turns)):
            if np.isfinite(size):
                integral[a, i] += 0.5 * size * (last[a, i] + now[a, i])
            last[a, i] = now[a, i]
    last_time[0] = time[0]


class DriveMotion:
    """Integrals over time of the speeds, torques and powers of all pulleys.

    Attributes:
        is_wanted: whether speeds, torques and powers are integrated. The value is true only for belts and ropes on
            circles, because the evaluation of powers on circles takes little time.
        integral, recorded: integrals of speeds [rad], torques [N m s] and powers [J], shape (3, pulleys) each.
            ``integral`` ends at the current time, and ``recorded`` ends at the previous record.
    """

    def __init__(self, drive: Drive) -> None:
        self.drive, self.is_wanted = drive, not drive.surfaces
        self.integral, self.recorded, self._last, self._now = np.zeros((4, 3, len(drive.pulleys)))
        self._time = np.full(1, nan)
        self._bound: BoundDrive | None = None
        self._records: Records | None = None
        self._program: Program | None = None
        self._arrays: list[FloatArray] = []
        self._mark: tuple[int, int] = (-1, -1)

    def add(self, state: State) -> None:
        """Add to ``integral`` the integrals of speeds, torques and powers over the time since the last call."""
        if not self.is_wanted or state.t == self._time[0]:
            return
        program = self.find_program(state)
        if program is not None:
            if self._records is not None:
                self._records.counts[EVERY] = 0
            parallel_assembly(state.world).fields.t = state.t
            program()
            return
        now = self.find_bound().eval_motion(load_outputs(state))
        if not isnan(self._time[0]):
            self.integral += 0.5 * (state.t - self._time[0]) * (self._last + now)
        self._time[0], self._last[:] = state.t, now

    def find_bound(self) -> BoundDrive:
        """Return the `BoundDrive` for the current columns of the model. All processes must call this function."""
        if self._bound is None or self._bound.version != self.drive.world.version:
            self._bound = BoundDrive(self.drive)
        return self._bound

    def begin_records(self, state: State, steps: int, every: int) -> bool:
        """Let compiled code record each step whose index is a multiple of ``every``. The argument ``steps`` is the
        index of the current step. Return whether compiled code can evaluate all quantities.
        """
        if self.find_program(state) is None or self._records is None:
            return False
        self._records.counts[:] = steps, every, 0, 0
        return True

    def fetch_records(self) -> list[tuple[float, int, FloatArray, FloatArray]]:
        """Return all new records. Each record consists of the time [s], the number of steps since the call of
        `begin_records`, the quantities, and the integrals of powers [J].
        """
        r = self._records
        count = 0 if r is None else int(r.counts[COUNT])
        if r is None or not count:
            return []
        r.counts[COUNT] = 0
        marks = zip(r.times[:count].tolist(), r.steps[:count].tolist(), strict=True)
        return [(*mark, r.rows[k].copy(), r.integrals[k].copy()) for k, mark in enumerate(marks)]

    def find_program(self, state: State) -> Program | None:
        """Return the compiled program that adds the integrals over a step, or None if compiled code cannot evaluate the
        powers.
        """
        assembly, drive = parallel_assembly(state.world), self.drive
        if not self.is_wanted or assembly.layout.size > 1:
            return None
        mark, arrays = (assembly.revision, drive.world.version), [getattr(state, name) for name in NAMES]
        if mark != self._mark or not all(map(is_, arrays, self._arrays)):
            self._mark, self._arrays = mark, arrays
            steps = self._list_steps(state)
            self._program = Program(steps) if steps else None
        return self._program if self._program is not None and self._program.is_plain else None

    def _list_steps(self, state: State) -> list[Step]:
        """Return the kernels of the program. The list is empty in two cases. In the first case, the body of a pulley is
        neither a 2D body nor the ground. In the second case, teeth or bending losses act on a pulley that does not
        rotate about the origin of its body, or that shares its body with another pulley.
        """
        drive, assembly = self.drive, parallel_assembly(state.world)
        assembly.refresh()
        fields, turns = assembly.fields, np.full(len(drive.pulleys), -1)
        for i, pulley in enumerate(drive.pulleys):
            if pulley.body.table.component is not Ground:
                dofs = find_evaluated_rows(pulley.body, drive.world).rows.dofs
                if dofs.shape != (1, TURN + 1):
                    return []
                turns[i] = dofs[0, TURN]
        further = {i for i in (*drive.wheels, *drive.lossy)}
        if any(turns[i] < 0 or (turns == turns[i]).sum() > 1 or not drive.pulleys[i].is_centred for i in further):
            return []
        f, torque, unused = np.zeros(len(fields.x)), np.zeros(len(turns)), np.zeros(len(state.q))
        forces: list[Step] = []
        rows = find_evaluated_rows(drive.contacts, drive.world).rows
        points: PointRows = rows.columns
        owner = np.repeat(np.arange(len(turns)), len(drive.cables))
        contact = points, fields.markers[CIRCLE_FAMILY], fields.data, fields.x, fields.v, owner, torque
        forces.append(step(add_torques, *contact))
        for entity in (drive.teeth, drive.losses):
            if entity is not None:
                forces.append(self._add_law(entity, f))
        motion = fields.time, fields.v, f, turns, torque, self._now, self._last, self._time, self.integral
        return [
            *list_state_steps(assembly, state, unused, forces), step(clear, f), step(clear, torque), *forces,
            step(integrate, *motion), *self._list_records(fields),
        ]  # fmt: skip

    def _list_records(self, fields: Fields) -> list[Step]:
        """Return the kernels that record all quantities. The list is empty if compiled code cannot evaluate all
        quantities.
        """
        bound, (_, count) = self.find_bound(), self.integral.shape
        if self._records is None:
            rows, integrals = np.zeros((MOST_RECORDS, len(bound.row))), np.zeros((MOST_RECORDS, count))
            due, counts, steps = (np.zeros(n, np.int64) for n in (1, 4, MOST_RECORDS))
            self._records = Records(bound.row.copy(), due, counts, rows, np.zeros(MOST_RECORDS), integrals, steps)
        r = self._records
        calls = bound.list_calls(fields, r.due, r.row)
        if not calls:
            self._records = None
            return []
        calls += bound.list_last_calls(self._now, r.due, r.row)
        kept = r, fields.time, self.integral, self.recorded
        return [step(count_step, r), *(step(kernel, *given) for kernel, given in calls), step(keep_record, *kept)]

    def _add_law(self, entity: Entity, f: FloatArray) -> Step:
        """Return the call that adds the forces of the rows ``entity`` to f."""
        rows = find_evaluated_rows(entity, self.drive.world).rows
        build = require_law(entity.table.component).build
        assert build is not None
        residual = build(rows).residual
        assert residual is not None
        return residual, (evaluate(parallel_assembly(self.drive.world).fields, f=f),)

    def checkpoint(self) -> dict[str, Any]:
        """Return the time of the last step, the integrals up to this time, and the speeds, torques and powers at this
        time.
        """
        return {"time": float(self._time[0]), "values": np.stack((self.integral, self.recorded, self._last))}

    def restore(self, kept: Mapping[str, Any]) -> None:
        """Restore the integrals from the values of `checkpoint`."""
        self._time[0] = float(kept["time"])
        self.integral[:], self.recorded[:], self._last[:] = np.array(kept["values"])
