"""Distribution of one contact set over several processes: assignment of surfaces and pairs, and exchange of motion and
forces.

Each process evaluates the motion of the surfaces on its own markers. Surfaces on the ground are sent to all processes
once. Moving half spaces can be neighbours of any surface. Therefore they are sent to all processes in each evaluation.
Moving bounded surfaces are sent in each evaluation only to the processes that need them for their pairs. A process that
has received a surface returns the force on this surface.

A pair is evaluated by the process of one of its surfaces. If one surface is on the ground, the process of the moving
surface evaluates the pair. If one surface is a half space, the process of the bounded surface evaluates the pair. If
the sizes of two bounded surfaces differ by more than the factor `MUCH_LARGER`, the process of the smaller surface
evaluates the pair, because a large surface may have very many neighbours. The remaining pairs of two processes are
divided equally between these processes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.markers.position_kernels import PositionMarkers
from windlass.connectors.point_contact.surfaces import HALF_SPACE, SPHERE, Runs, Surfaces, find_runs
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.model.law import Rows, Tables
from windlass.framework.parallel.ghosts import Ghosts, pack, unpack

MUCH_LARGER = 2.0
"""Ratio of the sizes of two surfaces [1]. Above this ratio, the process of the smaller surface evaluates the pair."""


class Share:
    """The part of a contact set that is assigned to this process. All processes must create this object, and call each
    of its functions, together.

    Args:
        layout: local indices of rows and coordinates.
        c: surfaces of the set. `exchange_motion` writes the motion of surfaces of other processes.

    Attributes:
        own: indices of the surfaces whose motion this process evaluates, shape (k,).
        present: ranges of the indices of all surfaces on which this process can add forces, see `find_runs`.
        dofs: coordinate indices of the surfaces, shape (n, w). Indices of coordinates of other processes and of the
            spare coordinate follow the local indices.
        off_process: global indices of the coordinates of other processes, shape (f,).
    """

    def __init__(self, world: Tables, layout: Rows, c: Surfaces) -> None:
        self._world, self._layout, self._comm = world, layout, layout.comm
        n = len(c.ids)
        self._owner, self._marker = np.zeros(n, np.int64), np.zeros(n, np.int64)
        for table, positions, rows in world.split_by_table(c.ids):
            self._owner[positions] = layout.owners(table.component)[rows]
            self._marker[positions] = table.collect("marker")[rows]
        is_own = self._owner == layout.rank
        plane = c.kind == HALF_SPACE
        self.own: IntArray = np.flatnonzero(is_own)
        self._moving: IntArray = np.flatnonzero(is_own & ~c.fixed)
        self._always: IntArray = np.flatnonzero(~is_own & plane & ~c.fixed)
        self._on_ground: IntArray = np.flatnonzero(~is_own & c.fixed)
        # arrays with motion, and arrays with forces, that processes exchange in each evaluation
        moving = ~c.fixed
        turns, shaped = bool((moving & ~c.is_point).any()), bool((moving & (c.kind != SPHERE)).any())
        self._motion = [c.center, c.v, *([c.omega] if turns else []), *([c.normal, c.Q] if shaped else [])]
        self._forces = [c.force, *([c.torque] if turns else [])]
        self._ghosts = self._share_out(np.concatenate((self._always, self._on_ground)))
        self._knows_ground = False
        self.present: Runs = find_runs(self.own)
        self.dofs, self.off_process = c.dofs, np.zeros(0, np.int64)
        self._attached: AttachedMarkers | None = None
        self._curved: bool | None = None

    def _share_out(self, needed: IntArray) -> Ghosts:
        return Ghosts(self._comm, needed, self._owner[needed], needed)

    def watched(self, c: Surfaces, bounded: int) -> IntArray:
        """Return the bounded surfaces whose motion this process checks: its own surfaces and the surfaces on the
        ground.
        """
        return np.flatnonzero((self._owner[:bounded] == self._layout.rank) | c.fixed[:bounded])

    def exchange_motion(self, c: Surfaces) -> None:
        """Send the motion of surfaces of this process to other processes, and receive the motion of surfaces of the
        other processes.
        """
        if self._knows_ground:
            self._ghosts.copy_from_owners(*self._motion)
        else:
            self._ghosts.copy_from_owners(c.center, c.v, c.omega, c.normal, c.Q)
            self._knows_ground = True

    def collect_forces(self) -> None:
        """Send the forces on surfaces of other processes to these processes. Each process adds the received forces to
        the forces that it has computed.
        """
        self._ghosts.add_to_owners(*self._forces)

    def agree(self, here: bool) -> bool:
        """Return whether the condition ``here`` is true on at least one process."""
        return self._layout.processes.any(here)

    def gather_centers(self, c: Surfaces) -> None:
        """Gather the origins of the surfaces of all processes for a search."""
        for rows, centers in self._layout.processes.allgather("surfaces", (self._moving, c.center[self._moving])):
            c.center[rows] = centers

    def find_searched(self, c: Surfaces, bounded: int, margin: float) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return two masks of the m bounded surfaces, shape (m,) each. The first marks the surfaces whose neighbours
        this process searches. The second marks the other surfaces that may be neighbours of these surfaces.
        """
        mine = (self._owner[:bounded] == self._layout.rank) & ~c.fixed[:bounded]
        if not mine.any():
            return mine, mine
        center, reach = c.center[:bounded], c.reach[:bounded, None] + margin
        low, high = (center[mine] - reach[mine]).min(axis=0), (center[mine] + reach[mine]).max(axis=0)
        near = ((center + reach >= low) & (center - reach <= high)).all(axis=1)
        return mine, near & ~mine

    def takes(self, c: Surfaces, pairs: IntArray) -> NDArray[np.bool_]:
        """Return, for each of k pairs, whether this process evaluates the pair, shape (k,)."""
        i, j = pairs[:, 0], pairs[:, 1]
        larger, smaller = c.reach[i] > MUCH_LARGER * c.reach[j], c.reach[j] > MUCH_LARGER * c.reach[i]
        bounded = ~c.fixed[j] & (c.kind[j] != HALF_SPACE)
        second = c.fixed[i] | (bounded & (larger | (~smaller & ((i + j) % 2 == 1))))
        mine: NDArray[np.bool_] = self._owner[np.where(second, j, i)] == self._layout.rank
        return mine

    def follow(self, c: Surfaces, pairs: IntArray, changed: bool) -> bool:
        """Prepare the exchange for the pairs after a search. Return whether the pairs have changed on any process."""
        if not self.agree(changed):
            return False
        others = np.zeros(len(c.ids), bool)
        others[pairs] = True
        others[self._always] = True
        others &= (self._owner != self._layout.rank) & ~c.fixed
        self._ghosts = self._share_out(np.flatnonzero(others))
        self.present = find_runs(np.sort(np.concatenate((self.own, self._ghosts.received, self._on_ground))))
        self._number_off_process(c)
        self._attached = None
        self.exchange_motion(c)
        return True

    def _number_off_process(self, c: Surfaces) -> None:
        spare, ghosts = self._layout.spare, self._ghosts.received
        numbers = self._world.dofs_of(self._marker[ghosts])
        local = self._layout.local_dofs(numbers)
        beyond = (numbers >= 0) & (local == spare)
        self.off_process = np.unique(numbers[beyond])
        local[beyond] = spare + np.searchsorted(self.off_process, numbers[beyond])
        last = spare + len(self.off_process)
        local[numbers < 0] = last
        self.dofs = np.where(c.dofs == spare, last, c.dofs)
        self.dofs[ghosts] = last
        self.dofs[ghosts, : local.shape[1]] = local

    def collect_markers(
        self, c: Surfaces, m: PositionMarkers, v: FloatArray
    ) -> tuple[Surfaces, PositionMarkers, FloatArray]:
        """Return the data for the tangent of the pairs, including surfaces of other processes.

        Args:
            c: data of the surfaces of this process.
            m: local markers.
            v: velocities of the local coordinates, followed by the velocity of the spare coordinate, shape (spare +
                1,).

        Returns:
            The surfaces, the markers, and the velocities. ``marker`` and ``dofs`` of these surfaces are indices
            into the returned markers and velocities.
        """
        if self._curved is None:
            self._curved = self.agree(bool((m.second[c.marker[self.own]] >= 0).any()))
        if self._attached is None:
            self._attached = AttachedMarkers(self, self._ghosts, c, m, self._curved)
        return self._attached.update(c, m, v)


class AttachedMarkers:
    """Markers to which the surfaces of this process and the surfaces from other processes are attached. One row of
    zeros represents all surfaces on the ground.

    Args:
        share: the part of the contact set that is assigned to this process.
        ghosts: exchange of surfaces between processes. ``received`` contains the indices of the received surfaces.
        c: data of the surfaces of this process.
        m: local markers.
        curved: whether any marker on any process has second derivatives.
    """

    def __init__(self, share: Share, ghosts: Ghosts, c: Surfaces, m: PositionMarkers, curved: bool) -> None:
        self._share, self._ghosts, self._curved = share, ghosts, curved
        own, others, width = len(share.own), len(ghosts.received), m.jacobian.shape[2]
        rows = own + others + 1
        place = np.full(len(c.ids), rows - 1, np.int64)
        place[share.own] = np.arange(own)
        place[ghosts.received] = own + np.arange(others)
        self._own, self._others = slice(0, own), slice(own, rows - 1)
        self._sent = place[ghosts.sent]
        self.surfaces = c._replace(marker=place, dofs=np.ascontiguousarray(share.dofs))
        bent = rows if curved else 0
        self.markers = m._replace(
            position=np.zeros((rows, 3)),
            jacobian=np.zeros((rows, 3, width)),
            jacobian_rate=np.zeros((rows, 3, width)),
            rotation_jacobian=np.zeros((rows, 3, width)),
            second=np.full(rows, -1, np.int64),
            hessian=np.zeros((bent, 3, width, width)),
            rotation_hessian=np.zeros((bent, 3, width, width)),
        )
        n = self.markers
        self._exchanged = [n.position, n.jacobian, n.jacobian_rate, n.rotation_jacobian]
        self._exchanged += [n.hessian, n.rotation_hessian] if curved else []
        self._is_curved = np.zeros(rows)

    def update(self, c: Surfaces, m: PositionMarkers, v: FloatArray) -> tuple[Surfaces, PositionMarkers, FloatArray]:
        """Return the result of `Share.collect_markers` for the current markers ``m`` and velocities ``v``."""
        n, own, ghosts, share = self.markers, self._own, self._ghosts, self._share
        k = c.marker[share.own]
        n.position[own], n.jacobian[own], n.jacobian_rate[own] = m.position[k], m.jacobian[k], m.jacobian_rate[k]
        n.rotation_jacobian[own] = m.rotation_jacobian[k]
        if self._curved:
            bent = np.flatnonzero(m.second[k] >= 0)
            h = m.second[k[bent]]
            n.hessian[bent], n.rotation_hessian[bent] = m.hessian[h], m.rotation_hessian[h]
            self._is_curved[bent] = 1.0
        rates = v[c.dofs[ghosts.sent]]
        sent = [*(array[self._sent] for array in self._exchanged), self._is_curved[self._sent], rates]
        received = unpack(ghosts.forward(pack(sent)), sent)
        for array, part in zip([*self._exchanged, self._is_curved], received, strict=False):
            array[self._others] = part
        if self._curved:
            n.second[:] = np.where(self._is_curved > 0.0, np.arange(len(n.second)), -1)
        everything = np.zeros(len(v) + len(share.off_process))
        everything[: len(v) - 1] = v[:-1]
        everything[share.dofs[ghosts.received]] = received[-1]
        everything[-1] = 0.0
        return self.surfaces, n, everything
