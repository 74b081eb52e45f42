"""Results of a Hunt-Crossley force element at a state: contacts, forces on surfaces, and forces on bodies."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from windlass.connectors.point_contact.contacts import Contacts, list_contacts
from windlass.connectors.point_contact.hunt_crossley import HuntCrossley
from windlass.connectors.point_contact.kernels import PairParameters, add_pair_forces, clear_forces
from windlass.connectors.point_contact.sets import BoundSet, ContactSystem
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.assembly.assembly import serial_assembly
from windlass.framework.checks.checks import checked, handle, instance
from windlass.framework.errors import ModelError
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.evaluate import eval_output
from windlass.framework.state.state import State


class SurfaceForces(NamedTuple):
    """Forces of a force element on the n surfaces of its set. Vectors are in the global frame.

    surface: entity indices of the surfaces, shape (n,).
    carrier: entity indices of the carriers of the surfaces (a node, a body without node, or the ground), shape (n,).
    point: origin of the frame of each surface [m], shape (n, 3).
    force: force on each surface [N], shape (n, 3).
    torque: torque on each surface about the origin of its frame [N m], shape (n, 3).
    """

    surface: IntArray
    carrier: IntArray
    point: FloatArray
    force: FloatArray
    torque: FloatArray


def _prepare(world: World, state: State, force: Entity) -> tuple[BoundSet, PairParameters, bool]:
    """Evaluate the markers at the state. Return the set and the parameters of the force element, and whether the force
    element is enabled.
    """
    if world.tables.get(HuntCrossley) is not force.table or state.world is not world:
        raise ModelError(f"{force!r}: must be a HuntCrossley force element of this world, with a state of this world")
    row = force.row
    assembly = serial_assembly(world)
    fields, system = assembly.load_fields(state.gather()), assembly.layout.systems[HuntCrossley]
    assert isinstance(system, ContactSystem)
    bound, par, flag = system.find_row(row)
    return bound, par, bool(fields.data[flag])


@checked(world=instance("World"), state=instance("State"), force=handle())
def eval_contacts(world: World, state: State, force: Entity) -> Contacts:
    """Return all contacts of one force element at a state.

    Args:
        state: state at which the contacts are evaluated.
        force: handle to one `HuntCrossley`.

    Raises:
        ModelError: ``force`` is not a handle to one force element of this world.
    """
    return list_contacts(*_prepare(world, state, force))


@checked(world=instance("World"), state=instance("State"), force=handle())
def eval_surface_forces(world: World, state: State, force: Entity) -> SurfaceForces:
    """Return force and torque of one force element on all surfaces of its set. `eval_contacts` describes the
    arguments.
    """
    bound, par, enabled = _prepare(world, state, force)
    c = bound.surfaces
    clear_forces(c, bound.own)
    if enabled:
        # unlike the loop for spheres, this loop also evaluates the torque on spheres at points without rotation
        add_pair_forces(c, par, bound.near.pairs)
    return SurfaceForces(c.ids.copy(), c.carrier.copy(), c.center.copy(), c.force.copy(), c.torque.copy())


@checked(world=instance("World"), state=instance("State"), force=handle(), bodies=handle())
def eval_body_forces(world: World, state: State, force: Entity, bodies: Entity) -> tuple[FloatArray, FloatArray]:
    """Return force [N] and torque [N m] of one force element on bodies. The reference point of the torque is the
    position of the body.

    Args:
        world, state, force: the same arguments as in `eval_contacts`.
        bodies: handle to n bodies, nodes or grounds of one type.

    Returns:
        Force and torque in the global frame, shape (n, 3) each.
    """
    table = bodies.table
    names = table.collect("node")[bodies.rows] if "node" in table.component.refs else bodies.ids
    origin = np.atleast_2d(eval_output(bodies, "position", state))
    found = eval_surface_forces(world, state, force)
    # surfaces on the bodies, and the index of the body of each surface
    order = np.argsort(names)
    place = order[np.searchsorted(names, found.carrier, sorter=order) % len(names)]
    mine = names[place] == found.carrier
    place = place[mine]
    total, torque = np.zeros((len(bodies), 3)), np.zeros((len(bodies), 3))
    np.add.at(total, place, found.force[mine])
    arm = found.point[mine] - origin[place]
    np.add.at(torque, place, found.torque[mine] + np.cross(arm, found.force[mine]))
    return total, torque
