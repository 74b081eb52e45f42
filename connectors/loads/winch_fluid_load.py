"""Distributed load of a fluid on the cables of a winch rope outside the winch: drag, buoyancy, pressure and added mass.

The force per reference length is computed by the formulas of `FluidLoad`, from the velocity u and the acceleration u_t
of the material. The force acts on the nodes and on the length l of the rope. The generalised forces are, with the
symbols of winch_line.py:

    load      ∫ S_i F dx, ∫ w·F dx            F = g s (D + B + P)
    inertia   ∫ S_i I dx, ∫ w·I dx            I = g s ρ A (C_a N + C_at t tᵀ) u_t

The docstring of morison.py states the equations and defines the symbols. Cables in reserve have no load. Rope in the
winch has no load. Therefore rope that leaves the winch carries no kinetic energy of the added mass.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from windlass.connectors.fluids.flow import create_flows, fill_surface
from windlass.connectors.fluids.flows_at_points import create_flows_at
from windlass.connectors.fluids.fluid import check_downwards, check_plane
from windlass.connectors.loads.fluid_load import (
    FluidGroup,
    FluidLoad,
    check_vibration,
    create_parameters,
    locate_points,
)
from windlass.connectors.loads.line_points import LineKind
from windlass.connectors.loads.morison import (
    fill_derivatives,
    fill_drag,
    fill_forces,
    fill_inertia,
    fill_inertia_derivatives,
)
from windlass.connectors.loads.winch_line import (
    add_forces,
    add_tangents,
    create_winch_line,
    create_winch_points,
    fill_powers,
    locate,
)
from windlass.connectors.markers.cable_shape import column_of
from windlass.elements.cable.points import gauss_rule
from windlass.framework.accounts import Account
from windlass.framework.arrays import BoolArray, FloatArray, IntArray
from windlass.framework.checks.values import read_numbers, show
from windlass.framework.errors import ModelError
from windlass.framework.kernels.call import Call, call
from windlass.framework.model.law import LocalRows, Output, Tables, register
from windlass.framework.model.schema import ref
from windlass.framework.model.system import Fields, System, Term, evaluate
from windlass.framework.model.table import EntityTable


class WinchFluidLoad(FluidLoad):
    """The load of a fluid on one cable of a winch rope, with the columns of `FluidLoad`."""

    cable = ref("winch cable", "the winch cable, active or in reserve")


def find_active(rows: LocalRows) -> BoolArray:
    """Return for each row whether both the load and its cable are active, shape (rows,)."""
    on: BoolArray = rows.local("active") & (column_of(rows.world, rows.local("cable"), "active") > 0.0)
    return on


def create_group(rows: LocalRows, which: IntArray, s: FloatArray, w: FloatArray) -> FluidGroup:
    """Create the group of the rows ``which``, shape (k,), with points at the relative positions ξ = s, shape (k, n),
    and integration weights w, shape (n,).
    """
    dims, n, count = rows.dofs.shape[1] // 4, s.shape[1], s.size
    cables = rows.local("cable")[which]
    begin, share = (column_of(rows.world, cables, name) for name in ("begin", "share"))
    fluids, up = np.repeat(rows.local("fluid")[which], n), np.full(count, dims - 1)
    reference = rows.reference[which, -1] * share
    flows, users = create_flows_at(rows.world, fluids, up, np.repeat(reference, n))
    some = count if users else 0
    return FluidGroup(
        kind=LineKind(dims, 0),
        line=create_winch_line(which, rows.dofs[which], begin, share, s, w),
        locate=locate,
        c=create_parameters(rows, dims, np.repeat(which, n)),
        m=create_winch_points(count),
        rates=create_winch_points(0),
        flow=create_flows(count),
        flows=flows,
        users=users,
        given=np.zeros((some, 2, 3)),
        gradients=np.zeros((some, 2, 3, 3)),
    )


def build(rows: LocalRows) -> System:
    """Create the system of `WinchFluidLoad`. The world calls this function again when cables are moved into or out of
    the reserve.
    """
    on, points, groups = find_active(rows), rows.local("points"), list[FluidGroup]()
    for n in np.unique(points[on]):
        s, w = gauss_rule(int(n))
        which = np.flatnonzero(on & (points == n))
        groups.append(create_group(rows, which, np.tile(s, (len(which), 1)), w))
    system = System(rows.table.kind, rows.dofs)
    load, load_tangent, inertia, inertia_tangent, read, carry = (Call() for _ in range(6))
    for group in groups:
        load += locate_points(group) + _forces(group, fill_forces)
        load_tangent += locate_points(group, gradients=True) + _tangents(group, [fill_derivatives], False)
        inertia += locate_points(group, whole=False) + _forces(group, fill_inertia)
        inertia_tangent += locate_points(group, whole=False) + _tangents(
            group, [fill_inertia, fill_inertia_derivatives], True
        )
        read += locate_points(group) + read_powers(group)
        # the power of the added mass does not depend on the velocity of the fluid
        carry += locate_points(group, whole=False) + read_powers(group)
    system.load = Term(load, load_tangent)
    system.account = Account(read, lost=("drag",), carried=("added_mass",), carry=carry)
    if rows.local("added_mass").any() or rows.local("axial_added_mass").any():
        system.inertia = Term(inertia, inertia_tangent)
    return system


def _forces(group: FluidGroup, fill: Any) -> Call:
    """Create the calls that evaluate F with the kernel ``fill``, and add the generalised forces."""
    line, c, m, flow = group.line, group.c, group.m, group.flow
    return call(fill, lambda s: (c, m, flow)) + call(add_forces, lambda s: (line, m, s.f))


def _tangents(group: FluidGroup, fill: Sequence[Any], inertia: bool) -> Call:
    """Create the calls that evaluate F and its derivatives with the kernels ``fill``, and add the tangent of the
    generalised forces to the matrix. `winch_line.add_tangents` describes ``inertia``.
    """
    line, c, m, flow = group.line, group.c, group.m, group.flow
    filled = sum((call(kernel, lambda s: (c, m, flow)) for kernel in fill), Call())
    return filled + call(add_tangents, lambda s: (line, m, inertia, s.dq, s.dv, s.da, s.slots, s.values))


def read_powers(group: FluidGroup) -> Call:
    """Create the call that evaluates the powers of `fill_powers`."""
    return call(fill_powers, lambda s: (group.c, group.line, group.m, group.flow, s.powers.T))


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for gravity that does not point downwards, for fluids that leave the plane of 2D cables, and for
    vibrations that are too large."""
    check_vibration(table)
    for cables, positions, _ in world.split_by_table(table.local("cable")):
        up, row = world.resident_dofs(cables).shape[1] // 4 - 1, table.resident[positions.min()]
        check_downwards(world, up, f"{table.kind} row {row}", f"a {cables.kind}")
        if up == 1:
            for fluids, _, numbers in world.split_by_table(table.local("fluid")[positions]):
                for number in np.unique(numbers):
                    check_plane(fluids, int(number), f"{table.kind} row {row}")


def at_share(unit: str, doc: str, name: str) -> Output:
    """Create the output variable that returns the result ``name`` of `answer` at a point of each cable. The
    argument ``share`` of the output is the distance of the point from node0, divided by the length of the cable.
    """

    def evaluate_at(rows: LocalRows, fields: Fields, share: float = 0.5) -> FloatArray:
        place = read_numbers(share)
        if place is None or place.shape != () or not 0.0 <= place <= 1.0:
            raise ModelError(f"share = {show(share)} of {rows.table.kind}: must be a number, 0 (node0) to 1 (node1)")
        return answer(rows, fields, float(place))[name]

    return Output(unit, f"{doc} at ``share`` of the cable from node0, 0 for cables in reserve", evaluate_at)


def answer(rows: LocalRows, fields: Fields, share: float) -> dict[str, FloatArray]:
    """Return the outputs by name at the point ``share`` of each row, see `at_share`. The outputs are 0 for inactive
    rows and cables in reserve.
    """
    count, which = len(rows.rows), np.flatnonzero(find_active(rows))
    found = {name: np.zeros((count, 3)) for name in ("force", "drag", "u")}
    found |= {name: np.zeros(count) for name in ("share", "surface")}
    if not len(which):
        return found
    group = create_group(rows, which, np.full((len(which), 1), share), np.zeros(1))
    locate_points(group)(evaluate(fields))
    call(fill_forces)(group.c, group.m, group.flow)
    drag, surface = np.zeros((len(group.m), 3)), np.zeros(len(group.m))
    for flow in group.flows:
        call(fill_surface)(flow, group.m, fields.time, surface)
    call(fill_drag)(group.c, group.m, group.flow, drag)
    size = np.sqrt((group.m["p"] ** 2).sum(axis=1))
    found["force"][which], found["drag"][which] = group.m["F"] / size[:, None], drag
    found["u"][which], found["share"][which], found["surface"][which] = group.flow["u"], group.flow["s"], surface
    return found


register(
    WinchFluidLoad,
    "load",
    dofs="cable",
    build=build,
    outputs={
        "force_per_length": at_share("N/m", "force of the fluid per current length, without added mass, (3,)", "force"),
        "drag_per_length": at_share("N/m", "drag per current length, (3,)", "drag"),
        "fluid_velocity": at_share("m/s", "velocity of the fluid, (3,)", "u"),
        "immersion": at_share("1", "volume fraction of the fluid, from 0 to 1", "share"),
        "surface_height": at_share("m", "height of the fluid surface", "surface"),
    },
    check=check,
    source="[@morison1950]; Tang and others, CNSNS 16 (2011)",
)
