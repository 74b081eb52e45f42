"""Disc that rolls on a plane without slip. The lowest point of its rim is in the plane and has no velocity relative to
the plane.

    unit normal at point 0: n = A0 normal
    axis of the disc: w = A1 axis
    direction of the track: l = w × n/|w × n|
    from the centre to the contact point: r = radius w × l
    from point 0 to the contact point: c = d + r, with d = p1 - p0
    velocity of the rim relative to the plane: v_c = v1 + ω1 × r - (v0 + ω0 × c)
    velocity across the track: C_0 = (n × l)·v_c
    velocity along the track: C_1 = l·v_c
    distance: C_2 = n·c; Ċ_2 = n·v_c, because n·r is smallest at the contact point

Point 0, at marker 0, is on the plane. Point 1, at marker 1, is the centre of the disc. The force on the disc has the
components -λ along the directions e = n × l, l and n, and acts at the contact point. For each of these directions,

    g = [e, -c × e, r × e], see `joint_kernels`,

and G = ∂g/∂(d, θ0, θ1) is evaluated from this formula by a complex step. Apart from rounding errors, the result is
exact. A disc that lies flat on the plane (w = ± n) has no unique contact point, and C is NaN.

The velocity equations are nonholonomic, which means that they cannot be integrated to equations of positions. Static
solves ignore these equations. For static solves set ``axes = (False, False, True)``, and fix the rotation of the disc
and its position on the plane by other constraints. All dynamic methods fulfil the velocity equations at every step,
within the tolerance of Newton's method.

Source: J. I. Neimark, N. A. Fufaev, Dynamics of Nonholonomic Systems, AMS (1972); J. Gerstmayr and others,
documentation of Exudyn 1.13, item ObjectJointRollingDisc.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.connectors.constraints.joint_kernels import joint_rows
from windlass.connectors.constraints.joints import check_spatial, register_joint
from windlass.connectors.markers.position_kernels import FAMILY, PositionMarkers, cross, find_contact, turn_vector
from windlass.connectors.markers.position_markers import RIGID
from windlass.elements.nodes.rotations import normalise
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows, Output, Tables
from windlass.framework.model.schema import Component, column, derived, ref
from windlass.framework.model.system import Fields
from windlass.framework.model.table import EntityTable

TINY = 1e-20
"""Imaginary step of complex-step derivatives [m, rad]. The square of the step is negligible, and no digits are lost by
cancellation, because a complex step needs no subtraction."""


class RollingJoint(Component):
    """A thin disc that rolls on a plane without slip in 3D."""

    provides = ("joint",)
    marker0 = ref(RIGID, "point on the plane; the normal is fixed in its frame")
    marker1 = ref(RIGID, "centre of the disc")
    radius = column("m", "radius of the disc", above=0.0)
    axis = column("1", "axis of the disc in the frame of marker 1, of any length > 0", (3,), (1.0, 0.0, 0.0))
    normal = column("1", "normal to the plane in the frame of marker 0, of any length > 0", (3,), (0.0, 0.0, 1.0))
    axes = column(
        "1",
        "whether to constrain the slip across the track, the slip along the track, and the distance from the plane",
        (3,),
        (True,) * 3,
        dtype=bool,
        switchable=True,
    )
    active = column("1", "the constraint acts only if true", dtype=bool, default=True, switchable=True)
    unit_axis = derived("1", "unit vector of the axis of the disc in the frame of marker 1, shape (3,)")
    unit_normal = derived("1", "unit normal to the plane in the frame of marker 0, shape (3,)")


@kernel
def perturb(a: Any, b: Any) -> Any:
    """Return the complex vector a + i h b, with the step h = `TINY`."""
    h = complex(0.0, TINY)
    return a[0] + h * b[0], a[1] + h * b[1], a[2] + h * b[2]


@kernel
def equation(
    row: Any, k: int, m: PositionMarkers, m0: int, m1: int, d: FloatArray, g: FloatArray, G: FloatArray
) -> float:
    """Write g and G of equation k. For k = 2, return the distance C_2 [m]. For the other two equations, which constrain
    velocities only, return 0.
    """
    n, w = turn_vector(m.rotation[m0], row.unit_normal), turn_vector(m.rotation[m1], row.unit_axis)
    zero = (0.0, 0.0, 0.0)
    for s in range(9):
        unit = (1.0 if s % 3 == 0 else 0.0, 1.0 if s % 3 == 1 else 0.0, 1.0 if s % 3 == 2 else 0.0)
        dz = perturb(d, unit if s < 3 else zero)
        nz = perturb(n, cross(unit, n) if 3 <= s < 6 else zero)
        wz = perturb(w, cross(unit, w) if s >= 6 else zero)
        e, r, arm = find_contact(row.radius, k, dz, nz, wz)
        t0, t1 = cross(e, arm), cross(r, e)
        for a in range(3):
            G[a, s], G[3 + a, s], G[6 + a, s] = e[a].imag / TINY, t0[a].imag / TINY, t1[a].imag / TINY
            g[a], g[3 + a], g[6 + a] = e[a].real, t0[a].real, t1[a].real
    if k < 2:
        return 0.0
    _, r, arm = find_contact(row.radius, k, d, n, w)
    return float(n[0] * arm[0] + n[1] * arm[1] + n[2] * arm[2])


loops = joint_rows(equation)


def derive(rows: LocalRows) -> dict[str, FloatArray]:
    """Return two unit vectors: the axis of the disc in the frame of marker 1, and the plane normal in the frame of
    marker 0.
    """
    return {f"unit_{name}": normalise(rows.local(name)) for name in ("axis", "normal")}


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for an axis or a normal of length 0, and for 2D markers."""
    for name in ("axis", "normal"):
        table.refuse(~table.local(name).any(axis=1), (name,), "have a length > 0 [1]")
    check_spatial(world, table, np.ones(table.resident_count, bool), "CoordinateConstraint with a ratio")


def eval_contact(rows: LocalRows, s: Fields) -> FloatArray:
    """Return the global positions [m] of the contact points, shape (rows, 3)."""
    (own, j, _), m = rows.columns, s.markers[FAMILY]
    n = np.einsum("iab,ib->ia", m.rotation[j.m0], own["unit_normal"])
    w = np.einsum("iab,ib->ia", m.rotation[j.m1], own["unit_axis"])
    along = normalise(np.cross(w, n))
    found: FloatArray = m.position[j.m1] + own["radius"][:, None] * np.cross(w, along)
    return found


register_joint(
    RollingJoint,
    loops,
    multipliers=3,
    unit="m/s, m/s, m",
    equations="slip across and along the track [m/s], distance from the plane [m], (3,)",
    check=check,
    derive=derive,
    locked=lambda rows: rows.local("axes"),
    fast=(True, True, False),
    outputs={"contact_position": Output("m", "contact point, global, (3,)", eval_contact)},
    start="contact_position",
    source="[@neimark1972]; [@exudyn], ObjectJointRollingDisc",
)
