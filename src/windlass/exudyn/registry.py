"""Registry of the translations of Exudyn's items, and functions that several translations use. A translation is a
function that adds the equivalent of one type of item to a World.

    @translates("ConnectorDistance")
    def distance(b: Building, item: Item) -> Entity:
        return b.add(con.DistanceConstraint, item, "distance", "activeConnector:active", **find_points(b, item))

A function raises `Refused` with the reason if Windlass has no equivalent of an item. After all items have been
processed, one `NoCounterpart` error lists all items without an equivalent.
"""

from __future__ import annotations

import re
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
"""Errors that a translation may raise for values of unexpected types."""
ROW = re.compile(r" in \w+ row \d+")
"""Pattern of the name of a row of a component in messages."""
ENTITY = re.compile(r"<(\w+) (\d+)>")
"""Pattern of a handle to one row in messages."""
FIELDS = {
    "marker": "markerNumber", "marker0": "markerNumbers", "marker1": "markerNumbers", "data": "nodeNumber",
    "node": "nodeNumber nodeNumbers", "node0": "nodeNumbers", "node1": "nodeNumbers", "nodes": "nodeNumbers nodeNumber",
    "body": "bodyNumber", "cable": "bodyNumber", "segments": "numberOfSegments", "cables": "slidingMarkerNumbers",
    "position": "referenceCoordinates", "displacement": "initialCoordinates", "velocity": "initialCoordinates",
    "mass": "massMatrix mass inertia", "damping": "dampingMatrix sectionData",
    "stiffness": "stiffnessMatrix sectionData", "force": "forceVector", "factor0": "coordinateFactors",
    "factor1": "coordinateFactors", "ratio": "factor1",
    "radius0": "spheresRadii", "radius1": "spheresRadii", "radius": "circlesRadii", "radii": "sheavesRadii",
    "section_stiffness": "crossSectionPenaltyFactor", "section_damping": "crossSectionDamping",
    "slope2": "referenceCoordinates", "slope3": "referenceCoordinates", "mass_per_length": "sectionData",
    "rotary_inertia": "sectionData", "axes": "sheavesAxes constrainedAxes", "preload": "force",
    "center_of_mass": "centerOfMass",
}  # fmt: skip
"""Names of columns in Windlass, and names of the corresponding fields in Exudyn. If several fields are listed, the
first field that an item has is used.
"""
_translations: dict[str, Translation] = {}
_bodies: set[str] = set()


class ReadItem(dict[str, Any]):
    """An item of Exudyn. The object records the field that was read last. If the item cannot be translated, the error
    message names this field.

    Args:
        item: fields of the item.
        place: type of the item (such as ``"node"`` or ``"object"``) and its item number, as text for messages.
        reads: common list of all items, which contains the item and the field that were read last.
    """

    def __init__(self, item: Item, place: str, reads: list[tuple[str, str]]) -> None:
        super().__init__(item)
        self._place, self._reads = place, reads

    def __getitem__(self, key: str) -> Any:
        self._reads[:] = [(self._place, key)]
        return super().__getitem__(key)


class NoCounterpart(ModelError):
    """Exception for items of a model of Exudyn without an equivalent in Windlass.

    Attributes:
        items: one line for each of these items, with its item number, its name, its type and the reason.
    """

    def __init__(self, items: Sequence[str]) -> None:
        self.items = list(items)
        lines = "".join(f"\n  {line}" for line in self.items)
        super().__init__(f"{len(self.items)} item(s) of the model of Exudyn have no counterpart in Windlass:{lines}")


class Refused(Exception):
    """Exception for an item without an equivalent in Windlass, with the reason. The reason is empty if the only cause
    is a reference to another item without an equivalent.
    """


def translates(*types: str, body: bool = False) -> Callable[[Translation], Translation]:
    """Register a function as the translation of items of the given types, such as values of ``objectType``. The
    argument ``body`` must be true for bodies, which are translated first.
    """

    def register(function: Translation) -> Translation:
        _translations.update(dict.fromkeys(types, function))
        if body:
            _bodies.update(types)
        return function

    return register


@dataclass
class MarkerFrame:
    """A frame on a body: a marker with the rotation of the body, and the rotation matrix of Exudyn's marker relative to
    the body, shape (3, 3).
    """

    marker: Entity
    rotation: FloatArray


@dataclass
class Building:
    """A world that is being built from a model of Exudyn.

    Attributes:
        items: the description of the system, see `export.describe_system`.
        functions: the user functions.
        world: the world.
        nodes, objects, loads: dictionaries from item numbers to entities; None for items without an entity, such as
            ground nodes.
        missing: texts about items without an equivalent in Windlass.
        answered: user functions of the system that the importing code executes.
        columns: for each item, by ``id``: a dictionary from the name of a parameter to the name of a column and a
            factor. The value of the column is the factor times the value of the parameter. For vectors, the factor can
            be a rotation matrix, shape (3, 3).
        frames: translated markers with a position. A key consists of the number of the marker, and of a truth value,
            which is true for markers with a rotation.
        histories: dictionary from the number of a node to the conversion of its history values.
        cable_functions: converted user functions of cables. A key consists of the identity of the user function, and of
            a truth value, which is true for bending moments.
        cable_numbers: dictionary from rows of cables to item numbers.
        faulty: group (such as ``"nodes"``) and number of each item that has wrong fields, see `find_faults`.
        reads: the item and the field that were read last, see `ReadItem`.
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
    frames: dict[tuple[int, bool], MarkerFrame] = field(default_factory=dict)
    histories: dict[int, History] = field(default_factory=dict)
    cable_functions: dict[tuple[int, bool], Any] = field(default_factory=dict)
    cable_numbers: dict[int, int] = field(default_factory=dict)
    faulty: set[tuple[str, int]] = field(default_factory=set)
    reads: list[tuple[str, str]] = field(default_factory=list)
    _item: Item = field(default_factory=dict)
    _numbers: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        groups = {
            group: [ReadItem(item, f"{word} {k}", self.reads) for k, item in enumerate(self.items[group])]
            for group, word in KINDS.items()
        }
        self.items = {**self.items, **groups}
        self._numbers = {id(item): k for k, item in enumerate(groups["objects"])}

    def build(self) -> None:
        """Translate all items in the order nodes, bodies, other objects, loads.

        Raises:
            NoCounterpart: Windlass has no equivalent of some items or of some user functions of the system.
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
        """Add the items that have wrong fields, see `find_faults`, to ``missing`` and ``faulty``."""
        for group, word in KINDS.items():
            for number, item in enumerate(self.items[group]):
                kind = str(item.get(f"{word}Type", ""))
                prefix = {"node": "Node", "load": "Load"}.get(word, "")
                # items of types without a translation are added to ``missing`` later
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
                self._item = item
                done[number] = _translations[prefix + kind](self, item)
            except Refused as reason:
                if str(reason):
                    self.missing.append(f"{word} {number} {name!r} ({kind}): {reason}")
            except ModelError as error:
                self.missing.append(f"{word} {number} {name!r} ({kind}): {self._in_their_words(item, str(error))}")
            except UNREADABLE as error:
                words = f"{self._name_read(f'{word} {number}')} cannot be read ({type(error).__name__}: {error})"
                self.missing.append(f"{word} {number} {name!r} ({kind}): {words}")

    def _name_read(self, own: str = "") -> str:
        """Return a text with the name and the value of the field that was read last."""
        place, key = self.reads[-1]
        word, number = place.split()
        group = next(group for group, kind in KINDS.items() if kind == word)
        of = "" if place == own else f" of {place}"
        return f"{key} = {dict.get(self.items[group][int(number)], key)!r:.60}{of}"

    def _in_their_words(self, item: Item, text: str) -> str:
        """Replace rows and columns of Windlass in a message by items and fields of Exudyn."""
        given = self.columns.get(id(item), {})
        fields = {ours: theirs for theirs, (ours, _) in given.items()}
        text = ROW.sub("", text)
        column = re.match(r"(?:\w+ needs )?(\w+)", text)
        words = FIELDS.get(column[1], "").split() if column else []
        if column and (column[1] in fields or words):
            field = fields.get(column[1]) or next((word for word in words if word in item), "")
            text = (field or f"{words[0]} of its marker or node") + text[column.end() :]
        return ENTITY.sub(lambda found: self.name_entity(found[1], int(found[2])) or found[0], text)

    def name_entity(self, kind: str, row: int) -> str:
        """Return a text with the item number, the name and the type of the item of a row. If no item created the row,
        the text is empty.
        """
        for group, entities in (("nodes", self.nodes), ("objects", self.objects)):
            for number, entity in entities.items():
                if entity is not None and entity.kind == kind and row in entity.rows:
                    item, word = self.items[group][number], KINDS[group]
                    return f"{word} {number} {dict.get(item, 'name', '')!r} ({dict.get(item, f'{word}Type')})"
        return ""

    def add(self, component: type[Component], item: Item, *keys: str, **values: Any) -> Entity:
        """Add a row for an item. The arguments ``keys`` name fields that become columns, as ``"field:column"``, or as
        one name if both names are equal. The keyword arguments ``values`` are further columns.
        """
        for key in keys:
            theirs, _, ours = key.partition(":")
            values[ours or theirs] = item[theirs]
            self.columns.setdefault(id(item), {})[theirs] = ours or theirs, 1.0
        return self.world.add(component, name=str(item.get("name", "")), **values)

    def node(self, number: Any) -> Entity | None:
        """Return the entity of a node with an item number, or None for a ground node."""
        if int(number) not in self.nodes:
            raise Refused("" if 0 <= int(number) < len(self.items["nodes"]) else f"{self._name_read()}: no such node")
        return self.nodes[int(number)]

    def own_node(self, item: Item) -> Entity:
        """Return the node that contains the coordinates of an item."""
        node = self.node(item["nodeNumber"])
        if node is None:
            raise Refused(f"nodeNumber = {item['nodeNumber']}: the node is on the ground, must be a node that can move")
        return node

    def body(self, number: Any) -> Entity:
        """Return the entity of a body."""
        entity = self.objects.get(int(number))
        if entity is None:
            exists = 0 <= int(number) < len(self.items["objects"])
            raise Refused("" if exists else f"{self._name_read()}: no such object")
        return entity

    def number(self, item: Item) -> int:
        """Return the item number of an object."""
        return self._numbers[id(item)]

    def marker(self, number: Any) -> Item:
        """Return the dictionary of a marker."""
        if not 0 <= int(number) < len(self.items["markers"]):
            fields = [key for key, value in self._item.items() if "arkerNumber" in key and number in np.ravel(value)]
            raise Refused(f"{', '.join(fields)} = {self._item[fields[0]]!r:.60}: there is no marker {int(number)}")
        if ("markers", int(number)) in self.faulty:
            raise Refused("")
        item: Item = self.items["markers"][int(number)]
        return item

    def function(self, item: Item, key: str) -> Any:
        """Return the user function of an item, or None. See `UserFunctions.find`."""
        found = self.functions.find(item, key)
        if isinstance(found, str):
            raise Refused(found)
        return found


def read_numbers(item: Item, key: str, *shape: int) -> FloatArray:
    """Return a field of an item as an array. Raise `Refused` for wrong shapes, texts, infinite values and NaN."""
    try:
        values = np.asarray(item[key], np.float64)
    except (TypeError, ValueError):
        values = np.full(1, np.nan)
    if values.shape != shape or not np.isfinite(values).all():
        raise Refused(f"{key} = {item[key]!r:.60}: must be finite numbers of shape {shape}")
    return values


def require(item: Item, **expected: Any) -> None:
    """Raise `Refused` if a field of an item differs from its only supported value. The keyword arguments are the
    supported values, by name of the field.
    """
    for key, value in expected.items():
        if not np.array_equal(item[key], value):
            raise Refused(f"{key} = {np.asarray(item[key]).tolist()}: must be {value}")


def require_no_function(item: Item, *keys: str) -> None:
    """Raise `Refused` if an item has one of the user functions with the names ``keys``."""
    for key in keys:
        if item[key]:
            raise Refused(f"{key} has no counterpart")


def translation_names() -> list[str]:
    """Return the types of items that can be translated. The names of node types begin with Node, and the names of load
    types begin with Load.
    """
    return sorted(_translations)
