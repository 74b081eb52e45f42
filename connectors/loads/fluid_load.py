"""Distributed load of a fluid on cables and beams: drag, buoyancy, pressure and added mass, due to currents, waves and
wind.

    load: ∫ Sᵀ F dx,    F = g s (D + B + P)
    inertia: ∫ Sᵀ g s ρ A (C_a N + C_at t tᵀ) r_tt dx

The docstring of morison.py states the equations and defines the symbols. The added mass changes with the rotation and
the immersion of the cable. Therefore the mass matrix of the added mass depends on the coordinates. All derivatives are
exact. Load factors do not scale the forces of the added mass, because these forces are forces of inertia.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.fluids.flow import (
    BELOW,
    Flow,
    create_flows,
    fill_flow,
    fill_flow_gradients,
    fill_share,
    fill_surface,
)
from windlass.connectors.fluids.flows_at_points import create_flows_at
from windlass.connectors.fluids.fluid import check_downwards, check_plane
from windlass.connectors.fluids.user_flows import UserFlow
from windlass.connectors.loads.line_outputs import line_drawing, line_output
from windlass.connectors.loads.line_points import (
    LEAST_POINTS,
    LineKind,
    add_forces,
    add_tangents,
    check_cables,
    create_line,
    create_lines,
    create_points,
    find_dims,
    group_rows,
    line_lengths,
    locate,
)
from windlass.connectors.loads.morison import (
    LARGEST,
    fill_derivatives,
    fill_drag,
    fill_forces,
    fill_inertia,
    fill_inertia_derivatives,
    fill_powers,
    fill_vibrations,
)
from windlass.connectors.markers.cable_shape import column_of
from windlass.framework.accounts import Account
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.call import Call, call
from windlass.framework.model.law import LocalRows, Tables, register
from windlass.framework.model.rows import create_records
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.system import Fields, System, Term, evaluate
from windlass.framework.model.table import EntityTable

SUNK = 0.01
"""Largest depth of a point below the bed at the start, divided by the depth of the water [1], that causes no warning.
"""


class FluidLoad(Component):
    """The load of a fluid on one cable or beam."""

    cable = ref("cable or beam", "the cable or beam")
    fluid = ref("fluid", "the fluid; several loads can refer to the same fluid")
    diameter = column("m", "outer diameter d", above=0.0)
    normal_drag = column("1", "drag coefficient C_n across the axis", default=1.2, minimum=0.0, switchable=True)
    axial_drag = column("1", "drag coefficient C_t along the axis", default=0.008, minimum=0.0, switchable=True)
    added_mass = column("1", "coefficient C_a of the added mass across the axis", default=1.0, minimum=0.0)
    axial_added_mass = column("1", "coefficient C_at of the added mass along the axis", default=0.0, minimum=0.0)
    constant_volume = column(
        "1", "true: volume and drag area are constant; false: they increase with the length of the cable", dtype=bool,
        default=False, switchable=True,
    )  # fmt: skip
    vibration_frequency = column(
        "Hz", "natural frequency f of vortex-induced vibration, which increases the drag; 0: no vibration", default=0.0,
        minimum=0.0, switchable=True,
    )  # fmt: skip
    vibration_amplitude = column(
        "1", "largest amplitude of vortex-induced vibration, in diameters", default=0.9, minimum=0.0, switchable=True
    )
    vibration_gain = column(
        "1",
        "coefficient a of the factor 1 + a A/d by which vibration increases the drag",
        default=2.1,
        minimum=0.0,
        switchable=True,
    )
    points = column("1", "number of Gauss points on the cable or beam", default=4, dtype=np.int64, minimum=LEAST_POINTS)
    active = column("1", "the load acts only if true", dtype=bool, default=True, switchable=True)


class FluidGroup(NamedTuple):
    """Rows on cables or beams of one type, with the same number of points."""

    kind: LineKind  # type of the cables or beams
    line: Any  # points of the fluid loads, see `create_line`, or `WinchLine`
    locate: Any  # kernel that evaluates the motion of the points
    c: NDArray[Any]  # parameters of the cables at the points, see `create_parameters`
    m: NDArray[Any]  # motion of the points and forces on them, see `create_points`
    rates: NDArray[Any]  # array like ``m`` in which p is the rate of the slope, see `create_points`
    flow: NDArray[Any]  # motion of the fluid at the points, see `create_flows`
    flows: list[Flow]  # all fluids
    users: list[UserFlow]  # fluids with a user function
    given: FloatArray  # results of the user functions; empty without user functions
    gradients: FloatArray  # gradients of these results; empty without user functions


def create_group(rows: LocalRows, kind: LineKind, line: NDArray[Any]) -> FluidGroup:
    """Create the group of rows with the same type of cables or beams and the same number of points, with the fluids at
    these points.
    """
    which, count = line["row"], len(line)
    fluids, lengths = rows.local("fluid")[which], line_lengths(rows)[which]
    flows, users = create_flows_at(rows.world, fluids, np.full(count, kind.dims - 1), lengths)
    some = count if users else 0
    return FluidGroup(
        kind=kind,
        line=line,
        locate=locate,
        c=create_parameters(rows, kind.dims, which),
        m=create_points(count),
        rates=create_points(count),
        flow=create_flows(count),
        flows=flows,
        users=users,
        given=np.zeros((some, 2, 3)),
        gradients=np.zeros((some, 2, 3, 3)),
    )


def create_parameters(rows: LocalRows, dims: int, which: IntArray) -> NDArray[Any]:
    """Create one record for each point, with the parameters of the cable at this point. ``which`` contains the index of
    the row of each point, shape (points,).

    up: index of the axis that points upwards.
    across, along: ½ ρ d C_n and ½ ρ d π C_t [kg/m^2].
    lift: ρ A g [N/m].
    grows: 1 if the volume increases with the length, 0 for cables of constant volume [1].
    displaced, added, excess: ρ A, ρ A C_a and ρ A (C_a - C_at) [kg/m].
    gain, vibration, vibration_speed: a [1], largest amplitude A/d [1], and f d [m/s]. Without vibration, a = 0.
    """
    names = (
        "diameter", "normal_drag", "axial_drag", "added_mass", "axial_added_mass", "vibration_frequency",
        "vibration_amplitude", "vibration_gain",
    )  # fmt: skip
    value = {name: rows.local(name)[which] for name in names}
    density, g = (column_of(rows.world, rows.local("fluid")[which], name) for name in ("density", "gravity"))
    displaced = density * 0.25 * np.pi * value["diameter"] ** 2
    area = 0.5 * density * value["diameter"]
    vibrates = value["vibration_frequency"] > 0.0
    return create_records(
        up=np.full(len(which), dims - 1),
        across=area * value["normal_drag"],
        along=area * np.pi * value["axial_drag"],
        lift=displaced * g,
        grows=1.0 - rows.local("constant_volume")[which],
        displaced=displaced,
        added=displaced * value["added_mass"],
        excess=displaced * (value["added_mass"] - value["axial_added_mass"]),
        gain=vibrates * value["vibration_gain"],
        vibration=value["vibration_amplitude"],
        vibration_speed=np.where(vibrates, value["vibration_frequency"] * value["diameter"], 1.0),
    )


def locate_points(group: FluidGroup, whole: bool = True, gradients: bool = False) -> Call:
    """Create the calls that evaluate the motion of the points, and the fluid at the points.

    Args:
        group: rows, and the points at which the fluid acts on them.
        whole: whether to evaluate velocity and acceleration of the fluid in addition to its volume fraction.
        gradients: whether to evaluate the derivatives of velocity and acceleration of the fluid with respect to
            position, too.
    """
    line, m, flow, kernel = group.line, group.m, group.flow, group.locate
    place = call(kernel)

    def ask_users(s: Any) -> None:
        place(line, s.x, s.v, s.a, m)
        for user in group.users:
            user.fill(s.t, m["r"], group.given)
            if gradients:
                user.fill_gradients(s.t, m["r"], group.gradients)

    found = call(kernel, lambda s: (line, s.x, s.v, s.a, m), ask_users if whole and group.users else None)
    fill = fill_flow_gradients if gradients else fill_flow
    for c in group.flows:
        if whole:
            found += call(fill, lambda s, c=c: (c, m, s.time, group.given, group.gradients, flow))  # type: ignore[misc]
        else:
            found += call(fill_share, lambda s, c=c: (c, m, s.time, flow))  # type: ignore[misc]
    return found


def bind(rows: LocalRows) -> list[FluidGroup]:
    """Create the groups of the active rows, with their fluids."""
    return [create_group(rows, kind, line) for kind, line in create_lines(rows, rows.local("active"))]


def build(rows: LocalRows) -> System:
    """Create the system of `FluidLoad`."""
    groups: list[FluidGroup] = rows.columns
    system = System("FluidLoad", rows.dofs)
    load, load_tangent, inertia, inertia_tangent = Call(), Call(), Call(), Call()
    for group in groups:
        load += locate_points(group) + _forces(group, fill_forces)
        load_tangent += locate_points(group, gradients=True) + _tangents(group, fill_derivatives, "dv")
        if group.c["added"].any() or group.c["excess"].any():
            inertia += locate_points(group, whole=False) + _forces(group, fill_inertia)
            inertia_tangent += locate_points(group, whole=False) + _tangents(group, fill_inertia_derivatives, "da")
    # processes without rows also need terms for the load and the energy, but these terms are empty
    system.load = Term(load, load_tangent)
    # the power of the added mass does not depend on the velocity of the fluid
    read, carry = (sum((read_powers(group, whole) for group in groups), Call()) for whole in (True, False))
    system.account = Account(read, lost=("drag",), carried=("added_mass",), carry=carry)
    if inertia.parts:
        system.inertia = Term(inertia, inertia_tangent)
    system.checks.doubts = lambda fields, step: find_sunken(groups, fields)
    return system


def find_sunken(groups: list[FluidGroup], fields: Fields) -> list[str]:
    """Return warnings about cables and beams that are initially below the bed of the water."""
    found = []
    for group in groups:
        call(locate)(group.line, fields.x, fields.v, fields.a, group.m)
        for c in group.flows:
            (fluid,) = c.fluid
            low = fluid.surface - fluid.depth - group.m["r"][c.where, fluid.up].min()
            if fluid.fills == BELOW and low > SUNK * fluid.depth:
                what, remedy = (
                    ("cable", "lay the line on the bed (`hang_from_ground`)")
                    if group.kind.order == 0
                    else ("beam", "put the load only on the elements above the bed")
                )
                found.append(
                    f"a {what} begins {low:.3g} m below the bed of its fluid, whose depth is {fluid.depth:g} m: give "
                    f"the depth of the water, {remedy}, or shift the surface"
                )
    return found


def _forces(group: FluidGroup, fill: Any) -> Call:
    """Create the calls that evaluate F with the kernel ``fill``, and add the generalised forces on the nodes."""
    line, c, m, flow = group.line, group.c, group.m, group.flow
    return call(fill, lambda s: (c, m, flow)) + call(add_forces, lambda s: (line, m, s.f))


def _tangents(group: FluidGroup, fill: Any, factor: str) -> Call:
    """Create the calls that evaluate the derivatives of F with the kernel ``fill``, and add the tangent to the matrix.
    ``factor`` is the factor of ``Fv``: ``"dv"`` for derivatives with respect to velocities, or ``"da"`` for derivatives
    with respect to accelerations.
    """
    line, c, m, flow = group.line, group.c, group.m, group.flow
    return call(fill, lambda s: (c, m, flow)) + call(
        add_tangents, lambda s: (line, m, s.dq, getattr(s, factor), s.slots, s.values)
    )


def read_powers(group: FluidGroup, whole: bool = True) -> Call:
    """Create the calls that evaluate the power dissipated by drag, and the power that the added mass transfers to the
    fluid [W]. See `Account`. If ``whole`` is false, the velocity of the fluid is not evaluated. In this case the power
    of drag is not valid.
    """
    line, rates = group.line, group.rates
    return (
        locate_points(group, whole)
        + call(locate, lambda s: (line, s.v, s.v, s.a, rates))
        + call(fill_powers, lambda s: (group.c, line, group.m, rates, group.flow, s.powers.T))
    )


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for cables whose material moves along their axis, for fluids that leave the plane of 2D cables,
    for gravity that does not point downwards, and for vibrations that are too large."""
    check_cables(world, table)
    check_vibration(table)
    for cables, positions, _ in world.split_by_table(table.local("cable")):
        up, row = find_dims(cables) - 1, table.resident[positions.min()]
        check_downwards(world, up, f"{table.kind} row {row}", f"a {cables.kind}")
        if up == 1:
            for fluids, _, numbers in world.split_by_table(table.local("fluid")[positions]):
                for number in np.unique(numbers):
                    check_plane(fluids, int(number), f"{table.kind} row {row}")


def check_vibration(table: EntityTable) -> None:
    """Raise ModelError for vibration amplitudes above `LARGEST`, the largest A/d of the polygon in morison.py."""
    high = table.local("vibration_amplitude") > LARGEST
    table.refuse(high, ("vibration_amplitude",), f"be <= {LARGEST} diameters, the largest amplitude of the fit")


class FluidAnswer(NamedTuple):
    """Motion and forces of the fluid at k points of each row. Forces and vibrations are 0 for inactive rows."""

    force: FloatArray  # force, without inertia forces of the added mass, per current length [N/m], shape (rows, k, 3)
    drag: FloatArray  # drag per current length [N/m], shape (rows, k, 3)
    weight: FloatArray  # weight of the cable minus its buoyancy, per current length [N/m], shape (rows, k)
    u: FloatArray  # velocity [m/s] of the fluid, shape (rows, k, 3)
    a: FloatArray  # acceleration [m/s^2] of the fluid, shape (rows, k, 3)
    vibration: FloatArray  # amplitude A/d [1] of the vortex-induced vibration, shape (rows, k)
    share: FloatArray  # volume fraction [1] of the fluid, shape (rows, k)
    surface: FloatArray  # height [m] of the water surface, shape (rows, k)
    r: FloatArray  # position [m] of the points, shape (rows, k, 3)


def answer(rows: LocalRows, fields: Fields, s: FloatArray) -> FluidAnswer:
    """Return motion and forces of the fluid at the relative positions s = x/L [1], shape (rows, k)."""
    count, k = s.shape
    vectors, numbers = (count, k, 3), (count, k)
    shapes = vectors, vectors, numbers, vectors, vectors, numbers, numbers, numbers, vectors
    out = FluidAnswer(*(np.zeros(shape) for shape in shapes))
    on, mass = rows.local("active"), column_of(rows.world, rows.local("cable"), "mass_per_length")
    g = column_of(rows.world, rows.local("fluid"), "gravity")
    for kind, which in group_rows(rows):
        group = create_group(rows, kind, create_line(rows, which, kind, s[which], np.zeros(k)))
        locate_points(group)(evaluate(fields))
        call(fill_forces)(group.c, group.m, group.flow)
        drag, surface, vibration = np.zeros((len(group.m), 3)), np.zeros(len(group.m)), np.zeros(len(group.m))
        for flow in group.flows:
            call(fill_surface)(flow, group.m, fields.time, surface)
        call(fill_drag)(group.c, group.m, group.flow, drag)
        call(fill_vibrations)(group.c, group.m, group.flow, vibration)
        size = np.sqrt((group.m["p"] ** 2).sum(axis=1))
        length = np.where(group.c["grows"] > 0.0, 1.0, 1.0 / size)
        weight = np.repeat(mass[which] * g[which], k) / size - group.flow["s"] * group.c["lift"] * length
        force, found = group.m["F"] / size[:, None], group.flow
        values = FluidAnswer(force, drag, weight, found["u"], found["a"], vibration, found["s"], surface, group.m["r"])
        for to, given in zip(out, values, strict=True):
            to[which] = given.reshape(len(which), *to.shape[1:])
    out.force[~on], out.drag[~on], out.vibration[~on] = 0.0, 0.0, 0.0
    return out


OUTPUTS = {
    "force_per_length": line_output(
        "N/m", "force of the fluid at x per current length, without added mass, (3,)", answer, "force"
    ),
    "drag_per_length": line_output("N/m", "drag at x per current length, (3,)", answer, "drag"),
    "submerged_weight": line_output(
        "N/m", "weight of the cable minus its buoyancy at x, per current length", answer, "weight"
    ),
    "fluid_velocity": line_output("m/s", "velocity of the fluid at x, (3,)", answer, "u"),
    "fluid_acceleration": line_output("m/s^2", "acceleration of the fluid at x, (3,)", answer, "a"),
    "vibration_amplitude": line_output(
        "1", "amplitude A/d of the vortex-induced vibration at x, in diameters", answer, "vibration"
    ),
    "immersion": line_output("1", "volume fraction of the fluid at x, from 0 to 1", answer, "share"),
    "surface_height": line_output(
        "m", "height of the fluid surface at the horizontal position of the point x", answer, "surface"
    ),
}


DRAWN = {
    "fluid_force_per_length": ("force", "N/m"), "drag_per_length": ("drag", "N/m"), "fluid_velocity": ("u", "m/s"),
}  # fmt: skip
"""Dictionary from the name of each vector in drawings to the field of `FluidAnswer` that contains the vector, and its
unit.
"""

register(
    FluidLoad,
    "load",
    dofs="cable",
    bind=bind,
    build=build,
    outputs=OUTPUTS,
    check=check,
    source="[@morison1950]; [@hall2015]; [@dnv2010]; [@dnv2006]",
    draw=line_drawing(answer, DRAWN),
)
