"""Contact and friction of 3D cables with each other and with themselves, for example in crossings, layers, twists and
knots.

The forces are in `kernels.py`, the tangent in `tangent.py`, the search for pairs of points and cables in `search.py`,
and the update of history values in `update.py`.

Source: C. Meier, A. Popp, W. A. Wall, Comput. Methods Appl. Mech. Eng. 308 (2016) 377-413. The derivation of the
couples is in `kernels.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.cable_contact.gaps import watch_places
from windlass.connectors.cable_contact.kernels import TOUCHING, WIDTH, add_residual
from windlass.connectors.cable_contact.material import TWIST
from windlass.connectors.cable_contact.outputs import OUTPUTS, paint
from windlass.connectors.cable_contact.places import CableSystem, create_places, eval_parts, list_contacts
from windlass.connectors.cable_contact.progress import ALL, begin_update, create_progress, end_update
from windlass.connectors.cable_contact.search import CableSearch
from windlass.connectors.cable_contact.tangent import add_tangent
from windlass.connectors.contact.power import NUMBERS, create_place_account
from windlass.connectors.friction.bristle import check_friction
from windlass.connectors.markers.cable_markers3d import axis_dofs
from windlass.connectors.markers.cable_shape import cable_lengths
from windlass.connectors.markers.position_markers import list_handles
from windlass.elements.cable.twist_rotation import find_frames
from windlass.elements.routes.cable_order import find_chains
from windlass.framework.arrays import BoolArray, IntArray
from windlass.framework.checks.checks import checked, each, either, inside, instance, number, whole, yes_no
from windlass.framework.checks.values import show
from windlass.framework.errors import ModelError
from windlass.framework.kernels.call import call
from windlass.framework.kernels.program import FunctionChain, When
from windlass.framework.model.adding import all_or_nothing
from windlass.framework.model.history import check_history, create_history
from windlass.framework.model.law import LocalRows, Tables, register
from windlass.framework.model.rows import create_records
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.system import Evaluation, Fields, NeighbourPattern
from windlass.framework.model.table import Entity, EntityTable
from windlass.framework.model.world import World

TWISTED = "twist cable"
"""Name in the attribute ``provides`` of cables that friction can turn about their axes."""
FASTER = "give a larger contact_stiffness_per_length, or shorter steps"
SOURCE = "C. Meier, A. Popp and W. A. Wall, Comput. Methods Appl. Mech. Eng. 308 (2016) 377-413"
RADIUS = number("m", above=0.0)
PARAMETERS = (
    "contact_stiffness_per_length", "contact_damping_per_length", "damping_depth", "friction_coefficient",
    "friction_stiffness_per_length", "friction_velocity_penalty_per_length",
)  # fmt: skip
"""Names of columns of `CableContactSet`. The values of these columns are copied to the records of the cables of the set
for the kernels.
"""


class CableContactSet(Component):
    """Set of cables that can touch each other and themselves. The set contains the parameters of their contact."""

    contact_stiffness_per_length = column("N/m^2", "normal stiffness k per metre of parallel cables", above=0)
    contact_damping_per_length = column(
        "N s/m^2", "normal damping d per metre of parallel cables", default=0.0, minimum=0
    )
    damping_depth = column(
        "m", "depth at which the full damping is reached; 0: 1 % of the sum of the radii", default=0.0, minimum=0
    )
    friction_coefficient = column("1", "friction coefficient μ", default=0.0, minimum=0)
    friction_stiffness_per_length = column(
        "N/m^2", "tangential stiffness μ_k per metre of cable", default=0.0, minimum=0
    )
    friction_velocity_penalty_per_length = column(
        "N s/m^2", "tangential damping μ_v per metre of cable", default=0.0, minimum=0
    )
    skin = column("m", "distance up to which the search finds contacts; 0: the smallest radius", default=0.0, minimum=0)
    turns_rope = column(
        "1",
        "true: friction turns the cables about their axes; all cables must be `TwistCable3D`",
        default=False,
        dtype=bool,
    )
    apart = column(
        "m", "arc length within which a chain does not touch itself; 0: four times its radius", default=0.0, minimum=0
    )


class ContactFrictionCables3D(Component):
    """A cable of a `CableContactSet`, with n contact points on its axis. The points can touch any cable of the set, and
    other parts of the same cable.

    Friction can cause a torque about the axis of a cable. This torque acts on the cable if ``turns_rope`` of the set is
    true. Otherwise the model assumes an external support that carries this torque. Each point can have up to 6
    contacts, with 18 history values per contact, see `kernels.py`.
    """

    contact_set = ref("CableContactSet", "the set of cables, which contains the parameters of the contact")
    cable = ref("3D cable", "the cable")
    data = ref("GenericData", "108 history values for each point; if left out, they are created", optional=True)
    history_column = "points"
    points = column(
        "1", "number n of contact points, whose spacing must be at most one diameter", dtype=np.int64, minimum=1
    )
    radius = column("m", "radius of the cross section", above=0)


def fill_defaults(world: Tables, values: dict[str, Any]) -> dict[str, Any]:
    """Return ``values`` with initial history values if the user has not specified them."""
    return create_history(world, ContactFrictionCables3D, values, (0.0,) * (TOUCHING * WIDTH))


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for points that are more than a diameter apart, and for two cables of a set with the same
    ``node0`` or the same ``node1``. In a set with ``turns_rope``, also raise ModelError for cables without twist.
    """
    check_history(world, table, TOUCHING * WIDTH)
    length, radius, points = cable_lengths(world, table.local("cable")), table.local("radius"), table.local("points")
    for row in np.flatnonzero(length / points > 2.0 * radius)[:1]:
        raise ModelError(
            f"points = {points[row]} in {table.kind} row {table.resident[row]} are {length[row] / points[row]:.3g} m "
            f"apart: must be at most {2.0 * radius[row]:.3g} m apart, the diameter; give at least points = "
            f"{int(np.ceil(0.5 * length[row] / radius[row]))}"
        )
    sets, cables = table.local("contact_set"), table.local("cable")
    for one in np.unique(sets[find_turning(world, sets)]):
        mine = cables[sets == one]
        plain = [t.kind for t, _, _ in world.split_by_table(mine) if TWISTED not in t.component.provides]
        if plain:
            raise ModelError(f"turns_rope = True in CableContactSet with {plain[0]}: must have cables TwistCable3D")
    for one in np.unique(sets):
        mine = cables[sets == one]
        for column_of_nodes in ("node0", "node1"):
            nodes = np.concatenate([t.collect(column_of_nodes, rows) for t, _, rows in world.split_by_table(mine)])
            if len(np.unique(nodes)) < len(nodes):
                raise ModelError(
                    f"cables of {table.kind}: two cables of one set have the same {column_of_nodes}; must be chains in "
                    "which each cable occurs once and begins at the end of the previous cable"
                )


def read_sets(world: Tables, sets: IntArray, name: str) -> NDArray[Any]:
    """Return the values of a column of the given sets, shape (sets,)."""
    table = world.table(CableContactSet)
    values: NDArray[Any] = table.local(name)[np.searchsorted(table.ids_of(np.arange(table.count)), sets)]
    return values


def find_turning(world: Tables, sets: IntArray) -> BoolArray:
    """Return whether friction turns the cables of the given sets, shape (sets,)."""
    return read_sets(world, sets, "turns_rope")


def find_dofs(world: Tables, table: EntityTable) -> IntArray:
    """Return the global indices of the position and slope coordinates of the cables, shape (rows, 12). If friction
    turns cables of any set, the indices of the angles of twist follow, shape (rows, 14). These indices are -1 for
    cables that friction does not turn.
    """
    turning = find_turning(world, table.local("contact_set"))
    if not turning.any():
        return axis_dofs(world, table)
    dofs = world.dofs_of(table.local("cable"))[:, :TWIST]
    dofs[~turning, 12:] = -1
    return dofs


def bind_frames(rows: LocalRows, turning: BoolArray, dofs: IntArray) -> dict[str, NDArray[Any]]:
    """Return the record fields with which kernels compute the frames of the material, see
    `elements/cable/twist_points.py`. The fields are 0 for cables that friction does not turn. The argument ``dofs``
    contains the process-local coordinate indices of all cables of the table.
    """
    which = np.flatnonzero(turning)
    found = find_frames(rows.world, rows.table.local("cable")[which], rows.layout.reference[dofs[which]])
    found.pop("length")
    frames = {name: np.zeros((len(turning), *values.shape[1:])) for name, values in found.items()}
    for name, values in found.items():
        frames[name][which] = values
    return frames


def bind(rows: LocalRows) -> NDArray[Any]:
    """Create the records of all cables of the table for the kernels. If the points of a cable are evaluated by another
    process, its record has 0 points.
    """
    world, table, layout = rows.world, rows.table, rows.layout
    cables, radius, of_row = table.local("cable"), table.local("radius"), table.local("contact_set")
    length, count = cable_lengths(world, cables), len(cables)
    own = layout.rows[table.component]
    points, data = np.zeros(count, np.int64), np.full(count, -1)
    points[own], data[own] = table.local("points", own), layout.data_start[table.local("data", own)]
    before, after = np.full(count, -1), np.full(count, -1)
    chain, arc, loop = np.zeros(count, np.int64), np.zeros(count), np.zeros(count)
    chains = 0
    for one in np.unique(of_row):
        mine = np.flatnonzero(of_row == one)
        for found in find_chains(world, cables[mine]):
            order = mine[found.order]
            chain[order], chains = chains, chains + 1
            arc[order] = np.cumsum(length[order]) - length[order]
            before[order[1:]], after[order[:-1]] = order[:-1], order[1:]
            if found.closed:
                before[order[0]], after[order[-1]] = order[-1], order[0]
                loop[order] = length[order].sum()

    apart, turning = read_sets(world, of_row, "apart"), find_turning(world, of_row)
    dofs = np.ascontiguousarray(layout.local_dofs(world.row_dofs(table, np.arange(count))))
    shared = {name: read_sets(world, of_row, name) for name in PARAMETERS}
    return create_records(
        dofs=dofs,
        turns_rope=turning,
        **bind_frames(rows, turning, dofs),
        length=length,
        points=points,
        data=data,
        radius=radius,
        before=before,
        after=after,
        chain=chain,
        arc=arc,
        loop=loop,
        apart=np.where(apart > 0.0, apart, 4.0 * radius),
        **shared,
    )


def create_search(rows: LocalRows, c: NDArray[Any]) -> CableSearch:
    """Create the search for contacts between all cables of the table."""
    of_row = rows.table.local("contact_set")
    skin = np.array([float(rows.world.entity(int(one)).skin) for one in of_row])
    for one in np.unique(of_row):
        mine = of_row == one
        skin[mine & (skin == 0.0)] = c["radius"][mine].min()
    return CableSearch(c, rows.table.kind, rows.layout.processes, skin, of_row)


def build(rows: LocalRows) -> CableSystem:
    """Return the `System` with the forces, tangent, update and checks of the rows."""
    c: NDArray[Any] = rows.columns
    own, processes = rows.rows, rows.layout.processes
    places, search = create_places(c), create_search(rows, c)
    system = CableSystem(rows.table.kind, places.eval_dofs(), places=places)
    alone = processes.size == 1
    system.neighbours = pattern = NeighbourPattern()
    list_, progress = places.list_, create_progress(c, places)

    def refresh(s: Fields) -> None:
        places.assign(s.data)
        if processes.any(places.is_outdated):
            places.couple(s.data)
            system.dofs = places.eval_dofs()
            pattern.version += 1
            s.recoupled[0] = 1.0

    def find_contacts(s: Evaluation) -> None:
        search.forgotten |= progress.due[0] == ALL
        search.update(s)
        if search.searches:
            progress.hull[:], progress.limits[0] = search.hull, 0.0 if search.forgotten else search.margin

    def reset_caches() -> None:
        search.forgotten = places.exact = True
        progress.limits[0] = 0.0

    # on several processes, all processes must search and set up the sparsity together
    begin = call(begin_update, lambda s: (c, places.slots, list_, progress, s.data, s.start_data, s.x, pattern.lasts))
    end = call(
        end_update,
        lambda s: (
            c, own, places.slots, list_, progress, s.data, s.start_data, s.x, s.v, s.step_size, s.mapped, s.recoupled,
            s.outcome,
        ),
    )  # fmt: skip
    if alone:
        system.post_newton = FunctionChain(begin, When(find_contacts, progress.due), end)
    else:
        system.post_newton = FunctionChain(refresh, begin, find_contacts, refresh, end)
    system.residual = call(add_residual, lambda s: (c, list_, s.data, s.start_data, s.x, s.v, s.f))
    system.tangent = call(
        add_tangent, lambda s: (c, list_, s.data, s.start_data, s.x, s.v, s.dq, s.dv, s.slots, s.values)
    )
    # on several processes, all processes must set up the sparsity together
    system.update = call(list_contacts, lambda s: (places.slots, len(c), s.data, list_)) if alone else refresh
    found = np.zeros((len(own), int(c["points"].max(initial=0)) * TOUCHING, NUMBERS))

    def fill(s: Evaluation) -> None:
        found[:] = eval_parts(places, s)[own]

    system.account = create_place_account(fill, found, by="")

    def describe_depth(fields: Fields, advice: str) -> list[str]:
        return search.describe_depth(places.slots.at, places.slots.cable, fields.data, advice)

    system.checks.diagnose = lambda fields: describe_depth(fields, FASTER)
    system.checks.refusals = lambda fields: describe_depth(fields, "begin with cables apart")

    def select(i: int) -> CableSystem:
        """Return a `CableSystem` that contains only the contacts of the points of one cable."""
        single = c.copy()
        single["points"] = np.where(np.arange(len(c)) == own[i], c["points"], 0)
        some = create_places(single)
        found = CableSystem(rows.table.kind, some.eval_dofs(), neighbours=NeighbourPattern(), places=some)

        def follow_row(s: Fields) -> None:
            some.assign(s.data)
            some.exact = True
            some.couple(s.data)
            found.dofs = some.eval_dofs()

        found.update = follow_row
        found.residual = call(add_residual, lambda s: (single, some.list_, s.data, s.start_data, s.x, s.v, s.f))
        return found

    system.select, pattern.reset_caches, pattern.refresh = select, reset_caches, refresh if alone else None
    system.gaps = watch_places(places, rows.layout.spare, rows.table.kind, search.group)
    return system


@checked(
    world=instance(World),
    cables=inside(),
    radius=either(RADIUS, each(RADIUS, "one for each handle")),
    points=whole(1),
    skin=number("m", minimum=0.0),
    apart=number("m", minimum=0.0),
    turns_rope=yes_no(),
    columns=inside(),
)
@all_or_nothing
def add_cable_contact(
    world: World,
    cables: Entity | Sequence[Entity],
    *,
    radius: float | Sequence[float],
    points: int,
    skin: float = 0.0,
    apart: float = 0.0,
    turns_rope: bool = False,
    **columns: Any,
) -> Entity:
    """Add contact of 3D cables with each other and with themselves.

    Args:
        cables: single cables or chains of cables.
        radius: radius of the cross sections [m]. Give one value for all cables, or one value for each item of
            ``cables``.
        points: number of contact points of each cable. The spacing of points should be at most one radius.
        skin: distance within which the search finds contacts [m]. With 0, the smallest radius is used.
        apart: smallest arc length [m] between two points of the same chain of cables that can touch each other. With 0,
            four times the radius of the chain is used.
        turns_rope: whether friction acts at the radius of the cables and turns the cables about their axes. If true,
            all cables must be `TwistCable3D`. If False, friction does not turn cables with twist.
        **columns: columns of `CableContactSet`.

    Returns:
        The rows, one per cable in the given order.

    Raises:
        ModelError: no cable is given, or a value is outside its range.
    """
    handles = list_handles("add_cable_contact", "cables", cables)
    radii: Any = radius
    if not isinstance(radius, (int, float)):
        if len(radius) != len(handles):
            raise ModelError(
                f"radius = {show(radius)} m of add_cable_contact: must be one number, or one for each of "
                f"{len(handles)} handles"
            )
        radii = np.repeat(np.asarray(radius, dtype=np.float64), [len(handle) for handle in handles])
    group = world.add(CableContactSet, skin=skin, apart=apart, turns_rope=turns_rope, **columns)
    return world.add(ContactFrictionCables3D, contact_set=group, cable=handles, points=points, radius=radii)


def check_sets(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for a set whose friction has neither bristles nor dampers. Also raise ModelError for a set with
    ``turns_rope`` but without friction.
    """
    check_friction(table)
    idle = table.local("turns_rope") & (table.local("friction_coefficient") == 0.0)
    for row in table.resident[idle][:1]:
        raise ModelError(
            f"turns_rope = True in CableContactSet row {row} with friction_coefficient = 0: must be False, because "
            "only friction turns ropes"
        )


register(CableContactSet, "passive", check=check_sets, source=SOURCE)
register(
    ContactFrictionCables3D,
    "connector",
    dofs=find_dofs,
    bind=bind,
    build=build,
    reads=lambda world, table: table.local("cable"),
    outputs=OUTPUTS,
    fill_defaults=fill_defaults,
    check=check,
    source=SOURCE,
    paint=paint,
)
