"""A winch rope with inactive cables in reserve. Within one run, the winch can pay out or take in a length of rope that
is much larger than the length of a cable.

In a rope created by `winch_rope`, the number of cables is constant, and each cable has a constant fraction Δ of the
length l of the rope. The rope of this file has several levels, each of which divides the whole rope into cables. All
levels use the same nodes. The first level consists of c equal cables, the second of 2 c, the third of 4 c, and so on.
Here c is the smallest number of cables. The cables of one level are active and form the rope outside the winch. The
cables of all other levels are inactive, without forces and mass. Nodes that belong to no active cable are fixed in
their reference positions. Therefore the numbering of coordinates does not change during a run.

If the active cables are too long, each cable is split into two. The shape of the rope does not change, because both
halves are parts of the same cubic. Let h = Δ l be the length of a cable, and let r and s be the position and the slope
of the nodes of the cable. The position and slope in the middle of the cable are

    r = (r_0 + r_1)/2 - h (s_1 - s_0)/8, s = 3 (r_1 - r_0)/(2 h) - (s_0 + s_1)/4.

Nodes are at constant fractions of l. Therefore velocities and accelerations in the middle are the time derivatives of
these formulas, including the derivatives of h. A split does not change the position, velocity and acceleration of the
material. Therefore mass, momentum and energy are conserved. If cables are too short, pairs of cables are merged. The
outer nodes of each pair do not change, and one cubic replaces the two cubics between them. The error of positions is
O(h⁴), where h is the length of the merged cables. In ropes with torsion, the frame of the material in the middle of a
cable is computed from the frames at both of its nodes (elements/cable/winch_twist_split.py). Contact points of new
cables receive their history values from the points of the cables before the change (winch_contact.py). Sliding joints
remain at their material point.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from windlass.connectors.constraints.supports import fix
from windlass.connectors.drives.winch_contact import WinchContacts, find_joints, place_joints
from windlass.connectors.markers.position_markers import merge_handles
from windlass.elements.cable.kinds import FRAME_COLUMNS
from windlass.elements.cable.points import array_form, eval_shape, shape_integrals
from windlass.elements.cable.winch_rope import winch_rope
from windlass.framework.arrays import FloatArray
from windlass.framework.checks.checks import checked, inside, instance, number, numbers, whole, word
from windlass.framework.command_line.notes import say_once
from windlass.framework.errors import ModelError
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.hooks import StepHook
from windlass.framework.state.state import State

LONGEST, SHORTEST = 1.6, 0.4
"""LONGEST, SHORTEST: cables longer than LONGEST times ``wanted`` are split, and cables shorter than SHORTEST times
``wanted`` are merged. After each change, the length of a cable is about 0.8 times ``wanted``.
"""
MOST = 1e5
"""Largest allowed length ``longest``, divided by ``wanted`` [1]."""
MIDDLE = eval_shape(np.array(0.5), np.array(1.0))
"""Shape functions in the middle of a cable of length 1."""
MOTION = "q", "v", "a", "carried"


class CableChange(NamedTuple):
    """A change of the number of cables. The attributes are the time of the change [s], the number of cables after the
    change, and the potential energy of the weight before the change minus this energy after the change [J]. This
    difference is 0 for a split.
    """

    t: float
    cables: int
    weight: float


def find_middles(motion: list[FloatArray], lengths: list[float]) -> list[FloatArray]:
    """Return the motion in the middle of n cables as four arrays, shape (n, 2 d) each, where d is the number of
    components of a position. The arrays contain the positions and slopes, their first time derivatives, their second
    time derivatives, and the values ``carried`` that the time integrator passes from step to step.

    Args:
        motion: these four arrays for the nodes, from the first to the last node, shape (n + 1, 2 d) each.
        lengths: length h of a cable [m], its first time derivative h_t [m/s], and its second time derivatives h_tt
            [m/s²] in ``a`` and in ``carried`` of the state.
    """
    (x, v, *accelerations), (h, h_t, *h_tts) = motion, lengths
    d = x.shape[1] // 2
    # g = 1/h
    g, g_t = 1.0 / h, -h_t / h**2

    def mean(y: FloatArray) -> FloatArray:
        total = y[:-1] + y[1:]
        return np.hstack((MIDDLE.S[0] * total[:, :d], MIDDLE.dS[1] * total[:, d:]))

    def change(y: FloatArray, h: float, g: float) -> FloatArray:
        dy = y[1:] - y[:-1]
        return np.hstack((MIDDLE.S[3] * h * dy[:, d:], MIDDLE.dS[2] * g * dy[:, :d]))

    middles = [mean(x) + change(x, h, g), mean(v) + change(v, h, g) + change(x, h_t, g_t)]
    for a, h_tt in zip(accelerations, h_tts, strict=True):
        g_tt = -h_tt / h**2 + 2.0 * h_t**2 / h**3
        middles.append(mean(a) + change(a, h, g) + change(v, 2.0 * h_t, 2.0 * g_t) + change(x, h_tt, g_tt))
    return middles


class WinchReserve(StepHook):
    """A straight rope of a winch as created by `winch_rope`, but with a number of cables that changes with the length
    of the rope. The object is a hook, which must be passed to each solve.

    Before each step, cables longer than 1.6 times the wanted length are split, and cables shorter than 0.4 times this
    length are merged in pairs. Restarts, saved states, recorders, sensors and the energy ledger remain valid when the
    number of active cables changes, because all cables exist from the start.

    Args:
        outlet, end: positions of the ends [m], shape (2,), or (3,) in 3D. Neither end is constrained.
        cables: smallest number of active cables, for the shortest rope.
        wanted: length that cables should approximately have [m].
        longest: largest length of the rope for which cables are created [m]. If the rope is longer, the cables become
            longer than ``wanted``, and a message is printed.
        strain: strain of the rope in the reference configuration [1].
        name: name for messages and output.
        **columns: columns of `WinchCable2D` except ``active``, with one value for all cables. With
            ``torsional_stiffness=``, columns of `WinchTwistCable3D`, see `winch_rope`.

    Attributes:
        cables: the cables of all levels. Outputs of inactive cables are 0 (mass) or NaN (positions).
        nodes: all nodes, from the outlet to the end.
        feed: the `ALENode` whose coordinate ``s`` is the length of rope outside the winch.
        changes: changes of the number of cables, in order of time. See `CableChange`.

    Raises:
        ModelError: positions have different shapes, positions coincide, ``active`` is given, or ``longest`` is less
            than the initial length or more than `MOST` times ``wanted``. At the start of a run, the error is raised if
            a track of sliding joints contains some but not all of the cables. When cables are merged, the error is
            raised if the contact of the cables uses a search, and a merged cable touches more surfaces than it has
            contact rows.
    """

    changes_state = True

    @checked(
        world=instance(World),
        outlet=numbers("m", (2,), (3,)),
        end=numbers("m", (2,), (3,)),
        cables=whole(1),
        wanted=number("m", above=0.0),
        longest=number("m", above=0.0),
        strain=number("1", above=-1.0),
        name=word(),
        columns=inside(),
    )
    def __init__(
        self,
        world: World,
        outlet: Any,
        end: Any,
        cables: int = 1,
        *,
        wanted: float,
        longest: float,
        strain: float = 0.0,
        name: str = "rope",
        **columns: Any,
    ) -> None:
        if "active" in columns:
            raise ModelError(f"active of {name}: must be left out, because it follows from the length of the rope")
        self._world, self._name, self._fewest, self._wanted = world, name, int(cables), float(wanted)
        if longest > MOST * wanted:
            raise ModelError(f"longest = {longest:g} m of {name}: must be at most {MOST:g} times wanted = {wanted:g} m")
        self._levels = 1
        while longest > LONGEST * wanted * self._most:
            self._levels += 1
        with world.all_or_nothing():
            rope = winch_rope(world, outlet, end, self._most, strain=strain, name=name, **columns)
            self.nodes, self.feed = rope.nodes, rope.feed
            self._feed_reference = float(self.feed.table.collect("reference", self.feed.rows)[0])
            if longest < self._feed_reference:
                given = f"longest = {longest:g} m of {name}, which is {self._feed_reference:g} m long at the start"
                raise ModelError(f"{given}: must not be shorter")
            self._add_levels(rope.cables, {key: columns[key] for key in columns if key not in FRAME_COLUMNS})
            self._switch(self._find_level(self._feed_reference, 0))
        table, rows = self.nodes.table, self.nodes.rows
        names = table.component.reference_columns
        self._reference: FloatArray = np.column_stack([table.collect(column, rows) for column in names])
        self.changes: list[CableChange] = []
        self._has_started = False
        self._joints: Entity | None = None

    def _add_levels(self, finest: Entity, columns: Mapping[str, Any]) -> None:
        """Add the cables of the coarser levels, and the constraints that fix the nodes which do not belong to all
        levels.
        """
        cables, self._appears = [finest], np.full(len(self.nodes), self._levels - 1)
        for level in reversed(range(self._levels - 1)):
            count, nodes = self._count(level), self.nodes[:: self._stride(level)]
            part = {"begin": np.arange(count) / count, "share": 1.0 / count, "feed": self.feed, **columns}
            kind = finest.table.component
            cables.append(self._world.add(kind, name=self._name, node0=nodes[:-1], node1=nodes[1:], **part))
            self._appears[:: self._stride(level)] = level
        self.cables = merge_handles(cables)
        self._level_of = np.repeat(np.arange(self._levels)[::-1], [len(part) for part in cables])
        self._inner = np.flatnonzero(self._appears > 0)
        names = self.nodes.table.component.dof_names
        self._holds = fix(self._world, self.nodes[self._inner], *names) if len(self._inner) else None

    def _count(self, level: int) -> int:
        """Return the number of cables on a level."""
        return self._fewest << level

    def _stride(self, level: int) -> int:
        """Return the difference between the indices of two successive nodes of a level, in the list of all nodes."""
        return 1 << (self._levels - 1 - level)

    @property
    def _most(self) -> int:
        return self._count(self._levels - 1)

    @property
    def _level(self) -> int:
        """Return the active level, from the column ``active`` of the cables."""
        return int(self._level_of[np.argmax(self.cables.table.collect("active", self.cables.rows))])

    @property
    def outside(self) -> Entity:
        """The active cables outside the winch, from the outlet to the end."""
        return self.cables[np.flatnonzero(self._level_of == self._level)]

    def _find_level(self, length: float, level: int) -> int:
        """Find the level of cables for a length of rope [m]. The search starts at ``level``."""
        while level + 1 < self._levels and length > LONGEST * self._wanted * self._count(level):
            level += 1
        while level > 0 and length < SHORTEST * self._wanted * self._count(level):
            level -= 1
        return level

    def _switch(self, level: int) -> None:
        """Activate the cables of a level, and fix the nodes that do not belong to this level."""
        self._world.set(self.cables, active=self._level_of == level)
        if self._holds is not None:
            names = len(self._holds) // len(self._inner)
            self._world.set(self._holds, active=np.tile(self._appears[self._inner] > level, names))

    def before_step(self, state: State) -> None:
        """Change the number of cables if the active cables are too long or too short."""
        if not self._has_started:
            self._joints = find_joints(self._world, self.cables, self._name)
            self._has_started = True
        length, old = self._eval_length(state), self._level
        new = self._find_level(length, old)
        # a change of the number of cables would repair a broken rope
        if new != old and not self.cables.table.collect("broken", self.cables.rows).any():
            contacts = WinchContacts(self._world, self.cables, state, self._level_of == old)
            weight = self._change(state, old, new)
            contacts.change(state, self._level_of == new, length)
            if self._joints is not None:
                place_joints(self._world, self._joints, state, length - self._feed_reference, length, self._count(new))
            self._switch(new)
            self.changes.append(CableChange(state.t, self._count(new), weight))
        if length > LONGEST * self._wanted * self._most:
            longer = f"all {self._most} cables are outside and grow longer than {LONGEST:g} of the wanted length"
            say_once(
                "winch",
                [f"{self._name}: {longer}, {self._wanted:g} m; increase `longest` to the largest length of the rope"],
            )

    def _change(self, state: State, old: int, new: int) -> float:
        """Transfer the motion of the nodes to another level. Return the potential energy [J] of the weight before a
        merge minus this energy after the merge, and 0 for a split.
        """
        values = [state.of(self.nodes, name) for name in MOTION]
        values[0] += self._reference
        # positions and slopes; the nodes of ropes with torsion also have an angle
        axis = values[0].shape[1] // 2 * 2
        lengths = [float(state.of(self.feed, name)[0, 0]) for name in MOTION]
        lengths[0] += self._feed_reference
        for level in range(old, new):
            stride = self._stride(level)
            parts = [y / self._count(level) for y in lengths]
            middles = find_middles([y[::stride, :axis] for y in values], parts)
            for y, middle in zip(values, middles, strict=True):
                y[stride // 2 :: stride, :axis] = middle
            if axis < values[0].shape[1]:
                self._turn_middles(values, parts, stride)
        x = values[0][:, :axis].copy()
        values[0] -= self._reference
        for y, name in zip(values, MOTION, strict=True):
            y[self._appears > new] = 0.0
            state.put(self.nodes, y, name)
        before, after = (self._eval_weight(x[:: self._stride(level)], lengths[0]) for level in (old, new))
        return before - after if new < old else 0.0

    def _turn_middles(self, values: list[FloatArray], lengths: list[float], stride: int) -> None:
        """Set the angles of the nodes in the middle of cables with torsion, and the rates of these angles. The argument
        ``stride`` is the difference between the indices of the two nodes of a cable. For the other arguments see
        `find_middles`.
        """
        # imported here, because few ropes have twist
        from windlass.elements.cable.winch_twist_split import find_middle_angles
        from windlass.elements.nodes.twist_node import read_frames  # imported here, because few ropes have twist

        frames = read_frames(self._world, self.nodes.ids)
        (x, v, *accelerations), (h, h_t, *h_tts) = values, lengths
        to = slice(stride // 2, None, stride)
        for a, h_tt in zip(accelerations, h_tts, strict=True):
            found = find_middle_angles(frames, self._reference, stride, (x, v, a), (h, h_t, h_tt))
            x[to, -1], v[to, -1], a[to, -1] = found.T

    def _eval_length(self, state: State) -> float:
        """Return the length [m] of rope outside the winch."""
        return self._feed_reference + float(state.of(self.feed)[0, 0])

    def _eval_weight(self, x: FloatArray, length: float) -> float:
        """Return the potential energy [J] of the weight of the rope, for the positions and slopes ``x`` of the nodes of
        the active cables, shape (nodes, 2 d), and the length of the rope [m].
        """
        d, S = x.shape[1] // 2, array_form(shape_integrals)(length / (len(x) - 1))
        places = S[0] * (x[:-1] + x[1:])[:, :d] + S[3] * (x[1:] - x[:-1])[:, d:]
        rho = float(self.cables.table.collect("mass_per_length", self.cables.rows[:1])[0])
        return float(-rho * places.sum(axis=0) @ self._world.gravity[:d])

    def checkpoint(self) -> dict[str, Any]:
        """Return the changes of the number of cables. The column ``active`` of the cables is not included, because the
        checkpoint of the model contains it.
        """
        return {"changes": np.array(self.changes, np.float64).reshape(-1, 3)}

    def restore(self, kept: Mapping[str, Any], state: State) -> None:
        """Restore the changes of the number of cables from the values of `checkpoint`."""
        self.changes = [CableChange(t, int(count), weight) for t, count, weight in kept["changes"].tolist()]
