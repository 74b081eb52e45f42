"""Spring and damper along an axis that is fixed in the frame of marker 0, for example the drive of a slide.

    displacement: x = a·d,    a = A0 axis,    d = p1 - p0
    rate with moment_arm: x_t = a·(v1 - v0 - ω0 × d), the rate of x
    rate otherwise: x_t = a·(v1 - v0)
    force: g = k (x - offset) + d (x_t - rate_offset) + preload, or force_function(t, row, x, x_t, k, d, offset)
    action: f = g a on point 1 and -f on point 0. With moment_arm, also -d × f on marker 0. All act on the left-hand
        side

In the formula of g, k and d are ``stiffness`` and ``damping``. If the points only move along the axis, for example in a
prismatic joint, the two formulas for the rate x_t give the same result. Without ``moment_arm``, the two opposite forces
act on parallel lines and form a moment. The law LinearSpringDamper of Exudyn has this property. The work of this moment
has no counterpart in the stored energy. Set ``moment_arm = False`` to reproduce results of Exudyn.
"""

from __future__ import annotations

from typing import Any

from windlass.connectors.markers.position_kernels import cross, dot, turn_vector
from windlass.connectors.markers.position_markers import RIGID
from windlass.connectors.rigid_springs.common import register_rigid_spring
from windlass.connectors.rigid_springs.pairs import ComplexArray, Pose
from windlass.connectors.user_functions.user_forces import force_columns
from windlass.connectors.user_functions.user_rows import USER_FIELDS
from windlass.elements.nodes.rotations import normalise
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import Output, Tables
from windlass.framework.model.schema import Component, column, derived, ref
from windlass.framework.model.table import EntityTable


class LinearSpringDamper(Component):
    """A spring and a damper along an axis that rotates with marker 0."""

    marker0 = ref(RIGID, "first point; the axis is fixed in its frame")
    marker1 = ref(RIGID, "second point")
    axis = column("1", "axis in the frame of marker 0, of any length > 0", shape=(3,), default=(1.0, 0.0, 0.0))
    stiffness = column("N/m", "stiffness k", default=0.0, minimum=0.0, switchable=True)
    damping = column("N s/m", "damping d", default=0.0, minimum=0.0, switchable=True)
    offset = column("m", "displacement x at which the spring force is 0", default=0.0, switchable=True)
    rate_offset = column("m/s", "velocity x_t at which the damping force is 0", default=0.0, switchable=True)
    preload = column("N", "constant force, > 0 pulls", default=0.0, switchable=True)
    force_function, force_derivative = force_columns(
        "f(t, row, x, x_t, stiffness, damping, offset) -> force [N]", "(df/dx, df/dx_t)"
    )
    moment_arm = column(
        "1", "true: the moment -d × f acts on marker 0, so that moments balance", dtype=bool, default=True
    )
    active = column("1", "the spring acts only if true", dtype=bool, default=True, switchable=True)
    has_function, user_force, df_du, df_dut = USER_FIELDS
    unit_axis = derived("1", "unit vector of the axis in the frame of marker 0, shape (3,)")


@kernel
def measure(row: Any, u: Pose, ut: ComplexArray, x: ComplexArray, xt: ComplexArray) -> None:
    """Write the displacement x [m] and the rate x_t [m/s]."""
    a = turn_vector(u.A, row.unit_axis)
    x[0], xt[0] = dot(a, u.d), dot(a, ut)
    if row.moment_arm:
        xt[0] -= dot(a, cross(ut[3:6], u.d))


@kernel
def apply(row: Any, u: Pose, g: ComplexArray) -> Any:
    """Return the nine components of the forces and torques for the force g[0] along the axis. See
    `rigid_springs/pairs.py`.
    """
    a, zero = turn_vector(u.A, row.unit_axis), complex(0.0, 0.0)
    f = (g[0] * a[0], g[0] * a[1], g[0] * a[2])
    t = cross(f, u.d) if row.moment_arm else (zero, zero, zero)
    return f[0], f[1], f[2], t[0], t[1], t[2], zero, zero, zero


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for an axis of length 0."""
    table.refuse(~table.local("axis").any(axis=1), ("axis",), "have a length > 0 [1]")


register_rigid_spring(
    LinearSpringDamper,
    measure,
    apply,
    1,
    outputs=lambda number: {
        "displacement": Output("m", "displacement x = a·(p1 - p0), (); the offset is not subtracted", number(0, 0)),
        "velocity": Output("m/s", "velocity x_t, ()", number(1, 0)),
        "tension": Output("N", "force g, (); a positive g pulls the points together along the axis", number(2, 0)),
    },
    check=check,
    derive=lambda rows: {"unit_axis": normalise(rows.local("axis"))},
    source="[@exudyn], ObjectConnectorLinearSpringDamper",
)
