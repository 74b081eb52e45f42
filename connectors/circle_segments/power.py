"""Power that the contact takes from a circle and a cable, divided into dissipated and stored parts.

The symbols are defined in `kernels.py`. The rates of x_cur, u and g are x_cur_t, u_t and g_t. The force f_n acts on the
end points 0 and 1 in the directions n_0 and n_1, and f_t in the directions t_0 and t_1. For each closed segment:

    power taken: P = (1-rho) F_0.(v_0 - v_c) + rho F_1.(v_1 - v_c) - r f_t omega, F_j = f_n n_j + f_t t_j
    sliding: f_t x_cur_t while the segment slips, without bristles f_t v_t
    tangential damper: mu_v v_t² unless the segment slips
    normal damper: (f_n - k_c g) v_n
    bristle: mu_k u u_t with u = x_cur - x_stick is stored while the segment sticks
    normal spring: k_c g g_t is stored
    lever: remainder of P, neither dissipated nor stored

P is the power of all forces. On the circle, f_t acts at the radius r. The slip velocity of the law is x_cur_t, which is
0 for a segment that rolls. In contrast, v_t of such a segment is omega g. The reason is that the cable lies at the
radius r + g, but v_t contains the velocity of the circle at the radius r.

The lever power contains f_t (v_t - x_cur_t) of slipping segments, mu_k u (v_t - u_t) of sticking segments, k_c g (v_n -
g_t) of moving material, and the power due to `use_segment_normals` = false. The losses that are computed from
differences of energies are explained in `contact/account.py`.

Source: derived in this project from the power of each force.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from windlass.connectors.circle_segments.kernels import SegmentRows
from windlass.connectors.circle_segments.moving_cable import AxialMotion, set_shift
from windlass.connectors.circle_segments.power_lanes import fill_powers, read_segments
from windlass.connectors.contact.account import (
    NO_FORCES,
    PARTS,
    POWERS,
    create_account,
)
from windlass.connectors.markers.cable_shape import FAMILY
from windlass.connectors.markers.position_kernels import FAMILY as CIRCLE_FAMILY
from windlass.framework.accounts import Account
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.call import Call, call
from windlass.framework.model.system import Fields


def eval_powers(c: SegmentRows, axial: AxialMotion | None, fields: Fields) -> FloatArray:
    """Return the powers [W] of all segments, in the order of `POWERS`, shape (rows, segments, 6)."""
    rates = np.zeros(len(c.rows))
    follow(c, axial, rates, fields)
    out = np.zeros((len(c.rows), int(c.rows["segments"].max(initial=0)), len(POWERS)))
    _fill(c, fields.markers[FAMILY], fields.markers[CIRCLE_FAMILY], fields.data, rates, out)
    return out


def follow(c: SegmentRows, axial: AxialMotion | None, rates: FloatArray, fields: Fields) -> None:
    """If the material of cables moves, update ``shift`` (see `set_shift`). Also write the axial velocities of the
    material [m/s] into ``rates``, shape (rows,).
    """
    if axial is not None:
        set_shift(c, axial, fields.x, fields.data)
        rates[:] = fields.v[axial.s]


_fill = call(fill_powers)


def create_segment_account(c: SegmentRows, axial: AxialMotion | None, conserves: bool) -> Account:
    """Create the `Account` of rows with segments. The argument ``conserves`` is a field of the `Account`."""
    rates = np.zeros(len(c.rows))
    before = None if axial is None else lambda s: follow(c, axial, rates, s)

    def read(forces: bool) -> Call:
        return call(
            read_segments,
            lambda s: (
                c, s.markers[FAMILY], s.markers[CIRCLE_FAMILY], s.data, rates, s.energies, s.powers, s.parts,
                s.f if forces else NO_FORCES,
            ),
            before,
        )  # fmt: skip

    shape = len(c.rows), PARTS, int(c.rows["segments"].max(initial=0))
    account = create_account(read(False), shape, conserves=conserves)
    return account if axial is not None else replace(account, forces=read(True))
