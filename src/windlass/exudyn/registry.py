"""Translation of items of Exudyn: one small function per type of item, and their common tools.

    @translates("ConnectorDistance")
    def distance(b: Building, item: Item) -> Entity:
        return b.add(con.DistanceConstraint, item, "distance", "activeConnector:active", **b.points(item))

A function that cannot express an item raises `Refused` with the reason; one `NoCounterpart` lists all of these.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from windlass.exudyn.fields import KINDS, find_faults
from windlass.exudyn.functions import UserFunctions
from windlass.exudyn.histories import History
from windlass.framework.arrays import FloatArray
from windlass.framework.errors import ModelError
from windlass.framework.model.schema import Component
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World

Item = Mapping[str, Any]
Translation = Callable[["Building", Item], Entity | None]

UNREADABLE = KeyError, IndexError, TypeError, ValueError, AttributeError
"""Errors that values of another kind raise in a translation."""
_translations: dict[str, Translation] = {}
_bodies: set[str] = set()


class NoCounterpart(ModelError):
    """Items of a model of Exudyn that cannot be expressed here.

    Attributes:
        items: one line for each: number, name, type and reason.
    """

    def __init__(self, items: Sequence[str]) -> None:
        self.items = list(items)
        lines = "".join(f"\n  {line}" for line in self.items)
        super().__init__(f"{len(self.items)} item(s) of the model of Exudyn have no counterpart in Windlass:{lines}")


class Refused(Exception):
    """This item cannot be expressed, for a reason; the reason is empty if it only refers to such an item."""


def translates(*types: str, body: bool = False) -> Callable[[Translation], Translation]:
    """Make a function the translation of items of these types (``objectType`` and so on); bodies come first."""

    def register(function: Translation) -> Translation:
        _translations.update(dict.fromkeys(types, function))
        if body:
            _bodies.update(types)
        return function

    return register


@dataclass
class MarkerFrame:
    """A place on a body: a marker with the body's rotation, and the rotation of the item's own marker in it (3, 3)."""

    marker: Entity
    rotation: FloatArray


@dataclass
class Building:
    """A world during its construction.

    Attributes:
        items: the description of the system, see `export.describe_system`.
        functions: the user functions.
        world: the world.
        nodes, objects, loads: entities by item number; None for items without coordinates in Windlass.
        missing: items without counterpart.
        answered: functions of the system that the importing code will execute.
        columns: by id of an item, for parameters that are columns here: their names, and factors on their values, which
            are numbers, or rotations (3, 3) of vectors.
        histories: by number of a node, the conversion of its history values where they differ.
        faulty: groups and numbers of items whose fields do not match their type.
    """

    items: Mapping[str, Any]
    functions: UserFunctions
    world: World = field(default_factory=World)
    nodes: dict[int, Entity | None] = field(default_factory=dict)
    objects: dict[int, Entity | None] = field(default_factory=dict)
    loads: dict[int, Entity | None] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    answered: Sequence[str] = ()
    columns: dict[int, dict[str, tuple[str, float | FloatArray]]] = field(default_factory=dict)
    histories: dict[int, History] = field(default_factory=dict)
    faulty: set[tuple[str, int]] = field(default_factory=set)

    def build(self) -> None:
        """Translate all items: nodes, bodies, all other objects, loads.

        Raises:
            NoCounterpart: items that cannot be expressed.
        """
        self._drop_faulty()
        self._translate("nodes", self.nodes, lambda kind: True)
        self._translate("objects", self.objects, lambda kind: kind in _bodies)
        self._translate("objects", self.objects, lambda kind: kind not in _bodies)
        self._translate("loads", self.loads, lambda kind: True)
        for name in set(self.items["system_functions"]) - set(self.answered):
            self.missing.append(f"{name}UserFunction of the system")
        if self.items["general_contacts"]:
            self.missing.append("GeneralContact")
        if self.missing:
            raise NoCounterpart(self.missing)

    def _drop_faulty(self) -> None:
        """List the items whose fields do not match their type, and skip them."""
        for group, word in KINDS.items():
            for number, item in enumerate(self.items[group]):
                kind = str(item.get(f"{word}Type", ""))
                prefix = {"node": "Node", "load": "Load"}.get(word, "")
                # items without a translation are refused later
                reads = group in ("markers", "sensors") or prefix + kind in _translations
                fault = find_faults(group, kind, item) if reads or not kind else ""
                if fault:
                    self.missing.append(f"{word} {number} {item.get('name', '')!r} ({kind}): {fault}")
                    self.faulty.add((group, number))

    def _translate(self, group: str, done: dict[int, Entity | None], wanted: Callable[[str], bool]) -> None:
        word = KINDS[group]
        for number, item in enumerate(self.items[group]):
            kind, name = str(item.get(f"{word}Type", "")), item.get("name", "")
            if not wanted(kind) or (group, number) in self.faulty:
                continue
            prefix = {"node": "Node", "load": "Load"}.get(word, "")
            try:
                if prefix + kind not in _translations:
                    raise Refused("no such law")
                done[number] = _translations[prefix + kind](self, item)
            except Refused as reason:
                if str(reason):
                    self.missing.append(f"{word} {number} {name!r} ({kind}): {reason}")
            except ModelError as error:
                self.missing.append(f"{word} {number} {name!r} ({kind}): {error}")
            except UNREADABLE as error:
                words = f"a value of it, or of an item that it names, cannot be read ({type(error).__name__}: {error})"
                self.missing.append(f"{word} {number} {name!r} ({kind}): {words}")

    def add(self, component: type[Component], item: Item, *keys: str, **values: Any) -> Entity:
        """Add a row with the named values of an item, ``"theirs:ours"`` or one word for both, and further values."""
        for key in keys:
            theirs, _, ours = key.partition(":")
            values[ours or theirs] = item[theirs]
            self.columns.setdefault(id(item), {})[theirs] = ours or theirs, 1.0
        return self.world.add(component, name=str(item.get("name", "")), **values)

    def node(self, number: Any) -> Entity | None:
        """The entity of a node; None for the ground."""
        if int(number) not in self.nodes:
            raise Refused("" if 0 <= int(number) < len(self.items["nodes"]) else f"there is no node {int(number)}")
        return self.nodes[int(number)]

    def own_node(self, item: Item) -> Entity:
        """The node with coordinates of an item with one node."""
        node = self.node(item["nodeNumber"])
        if node is None:
            raise Refused(f"node {item['nodeNumber']} is on the ground")
        return node

    def body(self, number: Any) -> Entity:
        """The entity of a body."""
        entity = self.objects.get(int(number))
        if entity is None:
            raise Refused("" if 0 <= int(number) < len(self.items["objects"]) else f"there is no object {int(number)}")
        return entity

    def number(self, item: Item) -> int:
        """The number of an object."""
        return next(k for k, other in enumerate(self.items["objects"]) if other is item)

    def marker(self, number: Any) -> Item:
        """The dictionary of a marker."""
        if not 0 <= int(number) < len(self.items["markers"]):
            raise Refused(f"there is no marker {int(number)}")
        if ("markers", int(number)) in self.faulty:
            raise Refused("")
        item: Item = self.items["markers"][int(number)]
        return item

    def function(self, item: Item, key: str) -> Any:
        """The user function of an item, or None; see `UserFunctions.find`."""
        found = self.functions.find(item, key)
        if isinstance(found, str):
            raise Refused(found)
        return found


def require(item: Item, **expected: Any) -> None:
    """Refuse an item if a parameter differs from the only supported value."""
    for key, value in expected.items():
        if not np.array_equal(item[key], value):
            raise Refused(f"{key} = {np.asarray(item[key]).tolist()}: must be {value}")


def require_no_function(item: Item, *keys: str) -> None:
    """Refuse an item with one of these user functions."""
    for key in keys:
        if item[key]:
            raise Refused(f"{key} has no counterpart")


def translation_names() -> list[str]:
    """The types of items that can be expressed; types of nodes and loads begin with Node and Load."""
    return sorted(_translations)
