"""Contacts of a circle, sorted along the cables."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.circle_contact.view import find_cables
from windlass.connectors.contact.axes import collect_lengths
from windlass.elements.routes.cable_order import Chain, find_chains
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.errors import ModelError
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.evaluate import EvaluatedRows, find_evaluated_rows


class PulleyContacts(NamedTuple):
    """The contacts of a circle, sorted along chains of connected cables."""

    name: str  # name of the circle
    bound: EvaluatedRows  # Contact rows sorted along the chains of cables. Each process evaluates a part of these rows.
    chain: IntArray  # index of the chain of each row, shape (rows,)
    closed: list[bool]  # whether each chain is closed
    radius: FloatArray  # radius [m] of the circle for each row, shape (rows,)
    cables: Entity  # cable of each row
    length: FloatArray  # reference length [m] of the cable of each row, shape (rows,)
    segment_length: FloatArray  # reference length [m] of the segments of each row, shape (rows,)


def find_pulley(world: World, contacts: Entity, circle: Entity) -> PulleyContacts:
    """Find the contacts of a circle and sort them along the cable. `pulley_report` describes the arguments and
    errors.
    """
    component = contacts.table.component
    if not {"circle", "cable"} <= component.refs.keys() or "circle_radius" not in component.columns:
        raise ModelError(f"contacts = {contacts!r}: must be contacts of a circle with a cable")
    if len(circle) != 1:
        raise ModelError(f"circle = {circle!r}: must be a handle to one row")
    on_circle = _lies_on(world, contacts.table.collect("circle", contacts.rows), int(circle.ids[0]))
    if not on_circle.any():
        raise ModelError(f"none of the contacts {contacts!r} is with the circle {circle!r} ({circle.name})")
    mine = contacts[np.flatnonzero(on_circle)]
    cable_ids = find_cables(world, mine.table.collect("cable", mine.rows), together=True)
    chains: list[Chain] = find_chains(world, cable_ids)
    order = np.concatenate([chain.order for chain in chains])
    rows = mine[order]
    tables = world.split_by_table(cable_ids[order])
    if len(tables) != 1:
        raise ModelError(f"the circle {circle.name} touches cables of {len(tables)} kinds: must be of one kind")
    table, positions, cable_rows = tables[0]
    cables = Entity(table, cable_rows[np.argsort(positions)])
    length = collect_lengths(world, cables)
    return PulleyContacts(
        name=circle.name,
        bound=find_evaluated_rows(rows, world),
        chain=np.repeat(np.arange(len(chains)), [len(chain.order) for chain in chains]),
        closed=[chain.closed for chain in chains],
        radius=rows.table.collect("circle_radius", rows.rows),
        cables=cables,
        length=length,
        segment_length=length / rows.table.collect("segments", rows.rows),
    )


def _lies_on(world: World, markers: IntArray, circle: int) -> NDArray[np.bool_]:
    """Return whether each marker is the entity ``circle`` or is attached to this entity, shape (markers,)."""
    found: NDArray[np.bool_] = markers == circle
    for table, positions, rows in world.split_by_table(markers):
        for name in table.component.refs:
            found[positions] |= [bool(np.any(carriers == circle)) for carriers in table.collect(name, rows)]
    return found
