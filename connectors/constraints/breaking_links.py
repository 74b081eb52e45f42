"""Joints, supports, springs, cables and beams that break during a motion. They break at a given load, at a given time,
by fatigue, or when a user function returns true.

After every step, a hook evaluates the forces of the links. If the force of a link has reached its breaking load, the
link becomes inactive (`World.set`) at the start of the next step. It then remains inactive. The delay of the break is
at most one step. Therefore the force exceeds the breaking load by at most the increase of the force in one step. If the
user gives a time of breaking, a step ends at this time, and the next step begins without the link. A broken joint
releases its constraints without a loss of energy. A broken spring loses its stored energy. The energy ledger lists this
loss as a change of the model. After a break the solver computes accelerations that fulfil the equations of motion
without the link. Therefore the break causes no error of the energy balance.

The force of a link of cables is the largest axial force of its cables. Only one cable of the link breaks: the cable
with the largest force, or, in a break by fatigue, the cable with the largest damage. A broken cable (column ``broken``)
has no internal force and loses its strain energy. Its mass and weight remain on its nodes. There is no material on the
axis of a broken cable. The axis is only a line between the two ends of the rope at the break. Therefore the fluid loads
of a broken cable act per unstrained length (``constant_volume``). The contacts of this cable, and its line loads per
current length, become inactive. Links of beams and of winch cables break in the same way.

After the break of a winch rope, the length of the rope outside the winch must be constant, because the winch cables
divide the whole rope into equal parts: material would otherwise pass the break.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, NamedTuple

import numpy as np

from windlass.connectors.constraints.fatigue_sum import FatigueLaw, FatigueSum
from windlass.framework.arrays import FloatArray
from windlass.framework.checks.checks import (
    check_fields,
    checked,
    checked_names,
    each,
    function,
    handle,
    instance,
    number,
    optional,
    that,
    word,
)
from windlass.framework.command_line.notes import say_once
from windlass.framework.command_line.report_parts import ReportSection, ReportTable
from windlass.framework.errors import ModelError
from windlass.framework.model.law import role_of
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.evaluate import eval_output, find_output, outputs_of
from windlass.framework.state.hooks import StepHook, find_rounding
from windlass.framework.state.state import State

FORCE, ACTIVE = "force", "active"
BROKEN, TENSION, CABLE, FEED, LENGTH = "broken", "axial_force", "cable", "feed", "length"
PLACES = 0.0, 0.5, 1.0
"""Positions on a cable at which its axial force is evaluated, divided by its length [1]."""
MOVED = 1e-6
"""Largest change of the length of a broken winch rope, relative to its length, that is no reason for doubt [1]."""
FIELDS = {
    "entity": handle(),
    "breaking_load": optional(number("N", above=0.0)),
    "time": optional(number("s")),
    "rule": optional(function()),
    "name": word(),
    "fatigue": optional(
        that(
            lambda given: callable(getattr(given, "find_lives", None)),
            "a fatigue curve, such as windlass.post.fatigue_curve",
        )
    ),
    "damage": number("1", minimum=0.0, below=1.0),
}


@checked_names(FIELDS)
@dataclass(frozen=True)
class Link:
    """A joint, support or spring that breaks as a whole, or a rope that breaks at one of its cables.

    Args:
        entity: cables, beams or winch cables, or one or more rows of one component with the output
            ``force`` and the switchable column ``active``, such as a `SphericalJoint`, the three constraints of
            `hinge`, or a `SpringDamper`. Cables in reserve of a `WinchReserve` may be included.
        breaking_load: force at which the link breaks [N]. The force of a link of cables is the largest axial force of
            the cables. The force of any other link is the square root of the sum of the squares of all force components
            of all rows.
        time: time at which the link breaks [s]. A step ends at this time.
        rule: function ``rule(t, force)`` of the time [s] and the force [N]. It is called once after each step. The link
            breaks if the function returns true. The function may accumulate damage in its own variable. Checkpoints do
            not contain this variable. Therefore the variable has its initial value after a restart.
        name: name of the link in messages and results. The default is the name of the entity or of the rope.
        fatigue: curve whose method ``find_lives(ranges, means)`` returns numbers of cycles to failure, such as
            `windlass.post.fatigue_curve`. The link breaks when its damage has reached 1. Each cable has its own damage.
            Checkpoints contain the damage.
        damage: damage before the run [1], from 0 to less than 1.

    Raises:
        ModelError: the rows are not cables or beams and have no output ``force`` or no column ``active``; the cables
            are `ALECable2D`; the link has neither breaking load nor time, rule or fatigue curve; damage is given
            without a fatigue curve; a fatigue curve is given for winch cables, through which material moves.
    """

    entity: Entity
    breaking_load: float | None = None
    time: float | None = None
    rule: Callable[[float, float], bool] | None = None
    name: str = ""
    fatigue: FatigueLaw | None = None
    damage: float = 0.0

    def __post_init__(self) -> None:
        check_fields(self, FIELDS)
        component = self.entity.table.component
        column = component.columns.get(BROKEN if self.is_rope else ACTIVE)
        if column is None or not column.switchable:
            raise ModelError(
                f"entity = {self.entity!r} of Link cannot be switched off: must be a cable or have a column active"
            )
        if "ale" in component.refs:
            words = "must be cables whose material does not move along their axis"
            raise ModelError(f"entity = {self.entity!r} of Link: {words}")
        if self.is_winch and self.fatigue is not None:
            words = "must be left out for winch cables, because the material of the rope moves through them"
            raise ModelError(f"fatigue of Link of {self.entity!r}: {words}")
        find_output(self.entity, TENSION if self.is_rope else FORCE)
        if all(given is None for given in (self.breaking_load, self.time, self.rule, self.fatigue)):
            words = "must have a breaking_load [N], time [s], rule or fatigue"
            raise ModelError(f"Link of {self.entity!r} never breaks: {words}")
        if self.damage > 0.0 and self.fatigue is None:
            raise ModelError(
                f"damage = {self.damage:g} of Link of {self.entity!r}: must be 0 [1], or have a fatigue curve"
            )
        if not self.name:
            several = self.is_rope and len(self.entity) > 1
            # the name of a rope is the name of its first cable without the number of this cable
            name = re.sub(r" \d+$", "", self.entity.name) if several else self.entity.name
            object.__setattr__(self, "name", name)

    @property
    def is_rope(self) -> bool:
        """Whether the link consists of cables or beams. If such a link breaks, only one cable or beam breaks."""
        return BROKEN in self.entity.table.component.columns

    @property
    def is_winch(self) -> bool:
        """Whether the link consists of cables of winch ropes."""
        return FEED in self.entity.table.component.refs

    def is_whole(self) -> bool:
        """Return whether the link is not broken."""
        if self.is_rope:
            return not np.any(self.entity.broken)
        return bool(np.any(self.entity.active))

    def eval_forces(self, state: State) -> FloatArray:
        """For a link of cables, return the largest of the axial forces [N] at both ends and in the middle of each
        cable, shape (cables,); the value is -inf for cables in reserve. For a link without cables, return its force,
        shape (1,).
        """
        if not self.is_rope:
            return np.array([np.linalg.norm(np.ravel(eval_output(self.entity, FORCE, state)))])
        count = len(self.entity)
        if self.is_winch:
            forces = np.array([np.ravel(eval_output(self.entity, TENSION, state, share=s)) for s in PLACES]).T
        else:
            has_output = LENGTH in outputs_of(self.entity)
            length = eval_output(self.entity, LENGTH, state) if has_output else self.entity.length
            forces = eval_output(self.entity, TENSION, state, x=np.outer(length, PLACES))
        largest: FloatArray = np.where(np.isnan(forces), -inf, forces).reshape(count, 3).max(axis=1)
        return largest

    def eval_rope_length(self, cable: int, state: State) -> float:
        """Return the length [m] of a winch rope outside its winch, from the length of one of its active cables."""
        one = self.entity[cable]
        return float(np.ravel(eval_output(one, LENGTH, state))[0] / np.ravel(one.share)[0])


class DueBreak(NamedTuple):
    """A link that breaks at the start of the next step: its force [N], and the index of the cable that breaks, or -1
    for a link without cables.
    """

    force: float
    cable: int


@dataclass(frozen=True, repr=False)
class Break:
    """A broken link.

    Attributes:
        name: name of the link.
        time: start of the first step without the link [s].
        force: force of the link at the end of the previous step [N]; for a rope, the force of the broken cable.
        cable: index of the broken cable among the cables of the link; -1 for a link without cables.
    """

    name: str
    time: float
    force: float
    cable: int = -1

    def __repr__(self) -> str:
        cable = f", cable={self.cable}" if self.cable >= 0 else ""
        return f"Break({self.name!r}, time={self.time:.9g}, force={self.force:.9g}{cable})"


class BreakingLinks(StepHook):
    """Hook that breaks links during dynamic solves.

    A restarted run starts with the links that were broken in the checkpoint. If the user activates broken links again
    before a solve, these links can break again in this solve. `breaks` then contains the new break instead of the
    earlier break of the link. All processes must call the hook.

    Args:
        links: the links, each with a different name.

    Attributes:
        links: all links, whole and broken.
        breaks: the broken links in the order of their breaks.
    """

    changes_state = True

    @checked(links=each(instance(Link), "a list of links", least=1))
    def __init__(self, links: Sequence[Link]) -> None:
        names = [link.name for link in links]
        for name in names:
            if names.count(name) > 1:
                raise ModelError(f"link {name!r} is given {names.count(name)} times: names must differ")
        self.links = list(links)
        self.breaks: list[Break] = []
        self._due: dict[str, DueBreak] = {}
        self._step = 0.0
        self._lengths: dict[str, tuple[float, float]] = {}
        self._fatigue = {
            link.name: FatigueSum(link.fatigue, link.damage, len(link.entity) if link.is_rope else 1)
            for link in self.links
            if link.fatigue is not None
        }

    @checked(name=word())
    def damages(self, name: str) -> FloatArray:
        """Return the damage [1] of each cable of a link, shape (cables,). For a link without cables, return its damage,
        shape (1,). Ranges of the force that no later cycle has closed count as half cycles.

        Raises:
            ModelError: no link with this name has a fatigue curve.
        """
        if name not in self._fatigue:
            known = ", ".join(self._fatigue) or "there is none"
            raise ModelError(f"name = {name!r} of damages: must be a link with fatigue: {known}")
        return self._fatigue[name].find_damages()

    def before_solve(self, state: State, end: float, steps: int) -> None:
        """Delete the records of broken links that the user has activated again, and evaluate the forces of the links at
        the start of the solve.
        """
        again = {link.name for link in self.links if link.is_whole()}
        self.breaks = [one for one in self.breaks if one.name not in again]
        self._lengths = {name: value for name, value in self._lengths.items() if name not in again}
        self._step = (end - state.t) / max(steps, 1)
        self._find_due(state, is_step=False)

    def before_step(self, state: State) -> None:
        """Deactivate links that have reached their breaking load, their time of breaking or the damage 1, or whose rule
        has returned true.
        """
        self.changes_forces = False
        for link in self._find_whole():
            due = self._due.get(link.name)
            # for a restarted run, the user can set a time of breaking that has already passed
            if due is None and self._has_reached_time(link, state):
                due = find_largest(link, link.eval_forces(state))
            if due is not None and link.is_winch and not np.ravel(link.entity[due.cable].active)[0]:
                # the number of cables has changed at the start of this step
                due = find_largest(link, link.eval_forces(state))
            if due is not None:
                self._break(link, due, state)
        self._due = {}

    def _break(self, link: Link, due: DueBreak, state: State) -> None:
        """Deactivate a link, or one cable of a rope, and print a message."""
        name = link.name
        if link.is_rope:
            cable = link.entity[due.cable]
            state.world.set(cable, broken=True)
            release(state.world, cable)
            if link.is_winch:
                self._lengths[link.name] = (link.eval_rope_length(due.cable, state), 0.0)
            name += f" (cable {due.cable} of {len(link.entity)})"
        else:
            state.world.set(link.entity, active=False)
        self.changes_forces = True
        self.breaks.append(Break(link.name, float(state.t), due.force, due.cable))
        say_once("note", [f"{name} breaks at t = {state.t:.6g} s under {due.force:.6g} N"])

    def next_stop(self, state: State) -> float:
        """Return the earliest given time of breaking of the links that have not broken, or inf if no time is given; see
        `StepHook.next_stop`.
        """
        return min((link.time for link in self._find_whole() if link.time is not None), default=inf)

    def after_step(self, state: State) -> None:
        """Find links that have reached their breaking load, their time of breaking or the damage 1, or whose rule
        returns true. Evaluate the lengths of broken winch ropes.
        """
        self._find_due(state, is_step=True)
        cables = {one.name: one.cable for one in self.breaks}
        for link in self.links:
            if link.is_winch and link.name in self._lengths and link.name in cables:
                length, moved = self._lengths[link.name]
                change = link.eval_rope_length(cables[link.name], state) - length
                self._lengths[link.name] = length, max(moved, abs(change))

    def find_doubts(self) -> Sequence[str]:
        """Return warnings. One warning names the links that reached their breaking limit in the last step but are still
        active. Further warnings name broken winch ropes whose length has changed since the break.
        """
        doubts = [
            f"the winch of the broken rope {name} has paid out or hauled in {moved:.6g} m since the break: must stand "
            "still, because material of the rope would otherwise pass the break"
            for name, (length, moved) in self._lengths.items()
            if moved > MOVED * length
        ]
        if not self._due:
            return doubts
        found = ", ".join(
            f"{name} ({due.force:.6g} N{f' in cable {due.cable}' if due.cable >= 0 else ''})"
            for name, due in self._due.items()
        )
        return [
            *doubts,
            "links reached their breaking load, damage, time or rule at the end and are still active in the result: "
            f"{found}",
        ]

    def report_sections(self) -> Sequence[ReportSection]:
        """Return a table of the broken links for the report of the run."""
        if not self.breaks:
            return []
        rows = [[one.name, one.cable if one.cable >= 0 else None, one.time, one.force] for one in self.breaks]
        return [ReportSection("Broken links", [ReportTable(["link", "cable", "time [s]", "force [N]"], rows)])]

    def _find_whole(self) -> list[Link]:
        """Return the links that have not broken."""
        broken = {one.name for one in self.breaks}
        return [link for link in self.links if link.name not in broken]

    def _has_reached_time(self, link: Link, state: State) -> bool:
        """Return whether the time at which a link breaks has been reached. The comparison has a tolerance for rounding
        errors.
        """
        return link.time is not None and state.t >= link.time - find_rounding(state.t, self._step)

    def _find_due(self, state: State, is_step: bool) -> None:
        """Find the links that break at the start of the next step. If ``is_step`` is true, a step has just ended. The
        function then also sums damages and calls rules.
        """
        self._due = {}
        for link in self._find_whole():
            rule, fatigue = (link.rule, self._fatigue.get(link.name)) if is_step else (None, None)
            is_late = self._has_reached_time(link, state)
            if link.breaking_load is None and rule is None and fatigue is None and not is_late:
                continue
            forces = link.eval_forces(state)
            due = find_largest(link, forces)
            load = inf if link.breaking_load is None else link.breaking_load
            # a rule is called after each step, even if the link breaks by another criterion
            by_rule = rule is not None and rule(float(state.t), due.force)
            by_load = due.force >= load
            tired = self._find_tired(link, fatigue, forces) if fatigue is not None else None
            if is_late or by_rule or by_load:
                self._due[link.name] = due
            elif tired is not None:
                self._due[link.name] = tired

    @staticmethod
    def _find_tired(link: Link, fatigue: FatigueSum, forces: FloatArray) -> DueBreak | None:
        """Count the cycles of the forces of a link. Return its break by fatigue, or None if no damage has reached 1."""
        fatigue.add(forces)
        damages = fatigue.find_damages()
        k = int(np.argmax(damages))
        return DueBreak(float(forces[k]), k if link.is_rope else -1) if damages[k] >= 1.0 else None

    def checkpoint(self) -> dict[str, Any]:
        """Return the broken links, the links that break in the next step, the lengths of broken winch ropes, and the
        damages. The columns ``active`` and ``broken`` of the links are not included. The checkpoint of the model
        contains these columns.
        """
        return {
            "due": list(self._due),
            "due_forces": [due.force for due in self._due.values()],
            "due_cables": [due.cable for due in self._due.values()],
            "names": [one.name for one in self.breaks],
            "times": [one.time for one in self.breaks],
            "forces": [one.force for one in self.breaks],
            "cables": [one.cable for one in self.breaks],
            "lengths": [self._lengths.get(one.name, (0.0, 0.0)) for one in self.breaks],
            "fatigue": {name: fatigue.checkpoint() for name, fatigue in self._fatigue.items()},
        }

    def restore(self, kept: Mapping[str, Any], state: State) -> None:
        """Restore the broken links, the links that break in the next step, and the damages from the values of
        `checkpoint`.
        """
        due = zip(kept["due"], kept["due_forces"], kept["due_cables"], strict=True)
        self._due = {str(name): DueBreak(float(force), int(cable)) for name, force, cable in due}
        rows = zip(kept["names"], kept["times"], kept["forces"], kept["cables"], strict=True)
        self.breaks = [Break(str(name), float(time), float(force), int(cable)) for name, time, force, cable in rows]
        lengths = np.reshape(kept["lengths"], (-1, 2))
        self._lengths = {
            one.name: (float(length), float(moved))
            for one, (length, moved) in zip(self.breaks, lengths, strict=True)
            if length > 0.0
        }
        for name, fatigue in self._fatigue.items():
            if name in kept["fatigue"]:
                fatigue.restore(kept["fatigue"][name])


def find_largest(link: Link, forces: FloatArray) -> DueBreak:
    """Return the largest of the forces [N] of a link. Also return the index of the cable with this force, or -1 for a
    link without cables.
    """
    k = int(np.argmax(forces))
    return DueBreak(float(forces[k]), k if link.is_rope else -1)


def release(world: World, cable: Entity) -> None:
    """Change the fluid loads of a broken cable so that they act per unstrained length. Deactivate the contacts of this
    cable, and its line loads per current length. Rows that refer to several connected cables do not change. All
    processes must call this function together.
    """
    tables = [table for component, table in world.tables.items() if CABLE in component.refs and table.count]
    numbers = cable.ids
    # contacts with circles refer to cable-shape markers, not to cables
    for table in tables:
        if role_of(table.component) == "marker":
            numbers = np.append(numbers, table.ids_of(np.flatnonzero(table.collect(CABLE) == cable.ids[0])))
    for table in tables:
        columns, rows = table.component.columns, np.flatnonzero(np.isin(table.collect(CABLE), numbers))
        if not len(rows):
            continue
        if "constant_volume" in columns:
            world.set(Entity(table, rows), constant_volume=True)
        elif "per" in columns:
            rows = rows[table.collect("per", rows) == "current"]
            world.set(Entity(table, rows), active=False)
        elif ACTIVE in columns and role_of(table.component) == "connector":
            world.set(Entity(table, rows), active=False)
