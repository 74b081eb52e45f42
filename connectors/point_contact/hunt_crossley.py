"""Hunt-Crossley contact with friction between the surfaces of a contact set.

    simbody rule: s1 = K_2/(K_1 + K_2),    K_i = E_i^(2/3),    E = (K_1 s1)^(3/2)
    hertz rule: s1 = K_2/(K_1 + K_2),    K_i = E_i,    E = K_1 s1
    Hertz force: f_H = 4/3 sqrt(R) E x^(3/2), with the energy 2/5 f_H x and the patch radius sqrt(R x)
    normal force: f = f_H (1 + 3/2 c v_n) if > 0, otherwise 0,    c = s1 c_1 + (1 - s1) c_2
    friction: f_t = f (min(q, 1) (u_d + 2 (u_s - u_d)/(1 + q²)) + u_v |v_t|),    q = |v_t|/v_transition
    coefficients: u = 2 u_1 u_2/(u_1 + u_2) for each of u_s, u_d, u_v. If u_1 and u_2 are 0, then u = 0

`materials.py` defines the moduli E_i, the coefficients c_i, and the friction coefficients u_s, u_d and u_v of a
surface. `geometry.py` evaluates the depth x, the normal n from surface 1 to 2, and the relative radius R. The velocity
v = v_n n + v_t of surface 1 relative to surface 2 is evaluated at the point on which the force acts. The vector from
the middle of the overlap to this point is x (1/2 - s1) n. The velocity v_n is positive while the surfaces approach.
Each contact is evaluated independently of all other contacts. Therefore a contact that opens so fast that its force is
0 does not affect the other contacts.

With several processes, each process has all rows. The surfaces and the pairs are distributed, see `distribution.py`.

For equal materials the simbody rule gives E = E_i/2^1.5. The hertz rule gives the classical 1/E = 1/E_1 + 1/E_2.

Source: K. H. Hunt, F. R. E. Crossley, J. Appl. Mech. 42 (1975) 440-445; friction: M. Hollars, in the documentation of
Simbody 3.7, class HuntCrossleyForce. The rules for pairs of materials are from the same documentation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from windlass.connectors.markers.position_markers import FAMILY
from windlass.connectors.point_contact.contacts import list_contacts
from windlass.connectors.point_contact.gaps import PairGaps
from windlass.connectors.point_contact.geometry import update_orientations, update_surfaces
from windlass.connectors.point_contact.kernels import scatter_forces
from windlass.connectors.point_contact.search import update_neighbours
from windlass.connectors.point_contact.sets import BoundSet, ContactSystem, couple_pairs, create_sets, sum_forces
from windlass.connectors.point_contact.surfaces import HALF_SPACE
from windlass.connectors.point_contact.tangent import add_pair_tangents
from windlass.framework.accounts import Account
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.checks.checks import checked, handle, instance
from windlass.framework.checks.values import read_yes_no
from windlass.framework.errors import ModelError
from windlass.framework.kernels.call import call
from windlass.framework.model.history import GenericData
from windlass.framework.model.law import LocalRows, Output, Tables, register
from windlass.framework.model.schema import Component, column, ref, shape_of
from windlass.framework.model.system import Evaluation, Fields, NeighbourPattern, System
from windlass.framework.model.table import Entity, EntityTable
from windlass.framework.state.state import State

RULES = ("simbody", "hertz")


class HuntCrossley(Component):
    """Force element that acts at all contacts of one contact set. If several force elements act on the same set, their
    forces are added.

    ``enabled`` is the initial value of a flag that is part of each state, see `enable` and `disable`.
    """

    contact_set = ref("ContactSet", "the surfaces")
    data = ref(
        "GenericData",
        "history value that enables (1) or disables (0) the element in a state; created if left out",
        optional=True,
    )
    transition_velocity = column("m/s", "slip velocity at which friction is fully developed", default=0.01, above=0)
    modulus_rule = column(
        "1", "method by which the moduli of two surfaces are combined", default="simbody", dtype="U8", choices=RULES
    )
    enabled = column("1", "whether the element is enabled in a new state", default=True, dtype=bool)


def fill_defaults(world: Tables, values: dict[str, Any]) -> dict[str, Any]:
    """Create history values with the initial flags (1 enabled, 0 disabled) if the user does not give ``data``."""
    given = values.get("contact_set")
    if values.get("data") is not None or not (isinstance(given, (Entity, list, tuple)) and len(given)):
        return values
    enabled = read_yes_no(values.get("enabled", True))
    handles = [given] if isinstance(given, Entity) else given
    if enabled is None or not all(isinstance(handle, Entity) for handle in handles):
        return values
    lengths = [sum(map(len, handles))]
    lengths += [shape_of(values[name])[0] for name in HuntCrossley.columns if len(shape_of(values.get(name, 0))) == 1]
    rows = max([n for n in lengths if n > 1], default=1)
    if enabled.ndim > 1 or enabled.shape not in ((), (1,), (rows,)):
        return values
    flags = np.broadcast_to(enabled, (rows,)).astype(np.float64)
    return values | {"data": world.add(GenericData, initial=flags[:, None])}


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError if two rows have the same ``data``, or if the ``data`` of a row consist of more or fewer than
    one value.
    """
    ids = table.collect("data")
    for target, positions, rows in world.split_by_table(ids):
        initial = target.collect("initial")
        for position, row in zip(positions, rows, strict=True):
            if len(initial[row]) != 1:
                raise ModelError(
                    f"data of {table.kind} row {position} has {len(initial[row])} values: must have 1 value "
                    "(1 enabled, 0 disabled)"
                )
    if len(np.unique(ids)) < len(ids):
        raise ModelError(f"data of {table.kind}: two rows have the same data; each row needs separate data")


def build(rows: LocalRows) -> System:
    """Return the `System` of the rows of `HuntCrossley`."""
    sets: list[BoundSet] = rows.columns
    spare = rows.layout.spare
    system = ContactSystem("HuntCrossley", np.zeros((0, 0), np.int64), sets=sets)
    system.neighbours = pattern = NeighbourPattern()
    couple_pairs(system, spare)

    move, orient = call(update_surfaces), call(update_orientations)
    scatter, differentiate = call(scatter_forces), call(add_pair_tangents)

    def update(s: Evaluation) -> None:
        changed = False
        for b in sets:
            move(b.surfaces, s.markers[FAMILY], b.own)
            orient(b.surfaces, s.markers[FAMILY], b.turning)
            if b.share is not None:
                b.share.exchange_motion(b.surfaces)
            changed = update_neighbours(b.near, b.surfaces, b.share) or changed
        if changed:
            couple_pairs(system, spare)
            pattern.version += 1

    def add_residual(s: Evaluation) -> None:
        for b in sets:
            sum_forces(b, b.enabled_parameters(s.data))
            if b.share is not None:
                b.share.collect_forces()
            scatter(b.surfaces, s.markers[FAMILY], b.own, s.f)

    def add_tangent(s: Evaluation) -> None:
        for b in sets:
            own = s.slots[b.first : b.first + len(b.near.pairs)]
            c, m, v = b.surfaces, s.markers[FAMILY], s.v
            if b.share is not None:
                c, m, v = b.share.collect_markers(c, m, v)
            for par in b.enabled_parameters(s.data):
                differentiate(c, par, b.near.pairs, m, v, s.dq, s.dv, own, s.values)

    def read(s: Evaluation) -> None:
        for b in sets:
            for number, par, flag in zip(b.rows, b.parameters, b.flags, strict=True):
                found, k = list_contacts(b, par, bool(s.data[flag])), np.searchsorted(rows.rows, number)
                damping = ((found.normal_force - found.hertz_force) * found.approach_speed).sum()
                s.energies[0, k] += found.energy.sum()
                s.powers[:, k] += damping, found.dissipated_power.sum() - damping

    def reset_caches() -> None:
        for b in sets:
            b.near.forgotten = True

    def find_deep(s: Fields, behind: bool) -> list[str]:
        """Describe overlaps that are too large for the law, because the depth is not below the relative radius. If
        ``behind`` is true, only overlaps with half spaces are described. Otherwise, only overlaps of two bounded
        surfaces are described.
        """
        found = []
        for b in sets:
            flat = b.surfaces.ids[b.surfaces.kind == HALF_SPACE]
            for number, par, flag in zip(b.rows, b.parameters, b.flags, strict=True):
                contacts = list_contacts(b, par, bool(s.data[flag]))
                # disabled force elements store no energy
                deep = (contacts.depth >= contacts.effective_radius) & (contacts.energy > 0.0)
                is_behind = np.isin(contacts.surface1, flat) | np.isin(contacts.surface2, flat)
                for i in np.flatnonzero(deep & (is_behind == behind)):
                    pair = [f"{rows.world.entity(int(of[i]))!r}" for of in (contacts.surface1, contacts.surface2)]
                    found.append(
                        f"{' and '.join(pair)} are inside each other by {contacts.depth[i]:.3g} m and hold "
                        f"{contacts.energy[i]:.3g} J (HuntCrossley row {number}): must be < "
                        f"{contacts.effective_radius[i]:.3g} m, their effective radius, where the law ends"
                    )
        return found

    system.checks.refusals = lambda fields: find_deep(fields, behind=True)
    # Bounded surfaces may overlap at the start, because contact forces separate them. Large overlaps are only reported
    # as doubts.
    system.checks.doubts = lambda fields, step: find_deep(fields, behind=False)[:1]
    system.update, system.residual, system.tangent = update, add_residual, add_tangent
    loses = any(letters.any() for b in sets for c in (b.surfaces,) for letters in (c.c, c.us, c.ud, c.uv))
    names: Any = {"stored": ("contact_spring",), "lost": ("contact_damping", "friction")}
    system.account = Account(read, **names, rows=len(rows.rows), conserves=not loses)
    pattern.reset_caches = reset_caches
    system.gaps = PairGaps(sets, "HuntCrossley").gaps
    return system


def sum_contacts(name: str) -> Callable[..., FloatArray]:
    """Create the function that evaluates an output of shape (rows,): the sum of the field ``name`` of `Contacts` over
    all contacts of each row, or the number of contacts if the name is empty.
    """

    def evaluate(rows: LocalRows, s: Fields, **where: Any) -> FloatArray:
        system = rows.layout.systems[HuntCrossley]
        assert isinstance(system, ContactSystem)
        out = np.zeros(len(rows.rows))
        for k, row in enumerate(rows.rows):
            bound, par, flag = system.find_row(int(row))
            contacts = list_contacts(bound, par, bool(s.data[flag]))
            out[k] = getattr(contacts, name).sum() if name else len(contacts.depth)
        return out

    return evaluate


@checked(state=instance("State"), force=handle())
def enable(state: State, force: Entity) -> None:
    """Switch force elements on in a state. Other states, including copies of this state, are not changed."""
    _set_flags(state, force, 1.0)


@checked(state=instance("State"), force=handle())
def disable(state: State, force: Entity) -> None:
    """Switch force elements off in a state. Force elements that are switched off exert no force and store no energy.
    `eval_contacts` still returns their contacts.
    """
    _set_flags(state, force, 0.0)


@checked(state=instance("State"), force=handle())
def is_enabled(state: State, force: Entity) -> bool:
    """Return whether a force element (a handle to one row) is switched on in a state."""
    where = _flag_places(state, force)
    if len(where) != 1:
        raise ModelError(f"is_enabled: {force!r} has {len(where)} rows; must be a handle to one row")
    return bool(state.data[where[0]] != 0.0)


def _set_flags(state: State, force: Entity, value: float) -> None:
    where = _flag_places(state, force)
    state.data[where] = value
    state.start_data[where] = value


def _flag_places(state: State, force: Entity) -> IntArray:
    if state.world.tables.get(HuntCrossley) is not force.table:
        raise ModelError(f"{force!r}: must be a HuntCrossley force element of the world of the state")
    return state.assembly.layout.data_start[force.table.collect("data")[force.rows]]


register(
    HuntCrossley,
    "connector",
    dofs=(),
    bind=create_sets,
    build=build,
    replicated=True,
    fill_defaults=fill_defaults,
    check=check,
    outputs={
        "potential_energy": Output(
            "J", "stored energy of all contacts, (); 0 if the element is disabled", sum_contacts("energy")
        ),
        "dissipated_power": Output(
            "W", "dissipated power of all contacts, (); 0 if the element is disabled", sum_contacts("dissipated_power")
        ),
        "contact_count": Output("1", "number of contacts, (); also if the element is disabled", sum_contacts("")),
    },
    source="[@hunt1975]; M. Hollars in Simbody 3.7 [@sherman2011]",
)
