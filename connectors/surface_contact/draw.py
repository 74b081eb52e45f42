"""Drawings of surfaces that cables touch, as nets of lines, and of the contact along the cables.

Each surface is drawn once, at its marker: surfaces of revolution as rings and meridians, planes as a grid.  A plane
without end is drawn as a square of the size of the cables that may touch it.  Onto the lines of the cables the law lays
`contact_normal_force_per_length` [N/m] (< 0 presses), `contact_tangential_force_per_length` [N/m], the size of the
friction, `gap` [m], `stick_slip` (0 sticks, 1 slips, -2 open) and, if there is a ledger, `friction_work_per_length`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from windlass.connectors.circle_segments.friction import UNDEFINED
from windlass.connectors.circle_segments.power import eval_friction_work
from windlass.connectors.markers.position_kernels import FAMILY, PositionColumns
from windlass.connectors.surface_contact.distances import LINE, PLANE, SHEAVE, SPHERE
from windlass.connectors.surface_contact.kernels import ContactRows
from windlass.connectors.surface_contact.outputs import FN, FRICTION, GAP, STATE, eval_points
from windlass.connectors.surface_contact.profiles import eval_course
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.model.drawing import Drawing, Paint, Painting
from windlass.framework.model.law import LocalRows
from windlass.framework.model.system import Fields

ALONG, AROUND = 13, 48
"""Points of a net of lines: across and around a surface of revolution; a plane has ALONG x AROUND."""


def surface_keys(rows: LocalRows) -> IntArray:
    """What tells surfaces apart, shape (rows, 1)."""
    return np.asarray(rows.local("surface")[:, None])


class Nets(NamedTuple):
    """What does not change of the surfaces of some rows.

    Attributes:
        marker: their markers in the columns of their family, shape (surfaces,).
        local: points in the axes of their markers [m], shape (surfaces, points, 3).
        drawing: the reference drawing, without positions.
    """

    marker: IntArray
    local: FloatArray
    drawing: Drawing


def draw(rows: LocalRows, fields: Fields, subdivisions: int) -> Drawing:
    """The surfaces of the rows; ``subdivisions`` is for cables."""
    m: PositionColumns = fields.markers[FAMILY]
    nets: Nets = rows.kept("nets", lambda: create_nets(rows))
    marker = nets.marker
    arm = nets.local @ m.A[marker].transpose(0, 2, 1)
    velocity = np.cross(m.omega[marker][:, None], arm) + m.v[marker][:, None]
    points = m.p[marker][:, None] + arm
    return replace(nets.drawing, points=points.reshape(-1, 3), point_data={"velocity": velocity.reshape(-1, 3)})


def create_nets(rows: LocalRows) -> Nets:
    """One net of lines for each surface, in the order of the rows."""
    c: ContactRows = rows.columns
    first = np.sort(np.unique(c.surface, return_index=True)[1])
    surfaces = c.surface[first]
    reach = float((c.L * c.n).sum())
    local = np.stack([_eval_net(c, int(s), reach) @ c.surfaces.Q[s].T for s in surfaces])
    number = np.arange(ALONG * AROUND).reshape(ALONG, AROUND)
    lines: list[IntArray] = []
    for s in surfaces:
        parts = [np.stack((number[:-1], number[1:]), axis=-1), np.stack((number[:, :-1], number[:, 1:]), axis=-1)]
        if c.surfaces.kind[s] != PLANE:
            # rings are closed; a plane has as many lines, the last ones of no length
            parts.append(np.stack((number[:, -1], number[:, 0]), axis=-1))
        else:
            parts.append(np.stack((number[:, -1], number[:, -1]), axis=-1))
        lines.append(np.concatenate([part.reshape(-1, 2) for part in parts]) + number.size * len(lines))
    total, count = sum(map(len, lines)), len(lines)
    drawing = Drawing(
        points=local.reshape(-1, 3),
        lines=np.concatenate(lines),
        part=np.repeat(np.arange(count), total // count),
        entity=np.full(total, -1, np.int64),
        start=np.zeros(total),
        end=np.ones(total),
        units={"velocity": "m/s"},
    )
    return Nets(c.surfaces.marker[surfaces], local, drawing)


def _eval_net(c: ContactRows, s: int, reach: float) -> FloatArray:
    """Points of a surface in its own frame [m], shape (ALONG AROUND, 3); reach: length of all cables [m]."""
    kind, par = c.surfaces.kind[s], c.surfaces.par[s]
    t, phi = np.linspace(-1.0, 1.0, ALONG)[:, None], 2.0 * np.pi * np.arange(AROUND) / AROUND
    if kind == PLANE:
        lx, ly = (min(float(par[k]), float(par[3]), reach) for k in (1, 2))
        x, y = np.broadcast_arrays(lx * t, ly * np.linspace(-1.0, 1.0, AROUND))
        flat: FloatArray = np.stack((x, y, np.full_like(x, par[0])), axis=-1).reshape(-1, 3)
        return flat
    rho, z = eval_section(int(kind), par, c.surfaces.pieces, reach)
    net: FloatArray = np.stack(
        (rho[:, None] * np.cos(phi), rho[:, None] * np.sin(phi), np.broadcast_to(z[:, None], (ALONG, AROUND))), axis=-1
    ).reshape(-1, 3)
    return net


def eval_section(kind: int, par: FloatArray, pieces: FloatArray, reach: float) -> tuple[FloatArray, FloatArray]:
    """Points (rho, z) [m] along the section of a surface of revolution, shape (ALONG,) each."""
    t = np.linspace(-1.0, 1.0, ALONG)
    if kind == SPHERE:
        return par[0] * np.cos(0.5 * np.pi * t), par[0] * np.sin(0.5 * np.pi * t)
    if kind == LINE and par[0] == 1.0:
        return np.full(ALONG, -par[2]), min(float(par[4]), reach) * t
    if kind == LINE:
        # from the bottom of the groove to its rim
        u = 0.5 * (t + 1.0)
        bottom = -par[2] / par[0]
        rho = bottom + u * (par[5] - bottom)
        return rho, -(par[0] * rho + par[2]) / par[1]
    if kind == SHEAVE:
        z = par[5] * t
        bend = par[1] * par[3]  # where the flanks begin
        round_part = np.sqrt(np.maximum(par[1] ** 2 - z**2, 0.0))
        s = np.where(np.abs(z) <= bend, round_part, (par[1] - np.abs(z) * par[3]) / par[2])
        return par[0] - s, z
    first = int(par[0])
    return eval_course(pieces[first : first + int(par[1])], ALONG)


def paint(rows: LocalRows, fields: Fields) -> Painting:
    """Forces, gaps and states on the cables of the rows."""
    c: ContactRows = rows.columns
    row, point = np.nonzero(np.arange(int(c.n.max(initial=0))) < c.n[:, None])
    values, length = eval_points(c, fields)[row, point], c.L[row]
    friction = np.linalg.norm(values[:, FRICTION], axis=1)
    painted = {
        "contact_normal_force_per_length": Paint(values[:, FN] / length, "sum", 0.0, "N/m"),
        "gap": Paint(values[:, GAP], "min", np.nan, "m"),
        "contact_tangential_force_per_length": Paint(friction / length, "sum", 0.0, "N/m"),
        "stick_slip": Paint(values[:, STATE], "max", UNDEFINED, "1"),
    }
    if rows.table.component in rows.layout.losses:
        work = eval_friction_work(rows)[row] / (length * c.n[row])
        painted["friction_work_per_length"] = Paint(work, "sum", 0.0, "J/m")
    return Painting(rows.local("cable")[row], point * length, (point + 1) * length, painted)
