"""Exact tangent of the contact between soft beds and thick beams; see `bed_beam_kernels.py` for the forces, and
`beam_tangent.py` for the structure of the tangent.

Force and moment depend on 15 numbers of a point, y = (X, V, w, θ, T). T rotates with the cross section relative to the
surface: dT = Aᵀ (dφ - dα) × T.
"""

from __future__ import annotations

from typing import Any

from windlass.connectors.contact.update import work_type
from windlass.connectors.markers.position_kernels import PositionMarkers
from windlass.connectors.surface_contact.beam_kernels import BeamRow, Section
from windlass.connectors.surface_contact.beam_tangent import (
    COMPONENTS,
    NONE,
    POINT_WORK,
    SectionChange,
    change_section,
    create_section_tangent,
    fill_section_motion,
    place_section,
)
from windlass.connectors.surface_contact.bed_beam_kernels import BedSectionForces, eval_closed_bed_section
from windlass.connectors.surface_contact.bed_kernels import change_across, total_force
from windlass.connectors.surface_contact.bed_tangent import change_bed_friction
from windlass.connectors.surface_contact.distances import Distance
from windlass.connectors.surface_contact.kernels import ContactRows, Lever, PointForces, SurfaceFrame, to_surface
from windlass.connectors.surface_contact.tangent import unit_vector, write_column
from windlass.elements.nodes.vectors import Vector, add, combine, cross
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel

ALONG, NUMBERS = COMPONENTS, COMPONENTS + 3
"""Index of the first component of T in y, and number of components of y."""
BED_BEAM_WORK = work_type(Wq=(NUMBERS, 12), Wv=(NUMBERS, 12), Phi=(6, NUMBERS), **POINT_WORK)


@kernel
def fill_heading_motion(o: SurfaceFrame, s: Section, Wq: FloatArray) -> None:
    """Write the derivatives of T into W_q."""
    for b in range(3):
        axis = unit_vector(b)
        change = cross(to_surface(o, axis[0], axis[1], axis[2]), s.d1)
        write_column(Wq, ALONG, 3 + b, change)
        write_column(Wq, ALONG, 9 + b, (-change[0], -change[1], -change[2]))


@kernel
def fill_bed_section_changes(
    row: Any, r: BeamRow, F: BedSectionForces, h: Distance, z: Lever, s: Section, Phi: FloatArray
) -> None:
    """Write into Phi, shape (6, 15), the derivatives of f and M with respect to y."""
    p, bed, e, n, radius = r.plain, F.bed, F.e, (h.nx, h.ny, h.nz), r.plain.rope_radius
    place = place_section(h, z, bed.vn, F.turn, F.anchor)
    for j in range(NUMBERS):
        c, db = SectionChange(NONE, NONE, NONE, 0.0, 0.0), cross(n, unit_vector(j % 3))
        if j < ALONG:
            c = change_section(j, radius, h, s, place)
            db = cross(c.dn, e.T)
        dfn, df = bed.by_gap * c.gap + bed.by_rate * c.rate, NONE
        if bed.rubs:
            df = change_bed_friction(row, p, bed, e, dfn, c.du, c.dv, change_across(e, db))
        write_column(Phi, 0, j, add(combine(dfn, n, bed.fn, c.dn), df))
        write_column(Phi, 3, j, combine(-radius, cross(c.dn, bed.force), -radius, cross(n, df)))


@kernel(inline=True)
def fill_bed_section(
    row: Any, r: BeamRow, h: Distance, z: Lever, s: Section, k: int, data: FloatArray, start: FloatArray, g: Any
) -> tuple[PointForces, Vector]:
    """Return the forces and the moment of closed point k on a soft bed, and write Phi_y, W_q and W_v."""
    F = eval_closed_bed_section(row, r, h, z, s, k, data, start)
    fill_section_motion(r.plain.o, z, s, F.turn, g.Wq, g.Wv)
    fill_heading_motion(r.plain.o, s, g.Wq)
    fill_bed_section_changes(row, r, F, h, z, s, g.Phi)
    return total_force(F.bed), F.moment


_add_rows = create_section_tangent(fill_bed_section, BED_BEAM_WORK)


@kernel
def add_bed_beam_tangent(
    c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    size: FloatArray, mapped: FloatArray, dq: float, dv: float, slots: IntArray, values: FloatArray,
) -> None:  # fmt: skip
    """Add the tangent of all rows of thick beams on soft beds to the values of the matrix, see `create_tangent`."""
    _add_rows(c, m, data, start, x, v, size, mapped, dq, dv, slots, values)
