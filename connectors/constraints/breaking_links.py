"""Joints, supports and springs that break during a motion: at a given load, at a given time, or when a user function
returns true.

A hook evaluates the force of each link after every step. A link whose force has reached its breaking load becomes
inactive (`World.set`) at the start of the next step, and remains inactive. The delay of the break is at most one step,
and the force exceeds the breaking load by at most the increase of the force in one step. If the user gives a time of
breaking, a step ends at this time, and the next step begins without the link. A broken joint releases its constraints
without a loss of energy. A broken spring loses its stored energy; the energy ledger lists this loss as a change of the
model. After a break the solver computes accelerations that fulfil the equations of motion without the link. Therefore
the break causes no error of the energy balance.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

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
    word,
)
from windlass.framework.errors import ModelError
from windlass.framework.model.table import Entity
from windlass.framework.state.evaluate import eval_output, find_output
from windlass.framework.state.hooks import StepHook, find_rounding
from windlass.framework.state.state import State

FORCE, ACTIVE = "force", "active"
FIELDS = {
    "entity": handle(),
    "breaking_load": optional(number("N", above=0.0)),
    "time": optional(number("s")),
    "rule": optional(function()),
    "name": word(),
}


@checked_names(FIELDS)
@dataclass(frozen=True)
class Link:
    """A joint, support or spring that breaks as a whole.

    Args:
        entity: one or more rows of one component with the output ``force`` and the switchable column ``active``, such
            as a `SphericalJoint`, the three constraints of `hinge`, or a `SpringDamper`.
        breaking_load: force at which the link breaks [N]; the force of a link is the square root of the sum of the
            squares of all force components of all rows.
        time: time at which the link breaks [s]; a step ends at this time.
        rule: function ``rule(t, force)`` of the time [s] and the force [N], called once after each step; the link
            breaks if the function returns true. The function may accumulate damage. Checkpoints do not contain the
            accumulated damage, so a restarted run begins with the initial damage.
        name: name of the link in messages and results; default: name of the entity.

    Raises:
        ModelError: rows have no output ``force`` or no column ``active``, or a link has no breaking load, time or rule.
    """

    entity: Entity
    breaking_load: float | None = None
    time: float | None = None
    rule: Callable[[float, float], bool] | None = None
    name: str = ""

    def __post_init__(self) -> None:
        check_fields(self, FIELDS)
        column = self.entity.table.component.columns.get(ACTIVE)
        if column is None or not column.switchable:
            raise ModelError(f"entity = {self.entity!r} of Link cannot be switched off: must have a column active")
        find_output(self.entity, FORCE)
        if self.breaking_load is None and self.time is None and self.rule is None:
            raise ModelError(f"Link of {self.entity!r} never breaks: must have a breaking_load [N], time [s] or rule")
        if not self.name:
            object.__setattr__(self, "name", self.entity.name)


@dataclass(frozen=True, repr=False)
class Break:
    """A broken link.

    Attributes:
        name: name of the link.
        time: start of the first step without the link [s].
        force: force of the link at the end of the previous step [N].
    """

    name: str
    time: float
    force: float

    def __repr__(self) -> str:
        return f"Break({self.name!r}, time={self.time:.9g}, force={self.force:.9g})"


class BreakingLinks(StepHook):
    """Hook that breaks links during dynamic solves.

    A restarted run starts with the links that were broken in the checkpoint. If the user activates broken links again
    before a solve, these links can break again in this solve. `breaks` then contains the new break instead of the
    earlier break of the link. All processes must call the hook.

    Args:
        links: the links, each with a different name.

    Attributes:
        links: the links.
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
        # force of each link that breaks at the start of the next step [N], with the name of the link as key; and the
        # step size [s]
        self._due: dict[str, float] = {}
        self._step = 0.0

    def before_solve(self, state: State, end: float, steps: int) -> None:
        """Delete the breaks of links that the user has activated again, and evaluate the forces of the links at the
        start of the solve.
        """
        again = {link.name for link in self.links if np.any(link.entity.active)}
        self.breaks = [one for one in self.breaks if one.name not in again]
        self._step = (end - state.t) / max(steps, 1)
        self._find_due(state, rules=False)

    def before_step(self, state: State) -> None:
        """Deactivate links that have reached their breaking load or time, or whose rule has returned true."""
        self.changes_forces = False
        for link in self._find_whole():
            force = self._due.get(link.name)
            # the user may set an earlier time of breaking for a restarted run
            if force is None and self._has_reached_time(link, state):
                force = self._eval_force(link, state)
            if force is not None:
                state.world.set(link.entity, active=False)
                self.changes_forces = True
                self.breaks.append(Break(link.name, float(state.t), force))
        self._due = {}

    def next_stop(self, state: State) -> float:
        """Return the earliest given time of breaking of the links that have not broken, or inf if no time is given; see
        `StepHook.next_stop`.
        """
        return min((link.time for link in self._find_whole() if link.time is not None), default=inf)

    def after_step(self, state: State) -> None:
        """Find links that have reached their breaking load or time, or whose rule returns true."""
        self._find_due(state, rules=True)

    def find_doubts(self) -> Sequence[str]:
        """Return a warning that names the links that reached their breaking limit in the last step but are still
        active, or no warning without such links.
        """
        if not self._due:
            return []
        found = ", ".join(f"{name} ({force:.6g} N)" for name, force in self._due.items())
        return [
            f"links reached their breaking load, time or rule at the end and are still active in the result: {found}"
        ]

    def _find_whole(self) -> list[Link]:
        """Return the links that have not broken."""
        broken = {one.name for one in self.breaks}
        return [link for link in self.links if link.name not in broken]

    def _has_reached_time(self, link: Link, state: State) -> bool:
        """Return whether the time at which a link breaks has been reached, except for rounding errors."""
        return link.time is not None and state.t >= link.time - find_rounding(state.t, self._step)

    def _find_due(self, state: State, rules: bool) -> None:
        """Find the links that break at the start of the next step; the rules of the links are called if ``rules`` is
        true."""
        self._due = {}
        for link in self._find_whole():
            rule = link.rule if rules else None
            is_late = self._has_reached_time(link, state)
            if link.breaking_load is None and rule is None and not is_late:
                continue
            force = self._eval_force(link, state)
            load = inf if link.breaking_load is None else link.breaking_load
            # a rule is called after each step, even if the link breaks by another criterion
            by_rule = rule is not None and rule(float(state.t), force)
            if is_late or by_rule or force >= load:
                self._due[link.name] = force

    @staticmethod
    def _eval_force(link: Link, state: State) -> float:
        """Return the force of a link [N]."""
        return float(np.linalg.norm(np.ravel(eval_output(link.entity, FORCE, state))))

    def checkpoint(self) -> dict[str, Any]:
        """Return the broken links, and the links that break in the next step. The states ``active`` of the links are
        not included, because the checkpoint of the model contains them.
        """
        return {
            "due": list(self._due),
            "due_forces": list(self._due.values()),
            "names": [one.name for one in self.breaks],
            "times": [one.time for one in self.breaks],
            "forces": [one.force for one in self.breaks],
        }

    def restore(self, kept: Mapping[str, Any], state: State) -> None:
        """Restore the broken links from the values of `checkpoint`."""
        due = zip(kept["due"], kept["due_forces"], strict=True)
        self._due = {str(name): float(force) for name, force in due}
        rows = zip(kept["names"], kept["times"], kept["forces"], strict=True)
        self.breaks = [Break(str(name), float(time), float(force)) for name, time, force in rows]
